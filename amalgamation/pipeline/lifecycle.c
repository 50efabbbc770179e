/*
** States move by due dates, not by threads.
**
** An entity that enters a state with a transition gets an entry in the due index, unless the driver has an order for it (order.c). Due
** steps are applied before the next request is served, and by svc_tick(), in the order of their dates. (A handle sees those that another
** process has written a second later at most, see COMMIT_SHARED_LOOK.) A step and the removal of its date are one transaction: if two
** handles take the same step, one commits first, and the other one's job runs again and no longer finds the date. The events of a step have
** the date at which it was due. A job of the commit queue applies at most LIFECYCLE_BATCH of them, so other writers take turns. A noun
** whose states do not follow from a table alone has a fell_due hook.
**
** The rule: a due step runs in the scope of its record, and may insert, count, meter and write events like a
** request.
*/
#include "pipeline/meddle.h"

#define LIFECYCLE_BATCH 256 /* maximum steps per transaction */
#define LIFECYCLE_SPENT 1024 /* records that they read, see svc_call.spent: the step that reaches this limit is the last of the
                                transaction */
#define LIFECYCLE_DEFAULT_MS 10000

SVC_PRIVATE const svc_transition *svc_transition_from(const svc_noun *noun, svc_str state)
{
  const svc_transition *t;
  for (t = SVC_ALWAYS(noun->lifecycle) ? noun->lifecycle->transitions : NULL; SVC_ALWAYS(t) && t->from; t++)
    if (svc_str_is(state, t->from)) return t;
  return NULL;
}

SVC_PRIVATE const char *svc_event_of_gone(const svc_noun *noun)
{
  const svc_transition *t;
  for (t = noun->lifecycle ? noun->lifecycle->transitions : NULL; t && t->from; t++)
    if (!t->to) return t->event;
  return noun->event_deleted;
}

SVC_PRIVATE int64_t svc_provisioned(const svc *s, unsigned percent, int64_t now)
{
  int64_t whole = s->config.provision_ms;
  if (whole == 0) whole = LIFECYCLE_DEFAULT_MS;
  if (whole < 0 || atomic_load_explicit(&s->at_once, memory_order_relaxed)) whole = 0;
  whole = now + whole * percent / 100;
  return whole ? whole : 1; /* 0 would mean "never" */
}

SVC_PRIVATE int64_t svc_transition_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now)
{
  const svc_transition *t = svc_transition_from(noun, state);
  if (!t || (t->order && svc_order_has_taker(s, noun))) return 0; /* the driver decides */
  return svc_provisioned(s, t->percent, now);
}

/* ---------------------------------------------------------------------------------------------------------------- steps */

/* Moves the entity to its next state, by its table or by its noun's hook. */
static bool lifecycle_move(svc_call *c, const svc_transition *t, svc_change *change, int tag)
{
  const svc_noun *noun = change->noun->noun;
  if (t) {
    svc_node_set_text(c->arena, change->body, noun->lifecycle->field, t->to);
    change->due = svc_transition_due(c->s, noun, svc_str_c(t->to), c->now);
    change->event = t->event;
  }
  return !noun->fell_due || noun->fell_due(c, change, tag);
}

/* Stores the change of a due step, with order and event. The due date with this tag is used up. */
static bool lifecycle_store(svc_call *c, svc_change *change, int tag)
{
  const svc_noun_info *noun = change->noun;
  svc_entity e = change->entity;
  const bool same = svc_node_same(change->before, change->body);
  bool ordered = !same; /* without states, the driver gets an order if the entity changed */
  unsigned i;
  svc_due_set(&e, tag, 0);
  if (tag == SVC_DUE_STATE || change->due) svc_due_set(&e, SVC_DUE_STATE, change->due < 0 ? 0 : change->due);
  for (i = 0; i < change->due_count; i++) svc_due_set(&e, change->dues[i].tag, change->dues[i].when);
  if (noun->noun->fell_due) svc_count_below(c, noun, &e.id, change->body); /* the hook may have added some */
  if (!svc_change_write(c, change, &e)) return false;
  if (!same) e.revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, &e, &change->entity)) return false;
  if (noun->noun->lifecycle) {
    const char *field = noun->noun->lifecycle->field;
    ordered = !svc_str_eq(svc_node_str(change->before, field), svc_node_str(change->body, field));
  }
  return svc_change_along(c, noun, &e, change->before, change->body) && (!ordered || svc_order_put(c, noun, &e)) &&
         svc_event_about(c, noun, &e, change->event, false);
}

SVC_PRIVATE bool svc_change_settle(svc_call *c, svc_change *change)
{
  return lifecycle_store(c, change, SVC_DUE_NONE);
}

/* Enters a state that a test has postponed until now. */
static bool lifecycle_begin(svc_call *c, svc_change *change, const char *state)
{
  const svc_noun *noun = change->noun->noun;
  svc_node_set_text(c->arena, change->body, noun->lifecycle->field, state);
  change->due = svc_transition_due(c->s, noun, svc_str_c(state), c->now);
  return lifecycle_store(c, change, SVC_DUE_STATE);
}

/* The transition out of the present state: common to completed orders and due dates. */
SVC_PRIVATE bool svc_transition_take(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const char *action,
                                     const svc_node *facts, int tag)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  const svc_transition *t;
  svc_change change;
  svc_scope_enter(c, stored);
  if (!svc_change_of(c, noun, stored, &change)) return false;
  change.extra = stored->extra;
  change.id = stored->id;
  change.parent = stored->parent;
  t = life && tag == SVC_DUE_STATE ? svc_transition_from(noun->noun, svc_node_str(change.before, life->field)) : NULL;
  if (life && !t && !action && tag == SVC_DUE_STATE && svc_meddles(c->s, SVC_WATCH_STEPS)) {
    const char *begins = svc_state_begins(c, stored);
    if (begins) return lifecycle_begin(c, &change, begins);
  }
  if (t && !action && svc_meddles(c->s, SVC_WATCH_STEPS)) {
    bool taken;
    if (!svc_step_meddled(c, &change, t->order, facts, &taken)) return false;
    if (taken) return true;
  }
  if (!action && t) action = t->order;
  if (action && !facts && !svc_facts_simulate(c, &change, action, &facts)) return false;
  if (svc_node_get(facts, SVC_FAILURE)) return svc_order_failed(c, noun, stored, facts);
  if (t && !t->to) return svc_erase(c, noun, stored);
  if (!lifecycle_move(c, t, &change, tag)) return false;
  if (facts && !svc_facts_take(c, &change, action, facts)) return false;
  return lifecycle_store(c, &change, tag);
}

static bool lifecycle_step(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, int tag)
{
  svc_scope_enter(c, stored);
  if (noun->noun->flags & SVC_EXPIRES && tag == SVC_DUE_EXPIRY) return svc_erase(c, noun, stored);
  return svc_transition_take(c, noun, stored, NULL, NULL, tag);
}

/* The entity of an entry. False: deleted, or waiting for another time. */
static bool lifecycle_entity(svc_call *c, const svc_due_entry *due, const svc_noun_info **noun, svc_entity *e)
{
  *noun = svc_noun_by_kind(c->s, due->kind);
  return *noun && svc_entity_get(c->txn, (*noun)->noun->kind, &due->parent, &due->id, e) == SVC_OK &&
         svc_due_get(e, due->tag) == due->when;
}

/* Due steps without an entity: the expiry of an Idempotency-Key, the end of a ledger month, the rest of a delete. */
static bool lifecycle_other(svc_call *c, const svc_due_entry *due, bool *good)
{
  bool mine = svc_retry_expire(c->txn, due);
  *good = true;
  if (!mine) *good = svc_meter_due(c, due, &mine);
  if (!mine) *good = svc_erase_due(c, due, &mine);
  return mine;
}

typedef struct lifecycle_job {
  svc_job job; /* must be first: the struct is cast back. `frees`: only freeing steps are done */
  svc *s;
  int done;
  bool more;         /* there may be more due steps */
  bool spoiled;      /* this step refused after a write: the run is aborted, and its writes are lost */
  svc_due_entry bad;
  int before;        /* steps before it in the same run, undone with it */
} lifecycle_job;

/* Removes a due entry if its entity is deleted, has another date, or refuses the step. So no entry is retried forever. */
static bool lifecycle_forget(svc_call *c, const svc_due_entry *due)
{
  const svc_noun_info *noun;
  svc_entity e, old;
  svc_key key;
  if (lifecycle_entity(c, due, &noun, &old)) {
    e = old;
    svc_due_set(&e, due->tag, 0);
    return svc_entity_update(c->txn, c->arena, &e, &old) == SVC_OK;
  }
  svc_key_due(&key, due);
  return svc_remove(c->txn, &key) == SVC_OK;
}

/* Applies one due step. False: the transaction has failed or is spoiled. */
static bool lifecycle_apply(svc_call *c, lifecycle_job *work, const svc_due_entry *due)
{
  const svc_noun_info *noun;
  svc_entity e;
  bool good = true, dirty = c->txn->dirty, known;
  c->now = due->when;
  c->txn->dirty = false;
  known = !lifecycle_other(c, due, &good) && lifecycle_entity(c, due, &noun, &e);
  if (known) good = lifecycle_step(c, noun, &e, due->tag);
  if (c->txn->error || c->arena->failed) return false;
  if (!good) {
    svc_log(c->s, SVC_LOG_WARNING, "step.given_up", "a due step cannot be applied and is dropped: %s", svc_error_name(c->error.code));
    c->error.code = SVC_E_NONE;
    work->spoiled = c->txn->dirty;
    work->bad = *due;
    work->before = work->done;
  }
  c->txn->dirty |= dirty;
  if (work->spoiled) return false;
  return (known && good) ||
         lifecycle_forget(c, due); /* a step that succeeded removed its date, or set the next one, perhaps to the same time */
}

static bool lifecycle_apply_first(svc_call *c, lifecycle_job *work, int64_t now, bool *found)
{
  svc_due_entry due;
  *found = svc_due_first(c->txn, &due) && due.when <= now;
  return *found ? lifecycle_apply(c, work, &due) : c->txn->error == SVC_OK;
}

/* -------------------------------------------------------------------------------------------------------- a full store */

/* Whether the step makes the store smaller. An entry without entity is only dropped. */
static bool lifecycle_frees(svc_call *c, const svc_due_entry *due)
{
  const svc_noun_info *noun;
  const svc_transition *t;
  svc_str state;
  svc_entity e;
  if (!lifecycle_entity(c, due, &noun, &e) || (noun->noun->flags & SVC_EXPIRES && due->tag == SVC_DUE_EXPIRY)) return true;
  if (!noun->noun->lifecycle || due->tag != SVC_DUE_STATE) return false;
  state = svc_json_word(e.body, noun->noun->lifecycle->field);
  if (!state.n) return false;
  t = svc_transition_from(noun->noun, state);
  return t && !t->to;
}

/* Applies due steps that free room out of turn: steps that lack room must not block the others. */
static bool lifecycle_apply_freeing(svc_call *c, lifecycle_job *work, int64_t now, int most)
{
  svc_due_entry due;
  svc_scan scan;
  svc_due_begin(&scan, c->txn);
  while (work->done < most && svc_due_next(&scan, &due) && due.when <= now) {
    if (!lifecycle_frees(c, &due)) continue;
    if (!lifecycle_apply(c, work, &due)) return false;
    work->done++;
  }
  return c->txn->error == SVC_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- jobs */

/*
** A step that refuses after a write spoils its run, which is aborted. The steps before it are then done and committed alone, so that the
** refusing step is the first of the next run, where it is dropped. Only the first step of a run may be dropped. A later one
** may concern an entity that the abort has undone: the next run would create the entity again, and the same step with it, forever.
*/
static bool lifecycle_work(svc_job *job, svc_txn *txn)
{
  lifecycle_job *work = (lifecycle_job *)job;
  svc_arena arena;
  svc_call c;
  bool good = true, found = true, forget = work->spoiled && !work->before;
  int most = work->spoiled && work->before ? work->before : LIFECYCLE_BATCH;
  if (work->s->config.manual_clock && svc_now(work->s) < job->now) job->now = svc_now(work->s); /* the clock was set back since */
  svc_service_call(&c, work->s, &arena, txn, job->now);
  work->done = 0;
  work->spoiled = false;
  if (forget) {
    work->done = 1;
    good = lifecycle_forget(&c, &work->bad);
    found = false;
  } else if (job->frees) {
    good = lifecycle_apply_freeing(&c, work, job->now, most);
    found = work->done == most;
  }
  for (; !forget && !job->frees && work->done < most && c.spent < LIFECYCLE_SPENT && good && found; work->done += found)
    good = lifecycle_apply_first(&c, work, job->now, &found);
  work->more = good && (found || job->alone);
  if (arena.failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  return good;
}

/* Applies due steps, batch by batch. *any: something was done. *left: the number of steps that may still be taken; the batch that uses
** them up is the last one. */
static int lifecycle_run(svc *s, int64_t now, bool freeing, int64_t *left, bool *any)
{
  lifecycle_job work;
  int status;
  *any = false;
  do {
    memset(&work, 0, sizeof work);
    work.job.work = lifecycle_work;
    work.job.now = now;
    work.job.frees = freeing;
    work.s = s;
    status = svc_commit_run(&s->commit, &work.job);
    if (status == SVC_OK && !work.job.refused && work.done) *any = true;
    *left = *left > work.done ? *left - work.done : 0;
  } while (status == SVC_OK && work.more && !work.job.refused && *left);
  return status;
}

SVC_PRIVATE int svc_apply_due_some(svc *s, int64_t now, int64_t *left)
{
  char text[SVC_STORE_TEXT];
  bool any;
  int status = lifecycle_run(s, now, false, left, &any);
  if (status == SVC_FULL && lifecycle_run(s, now, true, left, &any) == SVC_OK && any)
    status = lifecycle_run(s, now, false, left, &any);
  if (status != SVC_OK) {
    /* reads continue; the next try is in a second */
    svc_log(s, SVC_LOG_ERROR, "step.failed", "due steps could not be stored: %s", svc_store_text(s, status, text));
    svc_commit_look_at(&s->commit, now + 1000);
  }
  return status;
}

SVC_PRIVATE int svc_apply_due(svc *s, int64_t now)
{
  int64_t left = INT64_MAX;
  return svc_apply_due_some(s, now, &left);
}
