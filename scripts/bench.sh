#!/usr/bin/env bash
# Measures, and leaves the results in bench/results as JSON.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

need_cargo
need_tmux
if [ -f bench/package.json ]; then
  need_chromium
  node_modules bench
fi
exec cargo xtask bench "$@"
