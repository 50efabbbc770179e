/*
** Processes of clusters, their disks and databases, and their measurements.
**
** Tests also: process_database, process_disk
*/
#include "driver.h"
#include "mechanism/probe.h"
#include "needs.h"

#include "catalog/cluster/metric_list.h"

T_NEEDS(process) = {
  T_HOST("processId", ",/"), /* with its port */
  T_SAMPLE("processId", "db.example.com:27017"),
  T_QUERY("period", "PT5M"), /* or start and end */
  T_NEEDS_END
};

#define ONE(...) + 1 /* 0 LIST(ONE): the number of rows of a list */

typedef struct process_world {
  t_service t;
  const char *group;
  char id[160]; /* of the first process */
} process_world;

#define PROCESS_SHARDED \
  "{\"name\":\"Main\",\"clusterType\":\"SHARDED\",\"configServerManagementMode\":\"FIXED_TO_DEDICATED\",\"replicationSpecs\":[" PROCESS_SHARD "," \
  PROCESS_SHARD "]}"
#define PROCESS_EMBEDDED "{\"name\":\"Main\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" PROCESS_SHARD "," PROCESS_SHARD "]}"
#define PROCESS_SHARD \
  "{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\"," \
  "\"nodeCount\":3},\"readOnlySpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1}}]}"

static void process_open(process_world *w, const svc_config *config, const char *cluster)
{
  t_open(&w->t, config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w->t, "POST", cluster, "/groups/%s/clusters", w->group), ==, 201);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  t_advance(&w->t, 3600);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->t, "results[0].id"));
}

static int process_get(process_world *w, const char *rest)
{
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/processes/%s%s", w->group, w->id, rest);
}

/* The process ids are the hosts of the connection string, in the same order. The connection string also names the replica set. */
TEST(process, replica_set)
{
  char standard[600];
  process_world w;
  const char *at;
  char path[64];
  int i;
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/Main", w.group);
  snprintf(standard, sizeof standard, "%s", t_str(&w.t, "connectionStrings.standard"));
  t_sendf(&w.t, "GET", NULL, "/groups/%s/processes", w.group);
  for (i = 0, at = strstr(standard, "://") + 3; i < 3; i++) {
    snprintf(path, sizeof path, "results[%d].id", i);
    munit_assert_size(strcspn(at, ",/"), ==, strlen(t_str(&w.t, path)));
    munit_assert_memory_equal(strcspn(at, ",/"), at, t_str(&w.t, path));
    at += strcspn(at, ",/") + 1;
  }
  munit_assert_string_equal(t_str(&w.t, "results[0].typeName"), "REPLICA_PRIMARY");
  munit_assert_string_equal(t_str(&w.t, "results[2].typeName"), "REPLICA_SECONDARY");
  munit_assert_string_equal(t_str(&w.t, "results[0].lastPing"), "2025-06-01T01:00:00Z");
  munit_assert_int64(t_int(&w.t, "results[0].port"), ==, 27017);
  at = strstr(standard, "replicaSet=") + 11;
  munit_assert_string_equal(t_str(&w.t, "results[1].replicaSetName"), at);
  munit_assert_null(t_node(&w.t, "results[1].shardName"));
  munit_assert_int(process_get(&w, ""), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), w.id);
  /* nothing is measured while the cluster is paused */
  t_sendf(&w.t, "PATCH", "{\"paused\":true}", "/groups/%s/clusters/Main", w.group);
  munit_assert_int(process_get(&w, ""), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "typeName"), "NO_DATA");
  munit_assert_null(t_node(&w.t, "lastPing"));
  t_close(&w.t);
}

/* The name of a host's private address works as well. An invalid host name is not found. */
TEST(process, private)
{
  process_world w;
  char public[160];
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  memcpy(public, w.id, sizeof public);
  snprintf(w.id, sizeof w.id, "%.*s-pri%s", (int)strcspn(public, "."), public, strchr(public, '.'));
  munit_assert_int(process_get(&w, ""), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), public);
  snprintf(w.id, sizeof w.id, "%.*s-private%s", (int)strcspn(public, "."), public, strchr(public, '.'));
  munit_assert_int(process_get(&w, ""), ==, 404);
  t_close(&w.t);
}

/* Clusters from before November 2020 have hosts and replica sets with the cluster's own name. */
TEST(process, legacy)
{
  process_world w;
  t_open(&w.t, NULL);
  w.t.now = INT64_C(1577836800000); /* 2020-01-01 */
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 3600);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_memory_equal(17, t_str(&w.t, "results[0].id"), "main-shard-00-00-");
  munit_assert_string_equal(t_str(&w.t, "results[0].replicaSetName"), "Main-shard-0");
  snprintf(w.id, sizeof w.id, "%s", t_str(&w.t, "results[2].id"));
  munit_assert_int(process_get(&w, ""), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), w.id);
  w.id[0] = 'n'; /* a host of no cluster */
  munit_assert_int(process_get(&w, ""), ==, 404);
  t_close(&w.t);
}

/* Checks that the connection string of a sharded cluster has this many hosts, and that each is a router. Nodes that cannot be
** elected have a router, too. */
static void process_strings(process_world *w, int count)
{
  char standard[2000], *at;
  int i;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/Main", w->group), ==, 200);
  snprintf(standard, sizeof standard, "%s", t_str(&w->t, "connectionStrings.standard"));
  munit_assert_null(strstr(standard, "replicaSet="));
  for (i = 0, at = strstr(standard, "://") + 3; *at != '/' && *at; i++) {
    size_t n = strcspn(at, ",/");
    munit_assert_memory_equal(6, at + n - 6, ":27016");
    snprintf(w->id, sizeof w->id, "%.*s", (int)n, at);
    munit_assert_int(process_get(w, ""), ==, 200);
    munit_assert_string_equal(t_str(&w->t, "typeName"), "SHARD_DBS");
    at += n + (at[n] == ',');
  }
  munit_assert_int(i, ==, count);
}

TEST(process, sharded)
{
  static const struct { const char *type; int count; } kinds[] = { { "SHARD_PRIMARY", 2 }, { "SHARD_SECONDARY", 6 }, { "SHARD_DBS", 8 },
                                                                   { "SHARD_CONFIG", 3 } };
  process_world w;
  size_t k;
  int i, n;
  char path[64];
  process_open(&w, NULL, PROCESS_SHARDED);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 19);
  for (k = 0; k < 4; k++) {
    for (i = 0, n = 0; i < 19; i++) {
      snprintf(path, sizeof path, "results[%d].typeName", i);
      n += strcmp(t_str(&w.t, path), kinds[k].type) == 0;
    }
    munit_assert_int(n, ==, kinds[k].count);
  }
  munit_assert_int64(t_int(&w.t, "results[0].port"), ==, 27017);
  munit_assert_string_equal(t_str(&w.t, "results[0].shardName"), t_str(&w.t, "results[0].replicaSetName"));
  munit_assert_int64(t_int(&w.t, "results[1].port"), ==, 27016); /* the router on the same host, which is in no replica set */
  munit_assert_null(t_node(&w.t, "results[1].replicaSetName"));
  /* a node that cannot be elected has logs as well */
  t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/%s/logs/db.gz", w.group, t_keep(&w.t, t_str(&w.t, "results[6].hostname")));
  munit_assert_int(w.t.response.status, ==, 200);
  t_close(&w.t);
  /* the hosts of the connection string are the eight routers */
  process_open(&w, NULL, PROCESS_SHARDED);
  process_strings(&w, 8);
  t_close(&w.t);
  process_open(&w, NULL, PROCESS_EMBEDDED); /* the config servers are embedded in a shard */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 16);
  t_close(&w.t);
}

TEST(process, missing)
{
  static const char *const ids[] = { "nobody:27017", "Main", "27017" };
  process_world w;
  const char *other;
  size_t i;
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  for (i = 0; i < 3; i++) {
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes/%s", w.group, ids[i]), ==, 404);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes/%s/disks", w.group, ids[i]), ==, 404);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes/%s/measurements?granularity=PT1M&period=PT1M", w.group, ids[i]), ==, 404);
  }
  other = t_project(&w.t, t_organization(&w.t, "Other"), "P2");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes/%s", other, w.id), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/683b98003f81ee1570901a4f/processes/%s", w.id), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/683b98003f81ee1570901a4f/processes"), ==, 404);
  munit_assert_int(process_get(&w, "/disks/other"), ==, 404);
  munit_assert_int(process_get(&w, "/databases/other"), ==, 404);
  munit_assert_int(process_get(&w, "/disks/other/measurements?granularity=PT1M&period=PT1M"), ==, 404);
  munit_assert_int(process_get(&w, "/databases/other/measurements?granularity=PT1M&period=PT1M"), ==, 404);
  munit_assert_int(process_get(&w, "/disks"), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].partitionName"), "data");
  munit_assert_int(process_get(&w, "/disks/data"), ==, 200);
  munit_assert_int(process_get(&w, "/databases/admin"), ==, 200);
  t_close(&w.t);
}

/* Periods of time: valid and invalid ones. */
TEST(process, time)
{
  static const struct { const char *query, *error, *param; } bad[] = {
    { "period=PT1H", "MISSING_QUERY_PARAMETER", "granularity" },
    { "granularity=PT1M", "MISSING_QUERY_PARAMETER", "period" },
    { "granularity=PT2M&period=PT1H", "INVALID_QUERY_PARAMETER", "granularity" },
    { "granularity=PT1M&period=1H", "INVALID_QUERY_PARAMETER", "period" },
    { "granularity=PT1M&period=P", "INVALID_QUERY_PARAMETER", "period" },
    { "granularity=PT1M&period=PT", "INVALID_QUERY_PARAMETER", "period" },
    { "granularity=PT1M&period=PT1H2H", "INVALID_QUERY_PARAMETER", "period" },
    { "granularity=PT1M&period=PT1H&start=2025-06-01", "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS", "period" },
    { "granularity=PT1M&period=PT1H&start=2025-06-01&end=2025-06-02", "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS", "period" },
    { "granularity=PT1M&period=PT1H&end=2025-06-01", "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS", "period" },
    { "granularity=PT1M&start=2025-06-01", "MISSING_QUERY_PARAMETER", "end" },
    { "granularity=PT1M&end=2025-06-01", "MISSING_QUERY_PARAMETER", "start" },
    { "granularity=PT1M&start=2025-06-02&end=2025-06-01", "START_DATE_AFTER_END_DATE", "2025-06-02" },
    { "granularity=PT1M&period=PT1H&m=NOTHING", "INVALID_QUERY_PARAMETER", "m" },
    { "granularity=PT1M&period=P1Y&m=CONNECTIONS", "INVALID_QUERY_PARAMETER", "granularity" }, /* a year of minutes */
    { "granularity=PT1M&start=0001-01-01&end=2025-06-01&m=CONNECTIONS", "INVALID_QUERY_PARAMETER", "granularity" },
    { "granularity=PT1M&period=P1D", "INVALID_QUERY_PARAMETER", "m" }, /* all metrics */
  };
  process_world w;
  char rest[256];
  size_t i;
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(rest, sizeof rest, "/measurements?%s", bad[i].query);
    munit_assert_int(process_get(&w, rest), ==, 400);
    munit_assert_string_equal(t_error(&w.t), bad[i].error);
    munit_assert_string_equal(t_param(&w.t, 0), bad[i].param);
  }
  /* the maximum number of points plus one */
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=P2D&m=CONNECTIONS"), ==, 400);
  t_advance(&w.t, 30);
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=P2D&m=CONNECTIONS"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), ==, 2880);
  munit_assert_int(process_get(&w, "/measurements?granularity=P1D&period=P1Y&m=CONNECTIONS"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), ==, 365);
  /* in the future */
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1H&start=2030-01-01&end=2030-01-02&m=CONNECTIONS"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), ==, 0);
  munit_assert_int(process_get(&w, "/measurements?granularity=P1D&period=P100Y&m=CONNECTIONS"), ==, 400); /* from 1970 on, and too many */
  munit_assert_int(process_get(&w, "/measurements?granularity=P1D&period=P2000Y&m=CONNECTIONS"), ==, 400);
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1H&period=P1M1W&m=CONNECTIONS"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), ==, (31 + 7) * 24);
  t_close(&w.t);
}

/* The values are the same each time. Times before the creation are gaps, and the future has no values. */
TEST(process, figures)
{
  process_world w;
  char first[4096];
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  munit_assert_int(process_get(&w, "/measurements?granularity=PT5M&start=2025-05-31T23:50:00Z&end=2025-06-01T02:00:00Z&m=CONNECTIONS"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "measurements[0].name"), "CONNECTIONS");
  munit_assert_string_equal(t_str(&w.t, "measurements[0].units"), "SCALAR");
  munit_assert_string_equal(t_str(&w.t, "granularity"), "PT5M");
  munit_assert_string_equal(t_str(&w.t, "hostId"), w.id);
  munit_assert_string_equal(t_str(&w.t, "start"), "2025-05-31T23:50:00Z");
  munit_assert_string_equal(t_str(&w.t, "end"), "2025-06-01T01:00:00Z");
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), ==, 15);
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[1].value")->type, ==, SVC_J_NULL);
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[2].value")->type, ==, SVC_J_NULL); /* still being created */
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[3].value")->type, ==, SVC_J_NUMBER);
  munit_assert_string_equal(t_str(&w.t, "measurements[0].dataPoints[14].timestamp"), "2025-06-01T01:00:00Z");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/measurements?granularity=PT5M&start=")); /* the link leads to the same answer */
  snprintf(first, sizeof first, "%s", w.t.response.body);
  t_advance(&w.t, 86400);
  process_get(&w, "/measurements?granularity=PT5M&start=2025-05-31T23:50:00Z&end=2025-06-01T01:00:00Z&m=CONNECTIONS");
  munit_assert_memory_equal(200, strstr(first, "\"measurements\""), strstr(w.t.response.body, "\"measurements\""));
  /* all metrics, if the query names none */
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=PT1M"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements"), ==, 0 SVC_METRICS_PROCESS(ONE));
  munit_assert_int(process_get(&w, "/databases/admin/measurements?granularity=PT1M&period=PT1M"), ==, 200);
  munit_assert_size(t_count(&w.t, "measurements"), ==, 0 SVC_METRICS_DATABASE(ONE));
  munit_assert_string_equal(t_str(&w.t, "databaseName"), "admin");
  t_close(&w.t);
}

/* Used and free space add up to the disk, and the maximum is never less than the value itself. */
TEST(process, disk)
{
  process_world w;
  int64_t used, rest, most;
  int i;
  process_open(&w, NULL, PROBE_CLUSTER("Main", "M10"));
  for (i = 0; i < 50; i++, t_advance(&w.t, 1000)) {
    munit_assert_int(process_get(&w, "/disks/data/measurements?granularity=PT1M&period=PT1M&m=DISK_PARTITION_SPACE_FREE&m=DISK_PARTITION_SPACE_USED"
                                     "&m=MAX_DISK_PARTITION_SPACE_USED"), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "partitionName"), "data");
    rest = t_int(&w.t, "measurements[0].dataPoints[0].value");
    used = t_int(&w.t, "measurements[1].dataPoints[0].value");
    most = t_int(&w.t, "measurements[2].dataPoints[0].value");
    munit_assert_int64(used + rest, ==, 10000000000);
    munit_assert_int64(most, >=, used);
  }
  t_close(&w.t);
}

/* ---- a driver */

TEST(process, driver)
{
  static const char *const unfit[] = { "{\"series\":{\"CONNECTIONS\":5}}", "{\"series\":{\"CONNECTIONS\":[1,\"x\"]}}", "{\"series\":5}", "{\"figures\":{}}" };
  static char many[4100];
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  process_world w;
  size_t i;
  t_driver_does(&d, "", "{\"hosts\":[\"a.example.net:27017\",\"b.example.net:27018\"]}");
  process_open(&w, &config, PROBE_CLUSTER("Main", "M10"));
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2); /* as many as the driver reported */
  munit_assert_string_equal(w.id, "a.example.net:27017");
  munit_assert_string_equal(t_str(&w.t, "results[1].id"), "b.example.net:27018");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes?pageNum=2&itemsPerPage=1", w.group), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), "b.example.net:27018");
  t_driver_answers(&d, "", "{\"series\":{\"CONNECTIONS\":[1, 2.50, null]}}");
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=PT4M&m=CONNECTIONS&m=MEMORY_RESIDENT"), ==, 200);
  munit_assert_not_null(strstr(d.asked, "series cluster Main {\"from\":1748739360,\"host\":\"a.example.net:27017\",\"metrics\":[{\"name\":"
                                       "\"CONNECTIONS\",\"units\":\"SCALAR\"},"));
  munit_assert_string_equal(t_str(&w.t, "measurements[0].dataPoints[1].value"), "2.50"); /* the driver's own spelling */
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[2].value")->type, ==, SVC_J_NULL); /* null is a gap */
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[4].value")->type, ==, SVC_J_NULL); /* missing values are gaps */
  munit_assert_int(t_node(&w.t, "measurements[1].dataPoints[0].value")->type, ==, SVC_J_NULL);
  t_driver_answers(&d, "", "{}"); /* no series: only gaps */
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=PT4M&m=CONNECTIONS"), ==, 200);
  munit_assert_int(t_node(&w.t, "measurements[0].dataPoints[0].value")->type, ==, SVC_J_NULL);
  for (i = 0; i < sizeof unfit / sizeof unfit[0]; i++) { /* a reply that does not match the table is refused */
    t_driver_answers(&d, "", unfit[i]);
    munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=PT4M&m=CONNECTIONS"), ==, 503);
  }
  t_driver_answers(&d, "", "{\"missing\":true}");
  munit_assert_int(process_get(&w, "/databases/shop/measurements?granularity=PT1M&period=PT4M"), ==, 404);
  t_driver_answers(&d, "", "[\"shop\",\"a/b\"]");
  munit_assert_int(process_get(&w, "/databases"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_not_null(strstr(d.asked, "list cluster Main {\"host\":\"a.example.net:27017\",\"known\":[\"admin\","));
  munit_assert_int(process_get(&w, "/databases?pageNum=2&itemsPerPage=1"), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].databaseName"), "a/b");
  munit_assert_int(process_get(&w, "/databases/a%2Fb"), ==, 200);
  munit_assert_int(process_get(&w, "/databases/admin"), ==, 404); /* the driver's list has no such database */
  t_driver_answers(&d, "", "{\"a\":1}");
  munit_assert_int(process_get(&w, "/databases"), ==, 503);
  t_driver_answers(&d, "", "[1]");
  munit_assert_int(process_get(&w, "/disks"), ==, 503);
  t_driver_answers(&d, "", "[\"a\",\"\",\"b\"]"); /* an empty name */
  munit_assert_int(process_get(&w, "/disks"), ==, 503);
  for (i = 0; i < 1001; i++) memcpy(many + i * 4, i ? ",\"a\"" : "[\"a\"", 4);
  memcpy(many + i * 4, "]", 2);
  t_driver_answers(&d, "", many);
  munit_assert_int(process_get(&w, "/disks"), ==, 503);
  t_driver_answers(&d, "", "nonsense");
  munit_assert_int(process_get(&w, "/measurements?granularity=PT1M&period=PT4M"), ==, 503);
  t_close(&w.t);
}
