/*
** Clusters, tested through requests. Every test has a private store and a clock of its own.
*/
#include "damaged.h"
#include "needs.h"

#define NEED_CLUSTERS "/groups/{groupId}/clusters"
#define NEED_ONE NEED_CLUSTERS "/{clusterName}"
#define NEED_REGION(cloud, name) \
  "{\"providerName\":\"" cloud "\",\"regionName\":\"" name "\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}"
#define NEED_NEW(name, type, region) \
  "{\"name\":\"" name "\",\"backupEnabled\":true,\"clusterType\":\"" type "\",\"replicationSpecs\":[{\"regionConfigs\":[" region "]}]}"

T_NEEDS(cluster) = {
  T_TARGET("cluster", NEED_CLUSTERS, T_CLUSTER("Target"), NULL, "name", "/groups/%G/clusters/%V"),
  T_BODY(SVC_POST, NEED_CLUSTERS, NEED_NEW("Second", "REPLICASET", NEED_REGION("AZURE", "US_EAST_2"))),
  T_BODY(SVC_POST, NEED_CLUSTERS, NEED_NEW("Third", "GEOSHARDED", NEED_REGION("AWS", "US_EAST_1"))),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"paused\":true}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"paused\":false}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"backupEnabled\":false}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"backupEnabled\":true}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"pitEnabled\":true}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"terminationProtectionEnabled\":true}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"terminationProtectionEnabled\":false}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"clusterType\":\"SHARDED\"}"),
  T_BODY(SVC_PATCH, NEED_ONE, "{\"replicationSpecs\":[{\"regionConfigs\":[" NEED_REGION("AWS", "US_WEST_2") "]}]}"),
  T_NEEDS_END
};

#define SPEC(size) "{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":\"" size "\"},\"providerName\":\"AWS\"," \
                   "\"regionName\":\"US_EAST_1\"}]}"
#define BODY(name) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" SPEC("M10") "]}"

/* ---------------------------------------------------------------------------------------------------------- helpers */

typedef struct cluster_world {
  t_service t;
  svc_arena arena; /* of replies, which are kept for comparison */
  const char *org, *group;
} cluster_world;

typedef struct cluster_reply {
  int status;
  svc_node *body;
  svc_str text, etag;
} cluster_reply;

/* Returns a path or body with %G and %O replaced by the ids of project and organization. */
static const char *fill_in(cluster_world *w, const char *text)
{
  svc_buf b = svc_buf_new(&w->arena, 256);
  for (; *text; text++) {
    if (text[0] == '%' && (text[1] == 'G' || text[1] == 'O')) svc_buf_text(&b, *++text == 'G' ? w->group : w->org);
    else svc_buf_char(&b, *text);
  }
  return svc_buf_done(&b).p;
}

static cluster_reply call(cluster_world *w, const char *method, const char *path, const char *body)
{
  cluster_reply reply;
  reply.status = t_send(&w->t, method, fill_in(w, path), body ? fill_in(w, body) : NULL);
  reply.text = svc_arena_copy(&w->arena, svc_str_c(w->t.response.body));
  reply.body = w->t.body ? svc_node_copy(&w->arena, w->t.body) : NULL;
  reply.etag = svc_arena_copy(&w->arena, svc_str_c(t_get_header(&w->t, "ETag")));
  return reply;
}

/* Returns the value at a path, as t_node() reads it, or NULL if the path does not exist. */
static const svc_node *at(svc_node *body, const char *path)
{
  t_service probe;
  probe.body = body;
  return t_node(&probe, path);
}

static const char *text_at(cluster_world *w, const cluster_reply *r, const char *path)
{
  const svc_node *node = at(r->body, path);
  if (!node) munit_errorf("%s is not there: %.*s", path, (int)r->text.n, r->text.p);
  return svc_arena_copy(&w->arena, node->text).p;
}

#define expect_text(w, r, path, value) munit_assert_string_equal(text_at(w, &(r), path), value)
#define expect_none(r, path) munit_assert_null(at((r).body, path))

static void expect_error(cluster_world *w, cluster_reply r, int status, const char *code)
{
  if (r.status != status) munit_logf(MUNIT_LOG_WARNING, "%.*s", (int)r.text.n, r.text.p);
  munit_assert_int(r.status, ==, status);
  expect_text(w, r, "errorCode", code);
}

static void open_world(cluster_world *w)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, NULL);
  svc_arena_init(&w->arena, NULL);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
}

static void close_world(cluster_world *w)
{
  svc_blocks_free(w->arena.blocks);
  t_close(&w->t);
}

#define CLUSTER_C "/groups/%G/clusters/C"

static cluster_reply make_cluster(cluster_world *w, const char *body)
{
  cluster_reply r = call(w, "POST", "/groups/%G/clusters", body);
  if (r.status != 201) munit_logf(MUNIT_LOG_WARNING, "%.*s", (int)r.text.n, r.text.p);
  munit_assert_int(r.status, ==, 201);
  return r;
}

/* Creates a cluster named C and waits until it is IDLE. */
static void make_idle(cluster_world *w, const char *body)
{
  make_cluster(w, body ? body : BODY("C"));
  w->t.now += 10000;
}

static cluster_reply get(cluster_world *w)
{
  cluster_reply r = call(w, "GET", CLUSTER_C, NULL);
  munit_assert_int(r.status, ==, 200);
  return r;
}

static cluster_reply patch(cluster_world *w, const char *body)
{
  return call(w, "PATCH", CLUSTER_C, body);
}

/* Sends a patch that must succeed, and waits until it is applied. */
static cluster_reply patch_done(cluster_world *w, const char *body)
{
  cluster_reply r = patch(w, body);
  if (r.status != 200) munit_logf(MUNIT_LOG_WARNING, "%.*s", (int)r.text.n, r.text.p);
  munit_assert_int(r.status, ==, 200);
  w->t.now += 5000;
  return get(w);
}

/* Returns the events of the project that name the cluster, newest first: "CLUSTER_READY CLUSTER_CREATED". */
static const char *events(cluster_world *w)
{
  cluster_reply r = call(w, "GET", "/groups/%G/events?clusterNames=C", NULL);
  svc_buf b = svc_buf_new(&w->arena, 256);
  const svc_node *event;
  munit_assert_int(r.status, ==, 200);
  for (event = at(r.body, "results")->first; event; event = event->next) {
    if (b.n) svc_buf_char(&b, ' ');
    svc_buf_str(&b, svc_node_str(event, "eventTypeName"));
  }
  return svc_buf_done(&b).p;
}

/* --------------------------------------------------------------------------------------------------------- creating */

TEST(cluster, create_minimal)
{
  static const struct { const char *path, *value; } defaults[] = {
    { "advancedConfiguration.minimumEnabledTlsProtocol", "TLS1_2" },
    { "backupEnabled", "false" },
    { "biConnector.enabled", "false" },
    { "biConnector.readPreference", "secondary" },
    { "configServerManagementMode", "SVC_MANAGED" },
    { "createDate", "2025-06-01T00:00:00Z" },
    { "dbMajorVersion", "8.0" },
    { "dbVersion", "8.0.9" },
    { "diskWarmingMode", "FULLY_WARMED" },
    { "effectiveDatabaseEdition", "CORE" },
    { "encryptionAtRestProvider", "NONE" },
    { "featureCompatibilityVersion", "8.0" },
    { "globalClusterSelfManagedSharding", "false" },
    { "internalClusterRole", "NONE" },
    { "paused", "false" },
    { "pitEnabled", "false" },
    { "redactClientLogData", "false" },
    { "replicaSetScalingStrategy", "WORKLOAD_TYPE" },
    { "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB", "10" },
    { "replicationSpecs[0].regionConfigs[0].electableSpecs.ebsVolumeType", "STANDARD" },
    { "replicationSpecs[0].regionConfigs[0].electableSpecs.nodeCount", "3" },
    { "replicationSpecs[0].regionConfigs[0].priority", "7" },
    { "replicationSpecs[0].zoneName", "Zone 1" },
    { "rootCertType", "ISRGROOTX1" },
    { "stateName", "CREATING" },
    { "terminationProtectionEnabled", "false" },
    { "useAwsTimeBasedSnapshotCopyForFastInitialSync", "false" },
    { "versionReleaseSystem", "LTS" },
  };
  static const char *const absent[] = { "acceptDataRisksAndForceReplicaSetReconfig", "adaptiveCapacity",
                                        "configServerType", "connectionStrings.private", "retainBackups",
                                        "vendorEmployeeAccessGrant" };
  cluster_world w;
  cluster_reply r, again;
  size_t i;
  open_world(&w);
  r = make_cluster(&w, BODY("C"));
  for (i = 0; i < sizeof defaults / sizeof defaults[0]; i++) expect_text(&w, r, defaults[i].path, defaults[i].value);
  for (i = 0; i < sizeof absent / sizeof absent[0]; i++) expect_none(r, absent[i]);
  expect_text(&w, r, "groupId", w.group);
  munit_assert(svc_format_check(SVC_FORMAT_ID, svc_str_c(text_at(&w, &r, "id"))));
  munit_assert(svc_format_check(SVC_FORMAT_ID, svc_str_c(text_at(&w, &r, "replicationSpecs[0].id"))));
  munit_assert(svc_format_check(SVC_FORMAT_ID, svc_str_c(text_at(&w, &r, "replicationSpecs[0].zoneId"))));
  munit_assert(svc_node_same(at(r.body, "replicationSpecs[0].regionConfigs[0].electableSpecs"),
                             at(r.body, "effectiveReplicationSpecs[0].regionConfigs[0].electableSpecs")));
  munit_assert(svc_node_same(at(r.body, "replicationSpecs[0].regionConfigs[0].electableSpecs"),
                             at(r.body, "replicationSpecs[0].regionConfigs[0].effectiveElectableSpecs")));
  munit_assert_size(svc_node_count(at(r.body, "tags")), ==, 0);
  munit_assert_size(svc_node_count(at(r.body, "labels")), ==, 0);
  again = get(&w);
  munit_assert(svc_node_same(r.body, again.body));
  close_world(&w);
}

TEST(cluster, create_full)
{
  static const char sent[] =
    "{\"acceptDataRisksAndForceReplicaSetReconfig\":\"2025-03-12T08:00:00Z\",\"adaptiveCapacity\":\"ENABLED\","
    "\"advancedConfiguration\":{\"customOpensslCipherConfigTls12\":[\"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\"],"
    "\"tlsCipherConfigMode\":\"CUSTOM\"},\"backupEnabled\":true,\"biConnector\":{\"enabled\":true},"
    "\"clusterType\":\"GEOSHARDED\",\"configServerManagementMode\":\"FIXED_TO_DEDICATED\",\"dbMajorVersion\":\"7.0\","
    "\"diskWarmingMode\":\"VISIBLE_EARLIER\",\"encryptionAtRestProvider\":\"AWS\","
    "\"globalClusterSelfManagedSharding\":true,\"labels\":[{\"key\":\"a\"}],\"name\":\"C\",\"pitEnabled\":true,"
    "\"redactClientLogData\":true,\"replicaSetScalingStrategy\":\"NODE_TYPE\",\"replicationSpecs\":["
    "{\"zoneName\":\"East\",\"regionConfigs\":["
    "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M30\","
    "\"nodeCount\":2,\"diskSizeGB\":40.5,\"diskIOPS\":3000,\"ebsVolumeType\":\"PROVISIONED\"},"
    "\"readOnlySpecs\":{\"nodeCount\":1},\"analyticsSpecs\":{\"nodeCount\":2,\"instanceSize\":\"M50\"},"
    "\"autoScaling\":{\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M60\"},\"diskGB\":{\"enabled\":true}}},"
    "{\"providerName\":\"AZURE\",\"regionName\":\"EUROPE_WEST\",\"electableSpecs\":{\"instanceSize\":\"M30\","
    "\"nodeCount\":1}}]},"
    "{\"zoneName\":\"East\",\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\","
    "\"electableSpecs\":{\"instanceSize\":\"M30\"}}]},"
    "{\"zoneName\":\"West\",\"regionConfigs\":[{\"providerName\":\"GCP\",\"regionName\":\"WESTERN_US\",\"priority\":7,"
    "\"electableSpecs\":{\"instanceSize\":\"M250\"}}]}],"
    "\"retainBackups\":true,\"rootCertType\":\"ISRGROOTX1\",\"tags\":[{\"key\":\"env\",\"value\":\"prod\"}],"
    "\"terminationProtectionEnabled\":true,\"useAwsTimeBasedSnapshotCopyForFastInitialSync\":true,"
    "\"versionReleaseSystem\":\"CONTINUOUS\"}";
  static const struct { const char *path, *value; } wanted[] = {
    { "adaptiveCapacity", "ENABLED" },
    { "advancedConfiguration.minimumEnabledTlsProtocol", "TLS1_2" },
    { "advancedConfiguration.customOpensslCipherConfigTls12[0]", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384" },
    { "advancedConfiguration.tlsCipherConfigMode", "CUSTOM" },
    { "biConnector.enabled", "true" },
    { "biConnector.readPreference", "secondary" },
    { "configServerType", "DEDICATED" },
    { "dbVersion", "7.0.21" },
    { "featureCompatibilityVersion", "7.0" },
    { "labels[0].key", "a" },
    { "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB", "40.5" },
    { "replicationSpecs[0].regionConfigs[0].readOnlySpecs.instanceSize", "M30" },
    { "replicationSpecs[0].regionConfigs[0].readOnlySpecs.diskSizeGB", "40.5" },
    { "replicationSpecs[0].regionConfigs[0].analyticsSpecs.instanceSize", "M50" },
    { "replicationSpecs[0].regionConfigs[0].autoScaling.compute.scaleDownEnabled", "false" },
    { "replicationSpecs[0].regionConfigs[0].priority", "7" },
    { "replicationSpecs[0].regionConfigs[1].priority", "6" },
    { "replicationSpecs[2].regionConfigs[0].priority", "7" },
    { "tags[0].value", "prod" },
    { "terminationProtectionEnabled", "true" },
    { "versionReleaseSystem", "CONTINUOUS" },
  };
  cluster_world w;
  cluster_reply r;
  size_t i;
  open_world(&w);
  r = call(&w, "POST", "/groups/%G/clusters", sent);
  expect_error(&w, r, 400, "INVALID_CLUSTER_CONFIGURATION"); /* the project has no encryption keys */
  munit_assert_true(t_violation(&w.t, "encryptionAtRestProvider"));
  r = call(&w, "PATCH", "/groups/%G/encryptionAtRest",
           "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"1111\",\"region\":\"US_EAST_1\",\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\","
           "\"secretAccessKey\":\"the-secret-of-aws-keys\"}}");
  munit_assert_int(r.status, ==, 200);
  r = make_cluster(&w, sent);
  for (i = 0; i < sizeof wanted / sizeof wanted[0]; i++) expect_text(&w, r, wanted[i].path, wanted[i].value);
  expect_text(&w, r, "acceptDataRisksAndForceReplicaSetReconfig", "2025-03-12T08:00:00Z");
  expect_text(&w, r, "retainBackups", "true");
  expect_text(&w, r, "replicationSpecs[1].zoneId", text_at(&w, &r, "replicationSpecs[0].zoneId"));
  munit_assert_string_not_equal(text_at(&w, &r, "replicationSpecs[0].id"), text_at(&w, &r, "replicationSpecs[1].id"));
  munit_assert_string_not_equal(text_at(&w, &r, "replicationSpecs[0].zoneId"),
                                text_at(&w, &r, "replicationSpecs[2].zoneId"));
  r = call(&w, "GET", "/clusters", NULL);
  expect_text(&w, r, "results[0].clusters[0].nodeCount", "12");
  expect_text(&w, r, "results[0].clusters[0].type", "SHARDED_CLUSTER");
  expect_text(&w, r, "results[0].clusters[0].versions[0]", "7.0.21");
  expect_text(&w, r, "results[0].clusters[0].backupEnabled", "true");
  close_world(&w);
}

/* ------------------------------------------------------------------------------------------------------- violations */

#define WITH(rest) "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" SPEC("M10") "]," rest "}"
#define REGION(rest) \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[" rest "]}]}"
#define AWS(rest) REGION("{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"," rest "}")
#define ELECTABLE(rest) AWS("\"electableSpecs\":{\"instanceSize\":\"M10\"," rest "}")
#define AND(rest) AWS("\"electableSpecs\":{\"instanceSize\":\"M10\"}," rest)
#define TENANT(size, region) REGION("{\"providerName\":\"TENANT\",\"backingProviderName\":\"AZURE\",\"regionName\":\"" \
                                    region "\",\"electableSpecs\":{\"instanceSize\":\"" size "\"}}")
#define R0 "replicationSpecs[0].regionConfigs[0]"

static const struct cluster_refusal {
  const char *body, *code, *field;
} cluster_refusals[] = {
  { "{\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" SPEC("M10") "]}", "MISSING_ATTRIBUTE", "name" },
  { "{\"name\":\"C\",\"replicationSpecs\":[" SPEC("M10") "]}", "MISSING_ATTRIBUTE", "clusterType" },
  { "{\"name\":\"C\",\"clusterType\":\"REPLICASET\"}", "MISSING_ATTRIBUTE", "replicationSpecs" },
  { BODY("-C"), "CLUSTER_NAME_INVALID", "name" },
  { BODY("a_b"), "CLUSTER_NAME_INVALID", "name" },
  { BODY("a123456789a123456789a123456789a123456789a123456789a123456789a1234"), "CLUSTER_NAME_TOO_LONG", "name" },
  { WITH("\"acceptDataRisksAndForceReplicaSetReconfig\":\"soon\""), "INVALID_DATE_FORMAT",
    "acceptDataRisksAndForceReplicaSetReconfig" },
  { WITH("\"adaptiveCapacity\":\"ON\""), "INVALID_ENUM_VALUE", "adaptiveCapacity" },
  { WITH("\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"SSL3\"}"), "INVALID_ENUM_VALUE",
    "advancedConfiguration.minimumEnabledTlsProtocol" },
  { WITH("\"advancedConfiguration\":{\"customOpensslCipherConfigTls12\":[\"NULL\"]}"), "INVALID_ENUM_VALUE",
    "advancedConfiguration.customOpensslCipherConfigTls12[0]" },
  { WITH("\"advancedConfiguration\":{\"customOpensslCipherConfigTls13\":[\"TLS_AES_128_CCM_SHA256\","
         "\"TLS_AES_128_CCM_SHA256\",\"TLS_AES_128_CCM_SHA256\",\"TLS_AES_128_CCM_SHA256\","
         "\"TLS_AES_128_CCM_SHA256\"]}"),
    "INVALID_ATTRIBUTE", "advancedConfiguration.customOpensslCipherConfigTls13" },
  { WITH("\"backupEnabled\":\"yes\""), "INVALID_JSON_ATTRIBUTE", "backupEnabled" },
  { WITH("\"biConnector\":{\"readPreference\":\"tertiary\"}"), "INVALID_ENUM_VALUE", "biConnector.readPreference" },
  { WITH("\"connectionStrings\":{\"standard\":\"db://x\"}"), "ATTRIBUTE_READ_ONLY", "connectionStrings.standard" },
  { WITH("\"dbVersion\":\"8.0.9\""), "ATTRIBUTE_READ_ONLY", "dbVersion" },
  { WITH("\"id\":\"0123456789abcdef01234567\""), "ATTRIBUTE_READ_ONLY", "id" },
  { WITH("\"labels\":[{\"key\":\"\"}]"), "INVALID_ATTRIBUTE", "labels[0].key" },
  { WITH("\"stateName\":\"IDLE\""), "ATTRIBUTE_READ_ONLY", "stateName" },
  { WITH("\"tags\":[{\"key\":\"a\",\"value\":\"b\"},{\"key\":\"a\"}]"), "MISSING_ATTRIBUTE", "tags[1].value" },
  { WITH("\"tags\":{}"), "INVALID_JSON_ATTRIBUTE", "tags" },
  { WITH("\"colour\":\"red\""), "INVALID_ATTRIBUTE", "colour" },
  { "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[]}", "INVALID_ATTRIBUTE",
    "replicationSpecs" },
  { "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" SPEC("M10") "," SPEC("M10") "]}",
    "REPLICATION_SPECS_INVALID", "replicationSpecs" },
  { "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{}]}", "MISSING_ATTRIBUTE",
    "replicationSpecs[0].regionConfigs" },
  { "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"numShards\":1,\"regionConfigs\":[]}]}",
    "INVALID_ATTRIBUTE", "replicationSpecs[0].numShards" },
  { REGION(""), "INVALID_ATTRIBUTE", "replicationSpecs[0].regionConfigs" },
  { REGION("{}"), "MISSING_ATTRIBUTE", R0 ".providerName" },
  { REGION("{\"providerName\":\"SERVERLESS\"}"), "INVALID_PROVIDER", R0 ".providerName" },
  { REGION("{\"providerName\":\"AWS\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}"), "MISSING_ATTRIBUTE",
    R0 ".regionName" },
  { REGION("{\"providerName\":\"AZURE\",\"regionName\":\"US_EAST_1\"}"), "INVALID_ATTRIBUTE", R0 ".regionName" },
  { REGION("{\"providerName\":\"GCP\",\"regionName\":\"WESTERN_US\",\"electableSpecs\":{\"instanceSize\":\"M90\"}}"),
    "INVALID_ENUM_VALUE", R0 ".electableSpecs.instanceSize" },
  { REGION("{\"providerName\":\"GCP\",\"regionName\":\"WESTERN_US\",\"electableSpecs\":{\"diskIOPS\":1,"
           "\"instanceSize\":\"M10\"}}"), "INVALID_ATTRIBUTE", R0 ".electableSpecs.diskIOPS" },
  { AWS("\"electableSpecs\":{}"), "MISSING_ATTRIBUTE", R0 ".electableSpecs.instanceSize" },
  { AWS("\"priority\":7"), "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  { ELECTABLE("\"nodeCount\":0"), "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  { ELECTABLE("\"nodeCount\":8"), "INVALID_ATTRIBUTE", R0 ".electableSpecs.nodeCount" },
  { ELECTABLE("\"nodeCount\":-1"), "ATTRIBUTE_NEGATIVE", R0 ".electableSpecs.nodeCount" },
  { ELECTABLE("\"nodeCount\":2.5"), "INVALID_ATTRIBUTE", R0 ".electableSpecs.nodeCount" },
  { ELECTABLE("\"diskSizeGB\":0"), "ATTRIBUTE_NEGATIVE_OR_ZERO", R0 ".electableSpecs.diskSizeGB" },
  { ELECTABLE("\"diskThroughput\":1"), "ATTRIBUTE_READ_ONLY", R0 ".electableSpecs.diskThroughput" },
  { ELECTABLE("\"ebsVolumeType\":\"FLOPPY\""), "INVALID_ENUM_VALUE", R0 ".electableSpecs.ebsVolumeType" },
  { AND("\"priority\":8"), "INVALID_ATTRIBUTE", R0 ".priority" },
  { AND("\"priority\":-1"), "ATTRIBUTE_NEGATIVE", R0 ".priority" },
  { AND("\"backingProviderName\":\"AWS\""), "INVALID_ATTRIBUTE", R0 ".backingProviderName" },
  { AND("\"autoScaling\":{\"compute\":{\"maxInstanceSize\":\"M1\"}}"), "INVALID_ENUM_VALUE",
    R0 ".autoScaling.compute.maxInstanceSize" },
  { AND("\"autoScaling\":{\"compute\":{\"enabled\":true}}"), "COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED",
    R0 ".autoScaling" },
  { AND("\"analyticsAutoScaling\":{\"compute\":{\"enabled\":true}}"), "COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED",
    R0 ".analyticsAutoScaling" },
  { REGION("{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\","
           "\"nodeCount\":5}},{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_1\",\"electableSpecs\":"
           "{\"instanceSize\":\"M10\"}}"), "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  { REGION("{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}},"
           "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_1\",\"readOnlySpecs\":{\"nodeCount\":1}}"),
    "MISSING_ATTRIBUTE", "replicationSpecs[0].regionConfigs[1].readOnlySpecs" },
  { TENANT("M10", "US_EAST_2"), "INVALID_ENUM_VALUE", R0 ".electableSpecs.instanceSize" },
  { TENANT("M0", "EU_WEST_1"), "INVALID_ENUM_VALUE", R0 ".regionName" },
  { REGION("{\"providerName\":\"TENANT\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}"),
    "MISSING_ATTRIBUTE", R0 ".backingProviderName" },
  { REGION("{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}},"
           "{\"providerName\":\"TENANT\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\","
           "\"electableSpecs\":{\"instanceSize\":\"M0\"}}"), "INVALID_CLUSTER_CONFIGURATION", "replicationSpecs" },
  { WITH("\"dbMajorVersion\":\"5.0\""), "CLUSTER_VERSION_DEPRECATED", "5.0" },
  { WITH("\"dbMajorVersion\":\"5.1\""), "DB_VERSION_INVALID", "5.1" },
  { "{\"name\":\"C\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[{\"zoneName\":\"East\",\"regionConfigs\":["
    "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M30\"}}]},"
    "{\"zoneName\":\"EAST\",\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\","
    "\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}]}", "DUPLICATE_ZONE_NAME", "EAST" },
};

TEST(cluster, refusals)
{
  cluster_world w;
  cluster_reply r;
  size_t i;
  open_world(&w);
  for (i = 0; i < sizeof cluster_refusals / sizeof cluster_refusals[0]; i++) {
    r = call(&w, "POST", "/groups/%G/clusters", cluster_refusals[i].body);
    if (r.status == 201) munit_logf(MUNIT_LOG_WARNING, "taken: %s", cluster_refusals[i].body);
    expect_error(&w, r, 400, cluster_refusals[i].code);
    expect_text(&w, r, at(r.body, "badRequestDetail") ? "badRequestDetail.fields[0].field" : "parameters[0]",
                cluster_refusals[i].field);
  }
  expect_error(&w, call(&w, "POST", "/groups/%G/clusters", WITH("\"paused\":true")), 400,
               "CANNOT_CREATE_PAUSED_CLUSTER");
  r = call(&w, "GET", "/groups/%G/clusters", NULL);
  expect_text(&w, r, "totalCount", "0");
  close_world(&w);
}

TEST(cluster, all_violations)
{
  static const char *const fields[] = { "backupEnabled", "clusterType", "name", R0 ".electableSpecs.instanceSize",
                                        R0 ".regionName", "replicationSpecs[0].regionConfigs[1].providerName" };
  cluster_world w;
  cluster_reply r;
  size_t i;
  char path[64];
  open_world(&w);
  r = call(&w, "POST", "/groups/%G/clusters",
           "{\"name\":\"\",\"clusterType\":\"X\",\"backupEnabled\":1,\"replicationSpecs\":[{\"regionConfigs\":["
           "{\"providerName\":\"AWS\",\"electableSpecs\":{\"instanceSize\":\"XL\"}},{}]}]}");
  munit_assert_int(r.status, ==, 400);
  for (i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    snprintf(path, sizeof path, "badRequestDetail.fields[%d].field", (int)i);
    expect_text(&w, r, path, fields[i]);
  }
  munit_assert_size(svc_node_count(at(r.body, "badRequestDetail.fields")), ==, i);
  close_world(&w);
}

/* --------------------------------------------------------------------------------------------------------- changing */

TEST(cluster, patch_merges)
{
  cluster_world w;
  cluster_reply before, r;
  open_world(&w);
  make_idle(&w, WITH("\"biConnector\":{\"enabled\":true},\"adaptiveCapacity\":\"ENABLED\""));
  before = get(&w);
  r = patch(&w, "{\"backupEnabled\":true,\"biConnector\":{\"readPreference\":\"PRIMARY\"},"
                "\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"TLS1_3\"},\"adaptiveCapacity\":null}");
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "stateName", "UPDATING");
  expect_text(&w, r, "backupEnabled", "true");
  expect_text(&w, r, "biConnector.enabled", "true");
  expect_text(&w, r, "biConnector.readPreference", "primary");
  expect_text(&w, r, "advancedConfiguration.minimumEnabledTlsProtocol", "TLS1_3");
  expect_text(&w, r, "advancedConfiguration.tlsCipherConfigMode", "DEFAULT");
  expect_none(r, "adaptiveCapacity");
  munit_assert(svc_node_same(at(before.body, "replicationSpecs"), at(r.body, "replicationSpecs")));
  /* elements of arrays are replaced as a whole, but keep their ids */
  r = patch_done(&w, "{\"replicationSpecs\":[" SPEC("M40") "]}");
  expect_text(&w, r, "replicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize", "M40");
  expect_text(&w, r, "effectiveReplicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize", "M40");
  expect_text(&w, r, "replicationSpecs[0].id", text_at(&w, &before, "replicationSpecs[0].id"));
  expect_text(&w, r, "replicationSpecs[0].zoneId", text_at(&w, &before, "replicationSpecs[0].zoneId"));
  expect_text(&w, r, "connectionStrings.standard", text_at(&w, &before, "connectionStrings.standard"));
  expect_error(&w, patch(&w, "{\"name\":\"D\"}"), 400, "CLUSTER_CANNOT_CHANGE_NAME");
  expect_error(&w, patch(&w, "{\"clusterType\":null}"), 400, "INVALID_ATTRIBUTE");
  expect_error(&w, patch(&w, "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"}]}]}"), 400,
               "MISSING_ATTRIBUTE");
  close_world(&w);
}

#define DISKS(region, electable, further) \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," DISKS_ONLY(region, electable, further)
#define DISKS_PATCH(region, electable, further) "{" DISKS_ONLY(region, electable, further)
#define DISKS_ONLY(region, electable, further) \
  "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"electableSpecs\":" \
  "{\"instanceSize\":\"M30\"" electable "},\"readOnlySpecs\":{\"nodeCount\":1" further "}}]}]}"
#define DISK(size) ",\"diskSizeGB\":" size

static void expect_disks(cluster_world *w, cluster_reply r, const char *electable, const char *further)
{
  munit_assert_int(r.status, ==, 200);
  expect_text(w, r, "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB", electable);
  expect_text(w, r, "replicationSpecs[0].regionConfigs[0].readOnlySpecs.diskSizeGB", further);
  expect_text(w, r, "effectiveReplicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB", electable);
}

TEST(cluster, disks_grow)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, DISKS("US_EAST_1", DISK("40.5"), DISK("80")));
  r = patch(&w, DISKS_PATCH("US_EAST_1", DISK("40"), DISK("80")));
  expect_error(&w, r, 500, "CANNOT_DECREASE_DISK_SIZE");
  expect_text(&w, r, "parameters[0]", "C");
  expect_error(&w, patch(&w, DISKS_PATCH("US_EAST_1", DISK("40.5"), DISK("79.9"))), 500, "CANNOT_DECREASE_DISK_SIZE");
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  expect_disks(&w, r, "40.5", "80");
  expect_disks(&w, patch_done(&w, DISKS_PATCH("US_EAST_1", DISK("40.50"), DISK("8e1"))), "40.5", "80"); /* the same sizes */
  expect_disks(&w, patch_done(&w, DISKS_PATCH("US_EAST_1", "", "")), "40.5", "80"); /* omitted sizes stay */
  expect_disks(&w, patch_done(&w, DISKS_PATCH("US_EAST_1", DISK("100"), "")), "100", "100"); /* an omitted size may grow with the other */
  expect_error(&w, patch(&w, DISKS_PATCH("US_EAST_1", DISK("99"), "")), 500, "CANNOT_DECREASE_DISK_SIZE");
  expect_disks(&w, patch_done(&w, DISKS_PATCH("EU_WEST_1", DISK("20"), "")), "20", "20"); /* a new region has new disks */
  close_world(&w);
}

/* Checks that the body of a GET is accepted and changes nothing. */
static void send_back(cluster_world *w)
{
  cluster_reply before = get(w), r;
  const char *events_before = events(w);
  r = patch(w, before.text.p);
  if (r.status != 200) munit_logf(MUNIT_LOG_WARNING, "%.*s", (int)r.text.n, r.text.p);
  munit_assert_int(r.status, ==, 200);
  munit_assert(svc_str_eq(r.text, before.text));
  r = get(w);
  munit_assert(svc_str_eq(r.etag, before.etag));
  munit_assert_string_equal(events(w), events_before);
}

TEST(cluster, send_back)
{
  cluster_world w;
  open_world(&w);
  make_cluster(&w, WITH("\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]"));
  send_back(&w); /* CREATING */
  w.t.now += 10000;
  send_back(&w); /* IDLE */
  patch(&w, "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\","
            "\"electableSpecs\":{\"instanceSize\":\"M30\"},\"readOnlySpecs\":{\"nodeCount\":2}},{\"providerName\":"
            "\"GCP\",\"regionName\":\"WESTERN_US\",\"analyticsSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1}}]}]}");
  send_back(&w); /* UPDATING */
  w.t.now += 5000;
  patch_done(&w, "{\"paused\":true}");
  send_back(&w); /* paused */
  close_world(&w);
}

/* Each connection string is read-only by itself: a single string may be sent back. The error for a changed string names its path. */
TEST(cluster, send_back_part)
{
  cluster_world w;
  cluster_reply r;
  const char *srv;
  open_world(&w);
  make_idle(&w, NULL);
  r = get(&w);
  srv = text_at(&w, &r, "connectionStrings.standardSrv");
  r = patch(&w, svc_arena_print(&w.arena, "{\"connectionStrings\":{\"standardSrv\":\"%s\"}}", srv).p);
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "stateName", "IDLE");
  expect_text(&w, r, "connectionStrings.standardSrv", srv);
  text_at(&w, &r, "connectionStrings.standard");
  expect_error(&w, patch(&w, "{\"connectionStrings\":{\"private\":\"x\",\"standardSrv\":\"y\"}}"), 400, "ATTRIBUTE_READ_ONLY");
  munit_assert_true(t_violation(&w.t, "connectionStrings.private"));
  munit_assert_true(t_violation(&w.t, "connectionStrings.standardSrv"));
  close_world(&w);
}

TEST(cluster, lifecycle)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_cluster(&w, BODY("C"));
  w.t.now += 9999;
  r = get(&w);
  expect_text(&w, r, "stateName", "CREATING");
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "PENDING");
  munit_assert_string_equal(events(&w), "CLUSTER_CREATED");
  w.t.now += 1;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "APPLIED");
  munit_assert_string_equal(events(&w), "CLUSTER_READY CLUSTER_CREATED");

  r = patch(&w, "{\"backupEnabled\":true}");
  expect_text(&w, r, "stateName", "UPDATING");
  w.t.now += 4000;
  r = patch(&w, "{\"pitEnabled\":true}"); /* a second change during the first: the time starts again */
  munit_assert_int(r.status, ==, 200);
  w.t.now += 4000;
  r = get(&w);
  expect_text(&w, r, "stateName", "UPDATING");
  w.t.now += 1000;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  munit_assert_string_equal(events(&w), "CLUSTER_UPDATE_COMPLETED CLUSTER_UPDATE_STARTED CLUSTER_UPDATE_STARTED "
                                        "CLUSTER_READY CLUSTER_CREATED");

  r = call(&w, "DELETE", CLUSTER_C "?retainBackups=true", NULL);
  munit_assert_int(r.status, ==, 202);
  munit_assert(svc_str_is(r.text, "{}"));
  w.t.now += 2499;
  r = get(&w);
  expect_text(&w, r, "stateName", "DELETING");
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "PENDING");
  w.t.now += 1;
  expect_error(&w, call(&w, "GET", CLUSTER_C, NULL), 404, "CLUSTER_NOT_FOUND");
  expect_error(&w, call(&w, "GET", CLUSTER_C "/status", NULL), 404, "CLUSTER_NOT_FOUND");
  munit_assert_int(strncmp(events(&w), "CLUSTER_DELETED CLUSTER_DELETE_SUBMITTED ", 41), ==, 0);
  close_world(&w);
}

TEST(cluster, changes_while_creating)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_cluster(&w, BODY("C"));
  w.t.now += 6000;
  r = patch(&w, "{\"backupEnabled\":true}");
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "stateName", "CREATING");
  w.t.now += 4000; /* the time at which the creation would have ended anyway */
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  munit_assert_string_equal(events(&w), "CLUSTER_READY CLUSTER_UPDATE_SUBMITTED CLUSTER_CREATED");
  close_world(&w);
}

/* Tags and labels can also change while a cluster is paused. A change of the termination protection needs no work on the hosts. */
TEST(cluster, light_changes)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, NULL);
  r = patch(&w, "{\"tags\":[{\"key\":\"env\",\"value\":\"prod\"}]}");
  expect_text(&w, r, "stateName", "UPDATING");
  w.t.now += 5000;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  r = patch(&w, "{\"tags\":[{\"key\":\"env\",\"value\":\"prod\"}]}"); /* unchanged: no update starts */
  expect_text(&w, r, "stateName", "IDLE");
  r = patch(&w, "{\"terminationProtectionEnabled\":true}");
  expect_text(&w, r, "stateName", "IDLE");
  munit_assert_string_equal(events(&w), "CLUSTER_UPDATE_SUBMITTED CLUSTER_UPDATE_COMPLETED CLUSTER_TAGS_MODIFIED CLUSTER_READY CLUSTER_CREATED");
  r = patch(&w, "{\"labels\":[{\"key\":\"a\",\"value\":\"b\"}]}");
  expect_text(&w, r, "stateName", "UPDATING");
  w.t.now += 5000;
  r = patch_done(&w, "{\"paused\":true}");
  r = patch(&w, "{\"labels\":[],\"tags\":[]}");
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "stateName", "UPDATING");
  w.t.now += 5000;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  expect_text(&w, r, "paused", "true");
  close_world(&w);
}

/* Pause and resume: REPAIRING, then IDLE. */
TEST(cluster, pause_states)
{
  static const char *const ways[] = { "{\"paused\":true}", "{\"paused\":false}" };
  cluster_world w;
  cluster_reply r;
  int i;
  open_world(&w);
  make_idle(&w, NULL);
  for (i = 0; i < 2; i++) {
    r = patch(&w, ways[i]);
    expect_text(&w, r, "stateName", "REPAIRING");
    expect_text(&w, r, "paused", i == 0 ? "true" : "false");
    w.t.now += 4999;
    r = get(&w);
    expect_text(&w, r, "stateName", "REPAIRING");
    w.t.now += 1;
    r = get(&w);
    expect_text(&w, r, "stateName", "IDLE");
  }
  close_world(&w);
}

TEST(cluster, pause)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_cluster(&w, BODY("C"));
  expect_error(&w, patch(&w, "{\"paused\":true}"), 409, "CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES");
  w.t.now += 10000;
  expect_error(&w, patch(&w, "{\"paused\":true,\"backupEnabled\":true}"), 409, "CANNOT_UPDATE_AND_PAUSE_CLUSTER");
  expect_error(&w, patch(&w, "{\"paused\":true,\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), 409,
               "CANNOT_UPDATE_AND_PAUSE_CLUSTER");
  r = patch_done(&w, "{\"paused\":true,\"backupEnabled\":false}"); /* the stored value: no change */
  expect_text(&w, r, "paused", "true");
  expect_text(&w, r, "stateName", "IDLE");
  r = patch(&w, "{\"paused\":true}");
  expect_error(&w, r, 409, "CLUSTER_ALREADY_PAUSED");
  expect_text(&w, r, "parameters[0]", "C");
  expect_error(&w, patch(&w, "{\"backupEnabled\":true}"), 409, "CANNOT_UPDATE_PAUSED_CLUSTER");
  expect_error(&w, patch(&w, "{\"backupEnabled\":true,\"paused\":false}"), 409, "CANNOT_UPDATE_PAUSED_CLUSTER");
  r = patch(&w, "{\"paused\":false}");
  munit_assert_int(r.status, ==, 200);
  w.t.now += 60 * 60000 - 1;
  r = patch(&w, "{\"paused\":true}");
  expect_error(&w, r, 400, "CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER");
  expect_text(&w, r, "parameters[1]", "60");
  munit_assert_int(patch(&w, "{\"backupEnabled\":true}").status, ==, 200); /* other changes do not affect this time */
  expect_error(&w, patch(&w, "{\"paused\":true}"), 409, "CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES");
  w.t.now += 5000;
  r = patch_done(&w, "{\"paused\":true}");
  expect_text(&w, r, "paused", "true");
  munit_assert_int(call(&w, "DELETE", CLUSTER_C, NULL).status, ==, 202);
  close_world(&w);
}

#define DAY ((int64_t)24 * 60 * 60 * 1000)

/* A damaged record has a due step that ends a pause, but the cluster is not paused: the due step changes nothing. */
TEST(cluster, resumes_damaged)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, NULL);
  patch_done(&w, "{\"paused\":true}");
  damaged_body(&w.t, "cluster", w.group, NULL, "\"paused\":true", "\"paused\":false");
  w.t.now += 31 * DAY;
  r = get(&w);
  expect_text(&w, r, "paused", "false");
  expect_text(&w, r, "stateName", "IDLE");
  r = call(&w, "GET", "/groups/%G/events?eventType=CLUSTER_UPDATE_STARTED", NULL);
  expect_text(&w, r, "totalCount", "1"); /* the event of the pause */
  close_world(&w);
}

/* After 30 days a paused cluster resumes by itself, with the events of a change but without a user. */
TEST(cluster, resumes)
{
  cluster_world w;
  cluster_reply r;
  svc_str etag;
  open_world(&w);
  make_idle(&w, NULL);
  r = patch_done(&w, "{\"paused\":true}"); /* takes five seconds of the 30 days */
  etag = r.etag;
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "APPLIED");
  w.t.now += 29 * DAY;
  r = patch(&w, "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"); /* does not affect the pause */
  munit_assert_int(r.status, ==, 200);
  w.t.now += DAY - 5000 - 1;
  r = get(&w);
  expect_text(&w, r, "paused", "true");
  expect_text(&w, r, "stateName", "IDLE");
  w.t.now += 1;
  r = get(&w);
  expect_text(&w, r, "paused", "false");
  expect_text(&w, r, "stateName", "REPAIRING");
  munit_assert_false(svc_str_eq(r.etag, etag));
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "PENDING");
  r = call(&w, "GET", "/groups/%G/events?clusterNames=C&itemsPerPage=1", NULL);
  expect_text(&w, r, "results[0].eventTypeName", "CLUSTER_UPDATE_STARTED");
  expect_text(&w, r, "results[0].created", "2025-07-01T00:00:10Z");
  expect_none(r, "results[0].userId");
  w.t.now += 5000;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  munit_assert_string_equal(events(&w), "CLUSTER_UPDATE_COMPLETED CLUSTER_UPDATE_STARTED CLUSTER_UPDATE_COMPLETED CLUSTER_TAGS_MODIFIED "
                                        "CLUSTER_UPDATE_COMPLETED CLUSTER_UPDATE_STARTED CLUSTER_READY CLUSTER_CREATED");
  expect_error(&w, patch(&w, "{\"paused\":true}"), 400, "CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER");
  w.t.now += 100 * DAY;
  r = get(&w);
  expect_text(&w, r, "stateName", "IDLE");
  r = patch_done(&w, "{\"paused\":true}");
  w.t.now += 10 * DAY;
  patch_done(&w, "{\"paused\":false}"); /* resumed before the 30 days: the due step is removed */
  w.t.now += 10 * DAY;
  r = patch_done(&w, "{\"paused\":true}"); /* the next pause counts from its own start */
  w.t.now += 30 * DAY - 5001;
  r = get(&w);
  expect_text(&w, r, "paused", "true");
  munit_assert_int(call(&w, "DELETE", CLUSTER_C, NULL).status, ==, 202);
  r = call(&w, "GET", CLUSTER_C "/status", NULL);
  expect_text(&w, r, "changeStatus", "PENDING");
  w.t.now += 2500;
  expect_error(&w, call(&w, "GET", CLUSTER_C, NULL), 404, "CLUSTER_NOT_FOUND");
  w.t.now += 30 * DAY;
  munit_assert_int(strncmp(events(&w), "CLUSTER_DELETED CLUSTER_DELETE_SUBMITTED ", 41), ==, 0);

  make_idle(&w, NULL); /* months without a request: every due step has its own time, in order */
  munit_assert_int(patch(&w, "{\"paused\":true}").status, ==, 200);
  w.t.now += 90 * DAY;
  r = get(&w);
  expect_text(&w, r, "paused", "false");
  expect_text(&w, r, "stateName", "IDLE");
  munit_assert_int(patch(&w, "{\"paused\":true}").status, ==, 200);
  close_world(&w);
}

TEST(cluster, versions_of_database)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, WITH("\"dbMajorVersion\":\"6.0\""));
  r = patch_done(&w, "{\"dbMajorVersion\":\"7.0\"}");
  expect_text(&w, r, "dbVersion", "7.0.21");
  expect_text(&w, r, "featureCompatibilityVersion", "7.0");
  r = patch(&w, "{\"dbMajorVersion\":\"6.0\"}");
  expect_error(&w, r, 400, "DB_VERSION_INVALID");
  expect_text(&w, r, "parameters[0]", "6.0");
  expect_error(&w, patch(&w, "{\"dbMajorVersion\":\"\"}"), 400, "INVALID_ATTRIBUTE");
  expect_error(&w, patch(&w, "{\"dbMajorVersion\":\"9.0\"}"), 400, "DB_VERSION_INVALID");
  r = call(&w, "GET", "/clusters", NULL);
  expect_text(&w, r, "results[0].clusters[0].versions[0]", "7.0.21");
  close_world(&w);
}

TEST(cluster, shards)
{
  cluster_world w;
  cluster_reply one, two, r;
  const char *hosts;
  open_world(&w);
  make_idle(&w, NULL);
  one = get(&w);
  expect_error(&w, patch(&w, "{\"replicationSpecs\":[" SPEC("M10") "," SPEC("M10") "]}"), 400,
               "REPLICATION_SPECS_INVALID");
  two = patch_done(&w, "{\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" SPEC("M30") "," SPEC("M40") "]}");
  expect_text(&w, two, "configServerType", "EMBEDDED");
  expect_text(&w, two, "replicationSpecs[0].id", text_at(&w, &one, "replicationSpecs[0].id"));
  expect_text(&w, two, "replicationSpecs[1].zoneId", text_at(&w, &one, "replicationSpecs[0].zoneId"));
  munit_assert_string_not_equal(text_at(&w, &two, "replicationSpecs[0].id"),
                                text_at(&w, &two, "replicationSpecs[1].id"));
  hosts = text_at(&w, &two, "connectionStrings.standard");
  munit_assert_not_null(strstr(hosts, "-shard-01-02."));
  munit_assert_null(strstr(hosts, "replicaSet="));
  expect_text(&w, two, "connectionStrings.standardSrv", text_at(&w, &one, "connectionStrings.standardSrv"));

  /* in another order, identified by id: the shards stay the same; a spec without id is a new shard */
  r = patch_done(&w, svc_arena_print(&w.arena, "{\"replicationSpecs\":[%s,{\"id\":\"%s\",%s,{\"id\":\"%s\",%s]}",
                                     SPEC("M50"), text_at(&w, &two, "replicationSpecs[1].id"), SPEC("M40") + 1,
                                     text_at(&w, &two, "replicationSpecs[0].id"), SPEC("M30") + 1).p);
  munit_assert_size(svc_node_count(at(r.body, "replicationSpecs")), ==, 3);
  munit_assert_string_not_equal(text_at(&w, &r, "replicationSpecs[0].id"), text_at(&w, &r, "replicationSpecs[1].id"));
  munit_assert_string_not_equal(text_at(&w, &r, "replicationSpecs[0].id"), text_at(&w, &r, "replicationSpecs[2].id"));
  expect_text(&w, r, "replicationSpecs[1].id", text_at(&w, &two, "replicationSpecs[1].id"));
  expect_error(&w, patch(&w, "{\"replicationSpecs\":[{\"id\":\"0123456789abcdef01234567\",\"regionConfigs\":[]}]}"),
               400, "ATTRIBUTE_READ_ONLY");

  /* a zone keeps its id while one of its shards remains */
  r = patch_done(&w, "{\"replicationSpecs\":[{\"zoneName\":\"Other\",\"regionConfigs\":[{\"providerName\":\"AWS\","
                     "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}," SPEC("M30") "]}");
  expect_text(&w, r, "replicationSpecs[1].zoneId", text_at(&w, &one, "replicationSpecs[0].zoneId"));
  munit_assert_string_not_equal(text_at(&w, &r, "replicationSpecs[0].zoneId"),
                                text_at(&w, &r, "replicationSpecs[1].zoneId"));
  expect_error(&w, patch(&w, "{\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" SPEC("M10") "]}"), 400,
               "SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET");
  close_world(&w);
}

TEST(cluster, tenant)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, TENANT("M0", "EUROPE_WEST"));
  r = get(&w);
  expect_text(&w, r, "replicationSpecs[0].regionConfigs[0].electableSpecs.effectiveInstanceSize", "M0");
  munit_assert_not_null(strstr(text_at(&w, &r, "connectionStrings.standard"), "-shard-00-02."));
  expect_error(&w, patch(&w, "{\"paused\":true}"), 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED");
  send_back(&w);
  /* only tenantUpgrade leaves the shared tier */
  expect_error(&w, patch(&w, "{\"replicationSpecs\":[" SPEC("M10") "]}"), 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED");
  close_world(&w);
}

/* --------------------------------------------------------------------------------------------------------- deleting */

TEST(cluster, delete)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_idle(&w, WITH("\"terminationProtectionEnabled\":true"));
  r = call(&w, "DELETE", CLUSTER_C, NULL);
  expect_error(&w, r, 400, "CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED");
  expect_text(&w, r, "parameters[0]", "C");
  patch_done(&w, "{\"terminationProtectionEnabled\":false}");
  expect_error(&w, call(&w, "DELETE", "/groups/%G", NULL), 409, "CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS");
  r = call(&w, "GET", "/groups/%G", NULL);
  expect_text(&w, r, "clusterCount", "1");
  munit_assert_int(call(&w, "DELETE", CLUSTER_C, NULL).status, ==, 202);
  expect_error(&w, call(&w, "DELETE", CLUSTER_C, NULL), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  r = patch(&w, "{\"backupEnabled\":true}");
  expect_error(&w, r, 400, "GENERAL_ERROR");
  expect_text(&w, r, "parameters[0]", "This cluster is currently being deleted, cannot update");
  expect_text(&w, r, "detail", "Reason: This cluster is currently being deleted, cannot update.");
  expect_error(&w, call(&w, "POST", "/groups/%G/clusters", BODY("C")), 409, "DUPLICATE_CLUSTER_NAME");
  w.t.now += 2500;
  r = call(&w, "GET", CLUSTER_C, NULL);
  expect_error(&w, r, 404, "CLUSTER_NOT_FOUND");
  expect_text(&w, r, "parameters[0]", "C");
  expect_text(&w, r, "parameters[1]", w.group);
  expect_error(&w, patch(&w, "{}"), 404, "CLUSTER_NOT_FOUND");
  expect_error(&w, call(&w, "DELETE", CLUSTER_C, NULL), 404, "CLUSTER_NOT_FOUND");
  r = call(&w, "GET", "/groups/%G", NULL);
  expect_text(&w, r, "clusterCount", "0");
  make_cluster(&w, BODY("C"));
  close_world(&w);
}

TEST(cluster, duplicates)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_cluster(&w, BODY("C"));
  r = call(&w, "POST", "/groups/%G/clusters", BODY("C"));
  expect_error(&w, r, 409, "DUPLICATE_CLUSTER_NAME");
  expect_text(&w, r, "parameters[0]", "C");
  expect_text(&w, r, "parameters[1]", w.group);
  make_cluster(&w, BODY("c")); /* names are case-sensitive */
  w.group = t_project(&w.t, w.org, "P2");
  make_cluster(&w, BODY("C"));
  close_world(&w);
}

/* ----------------------------------------------------------------------------------------------- connection strings */

/* Checks that the nineteen digits in base 36 are the id of the project. */
static void expect_project_in(const char *digits, const char *id)
{
  unsigned char bytes[12] = { 0 };
  char hex[25];
  int i, k;
  for (i = 0; i < 19; i++) {
    unsigned carry = (unsigned)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    for (k = 11; k >= 0; k--) {
      carry += bytes[k] * 36u;
      bytes[k] = (unsigned char)carry;
      carry >>= 8;
    }
  }
  for (i = 0; i < 12; i++) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
  munit_assert_string_equal(hex, id);
}

TEST(cluster, connection_strings)
{
  enum { COUNT = 60 };
  cluster_world w;
  cluster_reply r;
  const char *srv[COUNT], *standard;
  int i, j;
  open_world(&w);
  for (i = 0; i < COUNT; i++) {
    if (i == COUNT / 2) w.group = t_project(&w.t, w.org, "P2");
    if (i % (COUNT / 2) == 0)
      munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":90}", "/groups/%s/limits/svc.project.deployment.clusters", w.group),
                       ==, 200);
    r = make_cluster(&w, svc_arena_print(&w.arena, "{\"name\":\"C%d\",\"clusterType\":\"REPLICASET\","
                                         "\"replicationSpecs\":[%s]}", i, SPEC("M10")).p);
    munit_assert_null(at(r.body, "connectionStrings.standard")); /* the cluster has no hosts yet */
    munit_assert_null(at(r.body, "connectionStrings.standardSrv"));
    w.t.now += 10000;
    r = call(&w, "GET", svc_arena_print(&w.arena, "/groups/%%G/clusters/C%d", i).p, NULL);
    srv[i] = text_at(&w, &r, "connectionStrings.standardSrv");
    standard = text_at(&w, &r, "connectionStrings.standard");
    munit_assert(svc_pattern_match("db\\+srv://[a-z0-9]{6}\\.[a-z0-9]{19}\\.db\\.local", svc_str_c(srv[i])));
    munit_assert(svc_pattern_match("db://[a-z0-9]{6}-shard-00-00\\.[a-z0-9]{19}\\.db\\.local:27017,"
                                   "[a-z0-9]{6}-shard-00-01\\.[a-z0-9]{19}\\.db\\.local:27017,"
                                   "[a-z0-9]{6}-shard-00-02\\.[a-z0-9]{19}\\.db\\.local:27017"
                                   "/\\?ssl=true&authSource=admin&replicaSet=[a-z0-9]{6}-shard-0",
                                   svc_str_c(standard)));
    munit_assert_int(strncmp(standard + 5, srv[i] + 9, 6), ==, 0);
    for (j = 0; j < i; j++) munit_assert_int(strncmp(srv[i] + 9, srv[j] + 9, 6), !=, 0);
  }
  expect_project_in(srv[COUNT - 1] + 16, w.group); /* the project's id, which no other project has */
  munit_assert_string_equal(srv[0] + 15, srv[1] + 15);               /* clusters of one project */
  munit_assert_string_not_equal(srv[0] + 15, srv[COUNT - 1] + 15);   /* clusters of two projects */
  close_world(&w);
}

/* A project has a limit on the number of its clusters. The limit can be changed. */
TEST(cluster, quota)
{
  cluster_world w;
  char body[256];
  int i;
  open_world(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":2}", "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==,
                   200);
  for (i = 0; i < 3; i++) {
    snprintf(body, sizeof body, "{\"name\":\"Q%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[%s]}", i, SPEC("M10"));
    munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.group), ==, i < 2 ? 201 : 403);
  }
  munit_assert_string_equal(t_error(&w.t), "CLUSTERS_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "2");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 2);
  close_world(&w);
}

/* ------------------------------------------------------------------------------------------------------- everywhere */

TEST(cluster, everywhere)
{
  cluster_world w;
  cluster_reply r;
  const char *first;
  open_world(&w);
  first = w.group;
  make_cluster(&w, BODY("A"));
  make_cluster(&w, BODY("B"));
  w.group = t_project(&w.t, w.org, "P2");
  make_cluster(&w, BODY("C"));
  w.group = t_project(&w.t, w.org, "P3");
  r = call(&w, "GET", "/clusters", NULL);
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "totalCount", "3");
  expect_text(&w, r, "results[0].groupId", first);
  expect_text(&w, r, "results[0].groupName", "P1");
  expect_text(&w, r, "results[0].orgName", "Acme");
  expect_text(&w, r, "results[0].orgId", w.org);
  expect_text(&w, r, "results[0].clusters[0].name", "A");
  expect_text(&w, r, "results[0].clusters[1].name", "B");
  expect_text(&w, r, "results[0].clusters[1].availability", "available");
  expect_text(&w, r, "results[1].clusters[0].nodeCount", "3");
  munit_assert_size(svc_node_count(at(r.body, "results[1].clusters")), ==, 1);
  munit_assert_size(svc_node_count(at(r.body, "results[2].clusters")), ==, 0);
  /* the link of each item leads to the list, because no operation returns a single item */
  expect_text(&w, r, "results[0].links[0].href", "http://localhost:8080/api/svc/v2/clusters");

  r = call(&w, "GET", "/clusters?itemsPerPage=1&pageNum=2", NULL);
  munit_assert_size(svc_node_count(at(r.body, "results")), ==, 1);
  expect_text(&w, r, "results[0].groupName", "P2");
  expect_text(&w, r, "totalCount", "3");
  munit_assert_size(svc_node_count(at(r.body, "links")), ==, 3);

  w.t.grants[0].role = "GROUP_READ_ONLY";
  w.t.grants[0].on = first;
  r = call(&w, "GET", "/clusters", NULL);
  expect_text(&w, r, "totalCount", "1");
  expect_text(&w, r, "results[0].groupName", "P1");
  w.t.caller.grant_count = 0;
  r = call(&w, "GET", "/clusters", NULL);
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "totalCount", "0");
  close_world(&w);
}

/* ------------------------------------------------------------------------------------------- lists, versions, roles */

TEST(cluster, list)
{
  cluster_world w;
  cluster_reply r;
  open_world(&w);
  make_cluster(&w, BODY("A"));
  make_cluster(&w, BODY("B"));
  r = call(&w, "GET", "/groups/%G/clusters?includeDeletedWithRetainedBackups=true&itemsPerPage=1", NULL);
  munit_assert_int(r.status, ==, 200);
  expect_text(&w, r, "totalCount", "2");
  expect_text(&w, r, "results[0].name", "A");
  expect_text(&w, r, "results[0].links[0].rel", "self");
  expect_error(&w, call(&w, "GET", "/groups/%G/clusters?includeDeletedWithRetainedBackups=maybe", NULL), 400,
               "INVALID_QUERY_PARAMETER");
  expect_error(&w, call(&w, "GET", "/groups/0123456789abcdef01234567/clusters", NULL), 404, "GROUP_NOT_FOUND");
  close_world(&w);
}

TEST(cluster, version_dates)
{
  static const struct { const char *accept, *method, *path; int status; const char *code; } rows[] = {
    { "application/vnd.svc.2024-08-05+json", "GET", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2024-08-04+json", "GET", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2023-01-01+json", "GET", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2022-12-31+json", "GET", CLUSTER_C, 406, "INVALID_VERSION_DATE" },
    { "application/vnd.svc.2024-08-05+json", "PATCH", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2023-01-01+json", "PATCH", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2024-10-23+json", "PATCH", CLUSTER_C, 200, NULL },
    { "application/vnd.svc.2023-02-01+json", "GET", "/groups/%G/clusters", 200, NULL },
    { "application/vnd.svc.2022-12-31+json", "POST", "/groups/%G/clusters", 406, "INVALID_VERSION_DATE" },
    { "application/vnd.svc.2023-01-01+json", "GET", CLUSTER_C "/status", 200, NULL },
    { "application/vnd.svc.2023-01-01+json", "GET", "/clusters", 200, NULL },
    { "application/vnd.svc.2023-01-01+json", "DELETE", CLUSTER_C, 202, NULL },
  };
  cluster_world w;
  cluster_reply r;
  size_t i;
  open_world(&w);
  make_idle(&w, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_header(&w.t, "Accept", rows[i].accept);
    r = call(&w, rows[i].method, rows[i].path, strcmp(rows[i].method, "PATCH") == 0 ? "{}" : NULL);
    if (rows[i].code) expect_error(&w, r, rows[i].status, rows[i].code);
    else munit_assert_int(r.status, ==, rows[i].status);
  }
  close_world(&w);
}

TEST(cluster, roles)
{
  static const struct { const char *role, *method, *path, *body; int status; } rows[] = {
    { "GROUP_READ_ONLY", "GET", CLUSTER_C, NULL, 200 },
    { "GROUP_READ_ONLY", "GET", CLUSTER_C "/status", NULL, 200 },
    { "GROUP_READ_ONLY", "PATCH", CLUSTER_C, "{\"backupEnabled\":true}", 403 },
    { "GROUP_READ_ONLY", "POST", "/groups/%G/clusters", BODY("D"), 403 },
    { "GROUP_CLUSTER_CREATOR", "POST", "/groups/%G/clusters", BODY("D"), 201 },
    { "GROUP_CLUSTER_CREATOR", "PATCH", CLUSTER_C, "{\"backupEnabled\":true}", 403 },
    { "GROUP_CLUSTER_MANAGER", "PATCH", CLUSTER_C, "{\"backupEnabled\":true}", 200 },
    { "GROUP_REPLICA_SET_MANAGER", "PATCH", CLUSTER_C, "{\"backupEnabled\":false}", 200 },
    { "GROUP_CLUSTER_RESILIENCE_TESTER", "PATCH", CLUSTER_C, "{\"backupEnabled\":true}", 200 },
    { "GROUP_CLUSTER_MANAGER", "DELETE", CLUSTER_C, NULL, 403 },
    { "GROUP_OWNER", "DELETE", CLUSTER_C, NULL, 202 },
  };
  cluster_world w;
  size_t i;
  open_world(&w);
  make_idle(&w, NULL);
  w.t.grants[0].on = w.group;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    w.t.grants[0].role = rows[i].role;
    munit_assert_int(call(&w, rows[i].method, rows[i].path, rows[i].body).status, ==, rows[i].status);
  }
  w.t.caller.grant_count = 0;
  expect_error(&w, call(&w, "GET", CLUSTER_C, NULL), 401, "USER_UNAUTHORIZED");
  close_world(&w);
}

/* -------------------------------------------------------------------------------------------------------- no memory */

/* An allocator that returns NULL after `left` allocations. */
static void *scarce_resize(void *context, void *p, size_t size)
{
  int *left = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (*left == 0) return NULL;
  if (*left > 0) --*left;
  return realloc(p, size);
}

/* Memory runs out at each allocation of the request in turn: the answer is 503, and nothing changes, until the request has enough memory
** and succeeds. */
static void starve(cluster_world *w, int *left, const char *method, const char *path, const char *body, int status)
{
  svc_header type = { "Content-Type", "application/json", 0, 0 };
  svc_request request;
  svc_response response;
  uint64_t print = store_print(w->t.s);
  int n;
  memset(&request, 0, sizeof request);
  request.method = method;
  request.target = svc_arena_print(&w->arena, "/api/svc/v2%s", fill_in(w, path)).p;
  request.headers = &type;
  request.header_count = 1;
  request.body = body;
  request.body_length = strlen(body);
  request.caller = &w->t.caller;
  for (n = 0;; n++) {
    *left = n;
    svc_handle_request(w->t.s, &request, &response);
    *left = -1;
    if (response.status != 503) break;
    svc_response_free(&response);
    munit_assert_uint64(store_print(w->t.s), ==, print);
    munit_assert_int(n, <, 1000);
  }
  munit_assert_int(response.status, ==, status);
  svc_response_free(&response);
}

TEST(cluster, no_memory)
{
  cluster_world w;
  svc_config config;
  cluster_reply r;
  int left = -1;
  memset(&config, 0, sizeof config);
  config.allocator.resize = scarce_resize;
  config.allocator.context = &left;
  memset(&w, 0, sizeof w);
  t_open(&w.t, &config);
  svc_arena_init(&w.arena, NULL);
  w.org = t_organization(&w.t, "Acme");
  w.group = t_project(&w.t, w.org, "P1");
  starve(&w, &left, "POST", "/groups/%G/clusters",
         "{\"name\":\"C\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" SPEC("M30") "," SPEC("M40") "]}", 201);
  starve(&w, &left, "PATCH", CLUSTER_C, "{\"replicationSpecs\":[" SPEC("M30") "," SPEC("M50") "," SPEC("M30") "]}",
         200);
  starve(&w, &left, "GET", CLUSTER_C "/status", "", 200);
  starve(&w, &left, "GET", "/clusters", "", 200);
  starve(&w, &left, "DELETE", CLUSTER_C, "", 202);
  r = call(&w, "GET", "/groups/%G", NULL);
  expect_text(&w, r, "clusterCount", "1");
  close_world(&w);
}

/* If another cluster of the project has the same random characters in its host names, a new cluster gets others. */
TEST(cluster, hosts_taken)
{
  char srv[3][128], id[6];
  cluster_world w;
  cluster_reply r;
  int i;
  for (i = 0; i < 3; i++) { /* all random values are the same each time */
    open_world(&w);
    make_idle(&w, NULL);
    if (i == 2) damaged_bytes(&w.t, "cluster", w.group, NULL, 0, (svc_str){ id, sizeof id });
    munit_assert_int(call(&w, "POST", "/groups/%G/clusters", BODY("D")).status, ==, 201);
    w.t.now += 10000;
    r = call(&w, "GET", "/groups/%G/clusters/D", NULL);
    snprintf(srv[i], sizeof srv[i], "%s", text_at(&w, &r, "connectionStrings.standardSrv"));
    munit_assert_int(strncmp(srv[i], "db+srv://", 9), ==, 0);
    memcpy(id, srv[i] + 9, sizeof id);
    close_world(&w);
  }
  munit_assert_string_equal(srv[0], srv[1]);
  munit_assert_string_not_equal(srv[1], srv[2]);
  munit_assert_string_equal(srv[1] + 9 + sizeof id, srv[2] + 9 + sizeof id); /* only these characters differ */
}
