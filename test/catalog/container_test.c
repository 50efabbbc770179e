/*
** Network containers: their address blocks, and the peerings and clusters that create and use them.
*/
#include "damaged.h"
#include "mechanism/probe.h"
#include "needs.h"
#include "network_world.h"

T_NEEDS(container) = {
  T_TARGET("network container", "/groups/{groupId}/containers", NULL, NULL, "id", "/groups/%G/containers/%V"),
  T_NEEDS_END
};

#define AWS_IN(region, block) "{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"svcCidrBlock\":\"" block "\"}"
#define AZURE_IN(region, block) "{\"providerName\":\"AZURE\",\"region\":\"" region "\",\"svcCidrBlock\":\"" block "\"}"
#define GCP_WITH(block) "{\"providerName\":\"GCP\",\"svcCidrBlock\":\"" block "\"}"

/* The blocks that each provider accepts. */
TEST(container, blocks)
{
  static const struct {
    const char *body, *code; /* NULL: accepted */
  } rows[] = {
    { AWS_IN("US_EAST_1", "10.8.0.0/21"), NULL },
    { AWS_IN("US_EAST_1", "172.16.0.0/24"), NULL },
    { AWS_IN("US_EAST_1", "192.168.255.0/24"), NULL },
    { AZURE_IN("US_EAST", "172.31.248.0/21"), NULL },
    { GCP_WITH("10.0.0.0/8"), NULL },
    { GCP_WITH("192.168.64.0/18"), NULL },
    { AWS_IN("US_EAST_1", "10.8.0.0/20"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "10.8.0.0/25"), "INVALID_CIDR_RANGE" },
    { AZURE_IN("US_EAST", "10.8.0.0/20"), "INVALID_CIDR_RANGE" },
    { GCP_WITH("10.8.0.0/19"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "11.0.0.0/21"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "172.32.0.0/21"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "192.169.0.0/21"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "0.0.0.0/21"), "INVALID_CIDR_RANGE" },
    { GCP_WITH("0.0.0.0/0"), "INVALID_CIDR_RANGE" },
    { AWS_IN("US_EAST_1", "10.8.1.0/21"), "NON_CANONICAL_CIDR_BLOCK" },
    { AWS_IN("US_EAST_1", "10.8.0.0"), "INVALID_CIDR_BLOCK" },
    { AWS_IN("US_EAST_1", "10.8.0/21"), "INVALID_CIDR_BLOCK" },
    { AWS_IN("US_EAST_1", "10.8.0.0/33"), "INVALID_CIDR_BLOCK" },
    { AWS_IN("US_EAST_1", "fd00::/21"), "INVALID_CIDR_BLOCK" },
    { AWS_IN("US_EAST_1", "office"), "INVALID_CIDR_BLOCK" },
  };
  n_world w;
  size_t i;
  n_open(&w, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].code) {
      n_bad(&w, "POST", "/containers", rows[i].body, NULL, 400, rows[i].code);
      munit_assert_true(t_violation(&w.t, "svcCidrBlock"));
      continue;
    }
    n_good(&w, "POST", "/containers", rows[i].body, NULL, 201);
    n_good(&w, "DELETE", n_at(&w, "/containers", t_str(&w.t, "id")), NULL, NULL, 204);
  }
  n_bad(&w, "POST", "/containers", AWS_IN("US_EAST_1", "10.8.1.0/21"), NULL, 400, "NON_CANONICAL_CIDR_BLOCK");
  munit_assert_string_equal(t_param(&w.t, 1), "10.8.0.0/21"); /* the canonical form */
  n_bad_field(&w, "POST", "/containers", "{\"providerName\":\"AWS\"}", NULL, "regionName");
  n_bad_field(&w, "POST", "/containers", "{\"providerName\":\"AZURE\"}", NULL, "region");
  n_bad_field(&w, "POST", "/containers", "{\"providerName\":\"TENANT\"}", NULL, "providerName");
  n_bad_field(&w, "POST", "/containers", "{\"providerName\":\"GCP\",\"regionName\":\"WESTERN_US\"}", NULL, "regionName");
  n_bad_field(&w, "POST", "/containers", "{\"providerName\":\"GCP\",\"regions\":[\"NOWHERE\"]}", NULL, "regions[0]");
  t_close(&w.t);
}

/* Each region has one container, and no two blocks overlap, even at different providers. */
TEST(container, alone)
{
  n_world w;
  const char *id, *at;
  n_open(&w, NULL);
  id = n_make(&w, "/containers", AWS_IN("US_EAST_1", "10.8.0.0/21"), NULL, 201);
  at = n_at(&w, "/containers", id);
  munit_assert_string_equal(t_str(&w.t, "provisioned"), "false");
  munit_assert_string_equal(t_str(&w.t, "vpcId"), "");
  n_bad(&w, "POST", "/containers", AWS_IN("US_EAST_1", "10.16.0.0/21"), NULL, 409, "CONTAINER_ALREADY_EXISTS");
  n_bad(&w, "POST", "/containers", AWS_IN("US_WEST_1", "10.8.0.0/21"), NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  n_bad(&w, "POST", "/containers", AWS_IN("US_WEST_1", "10.8.4.0/22"), NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  n_bad(&w, "POST", "/containers", AZURE_IN("US_EAST", "10.8.7.0/24"), NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  n_bad(&w, "POST", "/containers", GCP_WITH("10.0.0.0/12"), NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  munit_assert_string_equal(t_param(&w.t, 0), "10.0.0.0/12");
  n_good(&w, "POST", "/containers", AWS_IN("US_WEST_1", "10.8.8.0/21"), NULL, 201);
  n_good(&w, "POST", "/containers", GCP_WITH("172.16.0.0/18"), NULL, 201);
  n_bad(&w, "POST", "/containers", GCP_WITH("172.16.64.0/18"), NULL, 409, "CONTAINER_ALREADY_EXISTS");

  n_good(&w, "PATCH", at, "{\"svcCidrBlock\":\"10.8.0.0/22\"}", NULL, 200); /* within its previous block */
  n_bad(&w, "PATCH", at, "{\"svcCidrBlock\":\"10.8.12.0/22\"}", NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  n_bad(&w, "PATCH", at, "{\"svcCidrBlock\":\"10.8.0.0/8\"}", NULL, 400, "NON_CANONICAL_CIDR_BLOCK");
  n_bad_field(&w, "PATCH", at, "{\"regionName\":\"EU_WEST_1\"}", NULL, "regionName");
  n_bad_field(&w, "PATCH", at, "{\"provisioned\":true}", NULL, "provisioned");
  munit_assert_int64(n_events(&w, "CONTAINER_SUBNETS_UPDATE_REQUESTED"), ==, 4);
  n_good(&w, "DELETE", at, NULL, NULL, 204);
  munit_assert_int64(n_events(&w, "CONTAINER_DELETED"), ==, 1);
  n_bad(&w, "GET", at, NULL, NULL, 404, "CLOUD_PROVIDER_CONTAINER_NOT_FOUND");
  t_close(&w.t);
}

TEST(container, lists)
{
  n_world w;
  n_open(&w, NULL);
  n_make(&w, "/containers", AWS_IN("US_EAST_1", "10.8.0.0/21"), NULL, 201);
  n_make(&w, "/containers", AZURE_IN("US_EAST", "10.9.0.0/21"), NULL, 201);
  n_make(&w, "/containers", AZURE_IN("US_WEST", "10.10.0.0/21"), NULL, 201);
  n_make(&w, "/containers", GCP_WITH("172.16.0.0/18"), NULL, 201);
  munit_assert_string_equal(n_get(&w, "/containers", "totalCount"), "1"); /* the default: containers of AWS */
  munit_assert_string_equal(t_str(&w.t, "results[0].regionName"), "US_EAST_1");
  munit_assert_string_equal(n_get(&w, "/containers?providerName=AZURE", "totalCount"), "2");
  munit_assert_string_equal(n_get(&w, "/containers?providerName=GCP", "totalCount"), "1");
  munit_assert_string_equal(n_get(&w, "/containers/all", "totalCount"), "4");
  n_good(&w, "GET", "/containers?providerName=IBM", NULL, NULL, 400);
  n_good(&w, "GET", "/containers/all?providerName=AWS", NULL, NULL, 400);
  n_good(&w, "GET", "/containers/5f5f5f5f5f5f5f5f5f5f5f5f", NULL, NULL, 404);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202); /* the containers are deleted, too */
  store_whole(w.t.s);
  t_close(&w.t);
}

/* Returns the number of all events of containers. */
static size_t container_events(n_world *w)
{
  const svc_node *event;
  size_t n = 0;
  n_good(w, "GET", "/events?itemsPerPage=500", NULL, NULL, 200);
  for (event = t_node(&w->t, "results")->first; event; event = event->next)
    n += svc_str_starts(svc_node_str(event, "eventTypeName"), "CONTAINER_");
  return n;
}

/* A cluster creates the containers of its regions, with free addresses and without an event. Such a container cannot be deleted while the
** cluster is in its region. */
TEST(container, of_clusters)
{
  n_world w;
  const char *east, *azure, *own;
  n_open(&w, NULL);
  own = n_make(&w, "/containers", AWS_IN("EU_WEST_1", "192.168.248.0/21"), NULL, 201); /* the block that would be assigned first */
  n_good(&w, "POST", "/clusters",
         N_CLUSTER("Main", "REPLICASET", N_REGION("AWS", "US_EAST_1", 7) "," N_REGION("AZURE", "US_EAST", 6) "," N_REGION(
                     "GCP", "WESTERN_US", 5)), NULL, 400); /* nine electable nodes */
  munit_assert_string_equal(n_get(&w, "/containers/all", "totalCount"), "1");
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  munit_assert_string_equal(n_get(&w, "/containers", "totalCount"), "2");
  munit_assert_string_equal(t_str(&w.t, "results[0].provisioned"), "false");
  munit_assert_string_equal(t_str(&w.t, "results[1].provisioned"), "true");
  munit_assert_string_equal(t_str(&w.t, "results[1].regionName"), "US_EAST_1");
  munit_assert_string_equal(t_str(&w.t, "results[1].svcCidrBlock"), "192.168.240.0/21");
  munit_assert_int(strncmp(t_str(&w.t, "results[1].vpcId"), "vpc-", 4), ==, 0);
  east = t_keep(&w.t, t_str(&w.t, "results[1].id"));
  n_good(&w, "POST", "/clusters", N_CLUSTER("Blue", "REPLICASET", N_REGION("AZURE", "US_EAST", 7)), NULL, 201);
  azure = n_container(&w, "AZURE");
  munit_assert_string_equal(t_str(&w.t, "results[0].svcCidrBlock"), "192.168.232.0/21");
  munit_assert_string_not_equal(t_str(&w.t, "results[0].vnetName"), "");
  n_good(&w, "POST", "/clusters", N_CLUSTER("Green", "REPLICASET", N_REGION("GCP", "WESTERN_US", 7)), NULL, 201);
  n_container(&w, "GCP");
  munit_assert_string_equal(t_str(&w.t, "results[0].svcCidrBlock"), "192.168.128.0/18");
  munit_assert_size(container_events(&w), ==, 1); /* the event of the POST: three clusters have created three containers */

  n_bad(&w, "DELETE", n_at(&w, "/containers", east), NULL, NULL, 409, "CONTAINERS_IN_USE");
  N_SAYS(&w, "cluster Main");
  n_bad(&w, "PATCH", n_at(&w, "/containers", east), "{\"svcCidrBlock\":\"10.0.0.0/21\"}", NULL, 409, "CONTAINERS_IN_USE");
  n_good(&w, "PATCH", n_at(&w, "/containers", own), "{\"svcCidrBlock\":\"10.0.0.0/21\"}", NULL, 200);
  n_good(&w, "POST", "/clusters", N_AWS("Second"), NULL, 201); /* the second cluster uses the same container */
  munit_assert_string_equal(n_get(&w, "/containers", "totalCount"), "2");
  n_good(&w, "DELETE", "/clusters/Main", NULL, NULL, 202);
  t_advance(&w.t, 3600);
  n_bad(&w, "DELETE", n_at(&w, "/containers", east), NULL, NULL, 409, "CONTAINERS_IN_USE");
  N_SAYS(&w, "cluster Second");
  munit_assert_string_equal(n_get(&w, n_at(&w, "/containers", east), "provisioned"), "true"); /* for the remaining cluster */

  n_good(&w, "PATCH", "/clusters/Second", "{\"replicationSpecs\":[{\"regionConfigs\":[" N_REGION("AWS", "EU_WEST_1", 7) "]}]}",
         NULL, 200); /* the cluster moves: the container `own` is used, `east` is not */
  munit_assert_string_equal(n_get(&w, n_at(&w, "/containers", east), "provisioned"), "false");
  munit_assert_string_equal(t_str(&w.t, "vpcId"), "");
  munit_assert_string_equal(n_get(&w, n_at(&w, "/containers", own), "provisioned"), "true");
  munit_assert_size(container_events(&w), ==, 2); /* the events of the POST and the PATCH */
  n_good(&w, "DELETE", n_at(&w, "/containers", east), NULL, NULL, 204);
  n_good(&w, "DELETE", "/clusters/Blue", NULL, NULL, 202);
  n_bad(&w, "DELETE", n_at(&w, "/containers", azure), NULL, NULL, 409, "CONTAINERS_IN_USE"); /* the cluster is still in deletion */
  t_advance(&w.t, 3600);
  n_good(&w, "DELETE", n_at(&w, "/containers", azure), NULL, NULL, 204);
  store_whole(w.t.s);
  t_close(&w.t);
}

/* If the first range is taken, assigned blocks come from the next one. */
TEST(container, given)
{
  static const char *const blocks[] = { "172.31.248.0/21", "172.31.240.0/21", "172.31.232.0/21" };
  static const char *const bodies[] = { "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}", "{\"providerName\":\"AZURE\",\"region\":\"US_EAST\"}",
                                        "{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\"}" };
  n_world w;
  size_t i;
  n_open(&w, NULL);
  n_good(&w, "POST", "/containers", GCP_WITH("192.168.0.0/16"), NULL, 201);
  for (i = 0; i < 3; i++) {
    n_good(&w, "POST", "/containers", bodies[i], NULL, 201);
    munit_assert_string_equal(t_str(&w.t, "svcCidrBlock"), blocks[i]);
  }
  store_whole(w.t.s);
  t_close(&w.t);
}

/* A damaged container that covers all addresses leaves none for others: the request is refused, and the search ends. */
TEST(container, none_left)
{
  n_world w;
  n_open(&w, NULL);
  n_good(&w, "POST", "/containers", GCP_WITH("10.0.0.0/8"), NULL, 201);
  damaged_body(&w.t, "network container", w.group, NULL, "10.0.0.0/8", "10.0.0.0/0");
  n_bad(&w, "POST", "/containers", "{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\"}", NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  t_close(&w.t);
}

/* Shared tiers are in no container. */
TEST(container, of_shared_tiers)
{
  n_world w;
  n_open(&w, NULL);
  n_good(&w, "POST", "/clusters",
         "{\"name\":\"Free\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\","
         "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}",
         NULL, 201);
  munit_assert_string_equal(n_get(&w, "/containers/all", "totalCount"), "0");
  t_close(&w.t);
}

/* A container of GCP with a list of regions keeps clusters out of other regions. */
TEST(container, regions)
{
  n_world w;
  const char *at;
  n_open(&w, NULL);
  at = n_at(&w, "/containers", n_make(&w, "/containers", "{\"providerName\":\"GCP\",\"regions\":[\"WESTERN_US\"]}", NULL, 201));
  munit_assert_string_equal(t_str(&w.t, "svcCidrBlock"), "192.168.192.0/18");
  n_bad_field(&w, "POST", "/clusters", N_CLUSTER("Main", "REPLICASET", N_REGION("GCP", "CENTRAL_US", 7)), NULL,
              "replicationSpecs[0].regionConfigs[0].regionName");
  n_good(&w, "PATCH", at, "{\"regions\":[\"CENTRAL_US\"]}", NULL, 200);
  n_good(&w, "POST", "/clusters", N_CLUSTER("Main", "REPLICASET", N_REGION("GCP", "CENTRAL_US", 7)), NULL, 201);
  n_bad(&w, "PATCH", at, "{\"regions\":[\"WESTERN_US\"]}", NULL, 409, "CONTAINERS_IN_USE");
  munit_assert_string_equal(n_get(&w, at, "provisioned"), "true");
  n_good(&w, "POST", "/clusters", N_AWS("Other"), NULL, 201); /* another provider: the container does not matter */
  t_close(&w.t);
}
