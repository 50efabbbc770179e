#!/bin/sh
# Every event type that code names is in one of the lists, so that clients find it in /eventTypes. catalog_test.c
# checks the columns of the tables; this check covers the names in functions.
. test/check/common

lists='amalgamation/catalog/event_type_list.h amalgamation/catalog/noun_event_list.h'
# shellcheck disable=SC2016,SC2046
awk '
FILENAME ~ /_list\.h$/ { if (match($0, /^  X\([A-Z0-9_]*, [A-Z0-9_]+,/)) { name = substr($0, 5, RLENGTH - 5); sub(/, /, "", name); known[name] = 1; types++ }; next }
FNR == 1 { open = "" }
{
  line = $0; sub(/^[ \t]+/, "", line)
  if (open == "") from = FNR
  open = open " " line
  if (line !~ /[;{}]$/) next                             # the statement continues
  gsub(/\.(created|updated|deleted|failed) = "[A-Z0-9_]+"/, "", open) # states of a lifecycle
  if (open ~ /event[a-z_]*(\(| =|_[a-z]+ =)|[^a-z_]type =|_changed = /)
    while (match(open, /"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+"/)) {
      name = substr(open, RSTART + 1, RLENGTH - 2); open = substr(open, RSTART + RLENGTH)
      names++
      if (!(name in known)) { print FILENAME ":" from ": there is no type of event " name; bad = 1 }
    }
  open = ""
}
END {
  if (types < 900 || names < 30) { print "only " types + 0 " types and " names + 0 " names found: this check would find nothing"; bad = 1 }
  exit bad
}' $lists $(find amalgamation/catalog amalgamation/pipeline -name '*.c' | sort) >build/check/event_names || fail "$(cat build/check/event_names)"
