/*
** Due steps: records of the due index, and clusters whose states depend on them.
*/
#include "support.h"

#include <unistd.h>

#define CLUSTER "{\"name\":\"%s\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":" \
                "{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

static void cluster(t_service *t, const char *group, const char *name)
{
  char body[512];
  snprintf(body, sizeof body, CLUSTER, name);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/clusters", group), ==, 201);
  munit_assert_string_equal(t_str(t, "stateName"), "CREATING");
}

static const char *state(t_service *t, const char *group, const char *name)
{
  int status = t_sendf(t, "GET", NULL, "/groups/%s/clusters/%s", group, name);
  if (status == 404) return "gone";
  munit_assert_int(status, ==, 200);
  return t_str(t, "stateName");
}

/* Returns the events of a project, oldest first: "CLUSTER_READY a 00:00:10, ". Reads the store without a request, which would run
** due steps. */
static const char *feed(svc *s, const char *group_text)
{
  static char out[4096];
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity e;
  svc_id group;
  svc_txn *txn;
  size_t n = 0;
  svc_arena arena;
  munit_assert_true(svc_id_parse(svc_str_c(group_text), &group));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_key_entity(&prefix, "evnt", &group, NULL);
  svc_scan_below(&scan, txn, &prefix, false);
  svc_arena_init(&arena, NULL);
  out[0] = 0;
  while (svc_scan_next(&scan, &key, &value)) {
    svc_node *body;
    svc_str type, cluster;
    munit_assert_true(svc_entity_decode(key, value, &e));
    body = svc_json_parse(&arena, e.body);
    munit_assert_not_null(body);
    type = svc_node_str(body, "eventTypeName");
    cluster = svc_node_str(body, "clusterName");
    if (!svc_str_starts(type, "CLUSTER_")) continue;
    n += (size_t)snprintf(out + n, sizeof out - n, SVC_FMT " " SVC_FMT " %.8s, ",
                          SVC_ARG(type), SVC_ARG(cluster), svc_node_str(body, "created").p + 11);
    munit_assert_size(n, <, sizeof out);
  }
  svc_blocks_free(arena.blocks);
  s->commit.port->read_end(txn);
  return out;
}

/* Returns the number of records of the due index, without those that wait for the end of a month. */
static size_t due_entries(svc *s)
{
  svc_scan scan;
  svc_due_entry due;
  svc_txn *txn;
  size_t n = 0;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_due_begin(&scan, txn);
  while (svc_due_next(&scan, &due)) /* lines of the ledger and invoices wait for the end of a month */
    n += memcmp(due.kind, "-mtr", SVC_KIND_SIZE) != 0 && memcmp(due.kind, "invo", SVC_KIND_SIZE) != 0;
  munit_assert_int(txn->error, ==, SVC_OK);
  s->commit.port->read_end(txn);
  return n;
}

/* ------------------------------------------------------------------------------------------------------------ the index */

/* Returns the due index as text, in its order: "2000 bbbb 0, ": time, kind and tag. */
static const char *due_all(svc_txn *txn)
{
  static char out[1024];
  svc_scan scan;
  svc_due_entry due;
  size_t n = 0;
  out[0] = 0;
  svc_due_begin(&scan, txn);
  while (svc_due_next(&scan, &due))
    n += (size_t)snprintf(out + n, sizeof out - n, "%lld %.4s %d, ", (long long)due.when, due.kind, due.tag);
  munit_assert_int(txn->error, ==, SVC_OK);
  return out;
}

/* Writes another date of the entity, as an update does. */
static void due_write(svc_txn *txn, svc_entity *e, int tag, int64_t when)
{
  svc_entity old = *e;
  svc_due_set(e, tag, when);
  svc_dues_write(txn, e, &old);
}

TEST(due, index)
{
  t_store t;
  svc_entity a, b;
  svc_due_entry due = { .when = -7 };
  t_store_open(&t);
  memset(&a, 0, sizeof a);
  munit_assert_false(svc_due_first(t.txn, &due));
  munit_assert_int64(due.when, ==, -7);
  a.kind = "aaaa";
  memset(a.parent.b, 1, 12);
  memset(a.id.b, 2, 12);
  b = a;
  b.kind = "bbbb";
  b.id.b[0] = 9;
  due_write(t.txn, &a, SVC_DUE_STATE, 3000);
  due_write(t.txn, &b, SVC_DUE_STATE, 2000);
  munit_assert_true(svc_due_first(t.txn, &due));
  munit_assert_int64(due.when, ==, 2000);
  munit_assert_memory_equal(4, due.kind, "bbbb");
  munit_assert_int(due.tag, ==, SVC_DUE_STATE);
  munit_assert_true(svc_id_eq(&due.parent, &b.parent) && svc_id_eq(&due.id, &b.id));
  due_write(t.txn, &b, SVC_DUE_STATE, 4000); /* another time replaces the first */
  munit_assert_int64(svc_due_get(&b, SVC_DUE_STATE), ==, 4000);
  munit_assert_true(svc_due_first(t.txn, &due));
  munit_assert_int64(due.when, ==, 3000);
  munit_assert_memory_equal(4, due.kind, "aaaa");
  due_write(t.txn, &a, SVC_DUE_STATE, 0); /* never */
  munit_assert_true(svc_due_first(t.txn, &due));
  munit_assert_int64(due.when, ==, 4000);
  due_write(t.txn, &b, SVC_DUE_STATE, 0);
  munit_assert_false(svc_due_first(t.txn, &due));
  due_write(t.txn, &b, SVC_DUE_STATE, 0);
  munit_assert_int(t.txn->error, ==, SVC_OK);
  t_store_close(&t);
}

/* Several dates of one entity, each with its tag: set, changed, removed, and all deleted with the entity. */
TEST(due, tags)
{
  t_store t;
  svc_entity e, old, other, got;
  t_store_open(&t);
  memset(&e, 0, sizeof e);
  e.kind = "test";
  e.id = t_id(1);
  e.key = e.unique = e.extra = SVC_S("");
  e.body = SVC_S("{}");
  svc_due_set(&e, SVC_DUE_STATE, 5000);
  svc_due_set(&e, SVC_DUE_EXPIRY, 9000);
  svc_due_set(&e, SVC_DUE_OWN, 1000);
  munit_assert_uint(e.due_count, ==, 3);
  munit_assert_int64(svc_due_get(&e, SVC_DUE_RUN), ==, 0);
  munit_assert_int(svc_entity_insert(t.txn, &t.arena, &e), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "1000 test 3, 5000 test 0, 9000 test 1, ");
  old = e;
  svc_due_set(&e, SVC_DUE_STATE, 7000); /* one date changes */
  munit_assert_int(svc_entity_update(t.txn, &t.arena, &e, &old), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "1000 test 3, 7000 test 0, 9000 test 1, ");
  old = e;
  svc_due_set(&e, SVC_DUE_OWN, 0); /* a date is removed, another is added at the time of a third */
  svc_due_set(&e, SVC_DUE_RUN, 9000);
  munit_assert_int(svc_entity_update(t.txn, &t.arena, &e, &old), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "7000 test 0, 9000 test 1, 9000 test 2, ");
  munit_assert_int(svc_entity_get(t.txn, "test", &t.root, &e.id, &got), ==, SVC_OK);
  munit_assert_int64(svc_due_get(&got, SVC_DUE_STATE), ==, 7000);
  munit_assert_int64(svc_due_get(&got, SVC_DUE_EXPIRY), ==, 9000);
  munit_assert_int64(svc_due_get(&got, SVC_DUE_RUN), ==, 9000);
  munit_assert_int64(svc_due_get(&got, SVC_DUE_OWN), ==, 0);
  old = e;
  svc_due_set(&e, SVC_DUE_STATE, 9000); /* two are swapped */
  svc_due_set(&e, SVC_DUE_EXPIRY, 7000);
  munit_assert_int(svc_entity_update(t.txn, &t.arena, &e, &old), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "7000 test 1, 9000 test 0, 9000 test 2, ");
  other = e; /* another entity with the same dates has separate records */
  other.id = t_id(2);
  munit_assert_int(svc_entity_insert(t.txn, &t.arena, &other), ==, SVC_OK);
  munit_assert_int(svc_entity_update(t.txn, &t.arena, &e, &e), ==, SVC_OK); /* nothing changes */
  munit_assert_string_equal(due_all(t.txn), "7000 test 1, 7000 test 1, 9000 test 0, 9000 test 2, 9000 test 0, 9000 test 2, ");
  munit_assert_int(svc_entity_remove(t.txn, &e), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "7000 test 1, 9000 test 0, 9000 test 2, ");
  old = other; /* under another parent: the records move with it */
  other.parent = t_id(77);
  svc_due_set(&other, SVC_DUE_RUN, 0);
  munit_assert_int(svc_entity_update(t.txn, &t.arena, &other, &old), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "7000 test 1, 9000 test 0, ");
  munit_assert_int(svc_entity_remove(t.txn, &other), ==, SVC_OK);
  munit_assert_string_equal(due_all(t.txn), "");
  t_store_close(&t);
}

/* Random dates of an entity, compared with an array. There is room for a fixed number; a further one is refused. */
TEST(due, tags_random)
{
  int64_t expected[6] = { 0 };
  t_store t;
  svc_entity e;
  int round, i, n;
  t_store_open(&t);
  memset(&e, 0, sizeof e);
  e.kind = "test";
  e.id = t_id(1);
  e.key = e.unique = e.extra = SVC_S("");
  e.body = SVC_S("{}");
  munit_assert_int(svc_entity_insert(t.txn, &t.arena, &e), ==, SVC_OK);
  for (round = 0; round < 3000; round++) {
    svc_entity old = e;
    svc_scan scan;
    svc_due_entry due;
    int times = munit_rand_int_range(1, 3);
    while (times--) {
      int tag = munit_rand_int_range(0, 5);
      int64_t when = munit_rand_int_range(0, 4); /* 0: removed */
      for (i = 0, n = 0; i < 6; i++) n += expected[i] != 0;
      svc_due_set(&e, tag, when);
      if (expected[tag] || n < SVC_DUES) expected[tag] = when;
    }
    for (i = 0, n = 0; i < 6; i++) {
      munit_assert_int64(svc_due_get(&e, i), ==, expected[i]);
      n += expected[i] != 0;
    }
    munit_assert_uint(e.due_count, ==, (unsigned)n);
    munit_assert_int(svc_entity_update(t.txn, &t.arena, &e, &old), ==, SVC_OK);
    munit_assert_int(svc_entity_get(t.txn, "test", &t.root, &e.id, &e), ==, SVC_OK);
    svc_due_begin(&scan, t.txn);
    for (; svc_due_next(&scan, &due); n--) munit_assert_int64(due.when, ==, expected[due.tag]);
    munit_assert_int(n, ==, 0);
  }
  t_store_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------ is it due? */

typedef struct wake {
  svc_job job; /* first member: cast back from svc_job */
  svc_entity e, old;
} wake;

static bool wake_work(svc_job *job, svc_txn *txn)
{
  wake *w = (wake *)job;
  svc_dues_write(txn, &w->e, &w->old);
  return true;
}

/* Makes this the only due date of one entity. */
static void wake_at(svc *s, wake *w, int64_t when)
{
  memset(&w->job, 0, sizeof w->job);
  w->job.work = wake_work;
  w->job.now = T_START;
  w->e.kind = "zzzz";
  w->old = w->e;
  svc_due_set(&w->e, SVC_DUE_STATE, when);
  munit_assert_int(svc_commit_run(&s->commit, &w->job), ==, SVC_OK);
}

TEST(due, exact)
{
  static const int64_t times[] = { 1, 2, 999, 1000, 1001, T_START - 1, T_START, T_START + 1, T_START + 500, T_START + 999,
                                   T_START + 1000, 4294967294999, 4294967295000, 4294967295001, 4294967296000, 9999999999999 };
  t_service t;
  wake w;
  size_t i;
  memset(&w, 0, sizeof w);
  t_open(&t, NULL);
  if (t_port()->shared) { /* other processes write due dates, too, so the index is checked every second */
    for (i = 0; i < 2; i++) {
      const int64_t look = T_START + (i ? 500 : 1000);
      wake_at(t.s, &w, i ? look : T_START + 5000);
      munit_assert_false(svc_commit_due(&t.s->commit, look - 1));
      munit_assert_true(svc_commit_due(&t.s->commit, look));
      munit_assert_int64(svc_commit_next(&t.s->commit), ==, i ? look : T_START + 5000); /* test control moves the clock to this time */
    }
    t_close(&t);
    return;
  }
  munit_assert_false(svc_commit_due(&t.s->commit, T_START)); /* nothing is ever due */
  munit_assert_false(svc_commit_due(&t.s->commit, INT64_MAX / 4));
  for (i = 0; i < sizeof times / sizeof times[0]; i++) {
    const int64_t when = times[i];
    wake_at(t.s, &w, when);
    munit_assert_false(svc_commit_due(&t.s->commit, when - 1));
    munit_assert_false(svc_commit_due(&t.s->commit, when - when % 1000 - 1));
    munit_assert_true(svc_commit_due(&t.s->commit, when));
    munit_assert_true(svc_commit_due(&t.s->commit, when + 1));
    munit_assert_true(svc_commit_due(&t.s->commit, INT64_MAX));
    munit_assert_false(svc_commit_due(&t.s->commit, 0)); /* a clock before its start */
    munit_assert_false(svc_commit_due(&t.s->commit, -1));
    svc_commit_look_at(&t.s->commit, when + 1000); /* while the step cannot be done */
    munit_assert_false(svc_commit_due(&t.s->commit, when + 999));
    munit_assert_true(svc_commit_due(&t.s->commit, when + 1000));
  }
  wake_at(t.s, &w, 0);
  munit_assert_false(svc_commit_due(&t.s->commit, INT64_MAX / 4));
  svc_commit_look_at(&t.s->commit, 0); /* the next request checks */
  munit_assert_true(svc_commit_due(&t.s->commit, 1));
  munit_assert_true(svc_commit_due(&t.s->commit, T_START));
  svc_commit_look_at(&t.s->commit, INT64_MAX);
  munit_assert_false(svc_commit_due(&t.s->commit, INT64_MAX / 4));
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- lifecycle */

TEST_SERVICE(due, life)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  cluster(t, group, "a");
  munit_assert_size(due_entries(t->s), ==, 1);
  t->now += 9999;
  munit_assert_string_equal(state(t, group, "a"), "CREATING");
  t->now += 1; /* ten seconds, to the millisecond */
  munit_assert_string_equal(state(t, group, "a"), "IDLE");
  munit_assert_size(due_entries(t->s), ==, 0);
  munit_assert_string_equal(feed(t->s, group), "CLUSTER_CREATED a 00:00:00, CLUSTER_READY a 00:00:10, ");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/clusters/a", group), ==, 202);
  munit_assert_string_equal(state(t, group, "a"), "DELETING");
  t->now += 2499;
  munit_assert_string_equal(state(t, group, "a"), "DELETING");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int64(t_int(t, "clusterCount"), ==, 1);
  t->now += 1; /* a quarter of that */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 200); /* any request runs due steps */
  munit_assert_int64(t_int(t, "clusterCount"), ==, 0);
  munit_assert_string_equal(state(t, group, "a"), "gone");
  munit_assert_size(due_entries(t->s), ==, 0);
  munit_assert_string_equal(feed(t->s, group), "CLUSTER_CREATED a 00:00:00, CLUSTER_READY a 00:00:10, "
                                              "CLUSTER_DELETE_SUBMITTED a 00:00:10, CLUSTER_DELETED a 00:00:12, ");
  store_whole(t->s);
}

/* The clock jumps far: all steps run, in the order of their times, each with its own time. */
TEST_SERVICE(due, jump)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  cluster(t, group, "old");
  t_advance(t, 60);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  cluster(t, group, "b"); /* ready at 1:10 */
  t_advance(t, 3);
  cluster(t, group, "a"); /* ready at 1:13 */
  t_advance(t, 2);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/clusters/old", group), ==, 202); /* deleted at 1:07.5 */
  t_advance(t, 365 * 86400);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_string_equal(feed(t->s, group),
                            "CLUSTER_CREATED old 00:00:00, CLUSTER_READY old 00:00:10, CLUSTER_CREATED b 00:01:00, "
                            "CLUSTER_CREATED a 00:01:03, CLUSTER_DELETE_SUBMITTED old 00:01:05, "
                            "CLUSTER_DELETED old 00:01:07, CLUSTER_READY b 00:01:10, CLUSTER_READY a 00:01:13, ");
  munit_assert_string_equal(state(t, group, "old"), "gone");
  munit_assert_string_equal(state(t, group, "a"), "IDLE");
  munit_assert_string_equal(state(t, group, "b"), "IDLE");
  munit_assert_int(svc_tick(t->s), ==, SVC_OK); /* no further step */
  munit_assert_size(due_entries(t->s), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_READY", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-01T00:01:13Z");
  munit_assert_string_equal(t_str(t, "results[0].clusterName"), "a");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?minDate=2025-06-01T00:01:10Z", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  store_whole(t->s);
}

TEST(due, reopens)
{
  char path[128], group[25];
  svc_config config;
  t_service t;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.path = path;
  t_open(&t, &config);
  strcpy(group, t_project(&t, t_organization(&t, "Acme"), "alpha"));
  cluster(&t, group, "a");
  t_advance(&t, 5);
  t_reopen(&t, &config);
  munit_assert_string_equal(state(&t, group, "a"), "CREATING");
  t_advance(&t, 3600);
  t_reopen(&t, &config); /* the step fell due while the store was closed */
  munit_assert_string_equal(feed(t.s, group), "CLUSTER_CREATED a 00:00:00, ");
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  munit_assert_string_equal(feed(t.s, group), "CLUSTER_CREATED a 00:00:00, CLUSTER_READY a 00:00:10, ");
  t_reopen(&t, &config);
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  munit_assert_size(due_entries(t.s), ==, 0);
  t_close(&t);
  store_remove(path);
}

TEST(due, thousand)
{
  enum { PROJECTS = 50, EACH = 20 };
  char groups[PROJECTS][25], name[32];
  const char *org;
  t_service t;
  int i, j;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  for (i = 0; i < PROJECTS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    strcpy(groups[i], t_project(&t, org, name));
    for (j = 0; j < EACH; j++) {
      snprintf(name, sizeof name, "c%d", j);
      cluster(&t, groups[i], name);
    }
  }
  munit_assert_size(due_entries(t.s), ==, PROJECTS * EACH);
  t_advance(&t, 10); /* all at once, by a single request */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_size(due_entries(t.s), ==, 0);
  for (i = 0; i < PROJECTS; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_READY", groups[i]), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, EACH);
    for (j = 0; j < EACH; j++) {
      snprintf(name, sizeof name, "c%d", j);
      munit_assert_string_equal(state(&t, groups[i], name), "IDLE");
    }
  }
  store_whole(t.s);
  t_close(&t);
}

TEST(due, now)
{
  t_service t;
  const char *group;
  t_open(&t, &(svc_config){ .provision_ms = SVC_PROVISION_NOW });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  cluster(&t, group, "a"); /* the answer to POST still shows CREATING */
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  munit_assert_string_equal(feed(t.s, group), "CLUSTER_CREATED a 00:00:00, CLUSTER_READY a 00:00:00, ");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/a", group), ==, 202);
  munit_assert_string_equal(state(&t, group, "a"), "gone");
  cluster(&t, group, "a"); /* the name is free again */
  munit_assert_int(svc_tick(t.s), ==, SVC_OK);
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  t_close(&t);
  t_open(&t, &(svc_config){ .provision_ms = 2000 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  cluster(&t, group, "a");
  t.now += 1999;
  munit_assert_string_equal(state(&t, group, "a"), "CREATING");
  t.now += 1;
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  t_close(&t);
}

/*
** Returns the first or the last time that the test uses. Between the extremes lie 300,000 steps, the ends of all months. A
** remote store is read five times for each, which takes ten minutes, so with a remote store the test covers twenty years on
** each side.
*/
static int64_t due_end(bool first)
{
  const int64_t years = INT64_C(20) * 365 * 86400 * 1000;
  if (t_port()->shared) return first ? T_START - years : T_START + years;
  return first ? INT64_MIN : INT64_MAX;
}

/* Clocks at zero, before zero, at the end of time, or going back: nothing breaks, and no step runs twice. */
TEST(due, odd_clocks)
{
  static const int64_t starts[] = { 0, 1, 999, -1, -9999, -10001, -86400000, -62135596800000, 4294967295000, 4294967296000,
                                    253402300799000 };
  t_service t;
  size_t i;
  for (i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    const char *group;
    t_open(&t, NULL);
    t.now = starts[i];
    group = t_project(&t, t_organization(&t, "Acme"), "alpha");
    cluster(&t, group, "a");
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_string_equal(state(&t, group, "a"), "CREATING");
    t.now += 9999;
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_string_equal(state(&t, group, "a"), "CREATING");
    t.now += 2;
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_string_equal(state(&t, group, "a"), "IDLE");
    munit_assert_size(due_entries(t.s), ==, 0);
    store_whole(t.s);
    t_close(&t);
  }
  for (i = 0; i < 2; i++) { /* the smallest time, then the largest: nothing overflows, and all due dates still exist afterwards */
    const char *org, *group;
    t_open(&t, NULL);
    t.now = i ? INT64_MAX : due_end(true);
    org = t_organization(&t, "Acme");
    t_header(&t, "Idempotency-Key", "k");
    group = t_project(&t, org, "alpha");
    munit_assert_string_equal(t_project(&t, org, "alpha"), group);
    t_headers_clear(&t);
    cluster(&t, group, "a");
    munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"n\",\"description\":\"d\",\"roles\":[\"ORG_MEMBER\"],"
                             "\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts", org), ==, 201);
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    t.now = T_START;
    munit_assert_string_equal(state(&t, group, "a"), i ? "CREATING" : "IDLE");
    store_whole(t.s);
    t_close(&t);
  }
  t_open(&t, NULL); /* back by a day while a cluster is being created, which waits until the time comes again */
  {
    const char *group = t_project(&t, t_organization(&t, "Acme"), "alpha");
    cluster(&t, group, "a");
    t_advance(&t, -86400);
    munit_assert_string_equal(state(&t, group, "a"), "CREATING");
    cluster(&t, group, "b");
    t_advance(&t, 10);
    munit_assert_string_equal(state(&t, group, "a"), "CREATING");
    munit_assert_string_equal(state(&t, group, "b"), "IDLE");
    t_advance(&t, 86400);
    munit_assert_string_equal(state(&t, group, "a"), "IDLE");
    t.now = INT64_MIN / 2;
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_string_equal(state(&t, group, "a"), "IDLE");
    t.now = due_end(false);
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  }
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------- entries of something else */

typedef struct stray {
  svc_job job; /* first member: cast back from svc_job */
  int64_t when;
} stray;

static bool stray_work(svc_job *job, svc_txn *txn)
{
  svc_due_entry due = { .when = ((stray *)job)->when, .kind = "zzzz", .parent = { "123456789012" }, .id = { "123456789012" } };
  svc_key key;
  svc_key_due(&key, &due);
  svc_put(txn, &key, SVC_S(""));
  memcpy(due.kind, "clus", SVC_KIND_SIZE);
  due.tag = SVC_DUE_RUN;
  svc_key_due(&key, &due);
  svc_put(txn, &key, SVC_S(""));
  return true;
}

/* Records of a noun that this build leaves out, or of a missing entity, are deleted when their time comes. */
TEST_SERVICE(due, strays)
{
  const char *group;
  stray work;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  memset(&work, 0, sizeof work);
  work.job.work = stray_work;
  work.job.now = t->now;
  work.when = t->now + 1000;
  munit_assert_int(svc_commit_run(&t->s->commit, &work.job), ==, SVC_OK);
  cluster(t, group, "a");
  munit_assert_size(due_entries(t->s), ==, 3);
  t_advance(t, 1);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_size(due_entries(t->s), ==, 1);
  t_advance(t, 10);
  munit_assert_string_equal(state(t, group, "a"), "IDLE");
  store_whole(t->s);
}

static bool torn_work(svc_job *job, svc_txn *txn)
{
  svc_due_entry due = { .when = ((stray *)job)->when, .kind = "clus", .parent = { "123456789012" }, .id = { "123456789012" } };
  svc_key key;
  svc_key_due(&key, &due);
  key.n -= 7;
  return svc_put(txn, &key, SVC_S("")) == SVC_OK;
}

static void torn_found(void *context, const char *text)
{
  if (strstr(text, "due")) ++*(int *)context;
}

/* A truncated record at the start of the index does not keep other steps from running, and a check reports it. */
TEST_SERVICE(due, torn)
{
  const char *group;
  stray work;
  int found = 0;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  memset(&work, 0, sizeof work);
  work.job.work = torn_work;
  work.job.now = t->now;
  work.when = t->now - 1000;
  munit_assert_int(svc_commit_run(&t->s->commit, &work.job), ==, SVC_OK);
  cluster(t, group, "a");
  t_advance(t, 11);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_string_equal(state(t, group, "a"), "IDLE");
  munit_assert_int(svc_check_store(t->s, torn_found, &found), ==, SVC_CORRUPT);
  munit_assert_int(found, ==, 1);
}

typedef struct stale {
  svc_job job; /* first member: cast back from svc_job */
  svc_due_entry due;
} stale;

static bool stale_work(svc_job *job, svc_txn *txn)
{
  svc_key key;
  svc_key_due(&key, &((stale *)job)->due);
  return svc_put(txn, &key, SVC_S("")) == SVC_OK;
}

/* A record with another time than its entity has is deleted, and causes no early step. */
TEST_SERVICE(due, stale)
{
  const char *group;
  stale work;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  cluster(t, group, "a");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/a", group), ==, 200);
  memset(&work, 0, sizeof work);
  work.job.work = stale_work;
  work.job.now = t->now;
  work.due = (svc_due_entry){ .when = t->now + 1000, .kind = "clus", .tag = SVC_DUE_STATE };
  munit_assert_true(svc_id_parse(svc_str_c(group), &work.due.parent));
  munit_assert_true(svc_id_parse(svc_str_c(t_str(t, "id")), &work.due.id));
  munit_assert_int(svc_commit_run(&t->s->commit, &work.job), ==, SVC_OK);
  munit_assert_size(due_entries(t->s), ==, 2);
  t_advance(t, 1);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_size(due_entries(t->s), ==, 1);
  munit_assert_string_equal(state(t, group, "a"), "CREATING");
  t_advance(t, 10);
  munit_assert_string_equal(state(t, group, "a"), "IDLE");
  store_whole(t->s);
}

static unsigned kept_answers(svc *s)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_txn *txn;
  unsigned n = 0;
  svc_key_begin(&prefix, 'i');
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) n++;
  s->commit.port->read_end(txn);
  return n;
}

/* Answers kept for an Idempotency-Key are deleted after a day. */
TEST_SERVICE(due, kept_answers)
{
  t_header(t, "Idempotency-Key", "one");
  t_organization(t, "Acme");
  t_headers_clear(t);
  munit_assert_uint(kept_answers(t->s), ==, 1);
  munit_assert_size(due_entries(t->s), ==, 1);
  t->now += 86399999;
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_uint(kept_answers(t->s), ==, 1);
  t->now += 1;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_uint(kept_answers(t->s), ==, 0);
  munit_assert_size(due_entries(t->s), ==, 0);
}

/* While nothing is due no request writes to the store. */
TEST(due, nothing)
{
  t_service t;
  uint64_t print;
  int i;
  munit_assert_int(svc_tick(NULL), ==, SVC_INVALID);
  t_open(&t, NULL);
  cluster(&t, t_project(&t, t_organization(&t, "Acme"), "alpha"), "a");
  print = store_print(t.s);
  for (i = 0; i < 9; i++) {
    t_advance(&t, 1);
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
    munit_assert_true(store_print(t.s) == print);
  }
  t_close(&t);
}

/* A due date beyond 32 bits of seconds is not due at once: reads need no write transaction. */
TEST(due, far)
{
  t_service t;
  const char *group;
  t_open(&t, &(svc_config){ .provision_ms = INT64_C(36525) * 86400 * 1000 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  cluster(&t, group, "a");
  munit_assert_false(svc_commit_due(&t.s->commit, t.now));
  t.now += INT64_C(36525) * 86400 * 1000 - 1;
  munit_assert_string_equal(state(&t, group, "a"), "CREATING");
  t.now += 1;
  munit_assert_string_equal(state(&t, group, "a"), "IDLE");
  t_close(&t);
}
