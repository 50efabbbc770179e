/*
** Roles in bodies, and the same roles as the lines that authentication reads. Both are changed together.
*/
#include "internal.h"

SVC_PRIVATE bool svc_keep_granted(svc_call *c, const svc_entity *e, void *on)
{
  (void)c;
  return svc_grants_have(svc_grants_of(e), SVC_S(""), *(const svc_str *)on);
}

SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level)
{
  svc_id group = svc_call_group(c), org = svc_call_org(c);
  *level = svc_id_is_zero(&group) ? SVC_SCOPE_ORGANIZATION : SVC_SCOPE_GROUP;
  return svc_id_str(c->arena, svc_id_is_zero(&group) ? &org : &group);
}

static const svc_node *grants_role_name(const svc_node *item)
{
  return item->type == SVC_J_OBJECT ? svc_node_get(item, "roleName") : item;
}

/* Every element must name a role of this level. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field)
{
  const svc_node *item = roles && roles->type == SVC_J_ARRAY ? roles->first : NULL;
  int i;
  for (i = 0; item; item = item->next, i++) {
    const svc_node *name = grants_role_name(item);
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
  svc_id group = svc_call_group(c), org = svc_call_org(c);
  svc_str on = svc_id_str(c->arena, &group), owner = SVC_S("GROUP_OWNER");
  if (!svc_grants_have(after, owner, on) || svc_grants_have(before, owner, on)) return true;
  return svc_roles_on(c, &group, &org) & SVC_R_GROUP_OWNER ? true : svc_lacks_role(c, SVC_R_GROUP_OWNER);
}

/*
** Secrets and access lists are of the whole credential: whoever sets them opens, or shuts, all that it may do. Below a
** project that is done for credentials which have roles in no other place; an owner of the organization may do it for all.
*/
SVC_PRIVATE bool svc_may_manage(svc_call *c, svc_str grants)
{
  svc_id org = svc_call_org(c);
  int level;
  svc_str on = svc_call_scope(c, &level);
  if (level == SVC_SCOPE_ORGANIZATION || svc_grants_without(c, grants, on).n == 0) return true;
  return svc_roles_on(c, NULL, &org) & SVC_R_ORG_OWNER ? true : svc_lacks_role(c, SVC_R_ORG_OWNER);
}

SVC_PRIVATE svc_str svc_grant_text(svc_call *c, svc_str role, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, role.n + on.n + 3);
  svc_grant_line(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_on(svc_call *c, svc_str grants, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  svc_str role, where;
  while (svc_grants_next(&grants, &role, &where))
    if (svc_str_eq(where, on)) svc_grant_line(&b, role, where);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_without(svc_call *c, svc_str grants, svc_str on)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + 1);
  svc_str role, where;
  while (svc_grants_next(&grants, &role, &where))
    if (!svc_str_eq(where, on)) svc_grant_line(&b, role, where);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_from(svc_call *c, const svc_node *names, svc_str on, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, others.n + 256);
  const svc_node *item;
  svc_buf_str(&b, others);
  for (item = names ? names->first : NULL; item; item = item->next) {
    const svc_node *name = grants_role_name(item);
    if (name && !svc_grants_have((svc_str){ b.p, b.n }, name->text, on)) svc_grant_line(&b, name->text, on);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_node *svc_grants_names(svc_call *c, svc_str grants, svc_str on, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_grants_next(&grants, &role, &where)) {
    svc_node *item = svc_str_eq(where, on) && role.p[0] != '@' ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), role) : NULL;
    if (item) svc_node_append(out, item);
  }
  return out;
}

SVC_PRIVATE svc_node *svc_grants_objects(svc_call *c, svc_str grants, const char *name)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  svc_str role, where;
  while (out && svc_grants_next(&grants, &role, &where)) {
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
typedef struct grants_set {
  svc_str lines, *rows; /* rows NULL: none was made; a row with p NULL is free */
  size_t mask;
} grants_set;

#define GRANTS_FEW 1024 /* bytes of lines, up to which one by one is as good */

/* Role and id stand behind each other. */
static svc_str grants_line(svc_str role, svc_str on)
{
  return (svc_str){ role.p, (size_t)(on.p + on.n - role.p) };
}

static svc_str *grants_row(const grants_set *set, svc_str line)
{
  size_t hash = 5381, i, at;
  for (i = 0; i < line.n; i++) hash = hash * 33 ^ (unsigned char)line.p[i];
  for (at = hash & set->mask; set->rows[at].p && !svc_str_eq(set->rows[at], line); at = (at + 1) & set->mask) continue;
  return &set->rows[at];
}

static void grants_set_add(grants_set *set, svc_str role, svc_str on)
{
  *grants_row(set, grants_line(role, on)) = grants_line(role, on);
}

/* asked: bytes of the lines that will be looked for in it; more: of those that may be added. */
static grants_set grants_set_of(svc_call *c, svc_str lines, size_t asked, size_t more)
{
  grants_set set = { lines, NULL, 15 };
  svc_str rest = lines, role, on;
  size_t i, n = 1;
  if (lines.n + more <= GRANTS_FEW || asked <= GRANTS_FEW) return set;
  for (i = 0; i < lines.n; i++) n += lines.p[i] == '\n';
  n += more / 24; /* no line is shorter */
  while (set.mask < 2 * n) set.mask = 2 * set.mask + 1;
  set.rows = svc_arena_zero(c->arena, (set.mask + 1) * sizeof *set.rows);
  while (set.rows && svc_grants_next(&rest, &role, &on)) grants_set_add(&set, role, on);
  return set;
}

static bool grants_set_has(const grants_set *set, svc_str role, svc_str on)
{
  return set->rows ? grants_row(set, grants_line(role, on))->p != NULL : svc_grants_have(set->lines, role, on);
}

SVC_PRIVATE svc_str svc_grants_minus(svc_call *c, svc_str grants, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + 1);
  grants_set set = grants_set_of(c, others, grants.n, 0);
  svc_str role, on;
  while (svc_grants_next(&grants, &role, &on))
    if (!grants_set_has(&set, role, on)) svc_grant_line(&b, role, on);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_grants_plus(svc_call *c, svc_str grants, svc_str others)
{
  svc_buf b = svc_buf_new(c->arena, grants.n + others.n + 1);
  grants_set set = grants_set_of(c, grants, others.n, others.n);
  svc_str role, on;
  svc_buf_str(&b, grants);
  while (svc_grants_next(&others, &role, &on)) {
    if (grants_set_has(&set, role, on)) continue;
    svc_grant_line(&b, role, on);
    if (set.rows) grants_set_add(&set, role, on);
    else set.lines = (svc_str){ b.p, b.n };
  }
  return svc_buf_done(&b);
}

static bool grants_within(svc_call *c, svc_str a, svc_str b)
{
  grants_set set = grants_set_of(c, b, a.n, 0);
  svc_str role, on;
  while (svc_grants_next(&a, &role, &on))
    if (!grants_set_has(&set, role, on)) return false;
  return true;
}

SVC_PRIVATE bool svc_grants_same(svc_call *c, svc_str a, svc_str b)
{
  return svc_str_eq(a, b) || (grants_within(c, a, b) && grants_within(c, b, a));
}

/* ---------------------------------------------------------------------------------------------------------------- owning */

SVC_PRIVATE bool svc_grants_own(svc_call *c, const svc_id *org, const svc_id *group)
{
  const svc_noun_info *noun = svc_who_noun(c);
  svc_str verifier, grants, line = svc_grant_text(c, SVC_S("GROUP_OWNER"), svc_id_str(c->arena, group));
  svc_entity e;
  int rc;
  if (!noun || svc_roles_on(c, group, org) & SVC_R_GROUP_OWNER) return true;
  rc = svc_entity_get(c->txn, noun->noun->kind, &c->who.org, &c->who.id, &e);
  if (rc == SVC_NOT_FOUND) return true; /* it was deleted meanwhile */
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_credential_unpack(svc_arena_copy(c->arena, e.extra), &verifier, &grants)) return svc_store_failed(c, SVC_CORRUPT);
  return svc_change_aside(c, noun, &e, svc_credential_pack(c->arena, verifier, svc_grants_plus(c, grants, line)));
}

/* ------------------------------------------------------------------------------------------------------------ forgetting */

static bool grants_forget_one(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_id *id, svc_str on)
{
  svc_entity e;
  svc_str verifier, grants;
  int rc = svc_entity_get(c->txn, noun->noun->kind, org, id, &e);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_credential_unpack(svc_arena_copy(c->arena, e.extra), &verifier, &grants)) return svc_store_failed(c, SVC_CORRUPT);
  return svc_change_aside(c, noun, &e, svc_credential_pack(c->arena, verifier, svc_grants_without(c, grants, on)));
}

/*
** Reads show the stored body as it is, so what it says of a project that is gone has to go with the project. The work is
** one look at every credential of the organization, and one write for each that has a role there. The event of the
** project speaks for them.
*/
SVC_PRIVATE bool svc_grants_forget(svc_call *c, const svc_id *org, svc_str on)
{
  const svc_noun_info *nouns[2] = { c->s->key, c->s->account };
  int i;
  for (i = 0; i < 2; i++) {
    svc_buf found = svc_buf_new(c->arena, 256); /* their ids: writing would move what the scan stands on */
    svc_str key, value;
    svc_scan scan;
    svc_key prefix;
    svc_entity e;
    svc_id id;
    size_t at;
    if (!nouns[i]) continue;
    svc_key_entity(&prefix, nouns[i]->noun->kind, org, NULL);
    if (!svc_scan_begin(&scan, c->txn, &prefix, false)) return svc_store_failed(c, c->txn->error);
    while (svc_scan_next(&scan, &key, &value))
      if (svc_entity_decode(key, value, &e) && svc_keep_granted(c, &e, &on))
        svc_buf_add(&found, (const char *)e.id.b, sizeof e.id.b);
    svc_scan_end(&scan);
    if (c->txn->error) return svc_store_failed(c, c->txn->error);
    if (found.failed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
    for (at = 0; at < found.n; at += sizeof id.b) {
      memcpy(id.b, found.p + at, sizeof id.b);
      if (!grants_forget_one(c, nouns[i], org, &id, on)) return false;
    }
  }
  return true;
}
