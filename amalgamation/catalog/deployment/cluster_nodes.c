/*
** The nodes of every region of a cluster, as they are shown. A request may leave most of their fields out; the service
** fills them in when it stores the cluster, so a GET answers with what is stored.
**
** The rule: each region has electable, read-only and analytics nodes. Kinds that were not requested have nodeCount 0, and
** the hardware of the region's other nodes. The default size of a disk depends on the instance size. Regions are sorted
** by priority, regions of one priority by name, both descending.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  CLUSTER_NODES_SMALL = 20,      /* number in the greatest size (M20) with a smaller default disk in clusters with a region of AZURE */
  CLUSTER_NODES_SMALL_DISK = 8,  /* the size of that disk, in GB */
  CLUSTER_NODES_GP3 = 3000,      /* operations per second of a STANDARD volume of AWS, of any size */
  CLUSTER_NODES_PER_GB = 25,     /* operations per second of any other volume of AWS, per GB */
  CLUSTER_NODES_AZURE = 3500,
  CLUSTER_NODES_AZURE_MBPS = 125
};

/* Default disks, by the number in the instance size: sizes up to this number have this disk, in GB. The last row is for all
** greater sizes. */
typedef struct cluster_nodes_disk {
  int number, size;
  int64_t iops; /* of local disks only */
} cluster_nodes_disk;
static const cluster_nodes_disk cluster_nodes_disks[] = {
  { 20, 10, 0 },   { 30, 40, 0 },   { 40, 80, 0 },    { 50, 160, 0 },   { 60, 320, 0 },
  { 80, 750, 0 },  { 140, 1000, 0 }, { 200, 1500, 0 }, { 300, 2000, 0 }, { 0, 3000, 0 }
};
static const cluster_nodes_disk cluster_nodes_local_disks[] = {
  { 40, 380, 135125 }, { 50, 760, 270250 }, { 80, 1600, 568947 }, { 200, 3100, 1102335 }, { 0, 4000, 1422368 }
};

/* ----------------------------------------------------------------------------------------------------------- sizes */

SVC_PRIVATE int svc_cluster_size_number(svc_str size)
{
  int number = 0;
  size_t i;
  for (i = 1; i < size.n && size.p[i] >= '0' && size.p[i] <= '9'; i++) number = number * 10 + (size.p[i] - '0');
  return number;
}

SVC_PRIVATE bool svc_cluster_is_in(const svc_node *specs, const char *provider)
{
  const svc_node *spec = svc_node_first(specs), *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (svc_cluster_is(region, "providerName", provider)) return true;
  return false;
}

static bool cluster_nodes_is_local(svc_str size)
{
  return size.n > 5 && memcmp(size.p + size.n - 5, "_NVME", 5) == 0;
}

static const cluster_nodes_disk *cluster_nodes_disk_of(svc_str size)
{
  const cluster_nodes_disk *row = cluster_nodes_is_local(size) ? cluster_nodes_local_disks : cluster_nodes_disks;
  while (row->number && row->number < svc_cluster_size_number(size)) row++;
  return row;
}

/* ------------------------------------------------------------------------------------------------------------ open */

/* The nodes that define the hardware: the region's own nodes, or electable nodes of the same provider. NULL if no nodes do. */
static svc_node *cluster_nodes_model(const svc_node *spec, const svc_node *region)
{
  svc_node *other = svc_node_first(svc_node_get(spec, "regionConfigs")), *nodes;
  size_t i;
  for (i = 0; svc_values_node_kinds[i]; i++) {
    nodes = svc_node_get(region, svc_values_node_kinds[i]);
    if (svc_node_get(nodes, "instanceSize")) return nodes;
  }
  for (; other; other = other->next) {
    nodes = svc_node_get(other, "electableSpecs");
    if (svc_node_get(nodes, "instanceSize") && svc_node_eq(other, "providerName", svc_node_str(region, "providerName"))) return nodes;
  }
  return NULL;
}

/* Sets a disk size that was left out: the size of another disk of the shard with the same instance size, or the default. */
static void cluster_nodes_size_disk(svc_call *c, const svc_node *spec, svc_node *nodes, bool azure)
{
  const svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs")), *other;
  svc_str size = svc_node_str(nodes, "instanceSize");
  if (svc_node_get(nodes, "diskSizeGB")) return;
  for (; region; region = region->next) {
    other = svc_node_get(region, "electableSpecs");
    if (svc_node_get(other, "diskSizeGB") && svc_node_eq(other, "instanceSize", size)) {
      svc_node_set_copy(c->arena, nodes, "diskSizeGB", other, "diskSizeGB");
      return;
    }
  }
  svc_node_set_i64(c->arena, nodes, "diskSizeGB",
                   azure && svc_cluster_size_number(size) <= CLUSTER_NODES_SMALL ? CLUSTER_NODES_SMALL_DISK : cluster_nodes_disk_of(size)->size);
}

/* Adds nodes of a kind that was not requested in this region: nodeCount 0, with the instance size that the kind has in
** another region of the spec, or else the hardware of the model. */
static void cluster_nodes_none(svc_call *c, const svc_node *spec, svc_node *region, const char *kind, const svc_node *model)
{
  const svc_node *other = svc_node_first(svc_node_get(spec, "regionConfigs"));
  svc_node *nodes = svc_node_copy(c->arena, model);
  if (!nodes) return; /* the arena records the failure */
  nodes->name = svc_str_c(kind);
  svc_node_set_i64(c->arena, nodes, "nodeCount", 0);
  for (; other; other = other->next)
    if (svc_node_i64(svc_node_get(other, kind), "nodeCount", 0) && svc_node_get(svc_node_get(other, kind), "instanceSize"))
      svc_node_set_copy(c->arena, nodes, "instanceSize", svc_node_get(other, kind), "instanceSize");
  svc_node_put(c->arena, region, nodes);
}

/* Fills in nodes of one kind from the model. */
static void cluster_nodes_like(svc_call *c, const svc_node *spec, svc_node *region, const char *kind, const svc_node *model)
{
  static const char *const followed[] = { "diskSizeGB", "instanceSize" };
  svc_node *nodes = svc_node_get(region, kind);
  size_t i;
  if (!nodes) {
    cluster_nodes_none(c, spec, region, kind, model);
    return;
  }
  for (i = 0; i < sizeof followed / sizeof followed[0]; i++)
    if (!svc_node_get(nodes, followed[i])) svc_node_set_copy(c->arena, nodes, followed[i], model, followed[i]);
}

SVC_PRIVATE void svc_cluster_nodes_open(svc_call *c, const svc_node *spec, svc_node *region, bool azure)
{
  svc_node *model = cluster_nodes_model(spec, region);
  size_t i;
  if (!model) return;
  cluster_nodes_size_disk(c, spec, model, azure);
  for (i = 0; svc_values_node_kinds[i]; i++) cluster_nodes_like(c, spec, region, svc_values_node_kinds[i], model);
}

/* ---------------------------------------------------------------------------------------------------------- finish */

static int64_t cluster_nodes_iops(const svc_node *nodes)
{
  const svc_node *disk = svc_node_get(nodes, "diskSizeGB");
  double size;
  if (svc_cluster_is(nodes, "ebsVolumeType", "STANDARD") || !disk || !svc_json_number_double(disk->text, &size)) return CLUSTER_NODES_GP3;
  return (int64_t)(size * CLUSTER_NODES_PER_GB);
}

/* Sets the speed of disks. The speed of a local disk is fixed and ignores the request. */
static void cluster_nodes_speed(svc_call *c, const svc_node *region, svc_node *nodes)
{
  svc_str size = svc_node_str(nodes, "instanceSize");
  bool aws = svc_cluster_is(region, "providerName", "AWS"), given = svc_node_get(nodes, "diskIOPS") != NULL;
  if (aws && cluster_nodes_is_local(size)) {
    svc_node_set_i64(c->arena, nodes, "diskIOPS", cluster_nodes_disk_of(size)->iops);
    svc_node_set_text(c->arena, nodes, "ebsVolumeType", "PROVISIONED");
  } else if (aws && !given) {
    svc_node_set_i64(c->arena, nodes, "diskIOPS", cluster_nodes_iops(nodes));
  } else if (svc_cluster_is(region, "providerName", "AZURE")) {
    if (!given) svc_node_set_i64(c->arena, nodes, "diskIOPS", CLUSTER_NODES_AZURE);
    svc_node_set_i64(c->arena, nodes, "diskThroughput", CLUSTER_NODES_AZURE_MBPS);
  }
}

static void cluster_nodes_speeds(svc_call *c, svc_node *region)
{
  size_t i;
  for (i = 0; svc_values_node_kinds[i]; i++) {
    svc_node *nodes = svc_node_get(region, svc_values_node_kinds[i]);
    svc_node_drop(region, svc_values_effective_kinds[i]); /* from the stored cluster; svc_cluster_nodes_effective() writes it again */
    if (nodes) cluster_nodes_speed(c, region, nodes);
  }
}

static void cluster_nodes_show(svc_call *c, svc_node *region)
{
  size_t i;
  for (i = 0; svc_values_node_kinds[i]; i++)
    if (svc_node_get(region, svc_values_node_kinds[i]))
      svc_node_set_copy(c->arena, region, svc_values_effective_kinds[i], region, svc_values_node_kinds[i]);
}

static bool cluster_nodes_precedes(const svc_node *a, const svc_node *b)
{
  int64_t of_a = svc_node_i64(a, "priority", 0), of_b = svc_node_i64(b, "priority", 0);
  return of_a != of_b ? of_a > of_b : svc_str_order(svc_node_str(a, "regionName"), svc_node_str(b, "regionName")) > 0;
}

static void cluster_nodes_sort(svc_node *regions)
{
  svc_node *item = regions->first, *next, **at;
  regions->first = regions->last = NULL;
  for (; item; item = next) {
    next = item->next;
    for (at = &regions->first; *at && !cluster_nodes_precedes(item, *at);) at = &(*at)->next;
    item->next = *at;
    *at = item;
    if (!item->next) regions->last = item;
  }
}

SVC_PRIVATE void svc_cluster_nodes_finish(svc_call *c, const svc_node *spec)
{
  svc_node *regions = svc_node_get(spec, "regionConfigs"), *region;
  for (region = svc_node_first(regions); region; region = region->next)
    if (!svc_cluster_is(region, "providerName", "TENANT")) cluster_nodes_speeds(c, region);
  if (regions) cluster_nodes_sort(regions);
}

/* The effective specs show neither the scaling of analytics nodes nor predictive scaling. */
static void cluster_nodes_hide(svc_call *c, svc_node *region)
{
  (void)c;
  svc_node_drop(region, "analyticsAutoScaling");
  svc_node_drop(svc_node_get(svc_node_get(region, "autoScaling"), "compute"), "predictiveEnabled");
}

static void cluster_nodes_each(svc_call *c, const svc_node *specs, void (*act)(svc_call *c, svc_node *region))
{
  const svc_node *spec = svc_node_first(specs);
  svc_node *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (!svc_cluster_is(region, "providerName", "TENANT")) act(c, region);
}

SVC_PRIVATE void svc_cluster_nodes_effective(svc_call *c, svc_node *body)
{
  svc_node_set_copy(c->arena, body, "effectiveReplicationSpecs", body, "replicationSpecs");
  cluster_nodes_each(c, svc_node_get(body, "effectiveReplicationSpecs"), cluster_nodes_hide);
  cluster_nodes_each(c, svc_node_get(body, "replicationSpecs"), cluster_nodes_show);
}
