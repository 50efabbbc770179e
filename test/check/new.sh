#!/bin/sh
# ./build.sh new AREA/NOUN generates a noun that compiles and passes its tests. The check uses a copy of this tree with its objects, so few are compiled.
# The noun's own suite and the tests of the catalog pass, docs/coverage.md has its operations as the tables do, and
# invalid names and existing files are refused.
. test/check/common

[ -x build/test/run ] || { echo "skipped: build/test/run is not built: run ./build.sh test new"; exit 0; }
unset SVC_TEST_STORE SVC_TEST_LIMITER SVC_TEST_POSTGRES SVC_TEST_FAIL SVC_TEST_ANSWERS SVC_TEST_TOUCHED WITH EMULATOR
T=build/check/new
rm -rf $T; mkdir -p $T/build
cp -a build.sh deps.sh rules.mk package amalgamation ports examples docs test svcapi.h svcapi.c $T
cp -a build/deps build/test $T/build
run() { (cd $T && timeout 300 ./build.sh "$@") >$T/out 2>&1; }
refused() { # WORDS ARGUMENT
  if run new "$2"; then fail "./build.sh new $2 was not refused"; fi
  grep -qF -e "$1" $T/out || fail "./build.sh new $2 does not say '$1': $(tail -n 1 $T/out)"
}

: >$T/begun
refused 'new takes AREA/NOUN' trial_zone
refused 'snake case' network/TrialZone
refused 'snake case' network/trial_
refused 'snake case' network/../trial_zone
refused "no area 'netwrk' (did you mean network?)" netwrk/trial_zone
refused 'exists already' network/peer
refused 'exists already' network/cluster
(cd $T && find amalgamation test docs svcapi.h -type f -newer begun) >$T/written
[ ! -s $T/written ] || fail "./build.sh new has written $(head -n 1 $T/written), though it refused"

run new network/trial_zone || { cat $T/out; fail "./build.sh new network/trial_zone fails"; }
grep -q 'TRIAL_ZONE' $T/svcapi.h || fail "svcapi.h does not list the new noun"
refused 'exists already' network/trial_zone
for name in trial_zone catalog/operations catalog/names catalog/tables rate_limit/endpoints; do
  run test $name || { tail -n 12 $T/out; fail "after ./build.sh new network/trial_zone, ./build.sh test $name fails"; }
  [ $name != trial_zone ] || made=$(sed -n 's/^build: test objects (\([0-9]*\) files)$/\1/p' $T/out)
done
case ${made:-none} in [1-9]|1[0-9]) ;; *) fail "a noun that is added compiles ${made:-no} objects, and fewer than 20 are allowed" ;; esac

# ---- the rows of docs/coverage.md, without the suites
(cd $T && ASAN_OPTIONS=detect_leaks=0 build/test/run --operations) | awk -F '\t' '/[/]trialZones/ { printf "| %s | `%s %s` | %s | %s | \n", $1, $2, $3, $5, $6 }' | sort >$T/has
grep 'trialZones' $T/docs/coverage.md | sed 's/ | [^|]* |$//' | sort >$T/says
cmp -s $T/has $T/says || { diff $T/has $T/says; fail "docs/coverage.md does not have the operations of the new noun"; }
(cd $T && sh test/index.sh) | cmp -s - $T/docs/index.md || fail "docs/index.md is outdated after ./build.sh new network/trial_zone"
[ "$(wc -l <$T/has)" = 5 ] || fail "the new noun has $(wc -l <$T/has) operations, not 5"
rm -rf $T
