/*
** Steps of states that a test has fail, wait or complete in part (pipeline/meddle.h).
**
** The rule: a verdict takes the usual paths of the code. A failing step enters the failed state as if a driver had reported
** it; a waiting one gets another due date; a partial one takes its facts as usual, and then fails.
*/
#include "pipeline/meddle.h"
#include "pipeline/order_parts.h"

SVC_PRIVATE svc_verdict svc_step_ask(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_str state, const char *action, bool done)
{
  const svc_step step = { noun->noun, e, state, action, done };
  const svc_verdict none = { SVC_STEP_TAKEN, 0, { "", 0 } };
  return svc_meddles(c->s, SVC_WATCH_STEPS) && c->s->meddler ? c->s->meddler->step(c, &step) : none;
}

SVC_PRIVATE svc_node *svc_step_failure(svc_call *c, const svc_verdict *verdict)
{
  svc_node *said = svc_node_object(c->arena, NULL);
  if (said) svc_node_set_str(c->arena, said, SVC_FAILURE, verdict->reason);
  return said;
}

/* Keeps the first half of the elements, rounded up. */
static void meddle_halve(svc_node *list)
{
  size_t n = (svc_node_count(list) + 1) / 2;
  svc_node *one = list->first;
  if (!one) return;
  while (--n) one = one->next;
  one->next = NULL;
  list->last = one;
}

static svc_node *meddle_half(svc_call *c, const svc_node *facts)
{
  svc_node *half = svc_node_copy(c->arena, facts), *one;
  if (!half) return NULL;
  meddle_halve(half);
  for (one = half->first; one; one = one->next)
    if (one->type == SVC_J_ARRAY) meddle_halve(one);
  return half;
}

/* If the half is not valid as facts of the order, none of it is taken. */
SVC_PRIVATE bool svc_step_partly(svc_call *c, svc_change *change, const char *action, const svc_node *facts)
{
  const svc_noun *noun = change->noun->noun;
  const svc_order_row *row = svc_order_row_of(noun, action);
  svc_node *half;
  if (!facts && action && !svc_facts_simulate(c, change, action, &facts)) return false;
  if (!facts || !noun->facts) return true;
  half = meddle_half(c, facts);
  if (!half) return svc_no_memory(c);
  half = svc_facts_check(c, noun, row ? row->facts : NULL, half, action);
  if (!half) return !c->arena->failed;
  return noun->facts(c, change, half) && svc_change_settle(c, change);
}

static bool meddle_wait(svc_call *c, const svc_entity *stored, int64_t until)
{
  svc_entity e = *stored;
  svc_due_set(&e, SVC_DUE_STATE, until);
  return svc_entity_store(c, &e, stored);
}

static bool meddle_fail(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_verdict *verdict)
{
  const svc_node *said = svc_step_failure(c, verdict);
  svc_entity e;
  int rc = svc_entity_get(c->txn, noun->noun->kind, &stored->parent, &stored->id, &e);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  return said ? svc_order_failed(c, noun, &e, said) : svc_no_memory(c);
}

SVC_PRIVATE bool svc_step_meddled(svc_call *c, svc_change *change, const char *action, const svc_node *facts, bool *taken)
{
  const svc_lifecycle *life = change->noun->noun->lifecycle;
  svc_verdict verdict = svc_step_ask(c, change->noun, &change->entity, svc_node_str(change->before, life->field), action, false);
  *taken = verdict.word != SVC_STEP_TAKEN;
  if (!*taken) return true;
  if (verdict.word == SVC_STEP_WAITS) return meddle_wait(c, &change->entity, verdict.until);
  if (verdict.word == SVC_STEP_PARTLY && !svc_step_partly(c, change, action, facts)) return false;
  return meddle_fail(c, change->noun, &change->entity, &verdict);
}

/* Only for a stable state: any other ends at its own time. */
SVC_PRIVATE int64_t svc_state_later(svc_call *c, const svc_change *change, const svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  if (!svc_meddles(c->s, SVC_WATCH_STEPS) || !c->s->meddler || !change->before || change->due) return 0;
  if (svc_transition_from(noun, svc_node_str(change->before, noun->lifecycle->field))) return 0;
  return c->s->meddler->later(c, noun, e, change->state);
}

SVC_PRIVATE const char *svc_state_begins(svc_call *c, const svc_entity *e)
{
  return svc_meddles(c->s, SVC_WATCH_STEPS) && c->s->meddler ? c->s->meddler->begins(c, e) : NULL;
}

/* --------------------------------------------------------------------------------------------------------------- lag */

SVC_PRIVATE void svc_lag_note(svc_call *c, const svc_entity *e, const svc_entity *old)
{
  if (svc_meddles(c->s, SVC_WATCH_LAG) && c->s->meddler) c->s->meddler->changes(c, e, old);
}

/* If the test answers from another transaction, the entities of the path are looked up again, in that one. */
SVC_PRIVATE bool svc_lag_begin(svc_call *c)
{
  svc_txn *txn;
  if (!svc_meddles(c->s, SVC_WATCH_LAG) || !c->s->meddler) return true;
  txn = c->s->meddler->reads(c);
  if (!txn) return svc_no_memory(c);
  if (txn != c->txn) {
    c->route.resolved = 0;
    c->route.parts = 0;
  }
  c->txn = txn;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- going on */

typedef struct meddle_job {
  svc_service_job work; /* must be first: the struct is cast back */
  const svc_held_step *held;
  size_t n;
} meddle_job;

/* Releases the due date or the postponed order, if it is still the same one. */
static bool meddle_release(svc_call *c, const svc_held_step *held)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, held->kind);
  svc_entity e;
  int rc = noun ? svc_entity_get(c->txn, noun->noun->kind, &held->parent, &held->id, &e) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  if (svc_due_get(&e, SVC_DUE_STATE) == held->until) return meddle_wait(c, &e, c->now);
  return svc_order_release(c, &e, held->until);
}

static bool meddle_release_all(svc_call *c, svc_service_job *job)
{
  const meddle_job *work = (const meddle_job *)job;
  size_t i;
  for (i = 0; i < work->n; i++)
    if (!meddle_release(c, &work->held[i])) return false;
  return true;
}

SVC_PRIVATE int svc_steps_release(svc *s, const svc_held_step *held, size_t n, int64_t now)
{
  meddle_job work;
  memset(&work, 0, sizeof work);
  work.work.run = meddle_release_all;
  work.held = held;
  work.n = n;
  return n ? svc_service_run(s, &work.work, now) : SVC_OK;
}
