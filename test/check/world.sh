#!/bin/sh
# Worlds for users: svcd starts with each of its built-in worlds, and with a file; an error has the line and column; a world exported from
# a store recreates the same; a snapshot goes into a file and starts another svcd. The worlds built into svcd are those in package/worlds.
. test/check/common
tool python3

T=build/check/world
flags="--memory --bootstrap $T/first.json --test-control"
. test/check/service
get() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" $T/first.json; }
api() { curl -sS --digest --user "$(get publicKey):$(get privateKey)" "$url/api/svc/v2$1"; }
control() { curl -sS -H "Authorization: Bearer $(get testToken)" "$@"; }
has() { case $1 in *"$2"*) ;; *) fail "$3: no $2 in $1" ;; esac; }

sh package/worlds/pack.sh --out $T/packed.c
cmp -s $T/packed.c examples/svcd/world_files.c || fail "examples/svcd/world_files.c is not what is in package/worlds: run ./build.sh fold"

for world in empty team company; do
  build/svcd world --check package/worlds/$world.json >/dev/null || fail "$world cannot be loaded"
  rm -f $T/first.json
  begin --world $world
  has "$(api /orgs)" '"totalCount":1' "$world"
  [ $world = empty ] || has "$(api "/groups/$(get groupId)/clusters")" '"stateName":"IDLE"' "$world"
  [ $world = empty ] || has "$(cat $T/first.json.world)" '"password":' "the secrets of $world"
  [ $world != company ] || has "$(api "/orgs/$(get orgId)/invoices")" '"totalCount":13' "$world"
  control -H 'Content-Type: application/json' -d '{"name":"a"}' "$url/_svc/snapshots" >/dev/null
  control -o $T/$world.snapshot "$url/_svc/snapshots/a"
  orgs=$(api /orgs | sed "s|$url||g")
  cp $T/first.json $T/$world.first
  # a reset restores the world, not an empty store
  before=$(control "$url/_svc/world")
  control -H 'Content-Type: application/json' -d '{"world":1,"orgs":[{"name":"Other"}]}' "$url/_svc/world" >/dev/null
  has "$(control "$url/_svc/world")" '"Other"' "POST /_svc/world"
  control -X POST "$url/_svc/reset"
  [ "$(control "$url/_svc/world")" = "$before" ] || fail "$world: a reset does not lead back to the world"
  end
done

# a snapshot above the limit of other bodies can be sent to another svcd by a caller with the token: with a length, and in chunks
[ "$(wc -c <$T/company.snapshot)" -gt 1048576 ] || fail "the snapshot of company is too small to show anything"
rm -f $T/first.json
begin
load() { # STATUS TOKEN PATH [FLAG]...
  want=$1; token=$2; path=$3; shift 3
  got=$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" -H 'Content-Type: application/octet-stream' -T $T/company.snapshot "$@" "$url$path" 2>/dev/null) || :
  [ "$got" = "$want" ] || fail "PUT $path: $got, not $want"
}
right=$(get testToken)
load 201 "$right" /_svc/snapshots/b
load 201 "$right" /_svc/snapshots/c -H 'Transfer-Encoding: chunked'
load 413 "$right" /_svc/faults
load 413 "$right" /api/svc/v2/orgs
load 413 "" /_svc/snapshots/d
load 413 "${right}x" /_svc/snapshots/d
load 413 "$right" /_svc/snapshots/d # no one can guess tokens: for half a second after a failure all are refused
sleep 1
load 201 "$right" /_svc/snapshots/d
load 413 "another token of 32 characters.." /_svc/snapshots/d -H 'Transfer-Encoding: chunked'
control -X POST "$url/_svc/snapshots/b:restore" >/dev/null
cp $T/company.first $T/first.json # the keys of the snapshot
[ "$(api /orgs | sed "s|$url||g")" = "$orgs" ] || fail "the snapshot of company brings back something else"
end
# without test control no one may
flags="--memory --bootstrap $T/first.json"
rm -f $T/first.json
begin
load 413 "$right" /_svc/snapshots/b
end
flags="--memory --bootstrap $T/first.json --test-control"

# a snapshot starts another svcd
rm -f $T/first.json
begin --snapshot $T/team.snapshot
has "$(api "/groups/$(get groupId)/clusters")" '"analytics"' "--snapshot"
end

# errors have the format of a compiler's
printf '{\n  "world": 1,\n  "orgs": [\n    { "name": "A", "groups": [ { "name": "x", "color": "red" } ] } ]\n}\n' >$T/bad.json
if build/svcd world --check $T/bad.json 2>$T/said; then fail "an invalid world is accepted"; fi
has "$(cat $T/said)" "$T/bad.json:4:32: orgs[0].groups[0]: INVALID_ATTRIBUTE: " "the error"
if build/svcd --memory --show-credentials --listen http://127.0.0.1:0 --world nowhere >/dev/null 2>$T/said; then fail "svcd starts with an unknown world"; fi
has "$(cat $T/said)" 'there is no such built-in world: use empty, team or company' "the error"
if build/svcd --memory --show-credentials --listen http://127.0.0.1:0 --world company >/dev/null 2>$T/said; then fail "a world moves the system's clock"; fi
has "$(cat $T/said)" 'now: INVALID_WORLD: the world moves the clock' "the error"

# export and import, in folders; the second start with the same world changes nothing
rm -rf $T/one $T/two
flags="--data $T/one --world team"
begin; end
begin; end
build/svcd world --data $T/one --out $T/one.json 2>/dev/null || fail "no world is written"
flags="--data $T/two --world $T/one.json"
begin; end
build/svcd world --data $T/two --out $T/two.json 2>/dev/null || fail "no world is written"
cat >$T/same.py <<'PYTHON'
import json, sys
def read(name): # without the credentials that svcd creates at the first start of each
  world = json.load(open(name))
  for org in world['orgs']:
    for made in ('apiKeys', 'serviceAccounts'): org.pop(made, None)
  return world
sys.exit(read(sys.argv[1]) != read(sys.argv[2]) or len(read(sys.argv[1])['orgs'][0]['groups']) != 2)
PYTHON
python3 $T/same.py $T/one.json $T/two.json || fail "the world exported from a world differs"
if build/svcd world --data $T/nowhere 2>$T/said; then fail "a world is exported without a store"; fi
has "$(cat $T/said)" 'there is no store in' "the error"
echo kept >$T/there.json
if build/svcd world --data $T/one --out $T/there.json 2>$T/said; then fail "an existing file is no error"; fi
has "$(cat $T/said)" "cannot write $T/there.json: File exists" "the error"
[ "$(cat $T/there.json)" = kept ] || fail "an existing file is replaced by a world"
