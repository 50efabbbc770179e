#!/bin/sh
# svcapi.c goes onto small boards: with all operations it stays below 1 MiB, code, tables and texts at -Os. Not counted is what a
# board leaves out: test control, and the tables that only serve to unwind the stack.
. test/check/common

most=1048576
# shellcheck disable=SC2086
$CC $STRICT -Os -fno-asynchronous-unwind-tables -DSVC_OMIT=TEST_CONTROL $INCLUDES -c -o build/check/size.o svcapi.c ||
  fail "svcapi.c has warnings at -Os"
bytes=$(size build/check/size.o | awk 'NR == 2 { print $4 }')
[ "${bytes:-0}" -gt 100000 ] || fail "size says nothing of build/check/size.o"
[ "$bytes" -le $most ] || fail "svcapi.c takes $bytes bytes at -Os, more than $most"
# what is not constant is memory of each process, and a global that two handles would share
[ -f build/lib/obj/svcapi.o ] || fail "build/lib/obj/svcapi.o is missing: run ./build.sh lib"
changing=$(size -A build/lib/obj/svcapi.o | awk '$1 == ".data" || $1 == ".bss" { n += $2 } END { print n + 0 }')
[ "$changing" -eq 0 ] || fail "svcapi.c has $changing bytes that are not constant"
echo "svcapi.c at -Os: $bytes bytes"
