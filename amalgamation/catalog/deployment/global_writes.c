/*
** Global writes of a cluster: the zone of each location, and the collections that are sharded by location. Every cluster
** has them, but they can be changed only in clusters of type GEOSHARDED, and are empty in others. A change updates the
** cluster.
**
** Unusual: requests name a zone by its name; it is stored and shown by its id. A zone with mapped locations cannot be
** removed from the cluster (cluster_zones.c). Namespaces have no ids: they are added one by one, and removed by database
** and collection.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  GLOBAL_WRITES_LOCATIONS = 400,
  GLOBAL_WRITES_AT_ONCE = 100,
  GLOBAL_WRITES_NAMESPACES = 40
};

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field global_writes_namespace_fields[] = {
  F_STR("collection", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("customShardKey", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("db", .flags = SVC_REQUIRED, .pattern = "^[^/\\\\. \"$]{1,63}$"),
  F_BOOL("isCustomShardKeyHashed", .preset = "false"),
  F_BOOL("isShardKeyUnique", .preset = "false"),
  F_LONG("numInitialChunks", .flags = SVC_MAX, .max = 8192),
  F_BOOL("presplitHashedZones", .preset = "false")
};
static const svc_object global_writes_namespace = { .name = "ManagedNamespaces", .fields = SVC_ROWS(global_writes_namespace_fields) };

static const svc_field global_writes_zone_fields[] = {
  F_STR("location", .flags = SVC_REQUIRED, .pattern = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$"),
  F_STR("zone", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
static const svc_object global_writes_zone = { .name = "ZoneMapping", .fields = SVC_ROWS(global_writes_zone_fields) };
static const svc_field global_writes_zones_fields[] = {
  F_LIST("customZoneMappings", &global_writes_zone, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = GLOBAL_WRITES_AT_ONCE)
};
static const svc_object global_writes_zones = { .name = "CustomZoneMappings", .fields = SVC_ROWS(global_writes_zones_fields) };

static const svc_field global_writes_fields[] = {
  { .name = "customZoneMapping", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY, .preset = "{}" },
  F_LIST("managedNamespaces", &global_writes_namespace, .flags = SVC_READ_ONLY, .preset = "[]"),
  F_BOOL("selfManagedSharding", .flags = SVC_READ_ONLY, .preset = "false") /* copied from the cluster */
};
static const svc_object global_writes_object = { .name = "GeoSharding", .fields = SVC_ROWS(global_writes_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool global_writes_map(svc_call *c);
static bool global_writes_unmap(svc_call *c);
static bool global_writes_add(svc_call *c);
static bool global_writes_remove(svc_call *c);

/* Both are required: without them, a request would remove all namespaces. */
static const svc_param global_writes_params[] = {
  { .name = "collection", .flags = SVC_PARAM_REQUIRED }, { .name = "db", .flags = SVC_PARAM_REQUIRED }, { .name = NULL }
};

#define GLOBAL_WRITES \
  "/groups/{groupId}/clusters/{clusterName}/globalWrites", SVC_SET_GLOBAL_WRITES, (20230101, 20230201, 20240805), \
    SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route global_writes_routes[] = {
  R_GET(GLOBAL_WRITES, "", .older = svc_older_until_20230201, .op = "getClusterGlobalWrites", .run = svc_verb_read),
  R_POST(GLOBAL_WRITES, "/customZoneMapping", .body = &global_writes_zones, .older = svc_older_until_20230201, .op = "createCustomZoneMapping", .run = global_writes_map,
         .example = "{\"customZoneMappings\":[{\"location\":\"CA\",\"zone\":\"Zone 1\"}]}"),
  R_DELETE(GLOBAL_WRITES, "/customZoneMapping", .older = svc_older_until_20230201, .op = "deleteCustomZoneMapping", .run = global_writes_unmap),
  R_FOR(SVC_R_GROUP_DATA_ACCESS_ADMIN, GLOBAL_WRITES, SVC_POST, "/managedNamespaces", .body = &global_writes_namespace,
        .older = svc_older_until_20230201, .op = "createManagedNamespace", .run = global_writes_add, .example = "{\"collection\":\"orders\",\"customShardKey\":\"customer\",\"db\":\"shop\"}"),
  R_FOR(SVC_R_GROUP_DATA_ACCESS_ADMIN, GLOBAL_WRITES, SVC_DELETE, "/managedNamespaces", .params = global_writes_params,
        .older = svc_older_until_20230201, .op = "deleteManagedNamespaces", .run = global_writes_remove)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static svc_node *global_writes_view(svc_call *c, const svc_entity *e)
{
  svc_node *view = svc_entity_body(c, e);
  svc_str own = svc_json_member(svc_path_entity(c, "cluster")->body, SVC_S("globalClusterSelfManagedSharding"));
  if (view) svc_node_set_bool(c->arena, view, "selfManagedSharding", svc_str_is(own, "true"));
  return view;
}

/* A change of global writes, and the change of the cluster that goes with it. */
typedef struct global_writes_both {
  svc_change own, cluster;
} global_writes_both;

static bool global_writes_begin(svc_call *c, global_writes_both *both)
{
  if (!svc_change_begin(c, &both->own)) return false;
  if (!svc_cluster_open_own(c, svc_path_entity(c, "cluster"), &both->cluster)) return false;
  if (svc_cluster_is(both->cluster.before, "clusterType", "GEOSHARDED")) return true;
  return svc_fail_as(c, svc_say(c, "Only a cluster of type GEOSHARDED has global writes."), SVC_E_INVALID_CLUSTER_CONFIGURATION, "s",
                     "clusterType");
}

static bool global_writes_store(svc_call *c, global_writes_both *both)
{
  bool same = svc_node_same(both->own.body, both->own.before);
  svc_entity e;
  return svc_change_keep(c, &both->own, &e) && (same || svc_cluster_updates(c, &both->cluster)) && svc_answer_entity(c, &e);
}

/* ---- zones */

static svc_str global_writes_zone_id(const svc_node *cluster, svc_str name)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs"));
  while (spec && !svc_node_eq(spec, "zoneName", name)) spec = spec->next;
  return svc_node_str(spec, "zoneId");
}

static bool global_writes_map(svc_call *c)
{
  global_writes_both both;
  const svc_node *one;
  svc_node *map;
  size_t i = 0;
  if (!global_writes_begin(c, &both)) return false;
  map = svc_node_get(both.own.body, "customZoneMapping");
  for (one = svc_node_first(svc_node_get(c->checked, "customZoneMappings")); one; one = one->next, i++) {
    svc_str id = global_writes_zone_id(both.cluster.before, svc_node_str(one, "zone"));
    if (id.n) svc_node_set_str(c->arena, map, svc_arena_copy(c->arena, svc_node_str(one, "location")).p, id);
    else svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "customZoneMappings[%zu].zone", i), "is not a zone of the cluster");
  }
  if (svc_node_count(map) > GLOBAL_WRITES_LOCATIONS)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("customZoneMappings"), "exceeds the limit of %d locations", GLOBAL_WRITES_LOCATIONS);
  return svc_check_done(c) && global_writes_store(c, &both);
}

static bool global_writes_unmap(svc_call *c)
{
  global_writes_both both;
  svc_node *none;
  if (!global_writes_begin(c, &both)) return false;
  none = svc_node_object(c->arena, "customZoneMapping");
  if (!none) return svc_no_memory(c);
  svc_node_put(c->arena, both.own.body, none);
  return global_writes_store(c, &both);
}

/* ---- namespaces */

static svc_node *global_writes_named(const svc_node *list, svc_str db, svc_str collection)
{
  svc_node *one = list->first;
  while (one && !(svc_node_eq(one, "db", db) && svc_node_eq(one, "collection", collection))) one = one->next;
  return one;
}

/* The shard key is the location followed by a field of the customer. The options of hashed keys require a hashed key. */
static void global_writes_check_key(svc_call *c, const svc_node *namespace)
{
  static const char *const hashed_only[] = { "numInitialChunks", "presplitHashedZones" };
  svc_str key = svc_node_str(namespace, "customShardKey");
  bool hashed = svc_node_bool(namespace, "isCustomShardKeyHashed", false);
  size_t i;
  if (svc_str_is(key, "location") || key.p[0] == '$')
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("customShardKey"), "must be a field other than location that does not begin with $");
  if (hashed && svc_node_bool(namespace, "isShardKeyUnique", false))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("isShardKeyUnique"), "cannot be true for a hashed key");
  for (i = 0; i < 2; i++) {
    const svc_node *value = svc_node_get(namespace, hashed_only[i]);
    if (value && !hashed && !svc_str_is(value->text, "false"))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(hashed_only[i]), "requires a hashed key");
  }
  if (svc_node_get(namespace, "numInitialChunks") && svc_node_i64(namespace, "numInitialChunks", 0) < 1)
    svc_violate(c, SVC_E_ATTRIBUTE_NEGATIVE_OR_ZERO, SVC_S("numInitialChunks"), "must be at least 1");
}

static bool global_writes_twice(svc_call *c)
{
  svc_str db = svc_node_str(c->checked, "db"), collection = svc_node_str(c->checked, "collection");
  svc_str name = svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(db), SVC_ARG(collection));
  return svc_fail(c, SVC_E_DUPLICATE_MANAGED_NAMESPACE, "S", &name);
}

static bool global_writes_add(svc_call *c)
{
  global_writes_both both;
  svc_node *list, *one;
  if (!global_writes_begin(c, &both)) return false;
  if (svc_node_bool(both.cluster.before, "globalClusterSelfManagedSharding", false))
    return svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "managed namespaces, as the cluster is sharded by its owner");
  list = svc_node_get(both.own.body, "managedNamespaces");
  global_writes_check_key(c, c->checked);
  if (svc_node_count(list) >= GLOBAL_WRITES_NAMESPACES)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("collection"), "exceeds the limit of %d managed namespaces", GLOBAL_WRITES_NAMESPACES);
  if (!svc_check_done(c)) return false;
  if (global_writes_named(list, svc_node_str(c->checked, "db"), svc_node_str(c->checked, "collection"))) return global_writes_twice(c);
  one = svc_node_copy(c->arena, c->checked);
  if (!one) return svc_no_memory(c);
  svc_node_append(list, one);
  return global_writes_store(c, &both);
}

static bool global_writes_remove(svc_call *c)
{
  svc_str db = svc_query_get(c, "db")->text, collection = svc_query_get(c, "collection")->text;
  svc_str name = svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(db), SVC_ARG(collection));
  svc_node *list, *gone, *rest, *one;
  global_writes_both both;
  if (!global_writes_begin(c, &both)) return false;
  list = svc_node_get(both.own.body, "managedNamespaces");
  gone = global_writes_named(list, db, collection);
  if (!gone) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &name);
  rest = svc_node_array(c->arena, "managedNamespaces");
  for (one = list->first; rest && one; one = one->next)
    if (one != gone) svc_node_append(rest, svc_node_copy(c->arena, one));
  if (!rest || c->arena->failed) return svc_no_memory(c);
  svc_node_put(c->arena, both.own.body, rest);
  return global_writes_store(c, &both);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_global_writes = {
  .name = CLUSTER_GLOBAL_WRITES,
  .rel = "globalWrites",
  .kind = "gwri",
  .parent = "cluster",
  .flags = SVC_SINGLETON | SVC_EVENT_PARENT,
  .object = &global_writes_object,
  .event_updated = "CLUSTER_UPDATE_SUBMITTED",
  .routes = SVC_ROUTES(global_writes_routes),
  .view = global_writes_view
};
