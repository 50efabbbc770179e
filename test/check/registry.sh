#!/bin/sh
# test/registry.sh finds each form of a test, and refuses a test that could not run, with its place and the error.
. test/check/common

T=build/check/registry
rm -rf $T; mkdir -p $T/other
file() { printf '%s\n' "$@" >$T/some_test.c; }
refused() { # WORDS: the error of the registry for some_test.c
  if sh test/registry.sh $T/some_test.c >$T/out 2>&1; then fail "not refused ($1): $(cat $T/some_test.c)"; fi
  grep -qF -e "$1" $T/out || fail "the registry does not say '$1': $(cat $T/out)"
}

file 'TEST(some, one)' '{' '}' 'TEST_SERVICE(some, two_3)' 'TEST_ARENA(some, four)' 'TEST_EACH(some, five, seed, "2", "6")' '/* TEST() stays */'
sh test/registry.sh $T/some_test.c >$T/out || fail 'the forms of a test are refused'
grep '^TEST' $T/some_test.c | cmp -s - $T/out || fail "the registry is not what the file has: $(cat $T/out)"

file 'int a;'; refused 'there is no test in this file'
: >$T/some_test.c; refused 'there is no test in this file'
file 'TEST(some, one)' 'TEST(sone, two)'; refused 'some_test.c:2: sone/two is in the file of the suite some'
file 'TEST(some, one)' '{' '}' 'TEST_SERVICE(some, one)'; refused 'some_test.c:4: some/one is on line 1 already'
for text in 'TEST(some)' ' TEST(some, one)' 'TEST(some, one) {' 'TEST_ONE(some, one)' 'TEST(some, One)' 'TEST(some, one-two)' '#define MY(name) TEST(some, name)'; do
  file 'TEST(some, first)' "$text"; refused 'some_test.c:2: a test is one of the forms'
done
file 'TEST(some, one)'; cp $T/some_test.c $T/other
if sh test/registry.sh $T/some_test.c $T/other/some_test.c >$T/out 2>&1; then fail 'two files of one suite are not refused'; fi
grep -q 'the suite some is that of' $T/out || fail "the registry does not name the other file: $(cat $T/out)"
rm -rf $T
