# docs: docs/svcd.md and docs/errors.md, from the flags of svcd and the lists of errors
#
# test/docs_svcd.py reads `svcd help all`; test/docs_errors.py reads the lists of errors and amalgamation/catalog/error_advice.txt, which says
# what to do about each. check/docs fails when a page is stale. Needs python3.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS=python3
  daemon
  python3 test/docs_svcd.py
  python3 test/docs_errors.py
}
