#!/bin/sh
# A driver that is real (examples/driver_postgres.c): svcd runs PostgreSQL. A cluster is made, psql gets to the address of its
# connection string, what was written is there after a pause and after svcd was killed, and what is deleted is gone: the
# process and its folder. Skipped, and said so, where PostgreSQL is not installed.
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
cluster() { printf '{"name":"%s","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}' "$1"; }

start
case $(call POST /clusters "$(cluster real)") in *202) ;; *) fail 'the cluster is refused' ;; esac
wait_for real IDLE
server real
sql 'create table t (n int); insert into t values (42)' || fail 'psql cannot write'
[ "$(sql 'select n from t')" = 42 ] || fail 'what was written is not there'
if PGPASSWORD=wrong psql -h 127.0.0.1 -p "$port" -U svc -d postgres -c 'select 1' >/dev/null 2>&1; then fail 'any password will do'; fi

# a database user: its role was made of the verifier, and its password gets in; and no more when it is deleted
case $(call POST /databaseUsers '{"databaseName":"admin","username":"it'"'"'s \"app\"","password":"correct horse battery","roles":[{"roleName":"readWriteAnyDatabase","databaseName":"admin"}]}') in
  *201) ;; *) fail 'the database user is refused' ;; esac
as_app() { PGPASSWORD='correct horse battery' psql -h 127.0.0.1 -p "$port" -U "it's \"app\"" -d postgres -Atqc "$1"; }
for _ in $(seq 100); do [ "$(as_app 'select n from t' 2>/dev/null)" != 42 ] || break; sleep 0.1; done
[ "$(as_app 'select n from t')" = 42 ] || fail 'the password that was given to the API does not get in'
if grep -rq 'correct horse battery' "$dir"; then fail 'a password is kept in clear'; fi
case $(call DELETE /databaseUsers/admin/it%27s%20%22app%22) in *204) ;; *) fail 'the database user cannot be deleted' ;; esac
for _ in $(seq 100); do as_app 'select 1' >/dev/null 2>&1 || break; sleep 0.1; done
if as_app 'select 1' >/dev/null 2>&1; then fail 'a user that was deleted gets in'; fi

server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
case $(call PATCH /clusters/real '{"paused":true}') in *200) ;; *) fail 'a pause is refused' ;; esac
wait_for real IDLE
! runs || fail 'a paused cluster runs'
case $(call PATCH /clusters/real '{"paused":false}') in *200) ;; *) fail 'it cannot be resumed' ;; esac
wait_for real IDLE
server real
[ "$(sql 'select n from t')" = 42 ] || fail 'a pause has lost something'

server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid") # killed while another one is being made, svcd goes on with both
call POST /clusters "$(cluster second)" >/dev/null
kill -9 "$pid"; wait "$pid" 2>/dev/null || :; pid=
runs || fail 'the server went with svcd'
start
wait_for second IDLE
server real
[ "$(sql 'select n from t')" = 42 ] || fail 'svcd does not find the server again'

for name in real second; do
  server $name; server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
  case $(call DELETE /clusters/$name) in *202) ;; *) fail "$name cannot be deleted" ;; esac
  wait_for $name gone
  ! runs || fail "$name is gone, and its process is not"
  [ ! -e "$dir/pg/$id" ] || fail "$name is gone, and its folder is not"
done
