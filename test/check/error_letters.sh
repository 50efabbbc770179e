#!/bin/sh
# An error carries as many parameters as its list names for its code, in every call, because clients read them by position. The check covers
# calls of svc_fail and svc_fail_as in which a code and its letters are both literal; in a choice
# between two codes, both count. Codes chosen at run time are covered by the tests of every route.
. test/check/common

lists='amalgamation/pipeline/error_list.h amalgamation/catalog/error_list.h amalgamation/catalog/noun_error_list.h'
# shellcheck disable=SC2016
letters='
FILENAME ~ /error_list\.h$/ {                                       # X(CODE, status, "sentence", "parameters"), over several lines
  line = $0; sub(/[ \t]*\\$/, "", line); sub(/^[ \t]+/, "", line)
  if (line ~ /^X\(/) row = ""
  row = row line
  if (row !~ /^X\(.*"\)$/) next
  code = row; sub(/^X\(/, "", code); sub(/,.*/, "", code)
  names = row; sub(/"\)$/, "", names); sub(/.*"/, "", names)
  known[code] = names == "" ? 0 : split(names, unused, ","); codes++; row = ""
  next
}
FNR == 1 { open = "" }
{
  line = $0; sub(/^[ \t]+/, "", line)
  if (open == "") { from = FNR; if (line !~ /svc_fail(_as)?\(/) next }
  open = open " " line
  if (line !~ /[;{}]$/) next                             # the statement continues
  judge(open); open = ""
}
function judge(text,   call, code, first) {              # every call in it
  while (match(text, /svc_fail(_as)?\(/)) {
    text = substr(text, RSTART + RLENGTH)
    call = text; sub(/svc_fail(_as)?\(.*/, "", call)
    if (!match(call, /SVC_E_[A-Z0-9_]+, "[sSi]*"/)) continue
    first = substr(call, 1, RSTART + RLENGTH - 1)
    given = first; sub(/"$/, "", given); sub(/.*"/, "", given)
    while (match(first, /SVC_E_[A-Z0-9_]+/)) {
      code = substr(first, RSTART + 6, RLENGTH - 6); first = substr(first, RSTART + RLENGTH)
      calls++
      if (!(code in known)) say(code " is in no error_list.h")
      else if (length(given) != known[code]) say(code " with \"" given "\", but error_list.h names " known[code])
    }
  }
}
function say(what) { print FILENAME ":" from ": " what; bad = 1 }
END {
  if (codes < 200 || calls < 60) { print "only " codes + 0 " codes and " calls + 0 " calls found: this check would find nothing"; bad = 1 }
  exit bad
}'
# shellcheck disable=SC2046
awk "$letters" $lists $(find amalgamation -name '*.c' | sort) >build/check/error_letters ||
  fail "$(cat build/check/error_letters)"
