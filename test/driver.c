/*
** The driver of the tests: see driver.h.
*/
#include "driver.h"

static bool driver_begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Returns the latest statement that matches, and counts it; NULL: none. */
static t_stated *driver_stated(t_stated *rows, const char *of)
{
  size_t i = T_STATED;
  while (i-- > 0)
    if (rows[i].of && driver_begins(of, rows[i].of)) return rows[i].count++, &rows[i];
  return NULL;
}

/* Appends a statement. An earlier statement for the same text is removed; its count is kept. */
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

static void driver_met(t_driver *d, svc *s, const svc_order *order)
{
  const svc_order_row *row = svc_order_row_of(svc_noun_named(s, order->resource)->noun, order->action);
  size_t i = 0;
  munit_assert_not_null(row);
  while (d->rows[i] && d->rows[i] != row) i++;
  munit_assert_size(i + 1, <, T_ORDER_ROWS);
  d->rows[i] = row;
}

static t_order *driver_keep(t_driver *d, svc *s, const svc_order *order)
{
  t_order *o = &d->kept[d->orders++ % T_ORDERS_KEPT];
  size_t room = sizeof o->secrets;
  munit_assert_size(order->desired_length, <, sizeof o->desired);
  driver_met(d, s, order);
  o->finished = false;
  snprintf(o->id, sizeof o->id, "%s", order->id);
  snprintf(o->action, sizeof o->action, "%s", order->action);
  snprintf(o->resource, sizeof o->resource, "%s", order->resource);
  snprintf(o->parent_id, sizeof o->parent_id, "%s", order->parent_id);
  snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
  snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
  snprintf(o->org_id, sizeof o->org_id, "%s", order->org_id);
  snprintf(o->name, sizeof o->name, "%s", order->name);
  snprintf(o->desired, sizeof o->desired, "%s", order->desired);
  snprintf(o->traceparent, sizeof o->traceparent, "%s", order->traceparent);
  if (!d->with_secrets || svc_order_secrets(s, order->id, o->secrets, &room) != SVC_OK) o->secrets[0] = 0; /* deleted: no secrets */
  return o;
}

static int driver_say_done(void *context, svc *s, const char *id, int result, const char *facts)
{
  (void)context;
  return svc_order_done(s, id, result, facts);
}

/* Returns the facts that the simulator would report for this order, as text in the arena; NULL: none. */
static const char *driver_simulated(svc_call *c, const svc_order *order, int *result)
{
  const svc_noun_info *noun = svc_noun_named(c->s, order->resource);
  const svc_order_row *row = svc_order_row_of(noun->noun, order->action);
  svc_node *facts = svc_node_object(c->arena, NULL);
  svc_id id, parent;
  svc_change change;
  svc_entity e;
  svc_buf b;
  if (!noun->noun->simulate || !svc_id_parse(svc_str_c(order->resource_id), &id) || !svc_id_parse(svc_str_c(order->parent_id), &parent) ||
      svc_entity_get(c->txn, noun->noun->kind, &parent, &id, &e) != SVC_OK)
    return NULL;
  svc_scope_enter(c, &e);
  munit_assert_true(svc_change_of(c, noun, &e, &change));
  change.extra = e.extra;
  change.id = id;
  change.parent = parent;
  munit_assert_true(noun->noun->simulate(c, &change, order->action, facts));
  if (svc_node_get(facts, SVC_FAILURE)) *result = SVC_IO;
  else if (!row->facts) return NULL; /* orders that delete take no facts */
  b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, facts);
  return svc_buf_done(&b).p;
}

static int driver_simulate(t_driver *d, svc *s, const svc_order *order)
{
  svc_arena arena;
  svc_call c;
  const char *facts;
  char *text;
  int result = SVC_OK;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &c.txn), ==, SVC_OK);
  facts = driver_simulated(&c, order, &result);
  text = facts ? strdup(facts) : NULL;
  svc_end_read(&c);
  svc_blocks_free(arena.blocks);
  result = d->done(d->done_context, s, order->id, result, text);
  free(text);
  return result;
}

static int driver_perform(void *context, svc *s, const svc_order *order)
{
  t_driver *d = context;
  t_stated *row = driver_stated(d->actions, order->action);
  t_order *o = driver_keep(d, s, order);
  if (!row) return SVC_OK;
  o->finished = row->at_once || row->code != SVC_OK;
  if (row->at_once && d->simulates && row->code == SVC_OK && !row->text) return driver_simulate(d, s, order);
  return row->at_once ? d->done(d->done_context, s, order->id, row->code, row->text) : row->code;
}

static int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  t_driver *d = context;
  t_stated *row = driver_stated(d->questions, q->what);
  d->asks++;
  snprintf(d->asked, sizeof d->asked, "%s %s %s %s", q->what, q->resource, q->name, q->parameters);
  if (!row && d->simulates) return svc_simulator()->ask(NULL, s, q, reply);
  if (row && row->text) return svc_reply_add(reply, row->text, strlen(row->text));
  return row ? row->code : SVC_INVALID;
}

const svc_driver *t_driver_init(t_driver *d)
{
  memset(d, 0, sizeof *d);
  d->port = (svc_driver){ driver_perform, NULL, d };
  d->done = driver_say_done;
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

void t_driver_fails(t_driver *d, const char *action, const char *facts)
{
  driver_state(d->actions, (t_stated){ action, true, SVC_IO, facts, 0 });
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

void t_driver_knows_not(t_driver *d, const char *what)
{
  d->port.ask = driver_ask;
  driver_state(d->questions, (t_stated){ what, false, SVC_NOT_FOUND, NULL, 0 });
}

/* Returns the latest kept order with this action; with `open`, the latest unfinished one. NULL: none. */
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

void t_driver_release(t_driver *d, svc *s)
{
  int n;
  for (n = d->orders > T_ORDERS_KEPT ? d->orders - T_ORDERS_KEPT : 0; n < d->orders; n++) {
    t_order *o = &d->kept[n % T_ORDERS_KEPT];
    const svc_order order = { .id = o->id, .action = o->action, .resource = o->resource, .resource_id = o->resource_id, .parent_id = o->parent_id };
    if (o->finished) continue;
    o->finished = true;
    munit_assert_int(d->simulates ? driver_simulate(d, s, &order) : d->done(d->done_context, s, o->id, SVC_OK, NULL), ==, SVC_OK);
  }
}

void t_driver_finish(t_driver *d, svc *s, const char *action, int result, const char *facts)
{
  const t_order *o;
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  o = driver_last(d, "", true);
  if (!o) munit_errorf("no order is open, and one of %s was to come", action);
  munit_assert_string_equal(o->action, action);
  munit_assert_int(d->done(d->done_context, s, o->id, result, facts), ==, SVC_OK);
  d->kept[o - d->kept].finished = true;
}
