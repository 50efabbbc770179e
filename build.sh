#!/bin/sh
# build.sh: the one entrance to building, running and testing svcapi. It exists so that `./build.sh run` and
# `./build.sh test` work as the first command on a fresh Debian machine: it fetches the dependencies (deps.sh), folds the
# parts into svcapi.c, writes makefiles and hands the rest to make. Everything it makes lies in build/, except svcapi.c.
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
AR=${AR:-ar}
JOBS=${JOBS:-2}
MBED_FLAGS='-DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD' # library and users must agree: they change struct sizes
MG_FLAGS='-DMG_TLS=MG_TLS_MBED -DMG_MAX_HTTP_HEADERS=64 -DMG_SOCK_LISTEN_BACKLOG_SIZE=1024 -DMG_ENABLE_DIRLIST=0 -DMG_ENABLE_SSI=0 -DMG_ENABLE_IPV6=1'
INCLUDES="-isystem $D -isystem $D/mbedtls/include $MBED_FLAGS"
WARN='-Wall -Wextra'
LISTENER='ports/mongoose.c ports/http_reader.c' # compiled apart, never folded: they may see svcapi.h only

say() { printf '%s\n' "$*"; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
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

. ./deps.sh

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
  echo "$CC $AR" | update "$O/tools"
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
    "$1" "$1" "$2" "$AR" "$2" "$1" "$O" >>"$M"
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
  support=; if [ -f test/support.c ]; then support=test/support.c; fi
  for f in $(find amalgamation ports -name '*.c' | sort) $tests $support "$O/main.c" "$O/registry.c"; do
    case " $LISTENER " in *" $f "*) continue ;; esac
    object "$f" "$strict"
  done
  for f in $LISTENER; do object "$f" "$3 -std=c11 $WARN -Werror -I. $INCLUDES $MG_FLAGS"; done
  dep_objects "$4"
  object "$D/mongoose.c" "$4 -std=gnu11 -w $INCLUDES $MG_FLAGS"
  object "$D/munit.c" "$4 -std=gnu11 -w"
  program "$O/run" "$objects$(mbed_libs "$2")" "$3 $5"
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
