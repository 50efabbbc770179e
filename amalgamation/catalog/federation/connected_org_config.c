/*
** Connected organization: the configuration of an organization in its federation: the identity providers by which its
** people sign in, to the service and to its databases; the allowed domains of their addresses; and the roles that they
** get.
**
** A PATCH of an organization that is not connected yet connects it. For that, the caller must own this organization and
** one that is connected already. Only owners of an organization may change its configuration, but owners of all connected
** organizations see it.
*/
#include "catalog/federation/federation_parts.h"

#define CONNECTED_CONFLICTS 100 /* maximum conflicts that are shown */
#define CONNECTED_LOOKED_AT 500 /* maximum members that are checked for conflicts */

/* The service determines these users. A request may send back an outdated list from a GET, so the field is accepted and ignored. */
static const svc_field connected_user_fields[] = {
  F_STR("emailAddress", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL),
  F_HEX24("federationSettingsId", .flags = SVC_REQUIRED),
  F_STR("firstName", .flags = SVC_REQUIRED, .max = 255),
  F_STR("lastName", .flags = SVC_REQUIRED, .max = 255),
  F_HEX24("userId")
};
static const svc_object connected_user_object = { .name = "FederatedUser", .fields = SVC_ROWS(connected_user_fields) };

static const svc_field connected_fields[] = {
  F_STRS("dataAccessIdentityProviderIds", .format = SVC_FORMAT_ID, .flags = SVC_UNIQUE_ITEMS, .max_items = 20, .preset = "[]"),
  F_STRS("domainAllowList", .format = SVC_FORMAT_DOMAIN, .flags = SVC_UNIQUE_ITEMS, .max_items = 50, .preset = "[]"),
  F_BOOL("domainRestrictionEnabled", .preset = "false"),
  F_STR("identityProviderId", .pattern = "^([a-f0-9]{20})$", .flags = SVC_NULLABLE),
  F_BOOL("instantUserProvisioningDisabled", .flags = SVC_NULLABLE),
  F_ORG_ID(),
  F_STRS("postAuthRoleGrants", .values = svc_values_org_roles, .flags = SVC_UNIQUE_ITEMS, .preset = "[]"),
  F_LIST("roleMappings", &svc_object_role_mapping, .flags = SVC_UNIQUE_ITEMS, .max_items = SVC_ROLE_MAPPINGS, .preset = "[]"),
  F_LIST("userConflicts", &connected_user_object, .max_items = CONNECTED_CONFLICTS)
};
static const svc_object connected_object = { .name = "ConnectedOrgConfig", .fields = SVC_ROWS(connected_fields) };

static bool connected_update(svc_call *c);
static bool connected_delete(svc_call *c);

#define CONNECTED_LIST \
  "/federationSettings/{federationSettingsId}/connectedOrgConfigs", SVC_SET_FEDERATION_SETTINGS, (20230101), SVC_R_ORG_OWNER, \
  SVC_R_ORG_OWNER
#define CONNECTED_ONE \
  "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}", SVC_SET_FEDERATION_ORGANIZATION, (20230101), \
  SVC_R_ORG_OWNER, SVC_R_ORG_OWNER

static const svc_route connected_routes[] = {
  R_GET(CONNECTED_LIST, "", .flags = SVC_PAGED, .op = "listConnectedOrgConfigs", .run = svc_verb_list),
  R_GET(CONNECTED_ONE, "", .op = "getConnectedOrgConfig", .run = svc_verb_read),
  R_PATCH(CONNECTED_ONE, "", .op = "updateConnectedOrgConfig", .run = connected_update),
  R_DELETE(CONNECTED_ONE, "", .status = 204, .op = "removeConnectedOrgConfig", .run = connected_delete)
};

/* ------------------------------------------------------------------------------------------------------------- checking */

static bool connected_provider(svc_call *c, const svc_change *change, svc_str id, const char *protocol, svc_str field)
{
  svc_entity e;
  bool found;
  if (!svc_provider_of(c, &change->parent, id, protocol, &e, &found)) return false;
  if (!found) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, field, "is not an identity provider of this federation with protocol %s", protocol);
  return true;
}

/* People sign in to the service by SAML, and to databases by OIDC. */
static bool connected_providers(svc_call *c, const svc_change *change)
{
  svc_str provider = svc_node_str(change->body, "identityProviderId");
  const svc_node *item = svc_node_get(change->body, "dataAccessIdentityProviderIds");
  int i = 0;
  if (provider.n && !connected_provider(c, change, provider, "SAML", SVC_S("identityProviderId"))) return false;
  for (item = svc_node_first(item); item; item = item->next, i++)
    if (!connected_provider(c, change, item->text, "OIDC", svc_arena_print(c->arena, "dataAccessIdentityProviderIds[%d]", i))) return false;
  return true;
}

static bool connected_mapped_before(const svc_node *list, const svc_node *item)
{
  const svc_node *one = list->first;
  while (one != item && !svc_node_eq(one, "externalGroupName", svc_node_str(item, "externalGroupName"))) one = one->next;
  return one != item;
}

static bool connected_mappings(svc_call *c, const svc_change *change, const svc_id *org)
{
  svc_node *list = svc_node_get(change->body, "roleMappings"), *item;
  /* false: the change is of a single mapping, which has been checked already (role_mapping.c) */
  bool whole = SVC_ALWAYS(c->plan) && strcmp(c->plan->noun->noun->name, "connected organization") == 0;
  size_t i = 0, assignments = 0;
  for (item = svc_node_first(list); item; item = item->next, i++) {
    svc_str where = svc_arena_print(c->arena, "roleMappings[%zu].", i);
    assignments += svc_node_count(svc_node_get(item, "roleAssignments"));
    if (!whole || !where.n) continue;
    if (connected_mapped_before(list, item))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, SVC_FMT "externalGroupName", SVC_ARG(where)), "is there already");
    if (!svc_role_mapping_check(c, org, item, svc_element_named(svc_node_get(change->before, "roleMappings"), svc_node_str(item, "id")), where.p))
      return false;
  }
  if (assignments > SVC_ROLE_ASSIGNMENTS)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, whole ? SVC_S("roleMappings") : SVC_S("roleAssignments"),
                "must not have more than %d assignments in all mappings together", SVC_ROLE_ASSIGNMENTS);
  return true;
}

static bool connected_prepare(svc_call *c, svc_change *change)
{
  svc_id org;
  svc_node_drop(change->body, "userConflicts");
  if (!svc_id_parse(svc_node_str(change->body, "orgId"), &org)) return svc_no_memory(c);
  return connected_providers(c, change) && connected_mappings(c, change, &org) && svc_check_done(c);
}

/* -------------------------------------------------------------------------------------------------------------- showing */

/* Whether an allowed domain is that of an address, which is lower case like all stored names of people. */
static bool connected_domain_is(svc_str allowed, svc_str domain)
{
  size_t i;
  if (allowed.n != domain.n) return false;
  for (i = 0; i < allowed.n; i++) {
    char x = allowed.p[i];
    if (x >= 'A' && x <= 'Z') x = (char)(x + 32);
    if (x != domain.p[i]) return false;
  }
  return true;
}

static bool connected_allows(const svc_node *domains, svc_str address)
{
  const svc_node *item = svc_node_first(domains);
  (void)svc_str_cut(&address, '@');
  while (item && !connected_domain_is(item->text, address)) item = item->next;
  return item != NULL;
}

static svc_node *connected_user(svc_call *c, const svc_entity *e, const svc_node *member)
{
  svc_node *user = svc_node_object(c->arena, NULL);
  if (!user) return NULL;
  svc_node_set_from(c->arena, user, "emailAddress", member, "username");
  svc_node_set_id(c->arena, user, "federationSettingsId", &e->parent);
  svc_node_set_from(c->arena, user, "firstName", member, "firstName");
  svc_node_set_from(c->arena, user, "lastName", member, "lastName");
  svc_node_set_from(c->arena, user, "userId", member, "id");
  return user;
}

/* If domains are restricted: members whose addresses belong to other domains than the allowed ones. */
static bool connected_conflicts(svc_call *c, const svc_entity *e, svc_node *body)
{
  svc_node *list = svc_node_array(c->arena, "userConflicts"), *user;
  const svc_noun_info *members = c->s->seats[SVC_SEAT_MEMBER];
  int looked_at = 0, shown = 0;
  svc_entity member;
  svc_node *one;
  svc_scan scan;
  if (!list) return svc_no_memory(c);
  if (members && svc_node_bool(body, "domainRestrictionEnabled", false)) {
    svc_below_begin(&scan, c->txn, members->noun->kind, &e->scope.org);
    while (looked_at++ < CONNECTED_LOOKED_AT && shown < CONNECTED_CONFLICTS && svc_below_next(&scan, members->noun->kind, &member)) {
      if (!svc_str_is(svc_member_status(&member), "ACTIVE")) continue;
      if ((one = svc_entity_body(c, &member)) == NULL) return false;
      if (connected_allows(svc_node_get(body, "domainAllowList"), svc_node_str(one, "username"))) continue;
      if ((user = connected_user(c, e, one)) == NULL) return svc_no_memory(c);
      svc_node_append(list, user);
      shown++;
    }
  }
  svc_node_put(c->arena, body, list);
  return svc_txn_good(c);
}

static svc_node *connected_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *mapping = svc_node_get(body, "roleMappings");
  for (mapping = svc_node_first(mapping); mapping; mapping = mapping->next) svc_role_mapping_live(c, &e->scope.org, mapping);
  return body && connected_conflicts(c, e, body) ? body : NULL;
}

/* ------------------------------------------------------------------------------------------------ connecting and leaving */

/* Deletes the organization's present federation, which must have no other organization and no identity provider. */
static bool connected_takes(svc_call *c, svc_str org, const svc_id *id)
{
  svc_entity own, there;
  svc_str key;
  bool found;
  if (!svc_federation_of(c, id, &own, &there, &found) || !found) return !c->error.code;
  key = svc_id_str(c->arena, &own.id);
  if (svc_count(c->txn, SVC_CONNECTED_KIND, &own.id) > 1 || svc_count(c->txn, SVC_PROVIDER_KIND, &own.id) > 0)
    return svc_fail(c, SVC_E_ORG_ALREADY_FEDERATED, "SS", &org, &key);
  return svc_txn_good(c) && svc_erase(c, svc_noun_by_kind(c->s, SVC_FEDERATION_KIND), &own);
}

static bool connected_connect(svc_call *c, svc_str org)
{
  static const svc_id none;
  const svc_id federation = c->route.chain[0].id;
  const svc_scope outer = c->scope;
  svc_node *body;
  svc_entity e;
  svc_id id;
  if (!svc_federation_owns(c, org, &id)) return false;
  if (c->request.if_match.n) return svc_fail(c, SVC_E_PRECONDITION_FAILED, ""); /* there is no state that could match */
  c->scope = (svc_scope){ none, id }; /* the body may contain the organization's id */
  body = svc_check(c, &connected_object, c->body, NULL, SVC_CHECK_CREATE);
  c->scope = outer;
  return svc_check_done(c) && svc_within_quota(c, c->plan->noun->noun, &federation, 1) && connected_takes(c, org, &id) &&
         svc_federation_enter(c, &federation, &id, body, &e) && svc_answer_entity(c, &e);
}

static bool connected_update(svc_call *c)
{
  svc_str org = svc_path_param(c, "orgId");
  svc_entity e;
  svc_id id;
  int rc;
  if (!svc_resolve(c, 1)) return false;
  rc = svc_entity_named(c->txn, SVC_CONNECTED_KIND, NULL, &c->route.chain[0].id, org, &e);
  if (rc == SVC_NOT_FOUND) return connected_connect(c, org);
  return rc == SVC_OK ? svc_federation_owns(c, org, &id) && svc_verb_update(c) : svc_store_failed(c, rc);
}

static bool connected_delete(svc_call *c)
{
  svc_str org = svc_path_param(c, "orgId"), federation;
  svc_id id;
  if (!svc_resolve_all(c) || !svc_federation_owns(c, org, &id)) return false;
  federation = c->route.chain[0].key;
  if (svc_count(c->txn, SVC_CONNECTED_KIND, &c->route.chain[0].id) == 1)
    return svc_fail(c, SVC_E_LAST_CONNECTED_ORG, "SS", &org, &federation);
  return svc_verb_delete(c) && svc_federation_tell(c, &c->route.chain[0].id, "FEDERATION_SETTINGS_UPDATED") &&
         svc_federation_begin(c, &id, "FEDERATION_SETTINGS_CREATED");
}

SVC_PRIVATE const svc_noun svc_noun_connected_org_config = {
  .name = "connected organization",
  .rel = "connectedOrgConfig",
  .kind = SVC_CONNECTED_KIND,
  .parent = "federation settings",
  .param = "orgId",
  .object = &connected_object,
  .key = "orgId",
  .unique = "orgId",
  .most = SVC_FEDERATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .err_not_found = SVC_E_CONNECTED_ORG_NOT_FOUND,
  .err_exists = SVC_E_ORG_ALREADY_FEDERATED,
  .event_updated = "FEDERATION_SETTINGS_UPDATED",
  .routes = SVC_ROUTES(connected_routes),
  .prepare = connected_prepare,
  .view = connected_view,
};
