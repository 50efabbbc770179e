/*
** Invitation to a project: the older view of people who are invited to its organization, with roles on this project. An
** invitation has the id of that user and no record of its own; see organization_invitation.c.
**
** Members of the organization need no invitation. Members get the roles at once, and the answer shows an invitation that
** is over already.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static const svc_field project_invitation_shown_fields[] = {
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("groupName", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("inviterUsername", .flags = SVC_READ_ONLY),
  F_STRS("roles", .flags = SVC_READ_ONLY),
  F_STR("username", .flags = SVC_READ_ONLY)
};
static const svc_object project_invitation_shown = { .name = "ProjectInvitation", .fields = SVC_ROWS(project_invitation_shown_fields) };

static const svc_param project_invitation_params[] = { { .name = "username", .format = SVC_FORMAT_EMAIL }, { .name = NULL } };

static bool project_invitation_list(svc_call *c);
static bool project_invitation_create(svc_call *c);
static bool project_invitation_change(svc_call *c);
static bool project_invitation_read(svc_call *c);
static bool project_invitation_remove(svc_call *c);

#define PROJECT_INVITATION "/groups/{groupId}/invites", SVC_SET_PROJECTS, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER
#define PROJECT_INVITATION_ALL .answer = &project_invitation_shown, .deprecated = 20250219, .sunset = 20270701, .whole = true

static const svc_route project_invitation_routes[] = {
  R_GET(PROJECT_INVITATION, "", PROJECT_INVITATION_ALL, .flags = SVC_BARE | SVC_INSPECTS, .params = project_invitation_params,
        .op = "listGroupInvites", .run = project_invitation_list),
  R_POST(PROJECT_INVITATION, "", PROJECT_INVITATION_ALL, .status = 201, .body = &svc_object_user_roles,
         .op = "createGroupInvite", .run = project_invitation_create,
         .example = "{\"username\":\"guest@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}"),
  R_PATCH(PROJECT_INVITATION, "", PROJECT_INVITATION_ALL, .body = &svc_object_user_roles,
          .op = "updateGroupInvites", .run = project_invitation_change,
          .example = "{\"username\":\"guest@example.com\",\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}"),
  R_GET(PROJECT_INVITATION, "/{invitationId}", PROJECT_INVITATION_ALL, .flags = SVC_ITEM,
        .op = "getGroupInvite", .run = project_invitation_read),
  R_PATCH(PROJECT_INVITATION, "/{invitationId}", PROJECT_INVITATION_ALL, .body = &svc_object_roles,
          .op = "updateInviteById", .run = project_invitation_change, .example = "{\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}"),
  R_DELETE(PROJECT_INVITATION, "/{invitationId}", PROJECT_INVITATION_ALL, .status = 204,
           .op = "deleteGroupInvite", .run = project_invitation_remove)
};

/* --------------------------------------------------------------------------------------------------------------- views */

static svc_node *project_invitation_item(svc_call *c, const svc_entity *e, void *context)
{
  svc_id group = c->scope.group;
  (void)context;
  return svc_invitation_view(c, c->s->group, &group, e);
}

static bool project_invitation_list(svc_call *c)
{
  return svc_invitation_list(c, project_invitation_item);
}

static bool project_invitation_answer(svc_call *c, const svc_member *m)
{
  return svc_invitation_answer(c, m, project_invitation_item(c, &m->entity, NULL));
}

/* ---------------------------------------------------------------------------------------------------------- operations */

static bool project_invitation_target(svc_call *c, svc_member *m)
{
  return svc_invitation_find(c, m) && svc_if_match_view(c, project_invitation_item(c, &m->entity, NULL));
}

/* Replaces the roles on the project. */
static bool project_invitation_put(svc_call *c, svc_member *m, svc_str names)
{
  svc_id group = c->scope.group;
  svc_group_change one;
  return svc_assign_group(c, &group, names, &one) && svc_member_put(c, m, m->status, m->assignments, &one);
}

static bool project_invitation_create(svc_call *c)
{
  svc_id org, group;
  svc_member m;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  group = c->scope.group;
  return svc_member_join(c, &group, &org, c->checked, true, &m) && project_invitation_answer(c, &m);
}

static bool project_invitation_change(svc_call *c)
{
  svc_member m;
  const svc_node *roles, *input;
  if (!project_invitation_target(c, &m)) return false;
  input = svc_invitation_check(c, project_invitation_item(c, &m.entity, NULL));
  if (!input) return false;
  roles = svc_node_get(input, "roles");
  if (!svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles")) return false;
  return project_invitation_put(c, &m, svc_names_from(c, roles)) && project_invitation_answer(c, &m);
}

static bool project_invitation_read(svc_call *c)
{
  svc_member m;
  return project_invitation_target(c, &m) && project_invitation_answer(c, &m);
}

/* The invitation to the organization remains. */
static bool project_invitation_remove(svc_call *c)
{
  svc_member m;
  return project_invitation_target(c, &m) && project_invitation_put(c, &m, SVC_S("")) && svc_answer_nothing(c);
}

static const svc_field_error project_invitation_errors[] = {
  { "username", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_project_invitation = {
  .name = "project invitation",
  .rel = "invite",
  .param = "invitationId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .object = &svc_object_user_roles,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .field_errors = project_invitation_errors,
  .routes = SVC_ROUTES(project_invitation_routes),
};
