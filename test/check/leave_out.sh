#!/bin/sh
# Small devices leave nouns out with -DSVC_NO_<NOUN>: the library must compile without any one of them, without every
# second one, and without all.
. test/check/common

flags=$(nouns | awk '{ print "-DSVC_NO_" toupper($0) }')
[ -n "$flags" ] || fail "no noun in amalgamation/catalog/*/*.c"
# shellcheck disable=SC2016
try='flags=$1; shift; "$@" $flags || { echo "svcapi.c does not compile with $flags"; exit 1; }'
{
  printf '%s\n' "$flags"
  printf '%s\n' "$flags" | awk 'NR % 2' | tr '\n' ' '; echo
  printf '%s\n' "$flags" | awk 'NR % 2 == 0' | tr '\n' ' '; echo
  printf '%s\n' "$flags" | tr '\n' ' '; echo
} >build/check/leave_out
# shellcheck disable=SC2086
tr '\n' '\0' <build/check/leave_out | xargs -0 -P 2 -I FLAGS sh -c "$try" sh FLAGS $CC $STRICT $INCLUDES -fsyntax-only svcapi.c || exit 1

# What stands on a noun that is left out is left out with it: without projects, nothing below one is served.
cat >build/check/leave_out.c <<'C'
#include "svcapi.h"
int main(void)
{
  static const char *const targets[] = { "/api/svc/v2/clusters", "/api/svc/v2/groups/5f0000000000000000000001/users", "/api/svc/v2" };
  svc_grant grant = { "ORG_OWNER", NULL };
  svc_caller me = { "5f0000000000000000000001", NULL, &grant, 1 };
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
[ -f build/libsvcapi.a ] || fail "build/libsvcapi.a is missing: run ./build.sh lib"
# shellcheck disable=SC2086
$CC $STRICT -O0 $INCLUDES -I. -DSVC_NO_PROJECT -o build/check/leave_out.run build/check/leave_out.c svcapi.c build/libsvcapi.a \
  $MBED_LIBS -pthread || fail "a program with -DSVC_NO_PROJECT does not link"
status=0; timeout 60 build/check/leave_out.run || status=$?
[ $status = 0 ] || fail "svcapi.c with -DSVC_NO_PROJECT does not serve as it should: status $status of build/check/leave_out.run"
