/*
** User: a person, whatever organizations it is in. What it is there is in organization_user.c and catalog/members.c; here
** is who it is, and all that it is where the caller may see it: people see themselves, and owners see whoever is in their
** organization or invited to it. To anybody else a user is as one that does not exist.
**
** Registering takes up what was invited under the name: the id stays, and invitations that have not expired are
** accepted. A password is checked and forgotten: the host says who its users are.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static bool user_create(svc_call *c);
static bool user_read(svc_call *c);

#define USER_BASE "/users", SVC_SET_USERS, (20230101), 0, 0
#define USER_ALL .deprecated = 20250219, .sunset = 20270701

static const svc_route user_routes[] = {
  R_POST(USER_BASE, "", USER_ALL, .status = 201, .run = user_create,
         .example = "{\"username\":\"grace@example.com\",\"password\":\"correct horse\",\"firstName\":\"Grace\","
                    "\"lastName\":\"Hopper\",\"country\":\"US\",\"mobileNumber\":\"2125550123\","
                    "\"roles\":[{\"orgId\":\"5f0000000000000000000001\",\"roleName\":\"ORG_MEMBER\"}]}"),
  R_GET(USER_BASE, "/byName/{userName}", USER_ALL, .by = "username", .err_not_found = SVC_E_USERNAME_NOT_FOUND,
        .run = user_read),
  R_GET(USER_BASE, "/{userId}", USER_ALL, .flags = SVC_ITEM, .run = user_read),
  SVC_ROUTES_END
};

/* -------------------------------------------------------------------------------------------------------------- reading */

static bool user_unknown(svc_call *c)
{
  return svc_not_found(c, c->plan->noun, 0, c->route.params[0]);
}

static bool user_show(svc_call *c, const svc_entity *e, bool made)
{
  svc_node *view = svc_person_view(c, e, made);
  return view || c->error.code || c->arena->failed ? svc_answer_view(c, e, view) : user_unknown(c);
}

static bool user_read(svc_call *c)
{
  if (svc_resolve_all(c)) return user_show(c, &c->route.chain[0], false);
  return svc_error_status(c->error.code) == 404 ? user_unknown(c) : false;
}

/* ---------------------------------------------------------------------------------------------------------- registering */

/* The organization that a role of the body is for; the caller must own what the role is on. */
static bool user_role_org(svc_call *c, const svc_node *item, svc_str *on, svc_id *org)
{
  svc_str name = svc_node_str(item, "roleName");
  int role = svc_role_by_name(name);
  bool group = role >= 0 && svc_role_level(role) == SVC_SCOPE_GROUP;
  const svc_noun_info *noun = group ? c->s->group : c->s->org;
  svc_entity e;
  svc_id id;
  if (role < 0) return svc_fail(c, SVC_E_INVALID_ROLE, "S", &name);
  *on = svc_node_str(item, group ? "groupId" : "orgId");
  if (on->n == 0) return svc_fail(c, group ? SVC_E_ROLE_NEEDS_GROUP_ID : SVC_E_ROLE_NEEDS_ORG_ID, "S", &name);
  if (!noun || !svc_id_parse(*on, &id) || svc_get_noun(c->txn, noun, &id, &e) != SVC_OK ||
      !svc_entity_visible(c, noun, &e))
    return svc_fail(c, group ? SVC_E_GROUP_NOT_FOUND : SVC_E_ORG_NOT_FOUND, "S", on);
  *org = group ? e.parent : e.id;
  if (svc_roles_on(c, group ? &id : NULL, org) & (group ? SVC_R_GROUP_OWNER : SVC_R_ORG_OWNER)) return true;
  return svc_lacks_role(c, group ? SVC_R_GROUP_OWNER : SVC_R_ORG_OWNER);
}

/* The assignments that the body asks for in this organization; who has any there is at least a member. */
static svc_str user_lines_in(svc_call *c, const svc_node *roles, const svc_id *org)
{
  svc_str assignments = SVC_S(""), on, org_text = svc_id_str(c->arena, org);
  const svc_node *item;
  svc_id other;
  for (item = roles ? roles->first : NULL; item; item = item->next) {
    if (!user_role_org(c, item, &on, &other)) return SVC_S("");
    if (svc_id_eq(&other, org))
      assignments = svc_assignments_plus(c, assignments, svc_assignment_text(c, svc_node_str(item, "roleName"), on));
  }
  if (assignments.n == 0 || svc_assignments_have(assignments, SVC_S(""), org_text)) return assignments;
  return svc_assignments_plus(c, svc_member_assignment(c, org), assignments);
}

static bool user_join(svc_call *c, const svc_id *org, const svc_id *user, svc_str assignments)
{
  svc_member m;
  if (!svc_member_get(c, org, user, &m)) return false;
  /* what it was invited to, and, where the body has several roles in one organization, what it has joined with already */
  if (!svc_str_is(m.status, "INVITATION_EXPIRED")) assignments = svc_assignments_plus(c, m.assignments, assignments);
  return assignments.n == 0 || svc_member_put(c, &m, SVC_S("ACTIVE"), assignments);
}

/* Into every organization that the body names, and those that have invited it. */
static bool user_join_all(svc_call *c, const svc_node *roles, const svc_id *user, svc_str invited)
{
  const svc_node *item;
  svc_str role, on;
  svc_id org;
  for (item = roles ? roles->first : NULL; item; item = item->next) {
    if (!user_role_org(c, item, &on, &org)) return false;
    if (!user_join(c, &org, user, user_lines_in(c, roles, &org)) || c->error.code) return false;
  }
  while (svc_assignments_next(&invited, &role, &on))
    if (svc_assignment_class(role) == SVC_ASSIGNED_INVITED && svc_id_parse(on, &org) && !user_join(c, &org, user, SVC_S("")))
      return false;
  return true;
}

static bool user_create(svc_call *c)
{
  const svc_node *roles = svc_node_get(c->checked, "roles"), *item;
  svc_str name = svc_person_name(c, svc_node_str(c->checked, "username")), assignments, on;
  svc_node *body = svc_node_copy(c->arena, c->checked);
  svc_entity e;
  svc_id org;
  bool found;
  if (!body) return svc_no_memory(c);
  for (item = roles->first; item; item = item->next)
    if (!user_role_org(c, item, &on, &org)) return false;
  if (!svc_person_find(c, name, &e, &found)) return false;
  if (found && svc_person_registered(&e)) return svc_fail(c, SVC_E_USER_ALREADY_EXISTS, "S", &name);
  if (!found && !svc_person_make(c, name, &e)) return false;
  assignments = svc_assignments_of(&e);
  svc_node_drop(body, "roles");
  svc_node_set_str(c->arena, body, "createdAt", svc_node_str(svc_entity_body(c, &e), "createdAt"));
  svc_node_set_str(c->arena, body, "emailAddress", name);
  svc_node_set_str(c->arena, body, "id", e.key);
  svc_node_set_str(c->arena, body, "username", name);
  if (!svc_person_store(c, &e, body, true, assignments) || !user_join_all(c, roles, &e.id, assignments)) return false;
  if (!svc_person_find(c, name, &e, &found)) return false; /* with the assignments that it has by now */
  return user_show(c, &e, true);
}

static svc_str user_spell(svc_call *c, svc_str key)
{
  return svc_person_name(c, key);
}

static const svc_field_error user_errors[] = {
  { "username", SVC_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_user = {
  .name = "user",
  .kind = "user",
  .param = "userId",
  .seat = SVC_SEAT_USER,
  .flags = SVC_GLOBAL,
  .object = &svc_object_user,
  .unique = "username",
  .err_not_found = SVC_E_USER_NOT_FOUND,
  .err_exists = SVC_E_USER_ALREADY_EXISTS,
  .field_errors = user_errors,
  .routes = user_routes,
  .spell = user_spell,
};
