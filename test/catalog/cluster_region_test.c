/*
** The list of the providers' regions. A cluster in any listed region is valid.
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

/* The validation of configurations accepts an M10 cluster in every listed region of each provider. */
TEST_SERVICE(cluster_region, taken)
{
  static char offered[1 << 20];
  const svc_node *item, *region;
  const char *group;
  char body[512];
  svc_arena arena;
  svc_arena_init(&arena, NULL);
  group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/provider/regions?tier=M10", group), ==, 200);
  snprintf(offered, sizeof offered, "%s", t->response.body);
  item = svc_node_get(svc_json_parse(&arena, svc_str_c(offered)), "results")->first;
  for (; item; item = item->next)
    for (region = svc_node_get(svc_node_get(item, "instanceSizes")->first, "availableRegions")->first; region; region = region->next) {
      svc_str provider = svc_node_str(item, "provider"), name = svc_node_str(region, "name");
      snprintf(body, sizeof body, "{\"editing\":false,\"clusterDescription\":{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":"
               "[{\"regionConfigs\":[{\"providerName\":\"%.*s\",\"regionName\":\"%.*s\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}}",
               (int)provider.n, provider.p, (int)name.n, name.p);
      munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/clusterConfigurations:validate", group), ==, 200);
      if (strcmp(t_str(t, "valid"), "true") != 0) munit_errorf("%s: %s", body, t->response.body);
    }
  svc_blocks_free(arena.blocks);
}
