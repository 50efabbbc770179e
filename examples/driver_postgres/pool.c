/*
** The pool: the threads that carry out orders, and start and repair servers.
**
** Work comes as tasks. A task names its lanes: the server that it works on, or the project whose
** files it writes; a restore names two servers. The tasks of a lane run one after the other, in the
** sequence in which they came. An order for several servers, such as that of a database user, adds
** a task for each server, so it waits for none of them while it works on another.
**
** The rule: a server that hangs delays the tasks of its own lane. A thread never waits for a lane:
** it takes a task only if all of its lanes are free, so tasks with two lanes cannot wait for each
** other. An organization uses at most DRIVER_SHARE threads, however many projects it has. Among the
** tasks that can run, the oldest of the organization with the fewest running tasks comes first.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ lanes */

/* Finds or adds a lane, for one more task. NULL: out of memory. The caller has d->lock. */
static driver_lane *pool_lane(driver_postgres *d, const char *id)
{
  driver_lane *l = d->lanes;
  while (l && strcmp(l->id, id) != 0) l = l->next;
  if (!l && (l = calloc(1, sizeof *l)) != NULL) {
    snprintf(l->id, sizeof l->id, "%s", id);
    l->next = d->lanes;
    d->lanes = l;
  }
  if (l) l->tasks++;
  return l;
}

static void pool_leave(driver_postgres *d, driver_lane *l)
{
  driver_lane **at = &d->lanes;
  if (!l || --l->tasks > 0) return;
  while (*at != l) at = &(*at)->next;
  *at = l->next;
  free(l);
}

static void pool_free(driver_postgres *d, driver_task *t)
{
  pool_leave(d, t->lanes[0]);
  pool_leave(d, t->lanes[1]);
  pool_leave(d, t->owner);
  free(t);
}

/* ------------------------------------------------------------------------------------------ tasks */

/* Adds a copy of the task. `second` may be NULL. Returns 0, or -1 if out of memory. The caller has
** d->lock. */
int driver_pool_add_locked(driver_postgres *d, const driver_task *like, const char *lane,
                           const char *second, const char *owner)
{
  driver_task *t = malloc(sizeof *t);
  if (!t) return -1;
  *t = *like;
  t->next = NULL;
  t->running = 0;
  t->lanes[0] = pool_lane(d, lane);
  t->lanes[1] = second && strcmp(second, lane) != 0 ? pool_lane(d, second) : NULL;
  t->owner = pool_lane(d, owner);
  if (!t->lanes[0] || !t->owner || (second && strcmp(second, lane) != 0 && !t->lanes[1])) {
    pool_free(d, t);
    return -1;
  }
  if (d->last) d->last->next = t;
  else d->first = t;
  d->last = t;
  if (t->order) t->order->pieces++;
  pthread_cond_signal(&d->more);
  return 0;
}

int driver_pool_add(driver_postgres *d, const driver_task *like, const char *lane,
                    const char *second, const char *owner)
{
  int status;
  pthread_mutex_lock(&d->lock);
  status = driver_pool_add_locked(d, like, lane, second, owner);
  pthread_mutex_unlock(&d->lock);
  return status;
}

/* Returns true if no earlier task of the list has one of the task's lanes, and marks them for the
** tasks behind it. */
static int pool_is_first(driver_postgres *d, driver_task *t)
{
  int i, first = 1;
  for (i = 0; i < 2; i++) {
    if (!t->lanes[i]) continue;
    if (t->lanes[i]->seen == d->searches) first = 0;
    t->lanes[i]->seen = d->searches;
  }
  return first;
}

/* Returns the task to run next; NULL: none can run now. The caller has d->lock. */
static driver_task *pool_next(driver_postgres *d)
{
  driver_task *t, *best = NULL;
  d->searches++;
  for (t = d->first; t && !(best && best->owner->running == 0); t = t->next) {
    /* a task that runs stays in the list, and so keeps its lanes */
    int first = pool_is_first(d, t);
    if (!first || t->running || t->owner->running >= DRIVER_SHARE) continue;
    if (!best || t->owner->running < best->owner->running) best = t;
  }
  return best;
}

static void pool_remove(driver_postgres *d, driver_task *t)
{
  driver_task **at = &d->first, *before = NULL;
  while (*at != t) before = *at, at = &before->next;
  *at = t->next;
  if (d->last == t) d->last = before;
  pool_free(d, t);
}

static void *pool_work(void *context)
{
  driver_postgres *d = context;
  driver_task *t;
  pthread_mutex_lock(&d->lock);
  while (!d->ending) {
    t = pool_next(d);
    if (!t) {
      pthread_cond_wait(&d->more, &d->lock);
      continue;
    }
    t->running = 1;
    t->owner->running++;
    pthread_mutex_unlock(&d->lock);
    t->run(d, t);
    if (t->own) driver_own_end(d, t->lanes[0]->id, t->own);
    pthread_mutex_lock(&d->lock);
    t->owner->running--;
    pool_remove(d, t);
    pthread_cond_broadcast(&d->more); /* its lanes are free, and its owner has a thread more */
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

/* ---------------------------------------------------------------------------------------- threads */

int driver_pool_begin(driver_postgres *d)
{
  while (d->thread_count < DRIVER_THREADS) {
    if (pthread_create(&d->threads[d->thread_count], NULL, pool_work, d) != 0) return -1;
    d->thread_count++;
  }
  return 0;
}

void driver_pool_join(driver_postgres *d)
{
  while (d->thread_count > 0) pthread_join(d->threads[--d->thread_count], NULL);
}

/* Drops the tasks that no thread has begun, and the orders that are not reported: the service sends
** these again when it is next opened. */
void driver_pool_free(driver_postgres *d)
{
  driver_order *o;
  while (d->first) pool_remove(d, d->first);
  while ((o = d->orders) != NULL) {
    d->orders = o->next;
    free(o->result.large);
    free(o->desired);
    free(o);
  }
}
