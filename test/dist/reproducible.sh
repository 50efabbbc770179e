#!/bin/sh
# ./build.sh dist and ./build.sh deb give the same bytes everywhere: two copies of this tree, in folders of different length,
# with another time zone, umask and language, from the same dependencies, with the same SOURCE_DATE_EPOCH.
#
#   sh test/dist/reproducible.sh [ARCH]       ARCH as for dist; default: this machine's
set -eu
top=$PWD
[ -f "$top/svcapi.h" ] || { echo 'run it in the folder of svcapi.h' >&2; exit 2; }
arch=${1:-$(dpkg --print-architecture)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y svcapi.c)}
export SOURCE_DATE_EPOCH
T=$top/build/reproducible
rm -rf "$T"; mkdir -p "$T"

made() { # FOLDER: the files in its build/dist, by hash
  mkdir -p "$1"
  tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$1"
  mkdir "$1/build"; cp -a build/deps "$1/build/deps"
  (cd "$1" && ./build.sh dist "$arch" && ./build.sh deb) >"$1.log" 2>&1 || { tail -n 5 "$1.log" >&2; echo "reproducible: the build in $1 fails" >&2; exit 1; }
  (cd "$1/build/dist" && find . -type f | sort | xargs sha256sum)
}

(umask 022; TZ=UTC; export TZ; made "$T/a") >"$T/first" || exit 1
(umask 077; TZ=Asia/Kathmandu; LANG=tr_TR.UTF-8; export TZ LANG; made "$T/in/a/longer/folder") >"$T/second" || exit 1
[ "$(grep -c '\.deb$' "$T/first")" = 3 ] || { echo 'reproducible: there are no three packages' >&2; exit 1; }
if ! diff "$T/first" "$T/second" >"$T/differ"; then cat "$T/differ" >&2; echo 'reproducible: these files differ' >&2; exit 1; fi
echo "reproducible: $(wc -l <"$T/first") files are the same in both builds"
rm -rf "$T"
