/*
** The SQL of the store on PostgreSQL, and how values are passed to it.
**
** The rule: every statement of a transaction is a row of postgres_sql, prepared once per connection, or sent as text if a pooler gives
** each transaction another connection. Keys and values are binary arguments, and never become part of a statement.
*/
#ifndef SVC_POSTGRES_STATEMENT_H
#define SVC_POSTGRES_STATEMENT_H

#include "store.h"

enum postgres_statement {
  POSTGRES_WRITE, POSTGRES_READ, POSTGRES_COMMIT, POSTGRES_ROLLBACK, POSTGRES_GET, POSTGRES_GET_ANY, POSTGRES_UP, POSTGRES_DOWN, POSTGRES_UP_ALL,
  POSTGRES_DOWN_ALL, POSTGRES_INSERT, POSTGRES_PUT, POSTGRES_REMOVE, POSTGRES_REMOVE_RANGE, POSTGRES_REMOVE_COUNTS, POSTGRES_COUNT_ANY, POSTGRES_ADD,
  POSTGRES_NUMBER, POSTGRES_NUMBERS_FROM, POSTGRES_SIZE, POSTGRES_PING, POSTGRES_STATEMENTS,
  POSTGRES_LOCAL = POSTGRES_STATEMENTS /* store->local: the settings of one transaction */
};

/* @ is replaced by the schema and a dot: see postgres_fill(). */
#define POSTGRES_RANGE "k >= $1 AND k < $2"
#define POSTGRES_ROWS "SELECT k, v, NULL::bigint FROM @svc_record WHERE " POSTGRES_RANGE
#define POSTGRES_BOTH POSTGRES_ROWS " UNION ALL SELECT k, NULL::bytea, n FROM (SELECT k, pg_catalog.sum(n)::bigint AS n FROM @svc_count WHERE " \
  POSTGRES_RANGE " GROUP BY k HAVING pg_catalog.sum(n) <> 0) AS c"
#define POSTGRES_UNNEST "SELECT * FROM ROWS FROM (pg_catalog.unnest($1::bytea[]), pg_catalog.unnest($2::bytea[]))"
#define POSTGRES_OID(name) "'@" name "'::pg_catalog.regclass"
#define POSTGRES_PART(order) " ORDER BY k " order " LIMIT $3::bigint OFFSET $4::bigint"

static const char *const postgres_sql[POSTGRES_STATEMENTS] = {
  [POSTGRES_WRITE] = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
  [POSTGRES_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  [POSTGRES_COMMIT] = "COMMIT",
  [POSTGRES_ROLLBACK] = "ROLLBACK",
  [POSTGRES_GET] = "SELECT v FROM @svc_record WHERE k = $1",
  [POSTGRES_GET_ANY] = "SELECT k, v FROM @svc_record WHERE k = ANY($1::bytea[])",
  [POSTGRES_UP] = POSTGRES_ROWS POSTGRES_PART("ASC"),
  [POSTGRES_DOWN] = POSTGRES_ROWS POSTGRES_PART("DESC"),
  [POSTGRES_UP_ALL] = POSTGRES_BOTH POSTGRES_PART("ASC"),
  [POSTGRES_DOWN_ALL] = POSTGRES_BOTH POSTGRES_PART("DESC"),
  [POSTGRES_INSERT] = "INSERT INTO @svc_record (k, v) " POSTGRES_UNNEST, /* half the cost of POSTGRES_PUT */
  [POSTGRES_PUT] = "INSERT INTO @svc_record (k, v) " POSTGRES_UNNEST " ON CONFLICT (k) DO UPDATE SET v = excluded.v",
  [POSTGRES_REMOVE] = "DELETE FROM @svc_record WHERE k = $1",
  [POSTGRES_REMOVE_RANGE] = "DELETE FROM @svc_record WHERE " POSTGRES_RANGE,
  [POSTGRES_REMOVE_COUNTS] = "DELETE FROM @svc_count WHERE " POSTGRES_RANGE,
  [POSTGRES_COUNT_ANY] = "SELECT k, n::bigint FROM @svc_count WHERE k = ANY($1::bytea[])", /* the port adds up: this costs less */
  [POSTGRES_ADD] = "INSERT INTO @svc_count AS c (k, part, n) SELECT a.k, $3::bigint, a.n "
                   "FROM ROWS FROM (pg_catalog.unnest($1::bytea[]), pg_catalog.unnest($2::bigint[])) AS a (k, n) ON CONFLICT (k, part) DO UPDATE SET n = c.n + excluded.n",
  [POSTGRES_NUMBER] = "SELECT pg_catalog.nextval(" POSTGRES_OID("svc_number") ")::bigint",
  [POSTGRES_NUMBERS_FROM] = "SELECT pg_catalog.setval(" POSTGRES_OID("svc_number") ", $1::bigint)",
  [POSTGRES_SIZE] = "SELECT (pg_catalog.pg_total_relation_size(" POSTGRES_OID("svc_record") ") + "
                    "pg_catalog.pg_total_relation_size(" POSTGRES_OID("svc_count") "))::bigint",
  [POSTGRES_PING] = "SELECT (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint",
};

/*
** The schema has a number, MAJOR.MINOR, in the comment of svc_record; without a comment the number is 1.0. The minor number rises with an
** addition that older versions can ignore: older and newer versions can use the same tables. The major number
** rises when older versions could not use the tables. The port never changes existing tables: an operator upgrades the minor number with the
** statements of postgres_tables, which must therefore work on existing tables, too.
*/
#define POSTGRES_MAJOR 1
#define POSTGRES_MINOR 0
#define POSTGRES_SCHEMA "svcapi schema "

/* Whether all tables exist, and the number of the schema. */
static const char postgres_there[] =
  "SELECT (pg_catalog.to_regclass('@svc_record') IS NOT NULL AND pg_catalog.to_regclass('@svc_count') IS NOT NULL AND "
  "pg_catalog.to_regclass('@svc_number') IS NOT NULL)::int::text, pg_catalog.obj_description(pg_catalog.to_regclass('@svc_record'), 'pg_class')";

static const char *const postgres_tables[] = {
  "CREATE TABLE IF NOT EXISTS @svc_record (k bytea PRIMARY KEY, v bytea NOT NULL)",
  "CREATE TABLE IF NOT EXISTS @svc_count (k bytea, part bigint, n bigint NOT NULL, PRIMARY KEY (k, part))",
  "CREATE SEQUENCE IF NOT EXISTS @svc_number MINVALUE 1 START WITH 64 INCREMENT BY 64", /* POSTGRES_NUMBERS */
  "COMMENT ON TABLE @svc_record IS '" POSTGRES_SCHEMA "1.0'",
};

/* Finds a table or sequence with an untrusted owner: neither the port's role, the owner of the schema or of the database, nor a superuser.
** The owner of a table can make it run functions as the port's role. */
static const char postgres_strangers[] =
  "SELECT c.relname::text, o.rolname::text FROM pg_catalog.pg_class AS c "
  "JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_catalog.pg_roles AS o ON o.oid = c.relowner "
  "WHERE c.oid IN (" POSTGRES_OID("svc_record") ", " POSTGRES_OID("svc_count") ", " POSTGRES_OID("svc_number") ") "
  "AND NOT (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR o.rolsuper OR c.relowner = n.nspowner OR c.relowner = "
  "(SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())) LIMIT 1";

/*
** Waits for locks are short: a writer that waits for another writer's row mostly has to start again when the row is free, and the server
** detects a deadlock only after a second. The server must accept the first POSTGRES_MUST settings. The others are optional. Those after
** client_min_messages exist only in PostgreSQL, and give plans that are right for any size of a table: by the index, planned once. A plan
** that reads a whole table would also cause needless conflicts of serializable transactions.
*/
typedef struct postgres_setting {
  const char *name, *value;
} postgres_setting;

static const postgres_setting postgres_settings[] = {
  { "search_path", "pg_catalog, pg_temp" }, { "lock_timeout", "50" }, { "idle_in_transaction_session_timeout", "120000" },
  { "client_min_messages", "error" }, { "plan_cache_mode", "force_generic_plan" }, { "enable_seqscan", "off" },
  { "enable_bitmapscan", "off" }, { "jit", "off" },
};
#define POSTGRES_MUST 3
#define POSTGRES_SETTINGS (sizeof postgres_settings / sizeof postgres_settings[0])

/* The isolation of every reader's transaction. */
static const char postgres_reading[] = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ";

/* Writes a statement with the schema and a dot in place of each @, also inside single quotes. Returns false if `out` is too small. */
static bool postgres_fill(const svc_store *store, const char *sql, char out[POSTGRES_SQL])
{
  bool quoted = false;
  size_t n = 0;
  for (; *sql && n + 1 < POSTGRES_SQL; sql++) {
    const char *p = store->schema;
    if (*sql == '\'') quoted = !quoted;
    if (*sql != '@') {
      out[n++] = *sql;
      continue;
    }
    for (; *p && n + 3 < POSTGRES_SQL; p++) {
      if (quoted && *p == '\'') out[n++] = *p;
      out[n++] = *p;
    }
    if (n + 1 < POSTGRES_SQL) out[n++] = '.';
  }
  out[n] = '\0';
  return !*sql;
}

/* Arguments of a statement: bytes unchanged, numbers as eight bytes. */
typedef struct postgres_args {
  int n;
  const char *values[4];
  int lengths[4];
  unsigned char numbers[4][8];
} postgres_args;

static void postgres_bytes(postgres_args *a, svc_str s)
{
  a->values[a->n] = SVC_ALWAYS(s.p != NULL) ? s.p : ""; /* NULL would have another meaning */
  a->lengths[a->n++] = (int)s.n;
}

static void postgres_integer(postgres_args *a, int64_t value)
{
  int i;
  for (i = 0; i < 8; i++) a->numbers[a->n][i] = (unsigned char)((uint64_t)value >> (56 - 8 * i));
  a->values[a->n] = (const char *)a->numbers[a->n];
  a->lengths[a->n++] = 8;
}

static int64_t postgres_integer_at(const PGresult *r, int row, int column)
{
  const unsigned char *p = (const unsigned char *)PQgetvalue(r, row, column);
  uint64_t value = 0;
  int i;
  if (SVC_NEVER(PQgetlength(r, row, column) != 8)) return 0; /* all statements cast to bigint */
  for (i = 0; i < 8; i++) value = value << 8 | p[i];
  return (int64_t)value;
}

#define POSTGRES_ARRAY_HEAD 20
enum postgres_type { POSTGRES_BYTEA = 17, POSTGRES_BIGINT = 20 }; /* their type OIDs */

static void postgres_four(char *p, size_t x)
{
  int i;
  for (i = 0; i < 4; i++) p[i] = (char)(x >> (24 - 8 * i));
}

/* Appends an element. The caller has made room. */
static void postgres_array_put(postgres_array *a, svc_str s)
{
  if (!a->count++) a->n = POSTGRES_ARRAY_HEAD;
  postgres_four(a->p + a->n, s.n);
  if (s.n) memcpy(a->p + a->n + 4, s.p, s.n);
  a->n += 4 + s.n;
}

/* Writes the head of an array, and makes the array an argument. The head: one dimension, no NULL, the type, the
** number of elements, lowest index 1. */
static void postgres_array_arg(postgres_args *args, postgres_array *a, enum postgres_type type)
{
  size_t head[5] = { 1, 0, type, a->count, 1 };
  int i;
  for (i = 0; i < 5; i++) postgres_four(a->p + 4 * i, head[i]);
  postgres_bytes(args, (svc_str){ a->p, a->n });
}

static bool postgres_array_room(postgres_array *a, size_t more)
{
  size_t need = (a->count ? a->n : POSTGRES_ARRAY_HEAD) + 4 + more, room = a->room ? a->room : 1024;
  char *p;
  if (need <= a->room) return true;
  while (room < need) room *= 2;
  p = realloc(a->p, room); /* from malloc, like libpq's own send buffer */
  if (!p) return false;
  a->p = p;
  a->room = room;
  return true;
}

#endif /* SVC_POSTGRES_STATEMENT_H */
