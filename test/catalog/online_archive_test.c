/*
** Online archives: their states by the clock, allowed and forbidden changes, the rules for bodies, and query logs.
*/
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#define NEED_ARCHIVE "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}"

T_NEEDS(online_archive) = {
  T_BODY(SVC_PATCH, NEED_ARCHIVE, "{\"paused\":true}"),
  T_BODY(SVC_PATCH, NEED_ARCHIVE, "{\"paused\":false}"),
  T_NEEDS_END
};

#define CLUSTER \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":" \
  "\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define BODY(more) "{\"collName\":\"orders\",\"dbName\":\"shop\"," more "}"
#define DATE "\"criteria\":{\"type\":\"DATE\",\"dateField\":\"shipped\",\"expireAfterDays\":30}"
#define CUSTOM(query) "\"criteria\":{\"type\":\"CUSTOM\",\"query\":\"" query "\"}"

typedef struct archive_world {
  t_service t;
  const char *org, *group, *id;
} archive_world;

static int call(archive_world *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/C/onlineArchives%s", w->group, tail);
}

static int one(archive_world *w, const char *method, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/C/onlineArchives/%s", w->group, w->id);
}

static void open_world(archive_world *w, const svc_config *changes)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, changes);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER, "/groups/%s/clusters", w->group), ==, 201);
}

static void make(archive_world *w, const char *body)
{
  int status = call(w, "POST", "", body);
  if (status != 202) munit_errorf("%d %s", status, w->t.response.body);
  w->id = t_keep(&w->t, t_str(&w->t, "_id"));
}

static void expect(archive_world *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
}

static void expect_state(archive_world *w, const char *state)
{
  munit_assert_int(one(w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "state"), state);
}

static bool told(archive_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=C&eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount") > 0;
}

TEST(online_archive, states)
{
  archive_world w;
  open_world(&w, NULL);
  make(&w, BODY(DATE));
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  munit_assert_string_equal(t_str(&w.t, "clusterName"), "C");
  munit_assert_string_equal(t_str(&w.t, "collectionType"), "STANDARD");
  munit_assert_string_equal(t_str(&w.t, "criteria.dateFormat"), "ISODATE");
  munit_assert_string_equal(t_str(&w.t, "schedule.type"), "DEFAULT");
  munit_assert_string_equal(t_str(&w.t, "paused"), "false");
  munit_assert_string_equal(t_str(&w.t, "dataProcessRegion.region"), "US_EAST_1");
  munit_assert_string_equal(t_str(&w.t, "partitionFields[0].fieldName"), "shipped");
  munit_assert_string_equal(t_str(&w.t, "partitionFields[0].fieldType"), "date");
  munit_assert_not_null(strstr(t_str(&w.t, "dataSetName"), "$C$shop$orders$"));
  munit_assert_null(t_node(&w.t, "dataExpirationRule"));
  expect(&w, one(&w, "PATCH", "{\"paused\":true}"), 409, "ONLINE_ARCHIVE_MUST_BE_ACTIVE_TO_PAUSE");
  munit_assert_string_equal(t_param(&w.t, 0), w.id);
  t_advance(&w.t, 3);
  expect_state(&w, "ACTIVE");

  munit_assert_int(one(&w, "PATCH", "{\"paused\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PAUSING");
  t_advance(&w.t, 1);
  expect_state(&w, "PAUSED");
  munit_assert_int(one(&w, "PATCH", "{\"paused\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PAUSED");
  munit_assert_int(one(&w, "PATCH", "{\"criteria\":{\"expireAfterDays\":40}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PAUSED");
  munit_assert_int(one(&w, "PATCH", "{\"paused\":false}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  t_advance(&w.t, 3);
  expect_state(&w, "ACTIVE");
  munit_assert_int64(t_int(&w.t, "criteria.expireAfterDays"), ==, 40);
  munit_assert_true(told(&w, "ONLINE_ARCHIVE_CREATED") && told(&w, "ONLINE_ARCHIVE_ACTIVE") && told(&w, "ONLINE_ARCHIVE_UPDATED"));
  munit_assert_true(told(&w, "ONLINE_ARCHIVE_PAUSE_REQUESTED") && told(&w, "ONLINE_ARCHIVE_PAUSED"));

  munit_assert_int(one(&w, "PATCH", "{\"dataExpirationRule\":{\"expireAfterDays\":100}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  munit_assert_int(one(&w, "PATCH", "{\"dataExpirationRule\":{\"expireAfterDays\":101}}"), ==, 200);
  munit_assert_int(one(&w, "PATCH", "{\"dataExpirationRule\":null}"), ==, 200);
  munit_assert_null(t_node(&w.t, "dataExpirationRule"));
  munit_assert_true(told(&w, "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_ENABLED") && told(&w, "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_UPDATED") &&
                    told(&w, "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_DISABLED"));

  t_advance(&w.t, 3); /* changed criteria, schedules and expiration rules lead to PENDING */
  expect_state(&w, "ACTIVE");
  munit_assert_int(one(&w, "PATCH", "{\"criteria\":{\"expireAfterDays\":50}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  t_advance(&w.t, 3);
  munit_assert_int(one(&w, "PATCH", "{\"schedule\":{\"type\":\"DAILY\",\"startHour\":1,\"endHour\":3}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  t_advance(&w.t, 3);
  munit_assert_int(one(&w, "PATCH", "{\"criteria\":{\"expireAfterDays\":50},\"dbName\":\"shop\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "ACTIVE");
  munit_assert_int(one(&w, "PATCH", "{\"dataExpirationRule\":{\"expireAfterDays\":90},\"criteria\":{\"expireAfterDays\":51}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  t_advance(&w.t, 3);
  munit_assert_int(one(&w, "PATCH", "{\"dataExpirationRule\":{\"expireAfterDays\":91},\"schedule\":{\"type\":\"DEFAULT\"}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");

  munit_assert_int(one(&w, "DELETE", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{}");
  expect_state(&w, "DELETED");
  expect(&w, one(&w, "DELETE", NULL), 404, "RESOURCE_NOT_FOUND");
  expect(&w, one(&w, "PATCH", "{\"paused\":true}"), 404, "RESOURCE_NOT_FOUND");
  t_advance(&w.t, 1);
  expect(&w, one(&w, "GET", NULL), 404, "RESOURCE_NOT_FOUND");
  munit_assert_true(told(&w, "ONLINE_ARCHIVE_DELETED"));
  t_close(&w.t);
}

TEST(online_archive, fixed)
{
  static const struct {
    const char *body, *field;
  } fixed[] = {
    { "{\"collName\":\"x\"}", "collName" },
    { "{\"dbName\":\"x\"}", "dbName" },
    { "{\"collectionType\":\"TIMESERIES\"}", "collectionType" },
    { "{\"criteria\":{\"dateField\":\"x\"}}", "criteria.dateField" },
    { "{\"criteria\":{\"dateFormat\":\"EPOCH_MILLIS\"}}", "criteria.dateFormat" },
    { "{\"criteria\":{\"type\":\"CUSTOM\",\"query\":\"{}\"}}", "criteria.type" },
    { "{\"partitionFields\":[{\"fieldName\":\"x\",\"order\":0}]}", "partitionFields" },
    { "{\"dataProcessRegion\":{\"region\":\"EU_WEST_1\"}}", "dataProcessRegion.region" },
    { "{\"dataProcessRegion\":{\"cloudProvider\":\"GCP\"}}", "dataProcessRegion.cloudProvider" },
  };
  archive_world w;
  size_t i;
  open_world(&w, NULL);
  make(&w, BODY(DATE));
  for (i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
    expect(&w, one(&w, "PATCH", fixed[i].body), 400, "ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD");
    munit_assert_string_equal(t_param(&w.t, 0), fixed[i].field);
  }
  munit_assert_int(one(&w, "PATCH", "{\"criteria\":{\"dateField\":\"shipped\",\"expireAfterDays\":1},\"dbName\":\"shop\"}"), ==, 200);
  expect(&w, one(&w, "PATCH", "{\"state\":\"PAUSED\"}"), 400, "ATTRIBUTE_READ_ONLY");
  t_close(&w.t);
}

TEST(online_archive, bodies)
{
  static const struct {
    const char *body, *field;
  } bad[] = {
    { BODY("\"paused\":false"), "criteria" },
    { BODY("\"criteria\":{}"), "criteria.type" },
    { BODY("\"criteria\":{\"type\":\"DATE\",\"expireAfterDays\":3}"), "criteria.dateField" },
    { BODY("\"criteria\":{\"type\":\"DATE\",\"dateField\":\"a\"}"), "criteria.expireAfterDays" },
    { BODY("\"criteria\":{\"type\":\"DATE\",\"dateField\":\"a\",\"expireAfterDays\":9216}"), "criteria.expireAfterDays" },
    { BODY("\"criteria\":{\"type\":\"DATE\",\"dateField\":\"a\",\"expireAfterDays\":1,\"dateFormat\":\"x\"}"), "criteria.dateFormat" },
    { BODY("\"criteria\":{\"type\":\"CUSTOM\"}"), "criteria.query" },
    { BODY(CUSTOM("not json")), "criteria.query" },
    { BODY(CUSTOM("[1]")), "criteria.query" },
    { BODY(CUSTOM("{]")), "criteria.query" },
    { BODY(DATE ",\"dataExpirationRule\":{\"expireAfterDays\":6}"), "dataExpirationRule.expireAfterDays" },
    { BODY(DATE ",\"schedule\":{\"type\":\"HOURLY\"}"), "schedule.type" },
    { BODY(DATE ",\"schedule\":{\"type\":\"DEFAULT\",\"startHour\":1}"), "schedule.startHour" },
    { BODY(DATE ",\"schedule\":{\"type\":\"DAILY\",\"startHour\":24,\"endHour\":1}"), "schedule.startHour" },
    { BODY(DATE ",\"schedule\":{\"type\":\"DAILY\",\"startHour\":1}"), "schedule.endHour" },
    { BODY(DATE ",\"schedule\":{\"type\":\"DAILY\",\"endHour\":1}"), "schedule.startHour" },
    { BODY(CUSTOM("")), "criteria.query" },
    { BODY(CUSTOM("[]")), "criteria.query" },
    { BODY(DATE ",\"schedule\":{\"type\":\"DAILY\",\"startHour\":1,\"endHour\":1}"), "schedule.endHour" },
    { BODY(DATE ",\"schedule\":{\"type\":\"WEEKLY\",\"startHour\":1,\"endHour\":2}"), "schedule.dayOfWeek" },
    { BODY(DATE ",\"schedule\":{\"type\":\"MONTHLY\",\"dayOfMonth\":32,\"startHour\":1,\"endHour\":2}"), "schedule.dayOfMonth" },
    { BODY(DATE ",\"partitionFields\":[]"), "partitionFields" },
    { BODY(DATE ",\"partitionFields\":[{\"fieldName\":\"a\",\"order\":1}]"), "partitionFields[0].order" },
    { BODY(DATE ",\"partitionFields\":[{\"fieldName\":\"a\",\"order\":0},{\"fieldName\":\"b\",\"order\":0}]"), "partitionFields[1].order" },
    { BODY(DATE ",\"partitionFields\":[{\"fieldName\":\"a\",\"order\":0},{\"fieldName\":\"a\",\"order\":1}]"), "partitionFields[1].fieldName" },
    { BODY(DATE ",\"dataProcessRegion\":{\"region\":\"NOWHERE\"}"), "dataProcessRegion.region" },
    { "{\"dbName\":\"shop\"," DATE "}", "collName" },
  };
  archive_world w;
  size_t i;
  open_world(&w, NULL);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int status = call(&w, "POST", "", bad[i].body);
    if (status != 400 || !t_violation(&w.t, bad[i].field)) munit_errorf("%s: %d %s", bad[i].body, status, w.t.response.body);
  }
  expect(&w, call(&w, "POST", "", BODY(DATE ",\"paused\":true")), 409, "ONLINE_ARCHIVE_MUST_BE_ACTIVE_TO_PAUSE");
  munit_assert_int(call(&w, "GET", "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  make(&w, BODY(CUSTOM("{\\\"a\\\":{\\\"$lt\\\":1}}") ",\"schedule\":{\"type\":\"WEEKLY\",\"dayOfWeek\":7,\"startHour\":22,\"endHour\":3}"));
  munit_assert_null(t_node(&w.t, "partitionFields"));
  munit_assert_int(one(&w, "PATCH", "{\"schedule\":{\"type\":\"DEFAULT\"}}"), ==, 200);
  munit_assert_size(t_count(&w.t, "schedule"), ==, 1);
  for (i = 1; i < 50; i++) make(&w, BODY(DATE));
  expect(&w, call(&w, "POST", "", BODY(DATE)), 403, "TOO_MANY_RESOURCES");
  t_close(&w.t);
}

TEST(online_archive, logs)
{
  static const char wanted[] = "logs cluster C {\"archiveOnly\":false,\"from\":1748700000,\"log\":\"queryLogs\",\"until\":1748736000}";
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  archive_world w;
  open_world(&w, NULL);
  munit_assert_int(call(&w, "GET", "/queryLogs.gz", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-01-01+gzip");
  munit_assert_size(t_unzipped(&w.t).n, ==, 0); /* the simulation has no queries on archives */
  munit_assert_int(call(&w, "GET", "/queryLogs.gz?startDate=1748736000&endDate=1748736001", NULL), ==, 200);
  munit_assert_size(t_unzipped(&w.t).n, ==, 0);
  munit_assert_int(call(&w, "GET", "/queryLogs.gz?startDate=1199145600&endDate=253402300799", NULL), ==, 200);
  expect(&w, call(&w, "GET", "/queryLogs.gz?startDate=1748736000&endDate=1748735999", NULL), 400, "START_DATE_AFTER_END_DATE");
  expect(&w, call(&w, "GET", "/queryLogs.gz?startDate=7", NULL), 400, "INVALID_QUERY_PARAMETER");
  t_close(&w.t);
  open_world(&w, &config);
  t_driver_answers(&d, "logs", "one\ntwo\n");
  munit_assert_int(call(&w, "GET", "/queryLogs.gz?startDate=1748700000&archiveOnly=true", NULL), ==, 200);
  munit_assert_string_equal(t_unzipped(&w.t).p, "one\ntwo\n");
  munit_assert_int(d.asks, ==, 1);
  munit_assert_string_equal(d.asked, "logs cluster C {\"archiveOnly\":true,\"from\":1748700000,\"log\":\"queryLogs\",\"until\":1748736000}");
  munit_assert_int(call(&w, "GET", "/queryLogs.gz?startDate=1748700000", NULL), ==, 200);
  munit_assert_string_equal(d.asked, wanted);
  munit_assert_int(call(&w, "GET", "/queryLogs.gz?startDate=1748700000&archiveOnly=false", NULL), ==, 200);
  munit_assert_string_equal(d.asked, wanted);
  munit_assert_int(d.asks, ==, 3);
  t_close(&w.t);
}

/* A damaged cluster has no regions: its archive has no region either, because the request names none. */
TEST(online_archive, nowhere)
{
  const char *cluster;
  archive_world w;
  open_world(&w, NULL);
  cluster = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  damaged_body(&w.t, "cluster", w.group, cluster, "\"replicationSpecs\":", "\"was\":");
  make(&w, BODY(DATE));
  munit_assert_null(t_node(&w.t, "dataProcessRegion"));
  t_close(&w.t);
}
