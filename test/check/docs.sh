#!/bin/sh
# The generated pages docs/svcd.md, errors.md, limits.md and metrics.md match svcd, the lists of errors and endpoint sets, and the metrics. The check finds
# an outdated page, a code without advice and advice for an unknown code.
. test/check/common
tool python3
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
for page in svcd errors limits metrics; do
  python3 test/docs_$page.py --check || fail "docs/$page.md is stale: run ./build.sh docs"
done

# the check can fail: tested in a copy of its input
T=build/check/docs
rm -rf $T; mkdir -p $T/docs $T/test $T/build $T/amalgamation/pipeline $T/amalgamation/catalog $T/examples/svcd
cp test/docs_*.py $T/test/; cp docs/svcd.md docs/errors.md docs/limits.md docs/metrics.md $T/docs/; ln -s "$PWD/build/svcd" $T/build/svcd
cp amalgamation/pipeline/error_list.h amalgamation/pipeline/stats.c $T/amalgamation/pipeline/; cp examples/svcd/metrics.c $T/examples/svcd/
cp amalgamation/catalog/set_list.h amalgamation/catalog/error_list.h amalgamation/catalog/noun_error_list.h amalgamation/catalog/error_advice.txt $T/amalgamation/catalog/
refuses() { # WORDS SCRIPT
  if said=$(cd $T && python3 test/"$2" --check 2>&1); then fail "$2 accepts: $1"; fi
  case $said in *"$1"*) ;; *) fail "$2 says '$said', without '$1'" ;; esac
}
echo 'NO_SUCH_CODE: Nothing.' >>$T/amalgamation/catalog/error_advice.txt
refuses 'no error has NO_SUCH_CODE' docs_errors.py
sed '/^409 \*:/d' amalgamation/catalog/error_advice.txt >$T/amalgamation/catalog/error_advice.txt
refuses 'no advice for' docs_errors.py
cp amalgamation/catalog/error_advice.txt $T/amalgamation/catalog/
for page in svcd errors limits metrics; do
  echo more >>$T/docs/$page.md
  refuses "docs/$page.md is stale" docs_$page.py
done
