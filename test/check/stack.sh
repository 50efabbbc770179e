#!/bin/sh
# svcapi.h states how much stack a call needs, for programs that create threads on a board: no call may need more.
. test/check/common

most=$(sed -n 's/^\*\* STACK. A call needs \([0-9]*\) KiB .*/\1/p' svcapi.h)
[ -n "$most" ] || fail "svcapi.h does not say how much stack a call needs"
[ -f build/libsvcapi.a ] || fail "build/libsvcapi.a is missing: run ./build.sh lib"
# shellcheck disable=SC2086
$CC $STRICT -O1 -I. -o build/check/stack test/check/stack.c build/libsvcapi.a $MBED_LIBS -pthread || fail "test/check/stack.c does not compile"
rm -rf build/check/stack.store
timeout 120 build/check/stack build/check/stack.store >build/check/stack.out || { cat build/check/stack.out; fail "build/check/stack failed"; }
rm -rf build/check/stack.store
used=$(tail -n 1 build/check/stack.out | awk '{ print $1 }')
[ "$used" -le $((most * 1024)) ] || { cat build/check/stack.out; fail "a call needs $used bytes of stack, and svcapi.h says $most KiB"; }
[ "$used" -gt 8192 ] || fail "a call needs only $used bytes of stack: this check would find nothing"
