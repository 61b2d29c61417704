#!/usr/bin/env bash
# Sets up what is missing, builds, and serves. What is already there is not done again.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

need_git
need_tmux
build_page

qd=$TARGET/release/qd
# Beside what it speaks of: several trees may share one target folder.
STAMPS=$TARGET/stamps
now=$ROOT:$(digest Cargo.toml Cargo.lock crates web/dist)
if ! { [ -x "$qd" ] && fresh qd-release "$now"; }; then
  need_cargo
  say "Building qd. The first time takes some minutes."
  cargo build --quiet --release -p qd --bin qd
  built qd-release "$now"
fi

exec "$qd" serve "$@"
