/*
** cluster: a database deployment of a project, on machines of one or more cloud providers.
**
**   POST --> CREATING --> IDLE <--> UPDATING <-- PATCH
**                           |
**                           +-----> DELETING <-- DELETE     then it is gone: 404
**
** Unusual: pausing is a change of its own, and none comes within an hour of a resume; after 30 days a paused cluster
** resumes by itself, as if it had been asked to. Disks grow only, and one that a change says nothing of stays as it is.
** Tags, labels and the protection from termination are only written down: they leave the state alone and also go through
** while the cluster is paused. What changes during CREATING is part of the creation. Several replication specs of one
** zone are its shards: they share a zone name and a zone id.
**
** Beside the body a cluster keeps what is drawn at struct cluster_facts, and behind it, ready to be copied, how it
** shows in the list of all clusters.
*/
#include "catalog/catalog.h"

#include "catalog/db_versions.h"
#include "catalog/objects.h"
#include "catalog/values.h"

enum {
  CLUSTER_MAX_SHARDS = 50,
  CLUSTER_MAX_VOTES = 7,  /* electable nodes of a shard: more cannot vote */
  CLUSTER_MAX_NODES = 50, /* other nodes of one kind in a region */
  CLUSTER_TENANT_NODES = 3,
  CLUSTER_PAUSE_MINUTES = 60, /* after a resume */
  CLUSTER_PAUSED_DAYS = 30    /* then it resumes */
};

#define CLUSTER_KIND "clus"
#define CLUSTER_DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_types[] = { "REPLICASET", "SHARDED", "GEOSHARDED", NULL };
static const char *const cluster_states[] = { "IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING", NULL };
static const char *const cluster_on_off[] = { "ENABLED", "DISABLED", NULL };
static const char *const cluster_config_modes[] = { "SVC_MANAGED", "FIXED_TO_DEDICATED", NULL };
static const char *const cluster_config_types[] = { "DEDICATED", "EMBEDDED", NULL };
static const char *const cluster_warming[] = { "FULLY_WARMED", "VISIBLE_EARLIER", "ENHANCED_FULLY_WARMED", NULL };
static const char *const cluster_key_holders[] = { "NONE", "AWS", "AZURE", "GCP", NULL };
static const char *const cluster_roles[] = { "NONE", "SYSTEM_CLUSTER", "INTERNAL_SHADOW_CLUSTER", NULL };
static const char *const cluster_scaling[] = { "SEQUENTIAL", "WORKLOAD_TYPE", "NODE_TYPE", NULL };
static const char *const cluster_root_certs[] = { "ISRGROOTX1", NULL };
static const char *const cluster_releases[] = { "LTS", "CONTINUOUS", NULL };
static const char *const cluster_read_from[] = { "PRIMARY", "SECONDARY", "ANALYTICS", NULL };
static const char *const cluster_tls[] = { "TLS1_0", "TLS1_1", "TLS1_2", "TLS1_3", NULL };
static const char *const cluster_cipher_modes[] = { "CUSTOM", "DEFAULT", NULL };
static const char *const cluster_ciphers_12[] = {
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", NULL
};
static const char *const cluster_ciphers_13[] = { "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
                                                  "TLS_AES_128_GCM_SHA256", "TLS_AES_128_CCM_SHA256", NULL };
static const char *const cluster_volumes[] = { "STANDARD", "PROVISIONED", "HIGH_PERFORMANCE", NULL };
static const char *const cluster_tenant_sizes[] = { "FLEX", "M2", "M5", "M0", NULL };
static const char *const cluster_endpoint_types[] = { "DBD", "DBS", NULL };
static const char *const cluster_grants[] = { "CLUSTER_DATABASE_LOGS", "CLUSTER_INFRASTRUCTURE",
                                              "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA", NULL };

/* Changes of these are only written down: nothing is done to the deployment. */
static const char *const cluster_light[] = { "labels", "tags", "terminationProtectionEnabled", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_compute_fields[] = {
  F_BOOL("enabled", .preset = "false"),
  F_ENUM("maxInstanceSize", svc_values_sizes),
  F_ENUM("minInstanceSize", svc_values_sizes),
  F_BOOL("scaleDownEnabled", .preset = "false"),
  F_END
};
static const svc_object cluster_compute = { .name = "AdvancedComputeAutoScaling", .fields = cluster_compute_fields };

static const svc_field cluster_disk_fields[] = { F_BOOL("enabled", .preset = "false"), F_END };
static const svc_object cluster_disk = { .name = "DiskGBAutoScaling", .fields = cluster_disk_fields };

static const svc_field cluster_auto_fields[] = {
  F_OBJ("compute", &cluster_compute),
  F_OBJ("diskGB", &cluster_disk),
  F_END
};
static const svc_object cluster_auto = { .name = "AdvancedAutoScalingSettings", .fields = cluster_auto_fields };

/*
** Hardware. Nodes that can be elected say what they run on; further ones, read-only or for analytics, follow them where
** they say nothing.
*/
#define CLUSTER_ELECTABLE(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1, .preset = "10"), \
  F_ENUM("instanceSize", sizes, .flags = SVC_REQUIRED), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_MAX_VOTES, .preset = "3"), F_END
#define CLUSTER_FURTHER(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1), F_ENUM("instanceSize", sizes), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_MAX_NODES, .preset = "0"), F_END

static const svc_field cluster_aws_disk_fields[] = {
  F_INT("diskIOPS", .flags = SVC_MIN, .min = 0),
  F_INT("diskThroughput", .flags = SVC_READ_ONLY),
  F_ENUM("ebsVolumeType", cluster_volumes, .preset = "\"STANDARD\""),
  F_END
};
static const svc_object cluster_aws_disk = { .name = "AWSDisk", .fields = cluster_aws_disk_fields };
static const svc_field cluster_aws_electable_fields[] = { CLUSTER_ELECTABLE(svc_values_aws_sizes) };
static const svc_object cluster_aws_electable = {
  .name = "AWSHardwareSpec", .fields = cluster_aws_electable_fields, .base = &cluster_aws_disk
};
static const svc_field cluster_aws_further_fields[] = { CLUSTER_FURTHER(svc_values_aws_sizes) };
static const svc_object cluster_aws_further = {
  .name = "AWSDedicatedHardwareSpec", .fields = cluster_aws_further_fields, .base = &cluster_aws_disk
};

static const svc_field cluster_azure_disk_fields[] = { F_INT("diskIOPS", .flags = SVC_MIN, .min = 0), F_END };
static const svc_object cluster_azure_disk = { .name = "AzureDisk", .fields = cluster_azure_disk_fields };
static const svc_field cluster_azure_electable_fields[] = { CLUSTER_ELECTABLE(svc_values_azure_sizes) };
static const svc_object cluster_azure_electable = {
  .name = "AzureHardwareSpec", .fields = cluster_azure_electable_fields, .base = &cluster_azure_disk
};
static const svc_field cluster_azure_further_fields[] = { CLUSTER_FURTHER(svc_values_azure_sizes) };
static const svc_object cluster_azure_further = {
  .name = "AzureDedicatedHardwareSpec", .fields = cluster_azure_further_fields, .base = &cluster_azure_disk
};

static const svc_field cluster_gcp_electable_fields[] = { CLUSTER_ELECTABLE(svc_values_gcp_sizes) };
static const svc_object cluster_gcp_electable = { .name = "GCPHardwareSpec", .fields = cluster_gcp_electable_fields };
static const svc_field cluster_gcp_further_fields[] = { CLUSTER_FURTHER(svc_values_gcp_sizes) };
static const svc_object cluster_gcp_further = {
  .name = "GCPDedicatedHardwareSpec", .fields = cluster_gcp_further_fields
};

static const svc_field cluster_tenant_hardware_fields[] = {
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 0),
  F_ENUM("effectiveInstanceSize", cluster_tenant_sizes, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSize", svc_values_tenant_sizes, .flags = SVC_REQUIRED),
  F_END
};
static const svc_object cluster_tenant_hardware = {
  .name = "TenantHardwareSpec", .fields = cluster_tenant_hardware_fields
};

/* A region, by its provider. */
static const svc_field cluster_region_fields[] = {
  F_INT("priority", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7),
  F_ENUM("providerName", svc_values_providers, .flags = SVC_REQUIRED),
  F_END
};
static const svc_object cluster_region_base = { .name = "RegionConfig", .fields = cluster_region_fields };

#define CLUSTER_REGION(electable, further, regions) \
  F_OBJ("analyticsAutoScaling", &cluster_auto), \
  F_OBJ("analyticsSpecs", further), \
  F_OBJ("autoScaling", &cluster_auto), \
  F_OBJ("effectiveAnalyticsSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveElectableSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveReadOnlySpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("electableSpecs", electable), \
  F_OBJ("readOnlySpecs", further), \
  F_ENUM("regionName", regions, .flags = SVC_REQUIRED), F_END

static const svc_field cluster_aws_fields[] = {
  CLUSTER_REGION(&cluster_aws_electable, &cluster_aws_further, svc_values_aws_regions)
};
static const svc_object cluster_aws = {
  .name = "AWSRegionConfig", .fields = cluster_aws_fields, .base = &cluster_region_base
};
static const svc_field cluster_azure_fields[] = {
  CLUSTER_REGION(&cluster_azure_electable, &cluster_azure_further, svc_values_azure_regions)
};
static const svc_object cluster_azure = {
  .name = "AzureRegionConfig", .fields = cluster_azure_fields, .base = &cluster_region_base
};
static const svc_field cluster_gcp_fields[] = {
  CLUSTER_REGION(&cluster_gcp_electable, &cluster_gcp_further, svc_values_gcp_regions)
};
static const svc_object cluster_gcp = {
  .name = "GCPRegionConfig", .fields = cluster_gcp_fields, .base = &cluster_region_base
};
static const svc_field cluster_tenant_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_OBJ("electableSpecs", &cluster_tenant_hardware, .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_regions, .flags = SVC_REQUIRED), /* the hook asks for one of the backing provider's */
  F_END
};
static const svc_object cluster_tenant = {
  .name = "TenantRegionConfig", .fields = cluster_tenant_fields, .base = &cluster_region_base
};
static const svc_variant cluster_region_variants[] = {
  { "AWS", &cluster_aws }, { "AZURE", &cluster_azure }, { "GCP", &cluster_gcp }, { "TENANT", &cluster_tenant },
  { NULL, NULL }
};
static const svc_object cluster_region = {
  .name = "CloudRegionConfig",
  .fields = cluster_region_fields,
  .variant_by = "providerName",
  .variants = cluster_region_variants
};

static const svc_field cluster_spec_fields[] = {
  F_ID(),
  F_LIST("regionConfigs", &cluster_region, .flags = SVC_REQUIRED, .min_items = 1, .max_items = 50),
  F_HEX24("zoneId", .flags = SVC_READ_ONLY), /* one for each zone name, so the hook gives it */
  F_STR("zoneName", .min = 1, .max = 255),
  F_END
};
static const svc_object cluster_spec = { .name = "ReplicationSpec", .fields = cluster_spec_fields };

static const svc_field cluster_advanced_fields[] = {
  F_STRS("customOpensslCipherConfigTls12", .values = cluster_ciphers_12, .preset = "[]"),
  F_STRS("customOpensslCipherConfigTls13", .values = cluster_ciphers_13, .max_items = 4, .preset = "[]"),
  F_ENUM("minimumEnabledTlsProtocol", cluster_tls, .preset = "\"TLS1_2\""),
  F_ENUM("tlsCipherConfigMode", cluster_cipher_modes, .preset = "\"DEFAULT\""),
  F_END
};
static const svc_object cluster_advanced = {
  .name = "ClusterAdvancedConfiguration", .fields = cluster_advanced_fields
};

static const svc_field cluster_bi_fields[] = {
  F_BOOL("enabled", .preset = "false"),
  F_ENUM("readPreference", cluster_read_from, .preset = "\"SECONDARY\""),
  F_END
};
static const svc_object cluster_bi = { .name = "BiConnector", .fields = cluster_bi_fields };

static const svc_field cluster_endpoint_fields[] = {
  F_STR("endpointId"),
  F_ENUM("providerName", svc_values_clouds),
  F_STR("region"),
  F_END
};
static const svc_object cluster_endpoint = { .name = "PrivateEndpoint", .fields = cluster_endpoint_fields };

static const svc_field cluster_private_fields[] = {
  F_STR("connectionString"),
  F_LIST("endpoints", &cluster_endpoint),
  F_STR("srvConnectionString"),
  F_STR("srvShardOptimizedConnectionString"),
  F_ENUM("type", cluster_endpoint_types),
  F_END
};
static const svc_object cluster_private = { .name = "PrivateEndpointStrings", .fields = cluster_private_fields };

static const svc_field cluster_strings_fields[] = {
  { .name = "awsPrivateLink", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY },
  { .name = "awsPrivateLinkSrv", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY },
  F_STR("private", .flags = SVC_READ_ONLY),
  F_LIST("privateEndpoint", &cluster_private, .flags = SVC_READ_ONLY),
  F_STR("privateSrv", .flags = SVC_READ_ONLY),
  F_STR("standard", .flags = SVC_READ_ONLY),
  F_STR("standardSrv", .flags = SVC_READ_ONLY),
  F_END
};
static const svc_object cluster_strings = { .name = "ClusterConnectionStrings", .fields = cluster_strings_fields };

static const svc_field cluster_grant_fields[] = {
  F_DATE("expirationTime", .flags = SVC_REQUIRED),
  F_ENUM("grantType", cluster_grants, .flags = SVC_REQUIRED),
  F_END
};
static const svc_object cluster_grant = { .name = "EmployeeAccessGrant", .fields = cluster_grant_fields };

static const svc_field cluster_fields[] = {
  F_DATE("acceptDataRisksAndForceReplicaSetReconfig", .flags = SVC_WRITE_ONLY),
  F_ENUM("adaptiveCapacity", cluster_on_off, .flags = SVC_NULLABLE),
  F_OBJ("advancedConfiguration", &cluster_advanced,
        .preset = "{\"customOpensslCipherConfigTls12\":[],\"customOpensslCipherConfigTls13\":[],"
                  "\"minimumEnabledTlsProtocol\":\"TLS1_2\",\"tlsCipherConfigMode\":\"DEFAULT\"}"),
  F_BOOL("backupEnabled", .preset = "false"),
  F_OBJ("biConnector", &cluster_bi, .preset = "{\"enabled\":false,\"readPreference\":\"SECONDARY\"}"),
  F_ENUM("clusterType", cluster_types, .flags = SVC_REQUIRED),
  F_ENUM("configServerManagementMode", cluster_config_modes, .preset = "\"SVC_MANAGED\""),
  F_ENUM("configServerType", cluster_config_types, .flags = SVC_READ_ONLY),
  F_OBJ("connectionStrings", &cluster_strings), /* each of them read-only by itself: any part may be sent back */
  F_CREATED("createDate"),
  F_STR("dbMajorVersion", .min = 1),
  F_STR("dbVersion", .flags = SVC_READ_ONLY),
  F_ENUM("diskWarmingMode", cluster_warming, .preset = "\"FULLY_WARMED\""),
  F_LIST("effectiveReplicationSpecs", &cluster_spec, .flags = SVC_READ_ONLY),
  F_ENUM("encryptionAtRestProvider", cluster_key_holders, .preset = "\"NONE\""),
  F_STR("featureCompatibilityVersion", .flags = SVC_READ_ONLY),
  F_DATE("featureCompatibilityVersionExpirationDate", .flags = SVC_READ_ONLY),
  F_BOOL("globalClusterSelfManagedSharding", .preset = "false"),
  F_GROUP_ID(),
  F_ID(),
  F_ENUM("internalClusterRole", cluster_roles, .flags = SVC_READ_ONLY, .preset = "\"NONE\""),
  F_LIST("labels", &svc_object_label, .preset = "[]"),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_BOOL("paused", .preset = "false"),
  F_BOOL("pitEnabled", .preset = "false"),
  F_BOOL("redactClientLogData", .preset = "false"),
  F_ENUM("replicaSetScalingStrategy", cluster_scaling, .preset = "\"WORKLOAD_TYPE\""),
  F_LIST("replicationSpecs", &cluster_spec, .flags = SVC_REQUIRED, .min_items = 1, .max_items = CLUSTER_MAX_SHARDS),
  F_BOOL("retainBackups", .flags = SVC_WRITE_ONLY),
  F_ENUM("rootCertType", cluster_root_certs, .preset = "\"ISRGROOTX1\""),
  F_ENUM("stateName", cluster_states, .flags = SVC_READ_ONLY),
  F_LIST("tags", &svc_object_tag, .preset = "[]"),
  F_BOOL("terminationProtectionEnabled", .preset = "false"),
  F_BOOL("useAwsTimeBasedSnapshotCopyForFastInitialSync", .preset = "false"),
  F_OBJ("vendorEmployeeAccessGrant", &cluster_grant, .flags = SVC_READ_ONLY), /* granted by an operation of its own */
  F_ENUM("versionReleaseSystem", cluster_releases, .preset = "\"LTS\""),
  F_END
};
static const svc_object cluster_object = { .name = "Cluster", .fields = cluster_fields };

/* What the status shows, and the list of all clusters: nobody sends these. */
static const char *const cluster_change_states[] = { "PENDING", "APPLIED", NULL };
static const svc_field cluster_status_fields[] = {
  F_ENUM("changeStatus", cluster_change_states, .flags = SVC_READ_ONLY),
  F_END
};
static const svc_object cluster_status = { .name = "ClusterStatus", .fields = cluster_status_fields };

static const svc_field cluster_summary_fields[] = {
  F_INT("alertCount", .flags = SVC_READ_ONLY),
  F_BOOL("authEnabled", .flags = SVC_READ_ONLY),
  F_STR("availability", .flags = SVC_READ_ONLY),
  F_BOOL("backupEnabled", .flags = SVC_READ_ONLY),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_LONG("dataSizeBytes", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_INT("nodeCount", .flags = SVC_READ_ONLY),
  F_BOOL("sslEnabled", .flags = SVC_READ_ONLY),
  F_STR("type", .flags = SVC_READ_ONLY),
  F_STRS("versions", .flags = SVC_READ_ONLY),
  F_END
};
static const svc_object cluster_summary = { .name = "CloudCluster", .fields = cluster_summary_fields };
static const svc_field cluster_project_fields[] = {
  F_LIST("clusters", &cluster_summary, .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("groupName", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_STR("orgName", .flags = SVC_READ_ONLY),
  F_STR("planType", .flags = SVC_READ_ONLY),
  F_STRS("tags", .flags = SVC_READ_ONLY),
  F_END
};
static const svc_object cluster_project = { .name = "OrgGroup", .fields = cluster_project_fields };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool cluster_run_status(svc_call *c);
static bool cluster_run_everywhere(svc_call *c);

/* Clusters that are gone are not kept, with backups or without: the two parameters are taken and change nothing. */
static const svc_param cluster_list_params[] = {
  { .name = "includeDeletedWithRetainedBackups", .type = SVC_BOOLEAN }, { .name = NULL }
};
static const svc_param cluster_delete_params[] = { { .name = "retainBackups", .type = SVC_BOOLEAN }, { .name = NULL } };

#define CLUSTER_EDITORS \
  (SVC_R_GROUP_CLUSTER_MANAGER | SVC_R_GROUP_CLUSTER_RESILIENCE_TESTER | SVC_R_GROUP_REPLICA_SET_MANAGER)

static const svc_route cluster_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters", .set = SVC_SET_CLUSTERS, .flags = SVC_PAGED,
    .versions = { 20230101, 20230201, 20240805 }, .roles = SVC_R_GROUP_READ_ONLY, .params = cluster_list_params,
    .run = svc_verb_list },
  { .method = SVC_POST, .path = "/groups/{groupId}/clusters", .set = SVC_SET_CLUSTERS, .status = 201,
    .versions = { 20230101, 20230201, 20240805, 20241023 }, .roles = SVC_R_GROUP_CLUSTER_CREATOR,
    .run = svc_verb_create,
    .example = "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
               "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\","
               "\"nodeCount\":3}}]}]}" },
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}", .set = SVC_SET_CLUSTERS,
    .versions = { 20230101, 20230201, 20240805 }, .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_read },
  { .method = SVC_PATCH, .path = "/groups/{groupId}/clusters/{clusterName}", .set = SVC_SET_CLUSTERS,
    .versions = { 20230101, 20230201, 20240805, 20241023 }, .roles = CLUSTER_EDITORS, .run = svc_verb_update },
  { .method = SVC_DELETE, .path = "/groups/{groupId}/clusters/{clusterName}", .set = SVC_SET_CLUSTERS, .status = 202,
    .flags = SVC_EMPTY_OBJECT, .versions = { 20230101, 20230201 }, .roles = SVC_R_GROUP_OWNER,
    .params = cluster_delete_params, .run = svc_verb_delete },
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}/status", .set = SVC_SET_CLUSTERS,
    .versions = { 20230101 }, .roles = SVC_R_GROUP_READ_ONLY, .answer = &cluster_status, .run = cluster_run_status },
  { .method = SVC_GET, .path = "/clusters", .set = SVC_SET_CLUSTER_LIST, .flags = SVC_PAGED,
    .versions = { 20230101 }, .answer = &cluster_project, .run = cluster_run_everywhere },
  SVC_ROUTES_END
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition cluster_transitions[] = {
  { "CREATING", "IDLE", 100, "CLUSTER_READY", "cluster.create" },
  { "UPDATING", "IDLE", 50, "CLUSTER_UPDATE_COMPLETED", "cluster.update" },
  { "DELETING", NULL, 25, "CLUSTER_DELETED", "cluster.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle cluster_lifecycle = {
  .field = "stateName", .created = "CREATING", .updated = "UPDATING", .deleted = "DELETING", .failed = "REPAIRING",
  .event_failed = "DEPLOYMENT_FAILURE", .transitions = cluster_transitions
};

/* One that is being deleted is not changed, nor deleted once more; one that is protected is not deleted. */
static const svc_guard cluster_guards[] = {
  { "stateName", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_CLUSTER_ALREADY_REQUESTED_DELETION },
  { "terminationProtectionEnabled", "true", SVC_GUARD_DELETE,
    SVC_E_CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/*
** What is kept beside the body, as text of fixed width:
**
**   offset  0  six characters that name the hosts
**           6  when it was last resumed: milliseconds since 1970 in 14 digits; all zeros: never
**          20  how it shows in the list of all clusters: a JSON object
*/
enum { CLUSTER_DUE_RESUME = SVC_DUE_OWN }; /* the end of a pause */
enum { CLUSTER_ID = 6, CLUSTER_TIME = 14, CLUSTER_SUMMARY = CLUSTER_ID + CLUSTER_TIME };

typedef struct cluster_facts {
  char id[CLUSTER_ID];
  int64_t resumed;
} cluster_facts;

static void cluster_base36(uint64_t value, char *out, size_t digits)
{
  while (digits > 0) {
    out[--digits] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    value /= 36;
  }
}

static bool cluster_id_taken(svc_call *c, const char *id)
{
  svc_str key, value;
  svc_entity e;
  svc_scan scan;
  svc_key prefix;
  bool taken = false;
  svc_key_entity(&prefix, CLUSTER_KIND, &c->scope.group, NULL);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (!taken && svc_scan_next(&scan, &key, &value))
    taken = svc_entity_decode(key, value, &e) && e.extra.n >= CLUSTER_ID && memcmp(e.extra.p, id, CLUSTER_ID) == 0;
  return taken;
}

static uint64_t cluster_hash(const svc_id *id, uint64_t seed)
{
  uint64_t hash = 14695981039346656037u + seed; /* FNV-1a, and once more for the short ends of it */
  size_t i;
  for (i = 0; i < sizeof id->b; i++) hash = (hash ^ id->b[i]) * 1099511628211u;
  return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 8;
}

/* Six characters that name its hosts, made from its id; no other cluster of the project has them. */
static cluster_facts cluster_new_facts(svc_call *c, const svc_id *cluster)
{
  cluster_facts facts = { { 0 }, 0 };
  uint64_t attempt = 0;
  do cluster_base36(cluster_hash(cluster, attempt++), facts.id, CLUSTER_ID);
  while (cluster_id_taken(c, facts.id));
  return facts;
}

static cluster_facts cluster_old_facts(const svc_entity *e)
{
  cluster_facts facts = { { 0 }, 0 };
  if (e->extra.n < CLUSTER_SUMMARY) return facts;
  memcpy(facts.id, e->extra.p, CLUSTER_ID);
  svc_str_i64((svc_str){ e->extra.p + CLUSTER_ID, CLUSTER_TIME }, &facts.resumed);
  return facts;
}

static bool cluster_fail(svc_call *c, const svc_change *change, int code)
{
  svc_str name = svc_node_str(change->body, "name");
  return svc_fail(c, code, "S", &name);
}

static bool cluster_is(const svc_node *body, const char *field, const char *value)
{
  return svc_str_is(svc_node_str(body, field), value);
}

/* ---- database version */

static int cluster_version_rank(svc_str major)
{
  size_t i;
  for (i = 0; i < SVC_DB_VERSION_COUNT; i++)
    if (svc_str_is(major, svc_db_versions[i].major)) return (int)i;
  return -1;
}

/* One that is on offer, and never back; a version that is no longer on offer may stay. */
static bool cluster_version(svc_call *c, svc_change *change)
{
  svc_str wanted = svc_node_str(change->body, "dbMajorVersion"), held = svc_node_str(change->before, "dbMajorVersion");
  const svc_db_version *v = svc_db_versions;
  int rank;
  if (held.n && svc_str_eq(wanted, held)) return true;
  while (!v->is_default) v++;
  if (!wanted.n) wanted = svc_str_c(v->major);
  rank = cluster_version_rank(wanted);
  if (rank < 0 || rank < cluster_version_rank(held)) return svc_fail(c, SVC_E_DB_VERSION_INVALID, "S", &wanted);
  v = &svc_db_versions[rank];
  svc_node_set_str(c->arena, change->body, "dbMajorVersion", svc_str_c(v->major));
  svc_node_set_str(c->arena, change->body, "dbVersion", svc_str_c(v->full));
  if (!svc_node_get(change->body, "featureCompatibilityVersionExpirationDate")) /* else it is pinned */
    svc_node_set_str(c->arena, change->body, "featureCompatibilityVersion", svc_str_c(v->major));
  return true;
}

/* ---- replication specs */

/* Which region of which spec is looked at, for the paths of violations. */
typedef struct cluster_place {
  size_t spec, region;
} cluster_place;

static void cluster_violate(svc_call *c, int code, const cluster_place *at, const char *field, const char *why)
{
  svc_violate(c, code, svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs[%u].%s", (unsigned)at->spec,
                                       (unsigned)at->region, field), "%s", why);
}

static int64_t cluster_electable(const svc_node *region)
{
  const svc_node *electable = svc_node_get(region, "electableSpecs");
  if (!electable) return 0;
  return cluster_is(region, "providerName", "TENANT") ? CLUSTER_TENANT_NODES : svc_node_i64(electable, "nodeCount", 0);
}

/* Read-only and analytics nodes run on what the electable ones run on, unless they say otherwise. */
static void cluster_follow(svc_call *c, const svc_node *region, const cluster_place *at, const char *field)
{
  static const char *const followed[] = { "diskSizeGB", "instanceSize" };
  svc_node *nodes = svc_node_get(region, field);
  size_t i;
  if (svc_node_i64(nodes, "nodeCount", 0) == 0) return;
  for (i = 0; i < 2; i++) {
    const svc_node *model = svc_node_get(svc_node_get(region, "electableSpecs"), followed[i]);
    if (model && !svc_node_get(nodes, followed[i])) svc_node_put(c->arena, nodes, svc_node_copy(c->arena, model));
  }
  if (!svc_node_get(nodes, "instanceSize"))
    cluster_violate(c, SVC_E_MISSING_ATTRIBUTE, at, field, "needs an instanceSize: the region has no electableSpecs");
}

static void cluster_scaling_bounds(svc_call *c, const svc_node *region, const cluster_place *at, const char *field)
{
  const svc_node *compute = svc_node_get(svc_node_get(region, field), "compute");
  if (svc_node_bool(compute, "enabled", false) && !svc_node_get(compute, "maxInstanceSize"))
    cluster_violate(c, SVC_E_COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED, at, field,
                    "needs a compute.maxInstanceSize when compute scaling is enabled");
}

static void cluster_tenant_region(svc_call *c, svc_node *region, const cluster_place *at)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions,
                                                svc_values_gcp_regions };
  svc_node *hardware = svc_node_get(region, "electableSpecs");
  svc_str name = svc_node_str(region, "regionName");
  const char *const *list;
  size_t i = 0;
  while (svc_values_clouds[i] && !cluster_is(region, "backingProviderName", svc_values_clouds[i])) i++;
  if (!svc_values_clouds[i]) return;
  for (list = regions[i]; *list && !svc_str_is(name, *list); list++) continue;
  if (!*list) cluster_violate(c, SVC_E_INVALID_ENUM_VALUE, at, "regionName", "is not a region of the backing provider");
  svc_node_set_str(c->arena, hardware, "effectiveInstanceSize", svc_node_str(hardware, "instanceSize"));
}

/* Fills in what a region leaves open; the first is the preferred one, then they fall. */
static void cluster_fill_region(svc_call *c, svc_node *region, const cluster_place *at)
{
  int64_t priority = at->region < 7 ? 7 - (int64_t)at->region : 0;
  if (!svc_node_get(region, "priority"))
    svc_node_set_i64(c->arena, region, "priority", cluster_electable(region) ? priority : 0);
  if (cluster_is(region, "providerName", "TENANT")) {
    cluster_tenant_region(c, region, at);
    return;
  }
  cluster_follow(c, region, at, "readOnlySpecs");
  cluster_follow(c, region, at, "analyticsSpecs");
  cluster_scaling_bounds(c, region, at, "autoScaling");
  cluster_scaling_bounds(c, region, at, "analyticsAutoScaling");
}

static void cluster_fill_spec(svc_call *c, svc_node *spec, size_t index)
{
  cluster_place at = { index, 0 };
  svc_node *regions = svc_node_get(spec, "regionConfigs"), *region;
  int64_t votes = 0;
  for (region = regions->first; region; region = region->next, at.region++) {
    cluster_fill_region(c, region, &at);
    votes += cluster_electable(region);
  }
  if (votes < 1 || votes > CLUSTER_MAX_VOTES)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID,
                svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs", (unsigned)index),
                "must have from 1 to %d electable nodes in all, not %lld", CLUSTER_MAX_VOTES, (long long)votes);
}

/* The spec before `end` (NULL: of all) whose field has this value. */
static const svc_node *cluster_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value)
{
  const svc_node *spec = specs ? specs->first : NULL;
  for (; spec && spec != end; spec = spec->next)
    if (svc_str_eq(svc_node_str(spec, field), value)) return spec;
  return NULL;
}

/* The name and id of its zone: what they were where it was there before. */
static bool cluster_name_spec(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec)
{
  svc_str zone = svc_node_str(spec, "zoneName");
  const svc_node *other, *same = cluster_spec_with(old_specs, NULL, "id", svc_node_str(spec, "id"));
  svc_id fresh;
  if (!zone.n && same) zone = svc_node_str(same, "zoneName");
  if (!zone.n) zone = SVC_S("Zone 1");
  zone = svc_arena_copy(c->arena, zone);
  for (other = specs->first; other != spec; other = other->next) {
    svc_str name = svc_node_str(other, "zoneName");
    if (!svc_str_eq(name, zone) && svc_str_is_nocase(name, zone.p))
      return svc_fail(c, SVC_E_DUPLICATE_ZONE_NAME, "S", &zone);
  }
  same = cluster_spec_with(specs, spec, "zoneName", zone);
  if (!same) same = cluster_spec_with(old_specs, NULL, "zoneName", zone);
  if (!same) fresh = svc_new_id(c->txn);
  svc_node_set_str(c->arena, spec, "zoneName", zone);
  svc_node_set_str(c->arena, spec, "zoneId", same ? svc_node_str(same, "zoneId") : svc_id_str(c->arena, &fresh));
  return true;
}

static bool cluster_is_tenant(const svc_node *body)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  for (spec = spec ? spec->first : NULL; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      if (cluster_is(region, "providerName", "TENANT")) return true;
  return false;
}

/* ---- disks, which grow only */

static double cluster_disk_size(const svc_node *nodes)
{
  const svc_node *size = svc_node_get(nodes, "diskSizeGB");
  double value;
  return size && svc_json_number_double(size->text, &value) ? value : 0;
}

/* Nodes of one kind in one region: those that were there, those that shall be, and what was sent of them. */
static bool cluster_keep_disk(svc_call *c, const svc_change *change, const svc_node *old, svc_node *nodes,
                              const svc_node *sent)
{
  if (!old || !nodes || !svc_node_i64(old, "nodeCount", 1) || !svc_node_i64(nodes, "nodeCount", 1)) return true;
  if (cluster_disk_size(nodes) >= cluster_disk_size(old)) return true;
  if (svc_node_get(sent, "diskSizeGB")) return cluster_fail(c, change, SVC_E_CANNOT_DECREASE_DISK_SIZE);
  svc_node_put(c->arena, nodes, svc_node_copy(c->arena, svc_node_get(old, "diskSizeGB"))); /* nothing was said of it */
  return true;
}

static const svc_node *cluster_same_region(const svc_node *spec, const svc_node *region)
{
  const svc_node *regions = svc_node_get(spec, "regionConfigs"), *other;
  svc_str provider = svc_node_str(region, "providerName"), name = svc_node_str(region, "regionName");
  for (other = regions ? regions->first : NULL; other; other = other->next)
    if (svc_str_eq(svc_node_str(other, "providerName"), provider) && svc_str_eq(svc_node_str(other, "regionName"), name))
      return other;
  return NULL;
}

static const svc_node *cluster_element(const svc_node *array, size_t index)
{
  const svc_node *item = array ? array->first : NULL;
  while (item && index-- > 0) item = item->next;
  return item;
}

/* Nodes of this kind in all regions of a spec, which stands in the body where it stood in what was sent. */
static bool cluster_keep_disks(svc_call *c, const svc_change *change, const svc_node *spec, size_t index, const char *kind)
{
  const svc_node *held = svc_node_get(change->before, "replicationSpecs"), *region;
  const svc_node *old = cluster_spec_with(held, NULL, "id", svc_node_str(spec, "id"));
  const svc_node *sent = cluster_element(svc_node_get(change->input, "replicationSpecs"), index);
  size_t i = 0;
  if (!old || !sent) return true;
  for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next, i++)
    if (!cluster_keep_disk(c, change, svc_node_get(cluster_same_region(old, region), kind), svc_node_get(region, kind),
                           svc_node_get(cluster_element(svc_node_get(sent, "regionConfigs"), i), kind)))
      return false;
  return true;
}

static bool cluster_specs(svc_call *c, svc_change *change)
{
  svc_node *specs = svc_node_get(change->body, "replicationSpecs"), *spec, *effective;
  const svc_node *old = svc_node_get(change->before, "replicationSpecs");
  bool single = cluster_is(change->body, "clusterType", "REPLICASET");
  size_t i = 0;
  if (single && svc_node_count(specs) != 1)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID, SVC_S("replicationSpecs"), "must have one element in a REPLICASET");
  for (spec = specs->first; spec; spec = spec->next, i++) {
    if (!cluster_keep_disks(c, change, spec, i, "electableSpecs")) return false; /* first: others follow these */
    cluster_fill_spec(c, spec, i);
    if (!cluster_keep_disks(c, change, spec, i, "readOnlySpecs") || !cluster_keep_disks(c, change, spec, i, "analyticsSpecs"))
      return false;
    if (!cluster_name_spec(c, specs, old, spec)) return false;
  }
  if (cluster_is_tenant(change->body) && !(single && svc_node_count(svc_node_get(specs->first, "regionConfigs")) == 1))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "must have one region and clusterType REPLICASET where the provider is TENANT");
  if (!svc_check_done(c)) return false;
  effective = svc_node_copy(c->arena, specs);
  if (effective) effective->name = SVC_S("effectiveReplicationSpecs");
  svc_node_put(c->arena, change->body, effective);
  if (!single) svc_node_set_str(c->arena, change->body, "configServerType", SVC_S("DEDICATED"));
  return true;
}

/* ---- connection strings */

/* Hosts of one project have a part of their names in common. */
static void cluster_project_hash(const svc_id *group, char out[5])
{
  cluster_base36(cluster_hash(group, 0), out, 5);
}

static void cluster_write_hosts(svc_buf *b, const svc_node *body, const char *id, const char *domain)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs")->first, *region;
  unsigned shard, node;
  char number[16];
  for (shard = 0; spec; spec = spec->next, shard++) {
    int64_t nodes = 0;
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      nodes += cluster_electable(region);
    for (node = 0; node < nodes; node++) {
      if (shard || node) svc_buf_char(b, ',');
      svc_buf_add(b, id, CLUSTER_ID);
      snprintf(number, sizeof number, "-shard-%02u-%02u", shard % 100, node % 100);
      svc_buf_text(b, number);
      svc_buf_text(b, domain);
      svc_buf_text(b, ":27017");
    }
  }
}

static void cluster_connect(svc_call *c, svc_node *body, const char *id)
{
  const svc_config *config = &c->s->config;
  svc_node *strings = svc_node_get(body, "connectionStrings");
  svc_id group = c->scope.group;
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_str domain;
  char hash[5];
  cluster_project_hash(&group, hash);
  domain = svc_arena_print(c->arena, ".%.5s.%s", hash, config->db_domain);
  svc_buf_text(&b, config->db_scheme);
  svc_buf_text(&b, "://");
  cluster_write_hosts(&b, body, id, domain.p);
  svc_buf_text(&b, "/?ssl=true&authSource=admin");
  if (cluster_is(body, "clusterType", "REPLICASET")) {
    svc_buf_text(&b, "&replicaSet=");
    svc_buf_add(&b, id, CLUSTER_ID);
    svc_buf_text(&b, "-shard-0");
  }
  if (!strings) {
    strings = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S("connectionStrings"), SVC_S(""));
    svc_node_put(c->arena, body, strings);
  }
  svc_node_set_str(c->arena, strings, "standard", svc_buf_done(&b));
  svc_node_set_str(c->arena, strings, "standardSrv",
                   svc_arena_print(c->arena, "%s+srv://%.6s" SVC_FMT, config->db_scheme, id, SVC_ARG(domain)));
}

/* ---- the list of all clusters */

static int64_t cluster_node_count(const svc_node *body)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs")->first, *region;
  int64_t count = 0;
  for (; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      count += cluster_electable(region) + svc_node_i64(svc_node_get(region, "readOnlySpecs"), "nodeCount", 0) +
               svc_node_i64(svc_node_get(region, "analyticsSpecs"), "nodeCount", 0);
  return count;
}

static svc_str cluster_extra(svc_call *c, const svc_change *change, const cluster_facts *facts)
{
  const svc_node *body = change->body;
  svc_buf b = svc_buf_new(c->arena, 384);
  char id[24], time[CLUSTER_TIME + 8];
  svc_id_hex(&change->id, id);
  snprintf(time, sizeof time, "%014lld", (long long)facts->resumed % 100000000000000);
  svc_buf_add(&b, facts->id, CLUSTER_ID);
  svc_buf_add(&b, time, CLUSTER_TIME);
  svc_buf_text(&b, "{\"alertCount\":0,\"authEnabled\":true,\"availability\":\"available\",\"backupEnabled\":");
  svc_buf_text(&b, svc_node_bool(body, "backupEnabled", false) ? "true" : "false");
  svc_buf_text(&b, ",\"clusterId\":\"");
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"dataSizeBytes\":0,\"name\":");
  svc_json_escape(&b, svc_node_str(body, "name"));
  svc_buf_text(&b, ",\"nodeCount\":");
  svc_buf_i64(&b, cluster_node_count(body));
  svc_buf_text(&b, ",\"sslEnabled\":true,\"type\":\"");
  svc_buf_text(&b, cluster_is(body, "clusterType", "REPLICASET") ? "REPLICA_SET" : "SHARDED_CLUSTER");
  svc_buf_text(&b, "\",\"versions\":[");
  svc_json_escape(&b, svc_node_str(body, "dbVersion"));
  svc_buf_text(&b, "]}");
  return svc_buf_done(&b);
}

static void cluster_write_summaries(svc_call *c, const svc_id *project, svc_buf *b)
{
  svc_str key, value;
  svc_entity e;
  svc_scan scan;
  svc_key prefix;
  bool first = true;
  svc_key_entity(&prefix, CLUSTER_KIND, project, NULL);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    if (!svc_entity_decode(key, value, &e) || e.extra.n < CLUSTER_SUMMARY) continue;
    if (!first) svc_buf_char(b, ',');
    svc_buf_add(b, e.extra.p + CLUSTER_SUMMARY, e.extra.n - CLUSTER_SUMMARY);
    first = false;
  }
}

/* A project with its clusters. */
static bool cluster_write_project(svc_call *c, const svc_entity *project, svc_item *out)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_entity org;
  char id[24];
  bool known = c->s->org && svc_get_noun(c->txn, c->s->org, &project->parent, &org) == SVC_OK;
  svc_buf_text(&b, "{\"clusters\":[");
  cluster_write_summaries(c, &project->id, &b);
  svc_buf_text(&b, "],\"groupId\":\"");
  svc_id_hex(&project->id, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"groupName\":");
  svc_json_escape(&b, project->unique);
  svc_buf_text(&b, ",\"orgId\":\"");
  svc_id_hex(&project->parent, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"orgName\":");
  svc_json_escape(&b, known ? org.unique : SVC_S(""));
  svc_buf_text(&b, ",\"planType\":\"STANDARD\",\"tags\":[]}");
  memset(out, 0, sizeof *out);
  out->body = svc_buf_done(&b);
  return !b.failed || svc_no_memory(c);
}

static bool cluster_run_everywhere(svc_call *c)
{
  const svc_entities projects = { .noun = c->s->group, .write = cluster_write_project };
  return svc_list_seen(c, &projects);
}

/* ---- status */

/* Whatever is under way ends at a known time, or when the driver says so. */
static bool cluster_run_status(svc_call *c)
{
  svc_node *body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  const svc_entity *e;
  bool pending;
  if (!svc_resolve_all(c)) return false;
  if (!body) return svc_no_memory(c);
  e = svc_path_entity(c, "cluster");
  pending = svc_due_get(e, SVC_DUE_STATE) || svc_order_waits(c, e);
  svc_node_set_str(c->arena, body, "changeStatus", pending ? SVC_S("PENDING") : SVC_S("APPLIED"));
  return svc_answer_node(c, body);
}

/* ---- changes */

typedef struct cluster_diff {
  bool pause, tags, light, heavy;
} cluster_diff;

static void cluster_note(cluster_diff *diff, svc_str name)
{
  const char *const *light = cluster_light;
  while (*light && !svc_str_is(name, *light)) light++;
  if (svc_str_is(name, "paused")) diff->pause = true;
  else if (*light) diff->light = true;
  else diff->heavy = true;
  if (svc_str_is(name, "tags")) diff->tags = true;
}

static cluster_diff cluster_compare(const svc_change *change)
{
  cluster_diff diff = { false, false, false, false };
  const svc_node *member, *other;
  for (member = change->body->first; member; member = member->next) {
    other = svc_node_find(change->before, member->name);
    if (!other || !svc_node_same(member, other)) cluster_note(&diff, member->name);
  }
  for (member = change->before->first; member; member = member->next)
    if (!svc_node_find(change->body, member->name)) cluster_note(&diff, member->name);
  return diff;
}

static bool cluster_may_pause(svc_call *c, const svc_change *change, const cluster_diff *diff,
                              const cluster_facts *facts)
{
  int64_t minutes = CLUSTER_PAUSE_MINUTES;
  svc_str name = svc_node_str(change->body, "name");
  if (diff->light || diff->heavy) return cluster_fail(c, change, SVC_E_CANNOT_UPDATE_AND_PAUSE_CLUSTER);
  if (cluster_is_tenant(change->body)) return cluster_fail(c, change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED);
  if (!cluster_is(change->before, "stateName", "IDLE"))
    return cluster_fail(c, change, SVC_E_CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES);
  if (facts->resumed && c->now - facts->resumed < minutes * 60000)
    return svc_fail(c, SVC_E_CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER, "Si", &name, &minutes);
  return true;
}

static bool cluster_pause_rules(svc_call *c, const svc_change *change, const cluster_diff *diff,
                                const cluster_facts *facts)
{
  bool was = svc_node_bool(change->before, "paused", false), is = svc_node_bool(change->body, "paused", false);
  if (is && !was) return cluster_may_pause(c, change, diff, facts);
  if (was && diff->heavy) return cluster_fail(c, change, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER);
  /* a whole body that was read and sent back also says that it is paused: that is no request to pause it */
  if (was && is && svc_node_count(change->input) == 1 && svc_node_get(change->input, "paused"))
    return cluster_fail(c, change, SVC_E_CLUSTER_ALREADY_PAUSED);
  return true;
}

static bool cluster_update(svc_call *c, svc_change *change, cluster_facts *facts)
{
  cluster_diff diff = cluster_compare(change);
  if (!cluster_is(change->before, "clusterType", "REPLICASET") && cluster_is(change->body, "clusterType", "REPLICASET"))
    return cluster_fail(c, change, SVC_E_SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET);
  if (!cluster_pause_rules(c, change, &diff, facts)) return false;
  if (diff.pause) {
    bool pause = svc_node_bool(change->body, "paused", false);
    svc_change_due(change, CLUSTER_DUE_RESUME, pause ? c->now + CLUSTER_PAUSED_DAYS * CLUSTER_DAY_MS : 0);
    if (!pause) facts->resumed = c->now;
  }
  if (diff.heavy && !c->s->config.driver) cluster_connect(c, change->body, facts->id); /* a driver says what its hosts are */
  if (diff.heavy || diff.pause) {
    if (cluster_is(change->before, "stateName", "CREATING")) {
      change->state = NULL;
      change->event = "CLUSTER_UPDATE_SUBMITTED";
    }
    return true;
  }
  change->state = NULL;
  change->event = diff.tags ? "CLUSTER_TAGS_MODIFIED" : diff.light ? "CLUSTER_UPDATE_SUBMITTED" : NULL;
  return true;
}

static bool cluster_prepare(svc_call *c, svc_change *change)
{
  cluster_facts facts = change->before ? cluster_old_facts(&change->entity) : cluster_new_facts(c, &change->id);
  if (!change->before && svc_node_bool(change->body, "paused", false))
    return svc_fail(c, SVC_E_CANNOT_CREATE_PAUSED_CLUSTER, "");
  if (!cluster_version(c, change) || !cluster_specs(c, change)) return false;
  if (!change->before) cluster_connect(c, change->body, facts.id);
  else if (!cluster_update(c, change, &facts)) return false;
  change->extra = cluster_extra(c, change, &facts);
  return true;
}

/* At the end of a pause the cluster is updated as by a request to resume. */
static bool cluster_fell_due(svc_call *c, svc_change *change, int tag)
{
  cluster_facts facts = cluster_old_facts(&change->entity);
  if (tag != CLUSTER_DUE_RESUME || !svc_node_bool(change->body, "paused", false)) return true;
  facts.resumed = c->now;
  svc_node_set_bool(c->arena, change->body, "paused", false);
  svc_node_set_str(c->arena, change->body, "stateName", SVC_S("UPDATING"));
  change->due = svc_transition_due(c->s, change->noun->noun, SVC_S("UPDATING"), c->now);
  change->event = change->noun->noun->event_updated;
  change->extra = cluster_extra(c, change, &facts);
  return true;
}

/* What a driver says of it: its hosts, as "name:port", and the name that stands for all of them. */
static bool cluster_facts_taken(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *hosts = svc_node_get(facts, "hosts"), *host;
  svc_str srv = svc_node_str(facts, "srvHost");
  svc_node *strings = svc_node_get(change->body, "connectionStrings");
  svc_buf b = svc_buf_new(c->arena, 256);
  if (!strings) return true;
  for (host = hosts && hosts->type == SVC_J_ARRAY ? hosts->first : NULL; host; host = host->next) {
    if (host->type != SVC_J_STRING || host->text.n == 0) continue;
    if (b.n) svc_buf_char(&b, ',');
    svc_buf_str(&b, host->text);
  }
  if (b.n)
    svc_node_set_str(c->arena, strings, "standard", svc_arena_print(c->arena, "%s://" SVC_FMT "/?ssl=true&authSource=admin",
                                                                     c->s->config.db_scheme, SVC_ARG(svc_buf_done(&b))));
  if (srv.n)
    svc_node_set_str(c->arena, strings, "standardSrv",
                     svc_arena_print(c->arena, "%s+srv://" SVC_FMT, c->s->config.db_scheme, SVC_ARG(srv)));
  return true;
}

/* Nodes of each size, while it runs; a paused one keeps its disks only, which are not counted. */
static size_t cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  static const char *const kinds[] = { "electableSpecs", "readOnlySpecs", "analyticsSpecs" };
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  size_t n = 0, i, k;
  if (svc_node_bool(body, "paused", false) || !spec) return 0;
  for (spec = spec->first; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const svc_node *nodes = svc_node_get(region, kinds[k]);
        int64_t count = k == 0 ? cluster_electable(region) : svc_node_i64(nodes, "nodeCount", 0);
        svc_str sku = svc_arena_print(c->arena, "INSTANCE_" SVC_FMT "_" SVC_FMT, SVC_ARG(svc_node_str(region, "providerName")),
                                      SVC_ARG(svc_node_str(nodes, "instanceSize")));
        if (!nodes || count <= 0) continue;
        for (i = 0; i < n && !svc_str_eq(out[i].sku, sku); i++) continue;
        if (i == most) continue;
        if (i == n) out[n++] = (svc_meter){ sku, 0 };
        out[i].quantity += count * 1000;
      }
  return n;
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster = {
  .name = "cluster",
  .kind = CLUSTER_KIND,
  .parent = "project",
  .param = "clusterName",
  .object = &cluster_object,
  .key = "name",
  .unique = "name",
  .counted_in = "clusterCount",
  .err_not_found = SVC_E_CLUSTER_NOT_FOUND,
  .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS,
  .quota = "svc.project.deployment.clusters",
  .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .lifecycle = &cluster_lifecycle,
  .guards = cluster_guards,
  .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED",
  .event_deleted = "CLUSTER_DELETE_SUBMITTED",
  .event_field = "clusterName",
  .routes = cluster_routes,
  .prepare = cluster_prepare,
  .fell_due = cluster_fell_due,
  .facts = cluster_facts_taken,
  .meters = cluster_meters
};
