/*
** The store port: the functions that a store engine provides. LMDB is built in (ports/lmdb.c). Another engine is another struct of these
** functions, which svc_config.store selects.
**
** Keys and values are bytes. Keys are ordered as by memcmp and have at most SVC_KEY_MOST bytes. Any number of read transactions run at the
** same time as one write transaction. A read transaction sees the state of its beginning; a writer also sees its own writes.
**
** The rule for memory: pointers from get, get_many and scan stay valid until the transaction ends, even if the transaction writes
** meanwhile. A port whose memory moves under writes makes copies in write transactions.
**
** Functions return SVC_OK, an error of svcapi.h (SVC_NOT_FOUND: no such key), or one of these:
*/
#ifndef SVC_STORE_PORT_H
#define SVC_STORE_PORT_H

#include "base/base.h"

#define SVC_NO_ROOM 101 /* abort, call room(), and repeat the transaction */
#define SVC_RETRY 102   /* a serialization conflict: another writer came first. Abort and repeat; the caller pauses: see rests() */

#define SVC_STORE_FORMAT 5 /* format of keys and records; a store of another format is refused (store/commit.c) */
#define SVC_STORE_UPGRADING 0x80000000u /* added to the format: an upgrade from it has begun (ports/transfer/upgrade.c) */
#define SVC_KEY_MOST 511
#define SVC_COPY_MARK "\0copy" /* a key that exists while a store is being copied into this one, which must not be opened yet */
#define SVC_COUNT_LETTER 'c' /* first byte of the keys of counts, and of no other keys: see count() */

typedef struct svc_store svc_store;
typedef struct svc_txn svc_txn;
typedef struct svc_ids svc_ids;

typedef struct svc_row {
  svc_str key, value;
} svc_row;

/* The keys from `from` up to, but not including, `to`. */
typedef struct svc_range {
  svc_str from, to;
  bool backwards; /* the greatest key first */
  uint64_t skip;  /* number of keys to skip first */
} svc_range;

/* Requests to room(). */
enum svc_room {
  SVC_ROOM_MORE,    /* grow within the configured limit; SVC_FULL: impossible */
  SVC_ROOM_TO_FREE, /* grow beyond the limit, for work that shrinks the store */
  SVC_ROOM_DONE     /* the work of SVC_ROOM_TO_FREE is done: return to the limit, if the content allows */
};

struct svc_store_port {
  /* Opens config->path; NULL: a private store that close() deletes. `why` receives the reason of a failure, for people. */
  int (*open)(svc_store **out, const svc_config *config, char *why, size_t why_size);
  void (*close)(svc_store *store);
  /* Called instead of close() in a child process after fork(). Frees memory and descriptors of this process, and leaves alone what the parent
  ** uses as well: files, locks, connections. It takes no lock. NULL: nothing is freed. */
  void (*abandon)(svc_store *store);
  int (*read_begin)(svc_store *store, svc_txn **out);
  void (*read_end)(svc_txn *txn);
  int (*write_begin)(svc_store *store, svc_txn **out);
  /* For engines on a server: a draft is a read transaction that may become the write transaction, which saves repeated round trips. A draft
  ** does not block writers. draft_write() replaces write_begin(); false: another commit came first, and the draft stays a read transaction.
  ** Until then its reads may come from more than one state. read_end() ends it. NULL: the engine has no drafts. */
  int (*draft_begin)(svc_store *store, svc_txn **out);
  bool (*draft_write)(svc_txn *txn);
  int (*commit)(svc_txn *txn); /* ends the transaction in any case; SVC_OK: its writes are as durable as configured */
  void (*abort)(svc_txn *txn);
  uint64_t (*number)(svc_txn *txn); /* number of a write transaction: less than 2^44, unique in the store's life */

  /* Number of the state that a read transaction sees; a different number means a commit between. 0 or NULL: unknown. */
  uint64_t (*state)(svc_txn *txn);

  /* Bytes in use and bytes available, in a read transaction. NULL: unknown. */
  int (*size)(svc_txn *txn, uint64_t *taken, uint64_t *room);

  int (*get)(svc_txn *txn, svc_str key, svc_str *value);
  /* Reads several keys at once; values[i].p NULL: keys[i] does not exist. */
  int (*get_many)(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values);
  /* Announces keys (records or counts) and a number of rows of the next scan that will probably be read. An engine that pays for every
  ** round trip reads them along with the next one. NULL: no effect. */
  void (*expect)(svc_txn *txn, const svc_str *keys, size_t n, uint64_t rows);
  /* Reads the first `most` rows of a range; *n less than `most`: there are no more. */
  int (*scan)(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n);
  int (*put)(svc_txn *txn, svc_str key, svc_str value);
  int (*remove)(svc_txn *txn, svc_str key); /* a missing key is not an error */
  int (*remove_range)(svc_txn *txn, svc_str from, svc_str to);
  /* A count is a number that starts at 0 and that concurrent writers add to without conflicts. Its storage is up to the engine. But scan
  ** shows counts other than 0 as records whose keys begin with SVC_COUNT_LETTER, with the number as value, and remove_range resets them
  ** to 0: snapshots and copies rely on it. */
  int (*count)(svc_txn *txn, svc_str key, int64_t *out);
  int (*count_add)(svc_txn *txn, svc_str key, int64_t delta);

  /* The next two are called outside of the caller's transactions. */
  int (*room)(svc_store *store, int what); /* enum svc_room; SVC_OK: repeat the transaction that had no room */
  int (*copy)(svc_store *store, const char *path); /* writes a consistent copy that open() accepts */
  int (*copy_begin)(svc_txn *txn); /* writes what the copy needs, in a write transaction that is committed before copy() */
  int (*numbers_from)(svc_txn *txn, uint64_t least); /* in a write transaction: when reopened, the store uses no number below `least` */
  void (*forget)(svc_txn *txn); /* frees what a read transaction has returned so far. NULL: results take no memory */
  /* Checks the structure below the records. Returns SVC_OK, or SVC_CORRUPT and the reason for people. NULL: not possible. */
  int (*check)(svc_store *store, char *why, size_t why_size);

  /* The pause before a retry after SVC_RETRY. rests() returns how many times to call rest() before try number `tries` (from 1), a
  ** different number for each handle. rest() sleeps for about a millisecond. Between two rests the caller serves other requests. Both NULL:
  ** no pause is needed. */
  unsigned (*rests)(svc_store *store, unsigned tries);
  void (*rest)(svc_store *store);

  /* Asks the server, in a read transaction, whether it answers. *time: its clock, in milliseconds since 1970. NULL: there is no server. */
  int (*ping)(svc_txn *txn, int64_t *time);
  /* Writes the engine's message (libpq's, LMDB's, errno's) for the last error `status`, for the log, without secrets. False: there is no
  ** message. Any thread. NULL: there never is one. */
  bool (*why)(svc_store *store, int status, char *text, size_t size);
  /* Returns the number of connections made to a server since open(), including the first ones. It never blocks. Any thread. NULL: there is
  ** no server. */
  uint64_t (*connects)(svc_store *store);

  /* Snapshots without a copy. hold() keeps the whole store as the transaction sees it. let_go() frees *held, even after close(). *bytes is
  ** the size of all keys and values, *records their number. bring_back() makes it the content of a write transaction. held_begin() begins a
  ** read transaction on it, even after close(); read_end() ends that. All four NULL: the library copies records one by one. */
  int (*hold)(svc_txn *txn, void **held, uint64_t *bytes, uint64_t *records);
  int (*bring_back)(svc_txn *txn, const void *held);
  int (*held_begin)(const void *held, svc_txn **out);
  void (*let_go)(void *held);

  bool shared; /* other processes write to the store as well: never rely on reads of an earlier transaction */
};

/* True if other processes write to the store, too. Without SVC_SHARED_STORE the code for that is left out;
** svc_open() refuses such a store. */
#ifdef SVC_SHARED_STORE
#define SVC_IS_SHARED(port) ((port)->shared)
#else
#define SVC_IS_SHARED(port) false
#endif

/* The first members of every port's transaction. */
struct svc_txn {
  const svc_store_port *port;
  svc_ids *ids;  /* of a write transaction: source of new ids and revisions */
  bool writing;
  bool draft;    /* made by draft_begin(), and may still become the write transaction */
  bool dirty;    /* the transaction has written */
  bool fresh;    /* the next put has a new key, so the port need not look it up. If the key exists, put returns SVC_RETRY */
  bool again;    /* of a write transaction: its work is retried after SVC_RETRY, so `fresh` is not used */
  int error;     /* the first error of any call; only abort() is allowed afterwards */
};

#endif /* SVC_STORE_PORT_H */
