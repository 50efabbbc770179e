#!/bin/sh
# error_numbers.sh: writes the lists of error codes for builds that compile the parts separately, so that a new code does not recompile
# every part. In a list a code's number is its position, and a new code moves all later ones; here a code keeps its number.
#
#   error_numbers.sh FOLDER     FOLDER/{pipeline,catalog}/error_list.h  the lists, with these numbers in their enums
#                               FOLDER/numbers                          a line for each code: its list, its name, its position in the list
#                               FOLDER/codes                            written only when numbers change: objects depend on it (rules.mk)
#
# The rules: a new code gets the next number of its list; when a code is deleted, all codes get new numbers; a file is
# written only when it changes.
set -eu
LC_ALL=C; export LC_ALL
see=$1
put() { if cmp -s "$1.new" "$1"; then rm -f "$1.new"; else mv "$1.new" "$1"; fi; }

mkdir -p "$see"
: >"$see/names"
for of in pipeline catalog; do
  mkdir -p "$see/$of"
  find amalgamation/$of -name '*error_list.h' | sort | xargs sed -n "s/^ *X(\([A-Z0-9_]*\),.*/$of \1/p" >>"$see/names"
done
[ -f "$see/numbers" ] || : >"$see/numbers"
awk -v names="$see/names" '
  BEGIN { while ((getline name < names) > 0) { listed[name] = 1; order[++count] = name } }
  { name = $1 " " $2 }
  !(name in listed) { gone = 1 }
  { number[name] = $3; if ($3 > last[$1]) last[$1] = $3 }
  END {
    if (gone) { split("", number); split("", last) }
    for (i = 1; i <= count; i++) {
      name = order[i]; split(name, of, " ")
      print name, name in number ? number[name] : ++last[of[1]]
    }
  }' "$see/numbers" >"$see/numbers.new"
# changed numbers, or the first ones
if ! awk 'NR == FNR { number[$1, $2] = $3; next } { seen++ } !(($1, $2) in number) || number[$1, $2] != $3 { bad = 1 } END { exit bad || !seen }' \
  "$see/numbers.new" "$see/numbers" || [ ! -f "$see/codes" ]; then cp "$see/numbers.new" "$see/codes"; fi
put "$see/numbers"
for of in pipeline catalog; do
  list=amalgamation/$of/error_list.h
  awk -v numbers="$see/numbers" -v list=$list -v of=$of '
    BEGIN { print "#line 1 \"" list "\"" }
    /^enum svc_.*error \{/ {
      printf of == "pipeline" ? "enum svc_error { SVC_E_NONE, " : "enum svc_catalog_error { "
      while ((getline line < numbers) > 0) {
        split(line, code, " ")
        if (code[1] == of) printf "SVC_E_%s = %s%d, ", code[2], of == "pipeline" ? "" : "SVC_E_CATALOG - 1 + ", code[3]
      }
      print "};"; found = 1; next
    }
    { print }
    END { if (!found) { print list ": there is no line with the enum of its codes" > "/dev/stderr"; exit 1 } }' $list >"$see/$of/error_list.h.new"
  put "$see/$of/error_list.h"
done
