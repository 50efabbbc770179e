/*
** Requests on a store on PostgreSQL, compared with the same answers from hand-written libpq code (peer_postgres.c), in process;
** and two instances compared with one.
**
** The server runs only for this benchmark (build.sh starts it), with the usual settings: fsync and synchronous_commit on. Each
** side has a schema with the contents of the LMDB store: the library's records unchanged, and the peer's rows taken from the
** library's answers. Before the measurements all answers are compared byte by byte. Both sides run in turns, and a ratio is the
** median of the ratios of neighboring turns, because clients and server share the machine.
**
** Round trips are measured rather than counted. A relay delays a round trip by POSTGRES_RTT, which is far longer than everything
** else. So the time of a request is the number of round trips that it waits for.
**
** An instance is a process with its own handle. The benchmark compares one instance with 16 threads and two of 8 each.
*/
#ifdef SVC_WITH_POSTGRES

#define _GNU_SOURCE
#include "bench.h"
#include "ports/postgres.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define POSTGRES_TURNS 10 /* an even number, so that each side is first equally often */
#define POSTGRES_LONGER 6 /* times longer than a turn in process: connections wait for a disk, and threads for each other */
#define POSTGRES_RTT 0.010
#define POSTGRES_WAITED 20 /* requests over the relay */
#define POSTGRES_INSTANCES 3
#define POSTGRES_NAMES 100000000 /* names of new projects per side and instance */

/* -------------------------------------------------------------------------------------------------------------- filling */

static void postgres_uri(char *out, size_t size, const char *folder, const char *schema)
{
  size_t n = (size_t)snprintf(out, size, "postgresql:///postgres?user=svc&options=-csearch_path%%3D%s&host=", schema);
  for (; *folder && n + 4 < size; folder++) n += (size_t)snprintf(out + n, size - n, *folder == '/' ? "%%2F" : "%c", *folder);
}

static PGconn *postgres_connect(const char *uri)
{
  PGconn *conn = PQconnectdb(uri);
  if (PQstatus(conn) != CONNECTION_OK) bench_die(PQerrorMessage(conn));
  return conn;
}

static void postgres_do(PGconn *conn, const char *sql)
{
  PGresult *r = PQexec(conn, sql);
  ExecStatusType status = PQresultStatus(r);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) bench_die(PQerrorMessage(conn));
  PQclear(r);
}

static void postgres_copy_number(PGconn *conn, unsigned long long x, int bytes)
{
  char out[8];
  int i;
  for (i = 0; i < bytes; i++) out[i] = (char)(x >> (8 * (bytes - 1 - i)));
  if (PQputCopyData(conn, out, bytes) != 1) bench_die(PQerrorMessage(conn));
}

static void postgres_copy_bytes(PGconn *conn, const void *p, size_t n)
{
  postgres_copy_number(conn, n, 4);
  if (n && PQputCopyData(conn, p, (int)n) != 1) bench_die(PQerrorMessage(conn));
}

/* Copies a record, or a count. Counts have their own letter, and are 8-byte numbers in this machine's byte order. */
static void postgres_copy_row(PGconn *conn, const MDB_val *key, const MDB_val *value, bool counts)
{
  bool count = *(const char *)key->mv_data == 'c';
  long long n;
  if (count != counts || *(const char *)key->mv_data == 0) return;
  postgres_copy_number(conn, counts ? 3 : 2, 2);
  postgres_copy_bytes(conn, key->mv_data, key->mv_size);
  if (!counts) {
    postgres_copy_bytes(conn, value->mv_data, value->mv_size);
    return;
  }
  memcpy(&n, value->mv_data, sizeof n);
  postgres_copy_number(conn, 8, 4);
  postgres_copy_number(conn, 0, 8);
  postgres_copy_number(conn, 8, 4);
  postgres_copy_number(conn, (unsigned long long)n, 8);
}

static void postgres_copy(PGconn *conn, bench_raw *raw, bool counts)
{
  static const char head[19] = "PGCOPY\n\377\r\n\0";
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key, value;
  postgres_do(conn, counts ? "COPY svc_count FROM STDIN BINARY" : "COPY svc_record FROM STDIN BINARY");
  if (PQputCopyData(conn, head, sizeof head) != 1) bench_die(PQerrorMessage(conn));
  if (mdb_txn_begin(raw->env, NULL, MDB_RDONLY, &txn) || mdb_cursor_open(txn, raw->dbi, &cursor)) bench_die("raw LMDB: no reader");
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) postgres_copy_row(conn, &key, &value, counts);
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  postgres_copy_number(conn, 0xFFFF, 2);
  if (PQputCopyEnd(conn, NULL) != 1) bench_die(PQerrorMessage(conn));
  PQclear(PQgetResult(conn));
  while (PQgetResult(conn)) continue;
}

static svc *postgres_open(const char *uri)
{
  bench_options options = { uri, SVC_DURABLE, NULL, NULL, false, 0 };
  return bench_open_on(&options, svc_postgres_port());
}

/* The library creates the tables. */
static void postgres_fill(const bench_store *b, const char *uri)
{
  PGconn *conn;
  bench_raw raw;
  svc_close(postgres_open(uri));
  conn = postgres_connect(uri);
  postgres_do(conn, "TRUNCATE svc_record, svc_count");
  bench_raw_open(&raw, b->path, MDB_NOSYNC);
  postgres_copy(conn, &raw, false);
  postgres_copy(conn, &raw, true);
  bench_raw_close(&raw);
  postgres_do(conn, "SELECT setval('svc_number', 1000000000)"); /* above all numbers that LMDB has used */
  postgres_do(conn, "VACUUM ANALYZE svc_record, svc_count");
  postgres_do(conn, "CHECKPOINT");
  PQfinish(conn);
}

/* ---------------------------------------------------------------------------------------------------------------- asking */

typedef struct postgres_side { /* the library or the peer */
  svc *s;         /* NULL: the peer */
  bench_libpq *peer;
  bench_store b;  /* with its own names for new projects */
} postgres_side;

typedef struct postgres_worker {
  postgres_side *side;
  bench_op op;
  int number;
  double until;
  long done;
} postgres_worker;

static void postgres_ask(postgres_side *side, int thread, bench_op op, unsigned *state)
{
  bench_answer answer;
  if (side->s) bench_do(side->s, &side->b, op, state);
  else bench_libpq_request(side->peer, thread, &side->b, op, state, &answer);
}

static void *postgres_work(void *argument)
{
  postgres_worker *w = argument;
  unsigned state = 1 + (unsigned)w->number * 7919;
  while (bench_now() < w->until) {
    postgres_ask(w->side, w->number, w->op, &state);
    w->done++;
  }
  return NULL;
}

/* Returns the seconds of one request. */
static double postgres_turn(postgres_side *side, bench_op op, int threads)
{
  pthread_t id[BENCH_THREADS];
  postgres_worker work[BENCH_THREADS];
  double start = bench_now();
  long n = 0;
  int i;
  for (i = 0; i < threads; i++) {
    work[i] = (postgres_worker){ side, op, i, start + bench_seconds * POSTGRES_LONGER, 0 };
    if (pthread_create(&id[i], NULL, postgres_work, &work[i]) != 0) bench_die("no thread");
  }
  for (i = 0; i < threads; i++) {
    pthread_join(id[i], NULL);
    n += work[i].done;
  }
  return (bench_now() - start) / (double)n;
}

/* -------------------------------------------------------------------------------------------------------------- the same */

static void postgres_mask(char *head, const char *name)
{
  char *p = strstr(head, name), *end = p ? strchr(p, '\n') : NULL;
  if (end) memmove(p, end, strlen(end) + 1);
}

static void postgres_differ(bench_op op, const char *ours, const char *theirs)
{
  size_t i = 0;
  while (ours[i] == theirs[i]) i++;
  i = i < 60 ? 0 : i - 60;
  fprintf(stderr, "bench: the peer does not answer %s as the library does:\n%.160s\n%.160s\n", bench_op_names[op], ours + i, theirs + i);
  exit(1);
}

/* Compares the answers. For a new project the heads must be equal, and the bodies of equal length. */
static void postgres_compare(postgres_side *ours, postgres_side *theirs, bench_op op)
{
  char heads[2][2048], *body;
  unsigned state[2] = { 5, 5 };
  bench_answer answer;
  svc_response r;
  int i;
  bench_request(ours->s, &ours->b, op, &state[0], &r);
  bench_libpq_request(theirs->peer, 0, &theirs->b, op, &state[1], &answer);
  bench_head_of(&r, false, heads[0], sizeof heads[0]);
  snprintf(heads[1], sizeof heads[1], "%.*s", (int)answer.head_length, answer.head);
  for (i = 0; i < 2; i++) {
    postgres_mask(heads[i], "RateLimit-Remaining: ");
    if (op == BENCH_CREATE) postgres_mask(heads[i], "ETag: "), postgres_mask(heads[i], "Location: ");
  }
  if (strcmp(heads[0], heads[1]) != 0) postgres_differ(op, heads[0], heads[1]);
  body = bench_text_copy(answer.body, answer.body_length);
  if (op != BENCH_CREATE && strcmp(r.body, body) != 0) postgres_differ(op, r.body, body);
  if (r.body_length != answer.body_length) postgres_differ(op, r.body, body);
  free(body);
  svc_response_free(&r);
}

/* -------------------------------------------------------------------------------------------------------------- instances */

typedef struct postgres_order {
  bench_op op;
  int threads; /* 0: the end */
} postgres_order;

typedef struct postgres_instance {
  pid_t pid;
  int orders, results;
} postgres_instance;

/* Runs in a child process; opens its handle with the first order. */
static _Noreturn void postgres_serve(int orders, int results, const char *uri, bench_store *b)
{
  postgres_side side = { .s = NULL };
  postgres_order order;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  side.b = *b;
  while (read(orders, &order, sizeof order) == (ssize_t)sizeof order && order.threads) {
    double rate;
    if (!side.s) side.s = postgres_open(uri);
    rate = 1 / postgres_turn(&side, order.op, order.threads);
    if (write(results, &rate, sizeof rate) != (ssize_t)sizeof rate) break;
  }
  svc_close(side.s);
  _exit(0);
}

static void postgres_instance_start(postgres_instance *in, const char *uri, bench_store *b, int number)
{
  int orders[2], results[2];
  if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(results, O_CLOEXEC) != 0) bench_die("no pipe");
  in->pid = fork();
  if (in->pid < 0) bench_die("no process");
  if (in->pid == 0) {
    close(orders[1]);
    close(results[0]);
    atomic_store(&b->created, POSTGRES_NAMES * (long)(number + 3));
    postgres_serve(orders[0], results[1], uri, b);
  }
  close(orders[0]);
  close(results[1]);
  in->orders = orders[1];
  in->results = results[0];
}

/* Returns the total requests per second of all instances. */
static double postgres_instances_ask(const postgres_instance *in, int n, bench_op op)
{
  postgres_order order = { op, BENCH_THREADS / n };
  double rate, sum = 0;
  int i;
  for (i = 0; i < n; i++)
    if (write(in[i].orders, &order, sizeof order) != (ssize_t)sizeof order) bench_die("an instance is gone");
  for (i = 0; i < n; i++) {
    if (read(in[i].results, &rate, sizeof rate) != (ssize_t)sizeof rate) bench_die("an instance is gone");
    sum += rate;
  }
  return sum;
}

/* Sends an end order, because the other instances keep this end of the pipe open, too. */
static void postgres_instance_stop(postgres_instance *in)
{
  const postgres_order end = { BENCH_GET, 0 };
  if (write(in->orders, &end, sizeof end) != (ssize_t)sizeof end) bench_die("an instance is gone");
  close(in->orders);
  waitpid(in->pid, NULL, 0);
  close(in->results);
}

/* ------------------------------------------------------------------------------------------------------------- measures */

static const struct {
  bench_op op;
  int threads;
  const char *name;
} postgres_rates[] = {
  { BENCH_GET, 1, "PostgreSQL: GET of a project, 1 thread" },
  { BENCH_GET, BENCH_THREADS, "PostgreSQL: GET of a project, 16 threads" },
  { BENCH_ORG_LIST, 1, "PostgreSQL: 100 projects, 1 thread" },
  { BENCH_ORG_LIST, BENCH_THREADS, "PostgreSQL: 100 projects, 16 threads" },
  { BENCH_CREATE, 1, "PostgreSQL: create, 1 thread" },
  { BENCH_CREATE, BENCH_THREADS, "PostgreSQL: create, 16 threads" },
};
#define POSTGRES_RATES (sizeof postgres_rates / sizeof postgres_rates[0])

static const struct {
  bench_op op;
  const char *name;
} postgres_pairs[] = {
  { BENCH_GET, "PostgreSQL: GET, two instances / one" },
  { BENCH_CREATE, "PostgreSQL: create, two instances / one" },
};
#define POSTGRES_PAIRS (sizeof postgres_pairs / sizeof postgres_pairs[0])

static const struct {
  bench_op op;
  bool written; /* another client has written since the last request */
  const char *name;
  double most; /* factor of the peer's round trips; 0: no bound */
} postgres_waits[] = {
  { BENCH_GET, false, "PostgreSQL: round trips of a GET", 2 },
  { BENCH_GET, true, "  behind somebody's write", 2 },
  { BENCH_ORG_LIST, false, "  of 100 projects", 0 },
  { BENCH_CREATE, false, "  of a create", 0 },
};

typedef struct postgres_size {
  char schema[2][32], uri[2][BENCH_PATH], slow[2][BENCH_PATH];
  postgres_side sides[2]; /* the library and the peer */
  postgres_instance instances[POSTGRES_INSTANCES];
  bench_turns rates[POSTGRES_RATES][2], pairs[POSTGRES_PAIRS][2];
} postgres_size;

/* Returns the round trips that a request waits for: from the least of several times, because other work only adds time. */
static double postgres_wait(postgres_side *slow, postgres_side *writer, size_t m)
{
  double least = 1e9;
  unsigned state = 3;
  int i;
  for (i = -3; i < POSTGRES_WAITED; i++) { /* the first three requests are not counted, because they connect */
    double start, took;
    if (postgres_waits[m].written) postgres_ask(writer, 0, BENCH_CREATE, &state);
    start = bench_now();
    postgres_ask(slow, 0, postgres_waits[m].op, &state);
    took = bench_now() - start;
    if (i >= 0 && took < least) least = took;
  }
  return least / POSTGRES_RTT;
}

static void postgres_wait_all(int size, postgres_size *p)
{
  postgres_side slow[2];
  double waits[2];
  size_t m;
  int k;
  for (k = 0; k < 2; k++) {
    slow[k].b = p->sides[k].b;
    atomic_store(&slow[k].b.created, POSTGRES_NAMES * (long)(k + 7));
    slow[k].s = NULL;
    slow[k].peer = p->sides[k].peer;
  }
  slow[0].s = postgres_open(p->slow[0]);
  for (m = 0; m < sizeof postgres_waits / sizeof postgres_waits[0]; m++) {
    waits[0] = postgres_wait(&slow[0], &p->sides[0], m);
    bench_libpq_connect(p->sides[1].peer, p->slow[1], 1);
    waits[1] = postgres_wait(&slow[1], &p->sides[0], m);
    bench_libpq_disconnect(p->sides[1].peer);
    bench_figure(size, postgres_waits[m].name, "", waits[0], waits[1], waits[0] / waits[1],
                 postgres_waits[m].most > 0 ? BENCH_AT_MOST(postgres_waits[m].most, "times") : BENCH_NONE);
  }
  svc_close(slow[0].s);
}

static void postgres_prepare(postgres_size *p, bench_store *b, const char *folder, const char *slow)
{
  static const char *const names[2] = { "ours", "peer" };
  bench_options options = { b->path, SVC_NO_SYNC, NULL, NULL, false, 0 };
  char plain[BENCH_PATH], sql[80];
  PGconn *conn;
  svc *s;
  int k;
  postgres_uri(plain, sizeof plain, folder, "public");
  conn = postgres_connect(plain);
  for (k = 0; k < 2; k++) {
    snprintf(p->schema[k], sizeof p->schema[k], "%s_%d", names[k], b->size);
    snprintf(sql, sizeof sql, "CREATE SCHEMA %.31s", p->schema[k]);
    postgres_do(conn, sql);
    postgres_uri(p->uri[k], sizeof p->uri[k], folder, p->schema[k]);
    postgres_uri(p->slow[k], sizeof p->slow[k], slow, p->schema[k]);
    p->sides[k].b = *b;
    atomic_store(&p->sides[k].b.created, POSTGRES_NAMES * (long)(k + 1));
  }
  PQfinish(conn);
  for (k = 0; k < POSTGRES_INSTANCES; k++) postgres_instance_start(&p->instances[k], p->uri[0], b, k);
  s = bench_open(&options);
  p->sides[1].peer = bench_libpq_new(s, b, p->uri[1]);
  svc_close(s);
  postgres_fill(b, p->uri[0]);
}

static void postgres_turns(postgres_size *p, int turn)
{
  size_t m;
  int k;
  for (m = 0; m < POSTGRES_RATES; m++)
    for (k = 0; k < 2; k++) {
      int which = (turn + k) % 2;
      unsigned state = 9;
      postgres_ask(&p->sides[which], 0, BENCH_GET, &state); /* wakes up an idle side */
      bench_turn(&p->rates[m][which], postgres_turn(&p->sides[which], postgres_rates[m].op, postgres_rates[m].threads));
    }
  for (m = 0; m < POSTGRES_PAIRS; m++)
    for (k = 0; k < 2; k++) { /* the first instance alone, the others together */
      int which = (turn + k) % 2;
      bench_turn(&p->pairs[m][which], 1 / postgres_instances_ask(&p->instances[which], which + 1, postgres_pairs[m].op));
    }
}

static void postgres_report(int size, const postgres_size *p)
{
  size_t m;
  for (m = 0; m < POSTGRES_RATES; m++)
    bench_figure(size, postgres_rates[m].name, "per s", 1 / bench_median(&p->rates[m][0]), 1 / bench_median(&p->rates[m][1]),
                 bench_ratio(&p->rates[m][1], &p->rates[m][0]) * 100, BENCH_AT_LEAST(75, "%"));
  for (m = 0; m < POSTGRES_PAIRS; m++)
    bench_figure(size, postgres_pairs[m].name, "per s", 1 / bench_median(&p->pairs[m][1]), 1 / bench_median(&p->pairs[m][0]),
                 bench_ratio(&p->pairs[m][0], &p->pairs[m][1]), BENCH_NONE);
}

void bench_postgres(bench_store *b)
{
  static const bench_op ops[] = { BENCH_GET, BENCH_ORG_LIST, BENCH_CREATE };
  static postgres_size sizes[BENCH_SIZES];
  const char *folder = getenv("SVC_TEST_POSTGRES");
  char here[BENCH_PATH - 16], slow[BENCH_PATH];
  int i, k;
  if (!folder || !getcwd(here, sizeof here)) bench_die("SVC_TEST_POSTGRES does not name the folder of a server's socket");
  snprintf(slow, sizeof slow, "%s/build/relay", here);
  for (i = 0; i < BENCH_SIZES; i++) postgres_prepare(&sizes[i], &b[i], folder, slow); /* forks, so no threads may exist yet */
  bench_relay_start(slow, folder, POSTGRES_RTT / 2);
  for (i = 0; i < BENCH_SIZES; i++) {
    sizes[i].sides[0].s = postgres_open(sizes[i].uri[0]);
    bench_libpq_connect(sizes[i].sides[1].peer, sizes[i].uri[1], 1);
    for (k = 0; k < 3; k++) postgres_compare(&sizes[i].sides[0], &sizes[i].sides[1], ops[k]);
    bench_libpq_disconnect(sizes[i].sides[1].peer);
    postgres_wait_all(i, &sizes[i]);
    bench_libpq_connect(sizes[i].sides[1].peer, sizes[i].uri[1], BENCH_THREADS);
  }
  for (i = 0; i < POSTGRES_TURNS; i++)
    for (k = 0; k < BENCH_SIZES; k++) postgres_turns(&sizes[k], i);
  for (i = 0; i < BENCH_SIZES; i++) {
    postgres_report(i, &sizes[i]);
    for (k = 0; k < POSTGRES_INSTANCES; k++) postgres_instance_stop(&sizes[i].instances[k]);
    svc_close(sizes[i].sides[0].s);
    bench_libpq_disconnect(sizes[i].sides[1].peer);
    bench_libpq_free(sizes[i].sides[1].peer);
  }
}

#else
#include "bench.h"

void bench_postgres(bench_store *b)
{
  (void)b;
  bench_die("this program was made without libpq");
}
#endif
