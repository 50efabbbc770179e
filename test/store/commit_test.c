/*
** The commit queue: many writers, one commit; all of a write or nothing of it; a store that grows, and one that cannot.
*/
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16 };

/* A thread's own end of the service: the same handle, its own requests. */
typedef struct worker {
  t_service t;
  pthread_t thread;
  int number, times;
  const char *org, *group;
  atomic_int *stop;
  int created, refused, other;
  char (*ids)[25];
} worker;

/* Not a copy of the whole: clock, random source and log are those of the first, and may be in use by now. */
static void share(t_service *to, const t_service *t)
{
  memset(to, 0, sizeof *to);
  to->s = t->s;
  memcpy(to->grants, t->grants, sizeof to->grants);
  to->caller = t->caller;
  to->caller.grants = to->grants;
  to->peer = t->peer;
  svc_arena_init(&to->arena, NULL);
}

static void worker_start(worker *w, const t_service *t, int number, void *(*run)(void *))
{
  share(&w->t, t);
  w->number = number;
  munit_assert_int(pthread_create(&w->thread, NULL, run, w), ==, 0);
}

static void worker_join(worker *w)
{
  munit_assert_int(pthread_join(w->thread, NULL), ==, 0);
  svc_response_free(&w->t.response);
  svc_blocks_free(w->t.arena.blocks);
}

static int create(t_service *t, const char *org, const char *name)
{
  char body[160];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, org);
  return t_send(t, "POST", "/groups", body);
}

static int64_t total_of(t_service *t, const char *path)
{
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  return t_int(t, "totalCount");
}

/* ----------------------------------------------------------------------------------------------------- writers together */

static void *same_name(void *context)
{
  worker *w = context;
  int i;
  for (i = 0; i < 20; i++) {
    char name[32];
    int status;
    snprintf(name, sizeof name, "n%d", i);
    status = create(&w->t, w->org, name);
    if (status == 201) w->created++;
    else if (status == 409 && strcmp(t_error(&w->t), "GROUP_ALREADY_EXISTS") == 0) w->refused++;
    else w->other++;
  }
  return NULL;
}

static MunitResult commit_same_name(const MunitParameter params[], void *data)
{
  static worker w[THREADS];
  t_service t;
  int i, created = 0, refused = 0;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  w[0].org = t_organization(&t, "Acme");
  for (i = 0; i < THREADS; i++) {
    w[i].org = w[0].org;
    worker_start(&w[i], &t, i, same_name);
  }
  for (i = 0; i < THREADS; i++) {
    worker_join(&w[i]);
    created += w[i].created;
    refused += w[i].refused;
    munit_assert_int(w[i].other, ==, 0);
  }
  munit_assert_int(created, ==, 20);
  munit_assert_int(refused, ==, 20 * (THREADS - 1));
  munit_assert_int64(total_of(&t, "/groups"), ==, 20);
  munit_assert_size(store_whole(t.s), ==, 20);
  t_close(&t);
  return MUNIT_OK;
}

static void *own_names(void *context)
{
  worker *w = context;
  int i;
  for (i = 0; i < w->times; i++) {
    char name[32];
    snprintf(name, sizeof name, "p%d-%d", w->number, i);
    munit_assert_int(create(&w->t, w->org, name), ==, 201);
    if (w->ids) strcpy(w->ids[i], t_str(&w->t, "id"));
  }
  return NULL;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(a, b);
}

static MunitResult commit_many(const MunitParameter params[], void *data)
{
  enum { TIMES = 60 };
  static worker w[THREADS];
  static char ids[THREADS * TIMES][25];
  t_service t;
  const char *org;
  int i;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_size = 65536 });
  org = t_organization(&t, "Acme");
  for (i = 0; i < THREADS; i++) {
    w[i].org = org;
    w[i].times = TIMES;
    w[i].ids = &ids[i * TIMES];
    worker_start(&w[i], &t, i, own_names);
  }
  for (i = 0; i < THREADS; i++) worker_join(&w[i]);
  munit_assert_int64(total_of(&t, "/groups"), ==, THREADS * TIMES);
  munit_assert_size(store_whole(t.s), ==, THREADS * TIMES);
  for (i = 0; i < THREADS * TIMES; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", ids[i]), ==, 200);
    if (i % TIMES) munit_assert_int(strcmp(ids[i], ids[i - 1]), >, 0); /* one thread's came in order */
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events", ids[i]), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
    munit_assert_string_equal(t_str(&t, "results[0].eventTypeName"), "GROUP_CREATED");
    munit_assert_string_equal(t_str(&t, "results[0].groupId"), ids[i]);
  }
  qsort(ids, THREADS * TIMES, 25, by_text);
  for (i = 1; i < THREADS * TIMES; i++) munit_assert_string_not_equal(ids[i], ids[i - 1]);
  t_close(&t);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------- a port that counts */

static svc_store_port counting;
static atomic_int commits, aborts;
static const svc_store_port *lmdb;

static int counting_commit(svc_txn *txn)
{
  atomic_fetch_add(&commits, 1);
  usleep(500); /* as a disk does */
  return lmdb->commit(txn);
}

static void counting_abort(svc_txn *txn)
{
  atomic_fetch_add(&aborts, 1);
  lmdb->abort(txn);
}

static void count_commits(svc *s)
{
  lmdb = svc_lmdb_port();
  counting = *lmdb;
  counting.commit = counting_commit;
  counting.abort = counting_abort;
  s->commit.port = &counting;
  atomic_store(&commits, 0);
  atomic_store(&aborts, 0);
}

static MunitResult commit_batches(const MunitParameter params[], void *data)
{
  enum { TIMES = 25 };
  static worker w[THREADS];
  char path[128];
  t_service t;
  const char *org;
  int i;
  (void)params, (void)data;
  store_folder(path);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = path, .durability = SVC_DURABLE });
  org = t_organization(&t, "Acme");
  count_commits(t.s);
  munit_assert_int(create(&t, org, "alone"), ==, 201);
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(create(&t, org, "alone"), ==, 409); /* nothing to keep, nothing to flush */
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int(t_send(&t, "POST", "/groups", "{}"), ==, 400);
  munit_assert_int(atomic_load(&commits), ==, 1);
  count_commits(t.s);
  for (i = 0; i < THREADS; i++) {
    w[i].org = org;
    w[i].times = TIMES;
    worker_start(&w[i], &t, i, own_names);
  }
  for (i = 0; i < THREADS; i++) worker_join(&w[i]);
  munit_assert_size(store_whole(t.s), ==, THREADS * TIMES + 1);
  munit_assert_int(atomic_load(&commits), >=, TIMES);               /* a thread's writes come one after the other */
  munit_assert_int(atomic_load(&commits), <, THREADS * TIMES / 2);  /* and share their commits with the others' */
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------ hand-made jobs */

typedef struct hand {
  svc_job job; /* first: it is cast back */
  svc *s;
  pthread_t thread;
  const char *key; /* what it writes; NULL: nothing */
  bool says_yes;
  int error;      /* of the store, while it works */
  int waits_for;  /* jobs that must be waiting before it goes on, the first time it runs */
  int status;
  atomic_int runs;
} hand;

static int waiting(svc_commit *k)
{
  const svc_job *job;
  int n = 0;
  svc_mutex_lock(&k->lock);
  for (job = k->first; job; job = job->next) n++;
  svc_mutex_unlock(&k->lock);
  return n;
}

static bool hand_work(svc_job *job, svc_txn *txn)
{
  hand *h = (hand *)job;
  svc_key key;
  h->runs++;
  while (atomic_load(&h->runs) == 1 && waiting(&h->s->commit) < h->waits_for) usleep(200);
  if (h->key) {
    svc_key_meta(&key, h->key);
    svc_put(txn, &key, SVC_S("written"));
  }
  if (h->error) txn->error = h->error;
  return h->says_yes;
}

static void *hand_run(void *context)
{
  hand *h = context;
  h->job.work = hand_work;
  h->job.now = T_START;
  h->status = svc_commit_run(&h->s->commit, &h->job);
  return NULL;
}

/* Run all in one batch, in their order: the first takes its time until the others stand in the queue, and they join it. */
static void hands_run(svc *s, hand *hands, int n)
{
  int i;
  for (i = 0; i < n; i++) {
    hands[i].s = s;
    if (i == 0) hands[i].waits_for = n - 1;
    munit_assert_int(pthread_create(&hands[i].thread, NULL, hand_run, &hands[i]), ==, 0);
    while (i == 0 && !atomic_load(&hands[0].runs)) usleep(200);
    while (i > 0 && i < n - 1 && waiting(&s->commit) < i) usleep(200);
  }
  for (i = 0; i < n; i++) munit_assert_int(pthread_join(hands[i].thread, NULL), ==, 0);
}

static bool has_meta(svc *s, const char *name)
{
  svc_txn *txn;
  svc_key key;
  svc_str value;
  int rc;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_key_meta(&key, name);
  rc = svc_get(txn, &key, &value);
  s->commit.port->read_end(txn);
  return rc == SVC_OK;
}

static MunitResult commit_spoiled(const MunitParameter params[], void *data)
{
  hand h[6];
  t_service t;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  memset(h, 0, sizeof h);
  h[0].says_yes = true; /* writes nothing: no commit */
  h[1].key = "one", h[1].says_yes = true;
  h[2].key = "two", h[2].says_yes = false; /* writes, then says no */
  h[3].key = "three", h[3].says_yes = true;
  h[4].key = NULL, h[4].says_yes = false; /* says no and has written nothing */
  h[5].key = "five", h[5].says_yes = true;
  hands_run(t.s, h, 6);
  munit_assert_true(has_meta(t.s, "one") && has_meta(t.s, "three") && has_meta(t.s, "five"));
  munit_assert_false(has_meta(t.s, "two"));
  munit_assert_int(h[0].runs, ==, 2);
  munit_assert_int(h[1].runs, ==, 2); /* again, without the one that spoiled it */
  munit_assert_int(h[2].runs, ==, 1);
  munit_assert_int(h[3].runs, ==, 1);
  munit_assert_int(h[4].runs, ==, 1);
  munit_assert_int(h[5].runs, ==, 1);
  munit_assert_true(!h[1].job.failed && h[2].job.failed && !h[3].job.failed && h[4].job.failed && !h[5].job.failed);
  munit_assert_int(h[2].status, ==, SVC_OK);
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(atomic_load(&aborts), ==, 1); /* the spoiled one */

  count_commits(t.s);
  memset(h, 0, sizeof h); /* all of a batch say no: nothing is flushed */
  h[0].says_yes = true;
  h[1].key = "a";
  h[2].key = "b";
  h[3].key = "c";
  hands_run(t.s, h, 4);
  munit_assert_false(has_meta(t.s, "a") || has_meta(t.s, "b") || has_meta(t.s, "c"));
  munit_assert_int(atomic_load(&commits), ==, 0);
  munit_assert_true(h[1].job.failed && h[2].job.failed && h[3].job.failed);
  munit_assert_int(h[1].runs + h[2].runs + h[3].runs, ==, 3);

  count_commits(t.s);
  memset(h, 0, sizeof h); /* who comes while the first works shares its commit */
  h[0].key = "d", h[0].says_yes = true;
  h[1].key = "e", h[1].says_yes = true;
  h[2].key = "f", h[2].says_yes = true;
  hands_run(t.s, h, 3);
  munit_assert_true(has_meta(t.s, "d") && has_meta(t.s, "e") && has_meta(t.s, "f"));
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(h[0].runs + h[1].runs + h[2].runs, ==, 3);
  t_close(&t);
  return MUNIT_OK;
}

/* A single job that fails with an error of the store: it gets that error, and nothing of it stays. */
static MunitResult commit_error(const MunitParameter params[], void *data)
{
  hand h[1];
  t_service t;
  uint64_t print;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  print = store_print(t.s);
  memset(h, 0, sizeof h);
  h[0].key = "x", h[0].says_yes = true, h[0].error = SVC_IO;
  hands_run(t.s, h, 1);
  munit_assert_int(h[0].status, ==, SVC_IO);
  munit_assert_int(h[0].runs, ==, 1);
  munit_assert_true(store_print(t.s) == print);
  h[0].error = SVC_OK;
  hands_run(t.s, h, 1);
  munit_assert_int(h[0].status, ==, SVC_OK);
  munit_assert_true(has_meta(t.s, "x"));
  t_close(&t);
  return MUNIT_OK;
}

/* In a full store only what frees is kept of a batch, and nobody is refused for what another would have written. */
static MunitResult commit_full_batch(const MunitParameter params[], void *data)
{
  enum { WRITES, REFUSED, FREES, NO_ROOM, HANDS };
  hand h[HANDS];
  t_service t;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_limit = 1 << 20 });
  memset(h, 0, sizeof h);
  h[WRITES].key = "x", h[WRITES].says_yes = true;
  h[FREES].key = "y", h[FREES].says_yes = true, h[FREES].job.frees = true;
  h[NO_ROOM].says_yes = true, h[NO_ROOM].error = SVC_MAP_FULL;
  hands_run(t.s, h, HANDS);
  munit_assert_int(h[WRITES].status, ==, SVC_FULL);
  munit_assert_int(h[REFUSED].status, ==, SVC_FULL);
  munit_assert_int(h[FREES].status, ==, SVC_OK);
  munit_assert_int(h[NO_ROOM].status, ==, SVC_FULL);
  munit_assert_false(has_meta(t.s, "x"));
  munit_assert_true(has_meta(t.s, "y"));
  t_close(&t);
  return MUNIT_OK;
}

/* ---------------------------------------------------------------------------------------- a batch and the same in a row */

#define CLUSTER "{\"name\":\"c%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":" \
                "{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define CLUSTER_OF(name) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{" \
                         "\"electableSpecs\":{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define TAGS "{\"tags\":[{\"key\":\"a rather long name of a tag, so that the record grows\",\"value\":\"and its value as well\"}]}"

/* %A, %B: projects; %O, %P: organizations */
static const struct {
  const char *method, *path, *body;
} mixed[] = {
  { "POST", "/groups/%A/clusters", CLUSTER_OF("n1") },
  { "PATCH", "/groups/%A", TAGS },
  { "POST", "/groups/%A/clusters", CLUSTER_OF("n2") },
  { "PATCH", "/groups/%A/clusters/c0", TAGS },
  { "POST", "/groups", "{\"name\":\"gamma\",\"orgId\":\"%O\"}" },
  { "PATCH", "/groups/%A/privateIpMode", "{\"enabled\":true}" },
  { "DELETE", "/groups/%A/clusters/c1", NULL },
  { "PATCH", "/groups/%B", "{\"name\":\"delta\"}" },
  { "POST", "/groups/%A/clusters", CLUSTER_OF("n1") }, /* exists already */
  { "PATCH", "/orgs/%O", "{\"name\":\"Another\"}" },
  { "PATCH", "/orgs/%O/settings", "{\"restrictEmployeeAccess\":true}" },
  { "PATCH", "/groups/%A/clusters/n2", TAGS }, /* made in this batch */
  { "PATCH", "/groups/%A/limits/svc.project.deployment.clusters", "{\"value\":30}" },
  { "POST", "/groups/%A:migrate", "{\"destinationOrgId\":\"%P\"}" },
  { "DELETE", "/groups/%B", NULL },
  { "POST", "/groups/%B/clusters", CLUSTER_OF("n3") }, /* gone in this batch */
  { "POST", "/groups/%A/clusters", CLUSTER_OF("n4") },
  { "PATCH", "/groups/%A/privateIpMode", "{\"enabled\":false}" },
  { "PATCH", "/groups/%A", "{\"tags\":[]}" },
  { "POST", "/orgs", "{\"name\":\"Third\"}" },
  { "POST", "/groups/%A/clusters", CLUSTER_OF("n5") },
};
enum { MIXED = sizeof mixed / sizeof mixed[0] };

typedef struct mix {
  t_service t;
  char ids[4][25]; /* A, B, O, P */
} mix;

static const char *mix_fill(const mix *m, const char *text, char *out)
{
  static const char letters[] = "ABOP";
  char *to = out;
  for (; text && *text; text++) {
    const char *letter = *text == '%' ? strchr(letters, text[1]) : NULL;
    if (letter) {
      to += sprintf(to, "%s", m->ids[letter - letters]);
      text++;
    } else {
      *to++ = *text;
    }
  }
  *to = 0;
  return text ? out : NULL;
}

static int mix_send(t_service *t, const mix *m, int i)
{
  char path[256], body[1024];
  return t_send(t, mixed[i].method, mix_fill(m, mixed[i].path, path), mix_fill(m, mixed[i].body, body));
}

static void mix_open(mix *m)
{
  int i;
  t_open(&m->t, &(svc_config){ .limiter_off = 1 });
  strcpy(m->ids[2], t_organization(&m->t, "Acme"));
  strcpy(m->ids[3], t_organization(&m->t, "Other"));
  strcpy(m->ids[0], t_project(&m->t, m->ids[2], "alpha"));
  strcpy(m->ids[1], t_project(&m->t, m->ids[2], "beta"));
  for (i = 0; i < 8; i++) { /* the batch then makes it ten: what the project says of them gets longer */
    char body[512];
    snprintf(body, sizeof body, CLUSTER, i);
    munit_assert_int(t_sendf(&m->t, "POST", body, "/groups/%s/clusters", m->ids[0]), ==, 201);
  }
  t_advance(&m->t, 60);
  munit_assert_int(svc_tick(m->t.s), ==, SVC_OK);
}

typedef struct mix_worker {
  worker w;
  const mix *m;
} mix_worker;

static void *mix_run(void *context)
{
  mix_worker *w = context;
  mix_send(&w->w.t, w->m, w->w.number);
  return NULL;
}

/* Whatever is committed together answers byte for byte as it would have one after the other. */
static MunitResult commit_batch_answers(const MunitParameter params[], void *data)
{
  static mix row, batch;
  static mix_worker w[MIXED];
  hand first;
  int i, differ = 0;
  (void)params, (void)data;
  mix_open(&row);
  mix_open(&batch);
  munit_assert_memory_equal(sizeof row.ids, row.ids, batch.ids); /* the same clock, the same chance */
  memset(&first, 0, sizeof first); /* keeps the queue shut until all stand in it */
  first.s = batch.t.s;
  first.waits_for = MIXED;
  munit_assert_int(pthread_create(&first.thread, NULL, hand_run, &first), ==, 0);
  while (!atomic_load(&first.runs)) usleep(200);
  count_commits(batch.t.s);
  for (i = 0; i < MIXED; i++) {
    w[i].m = &batch;
    worker_start(&w[i].w, &batch.t, i, mix_run);
    while (i < MIXED - 1 && waiting(&batch.t.s->commit) < i + 1) usleep(100);
  }
  munit_assert_int(pthread_join(first.thread, NULL), ==, 0);
  for (i = 0; i < MIXED; i++) munit_assert_int(pthread_join(w[i].w.thread, NULL), ==, 0);
  munit_assert_int(atomic_load(&commits), ==, 1);
  for (i = 0; i < MIXED; i++) {
    const svc_response *got = &w[i].w.t.response;
    mix_send(&row.t, &row, i);
    if (got->status != row.t.response.status || got->body_length != row.t.response.body_length ||
        memcmp(got->body, row.t.response.body, got->body_length) != 0) {
      munit_logf(MUNIT_LOG_WARNING, "%s %s: %d %s\n  in a row: %d %s", mixed[i].method, mixed[i].path, got->status, got->body,
                 row.t.response.status, row.t.response.body);
      differ++;
    }
    svc_response_free(&w[i].w.t.response);
    svc_blocks_free(w[i].w.t.arena.blocks);
  }
  munit_assert_int(differ, ==, 0);
  munit_assert_size(store_whole(batch.t.s), ==, store_whole(row.t.s));
  t_close(&row.t);
  t_close(&batch.t);
  return MUNIT_OK;
}

/* --------------------------------------------------------------------------------------------------- readers and writers */

typedef struct holder {
  svc *s;
  atomic_int held, release, posted;
  worker writer;
} holder;

static void *hold_writer(void *context)
{
  holder *h = context;
  svc_txn *txn;
  munit_assert_int(h->s->commit.port->write_begin(h->s->commit.store, &txn), ==, SVC_OK);
  atomic_store(&h->held, 1);
  while (!atomic_load(&h->release)) usleep(500);
  h->s->commit.port->abort(txn);
  return NULL;
}

static void *post_one(void *context)
{
  holder *h = context;
  munit_assert_int(create(&h->writer.t, h->writer.org, "late"), ==, 201);
  atomic_store(&h->posted, 1);
  return NULL;
}

/* Somebody holds the write transaction for as long as it likes: reads go on, writes wait. */
static MunitResult commit_readers_go_on(const MunitParameter params[], void *data)
{
  static holder h;
  pthread_t holding, posting;
  t_service t;
  const char *org, *group;
  int i;
  (void)params, (void)data;
  alarm(30); /* rather than waiting for ever */
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  h.s = t.s;
  munit_assert_int(pthread_create(&holding, NULL, hold_writer, &h), ==, 0);
  while (!atomic_load(&h.held)) usleep(500);
  share(&h.writer.t, &t);
  h.writer.org = org;
  munit_assert_int(pthread_create(&posting, NULL, post_one, &h), ==, 0);
  for (i = 0; i < 200; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
    munit_assert_int64(total_of(&t, "/groups"), ==, 1);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events", group), ==, 200);
  }
  usleep(20000);
  munit_assert_int(atomic_load(&h.posted), ==, 0);
  atomic_store(&h.release, 1);
  pthread_join(holding, NULL);
  pthread_join(posting, NULL);
  munit_assert_int(atomic_load(&h.posted), ==, 1);
  munit_assert_int64(total_of(&t, "/groups"), ==, 2);
  svc_response_free(&h.writer.t.response);
  svc_blocks_free(h.writer.t.arena.blocks);
  t_close(&t);
  return MUNIT_OK;
}

static void *add_clusters(void *context)
{
  worker *w = context;
  char body[512];
  int i;
  for (i = 0; i < w->times; i++) {
    snprintf(body, sizeof body, CLUSTER, w->number * 100 + i);
    munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/clusters", w->group), ==, 201);
  }
  return NULL;
}

/* In one transaction: what the project says of its clusters, their count, their records, and their events. */
static void check_half_state(svc *s, const char *group_text)
{
  static const svc_id root;
  char wanted[40];
  svc_id group;
  svc_entity e;
  svc_txn *txn;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  uint64_t count, found = 0;
  munit_assert_true(svc_id_parse(svc_str_c(group_text), &group));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  count = svc_entity_count(txn, "clus", &group);
  munit_assert_int(svc_entity_get(txn, "proj", &root, &group, &e), ==, SVC_OK);
  snprintf(wanted, sizeof wanted, "{\"clusterCount\":%llu,", (unsigned long long)count);
  munit_assert_true(svc_str_starts(e.body, wanted));
  munit_assert_uint64(svc_entity_count(txn, "evnt", &group), ==, count + 1);
  svc_key_entity(&prefix, "clus", &group, NULL);
  munit_assert_true(svc_scan_begin(&scan, txn, &prefix, false));
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    found++;
  }
  svc_scan_end(&scan);
  munit_assert_uint64(found, ==, count);
  s->commit.port->read_end(txn);
}

static void *read_states(void *context)
{
  worker *w = context;
  int64_t last = 0;
  while (!atomic_load(w->stop)) {
    int64_t total;
    check_half_state(w->t.s, w->group);
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters?itemsPerPage=500", w->group), ==, 200);
    total = t_int(&w->t, "totalCount");
    munit_assert_int64(total, ==, (int64_t)t_count(&w->t, "results"));
    munit_assert_int64(total, >=, last); /* never back */
    last = total;
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
    munit_assert_int64(t_int(&w->t, "clusterCount"), >=, last);
    w->created++;
  }
  return NULL;
}

static MunitResult commit_no_half_state(const MunitParameter params[], void *data)
{
  static worker writers[3], readers[3];
  t_service t;
  const char *org, *group;
  atomic_int stop;
  int i;
  (void)params, (void)data;
  atomic_init(&stop, 0);
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_size = 65536 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  for (i = 0; i < 3; i++) {
    readers[i].group = writers[i].group = group;
    readers[i].stop = &stop;
    writers[i].times = 8; /* a project may have 25 */
    worker_start(&readers[i], &t, i, read_states);
  }
  for (i = 0; i < 3; i++) worker_start(&writers[i], &t, i, add_clusters);
  for (i = 0; i < 3; i++) worker_join(&writers[i]);
  atomic_store(&stop, 1);
  for (i = 0; i < 3; i++) worker_join(&readers[i]);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int64(t_int(&t, "clusterCount"), ==, 24);
  check_half_state(t.s, group);
  store_whole(t.s);
  t_close(&t);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------ growth and its end */

static void *read_all_the_time(void *context)
{
  worker *w = context;
  while (!atomic_load(w->stop)) {
    munit_assert_int(t_send(&w->t, "GET", "/groups?itemsPerPage=3", NULL), ==, 200);
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
    munit_assert_string_equal(t_str(&w->t, "name"), "first");
    munit_assert_int(t_send(&w->t, "GET", "/groups/byName/nobody", NULL), ==, 404);
    w->created++;
  }
  return NULL;
}

static off_t file_size(const char *folder)
{
  char name[256];
  struct stat st;
  snprintf(name, sizeof name, "%s/data.mdb", folder);
  munit_assert_int(stat(name, &st), ==, 0);
  return st.st_size;
}

static MunitResult commit_grows(const MunitParameter params[], void *data)
{
  static worker readers[4];
  char path[128], name[32];
  svc_config config;
  t_service t;
  const char *org, *group;
  atomic_int stop;
  int i, n;
  (void)params, (void)data;
  atomic_init(&stop, 0);
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.map_size = 1; /* the least there is: 64 KiB */
  config.path = path;
  config.durability = SVC_NO_SYNC;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "first");
  for (i = 0; i < 4; i++) {
    readers[i].stop = &stop;
    readers[i].group = group;
    worker_start(&readers[i], &t, i, read_all_the_time);
  }
  for (n = 0; file_size(path) < 5 << 20; n++) {
    snprintf(name, sizeof name, "large%d", n);
    munit_assert_int(t_large_project(&t, org, name), ==, 201);
    munit_assert_int(n, <, 2000);
  }
  atomic_store(&stop, 1);
  for (i = 0; i < 4; i++) {
    worker_join(&readers[i]);
    munit_assert_int(readers[i].created, >, 0);
  }
  munit_assert_size(store_whole(t.s), ==, (size_t)n + 1);
  t_reopen(&t, &config); /* with 64 KiB again: it is as large as it has to be */
  munit_assert_size(store_whole(t.s), ==, (size_t)n + 1);
  for (i = 0; i < n; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/large%d", i), ==, 200);
    munit_assert_size(t_count(&t, "tags"), ==, 50);
  }
  munit_assert_int(t_large_project(&t, t_str(&t, "orgId"), "one-more"), ==, 201);
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

static MunitResult commit_map_limit(const MunitParameter params[], void *data)
{
  char path[128], org[25], name[32];
  svc_config config;
  t_service t;
  uint64_t print;
  int i, n, small;
  (void)params, (void)data;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.map_limit = 700000; /* map_size stays at its default, which is more: the limit counts */
  config.path = path;
  config.durability = SVC_NO_SYNC;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (n = 0; n < 1000; n++) {
    int status;
    snprintf(name, sizeof name, "p%d", n);
    print = store_print(t.s);
    status = t_large_project(&t, org, name);
    if (status == 507) break;
    munit_assert_int(status, ==, 201);
  }
  munit_assert_int(n, >, 10);
  munit_assert_int(n, <, 60);
  munit_assert_string_equal(t_error(&t), "INSUFFICIENT_STORAGE");
  munit_assert_string_equal(t_str(&t, "reason"), "Insufficient Storage");
  munit_assert_string_equal(t_get_header(&t, "Retry-After"), "");
  munit_assert_true(store_print(t.s) == print);
  munit_assert_int(file_size(path) <= 700000, ==, 1);
  munit_assert_size(store_whole(t.s), ==, (size_t)n);
  for (i = 0; i < n; i++) munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/p%d", i), ==, 200);
  for (small = 0; small < 1000; small++) { /* small ones may still fit, for a while */
    int status;
    snprintf(name, sizeof name, "s%d", small);
    status = create(&t, org, name);
    if (status == 507) break;
    munit_assert_int(status, ==, 201);
  }
  munit_assert_int(small, <, 1000);
  munit_assert_size(store_whole(t.s), ==, (size_t)(n + small));
  t_reopen(&t, &config); /* full as it is, it opens */
  munit_assert_int(t_large_project(&t, org, "no"), ==, 507);
  munit_assert_size(store_whole(t.s), ==, (size_t)(n + small));

  /* deleting takes pages, too, and gets them; what is freed can be used again, and the limit holds again */
  for (i = 0; i < n; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/p%d", i), ==, 200);
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", t_str(&t, "id")), ==, 202);
  }
  munit_assert_size(store_whole(t.s), ==, (size_t)small);
  munit_assert_int(file_size(path) <= 2 * 700000, ==, 1);
  munit_assert_int(create(&t, org, "again"), ==, 201);
  small++;
  for (n = 0; n < 1000; n++) {
    int status;
    snprintf(name, sizeof name, "r%d", n);
    status = t_large_project(&t, org, name);
    if (status == 507) break;
    munit_assert_int(status, ==, 201);
  }
  munit_assert_int(n, >, 10);
  munit_assert_int(n, <, 60);
  config.map_limit = 0;
  t_reopen(&t, &config);
  for (i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "q%d", i);
    munit_assert_int(t_large_project(&t, org, name), ==, 201);
  }
  munit_assert_size(store_whole(t.s), ==, (size_t)(n + small + 100));
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

/* Steps that are due while the store is full: the state stays as it is, reads go on, and once there is room it moves on. */
static int failing_commit(svc_txn *txn)
{
  lmdb->abort(txn);
  return SVC_IO;
}

/* A commit that failed has changed nothing, not even when the service looks next at what is due. */
static MunitResult commit_fails(const MunitParameter params[], void *data)
{
  t_service t;
  char group[25], body[512];
  uint64_t print;
  (void)params, (void)data;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  strcpy(group, t_project(&t, t_organization(&t, "Acme"), "alpha"));
  snprintf(body, sizeof body, CLUSTER, 0);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusters", group), ==, 201);
  t_advance(&t, 9);
  print = store_print(t.s);
  count_commits(t.s);
  counting.commit = failing_commit;
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c0", group), ==, 503); /* would be due later than it is */
  munit_assert_string_equal(t_error(&t), "SERVICE_UNAVAILABLE");
  munit_assert_string_equal(t_get_header(&t, "Retry-After"), "1");
  counting.commit = counting_commit;
  munit_assert_true(store_print(t.s) == print);
  t_advance(&t, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  /* while steps cannot be stored, requests go on, and do not all of them try */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c0", group), ==, 202);
  t_advance(&t, 100);
  counting.commit = failing_commit;
  munit_assert_int(svc_tick(t.s), ==, SVC_IO);
  atomic_store(&commits, 0);
  counting.commit = counting_commit;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 200);
  munit_assert_int(atomic_load(&commits), ==, 0);
  t_advance(&t, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 404);
  munit_assert_int(atomic_load(&commits), ==, 1);
  t_close(&t);
  return MUNIT_OK;
}

/* To the last page: what is removed takes more pages than there are, and gets them; nothing else does. */
static MunitResult commit_full_and_delete(const MunitParameter params[], void *data)
{
  char path[128], org[25], group[25], name[32];
  svc_config config;
  t_service t;
  hand h[1];
  int i;
  (void)params, (void)data;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.map_limit = 400000;
  config.path = path;
  config.durability = SVC_NO_SYNC;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  munit_assert_int(t_large_project(&t, org, "first"), ==, 201);
  strcpy(group, t_str(&t, "id"));
  for (i = 0;; i++) {
    snprintf(name, sizeof name, "p%d", i);
    if (t_large_project(&t, org, name) == 507) break;
  }
  memset(h, 0, sizeof h);
  h[0].key = name;
  h[0].says_yes = true;
  for (i = 0; i < 100000 && h[0].status == SVC_OK; i++) {
    snprintf(name, sizeof name, "filler%d", i);
    hands_run(t.s, h, 1);
  }
  munit_assert_int(h[0].status, ==, SVC_FULL);
  munit_assert_int(create(&t, org, "small"), ==, 507);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"other\"}", "/groups/%s", group), ==, 507);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_int(create(&t, org, "small"), ==, 201); /* there is room again */
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

/* A store that has no room left, with 20 clusters that are still being made. */
static void full_of_clusters(t_service *t, svc_config *config, char path[128], char group[25])
{
  char org[25], name[32], body[512];
  int i;
  store_folder(path);
  memset(config, 0, sizeof *config);
  config->limiter_off = 1;
  config->map_limit = 400000;
  config->path = path;
  config->durability = SVC_NO_SYNC;
  t_open(t, config);
  strcpy(org, t_organization(t, "Acme"));
  strcpy(group, t_project(t, org, "alpha"));
  for (i = 0; i < 20; i++) {
    snprintf(body, sizeof body, CLUSTER, i);
    munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/clusters", group), ==, 201);
  }
  for (i = 0;; i++) {
    snprintf(name, sizeof name, "p%d", i);
    if (t_large_project(t, org, name) == 507) break;
  }
  for (i = 0;; i++) {
    snprintf(name, sizeof name, "s%d", i);
    if (create(t, org, name) == 507) break;
  }
}

/* The first n of them; so many seconds pass before each look. */
static void clusters_are(t_service *t, const char *group, int n, const char *state, int seconds)
{
  int i;
  for (i = 0; i < n; i++) {
    t_advance(t, seconds);
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/c%d", group, i), ==, 200);
    munit_assert_string_equal(t_str(t, "stateName"), state);
  }
}

static MunitResult commit_full_and_due(const MunitParameter params[], void *data)
{
  char path[128], group[25];
  svc_config config;
  t_service t;
  (void)params, (void)data;
  full_of_clusters(&t, &config, path, group);
  t.log[0] = 0;
  t_advance(&t, 10);
  munit_assert_int(svc_tick(t.s), ==, SVC_FULL);
  munit_assert_not_null(strstr(t.log, "steps that are due could not be stored: the disk is full"));
  clusters_are(&t, group, 20, "CREATING", 1);
  store_whole(t.s);
  config.map_limit = 0;
  t_reopen(&t, &config);
  clusters_are(&t, group, 20, "IDLE", 0);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_READY", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 20);
  munit_assert_string_equal(t_str(&t, "results[0].created"), "2025-06-01T00:00:10Z");
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

/* What was accepted for deletion goes when its time comes, though there is no room, and others that are due wait for some. */
static MunitResult commit_full_and_gone(const MunitParameter params[], void *data)
{
  char path[128], group[25];
  svc_config config;
  t_service t;
  int i;
  (void)params, (void)data;
  full_of_clusters(&t, &config, path, group);
  for (i = 10; i < 20; i++) munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c%d", group, i), ==, 202);
  t_advance(&t, 100);
  svc_tick(t.s);
  munit_assert_int64(total_of(&t, t_keep(&t, svc_arena_print(&t.arena, "/groups/%s/clusters", group).p)), ==, 10);
  store_whole(t.s);
  config.map_limit = 0;
  t_reopen(&t, &config);
  clusters_are(&t, group, 10, "IDLE", 0);
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

static void *read_some(void *context)
{
  worker *w = context;
  int i;
  for (i = 0; i < 20; i++) {
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
    munit_assert_int(t_send(&w->t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
  }
  return NULL;
}

/* More readers than the store keeps transactions for, beside a writer that makes it grow. */
static MunitResult commit_many_readers(const MunitParameter params[], void *data)
{
  enum { READERS = 100 };
  static worker w[READERS];
  char name[32];
  t_service t;
  const char *org, *group;
  int i;
  (void)params, (void)data;
  alarm(30);
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_size = 65536 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  for (i = 0; i < READERS; i++) {
    w[i].group = group;
    worker_start(&w[i], &t, i, read_some);
    if (i % 4) continue;
    snprintf(name, sizeof name, "p%d", i);
    munit_assert_int(t_large_project(&t, org, name), ==, 201);
  }
  for (i = 0; i < READERS; i++) worker_join(&w[i]);
  munit_assert_size(store_whole(t.s), ==, READERS / 4 + 1);
  t_close(&t);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------------- full disk */

typedef struct disk_report {
  int acknowledged, status, reads_while_full;
  char error[64];
} disk_report;

static void disk_child(const svc_config *config, const char *org, off_t limit, int out)
{
  struct rlimit rl = { (rlim_t)limit, (rlim_t)limit };
  disk_report r;
  t_service t;
  char name[32];
  int i;
  memset(&r, 0, sizeof r);
  t_open(&t, config);
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &rl) != 0) _exit(3);
  for (;; r.acknowledged++) {
    snprintf(name, sizeof name, "d%lld-%d", (long long)limit, r.acknowledged);
    r.status = t_large_project(&t, org, name);
    if (r.status != 201) break;
    if (r.acknowledged > 1000) _exit(4);
  }
  snprintf(r.error, sizeof r.error, "%s", t_error(&t));
  for (i = 0; i < 50; i++) {
    if (i % 10 == 0 && t_large_project(&t, org, "full") != r.status) _exit(5); /* it stays so, and the store stays usable */
    r.reads_while_full += t_send(&t, "GET", "/groups?itemsPerPage=5", NULL) == 200 && t_send(&t, "GET", "/orgs", NULL) == 200;
  }
  if (write(out, &r, sizeof r) != (ssize_t)sizeof r) _exit(6);
  _exit(0);
}

static MunitResult commit_full_disk(const MunitParameter params[], void *data)
{
  static const int extra[] = { 0, 4096, 100000, 200001, 262144, 300000 }; /* within a page, and at the end of one */
  char path[128], org[25];
  svc_config config;
  t_service t;
  size_t projects = 0, k;
  int i;
  (void)params, (void)data;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.path = path;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  t_close(&t);
  for (k = 0; k < sizeof extra / sizeof extra[0]; k++) {
    off_t limit = file_size(path) + extra[k];
    disk_report r;
    int pipes[2], status;
    pid_t child;
    munit_assert_int(pipe(pipes), ==, 0);
    child = fork();
    munit_assert_int(child, >=, 0);
    if (child == 0) disk_child(&config, org, limit, pipes[1]);
    close(pipes[1]);
    munit_assert_int(waitpid(child, &status, 0), ==, child);
    munit_assert_true(WIFEXITED(status));
    munit_assert_int(WEXITSTATUS(status), ==, 0);
    munit_assert_int((int)read(pipes[0], &r, sizeof r), ==, (int)sizeof r);
    close(pipes[0]);
    munit_assert_int(r.status, ==, 507);
    munit_assert_string_equal(r.error, "INSUFFICIENT_STORAGE");
    munit_assert_int(r.reads_while_full, ==, 50);
    munit_assert_true(file_size(path) <= limit);
    t_open(&t, &config); /* without the limit */
    for (i = 0; i < r.acknowledged; i++) {
      munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/d%lld-%d", (long long)limit, i), ==, 200);
      munit_assert_size(t_count(&t, "tags"), ==, 50);
    }
    projects += (size_t)r.acknowledged;
    munit_assert_size(store_whole(t.s), ==, projects);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/full"), ==, 404);
    {
      char name[32];
      snprintf(name, sizeof name, "after%zu", k);
      munit_assert_int(t_large_project(&t, org, name), ==, 201);
      projects++;
    }
    t_close(&t);
  }
  munit_assert_size(projects, >, 6);
  store_remove(path);
  return MUNIT_OK;
}

/* ----------------------------------------------------------------------------------------------------- the random source */

typedef struct chance {
  int good; /* calls that still go well; < 0: all of them */
  uint64_t state;
} chance;

static int chance_fill(void *context, void *buffer, size_t size)
{
  chance *c = context;
  unsigned char *p = buffer;
  if (c->good == 0) return 1;
  if (c->good > 0) c->good--;
  while (size--) *p++ = (unsigned char)((c->state = c->state * 6364136223846793005u + 1442695040888963407u) >> 56);
  return 0;
}

static MunitResult commit_random_fails(const MunitParameter params[], void *data)
{
  chance c = { -1, 1 };
  svc_config config;
  t_service t;
  svc *s;
  char org[25];
  uint64_t print;
  int i;
  (void)params, (void)data;
  memset(&config, 0, sizeof config);
  config.random = chance_fill;
  config.random_context = &c;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (i = 0; i < 4; i++) { /* at the first id, at the second, ... */
    char name[32];
    int status;
    c.good = 0;
    t.s->commit.ids.pool_left = 8 * (size_t)i; /* random bytes for so many ids are there */
    snprintf(name, sizeof name, "p%d", i);
    print = store_print(t.s);
    status = create(&t, org, name);
    if (status == 201) break;
    munit_assert_int(status, ==, 503);
    munit_assert_string_equal(t_error(&t), "SERVICE_UNAVAILABLE");
    munit_assert_string_equal(t_get_header(&t, "Retry-After"), "1");
    munit_assert_true(store_print(t.s) == print);
    munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200); /* reads need no chance */
    munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  }
  munit_assert_int(i, ==, 2); /* one for the project, one for its event */
  c.good = -1;
  munit_assert_int(create(&t, org, "again"), ==, 201);
  munit_assert_size(store_whole(t.s), ==, 2);
  t_close(&t);
  c.good = 0; /* no seed for the limiter: there is no opening */
  munit_assert_int(svc_open(&s, &config), ==, SVC_RANDOM);
  munit_assert_null(s);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/same_name", commit_same_name, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/many", commit_many, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/batches", commit_batches, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/fails", commit_fails, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/spoiled", commit_spoiled, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/full_batch", commit_full_batch, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/error", commit_error, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/batch_answers", commit_batch_answers, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/readers_go_on", commit_readers_go_on, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/no_half_state", commit_no_half_state, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/grows", commit_grows, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/map_limit", commit_map_limit, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/full_and_delete", commit_full_and_delete, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/full_and_due", commit_full_and_due, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/full_and_gone", commit_full_and_gone, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/many_readers", commit_many_readers, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/full_disk", commit_full_disk, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/random_fails", commit_random_fails, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_commit = { "commit", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
