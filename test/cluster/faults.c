/*
** Histories while an instance or Redis is killed, PostgreSQL or PgBouncer is restarted, or several of these fail. Acknowledged writes are
** kept, the answers for each key are linearizable, and the service continues.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#define FAULTS_MOST_SILENT (8 * CLUSTER_SECOND) /* longest time without an acknowledged write, in all cases */

static void no_faults(void)
{
  cluster_pause(4000);
}

static void kill_an_instance(void)
{
  static int which;
  cluster_pause(2000);
  instance_kill(which);
  cluster_pause(3000);
  again(which);
  which = (which + 1) % CLUSTER_INSTANCES;
  cluster_pause(2000);
}

static void restart_postgres(void)
{
  cluster_pause(2000);
  instance_fault("postgres-restart");
  cluster_pause(4000);
}

static void kill_redis(void)
{
  cluster_pause(2000);
  instance_fault("redis-kill");
  cluster_pause(4000);
  instance_fault("redis-start");
  cluster_pause(3000);
}

static void everything(void)
{
  kill_an_instance();
  instance_fault("redis-kill");
  restart_postgres();
  instance_fault("redis-start");
  cluster_pause(2000);
}

static void restart_pooler(void)
{
  cluster_pause(2000);
  instance_fault("pooler-restart");
  cluster_pause(4000);
}

/* rounds: how often the case runs; pooled_rounds: the same in a run through PgBouncer. */
static const struct faults_kind {
  const char *what;
  void (*faults)(void);
  int rounds, pooled_rounds;
} kinds[] = { { "nothing happens", no_faults, 1, 1 }, { "kill -9 of an instance", kill_an_instance, 2, 1 },
              { "PostgreSQL restarts", restart_postgres, 2, 1 }, { "Redis is killed", kill_redis, 2, 0 },
              { "PgBouncer is killed", restart_pooler, 0, 1 }, { "all of it", everything, 2, 1 } };

void faults_all(const char *how, bool pooler)
{
  static unsigned seed = 100;
  size_t i;
  int round;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    for (round = 0; round < (pooler ? kinds[i].pooled_rounds : kinds[i].rounds); round++) {
      registers_report r;
      registers_run(site.port, &site.place, site.token, seed++, kinds[i].faults, &r);
      if (r.longest > FAULTS_MOST_SILENT)
        cluster_die("%s, %s: nothing was acknowledged for %.1f s", how, kinds[i].what, (double)r.longest / 1e9);
      pass("%s, %s: %zu operations on %zu keys, %zu unknown, linearizable; no write for %.0f ms at the most", how, kinds[i].what, r.ops, r.keys,
           r.unknown, (double)r.longest / 1e6);
    }
}
