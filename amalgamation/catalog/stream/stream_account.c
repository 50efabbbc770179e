/*
** Stream account: the networks of the service in which a project's stream processors run, by provider and region. Customers
** need them to peer with these networks or to admit them in firewalls.
**
** Nothing is stored: the data follow from the project and the region, and are always the same for them.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/stream/stream_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_account_providers[] = { "aws", "azure", "gcp", "AWS", "AZURE", "GCP", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field stream_account_aws_fields[] = {
  F_STR("awsAccountId"), F_STR("cidrBlock"), F_STR("cloudProvider"), F_STR("vpcId")
};
static const svc_object stream_account_aws = { .name = "AWSAccountDetails", .fields = SVC_ROWS(stream_account_aws_fields) };
static const svc_field stream_account_azure_fields[] = {
  F_STR("azureSubscriptionId"), F_STR("cidrBlock"), F_STR("cloudProvider"), F_STR("virtualNetworkName")
};
static const svc_object stream_account_azure = { .name = "AzureAccountDetails", .fields = SVC_ROWS(stream_account_azure_fields) };
static const svc_field stream_account_gcp_fields[] = {
  F_STR("cidrBlock"), F_STR("cloudProvider"), F_STR("gcpProjectId"), F_STR("vpcNetworkName")
};
static const svc_object stream_account_gcp = { .name = "GCPAccountDetails", .fields = SVC_ROWS(stream_account_gcp_fields) };
static const svc_variant stream_account_variants[] = {
  { "aws", &stream_account_aws }, { "azure", &stream_account_azure }, { "gcp", &stream_account_gcp }, { NULL, NULL }
};
static const svc_object stream_account_object = {
  .name = "AccountDetails", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("cloudProvider", "aws", stream_account_variants))
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool stream_account_read(svc_call *c);

static const svc_param stream_account_params[] = {
  { .name = "cloudProvider", .type = SVC_STRING, .flags = SVC_PARAM_REQUIRED, .values = stream_account_providers },
  { .name = "regionName", .type = SVC_STRING, .flags = SVC_PARAM_REQUIRED, .values = svc_values_regions },
  { .name = NULL }
};

static const svc_route stream_account_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/streams/accountDetails", .set = SVC_SET_STREAMS, .versions = { 20241113 },
    .roles = SVC_R_GROUP_READ_ONLY, .params = stream_account_params, .op = "getAccountDetails", .run = stream_account_read }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* The self link includes the query parameters, which are required. */
static bool stream_account_answer(svc_call *c, svc_node *body, const char *provider, svc_str region)
{
  svc_node *links = svc_node_array(c->arena, "links"), *self;
  self = svc_node_object(c->arena, NULL);
  if (!links || !self) return svc_no_memory(c);
  svc_node_set_str(c->arena, self, "href",
                   svc_arena_print(c->arena, SVC_FMT SVC_FMT "/groups/%s/streams/accountDetails?cloudProvider=%s"
                                   "&regionName=" SVC_FMT, SVC_ARG(c->s->base_url), SVC_ARG(c->s->base_path),
                                   svc_id_str(c->arena, &c->scope.group).p, provider, SVC_ARG(region)));
  svc_node_set_text(c->arena, self, "rel", "self");
  svc_node_append(links, self);
  svc_node_put(c->arena, body, links);
  if (c->arena->failed || !svc_answer_node(c, body)) return svc_no_memory(c);
  svc_answer_unlinked(c);
  return true;
}

static bool stream_account_read(svc_call *c)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions, svc_values_gcp_regions };
  svc_str given = svc_query_get(c, "cloudProvider")->text, region = svc_query_get(c, "regionName")->text, account, network;
  svc_node *out = svc_node_object(c->arena, NULL);
  unsigned char hash[32];
  size_t i = 0;
  if (!out) return svc_no_memory(c);
  while (!svc_str_is_nocase(given, stream_account_providers[i])) i++; /* the parameter check allows only these */
  if (!svc_value_in(c->s, region, regions[i]))
    return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", "regionName", "it is not a region of this provider");
  account = svc_stream_account(c, svc_str_c(svc_values_clouds[i]));
  svc_text_hash(c->arena, svc_arena_print(c->arena, "%s/%s/" SVC_FMT, svc_id_str(c->arena, &c->scope.group).p,
                                          stream_account_providers[i], SVC_ARG(region)), hash);
  network = svc_arena_print(c->arena, i == 0 ? "vpc-%02x%02x%02x%02x%02x%02x%02x%02x%x" : "stream-%02x%02x%02x%02x%02x%02x%02x%02x%x",
                            hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7], hash[8] & 15u);
  svc_node_set_str(c->arena, out, i == 0 ? "awsAccountId" : i == 1 ? "azureSubscriptionId" : "gcpProjectId", account);
  svc_node_set_str(c->arena, out, "cidrBlock", svc_arena_print(c->arena, "10.%u.%u.0/22", hash[9], hash[10] & 0xFCu));
  svc_node_set_text(c->arena, out, "cloudProvider", stream_account_providers[i]);
  svc_node_set_str(c->arena, out, i == 0 ? "vpcId" : i == 1 ? "virtualNetworkName" : "vpcNetworkName", network);
  return stream_account_answer(c, out, stream_account_providers[i], region);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_stream_account = {
  .name = "stream account",
  .rel = "streamAccount",
  .parent = "project",
  .flags = SVC_VIRTUAL,
  .object = &stream_account_object,
  .routes = SVC_ROUTES(stream_account_routes),
};
