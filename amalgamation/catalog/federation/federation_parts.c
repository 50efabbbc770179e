/*
** The organizations of a federation, and how they join and leave.
**
** The rule: each organization is in exactly one federation. A new organization begins in an empty federation of its own,
** which is created with it, or in the existing one that the request names. An organization may join another federation if its
** own one is empty; its own one is then deleted. When it leaves, or deletes its federation, it gets a new one of its own. So
** everything below a federation can be reached, but only by owners of its organizations. The configuration of an
** organization in its federation is a separate entity, found by the organization's id.
*/
#include "catalog/federation/federation_parts.h"

static const svc_noun_info *federation_noun(const svc_call *c, const char *kind)
{
  return svc_noun_by_kind(c->s, kind);
}

SVC_PRIVATE bool svc_federation_of(svc_call *c, const svc_id *org, svc_entity *federation, svc_entity *connected, bool *found)
{
  static const svc_id root;
  svc_named named;
  svc_scan scan;
  *found = false;
  svc_named_begin(&scan, c->txn, SVC_CONNECTED_KIND, svc_id_str(c->arena, org));
  if (!svc_named_next(&scan, &named)) return svc_txn_good(c);
  if (svc_entity_get(c->txn, SVC_CONNECTED_KIND, &named.scope, &named.id, connected) != SVC_OK) return svc_txn_good(c);
  *found = svc_entity_get(c->txn, SVC_FEDERATION_KIND, &root, &connected->parent, federation) == SVC_OK;
  return svc_txn_good(c);
}

SVC_PRIVATE size_t svc_federation_organizations(svc_call *c, const svc_entity *federation, svc_id *out, size_t most)
{
  svc_scan scan;
  svc_entity e;
  size_t n = 0;
  svc_below_begin(&scan, c->txn, SVC_CONNECTED_KIND, &federation->id);
  while (n < most && svc_below_next(&scan, SVC_CONNECTED_KIND, &e)) out[n++] = e.scope.org;
  return svc_txn_good(c) ? n : 0;
}

SVC_PRIVATE bool svc_federation_tell(svc_call *c, const svc_id *federation, const char *event)
{
  static const svc_id none;
  const svc_entity e = { .id = *federation };
  svc_id orgs[SVC_FEDERATION_MOST];
  size_t n = svc_federation_organizations(c, &e, orgs, SVC_FEDERATION_MOST), i;
  for (i = 0; i < n && !c->error.code; i++) {
    const svc_scope scope = { none, orgs[i] };
    if (!svc_event_write(c, event, &scope, NULL, SVC_S(""))) return false;
  }
  return !c->error.code;
}

/* ------------------------------------------------------------------------------------------------------ coming and going */

/* The entity belongs to its organization, and so do its events. */
static bool federation_connect(svc_call *c, const svc_id *federation, const svc_id *org, svc_node *body, svc_entity *out)
{
  static const svc_id none;
  const svc_scope outer = c->scope;
  svc_change change;
  bool good;
  memset(&change, 0, sizeof change);
  change.noun = federation_noun(c, SVC_CONNECTED_KIND);
  change.parent = *federation;
  change.body = body ? body : svc_presets(c->s, c->arena, change.noun->noun->object);
  if (!change.body) return svc_no_memory(c);
  c->scope = (svc_scope){ none, *org };
  good = svc_insert(c, &change, out);
  c->scope = outer;
  return good;
}

SVC_PRIVATE bool svc_federation_enter(svc_call *c, const svc_id *federation, const svc_id *org, svc_node *body, svc_entity *out)
{
  return federation_connect(c, federation, org, body, out) && svc_federation_tell(c, federation, "FEDERATION_SETTINGS_UPDATED");
}

SVC_PRIVATE bool svc_federation_begin(svc_call *c, const svc_id *org, const char *event)
{
  static const svc_id none;
  const svc_scope outer = c->scope, scope = { none, *org };
  svc_entity federation, connected;
  svc_change change;
  bool good;
  memset(&change, 0, sizeof change);
  change.noun = federation_noun(c, SVC_FEDERATION_KIND);
  if (!change.noun || !federation_noun(c, SVC_CONNECTED_KIND)) return true; /* left out of this build */
  change.body = svc_presets(c->s, c->arena, change.noun->noun->object);
  if (!change.body) return svc_no_memory(c);
  c->scope = (svc_scope){ none, none };
  good = svc_insert(c, &change, &federation);
  c->scope = outer;
  return good && federation_connect(c, &federation.id, org, NULL, &connected) &&
         (!event || svc_event_write(c, event, &scope, NULL, SVC_S("")));
}

SVC_PRIVATE bool svc_federation_leave(svc_call *c, const svc_id *org)
{
  svc_entity federation, connected;
  bool found;
  if (!svc_federation_of(c, org, &federation, &connected, &found)) return false;
  if (!found) return true;
  if (svc_count(c->txn, SVC_CONNECTED_KIND, &federation.id) == 1)
    return svc_txn_good(c) && svc_erase(c, federation_noun(c, SVC_FEDERATION_KIND), &federation);
  return svc_erase(c, federation_noun(c, SVC_CONNECTED_KIND), &connected) &&
         svc_federation_tell(c, &federation.id, "FEDERATION_SETTINGS_UPDATED");
}

/* ------------------------------------------------------------------------------------------------------------- who may */

SVC_PRIVATE bool svc_federation_owned(svc_call *c, svc_str id, svc_entity *out)
{
  static const svc_id root;
  uint64_t roles;
  if (svc_entity_get_text_id(c->txn, SVC_FEDERATION_KIND, &root, id, out) != SVC_OK)
    return svc_txn_good(c) && svc_fail(c, SVC_E_FEDERATION_SETTINGS_NOT_FOUND, "S", &id);
  roles = svc_roles_elsewhere(c, federation_noun(c, SVC_FEDERATION_KIND)->noun, out);
  if (c->error.code) return false;
  if (roles & SVC_R_ORG_OWNER) return true;
  return roles ? svc_lacks_role(c, SVC_R_ORG_OWNER) : svc_no_part(c, federation_noun(c, SVC_FEDERATION_KIND), id);
}

SVC_PRIVATE bool svc_federation_owns(svc_call *c, svc_str org, svc_id *out)
{
  svc_entity e;
  if (!svc_id_parse(org, out) || svc_get_noun(c->txn, c->s->org, out, &e) != SVC_OK)
    return svc_txn_good(c) && svc_fail(c, SVC_E_ORG_NOT_FOUND, "S", &org);
  if (!svc_entity_visible(c, c->s->org, &e)) return c->error.code ? false : svc_no_part(c, c->s->org, org);
  return svc_may_there(c, NULL, out, SVC_R_ORG_OWNER);
}
