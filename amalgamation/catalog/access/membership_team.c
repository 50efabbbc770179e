/*
** Members of teams: the operations that add a member of the organization to a team, and remove one.
**
** The rule: a team only has members of its own organization. If several people are added at once, all are checked before
** the first is written.
*/
#include "catalog/access/membership_parts.h"

static bool membership_of_team(svc_call *c, const svc_membership *at, svc_str id_text, svc_member *m)
{
  svc_id id;
  if (!svc_id_parse(id_text, &id)) return svc_fail(c, SVC_E_USER_NOT_IN_ORG, "SS", &id_text, &at->on);
  if (!svc_member_get(c, &at->org, &id, m)) return false;
  return m->there ? true : svc_fail(c, SVC_E_USER_NOT_IN_ORG, "SS", &id_text, &at->on);
}

static bool membership_may_join(svc_call *c, const svc_membership *at, svc_str id, svc_member *m)
{
  if (!membership_of_team(c, at, id, m)) return false;
  if (svc_lines_have(m->assignments, at->line)) return svc_fail(c, SVC_E_USER_ALREADY_IN_TEAM, "SS", &id, &at->team);
  return true;
}

static bool membership_into_team(svc_call *c, const svc_membership *at, svc_str id, svc_member *m)
{
  if (!membership_may_join(c, at, id, m)) return false;
  return svc_member_put(c, m, m->status, svc_lines_plus(c, m->assignments, at->line), NULL);
}

SVC_PRIVATE bool svc_membership_join(svc_call *c)
{
  svc_membership at;
  svc_member m;
  if (!svc_membership_of(c, &at)) return false;
  if (!membership_into_team(c, &at, svc_node_str(c->checked, "id"), &m)) return false;
  return svc_membership_answer(c, &at, &m.entity);
}

SVC_PRIVATE bool svc_membership_join_all(svc_call *c)
{
  svc_membership at;
  const svc_node *item;
  svc_member m;
  if (!svc_membership_of(c, &at)) return false;
  for (item = c->checked->first; item; item = item->next) /* check all of them before writing the first */
    if (!membership_may_join(c, &at, svc_node_str(item, "id"), &m)) return false;
  for (item = c->checked->first; item; item = item->next)
    if (!membership_into_team(c, &at, svc_node_str(item, "id"), &m)) return false;
  return svc_membership_list(c, &at, true);
}

SVC_PRIVATE bool svc_membership_leave(svc_call *c)
{
  svc_membership at;
  bool named = c->request.method == SVC_DELETE; /* the id is in the path */
  svc_str id;
  svc_member m;
  if (!svc_membership_of(c, &at)) return false;
  id = named ? svc_path_param(c, "userId") : svc_node_str(c->checked, "id");
  if (!membership_of_team(c, &at, id, &m)) return false;
  if (!svc_lines_have(m.assignments, at.line)) return svc_fail(c, SVC_E_USER_NOT_FOUND, "S", &id);
  if (!svc_member_put(c, &m, m.status, svc_lines_minus(c, m.assignments, at.line), NULL)) return false;
  return named ? svc_answer_nothing(c) : svc_membership_answer(c, &at, &m.entity);
}
