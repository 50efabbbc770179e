/*
** Connection strings that follow the networks: operations add each kind of string, and remove it again.
**
** Tests also: custom_dns
*/
#include "network_world.h"

#define NEW "/privateEndpoint/endpointService"
#define VPCE(n) "vpce-0123456789abcdef" #n
#define STRINGS "connectionStrings."
#define FIRST STRINGS "privateEndpoint[0]."
#define SECOND STRINGS "privateEndpoint[1]."
#define TWO_REGIONS(type) \
  "{\"name\":\"Main\",\"clusterType\":\"" type "\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":2}},{\"providerName\":" \
  "\"AWS\",\"regionName\":\"US_WEST_1\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1}}]}]}"

/* Checks that the string exists and contains this part. With part NULL the string must not exist. */
static void reach_has(n_world *w, const char *cluster, const char *field, const char *part)
{
  const char *text = n_get(w, n_at(w, "/clusters", cluster), field);
  if (part ? !strstr(text, part) : text[0] != 0) munit_errorf("%s of %s is %s, not %s", field, cluster, text, part ? part : "left out");
}

static const char *reach_service(n_world *w, const char *region)
{
  char body[128], path[256];
  snprintf(body, sizeof body, "{\"providerName\":\"AWS\",\"region\":\"%s\"}", region);
  snprintf(path, sizeof path, "/privateEndpoint/AWS/endpointService/%s/endpoint", n_make(w, NEW, body, NULL, 201));
  return t_keep(&w->t, path);
}

static const char *reach_endpoint(n_world *w, const char *below, const char *id)
{
  n_good(w, "POST", below, "{\"id\":\"%s\"}", id, 202);
  return n_at(w, below, id);
}

TEST(network_reach, standard)
{
  n_world w;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  t_advance(&w.t, 10);
  reach_has(&w, "Main", STRINGS "standard", "-shard-00-00.");
  reach_has(&w, "Main", STRINGS "standard", ":27017");
  reach_has(&w, "Main", STRINGS "standardSrv", "+srv://");
  reach_has(&w, "Main", STRINGS "private", NULL);
  n_good(&w, "DELETE", "/clusters/Main", NULL, NULL, 202);
  t_advance(&w.t, 60);
  n_good(&w, "GET", "/clusters/Main", NULL, NULL, 404);
  t_close(&w.t);
}

/* A peering connection at AZURE or GCP adds private strings to the clusters of its network. */
TEST(network_reach, peering)
{
  static const struct {
    const char *provider, *cluster, *elsewhere, *peer;
  } rows[] = {
    { "AZURE", N_CLUSTER("Main", "REPLICASET", N_REGION("AZURE", "US_EAST", 7)),
      N_CLUSTER("Far", "REPLICASET", N_REGION("AZURE", "US_WEST", 7)), N_PEER_AZURE("net") },
    { "GCP", N_CLUSTER("Main", "REPLICASET", N_REGION("GCP", "WESTERN_US", 7)), N_AWS("Far"), N_PEER_GCP("net") },
  };
  size_t i;
  for (i = 0; i < 2; i++) {
    n_world w;
    const char *at, *far;
    n_open(&w, NULL);
    n_good(&w, "POST", "/clusters", rows[i].cluster, NULL, 201);
    at = n_container(&w, rows[i].provider);
    n_good(&w, "POST", "/clusters", rows[i].elsewhere, NULL, 201);
    t_advance(&w.t, 60);
    n_good(&w, "GET", "/clusters/Far", NULL, NULL, 200);
    far = t_keep(&w.t, t_get_header(&w.t, "ETag"));
    at = n_at(&w, "/peers", n_make(&w, "/peers", rows[i].peer, at, 202));
    reach_has(&w, "Main", STRINGS "private", NULL); /* only after the connection is available */
    t_advance(&w.t, 60);
    reach_has(&w, "Main", STRINGS "private", "-shard-00-00-pri.");
    reach_has(&w, "Main", STRINGS "privateSrv", "-pri.");
    reach_has(&w, "Far", STRINGS "private", NULL); /* a cluster in another network stays unchanged */
    munit_assert_string_equal(t_get_header(&w.t, "ETag"), far);
    n_good(&w, "POST", "/clusters", i ? N_CLUSTER("Late", "REPLICASET", N_REGION("GCP", "CENTRAL_US", 7))
                                      : N_CLUSTER("Late", "REPLICASET", N_REGION("AZURE", "US_EAST", 7)), NULL, 201);
    t_advance(&w.t, 10);
    reach_has(&w, "Late", STRINGS "privateSrv", "-pri."); /* a later cluster has the string from the start */
    munit_assert_int64(n_events(&w, "CLUSTER_UPDATE_STARTED"), ==, 0); /* the clusters themselves were not updated */
    n_good(&w, "DELETE", at, NULL, NULL, 202);
    reach_has(&w, "Main", STRINGS "private", NULL); /* the string is removed at once */
    reach_has(&w, "Late", STRINGS "privateSrv", NULL);
    t_advance(&w.t, 60);
    n_good(&w, "GET", at, NULL, NULL, 404);
    reach_has(&w, "Main", STRINGS "privateSrv", NULL);
    t_close(&w.t);
  }
}

/* At AWS, private strings exist while custom DNS is enabled and a peering connection is available. */
TEST(network_reach, custom_dns)
{
  n_world w;
  const char *at;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("10.0.0.0/24", N_VPC_A), n_container(&w, "AWS"), 202));
  t_advance(&w.t, 60);
  reach_has(&w, "Main", STRINGS "private", NULL); /* at AWS the public name resolves to private addresses */
  n_good(&w, "PATCH", "/providerCustomDNS", "{\"enabled\":true}", NULL, 202);
  reach_has(&w, "Main", STRINGS "private", "-shard-00-00-pri.");
  n_good(&w, "PATCH", "/providerCustomDNS", "{\"enabled\":false}", NULL, 202);
  reach_has(&w, "Main", STRINGS "private", NULL);
  n_good(&w, "PATCH", "/providerCustomDNS", "{\"enabled\":true}", NULL, 202);
  reach_has(&w, "Main", STRINGS "privateSrv", "-pri.");
  n_good(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_B "\"}", NULL, 200); /* the connection is created again */
  reach_has(&w, "Main", STRINGS "privateSrv", NULL);
  t_advance(&w.t, 60);
  reach_has(&w, "Main", STRINGS "privateSrv", "-pri.");
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  t_advance(&w.t, 60);
  reach_has(&w, "Main", STRINGS "private", NULL);
  t_close(&w.t);
}

TEST(network_reach, endpoints)
{
  n_world w;
  const char *below, *one, *two;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  below = reach_service(&w, "US_EAST_1");
  one = reach_endpoint(&w, below, VPCE(0));
  reach_has(&w, "Main", FIRST "connectionString", NULL);
  t_advance(&w.t, 60);
  reach_has(&w, "Main", FIRST "connectionString", "://pl-0-us-east-1.");
  reach_has(&w, "Main", FIRST "connectionString", ":1024");
  reach_has(&w, "Main", FIRST "srvConnectionString", "+srv://pl-0-us-east-1.");
  reach_has(&w, "Main", FIRST "type", "DBD");
  reach_has(&w, "Main", FIRST "srvShardOptimizedConnectionString", NULL);
  reach_has(&w, "Main", FIRST "endpoints[0].endpointId", VPCE(0));
  reach_has(&w, "Main", STRINGS "awsPrivateLink." VPCE(0), "://pl-0-us-east-1.");
  reach_has(&w, "Main", STRINGS "awsPrivateLinkSrv." VPCE(0), "+srv://pl-0-us-east-1.");
  two = reach_endpoint(&w, below, VPCE(1)); /* a second endpoint has the same names */
  t_advance(&w.t, 60);
  reach_has(&w, "Main", FIRST "endpoints[1].endpointId", VPCE(1));
  reach_has(&w, "Main", SECOND "connectionString", NULL);
  n_good(&w, "DELETE", one, NULL, NULL, 204);
  reach_has(&w, "Main", FIRST "endpoints[0].endpointId", VPCE(1));
  reach_has(&w, "Main", STRINGS "awsPrivateLink." VPCE(0), NULL);
  n_good(&w, "DELETE", two, NULL, NULL, 204);
  reach_has(&w, "Main", FIRST "connectionString", NULL);
  reach_has(&w, "Main", STRINGS "awsPrivateLink." VPCE(1), NULL);
  t_advance(&w.t, 60);
  n_good(&w, "GET", "/clusters/Main", NULL, NULL, 200);
  munit_assert_size(t_count(&w.t, "connectionStrings"), ==, 4); /* as at the start: two strings, two empty lists */
  munit_assert_size(t_count(&w.t, "connectionStrings.privateEndpoint"), ==, 0);
  t_close(&w.t);
}

/* Each region has its own strings, or one string serves all regions. */
TEST(network_reach, regionalized)
{
  n_world w;
  const char *west;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", TWO_REGIONS("REPLICASET"), NULL, 201);
  reach_endpoint(&w, reach_service(&w, "US_EAST_1"), VPCE(0));
  west = reach_endpoint(&w, reach_service(&w, "US_WEST_1"), VPCE(1));
  t_advance(&w.t, 60);
  reach_has(&w, "Main", FIRST "srvConnectionString", "+srv://pl-0-us-east-1.");
  reach_has(&w, "Main", FIRST "endpoints[1].region", "US_WEST_1");
  reach_has(&w, "Main", SECOND "srvConnectionString", NULL);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  reach_has(&w, "Main", FIRST "connectionString", "://pl-0-us-east-1.");
  reach_has(&w, "Main", FIRST "srvConnectionString", "+srv://main-pl-0-us-east-1.");
  reach_has(&w, "Main", SECOND "connectionString", "://pl-0-us-west-1.");
  reach_has(&w, "Main", SECOND "srvConnectionString", "+srv://main-pl-0-us-west-1.");
  reach_has(&w, "Main", FIRST "endpoints[1].region", NULL);
  n_good(&w, "DELETE", west, NULL, NULL, 204);
  reach_has(&w, "Main", SECOND "srvConnectionString", NULL);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202);
  reach_has(&w, "Main", FIRST "srvConnectionString", "+srv://pl-0-us-east-1.");
  t_close(&w.t);
}

/* Shard-optimized strings exist for sharded clusters. With several regions they need the regional mode. */
TEST(network_reach, optimized)
{
  n_world w;
  const char *at;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", N_CLUSTER("Main", "SHARDED", N_REGION("AWS", "US_EAST_1", 7)), NULL, 201);
  at = reach_endpoint(&w, reach_service(&w, "US_EAST_1"), VPCE(0));
  t_advance(&w.t, 60);
  reach_has(&w, "Main", FIRST "type", "DBS");
  reach_has(&w, "Main", FIRST "srvShardOptimizedConnectionString", "+srv://pl-0-lb-us-east-1.");
  n_good(&w, "PATCH", "/clusters/Main",
         "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
         "\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":2}},{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_1\","
         "\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1}}]}]}", NULL, 200);
  t_advance(&w.t, 60);
  reach_has(&w, "Main", FIRST "srvShardOptimizedConnectionString", NULL);
  reach_has(&w, "Main", FIRST "srvConnectionString", "+srv://pl-0-us-east-1.");
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  reach_has(&w, "Main", FIRST "srvShardOptimizedConnectionString", "+srv://main-pl-0-lb-us-east-1.");
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202);
  reach_has(&w, "Main", FIRST "srvShardOptimizedConnectionString", NULL);
  n_good(&w, "DELETE", at, NULL, NULL, 204);
  reach_has(&w, "Main", FIRST "srvConnectionString", NULL);
  t_close(&w.t);
}

/* Clusters that were created before 2020-11-03 have host names with the cluster's name, and keep them. The service's clock decides. */
TEST(network_reach, legacy)
{
  n_world w;
  const char *at;
  memset(&w, 0, sizeof w);
  t_open(&w.t, NULL);
  w.t.now = svc_day_ms(20201102); /* the last day of such names */
  w.org = t_organization(&w.t, "Acme");
  w.group = t_project(&w.t, w.org, "alpha");
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  n_good(&w, "POST", "/clusters", N_AWS("MAIN"), NULL, 201); /* host names are case-insensitive: MAIN gets other names */
  n_good(&w, "POST", "/clusters", N_CLUSTER("Blue", "REPLICASET", N_REGION("AZURE", "US_EAST", 7)), NULL, 201);
  t_advance(&w.t, 86400);
  n_good(&w, "POST", "/clusters", N_AWS("New"), NULL, 201);
  t_advance(&w.t, 10);
  reach_has(&w, "Main", STRINGS "standard", "://main-shard-00-00-");
  reach_has(&w, "Main", STRINGS "standard", "replicaSet=Main-shard-0");
  reach_has(&w, "Main", STRINGS "standardSrv", "+srv://main-");
  reach_has(&w, "MAIN", STRINGS "standard", "-shard-00-00.");
  reach_has(&w, "New", STRINGS "standard", "-shard-00-00.");
  reach_has(&w, "Blue", STRINGS "standardSrv", ".azure.");
  w.t.now = T_START; /* years later */
  n_good(&w, "PATCH", "/clusters/Main", "{\"replicationSpecs\":[{\"regionConfigs\":[" N_REGION("AWS", "EU_WEST_1", 7) "]}]}", NULL, 200);
  reach_has(&w, "Main", STRINGS "standardSrv", "+srv://main-"); /* unchanged */
  n_good(&w, "GET", "/containers?providerName=AZURE", NULL, NULL, 200);
  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AZURE("net"), t_keep(&w.t, t_str(&w.t, "results[0].id")), 202));
  t_advance(&w.t, 60);
  reach_has(&w, "Blue", STRINGS "private", NULL);
  n_good(&w, "PATCH", "/privateIpMode", "{\"enabled\":true}", NULL, 200); /* the same names now resolve to private addresses */
  reach_has(&w, "Blue", STRINGS "privateSrv", "+srv://blue-");
  reach_has(&w, "Blue", STRINGS "private", "://blue-shard-00-00-");
  n_good(&w, "PATCH", "/privateIpMode", "{\"enabled\":false}", NULL, 200);
  reach_has(&w, "Blue", STRINGS "private", NULL);
  n_good(&w, "PATCH", "/privateIpMode", "{\"enabled\":true}", NULL, 200);
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  reach_has(&w, "Blue", STRINGS "private", NULL);
  t_close(&w.t);
}

/* Collects all connection strings of a cluster. */
static void reach_collect(const svc_node *node, char (*out)[256], size_t *n)
{
  const svc_node *item;
  if (node->type == SVC_J_STRING && svc_str_starts(node->text, "db")) {
    munit_assert_size(*n, <, 512);
    snprintf(out[(*n)++], sizeof out[0], SVC_FMT, SVC_ARG(node->text));
  }
  for (item = node->first; item; item = item->next) reach_collect(item, out, n);
}

/* No two clusters share a string of any kind. Deleting a cluster does not change the strings of the others. */
TEST(network_reach, unique)
{
  static char all[512][256];
  static const char *const names[] = { "One", "Two", "Three", "ONE" };
  n_world w;
  size_t n = 0, before, i, k;
  char body[1024], path[64];
  n_open(&w, NULL);
  for (i = 0; i < 4; i++) {
    snprintf(body, sizeof body, N_CLUSTER("%s", "SHARDED", N_REGION("AWS", "US_EAST_1", 7)), names[i]);
    n_good(&w, "POST", "/clusters", body, NULL, 201);
  }
  reach_endpoint(&w, reach_service(&w, "US_EAST_1"), VPCE(0));
  n_make(&w, "/peers", N_PEER_AWS("10.0.0.0/24", N_VPC_A), n_container(&w, "AWS"), 202);
  n_good(&w, "PATCH", "/providerCustomDNS", "{\"enabled\":true}", NULL, 202);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  t_advance(&w.t, 60);
  for (i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "/clusters/%s", names[i]);
    before = n;
    n_good(&w, "GET", path, NULL, NULL, 200);
    reach_collect(svc_node_get(w.t.body, "connectionStrings"), all, &n);
    munit_assert_size(n - before, ==, 9); /* two public, two private, three of the endpoint, two by its id */
    for (k = 0; k < before; k++) {
      size_t m;
      for (m = before; m < n; m++) munit_assert_string_not_equal(all[k], all[m]);
    }
  }
  n_good(&w, "DELETE", "/clusters/One", NULL, NULL, 202);
  t_advance(&w.t, 60);
  for (i = 1, before = n; i < 4; i++) {
    snprintf(path, sizeof path, "/clusters/%s", names[i]);
    n_good(&w, "GET", path, NULL, NULL, 200);
    reach_collect(svc_node_get(w.t.body, "connectionStrings"), all, &n);
  }
  munit_assert_size(n - before, ==, 27);
  for (k = before; k < n; k++) munit_assert_string_equal(all[k], all[k - 27]);
  reach_has(&w, "Two", FIRST "connectionString", "://pl-3-us-east-1.");
  n_good(&w, "POST", "/clusters", N_AWS("Again"), NULL, 201); /* a free number is assigned again */
  t_advance(&w.t, 10);
  reach_has(&w, "Again", FIRST "connectionString", "://pl-0-us-east-1.");
  t_close(&w.t);
}

/* With the maximum of endpoints a cluster's record stays small. The order of creation does not matter. */
TEST(network_reach, many)
{
  n_world w;
  const char *below;
  char first[65536], id[32], early[65536];
  int i;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters", N_AWS("Early"), NULL, 201);
  n_good(&w, "PATCH", "/limits/svc.project.deployment.privateServiceConnectionsPerRegionGroup", "{\"value\":100}", NULL, 200);
  below = reach_service(&w, "US_EAST_1");
  for (i = 0; i < 100; i++) {
    snprintf(id, sizeof id, "vpce-%017x", (unsigned)i);
    reach_endpoint(&w, below, id);
  }
  t_advance(&w.t, 60);
  n_good(&w, "GET", "/clusters/Early", NULL, NULL, 200);
  munit_assert_size(t_count(&w.t, FIRST "endpoints"), ==, 100);
  munit_assert_size(w.t.response.body_length, <, 48 << 10);
  snprintf(early, sizeof early, "%s", w.t.response.body);
  n_good(&w, "PATCH", "/clusters/Early", early, NULL, 200); /* the body can be sent back */
  snprintf(first, sizeof first, "%s", t_str(&w.t, FIRST "endpoints[99].endpointId"));
  n_good(&w, "POST", "/clusters", N_AWS("Late"), NULL, 201);
  t_advance(&w.t, 10);
  n_good(&w, "GET", "/clusters/Late", NULL, NULL, 200);
  munit_assert_string_equal(t_str(&w.t, FIRST "endpoints[99].endpointId"), first);
  store_whole(w.t.s);
  t_close(&w.t);
}
