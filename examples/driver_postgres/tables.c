/*
** Tables and indexes of a server, and their use, from PostgreSQL's catalogs and statistics views.
**
** A database of the API is a schema, and a collection is a table. PostgreSQL itself builds the answers, as JSON.
**
** The rule: the rows of each script and the bytes of its output are bounded.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLES_MOST (1 << 20) /* bytes of an answer */
#define TABLES_OURS "n.nspname !~ '^pg_' and n.nspname not in ('information_schema', '" DRIVER_STATS "')"

/* The script has the limits: 500 tables, and 64 indexes of each. `since` is the time when PostgreSQL began to count. */
static const char tables_collections[] =
  "with t as (select c.oid, n.nspname || '.' || c.relname as name, pg_table_size(c.oid) / greatest(c.reltuples, 1) as average, c.reltuples"
  " from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and " TABLES_OURS " order by c.relpages desc limit 500),"
  " began as (select floor(extract(epoch from coalesce(stats_reset, (pg_stat_file('PG_VERSION')).modification)) * 1000)::bigint as at"
  " from pg_stat_database where datname = current_database()),"
  " i as (select x.indrelid, json_build_object('name', c.relname, 'accesses', coalesce(s.idx_scan, 0), 'since', (select at from began),"
  " 'sizeBytes', pg_relation_size(x.indexrelid), 'hidden', not x.indisvalid, 'keys', (select json_agg(json_build_object("
  "coalesce((select attname from pg_attribute where attrelid = x.indrelid and attnum = x.indkey[k]), pg_get_indexdef(x.indexrelid, k + 1, true)),"
  " case when x.indoption[k] & 1 = 1 then -1 else 1 end) order by k) from generate_series(0, x.indnkeyatts - 1) k),"
  " 'options', case when x.indpred is not null then json_build_object('partialFilterExpression', json_build_object('where',"
  " pg_get_expr(x.indpred, x.indrelid))) when x.indisunique then json_build_object('unique', true) else json_build_object() end) as shown,"
  " row_number() over (partition by x.indrelid order by x.indexrelid) as number"
  " from pg_index x join pg_class c on c.oid = x.indexrelid left join pg_stat_user_indexes s on s.indexrelid = x.indexrelid)"
  " select coalesce(json_agg(json_build_object('namespace', t.name, 'averageBytes', case when t.reltuples > 0 then floor(t.average)::bigint else 0 end,"
  " 'indexes', (select coalesce(json_agg(i.shown), '[]') from i where i.indrelid = t.oid and i.number <= 64)) order by t.name), '[]') from t;\n";

static const struct {
  const char *list, *sql;
} tables_lists[] = {
  { "databases", "select coalesce(json_agg(n.nspname), '[]') from (select nspname from pg_namespace n where " TABLES_OURS " order by 1 limit 1000) n;\n" },
  { "disks", "select '[\"data\"]';\n" },
  { "namespaces", "select coalesce(json_agg(n.name), '[]') from (select schemaname || '.' || relname as name from pg_stat_user_tables"
                  " where schemaname <> '" DRIVER_STATS "' order by seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del desc, 1"
                  " limit 20) n;\n" },
};

/* Answers with the output of a script, which is JSON. */
int driver_tell(driver_postgres *d, const char *id, const char *sql, svc_reply *reply)
{
  char *said = malloc(TABLES_MOST);
  size_t n;
  int code = SVC_NOMEM;
  if (said)
    code = driver_sql(d, DRIVER_QUESTION, id, sql, said, TABLES_MOST) == 0 ? SVC_OK : SVC_IO;
  if (code == SVC_OK) {
    n = strlen(said);
    while (n && said[n - 1] == '\n') n--;
    code = n + 2 < TABLES_MOST ? svc_reply_add(reply, said, n) : SVC_IO; /* output that was cut off is not valid JSON */
  }
  free(said);
  return code;
}

int driver_collections(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  return driver_tell(d, q->resource_id, tables_collections, reply);
}

int driver_names(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char *list = NULL;
  int code = SVC_NOT_FOUND;
  size_t i;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{list:%Q}", &list);
  for (i = 0; list && i < sizeof tables_lists / sizeof tables_lists[0]; i++)
    if (strcmp(tables_lists[i].list, list) == 0) code = driver_tell(d, q->resource_id, tables_lists[i].sql, reply);
  free(list);
  return code;
}

/* ----------------------------------------------------------------------------------------------------------------- places */

/* Current figures of a schema; no output if the schema is missing. */
static const char tables_schema[] =
  "select json_build_object('DATABASE_COLLECTION_COUNT', count(*) filter (where c.relkind in ('r', 'p')),"
  " 'DATABASE_VIEW_COUNT', count(*) filter (where c.relkind in ('v', 'm')), 'DATABASE_INDEX_COUNT', count(*) filter (where c.relkind in ('i', 'I')),"
  " 'DATABASE_OBJECT_COUNT', coalesce(sum(greatest(c.reltuples, 0)) filter (where c.relkind = 'r'), 0)::bigint,"
  " 'DATABASE_DATA_SIZE', coalesce(sum(pg_relation_size(c.oid)) filter (where c.relkind = 'r'), 0)::bigint,"
  " 'DATABASE_STORAGE_SIZE', coalesce(sum(pg_total_relation_size(c.oid)) filter (where c.relkind = 'r'), 0)::bigint,"
  " 'DATABASE_INDEX_SIZE', coalesce(sum(pg_relation_size(c.oid)) filter (where c.relkind = 'i'), 0)::bigint,"
  " 'DATABASE_AVERAGE_OBJECT_SIZE', coalesce(sum(pg_relation_size(c.oid)) filter (where c.relkind = 'r')"
  " / greatest(sum(c.reltuples) filter (where c.relkind = 'r'), 1), 0)::bigint)"
  " from pg_namespace n left join pg_class c on c.relnamespace = n.oid where n.nspname = {'name'} group by n.oid;\n";
static const char tables_table[] =
  "select '{}' from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname || '.' || c.relname = {'name'} and c.relkind in ('r', 'p');\n";

/* Writes the series: the current figure in the last step, if that has just ended, else null, because schemas are not sampled. */
static void tables_series(const svc_question *q, const int64_t span[3], const char *figures, FILE *out)
{
  int n = (int)strlen(q->parameters), i;
  struct json_token one, value;
  char *name, format[128];
  int64_t at, now = q->now / 1000;
  for (i = 0; json_scanf_array_elem(q->parameters, n, ".metrics", i, &one) > 0; i++) {
    name = NULL;
    value = (struct json_token){ NULL, 0, JSON_TYPE_INVALID };
    json_scanf(one.ptr, one.len, "{name:%Q}", &name);
    if (!name) continue;
    snprintf(format, sizeof format, "{%.100s:%%T}", name);
    json_scanf(figures, (int)strlen(figures), format, &value);
    fprintf(out, "%s\"%s\":[", i ? "," : "", name);
    for (at = span[0]; at <= span[1]; at += span[2]) {
      if (at > span[0]) fputc(',', out);
      if (value.type == JSON_TYPE_NUMBER && at > now - span[2]) fprintf(out, "%.*s", value.len, value.ptr);
      else fputs("null", out);
    }
    fputc(']', out);
    free(name);
  }
}

/* Answers a question for series of a schema or a table. A table only has gaps. */
int driver_place_series(driver_postgres *d, const svc_question *q, const int64_t span[3], svc_reply *reply)
{
  static const char missing[] = "{\"missing\":true}";
  int n = (int)strlen(q->parameters), control = 0, status = -1;
  char *schema = driver_string(q->parameters, n, "{database:%T}", &control), *table = driver_string(q->parameters, n, "{collection:%T}", &control);
  char name[512], said[2048];
  driver_text t;
  snprintf(name, sizeof name, "%s%s%s", schema ? schema : "", table ? "." : "", table ? table : "");
  if (!control)
    status = driver_sql_about(d, DRIVER_QUESTION, q->resource_id, table ? tables_table
                              : tables_schema, name, said, sizeof said);
  free(schema);
  free(table);
  if (control || (status == 0 && said[0] != '{')) return svc_reply_add(reply, missing, sizeof missing - 1);
  if (status != 0) return SVC_IO;
  if (driver_text_begin(&t) != 0) return SVC_NOMEM;
  fputs("{\"series\":{", t.file);
  tables_series(q, span, said, t.file);
  fputs("}}", t.file);
  return driver_text_reply(&t, reply);
}
