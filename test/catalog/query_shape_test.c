/*
** Query shapes: statistics of prepared records, rejected shapes, and the orders to the driver.
**
** Tests also: query_shape_insight
*/
#include "catalog/advisor_world.h"
#include "needs.h"

#define NEED_SHAPE "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}"
#define NEED_INSIGHTS "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights"

T_NEEDS(query_shape) = {
  /* a shape exists once it is rejected, and then has details */
  T_FIRST(SVC_GET, NEED_SHAPE, SVC_PATCH, NEED_SHAPE, NULL),
  T_FIRST(SVC_PATCH, NEED_SHAPE, SVC_PATCH, NEED_SHAPE, NULL),
  T_FIRST(SVC_GET, NEED_INSIGHTS "/{queryShapeHash}/details", SVC_PATCH, NEED_SHAPE, NULL),
  T_PATCH_MAKES(NEED_SHAPE),
  T_PATCH_ANY(NEED_SHAPE),
  T_KEY(NULL, "queryShapeHash", "ABCDEF00ABCDEF00ABCDEF00ABCDEF00ABCDEF00ABCDEF00ABCDEF00ABCDEF00"),
  T_SAMPLE("queryShapeHash", "00000000000000000000000000000000000000000000000000000000000000aa"),
  /* query_shape_insight.c reads these for each reported query, and the hashes in a loop */
  T_UNSEEN("/queryShapeInsights/", "commands"),
  T_UNSEEN("/queryShapeInsights/", "series"),
  T_UNSEEN("/queryShapeInsights/", "namespaces"),
  T_UNSEEN("/queryShapeInsights/", "processIds"),
  T_UNSEEN("/queryShapeInsights/", "queryShapeHashes"),
  T_NEEDS_END
};

#define EIGHT(d) d d d d d d d d
#define HASH(d) EIGHT(EIGHT(d))
#define SUMMARIES "/groups/%s/clusters/C/queryShapeInsights/summaries"
#define DETAILS(d) "/groups/%s/clusters/C/queryShapeInsights/" HASH(d) "/details"
#define SHAPES "/groups/%s/clusters/C/queryShapes"

#define STAT(d, at, space, op, count, micros, more) \
  "{\"queryShapeHash\":\"" HASH(d) "\",\"at\":17494236" #at ",\"namespace\":\"" space "\",\"opType\":\"" op "\",\"count\":" #count \
  ",\"durationMicros\":" #micros more "}"

static const char stats[] = "["
  STAT("A", 00300, "s.c", "find", 90, 90000, ",\"docsExamined\":900,\"docsReturned\":300,\"keysExamined\":150,\"bytesRead\":7,"
       "\"appName\":\"new\",\"driverName\":\"d\",\"driverVersion\":\"2\"") ","
  STAT("A", 00100, "s.c", "find", 9, 90000, ",\"docsExamined\":100,\"docsReturned\":100,\"appName\":\"old\",\"cpuMicros\":1500,"
       "\"filter\":{\"a\":5,\"b\":[{\"$gt\":\"x\"},2]},\"host\":\"" ADV_OTHER "\"") ","
  STAT("A", 00200, "s.c", "find", 1, 50000, ",\"responseMicros\":1000") ","
  STAT("B", 00100, "s.d", "aggregate", 1, 900000, ",\"queryShape\":\"as it is\",\"systemQuery\":true") ","
  STAT("C", 00100, "s.d", "update", 1, 900000, "") ","
  "{\"at\":1749423600100,\"namespace\":\"s.d\",\"opType\":\"find\",\"durationMicros\":5}]";

static adv_world w;

/* Checks that the driver was asked for a range that ends where it begins. */
static void adv_asks_moment(void)
{
  const char *since = strstr(w.driver.asked, "\"since\":"), *until = strstr(w.driver.asked, "\"until\":");
  munit_assert_not_null(since);
  munit_assert_not_null(until);
  munit_assert_llong(atoll(since + 8), ==, atoll(until + 8));
}

TEST(query_shape, summaries)
{
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_STATS, stats);
  adv_good(&w, SUMMARIES, "");
  munit_assert_not_null(strstr(w.driver.asked, "queryStats cluster C "));
  adv_good(&w, SUMMARIES, "?since=4102444800000&until=4102444801000"); /* in the future: the driver is asked for the present moment */
  adv_asks_moment();
  adv_good(&w, SUMMARIES, "?since=1199145600000&until=1199145601000"); /* before the cluster existed: for the end of this range */
  adv_asks_moment();
  adv_good(&w, SUMMARIES, "");
  munit_assert_size(t_count(&w.t, "summaries"), ==, 2); /* other commands, and queries without a hash, have no summary */
  munit_assert_string_equal(t_str(&w.t, "summaries[0].queryShapeHash"), HASH("B")); /* the slowest first */
  munit_assert_string_equal(t_str(&w.t, "summaries[0].queryShape"), "as it is");
  munit_assert_string_equal(t_str(&w.t, "summaries[0].systemQuery"), "true");
  munit_assert_null(t_node(&w.t, "summaries[0].cpuTime")); /* not measured: left out, since null is never shown */
  munit_assert_string_equal(t_str(&w.t, "summaries[1].command"), "find");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].namespace"), "s.c");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].execCount"), "100");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].totalWorkingMillis"), "230");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].avgWorkingMillis"), "2.300");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].docsExamined"), "1000");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].docsExaminedRatio"), "2.500");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].keysExaminedRatio"), "0.375");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].bytesRead"), "7");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].cpuTime"), "1.500");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].lastExecMicros"), "1000");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].totalTimeToResponseMicros"), "181000");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].p50ExecMicros"), "1000"); /* 90 of 1 ms, 9 of 10 ms, 1 of 50 ms */
  munit_assert_string_equal(t_str(&w.t, "summaries[1].p90ExecMicros"), "1000");
  munit_assert_string_equal(t_str(&w.t, "summaries[1].p99ExecMicros"), "10000");
  adv_good(&w, SUMMARIES, "?nSummaries=1");
  munit_assert_size(t_count(&w.t, "summaries"), ==, 1);
  adv_good(&w, SUMMARIES, "?commands=find&commands=distinct");
  munit_assert_size(t_count(&w.t, "summaries"), ==, 1);
  adv_good(&w, SUMMARIES, "?namespaces=s.d");
  munit_assert_string_equal(t_str(&w.t, "summaries[0].queryShapeHash"), HASH("B"));
  adv_good(&w, SUMMARIES, "?queryShapeHashes=" HASH("a"));
  munit_assert_string_equal(t_str(&w.t, "summaries[0].queryShapeHash"), HASH("A"));
  adv_good(&w, SUMMARIES, "?processIds=" ADV_HOST "&queryShapeHashes=" HASH("A")); /* without the queries of the other process */
  munit_assert_string_equal(t_str(&w.t, "summaries[0].execCount"), "91");
  adv_good(&w, SUMMARIES, "?series=EXECUTION_COUNT&series=CPU_TIME&nSummaries=1");
  svc_node_drop((svc_node *)(uintptr_t)t_node(&w.t, "summaries[0]"), "links");
  munit_assert_string_equal(adv_text(&w, "summaries[0]"), "{\"command\":\"aggregate\",\"execCount\":1,\"namespace\":\"s.d\","
                            "\"queryShape\":\"as it is\",\"queryShapeHash\":\"" HASH("B") "\",\"systemQuery\":true}");
  adv_bad(&w, SUMMARIES, "?series=EXECUTION_COUNT&series=EXECUTION_COUNT", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, SUMMARIES, "?commands=update", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, SUMMARIES, "?nSummaries=101", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, SUMMARIES, "?queryShapeHashes=abc", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, SUMMARIES, "?since=1749340800001&until=1749340800000", 400, "START_DATE_AFTER_END_DATE");
  adv_bad(&w, SUMMARIES, "?namespaces=a.b&namespaces=a.c&namespaces=a.d&namespaces=a.e&namespaces=a.f&namespaces=a.g&namespaces=a.h"
          "&namespaces=a.i&namespaces=a.j&namespaces=a.k&namespaces=a.l", 400, "INVALID_QUERY_PARAMETER");
  t_driver_answers(&w.driver, ADV_STATS, "[" STAT("C", 00100, "s.d", "find", 1, 5000, "") "," STAT("A", 00100, "s.d", "find", 1, 5000, "") "," STAT("B", 00100, "s.d", "find", 1, 5000, "") "]");
  adv_good(&w, SUMMARIES, ""); /* shapes of the same duration are sorted by hash */
  munit_assert_string_equal(t_str(&w.t, "summaries[0].queryShapeHash"), HASH("A"));
  munit_assert_string_equal(t_str(&w.t, "summaries[1].queryShapeHash"), HASH("B"));
  munit_assert_string_equal(t_str(&w.t, "summaries[2].queryShapeHash"), HASH("C"));
  t_driver_answers(&w.driver, ADV_STATS, "[{\"count\":0}]");
  adv_bad(&w, SUMMARIES, "", 503, "SERVICE_UNAVAILABLE");
  t_close(&w.t);
}

TEST(query_shape, details)
{
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_STATS, stats);
  adv_good(&w, DETAILS("a"), "");
  munit_assert_string_equal(adv_text(&w, "firstSeen"), "{\"applicationName\":\"old\",\"timestamp\":1749423600}");
  munit_assert_string_equal(adv_text(&w, "lastSeen"), "{\"applicationName\":\"new\",\"driverName\":\"d\",\"driverVersion\":\"2\","
                            "\"timestamp\":1749423600}");
  munit_assert_string_equal(t_str(&w.t, "queryStats.execCount"), "100");
  adv_good(&w, DETAILS("A"), "?until=1749423600100");
  munit_assert_string_equal(t_str(&w.t, "queryStats.queryShape"), /* without values */
                            "{\"command\":\"find\",\"filter\":{\"a\":\"?number\",\"b\":[{\"$gt\":\"?string\"}]}}");
  adv_bad(&w, DETAILS("D"), "", 404, "RESOURCE_NOT_FOUND");
  adv_bad(&w, DETAILS("C"), "", 404, "RESOURCE_NOT_FOUND");
  adv_bad(&w, "/groups/%s/clusters/C/queryShapeInsights/abc/details", "", 400, "INVALID_PATH_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "queryShapeHash");
  t_close(&w.t);
}

static int shape_set(const char *hash, const char *body)
{
  return t_sendf(&w.t, "PATCH", body, SHAPES "/%s", w.group, hash);
}

static int64_t shape_events(const char *type)
{
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=%s&clusterNames=C", w.group, type), ==, 200);
  return t_int(&w.t, "totalCount");
}

#define REJECT "{\"status\":\"REJECTED\"}"
#define ACCEPT "{\"status\":\"UNREJECTED\"}"

TEST(query_shape, rejected)
{
  char tag[64];
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_STATS, stats);
  adv_good(&w, SHAPES "/" HASH("a"), "");
  munit_assert_string_equal(t_str(&w.t, "status"), "UNREJECTED");
  munit_assert_string_equal(t_str(&w.t, "command"), "FIND");
  munit_assert_string_not_equal(t_link(&w.t, "self"), "");
  munit_assert_int(shape_set(HASH("a"), REJECT), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "REJECTED");
  munit_assert_string_equal(t_str(&w.t, "namespace"), "s.c");
  munit_assert_string_equal(t_str(&w.t, "queryShapeHash"), HASH("A")); /* in upper case, even if the request used lower case */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(t_driver_order(&w.driver, "")->action, "query_shape.reject");
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, HASH("A")));
  munit_assert_int64(shape_events("QUERY_SHAPE_BLOCKED"), ==, 1);
  munit_assert_int(shape_set(HASH("A"), REJECT), ==, 200); /* unchanged */
  munit_assert_int64(shape_events("QUERY_SHAPE_BLOCKED"), ==, 1);
  t_driver_answers(&w.driver, ADV_STATS, "[]");
  adv_good(&w, SHAPES, "?status=REJECTED");
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].command"), "FIND");
  adv_good(&w, SHAPES "/" HASH("a"), ""); /* a rejected shape is read from the store, without the driver */
  munit_assert_string_equal(t_str(&w.t, "status"), "REJECTED");
  snprintf(tag, sizeof tag, "%s", t_get_header(&w.t, "ETag"));
  adv_good(&w, DETAILS("A"), "");
  munit_assert_string_equal(adv_text(&w, "queryStats.execCount"), "0");
  munit_assert_string_equal(t_str(&w.t, "queryStats.command"), "find");
  t_header(&w.t, "If-Match", "\"1\"");
  munit_assert_int(shape_set(HASH("A"), ACCEPT), ==, 412);
  t_headers_clear(&w.t);
  t_header(&w.t, "If-Match", tag);
  munit_assert_int(shape_set(HASH("A"), ACCEPT), ==, 200);
  t_headers_clear(&w.t);
  munit_assert_string_equal(t_str(&w.t, "status"), "UNREJECTED");
  munit_assert_string_equal(t_str(&w.t, "namespace"), "s.c");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(t_driver_order(&w.driver, "")->action, "query_shape.unreject");
  munit_assert_int64(shape_events("QUERY_SHAPE_UNBLOCKED"), ==, 1);
  adv_good(&w, SHAPES, "");
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  adv_bad(&w, SHAPES "/" HASH("A"), "", 404, "RESOURCE_NOT_FOUND");
  munit_assert_int(shape_set(HASH("A"), ACCEPT), ==, 404); /* neither rejected nor seen */
  t_driver_answers(&w.driver, ADV_STATS, stats);
  munit_assert_int(shape_set(HASH("A"), ACCEPT), ==, 200);
  munit_assert_int64(shape_events("QUERY_SHAPE_UNBLOCKED"), ==, 1);
  t_close(&w.t);
}

/* A shape can be rejected even if it was never seen, or if the driver does not answer. */
TEST(query_shape, unseen)
{
  adv_open(&w);
  munit_assert_int(shape_set(HASH("1"), REJECT), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "command"), "");
  t_driver_answers(&w.driver, ADV_STATS, NULL); /* the question fails */
  munit_assert_int(shape_set(HASH("2"), REJECT), ==, 200);
  t_driver_answers(&w.driver, ADV_STATS, "nonsense");
  munit_assert_int(shape_set(HASH("3"), REJECT), ==, 200);
  adv_bad(&w, SHAPES "/" HASH("4"), "", 503, "SERVICE_UNAVAILABLE");
  t_driver_answers(&w.driver, ADV_STATS, "[]");
  munit_assert_int(shape_set(HASH("4"), "{}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "status"));
  munit_assert_int(shape_set(HASH("3"), "{}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "status"));
  munit_assert_int(shape_set(HASH("4"), "{\"status\":\"BLOCKED\"}"), ==, 400);
  munit_assert_int(shape_set(HASH("4"), "{\"status\":\"REJECTED\",\"namespace\":\"a.b\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "namespace"));
  munit_assert_int(shape_set("abc", REJECT), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_PATH_PARAMETER");
  munit_assert_int(t_sendf(&w.t, "PATCH", REJECT, "/groups/%s/clusters/D/queryShapes/" HASH("1"), w.group), ==, 404);
  adv_bad(&w, SHAPES, "?status=UNREJECTED", 400, "INVALID_QUERY_PARAMETER");
  adv_good(&w, SHAPES, "");
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  t_close(&w.t);
}

/* Unusual replies about a shape: unknown or too long values are left out. A change with a stale ETag or an invalid body is refused. */
TEST(query_shape, odd)
{
  static char long_ones[20000];
  static char text[17001];
  char space[602];
  adv_open(&w);
  t_driver_answers(&w.driver, ADV_STATS, stats);
  adv_good(&w, SHAPES "/" HASH("C"), ""); /* "update" is not among the known commands */
  munit_assert_null(t_node(&w.t, "command"));
  munit_assert_string_equal(t_str(&w.t, "namespace"), "s.d");
  t_driver_answers(&w.driver, ADV_STATS, "[" STAT("D", 00100, "s.d", "distinct", 1, 900000, ",\"filter\":{\"a\":[],\"b\":{\"$in\":[]}}") "]");
  adv_good(&w, SHAPES "/" HASH("D"), "");
  munit_assert_string_equal(t_str(&w.t, "command"), "DISTINCT");
  munit_assert_not_null(strstr(t_str(&w.t, "queryShape"), "\"a\":[]"));
  memset(space, 'n', sizeof space);
  memcpy(space, "s.", 2);
  space[601] = 0;
  memset(text, 't', sizeof text);
  text[17000] = 0;
  snprintf(long_ones, sizeof long_ones, "[" STAT("E", 00100, "%s", "find", 1, 900000, ",\"queryShape\":\"%s\"") "]", space, text);
  t_driver_answers(&w.driver, ADV_STATS, long_ones);
  adv_good(&w, SHAPES "/" HASH("E"), "");
  munit_assert_null(t_node(&w.t, "namespace"));
  munit_assert_null(t_node(&w.t, "queryShape"));
  munit_assert_string_equal(t_str(&w.t, "command"), "FIND");
  t_header(&w.t, "If-Match", "\"1\"");
  munit_assert_int(shape_set(HASH("E"), REJECT), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_int(shape_set(HASH("E"), "[]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_JSON");
  adv_good(&w, SHAPES, "");
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  adv_bad(&w, SUMMARIES, "?commands=find&commands=find", 400, "INVALID_QUERY_PARAMETER");
  adv_good(&w, SUMMARIES, "?namespaces=s.d&namespaces=s.d"); /* the same namespace twice is allowed */
  t_close(&w.t);
}

TEST(query_shape, most)
{
  char hash[65];
  int i;
  adv_open(&w);
  for (i = 0; i < 1000; i++) {
    snprintf(hash, sizeof hash, "%064d", i);
    munit_assert_int(shape_set(hash, REJECT), ==, 200);
  }
  munit_assert_int(shape_set(HASH("F"), REJECT), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "TOO_MANY_RESOURCES");
  munit_assert_int(shape_set(hash, ACCEPT), ==, 200);
  munit_assert_int(shape_set(HASH("F"), REJECT), ==, 200);
  t_close(&w.t);
}
