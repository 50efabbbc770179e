# reference: docs/reference/*.md, the API reference, from the tables and the descriptions in the catalog
#
# Writes the pages from the OpenAPI document of build/svcd, and says what is wrong with the descriptions: what has none, what is described and
# does not exist, and what is not plain English. The descriptions are in amalgamation/catalog/reference.txt and
# amalgamation/catalog/AREA/reference.txt; ports/listener/reference.sh explains their form. Needs python3.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS=python3
  daemon
  python3 test/reference.py
}
