#!/bin/sh
# Tests the demo as its visitors use it: built from build/npm, served below a path by a plain file server on loopback, and used in Chromium. Pictures are left in
# build/demo-shots. ./build.sh test-packages npm makes the package first, and runs this.
set -eu
cd "$(dirname "$0")/../.."
ok() { echo "  ok: $*"; }
fail() { echo "  FAILED: $*" >&2; exit 1; }
T=build/packages/demo
rm -rf $T build/demo-shots; mkdir -p $T build/demo-shots

# The builder: writes to a folder of the caller's choice, and replaces an older demo in it, but no other files.
sh package/demo/build.sh >$T/log 2>&1 || { cat $T/log >&2; fail 'package/demo/build.sh'; }
(cd $T && sh ../../../package/demo/build.sh site && sh ../../../package/demo/build.sh site) >$T/log 2>&1 || { cat $T/log >&2; fail 'package/demo/build.sh FOLDER, twice'; }
diff -r build/demo $T/site >$T/log || { cat $T/log >&2; fail 'two builds differ'; }
mkdir $T/mine; echo mine >$T/mine/file
if sh package/demo/build.sh $T/mine >$T/log 2>&1; then fail 'a folder with other files is overwritten'; fi
{ grep -q 'is not empty and no demo' $T/log && [ "$(cat $T/mine/file)" = mine ]; } || fail 'a folder with other files is refused with a reason'
sh package/demo/build.sh --help | grep -q '^usage: ' || fail '--help shows the usage'
if sh package/demo/build.sh --folder >$T/log 2>&1 || ! grep -q '^usage: ' $T/log; then fail 'an unknown flag is refused with the usage'; fi
for f in ports/explorer/*.js ports/explorer/*.css ports/explorer/*.svg; do
  [ "${f##*/}" = boot.js ] || cmp -s "$f" "build/demo/_explorer/${f##*/}" || fail "$f is not in the demo as it is"
done
for text in 'GNU General Public License' 'Mbed TLS' 'svcapi.txt' 'libc.txt'; do grep -q "$text" build/demo/licences.txt || fail "licences.txt lacks $text"; done
ok 'built twice, the same; files of others are kept; licences'
node test/packages/demo/run.mjs
