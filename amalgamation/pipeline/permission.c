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

SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  if (noun == c->s->group) return (svc_roles_on(c, &e->id, &e->owner) & SVC_R_GROUP_READ_ONLY) != 0;
  if (noun != c->s->org) return true;
  /* a role on one of its projects lets the organization be seen, too */
  return svc_roles_on(c, NULL, &e->id) != 0 || svc_holds_inside(c, &e->id);
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

SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned scopes, uint64_t *roles)
{
  svc_id group, org;
  *roles = 0;
  if (!svc_begin_read(c) || !svc_resolve(c, scopes)) return false;
  group = svc_call_group(c);
  org = svc_call_org(c);
  *roles = svc_roles_on(c, svc_id_is_zero(&group) ? NULL : &group, &org);
  return *roles || svc_entity_visible(c, c->plan->steps[scopes - 1].noun, &c->chain[scopes - 1]);
}

SVC_PRIVATE bool svc_step_permission(svc_call *c)
{
  unsigned scopes = permission_scopes(c);
  uint64_t roles, wanted = c->plan->route->roles;
  if (c->plan->route->flags & SVC_NO_AUTH) return true;
  if (scopes) {
    if (!svc_takes_part(c, scopes, &roles)) {
      svc_str key = c->params[c->plan->steps[scopes - 1].param];
      return c->error ? false : svc_not_found(c, c->plan->steps[scopes - 1].noun, 0, key);
    }
  } else {
    if (wanted && !svc_begin_read(c)) return false;
    roles = wanted && svc_holds_any(c, wanted) ? wanted : 0;
  }
  return wanted == 0 || roles & wanted ? true : svc_lacks_role(c, wanted);
}
