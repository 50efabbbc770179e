#!/bin/sh
# svcapi.o is linked with unknown code, so it exports only the names that svcapi.h declares, all with the prefix svc_.
. test/check/common

tool nm
o=build/lib/obj/svcapi.o
[ -f $o ] || fail "$o is missing: run ./build.sh lib"
exported=$(nm -g --defined-only $o | awk 'NF == 3 { print $3 }')
[ -n "$exported" ] || fail "svcapi.o exports nothing"
# the declarations of the header, without comments
echo '#include "svcapi.h"' | $CC -E -P -I. -x c - >build/check/header.i || fail "svcapi.h does not compile"
bad=
for name in $exported; do
  case $name in svc_*) grep -qw -- "$name" build/check/header.i && continue ;; esac
  bad="$bad $name"
done
[ -z "$bad" ] || fail "svcapi.o exports what svcapi.h does not declare, or without svc_:$bad"
