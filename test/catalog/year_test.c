/*
** A year of one project, hour by hour: at every hour the measurements agree with each other; and alerts, bills, logins and snapshots
** agree with the states of a cluster and of a flex cluster.
**
**   day   3  the sample data is loaded into both clusters     day  90 to 100  the cluster is paused
**   day  20  M10 becomes M30                                  day 120         an index is built
**   day  60 to 61  an outage of two of five nodes             every four weeks: maintenance, which elects another primary
*/
#include "catalog/model_world.h"

enum { YEAR_LOAD = 3, YEAR_SCALE = 20, YEAR_MEASURED = 40, YEAR_OUTAGE = 60, YEAR_PAUSE = 90, YEAR_RESUME = 100, YEAR_INDEX = 120, YEAR_DAYS = 365 };

#define YEAR_SPECS(size) \
  "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size \
  "\",\"nodeCount\":3}},{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":2}}]}]"

typedef struct year {
  model_world w;
  const char *org;
  svc_tier tier;
  bool elected; /* an election happened on this day */
  int64_t hours, gaps; /* checked points, and those without values */
  int64_t sent;        /* thousandths of gigabytes that the hosts sent on the day YEAR_MEASURED, according to their series */
  int64_t billed[YEAR_DAYS + 1]; /* the same for each day, according to the bills */
} year;

static void year_send(year *y, const char *method, const char *path, const char *body, int status)
{
  char target[256];
  snprintf(target, sizeof target, "/groups/%s%s", y->w.group, path);
  if (t_send(&y->w.t, method, target, body) != status) munit_errorf("%s %s: %d %s", method, path, y->w.t.response.status, y->w.t.response.body);
}

static int year_events(year *y, const char *type)
{
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/events?eventType=%s", y->w.group, type), ==, 200);
  return (int)t_int(&y->w.t, "totalCount");
}

/* ---------------------------------------------------------------------------------------------------------------- story */

static void year_today(year *y, int day)
{
  int before = year_events(y, "PRIMARY_ELECTED");
  if (day == YEAR_LOAD) year_send(y, "POST", "/sampleDatasetLoad/C", NULL, 201);
  if (day == YEAR_LOAD) year_send(y, "POST", "/sampleDatasetLoad/F", NULL, 201);
  if (day == YEAR_SCALE) year_send(y, "PATCH", "/clusters/C", "{" YEAR_SPECS("M30") "}", 200);
  if (day == YEAR_OUTAGE)
    year_send(y, "POST", "/clusters/C/outageSimulation", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}", 202);
  if (day == YEAR_OUTAGE + 1) year_send(y, "DELETE", "/clusters/C/outageSimulation", NULL, 200);
  if (day == YEAR_PAUSE) year_send(y, "PATCH", "/clusters/C", "{\"paused\":true}", 200);
  if (day == YEAR_RESUME) year_send(y, "PATCH", "/clusters/C", "{\"paused\":false}", 200);
  if (day == YEAR_INDEX)
    year_send(y, "POST", "/clusters/C/index", "{\"db\":\"sample_mflix\",\"collection\":\"movies\",\"keys\":[{\"year\":\"1\"}]}", 202);
  t_advance(&y->w.t, 86400);
  munit_assert_int(svc_tick(y->w.t.s), ==, SVC_OK);
  y->elected = year_events(y, "PRIMARY_ELECTED") != before;
}

/* ------------------------------------------------------------------------------------------------------------- every hour */

static bool year_is_gap(const svc_node *list, size_t point)
{
  const svc_node *one, *at;
  int64_t gaps = 0, all = 0;
  for (one = list->first; one; one = one->next, all++) {
    size_t i = point;
    for (at = svc_node_first(svc_node_get(one, "dataPoints")); at && i > 0; i--) at = at->next;
    munit_assert_not_null(at);
    gaps += svc_node_get(at, "value")->type != SVC_J_NUMBER;
  }
  if (gaps != 0 && gaps != all) munit_errorf("of %lld figures %lld are gaps at point %zu", (long long)all, (long long)gaps, point);
  return gaps != 0;
}

/* Checks the last day of one process. quiet: nothing changed on that day. */
static void year_process(year *y, int process, bool primary, bool quiet, bool loaded)
{
  model_world *w = &y->w;
  size_t i;
  model_get(w, process, "/measurements?granularity=PT1H&period=P1D");
  for (i = 0; i < model_points(w); i++) {
    y->hours++;
    if (year_is_gap(t_node(&w->t, "measurements"), i)) {
      y->gaps++;
      continue;
    }
    model_check_all(w, i);
    if (quiet) model_check_machine(w, i, &y->tier);
    if (quiet && loaded) model_check_operations(w, i, primary);
  }
  model_get(w, process, "/disks/data/measurements?granularity=PT1H&period=P1D");
  for (i = 0; i < model_points(w); i++) {
    if (year_is_gap(t_node(&w->t, "measurements"), i)) continue;
    model_check_all(w, i);
    if (quiet) model_check_disk(w, i, &y->tier);
  }
}

static void year_figures(year *y, int day)
{
  bool quiet = !y->elected && day > 0 && day != YEAR_LOAD && day != YEAR_SCALE && day != YEAR_OUTAGE && day != YEAR_OUTAGE + 1;
  bool primary[5];
  char path[48];
  int i;
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/processes", y->w.group), ==, 200);
  for (i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "results[%d].typeName", i);
    primary[i] = strcmp(t_str(&y->w.t, path), "REPLICA_PRIMARY") == 0;
  }
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/clusters/C", y->w.group), ==, 200);
  y->tier = svc_tier_of_node(t_node(&y->w.t, ""), 0, 0);
  quiet = quiet && (day < YEAR_PAUSE || day > YEAR_RESUME);
  for (i = 0; i < 5; i++) /* on quiet days only the primary, and the others by turns, since they are alike */
    if (!quiet || primary[i] || day % 5 == i) year_process(y, i, primary[i], quiet, day > YEAR_LOAD);
}

static void year_sent(year *y)
{
  int64_t bytes = 0;
  size_t i;
  int process;
  for (process = 0; process < 5; process++) {
    model_get(&y->w, process, "/measurements?granularity=PT1H&period=P1D&m=NETWORK_BYTES_OUT");
    for (i = 0; i < model_points(&y->w); i++) bytes += model_figure(&y->w, "NETWORK_BYTES_OUT", i) / 1000 * 3600;
  }
  y->sent = bytes / 1000000;
}

/* --------------------------------------------------------------------------------------------------------- the whole year */

/* Alerts have two causes: the outage, whose closed alerts are deleted by the end of the year, and the data size of the flex cluster. */
static void year_alerts(year *y)
{
  char path[64];
  int i, n;
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/alerts?itemsPerPage=500", y->w.group), ==, 200);
  n = (int)t_int(&y->w.t, "totalCount");
  munit_assert_int(n, ==, 1); /* closed alerts are kept for a month */
  munit_assert_string_equal(t_str(&y->w.t, "results[0].eventTypeName"), "OUTSIDE_FLEX_METRIC_THRESHOLD");
  munit_assert_int(year_events(y, "HOST_DOWN"), ==, 2);
  for (i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "results[%d].created", i);
    munit_assert_memory_equal(10, t_str(&y->w.t, path), "2025-07-31");
  }
  munit_assert_int(year_events(y, "HOST_UP"), ==, 2);
  munit_assert_int(year_events(y, "NO_PRIMARY"), ==, 0);
  munit_assert_int(year_events(y, "MAINTENANCE_STARTED"), ==, year_events(y, "MAINTENANCE_COMPLETED"));
  munit_assert_int(year_events(y, "MAINTENANCE_STARTED"), >=, 12);
}

/* Adds up a line about transfer. Returns the hours of a line about the flex cluster, which costs the same every hour, including its
** transfer; 0 for any other line. */
static int64_t year_line(year *y, const svc_node *line)
{
  int64_t day;
  munit_assert_true(svc_date_parse(svc_node_str(line, "startDate"), &day));
  day = (day - INT64_C(1748736000000)) / SVC_DAY_MS;
  munit_assert_true(day >= 0 && day <= YEAR_DAYS);
  if (svc_str_starts(svc_node_str(line, "sku"), "DATA_TRANSFER_")) {
    munit_assert_true(svc_node_is(line, "clusterName", "C"));
    y->billed[day] += model_thousandths(svc_node_get(line, "quantity"));
  }
  return svc_node_is(line, "sku", "FLEX_AWS") ? model_thousandths(svc_node_get(line, "quantity")) / 1000 : 0;
}

/* A day's transfer is what the hosts sent. Without data, and during the pause, nothing is transferred. */
static void year_transfer(const year *y)
{
  int day;
  for (day = 0; day < YEAR_DAYS; day++) {
    bool rests = day < YEAR_LOAD || (day > YEAR_PAUSE && day < YEAR_RESUME);
    if ((y->billed[day] > 0) == rests) munit_errorf("day %d: %lld thousandths of a gigabyte were sent", day, (long long)y->billed[day]);
  }
  munit_assert_int64(y->sent, >, 1000);
  munit_assert_int64(y->billed[YEAR_MEASURED], >, y->sent * 95 / 100);
  munit_assert_int64(y->billed[YEAR_MEASURED], <, y->sent * 105 / 100);
}

/* The flex cluster has the snapshots of the last days, and has had its data since the load. */
static void year_flex(year *y)
{
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/flexClusters/F/backup/snapshots", y->w.group), ==, 200);
  munit_assert_size(t_count(&y->w.t, "results"), ==, 8);
  munit_assert_string_equal(t_str(&y->w.t, "results[7].status"), "COMPLETED");
  munit_assert_int(year_events(y, "OUTSIDE_FLEX_METRIC_THRESHOLD"), ==, 1); /* a single event since the load: the data stays */
  /* the clock moves by days: the round after the load */
  munit_assert_memory_equal(10, t_str(&y->w.t, "results[0].created"), "2025-06-05");
}

/* Each bill is the sum of its lines. A month on larger machines costs more, and a pause less. */
static void year_bills(year *y)
{
  int64_t totals[16] = { 0 };
  char path[64], id[16][32];
  const svc_node *line;
  int64_t flex = 0;
  size_t n, i;
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/orgs/%s/invoices?itemsPerPage=100&sortBy=START_DATE&orderBy=asc", y->org), ==, 200);
  n = t_count(&y->w.t, "results");
  munit_assert_size(n, >=, 12);
  for (i = 0; i < n && i < 16; i++) {
    snprintf(path, sizeof path, "results[%zu].id", i);
    snprintf(id[i], sizeof id[i], "%s", t_str(&y->w.t, path));
  }
  for (i = 0; i < n && i < 16; i++) {
    int64_t sum = 0;
    munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/orgs/%s/invoices/%s", y->org, id[i]), ==, 200);
    for (line = svc_node_first(t_node(&y->w.t, "lineItems")); line; line = line->next) {
      sum += svc_node_i64(line, "totalPriceCents", -1);
      flex += year_line(y, line);
    }
    munit_assert_int64(t_int(&y->w.t, "subtotalCents"), ==, sum);
    totals[i] = sum;
  }
  munit_assert_int64(totals[1], >, totals[0]); /* July on M30, most of June on M10 */
  munit_assert_int64(totals[3], <, totals[2]); /* paused for the first days of September */
  munit_assert_int64(totals[3], <, totals[4]);
  munit_assert_int64(flex, >=, YEAR_DAYS * 24 - 1);
  munit_assert_int64(flex, <=, YEAR_DAYS * 24);
}

/* Every login is by the only database user. */
static void year_logins(year *y)
{
  char path[64];
  size_t i, n;
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s/dbAccessHistory/clusters/C?nLogs=20000", y->w.group), ==, 200);
  n = t_count(&y->w.t, "accessLogs");
  munit_assert_size(n, >, 0);
  for (i = 0; i < n; i++) {
    snprintf(path, sizeof path, "accessLogs[%zu].username", i);
    munit_assert_string_equal(t_str(&y->w.t, path), "reader");
  }
}

static void year_open(year *y)
{
  memset(y, 0, sizeof *y);
  model_open(&y->w, "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"backupEnabled\":true," YEAR_SPECS("M10") "}");
  munit_assert_int(y->w.processes, ==, 5);
  munit_assert_int(t_sendf(&y->w.t, "GET", NULL, "/groups/%s", y->w.group), ==, 200);
  y->org = t_keep(&y->w.t, t_str(&y->w.t, "orgId"));
  year_send(y, "PATCH", "/maintenanceWindow", "{\"dayOfWeek\":3,\"hourOfDay\":3}", 200);
  year_send(y, "POST", "/flexClusters", "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201);
  year_send(y, "POST", "/alertConfigs", "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_FLEX_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":"
            "\"FLEX_DATA_SIZE_TOTAL\",\"operator\":\"GREATER_THAN\",\"threshold\":100000000},\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":0}]}", 201);
  year_send(y, "POST", "/accessList", "[{\"ipAddress\":\"192.0.2.9\"}]", 201);
  year_send(y, "POST", "/databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"reader\",\"password\":\"a-good-password-1\",\"roles\":[{\"roleName\":"
            "\"readAnyDatabase\",\"databaseName\":\"admin\"}]}", 201);
}

TEST(year, one)
{
  static year y;
  int day;
  year_open(&y);
  for (day = 0; day < YEAR_DAYS; day++) {
    year_today(&y, day);
    year_figures(&y, day);
    if (day == YEAR_MEASURED) year_sent(&y);
  }
  munit_assert_int64(y.hours, >=, (int64_t)YEAR_DAYS * 24);
  munit_assert_int64(y.gaps, >=, 10 * 24 * 5 + 24 * 2 - 14);   /* the pause, and the two hosts of the outage */
  munit_assert_int64(y.gaps, <=, 10 * 24 * 5 + 24 * 2 + 60);
  year_alerts(&y);
  year_bills(&y);
  year_transfer(&y);
  year_flex(&y);
  year_logins(&y);
  store_whole(y.w.t.s);
  t_close(&y.w.t);
}
