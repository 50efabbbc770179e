#!/bin/sh
# An embedder links svcapi.o beside code we do not know: it may export nothing but what svcapi.h declares, all svc_.
. test/check/common

tool nm
o=build/lib/obj/svcapi.o
[ -f $o ] || fail "$o is missing: run ./build.sh lib"
exported=$(nm -g --defined-only $o | awk 'NF == 3 { print $3 }')
[ -n "$exported" ] || fail "svcapi.o exports nothing"
# what the header declares, without its comments
echo '#include "svcapi.h"' | $CC -E -P -I. -x c - >build/check/header.i || fail "svcapi.h does not compile"
bad=
for name in $exported; do
  case $name in svc_*) grep -qw -- "$name" build/check/header.i && continue ;; esac
  bad="$bad $name"
done
[ -z "$bad" ] || fail "svcapi.o exports what svcapi.h does not declare, or without svc_:$bad"
