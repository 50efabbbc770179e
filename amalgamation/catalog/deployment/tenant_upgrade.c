/*
** The older operation that moves a cluster from a shared tier to dedicated machines. The body names the cluster. The body
** and the answer have the older shape of clusters, in which replication specs had no hardware. The request is converted
** to a change of the cluster, with the rules of any other change; nothing else is stored. The file has the shape and its
** conversion in both directions, which version 2023-01-01 of clusters uses, too (cluster_legacy.c); the operation is in
** tenant_upgrade_run.c.
**
** The file is a part of the noun cluster, which has its route.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

#define TENANT_UPGRADE_FORCED "acceptDataRisksAndForceReplicaSetReconfig"

static const char *const tenant_upgrade_volumes[] = { "STANDARD", "PROVISIONED", "HIGH_PERFORMANCE", NULL };
static const char *const tenant_upgrade_disks[] = { "P2", "P3", "P4", "P6", "P10", "P15", "P20", "P30", "P40", "P50", NULL };
static const char *const tenant_upgrade_flex[] = { "FLEX", NULL };
static const char *const tenant_upgrade_effective[] = { "FLEX", "M2", "M5", "M0", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field tenant_upgrade_compute_fields[] = { F_BOOL("enabled"), F_BOOL("predictiveEnabled"), F_BOOL("scaleDownEnabled") };
static const svc_object tenant_upgrade_compute = { .name = "ClusterComputeAutoScaling", .fields = SVC_ROWS(tenant_upgrade_compute_fields) };
static const svc_field tenant_upgrade_scaling_fields[] = {
  F_OBJ("compute", &tenant_upgrade_compute), F_BOOL("diskGBEnabled")
};
static const svc_object tenant_upgrade_scaling = { .name = "ClusterAutoScalingSettings", .fields = SVC_ROWS(tenant_upgrade_scaling_fields) };

static const char *const tenant_upgrade_factors[] = { "3", "5", "7", NULL };

/* Settings per provider: bounds of scaling, with the provider's sizes, and the other settings. */
#define TENANT_UPGRADE_BOUNDS(cloud, of, list) \
  static const svc_field tenant_upgrade_##cloud##_compute_fields[] = { \
    F_ENUM("maxInstanceSize", list), F_ENUM("minInstanceSize", list) \
  }; \
  static const svc_object tenant_upgrade_##cloud##_compute = { .name = of "ComputeBounds", .fields = SVC_ROWS(tenant_upgrade_##cloud##_compute_fields) }; \
  static const svc_field tenant_upgrade_##cloud##_scaling_fields[] = { F_OBJ("compute", &tenant_upgrade_##cloud##_compute) }; \
  static const svc_object tenant_upgrade_##cloud##_scaling = { .name = of "ScalingBounds", .fields = SVC_ROWS(tenant_upgrade_##cloud##_scaling_fields) }

TENANT_UPGRADE_BOUNDS(aws, "AWS", svc_values_aws_sizes);
TENANT_UPGRADE_BOUNDS(azure, "Azure", svc_values_azure_sizes);
TENANT_UPGRADE_BOUNDS(gcp, "GCP", svc_values_gcp_sizes);
TENANT_UPGRADE_BOUNDS(tenant, "Free", svc_values_tenant_sizes);

static const svc_need tenant_upgrade_provider_needs[] = { { .fields = "instanceSizeName", .by_hook = true }, { .fields = NULL } };

static const svc_field tenant_upgrade_aws_fields[] = {
  F_OBJ("autoScaling", &tenant_upgrade_aws_scaling),
  F_INT("diskIOPS"),
  F_BOOL("encryptEBSVolume"),
  F_ENUM("instanceSizeName", svc_values_aws_sizes),
  F_STR("providerName", .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_aws_regions),
  F_ENUM("volumeType", tenant_upgrade_volumes)
};
static const svc_object tenant_upgrade_aws = { .name = "AWSCloudProviderSettings", .fields = SVC_ROWS(tenant_upgrade_aws_fields), .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_provider_needs) };
static const svc_field tenant_upgrade_azure_fields[] = {
  F_OBJ("autoScaling", &tenant_upgrade_azure_scaling),
  F_ENUM("diskTypeName", tenant_upgrade_disks),
  F_ENUM("instanceSizeName", svc_values_azure_sizes),
  F_STR("providerName", .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_azure_regions)
};
static const svc_object tenant_upgrade_azure = { .name = "AzureCloudProviderSettings", .fields = SVC_ROWS(tenant_upgrade_azure_fields), .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_provider_needs) };
static const svc_field tenant_upgrade_gcp_fields[] = {
  F_OBJ("autoScaling", &tenant_upgrade_gcp_scaling),
  F_ENUM("instanceSizeName", svc_values_gcp_sizes),
  F_STR("providerName", .flags = SVC_REQUIRED),
  F_ENUM("regionName", svc_values_gcp_regions)
};
static const svc_object tenant_upgrade_gcp = { .name = "CloudGCPProviderSettings", .fields = SVC_ROWS(tenant_upgrade_gcp_fields), .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_provider_needs) };
static const svc_field tenant_upgrade_flex_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds),
  F_ENUM("instanceSizeName", tenant_upgrade_flex),
  F_STR("providerName", .flags = SVC_REQUIRED),
  F_STR("regionName", .max = 64)
};
static const svc_object tenant_upgrade_flex_settings = { .name = "ClusterFlexProviderSettings", .fields = SVC_ROWS(tenant_upgrade_flex_fields), .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_provider_needs) };
static const svc_field tenant_upgrade_tenant_fields[] = {
  F_OBJ("autoScaling", &tenant_upgrade_tenant_scaling),
  F_ENUM("backingProviderName", svc_values_clouds),
  F_ENUM("effectiveInstanceSizeName", tenant_upgrade_effective, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSizeName", svc_values_tenant_sizes),
  F_DATE("nextBackupDate", .flags = SVC_READ_ONLY),
  F_STR("providerName", .flags = SVC_REQUIRED),
  F_STR("regionName", .max = 64),
  F_BOOL("tenantBackupEnabled", .flags = SVC_READ_ONLY)
};
static const svc_object tenant_upgrade_tenant = { .name = "ClusterFreeProviderSettings", .fields = SVC_ROWS(tenant_upgrade_tenant_fields), .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_provider_needs) };
static const svc_variant tenant_upgrade_providers[] = {
  { "AWS", &tenant_upgrade_aws }, { "AZURE", &tenant_upgrade_azure }, { "FLEX", &tenant_upgrade_flex_settings },
  { "GCP", &tenant_upgrade_gcp }, { "TENANT", &tenant_upgrade_tenant }, { NULL, NULL }
};
static const svc_object tenant_upgrade_provider = {
  .name = "ClusterProviderSettings", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", NULL, tenant_upgrade_providers))
};

static const svc_field tenant_upgrade_region_fields[] = {
  F_INT("analyticsNodes", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 50),
  F_INT("electableNodes", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7),
  F_INT("priority", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7),
  F_INT("readOnlyNodes", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 50)
};
static const svc_object tenant_upgrade_region = { .name = "RegionSpec", .fields = SVC_ROWS(tenant_upgrade_region_fields) };
static const svc_field tenant_upgrade_spec_fields[] = {
  F_HEX24("id"),
  F_INT("numShards", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 50, .preset = "1"),
  { .name = "regionsConfig", .type = SVC_MAP, .item = SVC_OBJECT, .object = &tenant_upgrade_region },
  F_STR("zoneName", .min = 1, .max = 255)
};
static const svc_object tenant_upgrade_spec = { .name = "LegacyReplicationSpec", .fields = SVC_ROWS(tenant_upgrade_spec_fields) };

static const svc_field tenant_upgrade_fields[] = {
  F_DATE(TENANT_UPGRADE_FORCED, .flags = SVC_WRITE_ONLY),
  F_OBJ("autoScaling", &tenant_upgrade_scaling),
  F_ENUM("clusterType", svc_values_cluster_types),
  F_STR("dbURI", .flags = SVC_READ_ONLY),
  F_DATE("dbURIUpdated", .flags = SVC_READ_ONLY),
  F_STR("dbURIWithOptions", .flags = SVC_READ_ONLY),
  F_STR("dbVersion", .pattern = "^([\\d]+\\.[\\d]+\\.[\\d]+)$"),
  F_INT("deleteAfterCreationHours"),
  F_DATE("deleteAfterDate", .flags = SVC_READ_ONLY),
  F_NUM("diskSizeGB", .flags = SVC_MAX, .max = 4096), /* less than 1 on a shared tier; the rules of clusters require 10 */
  F_INT("numShards", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 50),
  F_BOOL("providerBackupEnabled"),
  F_OBJ("providerSettings", &tenant_upgrade_provider),
  F_INT("replicationFactor", .flags = SVC_MIN | SVC_MAX, .min = 3, .max = 7, .values = tenant_upgrade_factors),
  { .name = "replicationSpec", .type = SVC_MAP, .item = SVC_OBJECT, .object = &tenant_upgrade_region },
  F_LIST("replicationSpecs", &tenant_upgrade_spec, .max_items = 50),
  F_STR("srvAddress", .flags = SVC_READ_ONLY)
};
static const svc_need tenant_upgrade_needs[] = { { .fields = "providerSettings", .by_hook = true }, { .fields = NULL } };
SVC_PRIVATE const svc_object svc_cluster_legacy = {
  .name = "LegacyCluster", .fields = SVC_ROWS(tenant_upgrade_fields), .base = &svc_cluster_common, .ext = SVC_OBJECT_EXT(.needs = tenant_upgrade_needs)
};

/* ------------------------------------------------------------------- from the older shape to the newest */

static svc_node *tenant_upgrade_member(svc_call *c, svc_node *to, const char *name, int type)
{
  svc_node *member = svc_node_new(c->arena, type, svc_str_c(name), SVC_S(""));
  if (member && to->type == SVC_J_ARRAY) svc_node_append(to, member);
  else if (member) svc_node_put(c->arena, to, member);
  return member;
}

/* Copies a value under another name, if there is one. */
static void tenant_upgrade_copy(svc_call *c, svc_node *to, const char *name, const svc_node *from, const char *old)
{
  const svc_node *value = svc_node_get(from, old);
  svc_node *copy = value ? svc_node_copy(c->arena, value) : NULL;
  if (!copy) return;
  copy->name = svc_str_c(name);
  svc_node_put(c->arena, to, copy);
}

static void tenant_upgrade_scale(svc_call *c, svc_node *region, const svc_node *sent)
{
  const svc_node *scaling = svc_node_get(sent, "autoScaling"), *old = svc_node_get(scaling, "compute");
  const svc_node *bounds = svc_node_get(svc_node_get(svc_node_get(sent, "providerSettings"), "autoScaling"), "compute");
  svc_node *now = tenant_upgrade_member(c, region, "autoScaling", SVC_J_OBJECT), *part;
  if (!now || !(part = tenant_upgrade_member(c, now, "compute", SVC_J_OBJECT))) return;
  tenant_upgrade_copy(c, part, "enabled", old, "enabled");
  tenant_upgrade_copy(c, part, "predictiveEnabled", old, "predictiveEnabled");
  tenant_upgrade_copy(c, part, "scaleDownEnabled", old, "scaleDownEnabled");
  tenant_upgrade_copy(c, part, "maxInstanceSize", bounds, "maxInstanceSize");
  tenant_upgrade_copy(c, part, "minInstanceSize", bounds, "minInstanceSize");
  if (!(part = tenant_upgrade_member(c, now, "diskGB", SVC_J_OBJECT))) return;
  svc_node_set_bool(c->arena, part, "enabled", svc_node_bool(scaling, "diskGBEnabled", true)); /* the default of this shape */
}

static void tenant_upgrade_more_nodes(svc_call *c, svc_node *region, const char *kind, int64_t count)
{
  svc_node *part = count ? tenant_upgrade_member(c, region, kind, SVC_J_OBJECT) : NULL;
  if (part) svc_node_set_i64(c->arena, part, "nodeCount", count);
}

/* Adds a region, with the settings that are the same for all regions. */
static void tenant_upgrade_add_region(svc_call *c, svc_node *list, const svc_node *sent, svc_str name, const svc_node *nodes)
{
  const svc_node *settings = svc_node_get(sent, "providerSettings");
  svc_node *region = tenant_upgrade_member(c, list, "", SVC_J_OBJECT), *part;
  bool tenant = svc_cluster_is(settings, "providerName", "TENANT");
  if (!region || !(part = tenant_upgrade_member(c, region, "electableSpecs", SVC_J_OBJECT))) return;
  tenant_upgrade_copy(c, part, "instanceSize", settings, "instanceSizeName");
  tenant_upgrade_copy(c, region, "providerName", settings, "providerName");
  tenant_upgrade_copy(c, region, "priority", nodes, "priority");
  svc_node_set_str(c->arena, region, "regionName", name);
  if (tenant) tenant_upgrade_copy(c, region, "backingProviderName", settings, "backingProviderName");
  if (tenant) return;
  svc_node_set_i64(c->arena, part, "nodeCount", svc_node_i64(nodes, "electableNodes", nodes ? 0 : svc_node_i64(sent, "replicationFactor", 3)));
  tenant_upgrade_copy(c, part, "diskSizeGB", sent, "diskSizeGB");
  tenant_upgrade_copy(c, part, "diskIOPS", settings, "diskIOPS");
  tenant_upgrade_copy(c, part, "ebsVolumeType", settings, "volumeType");
  tenant_upgrade_more_nodes(c, region, "readOnlySpecs", svc_node_i64(nodes, "readOnlyNodes", 0));
  tenant_upgrade_more_nodes(c, region, "analyticsSpecs", svc_node_i64(nodes, "analyticsNodes", 0));
  tenant_upgrade_scale(c, region, sent);
}

/* Adds the given number of shards; `regions` NULL: in the one region of the settings. */
static void tenant_upgrade_add_specs(svc_call *c, svc_node *list, const svc_node *sent, const svc_node *spec, const svc_node *regions, int64_t shards)
{
  const svc_node *region;
  svc_node *one, *into;
  for (; shards > 0; shards--) {
    if (!(one = tenant_upgrade_member(c, list, "", SVC_J_OBJECT))) return;
    if (!(into = tenant_upgrade_member(c, one, "regionConfigs", SVC_J_ARRAY))) return;
    tenant_upgrade_copy(c, one, "zoneName", spec, "zoneName");
    for (region = svc_node_first(regions); region; region = region->next)
      tenant_upgrade_add_region(c, into, sent, region->name, region);
    if (!regions) tenant_upgrade_add_region(c, into, sent, svc_node_str(svc_node_get(sent, "providerSettings"), "regionName"), NULL);
  }
}

/* Converts a body of the older shape to the body of a POST or PATCH of the newest. NULL: out of memory. */
SVC_PRIVATE svc_node *svc_cluster_from_legacy(svc_call *c, const svc_node *sent)
{
  svc_node *input = svc_node_object(c->arena, NULL), *list;
  const svc_node *member, *specs = svc_node_get(sent, "replicationSpecs"), *spec;
  if (!input) return NULL;
  for (member = sent->first; member; member = member->next)
    if (svc_field_named(&svc_cluster_common, member->name)) svc_node_put(c->arena, input, svc_node_copy(c->arena, member));
  if (!svc_node_get(input, "backupEnabled")) tenant_upgrade_copy(c, input, "backupEnabled", sent, "providerBackupEnabled");
  tenant_upgrade_copy(c, input, "clusterType", sent, "clusterType");
  tenant_upgrade_copy(c, input, TENANT_UPGRADE_FORCED, sent, TENANT_UPGRADE_FORCED);
  list = tenant_upgrade_member(c, input, "replicationSpecs", SVC_J_ARRAY);
  if (!list) return NULL;
  for (spec = svc_node_first(specs); spec; spec = spec->next)
    tenant_upgrade_add_specs(c, list, sent, spec, svc_node_get(spec, "regionsConfig"), svc_node_i64(spec, "numShards", 1));
  if (!list->first)
    tenant_upgrade_add_specs(c, list, sent, NULL, svc_node_get(sent, "replicationSpec"), svc_node_i64(sent, "numShards", 1));
  return c->arena->failed ? NULL : input;
}

/* Refuses, by name, fields that no change of a cluster can express. */
SVC_PRIVATE bool svc_cluster_legacy_sound(svc_call *c, const svc_node *sent)
{
  const svc_node *settings = svc_node_get(sent, "providerSettings"), *own = svc_node_get(sent, "replicationSpecs");
  bool single = !svc_node_get(sent, "clusterType") || svc_cluster_is(sent, "clusterType", "REPLICASET");
  bool flex = svc_cluster_is(settings, "providerName", "FLEX"); /* a flex cluster has one size, and stays in its region */
  if (!settings) svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("providerSettings"), "is required");
  else if (!svc_node_get(settings, "instanceSizeName") && !flex)
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("providerSettings.instanceSizeName"), "is required");
  if (settings && !flex && !svc_node_get(settings, "regionName") && !svc_node_first(own) && !svc_node_get(sent, "replicationSpec"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("providerSettings.regionName"), "is required, unless replicationSpecs name regions");
  if (svc_node_get(settings, "diskTypeName"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("providerSettings.diskTypeName"), "cannot be set here: use diskSizeGB");
  if (!svc_node_bool(settings, "encryptEBSVolume", true))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("providerSettings.encryptEBSVolume"), "cannot be false: disks are encrypted");
  if (svc_node_get(sent, "deleteAfterCreationHours"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("deleteAfterCreationHours"), "cannot be set here");
  if (svc_node_get(sent, "dbVersion")) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("dbVersion"), "cannot be set here: use dbMajorVersion");
  if (single && svc_node_i64(sent, "numShards", 1) > 1)
    svc_violate(c, SVC_E_CLUSTER_NUM_SHARDS_INVALID, SVC_S("numShards"), "must be 1 in a REPLICASET");
  return svc_check_done(c);
}

/* ------------------------------------------------------------------- from the newest shape to the older */

static void tenant_upgrade_show_specs(svc_call *c, svc_node *view, const svc_node *specs)
{
  svc_node *list = tenant_upgrade_member(c, view, "replicationSpecs", SVC_J_ARRAY), *one, *map, *nodes;
  const svc_node *spec, *region;
  for (spec = list ? specs->first : NULL; spec; spec = spec->next) {
    if (!(one = tenant_upgrade_member(c, list, "", SVC_J_OBJECT)) || !(map = tenant_upgrade_member(c, one, "regionsConfig", SVC_J_OBJECT)))
      return;
    tenant_upgrade_copy(c, one, "id", spec, "id");
    svc_node_set_i64(c->arena, one, "numShards", svc_node_i64(spec, "numShards", 1)); /* present if the specs were combined by zone */
    tenant_upgrade_copy(c, one, "zoneName", spec, "zoneName");
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next) {
      nodes = tenant_upgrade_member(c, map, svc_arena_copy(c->arena, svc_node_str(region, "regionName")).p, SVC_J_OBJECT);
      if (!nodes) return;
      svc_node_set_i64(c->arena, nodes, "analyticsNodes", svc_node_i64(svc_node_get(region, "analyticsSpecs"), "nodeCount", 0));
      svc_node_set_i64(c->arena, nodes, "electableNodes", svc_cluster_electable(region));
      tenant_upgrade_copy(c, nodes, "priority", region, "priority");
      svc_node_set_i64(c->arena, nodes, "readOnlyNodes", svc_node_i64(svc_node_get(region, "readOnlySpecs"), "nodeCount", 0));
    }
  }
}

/* The hosts only: the part before the options. */
static void tenant_upgrade_show_uri(svc_call *c, svc_node *view, svc_str uri)
{
  size_t n;
  for (n = 0; n + 1 < uri.n && !(uri.p[n] == '/' && uri.p[n + 1] == '?'); n++) continue;
  if (uri.n) svc_node_set_str(c->arena, view, "dbURI", n + 1 < uri.n ? (svc_str){ uri.p, n } : uri);
}

SVC_PRIVATE svc_node *svc_cluster_as_legacy(svc_call *c, const svc_node *body)
{
  const svc_node *specs = svc_node_get(body, "replicationSpecs"), *strings = svc_node_get(body, "connectionStrings"), *member;
  const svc_node *region = svc_node_first(svc_node_get(svc_node_first(specs), "regionConfigs")), *hardware = svc_node_get(region, "electableSpecs");
  svc_node *view = svc_node_object(c->arena, NULL), *settings;
  if (!view) return NULL;
  for (member = body->first; member; member = member->next)
    if (svc_field_named(&svc_cluster_common, member->name)) svc_node_put(c->arena, view, svc_node_copy(c->arena, member));
  tenant_upgrade_copy(c, view, "clusterType", body, "clusterType");
  tenant_upgrade_copy(c, view, "dbVersion", body, "dbVersion");
  tenant_upgrade_show_uri(c, view, svc_node_str(strings, "standard"));
  if (svc_node_get(strings, "standard")) tenant_upgrade_copy(c, view, "dbURIUpdated", body, "createDate");
  tenant_upgrade_copy(c, view, "dbURIWithOptions", strings, "standard");
  tenant_upgrade_copy(c, view, "srvAddress", strings, "standardSrv");
  tenant_upgrade_copy(c, view, "providerBackupEnabled", body, "backupEnabled");
  if (!svc_cluster_is(region, "providerName", "TENANT")) tenant_upgrade_copy(c, view, "diskSizeGB", hardware, "diskSizeGB");
  svc_node_set_i64(c->arena, view, "numShards", (int64_t)svc_node_count(specs));
  settings = tenant_upgrade_member(c, view, "providerSettings", SVC_J_OBJECT);
  if (settings) {
    tenant_upgrade_copy(c, settings, "backingProviderName", region, "backingProviderName");
    tenant_upgrade_copy(c, settings, "instanceSizeName", hardware, "instanceSize");
    tenant_upgrade_copy(c, settings, "providerName", region, "providerName");
    tenant_upgrade_copy(c, settings, "regionName", region, "regionName");
  }
  tenant_upgrade_show_specs(c, view, specs);
  return c->arena->failed ? NULL : view;
}
