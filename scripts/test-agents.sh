#!/usr/bin/env bash
# Fetches pinned versions of the real agents, and drives each through the program, in a home of its
# own, against a scripted model on loopback: no account, no key, no network but the registries.
#
#   make test-agents ARGS="claude codex"    only these; all by default
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

known='claude codex'
wanted=${*:-$known}

# Pinned: npm alone would pick an older Claude Code for an older Node.js, and what is read off
# screens and files changes from version to version.
package_of() {
  case $1 in
    claude) echo '@anthropic-ai/claude-code 2.1.332' ;;
    codex) echo '@openai/codex 0.171.0' ;;
    *) die "No agent called $1 can be tested. Known are: $known." ;;
  esac
}

need_git
need_tmux
need_cargo
need_cc
need_node
build_page

store=$CACHE/agents
# What one run sees: links to what is installed.
seen=$TARGET/agents
rm -rf "$seen"
mkdir -p "$store" "$seen"
: >"$seen/pinned"

filters=()
for name in $wanted; do
  pinned=$(package_of "$name")
  package=${pinned% *} version=${pinned##* }
  at=$store/$name-$version
  if [ ! -f "$at/whole" ]; then
    say "Fetching $package $version; that takes up to a minute."
    rm -rf "$at"
    quiet npm install --prefix "$at" --no-audit --no-fund "$package@$version" ||
      die "$package $version could not be fetched."
    : >"$at/whole"
  fi
  mkdir -p "$seen/$name"
  ln -s "$at/node_modules/.bin" "$seen/$name/bin"
  echo "$name $version" >>"$seen/pinned"
  filters+=("agents::${name}_")
done

say "Building."
# Of the whole workspace, as `make test` does: for one crate alone others would be built anew.
cargo test --workspace --locked --test it --no-run
say "Driving: $wanted."
log=$seen/cargo.log
failed=
QD_AGENTS=$seen cargo test --workspace --locked --test it -- --ignored --test-threads=1 --nocapture \
  agents::each "${filters[@]}" 2>&1 | tee "$log" || failed=yes
passed=$(grep -c ' \.\.\. ok$\|^ok$' "$log" || true)
say "Agents: $passed tests passed, on $(tr '\n' ',' <"$seen/pinned" | sed 's/,$//; s/,/, /g')."
[ -z "$failed" ] || die "A test of a real agent failed."
# A filter that matches nothing would pass.
[ "$passed" -ge "$(wc -w <<<"$wanted")" ] || die "Fewer tests ran than there are agents."
