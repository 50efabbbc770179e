/*
** The watch: a thread that checks every server each second and restarts those that have ended.
**
** A server whose postmaster has ended is reported as down, started again, and reported as up, with
** its port, which may be a new one. A server that does not answer the probes (probe.c) for
** WATCH_SILENT is killed, and then restarted in the same way. A server that cannot be started is
** retried after 2, 4, ... 300 seconds, and the log has the reason. Each minute the watch takes a
** sample of figures (sample.c), and makes a server read-only that holds more than its disk.
**
** The rules: only one thread at a time works on a server. An order holds the server while it
** changes it; the watch skips held servers. The watch itself waits for a server only while it probes
** it: starts and samples are tasks of the pool.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WATCH_EVERY 1000   /* milliseconds between two rounds */
#define WATCH_SAMPLE 60    /* seconds between two samples */
#define WATCH_SILENT 4000  /* milliseconds without an answer; including a probe's timeout and a round, a hung server is found within 10 s */
#define WATCH_LONGEST 300  /* most seconds between two attempts to start a server */

/* ---------------------------------------------------------------------------------------------------------------- servers */

/* Finds the record of a server, or adds one with `make`. Returns NULL if it is missing or out of memory. The caller has d->servers_lock. */
static driver_server *watch_server(driver_postgres *d, const char *id, int make)
{
  driver_server *s = d->servers;
  while (s && strcmp(s->id, id) != 0) s = s->next;
  if (s || !make || (s = calloc(1, sizeof *s)) == NULL) return s;
  snprintf(s->id, sizeof s->id, "%.24s", id);
  s->told = DRIVER_UNTOLD;
  s->next = d->servers;
  return d->servers = s;
}

driver_server *driver_server_of(driver_postgres *d, const char *id)
{
  return watch_server(d, id, 0);
}

driver_server *driver_server_make(driver_postgres *d, const char *id)
{
  return watch_server(d, id, 1);
}

/* Holds a server for the calling thread. wait: waits until no other thread holds it. Returns 0 if another holds it, or out of memory. */
static int watch_take(driver_postgres *d, const char *id, int wait)
{
  driver_server *s;
  int taken = 0;
  pthread_mutex_lock(&d->servers_lock);
  while ((s = watch_server(d, id, 1)) != NULL && s->held && wait) pthread_cond_wait(&d->released, &d->servers_lock);
  if (s && !s->held) taken = s->held = 1;
  pthread_mutex_unlock(&d->servers_lock);
  return taken;
}

void driver_hold(driver_postgres *d, const char *id)
{
  watch_take(d, id, 1);
}

void driver_release(driver_postgres *d, const char *id)
{
  driver_server *s;
  pthread_mutex_lock(&d->servers_lock);
  s = watch_server(d, id, 0);
  if (s) {
    s->held = 0;
    s->pid = 0; /* the order may have restarted the server */
  }
  pthread_cond_broadcast(&d->released);
  pthread_mutex_unlock(&d->servers_lock);
}

static void watch_free(driver_server *s)
{
  driver_probe_end(s);
  free(s->minutes);
  free(s->halves);
  free(s);
}

void driver_server_gone(driver_postgres *d, const char *id)
{
  driver_server **at, *s;
  pthread_mutex_lock(&d->servers_lock);
  for (at = &d->servers; *at && strcmp((*at)->id, id) != 0;) at = &(*at)->next;
  s = *at;
  if (s) *at = s->next;
  if (s) watch_free(s);
  pthread_cond_broadcast(&d->released);
  pthread_mutex_unlock(&d->servers_lock);
}

void driver_servers_free(driver_postgres *d)
{
  driver_server *s;
  while ((s = d->servers) != NULL) {
    d->servers = s->next;
    watch_free(s);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- reports */

static int watch_report(driver_postgres *d, const char *id, const char *facts)
{
  char group[32], name[64];
  svc *s;
  pthread_mutex_lock(&d->lock);
  s = d->s;
  pthread_mutex_unlock(&d->lock);
  if (!s) return SVC_BUSY;
  if (driver_read(d, id, "group", group, sizeof group) != 0) return SVC_NOT_FOUND;
  snprintf(name, sizeof name, "%s/%s", group, id);
  return svc_report(s, driver_knows(d, id, "flex") ? "flex cluster" : "cluster", name, facts);
}

/* True if the report may be repeated later. Unknown resources and invalid facts would fail again. */
static int watch_later(int code)
{
  return code != SVC_OK && code != SVC_NOT_FOUND && code != SVC_INVALID;
}

static void watch_told(driver_postgres *d, driver_server *s, int up)
{
  pthread_mutex_lock(&d->servers_lock);
  s->told = up;
  pthread_mutex_unlock(&d->servers_lock);
}

/* Reports the address of the server, then whether it runs, unless reported before. A failed report is repeated in the next round. */
static void watch_tell(driver_postgres *d, driver_server *s, int up)
{
  char port[16], facts[512], how[256];
  if (driver_read(d, s->id, "port", port, sizeof port) != 0) return;
  driver_speaks(d, how, sizeof how);
  snprintf(facts, sizeof facts, "{\"hosts\":[\"127.0.0.1:%s\"]%s}", port, how);
  if (up && s->told_port != atoi(port) && watch_later(watch_report(d, s->id, facts))) return;
  if (up) s->told_port = atoi(port);
  snprintf(facts, sizeof facts, "{\"processes\":[{\"host\":\"127.0.0.1:%s\",\"up\":%s}]}", port, up ? "true" : "false");
  if (s->told != up && !watch_later(watch_report(d, s->id, facts))) watch_told(d, s, up);
}

/* ------------------------------------------------------------------------------------------------------------------ alive */

/* Returns true if the postmaster runs. The start time tells it from a later process that has the same process id. */
static int watch_alive(driver_postgres *d, driver_server *s)
{
  int64_t started;
  if (!s->pid) {
    s->pid = driver_postmaster(d, s->id);
    s->started = s->pid ? driver_process(d, s->pid) : 0;
    return s->started != 0;
  }
  started = driver_process(d, s->pid);
  if (started && started == s->started) return 1;
  s->pid = 0;
  return 0;
}

/* Returns true if the server answers, or was silent for less than WATCH_SILENT. Kills a hung server; PostgreSQL
** recovers at the next start. */
static int watch_answers(driver_postgres *d, driver_server *s)
{
  int64_t now = driver_now();
  if (driver_answers(d, s)) s->silent = 0;
  else if (!s->silent) s->silent = now;
  if (!s->silent || driver_now() - s->silent < WATCH_SILENT) return 1;
  driver_say(d, SVC_LOG_ERROR, "postgres.killed", "postgres: the server of %s does not answer, and the driver kills it", s->id);
  driver_kill(d, s->pid);
  driver_probe_end(s);
  s->pid = 0;
  s->silent = 0;
  return 0;
}

/* ---------------------------------------------------------------------------------------------------------------- restart */

/* Queues a task of the driver's own for a server (DRIVER_OWN_START, ...), unless it is queued or runs.
** Returns 0, or -1 if out of memory. */
int driver_own_later(driver_postgres *d, const char *id, int own,
                     void (*run)(driver_postgres *d, driver_task *t))
{
  const driver_task like = { .run = run, .own = own };
  char owner[32];
  driver_server *s;
  int queued;
  if (driver_owner(d, id, owner) != 0) return 0;
  pthread_mutex_lock(&d->servers_lock);
  s = watch_server(d, id, 1);
  queued = s && s->own & own;
  if (s) s->own |= own;
  pthread_mutex_unlock(&d->servers_lock);
  if (queued || (s && driver_pool_add(d, &like, id, NULL, owner) == 0)) return 0;
  driver_own_end(d, id, own);
  return -1;
}

void driver_own_end(driver_postgres *d, const char *id, int own)
{
  driver_server *s;
  pthread_mutex_lock(&d->servers_lock);
  s = watch_server(d, id, 0); /* NULL: the server was deleted in the meantime */
  if (s) s->own &= ~own;
  pthread_mutex_unlock(&d->servers_lock);
}

static driver_server *watch_find(driver_postgres *d, const char *id)
{
  driver_server *s;
  pthread_mutex_lock(&d->servers_lock);
  s = watch_server(d, id, 0);
  pthread_mutex_unlock(&d->servers_lock);
  return s;
}

/* Starts a server that has ended. The calling thread holds it. */
static void watch_restart(driver_postgres *d, driver_server *s)
{
  char group[32];
  int good = driver_start(d, s->id) == 0;
  if (good && !driver_knows(d, s->id, "settled") && driver_read(d, s->id, "group", group, sizeof group) == 0) driver_settle(d, group, s->id);
  if (good) {
    s->restarts++;
    driver_say(d, SVC_LOG_WARNING, "postgres.started", "postgres: the server of %s runs again", s->id);
    if (watch_alive(d, s)) watch_tell(d, s, 1);
    return;
  }
  if (s->tries < 9) s->tries++;
  s->try_at = driver_now() + 1000 * (1 << s->tries < WATCH_LONGEST ? 1 << s->tries : WATCH_LONGEST);
}

/* A task: starts a server that has ended. An order may have started, stopped or deleted it in the
** meantime. */
static void watch_restart_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id;
  driver_server *s;
  if (driver_knows(d, id, "made")) {
    driver_hold(d, id);
    s = watch_find(d, id);
    if (s && driver_knows(d, id, "made") && !driver_knows(d, id, "paused") && !watch_alive(d, s) &&
        !driver_stopping(d))
      watch_restart(d, s);
    driver_release(d, id);
  }
}

/* Reports a server that has ended, and has it started when its time has come. */
static void watch_ended(driver_postgres *d, driver_server *s)
{
  int64_t now = driver_now();
  if (s->told != 0) {
    driver_say(d, SVC_LOG_ERROR, "postgres.ended", "postgres: the server of %s has ended unexpectedly, and the driver restarts it", s->id);
    s->tries = 0;
    s->try_at = now;
  }
  watch_tell(d, s, 0);
  if (now >= s->try_at) driver_own_later(d, s->id, DRIVER_OWN_START, watch_restart_task);
}

/* ------------------------------------------------------------------------------------------------------------------- disk */

static const char watch_full[] =
  "alter system set default_transaction_read_only = on;\nselect pg_reload_conf() \\g /dev/null\n";
static const char watch_free_again[] =
  "alter system reset default_transaction_read_only;\nselect pg_reload_conf() \\g /dev/null\n";

/* Makes a server read-only that holds more than its disk, until a twentieth of the disk is free again. The setting is in the server's data
** folder: it outlives svcd and comes with a restored snapshot. So the sample has it, and no variable of svcd. */
static void watch_disk(driver_postgres *d, const driver_server *s, const driver_sample *sample)
{
  const int64_t used = sample->figures[DRIVER_F_DISK_USED];
  const int was = sample->figures[DRIVER_F_READ_ONLY] != 0;
  driver_limits limits;
  char said[256];
  int full;
  driver_limits_of(d, s->id, &limits);
  full = limits.disk && (used > limits.disk || (was && used > limits.disk / 20 * 19));
  if (full == was) return;
  if (driver_sql(d, DRIVER_QUESTION, s->id, full ? watch_full : watch_free_again, said,
                 sizeof said) != 0)
    return;
  driver_say(d, SVC_LOG_WARNING, "postgres.disk_full", "postgres: the server of %s holds %lld bytes, and its disk has %lld: %s", s->id, (long long)used,
             (long long)limits.disk, full ? "the server is read-only" : "the server accepts writes again");
}

/* ----------------------------------------------------------------------------------------------------------------- rounds */

/* A task: takes a sample of a server, and bounds its disk and its log. */
static void watch_sample_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id;
  driver_server *s;
  driver_sample taken;
  if (driver_knows(d, id, "made") && !driver_knows(d, id, "paused")) {
    driver_hold(d, id);
    s = watch_find(d, id);
    if (s && watch_alive(d, s) && driver_sample_take(d, s, &taken) == 0) {
      taken.at = (int64_t)time(NULL);
      pthread_mutex_lock(&d->servers_lock);
      driver_sample_keep(s, &taken);
      pthread_mutex_unlock(&d->servers_lock);
      watch_disk(d, s, &taken);
      driver_log_bound(d, id);
    }
    driver_release(d, id);
  }
}

/* Queues a sample once a minute. */
static void watch_sample(driver_postgres *d, driver_server *s)
{
  int64_t now = (int64_t)time(NULL);
  if (s->sampled / WATCH_SAMPLE == now / WATCH_SAMPLE) return;
  s->sampled = now;
  driver_own_later(d, s->id, DRIVER_OWN_SAMPLE, watch_sample_task);
}

/* Checks one server. While the watch holds it, no order can delete its record, so `s` stays valid without the lock. */
static void watch_one(driver_postgres *d, const char *id)
{
  driver_server *s;
  int starting;
  if (!watch_take(d, id, 0)) return;
  pthread_mutex_lock(&d->servers_lock);
  s = watch_server(d, id, 0);
  starting = s->own & DRIVER_OWN_START;
  pthread_mutex_unlock(&d->servers_lock);
  if (!driver_knows(d, id, "made") || driver_knows(d, id, "paused")) {
    watch_told(d, s, DRIVER_UNTOLD);
  } else if (!starting && watch_alive(d, s) && watch_answers(d, s)) {
    watch_tell(d, s, 1);
    if (!s->silent) watch_sample(d, s);
    if (!s->silent) driver_mend_due(d, id);
  } else if (!starting && !driver_stopping(d)) {
    watch_ended(d, s); /* a driver that stops runs no programs, so it cannot tell */
  }
  pthread_mutex_lock(&d->servers_lock);
  s->held = 0;
  pthread_cond_broadcast(&d->released);
  pthread_mutex_unlock(&d->servers_lock);
}

static int watch_ends(driver_postgres *d)
{
  int ending;
  pthread_mutex_lock(&d->lock);
  ending = d->ending;
  pthread_mutex_unlock(&d->lock);
  return ending;
}

static void watch_round(driver_postgres *d)
{
  DIR *folder = driver_list(d->control, ".");
  char id[32];
  while (!watch_ends(d) && driver_next(folder, id)) watch_one(d, id);
  if (folder) closedir(folder);
}

void *driver_watch(void *context)
{
  driver_postgres *d = context;
  struct timespec until;
  int ending;
  do {
    watch_round(d);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WATCH_EVERY / 1000;
    pthread_mutex_lock(&d->lock);
    if (!d->ending) pthread_cond_timedwait(&d->round, &d->lock, &until);
    ending = d->ending;
    pthread_mutex_unlock(&d->lock);
  } while (!ending);
  return NULL;
}
