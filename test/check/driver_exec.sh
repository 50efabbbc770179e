#!/bin/sh
# A driver that is a program (svcd --driver exec:COMMAND). First programs that break the protocol, each in its own way: svcd reports
# the error, restarts them, and keeps answering requests. Then examples/driver.py, which runs a redis-server per cluster:
# a cluster is created, redis-cli connects to the host of its connection string with the password that was given to the API, the driver and the
# server are killed and come back, a pause stops the server, and deleting leaves nothing behind.
. test/check/common
tool curl
tool python3
dir=$(mktemp -d /tmp/svc-exec-XXXXXX)
pids=
trace= # traceparent for call()
end() {
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill $pids 2>/dev/null || :
  for p in "$dir"/redis/*/redis.pid; do [ ! -f "$p" ] || kill -9 "$(cat "$p")" 2>/dev/null || :; done # servers left behind by a failure
  # shellcheck disable=SC2086
  [ -z "$pids" ] || wait $pids 2>/dev/null || :
  rm -rf "$dir"
}
trap end EXIT
fail() { echo "check/driver_exec: $*" >&2; [ ! -f "$at/log" ] || tail -n 40 "$at/log" >&2; exit 1; }

start() { # NAME COMMAND [FLAG]...: svcd with this driver, in a folder of this name; sets $at $pid $url $api, and $groupId
  at=$dir/$1; command=$2; shift 2; mkdir -p "$at"; : >"$at/out"
  build/svcd --data "$at/store" --listen http://127.0.0.1:0 --driver "exec:$command" "$@" >"$at/out" 2>>"$at/log" & pid=$!
  pids="$pids $pid"
  for _ in $(waits); do url=$(sed -n 's/^svcd ready on //p' "$at/out"); [ -z "$url" ] || break; sleep 0.05; done
  [ -n "$url" ] || fail 'svcd does not start'
  api=$url/api/svc/v2/groups/$(get groupId)
}
get() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$at/store/bootstrap.json"; }
call() { # METHOD PATH [BODY]: the body of the answer, the status in its last line
  curl -s -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} ${trace:+-H "traceparent: $trace"} "$api$2"
}
until_log() { # WORDS: waits until the log has them
  for _ in $(waits); do ! grep -qF -e "$1" "$at/log" || return 0; sleep 0.05; done
  fail "the log does not say '$1'"
}
stop() { # svcd ends within a time limit, and its program with it
  kill "$pid"
  for _ in $(waits); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
  ! kill -0 "$pid" 2>/dev/null || fail 'svcd does not end'
  wait "$pid" || fail "svcd ends with status $?"
  pids=$(for p in $pids; do [ "$p" = "$pid" ] || printf '%s ' "$p"; done)
}
cluster() { printf '{"name":"%s","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"%s","nodeCount":3}}]}]}' "$1" "${2:-M10}"; }
user() { printf '{"databaseName":"admin","username":"%s","password":"a password of its own","roles":[%s]}' "$1" "$2"; }
role() { printf '{"roleName":"%s","databaseName":"%s"}' "$1" "$2"; }
expect() { # STATUS METHOD PATH [BODY]
  want=$1; shift; answer=$(call "$@")
  case $answer in *"$want") ;; *) fail "$* answers $answer, not $want" ;; esac
}
wait_for() { # CLUSTER STATE: STATE may be "gone"
  for _ in $(waits); do
    answer=$(call GET "/clusters/$1"); state=$(printf %s "$answer" | sed -n 's/.*"stateName":"\([^"]*\)".*/\1/p' | head -n 1)
    case $answer in *404) state=gone ;; esac
    [ "$state" != "$2" ] || return 0
    sleep 0.1
  done
  fail "$1 is ${state:-nowhere}, not $2: $answer"
}

# ---------------------------------------------------------------------------------------------- programs that break the protocol

cat >"$dir/bad.py" <<'P'
import json, sys, time
def say(**line): print(json.dumps(line), flush=True)
mode, seen = sys.argv[1], sys.argv[2]
runs = 0
try: runs = int(open(seen + ".runs").read())
except OSError: pass
open(seen + ".runs", "w").write(str(runs + 1))
if mode == "declared": say(driver=1, secrets=["user.put"])
else: say(driver=1, future={"is": "ignored"})
print("words of the program", file=sys.stderr, flush=True)
if mode == "stranger":
    say(done={"id": "00000000000000000000beef", "result": "ok"}); say(reply={"id": "q999", "value": 1})
    say(report={"resource": "cluster", "id": "00000000000000000000beef", "facts": {}})
busy = set()
for line in sys.stdin:
    open(seen, "a").write(line)
    said = json.loads(line)
    if "question" in said and mode == "stranger": # knows only logs
        q = said["question"]
        say(reply={"id": q["id"], "value": ["a line", "caf\u00e9 \U0001f600"]} if q["what"] == "logs" else {"id": q["id"], "unknown": True})
    if "question" in said: continue # the others never reply
    if "order" not in said: continue
    order = said["order"]
    if mode == "dies" and runs == 0: sys.exit(7)
    if mode == "busy" and order["id"] not in busy:
        busy.add(order["id"]); say(done={"id": order["id"], "result": "busy", "reason": "later"}); continue
    if mode == "refused": say(done={"id": order["id"], "result": "failed", "reason": "it is caf\u00e9 \"time\""}); continue
    if order["action"] == "cluster.create": say(done={"id": order["id"], "result": "ok", "facts": {"hosts": ["127.0.0.1:9"]}})
    else: say(done={"id": order["id"], "result": "ok"})
P
bad() { printf 'exec python3 "%s" %s "%s"' "$dir/bad.py" "$1" "$dir/seen.$1"; }
breaches= # run in parallel, and are checked after all have started
breach() { # NAME COMMAND WORDS: svcd reports these words and restarts the program
  start "$1" "$2" --driver-timeout 1
  echo "$pid" >"$at/pid"; echo "$api" >"$at/api"; echo "$3" >"$at/words"; breaches="$breaches $1"
}
at=$dir
hello='echo "{\"driver\":1}"'
# the slowest programs start first and are checked last
cat >"$dir/deaf.py" <<'P'
import os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
while True: # some megabytes per second are written, and nothing is read
    sys.stdout.write('{"reply":{"id":"x","value":1}}\n' * 1000); sys.stdout.flush(); time.sleep(0.01)
P
start deaf "$hello; exec python3 '$dir/deaf.py' '$dir/deaf.pid'" --driver-timeout 1
deaf=$at deaf_pid=$pid
roles=$(for i in $(seq 100); do printf '%s,' "$(role read "$(printf 'database_with_a_name_of_its_own_and_of_some_length_%03d' "$i")")"; done)
for i in 1 2 3 4 5 6 7 8; do expect 201 POST /databaseUsers "$(user "many$i" "${roles%,}")"; done

breach silent 'sleep 100' 'no first line within 1000 ms'
breach version 'echo "{\"driver\":2}"; sleep 100' 'the program speaks: 2'
breach hello 'echo hello; sleep 100' 'must be a JSON object (got: hello)'
breach nothing "echo '{}'; sleep 100" 'the first line must be {"driver":1} (got: {})'
breach garbage "$hello; echo '{\"done\":'; sleep 100" 'must be a JSON object (got: {"done":)'
breach unknown "$hello; echo '{\"what\":1}'; sleep 100" 'a line must be a done, a reply or a report (got: {"what":1})'
breach deep "$hello; head -c 100000 /dev/zero | tr '\\0' '['; echo; sleep 100" 'must be a JSON object (got: [[[['
breach long "$hello; head -c 17000000 /dev/zero | tr '\\0' x; sleep 100" 'a line has more than 16777216 bytes'
breach half "$hello; echo '{\"report\":{\"resource\":\"cluster\"}}'; sleep 100" 'report must have resource, id and facts (got: {"report"'
breach result "$hello; echo '{\"done\":{\"id\":\"x\",\"result\":\"good\"}}'; sleep 100" 'a result that is ok, busy or failed (got: {"done"'
breach exits 'exit 3' 'the program ended with status 3'
breach closes "$hello; exec >&-; sleep 100" 'it has closed its standard output'
for name in $breaches; do
  at=$dir/$name; pid=$(cat "$at/pid"); api=$(cat "$at/api")
  until_log "$(cat "$at/words")"
  expect 200 GET ''
  until_log 'svcd restarts it in 1 s'
  until_log 'svcd restarts it in 2 s'
  stop
done

# a program that dies while it has an order gets the order again, as its second attempt; the log has its output
start dies "$(bad dies)" --driver-timeout 4 # Python starts slowly on a busy machine
trace=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
expect 201 POST /clusters "$(cluster shop)"
trace=
until_log 'the program ended with status 7; svcd restarts it in 1 s'
wait_for shop IDLE
until_log 'driver: words of the program'
[ "$(grep -c '"action":"cluster.create"' "$dir/seen.dies")" = 2 ] && grep -q '"attempt":2' "$dir/seen.dies" || fail "the order came $(cat "$dir/seen.dies")"
[ "$(grep -c '"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"' "$dir/seen.dies")" = 2 ] || fail "an order is without its traceparent: $(cat "$dir/seen.dies")"
case $answer in *'127.0.0.1:9'*) ;; *) fail "the facts are refused: $answer" ;; esac

# the program never replies: those who ask wait for four seconds, and other requests do not
host=$(call GET /processes | sed -n 's/.*"hostname":"\([^"]*\)".*/\1/p' | head -n 1)
begun=$(date +%s%N)
asked=
for _ in 1 2 3 4 5 6; do
  call GET "/clusters/${host:-127.0.0.1}/logs/db.gz" >/dev/null 2>&1 & asked="$asked $!"
done
expect 200 GET /clusters/shop
reads=$((($(date +%s%N) - begun) / 1000000))
# shellcheck disable=SC2086
wait $asked
took=$((($(date +%s%N) - begun) / 1000000))
[ "$took" -ge 3900 ] && [ "$took" -lt 12000 ] || fail "six questions without a reply take $took ms together"
[ "$reads" -lt 3900 ] || fail "a read waits $reads ms for questions"
until_log 'no reply to "logs" about cluster'
grep -qE 'slow request: [A-Za-z]+ took [0-9]+ ms.*, driver (39|[4-9][0-9])[0-9]{2} ms, rest' "$at/log" || fail 'a request that waits for the driver is not logged as slow'
stop

start stranger "$(bad stranger)"
until_log 'the program reported an order that it does not have, 00000000000000000000beef'
expect 201 POST /clusters "$(cluster shop)"
wait_for shop IDLE
curl -s --digest --user "$(get publicKey):$(get privateKey)" -H 'Accept: application/vnd.svc.2023-02-01+gzip' "$api/clusters/127.0.0.1/logs/db.gz" |
  gzip -dc >"$at/db"
[ "$(cat "$at/db")" = 'a line
café 😀' ] || fail "the log is $(cat "$at/db")"
expect 200 GET '/processes/127.0.0.1:9/measurements?granularity=PT1M&period=PT2M&m=CONNECTIONS' # no figures are known: a series without figures
case $answer in *'"value":1'*) fail "figures that were never measured: $answer" ;; esac
! grep -q 'svcd restarts it' "$at/log" || fail 'an unknown order id ends the program'
stop

start busy "$(bad busy)"
expect 201 POST /clusters "$(cluster shop)"
wait_for shop IDLE
[ "$(grep -c '"action":"cluster.create"' "$dir/seen.busy")" = 2 ] || fail 'an order that the program was too busy for came once'
stop

start refused "$(bad refused)"
expect 201 POST /databaseUsers "$(user app "$(role read shop)")"
until_log 'has failed: it is café "time"'
stop

# secrets: only of orders that the program names, and only if the host stores them
for what in declared:--seal-passwords undeclared:--seal-passwords declared:; do
  rm -f "$dir/seen.${what%:*}"
  start "secrets$what" "$(bad "${what%:*}")" ${what#*:}
  expect 201 POST /databaseUsers "$(user app "$(role read shop)")"
  case $answer in *'its own'*) fail 'a password is shown' ;; esac
  for _ in $(waits); do ! grep -q '"user.put"' "$dir/seen.${what%:*}" 2>/dev/null || break; sleep 0.05; done
  expect 200 PATCH /databaseUsers/admin/app '{"description":"changed"}'
  for _ in $(waits); do [ "$(grep -c '"user.put"' "$dir/seen.${what%:*}")" -lt 2 ] || break; sleep 0.05; done
  seen=$(grep -c '"secrets":{"password":"a password of its own"}' "$dir/seen.${what%:*}" || :)
  case $what in declared:--seal-passwords) want=2 ;; *) want=0 ;; esac
  [ "$seen" = "$want" ] || fail "$what: the password came $seen times, not $want"
  [ "$want" = 2 ] || ! grep -q 'its own' "$dir/seen.${what%:*}" || fail "$what: the password was passed in another way"
  stop
  ! grep -rq 'a password of its own' "$at" || fail 'a password is kept in clear, or logged'
done

at=$deaf pid=$deaf_pid # eight orders of 10 KB are more than a pipe holds
until_log 'it has not read for 6000 ms'
stop
! kill -0 "$(cat "$dir/deaf.pid")" 2>/dev/null || fail 'the program outlives svcd'

# ------------------------------------------------------------------------------------------------------------- examples/driver.py

command -v redis-server >/dev/null && command -v redis-cli >/dev/null || { echo "skipped: redis-server is not installed, so examples/driver.py was not run"; exit 0; }
python3 examples/driver.py --help | grep -q -- --folder || fail 'examples/driver.py --help does not say how it is used'
real() { start real "exec python3 examples/driver.py --folder '$dir/redis'" --seal-passwords --log-level info; }
server() { # CLUSTER: $id $port of its server, and $server_pid
  answer=$(call GET "/clusters/$1")
  id=$(printf %s "$answer" | sed -n 's/.*"groupId":"[0-9a-f]*","id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
  port=$(printf %s "$answer" | sed -n 's/.*"standard":"[a-z]*:\/\/127\.0\.0\.1:\([0-9]*\).*/\1/p' | head -n 1)
  [ -n "$id" ] && [ -n "$port" ] || fail "the cluster does not say where it is: $answer"
  server_pid=$(cat "$dir/redis/$id/redis.pid" 2>/dev/null || :)
}
runs() { kill -0 "$server_pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$server_pid/status" 2>/dev/null; }
redis() { # USER WORD...: at the port of the connection string
  who=$1; shift; REDISCLI_AUTH=${password:-a password of its own} timeout 5 redis-cli --no-auth-warning -h 127.0.0.1 -p "$port" --user "$who" "$@"
}
says() { # REPLY USER WORD...: waits for this reply
  want=$1; shift
  for _ in $(waits); do [ "$(redis "$@" 2>&1)" != "$want" ] || return 0; sleep 0.1; done
  fail "redis as $* says $(redis "$@" 2>&1), not $want"
}
refused() { case $(redis "$@" 2>&1) in *NOPERM*|*WRONGPASS*|*NOAUTH*) ;; *) fail "redis as $*: $(redis "$@" 2>&1)" ;; esac; }
driver_pid() { pgrep -P "$pid" | head -n 1; }

real
expect 201 POST /databaseUsers "$(user app "$(role readWrite shop)")"
expect 201 POST /clusters "$(cluster one)"
wait_for one IDLE
server one
case $answer in *'"standard":"redis://127.0.0.1:'*) ;; *) fail "the connection string is not one of Redis: $answer" ;; esac
says OK app set shop:a 42
says 42 app get shop:a
refused app set other:a 1
refused app keys '*'
refused app config get dir
refused default ping
password=wrong; refused app get shop:a; password=
expect 201 POST /databaseUsers "$(user reader "$(role read shop)")"
says 42 reader get shop:a
refused reader set shop:a 43
expect 201 POST /databaseUsers "$(user boss "$(role svcAdmin admin)")"
says 42 boss get shop:a
refused boss acl list
expect 200 PATCH /databaseUsers/admin/reader '{"password":"another password of mine"}'
password='another password of mine'; says 42 reader get shop:a; password=
refused reader get shop:a
expect 204 DELETE /databaseUsers/admin/reader
password='another password of mine'
for _ in $(waits); do case $(redis reader get shop:a 2>&1) in 42) sleep 0.1 ;; *) break ;; esac; done
refused reader get shop:a; password=
expect 201 POST /databaseUsers "$(user odd "$(role enableSharding admin)")"
until_log 'the role enableSharding has no counterpart in Redis'
! grep -rq 'a password of its own' "$dir/real" "$dir/redis" || fail 'a password is kept in clear, or logged'
curl -s --digest --user "$(get publicKey):$(get privateKey)" -H 'Accept: application/vnd.svc.2023-02-01+gzip' "$api/clusters/127.0.0.1/logs/db.gz" |
  gzip -dc | grep -q 'Ready to accept connections' || fail 'the log is not that of a server'

# the driver is killed while a cluster is being created: it restarts, and the order is not lost; the server keeps running
kill -9 "$(driver_pid)"
expect 201 POST /clusters "$(cluster two)"
until_log 'the program was ended by signal 9; svcd restarts it in 1 s'
runs || fail 'the server ended with the driver'
wait_for two IDLE
says 42 app get shop:a

# the server is killed: it restarts within seconds, with its data
kill -9 "$server_pid"
until_log 'the server of cluster one is down, and is started again'
says 42 app get shop:a
events() { call GET "/events?eventType=HOST_DOWN&eventType=HOST_UP" | grep -o '"eventTypeName":"HOST_[A-Z]*"' | tr '\n' ' '; }
for _ in $(waits); do case $(events) in *HOST_UP*HOST_DOWN*) break ;; esac; sleep 0.1; done
case $(events) in *HOST_UP*HOST_DOWN*) ;; *) fail "events do not tell of it: $(events)" ;; esac
! grep -q 'report.* is invalid' "$at/log" || fail 'a report is refused'

expect 200 PATCH /clusters/one '{"paused":true}'
server one
for _ in $(waits); do runs || break; sleep 0.1; done
! runs || fail 'a paused cluster runs'
wait_for one IDLE
expect 200 PATCH /clusters/one '{"paused":false}'
sleep 0.3
wait_for one IDLE
server one
says 42 app get shop:a

# svcd ends, and its program with it; the servers keep running, and the next svcd finds them
program=$(driver_pid)
stop
! kill -0 "$program" 2>/dev/null || fail 'the driver outlives svcd'
runs || fail 'the server ended with svcd'
real
says 42 app get shop:a
for name in one two; do
  server $name
  expect 202 DELETE /clusters/$name
  wait_for $name gone
  for _ in $(waits); do [ -e "$dir/redis/$id" ] || break; sleep 0.1; done
  [ ! -e "$dir/redis/$id" ] || fail "$name is gone, and its folder is not"
  ! runs || fail "$name is gone, and its process is not"
done
stop
