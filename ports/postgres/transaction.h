/*
** Transactions: readers, drafts and the one writer; counters, numbers, and queries about the server.
**
** The rule: a read never has to be repeated. A write that conflicts with another one is SVC_RETRY, and the pause before the next attempt
** grows.
*/
#ifndef SVC_POSTGRES_TRANSACTION_H
#define SVC_POSTGRES_TRANSACTION_H

#include "connection.h"

static void postgres_begin(postgres_txn *t, bool reads)
{
  t->head.port = svc_postgres_port();
  t->head.ids = NULL;
  t->head.writing = t->head.draft = false;
  t->head.dirty = t->head.fresh = t->head.again = false;
  t->reads = reads;
  t->block = !reads || t->store->pooler == POSTGRES_TRANSACTION;
  t->head.error = SVC_OK;
  t->begun = t->committing = t->wrote = false;
  t->number = t->rows = 0;
}

/* Takes a free transaction, preferably a connected one. NULL: none was released in time. */
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
    for (i = 0; i < store->reader_count && !(found && found->conn); i++)
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
  postgres_begin(t, !draft);
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

/* Ends a transaction without waiting: the next user of the connection reads the result. */
static void postgres_leave(postgres_txn *t, int statement)
{
  t->failed = SVC_OK;
  /* a failure has closed the connection */
  if (t->begun && (!t->block || postgres_send_one(t, statement, NULL) == SVC_OK)) postgres_sync(t);
  postgres_forget(t);
}

static void postgres_read_end(svc_txn *txn)
{
  postgres_txn *t = (postgres_txn *)txn;
  if (t->conn) postgres_leave(t, POSTGRES_ROLLBACK); /* sends ROLLBACK only after a BEGIN */
  else postgres_forget(t);
  postgres_give_back(t);
}

/* Returns the milliseconds before a retry. The pause doubles with each try, and is randomized between half and all of that. */
static unsigned postgres_rests(svc_store *store, unsigned tries)
{
  unsigned most = tries > 20 || POSTGRES_FIRST_PAUSE << tries > POSTGRES_LONGEST_PAUSE ? POSTGRES_LONGEST_PAUSE : POSTGRES_FIRST_PAUSE << tries;
  return most / 2 + (unsigned)(postgres_chance(store) >> 32) % (most / 2 + 1);
}

/* Sleeps for 0.5 to 1.5 milliseconds. */
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
  postgres_begin(t, false);
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
  t->ahead.r = NULL; /* the writer may change rows that were read ahead */
  postgres_write(t);
  return true;
}

/* Gives back the connection of a draft that has become the writer. Returns rc. */
static int postgres_ended(postgres_txn *t, int rc)
{
  if (t != &t->store->writer) postgres_give_back(t);
  return rc;
}

/* Commits. After an error, PostgreSQL turns COMMIT into ROLLBACK, and reports that only in the command tag. */
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

/* Returns the number of a transaction. The sequence counts in blocks of POSTGRES_NUMBERS, and a handle owns the whole block. */
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

/* Reads a counter whose key is too long to be remembered. */
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
  if (!postgres_seen_grow(t, 1)) postgres_seen_clear(t);
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
  *room = *taken; /* only the server knows how much room it has */
  return rc;
}

static int postgres_ping(svc_txn *txn, int64_t *time)
{
  PGresult *r;
  int rc = postgres_ask((postgres_txn *)txn, POSTGRES_PING, NULL, &r);
  *time = rc == SVC_OK ? postgres_integer_at(r, 0, 0) : 0;
  return rc;
}

#endif /* SVC_POSTGRES_TRANSACTION_H */
