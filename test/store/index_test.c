/*
** Entities by their unique value and by id alone. After each insert, change, move and delete, look-ups, counts and lists return
** the same as a plain array.
*/
#include "faults.h"
#include "support.h"

#include <errno.h>

#define MOST 90
#define PARENTS 3
#define NAMES 12
#define SPACE "both" /* the name space that the two kinds share */

static const char *const kinds[] = { "test", "tesu" };

typedef struct shelf {
  t_store t;
  svc_id parents[PARENTS];
  struct {
    bool there, shared; /* shared: others may have the same name */
    int kind, parent, name;
  } all[MOST];
} shelf;

static void shelf_open(shelf *f)
{
  unsigned i;
  memset(f, 0, sizeof *f);
  t_store_open(&f->t);
  for (i = 1; i < PARENTS; i++) f->parents[i] = t_id(1000 + i); /* the first parent is the root */
}

static void shelf_close(shelf *f)
{
  munit_assert_int(f->t.txn->error, ==, SVC_OK);
  t_store_close(&f->t);
}

static svc_str name_of(shelf *f, int name)
{
  return svc_arena_print(&f->t.arena, "name-%d", name);
}

static svc_entity shelf_entity(shelf *f, int n)
{
  svc_entity e;
  memset(&e, 0, sizeof e);
  e.kind = kinds[f->all[n].kind];
  memcpy(e.names, SPACE, SVC_KIND_SIZE);
  e.id = t_id((unsigned)n + 1);
  e.parent = f->parents[f->all[n].parent];
  e.flags = SVC_ENTITY_BY_ID | (f->all[n].shared ? SVC_ENTITY_SHARED_NAME : 0);
  e.key = svc_id_str(&f->t.arena, &e.id);
  e.unique = name_of(f, f->all[n].name);
  e.body = SVC_S("{\"a\":1}");
  e.extra = SVC_S("");
  return e;
}

static void shelf_insert(shelf *f, int n, int kind, int parent, int name, bool shared)
{
  svc_entity e;
  f->all[n].there = true;
  f->all[n].shared = shared;
  f->all[n].kind = kind;
  f->all[n].parent = parent;
  f->all[n].name = name;
  e = shelf_entity(f, n);
  munit_assert_int(svc_entity_insert(f->t.txn, &f->t.arena, &e), ==, SVC_OK);
}

/* The entity as it is stored. Memory of the store stays valid while the transaction writes. */
static svc_entity shelf_get(shelf *f, int n)
{
  svc_entity e;
  svc_id id = t_id((unsigned)n + 1);
  munit_assert_int(svc_entity_by_id(f->t.txn, kinds[f->all[n].kind], &id, &e), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&e.parent, &f->parents[f->all[n].parent]));
  return e;
}

static void shelf_change(shelf *f, int n, int parent, int name)
{
  svc_entity old = shelf_get(f, n), e = old;
  e.parent = f->parents[parent];
  e.unique = name_of(f, name);
  munit_assert_int(svc_entity_update(f->t.txn, &f->t.arena, &e, &old), ==, SVC_OK);
  f->all[n].parent = parent;
  f->all[n].name = name;
}

static void shelf_remove(shelf *f, int n)
{
  svc_entity e = shelf_get(f, n);
  munit_assert_int(svc_entity_remove(f->t.txn, &e), ==, SVC_OK);
  f->all[n].there = false;
}

/* Returns the entity that holds this name exclusively; -1: none. */
static int shelf_taken(const shelf *f, int parent, int name)
{
  int i;
  for (i = 0; i < MOST; i++)
    if (f->all[i].there && !f->all[i].shared && f->all[i].parent == parent && f->all[i].name == name) return i;
  return -1;
}

static int number_of(const svc_id *id)
{
  return (id->b[10] << 8 | id->b[11]) - 1;
}

static void check_list(shelf *f, int kind, int parent)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity e;
  int i, n = 0;
  svc_key_entity(&prefix, kinds[kind], &f->parents[parent], NULL);
  svc_scan_below(&scan, f->t.txn, &prefix, false);
  for (i = 0; i < MOST; i++) {
    if (!f->all[i].there || f->all[i].kind != kind || f->all[i].parent != parent) continue;
    munit_assert_true(svc_scan_next(&scan, &key, &value) && svc_entity_decode(key, value, &e));
    munit_assert_int(number_of(&e.id), ==, i);
    munit_assert_true(svc_str_eq(e.unique, name_of(f, f->all[i].name)));
    n++;
  }
  munit_assert_false(svc_scan_next(&scan, &key, &value));
  munit_assert_uint64(svc_count(f->t.txn, kinds[kind], &f->parents[parent]), ==, (uint64_t)n);
}

/* Checks a name below one parent, and below all. */
static void check_name(shelf *f, int name)
{
  const svc_str text = name_of(f, name);
  svc_scan scan;
  svc_named found;
  svc_entity e;
  int i, n, expected = 0, count = 0;
  for (i = 0; i < PARENTS; i++) {
    n = shelf_taken(f, i, name);
    expected += n >= 0;
    munit_assert_int(svc_named_get(f->t.txn, SPACE, &f->parents[i], text, &found), ==, n >= 0 ? SVC_OK : SVC_NOT_FOUND);
    if (n < 0) continue;
    munit_assert_int(number_of(&found.id), ==, n);
    munit_assert_memory_equal(SVC_KIND_SIZE, found.kind, kinds[f->all[n].kind]);
    munit_assert_true(svc_id_eq(&found.scope, &f->parents[i]));
    munit_assert_int(svc_entity_named(f->t.txn, kinds[f->all[n].kind], SPACE, &f->parents[i], text, &e), ==, SVC_OK);
    munit_assert_int(number_of(&e.id), ==, n);
    munit_assert_int(svc_entity_named(f->t.txn, kinds[!f->all[n].kind], SPACE, &f->parents[i], text, &e), ==, SVC_NOT_FOUND);
  }
  svc_named_begin(&scan, f->t.txn, SPACE, text);
  while (svc_named_next(&scan, &found)) {
    n = number_of(&found.id);
    munit_assert_true(f->all[n].there && f->all[n].name == name && !f->all[n].shared);
    munit_assert_true(svc_id_eq(&found.scope, &f->parents[f->all[n].parent]));
    munit_assert_memory_equal(SVC_KIND_SIZE, found.kind, kinds[f->all[n].kind]);
    count++;
  }
  munit_assert_false(svc_named_next(&scan, &found)); /* no further entity */
  munit_assert_int(count, ==, expected);
}

static void shelf_check(shelf *f)
{
  svc_entity e;
  int i, kind, n;
  for (kind = 0; kind < 2; kind++) {
    for (i = 0; i < PARENTS; i++) check_list(f, kind, i);
    for (i = 0, n = 0; i < MOST; i++) {
      svc_id id = t_id((unsigned)i + 1);
      bool there = f->all[i].there && f->all[i].kind == kind;
      n += there;
      munit_assert_int(svc_entity_by_id(f->t.txn, kinds[kind], &id, &e), ==, there ? SVC_OK : SVC_NOT_FOUND);
      if (there) munit_assert_true(svc_id_eq(&e.parent, &f->parents[f->all[i].parent]));
    }
    munit_assert_uint64(svc_count(f->t.txn, kinds[kind], NULL), ==, (uint64_t)n);
  }
  for (i = 0; i < NAMES; i++) check_name(f, i);
}

/* An entity is found by id alone below any parent, and also after it moves, until it is deleted. */
TEST(index, by_id)
{
  shelf f;
  svc_entity e;
  svc_id id = t_id(1);
  svc_key key;
  svc_str value;
  shelf_open(&f);
  munit_assert_int(svc_entity_by_id(f.t.txn, "test", &id, &e), ==, SVC_NOT_FOUND);
  munit_assert_int(f.t.txn->error, ==, SVC_OK);
  shelf_insert(&f, 0, 0, 1, 0, false);
  shelf_insert(&f, 1, 0, 2, 0, false);
  shelf_insert(&f, 2, 1, 2, 1, false);
  munit_assert_int(svc_entity_by_id(f.t.txn, "tesu", &id, &e), ==, SVC_NOT_FOUND); /* another kind */
  munit_assert_uint64(svc_count(f.t.txn, "test", &f.parents[1]), ==, 1);
  munit_assert_uint64(svc_count(f.t.txn, "test", &f.parents[2]), ==, 1);
  munit_assert_uint64(svc_count(f.t.txn, "test", NULL), ==, 2);
  shelf_check(&f);
  shelf_change(&f, 0, 2, 5); /* moves under another name, because its own is taken there */
  munit_assert_uint64(svc_count(f.t.txn, "test", &f.parents[1]), ==, 0);
  munit_assert_uint64(svc_count(f.t.txn, "test", &f.parents[2]), ==, 2);
  munit_assert_uint64(svc_count(f.t.txn, "test", NULL), ==, 2);
  svc_key_by_id(&key, "test", &id);
  munit_assert_int(svc_get(f.t.txn, &key, &value), ==, SVC_OK);
  munit_assert_true(value.n == 12 && memcmp(value.p, f.parents[2].b, 12) == 0);
  shelf_check(&f);
  shelf_remove(&f, 0);
  munit_assert_uint64(svc_count(f.t.txn, "test", &f.parents[2]), ==, 1);
  munit_assert_uint64(svc_count(f.t.txn, "test", NULL), ==, 1);
  munit_assert_int(svc_get(f.t.txn, &key, &value), ==, SVC_NOT_FOUND);
  shelf_check(&f);
  shelf_close(&f);
}

/* Two kinds share a name space: the second one finds the name taken, and by which kind. In a separate space the name would be free. */
TEST(index, shared_space)
{
  shelf f;
  svc_named other;
  svc_entity e;
  svc_str name;
  shelf_open(&f);
  name = name_of(&f, 7);
  shelf_insert(&f, 0, 0, 1, 7, false);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[1], name, &other), ==, SVC_OK); /* an insert of "tesu" looks this up */
  munit_assert_memory_equal(SVC_KIND_SIZE, other.kind, "test");
  munit_assert_int(number_of(&other.id), ==, 0);
  munit_assert_int(svc_entity_named(f.t.txn, "tesu", SPACE, &f.parents[1], name, &e), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[2], name, &other), ==, SVC_NOT_FOUND);
  /* not in the kind's default name space */
  munit_assert_int(svc_named_get(f.t.txn, "test", &f.parents[1], name, &other), ==, SVC_NOT_FOUND);
  shelf_insert(&f, 1, 1, 2, 7, false);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[2], name, &other), ==, SVC_OK);
  munit_assert_memory_equal(SVC_KIND_SIZE, other.kind, "tesu");
  shelf_check(&f);
  shelf_remove(&f, 0);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[1], name, &other), ==, SVC_NOT_FOUND); /* free again */
  shelf_insert(&f, 2, 1, 1, 7, false);
  shelf_check(&f);

  e = shelf_entity(&f, 2); /* a separate name space: zero bytes select the kind itself */
  e.id = t_id(200);
  memset(e.names, 0, sizeof e.names);
  munit_assert_memory_equal(SVC_KIND_SIZE, svc_entity_names(&e), "tesu");
  munit_assert_int(svc_named_get(f.t.txn, svc_entity_names(&e), &e.parent, name, &other), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_insert(f.t.txn, &f.t.arena, &e), ==, SVC_OK);
  munit_assert_int(svc_entity_named(f.t.txn, "tesu", NULL, &e.parent, name, &e), ==, SVC_OK);
  munit_assert_int(number_of(&e.id), ==, 199);
  munit_assert_int(svc_entity_named(f.t.txn, "tesu", SPACE, &e.parent, name, &e), ==, SVC_OK);
  munit_assert_int(number_of(&e.id), ==, 2);
  shelf_close(&f);
}

/* A change or a move may keep the name. A name that is given up can be taken in the same transaction. */
TEST(index, plain_change)
{
  shelf f;
  int i;
  shelf_open(&f);
  for (i = 0; i < 5; i++) shelf_insert(&f, i, i % 2, 1, i, false);
  shelf_change(&f, 4, 1, 4);
  shelf_check(&f);
  shelf_change(&f, 4, 2, 4);
  shelf_check(&f);
  shelf_change(&f, 3, 1, 9);
  shelf_change(&f, 2, 1, 3);
  shelf_change(&f, 3, 1, 2);
  shelf_check(&f);
  for (i = 0; i < 5; i++) shelf_remove(&f, i);
  shelf_check(&f);
  shelf_close(&f);
}

/* Random operations: mostly in the order of ids, sometimes not. */
TEST(index, random)
{
  shelf f;
  int round, end = 0;
  shelf_open(&f);
  for (round = 0; round < 3000; round++) {
    int what = munit_rand_int_range(0, 9), n = munit_rand_int_range(0, MOST - 1), kind = munit_rand_int_range(0, 1);
    int parent = munit_rand_int_range(0, PARENTS - 1), name = munit_rand_int_range(0, NAMES - 1);
    bool shared = munit_rand_int_range(0, 5) == 0;
    if (what < 6) {
      if (end >= MOST) continue;
      n = end;
    }
    if (!f.all[n].there) {
      if (!shared && shelf_taken(&f, parent, name) >= 0) continue;
      shelf_insert(&f, n, kind, parent, name, shared);
      if (n >= end) end = n + 1;
    } else if (what == 6 || what == 7) {
      int other = shelf_taken(&f, parent, name);
      if (f.all[n].shared || other < 0 || other == n) shelf_change(&f, n, parent, name);
    } else {
      shelf_remove(&f, n);
    }
    shelf_check(&f);
    if (round % 100 == 99) { /* starts again with no entities */
      for (n = 0; n < MOST; n++)
        if (f.all[n].there) shelf_remove(&f, n);
      end = 0;
      shelf_check(&f);
    }
  }
  shelf_close(&f);
}

/* Names that begin with another name, or look like a name followed by its scope: each look-up finds only its own entity. */
TEST(index, alike)
{
  const svc_str names[] = { SVC_S("a"), SVC_S("a\0"), SVC_S("a\0\0\0\0\0\0\0\0\0\0\0\0\0"), SVC_S("ab"), SVC_S("\0"),
                            SVC_S("A") };
  enum { ALIKE = sizeof names / sizeof names[0] };
  shelf f;
  svc_scan scan;
  svc_named found;
  svc_entity e;
  unsigned i, j, n;
  shelf_open(&f);
  for (i = 0; i < ALIKE; i++)
    for (j = 0; j < PARENTS; j++) {
      e = shelf_entity(&f, 0);
      e.id = t_id(i * PARENTS + j + 1);
      e.parent = f.parents[j];
      e.unique = names[i];
      munit_assert_int(svc_entity_insert(f.t.txn, &f.t.arena, &e), ==, SVC_OK);
    }
  for (i = 0; i < ALIKE; i++) {
    svc_named_begin(&scan, f.t.txn, SPACE, names[i]);
    for (n = 0; svc_named_next(&scan, &found); n++) {
      j = (unsigned)number_of(&found.id);
      munit_assert_uint(j / PARENTS, ==, i);
      munit_assert_true(svc_id_eq(&found.scope, &f.parents[j % PARENTS]));
    }
    munit_assert_uint(n, ==, PARENTS);
  }
  shelf_close(&f);
}

/* A malformed index record is an error, not a result. */
TEST(index, corrupt)
{
  shelf f;
  svc_key key;
  svc_scan scan;
  svc_named found;
  shelf_open(&f);
  shelf_insert(&f, 0, 0, 0, 0, false);
  svc_key_unique(&key, SPACE, SVC_S("odd"), &f.parents[1]);
  munit_assert_int(svc_put(f.t.txn, &key, SVC_S("short")), ==, SVC_OK);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[1], SVC_S("odd"), &found), ==, SVC_CORRUPT);
  munit_assert_int(f.t.txn->error, ==, SVC_CORRUPT);
  f.t.txn->error = SVC_OK;
  svc_named_begin(&scan, f.t.txn, SPACE, SVC_S("odd"));
  munit_assert_false(svc_named_next(&scan, &found));
  munit_assert_int(f.t.txn->error, ==, SVC_CORRUPT);
  f.t.txn->error = SVC_OK;
  shelf_close(&f);
}

/* A name so long that its hash is the key, while hashing fails: an error, and never another entity's record. */
TEST(index, no_hash)
{
  char text[500];
  svc_str name = { text, sizeof text };
  svc_key key;
  svc_scan scan;
  svc_named found;
  shelf f;
  memset(text, 'n', sizeof text);
  shelf_open(&f);
  t_fault(T_CALL_CRYPTO, 1, EIO, true);
  svc_key_unique(&key, SPACE, name, &f.parents[0]);
  munit_assert_int(svc_put(f.t.txn, &key, SVC_S("a name")), ==, SVC_NOMEM);
  f.t.txn->error = SVC_OK;
  munit_assert_int(svc_remove(f.t.txn, &key), ==, SVC_NOMEM);
  f.t.txn->error = SVC_OK;
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[0], name, &found), ==, SVC_NOMEM);
  f.t.txn->error = SVC_OK;
  svc_named_begin(&scan, f.t.txn, SPACE, name);
  munit_assert_false(svc_named_next(&scan, &found));
  munit_assert_int(f.t.txn->error, ==, SVC_NOMEM);
  f.t.txn->error = SVC_OK;
  munit_assert_long(t_fault_end(), ==, 3);
  munit_assert_int(svc_named_get(f.t.txn, SPACE, &f.parents[0], name, &found), ==, SVC_NOT_FOUND);
  shelf_close(&f);
}

/* ----------------------------------------------------------------------------------------------- through the interface */

static void check_project(t_service *t, const char *org, const char *name, const char *id, int64_t of_org)
{
  char text[128];
  snprintf(text, sizeof text, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, org);
  munit_assert_int(t_send(t, "POST", "/groups", text), ==, 409);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/byName/%s", name), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/groups?itemsPerPage=500", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, of_org);
  snprintf(text, sizeof text, "results[%d].id", (int)of_org - 1);
  munit_assert_string_equal(t_str(t, text), id); /* the newest project is the last */
}

/* Projects below organizations: names, lists and ids agree after every operation. */
TEST(index, projects)
{
  enum { PROJECTS = 36 };
  t_service t;
  char org[2][25], ids[PROJECTS][25], name[32], text[64];
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  strcpy(org[0], t_organization(&t, "Acme"));
  strcpy(org[1], t_organization(&t, "Other"));
  for (i = 0; i < PROJECTS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    strcpy(ids[i], t_project(&t, org[i % 4 == 0], name));
    check_project(&t, org[i % 4 == 0], name, ids[i], i % 4 ? i - i / 4 : i / 4 + 1);
    munit_assert_size(store_whole(t.s), ==, (size_t)i + 1);
  }
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, PROJECTS);
  for (i = 0; i < PROJECTS; i += 5) {
    snprintf(text, sizeof text, "{\"name\":\"renamed%d\"}", i);
    munit_assert_int(t_sendf(&t, "PATCH", text, "/groups/%s", ids[i]), ==, 200);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/p%d", i), ==, 404);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/renamed%d", i), ==, 200);
    snprintf(name, sizeof name, "p%d", i);
    t_project(&t, org[1], name); /* the name is free again */
    store_whole(t.s);
  }
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org[1]), ==, 409); /* not empty */
  for (i = 0; i < PROJECTS; i++) {
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", ids[i]), ==, 202);
    store_whole(t.s);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups", org[0]), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  t_close(&t);
}

#define CLUSTER "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":" \
                "{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

/* A project that moves to another organization takes everything below it along, and leaves nothing behind. */
TEST(index, migrates)
{
  t_service t;
  char org[2][25], group[25], body[64];
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  strcpy(org[0], t_organization(&t, "Acme"));
  strcpy(org[1], t_organization(&t, "Other"));
  strcpy(group, t_project(&t, org[0], "alpha"));
  t_project(&t, org[0], "beta");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", group), ==, 200);
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", group), ==, 201);
  for (i = 1; i < 4; i++) { /* to the other organization, back, and there again */
    snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", org[i % 2]);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s:migrate", group), ==, 200);
    t_advance(&t, 20); /* its cluster continues to be created */
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/c", group), ==, 200);
    munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
    munit_assert_size(store_whole(t.s), ==, 2);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
    munit_assert_string_equal(t_str(&t, "orgId"), org[i % 2]);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/privateIpMode", group), ==, 200);
    munit_assert_string_equal(t_str(&t, "enabled"), "true");
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups", org[i % 2]), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, i % 2 ? 1 : 2);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups", org[!(i % 2)]), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, i % 2 ? 1 : 0);
    munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  }
  t_project(&t, org[0], "alpha"); /* the name is free in the old organization */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c", group), ==, 202);
  t_advance(&t, 20);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_size(store_whole(t.s), ==, 2);
  t_close(&t);
}
