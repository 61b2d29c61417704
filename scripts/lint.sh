#!/usr/bin/env bash
# Formatting, clippy, the rules of this tree, and the page's own checks.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

left_out=
leave_out() {
  say "NOT CHECKED: $1"
  left_out="$left_out  $1"$'\n'
}

need_cargo
need_cc
if cargo fmt --version >/dev/null 2>&1; then
  say "Rust: formatting."
  cargo fmt --all --check
else
  leave_out "formatting: rustfmt is not installed."
fi
if cargo clippy --version >/dev/null 2>&1; then
  say "Rust: clippy."
  cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
else
  leave_out "clippy's lints: clippy is not installed."
fi
say "Tree: layers, names, lengths, words, dependencies and their licences."
cargo xtask tidy
if have cargo-deny; then
  say "Rust: licences and banned crates."
  quiet cargo deny --offline check bans licenses sources || exit 1
else
  leave_out "licences and bans on other systems than this: cargo-deny is not installed."
fi
if have shellcheck; then
  say "Scripts: shellcheck."
  shellcheck -x scripts/*.sh .ci/run bench/run
else
  leave_out "the scripts: shellcheck is not installed."
fi
for folder in web e2e; do
  [ -f "$folder/package.json" ] || continue
  node_modules "$folder"
  say "Page: biome and types in $folder/."
  npm --prefix "$folder" run --silent --if-present lint
  npm --prefix "$folder" run --silent --if-present types
done
[ -z "$left_out" ] || printf 'Not checked:\n%s' "$left_out" >&2
