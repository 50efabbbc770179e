/*
** The entities that a path names, from the outermost in: the project, the cluster in it, the snapshot of that.
**
** The rule: each is looked up below the one before it, in the transaction of the call, so an answer never mixes two
** states of the store; the first that is missing gives the error of its noun.
*/
#include "internal.h"

SVC_PRIVATE bool svc_store_failed(svc_call *c, int status)
{
  if (status != SVC_MAP_FULL) svc_log(c->s, SVC_LOG_ERROR, "store: %s", svc_strerror(status)); /* that one is tried again */
  c->violations = c->violations_last = NULL; /* they were of a body that has not been judged in the end */
  c->violation_count = 0;
  return svc_fail(c, status == SVC_FULL ? SVC_E_INSUFFICIENT_STORAGE : SVC_E_SERVICE_UNAVAILABLE, "");
}

SVC_PRIVATE bool svc_begin_read(svc_call *c)
{
  svc_commit *k = &c->s->commit;
  int rc;
  if (c->txn) return true;
  rc = k->port->read_begin(k->store, &c->txn);
  return rc == SVC_OK ? true : svc_store_failed(c, rc);
}

SVC_PRIVATE void svc_end_read(svc_call *c)
{
  if (c->txn) c->s->commit.port->read_end(c->txn);
  c->txn = NULL;
  c->resolved = 0;
}

SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned step, svc_str key)
{
  svc_str parent;
  int code = noun->noun->err_not_found ? noun->noun->err_not_found : SVC_E_RESOURCE_NOT_FOUND;
  if (noun == c->plan->noun && c->plan->route->err_not_found) code = c->plan->route->err_not_found;
  if (code == SVC_E_RESOURCE_NOT_FOUND) return svc_fail(c, code, "S", &c->path);
  if (step == 0) return svc_fail(c, code, "S", &key);
  parent = c->chain[step - 1].unique.n && !(c->plan->steps[step - 1].noun->noun->flags & SVC_GLOBAL) ? c->chain[step - 1].unique
                                                                                                   : c->chain[step - 1].key;
  return svc_fail(c, code, "SS", &key, &parent);
}

/* What the path says of this step: one segment decoded, or several joined as they stand in keys. */
static svc_str resolve_text(svc_call *c, const struct svc_plan_step *step)
{
  svc_buf b;
  unsigned i;
  if (step->param_count == 1) return c->params[step->param];
  b = svc_buf_new(c->arena, 64);
  for (i = 0; i < step->param_count; i++) {
    if (i) svc_buf_char(&b, '/');
    svc_percent_encode(&b, c->params[step->param + i]);
  }
  return svc_buf_done(&b);
}

/* By its unique value, in whatever scope it is: the first that the caller may see. */
static int resolve_anywhere(svc_call *c, const svc_noun_info *noun, svc_str value, svc_entity *out)
{
  static const svc_id root;
  svc_finder finder;
  svc_id scope, id;
  int rc = SVC_NOT_FOUND;
  if (!svc_named_begin(&finder, c->txn, noun->noun->kind, value, true)) return c->txn->error;
  while (rc == SVC_NOT_FOUND && svc_finder_next(&finder, &scope, &id)) {
    rc = svc_entity_get(c->txn, noun->noun->kind, &root, &id, out);
    if (rc == SVC_OK && !svc_entity_visible(c, noun, out)) rc = SVC_NOT_FOUND;
  }
  svc_finder_end(&finder);
  return c->txn->error ? c->txn->error : rc;
}

/* What belongs to an organization can be named below its projects, too. */
static const svc_id *resolve_parent(const svc_call *c, unsigned i)
{
  bool owned = c->plan->steps[i].noun->parent == c->s->org && c->plan->steps[i - 1].noun == c->s->group;
  return owned ? &c->chain[i - 1].owner : &c->chain[i - 1].id;
}

static bool resolve_step(svc_call *c, unsigned i)
{
  static const svc_id root;
  const struct svc_plan_step *step = &c->plan->steps[i];
  const svc_noun *noun = step->noun->noun;
  const svc_id *parent = i > 0 && !(noun->flags & SVC_GLOBAL) ? resolve_parent(c, i) : &root;
  svc_entity *e = &c->chain[i];
  svc_str text = resolve_text(c, step);
  svc_id id;
  int rc = SVC_NOT_FOUND;
  if (noun->flags & SVC_BY_TABLE) {
    memset(e, 0, sizeof *e);
    e->key = c->raw_params[step->param];
    return true;
  }
  if (noun->spell) text = noun->spell(c, text);
  if (step->by_unique && i == 0) rc = resolve_anywhere(c, step->noun, text, e);
  else if (noun->key || step->by_unique) rc = svc_entity_find(c->txn, noun->kind, parent, parent, text, e);
  else if (svc_id_parse(text, &id)) rc = svc_entity_get(c->txn, noun->kind, parent, &id, e);
  if (rc == SVC_OK && noun->flags & SVC_GLOBAL && i > 0 && !svc_id_eq(&e->owner, &c->chain[i - 1].id)) rc = SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND) return svc_not_found(c, step->noun, i, text);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (c->plan->item_by_owner && i == 0) c->owner_key = svc_id_str(c->arena, &e->owner);
  if (c->txn->ids) { /* what is in the store moves when it is written to */
    e->key = svc_arena_copy(c->arena, e->key);
    e->unique = svc_arena_copy(c->arena, e->unique);
  }
  return true;
}

SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned steps)
{
  for (; c->resolved < steps; c->resolved++)
    if (!resolve_step(c, c->resolved)) return false;
  return true;
}

SVC_PRIVATE bool svc_resolve_all(svc_call *c)
{
  return svc_resolve(c, c->plan->step_count);
}

SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c)
{
  unsigned parents = c->plan->step_count - (c->plan->own ? 1 : 0);
  return parents ? &c->chain[parents - 1] : NULL;
}

static const svc_entity *resolve_of(const svc_call *c, const svc_noun_info *noun)
{
  unsigned i;
  for (i = 0; c->plan && i < c->resolved; i++)
    if (c->plan->steps[i].noun == noun) return &c->chain[i];
  return NULL;
}

SVC_PRIVATE svc_id svc_call_group(const svc_call *c)
{
  static const svc_id none;
  const svc_entity *group = resolve_of(c, c->s->group);
  return group ? group->id : none;
}

SVC_PRIVATE svc_id svc_call_org(const svc_call *c)
{
  static const svc_id none;
  const svc_entity *org = resolve_of(c, c->s->org), *group = resolve_of(c, c->s->group);
  return org ? org->id : group ? group->owner : none;
}
