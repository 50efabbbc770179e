/*
** The store port: what a store must be able to do. LMDB is the one that is folded in (ports/lmdb.c); another engine is
** another struct of these functions, and svc_config.store chooses it.
**
** Keys and values are bytes; keys are ordered as memcmp orders them and have at most SVC_KEY_MOST bytes. Any number of
** read transactions beside the write transaction: each sees the state of its beginning, a writer also what it has written.
**
** The rule for memory: whatever get, get_many and scan give is valid until the transaction ends, also when the
** transaction writes meanwhile. A port whose memory moves under writes makes copies in write transactions.
**
** Results are SVC_OK or an error of svcapi.h (SVC_NOT_FOUND: the key is not there), or one of these:
*/
#ifndef SVC_STORE_PORT_H
#define SVC_STORE_PORT_H

#include "base/base.h"

#define SVC_NO_ROOM 101 /* abort, call room(), and do it again */
#define SVC_RETRY 102   /* a serialization conflict, another writer came first: abort and do it again. The caller takes the pause: see rests */

#define SVC_STORE_FORMAT 5 /* of keys and records; a store of another one is refused (store/commit.c) */
#define SVC_STORE_UPGRADING 0x80000000u /* with the format: an upgrade from it was begun (ports/transfer/upgrade.c) */
#define SVC_KEY_MOST 511
#define SVC_COPY_MARK "\0copy" /* a key that is there while a store is being copied into this one: it is none yet */
#define SVC_COUNT_LETTER 'c' /* what the keys of counts begin with, and those of no records: see count() */

typedef struct svc_store svc_store;
typedef struct svc_txn svc_txn;
typedef struct svc_ids svc_ids;

typedef struct svc_row {
  svc_str key, value;
} svc_row;

/* The keys from `from` up to `to`, which is not one of them. */
typedef struct svc_range {
  svc_str from, to;
  bool backwards; /* the greatest first */
  uint64_t skip;  /* so many of the first are passed over */
} svc_range;

/* What is to be had in room(). */
enum svc_room {
  SVC_ROOM_MORE,    /* more of it, within the limit that is configured; SVC_FULL: there is none */
  SVC_ROOM_TO_FREE, /* beyond the limit, for work that leaves less in the store than there was */
  SVC_ROOM_DONE     /* that work is done: back within the limit, if what is stored allows */
};

struct svc_store_port {
  /* Opens what config->path names; NULL: a private store that vanishes at close. why: for people, when it fails. */
  int (*open)(svc_store **out, const svc_config *config, char *why, size_t why_size);
  void (*close)(svc_store *store);
  int (*read_begin)(svc_store *store, svc_txn **out);
  void (*read_end)(svc_txn *txn);
  int (*write_begin)(svc_store *store, svc_txn **out);
  /* Where a question is a round trip: a read transaction, ended by read_end, which may also become the write transaction, and then is
  ** asked nothing twice. It is in no writer's way. draft_write() is called in place of write_begin; false: something came between, and
  ** it stays what it is. Until then what it gives may be of more than one state. NULL: there is no such thing. */
  int (*draft_begin)(svc_store *store, svc_txn **out);
  bool (*draft_write)(svc_txn *txn);
  int (*commit)(svc_txn *txn); /* ends it, whatever comes of it; SVC_OK: it is as durable as was configured */
  void (*abort)(svc_txn *txn);
  uint64_t (*number)(svc_txn *txn); /* of a write transaction: less than 2^44, and no other one of this store ever has it */

  /* Of a read transaction: another number than this means that something was committed between. 0, or NULL: it cannot tell. */
  uint64_t (*state)(svc_txn *txn);

  /* Of a read transaction: bytes that the store takes, and those that it has room for. NULL: it cannot tell. */
  int (*size)(svc_txn *txn, uint64_t *taken, uint64_t *room);

  int (*get)(svc_txn *txn, svc_str key, svc_str *value);
  /* Several at once; values[i].p NULL: there is no keys[i]. */
  int (*get_many)(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values);
  /* What is likely to be asked for next: these keys, records or counts, and so many rows of the next scan. A port that pays for
  ** every question asks for them along with one. NULL: it does not. */
  void (*expect)(svc_txn *txn, const svc_str *keys, size_t n, uint64_t rows);
  /* The first rows of a range, `most` of them; *n less than that: these were all. */
  int (*scan)(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n);
  int (*put)(svc_txn *txn, svc_str key, svc_str value);
  int (*remove)(svc_txn *txn, svc_str key); /* also of what is not there */
  int (*remove_range)(svc_txn *txn, svc_str from, svc_str to);
  /* A number that writers add to, at first 0; many may do so at once without being in each other's way. How it is kept is the
  ** port's, but of keys that begin with SVC_COUNT_LETTER scan gives those of counts that are not 0 as of any record, with the number as
  ** value, and remove_range makes them 0 again: snapshots and copies go by that. */
  int (*count)(svc_txn *txn, svc_str key, int64_t *out);
  int (*count_add)(svc_txn *txn, svc_str key, int64_t delta);

  /* Outside of any transaction of the caller's. */
  int (*room)(svc_store *store, int what); /* enum svc_room; SVC_OK: what had no room may be tried again */
  int (*copy)(svc_store *store, const char *path); /* a consistent copy that open() takes */
  int (*copy_begin)(svc_txn *txn); /* in a write transaction that is committed before copy(): what the copy has to know */
  int (*numbers_from)(svc_txn *txn, uint64_t least); /* of a write transaction: opened again, the store has no number less than this */
  void (*forget)(svc_txn *txn); /* of a read transaction: nobody needs what it has given so far. NULL: that takes no memory */
  /* What the records lie in, below them: SVC_OK, or SVC_CORRUPT and why, for people. NULL: that is not for us to look at. */
  int (*check)(svc_store *store, char *why, size_t why_size);

  /* The pause before a transaction is retried after SVC_RETRY: rests() says how many times to call rest() before try number `tries`,
  ** counted from 1, never the same number for two handles; rest() sleeps for about a millisecond. Between two rests the caller
  ** serves others. Both NULL: no pause is needed. */
  unsigned (*rests)(svc_store *store, unsigned tries);
  void (*rest)(svc_store *store);

  /* Of a read transaction: does the server answer? *time: its clock, in milliseconds since 1970. NULL: there is no server. */
  int (*ping)(svc_txn *txn, int64_t *time);
  /* The engine's own words (libpq's, LMDB's, errno's) for the last error that was `status`, for the log; without secrets. False: it
  ** has none. From any thread. NULL: it never has. */
  bool (*why)(svc_store *store, int status, char *text, size_t size);
  /* How many connections to a server were made since it was opened, the first ones included. It asks nobody, and never waits. From any
  ** thread. NULL: there is no server. */
  uint64_t (*connects)(svc_store *store);

  /* The whole store as this transaction sees it, kept without a copy: *held is to be given to let_go(), which may come after close(). *bytes: of its
  ** keys and values; *records: how many. bring_back() makes it the content of a write transaction; held_begin() begins a read transaction of it, also after close(),
  ** which read_end() ends. NULL, all four: the store cannot; then records are copied one by one. */
  int (*hold)(svc_txn *txn, void **held, uint64_t *bytes, uint64_t *records);
  int (*bring_back)(svc_txn *txn, const void *held);
  int (*held_begin)(const void *held, svc_txn **out);
  void (*let_go)(void *held);

  bool shared; /* other processes write to it as well: nothing that was read in another transaction may be relied on */
};

/* Do others write to it as well? Without SVC_SHARED_STORE there is no code for that, and no such store is opened: who has none pays nothing. */
#ifdef SVC_SHARED_STORE
#define SVC_IS_SHARED(port) ((port)->shared)
#else
#define SVC_IS_SHARED(port) false
#endif

/* What every port's transaction begins with. */
struct svc_txn {
  const svc_store_port *port;
  svc_ids *ids;  /* of a write transaction: where new ids and revisions come from */
  bool writing;
  bool draft;    /* of draft_begin(), and it may still become the write transaction */
  bool dirty;    /* something was put or removed */
  bool fresh;    /* what is put now has a key that was not there before: a port need not look. If it was, the port says SVC_RETRY */
  bool again;    /* of a write transaction: its work is retried after SVC_RETRY, so nothing is taken for fresh */
  int error;     /* the first error of any call; the transaction can only be aborted then */
};

#endif /* SVC_STORE_PORT_H */
