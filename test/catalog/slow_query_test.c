/*
** Slow queries: the questions to the driver, and the parts of its replies that are shown.
*/
#include "catalog/advisor_world.h"

#define LOGS ADV_PROCESS "slowQueryLogs"
#define SPACES ADV_PROCESS "namespaces"

static const char three[] = "["
  ADV_RAN(00200, "shop.orders", 300, 1000, 4, "\"line\":\"two\",\"host\":\"" ADV_HOST "\",\"keysExamined\":6,\"replicaState\":\"PRIMARY\",\"hasSort\":true") ","
  ADV_RAN(00100, "shop.users", 400, 0, 0, "\"line\":\"one\",\"keysExamined\":7") ","
  ADV_RAN(00300, "shop.orders", 200, 9, 3, "\"line\":\"three\"") ","
  ADV_RAN(00300, "shop.else", 900, 9, 3, "\"line\":\"elsewhere\",\"host\":\"" ADV_OTHER "\"") ","
  "{\"at\":5,\"namespace\":\"shop.old\",\"opType\":\"find\",\"durationMicros\":1,\"line\":\"too old\"}]";

TEST(slow_query, lines)
{
  static adv_world w;
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_QUERIES, three);
  adv_good(&w, LOGS, "");
  munit_assert_string_equal(w.driver.asked, "slowQueries cluster C {\"hosts\":[\"" ADV_HOST "\"],\"known\":[],\"most\":20000,"
                            "\"since\":1749340800000,\"until\":1749427200000}");
  munit_assert_string_equal(adv_text(&w, "slowQueries"), "[{\"line\":\"one\",\"namespace\":\"shop.users\"},"
                            "{\"line\":\"two\",\"namespace\":\"shop.orders\"},{\"line\":\"three\",\"namespace\":\"shop.orders\"}]");
  munit_assert_string_not_equal(t_link(&w.t, "self"), "");
  adv_good(&w, LOGS, "?nLogs=1"); /* the newest */
  munit_assert_string_equal(t_str(&w.t, "slowQueries[0].line"), "three");
  adv_good(&w, LOGS, "?nLogs=0");
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 0);
  adv_good(&w, LOGS, "?namespaces=shop.users&namespaces=shop.no&includeMetrics=true&includeOpType=true&includeReplicaState=true");
  munit_assert_not_null(strstr(w.driver.asked, "\"namespaces\":[\"shop.users\",\"shop.no\"]"));
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "slowQueries[0].opType"), "find");
  munit_assert_string_equal(t_str(&w.t, "slowQueries[0].metrics.hasIndexCoverage"), "true");
  munit_assert_string_equal(t_str(&w.t, "slowQueries[0].replicaState"), "");
  adv_good(&w, LOGS, "?includeMetrics=true&includeReplicaState=true&since=1749423600200&duration=50");
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "slowQueries[0].replicaState"), "PRIMARY");
  munit_assert_string_equal(adv_text(&w, "slowQueries[0].metrics"), "{\"docsExamined\":1000,\"docsExaminedReturnedRatio\":250,"
                            "\"docsReturned\":4,\"hasIndexCoverage\":false,\"hasSort\":true,\"keysExamined\":6,"
                            "\"keysExaminedReturnedRatio\":1.500,\"operationExecutionTime\":300}");
  t_close(&w.t);
}

/* Missing values are not shown, nor is anything derived from them. */
TEST(slow_query, measured)
{
#define SLOW(more) "[{\"at\":1749423600000,\"namespace\":\"a.b\",\"opType\":\"find\",\"durationMicros\":2000" more "}]"
  static const struct {
    const char *said, *metrics;
  } rows[] = {
    { SLOW(""), "{\"hasIndexCoverage\":false,\"operationExecutionTime\":2}" },
    { SLOW(",\"docsReturned\":2"), "{\"docsReturned\":2,\"hasIndexCoverage\":false,\"operationExecutionTime\":2}" },
    { SLOW(",\"docsExamined\":2"), "{\"docsExamined\":2,\"hasIndexCoverage\":false,\"operationExecutionTime\":2}" },
    { SLOW(",\"keysExamined\":2"), "{\"hasIndexCoverage\":true,\"keysExamined\":2,\"operationExecutionTime\":2}" },
    { SLOW(",\"keysExamined\":2,\"hasIndexCoverage\":false"), "{\"hasIndexCoverage\":false,\"keysExamined\":2,\"operationExecutionTime\":2}" },
    { SLOW(",\"keysExamined\":9,\"docsReturned\":3"), "{\"docsReturned\":3,\"hasIndexCoverage\":true,\"keysExamined\":9,\"keysExaminedReturnedRatio\":3,"
      "\"operationExecutionTime\":2}" },
  };
  static adv_world w;
  size_t i;
  adv_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_driver_answers(&w.driver, ADV_QUERIES, rows[i].said);
    adv_good(&w, LOGS, "?includeMetrics=true&includeOpType=false");
    munit_assert_string_equal(adv_text(&w, "slowQueries[0].metrics"), rows[i].metrics);
    munit_assert_string_equal(t_str(&w.t, "slowQueries[0].opType"), "");
  }
  adv_good(&w, LOGS, "?since=1749000000000&duration=1000000000&nLogs=5"); /* ends in the future */
  adv_good(&w, LOGS, "?duration=1");
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 0);
  adv_good(&w, LOGS, "?duration=253402300799999"); /* longer than all time: since the creation of the cluster */
  munit_assert_not_null(strstr(w.driver.asked, "\"since\":1748736000000,"));
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 1);
  t_close(&w.t);
}

TEST(slow_query, names)
{
  static char many[8192];
  static adv_world w;
  size_t n = 1;
  int i;
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_QUERIES, three);
  adv_good(&w, SPACES, "");
  munit_assert_string_equal(adv_text(&w, "namespaces"), "[{\"namespace\":\"shop.orders\",\"type\":\"collection\"},"
                            "{\"namespace\":\"shop.users\",\"type\":\"collection\"}]"); /* 500 ms, 400 ms */
  many[0] = '[';
  for (i = 0; i < 30; i++)
    n += (size_t)snprintf(many + n, sizeof many - n, "%s{\"at\":1749423600000,\"namespace\":\"a.c%02d\",\"opType\":\"find\",\"durationMicros\":5}",
                          i ? "," : "", i);
  snprintf(many + n, sizeof many - n, "]");
  t_driver_answers(&w.driver, ADV_QUERIES, many);
  adv_good(&w, SPACES, "");
  munit_assert_size(t_count(&w.t, "namespaces"), ==, 20);
  munit_assert_string_equal(t_str(&w.t, "namespaces[19].namespace"), "a.c19");
  t_close(&w.t);
}

TEST(slow_query, refused)
{
  static adv_world w;
  adv_open(&w);
  adv_bad(&w, "/groups/%s/processes/c.example.net:27017/performanceAdvisor/slowQueryLogs", "", 404, "RESOURCE_NOT_FOUND");
  adv_bad(&w, LOGS, "?nLogs=20001", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, LOGS, "?nLogs=-1", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, LOGS, "?namespaces=shop", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, LOGS, "?duration=-1", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, LOGS, "?since=5", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, LOGS, "?since=1849340800000", 400, "START_DATE_AFTER_END_DATE"); /* until now */
  adv_good(&w, LOGS, "?since=1849340800000&duration=5");                      /* no queries yet */
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 0);
  t_driver_answers(&w.driver, ADV_QUERIES, "{\"queries\":[]}"); /* a reply that is no such list is refused */
  adv_bad(&w, LOGS, "", 503, "SERVICE_UNAVAILABLE");
  t_driver_answers(&w.driver, ADV_QUERIES, "[{\"at\":1,\"namespace\":\"a.b\",\"opType\":\"find\"}]");
  adv_bad(&w, LOGS, "", 503, "SERVICE_UNAVAILABLE");
  t_driver_answers(&w.driver, ADV_QUERIES, "[{\"at\":1,\"namespace\":\"a.b\",\"opType\":\"find\",\"durationMicros\":1,\"extra\":1}]");
  adv_bad(&w, SPACES, "", 503, "SERVICE_UNAVAILABLE");
  t_driver_answers(&w.driver, ADV_QUERIES, "[");
  adv_bad(&w, SPACES, "", 503, "SERVICE_UNAVAILABLE");
  t_close(&w.t);
}

/* The driver is not asked about a paused cluster. */
TEST(slow_query, paused)
{
  static adv_world w;
  int before;
  adv_open(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", "/groups/%s/clusters/C", w.group), ==, 200);
  before = w.driver.asks;
  adv_good(&w, LOGS, "");
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 0);
  adv_good(&w, ADV_CLUSTER "suggestedIndexes", "");
  adv_good(&w, ADV_CLUSTER "schemaAdvice", "");
  munit_assert_int(w.driver.asks, ==, before);
  t_close(&w.t);
}

/* The simulation has queries on the known collections, the same each time, as lines in the format of the server's log. */
TEST_SERVICE(slow_query, simulated)
{
  static char first[65536];
  const svc_node *one;
  char host[128], path[256];
  const char *group, *standard;
  group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "POST", PROBE_CLUSTER("C", "M10"), "/groups/%s/clusters", group), ==, 201);
  t_advance(t, 10);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  standard = t_str(t, "connectionStrings.standard");
  snprintf(host, sizeof host, "%.*s", (int)strcspn(standard + 5, ","), standard + 5);
  snprintf(path, sizeof path, "/groups/%s/processes/%s/performanceAdvisor/slowQueryLogs?includeMetrics=true&includeOpType=true", group, host);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_size(t_count(t, "slowQueries"), ==, 0); /* no collection is known */
  t_collection(t, group, "C", "shop", "movies");
  munit_assert_int(t_sendf(t, "POST", "{\"collectionName\":\"movies\",\"database\":\"shop\",\"name\":\"x\",\"definition\":{\"mappings\":"
                           "{\"dynamic\":true}}}", "/groups/%s/clusters/C/search/indexes", group), ==, 201);
  t_advance(t, 86400 * 2);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_size(t_count(t, "slowQueries"), >, 10);
  munit_assert_size(t_count(t, "slowQueries"), <, 145);
  for (one = t_node(t, "slowQueries")->first; one; one = one->next) {
    munit_assert_true(svc_str_is(svc_node_str(one, "namespace"), "shop.movies"));
    munit_assert_not_null(strstr(svc_node_str(one, "line").p, "\"c\":\"COMMAND\",\"id\":51803"));
  }
  snprintf(first, sizeof first, "%s", t->response.body);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t->response.body, first);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/processes/%s/performanceAdvisor/slowQueryLogs?since=1199145600000", group, host), ==, 200);
  munit_assert_size(t_count(t, "slowQueries"), <, 145); /* over seventeen years */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/C/performanceAdvisor/suggestedIndexes", group), ==, 200);
  munit_assert_size(t_count(t, "suggestedIndexes"), >, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/C/performanceAdvisor/suggestedIndexes?namespaces=shop.none&namespaces=shop.movies", group), ==, 200);
  munit_assert_size(t_count(t, "suggestedIndexes"), >, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/C/performanceAdvisor/suggestedIndexes?namespaces=shop.none", group), ==, 200);
  munit_assert_size(t_count(t, "suggestedIndexes"), ==, 0);
}
