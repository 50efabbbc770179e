#!/bin/sh
# Shared limits are optional. Without them the library refuses a limiter and gives the reason, and svcd explains how to build it
# with them. With them (WITH=redis): two svcd and a Redis, started as a user would.
. test/check/common

T=build/check/limiter
rm -rf $T; mkdir -p $T
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"

# ---- the library, as just built
cat >$T/app.c <<'C'
#include "ports/limiter_port.h"
static int no(svc_limits **out, const svc_config *config, char *why, size_t size)
{
  (void)config;
  *out = NULL;
  snprintf(why, size, "the port was asked");
  return SVC_BUSY;
}
static void log_line(void *context, int level, const char *text) { (void)context; (void)level; puts(text); }
int main(void)
{
  static const svc_limiter_port port = { .open = no };
  svc_config config = { .limiter = &port, .log = log_line };
  svc *s;
  int rc = svc_open(&s, &config);
  printf("%d\n", rc);
  return s != NULL;
}
C
# shellcheck disable=SC2086
$CC -std=c11 -I. -Iamalgamation -DSVC_SPLIT=1 -o $T/app $T/app.c build/libsvcapi.a $MBED_LIBS -pthread || fail "a program with a limiter of its own does not compile"
$T/app >$T/out || fail "a handle was opened without its limiter"
if [ "$(cat build/lib/stores.list)" = none ]; then
  [ "$(cat $T/out)" = "svc_config.limiter needs -DSVC_SHARED_STORE
2" ] || fail "svcapi.c without -DSVC_SHARED_STORE does not refuse a limiter: $(cat $T/out)"
else
  [ "$(cat $T/out)" = "the port was asked
5" ] || fail "svcapi.c with -DSVC_SHARED_STORE does not ask the limiter: $(cat $T/out)"
fi

# ---- svcd
refused() { # WORDS FLAG...: svcd exits with status 2, and prints these words
  words=$1; shift; status=0
  timeout 60 build/svcd --memory --show-credentials --listen http://127.0.0.1:0 "$@" >$T/out 2>&1 || status=$?
  [ $status = 2 ] || fail "svcd $* ends with status $status: $(tail -n 1 $T/out)"
  grep -qF -- "$words" $T/out || fail "svcd $* does not say '$words': $(tail -n 1 $T/out)"
}
refused 'needs --limiter' --limiter-closed
if ! grep -q SVC_WITH_REDIS build/lib/stores.list; then
  refused 'WITH=redis' --limiter redis://127.0.0.1:6379
  exit 0
fi
refused 'a password does not belong into the URI' --limiter redis://:secret@127.0.0.1
! grep -q secret $T/out || fail "svcd shows the password that it refuses"
refused 'ca is not a file' --limiter 'rediss://127.0.0.1?ca=/nowhere'

tool curl
tool redis-server
S=$(mktemp -d) # the path of a socket must be short
started=
# shellcheck disable=SC2086,SC2154
trap 'kill $started 2>/dev/null || :; rm -rf "$S"' EXIT
redis-server --port 0 --unixsocket "$S/redis" --save '' --appendonly no --dir "$S" >$T/redis.out 2>&1 &
started=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do if [ -S "$S/redis" ]; then break; fi; sleep 0.2; done
serve() { # NUMBER FLAG...: starts an svcd, and waits until it is ready
  n=$1; shift
  rm -f $T/svcd"$n".out # an earlier one may have written that it is ready
  build/svcd --data $T/data"$n" --listen http://127.0.0.1:0 --limiter "redis+unix://$S/redis?timeout=1000" "$@" >$T/svcd"$n".out 2>&1 &
  last=$!; started="$started $last"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do grep -q '^svcd ready on' $T/svcd"$n".out 2>/dev/null && break; sleep 0.5; done
  grep -q '^svcd ready on' $T/svcd"$n".out || fail "svcd $* does not start with a limiter: $(tail -n 1 $T/svcd"$n".out)"
}
redis=$started
serve 1
serve 2
url() { sed -n 's/^svcd ready on //p' $T/svcd"$1".out; }
answers= # ten attempts per minute to guess an unknown client, counted over both servers
for n in 1 2 1 2 1 2 1 2 1 2 1 2 2; do
  answers="$answers $(curl -s -o /dev/null -w '%{http_code}' --user nobody:nothing -d grant_type=client_credentials "$(url $n)/api/oauth/token")"
done
[ "$answers" = ' 401 401 401 401 401 401 401 401 401 401 429 429 429' ] || fail "two svcd with one limiter answer$answers"
! grep -q "limiter: " $T/svcd1.out $T/svcd2.out || fail "svcd complains of a limiter that answers: $(grep -h "limiter: " $T/svcd1.out $T/svcd2.out | head -n 1)"

# ---- without Redis, a service that has its store starts, and reports the missing limiter; it refuses requests if the flag
# demands that
kill $last; wait $last || fail "svcd with a limiter does not end cleanly"
kill $redis; wait $redis || :
serve 2 --limiter-closed
grep -q 'limiter: .*requests are refused until it answers' $T/svcd2.out || fail "svcd does not say that its limiter does not answer"
answer=$(curl -s -o /dev/null -w '%{http_code}' --user nobody:nothing -d grant_type=client_credentials "$(url 2)/api/oauth/token")
[ "$answer" = 503 ] || fail "svcd --limiter-closed answers $answer without its limiter"
answer=$(curl -s -o /dev/null -w '%{http_code}' --user nobody:nothing -d grant_type=client_credentials "$(url 1)/api/oauth/token")
[ "$answer" = 429 ] || fail "svcd answers $answer when its limiter is lost, although the bucket is empty"
status() { curl -s -o $T/answer -w '%{http_code}' "$1"; } # URL
[ "$(status "$(url 1)/api/svc/v2/unauth/controlPlaneIPAddresses")" = 200 ] || fail "svcd refuses a request when its limiter is lost, instead of using its own buckets"
[ "$(status "$(url 1)/_svc/health")" = 503 ] || fail "svcd is ready without its limiter"
grep -q '"limiter":"unavailable","store":"ok"' $T/answer || fail "svcd does not say that its limiter is unavailable: $(cat $T/answer)"
[ "$(status "$(url 1)/_svc/health/live")" = 200 ] || fail "svcd does not live without its limiter"
