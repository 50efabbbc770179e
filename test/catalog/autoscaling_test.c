/*
** Autoscaling of clusters: sizes go up and down within their bounds, and disks grow, each with its events and its
** costs. Nothing changes on a cluster whose autoscaling is off, or while another operation is in progress.
*/
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#define HOUR 3600
#define DAY (24 * HOUR)
#define COMPUTE(least, most) \
  "\"compute\":{\"enabled\":true,\"scaleDownEnabled\":true,\"minInstanceSize\":\"" least "\",\"maxInstanceSize\":\"" most "\"}"
#define CLUSTER(size, scaling) \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":" \
  "\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3},\"autoScaling\":{" scaling "}}]}]}"
#define ANALYTICS(size, analysts, scaling) \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":" \
  "\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3},\"analyticsSpecs\":{\"instanceSize\":\"" \
  analysts "\",\"nodeCount\":1},\"analyticsAutoScaling\":{" scaling "}}]}]}"
#define ANALYSTS "replicationSpecs[0].regionConfigs[0].analyticsSpecs.instanceSize"
#define SPEC "replicationSpecs[0].regionConfigs[0].electableSpecs."

static void scaling_open(t_place *w, const svc_config *config, const char *body)
{
  t_place_open(w, config, "P1", body);
  t_advance(&w->t, HOUR);
}

/* Loads more data than fits into the memory of the smallest machines: the sample data, and growing collections. */
static void scaling_fill(t_place *w, int collections)
{
  char name[16];
  munit_assert_int(t_sendf(&w->t, "POST", NULL, "/groups/%s/sampleDatasetLoad/C", w->group), ==, 201);
  t_advance(&w->t, HOUR);
  while (collections-- > 0) {
    snprintf(name, sizeof name, "c%d", collections);
    t_collection(&w->t, w->group, "C", "shop", name);
  }
}

/* Advances day by day, since the effect of a step takes time to be measured. */
static void scaling_days(t_place *w, int days)
{
  while (days-- > 0) t_advance(&w->t, DAY);
}

static const char *scaling_shows(t_place *w, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/C", w->group), ==, 200);
  return t_keep(&w->t, t_str(&w->t, field));
}

static const char *scaling_size(t_place *w)
{
  return scaling_shows(w, SPEC "instanceSize");
}

static int64_t scaling_events(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?includeCount=true&eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount");
}

TEST(autoscaling, up)
{
  t_place w;
  scaling_open(&w, NULL, CLUSTER("M10", COMPUTE("M10", "M30")));
  scaling_fill(&w, 10);
  munit_assert_string_equal(scaling_size(&w), "M10");
  scaling_days(&w, 60);
  munit_assert_string_not_equal(scaling_size(&w), "M10");
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[0].regionConfigs[0].effectiveElectableSpecs.instanceSize"), scaling_size(&w));
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), >=, 1);
  munit_assert_int64(scaling_events(&w, "CLUSTER_UPDATE_STARTED"), ==, scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"));
  munit_assert_int64(scaling_events(&w, "CLUSTER_UPDATE_COMPLETED"), ==, scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"));
  t_close(&w.t);
}

/* At its maximum size a cluster stays, with one event. */
TEST(autoscaling, bounds)
{
  t_place w;
  scaling_open(&w, NULL, CLUSTER("M10", COMPUTE("M10", "M10")));
  scaling_fill(&w, 10);
  scaling_days(&w, 60);
  munit_assert_string_equal(scaling_size(&w), "M10");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 0);
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE"), ==, 1);
  t_close(&w.t);
}

/* An idle cluster goes down one size a day to its minimum. */
TEST(autoscaling, down)
{
  t_place w;
  int64_t before;
  scaling_open(&w, NULL, CLUSTER("M40", COMPUTE("M20", "M60")));
  t_advance(&w.t, 20 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M40");
  before = scaling_events(&w, "CLUSTER_UPDATE_STARTED");
  t_advance(&w.t, 6 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M30");
  munit_assert_int64(scaling_events(&w, "CLUSTER_UPDATE_STARTED"), ==, before + 1);
  scaling_days(&w, 1);
  t_advance(&w.t, 2 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M20");
  scaling_days(&w, 10);
  munit_assert_string_equal(scaling_size(&w), "M20");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 2);
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_SCALE_DOWN_FAIL_BASE"), ==, 0);
  t_close(&w.t);
}

/* The hours on the pending invoice for this SKU. A month with two sizes has hours of both, as many as passed with each. */
static int64_t scaling_hours(t_place *w, const char *sku)
{
  const svc_node *one;
  int64_t sum = 0, n;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/invoices/pending", w->org), ==, 200);
  for (one = svc_node_first(t_node(&w->t, "results[0].lineItems")); one; one = one->next)
    if (svc_node_is(one, "sku", sku) && svc_str_i64(svc_node_get(one, "quantity")->text, &n)) sum += n;
  return sum;
}

TEST(autoscaling, cost)
{
  t_place w;
  int64_t before;
  scaling_open(&w, NULL, CLUSTER("M40", COMPUTE("M30", "M60")));
  t_advance(&w.t, 30 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M30");
  before = scaling_hours(&w, "INSTANCE_AWS_M40");
  munit_assert_int64(before, >=, 3 * 24);
  munit_assert_int64(before, <=, 3 * 27);
  t_advance(&w.t, 10 * HOUR);
  munit_assert_int64(scaling_hours(&w, "INSTANCE_AWS_M40"), ==, before);
  munit_assert_int64(scaling_hours(&w, "INSTANCE_AWS_M30"), >=, 3 * 13);
  t_close(&w.t);
}

/* A disk grows before it is full, so that it is 70 % full. It never shrinks. */
TEST(autoscaling, disk)
{
  t_place w;
  int64_t size, before = 10;
  int i, steps = 0;
  scaling_open(&w, NULL, CLUSTER("M10", "\"diskGB\":{\"enabled\":true}"));
  munit_assert_string_equal(scaling_shows(&w, SPEC "diskSizeGB"), "10");
  scaling_fill(&w, 50);
  for (i = 0; i < 40 && steps < 2; i++) {
    scaling_days(&w, 10);
    size = atoi(scaling_shows(&w, SPEC "diskSizeGB"));
    munit_assert_int64(size, >=, before);
    steps += size > before;
    before = size;
  }
  munit_assert_int(steps, ==, 2);
  munit_assert_string_equal(scaling_size(&w), "M10"); /* only the disk scales */
  munit_assert_int64(scaling_events(&w, "DISK_AUTO_SCALE_INITIATED"), >=, 2);
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 0);
  munit_assert_int64(before, >=, 15);
  t_close(&w.t);
}

/* A larger disk of other nodes of the shard stays as it is. */
TEST(autoscaling, disk_of_others)
{
  t_place w;
  int i;
  scaling_open(&w, NULL,
               "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":"
               "\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3},\"readOnlySpecs\":{\"instanceSize\":\"M10\","
               "\"nodeCount\":0},\"analyticsSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1,\"diskSizeGB\":100},\"autoScaling\":{\"diskGB\":{\"enabled\":"
               "true}}}]}]}");
  munit_assert_string_equal(scaling_shows(&w, SPEC "diskSizeGB"), "10");
  scaling_fill(&w, 50);
  for (i = 0; i < 40 && strcmp(scaling_shows(&w, SPEC "diskSizeGB"), "10") == 0; i++) scaling_days(&w, 10);
  munit_assert_int(atoi(scaling_shows(&w, SPEC "diskSizeGB")), >, 10);
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[0].regionConfigs[0].readOnlySpecs.diskSizeGB"), scaling_shows(&w, SPEC "diskSizeGB"));
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[0].regionConfigs[0].analyticsSpecs.diskSizeGB"), "100");
  t_close(&w.t);
}

/* During a live migration the hardware stays. Afterwards it follows the load again. */
TEST(autoscaling, undisturbed)
{
  char body[512];
  t_place w;
  scaling_open(&w, NULL, CLUSTER("M40", COMPUTE("M30", "M60")));
  munit_assert_int(t_sendf(&w.t, "POST", "{}", "/orgs/%s/liveMigrations/linkTokens", w.org), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", T_CLUSTER("Old"), "/groups/%s/clusters", w.group), ==, 201);
  snprintf(body, sizeof body, "{\"destination\":{\"clusterName\":\"C\",\"groupId\":\"%s\",\"hostnameSchemaType\":\"PUBLIC\"},\"migrationHosts\":"
           "[\"vm001.example.com\"],\"source\":{\"clusterName\":\"Old\",\"groupId\":\"%s\",\"managedAuthentication\":true,\"ssl\":true}}",
           w.group, w.group);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/liveMigrations", w.group), ==, 202);
  scaling_days(&w, 4);
  munit_assert_string_equal(scaling_size(&w), "M40");
  scaling_days(&w, 2);
  munit_assert_string_equal(scaling_size(&w), "M30");
  t_close(&w.t);
}

/* During a simulated outage the hardware stays. The regions of a shard scale together. */
TEST(autoscaling, outage)
{
  static const char two[] = "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":["
    "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":2},"
    "\"autoScaling\":{" COMPUTE("M30", "M60") "}},"
    "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":1},"
    "\"autoScaling\":{" COMPUTE("M30", "M60") "}}]}]}";
  t_place w;
  scaling_open(&w, NULL, two);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}",
                           "/groups/%s/clusters/C/outageSimulation", w.group), <, 300);
  t_advance(&w.t, 40 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M40");
  scaling_days(&w, 3); /* the outage has ended by itself */
  munit_assert_string_equal(scaling_size(&w), "M30");
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[0].regionConfigs[1].electableSpecs.instanceSize"), "M30");
  t_close(&w.t);
}

/* Analytics nodes follow their own load, within their own bounds. Here they grow, while the other nodes stay, which have capacity. */
TEST(autoscaling, analytics)
{
  t_place w;
  scaling_open(&w, NULL, ANALYTICS("M30", "M10", COMPUTE("M10", "M20")));
  scaling_fill(&w, 10);
  scaling_days(&w, 60);
  munit_assert_string_equal(scaling_size(&w), "M30");
  munit_assert_string_equal(scaling_shows(&w, ANALYSTS), "M20");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_ANALYTICS"), ==, 1);
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 0);
  t_close(&w.t);
  scaling_open(&w, NULL, ANALYTICS("M40", "M40", COMPUTE("M20", "M60"))); /* idle nodes go down one size a day */
  scaling_days(&w, 5);
  munit_assert_string_equal(scaling_size(&w), "M40");
  munit_assert_string_equal(scaling_shows(&w, ANALYSTS), "M20");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_ANALYTICS"), ==, 2);
  t_close(&w.t);
  scaling_open(&w, NULL, ANALYTICS("M30", "M10", COMPUTE("M10", "M10"))); /* at their maximum size the nodes stay, with one event */
  scaling_fill(&w, 10);
  scaling_days(&w, 60);
  munit_assert_string_equal(scaling_shows(&w, ANALYSTS), "M10");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_ANALYTICS"), ==, 1);
  t_close(&w.t);
}

/* Returns the hours between the load of the data and the first change of size. */
static int scaling_first(const char *body, const char *event)
{
  t_place w;
  int hours = 0;
  scaling_open(&w, NULL, body);
  scaling_fill(&w, 10);
  for (; strcmp(scaling_size(&w), "M10") == 0 && hours < 60 * 24; hours++) t_advance(&w.t, HOUR);
  munit_assert_int64(scaling_events(&w, event), ==, 1);
  t_close(&w.t);
  return hours;
}

/* With predictive scaling the cluster grows before the load comes. */
TEST(autoscaling, predictive)
{
  int ahead = scaling_first(CLUSTER("M10", "\"compute\":{\"enabled\":true,\"predictiveEnabled\":true,\"maxInstanceSize\":\"M30\"}"),
                            "PREDICTIVE_COMPUTE_AUTO_SCALE_INITIATED_BASE");
  int after = scaling_first(CLUSTER("M10", COMPUTE("M10", "M30")), "COMPUTE_AUTO_SCALE_INITIATED_BASE");
  munit_assert_int(ahead, <, after);
}

/* Every shard follows its own load. Analytics nodes without settings keep their size. */
TEST(autoscaling, shards)
{
  static const char shard[] = "{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":"
    "{\"instanceSize\":\"M40\",\"nodeCount\":3},\"analyticsSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":1},\"autoScaling\":{" COMPUTE("M30", "M60") "}}]}";
  static char body[2048];
  t_place w;
  snprintf(body, sizeof body, "{\"name\":\"C\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[%s,%s]}", shard, shard);
  scaling_open(&w, NULL, body);
  scaling_days(&w, 2);
  munit_assert_string_equal(scaling_size(&w), "M30");
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[1].regionConfigs[0].electableSpecs.instanceSize"), "M30");
  munit_assert_string_equal(scaling_shows(&w, "replicationSpecs[1].regionConfigs[0].analyticsSpecs.instanceSize"), "M40");
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 1);
  t_close(&w.t);
}

/* Disabled kinds of scaling never happen, at any load. */
TEST(autoscaling, off)
{
  static const char *const bodies[] = {
    CLUSTER("M10", "\"compute\":{\"enabled\":false}"), CLUSTER("M40", "\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M60\"}"),
    CLUSTER("M40", "\"diskGB\":{\"enabled\":true}")
  };
  t_place w;
  size_t i;
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    const char *size;
    scaling_open(&w, NULL, bodies[i]);
    if (i == 0) scaling_fill(&w, 10);
    size = scaling_size(&w);
    scaling_days(&w, 40);
    munit_assert_string_equal(scaling_size(&w), size);
    munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 0);
    munit_assert_int64(scaling_events(&w, "CLUSTER_UPDATE_STARTED"), ==, 0);
    t_close(&w.t);
  }
}

/* Autoscaling can be turned on and off later. A paused cluster does not scale. */
TEST(autoscaling, later)
{
  static const char on[] = "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                           "\"electableSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":3},\"autoScaling\":{" COMPUTE("M20", "M60") "}}]}]}";
  static const char off[] = "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                            "\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3},\"autoScaling\":{\"compute\":{\"enabled\":false}}}]}]}";
  t_place w;
  scaling_open(&w, NULL, CLUSTER("M40", "\"compute\":{\"enabled\":false}"));
  scaling_days(&w, 3);
  munit_assert_int(t_sendf(&w.t, "PATCH", on, "/groups/%s/clusters/C", w.group), ==, 200);
  t_advance(&w.t, HOUR / 2);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", "/groups/%s/clusters/C", w.group), ==, 200);
  scaling_days(&w, 5);
  munit_assert_string_equal(scaling_size(&w), "M40");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":false}", "/groups/%s/clusters/C", w.group), ==, 200);
  t_advance(&w.t, 20 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M40"); /* not yet measured for a full day */
  t_advance(&w.t, 6 * HOUR);
  munit_assert_string_equal(scaling_size(&w), "M30");
  munit_assert_int(t_sendf(&w.t, "PATCH", off, "/groups/%s/clusters/C", w.group), ==, 200);
  scaling_days(&w, 5);
  munit_assert_string_equal(scaling_size(&w), "M30");
  t_close(&w.t);
}

/* A cluster stored by a version without autoscaling has no record of it. Such a cluster scales after its next change of any field. */
TEST(autoscaling, earlier)
{
  t_place w;
  scaling_open(&w, NULL, CLUSTER("M40", "\"compute\":{\"enabled\":false,\"maxInstanceSize\":\"M60\",\"minInstanceSize\":\"M20\","
                                  "\"scaleDownEnabled\":true}"));
  damaged_body(&w.t, "cluster", w.group, NULL, "\"compute\":{\"enabled\":false", "\"compute\":{\"enabled\":true");
  scaling_days(&w, 3);
  munit_assert_string_equal(scaling_size(&w), "M40");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"terminationProtectionEnabled\":true}", "/groups/%s/clusters/C", w.group), ==, 200);
  scaling_days(&w, 3);
  munit_assert_string_equal(scaling_size(&w), "M20");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"terminationProtectionEnabled\":false}", "/groups/%s/clusters/C", w.group), ==, 200);
  scaling_days(&w, 3);
  munit_assert_int64(scaling_events(&w, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), ==, 2);
  t_close(&w.t);
}

/* Only the driver knows the load of hosts that it has named: without its values nothing scales. */
TEST(autoscaling, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  scaling_open(&w, &config, CLUSTER("M40", COMPUTE("M20", "M60")));
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, "{\"hosts\":[\"db1.example.com:5432\"]}");
  scaling_days(&w, 5);
  munit_assert_string_equal(scaling_size(&w), "M40");
  munit_assert_string_equal(scaling_shows(&w, "stateName"), "IDLE");
  munit_assert_int64(scaling_events(&w, "CLUSTER_UPDATE_STARTED"), ==, 0);
  t_close(&w.t);
}
