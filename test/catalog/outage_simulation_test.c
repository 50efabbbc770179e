/*
** Outage simulations: their own rules, besides those of every route.
**
** Tests also: process_state
*/
#include "driver.h"
#include "mechanism/probe.h"
#include "needs.h"
#include "world.h"

/* At least one region must stay, so the world's cluster gets a second one. */
static bool outage_two_regions(t_world *w, const svc_plan *plan)
{
  static const char two[] = "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":7,"
                            "\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":2}},{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\","
                            "\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1}}]}]}";
  (void)plan;
  if (t_sendf(&w->t, "PATCH", two, "/groups/%s/clusters/Main", w->group) != 200) return false;
  t_world_rest(w);
  return true;
}

T_NEEDS(outage_simulation) = {
  T_EXAMPLE("outageFilters", outage_two_regions),
  T_NEEDS_END
};

#define ONE "/groups/%s/clusters/Main"
#define OUTAGE ONE "/outageSimulation"
#define OUTAGE_CLUSTER \
  "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":" \
  "\"US_WEST_2\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{\"providerName\":\"AWS\",\"regionName\":" \
  "\"US_EAST_1\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}"
#define EAST "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}"

static void outage_open(t_place *w, const svc_config *config)
{
  t_place_open(w, config, "P1", OUTAGE_CLUSTER);
  t_advance(&w->t, 10);
}

static int outage_send(t_place *w, const char *method, const char *body)
{
  return t_sendf(&w->t, method, body, OUTAGE, w->group);
}

static void outage_is(t_place *w, const char *state)
{
  munit_assert_int(outage_send(w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "state"), state);
}

static const char *outage_event(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=Main&itemsPerPage=1", w->group), ==, 200);
  return t_str(&w->t, "results[0].eventTypeName");
}

TEST(outage_simulation, states)
{
  t_place w;
  size_t dues;
  outage_open(&w, NULL);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  dues = probe_records(w.t.s, "d"); /* the due steps of the ledger */
  munit_assert_int(outage_send(&w, "GET", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "OUTAGE_SIMULATION_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "Main");
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 404);
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "state"), "START_REQUESTED");
  munit_assert_string_equal(t_str(&w.t, "clusterName"), "Main");
  munit_assert_string_equal(t_str(&w.t, "startRequestDate"), "2025-06-01T00:00:10Z");
  munit_assert_string_equal(t_str(&w.t, "expirationDate"), "2025-06-03T00:00:10Z");
  munit_assert_string_equal(t_str(&w.t, "outageFilters[0].type"), "REGION");
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "OUTAGE_SIMULATION_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "Main");
  w.t.now += 500;
  outage_is(&w, "STARTING");
  w.t.now += 2000;
  outage_is(&w, "SIMULATING");
  munit_assert_string_equal(outage_event(&w), "CLUSTER_REGIONAL_OUTAGE_SIMULATION_STARTED");
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "RECOVERY_REQUESTED");
  munit_assert_string_equal(outage_event(&w), "CLUSTER_REGIONAL_OUTAGE_SIMULATION_END_REQUESTED");
  w.t.now += 500;
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200); /* the recovery is in progress */
  munit_assert_string_equal(t_str(&w.t, "state"), "RECOVERING");
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 409);
  w.t.now += 2000;
  outage_is(&w, "COMPLETE");
  munit_assert_string_equal(outage_event(&w), "CLUSTER_REGIONAL_OUTAGE_SIMULATION_COMPLETED");
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 202); /* replaces the completed outage */
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200); /* before the outage has begun */
  munit_assert_string_equal(t_str(&w.t, "state"), "RECOVERY_REQUESTED");
  w.t.now += 2500;
  outage_is(&w, "COMPLETE");
  w.t.now += 10000;
  munit_assert_int(outage_send(&w, "GET", NULL), ==, 404);
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 404);
  munit_assert_size(probe_records(w.t.s, "d"), ==, dues);
  t_close(&w.t);
}

/* An outage ends automatically after its maximum time. */
TEST(outage_simulation, expires)
{
  t_place w;
  outage_open(&w, NULL);
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 202);
  t_advance(&w.t, 48 * 3600 - 1);
  outage_is(&w, "SIMULATING");
  t_advance(&w.t, 1);
  outage_is(&w, "RECOVERY_REQUESTED");
  munit_assert_string_equal(outage_event(&w), "CLUSTER_REGIONAL_OUTAGE_SIMULATION_END_REQUESTED");
  w.t.now += 2500;
  outage_is(&w, "COMPLETE");
  t_close(&w.t);
}

TEST(outage_simulation, refused)
{
  static const struct {
    const char *body, *field;
  } rows[] = {
    { "{}", "outageFilters" },
    { "{\"outageFilters\":[]}", "outageFilters" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"AWS\"}]}", "outageFilters[0].regionName" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"EU_WEST_1\"}]}", "outageFilters[0].regionName" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"GCP\",\"regionName\":\"US_EAST_1\"}]}", "outageFilters[0].regionName" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"},{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}",
      "outageFilters[1]" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\",\"type\":\"ZONE\"}]}", "outageFilters[0].type" },
    { "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"},{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}",
      "outageFilters" }, /* at least one region must stay */
  };
  t_place w;
  size_t i;
  outage_open(&w, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (outage_send(&w, "POST", rows[i].body) != 400 || !t_violation(&w.t, rows[i].field))
      munit_errorf("%s: %d %s", rows[i].body, w.t.response.status, w.t.response.body);
  munit_assert_int(outage_send(&w, "GET", NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 200);
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_UPDATE_PAUSED_CLUSTER");
  t_close(&w.t);
}

/* The driver starts and ends the outage: SIMULATING and COMPLETE wait for its reports. */
TEST(outage_simulation, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  outage_open(&w, &config);
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  outage_is(&w, "STARTING");
  t_driver_finish(&d, w.t.s, "outage.start", SVC_OK, NULL);
  outage_is(&w, "SIMULATING");
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  outage_is(&w, "RECOVERING");
  t_driver_finish(&d, w.t.s, "outage.end", SVC_OK, NULL);
  outage_is(&w, "COMPLETE");
  t_close(&w.t);
}

/* An outage that fails to start or to end has no failed state. The order is retried, but not at once, until the order succeeds. */
TEST(outage_simulation, fails)
{
  static const char failed[] = "CLUSTER_REGIONAL_OUTAGE_SIMULATION_FAILED_TO_START";
  char before[25] = "";
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  const t_order *order;
  t_place w;
  int i, end;
  outage_open(&w, &config);
  munit_assert_int(outage_send(&w, "POST", EAST), ==, 202);
  for (end = 0; end < 2; end++) {
    for (i = 0; i < 5; i++) {
      t_advance(&w.t, 60);
      t_driver_finish(&d, w.t.s, end ? "outage.end" : "outage.start", i < 4 ? SVC_IO : SVC_OK, NULL);
      order = t_driver_order(&d, "outage.");
      munit_assert_string_not_equal(order->id, before);
      strcpy(before, order->id);
      munit_assert_int(svc_order_done(w.t.s, before, SVC_OK, NULL), ==, SVC_OK); /* a late report for a finished order has no effect */
      if (i < 4) outage_is(&w, end ? "RECOVERING" : "STARTING");
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
      munit_assert_string_equal(t_driver_order(&d, "outage.")->id, before); /* not at once */
    }
    outage_is(&w, end ? "COMPLETE" : "SIMULATING");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=%s", w.group, failed), ==, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, end + 1); /* one event for the start and one for the end, not for each retry */
    if (!end) munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200);
  }
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------- effects */

/* Returns the number of processes of this type that were last seen at this time; NULL: any type or time. *first: the id of the
** first process. */
static int outage_processes(t_place *w, const char *type, const char *ping, const char **first)
{
  char path[64];
  int i, n = 0;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  for (i = 0; i < (int)t_int(&w->t, "totalCount"); i++) {
    snprintf(path, sizeof path, "results[%d].typeName", i);
    if (type && strcmp(t_str(&w->t, path), type) != 0) continue;
    snprintf(path, sizeof path, "results[%d].lastPing", i);
    if (ping && strcmp(t_str(&w->t, path), ping) != 0) continue;
    snprintf(path, sizeof path, "results[%d].id", i);
    if (first && !n) *first = t_keep(&w->t, t_str(&w->t, path));
    n++;
  }
  return n;
}

#define WEST "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}"

static int outage_events(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return (int)t_int(&w->t, "totalCount");
}

/* The hosts of the region are down, another region has the primary, and the hardware stays until the end of the outage. */
TEST(outage_simulation, moves_primary)
{
  static const char five[] = "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":7,"
                             "\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\","
                             "\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}";
  const char *before = NULL, *now = NULL;
  t_place w;
  outage_open(&w, NULL);
  munit_assert_int(t_sendf(&w.t, "PATCH", five, ONE, w.group), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(outage_processes(&w, "REPLICA_PRIMARY", NULL, &before), ==, 1);
  munit_assert_int(outage_send(&w, "POST", WEST), ==, 202);
  t_advance(&w.t, 600);
  outage_is(&w, "SIMULATING");
  munit_assert_int(outage_processes(&w, "REPLICA_PRIMARY", NULL, &now), ==, 1);
  munit_assert_string_not_equal(before, now);
  munit_assert_int(outage_processes(&w, NULL, "2025-06-01T00:01:00Z", NULL), ==, 2); /* no ping since then */
  munit_assert_int(outage_processes(&w, NULL, "2025-06-01T00:11:00Z", NULL), ==, 3);
  munit_assert_int(outage_events(&w, "HOST_DOWN"), ==, 2);
  munit_assert_int(outage_events(&w, "PRIMARY_ELECTED"), ==, 1);
  munit_assert_int(outage_events(&w, "NO_PRIMARY"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "OUTAGE_SIMULATION_ALREADY_EXISTS");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 409);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", ONE, w.group), ==, 200);
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(outage_processes(&w, NULL, "2025-06-01T00:12:00Z", NULL), ==, 5);
  munit_assert_int(outage_events(&w, "HOST_UP"), ==, 2);
  munit_assert_int(outage_processes(&w, "REPLICA_PRIMARY", NULL, &before), ==, 1);
  munit_assert_string_equal(before, now); /* the elected primary stays */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200);
  t_close(&w.t);
}

/* Without the majority of electable nodes there is no primary, until they are back. */
TEST(outage_simulation, no_primary)
{
  t_place w;
  outage_open(&w, NULL);
  munit_assert_int(outage_send(&w, "POST", WEST), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(outage_processes(&w, "REPLICA_PRIMARY", NULL, NULL), ==, 0);
  munit_assert_int(outage_events(&w, "NO_PRIMARY"), ==, 1);
  munit_assert_int(outage_send(&w, "DELETE", NULL), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(outage_processes(&w, "REPLICA_PRIMARY", NULL, NULL), ==, 1);
  munit_assert_int(outage_events(&w, "ONE_PRIMARY"), ==, 1);
  t_close(&w.t);
}
