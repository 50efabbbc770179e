# test-day: a day of operation in two minutes: runs and checks the procedures of docs/operations.md
#
# svcd serves with a clock that the test moves: hourly backups, kill -9, restore, rotation of the key, draining under load, renewal of the
# certificate, an upgrade of the store's format, export and import. If PostgreSQL is installed, two instances share one and one of them is killed;
# otherwise that part is skipped with a message. The store and the logs are in build/day/work.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# shellcheck disable=SC2086
verb() {
  with_installed test-day
  deps $LIBRARY mongoose
  fold; pack
  O=build/day
  build 'svcd for the day' svcd OPT=-O2 OUT=build/day
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  sh test/day/day.sh 9<&-
}
