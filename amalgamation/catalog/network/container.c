/*
** Network container: the private network of a project at a provider. Clusters lie in it, and peering connections join other
** networks with it. There is one container for each region; at GCP, one for all regions or for a list of regions.
**
** A request creates a container, and may choose its addresses. Otherwise the first cluster or private endpoint service of a
** region creates it. While the container is in use (network_use.c) it is `provisioned`: its addresses cannot change, and it
** cannot be deleted.
**
** The address block is private and overlaps with no other container of the project, so that clusters in several regions reach
** each other.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"

/* Allowed prefix lengths per provider, in the order of svc_values_clouds; `given` is the prefix if the request chooses none. */
static const struct container_blocks {
  int widest, narrowest, given;
} container_blocks[] = { { 21, 24, 21 }, { 21, 24, 21 }, { 8, 18, 18 } };

/* Azure has one region in which no cluster can lie yet. */
static const char *const container_azure_regions[] = {
  SVC_REGIONS_OF_AZURE, "US_EAST_2", "US_EAST_2_EUAP", "US_WEST_2", "US_WEST_3", NULL
};

#define CONTAINER_BLOCK F_STR("svcCidrBlock", .max = 18)

static const svc_field container_aws_fields[] = {
  F_ID(),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED, .preset = "\"AWS\""),
  F_BOOL("provisioned", .flags = SVC_READ_ONLY, .preset = "false"),
  F_ENUM("regionName", svc_values_aws_regions, .flags = SVC_REQUIRED | SVC_FIXED),
  CONTAINER_BLOCK,
  F_STR("vpcId", .flags = SVC_READ_ONLY, .pattern = "^vpc-[0-9a-f]{17}$")
};
static const svc_object container_aws = { .name = "AWSCloudProviderContainer", .fields = SVC_ROWS(container_aws_fields) };

static const svc_field container_azure_fields[] = {
  F_HEX24("azureSubscriptionId", .flags = SVC_READ_ONLY),
  F_ID(),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED),
  F_BOOL("provisioned", .flags = SVC_READ_ONLY, .preset = "false"),
  F_ENUM("region", container_azure_regions, .flags = SVC_REQUIRED | SVC_FIXED),
  CONTAINER_BLOCK,
  F_STR("vnetName", .flags = SVC_READ_ONLY, .pattern = "^([-\\w._()])+$")
};
static const svc_object container_azure = { .name = "AzureCloudProviderContainer", .fields = SVC_ROWS(container_azure_fields) };

static const svc_field container_gcp_fields[] = {
  F_STR("gcpProjectId", .flags = SVC_READ_ONLY, .pattern = "^p-[0-9a-z]{24}$"),
  F_ID(),
  F_STR("networkName", .flags = SVC_READ_ONLY, .pattern = "^nt-[0-9a-f]{24}-[0-9a-z]{8}$"),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED),
  F_BOOL("provisioned", .flags = SVC_READ_ONLY, .preset = "false"),
  F_STRS("regions", .values = svc_values_gcp_regions, .flags = SVC_UNIQUE_ITEMS, .max_items = 64),
  CONTAINER_BLOCK
};
static const svc_object container_gcp = { .name = "GCPCloudProviderContainer", .fields = SVC_ROWS(container_gcp_fields) };

static const svc_variant container_variants[] = {
  { "AWS", &container_aws }, { "AZURE", &container_azure }, { "GCP", &container_gcp }, { NULL, NULL }
};
static const svc_object container_object = {
  .name = "CloudProviderContainer", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", "AWS", container_variants))
};

/* ------------------------------------------------------------------------------------------------------------- routes */

static bool container_keep(svc_call *c, const svc_entity *e);

static const svc_param container_params[] = {
  { .name = "providerName", .type = SVC_STRING, .values = svc_values_clouds }, { .name = NULL }
};

#define CONTAINER "/groups/{groupId}/containers", SVC_SET_NETWORK, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route container_routes[] = {
  R_GET(CONTAINER, "", .flags = SVC_PAGED, .params = container_params, .op = "listGroupContainers", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.keep = container_keep)),
  R_POST(CONTAINER, "", .status = 201, .op = "createGroupContainer", .run = svc_verb_create,
         .example = "{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\",\"svcCidrBlock\":\"10.8.0.0/21\"}"),
  R_GET(CONTAINER, "/all", .flags = SVC_PAGED, .op = "listGroupContainerAll", .run = svc_verb_list),
  R_GET(CONTAINER, "/{containerId}", .op = "getGroupContainer", .run = svc_verb_read),
  R_PATCH(CONTAINER, "/{containerId}", .op = "updateGroupContainer", .run = svc_verb_update, .example = "{\"svcCidrBlock\":\"10.8.8.0/21\"}"),
  R_DELETE(CONTAINER, "/{containerId}", .status = 204, .op = "deleteGroupContainer", .run = svc_verb_delete)
};

/* -------------------------------------------------------------------------------------------------------------- hooks */

/* Lists the containers of the provider in the query; default: AWS. */
static bool container_keep(svc_call *c, const svc_entity *e)
{
  const svc_query_value *given = svc_query_get(c, "providerName");
  return svc_str_eq(svc_network_text(c, e, "providerName"), given ? given->text : SVC_S("AWS"));
}

static svc_str container_region(const svc_node *body)
{
  svc_str region = svc_node_str(body, "regionName");
  return region.n ? region : svc_node_str(body, "region");
}

/* Returns true if the block overlaps with no other container of the project. */
static bool container_is_free(svc_call *c, const svc_change *change, const svc_address *block)
{
  svc_address other;
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, CONTAINER_KIND, &change->parent);
  while (svc_below_next(&scan, CONTAINER_KIND, &e))
    if (!svc_id_eq(&e.id, &change->id) && svc_address_parse(svc_network_text(c, &e, "svcCidrBlock"), &other) &&
        svc_block_overlaps(&other, block))
      return false;
  return true;
}

/* Refuses a second container of the same provider and region. */
static bool container_alone(svc_call *c, const svc_change *change)
{
  svc_str provider = svc_node_str(change->body, "providerName"), region = container_region(change->body), other;
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, CONTAINER_KIND, &change->parent);
  while (svc_below_next(&scan, CONTAINER_KIND, &e)) {
    other = svc_network_text(c, &e, svc_str_is(provider, "AWS") ? "regionName" : "region");
    if (!svc_str_eq(svc_network_text(c, &e, "providerName"), provider) || !svc_str_eq(other, region)) continue;
    return svc_fail_about(c, SVC_E_CONTAINER_ALREADY_EXISTS, region.n ? region : provider, svc_id_str(c->arena, &change->parent));
  }
  return svc_txn_good(c);
}

/* Assigns the first free block if the request chooses none. */
static bool container_give(svc_call *c, svc_change *change)
{
  int prefix = container_blocks[svc_cloud_number(svc_node_str(change->body, "providerName"))].given;
  svc_address block;
  unsigned number = 0;
  while (svc_block_number(number, prefix, &block) && !container_is_free(c, change, &block)) number++;
  if (!svc_block_number(number, prefix, &block))
    return svc_fail_about(c, SVC_E_OVERLAPPING_CIDR_BLOCK, SVC_S("10.0.0.0/8"), svc_id_str(c->arena, &change->parent));
  svc_node_set_str(c->arena, change->body, "svcCidrBlock", svc_address_text(c->arena, &block));
  return svc_txn_good(c);
}

static bool container_block(svc_call *c, svc_change *change)
{
  const struct container_blocks *rule = &container_blocks[svc_cloud_number(svc_node_str(change->body, "providerName"))];
  svc_str text = svc_node_str(change->body, "svcCidrBlock");
  svc_address block;
  if (text.n == 0) return container_give(c, change);
  if (!svc_block_private(c, "svcCidrBlock", text, rule->widest, rule->narrowest, &block)) return false;
  return container_is_free(c, change, &block) ? svc_txn_good(c)
                                              : svc_fail_about(c, SVC_E_OVERLAPPING_CIDR_BLOCK, text,
                                                               svc_id_str(c->arena, &change->parent));
}

static bool container_prepare(svc_call *c, svc_change *change)
{
  if (!change->before) return container_alone(c, change) && container_block(c, change);
  if (svc_node_same(change->before, change->body)) return true;
  return container_block(c, change) && svc_network_unused(c, &change->entity);
}

static const svc_field container_fact_fields[] = {
  F_HEX24("azureSubscriptionId"), F_STR("gcpProjectId", .pattern = "^p-[0-9a-z]{24}$"),
  F_STR("networkName", .pattern = "^nt-[0-9a-f]{24}-[0-9a-z]{8}$"), F_STR("vnetName", .pattern = "^([-\\w._()])+$", .max = 255),
  F_STR("vpcId", .pattern = "^vpc-[0-9a-f]{17}$")
};
static const svc_object container_facts_object = { .name = "ContainerFacts", .fields = SVC_ROWS(container_fact_fields) };
SVC_PRIVATE const svc_noun svc_noun_container = {
  .name = "network container",
  .rel = "container",
  .kind = CONTAINER_KIND,
  .parent = "project",
  .param = "containerId",
  .object = &container_object,
  .err_not_found = SVC_E_CLOUD_PROVIDER_CONTAINER_NOT_FOUND,
  .event_created = "CONTAINER_SUBNETS_UPDATE_REQUESTED", /* creating a container has no event type of its own */
  .event_updated = "CONTAINER_SUBNETS_UPDATE_REQUESTED",
  .event_deleted = "CONTAINER_DELETED",
  .event_field = "resourceId",
  .routes = SVC_ROUTES(container_routes),
  .prepare = container_prepare,
  .reports = &container_facts_object,
  .simulate = svc_network_simulate,
  .reported = svc_facts_into,
  .removing = svc_network_unused,
};
