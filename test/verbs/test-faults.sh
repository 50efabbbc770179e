# test-faults [NAME]: every system call of the store and every allocation fails once, and permanently
#
# First every system call of the store, and every malloc of every operation. Then the suites run, or only those whose name
# contains NAME, and each place that they reach fails once: allocations, random bytes, the store (test/fail.c).

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
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
