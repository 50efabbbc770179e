#!/bin/sh
# The pool and the programs of the PostgreSQL driver (test/check/driver_pool.c), under the thread
# sanitizer if the compiler has it. Skipped, with a message, if PostgreSQL is not installed: the
# driver opens only with its programs.
. test/check/common
set -- /usr/lib/postgresql/*/bin/initdb
[ -x "$1" ] || { echo "skipped: PostgreSQL is not installed"; exit 0; }
dir=$(mktemp -d /tmp/svc-pool-XXXXXX); chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT
program=build/check/driver_pool
for sanitizer in -fsanitize=thread ''; do
  echo 'int main(void) { return 0; }' >"$dir/try.c"
  # shellcheck disable=SC2086
  { $CC $sanitizer -o "$dir/try" "$dir/try.c" -pthread && "$dir/try"; } >/dev/null 2>&1 || continue
  # shellcheck disable=SC2086
  $CC $sanitizer -w -g -O1 -std=c11 -I. -Iexamples $INCLUDES -o $program test/check/driver_pool.c examples/driver_postgres/*.c build/libsvcapi.a \
    build/deps/frozen.c $MBED_LIBS -pthread
  break
done
timeout 300 $program "$dir/pg" || fail "driver_pool ended with status $?"
