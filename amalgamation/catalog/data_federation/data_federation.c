/*
** Data federation: a federated database instance of a project, which answers queries over clusters, buckets and sites as
** if they were one database. Its sources are in federation_storage.c.
**
**   POST, PATCH --> UNVERIFIED --> ACTIVE --> DELETED <-- DELETE     then it is deleted: 404
**
** Each change is verified again. An instance stays UNVERIFIED if its role is not authorized yet (skipRoleValidation), or
** if it reads a bucket without a role, until a change corrects that. Only the driver gets the bucket that is used to test
** a role. The name of that bucket is stored next to the JSON.
**
** The provider's names of a role, and the private hosts of the instance, come from other nouns when the instance is shown.
*/
#include "catalog/security/cloud_role.h"
#include "catalog/data_federation/data_federation_parts.h"
#include "catalog/endpoint_parts.h"

enum {
  DATA_FEDERATION_MOST = 25,
  DATA_FEDERATION_HOSTS = 10, /* maximum hosts from a driver */
  DATA_FEDERATION_LABEL = 38, /* maximum characters of the instance's name in its host name: together with the id they are one label */
  DATA_FEDERATION_LOG_SECONDS = 86400
};

/* ---------------------------------------------------------------------------------------------------------- value lists */

static const char *const data_federation_states[] = { "UNVERIFIED", "ACTIVE", "DELETED", NULL };
static const char *const data_federation_types[] = { "USER", "ONLINE_ARCHIVE", NULL };
static const char *const data_federation_clouds[] = { "AWS", "AZURE", "GCP", NULL };

/* Regions where queries run. */
#define DATA_FEDERATION_REGIONS \
  "AMSTERDAM_NLD", "BELGIUM_EU", "DUBLIN_IRL", "FRANKFURT_DEU", "IOWA_USA", "LONDON_GBR", "MONTREAL_CAN", "MUMBAI_IND", "OREGON_USA", \
  "SAOPAULO_BRA", "SEOUL_KOR", "SINGAPORE_SGP", "SYDNEY_AUS", "TOKYO_JPN", "VIRGINIA_USA"
static const char *const data_federation_regions[] = { DATA_FEDERATION_REGIONS, NULL };
static const char *const data_federation_aws_regions[] = {
  "DUBLIN_IRL", "FRANKFURT_DEU", "LONDON_GBR", "MONTREAL_CAN", "MUMBAI_IND", "OREGON_USA", "SAOPAULO_BRA", "SEOUL_KOR",
  "SINGAPORE_SGP", "SYDNEY_AUS", "TOKYO_JPN", "VIRGINIA_USA", NULL
};
static const char *const data_federation_azure_regions[] = { "AMSTERDAM_NLD", "SAOPAULO_BRA", "VIRGINIA_USA", NULL };
static const char *const data_federation_gcp_regions[] = { "BELGIUM_EU", "IOWA_USA", NULL };

/* Differences between clouds: the member of cloudProviderConfig, the stores that are read with its role, the regions where queries
** run, and the shown fields of the role: the name in the role's own noun, then the name here. */
static const struct data_federation_cloud {
  const char *config, *provider, *store;
  const char *const *regions;
  const char *shown[3][2];
} data_federation_by_cloud[] = {
  { "aws", "AWS", "s3", data_federation_aws_regions,
    { { "svcAssumedRoleExternalId", "externalId" }, { "iamAssumedRoleArn", "iamAssumedRoleARN" }, { "svcAWSAccountArn", "iamUserARN" } } },
  { "azure", "AZURE", "azure", data_federation_azure_regions,
    { { "servicePrincipalId", "servicePrincipalId" }, { "svcAzureAppId", "svcAppId" }, { "tenantId", "tenantId" } } },
  { "gcp", "GCP", "gcs", data_federation_gcp_regions, { { "gcpServiceAccountForSvc", "gcpServiceAccount" } } },
};
#define DATA_FEDERATION_CLOUDS (sizeof data_federation_by_cloud / sizeof data_federation_by_cloud[0])

/* --------------------------------------------------------------------------------------------------------------- fields */

static const svc_field data_federation_aws_fields[] = {
  F_STR("externalId", .flags = SVC_READ_ONLY),
  F_STR("iamAssumedRoleARN", .flags = SVC_READ_ONLY, .min = 20, .max = 2048),
  F_STR("iamUserARN", .flags = SVC_READ_ONLY),
  F_HEX24("roleId", .flags = SVC_REQUIRED),
  F_STR("testS3Bucket", .flags = SVC_WRITE_ONLY, .min = 1, .max = 255)
};
static const svc_need data_federation_aws_needs[] = { /* required if the role changes: data_federation_bucket() */
  { .fields = "testS3Bucket", .by_hook = true }, { .fields = NULL }
};
static const svc_object data_federation_aws = {
  .name = "DataLakeAWSCloudProviderConfig", .fields = SVC_ROWS(data_federation_aws_fields), .ext = SVC_OBJECT_EXT(.needs = data_federation_aws_needs)
};

static const svc_field data_federation_azure_fields[] = {
  F_HEX24("roleId", .flags = SVC_REQUIRED),
  F_STR("servicePrincipalId", .flags = SVC_READ_ONLY),
  F_STR("svcAppId", .flags = SVC_READ_ONLY),
  F_STR("tenantId", .flags = SVC_READ_ONLY)
};
static const svc_object data_federation_azure = { .name = "DataFederationAzureCloudProviderConfig", .fields = SVC_ROWS(data_federation_azure_fields) };

static const svc_field data_federation_gcp_fields[] = {
  F_STR("gcpServiceAccount", .flags = SVC_READ_ONLY), F_HEX24("roleId", .flags = SVC_REQUIRED)
};
static const svc_object data_federation_gcp = { .name = "DataFederationGCPCloudProviderConfig", .fields = SVC_ROWS(data_federation_gcp_fields) };

static const svc_field data_federation_config_fields[] = {
  F_OBJ("aws", &data_federation_aws, .flags = SVC_NULLABLE),
  F_OBJ("azure", &data_federation_azure, .flags = SVC_NULLABLE),
  F_OBJ("gcp", &data_federation_gcp, .flags = SVC_NULLABLE)
};
static const svc_object data_federation_config = { .name = "DataLakeCloudProviderConfig", .fields = SVC_ROWS(data_federation_config_fields) };

static const svc_field data_federation_region_fields[] = {
  F_ENUM("cloudProvider", data_federation_clouds, .flags = SVC_REQUIRED), F_ENUM("region", data_federation_regions, .flags = SVC_REQUIRED)
};
static const svc_object data_federation_region = { .name = "DataLakeDataProcessRegion", .fields = SVC_ROWS(data_federation_region_fields) };

static const svc_field data_federation_private_fields[] = {
  F_STR("hostname", .flags = SVC_READ_ONLY), F_STR("privateEndpoint", .flags = SVC_READ_ONLY)
};
static const svc_object data_federation_private = { .name = "PrivateEndpointHostname", .fields = SVC_ROWS(data_federation_private_fields) };

static const svc_field data_federation_fields[] = {
  F_OBJ("cloudProviderConfig", &data_federation_config, .flags = SVC_NULLABLE),
  F_OBJ("dataProcessRegion", &data_federation_region, .flags = SVC_NULLABLE),
  F_GROUP_ID(),
  F_STRS("hostnames", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_LIST("privateEndpointHostnames", &data_federation_private, .flags = SVC_READ_ONLY),
  F_ENUM("state", data_federation_states, .flags = SVC_READ_ONLY),
  F_OBJ("storage", &svc_federation_storage, .preset = "{\"databases\":[],\"stores\":[]}")
};
static const svc_object data_federation_object = { .name = "DataLakeTenant", .fields = SVC_ROWS(data_federation_fields) };

/* --------------------------------------------------------------------------------------------------------------- routes */

static bool data_federation_keep(svc_call *c, const svc_entity *e);
static bool data_federation_ask(svc_call *c);

static const svc_param data_federation_list_params[] = {
  { .name = "type", .type = SVC_STRING, .values = data_federation_types }, { .name = NULL }
};
static const svc_param data_federation_create_params[] = { { .name = "skipRoleValidation", .type = SVC_BOOLEAN }, { .name = NULL } };
static const svc_param data_federation_change_params[] = {
  { .name = "skipRoleValidation", .type = SVC_BOOLEAN, .flags = SVC_PARAM_REQUIRED }, { .name = NULL }
};
static const svc_param data_federation_log_params[] = { SVC_LOG_PARAM("endDate"), SVC_LOG_PARAM("startDate"), { .name = NULL } };

#define DATA_FEDERATION_READERS \
  (SVC_R_GROUP_DATA_ACCESS_ADMIN | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE | SVC_R_GROUP_STREAM_PROCESSING_OWNER)
#define DATA_FEDERATION \
  "/groups/{groupId}/dataFederation", SVC_SET_DATA_FEDERATION, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route data_federation_routes[] = {
  R_GET(DATA_FEDERATION, "", .flags = SVC_BARE, .params = data_federation_list_params, .op = "listDataFederation", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.keep = data_federation_keep)),
  R_POST(DATA_FEDERATION, "", .status = 202, .params = data_federation_create_params, .op = "createDataFederation", .run = svc_verb_create,
         .example = "{\"name\":\"Federated\",\"cloudProviderConfig\":{\"aws\":{\"roleId\":\"5f0000000000000000000000\",\"testS3Bucket\":"
                    "\"acme-data\"}},\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"},\"storage\":{\"stores\":[{"
                    "\"name\":\"lake\",\"provider\":\"s3\",\"bucket\":\"acme-data\",\"region\":\"US_EAST_1\"}],\"databases\":[{\"name\":"
                    "\"shop\",\"collections\":[{\"name\":\"orders\",\"dataSources\":[{\"storeName\":\"lake\",\"path\":\"/orders/*\"}]}]}]}}"),
  R_GET(DATA_FEDERATION, "/{tenantName}", .op = "getDataFederation", .run = svc_verb_read),
  R_PATCH(DATA_FEDERATION, "/{tenantName}", .params = data_federation_change_params, .op = "updateDataFederation", .run = svc_verb_update,
          .example = "{\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"DUBLIN_IRL\"}}"),
  R_DELETE(DATA_FEDERATION, "/{tenantName}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deleteDataFederation", .run = svc_verb_delete),
  R_FOR(DATA_FEDERATION_READERS, DATA_FEDERATION, SVC_GET, "/{tenantName}/queryLogs.gz", .params = data_federation_log_params, .op = "downloadFederationQueryLogs", .run = data_federation_ask, .on_reply = svc_log_on_reply,
        .ext = SVC_ROUTE_EXT(.media = "gzip", .file = "tenantName"))
};

/* ------------------------------------------------------------------------------------------------------------ lifecycle */

static const svc_transition data_federation_transitions[] = {
  { "UNVERIFIED", "ACTIVE", 10, NULL, "federation.put" },
  { "DELETED", NULL, 10, "FEDERATED_DATABASE_REMOVED", "federation.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle data_federation_lifecycle = {
  .field = "state", .created = "UNVERIFIED", .updated = "UNVERIFIED", .deleted = "DELETED", .failed = "UNVERIFIED",
  .transitions = data_federation_transitions
};

static const svc_guard data_federation_guards[] = {
  { "state", "DELETED", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME }, { NULL, NULL, 0, 0 }
};

/* A store names a cluster or a flex cluster of the project. If neither has this name, the error names the field. */
static const svc_ref data_federation_refs[] = {
  SVC_CLOUD_ROLE("cloudProviderConfig.aws.roleId"),
  SVC_CLOUD_ROLE("cloudProviderConfig.azure.roleId"),
  SVC_CLOUD_ROLE("cloudProviderConfig.gcp.roleId"),
  { "storage.stores[].clusterName", "cluster", SVC_E_INVALID_ATTRIBUTE, SVC_E_CLUSTER_IN_USE_BY_FEDERATED_DATABASES },
  { "storage.stores[].clusterName", "flex cluster", 0, SVC_E_CLUSTER_IN_USE_BY_FEDERATED_DATABASES },
  { NULL, NULL, 0, 0 }
};

/* ---------------------------------------------------------------------------------------------------------------- roles */

/* The role that this part of cloudProviderConfig names. False: none, or not in this project. */
static bool data_federation_role(svc_call *c, const svc_node *config, svc_entity *out)
{
  return svc_entity_get_text_id(c->txn, SVC_CLOUD_ROLE_KIND, &c->scope.group, svc_node_str(config, "roleId"), out) == SVC_OK;
}

/* Copies the provider's names of each role into the body. */
static void data_federation_show_roles(svc_call *c, svc_node *body)
{
  svc_node *config = svc_node_get(body, "cloudProviderConfig"), *one;
  svc_entity role;
  size_t i, n;
  for (i = 0; i < DATA_FEDERATION_CLOUDS; i++) {
    one = svc_node_get(config, data_federation_by_cloud[i].config);
    if (!one || !data_federation_role(c, one, &role)) continue;
    for (n = 0; n < 3 && data_federation_by_cloud[i].shown[n][0]; n++) {
      svc_str text = svc_json_word(role.body, data_federation_by_cloud[i].shown[n][0]);
      if (text.n) svc_node_set_str(c->arena, one, data_federation_by_cloud[i].shown[n][1], text);
    }
  }
}

/* Each role must belong to its cloud, and be authorized, unless the request skips that check. *good: everything that is read can be
** read. */
static bool data_federation_roles(svc_call *c, const svc_change *change, bool *good)
{
  const svc_query_value *skip = svc_query_get(c, "skipRoleValidation");
  const svc_node *config = svc_node_get(change->body, "cloudProviderConfig"), *storage = svc_node_get(change->body, "storage");
  svc_entity role;
  size_t i;
  *good = true;
  for (i = 0; i < DATA_FEDERATION_CLOUDS; i++) {
    const struct data_federation_cloud *cloud = &data_federation_by_cloud[i];
    const svc_node *one = svc_node_get(config, cloud->config);
    svc_str id = svc_node_str(one, "roleId");
    if (!one && svc_federation_reads_in_role(storage, cloud->store)) *good = false;
    if (!one || !data_federation_role(c, one, &role)) continue; /* a role that does not exist is refused by its row in
                                                                   data_federation_refs */
    if (!svc_str_is(svc_cloud_role_provider(&role), cloud->provider)) return svc_fail(c, SVC_E_CANNOT_ASSUME_ROLE, "S", &id);
    if (!(skip && skip->number) && !svc_cloud_role(c, id, svc_str_c(cloud->provider))) return false;
    *good = *good && svc_cloud_role_authorized(&role);
  }
  return svc_txn_good(c);
}

/* A new role needs a bucket to be tested on. */
static void data_federation_bucket(svc_call *c, svc_change *change)
{
  const svc_node *is = svc_node_get(svc_node_get(change->body, "cloudProviderConfig"), "aws");
  const svc_node *was = svc_node_get(svc_node_get(change->before, "cloudProviderConfig"), "aws");
  svc_str bucket = svc_node_str(svc_node_get(svc_node_get(change->input, "cloudProviderConfig"), "aws"), "testS3Bucket");
  if (!is) change->extra = SVC_S("");
  else if (bucket.n) change->extra = bucket;
  else if (!svc_node_eq(is, "roleId", svc_node_str(was, "roleId")))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("cloudProviderConfig.aws.testS3Bucket"), "is required with another role");
}

/* ----------------------------------------------------------------------------------------------------------------- hosts */

static svc_str data_federation_label(svc_call *c, svc_str name, const svc_id *id)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  size_t i;
  for (i = 0; i < name.n && i < DATA_FEDERATION_LABEL; i++)
    svc_buf_char(&b, name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] - 'A' + 'a') : name.p[i]);
  svc_buf_char(&b, '-');
  svc_buf_str(&b, svc_id_str(c->arena, id));
  return svc_buf_done(&b);
}

static void data_federation_host(svc_call *c, svc_change *change)
{
  svc_node *hosts = svc_node_array(c->arena, "hostnames");
  svc_str label = data_federation_label(c, svc_node_str(change->body, "name"), &change->id);
  svc_str host = svc_arena_print(c->arena, SVC_FMT ".a.query.%s", SVC_ARG(label), c->s->config.db_domain);
  if (!hosts) return;
  svc_node_append(hosts, svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), host));
  svc_node_put(c->arena, change->body, hosts);
}

/* Each private endpoint of federated instances has a host name of its own. */
static bool data_federation_private_hosts(svc_call *c, const svc_entity *e, svc_node *body)
{
  svc_node *hosts = svc_node_array(c->arena, "privateEndpointHostnames"), *one;
  svc_str label = data_federation_label(c, svc_node_str(body, "name"), &e->id);
  svc_entity endpoint;
  svc_scan scan;
  svc_below_begin(&scan, c->txn, FEDERATION_ENDPOINT_KIND, &e->parent);
  while (hosts && svc_below_next(&scan, FEDERATION_ENDPOINT_KIND, &endpoint)) {
    if (!svc_json_is(endpoint.body, "status", "OK")) continue;
    one = svc_node_object(c->arena, NULL);
    if (!one) break;
    svc_node_set_str(c->arena, one, "hostname", svc_arena_print(c->arena, SVC_FMT ".pl-%s.a.query.%s", SVC_ARG(label),
                                                                svc_id_str(c->arena, &endpoint.id).p, c->s->config.db_domain));
    svc_node_set_str(c->arena, one, "privateEndpoint", endpoint.unique);
    svc_node_append(hosts, one);
  }
  if (hosts) svc_node_put(c->arena, body, hosts);
  return svc_txn_good(c) && (!c->arena->failed || svc_no_memory(c));
}

/* ----------------------------------------------------------------------------------------------------------------- hooks */

/* Online archives are read through their clusters, so instances of the other type never exist. */
static bool data_federation_keep(svc_call *c, const svc_entity *e)
{
  const svc_query_value *type = svc_query_get(c, "type");
  (void)e;
  return !type || svc_str_is(type->text, data_federation_types[0]);
}

static void data_federation_region_rule(svc_call *c, const svc_node *body)
{
  const svc_node *region = svc_node_get(body, "dataProcessRegion");
  size_t i;
  for (i = 0; region && i < DATA_FEDERATION_CLOUDS; i++)
    if (svc_node_is(region, "cloudProvider", data_federation_by_cloud[i].provider) &&
        !svc_value_in(c->s, svc_node_str(region, "region"), data_federation_by_cloud[i].regions))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("dataProcessRegion.region"), "must be %s there",
                  svc_values_known(c, data_federation_by_cloud[i].regions).p);
}

static bool data_federation_prepare(svc_call *c, svc_change *change)
{
  bool good;
  data_federation_region_rule(c, change->body);
  data_federation_bucket(c, change);
  if (!svc_federation_storage_rules(c, change->body) || !svc_check_done(c) || !data_federation_roles(c, change, &good)) return false;
  if (!change->before) data_federation_host(c, change);
  data_federation_show_roles(c, change->body);
  if (!good) change->due = -1;
  return true;
}

static svc_node *data_federation_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (!body) return NULL;
  data_federation_show_roles(c, body);
  return data_federation_private_hosts(c, e, body) ? body : NULL;
}

static svc_node *data_federation_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *aws = svc_node_get(svc_node_get(body, "cloudProviderConfig"), "aws");
  if (aws && e->extra.n) svc_node_set_str(c->arena, aws, "testS3Bucket", e->extra);
  return body;
}

static const char *const data_federation_logs[] = { "queryLogs", NULL };
static const svc_field data_federation_log_fields[] = { SVC_LOG_ASKED(data_federation_logs) };
static const svc_object data_federation_log_asked = { .name = "AskedFederationLog", .fields = SVC_ROWS(data_federation_log_fields) };
static const svc_question_row data_federation_log_question = {
  "logs", "data federation",
  "The log lines of queries from `from` until `until`, in seconds.", &data_federation_log_asked, NULL, SVC_REPLY_LINES
};

static bool data_federation_ask(svc_call *c)
{
  const svc_entity *e;
  int64_t from, until;
  if (!svc_resolve_all(c) || !svc_log_range(c, DATA_FEDERATION_LOG_SECONDS, &from, &until)) return false;
  e = svc_path_entity(c, "data federation");
  return svc_question_about(c, &data_federation_log_question, e, e->unique,
                            svc_arena_print(c->arena, "{\"from\":%lld,\"log\":\"queryLogs\",\"until\":%lld}", (long long)from, (long long)until));
}

static const svc_field data_federation_fact_fields[] = { F_STRS("hostnames", .min = 1, .max = 255, .max_items = DATA_FEDERATION_HOSTS) };
static const svc_object data_federation_facts_object = { .name = "FederationFacts", .fields = SVC_ROWS(data_federation_fact_fields) };
static const svc_order_row data_federation_orders[] = {
  { "federation.put",
    "Serve the federated database as defined by `storage`. Facts: the host names at which clients reach it.",
    NULL, &data_federation_facts_object, 0 },
  { "federation.delete", "Stop serving the federated database.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------------ noun */

SVC_PRIVATE const svc_noun svc_noun_data_federation = {
  .name = "data federation",
  .rel = "dataFederation",
  .kind = "dfed",
  .parent = "project",
  .param = "tenantName",
  .flags = SVC_TEXT_BESIDE,
  .object = &data_federation_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME,
  .err_exists = SVC_E_DATA_FEDERATION_TENANT_ALREADY_EXISTS,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_DATA_LAKES,
  .most = DATA_FEDERATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &data_federation_lifecycle,
  .guards = data_federation_guards,
  .refs = data_federation_refs,
  .event_created = "FEDERATED_DATABASE_CREATED",
  .event_updated = "FEDERATED_DATABASE_UPDATED",
  .event_deleted = "FEDERATED_DATABASE_UPDATED", /* the request; REMOVED follows when the instance is deleted */
  .event_field = "resourceId",
  .orders = data_federation_orders,
  .questions = SVC_ASKS(&data_federation_log_question),
  .routes = SVC_ROUTES(data_federation_routes),
  .prepare = data_federation_prepare,
  .view = data_federation_view,
  .desired = data_federation_desired,
  .facts = svc_facts_into,
};
