# test-dist: makes build/dist and starts each of its programs
#
# Programs for other machines run under qemu (test/dist/static.sh). Needs qemu-arm, qemu-aarch64, curl and readelf.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need qemu-arm qemu-aarch64 curl readelf
  # shellcheck disable=SC2119 # all of it
  (one_at_a_time; dist) # only for as long as that takes: static.sh runs ./build.sh dist as well
  sh test/dist/static.sh
}
