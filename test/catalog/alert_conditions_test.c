/*
** Conditions of alerts: a measured condition opens an alert, writes its events and closes the alert. The suite covers
** every kind of condition.
**
** Tests also: alert_round
*/
#include "damaged.h"
#include "catalog/alert_world.h"

typedef struct condition_world {
  t_service t;
  svc_config config;
  char folder[128];
  char org[32], group[32];
} condition_world;

static void condition_open(condition_world *w)
{
  memset(&w->config, 0, sizeof w->config);
  w->config.limiter_off = 1;
  store_folder(w->folder);
  w->config.path = w->folder;
  t_open(&w->t, &w->config);
  snprintf(w->org, sizeof w->org, "%s", t_organization(&w->t, "Acme"));
  snprintf(w->group, sizeof w->group, "%s", t_project(&w->t, w->org, "alpha"));
}

static void condition_close(condition_world *w)
{
  store_whole(w->t.s);
  t_close(&w->t);
  store_remove(w->folder);
}

static void condition_send(condition_world *w, const char *method, const char *path, const char *body, int status)
{
  int got = t_sendf(&w->t, method, body, "/groups/%s%s", w->group, path);
  if (got != status) munit_errorf("%s %s %s: %d %s", method, path, body ? body : "", got, w->t.response.body);
}

/* Opens the world with a driver that measures, and with a cluster that the driver is asked about. */
static void condition_open_driven(condition_world *w, const svc_driver *driver)
{
  condition_open(w);
  w->config.driver = driver;
  t_reopen(&w->t, &w->config);
  condition_send(w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10"), 201);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static void condition_watch(condition_world *w, const char *type, const char *more)
{
  char body[1024];
  snprintf(body, sizeof body, "{\"enabled\":true,\"eventTypeName\":\"%s\"%s,\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":0}]}", type, more);
  condition_send(w, "POST", "/alertConfigs", body, 201);
}

#define CONDITION_METRIC(name, how, at) ",\"metricThreshold\":{\"metricName\":\"" name "\",\"operator\":\"" how "\",\"threshold\":" at "}"
#define CONDITION_LIMIT(how, at) ",\"threshold\":{\"operator\":\"" how "\",\"threshold\":" at "}"
#define CONDITION_LIMIT_IN(how, at, units) ",\"threshold\":{\"operator\":\"" how "\",\"threshold\":" at ",\"units\":\"" units "\"}"

/* Returns the number of alerts of this type with this status. The answer is the list. */
static int condition_count(condition_world *w, const char *type, const char *status)
{
  const svc_node *results, *one;
  int n = 0;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts?status=%s&itemsPerPage=500", w->group, status), ==, 200);
  results = t_node(&w->t, "results");
  for (one = results->first; one; one = one->next) n += svc_str_is(svc_node_str(one, "eventTypeName"), type);
  return n;
}

/* Returns the number of events of this type. The answer is the list. */
static int condition_events(condition_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return (int)t_int(&w->t, "totalCount");
}

static void condition_cluster(condition_world *w)
{
  condition_send(w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10"), 201);
  t_advance(&w->t, 10);
}

static size_t condition_dues(svc *s)
{
  probe_walk walk;
  size_t n = 0;
  for (probe_walk_begin(&walk, s, "d"); probe_walk_next(&walk);) n += memcmp(walk.key.p + 9, "arnd", 4) == 0;
  return n;
}

/* ---------------------------------------------------------------------------------------------------------------- metrics */

TEST(alert_conditions, flex)
{
  condition_world w;
  char first[64];
  condition_open(&w);
  condition_watch(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", CONDITION_METRIC("FLEX_CONNECTIONS", "GREATER_THAN", "-1"));
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_size(condition_dues(w.t.s), ==, 0); /* no flex cluster exists: no due step is scheduled */
  condition_send(&w, "POST", "/flexClusters",
                 "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Flex");
  munit_assert_string_equal(t_str(&w.t, "results[0].metricName"), "FLEX_CONNECTIONS");
  snprintf(first, sizeof first, "%s", t_str(&w.t, "results[0].currentValue.number"));
  t_reopen(&w.t, &w.config); /* the same time gives the same value */
  munit_assert_int(condition_count(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.number"), first);
  munit_assert_int(condition_events(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Flex");
  condition_send(&w, "DELETE", "/flexClusters/Flex", NULL, 204);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "INSIDE_FLEX_METRIC_THRESHOLD"), ==, 1);
  munit_assert_size(condition_dues(w.t.s), ==, 0);
  condition_close(&w);
}

TEST(alert_conditions, stream)
{
  condition_world w;
  int64_t sent, dead, seen;
  char path[64];
  int i;
  condition_open(&w);
  condition_watch(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", CONDITION_METRIC("STREAM_PROCESSOR_OUTPUT_MESSAGE_COUNT", "GREATER_THAN", "-1"));
  condition_send(&w, "POST", "/streams", "{\"name\":\"space\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}}", 201);
  condition_send(&w, "POST", "/streams/space/connections", "{\"name\":\"sample_stream_solar\",\"type\":\"Sample\"}", 202);
  t_advance(&w.t, 60);
  condition_send(&w, "POST", "/streams/space/processor",
                 "{\"name\":\"watts\",\"pipeline\":[{\"$source\":{\"connectionName\":\"sample_stream_solar\"}},"
                 "{\"$emit\":{\"connectionName\":\"__testLog\"}}]}", 202);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 0); /* the processor does not run */
  condition_send(&w, "POST", "/streams/space/processor/watts:start", NULL, 200);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].processorName"), "watts");
  munit_assert_string_equal(t_str(&w.t, "results[0].instanceName"), "space");
  munit_assert_int(condition_events(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].processorName"), "watts");
  condition_watch(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", CONDITION_METRIC("STREAM_PROCESSOR_DLQ_MESSAGE_COUNT", "GREATER_THAN", "10"));
  condition_watch(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", CONDITION_METRIC("STREAM_PROCESSOR_KAFKA_LAG", "GREATER_THAN", "100000"));
  condition_watch(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", CONDITION_METRIC("STREAM_PROCESSOR_CHANGE_STREAM_LAG", "GREATER_THAN",
                  "300,\"units\":\"MILLISECONDS\""));
  t_advance(&w.t, 120);
  /* one of the two lags is above its threshold, but no more than 10 messages are lost yet */
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 2);
  for (i = 0; i < 10; i++) t_advance(&w.t, 86400);
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 3);
  condition_send(&w, "GET", "/streams/space/processor/watts", NULL, 200); /* the same numbers as the alert */
  sent = t_int(&w.t, "stats.outputMessageCount");
  dead = t_int(&w.t, "stats.dlqMessageCount");
  munit_assert_int64(dead, >, 10);
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 3);
  for (i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "results[%d].metricName", i);
    if (strstr(t_str(&w.t, path), "LAG")) continue;
    seen = strstr(t_str(&w.t, path), "DLQ") ? dead : sent;
    snprintf(path, sizeof path, "results[%d].currentValue.number", i);
    munit_assert_double(atof(t_str(&w.t, path)), ==, (double)seen);
  }
  condition_send(&w, "POST", "/streams/space/processor/watts:stop", NULL, 200);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "INSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD"), ==, 3);
  condition_close(&w);
}

/* A round opens and measures a limited number of alerts and values. The rest follow in the next rounds. */
TEST(alert_conditions, bounded)
{
  condition_world w;
  int i;
  condition_open(&w);
  condition_cluster(&w);
  for (i = 0; i < 340; i++) /* three hosts each: 1020 values of a metric that never crosses its threshold */
    condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "1000000"));
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
  t_advance(&w.t, 50);
  t_advance(&w.t, 10);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 0);
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 3);
  t_advance(&w.t, 60); /* the round begins with the first figure again; open alerts stay open */
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 3);
  condition_close(&w);
  condition_open(&w);
  condition_cluster(&w);
  for (i = 0; i < 50; i++) condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 100);
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 150);
  condition_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- outages */

/* Creates a cluster with three nodes in one region and two in another. */
static void condition_five(condition_world *w)
{
  condition_send(w, "POST", "/clusters",
                 "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":"
                 "\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}},{\"providerName\":\"AWS\",\"regionName\":"
                 "\"US_WEST_2\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}}]}]}", 201);
}

/* The outage affects the region with most nodes. */
TEST(alert_conditions, outage)
{
  condition_world w;
  condition_open(&w);
  condition_five(&w);
  t_advance(&w.t, 10);
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "NO_PRIMARY", "");
  condition_watch(&w, "TOO_FEW_HEALTHY_MEMBERS", CONDITION_LIMIT("LESS_THAN", "3"));
  condition_watch(&w, "TOO_MANY_UNHEALTHY_MEMBERS", CONDITION_LIMIT("GREATER_THAN", "2"));
  condition_watch(&w, "TOO_MANY_ELECTIONS", CONDITION_LIMIT("GREATER_THAN", "0"));
  condition_watch(&w, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", CONDITION_LIMIT_IN("<", "100", "days"));
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", "OPEN"), ==, 1);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1); /* no other alert is open */
  condition_send(&w, "POST", "/clusters/Main/outageSimulation",
                 "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}", 202);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 3);
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "TOO_FEW_HEALTHY_MEMBERS", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "TOO_MANY_UNHEALTHY_MEMBERS", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "TOO_MANY_ELECTIONS", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "HOST_DOWN"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Main");
  munit_assert_int((int)t_int(&w.t, "results[0].port"), ==, 27017);
  munit_assert_string_not_equal(t_str(&w.t, "results[0].hostname"), "");
  munit_assert_int(condition_events(&w, "NO_PRIMARY"), ==, 1);
  munit_assert_string_not_equal(t_str(&w.t, "results[0].replicaSetName"), "");
  t_advance(&w.t, 600); /* the outage continues: no second event */
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 3);
  munit_assert_int(condition_events(&w, "HOST_DOWN"), ==, 3);
  condition_send(&w, "DELETE", "/clusters/Main/outageSimulation", NULL, 200);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "CLOSED"), ==, 1);
  munit_assert_int(condition_count(&w, "TOO_FEW_HEALTHY_MEMBERS", "CLOSED"), ==, 1);
  munit_assert_int(condition_events(&w, "HOST_UP"), ==, 3);
  munit_assert_int(condition_events(&w, "ONE_PRIMARY"), ==, 1);
  munit_assert_int(condition_count(&w, "TOO_MANY_ELECTIONS", "OPEN"), ==, 1); /* an election in the last hour */
  t_advance(&w.t, 3700);
  munit_assert_int(condition_count(&w, "TOO_MANY_ELECTIONS", "OPEN"), ==, 0); /* no election in the last hour */
  condition_close(&w);
}

/* Three nodes in one region, two in another: there is a primary without the two, but not without the three. */
TEST(alert_conditions, majority)
{
  static const struct { const char *region; int down, without; } outs[] = { { "US_WEST_2", 2, 0 }, { "US_EAST_1", 3, 1 } };
  condition_world w;
  char body[256];
  size_t i;
  condition_open(&w);
  condition_five(&w);
  t_advance(&w.t, 10);
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "NO_PRIMARY", "");
  for (i = 0; i < 2; i++) {
    snprintf(body, sizeof body, "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"%s\"}]}", outs[i].region);
    condition_send(&w, "POST", "/clusters/Main/outageSimulation", body, 202);
    t_advance(&w.t, 120);
    munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, outs[i].down);
    munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, outs[i].without);
    condition_send(&w, "DELETE", "/clusters/Main/outageSimulation", NULL, 200);
    t_advance(&w.t, 120);
    munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  }
  condition_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- bills */

TEST(alert_conditions, bills)
{
  condition_world w;
  condition_open(&w);
  condition_watch(&w, "PENDING_INVOICE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "10"));
  condition_watch(&w, "DAILY_BILL_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "1"));
  condition_watch(&w, "DAILY_BILLING_CHANGE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "1"));
  condition_watch(&w, "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "1"));
  condition_watch(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "3"));
  munit_assert_size(condition_dues(w.t.s), ==, 1); /* a due step per hour, none per minute */
  condition_cluster(&w); /* 2025-06-01: three nodes, which cost 1.94 dollars a day */
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "PENDING_INVOICE_OVER_THRESHOLD", "OPEN"), ==, 0);
  t_advance(&w.t, 86400);
  munit_assert_int(condition_count(&w, "DAILY_BILL_OVER_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "DAILY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.units"), "RAW");
  t_advance(&w.t, 86400); /* the same costs as the day before */
  munit_assert_int(condition_count(&w, "DAILY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "DAILY_BILL_OVER_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_int(condition_events(&w, "DAILY_BILLING_CHANGE_NORMAL"), ==, 1);
  t_advance(&w.t, 10 * 86400);
  munit_assert_int(condition_count(&w, "PENDING_INVOICE_OVER_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_int(condition_events(&w, "PENDING_INVOICE_OVER_THRESHOLD"), ==, 1);
  t_advance(&w.t, 19 * 86400); /* July begins, and its costs are still low */
  munit_assert_int(condition_count(&w, "PENDING_INVOICE_OVER_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "PENDING_INVOICE_UNDER_THRESHOLD"), ==, 1);
  munit_assert_int(condition_count(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 1);
  condition_send(&w, "DELETE", "/clusters/Main", NULL, 202);
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(condition_count(&w, "DAILY_BILL_OVER_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "DAILY_BILL_UNDER_THRESHOLD"), ==, 1);
  condition_close(&w);
}

/* The costs of another project of the organization do not count. */
TEST(alert_conditions, bills_apart)
{
  condition_world w;
  char other[32];
  condition_open(&w);
  snprintf(other, sizeof other, "%s", t_project(&w.t, w.org, "beta"));
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", other), ==, 201);
  condition_watch(&w, "PENDING_INVOICE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "0"));
  t_advance(&w.t, 5 * 86400);
  munit_assert_int(condition_count(&w, "PENDING_INVOICE_OVER_THRESHOLD", "OPEN"), ==, 0);
  condition_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- dates */

TEST(alert_conditions, secrets)
{
  condition_world w;
  condition_open(&w);
  condition_watch(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "");
  condition_watch(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "");
  condition_send(&w, "POST", "/serviceAccounts",
                 "{\"name\":\"builder\",\"description\":\"builds\",\"roles\":[\"GROUP_READ_ONLY\"],\"secretExpiresAfterHours\":720}", 201);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"other\",\"description\":\"is not here\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", w.org), ==, 201);
  t_advance(&w.t, 22 * 86400);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "OPEN"), ==, 0);
  t_advance(&w.t, 2 * 86400); /* less than a week is left */
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.units"), "DAYS");
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "OPEN"), ==, 0);
  t_advance(&w.t, 7 * 86400);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "OPEN"), ==, 1);
  munit_assert_int(condition_events(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED"), ==, 1);
  condition_close(&w);
}

#define CONDITION_X509 "SVC_X509_USER_AUTHENTICATION_"

TEST(alert_conditions, certificates)
{
  condition_world w;
  char body[8192];
  const char *ca;
  svc_buf b;
  condition_open(&w);
  condition_watch(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
  condition_watch(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
  condition_send(&w, "POST", "/databaseUsers",
                 "{\"databaseName\":\"$external\",\"username\":\"CN=joe\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", 201);
  condition_send(&w, "POST", "/databaseUsers/CN%3Djoe/certs", "{\"monthsUntilExpiration\":3}", 201);
  /* the project gets two CA certificates: its own, which is valid for long, and the user's certificate, which expires soon */
  ca = strstr(strstr(w.t.body->text.p, "PRIVATE KEY"), "-----BEGIN CERTIFICATE");
  munit_assert_not_null(ca);
  b = svc_buf_new(&w.t.arena, 8192);
  svc_json_escape(&b, svc_arena_print(&w.t.arena, "%s%.*s", ca, (int)(strstr(w.t.body->text.p, "-----END CERTIFICATE-----") + 26 - w.t.body->text.p),
                                      w.t.body->text.p));
  snprintf(body, sizeof body, "{\"customerX509\":{\"cas\":%s}}", svc_buf_done(&b).p);
  condition_send(&w, "PATCH", "/userSecurity", body, 202);
  t_advance(&w.t, 50 * 86400);
  munit_assert_int(condition_count(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", "OPEN"), ==, 0);
  t_advance(&w.t, 20 * 86400);
  munit_assert_int(condition_count(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", "OPEN"), ==, 1);
  condition_send(&w, "DELETE", "/userSecurity/customerX509", NULL, 202);
  t_advance(&w.t, 30 * 86400); /* the user's certificate has expired, and the project has no CA: neither counts */
  munit_assert_int(condition_count(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_RESOLVED"), ==, 1);
  munit_assert_int(condition_events(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_RESOLVED"), ==, 1);
  condition_close(&w);
}

#define CONDITION_KEY(key) \
  "{\"awsKms\":{\"enabled\":true,\"accessKeyID\":\"0123456789ABCDEF\",\"secretAccessKey\":\"not shown to anybody\"," \
  "\"customerMasterKeyID\":\"" key "\",\"region\":\"US_EAST_1\"}}"

/* The age of a key counts from the day it was set, even if the alert configuration is created later. */
TEST(alert_conditions, keys)
{
  condition_world w;
  condition_open(&w);
  condition_send(&w, "PATCH", "/encryptionAtRest", CONDITION_KEY("first"), 200);
  munit_assert_size(condition_dues(w.t.s), ==, 0); /* no configuration watches the key */
  t_advance(&w.t, 60 * 86400);
  condition_watch(&w, "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", CONDITION_LIMIT("GREATER_THAN", "90"));
  condition_watch(&w, "GCP_ENCRYPTION_KEY_NEEDS_ROTATION", CONDITION_LIMIT("GREATER_THAN", "90"));
  condition_watch(&w, "AWS_ENCRYPTION_KEY_INVALID", "");
  condition_send(&w, "PATCH", "/encryptionAtRest", "{\"awsKms\":{\"region\":\"US_WEST_2\"}}", 200); /* the same key */
  t_advance(&w.t, 20 * 86400);
  munit_assert_int(condition_count(&w, "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", "OPEN"), ==, 0);
  t_advance(&w.t, 20 * 86400);
  munit_assert_int(condition_count(&w, "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", "OPEN"), ==, 1);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1); /* the other provider has no key, and this key is valid */
  condition_send(&w, "PATCH", "/encryptionAtRest", "{\"awsKms\":{\"customerMasterKeyID\":\"second\"}}", 200);
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", "OPEN"), ==, 0);
  condition_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- backups */

TEST(alert_conditions, backups)
{
  condition_world w;
  condition_open(&w);
  condition_watch(&w, "CPS_PREV_SNAPSHOT_OLD", CONDITION_LIMIT_IN("GREATER_THAN", "12", "HOURS"));
  condition_watch(&w, "CPS_SNAPSHOT_BEHIND", CONDITION_LIMIT_IN("GREATER_THAN", "120", "MINUTES"));
  condition_cluster(&w);
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 0); /* the cluster has no backups */
  condition_send(&w, "PATCH", "/clusters/Main", "{\"backupEnabled\":true}", 200);
  t_advance(&w.t, 86400);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "CPS_SNAPSHOT_BEHIND", "OPEN"), ==, 0);
  w.config.provision_ms = (int64_t)100 * 86400 * 1000; /* from now on no snapshot ever completes */
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 86400);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Main");
  munit_assert_int(condition_count(&w, "CPS_SNAPSHOT_BEHIND", "OPEN"), ==, 1);
  munit_assert_int(condition_events(&w, "CPS_SNAPSHOT_BEHIND"), ==, 1);
  condition_send(&w, "PATCH", "/clusters/Main/backup/schedule", /* the earliest due snapshot counts, wherever its item is in the list */
                 "{\"policies\":[{\"policyItems\":[{\"frequencyType\":\"monthly\",\"frequencyInterval\":1,\"retentionUnit\":\"months\",\"retentionValue\":12},"
                 "{\"frequencyType\":\"hourly\",\"frequencyInterval\":1,\"retentionUnit\":\"days\",\"retentionValue\":7}]}]}", 200);
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "CPS_SNAPSHOT_BEHIND", "OPEN"), ==, 1);
  t_advance(&w.t, 4 * 86400); /* so many snapshots are in progress that the check does not reach the last completed one */
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 1);
  munit_assert_memory_equal(4, t_str(&w.t, "results[0].currentValue.number"), "193."); /* hours since the cluster was created */
  condition_send(&w, "DELETE", "/clusters/Main/backup/schedule", NULL, 200); /* without a schedule no snapshot is late */
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "CPS_SNAPSHOT_BEHIND", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 1); /* the age of the previous snapshot still counts */
  condition_send(&w, "PATCH", "/clusters/Main", "{\"backupEnabled\":false}", 200);
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "CPS_SNAPSHOT_BEHIND", "OPEN"), ==, 0);
  condition_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- driver */

TEST(alert_conditions, driven)
{
  static t_driver d;
  condition_world w;
  char set[128], facts[512];
  condition_open_driven(&w, alert_driver(&d));
  t_advance(&w.t, 600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "metrics.measure"), ==, 0); /* no configuration watches a metric */
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "NO_PRIMARY", "");
  alert_measured(&w.t, &d, "{}"); /* the driver reports no values */
  munit_assert_not_null(strstr(t_driver_order(&d, "metrics.measure")->desired, "{\"host\":\"h1.example:27017\",\"metricName\":\"UP\",\"units\":\"SCALAR\"}"));
  munit_assert_not_null(strstr(t_driver_order(&d, "metrics.measure")->desired, "\"metricName\":\"PRIMARIES\""));
  munit_assert_int(sscanf(strstr(t_driver_order(&d, "metrics.measure")->desired, "\"replicaSetName\":\"") + 18, "%127[^\"]", set), ==, 1);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  snprintf(facts, sizeof facts, "{\"figures\":[{\"metricName\":\"PRIMARIES\",\"replicaSetName\":\"%s\",\"value\":0},"
           "{\"host\":\"h1.example:27017\",\"metricName\":\"UP\",\"value\":0}]}", set);
  alert_measured(&w.t, &d, facts); /* in any order */
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].hostnameAndPort"), "h1.example:27017");
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, 1);
  alert_measured(&w.t, &d, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"UP\",\"value\":1}]}");
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, 0); /* the node that can become primary is up */
  munit_assert_int(condition_events(&w, "HOST_UP"), ==, 1);
  condition_close(&w);
}

/* For metrics and units of every kind: the alert shows the value in the unit of the threshold, and the driver is asked for the value in
** a unit that the metric has. */
TEST(alert_conditions, units)
{
  static const struct {
    const char *metric, *units, *asked;
  } rows[] = {
    { "CONNECTIONS", "RAW", "SCALAR" }, { "CONNECTIONS_PERCENT", "RAW", "PERCENT" }, { "MUNIN_CPU_USER", "RAW", "PERCENT" },
    { "MAX_DISK_PARTITION_SPACE_USED_INDEX", "RAW", "PERCENT" }, { "RESTARTS_IN_LAST_HOUR", "RAW", "SCALAR" },
    { "INDEX_COUNTERS_BTREE_MISS_RATIO", "RAW", "PERCENT" }, { "LOGICAL_SIZE", "GIGABYTES", "BYTES" }, { "CACHE_USAGE_USED", "MEGABITS", "BYTES" },
    { "SEARCH_REPLICATION_LAG", "MINUTES", "MILLISECONDS" }, { "AVG_READ_EXECUTION_TIME", "NANOSECONDS", "MILLISECONDS" },
    { "DISK_PARTITION_READ_LATENCY_DATA", "HOURS", "MILLISECONDS" },
    { "SEARCH_MAX_NUMBER_OF_LUCENE_DOCS", "MILLION", "SCALAR" },
    { "OPLOG_MASTER_LAG_TIME_DIFF", "DAYS", "MILLISECONDS" }, { "SEARCH_INDEX_SIZE", "KILOBYTES", "BYTES" },
  };
  static t_driver d;
  condition_world w;
  char text[256];
  size_t i;
  condition_open(&w);
  condition_cluster(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) { /* simulated values */
    snprintf(text, sizeof text, ",\"metricThreshold\":{\"metricName\":\"%s\",\"operator\":\"GREATER_THAN\",\"threshold\":-1,\"units\":\"%s\"}",
             rows[i].metric, rows[i].units);
    condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", text);
    t_advance(&w.t, 60);
    munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 3 * (int)(i + 1));
    snprintf(text, sizeof text, "results[%zu].metricName", 3 * i); /* the newest alerts are the last */
    munit_assert_string_equal(t_str(&w.t, text), rows[i].metric);
    snprintf(text, sizeof text, "results[%zu].currentValue.units", 3 * i);
    munit_assert_string_equal(t_str(&w.t, text), rows[i].units);
  }
  w.config.driver = alert_driver(&d);
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 120);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(text, sizeof text, "\"metricName\":\"%s\",\"units\":\"%s\"", rows[i].metric, rows[i].asked);
    if (!strstr(t_driver_order(&d, "metrics.measure")->desired, text)) munit_errorf("%s is not asked for: %s", text, t_driver_order(&d, "metrics.measure")->desired);
  }
  condition_close(&w);
}

/* The region of the outage has only read-only nodes, the other one nodes of every kind. Nodes that cannot be elected do not count for
** the majority. Each shard is judged separately. */
TEST(alert_conditions, kinds_of_nodes)
{
#define NODES(region, priority, more) \
  "{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"priority\":" priority ",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}" more "}"
#define OTHERS(kind, n) ",\"" kind "\":{\"instanceSize\":\"M30\",\"nodeCount\":" n "}"
#define READERS(region) \
  "{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"priority\":0,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":0}" OTHERS("readOnlySpecs", "2") "}"
  condition_world w;
  condition_open(&w);
  condition_send(&w, "POST", "/clusters",
                 "{\"name\":\"Main\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[{\"regionConfigs\":["
                 NODES("US_EAST_1", "7", OTHERS("readOnlySpecs", "1") OTHERS("analyticsSpecs", "1")) "," READERS("US_WEST_2") "]},"
                 "{\"regionConfigs\":[" NODES("US_EAST_1", "7", "") "," READERS("US_WEST_2") "]}]}", 201);
  t_advance(&w.t, 10);
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "NO_PRIMARY", "");
  condition_watch(&w, "TOO_MANY_UNHEALTHY_MEMBERS", CONDITION_LIMIT("GREATER_THAN", "1"));
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  condition_send(&w, "POST", "/clusters/Main/outageSimulation", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}", 202);
  t_advance(&w.t, 30);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK); /* the outage is just beginning */
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 8); /* two per shard, each with a router */
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "TOO_MANY_UNHEALTHY_MEMBERS", "OPEN"), ==, 2);
  condition_send(&w, "DELETE", "/clusters/Main/outageSimulation", NULL, 200);
  t_advance(&w.t, 120);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  condition_close(&w);
}

/* A paused cluster is not measured. */
TEST(alert_conditions, paused)
{
  condition_world w;
  condition_open(&w);
  condition_send(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10"), 201);
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
  condition_watch(&w, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", CONDITION_LIMIT_IN("<", "100", "days"));
  condition_watch(&w, "CPS_OPLOG_BEHIND", CONDITION_LIMIT_IN("GREATER_THAN", "1", "HOURS"));
  condition_watch(&w, "CPS_PREV_SNAPSHOT_OLD", CONDITION_LIMIT_IN("GREATER_THAN", "12", "HOURS"));
  t_advance(&w.t, 60);
  condition_send(&w, "PATCH", "/clusters/Main", "{\"backupEnabled\":true}", 200);
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 3);
  munit_assert_int(condition_count(&w, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "CPS_OPLOG_BEHIND", "OPEN"), ==, 0); /* the simulation is never behind */
  t_advance(&w.t, 3600);
  condition_send(&w, "PATCH", "/clusters/Main", "{\"paused\":true}", 200);
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 0); /* and a paused cluster makes no snapshots */
  condition_close(&w);
}

/* A driver may report values in any order, useless values, or none. A missing value is unknown and changes nothing. A reply
** without a valid list of values is refused. */
TEST(alert_conditions, told)
{
  static const char *const refused[] = {
    "{\"figures\":{}}", "{\"figures\":[1,null,{}]}", "{\"figures\":\"h1\"}",
    "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":\"90\"}]}",
    "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":1e999}]}",
  };
  static const struct {
    const char *facts;
    int open;
  } rows[] = {
    { "{\"figures\":[]}", 0 },
    { "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\"}]}", 0 },
    { "{\"figures\":[{\"host\":\"h2.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":90}]}", 0 },
    { "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"UP\",\"value\":90}]}", 0 },
    { "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":90}]}", 1 },
    { "{\"figures\":[]}", 1 }, /* no report of a better value */
    { "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":10}]}", 0 },
  };
  static t_driver d;
  condition_world w;
  size_t i;
  condition_open_driven(&w, alert_driver(&d));
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "50"));
  t_advance(&w.t, 60);
  for (i = 0; i < sizeof refused / sizeof refused[0]; i++) t_driver_refused(&d, w.t.s, "metrics.measure", refused[i]);
  t_driver_finish(&d, w.t.s, "metrics.measure", SVC_OK, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    alert_measured(&w.t, &d, rows[i].facts);
    if (condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN") != rows[i].open) munit_error(rows[i].facts);
  }
  condition_close(&w);
}

/* A driver reports values in the order of the question. Configurations that watch the same value share it, each with its own limit. */
TEST(alert_conditions, shared)
{
#define CONDITION_FIGURE(name, value) "{\"host\":\"h1.example:27017\",\"metricName\":\"" name "\",\"value\":" value "}"
  static t_driver d;
  condition_world w;
  condition_open_driven(&w, alert_driver(&d));
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "50"));
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS_PERCENT", "GREATER_THAN", "50"));
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "HOST_DOWN", ",\"matchers\":[{\"fieldName\":\"HOSTNAME\",\"operator\":\"EQUALS\",\"value\":\"h1.example\"}]");
  condition_watch(&w, "PENDING_INVOICE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "1"));
  condition_watch(&w, "PENDING_INVOICE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "1000000"));
  alert_measured(&w.t, &d, "{\"figures\":[" CONDITION_FIGURE("CONNECTIONS", "10") "," CONDITION_FIGURE("CONNECTIONS_PERCENT", "90") ","
                 CONDITION_FIGURE("UP", "0") "]}");
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 1);
  munit_assert_not_null(strstr(w.t.response.body, "\"metricName\":\"CONNECTIONS_PERCENT\""));
  munit_assert_null(strstr(w.t.response.body, "\"metricName\":\"CONNECTIONS\""));
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 2);
  t_advance(&w.t, 86400); /* the hourly checks read only the store */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(condition_count(&w, "PENDING_INVOICE_OVER_THRESHOLD", "OPEN"), ==, 1);
  condition_close(&w);
}

/* Alerts with damaged records close as well. Their events lack the damaged value; with a damaged type no event is written. */
TEST(alert_conditions, damaged)
{
  static const struct {
    const char *was, *is;
    int events;
  } rows[] = { { "\"currentValue\":", "\"currentVelua\":", 1 }, { "\"OUTSIDE_METRIC_THRESHOLD\"", "\"OUTSIDE_METRIC_THRASHOLD\"", 0 } };
  static t_driver d;
  condition_world w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    condition_open_driven(&w, alert_driver(&d));
    condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "50"));
    alert_measured(&w.t, &d, "{\"figures\":[" CONDITION_FIGURE("CONNECTIONS", "90") "]}");
    munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 1);
    damaged_body(&w.t, "alert", w.group, NULL, rows[i].was, rows[i].is);
    alert_measured(&w.t, &d, "{\"figures\":[" CONDITION_FIGURE("CONNECTIONS", "10") "]}");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts?status=OPEN", w.group), ==, 200);
    munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
    munit_assert_int(condition_events(&w, "INSIDE_METRIC_THRESHOLD"), ==, rows[i].events);
    munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.number"), "");
    t_close(&w.t); /* not condition_close(), which checks the store */
    store_remove(w.folder);
  }
}

/* A round looks at every cluster, up to the maximum of a project. */
TEST(alert_conditions, many)
{
  static const struct {
    const char *type, *more, *path, *body;
  } rows[] = {
    { "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1")
      ",\"matchers\":[{\"fieldName\":\"TYPE_NAME\",\"operator\":\"EQUALS\",\"value\":\"PRIMARY\"}]", "/clusters", PROBE_CLUSTER("c%d", "M10") },
    { "OUTSIDE_FLEX_METRIC_THRESHOLD", CONDITION_METRIC("FLEX_CONNECTIONS", "GREATER_THAN", "-1"), "/flexClusters",
      "{\"name\":\"c%d\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}" },
  };
  condition_world w;
  size_t i, k;
  int n;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool last = false;
    condition_open(&w);
    condition_send(&w, "PATCH", "/limits/svc.project.deployment.clusters", "{\"value\":90}", 200);
    for (n = 1; n <= 91; n++) {
      char body[512];
      snprintf(body, sizeof body, rows[i].body, n);
      condition_send(&w, "POST", rows[i].path, body, n <= 90 ? 201 : 403);
    }
    t_advance(&w.t, 60);
    condition_watch(&w, rows[i].type, rows[i].more);
    t_advance(&w.t, 60);
    munit_assert_int(condition_count(&w, rows[i].type, "OPEN"), ==, 90);
    for (k = 0; k < 90; k++) {
      char at[64];
      snprintf(at, sizeof at, "results[%zu].clusterName", k);
      last |= strcmp(t_str(&w.t, at), "c90") == 0;
    }
    munit_assert_true(last);
    condition_close(&w);
  }
}

/* At the maximum of alerts per project, closed alerts are replaced by new ones. While none is closed, no other alert opens. */
TEST(alert_conditions, full)
{
  condition_world w;
  char first[64];
  int i;
  condition_open(&w);
  condition_cluster(&w);
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
  snprintf(first, sizeof first, "/alertConfigs/%s", t_str(&w.t, "id"));
  for (i = 0; i < 169; i++) condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
  for (i = 0; i < 8; i++) {
    t_advance(&w.t, 60);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 500);
  munit_assert_not_null(strstr(w.t.log, "has reached its limit of open alerts; new alerts are not opened"));
  condition_send(&w, "DELETE", first, NULL, 204); /* three alerts are cancelled, which makes room for the next three */
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 497);
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 500);
  condition_close(&w);
}

/* Of several past dates the first counts, of several future dates the next. A resource without such a date is ignored. */
TEST(alert_conditions, several_dates)
{
  condition_world w;
  char path[160];
  condition_open(&w);
  condition_watch(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "");
  condition_watch(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "");
  condition_watch(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
  condition_watch(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
  condition_send(&w, "POST", "/serviceAccounts",
                 "{\"name\":\"builder\",\"description\":\"builds\",\"roles\":[\"GROUP_READ_ONLY\"],\"secretExpiresAfterHours\":8760}", 201);
  snprintf(path, sizeof path, "/serviceAccounts/%s/secrets", t_str(&w.t, "clientId"));
  condition_send(&w, "POST", path, "{\"secretExpiresAfterHours\":48}", 201); /* the second secret expires long before the first */
  condition_send(&w, "POST", "/databaseUsers",
                 "{\"databaseName\":\"admin\",\"username\":\"joe\",\"password\":\"correct horse\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", 201);
  condition_send(&w, "POST", "/databaseUsers",
                 "{\"databaseName\":\"$external\",\"username\":\"CN=joe\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", 201);
  condition_send(&w, "POST", "/databaseUsers/CN%3Djoe/certs", "{\"monthsUntilExpiration\":24}", 201);
  condition_send(&w, "POST", "/databaseUsers/CN%3Djoe/certs", "{\"monthsUntilExpiration\":1}", 201);
  condition_send(&w, "POST", "/databaseUsers/CN%3Djoe/certs", "{\"monthsUntilExpiration\":3}", 201);
  t_advance(&w.t, 3 * 3600);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "OPEN"), ==, 0);
  /* the project has no CA certificate */
  munit_assert_int(condition_count(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", "OPEN"), ==, 0);
  t_advance(&w.t, 3 * 86400); /* the second secret has expired; the first is still valid */
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", "OPEN"), ==, 0);
  munit_assert_int(condition_count(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", "OPEN"), ==, 1);
  condition_close(&w);
}

/* The driver reports keys as invalid, then as valid. A key that is not in use gets no alert. */
TEST(alert_conditions, keys_invalid)
{
  t_driver d;
  condition_world w;
  condition_open(&w);
  w.config.driver = t_driver_init(&d);
  t_driver_does(&d, "encryption.", "{\"awsKms\":{\"valid\":false}}");
  t_reopen(&w.t, &w.config);
  condition_watch(&w, "AWS_ENCRYPTION_KEY_INVALID", "");
  condition_watch(&w, "AZURE_ENCRYPTION_KEY_INVALID", "");
  condition_send(&w, "PATCH", "/encryptionAtRest", CONDITION_KEY("first"), 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(condition_count(&w, "AWS_ENCRYPTION_KEY_INVALID", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "AZURE_ENCRYPTION_KEY_INVALID", "OPEN"), ==, 0);
  t_driver_does(&d, "encryption.", "{\"awsKms\":{\"valid\":true}}");
  condition_send(&w, "PATCH", "/encryptionAtRest", "{\"awsKms\":{\"customerMasterKeyID\":\"second\"}}", 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(condition_count(&w, "AWS_ENCRYPTION_KEY_INVALID", "OPEN"), ==, 0);
  munit_assert_int(condition_events(&w, "AWS_ENCRYPTION_KEY_VALID"), ==, 1);
  condition_close(&w);
}

/* The month before January belongs to another year. */
TEST(alert_conditions, new_year)
{
  condition_world w;
  condition_open(&w);
  t_advance(&w.t, 183 * 86400); /* 2025-12-01 */
  condition_watch(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", CONDITION_LIMIT("GREATER_THAN", "3"));
  condition_cluster(&w);
  t_advance(&w.t, 32 * 86400); /* 2026-01-02: more in December than in November */
  munit_assert_int(condition_count(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 1);
  t_advance(&w.t, 32 * 86400); /* 2026-02-03: as much in January as in December */
  munit_assert_int(condition_count(&w, "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "OPEN"), ==, 0);
  condition_close(&w);
}

/* A cluster in creation is not measured, and an outage that is still beginning opens no alert. Of several providers one has an outage. */
TEST(alert_conditions, not_yet)
{
  condition_world w;
  condition_open(&w);
  condition_send(&w, "POST", "/clusters",
                 "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":"
                 "\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{\"providerName\":\"GCP\",\"regionName\":"
                 "\"EASTERN_US\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}", 201);
  t_advance(&w.t, 10);
  condition_watch(&w, "NO_PRIMARY", "");
  t_advance(&w.t, 60);
  condition_watch(&w, "HOST_DOWN", "");
  condition_watch(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", CONDITION_METRIC("FLEX_CONNECTIONS", "GREATER_THAN", "-1"));
  w.config.provision_ms = (int64_t)600 * 1000;
  t_reopen(&w.t, &w.config);
  condition_send(&w, "POST", "/flexClusters",
                 "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201);
  condition_send(&w, "POST", "/clusters/Main/outageSimulation", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}", 202);
  t_advance(&w.t, 120); /* the flex cluster is being created, and the outage is beginning */
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 0);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  t_advance(&w.t, 3600);
  munit_assert_int(condition_count(&w, "HOST_DOWN", "OPEN"), ==, 2);
  munit_assert_int(condition_count(&w, "NO_PRIMARY", "OPEN"), ==, 1);
  munit_assert_int(condition_count(&w, "OUTSIDE_FLEX_METRIC_THRESHOLD", "OPEN"), ==, 1);
  condition_close(&w);
}

/* A cluster whose driver has named no hosts gets no alert about missing snapshots. */
TEST(alert_conditions, hostless)
{
  t_driver d;
  condition_world w;
  t_driver_init(&d);
  t_driver_does(&d, "", "{\"hosts\":[]}");
  condition_open_driven(&w, &d.port);
  condition_send(&w, "PATCH", "/clusters/Main", "{\"backupEnabled\":true}", 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  condition_watch(&w, "CPS_PREV_SNAPSHOT_OLD", CONDITION_LIMIT_IN("GREATER_THAN", "1", "HOURS"));
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(condition_count(&w, "CPS_PREV_SNAPSHOT_OLD", "OPEN"), ==, 0);
  condition_close(&w);
}

/* An alert that ends while it is tracked was never open: no event is written. Nodes that a matcher excludes do not count. */
TEST(alert_conditions, tracked)
{
  static t_driver d;
  condition_world w;
  condition_open(&w);
  condition_cluster(&w);
  condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1")
                  ",\"matchers\":[{\"fieldName\":\"TYPE_NAME\",\"operator\":\"EQUALS\",\"value\":\"SECONDARY\"}]");
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 2);
  t_advance(&w.t, 60);
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, 2);
  condition_close(&w);
  condition_open_driven(&w, alert_driver(&d));
  condition_send(&w, "POST", "/alertConfigs", "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\"" CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "50")
                 ",\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":30}]}", 201);
  alert_measured(&w.t, &d, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":90}]}");
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "TRACKING"), ==, 1);
  alert_measured(&w.t, &d, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":10}]}");
  munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "TRACKING"), ==, 0);
  munit_assert_int(condition_events(&w, "INSIDE_METRIC_THRESHOLD"), ==, 0);
  condition_close(&w);
}

/* Without the nouns that some conditions are about, those conditions never hold; all other conditions work as usual. */
TEST(alert_conditions, left_out)
{
  static const char *const without[] = { "service account", "user security", "database user certificate", "encryption at rest", "outage simulation", NULL };
  static const char *const users[] = { "database user", NULL };
  static const char *const clusters[] = { "cluster", NULL };
  static const char *const *const builds[] = { without, users, clusters };
  condition_world w;
  size_t i;
  for (i = 0; i < 3; i++) {
    t_without(builds[i]);
    condition_open(&w);
    condition_watch(&w, "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", "");
    condition_watch(&w, CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
    condition_watch(&w, CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", CONDITION_LIMIT("LESS_THAN", "30"));
    condition_watch(&w, "AWS_ENCRYPTION_KEY_INVALID", "");
    condition_watch(&w, "HOST_DOWN", "");
    condition_watch(&w, "OUTSIDE_METRIC_THRESHOLD", CONDITION_METRIC("CONNECTIONS", "GREATER_THAN", "-1"));
    if (builds[i] != clusters) condition_cluster(&w);
    t_advance(&w.t, 2 * 3600);
    munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "OPEN"), ==, builds[i] == clusters ? 0 : 3);
    munit_assert_int((int)t_int(&w.t, "totalCount"), ==, builds[i] == clusters ? 0 : 3); /* no other alert is open */
    condition_close(&w);
  }
  t_without(NULL);
}

/* The service measures the conditions of the default configurations from the table, and the same when they are stored. */
TEST(alert_conditions, defaults)
{
  static char desired[16384];
  static t_driver d;
  condition_world w;
  char body[128], first[64];
  int round;
  condition_open(&w);
  w.config.driver = alert_driver(&d);
  t_reopen(&w.t, &w.config);
  snprintf(body, sizeof body, "{\"name\":\"defaults\",\"orgId\":\"%s\"}", w.org);
  munit_assert_int(t_send(&w.t, "POST", "/groups", body), ==, 201);
  snprintf(w.group, sizeof w.group, "%s", t_str(&w.t, "id"));
  condition_send(&w, "GET", "/alertConfigs", NULL, 200);
  snprintf(first, sizeof first, "/alertConfigs/%s", t_str(&w.t, "results[2].id"));
  condition_send(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10"), 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (round = 0; round < 2; round++) {
    alert_measured(&w.t, &d, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"UP\",\"value\":0},"
                             "{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS_PERCENT\",\"value\":81}]}");
    if (round) munit_assert_string_equal(t_driver_order(&d, "metrics.measure")->desired, desired);
    snprintf(desired, sizeof desired, "%s", t_driver_order(&d, "metrics.measure")->desired);
    munit_assert_not_null(strstr(desired, "\"PRIMARIES\""));
    munit_assert_not_null(strstr(desired, "\"QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED\""));
    munit_assert_int(condition_count(&w, "HOST_DOWN", "TRACKING"), ==, 1);
    munit_assert_int(condition_count(&w, "OUTSIDE_METRIC_THRESHOLD", "TRACKING"), ==, 1);
    munit_assert_size(probe_records(w.t.s, "eacfg"), ==, round ? 8u : 0u);
    condition_send(&w, "PATCH", first, "{\"enabled\":false}", 200); /* a configuration of an event: measured alerts stay */
  }
  condition_close(&w);
}
