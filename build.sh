#!/bin/sh
# build.sh: the one entrance to building, running and testing svcapi. It exists so that `./build.sh run` and
# `./build.sh test` work as the first command on a fresh Debian machine: it fetches the dependencies (deps.sh), folds the
# parts into svcapi.c (amalgamation/fold.sh) and hands the rest to make (rules.mk). Everything it makes lies in build/,
# except svcapi.c.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")"

usage() {
  cat <<'USAGE'
usage: ./build.sh VERB [ARGUMENT]...
  deps [NAME]... fetch the dependencies, or these, into build/deps, verified by hash; install missing tools when root
  lib            build/libsvcapi.a
  shared         build/libsvcapi.so.0, for programs in other languages
  run [ARG]...   build and start build/svcd on build/data, http on port 8080 and https on 8443 unless ARGs say --listen; on a new
                 store it prints the credentials
  test [NAME]    build and run all tests and checks, or those whose name contains NAME, or one test: SUITE/TEST
  check [NAME]   only the static checks
  coverage       docs/coverage.md: every operation and what tests it, of the last whole run of the tests
  branches [NAME] docs/branches.md: which branches the suites take, of the parts and the ports, by gcc's counters
  test-api [OP]  the OpenAPI document against validators, a linter, a generated client, and through Prism every answer, or those of
                 one operation; takes packages from npm
  test-cluster   two svcd on one PostgreSQL and one Redis, killed and restarted under load: limits, races, linearizability
  test-power [SCENE] what a disk is left with when the power is cut at any flush: thousands of states, each opened and checked
  test-damage [SECONDS] copies of a store with bits of its file, or of its records, changed: each opened, used, checked; half of the
                 seconds (120) for either
  test-faults [NAME] every call that the store makes to the system, and every malloc of every operation, fails once, and for good; then
                 each place that the suites, or those of this name, reach: allocations, random bytes, the store
  soak [MINUTES [SEED]] clients of several roles over HTTPS while the clock moves and svcd is killed (5 minutes): every answer against
                 a model, and how large svcd and its store become
  test-threads [SECONDS] library, listener, TLS, ticks, backups, driver, alerts and clock at once, for so long (60), under
                 ThreadSanitizer; then the suites that have threads, and svcd
  bench [ARG]... build and run the benchmarks
  fuzz [SECONDS] [TARGET] random bytes for every parser (test/fuzz), each or this one for so long (60), with clang
  analyze [TOOL] gcc -fanalyzer, clang-tidy and cppcheck, or this one, over library, ports and svcd
  fold           write svcapi.c from the parts
  arm [NAME]     cross-build for armhf and arm64, run the unit tests under qemu; leaves svcd and libsvcapi.a in build/arm
  install        put header, libraries, svcd and manual pages into PREFIX (/usr/local), for pkg-config, CMake and systemd
  uninstall      remove them from PREFIX again
  dist [ARCH]... build/dist: an archive that compiles offline, and static svcd for amd64, arm64, armhf (or none)
  test-dist      build/dist, and see each of these programs work
  test-web [NAME] drive the explorer in headless Chromium; pictures are left in build/web
  clean [--all]  remove build/ except build/deps; with --all everything
./build.sh VERB --help shows one verb.
Settings are environment variables, PREFIX=/opt/svc ./build.sh install: CC (gcc), JOBS (2), DEPS_MIRROR (the mirror apt uses);
for install and uninstall PREFIX, LIBDIR (lib), DESTDIR.
WITH=postgres makes svcd with the store on PostgreSQL (svcd --store), by libpq; SVC_TEST_STORE=postgres runs the tests on it, on a
server of their own. WITH=redis makes it with limits that several share by Redis (svcd --limiter), by hiredis; SVC_TEST_LIMITER=redis
tests that, too. WITH=postgres,redis is both.
USAGE
}

D=build/deps
CC=${CC:-gcc}
AR=${AR:-ar}
JOBS=${JOBS:-2}
MBED_FLAGS='-DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD' # library and users must agree: they change struct sizes
INCLUDES="-isystem $D -isystem $D/mbedtls/include $MBED_FLAGS"
unset MAKEFLAGS MAKELEVEL EMULATOR # a make that runs this script has nothing to say here

verbs() { usage | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p'; }

usage_of() { # VERB: its lines of the usage
  usage | awk -v verb="$1" '/^  [a-z]/ { on = $1 == verb } /^[^ ]/ { on = 0 } on'
}

near() { # WORD: " (did you mean CANDIDATE?)" for the nearest line of standard input, if one is near enough to be meant
  awk -v word="$1" '
    function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
    function distance(a, b,   i, j, d) { # how many letters to insert, drop or replace
      for (i = 0; i <= length(a); i++) d[i, 0] = i
      for (j = 0; j <= length(b); j++) d[0, j] = j
      for (i = 1; i <= length(a); i++) for (j = 1; j <= length(b); j++)
        d[i, j] = least(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
      return d[length(a), length(b)]
    }
    { n = distance(word, $0); if (best == "" || n < found) { best = $0; found = n } }
    END { if (best != "" && found <= 1 + length(word) / 4) printf " (did you mean %s?)", best }'
}

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
    sha256sum) echo coreutils ;; dpkg-deb) echo dpkg ;; ar|nm|readelf|objcopy) echo binutils ;; gcov) echo gcc ;; find) echo findutils ;;
    qemu-arm|qemu-aarch64) echo qemu-user ;; psql) echo postgresql ;; redis-cli) echo redis-tools ;; libpq-fe.h) echo libpq-dev ;; hiredis.h) echo libhiredis-dev ;; clang) echo clang libclang-rt-dev ;;
    node) echo nodejs ;; arm-linux-gnueabihf-gcc) echo gcc-arm-linux-gnueabihf libc6-dev-armhf-cross ;;
    aarch64-linux-gnu-gcc) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    x86_64-linux-gnu-gcc) echo gcc-x86-64-linux-gnu ;; x86_64-linux-gnu-*) echo binutils-x86-64-linux-gnu ;;
    arm-linux-gnueabihf-*) echo binutils-arm-linux-gnueabihf ;; aarch64-linux-gnu-*) echo binutils-aarch64-linux-gnu ;;
    *) echo "$1" ;;
  esac
}

libpq() { pg_config --includedir 2>/dev/null || echo /usr/include/postgresql; }

has() {
  if [ "$1" = libpq-fe.h ]; then echo '#include <libpq-fe.h>' | ${CC} -E -x c -I"$(libpq)" - >/dev/null 2>&1; return; fi
  if [ "$1" = hiredis.h ]; then echo '#include <hiredis/hiredis.h>' | ${CC} -E -x c - >/dev/null 2>&1; return; fi
  if [ "$1" = headers ]; then echo '#include <stdio.h>' | ${CC} -E -x c - >/dev/null 2>&1; return; fi
  command -v "$1" >/dev/null 2>&1
}

missing() { for t in "$@"; do has "$t" || printf ' %s' "$t"; done; }

apt() { DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@"; }

install() { # PACKAGE...: shows all that comes with them, and removes nothing: the machine is the user's
  mkdir -p build
  if [ -z "${apt_updated:-}" ]; then apt-get -qq update >build/apt.log 2>&1 || :; apt_updated=yes; fi
  plan=$(apt -s install "$@" 2>/dev/null) || :
  gone=$(printf '%s\n' "$plan" | awk '$1 == "Remv" { printf " %s", $2 }')
  if [ -n "$gone" ]; then say "tools: not installing $*: that would remove$gone"; return 0; fi
  say "tools: installing$(printf '%s\n' "$plan" | awk '$1 == "Inst" { printf " %s", $2 }')"
  apt -qq --no-remove install "$@" >>build/apt.log 2>&1 || :
}

want() { # TOOL...: install what is missing if that can be done; what stays missing is in $lack
  lack=$(missing "$@")
  [ -n "$lack" ] || return 0
  # shellcheck disable=SC2086
  packages=$(for t in $lack; do package_of "$t"; done | tr ' ' '\n' | sort -u | tr '\n' ' ')
  packages=${packages% }
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then return 0; fi
  # shellcheck disable=SC2086
  install $packages
  # shellcheck disable=SC2086
  lack=$(missing $lack)
}

need() { # TOOL...: as want, but without them there is no going on
  want "$@"
  [ -z "$lack" ] || die "missing$lack: run 'apt-get install $packages' as root"
}

. ./deps.sh
. package/package.sh

# ---- fold, library, daemon -------------------------------------------------------------------------------------------

fold() {
  mkdir -p build
  sh amalgamation/fold.sh --header build/svcapi.h.new || exit 1
  if cmp -s build/svcapi.h.new svcapi.h; then rm -f build/svcapi.h.new
  else mv build/svcapi.h.new svcapi.h; say "fold: svcapi.h, its list of names"; fi
  sh amalgamation/fold.sh --out build/svcapi.c.new || exit 1
  if cmp -s build/svcapi.c.new svcapi.c; then rm -f build/svcapi.c.new; return 0; fi
  mv build/svcapi.c.new svcapi.c
  say "fold: svcapi.c ($(wc -l <svcapi.c) lines)"
}

pack() { # the explorer's files, as a part of the listener
  mkdir -p build
  sh ports/explorer/pack.sh --out build/explorer_files.c.new || exit 1
  if cmp -s build/explorer_files.c.new ports/listener/explorer_files.c; then rm -f build/explorer_files.c.new; return 0; fi
  mv build/explorer_files.c.new ports/listener/explorer_files.c
  say "pack: ports/listener/explorer_files.c"
}

build() { # WHAT TARGET VARIABLE=VALUE...: makes it by rules.mk in $O; a failure ends with one line that names the file
  what=$1; shift
  mkdir -p "$O/see"; rm -f "$O/failed"
  sed '/^\*\* The names, written by /,/^\*\*$/d' svcapi.h | update "$O/see/header"
  set -- -r -s -f rules.mk "$@" POSTGRES="$POSTGRES" REDIS="$REDIS" O="$O" CC="$CC" AR="$AR" OBJCOPY="${AR%ar}objcopy" INCLUDES="$INCLUDES"
  if plan=$(make -n "$@" 2>/dev/null) && [ -z "$plan" ]; then return 0; fi
  count=$(printf '%s\n' "$plan" | grep -cE ' -o | rcs ') || :
  case $count in 1) say "build: $what (1 file)" ;; *) say "build: $what ($count files)" ;; esac
  made=0; make -Otarget -j"$JOBS" "$@" >"$O/log" 2>&1 || made=$?
  if [ -f "$O/failed" ] || [ $made = 0 ]; then grep -v '^make' "$O/log" >&2 || :; else cat "$O/log" >&2; fi
  [ $made = 0 ] || { echo "build failed: $(head -n 1 "$O/failed" 2>/dev/null || echo "$what")" >&2; exit 1; }
}

POSTGRES= # where libpq-fe.h is, if svcd and the tests are made with it
REDIS= # yes: with hiredis
with() { # what is asked for by WITH, SVC_TEST_STORE and SVC_TEST_LIMITER
  case ${SVC_TEST_STORE:=} in ''|lmdb|postgres) ;; *) die "SVC_TEST_STORE is lmdb or postgres, not '$SVC_TEST_STORE'" ;; esac
  case ${SVC_TEST_LIMITER:=} in ''|redis) ;; *) die "SVC_TEST_LIMITER is redis, not '$SVC_TEST_LIMITER'" ;; esac
  for w in $(echo "${WITH:-}" | tr , ' ') $SVC_TEST_STORE $SVC_TEST_LIMITER; do
    case $w in
      lmdb) ;;
      postgres) need libpq-fe.h; POSTGRES=$(libpq) ;;
      redis) need hiredis.h; REDIS=yes ;;
      *) die "WITH names what there is beside LMDB and the limiter of each process: postgres, redis, or both with a comma; not '$w'" ;;
    esac
  done
  # what several machines share is tested together, where that is there
  if [ "$SVC_TEST_STORE" = postgres ] && has hiredis.h && has redis-server; then REDIS=yes; fi
}

mbed_libs() { for l in tls x509 crypto; do printf ' %s' "$D/mbedtls/library/libmbed$l.a"; done; }

LIBRARY='lmdb frozen tinycthread mbedtls' # what it is made with

PLACED='-O2 -fPIC -fvisibility=hidden' # one set of objects, for programs and for the shared library

# shellcheck disable=SC2086
lib() { deps $LIBRARY; fold; O=build/lib; build libsvcapi.a lib OPT="$PLACED"; }
shared() { lib; build libsvcapi.so.0 shared OPT="$PLACED"; }
# shellcheck disable=SC2086
daemon() { deps $LIBRARY mongoose; lib; pack; build svcd svcd OPT="$PLACED"; }

# ---- a PostgreSQL of the tests' own ----------------------------------------------------------------------------------

postgres_name() { if [ "$(id -u)" = 0 ]; then echo runuser -u postgres --; fi; } # it will not run as root

postgres_as() { # PROGRAM ARG...: of PostgreSQL
  set -- "$PG_BIN/$@"
  # shellcheck disable=SC2046
  (cd / && $(postgres_name) "$@" 9<&-)
}

postgres_stop() { postgres_as pg_ctl -D "$PG/data" -m immediate stop >/dev/null 2>&1 || :; rm -rf "$PG"; }

PG_HASTE='-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=128MB' # nothing of it is to be kept

postgres_start() { # SETTINGS; $SVC_TEST_POSTGRES: the folder of its socket. It is there for this run, and listens on nothing else
  need psql
  settings=$1
  set -- /usr/lib/postgresql/*/bin/initdb
  for PG_BIN in "$@"; do PG_BIN=${PG_BIN%/*}; done # the newest
  [ -x "$PG_BIN/initdb" ] || die 'no initdb in /usr/lib/postgresql'
  PG=$PWD/build/postgres
  if [ -d "$PG" ]; then postgres_stop; fi # of a run that was killed
  mkdir -p "$PG"
  if [ "$(id -u)" = 0 ]; then chown postgres "$PG"; fi
  trap postgres_stop EXIT; trap 'exit 1' HUP INT TERM
  if ! postgres_as initdb -D "$PG/data" -U svc -A trust -E UTF8 --locale=C --no-sync >build/postgres.log 2>&1 ||
    ! postgres_as pg_ctl -D "$PG/data" -l "$PG/log" -w -o "-c listen_addresses='' -c unix_socket_directories='$PG' \
      -c max_connections=400 -c autovacuum=on $settings" start >>build/postgres.log 2>&1
  then die "PostgreSQL does not start: build/postgres.log"; fi
  SVC_TEST_POSTGRES=$PG; export SVC_TEST_POSTGRES SVC_TEST_STORE
}

# ---- tests ----------------------------------------------------------------------------------------------------------

suites() { find test -name '*_test.c' | sort | sed 's,.*/,,; s,_test\.c$,,'; }
checks() { find test/check -name '*.sh' | sort | sed 's,.*/,check/,; s,\.sh$,,'; }
source_of() { find test -name "$1_test.c"; } # SUITE

selected() { # [NAME]: suites and checks whose name contains NAME; SUITE/TEST is one test
  case ${1:-} in
    check/*) checks | grep -F -e "$1" ;;
    */*) echo "$1" ;;
    *) { suites; checks; } | grep -F -e "${1:-}" ;;
  esac
}

tests_named() { # SUITE: every name in its source that may be a test's; build/test/run --list knows which are
  grep -ohE '"/[A-Za-z0-9_-]+"|TEST\([A-Za-z0-9_, ]+' "$(source_of "$1")" | sed 's/^TEST(//' | tr -d '"/' | tr -s ', ' '\n' | sort -u
}

known_name() { # NAME: dies unless a suite, a check or a test is called so, and says what may have been meant
  case $1 in
    check/*|'') ;;
    */*)
      suite=${1%%/*}
      suites | grep -qxF -e "$suite" || die "no suite '$suite'$(suites | near "$suite"): ./build.sh test SUITE/TEST runs one test"
      tests_named "$suite" | grep -qxF -e "${1#*/}" ||
        die "no test '${1#*/}' in the suite $suite$(tests_named "$suite" | near "${1#*/}"): see $(source_of "$suite")"
      return 0 ;;
  esac
  selected "$1" | grep -q . ||
    die "no suite or check has '$1' in its name$({ suites; checks; } | near "$1"): find test -name '*_test.c' lists the suites"
}

starts_svcd() { # NAME...: does a check, or a suite that starts svcd, stand among them?
  for n in "$@"; do
    case $n in check/*) return 0 ;; esac
    if grep -qE 'svcd_(start|program)' "$(source_of "${n%%/*}")"; then return 0; fi
  done
  return 1
}

split() { # WHAT TARGET VARIABLE=VALUE...: of the parts compiled apart, in $O
  mkdir -p "$O"
  twice=$(suites | sort | uniq -d | tr '\n' ' ')
  [ -z "$twice" ] || die "two test files are called ${twice% }_test.c"
  suites | sed 's/.*/SUITE(&)/' | update "$O/suites.h"
  sh amalgamation/fold.sh --registry "$O/registry.new" || exit 1
  update "$O/registry.c" <"$O/registry.new"; rm -f "$O/registry.new"
  sh test/error_numbers.sh "$O/see" || exit 1
  build "$@"
}

sanitized() { # WHAT TARGET: in build/test, as the tests want it
  san='-g -O1 -fno-omit-frame-pointer -fsanitize=address'
  O=build/test
  split "$@" DEP_OPT="$san" OPT="$san -fsanitize=undefined -fno-sanitize-recover=undefined -Werror"
}

passed=0; failed=0

result() { # FOLDER NAME: what test/one.sh left, in $good, $bad, $took; as a failure if it never came so far
  { read -r good bad took <"$1/out/$2.result"; } 2>/dev/null || { good=0; bad=1; took=9999; }
}

run_tests() { # FOLDER NAME...: suites of FOLDER/run and checks, as many at a time as there are jobs; counts them
  folder=$1; shift
  # those that took longest the last time, and those that are new, start first: none is left alone at the end
  order=$(for n in "$@"; do result "$folder" "$n"; echo "$took $n"; rm -f "$folder/out/$n.result"; done |
    sort -s -k1,1nr | cut -d' ' -f2 | tr '\n' ' ')
  make -r -s -k -Otarget -j"$JOBS" -f test/run.mk O="$folder" NAMES="$order" 9<&- || :
  bad_ones=
  for n in "$@"; do
    result "$folder" "$n"
    passed=$((passed + good)); failed=$((failed + bad))
    if [ "$bad" != 0 ]; then bad_ones="$bad_ones $n"; fi
  done
  [ -z "$bad_ones" ] || say "test: failures in$bad_ones"
}

for_checks() { # NAME...: what they need
  want clang g++ nm readelf curl psql openssl cmake pkg-config
  if [ -e .git ]; then want git; fi
  case " $* " in *' check/install '*) (rm -rf build/check/stage; DESTDIR=$PWD/build/check/stage PREFIX=/opt/svc; install_all) || exit 1 ;; esac
  case " $* " in *' check/dist '*) (sources) || exit 1 ;; esac
  MBED_LIBS=$(mbed_libs); export CC INCLUDES MBED_LIBS
}

summary() {
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

# shellcheck disable=SC2086
for_tests() { deps $LIBRARY mongoose munit; fold; pack; }

test_all() { # [NAME]
  # shellcheck disable=SC2046
  set -- $(selected "${1:-}")
  for_tests
  sanitized 'test objects' run # first: an error in a part is reported as that part's
  case $1 in
    check/*) ;;
    */*) ASAN_OPTIONS=detect_leaks=0 build/test/run --suite "$1" --list >/dev/null 2>&1 || die "no test '${1#*/}' in the suite ${1%%/*}$(
      ASAN_OPTIONS=detect_leaks=0 build/test/run --suite "${1%%/*}" --list | sed 's,.*/,,' | near "${1#*/}")" ;;
  esac
  if starts_svcd "$@"; then daemon; fi # as a user does
  case " $* " in *' check/'*) shared; for_checks "$@" ;; esac
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  if [ -n "$REDIS" ]; then need redis-server; SVC_TEST_LIMITER=redis; export SVC_TEST_LIMITER; fi # its suite starts and ends servers itself
  run_tests build/test "$@"
  if [ "$#" = "$({ suites; checks; } | wc -l)" ]; then # all of them
    if said=$(sh test/coverage.sh build/test --check 2>&1); then passed=$((passed + 1)); say 'coverage: ok'
    else failed=$((failed + 1)); say "coverage: FAILED: $said"; fi
  fi
  summary
}

coverage() { # of the last whole run
  [ -f build/test/out/every_plan.touched ] || die 'run ./build.sh test first'
  mkdir -p docs
  sh test/coverage.sh build/test >build/test/coverage.md || exit 1
  update docs/coverage.md <build/test/coverage.md
  say 'coverage: docs/coverage.md'
}

check() { # [NAME]
  for_tests
  sanitized parts parts
  daemon
  shared
  # shellcheck disable=SC2046
  set -- $(checks | grep -F -e "${1:-}")
  for_checks "$@"
  run_tests build/test "$@"
  summary
}

with_installed() { # VERB: PostgreSQL and Redis are built in where they are installed, and what is left out is said
  if has libpq-fe.h && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then POSTGRES=$(libpq)
  else say "$1: ports/postgres.c is left out: there is no libpq-fe.h, or no server (libpq-dev, postgresql)"; fi
  if has hiredis.h && has redis-server; then REDIS=yes; SVC_TEST_LIMITER=redis; export SVC_TEST_LIMITER
  else say "$1: ports/redis.c is left out: there is no hiredis.h, or no server (libhiredis-dev, redis-server)"; fi
}

# Suites that take other ways on a store that several write to, or in its port: they are run on PostgreSQL a second time.
ON_POSTGRES='postgres|port|copy|entity|index|due|keys|driver|retry|conditional|holding|clock|whole|verify|event'

# And on LMDB that says that others write to it, with everything failing once.
AS_SHARED='driver|login|due|list|event|verify|clock|cluster|organization|project|team'

branches() { # [NAME]: of suites whose name holds NAME; docs/branches.md is written by a run of all
  with_installed branches
  for_tests
  need gcov
  O=build/branches; counted='-g -O0 --coverage -fprofile-update=atomic -DSVC_COUNTED' # threads count, too
  split 'test objects, with counters' run OPT="$counted" DEP_OPT=-O1
  build 'svcd, with counters' svcd OPT="$counted" DEP_OPT=-O1 OUT=$O
  SVC_TEST_SVCD=$PWD/$O/svcd; export SVC_TEST_SVCD
  find $O/obj -name '*.gcda' -exec rm -f {} +
  rm -f $O/places $O/places.said
  SVC_TEST_FAIL=$PWD/$O/places; export SVC_TEST_FAIL # every place fails once: see test/fail.c
  SVC_TEST_STORE=
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  # shellcheck disable=SC2046
  run_tests $O $(suites | grep -F -e "${1:-}")
  # what only stores have that several write to, by some of the suites
  # shellcheck disable=SC2046
  SVC_TEST_STORE=shared run_tests $O $(suites | grep -xE "$AS_SHARED" | grep -F -e "${1:-}")
  unset SVC_TEST_FAIL
  if [ -n "$POSTGRES" ]; then
    SVC_TEST_STORE=postgres
    # shellcheck disable=SC2046
    run_tests $O $(suites | grep -xE "$ON_POSTGRES" | grep -F -e "${1:-}")
  fi
  if [ $# = 0 ]; then sh test/branches.sh $O >$O/branches.md && cp $O/branches.md docs/branches.md
  else sh test/branches.sh $O >$O/branches.md; fi
  sed -n 's/^\*\*\(.*\)\*\*$/branches: \1/p' $O/branches.md
  summary
}

test_api() { # [OPERATION]: the packages are those of test/api/package-lock.json, by their hashes, and go into build/api
  TOOLS='node npm'
  daemon
  mkdir -p build/api
  if ! cmp -s test/api/package-lock.json build/api/installed; then
    say 'test-api: installing packages'
    cp test/api/package.json test/api/package-lock.json build/api/
    (cd build/api && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || { cat build/api/npm.log >&2; die 'npm ci failed'; }
    cp test/api/package-lock.json build/api/installed
  fi
  cp test/api/*.mjs test/api/spectral.yaml build/api/
  node build/api/run.mjs "$PWD/build/svcd" "$@" 9<&-
}

# ---- the other verbs ------------------------------------------------------------------------------------------------

run() {
  daemon
  mkdir -p build/data
  case " $* " in *' --listen '*) ;; *) set -- --listen http://127.0.0.1:8080 --listen https://127.0.0.1:8443 "$@" ;; esac
  exec build/svcd --data build/data --show-credentials "$@" 9<&- # on a new store: secrets and all, for whoever tries it
}

bench() {
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold
  O=build/bench
  build benchmarks bench OPT='-O2 -DNDEBUG'
  # what the library adds to a program: text and data of svcapi.c alone, without names
  # shellcheck disable=SC2086
  $CC -std=c11 -Os -DNDEBUG -ffunction-sections -c -o build/bench/size.o $INCLUDES svcapi.c &&
    SVC_SIZE_OS=$(size build/bench/size.o | awk 'NR == 2 { print $1 + $2 }') && export SVC_SIZE_OS
  case "$*" in
    *'--only postgres'*) ;;
    *--only*|loop*|serve*) exec build/bench/bench "$@" 9<&- ;;
    *) build/bench/bench "$@" 9<&-; set -- --only postgres "$@" ;;
  esac
  bench_postgres "$@"
}

bench_postgres() { # a program of its own: the other one has nothing of a store that several write to
  if ! has libpq-fe.h; then say 'bench: PostgreSQL is left out: there is no libpq-fe.h (libpq-dev)'; return 0; fi
  if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then say 'bench: PostgreSQL is left out: there is no server (postgresql)'; return 0; fi
  O=build/bench/postgres; POSTGRES=$(libpq)
  build 'benchmarks, with PostgreSQL' bench OPT='-O2 -DNDEBUG'
  postgres_start '-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c shared_buffers=1GB -c max_wal_size=8GB' # as users have it
  unset SVC_SIZE_OS
  build/bench/postgres/bench "$@" 9<&-
}

arm() { # [NAME]
  TOOLS='arm-linux-gnueabihf-gcc aarch64-linux-gnu-gcc qemu-arm qemu-aarch64'
  for_tests
  SVC_TEST_QEMU=1; export SVC_TEST_QEMU # robust mutexes do not work under qemu: tests of a killed writer look for this
  for target in armhf:arm-linux-gnueabihf:qemu-arm arm64:aarch64-linux-gnu:qemu-aarch64; do
    arch=${target%%:*}; EMULATOR=${target##*:}; cross=${target#*:}; cross=${cross%:*}
    O=build/arm/$arch; CC=$cross-gcc; AR=$cross-ar; export EMULATOR
    mbedtls "$D/mbedtls-$arch" "$CC" "$AR"
    split "test objects, $arch" run OPT='-O2 -Werror' DEP_OPT=-O2 LINK=-static MBED="$D/mbedtls-$arch"
    # shellcheck disable=SC2046
    run_tests "$O" $(suites | grep -F -e "${1:-}")
    # what one takes to such a machine, of the same sources, with its own libraries of C
    O=$O/out
    for made in lib svcd; do build "$made, $arch" $made OPT='-Os' MBED="$D/mbedtls-$arch" OUT="build/arm/$arch"; done
    say "arm: $arch done; in build/arm/$arch: $(cd "build/arm/$arch" && wc -c svcd libsvcapi.a | awk '{ printf "%s%s %d bytes", (NR > 1 ? ", " : ""), $2, $1 } NR == 2 { exit }')"
  done
  want clang
  if sh test/check/same.sh; then passed=$((passed + 1)); say 'arm: the same answers, byte for byte, as on this machine'
  else failed=$((failed + 1)); fi
  summary
}

fuzz() { # [SECONDS] [TARGET]: every X_fuzz.c is a program of its own; what it learns stays in build/fuzz/X, and a crash beside it
  seconds=${1:-60}
  case $seconds in *[!0-9]*|'') die "fuzz takes a number of seconds, and a target" ;; esac
  [ -z "${2:-}" ] || [ -f "test/fuzz/$2_fuzz.c" ] || die "no such target: $2"
  TOOLS=clang
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold; pack
  O=build/fuzz; CC=clang
  san='-g -O1 -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link'
  split 'fuzzers, with clang' fuzz DEP_OPT="$san" OPT="$san -fsanitize=undefined -fno-sanitize-recover=undefined -Wno-missing-field-initializers"
  for f in test/fuzz/*_fuzz.c; do
    name=${f##*/}; name=${name%_fuzz.c}; words=
    case ${2:-$name} in "$name") ;; *) continue ;; esac
    mkdir -p "build/fuzz/$name/seeds" "build/fuzz/$name/found"
    SVC_FUZZ_SEEDS=build/fuzz/$name/seeds "build/fuzz/${name}_fuzz" -runs=1 >/dev/null 2>&1 || :
    if [ -f "build/fuzz/$name/words" ]; then words=-dict=build/fuzz/$name/words; fi
    say "fuzz: $name, $seconds seconds"
    # shellcheck disable=SC2086
    "build/fuzz/${name}_fuzz" "build/fuzz/$name/found" "build/fuzz/$name/seeds" "test/fuzz/corpus/$name" $words -max_len=4096 -timeout=20 \
      -max_total_time="$seconds" -artifact_prefix="build/fuzz/$name/" -print_final_stats=1 >"build/fuzz/$name/log" 2>&1 ||
      { tail -n 40 "build/fuzz/$name/log" >&2; die "fuzz: $name found something; the input is in build/fuzz/$name"; }
    sed -n 's/^Done /fuzz: /p' "build/fuzz/$name/log"
  done
}

analyze() { # three readers of the code that run none of it; what they find is mended, or explained: there, in .clang-tidy, in test/analyze/known
  need gcc clang-tidy cppcheck
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold; pack
  OTHERS=; LEFT_OUT=
  if has libpq-fe.h; then OTHERS="-DSVC_WITH_POSTGRES -isystem $(libpq)"; else LEFT_OUT=ports/postgres.c; fi
  if has hiredis.h; then OTHERS="$OTHERS -DSVC_WITH_REDIS"; else LEFT_OUT="$LEFT_OUT ports/redis.c"; fi
  [ -z "$LEFT_OUT" ] || say "analyze: left out, without the headers of libpq or hiredis: $LEFT_OUT"
  export INCLUDES JOBS OTHERS LEFT_OUT
  sh test/analyze/analyze.sh "$@" 9<&-
}

test_web() { # [NAME]: the tests of the page whose name contains NAME
  one_at_a_time
  need node chromium
  daemon
  node test/web/run.mjs "$@" 9<&-
}

# What starts threads itself, or starts svcd, which has some.
threaded() { grep -lE 'thrd_create|pthread_create|svc_listener_start|svcd_start' test/*/*_test.c | sed 's,.*/,,; s,_test\.c$,,'; }

# shellcheck disable=SC2086
test_threads() { # [SECONDS]: everything at once under ThreadSanitizer, then the suites with threads; LMDB, mbedTLS and mongoose are built with it, too
  seconds=${1:-60}
  case $seconds in *[!0-9]*|'') die "test-threads takes a number of seconds" ;; esac
  with_installed test-threads
  for_tests
  O=build/threads; san='-g -O1 -fno-omit-frame-pointer -fsanitize=thread'
  mbedtls "$D/mbedtls-threads" "$CC" "$AR" "$san"
  set -- OPT="$san -Werror" MBED="$D/mbedtls-threads" OUT=$O
  build threads threads "$@"
  build 'svcd, under ThreadSanitizer' svcd "$@"
  split 'test objects, under ThreadSanitizer' run "$@"
  rm -f $O/said $O/report.*
  TSAN_OPTIONS="suppressions=$PWD/test/threads/suppressions exitcode=66 second_deadlock_stack=1"
  SVC_TEST_SVCD=$PWD/$O/svcd; export TSAN_OPTIONS SVC_TEST_SVCD
  say "threads: everything at once, $seconds seconds"
  $O/threads "$seconds" 9<&- 2>$O/said || { head -n 60 $O/said; die "threads: see $O/said"; }
  TSAN_OPTIONS="$TSAN_OPTIONS log_path=$PWD/$O/report" # of every process that a test starts
  SVC_TEST_STORE=
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  run_tests $O $(threaded)
  for report in $O/report.*; do
    [ ! -f "$report" ] || { head -n 60 "$report"; die "threads: see $O/report.*"; }
  done
  say 'threads: ThreadSanitizer has nothing to say'
  summary
}

redis_stop() { if [ -s "$1.pid" ]; then kill -9 "$(cat "$1.pid")" 2>/dev/null || :; rm -f "$1.pid" "$1.sock"; fi; }

# shellcheck disable=SC2086
test_cluster() { # what stands on the disk is what was acknowledged: PostgreSQL as it is for users
  need redis-server redis-cli
  deps $LIBRARY mongoose
  fold
  O=build/cluster
  build 'svcd, with PostgreSQL and Redis' svcd OPT=-O2 OUT=build/cluster
  build cluster cluster OPT=-O2
  postgres_start '-c shared_buffers=128MB'
  R=$PWD/build/cluster/redis
  redis_stop "$R" # of a run that was killed
  trap 'redis_stop "$R"; postgres_stop' EXIT
  rm -rf build/cluster/data; mkdir -p build/cluster/data
  cat >build/cluster/faults.sh <<FAULTS
# what build/cluster/cluster does to the servers it stands on
case \$1 in
  postgres-restart) cd / && $(postgres_name) '$PG_BIN/pg_ctl' -D '$PG/data' -l '$PG/log' -m immediate -w restart >/dev/null ;;
  redis-kill) kill -9 "\$(cat '$R.pid')"; rm -f '$R.pid' ;;
  redis-start)
    redis-server --port 0 --unixsocket '$R.sock' --save '' --appendonly no --daemonize yes --pidfile '$R.pid' --logfile '$R.log' --dir /tmp
    n=0; until redis-cli -s '$R.sock' ping >/dev/null 2>&1; do n=\$((n + 1)); [ \$n -lt 100 ] || exit 1; sleep 0.1; done ;;
  *) exit 2 ;;
esac
FAULTS
  sh build/cluster/faults.sh redis-start 9<&- || die "Redis does not start: $R.log"
  CLUSTER_SVCD=$PWD/build/cluster/svcd CLUSTER_STORE="postgres:///postgres?host=$PG&user=svc" CLUSTER_FOLDER=$PWD/build/cluster/data \
    CLUSTER_LIMITER="redis+unix://$R.sock?timeout=200" CLUSTER_FAULTS=$PWD/build/cluster/faults.sh build/cluster/cluster 9<&-
}

test_power() { # [SCENE]
  daemon
  O=build/power
  build power power OPT=-O2
  where=/dev/shm; if [ ! -w $where ]; then where=$PWD/build/power; fi
  where=$(mktemp -d "$where/svcapi-power-XXXXXX")
  status=0
  POWER_SVCD=$PWD/build/svcd POWER_RECORD=$PWD/build/power/record.so POWER_FOLDER=$where build/power/power "$@" 9<&- || status=$?
  if [ $status = 0 ]; then rm -rf "$where"; else say "test-power: what was left is in $where"; fi
  return $status
}

test_damage() { # [SECONDS]: the same as the suite of that name does for a few
  seconds=${1:-120}
  case $seconds in *[!0-9]*|'') die "test-damage takes a number of seconds" ;; esac
  for_tests
  sanitized 'test objects' run
  SVC_TEST_DAMAGE=$(((seconds + 1) / 2)) build/test/run --suite damage --color never --show-stderr 9<&-
}

test_faults() { # [NAME]: as the suites do with a sample; then all suites, or those whose name holds NAME, with every place failing once
  for_tests
  sanitized 'test objects' run
  daemon
  for one in io:/io/faults every_plan:/every_plan/malloc; do
    [ $# = 0 ] || continue
    SVC_TEST_ALL=1 build/test/run --suite "${one%%:*}" --color never --show-stderr "${one#*:}" 9<&- || return 1
  done
  rm -f build/test/places build/test/places.said
  SVC_TEST_FAIL=$PWD/build/test/places; export SVC_TEST_FAIL
  # shellcheck disable=SC2046
  run_tests build/test $(suites | grep -F -e "${1:-}")
  summary
}

soak() { # [MINUTES [SEED]]
  daemon
  O=build/soak
  build soak soak OPT=-O2
  rm -rf build/soak/data; mkdir -p build/soak/data
  SOAK_SVCD=$PWD/build/svcd SOAK_FOLDER=$PWD/build/soak/data build/soak/soak "$@" 9<&-
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
case $1 in
  help|--help|-h) if [ $# -gt 1 ] && [ -n "$(usage_of "$2")" ]; then usage_of "$2"; else usage; fi; exit 0 ;;
esac
[ -n "$(usage_of "$1")" ] || { echo "build.sh: no verb '$1'$(verbs | near "$1"); ./build.sh help lists them" >&2; exit 2; }
for argument in "$@"; do
  case $argument in --help|-h) usage_of "$1"; if [ "$1" = run ]; then say '                 ARGs are flags of svcd: build/svcd serve --help'; fi; exit 0 ;; esac
done
case $1 in
  lib|shared|fold|coverage|install|uninstall|test-cluster|test-dist)
    [ $# = 1 ] || die "$1 takes no argument, and got '$2'; settings are environment variables: ./build.sh help $1" ;;
  *) case ${2:-} in --all) ;; -*) if [ "$1" != run ] && [ "$1" != bench ]; then die "$1 has no flag '$2': ./build.sh help $1"; fi ;; esac ;;
esac
case $JOBS in 0*|*[!0-9]*) die "JOBS is a number of jobs, 1 or more, not '$JOBS'" ;; esac
verb=$1; shift
case $verb in # before the lock is waited for: a wrong name is said at once, whatever else runs in this folder
  test) known_name "${1:-}" ;;
  check) [ -z "${1:-}" ] || checks | grep -qF -e "$1" ||
    die "no check has '$1' in its name$(checks | sed 's,check/,,' | near "$1"): they are test/check/*.sh" ;;
esac
if [ "$verb" = test-cluster ]; then WITH=postgres,redis; fi
with
case $verb in deps|lib|shared|fold|test|test-api|run|check|coverage|branches|bench|fuzz|analyze|arm|clean|install|dist|test-cluster|test-power|test-damage|test-faults|soak|test-threads) one_at_a_time ;; esac
case $verb in
  deps)
    for d in "$@"; do all_deps | grep -qxF -e "$d" || die "no dependency '$d': there are $(all_deps | tr '\n' ' ')"; done
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(all_deps)
    deps "$@"
    say "deps: all in $D" ;;
  lib)
    lib
    say "link: cc program.c -I. build/libsvcapi.a$(mbed_libs) -pthread" ;;
  shared)
    shared
    say "link: cc program.c -I. -Lbuild -lsvcapi; other languages load build/libsvcapi.so.0" ;;
  fold) need awk sha256sum; fold; pack; say 'fold: svcapi.c is the fold of the parts' ;;
  test) test_all "$@" ;;
  run|check|coverage|branches|bench|fuzz|analyze|soak|arm|clean|dist) "$verb" "$@" ;;
  # shellcheck disable=SC2119
  test-dist) need qemu-arm qemu-aarch64 curl readelf; (one_at_a_time; dist); sh test/dist/static.sh ;;
  install|uninstall) "${verb}_all" "$@" ;;
  test-api) test_api "$@" ;;
  test-web) test_web "$@" ;;
  test-cluster) test_cluster ;;
  test-power) test_power "$@" ;;
  test-damage) test_damage "$@" ;;
  test-faults) test_faults "$@" ;;
  test-threads) test_threads "$@" ;;
esac
