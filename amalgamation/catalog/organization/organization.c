/*
** Organization: owns projects, people and bills. An organization has no parent, and cannot be deleted while it has projects.
**
** A create answers with a wrapper around the new organization, because the body may also ask for a first API key and a first
** service account.
**
** A credential belongs to one organization and never reaches another one. A credential that creates an organization must
** therefore be an owner of its own organization, and its body must ask for a new credential or name an owner. The named owner
** must be a member of an organization that the caller is in.
**
** Organizations that credentials of one another created count as one family, whose size is limited. `extra` holds the id of
** the family's first organization, under which all of them are counted.
**
** Each new organization gets a federation of its own (catalog/federation), unless the body names an existing one.
*/
#include "catalog/federation/federation_parts.h"
#include "catalog/billing/bill.h"

#define ORGANIZATION_MOST 100 /* maximum organizations of a family, without its first */
#define ORGANIZATION_LINE 128 /* maximum generations that a search for the family's first goes back; stores of 0.2 and before hold only
                                 the previous generation */

static const svc_field organization_fields[] = {
  F_ID(),
  F_BOOL("isDeleted", .flags = SVC_READ_ONLY, .preset = "false"),
  F_STR("name", .flags = SVC_REQUIRED, SVC_NAMED),
  F_BOOL("skipDefaultAlertsSettings", .preset = "false")
};
static const svc_object organization_object = { .name = "Organization", .fields = SVC_ROWS(organization_fields) };

static const svc_field organization_key_fields[] = {
  F_STR("desc", .flags = SVC_REQUIRED, .min = 1, .max = 250),
  F_STRS("roles", .values = svc_values_org_roles, .flags = SVC_REQUIRED | SVC_NOT_EMPTY)
};
static const svc_object organization_key_object = { .name = "FirstApiKey", .fields = SVC_ROWS(organization_key_fields) };
static const svc_field organization_account_fields[] = {
  F_STR("description", .flags = SVC_REQUIRED, .pattern = "^[\\p{L}\\p{N}\\-_.,' ]*$", .min = 1, .max = 250),
  F_STR("name", .flags = SVC_REQUIRED, .pattern = "^[\\p{L}\\p{N}\\-_.,' ]*$", .min = 1, .max = 64),
  F_STRS("roles", .values = svc_values_org_roles, .flags = SVC_REQUIRED | SVC_NOT_EMPTY),
  F_INT("secretExpiresAfterHours", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 8, .max = 8760)
};
static const svc_object organization_account_object = { .name = "FirstServiceAccount", .fields = SVC_ROWS(organization_account_fields) };

static const svc_field organization_create_fields[] = {
  F_OBJ("apiKey", &organization_key_object),
  F_HEX24("federationSettingsId"),
  F_STR("name", .flags = SVC_REQUIRED, SVC_NAMED),
  F_HEX24("orgOwnerId"),
  F_OBJ("serviceAccount", &organization_account_object),
  F_BOOL("skipDefaultAlertsSettings", .preset = "false")
};
static const svc_object organization_create_object = { .name = "OrganizationCreate", .fields = SVC_ROWS(organization_create_fields) };

static const svc_field organization_created_fields[] = {
  F_ANY("apiKey", .flags = SVC_READ_ONLY),
  F_HEX24("federationSettingsId", .flags = SVC_READ_ONLY),
  F_HEX24("orgOwnerId", .flags = SVC_READ_ONLY),
  F_OBJ("organization", &organization_object, .flags = SVC_READ_ONLY),
  F_ANY("serviceAccount", .flags = SVC_READ_ONLY),
  F_BOOL("skipDefaultAlertsSettings", .flags = SVC_READ_ONLY)
};
static const svc_object organization_created_object = { .name = "OrganizationCreated", .fields = SVC_ROWS(organization_created_fields) };

static const svc_param organization_list_params[] = { { .name = "name" }, { .name = NULL } };
static const svc_filter organization_filters[] = { { "name", SVC_PREFIX, "name" }, { NULL, 0, NULL } };

static bool organization_create(svc_call *c);

#define ORGANIZATION_LIST "/orgs", SVC_SET_ORGANIZATION_LIST, (20230101), 0, 0
#define ORGANIZATION_ONE "/orgs/{orgId}", SVC_SET_ORGANIZATIONS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER

static const svc_route organization_routes[] = {
  R_GET(ORGANIZATION_LIST, "", .flags = SVC_PAGED | SVC_VISIBLE_ONLY, .params = organization_list_params, .op = "listOrgs", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = organization_filters)),
  R_POST(ORGANIZATION_LIST, "", .status = 201, .body = &organization_create_object, .answer = &organization_created_object,
         .op = "createOrg", .run = organization_create,
         .example = "{\"name\":\"Acme\",\"apiKey\":{\"desc\":\"its first\",\"roles\":[\"ORG_OWNER\"]},\"serviceAccount\":{"
                    "\"name\":\"first\",\"description\":\"its first\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":720}}"),
  R_GET(ORGANIZATION_ONE, "", .op = "getOrg", .run = svc_verb_read),
  R_PATCH(ORGANIZATION_ONE, "", .op = "updateOrg", .run = svc_verb_update),
  R_DELETE(ORGANIZATION_ONE, "", .status = 204, .op = "deleteOrg", .run = svc_verb_delete)
};

static const svc_field_event organization_events[] = { { "name", "ORG_RENAMED", NULL }, { NULL, NULL, NULL } };

/* Creates the credential that the body asks for under this name. Adds it to the answer, and without its secret to *stored. */
static bool organization_credential(svc_call *c, const svc_id *org, const char *name, svc_node *answer, svc_node *stored)
{
  const svc_node *wanted = svc_node_get(c->checked, name);
  const svc_noun_info *noun = strcmp(name, "apiKey") == 0 ? c->s->seats[SVC_SEAT_KEY] : c->s->seats[SVC_SEAT_ACCOUNT];
  svc_node *shown = NULL, *kept;
  svc_entity e;
  svc_str grants;
  if (!wanted) return true;
  grants = svc_assignments_set(c, SVC_S(""), svc_id_str(c->arena, org), svc_names_from(c, svc_node_get(wanted, "roles")));
  if (!svc_noun_ext_of(noun->noun)->credential->make(c, org, wanted, grants, &e, &shown)) return false;
  if (svc_from_own_page(c) && !svc_access_admit(c, noun, &e.id)) return false;
  kept = noun->noun->view ? noun->noun->view(c, &e) : svc_entity_body(c, &e);
  if (!kept || !shown) return svc_failed(c);
  shown->name = kept->name = svc_str_c(name);
  svc_node_put(c->arena, answer, shown);
  svc_node_put(c->arena, stored, kept);
  return true;
}

/* Finds the first organization of the family of the caller's organization. Organizations are counted under its id even after it was
** deleted. */
static bool organization_first(svc_call *c, svc_id *out)
{
  svc_entity e;
  int i, rc = SVC_OK;
  *out = c->who.org;
  for (i = 0; i < ORGANIZATION_LINE && rc == SVC_OK; i++) {
    rc = svc_get_noun(c->txn, c->s->org, out, &e);
    if (rc == SVC_OK && e.extra.n != sizeof out->b) return true;
    if (rc == SVC_OK) memcpy(out->b, e.extra.p, sizeof out->b);
  }
  return rc == SVC_OK || rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
}

static bool organization_insert(svc_call *c, const svc_id *first, svc_entity *e, svc_node **body)
{
  svc_change change;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.event = c->plan->noun->noun->event_created;
  if (svc_who_noun(c)) change.extra = (svc_str){ (const char *)first->b, sizeof first->b };
  change.body = svc_presets(c->s, c->arena, &organization_object);
  if (!change.body) return svc_no_memory(c);
  svc_node_set_from(c->arena, change.body, "name", c->checked, "name");
  svc_node_set_bool(c->arena, change.body, "skipDefaultAlertsSettings",
                    svc_node_bool(c->checked, "skipDefaultAlertsSettings", false));
  *body = change.body;
  return svc_insert(c, &change, e);
}

/* Refuses credentials whose nouns this build leaves out. */
static bool organization_credentials_known(svc_call *c)
{
  bool key = svc_node_get(c->checked, "apiKey") != NULL, account = svc_node_get(c->checked, "serviceAccount") != NULL;
  if (key && !c->s->seats[SVC_SEAT_KEY]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "apiKey");
  return !account || c->s->seats[SVC_SEAT_ACCOUNT] ? true : svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "serviceAccount");
}

/* Returns true if the caller is in this organization. */
static bool organization_is_own(svc_call *c, const svc_id *org)
{
  return svc_who_noun(c) ? svc_id_eq(org, &c->who.org) : svc_roles_on(c, NULL, org) != 0;
}

/* Finds out whether the caller may make this person an owner: the caller itself, or an active member of an organization that the caller
** is in. A caller who owns everything may name anyone. */
static bool organization_owner_near(svc_call *c, const svc_entity *person, bool *there)
{
  svc_str lines = svc_arena_copy(c->arena, svc_assignments_of(person)), role, on;
  svc_member m;
  svc_id org;
  *there = svc_person_is_caller(c, person) || svc_roles_on(c, NULL, NULL) & SVC_R_ORG_OWNER;
  while (!*there && svc_assignments_next(&lines, &role, &on)) {
    if (!svc_id_parse(svc_assignment_org(role, on), &org) || !organization_is_own(c, &org)) continue;
    if (!svc_member_get(c, &org, &person->id, &m)) return false;
    *there = svc_str_is(m.status, "ACTIVE");
  }
  return !c->error.code && svc_txn_good(c);
}

/* Determines the first owner: the person that the body names, otherwise the person who sends the request. For a person outside the
** caller's organizations the answer does not reveal whether that person exists. */
static bool organization_owner(svc_call *c, svc_id *out, bool *any)
{
  svc_str wanted = svc_node_str(c->checked, "orgOwnerId");
  static const svc_id nowhere;
  svc_member m;
  bool there = false;
  *out = c->who.id;
  *any = c->s->seats[SVC_SEAT_USER] && (wanted.n || c->who.kind == SVC_WHO_USER);
  if (!*any || wanted.n == 0) return true;
  if (svc_id_parse(wanted, out)) {
    if (!svc_member_get(c, &nowhere, out, &m)) return false;
    if (!svc_id_is_zero(&m.user.id) && svc_person_registered(&m.user) && !organization_owner_near(c, &m.user, &there)) return false;
    if (there) return true;
  }
  return svc_fail_as(c, svc_arena_print(c->arena, "No user with id " SVC_FMT " is a member of an organization that you are in.", SVC_ARG(wanted)),
                     SVC_E_USER_NOT_FOUND, "S", &wanted);
}

/* Checks a create by a credential. The credential must be an owner of its organization, the body must give someone access, and the
** family must have room. */
static bool organization_by_credential(svc_call *c, svc_id *first)
{
  static const char *const ways[] = { "apiKey", "orgOwnerId", "serviceAccount" };
  int64_t most = ORGANIZATION_MOST;
  uint64_t held;
  size_t i = 0;
  if (!svc_who_noun(c)) return true;
  held = svc_roles_on(c, NULL, &c->who.org);
  if (c->error.code || !(held & SVC_R_ORG_OWNER)) return c->error.code ? false : svc_lacks_role(c, SVC_R_ORG_OWNER);
  while (i < 3 && !svc_node_get(c->checked, ways[i])) i++;
  if (i == 3)
    return svc_fail_as(c, svc_say(c, "A credential belongs to one organization and cannot reach another. Send apiKey or serviceAccount "
                                "to get a credential of the new organization, or orgOwnerId to name its owner."),
                       SVC_E_API_KEY_CANNOT_CREATE_ORG, "");
  if (!organization_first(c, first)) return false;
  if (svc_count(c->txn, c->plan->noun->noun->kind, first) < ORGANIZATION_MOST) return svc_txn_good(c);
  return svc_fail(c, SVC_E_MAX_ORGS_PER_USER_EXCEEDED, "iS", &most, &c->who.username);
}

/* Adds the organization to the federation that the body names, or starts a federation for it. */
static bool organization_federated(svc_call *c, const svc_id *org)
{
  svc_str wanted = svc_node_str(c->checked, "federationSettingsId");
  svc_entity federation, connected;
  if (wanted.n == 0) return svc_federation_begin(c, org, NULL);
  return svc_federation_owned(c, wanted, &federation) && svc_federation_enter(c, &federation.id, org, NULL, &connected);
}

/* Adds the id of its federation to the answer. A build may have no federations. */
static bool organization_show_federation(svc_call *c, const svc_id *org, svc_node *answer)
{
  svc_entity federation, connected;
  bool found;
  if (!svc_federation_of(c, org, &federation, &connected, &found)) return false;
  if (found) svc_node_set_id(c->arena, answer, "federationSettingsId", &federation.id);
  return true;
}

/* Refuses federationSettingsId if this build has no federations. Otherwise the caller must own an organization of that federation, and
** the federation must have room. */
static bool organization_federation_known(svc_call *c)
{
  svc_str wanted = svc_node_str(c->checked, "federationSettingsId");
  svc_entity federation;
  if (wanted.n == 0) return true;
  if (!svc_noun_by_kind(c->s, SVC_FEDERATION_KIND) || !svc_noun_by_kind(c->s, SVC_CONNECTED_KIND))
    return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "federationSettingsId");
  return svc_federation_owned(c, wanted, &federation) &&
         svc_within_quota(c, svc_noun_by_kind(c->s, SVC_CONNECTED_KIND)->noun, &federation.id, 1);
}

/* Refuses a delete while bills are unpaid, or could not be paid. */
static bool organization_removing(svc_call *c, const svc_entity *e)
{
  return svc_bill_settled(c, &e->id);
}

/* The family shrinks by one. Organizations that this one created stay, and are still counted under the family's first: otherwise
** deleting the first would reset the count. */
static bool organization_gone(svc_call *c, const svc_entity *e)
{
  svc_id id;
  if (e->extra.n == sizeof id.b) {
    memcpy(id.b, e->extra.p, sizeof id.b);
    svc_listed_put(c->txn, &id, e->kind, &e->id, false);
  }
  return svc_txn_good(c) && svc_federation_leave(c, &e->id);
}

static bool organization_create(svc_call *c)
{
  svc_entity e;
  svc_node *organization = NULL, *answer, *stored;
  svc_id owner, first = { { 0 } };
  bool any, owns;
  if (!organization_federation_known(c) || !organization_by_credential(c, &first) || !organization_owner(c, &owner, &any) ||
      !organization_credentials_known(c))
    return false;
  if (!organization_insert(c, &first, &e, &organization) || !organization_federated(c, &e.id) || (any && !svc_member_own(c, &e.id, NULL, &owner, &owns))) return false;
  if (svc_who_noun(c)) svc_listed_put(c->txn, &first, e.kind, &e.id, true);
  answer = svc_node_object(c->arena, NULL);
  organization = svc_node_copy(c->arena, organization);
  if (!answer || !organization) return svc_no_memory(c);
  organization->name = SVC_S("organization");
  svc_node_put(c->arena, answer, organization);
  if (!organization_show_federation(c, &e.id, answer)) return false;
  if (svc_node_get(c->checked, "orgOwnerId"))
    svc_node_set_from(c->arena, answer, "orgOwnerId", c->checked, "orgOwnerId");
  svc_node_set_bool(c->arena, answer, "skipDefaultAlertsSettings",
                    svc_node_bool(c->checked, "skipDefaultAlertsSettings", false));
  stored = svc_node_copy(c->arena, answer);
  if (!stored || !organization_credential(c, &e.id, "apiKey", answer, stored) ||
      !organization_credential(c, &e.id, "serviceAccount", answer, stored))
    return svc_failed(c);
  if (!svc_answer_node(c, stored)) return false;
  svc_answer_keep(c);
  svc_answer_key(c, e.key);
  return svc_answer_body(c, answer);
}

static bool organization_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  return change->before || svc_organization_settings_begin(c, e);
}

static const svc_field_error organization_errors[] = {
  { "name", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_INVALID_ORG_NAME },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_organization = {
  .name = "organization",
  .rel = "org",
  .kind = "org.",
  .param = "orgId",
  .seat = SVC_SEAT_ORG,
  .flags = SVC_GLOBAL | SVC_SHARED_NAME,
  .object = &organization_object,
  .unique = "name",
  .err_not_found = SVC_E_ORG_NOT_FOUND,
  .event_created = "ORG_CREATED",
  .event_updated = "ORG_SETTINGS_UPDATED",
  .field_errors = organization_errors,
  .routes = SVC_ROUTES(organization_routes),
  .stored = organization_stored,
  .removing = organization_removing,
  .gone = organization_gone,
  .ext = SVC_NOUN_EXT(.err_malformed = SVC_E_INVALID_ORG_ID, .field_events = organization_events)
};
