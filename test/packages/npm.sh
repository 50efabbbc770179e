#!/bin/sh
# Tests the npm packages as a user would: installed in an empty folder from build/npm, used by node:test, vitest, jest, CommonJS, TypeScript, Deno, Bun and
# a browser, with the examples and pages of this project. ./build.sh test-packages makes the packages first.
set -eu
cd "$(dirname "$0")/../.."
ROOT=$PWD
T=build/packages/npm
version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
case $(uname -m) in x86_64) arch=x64; deno=linux-x64-glibc; bun=linux-x64 ;; *) arch=arm64; deno=linux-arm64-glibc; bun=linux-aarch64 ;; esac
ok() { echo "  ok: $*"; }
fail() { echo "  FAILED: $*" >&2; exit 1; }
quiet() { "$@" >"$T/log" 2>&1 || { cat "$T/log" >&2; fail "$*"; }; }
npm_quiet() { quiet npm "$@" --ignore-scripts --no-audit --no-fund --loglevel=error; }

rm -rf $T; mkdir -p $T; T=$ROOT/$T
cp test/packages/npm/package.json test/packages/npm/package-lock.json $T/
cd $T
npm_quiet ci
npm_quiet install --no-save "$ROOT/build/npm/svcapi-$version.tgz" "$ROOT/build/npm/svcapi-linux-$arch-$version.tgz"
node -e 'const p = require("./node_modules/svcapi/package.json"); if (Object.values(p.optionalDependencies).some((v) => v !== p.version)) throw 1' ||
  fail 'the packages of the platforms have another version'
ok "npm install of svcapi-$version.tgz, without scripts"
[ -z "$(node -p 'Object.keys(require("./node_modules/svcapi/package.json").dependencies ?? {}).join()')" ] || fail 'svcapi has dependencies'
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
node_modules/.bin/svcd version >"$T/log" && grep -q "$version" "$T/log" || fail 'npx svcd version'
ok 'npx svcd'

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
