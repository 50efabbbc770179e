#!/bin/sh
# The in-memory store for embedders: linked separately or folded into svcapi.c, without LMDB and for one thread, so that neither LMDB nor
# tinycthread is linked. A build without any store returns an error when a handle is opened.
. test/check/common

T=build/check/memory; rm -rf $T; mkdir -p $T
cat >$T/app.c <<'C'
#include "svcapi.h"
#include <stdio.h>
#include <string.h>
static void say(void *context, int level, const char *text) { (void)context, (void)level; puts(text); }
int main(int argc, char **argv)
{
  svc_config config = { 0 };
  svc_grant grant = { "ORG_OWNER", NULL };
  svc_caller me = { "5f0000000000000000000001", NULL, &grant, 1, 0 };
  svc_request request = { .method = "GET", .target = "/api/svc/v2/orgs", .caller = &me };
  svc_credentials credentials;
  svc_response response;
  svc *s;
  config.log = say;
  if (argc > 1 && strcmp(argv[1], "path") == 0) config.path = "store";
  if (svc_open(&s, &config) != SVC_OK) return 1;
  if (svc_bootstrap(s, &credentials) != SVC_OK || svc_handle_request(s, &request, &response) != SVC_OK || response.status != 200) return 2;
  puts(response.body);
  svc_response_free(&response);
  svc_close(s);
  return 0;
}
C
ours="build/lib/obj/build/deps/frozen.o"
[ -f $ours ] || fail "$ours is missing: run ./build.sh lib"
sh amalgamation/fold.sh --with memory --out $T/svcapi.c || fail "fold.sh --with memory fails"
grep -q 'svc_store_port \*svc_memory_port(void)$' $T/svcapi.c || fail "fold.sh --with memory has not folded it in"
grep -q 'begin ports/memory.c' svcapi.c && fail "svcapi.c contains the in-memory store, which was not requested"
build() { # PROGRAM FILE FLAG...
  program=$1; shift
  # shellcheck disable=SC2086
  $CC $STRICT -O0 -I. $INCLUDES -DSVC_OMIT=LMDB -DSVC_ONE_THREAD -o $T/$program $T/app.c "$@" $ours $MBED_LIBS -pthread || fail "$program does not compile without LMDB and tinycthread"
  if nm $T/$program | grep -qE ' (mdb_|tct_)'; then fail "$program contains LMDB or tinycthread"; fi
}
tool nm
build folded -DSVC_MEMORY_STORE $T/svcapi.c
$CC -std=c11 -O0 -Wall -Wextra -Werror -I. -Iamalgamation -DSVC_SPLIT=1 -c -o $T/memory.o ports/memory.c || fail "ports/memory.c does not compile by itself"
build beside -DSVC_MEMORY_STORE svcapi.c $T/memory.o
build without svcapi.c
for p in folded beside; do
  timeout 60 $T/$p >$T/out || fail "$p does not serve from memory: $(tail -n 1 $T/out)"
  grep -q '"totalCount":1' $T/out || fail "$p does not list its organization"
  if timeout 60 $T/$p path >$T/out; then fail "$p takes a path"; fi
  grep -q 'svc_config.path must be NULL' $T/out || fail "$p does not say that a path is refused: $(cat $T/out)"
done
if timeout 60 $T/without >$T/out; then fail "a build without a store opens one"; fi
grep -q 'svc_config.store' $T/out || fail "a build without a store does not say what is missing: $(cat $T/out)"
