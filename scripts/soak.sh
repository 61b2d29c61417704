#!/usr/bin/env bash
# Runs the Rust suite again and again while every core is busy. Usage: soak.sh [ROUNDS]
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

rounds=${1:-20}
need_tmux
need_cargo
need_cc
cargo test --quiet --workspace --locked --no-run

load=()
stop_load() {
  local pid
  for pid in ${load[@]+"${load[@]}"}; do kill "$pid" 2>/dev/null || true; done
}
trap stop_load EXIT
cores=$(getconf _NPROCESSORS_ONLN)
for ((core = 0; core < cores; core++)); do
  (while :; do :; done) &
  load+=($!)
done

for ((round = 1; round <= rounds; round++)); do
  say "Round $round of $rounds, with $cores busy loops."
  quiet cargo test --workspace --locked --no-fail-fast || die "Round $round failed."
done
say "$rounds rounds passed."
