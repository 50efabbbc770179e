#!/bin/sh
# svcapi.c must be the fold of the parts. `build.sh test` folds before it tests, which would hide an outdated file in the last
# commit. So if the parts are unchanged since the commit, the committed file is checked.
. test/check/common

git_() { git -c safe.directory="$PWD" "$@" 2>/dev/null; }

sh amalgamation/fold.sh --out build/check/fold1.c || exit 1
sh amalgamation/fold.sh --out build/check/fold2.c || exit 1
cmp -s build/check/fold1.c build/check/fold2.c || fail "two folds of the same parts differ: amalgamation/fold.sh is not deterministic"
cmp -s build/check/fold1.c svcapi.c || fail "svcapi.c is not the fold of the parts: run ./build.sh fold"
sh amalgamation/fold.sh --header build/check/fold.h || exit 1
cmp -s build/check/fold.h svcapi.h || fail "the names of nouns in svcapi.h are not those of the parts: run ./build.sh fold"

for of in error event; do
  sh amalgamation/fold.sh --${of}s >build/check/fold.list || exit 1
  cmp -s build/check/fold.list amalgamation/catalog/noun_${of}_list.h || fail "noun_${of}_list.h has not what the nouns state: run ./build.sh fold"
done

if [ -e .git ]; then
  tool git
  case $(git_ check-attr merge svcapi.c) in
    *': binary') ;;
    *) fail "svcapi.c is not marked merge=binary: .gitattributes needs the line 'svcapi.c merge=binary linguist-generated'" ;;
  esac
  if git_ cat-file -e HEAD:svcapi.c && [ -z "$(git_ status --porcelain -- amalgamation ports svcapi.h)" ]; then
    git_ show HEAD:svcapi.c | cmp -s - build/check/fold1.c ||
      fail "the committed svcapi.c is not the fold of the committed parts: run ./build.sh fold and commit svcapi.c"
  fi
fi
