/*
** Entities by name and by owner, where the index comes late: at every moment look-ups, counts and lists say what a plain
** array says, whatever was inserted, changed or removed before.
*/
#include "support.h"

#define MOST 90
#define OWNERS 3
#define NAMES 12

typedef struct shelf {
  t_store t;
  svc_id owners[OWNERS + 1]; /* the last is nobody */
  struct {
    bool there;
    int owner, name;
  } all[MOST];
} shelf;

static void shelf_open(shelf *f)
{
  unsigned i;
  memset(f, 0, sizeof *f);
  t_store_open(&f->t);
  for (i = 0; i < OWNERS; i++) f->owners[i] = t_id(1000 + i);
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

static void shelf_insert(shelf *f, int n, int owner, int name)
{
  svc_entity e;
  memset(&e, 0, sizeof e);
  e.kind = "test";
  e.id = t_id((unsigned)n + 1);
  e.owner = f->owners[owner];
  e.key = svc_id_str(&f->t.arena, &e.id);
  e.unique = name_of(f, name);
  e.body = SVC_S("{\"a\":1}");
  e.extra = SVC_S("");
  munit_assert_int(svc_entity_insert(f->t.txn, &f->t.arena, &e), ==, SVC_OK);
  f->all[n].there = true;
  f->all[n].owner = owner;
  f->all[n].name = name;
}

/* As it is stored, in memory of its own. */
static svc_entity shelf_get(shelf *f, int n)
{
  svc_entity e;
  svc_id id = t_id((unsigned)n + 1);
  munit_assert_int(svc_entity_get(f->t.txn, "test", &f->t.root, &id, &e), ==, SVC_OK);
  e.key = svc_arena_copy(&f->t.arena, e.key);
  e.unique = svc_arena_copy(&f->t.arena, e.unique);
  e.body = svc_arena_copy(&f->t.arena, e.body);
  e.extra = svc_arena_copy(&f->t.arena, e.extra);
  return e;
}

static void shelf_change(shelf *f, int n, int owner, int name)
{
  svc_entity old = shelf_get(f, n), e = old;
  e.owner = f->owners[owner];
  e.unique = name_of(f, name);
  munit_assert_int(svc_entity_update(f->t.txn, &f->t.arena, &e, &old), ==, SVC_OK);
  f->all[n].owner = owner;
  f->all[n].name = name;
}

static void shelf_remove(shelf *f, int n)
{
  svc_entity e = shelf_get(f, n);
  munit_assert_int(svc_entity_remove(f->t.txn, &f->t.arena, &e), ==, SVC_OK);
  f->all[n].there = false;
}

static bool shelf_taken(const shelf *f, int owner, int name)
{
  int i;
  for (i = 0; i < MOST; i++)
    if (f->all[i].there && f->all[i].owner == owner && f->all[i].name == name) return true;
  return false;
}

static unsigned shelf_late(shelf *f)
{
  svc_list_end last;
  svc_list_last(f->t.txn, 'e', "test", &f->t.root, &last);
  return last.late;
}

static void check_owner(shelf *f, int owner)
{
  svc_finder finder;
  svc_id scope, id, expected;
  int i, n = 0;
  munit_assert_true(svc_owned_begin(&finder, f->t.txn, "test", &f->owners[owner]));
  for (i = 0; i < MOST; i++) {
    if (!f->all[i].there || f->all[i].owner != owner) continue;
    expected = t_id((unsigned)i + 1);
    munit_assert_true(svc_finder_next(&finder, &scope, &id));
    munit_assert_true(svc_id_eq(&id, &expected) && svc_id_eq(&scope, &f->owners[owner]));
    n++;
  }
  munit_assert_false(svc_finder_next(&finder, &scope, &id));
  munit_assert_false(svc_finder_next(&finder, &scope, &id)); /* and not once more */
  svc_finder_end(&finder);
  munit_assert_uint64(svc_owned_count(f->t.txn, "test", &f->owners[owner]), ==, (uint64_t)n);
}

static void check_name(shelf *f, int name)
{
  svc_str text = name_of(f, name);
  svc_finder finder;
  svc_id scope, id;
  int i, expected = 0, found = 0;
  for (i = 0; i < MOST; i++) expected += f->all[i].there && f->all[i].name == name;
  munit_assert_true(svc_named_begin(&finder, f->t.txn, "test", text, true));
  while (svc_finder_next(&finder, &scope, &id)) {
    i = (id.b[10] << 8 | id.b[11]) - 1;
    munit_assert_true(f->all[i].there && f->all[i].name == name && svc_id_eq(&scope, &f->owners[f->all[i].owner]));
    found++;
  }
  svc_finder_end(&finder);
  munit_assert_int(found, ==, expected);
  for (i = 0; i < OWNERS; i++) {
    int rc = svc_unique_find(f->t.txn, "test", &f->owners[i], true, text, &id);
    munit_assert_int(rc, ==, shelf_taken(f, i, name) ? SVC_OK : SVC_NOT_FOUND);
    if (rc != SVC_OK) continue;
    rc = (id.b[10] << 8 | id.b[11]) - 1;
    munit_assert_true(f->all[rc].there && f->all[rc].owner == i && f->all[rc].name == name);
  }
}

static void shelf_check(shelf *f)
{
  int i, n = 0;
  for (i = 0; i < OWNERS; i++) check_owner(f, i);
  for (i = 0; i < NAMES; i++) check_name(f, i);
  for (i = 0; i < MOST; i++) n += f->all[i].there;
  munit_assert_uint64(svc_entity_count(f->t.txn, "test", &f->t.root), ==, (uint64_t)n);
  munit_assert_uint(shelf_late(f), <, SVC_LATE);
}

/* One in SVC_LATE inserts writes index entries, and then those of all. */
static MunitResult index_shares(const MunitParameter params[], void *data)
{
  shelf f;
  svc_key key;
  svc_str value;
  int i;
  (void)params, (void)data;
  shelf_open(&f);
  for (i = 0; i < 2 * SVC_LATE + 3; i++) {
    svc_id id = t_id((unsigned)i + 1);
    shelf_insert(&f, i, i % OWNERS, i);
    munit_assert_uint(shelf_late(&f), ==, (unsigned)(i + 1) % SVC_LATE);
    svc_key_owned(&key, "test", &f.owners[i % OWNERS], &id);
    munit_assert_int(svc_get(f.t.txn, &key, &value), ==, (i + 1) % SVC_LATE ? SVC_NOT_FOUND : SVC_OK);
  }
  for (i = 0; i < 2 * SVC_LATE; i++) {
    svc_id id = t_id((unsigned)i + 1);
    svc_key_owned(&key, "test", &f.owners[i % OWNERS], &id);
    munit_assert_int(svc_get(f.t.txn, &key, &value), ==, SVC_OK);
  }
  for (i = 0; i < OWNERS; i++) check_owner(&f, i);
  shelf_close(&f);
  return MUNIT_OK;
}

/* A change that renames nothing leaves the index as late as it was; also one that began before the index caught up. */
static MunitResult index_plain_change(const MunitParameter params[], void *data)
{
  shelf f;
  svc_entity old, e;
  int i;
  (void)params, (void)data;
  shelf_open(&f);
  for (i = 0; i < 5; i++) shelf_insert(&f, i, 0, i);
  shelf_change(&f, 4, 0, 4);
  shelf_change(&f, 2, 0, 2);
  munit_assert_uint(shelf_late(&f), ==, 5);
  shelf_check(&f);
  old = shelf_get(&f, 4);
  munit_assert_uint(old.late, ==, 5);
  shelf_change(&f, 1, 0, 9); /* indexes all */
  munit_assert_uint(shelf_late(&f), ==, 0);
  e = old;
  e.body = SVC_S("{\"a\":2}");
  munit_assert_int(svc_entity_update(f.t.txn, &f.t.arena, &e, &old), ==, SVC_OK);
  munit_assert_uint(shelf_late(&f), ==, 0);
  shelf_check(&f);
  shelf_close(&f);
  return MUNIT_OK;
}

/* The one that says there are no late ones before it goes away. */
static MunitResult index_mark_removed(const MunitParameter params[], void *data)
{
  shelf f;
  int i;
  (void)params, (void)data;
  shelf_open(&f);
  for (i = 0; i < SVC_LATE; i++) shelf_insert(&f, i, i % OWNERS, i);
  munit_assert_uint(shelf_late(&f), ==, 0);
  shelf_remove(&f, SVC_LATE - 1);
  munit_assert_uint(shelf_late(&f), ==, 0);
  for (i = 0; i < OWNERS; i++) check_owner(&f, i);
  shelf_insert(&f, SVC_LATE, 1, 5);
  munit_assert_uint(shelf_late(&f), ==, 1);
  shelf_remove(&f, 3); /* one from before */
  munit_assert_uint(shelf_late(&f), ==, 0);
  shelf_insert(&f, SVC_LATE + 1, OWNERS, 6); /* of nobody: indexed at once, with all before it */
  munit_assert_uint(shelf_late(&f), ==, 0);
  for (i = 0; i < OWNERS; i++) check_owner(&f, i);
  for (i = 0; i < MOST; i++)
    if (f.all[i].there) shelf_remove(&f, i);
  shelf_check(&f);
  shelf_close(&f);
  return MUNIT_OK;
}

/* Everything at random: mostly in order, as ids are given out, and now and then not. */
static MunitResult index_random(const MunitParameter params[], void *data)
{
  shelf f;
  int round, end = 0;
  (void)params, (void)data;
  shelf_open(&f);
  for (round = 0; round < 3000; round++) {
    int what = munit_rand_int_range(0, 9), owner = munit_rand_int_range(0, OWNERS), name = munit_rand_int_range(0, NAMES - 1);
    int n = munit_rand_int_range(0, MOST - 1);
    if (owner == OWNERS && what < 9) owner = 0; /* nobody's are few */
    if (what < 6) {
      if (end >= MOST) continue;
      n = end;
    }
    if (!f.all[n].there) {
      if (shelf_taken(&f, owner, name)) continue;
      shelf_insert(&f, n, owner, name);
      if (n >= end) end = n + 1;
    } else if (what == 6 || what == 7) {
      if (f.all[n].owner == owner && f.all[n].name == name) shelf_change(&f, n, owner, name);
      else if (!shelf_taken(&f, owner, name)) shelf_change(&f, n, owner, name);
    } else {
      shelf_remove(&f, n);
    }
    shelf_check(&f);
    if (round % 100 == 99) { /* from the start */
      for (n = 0; n < MOST; n++)
        if (f.all[n].there) shelf_remove(&f, n);
      end = 0;
      shelf_check(&f);
    }
  }
  shelf_close(&f);
  return MUNIT_OK;
}

/* A record that is not one, where the late ones are: an error, not an answer. */
static MunitResult index_corrupt(const MunitParameter params[], void *data)
{
  shelf f;
  svc_key key;
  svc_id id = t_id(50);
  svc_finder finder;
  svc_id scope;
  (void)params, (void)data;
  shelf_open(&f);
  shelf_insert(&f, 0, 0, 0);
  svc_key_entity(&key, "test", &f.t.root, &id);
  munit_assert_int(svc_put(f.t.txn, &key, SVC_S("no record")), ==, SVC_OK);
  munit_assert_int(svc_unique_find(f.t.txn, "test", &f.owners[0], true, SVC_S("name-0"), &id), ==, SVC_CORRUPT);
  munit_assert_int(f.t.txn->error, ==, SVC_CORRUPT);
  f.t.txn->error = SVC_OK;
  munit_assert_true(svc_owned_begin(&finder, f.t.txn, "test", &f.owners[0]));
  munit_assert_false(svc_finder_next(&finder, &scope, &id));
  svc_finder_end(&finder);
  munit_assert_int(f.t.txn->error, ==, SVC_CORRUPT);
  f.t.txn->error = SVC_OK;
  svc_key_unique(&key, "test", SVC_S("odd"), &f.owners[0]);
  munit_assert_int(svc_put(f.t.txn, &key, SVC_S("short")), ==, SVC_OK);
  munit_assert_true(svc_named_begin(&finder, f.t.txn, "test", SVC_S("odd"), false));
  munit_assert_false(svc_finder_next(&finder, &scope, &id));
  svc_finder_end(&finder);
  munit_assert_int(f.t.txn->error, ==, SVC_CORRUPT);
  f.t.txn->error = SVC_OK;
  shelf_close(&f);
  return MUNIT_OK;
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
  munit_assert_string_equal(t_str(t, text), id); /* the newest is the last */
}

/* What a user sees never depends on how far the index has come. */
static MunitResult index_projects(const MunitParameter params[], void *data)
{
  t_service t;
  char org[2][25], ids[3 * SVC_LATE][25], name[32], text[64];
  int i;
  (void)params, (void)data;
  t_open(&t, NULL);
  strcpy(org[0], t_organization(&t, "Acme"));
  strcpy(org[1], t_organization(&t, "Other"));
  for (i = 0; i < 3 * SVC_LATE; i++) {
    snprintf(name, sizeof name, "p%d", i);
    strcpy(ids[i], t_project(&t, org[i % 4 == 0], name));
    check_project(&t, org[i % 4 == 0], name, ids[i], i % 4 ? i - i / 4 : i / 4 + 1);
    munit_assert_size(store_whole(t.s), ==, (size_t)i + 1);
  }
  for (i = 0; i < 3 * SVC_LATE; i += 5) {
    snprintf(text, sizeof text, "{\"name\":\"renamed%d\"}", i);
    munit_assert_int(t_sendf(&t, "PATCH", text, "/groups/%s", ids[i]), ==, 200);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/p%d", i), ==, 404);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/renamed%d", i), ==, 200);
    snprintf(name, sizeof name, "p%d", i);
    t_project(&t, org[1], name); /* the name is free again */
    store_whole(t.s);
  }
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org[1]), ==, 409); /* not empty, indexed or not */
  for (i = 0; i < 3 * SVC_LATE; i++) {
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", ids[i]), ==, 202);
    store_whole(t.s);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups", org[0]), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  t_close(&t);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/shares", index_shares, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/plain_change", index_plain_change, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/mark_removed", index_mark_removed, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/random", index_random, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/corrupt", index_corrupt, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/projects", index_projects, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_index = { "index", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
