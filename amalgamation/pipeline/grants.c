/*
** Roles in bodies, and the same roles as the lines that authentication reads. Both are changed together.
*/
#include "internal.h"

SVC_PRIVATE bool svc_keep_granted(svc_call *c, const svc_entity *e, void *on)
{
  (void)c;
  return svc_grants_have(svc_grants_of(e), SVC_S(""), *(const svc_str *)on);
}

SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level)
{
  svc_id group = svc_call_group(c), org = svc_call_org(c);
  *level = svc_id_is_zero(&group) ? SVC_SCOPE_ORGANIZATION : SVC_SCOPE_GROUP;
  return svc_id_str(c->arena, svc_id_is_zero(&group) ? &org : &group);
}

static const svc_node *grants_role_name(const svc_node *item)
{
  return item->type == SVC_J_OBJECT ? svc_node_get(item, "roleName") : item;
}

/* Every element must name a role of this level. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field)
{
  const svc_node *item = roles && roles->type == SVC_J_ARRAY ? roles->first : NULL;
  int i;
  for (i = 0; item; item = item->next, i++) {
    const svc_node *name = grants_role_name(item);
    int role = name && name->type == SVC_J_STRING ? svc_role_by_name(name->text) : -1;
    if (role >= 0 && svc_role_level(role) == level) continue;
    svc_violate(c, level == SVC_SCOPE_GROUP ? SVC_E_INVALID_ROLE_FOR_GROUP : SVC_E_INVALID_ROLE_FOR_ORG,
                svc_arena_print(c->arena, "%s[%d]", field, i), "is not a role of %s",
                level == SVC_SCOPE_GROUP ? "a project" : "an organization");
  }
  return svc_check_done(c);
}

/* Who manages access to a project hands out its roles, but makes no owner of it: that could be itself. */
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after)
{
  svc_id group = svc_call_group(c), org = svc_call_org(c);
  svc_str on = svc_id_str(c->arena, &group), owner = SVC_S("GROUP_OWNER");
  if (!svc_grants_have(after, owner, on) || svc_grants_have(before, owner, on)) return true;
  return svc_roles_on(c, &group, &org) & SVC_R_GROUP_OWNER ? true : svc_lacks_role(c, SVC_R_GROUP_OWNER);
}

SVC_PRIVATE svc_str svc_grant_text(svc_call *c, svc_str role, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, role.n + on.n + 3);
  svc_grant_line(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_on(svc_call *c, svc_str grants, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  svc_str role, where;
  while (svc_grants_next(&grants, &role, &where))
    if (svc_str_eq(where, on)) svc_grant_line(&b, role, where);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_without(svc_call *c, svc_str grants, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + 1);
  svc_str role, where;
  while (svc_grants_next(&grants, &role, &where))
    if (!svc_str_eq(where, on)) svc_grant_line(&b, role, where);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_from(svc_call *c, const svc_node *names, svc_str on, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, others.n + 256);
  const svc_node *item;
  svc_buf_str(&b, others);
  for (item = names ? names->first : NULL; item; item = item->next) {
    const svc_node *name = grants_role_name(item);
    if (name && !svc_grants_have((svc_str){ b.p, b.n }, name->text, on)) svc_grant_line(&b, name->text, on);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_node *svc_grants_names(svc_call *c, svc_str grants, svc_str on, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_grants_next(&grants, &role, &where)) {
    svc_node *item = svc_str_eq(where, on) && role.p[0] != '@' ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), role) : NULL;
    if (item) svc_node_append(out, item);
  }
  return out;
}

SVC_PRIVATE svc_node *svc_grants_objects(svc_call *c, svc_str grants, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_grants_next(&grants, &role, &where)) {
    int number = svc_role_by_name(role);
    svc_node *item = number >= 0 ? svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S("")) : NULL;
    if (!item) continue;
    svc_node_set_str(c->arena, item, svc_role_level(number) == SVC_SCOPE_GROUP ? "groupId" : "orgId", where);
    svc_node_set_str(c->arena, item, "roleName", role);
    svc_node_append(out, item);
  }
  return out;
}

SVC_PRIVATE svc_str svc_grants_minus(svc_call *c, svc_str grants, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + 1);
  svc_str role, on;
  while (svc_grants_next(&grants, &role, &on))
    if (!svc_grants_have(others, role, on)) svc_grant_line(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_plus(svc_call *c, svc_str grants, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + others.n + 1);
  svc_str role, on;
  svc_buf_str(&b, grants);
  while (svc_grants_next(&others, &role, &on))
    if (!svc_grants_have((svc_str){ b.p, b.n }, role, on)) svc_grant_line(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE bool svc_grants_same(svc_str a, svc_str b)
{
  svc_str rest = a, role, on;
  while (svc_grants_next(&rest, &role, &on))
    if (!svc_grants_have(b, role, on)) return false;
  while (svc_grants_next(&b, &role, &on))
    if (!svc_grants_have(a, role, on)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ forgetting */

static bool grants_forget_one(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_id *id, svc_str on)
{
  svc_entity e;
  svc_str verifier, grants;
  int rc = svc_entity_get(c->txn, noun->noun->kind, org, id, &e);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_credential_unpack(svc_arena_copy(c->arena, e.extra), &verifier, &grants)) return svc_store_failed(c, SVC_CORRUPT);
  return svc_change_aside(c, noun, &e, svc_credential_pack(c->arena, verifier, svc_grants_without(c, grants, on)));
}

/*
** Reads show the stored body as it is, so what it says of a project that is gone has to go with the project. The work is
** one look at every credential of the organization, and one write for each that has a role there. The event of the
** project speaks for them.
*/
SVC_PRIVATE bool svc_grants_forget(svc_call *c, const svc_id *org, svc_str on)
{
  const svc_noun_info *nouns[2] = { c->s->key, c->s->account };
  int i;
  for (i = 0; i < 2; i++) {
    svc_buf found = svc_buf_new(c->arena, 256); /* their ids: writing would move what the scan stands on */
    svc_str key, value;
    svc_scan scan;
    svc_key prefix;
    svc_entity e;
    svc_id id;
    size_t at;
    if (!nouns[i]) continue;
    svc_key_entity(&prefix, nouns[i]->noun->kind, org, NULL);
    if (!svc_scan_begin(&scan, c->txn, &prefix, false)) return svc_store_failed(c, c->txn->error);
    while (svc_scan_next(&scan, &key, &value))
      if (svc_entity_decode(key, value, &e) && svc_keep_granted(c, &e, &on))
        svc_buf_add(&found, (const char *)e.id.b, sizeof e.id.b);
    svc_scan_end(&scan);
    if (c->txn->error) return svc_store_failed(c, c->txn->error);
    if (found.failed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
    for (at = 0; at < found.n; at += sizeof id.b) {
      memcpy(id.b, found.p + at, sizeof id.b);
      if (!grants_forget_one(c, nouns[i], org, &id, on)) return false;
    }
  }
  return true;
}
