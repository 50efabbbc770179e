/*
** The types of the store on PostgreSQL: a store, its connections with their transactions, and its limits.
**
** The rule: every member says whose it is. The lock guards what all threads share; the rest belongs to the thread that has the transaction.
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

#define POSTGRES_READERS 16 /* connections, and one of the writer's; an option of the URI */
#define POSTGRES_MOST_READERS 256
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
  bool block;        /* it has a BEGIN, and an end of its own: a writer's, a draft, or of any kind through a pooler */
  bool reads;        /* its BEGIN is a reader's */
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

/* Does a session of ours keep one connection of the server's? */
enum postgres_pooler { POSTGRES_DETECT, POSTGRES_SESSION, POSTGRES_TRANSACTION };

struct svc_store {
  svc_allocator allocator;
  char *uri;
  bool relaxed; /* a commit need not be on the disk */
  int timeout; /* milliseconds */
  char schema[256]; /* of the tables, quoted where it must be; "": not known yet */
  char named[64];   /* the schema that the URI names, as it stands there; "": none */
  char local[POSTGRES_SQL]; /* through a pooler: the statement that makes our settings, for one transaction; "": not known yet */
  int pooler;       /* enum postgres_pooler: what the URI says, and from the first connection on what was found */
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
  atomic_ulong connects; /* connections that were made */
  uint64_t copied;       /* the number of the transaction before a copy; the lock's */
  postgres_txn writer, *readers;
  int reader_count;
  postgres_writes writes;
};

#endif /* SVC_POSTGRES_STORE_H */
