# test-cluster: two svcd on one PostgreSQL and one Redis, killed and restarted under load
#
# Checks that limits are exact in sum, that of concurrent creates of one name one succeeds, and that histories of reads and writes are
# linearizable while svcd, PostgreSQL and Redis are killed. Builds svcd with WITH=postgres,redis in build/cluster; needs psql, redis-server
# and redis-cli.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

redis_stop() { if [ -s "$1.pid" ]; then kill -9 "$(cat "$1.pid")" 2>/dev/null || :; rm -f "$1.pid" "$1.sock"; fi; }

# shellcheck disable=SC2086
verb() {
  need redis-server redis-cli
  deps $LIBRARY mongoose
  fold
  O=build/cluster
  build 'svcd, with PostgreSQL and Redis' svcd OPT=-O2 OUT=build/cluster
  build cluster cluster OPT=-O2
  postgres_start '-c shared_buffers=128MB'
  R=$PWD/build/cluster/redis
  redis_stop "$R" # of a run that was killed
  trap 'redis_stop "$R"; postgres_stop' EXIT
  rm -rf build/cluster/data; mkdir -p build/cluster/data
  cat >build/cluster/faults.sh <<FAULTS
# what build/cluster/cluster does to the servers it stands on
case \$1 in
  postgres-restart) cd / && $(postgres_name) '$PG_BIN/pg_ctl' -D '$PG/data' -l '$PG/log' -m immediate -w restart >/dev/null ;;
  redis-kill) kill -9 "\$(cat '$R.pid')"; rm -f '$R.pid' ;;
  redis-start)
    redis-server --port 0 --unixsocket '$R.sock' --save '' --appendonly no --daemonize yes --pidfile '$R.pid' --logfile '$R.log' --dir /tmp
    n=0; until redis-cli -s '$R.sock' ping >/dev/null 2>&1; do n=\$((n + 1)); [ \$n -lt 100 ] || exit 1; sleep 0.1; done ;;
  *) exit 2 ;;
esac
FAULTS
  sh build/cluster/faults.sh redis-start 9<&- || die "Redis does not start: $R.log"
  CLUSTER_SVCD=$PWD/build/cluster/svcd CLUSTER_STORE="postgres:///postgres?host=$PG&user=svc" CLUSTER_FOLDER=$PWD/build/cluster/data \
    CLUSTER_LIMITER="redis+unix://$R.sock?timeout=200" CLUSTER_FAULTS=$PWD/build/cluster/faults.sh build/cluster/cluster 9<&-
}
