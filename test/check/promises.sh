#!/bin/sh
# Names that programs rely on stay within a major version: operations and their dated versions, error codes, flags and verbs of svcd, events of
# the log, and metrics (docs/compatibility.md). test/formats/promised-VERSION.txt has the names of each release. A name of the same major version
# that is missing today fails this check, and so does a release without its file.
. test/check/common
tool python3

T=build/check/promises
flags="--memory --bootstrap $T/first.json --metrics"
. test/check/service
begin
curl -sS "$url/_svc/metrics" >$T/metrics || fail "no metrics"
end
python3 test/promised.py $T/metrics >$T/now || fail "test/promised.py fails"

version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
kept() { # FILE: every line of it still exists today
  LC_ALL=C comm -23 "$1" $T/now >$T/missing
  [ ! -s $T/missing ]
}
[ -f "test/formats/promised-$version.txt" ] || fail "test/formats/promised-$version.txt is missing: copy $T/now there when the version changes"
for file in test/formats/promised-"${version%%.*}".*.txt; do
  kept "$file" || { cat $T/missing; fail "these names of $file are gone: within a major version they stay (docs/compatibility.md)"; }
done
# the check can fail: a name that is not there is found missing
{ cat $T/now; echo 'metric svc_no_such_total counter'; } | LC_ALL=C sort >$T/more
if kept $T/more; then fail "a missing name is not found"; fi
