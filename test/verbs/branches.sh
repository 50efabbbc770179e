# branches [NAME]: docs/branches.md: which branches of the parts and the ports the suites take, measured by gcc
#
# Builds the test program and svcd with counters in build/branches, without optimization, and runs all suites. Every place that
# can fail fails once (test/fail.c). Some suites run a second time on a shared store, and on PostgreSQL if it
# is installed. With NAME only suites whose name contains NAME run, and only build/branches/branches.md is written.
# test/branches.reasons explains the branches that no test can take.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# Suites that take other branches on a shared store, or in its port: they run a second time on PostgreSQL.
ON_POSTGRES='postgres|port|copy|entity|index|due|keys|driver|retry|conditional|holding|clock|whole|verify|event'

# These also run on LMDB that reports other writers, with everything failing once.
AS_SHARED='driver|login|due|list|event|verify|clock|cluster|organization|project|team'

verb() {
  with_installed branches
  for_tests
  need gcov
  O=build/branches; counted='-g -O0 --coverage -fprofile-update=atomic -DSVC_COUNTED' # threads are counted, too
  split 'test objects, with counters' run OPT="$counted" DEP_OPT=-O1
  build 'svcd, with counters' svcd OPT="$counted" DEP_OPT=-O1 OUT=$O
  SVC_TEST_SVCD=$PWD/$O/svcd; export SVC_TEST_SVCD
  find $O/obj -name '*.gcda' -exec rm -f {} +
  rm -f $O/places $O/places.said
  SVC_TEST_FAIL=$PWD/$O/places; export SVC_TEST_FAIL # every place fails once: see test/fail.c
  SVC_TEST_STORE=
  if [ -n "$POSTGRES" ]; then postgres_start "$PG_HASTE"; fi
  # shellcheck disable=SC2046
  run_tests $O $(suites | grep -F -e "${1:-}")
  # branches for shared stores only, with some of the suites
  # shellcheck disable=SC2046
  SVC_TEST_STORE=shared run_tests $O $(suites | grep -xE "$AS_SHARED" | grep -F -e "${1:-}")
  unset SVC_TEST_FAIL
  if [ -n "$POSTGRES" ]; then
    SVC_TEST_STORE=postgres
    # shellcheck disable=SC2046
    run_tests $O $(suites | grep -xE "$ON_POSTGRES" | grep -F -e "${1:-}")
  fi
  if [ $# = 0 ]; then sh test/branches.sh $O >$O/branches.md && cp $O/branches.md docs/branches.md
  else sh test/branches.sh $O >$O/branches.md; fi
  sed -n 's/^\*\*\(.*\)\*\*$/branches: \1/p' $O/branches.md
  summary
}
