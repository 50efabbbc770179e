/*
** Rolling index builds: one per cluster at a time, which definitions are refused, and the failures of a driver. A build is
** not shown as a resource; events and orders to the driver report it.
*/
#include "driver.h"
#include "mechanism/probe.h"

#define INDEX "/groups/%s/clusters/Main/index"
#define BUILD "{\"db\":\"shop\",\"collection\":\"orders\",\"keys\":[{\"a\":\"1\"}]}"
#define WITH(keys, rest) "{\"db\":\"shop\",\"collection\":\"orders\",\"keys\":[" keys "]" rest "}"

static void rolling_open(t_place *w, const svc_config *config)
{
  t_place_open(w, config, "P1", PROBE_CLUSTER("Main", "M10"));
  t_advance(&w->t, 10);
}

static int rolling_build(t_place *w, const char *body)
{
  return t_sendf(&w->t, "POST", body, INDEX, w->group);
}

static const char *rolling_event(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=Main&itemsPerPage=1", w->group), ==, 200);
  return t_str(&w->t, "results[0].eventTypeName");
}

TEST(rolling_index, states)
{
  t_place w;
  size_t dues;
  rolling_open(&w, NULL);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  dues = probe_records(w.t.s, "d"); /* the due steps of the ledger */
  munit_assert_int(rolling_build(&w, BUILD), ==, 202);
  munit_assert_string_equal(w.t.response.body, "{}");
  munit_assert_int(rolling_build(&w, BUILD), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "ROLLING_INDEX_BUILD_IN_PROGRESS");
  munit_assert_string_equal(t_param(&w.t, 0), "Main");
  munit_assert_size(probe_records(w.t.s, "eridx"), ==, 1);
  t_advance(&w.t, 5);
  munit_assert_string_equal(rolling_event(&w), "ROLLING_INDEX_SUCCESS_INDEX_BUILD");
  munit_assert_size(probe_records(w.t.s, "eridx"), ==, 0); /* the record of the build is deleted */
  munit_assert_size(probe_records(w.t.s, "d"), ==, dues);  /* no due step is left */
  munit_assert_int(rolling_build(&w, BUILD), ==, 202);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/Main", w.group), ==, 202);
  munit_assert_int(rolling_build(&w, BUILD), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_advance(&w.t, 3);
  munit_assert_string_equal(rolling_event(&w), "CLUSTER_DELETED");
  munit_assert_size(probe_records(w.t.s, "eridx"), ==, 0); /* deleted with its cluster, without an event of success */
  t_close(&w.t);
}

TEST(rolling_index, refused)
{
  static const struct {
    const char *body, *field;
  } rows[] = {
    { "{\"collection\":\"orders\",\"keys\":[{\"a\":\"1\"}]}", "db" },
    { "{\"db\":\"a.b\",\"collection\":\"orders\",\"keys\":[{\"a\":\"1\"}]}", "db" },
    { "{\"db\":\"shop\",\"keys\":[{\"a\":\"1\"}]}", "collection" },
    { "{\"db\":\"shop\",\"collection\":\"orders\"}", "keys" },
    { WITH("", ""), "keys" },
    { WITH("{}", ""), "keys[0]" },
    { WITH("\"a\"", ""), "keys[0]" },
    { WITH("{\"a\":\"1\",\"b\":\"1\"}", ""), "keys[0]" },
    { WITH("{\"a\":1}", ""), "keys[0]" },
    { WITH("{\"a\":\"up\"}", ""), "keys[0]" },
    { WITH("{\"$a\":\"1\"}", ""), "keys[0]" },
    { WITH("{\"a\":\"1\"},{\"a\":\"-1\"}", ""), "keys[1]" },
    { WITH("{},{\"a\":\"1\"}", ",\"options\":{\"weights\":{\"a\":1}}"), "options.weights" },
    { WITH("{\"a\":\"1\"}", ",\"options\":{\"weights\":{\"a\":1}}"), "options.weights" },
    { WITH("{\"a\":\"2dsphere\"}", ",\"options\":{\"bits\":3}"), "options.bits" },
    { WITH("{\"a\":\"1\"},{\"b\":\"1\"}", ",\"options\":{\"expireAfterSeconds\":3}"), "options.expireAfterSeconds" },
    { WITH("{\"a\":\"1\"}", ",\"collation\":{}"), "collation.locale" },
    { WITH("{\"a\":\"1\"}", ",\"collation\":{\"locale\":\"en\",\"strength\":6}"), "collation.strength" },
  };
  static char large[24000];
  t_place w;
  size_t i;
  rolling_open(&w, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rolling_build(&w, rows[i].body) != 400 || !t_violation(&w.t, rows[i].field))
      munit_errorf("%s: %d %s", rows[i].body, w.t.response.status, w.t.response.body);
  snprintf(large, sizeof large, "{\"db\":\"shop\",\"collection\":\"orders\",\"keys\":[{\"a\":\"1\"}],\"options\":{\"partialFilterExpression\":"
           "{\"a\":\"%020000d\"}}}", 0);
  munit_assert_int(rolling_build(&w, large), ==, 400);
  munit_assert_true(t_violation(&w.t, "options"));
  munit_assert_size(probe_records(w.t.s, "eridx"), ==, 0);
  munit_assert_int(rolling_build(&w, WITH("{\"a\":\"text\"}", ",\"options\":{\"weights\":{\"a\":5},\"name\":\"n\",\"expireAfterSeconds\":3}")), ==, 202);
  t_close(&w.t);
}

/* A failed build writes an event. Its record is replaced by the next build, or deleted after a week. A slow build is never
** interrupted. */
TEST(rolling_index, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  int i;
  rolling_open(&w, &config);
  for (i = 0; i < 2; i++) {
    munit_assert_int(rolling_build(&w, BUILD), ==, 202);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    munit_assert_not_null(strstr(t_driver_order(&d, "index.build")->desired, "\"keys\":[{\"a\":\"1\"}]"));
    t_advance(&w.t, 8 * 86400);
    munit_assert_int(rolling_build(&w, BUILD), ==, 409);
    t_driver_finish(&d, w.t.s, "index.build", SVC_IO, NULL);
    munit_assert_string_equal(rolling_event(&w), "ROLLING_INDEX_FAILED_INDEX_BUILD");
    munit_assert_size(probe_records(w.t.s, "eridx"), ==, 1);
  }
  t_advance(&w.t, 8 * 86400);
  munit_assert_string_equal(rolling_event(&w), "ROLLING_INDEX_FAILED_INDEX_BUILD");
  munit_assert_size(probe_records(w.t.s, "eridx"), ==, 0);
  t_close(&w.t);
}
