#!/usr/bin/env bash
# Runs every test. Results that can be counted are left in target/test-results.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

results=$TARGET/test-results
rm -rf "$results"
mkdir -p "$results"

need_git
need_tmux
need_cargo
build_page
[ ! -f web/package.json ] || node_modules web
if [ -f e2e/package.json ]; then
  need_chromium
  node_modules e2e
fi

say "Rust: building the tests."
cargo test --workspace --locked --no-run --message-format=json-render-diagnostics >"$results/binaries.json"
say "Rust: running the tests."
cargo test --workspace --locked --no-fail-fast 2>&1 | tee "$results/cargo.log"

if [ -f web/package.json ]; then
  say "Page: unit tests."
  npm --prefix web test --silent -- --reporter=default --reporter=json --outputFile.json="$results/vitest.json"
fi

export QD_BIN=$TARGET/debug/qd
if [ -f e2e/package.json ]; then
  say "Browser: tests on a real daemon, tmux, git and Chromium."
  PLAYWRIGHT_JSON_OUTPUT_FILE=$results/e2e.json npm --prefix e2e test --silent
fi

say "API: Schemathesis on every route that can be tried."
scripts/schemathesis.sh
: >"$results/schemathesis.ok"

say "Registry: every feature names code that is there and tests that ran."
cargo xtask registry --ran "$results"
cargo xtask results "$results"
