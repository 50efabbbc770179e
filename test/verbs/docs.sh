# docs: docs/svcd.md, errors.md, limits.md and metrics.md, from the flags of svcd, the lists of errors and endpoint sets, and the metrics
#
# test/docs_svcd.py reads `svcd help all`. test/docs_errors.py reads the lists of errors and amalgamation/catalog/error_advice.txt, which has
# advice for each. test/docs_limits.py and test/docs_metrics.py read the endpoint sets and the metrics. check/docs fails if a page is outdated. Needs python3.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS=python3
  daemon
  python3 test/docs_svcd.py
  python3 test/docs_errors.py
  python3 test/docs_limits.py
  python3 test/docs_metrics.py
}
