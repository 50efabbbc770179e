/*
** The roles of a mapping: on the organization itself, or on its projects. No mapping gives roles on another organization.
** If a project is deleted or moves to another organization, roles on it no longer count.
*/
#include "catalog/federation/federation_parts.h"

/* The reason why an assignment is invalid, and its field; NULL: it is valid. */
static const char *role_fault(svc_call *c, const svc_id *org, const svc_node *item, const char **field)
{
  svc_str group = svc_node_str(item, "groupId"), on = svc_node_str(item, "orgId"), name = svc_node_str(item, "role");
  int role = name.n ? svc_role_by_name(name) : -1;
  svc_entity project;
  svc_id id;
  *field = ".role";
  if (role < 0) return name.n ? "is no role" : "is required";
  if (!group.n == !on.n) return *field = "", "must have either groupId or orgId";
  if (svc_role_level(role) != (group.n ? SVC_SCOPE_GROUP : SVC_SCOPE_ORGANIZATION))
    return group.n ? "is not a role of a project" : "is not a role of an organization";
  *field = group.n ? ".groupId" : ".orgId";
  if (!svc_id_parse(group.n ? group : on, &id)) return "is no id";
  if (on.n) return svc_id_eq(&id, org) ? NULL : "must be the organization that is connected";
  if (c->s->group && svc_get_noun(c->txn, c->s->group, &id, &project) == SVC_OK && svc_id_eq(&project.parent, org)) return NULL;
  return "must be a project of the organization that is connected";
}

static bool role_among(const svc_node *list, const svc_node *item)
{
  const svc_node *one = svc_node_first(list);
  while (one && !svc_node_same(one, item)) one = one->next;
  return one != NULL;
}

/* Removes invalid assignments from the list. With `where`, only those among `known` are removed, because they were valid before; the
** others are violations. */
static void role_sift(svc_call *c, const svc_id *org, svc_node *list, const svc_node *known, const char *where)
{
  svc_node *item = svc_node_first(list), *next;
  int i;
  if (!item) return;
  list->first = list->last = NULL;
  for (i = 0; item; item = next, i++) {
    const char *field, *fault = role_fault(c, org, item, &field);
    next = item->next;
    item->next = NULL;
    if (fault && where && !role_among(known, item))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%sroleAssignments[%d]%s", where, i, field), "%s", fault);
    else if (fault) continue;
    svc_node_append(list, item);
  }
}

SVC_PRIVATE bool svc_role_mapping_check(svc_call *c, const svc_id *org, svc_node *mapping, const svc_node *before, const char *where)
{
  role_sift(c, org, svc_node_get(mapping, "roleAssignments"), svc_node_get(before, "roleAssignments"), where);
  return svc_txn_good(c) && svc_check_done(c);
}

SVC_PRIVATE void svc_role_mapping_live(svc_call *c, const svc_id *org, svc_node *mapping)
{
  role_sift(c, org, svc_node_get(mapping, "roleAssignments"), NULL, NULL);
}
