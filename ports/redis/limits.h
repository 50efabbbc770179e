/*
** The types of the limiter on Redis: the limits of one handle, its connections, and the nodes that they lead to.
**
** The rule: every member says whose it is. The lock guards what all threads share; a connection belongs to the thread that has made it busy.
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

#define REDIS_CONNECTIONS 64 /* of a cluster */
#define REDIS_CONNECTIONS_ONE 16 /* of one server */
#define REDIS_SEEDS 16 /* sentinels, or nodes of a cluster, in the URI */
#define REDIS_NODES 128 /* of a cluster, masters; the first stands for slots of which nobody is known */
#define REDIS_SLOTS 16384
#define REDIS_HOPS 3 /* from node to node, of one question */
#define REDIS_TIMEOUT 50 /* milliseconds, as those that follow */
#define REDIS_CONNECT 50
#define REDIS_MOST 60000 /* that either may be set to */
#define REDIS_MISSES 3
#define REDIS_SILENCE 5 /* timeouts, of which the first is that of the first late answer */
#define REDIS_OWED 3    /* late answers of one connection that are waited for */
#define REDIS_ELEMENTS 8 /* of an array that is an answer: the longest that a script gives has 3 */
#define REDIS_ANSWER 65536 /* bytes of one answer */
#define REDIS_TOPOLOGY_ELEMENTS REDIS_SLOTS /* the same of answers that say which nodes there are */
#define REDIS_TOPOLOGY_ANSWER (1 << 20)
#define REDIS_FIRST_PAUSE 100 /* milliseconds */
#define REDIS_LONGEST_PAUSE 5000
#define REDIS_LONGEST_TURN 1000 /* the same where another node takes over */
#define REDIS_STEADY 30 /* mended for so many times the pause, it begins with the first pause again */
#define REDIS_SLACK 60000
#define REDIS_LATEST (INT64_C(1) << 52) /* times of a clock that is out of its mind: see redis.c */
#define REDIS_INSTANCE 256 /* bytes of one in its key */
#define REDIS_KEY 512
#define REDIS_ARGS 11 /* of taking a token: the most there are */
#define REDIS_SHA 40

enum redis_script { REDIS_TAKE, REDIS_COUNT, REDIS_SCRIPTS };
enum redis_kind { REDIS_ONE, REDIS_SENTINEL, REDIS_CLUSTER };

typedef struct redis_tls redis_tls;     /* tls.h: of one connection */
typedef struct redis_trust redis_trust; /* and what all of them share */

/* A host, or with port 0 the path of a socket. */
typedef struct redis_place {
  char host[256];
  int port;
} redis_place;

typedef struct redis_conn {
  redisContext *context; /* NULL: none, or it was lost */
  redis_place place;     /* where it leads to */
  redis_tls *tls;        /* NULL: in clear */
  short wants;           /* what poll() has to wait for before more can be read: POLLIN, or of TLS POLLOUT */
  bool busy;             /* a question has it; the lock's */
  unsigned owed;         /* answers that came too late for those who asked: to be dropped */
  size_t elements, bytes; /* of an answer at the most */
  char sha[REDIS_SCRIPTS][REDIS_SHA + 1]; /* what the server calls the scripts */
  redisReplyObjectFunctions *usual, bounded; /* how hiredis makes replies; and the same with bounds */
} redis_conn;

/* A server that is asked, with its breaker. */
typedef struct redis_node {
  redis_place place;
  unsigned slots;               /* that it has; 0: nobody is sent there */
  bool broken, trying;          /* trying: one request does */
  unsigned missed;              /* late answers since the last one that was in time */
  int64_t missing;              /* when the first of these was asked for */
  int64_t until, pause, mended; /* microseconds of the monotonic clock */
} redis_node;

struct svc_limits {
  svc_allocator allocator;
  void (*log)(void *context, int level, const char *text);
  void (*log_event)(void *context, int level, const char *event, const char *text);
  void *log_context;
  bool closed; /* svc_config.limiter_closed: for what the log says */
  enum redis_kind kind;
  char vendor[32], user[128], password[512], sentinel_user[128], sentinel_password[512];
  char master[128]; /* as the sentinels call it */
  int database, timeout, connect, conn_most;
  bool secure; /* TLS */
  char ca[512], cert[512], key[512], tls_name[256]; /* files; and the name in certificates where that is not the host's */
  redis_trust *trust;
  redis_place seeds[REDIS_SEEDS];
  unsigned seed_count;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t free;
  unsigned good_seed;   /* the one that has answered last */
  int64_t moved;        /* when the first node was found, or another one took over; microseconds */
  uint64_t unanswered[SVC_LIMITS_REASONS], connects;
  redis_node nodes[REDIS_NODES]; /* of one server the first alone */
  unsigned node_count;
  uint8_t map[REDIS_SLOTS]; /* of a cluster: which node has a slot */
  redis_conn conns[REDIS_CONNECTIONS];
};

/* One try to have an answer. */
typedef struct redis_try {
  redis_conn *conn;
  unsigned slot, node; /* node: whose breaker it is */
  redis_place place;   /* where the connection has to lead to */
  bool mine;      /* it is the one that tries while all others do not */
  bool refused;   /* the server has answered, and does not want us; or we do not want the server */
  bool late;      /* there was no answer in time */
  bool sent;      /* all of the last command went out */
  int64_t asked;  /* when; microseconds */
  enum svc_limits_reason reason; /* of a failure */
  char why[160];  /* it failed; "": it did not */
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
  for (i = 0; t->why[i]; i++) /* it may be the server's, and goes into a line of the log */
    if ((unsigned char)t->why[i] < ' ') t->why[i] = ' ';
}

/* Another one is tried in its place. */
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
