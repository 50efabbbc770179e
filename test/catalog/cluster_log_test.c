/*
** Logs of hosts: their own rules, besides those of every route.
*/
#include "driver.h"
#include "mechanism/probe.h"
#include "needs.h"

T_NEEDS(cluster_log) = {
  T_HOST("hostName", ":/"),
  T_SAMPLE("logName", "mongod"),
  T_NEEDS_END
};

typedef struct log_world {
  t_service t;
  const char *group;
  char host[128];
} log_world;

static void log_open(log_world *w, const svc_config *config)
{
  const char *standard;
  t_open(&w->t, config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->group), ==, 201);
  t_advance(&w->t, 10);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/Main", w->group), ==, 200);
  standard = t_str(&w->t, "connectionStrings.standard");
  if (*standard) snprintf(w->host, sizeof w->host, "%.*s", (int)strcspn(standard + 5, ":"), standard + 5);
}

static int log_get(log_world *w, const char *host, const char *rest)
{
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/%s/logs/%s", w->group, host, rest);
}

static size_t log_lines(const char *text)
{
  size_t n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

/* Checks that each line of the text contains `what`. */
static void log_all_have(const char *text, const char *what)
{
  const char *end;
  char line[2048];
  for (; *text; text = end + 1) {
    end = strchr(text, '\n');
    munit_assert_not_null(end);
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    if (!strstr(line, what)) munit_errorf("no %s in %s", what, line);
  }
}

/* A server's log begins when the server is created, and a second read of the same period returns the same lines. */
TEST(cluster_log, simulated)
{
  char first[8192];
  const char *text;
  log_world w;
  log_open(&w, NULL);
  log_get(&w, w.host, "db.gz?startDate=1748649600"); /* a day before the server's creation */
  text = t_unzipped(&w.t).p;
  munit_assert_memory_equal(32, text, "{\"t\":{\"$date\":\"2025-06-01T00:00:"); /* no line is older than the server */
  munit_assert_size(log_lines(text), >=, 2);
  t_advance(&w.t, 3600);
  log_get(&w, w.host, "db.gz?startDate=1748736000&endDate=1748739000");
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-02-01+gzip");
  text = t_unzipped(&w.t).p;
  log_all_have(text, "\"s\":\"I\"");
  munit_assert_not_null(strstr(text, "\"c\":\"CONTROL\""));
  munit_assert_not_null(strstr(text, "\"c\":\"STORAGE\""));
  munit_assert_not_null(strstr(text, "\"c\":\"ELECTION\""));
  munit_assert_null(strstr(text, "\"c\":\"ACCESS\"")); /* no user signs in */
  munit_assert_null(strstr(text, "\"c\":\"COMMAND\"")); /* and there is nothing to query */
  snprintf(first, sizeof first, "%s", text);
  log_get(&w, w.host, "db.gz?startDate=1748736000&endDate=1748739000");
  munit_assert_string_equal(t_unzipped(&w.t).p, first); /* the second read is the same */
  log_get(&w, w.host, "dbs.gz?startDate=1748736000&endDate=1748739000");
  munit_assert_string_equal(t_unzipped(&w.t).p, ""); /* a replica set has no router */
  log_get(&w, w.host, "db-audit-log.gz");
  munit_assert_string_equal(t_unzipped(&w.t).p, ""); /* auditing is off */
  log_get(&w, w.host, "db.gz?startDate=1199145600");
  munit_assert_size(log_lines(t_unzipped(&w.t).p), <=, 20); /* over seventeen years, of which the server existed for an hour */
  log_get(&w, w.host, "db.gz?startDate=1748735900&endDate=1748735999");
  munit_assert_string_equal(t_unzipped(&w.t).p, "");
  t_close(&w.t);
}

/* Logins are in the log of their host and in the access history. The audit log has them from the start of auditing. */
TEST(cluster_log, logins)
{
  const char *text;
  char host[128], line[1024];
  log_world w;
  log_open(&w, NULL);
  t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.7\"}]", "/groups/%s/accessList", w.group);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"username\":\"joe\",\"databaseName\":\"admin\",\"password\":\"correct horse\",\"roles\":[{\"roleName\":"
                                         "\"read\",\"databaseName\":\"shop\"}]}", "/groups/%s/databaseUsers", w.group), ==, 201);
  t_advance(&w.t, 20 * 3600);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":true}", "/groups/%s/auditLog", w.group), ==, 202);
  t_advance(&w.t, 20 * 3600);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/dbAccessHistory/clusters/Main", w.group), ==, 200);
  munit_assert_size(t_count(&w.t, "accessLogs"), >=, 38);
  snprintf(host, sizeof host, "%s", t_str(&w.t, "accessLogs[3].hostname"));
  snprintf(line, sizeof line, "%s\n", t_str(&w.t, "accessLogs[3].logLine"));
  log_get(&w, host, "db.gz");
  text = t_unzipped(&w.t).p;
  munit_assert_not_null(strstr(text, line));
  munit_assert_not_null(strstr(text, "\"msg\":\"Connection accepted\",\"attr\":{\"remote\":\"192.0.2.7:"));
  munit_assert_not_null(strstr(text, "\"msg\":\"Connection ended\""));
  log_get(&w, host, "db-audit-log.gz?startDate=1748736000");
  text = t_unzipped(&w.t).p;
  munit_assert_size(log_lines(text), >=, 1);
  log_all_have(text, "{\"atype\":\"authenticate\",\"ts\":{\"$date\":\"2025-06-0");
  log_all_have(text, "\"param\":{\"user\":\"joe\",\"db\":\"admin\",\"mechanism\":\"SCRAM-SHA-256\"},\"result\":");
  munit_assert_null(strstr(text, "\"2025-06-01T0")); /* before auditing began */
  t_close(&w.t);
}

TEST(cluster_log, refused)
{
  log_world w, other;
  char part[256];
  log_open(&w, NULL);
  munit_assert_int(log_get(&w, w.host, "mongo.gz"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_PATH_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "logName");
  munit_assert_int(log_get(&w, w.host, "db.gz?startDate=1748736301&endDate=1748736300"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "START_DATE_AFTER_END_DATE");
  munit_assert_string_equal(t_param(&w.t, 0), "1748736301");
  munit_assert_int(log_get(&w, w.host, "db.gz?startDate=5"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_QUERY_PARAMETER");
  munit_assert_int(log_get(&w, "Main", "db.gz"), ==, 404); /* a cluster is no host */
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "Main");
  munit_assert_int(log_get(&w, w.host + 1, "db.gz"), ==, 404); /* nor is a part of a host name */
  snprintf(part, sizeof part, "%.*s", (int)strlen(w.host) - 1, w.host);
  munit_assert_int(log_get(&w, part, "db.gz"), ==, 404);
  munit_assert_int(log_get(&w, "27017", "db.gz"), ==, 404);
  munit_assert_int(log_get(&w, w.host, "db.gz"), ==, 200);
  snprintf(part, sizeof part, "attachment; filename=\"%s_2025-06-01T00:00:10Z\"", w.host);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Disposition"), part);
  other = w;
  other.group = t_project(&w.t, t_organization(&w.t, "Other"), "P2");
  /* a host of another project is not found */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/%s/logs/db.gz", other.group, w.host), ==, 404);
  t_close(&w.t);
}

/* The driver is asked for logs by the host names that it reported. */
TEST(cluster_log, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  log_world w;
  t_driver_does(&d, "", "{\"hosts\":[\"a.example.net:27017\",\"b.example.net:27018\"]}");
  t_driver_answers(&d, "logs", "line\n");
  log_open(&w, &config);
  munit_assert_int(log_get(&w, "b.example.net", "db.gz"), ==, 404);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(log_get(&w, "b.example.net", "dbs.gz?startDate=1748736000&endDate=1748736300"), ==, 200);
  munit_assert_string_equal(t_unzipped(&w.t).p, "line\n");
  munit_assert_string_equal(d.asked, "logs cluster Main {\"from\":1748736000,\"host\":\"b.example.net\",\"log\":\"dbs\",\"until\":1748736300}");
  t_close(&w.t);
}
