/*
** The driver of the tests: see driver.h.
*/
#include "driver.h"

static bool driver_begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* What is stated of it, the last first, and counts it; NULL: nothing. */
static t_stated *driver_stated(t_stated *rows, const char *of)
{
  size_t i = T_STATED;
  while (i-- > 0)
    if (rows[i].of && driver_begins(of, rows[i].of)) return rows[i].count++, &rows[i];
  return NULL;
}

/* What is stated anew goes to the end, and what was said of the same before is forgotten, but for its count. */
static void driver_state(t_stated *rows, t_stated row)
{
  size_t i, n = 0;
  for (i = 0; i < T_STATED && rows[i].of; i++) {
    if (strcmp(rows[i].of, row.of) != 0) rows[n++] = rows[i];
    else row.count = rows[i].count;
  }
  munit_assert_size(n, <, T_STATED);
  rows[n++] = row;
  if (n < T_STATED) memset(&rows[n], 0, (T_STATED - n) * sizeof *rows);
}

static t_order *driver_keep(t_driver *d, svc *s, const svc_order *order)
{
  t_order *o = &d->kept[d->orders++ % T_ORDERS_KEPT];
  size_t room = sizeof o->secrets;
  munit_assert_size(order->desired_length, <, sizeof o->desired);
  o->finished = false;
  snprintf(o->id, sizeof o->id, "%s", order->id);
  snprintf(o->action, sizeof o->action, "%s", order->action);
  snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
  snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
  snprintf(o->name, sizeof o->name, "%s", order->name);
  snprintf(o->desired, sizeof o->desired, "%s", order->desired);
  if (!d->with_secrets || svc_order_secrets(s, order->id, o->secrets, &room) != SVC_OK) o->secrets[0] = 0; /* what is gone has none */
  return o;
}

static int driver_perform(void *context, svc *s, const svc_order *order)
{
  t_driver *d = context;
  t_stated *row = driver_stated(d->actions, order->action);
  t_order *o = driver_keep(d, s, order);
  if (!row) return SVC_OK;
  o->finished = row->at_once || row->code != SVC_OK;
  return row->at_once ? svc_order_done(s, order->id, SVC_OK, row->text) : row->code;
}

static int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  t_driver *d = context;
  t_stated *row = driver_stated(d->questions, q->what);
  (void)s;
  d->asks++;
  snprintf(d->asked, sizeof d->asked, "%s %s %s %s", q->what, q->resource, q->name, q->parameters);
  return row && row->text ? svc_reply_add(reply, row->text, strlen(row->text)) : SVC_INVALID;
}

const svc_driver *t_driver_init(t_driver *d)
{
  memset(d, 0, sizeof *d);
  d->port = (svc_driver){ driver_perform, NULL, d };
  return &d->port;
}

void t_driver_takes(t_driver *d, const char *action)
{
  driver_state(d->actions, (t_stated){ action, false, SVC_OK, NULL, 0 });
}

void t_driver_does(t_driver *d, const char *action, const char *facts)
{
  driver_state(d->actions, (t_stated){ action, true, SVC_OK, facts, 0 });
}

void t_driver_refuses(t_driver *d, const char *action, int code)
{
  driver_state(d->actions, (t_stated){ action, false, code, NULL, 0 });
}

void t_driver_answers(t_driver *d, const char *what, const char *text)
{
  d->port.ask = driver_ask;
  driver_state(d->questions, (t_stated){ what, false, SVC_INVALID, text, 0 });
}

/* The last kept one of this action, if `open` one that is not finished; NULL: there is none. */
static const t_order *driver_last(const t_driver *d, const char *action, bool open)
{
  int n;
  for (n = d->orders - 1; n >= 0 && n >= d->orders - T_ORDERS_KEPT; n--) {
    const t_order *o = &d->kept[n % T_ORDERS_KEPT];
    if (driver_begins(o->action, action) && !(open && o->finished)) return o;
  }
  return NULL;
}

const t_order *t_driver_order(const t_driver *d, const char *action)
{
  static const t_order none;
  const t_order *o = driver_last(d, action, false);
  return o ? o : &none;
}

int t_driver_count(const t_driver *d, const char *action)
{
  size_t i;
  for (i = 0; i < T_STATED && d->actions[i].of; i++)
    if (strcmp(d->actions[i].of, action) == 0) return d->actions[i].count;
  munit_errorf("nothing was stated of %s", action);
  return 0;
}

void t_driver_refused(t_driver *d, svc *s, const char *action, const char *facts)
{
  const t_order *o;
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  o = driver_last(d, "", true);
  if (!o) munit_errorf("no order is open, and one of %s was to come", action);
  munit_assert_string_equal(o->action, action);
  if (svc_order_done(s, o->id, SVC_OK, facts) != SVC_INVALID) munit_errorf("these facts were taken: %s", facts);
}

void t_driver_finish(t_driver *d, svc *s, const char *action, int result, const char *facts)
{
  const t_order *o;
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  o = driver_last(d, "", true);
  if (!o) munit_errorf("no order is open, and one of %s was to come", action);
  munit_assert_string_equal(o->action, action);
  munit_assert_int(svc_order_done(s, o->id, result, facts), ==, SVC_OK);
  d->kept[o - d->kept].finished = true;
}
