/*
** What the caller holds: the roles of its own and those of its teams.
**
** A caller may hold thousands of roles, and most requests ask for those on one organization or project. So nothing is
** made of them beforehand: they stay the assignments that credential.c keeps, a question is one pass over these, and of the
** teams only those are looked at that belong to the organization asked for. Who asks often, as lists do for each of
** their items, makes the assignments into a table once, so that a list costs one pass more and not one for each item.
**
** The rule: no role is left out, however many there are. The work is linear in what the caller holds.
*/
#include "pipeline/pipeline.h"

#define HELD_QUESTIONS 4 /* from this one on a table is worth its making */

/* ---------------------------------------------------------------------------------------------------------------- walk */

SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h, const svc_id *org)
{
  memset(h, 0, sizeof *h);
  h->assignments = c->who.assignments;
  h->only = org;
}

/* One that the host vouches for; its ids may be spelled in several ways. */
static bool held_vouched(svc_call *c, svc_held *h)
{
  while (h->vouched < c->who.grant_count) {
    const svc_grant *g = &c->who.grants[h->vouched++];
    svc_id id;
    h->role = svc_str_c(g->role);
    h->on = SVC_S("");
    if (!g->on) return true;
    if (!svc_id_parse(svc_str_c(g->on), &id)) continue;
    svc_id_hex(&id, h->hex);
    h->on = (svc_str){ h->hex, sizeof h->hex };
    return true;
  }
  return false;
}

/* The assignments of a team, which stand in the store; of one that is gone: none. */
static svc_str held_team(svc_call *c, svc_held *h)
{
  svc_entity team;
  svc_id id;
  if (!c->s->seats[SVC_SEAT_TEAM] || !svc_id_parse((svc_str){ h->role.p + 1, h->role.n - 1 }, &h->via) ||
      !svc_id_parse(h->on, &id))
    return SVC_S("");
  if (h->only && !svc_id_eq(h->only, &h->via)) return SVC_S("");
  if (svc_entity_get(c->txn, c->s->seats[SVC_SEAT_TEAM]->noun->kind, &h->via, &id, &team) != SVC_OK) return SVC_S("");
  return svc_assignments_of(&team);
}

SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h)
{
  if (held_vouched(c, h)) return true;
  for (;;) {
    h->by_team = svc_assignments_next(&h->team, &h->role, &h->on);
    if (h->by_team) return true;
    if (!svc_assignments_next(&h->assignments, &h->role, &h->on)) return false;
    if (h->role.n && h->role.p[0] == '@') h->team = held_team(c, h);
    else if (h->role.n && h->role.p[0] != '?') return true;
  }
}

/* --------------------------------------------------------------------------------------------------------------- table */

/* Open addressing; a place with an empty id is free. */
typedef struct held_row {
  svc_id on, via; /* via: the organization of the team that holds it; zero: the caller itself */
  uint64_t roles;
  bool inside;    /* of an organization: something is held in one of its projects */
} held_row;

struct svc_held_table {
  size_t mask;
  held_row rows[];
};

/* Its row, or the free one where it belongs. */
static size_t held_at(const svc_held_table *t, const svc_id *on, const svc_id *via)
{
  uint64_t hash;
  size_t at;
  memcpy(&hash, on->b + 4, sizeof hash);
  for (at = (size_t)(hash * 0x9E3779B97F4A7C15u >> 20) & t->mask;; at = (at + 1) & t->mask) {
    const held_row *row = &t->rows[at];
    if (svc_id_is_zero(&row->on) || (svc_id_eq(&row->on, on) && svc_id_eq(&row->via, via))) return at;
  }
}

static held_row *held_place(svc_held_table *t, const svc_id *on, const svc_id *via)
{
  held_row *row = &t->rows[held_at(t, on, via)];
  row->on = *on;
  row->via = *via;
  return row;
}

static const held_row *held_find(const svc_held_table *t, const svc_id *on, const svc_id *via)
{
  const held_row *row = &t->rows[held_at(t, on, via)];
  return svc_id_is_zero(&row->on) ? NULL : row;
}

/* Whoever holds something in a project is seen to be in its organization. */
static void held_note_inside(svc_call *c, svc_held_table *t, const svc_id *group, const svc_held *h)
{
  static const svc_id none;
  svc_entity e;
  if (!c->s->group || svc_get_noun(c->txn, c->s->group, group, &e) != SVC_OK) return;
  if (h->by_team && !svc_id_eq(&h->via, &e.parent)) return;
  held_place(t, &e.parent, &none)->inside = true;
}

static const svc_held_table *held_make(svc_call *c)
{
  static const svc_id none;
  svc_held_table *t;
  svc_held h;
  size_t n = 0, room = 8;
  for (svc_held_begin(c, &h, NULL); svc_held_next(c, &h); n++) continue;
  while (room < 4 * n) room *= 2; /* a line takes two places at the most, and half of them stay free */
  t = svc_arena_zero(c->arena, sizeof *t + room * sizeof t->rows[0]);
  if (!t) return NULL;
  t->mask = room - 1;
  for (svc_held_begin(c, &h, NULL); svc_held_next(c, &h);) {
    int role = svc_role_by_name(h.role);
    held_row *row;
    svc_id on;
    if (role < 0 || !svc_id_parse(h.on, &on) || svc_id_is_zero(&on)) continue;
    row = held_place(t, &on, h.by_team ? &h.via : &none);
    if (row->roles == 0 && svc_role_level(role) == SVC_SCOPE_GROUP) held_note_inside(c, t, &on, &h);
    row->roles |= svc_role_includes(role);
  }
  return c->who.held = t;
}

/* ----------------------------------------------------------------------------------------------------------- questions */

static uint64_t held_by_table(const svc_held_table *t, const svc_id *group, const svc_id *org)
{
  static const svc_id none;
  const held_row *own = group ? held_find(t, group, &none) : NULL, *team = group && org ? held_find(t, group, org) : NULL;
  const held_row *above = org ? held_find(t, org, &none) : NULL;
  return (own ? own->roles : 0) | (team ? team->roles : 0) | (above ? above->roles : 0);
}

static uint64_t held_by_walk(svc_call *c, const svc_id *group, const svc_id *org)
{
  static const svc_id none;
  char group_text[24], org_text[24];
  uint64_t roles = 0;
  svc_held h;
  int role;
  if (group) svc_id_hex(group, group_text);
  if (org) svc_id_hex(org, org_text);
  for (svc_held_begin(c, &h, group && org ? org : &none); svc_held_next(c, &h);) { /* teams hold roles in projects only */
    if (h.on.n && !(h.on.n == 24 && ((group && memcmp(h.on.p, group_text, 24) == 0) ||
                                     (org && !h.by_team && memcmp(h.on.p, org_text, 24) == 0))))
      continue;
    role = svc_role_by_name(h.role);
    if (role >= 0) roles |= svc_role_includes(role);
  }
  return roles;
}

SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org)
{
  /* a credential is of one organization: a project that has moved to another one is out of its reach */
  if (org && !svc_id_is_zero(&c->who.org) && !svc_id_eq(org, &c->who.org)) return 0;
  if (c->who.grants) return held_by_walk(c, group, org); /* what the host says is short, and may be on everything */
  if (!c->who.held && ++c->who.questions >= HELD_QUESTIONS) held_make(c);
  return c->who.held ? held_by_table(c->who.held, group, org) : held_by_walk(c, group, org);
}

SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted)
{
  svc_held h;
  for (svc_held_begin(c, &h, NULL); svc_held_next(c, &h);) {
    int role = svc_role_by_name(h.role);
    if (role >= 0 && svc_role_includes(role) & wanted) return true;
  }
  return false;
}

/* For the few of whom the host says so: each of their grants is looked up. */
static bool held_inside_vouched(svc_call *c, const svc_id *org)
{
  svc_entity group;
  svc_held h;
  svc_id id;
  for (svc_held_begin(c, &h, NULL); c->s->group && svc_held_next(c, &h);)
    if (svc_id_parse(h.on, &id) && svc_role_by_name(h.role) >= 0 && svc_get_noun(c->txn, c->s->group, &id, &group) == SVC_OK &&
        svc_id_eq(&group.parent, org))
      return true;
  return false;
}

SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org)
{
  static const svc_id none;
  const held_row *row;
  if (!svc_id_is_zero(&c->who.org) && !svc_id_eq(org, &c->who.org)) return false;
  if (c->who.grants) return held_inside_vouched(c, org);
  if (!c->who.held && !held_make(c)) return false;
  row = held_find(c->who.held, org, &none);
  return row && row->inside;
}

/* ---------------------------------------------------------------------------------------------------------- what is seen */

static int held_order(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

/* Sorted, and each once. */
static size_t held_sort(svc_id *ids, size_t n)
{
  size_t i, kept = 0;
  if (n) qsort(ids, n, sizeof *ids, held_order);
  for (i = 0; i < n; i++)
    if (kept == 0 || !svc_id_eq(&ids[kept - 1], &ids[i])) ids[kept++] = ids[i];
  return kept;
}

static bool held_has(const svc_id *ids, size_t n, const svc_id *id)
{
  return n && bsearch(id, ids, n, sizeof *ids, held_order) != NULL;
}

/* Of the projects that are held one by one: those that are there, are not seen anyway, and are of the right organization. */
static void held_single_groups(svc_call *c, svc_seen *seen, const svc_id *via)
{
  svc_entity e[SVC_MANY];
  size_t i, k, n, kept = 0;
  for (i = 0; i < seen->id_count; i += n) {
    n = seen->id_count - i < SVC_MANY ? seen->id_count - i : SVC_MANY;
    if (svc_get_nouns(c->txn, c->s->group, &seen->ids[i], n, e) != SVC_OK) return;
    for (k = 0; k < n; k++) {
      if (!e[k].kind || (!svc_id_is_zero(&via[i + k]) && !svc_id_eq(&via[i + k], &e[k].parent))) continue;
      if (!svc_id_is_zero(&c->who.org) && !svc_id_eq(&c->who.org, &e[k].parent)) continue;
      if (!held_has(seen->parents, seen->parent_count, &e[k].parent)) seen->ids[kept++] = e[k].id;
    }
  }
  seen->id_count = held_sort(seen->ids, kept);
}

/* The organizations that one line lets be seen: it, or that of its project. */
static void held_organization(svc_call *c, svc_seen *seen, const svc_held *h, const svc_id *on, bool group)
{
  svc_entity e;
  svc_id org = *on;
  if (group) {
    if (!c->s->group || svc_get_noun(c->txn, c->s->group, on, &e) != SVC_OK) return;
    if (h->by_team && !svc_id_eq(&h->via, &e.parent)) return;
    org = e.parent;
  }
  if (!svc_id_is_zero(&c->who.org) && !svc_id_eq(&c->who.org, &org)) return;
  if (svc_get_noun(c->txn, c->s->org, &org, &e) == SVC_OK) seen->ids[seen->id_count++] = org;
}

SVC_PRIVATE bool svc_seen_of(svc_call *c, const svc_noun_info *noun, svc_seen *out)
{
  static const svc_id none;
  uint64_t least = svc_role_least(SVC_SCOPE_GROUP);
  bool groups = noun == c->s->group;
  svc_id *via, on;
  svc_held h;
  size_t n = 0;
  memset(out, 0, sizeof *out);
  for (svc_held_begin(c, &h, NULL); svc_held_next(c, &h); n++) continue;
  out->parents = svc_arena_alloc(c->arena, (n + 1) * sizeof *out->parents);
  out->ids = svc_arena_alloc(c->arena, (n + 1) * sizeof *out->ids);
  via = svc_arena_alloc(c->arena, (n + 1) * sizeof *via);
  if (!out->parents || !out->ids || !via) return svc_no_memory(c);
  for (svc_held_begin(c, &h, NULL); svc_held_next(c, &h);) {
    int role = svc_role_by_name(h.role);
    bool group = role >= 0 && svc_role_level(role) == SVC_SCOPE_GROUP;
    if (role < 0) continue;
    if (h.on.n == 0) out->everything |= !groups || svc_role_includes(role) & least;
    if (!svc_id_parse(h.on, &on)) continue;
    if (!groups) {
      held_organization(c, out, &h, &on, group);
    } else if (!group) {
      bool own = svc_id_is_zero(&c->who.org) || svc_id_eq(&c->who.org, &on);
      if (own && svc_role_includes(role) & least) out->parents[out->parent_count++] = on;
    } else {
      via[out->id_count] = h.by_team ? h.via : none;
      out->ids[out->id_count++] = on;
    }
  }
  out->parent_count = held_sort(out->parents, out->parent_count);
  if (groups) held_single_groups(c, out, via);
  else out->id_count = held_sort(out->ids, out->id_count);
  return svc_txn_good(c);
}
