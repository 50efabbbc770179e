#!/bin/sh
# svcapi.c is compiled in other projects with their warnings on: gcc and clang must not warn.
. test/check/common

# shellcheck disable=SC2086
$CC $STRICT -O0 $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with $CC $STRICT"
# with optimization gcc finds more; the library was just compiled that way, and the compiler's output was kept
said=build/lib/obj/svcapi.said
[ -f $said ] || fail "$said is missing: run ./build.sh lib"
[ ! -s $said ] || { cat $said; fail "svcapi.c has warnings with $CC -O2"; }
tool clang
# shellcheck disable=SC2086
clang $STRICT $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with clang $STRICT"
