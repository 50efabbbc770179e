/*
** Not a test of this tree: test/formats/whole.sh copies it into a tree of version 0.1.0 and compiles it with that version's
** tests. The program writes a store with one resource of each kind. Each operation that creates or changes something succeeds
** once, if its requirements exist. One project has clusters of all kinds.
*/
#include "world.h"

#define SIZED(size) "{\"instanceSize\":\"" size "\",\"nodeCount\":3}"
#define CLUSTER(name, type, specs) "{\"name\":\"" name "\",\"clusterType\":\"" type "\",\"replicationSpecs\":[" specs "]}"
#define REGION(cloud, region, more) "{\"providerName\":\"" cloud "\",\"regionName\":\"" region "\",\"priority\":7" more "}"
#define SPEC(region) "{\"zoneName\":\"Zone 1\",\"regionConfigs\":[" region "]}"
#define NODES ",\"electableSpecs\":" SIZED("M30") ",\"analyticsSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1},\"readOnlySpecs\":{\"instanceSize\":" \
  "\"M30\",\"nodeCount\":1},\"autoScaling\":{\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M60\"},\"diskGB\":{\"enabled\":true}}"

static const char *const whole_clusters[] = {
  CLUSTER("plain", "REPLICASET", "{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", ",\"electableSpecs\":" SIZED("M10")) "]}"),
  CLUSTER("nodes", "REPLICASET", SPEC(REGION("GCP", "CENTRAL_US", NODES))),
  CLUSTER("shards", "SHARDED", SPEC(REGION("AZURE", "US_EAST_2", NODES)) "," SPEC(REGION("AZURE", "US_EAST_2", NODES))),
  CLUSTER("world", "GEOSHARDED", "{\"zoneName\":\"A\",\"regionConfigs\":[" REGION("AWS", "US_EAST_1", NODES) "]},{\"zoneName\":\"B\",\"regionConfigs\":["
          REGION("AWS", "EU_WEST_1", NODES) "]}"),
  CLUSTER("free", "REPLICASET", "{\"regionConfigs\":[" REGION("TENANT", "US_EAST_1", ",\"backingProviderName\":\"AWS\",\"electableSpecs\":{\"instanceSize\":\"M0\"}") "]}")
};

static bool whole_leaves_out(const svc_plan *plan)
{
  const svc_route *r = plan->route;
  return r->flags & SVC_ABSOLUTE || r->method == SVC_GET || r->method == SVC_DELETE || t_world_elsewhere(plan) || strstr(r->path, ":migrate");
}

static MunitResult whole_made(const MunitParameter params[], void *fixture)
{
  static t_world w;
  const char *folder = getenv("WHOLE");
  char copy[256];
  FILE *log;
  size_t i;
  (void)params;
  (void)fixture;
  munit_assert_not_null(folder);
  snprintf(copy, sizeof copy, "%s/log", folder);
  log = fopen(copy, "w");
  snprintf(copy, sizeof copy, "%s/copy", folder);
  t_world_open_in(&w, folder);
  for (i = 0; i < sizeof whole_clusters / sizeof whole_clusters[0]; i++)
    fprintf(log, "%d %s\n", t_sendf(&w.t, "POST", whole_clusters[i], "/groups/%s/clusters", w.group), whole_clusters[i]);
  t_advance(&w.t, 60);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    bool ready = !whole_leaves_out(plan) && t_world_ready(&w, plan);
    int status = ready ? t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL) : 0;
    if (!whole_leaves_out(plan)) fprintf(log, "%d %s %s %s\n", status, t_method(plan), plan->route->path, !ready ? w.why : status >= 400 ? w.t.response.body : "");
  }
  fclose(log);
  munit_assert_int(svc_backup(w.t.s, copy), ==, SVC_OK);
  t_world_close(&w);
  return MUNIT_OK;
}

static MunitTest tests[] = { { "/made", whole_made, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL }, { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL } };
const MunitSuite svc_suite_whole_store = { "/whole_store", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
