/*
** The model of measurements: all measurements of a cluster agree at every time, and none appears before its cause.
**
** Tests also: cluster_history
*/
#include "mechanism/probe.h"
#include "support.h"

#include "catalog/model_world.h"
#include "catalog/cluster/metric_list.h"
#include "catalog/values.h"

/* ---------------------------------------------------------------------------------------------------------------- tables */

#define ROW(name, unit) munit_assert_true(svc_model_metric_named(of, SVC_S(#name), &row));

TEST(model, every_metric)
{
  svc_model_metric row;
  int of = SVC_MODEL_OF_HOST;
  SVC_METRICS_PROCESS(ROW)
  SVC_METRICS_DISK(ROW)
  SVC_METRICS_SEARCH(ROW)
  of = SVC_MODEL_OF_DATABASE;
  SVC_METRICS_DATABASE(ROW)
  of = SVC_MODEL_OF_COLLECTION;
  SVC_METRICS_COLLECTION(ROW)
  of = SVC_MODEL_OF_INDEX;
  SVC_METRICS_INDEX(ROW)
  /* the name that alerts use */
  munit_assert_true(svc_model_metric_named(SVC_MODEL_OF_HOST, SVC_S("MAX_DISK_PARTITION_SPACE_USED_DATA"), &row));
  munit_assert_int(row.quantity, ==, SVC_Q_DISK_USED_PERCENT);
  munit_assert_int(row.form, ==, SVC_FORM_MAX);
  munit_assert_false(svc_model_metric_named(SVC_MODEL_OF_HOST, SVC_S("MAX_NOTHING_DATA"), &row));
}

TEST(model, every_tier)
{
  const char *const *lists[] = { svc_values_sizes, svc_values_aws_sizes, svc_values_azure_sizes, svc_values_gcp_sizes, svc_values_tenant_sizes };
  size_t i, k;
  for (k = 0; k < sizeof lists / sizeof lists[0]; k++)
    for (i = 0; lists[k][i]; i++) {
      const svc_tier *tier = svc_tier_of(svc_str_c(lists[k][i]));
      munit_assert_memory_equal(strlen(tier->size), tier->size, lists[k][i]);
      munit_assert_true(strlen(lists[k][i]) == strlen(tier->size) || strcmp(lists[k][i] + strlen(tier->size), "_GEN_2") == 0);
      munit_assert_int64(tier->connections, >=, 500);
    }
  munit_assert_string_equal(svc_tier_of(SVC_S("M10000"))->size, "M10");
  munit_assert_int64(svc_tier_of(SVC_S("M60"))->ram, ==, 16 * svc_tier_of(SVC_S("M20"))->ram);
}

/* The load is calculated with integers, so the values are the same on every machine. svc_model_waves() agrees with the sum of
** svc_model_wave() over the seconds. */
TEST(model, load)
{
  static const int64_t start = INT64_C(1748736000000); /* a Sunday */
  int64_t sum = 0, i;
  munit_assert_int64(svc_model_wave(start), ==, 228);
  munit_assert_int64(svc_model_wave(start + 86400000), ==, 380);
  munit_assert_int64(svc_model_wave(start + 86400000 + 11 * 3600000), ==, 1000);
  munit_assert_int64(svc_model_wave(start + 86400000 + 11 * 3600000 + 1800000), ==, 990);
  munit_assert_uint64(svc_model_hash(1, 2), ==, svc_model_hash(1, 2));
  for (i = 0; i < 7 * 86400; i++) sum += svc_model_wave(start + i * 1000);
  i = svc_model_waves(start + 7 * SVC_DAY_MS) - svc_model_waves(start);
  munit_assert_int64(i - sum, <, 7 * 86400); /* each second is rounded */
  munit_assert_int64(sum - i, <, 7 * 86400);
  for (i = 0; i < 14 * 86400; i += 1777) /* and the sum over a part agrees with the wave in its middle */
    munit_assert_int64(svc_model_waves(start + (i + 1777) * 1000) - svc_model_waves(start + i * 1000) - svc_model_wave(start + (i + 888) * 1000) * 1777, <, 80000);
}

/* ------------------------------------------------------------------------------------------------------------ invariants */

TEST_EACH(model, invariants, size, "M10", "M20", "M30", "M40", "M60", "M80", "R50", "M40_NVME", "M30_GEN_2")
{
  static const char *const times[] = { "PT1M&period=PT20M", "PT5M&period=PT2H", "PT30M&period=PT10H", "PT1H&period=P1D", "P1D&period=P5D" };
  char cluster[512], rest[128];
  model_world world, *w = &world;
  svc_tier tier = *svc_tier_of(svc_str_c(size));
  size_t k, i;
  int process;
  snprintf(cluster, sizeof cluster, PROBE_CLUSTER("C", "%s"), size);
  model_open(w, cluster);
  model_sample(w);
  t_advance(&w->t, 6 * 86400 + 11 * 3600);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/C", w->group), ==, 200);
  tier = svc_tier_of_node(t_node(&w->t, ""), 0, 0);
  for (process = 0; process < 2; process++)
    for (k = 0; k < sizeof times / sizeof times[0]; k++) {
      snprintf(rest, sizeof rest, "/measurements?granularity=%s", times[k]);
      model_get(w, process, rest);
      for (i = 0; i < model_points(w); i++) {
        model_check_all(w, i);
        model_check_operations(w, i, process == 0);
        model_check_machine(w, i, &tier);
      }
      snprintf(rest, sizeof rest, "/disks/data/measurements?granularity=%s", times[k]);
      model_get(w, process, rest);
      for (i = 0; i < model_points(w); i++) {
        model_check_all(w, i);
        model_check_disk(w, i, &tier);
      }
    }
  t_close(&w->t);
}

/* ------------------------------------------------------------------------------------------------------------------ data */

/* Checks that a database of the sample data has the published figures of its collections. Returns the number of its collections. */
static size_t model_published(model_world *w, const char *database)
{
  const svc_sample *sample;
  int64_t documents = 0, data = 0;
  size_t i, n = 0, length = strlen(database);
  for (i = 0; (sample = svc_sample_at(i)) != NULL; i++) {
    if (strncmp(sample->namespace, database, length) != 0 || sample->namespace[length] != '.') continue;
    documents += sample->documents;
    data += sample->documents * sample->average;
    n++;
  }
  i = 0;
  if (n) {
    munit_assert_int64(F("DATABASE_COLLECTION_COUNT"), ==, (int64_t)n * 1000);
    munit_assert_int64(F("DATABASE_OBJECT_COUNT"), ==, documents * 1000);
    munit_assert_int64(F("DATABASE_DATA_SIZE"), ==, data * 1000);
  }
  return n;
}

/* The databases of a process add up to all of its data. The databases of the sample data have their published sizes. */
TEST(model, databases)
{
  model_world world, *w = &world;
  int64_t data = 0, storage = 0, index = 0, used;
  char names[16][64], rest[160];
  size_t n, k, i = 0, samples = 0;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  model_sample(w);
  t_advance(&w->t, 3600);
  model_get(w, 0, "/databases");
  n = t_count(&w->t, "results");
  munit_assert_size(n, ==, 12); /* nine of the sample data, and three of the system */
  for (k = 0; k < n; k++) {
    snprintf(rest, sizeof rest, "results[%zu].databaseName", k);
    snprintf(names[k], sizeof names[k], "%s", t_str(&w->t, rest));
  }
  for (k = 0; k < n; k++) {
    snprintf(rest, sizeof rest, "/databases/%.60s/measurements?granularity=PT1M&period=PT1M", names[k]);
    model_get(w, 0, rest);
    data += F("DATABASE_DATA_SIZE");
    storage += F("DATABASE_STORAGE_SIZE");
    index += F("DATABASE_INDEX_SIZE");
    munit_assert_int64(F("DATABASE_AVERAGE_OBJECT_SIZE"), ==, F("DATABASE_DATA_SIZE") / (F("DATABASE_OBJECT_COUNT") / 1000));
    samples += model_published(w, names[k]);
    if (strcmp(names[k], "sample_mflix") != 0) continue;
    munit_assert_int64(F("DATABASE_COLLECTION_COUNT"), ==, 6000);
    munit_assert_int64(F("DATABASE_OBJECT_COUNT"), ==, INT64_C(67661000)); /* 41079 + 3483 + 21349 + 1 + 1564 + 185 */
    munit_assert_int64(F("DATABASE_INDEX_COUNT"), ==, 10000);
  }
  munit_assert_null(svc_sample_at(samples)); /* these are all collections of the table */
  model_get(w, 0, "/measurements?granularity=PT1M&period=PT1M&m=DB_DATA_SIZE_TOTAL&m=DB_STORAGE_TOTAL");
  munit_assert_int64(F("DB_DATA_SIZE_TOTAL"), ==, data);
  munit_assert_int64(F("DB_STORAGE_TOTAL"), ==, storage);
  model_get(w, 0, "/disks/data/measurements?granularity=PT1M&period=PT1M&m=DISK_PARTITION_SPACE_USED");
  used = F("DISK_PARTITION_SPACE_USED");
  munit_assert_int64(used, ==, storage + index + 300 * INT64_C(1048576000)); /* and the journal */
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters", w->group), ==, 200);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/clusters"), ==, 200);
  munit_assert_int64(t_int(&w->t, "results[0].clusters[0].dataSizeBytes"), ==, svc_sample_size()); /* the list of all clusters agrees */
  t_close(&w->t);
}

/* The reads and writes of the collections add up to those of the process; its commands are those of the collections and its own. The
** operations and latencies of a collection are the sums of their kinds. A missing collection has gaps. */
TEST(model, collections)
{
  static const char *const kinds[] = { "READS", "WRITES", "COMMANDS" };
  model_world world, *w = &world;
  int64_t all[3] = { 0, 0, 0 }, sum, ops;
  char rest[256], name[64];
  svc_str of, database;
  const svc_sample *sample;
  size_t k, of_kind, i = 0;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  model_sample(w);
  t_advance(&w->t, 36 * 3600);
  for (k = 0; (sample = svc_sample_at(k)) != NULL; k++) {
    of = svc_str_c(sample->namespace);
    database = svc_str_cut(&of, '.');
    snprintf(rest, sizeof rest, "/" SVC_FMT "/" SVC_FMT "/collStats/measurements?period=PT1M", SVC_ARG(database), SVC_ARG(of));
    model_get(w, 0, rest);
    munit_assert_int64(F("READS_P50_VALUE"), <=, F("AVERAGE_READS_LATENCY"));
    munit_assert_int64(F("AVERAGE_READS_LATENCY"), <=, F("READS_P95_VALUE"));
    munit_assert_int64(F("READS_P95_VALUE"), <=, F("READS_P99_VALUE"));
    for (of_kind = 0, sum = ops = 0; of_kind < 3; of_kind++) {
      snprintf(name, sizeof name, "%s_OPS", kinds[of_kind]);
      ops += F(name);
      all[of_kind] += F(name);
      snprintf(name, sizeof name, "%s_LATENCY", kinds[of_kind]);
      sum += F(name);
    }
    munit_assert_int64(F("TOTAL_OPS"), ==, ops);
    munit_assert_int64(F("TOTAL_LATENCY"), ==, sum);
  }
  model_get(w, 0, "/measurements?granularity=PT1M&period=PT1M");
  munit_assert_int64(F("OPCOUNTER_QUERY"), ==, all[0]);
  munit_assert_int64(F("OPCOUNTER_INSERT") + F("OPCOUNTER_UPDATE") + F("OPCOUNTER_DELETE"), ==, all[1]);
  munit_assert_int64(all[1], >, 0);
  munit_assert_int64(F("OPCOUNTER_CMD"), >, all[2]);
  model_get(w, 0, "/sample_mflix/nothing/collStats/measurements?period=PT1M");
  munit_assert_int64(F("READS_OPS"), ==, SVC_MODEL_GAP);
  t_close(&w->t);
}

/* Data has no measurements from before its load. */
TEST(model, nothing_before)
{
  model_world world, *w = &world;
  size_t i = 0, points;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  t_advance(&w->t, 2 * 86400);
  model_get(w, 0, "/databases");
  munit_assert_size(t_count(&w->t, "results"), ==, 3);
  model_get(w, 0, "/measurements?granularity=PT1H&period=P1D&m=OPCOUNTER_QUERY&m=CONNECTIONS");
  munit_assert_int64(F("OPCOUNTER_QUERY"), ==, 0);
  model_sample(w);
  t_advance(&w->t, 86400);
  model_get(w, 0, "/performanceAdvisor/slowQueryLogs?since=1748736000000");
  munit_assert_size(t_count(&w->t, "slowQueries"), >, 20);
  for (i = 0; i < t_count(&w->t, "slowQueries"); i++) {
    char path[64];
    snprintf(path, sizeof path, "slowQueries[%zu].line", i);
    munit_assert_int(strncmp(t_str(&w->t, path), "{\"t\":{\"$date\":\"2025-06-03T00:01", 31), >=, 0); /* the time of the load */
    munit_assert_not_null(strstr(t_str(&w->t, path), "\"ns\":\"sample_"));
  }
  model_get(w, 0, "/databases/sample_mflix/measurements?granularity=PT1H&period=P2D");
  points = model_points(w);
  munit_assert_int64(model_figure(w, "DATABASE_DATA_SIZE", 5), ==, SVC_MODEL_GAP);
  munit_assert_int64(model_figure(w, "DATABASE_DATA_SIZE", points - 1), >, 0);
  model_get(w, 0, "/disks/data/measurements?granularity=PT1H&period=P2D&m=DISK_PARTITION_SPACE_USED");
  munit_assert_int64(model_figure(w, "DISK_PARTITION_SPACE_USED", points - 1), >, model_figure(w, "DISK_PARTITION_SPACE_USED", 5) + 100 * INT64_C(1000000000));
  t_close(&w->t);
}

/* ----------------------------------------------------------------------------------------------------------------- index */

static size_t model_slow(model_world *w, const char *since, const char *has)
{
  char rest[160], path[64];
  size_t i, n = 0;
  snprintf(rest, sizeof rest, "/performanceAdvisor/slowQueryLogs?namespaces=sample_training.grades&since=%s", since);
  model_get(w, 0, rest);
  for (i = 0; i < t_count(&w->t, "slowQueries"); i++) {
    snprintf(path, sizeof path, "slowQueries[%zu].line", i);
    n += strstr(t_str(&w->t, path), has) != NULL;
  }
  return n;
}

static bool model_suggests(model_world *w, const char *key)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/C/performanceAdvisor/suggestedIndexes?namespaces=sample_training.grades", w->group), ==, 200);
  return strstr(w->t.response.body, key) != NULL;
}

/* A built index is no longer suggested, and the queries that use it are no longer slow. */
TEST(model, built_index)
{
  model_world world, *w = &world;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  model_sample(w);
  t_advance(&w->t, 86400);
  munit_assert_true(model_suggests(w, "[{\"student_id\":1}]"));
  munit_assert_size(model_slow(w, "1748736000000", "\"filter\":{\"student_id\":"), >, 0);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"collection\":\"grades\",\"db\":\"sample_training\",\"keys\":[{\"student_id\":\"1\"}]}",
                           "/groups/%s/clusters/C/index", w->group), ==, 202);
  t_advance(&w->t, 60);
  munit_assert_false(model_suggests(w, "[{\"student_id\":1}]"));
  munit_assert_true(model_suggests(w, "class_id")); /* the other index is still suggested */
  t_advance(&w->t, 86400);
  munit_assert_size(model_slow(w, "1748822580000", "\"filter\":{\"student_id\":"), ==, 0);
  munit_assert_size(model_slow(w, "1748736000000", "\"filter\":{\"student_id\":"), >, 0); /* the past stays */
  t_close(&w->t);
}

/* A restore brings back the data that the cluster had at the time of the snapshot. */
TEST(model, restored)
{
  model_world world, *w = &world;
  char body[256];
  const char *before, *after;
  model_open(w, "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"backupEnabled\":true,\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
                "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}");
  munit_assert_int(t_sendf(&w->t, "POST", "{\"retentionInDays\":5}", "/groups/%s/clusters/C/backup/snapshots", w->group), ==, 202);
  before = t_keep(&w->t, t_str(&w->t, "id"));
  t_advance(&w->t, 3600);
  model_sample(w);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"retentionInDays\":5}", "/groups/%s/clusters/C/backup/snapshots", w->group), ==, 202);
  after = t_keep(&w->t, t_str(&w->t, "id"));
  t_advance(&w->t, 3600);
  snprintf(body, sizeof body, "{\"deliveryType\":\"automated\",\"snapshotId\":\"%s\",\"targetClusterName\":\"C\",\"targetGroupId\":\"%s\"}", before, w->group);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/clusters/C/backup/restoreJobs", w->group), ==, 202);
  t_advance(&w->t, 3600);
  model_get(w, 0, "/databases");
  munit_assert_size(t_count(&w->t, "results"), ==, 3); /* the snapshot was empty */
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/clusters"), ==, 200);
  munit_assert_int64(t_int(&w->t, "results[0].clusters[0].dataSizeBytes"), ==, 0);
  snprintf(body, sizeof body, "{\"deliveryType\":\"automated\",\"snapshotId\":\"%s\",\"targetClusterName\":\"C\",\"targetGroupId\":\"%s\"}", after, w->group);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/clusters/C/backup/restoreJobs", w->group), ==, 202);
  t_advance(&w->t, 7200);
  model_get(w, 0, "/databases");
  munit_assert_size(t_count(&w->t, "results"), ==, 12);
  model_get(w, 0, "/databases/sample_mflix/measurements?granularity=PT1H&start=2025-06-01T01:00:00Z&end=2025-06-01T05:00:00Z&m=DATABASE_OBJECT_COUNT");
  munit_assert_int64(model_figure(w, "DATABASE_OBJECT_COUNT", 0), ==, SVC_MODEL_GAP);
  munit_assert_int64(model_figure(w, "DATABASE_OBJECT_COUNT", 1), ==, INT64_C(67661000));
  munit_assert_int64(model_figure(w, "DATABASE_OBJECT_COUNT", 2), ==, SVC_MODEL_GAP); /* restored to an earlier state */
  munit_assert_int64(model_figure(w, "DATABASE_OBJECT_COUNT", 4), ==, INT64_C(67661000));
  t_close(&w->t);
}

/* ------------------------------------------------------------------------------------------------------------- over time */

/* A pause is a gap. Past measurements keep the hardware of their time. */
TEST(model, past)
{
  model_world world, *w = &world;
  size_t i;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  t_advance(&w->t, 2 * 3600);
  munit_assert_int(t_sendf(&w->t, "PATCH", "{\"paused\":true}", "/groups/%s/clusters/C", w->group), ==, 200);
  t_advance(&w->t, 2 * 3600);
  munit_assert_int(t_sendf(&w->t, "PATCH", "{\"paused\":false}", "/groups/%s/clusters/C", w->group), ==, 200);
  t_advance(&w->t, 2 * 3600);
  munit_assert_int(t_sendf(&w->t, "PATCH", "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                           "\"electableSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":3}}]}]}", "/groups/%s/clusters/C", w->group), ==, 200);
  t_advance(&w->t, 2 * 3600);
  model_get(w, 0, "/measurements?granularity=PT30M&start=2025-06-01T00:30:00Z&end=2025-06-01T08:00:00Z&m=SYSTEM_MEMORY_USED&m=SYSTEM_MEMORY_AVAILABLE");
  munit_assert_size(model_points(w), ==, 16);
  for (i = 0; i < 16; i++) {
    int64_t all = F("SYSTEM_MEMORY_USED") == SVC_MODEL_GAP ? 0 : F("SYSTEM_MEMORY_USED") + F("SYSTEM_MEMORY_AVAILABLE");
    munit_assert_int64(all, ==, i < 4 ? 2048 * INT64_C(1048576000) : i < 8 ? 0 : i < 12 ? 2048 * INT64_C(1048576000) : 16384 * INT64_C(1048576000));
  }
  t_close(&w->t);
}

/* Returns the number of seconds in the oplog of the first process, this many hours ago. */
static int64_t model_window(model_world *w, size_t hours)
{
  model_get(w, 0, "/measurements?granularity=PT1H&period=P1D&m=OPLOG_MASTER_TIME&m=OPLOG_MASTER_LAG_TIME_DIFF");
  munit_assert_int64(model_figure(w, "OPLOG_MASTER_TIME", model_points(w) - 1 - hours), >=,
                     model_figure(w, "OPLOG_MASTER_LAG_TIME_DIFF", model_points(w) - 1 - hours));
  return model_figure(w, "OPLOG_MASTER_TIME", model_points(w) - 1 - hours) / 1000000;
}

static void model_resize(model_world *w, const char *body)
{
  if (t_sendf(&w->t, "PATCH", body, "/groups/%s/clusters/C/processArgs", w->group) != 200) munit_error(w->t.response.body);
  t_advance(&w->t, 2 * 3600);
}

/* The oplog has the size oplogSizeMB from the time of the change, and holds as many seconds as fit. */
TEST(model, oplog)
{
  model_world world, *w = &world;
  int64_t before, after;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  model_sample(w);
  t_advance(&w->t, 60 * 86400);
  before = model_window(w, 0);
  munit_assert_int64(before, >, 5 * 86400);
  munit_assert_int64(before, <, 30 * 86400); /* 500 MB, of 10 GB of disk */
  model_resize(w, "{\"oplogSizeMB\":1000}");
  after = model_window(w, 0);
  munit_assert_int64(after, >, before * 2);
  munit_assert_int64(after, <, before * 22 / 10); /* 1048 MB */
  munit_assert_int64(model_window(w, 3), <=, before); /* the smaller oplog at that time */
  munit_assert_int64(model_window(w, 3), >, before * 9 / 10);
  model_resize(w, "{\"oplogSizeMB\":100}");
  munit_assert_int64(model_window(w, 0), <, before / 4);
  munit_assert_int64(model_window(w, 3), >, before * 2);
  model_resize(w, "{\"oplogSizeMB\":null}");
  munit_assert_int64(model_window(w, 0), >, before * 9 / 10);
  munit_assert_int64(model_window(w, 0), <, before * 11 / 10);
  t_close(&w->t);
}

/* Returns whether the log of a process has an election that it won in this hour after the start of the second day. */
static bool model_won(model_world *w, int process)
{
  int host = (int)strcspn(w->id[process], ":");
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/%.*s/logs/db.gz?startDate=1748822400&endDate=1748826000", w->group, host, w->id[process]),
                   ==, 200);
  return strstr(t_unzipped(&w->t).p, "\"c\":\"ELECTION\",\"id\":21450,\"ctx\":\"ReplCoord-0\",\"msg\":\"Election succeeded") != NULL;
}

/* After a restart of the primary another host is primary: its log has the election, slow queries come from there, and the old queries
** stay. */
TEST(model, elected)
{
  model_world world, *w = &world;
  size_t i, before, old;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  model_sample(w);
  t_advance(&w->t, 86400);
  model_get(w, 0, "/performanceAdvisor/slowQueryLogs?since=1748736000000");
  before = t_count(&w->t, "slowQueries");
  munit_assert_size(before, >, 0);
  munit_assert_int(t_sendf(&w->t, "POST", NULL, "/groups/%s/clusters/C/restartPrimaries", w->group), ==, 200);
  t_advance(&w->t, 86400);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "results[0].typeName"), "REPLICA_SECONDARY");
  munit_assert_string_equal(t_str(&w->t, "results[1].typeName"), "REPLICA_PRIMARY");
  munit_assert_false(model_won(w, 0));
  munit_assert_true(model_won(w, 1));
  model_get(w, 0, "/performanceAdvisor/slowQueryLogs?since=1748736000000");
  old = t_count(&w->t, "slowQueries");
  munit_assert_size(old, >=, before); /* old queries stay; a few may have been added until the restart */
  munit_assert_size(old, <=, before + 5);
  model_get(w, 1, "/performanceAdvisor/slowQueryLogs?since=1748736000000");
  munit_assert_size(t_count(&w->t, "slowQueries"), >, 0);
  model_get(w, 0, "/measurements?granularity=PT1H&period=P2D&m=OPCOUNTER_QUERY&m=OPCOUNTER_REPL_UPDATE");
  i = model_points(w) - 1;
  munit_assert_int64(F("OPCOUNTER_QUERY"), ==, 0);
  i = 10;
  munit_assert_int64(F("OPCOUNTER_QUERY"), >, 0);
  t_close(&w->t);
}

/* A month without requests opens no alerts, with or without the sample data. */
TEST_EACH(model, idle, with, "nothing", "sample")
{
  model_world world, *w = &world;
  int day, hour;
  model_open(w, PROBE_CLUSTER("C", "M10"));
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Large", "M50"), "/groups/%s/clusters", w->group), ==, 201);
  if (strcmp(with, "sample") == 0) model_sample(w);
  for (day = 0; day < 30; day++) {
    for (hour = 0; hour < 24; hour++) {
      t_advance(&w->t, 3600);
      munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
    }
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts", w->group), ==, 200);
    munit_assert_int64(t_int(&w->t, "totalCount"), ==, 0);
  }
  t_close(&w->t);
}

/* Shards share the data, routers have no data, and config servers have no queries. */
TEST(model, sharded)
{
#define SHARD "{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}"
  model_world world, *w = &world;
  char ids[15][160], types[15][32], path[64];
  int64_t documents = 0;
  int process, shards = 0;
  size_t i;
  model_open(w, "{\"name\":\"C\",\"clusterType\":\"SHARDED\",\"configServerManagementMode\":\"FIXED_TO_DEDICATED\",\"replicationSpecs\":[" SHARD "," SHARD "]}");
  model_sample(w);
  t_advance(&w->t, 7200);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  munit_assert_size(t_count(&w->t, "results"), ==, 15);
  for (process = 0; process < 15; process++) {
    snprintf(path, sizeof path, "results[%d].id", process);
    snprintf(ids[process], sizeof ids[process], "%s", t_str(&w->t, path));
    snprintf(path, sizeof path, "results[%d].typeName", process);
    snprintf(types[process], sizeof types[process], "%s", t_str(&w->t, path));
  }
  for (process = 0; process < 15; process++) {
    memcpy(w->id[0], ids[process], sizeof w->id[0]);
    model_get(w, 0, "/measurements?granularity=PT5M&period=PT1H");
    for (i = 0; i < model_points(w); i++) {
      model_check_all(w, i);
      model_check_machine(w, i, svc_tier_of(SVC_S("M30")));
    }
    i = 0;
    if (strcmp(types[process], "SHARD_DBS") == 0) munit_assert_int64(F("DB_DATA_SIZE_TOTAL"), ==, 0);
    if (strcmp(types[process], "SHARD_CONFIG") == 0) munit_assert_int64(F("OPCOUNTER_QUERY"), ==, 0);
    if (strcmp(types[process], "SHARD_PRIMARY") != 0) continue;
    model_get(w, 0, "/databases/sample_training/measurements?granularity=PT1M&period=PT1M&m=DATABASE_OBJECT_COUNT");
    documents += F("DATABASE_OBJECT_COUNT") / 1000;
    shards++;
  }
  munit_assert_int(shards, ==, 2);
  munit_assert_int64(documents, <=, 296502);
  munit_assert_int64(documents, >=, 296502 - 14); /* each collection is divided */
  t_close(&w->t);
}

/* A shared tier holds the sample data, too. */
TEST(model, shared)
{
  model_world world, *w = &world;
  svc_tier tier = *svc_tier_of(SVC_S("M0"));
  size_t i;
  model_open(w, "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\",\"backingProviderName\":\"AWS\","
                "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}");
  model_sample(w);
  t_advance(&w->t, 90 * 86400);
  model_get(w, 0, "/measurements?granularity=PT1H&period=P1D");
  for (i = 0; i < model_points(w); i++) {
    model_check_all(w, i);
    model_check_operations(w, i, true);
    model_check_machine(w, i, &tier);
  }
  model_get(w, 0, "/disks/data/measurements?granularity=PT1H&period=P1D");
  for (i = 0; i < model_points(w); i++) {
    model_check_disk(w, i, &tier);
    munit_assert_int64(F("DISK_PARTITION_SPACE_PERCENT_USED"), <, 80000);
  }
  t_close(&w->t);
}
