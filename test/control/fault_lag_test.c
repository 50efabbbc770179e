/*
** Reads that lag behind writes, by time and by number of reads. GETs show the old state; all other requests see the new state.
*/
#include "control/control.h"
#include "support.h"

static const svc_config lag_config = { .seed = 7, .manual_clock = T_START, .limiter_off = 1, .journal = 100 };

static int lag_fault(t_place *w, const char *rule)
{
  int id = 0;
  if (svc_fault_add_json(w->t.s, rule, &id) != SVC_OK) munit_errorf("%s: %s", rule, w->t.log);
  return id;
}

static const char *lag_team(t_place *w, const char *name)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"usernames\":[\"ann@example.com\"]}", name);
  if (t_sendf(&w->t, "POST", body, "/orgs/%s/teams", w->org) != 201) munit_error(w->t.response.body);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

static void lag_open_on(t_place *w, const svc_config *config)
{
  char roles[128];
  t_place_open(w, config, "P1", NULL);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", w->org);
  t_user(&w->t, "ann@example.com", roles);
}

static void lag_open(t_place *w)
{
  lag_open_on(w, &lag_config);
}

static int lag_get(t_place *w, const char *id)
{
  return t_sendf(&w->t, "GET", NULL, "/orgs/%s/teams/%s", w->org, id);
}

/* Returns the names of the teams in the list: "A B". */
static const char *lag_list(t_place *w)
{
  char text[256] = "", path[32];
  size_t i, at = 0;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/teams", w->org), ==, 200);
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, (int64_t)t_count(&w->t, "results"));
  for (i = 0; i < t_count(&w->t, "results") && at < sizeof text; i++) {
    snprintf(path, sizeof path, "results[%d].name", (int)i);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "", t_str(&w->t, path));
  }
  return t_keep(&w->t, text);
}

static void lag_rename(t_place *w, const char *id, const char *name)
{
  char body[64];
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  if (t_sendf(&w->t, "PATCH", body, "/orgs/%s/teams/%s", w->org, id) != 200) munit_error(w->t.response.body);
  munit_assert_string_equal(t_str(&w->t, "name"), name); /* the answer of a write shows the new state */
}

TEST(fault_lag, milliseconds)
{
  const char *a, *b, *c;
  t_place w;
  lag_open(&w);
  a = lag_team(&w, "A");
  c = lag_team(&w, "C");
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"ms\":500}}");
  munit_assert_string_equal(lag_list(&w), "A C");
  b = lag_team(&w, "B");
  lag_rename(&w, a, "AA");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/teams/%s", w.org, c), ==, 204);
  munit_assert_string_equal(lag_list(&w), "A C");
  munit_assert_int(lag_get(&w, b), ==, 404);
  munit_assert_int(lag_get(&w, c), ==, 200);
  munit_assert_int(lag_get(&w, a), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "A");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams/byName/A", w.org), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams/byName/AA", w.org), ==, 404);
  /* a write sees the new state */
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"B\",\"usernames\":[\"ann@example.com\"]}", "/orgs/%s/teams", w.org), ==, 409);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/teams/%s", w.org, c), ==, 404);
  munit_assert_int(svc_clock_advance(w.t.s, 499), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "A C");
  munit_assert_int(svc_clock_advance(w.t.s, 1), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "AA B");
  munit_assert_int(lag_get(&w, b), ==, 200);
  munit_assert_int(lag_get(&w, c), ==, 404);
  t_close(&w.t);
}

/* Each write becomes visible at its own time, in a list and in its count. */
TEST(fault_lag, one_by_one)
{
  t_place w;
  lag_open(&w);
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"ms\":500}}");
  lag_team(&w, "A");
  munit_assert_int(svc_clock_advance(w.t.s, 400), ==, SVC_OK);
  lag_team(&w, "B");
  munit_assert_string_equal(lag_list(&w), "");
  munit_assert_int(svc_clock_advance(w.t.s, 200), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "A");
  munit_assert_int(svc_clock_advance(w.t.s, 300), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "A B");
  t_close(&w.t);
}

static svc_store_port lag_port;
static int lag_aborts; /* commits that fail */

static int lag_commit(svc_txn *txn)
{
  if (!lag_aborts) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return --lag_aborts ? SVC_IO : SVC_RETRY;
}

static int lag_write_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &lag_port;
  return rc;
}

/* A write whose commit fails changes nothing. A write that the service repeats lags as usual, and the rule counts it once. */
TEST(fault_lag, repeated)
{
  svc_config config = lag_config;
  const char *team[3];
  t_place w;
  int i;
  lag_port = *svc_lmdb_port();
  lag_port.commit = lag_commit;
  lag_port.write_begin = lag_write_begin;
  config.store = &lag_port;
  lag_open_on(&w, &config);
  for (i = 0; i < 3; i++) team[i] = lag_team(&w, (const char *[]){ "A", "B", "C" }[i]);
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"ms\":500}}");
  lag_aborts = 2;
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/teams/%s", w.org, team[0]), ==, 503);
  munit_assert_string_equal(lag_list(&w), "A B C");
  munit_assert_int(svc_clock_advance(w.t.s, 500), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "A B C"); /* the lag would be over */
  munit_assert_int(svc_fault_remove(w.t.s, 0), ==, SVC_OK);
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"ms\":500},\"count\":2}");
  munit_assert_int(lag_aborts, ==, 1); /* the service repeats the first try */
  for (i = 0; i < 3; i++) munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/teams/%s", w.org, team[i]), ==, 204);
  munit_assert_int(lag_aborts, ==, 0);
  munit_assert_string_equal(lag_list(&w), "A B"); /* both strikes are used up before C */
  munit_assert_int(svc_clock_advance(w.t.s, 500), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "");
  t_close(&w.t);
}

/* The first GETs of a resource after a write to it lag. */
TEST(fault_lag, reads)
{
  const char *a;
  svc_response journal;
  t_place w;
  int id;
  lag_open(&w);
  a = lag_team(&w, "A");
  id = lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"reads\":2},\"count\":2}");
  lag_rename(&w, a, "B");
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200); /* reads of other resources do not count */
  munit_assert_string_equal(lag_list(&w), "A");
  munit_assert_int(lag_get(&w, a), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "A");
  munit_assert_string_equal(lag_list(&w), "B");
  munit_assert_int(svc_clock_advance(w.t.s, 1000), ==, SVC_OK);
  lag_rename(&w, a, "C");
  munit_assert_string_equal(lag_list(&w), "B");
  munit_assert_string_equal(lag_list(&w), "B");
  munit_assert_string_equal(lag_list(&w), "C");
  munit_assert_int(svc_clock_advance(w.t.s, 1000), ==, SVC_OK);
  lag_rename(&w, a, "D"); /* the fault's count is used up */
  munit_assert_string_equal(lag_list(&w), "D");
  munit_assert_size(svc_failure_list(w.t.s, (svc_failure[SVC_FAILURES]){ { 0 } }), ==, 0);
  munit_assert_int(svc_journal_read(w.t.s, 0, &journal), ==, SVC_OK);
  munit_assert_not_null(strstr(journal.body, "\"fault\":1,\"lag\":{\"noun\":\"team\",\"reads\":2}"));
  svc_response_free(&journal);
  munit_assert_int(svc_fault_remove(w.t.s, id), ==, SVC_OK);
  munit_assert_uint(atomic_load(&w.t.s->watch), ==, SVC_WATCH_JOURNAL);
  t_close(&w.t);
}

/* If-Match is compared with the new state. Removing the rule or restoring a snapshot ends the lag. */
TEST(fault_lag, truth)
{
  svc_snapshot *before;
  const char *a, *tag;
  t_place w;
  lag_open(&w);
  a = lag_team(&w, "A");
  munit_assert_int(lag_get(&w, a), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"reads\":1000}}");
  munit_assert_int(svc_snapshot_take(w.t.s, &before), ==, SVC_OK);
  lag_rename(&w, a, "B");
  munit_assert_int(lag_get(&w, a), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), tag); /* the old ETag, which is not valid anymore */
  t_header(&w.t, "If-Match", tag);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"C\"}", "/orgs/%s/teams/%s", w.org, a), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_int(svc_snapshot_restore(w.t.s, before), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "A");
  lag_rename(&w, a, "B");
  munit_assert_string_equal(lag_list(&w), "A");
  munit_assert_int(svc_fault_remove(w.t.s, 0), ==, SVC_OK);
  munit_assert_string_equal(lag_list(&w), "B");
  svc_snapshot_free(before);
  t_close(&w.t);
}

/* A long list is merged with the delayed changes, also page by page. */
TEST(fault_lag, many)
{
  char name[16];
  int i;
  t_place w;
  lag_open(&w);
  for (i = 0; i < 80; i++) {
    snprintf(name, sizeof name, "T%02d", i);
    lag_team(&w, name);
    if (i == 39) lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"reads\":3}}");
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams?itemsPerPage=30&pageNum=2", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 10);
  munit_assert_string_equal(t_str(&w.t, "results[9].name"), "T39");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams?itemsPerPage=100", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 40);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams?itemsPerPage=100", w.org), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/teams?itemsPerPage=100", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 80);
  t_close(&w.t);
}

/* At most 1000 records are held back: the oldest give way, and their changes become visible. The newest changes lag. */
TEST(fault_lag, displaced)
{
  const char *a, *b;
  char name[16];
  int i;
  t_place w;
  lag_open(&w);
  a = lag_team(&w, "A");
  b = lag_team(&w, "B");
  lag_fault(&w, "{\"lag\":{\"noun\":\"team\",\"ms\":500}}");
  lag_rename(&w, a, "A1");
  for (i = 0; i < 1100; i++) { /* each new name is one more record */
    snprintf(name, sizeof name, "B%d", i);
    lag_rename(&w, b, name);
    if (i != 900 && i != 1099) continue;
    munit_assert_int(lag_get(&w, a), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "name"), i == 900 ? "A" : "A1");
    munit_assert_int(lag_get(&w, b), ==, 200);
    munit_assert_string_not_equal(t_str(&w.t, "name"), name);
  }
  t_close(&w.t);
}

TEST_SERVICE(fault_lag, refuses)
{
  static const char *const bad[][2] = {
    { "{\"lag\":{\"noun\":\"unicorn\",\"ms\":1}}", "lag.noun" }, { "{\"lag\":{\"noun\":\"cluster\"}}", "either ms or reads" },
    { "{\"lag\":{\"noun\":\"cluster\",\"ms\":1,\"reads\":1}}", "either ms or reads" }, { "{\"lag\":{\"ms\":1}}", "noun" },
    { "{\"lag\":{\"noun\":\"cluster\",\"ms\":0}}", "ms" }, { "{\"lag\":{\"noun\":\"cluster\",\"reads\":-1}}", "reads" },
    { "{\"lag\":5}", "lag" }, { "{\"lag\":{\"noun\":\"cluster\",\"ms\":1},\"seconds\":1}", "seconds" },
  };
  t_faults_refused(t, bad, sizeof bad / sizeof bad[0]);
}
