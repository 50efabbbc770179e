/*
** The regions in which clusters can be created, by provider and instance size. Nothing is stored: the list is computed
** from the lists of values, shared tiers included. So a cluster can be created with every combination that is shown, except
** M2, which cluster_specs.c refuses.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_region_fields[] = {
  F_BOOL("default", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_region_object = { .name = "AvailableCloudProviderRegion", .fields = SVC_ROWS(cluster_region_fields) };
static const svc_field cluster_region_size_fields[] = {
  F_LIST("availableRegions", &cluster_region_object, .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_region_size = { .name = "ClusterCloudProviderInstanceSize", .fields = SVC_ROWS(cluster_region_size_fields) };
static const svc_field cluster_region_provider_fields[] = {
  F_LIST("instanceSizes", &cluster_region_size, .flags = SVC_READ_ONLY),
  F_ENUM("provider", svc_values_clouds)
};
static const svc_object cluster_region_provider = { .name = "CloudProviderRegions", .fields = SVC_ROWS(cluster_region_provider_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool cluster_region_list(svc_call *c);

static const svc_param cluster_region_params[] = {
  { .name = "providers", .values = svc_values_clouds, .flags = SVC_PARAM_REPEATS, .max_repeats = 3 }, { .name = "tier" }, { .name = NULL }
};

static const svc_route cluster_region_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/provider/regions", .set = SVC_SET_CLUSTERS, .flags = SVC_PAGED,
    .versions = { 20230101 }, .roles = SVC_R_GROUP_READ_ONLY, .params = cluster_region_params, .answer = &cluster_region_provider,
    .op = "listClusterProviderRegions", .run = cluster_region_list }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Rows in the order of svc_values_clouds. */
static const struct cluster_region_row {
  const char *const *sizes, *const *regions;
  const char *usual; /* the default region */
} cluster_region_rows[] = {
  { svc_values_aws_sizes, svc_values_aws_regions, "US_EAST_1" },
  { svc_values_azure_sizes, svc_values_azure_regions, "US_EAST_2" },
  { svc_values_gcp_sizes, svc_values_gcp_regions, "CENTRAL_US" },
};

static void cluster_region_write_size(svc_buf *b, const char *size, const struct cluster_region_row *row)
{
  const char *const *region = row->regions;
  svc_buf_text(b, "{\"availableRegions\":[");
  for (; *region; region++) {
    svc_buf_text(b, region == row->regions ? "{\"default\":" : ",{\"default\":");
    svc_buf_text(b, strcmp(*region, row->usual) == 0 ? "true,\"name\":\"" : "false,\"name\":\"");
    svc_buf_text(b, *region);
    svc_buf_text(b, "\"}");
  }
  svc_buf_text(b, "],\"name\":\"");
  svc_buf_text(b, size);
  svc_buf_text(b, "\"}");
}

/* Writes the instance sizes of a provider, shared tiers first; with a tier, only that size. Returns the number of sizes written. */
static size_t cluster_region_write(svc_buf *b, const struct cluster_region_row *row, const svc_query_value *tier)
{
  const char *const *const lists[] = { svc_values_tenant_sizes, row->sizes };
  const char *const *size;
  size_t n = 0, i;
  for (i = 0; i < 2; i++)
    for (size = lists[i]; *size; size++) {
      if (tier && !svc_str_is(tier->text, *size)) continue;
      if (n++) svc_buf_char(b, ',');
      cluster_region_write_size(b, *size, row);
    }
  return n;
}

static bool cluster_region_next(svc_call *c, void *state, svc_item *out)
{
  const svc_query_value *tier = svc_query_get(c, "tier");
  size_t *at = state;
  while (svc_values_clouds[*at]) {
    const char *provider = svc_values_clouds[*at];
    const struct cluster_region_row *row = &cluster_region_rows[(*at)++];
    svc_buf b;
    if (svc_query_get(c, "providers") && !svc_query_has(c, "providers", svc_str_c(provider))) continue;
    b = svc_buf_new(c->arena, 512);
    svc_buf_text(&b, "{\"instanceSizes\":[");
    if (cluster_region_write(&b, row, tier) == 0) continue;
    if (!out) return true;
    memset(out, 0, sizeof *out);
    svc_buf_text(&b, "],");
    out->links_at = b.n;
    svc_buf_text(&b, "\"provider\":\"");
    svc_buf_text(&b, provider);
    svc_buf_text(&b, "\"}");
    out->body = svc_buf_done(&b);
    return !b.failed || svc_no_memory(c);
  }
  return false;
}

static bool cluster_region_list(svc_call *c)
{
  size_t at = 0;
  return svc_list_items(c, cluster_region_next, &at, -1);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_region = {
  .name = "cluster region",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(cluster_region_routes)
};
