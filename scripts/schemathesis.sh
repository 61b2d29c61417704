#!/usr/bin/env bash
# Tries the HTTP API with Schemathesis, on a daemon with a home of its own that is gone afterwards.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

VERSION=4.32.5
# What never ends, ends the daemon, or upgrades the connection is tested elsewhere.
LEFT_OUT=(/api/v1/events /api/v1/stop '/api/v1/sessions/{id}/terminal' '/api/v1/sessions/{id}/logs')

qd=${QD_BIN:-$TARGET/debug/qd}
[ -x "$qd" ] || die "$qd is not built."

st=$CACHE/schemathesis-$VERSION/bin/st
if [ ! -x "$st" ]; then
  have python3 || install_package python3 python3
  say "Installing Schemathesis $VERSION."
  mkdir -p "$CACHE"
  if ! quiet python3 -m venv "$CACHE/schemathesis-$VERSION"; then
    # Debian and its kin leave this out of python3.
    have apt-get || die "python3 cannot make a virtual environment."
    install_package python3 python3-venv
    quiet python3 -m venv --clear "$CACHE/schemathesis-$VERSION" || die "python3 cannot make a virtual environment."
  fi
  quiet "$CACHE/schemathesis-$VERSION/bin/pip" install --disable-pip-version-check "schemathesis==$VERSION" || {
    rm -rf "$CACHE/schemathesis-$VERSION"
    die "Schemathesis could not be installed."
  }
fi

# A short path: it holds Unix sockets.
scratch=$(mktemp -d /tmp/qd-st.XXXXXXXX)
daemon=
clean_up() {
  if [ -n "$daemon" ]; then
    # Ends the sessions too; if it cannot be asked, its process is told, and its tmux.
    timeout 60 "$qd" --home "$scratch/home" stop --sessions >/dev/null 2>&1 || kill "$daemon" 2>/dev/null || true
    late=$((SECONDS + 30))
    while kill -0 "$daemon" 2>/dev/null && [ "$SECONDS" -lt "$late" ]; do sleep 0.1; done
    kill -KILL "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
    [ ! -S "$scratch/home/run/tmux" ] || tmux -S "$scratch/home/run/tmux" kill-server 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap clean_up EXIT
mkdir -m 700 "$scratch/home" "$scratch/user"

cd "$scratch"
export HOME=$scratch/user
unset QD_HOME XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR TMUX TMUX_PANE
git init --quiet --initial-branch main "$scratch/user/repo"
git -C "$scratch/user/repo" -c user.name=a -c user.email=a@example.test commit --quiet --allow-empty -m first

"$qd" serve --home "$scratch/home" --listen 127.0.0.1:0 --json >serving.json 2>daemon.log &
daemon=$!
late=$((SECONDS + 60))
until [ -s serving.json ] && [ "$(wc -l <serving.json)" -ge 1 ]; do
  kill -0 "$daemon" 2>/dev/null || { cat daemon.log >&2; die "The daemon did not start."; }
  [ "$SECONDS" -lt "$late" ] || { cat daemon.log >&2; die "The daemon does not serve after 60 seconds."; }
  sleep 0.1
done
url=$(python3 -c 'import json; print(json.load(open("serving.json"))["url"].rstrip("/"))')
token=$(cat "$scratch/home/token")

python3 - "$url" "$token" >openapi.json <<'PYTHON'
import sys, urllib.request
url, token = sys.argv[1:]
request = urllib.request.Request(url + "/api/v1/openapi.json", headers={"Authorization": "Bearer " + token})
sys.stdout.write(urllib.request.urlopen(request, timeout=30).read().decode())
PYTHON

# 422 says that a text of the right form cannot be: a command without a program, a path that is
# not absolute. No schema can state that.
cat >schemathesis.toml <<'TOML'
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "409", "412", "422"]
TOML

left_out=()
for path in "${LEFT_OUT[@]}"; do left_out+=(--exclude-path "$path"); done
# Deterministic: a run that fails, fails again. PYTHONUTF8: the texts hold every character.
if ! PYTHONUTF8=1 "$st" run openapi.json --url "$url" --header "Authorization: Bearer $token" \
  --checks all --mode all --max-examples "${EXAMPLES:-15}" --workers 2 \
  --generation-deterministic --request-timeout 30 \
  --suppress-health-check all --no-color "${left_out[@]}" >schemathesis.log 2>&1; then
  cat schemathesis.log >&2
  say "The daemon's last words:"
  tail -n 20 daemon.log >&2
  exit 1
fi
kill -0 "$daemon" 2>/dev/null || { cat daemon.log >&2; die "The daemon ended under the test."; }
grep -A1 "^Test cases:" schemathesis.log | tail -n 1 || true
