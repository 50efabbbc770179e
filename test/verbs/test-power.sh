# test-power [SCENE]: simulates power cuts at any flush; opens and checks thousands of resulting disk states
#
# Records every write and flush of the library and svcd (test/power/record.c), builds the states that a power cut can leave, opens each,
# and checks it. SCENE runs one of the scenes in test/power/scenes.c. The states of a failure are kept, and their folder is printed.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  daemon
  O=build/power
  build power power OPT=-O2
  where=/dev/shm; if [ ! -w $where ]; then where=$PWD/build/power; fi
  where=$(mktemp -d "$where/svcapi-power-XXXXXX")
  status=0
  POWER_SVCD=$PWD/build/svcd POWER_RECORD=$PWD/build/power/record.so POWER_FOLDER=$where build/power/power "$@" 9<&- || status=$?
  if [ $status = 0 ]; then rm -rf "$where"; elif ! rmdir "$where" 2>/dev/null; then say "test-power: what was left is in $where"; fi
  return $status
}
