#!/usr/bin/env bash
# Fails when something generated and committed is not what the generator writes now.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

now=$(mktemp -d "${TMPDIR:-/tmp}/quarterdeck.XXXXXXXX")
trap 'rm -rf "$now"' EXIT
scripts/gen.sh "$now"
stale=0
while IFS= read -r file; do
  if ! diff -u "$file" "$now/$file" >&2; then
    say "$file is not up to date."
    stale=1
  fi
done < <(cd "$now" && find . -type f | sed 's|^\./||')
[ "$stale" -eq 0 ] || die "Run 'make gen' and commit what it writes."
say "Everything generated is up to date."
