#!/bin/sh
# The examples of tests are tests: in C in one process, in Python and Node over HTTP. An example is skipped if its
# language is not installed.
. test/check/common

[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
# shellcheck disable=SC2086
$CC $STRICT -O1 -I. -o build/check/test_control examples/test_control.c build/libsvcapi.a $MBED_LIBS -pthread ||
  fail "examples/test_control.c does not compile"
timeout 60 build/check/test_control || fail "examples/test_control.c fails"

left=
if command -v python3 >/dev/null 2>&1; then
  timeout 120 python3 examples/python/test_over_http.py || fail "examples/python/test_over_http.py fails"
else left="$left python3"; fi
if command -v node >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0] >= 18')" = true ]; then
  timeout 120 node --test examples/node/test_over_http.mjs || fail "examples/node/test_over_http.mjs fails"
else left="$left node"; fi
[ -z "$left" ] || echo "skipped: not installed:$left" # one.sh shows this line; the other parts were run
