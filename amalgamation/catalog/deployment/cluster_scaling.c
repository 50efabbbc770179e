/*
** Automatic changes of a cluster's hardware: the clusters that scale, and the new size. A step is like a PATCH.
** monitoring/autoscaling.c knows the load, and decides when a cluster scales.
**
** The rule: a step changes either the electable and read-only nodes of a shard together, or its analytics nodes. A step
** keeps the bounds of the region's autoScaling or analyticsAutoScaling, and passes the rules of cluster_specs.c. A cluster
** does not scale while it is paused or any other operation is in progress, and never if a driver has named its hosts. A
** refused step changes nothing.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/tier.h"
#include "catalog/deployment/cluster_parts.h"

/* ------------------------------------------------------------------------------------------------------------ settings */

static const char *cluster_scaling_setting(int kind)
{
  return kind == SVC_NODES_ANALYTICS ? "analyticsAutoScaling" : "autoScaling";
}

static bool cluster_scaling_on(const svc_node *region, int kind)
{
  const svc_node *scaling = svc_node_get(region, cluster_scaling_setting(kind));
  return svc_node_bool(svc_node_get(scaling, "compute"), "enabled", false) || svc_node_bool(svc_node_get(scaling, "diskGB"), "enabled", false);
}

static bool cluster_scaling_any(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs")), *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (cluster_scaling_on(region, SVC_NODES_ELECTABLE) || cluster_scaling_on(region, SVC_NODES_ANALYTICS)) return true;
  return false;
}

/* The first region with nodes of this kind: its settings are those of the shard's nodes. Returns NULL if no region has such
** nodes. */
static const svc_node *cluster_scaling_region(const svc_node *spec, int kind)
{
  const svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs"));
  while (region && svc_tier_count(region, kind) == 0) region = region->next;
  return region;
}

SVC_PRIVATE const svc_node *svc_cluster_scaling_of(const svc_node *spec, int kind, const char *what)
{
  return svc_node_get(svc_node_get(cluster_scaling_region(spec, kind), cluster_scaling_setting(kind)), what);
}

/* Clusters that older versions of this library stored have no record yet. The next change of such a cluster, of any field,
** adds it. */
SVC_PRIVATE bool svc_cluster_scaling_follows(svc_call *c, const svc_change *change, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_SCALING_KIND);
  bool was = change->before && cluster_scaling_any(change->before), is = cluster_scaling_any(change->body);
  svc_change record;
  svc_entity e;
  if (!noun || (!was && !is)) return true;
  if (svc_below_first(c->txn, CLUSTER_SCALING_KIND, &cluster->id, &e)) return is || svc_erase(c, noun, &e);
  if (!is || !svc_txn_good(c)) return svc_txn_good(c);
  if (!svc_change_new(c, noun, NULL, &record)) return false;
  record.parent = cluster->id;
  svc_change_due(&record, SVC_DUE_RUN, c->now + CLUSTER_SCALING_EVERY);
  return svc_insert(c, &record, &e);
}

/* --------------------------------------------------------------------------------------------------------------- sizes */

/* The part of a size after the number: "", "_GEN_2", "_NVME". */
static svc_str cluster_scaling_suffix(svc_str size)
{
  size_t at = 1;
  while (at < size.n && size.p[at] >= '0' && size.p[at] <= '9') at++;
  return at < size.n ? (svc_str){ size.p + at, size.n - at } : SVC_S("");
}

/* Whether every region of the shard offers this size. */
static bool cluster_scaling_offered(svc_call *c, const svc_node *spec, svc_str size)
{
  const svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs"));
  for (; region; region = region->next)
    if (!svc_value_in(c->s, size, svc_cluster_sizes_of(region))) return false;
  return true;
}

SVC_PRIVATE const char *svc_cluster_scaling_next(svc_call *c, const svc_node *spec, int kind, bool up)
{
  const svc_node *compute = svc_cluster_scaling_of(spec, kind, "compute");
  svc_str size = svc_node_str(svc_node_get(cluster_scaling_region(spec, kind), svc_values_node_kinds[kind]), "instanceSize");
  svc_str bound = svc_node_str(compute, up ? "maxInstanceSize" : "minInstanceSize");
  const char *const *at, *best = NULL;
  int sign = up ? 1 : -1, from = sign * svc_cluster_size_number(size), to = sign * svc_cluster_size_number(bound), n, nearest = 0;
  if (!size.n || !bound.n) return NULL;
  for (at = svc_values_sizes; *at; at++) {
    svc_str other = svc_str_c(*at);
    n = sign * svc_cluster_size_number(other);
    if (other.p[0] != size.p[0] || n <= from || n > to || (best && n >= nearest)) continue;
    if (!svc_str_eq(cluster_scaling_suffix(other), cluster_scaling_suffix(size)) || !cluster_scaling_offered(c, spec, other)) continue;
    best = *at;
    nearest = n;
  }
  return best;
}

/* --------------------------------------------------------------------------------------------------------------- steps */

SVC_PRIVATE bool svc_cluster_scaling_begin(svc_call *c, const svc_entity *cluster, svc_change *out, bool *may)
{
  *may = false;
  if (!svc_json_is(cluster->body, "stateName", "IDLE") || svc_json_is(cluster->body, "paused", "true") || svc_cluster_driven(cluster)) return true;
  if (!svc_change_of(c, svc_noun_by_kind(c->s, CLUSTER_KIND), cluster, out)) return false;
  out->id = cluster->id;
  *may = !svc_cluster_imports(c, cluster) && !svc_backup_restoring(c, &cluster->id) && !svc_cluster_has_outage(c, &cluster->id);
  return svc_txn_good(c);
}

/* Analytics nodes scale separately. In a region without analytics nodes, their specs follow the electable nodes, because they
** show the same hardware. */
static bool cluster_scaling_together(const svc_node *region, int a, int b)
{
  bool alone = b == SVC_NODES_ANALYTICS && svc_tier_count(region, b) > 0;
  return alone == (a == SVC_NODES_ANALYTICS);
}

/* Every disk of the shard that is smaller gets the new size: no disk shrinks. */
SVC_PRIVATE void svc_cluster_scaling_set(svc_call *c, svc_node *spec, int kind, const char *size, int64_t gigabytes)
{
  svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs")), *nodes;
  int i;
  for (; region; region = region->next)
    for (i = 0; svc_values_node_kinds[i]; i++) {
      nodes = svc_node_get(region, svc_values_node_kinds[i]);
      if (nodes && size && cluster_scaling_together(region, kind, i)) svc_node_set_text(c->arena, nodes, "instanceSize", size);
      if (nodes && svc_cluster_disk_size(nodes) < (double)gigabytes) svc_node_set_i64(c->arena, nodes, "diskSizeGB", gigabytes);
    }
}

SVC_PRIVATE bool svc_cluster_scaling_keep(svc_call *c, svc_change *change, const char *event, bool *done)
{
  const svc_noun *noun = change->noun->noun;
  svc_entity e;
  change->state = noun->lifecycle->updated;
  change->event = noun->event_updated;
  *done = svc_change_keep(c, change, &e);
  if (*done) return svc_event_about(c, change->noun, &e, event, false);
  if (!svc_txn_good(c) || c->arena->failed) return false;
  c->error.code = SVC_E_NONE; /* refused before anything was written: a due step has no caller, so the error is dropped */
  c->error.violations = c->error.violations_last = NULL;
  c->error.violation_count = 0;
  return true;
}
