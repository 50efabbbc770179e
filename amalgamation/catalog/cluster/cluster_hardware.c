/*
** Hardware of clusters: the tables of hardware by provider and region, for the newest version (cluster_object.c) and for
** 2023-02-01 (deployment/cluster_versions.c), and the functions that count nodes, which other areas call, too.
**
** Electable nodes determine the hardware; the rules for it are in cluster_specs.c.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_base.h"

enum {
  CLUSTER_HARDWARE_MAX_VOTES = 7,  /* maximum electable nodes of a shard: more cannot vote */
  CLUSTER_HARDWARE_MAX_NODES = 50, /* maximum other nodes of one kind in a region */
  CLUSTER_HARDWARE_TENANT_NODES = 3
};

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_hardware_volumes[] = { "STANDARD", "PROVISIONED", "HIGH_PERFORMANCE", NULL };
static const char *const cluster_hardware_tenant_sizes[] = { "FLEX", "M2", "M5", "M0", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_hardware_compute_fields[] = {
  F_BOOL("enabled", .preset = "false"),
  F_ENUM("maxInstanceSize", svc_values_sizes),
  F_ENUM("minInstanceSize", svc_values_sizes),
  F_BOOL("predictiveEnabled", .preset = "false"),
  F_BOOL("scaleDownEnabled", .preset = "false")
};
static const svc_need cluster_hardware_compute_needs[] = { /* cluster_specs.c refuses these with specific errors */
  { .fields = "maxInstanceSize", .where = "enabled=true", .by_hook = true },
  { .fields = "minInstanceSize", .where = "scaleDownEnabled=true", .by_hook = true }, { .fields = NULL }
};
static const svc_object cluster_hardware_compute = {
  .name = "AdvancedComputeAutoScaling", .fields = SVC_ROWS(cluster_hardware_compute_fields), .ext = SVC_OBJECT_EXT(.needs = cluster_hardware_compute_needs)
};

static const svc_field cluster_hardware_disk_fields[] = { F_BOOL("enabled", .preset = "false") };
static const svc_object cluster_hardware_disk = { .name = "DiskGBAutoScaling", .fields = SVC_ROWS(cluster_hardware_disk_fields) };

#define CLUSTER_HARDWARE_NO_COMPUTE "{\"enabled\":false,\"predictiveEnabled\":false,\"scaleDownEnabled\":false}"
#define CLUSTER_HARDWARE_NO_DISK "{\"enabled\":false}"

static const svc_field cluster_hardware_auto_fields[] = {
  F_OBJ("compute", &cluster_hardware_compute, .preset = CLUSTER_HARDWARE_NO_COMPUTE),
  F_OBJ("diskGB", &cluster_hardware_disk, .preset = CLUSTER_HARDWARE_NO_DISK)
};
static const svc_object cluster_hardware_auto = { .name = "AdvancedAutoScalingSettings", .fields = SVC_ROWS(cluster_hardware_auto_fields) };

#define CLUSTER_HARDWARE_ELECTABLE(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1), \
  F_ENUM("instanceSize", sizes, .flags = SVC_REQUIRED), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_VOTES, .preset = "3")
#define CLUSTER_HARDWARE_FURTHER(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1), F_ENUM("instanceSize", sizes), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_NODES, .preset = "0")

static const svc_field cluster_hardware_aws_disk_fields[] = {
  F_INT("diskIOPS", .flags = SVC_MIN, .min = 0),
  F_INT("diskThroughput", .flags = SVC_READ_ONLY),
  F_ENUM("ebsVolumeType", cluster_hardware_volumes, .preset = "\"STANDARD\"")
};
static const svc_object cluster_hardware_aws_disk = { .name = "AWSDisk", .fields = SVC_ROWS(cluster_hardware_aws_disk_fields) };
static const svc_field cluster_hardware_aws_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_aws_sizes) };
static const svc_object cluster_hardware_aws_electable = {
  .name = "AWSHardwareSpec", .fields = SVC_ROWS(cluster_hardware_aws_electable_fields), .base = &cluster_hardware_aws_disk
};
static const svc_field cluster_hardware_aws_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_aws_sizes) };
static const svc_object cluster_hardware_aws_further = {
  .name = "AWSDedicatedHardwareSpec", .fields = SVC_ROWS(cluster_hardware_aws_further_fields), .base = &cluster_hardware_aws_disk
};

static const svc_field cluster_hardware_azure_disk_fields[] = {
  F_INT("diskIOPS", .flags = SVC_MIN, .min = 0),
  F_INT("diskThroughput", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_hardware_azure_disk = { .name = "AzureDisk", .fields = SVC_ROWS(cluster_hardware_azure_disk_fields) };
static const svc_field cluster_hardware_azure_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_azure_sizes) };
static const svc_object cluster_hardware_azure_electable = {
  .name = "AzureHardwareSpec", .fields = SVC_ROWS(cluster_hardware_azure_electable_fields), .base = &cluster_hardware_azure_disk
};
static const svc_field cluster_hardware_azure_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_azure_sizes) };
static const svc_object cluster_hardware_azure_further = {
  .name = "AzureDedicatedHardwareSpec", .fields = SVC_ROWS(cluster_hardware_azure_further_fields), .base = &cluster_hardware_azure_disk
};

static const svc_field cluster_hardware_gcp_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_gcp_sizes) };
static const svc_object cluster_hardware_gcp_electable = { .name = "GCPHardwareSpec", .fields = SVC_ROWS(cluster_hardware_gcp_electable_fields) };
static const svc_field cluster_hardware_gcp_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_gcp_sizes) };
static const svc_object cluster_hardware_gcp_further = {
  .name = "GCPDedicatedHardwareSpec", .fields = SVC_ROWS(cluster_hardware_gcp_further_fields)
};

static const svc_field cluster_hardware_tenant_hardware_fields[] = {
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 0),
  F_ENUM("effectiveInstanceSize", cluster_hardware_tenant_sizes, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSize", svc_values_tenant_sizes, .flags = SVC_REQUIRED),
  /* clients send it, although a shared tier has no nodes of its own */
  F_INT("nodeCount", .flags = SVC_WRITE_ONLY | SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_VOTES)
};
static const svc_object cluster_hardware_tenant_hardware = {
  .name = "TenantHardwareSpec", .fields = SVC_ROWS(cluster_hardware_tenant_hardware_fields)
};

/* A region, by provider. */
static const svc_field cluster_hardware_region_fields[] = {
  F_INT("priority", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7),
  F_ENUM("providerName", svc_values_providers, .flags = SVC_REQUIRED)
};
static const svc_object cluster_hardware_region_base = { .name = "RegionConfig", .fields = SVC_ROWS(cluster_hardware_region_fields) };

#define CLUSTER_HARDWARE_REGION(electable, further, regions) \
  F_OBJ("analyticsAutoScaling", &cluster_hardware_auto), \
  F_OBJ("analyticsSpecs", further), \
  F_OBJ("autoScaling", &cluster_hardware_auto, \
        .preset = "{\"compute\":" CLUSTER_HARDWARE_NO_COMPUTE ",\"diskGB\":" CLUSTER_HARDWARE_NO_DISK "}"), \
  F_OBJ("effectiveAnalyticsSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveElectableSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveReadOnlySpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("electableSpecs", electable), \
  F_OBJ("readOnlySpecs", further), \
  F_ENUM("regionName", regions, .flags = SVC_REQUIRED)

static const svc_field cluster_hardware_aws_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_aws_electable, &cluster_hardware_aws_further, svc_values_aws_regions)
};
static const svc_object cluster_hardware_aws = {
  .name = "AWSRegionConfig", .fields = SVC_ROWS(cluster_hardware_aws_fields), .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_azure_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_azure_electable, &cluster_hardware_azure_further, svc_values_azure_regions)
};
static const svc_object cluster_hardware_azure = {
  .name = "AzureRegionConfig", .fields = SVC_ROWS(cluster_hardware_azure_fields), .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_gcp_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_gcp_electable, &cluster_hardware_gcp_further, svc_values_gcp_regions)
};
static const svc_object cluster_hardware_gcp = {
  .name = "GCPRegionConfig", .fields = SVC_ROWS(cluster_hardware_gcp_fields), .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_tenant_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_OBJ("electableSpecs", &cluster_hardware_tenant_hardware, .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_regions, .flags = SVC_REQUIRED) /* the hook requires a region of the backing provider */
};
static const svc_object cluster_hardware_tenant = {
  .name = "TenantRegionConfig", .fields = SVC_ROWS(cluster_hardware_tenant_fields), .base = &cluster_hardware_region_base
};
static const svc_variant cluster_hardware_region_variants[] = {
  { "AWS", &cluster_hardware_aws }, { "AZURE", &cluster_hardware_azure }, { "GCP", &cluster_hardware_gcp }, { "TENANT", &cluster_hardware_tenant },
  { NULL, NULL }
};
static const svc_object cluster_hardware_region = {
  .name = "CloudRegionConfig", .ext = SVC_OBJECT_EXT(.matched_by = "providerName/regionName", .choice = SVC_CHOICE("providerName", NULL, cluster_hardware_region_variants))
};

static const svc_field cluster_hardware_spec_fields[] = {
  F_ID(),
  F_LIST("regionConfigs", &cluster_hardware_region, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = 50),
  F_HEX24("zoneId", .flags = SVC_READ_ONLY), /* set by the hook; specs with the same zone name share it */
  F_STR("zoneName", .min = 1, .max = 255)
};
SVC_PRIVATE const svc_object svc_cluster_spec = { .name = "ReplicationSpec", .fields = SVC_ROWS(cluster_hardware_spec_fields) };

/* ---- version 2023-02-01: one spec per zone; the disk size is a field of the cluster */

#define CLUSTER_HARDWARE_OLD(cloud, of, disk, sizes, regions) \
  static const svc_field cluster_hardware_##cloud##_old_nodes_fields[] = { \
    F_ENUM("instanceSize", sizes), F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_NODES) \
  }; \
  static const svc_object cluster_hardware_##cloud##_old_nodes = { \
    .name = of "HardwareSpec20230201", .fields = SVC_ROWS(cluster_hardware_##cloud##_old_nodes_fields), .base = disk \
  }; \
  static const svc_field cluster_hardware_##cloud##_old_fields[] = { \
    F_OBJ("analyticsAutoScaling", &cluster_hardware_auto), F_OBJ("analyticsSpecs", &cluster_hardware_##cloud##_old_nodes), \
    F_OBJ("autoScaling", &cluster_hardware_auto), F_OBJ("electableSpecs", &cluster_hardware_##cloud##_old_nodes), \
    F_OBJ("readOnlySpecs", &cluster_hardware_##cloud##_old_nodes), F_ENUM("regionName", regions, .flags = SVC_REQUIRED) \
  }; \
  static const svc_object cluster_hardware_##cloud##_old = { \
    .name = of "RegionConfig20230201", .fields = SVC_ROWS(cluster_hardware_##cloud##_old_fields), .base = &cluster_hardware_region_base \
  }

CLUSTER_HARDWARE_OLD(aws, "AWS", &cluster_hardware_aws_disk, svc_values_aws_sizes, svc_values_aws_regions);
CLUSTER_HARDWARE_OLD(azure, "Azure", &cluster_hardware_azure_disk, svc_values_azure_sizes, svc_values_azure_regions);
CLUSTER_HARDWARE_OLD(gcp, "GCP", NULL, svc_values_gcp_sizes, svc_values_gcp_regions);

static const svc_field cluster_hardware_tenant_old_nodes_fields[] = {
  F_ENUM("effectiveInstanceSize", cluster_hardware_tenant_sizes, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSize", svc_values_tenant_sizes, .flags = SVC_REQUIRED)
};
static const svc_object cluster_hardware_tenant_old_nodes = {
  .name = "TenantHardwareSpec20230201", .fields = SVC_ROWS(cluster_hardware_tenant_old_nodes_fields)
};
static const svc_field cluster_hardware_tenant_old_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_OBJ("electableSpecs", &cluster_hardware_tenant_old_nodes, .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_regions, .flags = SVC_REQUIRED)
};
static const svc_object cluster_hardware_tenant_old = {
  .name = "TenantRegionConfig20230201", .fields = SVC_ROWS(cluster_hardware_tenant_old_fields), .base = &cluster_hardware_region_base
};
static const svc_variant cluster_hardware_old_variants[] = {
  { "AWS", &cluster_hardware_aws_old }, { "AZURE", &cluster_hardware_azure_old }, { "GCP", &cluster_hardware_gcp_old },
  { "TENANT", &cluster_hardware_tenant_old }, { NULL, NULL }
};
static const svc_object cluster_hardware_region_old = {
  .name = "CloudRegionConfig20230201", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", NULL, cluster_hardware_old_variants))
};
static const svc_field cluster_hardware_zone_fields[] = {
  F_ID(),
  F_INT("numShards", .flags = SVC_MIN, .min = 1),
  F_LIST("regionConfigs", &cluster_hardware_region_old, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = 50),
  F_HEX24("zoneId", .flags = SVC_READ_ONLY),
  F_STR("zoneName", .min = 1, .max = 255)
};
SVC_PRIVATE const svc_object svc_cluster_spec_by_zone = { .name = "ReplicationSpec20230201", .fields = SVC_ROWS(cluster_hardware_zone_fields) };

/* ----------------------------------------------------------------------------------------------------------- bodies */

SVC_PRIVATE bool (svc_cluster_fail)(svc_call *c, const svc_change *change, int code)
{
  svc_str name = svc_node_str(change->body, "name");
  return svc_fail(c, code, "S", &name);
}

SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value)
{
  return svc_node_is(body, field, value);
}

SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  for (spec = svc_node_first(spec); spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (svc_cluster_is(region, "providerName", "TENANT")) return true;
  return false;
}

/* Number of nodes of a kind; 0 if a damaged record has an impossible number. */
static int64_t cluster_hardware_count(const svc_node *nodes)
{
  return svc_node_i64_within(nodes, "nodeCount", 0, 0, CLUSTER_HARDWARE_MAX_NODES);
}

SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region)
{
  const svc_node *electable = svc_node_get(region, "electableSpecs");
  if (!electable) return 0;
  return svc_cluster_is(region, "providerName", "TENANT") ? CLUSTER_HARDWARE_TENANT_NODES : cluster_hardware_count(electable);
}

/* ----------------------------------------------------------------------------------------------------------- counts */

SVC_PRIVATE int64_t svc_cluster_spec_nodes(const svc_node *spec)
{
  const svc_node *region;
  int64_t count = 0;
  for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
    count += svc_cluster_electable(region) + cluster_hardware_count(svc_node_get(region, "readOnlySpecs")) +
             cluster_hardware_count(svc_node_get(region, "analyticsSpecs"));
  return count;
}

SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  int64_t count = 0;
  for (; spec; spec = spec->next) count += svc_cluster_spec_nodes(spec);
  return count;
}

/* Nodes of each size while the cluster runs. A paused cluster keeps only its disks, which are not metered. */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  size_t n = 0, i, k;
  if (svc_node_bool(body, "paused", false) || !spec) return 0;
  for (spec = svc_node_first(spec); spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      for (k = 0; svc_values_node_kinds[k]; k++) {
        const svc_node *nodes = svc_node_get(region, svc_values_node_kinds[k]);
        int64_t count = k == 0 ? svc_cluster_electable(region) : cluster_hardware_count(nodes);
        svc_str provider = svc_node_str(region, "providerName"), size = svc_node_str(nodes, "instanceSize");
        svc_str sku = svc_arena_print(c->arena, "INSTANCE_" SVC_FMT "_" SVC_FMT, SVC_ARG(provider), SVC_ARG(size));
        if (!nodes || count <= 0) continue;
        for (i = 0; i < n && !svc_str_eq(out[i].sku, sku); i++) continue;
        if (i == most) continue;
        if (i == n) out[n++] = (svc_meter){ sku, 0 };
        out[i].quantity += count * 1000;
      }
  return n;
}
