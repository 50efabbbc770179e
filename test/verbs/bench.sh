# bench [ARG]...: builds and runs the benchmarks; prints a table and writes build/bench.json
#
# ARGs are passed to build/bench/bench: --only NAME measures one group, --only postgres the group that needs PostgreSQL. A run without
# --only measures PostgreSQL last, with its own server, if libpq and a server are installed. "loop" and "serve" run one
# part for profilers (test/bench/bench.c). Results are meaningful only on a machine that does nothing else.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold
  O=build/bench
  build benchmarks bench OPT='-O2 -DNDEBUG'
  # the size that the library adds to a program: text and data of svcapi.c alone, without symbols
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

bench_postgres() { # a separate program: the other one has no code for shared stores
  if ! has libpq-fe.h; then say 'bench: PostgreSQL is left out: there is no libpq-fe.h (libpq-dev)'; return 0; fi
  if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then say 'bench: PostgreSQL is left out: there is no server (postgresql)'; return 0; fi
  O=build/bench/postgres; POSTGRES=$(libpq)
  build 'benchmarks, with PostgreSQL' bench OPT='-O2 -DNDEBUG'
  postgres_start '-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c shared_buffers=1GB -c max_wal_size=8GB' # the settings of users
  unset SVC_SIZE_OS
  build/bench/postgres/bench "$@" 9<&-
}
