#!/usr/bin/env bash
# Formatting, clippy, the rules of this tree, and the page's own checks.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

need_cargo
if cargo fmt --version >/dev/null 2>&1; then
  say "Rust: formatting."
  cargo fmt --all --check
else
  say "rustfmt is not installed: formatting is not checked."
fi
if cargo clippy --version >/dev/null 2>&1; then
  say "Rust: clippy."
  cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
else
  say "clippy is not installed: its lints are not checked."
fi
say "Tree: layers, names, lengths, words."
cargo xtask tidy
if have cargo-deny; then
  say "Rust: licences and banned crates."
  quiet cargo deny --offline check bans licenses sources || exit 1
fi
if have shellcheck; then
  say "Scripts: shellcheck."
  shellcheck -x scripts/*.sh .ci/run
fi
for folder in web e2e; do
  [ -f "$folder/package.json" ] || continue
  node_modules "$folder"
  say "Page: biome and types in $folder/."
  npm --prefix "$folder" run --silent --if-present lint
  npm --prefix "$folder" run --silent --if-present types
done
