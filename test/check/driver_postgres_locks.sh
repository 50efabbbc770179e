#!/bin/sh
# The PostgreSQL driver and tenants that hold locks for as long as they like: on their own roles
# ("alter role SELF") and on tables ("lock table"). Questions about such a server end, orders of
# other projects go on, and a database user whose access is revoked is out, whatever its sessions
# hold. What a lock delays is done when the lock is free, without a new request. A server that hangs
# delays neither the start of the driver nor its end. Skipped, with a message, if PostgreSQL is not
# installed.
. test/check/common
. test/check/postgres
end() {
  rm -f "$dir/holding" "$dir/asking"
  [ -z "$pid" ] || { kill -9 "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; } || :
  for p in "$dir"/pg/*/data/postmaster.pid; do # servers left behind by a failure
    [ -f "$p" ] && { p=$(head -n 1 "$p"); kill -CONT "$p" 2>/dev/null; kill -QUIT "$p" 2>/dev/null; } || :
  done
  for _ in $(waits); do ls "$dir"/pg/*/data/postmaster.pid >/dev/null 2>&1 || break; sleep 0.1; done
  rm -rf "$dir"
}
stop() { kill "$pid"; wait "$pid" || fail 'svcd does not end cleanly'; pid=; }
call() { # METHOD PATH [BODY], in the project $group: the body of the answer, the status in its last line
  curl -s -m 60 -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} \
    "$url/api/svc/v2/groups$2"
}
accepted() { # METHOD PATH [BODY]
  answer=$(call "$@")
  case $answer in *20?) ;; *) fail "$1 $2 is refused: $answer" ;; esac
}
until_so() { # WORDS COMMAND...: waits until the command succeeds
  words=$1; shift
  for _ in $(waits); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done
  fail "$words"
}
is() { # GROUP NAME STATE
  call GET "/$1/clusters/$2" | grep -q "\"stateName\":\"$3\""
}
cluster() { # GROUP NAME: begins to make it
  accepted POST "/$1/clusters" '{"name":"'"$2"'","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}'
}
server() { answer=$(call GET "/$1/clusters/$2"); address "$answer"; } # GROUP NAME: $id $port of its server
role() { printf '{"roleName":"%s","databaseName":"%s"}' "$1" "$2"; }
user() { # GROUP NAME ROLES
  accepted POST "/$1/databaseUsers" '{"databaseName":"admin","username":"'"$2"'","password":"a password of its own","roles":['"$3"']}'
}
as() { # USER SQL
  PGCONNECT_TIMEOUT=20 PGPASSWORD='a password of its own' psql -X -h 127.0.0.1 -p "$port" -U "$1" -d postgres -Atq -v ON_ERROR_STOP=1 -c "$2"
}
as_servers() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
as_admin() { # SQL: as the driver's own role, by the socket
  as_servers psql -X -h "$dir/pg/$id" -p "$port" -U svc_admin -d postgres -Atq -v ON_ERROR_STOP=1 -c "$1"
}
gets_in() { until_so "the user $1 does not get in" as "$1" 'select 1'; }
only_reads() { as "$1" 'select 1 from mine.y' && ! as "$1" 'insert into mine.y values (1)'; }
kept_out() { ! as "$1" 'select 1'; }
shut_out() { until_so "the user $1 still gets in" kept_out "$1"; }
gone() { [ "$(as_admin "select count(*) from pg_roles where rolname = '$1'")" = 0 ]; }
sessions() { as_admin "select count(*) from pg_stat_activity where usename = '$1' and wait_event = 'PgSleep'"; }
holds_not() { [ "$(sessions "$1")" = 0 ]; }
holds() { [ "$(sessions "$1")" -gt 0 ]; }
hold() { # USER SQL: keeps the locks of the SQL in a session, until the session is ended
  as "$1" "begin; $2; select pg_sleep(3600)" >/dev/null 2>&1 &
  until_so "$1 does not hold its lock" holds "$1"
}
let_go() { as_admin "select pg_terminate_backend(pid) from pg_stat_activity where usename = '$1'" >/dev/null; }
own_row() { printf "alter role %s password 'a password of its own'" "$1"; }
hold_again() { # USER: one more session after each that is ended
  while [ -e "$dir/holding" ]; do as "$1" "begin; $(own_row "$1"); select pg_sleep(3600)" >/dev/null 2>&1 || sleep 0.02; done &
}
logged() { grep -q "$1" "$dir/log"; }
said() { until_so "the log does not say: $1" logged "$1"; }

start
group=$(get groupId)
other=$(call POST '' '{"name":"other","orgId":"'"$(get orgId)"'"}' | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
[ -n "$other" ] || fail 'there is no second project'
cluster "$group" a; cluster "$group" elsewhere; cluster "$other" b
until_so 'a is not ready' is "$group" a IDLE
until_so 'b is not ready' is "$other" b IDLE
server "$other" b; b=$port
server "$group" a
api=/$group/databaseUsers/admin

# a question about a locked table ends long before the lock is free, and the log says why
user "$group" t1 "$(role readWrite mine)"; gets_in t1
as t1 'create table mine.x (n int primary key); create table mine.y (n int)'
hold t1 'lock table mine.x in access exclusive mode'
for path in performanceAdvisor/dropIndexSuggestions performanceAdvisor/schemaAdvice performanceAdvisor/suggestedIndexes PRIMARY/collStats/namespaces; do
  case $(call GET "/$group/clusters/a/$path") in *200 | *503) ;; *) fail "$path has no answer while a table is locked" ;; esac
done
case $(call GET "/$group/processes/127.0.0.1:$port/databases/mine/measurements?period=PT2M&granularity=PT1M") in
  *200 | *503) ;; *) fail 'measurements have no answer while a table is locked' ;; esac
said 'has not answered a question: '
[ "$(sessions t1)" = 1 ] || fail 'the lock was free before the questions ended'
let_go t1

# users that hold their own rows are changed, and do not delay another project
user "$group" t2 "$(role readWrite mine)"; gets_in t2
hold t1 "$(own_row t1)"; hold t2 "$(own_row t2)"
for name in t1 t2; do accepted PATCH "$api/$name" '{"roles":['"$(role read mine)"']}'; done
cluster "$other" c
user "$other" joe "$(role read x)"
port=$b; gets_in joe
until_so 'another project waits for locks' is "$other" c IDLE
server "$group" a
for name in t1 t2; do until_so "$name keeps a role that was taken away, or does not get in" only_reads $name; done

# a deleted user is out, although its session holds its row; also if two sessions take turns
hold t1 "$(own_row t1)"
accepted DELETE "$api/t1"
shut_out t1; until_so 'the role t1 stays' gone t1
: >"$dir/holding"
hold_again t2; hold_again t2
until_so 't2 does not hold its row' holds t2
accepted DELETE "$api/t2"
until_so 'the role t2 stays' gone t2
rm -f "$dir/holding"
for name in t1 t2; do kept_out $name >/dev/null 2>&1 || fail "the deleted user $name gets in"; done

# a user that has all connections that tenants can have is out, while its questions wait for locks
user "$group" filler "$(role readWrite mine)"; gets_in filler
hold_table() { as_admin 'begin; lock table mine.x in access exclusive mode; select pg_sleep(3600)'; }
hold_table >/dev/null 2>&1 &
until_so 'the table is not locked' holds svc_admin
full() { ! as filler 'select 1'; }
more() { as filler 'select pg_sleep(3600)' >/dev/null 2>&1 & full; }
until_so 'the connections do not run out' more
: >"$dir/asking"
asks() { while [ -e "$dir/asking" ]; do call GET "/$group/clusters/a/performanceAdvisor/schemaAdvice"; done; }
for _ in 1 2 3 4 5 6; do asks >/dev/null 2>&1 & done
accepted DELETE "$api/filler"
until_so 'the role filler stays' gone filler
rm -f "$dir/asking"
as_admin "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'" >/dev/null

# a user that holds its row loses what an invalid role, and another scope, take away
for change in '"roles":['"$(role enableSharding admin)"']' '"scopes":[{"name":"elsewhere","type":"CLUSTER"}]'; do
  user "$group" t3 "$(role readWrite mine)"; gets_in t3
  hold t3 "$(own_row t3)"
  accepted PATCH "$api/t3" "{$change}"
  shut_out t3; until_so "the role t3 stays: $change" gone t3
  accepted DELETE "$api/t3"
done

# what waits for the lock of another user on a table is done when the lock is free: the user is out
# at once, and its role later, although svcd has restarted in the meantime; a user that lost roles
# is out until then
user "$group" maker "$(role readWrite mine)"; user "$group" maker2 "$(role readWrite mine)"; user "$group" locker "$(role readWrite mine)"
for name in maker maker2 locker; do gets_in $name; done
as maker 'create table mine.made (n int); grant all on mine.made to locker'
as maker2 'create table mine.made2 (n int); grant all on mine.made2 to locker'
hold locker 'lock table mine.made, mine.made2 in access exclusive mode'
accepted DELETE "$api/maker"
accepted PATCH "$api/maker2" '{"roles":['"$(role read mine)"']}'
shut_out maker
said 'database user maker on the cluster a: a lock was not free within 2 seconds'
said 'database user maker2 on the cluster a: a lock was not free within 2 seconds'
shut_out maker2
grep 'an order for database user admin/maker2 has failed' "$dir/log" | grep -q 'a lock was not free' || fail 'the order has no reason'
stop; start
[ "$(sessions locker)" = 1 ] || fail 'the lock was free too early'
! gone maker || fail 'the role maker is gone in spite of the lock'
let_go locker
until_so 'the role maker stays, although the lock is free' gone maker
until_so 'maker2 keeps a role that was taken away, or does not get in' only_reads maker2
said 'which had failed, are as ordered now'
until_so 'a note about work that is done stays' sh -c "! ls '$dir/pg/control/$id' | grep -q mend"

# the driver's own schema is not for tenants; what an earlier version granted is taken back
user "$group" looker "$(role readWrite svc_stats)"
said 'the database name is reserved for the driver'
as_admin 'grant create, usage on schema svc_stats to locker'

# roles that are no users of the project are shut out when the roles of a server are completed,
# whatever their sessions, and those of the driver's first user, hold
as_admin "create role ghost login password 'a password of its own'"
hold ghost "$(own_row ghost)"
PGPASSWORD=$(cat "$dir/pg/control/$id/password") psql -X -h 127.0.0.1 -p "$port" -U svc -d postgres -Atq \
  -c "begin; alter role svc password '$(cat "$dir/pg/control/$id/password")'; select pg_sleep(3600)" >/dev/null 2>&1 &
until_so 'svc does not hold its row' holds svc
stop; printf 1 >"$dir/pg/control/$id/settled"; start
shut_out ghost
until_so 'a session of ghost stays' holds_not ghost
[ "$(as_admin "select has_schema_privilege('locker', 'svc_stats', 'create')")" = f ] || fail "a tenant keeps its right on the driver's schema"

# a server that cannot be set up is set up when the lock is free
as_admin "create role ghost2 login password 'a password of its own'"
as_admin 'begin; alter role svc connection limit -1; select pg_sleep(3600)' >/dev/null 2>&1 &
until_so 'the lock is not held' holds svc_admin
stop; printf 1 >"$dir/pg/control/$id/settled"; start
said 'cannot be set up: a lock was not free within 2 seconds'
as ghost2 'select 1' >/dev/null || fail 'the server was set up in spite of the lock'
as_admin "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'" >/dev/null
shut_out ghost2
said 'the roles of the server of .*, which had failed, are complete now'

# a server that hangs delays neither the start of the driver nor the work on others
postmaster=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
stop; kill -STOP "$postmaster"; start
cluster "$other" d
until_so 'a start with a server that hangs delays another project' is "$other" d IDLE
# the watch kills it, and it runs again
gets_in locker

# nor the end of svcd, while an order waits for it; the order is done later
postmaster=$(head -n 1 "$dir/pg/$id/data/postmaster.pid")
kill -STOP "$postmaster"
accepted PATCH "/$group/clusters/a" '{"paused":true}'
until_so 'the driver does not pause the cluster' [ -e "$dir/pg/control/$id/paused" ]
stop
! logged 'svcd did not stop within' || fail 'svcd does not end while an order waits for a server'
kill -CONT "$postmaster" || : # the watch has killed it if the order came late
start
until_so 'the order was forgotten' is "$group" a IDLE
until_so 'the server of a paused cluster runs' sh -c "! kill -0 $postmaster"
stop
