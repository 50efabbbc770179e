/*
** The scope of resources: their project and organization.
**
** A request has its scope from its path (resolve.c); internal work has the scope of its record. So events, quotas, fields like
** groupId and the ledger are the same, whatever causes a change. Records hold their scope: it changes only when a project
** moves to another organization.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE void svc_scope_enter(svc_call *c, const svc_entity *e)
{
  c->scope = e->scope;
}

SVC_PRIVATE bool svc_scope_covers(const svc_scope *scope, const svc_scope *of)
{
  bool nowhere = svc_id_is_zero(&of->group) && svc_id_is_zero(&of->org);
  return nowhere || (svc_id_eq(&scope->org, &of->org) && (svc_id_is_zero(&of->group) || svc_id_eq(&scope->group, &of->group)));
}

/* By its parent, which need not be in the path. */
static bool scope_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_scope *out)
{
  static const svc_id none;
  const svc_noun_info *up = noun->parent;
  svc_entity above = { .scope = c->scope, .parent = *parent };
  bool here = svc_id_eq(parent, &c->scope.group), nowhere = svc_id_is_zero(parent);
  int rc;
  *out = c->scope;
  if (!nowhere && (up == c->s->org || (!up && svc_id_eq(parent, &c->scope.org)))) *out = (svc_scope){ none, *parent };
  else if (nowhere || (!up && !here)) *out = (svc_scope){ none, none };
  else if (noun->scope == c->s->org) out->group = none;
  if (nowhere || here || !up || !up->by_id) return true;
  rc = svc_entity_above(c, noun, &above, &above);
  if (rc == SVC_OK) *out = above.scope;
  return rc == SVC_OK || rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
}

SVC_PRIVATE bool svc_scope_of_new(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_scope *out)
{
  static const svc_id none;
  if (noun == c->s->org) *out = (svc_scope){ none, e->id };
  else if (noun == c->s->group) *out = (svc_scope){ e->id, e->parent };
  else if (!scope_below(c, noun, &e->parent, out)) return false;
  if (!svc_scope_covers(&c->scope, out)) c->scope = *out;
  return true;
}

static bool scope_move_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, const svc_id *org);

SVC_PRIVATE bool svc_scope_holds(const svc *s, const svc_noun_info *noun, const svc_noun_info *below)
{
  bool scope = noun == s->group || noun == s->org;
  if (!below->noun->kind || below->noun->flags & SVC_VIRTUAL || below == s->seats[SVC_SEAT_FEED]) return false;
  if (noun->stands_for && below->parent == noun->stands_for) return true;
  return below->parent == noun || (scope && !below->parent); /* without a parent noun it may be below any project or organization */
}

/* Updates fields that show the organization. False: no such field. */
static bool scope_shows(svc_call *c, const svc_object *object, svc_node *body, const svc_id *org)
{
  const svc_field *f;
  svc_fields fields;
  bool any = false;
  svc_fields_begin(&fields, svc_object_of(object, body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (f->fill != SVC_AUTO_ORG_ID || !svc_node_get(body, f->name)) continue;
    svc_node_set_id(c->arena, body, f->name, org);
    any = true;
  }
  return any;
}

static bool scope_move_one(svc_call *c, const svc_noun_info *noun, const svc_entity *old, const svc_id *org)
{
  svc_entity e = *old;
  svc_node *body = svc_entity_body(c, old);
  if (!body || !svc_meter_affords(c, noun, org, NULL, body)) return false;
  if (!svc_refs_write(c, noun, old, body, NULL)) return false; /* the old references are removed */
  e.scope.org = *org;
  if (scope_shows(c, noun->noun->object, body, org)) {
    if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_no_memory(c);
    e.revision = svc_new_revision(c->txn);
  }
  if (!svc_status_good(c, svc_record_put(c->txn, c->arena, &e))) return false;
  return svc_refs_write(c, noun, &e, NULL, body) && svc_meter_note(c, noun, &e, body) && scope_move_below(c, noun, &e.id, org);
}

/* Events describe the past and stay unchanged. */
static bool scope_move_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, const svc_id *org)
{
  svc *s = c->s;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun_info *below = &s->nouns[i];
    svc_scan scan;
    svc_entity e;
    if (!svc_scope_holds(s, noun, below)) continue;
    svc_below_begin(&scan, c->txn, below->noun->kind, parent);
    while (svc_below_next(&scan, below->noun->kind, &e))
      if (!scope_move_one(c, below, &e, org)) return false;
    if (!svc_txn_good(c)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_scope_move(svc_call *c, const svc_id *group, const svc_id *org)
{
  return scope_move_below(c, c->s->group, group, org);
}
