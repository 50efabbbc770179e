/*
** Opens and closes the PostgreSQL driver. driver_postgres.h describes what the driver does.
**
** The parts: files.c and programs.c (files and child processes), folder.c (the driver's folder),
** server.c; account.c, customs.c, grants.c, users.c and mend.c (database users); backup.c; orders.c
** and pool.c (the threads); watch.c with probe.c (servers that end or hang), limits.c (tiers);
** ask.c with series.c, sample.c, tables.c, queries.c, logs.c and logins.c (questions); text.c
** (growing texts).
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <unistd.h>

static void driver_free(driver_postgres *d)
{
  if (d->control >= 0) close(d->control);
  if (d->root >= 0) close(d->root);
  driver_pool_free(d);
  driver_servers_free(d);
  pthread_cond_destroy(&d->more);
  pthread_cond_destroy(&d->round);
  pthread_cond_destroy(&d->released);
  pthread_mutex_destroy(&d->lock);
  pthread_mutex_destroy(&d->servers_lock);
  pthread_mutex_destroy(&d->ports_lock);
  free(d);
}

/* Tells the threads to end. Programs that still run after DRIVER_GRACE are killed. */
static void open_end(driver_postgres *d)
{
  pthread_mutex_lock(&d->lock);
  d->ending = 1;
  d->stop_at = driver_now() + DRIVER_GRACE;
  pthread_cond_broadcast(&d->more);
  pthread_cond_signal(&d->round);
  pthread_mutex_unlock(&d->lock);
}

static int open_threads(driver_postgres *d)
{
  if (driver_resume(d) == 0 && driver_pool_begin(d) == 0 &&
      pthread_create(&d->watcher, NULL, driver_watch, d) == 0)
    return 0;
  open_end(d);
  driver_pool_join(d);
  return -1;
}

int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size)
{
  driver_postgres *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d) return snprintf(why, why_size, DRIVER_NO_MEMORY), -1;
  d->config = *config;
  d->root = d->control = -1;
  d->driver = (svc_driver){ .perform = driver_take, .ask = driver_ask, .context = d };
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->servers_lock, NULL);
  pthread_mutex_init(&d->ports_lock, NULL);
  pthread_cond_init(&d->more, NULL);
  pthread_cond_init(&d->round, NULL);
  pthread_cond_init(&d->released, NULL);
  if (driver_prepare(d, why, why_size) != 0) {
    driver_free(d);
    return -1;
  }
  if (open_threads(d) != 0) {
    driver_free(d);
    return snprintf(why, why_size, "no memory or no threads for the driver"), -1;
  }
  *out = d;
  return 0;
}

const svc_driver *driver_postgres_driver(driver_postgres *d)
{
  return &d->driver;
}

void driver_postgres_attach(driver_postgres *d, svc *s)
{
  if (!d) return;
  pthread_mutex_lock(&d->lock);
  d->s = s;
  pthread_mutex_unlock(&d->lock);
}

void driver_postgres_stop(driver_postgres *d)
{
  if (!d || d->ending) return;
  open_end(d);
  driver_pool_join(d);
  pthread_join(d->watcher, NULL);
}

void driver_postgres_close(driver_postgres *d)
{
  if (!d) return;
  driver_postgres_stop(d);
  driver_free(d);
}
