/*
** States move by due dates, not by threads.
**
** An entity that enters a state with a step out of it gets an entry in the due index. Whatever is due is applied before
** the next request is served, and by svc_tick(), in the order it fell due; the events bear the time at which it did. A
** noun whose states do not follow from a table alone has a say in it: its fell_due hook.
*/
#include "internal.h"

#define LIFECYCLE_BATCH 256 /* steps of one transaction */
#define LIFECYCLE_DEFAULT_MS 10000

SVC_PRIVATE const svc_step *svc_step_from(const svc_noun *noun, svc_str state)
{
  const svc_step *step;
  for (step = noun->lifecycle ? noun->lifecycle->steps : NULL; step && step->from; step++)
    if (svc_str_is(state, step->from)) return step;
  return NULL;
}

SVC_PRIVATE int64_t svc_step_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now)
{
  const svc_step *step = svc_step_from(noun, state);
  int64_t whole = s->config.provision_ms;
  if (!step) return 0;
  if (whole == 0) whole = LIFECYCLE_DEFAULT_MS;
  if (whole < 0) whole = 0;
  whole = now + whole * step->percent / 100;
  return whole ? whole : 1; /* 0 would mean never */
}

/* The project and organization that an entity belongs to, for its event: found upwards from its parent. */
static void lifecycle_scope(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_id *group, svc_id *org)
{
  static const svc_id root;
  svc_entity up;
  memset(group, 0, sizeof *group);
  memset(org, 0, sizeof *org);
  if (c->s->group && svc_entity_get(c->txn, c->s->group->noun->kind, &root, &e->parent, &up) == SVC_OK) {
    *group = up.id;
    *org = up.owner;
  } else if (noun->parent == c->s->org) {
    *org = e->parent;
  }
}

static bool lifecycle_event(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type)
{
  svc_id group, org;
  svc_str value = e->unique.n ? e->unique : e->key;
  lifecycle_scope(c, noun, e, &group, &org);
  if (!type || (svc_id_is_zero(&group) && svc_id_is_zero(&org))) return true;
  return svc_event_write(c, type, svc_id_is_zero(&group) ? NULL : &group, &org, noun->noun->event_field, value);
}

/* The entity in the state that it goes into by its table, or as its noun will have it. */
static bool lifecycle_move(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_step *step,
                           svc_change *change)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  change->noun = noun;
  change->stored = true;
  change->old = stored;
  change->id = stored->id;
  change->extra = svc_arena_copy(c->arena, stored->extra);
  change->body = svc_node_copy(c->arena, change->before);
  if (!change->body) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  if (step) {
    svc_node_set_str(c->arena, change->body, life->field, svc_str_c(step->to));
    change->due = svc_step_due(c->s, noun->noun, svc_str_c(step->to), c->now);
    change->event = step->event;
  }
  return !noun->noun->fell_due || noun->noun->fell_due(c, change);
}

static bool lifecycle_step(svc_call *c, const svc_noun_info *noun, const svc_entity *stored)
{
  const svc_lifecycle *life = noun->noun->lifecycle;
  const svc_step *step;
  svc_entity e = *stored, before = *stored;
  svc_change change;
  memset(&change, 0, sizeof change);
  change.before = svc_entity_body(c, stored);
  if (!change.before) return false;
  step = life ? svc_step_from(noun->noun, svc_node_str(change.before, life->field)) : NULL;
  e.key = svc_arena_copy(c->arena, stored->key); /* for the event, after the entity was written */
  e.unique = svc_arena_copy(c->arena, stored->unique);
  if (noun->noun->flags & SVC_EXPIRES) return svc_erase(c, noun, &e);
  if (step && !step->to) return svc_erase(c, noun, &e) && lifecycle_event(c, noun, &e, step->event);
  if (!lifecycle_move(c, noun, stored, step, &change)) return false;
  before.extra = change.extra;
  return svc_rewrite(c, &before, change.body, change.due) && lifecycle_event(c, noun, &e, change.event);
}

/* The entity that an entry is of. False: of none, or of one that waits for another time. */
static bool lifecycle_entity(svc_call *c, const svc_due_entry *due, const svc_noun_info **noun, svc_entity *e)
{
  *noun = svc_noun_by_kind(c->s, due->kind);
  return *noun && svc_entity_get(c->txn, (*noun)->noun->kind, &due->parent, &due->id, e) == SVC_OK && e->due == due->when;
}

static bool lifecycle_apply(svc_call *c, const svc_due_entry *due)
{
  const svc_noun_info *noun;
  svc_entity e;
  svc_key key;
  c->now = due->when;
  if (!svc_retry_expire(c->txn, due->kind, &due->parent, &due->id) && lifecycle_entity(c, due, &noun, &e))
    if (lifecycle_step(c, noun, &e) || c->arena->failed || c->txn->error) return c->txn->error == SVC_OK && !c->arena->failed;
  /* of a noun that this build leaves out: forgotten, not tried for ever */
  svc_key_due(&key, due->when, due->kind, &due->parent, &due->id);
  svc_remove(c->txn, &key);
  return c->txn->error == SVC_OK;
}

static bool lifecycle_apply_first(svc_call *c, int64_t now, bool *found)
{
  svc_due_entry due;
  *found = svc_due_first(c->txn, &due) && due.when <= now;
  return *found ? lifecycle_apply(c, &due) : c->txn->error == SVC_OK;
}

/* -------------------------------------------------------------------------------------------------------- a full store */

/* Is there less in the store after this? What has no entity is only forgotten. */
static bool lifecycle_frees(svc_call *c, const svc_due_entry *due)
{
  const svc_noun_info *noun;
  const svc_step *step;
  svc_arena arena; /* many may be looked at */
  svc_entity e;
  if (!lifecycle_entity(c, due, &noun, &e) || noun->noun->flags & SVC_EXPIRES) return true;
  if (!noun->noun->lifecycle) return false;
  svc_arena_init(&arena, &c->s->allocator);
  step = svc_step_from(noun->noun, svc_node_str(svc_json_parse(&arena, e.body), noun->noun->lifecycle->field));
  svc_blocks_free(arena.blocks);
  return step && !step->to;
}

/* Those of what is due that free, out of turn: what has no room to go on must not keep the others from making it. */
static bool lifecycle_apply_freeing(svc_call *c, int64_t now, int *n)
{
  svc_due_entry *all = svc_arena_alloc(c->arena, LIFECYCLE_BATCH * sizeof *all), due; /* writing moves what a scan stands on */
  svc_scan scan;
  bool good;
  int i;
  *n = 0;
  good = all && svc_due_begin(&scan, c->txn);
  if (!good) return false;
  while (*n < LIFECYCLE_BATCH && svc_due_next(&scan, &due) && due.when <= now)
    if (lifecycle_frees(c, &due)) all[(*n)++] = due;
  svc_scan_end(&scan);
  for (i = 0; i < *n && good; i++) good = lifecycle_apply(c, &all[i]);
  return good && c->txn->error == SVC_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- jobs */

typedef struct lifecycle_job {
  svc_job job; /* first: it is cast back; what frees is all that is done, or everything */
  svc *s;
  int done;
} lifecycle_job;

static bool lifecycle_work(svc_job *job, svc_txn *txn)
{
  lifecycle_job *work = (lifecycle_job *)job;
  svc_arena arena;
  svc_call c;
  bool good = true, found = true;
  svc_own_call(&c, work->s, &arena, txn, job->now);
  work->done = 0;
  if (job->frees) good = lifecycle_apply_freeing(&c, job->now, &work->done);
  for (; !job->frees && work->done < LIFECYCLE_BATCH && good && found; work->done += found)
    good = lifecycle_apply_first(&c, job->now, &found);
  if (arena.failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  return good;
}

/* *any: something was done. */
static int lifecycle_run(svc *s, int64_t now, bool freeing, bool *any)
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
    if (status == SVC_OK && !work.job.failed && work.done) *any = true;
  } while (status == SVC_OK && work.done == LIFECYCLE_BATCH && !work.job.failed);
  return status;
}

SVC_PRIVATE int svc_apply_due(svc *s, int64_t now)
{
  bool any;
  int status = lifecycle_run(s, now, false, &any);
  if (status == SVC_FULL && lifecycle_run(s, now, true, &any) == SVC_OK && any) status = lifecycle_run(s, now, false, &any);
  if (status != SVC_OK) {
    /* reads go on; the next try is made in a second */
    svc_log(s, SVC_LOG_ERROR, "steps that are due could not be stored: %s", svc_strerror(status));
    atomic_store(&s->commit.next_due, (unsigned)(now / 1000 + 1));
  }
  return status;
}
