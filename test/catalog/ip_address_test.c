/*
** IP addresses of a project's clusters: derived from the names of simulated hosts, or reported by a driver.
*/
#include "driver.h"
#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1 };

#define IP_SHARD "{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}"

TEST(ip_address, simulated)
{
  const char *group, *first;
  t_service t;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "groupId"), group);
  munit_assert_size(t_count(&t, "services.clusters"), ==, 0);
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Other", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}",
                           "/groups/%s/flexClusters", group), ==, 201);
  t_advance(&t, 60);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_size(t_count(&t, "services.clusters"), ==, 3);
  munit_assert_string_equal(t_str(&t, "services.clusters[0].clusterName"), "Main");
  munit_assert_size(t_count(&t, "services.clusters[0].inbound"), ==, 3); /* each node has an address */
  munit_assert_size(t_count(&t, "services.clusters[0].outbound"), ==, 3);
  munit_assert_null(t_node(&t, "services.clusters[0].futureInbound")); /* no address is planned */
  munit_assert_null(t_node(&t, "services.clusters[0].futureOutbound"));
  munit_assert_string_equal(t_str(&t, "services.clusters[2].clusterName"), "Flex");
  munit_assert_size(t_count(&t, "services.clusters[2].inbound"), >, 0);
  first = t_keep(&t, t_str(&t, "services.clusters[0].inbound[0]"));
  munit_assert_memory_equal(5, first, "198.1");
  munit_assert_string_not_equal(first, t_str(&t, "services.clusters[0].inbound[1]"));
  munit_assert_string_not_equal(first, t_str(&t, "services.clusters[1].inbound[0]"));
  munit_assert_string_equal(first, t_str(&t, "services.clusters[0].outbound[0]"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "services.clusters[0].inbound[0]"), first); /* the addresses are the same each time */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/Main", group), ==, 202);
  t_advance(&t, 60);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_size(t_count(&t, "services.clusters"), ==, 2);
  t_close(&t);
}

/* Each node has an address, and so have three config servers on their own hosts. */
TEST(ip_address, sharded)
{
  static const struct {
    const char *mode;
    size_t addresses;
  } rows[] = { { "FIXED_TO_DEDICATED", 9 }, { "SVC_MANAGED", 6 } };
  char body[700];
  const char *group;
  t_service t;
  size_t i;
  for (i = 0; i < 2; i++) {
    t_open(&t, &quiet);
    group = t_project(&t, t_organization(&t, "Acme"), "alpha");
    snprintf(body, sizeof body, "{\"name\":\"S\",\"clusterType\":\"SHARDED\",\"configServerManagementMode\":\"%s\",\"replicationSpecs\":[" IP_SHARD "," IP_SHARD "]}", rows[i].mode);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusters", group), ==, 201);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
    munit_assert_size(t_count(&t, "services.clusters[0].inbound"), ==, 0); /* the cluster has no hosts yet */
    t_advance(&t, 60);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
    munit_assert_size(t_count(&t, "services.clusters[0].inbound"), ==, rows[i].addresses);
    munit_assert_size(t_count(&t, "services.clusters[0].outbound"), ==, rows[i].addresses);
    t_close(&t);
  }
}

/* A driver's hosts: two named by addresses, one of each family, and one by a host name. */
TEST(ip_address, driven)
{
  t_driver d;
  svc_config config = quiet;
  const char *group;
  t_service t;
  config.driver = t_driver_init(&d);
  t_driver_does(&d, "", "{\"hosts\":[\"203.0.113.9:27017\",\"[2001:DB8::1]:27017\",\"db.example.com:27017\"]}");
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_size(t_count(&t, "services.clusters[0].inbound"), ==, 0); /* the cluster has no hosts yet */
  munit_assert_int(svc_tick(t.s), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
  munit_assert_size(t_count(&t, "services.clusters[0].inbound"), ==, 2); /* the host name has no known address */
  munit_assert_string_equal(t_str(&t, "services.clusters[0].inbound[0]"), "203.0.113.9");
  munit_assert_string_equal(t_str(&t, "services.clusters[0].inbound[1]"), "2001:db8::1");
  t_close(&t);
}

/* Hosts as drivers name them: with and without port, duplicates, several on one address; and the ids of their processes. */
TEST(ip_address, hosts)
{
  static const struct {
    const char *facts, *addresses, *process; /* addresses: each followed by a space; process: the id of the first one */
  } rows[] = {
    { "{\"hosts\":[\"203.0.113.9:27017\",\"203.0.113.9:27018\"]}", "203.0.113.9 ", "203.0.113.9:27017" },
    { "{\"hosts\":[\"db.example.com\"]}", "", "db.example.com:27017" },
    { "{\"hosts\":[\"203.0.113.9\"]}", "203.0.113.9 ", "203.0.113.9:27017" },
    { "{\"hosts\":[\"[2001:db8::1]:27020\",\"[2001:db8::2]:27017\"]}", "2001:db8::1 2001:db8::2 ", "[2001:db8::1]:27020" },
    { "{\"hosts\":[]}", "", "" },
  };
  t_driver d;
  svc_config config = quiet;
  const char *group;
  char got[256], place[64];
  t_service t;
  size_t i, k;
  config.driver = t_driver_init(&d);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_driver_does(&d, "", rows[i].facts);
    t_open(&t, &config);
    group = t_project(&t, t_organization(&t, "Acme"), "alpha");
    munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/ipAddresses", group), ==, 200);
    got[0] = 0;
    for (k = 0; k < t_count(&t, "services.clusters[0].inbound"); k++) {
      snprintf(place, sizeof place, "services.clusters[0].inbound[%zu]", k);
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s ", t_str(&t, place));
    }
    munit_assert_string_equal(got, rows[i].addresses);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/processes", group), ==, 200);
    munit_assert_string_equal(t_str(&t, "results[0].id"), rows[i].process);
    t_close(&t);
  }
}
