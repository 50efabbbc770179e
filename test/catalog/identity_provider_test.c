/*
** Identity providers: the fields of each protocol, certificates and states, unique values, keys, metadata.
*/
#include "catalog/federation_world.h"
#include "damaged.h"
#include "needs.h"

#define NEED_PROVIDERS "/federationSettings/{federationSettingsId}/identityProviders"

T_NEEDS(identity_provider) = {
  /* only OIDC has keys to revoke, and the provider stays */
  T_INSTEAD(SVC_DELETE, NEED_PROVIDERS "/{identityProviderId}/jwks", NEED_PROVIDERS,
            "{\"protocol\":\"OIDC\",\"displayName\":\"Acme\",\"issuerUri\":\"https://idp.example.com/acme\",\"audience\":\"acme\","
            "\"authorizationType\":\"USER\",\"clientId\":\"acme\"}"),
  T_CANCELS(NEED_PROVIDERS "/{identityProviderId}/jwks"),
  T_NEEDS_END
};

/* --------------------------------------------------------------------------------------------------------- certificates */

static int provider_random(void *context, void *buffer, size_t size)
{
  unsigned *seed = context;
  unsigned char *p = buffer;
  while (size--) *p++ = (unsigned char)((*seed = *seed * 1103515245u + 12345u) >> 16);
  return SVC_OK;
}

/* Returns a certificate that is valid between these days from now, as a JSON string. */
static const char *provider_pem(f_world *w, int64_t from, int64_t until)
{
  static unsigned seed = 7;
  const svc_x509_request request = { .subject = SVC_S("CN=idp"), .issuer = SVC_S("CN=idp"), .serial = { 1 },
                                     .from = w->t.now + from * 86400000, .until = w->t.now + until * 86400000,
                                     .random = provider_random, .random_context = &seed };
  svc_x509_pair pair;
  svc_arena arena;
  svc_buf b;
  const char *text;
  svc_arena_init(&arena, NULL);
  munit_assert_int(svc_x509_make(&arena, &request, &pair), ==, SVC_OK);
  b = svc_buf_new(&arena, 2048);
  svc_json_escape(&b, pair.certificate);
  text = t_keep(&w->t, svc_buf_done(&b).p);
  svc_blocks_free(arena.blocks);
  return text;
}

#define PEM(content) "{\"pemFileInfo\":{\"fileName\":\"idp.pem\",\"certificates\":[{\"content\":" content "}]}"

TEST(identity_provider, certificates)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("one", ""));
  f_is(&w, "status", "INACTIVE");
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"status\":\"ACTIVE\"}", "status"); /* without a certificate */
  f_bad_field(&w, "PATCH", F_IDPS "/%I", PEM("\"-----BEGIN CERTIFICATE-----\\nno\"") "}", "pemFileInfo.certificates[0].content");
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"pemFileInfo\":{\"certificates\":[{}]}}", "pemFileInfo.certificates[0].content");
  w.named['X'] = provider_pem(&w, -20, -10); /* expired */
  f_bad_field(&w, "PATCH", F_IDPS "/%I", PEM("%X") ",\"status\":\"ACTIVE\"}", "status");
  f_good(&w, "PATCH", F_IDPS "/%I", PEM("%X") "}", 200); /* an expired certificate can be stored */
  w.named['Y'] = provider_pem(&w, 5, 10); /* not yet valid */
  f_bad_field(&w, "PATCH", F_IDPS "/%I", PEM("%Y") ",\"status\":\"ACTIVE\"}", "status");
  w.named['Y'] = provider_pem(&w, -1, 9);
  f_bad_field(&w, "PATCH", F_IDPS "/%I",
              "{\"pemFileInfo\":{\"certificates\":[{\"content\":%Y,\"notAfter\":\"2030-01-01T00:00:00Z\"}]}}",
              "pemFileInfo.certificates[0].notAfter");
  f_good(&w, "PATCH", F_IDPS "/%I", PEM("%Y") ",\"status\":\"ACTIVE\"}", 200);
  f_is(&w, "status", "ACTIVE");
  f_is(&w, "pemFileInfo.fileName", "idp.pem");
  f_is(&w, "pemFileInfo.certificates[0].notBefore", "2025-05-31T00:00:00Z"); /* the certificate's own dates */
  f_is(&w, "pemFileInfo.certificates[0].notAfter", "2025-06-10T00:00:00Z");
  munit_assert_null(strstr(w.t.response.body, "BEGIN CERTIFICATE"));
  f_good(&w, "PATCH", F_IDPS "/%I", /* the shown dates are sent back with another file name */
         "{\"pemFileInfo\":{\"fileName\":\"b.pem\",\"certificates\":[{\"notAfter\":\"2025-06-10T00:00:00Z\",\"notBefore\":\"2025-05-31T00:00:00Z\"}]}}", 200);
  f_is(&w, "pemFileInfo.fileName", "b.pem");
  f_is(&w, "status", "ACTIVE");
  f_bad_field(&w, "PATCH", F_IDPS "/%I", /* dates that were not shown mean another certificate */
              "{\"pemFileInfo\":{\"certificates\":[{\"notAfter\":\"2025-06-11T00:00:00Z\",\"notBefore\":\"2025-05-31T00:00:00Z\"}]}}",
              "pemFileInfo.certificates[0].content");
  f_bad_field(&w, "PATCH", F_IDPS "/%I",
              "{\"pemFileInfo\":{\"certificates\":[{\"notAfter\":\"2025-06-10T00:00:00Z\",\"notBefore\":\"2025-05-30T00:00:00Z\"}]}}",
              "pemFileInfo.certificates[0].content");
  f_good(&w, "PATCH", F_IDPS "/%I", "{\"status\":\"INACTIVE\"}", 200);
  t_advance(&w.t, 20 * 86400);
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"status\":\"ACTIVE\"}", "status"); /* the certificate has expired by now */
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_ACTIVATED"), ==, 1);
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_DEACTIVATED"), ==, 1);
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_UPDATED"), ==, 2);
  f_good(&w, "GET", "/orgs/%A/federationSettings", NULL, 200);
  f_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- fields */

TEST(identity_provider, saml)
{
  f_world w;
  char expected[200];
  f_open(&w, NULL);
  f_bad_field(&w, "POST", F_IDPS, "{\"protocol\":\"SAML\",\"displayName\":\"a\",\"issuerUri\":\"urn:a\"}", "ssoUrl");
  f_bad_field(&w, "POST", F_IDPS, "{\"protocol\":\"SAML\",\"displayName\":\"a\",\"ssoUrl\":\"https://a.example.com\"}", "issuerUri");
  f_bad_field(&w, "POST", F_IDPS, "{\"protocol\":\"LDAP\"}", "protocol");
  f_bad_field(&w, "POST", F_IDPS, F_SAML("a", ",\"audience\":\"x\""), "audience"); /* a field of OIDC */
  f_bad_field(&w, "POST", F_IDPS, F_SAML("a", ",\"slug\":\"Not a slug\""), "slug");
  f_bad_field(&w, "POST", F_IDPS, F_SAML("a", ",\"requestBinding\":\"SOAP\""), "requestBinding");
  f_bad_field(&w, "POST", F_IDPS, F_SAML("a", ",\"associatedDomains\":[\"no domain\"]"), "associatedDomains[0]");
  f_bad_field(&w, "POST", F_IDPS, F_SAML("a", ",\"acsUrl\":\"https://elsewhere.example.com\""), "acsUrl");
  f_provider(&w, F_SAML("a", ",\"slug\":\"acme\""));
  f_is(&w, "protocol", "SAML");
  f_is(&w, "idpType", "WORKFORCE");
  f_is(&w, "requestBinding", "HTTP-POST");
  f_is(&w, "responseSignatureAlgorithm", "SHA-256");
  f_is(&w, "ssoDebugEnabled", "false");
  munit_assert_int(strncmp(w.named['I'], w.named['O'], 20), ==, 0);
  munit_assert_size(strlen(w.named['O']), ==, 20);
  snprintf(expected, sizeof expected, "http://localhost:8080/sso/saml2/%s", w.named['O']);
  f_is(&w, "acsUrl", expected);
  snprintf(expected, sizeof expected, "http://localhost:8080/saml2/service-provider/%s", w.named['O']);
  f_is(&w, "audienceUri", expected);
  f_good(&w, "GET", F_IDPS "/%O", NULL, 200); /* also by the older id */
  f_is(&w, "id", w.named['I']);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), w.named['I']));
  f_bad(&w, "GET", F_IDPS "/0123456789abcdef0123", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"protocol\":\"OIDC\"}", "protocol");
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"idpType\":\"WORKLOAD\"}", "idpType");
  f_good(&w, "PATCH", F_IDPS "/%O", "{\"displayName\":\"b\",\"slug\":null}", 200);
  f_is(&w, "displayName", "b");
  munit_assert_null(t_node(&w.t, "slug"));
  f_close(&w);
}

TEST(identity_provider, oidc)
{
  f_world w;
  f_open(&w, NULL);
  f_bad_field(&w, "POST", F_IDPS, "{}", "audience"); /* the default is OIDC for people */
  munit_assert_true(t_violation(&w.t, "clientId"));
  munit_assert_true(t_violation(&w.t, "displayName"));
  munit_assert_true(t_violation(&w.t, "issuerUri"));
  munit_assert_true(t_violation(&w.t, "authorizationType"));
  f_bad_field(&w, "POST", F_IDPS, F_OIDC("a", ",\"ssoUrl\":\"https://a.example.com\""), "ssoUrl"); /* a field of SAML */
  f_bad_field(&w, "POST", F_IDPS,
              "{\"displayName\":\"a\",\"issuerUri\":\"http://plain.example.com\",\"audience\":\"a\",\"authorizationType\":\"USER\",\"clientId\":\"c\"}",
              "issuerUri");
  f_bad_field(&w, "POST", F_IDPS,
              "{\"displayName\":\"a\",\"issuerUri\":\"https://a.example.com\",\"audience\":\"a\",\"authorizationType\":\"GROUP\",\"clientId\":\"c\"}",
              "groupsClaim");
  f_provider(&w, F_OIDC("a", ",\"requestedScopes\":[\"openid\"],\"description\":\"ours\""));
  f_is(&w, "idpType", "WORKFORCE");
  f_is(&w, "userClaim", "sub");
  f_is(&w, "requestedScopes[0]", "openid");
  munit_assert_null(t_node(&w.t, "acsUrl"));
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"authorizationType\":\"GROUP\"}", "groupsClaim");
  f_good(&w, "PATCH", F_IDPS "/%I", "{\"authorizationType\":\"GROUP\",\"groupsClaim\":\"groups\",\"description\":null}", 200);
  munit_assert_null(t_node(&w.t, "description"));
  f_bad_field(&w, "PATCH", F_IDPS "/%I", "{\"idpType\":\"WORKLOAD\"}", "idpType");

  f_bad_field(&w, "POST", F_IDPS, F_OIDC("b", ",\"idpType\":\"WORKLOAD\""), "clientId"); /* providers for programs have no clientId */
  f_bad_field(&w, "POST", F_IDPS,
              "{\"idpType\":\"WORKLOAD\",\"displayName\":\"b\",\"issuerUri\":\"https://b.example.com\",\"audience\":\"a\","
              "\"authorizationType\":\"USER\",\"associatedDomains\":[]}", "associatedDomains");
  f_provider(&w, "{\"idpType\":\"WORKLOAD\",\"displayName\":\"b\",\"issuerUri\":\"https://b.example.com\",\"audience\":\"a\","
                 "\"authorizationType\":\"USER\"}");
  f_is(&w, "protocol", "OIDC");
  f_close(&w);
}

/* By default the list has providers for people with SAML. */
TEST(identity_provider, lists)
{
  static const struct {
    const char *query;
    int64_t count;
  } lists[] = { { "", 1 }, { "?protocol=SAML", 1 }, { "?protocol=OIDC", 1 }, { "?protocol=OIDC&protocol=SAML", 2 },
                { "?protocol=OIDC&idpType=WORKLOAD", 1 }, { "?protocol=OIDC&idpType=WORKLOAD&idpType=WORKFORCE", 2 },
                { "?idpType=WORKLOAD", 0 }, { "?protocol=SAML&protocol=OIDC&idpType=WORKLOAD&idpType=WORKFORCE", 3 } };
  f_world w;
  char path[200];
  size_t i;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("a", ""));
  f_provider(&w, F_OIDC("b", ""));
  f_provider(&w, "{\"idpType\":\"WORKLOAD\",\"displayName\":\"c\",\"issuerUri\":\"https://c.example.com\",\"audience\":\"a\","
                 "\"authorizationType\":\"USER\"}");
  for (i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    snprintf(path, sizeof path, "%s%s", F_IDPS, lists[i].query);
    f_good(&w, "GET", path, NULL, 200);
    if (t_int(&w.t, "totalCount") != lists[i].count) munit_errorf("%s: %s", lists[i].query, w.t.response.body);
  }
  f_bad(&w, "GET", F_IDPS "?protocol=LDAP", NULL, 400, "INVALID_QUERY_PARAMETER");
  f_close(&w);
}

TEST(identity_provider, unique)
{
  f_world w;
  int i;
  char body[400];
  f_open(&w, NULL);
  f_provider(&w, F_SAML("a", ",\"slug\":\"acme\""));
  f_bad(&w, "POST", F_IDPS, F_OIDC("a", ""), 409, "IDENTITY_PROVIDER_ALREADY_EXISTS"); /* the name is unique across protocols */
  f_bad(&w, "POST", F_IDPS, "{\"protocol\":\"SAML\",\"displayName\":\"b\",\"issuerUri\":\"urn:a\",\"ssoUrl\":\"https://b.example.com\"}", 409,
        "IDENTITY_PROVIDER_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "urn:a");
  f_bad(&w, "POST", F_IDPS, F_SAML("b", ",\"slug\":\"acme\""), 409, "IDENTITY_PROVIDER_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "acme");
  f_good(&w, "POST", "/federationSettings/%H/identityProviders", F_SAML("a", ",\"slug\":\"acme\""), 201); /* another federation */
  f_provider(&w, F_OIDC("o", ""));
  f_bad(&w, "POST", F_IDPS, "{\"displayName\":\"p\",\"issuerUri\":\"https://idp.example.com/o\",\"audience\":\"a\",\"clientId\":\"c\","
        "\"authorizationType\":\"USER\"}", 409, "IDENTITY_PROVIDER_ALREADY_EXISTS");
  f_good(&w, "POST", F_IDPS, "{\"displayName\":\"p\",\"issuerUri\":\"https://idp.example.com/o\",\"audience\":\"b\",\"clientId\":\"c\","
         "\"authorizationType\":\"USER\"}", 201); /* the same issuer, for another audience */
  f_bad(&w, "PATCH", F_IDPS "/%I", "{\"audience\":\"b\"}", 409, "IDENTITY_PROVIDER_ALREADY_EXISTS");
  f_bad(&w, "PATCH", F_IDPS "/%I", "{\"displayName\":\"p\"}", 409, "IDENTITY_PROVIDER_ALREADY_EXISTS");
  for (i = 3; i < 20; i++) {
    snprintf(body, sizeof body, "{\"protocol\":\"SAML\",\"displayName\":\"n%d\",\"issuerUri\":\"urn:n%d\",\"ssoUrl\":\"https://n.example.com\"}", i, i);
    f_provider(&w, body);
    munit_assert_int(strncmp(w.named['I'], w.named['O'], 20), ==, 0);
  }
  f_bad(&w, "POST", F_IDPS, F_SAML("more", ""), 403, "TOO_MANY_RESOURCES");
  f_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------------ use */

TEST(identity_provider, use)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_provider(&w, F_SAML("a", ""));
  w.named['X'] = w.named['I'];
  munit_assert_size(t_count(&w.t, "associatedOrgs"), ==, 0);
  f_good(&w, "PATCH", F_CONN "/%B", "{\"identityProviderId\":\"%O\"}", 200);
  f_provider(&w, F_OIDC("b", ""));
  f_good(&w, "PATCH", F_CONN "/%A", "{\"dataAccessIdentityProviderIds\":[\"%I\"]}", 200);
  f_good(&w, "GET", F_IDPS "/%X", NULL, 200);
  munit_assert_size(t_count(&w.t, "associatedOrgs"), ==, 1);
  f_is(&w, "associatedOrgs[0].orgId", w.named['B']);
  f_good(&w, "GET", F_IDPS "/%I", NULL, 200);
  f_is(&w, "associatedOrgs[0].orgId", w.named['A']);
  munit_assert_not_null(t_node(&w.t, "associatedOrgs[0].domainAllowList"));
  munit_assert_not_null(t_node(&w.t, "associatedOrgs[0].roleMappings"));
  f_bad(&w, "DELETE", F_IDPS "/%X", NULL, 409, "IDENTITY_PROVIDER_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 0), w.named['X']);
  munit_assert_string_equal(t_param(&w.t, 1), w.named['B']);
  f_bad(&w, "DELETE", F_IDPS "/%I", NULL, 409, "IDENTITY_PROVIDER_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 1), w.named['A']);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"dataAccessIdentityProviderIds\":[]}", 200);
  f_good(&w, "DELETE", F_IDPS "/%I", NULL, 204);
  f_bad(&w, "GET", F_IDPS "/%I", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
  f_good(&w, "PATCH", F_IDPS "/%X", "{\"associatedDomains\":[\"example.com\"]}", 200);
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_CREATED"), ==, 2); /* all organizations of the federation get the event */
  munit_assert_int64(f_events(&w, 'B', "IDENTITY_PROVIDER_CREATED"), ==, 2);
  munit_assert_int64(f_events(&w, 'C', "IDENTITY_PROVIDER_CREATED"), ==, 0);
  munit_assert_int64(f_events(&w, 'B', "IDENTITY_PROVIDER_DELETED"), ==, 1);
  munit_assert_int64(f_events(&w, 'B', "IDENTITY_PROVIDER_UPDATED"), ==, 1);
  munit_assert_int64(f_events(&w, 'B', "DOMAINS_ASSOCIATED"), ==, 1);
  f_close(&w);
}

/* A damaged reference to a provider refers to no provider. */
TEST(identity_provider, damaged)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_OIDC("b", ""));
  f_good(&w, "PATCH", F_CONN "/%A", "{\"dataAccessIdentityProviderIds\":[\"%I\"]}", 200);
  damaged_body(&w.t, "connected organization", w.named['F'], NULL, w.named['I'], "x");
  f_good(&w, "GET", F_IDPS "/%I", NULL, 200);
  munit_assert_size(t_count(&w.t, "associatedOrgs"), ==, 0);
  f_good(&w, "DELETE", F_IDPS "/%I", NULL, 204);
  t_close(&w.t);
}

TEST(identity_provider, keys)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("a", ""));
  f_bad(&w, "DELETE", F_IDPS "/%I/jwks", NULL, 400, "IDENTITY_PROVIDER_PROTOCOL_MISMATCH");
  munit_assert_string_equal(t_param(&w.t, 1), "OIDC");
  f_provider(&w, F_OIDC("b", ""));
  t_advance(&w.t, 60);
  f_good(&w, "DELETE", F_IDPS "/%I/jwks", NULL, 204);
  f_good(&w, "DELETE", F_IDPS "/%I/jwks", NULL, 204); /* a second revocation within a second has no effect */
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_JWKS_REVOKED"), ==, 1);
  t_advance(&w.t, 60);
  f_good(&w, "DELETE", F_IDPS "/%O/jwks", NULL, 204);
  munit_assert_int64(f_events(&w, 'A', "IDENTITY_PROVIDER_JWKS_REVOKED"), ==, 2);
  f_good(&w, "GET", F_IDPS "/%I", NULL, 200);
  f_is(&w, "createdAt", "2025-06-01T00:00:00Z");
  f_is(&w, "updatedAt", "2025-06-01T00:02:00Z");
  f_good(&w, "PATCH", F_IDPS "/%I", "{\"displayName\":\"c\"}", 200);
  f_bad(&w, "DELETE", F_IDPS "/5f5f5f5f5f5f5f5f5f5f5f5f/jwks", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
  f_close(&w);
}

TEST(identity_provider, metadata)
{
  const svc_config config = { .limiter_off = 1, .base_url = "http://localhost:8080/a&b<c>" };
  f_world w;
  char expected[200];
  f_open(&w, &config);
  f_provider(&w, F_OIDC("b", ""));
  f_bad(&w, "GET", F_IDPS "/%O/metadata.xml", NULL, 400, "IDENTITY_PROVIDER_PROTOCOL_MISMATCH");
  munit_assert_string_equal(t_param(&w.t, 1), "SAML");
  f_provider(&w, F_SAML("a", ""));
  f_good(&w, "GET", F_IDPS "/%O/metadata.xml", NULL, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/xml");
  munit_assert_ptr_equal(strstr(w.t.response.body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<md:EntityDescriptor "), w.t.response.body);
  snprintf(expected, sizeof expected, " entityID=\"http://localhost:8080/a&amp;b&lt;c&gt;/saml2/service-provider/%s\">", w.named['O']);
  munit_assert_not_null(strstr(w.t.response.body, expected));
  snprintf(expected, sizeof expected, " Location=\"http://localhost:8080/a&amp;b&lt;c&gt;/sso/saml2/%s\" ", w.named['O']);
  munit_assert_not_null(strstr(w.t.response.body, expected));
  munit_assert_null(strstr(w.t.response.body, "a&b"));
  f_good(&w, "GET", F_IDPS "/%I/metadata.xml", NULL, 200);
  f_bad(&w, "GET", F_IDPS "/0123456789abcdef0123/metadata.xml", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
  f_close(&w);
}
