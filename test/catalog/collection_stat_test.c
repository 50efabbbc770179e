/*
** Statistics of collections, pinned namespaces, and metrics of search.
**
** Tests also: pinned_namespace, search_metric
*/
#include "mechanism/probe.h"
#include "needs.h"

#include "catalog/cluster/metric_list.h"

#define NEED_STATS "/groups/{groupId}/clusters/{clusterName}/collStats"
#define NEED_INDEX "/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/{indexName}/measurements"

T_NEEDS(collection_stat) = {
  T_FIRST(SVC_PATCH, NEED_STATS "/unpin", SVC_PATCH, NEED_STATS "/pinned", NULL), /* only a pinned namespace can be unpinned */
  T_NAMED(NEED_INDEX, "databaseName", "search index", "database"),
  T_NAMED(NEED_INDEX, "collectionName", "search index", "collectionName"),
  T_NAMED(NEED_INDEX, "indexName", "search index", "name"),
  T_SAMPLE("clusterView", "PRIMARY"),
  T_NEEDS_END
};

#define ONE(...) + 1 /* 0 LIST(ONE): the number of rows of a list */

typedef struct stat_world {
  t_service t;
  const char *group;
  char id[160]; /* of the first process */
} stat_world;

static void stat_open(stat_world *w)
{
  t_open(&w->t, NULL);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->group), ==, 201);
  t_advance(&w->t, 3600);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->t, "results[0].id"));
}

static int stat_pin(stat_world *w, const char *method, const char *how, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/Main/collStats/%s", w->group, how);
}

static int stat_get(stat_world *w, const char *rest)
{
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/%s", w->group, rest);
}

TEST(collection_stat, pinned)
{
  char many[1024] = "{\"namespaces\":[";
  stat_world w;
  int i;
  stat_open(&w);
  munit_assert_int(stat_pin(&w, "GET", "pinned", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "pinnedNamespaces"), ==, 0);
  munit_assert_int(stat_pin(&w, "PATCH", "pinned", "{\"namespaces\":[\"a.b\",\"a.c.d\"]}"), ==, 200);
  munit_assert_int(stat_pin(&w, "PATCH", "pinned", "{\"namespaces\":[\"a.b\",\"x.y\"]}"), ==, 200);
  munit_assert_int(stat_pin(&w, "GET", "pinned", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "pinnedNamespaces"), ==, 3); /* a.b is pinned once */
  munit_assert_int(stat_pin(&w, "PATCH", "unpin", "{\"namespaces\":[\"a.b\",\"not.there\"]}"), ==, 200);
  munit_assert_size(t_count(&w.t, "pinnedNamespaces"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "pinnedNamespaces[0]"), "a.c.d");
  munit_assert_int(stat_pin(&w, "PUT", "pinned", "{\"namespaces\":[\"only.this\"]}"), ==, 200);
  munit_assert_size(t_count(&w.t, "pinnedNamespaces"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_int(stat_pin(&w, "PUT", "pinned", "{\"namespaces\":[\"nodot\"]}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "namespaces[0]"));
  munit_assert_int(stat_pin(&w, "PUT", "pinned", "{\"namespaces\":[\"a.b\",\"a.b\"]}"), ==, 400);
  for (i = 0; i < 20; i++) snprintf(many + strlen(many), sizeof many - strlen(many), "%s\"db.c%d\"", i ? "," : "", i);
  strcat(many, "]}");
  munit_assert_int(stat_pin(&w, "PATCH", "pinned", many), ==, 400); /* with only.this they would be 21, and 20 are allowed */
  munit_assert_true(t_violation(&w.t, "namespaces"));
  munit_assert_int(stat_pin(&w, "PUT", "pinned", many), ==, 200);
  munit_assert_int(stat_pin(&w, "PUT", "pinned", "{\"namespaces\":[]}"), ==, 200);
  munit_assert_size(t_count(&w.t, "pinnedNamespaces"), ==, 0);
  t_close(&w.t);
}

/* The rank follows the values. Pinned namespaces come after the ranked ones. */
TEST(collection_stat, ranked)
{
  char names[32][96], path[320];
  stat_world w;
  double last = 1e9, figure;
  size_t n, i;
  stat_open(&w);
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/collStats/namespaces"), ==, 200);
  munit_assert_size(t_count(&w.t, "rankedNamespaces"), ==, 0); /* no collections are known */
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/sampleDatasetLoad/Main", w.group), ==, 201);
  t_advance(&w.t, 3600);
  stat_pin(&w, "PUT", "pinned", "{\"namespaces\":[\"pinned.one\"]}");
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/collStats/namespaces"), ==, 200);
  n = t_count(&w.t, "rankedNamespaces");
  munit_assert_size(n, ==, 21);
  for (i = 0; i < n; i++) {
    snprintf(path, sizeof path, "rankedNamespaces[%zu]", i);
    snprintf(names[i], sizeof names[i], "%s", t_str(&w.t, path));
  }
  munit_assert_string_equal(names[20], "pinned.one");
  for (i = 0; i < 20; i++) {
    *strchr(names[i], '.') = '/';
    snprintf(path, sizeof path, "clusters/Main/PRIMARY/%.90s/collStats/measurements?metrics=TOTAL_LATENCY", names[i]);
    munit_assert_int(stat_get(&w, path), ==, 200);
    snprintf(path, sizeof path, "measurements[0].dataPoints[%zu].value", t_count(&w.t, "measurements[0].dataPoints") - 1);
    figure = atof(t_str(&w.t, path));
    munit_assert_double(figure, <=, last);
    last = figure;
  }
  munit_assert_string_equal(t_str(&w.t, "granularity"), "PT5M"); /* for the last day, the default */
  munit_assert_string_equal(t_str(&w.t, "clusterView"), "PRIMARY");
  snprintf(path, sizeof path, "processes/%s/collStats/namespaces?period=PT1H", w.id);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "identifierId"), w.id);
  snprintf(path, sizeof path, "processes/%s/%.90s/collStats/measurements?metrics=TOTAL_LATENCY&period=PT1H", w.id, names[0]);
  munit_assert_int(stat_get(&w, path), ==, 200); /* a process has measurements, too */
  munit_assert_string_equal(t_str(&w.t, "processId"), w.id);
  munit_assert_string_equal(t_str(&w.t, "measurements[0].name"), "TOTAL_LATENCY");
  munit_assert_size(t_count(&w.t, "measurements[0].dataPoints"), >, 0);
  t_close(&w.t);
}

TEST(collection_stat, refused)
{
  stat_world w;
  stat_open(&w);
  munit_assert_int(stat_get(&w, "clusters/Main/TERTIARY/collStats/namespaces"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_PATH_PARAMETER");
  munit_assert_int(stat_get(&w, "clusters/Other/PRIMARY/collStats/namespaces"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  munit_assert_int(stat_get(&w, "processes/nobody:27017/collStats/namespaces"), ==, 404);
  munit_assert_int(stat_get(&w, "processes/nobody:27017/a/b/collStats/measurements"), ==, 404);
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/a/b/collStats/measurements?metrics=X"), ==, 400);
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/a/b/collStats/measurements?period=P1D&start=2025-06-01"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS");
  /* too many days */
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/a/b/collStats/measurements?period=P10Y&metrics=TOTAL_LATENCY"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "period");
  munit_assert_int(stat_get(&w, "clusters/Main/PRIMARY/collStats/namespaces?period=PT1H&start=2025-06-01"), ==, 400);
  munit_assert_int(stat_get(&w, "collStats/metrics"), ==, 200);
  munit_assert_size(t_count(&w.t, "metrics"), ==, 0 SVC_METRICS_COLLECTION(ONE));
  munit_assert_null(t_node(&w.t, "metrics[0].units")); /* a count has no units */
  munit_assert_string_equal(t_str(&w.t, "metrics[1].units"), "MILLISECONDS");
  t_close(&w.t);
}

TEST(collection_stat, search)
{
  stat_world w;
  char path[320];
  stat_open(&w);
  snprintf(path, sizeof path, "hosts/%s/fts/metrics", w.id);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_size(t_count(&w.t, "indexMetrics"), ==, 0 SVC_METRICS_INDEX(ONE));
  munit_assert_size(t_count(&w.t, "hardwareMetrics") + t_count(&w.t, "statusMetrics"), ==, 0 SVC_METRICS_SEARCH(ONE));
  snprintf(path, sizeof path, "hosts/%s/fts/metrics/measurements?granularity=PT1M&period=PT1M&metrics=PAGE_FAULTS&metrics=FTS_DISK_USAGE", w.id);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "hardwareMeasurements[0].name"), "FTS_DISK_USAGE");
  munit_assert_string_equal(t_str(&w.t, "statusMeasurements[0].name"), "PAGE_FAULTS");
  snprintf(path, sizeof path, "hosts/%s/fts/metrics/measurements?granularity=PT1M&period=PT1M", w.id);
  munit_assert_int(stat_get(&w, path), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "metrics");
  snprintf(path, sizeof path, "hosts/%s/fts/metrics/indexes/shop/orders/measurements?granularity=PT1M&period=PT1M&metrics=NUMBER_OF_INSERTS", w.id);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_size(t_count(&w.t, "indexIds"), ==, 0);
  munit_assert_size(t_count(&w.t, "indexStatsMeasurements"), ==, 0);
  t_collection(&w.t, w.group, "Main", "shop", "orders");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"collectionName\":\"orders\",\"database\":\"shop\",\"name\":\"one\",\"definition\":{\"mappings\":{\"dynamic\":true}}}",
                           "/groups/%s/clusters/Main/search/indexes", w.group), ==, 201);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_size(t_count(&w.t, "indexIds"), ==, 1);
  munit_assert_size(t_count(&w.t, "indexStatsMeasurements"), ==, 1);
  snprintf(path, sizeof path, "hosts/%s/fts/metrics/indexes/shop/orders/one/measurements?granularity=PT1M&period=PT1M&metrics=NUMBER_OF_INSERTS", w.id);
  munit_assert_int(stat_get(&w, path), ==, 200);
  munit_assert_size(t_count(&w.t, "indexIds"), ==, 1);
  snprintf(path, sizeof path, "hosts/%s/fts/metrics/indexes/shop/orders/two/measurements?granularity=PT1M&period=PT1M&metrics=NUMBER_OF_INSERTS", w.id);
  munit_assert_int(stat_get(&w, path), ==, 404);
  munit_assert_string_equal(t_param(&w.t, 0), "two");
  t_close(&w.t);
}
