/*
** The types of the limiter on Redis: the limits of one handle, its connections, and the nodes that they lead to.
**
** The rule: every member says which thread may use it. The lock protects what all threads share; a connection belongs to the thread that
** has made it busy.
*/
#ifndef SVC_REDIS_LIMITS_H
#define SVC_REDIS_LIMITS_H

#include "ports/limiter_port.h"
#include "ports/redis.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define REDIS_CONNECTIONS 64 /* to a cluster */
#define REDIS_CONNECTIONS_ONE 16 /* to one server */
#define REDIS_SEEDS 16 /* sentinels, or nodes of a cluster, in the URI */
#define REDIS_NODES 128 /* masters of a cluster; the first stands for slots whose node is unknown */
#define REDIS_SLOTS 16384
#define REDIS_HOPS 3 /* redirections of one request */
#define REDIS_TIMEOUT 50 /* milliseconds, as in the following lines */
#define REDIS_CONNECT 50
#define REDIS_MOST 60000 /* maximum of both settings */
#define REDIS_MISSES 3  /* fewest late answers that open the breaker */
#define REDIS_SILENCE 5 /* timeouts without a timely answer that open it, including that of the first late answer */
#define REDIS_OWED 3    /* most pending late answers of a connection; it is closed when there are more */
#define REDIS_ELEMENTS 8 /* maximum elements of an answer: the longest of a script has 3 */
#define REDIS_ANSWER 65536 /* maximum bytes of an answer */
#define REDIS_TOPOLOGY_ELEMENTS REDIS_SLOTS /* the same for answers that list nodes */
#define REDIS_TOPOLOGY_ANSWER (1 << 20)
#define REDIS_FIRST_PAUSE 100 /* milliseconds, as in the next two lines */
#define REDIS_LONGEST_PAUSE 5000
#define REDIS_LONGEST_TURN 1000 /* the same with sentinels or a cluster, because a failover ends soon */
#define REDIS_STEADY 30 /* if a node works for this many times its pause, the first pause applies again */
#define REDIS_SLACK 60000 /* milliseconds by which clocks of handles may differ: see redis.c */
#define REDIS_LATEST (INT64_C(1) << 52) /* bound for an absurd clock: see redis.c */
#define REDIS_INSTANCE 256 /* bytes of an instance in its key */
#define REDIS_KEY 512
#define REDIS_ARGS 11 /* maximum, for taking a token */
#define REDIS_SHA 40

enum redis_script { REDIS_TAKE, REDIS_COUNT, REDIS_SCRIPTS };
enum redis_kind { REDIS_ONE, REDIS_SENTINEL, REDIS_CLUSTER };

typedef struct redis_tls redis_tls;     /* tls.h: of one connection */
typedef struct redis_trust redis_trust; /* and shared by all of them */

/* A host, or with port 0 the path of a socket. */
typedef struct redis_place {
  char host[256];
  int port;
} redis_place;

typedef struct redis_conn {
  redisContext *context; /* NULL: none, or lost */
  redis_place place;     /* its destination */
  redis_tls *tls;        /* NULL: plain text */
  short wants;           /* the event to poll() for before the next read or write: POLLIN or POLLOUT. TLS may need either for both */
  bool busy;             /* in use by a request; protected by the lock */
  unsigned owed;         /* late answers to be dropped */
  size_t elements, bytes; /* limits of an answer */
  char sha[REDIS_SCRIPTS][REDIS_SHA + 1]; /* the server's hashes of the scripts */
  redisReplyObjectFunctions *usual, bounded; /* hiredis's functions that make replies; and ours with bounds */
} redis_conn;

/* A server, with its breaker. */
typedef struct redis_node {
  redis_place place;
  unsigned slots;               /* number of its slots; 0: not used */
  bool broken, trying;          /* trying: a request tries while the breaker is open */
  unsigned missed;              /* late answers since the last timely one */
  int64_t missing;              /* time of the request of the first of these */
  int64_t until, pause, mended; /* the end of the pause, its length, and the last recovery. All in microseconds, of the monotonic clock */
} redis_node;

struct svc_limits {
  svc_allocator allocator;
  void (*log)(void *context, int level, const char *text);
  void (*log_event)(void *context, int level, const char *event, const char *text);
  void *log_context;
  bool closed; /* svc_config.limiter_closed: for the text of the log */
  enum redis_kind kind;
  char vendor[32], user[128], password[512], sentinel_user[128], sentinel_password[512];
  char master[128]; /* the master's name among the sentinels */
  int database, timeout, connect, conn_most;
  bool secure; /* TLS */
  char ca[512], cert[512], key[512], tls_name[256]; /* files; and the name in certificates if it is not the host's */
  redis_trust *trust;
  redis_place seeds[REDIS_SEEDS];
  unsigned seed_count;
  pthread_mutex_t lock; /* protects the following */
  pthread_cond_t free;
  unsigned good_seed;   /* the seed that answered last */
  int64_t moved;        /* time at which the first node was found, or of the last failover; microseconds */
  uint64_t unanswered[SVC_LIMITS_REASONS], connects;
  redis_node nodes[REDIS_NODES]; /* a single server uses the first alone */
  unsigned node_count;
  uint8_t map[REDIS_SLOTS]; /* of a cluster: the node of each slot */
  redis_conn conns[REDIS_CONNECTIONS];
};

/* An attempt to get an answer. */
typedef struct redis_try {
  redis_conn *conn;
  unsigned slot, node; /* node: the index of the one whose breaker counts */
  redis_place node_place; /* of that node, at the beginning: the index may have gone to another server since */
  redis_place place;   /* the required destination of the connection */
  bool mine;      /* the one request that tries while the breaker is open */
  bool refused;   /* the server has refused this client, or its certificate was refused: a retry does not help */
  bool late;      /* no answer in time */
  bool sent;      /* the last command was sent completely */
  int64_t asked;  /* time of the request; microseconds */
  enum svc_limits_reason reason; /* of a failure */
  char why[160];  /* the failure; "": none */
} redis_try;

static int64_t redis_clock(void)
{
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void redis_fail(redis_try *t, enum svc_limits_reason reason, const char *why)
{
  size_t i;
  t->reason = reason;
  snprintf(t->why, sizeof t->why, "%.140s", why);
  for (i = 0; t->why[i]; i++) /* the text may be the server's, and goes into a line of the log */
    if ((unsigned char)t->why[i] < ' ') t->why[i] = ' ';
}

/* Clears the failure, because another server is tried. */
static void redis_forgive(redis_try *t)
{
  t->refused = t->late = false;
  t->why[0] = '\0';
}

static bool redis_same_place(const redis_place *a, const redis_place *b)
{
  return a->port == b->port && strcmp(a->host, b->host) == 0;
}

#endif /* SVC_REDIS_LIMITS_H */
