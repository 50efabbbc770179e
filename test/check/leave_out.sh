#!/bin/sh
# Small devices leave nouns out with -DSVC_NO_<NOUN>: the library must compile without any one of them, without every
# second one, and without all.
. test/check/common

flags=$(nouns | awk '{ print "-DSVC_NO_" toupper($0) }')
[ -n "$flags" ] || fail "no noun in amalgamation/catalog/*/*.c"
# shellcheck disable=SC2016
try='flags=$1; shift; "$@" $flags || { echo "svcapi.c does not compile with $flags"; exit 1; }'
{
  printf '%s\n' "$flags"
  printf '%s\n' "$flags" | awk 'NR % 2' | tr '\n' ' '; echo
  printf '%s\n' "$flags" | awk 'NR % 2 == 0' | tr '\n' ' '; echo
  printf '%s\n' "$flags" | tr '\n' ' '; echo
} >build/check/leave_out
# shellcheck disable=SC2086
tr '\n' '\0' <build/check/leave_out | xargs -0 -P 2 -I FLAGS sh -c "$try" sh FLAGS $CC $STRICT $INCLUDES -fsyntax-only svcapi.c || exit 1
