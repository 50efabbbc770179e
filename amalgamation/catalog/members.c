/*
** Memberships of people (people.c) in organizations.
**
** A membership is an entity below an organization, and has the person's id. A membership holds the assignments in this
** organization and the state of the membership, and is deleted with the organization. Roles in projects are in the index
** of store/holding.c, by person and organization.
**
**   invited ----> PENDING ----> INVITATION_EXPIRED      30 days after the invitation; can be invited again
**                    |
**                    v  the person registers, or an owner adds it
**   added -----> ACTIVE ----> removed
**
** The rule: the assignments of a person are those of its active memberships, and a line "? organization" for each other
** membership. Both are written together, by member_writing.c alone. The same file writes the lists of team members, of
** owners, of members whose role reaches into all projects, and of invited people. Each list is read without reading the
** other members.
**
** An invited person can do nothing yet: its roles in projects count only when it has a role in the organization (held.c).
*/
#include "catalog/catalog.h"

SVC_PRIVATE const char *svc_member_kind(const svc_call *c)
{
  return c->s->seats[SVC_SEAT_MEMBER]->noun->kind;
}

/* --------------------------------------------------------------------------------------------------------- assignments */

SVC_PRIVATE svc_str svc_team_assignment(svc_call *c, const svc_id *org, svc_str team)
{
  return svc_assignment_text(c, svc_arena_print(c->arena, "@%s", svc_id_str(c->arena, org).p), team);
}

SVC_PRIVATE svc_str svc_member_assignment(svc_call *c, const svc_id *org)
{
  return svc_assignment_text(c, SVC_S("ORG_MEMBER"), svc_id_str(c->arena, org));
}

SVC_PRIVATE bool svc_assign_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *assignments)
{
  if (!svc_roles_check(c, names, SVC_SCOPE_ORGANIZATION, field)) return false;
  *assignments = svc_assignments_set(c, *assignments, svc_id_str(c->arena, org), svc_names_from(c, names));
  return true;
}

SVC_PRIVATE bool svc_assign_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *assignments)
{
  svc_str org_text = svc_id_str(c->arena, org);
  svc_buf b = svc_buf_new(c->arena, assignments->n + 64);
  const svc_node *item;
  svc_entity team;
  svc_buf_str(&b, svc_assignments_of_class(c, *assignments, SVC_ASSIGNED_TEAM, true));
  for (item = svc_node_first(ids); item; item = item->next) {
    if (!c->s->seats[SVC_SEAT_TEAM] || svc_entity_get_text_id(c->txn, c->s->seats[SVC_SEAT_TEAM]->noun->kind, org, item->text, &team) != SVC_OK)
      return svc_fail(c, SVC_E_TEAM_NOT_FOUND, "SS", &item->text, &org_text);
    svc_buf_str(&b, svc_team_assignment(c, org, item->text));
  }
  *assignments = svc_buf_done(&b);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ projects */

static int member_group_order(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

SVC_PRIVATE void svc_group_change_sort(svc_call *c, svc_group_change *change)
{
  size_t i, n = 0;
  if (change->count) qsort(change->rows, change->count, sizeof *change->rows, member_group_order);
  for (i = 0; i < change->count; i++) {
    svc_group_roles *last = n ? &change->rows[n - 1] : NULL;
    if (last && svc_id_eq(&last->group, &change->rows[i].group))
      last->roles = svc_lines_plus(c, last->roles, change->rows[i].roles);
    else change->rows[n++] = change->rows[i];
  }
  change->count = n;
}

SVC_PRIVATE bool svc_group_change_has(const svc_group_change *change, const svc_id *group)
{
  return change->count && bsearch(group, change->rows, change->count, sizeof *change->rows, member_group_order);
}

SVC_PRIVATE bool svc_assign_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names,
                                   svc_group_change *out)
{
  const svc_node *item;
  svc_entity e;
  out->others_go = true;
  out->count = 0;
  out->rows = svc_arena_alloc(c->arena, (svc_node_count(list) + 1) * sizeof *out->rows);
  if (!out->rows) return svc_no_memory(c);
  for (item = list->first; item; item = item->next, out->count++) {
    svc_group_roles *row = &out->rows[out->count];
    svc_str on = svc_node_str(item, "groupId"), field;
    if (!c->s->group || svc_get_noun_text_id(c->txn, c->s->group, on, &e) != SVC_OK || !svc_id_eq(&e.parent, org))
      return svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &on);
    row->group = e.id;
    field = svc_arena_print(c->arena, "groupRoleAssignments[%zu].%s", out->count, names);
    if (!svc_roles_check(c, svc_node_get(item, names), SVC_SCOPE_GROUP, field.p)) return false;
    row->roles = svc_names_from(c, svc_node_get(item, names));
  }
  svc_group_change_sort(c, out);
  return true;
}

SVC_PRIVATE bool svc_assign_group(svc_call *c, const svc_id *group, svc_str roles, svc_group_change *out)
{
  *out = (svc_group_change){ svc_arena_alloc(c->arena, sizeof *out->rows), 1, false };
  if (!out->rows) return svc_no_memory(c);
  out->rows[0] = (svc_group_roles){ *group, roles };
  return true;
}

/* -------------------------------------------------------------------------------------------------------- memberships */

SVC_PRIVATE svc_str svc_member_status(const svc_entity *e)
{
  return svc_json_word(e->body, "orgMembershipStatus");
}

static bool member_find(svc_call *c, svc_member *m)
{
  int rc = SVC_NOT_FOUND;
  if (c->s->seats[SVC_SEAT_MEMBER]) rc = svc_entity_get(c->txn, svc_member_kind(c), &m->org, &m->user.id, &m->entity);
  m->status = m->assignments = SVC_S("");
  m->there = rc == SVC_OK;
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  m->status = svc_member_status(&m->entity);
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

SVC_PRIVATE svc_str svc_member_group(svc_call *c, const svc_member *m, const svc_id *group)
{
  return m->there ? svc_holding_get(c->txn, &m->user.id, &m->org, group) : SVC_S("");
}

/* The roles as shown, on the organization and on each of its projects. */
static svc_node *member_roles(svc_call *c, const svc_entity *e)
{
  svc_str names = svc_assignments_names(c, svc_assignments_of(e), svc_id_str(c->arena, &e->parent));
  svc_node *roles = svc_node_object(c->arena, "roles");
  svc_node *groups = svc_node_array(c->arena, "groupRoleAssignments");
  svc_node *in_org = svc_names_array(c, names, "orgRoles");
  svc_holding one;
  svc_scan scan;
  if (!roles || !groups || !in_org) return NULL;
  svc_holdings_begin(&scan, c->txn, &e->id, &e->parent);
  while (svc_holdings_next(&scan, &one)) {
    svc_node *item = svc_node_object(c->arena, NULL);
    svc_node *own = svc_names_array(c, one.roles, "groupRoles");
    if (!item || !own) return NULL;
    svc_node_set_id(c->arena, item, "groupId", &one.group);
    svc_node_put(c->arena, item, own);
    svc_node_append(groups, item);
  }
  svc_node_append(roles, groups);
  svc_node_append(roles, in_org);
  return svc_txn_good(c) ? roles : NULL;
}

SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *roles = member_roles(c, e), *teams = svc_assignments_teams(c, svc_assignments_of(e));
  if (!body || !roles || !teams) return NULL;
  svc_node_put(c->arena, body, roles);
  svc_node_put(c->arena, body, teams);
  return body;
}

SVC_PRIVATE svc_str svc_inviter_name(const svc_call *c)
{
  return c->who.username.n ? c->who.username : c->who.user_id;
}

/* --------------------------------------------------------------------------------------------------------------- lists */

/* An item source of one entity, or of none. */
typedef struct member_single {
  const svc_entities *which;
  const svc_entity *e; /* NULL: none, or it was returned already */
} member_single;

static bool member_next_single(svc_call *c, void *state, svc_item *out)
{
  member_single *from = state;
  const svc_entity *e = from->e;
  from->e = NULL;
  if (!e || !svc_entities_pass(c, from->which, e)) return false;
  return !out || svc_entities_item(c, from->which, e, out);
}

SVC_PRIVATE bool svc_list_member(svc_call *c, const svc_entities *which, const svc_member *m)
{
  member_single from = { which, m->there ? &m->entity : NULL };
  return svc_list_items(c, member_next_single, &from, -1);
}
