#!/bin/sh
# svcapi.c goes onto small boards, whole: with all that it serves it stays below 1 MiB. That is code, tables and texts at -Os;
# the tables that only serve to unwind the stack are left out, as they are there.
. test/check/common

most=1048576
# shellcheck disable=SC2086
$CC $STRICT -Os -fno-asynchronous-unwind-tables $INCLUDES -c -o build/check/size.o svcapi.c || fail "svcapi.c has warnings at -Os"
bytes=$(size build/check/size.o | awk 'NR == 2 { print $4 }')
[ "${bytes:-0}" -gt 100000 ] || fail "size says nothing of build/check/size.o"
[ "$bytes" -le $most ] || fail "svcapi.c takes $bytes bytes at -Os, more than $most"
# what is not constant is memory of each process, and a global that two handles would share
changing=$(size -A build/check/size.o | awk '$1 == ".data" || $1 == ".bss" { n += $2 } END { print n + 0 }')
[ "$changing" -eq 0 ] || fail "svcapi.c has $changing bytes that are not constant"
echo "svcapi.c at -Os: $bytes bytes"
