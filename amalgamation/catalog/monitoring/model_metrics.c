/*
** Metrics: the quantity of the model that each metric shows, and its form (model.h). The table has the metrics of
** series and those of alert configurations, which often name the same quantity differently.
**
** The rule: a metric is a row here and nothing else. The prefix MAX_ is a form and has no row of its own. The
** partitions in names of alerts (_DATA, _INDEX, _JOURNAL) have none either: a host has one disk.
*/
#include "catalog/monitoring/model.h"

#define M(name, quantity, form) { #name, SVC_Q_##quantity, SVC_FORM_##form }

static const svc_model_metric metrics_of_host[] = {
  M(ASSERT_MSG, ZERO, PLAIN), M(ASSERT_REGULAR, ZERO, PLAIN), M(ASSERT_USER, ASSERT_USER, PLAIN), M(ASSERT_WARNING, ZERO, PLAIN),
  M(BACKGROUND_FLUSH_AVG, ZERO, PLAIN), M(CACHE_BYTES_READ_INTO, CACHE_READ, PLAIN), M(CACHE_BYTES_WRITTEN_FROM, CACHE_WRITTEN, PLAIN),
  M(CACHE_DIRTY_BYTES, CACHE_DIRTY, PLAIN), M(CACHE_USED_BYTES, CACHE_USED, PLAIN), M(CACHE_FILL_RATIO, CACHE_FILL, PLAIN),
  M(DIRTY_FILL_RATIO, DIRTY_FILL, PLAIN), M(COMPUTED_MEMORY, MEMORY_RESIDENT, PLAIN), M(CONNECTIONS, CONNECTIONS, PLAIN),
  M(CURSORS_TOTAL_OPEN, CURSORS, PLAIN), M(CURSORS_TOTAL_TIMED_OUT, ZERO, PLAIN), M(DB_DATA_SIZE_TOTAL, DATA_SIZE, PLAIN),
  M(DB_STORAGE_TOTAL, STORAGE_SIZE, PLAIN), M(DOCUMENT_METRICS_DELETED, DOC_DELETED, PLAIN),
  M(DOCUMENT_METRICS_INSERTED, DOC_INSERTED, PLAIN), M(DOCUMENT_METRICS_RETURNED, DOC_RETURNED, PLAIN),
  M(DOCUMENT_METRICS_UPDATED, DOC_UPDATED, PLAIN), M(EXTRA_INFO_PAGE_FAULTS, PAGE_FAULTS, PLAIN),
  M(FTS_DISK_UTILIZATION, FTS_DISK_PERCENT, PLAIN), M(FTS_MEMORY_MAPPED, FTS_SHARED, PLAIN), M(FTS_MEMORY_RESIDENT, FTS_RESIDENT, PLAIN),
  M(FTS_MEMORY_VIRTUAL, FTS_VIRTUAL, PLAIN), M(FTS_PROCESS_CPU_KERNEL, FTS_KERNEL, PLAIN), M(FTS_PROCESS_CPU_USER, FTS_USER, PLAIN),
  M(FTS_PROCESS_NORMALIZED_CPU_KERNEL, FTS_KERNEL, CORE), M(FTS_PROCESS_NORMALIZED_CPU_USER, FTS_USER, CORE),
  M(GLOBAL_ACCESSES_NOT_IN_MEMORY, ZERO, PLAIN), M(GLOBAL_LOCK_CURRENT_QUEUE_READERS, QUEUE_READERS, PLAIN),
  M(GLOBAL_LOCK_CURRENT_QUEUE_TOTAL, QUEUE_TOTAL, PLAIN), M(GLOBAL_LOCK_CURRENT_QUEUE_WRITERS, QUEUE_WRITERS, PLAIN),
  M(GLOBAL_PAGE_FAULT_EXCEPTIONS_THROWN, ZERO, PLAIN), M(INDEX_COUNTERS_BTREE_ACCESSES, BTREE_ACCESSES, PLAIN),
  M(INDEX_COUNTERS_BTREE_HITS, BTREE_HITS, PLAIN), M(INDEX_COUNTERS_BTREE_MISS_RATIO, BTREE_MISS_RATIO, PLAIN),
  M(INDEX_COUNTERS_BTREE_MISSES, BTREE_MISSES, PLAIN), M(JOURNALING_COMMITS_IN_WRITE_LOCK, ZERO, PLAIN), M(JOURNALING_MB, JOURNAL, PLAIN),
  M(JOURNALING_WRITE_DATA_FILES_MB, JOURNAL_FILES, PLAIN), M(MEMORY_MAPPED, ZERO, PLAIN), M(MEMORY_RESIDENT, MEMORY_RESIDENT, PLAIN),
  M(MEMORY_VIRTUAL, MEMORY_VIRTUAL, PLAIN), M(NETWORK_BYTES_IN, NETWORK_IN, PLAIN), M(NETWORK_BYTES_OUT, NETWORK_OUT, PLAIN),
  M(NETWORK_NUM_REQUESTS, REQUESTS, PLAIN), M(OP_EXECUTION_TIME_COMMANDS, EXECUTION_COMMAND, PLAIN),
  M(OP_EXECUTION_TIME_READS, EXECUTION_READ, PLAIN), M(OP_EXECUTION_TIME_WRITES, EXECUTION_WRITE, PLAIN),
  M(OPCOUNTER_CMD, OP_COMMAND, PLAIN), M(OPCOUNTER_DELETE, OP_DELETE, PLAIN), M(OPCOUNTER_TTL_DELETED, ZERO, PLAIN),
  M(OPCOUNTER_GETMORE, OP_GETMORE, PLAIN), M(OPCOUNTER_INSERT, OP_INSERT, PLAIN), M(OPCOUNTER_QUERY, OP_QUERY, PLAIN),
  M(OPCOUNTER_REPL_CMD, REPL_COMMAND, PLAIN), M(OPCOUNTER_REPL_DELETE, REPL_DELETE, PLAIN), M(OPCOUNTER_REPL_INSERT, REPL_INSERT, PLAIN),
  M(OPCOUNTER_REPL_UPDATE, REPL_UPDATE, PLAIN), M(OPCOUNTER_UPDATE, OP_UPDATE, PLAIN), M(OPERATIONS_SCAN_AND_ORDER, SCAN_AND_ORDER, PLAIN),
  M(OPERATIONS_QUERIES_KILLED, ZERO, PLAIN), M(OPLOG_MASTER_LAG_TIME_DIFF, OPLOG_HEADROOM, PLAIN),
  M(OPLOG_MASTER_TIME, OPLOG_WINDOW, PLAIN), M(OPLOG_RATE_GB_PER_HOUR, OPLOG_RATE, PLAIN),
  M(OPLOG_SLAVE_LAG_MASTER_TIME, REPLICATION_LAG, PLAIN), M(OPLOG_REPLICATION_LAG, REPLICATION_LAG, PLAIN),
  M(PROCESS_CPU_CHILDREN_KERNEL, ZERO, PLAIN), M(PROCESS_CPU_CHILDREN_USER, ZERO, PLAIN), M(PROCESS_CPU_KERNEL, PROCESS_KERNEL, PLAIN),
  M(PROCESS_CPU_USER, PROCESS_USER, PLAIN), M(PROCESS_NORMALIZED_CPU_CHILDREN_KERNEL, ZERO, PLAIN),
  M(PROCESS_NORMALIZED_CPU_CHILDREN_USER, ZERO, PLAIN), M(PROCESS_NORMALIZED_CPU_KERNEL, PROCESS_KERNEL, CORE),
  M(PROCESS_NORMALIZED_CPU_USER, PROCESS_USER, CORE), M(QUERY_EXECUTOR_SCANNED, SCANNED_KEYS, PLAIN),
  M(QUERY_EXECUTOR_SCANNED_OBJECTS, SCANNED_OBJECTS, PLAIN), M(QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED, OBJECTS_PER_RETURNED, PLAIN),
  M(QUERY_TARGETING_SCANNED_PER_RETURNED, SCANNED_PER_RETURNED, PLAIN), M(RESTARTS_IN_LAST_HOUR, ZERO, PLAIN),
  M(SWAP_USAGE_FREE, ZERO, PLAIN), M(SWAP_USAGE_USED, ZERO, PLAIN), M(SYSTEM_CPU_GUEST, ZERO, PLAIN),
  M(SYSTEM_CPU_IOWAIT, CPU_IOWAIT, PLAIN), M(SYSTEM_CPU_IRQ, ZERO, PLAIN), M(SYSTEM_CPU_KERNEL, CPU_KERNEL, PLAIN),
  M(SYSTEM_CPU_NICE, CPU_NICE, PLAIN), M(SYSTEM_CPU_SOFTIRQ, CPU_SOFTIRQ, PLAIN), M(SYSTEM_CPU_STEAL, CPU_STEAL, PLAIN),
  M(SYSTEM_CPU_USER, CPU_USER, PLAIN), M(SYSTEM_MEMORY_AVAILABLE, SYSTEM_MEMORY_AVAILABLE, PLAIN),
  M(SYSTEM_MEMORY_FREE, SYSTEM_MEMORY_FREE, PLAIN), M(SYSTEM_MEMORY_USED, SYSTEM_MEMORY_USED, PLAIN),
  M(SYSTEM_NETWORK_IN, SYSTEM_NETWORK_IN, PLAIN), M(SYSTEM_NETWORK_OUT, SYSTEM_NETWORK_OUT, PLAIN),
  M(SYSTEM_NORMALIZED_CPU_GUEST, ZERO, PLAIN), M(SYSTEM_NORMALIZED_CPU_IOWAIT, CPU_IOWAIT, CORE), M(SYSTEM_NORMALIZED_CPU_IRQ, ZERO, PLAIN),
  M(SYSTEM_NORMALIZED_CPU_KERNEL, CPU_KERNEL, CORE), M(SYSTEM_NORMALIZED_CPU_NICE, CPU_NICE, CORE),
  M(SYSTEM_NORMALIZED_CPU_SOFTIRQ, CPU_SOFTIRQ, CORE), M(SYSTEM_NORMALIZED_CPU_STEAL, CPU_STEAL, CORE),
  M(SYSTEM_NORMALIZED_CPU_USER, CPU_USER, CORE), M(TICKETS_AVAILABLE_READS, TICKETS_READ, PLAIN),
  M(TICKETS_AVAILABLE_WRITE, TICKETS_WRITE, PLAIN), M(OPERATION_THROTTLING_REJECTED_OPERATIONS, ZERO, PLAIN),
  M(QUERY_SPILL_TO_DISK_DURING_SORT, ZERO, PLAIN), M(DISK_PARTITION_IOPS_READ, IOPS_READ, PLAIN),
  M(DISK_PARTITION_IOPS_WRITE, IOPS_WRITE, PLAIN), M(DISK_PARTITION_IOPS_TOTAL, IOPS_TOTAL, PLAIN),
  M(DISK_PARTITION_LATENCY_READ, LATENCY_READ, PLAIN), M(DISK_PARTITION_LATENCY_WRITE, LATENCY_WRITE, PLAIN),
  M(DISK_PARTITION_SPACE_FREE, DISK_FREE, PLAIN), M(DISK_PARTITION_SPACE_USED, DISK_USED, PLAIN),
  M(DISK_PARTITION_SPACE_PERCENT_FREE, DISK_FREE_PERCENT, PLAIN), M(DISK_PARTITION_SPACE_PERCENT_USED, DISK_USED_PERCENT, PLAIN),
  M(DISK_PARTITION_THROUGHPUT_READ, THROUGHPUT_READ, PLAIN), M(DISK_PARTITION_THROUGHPUT_WRITE, THROUGHPUT_WRITE, PLAIN),
  M(DISK_QUEUE_DEPTH, QUEUE_DEPTH, PLAIN), M(FTS_DISK_USAGE, FTS_DISK, PLAIN), M(FTS_PROCESS_RESIDENT_MEMORY, FTS_RESIDENT, PLAIN),
  M(FTS_PROCESS_SHARED_MEMORY, FTS_SHARED, PLAIN), M(FTS_PROCESS_VIRTUAL_MEMORY, FTS_VIRTUAL, PLAIN),
  M(JVM_CURRENT_MEMORY, JVM_USED, PLAIN), M(JVM_MAX_MEMORY, JVM_MOST, PLAIN), M(PAGE_FAULTS, PAGE_FAULTS, PLAIN),
  /* names in alerts */
  M(AVG_COMMAND_EXECUTION_TIME, EXECUTION_COMMAND, PLAIN), M(AVG_READ_EXECUTION_TIME, EXECUTION_READ, PLAIN),
  M(AVG_WRITE_EXECUTION_TIME, EXECUTION_WRITE, PLAIN), M(CACHE_USAGE_DIRTY, CACHE_DIRTY, PLAIN), M(CACHE_USAGE_USED, CACHE_USED, PLAIN),
  M(CONNECTIONS_MAX, CONNECTIONS_MOST, PLAIN), M(CONNECTIONS_PERCENT, CONNECTIONS_PERCENT, PLAIN),
  M(CURSORS_TOTAL_CLIENT_CURSORS_SIZE, CURSORS, PLAIN), M(DATA_SIZE_TOTAL, DATA_SIZE, PLAIN),
  M(DB_DATA_SIZE_TOTAL_WO_SYSTEM, DATA_SIZE_USER, PLAIN), M(DB_INDEX_SIZE_TOTAL, INDEX_SIZE, PLAIN),
  M(DISK_PARTITION_QUEUE_DEPTH, QUEUE_DEPTH, PLAIN), M(DISK_PARTITION_READ_IOPS, IOPS_READ, PLAIN),
  M(DISK_PARTITION_READ_LATENCY, LATENCY_READ, PLAIN), M(DISK_PARTITION_WRITE_IOPS, IOPS_WRITE, PLAIN),
  M(DISK_PARTITION_WRITE_LATENCY, LATENCY_WRITE, PLAIN), M(DOCUMENT_DELETED, DOC_DELETED, PLAIN), M(DOCUMENT_INSERTED, DOC_INSERTED, PLAIN),
  M(DOCUMENT_RETURNED, DOC_RETURNED, PLAIN), M(DOCUMENT_UPDATED, DOC_UPDATED, PLAIN), M(FTS_JVM_CURRENT_MEMORY, JVM_USED, PLAIN),
  M(FTS_JVM_MAX_MEMORY, JVM_MOST, PLAIN), M(GLOBAL_LOCK_PERCENTAGE, ZERO, PLAIN), M(LOGICAL_SIZE, DATA_SIZE_USER, PLAIN),
  M(MUNIN_CPU_IOWAIT, CPU_IOWAIT, PLAIN), M(MUNIN_CPU_IRQ, ZERO, PLAIN), M(MUNIN_CPU_NICE, CPU_NICE, PLAIN),
  M(MUNIN_CPU_SOFTIRQ, CPU_SOFTIRQ, PLAIN), M(MUNIN_CPU_STEAL, CPU_STEAL, PLAIN), M(MUNIN_CPU_SYSTEM, CPU_KERNEL, PLAIN),
  M(MUNIN_CPU_USER, CPU_USER, PLAIN), M(NORMALIZED_FTS_PROCESS_CPU_KERNEL, FTS_KERNEL, CORE),
  M(NORMALIZED_FTS_PROCESS_CPU_USER, FTS_USER, CORE), M(NORMALIZED_SYSTEM_CPU_STEAL, CPU_STEAL, CORE),
  M(NORMALIZED_SYSTEM_CPU_USER, CPU_USER, CORE), M(OPLOG_MASTER_TIME_ESTIMATED_TTL, OPLOG_WINDOW, PLAIN),
  M(SEARCH_INDEX_SIZE, FTS_DISK, PLAIN), M(SEARCH_MAX_FIELDS_INDEXED, SEARCH_FIELDS, PLAIN),
  M(SEARCH_MAX_NGRAM_FIELDS_INDEXED, ZERO, PLAIN), M(SEARCH_MAX_NUMBER_OF_LUCENE_DOCS, SEARCH_DOCUMENTS, PLAIN),
  M(SEARCH_NUMBER_OF_FIELDS_IN_INDEX, SEARCH_FIELDS, PLAIN), M(SEARCH_NUMBER_OF_QUERIES_ERROR, ZERO, PLAIN),
  M(SEARCH_NUMBER_OF_QUERIES_SUCCESS, SEARCH_QUERIES, PLAIN), M(SEARCH_NUMBER_OF_QUERIES_TOTAL, SEARCH_QUERIES, PLAIN),
  M(SEARCH_OPCOUNTER_DELETE, ZERO, PLAIN), M(SEARCH_OPCOUNTER_GETMORE, ZERO, PLAIN), M(SEARCH_OPCOUNTER_INSERT, SEARCH_WRITES, PLAIN),
  M(SEARCH_OPCOUNTER_UPDATE, SEARCH_WRITES, PLAIN), M(SEARCH_PROCESS_THROTTLING, ZERO, PLAIN), M(SEARCH_REPLICATION_LAG, ZERO, PLAIN),
  M(SYSTEM_MEMORY_PERCENT_USED, SYSTEM_MEMORY_PERCENT, PLAIN), M(TICKETS_AVAILABLE_WRITES, TICKETS_WRITE, PLAIN),
};
static const svc_model_metric metrics_of_database[] = {
  M(DATABASE_AVERAGE_OBJECT_SIZE, DB_AVERAGE, PLAIN), M(DATABASE_COLLECTION_COUNT, DB_COLLECTIONS, PLAIN),
  M(DATABASE_DATA_SIZE, DB_DATA, PLAIN), M(DATABASE_STORAGE_SIZE, DB_STORAGE, PLAIN), M(DATABASE_INDEX_SIZE, DB_INDEX, PLAIN),
  M(DATABASE_INDEX_COUNT, DB_INDEXES, PLAIN), M(DATABASE_EXTENT_COUNT, ZERO, PLAIN), M(DATABASE_OBJECT_COUNT, DB_DOCUMENTS, PLAIN),
  M(DATABASE_VIEW_COUNT, ZERO, PLAIN),
};
static const svc_model_metric metrics_of_collection[] = {
  M(READS_OPS, READS, PLAIN), M(READS_LATENCY, READS_SUM, PLAIN), M(AVERAGE_READS_LATENCY, READS_MEAN, PLAIN),
  M(READS_P50_VALUE, READS_P50, PLAIN), M(READS_P95_VALUE, READS_P95, PLAIN), M(READS_P99_VALUE, READS_P99, PLAIN),
  M(WRITES_OPS, WRITES, PLAIN), M(WRITES_LATENCY, WRITES_SUM, PLAIN), M(AVERAGE_WRITES_LATENCY, WRITES_MEAN, PLAIN),
  M(WRITES_P50_VALUE, WRITES_P50, PLAIN), M(WRITES_P95_VALUE, WRITES_P95, PLAIN), M(WRITES_P99_VALUE, WRITES_P99, PLAIN),
  M(COMMANDS_OPS, COMMANDS, PLAIN), M(COMMANDS_LATENCY, COMMANDS_SUM, PLAIN), M(AVERAGE_COMMANDS_LATENCY, COMMANDS_MEAN, PLAIN),
  M(COMMANDS_P50_VALUE, COMMANDS_P50, PLAIN), M(COMMANDS_P95_VALUE, COMMANDS_P95, PLAIN), M(COMMANDS_P99_VALUE, COMMANDS_P99, PLAIN),
  M(TOTAL_OPS, ALL, PLAIN), M(TOTAL_LATENCY, ALL_SUM, PLAIN), M(AVERAGE_TOTAL_OPS_LATENCY, ALL_MEAN, PLAIN),
  M(TOTAL_OPS_P50_VALUE, ALL_P50, PLAIN), M(TOTAL_OPS_P95_VALUE, ALL_P95, PLAIN), M(TOTAL_OPS_P99_VALUE, ALL_P99, PLAIN),
};
static const svc_model_metric metrics_of_index[] = {
  M(INDEX_SIZE_ON_DISK, INDEX_BYTES, PLAIN), M(NUMBER_OF_DELETES, ZERO, PLAIN), M(NUMBER_OF_ERROR_QUERIES, ZERO, PLAIN),
  M(NUMBER_OF_GETMORE_COMMANDS, INDEX_GETMORES, PLAIN), M(NUMBER_OF_INDEX_FIELDS, INDEX_FIELDS, PLAIN),
  M(NUMBER_OF_INSERTS, INDEX_INSERTS, PLAIN), M(NUMBER_OF_SUCCESS_QUERIES, INDEX_QUERIES, PLAIN),
  M(NUMBER_OF_UPDATES, INDEX_UPDATES, PLAIN), M(REPLICATION_LAG, INDEX_LAG, PLAIN), M(TOTAL_NUMBER_OF_QUERIES, INDEX_QUERIES, PLAIN),
};
#define METRICS(table) { table, sizeof table / sizeof table[0] }
static const struct {
  const svc_model_metric *rows;
  size_t count;
} metrics_tables[SVC_MODEL_OF_COUNT] = { METRICS(metrics_of_host), METRICS(metrics_of_database), METRICS(metrics_of_collection), METRICS(metrics_of_index) };

static const svc_model_metric *metrics_row(int of, svc_str name)
{
  size_t i;
  for (i = 0; i < metrics_tables[of].count; i++)
    if (svc_str_is(name, metrics_tables[of].rows[i].name)) return &metrics_tables[of].rows[i];
  return NULL;
}

static svc_str metrics_without(svc_str name, const char *tail)
{
  size_t n = strlen(tail);
  if (name.n > n && memcmp(name.p + name.n - n, tail, n) == 0) name.n -= n;
  return name;
}

SVC_PRIVATE bool svc_model_metric_named(int of, svc_str name, svc_model_metric *out)
{
  static const char *const partitions[] = { "_DATA", "_INDEX", "_JOURNAL" };
  const svc_model_metric *row = metrics_row(of, name);
  bool max = !row && svc_str_starts(name, "MAX_");
  size_t i;
  if (max) name = (svc_str){ name.p + 4, name.n - 4 };
  if (max) row = metrics_row(of, name);
  for (i = 0; !row && i < 3; i++) {
    svc_str disk = metrics_without(name, partitions[i]);
    if (disk.n == name.n) continue;
    row = svc_str_is(disk, "DISK_PARTITION_SPACE_USED") ? metrics_row(of, SVC_S("DISK_PARTITION_SPACE_PERCENT_USED")) : metrics_row(of, disk);
  }
  if (!row) return false;
  *out = *row;
  if (max) out->form |= SVC_FORM_MAX;
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- points */

static void metrics_database(const svc_model_where *w, const svc_model_time *t, svc_point *out)
{
  svc_model_figures f;
  int64_t collections;
  svc_model_database_at(w->model, w->host, t, w->database, &f, &collections);
  out->q[SVC_Q_DB_AVERAGE] = f.documents ? f.data * 1000 / f.documents : 0;
  out->q[SVC_Q_DB_COLLECTIONS] = collections * 1000;
  out->q[SVC_Q_DB_DATA] = f.data * 1000;
  out->q[SVC_Q_DB_STORAGE] = f.storage * 1000;
  out->q[SVC_Q_DB_INDEX] = f.index_size * 1000;
  out->q[SVC_Q_DB_INDEXES] = f.indexes * 1000;
  out->q[SVC_Q_DB_DOCUMENTS] = f.documents * 1000;
}

/* Sets the six quantities of a kind of operation, beginning at q, from their number and mean duration. */
static void metrics_kind(int64_t *q, int64_t ops, int64_t micros)
{
  q[0] = ops;
  q[1] = ops * micros / 1000;
  q[2] = ops ? micros : 0;
  q[3] = q[2] * 8 / 10;
  q[4] = q[2] * 22 / 10;
  q[5] = q[2] * 4;
}

static void metrics_collection(const svc_model_collection *k, const svc_model_where *w, const svc_model_time *t, svc_point *out)
{
  svc_model_figures f;
  int64_t *q = out->q, all;
  svc_model_collection_at(k, t, &f);
  /* applications use the primary */
  if (svc_model_role_at(w->model, w->host, t->at) != SVC_MODEL_PRIMARY) f.reads = f.writes = f.commands = 0;
  metrics_kind(&q[SVC_Q_READS], f.reads, f.read_micros);
  metrics_kind(&q[SVC_Q_WRITES], f.writes, f.write_micros);
  metrics_kind(&q[SVC_Q_COMMANDS], f.commands, f.command_micros);
  all = f.reads + f.writes + f.commands;
  metrics_kind(&q[SVC_Q_ALL], all, all ? (f.reads * f.read_micros + f.writes * f.write_micros + f.commands * f.command_micros) / all : 0);
  q[SVC_Q_ALL_SUM] = q[SVC_Q_READS_SUM] + q[SVC_Q_WRITES_SUM] + q[SVC_Q_COMMANDS_SUM];
}

static void metrics_index(const svc_model_collection *k, const svc_model_where *w, const svc_model_time *t, svc_point *out)
{
  svc_model_figures f;
  bool primary = svc_model_role_at(w->model, w->host, t->at) == SVC_MODEL_PRIMARY;
  svc_model_collection_at(k, t, &f);
  out->q[SVC_Q_INDEX_BYTES] = (f.data / 4 + 1048576) * w->indexes * 1000;
  out->q[SVC_Q_INDEX_FIELDS] = 6 * w->indexes * 1000;
  out->q[SVC_Q_INDEX_QUERIES] = primary ? f.reads / 20 : 0;
  out->q[SVC_Q_INDEX_GETMORES] = out->q[SVC_Q_INDEX_QUERIES] / 10;
  out->q[SVC_Q_INDEX_INSERTS] = f.inserts;
  out->q[SVC_Q_INDEX_UPDATES] = f.updates;
}

/* False: there was nothing to measure at that time. */
static bool metrics_point(const svc_model_where *w, int64_t at, svc_point *out)
{
  svc_model_time t;
  const svc_model_collection *k;
  if (!svc_model_up(w->model, w->host, at)) return false;
  if (w->of == SVC_MODEL_OF_HOST) {
    svc_model_at(w->model, w->host, at, out);
    return true;
  }
  t = svc_model_time_of(w->model, at, w->shards);
  memset(out, 0, sizeof *out);
  if (w->of == SVC_MODEL_OF_DATABASE) {
    metrics_database(w, &t, out);
    return out->q[SVC_Q_DB_COLLECTIONS] > 0;
  }
  k = svc_model_collection_of(w->model, w->database, w->collection, at);
  if (!k || (w->of == SVC_MODEL_OF_INDEX && at < w->since)) return false;
  if (w->of == SVC_MODEL_OF_INDEX) metrics_index(k, w, &t, out);
  else metrics_collection(k, w, &t, out);
  return true;
}

static int64_t metrics_value(const svc_point *p, const svc_model_metric *row)
{
  int64_t value = p->q[row->quantity];
  return row->form & SVC_FORM_CORE && p->cores > 0 ? value / p->cores : value;
}

/* The maximum is computed from three times: `at`, half a step before, and a whole step before. */
SVC_PRIVATE void svc_model_figures_of(const svc_model_where *w, const svc_model_metric *rows, size_t count, int64_t at, int64_t step, int64_t *out)
{
  svc_point points[3];
  bool any[3] = { metrics_point(w, at, &points[0]), false, false }, wanted = false;
  size_t i, k;
  for (i = 0; i < count; i++) wanted |= (rows[i].form & SVC_FORM_MAX) != 0;
  for (k = 1; k < 3 && wanted && any[0]; k++) any[k] = metrics_point(w, at - step * (int64_t)k / 2, &points[k]);
  for (i = 0; i < count; i++) {
    out[i] = any[0] ? metrics_value(&points[0], &rows[i]) : SVC_MODEL_GAP;
    for (k = 1; k < 3 && rows[i].form & SVC_FORM_MAX; k++)
      if (any[k] && metrics_value(&points[k], &rows[i]) > out[i]) out[i] = metrics_value(&points[k], &rows[i]);
  }
}

SVC_PRIVATE int64_t svc_model_figure(const svc_model_where *w, svc_str name, int64_t at)
{
  svc_model_metric row;
  int64_t value = SVC_MODEL_GAP;
  if (svc_model_metric_named(w->of, name, &row)) svc_model_figures_of(w, &row, 1, at, 60000, &value);
  return value;
}
