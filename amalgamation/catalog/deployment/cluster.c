/*
** cluster: a database deployment of a project, on machines of one or more cloud providers.
**
**   POST --> CREATING --> IDLE <--> UPDATING <-- PATCH
**                           |
**                           +-----> DELETING <-- DELETE     then it is gone: 404
**
** Unusual: pausing is a change of its own, and none comes within an hour of a resume; after 30 days a paused cluster
** resumes by itself, as if it had been asked to. Tags, labels and the protection from termination are only written down:
** they leave the state alone and also go through while the cluster is paused. What changes during CREATING is part of the
** creation.
**
** What its nodes run on is in cluster_hardware.c, how it is reached in cluster_connection.c; cluster_parts.h draws what is
** kept beside its body.
*/
#include "catalog/catalog.h"

#include "catalog/db_versions.h"
#include "catalog/objects.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/deployment/flex_parts.h"

enum {
  CLUSTER_MAX_SHARDS = 50,
  CLUSTER_PAUSE_MINUTES = 60, /* after a resume */
  CLUSTER_PAUSED_DAYS = 30    /* then it resumes */
};

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
static const char *const cluster_endpoint_types[] = { "DBD", "DBS", NULL };
static const char *const cluster_grants[] = { "CLUSTER_DATABASE_LOGS", "CLUSTER_INFRASTRUCTURE",
                                              "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA", NULL };

/* Changes of these are only written down: nothing is done to the deployment. */
static const char *const cluster_light[] = { "labels", "tags", "terminationProtectionEnabled", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

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
  F_STR("endpointId", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_STR("region", .flags = SVC_READ_ONLY),
  F_END
};
static const svc_object cluster_endpoint = { .name = "PrivateEndpoint", .fields = cluster_endpoint_fields };

static const svc_field cluster_private_fields[] = {
  F_STR("connectionString", .flags = SVC_READ_ONLY),
  F_LIST("endpoints", &cluster_endpoint, .flags = SVC_READ_ONLY),
  F_STR("srvConnectionString", .flags = SVC_READ_ONLY),
  F_STR("srvShardOptimizedConnectionString", .flags = SVC_READ_ONLY),
  F_ENUM("type", cluster_endpoint_types, .flags = SVC_READ_ONLY),
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
  F_LIST("effectiveReplicationSpecs", &svc_cluster_spec, .flags = SVC_READ_ONLY),
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
  F_LIST("replicationSpecs", &svc_cluster_spec, .flags = SVC_REQUIRED, .min_items = 1, .max_items = CLUSTER_MAX_SHARDS),
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

static const char *const cluster_availabilities[] = { "available", "dead", "unavailable", "warning", NULL };
static const char *const cluster_summary_types[] = { "REPLICA_SET", "SHARDED_CLUSTER", NULL };

static const svc_field cluster_summary_fields[] = {
  F_INT("alertCount", .flags = SVC_READ_ONLY),
  F_BOOL("authEnabled", .flags = SVC_READ_ONLY),
  F_ENUM("availability", cluster_availabilities, .flags = SVC_READ_ONLY),
  F_BOOL("backupEnabled", .flags = SVC_READ_ONLY),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_LONG("dataSizeBytes", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_INT("nodeCount", .flags = SVC_READ_ONLY),
  F_BOOL("sslEnabled", .flags = SVC_READ_ONLY),
  F_ENUM("type", cluster_summary_types, .flags = SVC_READ_ONLY),
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
  { .method = SVC_POST, .path = "/groups/{groupId}/clusters", .set = SVC_SET_CLUSTERS, .status = 202,
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
  { .method = SVC_POST, .path = "/groups/{groupId}/flexClusters:tenantUpgrade", .set = SVC_SET_FLEX_CLUSTERS,
    .versions = { 20241113 }, .roles = SVC_R_GROUP_CLUSTER_MANAGER, .answer = &svc_flex_object, .run = svc_flex_upgrade,
    .example = "{\"name\":\"Flexible\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
               "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\","
               "\"nodeCount\":3}}]}]}" },
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

enum { CLUSTER_DUE_RESUME = SVC_DUE_OWN }; /* the end of a pause */

typedef struct cluster_facts {
  char id[CLUSTER_ID];
  int64_t resumed;
} cluster_facts;

static cluster_facts cluster_old_facts(const svc_entity *e)
{
  cluster_facts facts = { { 0 }, 0 };
  if (e->extra.n < CLUSTER_SUMMARY) return facts;
  memcpy(facts.id, e->extra.p, CLUSTER_ID);
  svc_str_i64((svc_str){ e->extra.p + CLUSTER_ID, CLUSTER_TIME }, &facts.resumed);
  return facts;
}

/* ---- database version */

static int cluster_version_rank(svc_str major)
{
  size_t i;
  for (i = 0; i < SVC_DB_VERSION_COUNT; i++)
    if (svc_str_is(major, svc_db_versions[i].major)) return (int)i;
  return -1;
}

/* A version must be one of those on offer, and never older than the one it has; one that is no longer on offer may stay. */
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

/* ---- the list of all clusters */

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
  svc_buf_i64(&b, svc_cluster_node_count(body));
  svc_buf_text(&b, ",\"sslEnabled\":true,\"type\":\"");
  svc_buf_text(&b, svc_cluster_is(body, "clusterType", "REPLICASET") ? "REPLICA_SET" : "SHARDED_CLUSTER");
  svc_buf_text(&b, "\",\"versions\":[");
  svc_json_escape(&b, svc_node_str(body, "dbVersion"));
  svc_buf_text(&b, "]}");
  return svc_buf_done(&b);
}

static void cluster_write_summaries(svc_call *c, const svc_id *project, svc_buf *b)
{
  svc_entity e;
  svc_scan scan;
  bool first = true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, project);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    if (e.extra.n < CLUSTER_SUMMARY) continue;
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
  size_t links_at;
  bool known = c->s->org && svc_get_noun(c->txn, c->s->org, &project->parent, &org) == SVC_OK;
  svc_buf_text(&b, "{\"clusters\":[");
  cluster_write_summaries(c, &project->id, &b);
  svc_buf_text(&b, "],\"groupId\":\"");
  svc_id_hex(&project->id, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"groupName\":");
  svc_json_escape(&b, project->unique);
  links_at = b.n + 1;
  svc_buf_text(&b, ",\"orgId\":\"");
  svc_id_hex(&project->parent, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"orgName\":");
  svc_json_escape(&b, known ? org.unique : SVC_S(""));
  svc_buf_text(&b, ",\"planType\":\"STANDARD\",\"tags\":[]}");
  memset(out, 0, sizeof *out);
  out->body = svc_buf_done(&b);
  out->links_at = links_at;
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
  if (diff->light || diff->heavy) return svc_cluster_fail(c, change, SVC_E_CANNOT_UPDATE_AND_PAUSE_CLUSTER);
  if (svc_cluster_is_tenant(change->body)) return svc_cluster_fail(c, change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED);
  if (!svc_cluster_is(change->before, "stateName", "IDLE"))
    return svc_cluster_fail(c, change, SVC_E_CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES);
  if (facts->resumed && c->now - facts->resumed < minutes * 60000)
    return svc_fail(c, SVC_E_CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER, "Si", &name, &minutes);
  return true;
}

static bool cluster_pause_rules(svc_call *c, const svc_change *change, const cluster_diff *diff,
                                const cluster_facts *facts)
{
  bool was = svc_node_bool(change->before, "paused", false), is = svc_node_bool(change->body, "paused", false);
  if (is && !was) return cluster_may_pause(c, change, diff, facts);
  if (was && diff->heavy) return svc_cluster_fail(c, change, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER);
  /* a whole body that was read and sent back also says that it is paused: that is no request to pause it */
  if (was && is && svc_node_count(change->input) == 1 && svc_node_get(change->input, "paused"))
    return svc_cluster_fail(c, change, SVC_E_CLUSTER_ALREADY_PAUSED);
  return true;
}

static bool cluster_update(svc_call *c, svc_change *change, cluster_facts *facts)
{
  cluster_diff diff = cluster_compare(change);
  if (!svc_cluster_is(change->before, "clusterType", "REPLICASET") &&
      svc_cluster_is(change->body, "clusterType", "REPLICASET"))
    return svc_cluster_fail(c, change, SVC_E_SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET);
  if (!cluster_pause_rules(c, change, &diff, facts)) return false;
  if (diff.pause) {
    bool pause = svc_node_bool(change->body, "paused", false);
    svc_change_due(change, CLUSTER_DUE_RESUME, pause ? c->now + CLUSTER_PAUSED_DAYS * CLUSTER_DAY_MS : 0);
    if (!pause) facts->resumed = c->now;
  }
  if (diff.heavy) svc_cluster_connect(c, change->body, facts->id);
  if (diff.heavy || diff.pause) {
    if (svc_cluster_is(change->before, "stateName", "CREATING")) {
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
  cluster_facts facts = { { 0 }, 0 };
  if (change->before) facts = cluster_old_facts(&change->entity);
  else svc_cluster_host_id(c, &change->id, facts.id);
  if (!change->before && svc_node_bool(change->body, "paused", false))
    return svc_fail(c, SVC_E_CANNOT_CREATE_PAUSED_CLUSTER, "");
  if (!cluster_version(c, change) || !svc_cluster_specs(c, change)) return false;
  if (!change->before) svc_cluster_connect(c, change->body, facts.id);
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

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_field_error cluster_errors[] = {
  { "name", SVC_FAULT_VALUE, SVC_E_CLUSTER_NAME_INVALID },
  { "name", SVC_FAULT_LONG, SVC_E_CLUSTER_NAME_TOO_LONG },
  { "name", SVC_FAULT_CHANGED, SVC_E_CLUSTER_CANNOT_CHANGE_NAME },
  { "replicationSpecs[].regionConfigs[].regionName", SVC_FAULT_VALUE, SVC_E_INVALID_REGION },
  { "replicationSpecs[].regionConfigs[].providerName", SVC_FAULT_VALUE, SVC_E_INVALID_PROVIDER },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_cluster = {
  .name = "cluster",
  .kind = CLUSTER_KIND,
  .parent = "project",
  .param = "clusterName",
  .object = &cluster_object,
  .key = "name",
  .unique = "name",
  .names = FLEX_NAMES,
  .counted_in = "clusterCount",
  .err_not_found = SVC_E_CLUSTER_NOT_FOUND,
  .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .err_other = SVC_E_CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS,
  .quota = "svc.project.deployment.clusters",
  .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .lifecycle = &cluster_lifecycle,
  .guards = cluster_guards,
  .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED",
  .event_deleted = "CLUSTER_DELETE_SUBMITTED",
  .event_field = "clusterName",
  .field_errors = cluster_errors,
  .routes = cluster_routes,
  .prepare = cluster_prepare,
  .fell_due = cluster_fell_due,
  .facts = svc_cluster_facts,
  .meters = svc_cluster_meters
};
