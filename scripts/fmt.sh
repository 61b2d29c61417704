#!/usr/bin/env bash
# Formats Rust and the page.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

need_cargo
cargo fmt --all
if [ -f web/package.json ]; then
  node_modules web
  npm --prefix web run --silent fmt
fi
