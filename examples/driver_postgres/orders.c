/*
** Orders: the table of actions, and the way of an order from perform() to its result. pool.c has
** the threads.
**
** The rule: perform() only queues. An order stays in the list until it is reported, so that it is
** never accepted twice. An order is reported when its last task has ended.
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

static int driver_cluster(driver_postgres *d, driver_order *o, driver_result *r)
{
  int status, again;
  if (driver_is_true(o, "{paused:%B}")) {
    driver_write(d, o->resource_id, "paused", "1");
    return driver_stop(d, o->resource_id);
  }
  driver_unlink(d, o->resource_id, "paused");
  driver_write(d, o->resource_id, "org", o->org_id); /* for driver_owner() */
  if (strncmp(o->action, "flex.", 5) == 0) driver_write(d, o->resource_id, "flex", "1"); /* reports name it a flex cluster */
  again = driver_limits_put(d, o->resource_id, o->desired) | driver_is_true(o, "{restartPrimaries:%B}");
  if (again && driver_knows(d, o->resource_id, "made")) driver_stop(d, o->resource_id); /* driver_make() starts it with the new settings */
  status = driver_make(d, o->resource_id, o->group_id, o->name);
  driver_hosts(d, o->resource_id, r);
  return status;
}

static int driver_delete(driver_postgres *d, driver_order *o, driver_result *r)
{
  (void)r;
  if (driver_stop(d, o->resource_id) != 0 || driver_remove_server(d, o->resource_id) != 0) return -1;
  driver_forget(d, o->resource_id);
  driver_limits_gone(o->resource_id);
  driver_server_gone(d, o->resource_id);
  return 0;
}

/* Fails an order that moves data from or to another system, because this driver has no connection to one. */
static int driver_cannot(driver_postgres *d, driver_order *o, driver_result *r)
{
  (void)d;
  return driver_fail(r, "this driver has no way to do %s", o->action);
}

/* The lanes of the tasks of an order (pool.c): what an order works on. A task holds the server that it changes, so
** that the watch skips it. */
enum orders_lane {
  ORDERS_FILES,  /* files of the driver only, of the resource */
  ORDERS_OWN,    /* the server of the resource */
  ORDERS_PARENT, /* the server of the resource's parent */
  ORDERS_BESIDE, /* the same, without holding it: a snapshot is deleted after a restore from it */
  ORDERS_TARGET, /* of a restore: the server of the snapshot, and that which it is restored to */
  ORDERS_GROUP   /* files of the project; its servers get tasks of their own (driver_pieces()) */
};

static const struct {
  const char *action;
  int (*run)(driver_postgres *d, driver_order *o, driver_result *r);
  int lane;
} driver_actions[] = {
  { "cluster.create", driver_cluster, ORDERS_OWN },
  { "cluster.update", driver_cluster, ORDERS_OWN },
  { "cluster.delete", driver_delete, ORDERS_OWN },
  { "flex.create", driver_cluster, ORDERS_OWN },
  { "flex.delete", driver_delete, ORDERS_OWN },
  { "snapshot.take", driver_snapshot, ORDERS_PARENT },
  { "snapshot.delete", driver_forget_snapshot, ORDERS_BESIDE },
  { "restore.run", driver_restore, ORDERS_TARGET },
  { "user.put", driver_user, ORDERS_GROUP },
  { "user.delete", driver_forget_user, ORDERS_GROUP },
  { "role.put", driver_custom_put, ORDERS_GROUP },
  { "role.delete", driver_custom_gone, ORDERS_GROUP },
  { "metrics.measure", driver_measure_all, ORDERS_FILES },
  { "export.run", driver_cannot, ORDERS_FILES },
  { "migration.validate", driver_cannot, ORDERS_FILES },
  { "migration.copy", driver_cannot, ORDERS_FILES },
  { "migration.cutover", driver_cannot, ORDERS_FILES },
  { "sampleDataset.load", driver_cannot, ORDERS_FILES },
};

static int orders_row(const char *action)
{
  int i, n = (int)(sizeof driver_actions / sizeof driver_actions[0]);
  for (i = 0; i < n; i++)
    if (strcmp(driver_actions[i].action, action) == 0) return i;
  /* orders without an effect on a server (driver_postgres.h lists them) succeed at once */
  return -1;
}

/* ----------------------------------------------------------------------------------------- results */

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

/* Reports the result of an order. While the driver stops it kills programs, so a result of that
** time may be wrong: the order comes again. */
static void orders_report(driver_postgres *d, driver_order *o)
{
  driver_result *r = &o->result;
  const char *facts;
  if (driver_stopping(d)) return;
  if (r->code != SVC_OK) driver_reason(r);
  facts = r->code == SVC_OK && r->large ? r->large : r->facts[0] ? r->facts : NULL;
  if (svc_order_done(o->s, o->id, r->code, facts) != SVC_OK)
    driver_say(d, SVC_LOG_ERROR, "postgres.not_reported", "postgres: %s could not be reported; the order will come again", o->action);
}

static void orders_remove(driver_postgres *d, driver_order *o)
{
  driver_order **at = &d->orders;
  pthread_mutex_lock(&d->lock);
  while (*at != o) at = &(*at)->next;
  *at = o->next;
  d->waiting--;
  pthread_mutex_unlock(&d->lock);
  free(o->result.large);
  free(o->desired);
  free(o);
}

/* Adds the result of a task to that of its order, and reports the order after its last task. */
void driver_piece_ended(driver_postgres *d, driver_order *o, int status, driver_result *r)
{
  int left;
  pthread_mutex_lock(&d->lock);
  if (status != 0 && o->result.code == SVC_OK) {
    o->result.code = SVC_IO;
    memcpy(o->result.why, r->why, sizeof r->why);
  }
  if (r->facts[0]) memcpy(o->result.facts, r->facts, sizeof r->facts);
  if (r->large) o->result.large = r->large; /* of the order's first task; others have none */
  left = --o->pieces;
  pthread_mutex_unlock(&d->lock);
  if (left > 0) return;
  orders_report(d, o);
  orders_remove(d, o);
}

/* ------------------------------------------------------------------------------------------- tasks */

/* Carries out an order, or the first task of one that has several. */
static void orders_run(driver_postgres *d, driver_task *t)
{
  driver_order *o = t->order;
  driver_result r = { .code = SVC_OK };
  int status = 0, lane = o->row < 0 ? ORDERS_FILES : driver_actions[o->row].lane,
      holds = lane == ORDERS_OWN || lane == ORDERS_PARENT;
  if (holds) driver_hold(d, t->lanes[0]->id);
  if (o->row >= 0) status = driver_actions[o->row].run(d, o, &r);
  if (holds) driver_release(d, t->lanes[0]->id);
  driver_piece_ended(d, o, status, &r);
}

/*
** Adds a task of the order for each server of its project, about a database user; `user` "": about
** all that run() finds. A server that is created at the same time is either in the list or reads
** the users' files later, because driver_make() writes its group first. Returns 0, or -1 if out of
** memory.
*/
int driver_pieces(driver_postgres *d, driver_order *o, const char *user, const char *name,
                  void (*run)(driver_postgres *d, driver_task *t))
{
  driver_task like = { .run = run, .order = o };
  char id[32], its_group[32];
  DIR *folder = driver_list(d->control, ".");
  int status = 0;
  snprintf(like.user, sizeof like.user, "%s", user);
  snprintf(like.name, sizeof like.name, "%s", name);
  while (driver_next(folder, id))
    if (driver_read(d, id, "group", its_group, sizeof its_group) == 0 &&
        strcmp(its_group, o->group_id) == 0)
      status |= driver_pool_add(d, &like, id, NULL, o->org_id);
  if (folder) closedir(folder);
  return status;
}

/* Queues the first task of an order. The caller has d->lock. */
static int orders_queue(driver_postgres *d, driver_order *o, const char *target)
{
  const driver_task like = { .run = orders_run, .order = o };
  int lane = o->row < 0 ? ORDERS_FILES : driver_actions[o->row].lane;
  const char *first = o->resource_id;
  if (lane == ORDERS_PARENT || lane == ORDERS_BESIDE || lane == ORDERS_TARGET) first = o->parent_id;
  if (lane == ORDERS_GROUP) first = o->group_id;
  return driver_pool_add_locked(d, &like, first, target[0] ? target : NULL, o->org_id);
}

/* ----------------------------------------------------------------------------------------- perform */

static void orders_free(driver_order *o)
{
  if (o) free(o->desired);
  free(o);
}

static driver_order *orders_copy(svc *s, const svc_order *order)
{
  driver_order *o = calloc(1, sizeof *o);
  if (o && order->desired) o->desired = strndup(order->desired, order->desired_length);
  if (o && !order->desired) o->desired = strdup("{}");
  if (!o || !o->desired) {
    orders_free(o);
    return NULL;
  }
  o->s = s;
  snprintf(o->id, sizeof o->id, "%s", order->id);
  snprintf(o->action, sizeof o->action, "%s", order->action);
  snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
  snprintf(o->parent_id, sizeof o->parent_id, "%s", order->parent_id);
  snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
  snprintf(o->org_id, sizeof o->org_id, "%s", order->org_id);
  snprintf(o->name, sizeof o->name, "%s", order->name);
  o->row = orders_row(o->action);
  return o;
}

/* Returns true if the list has the order; counts the orders of its organization. The caller has
** the lock. */
static int orders_has(const driver_postgres *d, const svc_order *order, int *share)
{
  const driver_order *o;
  int found = 0;
  for (*share = 0, o = d->orders; o; o = o->next) {
    if (strcmp(o->id, order->id) == 0) found = 1;
    if (strcmp(o->org_id, order->org_id) == 0) ++*share;
  }
  return found;
}

int driver_take(void *context, svc *s, const svc_order *order)
{
  driver_postgres *d = context;
  driver_order *o = orders_copy(s, order);
  char target[32] = "";
  int known, share, code = SVC_OK;
  if (o && o->row >= 0 && driver_actions[o->row].lane == ORDERS_TARGET &&
      !driver_restore_target(d, o, target))
    target[0] = 0;
  pthread_mutex_lock(&d->lock);
  known = orders_has(d, order, &share);
  if (!known && (!o || d->ending || d->waiting == DRIVER_QUEUE || share >= DRIVER_QUEUE_SHARE ||
                 orders_queue(d, o, target) != 0))
    code = SVC_BUSY;
  if (!known && code == SVC_OK) {
    o->next = d->orders;
    d->orders = o;
    d->waiting++;
    o = NULL;
  }
  pthread_mutex_unlock(&d->lock);
  orders_free(o);
  return code;
}
