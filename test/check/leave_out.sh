#!/bin/sh
# Small devices leave nouns out with -DSVC_OMIT=NOUN+NOUN: the library must compile without any of them, and must not
# compile with an unknown name.
. test/check/common

tool nm
parts >build/check/leave_out.parts
names=$(awk 'NF == 3 { sub(/^SVC_OMIT_/, "", $3); print $3 }' build/check/leave_out.parts)
[ -n "$names" ] || fail "no noun in amalgamation/catalog/*/*.c"

# Each noun can be left out if only the registry uses its symbols: the objects of the parts, which the tests compile
# separately, show that. (Listed with the name of the noun; + is the registry, - any other part.)
T=build/test
{ cat build/check/leave_out.parts; echo $T/registry.c +; } |
  awk -v to=$T/obj/ '{ o = $1; sub(/\.c$/, ".o", o); print to o, (NF > 1 ? $2 : "-") }' >build/check/leave_out.objects
while read -r o _; do [ -f "$o" ] || fail "$o is missing: run ./build.sh check"; done <build/check/leave_out.objects
# shellcheck disable=SC2046
nm -g -P -A $(cut -d' ' -f1 build/check/leave_out.objects) >build/check/leave_out.symbols || fail "nm cannot read the objects"
awk '
  FNR == 1 { pass++ }
  pass == 1 { noun[$1 ":"] = $2; next }
  pass == 2 { if ($3 != "U" && noun[$1] !~ /^[-+]/) owner[$2] = noun[$1]; next }
  $3 == "U" && $2 in owner && owner[$2] != noun[$1] && !(noun[$1] == "+" && $2 == "svc_noun_" owner[$2]) {
    sub(/:$/, "", $1); print $1 " uses " $2 ", which is gone with -DSVC_OMIT=" toupper(owner[$2]); bad = 1; exit }
  END { exit bad }' build/check/leave_out.objects build/check/leave_out.symbols build/check/leave_out.symbols || exit 1

# All left out, and every second one: functions that only they use must not cause warnings as unused.
for which in 1 'NR % 2' 'NR % 2 == 0'; do
  out=-DSVC_OMIT=$(printf '%s\n' "$names" | awk "$which" | tr '\n' '+' | sed 's/+$//')
  # shellcheck disable=SC2086
  $CC $STRICT $INCLUDES -fsyntax-only $out svcapi.c || fail "svcapi.c does not compile with $out"
done
# shellcheck disable=SC2086
$CC $STRICT $INCLUDES -fsyntax-only -DSVC_OMIT_CLUSTER svcapi.c || fail "svcapi.c does not compile with -DSVC_OMIT_CLUSTER"

# Test control is not a noun, but is left out in the same way.
# shellcheck disable=SC2086
$CC $STRICT $INCLUDES -fsyntax-only -DSVC_OMIT=CLUSTER+TEST_CONTROL svcapi.c || fail "svcapi.c does not compile with -DSVC_OMIT=TEST_CONTROL"

# Misspelled names, and invalid lists.
for wrong in CLUSTER+EVNT CLUSTERS '' 1; do
  # shellcheck disable=SC2086
  if $CC -std=c11 $INCLUDES -fsyntax-only "-DSVC_OMIT=$wrong" svcapi.c 2>build/check/leave_out.said; then
    fail "svcapi.c compiles with -DSVC_OMIT=$wrong"
  fi
  case $wrong in *[A-Z]*) grep -q "${wrong#*+}" build/check/leave_out.said || fail "-DSVC_OMIT=$wrong: the compiler does not name it" ;; esac
done

# Nouns that depend on an omitted noun are omitted with it: without projects, nothing below a project is served.
cat >build/check/leave_out.c <<'C'
#include "svcapi.h"
int main(void)
{
  static const char *const targets[] = { "/api/svc/v2/clusters", "/api/svc/v2/groups/5f0000000000000000000001/users", "/api/svc/v2" };
  svc_grant grant = { "ORG_OWNER", NULL };
  svc_caller me = { "5f0000000000000000000001", NULL, &grant, 1, 0 };
  svc_response response;
  svc *s;
  int i;
  if (svc_open(&s, NULL) != SVC_OK) return 1;
  for (i = 0; i < 3; i++) {
    svc_request request = { .method = "GET", .target = targets[i], .caller = &me };
    if (svc_handle_request(s, &request, &response) != SVC_OK || response.status != (i < 2 ? 404 : 200)) return 2 + i;
    svc_response_free(&response);
  }
  svc_close(s);
  return 0;
}
C
run=build/check/leave_out.run
[ -f build/libsvcapi.a ] || fail "build/libsvcapi.a is missing: run ./build.sh lib"
if [ ! -f $run ] || [ -n "$(find build/libsvcapi.a test/check/leave_out.sh -newer $run)" ]; then # the library is built with svcapi.c
  # shellcheck disable=SC2086
  $CC $STRICT -O0 $INCLUDES -I. -DSVC_OMIT=PROJECT -o $run build/check/leave_out.c svcapi.c build/libsvcapi.a \
    $MBED_LIBS -pthread || fail "a program with -DSVC_OMIT=PROJECT does not link"
fi
status=0; timeout 60 $run || status=$?
[ $status = 0 ] || fail "svcapi.c with -DSVC_OMIT=PROJECT does not serve as it should: status $status of $run"
