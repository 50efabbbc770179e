/*
** Several svcd on one store: the parts of build/cluster/cluster, which `./build.sh test-cluster` runs.
**
** The rule: the test sees the service as its clients do, over HTTP and through one address. Only the answers that clients
** received count as evidence. A request that got a server error, or no answer, may have been done or not.
*/
#ifndef SVC_TEST_CLUSTER_H
#define SVC_TEST_CLUSTER_H

#include "http_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_INSTANCES 2

int64_t cluster_now(void); /* nanoseconds of a monotonic clock */
void cluster_pause(int milliseconds);
uint32_t cluster_chance(uint64_t *state, uint32_t below); /* repeatable: equal states give equal numbers */
void cluster_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- http.c: a blocking client */

#define HTTP_ANSWER 65536

typedef struct http_client {
  int port, fd; /* fd -1: not connected */
  unsigned used; /* requests on this connection; after some, the client opens a new one, perhaps to another instance */
} http_client;

typedef struct http_answer {
  int status; /* 0: no answer */
  char tag[128]; /* ETag as sent */
  const char *body; /* inside text, followed by a NUL */
  char text[HTTP_ANSWER];
} http_answer;

/* `headers` are whole lines, each ending in \r\n; body NULL: none. */
void http_ask(http_client *c, const char *method, const char *path, const char *headers, const char *body, http_answer *out);
void http_close(http_client *c);

/* ---- relay.c: a single address in front of all instances */

int relay_start(const int ports[CLUSTER_INSTANCES]); /* returns its port */

/* ---- instance.c: svcd, its store and its limiter */

typedef struct cluster_place {
  char client_id[64], client_secret[128], org[32], group[32]; /* from the bootstrap file */
} cluster_place;

/* Sets flags for all later starts of instances, in addition to the usual ones; NULL-terminated. The array remains the caller's. */
void instance_flags(const char *const *flags);
void instance_begin(int i);
int instance_wait(int i); /* waits until it is ready; returns its port, which is the same after a restart */
void instance_kill(int i); /* SIGKILL */
void instance_stop(int i); /* SIGTERM; svcd must exit successfully */
void instance_again(void); /* restarts all instances, with the present environment */
/* Starts another svcd with these flags in addition to a store, a folder and a port. Stops svcd if it becomes ready. Returns its exit
** status and its output. */
int instance_refused(const char *folder, const char *const *flags, char *said, size_t size);
bool instance_said(int i, const char *words); /* whether its log, since its first start, has these words */
void instance_verb(const char *verb); /* runs a verb of svcd on the instances' store and folder; it must succeed */
void instance_fault(const char *what); /* runs a verb of the script that $CLUSTER_FAULTS names: test/cluster/servers.sh */
void instance_place(cluster_place *out);

/* ---- history.c: requests and answers for one key, and whether some order explains them */

enum history_kind { HISTORY_READ, HISTORY_CREATE, HISTORY_UPDATE, HISTORY_SWAP, HISTORY_DELETE };
enum history_result {
  HISTORY_DONE,    /* for reads: the value seen, 0 if the key did not exist */
  HISTORY_REFUSED, /* the key existed already (409), or the tag did not match (412) */
  HISTORY_MISSING, /* the key did not exist (404) */
  HISTORY_UNKNOWN  /* executed at some time after its start, or never */
};

typedef struct history_op {
  int64_t start, end;
  uint32_t value;  /* value written or seen; no two ops write the same */
  uint32_t expect; /* for swaps: the value that the client had seen */
  uint8_t kind, result;
  uint8_t client;
} history_op;

typedef struct history {
  history_op *ops;
  size_t n, room;
} history;

void history_add(history *h, const history_op *op);
/* Checks whether there is an order of all ops, each between its start and its end, that explains every answer. If there is
   none, *wrong is the first op that no order explains. Sorts the ops by start. */
bool history_is_linearizable(history *h, size_t *wrong);
void history_print(const history *h, size_t around);
void history_try(void); /* tests the checker with known histories; dies on a wrong result */

/* ---- registers.c: clients that do random operations on a few keys and record the answers */

typedef struct registers_report {
  size_t ops, unknown, keys;
  int64_t longest; /* nanoseconds: longest time without an acknowledged write */
  int64_t longest_at; /* nanoseconds since the start */
} registers_report;

/* Calls `faults` once, on this thread, while the clients work. Dies if a history is not linearizable. */
void registers_run(int port, const cluster_place *place, const char *token, unsigned seed, void (*faults)(void), registers_report *out);

/* ---- main.c: the site, and one line of output per case */

typedef struct cluster_site {
  cluster_place place;
  char bearer[512]; /* whole header lines */
  char token[256];
  int port;                      /* port of the relay */
  int ports[CLUSTER_INSTANCES];  /* ports of the instances */
} cluster_site;
extern cluster_site site;
#define CLUSTER_SECOND INT64_C(1000000000)

void pass(const char *format, ...) __attribute__((format(printf, 1, 2)));
void again(int i); /* restarts an instance that was killed or stopped */

/* ---- work.c: many concurrent clients */

typedef struct worker {
  int number;
  http_client http;
  http_answer answer;
  pthread_t thread;
} worker;

worker *work(size_t n, void *(*what)(void *)); /* runs n workers concurrently and returns them; the caller frees them */
/* Repeats the request after a 503, or no answer, until it has this status. */
void must(http_client *c, http_answer *a, const char *method, const char *path, const char *body, int status);

/* ---- the cases, by subject */

void together_all(void);                     /* together.c: two instances must agree */
void together_limits(void (*meanwhile)(void), const char *how); /* limits are exact over all instances; meanwhile may be NULL */
void together_creates(const char *how);
void together_updates(const char *how);
void faults_all(const char *how, bool pooler); /* faults.c: histories while a process is killed */
void fleet_pooler(void);                     /* fleet.c: PgBouncer, and Redis with TLS, with sentinels, and as a cluster */
void fleet_tls(void);
void fleet_sentinel(void);
void fleet_nodes(void);
void agree_all(void);                        /* agree.c: instances that disagree are refused; --wait */
void rolling_all(void);                      /* rolling.c: draining, rolling restarts, a change of the secret key */

#endif /* SVC_TEST_CLUSTER_H */
