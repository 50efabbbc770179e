/*
** The store port on PostgreSQL, by libpq. One database, or one schema of it, is one store, and any number of processes may
** have it open. Nothing is used that CockroachDB and YugabyteDB do not have as well: tables, serializable transactions that
** are done again, a sequence; neither advisory locks nor LISTEN.
**
**   svc_record (k, v)        the records; bytea is ordered as memcmp orders
**   svc_count (k, part, n)   a count is the sum of its parts. A handle adds to the part that it chose when it was opened, so two
**                            handles that add to one count seldom write the same row
**   svc_number               a sequence; a handle takes POSTGRES_NUMBERS at once
**
** Keys that begin with a zero byte are this port's own. There is no state(): each commit would have a count to write for it, and where others
** write as well nothing may be kept by it.
**
** Round trips are what time goes into, so nothing is waited for that need not be. Statements are prepared once, when a
** connection is made, and sent in pipeline mode: BEGIN goes with the first statement, several keys go together in one statement,
** and with them those that are expected; what a transaction has read it is not asked for again. Records and counts that are
** written are gathered, and go together before something else is asked, counts not before one is read or at the commit; what came
** of them is seen then. The end of a read transaction is sent, and looked at by whoever has the connection next, who does not
** wait for it either. A transaction therefore sees the state of its first read, which is not before its beginning.
**
** A read transaction has neither BEGIN nor COMMIT: what is sent up to the end of a batch is one transaction, and results come
** before that end, too, if that is asked for.
**
** Who writes asks first whether the caller may, and then in the writer's transaction for what the work goes by. A draft has both in one
** transaction of one reader's connection: serializable from its beginning, and as it has written nothing nobody waits for it. If it reads
** what came between two writers it becomes a reader as all others, and the writer begins as usual.
**
** Reading is in repeatable read: a snapshot that waits for nobody and never has to be done again, which a GET could not
** be. Serializable and deferrable would wait for writers. Writing is serializable; what comes to 40001 or 40P01, or to 23505
** because another was sooner to insert the same, is SVC_RETRY. The pause before the next try grows up to POSTGRES_LONGEST_PAUSE, and is
** never the same twice.
**
** A connection that is lost is made again by who needs it next. A writer that loses it before it has sent COMMIT has done
** nothing: SVC_RETRY. Behind that nobody knows: SVC_IO, which is answered with 503, and who sends an Idempotency-Key may
** safely try again.
**
** Every call has a deadline: sockets do not block, and who waits for a result waits for `timeout` milliseconds at the most, an option of
** the URI (POSTGRES_TIMEOUT). The server cancels a statement a little before that. Where nobody answers in time the connection is
** closed, and the transaction is SVC_IO. Connecting takes as long for each host, in whole seconds and at least two; if that
** was in vain, nobody else tries for POSTGRES_OUTAGE.
**
** Others may create things in the same database. So every session looks for functions, operators and types in pg_catalog alone, and tables
** are called by their schema, which is the first one that exists in the search_path of the connection that opened the store.
** Tables that somebody else owns are refused.
**
** The rule for memory: what is given stands in libpq's results, which are kept until the transaction ends.
*/
#include "ports/store_port.h"
#include "ports/postgres.h"
#include "ports/store_copy.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define POSTGRES_READERS 16 /* connections, and one of the writer's */
#define POSTGRES_TIMEOUT 5000 /* milliseconds, of every call; and that a reader waits for a connection */
#define POSTGRES_LEAST 100
#define POSTGRES_MOST 600000
#define POSTGRES_OUTAGE 1000 /* milliseconds */
#define POSTGRES_PARTS 64   /* of a count */
#define POSTGRES_NUMBERS 64
#define POSTGRES_FIRST_PAUSE 1 /* milliseconds */
#define POSTGRES_LONGEST_PAUSE 250
#define POSTGRES_KEPT 30 /* results in one block of them */
#define POSTGRES_TRIES 8 /* of making the tables: others may be at it */
#define POSTGRES_SEEN 24 /* keys of which a transaction remembers what there is */
#define POSTGRES_SEEN_WRITER 96 /* of the writer's, in which the jobs of many are done */
#define POSTGRES_SEEN_KEY 88 /* bytes of such a key at the most */
#define POSTGRES_EDGE (SVC_KEY_MOST + 1)
#define POSTGRES_PUTS 64 /* records that are written at once */
#define POSTGRES_PUTS_BYTES ((size_t)256 << 10) /* of these, as soon as there are as many */
#define POSTGRES_ADDS 24 /* counts */
#define POSTGRES_SQL 2048 /* bytes of a statement */

typedef struct postgres_kept {
  struct postgres_kept *before;
  unsigned n;
  PGresult *results[POSTGRES_KEPT];
} postgres_kept;

/* A key that is expected, or was asked for. */
typedef struct postgres_seen {
  enum { POSTGRES_WANTED, POSTGRES_SENT, POSTGRES_HERE } how;
  bool is_count;
  size_t n;
  char key[POSTGRES_SEEN_KEY];
  svc_str value; /* of a record; p NULL: there is none */
  int64_t count; /* of a count */
} postgres_seen;

/* An array as the server takes it. */
typedef struct postgres_array {
  char *p;
  size_t n, room;
  unsigned count;
} postgres_array;

typedef struct postgres_txn {
  svc_txn head;
  svc_store *store;
  PGconn *conn;      /* NULL: none, or it was lost */
  bool busy;         /* a transaction has it; the store's lock */
  bool block;        /* it has a BEGIN, and an end of its own: a writer's, or a draft */
  bool begun;        /* something was sent */
  bool committing;   /* COMMIT was sent */
  bool wrote;
  unsigned waiting, syncs; /* statements and ends of batches whose results are still to be read */
  int failed;        /* the first error of the transaction */
  uint64_t number;   /* of a writer; 0: it has none yet */
  postgres_kept first, *kept; /* what was given */
  unsigned seen_count;
  postgres_seen *seen; /* so many as it may have, and `edge`, as soon as it was connected: most readers never are */
  uint64_t rows; /* of the next scan: so many are expected */
  struct {       /* of a reader's last scan: what was not asked for yet */
    PGresult *r; /* NULL: nothing */
    int at, n;
    bool all, backwards;
    size_t edge_length;
    char *edge; /* where its range ends, seen in its direction; POSTGRES_EDGE bytes */
  } ahead;
} postgres_txn;

/* What the writer has gathered. */
typedef struct postgres_writes {
  bool fresh; /* none of these records was there before */
  postgres_array keys, values;    /* of records */
  uint64_t hashes[POSTGRES_PUTS]; /* of their keys */
  struct {
    int64_t delta;
    size_t n;
    char key[POSTGRES_SEEN_KEY];
  } adds[POSTGRES_ADDS]; /* to counts */
  unsigned add_count;
} postgres_writes;

struct svc_store {
  svc_allocator allocator;
  char *uri;
  bool relaxed; /* a commit need not be on the disk */
  int timeout; /* milliseconds */
  char schema[256]; /* of the tables, quoted where it must be; "": not known yet */
  pthread_mutex_t lock;
  pthread_cond_t free;
  int64_t down;          /* until then nobody connects, as it was in vain; the lock's, as these two: */
  int said;              /* the last error, */
  char why[256];         /* and what libpq or the server said of it */
  unsigned part;         /* the writer's, as these */
  uint64_t chance;       /* of pauses */
  uint64_t number, numbers_end;
  bool full;             /* the server had no room for what was tried last */
  bool freeing;          /* what is tried now frees */
  uint64_t copied;       /* the number of the transaction before a copy; the lock's */
  postgres_txn writer, readers[POSTGRES_READERS];
  postgres_writes writes;
};

/* ----------------------------------------------------------------------------------------------------------- statements */

enum postgres_statement {
  POSTGRES_WRITE, POSTGRES_COMMIT, POSTGRES_ROLLBACK, POSTGRES_GET, POSTGRES_GET_ANY, POSTGRES_UP, POSTGRES_DOWN, POSTGRES_UP_ALL,
  POSTGRES_DOWN_ALL, POSTGRES_INSERT, POSTGRES_PUT, POSTGRES_REMOVE, POSTGRES_REMOVE_RANGE, POSTGRES_REMOVE_COUNTS, POSTGRES_COUNT_ANY, POSTGRES_ADD,
  POSTGRES_NUMBER, POSTGRES_NUMBERS_FROM, POSTGRES_SIZE, POSTGRES_PING, POSTGRES_STATEMENTS
};

/* @ stands for the schema and a point: see postgres_fill(). */
#define POSTGRES_RANGE "k >= $1 AND k < $2"
#define POSTGRES_ROWS "SELECT k, v, NULL::bigint FROM @svc_record WHERE " POSTGRES_RANGE
#define POSTGRES_BOTH POSTGRES_ROWS " UNION ALL SELECT k, NULL::bytea, n FROM (SELECT k, pg_catalog.sum(n)::bigint AS n FROM @svc_count WHERE " \
  POSTGRES_RANGE " GROUP BY k HAVING pg_catalog.sum(n) <> 0) AS c"
#define POSTGRES_UNNEST "SELECT * FROM ROWS FROM (pg_catalog.unnest($1::bytea[]), pg_catalog.unnest($2::bytea[]))"
#define POSTGRES_OID(name) "'@" name "'::pg_catalog.regclass"
#define POSTGRES_PART(order) " ORDER BY k " order " LIMIT $3::bigint OFFSET $4::bigint"

static const char *const postgres_sql[POSTGRES_STATEMENTS] = {
  [POSTGRES_WRITE] = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
  [POSTGRES_COMMIT] = "COMMIT",
  [POSTGRES_ROLLBACK] = "ROLLBACK",
  [POSTGRES_GET] = "SELECT v FROM @svc_record WHERE k = $1",
  [POSTGRES_GET_ANY] = "SELECT k, v FROM @svc_record WHERE k = ANY($1::bytea[])",
  [POSTGRES_UP] = POSTGRES_ROWS POSTGRES_PART("ASC"),
  [POSTGRES_DOWN] = POSTGRES_ROWS POSTGRES_PART("DESC"),
  [POSTGRES_UP_ALL] = POSTGRES_BOTH POSTGRES_PART("ASC"),
  [POSTGRES_DOWN_ALL] = POSTGRES_BOTH POSTGRES_PART("DESC"),
  [POSTGRES_INSERT] = "INSERT INTO @svc_record (k, v) " POSTGRES_UNNEST, /* half the price of: */
  [POSTGRES_PUT] = "INSERT INTO @svc_record (k, v) " POSTGRES_UNNEST " ON CONFLICT (k) DO UPDATE SET v = excluded.v",
  [POSTGRES_REMOVE] = "DELETE FROM @svc_record WHERE k = $1",
  [POSTGRES_REMOVE_RANGE] = "DELETE FROM @svc_record WHERE " POSTGRES_RANGE,
  [POSTGRES_REMOVE_COUNTS] = "DELETE FROM @svc_count WHERE " POSTGRES_RANGE,
  [POSTGRES_COUNT_ANY] = "SELECT k, n::bigint FROM @svc_count WHERE k = ANY($1::bytea[])", /* a sum here costs less than one there */
  [POSTGRES_ADD] = "INSERT INTO @svc_count AS c (k, part, n) SELECT a.k, $3::bigint, a.n "
                   "FROM ROWS FROM (pg_catalog.unnest($1::bytea[]), pg_catalog.unnest($2::bigint[])) AS a (k, n) ON CONFLICT (k, part) DO UPDATE SET n = c.n + excluded.n",
  [POSTGRES_NUMBER] = "SELECT pg_catalog.nextval(" POSTGRES_OID("svc_number") ")::bigint",
  [POSTGRES_NUMBERS_FROM] = "SELECT pg_catalog.setval(" POSTGRES_OID("svc_number") ", $1::bigint)",
  [POSTGRES_SIZE] = "SELECT (pg_catalog.pg_total_relation_size(" POSTGRES_OID("svc_record") ") + "
                    "pg_catalog.pg_total_relation_size(" POSTGRES_OID("svc_count") "))::bigint",
  [POSTGRES_PING] = "SELECT (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint",
};

static const char *const postgres_tables[] = {
  "CREATE TABLE IF NOT EXISTS @svc_record (k bytea PRIMARY KEY, v bytea NOT NULL)",
  "CREATE TABLE IF NOT EXISTS @svc_count (k bytea, part bigint, n bigint NOT NULL, PRIMARY KEY (k, part))",
  "CREATE SEQUENCE IF NOT EXISTS @svc_number MINVALUE 1 START WITH 64 INCREMENT BY 64", /* POSTGRES_NUMBERS */
};

/* One of these that is owned by somebody who has no right to this store: not by us, by the owner of the schema or of the database, nor by
** a superuser. Whoever owns a table can have it run functions of theirs as our role. */
static const char postgres_strangers[] =
  "SELECT c.relname::text, o.rolname::text FROM pg_catalog.pg_class AS c "
  "JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_catalog.pg_roles AS o ON o.oid = c.relowner "
  "WHERE c.oid IN (" POSTGRES_OID("svc_record") ", " POSTGRES_OID("svc_count") ", " POSTGRES_OID("svc_number") ") "
  "AND NOT (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR o.rolsuper OR c.relowner = n.nspowner OR c.relowner = "
  "(SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())) LIMIT 1";

/*
** Who waits for a row that another writer has will mostly have to begin anew when it is free, and two that wait for each other are found by
** the server after a second: so nobody waits for long. The first ones have to go. The others are PostgreSQL's own, and make plans what they should be for any size of a table: by
** the index, made once. A plan that reads a whole table would also make serializable transactions conflict for nothing.
*/
static const char *const postgres_settings[] = {
  "SET search_path = pg_catalog, pg_temp", "SET lock_timeout = 50", "SET idle_in_transaction_session_timeout = 120000",
  "SET client_min_messages = error", "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off",
  "SET enable_bitmapscan = off", "SET jit = off",
};
#define POSTGRES_MUST 3

/* What every transaction of a reader's is. */
static const char postgres_reading[] = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ";

/* What a statement is given: bytes as they are, numbers as eight of them. */
typedef struct postgres_args {
  int n;
  const char *values[4];
  int lengths[4];
  unsigned char numbers[4][8];
} postgres_args;

static void postgres_bytes(postgres_args *a, svc_str s)
{
  a->values[a->n] = SVC_ALWAYS(s.p != NULL) ? s.p : ""; /* NULL would be another thing there */
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
  if (SVC_NEVER(PQgetlength(r, row, column) != 8)) return 0; /* the statements ask for bigint, whatever the tables have */
  for (i = 0; i < 8; i++) value = value << 8 | p[i];
  return (int64_t)value;
}

#define POSTGRES_ARRAY_HEAD 20
enum postgres_type { POSTGRES_BYTEA = 17, POSTGRES_BIGINT = 20 }; /* their numbers among types */

static void postgres_four(char *p, size_t x)
{
  int i;
  for (i = 0; i < 4; i++) p[i] = (char)(x >> (24 - 8 * i));
}

/* There must be room. */
static void postgres_array_put(postgres_array *a, svc_str s)
{
  if (!a->count++) a->n = POSTGRES_ARRAY_HEAD;
  postgres_four(a->p + a->n, s.n);
  if (s.n) memcpy(a->p + a->n + 4, s.p, s.n);
  a->n += 4 + s.n;
}

/* One dimension, no NULL, its type, how many, from 1 on. */
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
  p = realloc(a->p, room); /* as libpq what it is sent from */
  if (!p) return false;
  a->p = p;
  a->room = room;
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- results */

/* The server's last word: it is shut down, or was told to end this connection. */
static bool postgres_goodbye(const PGresult *r)
{
  const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  return state && (strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0);
}

/* By the SQLSTATE. Only a writer can make room. */
static int postgres_error(const PGresult *r, bool writing)
{
  const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  if (!state) return SVC_IO;
  if (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0 || strcmp(state, "55P03") == 0 || strcmp(state, "23505") == 0) return SVC_RETRY;
  if (strcmp(state, "53100") == 0) return writing ? SVC_NO_ROOM : SVC_FULL;
  return strcmp(state, "57014") == 0 || strncmp(state, "53", 2) == 0 ? SVC_BUSY : SVC_IO; /* too slow; no means */
}

/* What is to be said of an error, for the log: one line. */
static void postgres_note(svc_store *store, int status, const char *text)
{
  pthread_mutex_lock(&store->lock);
  store->said = status;
  snprintf(store->why, sizeof store->why, "%s", text);
  store->why[strcspn(store->why, "\r\n")] = '\0';
  pthread_mutex_unlock(&store->lock);
}

static void postgres_note_result(svc_store *store, int status, const PGresult *r)
{
  const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY), *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  char line[256];
  if (text && state) snprintf(line, sizeof line, "PostgreSQL: %.200s (SQLSTATE %.5s)", text, state);
  else snprintf(line, sizeof line, "PostgreSQL: %.200s", PQresultErrorMessage(r));
  postgres_note(store, status, line);
}

static void postgres_note_conn(svc_store *store, int status, const PGconn *conn)
{
  const char *text = conn ? PQerrorMessage(conn) : "";
  char line[256];
  snprintf(line, sizeof line, "PostgreSQL: %.220s", text[0] ? text : "the connection was lost");
  postgres_note(store, status, line);
}

/* Work that was given up after conflicts is SVC_BUSY to who asks. */
static bool postgres_why(svc_store *store, int status, char *text, size_t size)
{
  bool found;
  pthread_mutex_lock(&store->lock);
  found = store->why[0] && (store->said == status || (store->said == SVC_RETRY && (status == SVC_BUSY || status == SVC_IO)));
  if (found) snprintf(text, size, "%s", store->why);
  pthread_mutex_unlock(&store->lock);
  return found;
}

static int64_t postgres_clock(void)
{
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void postgres_lose(postgres_txn *t)
{
  if (t->conn) PQfinish(t->conn);
  t->conn = NULL;
  t->waiting = t->syncs = 0;
}

/* What a lost connection is: see the head of this file. */
static int postgres_lost(postgres_txn *t)
{
  const bool undone = t->head.writing && !t->committing;
  if (t->conn) postgres_note_conn(t->store, undone ? SVC_RETRY : SVC_IO, t->conn);
  postgres_lose(t);
  return undone ? SVC_RETRY : SVC_IO;
}

/* Nobody answers. The server's process may still hold rows of counts: others of this handle go to another part. */
static int postgres_late(postgres_txn *t)
{
  char line[96];
  snprintf(line, sizeof line, "PostgreSQL: no answer within %d ms, the connection is closed", t->store->timeout);
  postgres_note(t->store, SVC_IO, line);
  if (t->head.writing) t->store->part = (t->store->part + 1) % POSTGRES_PARTS;
  postgres_lose(t);
  return SVC_IO;
}

/* Send what is left, and read until there is a result, or nothing more to come. False: not by that time. */
static bool postgres_await(PGconn *conn, int64_t until)
{
  struct pollfd p = { .events = POLLIN };
  for (;;) {
    int unsent = PQflush(conn), n;
    int64_t left;
    if (unsent < 0 || !PQisBusy(conn)) return true;
    p.fd = PQsocket(conn);
    if (p.fd < 0) return true; /* as below: it is closed */
    p.events = (short)(POLLIN | (unsent ? POLLOUT : 0));
    left = until - postgres_clock();
    n = poll(&p, 1, left > 0 ? (int)left : 0);
    if (n <= 0 && left <= 0) return false;
    if (n > 0 && (p.revents & ~POLLOUT) && !PQconsumeInput(conn)) return true; /* it is lost: PQgetResult() says why, at once */
    if (n < 0 && errno != EINTR) return false;
  }
}

static int postgres_fail(postgres_txn *t, int rc)
{
  if (t->failed == SVC_OK) t->failed = rc;
  return t->failed;
}

/* The result of the next statement that is waited for. *out NULL: it was an error, of this statement or one before; or there is
** none that is waited for, and this was the end of a batch. */
static int postgres_next(postgres_txn *t, PGresult **out)
{
  int nothing = 0;
  /* cppcheck-suppress ctunullpointer ; postgres_ask() gets NULL only where it has no statement, and returns before this */
  *out = NULL;
  while (t->conn && nothing < 3) {
    PGresult *r;
    ExecStatusType status;
    if (!postgres_await(t->conn, postgres_clock() + t->store->timeout)) return postgres_fail(t, postgres_late(t));
    r = PQgetResult(t->conn);
    status = PQresultStatus(r);
    if (!r) { /* the end of a statement; one behind the other: of all */
      nothing++;
    } else if (status == PGRES_PIPELINE_SYNC) {
      PQclear(r);
      nothing = 0;
      t->syncs--;
      if (!t->waiting) return SVC_OK;
    } else if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
      t->waiting--;
      *out = r;
      return SVC_OK;
    } else {
      int rc = status == PGRES_PIPELINE_ABORTED ? SVC_IO : postgres_error(r, t->head.writing);
      bool over = postgres_goodbye(r) || PQstatus(t->conn) == CONNECTION_BAD;
      if (status != PGRES_PIPELINE_ABORTED) postgres_note_result(t->store, rc, r);
      PQclear(r);
      if (rc == SVC_NO_ROOM) t->store->full = true;
      if (over) break;
      t->waiting--;
      return postgres_fail(t, rc);
    }
  }
  return postgres_fail(t, postgres_lost(t));
}

/* Read what is left, so that the next result is that of the statement which is sent next. The first error counts. */
static int postgres_drain(postgres_txn *t, unsigned leave)
{
  while (t->conn && t->waiting > leave) {
    PGresult *r;
    postgres_next(t, &r);
    PQclear(r);
  }
  return t->failed;
}

/* All that is left, of a transaction that has ended: what it came to was of interest to nobody. */
static void postgres_drain_all(postgres_txn *t)
{
  while (t->conn && (t->waiting || t->syncs)) {
    PGresult *r;
    postgres_next(t, &r);
    PQclear(r);
  }
  t->failed = SVC_OK;
}

static int postgres_keep(postgres_txn *t, PGresult *r)
{
  postgres_kept *k = t->kept;
  if (k->n == POSTGRES_KEPT) {
    k = malloc(sizeof *k); /* as libpq what stands in it */
    if (!k) {
      PQclear(r);
      return postgres_fail(t, SVC_NOMEM);
    }
    k->before = t->kept;
    k->n = 0;
    t->kept = k;
  }
  k->results[k->n++] = r;
  return SVC_OK;
}

static void postgres_forget(postgres_txn *t)
{
  while (t->kept) {
    postgres_kept *k = t->kept;
    while (k->n) PQclear(k->results[--k->n]);
    t->kept = k->before;
    if (k != &t->first) free(k);
  }
  t->kept = &t->first;
  t->seen_count = 0;
  t->ahead.r = NULL;
}

/* --------------------------------------------------------------------------------------------------------------- sending */

static int postgres_send_one(postgres_txn *t, int statement, const postgres_args *a)
{
  static const int binary[4] = { 1, 1, 1, 1 };
  char name[8];
  snprintf(name, sizeof name, "s%d", statement);
  if (!t->conn || !PQsendQueryPrepared(t->conn, name, a ? a->n : 0, a ? a->values : NULL, a ? a->lengths : NULL, binary, 1))
    return postgres_fail(t, postgres_lost(t));
  t->waiting++;
  return SVC_OK;
}

/* Into the pipeline, behind BEGIN where it is the first. */
static int postgres_send_next(postgres_txn *t, int statement, const postgres_args *a)
{
  if (t->failed) return t->failed;
  if (!t->begun && t->block && postgres_send_one(t, POSTGRES_WRITE, NULL) != SVC_OK) return t->failed;
  t->begun = true;
  return postgres_send_one(t, statement, a);
}

/* The records that are to be written go before anything else. */
static int postgres_send_puts(postgres_txn *t)
{
  postgres_writes *w = &t->store->writes;
  postgres_args a = { 0 };
  if (!w->keys.count) return t->failed;
  postgres_array_arg(&a, &w->keys, POSTGRES_BYTEA);
  postgres_array_arg(&a, &w->values, POSTGRES_BYTEA);
  w->keys.count = w->values.count = 0;
  return postgres_send_next(t, w->fresh ? POSTGRES_INSERT : POSTGRES_PUT, &a);
}

/* Behind the records, in whose place they are gathered. */
static int postgres_send_adds(postgres_txn *t)
{
  postgres_writes *w = &t->store->writes;
  postgres_args a = { 0 };
  unsigned i;
  for (i = 0; i < w->add_count && !t->failed; i++) {
    postgres_args number = { 0 };
    if (w->adds[i].delta == 0) continue;
    if (!postgres_array_room(&w->keys, w->adds[i].n) || !postgres_array_room(&w->values, 8))
      return postgres_fail(t, SVC_NOMEM);
    postgres_integer(&number, w->adds[i].delta);
    postgres_array_put(&w->keys, (svc_str){ w->adds[i].key, w->adds[i].n });
    postgres_array_put(&w->values, (svc_str){ number.values[0], 8 });
  }
  w->add_count = 0;
  if (!w->keys.count) return t->failed;
  postgres_array_arg(&a, &w->keys, POSTGRES_BYTEA);
  postgres_array_arg(&a, &w->values, POSTGRES_BIGINT);
  postgres_integer(&a, t->store->part);
  w->keys.count = w->values.count = 0;
  return postgres_send_next(t, POSTGRES_ADD, &a);
}

static int postgres_send(postgres_txn *t, int statement, const postgres_args *a)
{
  bool counts = statement == POSTGRES_COUNT_ANY || statement == POSTGRES_UP_ALL || statement == POSTGRES_DOWN_ALL ||
                statement == POSTGRES_REMOVE_COUNTS || statement == POSTGRES_COMMIT;
  if (t->head.writing && (postgres_send_puts(t) != SVC_OK || (counts && postgres_send_adds(t) != SVC_OK))) return t->failed;
  return postgres_send_next(t, statement, a);
}

/* The end of a batch; where there is no BEGIN: of the transaction. */
static int postgres_sync(postgres_txn *t)
{
  if (t->failed) return t->failed;
  if (!PQpipelineSync(t->conn)) return postgres_fail(t, postgres_lost(t));
  t->syncs++;
  return SVC_OK;
}

/* Let the server begin with what was sent, while there is more to come. */
static int postgres_start(postgres_txn *t)
{
  return PQflush(t->conn) < 0 ? postgres_fail(t, postgres_lost(t)) : SVC_OK;
}

/* Have what was sent done. */
static int postgres_go(postgres_txn *t)
{
  if (t->failed || t->block) return postgres_sync(t);
  return PQsendFlushRequest(t->conn) ? SVC_OK : postgres_fail(t, postgres_lost(t));
}

/* ------------------------------------------------------------------------------------------------------------------ seen */

static unsigned postgres_seen_most(const postgres_txn *t)
{
  return t == &t->store->writer ? POSTGRES_SEEN_WRITER : POSTGRES_SEEN;
}

static postgres_seen *postgres_seen_at(postgres_txn *t, svc_str key, bool count)
{
  unsigned i;
  for (i = 0; i < t->seen_count; i++)
    if (t->seen[i].n == key.n && t->seen[i].is_count == count && memcmp(t->seen[i].key, key.p, key.n) == 0) return &t->seen[i];
  return NULL;
}

/* As something that is wanted, unless it is here. NULL: it is too long to be remembered, or there is no room. */
static postgres_seen *postgres_want(postgres_txn *t, svc_str key, bool count)
{
  postgres_seen *e = postgres_seen_at(t, key, count);
  if (e || key.n > POSTGRES_SEEN_KEY || t->seen_count == postgres_seen_most(t)) return e;
  e = &t->seen[t->seen_count++];
  memcpy(e->key, key.p, e->n = key.n);
  e->how = POSTGRES_WANTED;
  e->is_count = count;
  return e;
}

/* It was written. */
static void postgres_unsee(postgres_txn *t, svc_str key, bool count)
{
  postgres_seen *e = postgres_seen_at(t, key, count);
  if (e) *e = t->seen[--t->seen_count];
}

/* All that are wanted, records or counts, in one statement. True: it was sent. */
static bool postgres_send_wanted(postgres_txn *t, bool counts)
{
  char bytes[POSTGRES_ARRAY_HEAD + POSTGRES_SEEN_WRITER * (POSTGRES_SEEN_KEY + 4)];
  postgres_array wanted = { bytes, 0, sizeof bytes, 0 };
  postgres_args a = { 0 };
  unsigned i;
  for (i = 0; i < t->seen_count; i++) {
    postgres_seen *e = &t->seen[i];
    if (e->how != POSTGRES_WANTED || e->is_count != counts) continue;
    postgres_array_put(&wanted, (svc_str){ e->key, e->n });
    e->how = POSTGRES_SENT;
    e->value = (svc_str){ NULL, 0 };
    e->count = 0;
  }
  if (!wanted.count) return false;
  postgres_array_arg(&a, &wanted, POSTGRES_BYTEA);
  postgres_send(t, counts ? POSTGRES_COUNT_ANY : POSTGRES_GET_ANY, &a);
  return true;
}

static int postgres_read_wanted(postgres_txn *t, bool counts)
{
  PGresult *r = NULL;
  unsigned k;
  int rc = postgres_next(t, &r), i;
  if (rc == SVC_OK) rc = postgres_keep(t, r);
  for (i = 0; rc == SVC_OK && i < PQntuples(r); i++) {
    postgres_seen *e = postgres_seen_at(t, (svc_str){ PQgetvalue(r, i, 0), (size_t)PQgetlength(r, i, 0) }, counts);
    if (e && counts) e->count += postgres_integer_at(r, i, 1);
    else if (e) e->value = (svc_str){ PQgetvalue(r, i, 1), (size_t)PQgetlength(r, i, 1) };
  }
  for (k = 0; k < t->seen_count && rc == SVC_OK; k++)
    if (t->seen[k].how == POSTGRES_SENT && t->seen[k].is_count == counts) t->seen[k].how = POSTGRES_HERE;
  return rc;
}

/* A draft whose reading came between two writers: as a reader it is in nobody's way, and asks once more. */
static bool postgres_withdraw(postgres_txn *t)
{
  unsigned i;
  if (t->failed != SVC_RETRY || !t->head.draft) return false;
  t->failed = SVC_OK;
  if (postgres_send_one(t, POSTGRES_ROLLBACK, NULL) == SVC_OK) postgres_sync(t);
  postgres_drain_all(t);
  t->block = t->begun = t->head.draft = false;
  for (i = 0; i < t->seen_count; i++)
    if (t->seen[i].how == POSTGRES_SENT) t->seen[i].how = POSTGRES_WANTED;
  return true; /* also if the connection was lost with it: asking finds that out */
}

static int postgres_ask_once(postgres_txn *t, int statement, const postgres_args *a, PGresult **out)
{
  bool records = postgres_send_wanted(t, false), counts = postgres_send_wanted(t, true);
  int rc = statement >= 0 ? postgres_send(t, statement, a) : t->failed;
  if (rc == SVC_OK) rc = postgres_go(t);
  if (rc == SVC_OK) rc = postgres_drain(t, (unsigned)records + counts + (statement >= 0));
  if (rc == SVC_OK && records) rc = postgres_read_wanted(t, false);
  if (rc == SVC_OK && counts) rc = postgres_read_wanted(t, true);
  if (rc != SVC_OK || statement < 0) return rc;
  rc = postgres_next(t, out);
  return rc == SVC_OK ? postgres_keep(t, *out) : rc;
}

/* What is wanted, and a statement with it, if there is one; its result is kept. */
static int postgres_ask(postgres_txn *t, int statement, const postgres_args *a, PGresult **out)
{
  int rc = postgres_ask_once(t, statement, a, out);
  if (rc != SVC_OK && postgres_withdraw(t)) rc = postgres_ask_once(t, statement, a, out);
  if (rc != SVC_OK) t->seen_count = 0;
  return rc;
}

/* ----------------------------------------------------------------------------------------------------------- connections */

static void postgres_silent(void *context, const PGresult *r)
{
  (void)context, (void)r;
}

/* A statement with the schema in the place of each @, also where that is in single quotes. False: there is no room. */
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

/* One statement outside of the pipeline, and its last result. NULL: there is none, or not in time. */
static PGresult *postgres_exec(postgres_txn *t, const char *sql)
{
  const int64_t until = postgres_clock() + t->store->timeout;
  char text[POSTGRES_SQL];
  PGresult *r = NULL, *next;
  bool good = postgres_fill(t->store, sql, text) && PQsendQuery(t->conn, text);
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

/* The first schema of the connection's own search_path that exists. */
static bool postgres_find_schema(postgres_txn *t)
{
  svc_store *store = t->store;
  PGresult *r = postgres_exec(t, "SELECT pg_catalog.quote_ident(pg_catalog.current_schema()::text)");
  bool good = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1 && !PQgetisnull(r, 0, 0) && PQgetvalue(r, 0, 0)[0] &&
              (size_t)PQgetlength(r, 0, 0) < sizeof store->schema;
  if (good) strcpy(store->schema, PQgetvalue(r, 0, 0));
  PQclear(r);
  return good;
}

/* False: there is none, or it cannot be used; t->conn, if any, says why. What is named before the URI is for where that says nothing. No
** password is ever in what libpq says. */
static bool postgres_new(postgres_txn *t)
{
  const svc_store *store = t->store;
  const char *const names[] = { "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
                                "application_name", "dbname", NULL };
  char seconds[16], silence[16], patience[64];
  const char *const values[] = { seconds, silence, "5", "5", "3", "svcapi", store->uri, NULL };
  PGconn *conn;
  size_t i;
  snprintf(seconds, sizeof seconds, "%d", (store->timeout + 999) / 1000);
  snprintf(silence, sizeof silence, "%d", store->timeout);
  snprintf(patience, sizeof patience, "SET statement_timeout = %d", store->timeout / 10 * 9);
  conn = t->conn = PQconnectdbParams(names, values, 1);
  if (!conn || PQstatus(conn) != CONNECTION_OK) return false;
  if (PQsetnonblocking(conn, 1) != 0) return false;
  PQsetNoticeReceiver(conn, postgres_silent, NULL);
  if (!store->schema[0] && !postgres_find_schema(t)) return false;
  if (!postgres_do(t, patience)) return false;
  for (i = 0; i < sizeof postgres_settings / sizeof postgres_settings[0]; i++)
    if (!postgres_do(t, postgres_settings[i]) && i < POSTGRES_MUST) return false;
  if (store->relaxed) postgres_do(t, "SET synchronous_commit = off");
  return true;
}

/* Every statement, in one round trip, and pipeline mode from here on. */
static bool postgres_prepare(postgres_txn *t)
{
  char name[8], sql[POSTGRES_SQL];
  unsigned i;
  t->failed = SVC_OK;
  t->waiting = t->syncs = 0;
  if (!PQenterPipelineMode(t->conn)) return false;
  for (i = 0; i < POSTGRES_STATEMENTS; i++, t->waiting++) {
    snprintf(name, sizeof name, "s%u", i);
    if (!postgres_fill(t->store, postgres_sql[i], sql) || !PQsendPrepare(t->conn, name, sql, 0, NULL)) return false;
  }
  return postgres_sync(t) == SVC_OK && postgres_drain(t, 0) == SVC_OK;
}

/* Comes with the first connection, as libpq's own memory, and stays. */
static bool postgres_equip(postgres_txn *t)
{
  if (!t->seen) t->seen = malloc(postgres_seen_most(t) * sizeof *t->seen + POSTGRES_EDGE);
  if (t->seen) t->ahead.edge = (char *)(t->seen + postgres_seen_most(t));
  return t->seen != NULL;
}

/* Was it in vain a moment ago? Then this is no time to try: the host is not there, and all would wait for it one behind the other. */
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
  if (postgres_new(t) && (t == &store->writer || postgres_do(t, postgres_reading)) && postgres_prepare(t)) return SVC_OK;
  if (t->conn) postgres_note_conn(store, SVC_IO, t->conn); /* else it has been said, or there is no memory */
  postgres_lose(t);
  if (postgres_clock() - begun < POSTGRES_OUTAGE) return SVC_IO; /* refused: that costs nobody any time */
  pthread_mutex_lock(&store->lock);
  store->down = postgres_clock() + POSTGRES_OUTAGE;
  pthread_mutex_unlock(&store->lock);
  return SVC_IO;
}

/* Nobody has asked for anything, so there is nothing to read, unless the server has said goodbye: the word, and then the end. */
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

/* Is nothing left of the transaction before but the word that it has ended, which is on its way? Then the next one need not wait:
** that word is passed over when it comes. */
static bool postgres_follows(const postgres_txn *t)
{
  struct pollfd p = { .events = POLLIN };
  if (!t->conn || t->waiting || !t->syncs) return false;
  p.fd = PQsocket(t->conn);
  return p.fd >= 0 && poll(&p, 1, 0) == 0;
}

/* A connection whose server went away while it was idle shows that here; it is made again. */
static int postgres_ready(postgres_txn *t)
{
  if (!postgres_follows(t)) postgres_drain_all(t); /* the end of the transaction before */
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
  for (i = 0; i < POSTGRES_READERS; i++) {
    postgres_lose(&store->readers[i]);
    free(store->readers[i].seen);
  }
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

/* timeout=MS is ours, and libpq would not know it: it is taken out of the URI. What is wrong with it, or NULL. */
static const char *postgres_options(svc_store *store)
{
  char *p = strchr(store->uri, '?'), *end;
  store->timeout = POSTGRES_TIMEOUT;
  while (p && (p[0] == '?' || p[0] == '&')) {
    size_t n = strcspn(p + 1, "&");
    if (strncmp(p + 1, "timeout=", 8) == 0) {
      long ms = strtol(p + 9, &end, 10);
      if (end != p + 1 + n || n == 8 || ms < POSTGRES_LEAST || ms > POSTGRES_MOST)
        return "timeout is a number of milliseconds, from 100 to 600000";
      store->timeout = (int)ms;
      if (p[1 + n]) memmove(p + 1, p + 2 + n, strlen(p + 2 + n) + 1);
      else *p = '\0';
      if (!*p) break;
    } else {
      p += 1 + n;
    }
  }
  return NULL;
}

/* Waits are by the clock that nobody sets. */
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

static svc_store *postgres_store(const svc_config *config)
{
  static const svc_allocator usual = { postgres_resize, NULL };
  svc_allocator allocator = config->allocator.resize ? config->allocator : usual;
  svc_store *store = allocator.resize(allocator.context, NULL, sizeof *store);
  size_t length = strlen(config->path) + 1;
  int i;
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
  for (i = 0; i < POSTGRES_READERS; i++) {
    store->readers[i].store = store;
    store->readers[i].kept = &store->readers[i].first;
  }
  return store;
fail:
  allocator.resize(allocator.context, store->uri, 0);
  allocator.resize(allocator.context, store, 0);
  return NULL;
}

/* Others may be making them at the same moment, and CREATE IF NOT EXISTS then says that they do exist. */
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

/* Are the tables ours? False: why says whose they are, or is still empty: libpq knows why that cannot be told. */
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

/* Why the store cannot be opened, where nobody has said so yet. */
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
  if (wrong || !postgres_equip(&store->writer)) {
    postgres_close(store);
    return wrong ? SVC_INVALID : SVC_NOMEM;
  }
  if (!postgres_new(&store->writer) || !postgres_make_tables(&store->writer) ||
      !postgres_own_tables(&store->writer, why, why_size) || !postgres_prepare(&store->writer)) {
    postgres_open_why(&store->writer, why, why_size);
    postgres_close(store);
    return rc;
  }
  *out = store;
  return SVC_OK;
}

/* ---------------------------------------------------------------------------------------------------------- transactions */

static void postgres_begin(postgres_txn *t, bool block)
{
  t->head.port = svc_postgres_port();
  t->head.ids = NULL;
  t->head.writing = t->head.draft = false;
  t->head.dirty = t->head.fresh = t->head.again = false;
  t->block = block;
  t->head.error = SVC_OK;
  t->begun = t->committing = t->wrote = false;
  t->number = t->rows = 0;
}

/* One that is connected if there is any. NULL: none was given back in time. */
static postgres_txn *postgres_take(svc_store *store)
{
  postgres_txn *found = NULL;
  struct timespec until;
  int i, rc = 0;
  int64_t end = postgres_clock() + store->timeout;
  until.tv_sec = (time_t)(end / 1000);
  until.tv_nsec = (long)(end % 1000) * 1000000;
  pthread_mutex_lock(&store->lock);
  while (!found && rc == 0) {
    for (i = 0; i < POSTGRES_READERS && !(found && found->conn); i++)
      if (!store->readers[i].busy && (!found || store->readers[i].conn)) found = &store->readers[i];
    if (!found) rc = pthread_cond_timedwait(&store->free, &store->lock, &until);
  }
  if (found) found->busy = true;
  pthread_mutex_unlock(&store->lock);
  return found;
}

static void postgres_give_back(postgres_txn *t)
{
  svc_store *store = t->store;
  pthread_mutex_lock(&store->lock);
  t->busy = false;
  pthread_mutex_unlock(&store->lock);
  pthread_cond_signal(&store->free);
}

static int postgres_reader_begin(svc_store *store, bool draft, svc_txn **out)
{
  postgres_txn *t = postgres_take(store);
  int rc;
  *out = NULL;
  if (!t) return SVC_BUSY;
  postgres_begin(t, draft);
  rc = postgres_ready(t);
  t->head.draft = draft;
  if (rc == SVC_OK) *out = &t->head;
  else postgres_give_back(t);
  return rc;
}

static int postgres_read_begin(svc_store *store, svc_txn **out)
{
  return postgres_reader_begin(store, false, out);
}

static int postgres_draft_begin(svc_store *store, svc_txn **out)
{
  return postgres_reader_begin(store, true, out);
}

/* Nobody waits for the end: its result is read by who has the connection next. */
static void postgres_leave(postgres_txn *t, int statement)
{
  t->failed = SVC_OK;
  if (t->begun && (!t->block || postgres_send_one(t, statement, NULL) == SVC_OK)) postgres_sync(t); /* what fails has lost the connection */
  postgres_forget(t);
}

static void postgres_read_end(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  if (t->conn) postgres_leave(t, POSTGRES_ROLLBACK); /* of a draft */
  else postgres_forget(t);
  postgres_give_back(t);
}

/* Milliseconds: they grow with each try, and are seldom the same for two: between half of it and all. */
static unsigned postgres_rests(svc_store *store, unsigned tries)
{
  unsigned most = tries > 20 || POSTGRES_FIRST_PAUSE << tries > POSTGRES_LONGEST_PAUSE ? POSTGRES_LONGEST_PAUSE : POSTGRES_FIRST_PAUSE << tries;
  return most / 2 + (unsigned)(postgres_chance(store) >> 32) % (most / 2 + 1);
}

/* A millisecond, more or less. */
static void postgres_rest(svc_store *store)
{
  struct timespec time = { 0, 500000 + (long)(postgres_chance(store) >> 32) % 1000000 };
  nanosleep(&time, NULL);
}

static void postgres_write(postgres_txn *t)
{
  postgres_writes *w = &t->store->writes;
  w->keys.count = w->values.count = w->add_count = 0;
  t->head.writing = true;
}

static int postgres_write_begin(svc_store *store, svc_txn **out)
{
  postgres_txn *t = &store->writer;
  int rc;
  *out = NULL;
  postgres_begin(t, true);
  rc = postgres_ready(t);
  postgres_write(t);
  if (rc == SVC_OK) *out = &t->head;
  return rc;
}

static bool postgres_draft_write(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  if (!txn->draft || t->failed) return false;
  txn->draft = false;
  t->ahead.r = NULL; /* it may write into what that has read */
  postgres_write(t);
  return true;
}

/* How a try of the writer's ended. */
static int postgres_ended(postgres_txn *t, int rc)
{
  if (t != &t->store->writer) postgres_give_back(t); /* it was a draft */
  return rc;
}

/* An error before COMMIT makes it a ROLLBACK, which PostgreSQL says by its tag. */
static int postgres_commit(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  PGresult *r = NULL;
  int rc = t->failed;
  if (rc != SVC_OK || (!t->begun && !t->wrote)) {
    postgres_leave(t, POSTGRES_ROLLBACK);
    return postgres_ended(t, rc);
  }
  rc = postgres_send(t, POSTGRES_COMMIT, NULL);
  t->committing = true;
  if (rc == SVC_OK) rc = postgres_sync(t);
  if (rc == SVC_OK) rc = postgres_drain(t, 1);
  if (rc == SVC_OK) rc = postgres_next(t, &r);
  if (rc == SVC_OK && strcmp(PQcmdStatus(r), "COMMIT") != 0) rc = SVC_IO;
  PQclear(r);
  if (rc == SVC_OK) postgres_forget(t);
  else postgres_leave(t, POSTGRES_ROLLBACK);
  return postgres_ended(t, rc);
}

static void postgres_abort(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  int rc = t->failed;
  postgres_leave(t, POSTGRES_ROLLBACK);
  postgres_ended(t, rc);
}

/* The sequence counts in steps of a block; whose number it gives, theirs are that and those behind it. */
static uint64_t postgres_number(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  svc_store *store = t->store;
  PGresult *r;
  if (!t->number && store->number == store->numbers_end) {
    if (postgres_ask(t, POSTGRES_NUMBER, NULL, &r) != SVC_OK) {
      if (txn->error == SVC_OK) txn->error = t->failed;
      return 0;
    }
    store->number = (uint64_t)postgres_integer_at(r, 0, 0);
    store->numbers_end = store->number + POSTGRES_NUMBERS;
  }
  if (!t->number) t->number = store->number++;
  return t->number;
}

/* Of a key that is too long to be remembered. */
static int postgres_count_alone(postgres_txn *t, svc_str key, int64_t *out)
{
  char bytes[POSTGRES_ARRAY_HEAD + 4 + SVC_KEY_MOST];
  postgres_array one = { bytes, 0, sizeof bytes, 0 };
  postgres_args a = { 0 };
  PGresult *r;
  int rc, i;
  if (key.n > SVC_KEY_MOST) return SVC_OK;
  postgres_array_put(&one, key);
  postgres_array_arg(&a, &one, POSTGRES_BYTEA);
  rc = postgres_ask(t, POSTGRES_COUNT_ANY, &a, &r);
  for (i = 0; rc == SVC_OK && i < PQntuples(r); i++) *out += postgres_integer_at(r, i, 1);
  return rc;
}

static int postgres_count(svc_txn *txn, svc_str key, int64_t *out)
{
  postgres_txn *t = (postgres_txn *)txn;
  postgres_seen *e;
  int rc = t->failed;
  *out = 0;
  if (t->seen_count == postgres_seen_most(t)) t->seen_count = 0;
  e = postgres_want(t, key, true);
  if (!e) return postgres_count_alone(t, key, out);
  if (rc == SVC_OK && e->how != POSTGRES_HERE) rc = postgres_ask(t, -1, NULL, NULL);
  if (rc == SVC_OK) *out = e->count;
  return rc;
}

static int postgres_size(svc_txn *txn, uint64_t *taken, uint64_t *room)
{
  PGresult *r;
  int rc = postgres_ask((postgres_txn *)txn, POSTGRES_SIZE, NULL, &r);
  *taken = rc == SVC_OK ? (uint64_t)postgres_integer_at(r, 0, 0) : 0;
  *room = *taken; /* how much the server has room for only the server knows */
  return rc;
}

static int postgres_ping(svc_txn *txn, int64_t *time)
{
  PGresult *r;
  int rc = postgres_ask((postgres_txn *)txn, POSTGRES_PING, NULL, &r);
  *time = rc == SVC_OK ? postgres_integer_at(r, 0, 0) : 0;
  return rc;
}

/* --------------------------------------------------------------------------------------------------------------- records */

static int postgres_get_each_once(postgres_txn *t, const svc_str *keys, size_t n, svc_str *values)
{
  size_t i;
  int rc = t->failed;
  for (i = 0; i < n && rc == SVC_OK; i++) {
    postgres_args a = { 0 };
    postgres_bytes(&a, keys[i]);
    rc = postgres_send(t, POSTGRES_GET, &a);
  }
  if (n == 0 || rc != SVC_OK) return rc;
  rc = postgres_go(t);
  if (rc == SVC_OK) rc = postgres_drain(t, (unsigned)n);
  for (i = 0; i < n && rc == SVC_OK; i++) {
    PGresult *r;
    rc = postgres_next(t, &r);
    if (rc == SVC_OK) rc = postgres_keep(t, r);
    if (rc != SVC_OK) break;
    values[i] = (svc_str){ NULL, 0 };
    if (PQntuples(r)) values[i] = (svc_str){ PQgetvalue(r, 0, 0), (size_t)PQgetlength(r, 0, 0) };
  }
  return rc;
}

/* Each in a statement of its own, whatever its length. */
static int postgres_get_each(postgres_txn *t, const svc_str *keys, size_t n, svc_str *values)
{
  int rc = postgres_get_each_once(t, keys, n, values);
  return rc != SVC_OK && postgres_withdraw(t) ? postgres_get_each_once(t, keys, n, values) : rc;
}

static int postgres_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  postgres_txn *t = (postgres_txn *)txn;
  bool brief = n <= postgres_seen_most(t), here = true;
  size_t i;
  int rc = t->failed;
  for (i = 0; i < n && brief; i++) brief = keys[i].n <= POSTGRES_SEEN_KEY;
  if (!brief) return postgres_get_each(t, keys, n, values);
  if (t->seen_count + n > postgres_seen_most(t)) t->seen_count = 0;
  for (i = 0; i < n; i++) here &= postgres_want(t, keys[i], false)->how == POSTGRES_HERE;
  if (rc == SVC_OK && !here) rc = postgres_ask(t, -1, NULL, NULL);
  for (i = 0; i < n && rc == SVC_OK; i++) values[i] = postgres_seen_at(t, keys[i], false)->value;
  return rc;
}

static void postgres_expect(svc_txn *txn, const svc_str *keys, size_t n, uint64_t rows)
{
  postgres_txn *t = (postgres_txn *)txn;
  size_t i;
  for (i = 0; i < n; i++) postgres_want(t, keys[i], keys[i].n && (unsigned char)keys[i].p[0] == SVC_COUNT_LETTER);
  t->rows = rows;
}

static int postgres_get(svc_txn *txn, svc_str key, svc_str *value)
{
  svc_str found = { NULL, 0 };
  int rc = postgres_get_many(txn, &key, 1, &found);
  if (rc == SVC_OK && found.p) *value = found;
  return rc == SVC_OK && !found.p ? SVC_NOT_FOUND : rc;
}

/* May counts be in it? Only then is it worth a look at them, which others who count would be in the way of. */
static bool postgres_has_counts(svc_str from, svc_str to)
{
  const unsigned char *a = (const unsigned char *)from.p, *b = (const unsigned char *)to.p;
  return to.n && (from.n == 0 || a[0] <= SVC_COUNT_LETTER) && (b[0] > SVC_COUNT_LETTER || (b[0] == SVC_COUNT_LETTER && to.n > 1));
}

/* A count's value is its number, as that of this machine stands in memory. */
static svc_row postgres_row(PGresult *r, int i)
{
  svc_row row;
  row.key = (svc_str){ PQgetvalue(r, i, 0), (size_t)PQgetlength(r, i, 0) };
  if (PQgetisnull(r, i, 2)) {
    row.value = (svc_str){ PQgetvalue(r, i, 1), (size_t)PQgetlength(r, i, 1) };
  } else {
    int64_t count = postgres_integer_at(r, i, 2);
    row.value = (svc_str){ PQgetvalue(r, i, 2), sizeof count };
    memcpy(PQgetvalue(r, i, 2), &count, sizeof count); /* it is the result's own memory, of this size */
  }
  return row;
}

/* Rows that are here already: of the same range, behind those that were given last. */
static bool postgres_scan_ahead(postgres_txn *t, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  const svc_str edge = range->backwards ? range->from : range->to, start = range->backwards ? range->to : range->from;
  PGresult *r = t->ahead.r;
  svc_row last;
  if (!r || range->skip || range->backwards != t->ahead.backwards || edge.n != t->ahead.edge_length ||
      memcmp(edge.p, t->ahead.edge, edge.n) != 0 || (!t->ahead.all && (size_t)(t->ahead.n - t->ahead.at) < most))
    return false;
  last.key = (svc_str){ PQgetvalue(r, t->ahead.at - 1, 0), (size_t)PQgetlength(r, t->ahead.at - 1, 0) };
  if (start.n != last.key.n + !range->backwards || memcmp(start.p, last.key.p, last.key.n) != 0 || (!range->backwards && start.p[last.key.n]))
    return false;
  while (t->ahead.at < t->ahead.n && *n < most) rows[(*n)++] = postgres_row(r, t->ahead.at++);
  return true;
}

static int postgres_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  bool counts = postgres_has_counts(range->from, range->to);
  int statement = range->backwards ? counts ? POSTGRES_DOWN_ALL : POSTGRES_DOWN : counts ? POSTGRES_UP_ALL : POSTGRES_UP, rc, i;
  const svc_str edge = range->backwards ? range->from : range->to;
  postgres_txn *t = (postgres_txn *)txn;
  size_t wanted = !txn->writing && t->rows > most && SVC_ALWAYS(edge.n <= POSTGRES_EDGE) ? (size_t)t->rows : most;
  postgres_args a = { 0 };
  PGresult *r;
  *n = 0;
  if (t->failed == SVC_OK && postgres_scan_ahead(t, range, rows, most, n)) return SVC_OK;
  t->rows = 0;
  t->ahead.r = NULL;
  if (wanted > INT32_MAX) wanted = INT32_MAX;
  postgres_bytes(&a, range->from);
  postgres_bytes(&a, range->to);
  postgres_integer(&a, (int64_t)wanted);
  postgres_integer(&a, range->skip > INT64_MAX ? INT64_MAX : (int64_t)range->skip);
  rc = postgres_ask(t, statement, &a, &r);
  if (rc != SVC_OK) return rc;
  for (i = 0; i < PQntuples(r) && *n < most; i++) rows[(*n)++] = postgres_row(r, i);
  if (wanted == most || i == 0) return SVC_OK;
  t->ahead.r = r;
  t->ahead.at = i;
  t->ahead.n = PQntuples(r);
  t->ahead.all = (size_t)t->ahead.n < wanted;
  t->ahead.backwards = range->backwards;
  memcpy(t->ahead.edge, edge.p, t->ahead.edge_length = edge.n);
  return SVC_OK;
}

/* Writes are only sent: what becomes of them is seen by the next read, or at the commit. */
static int postgres_change(svc_txn *txn, int statement, const postgres_args *a)
{
  postgres_txn *t = (postgres_txn *)txn;
  t->wrote = true;
  return postgres_send(t, statement, a);
}

static uint64_t postgres_hash(svc_str key)
{
  uint64_t h = UINT64_C(14695981039346656037);
  size_t i;
  for (i = 0; i < key.n; i++) h = (h ^ (unsigned char)key.p[i]) * UINT64_C(1099511628211);
  return h;
}

/* One statement cannot write a record twice: the second time is for the next one. Work that is retried takes nothing for fresh: that
** may have been the conflict. */
static int postgres_put(svc_txn *txn, svc_str key, svc_str value)
{
  postgres_txn *t = (postgres_txn *)txn;
  postgres_writes *w = &t->store->writes;
  uint64_t hash = postgres_hash(key);
  bool fresh = txn->fresh && !txn->again, full;
  unsigned i = 0;
  t->wrote = true;
  postgres_unsee(t, key, false);
  while (i < w->keys.count && w->hashes[i] != hash) i++;
  full = i == POSTGRES_PUTS || (i && w->values.n > POSTGRES_PUTS_BYTES);
  if ((full || i < w->keys.count || (i && w->fresh != fresh)) && postgres_send_puts(t) != SVC_OK) return t->failed;
  if (full && postgres_start(t) != SVC_OK) return t->failed;
  if (!postgres_array_room(&w->keys, key.n) || !postgres_array_room(&w->values, value.n))
    return postgres_fail(t, SVC_NOMEM);
  w->fresh = fresh;
  w->hashes[w->keys.count] = hash;
  postgres_array_put(&w->keys, key);
  postgres_array_put(&w->values, value);
  return t->failed;
}

static int postgres_remove(svc_txn *txn, svc_str key)
{
  postgres_args a = { 0 };
  postgres_unsee((postgres_txn *)txn, key, false);
  postgres_bytes(&a, key);
  return postgres_change(txn, POSTGRES_REMOVE, &a);
}

static int postgres_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  postgres_args a = { 0 };
  int rc;
  ((postgres_txn *)txn)->seen_count = 0;
  postgres_bytes(&a, from);
  postgres_bytes(&a, to);
  rc = postgres_change(txn, POSTGRES_REMOVE_RANGE, &a);
  return rc == SVC_OK && postgres_has_counts(from, to) ? postgres_change(txn, POSTGRES_REMOVE_COUNTS, &a) : rc;
}

/* Of a key that is too long to be gathered; behind the others, in whose place it is sent. */
static int postgres_add_alone(postgres_txn *t, svc_str key, int64_t delta)
{
  postgres_writes *w = &t->store->writes;
  postgres_args a = { 0 }, number = { 0 };
  if (postgres_send_puts(t) != SVC_OK || postgres_send_adds(t) != SVC_OK) return t->failed;
  if (!postgres_array_room(&w->keys, key.n) || !postgres_array_room(&w->values, 8)) return postgres_fail(t, SVC_NOMEM);
  postgres_integer(&number, delta);
  postgres_array_put(&w->keys, key);
  postgres_array_put(&w->values, (svc_str){ number.values[0], 8 });
  postgres_array_arg(&a, &w->keys, POSTGRES_BYTEA);
  postgres_array_arg(&a, &w->values, POSTGRES_BIGINT);
  postgres_integer(&a, t->store->part);
  w->keys.count = w->values.count = 0;
  return postgres_send_next(t, POSTGRES_ADD, &a);
}

/* Gathered until a count is read, or the commit: so the rows of counts are locked as late as can be. */
static int postgres_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  postgres_txn *t = (postgres_txn *)txn;
  postgres_writes *w = &t->store->writes;
  unsigned i = 0;
  if (delta == 0 || t->failed) return t->failed;
  t->wrote = true;
  if (key.n > POSTGRES_SEEN_KEY) return postgres_add_alone(t, key, delta);
  postgres_unsee(t, key, true);
  while (i < w->add_count && !(w->adds[i].n == key.n && memcmp(w->adds[i].key, key.p, key.n) == 0)) i++;
  if (i == POSTGRES_ADDS) {
    if (postgres_send_puts(t) != SVC_OK || postgres_send_adds(t) != SVC_OK) return t->failed;
    i = 0;
  }
  if (i == w->add_count) {
    memcpy(w->adds[i].key, key.p, w->adds[i].n = key.n);
    w->adds[w->add_count++].delta = 0;
  }
  w->adds[i].delta += delta;
  return SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------------ room, copy */

/*
** The server's disk is the server's: there is no more of it to be had here. Work that frees is tried once more, without what does not:
** pages of the tables may have room for it where there is no room for pages.
*/
static int postgres_room(svc_store *store, int what)
{
  bool full = store->full, first = what == SVC_ROOM_TO_FREE && !store->freeing;
  store->full = false;
  store->freeing = what == SVC_ROOM_TO_FREE;
  return full && !first && what != SVC_ROOM_DONE ? SVC_FULL : SVC_OK;
}

/* The sequence knows no transactions: what comes now is behind this at once. */
static int postgres_numbers_from(svc_txn *txn, uint64_t least)
{
  svc_store *store = ((postgres_txn *)txn)->store;
  postgres_args a = { 0 };
  PGresult *r;
  postgres_integer(&a, (int64_t)(least / POSTGRES_NUMBERS + 1) * POSTGRES_NUMBERS);
  store->number = store->numbers_end = 0;
  return postgres_ask((postgres_txn *)txn, POSTGRES_NUMBERS_FROM, &a, &r);
}

/* A copy goes on with numbers behind this one. The writer is the commit queue's, so copy() itself could not ask. */
static int postgres_copy_begin(svc_txn *txn)
{
  svc_store *store = ((postgres_txn *)txn)->store;
  uint64_t number = postgres_number(txn);
  pthread_mutex_lock(&store->lock);
  store->copied = number;
  pthread_mutex_unlock(&store->lock);
  return txn->error;
}

/* path is the URI of another database, or of another schema; or a folder, where it becomes a store of LMDB. */
static int postgres_copy(svc_store *store, const char *path)
{
  svc_copy_report report;
  svc_config config;
  uint64_t number;
  pthread_mutex_lock(&store->lock);
  number = store->copied;
  pthread_mutex_unlock(&store->lock);
  memset(&config, 0, sizeof config);
  config.path = path;
  config.allocator = store->allocator;
  if (strncmp(path, "postgres://", 11) == 0 || strncmp(path, "postgresql://", 13) == 0) config.store = svc_postgres_port();
  return svc_store_copy(svc_postgres_port(), store, number, &config, &report);
}

static void postgres_forget_given(svc_txn *txn)
{
  postgres_forget((postgres_txn *)txn);
}

const svc_store_port *svc_postgres_port(void)
{
  static const svc_store_port port = {
    .open = postgres_open,
    .close = postgres_close,
    .read_begin = postgres_read_begin,
    .read_end = postgres_read_end,
    .write_begin = postgres_write_begin,
    .draft_begin = postgres_draft_begin,
    .draft_write = postgres_draft_write,
    .commit = postgres_commit,
    .abort = postgres_abort,
    .number = postgres_number,
    .size = postgres_size,
    .get = postgres_get,
    .get_many = postgres_get_many,
    .expect = postgres_expect,
    .scan = postgres_scan,
    .put = postgres_put,
    .remove = postgres_remove,
    .remove_range = postgres_remove_range,
    .count = postgres_count,
    .count_add = postgres_count_add,
    .room = postgres_room,
    .copy = postgres_copy,
    .copy_begin = postgres_copy_begin,
    .numbers_from = postgres_numbers_from,
    .forget = postgres_forget_given,
    .rests = postgres_rests,
    .rest = postgres_rest,
    .ping = postgres_ping,
    .why = postgres_why,
    .shared = true,
  };
  return &port;
}
