# Shared by the scripts beside it; sourced, not run. Works in bash 3.2 and later.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
case $TARGET in /*) ;; *) TARGET=$ROOT/$TARGET ;; esac
# shellcheck disable=SC2034 # used by the scripts that source this
CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/quarterdeck
STAMPS=$ROOT/target/stamps
cd "$ROOT" || exit 1

say() { printf '%s\n' "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least FOUND WANTED: whether one dotted number is at least another, by their first two parts.
at_least() {
  local found_major found_minor wanted_major wanted_minor
  found_major=${1%%.*} found_minor=${1#*.} wanted_major=${2%%.*} wanted_minor=${2#*.}
  found_major=${found_major//[^0-9]/}
  found_minor=${found_minor%%.*} found_minor=${found_minor%%[!0-9]*}
  if [ "${found_major:-0}" -ne "$wanted_major" ]; then
    [ "${found_major:-0}" -gt "$wanted_major" ]
  else
    [ "${found_minor:-0}" -ge "$wanted_minor" ]
  fi
}

need_git() {
  have git || install_package git git
  local found
  found=$(git --version) && found=${found#git version }
  at_least "$found" 2.39 || die "git $found is too old: 2.39 or later is needed."
}

need_cargo() {
  have cargo || die "cargo is missing. Install Rust from https://rustup.rs, open a new shell, and try again."
}

need_node() {
  { have node && have npm; } || die "Node.js is missing. Install version 20 or later from https://nodejs.org and try again."
  local found
  found=$(node --version) && found=${found#v}
  at_least "$found" 20.0 || die "Node.js $found is too old: 20 or later is needed."
}

need_tmux() { have tmux || install_package tmux tmux; }

# install_package COMMAND PACKAGE: installs the package that the command needs, or says how to.
install_package() {
  local as_root='' line=''
  if [ "$(id -u)" -ne 0 ]; then as_root='sudo '; fi
  if have apt-get; then line="${as_root}apt-get install -y --no-install-recommends $2"
  elif have dnf; then line="${as_root}dnf install -y $2"
  elif have pacman; then line="${as_root}pacman -S --noconfirm --needed $2"
  elif have apk; then line="${as_root}apk add $2"
  elif have zypper; then line="${as_root}zypper --non-interactive install $2"
  elif have brew; then line="brew install $2" as_root=''
  else die "$1 is missing. Install the package $2 with your system's package manager."
  fi
  if [ -n "$as_root" ] && ! sudo -n true 2>/dev/null; then
    die "The package $2 is missing, and installing it needs root. Type:  $line"
  fi
  say "Installing the package $2."
  # shellcheck disable=SC2086 # the line is a list of words
  if have apt-get; then
    # A fresh machine has no list of packages yet.
    quiet $line 2>/dev/null || { quiet ${as_root}apt-get update && quiet $line; }
  else
    quiet $line
  fi || die "The package $2 could not be installed. Type:  $line"
  have "$1" || die "The package $2 is installed, but $1 is still not to be found."
}

# quiet COMMAND...: its output is shown only when it fails.
quiet() {
  local log
  log=$(mktemp "${TMPDIR:-/tmp}/quarterdeck.XXXXXXXX") || return 1
  if DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
  else
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
}

# digest PATH...: one word that changes when a file at or below the paths does.
digest() {
  local tool='cksum' path paths=()
  if have sha256sum; then tool='sha256sum'; elif have shasum; then tool='shasum -a 256'; fi
  for path in "$@"; do
    if [ -e "$path" ]; then paths+=("$path"); fi
  done
  # shellcheck disable=SC2086 # the tool is a list of words
  find "${paths[@]}" \( -name node_modules -o -name target \) -prune -o -type f \
    -exec $tool {} + | LC_ALL=C sort | $tool | tr -d ' -'
}

# fresh NAME DIGEST: whether the thing was last built from this.
fresh() { [ -f "$STAMPS/$1" ] && [ "$(cat "$STAMPS/$1")" = "$2" ]; }

# built NAME DIGEST: remembers what the thing was built from.
built() { mkdir -p "$STAMPS" && printf '%s\n' "$2" >"$STAMPS/$1"; }

# node_modules FOLDER: what its package-lock.json says, installed once.
node_modules() {
  local now name
  name=$1-modules
  now=$(digest "$1/package-lock.json")
  [ -d "$1/node_modules" ] && fresh "$name" "$now" && return
  need_node
  say "Installing the packages of $1/."
  quiet npm --prefix "$1" ci --no-audit --no-fund || die "npm ci failed in $1/."
  built "$name" "$now"
}

# The page, built into web/dist.
build_page() {
  [ -f web/package.json ] || return 0
  local now
  now=$(digest web/src web/public web/index.html web/package-lock.json web/tsconfig.json web/vite.config.ts)
  [ -f web/dist/index.html ] && fresh page "$now" && return
  node_modules web
  say "Building the page."
  quiet npm --prefix web run build || die "The page could not be built."
  built page "$now"
}

# A browser that the tests can drive. A snap cannot read the folders that they use.
find_chromium() {
  local name path
  for name in chromium google-chrome google-chrome-stable chromium-browser; do
    path=$(command -v "$name") || continue
    case $path in /snap/*) continue ;; esac
    if head -c 4096 "$path" 2>/dev/null | grep -aq '/snap/bin'; then continue; fi
    printf '%s\n' "$path"
    return
  done
  return 1
}

# A browser for the tests of the page, in CHROMIUM.
need_chromium() {
  if [ -z "${CHROMIUM:-}" ] && ! CHROMIUM=$(find_chromium); then
    if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then
      die "A browser is missing. Ubuntu's chromium is a snap, which the tests cannot drive: install google-chrome, or set CHROMIUM to a Chromium or Chrome."
    fi
    install_package chromium chromium
    CHROMIUM=$(find_chromium) || die "The package chromium is installed, but no browser is to be found. Set CHROMIUM to one."
  fi
  [ -x "$CHROMIUM" ] || die "CHROMIUM is set to $CHROMIUM, which cannot be run."
  export CHROMIUM
}
