#!/usr/bin/env bash
# Sets up what is missing, builds, and serves. What is already there is not done again.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

qd=$TARGET/release/qd
need_git
need_tmux
if [ ! -x "$qd" ]; then
  # What is missing is told before anything is built.
  need_cargo
  need_cc
  [ -f web/dist/index.html ] || need_node
fi
build_page

# Beside what it speaks of: several trees may share one target folder.
STAMPS=$TARGET/stamps
now=$ROOT:$(digest Cargo.toml Cargo.lock crates web/dist)
if ! { [ -x "$qd" ] && fresh qd-release "$now"; }; then
  need_cargo
  need_cc
  say "Building qd. The first time takes 5 to 8 minutes on two cores; cargo tells how far it is."
  cargo build --release -p qd --bin qd
  built qd-release "$now"
fi

exec "$qd" serve "$@"
