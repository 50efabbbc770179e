/*
** The tables of a cluster: its fields, and the bodies of its operations. It is a separate file because clusters are
** created and changed in several ways: cluster_configuration.c, which only tries a change, uses the same shape.
*/

#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_base.h"

enum {
  CLUSTER_OBJECT_SPECS = 100, /* more than the maximum (cluster_specs.c), so that too many shards have a specific error */
  CLUSTER_OBJECT_TAGS = 50
};

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_object_states[] = { "IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING", "DELETED", NULL };
static const char *const cluster_object_on_off[] = { "ENABLED", "DISABLED", NULL };
static const char *const cluster_object_editions[] = { "CORE", NULL };
static const char *const cluster_object_config_modes[] = { "SVC_MANAGED", "FIXED_TO_DEDICATED", NULL };
static const char *const cluster_object_config_types[] = { "DEDICATED", "EMBEDDED", NULL };
static const char *const cluster_object_warming[] = { "FULLY_WARMED", "VISIBLE_EARLIER", "ENHANCED_FULLY_WARMED", NULL };
static const char *const cluster_object_key_holders[] = { "NONE", "AWS", "AZURE", "GCP", NULL };
static const char *const cluster_object_roles[] = { "NONE", "SYSTEM_CLUSTER", "INTERNAL_SHADOW_CLUSTER", NULL };
static const char *const cluster_object_scaling[] = { "SEQUENTIAL", "WORKLOAD_TYPE", "NODE_TYPE", NULL };
static const char *const cluster_object_root_certs[] = { "ISRGROOTX1", NULL };
static const char *const cluster_object_releases[] = { "LTS", "CONTINUOUS", NULL };
static const char *const cluster_object_read_from[] = { "primary", "secondary", "analytics", NULL };
static const char *const cluster_object_grants[] = { "CLUSTER_DATABASE_LOGS", "CLUSTER_INFRASTRUCTURE",
                                                     "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA", NULL };
static const char *const cluster_object_endpoint_types[] = { "DBD", "DBS", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_object_advanced_fields[] = {
  F_STRS("customOpensslCipherConfigTls12", .values = svc_values_ciphers_12, .max_items = 4, .preset = "[]"),
  F_STRS("customOpensslCipherConfigTls13", .values = svc_values_ciphers_13, .max_items = 4, .preset = "[]"),
  F_ENUM("minimumEnabledTlsProtocol", svc_values_tls, .preset = "\"TLS1_2\""),
  F_ENUM("tlsCipherConfigMode", svc_values_cipher_modes, .preset = "\"DEFAULT\"")
};
static const svc_object cluster_object_advanced = {
  .name = "ClusterAdvancedConfiguration", .fields = SVC_ROWS(cluster_object_advanced_fields)
};

static const svc_field cluster_object_bi_fields[] = {
  F_BOOL("enabled", .preset = "false"),
  F_ENUM("readPreference", cluster_object_read_from, .flags = SVC_ANY_CASE, .preset = "\"secondary\"")
};
static const svc_object cluster_object_bi = { .name = "BiConnector", .fields = SVC_ROWS(cluster_object_bi_fields) };

static const svc_field cluster_object_endpoint_fields[] = {
  F_STR("endpointId", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_STR("region", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_object_endpoint = { .name = "PrivateEndpoint", .fields = SVC_ROWS(cluster_object_endpoint_fields) };

static const svc_field cluster_object_private_fields[] = {
  F_STR("connectionString", .flags = SVC_READ_ONLY),
  F_LIST("endpoints", &cluster_object_endpoint, .flags = SVC_READ_ONLY),
  F_STR("srvConnectionString", .flags = SVC_READ_ONLY),
  F_STR("srvShardOptimizedConnectionString", .flags = SVC_READ_ONLY),
  F_ENUM("type", cluster_object_endpoint_types, .flags = SVC_READ_ONLY)
};
static const svc_object cluster_object_private = { .name = "PrivateEndpointStrings", .fields = SVC_ROWS(cluster_object_private_fields) };

static const svc_field cluster_object_strings_fields[] = {
  { .name = "awsPrivateLink", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY },
  { .name = "awsPrivateLinkSrv", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY },
  F_STR("private", .flags = SVC_READ_ONLY),
  F_LIST("privateEndpoint", &cluster_object_private, .flags = SVC_READ_ONLY),
  F_STR("privateSrv", .flags = SVC_READ_ONLY),
  F_STR("standard", .flags = SVC_READ_ONLY),
  F_STR("standardSrv", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_object_strings = { .name = "ClusterConnectionStrings", .fields = SVC_ROWS(cluster_object_strings_fields) };

static const svc_field cluster_object_grant_fields[] = {
  F_DATE("expirationTime", .flags = SVC_REQUIRED),
  F_ENUM("grantType", cluster_object_grants, .flags = SVC_REQUIRED)
};
SVC_PRIVATE const svc_object svc_cluster_grant = { .name = "EmployeeAccessGrant", .fields = SVC_ROWS(cluster_object_grant_fields) };

/* Fields that the tables of all versions share. Answers of 2023-02-01 and 2023-01-01 leave some out (deployment/cluster_versions.c). */
static const svc_field cluster_object_common_fields[] = {
  F_OBJ("advancedConfiguration", &cluster_object_advanced,
        .preset = "{\"customOpensslCipherConfigTls12\":[],\"customOpensslCipherConfigTls13\":[],"
                  "\"minimumEnabledTlsProtocol\":\"TLS1_2\",\"tlsCipherConfigMode\":\"DEFAULT\"}"),
  F_BOOL("backupEnabled", .preset = "false"),
  F_OBJ("biConnector", &cluster_object_bi, .preset = "{\"enabled\":false,\"readPreference\":\"secondary\"}"),
  F_ENUM("configServerManagementMode", cluster_object_config_modes, .preset = "\"SVC_MANAGED\""),
  F_ENUM("configServerType", cluster_object_config_types, .flags = SVC_READ_ONLY),
  F_OBJ("connectionStrings", &cluster_object_strings), /* its members are read-only one by one, so that any part may be sent back */
  F_CREATED("createDate"),
  F_STR("dbMajorVersion", .min = 1),
  F_ENUM("diskWarmingMode", cluster_object_warming, .preset = "\"FULLY_WARMED\""),
  F_ENUM("encryptionAtRestProvider", cluster_object_key_holders, .preset = "\"NONE\""),
  F_STR("featureCompatibilityVersion", .flags = SVC_READ_ONLY),
  F_DATE("featureCompatibilityVersionExpirationDate", .flags = SVC_READ_ONLY),
  F_BOOL("globalClusterSelfManagedSharding", .preset = "false"),
  F_GROUP_ID(),
  F_ID(),
  F_LIST("labels", &svc_object_label, .max_items = CLUSTER_OBJECT_TAGS, .preset = "[]"),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_BOOL("paused", .preset = "false"),
  F_BOOL("pitEnabled", .preset = "false"),
  F_ENUM("replicaSetScalingStrategy", cluster_object_scaling, .preset = "\"WORKLOAD_TYPE\""),
  F_ENUM("rootCertType", cluster_object_root_certs, .preset = "\"ISRGROOTX1\""),
  F_ENUM("stateName", cluster_object_states, .flags = SVC_READ_ONLY),
  F_LIST("tags", &svc_object_tag, .max_items = CLUSTER_OBJECT_TAGS, .preset = "[]"),
  F_BOOL("terminationProtectionEnabled", .preset = "false"),
  F_OBJ("vendorEmployeeAccessGrant", &svc_cluster_grant, .flags = SVC_READ_ONLY), /* granted by a separate operation */
  F_ENUM("versionReleaseSystem", cluster_object_releases, .preset = "\"LTS\"")
};
SVC_PRIVATE const svc_object svc_cluster_common = { .name = "ClusterCommon", .fields = SVC_ROWS(cluster_object_common_fields) };

static const svc_field cluster_object_fields[] = {
  F_DATE("acceptDataRisksAndForceReplicaSetReconfig"), /* for the driver, which gets it with the order */
  F_ENUM("adaptiveCapacity", cluster_object_on_off, .flags = SVC_NULLABLE),
  F_ENUM("clusterType", svc_values_cluster_types, .flags = SVC_REQUIRED),
  F_STR("dbVersion", .flags = SVC_READ_ONLY),
  F_ENUM("effectiveDatabaseEdition", cluster_object_editions, .flags = SVC_READ_ONLY, .preset = "\"CORE\""),
  CLUSTER_WORKLOAD_POLICIES(),
  F_LIST("effectiveReplicationSpecs", &svc_cluster_spec, .flags = SVC_READ_ONLY),
  F_ENUM("internalClusterRole", cluster_object_roles, .flags = SVC_READ_ONLY, .preset = "\"NONE\""),
  F_BOOL("redactClientLogData", .preset = "false"),
  F_LIST("replicationSpecs", &svc_cluster_spec, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = CLUSTER_OBJECT_SPECS),
  F_BOOL("retainBackups"), /* the default, if the DELETE request does not say */
  F_BOOL("useAwsTimeBasedSnapshotCopyForFastInitialSync", .preset = "false")
};
SVC_PRIVATE const svc_object svc_cluster_object = { .name = "Cluster", .fields = SVC_ROWS(cluster_object_fields), .base = &svc_cluster_common };

/* ---- operations on it */

static const svc_field cluster_object_pin_fields[] = { F_DATE("expirationDate") };
SVC_PRIVATE const svc_object svc_cluster_pin = { .name = "PinFCVView", .fields = SVC_ROWS(cluster_object_pin_fields) };

static const char *const cluster_object_change_states[] = { "PENDING", "APPLIED", NULL };
static const svc_field cluster_object_status_fields[] = {
  F_ENUM("changeStatus", cluster_object_change_states, .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_cluster_status = { .name = "ClusterStatus", .fields = SVC_ROWS(cluster_object_status_fields) };

static const char *const cluster_object_scaling_modes[] = { "INDEPENDENT_SHARD_SCALING", "CLUSTER_WIDE_SCALING", NULL };
static const svc_field cluster_object_scaling_mode_fields[] = { F_ENUM("autoScalingMode", cluster_object_scaling_modes) };
SVC_PRIVATE const svc_object svc_cluster_scaling_mode = {
  .name = "ClusterDescriptionAutoScalingModeConfiguration", .fields = SVC_ROWS(cluster_object_scaling_mode_fields)
};

/* ---- arguments of its processes. An argument that was never set is left out: its default depends on the database version. Null clears it. */

static const svc_field cluster_object_args_fields[] = {
  F_INT("changeStreamOptionsPreAndPostImagesExpireAfterSeconds", .flags = SVC_NULLABLE),
  F_INT("chunkMigrationConcurrency", .flags = SVC_NULLABLE),
  F_STRS("customOpensslCipherConfigTls12", .values = svc_values_ciphers_12, .max_items = 4, .preset = "[]"),
  F_STRS("customOpensslCipherConfigTls13", .values = svc_values_ciphers_13, .max_items = 4, .preset = "[]"),
  F_INT("defaultMaxTimeMS", .flags = SVC_NULLABLE),
  F_STR("defaultWriteConcern", .flags = SVC_NULLABLE, .min = 1, .max = 64),
  F_BOOL("javascriptEnabled", .preset = "true"),
  F_ENUM("minimumEnabledTlsProtocol", svc_values_tls, .preset = "\"TLS1_2\""),
  F_BOOL("noTableScan", .preset = "false"),
  F_NUM("oplogMinRetentionHours", .flags = SVC_NULLABLE),
  F_INT("oplogSizeMB", .flags = SVC_NULLABLE),
  F_INT("queryStatsLogVerbosity", .preset = "1"),
  F_INT("sampleRefreshIntervalBIConnector", .flags = SVC_NULLABLE | SVC_MIN, .min = 0),
  F_INT("sampleSizeBIConnector", .flags = SVC_NULLABLE | SVC_MIN, .min = 0),
  F_ENUM("tlsCipherConfigMode", svc_values_cipher_modes, .preset = "\"DEFAULT\""),
  F_LONG("transactionLifetimeLimitSeconds", .flags = SVC_NULLABLE | SVC_MIN, .min = 1)
};
SVC_PRIVATE const svc_object svc_cluster_process_args = { .name = "ClusterDescriptionProcessArgs", .fields = SVC_ROWS(cluster_object_args_fields) };
