/*
** Encryption at rest: keys at three providers, complete or refused; secrets that are never shown nor stored in plain
** text; the clusters that use the keys; and private endpoints to them.
**
** Tests also: encryption_at_rest_endpoint
*/
#include "catalog/backup_world.h"
#include "driver.h"
#include "needs.h"

#define NEED_KEYS "/groups/{groupId}/encryptionAtRest"
#define NEED_ENDPOINTS NEED_KEYS "/{cloudProvider}/privateEndpoints"

T_NEEDS(encryption_at_rest) = {
  /* private endpoints need enabled keys */
  T_FIRST(SVC_POST, NEED_ENDPOINTS, SVC_PATCH, NEED_KEYS, NULL),
  T_FIRST(SVC_GET, NEED_ENDPOINTS "/{endpointId}", SVC_PATCH, NEED_KEYS, NULL),
  T_FIRST(SVC_DELETE, NEED_ENDPOINTS "/{endpointId}", SVC_PATCH, NEED_KEYS, NULL),
  T_REFERENCE("encryption at rest", "awsKms.roleId", SVC_PATCH, NEED_KEYS,
              "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"k\",\"region\":\"US_EAST_1\",\"roleId\":\"%V\"}}", T_ROLE_AWS, NULL),
  T_REFERENCE("encryption at rest", "azureKeyVault.roleId", SVC_PATCH, NEED_KEYS,
              "{\"azureKeyVault\":{\"enabled\":true,\"keyIdentifier\":\"https://v.vault.example.net/keys/k/1\",\"keyVaultName\":\"v\","
              "\"resourceGroupName\":\"g\",\"subscriptionID\":\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d51\",\"roleId\":\"%V\"}}", T_ROLE_AZURE, NULL),
  T_REFERENCE("encryption at rest", "googleCloudKms.roleId", SVC_PATCH, NEED_KEYS,
              "{\"googleCloudKms\":{\"enabled\":true,\"keyVersionResourceID\":\"projects/p/locations/l/keyRings/r/cryptoKeys/k/"
              "cryptoKeyVersions/1\",\"roleId\":\"%V\"}}", T_ROLE_GCP, NULL),
  T_NEEDS_END
};

#define KEYS "/groups/%G/encryptionAtRest"
#define ACCESS "\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\",\"secretAccessKey\":\"aws-secret-of-some-length\""
#define AWS_KEY "\"enabled\":true,\"customerMasterKeyID\":\"1111-2222\",\"region\":\"US_EAST_1\""
#define AWS(how) "{\"awsKms\":{" AWS_KEY "," how "}}"
#define UUID(last) "\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5" last "\""
#define AZURE_KEY \
  "\"enabled\":true,\"keyIdentifier\":\"https://v.vault.example.net/keys/k/1\",\"keyVaultName\":\"v\",\"resourceGroupName\":\"g\"," \
  "\"subscriptionID\":" UUID("1")
#define AZURE_LOGIN "\"clientID\":" UUID("2") ",\"tenantID\":" UUID("3") ",\"secret\":\"azure-secret-of-some-length\""
#define AZURE(how) "{\"azureKeyVault\":{" AZURE_KEY "," how "}}"
#define GOOGLE_KEY "\"enabled\":true,\"keyVersionResourceID\":\"projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1\""
#define GOOGLE(how) "{\"googleCloudKms\":{" GOOGLE_KEY "," how "}}"
#define ROLE "\"roleId\":\"%R\""
#define OFF(member) "{\"" member "\":{\"enabled\":false}}"
#define ENCRYPTED(name, provider) B_CLUSTER(name, ",\"encryptionAtRestProvider\":\"" provider "\"")

static const struct {
  const char *member, *provider, *body, *by_role, *other, *cluster;
} providers[] = {
  { "awsKms", "AWS", AWS(ACCESS), AWS(ROLE), "GCP", ENCRYPTED("AWS", "AWS") },
  { "azureKeyVault", "AZURE", AZURE(AZURE_LOGIN), AZURE(ROLE), "AWS", ENCRYPTED("AZURE", "AZURE") },
  { "googleCloudKms", "GCP", GOOGLE("\"serviceAccountKey\":\"google-secret-of-some-length\""), GOOGLE(ROLE), "AZURE", ENCRYPTED("GCP", "GCP") },
};

static void is(b_world *w, const char *member, const char *field, const char *value)
{
  char path[64];
  snprintf(path, sizeof path, "%s.%s", member, field);
  munit_assert_string_equal(t_str(&w->t, path), value);
}

static void disable(b_world *w, const char *member, int status)
{
  char body[64];
  snprintf(body, sizeof body, OFF("%s"), member);
  if (status == 200) b_good(w, "PATCH", KEYS, body, 200);
  else b_bad(w, "PATCH", KEYS, body, status, "ENCRYPTION_AT_REST_IN_USE");
}

/* Each provider is enabled with credentials, used by a cluster, disabled, and enabled with a role. When the provider is disabled again,
** the role can be deleted. */
TEST(encryption_at_rest, providers)
{
  char path[128];
  b_world w;
  size_t i;
  b_open(&w, NULL);
  b_good(&w, "GET", KEYS, NULL, 200);
  for (i = 0; i < sizeof providers / sizeof providers[0]; i++) is(&w, providers[i].member, "enabled", "false");
  for (i = 0; i < sizeof providers / sizeof providers[0]; i++) {
    b_bad_field(&w, "POST", "/groups/%G/clusters", providers[i].cluster, "encryptionAtRestProvider");
    b_good(&w, "PATCH", KEYS, providers[i].body, 200);
    is(&w, providers[i].member, "valid", "true");
    munit_assert_null(strstr(w.t.response.body, "of-some-length"));
    b_good(&w, "GET", KEYS, NULL, 200);
    munit_assert_null(strstr(w.t.response.body, "of-some-length"));
    b_good(&w, "POST", "/groups/%G/clusters", providers[i].cluster, 201);
    t_advance(&w.t, 10);
    disable(&w, providers[i].member, 409);
    munit_assert_string_equal(t_param(&w.t, 1), providers[i].provider); /* the cluster, which has the name of its provider */
    snprintf(path, sizeof path, "/groups/%%G/clusters/%s", providers[i].provider);
    b_good(&w, "PATCH", path, "{\"encryptionAtRestProvider\":\"NONE\"}", 200);
    disable(&w, providers[i].member, 200);
    b_bad_field(&w, "PATCH", path, providers[i].cluster, "encryptionAtRestProvider");
    b_role(&w, providers[i].other);
    b_bad(&w, "PATCH", KEYS, providers[i].by_role, 400, "CANNOT_ASSUME_ROLE");
    b_role(&w, providers[i].provider);
    b_good(&w, "PATCH", KEYS, providers[i].by_role, 200);
    is(&w, providers[i].member, "roleId", w.role);
    is(&w, providers[i].member, "valid", "true");
    b_good(&w, "GET", "/groups/%G/cloudProviderAccess/%R", NULL, 200);
    b_is(&w, "featureUsages[0].featureType", "ENCRYPTION_AT_REST");
    snprintf(path, sizeof path, "/groups/%%G/cloudProviderAccess/%s/%%R", providers[i].provider);
    b_bad(&w, "DELETE", path, NULL, 409, "CLOUD_PROVIDER_ACCESS_ROLE_IN_USE");
    munit_assert_not_null(strstr(t_str(&w.t, "detail"), "encryption at rest"));
    disable(&w, providers[i].member, 200);
    b_good(&w, "DELETE", path, NULL, 204);
  }
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_CONFIGURATION_UPDATED"), ==, 12);
  store_whole(w.t.s);
  b_close(&w);
}

TEST(encryption_at_rest, rules)
{
  static const struct {
    const char *field, *body;
  } bad[] = {
    { "awsKms.customerMasterKeyID", "{\"awsKms\":{\"enabled\":true,\"region\":\"US_EAST_1\"," ACCESS "}}" },
    { "awsKms.region", "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"1\"," ACCESS "}}" },
    { "awsKms.region", "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"1\",\"region\":\"EUROPE_WEST\"," ACCESS "}}" },
    { "awsKms.accessKeyID", AWS("\"secretAccessKey\":\"s\"") },
    { "awsKms.secretAccessKey", AWS("\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"") },
    { "awsKms.accessKeyID", AWS("\"requirePrivateNetworking\":true") },
    { "awsKms.accessKeyID", AWS("\"accessKeyID\":\"short\",\"secretAccessKey\":\"s\"") },
    { "awsKms.accessKeyID", AWS(ROLE "," ACCESS) },
    { "awsKms.secretAccessKey", AWS(ROLE "," ACCESS) },
    { "awsKms.valid", AWS(ACCESS ",\"valid\":true") },
    { "awsKms.customerMasterKeyID", "{\"awsKms\":{\"customerMasterKeyID\":\"1\"}}" },
    { "awsKms.secretAccessKey", "{\"awsKms\":{\"enabled\":false,\"secretAccessKey\":\"s\"}}" },
    { "awsKms.requirePrivateNetworking", "{\"awsKms\":{\"requirePrivateNetworking\":true}}" },
    { "azureKeyVault.keyIdentifier", "{\"azureKeyVault\":{\"enabled\":true," ROLE "}}" },
    { "azureKeyVault.keyVaultName", "{\"azureKeyVault\":{\"enabled\":true," ROLE "}}" },
    { "azureKeyVault.resourceGroupName", "{\"azureKeyVault\":{\"enabled\":true," ROLE "}}" },
    { "azureKeyVault.subscriptionID", "{\"azureKeyVault\":{\"enabled\":true," ROLE "}}" },
    { "azureKeyVault.subscriptionID", "{\"azureKeyVault\":{\"enabled\":true,\"subscriptionID\":\"no uuid\"," ROLE "}}" },
    { "azureKeyVault.clientID", AZURE("\"tenantID\":" UUID("3") ",\"secret\":\"s\"") },
    { "azureKeyVault.tenantID", AZURE("\"clientID\":" UUID("3") ",\"secret\":\"s\"") },
    { "azureKeyVault.secret", AZURE("\"clientID\":" UUID("3") ",\"tenantID\":" UUID("3")) },
    { "azureKeyVault.secret", AZURE(ROLE ",\"secret\":\"s\"") },
    { "azureKeyVault.azureEnvironment", AZURE(ROLE ",\"azureEnvironment\":\"MOON\"") },
    { "googleCloudKms.keyVersionResourceID", "{\"googleCloudKms\":{\"enabled\":true,\"serviceAccountKey\":\"k\"}}" },
    { "googleCloudKms.serviceAccountKey", "{\"googleCloudKms\":{" GOOGLE_KEY "}}" },
    { "googleCloudKms.requirePrivateNetworking", GOOGLE("\"serviceAccountKey\":\"k\",\"requirePrivateNetworking\":true") },
    { "enabledForSearchNodes", "{\"enabledForSearchNodes\":true}" },
  };
  b_world w;
  size_t i;
  b_open(&w, NULL);
  b_role(&w, "AWS");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) b_bad_field(&w, "PATCH", KEYS, bad[i].body, bad[i].field);
  w.role = "0123456789abcdef01234567";
  b_bad(&w, "PATCH", KEYS, AWS(ROLE), 400, "CANNOT_ASSUME_ROLE");
  b_good(&w, "PATCH", KEYS, AWS(ACCESS), 200);
  b_good(&w, "PATCH", KEYS, "{\"enabledForSearchNodes\":true}", 200);
  b_bad_field(&w, "PATCH", KEYS, OFF("awsKms"), "enabledForSearchNodes");
  b_good(&w, "PATCH", KEYS, "{\"enabledForSearchNodes\":false,\"awsKms\":{\"enabled\":false}}", 200);
  munit_assert_string_equal(t_str(&w.t, "awsKms.accessKeyID"), "");
  b_close(&w);
}

/* A role replaces credentials, and credentials replace a role. Stored values need not be sent again. */
TEST(encryption_at_rest, ways)
{
  b_world w;
  const char *first;
  b_open(&w, NULL);
  b_role(&w, "AWS");
  b_good(&w, "PATCH", KEYS, AWS(ACCESS), 200);
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"region\":\"EU_WEST_1\"}}", 200);
  b_is(&w, "awsKms.accessKeyID", "AKIAIOSFODNN7EXAMPLE");
  b_is(&w, "awsKms.valid", "true");
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{" ROLE ",\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"}}", 200);
  munit_assert_null(t_node(&w.t, "awsKms.accessKeyID"));
  /* the stored secret was deleted */
  b_bad_field(&w, "PATCH", KEYS, "{\"awsKms\":{\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"}}", "awsKms.secretAccessKey");
  first = w.role;
  b_role(&w, "AWS");
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{" ROLE "}}", 200); /* another role replaces the first */
  b_is(&w, "awsKms.roleId", w.role);
  munit_assert_string_not_equal(w.role, first);
  b_bad_field(&w, "PATCH", KEYS, "{\"awsKms\":{\"roleId\":\"0123456789abcdef01234567\"," ACCESS "}}", "awsKms.accessKeyID");
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{" ACCESS "}}", 200);
  munit_assert_null(t_node(&w.t, "awsKms.roleId"));
  b_good(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 204);
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"enabled\":false,\"region\":\"EU_WEST_1\",\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"}}", 200);
  munit_assert_null(t_node(&w.t, "awsKms.region")); /* a disabled provider keeps no values */
  b_bad_field(&w, "PATCH", KEYS, "{\"awsKms\":{" AWS_KEY ",\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"}}", "awsKms.secretAccessKey");
  b_close(&w);
}

/* The files of the store contain no plain secrets. */
TEST(encryption_at_rest, sealed)
{
  static char all[1 << 22];
  char folder[128], file[160];
  svc_config config = { .limiter_off = 1 };
  b_world w;
  size_t i, n;
  FILE *f;
  store_folder(folder);
  config.path = folder;
  b_open(&w, &config);
  for (i = 0; i < sizeof providers / sizeof providers[0]; i++) b_good(&w, "PATCH", KEYS, providers[i].body, 200);
  b_close(&w);
  if (!T_ON_LMDB) goto done; /* no file to search; secrets_test.c searches the records */
  snprintf(file, sizeof file, "%s/data.mdb", folder);
  f = fopen(file, "rb");
  munit_assert_not_null(f);
  n = fread(all, 1, sizeof all, f);
  fclose(f);
  munit_assert_size(n, >, 4096);
  munit_assert_not_null(memmem(all, n, "customerMasterKeyID", 19));
  munit_assert_null(memmem(all, n, "of-some-length", 14));
done:
  store_remove(folder);
}

/* ---------------------------------------------------------------------------------------------------------------- search */

TEST(encryption_at_rest, search)
{
#define SEARCH "{\"specs\":[{\"instanceSize\":\"S20_HIGHCPU_NVME\",\"nodeCount\":2}]}"
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "PATCH", KEYS, AWS(ACCESS), 200);
  b_good(&w, "POST", "/groups/%G/clusters", ENCRYPTED("C", "AWS"), 201);
  t_advance(&w.t, 10);
  b_good(&w, "POST", "%C/search/deployment", SEARCH, 201);
  b_is(&w, "encryptionAtRestProvider", "NONE");
  t_advance(&w.t, 60);
  b_good(&w, "DELETE", "%C/search/deployment", NULL, 204);
  t_advance(&w.t, 60);
  b_good(&w, "PATCH", KEYS, "{\"enabledForSearchNodes\":true}", 200);
  b_good(&w, "POST", "%C/search/deployment", SEARCH, 201);
  b_is(&w, "encryptionAtRestProvider", "AWS");
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- endpoints */

#define WAYS KEYS "/AWS/privateEndpoints"
#define WAYS_AZURE KEYS "/AZURE/privateEndpoints"
#define NEAR "{\"regionName\":\"US_EAST_1\"}"

TEST(encryption_at_rest, endpoints)
{
  b_world w;
  b_open(&w, NULL);
  b_bad(&w, "POST", WAYS, NEAR, 409, "ENCRYPTION_AT_REST_NOT_PRIVATE");
  b_good(&w, "PATCH", KEYS, AWS(ACCESS), 200);
  b_bad(&w, "POST", WAYS, NEAR, 409, "ENCRYPTION_AT_REST_NOT_PRIVATE");
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"requirePrivateNetworking\":true}}", 200);
  b_bad(&w, "POST", WAYS_AZURE, "{\"regionName\":\"US_EAST\"}", 409, "ENCRYPTION_AT_REST_NOT_PRIVATE");
  b_bad_field(&w, "POST", WAYS, "{\"regionName\":\"EUROPE_WEST\"}", "regionName");
  b_bad_field(&w, "POST", WAYS, "{\"regionName\":\"ATLANTIS\"}", "regionName");
  b_bad_field(&w, "POST", WAYS, "{}", "regionName");
  b_bad(&w, "POST", KEYS "/GCP/privateEndpoints", NEAR, 400, "INVALID_PATH_PARAMETER");
  b_good(&w, "POST", WAYS, NEAR, 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_is(&w, "status", "INITIATING");
  b_is(&w, "cloudProvider", "AWS");
  b_bad(&w, "POST", WAYS, NEAR, 409, "PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION");
  t_advance(&w.t, 3);
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "PENDING_ACCEPTANCE");
  /* the connection has a name before it is accepted */
  munit_assert_int(strncmp(t_str(&w.t, "privateEndpointConnectionName"), "vpce-", 5), ==, 0);
  t_advance(&w.t, 3);
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "ACTIVE");
  b_bad(&w, "GET", WAYS_AZURE "/%J", NULL, 404, "PRIVATELINK_NOT_FOUND");
  b_good(&w, "GET", WAYS_AZURE, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  /* both providers have a region US_EAST_2 */
  b_good(&w, "PATCH", KEYS, AZURE(AZURE_LOGIN ",\"requirePrivateNetworking\":true"), 200);
  b_good(&w, "POST", WAYS, "{\"regionName\":\"US_EAST_2\"}", 202);
  b_good(&w, "POST", WAYS_AZURE, "{\"regionName\":\"US_EAST_2\"}", 202);
  b_good(&w, "GET", WAYS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_CREATED"), ==, 3);
  b_close(&w);
}

/* An endpoint that a cluster needs cannot be deleted. A provider with remaining endpoints cannot be disabled. */
TEST(encryption_at_rest, needed)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "PATCH", KEYS, AWS(ACCESS ",\"requirePrivateNetworking\":true"), 200);
  b_good(&w, "POST", WAYS, "{\"regionName\":\"EU_WEST_1\"}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  b_good(&w, "POST", WAYS, NEAR, 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  b_good(&w, "POST", "/groups/%G/clusters", ENCRYPTED("C", "AWS"), 201);
  t_advance(&w.t, 10);
  b_bad(&w, "DELETE", WAYS "/%J", NULL, 409, "ENCRYPTION_AT_REST_ENDPOINT_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 1), "C");
  b_good(&w, "DELETE", WAYS "/%S", NULL, 204); /* no cluster is in EU_WEST_1 */
  b_good(&w, "GET", WAYS "/%S", NULL, 200);
  b_is(&w, "status", "DELETING");
  b_bad(&w, "DELETE", WAYS "/%S", NULL, 404, "PRIVATELINK_NOT_FOUND");
  t_advance(&w.t, 10);
  b_bad(&w, "GET", WAYS "/%S", NULL, 404, "PRIVATELINK_NOT_FOUND");
  b_good(&w, "PATCH", "%C", "{\"encryptionAtRestProvider\":\"NONE\"}", 200);
  b_bad(&w, "PATCH", KEYS, OFF("awsKms"), 409, "ENCRYPTION_AT_REST_HAS_PRIVATE_ENDPOINTS");
  munit_assert_string_equal(t_param(&w.t, 1), "US_EAST_1");
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", "%C", "{\"encryptionAtRestProvider\":\"AWS\"}", 200);
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"requirePrivateNetworking\":false}}", 200); /* the keys can be reached without endpoints now */
  b_good(&w, "DELETE", WAYS "/%J", NULL, 204);
  t_advance(&w.t, 10);
  b_bad(&w, "PATCH", KEYS, OFF("awsKms"), 409, "ENCRYPTION_AT_REST_IN_USE");
  b_good(&w, "DELETE", "%C", NULL, 202);
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", KEYS, OFF("awsKms"), 200);
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_DELETED"), ==, 2);
  store_whole(w.t.s);
  b_close(&w);
}

/* Uses and endpoints of one provider do not affect another provider, although names of providers have the same length and regions the
** same name. */
TEST(encryption_at_rest, apart)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "PATCH", KEYS, AWS(ACCESS ",\"requirePrivateNetworking\":true"), 200);
  b_good(&w, "PATCH", KEYS, AZURE(AZURE_LOGIN ",\"requirePrivateNetworking\":true"), 200);
  b_good(&w, "PATCH", KEYS, GOOGLE("\"serviceAccountKey\":\"google-secret-of-some-length\""), 200);
  b_good(&w, "POST", "/groups/%G/clusters",
         "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"encryptionAtRestProvider\":\"AWS\",\"replicationSpecs\":[{\"regionConfigs\":[{"
         "\"providerName\":\"AZURE\",\"regionName\":\"US_EAST_2\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{"
         "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}", 201);
  b_good(&w, "POST", WAYS, NEAR, 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_good(&w, "POST", WAYS, "{\"regionName\":\"US_EAST_2\"}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", KEYS, OFF("googleCloudKms"), 200);
  b_bad(&w, "DELETE", WAYS "/%J", NULL, 409, "ENCRYPTION_AT_REST_ENDPOINT_IN_USE");
  b_good(&w, "DELETE", WAYS "/%S", NULL, 204); /* the cluster's region of that name is at Azure */
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", KEYS, OFF("azureKeyVault"), 200); /* the remaining endpoint is at AWS */
  b_bad(&w, "PATCH", KEYS, OFF("awsKms"), 409, "ENCRYPTION_AT_REST_IN_USE");
  store_whole(w.t.s);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------ the driver */

TEST(encryption_at_rest, driven)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  d.with_secrets = true;
  b_open(&w, &config);
  b_good(&w, "PATCH", KEYS, AWS(ACCESS), 200);
  b_is(&w, "awsKms.valid", "false"); /* not yet checked by the driver */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_null(strstr(t_driver_order(&d, "")->desired, "of-some-length"));
  munit_assert_not_null(strstr(t_driver_order(&d, "")->secrets, "\"secretAccessKey\":\"aws-secret-of-some-length\""));
  t_driver_finish(&d, w.t.s, "encryption.put", SVC_OK, "{\"awsKms\":{\"valid\":true},\"googleCloudKms\":{\"valid\":true}}");
  b_good(&w, "GET", KEYS, NULL, 200);
  b_is(&w, "awsKms.valid", "true");
  b_is(&w, "googleCloudKms.valid", "false"); /* the provider is not enabled */
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_SUCCEEDED"), ==, 1);
  b_good(&w, "PATCH", KEYS, GOOGLE("\"serviceAccountKey\":\"google-secret-of-some-length\""), 200);
  b_is(&w, "awsKms.valid", "true"); /* unchanged */
  t_driver_finish(&d, w.t.s, "encryption.put", SVC_OK, "{\"googleCloudKms\":{\"valid\":false}}");
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_FAILED"), ==, 1);
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"region\":\"EU_WEST_1\"}}", 200);
  b_is(&w, "awsKms.valid", "false");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  /* the secrets stay after the facts were stored */
  munit_assert_not_null(strstr(t_driver_order(&d, "")->secrets, "aws-secret-of-some-length"));
  munit_assert_not_null(strstr(t_driver_order(&d, "")->secrets, "google-secret-of-some-length"));
  /* a single invalid key is enough for the event */
  t_driver_finish(&d, w.t.s, "encryption.put", SVC_OK, "{\"awsKms\":{\"valid\":false},\"googleCloudKms\":{\"valid\":true}}");
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_FAILED"), ==, 2);
  munit_assert_int64(b_events(&w, "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_SUCCEEDED"), ==, 1);
  b_good(&w, "PATCH", KEYS, "{\"awsKms\":{\"region\":\"EU_WEST_2\"}}", 200);
  t_driver_finish(&d, w.t.s, "encryption.put", SVC_IO, "{\"reason\":\"no network\"}");
  b_good(&w, "GET", KEYS, NULL, 200);
  b_is(&w, "awsKms.valid", "false");
  b_close(&w);
}

TEST(encryption_at_rest, recreated)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  b_open(&w, &config);
  b_good(&w, "PATCH", KEYS, AWS(ACCESS ",\"requirePrivateNetworking\":true"), 200);
  t_driver_finish(&d, w.t.s, "encryption.put", SVC_OK, NULL);
  b_good(&w, "POST", WAYS, NEAR, 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_null(t_node(&w.t, "privateEndpointConnectionName"));
  t_driver_finish(&d, w.t.s, "encryption_endpoint.create", SVC_OK, "{\"privateEndpointConnectionName\":\"vpce-1\"}");
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "PENDING_ACCEPTANCE");
  b_is(&w, "privateEndpointConnectionName", "vpce-1");
  t_driver_finish(&d, w.t.s, "encryption_endpoint.accept", SVC_IO, "{\"state\":\"PENDING_RECREATION\",\"reason\":\"it was removed\"}");
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "PENDING_RECREATION");
  b_is(&w, "errorMessage", "it was removed");
  t_advance(&w.t, 10);
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "INITIATING");
  t_driver_finish(&d, w.t.s, "encryption_endpoint.create", SVC_IO, "{\"reason\":\"again\"}");
  b_good(&w, "GET", WAYS "/%J", NULL, 200);
  b_is(&w, "status", "FAILED");
  b_good(&w, "DELETE", WAYS "/%J", NULL, 204);
  t_driver_finish(&d, w.t.s, "encryption_endpoint.delete", SVC_OK, NULL);
  b_bad(&w, "GET", WAYS "/%J", NULL, 404, "PRIVATELINK_NOT_FOUND");
  b_close(&w);
}
