/*
** Living handles of a shared store, and what happens to the orders of dead ones.
**
** Each handle of a shared store keeps a lease, a record with the time until which it lives, and renews it long before. An order is marked
** as taken before it is handed out, so that only one handle hands it out. The orders of a handle that has closed, or has not renewed its
** lease for ORDER_LEASE, are queued again. A store of a single process needs no lease: every order that is marked as taken when the store
** is opened belongs to a handle that has ended. Clocks of hosts that differ by seconds do no harm: a lease lasts 60 s (ORDER_LEASE) and is
** renewed every 20 s (SVC_ORDER_RENEW).
*/
#include "pipeline/order_parts.h"

#define ORDER_LEASE 60000 /* milliseconds that a lease lasts */
#define ORDER_HANDLES 64 /* maximum handles of a store; with more, no handle takes over orders of others */
#define ORDER_SESSION "session"

static void order_session_key(svc_key *key, uint64_t session)
{
  svc_key_meta(key, ORDER_SESSION);
  if (session) svc_key_number(key, session, 8);
}

SVC_PRIVATE bool svc_order_is_session(svc_str key)
{
  svc_key prefix;
  order_session_key(&prefix, 0);
  return key.n == prefix.n + 8 && memcmp(key.p, prefix.b, prefix.n) == 0;
}

typedef struct order_living {
  uint64_t sessions[ORDER_HANDLES];
  unsigned n;
  bool all; /* too many handles to tell: all count as alive */
} order_living;

static bool order_lives(const order_living *l, uint64_t session)
{
  unsigned i;
  for (i = 0; i < l->n; i++)
    if (l->sessions[i] == session) return true;
  return l->all;
}

/* The living handles, including this one whatever its clock says; expired leases are removed. A store of one handle has none. */
static bool order_find_living(svc_call *c, order_living *l)
{
  svc_scan scan;
  svc_key prefix, gone;
  svc_str key, value;
  int64_t until;
  size_t i;
  l->n = 0;
  l->all = false;
  if (!SVC_IS_SHARED(c->txn->port)) return true;
  if (svc_order_has_any_taker(c->s)) l->sessions[l->n++] = c->s->session;
  order_session_key(&prefix, 0);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    uint64_t session = 0;
    if (!svc_order_is_session(key) || value.n != sizeof until) continue;
    for (i = prefix.n; i < key.n; i++) session = session << 8 | (unsigned char)key.p[i];
    memcpy(&until, value.p, sizeof until);
    order_session_key(&gone, session);
    if (session == c->s->session) continue;
    if (until <= c->now) svc_remove(c->txn, &gone);
    else if (l->n == ORDER_HANDLES) l->all = true;
    else l->sessions[l->n++] = session;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_order_say_living(svc_call *c, bool lives)
{
  int64_t until = c->now + ORDER_LEASE;
  svc_key key;
  if (!SVC_IS_SHARED(c->txn->port)) return true;
  order_session_key(&key, c->s->session);
  if (lives) svc_put(c->txn, &key, (svc_str){ (const char *)&until, sizeof until });
  else svc_remove(c->txn, &key);
  return svc_txn_good(c);
}

/* This handle has no driver, but a former one has left an order: removes it, and from now on the state moves by a due date. */
static bool order_simulate(svc_call *c, const svc_order_address *at, const svc_order_record *r)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  svc_entity e, old;
  svc_str state;
  if (!svc_order_remove(c, at, r)) return false;
  if (!noun || !noun->noun->lifecycle || svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &old) != SVC_OK)
    return svc_txn_good(c);
  e = old;
  state = svc_json_word(e.body, noun->noun->lifecycle->field);
  if (state.n) svc_due_set(&e, SVC_DUE_STATE, svc_transition_due(c->s, noun->noun, state, c->now));
  return svc_entity_store(c, &e, &old);
}

/* Queues the orders of dead handles again. */
SVC_PRIVATE bool svc_order_reopen(svc_call *c)
{
  order_living living;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_order_record r;
  svc_order_address at;
  if (!order_find_living(c, &living)) return false;
  if (svc_order_has_any_taker(c->s) && !svc_order_say_living(c, true)) return false;
  svc_key_begin(&prefix, 'o');
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    const svc_noun_info *noun;
    bool taker;
    if (key.n != 1 + SVC_KIND_SIZE + 24 || !svc_order_decode(value, &r)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
    memcpy(at.kind, key.p + 1, SVC_KIND_SIZE);
    memcpy(at.parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
    memcpy(at.id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
    noun = svc_noun_by_kind(c->s, at.kind);
    taker = noun && svc_order_has_taker(c->s, noun->noun);
    if (SVC_IS_SHARED(c->txn->port) && r.taken_by && order_lives(&living, r.taken_by)) continue;
    if (SVC_IS_SHARED(c->txn->port) && !taker && (living.n || living.all)) continue; /* another handle has a driver for it */
    if (!taker && !order_simulate(c, &at, &r)) return false;
    if (!taker || r.taken_by == 0) continue;
    r.taken_by = 0;
    if (!svc_order_keep(c, &at, &r)) return false;
  }
  return svc_txn_good(c);
}
