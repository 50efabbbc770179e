/*
** Orders: the table of actions, the queue, and the thread that carries out the orders one after the other.
**
** The rule: perform() only queues. An order stays in the queue until it is done, so that it is never accepted twice.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Sets the reason of a failed order. Returns -1. */
int driver_fail(driver_result *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(r->why, sizeof r->why, format, args);
  va_end(args);
  return -1;
}

/* Writes the facts of a cluster: the address of its server, how clients connect, and the size of its data if known. */
static void driver_hosts(driver_postgres *d, const char *id, driver_result *r)
{
  char port[16], how[256];
  int64_t size = 0;
  if (driver_read(d, id, "port", port, sizeof port) != 0) return;
  driver_speaks(d, how, sizeof how);
  snprintf(r->facts, sizeof r->facts, "{\"hosts\":[\"127.0.0.1:%s\"]%s}", port, how);
  if (driver_figure(d, id, "DB_DATA_SIZE_TOTAL", &size) == SVC_OK)
    snprintf(r->facts, sizeof r->facts, "{\"dataSizeBytes\":%lld,\"hosts\":[\"127.0.0.1:%s\"]%s}", (long long)size, port, how);
}

static bool driver_is_true(const driver_order *o, const char *format)
{
  bool value = false;
  json_scanf(o->desired, (int)strlen(o->desired), format, &value);
  return value;
}

static int driver_cluster(driver_postgres *d, const driver_order *o, driver_result *r)
{
  int status, again;
  if (driver_is_true(o, "{paused:%B}")) {
    driver_write(d, o->resource_id, "paused", "1");
    return driver_stop(d, o->resource_id);
  }
  driver_unlink(d, o->resource_id, "paused");
  if (strncmp(o->action, "flex.", 5) == 0) driver_write(d, o->resource_id, "flex", "1"); /* reports name it a flex cluster */
  again = driver_limits_put(d, o->resource_id, o->desired) | driver_is_true(o, "{restartPrimaries:%B}");
  if (again && driver_knows(d, o->resource_id, "made")) driver_stop(d, o->resource_id); /* driver_make() starts it with the new settings */
  status = driver_make(d, o->resource_id, o->group_id, o->name);
  driver_hosts(d, o->resource_id, r);
  return status;
}

static int driver_delete(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)r;
  if (driver_stop(d, o->resource_id) != 0 || driver_remove_server(d, o->resource_id) != 0) return -1;
  driver_forget(d, o->resource_id);
  driver_limits_gone(o->resource_id);
  driver_server_gone(d, o->resource_id);
  return 0;
}

/* Fails an order that moves data from or to another system, because this driver has no connection to one. */
static int driver_cannot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)d;
  return driver_fail(r, "this driver has no way to do %s", o->action);
}

/* The server that orders_run() holds during an order, so that the watch skips it: none, that of the resource, or that of its parent. */
enum orders_hold { ORDERS_NONE, ORDERS_OWN, ORDERS_PARENT };

static const struct {
  const char *action;
  int (*run)(driver_postgres *d, const driver_order *o, driver_result *r);
  int holds;
} driver_actions[] = {
  { "cluster.create", driver_cluster, ORDERS_OWN },
  { "cluster.update", driver_cluster, ORDERS_OWN },
  { "cluster.delete", driver_delete, ORDERS_OWN },
  { "flex.create", driver_cluster, ORDERS_OWN },
  { "flex.delete", driver_delete, ORDERS_OWN },
  { "snapshot.take", driver_snapshot, ORDERS_PARENT },
  { "snapshot.delete", driver_forget_snapshot, ORDERS_NONE },
  { "restore.run", driver_restore, ORDERS_NONE }, /* holds the target server itself */
  { "user.put", driver_user, ORDERS_NONE },       /* holds one server after the other itself */
  { "user.delete", driver_forget_user, ORDERS_NONE },
  { "role.put", driver_custom_put, ORDERS_NONE },
  { "role.delete", driver_custom_gone, ORDERS_NONE },
  { "metrics.measure", driver_measure_all, ORDERS_NONE },
  { "export.run", driver_cannot, ORDERS_NONE },
  { "migration.validate", driver_cannot, ORDERS_NONE },
  { "migration.copy", driver_cannot, ORDERS_NONE },
  { "migration.cutover", driver_cannot, ORDERS_NONE },
  { "sampleDataset.load", driver_cannot, ORDERS_NONE },
};

/* Writes the reason of a failure as JSON facts. */
static void driver_reason(driver_result *r)
{
  struct json_out out = JSON_OUT_BUF(r->facts, sizeof r->facts);
  size_t n = strlen(r->why);
  if (n + 1 == sizeof r->why) /* the text was cut off: remove bytes of an incomplete UTF-8 character at its end */
    while (n && ((unsigned char)r->why[n - 1] & 0x80)) r->why[--n] = 0;
  r->facts[0] = 0;
  json_printf(&out, "{reason:%Q}", r->why[0] ? r->why : "the log of the service says why");
}

static int orders_run(driver_postgres *d, const driver_order *o, size_t row, driver_result *r)
{
  int holds = driver_actions[row].holds, status;
  const char *id = holds == ORDERS_PARENT ? o->parent_id : o->resource_id;
  if (holds) driver_hold(d, id);
  status = driver_actions[row].run(d, o, r);
  if (holds) driver_release(d, id);
  return status;
}

/* Carries out an order and reports its result. Orders without an effect on a server (driver_postgres.h lists them) succeed at once. */
static void driver_perform(driver_postgres *d, const driver_order *o)
{
  driver_result r = { .code = SVC_OK };
  const char *facts;
  size_t i;
  for (i = 0; i < sizeof driver_actions / sizeof driver_actions[0]; i++)
    if (strcmp(driver_actions[i].action, o->action) == 0 && orders_run(d, o, i, &r) != 0) {
      r.code = SVC_IO;
      driver_reason(&r);
    }
  facts = r.code == SVC_OK && r.large ? r.large : r.facts[0] ? r.facts : NULL;
  if (svc_order_done(o->s, o->id, r.code, facts) != SVC_OK)
    driver_say(d, SVC_LOG_ERROR, "postgres.not_reported", "postgres: %s could not be reported; the order will come again", o->action);
  free(r.large);
}

int driver_take(void *context, svc *s, const svc_order *order)
{
  driver_postgres *d = context;
  driver_order *o, *other;
  int code = SVC_OK;
  pthread_mutex_lock(&d->lock);
  for (other = d->first; other && strcmp(other->id, order->id) != 0; other = other->next) continue;
  o = other || d->ending || d->waiting == DRIVER_QUEUE ? NULL : calloc(1, sizeof *o);
  if (o) o->desired = strndup(order->desired ? order->desired : "{}", order->desired ? order->desired_length : 2);
  if (o && o->desired) {
    o->s = s;
    snprintf(o->id, sizeof o->id, "%s", order->id);
    snprintf(o->action, sizeof o->action, "%s", order->action);
    snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
    snprintf(o->parent_id, sizeof o->parent_id, "%s", order->parent_id);
    snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
    snprintf(o->name, sizeof o->name, "%s", order->name);
    if (d->last) d->last->next = o;
    else d->first = o;
    d->last = o;
    d->waiting++;
    pthread_cond_signal(&d->more);
  } else if (!other) {
    free(o);
    code = SVC_BUSY;
  }
  pthread_mutex_unlock(&d->lock);
  return code;
}

void *driver_work(void *context)
{
  driver_postgres *d = context;
  driver_order *o;
  driver_resume(d);
  pthread_mutex_lock(&d->lock);
  d->resumed = 1;
  pthread_cond_signal(&d->round);
  while (!d->ending) {
    o = d->first;
    if (!o) {
      pthread_cond_wait(&d->more, &d->lock);
      continue;
    }
    pthread_mutex_unlock(&d->lock); /* the order stays in the queue, so that driver_take() recognizes a second copy */
    driver_perform(d, o);
    pthread_mutex_lock(&d->lock);
    d->first = o->next;
    if (!d->first) d->last = NULL;
    d->waiting--;
    free(o->desired);
    free(o);
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}
