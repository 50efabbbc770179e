/*
** Global writes: their own rules, besides those of every route.
*/
#include "needs.h"
#include "support.h"

#define NEED_CLUSTER "/groups/{groupId}/clusters/{clusterName}"
#define NEED_ZONES NEED_CLUSTER "/globalWrites/customZoneMapping"
#define NEED_SPACES NEED_CLUSTER "/globalWrites/managedNamespaces"
#define NEED_GEO "{\"clusterType\":\"GEOSHARDED\"}"

T_NEEDS(global_writes) = {
  /* only clusters of this type have zones for locations */
  T_FIRST(SVC_POST, NEED_ZONES, SVC_PATCH, NEED_CLUSTER, NEED_GEO),
  T_FIRST(SVC_DELETE, NEED_ZONES, SVC_PATCH, NEED_CLUSTER, NEED_GEO),
  T_FIRST(SVC_POST, NEED_SPACES, SVC_PATCH, NEED_CLUSTER, NEED_GEO),
  T_FIRST(SVC_DELETE, NEED_SPACES, SVC_PATCH, NEED_CLUSTER, NEED_GEO),
  /* the query names the deleted namespace */
  T_FIRST(SVC_DELETE, NEED_SPACES, SVC_POST, NEED_SPACES, "{\"collection\":\"a\",\"customShardKey\":\"b\",\"db\":\"a\"}"),
  T_NEEDS_END
};

#define ONE "/groups/%s/clusters/C"
#define GLOBAL ONE "/globalWrites"
#define ZONE(name, region) "{\"zoneName\":\"" name "\",\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"" region "\"," \
                           "\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}"
#define SPECS "\"replicationSpecs\":[" ZONE("East", "US_EAST_1") "," ZONE("West", "US_WEST_2") "]"
#define MAP(location, zone) "{\"customZoneMappings\":[{\"location\":\"" location "\",\"zone\":\"" zone "\"}]}"

static void global_open(t_place *w, const char *type, const char *rest)
{
  char body[1024];
  t_place_open(w, NULL, "P1", NULL);
  snprintf(body, sizeof body, "{\"name\":\"C\",\"clusterType\":\"%s\"%s," SPECS "}", type, rest);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/clusters", w->group), ==, 201);
  t_advance(&w->t, 10);
}

static int global_send(t_place *w, const char *method, const char *below, const char *body)
{
  return t_sendf(&w->t, method, body, GLOBAL "%s", w->group, below);
}

static const char *global_cluster(t_place *w, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, ONE, w->group), ==, 200);
  return t_keep(&w->t, t_str(&w->t, field));
}

TEST(global_writes, zones)
{
  const char *east, *west;
  t_place w;
  global_open(&w, "GEOSHARDED", "");
  east = global_cluster(&w, "replicationSpecs[0].zoneId");
  west = global_cluster(&w, "replicationSpecs[1].zoneId");
  munit_assert_int(global_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "customZoneMapping"), ==, 0);
  munit_assert_string_equal(t_str(&w.t, "selfManagedSharding"), "false");
  munit_assert_int(global_send(&w, "POST", "/customZoneMapping", MAP("CA", "East")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "customZoneMapping.CA"), east);
  munit_assert_string_equal(global_cluster(&w, "stateName"), "UPDATING"); /* the mapping is a change of the cluster */
  t_advance(&w.t, 5);
  munit_assert_int(global_send(&w, "POST", "/customZoneMapping", "{\"customZoneMappings\":[{\"location\":\"US-CA\",\"zone\":\"West\"},"
                               "{\"location\":\"CA\",\"zone\":\"West\"}]}"), ==, 200); /* a new location; CA gets another zone */
  munit_assert_string_equal(t_str(&w.t, "customZoneMapping.CA"), west);
  munit_assert_size(t_count(&w.t, "customZoneMapping"), ==, 2);
  munit_assert_int(global_send(&w, "POST", "/customZoneMapping", MAP("FR", "North")), ==, 400);
  munit_assert_true(t_violation(&w.t, "customZoneMappings[0].zone"));
  munit_assert_int(global_send(&w, "POST", "/customZoneMapping", MAP("France", "East")), ==, 400);
  munit_assert_true(t_violation(&w.t, "customZoneMappings[0].location"));

  /* the zone West has locations */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"replicationSpecs\":[" ZONE("East", "US_EAST_1") "]}", ONE, w.group), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  t_advance(&w.t, 10);
  /* the zone East has no locations any more */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"replicationSpecs\":[" ZONE("West", "US_WEST_2") "]}", ONE, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].zoneId"), west);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{" SPECS "}", ONE, w.group), ==, 200);
  t_advance(&w.t, 10);
  munit_assert_int(global_send(&w, "DELETE", "/customZoneMapping", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "customZoneMapping"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"replicationSpecs\":[" ZONE("East", "US_EAST_1") "]}", ONE, w.group), ==, 200);
  t_close(&w.t);
}

/* A cluster has at most 400 locations, however few each request adds. */
TEST(global_writes, most)
{
  t_place w;
  char body[8192];
  int i = 0, n, end;
  global_open(&w, "GEOSHARDED", "");
  while (i < 401) {
    n = snprintf(body, sizeof body, "{\"customZoneMappings\":[");
    for (end = i == 400 ? 401 : i + 50; i < end; i++)
      n += snprintf(body + n, sizeof body - (size_t)n, "%s{\"location\":\"US-%03d\",\"zone\":\"East\"}", body[n - 1] == '[' ? "" : ",", i);
    snprintf(body + n, sizeof body - (size_t)n, "]}");
    munit_assert_int(global_send(&w, "POST", "/customZoneMapping", body), ==, i == 401 ? 400 : 200);
  }
  munit_assert_true(t_violation(&w.t, "customZoneMappings"));
  munit_assert_int(global_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "customZoneMapping"), ==, 400);
  t_close(&w.t);
}

#define SPACE(rest) "{\"db\":\"shop\",\"collection\":\"orders\",\"customShardKey\":\"k\"" rest "}"

TEST(global_writes, namespaces)
{
  static const struct {
    const char *body, *field;
  } rows[] = {
    { "{\"db\":\"shop\",\"collection\":\"b\",\"customShardKey\":\"location\"}", "customShardKey" },
    { "{\"db\":\"shop\",\"collection\":\"b\",\"customShardKey\":\"$k\"}", "customShardKey" },
    { "{\"db\":\"sh.op\",\"collection\":\"b\",\"customShardKey\":\"k\"}", "db" },
    { "{\"db\":\"shop\",\"collection\":\"b\"}", "customShardKey" },
    { SPACE(",\"isCustomShardKeyHashed\":true,\"isShardKeyUnique\":true"), "isShardKeyUnique" },
    { SPACE(",\"numInitialChunks\":5"), "numInitialChunks" },
    { SPACE(",\"numInitialChunks\":0,\"isCustomShardKeyHashed\":true"), "numInitialChunks" },
    { SPACE(",\"numInitialChunks\":8193,\"isCustomShardKeyHashed\":true"), "numInitialChunks" },
    { SPACE(",\"presplitHashedZones\":true"), "presplitHashedZones" },
  };
  t_place w;
  char body[128];
  size_t i;
  global_open(&w, "GEOSHARDED", "");
  munit_assert_int(global_send(&w, "POST", "/managedNamespaces", SPACE("")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "managedNamespaces[0].db"), "shop");
  munit_assert_string_equal(t_str(&w.t, "managedNamespaces[0].isShardKeyUnique"), "false");
  munit_assert_int(global_send(&w, "POST", "/managedNamespaces", SPACE("")), ==, 409); /* a second time: tools retry on this code */
  munit_assert_string_equal(t_error(&w.t), "DUPLICATE_MANAGED_NAMESPACE");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (global_send(&w, "POST", "/managedNamespaces", rows[i].body) != 400 || !t_violation(&w.t, rows[i].field))
      munit_errorf("%s: %d %s", rows[i].body, w.t.response.status, w.t.response.body);
  munit_assert_int(global_send(&w, "POST", "/managedNamespaces",
                               "{\"db\":\"shop\",\"collection\":\"b\",\"customShardKey\":\"k\",\"isCustomShardKeyHashed\":true,"
                               "\"numInitialChunks\":5,\"presplitHashedZones\":true}"), ==, 200);
  munit_assert_int(global_send(&w, "DELETE", "/managedNamespaces?db=shop", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_QUERY_PARAMETER");
  munit_assert_int(global_send(&w, "DELETE", "/managedNamespaces?db=shop&collection=c", NULL), ==, 404);
  munit_assert_string_equal(t_param(&w.t, 0), "shop.c");
  munit_assert_int(global_send(&w, "DELETE", "/managedNamespaces?db=shop&collection=orders", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "managedNamespaces"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "managedNamespaces[0].collection"), "b");
  for (i = 1; i < 41; i++) {
    snprintf(body, sizeof body, "{\"db\":\"shop\",\"collection\":\"c%d\",\"customShardKey\":\"k\"}", (int)i);
    munit_assert_int(global_send(&w, "POST", "/managedNamespaces", body), ==, i < 40 ? 200 : 400);
  }
  munit_assert_true(t_violation(&w.t, "collection"));
  t_close(&w.t);
}

/* Clusters of other types have no mappings and accept none. A cluster with self-managed sharding accepts no namespaces. */
TEST(global_writes, others)
{
  static const char *const calls[][3] = {
    { "POST", "/customZoneMapping", MAP("CA", "East") }, { "DELETE", "/customZoneMapping", NULL },
    { "POST", "/managedNamespaces", SPACE("") }, { "DELETE", "/managedNamespaces?db=shop&collection=orders", NULL },
  };
  t_place w;
  size_t i;
  global_open(&w, "SHARDED", "");
  for (i = 0; i < 4; i++) {
    munit_assert_int(global_send(&w, calls[i][0], calls[i][1], calls[i][2]), ==, 400);
    munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
    munit_assert_string_equal(t_param(&w.t, 0), "clusterType");
  }
  munit_assert_int(global_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "managedNamespaces"), ==, 0);
  munit_assert_string_equal(global_cluster(&w, "stateName"), "IDLE");
  t_close(&w.t);
  global_open(&w, "GEOSHARDED", ",\"globalClusterSelfManagedSharding\":true");
  munit_assert_int(global_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "selfManagedSharding"), "true");
  munit_assert_int(global_send(&w, "POST", "/managedNamespaces", SPACE("")), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "UNSUPPORTED_FOR_CURRENT_CONFIG");
  t_close(&w.t);
}
