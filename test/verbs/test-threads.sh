# test-threads [SECONDS]: everything at once under ThreadSanitizer, then the suites that use threads, and svcd
#
# Library, listener, TLS, ticks, backups, driver, alerts and clock run at once for SECONDS (60). Then the suites run that start threads, or
# svcd. LMDB, mbedTLS and mongoose are built with ThreadSanitizer, too. A report of ThreadSanitizer fails the verb and is left in
# build/threads; known ones are in test/threads/suppressions. PostgreSQL and Redis are included if they are installed.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# Suites that start threads, or start svcd, which has threads. The suite io is left out: after a system call that fails, mutexes of LMDB and
# mbedTLS lie where others were destroyed, and ThreadSanitizer takes them for those.
threaded() {
  grep -lE 'thrd_create|pthread_create|t_program_open|svc_listener_start|svcd_start' test/*/*_test.c | sed 's,.*/,,; s,_test\.c$,,' | grep -vx io
}

# shellcheck disable=SC2046,SC2086,SC2231
verb() {
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
  TSAN_OPTIONS="$TSAN_OPTIONS log_path=$PWD/$O/report" # for every process that a test starts
  SVC_TEST_STORE=
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  run_tests $O $(threaded)
  for report in $O/report.*; do
    [ ! -f "$report" ] || { head -n 60 "$report"; die "threads: see $O/report.*"; }
  done
  say 'threads: ThreadSanitizer has nothing to say'
  summary
}
