/*
** What the caller's roles allow.
**
** A role is held on an organization or a project, and includes others (catalog/role_list.h); a role of an organization
** counts in its projects through the project roles it includes. Each route names the roles of which any one suffices.
**
** The rule: who has no role at all on an organization or project gets the same 404 as for one that does not exist, so
** nobody learns what exists elsewhere. Who has some role, but none of those asked for, gets 403.
*/
#include "internal.h"

SVC_PRIVATE uint64_t svc_roles_on(const svc_call *c, const svc_id *group, const svc_id *org)
{
  uint64_t roles = 0;
  size_t i;
  /* a credential is of one organization: a project that has moved to another one is out of its reach */
  if (org && !svc_id_is_zero(&c->who.org) && !svc_id_eq(org, &c->who.org)) return 0;
  for (i = 0; i < c->who.grant_count; i++) {
    const svc_grant *g = &c->who.grants[i];
    svc_id on;
    int role;
    if (g->on) {
      if (!svc_id_parse(svc_str_c(g->on), &on)) continue;
      if (!(group && svc_id_eq(group, &on)) && !(org && svc_id_eq(org, &on))) continue;
    }
    role = svc_role_by_name(svc_str_c(g->role));
    if (role >= 0) roles |= svc_role_includes(role);
  }
  return roles;
}

SVC_PRIVATE bool svc_entity_visible(const svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  uint64_t roles;
  size_t i;
  if (noun == c->s->group) return (svc_roles_on(c, &e->id, &e->owner) & SVC_R_GROUP_READ_ONLY) != 0;
  if (noun != c->s->org) return true;
  if (svc_roles_on(c, NULL, &e->id) != 0) return true;
  /* a role on one of its projects lets the organization be seen, too */
  for (i = 0, roles = 0; i < c->who.grant_count && !roles; i++) {
    static const svc_id root;
    svc_entity group;
    svc_id id;
    if (!c->s->group || !c->who.grants[i].on || !svc_id_parse(svc_str_c(c->who.grants[i].on), &id)) continue;
    if (svc_entity_get(c->txn, c->s->group->noun->kind, &root, &id, &group) == SVC_OK && svc_id_eq(&group.owner, &e->id))
      roles = svc_roles_on(c, &id, NULL);
  }
  return roles != 0;
}

/* How many steps of the path are organizations and projects; they come first. */
static unsigned permission_scopes(const svc_call *c)
{
  unsigned n = 0;
  while (n < c->plan->step_count && (c->plan->steps[n].noun == c->s->org || c->plan->steps[n].noun == c->s->group)) n++;
  return n;
}

SVC_PRIVATE bool svc_lacks_role(svc_call *c, uint64_t wanted)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  int role, n = 0;
  svc_buf_text(&b, "The caller lacks the role that this operation asks for: ");
  for (role = 0; role < SVC_ROLE_COUNT; role++) {
    if (!(wanted >> role & 1)) continue;
    if (n++) svc_buf_text(&b, " or ");
    svc_buf_text(&b, svc_role_name(role));
  }
  svc_buf_char(&b, '.');
  svc_fail(c, SVC_E_ACCESS_FORBIDDEN, "");
  c->error_detail = svc_buf_done(&b);
  return false;
}

static uint64_t permission_anywhere(const svc_call *c)
{
  uint64_t roles = 0;
  size_t i;
  for (i = 0; i < c->who.grant_count; i++) {
    int role = svc_role_by_name(svc_str_c(c->who.grants[i].role));
    if (role >= 0) roles |= svc_role_includes(role);
  }
  return roles;
}

SVC_PRIVATE bool svc_step_permission(svc_call *c)
{
  unsigned scopes = permission_scopes(c);
  uint64_t roles, wanted = c->plan->route->roles;
  if (c->plan->route->flags & SVC_NO_AUTH) return true;
  if (scopes) {
    svc_id group, org;
    if (!svc_begin_read(c) || !svc_resolve(c, scopes)) return false;
    group = svc_call_group(c);
    org = svc_call_org(c);
    roles = svc_roles_on(c, svc_id_is_zero(&group) ? NULL : &group, &org);
    if (roles == 0 && !svc_entity_visible(c, c->plan->steps[scopes - 1].noun, &c->chain[scopes - 1])) {
      svc_str key = c->params[c->plan->steps[scopes - 1].param];
      return svc_not_found(c, c->plan->steps[scopes - 1].noun, 0, key);
    }
  } else {
    roles = permission_anywhere(c);
  }
  return wanted == 0 || roles & wanted ? true : svc_lacks_role(c, wanted);
}
