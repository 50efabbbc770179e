# test-recorded: replays recorded traffic of the public service against build/svcd; needs ../shared, and is not part of test
#
# Runs ../shared/tools/replay and ../shared/tools/recorded-facts with the dialect of the public service (examples/dialects/atlas.json), and prints
# how many statuses, field paths and values agree, and the most frequent differences. Writes test/recorded.tsv: for each operation how many recorded exchanges
# get the recorded status, or that recordings only describe the operation. ./build.sh coverage shows that in docs/coverage.md. Fails below 97 % of
# the statuses, 96 % of the field paths, 96 % of the values, and 99 % of the fields, values and codes that recorded-facts compares.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  [ $# = 0 ] || die "test-recorded takes no arguments"
  [ -x ../shared/tools/replay ] || die "there is no ../shared/tools/replay: the recordings are not part of this project"
  need python3
  daemon
  python3 test/recorded.py 9<&-
}
