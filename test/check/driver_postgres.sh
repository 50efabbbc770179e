#!/bin/sh
# A driver that is real (examples/driver_postgres.c): svcd runs PostgreSQL. A cluster is made, psql gets to the address of its
# connection string by the password that was given to the API, a snapshot is taken and restored into another cluster, figures
# come from the server, what was written is there after a pause and after svcd was killed, and what is deleted is gone: the
# process, its folder, its snapshots. Skipped, and said so, where PostgreSQL is not installed.
. test/check/common
set -- /usr/lib/postgresql/*/bin/initdb
[ -x "$1" ] && command -v curl >/dev/null || { echo "skipped: PostgreSQL or curl is not installed"; exit 0; }
dir=$(mktemp -d /tmp/svc-driver-XXXXXX); chmod 755 "$dir"
pid=
stop() { [ -z "$pid" ] || kill "$pid" 2>/dev/null || :; [ -z "$pid" ] || wait "$pid" 2>/dev/null || :; pid=; }
end() {
  stop
  for p in "$dir"/pg/*/data/postmaster.pid; do # what a failure has left behind
    [ -f "$p" ] && kill "$(head -n 1 "$p")" 2>/dev/null || :
  done
  sleep 0.3; rm -rf "$dir"
}
trap end EXIT
fail() { echo "check/driver_postgres: $*" >&2; cat "$dir/log" >&2 || :; exit 1; }

start() {
  : >"$dir/out"
  build/svcd --data "$dir/store" --listen http://127.0.0.1:0 --driver postgres --driver-folder "$dir/pg" >"$dir/out" 2>>"$dir/log" &
  pid=$!
  for _ in $(seq 100); do url=$(sed -n 's/^svcd ready on //p' "$dir/out"); [ -z "$url" ] || break; sleep 0.1; done
  [ -n "$url" ] || fail 'svcd does not start'
  api=$url/api/svc/v2/groups/$(get groupId)
}
get() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$dir/store/bootstrap.json"; }
call() { # METHOD PATH [BODY]: the body of the answer, the status in its last line
  curl -s -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} "$api$2"
}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }
wait_for() { # NAME STATE: gone, too
  for _ in $(seq 300); do
    answer=$(call GET "/clusters/$1"); state=$(printf %s "$answer" | field stateName)
    case $answer in *404) state=gone ;; esac
    [ "$state" != "$2" ] || return 0
    sleep 0.1
  done
  fail "$1 is ${state:-nowhere}, not $2: $answer"
}
server() { # NAME: $id $port of its server
  answer=$(call GET "/clusters/$1")
  id=$(printf %s "$answer" | sed -n 's/.*"groupId":"[0-9a-f]*","id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
  port=$(printf %s "$answer" | sed -n 's/.*"standard":"[a-z]*:\/\/127\.0\.0\.1:\([0-9]*\).*/\1/p' | head -n 1)
  [ -n "$id" ] && [ -n "$port" ] || fail "the cluster does not say where it is: $answer"
}
runs() { kill -0 "$server_pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$server_pid/status" 2>/dev/null; } # one that nobody has waited for is gone, too
sql() { PGPASSWORD=$(cat "$dir/pg/$id/password") psql -h 127.0.0.1 -p "$port" -U svc -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"; }
cluster() { printf '{"name":"%s","backupEnabled":true,"clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}' "$1"; }

as_app() { PGPASSWORD='correct horse battery' psql -h 127.0.0.1 -p "$port" -U "it's \"app\"" -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"; }
take() { # NAME: $snapshot, of this cluster, is asked for
  answer=$(call POST "/clusters/$1/backup/snapshots" '{"description":"by hand"}')
  case $answer in *202) ;; *) fail "a snapshot is refused: $answer" ;; esac
  snapshot=$(printf %s "$answer" | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
}
taken() { # NAME: until it is there
  for _ in $(seq 300); do
    answer=$(call GET "/clusters/$1/backup/snapshots/$snapshot")
    case $answer in *'"status":"completed"'*) return 0 ;; *'"status":"failed"'*) break ;; esac
    sleep 0.1
  done
  fail "the snapshot is not completed: $answer"
}
restore() { # FROM TO: $answer, when it is done
  answer=$(call POST "/clusters/$1/backup/restoreJobs" '{"deliveryType":"'"$3"'","snapshotId":"'"$snapshot"'"'"${2:+,\"targetClusterName\":\"$2\"}"'}')
  case $answer in *202) ;; *) fail "a restore is refused: $answer" ;; esac
  job=$(printf %s "$answer" | sed -n 's/.*"failed":[a-z]*,"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
  for _ in $(seq 300); do
    answer=$(call GET "/clusters/$1/backup/restoreJobs/$job")
    case $answer in *'"failed":true'*) break ;; *'"finishedAt"'*) return 0 ;; esac
    sleep 0.1
  done
  fail "the restore is not finished: $answer"
}

start
case $(call POST /clusters "$(cluster real)") in *202) ;; *) fail 'the cluster is refused' ;; esac
wait_for real IDLE
server real
sql 'create table t (n int); insert into t values (42)' || fail 'psql cannot write'
[ "$(sql 'select n from t')" = 42 ] || fail 'what was written is not there'
if PGPASSWORD=wrong psql -h 127.0.0.1 -p "$port" -U svc -d postgres -c 'select 1' >/dev/null 2>&1; then fail 'any password will do'; fi

# a database user: its role was made of the verifier, and its password gets in, where the connection string says
case $(call POST /databaseUsers '{"databaseName":"admin","username":"it'"'"'s \"app\"","password":"correct horse battery","roles":[{"roleName":"readWriteAnyDatabase","databaseName":"admin"}]}') in
  *201) ;; *) fail 'the database user is refused' ;; esac
for _ in $(seq 100); do [ "$(as_app 'select n from t' 2>/dev/null)" != 42 ] || break; sleep 0.1; done
[ "$(as_app 'select n from t')" = 42 ] || fail 'the password that was given to the API does not get in'
if grep -rq 'correct horse battery' "$dir"; then fail 'a password is kept in clear'; fi
as_app 'create table kept (n int); insert into kept values (7)' || fail 'the user cannot write'

# a snapshot, and svcd killed while it is taken; what was changed since then is as it was in the cluster it is restored to
call POST /clusters "$(cluster second)" >/dev/null
wait_for second IDLE
take real
for _ in $(seq 500); do [ ! -e "$dir/pg/snapshots/$snapshot.part" ] || break; sleep 0.01; done
[ -e "$dir/pg/snapshots/$snapshot.part" ] || fail 'the snapshot was never under way'
kill -9 "$pid"; wait "$pid" 2>/dev/null || :; pid=
start
taken real
[ -d "$dir/pg/snapshots/$snapshot/base" ] && [ ! -e "$dir/pg/snapshots/$snapshot.part" ] || fail 'the snapshot is no base backup'
bytes=$(printf %s "$answer" | sed -n 's/.*"storageSizeBytes":\([0-9]*\).*/\1/p')
[ "${bytes:-0}" -gt 1000000 ] || fail "a snapshot of ${bytes:-no} bytes"
as_app 'update kept set n = 8' || fail 'the user cannot change what it has written'
call POST /databaseUsers '{"databaseName":"admin","username":"late","password":"a password of its own","roles":[{"roleName":"read","databaseName":"x"}]}' >/dev/null
restore real second automated
[ "$(as_app 'select n from kept')" = 8 ] || fail 'a restore has changed the cluster that the snapshot was taken of'
server second
[ "$(as_app 'select n from kept')" = 7 ] || fail 'the restored cluster has not what it was'
[ "$(sql 'select n from t')" = 42 ] || fail 'its own first user has lost its password'
PGPASSWORD='a password of its own' psql -h 127.0.0.1 -p "$port" -U late -d postgres -qc 'select 1' >/dev/null || fail 'a user that is newer than the snapshot does not get in'
restore real '' download
case $answer in *"file://"*"/snapshots/$snapshot"*) ;; *) fail "the download is nowhere: $answer" ;; esac

# figures come from the server: through the API its size, as of its last change, and its log; and what it is asked for
[ -x build/check/driver_measure ] && [ build/check/driver_measure -nt svcapi.c ] && [ build/check/driver_measure -nt examples/driver_postgres.c ] ||
  $CC -w -O0 -std=c11 -I. -Iexamples $INCLUDES -o build/check/driver_measure test/check/driver_measure.c examples/driver_postgres.c \
    build/deps/mdb.c build/deps/midl.c build/deps/frozen.c build/deps/tinycthread.c $MBED_LIBS -pthread
measure() { build/check/driver_measure "$dir/pg" "$id" "$1"; }
server real
before=$(measure OPCOUNTER_INSERT)
sql 'create table many as select generate_series(1, 5000) n'
for _ in $(seq 100); do [ "$(measure OPCOUNTER_INSERT)" -lt $((before + 5000)) ] || break; sleep 0.1; done
[ "$(measure OPCOUNTER_INSERT)" -ge $((before + 5000)) ] || fail 'rows that were inserted are not counted'
[ "$(measure DB_DATA_SIZE_TOTAL)" -gt 1000000 ] || fail 'the server has no size'
! measure NOTHING_LIKE_IT 2>/dev/null || fail 'it measures what nobody knows'
size=$(curl -s --digest --user "$(get publicKey):$(get privateKey)" "$url/api/svc/v2/clusters" | sed -n 's/.*"dataSizeBytes":\([0-9]*\),"name":"real".*/\1/p')
[ "${size:-0}" -gt 1000000 ] || fail "the cluster is said to hold ${size:-no} bytes"
curl -s --digest --user "$(get publicKey):$(get privateKey)" -H 'Accept: application/vnd.svc.2023-02-01+gzip' \
  "$api/clusters/127.0.0.1/logs/db.gz" | gzip -dc | grep -q 'database system is ready' || fail 'the log is not that of a server'

# a user that is deleted gets in no more; and not by an older snapshot either, in which it still was
case $(call DELETE /databaseUsers/admin/it%27s%20%22app%22) in *204) ;; *) fail 'the database user cannot be deleted' ;; esac
for _ in $(seq 100); do as_app 'select 1' >/dev/null 2>&1 || break; sleep 0.1; done
if as_app 'select 1' >/dev/null 2>&1; then fail 'a user that was deleted gets in'; fi
restore real second automated
server second
if as_app 'select 1' >/dev/null 2>&1; then fail 'a user that was deleted gets in after a restore'; fi
[ "$(sql 'select n from t')" = 42 ] || fail 'a second restore has lost something'
server real

server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
case $(call PATCH /clusters/real '{"paused":true}') in *200) ;; *) fail 'a pause is refused' ;; esac
wait_for real IDLE
! runs || fail 'a paused cluster runs'
case $(call PATCH /clusters/real '{"paused":false}') in *200) ;; *) fail 'it cannot be resumed' ;; esac
wait_for real IDLE
server real
[ "$(sql 'select n from t')" = 42 ] || fail 'a pause has lost something'

server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid") # killed while another one is being made, svcd goes on with both
call POST /clusters "$(cluster third)" >/dev/null
kill -9 "$pid"; wait "$pid" 2>/dev/null || :; pid=
runs || fail 'the server went with svcd'
start
wait_for third IDLE
server real
[ "$(sql 'select n from t')" = 42 ] || fail 'svcd does not find the server again'

# one snapshot is deleted by itself, another goes with its cluster
case $(call DELETE "/clusters/real/backup/snapshots/$snapshot") in *204) ;; *) fail 'a snapshot cannot be deleted' ;; esac
for _ in $(seq 100); do [ -e "$dir/pg/snapshots/$snapshot" ] || break; sleep 0.1; done
[ ! -e "$dir/pg/snapshots/$snapshot" ] || fail 'a snapshot is deleted, and its folder is not'
take real
taken real
[ -d "$dir/pg/snapshots/$snapshot" ] || fail 'a second snapshot is not there'

for name in real second third; do
  server $name; server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
  case $(call DELETE /clusters/$name) in *202) ;; *) fail "$name cannot be deleted" ;; esac
  wait_for $name gone
  ! runs || fail "$name is gone, and its process is not"
  [ ! -e "$dir/pg/$id" ] || fail "$name is gone, and its folder is not"
done
for _ in $(seq 100); do [ -n "$(ls "$dir/pg/snapshots")" ] || break; sleep 0.1; done
[ -z "$(ls "$dir/pg/snapshots")" ] || fail 'snapshots stay behind their cluster'
