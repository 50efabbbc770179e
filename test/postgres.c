/*
** The store on PostgreSQL for tests. SVC_TEST_POSTGRES names the socket folder of a server that runs only for the tests (build.sh
** starts it). SVC_TEST_POOLER names the socket folder of a PgBouncer in front of the server, if there is one. Each store is a schema. A
** private store is dropped when it is closed. A store in a folder keeps the name of its schema in a file there, so removing the folder
** removes the store.
*/
#include "support.h"
#include "postgres.h"

#ifndef SVC_WITH_POSTGRES

const svc_store_port *t_postgres_port(void)
{
  return NULL;
}

const svc_store_port *t_postgres_bare(void)
{
  return NULL;
}

void t_postgres_do(const char *folder, const char *sql)
{
  (void)folder, (void)sql;
}

void t_postgres_ask(const char *folder, const char *sql, char *out, size_t size)
{
  (void)folder, (void)sql, (void)out, (void)size;
}

void t_postgres_standby(bool on)
{
  (void)on;
}

int t_postgres_backup(svc *s, const char *folder)
{
  (void)s, (void)folder;
  return SVC_INVALID;
}

t_postgres_trips t_postgres_counted(void)
{
  return (t_postgres_trips){ 0, 0 };
}

#else

#include "faults.h"
#include "ports/postgres.h"

#include <libpq-fe.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OPEN_STORES 64

/* The linker makes the port call these (rules.mk). A reader requests results with the flush call, a writer with the sync call,
   and each waits for the results. A reader also ends its transaction with a sync call, for which no one waits. */
static atomic_ulong postgres_flushes, postgres_syncs, postgres_others;

/* WRAP(counter, type, return value of a failure, name, parameters, arguments) */
#define WRAP(counter, type, failed, name, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters; \
  type __wrap_##name parameters \
  { \
    atomic_fetch_add(&counter, 1); \
    return t_fault_hit(T_CALL_SERVER) ? failed : __real_##name arguments; \
  }

WRAP(postgres_flushes, int, 0, PQsendFlushRequest, (PGconn *conn), (conn))
WRAP(postgres_syncs, int, 0, PQpipelineSync, (PGconn *conn), (conn))
static atomic_bool postgres_standby;

void t_postgres_standby(bool on)
{
  atomic_store(&postgres_standby, on);
}

PGconn *__real_PQconnectdbParams(const char *const *names, const char *const *values, int expand);
PGconn *__wrap_PQconnectdbParams(const char *const *names, const char *const *values, int expand);
PGconn *__wrap_PQconnectdbParams(const char *const *names, const char *const *values, int expand)
{
  const char *more_names[32] = { NULL }, *more_values[32] = { NULL };
  size_t n;
  atomic_fetch_add(&postgres_others, 1);
  if (t_fault_hit(T_CALL_SERVER)) return NULL;
  for (n = 0; names[n] && n < 30; n++) more_names[n] = names[n], more_values[n] = values[n];
  if (atomic_load(&postgres_standby)) more_names[n] = "options", more_values[n] = "-c default_transaction_read_only=on";
  return __real_PQconnectdbParams(more_names, more_values, expand);
}
WRAP(postgres_others, int, 0, PQsendQuery, (PGconn *conn, const char *sql), (conn, sql))
WRAP(postgres_others, int, -1, PQflush, (PGconn *conn), (conn))
WRAP(postgres_others, int, -1, PQsetnonblocking, (PGconn *conn, int on), (conn, on))
WRAP(postgres_others, PGresult *, NULL, PQgetResult, (PGconn *conn), (conn))
WRAP(postgres_others, int, 0, PQenterPipelineMode, (PGconn *conn), (conn))
WRAP(postgres_others, int, 0, PQconsumeInput, (PGconn *conn), (conn))
WRAP(postgres_others, int, -1, PQsocket, (const PGconn *conn), (conn))
WRAP(postgres_others, int, 0, PQsendPrepare, (PGconn *conn, const char *name, const char *sql, int n, const Oid *types), (conn, name, sql, n, types))
WRAP(postgres_others, int, 0, PQsendQueryPrepared,
     (PGconn *conn, const char *name, int n, const char *const *values, const int *lengths, const int *formats, int format),
     (conn, name, n, values, lengths, formats, format))
WRAP(postgres_others, int, 0, PQsendQueryParams,
     (PGconn *conn, const char *sql, int n, const Oid *types, const char *const *values, const int *lengths, const int *formats, int format),
     (conn, sql, n, types, values, lengths, formats, format))

t_postgres_trips t_postgres_counted(void)
{
  return (t_postgres_trips){ atomic_load(&postgres_flushes), atomic_load(&postgres_syncs) };
}

static struct {
  svc_store *store;
  char schema[64];
} private_stores[OPEN_STORES];

/* out: receives the first value of the last result; may be NULL. */
static void postgres_sql_out(const char *sql, char *out, size_t size)
{
  char uri[512];
  PGconn *conn;
  PGresult *r;
  t_fault_spare(true);
  snprintf(uri, sizeof uri, "host='%s' user=svc dbname=postgres options='-cclient_min_messages=error'", getenv("SVC_TEST_POSTGRES"));
  conn = PQconnectdb(uri);
  r = PQexec(conn, sql);
  if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK) munit_errorf("%s: %s", sql, PQerrorMessage(conn));
  if (out) snprintf(out, size, "%s", PQntuples(r) ? PQgetvalue(r, 0, 0) : "");
  PQclear(r);
  PQfinish(conn);
  t_fault_spare(false);
}

static void postgres_sql(const char *sql)
{
  postgres_sql_out(sql, NULL, 0);
}

static void postgres_new_schema(char schema[64])
{
  char sql[128];
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  snprintf(schema, 64, "t%ld_%ld_%ld", (long)getpid(), (long)t.tv_sec, t.tv_nsec);
  snprintf(sql, sizeof sql, "CREATE SCHEMA %s", schema);
  postgres_sql(sql);
}

static void postgres_uri(char uri[512], const char *schema)
{
  const char *pooler = getenv("SVC_TEST_POOLER"), *p = pooler ? pooler : getenv("SVC_TEST_POSTGRES");
  int n = snprintf(uri, 512, pooler ? "postgresql:///postgres?user=svc&application_name=%s&schema=%s&host=" :
                   "postgresql:///postgres?user=svc&application_name=%s&options=-csearch_path%%3D%s&host=", schema, schema);
  for (; *p && n < 480; p++) n += snprintf(uri + n, 512 - (size_t)n, *p == '/' ? "%%2F" : "%c", *p);
  if (getenv("SVC_TEST_POSTGRES_TIMEOUT")) snprintf(uri + n, 512 - (size_t)n, "&timeout=%s", getenv("SVC_TEST_POSTGRES_TIMEOUT"));
}

/* Reads the schema of a folder, or creates one. Returns false if it cannot be created, or if `fresh` is set and the folder has
   one already. */
static bool postgres_of_folder(const char *path, char schema[64], bool fresh)
{
  char name[600];
  FILE *f;
  bool good;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  snprintf(name, sizeof name, "%s/postgres", path);
  f = fopen(name, "r");
  if (f) {
    good = !fresh && fscanf(f, "%63s", schema) == 1;
    fclose(f);
    return good;
  }
  f = fopen(name, "w");
  if (!f) return false;
  postgres_new_schema(schema);
  fprintf(f, "%s\n", schema);
  return fclose(f) == 0;
}

void t_postgres_do(const char *folder, const char *sql)
{
  char schema[64], all[2048];
  munit_assert_true(postgres_of_folder(folder, schema, false));
  snprintf(all, sizeof all, "SET search_path = %s; SET application_name = 'test'; %s", schema, sql);
  postgres_sql(all);
}

void t_postgres_ask(const char *folder, const char *sql, char *out, size_t size)
{
  char schema[64], all[2048];
  munit_assert_true(postgres_of_folder(folder, schema, false));
  snprintf(all, sizeof all, "SET search_path = %s; SET application_name = 'test'; %s", schema, sql);
  postgres_sql_out(all, out, size);
}

static int postgres_test_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  svc_config other = *config;
  char schema[64], uri[512];
  int rc;
  size_t i;
  *out = NULL;
  if (!config->path) {
    postgres_new_schema(schema);
  } else if (!postgres_of_folder(config->path, schema, false)) {
    snprintf(why, why_size, "cannot create the folder %s", config->path);
    return SVC_IO;
  }
  postgres_uri(uri, schema);
  other.path = uri;
  rc = svc_postgres_port()->open(out, &other, why, why_size);
  for (i = 0; rc == SVC_OK && !config->path && i < OPEN_STORES; i++) {
    if (private_stores[i].store) continue;
    private_stores[i].store = *out;
    strcpy(private_stores[i].schema, schema);
    break;
  }
  return rc;
}

static void postgres_test_close(svc_store *store)
{
  char sql[128];
  size_t i;
  svc_postgres_port()->close(store);
  for (i = 0; i < OPEN_STORES; i++) {
    if (!store || private_stores[i].store != store) continue;
    snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", private_stores[i].schema);
    postgres_sql(sql);
    private_stores[i].store = NULL;
  }
}

/* Copies into the schema of another folder. A path with @ copies into the folder itself, as an LMDB store. */
static int postgres_test_copy(svc_store *store, const char *path)
{
  char schema[64], uri[512];
  if (path[0] == '@') return svc_postgres_port()->copy(store, path + 1);
  if (!postgres_of_folder(path, schema, true)) return SVC_EXISTS;
  postgres_uri(uri, schema);
  return svc_postgres_port()->copy(store, uri);
}

int t_postgres_backup(svc *s, const char *folder)
{
  char path[256];
  snprintf(path, sizeof path, "@%s", folder);
  return svc_backup(s, path);
}

static int postgres_test_read(svc_store *store, svc_txn **out)
{
  int rc = svc_postgres_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_postgres_port();
  return rc;
}

static int postgres_test_write(svc_store *store, svc_txn **out)
{
  int rc = svc_postgres_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_postgres_port();
  return rc;
}

static int postgres_test_draft(svc_store *store, svc_txn **out)
{
  int rc = svc_postgres_port()->draft_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_postgres_port();
  return rc;
}

const svc_store_port *t_postgres_bare(void)
{
  return svc_postgres_port();
}

const svc_store_port *t_postgres_port(void)
{
  static svc_store_port port;
  if (!getenv("SVC_TEST_POSTGRES")) return NULL;
  if (port.open) return &port;
  port = *svc_postgres_port();
  port.close = postgres_test_close;
  port.copy = postgres_test_copy;
  port.read_begin = postgres_test_read;
  port.write_begin = postgres_test_write;
  port.draft_begin = postgres_test_draft;
  port.open = postgres_test_open;
  return &port;
}

#endif
