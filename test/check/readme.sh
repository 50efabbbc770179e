#!/bin/sh
# The README and the pages of docs/ work as written: every block of commands and every program in them runs, links are valid,
# and the README keeps its size limits. readme.py lists the kinds of blocks, and who runs those that it does not run.
. test/check/common
tool curl
tool python3
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
[ -f build/libsvcapi.a ] || fail "build/libsvcapi.a is missing: run ./build.sh lib"
servers=$(mktemp -d /tmp/svc-readme-XXXXXX) # short, because it has paths of sockets; the driver's servers run as another user
chmod 755 "$servers"
stop() {
  for data in "$servers"/servers/*/data; do # servers keep running after svcd ends
    if [ -f "$data/postmaster.pid" ]; then kill -INT "$(head -n 1 "$data/postmaster.pid")" 2>/dev/null || :; fi
  done
  sleep 1; rm -rf "$servers"
}
trap stop EXIT; trap 'exit 1' HUP INT TERM
CC="$CC" python3 test/check/readme.py "$servers" || fail "the README or a page of docs/ does not work as it is written: see above"
