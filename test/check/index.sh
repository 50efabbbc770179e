#!/bin/sh
# docs/index.md matches the tables and tests: it is up to date, has all operations, and every noun is tested by a suite. After a complete run
# of the tests, test/index.sh --reached checks whether these suites reach the operations.
. test/check/common

sh test/index.sh >build/check/index.md || fail "test/index.sh fails"
cmp -s build/check/index.md docs/index.md || { diff docs/index.md build/check/index.md | head -n 6; fail "docs/index.md is outdated: run ./build.sh index"; }

lost=$(sh test/index.sh --untested) || fail "test/index.sh --untested fails"
[ -z "$lost" ] || { echo "$lost"; fail "docs/index.md cannot say where these are tested"; }

# The page finds operations in the text of the nouns' files: the tests' own list must have the same.
sed -n 's/^  { "[A-Z]*", "[^"]*", "\([A-Za-z0-9]*\)".*/\1/p' test/catalog/operations_list.h test/catalog/operations_own.h | sort >build/check/index_listed
sed -n 's/^| \([A-Za-z0-9]*\) | .* | .* | .* |$/\1/p' docs/index.md | grep -vx operation | sort >build/check/index_has
cmp -s build/check/index_listed build/check/index_has ||
  { diff build/check/index_listed build/check/index_has; fail "docs/index.md has other operations than test/catalog/operations_list.h and operations_own.h"; }
