/*
** Stream processors: the structure of their pipelines, checked in time proportional to their length; states by the
** clock and by a driver, and the operations allowed in each; failover; questions to the driver; logs.
**
** Tests also: stream_log
*/
#include "catalog/stream_world.h"
#include "needs.h"

#include <time.h>

#define NEED_PROCESSOR "/groups/{groupId}/streams/{tenantName}/processor/{processorName}"

T_NEEDS(stream_processor) = {
  T_FIRST(SVC_POST, NEED_PROCESSOR ":stop", SVC_POST, NEED_PROCESSOR ":start", NULL), /* only a started processor can be stopped */
  T_NEEDS_END
};

#define AT "/W/processor"
#define P AT "/p"
#define PIPE(stages) "{\"name\":\"p\",\"pipeline\":[" stages "]}"
#define IN(stages) PIPE(SOLAR "," stages "," SINK)
#define WINDOW(stages) "{\"$tumblingWindow\":{\"interval\":{\"size\":1,\"unit\":\"second\"},\"pipeline\":[" stages "]}}"

static void expect_state(stream_world *w, const char *state)
{
  munit_assert_int(stream_call(w, "GET", P, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "state"), state);
}

static void make(stream_world *w, const char *body)
{
  stream_expect(w, stream_call(w, "POST", AT, body), 202, NULL);
}

static void make_connections(stream_world *w)
{
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER("C"), "/groups/%s/clusters", w->group), ==, 201);
  munit_assert_int(stream_call(w, "POST", "/W/connections", "{\"name\":\"db\",\"type\":\"Cluster\",\"clusterName\":\"C\"}"), ==, 202);
  munit_assert_int(stream_call(w, "POST", "/W/connections", "{\"name\":\"web\",\"type\":\"Https\",\"url\":\"https://example.com\"}"), ==, 202);
  munit_assert_int(stream_call(w, "POST", "/W/connections", KAFKA("k", "")), ==, 202);
}

/* --------------------------------------------------------------------------------------------------------------- pipelines */

TEST(stream_processor, pipelines)
{
  static const char *const good[] = {
    PIPE("{\"$source\":{\"documents\":[{\"a\":1}]}}," SINK),
    IN("{\"$match\":{\"a\":1}},{\"$unset\":\"a\"},{\"$replaceWith\":\"$b\"}"),
    IN(WINDOW("{\"$group\":{\"_id\":\"$a\"}},{\"$sort\":{\"_id\":1}},{\"$limit\":3}")),
    PIPE("{\"$source\":{\"connectionName\":\"k\",\"topic\":\"t\"}},{\"$merge\":{\"into\":{\"connectionName\":\"db\",\"db\":\"a\",\"coll\":\"b\"}}}"),
    IN("{\"$lookup\":{\"from\":{\"connectionName\":\"db\",\"db\":\"a\",\"coll\":\"b\"},\"as\":\"x\"}},{\"$https\":{\"connectionName\":\"web\",\"as\":\"y\"}}"),
    "{\"name\":\"p\",\"pipeline\":[" SOLAR "," SINK "],\"options\":{\"dlq\":{\"connectionName\":\"db\",\"db\":\"a\",\"coll\":\"b\"}},\"tier\":\"SP50\"}",
  };
  static const struct {
    const char *body, *field;
  } bad[] = {
    { "{\"name\":\"p\"}", "pipeline" },
    { PIPE(""), "pipeline" },
    { "{\"name\":\"p\",\"pipeline\":{}}", "pipeline" },
    { "{\"pipeline\":[" SOLAR "," SINK "]}", "name" },
    { PIPE("1," SINK), "pipeline[0]" },
    { PIPE("{}," SINK), "pipeline[0]" },
    { PIPE("{\"$source\":{},\"$emit\":{}}," SINK), "pipeline[0]" },
    { PIPE("{\"$match\":{}}," SINK), "pipeline[0]" },
    { PIPE(SOLAR), "pipeline[0]" },
    { PIPE(SOLAR ",{\"$match\":{}}"), "pipeline[1]" },
    { IN(SOLAR), "pipeline[1]" },
    { IN(SINK), "pipeline[1]" },
    { IN("{\"$out\":{}}"), "pipeline[1]" },
    { IN("{\"$match\":1}"), "pipeline[1].$match" },
    { IN("{\"$group\":{\"_id\":1}}"), "pipeline[1]" },
    { IN(WINDOW(SINK)), "pipeline[1].$tumblingWindow.pipeline[0]" },
    { IN(WINDOW(WINDOW("{\"$match\":{}}"))), "pipeline[1].$tumblingWindow.pipeline[0]" },
    { IN("{\"$hoppingWindow\":{}}"), "pipeline[1].$hoppingWindow.pipeline" },
    { IN(WINDOW("")), "pipeline[1].$tumblingWindow.pipeline" },
    { PIPE("{\"$source\":{}}," SINK), "pipeline[0].$source.connectionName" },
    { PIPE("{\"$source\":{\"connectionName\":7}}," SINK), "pipeline[0].$source.connectionName" },
    { PIPE("{\"$source\":{\"connectionName\":\"nobody\"}}," SINK), "pipeline[0].$source.connectionName" },
    { PIPE("{\"$source\":{\"connectionName\":\"__testLog\"}}," SINK), "pipeline[0].$source.connectionName" },
    { PIPE("{\"$source\":{\"connectionName\":\"web\"}}," SINK), "pipeline[0].$source.connectionName" },
    { PIPE(SOLAR ",{\"$emit\":{\"connectionName\":\"sample_stream_solar\"}}"), "pipeline[1].$emit.connectionName" },
    { PIPE(SOLAR ",{\"$merge\":{\"into\":\"db\"}}"), "pipeline[1].$merge.into.connectionName" },
    { PIPE(SOLAR ",{\"$merge\":{\"into\":{\"connectionName\":\"k\"}}}"), "pipeline[1].$merge.into.connectionName" },
    { IN(WINDOW("{\"$lookup\":{\"from\":{\"connectionName\":\"k\"}}}")), "pipeline[1].$tumblingWindow.pipeline[0].$lookup.from.connectionName" },
    { PIPE("{\"$source\":{\"connectionName\":\"k\",\"schemaRegistry\":{\"connectionName\":\"k\"}}}," SINK),
      "pipeline[0].$source.schemaRegistry.connectionName" },
    { PROCESSOR("p", "", ",\"options\":{\"dlq\":{\"connectionName\":\"db\",\"db\":\"a\"}}"), "options.dlq.coll" },
    { PROCESSOR("p", "", ",\"options\":{\"dlq\":{\"connectionName\":\"k\",\"db\":\"a\",\"coll\":\"b\"}}"), "options.dlq.connectionName" },
    { PROCESSOR("p", "", ",\"tier\":\"SP99\""), "tier" },
    { PROCESSOR("p/q", "", ""), "name" },
  };
  stream_world w;
  size_t i;
  stream_open(&w, false);
  make_connections(&w);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) stream_refused(&w, "POST", AT, bad[i].body, bad[i].field);
  munit_assert_int(stream_call(&w, "GET", "/W/processors", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    make(&w, good[i]);
    munit_assert_int(stream_call(&w, "DELETE", P, NULL), ==, 204);
  }
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"streamConfig\":{\"tier\":\"SP5\",\"maxTierSize\":\"SP10\"}}"), ==, 200);
  stream_refused(&w, "POST", AT, PROCESSOR("p", "", ",\"tier\":\"SP30\""), "tier");
  make(&w, PROCESSOR("p", "", ""));
  munit_assert_string_equal(t_str(&w.t, "tier"), "SP5"); /* the tier of the workspace */
  t_advance(&w.t, 100);
  stream_refused(&w, "POST", P ":startWith", "{\"tier\":\"SP30\"}", "tier"); /* a start with a larger tier is refused, too */
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"tier\":\"SP10\"}"), ==, 200);
  stream_expect(&w, stream_call(&w, "POST", AT, PROCESSOR("p", "", "")), 409, "STREAM_PROCESSOR_ALREADY_EXISTS");
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"failoverRegions\":[]}"), ==, 200);
  stream_refused(&w, "POST", AT, PROCESSOR("q", "", ",\"failoverEnabled\":true"), "failoverEnabled");
  t_close(&w.t);
}

/* Returns a pipeline of about this many bytes, in one of several structures. */
static char *large(size_t bytes, int shape)
{
  static const char *const stages[] = { ",{\"$match\":{}}", ",1", ",{\"$lookup\":{\"from\":{\"connectionName\":\"nobody\"}}}", ",{\"$x\":[[[[1]]]]}" };
  char *out = munit_malloc(bytes + 512);
  size_t n = (size_t)sprintf(out, "{\"name\":\"p\",\"pipeline\":[" SOLAR);
  if (shape == 4) n += (size_t)sprintf(out + n, "," "{\"$tumblingWindow\":{\"pipeline\":[{\"$match\":{}}");
  if (shape == 5) n += (size_t)sprintf(out + n, ",{\"$match\":{\"a\":\"");
  while (n < bytes)
    if (shape == 5) out[n++] = 'x';
    else n += (size_t)sprintf(out + n, "%s", stages[shape == 4 ? 2 : shape]);
  if (shape == 4) n += (size_t)sprintf(out + n, "]}}");
  if (shape == 5) n += (size_t)sprintf(out + n, "\"}}");
  sprintf(out + n, "," SINK "]}");
  return out;
}

static double seconds_of(stream_world *w, const char *body)
{
  struct timespec from, to;
  double best = 1e9, took;
  int i;
  for (i = 0; i < 3; i++) {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    stream_refused(w, "POST", AT, body, "pipeline");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    took = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    if (took < best) best = took;
  }
  return best;
}

/* A pipeline of a megabyte is refused with the name of the field, in time proportional to its length: four times as much takes
** less than ten times as long. */
TEST(stream_processor, megabyte)
{
  stream_world w;
  int shape;
  stream_open(&w, false);
  for (shape = 0; shape < 6; shape++) {
    char *small = large(250000, shape), *whole = large(1000000, shape);
    double one = seconds_of(&w, small), four = seconds_of(&w, whole);
    if (four > 10 * one + 0.05) munit_errorf("shape %d: %.4f s, and %.4f s for four times as much", shape, one, four);
    free(small);
    free(whole);
  }
  munit_assert_int(stream_call(&w, "GET", "/W/processors", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

/* A pipeline just below the maximum is stored. A too deeply nested one is not. */
TEST(stream_processor, bounds)
{
  stream_world w;
  char *body = large(24000, 5);
  int i;
  stream_open(&w, false);
  make(&w, body);
  free(body);
  body = large(24700, 5);
  stream_refused(&w, "PATCH", P, body, "pipeline");
  free(body);
  stream_refused(&w, "POST", AT, PIPE(SOLAR ",{\"$match\":{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}}," SINK), "pipeline");
  make(&w, "{\"name\":\"q\",\"pipeline\":[" SOLAR ",{\"$match\":{\"a\":[[[[[[[[[[1]]]]]]]]]]}}," SINK "]}");
  for (i = 2; i < 50; i++) {
    char many[256];
    snprintf(many, sizeof many, "{\"name\":\"m%d\",\"pipeline\":[" SOLAR "," SINK "]}", i);
    make(&w, many);
  }
  stream_expect(&w, stream_call(&w, "POST", AT, PROCESSOR("more", "", "")), 403, "TOO_MANY_RESOURCES");
  t_close(&w.t);
}

/* ----------------------------------------------------------------------------------------------------------------- states */

/* Clients start a processor right after its creation: the start waits until it is created. */
TEST(stream_processor, start_at_once)
{
  stream_world w;
  stream_open(&w, false);
  make(&w, PROCESSOR("p", "", ""));
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  expect_state(&w, "CREATING");
  stream_expect(&w, stream_call(&w, "POST", P ":start", NULL), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  t_advance(&w.t, 30);
  expect_state(&w, "STARTED");
  munit_assert_int(stream_call(&w, "POST", P ":stop", NULL), ==, 200);
  t_close(&w.t);
}

TEST(stream_processor, states)
{
  stream_world w;
  stream_open(&w, false);
  make(&w, PROCESSOR("p", "", ""));
  munit_assert_string_equal(t_str(&w.t, "state"), "CREATING");
  stream_expect(&w, stream_call(&w, "PATCH", P, "{\"tier\":\"SP10\"}"), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_string_equal(t_param(&w.t, 0), "p");
  t_advance(&w.t, 5);
  expect_state(&w, "CREATED");
  munit_assert_null(t_node(&w.t, "stats"));
  stream_expect(&w, stream_call(&w, "POST", P ":stop", NULL), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"tier\":\"SP10\"}"), ==, 200);
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{}");
  expect_state(&w, "CREATED"); /* the start takes time */
  t_advance(&w.t, 10);
  expect_state(&w, "STARTED");
  munit_assert_string_equal(t_str(&w.t, "stats.name"), "p");
  munit_assert_string_equal(t_str(&w.t, "stats.status"), "running");
  munit_assert_int64(t_int(&w.t, "stats.inputMessageCount"), <, 1000); /* the processor has just started */
  t_advance(&w.t, 3600);
  expect_state(&w, "STARTED");
  munit_assert_int64(t_int(&w.t, "stats.inputMessageCount"), >, 1000);
  munit_assert_int64(t_int(&w.t, "stats.inputMessageCount"), >=, t_int(&w.t, "stats.outputMessageCount"));
  stream_expect(&w, stream_call(&w, "POST", P ":start", NULL), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  stream_expect(&w, stream_call(&w, "PATCH", P, "{\"tier\":\"SP30\"}"), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"tier\":\"SP10\"}"), ==, 200); /* its present tier */
  munit_assert_int(stream_call(&w, "POST", P ":stop", NULL), ==, 200);
  expect_state(&w, "STARTED");
  t_advance(&w.t, 5);
  expect_state(&w, "STOPPED");
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"name\":\"q\",\"options\":{\"resumeFromCheckpoint\":false}}"), ==, 200);
  munit_assert_null(t_node(&w.t, "options.resumeFromCheckpoint"));
  stream_expect(&w, stream_call(&w, "GET", P, NULL), 404, "STREAM_PROCESSOR_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 1), "W");
  munit_assert_int(stream_call(&w, "PATCH", AT "/q", "{\"name\":\"p\"}"), ==, 200);

  /* with options */
  stream_refused(&w, "POST", P ":startWith", "{\"startAtOperationTime\":\"2030-01-01T00:00:00Z\"}", "startAtOperationTime");
  stream_refused(&w, "POST", P ":startWith", "{\"startAtOperationTime\":\"2025-01-01T00:00:00Z\",\"resumeFromCheckpoint\":true}", "startAtOperationTime");
  stream_refused(&w, "POST", P ":startWith", "{\"tier\":\"SP1\"}", "tier");
  stream_refused(&w, "POST", P ":startWith", "{\"failover\":{}}", "failover.region");
  stream_refused(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"PARIS_FRA\"}}", "failover.region");
  stream_expect(&w, stream_call(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"OREGON_USA\"}}"), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"tier\":\"SP50\"}"), ==, 200);
  expect_state(&w, "STOPPED");
  t_advance(&w.t, 10);
  expect_state(&w, "STARTED");
  munit_assert_string_equal(t_str(&w.t, "tier"), "SP50");
  munit_assert_int(stream_call(&w, "POST", P ":stop", NULL), ==, 200);
  t_advance(&w.t, 10);
  munit_assert_int(stream_call(&w, "POST", P ":startWith", NULL), ==, 200); /* without options */
  t_advance(&w.t, 10);
  expect_state(&w, "STARTED");
  munit_assert_int(stream_call(&w, "DELETE", P, NULL), ==, 204); /* in any state */
  stream_expect(&w, stream_call(&w, "DELETE", P, NULL), 404, "STREAM_PROCESSOR_NOT_FOUND");
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_CREATED"), ==, 1);
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_STARTED"), ==, 3);
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_STOPPED"), ==, 2);
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_MODIFIED"), ==, 3);
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_DROPPED"), ==, 1);
  t_close(&w.t);
}

TEST(stream_processor, driver)
{
  static const char *const none[] = { "nothing", "[]", "7" };
  stream_world w;
  size_t i;
  stream_open(&w, true);
  make(&w, PROCESSOR("p", "", ""));
  stream_order(&w, "processor.create", SVC_OK, NULL);
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"startAtOperationTime\":\"2025-05-01T00:00:00Z\"}"), ==, 200);
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"beginsAt\":\"2025-05-01T00:00:00Z\""));
  t_driver_answers(&w.driver, "", "{\"inputMessageCount\":12}");
  expect_state(&w, "STARTED");
  munit_assert_int64(t_int(&w.t, "stats.inputMessageCount"), ==, 12);
  munit_assert_string_equal(w.driver.asked, "measure stream processor p {\"metric\":\"stats\"}");
  for (i = 0; i < sizeof none / sizeof none[0]; i++) {
    t_driver_answers(&w.driver, "", none[i]);
    stream_expect(&w, stream_call(&w, "GET", P, NULL), 503, "SERVICE_UNAVAILABLE");
  }
  munit_assert_int(stream_call(&w, "POST", P ":stop", NULL), ==, 200);
  stream_order(&w, "processor.stop", SVC_OK, NULL);
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  stream_order(&w, "processor.start", SVC_IO, "{\"reason\":\"no topic\"}");
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"beginsAt\":\"checkpoint\""));
  expect_state(&w, "FAILED");
  munit_assert_int64(stream_told(&w, "STREAM_PROCESSOR_STATE_IS_FAILED"), ==, 1);
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"options\":{\"resumeFromCheckpoint\":false}}"), ==, 200);
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"beginsAt\":\"now\""));
  t_driver_answers(&w.driver, "", "{}");
  /* the processor is running */
  stream_expect(&w, stream_call(&w, "PATCH", P, "{\"options\":{\"resumeFromCheckpoint\":true}}"), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"options\":{\"resumeFromCheckpoint\":false}}"), ==, 200); /* unchanged */
  munit_assert_int(stream_call(&w, "POST", P ":stop", NULL), ==, 200);
  stream_order(&w, "processor.stop", SVC_OK, NULL);
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"options\":{\"resumeFromCheckpoint\":false}}"), ==, 200);
  munit_assert_int(stream_call(&w, "PATCH", P, "{\"options\":{\"resumeFromCheckpoint\":true}}"), ==, 200);
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"beginsAt\":\"checkpoint\""));
  munit_assert_int(stream_call(&w, "DELETE", P, NULL), ==, 204);
  stream_order(&w, "processor.delete", SVC_OK, NULL);
  t_close(&w.t);
}

/* --------------------------------------------------------------------------------------------------------------- failover */

TEST(stream_processor, failover)
{
  stream_world w;
  int orders;
  stream_open(&w, true);
  munit_assert_int(stream_call(&w, "POST", "/W/connections", KAFKA("k", "")), ==, 202);
  stream_order(&w, "connection.put", SVC_OK, NULL);
  make(&w, "{\"name\":\"p\",\"failoverEnabled\":true,\"pipeline\":[{\"$source\":{\"connectionName\":\"k\"}}," SINK "]}");
  munit_assert_string_equal(t_str(&w.t, "eligibleForFailover"), "false");
  stream_order(&w, "processor.create", SVC_OK, NULL);
  stream_expect(&w, stream_call(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"OREGON_USA\"}}"), 400, "STREAM_PROCESSOR_GENERIC_ERROR");
  munit_assert_int(stream_call(&w, "POST", "/W/connections/k/failoverConnections",
                               "{\"type\":\"Kafka\",\"region\":\"OREGON_USA\",\"bootstrapServers\":\"west:1\"," SCRAM
                               ",\"security\":{\"protocol\":\"SASL_SSL\"}}"), ==, 202);
  stream_order(&w, "failover.put", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->secrets, "sesame-kafka"));
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"OREGON_USA\",\"dryRun\":true}}"), ==, 200);
  expect_state(&w, "CREATED");
  munit_assert_string_equal(t_str(&w.t, "eligibleForFailover"), "true");
  t_advance(&w.t, 60);
  orders = w.driver.orders;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(w.driver.orders, ==, orders); /* a dry run only */
  munit_assert_int(stream_call(&w, "POST", P ":start", NULL), ==, 200);
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_null(strstr(t_driver_order(&w.driver, "")->desired, "failoverRegion"));
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"OREGON_USA\",\"mode\":\"FORCED\",\"clearCheckpoint\":true}}"),
                   ==, 200);
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"failoverRegion\":\"OREGON_USA\""));
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"failoverMode\":\"FORCED\""));
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"beginsAt\":\"now\""));
  munit_assert_int(stream_call(&w, "POST", P ":startWith", "{\"failover\":{\"region\":\"VIRGINIA_USA\"}}"), ==, 200); /* back */
  stream_order(&w, "processor.start", SVC_OK, NULL);
  munit_assert_null(strstr(t_driver_order(&w.driver, "")->desired, "failoverRegion"));
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------------- logs */

static void expect_gzip(stream_world *w)
{
  const unsigned char *b = (const unsigned char *)w->t.response.body;
  munit_assert_size(w->t.response.body_length, >, 20);
  munit_assert_true(b[0] == 0x1f && b[1] == 0x8b);
}

TEST(stream_processor, logs)
{
  stream_world w;
  stream_open(&w, true);
  make(&w, PROCESSOR("p", "", ""));
  t_driver_answers(&w.driver, "", "a line\n");
  munit_assert_int(stream_call(&w, "GET", "/W/auditLogs?startDate=1740000000&endDate=1740000060", NULL), ==, 200);
  expect_gzip(&w);
  munit_assert_not_null(memmem(w.t.response.body, w.t.response.body_length, "a line\n", 7)); /* gzip in stored blocks */
  munit_assert_string_equal(w.driver.asked,
                            "logs stream workspace W {\"from\":1740000000,\"log\":\"audit\",\"processor\":\"\",\"until\":1740000060}");
  munit_assert_int(stream_call(&w, "GET", "/W:downloadOperationalLogs?spName=p&startDate=1740000000&endDate=1740000060", NULL), ==, 200);
  expect_gzip(&w);
  munit_assert_string_equal(w.driver.asked,
                            "logs stream workspace W {\"from\":1740000000,\"log\":\"operational\",\"processor\":\"p\",\"until\":1740000060}");
  stream_expect(&w, stream_call(&w, "GET", "/W:downloadOperationalLogs?spName=nobody", NULL), 404, "STREAM_PROCESSOR_NOT_FOUND");
  stream_expect(&w, stream_call(&w, "GET", "/W/auditLogs?startDate=1740000060&endDate=1740000000", NULL), 400, "START_DATE_AFTER_END_DATE");
  stream_expect(&w, stream_call(&w, "GET", "/W/auditLogs?startDate=7", NULL), 400, "INVALID_QUERY_PARAMETER");
  t_driver_answers(&w.driver, "", NULL);
  stream_expect(&w, stream_call(&w, "GET", "/W/auditLogs", NULL), 503, "SERVICE_UNAVAILABLE");
  t_close(&w.t);
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "GET", "/W/auditLogs", NULL), ==, 200);
  expect_gzip(&w);
  t_close(&w.t);
}
