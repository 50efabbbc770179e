/*
** Roles in bodies, and the same roles in the form that authentication reads.
**
** The roles of a key, account or member on an organization are lines stored in its record, next to the JSON. Its roles on a
** project are in the index of store/holding.c, as are those of a team, which has no others. Here both have the same form:
** the names of the roles of one holder on one resource, a line each, in the order in which they were given.
*/
#include "catalog/catalog.h"

/* ------------------------------------------------------------------------------------------------------- sets of lines */

SVC_PRIVATE bool svc_lines_have(svc_str lines, svc_str line)
{
  while (lines.n)
    if (svc_str_eq(svc_str_cut(&lines, '\n'), line)) return true;
  return false;
}

/* Appends the line unless it is there already. */
static void assignments_add(svc_buf *b, svc_str line)
{
  if (svc_lines_have((svc_str){ b->p, b->n }, line)) return;
  svc_buf_str(b, line);
  svc_buf_char(b, '\n');
}

SVC_PRIVATE svc_str svc_lines_plus(svc_call *c, svc_str lines, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, lines.n + others.n + 1);
  svc_buf_str(&b, lines);
  while (others.n) assignments_add(&b, svc_str_cut(&others, '\n'));
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_lines_minus(svc_call *c, svc_str lines, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, lines.n + 1);
  while (lines.n) {
    svc_str line = svc_str_cut(&lines, '\n');
    if (!svc_lines_have(others, line)) assignments_add(&b, line);
  }
  return svc_buf_done(&b);
}

static bool assignments_within(svc_str a, svc_str b)
{
  while (a.n)
    if (!svc_lines_have(b, svc_str_cut(&a, '\n'))) return false;
  return true;
}

SVC_PRIVATE bool svc_lines_same(svc_str a, svc_str b)
{
  return svc_str_eq(a, b) || (assignments_within(a, b) && assignments_within(b, a));
}

/* --------------------------------------------------------------------------------------------------------------- names */

static const svc_node *assignments_role_name(const svc_node *item)
{
  return item->type == SVC_J_OBJECT ? svc_node_get(item, "roleName") : item;
}

SVC_PRIVATE svc_str svc_names_from(svc_call *c, const svc_node *list)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  const svc_node *item;
  for (item = svc_node_first(list); item; item = item->next) {
    const svc_node *name = assignments_role_name(item);
    if (name) assignments_add(&b, name->text);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_node *svc_names_array(svc_call *c, svc_str names, const char *name)
{
  svc_node *out = svc_node_array(c->arena, name), *item;
  while (out && names.n) {
    item = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_str_cut(&names, '\n'));
    if (!item) return NULL;
    svc_node_append(out, item);
  }
  return out;
}

SVC_PRIVATE bool svc_names_objects(svc_call *c, svc_node *list, svc_str names, const char *scope, const svc_id *on)
{
  svc_str id = names.n ? svc_id_str(c->arena, on) : SVC_S("");
  while (names.n) {
    svc_node *item = svc_node_object(c->arena, NULL);
    if (!item) return svc_no_memory(c);
    svc_node_set_str(c->arena, item, scope, id);
    svc_node_set_str(c->arena, item, "roleName", svc_str_cut(&names, '\n'));
    svc_node_append(list, item);
  }
  return true;
}

/* Checks that each element names a role of this level. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field)
{
  const svc_node *item = svc_node_first(roles);
  int i;
  for (i = 0; item; item = item->next, i++) {
    const svc_node *name = assignments_role_name(item);
    int role = name && name->type == SVC_J_STRING ? svc_role_by_name(name->text) : -1;
    if (role >= 0 && svc_role_level(role) == level) continue;
    svc_violate(c, level == SVC_SCOPE_GROUP ? SVC_E_INVALID_ROLE_FOR_GROUP : SVC_E_INVALID_ROLE_FOR_ORG,
                svc_arena_print(c->arena, "%s[%d]", field, i), "is not a role of %s",
                level == SVC_SCOPE_GROUP ? "a project" : "an organization");
  }
  return svc_check_done(c);
}

/* --------------------------------------------------------------------------------------------------------------- lines */

SVC_PRIVATE svc_str svc_assignment_text(svc_call *c, svc_str role, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, role.n + on.n + 3);
  svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_assignments_without(svc_call *c, svc_str assignments, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + 1);
  svc_str role, where;
  while (svc_assignments_next(&assignments, &role, &where))
    if (!svc_str_eq(where, on)) svc_assignment_write(&b, role, where);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_assignments_names(svc_call *c, svc_str assignments, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  svc_str role, where;
  while (svc_assignments_next(&assignments, &role, &where)) {
    if (!svc_str_eq(where, on) || svc_role_by_name(role) < 0) continue;
    svc_buf_str(&b, role);
    svc_buf_char(&b, '\n');
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_assignments_set(svc_call *c, svc_str assignments, svc_str on, svc_str names)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + names.n + 64);
  svc_buf_str(&b, svc_assignments_without(c, assignments, on));
  while (names.n) svc_assignment_write(&b, svc_str_cut(&names, '\n'), on);
  return svc_buf_done(&b);
}

SVC_PRIVATE int svc_assignment_class(svc_str role)
{
  return role.n && role.p[0] == '@' ? SVC_ASSIGNED_TEAM : role.n && role.p[0] == '?' ? SVC_INVITED : SVC_ASSIGNED_ROLE;
}

SVC_PRIVATE svc_str svc_assignment_org(svc_str role, svc_str on)
{
  return svc_assignment_class(role) == SVC_ASSIGNED_TEAM ? (svc_str){ role.p + 1, role.n - 1 } : on;
}

SVC_PRIVATE svc_str svc_assignments_of_class(svc_call *c, svc_str assignments, int class, bool others)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + 1);
  svc_str role, on;
  while (svc_assignments_next(&assignments, &role, &on))
    if ((svc_assignment_class(role) == class) != others) svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_node *svc_assignments_teams(svc_call *c, svc_str assignments)
{
  svc_node *teams = svc_node_array(c->arena, "teamIds");
  svc_str role, on;
  while (teams && svc_assignments_next(&assignments, &role, &on)) {
    bool team = svc_assignment_class(role) == SVC_ASSIGNED_TEAM;
    svc_node *item = team ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), on) : NULL;
    if (item) svc_node_append(teams, item);
  }
  return teams;
}

/* ------------------------------------------------------------------------------------------------- in the path's scope */

SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level)
{
  bool in_group = !svc_id_is_zero(&c->scope.group);
  *level = in_group ? SVC_SCOPE_GROUP : SVC_SCOPE_ORGANIZATION;
  return svc_id_str(c->arena, in_group ? &c->scope.group : &c->scope.org);
}

SVC_PRIVATE svc_holder svc_holder_of(const svc_entity *e)
{
  return (svc_holder){ e->kind, e->id, e->parent };
}

SVC_PRIVATE svc_str svc_names_here(svc_call *c, const svc_entity *e)
{
  if (!svc_id_is_zero(&c->scope.group)) return svc_holding_get(c->txn, &e->id, &e->parent, &c->scope.group);
  return svc_assignments_names(c, svc_assignments_of(e), svc_id_str(c->arena, &c->scope.org));
}

SVC_PRIVATE bool svc_keep_assigned(svc_call *c, const svc_entity *e)
{
  return svc_names_here(c, e).n != 0;
}

SVC_PRIVATE bool svc_names_put(svc_call *c, const svc_entity *e, svc_str names)
{
  svc_holder h = svc_holder_of(e);
  svc_holding_put(c->txn, &h, &c->scope.group, names);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_holds_only_here(svc_call *c, const svc_entity *e)
{
  svc_holding one;
  svc_scan scan;
  if (svc_assignments_of(e).n) return false;
  svc_holdings_begin(&scan, c->txn, &e->id, &e->parent);
  svc_scan_expect(&scan, 2);
  while (svc_holdings_next(&scan, &one))
    if (!svc_id_eq(&one.group, &c->scope.group)) return false;
  return true;
}

/* An access manager of a project may give and take its roles, with one exception: only an owner may make or unmake an owner.
** Otherwise access managers could make themselves owners. */
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after)
{
  svc_id group = c->scope.group, org = c->scope.org;
  svc_str owner = SVC_S("GROUP_OWNER");
  if (svc_id_is_zero(&group) || svc_lines_have(before, owner) == svc_lines_have(after, owner)) return true;
  return svc_roles_on(c, &group, &org) & SVC_R_GROUP_OWNER ? true : svc_lacks_role(c, SVC_R_GROUP_OWNER);
}

/*
** Texts, secrets and access lists belong to the whole credential: a change of them affects, opens or blocks everything
** that the credential may do. So below a project they may be changed only if the credential has no roles anywhere else. An
** owner of the organization may change all of them.
*/
SVC_PRIVATE bool svc_may_manage(svc_call *c, const svc_entity *e)
{
  svc_id org = c->scope.org;
  if (svc_id_is_zero(&c->scope.group) || svc_holds_only_here(c, e)) return svc_txn_good(c);
  return svc_roles_on(c, NULL, &org) & SVC_R_ORG_OWNER ? true : svc_lacks_role(c, SVC_R_ORG_OWNER);
}

/* Locking a credential out has the effect of taking its roles away, so only an owner of the project may do that to an owner. */
SVC_PRIVATE bool svc_may_shut_out(svc_call *c, const svc_entity *e)
{
  return svc_may_manage(c, e) && svc_may_grant(c, svc_names_here(c, e), SVC_S(""));
}

/* ------------------------------------------------------------------------------------------------------- of credentials */

SVC_PRIVATE bool svc_credential_owns(svc_call *c, const svc_id *org, const svc_id *group)
{
  const svc_noun_info *noun = svc_who_noun(c);
  svc_holder h;
  svc_entity e;
  int rc;
  if (!noun || svc_roles_on(c, group, org) & SVC_R_GROUP_OWNER) return true;
  rc = svc_entity_get(c->txn, noun->noun->kind, &c->who.org, &c->who.id, &e);
  if (rc == SVC_NOT_FOUND) return true; /* deleted since it authenticated */
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  h = svc_holder_of(&e);
  svc_holding_put(c->txn, &h, group, SVC_S("GROUP_OWNER\n"));
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_holder_gone(svc_call *c, const svc_entity *e)
{
  svc_holder h = svc_holder_of(e);
  svc_holdings_drop(c->txn, &h);
  return svc_txn_good(c);
}

/* --------------------------------------------------------------------------------------------------------------- lists */

/* An item source: the entities that an index or a list of ids names, read in batches. */
typedef struct assignments_source {
  const svc_entities *which;
  const svc_id *ids; /* NULL: the ids come from the scan */
  size_t id_count;
  svc_scan scan;
  svc_entity some[SVC_MANY];
  size_t at, n;
  bool all; /* no filter applies: skipped entities need not be read */
} assignments_source;

static bool assignments_id(assignments_source *from, svc_id *out)
{
  if (!from->ids) return svc_listed_next(&from->scan, NULL, out);
  if (from->id_count == 0) return false;
  from->id_count--;
  *out = *from->ids++;
  return true;
}

static bool assignments_more(svc_call *c, assignments_source *from)
{
  const char *kind = from->which->noun->noun->kind;
  svc_id ids[SVC_MANY];
  size_t n = 0;
  while (n < SVC_MANY && assignments_id(from, &ids[n])) n++;
  from->at = from->n = 0;
  if (n && svc_entities_get(c->txn, kind, &from->which->parent, ids, n, from->some) == SVC_OK) from->n = n;
  return from->n != 0;
}

static bool assignments_next(svc_call *c, void *state, svc_item *out)
{
  assignments_source *from = state;
  svc_id id;
  if (!out && from->all && from->at == from->n) return assignments_id(from, &id);
  while (from->at < from->n || assignments_more(c, from)) {
    const svc_entity *e = &from->some[from->at++];
    if (!e->kind || !svc_entities_pass(c, from->which, e)) {
      if (c->error.code) return false;
      continue;
    }
    return !out || svc_entities_item(c, from->which, e, out);
  }
  svc_txn_good(c);
  return false;
}

static bool assignments_list(svc_call *c, assignments_source *from, const svc_entities *which, uint64_t count)
{
  from->which = which;
  from->at = from->n = 0;
  from->all = !which->keep;
  return svc_list_items(c, assignments_next, from, from->all ? (int64_t)count : -1);
}

SVC_PRIVATE bool svc_list_listed(svc_call *c, const svc_entities *which, const svc_id *on, const char *kind)
{
  assignments_source from;
  from.ids = NULL;
  svc_listed_begin(&from.scan, c->txn, on, kind);
  return assignments_list(c, &from, which, svc_count(c->txn, kind, on));
}

SVC_PRIVATE bool svc_list_ids(svc_call *c, const svc_entities *which, const svc_id *ids, size_t n)
{
  assignments_source from;
  from.ids = ids;
  from.id_count = n;
  return assignments_list(c, &from, which, n);
}

static svc_node *assignments_view(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return svc_entity_view(c, e);
}

SVC_PRIVATE bool svc_list_assigned(svc_call *c)
{
  svc_entities which = { .noun = c->plan->noun, .view = assignments_view };
  svc_id group = c->scope.group;
  which.parent = c->scope.org;
  return svc_list_listed(c, &which, &group, c->plan->noun->noun->kind);
}
