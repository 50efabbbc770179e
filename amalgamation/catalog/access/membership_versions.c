/*
** Members of an organization as the versions before 2025-02-19 show them: as people, with an e-mail address and all their
** roles in one array.
**
** Older versions have no invitations, so membership_list.c leaves out people who have not accepted one yet.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/access/membership_parts.h"

/* Members that older versions do not have. */
static const char *const membership_versions_newer[] = {
  "invitationCreatedAt", "invitationExpiresAt", "inviterUsername", "orgMembershipStatus"
};

static void membership_versions_roles(svc_call *c, svc_node *list, const svc_node *names, const char *scope, svc_str on)
{
  const svc_node *name;
  for (name = svc_node_first(names); name; name = name->next) {
    svc_node *role = svc_node_object(c->arena, NULL);
    if (!role) return;
    svc_node_set_str(c->arena, role, scope, on);
    svc_node_set_str(c->arena, role, "roleName", name->text);
    svc_node_append(list, role);
  }
}

static bool membership_versions_downgrade(svc_call *c, svc_node *shown)
{
  const svc_node *roles = svc_node_get(shown, "roles"), *group;
  svc_node *list = svc_node_array(c->arena, "roles");
  size_t i;
  if (!list || !roles) return false;
  if (roles->type == SVC_J_ARRAY) membership_versions_roles(c, list, roles, "groupId", svc_id_str(c->arena, &c->scope.group));
  else membership_versions_roles(c, list, svc_node_get(roles, "orgRoles"), "orgId", svc_id_str(c->arena, &c->scope.org));
  for (group = svc_node_first(svc_node_get(roles, "groupRoleAssignments")); group; group = group->next)
    membership_versions_roles(c, list, svc_node_get(group, "groupRoles"), "groupId", svc_node_str(group, "groupId"));
  for (i = 0; i < sizeof membership_versions_newer / sizeof membership_versions_newer[0]; i++)
    svc_node_drop(shown, membership_versions_newer[i]);
  svc_node_set_from(c->arena, shown, "emailAddress", shown, "username");
  svc_node_put(c->arena, shown, list);
  return !c->arena->failed;
}

SVC_PRIVATE const svc_older svc_membership_older[] = {
  { .date = 20230101, .sunset = 20270701, .answer = &svc_object_user, .downgrade = membership_versions_downgrade }, { .date = 0 }
};
