#!/usr/bin/env bash
# Everything that can befall ten sessions, again and again, and the four races many times.
# Usage: chaos.sh [ROUNDS], 500 unless said. QD_CHAOS_SEED makes a run come again.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

rounds=${1:-500}
need_git
need_tmux
need_cargo
need_cc

say "$rounds rounds of chaos. A usual round takes one to four seconds."
QD_CHAOS=$rounds cargo test --locked -p qd --test it engine::chaos -- --nocapture
# 99 rounds of seven waits and 66 of five steps: 1,023 creations that are deleted at once.
say "The four races: 1,023 creations that are deleted, and 66 rounds of the others."
QD_RACES=3300 cargo test --locked -p qd --test it engine::races -- --nocapture
