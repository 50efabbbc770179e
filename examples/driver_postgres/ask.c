/*
** The table of the service's questions, with a function for each. Where the driver has no answer, it returns SVC_NOT_FOUND.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const struct {
  const char *what;
  int (*tell)(driver_postgres *d, const svc_question *q, svc_reply *reply);
} ask_rows[] = {
  { "accessHistory", driver_logins },   { "collections", driver_collections }, { "list", driver_names },
  { "logs", driver_logs },              { "measure", driver_measure },         { "queryStats", driver_query_stats },
  { "series", driver_series },          { "slowQueries", driver_slow_queries },
};

#define ASK_TURN 3 /* seconds that a question waits for its turn */

/* Waits until the server has less than DRIVER_QUESTIONS questions. Returns -1 after ASK_TURN. */
static int ask_begin(driver_postgres *d, const char *id)
{
  struct timespec until;
  driver_server *s;
  int late = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += ASK_TURN;
  pthread_mutex_lock(&d->servers_lock);
  while ((s = driver_server_make(d, id)) != NULL && s->questions >= DRIVER_QUESTIONS && !late)
    late = pthread_cond_timedwait(&d->released, &d->servers_lock, &until) == ETIMEDOUT;
  late = !s || s->questions >= DRIVER_QUESTIONS;
  if (!late) s->questions++;
  pthread_mutex_unlock(&d->servers_lock);
  return late ? -1 : 0;
}

static void ask_end(driver_postgres *d, const char *id)
{
  driver_server *s;
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_of(d, id); /* NULL: the server was deleted in the meantime */
  if (s && s->questions) s->questions--;
  pthread_cond_broadcast(&d->released);
  pthread_mutex_unlock(&d->servers_lock);
}

int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_postgres *d = context;
  const char *id = q->resource_id;
  size_t i, n = sizeof ask_rows / sizeof ask_rows[0];
  int code;
  (void)s;
  if (strcmp(q->resource, "cluster") != 0 || !driver_knows(d, id, "made")) return SVC_NOT_FOUND;
  for (i = 0; i < n && strcmp(ask_rows[i].what, q->what) != 0; i++) continue;
  if (i == n) return SVC_NOT_FOUND;
  if (ask_begin(d, id) != 0) {
    driver_say(d, SVC_LOG_WARNING, "postgres.no_answer",
               "postgres: the server of %s has not answered a question: %d others came first", id,
               DRIVER_QUESTIONS);
    return SVC_BUSY;
  }
  code = ask_rows[i].tell(d, q, reply);
  ask_end(d, id);
  return code;
}
