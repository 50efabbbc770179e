#!/bin/sh
# build.sh: the one entrance to building, running and testing svcapi. It exists so that `./build.sh run` and
# `./build.sh test` work as the first command on a fresh Debian machine: it fetches the dependencies (pinned by hash,
# from the mirror that apt is set up with), folds the parts into svcapi.c, writes makefiles and hands the rest to make.
# Everything it makes lies in build/, except svcapi.c.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")"

usage() {
  cat <<'USAGE'
usage: ./build.sh VERB [ARGUMENT]...
  deps           fetch the dependencies into build/deps, verified by hash; install missing tools when root
  lib            build/libsvcapi.a
  run [ARG]...   build and start build/svcd on build/data; on a new store it prints the credentials
  test [NAME]    build and run all tests and checks, or those whose name contains NAME
  check [NAME]   only the static checks
  bench [ARG]... build and run the benchmarks
  fuzz [SECONDS] random requests and bytes (test/fuzz), each for so long (60), with clang
  fold           write svcapi.c from the parts
  arm            cross-build for armhf and arm64, run the unit tests under qemu
  clean [--all]  remove build/ except build/deps; with --all everything
Settings, as environment variables: CC (gcc), JOBS (2), DEPS_MIRROR (the mirror apt uses).
USAGE
}

D=build/deps
CC=${CC:-gcc}
JOBS=${JOBS:-2}
MBED_FLAGS='-DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD' # library and users must agree: they change struct sizes
MG_FLAGS='-DMG_TLS=MG_TLS_MBED -DMG_MAX_HTTP_HEADERS=64 -DMG_SOCK_LISTEN_BACKLOG_SIZE=1024 -DMG_ENABLE_DIRLIST=0 -DMG_ENABLE_SSI=0 -DMG_ENABLE_IPV6=1'
INCLUDES="-isystem $D -isystem $D/mbedtls/include $MBED_FLAGS"
WARN='-Wall -Wextra'
LISTENER="ports/mongoose.c ports/http_reader.c $(echo ports/listener/*.c)" # compiled apart, never folded: they see svcapi.h only

say() { printf '%s\n' "$*"; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
hash_of() { sha256sum | cut -d' ' -f1; }
sha_ok() { [ -f "$1" ] && [ "$(hash_of <"$1")" = "$2" ]; }
update() { # FILE: replace it by standard input, only if that differs (make looks at the time)
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm -f "$1.new"; else mv "$1.new" "$1"; fi
}

one_at_a_time() { # two runs in one tree write the same files: the second waits. The lock ends with its process, never stale
  command -v flock >/dev/null 2>&1 || return 0
  exec 9<build.sh # what is started to stay, or may be left behind, closes it: 9<&-
  flock -n 9 || { say 'build.sh: waiting for another run in this folder'; flock 9 || :; }
}

# ---- system tools ---------------------------------------------------------------------------------------------------

package_of() {
  case $1 in
    cc|gcc) echo gcc libc6-dev ;; headers) echo libc6-dev ;; xz) echo xz-utils ;; awk) echo mawk ;;
    sha256sum) echo coreutils ;; dpkg-deb) echo dpkg ;; ar|nm) echo binutils ;; find) echo findutils ;;
    qemu-arm|qemu-aarch64) echo qemu-user ;; clang) echo clang libclang-rt-dev ;;
    arm-linux-gnueabihf-gcc) echo gcc-arm-linux-gnueabihf libc6-dev-armhf-cross ;;
    aarch64-linux-gnu-gcc) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    *) echo "$1" ;;
  esac
}

has() {
  if [ "$1" = headers ]; then echo '#include <stdio.h>' | ${CC} -E -x c - >/dev/null 2>&1; return; fi
  command -v "$1" >/dev/null 2>&1
}

missing() { for t in "$@"; do has "$t" || printf ' %s' "$t"; done; }

apt_updated=
want() { # TOOL...: install what is missing if that can be done; what stays missing is in $lack
  lack=$(missing "$@")
  [ -n "$lack" ] || return 0
  # shellcheck disable=SC2086
  packages=$(for t in $lack; do package_of "$t"; done | tr ' ' '\n' | sort -u | tr '\n' ' ')
  packages=${packages% }
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then return 0; fi
  say "tools: installing $packages"
  mkdir -p build
  if [ -z "$apt_updated" ]; then apt-get -qq update >build/apt.log 2>&1 || :; apt_updated=yes; fi
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $packages >>build/apt.log 2>&1 || :
  # shellcheck disable=SC2086
  lack=$(missing $lack)
}

need() { # TOOL...: as want, but without them there is no going on
  want "$@"
  [ -z "$lack" ] || die "missing$lack: run 'apt-get install $packages' as root"
}

compiler() { need "${CC%% *}" make ar awk sha256sum find; need headers; }

# ---- dependencies ---------------------------------------------------------------------------------------------------

# Archives: name, version, path on a Debian mirror, SHA-256. A second line of the same name is the spare source.
archives() { cat <<'PINS'
mongoose 7.23 pool/main/m/mongoose/mongoose-webserver-source_7.23+ds-1_all.deb 3032448ef1f6e6768ed83815bf1b72530c00a39d285980c14b5bb019baf28e63
mongoose 7.23 pool/main/m/mongoose/mongoose_7.23+ds.orig.tar.xz 62ea62b0fe868949c06479c43a9db91dedb2e688c2d6badb9461f1cc7f07ef3d
frozen from-openvlbi-3.0.3 pool/main/o/openvlbi/openvlbi_3.0.3.orig.tar.gz 1e17bbda28e49ee49177983258651c07a45dd14e9337debf9dce969ae96be7f9
lmdb 0.9.31 pool/main/l/lmdb/lmdb_0.9.31.orig.tar.gz d35d4f6f46313d62fd342c9dcbf574432919ce5e802d2b6cbe2ebd549821e5c4
tinycthread 1.2 pool/main/r/r-cran-later/r-cran-later_1.3.0+dfsg.orig.tar.xz 3de741f37369df6bf584763150a7f96fcbd2f643f1adbaae5c0e9b09d9277403
tinycthread 1.2 pool/main/r/r-cran-later/r-cran-later_1.4.1+dfsg.orig.tar.xz 0af20a1fbb606e40b8e7d492cc896ff4c787a3f463daa61787e73661f65a3ca7
munit 0.4.1 pool/main/r/raft/raft_0.22.1.orig.tar.gz 7e45b6f24f3671c9bfd5b146814493f87cb2e560712bd469c1f5969a4b94291a
mbedtls 3.6.6 pool/main/m/mbedtls/mbedtls_3.6.6.orig.tar.bz2 8fb65fae8dcae5840f793c0a334860a411f884cc537ea290ce1c52bb64ca007a
PINS
}

# Files taken out of them: name, file, pattern inside the archive, SHA-256. frozen is cut out of a file that carries it.
files() { cat <<'PINS'
mongoose mongoose.c */mongoose.c 651d514ee52761c26af774d74e91346bf150c915120d967ec4332a69ea1600f5
mongoose mongoose.h */mongoose.h 0ee23157099964b7ca1c7bf3e02b1b8250cbd7838a6938fed63726e720f70b0b
frozen frozen.c src/frozen/frozen.c e811934d96752f07c7fb1824fac060e237ca0cc8d1ad5509c8f72cb8b218ed60
frozen frozen.h src/frozen/frozen.h 52d4048ac263d0f02a1e6b96dadbc5afe607c677d735a8b19b3bbb7d3d39758a
lmdb mdb.c */liblmdb/mdb.c 25d47ee49975808a4ef923ea711fe29dc958d111e6fa2462fc36ab95923336cc
lmdb midl.c */liblmdb/midl.c 91110543f2e84c516188c1e3960b1f504e1c60a4766027a782349c000276ca93
lmdb lmdb.h */liblmdb/lmdb.h 8316fc4df7f9c0a8f664c68e79900854f20726c0ee05510bd828c7818f88f9a7
lmdb midl.h */liblmdb/midl.h 07c68cf7bb62625f6e893570ae6e2e30b1f3a2b4e9e0b0e5fe1729f8eb72bee8
tinycthread tinycthread.c */src/tinycthread.c 554a90d1368257ad5fe2658917f51629865b7dd822188ac99929c7cfbc0febd5
tinycthread tinycthread.h */src/tinycthread.h e34a12d6fedb4ee20418a5b04f840919fad6410c7b4e8c6356f62537472ee233
tinycthread badthreads.h */src/badthreads.h 9d0df1cd41e3a9af85e91f316faf5b6d72ea9707b904c0b22f248cebaa3213bf
munit munit.c */test/lib/munit.c 21960ad06ecbd5f23ed6f2811046b628fb7d5b93daf889913cec5f0b693e8cd9
munit munit.h */test/lib/munit.h 081ea8c6ffa312374a3d472d051f6cd69b5fe02e494c96c343118097a3700c9e
PINS
}
MBED_TREE=e265be361184e7e8e61ba84c4d604d7798d7da7b157a872c4bb3cea54b50437f # of 3rdparty, include and library together

mirrors() { # where apt gets its packages; --no-release-info also works before the first apt-get update
  if [ -n "${DEPS_MIRROR:-}" ]; then echo "${DEPS_MIRROR%/}"; return; fi
  # shellcheck disable=SC2016
  apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed 's,/*$,,' | sort -u | grep -v -- '-security$' || :
}

download() { # PATH SHA256 FILE: from the first mirror that has it
  if [ -z "${MIRRORS:-}" ]; then
    MIRRORS=$(mirrors)
    HELPER=$(dpkg -L apt 2>/dev/null | grep '/apt-helper$' || :) # it follows apt's proxy settings
  fi
  for mirror in $MIRRORS; do
    rm -f "$3" "$3.FAILED"
    if [ -n "$HELPER" ]; then
      "$HELPER" -qq download-file "$mirror/$1" "$3" "SHA256:$2" >"$D/dl/log" 2>&1 || :
    else
      curl -fsSL --retry 3 -o "$3" "$mirror/$1" >"$D/dl/log" 2>&1 || :
    fi
    if sha_ok "$3" "$2"; then return 0; fi
  done
  rm -f "$3" "$3.FAILED"
  return 1
}

fetch() { # NAME: sets $archive; what is in build/deps/dl already is taken first, then every source in order
  archives >"$D/dl/pins"
  for how in cached download; do
    while read -r name _ path sha; do
      [ "$name" = "$1" ] || continue
      archive=$D/dl/${path##*/}
      if [ $how = cached ]; then
        if sha_ok "$archive" "$sha"; then return 0; fi
      elif download "$path" "$sha" "$archive" </dev/null; then return 0; fi
    done <"$D/dl/pins"
  done
  wanted=$(awk -v n="$1" '$1 == n { sub(/.*\//, "", $3); w = w (w ? " or " : "") $3 } END { print w }' "$D/dl/pins")
  [ -n "$MIRRORS" ] || die "apt names no mirror to fetch $1 from: set DEPS_MIRROR, or put $wanted into $D/dl, or the sources into deps/$1"
  die "cannot fetch $wanted with the pinned SHA-256: put it into $D/dl, or the sources of $1 into deps/$1, and run again"
}

cut_out() { # FILE NAME: one file out of an amalgamation whose parts begin with ifdef, #line, endif
  awk -v want="#line 1 \"$2\"" '
    $0 == "#ifdef MJS_MODULE_LINES" { h = 1; next }
    h == 1 { on = ($0 == want); h = 2; next }
    h == 2 { h = 0; next }
    on' "$1"
}

take_out() { # NAME FILE PATTERN: the file, on standard output, out of $archive
  case $1:$archive in
    frozen:*)
      [ "$2" = frozen.h ] || echo '#include "frozen.h"'
      tar -xOf "$archive" --wildcards --occurrence=1 '*/mjs.c' >"$D/dl/mjs.c"
      cut_out "$D/dl/mjs.c" "$3"; rm -f "$D/dl/mjs.c" ;;
    *.deb) dpkg-deb --fsys-tarfile "$archive" >"$D/dl/data.tar"
      tar -xOf "$D/dl/data.tar" --wildcards --occurrence=1 "$3"; rm -f "$D/dl/data.tar" ;;
    *) tar -xOf "$archive" --wildcards --occurrence=1 "$3" ;;
  esac
}

small_dep() { # NAME: its files into build/deps
  if [ -d "deps/$1" ]; then origin="(your copy in deps/$1)"; else origin=; fetch "$1"; fi
  files | while read -r name file pattern sha; do
    [ "$name" = "$1" ] || continue
    if [ -n "$origin" ]; then
      cp "deps/$1/$file" "$D/$file" 2>/dev/null || die "deps/$1 has no $file: add it, or remove deps/$1 to have it fetched"
    else
      take_out "$1" "$file" "$pattern" >"$D/$file" 2>/dev/null </dev/null || :
      sha_ok "$D/$file" "$sha" || die "$file from ${archive##*/} differs from its pinned SHA-256"
    fi
  done || exit 1
  say "deps: $1 ${origin:-$(version_of "$1")}"
}

version_of() { archives | awk -v n="$1" '$1 == n { print $2; exit }'; }
user_state() { if [ -d "$1" ]; then find "$1" -type f -printf '%p %s %T@\n' | sort; fi; }

mbedtls() { # DIR CC AR: its static libraries, from source
  key=$( { archives | grep '^mbedtls '; echo "$MBED_TREE $2 $3 $MBED_FLAGS"; user_state deps/mbedtls; } | hash_of)
  if [ "$(cat "$1/.stamp" 2>/dev/null)" = "$key" ] && [ -f "$1/library/libmbedtls.a" ]; then return 0; fi
  rm -rf "$1"; mkdir -p "$1"
  if [ -d deps/mbedtls ]; then
    cp -R deps/mbedtls/. "$1"
    origin='(your copy in deps/mbedtls)'
  else
    fetch mbedtls
    tar -xf "$archive" -C "$1" --strip-components=1 --exclude='*/tests' --exclude='*/programs' --exclude='*/docs' \
      --exclude='*/doxygen' --exclude='*/visualc'
    [ "$(cd "$1" && find include library 3rdparty -type f | sort | xargs sha256sum | hash_of)" = "$MBED_TREE" ] ||
      die "the files from ${archive##*/} differ from their pinned SHA-256"
    origin=$(version_of mbedtls)
  fi
  say "deps: mbedtls $origin, building with $2"
  make -s -j"$JOBS" -C "$1/library" CC="$2" AR="$3" CFLAGS="-O2 -fPIC $MBED_FLAGS" \
    libmbedcrypto.a libmbedx509.a libmbedtls.a >"$1/build.log" 2>&1 || die "mbedtls does not build: see $1/build.log"
  echo "$key" >"$1/.stamp"
}

deps() {
  compiler
  need tar xz bzip2 dpkg-deb
  mkdir -p "$D/dl"
  key=$( { archives; files; for d in mongoose frozen lmdb tinycthread munit; do user_state deps/$d; done; } | hash_of)
  if [ "$(cat "$D/.stamp" 2>/dev/null)" != "$key" ] || ! (cd "$D" && sha256sum --quiet -c .sums >/dev/null 2>&1); then
    rm -f "$D/.stamp"
    for d in mongoose frozen lmdb tinycthread munit; do small_dep $d; done
    (cd "$D" && sha256sum -- *.[ch] >.sums)
    echo "$key" >"$D/.stamp"
  fi
  mbedtls "$D/mbedtls" "$CC" "${AR:-ar}"
}

# ---- fold, objects, libraries ---------------------------------------------------------------------------------------

fold() {
  mkdir -p build
  sh amalgamation/fold.sh --out build/svcapi.c.new || exit 1
  if cmp -s build/svcapi.c.new svcapi.c; then rm -f build/svcapi.c.new; return 0; fi
  mv build/svcapi.c.new svcapi.c
  say "fold: svcapi.c ($(wc -l <svcapi.c) lines)"
}

# A makefile is written anew each time: begin DIR, then rules, then finish. Objects depend on their source, on all our
# headers, on the dependencies, on the compiler's name and on this script.
begin() {
  O=$1; M=$1/Makefile.new; objects=; count=0
  mkdir -p "$O"
  echo "$CC ${AR:-ar}" | update "$O/tools"
  {
    printf 'OURS = %s\n' "$(find svcapi.h amalgamation ports test examples -name '*.h' 2>/dev/null | sort | tr '\n' ' ')"
    printf 'COMMON = build.sh %s\n.DELETE_ON_ERROR:\nall:\n' "$O/tools $D/.stamp $D/mbedtls/.stamp"
  } >"$M"
}

# shellcheck disable=SC2016
object() { # SOURCE COMMAND: adds its object to $objects
  obj=$O/obj/${1%.c}.o
  mkdir -p "${obj%/*}"
  ours='$(OURS)'
  case $1 in "$D"/*) ours= ;; esac
  printf '%s: %s %s $(COMMON)\n\t@%s -c -o $@ %s || { echo %s >>%s/failed; exit 1; }\n' \
    "$obj" "$1" "$ours" "$2" "$1" "$1" "$O" >>"$M"
  objects="$objects $obj"; count=$((count + 1))
}

program() { # FILE "OBJECTS AND LIBRARIES" COMMAND
  printf 'all: %s\n%s: %s\n\t@%s -o $@ %s -pthread || { echo %s >>%s/failed; exit 1; }\n' \
    "$1" "$1" "$2" "$3" "$2" "$1" "$O" >>"$M"
}

archive_file() { # FILE "OBJECTS"
  printf 'all: %s\n%s: %s\n\t@rm -f $@; %s rcs $@ %s || { echo %s >>%s/failed; exit 1; }\n' \
    "$1" "$1" "$2" "${AR:-ar}" "$2" "$1" "$O" >>"$M"
}

finish() { # WHAT: makes it; a failure ends with one line that names the file
  mv "$M" "$O/Makefile"
  rm -f "$O/failed"
  if make -q -f "$O/Makefile" all >/dev/null 2>&1; then return 0; fi
  say "build: $1 ($count files)"
  made=0; make -r -Otarget -j"$JOBS" -f "$O/Makefile" all >"$O/log" 2>&1 || made=$?
  if [ -f "$O/failed" ] || [ $made = 0 ]; then grep -v '^make' "$O/log" >&2 || :; else cat "$O/log" >&2; fi
  [ $made = 0 ] || { echo "build failed: $(head -n 1 "$O/failed" 2>/dev/null || echo "$1")" >&2; exit 1; }
}

mbed_libs() { printf ' %s' "$1/library/libmbedtls.a" "$1/library/libmbedx509.a" "$1/library/libmbedcrypto.a"; }

dep_objects() { # CC+FLAGS: those the library needs; they are gnu11, and their warnings are not ours to mend
  for f in frozen mdb midl tinycthread; do object "$D/$f.c" "$1 -std=gnu11 -w"; done
}

lib() {
  deps; fold
  begin build/lib
  object svcapi.c "$CC -std=c11 -O2 $WARN -DSVC_LINES $INCLUDES"
  dep_objects "$CC -O2"
  archive_file build/libsvcapi.a "$objects"
  finish libsvcapi.a
}

daemon() { # build/svcd
  lib
  begin build/daemon
  object "$D/mongoose.c" "$CC -O2 -std=gnu11 -w $INCLUDES $MG_FLAGS"
  for f in $LISTENER; do object "$f" "$CC -O2 -std=c11 $WARN -I. $INCLUDES $MG_FLAGS"; done
  object examples/svcd.c "$CC -O2 -std=c11 $WARN -I. -Iports"
  program build/svcd "$objects build/libsvcapi.a$(mbed_libs "$D/mbedtls")" "$CC"
  finish svcd
}

# ---- tests ----------------------------------------------------------------------------------------------------------

test_main() { # the program that collects the suites: every X_test.c has a svc_suite_X
  names=$(for f in $tests; do f=${f##*/}; echo "${f%_test.c}"; done)
  twice=$(for n in $names; do echo "$n"; done | sort | uniq -d | tr '\n' ' ')
  [ -z "$twice" ] || die "two test files are called ${twice% }_test.c"
  printf '%s\n' '/* GENERATED by build.sh: all suites, or with --only NAME those whose name contains NAME. */' \
    '#include <string.h>' '#include <munit.h>' ''
  for n in $names; do echo "extern const MunitSuite svc_suite_$n;"; done
  printf '%s\n' '' 'static const struct { const char *name; const MunitSuite *suite; } all[] = {'
  for n in $names; do echo "  { \"$n\", &svc_suite_$n },"; done
  printf '%s\n' '  { NULL, NULL }' '};' '' \
    'int main(int argc, char *argv[])' '{' \
    '  static MunitSuite chosen[sizeof all / sizeof all[0]];' \
    '  static char prefix[] = "/";' \
    '  MunitSuite root = { prefix, NULL, chosen, 1, MUNIT_SUITE_OPTION_NONE };' \
    '  const char *only = "";' \
    '  size_t i, n = 0;' '' \
    '  if (argc > 2 && strcmp(argv[1], "--only") == 0) {' \
    '    only = argv[2];' '    argv[2] = argv[0];' '    argv += 2;' '    argc -= 2;' '  }' \
    '  for (i = 0; all[i].name != NULL; i++)' \
    '    if (strstr(all[i].name, only) != NULL) chosen[n++] = *all[i].suite;' \
    '  return munit_suite_main(&root, NULL, argc, argv);' '}'
}

test_program() { # DIR MBEDTLS-DIR CC+FLAGS CC+FLAGS-FOR-DEPS LINK-FLAGS: DIR/run, from the parts compiled apart
  begin "$1"
  tests=$(find test -name '*_test.c' | sort)
  main=$(test_main) || exit 1
  printf '%s\n' "$main" | update "$O/main.c"
  sh amalgamation/fold.sh --registry "$O/registry.new" || exit 1
  update "$O/registry.c" <"$O/registry.new"; rm -f "$O/registry.new"
  strict="$3 -std=c11 $WARN -Werror -DSVC_SPLIT=1 -Iamalgamation -I. -Itest $INCLUDES"
  support=$(find test -maxdepth 1 -name '*.c' | sort)
  for f in $(find amalgamation ports -name '*.c' | sort) $tests $support "$O/main.c" "$O/registry.c"; do
    case " $LISTENER " in *" $f "*) continue ;; esac
    object "$f" "$strict"
  done
  for f in $LISTENER; do object "$f" "$3 -std=c11 $WARN -Werror -I. $INCLUDES $MG_FLAGS"; done
  dep_objects "$4"
  object "$D/mongoose.c" "$4 -std=gnu11 -w $INCLUDES $MG_FLAGS"
  object "$D/munit.c" "$4 -std=gnu11 -w"
  # single allocations of arenas are let fail by test/support.c
  wrap=$(printf -- ' -Wl,--wrap=svc_arena_%s' alloc zero copy print)
  program "$O/run" "$objects$(mbed_libs "$2")" "$3 $5$wrap"
  finish 'test objects'
}

passed=0; failed=0

run_suites() { # PROGRAM [NAME] with $EMULATOR before it: shows its output, adds to passed and failed
  { status=0; $EMULATOR "$1" ${2:+--only "$2"} --color never --seed 1 2>&1 9<&- || status=$?; echo $status >"$1.status"; } | tee "$1.log"
  counts=$(sed -n 's/^\([0-9][0-9]*\) of \([0-9][0-9]*\) (.*tests successful.*/\1 \2/p' "$1.log" | tail -n 1)
  status=$(cat "$1.status")
  if [ -n "$counts" ]; then
    good=${counts% *}; bad=$((${counts#* } - good))
    if [ $bad = 0 ] && [ "$status" != 0 ]; then
      say "test: $1 ended with status $status after its last test"
      bad=1
    fi
    passed=$((passed + good)); failed=$((failed + bad))
  elif [ -z "${2:-}" ] || ! grep -q '^No tests run' "$1.log"; then
    say "test: $1 ended with status $status without running a test to its summary"
    failed=$((failed + 1))
  fi
}

run_checks() { # [NAME]: each script is one test
  want clang g++ nm
  if [ -e .git ]; then want git; fi
  mkdir -p build/check
  export CC INCLUDES
  MBED_LIBS=$(mbed_libs "$D/mbedtls"); export MBED_LIBS
  for f in test/check/*.sh; do
    name=check/$(basename "$f" .sh)
    case $name in *"${1:-}"*) ;; *) continue ;; esac
    if sh "$f" >build/check/log 2>&1 9<&-; then
      passed=$((passed + 1)); say "$name: ok"
    else
      failed=$((failed + 1)); say "$name: FAILED: $(tail -n 1 build/check/log)"
      sed '$d' build/check/log | head -n 12 # a compiler's words, if there were any
    fi
  done
}

summary() {
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

test_all() { # [NAME]
  deps; fold
  san='-g -O1 -fno-omit-frame-pointer -fsanitize=address'
  ubsan='-fsanitize=undefined -fno-sanitize-recover=undefined'
  test_program build/test "$D/mbedtls" "$CC $san $ubsan" "$CC $san" ''
  daemon # its tests start it as a user does
  EMULATOR=
  run_suites build/test/run "$@"
  run_checks "$@"
  summary
}

check() { lib; run_checks "$@"; summary; }

# ---- the other verbs ------------------------------------------------------------------------------------------------

run() {
  daemon
  mkdir -p build/data
  exec build/svcd --data build/data --show-credentials "$@" 9<&- # on a new store: secrets and all, for whoever tries it
}

bench() {
  [ -f test/bench/bench.c ] || die "test/bench/bench.c is not there yet, so there is nothing to measure"
  deps; fold
  begin build/bench
  object svcapi.c "$CC -std=c11 -O2 -DNDEBUG $WARN -DSVC_LINES $INCLUDES"
  dep_objects "$CC -O2 -DNDEBUG"
  library=$objects
  for f in test/bench/*.c; do
    objects=; object "$f" "$CC -std=c11 -O2 -DNDEBUG $WARN -I. $INCLUDES"
    name=${f##*/}
    program "build/bench/${name%.c}" "$objects$library$(mbed_libs "$D/mbedtls")" "$CC"
  done
  finish benchmarks
  # what the library adds to a program: text and data of svcapi.c alone, without names
  # shellcheck disable=SC2086
  $CC -std=c11 -Os -DNDEBUG -ffunction-sections -c -o build/bench/size.o $INCLUDES svcapi.c &&
    SVC_SIZE_OS=$(size build/bench/size.o | awk 'NR == 2 { print $1 + $2 }') && export SVC_SIZE_OS
  exec build/bench/bench "$@" 9<&-
}

arm() {
  deps; fold
  need arm-linux-gnueabihf-gcc aarch64-linux-gnu-gcc qemu-arm qemu-aarch64
  SVC_TEST_QEMU=1; export SVC_TEST_QEMU # robust mutexes do not work under qemu: tests of a killed writer look for this
  for target in armhf:arm-linux-gnueabihf:qemu-arm arm64:aarch64-linux-gnu:qemu-aarch64; do
    arch=${target%%:*}; EMULATOR=${target##*:}; cross=${target#*:}; cross=${cross%:*}
    mbedtls "$D/mbedtls-$arch" "$cross-gcc" "$cross-ar"
    test_program "build/arm/$arch" "$D/mbedtls-$arch" "$cross-gcc -O2" "$cross-gcc -O2" -static
    run_suites "build/arm/$arch/run" "$@"
    say "arm: $arch done, $(wc -c <"build/arm/$arch/run") bytes"
  done
  summary
}

fuzz() { # every X_fuzz.c is a program of its own; what it learns stays in build/fuzz/X, and a crash beside it
  seconds=${1:-60}
  case $seconds in *[!0-9]*|'') die "fuzz takes a number of seconds" ;; esac
  deps; fold
  need clang
  begin build/fuzz
  dep_objects "clang -g -O1 -fsanitize=address,fuzzer-no-link"
  library=$objects
  flags='-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined'
  for f in test/fuzz/*_fuzz.c; do
    objects=; object "$f" "clang -std=c11 $flags $WARN -Wno-missing-field-initializers -I. -Iports $INCLUDES"
    name=${f##*/}
    printf '%s: svcapi.c ports/http_reader.c\n' "$O/obj/${f%.c}.o" >>"$M"
    program "build/fuzz/${name%.c}" "$objects$library$(mbed_libs "$D/mbedtls")" "clang $flags"
  done
  finish "fuzzers, with clang"
  for f in test/fuzz/*_fuzz.c; do
    name=${f##*/}; name=${name%_fuzz.c}; words=
    mkdir -p "build/fuzz/$name/seeds" "build/fuzz/$name/found"
    SVC_FUZZ_SEEDS=build/fuzz/$name/seeds "build/fuzz/${name}_fuzz" -runs=1 >/dev/null 2>&1 || :
    if [ -f "build/fuzz/$name/words" ]; then words=-dict=build/fuzz/$name/words; fi
    say "fuzz: $name, $seconds seconds"
    # shellcheck disable=SC2086
    "build/fuzz/${name}_fuzz" "build/fuzz/$name/found" "build/fuzz/$name/seeds" $words -max_len=4096 -timeout=10 \
      -max_total_time="$seconds" -artifact_prefix="build/fuzz/$name/" -print_final_stats=1 >"build/fuzz/$name/log" 2>&1 ||
      { tail -n 40 "build/fuzz/$name/log" >&2; die "fuzz: $name found something; the input is in build/fuzz/$name"; }
    sed -n 's/^Done /fuzz: /p' "build/fuzz/$name/log"
  done
}

clean() {
  case ${1:-} in
    --all) rm -rf build; say 'clean: removed build/' ;;
    '')
      if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +; fi
      say 'clean: removed build/ except build/deps (./build.sh clean --all removes that too)' ;;
    *) die "clean takes only --all" ;;
  esac
}

[ $# -gt 0 ] || { usage >&2; exit 2; }
case $JOBS in 0*|*[!0-9]*) die "JOBS is a number of jobs, 1 or more, not '$JOBS'" ;; esac
verb=$1; shift
case $verb in deps|lib|fold|test|run|check|bench|fuzz|arm|clean) one_at_a_time ;; esac
case $verb in
  deps) deps; say "deps: all in $D" ;;
  lib)
    lib
    say "link: cc program.c -I. build/libsvcapi.a$(mbed_libs "$D/mbedtls") -pthread" ;;
  fold) need awk sha256sum; fold; say 'fold: svcapi.c is the fold of the parts' ;;
  test) test_all "$@" ;;
  run|check|bench|fuzz|arm|clean) "$verb" "$@" ;;
  help|--help|-h) usage ;;
  *) echo "build.sh: no verb '$verb'" >&2; usage >&2; exit 2 ;;
esac
