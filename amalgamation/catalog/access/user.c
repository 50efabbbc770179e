/*
** User: a person, in any number of organizations. Memberships are in organization_user.c and catalog/members.c. The noun
** user has the person itself, and its memberships as far as the caller may see them. People see themselves, and owners see
** the members and invited people of their organization. For any other caller, the user does not exist.
**
** Registering adopts the person that was invited under this name: the id stays the same. Registering also accepts an
** invitation if the caller may do that: the person itself, for whom the host vouches, or an owner of the inviting
** organization. Other invitations remain until an owner there adds the person, or the person registers itself. For that
** purpose a person may register again, after somebody else registered it or after a new invitation.
**
** A password is checked but not stored: the host authenticates its users.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static bool user_create(svc_call *c);
static bool user_read(svc_call *c);

#define USER_BASE "/users", SVC_SET_USERS, (20230101), 0, 0
#define USER_ENDS .deprecated = 20250219, .sunset = 20270701
#define USER_ALL USER_ENDS

static const svc_route user_routes[] = {
  R_POST(USER_BASE, "", USER_ALL, .status = 201, .op = "createUser", .run = user_create,
         .example = "{\"username\":\"grace@example.com\",\"password\":\"correct horse\",\"firstName\":\"Grace\","
                    "\"lastName\":\"Hopper\",\"country\":\"US\",\"mobileNumber\":\"2125550123\","
                    "\"roles\":[{\"orgId\":\"5f0000000000000000000001\",\"roleName\":\"ORG_MEMBER\"}]}"),
  R_GET(USER_BASE, "/byName/{userName}", .op = "getUserByName", .run = user_read,
        USER_ENDS, .ext = SVC_ROUTE_EXT(.by = "username"), .err_not_found = SVC_E_USERNAME_NOT_FOUND),
  R_GET(USER_BASE, "/{userId}", USER_ALL, .flags = SVC_ITEM, .op = "getUser", .run = user_read)
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
  if (svc_error_status(c->error.code) == 404) (void)user_unknown(c);
  return false;
}

/* ---------------------------------------------------------------------------------------------------------- registering */

/* A role in the body, and its organization. */
typedef struct user_role {
  svc_id on, org;
  bool group; /* a role on a project */
  svc_str name;
} user_role;

/* The caller must own the project or organization of the role. */
static bool user_role_of(svc_call *c, const svc_node *item, user_role *out)
{
  svc_str name = svc_node_str(item, "roleName"), on;
  int role = svc_role_by_name(name);
  bool group = role >= 0 && svc_role_level(role) == SVC_SCOPE_GROUP;
  const svc_noun_info *noun = group ? c->s->group : c->s->org;
  uint64_t wanted = group ? SVC_R_GROUP_OWNER : SVC_R_ORG_OWNER;
  svc_entity e;
  if (role < 0) return svc_no_role(c, name);
  on = svc_node_str(item, group ? "groupId" : "orgId");
  if (on.n == 0) return svc_fail(c, group ? SVC_E_ROLE_NEEDS_GROUP_ID : SVC_E_ROLE_NEEDS_ORG_ID, "S", &name);
  if (!noun || svc_get_noun_text_id(c->txn, noun, on, &e) != SVC_OK || !svc_entity_visible(c, noun, &e))
    return svc_fail(c, group ? SVC_E_GROUP_NOT_FOUND : SVC_E_ORG_NOT_FOUND, "S", &on);
  out->on = e.id;
  out->group = group;
  out->name = name;
  out->org = group ? e.parent : e.id;
  return svc_may_there(c, group ? &out->on : NULL, &out->org, wanted);
}

/* Adds the person to an organization, with these roles, or with those of its invitation. `roles` may include roles in other
** organizations. */
static bool user_join(svc_call *c, const svc_id *org, const svc_id *user, const user_role *roles, size_t n)
{
  svc_str on = svc_id_str(c->arena, org), lines;
  svc_group_change groups = { svc_arena_alloc(c->arena, (n + 1) * sizeof *groups.rows), 0, false };
  svc_member m;
  bool owner, pending, in_org = false;
  size_t i;
  if (!groups.rows) return svc_no_memory(c);
  if (!svc_member_get(c, org, user, &m)) return false;
  owner = svc_person_is_caller(c, &m.user) || svc_roles_on(c, NULL, org) & SVC_R_ORG_OWNER;
  pending = svc_str_is(m.status, "PENDING");
  groups.others_go = svc_str_is(m.status, "INVITATION_EXPIRED"); /* drops the roles of an expired invitation */
  lines = groups.others_go ? SVC_S("") : m.assignments;
  for (i = 0; i < n; i++) {
    if (!svc_id_eq(&roles[i].org, org)) continue;
    if (roles[i].group)
      groups.rows[groups.count++] = (svc_group_roles){ roles[i].on, svc_lines_plus(c, SVC_S(""), roles[i].name) };
    else lines = svc_lines_plus(c, lines, svc_assignment_text(c, roles[i].name, on));
    in_org |= !roles[i].group;
  }
  if (groups.count && !in_org) lines = svc_lines_plus(c, lines, svc_member_assignment(c, org)); /* at least a member */
  if (lines.n == 0) return true;
  svc_group_change_sort(c, &groups);
  for (i = 0; i < groups.count && !groups.others_go; i++)
    groups.rows[i].roles = svc_lines_plus(c, svc_member_group(c, &m, &groups.rows[i].group), groups.rows[i].roles);
  return svc_member_put(c, &m, pending && !owner ? m.status : SVC_S("ACTIVE"), lines, &groups);
}

/* Adds the person to every organization in the body, and to those that invited it, if the caller may accept the invitation. */
static bool user_join_all(svc_call *c, const svc_entity *person, const user_role *roles, size_t n, svc_str invited)
{
  bool self = svc_person_is_caller(c, person);
  svc_str role, on;
  svc_id org;
  size_t i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i && !svc_id_eq(&roles[j].org, &roles[i].org); j++) continue;
    if (j == i && !user_join(c, &roles[i].org, &person->id, roles, n)) return false;
  }
  while (svc_assignments_next(&invited, &role, &on)) {
    if (role.p[0] != '?' || !svc_id_parse(on, &org)) continue;
    if ((self || svc_roles_on(c, NULL, &org) & SVC_R_ORG_OWNER) && !user_join(c, &org, &person->id, NULL, 0)) return false;
  }
  return true;
}

/* The organization that claims the person's details: the caller's, otherwise that of the first role, otherwise the caller's own id. NULL: the caller is
** the person, or owns everything. */
static const svc_id *user_registered_by(svc_call *c, const svc_entity *person, const user_role *roles, size_t n)
{
  if (svc_person_is_caller(c, person) || svc_roles_on(c, NULL, NULL) & SVC_R_ORG_OWNER) return NULL;
  return !svc_id_is_zero(&c->who.org) ? &c->who.org : n ? &roles[0].org : &c->who.id;
}

/* Whether the person may register again. */
static bool user_may_again(svc_call *c, const svc_entity *person)
{
  svc_id by;
  svc_str lines = svc_assignments_of(person), role, on;
  if (!svc_person_is_caller(c, person)) return false;
  if (svc_person_by(person, &by)) return true;
  while (svc_assignments_next(&lines, &role, &on))
    if (role.p[0] == '?') return true;
  return false;
}

/* Copies the new details into its present memberships. */
static bool user_refresh(svc_call *c, const svc_entity *person)
{
  svc_str lines = svc_assignments_of(person), role, on, last = SVC_S("");
  svc_member m;
  svc_id org;
  while (svc_assignments_next(&lines, &role, &on)) {
    if (svc_role_by_name(role) < 0 || svc_str_eq(on, last) || !svc_id_parse(on, &org)) continue;
    last = on;
    if (!svc_member_get(c, &org, &person->id, &m) || !svc_member_refresh(c, &m)) return false;
  }
  return true;
}

static bool user_create(svc_call *c)
{
  const svc_node *list = svc_node_get(c->checked, "roles"), *item;
  svc_str name = svc_person_name(c, svc_node_str(c->checked, "username")), lines;
  svc_node *body = svc_node_copy(c->arena, c->checked);
  user_role *roles = svc_arena_alloc(c->arena, (svc_node_count(list) + 1) * sizeof *roles);
  size_t n = 0;
  svc_entity e;
  bool found, again;
  if (!body || !roles) return svc_no_memory(c);
  for (item = list->first; item; item = item->next, n++)
    if (!user_role_of(c, item, &roles[n])) return false;
  if (!svc_person_find(c, name, &e, &found)) return false;
  again = found && svc_person_registered(&e);
  if (again && !user_may_again(c, &e)) return svc_fail(c, SVC_E_USER_ALREADY_EXISTS, "S", &name);
  if (!found && !svc_person_make(c, name, &e)) return false;
  lines = svc_assignments_of(&e);
  svc_node_drop(body, "roles");
  svc_node_set_from(c->arena, body, "createdAt", svc_entity_body(c, &e), "createdAt");
  svc_node_set_str(c->arena, body, "emailAddress", name);
  svc_node_set_str(c->arena, body, "id", e.key);
  svc_node_set_str(c->arena, body, "username", name);
  if (!svc_person_register(c, &e, body, user_registered_by(c, &e, roles, n)) || (again && !user_refresh(c, &e)) ||
      !user_join_all(c, &e, roles, n, lines))
    return false;
  if (!svc_person_find(c, name, &e, &found)) return false; /* again, with its new assignments */
  return user_show(c, &e, true);
}

static svc_str user_spell(svc_call *c, svc_str key)
{
  return svc_person_name(c, key);
}

static const svc_field_error user_errors[] = {
  { "username", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
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
  .routes = SVC_ROUTES(user_routes),
  .ext = SVC_NOUN_EXT(.spell = user_spell)
};
