# test-cluster [SUBJECT]: two svcd on one PostgreSQL and one Redis, killed, drained and restarted under load, also with PgBouncer, TLS, sentinels and a cluster
#
# Checks that limits are exact in sum, that one of several concurrent creates of a name succeeds, and that histories of reads and writes are
# linearizable while svcd, PostgreSQL, PgBouncer and Redis are killed; that instances which disagree on key, vendor word or dialect are refused; and
# that draining, rolling restarts and a new secret key fail no request. Takes about five minutes. Builds svcd with WITH=postgres,redis in
# build/cluster; needs psql, pgbouncer, redis-server, redis-cli and openssl. test/cluster has a file for each subject.
# SUBJECT is one of together, faults, agree, rolling, pooler, tls, sentinel, nodes; only that subject runs.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

cluster_stop() { sh test/cluster/servers.sh stop || :; postgres_stop; }

# shellcheck disable=SC2086
verb() { # [SUBJECT]
  [ $# -le 1 ] || die 'test-cluster takes one subject'
  need redis-server redis-cli pgbouncer openssl
  deps $LIBRARY mongoose
  fold
  O=build/cluster
  build 'svcd, with PostgreSQL and Redis' svcd OPT=-O2 OUT=build/cluster
  build cluster cluster OPT=-O2
  # below the ephemeral ports of the system, including the additional 10000 for a cluster's bus
  SERVERS=$PWD/build/cluster/servers; PORTS=$((10000 + $$ % 1200 * 10)); export SERVERS PORTS
  mkdir -p "$SERVERS"
  sh test/cluster/servers.sh stop # servers of a run that was killed
  postgres_start '-c shared_buffers=128MB'
  pgbouncer_start 12
  trap cluster_stop EXIT
  PG_CTL="$(postgres_name) $PG_BIN/pg_ctl -D $PG/data -l $PG/log -m immediate -w restart"; PGBOUNCER="$(postgres_name) pgbouncer -q -d $PG/pool/pgbouncer.ini"
  POOLER=$PG/pool/pid; export PG_CTL PGBOUNCER POOLER
  rm -rf build/cluster/data "$SERVERS"; mkdir -p build/cluster/data "$SERVERS"
  sh test/cluster/servers.sh redis-start 9<&- || die "Redis does not start: $SERVERS/redis.log"
  tls="timeout=500&connect=1000&password_file=$SERVERS/password&ca=$SERVERS/ca.crt&cert=$SERVERS/client.crt&key=$SERVERS/client.key"
  CLUSTER_SVCD=$PWD/build/cluster/svcd CLUSTER_STORE="postgres:///postgres?host=$PG&user=svc" CLUSTER_FOLDER=$PWD/build/cluster/data \
    CLUSTER_POOLED="postgres:///postgres?host=$PG/pool&user=svc" CLUSTER_LIMITER="redis+unix://$SERVERS/redis.sock?timeout=200" \
    CLUSTER_TLS="rediss://svc@localhost:$PORTS?$tls" CLUSTER_TLS_WRONG="rediss://svc@127.0.0.1:$PORTS?$tls" \
    CLUSTER_SENTINEL="redis+sentinel://127.0.0.1:$((PORTS + 3))/main?timeout=300&connect=300" \
    CLUSTER_NODES="redis+cluster://127.0.0.1:$((PORTS + 5)),127.0.0.1:$((PORTS + 6))?timeout=300&connect=300" \
    CLUSTER_FAULTS=$PWD/test/cluster/servers.sh build/cluster/cluster "$@" 9<&-
}
