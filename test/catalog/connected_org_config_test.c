/*
** Connected organizations: how they join a federation and leave it, and their settings in it.
*/
#include "catalog/federation_world.h"
#include "world.h"

/* The last organization of a federation cannot be disconnected. Connects a third organization, which is not the organization of the
** tests' strangers. */
static bool connected_third(t_world *w, const svc_plan *plan)
{
  const char *federation = t_world_shown_there(w, plan->hops[0].noun);
  return federation && t_sendf(&w->t, "PATCH", "{}", "/federationSettings/%s/connectedOrgConfigs/%s", federation,
                               t_organization(&w->t, "Third")) == 200;
}

T_NEEDS(connected_org_config) = {
  T_COMES_ALONG("connected organization"),
  T_BEFORE(SVC_DELETE, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}", connected_third),
  T_NEEDS_END
};

TEST(connected_org_config, join)
{
  f_world w;
  f_open(&w, NULL);
  f_bad(&w, "PATCH", F_CONN "/5f5f5f5f5f5f5f5f5f5f5f5f", "{}", 404, "ORG_NOT_FOUND");
  f_bad(&w, "GET", F_CONN "/%B", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
  f_as(&w, "ORG_OWNER", 'A', 0); /* the caller must own B as well to connect it */
  f_bad(&w, "PATCH", F_CONN "/%B", "{}", 401, "USER_UNAUTHORIZED");
  w.t.grants[1] = (svc_grant){ "ORG_MEMBER", w.named['B'] };
  w.t.caller.grant_count = 2;
  f_bad(&w, "PATCH", F_CONN "/%B", "{}", 403, "ACCESS_FORBIDDEN");
  f_as(&w, "ORG_OWNER", 'A', 'B');
  f_bad_field(&w, "PATCH", F_CONN "/%B", "{\"orgId\":\"%A\"}", "orgId");
  f_bad_field(&w, "PATCH", F_CONN "/%B", "{\"domainAllowList\":[\"not a domain\"]}", "domainAllowList[0]");
  t_header(&w.t, "If-Match", "\"1\"");
  f_bad(&w, "PATCH", F_CONN "/%B", "{}", 412, "PRECONDITION_FAILED");
  t_headers_clear(&w.t);
  f_good(&w, "PATCH", F_CONN "/%B", "{\"orgId\":\"%B\",\"domainRestrictionEnabled\":true,\"domainAllowList\":[\"example.com\"]}", 200);
  f_is(&w, "orgId", w.named['B']);
  f_is(&w, "domainRestrictionEnabled", "true");
  f_is(&w, "domainAllowList[0]", "example.com");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), w.named['F']));
  f_good(&w, "GET", "/orgs/%B/federationSettings", NULL, 200);
  f_is(&w, "id", w.named['F']);
  /* B's own federation is deleted */
  f_bad(&w, "GET", "/federationSettings/%H/identityProviders", NULL, 404, "FEDERATION_SETTINGS_NOT_FOUND");
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_UPDATED"), ==, 1); /* both organizations get an event */
  munit_assert_int64(f_events(&w, 'B', "FEDERATION_SETTINGS_UPDATED"), ==, 1);
  f_as(&w, NULL, 0, 0);
  munit_assert_int64(f_events(&w, 'C', "FEDERATION_SETTINGS_UPDATED"), ==, 0);
  f_close(&w);
}

/* An organization is in one federation only. Connecting the organization to another federation moves it, and is refused if the
** present federation has other organizations or identity providers. */
TEST(connected_org_config, elsewhere)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "PATCH", F_CONN "/%C", "{}", 200);
  f_bad(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%C", "{}", 409, "ORG_ALREADY_FEDERATED");
  munit_assert_string_equal(t_param(&w.t, 0), w.named['C']);
  munit_assert_string_equal(t_param(&w.t, 1), w.named['F']);
  f_good(&w, "DELETE", F_CONN "/%C", NULL, 204);
  f_provider(&w, F_SAML("one", ""));
  f_bad(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%A", "{}", 409, "ORG_ALREADY_FEDERATED");
  f_good(&w, "DELETE", F_IDPS "/%I", NULL, 204);
  f_good(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%A", "{}", 200);
  f_good(&w, "PATCH", "/federationSettings/%H/connectedOrgConfigs/%C", "{}", 200);
  f_good(&w, "GET", "/federationSettings/%H/connectedOrgConfigs", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  f_close(&w);
}

TEST(connected_org_config, leave)
{
  f_world w;
  f_open(&w, NULL);
  f_bad(&w, "DELETE", F_CONN "/%A", NULL, 409, "LAST_CONNECTED_ORG");
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_good(&w, "POST", F_CONN "/%B/roleMappings", "{\"externalGroupName\":\"ops\",\"roleAssignments\":[]}", 201);
  f_as(&w, "ORG_OWNER", 'A', 0); /* an owner of the other organization */
  f_bad(&w, "DELETE", F_CONN "/%B", NULL, 401, "USER_UNAUTHORIZED");
  f_as(&w, "ORG_OWNER", 'B', 0);
  f_good(&w, "DELETE", F_CONN "/%B", NULL, 204);
  munit_assert_int64(f_events(&w, 'B', "FEDERATION_SETTINGS_CREATED"), ==, 1);
  f_as(&w, NULL, 0, 0);
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_UPDATED"), ==, 2);
  f_bad(&w, "DELETE", F_CONN "/%B", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
  f_federation(&w, 'H', w.named['B']);
  f_is(&w, "hasRoleMappings", "false"); /* B's new federation has none of B's former settings */
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200); /* the organization can be connected again */
  munit_assert_size(t_count(&w.t, "roleMappings"), ==, 0);
  f_close(&w);
}

/* All owners in the federation see an organization's settings there. Only its own owners change them. */
TEST(connected_org_config, own)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  w.t.grants[0] = (svc_grant){ "ORG_OWNER", w.named['A'] };
  w.t.grants[1] = (svc_grant){ "ORG_MEMBER", w.named['B'] };
  w.t.caller.grant_count = 2;
  f_good(&w, "GET", F_CONN "/%B", NULL, 200);
  f_bad(&w, "PATCH", F_CONN "/%B", "{\"postAuthRoleGrants\":[\"ORG_OWNER\"]}", 403, "ACCESS_FORBIDDEN");
  f_bad(&w, "DELETE", F_CONN "/%B", NULL, 403, "ACCESS_FORBIDDEN");
  f_bad(&w, "POST", F_CONN "/%B/roleMappings",
        "{\"externalGroupName\":\"x\",\"roleAssignments\":[{\"orgId\":\"%B\",\"role\":\"ORG_OWNER\"}]}", 403, "ACCESS_FORBIDDEN");
  f_good(&w, "PATCH", F_CONN "/%A", "{\"postAuthRoleGrants\":[\"ORG_MEMBER\"]}", 200);
  f_as(&w, "ORG_OWNER", 'B', 0);
  f_good(&w, "PATCH", F_CONN "/%B", "{\"postAuthRoleGrants\":[\"ORG_READ_ONLY\"]}", 200);
  munit_assert_int64(f_events(&w, 'B', "FEDERATION_SETTINGS_UPDATED"), ==, 2); /* the event is in B's log, not in A's */
  f_as(&w, NULL, 0, 0);
  munit_assert_int64(f_events(&w, 'A', "FEDERATION_SETTINGS_UPDATED"), ==, 2);
  f_close(&w);
}

/* A request for an organization outside of the federation, or for an invalid id, answers 404. The request takes a token from the
** caller's own bucket and none from the buckets of the organizations. */
TEST(connected_org_config, limited)
{
  static const svc_config limited = { .limiter_buckets = 64 };
  f_world w;
  f_open(&w, &limited);
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "498"); /* f_open() has taken the first token of A's bucket */
  f_bad(&w, "GET", F_CONN "/%C", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "499"); /* the caller's own bucket */
  f_bad(&w, "GET", F_CONN "/xyz", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "498"); /* the same bucket */
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "497");
  f_good(&w, "PATCH", F_CONN "/%C", "{}", 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "497"); /* C is still outside when the token is taken */
  f_good(&w, "GET", F_CONN "/%C", NULL, 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "499"); /* the first token of C's bucket */
  f_close(&w);
}

TEST(connected_org_config, fields)
{
  f_world w;
  f_open(&w, NULL);
  f_provider(&w, F_OIDC("oidc", ""));
  w.named['X'] = w.named['I'];
  w.named['Y'] = w.named['O'];
  f_provider(&w, F_SAML("saml", ""));
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":\"%Y\"}", "identityProviderId"); /* an OIDC provider */
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":\"%I\"}", "identityProviderId"); /* the provider's id, not its older id */
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":\"0123456789abcdef0123\"}", "identityProviderId");
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"dataAccessIdentityProviderIds\":[\"%X\",\"%I\"]}", "dataAccessIdentityProviderIds[1]");
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"dataAccessIdentityProviderIds\":[\"%X\",\"%X\"]}", "dataAccessIdentityProviderIds[1]");
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"postAuthRoleGrants\":[\"GROUP_OWNER\"]}", "postAuthRoleGrants[0]");
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"userConflicts\":[{\"firstName\":\"x\"}]}", "userConflicts[0].emailAddress");
  f_good(&w, "PATCH", F_CONN "/%A",
         "{\"identityProviderId\":\"%O\",\"dataAccessIdentityProviderIds\":[\"%X\"],\"instantUserProvisioningDisabled\":true,"
         "\"postAuthRoleGrants\":[\"ORG_MEMBER\"]}", 200);
  f_is(&w, "identityProviderId", w.named['O']);
  f_is(&w, "dataAccessIdentityProviderIds[0]", w.named['X']);
  f_is(&w, "instantUserProvisioningDisabled", "true");
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainRestrictionEnabled\":true}", 200); /* the other fields stay */
  f_is(&w, "identityProviderId", w.named['O']);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"identityProviderId\":null}", 200);
  munit_assert_null(t_node(&w.t, "identityProviderId"));
  f_close(&w);
}

/* userConflicts lists the members with addresses of domains that are not allowed. */
TEST(connected_org_config, conflicts)
{
  f_world w;
  char roles[128];
  f_open(&w, NULL);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", w.named['A']);
  t_user(&w.t, "in@Example.com", roles);
  w.named['U'] = t_user(&w.t, "out@elsewhere.com", roles);
  f_good(&w, "POST", "/orgs/%A/invites", "{\"username\":\"new@elsewhere.com\",\"roles\":[\"ORG_MEMBER\"]}", 201); /* only invited */
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, 0);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainRestrictionEnabled\":true,\"domainAllowList\":[\"example.com\"]}", 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, 1);
  f_is(&w, "userConflicts[0].emailAddress", "out@elsewhere.com");
  f_is(&w, "userConflicts[0].userId", w.named['U']);
  f_is(&w, "userConflicts[0].federationSettingsId", w.named['F']);
  f_is(&w, "userConflicts[0].lastName", "Byron");
  /* a domain of the same length is not enough */
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainAllowList\":[\"example.com\",\"elsewhere.org\",\"elsewherf.com\"]}", 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, 1);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainAllowList\":[\"example.com\",\"ELSEWHERE.com\"]}", 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, 0);
  f_close(&w);
}

/* At most 500 members are checked for conflicts, and at most 100 conflicts are shown. */
TEST(connected_org_config, conflicts_most)
{
  enum { LOOKED_AT = 500, SHOWN = 100, OUTSIDE = 30, MORE = 10 };
  char roles[128], name[64];
  f_world w;
  int i;
  f_open(&w, NULL);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", w.named['A']);
  for (i = 0; i < LOOKED_AT + MORE; i++) { /* the last 30 members have another domain */
    snprintf(name, sizeof name, "p%d@%s.com", i, i < LOOKED_AT + MORE - OUTSIDE ? "example" : "elsewhere");
    t_user(&w.t, name, roles);
  }
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainRestrictionEnabled\":true,\"domainAllowList\":[\"example.com\"]}", 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, OUTSIDE - MORE);
  f_good(&w, "PATCH", F_CONN "/%A", "{\"domainAllowList\":[\"elsewhere.com\"]}", 200);
  munit_assert_size(t_count(&w.t, "userConflicts"), ==, SHOWN);
  f_close(&w);
}

/* A federation has at most 32 organizations. An owner of the last organization may read the settings, too. */
TEST(connected_org_config, most)
{
  f_world w;
  int i;
  char name[16];
  f_open(&w, NULL);
  for (i = 1; i < 32; i++) {
    snprintf(name, sizeof name, "N%d", i);
    w.named['N'] = t_organization(&w.t, name);
    f_good(&w, "PATCH", F_CONN "/%N", "{}", 200);
  }
  f_bad(&w, "PATCH", F_CONN "/%B", "{}", 403, "TOO_MANY_RESOURCES");
  f_bad(&w, "POST", "/orgs", "{\"name\":\"more\",\"federationSettingsId\":\"%F\"}", 403, "TOO_MANY_RESOURCES");
  f_as(&w, "ORG_OWNER", 'N', 0);
  f_good(&w, "GET", F_CONN, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 32);
  f_close(&w);
}
