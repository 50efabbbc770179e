/*
** Queries: single slow queries from the server's log, where auto_explain writes each with its plan, and statistics of all queries from
** pg_stat_statements.
**
** An item of slowQueries names the first table of the plan, the number of rows that its scans read, and the columns of its filters and
** sorts, without their values. Suggested indexes are therefore based on real plans.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define QUERIES_COLUMNS 16
#define QUERIES_NAME 64

typedef struct queries_column {
  char name[QUERIES_NAME];
  int how; /* '=': compared for equality; '<': by another operator, such as a range; 1, -1: sorted up or down */
} queries_column;

/* The facts of a plan. */
typedef struct queries_plan {
  char table[QUERIES_NAME], schema[QUERIES_NAME], word[16];
  int64_t returned, scanned, keys;
  int64_t rows, loops; /* of the current node */
  int nodes, scans, is_scan, by_index, sorts;
  queries_column filter[QUERIES_COLUMNS], sort[QUERIES_COLUMNS];
  int filters, sorted;
  struct json_token sql;
} queries_plan;

/* ------------------------------------------------------------------------------------------------------------------- plans */

static void queries_add(queries_column *list, int *count, const char *name, size_t n, int how)
{
  int i;
  const char *dot = memrchr(name, '.', n); /* TABLE.COLUMN */
  if (dot) n -= (size_t)(dot + 1 - name), name = dot + 1;
  if (n > 1 && *name == '"') name++, n -= 2;
  if (n == 0 || n >= QUERIES_NAME || *count == QUERIES_COLUMNS) return;
  for (i = 0; i < *count; i++)
    if (strlen(list[i].name) == n && memcmp(list[i].name, name, n) == 0) return;
  snprintf(list[*count].name, QUERIES_NAME, "%.*s", (int)n, name);
  list[(*count)++].how = how;
}

/* Collects the columns of a condition, such as "((n > 5) AND (name = 'x'::text))": the names between a bracket and an operator. */
static void queries_condition(queries_plan *p, const char *text, size_t n)
{
  const char *at = text, *end = text + n, *name;
  while (at < end) {
    size_t length = 0;
    if (*at++ != '(') continue;
    name = at;
    while (at < end && (isalnum((unsigned char)*at) || strchr("_.\"", *at) || (unsigned char)*at >= 0x80)) at++, length++;
    if (at < end && length && strncmp(at, ")::text", 7) == 0) at += 7; /* (name)::text = ... */
    if (at + 2 < end && *at == ' ' && strchr("=<>", at[1])) queries_add(p->filter, &p->filters, name, length, at[1] == '=' ? '=' : '<');
  }
}

static void queries_sort(queries_plan *p, const char *text, size_t n)
{
  const char *space = memchr(text, ' ', n);
  int down = n > 5 && memmem(text, n, " DESC", 5) != NULL;
  queries_add(p->sort, &p->sorted, text, space ? (size_t)(space - text) : n, down ? -1 : 1);
}

/* Adds rows that the current node returned or filtered out to the totals, if it scans a table. */
static void queries_node_ends(queries_plan *p, int64_t removed)
{
  if (p->is_scan) p->scanned += removed * p->loops;
  if (p->is_scan && p->by_index) p->keys += removed * p->loops;
}

static void queries_node(queries_plan *p, const char *text, size_t n)
{
  p->nodes++;
  p->loops = 1;
  p->rows = 0;
  p->is_scan = 0; /* set when the node names a table, because a scan can be of a function, too */
  p->by_index = memmem(text, n, "Index", 5) != NULL;
  p->scans = memmem(text, n, "Scan", 4) != NULL;
  if (n >= 4 && memmem(text, n, "Sort", 4)) p->sorts = 1;
}

static void queries_take(char *to, const struct json_token *t)
{
  if (!*to) snprintf(to, QUERIES_NAME, "%.*s", t->len, t->ptr);
}

/* Takes one member of a plan. PostgreSQL writes the type of a node first, then its figures and conditions, then the nodes below it. */
static void queries_member(void *context, const char *name, size_t name_length, const char *path, const struct json_token *t)
{
  queries_plan *p = context;
  size_t n = t->type == JSON_TYPE_STRING || t->type == JSON_TYPE_NUMBER ? (size_t)t->len : 0;
  char word[40];
  if (strcmp(path, ".Query Text") == 0) p->sql = *t;
  if (!n || !t->ptr || strncmp(path, ".Plan", 5) != 0) return;
  snprintf(word, sizeof word, "%.*s", (int)(name_length < 39 ? name_length : 39), name ? name : "");
  if (strcmp(word, "Node Type") == 0) queries_node(p, t->ptr, n);
  else if (strcmp(word, "Relation Name") == 0) queries_take(p->table, t), p->is_scan = p->scans;
  else if (strcmp(word, "Schema") == 0) queries_take(p->schema, t);
  else if (strcmp(word, "Actual Rows") == 0) p->rows = strtoll(t->ptr, NULL, 10);
  else if (strcmp(word, "Actual Loops") == 0) {
    p->loops = strtoll(t->ptr, NULL, 10);
    if (p->nodes == 1) p->returned = p->rows * p->loops;
    queries_node_ends(p, p->rows);
  } else if (strncmp(word, "Rows Removed by ", 16) == 0) queries_node_ends(p, strtoll(t->ptr, NULL, 10));
  else if (strcmp(word, "Filter") == 0 || strcmp(word, "Index Cond") == 0) queries_condition(p, t->ptr, n);
  else if (strstr(path, ".Sort Key[")) queries_sort(p, t->ptr, n);
}

/* ---------------------------------------------------------------------------------------------------------------- records */

static const char *queries_operation(const char *sql, size_t n)
{
  static const char *const words[][2] = { { "select", "find" }, { "insert", "insert" }, { "update", "update" }, { "delete", "delete" } };
  size_t i;
  while (n && isspace((unsigned char)*sql)) sql++, n--;
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    if (n >= 6 && strncasecmp(sql, words[i][0], 6) == 0) return words[i][1];
  return "command";
}

static void queries_columns(FILE *out, const queries_plan *p)
{
  int i;
  fputs(",\"filter\":{", out);
  for (i = 0; i < p->filters; i++) {
    if (i) fputc(',', out);
    driver_json(out, p->filter[i].name, strlen(p->filter[i].name));
    fputs(p->filter[i].how == '=' ? ":\"?\"" : ":{\"$gt\":\"?\"}", out);
  }
  fputs("},\"sort\":[", out);
  for (i = 0; i < p->sorted; i++) {
    fputs(i ? ",{" : "{", out);
    driver_json(out, p->sort[i].name, strlen(p->sort[i].name));
    fprintf(out, ":%d}", p->sort[i].how);
  }
  fputc(']', out);
}

/* Writes the member "line" of an item: the log entry without its plan, then the query. */
static void queries_line(FILE *out, const driver_entry *e, const char *sql, size_t n)
{
  const char *end = memmem(e->from, e->length, "  plan:", 7);
  char *line = NULL;
  int length = asprintf(&line, "%.*s  statement: %.*s", (int)(end ? (size_t)(end - e->from) : e->length), e->from, (int)(n < 4096 ? n : 4096), sql);
  if (length >= 0) driver_json(out, line, (size_t)length);
  else fputs("\"\"", out);
  if (length >= 0) free(line);
}

/* Returns the plan of an entry as JSON, without the tabs at the beginning of its lines. The caller frees it. */
static char *queries_json(const driver_entry *e)
{
  const char *at = memmem(e->text, e->text_length, "plan:\n", 6), *end = e->text + e->text_length;
  char *out = at ? malloc((size_t)(end - at)) : NULL, *to = out;
  if (!out) return NULL;
  for (at += 6; at < end; at++)
    if (!(*at == '\t' && at[-1] == '\n')) *to++ = *at;
  *to = 0;
  return out;
}

static void queries_write(FILE *out, const driver_entry *e, const char *json, const char *host, int64_t micros)
{
  queries_plan p;
  char *query = NULL;
  memset(&p, 0, sizeof p);
  json_walk(json, (int)strlen(json), queries_member, &p);
  if (p.sql.len > 0 && (query = malloc((size_t)p.sql.len + 1)) != NULL) {
    int n = json_unescape(p.sql.ptr, p.sql.len, query, p.sql.len);
    query[n > 0 ? n : 0] = 0;
  }
  fputs("{\"namespace\":", out);
  if (p.table[0]) {
    char name[2 * QUERIES_NAME + 2];
    snprintf(name, sizeof name, "%s.%s", p.schema[0] ? p.schema : "public", p.table);
    driver_json(out, name, strlen(name));
  } else fputs("\"postgres.$cmd\"", out);
  fprintf(out, ",\"at\":%lld,\"opType\":\"%s\",\"durationMicros\":%lld,\"docsExamined\":%lld,\"docsReturned\":%lld,\"keysExamined\":%lld,"
          "\"hasSort\":%s,\"fromUserConnection\":true", (long long)e->at, queries_operation(query ? query : "", query ? strlen(query) : 0),
          (long long)micros, (long long)p.scanned, (long long)p.returned, (long long)p.keys, p.sorts ? "true" : "false");
  queries_columns(out, &p);
  if (host[0]) fputs(",\"host\":", out), driver_json(out, host, strlen(host));
  fputs(",\"line\":", out);
  queries_line(out, e, query ? query : "", query ? strlen(query) : 0);
  fputc('}', out);
  free(query);
}

/* -------------------------------------------------------------------------------------------------------------- questions */

/* Returns the duration of an entry "LOG:  duration: 123.456 ms  plan:" in microseconds; -1: the entry is of another kind. */
static int64_t queries_duration(const driver_entry *e)
{
  static const char words[] = "LOG:  duration: ";
  char *end;
  long long whole, part = 0;
  size_t n = sizeof words - 1;
  if (e->text_length < n + 16 || memcmp(e->text, words, n) != 0 || !memmem(e->text, e->text_length < 80 ? e->text_length : 80, "  plan:", 7)) return -1;
  whole = strtoll(e->text + n, &end, 10);
  if (*end == '.') part = strtoll(end + 1, NULL, 10);
  return whole * 1000 + part;
}

/* Writes the slow queries of a question, as many as fit into the reply. Returns their number. */
static int queries_find(const char *text, size_t n, const svc_question *q, const char *host, FILE *out)
{
  int64_t since = driver_long(q->parameters, "{since:%T}", 0), until = driver_long(q->parameters, "{until:%T}", INT64_MAX);
  int64_t most = driver_long(q->parameters, "{most:%T}", 1000), micros;
  const char *at = text;
  driver_entry e;
  int count = 0;
  while (count < most && ftell(out) + 16384 < (long)q->most && (at = driver_log_next(at, text + n, &e)) != NULL) {
    char *json;
    if (e.at < since || e.at > until || (micros = queries_duration(&e)) < 0 || (json = queries_json(&e)) == NULL) continue;
    if (count++) fputc(',', out);
    queries_write(out, &e, json, host, micros);
    free(json);
  }
  return count;
}

int driver_slow_queries(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  struct json_token first = { "", 0, JSON_TYPE_INVALID };
  char *text, host[256];
  size_t n = 0;
  driver_text t;
  if (q->parameters) json_scanf_array_elem(q->parameters, (int)strlen(q->parameters), ".hosts", 0, &first);
  snprintf(host, sizeof host, "%.*s", first.len, first.ptr);
  text = driver_log_read(d, q->resource_id, &n);
  if (!text) return SVC_IO;
  if (driver_text_begin(&t) != 0) {
    free(text);
    return SVC_NOMEM;
  }
  fputc('[', t.file);
  queries_find(text, n, q, host, t.file);
  fputc(']', t.file);
  free(text);
  return driver_text_reply(&t, reply);
}

/* Statistics of all queries since PostgreSQL began to count. They are current: there are none for an earlier time.
** {at} is replaced by a number. */
static const char queries_stats[] =
  "with q as (select query, sum(calls)::bigint as calls, sum(total_exec_time) as ms, sum(rows)::bigint as rows, sum(shared_blks_read)::bigint * 8192 as bytes,"
  " replace(substring(query from '(?i)\\m(?:from|into|update)\\s+((?:\"[^\"]+\"|\\w+)(?:\\.(?:\"[^\"]+\"|\\w+))?)'), '\"', '') as at"
  " from " DRIVER_STATS ".pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname <> '" DRIVER_ADMIN "' group by query"
  " order by 3 desc limit 200)"
  " select coalesce(json_agg(json_build_object('namespace', case when q.at like '%.%' then q.at else coalesce((select n.nspname || '.' || c.relname"
  " from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relname = q.at and c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_'"
  " order by n.nspname = 'public' desc limit 1), 'postgres.$cmd') end, 'at', {at}, 'count', greatest(calls, 1), 'durationMicros', floor(ms * 1000)::bigint,"
  " 'docsReturned', rows, 'bytesRead', bytes, 'queryShape', left(query, 1000), 'queryShapeHash', upper(encode(sha256(convert_to(query, 'UTF8')), 'hex')),"
  " 'opType', case lower(substring(query from '^\\s*(\\w+)')) when 'select' then 'find' when 'insert' then 'insert' when 'update' then 'update'"
  " when 'delete' then 'delete' else 'command' end)), '[]') from q;\n";

int driver_query_stats(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  int64_t until = driver_long(q->parameters, "{until:%T}", q->now);
  const char *hole = strstr(queries_stats, "{at}");
  char *sql = NULL;
  int code;
  if (!d->statements) return SVC_NOT_FOUND;
  if (until < q->now - 60000) return svc_reply_add(reply, "[]", 2);
  if (asprintf(&sql, "%.*s%lld%s", (int)(hole - queries_stats), queries_stats, (long long)until, hole + 4) < 0) return SVC_NOMEM;
  code = driver_tell(d, q->resource_id, sql, reply);
  free(sql);
  return code;
}
