/*
** Cloud provider access: a role of the customer at a provider. The service assumes it to write to the customer's buckets or to
** use the customer's keys. The customer requests access here, creates the role at the provider, and then authorizes it here:
** at AWS by the ARN of the role, at Azure by the ids of a service principal. At GCP the service creates an account of its own,
** which takes a while.
**
** The rule: only an authorized role can be used, and a role in use cannot be deleted. Resources that use a role have its id
** (cloud_role.h).
*/
#include "catalog/security/cloud_role.h"
#include "catalog/values.h"

#define CLOUD_ACCESS_MOST 100

static const char *const cloud_access_features[] = {
  "SVC_DATA_LAKE", "ENCRYPTION_AT_REST", "EXPORT_SNAPSHOT", "PUSH_BASED_LOG_EXPORT", "SVC_LOG_INTEGRATION", NULL
};
static const char *const cloud_access_statuses[] = { "IN_PROGRESS", "COMPLETE", "FAILED", "NOT_INITIATED", NULL };

static const svc_field cloud_access_usage_fields[] = {
  F_ENUM("featureType", cloud_access_features, .flags = SVC_READ_ONLY)
};
static const svc_object cloud_access_usage = { .name = "CloudProviderAccessFeatureUsage", .fields = SVC_ROWS(cloud_access_usage_fields) };

#define CLOUD_ACCESS_CREATED() F_CREATED("createdDate")
#define CLOUD_ACCESS_USAGES() F_LIST("featureUsages", &cloud_access_usage, .flags = SVC_READ_ONLY)
#define CLOUD_ACCESS_PROVIDER() F_ENUM("providerName", svc_values_clouds, .flags = SVC_REQUIRED | SVC_FIXED)
#define CLOUD_ACCESS_ID(name) F_HEX24(name, .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID)
#define CLOUD_ACCESS_UUID(name) F_STR(name, .format = SVC_FORMAT_UUID, .flags = SVC_REQUIRED)
#define CLOUD_ACCESS_ARN(name, ...) F_STR(name, .min = 20, .max = 2048, .flags = __VA_ARGS__)
#define CLOUD_ACCESS_AWS(...) \
  F_DATE("authorizedDate", .flags = SVC_READ_ONLY), CLOUD_ACCESS_CREATED(), CLOUD_ACCESS_USAGES(), __VA_ARGS__ \
  CLOUD_ACCESS_PROVIDER(), CLOUD_ACCESS_ID("roleId"), CLOUD_ACCESS_ARN("svcAWSAccountArn", SVC_READ_ONLY), \
  F_STR("svcAssumedRoleExternalId", .format = SVC_FORMAT_UUID, .flags = SVC_READ_ONLY)

static const svc_field cloud_access_aws_fields[] = {
  CLOUD_ACCESS_AWS(CLOUD_ACCESS_ARN("iamAssumedRoleArn", 0, .pattern = "^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$"), )
};
static const svc_object cloud_access_aws = { .name = "CloudProviderAccessAWSIAMRole", .fields = SVC_ROWS(cloud_access_aws_fields) };

/* A new request does not know the role yet. */
static const svc_field cloud_access_aws_asked_fields[] = { CLOUD_ACCESS_AWS() };
static const svc_object cloud_access_aws_asked = {
  .name = "CloudProviderAccessAWSIAMRoleRequest", .fields = SVC_ROWS(cloud_access_aws_asked_fields)
};

static const svc_field cloud_access_azure_fields[] = {
  CLOUD_ACCESS_ID("_id"), CLOUD_ACCESS_CREATED(), CLOUD_ACCESS_USAGES(),
  F_DATE("lastUpdatedDate", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED), CLOUD_ACCESS_PROVIDER(),
  CLOUD_ACCESS_UUID("servicePrincipalId"), CLOUD_ACCESS_UUID("svcAzureAppId"), CLOUD_ACCESS_UUID("tenantId")
};
static const svc_object cloud_access_azure = { .name = "CloudProviderAccessAzureServicePrincipal", .fields = SVC_ROWS(cloud_access_azure_fields) };

static const svc_field cloud_access_gcp_fields[] = {
  CLOUD_ACCESS_CREATED(), CLOUD_ACCESS_USAGES(),
  F_STR("gcpServiceAccountForSvc", .flags = SVC_READ_ONLY), CLOUD_ACCESS_PROVIDER(), CLOUD_ACCESS_ID("roleId"),
  F_ENUM("status", cloud_access_statuses, .flags = SVC_READ_ONLY)
};
static const svc_object cloud_access_gcp = { .name = "CloudProviderAccessGCPServiceAccount", .fields = SVC_ROWS(cloud_access_gcp_fields) };

static const svc_variant cloud_access_variants[] = {
  { "AWS", &cloud_access_aws }, { "AZURE", &cloud_access_azure }, { "GCP", &cloud_access_gcp }, { NULL, NULL }
};
static const svc_object cloud_access_object = {
  .name = "CloudProviderAccessRole", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", NULL, cloud_access_variants))
};
static const svc_variant cloud_access_asked_variants[] = {
  { "AWS", &cloud_access_aws_asked }, { "AZURE", &cloud_access_azure }, { "GCP", &cloud_access_gcp }, { NULL, NULL }
};
static const svc_object cloud_access_asked = {
  .name = "CloudProviderAccessRoleRequest", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", NULL, cloud_access_asked_variants))
};
static const svc_field cloud_access_all_fields[] = {
  F_LIST("awsIamRoles", &cloud_access_aws, .flags = SVC_READ_ONLY),
  F_LIST("azureServicePrincipals", &cloud_access_azure, .flags = SVC_READ_ONLY),
  F_LIST("gcpServiceAccounts", &cloud_access_gcp, .flags = SVC_READ_ONLY)
};
static const svc_object cloud_access_all = { .name = "CloudProviderAccessRoles", .fields = SVC_ROWS(cloud_access_all_fields) };

/* States of the account at GCP. */
static const svc_transition cloud_access_transitions[] = {
  { "IN_PROGRESS", "COMPLETE", 50, "CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_UPDATED", "access.create" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle cloud_access_lifecycle = {
  .field = "status", .created = "IN_PROGRESS", .failed = "FAILED",
  .event_failed = "CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_UPDATED", .transitions = cloud_access_transitions
};

static bool cloud_access_list(svc_call *c);
static bool cloud_access_delete(svc_call *c);
static bool cloud_access_keep(svc_call *c, const svc_entity *e);

#define CLOUD_ACCESS \
  "/groups/{groupId}/cloudProviderAccess", SVC_SET_CLOUD_PROVIDER_ACCESS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route cloud_access_routes[] = {
  R_GET(CLOUD_ACCESS, "", .answer = &cloud_access_all, .op = "listCloudProviderAccess", .run = cloud_access_list),
  R_POST(CLOUD_ACCESS, "", .status = 201, .body = &cloud_access_asked, .op = "createCloudProviderAccess", .run = svc_verb_create,
         .example = "{\"providerName\":\"AWS\"}"),
  R_GET(CLOUD_ACCESS, "/{roleId}", .op = "getCloudProviderAccess", .run = svc_verb_read),
  R_PATCH(CLOUD_ACCESS, "/{roleId}", .op = "authorizeProviderAccessRole", .run = svc_verb_update,
          .example = "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/svc-backup\"}"),
  R_DELETE(CLOUD_ACCESS, "/{cloudProvider}/{roleId}", .status = 204, .op = "deauthorizeProviderAccessRole", .run = cloud_access_delete,
        .ext = SVC_ROUTE_EXT(.keep = cloud_access_keep))
};

/* ------------------------------------------------------------------------------------------------------------- providers */

/* Per provider: event types of a create, change and delete, and the name of its list. */
static const struct {
  const char *provider, *added, *updated, *deleted, *list;
} cloud_access_providers[] = {
  { "AWS", "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_ADDED", "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_UPDATED",
    "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_DELETED", "awsIamRoles" },
  { "AZURE", "CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_ADDED", "CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_UPDATED",
    "CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_DELETED", "azureServicePrincipals" },
  { "GCP", "CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_ADDED", "CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_UPDATED",
    "CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_DELETED", "gcpServiceAccounts" },
};
enum { CLOUD_ACCESS_AT_AWS, CLOUD_ACCESS_AT_AZURE, CLOUD_ACCESS_AT_GCP };

static int cloud_access_at(svc_str provider)
{
  int i = CLOUD_ACCESS_AT_GCP;
  while (i > CLOUD_ACCESS_AT_AWS && !svc_str_is(provider, cloud_access_providers[i].provider)) i--;
  return i;
}

/* Writes a random UUID (version 4). */
static bool cloud_access_uuid(svc_call *c, svc_node *body, const char *field)
{
  unsigned char b[16];
  if (!svc_secret_bytes(c, b, sizeof b)) return false;
  b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
  b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
  svc_node_set_str(c->arena, body, field,
                   svc_arena_print(c->arena, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
                                   b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]));
  return true;
}

/* Returns twelve digits as the id of the account that contains the project's clusters. */
static long long cloud_access_account(const svc_id *group)
{
  uint64_t n = 0;
  size_t i;
  for (i = 0; i < sizeof group->b; i++) n = n * 1000003u + group->b[i];
  return (long long)(100000000000u + n % 900000000000u);
}

/* Adds the service's own identity, which the customer must trust. */
static bool cloud_access_asked_for(svc_call *c, svc_change *change, int at)
{
  char id[24];
  if (at == CLOUD_ACCESS_AT_AWS) {
    svc_node_set_str(c->arena, change->body, "svcAWSAccountArn",
                     svc_arena_print(c->arena, "arn:aws:iam::%lld:root", cloud_access_account(&c->scope.group)));
    return cloud_access_uuid(c, change->body, "svcAssumedRoleExternalId");
  }
  if (at == CLOUD_ACCESS_AT_GCP) {
    svc_id_hex(&change->id, id);
    svc_node_set_str(c->arena, change->body, "gcpServiceAccountForSvc",
                     svc_arena_print(c->arena, "db-svc-%.16s@p-%s.iam.gserviceaccount.com", id + 8, svc_id_str(c->arena, &c->scope.group).p));
  }
  return true;
}

static bool cloud_access_prepare(svc_call *c, svc_change *change)
{
  int at = cloud_access_at(svc_node_str(change->body, "providerName"));
  bool role = svc_node_get(change->body, "iamAssumedRoleArn") != NULL;
  change->event = change->before ? cloud_access_providers[at].updated : cloud_access_providers[at].added;
  if (at != CLOUD_ACCESS_AT_GCP) change->state = NULL;
  if (!change->before && !cloud_access_asked_for(c, change, at)) return false;
  if (role && !svc_node_get(change->before, "iamAssumedRoleArn")) {
    svc_node_set_date(c->arena, change->body, "authorizedDate", c->now);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- usages */

/* The nouns that can use a role, and the name of their feature. */
static const struct {
  const char *noun, *feature;
} cloud_access_users[] = {
  { "data federation", "SVC_DATA_LAKE" },       { "encryption at rest", "ENCRYPTION_AT_REST" }, { "export bucket", "EXPORT_SNAPSHOT" },
  { "log export", "PUSH_BASED_LOG_EXPORT" },    { "log integration", "SVC_LOG_INTEGRATION" },
};
#define CLOUD_ACCESS_USERS (sizeof cloud_access_users / sizeof cloud_access_users[0])

static void cloud_access_used(void *context, const svc_noun_info *from)
{
  bool *used = context;
  size_t i;
  for (i = 0; i < CLOUD_ACCESS_USERS; i++) used[i] = used[i] || strcmp(from->noun->name, cloud_access_users[i].noun) == 0;
}

static svc_node *cloud_access_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *usages = svc_node_array(c->arena, "featureUsages");
  bool used[CLOUD_ACCESS_USERS] = { false };
  size_t i;
  if (!body || !usages || !svc_refs_users(c, e, cloud_access_used, used)) return NULL;
  for (i = 0; i < CLOUD_ACCESS_USERS; i++) {
    svc_node *one = used[i] ? svc_node_object(c->arena, NULL) : NULL;
    if (!one) continue;
    svc_node_set_str(c->arena, one, "featureType", svc_value_text(c->s, c->arena, cloud_access_users[i].feature));
    svc_node_append(usages, one);
  }
  svc_node_put(c->arena, body, usages);
  return body;
}

/* Lists the roles in three lists, by provider, each in order of creation. */
static bool cloud_access_list(svc_call *c)
{
  svc_node *all = svc_node_object(c->arena, NULL), *lists[3], *one;
  svc_entity e;
  svc_scan scan;
  int i;
  if (!all) return svc_no_memory(c);
  for (i = 0; i < 3; i++) {
    lists[i] = svc_node_array(c->arena, cloud_access_providers[i].list);
    if (!lists[i]) return svc_no_memory(c);
    svc_node_append(all, lists[i]);
  }
  svc_below_begin(&scan, c->txn, SVC_CLOUD_ROLE_KIND, &c->scope.group);
  while (svc_below_next(&scan, SVC_CLOUD_ROLE_KIND, &e)) {
    one = cloud_access_view(c, &e);
    if (!one) return svc_failed(c);
    svc_answer_linked(c, &e, one);
    svc_node_append(lists[cloud_access_at(svc_cloud_role_provider(&e))], one);
  }
  return svc_txn_good(c) && svc_answer_node(c, all);
}

/* ------------------------------------------------------------------------------------------------------------ deleting */

static bool cloud_access_keep(svc_call *c, const svc_entity *e)
{
  return svc_str_eq(svc_cloud_role_provider(e), c->route.params[1]);
}

static bool cloud_access_delete(svc_call *c)
{
  svc_entity e;
  bool stored;
  if (!svc_target(c, &e, &stored) || !svc_verb_delete(c)) return false;
  return svc_event_about(c, c->plan->noun, &e, cloud_access_providers[cloud_access_at(svc_cloud_role_provider(&e))].deleted, false);
}

static const svc_order_row cloud_access_orders[] = {
  { "access.create", "Create the service account that the service uses at GCP.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_cloud_access = {
  .name = "cloud provider access",
  .rel = "cloudProviderAccess",
  .kind = SVC_CLOUD_ROLE_KIND,
  .parent = "project",
  .param = "roleId",
  .object = &cloud_access_object,
  .lifecycle = &cloud_access_lifecycle,
  .most = CLOUD_ACCESS_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .err_not_found = SVC_E_CLOUD_PROVIDER_ACCESS_ROLE_NOT_FOUND,
  .event_created = "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_ADDED", /* or the event type of its provider */
  .event_updated = "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_UPDATED",
  .event_field = "resourceId",
  .orders = cloud_access_orders,
  .routes = SVC_ROUTES(cloud_access_routes),
  .prepare = cloud_access_prepare,
  .view = cloud_access_view,
};
