/*
** Federation settings: the identity providers that several organizations share for the sign-in of their people.
**
** No operation creates a federation: each organization is in one from the start (federation_parts.c), and sees the parts
** that concern itself. A federation with a single organization that uses no identity provider can be deleted with its
** contents; then that organization gets a new one. There is no GET by id: only the path of an organization shows it.
*/
#include "catalog/federation/federation_parts.h"

static const char *const federation_settings_statuses[] = { "ACTIVE", "INACTIVE", NULL };

static const svc_field federation_settings_fields[] = {
  F_STRS("federatedDomains", .flags = SVC_READ_ONLY),
  F_BOOL("hasRoleMappings", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("identityProviderId", .pattern = "^([a-f0-9]{20})$", .flags = SVC_READ_ONLY),
  F_ENUM("identityProviderStatus", federation_settings_statuses, .flags = SVC_READ_ONLY)
};
static const svc_object federation_settings_object = { .name = "OrgFederationSettings", .fields = SVC_ROWS(federation_settings_fields) };

static bool federation_settings_read(svc_call *c);
static bool federation_settings_delete(svc_call *c);

#define FEDERATION_SETTINGS_ORG \
  "/orgs/{orgId}/federationSettings", SVC_SET_FEDERATION_ORGANIZATION, (20230101), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER
#define FEDERATION_SETTINGS \
  "/federationSettings/{federationSettingsId}", SVC_SET_FEDERATION_SETTINGS, (20230101), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER

static const svc_route federation_settings_routes[] = {
  R_GET(FEDERATION_SETTINGS_ORG, "", .flags = SVC_ITEM, .op = "getFederationSettings", .run = federation_settings_read),
  R_DELETE(FEDERATION_SETTINGS, "", .status = 204, .op = "deleteFederationSetting", .run = federation_settings_delete)
};

/* ------------------------------------------------------------------------------------------------------------- reading */

/* The domains of all its identity providers, without duplicates. */
static svc_node *federation_settings_domains(svc_call *c, const svc_id *federation)
{
  svc_node *list = svc_node_array(c->arena, "federatedDomains"), *item, *body;
  svc_entity e;
  svc_scan scan;
  svc_below_begin(&scan, c->txn, SVC_PROVIDER_KIND, federation);
  while (list && svc_below_next(&scan, SVC_PROVIDER_KIND, &e)) {
    body = svc_entity_body(c, &e);
    item = svc_node_get(body, "associatedDomains");
    for (item = svc_node_first(item); item; item = item->next)
      if (!svc_node_has_str(list, item->text)) svc_node_add_str(c->arena, list, item->text);
  }
  return c->arena->failed ? NULL : list;
}

/* The federation as this organization sees it. */
static svc_node *federation_settings_view(svc_call *c, const svc_entity *federation, const svc_entity *connected)
{
  svc_node *body = svc_entity_body(c, federation), *own = svc_entity_body(c, connected);
  svc_node *domains = federation_settings_domains(c, &federation->id);
  svc_str provider = own ? svc_node_str(own, "identityProviderId") : SVC_S("");
  svc_entity e;
  bool found = false;
  if (!body || !own || !domains) return NULL;
  svc_node_put(c->arena, body, domains);
  svc_node_set_bool(c->arena, body, "hasRoleMappings", svc_node_count(svc_node_get(own, "roleMappings")) > 0);
  if (provider.n && !svc_provider_of(c, &federation->id, provider, NULL, &e, &found)) return NULL;
  if (!found) return body;
  svc_node_set_str(c->arena, body, "identityProviderId", provider);
  svc_node_set_str(c->arena, body, "identityProviderStatus", svc_json_is(e.body, "status", "ACTIVE") ? SVC_S("ACTIVE") : SVC_S("INACTIVE"));
  return body;
}

static bool federation_settings_read(svc_call *c)
{
  svc_entity federation, connected;
  svc_str org;
  bool found;
  if (!svc_federation_of(c, &c->scope.org, &federation, &connected, &found)) return false;
  if (found) return svc_answer_view(c, &federation, federation_settings_view(c, &federation, &connected));
  org = svc_id_str(c->arena, &c->scope.org);
  return svc_fail_as(c, svc_arena_print(c->arena, "Organization " SVC_FMT " is in no federation.", SVC_ARG(org)),
                     SVC_E_FEDERATION_SETTINGS_NOT_FOUND, "S", &org);
}

/* ------------------------------------------------------------------------------------------------------------ deleting */

/* Only the last organization may delete it, and only if its people do not sign in by the federation's providers. */
static bool federation_settings_removing(svc_call *c, const svc_entity *e)
{
  svc_str key = svc_id_str(c->arena, &e->id), org;
  svc_entity connected;
  const svc_node *body;
  if (svc_count(c->txn, SVC_CONNECTED_KIND, &e->id) > 1) return svc_fail(c, SVC_E_FEDERATION_HAS_CONNECTED_ORGS, "S", &key);
  if (!svc_below_first(c->txn, SVC_CONNECTED_KIND, &e->id, &connected)) return svc_txn_good(c);
  body = svc_entity_body(c, &connected);
  if (!body) return false;
  org = svc_node_str(body, "orgId");
  if (!svc_connected_names(body, NULL)) return true;
  return svc_fail(c, SVC_E_FEDERATION_IN_USE, "SS", &org, &key);
}

static bool federation_settings_delete(svc_call *c)
{
  static const svc_id none;
  svc_scope scope = { none, none };
  svc_entity e;
  bool stored;
  size_t n;
  if (!svc_target(c, &e, &stored)) return false;
  n = svc_federation_organizations(c, &e, &scope.org, 1);
  if (!svc_verb_delete(c) || n == 0) return !c->error.code;
  return svc_event_write(c, "FEDERATION_SETTINGS_DELETED", &scope, NULL, SVC_S("")) &&
         svc_federation_begin(c, &scope.org, "FEDERATION_SETTINGS_CREATED");
}

static const svc_alliance_ops federation_settings_alliance = { .organizations = svc_federation_organizations };

SVC_PRIVATE const svc_noun svc_noun_federation_settings = {
  .name = "federation settings",
  .rel = "federationSettings",
  .kind = SVC_FEDERATION_KIND,
  .param = "federationSettingsId",
  .flags = SVC_GLOBAL,
  .object = &federation_settings_object,
  .err_not_found = SVC_E_FEDERATION_SETTINGS_NOT_FOUND,
  .routes = SVC_ROUTES(federation_settings_routes),
  .removing = federation_settings_removing,
  .ext = SVC_NOUN_EXT(.alliance = &federation_settings_alliance)
};
