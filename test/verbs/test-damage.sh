# test-damage [SECONDS]: changes bits in copies of a store's file or records; opens, uses and checks each copy
#
# Half of the SECONDS (120) changes bits of the file, the other half records. The suite damage does the same for a few seconds.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  seconds=${1:-120}
  case $seconds in *[!0-9]*|'') die "test-damage takes a number of seconds" ;; esac
  for_tests
  sanitized 'test objects' run
  SVC_TEST_DAMAGE=$(((seconds + 1) / 2)) build/test/run --suite damage --color never --show-stderr 9<&-
}
