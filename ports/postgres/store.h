/*
** The types of the store on PostgreSQL: a store, its connections with their transactions, and its limits.
**
** The rule: every member says which thread may use it. The lock protects what all threads share; the rest belongs to the thread with the
** transaction.
*/
#ifndef SVC_POSTGRES_STORE_H
#define SVC_POSTGRES_STORE_H

#include "ports/store_port.h"
#include "ports/postgres.h"
#include "ports/store_copy.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define POSTGRES_READERS 16 /* connections, in addition to the writer's; an option of the URI */
#define POSTGRES_MOST_READERS 256
#define POSTGRES_TIMEOUT 5000 /* milliseconds, for every call, and for a reader's wait for a connection */
#define POSTGRES_LEAST 100 /* bounds of the timeout in the URI */
#define POSTGRES_MOST 600000
#define POSTGRES_OUTAGE 1000 /* milliseconds without attempts to connect, after one that failed slowly */
#define POSTGRES_PARTS 64   /* of a counter */
#define POSTGRES_NUMBERS 64 /* transaction numbers that a handle takes from the sequence at once */
#define POSTGRES_FIRST_PAUSE 1 /* milliseconds, as in the next line */
#define POSTGRES_LONGEST_PAUSE 250
#define POSTGRES_KEPT 30 /* results per block */
#define POSTGRES_TRIES 8 /* to create the tables: other processes may do the same */
#define POSTGRES_SEEN 32 /* keys whose values a transaction remembers at first: */
#define POSTGRES_SEEN_MOST 8192 /* a writer does the jobs of many callers in one transaction, so their number grows up to this */
#define POSTGRES_SEEN_HEADS 128 /* lists of keys with the same part of their hash */
#define POSTGRES_NONE UINT16_MAX
#define POSTGRES_SEEN_KEY 88 /* maximum bytes of such a key */
#define POSTGRES_EDGE (SVC_KEY_MOST + 1) /* bytes of the end of a range: a key, or one byte more */
#define POSTGRES_PUTS 256 /* records written at once */
#define POSTGRES_PUTS_BYTES ((size_t)256 << 10) /* bytes of these that trigger sending */
#define POSTGRES_ADDS 128 /* counters whose additions are gathered and sent at once */
#define POSTGRES_SQL 2048 /* bytes of a statement */

typedef struct postgres_kept {
  struct postgres_kept *before;
  unsigned n;
  PGresult *results[POSTGRES_KEPT];
} postgres_kept;

/* A key that is expected, or was read. */
typedef struct postgres_seen {
  enum { POSTGRES_WANTED, POSTGRES_SENT, POSTGRES_HERE, POSTGRES_WRITTEN } how; /* to be read; query sent; value known; unknown, because the
                                                                                   transaction has written it */
  bool is_count;
  uint16_t next; /* in the list of its hash; POSTGRES_NONE: the last one */
  uint64_t hash;
  size_t n;
  char key[POSTGRES_SEEN_KEY];
  svc_str value; /* of a record; p NULL: not found */
  int64_t count; /* of a counter */
} postgres_seen;

/* An array in the server's binary format. */
typedef struct postgres_array {
  char *p;
  size_t n, room;
  unsigned count;
} postgres_array;

typedef struct postgres_txn {
  svc_txn head;
  svc_store *store;
  PGconn *conn;      /* NULL: none, or lost */
  bool busy;         /* in use by a transaction; protected by the store's lock */
  bool block;        /* has a BEGIN and an end of its own: a writer's, a draft, or any transaction through a pooler */
  bool reads;        /* its BEGIN is a reader's */
  bool begun;        /* something was sent */
  bool committing;   /* COMMIT was sent */
  bool wrote;
  unsigned waiting, syncs; /* statements and ends of batches whose results are not read yet */
  int failed;        /* the first error of the transaction */
  uint64_t number;   /* of a writer; 0: none yet */
  postgres_kept first, *kept; /* results that were returned */
  unsigned seen_count, seen_room;
  unsigned wanted[2]; /* number of keys to be read: records, counters */
  uint16_t heads[POSTGRES_SEEN_HEADS]; /* the first key of each list; valid if seen_count is not 0 */
  postgres_seen *seen; /* allocated, like `edge`, at the first connection: most readers never connect */
  uint64_t rows; /* expected rows of the next scan */
  struct {       /* of a reader's last scan: rows that were not asked for yet */
    PGresult *r; /* NULL: nothing */
    int at, n;
    bool all, backwards;
    size_t edge_length;
    char *edge; /* the end of its range, in its direction; POSTGRES_EDGE bytes */
  } ahead;
} postgres_txn;

/* The gathered writes. */
typedef struct postgres_writes {
  bool fresh; /* none of these records existed before */
  postgres_array keys, values;    /* of records */
  uint64_t hashes[POSTGRES_PUTS]; /* of their keys */
  struct {
    int64_t delta;
    size_t n;
    char key[POSTGRES_SEEN_KEY];
  } adds[POSTGRES_ADDS]; /* to counters */
  unsigned add_count;
} postgres_writes;

/* Whether a connection always leads to the same session of the server (SESSION), or a pooler may change it with each transaction. */
enum postgres_pooler { POSTGRES_DETECT, POSTGRES_SESSION, POSTGRES_TRANSACTION };

struct svc_store {
  svc_allocator allocator;
  char *uri;
  bool relaxed; /* a commit need not be on the disk */
  int timeout; /* milliseconds */
  char schema[256]; /* of the tables, quoted if necessary; "": not known yet */
  char named[64];   /* the schema in the URI, as written; "": none */
  char local[POSTGRES_SQL]; /* through a pooler: the statement with our settings for one transaction; "": not known yet */
  int pooler;       /* enum postgres_pooler: from the URI, and from the first connection on as detected */
  pthread_mutex_t lock;
  pthread_cond_t free;
  int64_t down;          /* no thread connects before this time, after a slow failure; protected by the lock, as the next two: */
  int said;              /* the last error, */
  char why[256];         /* and the message of libpq or the server */
  unsigned part;         /* of counters, to which this handle adds; for the writer only, as the members up to `freeing` */
  uint64_t chance;       /* randomness of pauses */
  uint64_t number, numbers_end; /* the next transaction number, and the end of the block that the handle has taken */
  bool full;             /* the server had no room for the last try */
  bool freeing;          /* the current work frees */
  atomic_ulong connects; /* connections made */
  uint64_t copied;       /* the transaction number before a copy; protected by the lock */
  postgres_txn writer, *readers;
  int reader_count;
  postgres_writes writes;
};

/* Forgets all keys. */
static inline void postgres_seen_clear(postgres_txn *t)
{
  t->seen_count = t->wanted[0] = t->wanted[1] = 0;
}

#endif /* SVC_POSTGRES_STORE_H */
