#!/bin/sh
# Runs one suite, or one check. make runs several at a time, so the output of each is shown as a whole at its end, and its
# figures go to files that build.sh adds up.
#
#   $SVC_TEST_ANSWERS, if set, is a folder that gets a file for each suite, with all requests and answers. If a change should
#   change no answer, diff -r must find no difference afterwards.
#
#   one.sh FOLDER NAME    FOLDER/run has the suites; $EMULATOR, if set, runs it
#                         $SVC_TEST_SECONDS, or 900: time limit; a suite or check that takes longer is ended and fails
#                         FOLDER/out/NAME.log      the complete output
#                         FOLDER/out/NAME.touched  operations that were called, with the numbers of successes and errors
#                         FOLDER/out/NAME.result   tests passed, tests failed, seconds; missing if the suite did not end
set -eu
name=$2
out=$1/out/$2
mkdir -p "${out%/*}"
rm -f "$out.result" "$out.touched"
start=$(date +%s)
status=0; good=0; bad=0

# These suites test LMDB itself, so they use it whatever SVC_TEST_STORE says: commit (full maps and disks, ports derived from LMDB's that fail on
# purpose) and store (its files, its lock, copies of its folder).
case $name in commit|store) unset SVC_TEST_STORE ;; esac

# On 64-bit ARM LeakSanitizer scans the whole address space, which takes 5 seconds at the end of each test. So it is off there, unless
# SVC_TEST_LEAKS is set. The tests count the library's own blocks themselves (test/support.c) on every machine.
case $(uname -m):${SVC_TEST_LEAKS:-} in aarch64:) ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}; export ASAN_OPTIONS ;; esac

# A suite that hangs must not block the whole run. Emulation, PostgreSQL and failure injection take longer.
case ${EMULATOR:-}${SVC_TEST_STORE:-}${SVC_TEST_FAIL:-} in '') seconds=900 ;; *) seconds=7200 ;; esac
seconds=${SVC_TEST_SECONDS:-$seconds}

if [ -n "${SVC_TEST_ANSWERS:-}" ]; then
  mkdir -p "$SVC_TEST_ANSWERS"
  SVC_TEST_ANSWERS=$SVC_TEST_ANSWERS/$(echo "$name" | tr / .); export SVC_TEST_ANSWERS
  rm -f "$SVC_TEST_ANSWERS"
fi

case $name in
  check/*)
    timeout -k 10 "$seconds" sh "test/$name.sh" >"$out.log" 2>&1 </dev/null || status=$?
    if [ $status = 0 ]; then
      good=1; skipped=$(sed -n 's/^skipped: //p' "$out.log"); echo "$name: ${skipped:+skipped, }${skipped:-ok}"
    else
      bad=1
      if [ $status = 124 ]; then echo "check: ended after $seconds s (SVC_TEST_SECONDS)" >>"$out.log"; fi
      echo "$name: FAILED: $(tail -n 1 "$out.log")"
      sed '$d' "$out.log" | head -n 12 # output of a compiler, if any
    fi ;;
  *)
    SVC_TEST_TOUCHED=$out.touched timeout -k 10 "$seconds" ${EMULATOR:-} "$1/run" --suite "$name" --color never --seed 1 >"$out.log" 2>&1 </dev/null || status=$?
    if [ $status = 124 ]; then echo "test: $name was ended after $seconds s (SVC_TEST_SECONDS)"; fi
    summary='^\([0-9][0-9]*\) of \([0-9][0-9]*\) (.*tests successful.*'
    grep -v -e '^Running test suite' -e "$summary" "$out.log" || :
    counts=$(sed -n "s/$summary/\\1 \\2/p" "$out.log" | tail -n 1)
    if [ -n "$counts" ]; then
      good=${counts% *}; bad=$((${counts#* } - good))
      if [ $bad = 0 ] && [ $status != 0 ]; then
        bad=1; echo "test: $name ended with status $status after its last test"
      fi
    elif [ $status != 0 ] || ! grep -q 'No tests run, ' "$out.log"; then # all tests may have been skipped
      bad=1; echo "test: $name ended with status $status before its last test"
    fi ;;
esac
echo "$good $bad $(($(date +%s) - start))" >"$out.result"
