# test-web [NAME]: tests the console in headless Chromium; leaves pictures in build/web
#
# Runs test/web/run.mjs against build/svcd: all tests of the page, or those whose name contains NAME. Needs node and chromium, no packages.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need node chromium
  daemon
  node test/web/run.mjs "$@" 9<&-
}
