#!/bin/sh
# branches.sh FOLDER: lists the branches of svcapi.c's parts and of the ports that the suites took, for a build with --coverage in FOLDER. Writes
# FOLDER/summary (a line for each file: taken, all, name) and FOLDER/missing (a line for each branch not taken: file, line, the line's
# text), and prints docs/branches.md: the figures, and the missing branches grouped by the reasons in test/branches.reasons.
#
# A branch is what gcc counts as one: each outcome of each condition, including && and || and ?:, without optimization. All of them count, also
# those of failures that no test has produced. Inline functions of headers count in no file, except for the parts of a port:
# those of ports/X.c are headers in ports/X. For svcd, which tests start, only the ports count, because it contains
# the library as one file.
set -eu
LC_ALL=C; export LC_ALL
O=$1
rm -f "$O/summary" "$O/missing"
for note in $(find "$O/obj/amalgamation" "$O/obj/ports" -name '*.gcno' | sort); do
  source=${note#"$O/obj/"}; source=${source%.gcno}.c
  gcov -t -b -c -o "$note" "$source" 2>/dev/null | awk -v file="$source" -v folder="${source%.c}/" -v missing="$O/missing" '
    # "    #####:   12:text", "branch  0 taken 3 (fallthrough)", "branch  1 never executed"
    /^ *[-#=0-9*]+: *[0-9]+:/ {
      colon = index($0, ":"); rest = substr($0, colon + 1); second = index(rest, ":")
      line = substr(rest, 1, second - 1) + 0; text = substr(rest, second + 1)
      if (line == 0 && text ~ /^Source:/) { name = substr(text, 8); mine = name == file || (index(name, folder) == 1 && name ~ /\.h$/) }
      next
    }
    mine && /^branch / {
      all[name]++
      if ($3 == "taken" && $4 + 0 > 0) taken[name]++
      else { sub(/^ +/, "", text); print name ":" line ": " text >>missing }
    }
    END { for (name in all) print taken[name] + 0, all[name], name }' | sort -k3 >>"$O/summary"
done
[ -s "$O/summary" ] || { echo "branches.sh: nothing was counted in $O" >&2; exit 1; }

# The first pattern of test/branches.reasons that matches a line gives its reason.
touch "$O/missing"
awk -F '\t' 'FNR == NR { if ($0 !~ /^#/ && NF == 2) { pattern[++n] = $1; reason[n] = $2 } next }
  { for (i = 1; i <= n; i++) if ($0 ~ pattern[i]) break; print (i <= n ? reason[i] : "no reason is known: a test is missing") "\t" $0 }' \
  test/branches.reasons "$O/missing" >"$O/reasons"

cat <<'HEAD'
# Branches that the tests take

`./build.sh branches` writes this page. It runs every suite with gcc's counters in the parts of `svcapi.c` and in `ports/`; everything that a
suite reaches fails once (`test/fail.c`). Some suites run a second time on a store that reports other writers, and on PostgreSQL (`AS_SHARED`
and `ON_POSTGRES` in `test/verbs/branches.sh`); those of the limiter run on Redis. `test/branches.sh` defines what counts as a branch. After a
run, `build/branches/missing` lists the single branches that were not taken.

HEAD
echo "Not counted are $(find amalgamation ports \( -name '*.c' -o -path 'ports/postgres/*.h' -o -path 'ports/redis/*.h' \) -exec grep -hoE 'SVC_(NEVER|ALWAYS)\(' {} + | wc -l) conditions that guard against our own mistakes (\`SVC_NEVER\` and \`SVC_ALWAYS\` in"
echo '`amalgamation/base/base.h`): in test builds each is an assertion that ends the program if it does not hold.'
echo
awk '{ taken += $1; all += $2 } END { printf "**%d of %d branches, %.1f %%.**\n\n", taken, all, 100 * taken / all }' "$O/summary"
printf '%s\n' '| folder | taken | of | % |' '|---|---|---|---|'
awk '{ f = $3; sub(/\/[^\/]*$/, "", f); taken[f] += $1; all[f] += $2 }
  END { for (f in all) printf "| %s | %d | %d | %.1f |\n", f, taken[f], all[f], 100 * taken[f] / all[f] }' "$O/summary" | sort
printf '\n%s\n\n%s\n%s\n' 'What is not taken, by its reason (`test/branches.reasons`):' '| branches | reason |' '|---|---|'
cut -f1 "$O/reasons" | sort | uniq -c | sort -k1,1nr | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); printf "| %d | %s |\n", n, $0 }'
printf '\n%s\n\n%s\n%s\n' 'Files with most of them missing:' '| file | taken | of | % |' '|---|---|---|---|'
awk '{ print $2 - $1, $0 }' "$O/summary" | sort -s -k1,1nr | head -n 30 | awk '{ printf "| %s | %d | %d | %.1f |\n", $4, $2, $3, 100 * $2 / $3 }'
printf '\n%s\n' 'Where each of them is, by its reason, as file and lines:'
awk -F '\t' '{ at = $2; sub(/: .*/, "", at); file = at; sub(/:[0-9]+$/, "", file); line = substr(at, length(file) + 2)
    if (!(($1, at) in seen)) { seen[$1, at] = 1; lines[$1 "\t" file] = lines[$1 "\t" file] " " line } }
  END { for (k in lines) print k "\t" lines[k] }' "$O/reasons" | sort | awk -F '\t' '$1 != last { printf "\n**%s**\n\n", $1; last = $1 } { printf "- `%s`:%s\n", $2, $3 }'
