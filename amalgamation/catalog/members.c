/*
** People, and what they are in organizations.
**
** A person is one entity, whatever organizations it is in; its `extra` holds all its roles and teams as assignments, where
** authentication reads them (credential.c). A membership is an entity below an organization and has the person's id: it
** holds the assignments of this organization and its projects, the state of the membership, and goes with the organization.
**
**   invited ----> PENDING ----> INVITATION_EXPIRED      30 days after the invitation; can be invited again
**                    |
**                    v  the person registers
**   added -----> ACTIVE ----> removed
**
** The rule it keeps: the assignments of a person are those of its active memberships, and a line "? organization" for every
** other one. Both are written together, and nothing else writes either. Who is invited can do nothing yet.
**
** Lines of projects and organizations that are gone stay where they are and grant nothing: ids do not come again. What
** is shown leaves them out.
*/
#include "catalog/catalog.h"

#define MEMBER_INVITED_MS (30 * 24 * 3600 * (int64_t)1000)

static bool member_write(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body)
{
  if (!svc_body_write(c->arena, body, &e->body, &e->links_at)) return svc_no_memory(c);
  e->revision = svc_new_revision(c->txn);
  if (old ? svc_entity_update(c->txn, c->arena, e, old) != SVC_OK : svc_entity_insert(c->txn, c->arena, e) != SVC_OK)
    return svc_store_failed(c, c->txn->error);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- assignments */

SVC_PRIVATE int svc_assignment_class(svc_str role)
{
  int number;
  if (role.n && role.p[0] == '@') return SVC_ASSIGNED_TEAM;
  if (role.n && role.p[0] == '?') return SVC_ASSIGNED_INVITED;
  number = svc_role_by_name(role);
  return number >= 0 && svc_role_level(number) == SVC_SCOPE_ORGANIZATION ? SVC_ASSIGNED_ORG : SVC_ASSIGNED_GROUP;
}

/* Only the assignments of this class, or all others. */
static svc_str member_class(svc_call *c, svc_str assignments, int class, bool others)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + 1);
  svc_str role, on;
  while (svc_assignments_next(&assignments, &role, &on))
    if ((svc_assignment_class(role) == class) != others) svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_team_assignment(svc_call *c, const svc_id *org, svc_str team)
{
  return svc_assignment_text(c, svc_arena_print(c->arena, "@" SVC_FMT, SVC_ARG(svc_id_str(c->arena, org))), team);
}

SVC_PRIVATE svc_str svc_member_assignment(svc_call *c, const svc_id *org)
{
  return svc_assignment_text(c, SVC_S("ORG_MEMBER"), svc_id_str(c->arena, org));
}

SVC_PRIVATE bool svc_member_group(svc_call *c, const svc_id *org, svc_str on, svc_id *group)
{
  svc_entity e;
  if (!c->s->group || !svc_id_parse(on, group)) return false;
  return svc_get_noun(c->txn, c->s->group, group, &e) == SVC_OK && svc_id_eq(&e.parent, org);
}

SVC_PRIVATE bool svc_assign_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *assignments)
{
  if (!svc_roles_check(c, names, SVC_SCOPE_ORGANIZATION, field)) return false;
  *assignments = svc_assignments_from(c, names, svc_id_str(c->arena, org), member_class(c, *assignments, SVC_ASSIGNED_ORG, true));
  return true;
}

SVC_PRIVATE bool svc_assign_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names, svc_str *assignments)
{
  svc_buf b = svc_buf_new(c->arena, assignments->n + 256);
  const svc_node *item;
  svc_id group;
  int i = 0;
  svc_buf_str(&b, member_class(c, *assignments, SVC_ASSIGNED_GROUP, true));
  for (item = list ? list->first : NULL; item; item = item->next, i++) {
    svc_str on = svc_node_str(item, "groupId"), field, own;
    if (!svc_member_group(c, org, on, &group)) return svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &on);
    field = svc_arena_print(c->arena, "groupRoleAssignments[%d].%s", i, names);
    if (!svc_roles_check(c, svc_node_get(item, names), SVC_SCOPE_GROUP, field.p)) return false;
    own = svc_assignments_from(c, svc_node_get(item, names), on, SVC_S(""));
    svc_buf_str(&b, svc_assignments_minus(c, own, (svc_str){ b.p, b.n })); /* a project may stand in the list twice */
  }
  *assignments = svc_buf_done(&b);
  return true;
}

SVC_PRIVATE bool svc_assign_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *assignments)
{
  svc_str org_text = svc_id_str(c->arena, org);
  svc_buf b = svc_buf_new(c->arena, assignments->n + 64);
  const svc_node *item;
  svc_entity team;
  svc_id id;
  svc_buf_str(&b, member_class(c, *assignments, SVC_ASSIGNED_TEAM, true));
  for (item = ids ? ids->first : NULL; item; item = item->next) {
    if (!c->s->seats[SVC_SEAT_TEAM] || !svc_id_parse(item->text, &id) ||
        svc_entity_get(c->txn, c->s->seats[SVC_SEAT_TEAM]->noun->kind, org, &id, &team) != SVC_OK)
      return svc_fail(c, SVC_E_TEAM_NOT_FOUND, "SS", &item->text, &org_text);
    svc_buf_str(&b, svc_team_assignment(c, org, item->text));
  }
  *assignments = svc_buf_done(&b);
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- people */

SVC_PRIVATE svc_str svc_person_name(svc_call *c, svc_str name)
{
  svc_str copy = svc_arena_copy(c->arena, name);
  size_t i;
  for (i = 0; i < copy.n; i++)
    if (copy.p[i] >= 'A' && copy.p[i] <= 'Z') ((char *)(uintptr_t)copy.p)[i] = (char)(copy.p[i] + 32);
  return copy;
}

SVC_PRIVATE bool svc_person_registered(const svc_entity *person)
{
  svc_str verifier, assignments;
  return svc_credential_unpack(person->extra, &verifier, &assignments) && verifier.n;
}

SVC_PRIVATE bool svc_person_find(svc_call *c, svc_str name, svc_entity *out, bool *found)
{
  static const svc_id root;
  int rc = SVC_NOT_FOUND;
  if (c->s->seats[SVC_SEAT_USER])
    rc = svc_entity_named(c->txn, c->s->seats[SVC_SEAT_USER]->noun->kind, NULL, &root, svc_person_name(c, name), out);
  *found = rc == SVC_OK;
  return rc == SVC_OK || rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
}

SVC_PRIVATE bool svc_person_make(svc_call *c, svc_str name, svc_entity *out)
{
  svc_node *body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  char created[21];
  if (!body || !c->s->seats[SVC_SEAT_USER]) return svc_no_memory(c);
  memset(out, 0, sizeof *out);
  out->kind = c->s->seats[SVC_SEAT_USER]->noun->kind;
  out->id = svc_new_id(c->txn);
  out->key = svc_id_str(c->arena, &out->id);
  out->unique = svc_person_name(c, name);
  out->extra = svc_credential_pack(c->arena, SVC_S(""), SVC_S(""));
  svc_date_text(c->now, created);
  svc_node_set_str(c->arena, body, "createdAt", svc_str_c(created));
  svc_node_set_str(c->arena, body, "emailAddress", out->unique);
  svc_node_set_str(c->arena, body, "id", out->key);
  svc_node_set_str(c->arena, body, "username", out->unique);
  return member_write(c, out, NULL, body);
}

SVC_PRIVATE bool svc_person_store(svc_call *c, svc_entity *person, const svc_node *body, bool registered, svc_str assignments)
{
  svc_entity old = *person;
  person->extra = svc_credential_pack(c->arena, registered ? SVC_S("1") : SVC_S(""), assignments);
  return member_write(c, person, &old, body);
}

static svc_node *member_teams(svc_call *c, svc_str assignments)
{
  svc_node *teams = svc_node_new(c->arena, SVC_J_ARRAY, SVC_S("teamIds"), SVC_S(""));
  svc_str role, on;
  while (teams && svc_assignments_next(&assignments, &role, &on)) {
    svc_node *item =
        svc_assignment_class(role) == SVC_ASSIGNED_TEAM ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), on) : NULL;
    if (item) svc_node_append(teams, item);
  }
  return teams;
}

/* The organization of a line, and whether what it speaks of is still there. */
static bool member_org_of(svc_call *c, svc_str role, svc_str on, svc_id *org)
{
  svc_entity e;
  svc_id id;
  int class = svc_assignment_class(role);
  if (class == SVC_ASSIGNED_TEAM) on = (svc_str){ role.p + 1, role.n - 1 };
  if (!c->s->org || !c->s->group || !svc_id_parse(on, &id)) return false;
  *org = id;
  if (class != SVC_ASSIGNED_GROUP) return svc_get_noun(c->txn, c->s->org, &id, &e) == SVC_OK;
  if (svc_get_noun(c->txn, c->s->group, &id, &e) != SVC_OK) return false;
  *org = e.parent;
  return true;
}

/* People see themselves; an owner sees who is in its organization, and of them what they are there. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made)
{
  bool self = c->who.kind == SVC_WHO_USER && svc_id_eq(&c->who.id, &person->id);
  bool seen = self || made || svc_roles_on(c, NULL, NULL) & SVC_R_ORG_OWNER;
  svc_node *body = svc_entity_body(c, person), *list, *teams;
  svc_str rest = svc_assignments_of(person), role, on;
  svc_buf b = svc_buf_new(c->arena, rest.n + 1);
  svc_id org, id;
  while (svc_assignments_next(&rest, &role, &on)) {
    uint64_t may;
    if (!member_org_of(c, role, on, &org)) continue;
    may = svc_roles_on(c, svc_assignment_class(role) == SVC_ASSIGNED_GROUP && svc_id_parse(on, &id) ? &id : NULL, &org);
    if (may & SVC_R_ORG_OWNER) seen = true;
    if (!self && !(may & (svc_assignment_class(role) == SVC_ASSIGNED_GROUP ? SVC_R_GROUP_OWNER : SVC_R_ORG_OWNER))) continue;
    svc_assignment_write(&b, role, on);
  }
  list = svc_assignments_objects(c, svc_buf_done(&b), "roles");
  teams = member_teams(c, svc_buf_done(&b));
  if (!seen || !body || !list || !teams || c->arena->failed) return NULL;
  svc_node_put(c->arena, body, list);
  svc_node_put(c->arena, body, teams);
  return body;
}

/* -------------------------------------------------------------------------------------------------------- memberships */

static bool member_find(svc_call *c, svc_member *m)
{
  int rc = SVC_NOT_FOUND;
  const svc_node *body;
  if (c->s->seats[SVC_SEAT_MEMBER])
    rc = svc_entity_get(c->txn, c->s->seats[SVC_SEAT_MEMBER]->noun->kind, &m->org, &m->user.id, &m->entity);
  m->status = m->assignments = SVC_S("");
  m->there = rc == SVC_OK;
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  body = svc_entity_body(c, &m->entity);
  if (!body) return false;
  m->status = svc_node_str(body, "orgMembershipStatus");
  m->assignments = svc_assignments_of(&m->entity);
  return true;
}

SVC_PRIVATE bool svc_member_get(svc_call *c, const svc_id *org, const svc_id *user, svc_member *out)
{
  static const svc_id root;
  int rc = SVC_NOT_FOUND;
  memset(out, 0, sizeof *out);
  out->org = *org;
  if (c->s->seats[SVC_SEAT_USER]) rc = svc_entity_get(c->txn, c->s->seats[SVC_SEAT_USER]->noun->kind, &root, user, &out->user);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  return member_find(c, out);
}

SVC_PRIVATE bool svc_member_named(svc_call *c, const svc_id *org, svc_str name, svc_member *out)
{
  bool found;
  memset(out, 0, sizeof *out);
  out->org = *org;
  if (!svc_person_find(c, name, &out->user, &found)) return false;
  return !found || member_find(c, out);
}

/* The roles as they are shown: those in the organization, and those in each of its projects. */
static svc_node *member_roles(svc_call *c, const svc_id *org, svc_str assignments)
{
  svc_node *roles = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S("roles"), SVC_S(""));
  svc_node *groups = svc_node_new(c->arena, SVC_J_ARRAY, SVC_S("groupRoleAssignments"), SVC_S(""));
  svc_node *names = svc_assignments_names(c, assignments, svc_id_str(c->arena, org), "orgRoles");
  svc_str rest = assignments, role, on, last = SVC_S("");
  svc_id group;
  if (!roles || !groups || !names) return NULL;
  while (svc_assignments_next(&rest, &role, &on)) {
    svc_str before = { assignments.p, (size_t)(role.p - assignments.p) };
    svc_node *item, *own;
    if (svc_str_eq(on, last)) continue; /* those of one project usually follow each other */
    last = on;
    if (svc_assignment_class(role) != SVC_ASSIGNED_GROUP || svc_assignments_have(before, SVC_S(""), on)) continue;
    if (!svc_member_group(c, org, on, &group)) continue;
    item = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
    own = svc_assignments_names(c, assignments, on, "groupRoles");
    if (!item || !own) return NULL;
    svc_node_set_str(c->arena, item, "groupId", on);
    svc_node_put(c->arena, item, own);
    svc_node_append(groups, item);
  }
  svc_node_append(roles, groups);
  svc_node_append(roles, names);
  return roles;
}

static bool member_show_lines(svc_call *c, const svc_id *org, svc_str assignments, svc_node *body)
{
  svc_node *roles = member_roles(c, org, assignments), *teams = member_teams(c, assignments);
  if (!roles || !teams) return svc_no_memory(c);
  svc_node_put(c->arena, body, roles);
  svc_node_put(c->arena, body, teams);
  return true;
}

SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_id *org, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  svc_str assignments = svc_assignments_of(e);
  return body && member_show_lines(c, org, assignments, body) ? body : NULL;
}

/* A credential invites under the name that it calls itself by. */
static svc_str member_caller_name(const svc_call *c)
{
  return c->who.username.n ? c->who.username : c->who.user_id;
}

/* What an active member shows of itself, and what an invitation says. */
static void member_details(svc_call *c, const svc_member *m, bool pending, svc_node *body)
{
  static const char *const own[] = { "country", "createdAt", "firstName", "lastAuth", "lastName", "mobileNumber" };
  const svc_node *person = svc_entity_body(c, &m->user);
  char created[21], expires[21];
  size_t i;
  if (!pending) {
    for (i = 0; person && i < sizeof own / sizeof own[0]; i++)
      if (svc_node_get(person, own[i])) svc_node_set_str(c->arena, body, own[i], svc_node_str(person, own[i]));
    return;
  }
  svc_date_text(c->now, created);
  svc_date_text(c->now + MEMBER_INVITED_MS, expires);
  svc_node_set_str(c->arena, body, "invitationCreatedAt", svc_str_c(created));
  svc_node_set_str(c->arena, body, "invitationExpiresAt", svc_str_c(expires));
  svc_node_set_str(c->arena, body, "inviterUsername", member_caller_name(c));
}

/* --------------------------------------------------------------------------------------------------------------- rules */

typedef struct member_others {
  const svc_member *but;
  svc_str role, on; /* the line that is looked for */
  bool active_only;
} member_others;

/* How many others of the organization have this line. */
static size_t member_count_others(svc_call *c, const member_others *wanted)
{
  const char *kind = c->s->seats[SVC_SEAT_MEMBER]->noun->kind;
  svc_scan scan;
  svc_entity e;
  size_t n = 0;
  svc_below_begin(&scan, c->txn, kind, &wanted->but->org);
  while (svc_below_next(&scan, kind, &e)) {
    if (svc_id_eq(&e.id, &wanted->but->user.id)) continue;
    if (!svc_assignments_have(svc_assignments_of(&e), wanted->role, wanted->on)) continue;
    if (!wanted->active_only) n++;
    else n += svc_str_is(svc_node_str(svc_entity_body(c, &e), "orgMembershipStatus"), "ACTIVE");
  }
  return n;
}

/* An organization that has owners among its people keeps one. */
static bool member_keeps_owner(svc_call *c, const svc_member *m, svc_str status, svc_str assignments)
{
  svc_str org = svc_id_str(c->arena, &m->org);
  member_others wanted = { m, SVC_S("ORG_OWNER"), org, true };
  if (!svc_str_is(m->status, "ACTIVE") || !svc_assignments_have(m->assignments, wanted.role, org)) return true;
  if (svc_str_is(status, "ACTIVE") && svc_assignments_have(assignments, wanted.role, org)) return true;
  return member_count_others(c, &wanted) ? true : svc_fail(c, SVC_E_CANNOT_DEMOTE_LAST_ORG_OWNER, "S", &org);
}

static bool member_teams_have_room(svc_call *c, const svc_member *m, svc_str assignments)
{
  svc_str rest = svc_assignments_minus(c, member_class(c, assignments, SVC_ASSIGNED_TEAM, false), m->assignments), role, on;
  int64_t most = SVC_TEAM_MOST;
  while (svc_assignments_next(&rest, &role, &on)) {
    member_others wanted = { m, role, on, false };
    if (member_count_others(c, &wanted) >= SVC_TEAM_MOST)
      return svc_fail(c, SVC_E_MAX_USERS_PER_TEAM_EXCEEDED, "iS", &most, &on);
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- events */

static bool member_event(svc_call *c, const svc_member *m, const char *type, const svc_id *group)
{
  static const svc_id none;
  const svc_scope scope = { group ? *group : none, m->org };
  return svc_event_write(c, type, &scope, "targetUsername", m->user.unique);
}

/* What became of the roles in each project where they changed. */
static bool member_group_events(svc_call *c, const svc_member *m, bool active, svc_str before, svc_str after)
{
  svc_str changed = svc_assignments_plus(c, svc_assignments_minus(c, before, after), svc_assignments_minus(c, after, before));
  svc_str all = member_class(c, changed, SVC_ASSIGNED_GROUP, false), rest = all, role, on;
  svc_id group;
  while (svc_assignments_next(&rest, &role, &on)) {
    const char *type = active ? "JOINED_GROUP" : "INVITED_TO_GROUP";
    svc_str had, has;
    if (svc_assignments_have((svc_str){ all.p, (size_t)(role.p - all.p) }, SVC_S(""), on))
      continue; /* once for each project */
    had = svc_assignments_on(c, before, on);
    has = svc_assignments_on(c, after, on);
    if (!svc_member_group(c, &m->org, on, &group)) continue;
    if (had.n) type = has.n ? "USER_ROLES_CHANGED_AUDIT" : active ? "REMOVED_FROM_GROUP" : "GROUP_INVITATION_DELETED";
    if (!member_event(c, m, type, &group)) return false;
  }
  return true;
}

static bool member_team_events(svc_call *c, const svc_member *m, svc_str before, svc_str after)
{
  svc_str gone = member_class(c, svc_assignments_minus(c, before, after), SVC_ASSIGNED_TEAM, false), role, on;
  svc_str come = member_class(c, svc_assignments_minus(c, after, before), SVC_ASSIGNED_TEAM, false);
  while (svc_assignments_next(&gone, &role, &on))
    if (!member_event(c, m, "REMOVED_FROM_TEAM", NULL)) return false;
  while (svc_assignments_next(&come, &role, &on))
    if (!member_event(c, m, "JOINED_TEAM", NULL)) return false;
  return true;
}

/* From what it was to what it is; a status that is empty: not there. */
static bool member_events(svc_call *c, const svc_member *m, svc_str was, svc_str before, svc_str is, svc_str after)
{
  bool active = svc_str_is(is.n ? is : was, "ACTIVE"), same = svc_str_eq(was, is);
  const char *type = NULL;
  if (is.n == 0) type = active ? "REMOVED_FROM_ORG" : "ORG_INVITATION_DELETED";
  else if (!same) type = active ? "JOINED_ORG" : "INVITED_TO_ORG";
  else if (!svc_assignments_same(c, member_class(c, before, SVC_ASSIGNED_ORG, false),
                                 member_class(c, after, SVC_ASSIGNED_ORG, false)))
    type = "USER_ROLES_CHANGED_AUDIT";
  if (type && !member_event(c, m, type, NULL)) return false;
  if (is.n && !same) before = SVC_S(""); /* joining is more than having been invited */
  return member_group_events(c, m, active, before, after) && (!active || member_team_events(c, m, before, after));
}

/* -------------------------------------------------------------------------------------------------------------- writing */

/* The assignments that a membership gives its person. */
static svc_str member_gives(svc_call *c, const svc_member *m, svc_str status, svc_str assignments)
{
  if (status.n == 0) return SVC_S("");
  if (svc_str_is(status, "ACTIVE")) return assignments;
  return svc_assignment_text(c, SVC_S("?"), svc_id_str(c->arena, &m->org));
}

static bool member_tell_person(svc_call *c, svc_member *m, svc_str status, svc_str assignments)
{
  svc_str old = svc_assignments_of(&m->user),
          own = svc_assignments_minus(c, old, member_gives(c, m, m->status, m->assignments));
  const svc_node *body = svc_entity_body(c, &m->user);
  own = svc_assignments_plus(c, own, member_gives(c, m, status, assignments));
  if (svc_str_eq(own, old)) return true;
  return body && svc_person_store(c, &m->user, body, svc_person_registered(&m->user), own);
}

SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str is, svc_str assignments)
{
  svc_str was = m->status, before = m->assignments;
  bool pending = svc_str_is(is, "PENDING"), same = svc_str_eq(was, is);
  svc_entity e = m->entity;
  svc_node *body;
  if (!c->s->seats[SVC_SEAT_MEMBER]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  if (m->there && same && svc_assignments_same(c, before, assignments)) return true;
  if (!member_keeps_owner(c, m, is, assignments) || !member_teams_have_room(c, m, assignments)) return false;
  body = m->there && same ? svc_entity_body(c, &m->entity) : svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  if (!body) return svc_no_memory(c);
  if (!m->there) {
    memset(&e, 0, sizeof e);
    e.kind = c->s->seats[SVC_SEAT_MEMBER]->noun->kind;
    e.parent = e.scope.org = m->org;
    e.id = m->user.id;
    e.key = svc_id_str(c->arena, &e.id);
  }
  if (!same) {
    svc_node_set_str(c->arena, body, "id", e.key);
    svc_node_set_str(c->arena, body, "orgMembershipStatus", is);
    svc_node_set_str(c->arena, body, "username", m->user.unique);
    member_details(c, m, pending, body);
    svc_due_set(&e, SVC_DUE_STATE, pending ? c->now + MEMBER_INVITED_MS : 0);
  }
  if (!member_show_lines(c, &m->org, assignments, body) || !member_tell_person(c, m, is, assignments)) return false;
  e.extra = svc_credential_pack(c->arena, SVC_S(""), assignments);
  if (!member_write(c, &e, m->there ? &m->entity : NULL, body)) return false;
  m->entity = e;
  m->there = true;
  m->status = is;
  m->assignments = assignments;
  return member_events(c, m, was, before, is, assignments);
}

SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m)
{
  if (!member_keeps_owner(c, m, SVC_S(""), SVC_S("")) || !member_tell_person(c, m, SVC_S(""), SVC_S(""))) return false;
  if (svc_entity_remove(c->txn, &m->entity) != SVC_OK) return svc_store_failed(c, c->txn->error);
  /* of who was only ever invited, and is no more, nothing is kept */
  if (!svc_person_registered(&m->user) && svc_assignments_of(&m->user).n == 0 && svc_entity_remove(c->txn, &m->user) != SVC_OK)
    return svc_store_failed(c, c->txn->error);
  return member_events(c, m, m->status, m->assignments, SVC_S(""), SVC_S(""));
}

static bool member_exists(svc_call *c, const svc_member *m)
{
  return svc_fail(c, SVC_E_USER_ALREADY_EXISTS, "S", &m->user.unique);
}

SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str assignments, bool invite, svc_member *out)
{
  bool registered;
  if (!c->s->seats[SVC_SEAT_USER]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  if (!svc_member_named(c, org, name, out)) return false;
  registered = !svc_id_is_zero(&out->user.id) && svc_person_registered(&out->user);
  if (svc_str_is(out->status, "ACTIVE")) return member_exists(c, out);
  if (svc_str_is(out->status, "PENDING") && (invite || !registered)) return member_exists(c, out);
  if (svc_id_is_zero(&out->user.id) && !svc_person_make(c, name, &out->user)) return false;
  return svc_member_put(c, out, registered && !invite ? SVC_S("ACTIVE") : SVC_S("PENDING"), assignments);
}

SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out)
{
  const svc_node *roles = svc_node_get(request, "roles");
  svc_str on = svc_id_str(c->arena, group), name = svc_node_str(request, "username"), assignments;
  bool there;
  if (!svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles") || !svc_member_named(c, org, name, out)) return false;
  if (!roles || !roles->first) return svc_fail(c, SVC_E_NO_ROLES_IN_ASSIGNMENT, "");
  there = svc_str_is(out->status, "ACTIVE") || svc_str_is(out->status, "PENDING");
  if (there && svc_assignments_have(out->assignments, SVC_S(""), on)) return member_exists(c, out);
  assignments = svc_assignments_from(c, roles, on, there ? out->assignments : svc_member_assignment(c, org));
  if (!svc_may_grant(c, SVC_S(""), assignments)) return false;
  return there ? svc_member_put(c, out, out->status, assignments) : svc_member_add(c, org, name, assignments, invite, out);
}

SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns)
{
  svc_str role = group ? SVC_S("GROUP_OWNER") : SVC_S("ORG_OWNER");
  svc_str line = svc_assignment_text(c, role, svc_id_str(c->arena, group ? group : org));
  svc_member m;
  *owns = false;
  if (!svc_member_get(c, org, user, &m)) return false;
  if (!c->s->seats[SVC_SEAT_MEMBER] || svc_id_is_zero(&m.user.id) || !svc_person_registered(&m.user)) return true;
  if (group && !svc_str_is(m.status, "ACTIVE")) return true;
  *owns = true;
  return svc_member_put(c, &m, SVC_S("ACTIVE"), svc_assignments_plus(c, m.assignments, line));
}

/* --------------------------------------------------------------------------------------------------------- invitations */

SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m)
{
  svc_str id = svc_path_param(c, "invitationId");
  bool named = id.n == 0;
  int level;
  svc_str name = svc_node_str(c->body, "username"), on;
  svc_id org, user;
  if (!svc_resolve_all(c)) return false;
  on = svc_call_scope(c, &level);
  org = c->scope.org;
  if (!named && !svc_id_parse(id, &user)) return svc_fail(c, SVC_E_INVALID_INVITATION_ID, "S", &id);
  if (named && name.n == 0) { /* a body that names nobody is a bad one, and not somebody who is not there */
    svc_check(c, c->plan->route->body, c->body, NULL, SVC_CHECK_CREATE);
    if (!svc_check_done(c)) return false;
  }
  if (named ? !svc_member_named(c, &org, name, m) : !svc_member_get(c, &org, &user, m)) return false;
  if (svc_str_is(m->status, "PENDING") && svc_assignments_have(m->assignments, SVC_S(""), on)) return true;
  if (named) return svc_fail(c, SVC_E_USERNAME_NOT_FOUND, "S", &name);
  return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

static bool member_invited(svc_call *c, const svc_entity *e, void *context)
{
  const svc_query_value *name = svc_query_get(c, "username");
  const svc_node *body = svc_keep_assigned(c, e) ? svc_entity_body(c, e) : NULL;
  (void)context;
  if (!svc_str_is(svc_node_str(body, "orgMembershipStatus"), "PENDING")) return false;
  return !name || svc_str_eq(svc_person_name(c, name->text), svc_node_str(body, "username"));
}

SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context))
{
  svc_entities which = { .noun = c->s->seats[SVC_SEAT_MEMBER], .keep = member_invited, .view = view };
  if (!which.noun) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  if (!svc_resolve_all(c)) return false;
  which.parent = c->scope.org;
  return svc_list_entities(c, &which);
}

SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e)
{
  svc_str on = svc_id_str(c->arena, id);
  svc_node *member = svc_entity_body(c, e), *out = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node *roles = svc_assignments_names(c, svc_assignments_of(e), on, "roles");
  svc_str inviter;
  svc_entity scope;
  char now[21];
  if (!member || !out || !roles || svc_get_noun(c->txn, to, id, &scope) != SVC_OK) return NULL;
  svc_date_text(c->now, now);
  svc_node_set_str(c->arena, out, "createdAt", svc_str_c(now)); /* of who is a member, and was not invited */
  if (svc_node_get(member, "invitationCreatedAt")) {
    svc_node_set_str(c->arena, out, "createdAt", svc_node_str(member, "invitationCreatedAt"));
    svc_node_set_str(c->arena, out, "expiresAt", svc_node_str(member, "invitationExpiresAt"));
  }
  svc_node_set_str(c->arena, out, to == c->s->group ? "groupId" : "orgId", on);
  svc_node_set_str(c->arena, out, to == c->s->group ? "groupName" : "orgName", scope.unique);
  svc_node_set_str(c->arena, out, "id", svc_node_str(member, "id"));
  inviter = svc_node_str(member, "inviterUsername");
  svc_node_set_str(c->arena, out, "inviterUsername", inviter.n ? inviter : member_caller_name(c));
  svc_node_put(c->arena, out, roles);
  svc_node_set_str(c->arena, out, "username", svc_node_str(member, "username"));
  return out;
}

/* What is shown has more members than what is taken, and some in another shape: those that come back as they were say
** nothing, and are left out before the rest is checked. */
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view)
{
  const svc_object *object = c->plan->route->body;
  svc_node *input = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  const svc_node *member;
  bool whole = c->body->type == SVC_J_OBJECT; /* what is none is checked as it is, and refused */
  c->route.links_own = svc_node_str(view, "id");
  for (member = whole ? c->body->first : NULL; input && member; member = member->next) {
    const svc_node *shown = svc_node_find(view, member->name);
    const svc_field *f = svc_field_named(object, member->name);
    bool same = shown && svc_node_same(shown, member);
    if (shown && !f && !same) svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, member->name, "cannot be set or changed");
    if (!(shown && !f) && !(same && !(f->flags & SVC_REQUIRED)))
      svc_node_put(c->arena, input, svc_node_copy(c->arena, member));
  }
  if (!input) {
    svc_no_memory(c);
    return NULL;
  }
  svc_check(c, object, whole ? input : c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) ? input : NULL;
}

SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view)
{
  if (!view) return c->error.code ? false : svc_no_memory(c);
  if (!svc_answer_node(c, view)) return false;
  c->answer.own = m->entity.key;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ forgetting */

static bool member_forget_people(svc_call *c, const svc_id *org, svc_str on)
{
  const svc_noun_info *noun = c->s->seats[SVC_SEAT_MEMBER];
  svc_scan scan;
  svc_entity e;
  svc_member m;
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, org);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    if (!svc_assignments_have(svc_assignments_of(&e), SVC_S(""), on)) continue;
    if (!svc_member_get(c, org, &e.id, &m)) return false;
    if (!m.there) return svc_store_failed(c, SVC_CORRUPT);
    if (!svc_member_put(c, &m, m.status, svc_assignments_without(c, m.assignments, on))) return false;
  }
  return svc_txn_good(c);
}

static bool member_forget_teams(svc_call *c, const svc_id *org, svc_str on)
{
  const svc_noun_info *noun = c->s->seats[SVC_SEAT_TEAM];
  svc_scan scan;
  svc_entity e, old;
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, org);
  while (svc_below_next(&scan, noun->noun->kind, &old)) {
    const svc_node *body;
    if (!svc_assignments_have(svc_assignments_of(&old), SVC_S(""), on)) continue;
    e = old;
    body = svc_entity_body(c, &e);
    e.extra = svc_credential_pack(c->arena, SVC_S(""), svc_assignments_without(c, svc_assignments_of(&e), on));
    if (!body || !member_write(c, &e, &old, body)) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_member_forget(svc_call *c, const svc_id *org, svc_str on)
{
  return member_forget_people(c, org, on) && member_forget_teams(c, org, on);
}
