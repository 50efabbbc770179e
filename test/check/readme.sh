#!/bin/sh
# The first example in the README is what a newcomer copies: it must compile against the library and run.
. test/check/common

[ -f README.md ] || fail "README.md is missing"
awk '/^```c$/ && !done { on = 1; next } /^```/ && on { on = 0; done = 1 } on' README.md >build/check/readme.c
[ -s build/check/readme.c ] || fail "README.md has no \`\`\`c block"
[ -f build/libsvcapi.a ] || fail "build/libsvcapi.a is missing: run ./build.sh lib"
# shellcheck disable=SC2086
$CC -std=c11 -Wall -Wextra -I. -o build/check/readme build/check/readme.c build/libsvcapi.a $MBED_LIBS -pthread ||
  fail "the first example of README.md does not compile"
rm -rf build/check/readme.dir; mkdir build/check/readme.dir
status=0; (cd build/check/readme.dir && timeout 60 ../readme >../readme.out 2>&1) || status=$?
[ $status = 0 ] || fail "the first example of README.md ends with status $status: $(tail -n 1 build/check/readme.out)"
