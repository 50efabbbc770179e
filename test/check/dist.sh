#!/bin/sh
# The source archive compiles with nothing but a compiler: no network, no other folder of the project, with the commands that it contains.
# build.sh has made the archive, in build/dist.
. test/check/common

version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
a=$PWD/build/dist/svcapi-$version.tar.gz T=build/check/dist
[ -f "$a" ] || fail "$a is missing: run ./build.sh test"
rm -rf $T; mkdir -p $T
tar -xzf "$a" -C $T
cd "$T/svcapi-$version" || fail "the folder in the archive differs from its name"
for name in lmdb frozen tinycthread mbedtls mongoose svcapi; do [ -s licences/$name.txt ] || fail "the archive has no licence of $name"; done
grep -q 'GNU GENERAL PUBLIC LICENSE' licences/mbedtls.txt || fail "the archive has no text of the licence that frozen and mongoose name"
sed -n 's/^    cc /cc /p' COMPILE.md | sed "s/ -O2 / -O0 -w /g" >lines # without optimization, to save time
[ "$(wc -l <lines)" = 3 ] || fail "COMPILE.md has not three lines that compile"
alone=; if unshare -rn true 2>/dev/null; then alone='unshare -rn'; fi # if the system allows it
compile() { # NUMBER
  sed -n "$1p" lines >line.sh
  # shellcheck disable=SC2086
  env -i PATH="$PATH" $alone sh line.sh >said 2>&1 || { head -n 12 said; fail "line $1 of COMPILE.md fails"; }
}
compile 1
timeout 60 ./example >said 2>&1 || fail "the example of the archive does not run: $(tail -n 1 said)"
grep -q '"name": *"Acme"' said || fail "the example of the archive does not answer"
compile 2
[ "$(./svcd version)" = "svcd $version" ] || fail "svcd of the archive says that it is '$(./svcd version)'"
if [ -f /usr/include/hiredis/hiredis.h ] && command -v pg_config >/dev/null 2>&1; then
  compile 3
  ./svcd-stores serve --help >said || fail "svcd-stores of the archive does not run"
  ./svcd-stores serve --memory --store postgres://nobody@127.0.0.1:1/none >said 2>&1 && fail "svcd-stores takes a store that is not there"
  grep -q 'WITH=postgres' said && fail "svcd-stores of the archive does not support PostgreSQL"
fi
exit 0
