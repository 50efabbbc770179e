#!/bin/sh
# A real driver (examples/driver_postgres): svcd runs PostgreSQL. A cluster is created, psql connects to the address of its
# connection string with the password that was given to the API, a snapshot is taken and restored into another cluster, figures
# come from the server, data survives a pause and a kill of svcd, and deleting removes the
# process, its folder and its snapshots. A database user gets exactly the permissions of its roles and scopes, whatever its name, and
# no symbolic link redirects svcd. A killed server is restarted, its activity is visible through the API (slow queries, logins,
# figures, suggested indexes), a damaged snapshot is not restored, and a full server is read-only. Skipped, with a message, if
# PostgreSQL is not installed.
. test/check/common
. test/check/postgres
other=
stop() { [ -z "$pid" ] || kill "$pid" 2>/dev/null || :; [ -z "$pid" ] || wait "$pid" 2>/dev/null || :; pid=; }
end() {
  stop
  [ -z "$other" ] || kill "$other" 2>/dev/null || :
  for p in "$dir"/pg/*/data/postmaster.pid; do # servers left behind by a failure
    [ -f "$p" ] && kill "$(head -n 1 "$p")" 2>/dev/null || :
  done
  sleep 0.3; rm -rf "$dir"
}
call() { # METHOD PATH [BODY]: the body of the answer, the status in its last line
  curl -s -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} "$api$2"
}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }
wait_for() { # NAME STATE: STATE may be "gone"
  for _ in $(waits); do
    answer=$(call GET "/clusters/$1"); state=$(printf %s "$answer" | field stateName)
    case $answer in *404) state=gone ;; esac
    [ "$state" != "$2" ] || return 0
    sleep 0.1
  done
  fail "$1 is ${state:-nowhere}, not $2: $answer"
}
server() { answer=$(call GET "/clusters/$1"); address "$answer"; } # NAME: $id $port of its server
runs() { kill -0 "$server_pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$server_pid/status" 2>/dev/null; } # a zombie process counts as ended
sql() { PGPASSWORD=$(cat "$dir/pg/control/$id/password") psql -h 127.0.0.1 -p "$port" -U svc -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"; }
cluster() { printf '{"name":"%s","backupEnabled":true,"clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}' "$1"; }

as_app() { PGPASSWORD='correct horse battery' psql -h 127.0.0.1 -p "$port" -U "it's \"app\"" -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"; }
as() { # USER SQL: with the password of all users made by "user"
  PGPASSWORD='a password of its own' psql -X -h 127.0.0.1 -p "$port" -U "$1" -d postgres -Atq -v ON_ERROR_STOP=1 -c "$2"
}
gets_in() { # USER: waits until the user can connect, which means that the order is done
  for _ in $(waits); do as "$1" 'select 1' >/dev/null 2>&1 && return 0; sleep 0.1; done
  return 1
}
shut_out() { for _ in $(waits); do as "$1" 'select 1' >/dev/null 2>&1 || return 0; sleep 0.1; done; return 1; }
user() { # NAME ROLES [SCOPES]: NAME and both lists as JSON has them
  case $(call POST /databaseUsers '{"databaseName":"admin","username":"'"$1"'","password":"a password of its own","roles":['"$2"']'"${3:+,\"scopes\":[$3]}"'}') in
    *201) ;; *) fail "the database user $1 is refused" ;; esac
}
role() { printf '{"roleName":"%s","databaseName":"%s"}' "$1" "$2"; }
has_failed() { # USER WORDS: the user's order has failed, and the log has the reason
  for _ in $(waits); do grep -F "an order for database user admin/$1 has failed" "$dir/log" | grep -qF "$2" && return 0; sleep 0.1; done
  fail "the order for $1 should have failed: $2"
}
as_servers() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
as_admin() { # SQL: as the driver's own role, by the socket
  as_servers psql -X -h "$dir/pg/$id" -p "$port" -U svc_admin -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"
}
take() { # NAME: requests a snapshot of this cluster; sets $snapshot
  answer=$(call POST "/clusters/$1/backup/snapshots" '{"description":"by hand"}')
  case $answer in *202) ;; *) fail "a snapshot is refused: $answer" ;; esac
  snapshot=$(printf %s "$answer" | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
}
taken() { # NAME: waits until the snapshot is completed
  for _ in $(waits); do
    answer=$(call GET "/clusters/$1/backup/snapshots/$snapshot")
    case $answer in *'"status":"completed"'*) return 0 ;; *'"status":"failed"'*) break ;; esac
    sleep 0.1
  done
  fail "the snapshot is not completed: $answer"
}
restore() { # FROM TO: waits until the restore is done; sets $answer
  answer=$(call POST "/clusters/$1/backup/restoreJobs" '{"deliveryType":"'"$3"'","snapshotId":"'"$snapshot"'"'"${2:+,\"targetClusterName\":\"$2\"}"'}')
  case $answer in *202) ;; *) fail "a restore is refused: $answer" ;; esac
  job=$(printf %s "$answer" | sed -n 's/.*"failed":[a-z]*,"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
  for _ in $(waits); do
    answer=$(call GET "/clusters/$1/backup/restoreJobs/$job")
    case $answer in *'"failed":true'*) break ;; *'"finishedAt"'*) return 0 ;; esac
    sleep 0.1
  done
  fail "the restore is not finished: $answer"
}

has() { # METHOD PATH WORDS: waits until the answer has these words
  for _ in $(waits); do
    answer=$(call "$1" "$2")
    case $answer in *"$3"*) return 0 ;; esac
    sleep 0.1
  done
  fail "$2 does not say $3: $answer"
}
last() { # METRIC: its last figure in the answer, or "null"
  printf %s "$answer" | tr '{' '\n' | awk -v name="\"name\":\"$1\"" '/"value"/ { v = $0 } index($0, name) { sub(/.*"value":/, "", v); sub(/[}\]].*/, "", v); print v; exit }'
}

start
case $(call POST /clusters "$(cluster real)") in *201) ;; *) fail 'the cluster is refused' ;; esac
wait_for real IDLE
server real
sql 'create table t (n int); insert into t values (42)' || fail 'psql cannot write'
string=$(call GET /clusters/real | sed -n 's/.*"standard":"\([^"]*\)".*/\1/p')
[ "$(PGPASSWORD=$(cat "$dir/pg/control/$id/password") psql "$string" -U svc -Atqc 'select n from t')" = 42 ] || fail "psql does not take $string"

# a tier has its settings, and a process its memory limit
[ "$(sql 'show max_connections')" = 100 ] && [ "$(sql 'show work_mem')" = 8MB ] || fail 'a server has not the settings of its tier'
[ -e /sys/fs/cgroup/svcd-"$id" ] || grep -q '^Max data size *2147483648 ' "/proc/$(head -n 1 "$dir/pg/$id/data/postmaster.pid")/limits" || fail 'memory has no bound'

# a killed server is noticed, and restarts on the same port within ten seconds; an alert opens and closes
before=$port
case $(call POST /alertConfigs '{"enabled":true,"eventTypeName":"HOST_DOWN","notifications":[{"typeName":"GROUP","intervalMin":5,"delayMin":0,"emailEnabled":true}]}') in
  *201) ;; *) fail 'an alert configuration is refused' ;; esac
kill -9 "$(head -n 1 "$dir/pg/$id/data/postmaster.pid")"
for _ in $(waits); do grep -q "the server of $id runs again" "$dir/log" && break; sleep 0.1; done
grep -q "the server of $id has ended unexpectedly" "$dir/log" || fail 'a dead server is not noticed'
[ "$(sql 'select n from t')" = 42 ] || fail 'a server that was killed does not run again'
server real
[ "$port" = "$before" ] || fail 'a server that was killed has another port'
has GET /events '"eventTypeName":"HOST_DOWN"'
has GET /events '"eventTypeName":"HOST_UP"'

# a stopped server does not answer: within ten seconds svcd notices, kills and restarts it
server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
kill -STOP "$server_pid"
for _ in $(waits); do ! grep -q "the server of $id does not answer" "$dir/log" || break; sleep 0.1; done
grep -q "the server of $id does not answer" "$dir/log" || fail 'a stopped server is not noticed'
for _ in $(waits); do [ "$(sql 'select n from t' 2>/dev/null)" != 42 ] || break; sleep 0.1; done
[ "$(sql 'select n from t')" = 42 ] || fail 'a server that was stopped does not run again'
[ "$(head -n 1 "$dir/pg/$id/data/postmaster.pid")" != "$server_pid" ] || fail 'a server that was stopped was not killed'
# it was down twice, and came up twice; on a busy machine it may start so slowly that it counts as silent and is killed again
told() { call GET "/events?eventType=$1" | grep -o "\"eventTypeName\":\"$1\"" | wc -l; }
for _ in $(waits); do [ "$(told HOST_DOWN)" -lt 2 ] || [ "$(told HOST_UP)" -lt 2 ] || break; sleep 0.1; done
[ "$(told HOST_DOWN)" -ge 2 ] || fail 'a server that is stopped is not reported'
[ "$(told HOST_UP)" -ge 2 ] || fail 'a server that was stopped and runs again is not reported'
has GET /alerts '"eventTypeName":"HOST_DOWN"'
has GET '/alerts?status=CLOSED' '"eventTypeName":"HOST_DOWN"'
[ "$(sql 'select n from t')" = 42 ] || fail 'what was written is not there'
if PGPASSWORD=wrong psql -h 127.0.0.1 -p "$port" -U svc -d postgres -c 'select 1' >/dev/null 2>&1; then fail 'any password is accepted'; fi

# a database user: its role was created from the verifier, and its password works at the address of the connection string
case $(call POST /databaseUsers '{"databaseName":"admin","username":"it'"'"'s \"app\"","password":"correct horse battery","roles":[{"roleName":"readWriteAnyDatabase","databaseName":"admin"}]}') in
  *201) ;; *) fail 'the database user is refused' ;; esac
for _ in $(waits); do [ "$(as_app 'select n from t' 2>/dev/null)" != 42 ] || break; sleep 0.1; done
[ "$(as_app 'select n from t')" = 42 ] || fail 'the password that was given to the API does not get in'
if grep -rq 'correct horse battery' "$dir"; then fail 'a password is kept in clear'; fi
as_app 'create table kept (n int); insert into kept values (7)' || fail 'the user cannot write'

# a user that is deleted while its server is down does not come back with the server
call POST /databaseUsers '{"databaseName":"admin","username":"brief","password":"a password of its own","roles":[{"roleName":"read","databaseName":"x"}]}' >/dev/null
roles() { sql "select count(*) from pg_roles where rolname = 'brief' and rolcanlogin" 2>/dev/null; }
for _ in $(waits); do [ "$(roles)" != 1 ] || break; sleep 0.1; done
[ "$(roles)" = 1 ] || fail 'a second user cannot sign in'
mv "$dir/pg/$id/data/PG_VERSION" "$dir/pg/$id/version" # the server cannot start without this file
kill -9 "$(head -n 1 "$dir/pg/$id/data/postmaster.pid")"
case $(call DELETE /databaseUsers/admin/brief) in *204) ;; *) fail 'a user cannot be deleted while its server is down' ;; esac
for _ in $(waits); do grep -rq brief "$dir/pg/control/users" || break; sleep 0.1; done # the order is done when the driver has forgotten the user
mv "$dir/pg/$id/version" "$dir/pg/$id/data/PG_VERSION"
for _ in $(waits); do [ "$(roles)" != 0 ] || break; sleep 0.1; done
[ "$(roles)" = 0 ] || fail "a user that was deleted while its server was down can sign in there: '$(roles)'"

# a snapshot, with svcd killed while it is taken; the restored cluster has the state of the snapshot, without later changes
call POST /clusters "$(cluster second)" >/dev/null
wait_for second IDLE
take real
for _ in $(waits); do [ ! -e "$dir/pg/snapshots/$snapshot.part" ] || break; sleep 0.01; done
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
answer=$(call POST /clusters/real/backup/restoreJobs '{"deliveryType":"download","snapshotId":"'"$snapshot"'"}')
job=$(printf %s "$answer" | sed -n 's/.*"failed":[a-z]*,"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
for _ in $(waits); do
  answer=$(call GET "/clusters/real/backup/restoreJobs/$job")
  case $answer in *'"failed":true'* | *'"finishedAt"'*) break ;; esac
  sleep 0.1
done
case $answer in *file:*) fail "a tenant is told of the host's files: $answer" ;; *'"failed":true'*) ;; *) fail "a download is nowhere, and does not fail: $answer" ;; esac
grep -q 'offers no downloads' "$dir/log" || fail 'the log does not say why the download has failed'

# figures come from the server: through the API its size, as of its last change, and its log; and answers to questions
$CC -w -O0 -std=c11 -I. -Iexamples $INCLUDES -o build/check/driver_measure test/check/driver_measure.c \
  build/lib/obj/examples/driver_postgres/*.o build/libsvcapi.a $MBED_LIBS -pthread
measure() { build/check/driver_measure "$dir/pg" "$id" "$1"; }
server real
before=$(measure OPCOUNTER_INSERT)
sql 'create table many as select generate_series(1, 5000) n'
for _ in $(waits); do [ "$(measure OPCOUNTER_INSERT)" -lt $((before + 5000)) ] || break; sleep 0.1; done
[ "$(measure OPCOUNTER_INSERT)" -ge $((before + 5000)) ] || fail 'rows that were inserted are not counted'
[ "$(measure DB_DATA_SIZE_TOTAL)" -gt 1000000 ] || fail 'the server has no size'
! measure NOTHING_LIKE_IT 2>/dev/null || fail 'an unknown metric is measured'
size=$(curl -s --digest --user "$(get publicKey):$(get privateKey)" "$url/api/svc/v2/clusters" | sed -n 's/.*"dataSizeBytes":\([0-9]*\),"name":"real".*/\1/p')
[ "${size:-0}" -gt 1000000 ] || fail "the cluster is said to hold ${size:-no} bytes"
curl -s --digest --user "$(get publicKey):$(get privateKey)" -H 'Accept: application/vnd.svc.2023-02-01+gzip' \
  "$api/clusters/127.0.0.1/logs/db.gz" | gzip -dc | grep -q 'database system is ready' || fail 'the log is not that of a server'

# the server's activity: slow queries with their plans, missing and existing indexes, logins, present and past figures
process=127.0.0.1:$port
as_app 'create table wide (n int, name text); insert into wide select i, i::text from generate_series(1, 100000) i; create index wide_name on wide (name); analyze wide'
as_app 'select count(*) from wide, (select pg_sleep(0.2)) s where n = 7' >/dev/null
has GET "/processes/$process/performanceAdvisor/slowQueryLogs?includeMetrics=true" 'where n = 7'
case $answer in *'"docsExamined":100000,'*'"namespace":"public.wide"'*) ;; *) fail "a slow query is not what it was: $answer" ;; esac
has GET "/processes/$process/performanceAdvisor/suggestedIndexes" '"index":[{"n":1}],"namespace":"public.wide"'
has GET /clusters/real/queryShapeInsights/summaries 'from wide, (select pg_sleep($1)) s where n = $2'
has GET "/processes/$process/databases" '"databaseName":"public"'
has GET "/processes/$process/databases/public/measurements?period=PT2M&granularity=PT1M" DATABASE_COLLECTION_COUNT
[ "$(last DATABASE_COLLECTION_COUNT)" -ge 3 ] || fail "a schema has no tables: $answer"
case $(call GET "/processes/$process/databases/nowhere/measurements?period=PT2M&granularity=PT1M") in *404) ;; *) fail 'a schema that is not there has figures' ;; esac
PGPASSWORD=wrong psql -h 127.0.0.1 -p "$port" -U "it's \"app\"" -d postgres -c 'select 1' >/dev/null 2>&1 || :
has GET '/dbAccessHistory/clusters/real?authResult=false' '"failureReason":"AuthenticationFailed"'
has GET '/dbAccessHistory/clusters/real?authResult=true' "\"username\":\"it's"
case $answer in *svc_admin*) fail "the driver's own connections are logins" ;; esac
has GET /clusters/real/PRIMARY/collStats/namespaces '"rankedNamespaces":["public.'

# a deleted user cannot connect anymore, not even after restoring an older snapshot that still had the user
case $(call DELETE /databaseUsers/admin/it%27s%20%22app%22) in *204) ;; *) fail 'the database user cannot be deleted' ;; esac
for _ in $(waits); do as_app 'select 1' >/dev/null 2>&1 || break; sleep 0.1; done
if as_app 'select 1' >/dev/null 2>&1; then fail 'a deleted user can connect'; fi
restore real second automated
server second
if as_app 'select 1' >/dev/null 2>&1; then fail 'a deleted user can connect after a restore'; fi
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

server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid") # killed while another cluster is being created, svcd continues with both
call POST /clusters "$(cluster third)" >/dev/null
kill -9 "$pid"; wait "$pid" 2>/dev/null || :; pid=
runs || fail 'the server ended with svcd'
start
wait_for third IDLE
server real
[ "$(sql 'select n from t')" = 42 ] || fail 'svcd does not find the server again'

third=$(call GET /clusters/third | sed -n 's/.*"groupId":"[0-9a-f]*","id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
printf 'M10 1000000' >"$dir/pg/control/$third/tier" # data that exceeds this size at once: checked below, when a minute has passed

# names that cannot be used for a role fail their own order, with the reason, and nothing else
long=$(printf '%070d' 0)
for name in svc svc_admin svc_read_any pg_x public none current_user "a\\u0001b" "${long}a" "${long}b"; do user "$name" "$(role readWriteAnyDatabase admin)"; done
has_failed svc_admin 'reserved for the driver'
has_failed svc 'reserved for the driver'
has_failed pg_x 'reserved by PostgreSQL'
has_failed public 'reserved word'
has_failed none 'reserved word'
has_failed current_user 'reserved word'
has_failed "${long}a" 'longer than the 63 bytes'
has_failed "${long}b" 'longer than the 63 bytes'
for name in svc svc_admin pg_x public "${long}a" "$(printf %.63s "$long")"; do
  ! as "$name" 'select 1' >/dev/null 2>&1 || fail "a user $name gets in"
done
[ "$(as_admin "select string_agg(rolname, ' ') from pg_roles where rolsuper")" = svc_admin ] || fail 'there is another superuser'
[ "$(as_admin "select count(*) from pg_authid where rolname = 'svc_admin' and rolpassword is not null")" = 0 ] || fail 'the superuser has a password'
case $(call DELETE /databaseUsers/admin/svc) in *204) ;; *) fail 'a user with a bad name cannot be deleted' ;; esac
sleep 1
[ "$(sql 'select n from t')" = 42 ] || fail 'deleting a user of that name has taken away svc'
as_admin "alter role svc_admin password 'a password of its own'"
! as svc_admin 'select 1' >/dev/null 2>&1 || fail 'the superuser gets in over TCP'
as_admin 'alter role svc_admin password null'

# roles: permitted and forbidden actions of each
user writer "$(role readWrite shop)"; user reader "$(role read shop)"; user other "$(role read elsewhere)"
user any "$(role readWriteAnyDatabase admin)"; user boss "$(role svcAdmin admin)"; user watcher "$(role clusterMonitor admin)"
for name in writer reader other any boss watcher; do gets_in $name || fail "$name does not get in"; done
as writer 'create table shop.orders (n serial); insert into shop.orders default values' || fail 'readWrite cannot write'
as writer 'create table plain (n int)' || fail 'readWrite has not its own schema in the search_path'
[ "$(as reader 'select n from shop.orders')" = 1 ] || fail 'read does not read what was made after it'
[ "$(as any 'select n from shop.orders')" = 1 ] && [ "$(as boss 'select n from shop.orders')" = 1 ] || fail 'of any database, and not of this'
as boss 'insert into shop.orders default values' || fail 'svcAdmin cannot write'
as any 'create schema mine' 2>/dev/null && fail 'a user may make schemas'
refused() { ! as "$1" "$2" >/dev/null 2>&1 || fail "$1 may: $2"; }
refused reader 'insert into shop.orders default values'
refused reader 'create table shop.x (n int)'
refused reader 'create table public.x (n int)'
refused reader 'create temporary table x (n int)'
refused reader "select lo_from_bytea(0, 'x')"
refused reader 'select * from public.t'
refused other 'select * from shop.orders'
refused writer 'select * from public.t'
refused writer 'create table public.x (n int)'
refused watcher 'select * from shop.orders'
for name in any boss svc; do refused $name 'select rolpassword from pg_authid'; done
for what in 'create role x' 'create database x' "copy shop.orders from program 'id'" "select pg_read_file('/etc/passwd')" 'show data_directory' \
  'alter role boss superuser' 'grant svc_write_any to reader' 'set role svc_admin' 'create table public.x (n int) tablespace pg_global'; do refused boss "$what"; done
PGDATABASE=template1 PGPASSWORD='a password of its own' psql -X -h 127.0.0.1 -p "$port" -U any -d template1 -c 'select 1' >/dev/null 2>&1 && fail 'template1 is open'
case $(call PATCH /databaseUsers/admin/writer '{"roles":['"$(role read shop)"']}') in *200) ;; *) fail 'roles cannot be changed' ;; esac
for _ in $(waits); do as writer 'insert into shop.orders default values' >/dev/null 2>&1 || break; sleep 0.1; done
refused writer 'insert into shop.orders default values' # although it had created that table
[ "$(as writer 'select count(*) from orders')" -ge 1 ] || fail 'a user with fewer roles has none'
user sharder "$(role enableSharding admin)"
has_failed sharder 'the role enableSharding has no counterpart'
refused sharder 'select 1'
user maker "$(role dbAdmin shop)"
gets_in maker || fail 'dbAdmin does not get in'
as maker 'create table shop.made (n int); create index on shop.made (n)' || fail 'dbAdmin cannot make tables'
refused maker 'select * from shop.orders'
refused maker 'create table public.x (n int)'
[ "$(as reader 'select count(*) from shop.made')" = 0 ] || fail 'other users cannot read a table that dbAdmin made'

# custom roles: the permissions that PostgreSQL has, never more; the log lists the rest
action() { printf '{"action":"%s","resources":[{"cluster":false,"collection":"%s","db":"%s"}]}' "$1" "$2" "$3"; }
case $(call POST /customDBRoles/roles '{"roleName":"looker","actions":['"$(action FIND '' shop),$(action INSERT '' shop),$(action FIND orders elsewhere)"'],"inheritedRoles":[{"db":"admin","role":"clusterMonitor"}]}') in
  *202 | *200) ;; *) fail 'a custom role is refused' ;; esac
user custom "$(role looker admin)"
gets_in custom || fail 'a user with a custom role does not get in'
as custom 'select n from shop.orders' >/dev/null || fail 'a custom role does not read'
refused custom 'insert into shop.orders default values'
grep 'custom role looker' "$dir/log" | grep -q 'FIND on a single collection, INSERT' || fail 'the log does not say what a custom role lacks'
case $(call PATCH /customDBRoles/roles/looker '{"actions":['"$(action FIND '' shop),$(action INSERT '' shop),$(action UPDATE '' shop),$(action REMOVE '' shop)"']}') in
  *202 | *200) ;; *) fail 'a custom role cannot be changed' ;; esac
for _ in $(waits); do ! as custom 'insert into shop.orders default values' 2>/dev/null || break; sleep 0.1; done
as custom 'insert into shop.orders default values' || fail 'a custom role that was changed has not reached its users'
user narrow '{"roleName":"read","databaseName":"shop","collectionName":"orders"}'
has_failed narrow 'on the collection orders'
user schema "$(role read pg_catalog)"
has_failed schema 'the database name is reserved'
case $(call PATCH /databaseUsers/admin/other '{"roles":['"$(role enableSharding admin)"']}') in *200) ;; *) fail 'roles cannot be changed to others' ;; esac
has_failed other 'the role enableSharding'
shut_out other || fail 'a user keeps roles that were removed'

# the driver runs no functions that tenants create in the database
as any "create function public.format(text, text) returns text language sql as \$\$select 'alter role any superuser'::text\$\$" &&
  as any "create function public.concat(text, oid) returns text language sql as \$\$select 'svc_admin'::text\$\$" || fail 'any cannot plant'
user late2 "$(role readWrite shop)"
gets_in late2 || fail 'a user after the planted functions does not get in'
[ "$(as_admin "select string_agg(rolname, ' ') from pg_catalog.pg_roles where rolsuper")" = svc_admin ] || fail 'what a tenant planted was run by the driver'
as any 'drop function public.format(text, text), public.concat(text, oid)'

# scopes: a role on the named clusters only; also after a change
user scoped "$(role readWriteAnyDatabase admin)" '{"name":"second","type":"CLUSTER"}'
server second
gets_in scoped || fail 'a user does not get into the cluster of its scope'
as scoped 'create table public.of_scoped (n int)'
server real
refused scoped 'select 1'
[ "$(as_admin "select count(*) from pg_roles where rolname = 'scoped'")" = 0 ] || fail 'a user has a role out of its scope'
case $(call PATCH /databaseUsers/admin/scoped '{"scopes":[{"name":"real","type":"CLUSTER"}]}') in *200) ;; *) fail 'scopes cannot be changed' ;; esac
gets_in scoped || fail 'a user does not get into the cluster of its new scope'
server second
shut_out scoped || fail 'a user gets into a cluster that is not in its scope any more'
for _ in $(waits); do [ "$(as_admin "select count(*) from pg_roles where rolname = 'scoped'")" != 0 ] || break; sleep 0.1; done # after the login
[ "$(as_admin "select count(*) from pg_roles where rolname = 'scoped'")" = 0 ] || fail 'a user has kept its role out of its scope'
[ "$(sql 'select count(*) from of_scoped')" = 0 ] || fail 'what it made is not there any more'
server real

# a request that PostgreSQL refuses fails one order, with PostgreSQL's message; clusters are still created, and the failed order
# is retried
as_admin 'create role taken superuser'
user taken "$(role read shop)"
has_failed taken 'the role taken belongs to the server'
call POST /clusters "$(cluster fourth)" >/dev/null
wait_for fourth IDLE
[ "$(as_admin "select rolcanlogin from pg_roles where rolname = 'taken'")" = f ] || fail 'a superuser was changed'
as_admin 'alter role taken nosuperuser'
case $(call DELETE /databaseUsers/admin/pg_x) in *204) ;; *) fail 'a user that failed cannot be deleted' ;; esac
gets_in taken || fail 'a failed order is not retried after the bad user is deleted'
case $(call DELETE /clusters/fourth) in *202) ;; *) fail 'fourth cannot be deleted' ;; esac
wait_for fourth gone

# symbolic links in the servers' folder are not followed
echo 'nobody else may read this' >"$dir/private"; chmod 600 "$dir/private"
log_is() { curl -s --digest --user "$(get publicKey):$(get privateKey)" -H 'Accept: application/vnd.svc.2023-02-01+gzip' \
  "$api/clusters/127.0.0.1/logs/db.gz" | gzip -dc 2>/dev/null | grep -q "$1"; }
for i in "$dir"/pg/*/log; do as_servers mv "$i" "$i.kept"; as_servers ln -s "$dir/private" "$i"; done
! log_is 'nobody else may read this' || fail 'a link in the place of the log shows a file of svcd'
for i in "$dir"/pg/*/log; do as_servers rm "$i"; as_servers mv "$i.kept" "$i"; done
log_is 'database system is ready' || fail 'the log is gone'
for name in paused.new paused port.new port; do as_servers ln -s "$dir/private" "$dir/pg/$id/$name"; done
[ "$(id -u)" != 0 ] || for name in control pg_hba.conf "$id"; do # the folder that has these does not belong to the servers' user
  ! as_servers mv "$dir/pg/$name" "$dir/pg/moved" 2>/dev/null || fail "the servers' user moves $name"
done
[ "$(id -u)" != 0 ] || ! as_servers cat "$dir/pg/control/$id/password" 2>/dev/null || fail "the servers' user reads passwords"

# a user deleted while its cluster is paused is removed when the cluster resumes
case $(call PATCH /clusters/second '{"paused":true}') in *200) ;; *) fail 'a pause of the second is refused' ;; esac
wait_for second IDLE
[ "$(cat "$dir/private")" = 'nobody else may read this' ] && [ "$(stat -c %u "$dir/private")" = "$(id -u)" ] || fail 'a link was followed'
call DELETE /databaseUsers/admin/any >/dev/null
shut_out any || fail 'a deleted user can connect'
case $(call PATCH /clusters/second '{"paused":false}') in *200) ;; *) fail 'the second cannot be resumed' ;; esac
wait_for second IDLE
server second
refused any 'select 1'
gets_in boss || fail 'a user does not get in after a pause'
server real

# figures have a history, and a server with more data than its disk refuses writes
for _ in $(waits); do
  answer=$(call GET "/processes/127.0.0.1:$port/measurements?period=PT3M&granularity=PT1M")
  [ "$(last PROCESS_CPU_USER)" = null ] || break; sleep 0.2
done
for name in CONNECTIONS DB_DATA_SIZE_TOTAL MEMORY_RESIDENT SYSTEM_MEMORY_USED PROCESS_CPU_USER OPCOUNTER_CMD; do
  case $(last $name) in ''|null) fail "$name has no figure: $answer" ;; esac
done
[ "$(last FTS_MEMORY_RESIDENT)" = null ] || fail 'a figure is made up'
server third
for _ in $(waits); do ! sql 'create table more (n int)' 2>"$dir/refused" || { sql 'drop table more'; sleep 0.2; continue; }; break; done
grep -q 'read-only transaction' "$dir/refused" || fail "a full server takes writes: $(cat "$dir/refused")"
server real

# a folder of version 0.2 is upgraded: its servers are kept, and its users only after they are sent again
# Meanwhile another program has taken the port of a stopped server: the server gets another port, also in its connection string
real=$id real_port=$port; server second; before=$port
stop
as_servers "${1%initdb}pg_ctl" -D "$dir/pg/$id/data" -w -m fast stop >/dev/null
build/svcd --memory --show-credentials --listen "http://127.0.0.1:$before" >/dev/null 2>&1 &
other=$!
id=$real port=$real_port
servers=$(stat -c %U "$dir/pg/snapshots")
for i in "$dir"/pg/control/*/made; do
  i=${i%/made}; mv "$i"/group "$i"/name "$i"/port "$i"/password "$i"/made "$dir/pg/${i##*/}/"
done
rm -rf "$dir/pg/control" "$dir/pg/pg_hba.conf"; mkdir -p "$dir/pg/users/$(get groupId)"; chmod 700 "$dir/pg"
echo 'alter role svc_admin login;' >"$dir/pg/users/$(get groupId)/000000000000000000000001"
rm -f "$dir/pg/$id/port.new" "$dir/pg/$id/paused.new" "$dir/pg/$id/paused"
[ "$(id -u)" != 0 ] || chown -R "$servers" "$dir/pg"
start
for _ in $(waits); do [ "$(sql 'select n from t' 2>/dev/null)" != 42 ] || break; sleep 0.1; done
[ "$(sql 'select n from t')" = 42 ] || fail 'a server of an earlier version is not upgraded'
grep -q 'created by an earlier version, which kept no roles' "$dir/log" || fail 'no line about its users'
[ ! -e "$dir/pg/$id/password" ] && [ ! -e "$dir/pg/users" ] || fail 'what it had is still there'
shut_out boss || fail 'a user of an earlier version has unknown roles'
[ "$(stat -c %u "$dir/pg")" = "$(id -u)" ] || fail 'the folder is still the servers'"'"
has GET /clusters/second '"stateName":"IDLE"'
for _ in $(waits); do server second; [ "$port" = "$before" ] || break; sleep 0.1; done
[ "$port" != "$before" ] || fail 'a server that has moved is where it was, for its connection string'
[ "$(sql 'select n from t')" = 42 ] || fail 'a server that has moved is not where it says'
kill "$other"; wait "$other" 2>/dev/null || :; other=
server real
case $(call PATCH /databaseUsers/admin/boss '{"description":"again"}') in *200) ;; *) fail 'boss cannot be changed' ;; esac
gets_in boss || fail 'a user that is put again does not get in'

# a server of an earlier version has no disk limit: the full one accepts writes again, although svcd has restarted in the meantime
server third
for _ in $(waits); do ! sql 'create table more (n int)' 2>"$dir/refused" || { : >"$dir/refused"; break; }; sleep 0.2; done
[ ! -s "$dir/refused" ] || fail "a server that has room again refuses writes: $(cat "$dir/refused")"
server real

# the folder must belong to svcd, and must not be a link
ln -s "$dir/pg" "$dir/link"; mkdir "$dir/open"; chmod 777 "$dir/open"
for name in link link/ open; do
  if timeout 20 build/svcd --data "$dir/no" --listen http://127.0.0.1:0 --driver postgres --driver-folder "$dir/$name" >/dev/null 2>"$dir/refused"; then
    fail "--driver-folder $name is taken"
  fi
  grep -q -e 'is a link' -e 'written to by others' "$dir/refused" || fail "--driver-folder $name: $(cat "$dir/refused")"
done

# a damaged snapshot is not restored, and the cluster is unchanged
take real
taken real
for i in "$dir/pg/snapshots/$snapshot"/base/*/1255; do printf damage | as_servers dd of="$i" bs=1 seek=100 conv=notrunc 2>/dev/null; break; done
answer=$(call POST /clusters/real/backup/restoreJobs '{"deliveryType":"automated","snapshotId":"'"$snapshot"'","targetClusterName":"second"}')
for _ in $(waits); do ! grep -q 'the snapshot fails its verification' "$dir/log" || break; sleep 0.1; done
grep -q 'the snapshot fails its verification' "$dir/log" || fail "a damaged snapshot is restored: $answer"
server second
[ "$(sql 'select n from t')" = 42 ] || fail 'a damaged snapshot has harmed the cluster'
server real

# one snapshot is deleted directly, another together with its cluster
case $(call DELETE "/clusters/real/backup/snapshots/$snapshot") in *204) ;; *) fail 'a snapshot cannot be deleted' ;; esac
for _ in $(waits); do [ -e "$dir/pg/snapshots/$snapshot" ] || break; sleep 0.1; done
[ ! -e "$dir/pg/snapshots/$snapshot" ] || fail 'a snapshot is deleted, and its folder is not'
take real
taken real
[ -d "$dir/pg/snapshots/$snapshot" ] || fail 'a second snapshot is not there'

for name in real second third; do
  server $name; server_pid=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
  case $(call DELETE /clusters/$name) in *202) ;; *) fail "$name cannot be deleted" ;; esac
  wait_for $name gone
  ! runs || fail "$name is gone, and its process is not"
  [ ! -e "$dir/pg/$id" ] && [ ! -e "$dir/pg/control/$id" ] || fail "$name is gone, and its folder is not"
done
for _ in $(waits); do [ -n "$(ls "$dir/pg/snapshots")" ] || break; sleep 0.1; done
[ -z "$(ls "$dir/pg/snapshots")" ] || fail 'snapshots stay behind their cluster'
