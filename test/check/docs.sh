#!/bin/sh
# The generated pages docs/svcd.md and docs/errors.md are what svcd and the lists of errors say; and a stale page, a code without advice and
# advice for no code are found.
. test/check/common
tool python3
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
python3 test/docs_svcd.py --check || fail "docs/svcd.md is stale: run ./build.sh docs"
python3 test/docs_errors.py --check || fail "docs/errors.md is stale: run ./build.sh docs"

# the check can fail: in a copy of what it reads
T=build/check/docs
rm -rf $T; mkdir -p $T/docs $T/test $T/build $T/amalgamation/pipeline $T/amalgamation/catalog
cp test/docs_*.py $T/test/; cp docs/svcd.md docs/errors.md $T/docs/; ln -s "$PWD/build/svcd" $T/build/svcd
cp amalgamation/pipeline/error_list.h $T/amalgamation/pipeline/
cp amalgamation/catalog/error_list.h amalgamation/catalog/noun_error_list.h amalgamation/catalog/error_advice.txt $T/amalgamation/catalog/
refuses() { # WORDS SCRIPT
  if said=$(cd $T && python3 test/"$2" --check 2>&1); then fail "$2 accepts: $1"; fi
  case $said in *"$1"*) ;; *) fail "$2 says '$said', without '$1'" ;; esac
}
echo 'NO_SUCH_CODE: Nothing.' >>$T/amalgamation/catalog/error_advice.txt
refuses 'no error has NO_SUCH_CODE' docs_errors.py
sed '/^409 \*:/d' amalgamation/catalog/error_advice.txt >$T/amalgamation/catalog/error_advice.txt
refuses 'no advice for' docs_errors.py
cp amalgamation/catalog/error_advice.txt $T/amalgamation/catalog/
for page in svcd errors; do
  echo more >>$T/docs/$page.md
  refuses "docs/$page.md is stale" docs_$page.py
done
