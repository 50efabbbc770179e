#!/bin/sh
# error_numbers.sh: the list of error codes as builds see it that compile the parts apart, so that adding a code does not recompile
# every part. In the list a code's number is its place, and a new code moves all that follow; here a code keeps its number.
#
#   error_numbers.sh FOLDER     FOLDER/pipeline/error_list.h  the list, with these numbers in its enum
#                               FOLDER/numbers                a line for each code: its name, its number
#                               FOLDER/codes                  written only when numbers change: objects depend on it (rules.mk)
#
# The rules it keeps: a code that was added gets the next number; when a code is gone, all are numbered anew; a file is written only
# when it changes.
set -eu
LC_ALL=C; export LC_ALL
see=$1
mkdir -p "$see/pipeline"
list=amalgamation/pipeline/error_list.h # has the enum; other lists of codes may stand in the folders beside it
put() { if cmp -s "$1.new" "$1"; then rm -f "$1.new"; else mv "$1.new" "$1"; fi; }

find amalgamation -name '*error_list.h' | sort | xargs sed -n 's/^ *X(\([A-Z0-9_]*\),.*/\1/p' >"$see/names"
[ -f "$see/numbers" ] || : >"$see/numbers"
awk -v names="$see/names" '
  BEGIN { while ((getline name < names) > 0) { listed[name] = 1; order[++count] = name } }
  !($1 in listed) { gone = 1 }
  { number[$1] = $2; if ($2 > last) last = $2 }
  END {
    if (gone) { split("", number); last = 0 }
    for (i = 1; i <= count; i++) print order[i], order[i] in number ? number[order[i]] : ++last
  }' "$see/numbers" >"$see/numbers.new"
# numbers that have become others, or are the first
if ! awk 'NR == FNR { number[$1] = $2; next } { seen++ } !($1 in number) || number[$1] != $2 { bad = 1 } END { exit bad || !seen }' \
  "$see/numbers.new" "$see/numbers" || [ ! -f "$see/codes" ]; then cp "$see/numbers.new" "$see/codes"; fi
put "$see/numbers"
awk -v numbers="$see/numbers" -v list=$list '
  BEGIN { print "#line 1 \"" list "\"" }
  /^enum svc_error \{/ {
    printf "enum svc_error { SVC_E_NONE, "
    while ((getline line < numbers) > 0) { split(line, of, " "); printf "SVC_E_%s = %d, ", of[1], of[2]; n++ }
    print "SVC_E_COUNT = " n + 1 " };"; found = 1; next
  }
  { print }
  END { if (!found) { print list ": there is no line with enum svc_error" > "/dev/stderr"; exit 1 } }' $list >"$see/pipeline/error_list.h.new"
put "$see/pipeline/error_list.h"
