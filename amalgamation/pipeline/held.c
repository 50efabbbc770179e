/*
** The roles of the caller: its own and those of its teams.
**
** Roles on organizations are lines in the record of their holder (credential.c); roles on projects are in an index
** (store/holding.c), by holder, organization and project. The roles on one project thus need a look at the caller's lines
** and, unless these suffice, one lookup for the caller and one for each of its teams in that organization. The grants of a
** vouched caller are few, and are walked.
**
** The rule: a person's project roles and teams in an organization count only while the person has a role on the
** organization itself. Every member has one; an invited person has none. A credential belongs to one organization, and its
** roles count only there.
*/
#include "pipeline/pipeline.h"

/* -------------------------------------------------------------------------------------------------------------- lines */

/* Whether this line is a membership in a team of this organization. */
static bool held_is_team(svc_str role, const char org[24])
{
  return role.n == 1 + 24 && role.p[0] == '@' && memcmp(role.p + 1, org, 24) == 0;
}

static uint64_t held_includes(svc_str name)
{
  int role = svc_role_by_name(name);
  return role >= 0 ? svc_role_includes(role) : 0;
}

static uint64_t held_names(svc_str names)
{
  uint64_t roles = 0;
  while (names.n) roles |= held_includes(svc_str_cut(&names, '\n'));
  return roles;
}

/* The caller's own roles on an organization, without invitations. *teams: the caller is in some of its teams. */
static uint64_t held_on_org(const svc_call *c, const svc_id *org, bool *teams)
{
  svc_str rest = c->who.assignments, role, on;
  uint64_t roles = 0;
  char text[24];
  svc_id_hex(org, text);
  *teams = false;
  while (svc_assignments_next(&rest, &role, &on)) {
    if (on.n == 24 && memcmp(on.p, text, 24) == 0) roles |= held_includes(role);
    else if (held_is_team(role, text)) *teams = true;
  }
  return roles;
}

/* Whether roles on projects of this organization count. */
static bool held_counts(const svc_call *c, const svc_id *org)
{
  bool teams;
  return svc_id_is_zero(&c->who.org) ? held_on_org(c, org, &teams) != 0 : svc_id_eq(&c->who.org, org);
}

/* The caller's roles on a project; teams: with those of the caller's teams in that organization. */
static uint64_t held_on_group(svc_call *c, const svc_id *group, const svc_id *org, bool teams)
{
  svc_str rest = c->who.assignments, role, on;
  uint64_t roles = held_names(svc_holding_get(c->txn, &c->who.id, org, group));
  char text[24];
  svc_id team;
  if (!teams) return roles;
  svc_id_hex(org, text);
  while (svc_assignments_next(&rest, &role, &on))
    if (held_is_team(role, text) && svc_id_parse(on, &team)) roles |= held_names(svc_holding_get(c->txn, &team, org, group));
  return roles;
}

/* ---------------------------------------------------------------------------------------------------------------- walk */

SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h)
{
  h->vouched = 0;
  h->lines = c->who.assignments;
  h->names = SVC_S("");
  h->scanning = h->own = false;
}

/* The next grant of a vouched caller. Ids in grants may be spelled in several ways. False: no more. */
static bool held_vouched(svc_call *c, svc_held *h)
{
  while (h->vouched < c->who.grant_count) {
    const svc_grant *g = &c->who.grants[h->vouched++];
    h->role = svc_str_c(g->role);
    h->everywhere = !g->on;
    memset(&h->org, 0, sizeof h->org);
    if (h->everywhere || svc_id_parse(svc_str_c(g->on), &h->on)) return true;
  }
  return false;
}

/* The next project of the current holder. */
static bool held_row(svc_call *c, svc_held *h)
{
  svc_holding row;
  while (h->scanning && svc_holdings_next(&h->scan, &row)) {
    if (!svc_id_eq(&row.org, &h->org)) { /* rows of a caller are grouped by organization */
      h->org = row.org;
      h->counts = held_counts(c, &row.org);
    }
    if (!h->counts) continue;
    h->on = row.group;
    h->names = row.roles;
    return true;
  }
  return h->scanning = false;
}

/* The next line: a role, or a team, whose projects come next. The caller's own projects follow the last line. */
static bool held_line(svc_call *c, svc_held *h, bool *is_role)
{
  svc_str on;
  svc_id team;
  while (svc_assignments_next(&h->lines, &h->role, &on)) {
    memset(&h->org, 0, sizeof h->org);
    *is_role = h->role.n && h->role.p[0] != '@' && h->role.p[0] != '?';
    if (*is_role && svc_id_parse(on, &h->on)) return true;
    if (*is_role || h->role.p[0] != '@' || !svc_id_parse(on, &team)) continue;
    if (!svc_id_parse((svc_str){ h->role.p + 1, h->role.n - 1 }, &h->org)) continue;
    h->counts = held_counts(c, &h->org);
    svc_holdings_begin(&h->scan, c->txn, &team, &h->org);
    return h->scanning = true;
  }
  if (h->own || c->who.grants || svc_id_is_zero(&c->who.id)) return false;
  *is_role = false;
  memset(&h->org, 0, sizeof h->org);
  svc_holdings_begin(&h->scan, c->txn, &c->who.id, NULL);
  return h->scanning = h->own = true;
}

SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h)
{
  bool is_role;
  if (held_vouched(c, h)) return true;
  h->everywhere = false;
  while (h->names.n == 0) {
    if (held_row(c, h)) continue;
    if (!held_line(c, h, &is_role)) return false;
    if (is_role) return true;
  }
  h->role = svc_str_cut(&h->names, '\n');
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- questions */

/* The roles of a vouched caller on this project or organization. A grant may cover every resource. */
static uint64_t held_by_grants(svc_call *c, const svc_id *group, const svc_id *org)
{
  uint64_t roles = 0;
  svc_held h;
  for (svc_held_begin(c, &h); svc_held_next(c, &h);)
    if (h.everywhere || (group && svc_id_eq(group, &h.on)) || (org && svc_id_eq(org, &h.on))) roles |= held_includes(h.role);
  return roles;
}

SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org)
{
  uint64_t all = svc_role_all(), roles;
  bool credential = !svc_id_is_zero(&c->who.org), teams;
  /* a credential belongs to one organization: a project that moved to another one is out of reach */
  if (org && credential && !svc_id_eq(org, &c->who.org)) return 0;
  if (c->who.grants) return held_by_grants(c, group, org);
  if (!org) return 0;
  roles = held_on_org(c, org, &teams);
  if (!group || (roles & all) == all || (!roles && !credential)) return roles;
  return roles | held_on_group(c, group, org, teams);
}

SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted)
{
  svc_held h;
  for (svc_held_begin(c, &h); svc_held_next(c, &h);)
    if (held_includes(h.role) & wanted) return true;
  return false;
}

/* For vouched callers, who are few: looks up each grant. */
static bool held_inside_vouched(svc_call *c, const svc_id *org)
{
  svc_entity group;
  svc_held h;
  for (svc_held_begin(c, &h); c->s->group && svc_held_next(c, &h);)
    if (!h.everywhere && svc_role_by_name(h.role) >= 0 && svc_get_noun(c->txn, c->s->group, &h.on, &group) == SVC_OK &&
        svc_id_eq(&group.parent, org))
      return true;
  return false;
}

/* A person with a role on a project has a role on its organization, too. */
SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org)
{
  svc_holding one;
  svc_scan scan;
  if (c->who.grants) return held_inside_vouched(c, org);
  if (svc_id_is_zero(&c->who.org) || !svc_id_eq(org, &c->who.org)) return false;
  svc_holdings_begin(&scan, c->txn, &c->who.id, org);
  svc_scan_expect(&scan, 1);
  return svc_holdings_next(&scan, &one);
}

/* ---------------------------------------------------------------------------------------------------------- what is seen */

/* A project or organization that is visible singly; for a project, with its organization. */
typedef struct held_one {
  svc_id id, org;
} held_one;

typedef struct held_list {
  held_one *at;
  size_t n, room;
} held_list;

static void held_add(svc_call *c, held_list *list, const svc_id *id, const svc_id *org)
{
  held_one *more;
  if (list->n && svc_id_eq(&list->at[list->n - 1].id, id)) return; /* roles on the same resource are adjacent */
  if (list->n == list->room) {
    more = svc_arena_alloc(c->arena, 2 * (list->room + 8) * sizeof *more);
    if (!more) return; /* the caller checks the arena */
    if (list->n) memcpy(more, list->at, list->n * sizeof *more);
    list->at = more;
    list->room = 2 * (list->room + 8);
  }
  list->at[list->n++] = (held_one){ *id, *org };
}

/* Resources in records and grants may have been deleted. */
static void held_add_org(svc_call *c, held_list *list, const svc_id *org)
{
  svc_entity e;
  if (list->n && svc_id_eq(&list->at[list->n - 1].id, org)) return;
  if (svc_get_noun(c->txn, c->s->org, org, &e) == SVC_OK) held_add(c, list, org, org);
}

static int held_order(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

/* Sorted ids without duplicates, and without projects of these parent organizations. */
static svc_id *held_ids(svc_call *c, held_list *list, const svc_id *parents, size_t parent_count, size_t *count)
{
  svc_id *out = svc_arena_alloc(c->arena, (list->n + 1) * sizeof *out);
  size_t i = 1;
  *count = 0;
  while (i < list->n && held_order(&list->at[i - 1], &list->at[i]) <= 0) i++;
  if (i < list->n) qsort(list->at, list->n, sizeof *list->at, held_order); /* ids of one holder are sorted already */
  for (i = 0; out && i < list->n; i++) {
    const held_one *one = &list->at[i];
    if (*count && svc_id_eq(&out[*count - 1], &one->id)) continue;
    if (parent_count && bsearch(&one->org, parents, parent_count, sizeof *parents, held_order)) continue;
    out[(*count)++] = one->id;
  }
  return out;
}

/* The organization of a role's resource: itself, or the project's; for a vouched project, the one it is found in. False: deleted, or out of
** reach. */
static bool held_org_of(svc_call *c, const svc_held *h, bool group, svc_id *org)
{
  svc_entity e;
  *org = group ? h->org : h->on;
  if (group && svc_id_is_zero(org)) {
    if (!c->s->group || svc_get_noun(c->txn, c->s->group, &h->on, &e) != SVC_OK) return false;
    *org = e.parent;
  }
  return svc_id_is_zero(&c->who.org) || svc_id_eq(&c->who.org, org);
}

SVC_PRIVATE bool svc_seen_of(svc_call *c, const svc_noun_info *noun, svc_seen *out)
{
  uint64_t least = svc_role_least();
  bool groups = noun == c->s->group;
  held_list whole = { NULL, 0, 0 }, single = { NULL, 0, 0 };
  svc_held h;
  svc_id org;
  memset(out, 0, sizeof *out);
  for (svc_held_begin(c, &h); svc_held_next(c, &h);) {
    int role = svc_role_by_name(h.role);
    bool group = role >= 0 && svc_role_level(role) == SVC_SCOPE_GROUP;
    h.names = SVC_S(""); /* a single role on a project is enough */
    if (role < 0) continue;
    if (h.everywhere) out->everything |= !groups || svc_role_includes(role) & least;
    if (h.everywhere || !held_org_of(c, &h, group, &org)) continue;
    if (!groups) held_add_org(c, &single, &org);
    else if (group) held_add(c, &single, &h.on, &org);
    else if (svc_role_includes(role) & least) held_add(c, &whole, &org, &org);
    if (!svc_id_is_zero(&c->who.org) && (groups ? whole.n : single.n)) break; /* a credential sees nothing outside of its organization */
  }
  out->parents = held_ids(c, &whole, NULL, 0, &out->parent_count);
  out->ids = held_ids(c, &single, out->parents, groups ? out->parent_count : 0, &out->id_count);
  if (!out->parents || !out->ids || c->arena->failed) return svc_no_memory(c);
  return svc_txn_good(c);
}
