/*
** Communication with the server: sending statements in pipeline mode, waiting for results, and the meaning of errors.
**
** The rule: no wait for a result is longer than the store's timeout. A connection that exceeds it is closed, and
** its transaction has failed.
*/
#ifndef SVC_POSTGRES_WIRE_H
#define SVC_POSTGRES_WIRE_H

#include "statement.h"

/* Whether the connection failed, or the server ends it: the server is shutting down, or an administrator asked for it. */
static bool postgres_goodbye(const PGresult *r)
{
  const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  return state && (strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0);
}

/* The status for a SQLSTATE. Only a writer can make room. */
static int postgres_error(const PGresult *r, bool writing)
{
  const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  if (!state) return SVC_IO;
  if (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0 || strcmp(state, "55P03") == 0 || strcmp(state, "23505") == 0) return SVC_RETRY;
  if (strcmp(state, "53100") == 0) return writing ? SVC_NO_ROOM : SVC_FULL;
  return strcmp(state, "57014") == 0 || strncmp(state, "53", 2) == 0 ? SVC_BUSY : SVC_IO; /* too slow, or out of resources */
}

/* Notes an error for the log, as one line. */
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

/* Copies the noted error, if it belongs to this status. A noted conflict also belongs to SVC_BUSY and SVC_IO, the status of work that was
** given up after conflicts. */
static bool postgres_why(svc_store *store, int status, char *text, size_t size)
{
  bool found;
  pthread_mutex_lock(&store->lock);
  found = store->why[0] && (store->said == status || (store->said == SVC_RETRY && (status == SVC_BUSY || status == SVC_IO)));
  if (found) snprintf(text, size, "%s", store->why);
  pthread_mutex_unlock(&store->lock);
  return found;
}

static uint64_t postgres_connects(svc_store *store)
{
  return atomic_load(&store->connects);
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

/* Closes a lost connection, and returns the status of its transaction: see the head of ports/postgres.c. */
static int postgres_lost(postgres_txn *t)
{
  const bool undone = t->head.writing && !t->committing;
  if (t->conn) postgres_note_conn(t->store, undone ? SVC_RETRY : SVC_IO, t->conn);
  postgres_lose(t);
  return undone ? SVC_RETRY : SVC_IO;
}

/* Closes a connection after a timeout. The server's process may still lock rows of counters, so this handle then adds to another part. */
static int postgres_late(postgres_txn *t)
{
  char line[96];
  snprintf(line, sizeof line, "PostgreSQL: no answer within %d ms, the connection is closed", t->store->timeout);
  postgres_note(t->store, SVC_IO, line);
  if (t->head.writing) t->store->part = (t->store->part + 1) % POSTGRES_PARTS;
  postgres_lose(t);
  return SVC_IO;
}

/* Sends what is left, and reads until there is a result, or nothing more can come. Returns false after the timeout. */
static bool postgres_await(PGconn *conn, int64_t until)
{
  struct pollfd p = { .events = POLLIN };
  for (;;) {
    int unsent = PQflush(conn), n;
    int64_t left;
    if (unsent < 0 || !PQisBusy(conn)) return true;
    p.fd = PQsocket(conn);
    if (p.fd < 0) return true; /* the connection is closed, as below */
    p.events = (short)(POLLIN | (unsent ? POLLOUT : 0));
    left = until - postgres_clock();
    n = poll(&p, 1, left > 0 ? (int)left : 0);
    if (n <= 0 && left <= 0) return false;
    /* the connection is lost: PQgetResult() has the reason at once */
    if (n > 0 && (p.revents & ~POLLOUT) && !PQconsumeInput(conn)) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

static int postgres_fail(postgres_txn *t, int rc)
{
  if (t->failed == SVC_OK) t->failed = rc;
  return t->failed;
}

/* Reads the result of the next statement. *out NULL: an error, of this statement or an earlier one; or no statement is waiting, and this
** was the end of a batch. */
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
    if (!r) { /* the end of a statement; several in a row: nothing more comes */
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

/* Reads results until those of the last `leave` statements remain, so that the next result belongs to the first of these. Returns the first
** error. */
static int postgres_drain(postgres_txn *t, unsigned leave)
{
  while (t->conn && t->waiting > leave) {
    PGresult *r;
    postgres_next(t, &r);
    PQclear(r);
  }
  return t->failed;
}

/* Reads and ignores all remaining results of a finished transaction. */
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
    k = malloc(sizeof *k); /* from malloc, like libpq's results in it */
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
  postgres_seen_clear(t);
  t->ahead.r = NULL;
}

/* --------------------------------------------------------------------------------------------------------------- sending */

static int postgres_send_one(postgres_txn *t, int statement, const postgres_args *a)
{
  static const int binary[4] = { 1, 1, 1, 1 };
  const bool pooled = t->store->pooler == POSTGRES_TRANSACTION;
  const int n = a ? a->n : 0, *lengths = a ? a->lengths : NULL;
  const char *const *values = a ? a->values : NULL;
  char text[POSTGRES_SQL];
  bool sent = t->conn != NULL;
  if (!pooled) snprintf(text, sizeof text, "s%d", statement);
  else if (statement == POSTGRES_LOCAL) memcpy(text, t->store->local, sizeof text);
  else sent = sent && postgres_fill(t->store, postgres_sql[statement], text);
  if (sent && pooled) sent = PQsendQueryParams(t->conn, text, n, NULL, values, lengths, binary, 1);
  else if (sent) sent = PQsendQueryPrepared(t->conn, text, n, values, lengths, binary, 1);
  if (!sent) return postgres_fail(t, postgres_lost(t));
  t->waiting++;
  return SVC_OK;
}

/* Sends BEGIN, and through a pooler the settings of this transaction. */
static int postgres_open_block(postgres_txn *t)
{
  int rc = postgres_send_one(t, t->reads ? POSTGRES_READ : POSTGRES_WRITE, NULL);
  return rc == SVC_OK && t->store->pooler == POSTGRES_TRANSACTION ? postgres_send_one(t, POSTGRES_LOCAL, NULL) : rc;
}

/* Adds a statement to the pipeline, after BEGIN if it is the first. */
static int postgres_send_next(postgres_txn *t, int statement, const postgres_args *a)
{
  if (t->failed) return t->failed;
  if (!t->begun && t->block && postgres_open_block(t) != SVC_OK) return t->failed;
  t->begun = true;
  return postgres_send_one(t, statement, a);
}

/* Sends the gathered records, before anything else. */
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

/* Sends the gathered additions to counters, after the records, whose arrays are reused. */
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

/* Adds a statement to the pipeline, after the gathered records. The additions to counters go before a statement that must see them, and
** before COMMIT. */
static int postgres_send(postgres_txn *t, int statement, const postgres_args *a)
{
  bool counts = statement == POSTGRES_COUNT_ANY || statement == POSTGRES_UP_ALL || statement == POSTGRES_DOWN_ALL ||
                statement == POSTGRES_REMOVE_COUNTS || statement == POSTGRES_COMMIT;
  if (t->head.writing && (postgres_send_puts(t) != SVC_OK || (counts && postgres_send_adds(t) != SVC_OK))) return t->failed;
  return postgres_send_next(t, statement, a);
}

/* Ends a batch; without BEGIN also the transaction. */
static int postgres_sync(postgres_txn *t)
{
  if (t->failed) return t->failed;
  if (!PQpipelineSync(t->conn)) return postgres_fail(t, postgres_lost(t));
  t->syncs++;
  return SVC_OK;
}

/* Flushes, so that the server starts on what was sent while more statements follow. */
static int postgres_start(postgres_txn *t)
{
  return PQflush(t->conn) < 0 ? postgres_fail(t, postgres_lost(t)) : SVC_OK;
}

/* Makes the server execute everything that was sent, and return the results. */
static int postgres_go(postgres_txn *t)
{
  if (t->failed || t->block) return postgres_sync(t);
  return PQsendFlushRequest(t->conn) ? SVC_OK : postgres_fail(t, postgres_lost(t));
}

#endif /* SVC_POSTGRES_WIRE_H */
