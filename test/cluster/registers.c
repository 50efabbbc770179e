/*
** Clients that do random operations on a few keys concurrently, and record the answers. A key is a database user; the user's
** description is the value. No value is written twice.
**
** The outcome of a request that got a server error, or no answer, is unknown. A create is then repeated with the same
** Idempotency-Key until it is answered, for 15 s at most: the create counts as one operation, from the first attempt to the last. After an
** unknown outcome a client only reads until a read succeeds, so an outage leaves at most one unknown operation per client.
**
** The clients work until a write is acknowledged after the faults, so silence that begins with a fault is counted to its end.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_CLIENTS 12
#define REGISTERS_KEYS 8
#define REGISTERS_MOST_SILENT (20 * CLUSTER_SECOND) /* after the faults */

typedef struct registers registers;

typedef struct registers_client {
  registers *all;
  http_client http;
  http_answer answer;
  uint64_t chance;
  int number;
  history histories[REGISTERS_KEYS];
} registers_client;

struct registers {
  const cluster_place *place;
  char headers[512];
  unsigned seed;
  int port;
  int64_t begin;
  atomic_uint value;
  atomic_bool stop;
  atomic_llong last, longest, longest_at; /* acknowledged writes */
  registers_client clients[REGISTERS_CLIENTS];
};

static void registers_ask(registers_client *c, const char *method, int key, const char *extra, const char *body)
{
  const registers *r = c->all;
  char path[256], headers[1024];
  if (strcmp(method, "POST") == 0) snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers", r->place->group);
  else snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/k%u-%d", r->place->group, r->seed, key);
  snprintf(headers, sizeof headers, "%s%s", r->headers, extra);
  http_ask(&c->http, method, path, headers, body, &c->answer);
}

static uint8_t registers_result(const registers_client *c)
{
  const int status = c->answer.status;
  if (status >= 200 && status < 300) return HISTORY_DONE;
  if (status == 409 || status == 412) return HISTORY_REFUSED;
  if (status == 404) return HISTORY_MISSING;
  if (status == 0 || status == 500 || status == 502 || status == 503 || status == 504) return HISTORY_UNKNOWN;
  cluster_die("an answer that nobody expects: %.2000s", c->answer.text);
}

/* Returns the value in the answer of a GET. */
static uint32_t registers_value(const registers_client *c)
{
  char text[64];
  uint32_t value;
  if (!http_member(c->answer.body, "description", text, sizeof text) || sscanf(text, "v%" SCNu32, &value) != 1)
    cluster_die("no value in %s", c->answer.body);
  return value;
}

static void registers_note(registers_client *c, int key, history_op *op)
{
  registers *r = c->all;
  int64_t last, gap;
  op->end = cluster_now();
  op->client = (uint8_t)c->number;
  history_add(&c->histories[key], op);
  if (op->kind == HISTORY_READ || op->result == HISTORY_UNKNOWN) return;
  last = atomic_exchange(&r->last, op->end);
  gap = op->end - last;
  if (gap <= atomic_load(&r->longest)) return;
  atomic_store(&r->longest, gap);
  atomic_store(&r->longest_at, last - r->begin);
}

static history_op registers_op(registers_client *c, int kind)
{
  history_op op = { 0 };
  op.kind = (uint8_t)kind;
  op.start = cluster_now();
  if (kind != HISTORY_READ && kind != HISTORY_DELETE) op.value = atomic_fetch_add(&c->all->value, 1) + 1;
  return op;
}

/* Returns true if the read succeeded, also if the key did not exist. */
static bool registers_read(registers_client *c, int key, uint32_t *value)
{
  history_op op = registers_op(c, HISTORY_READ);
  registers_ask(c, "GET", key, "", NULL);
  op.result = registers_result(c);
  if (op.result == HISTORY_DONE) op.value = registers_value(c);
  if (op.result == HISTORY_MISSING) op.result = HISTORY_DONE;
  registers_note(c, key, &op);
  *value = op.value;
  return op.result == HISTORY_DONE;
}

static bool registers_create(registers_client *c, int key)
{
  history_op op = registers_op(c, HISTORY_CREATE);
  int64_t until = op.start + 15 * INT64_C(1000000000);
  char body[512], extra[96];
  snprintf(extra, sizeof extra, "Idempotency-Key: k%u-%" PRIu32 "\r\n", c->all->seed, op.value);
  snprintf(body, sizeof body, "{\"databaseName\":\"admin\",\"username\":\"k%u-%d\",\"password\":\"not-a-secret-1\",\"description\":\"v%" PRIu32
           "\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", c->all->seed, key, op.value);
  for (;;) {
    registers_ask(c, "POST", key, extra, body);
    op.result = registers_result(c);
    if (op.result != HISTORY_UNKNOWN || cluster_now() > until) break;
    cluster_pause(50);
  }
  registers_note(c, key, &op);
  return op.result != HISTORY_UNKNOWN;
}

/* Sends a PATCH; if `tag` is set, with If-Match, for the value that was just read. */
static bool registers_write(registers_client *c, int key, uint32_t expect, const char *tag)
{
  history_op op = registers_op(c, tag ? HISTORY_SWAP : HISTORY_UPDATE);
  char body[64], extra[192] = "";
  if (tag) snprintf(extra, sizeof extra, "If-Match: %s\r\n", tag);
  snprintf(body, sizeof body, "{\"description\":\"v%" PRIu32 "\"}", op.value);
  op.expect = expect;
  registers_ask(c, "PATCH", key, extra, body);
  op.result = registers_result(c);
  registers_note(c, key, &op);
  return op.result != HISTORY_UNKNOWN;
}

static bool registers_delete(registers_client *c, int key)
{
  history_op op = registers_op(c, HISTORY_DELETE);
  registers_ask(c, "DELETE", key, "", NULL);
  op.result = registers_result(c);
  registers_note(c, key, &op);
  return op.result != HISTORY_UNKNOWN;
}

static bool registers_swap(registers_client *c, int key)
{
  char tag[128];
  uint32_t value;
  if (!registers_read(c, key, &value) || !value) return true;
  memcpy(tag, c->answer.tag, sizeof tag);
  return registers_write(c, key, value, tag);
}

static void *registers_work(void *context)
{
  registers_client *c = context;
  bool known = true;
  while (!atomic_load(&c->all->stop)) {
    int key = (int)cluster_chance(&c->chance, REGISTERS_KEYS);
    uint32_t what = cluster_chance(&c->chance, 100), value;
    if (!known) {
      cluster_pause(50);
      known = registers_read(c, key, &value);
    } else if (what < 35) {
      known = registers_read(c, key, &value);
    } else if (what < 55) {
      known = registers_create(c, key);
    } else if (what < 75) {
      known = registers_write(c, key, 0, NULL);
    } else if (what < 92) {
      known = registers_swap(c, key);
    } else {
      known = registers_delete(c, key);
    }
  }
  return NULL;
}

/* Waits until a write is acknowledged after the faults. */
static void registers_wait(const registers *r)
{
  const int64_t end = cluster_now();
  while (atomic_load(&r->last) <= end) {
    if (cluster_now() > end + REGISTERS_MOST_SILENT) cluster_die("no write is acknowledged after the faults");
    cluster_pause(10);
  }
}

/* Reads all keys at the end: every acknowledged write must still be visible. */
static void registers_read_all(registers_client *c)
{
  int64_t until = cluster_now() + 20 * INT64_C(1000000000);
  uint32_t value;
  int key;
  for (key = 0; key < REGISTERS_KEYS; key++)
    while (!registers_read(c, key, &value)) {
      if (cluster_now() > until) cluster_die("the service does not come back: %.200s", c->answer.text);
      cluster_pause(100);
    }
}

static void registers_judge(registers *r, registers_report *out)
{
  size_t i, k, wrong;
  int key;
  for (key = 0; key < REGISTERS_KEYS; key++) {
    history all = { 0 };
    for (i = 0; i < REGISTERS_CLIENTS; i++) {
      history *h = &r->clients[i].histories[key];
      for (k = 0; k < h->n; k++) {
        history_add(&all, &h->ops[k]);
        out->unknown += h->ops[k].kind != HISTORY_READ && h->ops[k].result == HISTORY_UNKNOWN;
      }
      free(h->ops);
    }
    if (!history_is_linearizable(&all, &wrong)) {
      history_print(&all, wrong);
      cluster_die("what was answered of key %d has no order that explains it", key);
    }
    out->ops += all.n;
    out->keys++;
    free(all.ops);
  }
}

void registers_run(int port, const cluster_place *place, const char *token, unsigned seed, void (*faults)(void), registers_report *out)
{
  registers *r = calloc(1, sizeof *r);
  pthread_t threads[REGISTERS_CLIENTS];
  int i;
  if (!r) cluster_die("no memory");
  memset(out, 0, sizeof *out);
  r->place = place;
  r->port = port;
  r->seed = seed;
  snprintf(r->headers, sizeof r->headers, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", token);
  r->begin = cluster_now();
  atomic_store(&r->last, r->begin);
  for (i = 0; i < REGISTERS_CLIENTS; i++) {
    registers_client *c = &r->clients[i];
    c->all = r;
    c->number = i;
    c->chance = (uint64_t)seed << 32 | (unsigned)i << 8;
    c->http = (http_client){ port, -1, 0 };
    if (pthread_create(&threads[i], NULL, registers_work, c) != 0) cluster_die("no thread");
  }
  faults();
  registers_wait(r);
  atomic_store(&r->stop, true);
  for (i = 0; i < REGISTERS_CLIENTS; i++) pthread_join(threads[i], NULL);
  registers_read_all(&r->clients[0]);
  out->longest = atomic_load(&r->longest);
  out->longest_at = atomic_load(&r->longest_at);
  registers_judge(r, out);
  for (i = 0; i < REGISTERS_KEYS; i++) registers_ask(&r->clients[0], "DELETE", i, "", NULL); /* a project has room for a hundred users */
  for (i = 0; i < REGISTERS_CLIENTS; i++) http_close(&r->clients[i].http);
  free(r);
}
