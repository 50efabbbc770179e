#!/bin/sh
# The compiled console must match its source files. A listener built without it must contain none of its bytes.
. test/check/common

git_() { git -c safe.directory="$PWD" "$@" 2>/dev/null; }

sh ports/explorer/pack.sh --out build/check/pack1.c || exit 1
sh ports/explorer/pack.sh --out build/check/pack2.c || exit 1
cmp -s build/check/pack1.c build/check/pack2.c || fail "two packs of the same files differ: ports/explorer/pack.sh is not deterministic"
packed=ports/listener/explorer_files.c
cmp -s build/check/pack1.c $packed || fail "$packed is not what is in ports/explorer: run ./build.sh fold"
if [ -e .git ]; then
  tool git
  case $(git_ check-attr merge $packed) in
    *': binary') ;;
    *) fail "$packed is not marked merge=binary: .gitattributes needs the line '$packed merge=binary linguist-generated'" ;;
  esac
  if git_ cat-file -e HEAD:$packed && [ -z "$(git_ status --porcelain -- ports/explorer)" ]; then
    git_ show HEAD:$packed | cmp -s - build/check/pack1.c ||
      fail "the committed $packed is not what is in the committed ports/explorer: run ./build.sh fold and commit it"
  fi
fi

# a template literal may span lines, whose white space and comments the packer removes: so templates are not allowed
# shellcheck disable=SC2016
if grep -n '`' ports/explorer/*.js; then fail "a module has a template: use strings"; fi

for f in explorer explorer_files; do
  # shellcheck disable=SC2086
  $CC $STRICT -Os -fno-asynchronous-unwind-tables -DSVC_LISTENER_NO_EXPLORER $INCLUDES -I. -c -o build/check/$f.o ports/listener/$f.c ||
    fail "ports/listener/$f.c does not compile with -DSVC_LISTENER_NO_EXPLORER"
done
left=$(size build/check/explorer.o build/check/explorer_files.o | awk 'NR > 1 { n += $4 } END { print n }')
[ "$left" -le 64 ] || fail "with -DSVC_LISTENER_NO_EXPLORER there are still $left bytes of it"
