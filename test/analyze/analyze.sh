#!/bin/sh
# Three static analyzers (./build.sh analyze). Each finding is fixed, or explained.
#
#   analyze.sh [gcc|tidy|cppcheck]    runs all of them, or only this one. INCLUDES: flags for the dependencies; JOBS: files at a time;
#                                     OTHERS: flags for PostgreSQL and Redis; LEFT_OUT: files whose headers are not installed
#
# gcc -fanalyzer reads the parts one by one, because it needs too long for the whole. clang-tidy reads svcapi.c, and the files that are not
# part of it; .clang-tidy lists its checks. cppcheck reads the parts after gcc's preprocessor, without the headers of dependencies, because
# its own preprocessor takes up to half a minute for the macros of one table. All files are read as gnu11.
#
# A comment in the line explains a finding of clang-tidy or cppcheck: it names the check and the reason (NOLINT, cppcheck-suppress). gcc has
# no such comment that clang accepts, so test/analyze/known has the explained findings of gcc. An entry there that gcc no longer reports is
# a failure, too.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")/../.."
O=build/analyze; mkdir -p "$O"
FLAGS="-std=gnu11 -I. -Iamalgamation -Iports -Iexamples -DSVC_SHARED_STORE -DMG_ENABLE_IPV6=1 $INCLUDES ${OTHERS:-}"
export O FLAGS
bad=0

there() { grep -vxE "$(echo "ports/listener/explorer_files.c ${LEFT_OUT:-}" | sed 's/ *$//; s/ /|/g')"; }
sources() { find amalgamation ports examples -name '*.c' | there | sort; }
apart() { { find ports/listener examples -name '*.c'; printf 'ports/%s.c\n' mongoose http_reader postgres redis store_copy; } | there | sort; }

each() { # SCRIPT: for every file of standard input, as $1; the output of each is a file of its own, because several run at once
  rm -rf "$O/each"; mkdir -p "$O/each"
  xargs -P "${JOBS:-2}" -n 1 sh -c 'out=$O/each/$(echo "$1" | tr / _); { '"$1"'; } >"$out.log" 2>&1' each
  cat "$O"/each/*.log
}

said() { # NAME SECONDS: every line of $O/NAME is a finding
  n=$(wc -l <"$O/$1")
  [ "$n" = 0 ] || { cat "$O/$1"; bad=1; }
  echo "analyze: $1, $((n)) findings, $2 seconds"
}

gcc_reads() {
  start=$(date +%s)
  sources | each 'gcc $FLAGS -DSVC_SPLIT=1 -O1 -fanalyzer -c -o /dev/null "$1" || echo "$1: error: it does not compile"' >"$O/gcc.log"
  grep -aE '(warning|error):' "$O/gcc.log" | sed -E 's/:[0-9]+:[0-9]+: (warning|error): /: /' | sort -u >"$O/gcc.all" || :
  sed -n 's/^  *//; /^[^#]/p' test/analyze/known | sort -u >"$O/gcc.known"
  { comm -23 "$O/gcc.all" "$O/gcc.known"; comm -13 "$O/gcc.all" "$O/gcc.known" | sed 's/$/ (known, and not found any more)/'; } >"$O/gcc"
  said gcc $(($(date +%s) - start))
}

tidy_reads() {
  start=$(date +%s)
  { echo svcapi.c; apart; } | each 'clang-tidy --quiet "$1" -- $FLAGS || :' >"$O/tidy.log"
  grep -aE '(warning|error):' "$O/tidy.log" | sort -u >"$O/tidy" || :
  said tidy $(($(date +%s) - start))
}

cppcheck_reads() {
  start=$(date +%s)
  # shellcheck disable=SC2016
  sources | each 'gcc -E -C $FLAGS -DSVC_SPLIT=1 "$1" | awk '\''/^# [0-9]+ "/ { ours = $3 !~ /^"(\/|<|build\/deps)/; if (ours) print "#line " $2 " " $3; next } ours { gsub(/__builtin_va_/, "va_"); print }'\'' >"$out.c" &&
    cppcheck --enable=warning,portability --inline-suppr --std=c11 --quiet --template="{file}:{line}: {id}: {message}" "$out.c"' >"$O/cppcheck.log"
  sort -u "$O/cppcheck.log" >"$O/cppcheck"
  said cppcheck $(($(date +%s) - start))
}

case ${1:-all} in
  all) tidy_reads; cppcheck_reads; gcc_reads ;;
  gcc|tidy|cppcheck) "$1_reads" ;;
  *) echo "analyze: gcc, tidy or cppcheck, not '$1'" >&2; exit 2 ;;
esac
exit $bad
