/*
** The store port on PostgreSQL, by libpq. A store is a database, or a schema of one, and any number of processes may open it. The port uses
** only what CockroachDB and YugabyteDB have as well: tables, serializable transactions with retries, and a
** sequence; neither advisory locks nor LISTEN.
**
**   svc_record (k, v)        the records; bytea is ordered as memcmp orders
**   svc_count (k, part, n)   a counter is the sum of its parts. A handle adds to the part that it chose when it was opened, so two
**                            handles that add to the same counter seldom write the same row
**   svc_number               a sequence; a handle takes POSTGRES_NUMBERS at once
**
** Keys that begin with a zero byte are not data: copies and upgrades keep their marks there. There is no state(): each commit would have to
** write a counter for it, and other writers would make any cache based on it outdated.
**
** Round trips cost most of the time, so the port avoids every unnecessary wait. Statements are prepared once per connection and sent in
** pipeline mode. BEGIN goes with the first statement. A statement reads several keys, including expected ones, and a transaction does not
** ask again for a key that it remembers. The port gathers written records and counters. It sends records before the next query, and
** counters only before a counter is read or at the commit; their results are checked then. The end of a read transaction is sent without
** waiting for its result, which the next user of the connection reads or skips. A transaction sees the state of
** its first read, which is not before its beginning.
**
** A read transaction has neither BEGIN nor COMMIT: the statements up to the end of a batch are one transaction, and results
** can be requested before that end.
**
** A write first checks the caller's permission, and then reads in the writer's transaction what the work needs. A draft does both in a
** single transaction on a reader's connection. A draft is serializable from its beginning, and no other transaction waits for it, because
** it has written nothing. If a read of a draft conflicts with a writer, the draft becomes an ordinary reader, and
** the writer begins as usual.
**
** Reads use repeatable read: a snapshot that never waits and never has to be repeated, because a GET cannot be repeated. Serializable and
** deferrable would wait for writers. Writes are serializable. The errors 40001, 40P01 and 55P03 (conflict, deadlock, lock timeout) are
** SVC_RETRY, and so is 23505, because another writer has inserted the same key first. The pause before the next try grows up to
** POSTGRES_LONGEST_PAUSE, and is randomized.
**
** The next transaction that needs a lost connection reconnects. A writer that loses its connection before it has sent COMMIT has done
** nothing: SVC_RETRY. After that the outcome is unknown: SVC_IO, which is answered with 503, and a caller with an Idempotency-Key may
** safely retry.
**
** Every call has a deadline: sockets do not block, and a wait for a result lasts at most `timeout` milliseconds. The timeout and the number
** of reading connections are options of the URI (defaults POSTGRES_TIMEOUT and POSTGRES_READERS). The server cancels a statement a little
** before the deadline. If no answer comes in time, the connection is closed, and the transaction is SVC_IO. An attempt to connect has the
** same timeout for each host, in whole seconds and at least two. After a failed attempt that took POSTGRES_OUTAGE or longer, no thread
** tries for POSTGRES_OUTAGE.
**
** Other users may create objects in the same database. So every session looks for functions, operators and types only in pg_catalog, and
** tables are qualified by their schema: that of the URI, or the first existing one in the search_path of the connection that opened the
** store. Tables of another owner are refused.
**
** A pooler such as PgBouncer may give each transaction another session of the server, so a session must not keep state. With a pooler
** (postgres_find_schema() detects it), readers have a BEGIN as well, the port's settings go with every BEGIN and end with the transaction,
** and statements are sent as text instead of being prepared. The next transaction then waits for the end of the previous one.
**
** This file has the port itself, with room and copies. Its parts are in ports/postgres/: store.h (types), statement.h (SQL), wire.h
** (sending and results), seen.h (keys that were read), connection.h, transaction.h, record.h. The parts are headers so that a program
** compiles only this file and every function stays static.
**
** The rule for memory: returned values are in libpq's results, which are kept until the transaction ends.
*/
#include "postgres/record.h"

/*
** The server manages its disk, so the port cannot get more room. Work that frees room is retried once, because existing pages of the
** tables may have room when there is no room for new pages.
*/
static int postgres_room(svc_store *store, int what)
{
  bool full = store->full, first = what == SVC_ROOM_TO_FREE && !store->freeing;
  store->full = false;
  store->freeing = what == SVC_ROOM_TO_FREE;
  return full && !first && what != SVC_ROOM_DONE ? SVC_FULL : SVC_OK;
}

/* Sets the sequence, which is not transactional: all later numbers are greater at once, even if the transaction is aborted. */
static int postgres_numbers_from(svc_txn *txn, uint64_t least)
{
  svc_store *store = ((postgres_txn *)txn)->store;
  postgres_args a = { 0 };
  PGresult *r;
  postgres_integer(&a, (int64_t)(least / POSTGRES_NUMBERS + 1) * POSTGRES_NUMBERS);
  store->number = store->numbers_end = 0;
  return postgres_ask((postgres_txn *)txn, POSTGRES_NUMBERS_FROM, &a, &r);
}

/* Stores the number from which a copy continues. copy() itself cannot ask for it, because the commit queue holds the writer then. */
static int postgres_copy_begin(svc_txn *txn)
{
  svc_store *store = ((postgres_txn *)txn)->store;
  uint64_t number = postgres_number(txn);
  pthread_mutex_lock(&store->lock);
  store->copied = number;
  pthread_mutex_unlock(&store->lock);
  return txn->error;
}

/* Copies the store. path: the URI of another database or schema, or a folder for an LMDB store. */
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
    .connects = postgres_connects,
    .shared = true,
  };
  return &port;
}

int svc_postgres_schema(const svc_config *config, char *why, size_t why_size)
{
  svc_store *store;
  int rc = postgres_open(&store, config, why, why_size);
  if (rc == SVC_OK) postgres_close(store);
  return rc;
}

int svc_postgres_sql(size_t i, char *out, size_t size)
{
  const char *p;
  size_t n = 0;
  if (i >= sizeof postgres_tables / sizeof postgres_tables[0]) return 0;
  for (p = postgres_tables[i]; *p && n + 1 < size; p++)
    if (*p != '@') out[n++] = *p;
  out[n] = '\0';
  return 1;
}
