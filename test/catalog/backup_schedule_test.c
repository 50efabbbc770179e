/*
** Backup schedules: the rules of policies, and the snapshots that schedules take and delete by the clock. Two years
** are checked day by day against the test's own calendar, and again in one leap of the clock.
*/
#include "catalog/backup_world.h"
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#include <time.h>

#define NEED_SCHEDULE "/groups/{groupId}/clusters/{clusterName}/backup/schedule"
#define NEED_ITEM(type, interval, unit, value) \
  "{\"frequencyType\":\"" type "\",\"frequencyInterval\":" #interval ",\"retentionUnit\":\"" unit "\",\"retentionValue\":" #value "}"

T_NEEDS(backup_schedule) = {
  T_REFERENCE("backup schedule", "export.exportBucketId", SVC_PATCH, NEED_SCHEDULE,
              "{\"export\":{\"exportBucketId\":\"%V\",\"frequencyType\":\"monthly\"},\"autoExportEnabled\":true}", 0, NULL),
  T_BODY(SVC_PATCH, NEED_SCHEDULE,
         "{\"policies\":[{\"policyItems\":[" NEED_ITEM("daily", 1, "days", 3) "," NEED_ITEM("monthly", 40, "months", 2) "]}]}"),
  T_BODY(SVC_PATCH, NEED_SCHEDULE, "{\"referenceHourOfDay\":5,\"restoreWindowDays\":3}"),
  T_BODY(SVC_PATCH, NEED_SCHEDULE,
         "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"frequencies\":[\"DAILY\",\"ON_DEMAND\"],\"regionName\":\"EU_WEST_1\"}]}"),
  T_NEEDS_END
};

#define SCHEDULE "%C/backup/schedule"
#define SNAPSHOTS "%C/backup/snapshots"

/* ------------------------------------------------------------------------------------------------------------- calendar */

/* A policy item in the test's own terms, which rely only on the calendar of the C library. */
typedef struct item {
  char type; /* h d w m y */
  int interval, days, months;
} item;

static struct tm calendar(int64_t ms)
{
  time_t second = (time_t)(ms / 1000);
  struct tm tm;
  munit_assert_not_null(gmtime_r(&second, &tm));
  return tm;
}

static int month_days(int year, int month) /* from 0 */
{
  static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month] + (month == 1 && leap);
}

static bool asks(const item *it, int64_t ms, int hour, int minute)
{
  struct tm tm = calendar(ms);
  int weekday = tm.tm_wday ? tm.tm_wday : 7;
  if (tm.tm_min != minute) return false;
  if (it->type == 'h') return (tm.tm_hour - hour + 24) % it->interval == 0;
  if (tm.tm_hour != hour) return false;
  if (it->type == 'w') return weekday == it->interval;
  if (it->type == 'm') return tm.tm_mday == (it->interval == 40 ? month_days(tm.tm_year + 1900, tm.tm_mon) : it->interval);
  if (it->type == 'y') return tm.tm_mday == 1 && tm.tm_mon + 1 == it->interval;
  return true;
}

static int64_t ends(const item *it, int64_t ms)
{
  struct tm tm = calendar(ms);
  int last;
  if (!it->months) return ms + it->days * B_DAY;
  tm.tm_mon += it->months;
  tm.tm_year += tm.tm_mon / 12;
  tm.tm_mon %= 12;
  last = month_days(tm.tm_year + 1900, tm.tm_mon);
  if (tm.tm_mday > last) tm.tm_mday = last;
  return (int64_t)timegm(&tm) * 1000;
}

/* All snapshots taken in a period, and the end of each one's retention; and those kept at one time, newest first. */
#define TAKEN 4000
typedef struct taken {
  int64_t when[TAKEN], until[TAKEN];
  size_t count;
} taken;
#define MOST 400
typedef struct kept {
  int64_t taken[MOST];
  size_t count;
} kept;

static void calendar_take(const item *items, size_t n, int64_t from, int64_t to, taken *out)
{
  int64_t when, until;
  size_t i;
  out->count = 0;
  for (when = from - from % 1800000 + 1800000; when <= to; when += 1800000) {
    for (i = 0, until = 0; i < n; i++)
      if (asks(&items[i], when, 3, 30) && ends(&items[i], when) > until) until = ends(&items[i], when);
    if (!until) continue;
    munit_assert_size(out->count, <, TAKEN);
    out->when[out->count] = when;
    out->until[out->count++] = until;
  }
}

static void calendar_keep(const taken *all, int64_t now, kept *out)
{
  size_t i;
  out->count = 0;
  for (i = all->count; i-- > 0;) {
    if (all->when[i] > now || all->until[i] <= now) continue;
    munit_assert_size(out->count, <, MOST);
    out->taken[out->count++] = all->when[i];
  }
}

static void expect_kept(b_world *w, const kept *wanted)
{
  const svc_node *one;
  size_t i = 0;
  char date[21];
  b_good(w, "GET", SNAPSHOTS "?itemsPerPage=500", NULL, 200);
  for (one = t_node(&w->t, "results")->first; one && i < wanted->count; one = one->next, i++) {
    svc_str created = svc_node_str(one, "createdAt");
    svc_date_text(wanted->taken[i], date);
    if (!svc_str_is(created, date)) munit_errorf("%zu: " SVC_FMT " is there, not %s", i, SVC_ARG(created), date);
    if (!svc_str_is(svc_node_str(one, "status"), "completed")) munit_errorf("%s is not completed", date);
  }
  munit_assert_null(one);
  munit_assert_size(i, ==, wanted->count);
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, (int64_t)wanted->count);
}

static const item two_years[] = {
  { 'h', 6, 2, 0 }, { 'd', 1, 7, 0 }, { 'w', 6, 28, 0 }, { 'm', 40, 0, 12 }, { 'y', 12, 0, 24 }
};
#define TWO_YEARS \
  "{\"policies\":[{\"policyItems\":[" B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 7) "," \
  B_ITEM("weekly", 6, "weeks", 4) "," B_ITEM("monthly", 40, "months", 12) "," B_ITEM("yearly", 12, "years", 2) "]}]," \
  "\"referenceHourOfDay\":3,\"referenceMinuteOfHour\":30}"

/* On every day of two years, the stored snapshots are those that the policy keeps. */
TEST(backup_schedule, two_years)
{
  static taken all;
  static kept wanted;
  int64_t noon;
  b_world w;
  int day;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, TWO_YEARS, 200);
  b_is(&w, "nextSnapshot", "2025-06-01T03:30:00Z");
  calendar_take(two_years, 5, w.t.now, w.t.now + 731 * B_DAY, &all);
  noon = w.t.now - w.t.now % B_DAY + B_DAY / 2;
  for (day = 0; day < 730; day++) {
    w.t.now = noon + day * B_DAY;
    calendar_keep(&all, w.t.now, &wanted);
    expect_kept(&w, &wanted);
  }
  munit_assert_size(wanted.count, >, 20);
  b_close(&w);
}

/* The same after one leap of the clock. Snapshots that would already have expired are never taken, and cost no writes. */
TEST(backup_schedule, leap)
{
  static taken all;
  static kept wanted;
  int64_t events;
  t_reads reads;
  b_world w;
  svc_config config = { .limiter_off = 1, .store = t_counting_port() };
  b_open_cluster(&w, &config, NULL);
  b_good(&w, "PATCH", SCHEDULE, TWO_YEARS, 200);
  calendar_take(two_years, 5, w.t.now, w.t.now + 731 * B_DAY, &all);
  t_advance(&w.t, 730 * 86400 + 3600);
  calendar_keep(&all, w.t.now, &wanted);
  t_reads_taken();
  expect_kept(&w, &wanted);
  reads = t_reads_taken();
  /* proportional to the stored snapshots, not to the three thousand that were skipped */
  munit_assert_long(reads.writes, <, (long)wanted.count * 250);
  events = b_events(&w, "CPS_SNAPSHOT_STARTED");
  munit_assert_int64(events, ==, (int64_t)wanted.count);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- defaults */

TEST(backup_schedule, default)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  b_is(&w, "clusterName", "C");
  b_is(&w, "nextSnapshot", "2025-06-01T06:00:00Z");
  b_is(&w, "policies[0].policyItems[0].frequencyType", "hourly");
  munit_assert_size(t_count(&w.t, "policies[0].policyItems"), ==, 5);
  munit_assert_size(strlen(t_str(&w.t, "policies[0].policyItems[4].id")), ==, 24);
  t_advance(&w.t, 6 * 3600 - 11);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].status", "inProgress");
  b_is(&w, "results[0].snapshotType", "scheduled");
  b_is(&w, "results[0].frequencyType", "hourly");
  b_is(&w, "results[0].expiresAt", "2025-06-08T06:00:00Z");
  munit_assert_size(t_count(&w.t, "results[0].policyItems"), ==, 1);
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  b_is(&w, "nextSnapshot", "2025-06-01T12:00:00Z");
  b_close(&w);
}

/* Without backups there is no schedule. The schedule goes on and off with the cluster's backupEnabled. */
TEST(backup_schedule, follows)
{
  char detail[200], id[32];
  b_world w;
  b_open_cluster(&w, NULL, B_CLUSTER("C", ""));
  b_bad(&w, "GET", SCHEDULE, NULL, 404, "BACKUP_CONFIG_NOT_FOUND");
  snprintf(detail, sizeof detail, "No backup configuration exists for cluster %s in group %s.", t_param(&w.t, 0), t_param(&w.t, 1));
  munit_assert_string_equal(t_str(&w.t, "detail"), detail);
  snprintf(id, sizeof id, "%s", t_param(&w.t, 0));
  b_good(&w, "GET", "%C", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  b_bad(&w, "PATCH", SCHEDULE, "{}", 404, "BACKUP_CONFIG_NOT_FOUND");
  b_bad(&w, "DELETE", SCHEDULE, NULL, 404, "BACKUP_CONFIG_NOT_FOUND");
  t_advance(&w.t, 86400);
  b_good(&w, "PATCH", "%C", "{\"backupEnabled\":true}", 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  b_good(&w, "PATCH", SCHEDULE, "{\"referenceHourOfDay\":7}", 200);
  b_good(&w, "PATCH", "%C", "{\"backupEnabled\":false}", 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200); /* existing snapshots stay until they expire */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  b_good(&w, "PATCH", "%C", "{\"backupEnabled\":true}", 200);
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  munit_assert_int64(t_int(&w.t, "referenceHourOfDay"), ==, 7); /* unchanged */
  t_advance(&w.t, 30 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), >, 20);
  b_close(&w);
}

/* A paused cluster takes no snapshots, nor does one in deletion. */
TEST(backup_schedule, paused)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C", "{\"paused\":true}", 200);
  t_advance(&w.t, 20 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_advance(&w.t, 11 * 86400); /* the cluster has resumed by itself */
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), >, 2);
  b_good(&w, "DELETE", "%C", NULL, 202);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 404);
  store_whole(w.t.s);
  b_close(&w);
}

TEST(backup_schedule, delete)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  t_advance(&w.t, 86400);
  b_good(&w, "DELETE", SCHEDULE, NULL, 200);
  munit_assert_size(t_count(&w.t, "policies[0].policyItems"), ==, 0);
  b_is(&w, "nextSnapshot", "");
  t_advance(&w.t, 3 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("daily", 1, "days", 3)), 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5);
  b_is(&w, "results[0].frequencyType", "daily");
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------------ rules */

TEST(backup_schedule, rules)
{
  static const struct { const char *body, *field, *code; } bad[] = {
    { B_POLICY(B_ITEM("hourly", 3, "days", 2)), "policies[0].policyItems[0].frequencyInterval", "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("hourly", 24, "days", 2)), "policies[0].policyItems[0].frequencyInterval", "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("daily", 2, "days", 2)), "policies[0].policyItems[0].frequencyInterval", "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("weekly", 8, "days", 9)), "policies[0].policyItems[0].frequencyInterval", "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("monthly", 29, "days", 40)), "policies[0].policyItems[0].frequencyInterval", "INVALID_ENUM_VALUE" },
    { B_POLICY(B_ITEM("yearly", 13, "years", 1)), "policies[0].policyItems[0].frequencyInterval", "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("yearly", 41, "years", 1)), "policies[0].policyItems[0].frequencyInterval", "INVALID_ATTRIBUTE" },
    { B_POLICY(B_ITEM("daily", 1, "days", 0)), "policies[0].policyItems[0].retentionValue", "ATTRIBUTE_NEGATIVE_OR_ZERO" },
    { B_POLICY(B_ITEM("yearly", 1, "years", 11)), "policies[0].policyItems[0].retentionValue",
      "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID" },
    { B_POLICY(B_ITEM("minutely", 1, "days", 1)), "policies[0].policyItems[0].frequencyType", "INVALID_ENUM_VALUE" },
    { B_POLICY(B_ITEM("daily", 1, "hours", 1)), "policies[0].policyItems[0].retentionUnit", "INVALID_ENUM_VALUE" },
    /* no item twice */
    { B_POLICY(B_ITEM("daily", 1, "days", 3) "," B_ITEM("daily", 1, "days", 3)), "policies[0].policyItems[1].frequencyType",
      "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("hourly", 1, "days", 3) "," B_ITEM("hourly", 2, "days", 3)), "policies[0].policyItems[1].frequencyType",
      "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("weekly", 2, "days", 9) "," B_ITEM("weekly", 2, "days", 9)), "policies[0].policyItems[1].frequencyType",
      "INVALID_BACKUP_POLICY" },
    /* a less frequent item keeps its snapshots at least as long */
    { B_POLICY(B_ITEM("hourly", 6, "days", 4) "," B_ITEM("daily", 1, "days", 3)), "policies[0].policyItems[1].retentionValue",
      "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("weekly", 1, "weeks", 3) "," B_ITEM("daily", 1, "days", 22)),
      "policies[0].policyItems[0].retentionValue",
      "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("monthly", 1, "months", 1) "," B_ITEM("weekly", 1, "weeks", 5)),
      "policies[0].policyItems[0].retentionValue",
      "INVALID_BACKUP_POLICY" },
    { B_POLICY(B_ITEM("yearly", 1, "months", 5) "," B_ITEM("monthly", 1, "months", 12)),
      "policies[0].policyItems[0].retentionValue",
      "INVALID_BACKUP_POLICY" },
    /* too many */
    { B_POLICY(B_ITEM("hourly", 1, "days", 100)), "policies[0].policyItems", "INVALID_BACKUP_POLICY" },
    { "{\"policies\":[{\"policyItems\":[]},{\"policyItems\":[]}]}", "policies", "INVALID_ATTRIBUTE" },
    { "{\"referenceHourOfDay\":24}", "referenceHourOfDay", "INVALID_ATTRIBUTE" },
    { "{\"referenceMinuteOfHour\":60}", "referenceMinuteOfHour", "INVALID_ATTRIBUTE" },
    { "{\"restoreWindowDays\":8}", "restoreWindowDays", "INVALID_BACKUP_POLICY" },
    { "{\"restoreWindowDays\":0}", "restoreWindowDays", "ATTRIBUTE_NEGATIVE_OR_ZERO" },
    { "{\"autoExportEnabled\":true}", "export.exportBucketId", "MISSING_ATTRIBUTE" },
    { "{\"autoExportEnabled\":true,\"export\":{\"exportBucketId\":\"5f0000000000000000000001\"}}", "export.frequencyType",
      "MISSING_ATTRIBUTE" },
    { "{\"nextSnapshot\":\"2025-06-01T03:30:00Z\"}", "nextSnapshot", "ATTRIBUTE_READ_ONLY" },
    { "{\"policies\":[{\"id\":\"5f0000000000000000000001\",\"policyItems\":[]}]}", "policies[0].id", "ATTRIBUTE_READ_ONLY" },
    { "{\"extraRetentionSettings\":[{\"frequencyType\":\"DAILY\",\"retentionDays\":400}]}",
      "extraRetentionSettings[0].retentionDays",
      "INVALID_ATTRIBUTE" },
  };
  static const char *const good[] = {
    B_POLICY(B_ITEM("hourly", 6, "days", 7) "," B_ITEM("monthly", 28, "months", 1) "," B_ITEM("monthly", 1, "months", 1)),
    B_POLICY(B_ITEM("daily", 1, "days", 31) "," B_ITEM("monthly", 40, "months", 1)),
    B_POLICY(B_ITEM("monthly", 40, "months", 12) "," B_ITEM("yearly", 12, "years", 1)),
    B_POLICY(B_ITEM("hourly", 1, "days", 80)),
    B_POLICY(""),
  };
  b_world w;
  size_t i;
  b_open_cluster(&w, NULL, NULL);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    b_bad_field(&w, "PATCH", SCHEDULE, bad[i].body, bad[i].field);
    munit_assert_string_equal(t_error(&w.t), bad[i].code);
  }
  for (i = 0; i < sizeof good / sizeof good[0]; i++) b_good(&w, "PATCH", SCHEDULE, good[i], 200);
  b_bad(&w, "PATCH", SCHEDULE,
        "{\"export\":{\"exportBucketId\":\"5f0000000000000000000001\",\"frequencyType\":\"monthly\"}}", 404,
        "EXPORT_BUCKET_NOT_FOUND");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_SCHEDULE_UPDATED_AUDIT"), ==, 5);
  b_good(&w, "GET", "/groups/%G/events?eventType=CPS_SNAPSHOT_SCHEDULE_UPDATED_AUDIT", NULL, 200);
  b_is(&w, "results[0].clusterName", "C");
  b_close(&w);
}

/* Items keep their ids when they are sent back. New items get an id. */
TEST(backup_schedule, ids)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("daily", 1, "days", 3)), 200);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "policies[0].policyItems[0].id"));
  w.other = t_keep(&w.t, t_str(&w.t, "policies[0].id"));
  b_good(&w, "PATCH", SCHEDULE,
         "{\"policies\":[{\"id\":\"%J\",\"policyItems\":[" B_ITEM("weekly", 1, "days", 9) ","
         "{\"id\":\"%S\",\"frequencyType\":\"daily\","
         "\"frequencyInterval\":1,\"retentionUnit\":\"days\",\"retentionValue\":4}]}]}", 200);
  b_is(&w, "policies[0].policyItems[1].id", w.snapshot);
  munit_assert_string_not_equal(t_str(&w.t, "policies[0].policyItems[0].id"), w.snapshot);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------ existing snapshots */

/* updateSnapshots, in several steps, over more snapshots than one step handles; and deleteSnapshots. */
TEST(backup_schedule, apply)
{
  char body[512];
  b_world w;
  int i;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 1, "days", 9)), 200);
  w.other = t_keep(&w.t, t_str(&w.t, "policies[0].policyItems[0].id"));
  t_advance(&w.t, 200 * 3600 + 20);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 200);
  snprintf(body, sizeof body,
           "{\"updateSnapshots\":true,\"policies\":[{\"policyItems\":[{\"id\":\"%s\",\"frequencyType\":\"hourly\","
           "\"frequencyInterval\":1,\"retentionUnit\":\"days\",\"retentionValue\":5}]}]}", w.other);
  b_good(&w, "PATCH", SCHEDULE, body, 200);
  b_is(&w, "updateSnapshots", "");
  for (i = 0; i < 6; i++) { /* step by step */
    w.t.now += 20;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5 * 24);
  b_is(&w, "results[0].expiresAt", "2025-06-14T08:00:00Z");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT"), ==, 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"updateSnapshots\":true}", 200); /* again: nothing changes */
  w.t.now += 20;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT"), ==, 200);
  /* another item: the first item's snapshots are deleted only on request */
  b_snapshot(&w);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("weekly", 1, "days", 9)), 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"updateSnapshots\":true}", 200);
  for (i = 0; i < 6; i++) {
    w.t.now += 20;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5 * 24 + 1);
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT"), ==, 200); /* no item applies to them */
  b_good(&w, "PATCH", SCHEDULE, "{\"deleteSnapshots\":true}", 200);
  for (i = 0; i < 6; i++) {
    w.t.now += 20;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  b_good(&w, "GET", SNAPSHOTS, NULL, 200); /* on-demand snapshots stay */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].id", w.snapshot);
  store_whole(w.t.s);
  b_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- copies */

static const char *copy_setting(b_world *w, const char *more)
{
  static char body[2048];
  b_good(w, "GET", "%C", NULL, 200);
  snprintf(body, sizeof body, "{\"cloudProvider\":\"AWS\",\"regionName\":\"EU_WEST_1\",\"zoneId\":\"%s\"%s}",
           t_str(&w->t, "replicationSpecs[0].zoneId"), more);
  return body;
}

static void set_copies(b_world *w, const char *setting, const char *more, int status)
{
  static char body[8192];
  snprintf(body, sizeof body, "{\"copySettings\":[%s]%s}", setting, more);
  b_good(w, "PATCH", SCHEDULE, body, status);
}

/* A copy to a region of AWS, for the zone whose id is %J. */
#define COPY(region, more) "{\"cloudProvider\":\"AWS\",\"regionName\":\"" region "\",\"zoneId\":\"%J\"" more "}"

TEST(backup_schedule, copies)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  set_copies(&w, copy_setting(&w, ",\"frequencies\":[\"DAILY\",\"ON_DEMAND\"]"), "", 200);
  t_advance(&w.t, 86400 + 10);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  b_is(&w, "results[0].frequencyType", "daily");
  b_is(&w, "results[0].copyRegions[0]", "EU_WEST_1");
  munit_assert_size(t_count(&w.t, "results[1].copyRegions"), ==, 0);
  munit_assert_int64(b_events(&w, "CPS_COPY_SNAPSHOT_SUCCESSFUL"), ==, 1);
  b_snapshot(&w);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  b_is(&w, "results[0].copyRegions[0]", "EU_WEST_1");
  /* a further region: existing snapshots are not copied there */
  w.other = t_keep(&w.t, (copy_setting(&w, ""), t_str(&w.t, "replicationSpecs[0].zoneId")));
  b_good(&w, "PATCH", SCHEDULE, "{\"updateCopySnapshots\":true,\"copySettings\":[" COPY("US_WEST_2", "") "," COPY("EU_WEST_1", "") "]}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 1);
  b_is(&w, "results[0].copyRegions[0]", "EU_WEST_1");
  /* the copies in this region are deleted */
  b_good(&w, "PATCH", SCHEDULE, "{\"deleteCopiedBackups\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"EU_WEST_1\"}]}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 0);
  munit_assert_size(t_count(&w.t, "results[1].copyRegions"), ==, 0);
  b_close(&w);
}

/* Copies of more snapshots than one step handles. */
TEST(backup_schedule, copies_many)
{
  b_world w;
  int i;
  b_open_cluster(&w, NULL, NULL);
  w.other = t_keep(&w.t, (copy_setting(&w, ""), t_str(&w.t, "replicationSpecs[0].zoneId")));
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 1, "days", 9)), 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY("EU_WEST_1", "") "," COPY("US_WEST_2", "") "]}", 200);
  t_advance(&w.t, 150 * 3600 + 20);
  b_good(&w, "PATCH", SCHEDULE, "{\"deleteCopiedBackups\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_WEST_2\"}]}", 200);
  for (i = 0; i < 6; i++) {
    w.t.now += 20;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=500", NULL, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 150);
  for (i = 0; i < 150; i++) {
    char path[64];
    snprintf(path, sizeof path, "results[%d].copyRegions", i);
    munit_assert_size(t_count(&w.t, path), ==, 1);
    strcat(path, "[0]");
    b_is(&w, path, "EU_WEST_1");
  }
  b_close(&w);
}

/* Copies of the last snapshots only, and copies with their own retention. */
TEST(backup_schedule, copies_end)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 6, "days", 20)), 200);
  set_copies(&w, copy_setting(&w, ",\"lastNumberOfSnapshots\":2"), "", 200);
  t_advance(&w.t, 86400 + 10);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 1);
  munit_assert_size(t_count(&w.t, "results[1].copyRegions"), ==, 1);
  munit_assert_size(t_count(&w.t, "results[2].copyRegions"), ==, 0);
  munit_assert_size(t_count(&w.t, "results[3].copyRegions"), ==, 0);
  set_copies(&w,
             copy_setting(&w, ",\"copyPolicyItems\":[{\"frequencyType\":\"hourly\",\"retentionUnit\":\"days\","
                              "\"retentionValue\":1}]"),
             ",\"copyPolicyItemsEnabled\":true,\"updateCopySnapshots\":true", 200);
  t_advance(&w.t, 2 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 12);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 1);
  munit_assert_size(t_count(&w.t, "results[3].copyRegions"), ==, 1);
  munit_assert_size(t_count(&w.t, "results[4].copyRegions"), ==, 0);
  /* older copies have expired, too: updateCopySnapshots gave them the new retention */
  munit_assert_size(t_count(&w.t, "results[8].copyRegions"), ==, 0);
  /* no copy regions any more; existing copies are deleted */
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[],\"deleteCopySnapshots\":true}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* Each region has its own settings: which snapshots are copied there, and for how long. */
TEST(backup_schedule, copies_apart)
{
  b_world w;
  char both[2048];
  b_open_cluster(&w, NULL, NULL);
  w.other = t_keep(&w.t, (copy_setting(&w, ""), t_str(&w.t, "replicationSpecs[0].zoneId")));
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 12, "days", 20)), 200);
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  t_advance(&w.t, 10);
#define COPY_ITEMS "\"copyPolicyItems\":[{\"frequencyType\":\"daily\",\"retentionUnit\":\"days\",\"retentionValue\":1}," \
  "{\"frequencyType\":\"hourly\"},{\"frequencyType\":\"ondemand\"}]"
  b_good(&w, "PATCH", SCHEDULE, "{\"copyPolicyItemsEnabled\":true,\"copySettings\":[" COPY("EU_WEST_1", ",\"frequencies\":[\"WEEKLY\"]") ","
         COPY("US_WEST_2", "," COPY_ITEMS ",\"shouldCopyOplogs\":true") "," COPY("AP_SOUTH_1", "") "]}", 200);
  t_advance(&w.t, 86400);
  b_snapshot(&w);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  b_is(&w, "results[0].snapshotType", "onDemand");
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 2); /* EU_WEST_1 gets only weekly snapshots */
  b_is(&w, "results[0].copyRegions[0]", "AP_SOUTH_1");
  b_is(&w, "results[0].copyRegions[1]", "US_WEST_2");
  b_is(&w, "results[1].copyRegions[0]", "AP_SOUTH_1");
  /* copies in a region that loses its settings stay until deleteCopySnapshots; an empty deleteCopiedBackups deletes none */
  b_good(&w, "PATCH", SCHEDULE, "{\"deleteCopiedBackups\":[]}", 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"updateCopySnapshots\":true,\"copySettings\":[" COPY("US_WEST_2", ",\"copyPolicyItems\":[{\"frequencyType\":\"hourly\","
         "\"retentionUnit\":\"days\",\"retentionValue\":2}]") "]}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 2); /* updated, not deleted */
  t_advance(&w.t, 2 * 86400 + 60);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  munit_assert_size(t_count(&w.t, "copyRegions"), ==, 2);
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=500", NULL, 200);
  snprintf(both, sizeof both, "results[%d].copyRegions", (int)t_int(&w.t, "totalCount") - 1);
  munit_assert_size(t_count(&w.t, both), ==, 1); /* the oldest snapshot's copy in US_WEST_2 has expired */
  b_good(&w, "PATCH", SCHEDULE, "{\"deleteCopySnapshots\":true}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  munit_assert_size(t_count(&w.t, "copyRegions"), ==, 1);
  b_is(&w, "copyRegions[0]", "US_WEST_2"); /* the only region with settings */
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[],\"updateCopySnapshots\":true}", 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  munit_assert_size(t_count(&w.t, "copyRegions"), ==, 1); /* without a retention, a copy is kept as long as its snapshot */
  /* in each region a copy expires by its own retention */
  b_good(&w, "PATCH", SCHEDULE, "{\"copyPolicyItemsEnabled\":true,\"copySettings\":[" COPY("EU_WEST_1", ",\"copyPolicyItems\":[{\"frequencyType\":\"ondemand\"},"
         "{\"frequencyType\":\"hourly\",\"retentionUnit\":\"days\",\"retentionValue\":3}]") "," COPY("US_WEST_2", ",\"copyPolicyItems\":[{\"frequencyType\":\"hourly\","
         "\"retentionUnit\":\"days\",\"retentionValue\":1}]") "," COPY("AP_SOUTH_1", ",\"copyPolicyItems\":[{\"frequencyType\":\"hourly\",\"retentionUnit\":\"days\","
         "\"retentionValue\":2}]") "]}", 200);
  t_advance(&w.t, 43200);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].copyRegions"), ==, 3);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  t_advance(&w.t, 86400 + 60);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  munit_assert_size(t_count(&w.t, "copyRegions"), ==, 2);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  munit_assert_size(t_count(&w.t, "copyRegions"), ==, 1);
  b_is(&w, "copyRegions[0]", "EU_WEST_1");
  /* earlier snapshots that were never copied do not count for lastNumberOfSnapshots */
  b_good(&w, "PATCH", SCHEDULE, "{\"copyPolicyItemsEnabled\":false,\"copySettings\":[" COPY("EU_WEST_1", ",\"lastNumberOfSnapshots\":1") "]}", 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  b_is(&w, "results[0].copyRegions[0]", "EU_WEST_1");
  munit_assert_size(t_count(&w.t, "results[1].copyRegions"), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* Copy regions of every provider. Each zone has its own settings. */
TEST(backup_schedule, copies_elsewhere)
{
#define CLOUD(zone, cloud, region) \
  "{\"zoneName\":\"" zone "\",\"regionConfigs\":[{\"providerName\":\"" cloud "\",\"regionName\":\"" region "\",\"priority\":7," \
  "\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}"
  static const char cluster[] = "{\"name\":\"C\",\"backupEnabled\":true,\"clusterType\":\"GEOSHARDED\",\"replicationSpecs\":["
    CLOUD("a", "AZURE", "US_EAST_2") "," CLOUD("b", "GCP", "CENTRAL_US") "]}";
  b_world w;
  b_open_cluster(&w, NULL, cluster);
  b_good(&w, "GET", "%C", NULL, 200);
  w.other = t_keep(&w.t, t_str(&w.t, "replicationSpecs[0].zoneId"));
  w.role = t_keep(&w.t, t_str(&w.t, "replicationSpecs[1].zoneId"));
#define COPY_TO(cloud, region, zone) "{\"cloudProvider\":\"" cloud "\",\"regionName\":\"" region "\",\"zoneId\":\"" zone "\"}"
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("AZURE", "CENTRAL_US_2", "%J") "]}", "copySettings[0].regionName");
  /* the zone's own region */
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("AZURE", "US_EAST_2", "%J") "]}", "copySettings[0].regionName");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("GCP", "US_EAST_1", "%R") "]}", "copySettings[0].regionName");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("GCP", "WESTERN_US", "%J") "]}", "copySettings[0].cloudProvider");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("GCP", "WESTERN_US", "%R") "," COPY_TO("AZURE", "EUROPE_NORTH", "%J") ","
              COPY_TO("GCP", "WESTERN_US", "%R") "]}", "copySettings[2].regionName");
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("AZURE", "US_CENTRAL", "%J") "," COPY_TO("AZURE", "EUROPE_NORTH", "%J") ","
         COPY_TO("GCP", "WESTERN_US", "%R") "]}", 200);
  b_snapshot(&w);
  b_good(&w, "GET", "%C/backup/snapshots/shardedCluster/%S", NULL, 200);
  b_close(&w);
}

/* Zones of one provider may have their copies in the same region. */
TEST(backup_schedule, copies_together)
{
  static const char cluster[] = "{\"name\":\"C\",\"backupEnabled\":true,\"clusterType\":\"GEOSHARDED\",\"replicationSpecs\":["
    CLOUD("a", "AWS", "US_EAST_1") "," CLOUD("b", "AWS", "US_WEST_1") "]}";
  b_world w;
  b_open_cluster(&w, NULL, cluster);
  b_good(&w, "GET", "%C", NULL, 200);
  w.other = t_keep(&w.t, t_str(&w.t, "replicationSpecs[0].zoneId"));
  w.role = t_keep(&w.t, t_str(&w.t, "replicationSpecs[1].zoneId"));
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("AWS", "EU_WEST_1", "%J") "," COPY_TO("AWS", "EU_WEST_1", "%R") "]}", 200);
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY_TO("AWS", "EU_WEST_1", "%J") "," COPY_TO("AWS", "EU_WEST_1", "%R") ","
              COPY_TO("AWS", "EU_WEST_1", "%J") "]}", "copySettings[2].regionName");
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  munit_assert_size(t_count(&w.t, "copySettings"), ==, 2);
  b_close(&w);
}

/* The order to the driver names the copy regions of the settings for such a snapshot. */
TEST(backup_schedule, copies_driven)
{
  t_driver d;
  b_world w;
  t_driver_init(&d);
  t_driver_does(&d, "", NULL);
  b_open_driven(&w, &d.port);
  w.other = t_keep(&w.t, (copy_setting(&w, ""), t_str(&w.t, "replicationSpecs[0].zoneId")));
  b_good(&w, "PATCH", SCHEDULE, "{\"copySettings\":[" COPY("EU_WEST_1", ",\"frequencies\":[\"WEEKLY\"]") "," COPY("US_WEST_2", ",\"frequencies\":[\"ON_DEMAND\"]") "]}", 200);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "snapshot.take")->desired, "\"copyRegions\":[\"US_WEST_2\"]"));
  b_close(&w);
}

TEST(backup_schedule, copy_rules)
{
  b_world w;
  char twice[4096];
  b_open_cluster(&w, NULL, NULL);
#define COPY_BAD(more, other, field) \
  set_copies(&w, copy_setting(&w, more), other, 400); \
  munit_assert_true(t_violation(&w.t, field))
  COPY_BAD(",\"shouldCopyOplogs\":true", "", "copySettings[0].shouldCopyOplogs");
  COPY_BAD(",\"frequencies\":[\"DAILY\"],\"lastNumberOfSnapshots\":3", "", "copySettings[0].frequencies");
  COPY_BAD(",\"copyPolicyItems\":[{\"frequencyType\":\"daily\"}]", "", "copySettings[0].copyPolicyItems");
  COPY_BAD(",\"lastNumberOfSnapshots\":501", "", "copySettings[0].lastNumberOfSnapshots");
  COPY_BAD(",\"copyPolicyItems\":[{\"frequencyType\":\"ondemand\",\"retentionValue\":1}]", ",\"copyPolicyItemsEnabled\":true",
           "copySettings[0].copyPolicyItems[0].retentionValue");
#undef COPY_BAD
  snprintf(twice, sizeof twice, "%s,", copy_setting(&w, ""));
  strcat(twice, copy_setting(&w, ""));
  set_copies(&w, twice, "", 400);
  munit_assert_true(t_violation(&w.t, "copySettings[1].regionName"));
  b_bad_field(&w, "PATCH", SCHEDULE,
              "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"EU_WEST_1\","
              "\"zoneId\":\"5f0000000000000000000001\"}]}",
              "copySettings[0].zoneId");
  w.other = t_keep(&w.t, (copy_setting(&w, ""), t_str(&w.t, "replicationSpecs[0].zoneId")));
  b_bad_field(&w, "PATCH", SCHEDULE,
              "{\"copySettings\":[{\"cloudProvider\":\"GCP\",\"regionName\":\"CENTRAL_US\",\"zoneId\":\"%J\"}]}",
              "copySettings[0].cloudProvider");
  b_bad_field(&w, "PATCH", SCHEDULE,
              "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"NOWHERE\",\"zoneId\":\"%J\"}]}",
              "copySettings[0].regionName");
  b_bad_field(&w, "PATCH", SCHEDULE,
              "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\",\"zoneId\":\"%J\"}]}",
              "copySettings[0].regionName");
  b_close(&w);
}

/* Of items that are due at the same time with the same retention, the least frequent one names the snapshot, at any place in the list. */
TEST(backup_schedule, same_time)
{
  static const char *const policies[] = {
    B_POLICY(B_ITEM("daily", 1, "days", 7) "," B_ITEM("hourly", 12, "days", 7)),
    B_POLICY(B_ITEM("hourly", 12, "days", 7) "," B_ITEM("daily", 1, "days", 7)),
  };
  b_world w;
  size_t i;
  for (i = 0; i < 2; i++) {
    b_open_cluster(&w, NULL, NULL);
    b_good(&w, "PATCH", SCHEDULE, policies[i], 200);
    t_advance(&w.t, 86400 + 20);
    b_good(&w, "GET", SNAPSHOTS, NULL, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
    b_is(&w, "results[0].frequencyType", "daily");
    munit_assert_size(t_count(&w.t, "results[0].policyItems"), ==, 2);
    b_is(&w, "results[1].frequencyType", "hourly");
    t_close(&w.t);
  }
}

/* extraRetentionSettings keep snapshots longer than their item says. */
TEST(backup_schedule, extra)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("daily", 1, "days", 3)), 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"extraRetentionSettings\":[{\"frequencyType\":\"DAILY\",\"retentionDays\":10}]}", 200);
  t_advance(&w.t, 400 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 13);
  b_close(&w);
}

/* The maximum number of snapshots that a policy may keep, and those kept after a leap. Longer retention counts. */
TEST(backup_schedule, most)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 1, "days", 80)), 200);
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"extraRetentionSettings\":[{\"frequencyType\":\"HOURLY\",\"retentionDays\":10}]}",
              "policies[0].policyItems");
  t_advance(&w.t, 200 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 80 * 24);
  b_close(&w);
}

/* Existing snapshots are kept longer. A cluster with the maximum of snapshots takes none until one is deleted. */
TEST(backup_schedule, full)
{
  char body[512];
  b_world w;
  int64_t most;
  int i;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, B_POLICY(B_ITEM("hourly", 1, "days", 80)), 200);
  w.other = t_keep(&w.t, t_str(&w.t, "policies[0].policyItems[0].id"));
  t_advance(&w.t, 200 * 86400);
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=1", NULL, 200);
  b_is(&w, "results[0].expiresAt", "2026-03-08T00:00:00Z");
  w.snapshot = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  snprintf(body, sizeof body,
           "{\"updateSnapshots\":true,\"policies\":[{\"policyItems\":[{\"id\":\"%s\",\"frequencyType\":\"hourly\","
           "\"frequencyInterval\":1,\"retentionUnit\":\"days\",\"retentionValue\":83}]}]}", w.other);
  b_good(&w, "PATCH", SCHEDULE, body, 200);
  t_advance(&w.t, 60);
  b_good(&w, "GET", SNAPSHOTS "/%S", NULL, 200);
  b_is(&w, "expiresAt", "2026-03-11T00:00:00Z");
  for (i = 0; i < 1000 && b_send(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":300}") == 202; i++) {
    if (i == 0) w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
    t_advance(&w.t, 10); /* not at the same time */
  }
  munit_assert_string_equal(t_error(&w.t), "BACKUP_LIMIT_EXCEEDED");
  t_advance(&w.t, 2 * 3600);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  most = t_int(&w.t, "totalCount");
  munit_assert_int64(most, ==, 2500);
  b_is(&w, "results[0].snapshotType", "onDemand");
  b_good(&w, "DELETE", SNAPSHOTS "/%S", NULL, 204);
  t_advance(&w.t, 2 * 3600);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, most);
  b_is(&w, "results[0].snapshotType", "scheduled");
  b_close(&w);
}

/* A damaged schedule has numbers that no request could store. Such numbers are not used in calculations, and every request gets an
** answer. */
TEST(backup_schedule, damaged)
{
  static const struct {
    const char *from, *to;
  } wrong[] = {
    { "\"frequencyInterval\":6,", "\"frequencyInterval\":0," },
    { "\"retentionValue\":7}", "\"retentionValue\":-7}" },
    { "\"retentionValue\":7}", "\"retentionValue\":9000000000000000000}" },
    { "\"frequencyInterval\":40,", "\"frequencyInterval\":-4000000," },
    { "\"frequencyInterval\":12,", "\"frequencyInterval\":-400000," },
    { "\"referenceHourOfDay\":0", "\"referenceHourOfDay\":9000000000000000000" },
  };
  const char *id;
  b_world w;
  size_t i;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", SCHEDULE, "{\"referenceHourOfDay\":0,\"referenceMinuteOfHour\":0}", 200);
  b_good(&w, "GET", "%C", NULL, 200);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    damaged_body(&w.t, "backup schedule", id, "", wrong[i].from, wrong[i].to);
    t_advance(&w.t, 40 * 86400);
    b_good(&w, "GET", SNAPSHOTS, NULL, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), >, 0);
    b_good(&w, "GET", SCHEDULE, NULL, 200);
    b_good(&w, "PATCH", SCHEDULE, "{\"updateSnapshots\":true}", 200);
    t_advance(&w.t, 3600);
    damaged_body(&w.t, "backup schedule", id, "", wrong[i].to, wrong[i].from);
  }
  /* the cluster has no backups, but its schedule still has a due step */
  damaged_body(&w.t, "cluster", w.group, id, "\"backupEnabled\":true", "\"backupEnabled\":false");
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=1", NULL, 200);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  t_advance(&w.t, 2 * 86400);
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=1", NULL, 200);
  b_is(&w, "results[0].id", w.snapshot);
  b_close(&w);
}

/* A driver cannot take a snapshot of last week: for each frequency it takes the last missed one, now. */
TEST(backup_schedule, driver)
{
  t_driver d;
  const svc_node *one;
  b_world w;
  int i;
  t_driver_init(&d);
  t_driver_does(&d, "", NULL);
  t_driver_does(&d, "snapshot.take", NULL);
  b_open_driven(&w, &d.port);
  for (i = 0; i < 4; i++) { /* in the usual course: a snapshot per due time */
    t_advance(&w.t, 6 * 3600);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  munit_assert_int(t_driver_count(&d, "snapshot.take"), ==, 4);
  t_advance(&w.t, 40 * 86400 + 1800);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  /* a monthly one, and a weekly one, which also serves as daily and hourly one */
  munit_assert_int(t_driver_count(&d, "snapshot.take"), ==, 4 + 2);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  for (one = t_node(&w.t, "results")->first; one; one = one->next) {
    munit_assert_true(svc_str_is(svc_node_str(one, "createdAt"), "2025-07-12T00:30:00Z"));
    munit_assert_true(svc_str_is(svc_node_str(one, "status"), "completed"));
  }
  b_close(&w);
}

/* The clock may pass the end of the year 9999, after which no date can be written: the schedule ends there. */
TEST(backup_schedule, end_of_dates)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  w.t.now = INT64_C(253402300800000) - 3 * B_DAY;
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), >, 20);
  w.t.now = INT64_C(253402300800000) + 30 * B_DAY;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  w.t.now = INT64_MAX / 2;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_close(&w);
}

/* The same with a driver: the last snapshot is that of the moment at which dates end. */
TEST(backup_schedule, end_driven)
{
  static const int64_t end = INT64_C(253402300800000);
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = &d.port };
  b_world w;
  int taken;
  t_driver_init(&d);
  t_driver_does(&d, "", NULL);
  t_driver_does(&d, "snapshot.take", NULL);
  memset(&w, 0, sizeof w);
  w.snapshot = w.other = w.role = "";
  t_open(&w.t, &config);
  w.t.now = end - 2 * B_DAY;
  w.org = t_organization(&w.t, "Acme");
  w.group = t_project(&w.t, w.org, "alpha");
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("C", B_BACKED), 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_good(&w, "PATCH", SCHEDULE, "{\"referenceHourOfDay\":0,\"referenceMinuteOfHour\":0," "\"policies\":[{\"policyItems\":[" B_ITEM("hourly", 12, "days", 2) "]}]}", 200);
  w.t.now = end - B_DAY / 4;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  taken = t_driver_count(&d, "snapshot.take");
  munit_assert_int(taken, >, 0);
  w.t.now = end + 1000;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "snapshot.take"), ==, taken + 1);
  w.t.now = end + 20 * B_DAY;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "snapshot.take"), ==, taken + 1);
  b_close(&w);
}
