/*
** Figures of a server over time, and current ones, by their names in the API.
**
** A point at a time t describes the step that ends at t. Rates are computed from the counters of two samples. Figures are integers in
** thousandths, so that results are the same on every machine. Figures that PostgreSQL does not have are gaps, never invented numbers.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SERIES_BEHIND 30 /* seconds: a sample taken less than this after a time counts as the sample of that time */

/* How a figure is computed from the figures a and b of samples. */
enum series_kind {
  SERIES_VALUE,   /* current value of a */
  SERIES_RATE,    /* increase of a per second, times scale */
  SERIES_CPU,     /* increase of a, in milliseconds, in percent of the time between samples */
  SERIES_EACH,    /* the same, divided by the number of processors */
  SERIES_PART,    /* current a in percent of a + b */
  SERIES_MISSED,  /* increase of a in percent of the increase of a + b */
  SERIES_PER,     /* increase of a divided by the increase of b */
  SERIES_HOURLY   /* increase of a in the last hour */
};

typedef struct series_row {
  const char *name;
  unsigned char kind, a, b;
  int64_t scale;
} series_row;

static const series_row series_rows[] = {
  { "ASSERT_REGULAR", SERIES_RATE, DRIVER_F_CONFLICTS, 0, 1 },
  { "ASSERT_USER", SERIES_RATE, DRIVER_F_ROLLBACKS, 0, 1 },
  { "CACHE_BYTES_READ_INTO", SERIES_RATE, DRIVER_F_READ, 0, 8192 },
  { "CACHE_BYTES_WRITTEN_FROM", SERIES_RATE, DRIVER_F_WRITTEN, 0, 8192 },
  { "CACHE_USED_BYTES", SERIES_VALUE, DRIVER_F_SHARED, 0, 1 },
  { "CONNECTIONS", SERIES_VALUE, DRIVER_F_CONNECTIONS, 0, 1 },
  { "DB_DATA_SIZE_TOTAL", SERIES_VALUE, DRIVER_F_SIZE, 0, 1 },
  { "DB_STORAGE_TOTAL", SERIES_VALUE, DRIVER_F_DISK_USED, 0, 1 },
  { "DISK_PARTITION_IOPS_READ", SERIES_RATE, DRIVER_F_READ, 0, 1 },
  { "DISK_PARTITION_IOPS_WRITE", SERIES_RATE, DRIVER_F_WRITTEN, 0, 1 },
  { "DISK_PARTITION_SPACE_FREE", SERIES_VALUE, DRIVER_F_DISK_FREE, 0, 1 },
  { "DISK_PARTITION_SPACE_PERCENT_FREE", SERIES_PART, DRIVER_F_DISK_FREE, DRIVER_F_DISK_USED, 1 },
  { "DISK_PARTITION_SPACE_PERCENT_USED", SERIES_PART, DRIVER_F_DISK_USED, DRIVER_F_DISK_FREE, 1 },
  { "DISK_PARTITION_SPACE_USED", SERIES_VALUE, DRIVER_F_DISK_USED, 0, 1 },
  { "DISK_PARTITION_THROUGHPUT_READ", SERIES_RATE, DRIVER_F_READ, 0, 8192 },
  { "DISK_PARTITION_THROUGHPUT_WRITE", SERIES_RATE, DRIVER_F_WRITTEN, 0, 8192 },
  { "DOCUMENT_METRICS_DELETED", SERIES_RATE, DRIVER_F_DELETED, 0, 1 },
  { "DOCUMENT_METRICS_INSERTED", SERIES_RATE, DRIVER_F_INSERTED, 0, 1 },
  { "DOCUMENT_METRICS_RETURNED", SERIES_RATE, DRIVER_F_RETURNED, 0, 1 },
  { "DOCUMENT_METRICS_UPDATED", SERIES_RATE, DRIVER_F_UPDATED, 0, 1 },
  { "EXTRA_INFO_PAGE_FAULTS", SERIES_RATE, DRIVER_F_FAULTS, 0, 1 },
  { "GLOBAL_LOCK_CURRENT_QUEUE_TOTAL", SERIES_VALUE, DRIVER_F_WAITING, 0, 1 },
  { "INDEX_COUNTERS_BTREE_HITS", SERIES_RATE, DRIVER_F_INDEX_HIT, 0, 1 },
  { "INDEX_COUNTERS_BTREE_MISSES", SERIES_RATE, DRIVER_F_INDEX_READ, 0, 1 },
  { "INDEX_COUNTERS_BTREE_MISS_RATIO", SERIES_MISSED, DRIVER_F_INDEX_READ, DRIVER_F_INDEX_HIT, 1 },
  { "MEMORY_RESIDENT", SERIES_VALUE, DRIVER_F_RESIDENT, 0, 1 },
  { "MEMORY_VIRTUAL", SERIES_VALUE, DRIVER_F_VIRTUAL, 0, 1 },
  { "OPCOUNTER_CMD", SERIES_RATE, DRIVER_F_COMMITS, 0, 1 },
  { "OPCOUNTER_DELETE", SERIES_RATE, DRIVER_F_DELETED, 0, 1 },
  { "OPCOUNTER_INSERT", SERIES_RATE, DRIVER_F_INSERTED, 0, 1 },
  { "OPCOUNTER_UPDATE", SERIES_RATE, DRIVER_F_UPDATED, 0, 1 },
  { "PROCESS_CPU_KERNEL", SERIES_CPU, DRIVER_F_KERNEL, 0, 1 },
  { "PROCESS_CPU_USER", SERIES_CPU, DRIVER_F_USER, 0, 1 },
  { "PROCESS_NORMALIZED_CPU_KERNEL", SERIES_EACH, DRIVER_F_KERNEL, 0, 1 },
  { "PROCESS_NORMALIZED_CPU_USER", SERIES_EACH, DRIVER_F_USER, 0, 1 },
  { "QUERY_EXECUTOR_SCANNED", SERIES_RATE, DRIVER_F_FETCHED, 0, 1 },
  { "QUERY_EXECUTOR_SCANNED_OBJECTS", SERIES_RATE, DRIVER_F_RETURNED, 0, 1 },
  { "QUERY_SPILL_TO_DISK_DURING_SORT", SERIES_RATE, DRIVER_F_SPILLS, 0, 1 },
  { "RESTARTS_IN_LAST_HOUR", SERIES_HOURLY, DRIVER_F_RESTARTS, 0, 1 },
  { "SWAP_USAGE_FREE", SERIES_VALUE, DRIVER_F_SWAP_FREE, 0, 1 },
  { "SWAP_USAGE_USED", SERIES_VALUE, DRIVER_F_SWAP_USED, 0, 1 },
  { "SYSTEM_CPU_GUEST", SERIES_CPU, DRIVER_F_CPU_GUEST, 0, 1 },
  { "SYSTEM_CPU_IOWAIT", SERIES_CPU, DRIVER_F_CPU_IOWAIT, 0, 1 },
  { "SYSTEM_CPU_IRQ", SERIES_CPU, DRIVER_F_CPU_IRQ, 0, 1 },
  { "SYSTEM_CPU_KERNEL", SERIES_CPU, DRIVER_F_CPU_KERNEL, 0, 1 },
  { "SYSTEM_CPU_NICE", SERIES_CPU, DRIVER_F_CPU_NICE, 0, 1 },
  { "SYSTEM_CPU_SOFTIRQ", SERIES_CPU, DRIVER_F_CPU_SOFTIRQ, 0, 1 },
  { "SYSTEM_CPU_STEAL", SERIES_CPU, DRIVER_F_CPU_STEAL, 0, 1 },
  { "SYSTEM_CPU_USER", SERIES_CPU, DRIVER_F_CPU_USER, 0, 1 },
  { "SYSTEM_MEMORY_AVAILABLE", SERIES_VALUE, DRIVER_F_MEMORY_AVAILABLE, 0, 1 },
  { "SYSTEM_MEMORY_FREE", SERIES_VALUE, DRIVER_F_MEMORY_FREE, 0, 1 },
  { "SYSTEM_MEMORY_USED", SERIES_VALUE, DRIVER_F_MEMORY_USED, 0, 1 },
  { "SYSTEM_NETWORK_IN", SERIES_RATE, DRIVER_F_NETWORK_IN, 0, 1 },
  { "SYSTEM_NETWORK_OUT", SERIES_RATE, DRIVER_F_NETWORK_OUT, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_GUEST", SERIES_EACH, DRIVER_F_CPU_GUEST, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_IOWAIT", SERIES_EACH, DRIVER_F_CPU_IOWAIT, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_IRQ", SERIES_EACH, DRIVER_F_CPU_IRQ, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_KERNEL", SERIES_EACH, DRIVER_F_CPU_KERNEL, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_NICE", SERIES_EACH, DRIVER_F_CPU_NICE, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_SOFTIRQ", SERIES_EACH, DRIVER_F_CPU_SOFTIRQ, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_STEAL", SERIES_EACH, DRIVER_F_CPU_STEAL, 0, 1 },
  { "SYSTEM_NORMALIZED_CPU_USER", SERIES_EACH, DRIVER_F_CPU_USER, 0, 1 },
};

/* Finds a figure by its name; NULL: unknown. A figure MAX_NAME is the same as NAME, because there is only one sample a minute. */
static const series_row *series_named(const char *name)
{
  size_t i;
  if (strncmp(name, "MAX_", 4) == 0) name += 4;
  for (i = 0; i < sizeof series_rows / sizeof series_rows[0]; i++)
    if (strcmp(series_rows[i].name, name) == 0) return &series_rows[i];
  return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- figures */

/* Computes a figure from two samples, in thousandths. Returns 0 if it is unknown, such as after a counter was reset and so decreased. */
static int series_between(const series_row *row, const driver_sample *old, const driver_sample *new, int64_t *out)
{
  int64_t a, b, seconds = old ? new->at - old->at : 0;
  if (seconds <= 0) return 0;
  a = new->figures[row->a] - old->figures[row->a];
  b = new->figures[row->b] - old->figures[row->b];
  if (a < 0 || a > INT64_MAX / 10000000 || (b < 0 && (row->kind == SERIES_MISSED || row->kind == SERIES_PER))) return 0;
  if (row->kind == SERIES_RATE) *out = a * 1000 / seconds * row->scale;
  else if (row->kind == SERIES_CPU) *out = a * 100 / seconds;
  else if (row->kind == SERIES_EACH) *out = a * 100 / seconds / (sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1);
  else if (row->kind == SERIES_MISSED) *out = a + b ? a * 100000 / (a + b) : 0;
  else *out = b ? a * 1000 / b : 0;
  return 1;
}

static int series_value(const series_row *row, const driver_sample *s, int64_t *out)
{
  int64_t a = s->figures[row->a], b = s->figures[row->b];
  if (row->kind == SERIES_VALUE) *out = a * 1000;
  else *out = a + b > 1000 ? a / ((a + b) / 1000) * 100 : 0;
  return 1;
}

/* Returns the sample of a time: the one taken just after it, else the last one of the step before it. The caller has d->servers_lock. */
static const driver_sample *series_sample(const driver_server *s, int64_t at, int64_t step)
{
  const driver_sample *behind = driver_sample_in(s, at, at + SERIES_BEHIND, step);
  return behind ? behind : driver_sample_in(s, at - step, at, step);
}

/* Computes the figure of the step that ends at `at`. Returns 0 if it is unknown. The caller has d->servers_lock. */
static int series_point(const driver_server *s, const series_row *row, int64_t at, int64_t step, int64_t *out)
{
  const driver_sample *new = series_sample(s, at, step), *old;
  if (!new) return 0;
  if (row->kind == SERIES_VALUE || row->kind == SERIES_PART) return series_value(row, new, out);
  old = series_sample(s, row->kind == SERIES_HOURLY ? new->at - 3600 : at - step, step);
  if (row->kind == SERIES_HOURLY) {
    *out = (new->figures[row->a] - (old ? old->figures[row->a] : 0)) * 1000;
    return *out >= 0;
  }
  if (!old) old = driver_sample_in(s, at - step, at, step); /* the server is new: use an earlier sample of the same step */
  return series_between(row, old, new, out);
}

/* Reads the newest value of a figure, in thousandths. Returns 0 if it is unknown. */
int driver_figure_now(driver_postgres *d, const char *id, const char *name, int64_t *out)
{
  const series_row *row = series_named(name);
  int64_t now = (int64_t)time(NULL);
  const driver_server *s;
  int known = 0;
  if (!row) return 0;
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_of(d, id);
  if (s) known = series_point(s, row, now / 60 * 60, 60, out) || series_point(s, row, now + 1, 60, out);
  pthread_mutex_unlock(&d->servers_lock);
  return known;
}

/* -------------------------------------------------------------------------------------------------------------- questions */

void driver_thousandths(FILE *out, int64_t value)
{
  if (value % 1000) fprintf(out, "%lld.%03d", (long long)(value / 1000), (int)(value % 1000));
  else fprintf(out, "%lld", (long long)(value / 1000));
}

static void series_write(driver_postgres *d, const svc_question *q, const char *name, const int64_t span[3], FILE *out)
{
  const series_row *row = series_named(name);
  const driver_server *s;
  int64_t at, value;
  pthread_mutex_lock(&d->servers_lock);
  s = row ? driver_server_of(d, q->resource_id) : NULL;
  for (at = span[0]; at <= span[1]; at += span[2]) {
    if (at > span[0]) fputc(',', out);
    if (s && series_point(s, row, at, span[2], &value)) driver_thousandths(out, value);
    else fputs("null", out);
  }
  pthread_mutex_unlock(&d->servers_lock);
}

/* Answers a question for series: of a process or its disk from the samples; of a schema or a table by current figures (tables.c). */
int driver_series(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  int n = q->parameters ? (int)strlen(q->parameters) : 0, i;
  int64_t span[3] = { 0, -1, 60 };
  struct json_token one;
  char *place = NULL, *name;
  driver_text text;
  span[0] = driver_long(q->parameters, "{from:%T}", 0);
  span[1] = driver_long(q->parameters, "{until:%T}", -1);
  span[2] = driver_long(q->parameters, "{step:%T}", 0);
  if (span[2] <= 0 || (span[1] - span[0]) / span[2] > 100000) return SVC_INVALID;
  json_scanf(q->parameters, n, "{database:%Q}", &place);
  if (place) {
    free(place);
    return driver_place_series(d, q, span, reply);
  }
  if (driver_text_begin(&text) != 0) return SVC_NOMEM;
  fputs("{\"series\":{", text.file);
  for (i = 0; json_scanf_array_elem(q->parameters, n, ".metrics", i, &one) > 0; i++) {
    name = NULL;
    json_scanf(one.ptr, one.len, "{name:%Q}", &name);
    if (name) fprintf(text.file, "%s\"%s\":[", i ? "," : "", name);
    if (name) series_write(d, q, name, span, text.file);
    if (name) fputc(']', text.file);
    free(name);
  }
  fputs("}}", text.file);
  return driver_text_reply(&text, reply);
}

/* Current figures of a cluster that the driver reads from the server, for questions like {"metric":"CONNECTIONS"}. */
static const struct {
  const char *name, *sql;
} series_now[] = {
  { "CONNECTIONS", "select count(*) from pg_stat_activity where backend_type = 'client backend' and not " DRIVER_OWN },
  { "DB_DATA_SIZE_TOTAL", "select coalesce(sum(pg_database_size(oid)), 0) from pg_database" },
  { "OPCOUNTER_INSERT", "select coalesce(sum(tup_inserted), 0) from pg_stat_database" },
  { "OPCOUNTER_UPDATE", "select coalesce(sum(tup_updated), 0) from pg_stat_database" },
  { "OPCOUNTER_DELETE", "select coalesce(sum(tup_deleted), 0) from pg_stat_database" },
  { "OPCOUNTER_CMD", "select coalesce(sum(xact_commit + xact_rollback), 0) from pg_stat_database" },
};

/* Reads a current figure of a cluster. Returns SVC_NOT_FOUND if the driver does not measure it. */
int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out)
{
  char said[256], *end = said;
  size_t i;
  for (i = 0; i < sizeof series_now / sizeof series_now[0]; i++) {
    if (strcmp(series_now[i].name, name) != 0) continue;
    if (driver_sql(d, DRIVER_QUESTION, id, series_now[i].sql, said, sizeof said) != 0)
      return SVC_IO;
    *out = strtoll(said, &end, 10);
    return end > said ? SVC_OK : SVC_IO;
  }
  if (!driver_figure_now(d, id, name, out)) return SVC_NOT_FOUND;
  *out /= 1000;
  return SVC_OK;
}

int driver_measure(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char text[64], *name = NULL;
  int status = SVC_INVALID;
  int64_t value = 0;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{metric:%Q}", &name);
  if (name) status = driver_figure(d, q->resource_id, name, &value);
  free(name);
  if (status != SVC_OK) return status;
  snprintf(text, sizeof text, "{\"value\":%lld}", (long long)value);
  return svc_reply_add(reply, text, strlen(text));
}

/* ------------------------------------------------------------------------------------------------------------------ alerts */

/* Finds the server of a project at this address, such as "127.0.0.1:5433". Returns true if it exists. */
static int series_at(driver_postgres *d, const char *group, const char *host, char id[32])
{
  char its_group[32], port[16];
  const char *at = strrchr(host, ':');
  DIR *folder = driver_list(d->control, ".");
  int found = 0;
  while (at && !found && driver_next(folder, id))
    found = driver_read(d, id, "group", its_group, sizeof its_group) == 0 && strcmp(its_group, group) == 0 &&
            driver_read(d, id, "port", port, sizeof port) == 0 && strcmp(port, at + 1) == 0;
  if (folder) closedir(folder);
  return found;
}

/* Returns 1 if the server is up, 0 if it is down, DRIVER_UNTOLD if the watch has not checked it yet or it should not run. */
static int series_is_up(driver_postgres *d, const char *id)
{
  const driver_server *s;
  int up;
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_of(d, id);
  up = s ? s->told : DRIVER_UNTOLD;
  pthread_mutex_unlock(&d->servers_lock);
  return up;
}

static int series_alerted(driver_postgres *d, const char *group, const char *host, const char *name, int64_t *value)
{
  char id[32];
  if (!host || !name || !series_at(d, group, host, id)) return 0;
  if (strcmp(name, "UP") != 0) return driver_figure_now(d, id, name, value);
  *value = series_is_up(d, id) * 1000;
  return *value >= 0;
}

/* Measures the figures that alerts watch: returns the figures of the order whose values are known, with their values. */
int driver_measure_all(driver_postgres *d, driver_order *o, driver_result *r)
{
  int n = (int)strlen(o->desired), i, known = 0;
  struct json_token one;
  driver_text text;
  int64_t value = 0;
  if (driver_text_begin(&text) != 0) return driver_fail(r, DRIVER_NO_MEMORY);
  fputs("{\"figures\":[", text.file);
  for (i = 0; json_scanf_array_elem(o->desired, n, ".figures", i, &one) > 0; i++) {
    char *host = NULL, *name = NULL;
    json_scanf(one.ptr, one.len, "{host:%Q,metricName:%Q}", &host, &name);
    if (one.len > 2 && series_alerted(d, o->group_id, host, name, &value)) {
      fprintf(text.file, "%s%.*s,\"value\":", known++ ? "," : "", one.len - 1, one.ptr);
      driver_thousandths(text.file, value);
      fputc('}', text.file);
    }
    free(host);
    free(name);
  }
  fputs("]}", text.file);
  r->large = driver_text_end(&text);
  return r->large ? 0 : driver_fail(r, DRIVER_NO_MEMORY);
}
