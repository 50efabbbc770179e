/*
** Writes memberships (members.c); no other file does. Everything that depends on a membership is written with it: the
** assignments of the person, the lists of team members, of owners, of members whose role reaches into all projects, of
** invited people, and the events.
**
** The rules: an organization keeps an active owner, a team does not exceed its maximum, and all records of a membership
** are written in one transaction.
*/
#include "catalog/catalog.h"

#define MEMBER_INVITED_MS (30 * SVC_DAY_MS)

static bool member_body(svc_call *c, svc_entity *e, const svc_node *body)
{
  return svc_body_write(c->arena, body, &e->body, &e->links_at) || svc_no_memory(c);
}

/* The lines for other organizations. */
static svc_str member_elsewhere(svc_call *c, svc_str assignments, const svc_id *org)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + 1);
  svc_str here = svc_id_str(c->arena, org), role, on;
  while (svc_assignments_next(&assignments, &role, &on))
    if (!svc_str_eq(svc_assignment_org(role, on), here)) svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

/* Adds the details that an active member shows, or those of an invitation. */
static void member_details(svc_call *c, const svc_member *m, bool pending, svc_node *body)
{
  static const char *const own[] = { "country", "createdAt", "firstName", "lastAuth", "lastName", "mobileNumber" };
  const svc_node *person = pending ? NULL : svc_person_seen_in(c, &m->user, &m->org);
  size_t i;
  for (i = 0; person && i < sizeof own / sizeof own[0]; i++)
    if (svc_node_get(person, own[i])) svc_node_set_from(c->arena, body, own[i], person, own[i]);
  if (!pending) return;
  svc_node_set_date(c->arena, body, "invitationCreatedAt", c->now);
  svc_node_set_date(c->arena, body, "invitationExpiresAt", c->now + MEMBER_INVITED_MS);
  svc_node_set_str(c->arena, body, "inviterUsername", svc_inviter_name(c));
}

/* --------------------------------------------------------------------------------------------------------------- rules */

static bool member_owns(svc_call *c, const svc_id *org, svc_str status, svc_str assignments)
{
  return svc_str_is(status, "ACTIVE") && svc_assignments_have(assignments, SVC_S("ORG_OWNER"), svc_id_str(c->arena, org));
}

/* An organization that has owners among its members must keep one. */
static bool member_keeps_owner(svc_call *c, const svc_member *m, svc_str status, svc_str assignments)
{
  svc_str org = svc_id_str(c->arena, &m->org);
  if (!member_owns(c, &m->org, m->status, m->assignments) || member_owns(c, &m->org, status, assignments)) return true;
  return svc_count(c->txn, SVC_MEMBERS_OWNING, &m->org) > 1 ? true : svc_fail(c, SVC_E_CANNOT_DEMOTE_LAST_ORG_OWNER, "S", &org);
}

static bool member_teams_have_room(svc_call *c, const svc_member *m, svc_str assignments)
{
  svc_str rest = svc_lines_minus(c, svc_assignments_of_class(c, assignments, SVC_ASSIGNED_TEAM, false), m->assignments), role, on;
  int64_t most = SVC_TEAM_MOST;
  svc_id team;
  while (svc_assignments_next(&rest, &role, &on))
    if (svc_id_parse(on, &team) && svc_count(c->txn, svc_member_kind(c), &team) >= SVC_TEAM_MOST)
      return svc_fail(c, SVC_E_MAX_USERS_PER_TEAM_EXCEEDED, "iS", &most, &on);
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- events */

static bool member_event(svc_call *c, const svc_member *m, const char *type, const svc_id *group)
{
  static const svc_id none;
  const svc_scope scope = { group ? *group : none, m->org };
  return svc_event_write(c, type, &scope, "targetUsername", m->user.unique);
}

/* Writes the event for changed roles in a project. */
static bool member_group_event(svc_call *c, const svc_member *m, const svc_id *group, bool had, bool has)
{
  bool active = svc_str_is(m->status, "ACTIVE");
  const char *type = active ? "JOINED_GROUP" : "INVITED_TO_GROUP";
  if (had) type = has ? "USER_ROLES_CHANGED_AUDIT" : active ? "REMOVED_FROM_GROUP" : "GROUP_INVITATION_DELETED";
  return member_event(c, m, type, group);
}

static bool member_team_events(svc_call *c, const svc_member *m, svc_str before, svc_str after)
{
  svc_str gone = svc_assignments_of_class(c, svc_lines_minus(c, before, after), SVC_ASSIGNED_TEAM, false), role, on;
  svc_str come = svc_assignments_of_class(c, svc_lines_minus(c, after, before), SVC_ASSIGNED_TEAM, false);
  while (svc_assignments_next(&gone, &role, &on))
    if (!member_event(c, m, "REMOVED_FROM_TEAM", NULL)) return false;
  while (svc_assignments_next(&come, &role, &on))
    if (!member_event(c, m, "JOINED_TEAM", NULL)) return false;
  return true;
}

/* Writes the event for a changed membership; `is` empty: it was removed. */
static bool member_org_event(svc_call *c, const svc_member *m, svc_str was, svc_str before, svc_str is, svc_str after)
{
  bool active = svc_str_is(is.n ? is : was, "ACTIVE");
  const char *type = NULL;
  if (is.n == 0) type = active ? "REMOVED_FROM_ORG" : "ORG_INVITATION_DELETED";
  else if (!svc_str_eq(was, is)) type = active ? "JOINED_ORG" : "INVITED_TO_ORG";
  else if (!svc_lines_same(svc_assignments_of_class(c, before, SVC_ASSIGNED_ROLE, false),
                                 svc_assignments_of_class(c, after, SVC_ASSIGNED_ROLE, false)))
    type = "USER_ROLES_CHANGED_AUDIT";
  return !type || member_event(c, m, type, NULL);
}

/* -------------------------------------------------------------------------------------------------------------- writing */

SVC_PRIVATE bool svc_member_reaches(svc_str assignments)
{
  svc_str role, on;
  while (svc_assignments_next(&assignments, &role, &on)) {
    int number = svc_role_by_name(role);
    if (number >= 0 && svc_role_includes(number) & SVC_R_GROUP_READ_ONLY) return true;
  }
  return false;
}

/* Puts the member on the lists of owners, of members that reach into all projects, and of invited people, or takes it off them. */
static void member_list(svc_call *c, const svc_id *org, const svc_id *user, svc_str status, svc_str assignments)
{
  svc_listed_put(c->txn, org, SVC_MEMBERS_OWNING, user, member_owns(c, org, status, assignments));
  svc_listed_put(c->txn, org, SVC_MEMBERS_REACHING, user, svc_member_reaches(assignments));
  svc_listed_put(c->txn, org, SVC_MEMBERS_INVITED, user, svc_str_is(status, "PENDING"));
}

static void member_list_teams(svc_call *c, const svc_id *user, svc_str assignments, bool there)
{
  svc_str role, on;
  svc_id team;
  while (svc_assignments_next(&assignments, &role, &on))
    if (svc_assignment_class(role) == SVC_ASSIGNED_TEAM && svc_id_parse(on, &team))
      svc_listed_put(c->txn, &team, svc_member_kind(c), user, there);
}

/* Copies the assignments of the membership to the person. */
static bool member_tell_person(svc_call *c, svc_entity *person, const svc_id *org, svc_str status, svc_str assignments)
{
  svc_str lines = member_elsewhere(c, svc_assignments_of(person), org);
  if (svc_str_is(status, "ACTIVE")) lines = svc_lines_plus(c, lines, assignments);
  else if (status.n)
    lines = svc_lines_plus(c, lines, svc_assignment_text(c, SVC_S("?"), svc_id_str(c->arena, org)));
  return svc_person_assign(c, person, lines);
}

/* The body of a membership whose state changes. */
static bool member_new_body(svc_call *c, const svc_member *m, svc_str is, svc_entity *e)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  bool pending = svc_str_is(is, "PENDING");
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "id", e->key);
  svc_node_set_str(c->arena, body, "orgMembershipStatus", is);
  svc_node_set_str(c->arena, body, "username", m->user.unique);
  member_details(c, m, pending, body);
  svc_due_set(e, SVC_DUE_STATE, pending ? c->now + MEMBER_INVITED_MS : 0);
  return member_body(c, e, body);
}

/* Stores the membership with all records that depend on it. */
static bool member_store(svc_call *c, svc_member *m, svc_str is, svc_str assignments)
{
  svc_entity e = m->entity;
  if (!m->there) {
    memset(&e, 0, sizeof e);
    e.kind = svc_member_kind(c);
    e.parent = e.scope.org = m->org;
    e.id = m->user.id;
    e.key = svc_id_str(c->arena, &e.id);
  }
  if (!svc_str_eq(m->status, is) && !member_new_body(c, m, is, &e)) return false;
  e.extra = svc_credential_pack(c->arena, SVC_S(""), assignments);
  if (!member_tell_person(c, &m->user, &m->org, is, assignments) ||
      !svc_person_write(c, &e, m->there ? &m->entity : NULL, NULL))
    return false;
  member_list(c, &m->org, &m->user.id, is, assignments);
  member_list_teams(c, &m->user.id, svc_lines_minus(c, m->assignments, assignments), false);
  member_list_teams(c, &m->user.id, svc_lines_minus(c, assignments, m->assignments), true);
  m->entity = e;
  m->there = true;
  m->status = is;
  m->assignments = assignments;
  return svc_txn_good(c);
}

/* Stores the roles in one project. told: writes the event for this project; otherwise member_tell_groups() writes those of all projects. */
static bool member_put_group(svc_call *c, const svc_member *m, const svc_id *group, svc_str roles, bool told)
{
  svc_holder h = svc_holder_of(&m->entity);
  svc_str had = svc_holding_get(c->txn, &h.id, &h.org, group);
  if (svc_lines_same(had, roles)) return true; /* the same roles in another order are no change */
  svc_holding_put(c->txn, &h, group, roles);
  return !told || member_group_event(c, m, group, had.n != 0, roles.n != 0);
}

/* Removes the person's roles in all projects that the change does not list. */
static bool member_drop_others(svc_call *c, const svc_member *m, const svc_group_change *change, bool told)
{
  svc_holding one;
  svc_scan scan;
  svc_holdings_begin(&scan, c->txn, &m->user.id, &m->org);
  while (svc_holdings_next(&scan, &one)) {
    if (svc_group_change_has(change, &one.group)) continue;
    if (!member_put_group(c, m, &one.group, SVC_S(""), told)) return false;
  }
  return svc_txn_good(c);
}

/* Writes an event for each project of the member, because its status has changed or the membership was removed. A member that
** accepts an invitation joins each of its projects, although each has the event of the invitation already. */
static bool member_tell_groups(svc_call *c, const svc_member *m, bool had, bool has)
{
  svc_holding one;
  svc_scan scan;
  svc_holdings_begin(&scan, c->txn, &m->user.id, &m->org);
  while (svc_holdings_next(&scan, &one))
    if (!member_group_event(c, m, &one.group, had, has)) return false;
  return svc_txn_good(c);
}

static bool member_put_groups(svc_call *c, const svc_member *m, const svc_group_change *change, bool told)
{
  size_t i;
  if (!change) return true;
  if (change->others_go && !member_drop_others(c, m, change, told)) return false;
  for (i = 0; i < change->count; i++)
    if (!member_put_group(c, m, &change->rows[i].group, change->rows[i].roles, told)) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str is, svc_str assignments, const svc_group_change *groups)
{
  svc_str was = m->status, before = m->assignments;
  bool same = m->there && svc_str_eq(was, is), lines = !same || !svc_lines_same(before, assignments);
  if (!c->s->seats[SVC_SEAT_MEMBER]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  if (!member_keeps_owner(c, m, is, assignments) || !member_teams_have_room(c, m, assignments)) return false;
  if (lines && (!member_store(c, m, is, assignments) || !member_org_event(c, m, was, before, is, assignments))) return false;
  if (!member_put_groups(c, m, groups, same)) return false;
  if (!same && !member_tell_groups(c, m, false, true)) return false;
  if (!lines || !svc_str_is(is, "ACTIVE")) return true;
  return member_team_events(c, m, same ? before : SVC_S(""), assignments);
}

/* Cleans up after a membership, whose record may be deleted already: removes it from all lists and from its person. A person who
** never registered, and has no other membership or invitation, is deleted. */
static bool member_clean(svc_call *c, const svc_entity *e, svc_entity *person)
{
  svc_holder h = svc_holder_of(e);
  svc_str lines = svc_assignments_of(e);
  svc_holdings_drop(c->txn, &h);
  if (svc_member_reaches(lines) || svc_str_is(svc_member_status(e), "PENDING")) /* otherwise it is on none of these lists */
    member_list(c, &e->parent, &e->id, SVC_S(""), SVC_S(""));
  member_list_teams(c, &e->id, lines, false);
  if (!svc_txn_good(c)) return false;
  if (svc_person_registered(person) || member_elsewhere(c, svc_assignments_of(person), &e->parent).n)
    return member_tell_person(c, person, &e->parent, SVC_S(""), SVC_S(""));
  return svc_status_good(c, svc_entity_remove(c->txn, person));
}

SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m)
{
  bool active = svc_str_is(m->status, "ACTIVE");
  if (!member_keeps_owner(c, m, SVC_S(""), SVC_S(""))) return false;
  if (!member_org_event(c, m, m->status, m->assignments, SVC_S(""), SVC_S("")) || !member_tell_groups(c, m, true, false) ||
      (active && !member_team_events(c, m, m->assignments, SVC_S(""))))
    return false;
  if (!svc_status_good(c, svc_entity_remove(c->txn, &m->entity))) return false;
  return member_clean(c, &m->entity, &m->user);
}

SVC_PRIVATE bool svc_member_gone(svc_call *c, const svc_entity *e)
{
  static const svc_id root;
  svc_entity person;
  int rc = SVC_NOT_FOUND;
  if (c->s->seats[SVC_SEAT_USER]) rc = svc_entity_get(c->txn, c->s->seats[SVC_SEAT_USER]->noun->kind, &root, &e->id, &person);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  return member_clean(c, e, &person);
}

SVC_PRIVATE bool svc_member_expired(svc_call *c, const svc_entity *e)
{
  svc_listed_put(c->txn, &e->parent, SVC_MEMBERS_INVITED, &e->id, false);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_member_refresh(svc_call *c, svc_member *m)
{
  svc_entity e = m->entity;
  if (!svc_str_is(m->status, "ACTIVE")) return true;
  return member_new_body(c, m, m->status, &e) && svc_person_write(c, &e, &m->entity, NULL);
}

SVC_PRIVATE bool svc_team_forget(svc_call *c, const svc_id *org, const svc_id *team)
{
  svc_str text = svc_id_str(c->arena, team);
  svc_scan scan;
  svc_member m;
  svc_id user;
  if (!c->s->seats[SVC_SEAT_MEMBER]) return true;
  svc_listed_begin(&scan, c->txn, team, svc_member_kind(c));
  while (svc_listed_next(&scan, NULL, &user)) {
    if (!svc_member_get(c, org, &user, &m)) return false;
    if (!m.there) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
    if (!svc_member_put(c, &m, m.status, svc_assignments_without(c, m.assignments, text), NULL)) return false;
  }
  return svc_txn_good(c);
}

static bool member_exists(svc_call *c, const svc_member *m)
{
  return svc_fail(c, SVC_E_USER_ALREADY_EXISTS, "S", &m->user.unique);
}

SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str assignments,
                                const svc_group_change *groups, bool invite, svc_member *out)
{
  svc_group_change all = groups ? *groups : (svc_group_change){ NULL, 0, true };
  bool registered;
  all.others_go = true; /* drops the roles of an expired invitation */
  if (!c->s->seats[SVC_SEAT_USER]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  if (!svc_member_named(c, org, name, out)) return false;
  registered = !svc_id_is_zero(&out->user.id) && svc_person_registered(&out->user);
  if (svc_str_is(out->status, "ACTIVE")) return member_exists(c, out);
  if (svc_str_is(out->status, "PENDING") && (invite || !registered)) return member_exists(c, out);
  if (svc_id_is_zero(&out->user.id) && !svc_person_make(c, name, &out->user)) return false;
  return svc_member_put(c, out, registered && !invite ? SVC_S("ACTIVE") : SVC_S("PENDING"), assignments, &all);
}

SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out)
{
  const svc_node *roles = svc_node_get(request, "roles");
  svc_str name = svc_node_str(request, "username"), names;
  svc_group_change one;
  bool there;
  if (!svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles") || !svc_member_named(c, org, name, out)) return false;
  if (!svc_node_first(roles)) return svc_fail(c, SVC_E_NO_ROLES_IN_ASSIGNMENT, "");
  there = svc_str_is(out->status, "ACTIVE") || svc_str_is(out->status, "PENDING");
  if (there && svc_member_group(c, out, group).n) return member_exists(c, out);
  names = svc_names_from(c, roles);
  if (!svc_may_grant(c, SVC_S(""), names) || !svc_assign_group(c, group, names, &one)) return false;
  if (there) return svc_member_put(c, out, out->status, out->assignments, &one);
  return svc_member_add(c, org, name, svc_member_assignment(c, org), &one, invite, out);
}

SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns)
{
  svc_group_change one;
  svc_str lines;
  svc_member m;
  *owns = false;
  if (!svc_member_get(c, org, user, &m)) return false;
  if (!c->s->seats[SVC_SEAT_MEMBER] || svc_id_is_zero(&m.user.id) || !svc_person_registered(&m.user)) return true;
  if (group && !svc_str_is(m.status, "ACTIVE")) return true;
  *owns = true;
  if (!group) {
    lines = svc_lines_plus(c, m.assignments, svc_assignment_text(c, SVC_S("ORG_OWNER"), svc_id_str(c->arena, org)));
    return svc_member_put(c, &m, SVC_S("ACTIVE"), lines, NULL);
  }
  if (!svc_assign_group(c, group, svc_lines_plus(c, svc_member_group(c, &m, group), SVC_S("GROUP_OWNER\n")), &one)) return false;
  return svc_member_put(c, &m, m.status, m.assignments, &one);
}
