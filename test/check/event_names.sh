#!/bin/sh
# Whatever names a type of event names one of the lists: a client that looks for it finds it in /eventTypes. The
# tables' own columns are looked at by catalog_test.c; here are the names in the functions beside them.
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
  if (line !~ /[;{}]$/) next                             # a statement goes on
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
  if (types < 900 || names < 30) { print "only " types + 0 " types and " names + 0 " names found: this check looks in vain"; bad = 1 }
  exit bad
}' $lists $(find amalgamation/catalog amalgamation/pipeline -name '*.c' | sort) >build/check/event_names || fail "$(cat build/check/event_names)"
