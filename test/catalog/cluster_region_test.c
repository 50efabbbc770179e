/*
** The list of the providers' regions and instance sizes. A cluster in any listed region is valid.
*/
#include "support.h"

TEST_SERVICE(cluster_region, list)
{
  const svc_node *item, *region;
  const char *group;
  size_t usual = 0;
  group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(t, "results[0].provider"), "AWS");
  munit_assert_string_equal(t_str(t, "results[0].instanceSizes[0].name"), "M0");
  munit_assert_string_equal(t_str(t, "results[2].provider"), "GCP");
  munit_assert_not_null(strstr(t_str(t, "results[0].links[0].href"), "/clusters/provider/regions"));
  for (item = t_node(t, "results")->first; item; item = item->next)
    for (region = svc_node_get(svc_node_get(item, "instanceSizes")->first, "availableRegions")->first; region; region = region->next)
      usual += svc_node_bool(region, "default", false);
  munit_assert_size(usual, ==, 3); /* each provider has one default region */

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?providers=GCP&providers=AWS&tier=M10", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_size(t_count(t, "results[0].instanceSizes"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[1].instanceSizes[0].name"), "M10");
  /* only one provider has this size */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?tier=M90", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].provider"), "AZURE");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?tier=XL", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?pageNum=2&itemsPerPage=2", group), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?providers=IBM", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider", group), ==, 404); /* read as the cluster "provider" */
  munit_assert_string_equal(t_error(t), "CLUSTER_NOT_FOUND");
}

/* Writes the body of a cluster, which needs a name to be put before it. M0, M2 and M5 are shared tiers. */
static const char *region_cluster(const svc_node *provider, const svc_node *size, const svc_node *region)
{
  static char body[512];
  svc_str cloud = svc_node_str(provider, "provider"), tier = svc_node_str(size, "name"), name = svc_node_str(region, "name");
  bool shared = svc_str_is(tier, "M0") || svc_str_is(tier, "M2") || svc_str_is(tier, "M5");
  snprintf(body, sizeof body, "\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{%s\"" SVC_FMT "\",\"regionName\":\"" SVC_FMT
           "\",\"electableSpecs\":{\"instanceSize\":\"" SVC_FMT "\"}}]}]}",
           shared ? "\"providerName\":\"TENANT\",\"backingProviderName\":" : "\"providerName\":", SVC_ARG(cloud), SVC_ARG(name), SVC_ARG(tier));
  return body;
}

/* The validation of configurations accepts a cluster of each listed size in every region of the size, except M2, which is no longer
** offered. A cluster can be created in every region. */
TEST_SERVICE(cluster_region, taken)
{
  static char offered[1 << 20];
  const svc_node *item, *size, *region;
  const char *group;
  char body[640];
  size_t made = 0;
  svc_arena arena;
  svc_arena_init(&arena, NULL);
  group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions", group), ==, 200);
  munit_assert_size(t->response.body_length, <, sizeof offered);
  snprintf(offered, sizeof offered, "%s", t->response.body);
  item = svc_node_get(svc_json_parse(&arena, svc_str_c(offered)), "results")->first;
  for (; item; item = item->next)
    for (size = svc_node_get(item, "instanceSizes")->first; size; size = size->next)
      for (region = svc_node_get(size, "availableRegions")->first; region; region = region->next) {
        snprintf(body, sizeof body, "{\"editing\":false,\"clusterDescription\":{\"name\":\"C\",%s}", region_cluster(item, size, region));
        munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/clusterConfigurations:validate", group), ==, 200);
        if (strcmp(t_str(t, "valid"), svc_node_is(size, "name", "M2") ? "false" : "true") != 0) munit_errorf("%s: %s", body, t->response.body);
        if (!svc_node_is(size, "name", "M10")) continue;
        snprintf(body, sizeof body, "{\"name\":\"C\",%s", region_cluster(item, size, region));
        if (t_sendf(t, "POST", body, "/groups/%s/clusters", group) != 201) munit_errorf("%s: %s", body, t->response.body);
        munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/clusters/C", group), ==, 202);
        t_advance(t, 3600);
        made++;
      }
  munit_assert_size(made, >, 50);
  svc_blocks_free(arena.blocks);
}
