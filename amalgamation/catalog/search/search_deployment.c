/*
** Search deployment: machines of a cluster that only search. A cluster has at most one deployment, which says how many
** machines there are in each of its regions.
**
**   POST --> UPDATING --> IDLE <--> UPDATING <-- PATCH
**                           |
**                           +-----> UPDATING <-- DELETE     then removed: 404
**
** A deployment that is being deleted is stored as DELETING. Clients of this API do not know that word, so it is shown as
** UPDATING, and then answers 404. effectiveSpecs follow from the requested specs and from the regions that the cluster had
** then.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_base.h"
#include "catalog/security/encryption.h"

enum { SEARCH_DEPLOYMENT_NODES = 2, SEARCH_DEPLOYMENT_MOST_NODES = 32, SEARCH_DEPLOYMENT_SPECS = 50 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const search_deployment_sizes[] = {
  "S10_HIGHCPU", "S20_HIGHCPU_NVME", "S30_HIGHCPU_NVME", "S40_HIGHCPU_NVME", "S50_HIGHCPU_NVME", "S60_HIGHCPU_NVME",
  "S70_HIGHCPU_NVME", "S80_HIGHCPU_NVME", "S30_LOWCPU_NVME", "S40_LOWCPU_NVME", "S50_LOWCPU_NVME", "S60_LOWCPU_NVME",
  "S70_LOWCPU_NVME", "S80_LOWCPU_NVME", "S90_LOWCPU_NVME", "S100_LOWCPU_NVME", "S110_LOWCPU_NVME", "S120_LOWCPU_NVME",
  "S130_LOWCPU_NVME", "S135_LOWCPU_NVME", "S140_LOWCPU_NVME", "S40_STORAGE_NVME", "S50_STORAGE_NVME", "S60_STORAGE_NVME",
  "S80_STORAGE_NVME", "S90_STORAGE_NVME", NULL
};
static const char *const search_deployment_key_holders[] = { "NONE", "AWS", "AZURE", "GCP", NULL };
static const char *const search_deployment_states[] = { "IDLE", "PAUSED", "UPDATING", "DELETING", NULL };
static const char *const search_deployment_shown_states[] = { "IDLE", "PAUSED", "UPDATING", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field search_deployment_effective_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_ENUM("instanceSize", search_deployment_sizes, .flags = SVC_READ_ONLY),
  F_INT("nodeCount", .flags = SVC_READ_ONLY | SVC_MIN | SVC_MAX, .min = 2, .max = SEARCH_DEPLOYMENT_MOST_NODES),
  F_STR("regionName", .flags = SVC_READ_ONLY)
};
static const svc_object search_deployment_effective = {
  .name = "SearchDeploymentEffectiveSpec", .fields = SVC_ROWS(search_deployment_effective_fields)
};

/* For one region, or without regionName for all regions that no other spec names. */
static const svc_field search_deployment_spec_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_NULLABLE),
  F_ENUM("instanceSize", search_deployment_sizes, .flags = SVC_REQUIRED),
  F_INT("nodeCount", .flags = SVC_NULLABLE | SVC_MIN | SVC_MAX, .min = 2, .max = SEARCH_DEPLOYMENT_MOST_NODES),
  F_STR("regionName", .flags = SVC_NULLABLE, .min = 1, .max = 64)
};
static const svc_object search_deployment_spec = { .name = "SearchDeploymentSpec", .fields = SVC_ROWS(search_deployment_spec_fields) };

static const svc_field search_deployment_base_fields[] = {
  F_INT("defaultNodeCount", .flags = SVC_WRITE_ONLY | SVC_NULLABLE | SVC_MIN | SVC_MAX, .min = 2,
        .max = SEARCH_DEPLOYMENT_MOST_NODES),
  F_LIST("effectiveSpecs", &search_deployment_effective, .flags = SVC_READ_ONLY),
  F_ENUM("encryptionAtRestProvider", search_deployment_key_holders, .flags = SVC_READ_ONLY),
  F_GROUP_ID(),
  F_ID(),
  F_LIST("specs", &search_deployment_spec, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = SEARCH_DEPLOYMENT_SPECS)
};
static const svc_object search_deployment_base = { .name = "SearchDeploymentBase", .fields = SVC_ROWS(search_deployment_base_fields) };
static const svc_field search_deployment_fields[] = {
  F_ENUM("stateName", search_deployment_states, .flags = SVC_READ_ONLY)
};
static const svc_object search_deployment_object = {
  .name = "SearchDeploymentRecord", .fields = SVC_ROWS(search_deployment_fields), .base = &search_deployment_base
};
static const svc_field search_deployment_shown_fields[] = {
  F_ENUM("stateName", search_deployment_shown_states, .flags = SVC_READ_ONLY)
};
static const svc_object search_deployment_shown = {
  .name = "SearchDeployment", .fields = SVC_ROWS(search_deployment_shown_fields), .base = &search_deployment_base
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool search_deployment_has_cluster(svc_call *c);

#define SEARCH_DEPLOYMENT .path = "/groups/{groupId}/clusters/{clusterName}/search/deployment", .set = SVC_SET_SEARCH_DEPLOYMENT, \
  .gate = search_deployment_has_cluster
#define SEARCH_DEPLOYMENT_SHOWN .answer = &search_deployment_shown

static const svc_route search_deployment_routes[] = {
  { .method = SVC_GET, SEARCH_DEPLOYMENT, .versions = { 20230101, 20240530, 20250312 }, .older = svc_older_until_20240530, .roles = SVC_R_GROUP_READ_ONLY,
    SEARCH_DEPLOYMENT_SHOWN, .op = "getClusterSearchDeployment", .run = svc_verb_read },
  { .method = SVC_POST, SEARCH_DEPLOYMENT, .versions = { 20230101, 20240530 }, .older = svc_older_20230101, .roles = SVC_R_GROUP_OWNER, .status = 201,
    SEARCH_DEPLOYMENT_SHOWN, .body = &search_deployment_shown, .op = "createClusterSearchDeployment", .run = svc_verb_create,
    .example = "{\"specs\":[{\"instanceSize\":\"S20_HIGHCPU_NVME\",\"nodeCount\":2}]}" },
  { .method = SVC_PATCH, SEARCH_DEPLOYMENT, .versions = { 20230101, 20240530 }, .older = svc_older_20230101, .roles = SVC_R_GROUP_CLUSTER_MANAGER,
    SEARCH_DEPLOYMENT_SHOWN, .body = &search_deployment_shown, .op = "updateClusterSearchDeployment", .run = svc_verb_update,
    .example = "{\"specs\":[{\"instanceSize\":\"S30_HIGHCPU_NVME\",\"nodeCount\":3}]}" },
  { .method = SVC_DELETE, SEARCH_DEPLOYMENT, .versions = { 20230101, 20240530 }, .older = svc_older_20230101, .roles = SVC_R_GROUP_CLUSTER_MANAGER,
    .status = 204, .op = "deleteClusterSearchDeployment", .run = svc_verb_delete }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition search_deployment_transitions[] = {
  { "UPDATING", "IDLE", 50, NULL, "search.update" },
  { "DELETING", NULL, 25, NULL, "search.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle search_deployment_lifecycle = {
  .field = "stateName", .created = "UPDATING", .updated = "UPDATING", .deleted = "DELETING", .event_failed = "DEPLOYMENT_FAILURE",
  .transitions = search_deployment_transitions
};

static const svc_guard search_deployment_guards[] = {
  { "stateName", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_SEARCH_DEPLOYMENT_DOES_NOT_EXIST },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* A missing cluster has its own error code on these paths. */
static bool search_deployment_has_cluster(svc_call *c)
{
  const svc_noun_info *cluster = svc_noun_named(c->s, "cluster");
  svc_str name = svc_path_param(c, "clusterName"), reason;
  svc_named found;
  int rc;
  if (!svc_resolve(c, 1)) return false;
  rc = svc_named_get(c->txn, svc_noun_ext_of(cluster->noun)->names, &c->scope.group, name, &found);
  if (rc != SVC_NOT_FOUND) return svc_status_good(c, rc);
  reason = svc_arena_print(c->arena, "Cannot find cluster with the name " SVC_FMT, SVC_ARG(name));
  return svc_fail(c, SVC_E_SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE, "sS", "clusterName", &reason);
}

static bool search_deployment_is_of(const svc_node *spec, svc_str provider, svc_str region)
{
  return svc_node_eq(spec, "regionName", region) &&
         (!svc_node_get(spec, "cloudProvider") || svc_node_eq(spec, "cloudProvider", provider));
}

/* Returns the spec for a region: its own, or the one without regionName. */
static const svc_node *search_deployment_for(const svc_node *specs, svc_str provider, svc_str region)
{
  const svc_node *spec, *any = NULL;
  for (spec = svc_node_first(specs); spec; spec = spec->next) {
    if (search_deployment_is_of(spec, provider, region)) return spec;
    if (!svc_node_get(spec, "regionName")) any = spec;
  }
  return any;
}

/* Adds a region of the cluster to the list, once. */
static bool search_deployment_add(svc_call *c, svc_node *list, const svc_node *specs, const svc_node *region)
{
  svc_str provider = svc_node_str(region, "providerName"), name = svc_node_str(region, "regionName");
  const svc_node *spec = search_deployment_for(specs, provider, name), *old;
  svc_node *out;
  for (old = svc_node_first(list); old; old = old->next)
    if (svc_node_eq(old, "cloudProvider", provider) && svc_node_eq(old, "regionName", name)) return true;
  if (!spec) {
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("specs"), "must give the number of nodes in region " SVC_FMT, SVC_ARG(name));
    return true;
  }
  out = svc_node_object(c->arena, NULL);
  if (!out) return svc_no_memory(c);
  svc_node_set_str(c->arena, out, "cloudProvider", provider);
  svc_node_set_from(c->arena, out, "instanceSize", spec, "instanceSize");
  svc_node_set_i64(c->arena, out, "nodeCount", svc_node_i64(spec, "nodeCount", SEARCH_DEPLOYMENT_NODES));
  svc_node_set_str(c->arena, out, "regionName", name);
  svc_node_append(list, out);
  return true;
}

/* Computes effectiveSpecs, region by region of the cluster. */
static bool search_deployment_effect(svc_call *c, svc_node *body, const svc_node *cluster)
{
  svc_node *list = svc_node_array(c->arena, "effectiveSpecs");
  const svc_node *shards = svc_node_get(cluster, "replicationSpecs"), *shard = svc_node_first(shards), *region;
  if (!list) return svc_no_memory(c);
  for (; shard; shard = shard->next) {
    const svc_node *regions = svc_node_get(shard, "regionConfigs");
    for (region = svc_node_first(regions); region; region = region->next)
      if (!search_deployment_add(c, list, svc_node_get(body, "specs"), region)) return false;
  }
  svc_node_put(c->arena, body, list);
  return true;
}

/* Returns true if both specs are for the same region. Equal names at two different named providers are different regions. */
static bool search_deployment_twice(const svc_node *spec, const svc_node *other)
{
  svc_str name = svc_node_str(spec, "regionName"), at = svc_node_str(spec, "cloudProvider"), at_other = svc_node_str(other, "cloudProvider");
  return svc_node_eq(other, "regionName", name) && (!name.n || !at.n || !at_other.n || svc_str_eq(at, at_other));
}

/* Checks that every spec is for a region of the cluster, and no two for the same one. */
static void search_deployment_specs(svc_call *c, const svc_node *body, const svc_node *input)
{
  const svc_node *specs = svc_node_get(body, "specs"), *effective = svc_node_get(body, "effectiveSpecs"), *other, *region;
  svc_node *spec;
  unsigned i = 0;
  for (spec = svc_node_first(specs); spec; spec = spec->next, i++) {
    svc_str name = svc_node_str(spec, "regionName"), at = svc_arena_print(c->arena, "specs[%u].regionName", i);
    for (other = svc_node_first(specs); other != spec && !search_deployment_twice(spec, other);) other = other->next;
    if (other != spec) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is the region of another spec");
    for (region = svc_node_first(effective); region && name.n; region = region->next)
      if (search_deployment_is_of(spec, svc_node_str(region, "cloudProvider"), svc_node_str(region, "regionName"))) break;
    if (name.n && !region) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is not a region of the cluster");
    if (!svc_node_get(spec, "nodeCount"))
      svc_node_set_i64(c->arena, spec, "nodeCount", svc_node_i64(input, "defaultNodeCount", SEARCH_DEPLOYMENT_NODES));
  }
}

static bool search_deployment_prepare(svc_call *c, svc_change *change)
{
  const svc_entity *parent = svc_path_entity(c, "cluster");
  const svc_node *cluster = svc_entity_body(c, parent);
  svc_str holder = svc_node_str(cluster, "encryptionAtRestProvider");
  if (!cluster) return false;
  if (svc_cluster_is_tenant(cluster)) return svc_fail(c, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED, "S", &parent->unique);
  svc_node_set_str(c->arena, change->body, "encryptionAtRestProvider", svc_encryption_of_search(c) && holder.n ? holder : SVC_S("NONE"));
  if (!search_deployment_effect(c, change->body, cluster)) return false;
  search_deployment_specs(c, change->body, change->input);
  return svc_check_done(c) && search_deployment_effect(c, change->body, cluster); /* again, now with the numbers of nodes */
}

static svc_node *search_deployment_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (body && svc_cluster_is(body, "stateName", "DELETING")) svc_node_set_text(c->arena, body, "stateName", "UPDATING");
  return body;
}

static size_t search_deployment_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  const svc_node *specs = svc_node_get(body, "effectiveSpecs"), *spec;
  size_t n = 0, i;
  for (spec = svc_node_first(specs); spec; spec = spec->next) {
    svc_str cloud = svc_node_str(spec, "cloudProvider"), size = svc_node_str(spec, "instanceSize");
    svc_str sku = svc_arena_print(c->arena, "SEARCH_INSTANCE_" SVC_FMT "_" SVC_FMT, SVC_ARG(cloud), SVC_ARG(size));
    for (i = 0; i < n && !svc_str_eq(out[i].sku, sku); i++) continue;
    if (i == most) continue;
    if (i == n) out[n++] = (svc_meter){ sku, 0 };
    out[i].quantity += svc_node_i64(spec, "nodeCount", 0) * 1000;
  }
  return n;
}

static const svc_order_row search_deployment_orders[] = {
  { "search.update", "Run these search nodes for the cluster.", NULL, NULL, 0 },
  { "search.delete", "Stop the search nodes.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_search_deployment = {
  .name = "search deployment",
  .rel = "searchDeployment",
  .kind = "sdep",
  .parent = "cluster",
  .flags = SVC_SOLE | SVC_EVENT_PARENT,
  .object = &search_deployment_object,
  .err_not_found = SVC_E_SEARCH_DEPLOYMENT_DOES_NOT_EXIST,
  .err_exists = SVC_E_SEARCH_DEPLOYMENT_ALREADY_EXISTS,
  .lifecycle = &search_deployment_lifecycle,
  .guards = search_deployment_guards,
  .event_created = "SEARCH_DEPLOYMENT_CREATED",
  .event_updated = "SEARCH_DEPLOYMENT_UPDATED",
  .event_deleted = "SEARCH_DEPLOYMENT_DELETED",
  .orders = search_deployment_orders,
  .routes = SVC_ROUTES(search_deployment_routes),
  .prepare = search_deployment_prepare,
  .view = search_deployment_view,
  .ext = SVC_NOUN_EXT(.meters = search_deployment_meters)
};
