#!/usr/bin/env bash
# Runs every test, and fails at the end if one did. Results that can be counted are left in
# target/test-results.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

results=$TARGET/test-results
rm -rf "$results"
mkdir -p "$results"

failed=
part_failed() {
  say "FAILED: $1"
  failed="$failed $1;"
}

need_git
need_tmux
need_cargo
need_cc
build_page
[ ! -f web/package.json ] || node_modules web

say "Rust: building the tests."
cargo test --workspace --locked --no-run --message-format=json-render-diagnostics >"$results/binaries.json"
say "Rust: running the tests."
cargo test --workspace --locked --no-fail-fast 2>&1 | tee "$results/cargo.log" || part_failed "Rust"

if [ -f web/package.json ]; then
  say "Page: unit tests."
  npm --prefix web test --silent -- --reporter=default --reporter=json --outputFile.json="$results/vitest.json" ||
    part_failed "page"
fi

export QD_BIN=$TARGET/debug/qd
say "API: Schemathesis on every route that can be tried."
if scripts/schemathesis.sh; then : >"$results/schemathesis.ok"; else part_failed "API"; fi

# Last: a browser may have to be fetched. In a shell of its own, so that what cannot be had does
# not end the rest.
if [ -f e2e/package.json ]; then
  say "Browser: tests on a real daemon, tmux, git and Chromium."
  (
    need_chromium
    node_modules e2e
    PLAYWRIGHT_JSON_OUTPUT_FILE=$results/e2e.json npm --prefix e2e test --silent
  ) || part_failed "browser"
fi

say "Registry: every feature names code that is there and tests that ran."
cargo xtask registry --ran "$results" || part_failed "registry"
cargo xtask results "$results" || part_failed "results"
[ -z "$failed" ] || die "Failed:$failed"
