/*
** Connections, and opening and closing a store.
**
** The rule: the next transaction that needs a lost connection reconnects. After an attempt that failed and took POSTGRES_OUTAGE or longer,
** no thread tries for POSTGRES_OUTAGE.
*/
#ifndef SVC_POSTGRES_CONNECTION_H
#define SVC_POSTGRES_CONNECTION_H

#include "seen.h"

static void postgres_silent(void *context, const PGresult *r)
{
  (void)context, (void)r;
}

/* Runs a statement outside of the pipeline and returns its last result. NULL: sending failed, or no result in time. Through a pooler the
** port's settings are sent with it, as one transaction. */
static PGresult *postgres_exec(postgres_txn *t, const char *sql)
{
  const int64_t until = postgres_clock() + t->store->timeout;
  char text[POSTGRES_SQL], all[2 * POSTGRES_SQL + 2];
  PGresult *r = NULL, *next;
  bool good = postgres_fill(t->store, sql, text);
  snprintf(all, sizeof all, "%s%s%s", t->store->local, t->store->local[0] ? "; " : "", text);
  good = good && PQsendQuery(t->conn, all);
  while (good && (good = postgres_await(t->conn, until)) && (next = PQgetResult(t->conn)) != NULL) {
    PQclear(r);
    r = next;
  }
  if (good) return r;
  PQclear(r);
  return NULL;
}

static bool postgres_do(postgres_txn *t, const char *sql)
{
  PGresult *r = postgres_exec(t, sql);
  bool good = PQresultStatus(r) == PGRES_COMMAND_OK;
  PQclear(r);
  return good;
}

/*
** Finds the schema in the URI, or the first existing one of the connection's own search_path. Also detects a pooler, which may give each
** transaction another connection of the server. A pooler does not pass on the process id of the server, so the id from the connection's
** start differs from the one that the server reports now. A wrong guess only costs time: the statements for a pooler work without one, too.
*/
static bool postgres_find_schema(postgres_txn *t)
{
  svc_store *store = t->store;
  PGresult *r = postgres_exec(t, "SELECT pg_catalog.quote_ident(pg_catalog.current_schema()::text), pg_catalog.pg_backend_pid()::text");
  char *named = store->named[0] ? PQescapeIdentifier(t->conn, store->named, strlen(store->named)) : NULL;
  bool good = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1 && (named || (!store->named[0] && !PQgetisnull(r, 0, 0)));
  const char *schema = named ? named : good ? PQgetvalue(r, 0, 0) : "";
  good = good && schema[0] && strlen(schema) < sizeof store->schema;
  if (good) strcpy(store->schema, schema);
  if (good && store->pooler == POSTGRES_DETECT)
    store->pooler = atoi(PQgetvalue(r, 0, 1)) == PQbackendPID(t->conn) ? POSTGRES_SESSION : POSTGRES_TRANSACTION;
  PQfreemem(named);
  PQclear(r);
  return good;
}

/* Sets a setting of the port for the session. Through a pooler, only tries it for one transaction, and appends it to `local`. Returns false
** if the server does not know it, or if `local` is full. */
static bool postgres_set(postgres_txn *t, const char *name, const char *value)
{
  const bool pooled = t->store->pooler == POSTGRES_TRANSACTION;
  char sql[160], *local = t->store->local;
  size_t n = strlen(local);
  PGresult *r;
  bool good;
  snprintf(sql, sizeof sql, "SELECT pg_catalog.set_config('%s', '%s', %s)", name, value, pooled ? "true" : "false");
  r = postgres_exec(t, sql);
  good = PQresultStatus(r) == PGRES_TUPLES_OK;
  PQclear(r);
  if (!good || !pooled) return good;
  if (n) snprintf(local + n, sizeof t->store->local - n, ",%s", sql + sizeof "SELECT" - 1);
  else snprintf(local, sizeof t->store->local, "%s", sql);
  return strlen(local) + 1 < sizeof t->store->local;
}

/* Applies the port's settings. Through a pooler, only builds `local` once: a session keeps no settings, because
** another client may get it. */
static bool postgres_settle(postgres_txn *t)
{
  svc_store *store = t->store;
  char patience[16];
  size_t i;
  snprintf(patience, sizeof patience, "%d", store->timeout / 10 * 9);
  if (store->pooler == POSTGRES_TRANSACTION && store->local[0]) return true;
  if (!postgres_set(t, "statement_timeout", patience)) return store->local[0] = '\0', false;
  for (i = 0; i < POSTGRES_SETTINGS; i++)
    if (!postgres_set(t, postgres_settings[i].name, postgres_settings[i].value) && i < POSTGRES_MUST) return store->local[0] = '\0', false;
  if (store->relaxed) postgres_set(t, "synchronous_commit", "off");
  return true;
}

/* Connects. Returns false if there is no usable connection; t->conn, if any, has the reason. The defaults come before the URI, which
** overrides them. A hot standby is refused: it would serve old states, such as a token that was revoked meanwhile. libpq's messages never
** contain a password. */
static bool postgres_new(postgres_txn *t)
{
  const svc_store *store = t->store;
  const char *const names[] = { "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
                                "application_name", "target_session_attrs", "dbname", NULL };
  char seconds[16], silence[16];
  const char *const values[] = { seconds, silence, "5", "5", "3", "svcapi", "read-write", store->uri, NULL };
  PGconn *conn;
  snprintf(seconds, sizeof seconds, "%d", (store->timeout + 999) / 1000);
  snprintf(silence, sizeof silence, "%d", store->timeout);
  conn = t->conn = PQconnectdbParams(names, values, 1);
  if (!conn || PQstatus(conn) != CONNECTION_OK) return false;
  if (PQsetnonblocking(conn, 1) != 0) return false;
  PQsetNoticeReceiver(conn, postgres_silent, NULL);
  if (!store->schema[0] && !postgres_find_schema(t)) return false;
  if (!postgres_settle(t)) return false;
  atomic_fetch_add(&t->store->connects, 1);
  return true;
}

/* Prepares every statement in one round trip, and enters pipeline mode. Through a pooler statements are sent as text instead. */
static bool postgres_prepare(postgres_txn *t)
{
  char name[8], sql[POSTGRES_SQL];
  unsigned i;
  t->failed = SVC_OK;
  t->waiting = t->syncs = 0;
  if (!PQenterPipelineMode(t->conn)) return false;
  if (t->store->pooler == POSTGRES_TRANSACTION) return true;
  for (i = 0; i < POSTGRES_STATEMENTS; i++, t->waiting++) {
    snprintf(name, sizeof name, "s%u", i);
    if (!postgres_fill(t->store, postgres_sql[i], sql) || !PQsendPrepare(t->conn, name, sql, 0, NULL)) return false;
  }
  return postgres_sync(t) == SVC_OK && postgres_drain(t, 0) == SVC_OK;
}

/* Allocates `seen` and `edge` with the first connection, by malloc like libpq's own memory; they are kept. */
static bool postgres_equip(postgres_txn *t)
{
  if (!t->seen) t->seen = malloc(POSTGRES_SEEN * sizeof *t->seen);
  if (t->seen && !t->seen_room) t->seen_room = POSTGRES_SEEN;
  if (!t->ahead.edge) t->ahead.edge = malloc(POSTGRES_EDGE);
  return t->seen && t->ahead.edge;
}

/* Whether a slow attempt failed a moment ago. Then no thread tries, because all would wait for an unreachable host one after the other. */
static bool postgres_is_down(svc_store *store)
{
  bool down;
  pthread_mutex_lock(&store->lock);
  down = postgres_clock() < store->down;
  pthread_mutex_unlock(&store->lock);
  return down;
}

static int postgres_connect(postgres_txn *t)
{
  svc_store *store = t->store;
  int64_t begun = postgres_clock();
  if (!postgres_equip(t)) return SVC_NOMEM;
  if (postgres_is_down(store)) return SVC_IO;
  if (postgres_new(t) && (t == &store->writer || store->pooler == POSTGRES_TRANSACTION || postgres_do(t, postgres_reading)) && postgres_prepare(t))
    return SVC_OK;
  if (t->conn) postgres_note_conn(store, SVC_IO, t->conn); /* otherwise the error is already noted, or out of memory */
  postgres_lose(t);
  if (postgres_clock() - begun < POSTGRES_OUTAGE) return SVC_IO; /* a quick refusal: the next attempt costs little */
  pthread_mutex_lock(&store->lock);
  store->down = postgres_clock() + POSTGRES_OUTAGE;
  pthread_mutex_unlock(&store->lock);
  return SVC_IO;
}

/* Whether an idle connection is usable. No query is pending, so there is something to read only if the server has closed the connection:
** its message, and then the end. */
static bool postgres_alive(PGconn *conn)
{
  struct pollfd p = { .fd = PQsocket(conn), .events = POLLIN };
  int i;
  for (i = 0; i < 4; i++) {
    if (p.fd < 0 || PQstatus(conn) != CONNECTION_OK) return false;
    if (poll(&p, 1, 0) == 0) return PQtransactionStatus(conn) == PQTRANS_IDLE;
    if (!PQconsumeInput(conn)) return false;
  }
  return false;
}

/* Whether only the confirmation of the previous transaction's end is still on its way. Then the next one need not wait: the confirmation
** is skipped when it arrives. A pooler must see it first, because it gives the next transaction another connection. */
static bool postgres_follows(const postgres_txn *t)
{
  struct pollfd p = { .events = POLLIN };
  if (!t->conn || t->waiting || !t->syncs || t->store->pooler == POSTGRES_TRANSACTION) return false;
  p.fd = PQsocket(t->conn);
  return p.fd >= 0 && poll(&p, 1, 0) == 0;
}

/* Detects a connection whose server went away while it was idle, and reconnects. */
static int postgres_ready(postgres_txn *t)
{
  if (!postgres_follows(t)) postgres_drain_all(t); /* the end of the previous transaction */
  if (t->conn && !t->syncs && !postgres_alive(t->conn)) postgres_lose(t);
  return t->conn ? SVC_OK : postgres_connect(t);
}

/* ----------------------------------------------------------------------------------------------------------- open, close */

static void postgres_close(svc_store *store)
{
  svc_allocator allocator;
  int i;
  if (!store) return;
  allocator = store->allocator;
  free(store->writes.keys.p);
  free(store->writes.values.p);
  postgres_lose(&store->writer);
  free(store->writer.seen);
  free(store->writer.ahead.edge);
  for (i = 0; store->readers && i < store->reader_count; i++) {
    postgres_lose(&store->readers[i]);
    free(store->readers[i].seen);
    free(store->readers[i].ahead.edge);
  }
  allocator.resize(allocator.context, store->readers, 0);
  pthread_cond_destroy(&store->free);
  pthread_mutex_destroy(&store->lock);
  allocator.resize(allocator.context, store->uri, 0);
  allocator.resize(allocator.context, store, 0);
}

static void *postgres_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

static uint64_t postgres_chance(svc_store *store)
{
  store->chance ^= store->chance << 13;
  store->chance ^= store->chance >> 7;
  store->chance ^= store->chance << 17;
  return store->chance;
}

/* A number within bounds. */
static bool postgres_option_number(const char *text, size_t n, long least, long most, int *out)
{
  char *end;
  long value = strtol(text, &end, 10);
  *out = (int)value;
  return n > 0 && n < 9 && end == text + n && value >= least && value <= most;
}

static bool postgres_option_timeout(svc_store *store, const char *text, size_t n)
{
  return postgres_option_number(text, n, POSTGRES_LEAST, POSTGRES_MOST, &store->timeout);
}

static bool postgres_option_readers(svc_store *store, const char *text, size_t n)
{
  return postgres_option_number(text, n, 1, POSTGRES_MOST_READERS, &store->reader_count);
}

static bool postgres_option_pooler(svc_store *store, const char *text, size_t n)
{
  static const char *const words[] = { [POSTGRES_DETECT] = "auto", [POSTGRES_SESSION] = "session", [POSTGRES_TRANSACTION] = "transaction" };
  for (store->pooler = POSTGRES_DETECT; store->pooler <= POSTGRES_TRANSACTION; store->pooler++)
    if (strlen(words[store->pooler]) == n && memcmp(words[store->pooler], text, n) == 0) return true;
  return false;
}

static bool postgres_option_schema(svc_store *store, const char *text, size_t n)
{
  if (n == 0 || n >= sizeof store->named || strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") < n) return false;
  memcpy(store->named, text, n);
  store->named[n] = '\0';
  return true;
}

static const struct postgres_option {
  const char *name, *wrong;
  bool (*take)(svc_store *store, const char *text, size_t n);
} postgres_our_options[] = {
  { "timeout=", "timeout is a number of milliseconds, from 100 to 600000", postgres_option_timeout },
  { "readers=", "readers is a number of connections, from 1 to 256", postgres_option_readers },
  { "pooler=", "pooler is auto, session or transaction", postgres_option_pooler },
  { "schema=", "schema is the name of a schema: letters, digits, _ and -, up to 63", postgres_option_schema },
};
#define POSTGRES_OPTIONS (sizeof postgres_our_options / sizeof postgres_our_options[0])

/* Reads the options of this port, and removes them from the URI, because libpq does not know them. Returns an error text, or NULL. */
static const char *postgres_options(svc_store *store)
{
  char *p = strchr(store->uri, '?');
  while (p && (p[0] == '?' || p[0] == '&')) {
    const size_t n = strcspn(p + 1, "&");
    size_t i = 0, name;
    while (i < POSTGRES_OPTIONS && strncmp(p + 1, postgres_our_options[i].name, strlen(postgres_our_options[i].name)) != 0) i++;
    if (i == POSTGRES_OPTIONS) {
      p += 1 + n;
      continue;
    }
    name = strlen(postgres_our_options[i].name);
    if (!postgres_our_options[i].take(store, p + 1 + name, n - name)) return postgres_our_options[i].wrong;
    if (p[1 + n]) memmove(p + 1, p + 2 + n, strlen(p + 2 + n) + 1);
    else *p = '\0';
  }
  return NULL;
}

/* Creates the lock and the condition, whose waits use the monotonic clock. */
static bool postgres_locks(svc_store *store)
{
  pthread_condattr_t monotonic;
  bool good = false;
  if (pthread_condattr_init(&monotonic) != 0) return false;
  if (pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&store->free, &monotonic) == 0) {
    good = pthread_mutex_init(&store->lock, NULL) == 0;
    if (!good) pthread_cond_destroy(&store->free);
  }
  pthread_condattr_destroy(&monotonic);
  return good;
}

/* Allocates the readers, whose number is an option of the URI. */
static bool postgres_make_readers(svc_store *store)
{
  const size_t size = (size_t)store->reader_count * sizeof *store->readers;
  int i;
  store->readers = store->allocator.resize(store->allocator.context, NULL, size);
  if (!store->readers) return false;
  memset(store->readers, 0, size);
  for (i = 0; i < store->reader_count; i++) {
    store->readers[i].store = store;
    store->readers[i].kept = &store->readers[i].first;
  }
  return true;
}

static svc_store *postgres_store(const svc_config *config)
{
  static const svc_allocator usual = { postgres_resize, NULL };
  svc_allocator allocator = config->allocator.resize ? config->allocator : usual;
  svc_store *store = allocator.resize(allocator.context, NULL, sizeof *store);
  size_t length = strlen(config->path) + 1;
  if (!store) return NULL;
  memset(store, 0, sizeof *store);
  store->allocator = allocator;
  store->uri = allocator.resize(allocator.context, NULL, length);
  if (!store->uri || !postgres_locks(store)) goto fail;
  memcpy(store->uri, config->path, length);
  store->relaxed = config->durability != SVC_DURABLE;
  if (getentropy(&store->chance, sizeof store->chance) != 0) store->chance = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
  store->chance |= 1;
  store->part = (unsigned)(postgres_chance(store) >> 32) % POSTGRES_PARTS;
  store->writer.store = store;
  store->writer.kept = &store->writer.first;
  store->timeout = POSTGRES_TIMEOUT;
  store->reader_count = POSTGRES_READERS;
  return store;
fail:
  allocator.resize(allocator.context, store->uri, 0);
  allocator.resize(allocator.context, store, 0);
  return NULL;
}

/* Creates the tables. Other processes may create them at the same moment; CREATE IF NOT EXISTS can then fail, so it is retried. */
static bool postgres_make_tables(postgres_txn *t)
{
  size_t i;
  int tries;
  for (i = 0; i < sizeof postgres_tables / sizeof postgres_tables[0]; i++) {
    for (tries = 0; !postgres_do(t, postgres_tables[i]); tries++)
      if (tries == POSTGRES_TRIES) return false;
  }
  return true;
}

/* Whether this version can work on the schema. */
static bool postgres_fits(const char *schema, char *why, size_t why_size)
{
  int major = 1, minor = 0;
  if (schema && sscanf(schema, POSTGRES_SCHEMA "%d.%d", &major, &minor) < 2) major = 1, minor = 0; /* a comment of another origin */
  if (major == POSTGRES_MAJOR && minor >= POSTGRES_MINOR) return true;
  snprintf(why, why_size, "cannot open the store: its schema is %d.%d, and this version needs %d.%d or a later %d.x%s", major, minor, POSTGRES_MAJOR,
           POSTGRES_MINOR, POSTGRES_MAJOR, major == POSTGRES_MAJOR ? ": to upgrade it, run the SQL that svcd schema --print shows" : "");
  return false;
}

/* Checks that the tables exist, or creates them. With existing tables no CREATE permission is needed: svcd schema has created them. */
static bool postgres_have_tables(postgres_txn *t, char *why, size_t why_size)
{
  PGresult *r = postgres_exec(t, postgres_there);
  bool good = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1, there = good && PQgetvalue(r, 0, 0)[0] == '1';
  if (there) good = postgres_fits(PQgetisnull(r, 0, 1) ? NULL : PQgetvalue(r, 0, 1), why, why_size);
  PQclear(r);
  return good && (there || postgres_make_tables(t));
}

/* Whether the owner of the tables is trusted. False: `why` names the owner, or is empty if libpq has the reason. */
static bool postgres_own_tables(postgres_txn *t, char *why, size_t why_size)
{
  PGresult *r = postgres_exec(t, postgres_strangers);
  bool good = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 0;
  if (PQresultStatus(r) == PGRES_TUPLES_OK && !good)
    snprintf(why, why_size, "cannot open the store: %s.%s is owned by %s, who could run functions as this role: have it owned by the role "
             "that svcapi connects as, or by the owner of the schema", t->store->schema, PQgetvalue(r, 0, 0), PQgetvalue(r, 0, 1));
  PQclear(r);
  return good;
}

/* Writes the reason why the store cannot be opened, unless `why` has one. */
static void postgres_open_why(const postgres_txn *t, char *why, size_t why_size)
{
  const char *text = t->conn ? PQerrorMessage(t->conn) : t->store->why[0] ? t->store->why : "no memory";
  if (why[0]) return;
  if (t->conn && !text[0] && !t->store->schema[0]) text = "no schema of the search_path exists";
  else if (!text[0]) text = t->store->why[0] ? t->store->why : "no answer in time";
  snprintf(why, why_size, "cannot open the store: %s", text);
  why[strcspn(why, "\n")] = 0;
}

static int postgres_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  svc_store *store;
  const char *wrong;
  int rc = SVC_IO;
  *out = NULL;
  if (why_size) why[0] = '\0';
  if (!config->path) {
    snprintf(why, why_size, "a store on PostgreSQL needs the URI of its database");
    return SVC_INVALID;
  }
  store = postgres_store(config);
  if (!store) return SVC_NOMEM;
  wrong = postgres_options(store);
  if (wrong) snprintf(why, why_size, "the URI of the store: %s", wrong);
  if (wrong || !postgres_make_readers(store) || !postgres_equip(&store->writer)) {
    postgres_close(store);
    return wrong ? SVC_INVALID : SVC_NOMEM;
  }
  if (!postgres_new(&store->writer) || !postgres_have_tables(&store->writer, why, why_size) ||
      !postgres_own_tables(&store->writer, why, why_size) || !postgres_prepare(&store->writer)) {
    postgres_open_why(&store->writer, why, why_size);
    postgres_close(store);
    return rc;
  }
  *out = store;
  return SVC_OK;
}

#endif /* SVC_POSTGRES_CONNECTION_H */
