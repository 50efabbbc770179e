#!/bin/sh
# Three readers of the code that run none of it (./build.sh analyze): each finding is mended, or explained.
#
#   analyze.sh [gcc|tidy|cppcheck]    all of them, or this one; INCLUDES: where the dependencies are
#
# gcc -fanalyzer reads the parts one by one, for the whole is too much for it at once. clang-tidy reads svcapi.c, the listener and svcd; what
# it is asked is in .clang-tidy. cppcheck reads what is not a table: the macros of the catalog's tables take it minutes for each of
# the nouns, in which there is little else. Explained is a line by a comment that names the check and says why (NOLINT, cppcheck-suppress);
# gcc has no such comment that clang would not refuse, so for it they stand in test/analyze/known, and one that is not found any
# more is a failure, too.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")/../.."
O=build/analyze; mkdir -p "$O"
FLAGS="-std=c11 -I. -Iamalgamation -Iports -Iexamples -DSVC_SHARED_STORE -DMG_ENABLE_IPV6=1 $INCLUDES"
bad=0

sources() { find amalgamation ports examples/svcd -name '*.c' ! -name explorer_files.c ! -name postgres.c ! -name redis.c | sort; }
apart() { find ports/listener examples/svcd -name '*.c' ! -name explorer_files.c | sort; echo ports/mongoose.c; echo ports/http_reader.c; }

said() { # NAME SECONDS: what $O/NAME holds is wrong
  n=$(wc -l <"$O/$1")
  [ "$n" = 0 ] || { cat "$O/$1"; bad=1; }
  echo "analyze: $1, $((n)) findings, $2 seconds"
}

gcc_reads() {
  start=$(date +%s); : >"$O/gcc.log"
  for f in $(sources); do
    # shellcheck disable=SC2086
    gcc $FLAGS -DSVC_SPLIT=1 -O1 -fanalyzer -c -o /dev/null "$f" 2>>"$O/gcc.log" || { echo "$f: error: it does not compile" >>"$O/gcc.log"; }
  done
  grep -aE '(warning|error):' "$O/gcc.log" | sed -E 's/:[0-9]+:[0-9]+: (warning|error): /: /' | sort -u >"$O/gcc.all" || :
  sed -n 's/^  *//; /^[^#]/p' test/analyze/known | sort -u >"$O/gcc.known"
  { comm -23 "$O/gcc.all" "$O/gcc.known"; comm -13 "$O/gcc.all" "$O/gcc.known" | sed 's/$/ (known, and not found any more)/'; } >"$O/gcc"
  said gcc $(($(date +%s) - start))
}

tidy_reads() {
  start=$(date +%s)
  # shellcheck disable=SC2086
  { clang-tidy --quiet svcapi.c -- $FLAGS; clang-tidy --quiet $(apart) -- $FLAGS; } >"$O/tidy.log" 2>"$O/tidy.err" || :
  grep -aE '(warning|error):' "$O/tidy.log" | sort -u >"$O/tidy" || :
  said tidy $(($(date +%s) - start))
}

cppcheck_reads() { # it is not shown the headers of others, so an #error about these says nothing
  start=$(date +%s)
  cppcheck --enable=warning,portability --inline-suppr --std=c11 --quiet --template='{file}:{line}: {id}: {message}' \
    --suppress=preprocessorErrorDirective -I. -Iamalgamation -Iports -Iexamples -DSVC_SPLIT=1 -DSVC_SHARED_STORE amalgamation/base amalgamation/store \
    amalgamation/pipeline amalgamation/control amalgamation/api.c amalgamation/flat.c ports examples/svcd 2>&1 | grep -E '^[a-z].*:[0-9]+: ' | sort -u >"$O/cppcheck" || :
  said cppcheck $(($(date +%s) - start))
}

case ${1:-all} in
  all) tidy_reads; cppcheck_reads; gcc_reads ;;
  gcc|tidy|cppcheck) "$1_reads" ;;
  *) echo "analyze: gcc, tidy or cppcheck, not '$1'" >&2; exit 2 ;;
esac
exit $bad
