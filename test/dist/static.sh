#!/bin/sh
# Tests the output of ./build.sh dist: programs without any dependency, each started and queried, those for other processors under qemu as far as possible; checksums, the
# list of components, and an archive that is identical when built again. ./build.sh test-dist runs it, from the root of the tree.
. test/check/common

version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
T=build/check/static
case $(uname -m) in x86_64) here=amd64 ;; aarch64) here=arm64 ;; arm*) here=armhf ;; *) fail "no svcd is made for $(uname -m)" ;; esac
rm -rf $T; mkdir -p $T
passed=0; failed=0; pid=
trap 'if [ -n "$pid" ]; then kill $pid 2>/dev/null || :; fi' EXIT
try() { # NAME FUNCTION...: in a subshell, so that a failure does not end the other tests
  if ("$@" 2>&1) >$T/said; then passed=$((passed + 1)); echo "$*: ok"
  else failed=$((failed + 1)); echo "$*: FAILED"; sed 's/^/  /' $T/said; fi
}

sums() { cd build/dist && sha256sum --quiet -c SHA256SUMS; }

sbom() { # valid JSON, with all components of the table and the hashes of the files
  for f in build/dist/svcd-* svcapi.c; do
    grep -q "$(sha256sum "$f" | cut -d' ' -f1)" "build/dist/svcapi-$version.cdx.json" || fail "the list lacks the hash of $f"
  done
  for name in lmdb frozen tinycthread mbedtls mongoose musl-armhf; do
    grep -q "\"name\":\"$name\",\"version\":\"[^\"]" "build/dist/svcapi-$version.cdx.json" || fail "the list lacks $name"
  done
  if grep -q '"content":""\|"expression":""' "build/dist/svcapi-$version.cdx.json"; then fail "the list has something empty in it"; fi
  if command -v node >/dev/null 2>&1; then node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "build/dist/svcapi-$version.cdx.json"; fi
}

needs_nothing() { # ARCH
  if readelf -ld "build/dist/svcd-$version-linux-$1" | grep -q 'INTERP\|NEEDED'; then fail "svcd for $1 is not static"; fi
}

small() { # ARCH BYTES
  bytes=$(wc -c <"build/dist/svcd-$version-linux-$1")
  [ "$bytes" -le "$2" ] || fail "svcd for $1 has $bytes bytes, more than $2"
}

asked() { # FOLDER COMMAND...: the program starts, answers over HTTPS and ends on SIGTERM
  folder=$1; shift
  : >$T/out # removes the output of an earlier one
  "$@" serve --data "${data:-$folder}" --listen https://127.0.0.1:0 >$T/out 2>&1 &
  pid=$!
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    if grep -q '^svcd ready on' $T/out; then break; fi; sleep 0.5
  done
  url=$(sed -n 's/^svcd ready on //p' $T/out)
  [ -n "$url" ] || { cat $T/out; fail "it does not start"; }
  curl -sS --max-time 20 --cacert "$folder/tls.crt" "$url/_svc/health" | grep -q '"ready":true' || fail "it does not answer at $url"
  curl -sS --max-time 20 --cacert "$folder/tls.crt" -u "$(sed 's/.*"publicKey":"\([^"]*\)".*/\1/' "$folder/bootstrap.json"):$(
    sed 's/.*"privateKey":"\([^"]*\)".*/\1/' "$folder/bootstrap.json")" --digest "$url/api/svc/v2/groups" | grep -q '"totalCount":1' || fail "it shows no project"
  kill $pid
  status=0; wait $pid || status=$?
  pid=
  [ $status = 0 ] || { cat $T/out; fail "it ends with status $status"; }
}

runs() { # ARCH
  asked "$T/data-$1" "build/dist/svcd-$version-linux-$1"
}

says_the_same() { # |ARCH EMULATOR: qemu's user mode has no robust mutexes, which musl reports to LMDB, so no store can be opened;
  # ./build.sh arm, whose C library does not report it, runs the tests of the library there
  "$2" "build/dist/svcd-$version-linux-$1" help >$T/there || fail "svcd for $1 does not run"
  "build/dist/svcd-$version-linux-$here" help >$T/here
  cmp $T/here $T/there || fail "svcd for $1 prints a different help"
}

in_nothing() { # as in the image: no file but the program and its folder, and an unprivileged user; two devices, which every container has
  mkdir -p $T/root/data $T/root/dev
  cp "build/dist/svcd-$version-linux-$here" $T/root/svcd
  cp -a /dev/random /dev/urandom $T/root/dev/ 2>/dev/null && head -c 1 $T/root/dev/random >/dev/null 2>&1 || fail 'no devices can be made here'
  chown 65532:65532 $T/root/data
  data=/data asked $T/root/data chroot --userspec=65532:65532 $T/root /svcd
}

again() {
  sum=$(sha256sum <"build/dist/svcapi-$version.tar.gz")
  cp -a build/dist $T/before
  ./build.sh dist none >$T/again 2>&1 || { cat $T/again; fail "it cannot be made again"; }
  [ "$sum" = "$(sha256sum <"build/dist/svcapi-$version.tar.gz")" ] || fail "the archive differs when it is made again"
  rm -rf build/dist; mv $T/before build/dist
}

tool curl
try sums
try sbom
for a in amd64 arm64 armhf; do try needs_nothing $a; done
try small armhf 2300000 # 0.5 MB of this are the console and the texts of the reference
try runs $here
for a in amd64:qemu-x86_64 arm64:qemu-aarch64 armhf:qemu-arm; do
  if [ "${a%%:*}" != $here ]; then try says_the_same "${a%%:*}" "${a#*:}"; fi
done
if [ "$(id -u)" = 0 ]; then try in_nothing; fi
try again
echo "$passed passed, $failed failed"
[ $failed = 0 ]
