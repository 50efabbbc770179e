/*
** Connection strings: a direct test of their derivation, with inputs made by hand, and one test per kind of string.
** The test itself supplies what the nouns of networks would report about a project.
*/
#include "support.h"

#include "catalog/deployment/cluster_parts.h"

#define HASH "0000000000000000001" /* of the project, in base 36 */
#define AT "." HASH ".db.local"
#define PUBLIC "db://abc123-shard-00-00" AT ":27017,abc123-shard-00-01" AT ":27017,abc123-shard-00-02" AT ":27017" \
               "/?ssl=true&authSource=admin&replicaSet=abc123-shard-0"
#define OPTIONS "/?ssl=true&authSource=admin"

typedef struct strings_world {
  svc_arena arena;
  svc_cluster_reach reach;
  svc_node *strings;
} strings_world;

#define REGION(provider, region) "{\"electableSpecs\":{\"nodeCount\":3},\"providerName\":\"" provider "\",\"regionName\":\"" region "\"}"
#define CLUSTER(type, regions) "{\"clusterType\":\"" type "\",\"name\":\"Main\",\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]}"

static void strings_begin(strings_world *w, const char *body)
{
  memset(w, 0, sizeof *w);
  svc_arena_init(&w->arena, NULL);
  w->reach.body = svc_json_parse(&w->arena, svc_str_c(body));
  w->reach.id = "abc123";
  w->reach.group.b[11] = 1;
  w->reach.scheme = "db";
  w->reach.domain = "db.local";
  w->strings = svc_node_new(&w->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
}

/* Returns the value at a path, or NULL if the path does not exist. */
static const char *strings_at(strings_world *w, const char *path)
{
  t_service probe;
  const svc_node *node;
  probe.body = w->strings;
  node = t_node(&probe, path);
  return node ? svc_arena_copy(&w->arena, node->text).p : NULL;
}

#define IS(w, path, value) munit_assert_string_equal(strings_at(w, path), value)
#define NONE(w, path) munit_assert_null(strings_at(w, path))

static void strings_make(strings_world *w)
{
  svc_buf b = svc_buf_new(&w->arena, 512);
  svc_node *facts = svc_node_new(&w->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_cluster_simulated_hosts(&w->arena, &w->reach, facts);
  svc_cluster_driven_strings(&w->arena, w->reach.scheme, facts, w->strings);
  svc_cluster_network_strings(&w->arena, &w->reach, w->strings);
  svc_node_write(&b, w->strings);
  munit_assert_null(strchr(svc_buf_done(&b).p, '@')); /* no string contains credentials */
}

static void strings_end(strings_world *w)
{
  munit_assert_false(w->arena.failed);
  svc_blocks_free(w->arena.blocks);
}

TEST(cluster_connection, standard)
{
  strings_world w;
  strings_begin(&w, CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")));
  strings_make(&w);
  IS(&w, "standard", PUBLIC);
  IS(&w, "standardSrv", "db+srv://abc123" AT);
  NONE(&w, "private");
  NONE(&w, "privateSrv");
  munit_assert_not_null(strings_at(&w, "privateEndpoint")); /* shown, but empty */
  munit_assert_not_null(strings_at(&w, "awsPrivateLinkSrv"));
  NONE(&w, "awsPrivateLink");
  w.reach.private_only = true; /* private_only alone changes no string */
  strings_make(&w);
  IS(&w, "standard", PUBLIC);
  NONE(&w, "private");
  strings_end(&w);
}

/* With peering, private addresses have names of their own at AZURE and GCP, and at AWS only if custom DNS is enabled as well. */
TEST(cluster_connection, peering)
{
  static const struct {
    const char *body;
    bool peered, custom_dns, shown;
  } rows[] = {
    { CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")), true, false, false },
    { CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")), true, true, true },
    { CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")), false, true, false },
    { CLUSTER("REPLICASET", REGION("AZURE", "US_EAST")), true, false, true },
    { CLUSTER("REPLICASET", REGION("GCP", "WESTERN_US")), true, false, true },
    { CLUSTER("REPLICASET", REGION("GCP", "WESTERN_US")), false, false, false },
  };
  strings_world w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    strings_begin(&w, rows[i].body);
    w.reach.peered = rows[i].peered;
    w.reach.custom_dns = rows[i].custom_dns;
    strings_make(&w);
    IS(&w, "standard", PUBLIC);
    if (rows[i].shown) {
      IS(&w, "private", "db://abc123-shard-00-00-pri" AT ":27017,abc123-shard-00-01-pri" AT ":27017,abc123-shard-00-02-pri" AT
                        ":27017" OPTIONS "&replicaSet=abc123-shard-0");
      IS(&w, "privateSrv", "db+srv://abc123-pri" AT);
    } else {
      NONE(&w, "private");
      NONE(&w, "privateSrv");
    }
    w.reach.peered = false; /* without peering there are no private strings */
    strings_make(&w);
    NONE(&w, "private");
    strings_end(&w);
  }
}

static const svc_cluster_endpoint strings_two[] = {
  { 0, { "AWS", 3 }, { "US_EAST_1", 9 }, { "vpce-a", 6 } }, { 0, { "AWS", 3 }, { "EU_WEST_1", 9 }, { "vpce-b", 6 } },
  { 1, { "AZURE", 5 }, { "US_EAST", 7 }, { "pe-c", 4 } },
};

TEST(cluster_connection, endpoint)
{
  strings_world w;
  strings_begin(&w, CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")));
  w.reach.endpoints = strings_two;
  w.reach.endpoint_count = 1;
  strings_make(&w);
  IS(&w, "privateEndpoint[0].connectionString", "db://pl-0-us-east-1" AT ":1024" OPTIONS);
  IS(&w, "privateEndpoint[0].srvConnectionString", "db+srv://pl-0-us-east-1" AT);
  NONE(&w, "privateEndpoint[0].srvShardOptimizedConnectionString"); /* only for sharded clusters */
  IS(&w, "privateEndpoint[0].type", "DBD");
  IS(&w, "privateEndpoint[0].endpoints[0].endpointId", "vpce-a");
  IS(&w, "privateEndpoint[0].endpoints[0].providerName", "AWS");
  IS(&w, "privateEndpoint[0].endpoints[0].region", "US_EAST_1");
  IS(&w, "awsPrivateLink.vpce-a", "db://pl-0-us-east-1" AT ":1024" OPTIONS);
  IS(&w, "awsPrivateLinkSrv.vpce-a", "db+srv://pl-0-us-east-1" AT);
  NONE(&w, "privateEndpoint[1]");
  IS(&w, "standard", PUBLIC);
  strings_end(&w);
}

/* Endpoints in several regions share a name. An endpoint of another service has another number. Only AWS endpoints are listed by id. */
TEST(cluster_connection, endpoints)
{
  strings_world w;
  strings_begin(&w, CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1") "," REGION("AWS", "EU_WEST_1")));
  w.reach.endpoints = strings_two;
  w.reach.endpoint_count = 3;
  strings_make(&w);
  IS(&w, "privateEndpoint[0].srvConnectionString", "db+srv://pl-0-us-east-1" AT);
  IS(&w, "privateEndpoint[0].endpoints[0].endpointId", "vpce-a");
  IS(&w, "privateEndpoint[0].endpoints[1].endpointId", "vpce-b");
  IS(&w, "privateEndpoint[1].connectionString", "db://pl-1-us-east" AT ":1024" OPTIONS);
  IS(&w, "privateEndpoint[1].endpoints[0].providerName", "AZURE");
  NONE(&w, "privateEndpoint[2]");
  NONE(&w, "awsPrivateLink.pe-c");
  strings_end(&w);
}

TEST(cluster_connection, regionalized)
{
  strings_world w;
  strings_begin(&w, CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1") "," REGION("AWS", "EU_WEST_1")));
  w.reach.endpoints = strings_two;
  w.reach.endpoint_count = 2;
  w.reach.regionalized = true;
  strings_make(&w);
  IS(&w, "privateEndpoint[0].connectionString", "db://pl-0-us-east-1" AT ":1024" OPTIONS);
  IS(&w, "privateEndpoint[0].srvConnectionString", "db+srv://main-pl-0-us-east-1" AT); /* begins with the cluster's name */
  IS(&w, "privateEndpoint[1].connectionString", "db://pl-0-eu-west-1" AT ":1024" OPTIONS);
  IS(&w, "privateEndpoint[1].srvConnectionString", "db+srv://main-pl-0-eu-west-1" AT);
  IS(&w, "privateEndpoint[1].endpoints[0].endpointId", "vpce-b");
  NONE(&w, "privateEndpoint[0].endpoints[1]");
  strings_end(&w);
}

/* Only sharded clusters have shard-optimized strings, and lose them with several regions without regionalized endpoints. */
TEST(cluster_connection, optimized)
{
  strings_world w;
  strings_begin(&w, CLUSTER("SHARDED", REGION("AWS", "US_EAST_1")));
  w.reach.endpoints = strings_two;
  w.reach.endpoint_count = 1;
  strings_make(&w);
  IS(&w, "privateEndpoint[0].type", "DBS");
  IS(&w, "privateEndpoint[0].srvConnectionString", "db+srv://pl-0-us-east-1" AT);
  IS(&w, "privateEndpoint[0].srvShardOptimizedConnectionString", "db+srv://pl-0-lb-us-east-1" AT);
  munit_assert_null(strstr(strings_at(&w, "standard"), "replicaSet="));
  w.reach.body = svc_json_parse(&w.arena, svc_str_c(CLUSTER("SHARDED", REGION("AWS", "US_EAST_1") "," REGION("AWS", "EU_WEST_1"))));
  strings_make(&w);
  NONE(&w, "privateEndpoint[0].srvShardOptimizedConnectionString");
  IS(&w, "privateEndpoint[0].srvConnectionString", "db+srv://pl-0-us-east-1" AT);
  w.reach.regionalized = true;
  strings_make(&w);
  IS(&w, "privateEndpoint[0].srvShardOptimizedConnectionString", "db+srv://main-pl-0-lb-us-east-1" AT);
  w.reach.legacy = true; /* legacy clusters have no shard-optimized string */
  strings_make(&w);
  NONE(&w, "privateEndpoint[0].srvShardOptimizedConnectionString");
  strings_end(&w);
}

TEST(cluster_connection, legacy)
{
  strings_world w;
  strings_begin(&w, CLUSTER("REPLICASET", REGION("AWS", "US_EAST_1")));
  w.reach.legacy = true;
  strings_make(&w);
  IS(&w, "standard", "db://main-shard-00-00-" HASH ".db.local:27017,main-shard-00-01-" HASH ".db.local:27017,main-shard-00-02-" HASH
                     ".db.local:27017" OPTIONS "&replicaSet=Main-shard-0");
  IS(&w, "standardSrv", "db+srv://main-" HASH ".db.local");
  w.reach.peered = true;
  strings_make(&w);
  NONE(&w, "privateSrv");
  w.reach.private_only = true; /* the same names, which now resolve to private addresses */
  strings_make(&w);
  IS(&w, "privateSrv", "db+srv://main-" HASH ".db.local");
  IS(&w, "private", strings_at(&w, "standard"));
  /* a provider other than AWS is named in the host names */
  w.reach.body = svc_json_parse(&w.arena, svc_str_c(CLUSTER("REPLICASET", REGION("AZURE", "US_EAST"))));
  strings_make(&w);
  IS(&w, "standardSrv", "db+srv://main-" HASH ".azure.db.local");
  w.reach.first = true; /* unless the cluster was made on AWS */
  strings_make(&w);
  IS(&w, "standardSrv", "db+srv://main-" HASH ".db.local");
  strings_end(&w);
}

/* A cluster from before November 2020 keeps its strings when it leaves the first provider; one that was made on another may change them. */
TEST(cluster_connection, provider_changes)
{
  static const char *const from[] = { "AWS", "GCP" }, *const to[] = { "GCP", "AWS" }, *const regions[] = { "US_EAST_1", "CENTRAL_US" };
  svc_config config = { .limiter_off = 1, .manual_clock = INT64_C(1590969600000), .provision_ms = SVC_PROVISION_NOW }; /* 2020-06-01 */
  char body[512], before[512];
  const char *group;
  t_service t;
  int i;
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < 2; i++) {
    const char *region[] = { regions[i], regions[!i] };
    snprintf(body, sizeof body, "{\"name\":\"c%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"%s\","
             "\"regionName\":\"%s\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", i, from[i], region[0]);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusters", group), ==, 201);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c%d", group, i), ==, 200);
    snprintf(before, sizeof before, "%s", t_str(&t, "connectionStrings.standardSrv"));
    snprintf(body, sizeof body, "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"%s\","
             "\"regionName\":\"%s\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", to[i], region[1]);
    munit_assert_int(t_sendf(&t, "PATCH", body, "/groups/%s/clusters/c%d", group, i), ==, 200);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c%d", group, i), ==, 200);
    if (i == 0) munit_assert_string_equal(t_str(&t, "connectionStrings.standardSrv"), before);
    else munit_assert_string_not_equal(t_str(&t, "connectionStrings.standardSrv"), before);
  }
  munit_assert_size(store_whole(t.s), ==, 1);
  t_close(&t);
}
