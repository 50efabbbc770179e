#!/bin/sh
# svcapi.c is for small boards: with all operations and test control its code, tables and texts stay below 1.4 MB at -Os on a 64-bit
# machine. The tables that only serve to unwind the stack, .eh_frame, are not counted: a compiler flag removes them,
# and no line of C can (docs/building.md names the flag).
. test/check/common

most=1400000
# shellcheck disable=SC2086
$CC $STRICT -Os $INCLUDES -c -o build/check/size.o svcapi.c || fail "svcapi.c has warnings at -Os"
all=$(size build/check/size.o | awk 'NR == 2 { print $4 }')
[ "${all:-0}" -gt 100000 ] || fail "size prints nothing for build/check/size.o"
unwind=$(size -A build/check/size.o | awk '$1 == ".eh_frame" { n += $2 } END { print n + 0 }')
bytes=$((all - unwind))
[ "$bytes" -le $most ] || fail "svcapi.c takes $bytes bytes at -Os, more than $most"
# data that is not constant takes memory in each process, and would be a global shared by all handles
[ -f build/lib/obj/svcapi.o ] || fail "build/lib/obj/svcapi.o is missing: run ./build.sh lib"
changing=$(size -A build/lib/obj/svcapi.o | awk '$1 == ".data" || $1 == ".bss" { n += $2 } END { print n + 0 }')
[ "$changing" -eq 0 ] || fail "svcapi.c has $changing bytes that are not constant"
echo "svcapi.c at -Os: $bytes bytes, and $unwind of tables to unwind the stack"
