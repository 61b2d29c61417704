#!/usr/bin/env bash
# Measures, and leaves the results in bench/results as JSON. See bench/run for the arguments.
set -euo pipefail
exec "$(dirname "$0")/../bench/run" "$@"
