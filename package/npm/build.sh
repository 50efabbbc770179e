# build.sh: builds the npm packages in build/npm: svcapi, and one with svcd for each platform; test-packages and release source it. Each is a folder
# NAME and an archive NAME-VERSION.tgz, as npm pack creates it.
# shellcheck shell=sh disable=SC2154 # sourced after the main build.sh, which has the functions used here

npm_licences() { # FOLDER FILE NAME...: copies the licenses of the bundled code: of these dependencies, and FILE for the C library
  mkdir -p build/dist; cp LICENSE "$1/LICENSE"
  rm -rf build/npm/all; licences build/npm/all
  mkdir -p "$1/licences"; cp "$2" "$1/licences/libc.txt" || die "the licence of the C library, $2, is missing"
  to=$1/licences; shift 2
  for n in svcapi "$@"; do cp "build/npm/all/$n.txt" "$to/"; done
  rm -rf build/npm/all
}

npm_pack() { # NAME
  (cd "build/npm/$1" && npm pack --silent --pack-destination .. >/dev/null) || die "npm pack $1 failed"
  say "npm: build/npm/$1-$(version).tgz, $(wc -c <"build/npm/$1-$(version).tgz") bytes"
}

npm_library() { # packs the module that ./build.sh wasm has built
  N=build/npm/svcapi; rm -rf $N; mkdir -p $N/bin $N/worlds
  cp package/npm/*.js package/npm/*.d.ts package/npm/README.md $N/
  cp package/npm/bin/svcd.js $N/bin/; chmod 755 $N/bin/svcd.js
  cp build/wasm/svcapi.wasm $N/; cp package/worlds/*.json $N/worlds/
  sed "s/@VERSION@/$(version)/g" package/npm/package.json >$N/package.json
  (cd $N && node ../../../package/npm/cjs.mjs core.js index.js program.js server.js) || exit 1
  npm_licences $N /usr/share/doc/wasi-libc/copyright frozen mbedtls
  npm_pack svcapi
}

npm_platform() { # ARCH NODE-ARCH: packs build/dist/svcd-VERSION-linux-ARCH
  N=build/npm/svcapi-linux-$2; rm -rf "$N"; mkdir -p "$N"
  cp "build/dist/svcd-$(version)-linux-$1" "$N/svcd"; chmod 755 "$N/svcd"
  printf '{\n  "name": "svcapi-linux-%s",\n  "version": "%s",\n  "description": "svcd of svcapi for Linux, %s",\n  "license": "MIT AND GPL-2.0-only",\n' "$2" "$(version)" "$2" >"$N/package.json"
  printf '  "os": ["linux"],\n  "cpu": ["%s"],\n  "files": ["svcd", "licences", "LICENSE"]\n}\n' "$2" >>"$N/package.json"
  npm_licences "$N" "$D/musl-$1/usr/share/doc/musl-dev/copyright" lmdb frozen tinycthread mbedtls mongoose
  npm_pack "svcapi-linux-$2"
}
