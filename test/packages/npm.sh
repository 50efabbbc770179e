#!/bin/sh
# Tests the npm packages as a user would: installed in an empty folder from build/npm, used by node:test, vitest, jest, CommonJS, TypeScript, Deno, Bun and
# a browser, with the examples and pages of this project. ./build.sh test-packages makes the packages first.
set -eu
cd "$(dirname "$0")/../.."
ROOT=$PWD
T=build/packages/npm
version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
case $(uname -m) in x86_64) arch=x64; debian=amd64; deno=linux-x64-glibc; bun=linux-x64 ;; *) arch=arm64; debian=arm64; deno=linux-arm64-glibc; bun=linux-aarch64 ;; esac
ok() { echo "  ok: $*"; }
fail() { echo "  FAILED: $*" >&2; exit 1; }
quiet() { "$@" >"$T/log" 2>&1 || { cat "$T/log" >&2; fail "$*"; }; }
npm_quiet() { quiet npm "$@" --ignore-scripts --no-audit --no-fund --loglevel=error; }

rm -rf $T; mkdir -p $T; T=$ROOT/$T
cp test/packages/npm/package.json test/packages/npm/package-lock.json "$T/"
unset SVCD

# Each way of docs/javascript.md in a folder of its own, with nothing beside what the page says: the main archive alone, ...
npm_archives() { # FOLDER ARCHIVE...: installs them as the page does, offline: no package may need another one
  mkdir -p "$1"; echo '{"private":true,"type":"module","scripts":{"test":"node --test started.mjs"}}' >"$1/package.json"
  cd "$1"; shift
  quiet npm install --save-dev --offline --no-audit --no-fund --loglevel=error "$@"
  [ "$(find node_modules -mindepth 1 -maxdepth 1 ! -name '.*' | wc -l)" = $# ] || fail "npm install of $# archives installs $(find node_modules -mindepth 1 -maxdepth 1 ! -name '.*' | wc -l) packages"
}
npm_archives "$T/alone" "$ROOT/build/npm/svcapi-$version.tgz"
cp "$ROOT/test/packages/npm/alone.test.mjs" "$ROOT/examples/javascript/first.test.mjs" .
quiet node --test first.test.mjs
quiet node --test alone.test.mjs; ok 'svcapi alone: the first test; without svcd, npx svcd and start() end with an error at once'
# ... with svcd by SVCD or in the PATH, ...
cp "$ROOT/test/packages/npm/server.test.mjs" .
SVCD=$ROOT/build/dist/svcd-$version-linux-$debian quiet node --test server.test.mjs
mkdir path; cp "$ROOT/build/dist/svcd-$version-linux-$debian" path/svcd; chmod 755 path/svcd
PATH=$PWD/node_modules/.bin:$PWD/path:$PATH quiet node --test server.test.mjs
PATH=$PWD/path:$PATH quiet npx --no -- svcd version
grep -q "$version" "$T/log" || fail 'npx svcd version, with svcd in the PATH'
ok 'svcapi alone, with svcd by SVCD or in the PATH: svcd ends with its user and leaves nothing behind'
# ... and with the archive that has svcd.
npm_archives "$T/both" "$ROOT/build/npm/svcapi-$version.tgz" "$ROOT/build/npm/svcapi-linux-$arch-$version.tgz"
cp "$ROOT/test/packages/npm/server.test.mjs" .
quiet npx --no -- svcd version
grep -q "$version" "$T/log" || fail 'npx svcd version'
quiet node --test server.test.mjs; ok 'svcapi with the archive of svcd: npx svcd and start()'
cd "$T"

# With the tools of the examples.
npm_quiet ci
npm_quiet install --no-save "$ROOT/build/npm/svcapi-$version.tgz" "$ROOT/build/npm/svcapi-linux-$arch-$version.tgz"
ok "npm install of svcapi-$version.tgz, without scripts"
for f in LICENSE licences/frozen.txt licences/mbedtls.txt licences/libc.txt; do [ -s node_modules/svcapi/$f ] || fail "svcapi lacks $f"; done
for f in LICENSE licences/mongoose.txt licences/lmdb.txt licences/libc.txt; do [ -s node_modules/svcapi-linux-$arch/$f ] || fail "svcapi-linux-$arch lacks $f"; done
ok 'licences of what is bundled'

cp "$ROOT"/examples/javascript/*.test.mjs "$ROOT"/examples/javascript/*.test.cjs "$ROOT"/test/packages/npm/*.mjs "$ROOT"/test/packages/npm/*.ts .
quiet node --test first.test.mjs; ok 'node:test: the first test'
[ "$(grep -vc '^//' first.test.mjs)" -lt 20 ] || fail 'the first test has 20 lines or more'
awk '/^```js$/ { on = 1; next } /^```/ { if (on) exit } on' node_modules/svcapi/README.md >readme.test.mjs
quiet node --test readme.test.mjs; ok "node:test: the first test of the package's README"
quiet npx vitest run vitest.test.mjs --dir .; ok 'vitest'
quiet npx jest --rootDir . --testMatch '**/jest.test.cjs'; ok 'jest, by require()'
quiet node --test package.test.mjs; ok 'node:test: every function of the package'
quiet npx tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --lib es2023,dom types.ts; ok 'types, by tsc --strict'

# The other platform: npm refuses its package here because of the cpu, but its program runs under qemu.
case $arch in x64) other=arm64; qemu=qemu-aarch64 ;; *) other=x64; qemu=qemu-x86_64 ;; esac
mkdir -p other/node_modules/svcapi-linux-$other; echo '{"private":true}' >other/package.json
if (cd other && npm install --no-save --ignore-scripts --no-audit --no-fund "$ROOT/build/npm/svcapi-linux-$other-$version.tgz" >"$T/log" 2>&1); then fail "npm installs svcapi-linux-$other on $arch"; fi
grep -q EBADPLATFORM "$T/log" || { cat "$T/log" >&2; fail "npm refuses svcapi-linux-$other for another reason than its platform"; }
tar -xzf "$ROOT/build/npm/svcapi-linux-$other-$version.tgz" -C other/node_modules/svcapi-linux-$other --strip-components=1
$qemu "other/node_modules/svcapi-linux-$other/svcd" version >"$T/log" && grep -q "$version" "$T/log" || fail "svcapi-linux-$other: svcd version"
$qemu "other/node_modules/svcapi-linux-$other/svcd" --help >"$T/log" && grep -q -- --data "$T/log" || fail "svcapi-linux-$other: svcd --help"
ok "svcapi-linux-$other: version and help under qemu, which has no robust mutexes for a store"
quiet node page.mjs "$ROOT/docs/javascript.md"; ok 'the code blocks of docs/javascript.md'

# Other runtimes, if the registry has them for this machine.
mkdir -p runtimes; echo '{"private":true}' >runtimes/package.json
if (cd runtimes && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "@deno/$deno@2.9.5" "@oven/bun-$bun@1.4.4" >"$T/log" 2>&1); then
  quiet "runtimes/node_modules/@deno/$deno/deno" run --allow-read --allow-env runtime.mjs; ok 'Deno'
  quiet "runtimes/node_modules/@oven/bun-$bun/bin/bun" runtime.mjs; ok 'Bun'
else ok 'Deno and Bun LEFT OUT: not in this registry'; fi
quiet node browser.mjs; ok 'a browser (Chromium), with a content security policy'

node figures.mjs
quiet node same.mjs "$ROOT"; tail -n 1 "$T/log" | sed 's/^/  ok: /'
