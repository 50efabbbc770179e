/*
** Permission: the caller's roles against the roles of the route.
**
** A role is held on an organization or a project, and includes others (catalog/role_list.h); a role on an organization
** counts in its projects through the project roles it includes. Each route lists roles, any one of which suffices.
**
** If a path names neither an organization nor a project, the noun knows the organizations it belongs to (`alliance`), or the route
** is marked SVC_ANYWHERE; a route with roles and without either refuses everybody. A route without roles admits every authenticated caller
** who has a role on the organization or project of the path, if the path names one.
**
** The rule: a caller without any role on an existing organization or project gets 401; a caller with other roles than
** those required gets 403. With svc_config.conceal the former gets the same 404 as for a missing resource, so that callers
** do not learn what exists elsewhere.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  if (noun == c->s->group) return (svc_roles_on(c, &e->id, &e->parent) & svc_role_least()) != 0;
  if (noun != c->s->org) return true;
  /* a role on one of its projects makes the organization visible */
  return svc_roles_on(c, NULL, &e->id) != 0 || svc_holds_inside(c, &e->id);
}

/* Number of hops that are organizations and projects; they come first. */
static unsigned permission_scopes(const svc_call *c)
{
  unsigned n = 0;
  while (n < c->plan->hop_count && (c->plan->hops[n].noun == c->s->org || c->plan->hops[n].noun == c->s->group)) n++;
  return n;
}

SVC_PRIVATE bool (svc_lacks_role)(svc_call *c, uint64_t wanted)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  int role, n = 0;
  svc_buf_text(&b, "The caller lacks the role that this operation asks for: ");
  for (role = 0; svc_role_name(role); role++) {
    if (!(wanted >> role & 1)) continue;
    if (n++) svc_buf_text(&b, " or ");
    svc_buf_text(&b, svc_role_name(role));
  }
  svc_buf_char(&b, '.');
  return svc_fail_as(c, svc_buf_done(&b), SVC_E_ACCESS_FORBIDDEN, "");
}

/* The challenge asks for a token, because a 401 must have one; a nonce would only make a caller with an API key repeat the whole
** request. */
SVC_PRIVATE bool (svc_no_part)(svc_call *c, const svc_noun_info *noun, svc_str key)
{
  if (c->s->config.conceal) return svc_not_found(c, noun, 0, key);
  c->error.challenge = svc_arena_print(c->arena, "Bearer realm=\"" SVC_FMT "\"", SVC_ARG(c->s->vendor));
  return svc_fail(c, SVC_E_USER_UNAUTHORIZED, "");
}

SVC_PRIVATE bool svc_may_there(svc_call *c, const svc_id *group, const svc_id *org, uint64_t wanted)
{
  if (!svc_access_factors(c, org)) return false;
  return svc_roles_on(c, group, org) & wanted ? true : svc_lacks_role(c, wanted);
}

/* A resource outside of organizations and projects: roles on the organizations that it belongs to count. */
SVC_PRIVATE uint64_t svc_roles_elsewhere(svc_call *c, const svc_noun *noun, const svc_entity *e)
{
  svc_id orgs[SVC_ALLIES];
  size_t n = svc_noun_ext_of(noun)->alliance->organizations(c, e, orgs, SVC_ALLIES), i;
  uint64_t roles = 0;
  for (i = 0; i < n && !c->error.code; i++) {
    uint64_t held = svc_roles_on(c, NULL, &orgs[i]);
    if (held && svc_access_factors(c, &orgs[i])) roles |= held;
  }
  return roles;
}

/* Called by the limiter and here; the second call finds the result. */
SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles)
{
  const svc_noun_info *noun = c->plan->hops[hops - 1].noun;
  const svc_entity *e = &c->route.chain[hops - 1];
  *roles = 0;
  if (c->route.parts != (int)hops + 1) {
    if (!svc_begin_read(c) || !svc_resolve(c, hops)) return false;
    if (svc_noun_ext_of(noun->noun)->alliance) c->route.part_roles = svc_roles_elsewhere(c, noun->noun, e);
    else c->route.part_roles = svc_roles_on(c, svc_id_is_zero(&c->scope.group) ? NULL : &c->scope.group, &c->scope.org);
    c->route.takes_part = c->route.part_roles || (!svc_noun_ext_of(noun->noun)->alliance && svc_entity_visible(c, noun, e));
    if (c->error.code) return false;
    c->route.parts = (int)hops + 1;
  }
  *roles = c->route.part_roles;
  return c->route.takes_part;
}

SVC_PRIVATE bool svc_stage_permission(svc_call *c)
{
  unsigned scopes = permission_scopes(c);
  uint64_t roles = 0, wanted = c->plan->route->roles;
  if (c->plan->route->flags & SVC_NO_AUTH) return true;
  if (!scopes && c->plan->hop_count && svc_noun_ext_of(c->plan->hops[0].noun->noun)->alliance) scopes = 1;
  if (scopes) {
    if (!svc_takes_part(c, scopes, &roles)) {
      svc_str key = c->route.params[c->plan->hops[scopes - 1].param];
      return c->error.code ? false : svc_no_part(c, c->plan->hops[scopes - 1].noun, key);
    }
  } else if (wanted && c->plan->route->flags & SVC_ANYWHERE) {
    if (!svc_begin_read(c)) return false;
    roles = svc_holds_any(c, wanted) ? wanted : 0;
  }
  if (scopes && !svc_access_factors(c, &c->scope.org)) return false;
  return wanted == 0 || roles & wanted ? true : svc_lacks_role(c, wanted);
}
