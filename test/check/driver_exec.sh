#!/bin/sh
# A driver that is a program (svcd --driver exec:COMMAND). First programs that break the protocol, each in a way of its own: svcd says
# what is wrong, starts them again, and answers requests all the while. Then examples/driver.py, which runs a redis-server per cluster:
# a cluster is made, redis-cli gets to the host of its connection string by the password that was given to the API, the driver and the
# server are killed and come back, a pause stops the server, and what is deleted leaves nothing behind.
. test/check/common
tool curl
tool python3
dir=$(mktemp -d /tmp/svc-exec-XXXXXX)
pids=
end() {
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill $pids 2>/dev/null || :
  for p in "$dir"/redis/*/redis.pid; do [ ! -f "$p" ] || kill -9 "$(cat "$p")" 2>/dev/null || :; done # what a failure has left behind
  # shellcheck disable=SC2086
  [ -z "$pids" ] || wait $pids 2>/dev/null || :
  rm -rf "$dir"
}
trap end EXIT
fail() { echo "check/driver_exec: $*" >&2; [ ! -f "$at/log" ] || tail -n 40 "$at/log" >&2; exit 1; }

start() { # NAME COMMAND [FLAG]...: svcd with this driver, in a folder of this name; $at $pid $url $api, and $groupId
  at=$dir/$1; command=$2; shift 2; mkdir -p "$at"; : >"$at/out"
  build/svcd --data "$at/store" --listen http://127.0.0.1:0 --driver "exec:$command" "$@" >"$at/out" 2>>"$at/log" & pid=$!
  pids="$pids $pid"
  for _ in $(seq 100); do url=$(sed -n 's/^svcd ready on //p' "$at/out"); [ -z "$url" ] || break; sleep 0.05; done
  [ -n "$url" ] || fail 'svcd does not start'
  api=$url/api/svc/v2/groups/$(get groupId)
}
get() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$at/store/bootstrap.json"; }
call() { # METHOD PATH [BODY]: the body of the answer, the status in its last line
  curl -s -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} "$api$2"
}
until_log() { # WORDS: the log has them, within a while
  for _ in $(seq 200); do ! grep -qF -e "$1" "$at/log" || return 0; sleep 0.05; done
  fail "the log does not say '$1'"
}
stop() { # within a time, and its program with it
  kill "$pid"
  for _ in $(seq 160); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
  ! kill -0 "$pid" 2>/dev/null || fail 'svcd does not end'
  wait "$pid" || fail "svcd ends with status $?"
}
cluster() { printf '{"name":"%s","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"%s","nodeCount":3}}]}]}' "$1" "${2:-M10}"; }
user() { printf '{"databaseName":"admin","username":"%s","password":"a password of its own","roles":[%s]}' "$1" "$2"; }
role() { printf '{"roleName":"%s","databaseName":"%s"}' "$1" "$2"; }
expect() { # STATUS METHOD PATH [BODY]
  want=$1; shift; answer=$(call "$@")
  case $answer in *"$want") ;; *) fail "$* answers $answer, not $want" ;; esac
}
wait_for() { # CLUSTER STATE: gone, too
  for _ in $(seq 200); do
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
busy = set()
for line in sys.stdin:
    open(seen, "a").write(line)
    said = json.loads(line)
    if "question" in said: continue # never replies
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
breach() { # NAME COMMAND WORDS: it is told, and the program is started again
  start "$1" "$2" --driver-timeout 1
  until_log "$3"
  expect 200 GET ''
  until_log 'it is started again in 1 s'
  until_log 'it is started again in 2 s'
}
at=$dir
hello='echo "{\"driver\":1}"'
# those that take longest begin first, and are looked at last
start deaf "$hello; exec yes '{\"reply\":{\"id\":\"x\",\"value\":1}}'" --driver-timeout 1 --log-level warning
deaf=$at deaf_pid=$pid
roles=$(for i in $(seq 100); do printf '%s,' "$(role read "$(printf 'database_with_a_name_of_its_own_and_of_some_length_%03d' "$i")")"; done)
for i in 1 2 3 4 5 6 7 8; do expect 201 POST /databaseUsers "$(user "many$i" "${roles%,}")"; done

breach silent 'sleep 100' 'no first line within 1000 ms'; stop
breach version 'echo "{\"driver\":2}"; sleep 100' 'the program speaks: 2'; stop
breach hello 'echo hello; sleep 100' 'must be a JSON object (got: hello)'; stop
breach nothing "echo '{}'; sleep 100" 'the first line must be {"driver":1} (got: {})'; stop
breach garbage "$hello; echo '{\"done\":'; sleep 100" 'must be a JSON object (got: {"done":)'; stop
breach unknown "$hello; echo '{\"what\":1}'; sleep 100" 'a line must be a done, a reply or a report (got: {"what":1})'; stop
breach deep "$hello; head -c 100000 /dev/zero | tr '\\0' '['; echo; sleep 100" 'must be a JSON object (got: [[[['; stop
breach long "$hello; head -c 17000000 /dev/zero | tr '\\0' x; sleep 100" 'a line has more than 16777216 bytes'; stop
breach exits 'exit 3' 'the program ended with status 3'; stop
breach closes "$hello; exec >&-; sleep 100" 'it has closed its standard output'; stop

# a program that dies with an order gets it again, and then as its second attempt; its words are in the log
start dies "$(bad dies)" --driver-timeout 1
expect 201 POST /clusters "$(cluster shop)"
until_log 'the program ended with status 7; it is started again in 1 s'
wait_for shop IDLE
until_log 'driver: words of the program'
[ "$(grep -c '"action":"cluster.create"' "$dir/seen.dies")" = 2 ] && grep -q '"attempt":2' "$dir/seen.dies" || fail "the order came $(cat "$dir/seen.dies")"
case $answer in *'127.0.0.1:9'*) ;; *) fail "the facts are not taken: $answer" ;; esac

# it never replies: whoever asks waits for a second, and nobody else does
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
[ "$took" -ge 900 ] && [ "$took" -lt 4000 ] || fail "six questions that nobody replies to take $took ms together"
[ "$reads" -lt 900 ] || fail "a read waits $reads ms for questions"
until_log 'no reply to "logs" about cluster'
stop

start stranger "$(bad stranger)"
until_log 'done of an order that the program does not have, 00000000000000000000beef'
expect 201 POST /clusters "$(cluster shop)"
wait_for shop IDLE
! grep -q 'started again' "$at/log" || fail 'an unknown order id ends the program'
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

# secrets: of orders that the program names, and only if the host keeps them
for what in declared:--seal-passwords undeclared:--seal-passwords declared:; do
  rm -f "$dir/seen.${what%:*}"
  start "secrets$what" "$(bad "${what%:*}")" ${what#*:}
  expect 201 POST /databaseUsers "$(user app "$(role read shop)")"
  case $answer in *'its own'*) fail 'a password is shown' ;; esac
  for _ in $(seq 100); do ! grep -q '"user.put"' "$dir/seen.${what%:*}" 2>/dev/null || break; sleep 0.05; done
  expect 200 PATCH /databaseUsers/admin/app '{"description":"changed"}'
  for _ in $(seq 100); do [ "$(grep -c '"user.put"' "$dir/seen.${what%:*}")" -lt 2 ] || break; sleep 0.05; done
  seen=$(grep -c '"secrets":{"password":"a password of its own"}' "$dir/seen.${what%:*}" || :)
  case $what in declared:--seal-passwords) want=2 ;; *) want=0 ;; esac
  [ "$seen" = "$want" ] || fail "$what: the password came $seen times, not $want"
  [ "$want" = 2 ] || ! grep -q 'its own' "$dir/seen.${what%:*}" || fail "$what: the password came in another way"
  stop
  ! grep -rq 'a password of its own' "$at" || fail 'a password is kept in clear, or logged'
done

at=$deaf pid=$deaf_pid # eight orders of 10 KB are more than a pipe holds
until_log 'it has not read for 6000 ms'
stop
! pgrep -f 'yes {"reply":{"id":"x"' >/dev/null || fail 'a program is left'
