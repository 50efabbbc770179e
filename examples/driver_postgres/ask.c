/*
** Questions of the service, by one table.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

/* One figure of a cluster: {"metric":"CONNECTIONS"}. */
static int driver_measure(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char text[64], *name = NULL;
  int status = SVC_INVALID;
  int64_t value = 0;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{metric:%Q}", &name);
  if (name) status = driver_figure(d, q->resource_id, name, &value);
  free(name);
  if (status != SVC_OK) return status;
  snprintf(text, sizeof text, "{\"value\":%lld}", (long long)value);
  return svc_reply_add(reply, text, strlen(text));
}

int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_postgres *d = context;
  (void)s;
  if (!driver_is_id(q->resource_id)) return SVC_INVALID;
  if (strcmp(q->what, "measure") == 0) return driver_measure(d, q, reply);
  return strcmp(q->what, "logs") == 0 ? driver_logs(d, q, reply) : SVC_INVALID;
}
