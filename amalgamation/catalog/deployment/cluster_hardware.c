/*
** Hardware of clusters: what their nodes run on, by provider and region, and the rules of it. A part of its own because
** other deployments and what is restored from backups need the same tables.
**
** Nodes that can be elected say what they run on; further ones, read-only or for analytics, follow them where they say
** nothing. Disks grow only, and one that a change says nothing of stays as it is. Several replication specs of one zone are
** its shards: they share a zone name and a zone id.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  CLUSTER_HARDWARE_MAX_VOTES = 7,  /* electable nodes of a shard: more cannot vote */
  CLUSTER_HARDWARE_MAX_NODES = 50, /* other nodes of one kind in a region */
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
  F_BOOL("scaleDownEnabled", .preset = "false"),
  F_END
};
static const svc_object cluster_hardware_compute = { .name = "AdvancedComputeAutoScaling", .fields = cluster_hardware_compute_fields };

static const svc_field cluster_hardware_disk_fields[] = { F_BOOL("enabled", .preset = "false"), F_END };
static const svc_object cluster_hardware_disk = { .name = "DiskGBAutoScaling", .fields = cluster_hardware_disk_fields };

static const svc_field cluster_hardware_auto_fields[] = {
  F_OBJ("compute", &cluster_hardware_compute),
  F_OBJ("diskGB", &cluster_hardware_disk),
  F_END
};
static const svc_object cluster_hardware_auto = { .name = "AdvancedAutoScalingSettings", .fields = cluster_hardware_auto_fields };

#define CLUSTER_HARDWARE_ELECTABLE(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1, .preset = "10"), \
  F_ENUM("instanceSize", sizes, .flags = SVC_REQUIRED), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_VOTES, .preset = "3"), F_END
#define CLUSTER_HARDWARE_FURTHER(sizes) \
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 1), F_ENUM("instanceSize", sizes), \
  F_INT("nodeCount", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = CLUSTER_HARDWARE_MAX_NODES, .preset = "0"), F_END

static const svc_field cluster_hardware_aws_disk_fields[] = {
  F_INT("diskIOPS", .flags = SVC_MIN, .min = 0),
  F_INT("diskThroughput", .flags = SVC_READ_ONLY),
  F_ENUM("ebsVolumeType", cluster_hardware_volumes, .preset = "\"STANDARD\""),
  F_END
};
static const svc_object cluster_hardware_aws_disk = { .name = "AWSDisk", .fields = cluster_hardware_aws_disk_fields };
static const svc_field cluster_hardware_aws_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_aws_sizes) };
static const svc_object cluster_hardware_aws_electable = {
  .name = "AWSHardwareSpec", .fields = cluster_hardware_aws_electable_fields, .base = &cluster_hardware_aws_disk
};
static const svc_field cluster_hardware_aws_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_aws_sizes) };
static const svc_object cluster_hardware_aws_further = {
  .name = "AWSDedicatedHardwareSpec", .fields = cluster_hardware_aws_further_fields, .base = &cluster_hardware_aws_disk
};

static const svc_field cluster_hardware_azure_disk_fields[] = { F_INT("diskIOPS", .flags = SVC_MIN, .min = 0), F_END };
static const svc_object cluster_hardware_azure_disk = { .name = "AzureDisk", .fields = cluster_hardware_azure_disk_fields };
static const svc_field cluster_hardware_azure_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_azure_sizes) };
static const svc_object cluster_hardware_azure_electable = {
  .name = "AzureHardwareSpec", .fields = cluster_hardware_azure_electable_fields, .base = &cluster_hardware_azure_disk
};
static const svc_field cluster_hardware_azure_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_azure_sizes) };
static const svc_object cluster_hardware_azure_further = {
  .name = "AzureDedicatedHardwareSpec", .fields = cluster_hardware_azure_further_fields, .base = &cluster_hardware_azure_disk
};

static const svc_field cluster_hardware_gcp_electable_fields[] = { CLUSTER_HARDWARE_ELECTABLE(svc_values_gcp_sizes) };
static const svc_object cluster_hardware_gcp_electable = { .name = "GCPHardwareSpec", .fields = cluster_hardware_gcp_electable_fields };
static const svc_field cluster_hardware_gcp_further_fields[] = { CLUSTER_HARDWARE_FURTHER(svc_values_gcp_sizes) };
static const svc_object cluster_hardware_gcp_further = {
  .name = "GCPDedicatedHardwareSpec", .fields = cluster_hardware_gcp_further_fields
};

static const svc_field cluster_hardware_tenant_hardware_fields[] = {
  F_NUM("diskSizeGB", .flags = SVC_MIN, .min = 0),
  F_ENUM("effectiveInstanceSize", cluster_hardware_tenant_sizes, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSize", svc_values_tenant_sizes, .flags = SVC_REQUIRED),
  F_END
};
static const svc_object cluster_hardware_tenant_hardware = {
  .name = "TenantHardwareSpec", .fields = cluster_hardware_tenant_hardware_fields
};

/* A region, by its provider. */
static const svc_field cluster_hardware_region_fields[] = {
  F_INT("priority", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7),
  F_ENUM("providerName", svc_values_providers, .flags = SVC_REQUIRED),
  F_END
};
static const svc_object cluster_hardware_region_base = { .name = "RegionConfig", .fields = cluster_hardware_region_fields };

#define CLUSTER_HARDWARE_REGION(electable, further, regions) \
  F_OBJ("analyticsAutoScaling", &cluster_hardware_auto), \
  F_OBJ("analyticsSpecs", further), \
  F_OBJ("autoScaling", &cluster_hardware_auto), \
  F_OBJ("effectiveAnalyticsSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveElectableSpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("effectiveReadOnlySpecs", further, .flags = SVC_READ_ONLY), \
  F_OBJ("electableSpecs", electable), \
  F_OBJ("readOnlySpecs", further), \
  F_ENUM("regionName", regions, .flags = SVC_REQUIRED), F_END

static const svc_field cluster_hardware_aws_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_aws_electable, &cluster_hardware_aws_further, svc_values_aws_regions)
};
static const svc_object cluster_hardware_aws = {
  .name = "AWSRegionConfig", .fields = cluster_hardware_aws_fields, .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_azure_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_azure_electable, &cluster_hardware_azure_further, svc_values_azure_regions)
};
static const svc_object cluster_hardware_azure = {
  .name = "AzureRegionConfig", .fields = cluster_hardware_azure_fields, .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_gcp_fields[] = {
  CLUSTER_HARDWARE_REGION(&cluster_hardware_gcp_electable, &cluster_hardware_gcp_further, svc_values_gcp_regions)
};
static const svc_object cluster_hardware_gcp = {
  .name = "GCPRegionConfig", .fields = cluster_hardware_gcp_fields, .base = &cluster_hardware_region_base
};
static const svc_field cluster_hardware_tenant_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_OBJ("electableSpecs", &cluster_hardware_tenant_hardware, .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_regions, .flags = SVC_REQUIRED), /* the hook asks for one of the backing provider's */
  F_END
};
static const svc_object cluster_hardware_tenant = {
  .name = "TenantRegionConfig", .fields = cluster_hardware_tenant_fields, .base = &cluster_hardware_region_base
};
static const svc_variant cluster_hardware_region_variants[] = {
  { "AWS", &cluster_hardware_aws }, { "AZURE", &cluster_hardware_azure }, { "GCP", &cluster_hardware_gcp }, { "TENANT", &cluster_hardware_tenant },
  { NULL, NULL }
};
static const svc_object cluster_hardware_region = {
  .name = "CloudRegionConfig",
  .fields = cluster_hardware_region_fields,
  .variant_by = "providerName",
  .variants = cluster_hardware_region_variants
};

static const svc_field cluster_hardware_spec_fields[] = {
  F_ID(),
  F_LIST("regionConfigs", &cluster_hardware_region, .flags = SVC_REQUIRED, .min_items = 1, .max_items = 50),
  F_HEX24("zoneId", .flags = SVC_READ_ONLY), /* one for each zone name, so the hook gives it */
  F_STR("zoneName", .min = 1, .max = 255),
  F_END
};
SVC_PRIVATE const svc_object svc_cluster_spec = { .name = "ReplicationSpec", .fields = cluster_hardware_spec_fields };

/* ----------------------------------------------------------------------------------------------------------- bodies */

SVC_PRIVATE bool svc_cluster_fail(svc_call *c, const svc_change *change, int code)
{
  svc_str name = svc_node_str(change->body, "name");
  return svc_fail(c, code, "S", &name);
}

SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value)
{
  return svc_str_is(svc_node_str(body, field), value);
}

/* ------------------------------------------------------------------------------------------------ replication specs */

/* Which region of which spec is looked at, for the paths of violations. */
typedef struct cluster_hardware_place {
  size_t spec, region;
} cluster_hardware_place;

static void cluster_hardware_violate(svc_call *c, int code, const cluster_hardware_place *at, const char *field, const char *why)
{
  svc_violate(c, code, svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs[%u].%s", (unsigned)at->spec,
                                       (unsigned)at->region, field), "%s", why);
}

SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region)
{
  const svc_node *electable = svc_node_get(region, "electableSpecs");
  if (!electable) return 0;
  return svc_cluster_is(region, "providerName", "TENANT") ? CLUSTER_HARDWARE_TENANT_NODES : svc_node_i64(electable, "nodeCount", 0);
}

/* Read-only and analytics nodes run on what the electable ones run on, unless they say otherwise. */
static void cluster_hardware_follow(svc_call *c, const svc_node *region, const cluster_hardware_place *at, const char *field)
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
    cluster_hardware_violate(c, SVC_E_MISSING_ATTRIBUTE, at, field, "needs an instanceSize: the region has no electableSpecs");
}

static void cluster_hardware_scaling_bounds(svc_call *c, const svc_node *region, const cluster_hardware_place *at, const char *field)
{
  const svc_node *compute = svc_node_get(svc_node_get(region, field), "compute");
  if (svc_node_bool(compute, "enabled", false) && !svc_node_get(compute, "maxInstanceSize"))
    cluster_hardware_violate(c, SVC_E_COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED, at, field,
                    "needs a compute.maxInstanceSize when compute scaling is enabled");
}

static void cluster_hardware_tenant_region(svc_call *c, svc_node *region, const cluster_hardware_place *at)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions,
                                                svc_values_gcp_regions };
  svc_node *hardware = svc_node_get(region, "electableSpecs");
  svc_str name = svc_node_str(region, "regionName");
  const char *const *list;
  size_t i = 0;
  while (svc_values_clouds[i] && !svc_cluster_is(region, "backingProviderName", svc_values_clouds[i])) i++;
  if (!svc_values_clouds[i]) return;
  for (list = regions[i]; *list && !svc_str_is(name, *list); list++) continue;
  if (!*list)
    cluster_hardware_violate(c, SVC_E_INVALID_ENUM_VALUE, at, "regionName", "is not a region of the backing provider");
  svc_node_set_str(c->arena, hardware, "effectiveInstanceSize", svc_node_str(hardware, "instanceSize"));
}

/* Fills in what a region leaves open; the first is the preferred one, then they fall. */
static void cluster_hardware_fill_region(svc_call *c, svc_node *region, const cluster_hardware_place *at)
{
  int64_t priority = at->region < 7 ? 7 - (int64_t)at->region : 0;
  if (!svc_node_get(region, "priority"))
    svc_node_set_i64(c->arena, region, "priority", svc_cluster_electable(region) ? priority : 0);
  if (svc_cluster_is(region, "providerName", "TENANT")) {
    cluster_hardware_tenant_region(c, region, at);
    return;
  }
  cluster_hardware_follow(c, region, at, "readOnlySpecs");
  cluster_hardware_follow(c, region, at, "analyticsSpecs");
  cluster_hardware_scaling_bounds(c, region, at, "autoScaling");
  cluster_hardware_scaling_bounds(c, region, at, "analyticsAutoScaling");
}

static void cluster_hardware_fill_spec(svc_call *c, svc_node *spec, size_t index)
{
  cluster_hardware_place at = { index, 0 };
  svc_node *regions = svc_node_get(spec, "regionConfigs"), *region;
  int64_t votes = 0;
  for (region = regions->first; region; region = region->next, at.region++) {
    cluster_hardware_fill_region(c, region, &at);
    votes += svc_cluster_electable(region);
  }
  if (votes < 1 || votes > CLUSTER_HARDWARE_MAX_VOTES)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID,
                svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs", (unsigned)index),
                "must have from 1 to %d electable nodes in all, not %lld", CLUSTER_HARDWARE_MAX_VOTES, (long long)votes);
}

/* The spec before `end` (NULL: of all) whose field has this value. */
static const svc_node *cluster_hardware_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value)
{
  const svc_node *spec = specs ? specs->first : NULL;
  for (; spec && spec != end; spec = spec->next)
    if (svc_str_eq(svc_node_str(spec, field), value)) return spec;
  return NULL;
}

/* The name and id of its zone: what they were where it was there before. */
static bool cluster_hardware_name_spec(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec)
{
  svc_str zone = svc_node_str(spec, "zoneName");
  const svc_node *other, *same = cluster_hardware_spec_with(old_specs, NULL, "id", svc_node_str(spec, "id"));
  svc_id fresh;
  if (!zone.n && same) zone = svc_node_str(same, "zoneName");
  if (!zone.n) zone = SVC_S("Zone 1");
  zone = svc_arena_copy(c->arena, zone);
  for (other = specs->first; other != spec; other = other->next) {
    svc_str name = svc_node_str(other, "zoneName");
    if (!svc_str_eq(name, zone) && svc_str_is_nocase(name, zone.p))
      return svc_fail(c, SVC_E_DUPLICATE_ZONE_NAME, "S", &zone);
  }
  same = cluster_hardware_spec_with(specs, spec, "zoneName", zone);
  if (!same) same = cluster_hardware_spec_with(old_specs, NULL, "zoneName", zone);
  if (!same) fresh = svc_new_id(c->txn);
  svc_node_set_str(c->arena, spec, "zoneName", zone);
  svc_node_set_str(c->arena, spec, "zoneId", same ? svc_node_str(same, "zoneId") : svc_id_str(c->arena, &fresh));
  return true;
}

SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  for (spec = spec ? spec->first : NULL; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      if (svc_cluster_is(region, "providerName", "TENANT")) return true;
  return false;
}

/* ---- disks, which grow only */

static double cluster_hardware_disk_size(const svc_node *nodes)
{
  const svc_node *size = svc_node_get(nodes, "diskSizeGB");
  double value;
  return size && svc_json_number_double(size->text, &value) ? value : 0;
}

/* Nodes of one kind in one region: those that were there, those that shall be, and what was sent of them. */
static bool cluster_hardware_keep_disk(svc_call *c, const svc_change *change, const svc_node *old, svc_node *nodes,
                              const svc_node *sent)
{
  if (!old || !nodes || !svc_node_i64(old, "nodeCount", 1) || !svc_node_i64(nodes, "nodeCount", 1)) return true;
  if (cluster_hardware_disk_size(nodes) >= cluster_hardware_disk_size(old)) return true;
  if (svc_node_get(sent, "diskSizeGB")) return svc_cluster_fail(c, change, SVC_E_CANNOT_DECREASE_DISK_SIZE);
  svc_node_put(c->arena, nodes, svc_node_copy(c->arena, svc_node_get(old, "diskSizeGB"))); /* nothing was said of it */
  return true;
}

static const svc_node *cluster_hardware_same_region(const svc_node *spec, const svc_node *region)
{
  const svc_node *regions = svc_node_get(spec, "regionConfigs"), *other;
  svc_str provider = svc_node_str(region, "providerName"), name = svc_node_str(region, "regionName");
  for (other = regions ? regions->first : NULL; other; other = other->next)
    if (svc_str_eq(svc_node_str(other, "providerName"), provider) && svc_str_eq(svc_node_str(other, "regionName"), name))
      return other;
  return NULL;
}

static const svc_node *cluster_hardware_element(const svc_node *array, size_t index)
{
  const svc_node *item = array ? array->first : NULL;
  while (item && index-- > 0) item = item->next;
  return item;
}

/* Nodes of this kind in all regions of a spec, which stands in the body where it stood in what was sent. */
static bool cluster_hardware_keep_disks(svc_call *c, const svc_change *change, const svc_node *spec, size_t index, const char *kind)
{
  const svc_node *held = svc_node_get(change->before, "replicationSpecs"), *region;
  const svc_node *old = cluster_hardware_spec_with(held, NULL, "id", svc_node_str(spec, "id"));
  const svc_node *sent = cluster_hardware_element(svc_node_get(change->input, "replicationSpecs"), index);
  size_t i = 0;
  if (!old || !sent) return true;
  for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next, i++)
    if (!cluster_hardware_keep_disk(c, change, svc_node_get(cluster_hardware_same_region(old, region), kind),
                                    svc_node_get(region, kind),
                                    svc_node_get(cluster_hardware_element(svc_node_get(sent, "regionConfigs"), i), kind)))
      return false;
  return true;
}

SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change)
{
  svc_node *specs = svc_node_get(change->body, "replicationSpecs"), *spec, *effective;
  const svc_node *old = svc_node_get(change->before, "replicationSpecs");
  bool single = svc_cluster_is(change->body, "clusterType", "REPLICASET");
  size_t i = 0;
  if (single && svc_node_count(specs) != 1)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID, SVC_S("replicationSpecs"), "must have one element in a REPLICASET");
  for (spec = specs->first; spec; spec = spec->next, i++) {
    if (!cluster_hardware_keep_disks(c, change, spec, i, "electableSpecs")) return false; /* first: others follow these */
    cluster_hardware_fill_spec(c, spec, i);
    if (!cluster_hardware_keep_disks(c, change, spec, i, "readOnlySpecs") ||
        !cluster_hardware_keep_disks(c, change, spec, i, "analyticsSpecs"))
      return false;
    if (!cluster_hardware_name_spec(c, specs, old, spec)) return false;
  }
  if (svc_cluster_is_tenant(change->body) && !(single && svc_node_count(svc_node_get(specs->first, "regionConfigs")) == 1))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "must have one region and clusterType REPLICASET where the provider is TENANT");
  if (!svc_check_done(c)) return false;
  effective = svc_node_copy(c->arena, specs);
  if (effective) effective->name = SVC_S("effectiveReplicationSpecs");
  svc_node_put(c->arena, change->body, effective);
  if (!single) svc_node_set_str(c->arena, change->body, "configServerType", SVC_S("DEDICATED"));
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- counts */

SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs")->first, *region;
  int64_t count = 0;
  for (; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      count += svc_cluster_electable(region) + svc_node_i64(svc_node_get(region, "readOnlySpecs"), "nodeCount", 0) +
               svc_node_i64(svc_node_get(region, "analyticsSpecs"), "nodeCount", 0);
  return count;
}

/* Nodes of each size, while it runs; a paused one keeps its disks only, which are not counted. */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  static const char *const kinds[] = { "electableSpecs", "readOnlySpecs", "analyticsSpecs" };
  const svc_node *spec = svc_node_get(body, "replicationSpecs"), *region;
  size_t n = 0, i, k;
  if (svc_node_bool(body, "paused", false) || !spec) return 0;
  for (spec = spec->first; spec; spec = spec->next)
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const svc_node *nodes = svc_node_get(region, kinds[k]);
        int64_t count = k == 0 ? svc_cluster_electable(region) : svc_node_i64(nodes, "nodeCount", 0);
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
