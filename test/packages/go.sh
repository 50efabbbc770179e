#!/bin/sh
# Tests the Go test helper as a user gets it: copied into a module in an empty folder, offline. Prints a line for each test;
# the status is 1 if one failed.
#
#   sh test/packages/go.sh [FOLDER]     FOLDER must be empty or missing; default: a new one, removed at the end
#
# Needs build/svcd (./build.sh run, or a test makes it) and Debian's golang-go.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")/../.."
ROOT=$PWD

fail() { printf 'go: FAILED: %s\n' "$*" >&2; exit 1; }
ok() { printf 'go: %s: ok\n' "$*"; }

[ -x build/svcd ] || fail 'build/svcd is missing: run ./build.sh test check/test_control'
command -v go >/dev/null 2>&1 || fail 'missing: apt-get install golang-go'
if [ $# -gt 0 ]; then
  mkdir -p "$1"; T=$(cd "$1" && pwd)
  [ -z "$(ls -A "$T")" ] || fail "$1 is not empty"
else
  T=$(mktemp -d /tmp/svcapi-go-XXXXXX); trap 'chmod -R u+w "$T"; rm -rf "$T"' EXIT; trap 'exit 1' HUP INT TERM
fi
GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=on GOPATH=$T/path; export GOFLAGS GOPROXY GOTOOLCHAIN GO111MODULE GOPATH
unset SVCD

quiet() { "$@" >"$T/out" 2>&1 || { cat "$T/out"; return 1; }; }

# ---- formatted, and uses the standard library only
[ -z "$(gofmt -l examples/go)" ] || fail "gofmt would change $(gofmt -l examples/go)"
if grep -q '^require' examples/go/go.mod; then fail 'examples/go needs other modules'; fi
ok 'gofmt, and no module is required'

# ---- a user's module with a copy of the folder, and the examples of the page
mkdir "$T/shop"; cp -R examples/go/svcdtest "$T/shop/"; rm -f "$T"/shop/svcdtest/*_test.go
awk -v to="$T/shop/" '/^```go/ { if (!$2) { print "a block has no name behind ```go"; bad = 1; exit } file = to $2; next }
  /^```/ { file = "" } file { print >file } END { exit bad }' docs/go.md || fail 'docs/go.md: a block has no name'
cmp -s "$T/shop/shop_test.go" examples/go/shop_test.go || fail 'the first test of docs/go.md is not examples/go/shop_test.go'
lines=$(wc -l <"$T/shop/shop_test.go")
[ "$lines" -lt 20 ] || fail "the first test of docs/go.md has $lines lines, and not fewer than 20"
cd "$T/shop"
quiet go mod init example.com/shop
quiet go vet ./... || fail 'go vet finds faults in the examples of docs/go.md'
quiet env SVCD="$ROOT/build/svcd" go test -count=1 -run TestClusterBecomesIdle . || fail 'the first test of docs/go.md fails'
ok "the first test of docs/go.md, in $lines lines"
quiet env SVCD="$ROOT/build/svcd" go test -count=1 -v . || fail 'an example of docs/go.md fails'
ran=$(grep -c '^--- PASS' "$T/out"); blocks=$(grep -c '^```go ' "$ROOT/docs/go.md")
[ "$ran" = "$blocks" ] || fail "docs/go.md has $blocks examples, and $ran ran"
ok "all $ran examples of docs/go.md"
PATH=$ROOT/build:$PATH quiet go test -count=1 -run TestClusterBecomesIdle . || fail 'svcd is not found in PATH'
ok 'svcd in PATH'
plain=$(dirname "$(command -v go)"):/usr/bin:/bin
if env PATH="$plain" sh -c '! command -v svcd' >/dev/null 2>&1; then
  if env PATH="$plain" go test -count=1 -run TestClusterBecomesIdle . >"$T/out" 2>&1; then fail 'a test passes without svcd'; fi
  grep -q 'set SVCD to the path of svcd' "$T/out" || { cat "$T/out"; fail 'without svcd nothing says what to do'; }
  ok 'without svcd the test says what to do'
fi

# ---- the helper's own tests
cd "$ROOT/examples/go"
quiet go vet ./... || fail 'go vet finds faults in examples/go'
SVCD=$ROOT/build/svcd; export SVCD
quiet go test -count=1 -v ./... || fail 'tests of svcdtest fail'
ok "go vet, and the tests of svcdtest: $(grep -c '^ *--- PASS' "$T/out") passed"
if [ "$(go env CGO_ENABLED)" = 1 ] && quiet go test -count=1 -race -run NONE ./svcdtest; then
  quiet go test -count=1 -race ./svcdtest || fail 'the race detector finds a race in svcdtest'
  ok 'the race detector finds nothing'
fi
