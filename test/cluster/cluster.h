/*
** Several svcd on one store: the parts of build/cluster/cluster, which `./build.sh test-cluster` runs.
**
** The rule: it sees the service as its clients do, over HTTP and through one address; what they were told is all that is
** held against it. Whatever came back as an error of the server, or not at all, may have been done or not.
*/
#ifndef SVC_TEST_CLUSTER_H
#define SVC_TEST_CLUSTER_H

#include "http_text.h"

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

void instance_begin(int i);
int instance_wait(int i); /* until it is ready: its port, the same as before when it was started before */
void instance_kill(int i); /* SIGKILL */
void instance_stop(int i); /* SIGTERM, and it must end well */
void instance_fault(const char *what); /* a verb of the script that $CLUSTER_FAULTS names: postgres-restart, redis-kill, redis-start */
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

#endif /* SVC_TEST_CLUSTER_H */
