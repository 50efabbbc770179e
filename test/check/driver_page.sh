#!/bin/sh
# docs/driver.md and docs/driver.schema.json match the tables, and the program in the page is a working driver. The check extracts it from the page
# and svcd starts it: a cluster is created and gets the program's host in its connection string, questions get empty answers, the program is killed
# and restarts, and the cluster is deleted. The same is done with examples/driver.mjs, which was written from the page
# alone; the access history shows the connection that this program reports.
. test/check/common
tool curl
tool python3
python3 test/driver_page.py --check || fail 'the page for authors of drivers is outdated'
dir=$(mktemp -d /tmp/svc-page-XXXXXX)
pid=
end() { [ -z "$pid" ] || { kill "$pid" 2>/dev/null || :; wait "$pid" 2>/dev/null || :; }; rm -rf "$dir"; }
trap end EXIT
awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' docs/driver.md >"$dir/driver.py"
[ -s "$dir/driver.py" ] || fail 'docs/driver.md has no program'

get() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$dir/bootstrap.json"; }
call() { # METHOD PATH [BODY]: the body of the answer, the status in its last line
  curl -s -w '\n%{http_code}' --digest --user "$(get publicKey):$(get privateKey)" -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} "$url/api/svc/v2/groups/$(get groupId)$2"
}
until_says() { # WORDS METHOD PATH: waits until the answer has these words
  for _ in $(waits); do answer=$(call "$2" "$3"); case $answer in *"$1"*) return 0 ;; esac; sleep 0.05; done
  fail "$name: $3 answers $answer, without $1: $(cat "$dir/log")"
}
again() { # a killed program is restarted, remembers its clusters, and continues: after a change, the host is the same
  kill -9 "$(pgrep -P "$pid" | head -n 1)"
  call PATCH /clusters/Shop '{"terminationProtectionEnabled":false,"tags":[{"key":"a","value":"b"}]}' >/dev/null
  until_says '"stateName":"IDLE"' GET /clusters/Shop
  case $answer in *"$host"*) ;; *) fail "$name: the cluster has moved from $host: $answer" ;; esac
}
lives() { # NAME COMMAND [USER]: the whole life of a cluster
  name=$1; rm -rf "$dir/clusters"; : >"$dir/out"
  build/svcd --memory --bootstrap "$dir/bootstrap.json" --listen http://127.0.0.1:0 --driver "exec:$2" >"$dir/out" 2>"$dir/log" & pid=$!
  for _ in $(waits); do url=$(sed -n 's/^svcd ready on //p' "$dir/out"); [ -z "$url" ] || break; sleep 0.05; done
  call POST /clusters '{"name":"Shop","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS","regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}' >/dev/null
  until_says '"stateName":"IDLE"' GET /clusters/Shop
  case $answer in *'"standard":"'*'127.0.0.1:'*) ;; *) fail "$name: the host is in no connection string: $answer" ;; esac
  [ -n "$(ls "$dir/clusters")" ] || fail "$name: nothing is remembered"
  host=$(call GET /processes | sed -n 's/.*"id":"\(127[^"]*\)".*/\1/p' | head -n 1)
  until_says '"measurements":[' GET "/processes/$host/measurements?granularity=PT1M&period=PT2M&m=CONNECTIONS" # no figures are known, which is not an error
  [ -z "$3" ] || { curl -s -m 1 "telnet://$host" </dev/null >/dev/null || :; until_says "$3" GET /dbAccessHistory/clusters/Shop; } # the connection that it reports
  again
  call DELETE /clusters/Shop >/dev/null
  until_says '"error":404' GET /clusters/Shop
  [ -z "$(ls "$dir/clusters")" ] || fail "$name: a cluster is left behind"
  ! grep -q 'refused' "$dir/log" || fail "$name: the log says $(cat "$dir/log")"
  kill "$pid"; wait "$pid" || fail "$name: svcd ends with status $?"; pid=
  rm -f "$dir/bootstrap.json"
}

lives 'docs/driver.md' "exec python3 '$dir/driver.py' '$dir/clusters'" ''

if ! command -v node >/dev/null 2>&1; then
  echo 'skipped: node is not installed, so examples/driver.mjs was not run'
  exit 0
fi
lives 'examples/driver.mjs' "exec node examples/driver.mjs '$dir/clusters'" '"username":"guest"'
