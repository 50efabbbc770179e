/*
** People, in any number of organizations.
**
** A person is one entity. Its `extra` has its roles on organizations and its teams as assignments, where authentication
** reads them (credential.c), and a line for each organization that has invited it. member_writing.c writes these.
**
** The rule: a person's name, phone and country are its own. If somebody else registered the person, these details are only
** that organization's claim: only that organization sees them, until the person registers itself. The verifier in `extra`
** tells who registered the person:
**
**   (empty)      known by name, not registered
**   1            registered by itself, or by a caller that owns everything
**   1 id(12)     registered by a caller of the organization with this id
*/
#include "catalog/catalog.h"

SVC_PRIVATE bool svc_person_write(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body)
{
  if (body && !svc_body_write(c->arena, body, &e->body, &e->links_at)) return svc_no_memory(c);
  e->revision = svc_new_revision(c->txn);
  return svc_entity_store(c, e, old);
}

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

SVC_PRIVATE bool svc_person_by(const svc_entity *person, svc_id *by)
{
  svc_str verifier, assignments;
  if (!svc_credential_unpack(person->extra, &verifier, &assignments) || verifier.n != 1 + sizeof by->b) return false;
  memcpy(by->b, verifier.p + 1, sizeof by->b);
  return true;
}

SVC_PRIVATE bool svc_person_is_caller(svc_call *c, const svc_entity *person)
{
  if (c->who.kind != SVC_WHO_USER) return false;
  return svc_id_eq(&c->who.id, &person->id) || svc_str_eq(svc_person_name(c, c->who.username), person->unique);
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
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body || !c->s->seats[SVC_SEAT_USER]) return svc_no_memory(c);
  memset(out, 0, sizeof *out);
  out->kind = c->s->seats[SVC_SEAT_USER]->noun->kind;
  out->id = svc_new_id(c->txn);
  out->key = svc_id_str(c->arena, &out->id);
  out->unique = svc_person_name(c, name);
  out->extra = svc_credential_pack(c->arena, SVC_S(""), SVC_S(""));
  svc_node_set_date(c->arena, body, "createdAt", c->now);
  svc_node_set_str(c->arena, body, "emailAddress", out->unique);
  svc_node_set_str(c->arena, body, "id", out->key);
  svc_node_set_str(c->arena, body, "username", out->unique);
  return svc_person_write(c, out, NULL, body);
}

SVC_PRIVATE bool svc_person_register(svc_call *c, svc_entity *person, const svc_node *body, const svc_id *by)
{
  svc_entity old = *person;
  svc_buf b = svc_buf_new(c->arena, 1 + sizeof by->b);
  svc_buf_char(&b, '1');
  if (by) svc_buf_add(&b, (const char *)by->b, sizeof by->b);
  person->extra = svc_credential_pack(c->arena, (svc_str){ b.p, b.n }, svc_assignments_of(&old));
  return svc_person_write(c, person, &old, body);
}

SVC_PRIVATE bool svc_person_assign(svc_call *c, svc_entity *person, svc_str lines)
{
  svc_entity old = *person;
  svc_str verifier, before;
  if (!svc_credential_unpack(old.extra, &verifier, &before)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
  if (svc_str_eq(before, lines)) return true;
  person->extra = svc_credential_pack(c->arena, verifier, lines);
  return svc_person_write(c, person, &old, NULL);
}

/* Removes the personal details, which somebody else may have entered. */
static void people_hide(svc_node *body)
{
  static const char *const own[] = { "country", "firstName", "lastName", "mobileNumber" };
  size_t i;
  for (i = 0; body && i < sizeof own / sizeof own[0]; i++) svc_node_drop(body, own[i]);
}

SVC_PRIVATE svc_node *svc_person_seen_in(svc_call *c, const svc_entity *person, const svc_id *org)
{
  svc_node *body = svc_entity_body(c, person);
  svc_id by;
  if (svc_person_by(person, &by) && !svc_id_eq(&by, org)) people_hide(body);
  return body;
}

/* The caller's view of a person. */
typedef struct people_sight {
  bool self, seen;
  svc_id org;    /* the organization that was looked up last */
  uint64_t held; /* the caller's roles there */
} people_sight;

static uint64_t people_look(svc_call *c, people_sight *sight, const svc_id *org)
{
  if (svc_id_eq(&sight->org, org)) return sight->held;
  sight->org = *org;
  sight->held = svc_roles_on(c, NULL, org);
  if (sight->held & SVC_R_ORG_OWNER) sight->seen = true;
  return sight->held;
}

/* The person's roles on organizations, and its teams, as far as the caller may see them. */
static svc_str people_lines_seen(svc_call *c, people_sight *sight, svc_str lines)
{
  svc_buf b = svc_buf_new(c->arena, lines.n + 1);
  svc_str role, on;
  svc_id org;
  while (svc_assignments_next(&lines, &role, &on)) {
    if (!svc_id_parse(svc_assignment_org(role, on), &org)) continue;
    if (people_look(c, sight, &org) & SVC_R_ORG_OWNER || sight->self) svc_assignment_write(&b, role, on);
  }
  return svc_buf_done(&b);
}

static bool people_roles_seen(svc_call *c, people_sight *sight, const svc_entity *person, svc_str lines, svc_node *list)
{
  svc_str all = svc_assignments_of(person), role, on;
  svc_holding one;
  svc_scan scan;
  svc_id org, last = { { 0 } };
  bool counts = false;
  while (svc_assignments_next(&lines, &role, &on))
    if (svc_assignment_class(role) == SVC_ASSIGNED_ROLE && svc_id_parse(on, &org) &&
        !svc_names_objects(c, list, role, "orgId", &org))
      return false;
  svc_holdings_begin(&scan, c->txn, &person->id, NULL);
  while (svc_holdings_next(&scan, &one)) {
    if (!svc_id_eq(&one.org, &last)) counts = svc_assignments_names(c, all, svc_id_str(c->arena, &one.org)).n != 0;
    last = one.org;
    if (!counts) continue; /* only invited there */
    if (sight->self || people_look(c, sight, &one.org) & SVC_R_ORG_OWNER ||
        svc_roles_on(c, &one.group, &one.org) & SVC_R_GROUP_OWNER)
      if (!svc_names_objects(c, list, one.roles, "groupId", &one.group)) return false;
  }
  return svc_txn_good(c);
}

/* People see themselves. An owner of an organization sees its members and invited people, with their roles there. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made)
{
  people_sight sight = { .self = svc_person_is_caller(c, person) };
  svc_node *body = svc_entity_body(c, person), *teams, *list = svc_node_array(c->arena, "roles");
  bool everything = (svc_roles_on(c, NULL, NULL) & SVC_R_ORG_OWNER) != 0;
  svc_str lines;
  svc_id by;
  sight.seen = sight.self || made || everything;
  lines = people_lines_seen(c, &sight, svc_assignments_of(person));
  teams = svc_assignments_teams(c, lines);
  if (!sight.seen || !body || !list || !teams || c->arena->failed) return NULL;
  if (!people_roles_seen(c, &sight, person, lines, list)) return NULL;
  if (!sight.self && !made && !everything && svc_person_by(person, &by) && !(svc_roles_on(c, NULL, &by) & SVC_R_ORG_OWNER))
    people_hide(body);
  svc_node_put(c->arena, body, list);
  svc_node_put(c->arena, body, teams);
  return body;
}
