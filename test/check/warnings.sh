#!/bin/sh
# svcapi.c lands in other people's builds, with their warnings on: it must be silent with gcc and with clang.
. test/check/common

# shellcheck disable=SC2086
$CC $STRICT -O0 $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with $CC $STRICT"
# with optimisation gcc sees more; the library has just been made so, and what was said then is kept
said=build/lib/obj/svcapi.said
[ -f $said ] || fail "$said is missing: run ./build.sh lib"
[ ! -s $said ] || { cat $said; fail "svcapi.c has warnings with $CC -O2"; }
tool clang
# shellcheck disable=SC2086
clang $STRICT $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with clang $STRICT"
