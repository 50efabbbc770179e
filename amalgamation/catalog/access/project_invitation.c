/*
** Invitation to a project: the older view of who is invited to its organization with roles in this project. It has the id
** of that user, and nothing of it is stored apart; see organization_invitation.c.
**
** Members of the organization need no invitation: the roles are theirs at once, and the answer is an invitation that is
** over already.
*/
#include "internal.h"

static const svc_field project_invitation_roles_fields[] = {
  F_STRS("roles", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .min_items = 1, .max_items = 100),
  F_END
};
static const svc_object project_invitation_roles = { .name = "GroupInvitationUpdate",
                                                     .fields = project_invitation_roles_fields };

static const svc_field project_invitation_name_fields[] = {
  F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL),
  F_END
};
static const svc_object project_invitation_object = { .name = "GroupInvitationRequest", .base = &project_invitation_roles,
                                                      .fields = project_invitation_name_fields };

static const svc_param project_invitation_params[] = { { .name = "username", .format = SVC_FORMAT_EMAIL }, { .name = NULL } };

static bool project_invitation_list(svc_call *c);
static bool project_invitation_create(svc_call *c);
static bool project_invitation_change(svc_call *c);
static bool project_invitation_read(svc_call *c);
static bool project_invitation_remove(svc_call *c);

#define PROJECT_INVITATION(m, p, ...) \
  { .method = m, .path = "/groups/{groupId}/invites" p, .set = SVC_SET_PROJECTS, .versions = { 20230101 }, \
    .roles = SVC_R_GROUP_OWNER, .deprecated = 20250219, .sunset = 20270701, __VA_ARGS__ }

static const svc_route project_invitation_routes[] = {
  PROJECT_INVITATION(SVC_GET, "", .flags = SVC_BARE, .params = project_invitation_params, .run = project_invitation_list),
  PROJECT_INVITATION(SVC_POST, "", .body = &project_invitation_object, .run = project_invitation_create),
  PROJECT_INVITATION(SVC_PATCH, "", .body = &project_invitation_object, .run = project_invitation_change),
  PROJECT_INVITATION(SVC_GET, "/{invitationId}", .flags = SVC_ITEM, .run = project_invitation_read),
  PROJECT_INVITATION(SVC_PATCH, "/{invitationId}", .body = &project_invitation_roles, .run = project_invitation_change),
  PROJECT_INVITATION(SVC_DELETE, "/{invitationId}", .status = 204, .run = project_invitation_remove),
  SVC_ROUTES_END
};

/* --------------------------------------------------------------------------------------------------------------- views */

static svc_node *project_invitation_view(svc_call *c, const svc_entity *group, const svc_entity *e)
{
  svc_node *member = svc_entity_body(c, e), *out = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S("")), *roles;
  svc_str verifier, lines = SVC_S(""), on = svc_id_str(c->arena, &group->id);
  char now[21];
  svc_credential_unpack(svc_arena_copy(c->arena, e->extra), &verifier, &lines);
  roles = svc_grants_names(c, lines, on, "roles");
  if (!member || !out || !roles) return NULL;
  svc_date_text(c->now, now);
  svc_node_set_str(c->arena, out, "createdAt", svc_str_c(now));
  if (svc_node_get(member, "invitationCreatedAt")) {
    svc_node_set_str(c->arena, out, "createdAt", svc_node_str(member, "invitationCreatedAt"));
    svc_node_set_str(c->arena, out, "expiresAt", svc_node_str(member, "invitationExpiresAt"));
  }
  if (svc_node_get(member, "inviterUsername"))
    svc_node_set_str(c->arena, out, "inviterUsername", svc_node_str(member, "inviterUsername"));
  svc_node_set_str(c->arena, out, "groupId", on);
  svc_node_set_str(c->arena, out, "groupName", svc_arena_copy(c->arena, group->unique));
  svc_node_set_str(c->arena, out, "id", svc_node_str(member, "id"));
  svc_node_put(c->arena, out, roles);
  svc_node_set_str(c->arena, out, "username", svc_node_str(member, "username"));
  return out;
}

/* The project of the path; read anew, as what is in the store moves when it is written to. */
static bool project_invitation_group(svc_call *c, svc_entity *out)
{
  static const svc_id root;
  svc_id id = svc_call_group(c);
  int rc = svc_entity_get(c->txn, c->s->group->noun->kind, &root, &id, out);
  return rc == SVC_OK ? true : svc_store_failed(c, rc);
}

static bool project_invitation_answer(svc_call *c, const svc_member *m)
{
  svc_entity group;
  svc_node *view;
  if (!project_invitation_group(c, &group)) return false;
  view = project_invitation_view(c, &group, &m->entity);
  if (!view) return c->error ? false : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  if (!svc_answer_node(c, view)) return false;
  c->answer.own = m->entity.key;
  return true;
}

static bool project_invitation_pending(svc_call *c, const svc_entity *e, svc_str on)
{
  svc_str verifier, lines;
  if (!svc_credential_unpack(e->extra, &verifier, &lines) || !svc_grants_have(lines, SVC_S(""), on)) return false;
  return svc_str_is(svc_node_str(svc_entity_body(c, e), "orgMembershipStatus"), "PENDING");
}

static svc_node *project_invitation_item(svc_call *c, const svc_entity *e, void *group)
{
  return project_invitation_view(c, group, e);
}

static bool project_invitation_wanted(svc_call *c, const svc_entity *e, void *context)
{
  const svc_query_value *name = svc_query_get(c, "username");
  const svc_entity *group = context;
  if (!project_invitation_pending(c, e, svc_id_str(c->arena, &group->id))) return false;
  return !name || svc_str_eq(svc_person_name(c, name->text), svc_node_str(svc_entity_body(c, e), "username"));
}

static bool project_invitation_list(svc_call *c)
{
  svc_entity group;
  if (!svc_resolve_all(c) || !project_invitation_group(c, &group)) return false;
  if (!c->s->member) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  return svc_list_views(c, c->s->member, &group.owner, project_invitation_wanted, project_invitation_item, &group);
}

/* ---------------------------------------------------------------------------------------------------------- operations */

/* The one that the path names, or the body by its username; *on: the project's id. */
static bool project_invitation_target(svc_call *c, svc_member *m, svc_str *on)
{
  svc_id org, group, user;
  svc_str name = svc_node_str(c->body, "username");
  bool named = false;
  if (!svc_resolve_all(c)) return false;
  org = svc_call_org(c);
  group = svc_call_group(c);
  *on = svc_id_str(c->arena, &group);
  if (c->plan->param_count == 1) {
    named = true;
    if (!svc_member_named(c, &org, name, m)) return false;
  } else {
    if (!svc_id_parse(c->params[1], &user)) return svc_fail(c, SVC_E_INVALID_INVITATION_ID, "S", &c->params[1]);
    if (!svc_member_get(c, &org, &user, m)) return false;
  }
  if (svc_str_is(m->status, "PENDING") && svc_grants_have(m->lines, SVC_S(""), *on)) return true;
  return named ? svc_fail(c, SVC_E_USERNAME_NOT_FOUND, "SS", &name, on)
               : svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->path);
}

static bool project_invitation_create(svc_call *c)
{
  svc_id org, group;
  svc_member m;
  if (!svc_resolve_all(c)) return false;
  org = svc_call_org(c);
  group = svc_call_group(c);
  return svc_member_join(c, &group, &org, c->checked, true, &m) && project_invitation_answer(c, &m);
}

static bool project_invitation_change(svc_call *c)
{
  svc_member m;
  svc_str on;
  const svc_node *roles;
  svc_check(c, c->plan->route->body, c->body, NULL, SVC_CHECK_CREATE);
  if (!svc_check_done(c) || !project_invitation_target(c, &m, &on)) return false;
  roles = svc_node_get(c->body, "roles");
  if (!svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles")) return false;
  if (!svc_member_put(c, &m, m.status, svc_grants_from(c, roles, on, svc_grants_without(c, m.lines, on)))) return false;
  return project_invitation_answer(c, &m);
}

static bool project_invitation_read(svc_call *c)
{
  svc_member m;
  svc_str on;
  return project_invitation_target(c, &m, &on) && project_invitation_answer(c, &m);
}

/* The invitation to the organization stays. */
static bool project_invitation_remove(svc_call *c)
{
  svc_member m;
  svc_str on;
  if (!project_invitation_target(c, &m, &on)) return false;
  return svc_member_put(c, &m, m.status, svc_grants_without(c, m.lines, on)) && svc_answer_nothing(c);
}

SVC_PRIVATE const svc_noun svc_noun_project_invitation = {
  .name = "project invitation",
  .rel = "invite",
  .param = "invitationId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .object = &project_invitation_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .routes = project_invitation_routes,
};
