/*
** The commit queue: many writers share one commit; each write is stored completely or not at all; the store grows, or cannot
** grow.
*/
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16 };

/* State of one thread: the shared handle, and its own requests. */
typedef struct worker {
  t_service t;
  pthread_t thread;
  int number, times;
  const char *org, *group;
  atomic_int *stop;
  int created, refused, other;
  char (*ids)[25];
} worker;

/* Not a copy of the whole struct: clock, random source and log belong to the first thread, and may be in use. */
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
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\",\"withDefaultAlertsSettings\":false}", name, org);
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

TEST(commit, same_name)
{
  static worker w[THREADS];
  t_service t;
  int i, created = 0, refused = 0;
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

TEST(commit, many)
{
  enum { TIMES = 60 };
  static worker w[THREADS];
  static char ids[THREADS * TIMES][25];
  t_service t;
  const char *org;
  int i;
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
    if (i % TIMES) munit_assert_int(strcmp(ids[i], ids[i - 1]), >, 0); /* the ids of one thread's projects rise */
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events", ids[i]), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
    munit_assert_string_equal(t_str(&t, "results[0].eventTypeName"), "GROUP_CREATED");
    munit_assert_string_equal(t_str(&t, "results[0].groupId"), ids[i]);
  }
  qsort(ids, THREADS * TIMES, 25, by_text);
  for (i = 1; i < THREADS * TIMES; i++) munit_assert_string_not_equal(ids[i], ids[i - 1]);
  t_close(&t);
}

/* ---------------------------------------------------------------------------------------------- a port that does not do all */

static svc_store_port fake;
static const svc_store_port *lmdb;
static atomic_int commits, aborts;
static struct {
  int commit, put, begin; /* the next so many of these calls fail because another process committed first */
  int then_begin;         /* so many transactions fail to begin after such a commit */
  int due;                /* so many reads of the due index fail */
} fails;

static bool fake_fails(int *times)
{
  if (*times == 0) return false;
  --*times;
  return true;
}

static int fake_begin(svc_store *store, svc_txn **out)
{
  int rc;
  if (fake_fails(&fails.begin)) return SVC_RETRY;
  rc = lmdb->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &fake;
  return rc;
}

static int fake_put(svc_txn *txn, svc_str key, svc_str value)
{
  return fake_fails(&fails.put) ? SVC_RETRY : lmdb->put(txn, key, value);
}

static int fake_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  if (range->from.p[0] == 'd' && fake_fails(&fails.due)) return SVC_NOMEM;
  return lmdb->scan(txn, range, rows, most, n);
}

static int fake_commit(svc_txn *txn)
{
  atomic_fetch_add(&commits, 1);
  if (fake_fails(&fails.commit)) {
    fails.begin = fails.then_begin;
    lmdb->abort(txn);
    return SVC_RETRY;
  }
  usleep(500); /* as slow as a disk */
  return lmdb->commit(txn);
}

static void fake_abort(svc_txn *txn)
{
  atomic_fetch_add(&aborts, 1);
  lmdb->abort(txn);
}

static void fake_make(void)
{
  lmdb = svc_lmdb_port();
  fake = *lmdb;
  fake.write_begin = fake_begin;
  fake.put = fake_put;
  fake.scan = fake_scan;
  fake.commit = fake_commit;
  fake.abort = fake_abort;
  memset(&fails, 0, sizeof fails);
  atomic_store(&commits, 0);
  atomic_store(&aborts, 0);
}

static void count_commits(svc *s)
{
  fake_make();
  s->commit.port = &fake;
}

TEST(commit, batches)
{
  enum { TIMES = 25 };
  static worker w[THREADS];
  char path[128];
  t_service t;
  const char *org;
  int i;
  store_folder(path);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = path, .durability = SVC_DURABLE });
  org = t_organization(&t, "Acme");
  count_commits(t.s);
  munit_assert_int(create(&t, org, "alone"), ==, 201);
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(create(&t, org, "alone"), ==, 409); /* a refused write needs no commit */
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
  munit_assert_int(atomic_load(&commits), <, THREADS * TIMES / 2);  /* and share their commits with those of other threads */
  t_close(&t);
  store_remove(path);
}

/* ------------------------------------------------------------------------------------------------------ hand-made jobs */

typedef struct hand {
  svc_job job; /* first member: cast back from svc_job */
  svc *s;
  pthread_t thread;
  const char *key; /* the key that the job writes; NULL: none */
  bool says_yes;
  const char *unless; /* refuses, and writes nothing, if this key exists; NULL: never */
  int no_in;      /* refuses in this run, without writing */
  int sorry_in;   /* refuses in this run, after writing */
  int ids;        /* number of ids to take */
  int64_t due;    /* the time of a due step to add; 0: none */
  int error;      /* error of the store during the job */
  int error_in;   /* only in this run; 0: in every run */
  int waits_for;  /* number of jobs that must be queued before the first run continues */
  int status;
  atomic_int runs;
  svc_id last;    /* the last id taken */
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

static bool hand_sees(svc_txn *txn, const char *name)
{
  svc_key key;
  svc_str value;
  svc_key_meta(&key, name);
  return svc_get(txn, &key, &value) == SVC_OK;
}

static bool hand_work(svc_job *job, svc_txn *txn)
{
  hand *h = (hand *)job;
  svc_key key;
  int run = ++h->runs, i;
  while (run == 1 && waiting(&h->s->commit) < h->waits_for) usleep(200);
  if (run == h->no_in || (h->unless && hand_sees(txn, h->unless))) return false;
  for (i = 0; i < h->ids; i++) h->last = svc_new_id(txn);
  if (h->key) {
    svc_key_meta(&key, h->key);
    svc_put(txn, &key, SVC_S("written"));
  }
  if (h->due) {
    svc_due_entry due = { .when = h->due, .kind = "zzzz" };
    svc_key_due(&key, &due);
    svc_put(txn, &key, SVC_S(""));
  }
  if (h->error && (!h->error_in || h->error_in == run)) txn->error = h->error;
  return h->says_yes && run != h->sorry_in;
}

static void *hand_run(void *context)
{
  hand *h = context;
  h->job.work = hand_work;
  h->job.now = T_START;
  h->status = svc_commit_run(&h->s->commit, &h->job);
  return NULL;
}

/* Runs all jobs in one batch, in order: the first one works until the others are queued, and they join its batch. */
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

static bool has_all(svc *s, const hand *hands, int n)
{
  int i;
  for (i = 0; i < n; i++)
    if (hands[i].key && !has_meta(s, hands[i].key)) return false;
  return true;
}

/* Sets up jobs that write these keys and succeed. */
static void hands_set(hand *hands, int n, const char *const *keys)
{
  int i;
  memset(hands, 0, (size_t)n * sizeof *hands);
  for (i = 0; i < n; i++) {
    hands[i].key = keys[i];
    hands[i].says_yes = true;
  }
}

TEST(commit, spoiled)
{
  static const char *const first[] = { NULL, "one", "two", "three", NULL, "five" }, *const second[] = { NULL, "a", "b", "c" };
  static const char *const third[] = { "d", "e", "f" };
  hand h[6];
  t_service t;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  hands_set(h, 6, first); /* the first writes nothing: no commit */
  h[2].says_yes = false;  /* writes, then refuses */
  h[4].says_yes = false;  /* refuses without writing */
  hands_run(t.s, h, 6);
  munit_assert_true(has_meta(t.s, "one") && has_meta(t.s, "three") && has_meta(t.s, "five"));
  munit_assert_false(has_meta(t.s, "two"));
  munit_assert_int(h[0].runs, ==, 2);
  munit_assert_int(h[1].runs, ==, 2); /* repeated, without the job that spoiled the batch */
  munit_assert_int(h[2].runs, ==, 2); /* repeated alone after the others: this result counts */
  munit_assert_int(h[3].runs, ==, 1);
  munit_assert_int(h[4].runs, ==, 1);
  munit_assert_int(h[5].runs, ==, 1);
  munit_assert_true(!h[1].job.refused && h[2].job.refused && !h[3].job.refused && h[4].job.refused && !h[5].job.refused);
  for (i = 0; i < 6; i++) munit_assert_int(h[i].status, ==, SVC_OK);
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(atomic_load(&aborts), ==, 2); /* the spoiled batch, and the refused job alone */

  count_commits(t.s);
  hands_set(h, 4, second); /* the other jobs of the batch refuse: nothing is flushed */
  for (i = 1; i < 4; i++) h[i].says_yes = false;
  hands_run(t.s, h, 4);
  munit_assert_false(has_meta(t.s, "a") || has_meta(t.s, "b") || has_meta(t.s, "c"));
  munit_assert_int(atomic_load(&commits), ==, 0);
  munit_assert_true(h[1].job.refused && h[2].job.refused && h[3].job.refused);
  munit_assert_int(h[1].runs + h[2].runs + h[3].runs, ==, 6);

  count_commits(t.s);
  hands_set(h, 3, third); /* jobs that arrive while the first one runs share its commit */
  hands_run(t.s, h, 3);
  munit_assert_true(has_all(t.s, h, 3));
  munit_assert_int(atomic_load(&commits), ==, 1);
  munit_assert_int(h[0].runs + h[1].runs + h[2].runs, ==, 3);
  t_close(&t);
}

static svc_id stored_ids(svc *s)
{
  svc_id id;
  svc_txn *txn;
  svc_key key;
  svc_str value;
  memset(&id, 0, sizeof id);
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_key_meta(&key, "ids");
  if (svc_get(txn, &key, &value) == SVC_OK && value.n == sizeof id.b) memcpy(id.b, value.p, value.n);
  s->commit.port->read_end(txn);
  return id;
}

/* Checks that the store knows every id that was given out, or that may be given out without another write. */
static void ids_are_known(svc *s)
{
  svc_id bound = stored_ids(s);
  munit_assert_int(memcmp(s->commit.ids.last.b, bound.b, 12), <=, 0);
  munit_assert_true(svc_id_eq(&s->commit.ids.reserved, &bound));
}

/* A job that refuses after it has written: no other job sees its writes, and its ids are given out again. */
TEST(commit, alone)
{
  static const char *const keys[] = { "one", "spoils", "two", "three" };
  hand h[4];
  t_service t;
  svc_id before;
  int i, known;
  for (known = 0; known < 2; known++) { /* first ids that the store has not reserved yet, then reserved ones */
    t_open(&t, &(svc_config){ .limiter_off = 1 });
    if (known) t_organization(&t, "Acme");
    before = t.s->commit.ids.last;
    count_commits(t.s);
    hands_set(h, 4, keys);
    for (i = 0; i < 4; i++) h[i].ids = 2;
    h[1].says_yes = false;
    h[2].unless = "spoils"; /* is not refused, because the key was never stored */
    hands_run(t.s, h, 4);
    for (i = 0; i < 4; i++) {
      munit_assert_int(h[i].status, ==, SVC_OK);
      munit_assert_int(h[i].job.refused, ==, i == 1);
      munit_assert_int(has_meta(t.s, keys[i]), ==, i != 1);
    }
    munit_assert_int(memcmp(h[0].last.b, before.b, 12), >, 0);
    munit_assert_int(memcmp(h[2].last.b, h[0].last.b, 12), >, 0);
    munit_assert_int(memcmp(h[3].last.b, h[2].last.b, 12), >, 0);
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &h[3].last)); /* the last id that was kept */
    ids_are_known(t.s);
    munit_assert_int(atomic_load(&commits), ==, 1);

    hands_set(h, 3, keys); /* repeated alone the job succeeds, in a separate commit after the others */
    h[0].key = "four", h[1].key = "late", h[2].key = "five";
    h[1].sorry_in = 1;
    h[1].ids = h[2].ids = 1;
    count_commits(t.s);
    hands_run(t.s, h, 3);
    munit_assert_true(has_all(t.s, h, 3));
    munit_assert_true(!h[0].job.refused && !h[1].job.refused && !h[2].job.refused);
    munit_assert_int(h[1].runs, ==, 2);
    munit_assert_int(memcmp(h[1].last.b, h[2].last.b, 12), >, 0);
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &h[1].last));
    munit_assert_int(atomic_load(&commits), ==, 2);
    ids_are_known(t.s);

    before = t.s->commit.ids.last; /* the only run of this job */
    hands_set(h, 1, keys);
    h[0].key = "never";
    h[0].says_yes = false;
    h[0].ids = 5;
    hands_run(t.s, h, 1);
    munit_assert_true(h[0].job.refused && h[0].status == SVC_OK && !has_meta(t.s, "never"));
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &before));
    ids_are_known(t.s);
    t_close(&t);
  }
}

/* An error of a single job is returned to that job, and nothing of it is stored. The others are not affected. */
TEST(commit, own_errors)
{
  static const char *const keys[] = { "one", "bad", "two" };
  static const int own[] = { SVC_NOMEM, SVC_CORRUPT, SVC_INVALID, SVC_RANDOM };
  hand h[3];
  t_service t;
  svc_id before;
  size_t k;
  for (k = 0; k < sizeof own / sizeof own[0]; k++) {
    t_open(&t, &(svc_config){ .limiter_off = 1 });
    count_commits(t.s);
    hands_set(h, 3, keys);
    h[0].ids = h[1].ids = h[2].ids = 1;
    h[1].error = own[k];
    h[1].says_yes = k % 2;
    hands_run(t.s, h, 3);
    munit_assert_true(h[0].status == SVC_OK && h[1].status == own[k] && h[2].status == SVC_OK);
    munit_assert_false(h[0].job.refused || h[1].job.refused || h[2].job.refused);
    munit_assert_true(has_meta(t.s, "one") && !has_meta(t.s, "bad") && has_meta(t.s, "two"));
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &h[2].last));
    munit_assert_int(h[1].runs, ==, 1);
    munit_assert_int(atomic_load(&commits), ==, 1);
    ids_are_known(t.s);

    before = t.s->commit.ids.last; /* the job first spoils the batch, then fails alone */
    hands_set(h, 3, keys);
    h[0].key = "three", h[2].key = "four";
    h[1].sorry_in = 1;
    h[1].error = own[k];
    h[1].error_in = 2;
    h[1].ids = 1;
    hands_run(t.s, h, 3);
    munit_assert_true(h[0].status == SVC_OK && h[1].status == own[k] && h[2].status == SVC_OK);
    munit_assert_true(has_meta(t.s, "three") && !has_meta(t.s, "bad") && has_meta(t.s, "four"));
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &before));
    ids_are_known(t.s);
    t_close(&t);
  }
}

/* ---------------------------------------------------------------------------------------------- another writer came first */

enum { TRIES = 16, ALWAYS = 1000 };

/* Wherever the store reports a conflict, the batch is repeated in parts. A job that loses too often gets SVC_BUSY. */
static void retried(int *where, int times)
{
  static const char *const keys[] = { NULL, "one", "two" };
  const bool begin = where == &fails.begin, put = where == &fails.put;
  hand h[3];
  t_service t;
  svc_id before;
  uint64_t print;
  int i, least;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  t_organization(&t, "Acme");
  before = t.s->commit.ids.last;
  print = store_print(t.s);
  count_commits(t.s);
  hands_set(h, 3, keys);
  h[1].ids = h[2].ids = 1;
  *where = times;
  hands_run(t.s, h, 3);
  if (times < ALWAYS) munit_assert_int(*where, ==, 0);
  for (i = 0; i < 3; i++) {
    const bool wrote_nothing = i == 0; /* so a conflict cannot fail it once it runs alone */
    munit_assert_int(h[i].status, ==, times < ALWAYS || wrote_nothing ? SVC_OK : SVC_BUSY);
    munit_assert_false(h[i].job.refused);
    least = begin || put || wrote_nothing ? 1 : times < ALWAYS ? 1 + (times > 0) : TRIES;
    munit_assert_int(h[i].runs, >=, least);
    munit_assert_int(h[i].runs, <=, times < TRIES ? times + 1 : TRIES);
  }
  if (times < ALWAYS) {
    munit_assert_true(has_all(t.s, h, 3));
    i = memcmp(h[1].last.b, h[2].last.b, 12) > 0 ? 1 : 2; /* a job that lost again comes after the other */
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &h[i].last));
  } else {
    munit_assert_true(store_print(t.s) == print);
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &before)); /* all ids were taken back */
    munit_assert_true(svc_commit_due(&t.s->commit, T_START)); /* the due index has to be read again */
    *where = 0;
    hands_set(h, 3, keys);
    hands_run(t.s, h, 3);
    munit_assert_true(h[0].status == SVC_OK && has_all(t.s, h, 3));
    munit_assert_false(svc_commit_due(&t.s->commit, T_START));
  }
  ids_are_known(t.s);
  t_close(&t);
}

TEST(commit, retried)
{
  static const int times[] = { 0, 1, 2, TRIES - 1, ALWAYS };
  size_t i;
  for (i = 0; i < sizeof times / sizeof times[0]; i++) {
    retried(&fails.commit, times[i]);
    retried(&fails.put, times[i]);
    if (i < 4) retried(&fails.begin, times[i]); /* no queue forms while no transaction begins: see below */
  }
}

/* A single job, and no transaction begins. */
TEST(commit, not_begun)
{
  static const char *const keys[] = { "one" };
  hand h[1];
  t_service t;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  hands_set(h, 1, keys);
  h[0].s = t.s;
  fails.begin = TRIES;
  hand_run(&h[0]);
  munit_assert_true(h[0].status == SVC_BUSY && h[0].runs == 0 && fails.begin == 0);
  hand_run(&h[0]);
  munit_assert_true(h[0].status == SVC_OK && h[0].runs == 1 && has_meta(t.s, "one"));
  t_close(&t);
}

/* A job's result in an aborted try does not count; the result of the last try does. */
TEST(commit, told_last)
{
  static const char *const keys[] = { NULL, "x", "y", "z" };
  hand h[4];
  t_service t;
  int no_room;
  for (no_room = 0; no_room < 2; no_room++) { /* a conflict with another process, or no room */
    t_open(&t, &(svc_config){ .limiter_off = 1 });
    count_commits(t.s);
    hands_set(h, 4, keys);
    h[1].no_in = 2;     /* writes in the first try, refuses in the second */
    h[2].unless = "x";  /* refuses in the first try because of "x", and not in the second */
    h[3].no_in = 1;     /* refuses in the first try, writes in the second */
    if (no_room) h[3].error = SVC_NO_ROOM, h[3].error_in = 1, h[3].no_in = 0;
    else fails.commit = 1;
    hands_run(t.s, h, 4);
    munit_assert_true(h[0].runs == 2 && h[1].runs == 2 && h[2].runs == 2 && h[3].runs == 2);
    munit_assert_true(h[1].job.refused && !h[2].job.refused && !h[3].job.refused);
    munit_assert_true(!has_meta(t.s, "x") && has_meta(t.s, "y") && has_meta(t.s, "z"));
    t_close(&t);
  }
  t_open(&t, &(svc_config){ .limiter_off = 1 }); /* a job that refuses in its last try is not reported as successful */
  count_commits(t.s);
  hands_set(h, 4, keys);
  h[1].no_in = 3; /* its half lost twice, the other half once */
  h[2].no_in = 2;
  fails.commit = 2;
  hands_run(t.s, h, 4);
  munit_assert_true(h[1].job.refused && h[2].job.refused && !h[3].job.refused);
  munit_assert_true(!has_meta(t.s, "x") && !has_meta(t.s, "y") && has_meta(t.s, "z"));

  hands_set(h, 4, keys); /* nor is a job reported as refused if the whole batch failed */
  h[1].key = "never";
  h[2].no_in = 1;
  fails.commit = 1;
  fails.then_begin = ALWAYS;
  hands_run(t.s, h, 4);
  fails.begin = 0;
  munit_assert_true(h[2].runs == 1 && h[2].status == SVC_BUSY && !h[2].job.refused && !has_meta(t.s, "never"));
  t_close(&t);
}

/* A store in which transactions that write "hot" lose so many times, with the pauses before each further try, and the number of
** pauses taken. */
static struct {
  int loses;
  bool writes;
  unsigned pause;
  atomic_uint rested, tries;
  atomic_bool rests;
} hot;

static int hot_put(svc_txn *txn, svc_str key, svc_str value)
{
  if (key.n >= 3 && memcmp(key.p + key.n - 3, "hot", 3) == 0) hot.writes = true;
  return lmdb->put(txn, key, value);
}

static int hot_begin(svc_store *store, svc_txn **out)
{
  hot.writes = false;
  return fake_begin(store, out);
}

static int hot_commit(svc_txn *txn)
{
  if (!hot.writes || hot.loses == 0) return lmdb->commit(txn);
  hot.loses--;
  atomic_fetch_add(&hot.tries, 1);
  lmdb->abort(txn);
  return SVC_RETRY;
}

static unsigned hot_rests(svc_store *store, unsigned tries)
{
  (void)store, (void)tries;
  return hot.pause;
}

static void hot_rest(svc_store *store)
{
  (void)store;
  atomic_store(&hot.rests, true);
  usleep(1000);
  atomic_fetch_add(&hot.rested, 1);
}

static void hot_open(t_service *t, int loses, unsigned pause)
{
  memset(&hot, 0, sizeof hot);
  t_open(t, &(svc_config){ .limiter_off = 1 });
  count_commits(t->s);
  fake.put = hot_put;
  fake.write_begin = hot_begin;
  fake.commit = hot_commit;
  fake.rests = hot_rests;
  fake.rest = hot_rest;
  hot.loses = loses;
  hot.pause = pause;
}

/* A job loses again and again. The other jobs of its batch are committed at their second try if they are of other tenants, and by
** their fourth try if they are of the same tenant. */
TEST(commit, split)
{
  static const char *const keys[] = { NULL, "hot", "b", "c", "d", "e" };
  hand h[6];
  t_service t;
  int i, same;
  for (same = 0; same < 2; same++) { /* first each job of another tenant: split by tenant; then all of one: halved */
    hot_open(&t, 6, 0);
    hands_set(h, 6, keys);
    for (i = 0; i < 6; i++) h[i].job.lane = same ? 7 : (uint64_t)i;
    hands_run(t.s, h, 6);
    for (i = 0; i < 6; i++) munit_assert_int(h[i].status, ==, SVC_OK);
    munit_assert_true(has_all(t.s, h, 6));
    munit_assert_int(h[1].runs, ==, 7);
    for (i = 2; i < 6; i++) munit_assert_int(h[i].runs, <=, same ? 4 : 2);
    munit_assert_int(h[5].runs, ==, 2);
    t_close(&t);
  }
  hot_open(&t, ALWAYS, 0); /* in the end only that job gets the error */
  hands_set(h, 6, keys);
  for (i = 0; i < 6; i++) h[i].job.lane = (uint64_t)i;
  hands_run(t.s, h, 6);
  for (i = 0; i < 6; i++) munit_assert_int(h[i].status, ==, i == 1 ? SVC_BUSY : SVC_OK);
  munit_assert_int(h[1].runs, ==, TRIES);
  munit_assert_ulong(atomic_load(&t.s->commit.conflicts), ==, TRIES);
  t_close(&t);
}

/* A hundred tenants, of which one loses: the batch is split into eight parts, and those into eight again. */
TEST(commit, split_many)
{
  enum { MANY = 100 };
  static char names[MANY][8];
  static hand h[MANY];
  const char *keys[MANY];
  t_service t;
  int i;
  for (i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], i == 42 ? "hot" : "k%d", i);
    keys[i] = names[i];
  }
  hot_open(&t, 8, 0);
  hands_set(h, MANY, keys);
  for (i = 0; i < MANY; i++) h[i].job.lane = (uint64_t)i + 1;
  hands_run(t.s, h, MANY);
  for (i = 0; i < MANY; i++) {
    munit_assert_int(h[i].status, ==, SVC_OK);
    if (i != 42) munit_assert_int(h[i].runs, <=, 4);
  }
  munit_assert_true(has_all(t.s, h, MANY));
  t_close(&t);
}

/* A job that arrives while the losing job pauses does not wait for the pause. */
TEST(commit, pause_is_its_own)
{
  static const char *const keys[] = { "hot" }, *const late[] = { "late" };
  hand h[1], l[1];
  t_service t;
  hot_open(&t, 3, 200);
  hands_set(h, 1, keys);
  hands_set(l, 1, late);
  h[0].s = l[0].s = t.s;
  h[0].job.lane = 1, l[0].job.lane = 2;
  munit_assert_int(pthread_create(&h[0].thread, NULL, hand_run, &h[0]), ==, 0);
  while (!atomic_load(&hot.rests)) usleep(200);
  hand_run(&l[0]);
  munit_assert_int(l[0].status, ==, SVC_OK);
  munit_assert_uint(atomic_load(&hot.tries), ==, 1); /* the other job is still in its first pause */
  munit_assert_true(has_meta(t.s, "late") && !has_meta(t.s, "hot"));
  pthread_join(h[0].thread, NULL);
  munit_assert_int(h[0].status, ==, SVC_OK);
  munit_assert_int(h[0].runs, ==, 4);
  munit_assert_uint(atomic_load(&hot.rested), >, 500);
  t_close(&t);
}

static int commits_until_busy;

static int busy_after(svc_txn *txn)
{
  if (commits_until_busy-- > 0) return fake_commit(txn);
  atomic_fetch_add(&commits, 1);
  lmdb->abort(txn);
  return SVC_RETRY;
}

/* A job that runs alone and finds the store busy gets SVC_BUSY; the others are already committed. */
TEST(commit, alone_and_busy)
{
  static const char *const keys[] = { NULL, "alone", "b", "c" };
  hand h[4];
  t_service t;
  svc_id last;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  fake.commit = busy_after;
  commits_until_busy = 1;
  hands_set(h, 4, keys);
  h[1].sorry_in = 1;
  h[1].ids = h[3].ids = 1;
  hands_run(t.s, h, 4);
  last = h[3].last;
  munit_assert_int(h[1].status, ==, SVC_BUSY);
  munit_assert_int(h[1].runs, ==, 1 + TRIES);
  munit_assert_ulong(atomic_load(&t.s->commit.conflicts), ==, TRIES);
  munit_assert_true(h[0].status == SVC_OK && h[2].status == SVC_OK && h[3].status == SVC_OK);
  munit_assert_true(!has_meta(t.s, "alone") && has_meta(t.s, "b") && has_meta(t.s, "c"));
  munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &last));
  fake.commit = fake_commit;
  ids_are_known(t.s);
  t_close(&t);
}

/* Another process creates the same new store at the same time: opening is tried again. */
TEST(commit, open_retried)
{
  svc_config config;
  t_service t;
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.store = &fake;
  fake_make();
  fails.commit = 1;
  t_open(&t, &config);
  munit_assert_true(t.s->commit.port == &fake);
  t_organization(&t, "Acme");
  munit_assert_int(atomic_load(&commits), >, 1);
  t_close(&t);
}

/* --------------------------------------------------------------------------------------------------------- when to look */

/* Before each commit the due index is read. If that fails, the handle must not conclude that nothing is due. */
TEST(commit, due_unseen)
{
  static const char *const keys[] = { "one" };
  hand h[1];
  t_service t;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  hands_set(h, 1, keys);
  h[0].due = T_START + 5000;
  fails.due = 1;
  hands_run(t.s, h, 1);
  munit_assert_int(fails.due, ==, 0);
  if (h[0].status == SVC_OK) munit_assert_true(svc_commit_due(&t.s->commit, T_START + 5000));
  else munit_assert_false(has_meta(t.s, "one"));
  t_close(&t);
}

/* Reading the due index fails during opening: svc_open() fails, or the handle reads the index again. */
TEST(commit, due_unseen_at_open)
{
  static const char *const keys[] = { "one" };
  char path[128];
  svc_config config;
  hand h[1];
  t_service t;
  svc *s = NULL;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.path = path;
  t_open(&t, &config);
  hands_set(h, 1, keys);
  h[0].due = T_START + 5000;
  hands_run(t.s, h, 1);
  t_close(&t);
  fake_make();
  config.store = &fake;
  fails.due = 1;
  if (svc_open(&s, &config) == SVC_OK) {
    munit_assert_true(svc_commit_due(&s->commit, T_START + 5000));
    svc_close(s);
  }
  munit_assert_int(fails.due, ==, 0);
  store_remove(path);
}

/* A store that other processes write to is checked every second, even if nothing is known to be due. */
TEST(commit, shared)
{
  static const char *const keys[] = { "one" };
  svc_config config;
  hand h[1];
  t_service t;
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.store = &fake;
  fake_make();
  fake.shared = true;
  t_open(&t, &config);
  munit_assert_true(svc_commit_due(&t.s->commit, T_START)); /* not checked yet */
  hands_set(h, 1, keys);
  hands_run(t.s, h, 1); /* at T_START */
  munit_assert_false(svc_commit_due(&t.s->commit, T_START + 999));
  munit_assert_true(svc_commit_due(&t.s->commit, T_START + 1000));
  hands_set(h, 1, keys);
  h[0].due = T_START + 400; /* unless a due step comes earlier */
  hands_run(t.s, h, 1);
  munit_assert_false(svc_commit_due(&t.s->commit, T_START + 399));
  munit_assert_true(svc_commit_due(&t.s->commit, T_START + 400));
  t_advance(&t, 2);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* checked: again in one second */
  munit_assert_false(svc_commit_due(&t.s->commit, T_START + 2999));
  munit_assert_true(svc_commit_due(&t.s->commit, T_START + 3000));
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------- ids of the past */

typedef struct past {
  svc_job job; /* first member: cast back from svc_job */
  int64_t times[9];
  svc_id ids[9];
  int n;
} past;

static bool past_work(svc_job *job, svc_txn *txn)
{
  past *p = (past *)job;
  int i;
  for (i = 0; i < p->n; i++) p->ids[i] = svc_new_id_at(txn, p->times[i]);
  return true;
}

static int past_order(const past *p, int a, int b)
{
  return memcmp(p->ids[a].b, p->ids[b].b, 12);
}

/* An id for a past time sorts at that time, after earlier ids for it. Other ids continue to rise. */
TEST(commit, past_ids)
{
  const int64_t hour = 3600000;
  t_service t;
  past p;
  svc_id last;
  int round, i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  t_organization(&t, "Acme");
  for (round = 0; round < 50; round++) {
    const int64_t now = T_START + round * 10;
    const int64_t times[] = { now, now - hour, now - hour + 1, now - hour, now, now + 5 * hour, now - 1000, now - hour,
                              now - now % 1000 };
    memset(&p, 0, sizeof p);
    p.job.work = past_work;
    p.job.now = now;
    p.n = 9;
    memcpy(p.times, times, sizeof times);
    last = t.s->commit.ids.last;
    munit_assert_int(svc_commit_run(&t.s->commit, &p.job), ==, SVC_OK);
    for (i = 0; i < 9; i++)
      munit_assert_int64(svc_id_second(&p.ids[i]), ==, i == 5 ? T_START / 1000 : times[i] / 1000); /* no id has a future time */
    munit_assert_int(memcmp(p.ids[0].b, last.b, 12), >, 0);
    munit_assert_true(past_order(&p, 4, 0) > 0 && past_order(&p, 5, 4) > 0 && past_order(&p, 8, 5) > 0); /* ids of the present */
    munit_assert_true(past_order(&p, 2, 1) > 0 && past_order(&p, 3, 2) > 0); /* ids of an hour ago */
    munit_assert_true(svc_id_eq(&t.s->commit.ids.last, &p.ids[8]));          /* past ids do not change the last id */
    for (i = 0; i < 7; i++) munit_assert_int(past_order(&p, 7, i), !=, 0);
  }
  ids_are_known(t.s);
  t_close(&t);
}

/* Simulates a crash: the store knows the reserved bound, but not the last id. */
static void crash(t_service *t, const svc_config *config)
{
  t->s->commit.ids.last = t->s->commit.ids.reserved;
  t_reopen(t, config);
}

/* After any number of crashes ids still rise, are unique, and stay near the clock. */
TEST(commit, ids_near)
{
  char path[128], org[25], last[25], name[16];
  svc_config config = { .limiter_off = 1, .durability = SVC_NO_SYNC };
  t_service t;
  svc_id id;
  int i;
  store_folder(path);
  config.path = path;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  strcpy(last, org);
  for (i = 0; i < 300; i++) {
    if (i % 3 == 2) t_reopen(&t, &config);
    else crash(&t, &config);
    snprintf(name, sizeof name, "p%d", i);
    munit_assert_int(strcmp(t_project(&t, org, name), last), >, 0);
    strcpy(last, t_str(&t, "id"));
    munit_assert_true(svc_id_parse(svc_str_c(last), &id));
    munit_assert_int64(svc_id_second(&id), >=, t.now / 1000);
    munit_assert_int64(svc_id_second(&id), <=, t.now / 1000 + SVC_ID_AHEAD + 1);
    ids_are_known(t.s);
    if (i % 50 == 49) t_advance(&t, 1);
  }
  t_advance(&t, 2 * SVC_ID_AHEAD); /* the clock has caught up */
  munit_assert_true(svc_id_parse(svc_str_c(t_project(&t, org, "later")), &id));
  munit_assert_int64(svc_id_second(&id), ==, t.now / 1000);
  munit_assert_size(store_whole(t.s), ==, 301);
  t_close(&t);
  store_remove(path);
}

/* A single job that fails with an error of the store gets that error, and nothing of it is stored. */
TEST(commit, error)
{
  hand h[1];
  t_service t;
  uint64_t print;
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
}

/* In a full store only the jobs of a batch that free space are stored. No job is refused because of what an unstored one would have
** written. */
TEST(commit, full_batch)
{
  enum { WRITES, REFUSED, FREES, NO_ROOM, HANDS };
  hand h[HANDS];
  t_service t;
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_limit = 1 << 20 });
  memset(h, 0, sizeof h);
  h[WRITES].key = "x", h[WRITES].says_yes = true;
  h[FREES].key = "y", h[FREES].says_yes = true, h[FREES].job.frees = true;
  h[NO_ROOM].says_yes = true, h[NO_ROOM].error = SVC_NO_ROOM;
  hands_run(t.s, h, HANDS);
  munit_assert_int(h[WRITES].status, ==, SVC_FULL);
  munit_assert_int(h[REFUSED].status, ==, SVC_FULL);
  munit_assert_int(h[FREES].status, ==, SVC_OK);
  munit_assert_int(h[NO_ROOM].status, ==, SVC_FULL);
  munit_assert_false(has_meta(t.s, "x"));
  munit_assert_true(has_meta(t.s, "y"));
  t_close(&t);
}

/* If a batch is too large for the store, jobs that failed before keep their error, whether they free space or not. */
TEST(commit, full_and_failed)
{
  enum { WRITES, FAILED, FAILED_FREES, FREES, NO_ROOM, HANDS };
  hand h[HANDS];
  t_service t;
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_limit = 1 << 20 });
  memset(h, 0, sizeof h);
  h[WRITES].key = "x", h[WRITES].says_yes = true;
  h[FAILED].error = SVC_CORRUPT;
  h[FAILED_FREES].error = SVC_NOMEM, h[FAILED_FREES].job.frees = true;
  h[FREES].key = "y", h[FREES].says_yes = true, h[FREES].job.frees = true;
  h[NO_ROOM].says_yes = true, h[NO_ROOM].error = SVC_NO_ROOM;
  hands_run(t.s, h, HANDS);
  munit_assert_int(h[WRITES].status, ==, SVC_FULL);
  munit_assert_int(h[FAILED].status, ==, SVC_CORRUPT);
  munit_assert_int(h[FAILED_FREES].status, ==, SVC_NOMEM);
  munit_assert_int(h[FREES].status, ==, SVC_OK);
  munit_assert_int(h[NO_ROOM].status, ==, SVC_FULL);
  munit_assert_false(has_meta(t.s, "x"));
  munit_assert_true(has_meta(t.s, "y"));
  t_close(&t);
}

/* More jobs than fit into a batch: the rest form the next one. */
TEST(commit, two_batches)
{
  enum { MANY = 140 };
  static hand h[MANY];
  static char names[MANY][16];
  const char *keys[MANY];
  t_service t;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  count_commits(t.s);
  for (i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "k%d", i);
    keys[i] = names[i];
  }
  hands_set(h, MANY, keys);
  hands_run(t.s, h, MANY);
  for (i = 0; i < MANY; i++) munit_assert_true(h[i].status == SVC_OK && h[i].runs == 1);
  munit_assert_true(has_all(t.s, h, MANY));
  munit_assert_int(atomic_load(&commits), ==, 2);
  t_close(&t);
}

typedef struct meanwhile {
  svc_job job; /* first member: cast back from svc_job */
  t_memory memory;
  hand other;
} meanwhile;

/* While this job works another one arrives, and there is no memory to queue it. */
static bool meanwhile_work(svc_job *job, svc_txn *txn)
{
  meanwhile *m = (meanwhile *)job;
  svc_key key;
  m->memory.calls = 0;
  m->memory.fail_at = 1;
  munit_assert_int(pthread_create(&m->other.thread, NULL, hand_run, &m->other), ==, 0);
  munit_assert_int(pthread_join(m->other.thread, NULL), ==, 0);
  m->memory.fail_at = 0;
  svc_key_meta(&key, "first");
  return svc_put(txn, &key, SVC_S("written")) == SVC_OK;
}

TEST(commit, no_waiter)
{
  static meanwhile m;
  t_service t;
  memset(&m, 0, sizeof m);
  t_open(&t, &(svc_config){ .limiter_off = 1, .allocator = { t_memory_resize, &m.memory } });
  m.job.work = meanwhile_work;
  m.job.now = T_START;
  m.other.s = t.s;
  m.other.key = "second";
  m.other.says_yes = true;
  munit_assert_int(svc_commit_run(&t.s->commit, &m.job), ==, SVC_OK);
  munit_assert_int(m.other.status, ==, SVC_NOMEM);
  munit_assert_int(m.other.runs, ==, 0);
  munit_assert_true(has_meta(t.s, "first") && !has_meta(t.s, "second"));
  hand_run(&m.other);
  munit_assert_true(m.other.status == SVC_OK && has_meta(t.s, "second"));
  t_close(&t);
  munit_assert_long(m.memory.live, ==, 0);
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
  { "PATCH", "/groups/%A/clusters/n2", TAGS }, /* created in this batch */
  { "PATCH", "/groups/%A/limits/svc.project.deployment.clusters", "{\"value\":30}" },
  { "POST", "/groups/%A:migrate", "{\"destinationOrgId\":\"%P\"}" },
  { "DELETE", "/groups/%B", NULL },
  { "POST", "/groups/%B/clusters", CLUSTER_OF("n3") }, /* deleted in this batch */
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
  for (i = 0; i < 8; i++) { /* the batch then makes it ten, so the JSON of the project gets longer */
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

/* Requests that are committed together get the same answers, byte for byte, as one after the other. */
TEST(commit, batch_answers)
{
  static mix row, batch;
  static mix_worker w[MIXED];
  hand first;
  int i, differ = 0;
  mix_open(&row);
  mix_open(&batch);
  munit_assert_memory_equal(sizeof row.ids, row.ids, batch.ids); /* the same clock and the same random numbers */
  memset(&first, 0, sizeof first); /* keeps the queue closed until all requests are queued */
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

/* Another thread holds the write transaction for a long time: reads continue, writes wait. */
TEST(commit, readers_go_on)
{
  static holder h;
  pthread_t holding, posting;
  t_service t;
  const char *org, *group;
  int i;
  alarm(30); /* so that a failure does not hang */
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

/* Compares, in one transaction, the project's field, the count, the records and the events of its clusters. */
static void check_half_state(svc *s, const char *group_text)
{
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
  count = svc_count(txn, "clus", &group);
  munit_assert_int(svc_entity_by_id(txn, "proj", &group, &e), ==, SVC_OK);
  snprintf(wanted, sizeof wanted, "{\"clusterCount\":%llu,", (unsigned long long)count);
  munit_assert_true(svc_str_starts(e.body, wanted));
  munit_assert_uint64(svc_count(txn, "evnt", &group), ==, count + 1);
  svc_key_entity(&prefix, "clus", &group, NULL);
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    found++;
  }
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
    munit_assert_int64(total, >=, last); /* the total never decreases */
    last = total;
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
    munit_assert_int64(t_int(&w->t, "clusterCount"), >=, last);
    w->created++;
  }
  return NULL;
}

TEST(commit, no_half_state)
{
  static worker writers[3], readers[3];
  t_service t;
  const char *org, *group;
  atomic_int stop;
  int i;
  atomic_init(&stop, 0);
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_size = 65536 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  for (i = 0; i < 3; i++) {
    readers[i].group = writers[i].group = group;
    readers[i].stop = &stop;
    writers[i].times = 8; /* a project may have 25 clusters */
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

TEST(commit, grows)
{
  static worker readers[4];
  char path[128], name[32];
  svc_config config;
  t_service t;
  const char *org, *group;
  atomic_int stop;
  int i, n;
  atomic_init(&stop, 0);
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.map_size = 1; /* the minimum: 64 KiB */
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
  t_reopen(&t, &config); /* with 64 KiB again: the map is as large as needed */
  munit_assert_size(store_whole(t.s), ==, (size_t)n + 1);
  for (i = 0; i < n; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/large%d", i), ==, 200);
    munit_assert_size(t_count(&t, "tags"), ==, 50);
  }
  munit_assert_int(t_large_project(&t, t_str(&t, "orgId"), "one-more"), ==, 201);
  t_close(&t);
  store_remove(path);
}

TEST(commit, map_limit)
{
  char path[128], org[25], name[32];
  svc_config config;
  t_service t;
  uint64_t print;
  int i, n, small;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.map_limit = 700000; /* map_size keeps its default, which is larger: the limit applies */
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
  for (small = 0; small < 1000; small++) { /* small projects may still fit for a while */
    int status;
    snprintf(name, sizeof name, "s%d", small);
    status = create(&t, org, name);
    if (status == 507) break;
    munit_assert_int(status, ==, 201);
  }
  munit_assert_int(small, <, 1000);
  munit_assert_size(store_whole(t.s), ==, (size_t)(n + small));
  t_reopen(&t, &config); /* a full store can be opened */
  munit_assert_int(t_large_project(&t, org, "no"), ==, 507);
  munit_assert_size(store_whole(t.s), ==, (size_t)(n + small));

  /* deletes need pages, too, and get them; freed pages are used again, and the limit still applies */
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
}

static int failing_commit(svc_txn *txn)
{
  lmdb->abort(txn);
  return SVC_IO;
}

/* A failed commit changes nothing, not even when the handle next runs due steps. */
TEST(commit, fails)
{
  t_service t;
  char group[25], body[512];
  uint64_t print;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  strcpy(group, t_project(&t, t_organization(&t, "Acme"), "alpha"));
  snprintf(body, sizeof body, CLUSTER, 0);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusters", group), ==, 201);
  t_advance(&t, 9);
  print = store_print(t.s);
  count_commits(t.s);
  fake.commit = failing_commit;
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c0", group), ==, 503); /* would move the due step to a later time */
  munit_assert_string_equal(t_error(&t), "SERVICE_UNAVAILABLE");
  munit_assert_string_equal(t_get_header(&t, "Retry-After"), "1");
  fake.commit = fake_commit;
  munit_assert_true(store_print(t.s) == print);
  t_advance(&t, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  /* while due steps cannot be stored, requests continue, and not every request tries again */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c0", group), ==, 202);
  t_advance(&t, 100);
  fake.commit = failing_commit;
  munit_assert_int(svc_tick(t.s), ==, SVC_IO);
  atomic_store(&commits, 0);
  fake.commit = fake_commit;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 200);
  munit_assert_int(atomic_load(&commits), ==, 0);
  t_advance(&t, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c0", group), ==, 404);
  munit_assert_int(atomic_load(&commits), ==, 1);
  t_close(&t);
}

/* The store is full to the last page: only deletes get the further pages that they need. */
TEST(commit, full_and_delete)
{
  char path[128], org[25], group[25], name[32];
  svc_config config;
  t_service t;
  hand h[1];
  int i;
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
}

/* A full store with 20 clusters that are still being created. */
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

/* Checks the state of the first n clusters; so many seconds pass before each read. */
static void clusters_are(t_service *t, const char *group, int n, const char *state, int seconds)
{
  int i;
  for (i = 0; i < n; i++) {
    t_advance(t, seconds);
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/c%d", group, i), ==, 200);
    munit_assert_string_equal(t_str(t, "stateName"), state);
  }
}

/* Due steps in a full store wait: the state does not change, and reads continue. When there is room the steps run. */
TEST(commit, full_and_due)
{
  char path[128], group[25];
  svc_config config;
  t_service t;
  alarm(60); /* so that a failure does not hang */
  full_of_clusters(&t, &config, path, group);
  t.log[0] = 0;
  t_advance(&t, 10);
  munit_assert_int(svc_tick(t.s), ==, SVC_FULL);
  munit_assert_not_null(strstr(t.log, "due steps could not be stored: the disk is full"));
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
}

/* Accepted deletes are carried out when they fall due, although the store is full. Other due steps wait for room. */
TEST(commit, full_and_gone)
{
  char path[128], group[25];
  svc_config config;
  t_service t;
  int i;
  alarm(60); /* so that a failure does not hang */
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

/* More readers than the store keeps transactions for, while a writer makes it grow. */
TEST(commit, many_readers)
{
  enum { READERS = 100 };
  static worker w[READERS];
  char name[32];
  t_service t;
  const char *org, *group;
  int i;
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
    if (i % 10 == 0 && t_large_project(&t, org, "full") != r.status) _exit(5); /* the error repeats, and the store stays usable */
    r.reads_while_full += t_send(&t, "GET", "/groups?itemsPerPage=5", NULL) == 200 && t_send(&t, "GET", "/orgs", NULL) == 200;
  }
  if (write(out, &r, sizeof r) != (ssize_t)sizeof r) _exit(6);
  _exit(0);
}

TEST(commit, full_disk)
{
  static const int extra[] = { 0, 4096, 100000, 200001, 262144, 300000 }; /* within a page, and at its end */
  char path[128], org[25];
  svc_config config;
  t_service t;
  size_t projects = 0, k;
  int i;
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
}

/* ----------------------------------------------------------------------------------------------------- the random source */

typedef struct chance {
  int good; /* calls that still succeed; < 0: all */
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

TEST(commit, random_fails)
{
  chance c = { -1, 1 };
  svc_config config;
  t_service t;
  svc *s;
  char org[25];
  uint64_t print;
  int i, rc;
  memset(&config, 0, sizeof config);
  config.random = chance_fill;
  config.random_context = &c;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (i = 0; i < 4; i++) { /* at the first id, at the second, ... */
    char name[32];
    int status;
    c.good = 0;
    t.s->commit.ids.pool_left = 8 * (size_t)i; /* random bytes for this many ids are left */
    snprintf(name, sizeof name, "p%d", i);
    print = store_print(t.s);
    status = create(&t, org, name);
    if (status == 201) break;
    munit_assert_int(status, ==, 503);
    munit_assert_string_equal(t_error(&t), "SERVICE_UNAVAILABLE");
    munit_assert_string_equal(t_get_header(&t, "Retry-After"), "1");
    munit_assert_true(store_print(t.s) == print);
    munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200); /* reads need no random bytes */
    munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  }
  munit_assert_int(i, ==, 2); /* an id for the project, and one for its event */
  c.good = -1;
  munit_assert_int(create(&t, org, "again"), ==, 201);
  munit_assert_size(store_whole(t.s), ==, 2);
  t_close(&t);
  for (i = 0;; i++) { /* without a seed for the limiter, or for the next user of random bytes, svc_open() fails */
    c.good = i;
    config.log = t_log;
    config.log_context = &t;
    t.log[0] = '\0';
    rc = svc_open(&s, &config);
    if (rc == SVC_OK) break;
    munit_assert_int(rc, ==, SVC_RANDOM);
    munit_assert_null(s);
    munit_assert_not_null(strstr(t.log, "svc_config.random returned no random bytes")); /* the log line names the cause */
  }
  munit_assert_int(i, >, 2);
  svc_close(s);
}

/* Mounts a separate file system of this size, which ends with this process. Returns false if this user may not mount. */
static bool disk_own(const char *path, const char *size)
{
  char options[64];
  uid_t user = getuid();
  FILE *map;
  snprintf(options, sizeof options, "size=%s,mode=700", size);
  if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)) != 0) return false;
  if (user) { /* an unprivileged user becomes root inside the namespace */
    map = fopen("/proc/self/uid_map", "w");
    if (!map) return false;
    fprintf(map, "0 %u 1\n", (unsigned)user);
    if (fclose(map) != 0) return false;
  }
  return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("tmpfs", path, "tmpfs", 0, options) == 0;
}

/* Fills the disk with projects, large ones, then small ones, to the last page. Returns their number. */
static int disk_fill(t_service *t, const char *org, int round)
{
  char name[32];
  int i, large = 0, small = 0;
  for (i = 0; large != 507 || small != 507; i++) {
    munit_assert_int(i, <, 5000);
    snprintf(name, sizeof name, "d%d-%d", round, i);
    if (large != 507) large = t_large_project(t, org, name);
    else small = create(t, org, name);
    munit_assert_true(t->response.status == 201 || t->response.status == 507);
  }
  return i;
}

/* A full disk accepts deletes like a full map, repeatedly and after a restart; then creates work again. */
TEST(commit, full_disk_delete)
{
  char path[128], copy[160], org[25];
  svc_config config;
  t_service t;
  int round, i, made, copies = 0;
  store_folder(path);
  if (getenv("SVC_TEST_QEMU") || !disk_own(path, "3m")) {
    store_remove(path);
    SKIP_IF(true); /* needs a mount */
  }
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.path = path;
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (round = 0; round < 6; round++) {
    made = disk_fill(&t, org, round);
    munit_logf(MUNIT_LOG_INFO, "round %d: %d", round, made);
    munit_assert_int(made, >, 10); /* space that deletes have freed is used again */
    store_folder(copy);
    copies += svc_backup(t.s, copy) == SVC_OK; /* to another disk: a full store can be backed up */
    store_remove(copy);
    if (round % 2) {
      t_close(&t);
      t_open(&t, &config);
    }
    for (i = 0; i < made - 2; i++) { /* the last number was refused, and the project before it may stay */
      if (t_sendf(&t, "GET", NULL, "/groups/byName/d%d-%d", round, i) != 200) continue; /* the large project that was refused */
      munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", t_str(&t, "id")), ==, 202);
    }
  }
  munit_assert_int(copies, ==, round);
  store_whole(t.s);
  t_close(&t);
  munit_assert_int(umount2(path, MNT_DETACH), ==, 0);
  store_remove(path);
}
