#!/bin/sh
# The shared library exports exactly the functions of svcapi.h:
# so no name of LMDB, frozen, tinycthread or mbedTLS conflicts with another copy in a program.
. test/check/common

tool nm
tool readelf
so=build/libsvcapi.so.1
[ -f $so ] || fail "$so is missing: run ./build.sh test"
soname=$(readelf -d $so | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
[ "$soname" = libsvcapi.so.1 ] || fail "$so says that it is '$soname'"
nm -D --defined-only $so | awk '{ print $NF }' | sort >build/check/shared.has
printf '%s\n' '#define SVC_API EXPORTED' '#include "svcapi.h"' | $CC -E -P -I. -x c - |
  grep -oE 'EXPORTED [^;]*' | grep -oE 'svc_[a-z_]+\(' | tr -d '(' | sort -u >build/check/shared.wants
printf '%s\n' '#define SVC_API EXPORTED' '#include "svcapi.h"' | $CC -E -P -I. -x c - | tr '\n' ' ' | tr ';' '\n' |
  grep -E '^[^{}]*svc_[a-z_]+\(' | grep -v -e EXPORTED -e typedef >build/check/shared.bare || :
[ ! -s build/check/shared.bare ] || fail "svcapi.h declares a function without SVC_API: $(head -n 1 build/check/shared.bare)"
[ -s build/check/shared.wants ] || fail "no function found in svcapi.h: this check would find nothing"
diff build/check/shared.wants build/check/shared.has >build/check/shared.diff ||
  fail "the shared library does not export what svcapi.h declares: $(grep '^[<>]' build/check/shared.diff | tr '\n' ' ')"

# A program linked with it finds it, and so does one that loads it by name.
cat >build/check/shared.c <<'C'
#include "svcapi.h"
int main(void)
{
  int (*by_name)(svc **, const svc_config *) = svc_open;
  svc *a, *b;
  if (svc_open(&a, NULL) != SVC_OK || by_name(&b, NULL) != SVC_OK) return 1;
  svc_close(a);
  svc_close(b);
  return 0;
}
C
$CC -std=c11 -I. -o build/check/shared build/check/shared.c -Lbuild -lsvcapi -Wl,-rpath,'$ORIGIN/..' || fail "a program does not link with $so"
timeout 60 build/check/shared || fail "a program does not run with $so"

# From another language, without struct definitions.
[ "$(wc -l <examples/python/svcapi.py)" -lt 80 ] || fail "examples/python/svcapi.py has grown to 80 lines"
if command -v python3 >/dev/null 2>&1; then
  timeout 60 python3 examples/python/svcapi.py || fail "examples/python/svcapi.py fails"
else echo "skipped: not installed: python3"; fi # one.sh shows this line; the other parts were run
