# test-dist: makes build/dist and starts each of its programs
#
# Programs for other machines run under qemu (test/dist/static.sh). The archive, the program and the Debian packages of this machine are built twice, and must be
# identical (test/dist/reproducible.sh). The packages pass lintian. Needs qemu-arm, qemu-aarch64, curl, readelf, lintian.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need qemu-arm qemu-aarch64 curl readelf lintian dh
  # shellcheck disable=SC2119 # all of it
  (one_at_a_time; dist) # the lock is held only for dist: static.sh runs ./build.sh dist as well
  sh test/dist/static.sh
  sh test/dist/reproducible.sh
  sh test/dist/deb.sh
}
