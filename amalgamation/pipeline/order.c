/*
** Orders: work for the driver, and its results.
**
** A change that needs work of the data plane writes its order in its own transaction. svc_tick() hands orders out, outside
** of any request and any transaction; the driver reports the result with svc_order_done(), from any thread.
**
**   o kind parent id   the order of an entity: id(12) u64 taken by, i64 not before, u32 attempt, u16 length of action,
**                      action, desired state. With ORDER_GONE in the length (a deleted entity), project(12) organization(12) u16 length of
**                      its name, and the name precede the action; with ORDER_TRACED, traceparent(55) precedes those
**   q id               key of that record: kind(4) parent(12) id(12)
**   w when id          queued, to be handed out
**
** The rules: an entity has at most one order. When the desired state changes, a new order with a new id replaces the old one. A result
** for the replaced one is ignored. An order that was handed out belongs to the handle that did it. After that handle has ended, another
** one hands it out again, under the same id. Its result may take any time: only the end of its handle, a new desired state or the
** delete of its entity takes an order back. A completed order moves the state and is removed, in one commit. A failed one leads to the
** failed state. If the lifecycle has none, the order is repeated later, as a new one; for a noun without states the failure is only
** logged. When its entity is deleted, an order is withdrawn, and a late result changes nothing.
**
** Handles that share a store: order_lease.c. Results of an order: order_outcome.c. Handing out: order_hand.c.
**
** Orders of a noun with a `notice` go to svc_config.notify instead, in the same way; an accepted one is done.
**
** Without a driver there are no orders except those to svc_config.notify: states move by due dates (lifecycle.c), which is the
** simulation. Orders that a driver has left behind become due dates when the store is opened without one.
*/
#include "pipeline/order_parts.h"

#define ORDER_FRONT 34
#define ORDER_GONE 0x8000u
#define ORDER_TRACED 0x4000u
#define ORDER_GONE_FRONT 26

/* ----------------------------------------------------------------------------------------------------------------- keys */

static void order_key(svc_key *key, const char *kind, const svc_id *parent, const svc_id *id)
{
  svc_key_begin(key, 'o');
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, parent);
  svc_key_id(key, id);
}

static void order_id_key(svc_key *key, const svc_id *id)
{
  svc_key_begin(key, 'q');
  svc_key_id(key, id);
}

SVC_PRIVATE void svc_order_wait_key(svc_key *key, const svc_order_record *r)
{
  svc_key_begin(key, 'w');
  svc_key_time(key, r->not_before);
  svc_key_id(key, &r->id);
}

static bool order_decode_trace(svc_str *value, svc_order_record *out)
{
  if (value->n < SVC_TRACE) return false;
  out->trace = (svc_str){ value->p, SVC_TRACE };
  *value = (svc_str){ value->p + SVC_TRACE, value->n - SVC_TRACE };
  return true;
}

static bool order_decode_gone(svc_str *value, svc_order_record *out)
{
  uint16_t length;
  if (value->n < ORDER_GONE_FRONT) return false;
  memcpy(out->scope.group.b, value->p, 12);
  memcpy(out->scope.org.b, value->p + 12, 12);
  memcpy(&length, value->p + 24, 2);
  if (length > value->n - ORDER_GONE_FRONT) return false;
  out->name = (svc_str){ value->p + ORDER_GONE_FRONT, length };
  *value = (svc_str){ value->p + ORDER_GONE_FRONT + length, value->n - ORDER_GONE_FRONT - length };
  return true;
}

static void order_encode_gone(svc_buf *b, const svc_order_record *r)
{
  uint16_t length = (uint16_t)r->name.n;
  svc_buf_add(b, (const char *)r->scope.group.b, 12);
  svc_buf_add(b, (const char *)r->scope.org.b, 12);
  svc_buf_add(b, (const char *)&length, 2);
  svc_buf_str(b, r->name);
}

SVC_PRIVATE bool svc_order_decode(svc_str value, svc_order_record *out)
{
  uint16_t length;
  if (value.n < ORDER_FRONT) return false;
  memcpy(out->id.b, value.p, 12);
  memcpy(&out->taken_by, value.p + 12, 8);
  memcpy(&out->not_before, value.p + 20, 8);
  memcpy(&out->attempt, value.p + 28, 4);
  memcpy(&length, value.p + 32, 2);
  value = (svc_str){ value.p + ORDER_FRONT, value.n - ORDER_FRONT };
  out->gone = (length & ORDER_GONE) != 0;
  out->trace = SVC_S("");
  if (length & ORDER_TRACED && !order_decode_trace(&value, out)) return false;
  if (out->gone && !order_decode_gone(&value, out)) return false;
  length &= (uint16_t)~(ORDER_GONE | ORDER_TRACED);
  if (length > value.n) return false;
  out->action = (svc_str){ value.p, length };
  out->desired = (svc_str){ value.p + length, value.n - length };
  return true;
}

SVC_PRIVATE bool svc_order_keep(svc_call *c, const svc_order_address *at, const svc_order_record *r)
{
  svc_buf b = svc_buf_new(c->arena, ORDER_FRONT + SVC_TRACE + r->action.n + r->desired.n);
  uint16_t length = (uint16_t)(r->action.n | (r->gone ? ORDER_GONE : 0) | (r->trace.n ? ORDER_TRACED : 0));
  svc_key key;
  svc_buf_add(&b, (const char *)r->id.b, 12);
  svc_buf_add(&b, (const char *)&r->taken_by, 8);
  svc_buf_add(&b, (const char *)&r->not_before, 8);
  svc_buf_add(&b, (const char *)&r->attempt, 4);
  svc_buf_add(&b, (const char *)&length, 2);
  svc_buf_str(&b, r->trace);
  if (r->gone) order_encode_gone(&b, r);
  svc_buf_str(&b, r->action);
  svc_buf_str(&b, r->desired);
  if (b.failed) return svc_no_memory(c);
  order_key(&key, at->kind, &at->parent, &at->id);
  svc_put(c->txn, &key, (svc_str){ b.p, b.n });
  svc_order_wait_key(&key, r);
  if (r->taken_by) svc_remove(c->txn, &key);
  else svc_put(c->txn, &key, SVC_S(""));
  return svc_txn_good(c);
}

static int order_get(svc_call *c, const svc_order_address *at, svc_order_record *out)
{
  svc_key key;
  svc_str value;
  int rc;
  order_key(&key, at->kind, &at->parent, &at->id);
  rc = svc_get(c->txn, &key, &value);
  if (rc != SVC_OK) return rc;
  return svc_order_decode(value, out) ? SVC_OK : svc_note(c->txn, SVC_CORRUPT);
}

/* By its own id. SVC_NOT_FOUND: done, or replaced. */
SVC_PRIVATE int svc_order_find(svc_call *c, const svc_id *id, svc_order_address *at, svc_order_record *out)
{
  svc_key key;
  svc_str value;
  int rc;
  order_id_key(&key, id);
  rc = svc_get(c->txn, &key, &value);
  if (rc != SVC_OK) return rc;
  if (value.n != SVC_KIND_SIZE + 24) return svc_note(c->txn, SVC_CORRUPT);
  memcpy(at->kind, value.p, SVC_KIND_SIZE);
  memcpy(at->parent.b, value.p + SVC_KIND_SIZE, 12);
  memcpy(at->id.b, value.p + SVC_KIND_SIZE + 12, 12);
  return order_get(c, at, out);
}

SVC_PRIVATE bool svc_order_remove(svc_call *c, const svc_order_address *at, const svc_order_record *r)
{
  svc_key key;
  order_key(&key, at->kind, &at->parent, &at->id);
  svc_remove(c->txn, &key);
  order_id_key(&key, &r->id);
  svc_remove(c->txn, &key);
  svc_order_wait_key(&key, r);
  svc_remove(c->txn, &key);
  return svc_txn_good(c);
}

static svc_order_address order_address_of(const svc_entity *e)
{
  svc_order_address at;
  memcpy(at.kind, e->kind, SVC_KIND_SIZE);
  at.parent = e->parent;
  at.id = e->id;
  return at;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

SVC_PRIVATE bool svc_order_has_taker(const svc *s, const svc_noun *noun)
{
  return svc_noun_ext_of(noun)->notice ? s->config.notify != NULL : s->config.driver != NULL;
}

SVC_PRIVATE bool svc_order_has_any_taker(const svc *s)
{
  return s->config.driver || s->config.notify;
}

SVC_PRIVATE int svc_order_of(svc_call *c, const svc_entity *e, svc_order_address *at, svc_order_record *out)
{
  *at = order_address_of(e);
  return order_get(c, at, out);
}

static bool order_drop(svc_call *c, const svc_entity *e)
{
  svc_order_address at = order_address_of(e);
  svc_order_record old;
  int rc = order_get(c, &at, &old);
  if (rc == SVC_OK) return svc_order_remove(c, &at, &old);
  return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
}

SVC_PRIVATE bool svc_order_waits(svc_call *c, const svc_entity *e)
{
  svc_order_address at = order_address_of(e);
  svc_order_record r;
  if (svc_due_get(e, SVC_DUE_ORDER)) return true;
  return svc_order_has_any_taker(c->s) && order_get(c, &at, &r) == SVC_OK;
}

/* The desired state as JSON: from the noun's hook, otherwise the body. A failed hook sets c->error. */
static svc_str order_desired(svc_call *c, const svc_noun *noun, const svc_entity *e)
{
  svc_node *desired = noun->desired ? noun->desired(c, e) : NULL;
  svc_buf b;
  if (!desired) return e->body;
  b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, desired);
  return svc_buf_done(&b);
}

/* A new order with its own id. */
SVC_PRIVATE bool svc_order_add(svc_call *c, const svc_order_address *at, const svc_order_record *r)
{
  char value[SVC_KIND_SIZE + 24];
  svc_key key;
  if (!svc_order_keep(c, at, r)) return false;
  memcpy(value, at->kind, SVC_KIND_SIZE);
  memcpy(value + SVC_KIND_SIZE, at->parent.b, 12);
  memcpy(value + SVC_KIND_SIZE + 12, at->id.b, 12);
  order_id_key(&key, &r->id);
  svc_put(c->txn, &key, (svc_str){ value, sizeof value });
  return svc_txn_good(c);
}

/* Replaces any order that the entity has. */
static bool order_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *action, bool gone)
{
  svc_order_address at = order_address_of(e);
  char trace[SVC_TRACE + 1];
  svc_order_record r;
  if (!order_drop(c, e)) return false;
  if (!action) return true;
  memset(&r, 0, sizeof r);
  if (svc_traceparent(c->request.raw, trace)) r.trace = svc_str_c(trace);
  r.id = svc_new_id(c->txn);
  r.not_before = c->now;
  r.action = svc_str_c(action);
  r.gone = gone;
  r.scope = e->scope;
  r.name = e->unique.n ? e->unique : e->key;
  r.desired = order_desired(c, noun->noun, e);
  return c->error.code == SVC_E_NONE && svc_order_add(c, &at, &r);
}

SVC_PRIVATE bool svc_order_put(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  const svc_transition *t = NULL;
  svc_str state;
  if ((!life && !noun->noun->order_put) || !svc_order_has_taker(c->s, noun->noun)) return true;
  if (!life) return order_write(c, noun, e, noun->noun->order_put, false);
  state = svc_json_word(e->body, life->field);
  if (state.n) t = svc_transition_from(noun->noun, state);
  return order_write(c, noun, e, t ? t->order : NULL, false);
}

SVC_PRIVATE bool svc_order_within(svc_call *c, svc_change *change)
{
  if (svc_order_has_taker(c->s, change->noun->noun)) return svc_order_put(c, change->noun, &change->entity);
  return svc_facts_take(c, change, change->noun->noun->order_put, NULL);
}

SVC_PRIVATE int64_t svc_order_time(const svc_call *c, const svc_noun_info *noun)
{
  return noun && svc_order_has_taker(c->s, noun->noun) ? c->txn->ids->now : c->now;
}

/* In a shared store the order may be one that another handle has a recipient for. */
SVC_PRIVATE bool svc_order_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  if (svc_order_has_taker(c->s, noun->noun)) return order_write(c, noun, e, noun->noun->order_gone, true);
  return !SVC_IS_SHARED(c->txn->port) || order_drop(c, e);
}

/* ----------------------------------------------------------------------------------------------------------- are they whole? */

static bool order_sound(svc_verify *v, const svc_order_record *r)
{
  svc_json_fault fault;
  return svc_json_gate(v->c->arena, r->desired, 512, &fault);
}

SVC_PRIVATE void svc_order_verify(svc_verify *v, svc_str key, svc_str value)
{
  const svc_noun_info *noun;
  svc_order_address at;
  svc_order_record r;
  svc_str place;
  svc_entity e;
  svc_key other;
  memset(&at, 0, sizeof at);
  if (key.n != 1 + SVC_KIND_SIZE + 24 || !svc_order_decode(value, &r) || !order_sound(v, &r)) {
    svc_found(v, key.n > SVC_KIND_SIZE ? key.p + 1 : "    ", &at.id, "an order cannot be read");
    return;
  }
  memcpy(at.kind, key.p + 1, SVC_KIND_SIZE);
  memcpy(at.parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
  memcpy(at.id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  noun = svc_noun_by_kind(v->c->s, at.kind);
  order_id_key(&other, &r.id);
  if (svc_get(v->c->txn, &other, &place) != SVC_OK || place.n != SVC_KIND_SIZE + 24 || memcmp(place.p, key.p + 1, place.n) != 0)
    svc_found(v, at.kind, &at.id, "its order cannot be found by the id that the driver has");
  svc_order_wait_key(&other, &r);
  if (!r.taken_by && !svc_verify_there(v, &other)) svc_found(v, at.kind, &at.id, "its order has no entry in the queue");
  if (noun && !noun->noun->order_gone && !svc_verify_get(v, at.kind, &at.parent, &at.id, &e))
    svc_found(v, at.kind, &at.id, "it has an order, but does not exist");
}

SVC_PRIVATE void svc_order_verify_id(svc_verify *v, svc_str key, svc_str value)
{
  svc_id id = { { 0 } };
  svc_order_address at;
  svc_order_record r;
  (void)value;
  if (key.n == 1 + 12) memcpy(id.b, key.p + 1, 12);
  if (key.n != 1 + 12 || svc_order_find(v->c, &id, &at, &r) != SVC_OK || !svc_id_eq(&r.id, &id))
    svc_found(v, "    ", &id, "the id of an order leads to no order, or to another one");
}

SVC_PRIVATE void svc_order_verify_waiting(svc_verify *v, svc_str key, svc_str value)
{
  svc_id id = { { 0 } };
  svc_order_address at;
  svc_order_record r;
  (void)value;
  if (key.n == 1 + 8 + 12) memcpy(id.b, key.p + 9, 12);
  if (key.n != 1 + 8 + 12 || svc_order_find(v->c, &id, &at, &r) != SVC_OK || r.taken_by || r.not_before != svc_key_time_at(key.p + 1))
    svc_found(v, "    ", &id, "the queue has an order that does not exist or has another state");
}
