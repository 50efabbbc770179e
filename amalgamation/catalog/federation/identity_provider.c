/*
** Identity provider: authenticates people for the organizations of a federation. By SAML for people who sign in to the
** service; by OIDC for people and programs (workloads) that sign in to databases.
**
**   SAML:  INACTIVE <---> ACTIVE      with a certificate that is valid now
**
** A provider that an organization uses cannot be deleted. Paths name a provider by its id, or by the older id of 20
** digits. XML metadata describes the service to a SAML provider. The same POST creates providers of both protocols,
** because there is no other operation; the default is OIDC.
*/
#include "catalog/federation/federation_parts.h"

#define PROVIDER_MOST 20

static const char *const provider_protocols[] = { "SAML", "OIDC", NULL };
static const char *const provider_types[] = { "WORKFORCE", "WORKLOAD", NULL };
static const char *const provider_bindings[] = { "HTTP-POST", "HTTP-REDIRECT", NULL };
static const char *const provider_algorithms[] = { "SHA-1", "SHA-256", NULL };
static const char *const provider_statuses[] = { "ACTIVE", "INACTIVE", NULL };
static const char *const provider_authorizations[] = { "GROUP", "USER", NULL };

/* An organization that uses it, in the form of a connected organization, but without the conflicts of its users, which are expensive
** to find. */
static const svc_field provider_org_fields[] = {
  F_STRS("dataAccessIdentityProviderIds", .flags = SVC_READ_ONLY),
  F_STRS("domainAllowList", .flags = SVC_READ_ONLY),
  F_BOOL("domainRestrictionEnabled", .flags = SVC_READ_ONLY),
  F_STR("identityProviderId", .flags = SVC_READ_ONLY),
  F_BOOL("instantUserProvisioningDisabled", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_STRS("postAuthRoleGrants", .values = svc_values_org_roles, .flags = SVC_READ_ONLY),
  F_LIST("roleMappings", &svc_object_role_mapping, .flags = SVC_READ_ONLY)
};
static const svc_object provider_org = { .name = "IdentityProviderOrg", .fields = SVC_ROWS(provider_org_fields) };

static const svc_field provider_base_fields[] = {
  F_LIST("associatedOrgs", &provider_org, .flags = SVC_READ_ONLY),
  F_CREATED("createdAt"),
  F_STR("description", .flags = SVC_NULLABLE, .max = 1000),
  F_STR("displayName", .flags = SVC_REQUIRED, .min = 1, .max = 50),
  F_ID(),
  F_ENUM("idpType", provider_types, .flags = SVC_FIXED, .preset = "\"WORKFORCE\""),
  F_STR("oktaIdpId", .pattern = "^([a-f0-9]{20})$", .flags = SVC_READ_ONLY),
  F_DATE("updatedAt", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED)
};
static const svc_object provider_base = { .name = "FederationIdentityProviderBase", .fields = SVC_ROWS(provider_base_fields) };

#define PROVIDER_DOMAINS() F_STRS("associatedDomains", .format = SVC_FORMAT_DOMAIN, .flags = SVC_UNIQUE_ITEMS, .max_items = 25, .preset = "[]")

static const svc_field provider_certificate_fields[] = {
  F_STR("content", .max = 5000), F_DATE("notAfter"), F_DATE("notBefore")
};
static const svc_object provider_certificate_object = { .name = "X509CertificateUpdate", .fields = SVC_ROWS(provider_certificate_fields) };
static const svc_field provider_pem_fields[] = {
  F_LIST("certificates", &provider_certificate_object, .max_items = 4), F_STR("fileName", .max = 255)
};
static const svc_object provider_pem = { .name = "PemFileInfoUpdate", .fields = SVC_ROWS(provider_pem_fields) };

/* Shown certificates have only their dates. */
static const svc_field provider_dates_fields[] = {
  F_DATE("notAfter", .flags = SVC_READ_ONLY), F_DATE("notBefore", .flags = SVC_READ_ONLY)
};
static const svc_object provider_dates = { .name = "X509Certificate", .fields = SVC_ROWS(provider_dates_fields) };
static const svc_field provider_pem_shown_fields[] = {
  F_LIST("certificates", &provider_dates, .flags = SVC_READ_ONLY), F_STR("fileName", .flags = SVC_READ_ONLY)
};
static const svc_object provider_pem_shown = { .name = "PemFileInfo", .fields = SVC_ROWS(provider_pem_shown_fields) };

#define PROVIDER_SAML(pem, asked) \
  F_STR("acsUrl", .flags = SVC_READ_ONLY), PROVIDER_DOMAINS(), F_STR("audienceUri", .flags = SVC_READ_ONLY), \
  F_STR("issuerUri", .flags = asked, .min = 1, .max = 1000), F_OBJ("pemFileInfo", pem), \
  F_ENUM("protocol", provider_protocols, .flags = asked | SVC_FIXED), \
  F_ENUM("requestBinding", provider_bindings, .preset = "\"HTTP-POST\""), \
  F_ENUM("responseSignatureAlgorithm", provider_algorithms, .preset = "\"SHA-256\""), \
  F_STR("slug", .pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$", .flags = SVC_NULLABLE), \
  F_BOOL("ssoDebugEnabled", .preset = "false"), \
  F_STR("ssoUrl", .flags = asked, .format = SVC_FORMAT_URI, .max = 1000), \
  F_ENUM("status", provider_statuses, .flags = SVC_NULLABLE, .preset = "\"INACTIVE\"")
static const svc_field provider_saml_fields[] = { PROVIDER_SAML(&provider_pem, SVC_REQUIRED) };
static const svc_object provider_saml_object = {
  .name = "FederationSamlIdentityProviderUpdate", .base = &provider_base, .fields = SVC_ROWS(provider_saml_fields)
};
static const svc_field provider_saml_shown_fields[] = { PROVIDER_SAML(&provider_pem_shown, SVC_REQUIRED) };
static const svc_object provider_saml_shown = {
  .name = "FederationSamlIdentityProvider", .base = &provider_base, .fields = SVC_ROWS(provider_saml_shown_fields)
};

/* Versions before 2023-11-15 have no OIDC: its fields are neither accepted nor shown. */
static const svc_field provider_old_fields[] = { PROVIDER_SAML(&provider_pem, 0) };
static const svc_object provider_old = {
  .name = "FederationIdentityProviderUpdate20230101", .base = &provider_base, .fields = SVC_ROWS(provider_old_fields)
};
static const svc_field provider_old_shown_fields[] = { PROVIDER_SAML(&provider_pem_shown, 0) };
static const svc_object provider_old_shown = {
  .name = "FederationIdentityProvider20230101", .base = &provider_base, .fields = SVC_ROWS(provider_old_shown_fields)
};

#define PROVIDER_OIDC_A() \
  F_STR("audience", .flags = SVC_REQUIRED, .min = 1, .max = 500), \
  F_ENUM("authorizationType", provider_authorizations, .flags = SVC_REQUIRED)
#define PROVIDER_OIDC_B() \
  F_STR("groupsClaim", .min = 1, .max = 500), \
  F_STR("issuerUri", .flags = SVC_REQUIRED, .format = SVC_FORMAT_URI, .pattern = "^https://.+$", .max = 1000), \
  F_ENUM("protocol", provider_protocols, .flags = SVC_FIXED, .preset = "\"OIDC\"")
#define PROVIDER_OIDC_C() F_STR("userClaim", .min = 1, .max = 500, .preset = "\"sub\"")

static const svc_need provider_oidc_needs[] = { { .fields = "groupsClaim", .where = "authorizationType=GROUP" }, { .fields = NULL } };

static const svc_field provider_workforce_fields[] = {
  PROVIDER_DOMAINS(), PROVIDER_OIDC_A(), F_STR("clientId", .flags = SVC_REQUIRED, .min = 1, .max = 500), PROVIDER_OIDC_B(),
  F_STRS("requestedScopes", .max_items = 20, .min = 1, .max = 200, .preset = "[]"), PROVIDER_OIDC_C()
};
static const svc_object provider_workforce = {
  .name = "FederationOidcWorkforceIdentityProvider", .base = &provider_base, .fields = SVC_ROWS(provider_workforce_fields),
  .ext = SVC_OBJECT_EXT(.needs = provider_oidc_needs)
};
static const svc_field provider_workload_fields[] = { PROVIDER_OIDC_A(), PROVIDER_OIDC_B(), PROVIDER_OIDC_C() };
static const svc_object provider_workload = {
  .name = "FederationOidcWorkloadIdentityProvider", .base = &provider_base, .fields = SVC_ROWS(provider_workload_fields),
  .ext = SVC_OBJECT_EXT(.needs = provider_oidc_needs)
};

static const svc_variant provider_oidc_variants[] = {
  { "WORKFORCE", &provider_workforce }, { "WORKLOAD", &provider_workload }, { NULL, NULL }
};
static const svc_object provider_oidc = { .name = "FederationOidcIdentityProvider", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("idpType", "WORKFORCE", provider_oidc_variants)) };
static const svc_variant provider_variants[] = { { "SAML", &provider_saml_object }, { "OIDC", &provider_oidc }, { NULL, NULL } };
static const svc_object provider_object = { .name = "FederationIdentityProviderUpdate", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("protocol", "OIDC", provider_variants)) };
static const svc_variant provider_shown_variants[] = { { "SAML", &provider_saml_shown }, { "OIDC", &provider_oidc }, { NULL, NULL } };
static const svc_object provider_shown = { .name = "FederationIdentityProvider", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("protocol", "OIDC", provider_shown_variants)) };

static const svc_param provider_params[] = {
  { .name = "idpType", .values = provider_types, .flags = SVC_PARAM_REPEATS },
  { .name = "protocol", .values = provider_protocols, .flags = SVC_PARAM_REPEATS },
  { .name = NULL }
};
static const svc_filter provider_filters[] = {
  { "idpType", SVC_EQUALS, "idpType" }, { "protocol", SVC_EQUALS, "protocol" }, { NULL, 0, NULL }
};

static bool provider_keep(svc_call *c, const svc_entity *e);
static bool provider_revoke(svc_call *c);
static bool provider_metadata(svc_call *c);

#define PROVIDER_BASE "/federationSettings/{federationSettingsId}/identityProviders"
#define PROVIDER_LIST PROVIDER_BASE, SVC_SET_FEDERATION_SETTINGS, (20230101), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER
#define PROVIDER_NEW PROVIDER_BASE, SVC_SET_FEDERATION_SETTINGS, (20231115), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER
#define PROVIDER_ONE \
  PROVIDER_BASE "/{identityProviderId}", SVC_SET_FEDERATION_SETTINGS, (20230101, 20231115), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER

static bool provider_downgrade(svc_call *c, svc_node *shown);
static const svc_older provider_older[] = {
  { .date = 20230101, .sunset = 20250101, .body = &provider_old, .answer = &provider_old_shown, .downgrade = provider_downgrade }, { .date = 0 }
};

static const svc_route provider_routes[] = {
  R_GET(PROVIDER_LIST, "", .flags = SVC_PAGED, .params = provider_params, .answer = &provider_shown, .op = "listIdentityProviders", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = provider_filters, .keep = provider_keep)),
  R_POST(PROVIDER_NEW, "", .status = 201, .answer = &provider_shown, .op = "createIdentityProvider", .run = svc_verb_create,
         .example = "{\"protocol\":\"SAML\",\"displayName\":\"Acme\",\"issuerUri\":\"https://idp.example.com/acme\","
                    "\"ssoUrl\":\"https://idp.example.com/sso\",\"associatedDomains\":[\"example.com\"]}"),
  R_GET(PROVIDER_ONE, "", .older = provider_older, .answer = &provider_shown, .op = "getIdentityProvider", .run = svc_verb_read),
  R_PATCH(PROVIDER_ONE, "", .older = provider_older, .answer = &provider_shown, .op = "updateIdentityProvider", .run = svc_verb_update),
  R_DELETE(PROVIDER_NEW, "/{identityProviderId}", .status = 204, .op = "deleteIdentityProvider", .run = svc_verb_delete),
  R_DELETE(PROVIDER_NEW, "/{identityProviderId}/jwks", .status = 204, .op = "revokeIdentityProviderJwks", .run = provider_revoke),
  R_GET(PROVIDER_LIST, "/{identityProviderId}/metadata.xml", .op = "getIdentityProviderMetadata", .run = provider_metadata,
        .ext = SVC_ROUTE_EXT(.media = "application/xml"))
};

/* -------------------------------------------------------------------------------------------------------------- showing */

static bool provider_downgrade(svc_call *c, svc_node *shown)
{
  static const char *const newer[] = { "audience", "authorizationType", "clientId", "groupsClaim", "requestedScopes", "userClaim" };
  size_t i;
  (void)c;
  for (i = 0; i < sizeof newer / sizeof newer[0]; i++) svc_node_drop(shown, newer[i]);
  return true;
}

/* The default of the query parameters: providers for people, by SAML. */
static bool provider_keep(svc_call *c, const svc_entity *e)
{
  return (svc_query_get(c, "protocol") || svc_json_is(e->body, "protocol", "SAML")) &&
         (svc_query_get(c, "idpType") || svc_json_is(e->body, "idpType", "WORKFORCE"));
}

static svc_str provider_spell(svc_call *c, svc_str key)
{
  svc_id id;
  return svc_provider_id(key, &id) ? svc_id_str(c->arena, &id) : key;
}

/* The URL to which the provider sends people back, and the name of the service at the provider. */
static svc_str provider_acs(svc_call *c, const svc_id *id)
{
  svc_str old = svc_provider_old_id(c, id);
  return svc_arena_print(c->arena, SVC_FMT "/sso/saml2/" SVC_FMT, SVC_ARG(c->s->base_url), SVC_ARG(old));
}
static svc_str provider_audience(svc_call *c, const svc_id *id)
{
  svc_str old = svc_provider_old_id(c, id);
  return svc_arena_print(c->arena, SVC_FMT "/saml2/service-provider/" SVC_FMT, SVC_ARG(c->s->base_url), SVC_ARG(old));
}

/* The organizations that use it. */
static svc_node *provider_orgs(svc_call *c, const svc_entity *e)
{
  svc_node *list = svc_node_array(c->arena, "associatedOrgs"), *body, *mapping;
  svc_entity connected;
  svc_scan scan;
  svc_below_begin(&scan, c->txn, SVC_CONNECTED_KIND, &e->parent);
  while (list && svc_below_next(&scan, SVC_CONNECTED_KIND, &connected)) {
    if ((body = svc_entity_body(c, &connected)) == NULL) return NULL;
    if (!svc_connected_names(body, &e->id)) continue;
    mapping = svc_node_get(body, "roleMappings");
    for (mapping = svc_node_first(mapping); mapping; mapping = mapping->next) svc_role_mapping_live(c, &connected.scope.org, mapping);
    svc_node_append(list, body);
  }
  return list;
}

static svc_node *provider_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *orgs = provider_orgs(c, e), *item;
  if (!body || !orgs) return NULL;
  svc_node_put(c->arena, body, orgs);
  if (!svc_node_is(body, "protocol", "SAML")) return body;
  svc_node_set_str(c->arena, body, "acsUrl", provider_acs(c, &e->id));
  svc_node_set_str(c->arena, body, "audienceUri", provider_audience(c, &e->id));
  item = svc_node_get(svc_node_get(body, "pemFileInfo"), "certificates");
  for (item = svc_node_first(item); item; item = item->next) svc_node_drop(item, "content");
  return body;
}

/* ------------------------------------------------------------------------------------------------------------- metadata */

static void provider_escape(svc_buf *b, svc_str text)
{
  for (; text.n; text.p++, text.n--) {
    switch (text.p[0]) {
    case '&': svc_buf_text(b, "&amp;"); break;
    case '<': svc_buf_text(b, "&lt;"); break;
    case '>': svc_buf_text(b, "&gt;"); break;
    case '"': svc_buf_text(b, "&quot;"); break;
    default: svc_buf_char(b, text.p[0]);
    }
  }
}

/* Refuses a provider of the other protocol. */
static bool provider_speaks(svc_call *c, const svc_entity *e, const char *protocol)
{
  svc_str id = svc_id_str(c->arena, &e->id);
  return svc_json_is(e->body, "protocol", protocol) || svc_fail(c, SVC_E_IDENTITY_PROVIDER_PROTOCOL_MISMATCH, "Ss", &id, protocol);
}

static bool provider_metadata(svc_call *c)
{
  svc_buf b = svc_buf_new(c->arena, 1024);
  svc_entity e;
  svc_str xml;
  bool stored;
  if (!svc_target(c, &e, &stored) || !provider_speaks(c, &e, "SAML")) return false;
  svc_buf_text(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"");
  provider_escape(&b, provider_audience(c, &e.id));
  svc_buf_text(&b, "\">\n"
                   "  <md:SPSSODescriptor AuthnRequestsSigned=\"false\" WantAssertionsSigned=\"true\""
                   " protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">\n"
                   "    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>\n"
                   "    <md:AssertionConsumerService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" Location=\"");
  provider_escape(&b, provider_acs(c, &e.id));
  svc_buf_text(&b, "\" index=\"0\" isDefault=\"true\"/>\n"
                   "  </md:SPSSODescriptor>\n"
                   "</md:EntityDescriptor>\n");
  xml = svc_buf_done(&b);
  return xml.n && !c->arena->failed ? svc_answer_bytes(c, xml) : svc_no_memory(c);
}

/* -------------------------------------------------------------------------------------------------------------- changes */

/* Revokes the provider's keys: tokens signed by them no longer count, and the keys are fetched again. The time is stored for
** programs that check tokens. A second revocation in the same second has no effect. */
static bool provider_revoke(svc_call *c)
{
  svc_node *body;
  svc_entity e;
  bool stored;
  char now[21];
  if (!svc_target(c, &e, &stored) || !provider_speaks(c, &e, "OIDC") || !svc_if_match_view(c, svc_entity_view(c, &e))) return false;
  svc_date_text(c->now, now);
  if (svc_str_is(e.extra, now)) return svc_answer_nothing(c);
  if ((body = svc_entity_body(c, &e)) == NULL) return false;
  svc_node_set_text(c->arena, body, "updatedAt", now);
  e.extra = svc_arena_copy(c->arena, svc_str_c(now));
  return svc_rewrite(c, &e, body) && svc_federation_tell(c, &e.parent, "IDENTITY_PROVIDER_JWKS_REVOKED") && svc_answer_nothing(c);
}

/* Writes the events for each organization of the federation. */
static bool provider_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  const char *event = "IDENTITY_PROVIDER_UPDATED";
  if (!change->before) event = "IDENTITY_PROVIDER_CREATED";
  else if (svc_change_differs(change, "status"))
    event = svc_json_is(e->body, "status", "ACTIVE") ? "IDENTITY_PROVIDER_ACTIVATED" : "IDENTITY_PROVIDER_DEACTIVATED";
  if (!svc_federation_tell(c, &e->parent, event)) return false;
  return !change->before || !svc_change_differs(change, "associatedDomains") || svc_federation_tell(c, &e->parent, "DOMAINS_ASSOCIATED");
}

static bool provider_removing(svc_call *c, const svc_entity *e)
{
  svc_node *used = provider_orgs(c, e);
  svc_str id = svc_id_str(c->arena, &e->id), org;
  if (!used) return svc_failed(c);
  if (!used->first) return true;
  org = svc_node_str(used->first, "orgId");
  return svc_fail(c, SVC_E_IDENTITY_PROVIDER_IN_USE, "SS", &id, &org);
}

static bool provider_gone(svc_call *c, const svc_entity *e)
{
  return svc_federation_tell(c, &e->parent, "IDENTITY_PROVIDER_DELETED");
}

SVC_PRIVATE const svc_noun svc_noun_identity_provider = {
  .name = "identity provider",
  .rel = "identityProvider",
  .kind = SVC_PROVIDER_KIND,
  .parent = "federation settings",
  .param = "identityProviderId",
  .flags = SVC_TEXT_BESIDE,
  .object = &provider_object,
  .unique = "displayName",
  .most = PROVIDER_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .err_not_found = SVC_E_IDENTITY_PROVIDER_NOT_FOUND,
  .err_exists = SVC_E_IDENTITY_PROVIDER_ALREADY_EXISTS,
  .routes = SVC_ROUTES(provider_routes),
  .prepare = svc_provider_prepare,
  .stored = provider_stored,
  .removing = provider_removing,
  .gone = provider_gone,
  .view = provider_view,
  .ext = SVC_NOUN_EXT(.spell = provider_spell)
};
