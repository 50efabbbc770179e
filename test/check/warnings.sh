#!/bin/sh
# svcapi.c lands in other people's builds, with their warnings on: it must be silent with gcc and with clang.
. test/check/common

# shellcheck disable=SC2086
$CC $STRICT -O0 $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with $CC $STRICT"
svcapi_object
tool clang
# shellcheck disable=SC2086
clang $STRICT $INCLUDES -fsyntax-only svcapi.c || fail "svcapi.c has warnings with clang $STRICT"
