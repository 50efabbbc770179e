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

# ---- build/dist keeps what other calls have made of the same sources, and SHA256SUMS lists what is there
cd "$OLDPWD" || exit 1
tree $T/kept
mkdir -p $T/kept/test $T/kept/build/dist/svcapi-0.0.1; cp -a build/deps $T/kept/build/deps; cp -R test/verbs $T/kept/test/; cp README.md CHANGELOG.md LICENSE llms.txt $T/kept/
d=$T/kept/build/dist
for f in "svcd-$version-linux-arm64" "svcd-$version-linux-armhf" svcd-0.0.1-linux-amd64 svcapi-0.0.1.tar.gz "svcapi-$version-py3-none-any.whl" "svcd_$version-0.1_amd64.deb"; do echo "$f" >"$d/$f"; done
touch -d 2020-01-01 "$d/svcd-$version-linux-armhf"
touch -d '1 minute' "$d/svcd-$version-linux-arm64" "$d/svcapi-$version-py3-none-any.whl" "$d/svcd_$version-0.1_amd64.deb"
for n in 1 2; do
  (cd $T/kept && SOURCE_DATE_EPOCH=1893456000 ./build.sh dist none) >$T/said 2>&1 || { tail -n 3 $T/said; fail "./build.sh dist none fails"; }
  for f in "svcd-$version-linux-arm64" "svcapi-$version-py3-none-any.whl" "svcd_$version-0.1_amd64.deb"; do
    [ "$(cat "$d/$f" 2>/dev/null)" = "$f" ] || fail "./build.sh dist none removes $f, which another call has made"
    grep -q "  $f\$" $d/SHA256SUMS || fail "SHA256SUMS does not list $f, which is there"
  done
  (cd $d && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS does not fit the files"
done
(cd $d && ls svcd-"$version"-linux-armhf svcd-0.0.1-linux-amd64 svcapi-0.0.1.tar.gz svcapi-0.0.1 2>/dev/null) && fail "files of other sources stay in build/dist"
grep -q "\"svcd-$version-linux-arm64\"" "$d/svcapi-$version.cdx.json" || fail "the list of components lacks a program that is there"
rm -rf $T/kept
exit 0
