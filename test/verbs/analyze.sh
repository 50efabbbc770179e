# analyze [TOOL]: gcc -fanalyzer, clang-tidy and cppcheck, or only TOOL, over the library, ports and svcd
#
# A finding is fixed, or explained in the source, in .clang-tidy, or in test/analyze/known. ports/postgres.c and ports/redis.c
# are left out if the headers of libpq and hiredis are not installed.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need gcc clang-tidy cppcheck
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold; pack
  OTHERS=; LEFT_OUT=
  if has libpq-fe.h; then OTHERS="-DSVC_WITH_POSTGRES -isystem $(libpq)"; else LEFT_OUT=ports/postgres.c; fi
  if has hiredis.h; then OTHERS="$OTHERS -DSVC_WITH_REDIS"; else LEFT_OUT="$LEFT_OUT ports/redis.c"; fi
  [ -z "$LEFT_OUT" ] || say "analyze: left out, without the headers of libpq or hiredis: $LEFT_OUT"
  export INCLUDES JOBS OTHERS LEFT_OUT
  sh test/analyze/analyze.sh "$@" 9<&-
}
