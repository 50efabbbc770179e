/*
** Roles in bodies, and the same roles as the assignments that authentication reads. Both are changed together.
*/
#include "catalog/catalog.h"

SVC_PRIVATE bool svc_keep_assigned(svc_call *c, const svc_entity *e)
{
  char on[24];
  svc_id_hex(svc_id_is_zero(&c->scope.group) ? &c->scope.org : &c->scope.group, on);
  return svc_assignments_have(svc_assignments_of(e), SVC_S(""), (svc_str){ on, sizeof on });
}

SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level)
{
  bool in_group = !svc_id_is_zero(&c->scope.group);
  *level = in_group ? SVC_SCOPE_GROUP : SVC_SCOPE_ORGANIZATION;
  return svc_id_str(c->arena, in_group ? &c->scope.group : &c->scope.org);
}

static const svc_node *assignments_role_name(const svc_node *item)
{
  return item->type == SVC_J_OBJECT ? svc_node_get(item, "roleName") : item;
}

/* Every element must name a role of this level. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field)
{
  const svc_node *item = roles && roles->type == SVC_J_ARRAY ? roles->first : NULL;
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

/* Who manages access to a project hands out its roles, but makes no owner of it: that could be itself. */
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after)
{
  svc_id group = c->scope.group, org = c->scope.org;
  svc_str on = svc_id_str(c->arena, &group), owner = SVC_S("GROUP_OWNER");
  if (!svc_assignments_have(after, owner, on) || svc_assignments_have(before, owner, on)) return true;
  return svc_roles_on(c, &group, &org) & SVC_R_GROUP_OWNER ? true : svc_lacks_role(c, SVC_R_GROUP_OWNER);
}

/*
** Secrets and access lists are of the whole credential: whoever sets them opens, or shuts, all that it may do. Below a
** project that is done for credentials which have roles in no other place; an owner of the organization may do it for all.
*/
SVC_PRIVATE bool svc_may_manage(svc_call *c, svc_str assignments)
{
  svc_id org = c->scope.org;
  int level;
  svc_str on = svc_call_scope(c, &level);
  if (level == SVC_SCOPE_ORGANIZATION || svc_assignments_without(c, assignments, on).n == 0) return true;
  return svc_roles_on(c, NULL, &org) & SVC_R_ORG_OWNER ? true : svc_lacks_role(c, SVC_R_ORG_OWNER);
}

SVC_PRIVATE svc_str svc_assignment_text(svc_call *c, svc_str role, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, role.n + on.n + 3);
  svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_assignments_on(svc_call *c, svc_str assignments, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  svc_str role, where;
  while (svc_assignments_next(&assignments, &role, &where))
    if (svc_str_eq(where, on)) svc_assignment_write(&b, role, where);
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

SVC_PRIVATE svc_str svc_assignments_from(svc_call *c, const svc_node *names, svc_str on, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, others.n + 256);
  const svc_node *item;
  svc_buf_str(&b, others);
  for (item = names ? names->first : NULL; item; item = item->next) {
    const svc_node *name = assignments_role_name(item);
    if (name && !svc_assignments_have((svc_str){ b.p, b.n }, name->text, on)) svc_assignment_write(&b, name->text, on);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_node *svc_assignments_names(svc_call *c, svc_str assignments, svc_str on, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_assignments_next(&assignments, &role, &where)) {
    svc_node *item = svc_str_eq(where, on) && role.p[0] != '@' ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), role) : NULL;
    if (item) svc_node_append(out, item);
  }
  return out;
}

SVC_PRIVATE svc_node *svc_assignments_objects(svc_call *c, svc_str assignments, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_assignments_next(&assignments, &role, &where)) {
    int number = svc_role_by_name(role);
    svc_node *item = number >= 0 ? svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S("")) : NULL;
    if (!item) continue;
    svc_node_set_str(c->arena, item, svc_role_level(number) == SVC_SCOPE_GROUP ? "groupId" : "orgId", where);
    svc_node_set_str(c->arena, item, "roleName", role);
    svc_node_append(out, item);
  }
  return out;
}

/*
** Lines as a set, for those who have thousands: comparing each with each would keep the one writer busy for long. Where
** there is no memory for it, they are compared one by one.
*/
typedef struct assignments_set {
  svc_str assignments, *rows; /* rows NULL: none was made; a row with p NULL is free */
  size_t mask;
} assignments_set;

#define ASSIGNMENTS_FEW 1024 /* bytes of assignments, up to which one by one is as good */

/* Role and id stand behind each other. */
static svc_str assignments_line(svc_str role, svc_str on)
{
  return (svc_str){ role.p, (size_t)(on.p + on.n - role.p) };
}

static svc_str *assignments_row(const assignments_set *set, svc_str line)
{
  size_t hash = 5381, i, at;
  for (i = 0; i < line.n; i++) hash = hash * 33 ^ (unsigned char)line.p[i];
  for (at = hash & set->mask; set->rows[at].p && !svc_str_eq(set->rows[at], line); at = (at + 1) & set->mask) continue;
  return &set->rows[at];
}

static void assignments_set_add(assignments_set *set, svc_str role, svc_str on)
{
  *assignments_row(set, assignments_line(role, on)) = assignments_line(role, on);
}

/* asked: bytes of the assignments that will be looked for in it; more: of those that may be added. */
static assignments_set assignments_set_of(svc_call *c, svc_str assignments, size_t asked, size_t more)
{
  assignments_set set = { assignments, NULL, 15 };
  svc_str rest = assignments, role, on;
  size_t i, n = 1;
  if (assignments.n + more <= ASSIGNMENTS_FEW || asked <= ASSIGNMENTS_FEW) return set;
  for (i = 0; i < assignments.n; i++) n += assignments.p[i] == '\n';
  n += more / 24; /* no line is shorter */
  while (set.mask < 2 * n) set.mask = 2 * set.mask + 1;
  set.rows = svc_arena_zero(c->arena, (set.mask + 1) * sizeof *set.rows);
  while (set.rows && svc_assignments_next(&rest, &role, &on)) assignments_set_add(&set, role, on);
  return set;
}

static bool assignments_set_has(const assignments_set *set, svc_str role, svc_str on)
{
  return set->rows ? assignments_row(set, assignments_line(role, on))->p != NULL
                   : svc_assignments_have(set->assignments, role, on);
}

SVC_PRIVATE svc_str svc_assignments_minus(svc_call *c, svc_str assignments, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + 1);
  assignments_set set = assignments_set_of(c, others, assignments.n, 0);
  svc_str role, on;
  while (svc_assignments_next(&assignments, &role, &on))
    if (!assignments_set_has(&set, role, on)) svc_assignment_write(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_assignments_plus(svc_call *c, svc_str assignments, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, assignments.n + others.n + 1);
  assignments_set set = assignments_set_of(c, assignments, others.n, others.n);
  svc_str role, on;
  svc_buf_str(&b, assignments);
  while (svc_assignments_next(&others, &role, &on)) {
    if (assignments_set_has(&set, role, on)) continue;
    svc_assignment_write(&b, role, on);
    if (set.rows) assignments_set_add(&set, role, on);
    else set.assignments = (svc_str){ b.p, b.n };
  }
  return svc_buf_done(&b);
}

static bool assignments_within(svc_call *c, svc_str a, svc_str b)
{
  assignments_set set = assignments_set_of(c, b, a.n, 0);
  svc_str role, on;
  while (svc_assignments_next(&a, &role, &on))
    if (!assignments_set_has(&set, role, on)) return false;
  return true;
}

SVC_PRIVATE bool svc_assignments_same(svc_call *c, svc_str a, svc_str b)
{
  return svc_str_eq(a, b) || (assignments_within(c, a, b) && assignments_within(c, b, a));
}

/* ------------------------------------------------------------------------------------------------------- of credentials */

/* Another set of assignments for a credential, without an event: that of what brought it about speaks for it. */
static bool assignments_change(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_str verifier, svc_str assignments)
{
  svc_change change;
  svc_entity out;
  if (!svc_change_of(c, noun, e, &change)) return false;
  change.pending = svc_credential_pack(c->arena, verifier, assignments);
  return svc_change_keep(c, &change, &out);
}

SVC_PRIVATE bool svc_assignments_own(svc_call *c, const svc_id *org, const svc_id *group)
{
  const svc_noun_info *noun = svc_who_noun(c);
  svc_str verifier, assignments, own = svc_assignment_text(c, SVC_S("GROUP_OWNER"), svc_id_str(c->arena, group));
  svc_entity e;
  int rc;
  if (!noun || svc_roles_on(c, group, org) & SVC_R_GROUP_OWNER) return true;
  rc = svc_entity_get(c->txn, noun->noun->kind, &c->who.org, &c->who.id, &e);
  if (rc == SVC_NOT_FOUND) return true; /* it was deleted meanwhile */
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_credential_unpack(e.extra, &verifier, &assignments)) return svc_store_failed(c, SVC_CORRUPT);
  return assignments_change(c, noun, &e, verifier, svc_assignments_plus(c, assignments, own));
}

/*
** Reads show the stored body as it is, so what it says of a project that is gone has to go with the project. The work is
** one look at every credential of the organization, and one write for each that has a role there. The event of the
** project speaks for them.
*/
SVC_PRIVATE bool svc_assignments_forget(svc_call *c, const svc_id *org, svc_str on)
{
  const svc_noun_info *nouns[2] = { c->s->seats[SVC_SEAT_KEY], c->s->seats[SVC_SEAT_ACCOUNT] };
  int i;
  for (i = 0; i < 2; i++) {
    svc_str verifier, assignments;
    svc_scan scan;
    svc_entity e;
    if (!nouns[i]) continue;
    svc_below_begin(&scan, c->txn, nouns[i]->noun->kind, org);
    while (svc_below_next(&scan, nouns[i]->noun->kind, &e)) {
      if (!svc_credential_unpack(e.extra, &verifier, &assignments))
        return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
      if (!svc_assignments_have(assignments, SVC_S(""), on)) continue;
      if (!assignments_change(c, nouns[i], &e, verifier, svc_assignments_without(c, assignments, on))) return false;
    }
    if (!svc_txn_good(c)) return false;
  }
  return true;
}
