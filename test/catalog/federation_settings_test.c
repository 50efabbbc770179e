/*
** Federation settings: every organization is in one federation. Other organizations can neither see nor change
** anything in it.
*/
#include "catalog/federation_world.h"
#include "catalog/operations_list.h"
#include "needs.h"

T_NEEDS(federation_settings) = {
  T_COMES_ALONG("federation settings"),
  T_NEEDS_END
};

/* Each organization has an empty federation from the start, without an event. */
TEST(federation_settings, begin)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "GET", "/orgs/%A/federationSettings", NULL, 200);
  munit_assert_string_not_equal(w.named['F'], w.named['H']);
  f_is(&w, "hasRoleMappings", "false");
  munit_assert_size(t_count(&w.t, "federatedDomains"), ==, 0);
  munit_assert_null(t_node(&w.t, "identityProviderId"));
  munit_assert_null(t_node(&w.t, "identityProviderStatus"));
  munit_assert_not_null(strstr(t_link(&w.t, "connectedOrgConfigs"), w.named['F']));
  munit_assert_not_null(strstr(t_link(&w.t, "identityProviders"), w.named['F']));
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_CREATED"), ==, 0);
  f_good(&w, "GET", F_CONN, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  f_is(&w, "results[0].orgId", w.named['A']);
  f_is(&w, "results[0].domainRestrictionEnabled", "false");
  f_close(&w);
}

/* The settings show the identity providers, and the settings of the organization in the federation. */
TEST(federation_settings, shown)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_OIDC("one", ",\"associatedDomains\":[\"a.example.com\",\"b.example.com\"]"));
  f_provider(&w, F_SAML("two", ",\"associatedDomains\":[\"b.example.com\",\"c.example.com\"]"));
  f_good(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":\"%O\"}", 200);
  f_good(&w, "POST", F_CONN "/%A/roleMappings", "{\"externalGroupName\":\"ops\",\"roleAssignments\":[]}", 201);
  f_good(&w, "GET", "/orgs/%A/federationSettings", NULL, 200);
  munit_assert_size(t_count(&w.t, "federatedDomains"), ==, 3);
  f_is(&w, "hasRoleMappings", "true");
  f_is(&w, "identityProviderId", w.named['O']);
  f_is(&w, "identityProviderStatus", "INACTIVE");
  f_good(&w, "GET", "/orgs/%B/federationSettings", NULL, 200);
  munit_assert_size(t_count(&w.t, "federatedDomains"), ==, 0);
  f_close(&w);
}

TEST(federation_settings, delete)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("one", ""));
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_bad(&w, "DELETE", F_FED, NULL, 409, "FEDERATION_HAS_CONNECTED_ORGS");
  f_good(&w, "DELETE", F_CONN "/%B", NULL, 204);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":\"%O\"}", 200);
  f_bad(&w, "DELETE", F_FED, NULL, 409, "FEDERATION_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 0), w.named['A']);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":null}", 200);
  f_good(&w, "DELETE", F_FED, NULL, 204);
  f_bad(&w, "DELETE", F_FED, NULL, 404, "FEDERATION_SETTINGS_NOT_FOUND");
  f_bad(&w, "GET", F_IDPS "/%I", NULL, 404, "FEDERATION_SETTINGS_NOT_FOUND");
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_DELETED"), ==, 1);
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_CREATED"), ==, 1);
  w.named['X'] = w.named['F'];
  f_federation(&w, 'F', w.named['A']); /* a new and empty federation */
  munit_assert_string_not_equal(w.named['X'], w.named['F']);
  f_good(&w, "GET", F_IDPS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  f_close(&w);
}

/* A federation is deleted with its last organization, not before. */
TEST(federation_settings, organization_gone)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("one", ""));
  f_good(&w, "PATCH", F_CONN "/%C", "{\"identityProviderId\":\"%O\"}", 200);
  f_bad(&w, "DELETE", F_IDPS "/%I", NULL, 409, "IDENTITY_PROVIDER_IN_USE");
  f_good(&w, "DELETE", "/orgs/%C", NULL, 204);
  f_good(&w, "GET", F_CONN, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  f_good(&w, "DELETE", "/groups/%G", NULL, 202);
  f_good(&w, "DELETE", "/orgs/%A", NULL, 204);
  f_bad(&w, "GET", F_IDPS, NULL, 404, "FEDERATION_SETTINGS_NOT_FOUND");
  f_good(&w, "GET", "/federationSettings/%H/identityProviders", NULL, 200); /* the federation of B stays */
  f_close(&w);
}

/* An owner of an organization in a federation may create further organizations in it. */
TEST(federation_settings, new_organization)
{
  f_world w;
  f_open(&w, NULL);
  f_bad(&w, "POST", "/orgs", "{\"name\":\"D\",\"federationSettingsId\":\"5f0000000000000000000001\"}", 404, "FEDERATION_SETTINGS_NOT_FOUND");
  f_as(&w, "ORG_OWNER", 'B', 0);
  f_bad(&w, "POST", "/orgs", "{\"name\":\"D\",\"federationSettingsId\":\"%F\"}", 401, "USER_UNAUTHORIZED");
  f_as(&w, "ORG_MEMBER", 'A', 0);
  f_bad(&w, "POST", "/orgs", "{\"name\":\"D\",\"federationSettingsId\":\"%F\"}", 403, "ACCESS_FORBIDDEN");
  f_as(&w, "ORG_OWNER", 'A', 0);
  f_good(&w, "POST", "/orgs", "{\"name\":\"D\",\"federationSettingsId\":\"%F\"}", 201);
  f_is(&w, "federationSettingsId", w.named['F']);
  f_keep(&w, 'D', "organization.id");
  f_as(&w, NULL, 0, 0);
  f_good(&w, "GET", "/orgs/%D/federationSettings", NULL, 200);
  f_is(&w, "id", w.named['F']);
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_UPDATED"), ==, 1);
  f_close(&w);
}

/* Every operation, called by the owner of an unconnected organization, shows nothing and changes nothing. */
static const struct {
  const char *method, *path, *body;
} settings_all[] = {
  { "GET", F_CONN, NULL },
  { "GET", F_CONN "/%A", NULL },
  { "PATCH", F_CONN "/%A", "{\"domainRestrictionEnabled\":true}" },
  { "PATCH", F_CONN "/%B", "{}" }, /* B's owner alone cannot connect B */
  { "DELETE", F_CONN "/%A", NULL },
  { "GET", F_CONN "/%A/roleMappings", NULL },
  { "POST", F_CONN "/%A/roleMappings", "{\"externalGroupName\":\"x\",\"roleAssignments\":[{\"orgId\":\"%A\",\"role\":\"ORG_OWNER\"}]}" },
  { "GET", F_CONN "/%A/roleMappings/%M", NULL },
  { "PUT", F_CONN "/%A/roleMappings/%M", "{\"externalGroupName\":\"x\",\"roleAssignments\":[]}" },
  { "DELETE", F_CONN "/%A/roleMappings/%M", NULL },
  { "GET", "/orgs/%A/federationSettings", NULL },
  { "DELETE", F_FED, NULL },
  { "GET", F_IDPS, NULL },
  { "POST", F_IDPS, F_SAML("mine", "") },
  { "GET", F_IDPS "/%I", NULL },
  { "GET", F_IDPS "/%O", NULL },
  { "PATCH", F_IDPS "/%I", "{\"displayName\":\"mine\"}" },
  { "DELETE", F_IDPS "/%I", NULL },
  { "DELETE", F_IDPS "/%I/jwks", NULL },
  { "GET", F_IDPS "/%O/metadata.xml", NULL },
};

/* Whether the path of a row is a path of this operation. */
static bool settings_path_is(const char *path, const char *of)
{
  while (*path && *of) {
    if (path[0] == '%' && of[0] == '{') {
      path += 2;
      of = strchr(of, '}') + 1;
    } else if (*path++ != *of++) {
      return false;
    }
  }
  return *path == *of;
}

/* Checks that every operation on federations has a row. */
static void settings_complete(void)
{
  const size_t rows = sizeof settings_all / sizeof settings_all[0];
  size_t i, k;
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    const operations_row *op = &operations_list[i];
    if (!strstr(op->path, "/federationSettings")) continue;
    for (k = 0; k < rows && (strcmp(settings_all[k].method, op->method) != 0 || !settings_path_is(settings_all[k].path, op->path));) k++;
    if (k == rows) munit_errorf("no row for %s %s", op->method, op->path);
  }
}

TEST(federation_settings, strangers)
{
  static const svc_config configs[2] = { { .limiter_off = 1 }, { .limiter_off = 1, .conceal = 1 } };
  f_world w;
  size_t i, conceal;
  settings_complete();
  for (conceal = 0; conceal < 2; conceal++) {
    f_open(&w, &configs[conceal]);
    f_provider(&w, F_SAML("one", ""));
    f_good(&w, "POST", F_CONN "/%A/roleMappings", "{\"externalGroupName\":\"ops\",\"roleAssignments\":[]}", 201);
    f_keep(&w, 'M', "id");
    for (i = 0; i < sizeof settings_all / sizeof settings_all[0]; i++) {
      const bool org = strncmp(settings_all[i].path, "/orgs", 5) == 0;
      f_as(&w, "ORG_OWNER", 'B', 'C');
      f_bad(&w, settings_all[i].method, settings_all[i].path, settings_all[i].body, conceal ? 404 : 401,
            !conceal ? "USER_UNAUTHORIZED" : org ? "ORG_NOT_FOUND" : "FEDERATION_SETTINGS_NOT_FOUND");
      f_as(&w, "GROUP_OWNER", 'G', 0); /* a role on a project of A is not enough */
      f_bad(&w, settings_all[i].method, settings_all[i].path, settings_all[i].body, conceal && !org ? 404 : org ? 403 : 401,
            org ? "ACCESS_FORBIDDEN" : conceal ? "FEDERATION_SETTINGS_NOT_FOUND" : "USER_UNAUTHORIZED");
    }
    /* the path of B's federation does not reach resources of A's */
    f_as(&w, "ORG_OWNER", 'B', 'C');
    f_bad(&w, "GET", "/federationSettings/%H/identityProviders/%I", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
    f_bad(&w, "PATCH", "/federationSettings/%H/identityProviders/%O", "{\"displayName\":\"mine\"}", 404, "IDENTITY_PROVIDER_NOT_FOUND");
    f_bad(&w, "DELETE", "/federationSettings/%H/identityProviders/%I", NULL, 404, "IDENTITY_PROVIDER_NOT_FOUND");
    f_bad(&w, "GET", "/federationSettings/%H/connectedOrgConfigs/%A", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
    f_bad(&w, "GET", "/federationSettings/%H/connectedOrgConfigs/%A/roleMappings/%M", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
    f_bad(&w, "GET", "/federationSettings/%H/connectedOrgConfigs/%B/roleMappings/%M", NULL, 404, "ROLE_MAPPING_NOT_FOUND");
    f_bad(&w, "DELETE", "/federationSettings/%H/connectedOrgConfigs/%A", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
    f_bad_field(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%B", "{\"identityProviderId\":\"%O\"}", "identityProviderId");
    f_bad(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%A", "{}", conceal ? 404 : 401,
          conceal ? "ORG_NOT_FOUND" : "USER_UNAUTHORIZED"); /* only an owner of A can move A to another federation */
    f_close(&w);
  }
}

/* The owner of a disconnected organization no longer has access. */
TEST(federation_settings, left)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_SAML("one", ""));
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_as(&w, "ORG_OWNER", 'B', 0);
  f_good(&w, "GET", F_IDPS "/%I", NULL, 200);
  f_good(&w, "DELETE", F_CONN "/%B", NULL, 204);
  f_bad(&w, "GET", F_IDPS "/%I", NULL, 401, "USER_UNAUTHORIZED");
  f_bad(&w, "GET", F_CONN, NULL, 401, "USER_UNAUTHORIZED");
  f_good(&w, "GET", "/orgs/%B/federationSettings", NULL, 200);
  munit_assert_string_not_equal(t_str(&w.t, "id"), w.named['F']);
  f_close(&w);
}
