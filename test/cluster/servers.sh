#!/bin/sh
# servers.sh VERB: starts, kills and changes the servers that build/cluster/cluster uses. ./build.sh test-cluster sets the variables:
#
#   SERVERS       a folder for all of them
#   PORTS         the first of ten ports of this machine that they use
#   PG_CTL        the command that restarts PostgreSQL
#   PGBOUNCER     the command that starts PgBouncer; its process id is in the file POOLER
#
# The rule: a server is ended by its own process id, which it has written into $SERVERS/NAME.pid.
set -eu
S=$SERVERS

running() { [ -s "$S/$1.pid" ] && kill -0 "$(cat "$S/$1.pid")" 2>/dev/null; } # NAME
end() { if running "$1"; then kill -9 "$(cat "$S/$1.pid")" 2>/dev/null || :; fi; rm -f "$S/$1.pid"; } # NAME
until_true() { n=0; until "$@" >/dev/null 2>&1; do n=$((n + 1)); [ $n -lt 200 ] || { echo "servers.sh: $* does not become true" >&2; exit 1; }; sleep 0.1; done; }

start() { # NAME LINE...: a redis-server with these settings
  name=$1; shift
  { printf '%s\n' "$@" "save \"\"" 'appendonly no' 'daemonize yes' "pidfile $S/$name.pid" "logfile $S/$name.log" "dir $S"; } >"$S/$name.conf"
  case $name in sentinel) redis-server "$S/$name.conf" --sentinel ;; *) redis-server "$S/$name.conf" ;; esac >/dev/null
}

port() { echo $((PORTS + $1)); }
ask() { p=$1; shift; redis-cli -e -p "$(port "$p")" "$@"; } # NUMBER WORD...: the status also reports an error
answers() { [ "$(ask "$1" ping 2>/dev/null)" = PONG ]; }
says() { number=$1; word=$2; shift 2; ask "$number" "$@" | tr -d '\r' | grep -q "$word"; } # NUMBER WORD COMMAND...

node() { # NUMBER: starts a node of the cluster
  start "node$1" "port $(port "$1")" 'bind 127.0.0.1' 'cluster-enabled yes' "cluster-config-file nodes$1" 'cluster-node-timeout 1500' \
    'cluster-require-full-coverage no' 'repl-diskless-sync-delay 0'
  until_true answers "$1"
}

move_key() { # FROM TO KEY: moves the key's slot, with everything in it
  slot=$(ask "$1" cluster keyslot "$3"); from=$(ask "$1" cluster myid); to=$(ask "$2" cluster myid)
  ask "$2" cluster setslot "$slot" importing "$from"
  ask "$1" cluster setslot "$slot" migrating "$to"
  while keys=$(ask "$1" cluster getkeysinslot "$slot" 10) && [ -n "$keys" ]; do
    # shellcheck disable=SC2086
    ask "$1" migrate 127.0.0.1 "$(port "$2")" '' 0 5000 keys $keys
  done
  ask "$2" cluster setslot "$slot" node "$to"
  ask "$1" cluster setslot "$slot" node "$to"
}

moved_some=
move_some() { # moves each key of the limiter to the next node
  for i in 5 6 7; do
    for key in $(ask $i --scan --pattern 'svc:*'); do
      case " $moved_some " in *" $key "*) continue ;; esac
      move_key $i $((i < 7 ? i + 1 : 5)) "$key"
      moved_some="$moved_some $key"
    done
  done
  [ -n "$moved_some" ] || { echo 'servers.sh: no key is in the cluster' >&2; exit 1; }
}

case $1 in
  postgres-restart) cd / && $PG_CTL >/dev/null ;;
  pooler-restart)
    kill -9 "$(cat "$POOLER")"; rm -f "$POOLER"
    cd / && $PGBOUNCER >/dev/null; until_true test -s "$POOLER" ;;
  redis-kill) end redis ;;
  redis-start)
    start redis 'port 0' "unixsocket $S/redis.sock"
    until_true redis-cli -s "$S/redis.sock" ping ;;
  tls-start)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority -keyout "$S/ca.key" -out "$S/ca.crt" 2>/dev/null
    for subject in localhost client; do
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=$subject -keyout "$S/$subject.key" -out "$S/$subject.csr" 2>/dev/null
      echo "subjectAltName=DNS:$subject" | openssl x509 -req -in "$S/$subject.csr" -CA "$S/ca.crt" -CAkey "$S/ca.key" -CAcreateserial -days 2 -extfile /dev/stdin \
        -out "$S/$subject.crt" 2>/dev/null
    done
    echo geheim >"$S/password"
    start tls 'port 0' "tls-port $(port 0)" 'bind 127.0.0.1' "tls-cert-file $S/localhost.crt" "tls-key-file $S/localhost.key" "tls-ca-cert-file $S/ca.crt" \
      'tls-auth-clients yes' 'user default off' 'user svc on >geheim ~svc:* &* +@all'
    until_true test -s "$S/tls.pid" ;;
  sentinel-start)
    start master "port $(port 1)" 'bind 127.0.0.1' 'repl-diskless-sync-delay 0'
    until_true answers 1
    start replica "port $(port 2)" 'bind 127.0.0.1' "replicaof 127.0.0.1 $(port 1)"
    start sentinel "port $(port 3)" 'bind 127.0.0.1' "sentinel monitor main 127.0.0.1 $(port 1) 1" 'sentinel down-after-milliseconds main 500' \
      'sentinel failover-timeout main 3000'
    until_true says 2 'master_link_status:up' info replication
    until_true says 3 'slaves=1' info sentinel ;;
  sentinel-kill) end master ;;
  nodes-start) exec >/dev/null # three nodes with slots, and a replica that can replace the last
    for i in 5 6 7 8; do node $i; done
    ask 5 cluster addslotsrange 0 5460; ask 6 cluster addslotsrange 5461 10922; ask 7 cluster addslotsrange 10923 16383
    for i in 6 7 8; do ask 5 cluster meet 127.0.0.1 "$(port $i)"; done
    last=$(ask 7 cluster myid)
    until_true says 8 "$last" cluster nodes
    until_true says 8 OK cluster replicate "$last"
    for i in 5 6 7 8; do until_true says $i 'cluster_state:ok' cluster info; done
    until_true says 8 'master_link_status:up' info replication ;;
  nodes-move) move_some >/dev/null ;;
  nodes-kill) # the node that has all keys in use, like its replica
    { for i in 5 6; do for key in $(ask $i --scan --pattern 'svc:*'); do move_key $i 7 "$key"; done; done; } >/dev/null
    [ -n "$(ask 7 --scan --pattern 'svc:*')" ] || { echo 'servers.sh: no key is on the node to be killed' >&2; exit 1; }
    ask 7 wait 1 1000 >/dev/null
    end node7 ;;
  stop) for f in "$S"/*.pid; do if [ -f "$f" ]; then f=${f##*/}; end "${f%.pid}"; fi; done ;;
  *) echo "servers.sh: no verb '$1'" >&2; exit 2 ;;
esac
