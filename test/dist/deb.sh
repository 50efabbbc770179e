#!/bin/sh
# Tests the Debian packages of ./build.sh deb: lintian finds nothing, they install into a fresh Debian (a folder made by debootstrap), svcd runs there and supports PostgreSQL
# and Redis, a program links with the library, and removing them leaves nothing behind. ./build.sh test-dist runs it, from the root of the tree; installing needs root.
. test/check/common

version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
T=$PWD/build/check/deb
./build.sh deb >/dev/null || fail "./build.sh deb fails"
# shellcheck disable=SC2012
[ "$(ls build/dist/*.deb | wc -l)" = 3 ] || fail "there are no three packages"
said=$(lintian --allow-root --fail-on warning build/dist/*.deb 2>&1) || { echo "$said"; fail "lintian finds faults"; }
echo 'deb: lintian finds nothing'

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null 2>&1; then echo 'deb: not installed anywhere: that needs root and debootstrap'; exit 0; fi
mirror=$(sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\(http[^ ]*\) .*/\2/p; s/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
R=$PWD/build/debian-$suite # kept, because it is downloaded
if [ ! -f "$R/.whole" ]; then
  rm -rf "$R"
  debootstrap --variant=minbase --include=curl "$suite" "$R" "$mirror" >build/check/debootstrap.log 2>&1 || fail "debootstrap fails: build/check/debootstrap.log"
  for f in /etc/apt/apt.conf.d/* /etc/apt/sources.list /etc/apt/sources.list.d/*; do [ ! -f "$f" ] || cp "$f" "$R/$f"; done
  : >"$R/.whole"
fi
rm -rf "$T"; cp -a "$R" "$T"
inside() { chroot "$T" env PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
pid=
trap 'if [ -n "$pid" ]; then kill $pid 2>/dev/null || :; fi; rm -rf "$T"' EXIT
cp build/dist/*.deb "$T/tmp"
inside find / -xdev -path /proc -prune -o -path /tmp -prune -o -path /var -prune -o -print | sort >build/check/deb.before
inside sh -c 'apt-get -qq update && apt-get -qq -y --no-install-recommends install /tmp/*.deb gcc libc6-dev pkg-config' >build/check/deb.log 2>&1 ||
  { tail -n 5 build/check/deb.log; fail "the packages do not install"; }
inside id svcd >/dev/null || fail "there is no user svcd"
inside svcd serve --help | grep -q -- '--store URI' || fail "svcd of the package has no --store"
inside sh -c 'svcd serve --memory --store postgres://nobody@127.0.0.1:1/none 2>&1' | grep -q 'WITH=postgres' && fail "svcd of the package does not support PostgreSQL"
cat >"$T/tmp/app.c" <<'C'
#include <stdio.h>
#include <svcapi.h>
#include <svcapi/listener.h>
int main(void) { return puts(svc_version()) == EOF; }
C
[ "$(inside sh -c 'cc -o /tmp/app /tmp/app.c $(pkg-config --cflags --libs svcapi) && /tmp/app')" = "$version" ] || fail "a program does not link with the package"
(exec chroot "$T" /usr/bin/svcd serve --data /tmp/store --listen http://127.0.0.1:0) >build/check/deb.out 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do if grep -q '^svcd ready on' build/check/deb.out; then break; fi; sleep 0.5; done
url=$(sed -n 's/^svcd ready on //p' build/check/deb.out)
inside curl -sS --max-time 20 "$url/_svc/health" | grep -q '"ready":true' || { cat build/check/deb.out; fail "svcd of the package does not answer"; }
kill $pid; wait $pid || fail "svcd of the package ends with an error"
pid=
inside sh -c 'dpkg --purge svcd libsvcapi-dev libsvcapi1' >>build/check/deb.log 2>&1 || fail "the packages cannot be removed"
left=$(inside find / -xdev -path /proc -prune -o -path /tmp -prune -o -path /var -prune -o -print | sort | comm -13 build/check/deb.before - | grep -i 'svcd\|svcapi') && fail "left behind: $left"
echo 'deb: installed, used and removed in a fresh Debian'
