/*
** Invitation to an organization: the older view of an organization user whose membership is PENDING. An invitation has the
** id of that user and no record of its own, so changes of either are visible in the other at once.
**
** An invitation ends when it is withdrawn, after 30 days, or when it is accepted. Accepting is not an operation: the
** person registers (user.c), or an owner adds the person to the organization.
**
** Even registered people are only invited here; POST /orgs/{orgId}/users would add them at once.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static const svc_field organization_invitation_group_fields[] = {
  F_HEX24("groupId", .flags = SVC_REQUIRED),
  F_STRS("roles", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100)
};
static const svc_object organization_invitation_group = { .name = "InvitationGroupRoles",
                                                          .fields = SVC_ROWS(organization_invitation_group_fields) };

static const svc_field organization_invitation_roles_fields[] = {
  F_LIST("groupRoleAssignments", &organization_invitation_group, .max_items = 500),
  F_STRS("roles", .values = svc_values_org_roles, .flags = SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 100),
  F_TEAM_IDS()
};
static const svc_object organization_invitation_roles = { .name = "OrganizationInvitationUpdate",
                                                          .fields = SVC_ROWS(organization_invitation_roles_fields) };

static const svc_field organization_invitation_name_fields[] = {
  F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL)
};
static const svc_object organization_invitation_object = { .name = "OrganizationInvitationRequest",
                                                           .base = &organization_invitation_roles,
                                                           .fields = SVC_ROWS(organization_invitation_name_fields) };

/* The shown form has one object for each role on a project. */
static const svc_field organization_invitation_shown_group_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("groupRole", .flags = SVC_READ_ONLY)
};
static const svc_object organization_invitation_shown_group = { .name = "InvitationGroupRole",
                                                                .fields = SVC_ROWS(organization_invitation_shown_group_fields) };

static const svc_field organization_invitation_shown_fields[] = {
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_LIST("groupRoleAssignments", &organization_invitation_shown_group, .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("inviterUsername", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_STR("orgName", .flags = SVC_READ_ONLY),
  F_STRS("roles", .values = svc_values_org_roles, .flags = SVC_READ_ONLY),
  F_STRS("teamIds", .flags = SVC_READ_ONLY),
  F_STR("username", .flags = SVC_READ_ONLY)
};
static const svc_object organization_invitation_shown = { .name = "OrganizationInvitation",
                                                          .fields = SVC_ROWS(organization_invitation_shown_fields) };

static const svc_param organization_invitation_params[] = {
  { .name = "username", .format = SVC_FORMAT_EMAIL },
  { .name = NULL }
};

static bool organization_invitation_list(svc_call *c);
static bool organization_invitation_create(svc_call *c);
static bool organization_invitation_change(svc_call *c);
static bool organization_invitation_read(svc_call *c);
static bool organization_invitation_remove(svc_call *c);
static bool organization_invitation_add(svc_call *c);

#define ORGANIZATION_INVITATION "/orgs/{orgId}/invites", SVC_SET_ORGANIZATIONS, (20230101), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER
#define ORGANIZATION_INVITATION_ALL \
  .answer = &organization_invitation_shown, .deprecated = 20250219, .sunset = 20270701, .whole = true

static const svc_route organization_invitation_routes[] = {
  R_GET(ORGANIZATION_INVITATION, "", ORGANIZATION_INVITATION_ALL, .flags = SVC_BARE | SVC_INSPECTS,
        .params = organization_invitation_params, .op = "listOrgInvites", .run = organization_invitation_list),
  R_POST(ORGANIZATION_INVITATION, "", ORGANIZATION_INVITATION_ALL, .status = 201, .body = &organization_invitation_object,
         .op = "createOrgInvite", .run = organization_invitation_create,
         .example = "{\"username\":\"invited@example.com\",\"roles\":[\"ORG_MEMBER\"]}"),
  R_PATCH(ORGANIZATION_INVITATION, "", ORGANIZATION_INVITATION_ALL, .body = &organization_invitation_object,
          .op = "updateOrgInvites", .run = organization_invitation_change,
          .example = "{\"username\":\"invited@example.com\",\"roles\":[\"ORG_READ_ONLY\"]}"),
  R_GET(ORGANIZATION_INVITATION, "/{invitationId}", ORGANIZATION_INVITATION_ALL, .flags = SVC_ITEM,
        .op = "getOrgInvite", .run = organization_invitation_read),
  R_PATCH(ORGANIZATION_INVITATION, "/{invitationId}", ORGANIZATION_INVITATION_ALL,
          .body = &organization_invitation_roles, .op = "updateOrgInviteById", .run = organization_invitation_change,
          .example = "{\"roles\":[\"ORG_READ_ONLY\"]}"),
  R_DELETE(ORGANIZATION_INVITATION, "/{invitationId}", ORGANIZATION_INVITATION_ALL, .status = 204,
           .op = "deleteOrgInvite", .run = organization_invitation_remove),
  { .method = SVC_POST, .path = "/groups/{groupId}/access", .set = SVC_SET_PROJECTS, .versions = { 20230201 },
    .roles = SVC_R_GROUP_OWNER, .body = &svc_object_user_roles,
    .answer = &organization_invitation_shown, .op = "addGroupUser", .run = organization_invitation_add,
    .example = "{\"username\":\"welcome@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", .deprecated = 20250219, .also = 204 }
};

/* --------------------------------------------------------------------------------------------------------------- views */

/* Makes one object for each role on a project. */
static svc_node *organization_invitation_groups(svc_call *c, const svc_entity *e)
{
  svc_node *list = svc_node_array(c->arena, "groupRoleAssignments"), *item;
  svc_holding one;
  svc_scan scan;
  svc_holdings_begin(&scan, c->txn, &e->id, &e->parent);
  while (list && svc_holdings_next(&scan, &one)) {
    svc_str group = svc_id_str(c->arena, &one.group);
    while (one.roles.n) {
      item = svc_node_object(c->arena, NULL);
      if (!item) return NULL;
      svc_node_set_str(c->arena, item, "groupId", group);
      svc_node_set_str(c->arena, item, "groupRole", svc_str_cut(&one.roles, '\n'));
      svc_node_append(list, item);
    }
  }
  return svc_txn_good(c) ? list : NULL;
}

static svc_node *organization_invitation_view(svc_call *c, const svc_entity *e)
{
  svc_node *out = svc_invitation_view(c, c->s->org, &e->parent, e), *groups = out ? organization_invitation_groups(c, e) : NULL;
  if (!groups) return NULL;
  svc_node_put(c->arena, out, groups);
  return out;
}

static svc_node *organization_invitation_item(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return organization_invitation_view(c, e);
}

static bool organization_invitation_list(svc_call *c)
{
  return svc_invitation_list(c, organization_invitation_item);
}

static bool organization_invitation_answer(svc_call *c, const svc_member *m)
{
  return svc_invitation_answer(c, m, organization_invitation_view(c, &m->entity));
}

/* ---------------------------------------------------------------------------------------------------------- operations */

static bool organization_invitation_target(svc_call *c, svc_member *m)
{
  return svc_invitation_find(c, m) && svc_if_match_view(c, organization_invitation_view(c, &m->entity));
}

/* *groups: the roles on projects in the request, if *any. */
static bool organization_invitation_lines(svc_call *c, const svc_id *org, const svc_node *request, svc_str *assignments,
                                          svc_group_change *groups, bool *any)
{
  const svc_node *roles = svc_node_get(request, "roles"), *list = svc_node_get(request, "groupRoleAssignments");
  const svc_node *teams = svc_node_get(request, "teamIds");
  *any = list != NULL;
  if (roles && !svc_assign_org(c, org, roles, "roles", assignments)) return false;
  if (list && !svc_assign_groups(c, org, list, "roles", groups)) return false;
  return !teams || svc_assign_teams(c, org, teams, assignments);
}

static bool organization_invitation_create(svc_call *c)
{
  svc_id org;
  svc_member m;
  svc_str assignments;
  svc_group_change groups;
  bool any;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  /* an ordinary member, unless the body has other roles */
  assignments = svc_member_assignment(c, &org);
  if (!organization_invitation_lines(c, &org, c->checked, &assignments, &groups, &any)) return false;
  if (!svc_member_add(c, &org, svc_node_str(c->checked, "username"), assignments, any ? &groups : NULL, true, &m)) return false;
  return organization_invitation_answer(c, &m);
}

static bool organization_invitation_change(svc_call *c)
{
  svc_member m;
  svc_str assignments;
  svc_group_change groups;
  const svc_node *input;
  bool any;
  if (!organization_invitation_target(c, &m)) return false;
  input = svc_invitation_check(c, organization_invitation_view(c, &m.entity));
  if (!input) return false;
  assignments = m.assignments;
  if (!organization_invitation_lines(c, &m.org, input, &assignments, &groups, &any) ||
      !svc_member_put(c, &m, m.status, assignments, any ? &groups : NULL))
    return false;
  return organization_invitation_answer(c, &m);
}

static bool organization_invitation_read(svc_call *c)
{
  svc_member m;
  return organization_invitation_target(c, &m) && organization_invitation_answer(c, &m);
}

static bool organization_invitation_remove(svc_call *c)
{
  svc_member m;
  return organization_invitation_target(c, &m) && svc_member_remove(c, &m) && svc_answer_nothing(c);
}

/* Gives access to a project. Active members get it at once, and so do registered people without an open invitation: the answer is
** empty. Anybody else is invited to the organization. */
static bool organization_invitation_add(svc_call *c)
{
  svc_id org, group;
  svc_member m;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  group = c->scope.group;
  if (!svc_member_join(c, &group, &org, c->checked, false, &m)) return false;
  if (svc_str_is(m.status, "PENDING")) return organization_invitation_answer(c, &m);
  (void)svc_answer_nothing(c);
  svc_answer_status(c, 204);
  return true;
}

static const svc_field_error organization_invitation_errors[] = {
  { "roles[]", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ROLE_FOR_ORG },
  { "username", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_organization_invitation = {
  .name = "organization invitation",
  .rel = "invite",
  .parent = "organization",
  .param = "invitationId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .object = &organization_invitation_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .field_errors = organization_invitation_errors,
  .routes = SVC_ROUTES(organization_invitation_routes),
};
