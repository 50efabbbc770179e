# test-isolation [DRIVER]: one organization fills all it can reach, with each driver; others stay within 50 ms
#
# DRIVER is simulated, exec or postgres; default: all three. svcd serves two organizations without rate limits. The data plane of the first one
# hangs, and it asks, orders, lists and leaves answers unread on some hundred connections. The median and the ninth decile of the other one's
# GET, PATCH and sign-in may rise by 50 ms. `svcd check` afterwards must find the store whole. The figures need a machine with a core to spare;
# test/listener/isolation_test.c proves the same without a clock.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need python3
  daemon
  failed=0
  for driver in ${1:-simulated exec postgres}; do
    if [ "$driver" = postgres ]; then need psql; fi
    python3 test/isolation/isolation.py build/svcd "$driver" 9<&- || failed=$((failed + 1))
  done
  say "$((3 - failed)) passed, $failed failed"
  [ "$failed" = 0 ]
}
