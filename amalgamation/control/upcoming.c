/*
** The next due steps: dates in the store, queued orders for the driver, and hosts that faults take down or bring up.
**
** The rule: this file only reads. The earliest comes first, and a list is bounded before anything is read.
*/
#include "control/control.h"

#define UPCOMING_LIMIT 100
#define UPCOMING_MOST 1000

typedef struct upcoming_row {
  int64_t when;
  size_t order; /* for rows of the same time: the order in which they were found */
  const char *what, *noun, *action; /* action NULL: not an order of a driver */
  svc_str id, name, state;
} upcoming_row;

typedef struct upcoming_list {
  upcoming_row *rows;
  size_t count;
} upcoming_list;

SVC_PRIVATE int svc_upcoming_next(svc *s, int64_t now, int64_t *next)
{
  int64_t order = INT64_MAX;
  svc_due_entry first;
  svc_txn *txn;
  int rc;
  *next = svc_fault_hosts_next(s);
  rc = s->commit.port->read_begin(s->commit.store, &txn);
  if (rc != SVC_OK) return rc;
  if (svc_due_first(txn, &first) && first.when < *next) *next = first.when;
  rc = txn->error;
  s->commit.port->read_end(txn);
  if (rc == SVC_OK && svc_order_has_any_taker(s)) rc = svc_orders_next(s, now, &order);
  if (order < *next) *next = order;
  return rc;
}

/* --------------------------------------------------------------------------------------------------------------- reading */

static upcoming_row *upcoming_add(upcoming_list *l, int64_t when, const char *what)
{
  upcoming_row *row = &l->rows[l->count];
  memset(row, 0, sizeof *row);
  row->when = when;
  row->order = l->count++;
  row->what = what;
  return row;
}

static const char *upcoming_word(int tag)
{
  static const char *const words[] = { "state", "expiry", "run" };
  if (tag < SVC_DUE_OWN) return words[tag];
  return tag == SVC_DUE_ORDER ? "order" : tag == SVC_DUE_ERASE ? "erase" : "other";
}

static void upcoming_dates(svc_call *c, upcoming_list *l, size_t limit)
{
  svc_due_entry due;
  svc_scan scan;
  svc_entity e;
  svc_due_begin(&scan, c->txn);
  while (limit-- && svc_due_next(&scan, &due)) {
    const svc_noun_info *noun = svc_noun_by_kind(c->s, due.kind);
    upcoming_row *row = upcoming_add(l, due.when, noun ? upcoming_word(due.tag) : "other");
    row->id = svc_id_str(c->arena, &due.id);
    if (!noun) continue;
    row->noun = noun->noun->name;
    if (due.tag == SVC_DUE_ERASE || svc_entity_get(c->txn, noun->noun->kind, &due.parent, &due.id, &e) != SVC_OK) continue;
    if (!svc_blank_is_secret(svc_str_c(row->noun))) /* the name of a token is its hash */
      row->name = svc_arena_copy(c->arena, e.unique.n ? e.unique : e.key);
    if (due.tag == SVC_DUE_STATE && noun->noun->lifecycle)
      row->state = svc_arena_copy(c->arena, svc_json_word(e.body, noun->noun->lifecycle->field));
  }
}

static void upcoming_orders(svc_call *c, upcoming_list *l, size_t limit)
{
  svc_order *orders = svc_arena_zero(c->arena, limit * sizeof *orders);
  int64_t *when = svc_arena_zero(c->arena, limit * sizeof *when);
  size_t i, n = orders && when ? svc_orders_waiting(c, orders, when, limit) : 0;
  for (i = 0; i < n; i++) {
    upcoming_row *row = upcoming_add(l, when[i], "order");
    row->action = orders[i].action;
    row->noun = orders[i].resource;
    row->id = svc_str_c(orders[i].resource_id);
    row->name = svc_str_c(orders[i].name);
  }
}

static void upcoming_hosts(svc_call *c, upcoming_list *l)
{
  svc_host_turn *turns = svc_arena_zero(c->arena, SVC_FAILURES * sizeof *turns);
  size_t i, n = turns ? svc_fault_hosts_turns(c->s, turns) : 0;
  for (i = 0; i < n; i++) {
    upcoming_row *row = upcoming_add(l, turns[i].when, turns[i].down ? "hostDown" : "hostUp");
    row->noun = "host";
    row->name = svc_str_c(turns[i].name);
  }
}

static int upcoming_compare(const void *a, const void *b)
{
  const upcoming_row *one = a, *two = b;
  if (one->when != two->when) return one->when < two->when ? -1 : 1;
  return one->order < two->order ? -1 : 1;
}

/* --------------------------------------------------------------------------------------------------------------- writing */

static void upcoming_text(svc_buf *b, const char *member, svc_str text)
{
  if (!text.n) return;
  svc_buf_text(b, member);
  svc_json_escape(b, text);
  svc_buf_char(b, ',');
}

static void upcoming_write(svc_buf *b, const upcoming_row *row)
{
  char date[21];
  svc_buf_char(b, '{');
  upcoming_text(b, "\"action\":", svc_str_c(row->action));
  upcoming_text(b, "\"id\":", row->id);
  upcoming_text(b, "\"name\":", row->name);
  upcoming_text(b, "\"noun\":", svc_str_c(row->noun));
  upcoming_text(b, "\"state\":", row->state);
  svc_date_text(row->when, date);
  upcoming_text(b, "\"time\":", svc_str_c(date));
  svc_buf_text(b, "\"timeMs\":");
  svc_buf_i64(b, row->when);
  svc_buf_text(b, ",\"what\":\"");
  svc_buf_text(b, row->what);
  svc_buf_text(b, "\"}");
}

/* Collects all rows, in the call's memory. */
static int upcoming_collect(svc_call *c, upcoming_list *l, size_t limit)
{
  svc *s = c->s;
  int rc;
  l->rows = svc_arena_zero(c->arena, (2 * limit + SVC_FAILURES) * sizeof *l->rows);
  if (!l->rows) return SVC_NOMEM;
  rc = s->commit.port->read_begin(s->commit.store, &c->txn);
  if (rc != SVC_OK) return rc;
  upcoming_dates(c, l, limit);
  if (svc_order_has_any_taker(s)) upcoming_orders(c, l, limit);
  rc = c->txn->error;
  svc_end_read(c);
  upcoming_hosts(c, l);
  qsort(l->rows, l->count, sizeof *l->rows, upcoming_compare);
  return c->arena->failed ? SVC_NOMEM : rc;
}

SVC_PRIVATE int svc_upcoming_text(svc *s, svc_arena *a, size_t limit, svc_str *out)
{
  upcoming_list l = { NULL, 0 };
  svc_buf b = svc_buf_new(a, 1024);
  svc_arena arena;
  svc_call c;
  size_t i;
  int rc;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  rc = upcoming_collect(&c, &l, limit);
  svc_buf_char(&b, '[');
  for (i = 0; rc == SVC_OK && i < l.count && i < limit; i++) {
    if (i) svc_buf_char(&b, ',');
    upcoming_write(&b, &l.rows[i]);
  }
  svc_buf_char(&b, ']');
  *out = svc_buf_done(&b);
  svc_blocks_free(arena.blocks);
  return rc == SVC_OK && a->failed ? SVC_NOMEM : rc;
}

int svc_due_read(svc *s, size_t limit, svc_response *out)
{
  svc_arena arena;
  svc_str text;
  int rc;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out || limit > UPCOMING_MOST) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  rc = svc_upcoming_text(s, &arena, limit ? limit : UPCOMING_LIMIT, &text);
  if (rc == SVC_OK) return svc_respond_json(&arena, text, out);
  svc_blocks_free(arena.blocks);
  return rc;
}
