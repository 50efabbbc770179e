#!/bin/sh
# Nothing stands in the tables that no code uses. Error codes: each one of the two lists is named by code. Fields that a body may set: they
# are shown by an answer, or code reads them by their name; the test program lists those that no answer shows (--unshown). Query
# parameters have a suite of their own, unused, which sees them read.
. test/check/common

run=build/test/run
lists='amalgamation/pipeline/error_list.h amalgamation/catalog/error_list.h amalgamation/catalog/noun_error_list.h'
sources=build/check/unused_sources
find amalgamation ports -name '*.[ch]' ! -name '*error_list.h' | sort >$sources

# ---- error codes
# shellcheck disable=SC2086
sed -n 's/^  X(\([A-Z0-9_]*\),.*/\1/p' $lists | sort -u >build/check/unused_codes
[ "$(wc -l <build/check/unused_codes)" -gt 200 ] || fail "hardly a code was found in $lists: this check looks in vain"
xargs grep -ohw 'SVC_E_[A-Z0-9_]*' <$sources | sed 's/^SVC_E_//' | sort -u >build/check/unused_named
comm -23 build/check/unused_codes build/check/unused_named >build/check/unused_left
[ ! -s build/check/unused_left ] || fail "codes that no code uses: $(tr '\n' ' ' <build/check/unused_left)"

# ---- fields: a row of a table is no use of it, and neither is an example, where quotes are escaped
[ -x $run ] || { echo "skipped: $run is not built"; exit 0; }
ASAN_OPTIONS=detect_leaks=0 $run --unshown >build/check/unused_all || fail "$run --unshown fails"
# An operation that only validates a body has done all there is to do with a field when its table has checked it.
grep -v '^validate' build/check/unused_all >build/check/unused_fields
[ "$(wc -l <build/check/unused_fields)" -gt 20 ] || fail "hardly a field was found: this check looks in vain"
grep '^amalgamation/catalog/.*\.[ch]$' $sources | xargs cat |
  sed 's/F_[A-Z0-9]*("[^"]*"//g; s/{ \.name = "[^"]*"//g' | grep -o '"[A-Za-z0-9_.]*"' | tr -d '"' | tr '.' '\n' | sort -u >build/check/unused_words
awk 'FNR == NR { word[$0] = 1; next } !($2 in word) && !seen[$0]++' build/check/unused_words build/check/unused_fields >build/check/unused_left
[ ! -s build/check/unused_left ] || fail "fields that a body may set, no answer shows and no code reads: $(tr '\n' ',' <build/check/unused_left)"
