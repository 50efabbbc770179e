# reference: docs/reference/*.md, the API reference, from the tables and the descriptions in the catalog
#
# Writes the pages from the OpenAPI document of build/svcd, and reports problems of the descriptions: missing ones, descriptions of things that
# do not exist, and texts that are not plain English. The descriptions are in amalgamation/catalog/reference.txt and
# amalgamation/catalog/AREA/reference.txt; ports/listener/reference.sh explains their format. Needs python3.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS=python3
  daemon
  python3 test/reference.py
}
