/*
** Handing out: svc_tick() reads the queued orders and gives each to the driver, or to svc_config.notify.
**
** Several threads of a handle may hand out at a time: a driver that waits inside perform() for the data plane of one cluster delays the
** orders of that cluster, and no others. Each order in a driver's hands has one of SVC_HANDS places; an organization has at most
** ORDER_SHARE of them, so that it cannot take them all.
**
** The rules: nothing is handed out inside a transaction. An order, and the orders of its resource, of the resource above it and of those
** below it, are in one thread's hands at a time, so that a driver gets them in their order. The place is taken first; then the record
** is read again, because another thread may have handed the order out in the meantime. In a shared store, an order is
** marked as taken before it is handed out, so that only one handle hands it out.
*/
#include "pipeline/meddle.h"
#include "pipeline/order_parts.h"

#define ORDER_BATCH 32 /* orders read at once */
#define ORDER_COUNTED 1000 /* maximum that is counted for metrics: a longer queue is as bad */
#define ORDER_SHARE 2 /* orders of one organization in the driver's hands */
#define ORDER_LOOK 5000 /* milliseconds between two counts in a store on a server */

/* An order as the driver sees it; its strings are in the arena. */
static bool order_show(svc_call *c, const svc_order_address *at, const svc_order_record *r, svc_order *out)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  svc_entity e;
  memset(out, 0, sizeof *out);
  memset(&e, 0, sizeof e);
  if (!noun) return false;
  if (svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &e) != SVC_OK) {
    if (!noun->noun->order_gone || c->txn->error) return false;
    e.id = at->id; /* of a deleted entity only this is known, and its last desired state */
    e.parent = at->parent;
    if (r->gone) {
      e.scope = r->scope;
      e.unique = r->name;
    } else if (noun->parent == c->s->group) { /* written by a version that did not store them */
      e.scope.group = at->parent;
    }
  }
  out->id = svc_id_str(c->arena, &r->id).p;
  out->action = svc_arena_copy(c->arena, r->action).p;
  out->resource = noun->noun->name;
  out->resource_id = svc_id_str(c->arena, &e.id).p;
  out->parent_id = svc_id_str(c->arena, &e.parent).p;
  out->name = svc_arena_copy(c->arena, e.unique.n ? e.unique : e.key).p;
  out->group_id = svc_id_is_zero(&e.scope.group) ? "" : svc_id_str(c->arena, &e.scope.group).p;
  out->org_id = svc_id_is_zero(&e.scope.org) ? "" : svc_id_str(c->arena, &e.scope.org).p;
  out->desired = svc_arena_copy(c->arena, r->desired).p;
  out->desired_length = r->desired.n;
  out->attempt = (int)r->attempt + 1;
  out->traceparent = svc_arena_copy(c->arena, r->trace).p;
  return !c->arena->failed;
}

/* Whether this handle hands out orders of this kind. Another handle of a shared store may have a recipient that this one lacks: its orders
** stay in the queue. */
static bool order_is_ours(const svc *s, const svc_order_address *at)
{
  const svc_noun_info *noun = svc_noun_by_kind(s, at->kind);
  return noun && svc_order_has_taker(s, noun->noun);
}

/* ------------------------------------------------------------------------------------------------------ places of orders */

/* Whether two orders are about the same resource, or one is about a resource directly above or beside the other's. A project is above
** everything in it, and does not count. */
static bool order_touches(const svc_hand *a, const svc_hand *b)
{
  return svc_id_eq(&a->resource, &b->resource) || svc_id_eq(&a->resource, &b->parent) || svc_id_eq(&a->parent, &b->resource) ||
         (!svc_id_is_zero(&a->parent) && svc_id_eq(&a->parent, &b->parent));
}

/* An id that may be empty. */
static svc_id order_id(const char *text)
{
  svc_id id;
  if (!svc_id_parse(svc_str_c(text), &id)) memset(&id, 0, sizeof id);
  return id;
}

static svc_hand order_hand(const svc_order *order, const svc_id *id)
{
  svc_hand h = { .taken = true, .order = *id, .resource = order_id(order->resource_id), .org = order_id(order->org_id) };
  if (strcmp(order->parent_id, order->group_id) != 0 && strcmp(order->parent_id, order->org_id) != 0) h.parent = order_id(order->parent_id);
  return h;
}

/* The lock is held. Returns a place for this order; NULL: another thread has it or a related one, or its organization has its share. */
static svc_hand *order_place(svc_hands *hands, const svc_hand *wanted)
{
  svc_hand *place = NULL;
  unsigned own = 0, i;
  for (i = 0; i < SVC_HANDS; i++) {
    svc_hand *h = &hands->rows[i];
    if (!h->taken) {
      if (!place) place = h;
    } else if (order_touches(h, wanted) || (svc_id_eq(&h->org, &wanted->org) && ++own == ORDER_SHARE)) {
      return NULL;
    }
  }
  return place;
}

static svc_hand *order_take(svc *s, const svc_order *order, const svc_id *id)
{
  const svc_hand wanted = order_hand(order, id);
  svc_hand *place;
  svc_mutex_lock(&s->hands.lock);
  place = order_place(&s->hands, &wanted);
  if (place) *place = wanted;
  svc_mutex_unlock(&s->hands.lock);
  return place;
}

static void order_leave(svc *s, svc_hand *place)
{
  svc_mutex_lock(&s->hands.lock);
  place->taken = false;
  svc_mutex_unlock(&s->hands.lock);
}

/* Whether an order could be taken now. */
static bool order_is_free(svc *s, const svc_order *order, const svc_id *id)
{
  const svc_hand wanted = order_hand(order, id);
  bool can;
  svc_mutex_lock(&s->hands.lock);
  can = order_place(&s->hands, &wanted) != NULL;
  svc_mutex_unlock(&s->hands.lock);
  return can;
}

/* Whether the order still waits to be handed out: false after another thread has done so, or a newer order has replaced it. */
static bool order_still_waits(svc *s, const svc_id *id, int64_t now, int *rc)
{
  svc_order_address at;
  svc_order_record r;
  svc_arena arena;
  svc_call c;
  bool waits;
  svc_service_call(&c, s, &arena, NULL, now);
  *rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (*rc != SVC_OK) return false;
  waits = svc_order_find(&c, id, &at, &r) == SVC_OK && !r.taken_by && r.not_before <= now;
  *rc = c.txn->error;
  svc_end_read(&c);
  svc_blocks_free(arena.blocks);
  return waits && *rc == SVC_OK;
}

/* Reads the first queued orders that can be taken, and ends the transaction. */
static int order_collect(svc *s, svc_arena *arena, int64_t now, svc_order *orders, svc_id *ids, size_t *n)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_call c;
  int rc;
  *n = 0;
  svc_service_call(&c, s, arena, NULL, now);
  rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (rc != SVC_OK) return rc;
  svc_key_begin(&prefix, 'w');
  svc_scan_below(&scan, c.txn, &prefix, false);
  svc_key_begin(&scan.to, 'w');
  svc_key_time(&scan.to, now + 1);
  while (*n < ORDER_BATCH && svc_scan_next(&scan, &key, &value)) {
    svc_order_address at;
    svc_order_record r;
    if (key.n != 1 + 8 + 12) continue;
    memcpy(ids[*n].b, key.p + 9, 12);
    if (svc_order_find(&c, &ids[*n], &at, &r) == SVC_OK && order_is_ours(s, &at) && order_show(&c, &at, &r, &orders[*n]) &&
        order_is_free(s, &orders[*n], &ids[*n]))
      ++*n;
  }
  rc = c.txn->error;
  svc_end_read(&c);
  return arena->failed ? SVC_NOMEM : rc;
}

/* The order has a place. */
static int order_give(svc *s, const svc_order *order, const svc_id *id, int64_t now)
{
  const svc_driver *driver = s->config.driver;
  const svc_notice_ops *notice = svc_noun_ext_of(svc_noun_named(s, order->resource)->noun)->notice;
  const bool shared = SVC_IS_SHARED(s->commit.port);
  svc_str why = SVC_S("{\"reason\":\"it was refused\"}");
  int said, word = SVC_ORDER_FAILED;
  if (shared) {
    bool mine;
    int rc = svc_order_tell(s, SVC_ORDER_TAKEN, id, SVC_S(""), now, &mine);
    if (rc != SVC_OK || !mine) return rc;
  }
  if (order->attempt > 1) atomic_fetch_add_explicit(&s->orders.retries, 1, memory_order_relaxed);
  said = notice ? notice->notify(s, order) : driver->perform(driver->context, s, order);
  if (shared && said == SVC_OK && !notice) return SVC_OK; /* already stored */
  if (said == SVC_OK) word = notice ? SVC_ORDER_DONE : SVC_ORDER_TAKEN;
  else if (said == SVC_BUSY) word = SVC_ORDER_BUSY;
  return svc_order_say(s, word, id, word == SVC_ORDER_FAILED ? why : SVC_S(""), now);
}

/* A test's verdict on an order about to be handed out; the transaction has ended before it returns. */
static int order_verdict(svc *s, svc_arena *arena, const svc_id *id, int64_t now, svc_verdict *out)
{
  const svc_noun_info *noun;
  svc_order_address at;
  svc_order_record r;
  svc_entity e;
  svc_call c;
  int rc;
  memset(out, 0, sizeof *out);
  svc_service_call(&c, s, arena, NULL, now);
  rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (rc != SVC_OK) return rc;
  noun = svc_order_find(&c, id, &at, &r) == SVC_OK ? svc_noun_by_kind(s, at.kind) : NULL;
  if (noun && noun->noun->lifecycle && svc_entity_get(c.txn, noun->noun->kind, &at.parent, &at.id, &e) == SVC_OK)
    *out = svc_step_ask(&c, noun, &e, svc_json_word(e.body, noun->noun->lifecycle->field), svc_arena_copy(arena, r.action).p, false);
  rc = c.txn->error;
  svc_end_read(&c);
  return arena->failed ? SVC_NOMEM : rc;
}

/* True: a test keeps the order from the driver, for good or for now. */
static bool order_meddled(svc *s, const svc_id *id, int64_t now, int *rc)
{
  svc_arena arena;
  svc_verdict verdict;
  svc_buf b;
  *rc = order_verdict(s, &arena, id, now, &verdict);
  if (*rc == SVC_OK && verdict.word == SVC_STEP_WAITS) *rc = svc_order_put_off(s, id, verdict.until, now);
  if (*rc == SVC_OK && verdict.word == SVC_STEP_FAILS) {
    b = svc_buf_new(&arena, 256);
    svc_buf_text(&b, "{\"reason\":");
    svc_json_escape(&b, verdict.reason);
    svc_buf_char(&b, '}');
    *rc = svc_order_say(s, SVC_ORDER_FAILED, id, svc_buf_done(&b), now);
  }
  svc_blocks_free(arena.blocks);
  return *rc != SVC_OK || verdict.word == SVC_STEP_WAITS || verdict.word == SVC_STEP_FAILS;
}

/* Returns the number of keys of this class, at most ORDER_COUNTED. *first: the id in the first key; of class q it is the oldest order. */
static unsigned long order_count(svc_txn *txn, char class, svc_id *first)
{
  unsigned long n = 0;
  svc_str key, value;
  svc_key prefix;
  svc_scan scan;
  svc_key_begin(&prefix, class);
  svc_scan_below(&scan, txn, &prefix, false);
  while (n < ORDER_COUNTED && svc_scan_next(&scan, &key, &value)) {
    if (n++ == 0 && key.n >= 1 + 12) memcpy(first->b, key.p + 1, 12);
  }
  return n;
}

/* True for one thread, when the queue of a store on a server is to be counted again. */
static bool order_should_look(svc *s, int64_t now)
{
  svc_order_figures *f = &s->orders;
  bool due;
  svc_mutex_lock(&s->hands.lock);
  due = !f->looked || now < f->looked || now - f->looked >= ORDER_LOOK;
  if (due) f->looked = now;
  svc_mutex_unlock(&s->hands.lock);
  return due;
}

/* Figures for metrics. Ids begin with the second of their creation, so the first id is the oldest order's. */
static void order_measure(svc *s, int64_t now)
{
  svc_order_figures *f = &s->orders;
  unsigned long all, waiting;
  svc_id oldest, ignored;
  svc_txn *txn;
  if (!s->counters || (SVC_IS_SHARED(s->commit.port) && !order_should_look(s, now))) return;
  if (s->commit.port->read_begin(s->commit.store, &txn) != SVC_OK) return; /* keeps the previous figures */
  all = order_count(txn, 'q', &oldest);
  waiting = order_count(txn, 'w', &ignored);
  if (txn->error == SVC_OK) {
    atomic_store_explicit(&f->all, all, memory_order_relaxed);
    atomic_store_explicit(&f->waiting, waiting, memory_order_relaxed);
    atomic_store_explicit(&f->oldest, all ? (unsigned long)svc_id_second(&oldest) : 0, memory_order_relaxed);
  }
  s->commit.port->read_end(txn);
}

/* Hands out an order, unless another thread has it, or has done so. */
static int order_hand_out(svc *s, const svc_order *order, const svc_id *id, int64_t now)
{
  svc_hand *place = order_take(s, order, id);
  int rc;
  if (!place) return SVC_OK;
  if (order_still_waits(s, id, now, &rc) && (!svc_meddles(s, SVC_WATCH_STEPS) || !order_meddled(s, id, now, &rc)))
    rc = order_give(s, order, id, now);
  order_leave(s, place);
  return rc;
}

/* True for one thread, when a sign of life of this handle is due. */
static bool order_sign_due(svc *s, int64_t now)
{
  bool due;
  if (!SVC_IS_SHARED(s->commit.port)) return false;
  svc_mutex_lock(&s->hands.lock);
  due = now >= s->session_due && !s->hands.telling;
  if (due) s->hands.telling = true;
  svc_mutex_unlock(&s->hands.lock);
  return due;
}

/* Tells the other handles of the store that this one lives. */
static int order_give_sign(svc *s, int64_t now)
{
  int rc = svc_order_say(s, SVC_ORDER_HANDLE_LIVES, NULL, SVC_S(""), now);
  svc_mutex_lock(&s->hands.lock);
  if (rc == SVC_OK) s->session_due = now + SVC_ORDER_RENEW;
  s->hands.telling = false;
  svc_mutex_unlock(&s->hands.lock);
  return rc;
}

SVC_PRIVATE int svc_orders_hand_out(svc *s, int64_t now)
{
  svc_order orders[ORDER_BATCH];
  svc_id ids[ORDER_BATCH];
  svc_arena arena;
  size_t n = 0, i;
  int rc = SVC_OK;
  if (!svc_order_has_any_taker(s)) return SVC_OK;
  if (order_sign_due(s, now)) rc = order_give_sign(s, now);
  do {
    svc_arena_init(&arena, &s->allocator);
    if (rc == SVC_OK) rc = order_collect(s, &arena, now, orders, ids, &n);
    for (i = 0; i < n && rc == SVC_OK; i++) rc = order_hand_out(s, &orders[i], &ids[i], now);
    svc_blocks_free(arena.blocks);
  } while (rc == SVC_OK && n == ORDER_BATCH);
  if (rc == SVC_OK) order_measure(s, now);
  return rc;
}

SVC_PRIVATE int svc_orders_next(svc *s, int64_t after, int64_t *when)
{
  svc_key from, to;
  svc_range range;
  svc_txn *txn;
  svc_row row;
  size_t n = 0;
  int rc;
  *when = INT64_MAX;
  svc_key_begin(&from, 'w');
  svc_key_time(&from, after + 1);
  svc_key_begin(&to, 'x');
  range = (svc_range){ svc_key_str(&from), svc_key_str(&to), false, 0 };
  rc = s->commit.port->read_begin(s->commit.store, &txn);
  if (rc != SVC_OK) return rc;
  rc = txn->port->scan(txn, &range, &row, 1, &n);
  if (rc == SVC_OK && n && row.key.n >= 9) *when = svc_key_time_at(row.key.p + 1);
  s->commit.port->read_end(txn);
  return rc;
}

SVC_PRIVATE size_t svc_orders_waiting(svc_call *c, svc_order *orders, int64_t *when, size_t room)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  size_t n = 0;
  svc_key_begin(&prefix, 'w');
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (n < room && svc_scan_next(&scan, &key, &value)) {
    svc_order_address at;
    svc_order_record r;
    svc_id id;
    if (key.n != 1 + 8 + 12) continue;
    memcpy(id.b, key.p + 9, 12);
    when[n] = svc_key_time_at(key.p + 1);
    if (svc_order_find(c, &id, &at, &r) == SVC_OK && order_show(c, &at, &r, &orders[n])) n++;
  }
  return n;
}

SVC_PRIVATE int svc_orders_open(svc *s)
{
  const svc_range all = { SVC_S("o"), SVC_S("p"), false, 0 };
  const svc_ids *ids = &s->commit.ids;
  svc_txn *txn;
  svc_row row;
  size_t n = 0;
  int rc;
  if (!svc_mutex_init(&s->hands.lock)) return SVC_NOMEM;
  s->hands.ready = true;
  if (ids->random(ids->random_context, &s->session, sizeof s->session) != 0) return SVC_RANDOM;
  s->session |= 1; /* 0 would mean "not taken" */
  if (s->config.keep_orders) return SVC_OK;
  rc = s->commit.port->read_begin(s->commit.store, &txn);
  if (rc != SVC_OK) return rc;
  rc = txn->port->scan(txn, &all, &row, 1, &n);
  s->commit.port->read_end(txn);
  if (SVC_IS_SHARED(s->commit.port) && svc_order_has_any_taker(s)) {
    s->session_due = svc_now(s) + SVC_ORDER_RENEW;
    if (s->session_due <= 0) s->session_due = 1;
    n = 1;
  }
  return rc == SVC_OK && n ? svc_order_say(s, SVC_ORDER_HANDLE_LIVES, NULL, SVC_S(""), svc_now(s)) : rc;
}

/* Ends the lease, so that other handles may hand out its orders at once. If that fails, they do so when the lease expires. */
SVC_PRIVATE void svc_orders_close(svc *s)
{
  if (s->commit.store && SVC_IS_SHARED(s->commit.port) && s->session_due) svc_order_say(s, SVC_ORDER_HANDLE_ENDS, NULL, SVC_S(""), svc_now(s));
  if (s->hands.ready) svc_mutex_destroy(&s->hands.lock);
  s->hands.ready = false;
}
