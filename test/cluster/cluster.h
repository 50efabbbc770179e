/*
** Several svcd on one store: the parts of build/cluster/cluster, which `./build.sh test-cluster` runs.
**
** The rule: it sees the service as its clients do, over HTTP and through one address; what they were told is all that is
** held against it. Whatever came back as an error of the server, or not at all, may have been done or not.
*/
#ifndef SVC_TEST_CLUSTER_H
#define SVC_TEST_CLUSTER_H

#include "http_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_INSTANCES 2

int64_t cluster_now(void); /* nanoseconds, of a clock that never steps */
void cluster_pause(int milliseconds);
uint32_t cluster_chance(uint64_t *state, uint32_t below); /* the same on every run, for one that begins with the same state */
void cluster_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- http.c: a client that waits for its answer */

#define HTTP_ANSWER 65536

typedef struct http_client {
  int port, fd; /* fd -1: not connected */
  unsigned used; /* requests on this connection: after some it takes a new one, of another instance perhaps */
} http_client;

typedef struct http_answer {
  int status; /* 0: there was none */
  char tag[128]; /* ETag, as it stands there */
  const char *body; /* within text, with a NUL behind */
  char text[HTTP_ANSWER];
} http_answer;

/* `headers` are whole lines, each with \r\n; body NULL: none. */
void http_ask(http_client *c, const char *method, const char *path, const char *headers, const char *body, http_answer *out);
void http_close(http_client *c);

/* ---- relay.c: one address in front of all instances */

int relay_start(const int ports[CLUSTER_INSTANCES]); /* its port */

/* ---- instance.c: svcd, and what it stands on */

typedef struct cluster_place {
  char client_id[64], client_secret[128], org[32], group[32]; /* of the bootstrap file */
} cluster_place;

/* Flags that every instance is started with from now on, beside the usual ones; NULL behind the last. They stay the caller's. */
void instance_flags(const char *const *flags);
void instance_begin(int i);
int instance_wait(int i); /* until it is ready: its port, the same as before when it was started before */
void instance_kill(int i); /* SIGKILL */
void instance_stop(int i); /* SIGTERM, and it must end well */
void instance_again(void); /* all are stopped and started, on what the environment names now */
/* Another svcd with these flags beside a store, a folder and a port: the status that it ends with, and what it says. */
int instance_refused(const char *folder, const char *const *flags, char *said, size_t size);
bool instance_said(int i, const char *words); /* in its log, since it was started first */
void instance_verb(const char *verb); /* of svcd, on the store and the folder of the instances; it must succeed */
void instance_fault(const char *what); /* a verb of the script that $CLUSTER_FAULTS names: test/cluster/servers.sh */
void instance_place(cluster_place *out);

/* ---- history.c: what was asked and answered of one key, and whether there is an order that explains it */

enum history_kind { HISTORY_READ, HISTORY_CREATE, HISTORY_UPDATE, HISTORY_SWAP, HISTORY_DELETE };
enum history_result {
  HISTORY_DONE,    /* of a read: it saw `value`, 0 where there was nothing */
  HISTORY_REFUSED, /* it was there already (409), or the tag was another (412) */
  HISTORY_MISSING, /* there was nothing (404) */
  HISTORY_UNKNOWN  /* done, or never, at any time from its start on */
};

typedef struct history_op {
  int64_t start, end;
  uint32_t value;  /* what it wrote or saw; no two ops write the same */
  uint32_t expect; /* of a swap: what it had seen */
  uint8_t kind, result;
  uint8_t client;
} history_op;

typedef struct history {
  history_op *ops;
  size_t n, room;
} history;

void history_add(history *h, const history_op *op);
/* Is there an order of all ops, each between its start and its end, in which every one answers as it did? Else *wrong is the
** first one that no order explains. Sorts the ops by their start. */
bool history_is_linearizable(history *h, size_t *wrong);
void history_print(const history *h, size_t around);
void history_try(void); /* dies unless it finds what it should in histories that are known */

/* ---- registers.c: clients that do random things to a few keys and write down what they were told */

typedef struct registers_report {
  size_t ops, unknown, keys;
  int64_t longest; /* nanoseconds without any write that was acknowledged */
  int64_t longest_at; /* since the start */
} registers_report;

/* While they work, `faults` is called once, on this thread. Dies where a history is not linearizable. */
void registers_run(int port, const cluster_place *place, const char *token, unsigned seed, void (*faults)(void), registers_report *out);

/* ---- main.c: the site, and a line for each case */

typedef struct cluster_site {
  cluster_place place;
  char bearer[512]; /* whole lines of headers */
  char token[256];
  int port;                      /* of the relay */
  int ports[CLUSTER_INSTANCES];  /* of the instances */
} cluster_site;
extern cluster_site site;
#define CLUSTER_SECOND INT64_C(1000000000)

void pass(const char *format, ...) __attribute__((format(printf, 1, 2)));
void again(int i); /* one that was killed or stopped is started */

/* ---- work.c: many clients at once */

typedef struct worker {
  int number;
  http_client http;
  http_answer answer;
  pthread_t thread;
} worker;

worker *work(size_t n, void *(*what)(void *)); /* n of them at once; they are the caller's to free */
void must(http_client *c, http_answer *a, const char *method, const char *path, const char *body, int status); /* also if it takes a few tries */

/* ---- the cases, by subject */

void together_all(void);                     /* together.c: what two instances must agree on */
void together_limits(void (*meanwhile)(void), const char *how); /* limits are exact in sum; NULL: nothing happens meanwhile */
void together_creates(const char *how);
void together_updates(const char *how);
void faults_all(const char *how, bool pooler); /* faults.c: histories while something is killed */
void fleet_pooler(void);                     /* fleet.c: PgBouncer, and Redis by TLS, with sentinels, as a cluster */
void fleet_tls(void);
void fleet_sentinel(void);
void fleet_nodes(void);
void agree_all(void);                        /* agree.c: instances that disagree are refused; --wait */
void rolling_all(void);                      /* rolling.c: draining, rolling restarts, another secret key */

#endif /* SVC_TEST_CLUSTER_H */
