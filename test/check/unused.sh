#!/bin/sh
# The sources contain nothing that no code uses. Functions that parts share: code or a test names each one besides its declaration and its
# definition. Error codes: code names each code of the lists. Fields that a body may set: an answer
# shows them, or code reads them by name; the test program lists those that no answer shows (--unshown). The suite `unused`
# checks that query parameters are read.
. test/check/common

run=build/test/run
lists='amalgamation/pipeline/error_list.h amalgamation/catalog/error_list.h amalgamation/catalog/noun_error_list.h'
sources=build/check/unused_sources
find amalgamation ports -name '*.[ch]' ! -name '*error_list.h' | sort >$sources

# ---- functions that parts share
unused_functions() { # FOLDER...: those that occur twice, in the declaration and in the definition
  find "$@" -name '*.[ch]' -exec cat {} + | grep -oE '\bsvc_[a-z0-9_]+\b' | sort | uniq -c | awk '$1 == 2 { print $2 }' >build/check/unused_twice
  find "$@" -name '*.h' -exec sed -nE 's/^SVC_PRIVATE [^(]*[ *(](svc_[a-z0-9_]+)\)?\(.*/\1/p' {} + | sort -u >build/check/unused_shared
  comm -12 build/check/unused_twice build/check/unused_shared
}
left=$(unused_functions amalgamation ports examples test | tr '\n' ' ')
[ -z "$left" ] || fail "functions that nobody calls: $left"
T=build/check/unused; rm -rf $T; mkdir -p $T # the check can fail
printf 'SVC_PRIVATE const char *svc_left(int a);\nSVC_PRIVATE int svc_called(void);\n' >$T/a.h
printf 'SVC_PRIVATE const char *svc_left(int a)\n{\n}\nSVC_PRIVATE int svc_called(void)\n{\n}\nint main(void)\n{\n  svc_called();\n}\n' >$T/a.c
[ "$(unused_functions $T)" = svc_left ] || fail "this check does not find a function that nobody calls"

# ---- error codes
# shellcheck disable=SC2086
sed -n 's/^  X(\([A-Z0-9_]*\),.*/\1/p' $lists | sort -u >build/check/unused_codes
[ "$(wc -l <build/check/unused_codes)" -gt 200 ] || fail "too few codes were found in $lists: this check would find nothing"
xargs grep -ohw 'SVC_E_[A-Z0-9_]*' <$sources | sed 's/^SVC_E_//' | sort -u >build/check/unused_named
comm -23 build/check/unused_codes build/check/unused_named >build/check/unused_left
[ ! -s build/check/unused_left ] || fail "codes that no code uses: $(tr '\n' ' ' <build/check/unused_left)"

# ---- fields: a table's row does not count as a use, and neither does an example, which has escaped quotes
[ -x $run ] || { echo "skipped: $run is not built"; exit 0; }
ASAN_OPTIONS=detect_leaks=0 $run --unshown >build/check/unused_all || fail "$run --unshown fails"
# An operation that only validates a body is done with a field when its table has checked it.
grep -v '^validate' build/check/unused_all >build/check/unused_fields
[ "$(wc -l <build/check/unused_fields)" -gt 20 ] || fail "too few fields were found: this check would find nothing"
grep '^amalgamation/catalog/.*\.[ch]$' $sources | xargs cat |
  sed 's/F_[A-Z0-9]*("[^"]*"//g; s/{ \.name = "[^"]*"//g' | grep -o '"[A-Za-z0-9_.]*"' | tr -d '"' | tr '.' '\n' | sort -u >build/check/unused_words
awk 'FNR == NR { word[$0] = 1; next } !($2 in word) && !seen[$0]++' build/check/unused_words build/check/unused_fields >build/check/unused_left
[ ! -s build/check/unused_left ] || fail "fields that a body may set, no answer shows and no code reads: $(tr '\n' ',' <build/check/unused_left)"
