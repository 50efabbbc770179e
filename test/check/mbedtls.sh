#!/bin/sh
# mbedTLS as an embedder may build it: with the small configuration of ports/mbedtls_config.h the library compiles, links and
# runs. If settings or versions of mbedTLS and svcapi.c differ, an error names the difference.
. test/check/common

T=build/check/mbedtls; M=build/deps/mbedtls
rm -rf $T; mkdir -p $T
small="-DMBEDTLS_CONFIG_FILE=\"ports/mbedtls_config.h\""
ours='build/libsvcapi.a'
[ -f $ours ] || fail "$ours is missing: run ./build.sh lib"
readme_c 1 >$T/readme.c
cat >$T/tells.c <<'C'
#include "svcapi.h"
#include <stdio.h>
static void say(void *context, int level, const char *text) { (void)context, (void)level; puts(text); }
int main(void)
{
  svc_config config = { 0 };
  svc *s;
  config.log = say;
  return svc_open(&s, &config);
}
C

# ---- small: these are the files that docs/embedding.md lists
# shellcheck disable=SC2016
files=$(embedding_sh MBEDTLS_CONFIG_FILE | grep -oE '\$M/[a-z0-9_]+\.c' | sed 's,.*/,,; s,\.c$,,')
[ -n "$files" ] || fail "docs/embedding.md does not name the files of mbedTLS that the small configuration needs"
for f in $files; do
  # shellcheck disable=SC2086
  $CC -O1 -w -I. -I$M/include "$small" -c -o "$T/$f.o" "$M/library/$f.c" || fail "$f.c of mbedTLS does not compile with ports/mbedtls_config.h"
done
# shellcheck disable=SC2086
$CC $STRICT -O0 -I. -isystem build/deps -isystem $M/include "$small" -c -o $T/svcapi.o svcapi.c || fail "svcapi.c does not compile with ports/mbedtls_config.h"
link() { # PROGRAM OBJECT...
  program=$1; shift
  $CC -std=c11 -I. -o "$T/$program" "$T/$program.c" "$@" -pthread
}
mbed=; for f in $files; do mbed="$mbed $T/$f.o"; done
# shellcheck disable=SC2086
link readme $T/svcapi.o $ours $mbed || fail "the first example does not link with the files of mbedTLS that docs/embedding.md names"
(cd $T && timeout 60 ./readme) >$T/out || fail "the first example does not run with ports/mbedtls_config.h: $(tail -n 1 $T/out)"

# ---- the listener with it: http works, and a request for https gets an error that names what is missing
cat >$T/https.c <<'C'
#include "ports/listener.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
  static const char *const urls[] = { "http://127.0.0.1:0", "https://127.0.0.1:0" };
  svc_listener_config config = { .urls = urls, .url_count = 1, .cert_file = "a", .key_file = "b" };
  char why[256];
  svc_listener *l;
  if (svc_listener_open(&l, &config, why, sizeof why) != SVC_OK) return printf("http: %s\n", why), 1;
  svc_listener_close(l);
  config.url_count = 2;
  if (svc_listener_open(&l, &config, why, sizeof why) != SVC_INVALID || !strstr(why, "without TLS")) return printf("https: %s\n", why), 1;
  return 0;
}
C
server=build/lib/obj/build/deps/mongoose.o
[ -f $server ] || fail "$server is missing: run ./build.sh test"
for f in ports/mongoose.c ports/http_reader.c ports/listener/*.c; do
  o=$T/$(echo "$f" | tr / _).o; server="$server $o"
  # shellcheck disable=SC2086
  $CC $STRICT -O0 -I. -isystem build/deps -isystem $M/include "$small" -DMG_MAX_HTTP_HEADERS=64 -DMG_ENABLE_IPV6=1 -c -o "$o" "$f" ||
    fail "$f does not compile with ports/mbedtls_config.h"
done
# shellcheck disable=SC2086
link https $server $T/svcapi.o $ours $mbed || fail 'the listener does not link without TLS in mbedTLS'
timeout 60 $T/https >$T/out || fail "the listener without TLS in mbedTLS: $(cat $T/out)"

# ---- settings that differ: threading on one side only
tells() { # WHAT
  status=0; timeout 60 $T/tells >$T/out 2>&1 || status=$?
  [ $status = 8 ] || { cat $T/out; fail "$1: svc_open() gives $status, not SVC_RANDOM"; }
  grep -q MBEDTLS_THREADING_C $T/out || { cat $T/out; fail "$1: the log does not name MBEDTLS_THREADING_C"; }
}
# shellcheck disable=SC2086
$CC -std=c11 -O0 -I. -isystem build/deps -isystem $M/include -c -o $T/svcapi.o svcapi.c
# shellcheck disable=SC2086
link tells $T/svcapi.o $ours $MBED_LIBS
tells 'svcapi.c without threading, mbedTLS with it'
grep -v THREADING ports/mbedtls_config.h >$T/config.h
mbed=
for f in $files; do
  $CC -O1 -w -I. -I$M/include "-DMBEDTLS_CONFIG_FILE=\"$T/config.h\"" -c -o "$T/$f.o" "$M/library/$f.c"
  mbed="$mbed $T/$f.o"
done
# shellcheck disable=SC2086
$CC -std=c11 -O0 -I. -isystem build/deps -isystem $M/include "$small" -c -o $T/svcapi.o svcapi.c
# shellcheck disable=SC2086
link tells $T/svcapi.o $ours $mbed
tells 'svcapi.c with threading, mbedTLS without it'

# ---- differences that the compiler finds
refuses() { # WHAT WORDS FLAG...
  what=$1 words=$2; shift 2
  if $CC -std=c11 -fsyntax-only -I. "$@" -isystem build/deps -isystem $M/include svcapi.c 2>$T/out; then fail "$what: svcapi.c compiles"; fi
  grep -q "#error.*$words" $T/out || { head -n 5 $T/out; fail "$what: no #error names the problem"; }
}
mkdir $T/old $T/old/mbedtls
echo '#define MBEDTLS_VERSION_NUMBER 0x021C0300' >$T/old/mbedtls/version.h
refuses 'mbedTLS 2.28' 'needs mbedTLS 3' -I$T/old
grep -v MD5 ports/mbedtls_config.h >$T/config.h
refuses 'mbedTLS without MD5' 'MD5' "-DMBEDTLS_CONFIG_FILE=\"$T/config.h\""
