/*
** Lists and views of members: the same person has different roles below the organization, a project and a team.
**
** The rule: the cost of a list depends only on what it shows. Members of a team or a project, and invited people, are found by
** lists of them, and a name is looked up. Any other list of an organization reads all its members, even if it shows few.
*/
#include "catalog/access/membership_parts.h"

SVC_PRIVATE bool svc_membership_of(svc_call *c, svc_membership *at)
{
  svc_entity team;
  svc_id id;
  memset(at, 0, sizeof *at);
  if (!svc_resolve_all(c)) return false;
  at->org = c->scope.org;
  at->group = c->scope.group;
  at->in_group = !svc_id_is_zero(&at->group);
  at->on = svc_id_str(c->arena, at->in_group ? &at->group : &at->org);
  at->team = svc_path_param(c, "teamId");
  if (at->team.n == 0) return true;
  if (!c->s->seats[SVC_SEAT_TEAM] || !svc_id_parse(at->team, &id) ||
      svc_entity_get(c->txn, c->s->seats[SVC_SEAT_TEAM]->noun->kind, &at->org, &id, &team) != SVC_OK)
    return svc_fail(c, SVC_E_TEAM_NOT_FOUND, "SS", &at->team, &at->on);
  at->team = svc_id_str(c->arena, &id);
  at->line = svc_team_assignment(c, &at->org, at->team);
  at->line = svc_str_cut(&at->line, '\n');
  return true;
}

/* The roles of this member's teams in the project. */
SVC_PRIVATE svc_str svc_membership_by_teams(svc_call *c, const svc_membership *at, const svc_entity *e)
{
  svc_str out = SVC_S(""), rest = svc_assignments_of(e), role, on;
  svc_id id;
  while (svc_assignments_next(&rest, &role, &on))
    if (role.p[0] == '@' && svc_id_parse(on, &id))
      out = svc_lines_plus(c, out, svc_holding_get(c->txn, &id, &at->org, &at->group));
  return out;
}

SVC_PRIVATE svc_node *svc_membership_view(svc_call *c, const svc_membership *at, const svc_entity *e, bool teams)
{
  svc_node *body, *roles;
  svc_str names;
  if (!at->in_group) return svc_member_view(c, e);
  names = svc_names_here(c, e);
  if (teams) names = svc_lines_plus(c, names, svc_membership_by_teams(c, at, e));
  body = svc_entity_body(c, e);
  roles = svc_names_array(c, names, "roles");
  if (!body || !roles) return NULL;
  svc_node_put(c->arena, body, roles);
  return body;
}

SVC_PRIVATE bool svc_membership_answer(svc_call *c, const svc_membership *at, const svc_entity *e)
{
  return svc_answer_view(c, e, svc_membership_view(c, at, e, false));
}

typedef struct membership_source {
  const svc_membership *at;
  bool by_teams, by_org;
  bool people; /* show users instead of members */
} membership_source;

SVC_PRIVATE bool svc_membership_wanted(const svc_call *c, svc_str status)
{
  const svc_query_value *one = svc_query_get(c, "orgMembershipStatus");
  if (c->route.older && !svc_str_is(status, "ACTIVE")) return false; /* older versions cannot distinguish an invited person from a member */
  if (one && !svc_str_eq(one->text, status)) return false;
  return !svc_query_get(c, "orgMembershipStatuses") || svc_query_has(c, "orgMembershipStatuses", status);
}

static bool membership_wanted(svc_call *c, const svc_entity *e, void *context)
{
  const membership_source *from = context;
  const svc_query_value *id = svc_query_get(c, "userId");
  const svc_membership *at = from->at;
  if (at->team.n && !svc_lines_have(svc_assignments_of(e), at->line)) return false;
  if (at->in_group && !svc_keep_assigned(c, e) && !(from->by_teams && svc_membership_by_teams(c, at, e).n) &&
      !(from->by_org && svc_member_reaches(svc_assignments_of(e))))
    return false;
  return (!id || svc_str_eq(id->text, e->key)) && svc_membership_wanted(c, svc_member_status(e));
}

static svc_node *membership_item(svc_call *c, const svc_entity *e, void *context)
{
  const membership_source *from = context;
  svc_member m;
  if (!from->people) return svc_membership_view(c, from->at, e, from->by_teams);
  return svc_member_get(c, &from->at->org, &e->id, &m) ? svc_person_view(c, &m.user, false) : NULL;
}

/* Ids of members, from several lists. */
typedef struct membership_ids {
  svc_id *at;
  size_t n, room;
} membership_ids;

static bool membership_gather(svc_call *c, membership_ids *list, const svc_id *on, const char *kind)
{
  svc_scan scan;
  svc_id id, *more;
  svc_listed_begin(&scan, c->txn, on, kind);
  while (svc_listed_next(&scan, NULL, &id)) {
    if (!list->at || list->n == list->room) {
      list->room = 2 * (list->room + 32);
      more = svc_arena_alloc(c->arena, list->room * sizeof *more);
      if (!more) return svc_no_memory(c);
      if (list->n) memcpy(more, list->at, list->n * sizeof *more);
      list->at = more;
    }
    list->at[list->n++] = id;
  }
  return svc_txn_good(c);
}

static int membership_order(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

/* Lists the people with access to the project: by a role of their own and, if the query asks so, by a team or by a role on the organization. */
static bool membership_list_ways(svc_call *c, const membership_source *from, const svc_entities *which)
{
  const svc_membership *at = from->at;
  const svc_noun_info *teams = c->s->seats[SVC_SEAT_TEAM];
  const char *kind = which->noun->noun->kind;
  membership_ids ids = { NULL, 0, 0 };
  svc_scan scan;
  svc_id team;
  size_t i, n = 0;
  if (!membership_gather(c, &ids, &at->group, kind)) return false;
  if (from->by_org && !membership_gather(c, &ids, &at->org, SVC_MEMBERS_REACHING)) return false;
  if (from->by_teams && teams) {
    svc_listed_begin(&scan, c->txn, &at->group, teams->noun->kind);
    while (svc_listed_next(&scan, NULL, &team))
      if (!membership_gather(c, &ids, &team, kind)) return false;
  }
  if (ids.n) qsort(ids.at, ids.n, sizeof *ids.at, membership_order);
  for (i = 0; i < ids.n; i++)
    if (n == 0 || !svc_id_eq(&ids.at[n - 1], &ids.at[i])) ids.at[n++] = ids.at[i];
  return svc_list_ids(c, which, ids.n ? ids.at : &at->org, n);
}

/* A name is looked up. Members of a team or project, and invited people, are found by lists of them. Otherwise all members of the
** organization are read. */
SVC_PRIVATE bool svc_membership_list(svc_call *c, const svc_membership *at, bool people)
{
  const svc_query_value *flatten = svc_query_get(c, "flattenTeams"), *include = svc_query_get(c, "includeOrgUsers");
  const svc_query_value *name = svc_query_get(c, "username"), *state = svc_query_get(c, "orgMembershipStatus");
  membership_source from = { at, flatten && flatten->number, include && include->number, people };
  bool some = c->route.older || state || svc_query_get(c, "orgMembershipStatuses") || svc_query_get(c, "userId");
  svc_entities which = { .noun = c->plan->noun, .parent = at->org, .view = membership_item, .context = &from };
  const char *kind = which.noun->noun->kind;
  svc_member m;
  svc_id team;
  if (some || name) which.keep = membership_wanted;
  if (name) return svc_member_named(c, &at->org, name->text, &m) && svc_list_member(c, &which, &m);
  if (at->team.n && svc_id_parse(at->team, &team)) return svc_list_listed(c, &which, &team, kind);
  if (from.by_teams || from.by_org) return membership_list_ways(c, &from, &which);
  if (at->in_group) return svc_list_listed(c, &which, &at->group, kind);
  if (state && svc_str_is(state->text, "PENDING")) return svc_list_listed(c, &which, &at->org, SVC_MEMBERS_INVITED);
  return svc_list_entities(c, &which);
}
