#!/bin/bash
# start.sh: run by action.yml. Starts svcd in memory with test control, waits until it is ready, and writes its URL, token and credentials to
# GITHUB_ENV. Secrets are masked before they are written anywhere, so that no log of a later step shows them.
set -euo pipefail

case $INPUT_PORT in ''|0|*[!0-9]*) echo "svcd: port must be a number from 1 to 65535 (got $INPUT_PORT)" >&2; exit 2 ;; esac
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/svcd.XXXXXX")
svcd=$INPUT_BINARY
if [ -z "$svcd" ]; then
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) echo "svcd: no program for $(uname -m)" >&2; exit 1 ;;
  esac
  name=svcd-$INPUT_VERSION-linux-$arch
  curl -fsSL --retry 3 --max-time 120 -o "$folder/$name" "$RELEASES/v$INPUT_VERSION/$name"
  curl -fsSL --retry 3 --max-time 60 -o "$folder/SHA256SUMS" "$RELEASES/v$INPUT_VERSION/SHA256SUMS"
  (cd "$folder" && grep " $name\$" SHA256SUMS | sha256sum -c - >&2)
  svcd=$folder/$name
  chmod +x "$svcd"
fi
url=http://127.0.0.1:$INPUT_PORT
# shellcheck disable=SC2086 # flags are words
nohup "$svcd" serve --memory --bootstrap "$folder/bootstrap.json" --listen "$url" --test-control $INPUT_FLAGS >"$folder/log" 2>&1 &
pid=$!
for _ in $(seq 100); do
  if "$svcd" health "$url" >/dev/null 2>&1; then break; fi
  if ! kill -0 "$pid" 2>/dev/null; then cat "$folder/log" >&2; exit 1; fi
  sleep 0.1
done
"$svcd" health "$url" >/dev/null || { cat "$folder/log" >&2; exit 1; }
export_variables() { # reads the lines that `svcd env` prints: export NAME='VALUE'
  "$svcd" env --bootstrap "$folder/bootstrap.json" "$@" | while IFS= read -r line; do
    line=${line#export }; name=${line%%=*}; value=${line#*=}; value=${value#\'}; value=${value%\'}
    case $name in *KEY*|*SECRET*|*TOKEN*) echo "::add-mask::$value" ;; esac
    echo "$name=$value" >>"$GITHUB_ENV"
  done
}
export_variables
[ -z "$INPUT_FOR" ] || export_variables --for "$INPUT_FOR"
{ echo "pid=$pid"; echo "url=$url"; echo "bootstrap=$folder/bootstrap.json"; } >>"$GITHUB_OUTPUT"
