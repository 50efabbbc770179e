/*
** Access history: the sign-ins to the databases of a cluster, as one list per cluster and per host.
*/
#include "driver.h"
#include "damaged.h"
#include "mechanism/probe.h"
#include "needs.h"

T_NEEDS(access_history) = {
  T_HOST("hostname", ":/"),
  T_SAMPLE("hostname", "db.example.com"),
  T_NEEDS_END
};

static const char *history_open(t_service *t, const svc_config *config)
{
  const char *group;
  t_open(t, config);
  group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"joe\",\"databaseName\":\"admin\",\"password\":\"correct horse\",\"roles\":[{\"roleName\":"
                                      "\"read\",\"databaseName\":\"shop\"}]}", "/groups/%s/databaseUsers", group), ==, 201);
  munit_assert_int(t_sendf(t, "POST", "[{\"cidrBlock\":\"192.0.2.0/26\"}]", "/groups/%s/accessList", group), ==, 201);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  return group;
}

static int history_get(t_service *t, const char *group, const char *rest)
{
  return t_sendf(t, "GET", NULL, "/groups/%s/dbAccessHistory/%s", group, rest);
}

TEST(access_history, simulated)
{
  char first[4096], rest[256], host[128];
  const char *group;
  t_service t;
  size_t all, failed, i;
  group = history_open(&t, NULL);
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), <=, 1); /* the cluster has just been created */
  t_advance(&t, 100 * 3600);
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 200);
  all = t_count(&t, "accessLogs");
  munit_assert_size(all, >=, 99);
  munit_assert_size(all, <=, 101);
  munit_assert_string_equal(t_str(&t, "accessLogs[0].username"), "joe");
  munit_assert_not_null(strstr(t_str(&t, "accessLogs[0].logLine"), "\"c\":\"ACCESS\"")); /* in the format of the server's log */
  munit_assert_not_null(strstr(t_str(&t, "accessLogs[0].logLine"), t_str(&t, "accessLogs[0].ipAddress")));
  munit_assert_memory_equal(8, t_str(&t, "accessLogs[0].ipAddress"), "192.0.2."); /* an address of the access list */
  munit_assert_int(strcmp(t_str(&t, "accessLogs[0].timestamp"), t_str(&t, "accessLogs[1].timestamp")), >, 0); /* newest first */
  snprintf(host, sizeof host, "%s", t_str(&t, "accessLogs[0].hostname"));
  snprintf(rest, sizeof rest, "clusters/Main?ipAddress=%s", t_str(&t, "accessLogs[0].ipAddress"));
  snprintf(first, sizeof first, "%.4000s", t.response.body);
  history_get(&t, group, "clusters/Main");
  munit_assert_memory_equal(3000, first, t.response.body); /* the same question again: the same simulated logins */
  munit_assert_int(history_get(&t, group, rest), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), >=, 1);
  munit_assert_size(t_count(&t, "accessLogs"), <, all);
  munit_assert_int(history_get(&t, group, "clusters/Main?authResult=false"), ==, 200);
  failed = t_count(&t, "accessLogs");
  for (i = 0; i < failed; i++) {
    snprintf(rest, sizeof rest, "accessLogs[%zu].failureReason", i);
    munit_assert_string_equal(t_str(&t, rest), "AuthenticationFailed");
  }
  munit_assert_size(failed, >=, 1);
  munit_assert_int(history_get(&t, group, "clusters/Main?authResult=true"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs") + failed, ==, all);
  munit_assert_int(history_get(&t, group, "clusters/Main?nLogs=5"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), ==, 5);
  munit_assert_int(history_get(&t, group, "clusters/Main?nLogs=0"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), ==, 0);
  munit_assert_int(history_get(&t, group, "clusters/Main?start=1748743200000&end=1748750399000"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), ==, 2);
  snprintf(rest, sizeof rest, "processes/%s", host);
  munit_assert_int(history_get(&t, group, rest), ==, 200);
  munit_assert_string_equal(t_str(&t, "accessLogs[3].hostname"), host);
  t_close(&t);
}

/* A hundred of the many users sign in. The newest logins come first; logins of the same time are sorted by user name. */
TEST(access_history, many)
{
  svc_config config = { .limiter_off = 1 };
  const char *group, *last = "";
  char body[256], at[64], time[32] = "";
  t_service t;
  size_t i, n, same = 0;
  group = history_open(&t, &config);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":200}", "/groups/%s/limits/svc.project.security.databaseAccess.users", group), ==, 200);
  for (i = 0; i < 110; i++) {
    snprintf(body, sizeof body, "{\"username\":\"CN=u%03zu\",\"databaseName\":\"$external\",\"x509Type\":\"CUSTOMER\",\"roles\":[{\"roleName\":\"read\","
             "\"databaseName\":\"shop\"}]}", i);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/databaseUsers", group), ==, 201);
  }
  t_advance(&t, 2 * 3600);
  munit_assert_int(history_get(&t, group, "clusters/Main?start=1748736000000&end=1748739599000"), ==, 200); /* one hour */
  n = t_count(&t, "accessLogs");
  munit_assert_size(n, ==, 100);
  for (i = 0; i < n; i++) {
    const char *now, *name;
    snprintf(at, sizeof at, "accessLogs[%zu].timestamp", i);
    now = t_str(&t, at);
    snprintf(at, sizeof at, "accessLogs[%zu].username", i);
    name = t_str(&t, at);
    if (i) munit_assert_int(strcmp(now, time), <=, 0);
    if (i && strcmp(now, time) == 0) {
      munit_assert_int(strcmp(name, last), >, 0);
      same++;
    }
    snprintf(time, sizeof time, "%s", now);
    last = t_keep(&t, name);
  }
  munit_assert_size(same, >=, 40); /* 100 logins at 60 whole minutes: at least 40 have the time of the login before */
  t_close(&t);
}

/* A cluster that lost its nodes through damage has no access history. */
TEST(access_history, nowhere)
{
  const char *group;
  t_service t;
  group = history_open(&t, NULL);
  t_advance(&t, 5 * 3600);
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 200);
  munit_assert_string_not_equal(t_str(&t, "accessLogs[0].hostname"), "");
  damaged_body(&t, "cluster", group, NULL, "\"replicationSpecs\":", "\"repliactionSpecs\":");
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), >=, 4);
  munit_assert_string_equal(t_str(&t, "accessLogs[0].username"), "joe");
  munit_assert_string_equal(t_str(&t, "accessLogs[0].hostname"), "");
  t_close(&t);
}

TEST(access_history, refused)
{
  const char *group;
  t_service t;
  group = history_open(&t, NULL);
  munit_assert_int(history_get(&t, group, "clusters/Other"), ==, 404);
  munit_assert_string_equal(t_error(&t), "CLUSTER_NOT_FOUND");
  munit_assert_int(history_get(&t, group, "processes/nobody"), ==, 404);
  munit_assert_int(history_get(&t, group, "clusters/Main?start=1748750400000&end=1748743200000"), ==, 400);
  munit_assert_string_equal(t_error(&t), "START_DATE_AFTER_END_DATE");
  munit_assert_string_equal(t_param(&t, 0), "1748750400000"); /* as it was sent */
  munit_assert_int(history_get(&t, group, "clusters/Main?end=1500000000000"), ==, 200); /* before the cluster */
  munit_assert_size(t_count(&t, "accessLogs"), ==, 0);
  munit_assert_int(history_get(&t, group, "clusters/Main?start=5"), ==, 400);
  munit_assert_int(history_get(&t, group, "clusters/Main?nLogs=20001"), ==, 400);
  munit_assert_int(history_get(&t, group, "clusters/Main?ipAddress=home"), ==, 400);
  t_close(&t);
}

/* A driver may reply with more logins than the caller asked for: the answer contains only those that match the query. A reply that is no
** valid list of logins is an error. */
TEST(access_history, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  const char *group;
  t_service t;
  t_driver_does(&d, "", "{\"hosts\":[\"a.example.net:27017\",\"b.example.net:27018\"]}");
  group = history_open(&t, &config);
  t_driver_answers(&d, "", "[{\"authResult\":true,\"ipAddress\":\"192.0.2.1\",\"username\":\"a\"},{\"authResult\":false,\"ipAddress\":\"192.0.2.1\"},"
                   "{\"authResult\":true,\"ipAddress\":\"192.0.2.2\"}]");
  munit_assert_int(history_get(&t, group, "processes/b.example.net?authResult=true&ipAddress=192.0.2.1"), ==, 200);
  munit_assert_size(t_count(&t, "accessLogs"), ==, 1);
  munit_assert_string_equal(t_str(&t, "accessLogs[0].username"), "a");
  munit_assert_not_null(strstr(d.asked, "accessHistory cluster Main {\"authResult\":true,"));
  munit_assert_not_null(strstr(d.asked, "\"hosts\":[\"b.example.net\"],\"ipAddress\":\"192.0.2.1\",\"most\":20000,"));
  munit_assert_not_null(strstr(d.asked, "\"users\":[\"joe\"]"));
  t_driver_answers(&d, "", "[{\"password\":\"x\"}]");
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 503);
  t_driver_answers(&d, "", "{}");
  munit_assert_int(history_get(&t, group, "clusters/Main"), ==, 503);
  t_close(&t);
}
