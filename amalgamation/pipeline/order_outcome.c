/*
** The outcome of an order: the driver accepts it, is busy, has done it, or has failed.
**
** The rule: each of these is one job in one commit. A completed order moves the state and is removed. A failed one leads to the failed
** state. If the lifecycle has none, the order is repeated: with a driver after waits that grow from 2 s to 5 minutes, in the simulator
** after 60 s (ORDER_AGAIN). For a noun without states the failure is only logged. A message about an order that is done, replaced or
** withdrawn changes nothing.
*/
#include "pipeline/meddle.h"
#include "pipeline/order_parts.h"

#define ORDER_FIRST_WAIT 1000 /* milliseconds after the driver was busy; doubled each time */
#define ORDER_LONGEST_WAIT 300000
#define ORDER_AGAIN 60000 /* milliseconds after which the simulator repeats an order without failed state */

typedef struct order_job {
  svc_service_job work; /* must be first: the struct is cast back */
  int word;
  svc_id id;
  svc_str facts; /* JSON; n 0: none */
  bool mine;     /* for SVC_ORDER_TAKEN: no other handle was faster */
  int64_t until; /* for SVC_ORDER_HELD: the time at which it is handed out */
} order_job;

/* Milliseconds to wait after this many attempts. */
static int64_t order_wait(uint32_t attempt)
{
  return attempt > 8 ? ORDER_LONGEST_WAIT : (int64_t)ORDER_FIRST_WAIT << attempt;
}

/* The state after a failure: the noun's, or another value of the state field that the driver names. */
static svc_str order_failed_state(svc_call *c, const svc_noun *noun, const svc_node *facts)
{
  svc_str named = svc_node_str(facts, "state");
  const svc_field *f = svc_field_named(svc_object_of(noun->object, NULL), svc_str_c(noun->lifecycle->field));
  if (named.n && f && f->values && svc_value_in(c->s, named, f->values)) return named;
  return svc_str_c(noun->lifecycle->failed);
}

/* Enters the failed state, with the reason if its noun shows one; the fell_due hook runs as for any other state. */
SVC_PRIVATE bool svc_order_failed(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *facts)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  svc_str reason = svc_node_str(facts, "reason"), said = reason.n ? reason : SVC_S("no reason given");
  svc_entity e = *stored;
  svc_change change;
  unsigned i;
  svc_scope_enter(c, stored);
  svc_log(c->s, SVC_LOG_WARNING, "order.failed", "an order for %s " SVC_FMT " has failed: " SVC_FMT, noun->noun->name, SVC_ARG(stored->key),
          SVC_ARG(said));
  svc_due_set(&e, SVC_DUE_STATE, 0);
  if (life && !life->failed && svc_due_get(stored, SVC_DUE_STATE)) { /* in the simulator: repeated later */
    svc_due_set(&e, SVC_DUE_STATE, c->now + ORDER_AGAIN);
    return svc_entity_store(c, &e, stored) && svc_event_about(c, noun, &e, life->event_failed, false);
  }
  if (!life || !life->failed) return true; /* nothing changes */
  if (!svc_change_of(c, noun, stored, &change)) return false;
  change.id = stored->id;
  change.parent = stored->parent;
  svc_node_set_str(c->arena, change.body, life->field, order_failed_state(c, noun->noun, facts));
  if (life->reason && reason.n) svc_node_set_str(c->arena, change.body, life->reason, reason);
  if (noun->noun->fell_due && !noun->noun->fell_due(c, &change, SVC_DUE_STATE)) return false;
  for (i = 0; i < change.due_count; i++) svc_due_set(&e, change.dues[i].tag, change.dues[i].when);
  if (!svc_change_write(c, &change, &e)) return false;
  e.revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, &e, stored)) return false;
  return svc_change_along(c, noun, &e, change.before, change.body) && svc_event_about(c, noun, &e, life->event_failed, false);
}

/* Without a failed state, nothing else would lead out of the present one: the order is repeated, as a new one, after a wait that grows. Its
** first failure writes the event. */
static bool order_again(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_order_address *at, const svc_order_record *old)
{
  svc_order_record r = *old;
  if (!r.taken_by) r.attempt++; /* it failed before the handing out was stored */
  r.id = svc_new_id(c->txn);
  r.taken_by = 0;
  r.not_before = c->now + order_wait(r.attempt);
  return svc_order_add(c, at, &r) &&
         (r.attempt > 1 || svc_event_about(c, noun, e, noun->noun->lifecycle->event_failed, false));
}

/* A test may have an order complete in part: then it has failed, with the test's reason. */
static bool order_whole(svc_call *c, const svc_noun_info *noun, svc_entity *e, const char *action, const svc_node **facts, bool *done)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  svc_verdict verdict;
  svc_change change;
  if (!life || !svc_meddles(c->s, SVC_WATCH_STEPS)) return true;
  verdict = svc_step_ask(c, noun, e, svc_json_word(e->body, life->field), action, true);
  if (verdict.word != SVC_STEP_PARTLY) return true;
  svc_scope_enter(c, e);
  if (!svc_change_of(c, noun, e, &change)) return false;
  change.id = e->id;
  change.parent = e->parent;
  if (*facts && !svc_step_partly(c, &change, action, *facts)) return false;
  *done = false;
  *facts = svc_step_failure(c, &verdict);
  return *facts && svc_entity_get(c->txn, noun->noun->kind, &change.parent, &change.id, e) == SVC_OK;
}

/* An order is done or has failed: removes it, and applies the outcome to its entity. */
static bool order_settle(svc_call *c, const order_job *work, const svc_order_address *at, const svc_order_record *r)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, at->kind);
  const svc_node *facts = work->facts.n ? svc_json_parse(c->arena, work->facts) : NULL;
  const svc_lifecycle *life = noun ? noun->noun->lifecycle : NULL;
  svc_order_record again = *r;
  bool done = work->word == SVC_ORDER_DONE;
  svc_entity e;
  int rc;
  if (work->facts.n && !facts) return svc_no_memory(c);
  again.action = svc_arena_copy(c->arena, r->action); /* for the repeated order, if it has failed */
  again.desired = svc_arena_copy(c->arena, r->desired);
  again.trace = svc_arena_copy(c->arena, r->trace);
  if (!svc_order_remove(c, at, r)) return false;
  rc = noun ? svc_entity_get(c->txn, noun->noun->kind, &at->parent, &at->id, &e) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  if (done && !order_whole(c, noun, &e, again.action.p, &facts, &done)) return false;
  if (!done)
    return svc_order_failed(c, noun, &e, facts) && (!life || life->failed || order_again(c, noun, &e, at, &again));
  if (!life && !facts && !noun->noun->facts) return true;
  if (!life && !facts && !(facts = svc_node_object(c->arena, NULL))) return svc_no_memory(c);
  return svc_transition_take(c, noun, &e, again.action.p, facts, SVC_DUE_STATE); /* without states: takes the facts */
}

/* Postpones an order that was not handed out. */
static bool order_hold(svc_call *c, const svc_order_address *at, const svc_order_record *old, int64_t until)
{
  svc_order_record r = *old;
  svc_key key;
  if (r.taken_by) r.attempt--; /* in a shared store it was marked as taken, but not handed out */
  svc_order_wait_key(&key, old);
  svc_remove(c->txn, &key);
  r.taken_by = 0;
  r.not_before = until;
  r.action = svc_arena_copy(c->arena, old->action);
  r.desired = svc_arena_copy(c->arena, old->desired);
  r.trace = svc_arena_copy(c->arena, old->trace);
  return svc_order_keep(c, at, &r);
}

SVC_PRIVATE bool svc_order_release(svc_call *c, const svc_entity *e, int64_t until)
{
  svc_order_address at;
  svc_order_record r;
  int rc = svc_order_of(c, e, &at, &r);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  return r.taken_by || r.not_before != until || order_hold(c, &at, &r, c->now);
}

/* Applies one message, inside its commit. An order that is done or replaced is left alone. */
static bool order_note(svc_call *c, svc_service_job *job)
{
  order_job *work = (order_job *)job;
  svc_order_address at;
  svc_order_record r;
  svc_key key;
  int rc;
  if (work->word == SVC_ORDER_HANDLE_LIVES) return svc_order_reopen(c);
  if (SVC_IS_SHARED(c->txn->port) && work->word == SVC_ORDER_HANDLE_ENDS) return svc_order_say_living(c, false);
  work->mine = false;
  rc = svc_order_find(c, &work->id, &at, &r);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (work->word == SVC_ORDER_DONE || work->word == SVC_ORDER_FAILED) return order_settle(c, work, &at, &r);
  if (SVC_IS_SHARED(c->txn->port) && r.taken_by && work->word == SVC_ORDER_TAKEN) return true;
  if (SVC_IS_SHARED(c->txn->port) && r.taken_by) { /* marked before it was handed out */
    if (r.taken_by != c->s->session) return true;
    r.attempt--;
    r.taken_by = 0;
  }
  if (work->word == SVC_ORDER_HELD) return order_hold(c, &at, &r, work->until);
  svc_order_wait_key(&key, &r);
  svc_remove(c->txn, &key);
  if (work->word == SVC_ORDER_TAKEN) r.taken_by = c->s->session;
  else r.not_before = c->now + order_wait(r.attempt);
  r.attempt++;
  work->mine = true;
  return svc_order_keep(c, &at, &r);
}

/* A test postpones the order. */
SVC_PRIVATE int svc_order_put_off(svc *s, const svc_id *id, int64_t until, int64_t now)
{
  order_job work = { .work.run = order_note, .word = SVC_ORDER_HELD, .id = *id, .until = until };
  return svc_service_run(s, &work.work, now);
}

SVC_PRIVATE int svc_order_tell(svc *s, int word, const svc_id *id, svc_str facts, int64_t now, bool *mine)
{
  order_job work = { .work.run = order_note, .word = word, .facts = facts };
  int rc;
  if (id) work.id = *id;
  rc = svc_service_run(s, &work.work, now);
  if (mine) *mine = work.mine;
  return rc == SVC_OK && work.work.job.refused ? SVC_INVALID : rc;
}

SVC_PRIVATE int svc_order_say(svc *s, int word, const svc_id *id, svc_str facts, int64_t now)
{
  return svc_order_tell(s, word, id, facts, now, NULL);
}

/* ------------------------------------------------------------------------------------------------- the driver's functions */

int svc_order_done(svc *s, const char *order_id, int result, const char *facts)
{
  svc_str text;
  svc_id id;
  int rc;
  if (!SVC_USABLE(s) || !order_id || !svc_id_parse(svc_str_c(order_id), &id)) return SVC_INVALID;
  rc = svc_facts_gate(s, facts, &text);
  return rc == SVC_OK ? svc_order_say(s, result == SVC_OK ? SVC_ORDER_DONE : SVC_ORDER_FAILED, &id, text, svc_now(s)) : rc;
}

/* The secrets of an order, as text; n 0: no such order, or the secrets cannot be unsealed (*closed). */
static svc_str order_secrets(svc_call *c, const svc_id *id, bool *closed)
{
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_node *secrets = NULL;
  const svc_noun_info *noun;
  svc_order_address at;
  svc_order_record r;
  svc_entity e;
  if (svc_order_find(c, id, &at, &r) != SVC_OK) return SVC_S("");
  noun = svc_noun_by_kind(c->s, at.kind);
  if (!noun || svc_entity_get(c->txn, noun->noun->kind, &at.parent, &at.id, &e) != SVC_OK) return SVC_S("");
  if (!noun->seals && !noun->noun->secrets) e.extra = SVC_S("");
  secrets = noun->noun->secrets ? noun->noun->secrets(c, &e) : svc_seal_secrets(c->s, c->arena, &e);
  *closed = !secrets;
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
  bool closed = false;
  int rc;
  if (!SVC_USABLE(s) || !order_id || !out || !length || !svc_id_parse(svc_str_c(order_id), &id)) return SVC_INVALID;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (rc == SVC_OK) {
    text = order_secrets(&c, &id, &closed);
    rc = c.txn->error ? c.txn->error : arena.failed ? SVC_NOMEM : closed && s->config.secret_key ? SVC_BUSY : text.n == 0 ? SVC_INVALID
         : text.n < *length ? SVC_OK : SVC_FULL;
    if (rc == SVC_OK) memcpy(out, text.p, text.n + 1);
    if (rc == SVC_OK || rc == SVC_FULL) *length = text.n + (rc == SVC_FULL);
    svc_end_read(&c);
  }
  svc_blocks_free(arena.blocks);
  return rc;
}
