/*
** To which project and organization things belong.
**
** A request has its scope from its path (resolve.c); work that no request asked for has it from the record it is about. So
** events, quotas, fields like groupId and the ledger come out the same, whoever brings a change about. Records hold their
** scope: the one thing that changes it is a project that goes to another organization.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE void svc_scope_enter(svc_call *c, const svc_entity *e)
{
  c->scope = e->scope;
}

static bool scope_move_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, const svc_id *org);

static bool scope_move_one(svc_call *c, const svc_noun_info *noun, const svc_entity *old, const svc_id *org)
{
  svc_entity e = *old;
  const svc_node *body;
  e.scope.org = *org;
  if (svc_record_put(c->txn, c->arena, &e) != SVC_OK) return svc_store_failed(c, c->txn->error);
  if (noun->noun->meters) {
    body = svc_entity_body(c, &e);
    if (!body || !svc_meter_note(c, noun, &e, body)) return false;
  }
  return scope_move_below(c, noun, &e.id, org);
}

/* Events tell what was, and stay as they are. */
static bool scope_move_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, const svc_id *org)
{
  svc *s = c->s;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun_info *below = &s->nouns[i];
    svc_scan scan;
    svc_key prefix;
    svc_str key, value;
    svc_entity e;
    if (below->parent != noun || !below->noun->kind || below->noun->flags & SVC_VIRTUAL || below == s->seats[SVC_SEAT_FEED]) continue;
    svc_key_entity(&prefix, below->noun->kind, parent, NULL);
    svc_scan_below(&scan, c->txn, &prefix, false);
    e.kind = below->noun->kind;
    while (svc_scan_next(&scan, &key, &value)) {
      if (!svc_entity_decode(key, value, &e)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
      if (!scope_move_one(c, below, &e, org)) return false;
    }
    if (!svc_txn_good(c)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_scope_move(svc_call *c, const svc_id *group, const svc_id *org)
{
  return scope_move_below(c, c->s->group, group, org);
}
