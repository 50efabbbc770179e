#!/bin/sh
# build.sh: builds, runs and tests svcapi. `./build.sh run` and `./build.sh test` work as the first command on a fresh Debian machine: build.sh
# fetches the dependencies (deps.sh), folds the parts into svcapi.c (amalgamation/fold.sh) and calls make for the rest (rules.mk). All of its
# output is in build/, except svcapi.c and other generated files. Further verbs are in test/verbs: each file begins with its help and defines
# verb(), and build.sh sources it when that verb is called.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")"

usage() { # one line for each verb; the files in test/verbs have their own lines
  cat <<'USAGE'
usage: ./build.sh VERB [ARGUMENT]...
  deps [NAME]...           fetch the dependencies, or these, into build/deps, verified by hash; install missing tools when root
  lib                      build/libsvcapi.a
  shared                   build/libsvcapi.so.1, for programs in other languages
  run [ARG]...             build and start build/svcd on build/data, http on port 8080 and https on 8443
  test [NAME]              build and run all tests and checks, or those whose name contains NAME, or one test: SUITE/TEST
  check [NAME]             only the static checks
  coverage                 docs/coverage.md: every operation and its tests, from the last complete run of the tests
  index                    docs/index.md: every operation, its noun, its file and the suites that test it
  fold                     write svcapi.c from the parts
  install                  put header, libraries, svcd and manual pages into PREFIX (/usr/local), for pkg-config, CMake and systemd
  uninstall                remove them from PREFIX again
  clean [--all]            remove build/ except build/deps; with --all everything
USAGE
  for f in test/verbs/*.sh; do
    [ ! -f "$f" ] || sed -n '1s/^# \([^:]*\): /\1\n/p' "$f" | { IFS= read -r call; IFS= read -r does; printf '  %-24s %s\n' "$call" "$does"; }
  done
  cat <<'USAGE'
./build.sh help VERB, or VERB --help, explains one verb.
Settings are environment variables, PREFIX=/opt/svc ./build.sh install: CC (gcc), CFLAGS (-O2) and LDFLAGS of libraries and svcd, JOBS (2),
DEPS_MIRROR (the mirror apt uses);
for install and uninstall PREFIX, LIBDIR (lib), DESTDIR.
WITH=postgres builds svcd with the store on PostgreSQL (svcd --store), by libpq. SVC_TEST_STORE=memory runs the tests on the in-memory store,
SVC_TEST_STORE=postgres on a PostgreSQL server of their own, SVC_TEST_STORE=pgbouncer the same through a PgBouncer in transaction mode.
WITH=redis builds svcd with limits that several instances share through Redis (svcd --limiter), by hiredis; SVC_TEST_LIMITER=redis tests that too.
WITH=openssl builds the listener, and programs with it, with OpenSSL instead of mbedTLS. WITH=postgres,redis,openssl combines all of them.
USAGE
}

D=build/deps
CC=${CC:-gcc}
AR=${AR:-ar}
JOBS=${JOBS:-2}
MBED_FLAGS='-DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD' # library and programs must use the same flags, because these change the size of structs
INCLUDES="-isystem $D -isystem $D/mbedtls/include $MBED_FLAGS"
unset MAKEFLAGS MAKELEVEL EMULATOR # settings of a make that runs this script do not apply here

verbs() { usage | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p'; }

usage_of() { # VERB: prints the comment at the start of its file, or its line of the usage with more details
  if [ -f "test/verbs/$1.sh" ]; then sed -n '/^#/!q; s/^# \{0,1\}//p' "test/verbs/$1.sh"; return; fi
  usage | awk -v verb="$1" '/^  [a-z]/ && $1 == verb'
  case $1 in
    run) printf '\n%s\n' 'ARGs are flags of svcd (build/svcd serve --help); --listen replaces both ports. On a new store svcd prints the credentials.' ;;
    test) printf '\n%s\n%s\n' 'A suite builds only what it needs: svcd for suites that start it, the libraries and a staged installation for the checks.' \
      'SVC_TEST_ANSWERS=FOLDER writes all requests and answers of each suite into FOLDER.' ;;
  esac
}

near() { # WORD: prints " (did you mean CANDIDATE?)" with the most similar line of standard input, if one is similar enough
  awk -v word="$1" '
    function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
    function distance(a, b,   i, j, d) { # number of letters to insert, drop or replace
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
update() { # FILE: replaces it by standard input only if that differs, because make compares times
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm -f "$1.new"; else mv "$1.new" "$1"; fi
}

one_at_a_time() { # two runs in one tree write the same files: the second waits. The lock ends with its process, so it is never stale
  command -v flock >/dev/null 2>&1 || return 0
  exec 9<build.sh # processes that outlive this script close the descriptor: 9<&-
  flock -n 9 || { say 'build.sh: waiting for another run in this folder'; flock 9 || :; }
}

# ---- system tools ---------------------------------------------------------------------------------------------------

package_of() {
  case $1 in
    cc|gcc) echo gcc libc6-dev ;; dh) echo debhelper ;; dpkg-buildpackage) echo dpkg-dev ;; headers) echo libc6-dev ;; xz) echo xz-utils ;; awk) echo mawk ;;
    sha256sum) echo coreutils ;; dpkg-deb) echo dpkg ;; ar|nm|readelf|objcopy) echo binutils ;; gcov) echo gcc ;; find) echo findutils ;;
    s390x-linux-gnu-gcc) echo gcc-s390x-linux-gnu libc6-dev-s390x-cross ;; s390x-linux-gnu-*) echo binutils-s390x-linux-gnu ;;
    mips-linux-gnu-gcc) echo gcc-mips-linux-gnu libc6-dev-mips-cross ;; mips-linux-gnu-*) echo binutils-mips-linux-gnu ;;
    qemu-arm|qemu-aarch64|qemu-x86_64|qemu-s390x|qemu-mips) echo qemu-user ;; psql) echo postgresql ;; redis-cli) echo redis-tools ;; libpq-fe.h) echo libpq-dev ;; hiredis.h) echo libhiredis-dev ;; openssl/ssl.h) echo libssl-dev ;; clang) echo clang libclang-rt-dev ;;
    wasm-ld-19) echo lld-19 ;; libclang-rt-wasm32) echo libclang-rt-19-dev-wasm32 ;; wasm-opt) echo binaryen ;; go) echo golang-go ;;
    node) echo nodejs ;; ansible) echo ansible-core ;; arm-linux-gnueabihf-gcc) echo gcc-arm-linux-gnueabihf libc6-dev-armhf-cross ;;
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
  if [ "$1" = openssl/ssl.h ]; then echo '#include <openssl/ssl.h>' | ${CC} -E -x c - >/dev/null 2>&1; return; fi
  case $1 in wasi-libc|libclang-rt-wasm32|python3-*) dpkg -s "$(package_of "$1")" >/dev/null 2>&1; return ;; esac
  if [ "$1" = headers ]; then echo '#include <stdio.h>' | ${CC} -E -x c - >/dev/null 2>&1; return; fi
  command -v "$1" >/dev/null 2>&1
}

missing() { for t in "$@"; do has "$t" || printf ' %s' "$t"; done; }

apt() { DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@"; }

install() { # PACKAGE...: lists everything that apt installs with them, and never removes a package of the user
  mkdir -p build
  if [ -z "${apt_updated:-}" ]; then apt-get -qq update >build/apt.log 2>&1 || :; apt_updated=yes; fi
  plan=$(apt -s install "$@" 2>/dev/null) || :
  gone=$(printf '%s\n' "$plan" | awk '$1 == "Remv" { printf " %s", $2 }')
  if [ -n "$gone" ]; then say "tools: not installing $*: that would remove$gone"; return 0; fi
  say "tools: installing$(printf '%s\n' "$plan" | awk '$1 == "Inst" { printf " %s", $2 }')"
  apt -qq --no-remove install "$@" >>build/apt.log 2>&1 || :
}

want() { # TOOL...: installs missing tools if possible; sets $lack to those that are still missing
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

need() { # TOOL...: as want, but ends with an error if a tool is still missing
  want "$@"
  [ -z "$lack" ] || die "missing$lack: run 'apt-get install $packages' as root"
}

. ./deps.sh
. package/package.sh

# ---- fold, library, daemon -------------------------------------------------------------------------------------------

fold() {
  mkdir -p build
  for of in errors events; do
    sh amalgamation/fold.sh --$of >build/noun_list.new || exit 1
    update "amalgamation/catalog/noun_${of%s}_list.h" <build/noun_list.new; rm -f build/noun_list.new
  done
  sh amalgamation/fold.sh --header build/svcapi.h.new || exit 1
  if cmp -s build/svcapi.h.new svcapi.h; then rm -f build/svcapi.h.new
  else mv build/svcapi.h.new svcapi.h; say "fold: svcapi.h, its list of names"; fi
  sh amalgamation/fold.sh --out build/svcapi.c.new || exit 1
  if cmp -s build/svcapi.c.new svcapi.c; then rm -f build/svcapi.c.new; return 0; fi
  mv build/svcapi.c.new svcapi.c
  say "fold: svcapi.c ($(wc -l <svcapi.c) lines)"
}

pack() { # writes the console's files as a part of the listener
  mkdir -p build
  sh ports/explorer/pack.sh --out build/explorer_files.c.new || exit 1
  if cmp -s build/explorer_files.c.new ports/listener/explorer_files.c; then rm -f build/explorer_files.c.new; return 0; fi
  mv build/explorer_files.c.new ports/listener/explorer_files.c
  say "pack: ports/listener/explorer_files.c"
}

pack_reference() { # writes the descriptions of the OpenAPI document as a part of the listener
  mkdir -p build
  sh ports/listener/reference.sh --out build/reference_texts.c.new || exit 1
  if cmp -s build/reference_texts.c.new ports/listener/reference_texts.c; then rm -f build/reference_texts.c.new; return 0; fi
  mv build/reference_texts.c.new ports/listener/reference_texts.c
  say "pack: ports/listener/reference_texts.c"
}

pack_worlds() { # writes the worlds that svcd contains
  mkdir -p build
  sh package/worlds/pack.sh --out build/world_files.c.new || exit 1
  if cmp -s build/world_files.c.new examples/svcd/world_files.c; then rm -f build/world_files.c.new; return 0; fi
  mv build/world_files.c.new examples/svcd/world_files.c
  say "pack: examples/svcd/world_files.c"
}

build() { # WHAT TARGET VARIABLE=VALUE...: builds the target by rules.mk in $O; on failure, the last line names the file
  what=$1; shift
  mkdir -p "$O/see"; rm -f "$O/failed"
  sed '/^\*\* The names, written by /,/^\*\*$/d' svcapi.h | update "$O/see/header"
  set -- -r -s -f rules.mk "$@" POSTGRES="$POSTGRES" REDIS="$REDIS" OPENSSL="$OPENSSL" O="$O" CC="$CC" AR="$AR" OBJCOPY="${AR%ar}objcopy" INCLUDES="$INCLUDES"
  if plan=$(make -n "$@" 2>/dev/null) && [ -z "$plan" ]; then return 0; fi
  count=$(printf '%s\n' "$plan" | grep -cE ' -o | rcs ') || :
  case $count in 1) say "build: $what (1 file)" ;; *) say "build: $what ($count files)" ;; esac
  made=0; make -Otarget -j"$JOBS" "$@" >"$O/log" 2>&1 || made=$?
  if [ -f "$O/failed" ] || [ $made = 0 ]; then grep -v '^make' "$O/log" >&2 || :; else cat "$O/log" >&2; fi
  [ $made = 0 ] || { echo "build failed: $(head -n 1 "$O/failed" 2>/dev/null || echo "$what")" >&2; exit 1; }
}

POSTGRES= # the folder of libpq-fe.h, if svcd and the tests are built with it
REDIS= # yes: built with hiredis
POOLER= # yes: the tests reach PostgreSQL through PgBouncer
OPENSSL= # yes: TLS by OpenSSL
with() { # applies WITH, SVC_TEST_STORE and SVC_TEST_LIMITER
  case ${SVC_TEST_STORE:=} in
    ''|lmdb|memory|postgres) ;;
    pgbouncer) need pgbouncer; SVC_TEST_STORE=postgres; POOLER=yes ;;
    *) die "SVC_TEST_STORE is lmdb, memory, postgres or pgbouncer, not '$SVC_TEST_STORE'" ;;
  esac
  case ${SVC_TEST_LIMITER:=} in ''|redis) ;; *) die "SVC_TEST_LIMITER is redis, not '$SVC_TEST_LIMITER'" ;; esac
  for w in $(echo "${WITH:-}" | tr , ' ') $SVC_TEST_STORE $SVC_TEST_LIMITER; do
    case $w in
      lmdb|memory) ;;
      postgres) need libpq-fe.h; POSTGRES=$(libpq) ;;
      redis) need hiredis.h; REDIS=yes ;;
      openssl) need openssl/ssl.h; OPENSSL=yes ;;
      *) die "WITH must be postgres, redis or openssl, or several of them with commas (got '$w'). LMDB, the limiter of each process and mbedTLS are the defaults" ;;
    esac
  done
  # the shared store and the shared limiter are tested together, if Redis is installed
  if [ "$SVC_TEST_STORE" = postgres ] && has hiredis.h && has redis-server; then REDIS=yes; fi
}

mbed_libs() { for l in tls x509 crypto; do printf ' %s' "$D/mbedtls/library/libmbed$l.a"; done; }

LIBRARY='lmdb frozen tinycthread mbedtls' # its dependencies

PLACED="${CFLAGS:--O2} -fPIC -fvisibility=hidden" # the same objects serve programs and the shared library

# shellcheck disable=SC2086
lib() { deps $LIBRARY; fold; O=build/lib; build libsvcapi.a lib OPT="$PLACED" LINK="${LDFLAGS:-}"; }
shared() { lib; build libsvcapi.so.1 shared OPT="$PLACED" LINK="${LDFLAGS:-}"; }
# shellcheck disable=SC2086
daemon() { deps $LIBRARY mongoose; lib; pack; pack_reference; pack_worlds; build svcd svcd OPT="$PLACED" LINK="${LDFLAGS:-}"; }

npm_packages() { # NAME: installs the npm packages that test/NAME/package-lock.json pins into build/NAME
  mkdir -p "build/$1"
  if cmp -s "test/$1/package-lock.json" "build/$1/installed"; then return 0; fi
  say "$1: installing packages"
  cp "test/$1/package.json" "test/$1/package-lock.json" "build/$1/"
  (cd "build/$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || { cat "build/$1/npm.log" >&2; die 'npm ci failed'; }
  cp "test/$1/package-lock.json" "build/$1/installed"
}

# ---- a PostgreSQL for the tests --------------------------------------------------------------------------------------

postgres_name() { if [ "$(id -u)" = 0 ]; then echo runuser -u postgres --; fi; } # PostgreSQL refuses to run as root

postgres_as() { # PROGRAM ARG...: runs a program of PostgreSQL
  pg_program=$PG_BIN/$1; shift
  # shellcheck disable=SC2046
  (cd / && $(postgres_name) "$pg_program" "$@" 9<&-)
}

postgres_stop() {
  if [ -s "$PG/pool/pid" ]; then kill "$(cat "$PG/pool/pid")" 2>/dev/null || :; fi
  postgres_as pg_ctl -D "$PG/data" -m immediate stop >/dev/null 2>&1 || :; rm -rf "$PG"
}

# For tests, whose data is temporary. PostgreSQL remembers ten finished serializable transactions per connection and prepared transaction while an earlier one
# is open. Beyond that it reports false conflicts to every store of the server: suites run at once, and a single test may keep a transaction open for minutes.
PG_HASTE='-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=128MB -c max_prepared_transactions=4000'

postgres_start() { # SETTINGS: starts a server for this run, which listens only on a socket. Sets $SVC_TEST_POSTGRES to the socket's folder
  need psql
  settings=$1
  set -- /usr/lib/postgresql/*/bin/initdb
  for PG_BIN in "$@"; do PG_BIN=${PG_BIN%/*}; done # the newest
  [ -x "$PG_BIN/initdb" ] || die 'no initdb in /usr/lib/postgresql'
  PG=$PWD/build/postgres
  if [ -d "$PG" ]; then postgres_stop; fi # left over from a run that was killed
  mkdir -p "$PG"
  if [ "$(id -u)" = 0 ]; then chown postgres "$PG"; fi
  trap postgres_stop EXIT; trap 'exit 1' HUP INT TERM
  if ! postgres_as initdb -D "$PG/data" -U svc -A trust -E UTF8 --locale=C --no-sync >build/postgres.log 2>&1 ||
    ! postgres_as pg_ctl -D "$PG/data" -l "$PG/log" -w -o "-c listen_addresses='' -c unix_socket_directories='$PG' \
      -c max_connections=400 -c autovacuum=on $settings" start >>build/postgres.log 2>&1
  then die "PostgreSQL does not start: build/postgres.log"; fi
  SVC_TEST_POSTGRES=$PG; export SVC_TEST_POSTGRES SVC_TEST_STORE
}

pgbouncer_run() { # as postgres_as; postgres_stop ends it
  # shellcheck disable=SC2046
  (cd / && $(postgres_name) pgbouncer -q -d "$PG/pool/pgbouncer.ini" 9<&-)
}

pgbouncer_start() { # POOL: starts PgBouncer in transaction mode in front of that server, with POOL connections to it. Sets $SVC_TEST_POOLER to its socket's folder
  need pgbouncer
  mkdir -p "$PG/pool"
  cat >"$PG/pool/pgbouncer.ini" <<INI
[databases]
postgres = host=$PG port=5432 user=svc
[pgbouncer]
listen_port = 5432
unix_socket_dir = $PG/pool
pidfile = $PG/pool/pid
logfile = $PG/pool/log
auth_type = trust
auth_file = $PG/pool/users
pool_mode = transaction
default_pool_size = $1
max_client_conn = 2000
server_login_retry = 1
INI
  echo '"svc" ""' >"$PG/pool/users"
  if [ "$(id -u)" = 0 ]; then chown -R postgres "$PG/pool"; fi
  pgbouncer_run >>build/postgres.log 2>&1 || die 'PgBouncer does not start: build/postgres.log'
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ ! -S "$PG/pool/.s.PGSQL.5432" ] || break; sleep 0.1; done
  SVC_TEST_POOLER=$PG/pool; export SVC_TEST_POOLER
}

# ---- tests ----------------------------------------------------------------------------------------------------------

suites() { find test -name '*_test.c' | sort | sed 's,.*/,,; s,_test\.c$,,'; }
checks() { find test/check -name '*.sh' | sort | sed 's,.*/,check/,; s,\.sh$,,'; }
source_of() { find test -name "$1_test.c"; } # SUITE

selected() { # [NAME]: prints the suites and checks whose names contain NAME; SUITE/TEST is one test
  case ${1:-} in
    check/*) checks | grep -F -e "$1" ;;
    ?*/?*) echo "$1" ;;
    *) { suites; checks; } | grep -F -e "${1:-}" ;;
  esac
}

tests_named() { # SUITE: prints its tests
  sh test/registry.sh "$(source_of "$1")" | sed 's/^[^,]*, //; s/[,)].*//'
}

known_name() { # NAME: ends with an error and a suggestion unless there is such a suite, check or test
  case $1 in
    check/*|'') ;;
    ?*/?*)
      suite=${1%%/*}
      suites | grep -qxF -e "$suite" || die "no suite '$suite'$(suites | near "$suite"): ./build.sh test SUITE/TEST runs one test"
      tests_named "$suite" | grep -qxF -e "${1#*/}" ||
        die "no test '${1#*/}' in the suite $suite$(tests_named "$suite" | near "${1#*/}"): see $(source_of "$suite")"
      return 0 ;;
  esac
  selected "$1" | grep -q . ||
    die "no suite or check has '$1' in its name$({ suites; checks; } | near "$1"): find test -name '*_test.c' lists the suites"
}

starts_svcd() { # NAME...: succeeds if one of them is a check or a suite that starts svcd
  for n in "$@"; do
    case $n in check/*) return 0 ;; esac
    if grep -qE 'svcd_(start|program)' "$(source_of "${n%%/*}")"; then return 0; fi
  done
  return 1
}

split() { # WHAT TARGET VARIABLE=VALUE...: builds in $O from the separately compiled parts
  mkdir -p "$O"
  # shellcheck disable=SC2046
  sh test/registry.sh $(find test -name '*_test.c' | sort) >"$O/tests.new" || exit 1
  update "$O/tests.h" <"$O/tests.new"; rm -f "$O/tests.new"
  find test -name '*_test.c' | sort | xargs sed -n 's/^T_NEEDS(\([a-z0-9_]*\)) = {.*/NEEDS(\1)/p' | update "$O/needs_list.h"
  sh amalgamation/fold.sh --registry "$O/registry.new" || exit 1
  update "$O/registry.c" <"$O/registry.new"; rm -f "$O/registry.new"
  sh test/error_numbers.sh "$O/see" || exit 1
  build "$@"
}

sanitized() { # WHAT TARGET: builds in build/test with the flags of the tests
  san='-g -O1 -fno-omit-frame-pointer -fsanitize=address'
  O=build/test
  split "$@" DEP_OPT="$san" OPT="$san -fsanitize=undefined -fno-sanitize-recover=undefined -Werror"
}

passed=0; failed=0

result() { # FOLDER NAME: reads the results of test/one.sh into $good, $bad, $took; missing results count as a failure
  { read -r good bad took <"$1/out/$2.result"; } 2>/dev/null || { good=0; bad=1; took=9999; }
}

run_tests() { # FOLDER NAME...: runs suites of FOLDER/run and checks, up to $JOBS at a time, and counts the results
  folder=$1; shift
  # tests that took longest the last time, and new ones, start first, so that no long test runs alone at the end
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

for_checks() { # NAME...: prepares what these checks need
  want clang g++ nm readelf curl psql openssl cmake pkg-config
  if [ -e .git ]; then want git; fi
  case " $* " in *' check/driver_exec '*) want python3 redis-server ;; esac
  case " $* " in *' check/install '*) (rm -rf build/check/stage; DESTDIR=$PWD/build/check/stage PREFIX=/opt/svc; install_all) || exit 1 ;; esac
  case " $* " in *' check/dist '*) (sources) || exit 1 ;; esac
  MBED_LIBS=$(mbed_libs); export CC INCLUDES MBED_LIBS
}

summary() {
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

# shellcheck disable=SC2086
for_tests() { deps $LIBRARY mongoose munit; fold; pack; pack_reference; pack_worlds; }

for_store() { # [NAME]: prints the suites and checks of a run. On another store than LMDB, a run without NAME leaves out the checks that do not use that store
  case ${1:-}:$SVC_TEST_STORE in
    :|*:lmdb|?*:*) selected "${1:-}" ;;
    *) suites; checks | while read -r c; do if grep -q 'SVC_TEST_POSTGRES:-' "test/$c.sh"; then echo "$c"; fi; done ;;
  esac
}

test_all() { # [NAME]
  # shellcheck disable=SC2046
  set -- $(for_store "${1:-}")
  for_tests
  sanitized 'test objects' run # first, so that an error in a part is reported with that part's file
  if starts_svcd "$@"; then daemon; fi # built as users build it
  case " $* " in *' check/'*) shared; for_checks "$@" ;; esac
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  if [ -n "$POOLER" ]; then pgbouncer_start 40; fi
  if [ -n "$REDIS" ]; then need redis-server; SVC_TEST_LIMITER=redis; export SVC_TEST_LIMITER; fi # its suite starts and stops servers itself
  run_tests build/test "$@"
  if [ "$#" = "$({ suites; checks; } | wc -l)" ]; then # all of them
    if said=$(sh test/coverage.sh build/test --check 2>&1); then passed=$((passed + 1)); say 'coverage: ok'
    else failed=$((failed + 1)); say "coverage: FAILED: $said"; fi
    said=$(sh test/index.sh --reached build/test 2>&1) || said="test/index.sh fails: $said"
    if [ -z "$said" ]; then passed=$((passed + 1)); say 'index: ok'
    else failed=$((failed + 1)); say "index: FAILED: $said"; fi
  fi
  summary
}

coverage() { # from the last complete run
  [ -f build/test/out/every_plan.touched ] || die 'run ./build.sh test first'
  mkdir -p docs
  sh test/coverage.sh build/test >build/test/coverage.md || exit 1
  update docs/coverage.md <build/test/coverage.md
  say 'coverage: docs/coverage.md'
}

index() { mkdir -p docs; sh test/index.sh | update docs/index.md; }

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

with_installed() { # VERB: builds with PostgreSQL and Redis if they are installed, and reports what is left out
  if has libpq-fe.h && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then POSTGRES=$(libpq)
  else say "$1: ports/postgres.c is left out: there is no libpq-fe.h, or no server (libpq-dev, postgresql)"; fi
  if has hiredis.h && has redis-server; then REDIS=yes; SVC_TEST_LIMITER=redis; export SVC_TEST_LIMITER
  else say "$1: ports/redis.c is left out: there is no hiredis.h, or no server (libhiredis-dev, redis-server)"; fi
}

# ---- the other verbs ------------------------------------------------------------------------------------------------

run() {
  daemon
  mkdir -p build/data
  case " $* " in *' --listen '*) ;; *) set -- --listen http://127.0.0.1:8080 --listen https://127.0.0.1:8443 "$@" ;; esac
  exec build/svcd --data build/data --show-credentials "$@" 9<&- # on a new store svcd prints the credentials with secrets, for a quick start
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
  help|--help|-h) 
    [ $# -gt 1 ] || { usage; exit 0; }
    if verbs | grep -qxF -e "$2"; then usage_of "$2"; exit 0; fi
    echo "build.sh: no verb '$2'$(verbs | near "$2"); ./build.sh help lists them" >&2; exit 2 ;;
esac
verbs | grep -qxF -e "$1" || { echo "build.sh: no verb '$1'$(verbs | near "$1"); ./build.sh help lists them" >&2; exit 2; }
for argument in "$@"; do
  case $argument in --help|-h) usage_of "$1"; exit 0 ;; esac
done
case $1 in
  lib|shared|fold|coverage|index|install|uninstall|test-dist)
    [ $# = 1 ] || die "$1 takes no argument, and got '$2'; settings are environment variables: ./build.sh help $1" ;;
  run|bench) ;; # further arguments belong to the program
  *) case ${2:-} in -*) usage_of "$1" | head -n 1 | tr -c 'a-z\n-' ' ' | grep -qwF -e "$2" || die "$1 has no flag '$2': ./build.sh help $1" ;; esac ;;
esac
case $JOBS in 0*|*[!0-9]*) die "JOBS is a number of jobs, 1 or more, not '$JOBS'" ;; esac
verb=$1; shift
case $verb in # before waiting for the lock: a wrong name is reported at once, even if another run holds the lock
  test) [ $# -le 1 ] || die "test takes one name, and runs all suites and checks whose names contain it: ./build.sh test $1"; known_name "${1:-}" ;;
  check) [ -z "${1:-}" ] || checks | grep -qF -e "$1" ||
    die "no check has '$1' in its name$(checks | sed 's,check/,,' | near "$1"): they are test/check/*.sh" ;;
esac
if [ "$verb" = test-cluster ]; then WITH=postgres,redis; fi
with
case $verb in uninstall|test-dist) ;; *) one_at_a_time ;; esac
if [ -f "test/verbs/$verb.sh" ]; then
  # shellcheck source=test/verbs/soak.sh
  . "test/verbs/$verb.sh"
  verb "$@"
  exit
fi
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
    say "link: cc program.c -I. -Lbuild -lsvcapi; other languages load build/libsvcapi.so.1" ;;
  fold) need awk sha256sum; fold; pack; pack_reference; pack_worlds; say 'fold: svcapi.c is the fold of the parts' ;;
  test) test_all "$@" ;;
  index) index; say 'index: docs/index.md' ;;
  run|check|coverage|clean) "$verb" "$@" ;;
  install|uninstall) "${verb}_all" "$@" ;;
esac
