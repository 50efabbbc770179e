#!/bin/sh
# svcapi.c is compiled in other projects with their warnings on: gcc and clang must not warn. A build for one thread needs no <stdatomic.h>,
# and no name is one of the macros that <windows.h> defines.
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

MORE='-Wconversion -Wshadow -Wstrict-prototypes'
WINDOWS='-Dnear= -Dfar= -Dpascal= -Dcdecl='
T=build/check/warnings
rm -rf $T; mkdir -p $T/none
echo '#error a build for one thread includes <stdatomic.h>' >$T/none/stdatomic.h
for c in "$CC" clang; do
  # shellcheck disable=SC2086
  $c $STRICT $MORE $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with $c $STRICT $MORE"
  # shellcheck disable=SC2086
  $c $STRICT $MORE $WINDOWS -DSVC_ONE_THREAD -I$T/none $INCLUDES -fsyntax-only svcapi.c ||
    fail "svcapi.c has warnings with $c $MORE $WINDOWS -DSVC_ONE_THREAD, or needs <stdatomic.h>"
done
sh amalgamation/fold.sh --with memory --out $T/memory.c || fail 'svcapi.c with the in-memory store cannot be folded'
cp svcapi.h $T/
for c in "$CC" clang; do
  # shellcheck disable=SC2086
  $c $STRICT $MORE $WINDOWS -DSVC_ONE_THREAD -DSVC_MEMORY_STORE -DSVC_OMIT=LMDB -I$T -I$T/none $INCLUDES -fsyntax-only $T/memory.c ||
    fail "the in-memory store has warnings with $c $MORE, or needs <stdatomic.h>"
done
