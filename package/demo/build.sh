#!/bin/sh
# build.sh: writes the demo (the console on the WebAssembly module) as static files for any file server and any path. ./build.sh demo builds the npm
# package, whose files the demo uses, and then runs this script.
#
#   build.sh [FOLDER]     (default: build/demo; an existing folder must be empty or an older demo, which is replaced)
#
# The rule: the console's files are copied unchanged, except index.html, which gets a policy, the banner, and demo.js instead of boot.js. The folder
# has the licenses of everything in the module, because publishing the demo distributes a copy.
set -eu
LC_ALL=C; export LC_ALL
die() { echo "demo: $*" >&2; exit 1; }
usage='usage: package/demo/build.sh [FOLDER], default: build/demo'
case $#:${1:-} in 1:-h|1:--help) echo "$usage"; exit 0 ;; 0:|1:[!-]*) ;; *) echo "$usage" >&2; exit 2 ;; esac
from=$PWD
cd "$(dirname "$0")/../.."
to=${1:-$PWD/build/demo}
case $to in /*) ;; *) to=$from/$to ;; esac
npm=build/npm/svcapi
[ -f $npm/svcapi.wasm ] || die "$npm is missing: run ./build.sh demo, which makes it first"
if [ -d "$to" ] && [ -n "$(ls -A "$to")" ]; then
  { [ -f "$to/demo.js" ] && [ -d "$to/_explorer" ]; } || die "$to is not empty and no demo: give the name of a new folder"
  rm -rf "$to"
fi
mkdir -p "$to/_explorer" "$to/svcapi/worlds"

licences() { # one text with all licenses, because few file servers list a folder
  version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
  echo "This demo contains svcapi $version (svcapi.txt below) and, in svcapi.wasm, the code of frozen, mbedTLS and a C library, under their own licences. As a"
  echo "whole it is passed on under the GNU General Public License, version 2. The source code is svcapi-$version.tar.gz of the same release, which"
  echo 'contains the sources of the dependencies or fetches them by their hash (deps.sh).'
  for f in svcapi frozen mbedtls libc; do
    [ -s $npm/licences/$f.txt ] || die "$npm/licences/$f.txt is missing"
    printf '\n---- %s.txt\n\n' $f; cat $npm/licences/$f.txt
  done
}

for f in ports/explorer/*.js ports/explorer/*.css ports/explorer/*.svg; do cp "$f" "$to/_explorer/"; done
rm "$to/_explorer/boot.js" # demo.js loads main.js when the module is ready
cp $npm/index.js $npm/core.js $npm/svcapi.wasm "$to/svcapi/"
cp $npm/worlds/*.json "$to/svcapi/worlds/"
licences >"$to/licences.txt"
cp package/demo/demo.js package/demo/demo.css "$to/"
: >"$to/.nojekyll" # makes GitHub Pages serve folders whose names begin with _

# Loading the world "company" simulates a year, which takes seconds: the demo has a snapshot of the result.
node package/demo/snapshot.mjs "$to" company || die 'the snapshot of the world company cannot be made'

awk -v head=package/demo/head.html -v banner=package/demo/banner.html '
  function put(file,  line) { while ((getline line <file) > 0) print line; close(file) }
  /^<meta charset=/ { print; put(head); heads++; next }
  /src="_explorer\/boot\.js"/ { print "<link rel=\"stylesheet\" href=\"demo.css\">"; print "<script type=\"module\" src=\"demo.js\"></script>"; scripts++; next }
  /^<header class="bar">/ { put(banner); bars++ }
  { print }
  END { if (heads != 1 || scripts != 1 || bars != 1) { print "demo: ports/explorer/index.html has changed: charset, boot.js or header is not there once" >"/dev/stderr"; exit 1 } }
' ports/explorer/index.html >"$to/index.html"
echo "demo: $to, $(du -sk "$to" | cut -f1) KB: serve it by any static file server"
