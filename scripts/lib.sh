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
  local found
  found=$(cargo --version) && found=${found#cargo }
  at_least "$found" 1.95 || die "Rust ${found%% *} is too old: 1.95 or later is needed. With rustup, type:  rustup update"
}

# A C compiler that links: for Rust's linker, and for the SQLite that is built in.
need_cc() {
  if cc_links; then return; fi
  if have apt-get; then install_package cc gcc libc6-dev
  elif have apk; then install_package cc gcc musl-dev
  elif have pacman || have brew; then install_package cc gcc
  else install_package cc gcc glibc-devel
  fi
  cc_links || die "The C compiler cc cannot build a program. Install gcc, and the headers of the C library."
}

# The compiler alone may be there, without the headers.
cc_links() {
  have cc || return 1
  local scratch linked=0
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/quarterdeck.XXXXXXXX") || return 1
  printf '#include <stdio.h>\nint main(void) { return puts(""); }\n' |
    cc -x c -o "$scratch/a" - >/dev/null 2>&1 || linked=1
  rm -rf "$scratch"
  return "$linked"
}

# As far back as Vite goes, which builds the page; it does not take 21.
need_node() {
  local wanted="20.19, or 22.12 and later" found major
  { have node && have npm; } || die "Node.js is missing. Install it, $wanted, from https://nodejs.org and try again."
  found=$(node --version) && found=${found#v} && major=${found%%.*}
  case $major in
    20) at_least "$found" 20.19 ;;
    21) false ;;
    *) at_least "$found" 22.12 ;;
  esac || die "Node.js $found cannot build the page: $wanted can."
}

need_tmux() {
  have tmux || install_package tmux tmux
  local found
  # Such as `tmux 3.3a`, `tmux next-3.8`, and `tmux master`, which is newer than all.
  found=$(tmux -V) && found=${found#tmux } && found=${found##*-}
  [ "$found" = master ] || at_least "$found" 3.3 || die "tmux $found is too old: 3.3 or later is needed."
}

can_be_root() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }

# install_package COMMAND PACKAGE...: installs the packages that the command needs, or says how to.
install_package() {
  local command=$1 as_root='' line='' update=''
  shift
  if [ "$(id -u)" -ne 0 ]; then as_root='sudo '; fi
  if have apt-get; then
    # A fresh machine has no list of packages yet.
    update="${as_root}apt-get update"
    line="${as_root}apt-get install -y --no-install-recommends $*"
  elif have dnf; then line="${as_root}dnf install -y $*"
  elif have pacman; then line="${as_root}pacman -S --noconfirm --needed $*"
  elif have apk; then line="${as_root}apk add $*"
  elif have zypper; then line="${as_root}zypper --non-interactive install $*"
  elif have brew; then line="brew install $*" as_root=''
  else die "$command is missing. Install the package $* with your system's package manager."
  fi
  local typed="${update:+$update && }$line"
  if [ -n "$as_root" ] && ! can_be_root; then
    die "$command needs the package $*, and installing it needs root. Type:  $typed"
  fi
  say "Installing the package $*."
  # shellcheck disable=SC2086 # the lines are lists of words
  quiet $line 2>/dev/null || { [ -n "$update" ] && quiet $update && quiet $line; } ||
    die "The package $* could not be installed. Type:  $typed"
  have "$command" || die "The package $* is installed, but $command is still not to be found."
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
  say "Installing the packages of $1/; that takes up to a minute."
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
  say "Building the page; that takes up to a minute."
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

# The Chromium of the pinned Playwright, in CHROMIUM: fetched once, for this user alone.
playwright_chromium() {
  local with_deps=()
  node_modules e2e
  export PLAYWRIGHT_BROWSERS_PATH=$CACHE/playwright
  CHROMIUM=$(cd e2e && node -p 'require("playwright-core").chromium.executablePath()') ||
    die "Playwright does not say where its Chromium is."
  if ! starts "$CHROMIUM"; then
    # The libraries that it needs: Playwright knows their packages for Debian and Ubuntu.
    if have apt-get && can_be_root; then with_deps=(--with-deps); fi
    say "Fetching the Chromium of Playwright."
    quiet node e2e/node_modules/@playwright/test/cli.js install --no-shell ${with_deps[@]+"${with_deps[@]}"} chromium ||
      die "The Chromium of Playwright could not be fetched. Install Chrome or Chromium, or set CHROMIUM to one."
  fi
  starts "$CHROMIUM" || die "The Chromium of Playwright does not start: a library is missing. Type:  (cd e2e && sudo npx playwright install-deps chromium)"
}

starts() { [ -x "$1" ] && "$1" --version >/dev/null 2>&1; }

# A browser for the tests of the page, in CHROMIUM: the one that is set, the system's, its
# package, or Playwright's. Ubuntu's package is a snap.
need_chromium() {
  if [ -z "${CHROMIUM:-}" ] && ! CHROMIUM=$(find_chromium); then
    if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || ! can_be_root; then
      playwright_chromium
    else
      install_package chromium chromium
      CHROMIUM=$(find_chromium) || playwright_chromium
    fi
  fi
  [ -x "$CHROMIUM" ] || die "CHROMIUM is set to $CHROMIUM, which cannot be run."
  export CHROMIUM
}
