#!/bin/sh
# The documentation for testers of clients is correct: every request of docs/testing-clients.md is sent, and gets the status and the members that
# the page shows; no path of test control is missing there; the journal is a valid HTTP archive; replay finds exactly the differences;
# svcd env --for prints the list of docs/clients.md; the examples for containers parse.
. test/check/common
tool python3
tool curl

T=$PWD/build/check/testing_clients
rm -rf "$T"; mkdir -p "$T"
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
pids=
stop() { for pid in $pids; do kill "$pid" 2>/dev/null || :; done; }
trap stop EXIT; trap 'exit 1' HUP INT TERM
serve() { # NAME [FLAG]...: start svcd, and wait until it is ready; its URL is in $T/NAME.url
  name=$1; shift
  : >"$T/$name.out"
  build/svcd serve --memory --bootstrap "$T/$name.json" --listen http://127.0.0.1:0 --clock 2030-01-01T00:00:00Z "$@" >"$T/$name.out" 2>"$T/$name.err" & pids="$pids $!"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    sed -n 's/^svcd ready on //p' "$T/$name.out" >"$T/$name.url"
    if [ -s "$T/$name.url" ]; then return; fi
    sleep 0.2
  done
  fail "svcd does not start: $(cat "$T/$name.err")"
}
serve one --test-control
serve two --test-control
SVCD_TEST_CONTROL_TOKEN=a-token-from-the-environment; export SVCD_TEST_CONTROL_TOKEN
serve three --test-control-anywhere --test-control-host api.test
unset SVCD_TEST_CONTROL_TOKEN
build/svcd health "$(cat "$T/one.url")" >/dev/null || fail "svcd health does not find a service that is ready"
if build/svcd health http://127.0.0.1:1 >/dev/null 2>&1; then fail "svcd health finds a service where none is"; fi

timeout 120 python3 test/check/testing_clients.py "$T" || fail "docs/testing-clients.md, the archive or replay: see above"
grep -q 'a-token-from-the-environment' "$T/three.out" "$T/three.err" && fail "the token of test control is printed"

# access checks of --test-control-anywhere, over a socket
door() { # STATUS [CURL ARGUMENT]...
  want=$1; shift
  got=$(curl -s -o /dev/null -w '%{http_code}' --max-time 10 "$@" "$(cat "$T/three.url")/_svc/clock")
  [ "$got" = "$want" ] || fail "test control answers $got, not $want: curl $*"
}
bearer='Authorization: Bearer a-token-from-the-environment'
door 200 -H "$bearer"
door 200 -H "$bearer" -H 'Host: api.test'
door 403 -H "$bearer" -H 'Host: evil.example'
door 403 -H "$bearer" -H 'Host: svcd'
door 403 -H "$bearer" -H 'Origin: http://127.0.0.1'
door 401
door 401 -H 'Authorization: Bearer a-token-from-the-environmenT'

# the table of clients, and the page
build/svcd env --for >"$T/clients" || fail "svcd env --for lists no clients"
[ "$(wc -l <"$T/clients")" -ge 6 ] || fail "svcd env --for lists too few clients"
while IFS= read -r line; do grep -qxF -- "$line" docs/clients.md || fail "docs/clients.md lacks this line of svcd env --for: $line"; done <"$T/clients"
(eval "$(build/svcd env --for terraform --bootstrap "$T/one.json")" && [ "$MONGODB_ATLAS_BASE_URL" = "$(cat "$T/one.url")/" ] && [ -n "$MONGODB_ATLAS_PRIVATE_KEY" ]) ||
  fail "svcd env --for terraform prints no variables for a shell"
build/svcd env --for nothing --bootstrap "$T/one.json" 2>"$T/said" && fail "svcd env accepts an unknown client"
grep -q 'there are svc, cli, terraform' "$T/said" || fail "svcd env does not list the clients"

# the GitHub action starts svcd, and exports what later steps need
: >"$T/env"; : >"$T/output"
INPUT_BINARY=$PWD/build/svcd INPUT_VERSION=0 INPUT_PORT=0 INPUT_FLAGS='' INPUT_FOR=cli RELEASES='' GITHUB_ENV=$T/env GITHUB_OUTPUT=$T/output RUNNER_TEMP=$T \
  bash package/action/start.sh >"$T/action.out" 2>"$T/action.err" && fail "the action accepts port 0, which no one can find"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
INPUT_BINARY=$PWD/build/svcd INPUT_VERSION=0 INPUT_PORT=$port INPUT_FLAGS='--clock manual' INPUT_FOR=cli RELEASES='' GITHUB_ENV=$T/env GITHUB_OUTPUT=$T/output RUNNER_TEMP=$T \
  bash package/action/start.sh >"$T/action.out" 2>"$T/action.err" || fail "package/action/start.sh fails: $(cat "$T/action.err")"
pids="$pids $(sed -n 's/^pid=//p' "$T/output")"
for name in SVC_BASE_URL SVC_TEST_TOKEN SVC_CLIENT_SECRET MONGODB_ATLAS_PUBLIC_API_KEY; do grep -q "^$name=." "$T/env" || fail "the action does not export $name"; done
grep -q "^::add-mask::$(sed -n 's/^SVC_CLIENT_SECRET=//p' "$T/env")\$" "$T/action.out" || fail "the action does not mask the secret"

# examples that need a container engine are only parsed
python3 -m py_compile examples/testcontainers/python/test_svcd.py || fail "examples/testcontainers/python does not compile"
rm -rf examples/testcontainers/python/__pycache__
if command -v node >/dev/null 2>&1; then
  node --check examples/testcontainers/node/svcd.test.mjs || fail "examples/testcontainers/node is no JavaScript"
  SVC_BASE_URL=$(cat "$T/two.url") SVC_CREDENTIALS=$T/two.json SVC_TEST_TOKEN=$(sed 's/.*"testToken":"\([^"]*\)".*/\1/' "$T/two.json") \
    timeout 60 node --test examples/compose/client.test.mjs >"$T/client" 2>&1 || fail "examples/compose/client.test.mjs fails: $(cat "$T/client")"
else echo "skipped: not installed: node"; fi
