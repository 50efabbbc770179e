#!/bin/sh
# After an installation, pkg-config and CMake find svcapi, shared and static. Manual pages, the systemd unit and completion match
# this version, and it can be uninstalled. build.sh has installed it in build/check/stage, with the prefix /opt/svc.
. test/check/common

S=$PWD/build/check/stage P=/opt/svc T=build/check/install
[ -f "$S$P/include/svcapi.h" ] || fail "nothing is installed in $S: run ./build.sh test"
rm -rf $T; mkdir -p $T
readme_c 1 >$T/app.c
version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
works() { # PROGRAM
  LD_LIBRARY_PATH=$S$P/lib timeout 60 "$1" >$T/out 2>&1 </dev/null || fail "$1 does not run: $(tail -n 1 $T/out)"
  grep -q '"name": *"Acme"' $T/out || fail "$1 does not answer: $(head -n 3 $T/out)"
}
! grep -rIlF "$PWD" "$S" >$T/out || fail "what is installed names the folder of its sources: $(head -n 1 $T/out)"

# ---- build.sh reports unknown arguments, and installs nothing then
refused() { # STATUS WORDS ARGUMENT...
  status=$1 words=$2; shift 2
  got=0; PREFIX=$PWD/$T/nowhere ./build.sh "$@" >$T/out 2>&1 || got=$?
  [ $got = "$status" ] || fail "./build.sh $* ends with status $got, not $status: $(head -n 1 $T/out)"
  grep -qF -e "$words" $T/out || fail "./build.sh $* does not say '$words': $(head -n 1 $T/out)"
  [ ! -e $T/nowhere ] || fail "./build.sh $* has installed something"
}
refused 0 'into PREFIX' install --help
refused 1 'install takes no argument' install /tmp/svc
refused 2 'did you mean install?' instal
refused 1 "no suite or check has 'nosuchname'" test nosuchname
refused 1 'test takes one name' test near cluster
refused 1 "fuzz has no flag '--fast'" fuzz --fast

# ---- pkg-config
tool pkg-config
has() { PKG_CONFIG_PATH=$S$P/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$S pkg-config "$@" svcapi; }
[ "$(has --modversion)" = "$version" ] || fail "pkg-config says that it is version '$(has --modversion)'"
# shellcheck disable=SC2046
$CC -std=c11 -o $T/shared $T/app.c $(has --cflags --libs) || fail "a program does not compile with what pkg-config says"
works $T/shared
# shellcheck disable=SC2046
$CC -std=c11 -o $T/static $T/app.c $(has --cflags) "$S$P/lib/libsvcapi.a" $(has --static --libs-only-other) ||
  fail "a program does not link with libsvcapi.a and nothing else"
works $T/static
# one package name for static linking in any folder: pkg-config --static alone would choose the shared library
# shellcheck disable=SC2046
$CC -std=c11 -o $T/whole $T/app.c $(PKG_CONFIG_PATH=$S$P/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$S pkg-config --cflags --libs svcapi-static) ||
  fail "a program does not link with what pkg-config says of svcapi-static"
! readelf -d $T/whole | grep -q libsvcapi || fail "svcapi-static links the shared library"
works $T/whole
# in a program with its own LMDB or mbedTLS the copies do not conflict
[ -z "$(nm -g --defined-only "$S$P/lib/libsvcapi.a" | awk 'NF == 3 && $3 !~ /^svc_/')" ] || fail "libsvcapi.a shows names that are not its own"

# ---- CMake
tool cmake
cat >$T/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.13)
project(app C)
find_package(svcapi ${WANTED} REQUIRED)
add_executable(by_shared app.c)
target_link_libraries(by_shared svcapi::svcapi)
add_executable(by_static app.c)
target_link_libraries(by_static svcapi::static)
C
configure() { cmake -S $T -B $T/build -DWANTED="$1" -DCMAKE_PREFIX_PATH="$S$P" -DCMAKE_C_COMPILER="$CC" >$T/out 2>&1; }
configure "${version%.*}" || { cat $T/out; fail "CMake does not find it"; }
cmake --build $T/build >$T/out 2>&1 || { cat $T/out; fail "a program does not compile by CMake"; }
works $T/build/by_shared
works $T/build/by_static
for other in 0.1 "${version%%.*}.99" 9; do if configure $other; then fail "CMake takes version $version for $other"; fi; done
# a later version with the same major number is accepted for a program that requests this one; another major number is not
sed "s/$version/${version%%.*}.99.1/" "$S$P/lib/cmake/svcapi/svcapiConfigVersion.cmake" >$T/later.cmake
printf 'set(PACKAGE_FIND_VERSION "%s")\ninclude("%s")\nif(NOT PACKAGE_VERSION_COMPATIBLE)\n  message(FATAL_ERROR "no")\nendif()\n' "$version" "$PWD/$T/later.cmake" >$T/asks.cmake
cmake -P $T/asks.cmake >$T/out 2>&1 || fail "CMake would refuse ${version%%.*}.99.1 to a program that asks for $version"

# ---- manual pages
man=$S$P/share/man
grep -oE 'SVC_API [^;(]*svc_[a-z_]+\(' svcapi.h | grep -oE 'svc_[a-z_]+\(' | sort -u >$T/functions
[ "$(wc -l <$T/functions)" -gt 40 ] || fail "too few functions were found in svcapi.h"
while read -r f; do grep -qF "$f" "$man/man3/svcapi.3" || fail "svcapi(3) lacks $f)"; done <$T/functions
build/svcd help all | grep -oE '^  --[a-z-]+' | sort -u | sed 's/-/\\-/g' >$T/flags
while read -r f; do grep -qF "$f" "$man/man8/svcd.8" || fail "svcd(8) lacks $f"; done <$T/flags
for page in man3/svcapi.3 man8/svcd.8; do
  if ! command -v groff >/dev/null 2>&1; then break; fi
  groff -man -ww -z "$man/$page" >$T/out 2>&1; [ ! -s $T/out ] || { head -n 5 $T/out; fail "$page is no good manual page"; }
done

# ---- the systemd unit
unit=$S$P/lib/systemd/system/svcd.service
grep -q "^ExecStart=$P/bin/svcd serve " "$unit" || fail "the unit does not start $P/bin/svcd"
if command -v systemd-analyze >/dev/null 2>&1; then
  exposed=$(systemd-analyze security --offline=true --no-pager "$unit" 2>/dev/null | sed -n 's/.*exposure level.*: \([0-9.]*\).*/\1/p')
  awk -v x="$exposed" 'BEGIN { exit !(x > 0 && x <= 2.0) }' || fail "systemd-analyze finds the unit exposed by '$exposed', more than 2.0"
fi

# ---- completion, called as bash does
if command -v bash >/dev/null 2>&1; then
  bash -n package/svcd.bash || fail "package/svcd.bash is no script of bash"
  complete() { # WORD...: the completions of the last word
    bash -c 'program=$1; shift; . package/svcd.bash; COMP_WORDS=("$program" "$@"); COMP_CWORD=$#; set -e
      compopt() { :; }; _svcd; printf "%s\n" "${COMPREPLY[@]}"' bash "$PWD/build/svcd" "$@"
  }
  [ "$(complete ba)" = backup ] || fail "completion does not know backup"
  complete serve --lis | grep -qx -- --listen || fail "completion does not know --listen"
  [ -z "$(complete backup --lis)" ] || fail "completion offers --listen to backup"
  complete serve --data amalg | grep -qx amalgamation || fail "completion of --data gives no folder"
  complete env --for ter | grep -qx terraform || fail "completion of --for gives no client"
  [ "$(complete help res)" = restore ] || fail "completion of help gives no verb"
fi

# ---- uninstall
DESTDIR=$S PREFIX=$P ./build.sh uninstall >$T/out 2>&1 || { cat $T/out; fail "uninstall fails"; }
[ -z "$(find "$S" ! -type d)" ] || fail "uninstall leaves $(find "$S" ! -type d | head -n 1)"
if DESTDIR=$S PREFIX=$P ./build.sh uninstall >$T/out 2>&1; then fail "uninstall succeeds although nothing is installed"; fi
if PREFIX=here ./build.sh uninstall >$T/out 2>&1; then fail "a PREFIX that is not a path was accepted"; fi
