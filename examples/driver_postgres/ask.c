/*
** The table of the service's questions, with a function for each. Where the driver has no answer, it returns SVC_NOT_FOUND.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <string.h>

static const struct {
  const char *what;
  int (*tell)(driver_postgres *d, const svc_question *q, svc_reply *reply);
} ask_rows[] = {
  { "accessHistory", driver_logins },   { "collections", driver_collections }, { "list", driver_names },
  { "logs", driver_logs },              { "measure", driver_measure },         { "queryStats", driver_query_stats },
  { "series", driver_series },          { "slowQueries", driver_slow_queries },
};

int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_postgres *d = context;
  size_t i;
  (void)s;
  if (strcmp(q->resource, "cluster") != 0 || !driver_knows(d, q->resource_id, "made")) return SVC_NOT_FOUND;
  for (i = 0; i < sizeof ask_rows / sizeof ask_rows[0]; i++)
    if (strcmp(ask_rows[i].what, q->what) == 0) return ask_rows[i].tell(d, q, reply);
  return SVC_NOT_FOUND;
}
