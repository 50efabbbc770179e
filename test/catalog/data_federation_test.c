/*
** Data federation: the states of instances, the checks of their storage, roles, host names, private endpoints, limits and
** query logs.
**
** Tests also: data_federation_endpoint, data_federation_limit
*/
#include "catalog/backup_world.h"
#include "driver.h"
#include "needs.h"

#define NEED_LIMIT "/groups/{groupId}/dataFederation/{tenantName}/limits/{limitName}"
#define NEED_TENANTS "/groups/{groupId}/dataFederation"

T_NEEDS(data_federation) = {
  /* a limit exists only after it was set */
  T_FIRST(SVC_GET, NEED_LIMIT, SVC_PATCH, NEED_LIMIT, "{\"value\":5}"),
  T_FIRST(SVC_PATCH, NEED_LIMIT, SVC_PATCH, NEED_LIMIT, "{\"value\":5}"),
  T_FIRST(SVC_DELETE, NEED_LIMIT, SVC_PATCH, NEED_LIMIT, "{\"value\":5}"),
  T_PATCH_MAKES(NEED_LIMIT),
  T_KEY(NEED_LIMIT, "limitName", "bytesProcessed.query"),
  T_TARGET("data federation", NEED_TENANTS, "{\"name\":\"Lake\",\"storage\":{\"stores\":[]}}", NULL, "name", "/groups/%G/dataFederation/%V"),
  T_REFERENCE("data federation", "cloudProviderConfig.aws.roleId", SVC_POST, NEED_TENANTS, NULL, 0, NULL),
  T_REFERENCE("data federation", "cloudProviderConfig.azure.roleId", SVC_POST, NEED_TENANTS,
              "{\"name\":\"Ref\",\"cloudProviderConfig\":{\"azure\":{\"roleId\":\"%V\"}},\"storage\":{\"stores\":[]}}", T_ROLE_AZURE, NULL),
  T_REFERENCE("data federation", "cloudProviderConfig.gcp.roleId", SVC_POST, NEED_TENANTS,
              "{\"name\":\"Ref\",\"cloudProviderConfig\":{\"gcp\":{\"roleId\":\"%V\"}},\"storage\":{\"stores\":[]}}", T_ROLE_GCP, NULL),
  T_REFERENCE("data federation", "storage.stores[].clusterName", SVC_POST, NEED_TENANTS,
              "{\"name\":\"Ref\",\"storage\":{\"stores\":[{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"%V\"}]}}", 0, NULL),
  T_NEEDS_END
};

#define TENANTS "/groups/%G/dataFederation"
#define TENANT TENANTS "/Fed"
#define CHANGE TENANT "?skipRoleValidation=false"
#define ENDPOINTS "/groups/%G/privateNetworkSettings/endpointIds"
#define AWS_ROLE "\"cloudProviderConfig\":{\"aws\":{\"roleId\":\"%R\",\"testS3Bucket\":\"acme-data\"}}"
#define S3 "{\"name\":\"lake\",\"provider\":\"s3\",\"bucket\":\"acme-data\"}"
#define STORES(stores) "{\"name\":\"Fed\",\"storage\":{\"stores\":[" stores "]}}"
#define SOURCE(store, source) SOURCES("shop", "orders", store, source)
#define SOURCES(database, collection, store, source) \
  "{\"name\":\"Fed\",\"storage\":{\"stores\":[" store "],\"databases\":[{\"name\":\"" database "\",\"collections\":[{\"name\":\"" collection \
  "\",\"dataSources\":[" source "]}]}]}}"
#define VIEWS(views) \
  "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"shop\",\"collections\":[{\"name\":\"orders\"}],\"views\":[" views "]}]}}"
#define ANY_COLLECTION \
  "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"shop\",\"collections\":[{\"name\":\"*\"}],\"views\":[{\"name\":\"new\",\"source\":\"any\"," \
  "\"pipeline\":\"[]\"}]}]}}"
#define AT "storage.databases[0].collections[0].dataSources[0]."
#define CLUSTER_STORE "{\"name\":\"live\",\"provider\":\"svc\",\"clusterName\":\"C\"}"
#define SITE "{\"name\":\"site\",\"provider\":\"http\"}"
#define TAGS "{\"name\":\"a\",\"value\":\"b\"},{\"name\":\"a\",\"value\":\"b\"},"
#define DATASETS "{\"name\":\"sets\",\"provider\":\"dls:aws\",\"region\":\"US_EAST_1\"}"

static void make(b_world *w, const char *body)
{
  b_good(w, "POST", TENANTS, body, 202);
}

static void unmake(b_world *w)
{
  b_good(w, "DELETE", TENANT, NULL, 202);
  t_advance(&w->t, 10);
}

/* ---------------------------------------------------------------------------------------------------------------- states */

TEST(data_federation, states)
{
  b_world w;
  b_open(&w, NULL);
  make(&w, "{\"name\":\"Fed\"}");
  b_is(&w, "state", "UNVERIFIED");
  munit_assert_not_null(strstr(t_str(&w.t, "hostnames[0]"), "fed-"));
  munit_assert_not_null(strstr(t_str(&w.t, "hostnames[0]"), ".db.local"));
  munit_assert_size(t_count(&w.t, "privateEndpointHostnames"), ==, 0);
  b_bad(&w, "POST", TENANTS, "{\"name\":\"Fed\"}", 409, "DATA_FEDERATION_TENANT_ALREADY_EXISTS");
  t_advance(&w.t, 10);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  b_bad(&w, "PATCH", TENANT, "{}", 400, "MISSING_QUERY_PARAMETER");
  b_good(&w, "PATCH", CHANGE, "{}", 200);
  b_is(&w, "state", "ACTIVE"); /* nothing has changed */
  b_good(&w, "PATCH", CHANGE, "{\"dataProcessRegion\":{\"cloudProvider\":\"AZURE\",\"region\":\"AMSTERDAM_NLD\"}}", 200);
  b_is(&w, "state", "UNVERIFIED");
  b_bad_field(&w, "PATCH", CHANGE, "{\"name\":\"Other\"}", "name");
  t_advance(&w.t, 10);
  b_bad(&w, "DELETE", "/groups/%G", NULL, 409, "CANNOT_CLOSE_GROUP_ACTIVE_DATA_LAKES");
  b_good(&w, "DELETE", TENANT, NULL, 202);
  munit_assert_string_equal(w.t.response.body, "{}");
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "DELETED");
  b_bad(&w, "DELETE", TENANT, NULL, 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  b_bad(&w, "PATCH", CHANGE, "{\"dataProcessRegion\":null}", 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  b_bad(&w, "PATCH", TENANT "/limits/bytesProcessed.query", "{\"value\":1}", 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  t_advance(&w.t, 10);
  b_bad(&w, "GET", TENANT, NULL, 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  munit_assert_string_equal(t_param(&w.t, 0), "Fed");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  munit_assert_int64(b_events(&w, "FEDERATED_DATABASE_CREATED"), ==, 1);
  munit_assert_int64(b_events(&w, "FEDERATED_DATABASE_UPDATED"), ==, 2); /* the change, and the request to delete */
  munit_assert_int64(b_events(&w, "FEDERATED_DATABASE_REMOVED"), ==, 1);
  b_good(&w, "DELETE", "/groups/%G", NULL, 202);
  b_close(&w);
}

TEST(data_federation, list)
{
  char body[64];
  b_world w;
  int i;
  b_open(&w, NULL);
  b_good(&w, "POST", TENANTS, "{\"name\":\"A-name-that-has-sixty-four-characters-is-too-long-for-one-label-\"}", 202);
  munit_assert_size(strcspn(t_str(&w.t, "hostnames[0]"), "."), ==, 63); /* the maximum length of a DNS label */
  b_good(&w, "DELETE", TENANTS "/A-name-that-has-sixty-four-characters-is-too-long-for-one-label-", NULL, 202);
  t_advance(&w.t, 10);
  for (i = 0; i < 25; i++) {
    snprintf(body, sizeof body, "{\"name\":\"F-%d\"}", i);
    make(&w, body);
  }
  b_bad(&w, "POST", TENANTS, "{\"name\":\"F-25\"}", 403, "TOO_MANY_RESOURCES");
  b_good(&w, "GET", TENANTS, NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 25);
  b_good(&w, "GET", TENANTS "?type=USER", NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 25);
  b_good(&w, "GET", TENANTS "?type=ONLINE_ARCHIVE", NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  b_bad(&w, "GET", TENANTS "?type=OTHER", NULL, 400, "INVALID_QUERY_PARAMETER");
  b_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- roles */

TEST(data_federation, roles)
{
  static const struct {
    const char *provider, *other, *config, *shown;
  } rows[] = {
    { "AZURE", "GCP", "azure", "cloudProviderConfig.azure.tenantId" },
    { "GCP", "AZURE", "gcp", "cloudProviderConfig.gcp.gcpServiceAccount" },
  };
  char body[256];
  b_world w;
  size_t i;
  b_open(&w, NULL);
  w.role = "0123456789abcdef01234567";
  b_bad(&w, "POST", TENANTS, "{\"name\":\"Fed\"," AWS_ROLE "}", 400, "CANNOT_ASSUME_ROLE");
  b_bad(&w, "POST", TENANTS "?skipRoleValidation=true", "{\"name\":\"Fed\"," AWS_ROLE "}", 400, "CANNOT_ASSUME_ROLE");
  b_role(&w, "AZURE");
  b_bad(&w, "POST", TENANTS "?skipRoleValidation=true", "{\"name\":\"Fed\"," AWS_ROLE "}", 400, "CANNOT_ASSUME_ROLE");
  b_role(&w, "AWS");
  b_bad_field(&w, "POST", TENANTS, "{\"name\":\"Fed\",\"cloudProviderConfig\":{\"aws\":{\"roleId\":\"%R\"}}}", "cloudProviderConfig.aws.testS3Bucket");
  make(&w, "{\"name\":\"Fed\"," AWS_ROLE "}");
  munit_assert_null(t_node(&w.t, "cloudProviderConfig.aws.testS3Bucket"));
  b_is(&w, "cloudProviderConfig.aws.iamAssumedRoleARN", "arn:aws:iam::123456789012:role/svc");
  munit_assert_size(strlen(t_str(&w.t, "cloudProviderConfig.aws.externalId")), ==, 36);
  b_good(&w, "GET", "/groups/%G/cloudProviderAccess/%R", NULL, 200);
  b_is(&w, "featureUsages[0].featureType", "SVC_DATA_LAKE");
  b_bad(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 409, "CLOUD_PROVIDER_ACCESS_ROLE_IN_USE");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "data federation Fed"));
  /* a new ARN of the role is shown */
  b_good(&w, "PATCH", "/groups/%G/cloudProviderAccess/%R",
         "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/new\"}", 200);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "cloudProviderConfig.aws.iamAssumedRoleARN", "arn:aws:iam::123456789012:role/new");
  b_good(&w, "PATCH", CHANGE, "{\"cloudProviderConfig\":null}", 200);
  b_good(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 204);
  unmake(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(body, sizeof body, "{\"name\":\"Fed\",\"cloudProviderConfig\":{\"%s\":{\"roleId\":\"%%R\"}}}", rows[i].config);
    b_role(&w, rows[i].other);
    b_bad(&w, "POST", TENANTS, body, 400, "CANNOT_ASSUME_ROLE");
    b_role(&w, rows[i].provider);
    make(&w, body);
    munit_assert_size(strlen(t_str(&w.t, rows[i].shown)), >, 10);
    unmake(&w);
  }
  store_whole(w.t.s);
  b_close(&w);
}

/* An instance that needs a role stays UNVERIFIED until it has a usable role. */
TEST(data_federation, unverified)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", "/groups/%G/cloudProviderAccess", "{\"providerName\":\"AWS\"}", 201);
  w.role = t_keep(&w.t, t_str(&w.t, "roleId"));
  b_bad(&w, "POST", TENANTS, "{\"name\":\"Fed\"," AWS_ROLE "}", 400, "CANNOT_ASSUME_ROLE");
  b_good(&w, "POST", TENANTS "?skipRoleValidation=true", "{\"name\":\"Fed\"," AWS_ROLE "}", 202);
  t_advance(&w.t, 1000);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "UNVERIFIED");
  b_good(&w, "PATCH", "/groups/%G/cloudProviderAccess/%R",
         "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/svc\"}", 200);
  b_good(&w, "PATCH", CHANGE, "{" AWS_ROLE ",\"storage\":{\"stores\":[" S3 "]}}", 200);
  t_advance(&w.t, 10);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  unmake(&w);
  make(&w, STORES(S3)); /* without a role */
  t_advance(&w.t, 1000);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "UNVERIFIED");
  b_good(&w, "PATCH", CHANGE, "{\"storage\":{\"stores\":[{\"name\":\"lake\",\"provider\":\"s3\",\"bucket\":\"open\",\"public\":true}]}}", 200);
  t_advance(&w.t, 10);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  unmake(&w);
  b_role(&w, "AZURE"); /* a usable role at another provider is not enough */
  make(&w, "{\"name\":\"Fed\",\"cloudProviderConfig\":{\"azure\":{\"roleId\":\"%R\"}},\"storage\":{\"stores\":[" S3 "]}}");
  t_advance(&w.t, 1000);
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "UNVERIFIED");
  b_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- storage */

TEST(data_federation, good_storage)
{
  static const char *const bodies[] = {
    STORES("{\"name\":\"a\",\"provider\":\"azure\",\"containerName\":\"c\",\"serviceURL\":\"https://a.blob.example.net\",\"region\":\"US_EAST\"}"),
    STORES("{\"name\":\"a\",\"provider\":\"gcs\",\"bucket\":\"b\",\"region\":\"CENTRAL_US\"}"),
    STORES("{\"name\":\"a\",\"provider\":\"dls:azure\",\"region\":\"US_EAST\"},{\"name\":\"b\",\"provider\":\"dls:gcp\",\"region\":\"CENTRAL_US\"}"),
    SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a/*\",\"defaultFormat\":\".json\",\"collection\":\"\",\"urls\":[],\"trimLevel\":0}"),
    SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\",\"collection\":\"c\"}"),
    SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"databaseRegex\":\"^d\",\"collectionRegex\":\"^c\"}"),
    SOURCES("*", "*", CLUSTER_STORE, "{\"storeName\":\"live\"}"),
    SOURCE(SITE, "{\"storeName\":\"site\",\"urls\":[\"https://data.example.com/a.json\"],\"allowInsecure\":true}"),
    SOURCE(DATASETS, "{\"storeName\":\"sets\",\"datasetPrefix\":\"p\",\"trimLevel\":2}"),
    STORES("{\"name\":\"live\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readConcern\":{\"level\":\"LOCAL\"},\"readPreference\":{\"mode\":"
           "\"nearest\",\"tagSets\":[[{\"name\":\"a\",\"value\":\"b\"}],[]]}}"),
    VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$match\\\":{\\\"a\\\":1}},{\\\"$sort\\\":{\\\"b\\\":1}}]\"},"
          "{\"name\":\"newer\",\"source\":\"new\",\"pipeline\":\"[]\"}"),
    /* the store's own URLs */
    SOURCE("{\"name\":\"site\",\"provider\":\"http\",\"urls\":[\"https://data.example.com/a.json\"]}", "{\"storeName\":\"site\"}"),
    ANY_COLLECTION, /* a view of any collection */
  };
  b_world w;
  size_t i;
  b_open_cluster(&w, NULL, NULL);
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    make(&w, bodies[i]);
    unmake(&w);
  }
  make(&w, SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\",\"collection\":\"c\"}"));
  b_is(&w, "storage.stores[0].projectId", w.group);
  b_is(&w, "storage.databases[0].maxWildcardCollections", "100");
  b_bad(&w, "DELETE", "%C", NULL, 409, "CLUSTER_IN_USE_BY_FEDERATED_DATABASES");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "data federation Fed"));
  unmake(&w);
  b_good(&w, "DELETE", "%C", NULL, 202);
  store_whole(w.t.s);
  b_close(&w);
}

static const struct {
  const char *field, *body;
} bad_storage[] = {
  /* stores of each provider, without their required fields */
  { "storage.stores[0].bucket", STORES("{\"name\":\"a\",\"provider\":\"s3\"}") },
  { "storage.stores[0].bucket", STORES("{\"name\":\"a\",\"provider\":\"gcs\"}") },
  { "storage.stores[0].containerName", STORES("{\"name\":\"a\",\"provider\":\"azure\",\"serviceURL\":\"https://a.example.net\"}") },
  { "storage.stores[0].serviceURL", STORES("{\"name\":\"a\",\"provider\":\"azure\",\"containerName\":\"c\"}") },
  { "storage.stores[0].region", STORES("{\"name\":\"a\",\"provider\":\"dls:aws\"}") },
  { "storage.stores[0].region", STORES("{\"name\":\"a\",\"provider\":\"dls:gcp\",\"region\":\"US_EAST_1\"}") },
  { "storage.stores[0].clusterName", STORES("{\"name\":\"a\",\"provider\":\"svc\"}") },
  { "storage.stores[0].clusterName", STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"None\"}") },
  { "storage.stores[0].projectId",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"projectId\":\"0123456789abcdef01234567\"}") },
  { "storage.stores[0].name", STORES("{\"provider\":\"s3\",\"bucket\":\"b\"}") },
  { "storage.stores[0].provider", STORES("{\"name\":\"a\",\"provider\":\"tape\"}") },
  { "storage.stores[0].provider", STORES("{\"name\":\"a\"}") },
  { "storage.stores[0].containerName", STORES("{\"name\":\"a\",\"provider\":\"s3\",\"bucket\":\"b\",\"containerName\":\"c\"}") },
  { "storage.stores[1].name", STORES(S3 "," S3) },
  { "storage.stores[0].readPreference.tagSets[0]",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[1]}}") },
  { "storage.stores[0].readPreference.tagSets[0][0].value",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[[{\"name\":\"a\"}]]}}") },
  { "storage.stores[0].readPreference.zzBogus",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"zzBogus\":1}}") },
  { "storage.stores[0].readPreference.tagSets[0][0].zzBogus",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":"
           "[[{\"name\":\"a\",\"value\":\"b\",\"zzBogus\":1}]]}}") },
  /* sources that do not fit their stores */
  { AT "storeName", SOURCE(S3, "{\"storeName\":\"pond\",\"path\":\"/a\"}") },
  { AT "storeName", SOURCE(S3, "{\"path\":\"/a\"}") },
  { AT "path", SOURCE(S3, "{\"storeName\":\"lake\"}") },
  { AT "collection", SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a\",\"collection\":\"c\"}") },
  { AT "datasetName", SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a\",\"datasetName\":\"c\"}") },
  { AT "urls", SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a\",\"urls\":[\"https://a.example.com\"]}") },
  { AT "allowInsecure", SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a\",\"allowInsecure\":true}") },
  { AT "defaultFormat", SOURCE(S3, "{\"storeName\":\"lake\",\"path\":\"/a\",\"defaultFormat\":\".doc\"}") },
  { AT "database", SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"collection\":\"c\"}") },
  { AT "collection", SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\"}") },
  { AT "collectionRegex", SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\",\"collection\":\"c\",\"collectionRegex\":\"c\"}") },
  { AT "databaseRegex", SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\",\"collection\":\"c\",\"databaseRegex\":\"c\"}") },
  { AT "path", SOURCE(CLUSTER_STORE, "{\"storeName\":\"live\",\"database\":\"d\",\"collection\":\"c\",\"path\":\"/\"}") },
  { AT "urls", SOURCE(SITE, "{\"storeName\":\"site\"}") },
  { AT "urls[0]", SOURCE(SITE, "{\"storeName\":\"site\",\"urls\":[\"no url\"]}") },
  { AT "datasetName", SOURCE(DATASETS, "{\"storeName\":\"sets\"}") },
  { AT "datasetPrefix", SOURCE(DATASETS, "{\"storeName\":\"sets\",\"datasetName\":\"a\",\"datasetPrefix\":\"b\"}") },
  { AT "trimLevel", SOURCE(DATASETS, "{\"storeName\":\"sets\",\"datasetName\":\"a\",\"trimLevel\":-1}") },
  /* names */
  { "storage.databases[1].name", "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"a\"},{\"name\":\"a\"}]}}" },
  { "storage.databases[0].collections[1].name",
    "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"a\",\"collections\":[{\"name\":\"b\"},{\"name\":\"b\"}]}]}}" },
  { "storage.databases[0].maxWildcardCollections", "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"a\",\"maxWildcardCollections\":0}]}}" },
  /* views */
  { "storage.databases[0].views[0].name", VIEWS("{\"name\":\"orders\",\"source\":\"orders\",\"pipeline\":\"[]\"}") },
  { "storage.databases[0].views[0].source", VIEWS("{\"name\":\"new\",\"source\":\"none\",\"pipeline\":\"[]\"}") },
  { "storage.databases[0].views[0].source", VIEWS("{\"name\":\"new\",\"source\":\"new\",\"pipeline\":\"[]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"{}\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[5]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$\\\":{}}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$match\\\":{},\\\"$limit\\\":5}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$match\\\":{}},{\\\"$merge\\\":{}}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$out\\\":\\\"x\\\"}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"\"}") },
  { "storage.stores[0].readPreference.tagSets[0][0]",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[[5]]}}") },
  { "storage.stores[0].readPreference.tagSets[1]", /* 21 tags */
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[[],[" TAGS TAGS TAGS TAGS TAGS TAGS TAGS TAGS TAGS TAGS
           "{\"name\":\"a\",\"value\":\"b\"}]]}}") },
  { "storage.stores[0].readPreference.tagSets[0][1].value",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[[{\"name\":\"a\",\"value\":\"b\"},{\"name\":\"a\",\"value\":\"\"}]]}}") },
  { "storage.stores[0].readPreference.tagSets[0][0].other",
    STORES("{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"C\",\"readPreference\":{\"tagSets\":[[{\"name\":\"a\",\"other\":\"b\"}]]}}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"match\\\":{}}]\"}") },
  { "storage.databases[0].views[0].pipeline", VIEWS("{\"name\":\"new\",\"source\":\"orders\",\"pipeline\":\"[{\\\"$out\\\":\\\"a\\\"}]\"}") },
  /* the region of queries, and the name */
  { "dataProcessRegion.region", "{\"name\":\"Fed\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"IOWA_USA\"}}" },
  { "dataProcessRegion.region", "{\"name\":\"Fed\",\"dataProcessRegion\":{\"cloudProvider\":\"GCP\",\"region\":\"VIRGINIA_USA\"}}" },
  { "dataProcessRegion.region", "{\"name\":\"Fed\",\"dataProcessRegion\":{\"cloudProvider\":\"AZURE\"}}" },
  { "name", "{\"name\":\"no spaces\"}" },
  { "name", "{}" },
};

TEST(data_federation, bad_storage)
{
  b_world w;
  size_t i;
  b_open_cluster(&w, NULL, NULL);
  for (i = 0; i < sizeof bad_storage / sizeof bad_storage[0]; i++) b_bad_field(&w, "POST", TENANTS, bad_storage[i].body, bad_storage[i].field);
  b_close(&w);
}

/* An instance that is too large is refused before its names are compared. A large instance below the maximum is accepted. */
TEST(data_federation, size)
{
  static char body[1 << 20];
  b_world w;
  size_t n, i;
  b_open(&w, NULL);
  n = (size_t)snprintf(body, sizeof body, "{\"name\":\"Fed\",\"storage\":{\"databases\":[");
  for (i = 0; i < 50; i++) {
    size_t k;
    n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"name\":\"d%zu\",\"collections\":[", i ? "," : "", i);
    for (k = 0; k < 200; k++) n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"name\":\"c\"}", k ? "," : "");
    n += (size_t)snprintf(body + n, sizeof body - n, "]}");
  }
  snprintf(body + n, sizeof body - n, "]}}");
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/dataFederation", w.group), ==, 400);
  munit_assert_true(t_violation(&w.t, "storage"));
  munit_assert_size(t_count(&w.t, "badRequestDetail.fields"), ==, 1);
  n = (size_t)snprintf(body, sizeof body, "{\"name\":\"Fed\",\"storage\":{\"databases\":[{\"name\":\"d\",\"collections\":[");
  for (i = 0; i < 200; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"name\":\"c%0120zu\"}", i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "]}]}}");
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/dataFederation", w.group), ==, 202);
  b_close(&w);
}

/* A database user can be limited to an existing instance. */
#define USER_OF(name) \
  "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse battery\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":" \
  "\"d\"}],\"scopes\":[{\"name\":\"" name "\",\"type\":\"DATA_LAKE\"}]}"

TEST(data_federation, user)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_bad(&w, "POST", "/groups/%G/databaseUsers", USER_OF("Fed"), 400, "SCOPE_CLUSTER_NOT_FOUND");
  b_bad(&w, "POST", "/groups/%G/databaseUsers", USER_OF("C"), 400, "SCOPE_CLUSTER_NOT_FOUND"); /* a cluster is no instance */
  make(&w, "{\"name\":\"Fed\"}");
  b_good(&w, "POST", "/groups/%G/databaseUsers", USER_OF("Fed"), 201);
  unmake(&w); /* the user keeps the limit and can be changed after the delete */
  b_good(&w, "PATCH", "/groups/%G/databaseUsers/admin/app", "{\"description\":\"still limited\"}", 200);
  b_is(&w, "scopes[0].name", "Fed");
  b_bad(&w, "PATCH", "/groups/%G/databaseUsers/admin/app", "{\"scopes\":[{\"name\":\"Other\",\"type\":\"DATA_LAKE\"}]}", 400, "SCOPE_CLUSTER_NOT_FOUND");
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- endpoints */

#define AZURE_ID "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/privateEndpoints/e"

TEST(data_federation, endpoints)
{
  static const struct {
    const char *field, *body;
  } bad[] = {
    { "endpointId", "{\"endpointId\":\"vpce-1\"}" },
    { "endpointId", "{}" },
    { "endpointId", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"provider\":\"AZURE\",\"region\":\"r\",\"customerEndpointIPAddress\":\"10.0.0.1\"}" },
    { "type", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"type\":\"OTHER\"}" },
    { "status", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"status\":\"OK\"}" },
    { "azureLinkId", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"azureLinkId\":\"1\"}" },
    { "customerEndpointIPAddress", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"customerEndpointIPAddress\":\"10.0.0.1\"}" },
    { "customerEndpointDNSName", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"region\":\"US_EAST_1\"}" },
    { "region", "{\"endpointId\":\"vpce-0123456789abcdef0\",\"customerEndpointDNSName\":\"a.example.com\"}" },
    { "customerEndpointIPAddress", "{\"endpointId\":\"" AZURE_ID "\",\"provider\":\"AZURE\",\"region\":\"US_EAST\"}" },
    { "customerEndpointIPAddress", "{\"endpointId\":\"" AZURE_ID "\",\"provider\":\"AZURE\",\"region\":\"r\",\"customerEndpointIPAddress\":\"no\"}" },
  };
  b_world w;
  size_t i;
  b_open(&w, NULL);
  make(&w, "{\"name\":\"Fed\"}");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) b_bad_field(&w, "POST", ENDPOINTS, bad[i].body, bad[i].field);
  b_good(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\",\"comment\":\"one\"}", 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].status", "PENDING");
  b_is(&w, "results[0].provider", "AWS");
  b_is(&w, "results[0].type", "DATA_LAKE");
  b_good(&w, "GET", TENANT, NULL, 200);
  munit_assert_size(t_count(&w.t, "privateEndpointHostnames"), ==, 0); /* the endpoint is PENDING */
  t_advance(&w.t, 10);
  b_good(&w, "GET", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 200);
  b_is(&w, "status", "OK");
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "privateEndpointHostnames[0].privateEndpoint", "vpce-0123456789abcdef0");
  munit_assert_not_null(strstr(t_str(&w.t, "privateEndpointHostnames[0].hostname"), ".pl-"));
  /* a second POST of an endpoint changes its comment; other fields cannot be changed */
  b_good(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\",\"comment\":\"two\"}", 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].comment", "two");
  b_is(&w, "results[0].status", "OK");
  b_good(&w, "GET", ENDPOINTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].comment", "two");
  b_bad(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\",\"region\":\"US_EAST_1\",\"customerEndpointDNSName\":\"a.example.com\"}", 409,
        "PRIVATE_ENDPOINT_ALREADY_EXISTS");
  b_good(&w, "POST", ENDPOINTS,
         "{\"endpointId\":\"" AZURE_ID "\",\"provider\":\"AZURE\",\"region\":\"US_EAST\",\"customerEndpointIPAddress\":\"10.0.0.1\"}", 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  b_good(&w, "DELETE", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 204);
  b_good(&w, "GET", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 200);
  b_is(&w, "status", "DELETING");
  b_bad(&w, "DELETE", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 404, "PRIVATELINK_NOT_FOUND");
  b_bad(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\"}", 404, "PRIVATELINK_NOT_FOUND");
  t_advance(&w.t, 10);
  b_bad(&w, "GET", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 404, "PRIVATELINK_NOT_FOUND");
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "privateEndpointHostnames[0].privateEndpoint", AZURE_ID);
  b_good(&w, "GET", ENDPOINTS "/%2Fsubscriptions%2Fs%2FresourceGroups%2Fg%2Fproviders%2FMicrosoft.Network%2FprivateEndpoints%2Fe", NULL, 200);
  munit_assert_int64(b_events(&w, "INTERFACE_ENDPOINT_CREATED"), ==, 2);
  munit_assert_int64(b_events(&w, "INTERFACE_ENDPOINT_DELETED"), ==, 1);
  b_close(&w);
}

TEST(data_federation, endpoint_most)
{
  char body[128];
  b_world w;
  int i;
  b_open(&w, NULL);
  for (i = 0; i < 50; i++) {
    snprintf(body, sizeof body, "{\"endpointId\":\"vpce-%017d\"}", i);
    b_good(&w, "POST", ENDPOINTS, body, 201);
  }
  b_bad(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\"}", 403, "TOO_MANY_RESOURCES");
  b_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- limits */

#define LIMITS TENANT "/limits"

TEST(data_federation, limits)
{
  b_world w;
  b_open(&w, NULL);
  make(&w, "{\"name\":\"Fed\"}");
  b_good(&w, "GET", LIMITS, NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  b_bad(&w, "GET", LIMITS "/bytesProcessed.query", NULL, 404, "RESOURCE_NOT_FOUND");
  b_bad(&w, "PATCH", LIMITS "/bytesProcessed.yearly", "{\"value\":1}", 404, "RESOURCE_NOT_FOUND");
  b_bad(&w, "GET", LIMITS "/bytesProcessed.yearly", NULL, 404, "RESOURCE_NOT_FOUND");
  b_bad(&w, "PATCH", TENANTS "/None/limits/bytesProcessed.query", "{\"value\":1}", 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"overrunPolicy\":\"BLOCK\"}", "value");
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":-1}", "value");
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":1,\"name\":\"bytesProcessed.daily\"}", "name");
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":10995116277761}", "value"); /* the project's limit plus 1 */
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":1,\"overrunPolicy\":\"BEG\"}", "overrunPolicy");
  t_header(&w.t, "If-Match", "\"1\"");
  b_bad(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":7}", 412, "PRECONDITION_FAILED"); /* no limit with an ETag exists yet */
  t_headers_clear(&w.t);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":7,\"name\":\"bytesProcessed.query\",\"overrunPolicy\":\"BLOCK\"}", 200);
  b_is(&w, "tenantName", "Fed");
  munit_assert_int64(t_int(&w.t, "value"), ==, 7);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 0);
  munit_assert_int64(t_int(&w.t, "maximumLimit"), ==, 10995116277760);
  b_is(&w, "lastModifiedDate", "2025-06-01T00:00:00Z");
  t_advance(&w.t, 60);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":8}", 200);
  b_is(&w, "overrunPolicy", "BLOCK");
  b_is(&w, "lastModifiedDate", "2025-06-01T00:01:00Z");
  b_bad_field(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":10995116277761}", "value");
  b_good(&w, "PATCH", "/groups/%G/limits/dataFederation.bytesProcessed.query", "{\"value\":10995116277761}", 200);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":10995116277761}", 200);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.daily", "{\"value\":9}", 200);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.weekly", "{\"value\":9}", 200);
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.monthly", "{\"value\":9}", 200);
  b_good(&w, "GET", LIMITS, NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 4);
  b_good(&w, "DELETE", LIMITS "/bytesProcessed.query", NULL, 204);
  b_bad(&w, "DELETE", LIMITS "/bytesProcessed.query", NULL, 404, "RESOURCE_NOT_FOUND");
  munit_assert_int64(b_events(&w, "DATA_FEDERATION_QUERY_LIMIT_CONFIGURED"), ==, 6);
  munit_assert_int64(b_events(&w, "DATA_FEDERATION_QUERY_LIMIT_DELETED"), ==, 1);
  unmake(&w); /* limits are deleted with the instance */
  make(&w, "{\"name\":\"Fed\"}");
  b_good(&w, "GET", LIMITS, NULL, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------ the driver */

TEST(data_federation, driven)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  t_driver_answers(&d, "measure", "{\"values\":{\"bytesProcessed.daily\":42,\"bytesProcessed.query\":-3,\"other\":1}}");
  b_open(&w, &config);
  b_role(&w, "AWS");
  make(&w, "{\"name\":\"Fed\"," AWS_ROLE "}");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "federation.put")->desired, "\"testS3Bucket\":\"acme-data\""));
  t_driver_finish(&d, w.t.s, "federation.put", SVC_IO, "{\"reason\":\"no bucket\"}");
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "UNVERIFIED");
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.daily", "{\"value\":100}", 200);
  munit_assert_null(t_node(&w.t, "currentUsage")); /* the driver was not asked */
  t_driver_finish(&d, w.t.s, "federation_limit.put", SVC_OK, NULL);
  b_good(&w, "GET", LIMITS "/bytesProcessed.daily", NULL, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 0);
  munit_assert_string_equal(d.asked, "");
  b_good(&w, "PATCH", CHANGE, "{\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"DUBLIN_IRL\"}}", 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "federation.put")->desired, "\"testS3Bucket\":\"acme-data\"")); /* unchanged */
  t_driver_finish(&d, w.t.s, "federation.put", SVC_OK, "{\"hostnames\":[\"fed.example.net\"]}");
  b_good(&w, "GET", TENANT, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  b_is(&w, "hostnames[0]", "fed.example.net");
  munit_assert_size(t_count(&w.t, "hostnames"), ==, 1);
  b_good(&w, "GET", LIMITS "/bytesProcessed.daily", NULL, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 42);
  munit_assert_string_equal(d.asked, "measure data federation Fed {\"metric\":\"bytesProcessed\"}");
  b_good(&w, "PATCH", LIMITS "/bytesProcessed.query", "{\"value\":100}", 200);
  b_good(&w, "GET", LIMITS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "[0].currentUsage"), ==, 42);
  munit_assert_int64(t_int(&w.t, "[1].currentUsage"), ==, 0);
  b_good(&w, "GET", LIMITS "?envelope=true", NULL, 200);
  munit_assert_int64(t_int(&w.t, "content[0].currentUsage"), ==, 42);
  t_driver_finish(&d, w.t.s, "federation_limit.put", SVC_OK, NULL);
  b_good(&w, "POST", ENDPOINTS, "{\"endpointId\":\"vpce-0123456789abcdef0\"}", 201);
  t_driver_finish(&d, w.t.s, "federation_endpoint.create", SVC_IO, "{\"reason\":\"refused\"}");
  b_good(&w, "GET", ENDPOINTS "/vpce-0123456789abcdef0", NULL, 200);
  b_is(&w, "status", "FAILED");
  b_is(&w, "errorMessage", "refused");
  b_good(&w, "DELETE", LIMITS "/bytesProcessed.daily", NULL, 204);
  t_driver_finish(&d, w.t.s, "federation_limit.delete", SVC_OK, NULL);
  b_good(&w, "DELETE", TENANT, NULL, 202);
  t_driver_finish(&d, w.t.s, "federation.delete", SVC_OK, NULL);
  b_bad(&w, "GET", TENANT, NULL, 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  b_close(&w);
}

TEST(data_federation, logs)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  t_driver_answers(&d, "logs", "a query\n");
  b_open(&w, &config);
  make(&w, "{\"name\":\"Fed\"}");
  b_good(&w, "GET", TENANT "/queryLogs.gz?startDate=1748736000&endDate=1748736060", NULL, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-01-01+gzip");
  munit_assert_memory_equal(2, w.t.response.body, "\x1f\x8b");
  munit_assert_string_equal(d.asked, "logs data federation Fed {\"from\":1748736000,\"log\":\"queryLogs\",\"until\":1748736060}");
  b_bad(&w, "GET", TENANT "/queryLogs.gz?startDate=1748736000&endDate=1748735999", NULL, 400, "START_DATE_AFTER_END_DATE");
  b_bad(&w, "GET", TENANT "/queryLogs.gz?startDate=7", NULL, 400, "INVALID_QUERY_PARAMETER");
  b_bad(&w, "GET", TENANTS "/None/queryLogs.gz", NULL, 404, "DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME");
  b_close(&w);
}
