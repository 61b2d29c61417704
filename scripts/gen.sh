#!/usr/bin/env bash
# Writes anew what is generated and committed, or, with a folder as argument, writes it there.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

out=${1:-$ROOT}
need_cargo
need_cc
cargo build --quiet --locked -p qd --bin qd
mkdir -p "$out/docs" "$out/web/src/api"
"$TARGET/debug/qd" internal openapi >"$out/openapi.json"
"$TARGET/debug/qd" internal cli-reference >"$out/docs/cli.md"
"$TARGET/debug/qd" internal rules-reference >"$out/docs/rules.md"
if [ -f web/package.json ]; then
  node_modules web
  # The generator takes its names for addresses: give it plain ones, from inside web/.
  cp "$out/openapi.json" web/node_modules/.openapi.json
  (cd web && quiet npm exec --offline -- openapi-typescript node_modules/.openapi.json -o node_modules/.schema.ts)
  mv web/node_modules/.schema.ts "$out/web/src/api/schema.d.ts"
fi
