/*
** What the driver is to do, and what it has done.
**
** A change that needs work of the data plane writes its order in its own transaction. svc_tick() hands orders out, outside
** of any request and any transaction; the driver says through svc_order_done(), from any thread, what came of one.
**
**   o kind parent id   the order of an entity: id(12) u64 taken by, i64 not before, u32 attempt, u16 length of action,
**                      action, desired state
**   q id               where that is: kind(4) parent(12) id(12)
**   w when id          it waits to be handed out
**
** The rules: an entity has one order at the most, and a newer one replaces it, as does any change of what is wanted; being
** told that the older one is done finds nothing. An order that was taken belongs to the handle that gave it out: another
** handle, after this one has ended, gives it out again, under the same id. What is done moves the state and is gone, in one
** commit. What has failed goes into its failed state; where there is none, the order comes again later, as a new one.
**
** Where several handles share a store each says, in a record of its own, until when it lives, and says it again long before that.
** An order is taken before it is handed out, so that one handle does; what was taken by one that lives no more, having ended or said
** nothing for ORDER_LEASE, waits again. Clocks that differ by seconds do no harm: a lease is longer, and renewed with two thirds left.
**
** Orders of a noun that `notifies` go to svc_config.notify instead, in the same way; what that takes is done.
**
** Without a driver there are no orders: states move by due dates (lifecycle.c), and that is the simulation. Orders that a
** driver has left behind become due dates when the store is opened without one.
*/
#include "pipeline/pipeline.h"

#define ORDER_FRONT 34
#define ORDER_BATCH 32 /* that are read at once */
#define ORDER_FIRST_WAIT 1000 /* milliseconds, after the driver was busy; doubled each time */
#define ORDER_LONGEST_WAIT 300000
#define ORDER_LEASE 60000 /* milliseconds that a handle lives without saying so again */
#define ORDER_RENEW 20000
#define ORDER_HANDLES 64 /* that share a store; where there are more, nobody takes over what others have */

typedef struct order_record {
  svc_id id;
  uint64_t taken_by; /* session of the handle; 0: it waits */
  int64_t not_before;
  uint32_t attempt; /* how often it was handed out */
  svc_str action, desired;
} order_record;

typedef struct order_address {
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
} order_address;

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

static void order_wait_key(svc_key *key, const order_record *r)
{
  svc_key_begin(key, 'w');
  svc_key_time(key, r->not_before);
  svc_key_id(key, &r->id);
}

static bool order_decode(svc_str value, order_record *out)
{
  uint16_t length;
  if (value.n < ORDER_FRONT) return false;
  memcpy(out->id.b, value.p, 12);
  memcpy(&out->taken_by, value.p + 12, 8);
  memcpy(&out->not_before, value.p + 20, 8);
  memcpy(&out->attempt, value.p + 28, 4);
  memcpy(&length, value.p + 32, 2);
  if (length > value.n - ORDER_FRONT) return false;
  out->action = (svc_str){ value.p + ORDER_FRONT, length };
  out->desired = (svc_str){ value.p + ORDER_FRONT + length, value.n - ORDER_FRONT - length };
  return true;
}

static bool order_put(svc_call *c, const order_address *at, const order_record *r)
{
  svc_buf b = svc_buf_new(c->arena, ORDER_FRONT + r->action.n + r->desired.n);
  uint16_t length = (uint16_t)r->action.n;
  svc_key key;
  svc_buf_add(&b, (const char *)r->id.b, 12);
  svc_buf_add(&b, (const char *)&r->taken_by, 8);
  svc_buf_add(&b, (const char *)&r->not_before, 8);
  svc_buf_add(&b, (const char *)&r->attempt, 4);
  svc_buf_add(&b, (const char *)&length, 2);
  svc_buf_str(&b, r->action);
  svc_buf_str(&b, r->desired);
  if (b.failed) return svc_no_memory(c);
  order_key(&key, at->kind, &at->parent, &at->id);
  svc_put(c->txn, &key, (svc_str){ b.p, b.n });
  order_wait_key(&key, r);
  if (r->taken_by) svc_remove(c->txn, &key);
  else svc_put(c->txn, &key, SVC_S(""));
  return svc_txn_good(c);
}

static int order_get(svc_call *c, const order_address *at, order_record *out)
{
  svc_key key;
  svc_str value;
  int rc;
  order_key(&key, at->kind, &at->parent, &at->id);
  rc = svc_get(c->txn, &key, &value);
  if (rc != SVC_OK) return rc;
  return order_decode(value, out) ? SVC_OK : svc_note(c->txn, SVC_CORRUPT);
}

/* By its own id. SVC_NOT_FOUND: it is done, or another one has replaced it. */
static int order_find(svc_call *c, const svc_id *id, order_address *at, order_record *out)
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

static bool order_remove(svc_call *c, const order_address *at, const order_record *r)
{
  svc_key key;
  order_key(&key, at->kind, &at->parent, &at->id);
  svc_remove(c->txn, &key);
  order_id_key(&key, &r->id);
  svc_remove(c->txn, &key);
  order_wait_key(&key, r);
  svc_remove(c->txn, &key);
  return svc_txn_good(c);
}

static order_address order_address_of(const svc_entity *e)
{
  order_address at;
  memcpy(at.kind, e->kind, SVC_KIND_SIZE);
  at.parent = e->parent;
  at.id = e->id;
  return at;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

SVC_PRIVATE bool svc_order_has_taker(const svc *s, const svc_noun *noun)
{
  return noun->notice ? s->config.notify != NULL : s->config.driver != NULL;
}

static bool order_drop(svc_call *c, const svc_entity *e)
{
  order_address at = order_address_of(e);
  order_record old;
  int rc = order_get(c, &at, &old);
  if (rc == SVC_OK) return order_remove(c, &at, &old);
  return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
}

SVC_PRIVATE bool svc_order_waits(svc_call *c, const svc_entity *e)
{
  order_address at = order_address_of(e);
  order_record r;
  return (c->s->config.driver || c->s->config.notify) && order_get(c, &at, &r) == SVC_OK;
}

static svc_str order_desired(svc_call *c, const svc_noun *noun, const svc_entity *e)
{
  svc_node *desired = noun->desired ? noun->desired(c, e) : NULL;
  svc_buf b;
  if (!desired) return e->body;
  b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, desired);
  return svc_buf_done(&b);
}

/* One that is new, with its own id. */
static bool order_add(svc_call *c, const order_address *at, const order_record *r)
{
  char value[SVC_KIND_SIZE + 24];
  svc_key key;
  if (!order_put(c, at, r)) return false;
  memcpy(value, at->kind, SVC_KIND_SIZE);
  memcpy(value + SVC_KIND_SIZE, at->parent.b, 12);
  memcpy(value + SVC_KIND_SIZE + 12, at->id.b, 12);
  order_id_key(&key, &r->id);
  svc_put(c->txn, &key, (svc_str){ value, sizeof value });
  return svc_txn_good(c);
}

/* In the place of any that it has. */
static bool order_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *action)
{
  order_address at = order_address_of(e);
  order_record r;
  if (!order_drop(c, e)) return false;
  if (!action) return true;
  memset(&r, 0, sizeof r);
  r.id = svc_new_id(c->txn);
  r.not_before = c->now;
  r.action = svc_str_c(action);
  r.desired = order_desired(c, noun->noun, e);
  return c->error.code == SVC_E_NONE && order_add(c, &at, &r);
}

SVC_PRIVATE bool svc_order_put(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  const svc_transition *t = NULL;
  svc_str state;
  if ((!life && !noun->noun->order_put) || !svc_order_has_taker(c->s, noun->noun)) return true;
  if (!life) return order_write(c, noun, e, noun->noun->order_put);
  state = svc_json_word(e->body, life->field);
  if (state.n) t = svc_transition_from(noun->noun, state);
  return order_write(c, noun, e, t ? t->order : NULL);
}

SVC_PRIVATE bool svc_order_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  return !svc_order_has_taker(c->s, noun->noun) || order_write(c, noun, e, noun->noun->order_gone);
}

/* ----------------------------------------------------------------------------------------------------------------- jobs */

/* What the driver says of an order: that it has taken it, is busy, is done with it, or has failed. And what a handle says of itself:
** that it lives, which is also when it looks what others have left behind; and that it ends. */
enum order_word { ORDER_TAKEN, ORDER_BUSY, ORDER_DONE, ORDER_FAILED, ORDER_OPEN, ORDER_CLOSE };

typedef struct order_job {
  svc_job job; /* first: it is cast back */
  svc *s;
  int word;
  svc_id id;
  svc_str facts; /* JSON; n 0: none */
  bool mine;     /* of ORDER_TAKEN: no other handle was faster */
} order_job;

static int64_t order_wait(uint32_t attempt)
{
  return attempt > 8 ? ORDER_LONGEST_WAIT : (int64_t)ORDER_FIRST_WAIT << attempt;
}

/* The state that a failure leads to: its noun's, or another of its field's that the driver names. */
static svc_str order_failed_state(svc_call *c, const svc_noun *noun, const svc_node *facts)
{
  svc_str named = svc_node_str(facts, "state");
  const svc_field *f = svc_field_named(svc_object_of(noun->object, NULL), svc_str_c(noun->lifecycle->field));
  if (named.n && f && f->values && svc_value_in(c->s, named, f->values)) return named;
  return svc_str_c(noun->lifecycle->failed);
}

/* It goes into its failed state, with the reason where its noun shows one; its noun hears of it as of any other state. */
static bool order_failed(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *facts)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  svc_str reason = svc_node_str(facts, "reason"), said = reason.n ? reason : SVC_S("no reason given");
  svc_entity e = *stored;
  svc_change change;
  unsigned i;
  svc_scope_enter(c, stored);
  svc_log(c->s, SVC_LOG_WARNING, "an order for %s " SVC_FMT " has failed: " SVC_FMT, noun->noun->name, SVC_ARG(stored->key),
          SVC_ARG(said));
  if (!life || !life->failed) return true; /* it stays as it is */
  if (!svc_change_of(c, noun, stored, &change)) return false;
  change.id = stored->id;
  change.parent = stored->parent;
  svc_node_set_str(c->arena, change.body, life->field, order_failed_state(c, noun->noun, facts));
  if (life->reason && reason.n) svc_node_set_str(c->arena, change.body, life->reason, reason);
  if (noun->noun->fell_due && !noun->noun->fell_due(c, &change, SVC_DUE_STATE)) return false;
  for (i = 0; i < change.due_count; i++) svc_due_set(&e, change.dues[i].tag, change.dues[i].when);
  if (!svc_change_write(c, &change, &e)) return false;
  e.revision = svc_new_revision(c->txn);
  if (svc_entity_update(c->txn, c->arena, &e, stored) != SVC_OK) return svc_store_failed(c, c->txn->error);
  return svc_change_along(c, noun, &e, change.before, change.body) && svc_event_about(c, noun, &e, life->event_failed, false);
}

/* Where there is no failed state, nothing else would lead out of the one that it is in: the order comes again, as a new one,
** after a wait that grows. Its first failure has the event. */
static bool order_again(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const order_address *at, const order_record *old)
{
  order_record r = *old;
  if (!r.taken_by) r.attempt++; /* it failed before it was noted that it was taken */
  r.id = svc_new_id(c->txn);
  r.taken_by = 0;
  r.not_before = c->now + order_wait(r.attempt);
  return order_add(c, at, &r) &&
         (r.attempt > 1 || svc_event_about(c, noun, e, noun->noun->lifecycle->event_failed, false));
}

static bool order_settle(svc_call *c, const order_job *work, const order_address *at, const order_record *r)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  const svc_node *facts = work->facts.n ? svc_json_parse(c->arena, work->facts) : NULL;
  const svc_lifecycle *life = noun ? noun->noun->lifecycle : NULL;
  order_record again = *r;
  svc_entity e;
  int rc;
  if (work->facts.n && !facts) return svc_no_memory(c);
  again.action = svc_arena_copy(c->arena, r->action); /* the record in which they stand goes */
  again.desired = svc_arena_copy(c->arena, r->desired);
  if (!order_remove(c, at, r)) return false;
  rc = noun ? svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &e) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  if (work->word != ORDER_DONE)
    return order_failed(c, noun, &e, facts) && (!life || life->failed || order_again(c, noun, &e, at, &again));
  if (!life && (!facts || !noun->noun->facts)) return true;
  return svc_transition_take(c, noun, &e, facts, SVC_DUE_STATE); /* of what has no states: what came of it */
}

/* There is no driver any more: what it was to do is simulated from here on. */
static bool order_simulate(svc_call *c, const order_address *at, const order_record *r)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  svc_entity e, old;
  svc_str state;
  if (!order_remove(c, at, r)) return false;
  if (!noun || !noun->noun->lifecycle || svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &old) != SVC_OK)
    return svc_txn_good(c);
  e = old;
  state = svc_json_word(e.body, noun->noun->lifecycle->field);
  if (state.n) svc_due_set(&e, SVC_DUE_STATE, svc_transition_due(c->s, noun->noun, state, c->now));
  return svc_entity_update(c->txn, c->arena, &e, &old) == SVC_OK || svc_store_failed(c, c->txn->error);
}

/* ------------------------------------------------------------------------------------------- handles that share a store */

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
  bool all; /* there are too many of them to tell */
} order_living;

static bool order_lives(const order_living *l, uint64_t session)
{
  unsigned i;
  for (i = 0; i < l->n; i++)
    if (l->sessions[i] == session) return true;
  return l->all;
}

static bool order_has_any_taker(const svc *s)
{
  return s->config.driver || s->config.notify;
}

/* Those that live, this one among them, whatever its clock has done; the records of others go. In a store of one handle there are none. */
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
  if (order_has_any_taker(c->s)) l->sessions[l->n++] = c->s->session;
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

/* This one lives, from now on; false: it ends. */
static bool order_say_living(svc_call *c, bool lives)
{
  int64_t until = c->now + ORDER_LEASE;
  svc_key key;
  if (!SVC_IS_SHARED(c->txn->port)) return true;
  order_session_key(&key, c->s->session);
  if (lives) svc_put(c->txn, &key, (svc_str){ (const char *)&until, sizeof until });
  else svc_remove(c->txn, &key);
  return svc_txn_good(c);
}

/* What a handle had given out that is there no more waits again. */
static bool order_reopen(svc_call *c)
{
  order_living living;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  order_record r;
  order_address at;
  if (!order_find_living(c, &living)) return false;
  if (order_has_any_taker(c->s) && !order_say_living(c, true)) return false;
  svc_key_begin(&prefix, 'o');
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    const svc_noun_info *noun;
    bool taker;
    if (key.n != 1 + SVC_KIND_SIZE + 24 || !order_decode(value, &r)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
    memcpy(at.kind, key.p + 1, SVC_KIND_SIZE);
    memcpy(at.parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
    memcpy(at.id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
    noun = svc_noun_by_kind(c->s, at.kind);
    taker = noun && svc_order_has_taker(c->s, noun->noun);
    if (SVC_IS_SHARED(c->txn->port) && r.taken_by && order_lives(&living, r.taken_by)) continue;
    if (SVC_IS_SHARED(c->txn->port) && !taker && (living.n || living.all)) continue; /* somebody else's driver is there for it */
    if (!taker && !order_simulate(c, &at, &r)) return false;
    if (!taker || r.taken_by == 0) continue;
    r.taken_by = 0;
    if (!order_put(c, &at, &r)) return false;
  }
  return svc_txn_good(c);
}

static bool order_note(svc_call *c, order_job *work)
{
  order_address at;
  order_record r;
  svc_key key;
  int rc;
  if (work->word == ORDER_OPEN) return order_reopen(c);
  if (SVC_IS_SHARED(c->txn->port) && work->word == ORDER_CLOSE) return order_say_living(c, false);
  work->mine = false;
  rc = order_find(c, &work->id, &at, &r);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (work->word == ORDER_DONE || work->word == ORDER_FAILED) return order_settle(c, work, &at, &r);
  if (SVC_IS_SHARED(c->txn->port) && r.taken_by && work->word == ORDER_TAKEN) return true;
  if (SVC_IS_SHARED(c->txn->port) && r.taken_by) { /* it was, before it was handed out */
    if (r.taken_by != c->s->session) return true;
    r.attempt--;
    r.taken_by = 0;
  }
  order_wait_key(&key, &r);
  svc_remove(c->txn, &key);
  if (work->word == ORDER_TAKEN) r.taken_by = c->s->session;
  else r.not_before = c->now + order_wait(r.attempt);
  r.attempt++;
  work->mine = true;
  return order_put(c, &at, &r);
}

static bool order_work(svc_job *job, svc_txn *txn)
{
  order_job *work = (order_job *)job;
  svc_arena arena;
  svc_call c;
  bool good;
  svc_service_call(&c, work->s, &arena, txn, job->now);
  good = order_note(&c, work);
  if (arena.failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  return good;
}

/* mine may be NULL. */
static int order_tell(svc *s, int word, const svc_id *id, svc_str facts, int64_t now, bool *mine)
{
  order_job work;
  int rc;
  memset(&work, 0, sizeof work);
  work.job.work = order_work;
  work.job.now = now;
  work.s = s;
  work.word = word;
  if (id) work.id = *id;
  work.facts = facts;
  rc = svc_commit_run(&s->commit, &work.job);
  if (mine) *mine = work.mine;
  return rc == SVC_OK && work.job.refused ? SVC_INVALID : rc;
}

static int order_say(svc *s, int word, const svc_id *id, svc_str facts, int64_t now)
{
  return order_tell(s, word, id, facts, now, NULL);
}

/* --------------------------------------------------------------------------------------------------------- handing out */

/* An order as the driver sees it; its strings are the arena's. */
static bool order_show(svc_call *c, const order_address *at, const order_record *r, svc_order *out)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  svc_entity e;
  memset(out, 0, sizeof *out);
  memset(&e, 0, sizeof e);
  if (!noun) return false;
  if (svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &e) != SVC_OK) {
    if (!noun->noun->order_gone || c->txn->error) return false;
    e.id = at->id; /* of what is gone, this is known, and how it was: the desired state */
    e.parent = at->parent;
    if (noun->parent == c->s->group) e.scope.group = at->parent;
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
  return !c->arena->failed;
}

/* Those that wait, the first of them: read, and the transaction is over. */
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
    order_address at;
    order_record r;
    if (key.n != 1 + 8 + 12) continue;
    memcpy(ids[*n].b, key.p + 9, 12);
    if (order_find(&c, &ids[*n], &at, &r) == SVC_OK && order_show(&c, &at, &r, &orders[*n])) ++*n;
  }
  rc = c.txn->error;
  svc_end_read(&c);
  return arena->failed ? SVC_NOMEM : rc;
}

static int order_hand_out(svc *s, const svc_order *order, const svc_id *id, int64_t now)
{
  const svc_driver *driver = s->config.driver;
  const svc_notice_ops *notice = svc_noun_named(s, order->resource)->noun->notice;
  const bool shared = SVC_IS_SHARED(s->commit.port);
  svc_str why = SVC_S("{\"reason\":\"it was refused\"}");
  int said, word = ORDER_FAILED;
  if (shared) {
    bool mine;
    int rc = order_tell(s, ORDER_TAKEN, id, SVC_S(""), now, &mine);
    if (rc != SVC_OK || !mine) return rc;
  }
  said = notice ? notice->notify(s, order) : driver->perform(driver->context, s, order);
  if (shared && said == SVC_OK && !notice) return SVC_OK; /* it is noted already */
  if (said == SVC_OK) word = notice ? ORDER_DONE : ORDER_TAKEN;
  else if (said == SVC_BUSY) word = ORDER_BUSY;
  return order_say(s, word, id, word == ORDER_FAILED ? why : SVC_S(""), now);
}

/* One thread at a time hands out: else two would give the same order. */
SVC_PRIVATE int svc_orders_hand_out(svc *s, int64_t now)
{
  svc_order orders[ORDER_BATCH];
  svc_id ids[ORDER_BATCH];
  svc_arena arena;
  size_t n = 0, i;
  int rc = SVC_OK;
  if (!order_has_any_taker(s) || atomic_exchange(&s->handing_out, true)) return SVC_OK;
  if (SVC_IS_SHARED(s->commit.port) && now >= s->session_due) {
    rc = order_say(s, ORDER_OPEN, NULL, SVC_S(""), now);
    if (rc == SVC_OK) s->session_due = now + ORDER_RENEW;
  }
  do {
    svc_arena_init(&arena, &s->allocator);
    if (rc == SVC_OK) rc = order_collect(s, &arena, now, orders, ids, &n);
    for (i = 0; i < n && rc == SVC_OK; i++) rc = order_hand_out(s, &orders[i], &ids[i], now);
    svc_blocks_free(arena.blocks);
  } while (rc == SVC_OK && n == ORDER_BATCH);
  atomic_store(&s->handing_out, false);
  return rc;
}

SVC_PRIVATE int64_t svc_orders_next(svc *s, int64_t after)
{
  int64_t when = INT64_MAX;
  svc_key from, to;
  svc_range range;
  svc_txn *txn;
  svc_row row;
  size_t n = 0;
  svc_key_begin(&from, 'w');
  svc_key_time(&from, after + 1);
  svc_key_begin(&to, 'x');
  range = (svc_range){ svc_key_str(&from), svc_key_str(&to), false, 0 };
  if (s->commit.port->read_begin(s->commit.store, &txn) != SVC_OK) return when;
  if (txn->port->scan(txn, &range, &row, 1, &n) == SVC_OK && n && row.key.n >= 9) when = svc_key_time_at(row.key.p + 1);
  s->commit.port->read_end(txn);
  return when;
}

SVC_PRIVATE int svc_orders_open(svc *s)
{
  const svc_range all = { SVC_S("o"), SVC_S("p"), false, 0 };
  const svc_ids *ids = &s->commit.ids;
  svc_txn *txn;
  svc_row row;
  size_t n = 0;
  int rc;
  if (ids->random(ids->random_context, &s->session, sizeof s->session) != 0) return SVC_RANDOM;
  s->session |= 1; /* 0 would mean that nobody has taken it */
  if (s->config.keep_orders) return SVC_OK;
  rc = s->commit.port->read_begin(s->commit.store, &txn);
  if (rc != SVC_OK) return rc;
  rc = txn->port->scan(txn, &all, &row, 1, &n);
  s->commit.port->read_end(txn);
  if (SVC_IS_SHARED(s->commit.port) && order_has_any_taker(s)) {
    s->session_due = svc_now(s) + ORDER_RENEW;
    if (s->session_due <= 0) s->session_due = 1;
    n = 1;
  }
  return rc == SVC_OK && n ? order_say(s, ORDER_OPEN, NULL, SVC_S(""), svc_now(s)) : rc;
}

/* What it has given out may be somebody else's at once. If this does not go, it is when the lease has ended. */
SVC_PRIVATE void svc_orders_close(svc *s)
{
  if (s->commit.store && SVC_IS_SHARED(s->commit.port) && s->session_due) order_say(s, ORDER_CLOSE, NULL, SVC_S(""), svc_now(s));
}

/* Space around JSON is none of it. */
static svc_str order_trim(svc_str text)
{
  while (text.n && strchr(" \t\r\n", text.p[0])) text.p++, text.n--;
  return text;
}

int svc_order_done(svc *s, const char *order_id, int result, const char *facts)
{
  svc_json_fault fault;
  svc_str text = order_trim(svc_str_c(facts));
  svc_arena arena;
  svc_id id;
  bool sound;
  if (!s || !order_id || !svc_id_parse(svc_str_c(order_id), &id)) return SVC_INVALID;
  if (text.n > s->config.max_body) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  sound = text.n == 0 || (svc_json_gate(&arena, text, s->config.max_depth, &fault) && text.p[0] == '{');
  svc_blocks_free(arena.blocks);
  if (arena.failed) return SVC_NOMEM;
  return sound ? order_say(s, result == SVC_OK ? ORDER_DONE : ORDER_FAILED, &id, text, svc_now(s)) : SVC_INVALID;
}

/* Its secrets as text; n 0: there is no such order, or they cannot be opened. */
static svc_str order_secrets(svc_call *c, const svc_id *id)
{
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_node *secrets = NULL;
  const svc_noun_info *noun;
  order_address at;
  order_record r;
  svc_entity e;
  if (order_find(c, id, &at, &r) != SVC_OK) return SVC_S("");
  noun = svc_noun_by_kind(c->s, at.kind);
  if (!noun || svc_entity_get(c->txn, noun->noun->kind, &at.parent, &at.id, &e) != SVC_OK) return SVC_S("");
  if (!noun->seals) e.extra = SVC_S("");
  secrets = noun->noun->notice ? noun->noun->notice->secrets(c, &e) : svc_seal_secrets(c->s, c->arena, &e);
  if (!secrets) return SVC_S("");
  svc_node_write(&b, secrets);
  return svc_buf_done(&b);
}

int svc_order_secrets(svc *s, const char *order_id, char *out, size_t *length)
{
  svc_arena arena;
  svc_call c;
  svc_str text;
  svc_id id;
  int rc;
  if (!s || !order_id || !out || !length || !svc_id_parse(svc_str_c(order_id), &id)) return SVC_INVALID;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (rc == SVC_OK) {
    text = order_secrets(&c, &id);
    rc = c.txn->error ? c.txn->error : arena.failed ? SVC_NOMEM : text.n == 0 ? SVC_INVALID : text.n < *length ? SVC_OK : SVC_FULL;
    if (rc == SVC_OK) memcpy(out, text.p, text.n + 1);
    if (rc == SVC_OK || rc == SVC_FULL) *length = text.n + (rc == SVC_FULL);
    svc_end_read(&c);
  }
  svc_blocks_free(arena.blocks);
  return rc;
}

/* ----------------------------------------------------------------------------------------------------------- are they whole? */

static bool order_sound(svc_verify *v, const order_record *r)
{
  svc_json_fault fault;
  return svc_json_gate(v->c->arena, r->desired, 512, &fault);
}

SVC_PRIVATE void svc_order_verify(svc_verify *v, svc_str key, svc_str value)
{
  const svc_noun_info *noun;
  order_address at;
  order_record r;
  svc_str place;
  svc_entity e;
  svc_key other;
  memset(&at, 0, sizeof at);
  if (key.n != 1 + SVC_KIND_SIZE + 24 || !order_decode(value, &r) || !order_sound(v, &r)) {
    svc_found(v, key.n > SVC_KIND_SIZE ? key.p + 1 : "    ", &at.id, "an order cannot be read");
    return;
  }
  memcpy(at.kind, key.p + 1, SVC_KIND_SIZE);
  memcpy(at.parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
  memcpy(at.id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  noun = svc_noun_by_kind(v->c->s, at.kind);
  order_id_key(&other, &r.id);
  if (svc_get(v->c->txn, &other, &place) != SVC_OK || place.n != SVC_KIND_SIZE + 24 || memcmp(place.p, key.p + 1, place.n) != 0)
    svc_found(v, at.kind, &at.id, "its order is not found by the id that the driver knows");
  order_wait_key(&other, &r);
  if (!r.taken_by && !svc_verify_there(v, &other)) svc_found(v, at.kind, &at.id, "its order waits, and nobody hands it out");
  if (noun && !noun->noun->order_gone && !svc_verify_get(v, at.kind, &at.parent, &at.id, &e))
    svc_found(v, at.kind, &at.id, "there is an order for it, and it is not there");
}

SVC_PRIVATE void svc_order_verify_id(svc_verify *v, svc_str key, svc_str value)
{
  svc_id id = { { 0 } };
  order_address at;
  order_record r;
  (void)value;
  if (key.n == 1 + 12) memcpy(id.b, key.p + 1, 12);
  if (key.n != 1 + 12 || order_find(v->c, &id, &at, &r) != SVC_OK || !svc_id_eq(&r.id, &id))
    svc_found(v, "    ", &id, "the id of an order leads to none, or to another");
}

SVC_PRIVATE void svc_order_verify_waiting(svc_verify *v, svc_str key, svc_str value)
{
  svc_id id = { { 0 } };
  order_address at;
  order_record r;
  (void)value;
  if (key.n == 1 + 8 + 12) memcpy(id.b, key.p + 9, 12);
  if (key.n != 1 + 8 + 12 || order_find(v->c, &id, &at, &r) != SVC_OK || r.taken_by || r.not_before != svc_key_time_at(key.p + 1))
    svc_found(v, "    ", &id, "an order waits that is none, or waits otherwise");
}
