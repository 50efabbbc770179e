#!/bin/sh
# docs/index.md: every operation, its noun, the noun's file, and the suites that test it.
#
#   index.sh                    prints the page
#   index.sh --untested         prints nouns that no suite tests, and suites that claim to test an unknown noun; no output: no problem
#   index.sh --reached FOLDER   prints operations that none of their suites called successfully in the last complete run, whose suites wrote
#                               FOLDER/out/SUITE.touched (test/one.sh); no output: the page is correct
#
# A noun is tested by the suite of its name, test/*/NOUN_test.c, and by suites whose head comment has "** Tests also: NOUN, NOUN".
set -eu
LC_ALL=C; export LC_ALL

nouns() { sh amalgamation/fold.sh --parts | awk 'NF == 3 { print $2, $1 }'; } # a line each: noun, file

suites() { # a line for each noun that a suite tests: noun, suite
  find test -name '*_test.c' | sort | while read -r f; do
    suite=${f##*/}; suite=${suite%_test.c}
    awk -v suite="$suite" '
      FNR == 1 { print suite, suite }
      !/^(\/\*|\*\*)/ || /^\*\// { exit }
      sub(/^\*\* Tests also: /, "") { gsub(/[,.]/, " "); for (i = 1; i <= NF; i++) print $i, suite }' "$f"
  done
}

operations() { # a line each: operation, noun, file; "-" instead of the operation for a noun without operations
  nouns | while read -r noun file; do
    found=$(grep -oE '\.op = "[A-Za-z0-9]+"' "$file" | cut -d'"' -f2)
    for operation in ${found:--}; do echo "$operation $noun $file"; done
  done
}

joined() { # a line each: operation, noun, file, suites: the suite of the noun's name first
  { suites | sed 's/^/suite /'; operations | sort; } | awk '
    $1 == "suite" { by[$2] = $2 == $3 ? $3 " " by[$2] : by[$2] $3 " "; next }
    { print $1, $2, $3, by[$2] }'
}

table() { # prints the rows of standard input as a table, without a missing operation
  awk '{ file = $3; sub(/^amalgamation\/catalog\//, "", file); printf "|%s %s | %s |", $1 == "-" ? "" : " " $1 " |", $2, file
    for (i = 4; i <= NF; i++) printf " %s", $i; print " |" }'
}

page() {
  cat <<'PAGE'
# Index of operations

Every operation, the noun that it belongs to, the noun's file below `amalgamation/catalog`, and the suites that test it; written by
`./build.sh index`. `./build.sh test SUITE` runs a suite. The head comment of a suite names the further nouns that
it tests. `every_plan` and the other suites that `docs/coverage.md` names call each operation, too.

| operation | noun | file | suites |
|---|---|---|---|
PAGE
  joined >"$rows"
  grep -v '^- ' "$rows" | table
  printf '\n%s\n\n%s\n' 'Nouns without an operation of their own: other operations make, show or end them.' '| noun | file | suites |'
  echo '|---|---|---|'
  { grep '^- ' "$rows" || :; } | table
}

untested() {
  joined | awk 'NF == 3 && !said[$2]++ { print "no suite tests the noun " $2 ": write a " $2 "_test.c, or say in a suite: ** Tests also: " $2 }'
  nouns >"$rows"
  suites | awk 'FNR == NR { noun[$1] = 1; next } $1 != $2 && !($1 in noun) { print "the suite " $2 " says that it tests also " $1 ", and no noun is called so" }' "$rows" -
}

reached() { # FOLDER
  find "$1/out" -maxdepth 1 -name '*.touched' | sort | while read -r f; do
    suite=${f##*/}; sed "s/^/${suite%.touched} /" "$f"
  done >"$rows"
  joined | awk 'FNR == NR { good[$1, $2] = $3; next }
    $1 == "-" { next }
    { for (i = 4; i <= NF; i++) if (good[$i, $1] > 0) next
      print "the suites of " $2 " (" (NF > 3 ? "" : "none") substr($0, index($0, $3) + length($3) + 1) ") do not reach " $1 }' "$rows" -
}

rows=$(mktemp "${TMPDIR:-/tmp}/index.XXXXXX")
trap 'rm -f "$rows"' EXIT; trap 'exit 1' HUP INT TERM
case ${1:-} in
  '') page ;;
  --untested) untested ;;
  --reached) reached "$2" ;;
  *) echo 'usage: index.sh [--untested | --reached FOLDER]' >&2; exit 2 ;;
esac
