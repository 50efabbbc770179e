#!/bin/sh
# registry.sh FILE...: prints the registry of the tests in these files, each named SUITE_test.c: every TEST() of test/test.h, unchanged, in
# the order of the files, for test/main.c to include. A test that could not run is an error, reported with its place: another suite's name, an
# unknown form or an invalid place, a name used twice, a file without a test, two files for one suite.
set -eu
exec awk '
  function wrong(place, text) { print place ": " text | "cat >&2"; failed = 1 }
  function here() { return FILENAME ":" FNR }
  FNR == 1 {
    suite = FILENAME
    sub(/.*\//, "", suite); sub(/_test\.c$/, "", suite)
    if (suite in files) wrong(FILENAME, "the suite " suite " is that of " files[suite] " already")
    files[suite] = FILENAME
  }
  /(^|[^A-Za-z0-9_])TEST(_[A-Z]+)?\([^)]/ && !/TEST_NAME\(/ {
    if ($0 !~ /^TEST(_SERVICE|_ARENA|_EACH)?\([a-z][a-z0-9_]*, [a-z][a-z0-9_]*(, [^()]*)?\)$/) {
      wrong(here(), "a test is one of the forms of test/test.h, alone on its line: TEST(" suite ", name), not " $0); next
    }
    split($0, part, /[(,)] ?/)
    if (part[2] != suite) { wrong(here(), part[2] "/" part[3] " is in the file of the suite " suite); next }
    if ((suite, part[3]) in lines) { wrong(here(), suite "/" part[3] " is on line " lines[suite, part[3]] " already"); next }
    lines[suite, part[3]] = FNR
    has[FILENAME] = 1
    print
  }
  END {
    for (i = 1; i < ARGC; i++) if (!(ARGV[i] in has)) wrong(ARGV[i], "there is no test in this file: TEST(SUITE, name) of test/test.h is one")
    exit failed
  }' "$@" </dev/null
