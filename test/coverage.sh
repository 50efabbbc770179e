#!/bin/sh
# docs/coverage.md: every operation of the tables, and the suites that call it, from the last complete run of the tests.
#
#   coverage.sh FOLDER           prints the page; FOLDER/run has the suites, FOLDER/out their results
#   coverage.sh FOLDER --check   checks that the run reached every operation, with success and with an error, and that the page lists all
#                                operations as the tables do. (The column of suites may be outdated, because every test changes it.)
set -eu
LC_ALL=C; export LC_ALL
page() {
  "$1/run" --operations | sort -t "$(printf '\t')" -k4,4 -k3,3 -k2,2 >"$1/out/operations"
  # Suites that call all operations are not listed, because they tell nothing about a single one.
  find "$1/out" -maxdepth 1 -name '*.touched' | sort | while read -r f; do
    suite=${f##*/}; suite=${suite%.touched}
    sed "s/^/$suite /" "$f"
  done >"$1/out/touched"
  # shellcheck disable=SC2016
  awk -F '\t' '
    FILENAME == "test/recorded.tsv" { seen[$1] = $2; next }
    FILENAME == "test/recorded_differs.tsv" { differs[$1] = $2; next }
    FILENAME == touched {
      split($0, w, " ")
      good[w[2]] += w[3]; bad[w[2]] += w[4]
      if (w[1] ~ /^(every_plan|walk|catalog|openapi|control|error|corpus)$/ || w[3] == 0) next
      if (++suites[w[2]] <= 6) by[w[2]] = by[w[2]] (by[w[2]] == "" ? "" : " ") w[1]
      next
    }
    !headed++ {
      print "# Coverage\n"
      print "Every operation, by endpoint set; `./build.sh coverage` writes this page from the tables. Any one of the listed roles is enough, and so is"
      print "a role above it in the hierarchy; an operation without roles admits every authenticated caller. The tests use the newest version. Each operation"
      print "is also called by `every_plan` (as a stranger, without a role, with a body that is not JSON, with an unknown parameter, on a store without"
      print "memory, and more), by the random `walk`, by the crawl along links, and over HTTP by `./build.sh test-api`. The last column lists the suites"
      print "that are about the operation or use it. The column \"recorded\" says how many exchanges recorded from the public service have the recorded"
      print "status when `./build.sh test-recorded` replays them; described: only its answers were compared with the OpenAPI document; differs: on purpose,"
      print "with the reason."
    }
    $4 != set { set = $4; print "\n## " set "\n\n| operation | request | roles | versions | recorded | tested by |\n|---|---|---|---|---|---|" }
    {
      n++
      if (suites[$1] > 6) by[$1] = by[$1] " and " suites[$1] - 6 " more"
      if ($1 == "upgradeClusterToServerless") { good[$1] = 1; by[$1] = by[$1] " (always refused: there are no serverless instances any more)" }
      if (good[$1] == 0 || bad[$1] == 0) { missing = missing "\n  " $1 (good[$1] == 0 ? ": never answered" : ": never refused") }
      request = $2 " " $3; gsub(/\{[^}]*\}/, "{}", request)
      recorded = seen[request] ($1 in differs ? (seen[request] == "" ? "" : "; ") "differs: " differs[$1] : "")
      printf "| %s | `%s %s` | %s | %s | %s | %s |\n", $1, $2, $3, $5 == "" ? "" : $5, $6, recorded, by[$1]
    }
    END {
      printf "\n%d operations.\n", n
      if (missing != "") { printf "operations that no test reaches:%s\n", missing | "cat >&2"; exit 1 }
    }' touched="$1/out/touched" test/recorded.tsv test/recorded_differs.tsv "$1/out/touched" "$1/out/operations"
}
tables() { sed 's/ | [^|]* |$//'; } # the page without its last column
case ${2:-} in
  --check)
    page "$1" >"$1/out/coverage.md" || exit 1
    [ -f docs/coverage.md ] || { echo 'docs/coverage.md is missing: run ./build.sh coverage'; exit 1; }
    tables <docs/coverage.md >"$1/out/coverage.has"; tables <"$1/out/coverage.md" | diff "$1/out/coverage.has" - >"$1/out/coverage.diff" ||
      { head -n 4 "$1/out/coverage.diff"; echo 'docs/coverage.md is not what the tables say: run ./build.sh coverage'; exit 1; } ;;
  *) page "$1" ;;
esac
