#!/bin/sh
# day.sh: a day of operation, following the runbook. The commands are those of docs/operations.md: each block there has a name, and is run here by that name, with
# paths of this test instead of those on the page. So a command that stops working fails here.
#
# The rule: every step is followed by a check that can fail, and the clock is the test's own (--test-control --clock). The exception is the part on PostgreSQL, where
# svcd compares its clock with the server's.
. test/check/common
tool curl; tool openssl

T=$PWD/build/day/work
PATH=$PWD/build/day:$PATH; export PATH
rm -rf "$T"; mkdir -p "$T/etc" "$T/log" "$T/backup" "$T/srv"
now=1893456000 # 2030-01-01T00:00:00Z
uri=postgres://svc@db.example/svc
url=http://127.0.0.1:8080; tls=https://svc.example:8443
MAINPID=; second=; load=
ended() {
  for p in $MAINPID $second $load; do kill -9 "$p" 2>/dev/null || :; done
}
trap ended EXIT; trap 'exit 1' HUP INT TERM

say() { printf '%s  %s\n' "$(date -u +%H:%M)" "$*"; }
date() { command date -d "@$now" "$@"; } # the clock of the test

# ---- the page -----------------------------------------------------------------------------------------------------------

places() { sed -e "s,/var/lib/svcd,$T/data,g; s,/var/log/svcd,$T/log,g; s,/srv/,$T/srv/,g; s,/etc/svcd,$T/etc,g; s,/backup,$T/backup,g" \
  -e "s,http://127.0.0.1:8080,$url,g; s,https://svc.example:8443,$tls,g" -e "s|postgres://svc@db.example/svc|'$(echo "$uri" | sed 's/&/\\&/g')'|g"; }
block() { # NAME
  awk -v name="$1" '$0 == "```sh " name { on = 1; found = 1; next } /^```/ { on = 0 } on; END { exit !found }' docs/operations.md >"$T/block" ||
    fail "docs/operations.md has no block $1"
  places <"$T/block"
}
page() { # NAME: runs its commands in order, with the clock of the test
  { echo "date() { command date -d @$now \"\$@\"; }"; echo "MAINPID=$MAINPID"; block "$1"; } >"$T/commands"
  sh -e "$T/commands" >"$T/out" 2>"$T/err" || { cat "$T/err"; fail "the block $1 fails"; }
}
begin() { # NAME FOLDER: starts svcd with that block, in the background; sets $pid, and $at, its URLs
  block "$1" >"$T/commands"
  : >"$2.out"
  ( eval "exec $(cat "$T/commands")" ) >"$2.out" 2>>"$2.err" & pid=$!
  for _ in $(waits); do grep -q '^svcd ready on' "$2.out" && break; kill -0 $pid 2>/dev/null || break; sleep 0.05; done
  at=$(sed -n 's/^svcd ready on //p' "$2.out")
  [ -n "$at" ] || fail "svcd does not start: $(tail -n 1 "$2.err")"
}

# ---- requests ------------------------------------------------------------------------------------------------------------

of() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "${first:-$T/data/bootstrap.json}"; }
call() { curl -sS --max-time 20 --digest --user "$(of publicKey):$(of privateKey)" -H 'Content-Type: application/json' "$@"; }
make() { # PATH BODY
  case $(call -o "$T/answer" -w '%{http_code}' -d "$2" "$url/api/svc/v2$1") in 20?) ;; *) cat "$T/answer"; fail "POST $1" ;; esac
}
get() { # PATH: prints the body; the resource must exist
  [ "$(call -o "$T/answer" -w '%{http_code}' "$url/api/svc/v2$1")" = 200 ] || { cat "$T/answer"; fail "GET $1"; }
  cat "$T/answer"
}
id_of() { sed -n 's/.*"id":"\([0-9a-f]\{24\}\)".*/\1/p' "$T/answer"; }
total() { sed -n 's/.*"totalCount":\([0-9]*\).*/\1/p'; }
content() { sed -n '$s/.*"content":"\([0-9a-f]*\)".*/\1/p' "$1"; }
CLUSTER='"clusterType":"REPLICASET","backupEnabled":true,"replicationSpecs":[{"regionConfigs":[{"electableSpecs":{"instanceSize":"M10","nodeCount":3},"providerName":"AWS","regionName":"US_EAST_1","priority":7}]}]'

serve() { # starts the svcd of this folder, with the clock of the test and on its former ports
  SVCD_TEST_CONTROL=true SVCD_CLOCK=$(date -u +%Y-%m-%dT%H:%M:%SZ) SVCD_LIMITER_OFF=true SVCD_DRAIN=1 SVCD_BASE_URL=http://svc.test
  SVCD_LISTEN="${ports:-http://127.0.0.1:0 https://127.0.0.1:0}"
  export SVCD_TEST_CONTROL SVCD_CLOCK SVCD_LIMITER_OFF SVCD_DRAIN SVCD_BASE_URL SVCD_LISTEN
  begin start "$T/svcd"
  unset SVCD_TEST_CONTROL SVCD_CLOCK SVCD_LIMITER_OFF SVCD_DRAIN SVCD_BASE_URL SVCD_LISTEN
  MAINPID=$pid
  url=$(echo "$at" | grep -o 'http://[^ ,]*'); tls=$(echo "$at" | grep -o 'https://[^ ,]*'); ports="$url $tls"
}
stopped() { wait "$MAINPID" || fail "svcd does not end with status 0: $(tail -n 1 "$T/svcd.err")"; MAINPID=; }
advance() { # SECONDS
  now=$((now + $1))
  curl -fsS -H "Authorization: Bearer $(of testToken)" -H 'Content-Type: application/json' -d "{\"advanceSeconds\":$1}" "$url/_svc/clock" >"$T/answer" ||
    fail "the clock does not move"
}
hours() { # N: advances by N hours, each with its backup
  for _ in $(seq "$1"); do
    advance 3600
    page backup
    [ -s "$T/backup/$(date -u +%Y%m%dT%H)/data.mdb" ] || fail "there is no backup of this hour"
  done
}

# ---- load: continuous requests, none of which may fail; $T/load has a line for each ------------------------------------------

load_begin() { # URL...: to each of these that is ready, like a load balancer; a refused connection is retried
  rm -f "$T/load.stop"; : >"$T/load"
  loads=$((${loads:-0} + 1))
  (
    n=0
    while [ ! -e "$T/load.stop" ]; do
      for u in "$@"; do
        curl -fs -o /dev/null --max-time 5 "$u/_svc/health" || continue
        n=$((n + 1)); rc=0
        if [ $((n % 4)) = 0 ]; then
          status=$(call -o /dev/null -w '%{http_code}' -d "{\"name\":\"load $loads $n\",\"orgId\":\"$(of orgId)\"}" "$u/api/svc/v2/groups" 2>/dev/null) || rc=$?
        else
          status=$(call -o /dev/null -w '%{http_code}' "$u/api/svc/v2/orgs" 2>/dev/null) || rc=$?
        fi
        [ "$rc" = 7 ] || echo "$status $rc $n $u" >>"$T/load" # 7: connection refused, so no request was sent
      done
      sleep 0.01
    done
  ) & load=$!
}
load_end() { # LEAST: at least this many requests were made, and all of them succeeded
  : >"$T/load.stop"; wait "$load" || :; load=
  grep -vE '^20[01] 0 ' "$T/load" && fail "of $(wc -l <"$T/load") requests these failed"
  [ "$(wc -l <"$T/load")" -ge "$1" ] || fail "there were only $(wc -l <"$T/load") requests"
}
load_reached() { # N: waits until that many requests were answered
  for _ in $(waits); do [ "$(wc -l <"$T/load")" -ge "$1" ] && return; sleep 0.05; done
  fail "the load does not come to $1 requests"
}

certificate() { # DAYS
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=svc.test -addext subjectAltName=IP:127.0.0.1 -days "$1" \
    -keyout "$T/etc/tls.key" -out "$T/etc/tls.crt" 2>"$T/err" || { cat "$T/err"; fail "no certificate"; }
  chmod 600 "$T/etc/tls.key"
}
served() { echo Q | openssl s_client -connect "${tls#https://}" 2>/dev/null | openssl x509 -noout -fingerprint -sha256; }

# ==== morning =================================================================================================================

sed -n '/^```conf$/,/^```$/p' docs/operations.md | sed '/^```/d' | places >"$T/etc/svcd.conf"
certificate 30
serve
page health
grep -q '"ready":true' "$T/out" || fail "svcd is not ready: $(cat "$T/out")"
page metrics
grep -q '^svc_store_up 1$' "$T/out" || fail "svc_store_up is not 1"
page save-key
say 'svcd serves on an empty folder'

furnish() { # ORG: creates two projects with a cluster, a user and an integration each
  for p in shop mail; do
    make /groups "{\"name\":\"$p\",\"orgId\":\"$1\"}"; group=$(id_of)
    make "/groups/$group/clusters" "{\"name\":\"main\",$CLUSTER}"
    make "/groups/$group/databaseUsers" '{"databaseName":"admin","username":"app","password":"correct horse battery","roles":[{"roleName":"read","databaseName":"shop"}]}'
    make "/groups/$group/integrations/PAGER_DUTY" '{"type":"PAGER_DUTY","serviceKey":"0123456789abcdef0123456789abcdef","region":"US"}'
  done
}
make /orgs '{"name":"Globex","apiKey":{"desc":"owner","roles":["ORG_OWNER"]}}'
cp "$T/answer" "$T/globex.json"
other=$(sed -n 's/.*"organization":{[^}]*"id":"\([0-9a-f]*\)".*/\1/p' "$T/answer")
(first=$T/globex.json; furnish "$other") # with its own key
furnish "$(of orgId)"
advance 60
get "/groups/$group/clusters/main" | grep -q '"stateName":"IDLE"' || fail "the cluster is not IDLE"
call -o "$T/answer" -X PATCH -d '{"policies":[{"policyItems":[{"frequencyType":"hourly","frequencyInterval":1,"retentionUnit":"days","retentionValue":2}]}]}' \
  "$url/api/svc/v2/groups/$group/clusters/main/backup/schedule"
grep -q '"frequencyInterval":1' "$T/answer" || { cat "$T/answer"; fail "the schedule is refused"; }
say '2 organizations, 4 projects, 4 clusters, a snapshot every hour'

# ==== backups every hour, a crash =================================================================================================

hours 3
make /groups "{\"name\":\"last\",\"orgId\":\"$(of orgId)\"}"; last=$(id_of)
kill -9 "$MAINPID"; wait "$MAINPID" 2>/dev/null || :; MAINPID=
page check
grep -q 'is whole' "$T/out" || fail "after kill -9: $(cat "$T/out")"
serve
get "/groups/$last" | grep -q '"name":"last"' || fail "a change acknowledged before kill -9 is lost"
say 'kill -9: the store is whole, and nothing is lost'

# ==== restore =====================================================================================================================

hours 1
page export
page restore
grep -q 'is whole' "$T/out" || fail "the restored store is not whole"
page compare
live=$(content "$T/backup/$(date -u +%Y%m%d).jsonl")
if [ -z "$live" ] || [ "$live" != "$(content "$T/out")" ]; then fail "what was restored is not what is served"; fi
rm "$T/backup/$(date -u +%Y%m%d).jsonl" # removed, because the evening makes another one
say 'a backup is restored into another folder, and is the same by its hash'

# ==== rotation of the key, while svcd serves =======================================================================================

load_begin "$url"
load_reached 10
page rotate-key
load_reached 40
load_end 40
cmp -s "$T/backup/secret.key" "$T/data/secret.key" && fail "the key is still the old one"
cmp -s "$T/backup/secret.key" "$T/data/secret.key.old" || fail "the old key is not kept"
svcd export --data "$T/data" --with-secrets --out "$T/clear.jsonl" 2>"$T/err" || { cat "$T/err"; fail "secrets cannot be opened by the new key"; }
[ "$(grep -c '"serviceKey":"0123456789abcdef0123456789abcdef"' "$T/clear.jsonl")" = 4 ] || fail "not all secrets are sealed by the new key"
rm "$T/clear.jsonl"
say "the secret key is another one; of $(wc -l <"$T/load") requests none failed"

# ==== the certificate ==============================================================================================================

old=$(served)
load_begin "$url"
load_reached 5
certificate 90
page certificate
for _ in $(waits); do [ "$(served)" != "$old" ] && break; sleep 0.05; done
[ "$(served)" = "$(openssl x509 -in "$T/etc/tls.crt" -noout -fingerprint -sha256)" ] || fail "SIGHUP does not bring the new certificate"
echo none >"$T/etc/tls.crt"
page certificate
sleep 0.3
fresh=$(served)
if [ -z "$fresh" ] || [ "$fresh" = "$old" ]; then fail "a bad certificate takes the place of a good one"; fi
certificate 90
page certificate
load_end 5
say 'the certificate is renewed; a bad one is not taken'

# ==== drain and restart under load =================================================================================================

load_begin "$url"
load_reached 20
page stop
sleep 0.3
curl -sS "$url/_svc/health" >"$T/answer" 2>&1 || :
grep -q '"status":"draining"' "$T/answer" || fail "svcd does not say that it drains: $(cat "$T/answer")"
stopped
serve
reached=$(wc -l <"$T/load")
load_reached $((reached + 20))
load_end 40
say "drained and started again: of $(wc -l <"$T/load") requests none failed"

# ==== the rest of the day ==========================================================================================================

hours 19
[ "$(date -u +%Y%m%dT%H)" = 20300101T23 ] || fail "it is $(date -u)"
taken=$(get "/groups/$group/clusters/main/backup/snapshots?itemsPerPage=100" | total)
[ "$taken" = 23 ] || fail "in 23 hours there were $taken snapshots"
[ "$(get "/groups/$group/clusters/main/backup/snapshots?itemsPerPage=100" | grep -o '"createdAt":"2030-01-01T[0-9][0-9]:' | sort -u | wc -l)" = 23 ] ||
  fail "the snapshots are not one per hour"
[ "$(find "$T/backup" -maxdepth 1 -name '20300101T??' | wc -l)" = 23 ] || fail "there are not 23 backups"
for b in "$T"/backup/20300101T??; do svcd check --data "$b" >"$T/out" 2>&1 || fail "the backup $b is not whole: $(cat "$T/out")"; done
say "23 backups, all whole, and 23 snapshots of the cluster, each in its hour"

page export
cp "$T/backup/$(date -u +%Y%m%d).jsonl" "$T/backup/last.jsonl"
page import
grep -q 'is whole' "$T/out" || fail "what was imported is not whole"
svcd export --data "$T/srv/import" --out "$T/again.jsonl" 2>"$T/err" || fail "no export of what was imported"
[ "$(content "$T/backup/last.jsonl")" = "$(content "$T/again.jsonl")" ] || fail "what was imported is not what was exported"
say "export and import: the same by its hash"

page stop; stopped
page credentials
grep -q '"publicKey"' "$T/data/bootstrap.json" || fail "there are no new credentials"
[ "$(of publicKey)" != "$(first=$T/data/bootstrap.lost.json of publicKey)" ] || fail "the credentials are the old ones"
serve
get /orgs | total | grep -qx '[1-9][0-9]*' || fail "the new credentials see nothing"
page stop; stopped
say 'credentials that were lost have others in their place'

# ==== a new store format ============================================================================================================

mv "$T/data" "$T/data.day"; mkdir "$T/data"
gzip -dc test/formats/4.gz >"$T/data/data.mdb"
if svcd check --data "$T/data" >"$T/out" 2>&1; then fail "an older format is not refused"; fi
grep -q 'older version' "$T/out" || fail "an older format is refused for another reason: $(cat "$T/out")"
page upgrade
grep -q '^upgraded:      format 4 to 5' "$T/out" || fail "the store is not upgraded: $(cat "$T/out")"
[ -s "$(sed -n 's/^backup: *\([^,]*\),.*/\1/p' "$T/out")/data.mdb" ] || fail "there is no backup of the older format"
rm -rf "$T/data"; mv "$T/data.day" "$T/data"
say 'a store of an older format is upgraded, after a backup'

# ==== PostgreSQL: two instances, and one of them dies ===================================================================================

if [ -z "${SVC_TEST_POSTGRES:-}" ]; then
  say 'LEFT OUT: two instances on PostgreSQL, which is not installed (libpq-dev, postgresql)'
  exit 0
fi
place_in() { echo "postgresql:///postgres?user=svc&host=$SVC_TEST_POSTGRES&options=-csearch_path%3Dday_$1"; }
sql() { psql -h "$SVC_TEST_POSTGRES" -U svc -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1" >/dev/null || fail "psql: $1"; }
sql 'CREATE SCHEMA day_moved; CREATE SCHEMA day_shared'
uri=$(place_in moved)
page schema
page copy
svcd export --store "$uri" --out "$T/moved.jsonl" 2>"$T/err" || { cat "$T/err"; fail "no export from PostgreSQL"; }
svcd export --data "$T/data" --out "$T/stays.jsonl" 2>"$T/err" || fail "no export of the folder"
[ "$(content "$T/moved.jsonl")" = "$(content "$T/stays.jsonl")" ] || fail "what is in PostgreSQL is not what was in the folder"
say 'the store is moved to PostgreSQL, and is the same by its hash'

uri=$(place_in shared)
now=$(command date +%s)
page schema
mv "$T/data" "$T/data.day"; mkdir "$T/data" "$T/data2"
shared() { # FOLDER URL: starts another instance, which listens at this URL
  SVCD_DATA=$1 SVCD_LISTEN="$2 https://127.0.0.1:0" SVCD_LIMITER_OFF=true SVCD_DRAIN=1 SVCD_BASE_URL=http://svc.test SVCD_PROVISION_SECONDS=3 SVCD_ACCESS_LOG=$1/access.log
  export SVCD_DATA SVCD_LISTEN SVCD_LIMITER_OFF SVCD_DRAIN SVCD_BASE_URL SVCD_PROVISION_SECONDS SVCD_ACCESS_LOG
  begin start-shared "$1/../$(basename "$1").svcd"
  at=$(echo "$at" | grep -o 'http://[^ ,]*')
  unset SVCD_DATA SVCD_LISTEN SVCD_LIMITER_OFF SVCD_DRAIN SVCD_BASE_URL SVCD_PROVISION_SECONDS SVCD_ACCESS_LOG
}
shared "$T/data" http://127.0.0.1:0; MAINPID=$pid one=$at url=$at
cp "$T/data/secret.key" "$T/data2/secret.key"; chmod 600 "$T/data2/secret.key"
shared "$T/data2" http://127.0.0.1:0; second=$pid two=$at
load_begin "$one" "$two"
load_reached 20
page stop; stopped # a rolling restart: the first instance,
shared "$T/data" "$one"; MAINPID=$pid
reached=$(wc -l <"$T/load"); load_reached $((reached + 20))
kill -TERM "$second"; wait "$second" || fail "the second instance does not end with status 0" # then the second
shared "$T/data2" "$two"; second=$pid
reached=$(wc -l <"$T/load"); load_reached $((reached + 20))
load_end 60
say "two instances, one after the other restarted: of $(wc -l <"$T/load") requests none failed"

group=$(of groupId)
make "/groups/$group/clusters" "{\"name\":\"main\",$CLUSTER}"
kill -9 "$MAINPID"; wait "$MAINPID" 2>/dev/null || :; MAINPID=
url=$two
state=
for _ in $(waits); do
  state=$(get "/groups/$group/clusters/main" | sed -n 's/.*"stateName":"\([A-Z]*\)".*/\1/p')
  [ "$state" = IDLE ] && break
  sleep 0.2
done
[ "$state" = IDLE ] || fail "the other instance does not continue the work of the killed one: $state"
make /groups "{\"name\":\"after the failover\",\"orgId\":\"$(of orgId)\"}"
page backup-shared
svcd check --data "$T/backup/shared" >"$T/out" 2>&1 || fail "the backup of PostgreSQL is not whole: $(cat "$T/out")"
say 'one instance is killed: the other finishes what it had begun, takes writes, and is backed up'
kill -TERM "$second"; wait "$second" || fail "the second instance does not end with status 0"; second=
