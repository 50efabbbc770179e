/*
** svc_check_store(): a store that has something of every class has no fault; each fault that is made in it is found, by the line
** that says so, and no other record is touched.
*/
#include "world.h"

typedef struct verify_lines {
  char text[65536];
  size_t n, lines;
} verify_lines;

static void verify_take(void *context, const char *text)
{
  verify_lines *l = context;
  l->lines++;
  l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s\n", text);
  munit_assert_size(l->n, <, sizeof l->text);
}

static int verify_run(svc *s, verify_lines *l)
{
  l->n = l->lines = 0;
  l->text[0] = '\0';
  return svc_check_store(s, verify_take, l);
}

static int verify_perform(void *context, svc *s, const svc_order *order)
{
  (void)context, (void)s, (void)order;
  return SVC_OK;
}

static void verify_make(t_world *w, int method, const char *path)
{
  const svc_plan *plan = t_world_plan(w, method, path);
  munit_assert_not_null(plan);
  if (!t_world_ready(w, plan)) munit_errorf("%s: %s", path, w->why);
  if (t_world_send(w, plan) >= 400) munit_errorf("%s: %s", path, w->t.response.body);
}

/* Something of every class. */
static void verify_open(t_world *w, const svc_driver *driver)
{
  char body[64];
  int i;
  t_world_open_with(w, driver);
  verify_make(w, SVC_POST, "/groups/{groupId}/clusters");
  verify_make(w, SVC_POST, "/groups/{groupId}/customDBRoles/roles");
  t_header(&w->t, "Idempotency-Key", "once");
  munit_assert_int(t_sendf(&w->t, "POST", "{\"databaseName\":\"admin\",\"username\":\"joe\",\"password\":\"Secret-of-joe-1\","
                           "\"roles\":[{\"databaseName\":\"admin\",\"roleName\":\"orderReader\"}]}", "/groups/%s/databaseUsers", w->group), ==, 201);
  t_headers_clear(&w->t);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"desc\":\"a key\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/apiKeys", w->group), ==, 201);
  for (i = 0; i < 700; i++) { /* blocks of the log are tallied */
    snprintf(body, sizeof body, "{\"name\":\"Name %d\"}", i);
    munit_assert_int(t_sendf(&w->t, "PATCH", body, "/groups/%s", w->group), ==, 200);
  }
}

/* -------------------------------------------------------------------------------------------------------------- damages */

enum { REMOVE, CUT, FLIP, COPY, ADD };

typedef struct verify_damage {
  char letter;
  const char *kind; /* the first record whose key has this, wherever; NULL: the first */
  int what;
  int at; /* FLIP: this byte of the value, COPY: the key has another byte there; negative: from the end */
  const char *found;
} verify_damage;

static const verify_damage damages[] = {
  { 'e', "clus", CUT, 0, "cluster ID: its record cannot be read" },
  { 'e', "clus", FLIP, 0, "cluster ID: its record cannot be read" },
  { 'e', "clus", FLIP, 12, "cluster ID: its body is written otherwise" },
  { 'e', "clus", FLIP, 24, "its project is not there" },
  { 'e', "clus", FLIP, 36, "its organization is not there" },
  { 'e', "clus", REMOVE, 0, "cluster ID: a name leads to it, and it is not there" },
  { 'e', "clus", REMOVE, 0, "cluster ID: there is an order for it, and it is not there" },
  { 'e', "clus", REMOVE, 0, "its count below this id is 1, and there are 0" },
  { 'e', "clus", REMOVE, 0, "the ledger has other open lines" },
  { 'e', "clus", COPY, -1, "its id is another than that in its key or record" },
  { 'e', "clus", COPY, 5, "what it is below is not there" },
  { 'e', "clus", ADD, 0, "an entity has a key of another length" },
  { 'e', "evnt", FLIP, 60, "its name is not its id" }, /* links are made of it, and it may be a quote */
  { 'g', NULL, REMOVE, 0, "it is not found by its id" },
  { 'g', NULL, FLIP, 3, "it is found by its id below another parent" },
  { 'g', NULL, COPY, -1, "its id leads to nothing" },
  { 'g', NULL, CUT, 0, "an entry of what is found by its id cannot be read" },
  { 'u', "clus", REMOVE, 0, "cluster ID: its name is not in the index" },
  { 'u', "clus", FLIP, 15, "cluster ID: its name leads to another" },
  { 'u', "clus", COPY, 6, "cluster ID: a name leads to it that is not its own" },
  { 'u', "clus", CUT, 0, "an entry of the index of names cannot be read" },
  { 'd', "-mtr", REMOVE, 0, "the end of its month is not due" },
  { 'd', "-mtr", COPY, 8, "a month ends for which the ledger has no line" },
  { 'd', NULL, ADD, 0, "something is due that cannot be read" },
  { 'c', "clus", REMOVE, 0, "its count below this id is 0, and there are 1" },
  { 'c', "clus", FLIP, 0, "and there are 1" },
  { 'c', "clus", COPY, -1, "its count below this id is 1, and there are 0" },
  { 'h', NULL, REMOVE, 0, "it is listed on a project on which it holds no role" },
  { 'h', NULL, COPY, 3, "roles are held on it by one that it does not list" },
  { 'h', NULL, COPY, -1, "roles are held on it, and it is not there" },
  { 'h', NULL, CUT, 0, "roles on a project cannot be read" },
  { 'b', NULL, CUT, 0, "a line of the ledger cannot be read" },
  { 'b', NULL, REMOVE, 0, "what is open in the ledger is not there, or has ended" },
  { 'b', NULL, FLIP, 4, "the ledger counts something other than what it costs" },
  { 'b', NULL, COPY, 16, "a line of the ledger is in another month than it began in" },
  { 'l', NULL, REMOVE, 0, "it costs, and the ledger has no open line for it" },
  { 'l', NULL, REMOVE, 0, "a line of the ledger runs on, and is not the open one" },
  { 'l', NULL, COPY, 5, "what is open in the ledger is not there, or has ended" },
  { 'r', NULL, REMOVE, 0, "does not know that it is named" },
  { 'r', NULL, COPY, 8, "it is said to name another, and does not" },
  { 'r', NULL, COPY, -1, "it is said to name another, and is not there" },
  { 'r', NULL, CUT, 0, "an entry of who names whom cannot be read" },
  { 'o', NULL, CUT, 0, "an order cannot be read" },
  { 'o', NULL, REMOVE, 0, "the id of an order leads to none, or to another" },
  { 'o', NULL, FLIP, 3, "its order is not found by the id that the driver knows" },
  { 'q', NULL, REMOVE, 0, "its order is not found by the id that the driver knows" },
  { 'q', NULL, COPY, 5, "the id of an order leads to none, or to another" },
  { 'w', NULL, REMOVE, 0, "its order waits, and nobody hands it out" },
  { 'w', NULL, COPY, 8, "an order waits that is none, or waits otherwise" },
  { 'i', NULL, CUT, 0, "an answer that is kept for a retry cannot be read" },
  { 'i', NULL, REMOVE, 0, "an answer is to go that is not kept, or later" },
  { 'i', NULL, COPY, 3, "an answer that is kept for a retry never goes" },
  { 't', NULL, CUT, 0, "a tally" },
  { 't', NULL, FLIP, 0, "a tally of those below this id is not what they are" },
  { 't', NULL, FLIP, 20, "a tally of those below this id is not what they are" },
  { 'm', NULL, COPY, 2, "the store has a record of its own that nobody knows" },
  { 'm', NULL, COPY, 0, "a record is of no class that there is" },
};

/* Without a driver the cluster waits for its time. */
static const verify_damage simulated[] = {
  { 'd', "clus", REMOVE, 0, "cluster ID: it waits for something that is not among what is due" },
  { 'd', "clus", COPY, 8, "cluster ID: something is due of it that it does not wait for" },
  { 'd', "clus", COPY, -2, "cluster ID: something is due of it, and it is not there" },
  { 'd', "clus", COPY, -1, "cluster ID: something is due of it that it does not wait for" },
};

static bool verify_has(svc_str key, const char *kind)
{
  size_t i;
  for (i = 0; kind && i + SVC_KIND_SIZE <= key.n; i++)
    if (memcmp(key.p + i, kind, SVC_KIND_SIZE) == 0) return true;
  return !kind;
}

typedef struct verify_record {
  unsigned char key[SVC_KEY_MOST], other[SVC_KEY_MOST];
  size_t key_n, other_n, n;
  char value[65536], changed[65536];
} verify_record;

static bool verify_pick(svc_txn *txn, const verify_damage *d, verify_record *r)
{
  svc_str key, value;
  svc_scan scan;
  svc_key prefix;
  svc_key_begin(&prefix, d->letter);
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    if (!verify_has(key, d->kind)) continue;
    memcpy(r->key, key.p, r->key_n = key.n);
    memcpy(r->other, key.p, r->other_n = key.n);
    memcpy(r->value, value.p, r->n = value.n);
    memcpy(r->changed, value.p, value.n);
    return true;
  }
  return false;
}

/* The damage, or, in the same way, what was there before. */
/* How a count is kept is the port's: it is made what the record would say. */
static int verify_count(svc_txn *txn, svc_str key, int64_t to)
{
  int64_t is;
  munit_assert_int(txn->port->count(txn, key, &is), ==, SVC_OK);
  return txn->port->count_add(txn, key, to - is);
}

static int verify_put(svc_txn *txn, svc_str key, svc_str value)
{
  int64_t to;
  if (T_ON_LMDB || key.p[0] != SVC_COUNT_LETTER || value.n != sizeof to) return txn->port->put(txn, key, value);
  memcpy(&to, value.p, sizeof to);
  return verify_count(txn, key, to);
}

static int verify_remove(svc_txn *txn, svc_str key)
{
  return T_ON_LMDB || key.p[0] != SVC_COUNT_LETTER ? txn->port->remove(txn, key) : verify_count(txn, key, 0);
}

static void verify_write(svc *s, const verify_damage *d, verify_record *r, bool undo)
{
  const svc_store_port *port = s->commit.port;
  svc_str key, other, value;
  size_t at = d->at < 0 ? r->key_n + (size_t)d->at : (size_t)d->at, n = r->n;
  svc_txn *txn;
  munit_assert_int(port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  if (!undo && !verify_pick(txn, d, r)) munit_errorf("there is no record of class %c", d->letter);
  at = d->at < 0 ? r->key_n + (size_t)d->at : (size_t)d->at;
  n = d->what == CUT ? r->n / 2 : r->n;
  if (!undo && d->what == FLIP) r->changed[at] ^= 1;
  if (!undo && d->what == COPY) r->other[at] ^= d->letter == 'm' && at == 0 ? 'm' ^ 'y' : 1;
  if (!undo && d->what == ADD) r->other[r->other_n++] = 1;
  key = (svc_str){ (const char *)r->key, r->key_n };
  other = (svc_str){ (const char *)r->other, r->other_n };
  value = (svc_str){ undo ? r->value : r->changed, undo ? r->n : n };
  if (d->what == COPY || d->what == ADD) munit_assert_int(undo ? verify_remove(txn, other) : verify_put(txn, other, value), ==, SVC_OK);
  else if (d->what == REMOVE && !undo) munit_assert_int(verify_remove(txn, key), ==, SVC_OK);
  else munit_assert_int(verify_put(txn, key, value), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
}

/* Lines without their ids. */
static void verify_blank(char *text)
{
  char *to = text;
  while (*text) {
    if (strspn(text, "0123456789abcdef") == 24) {
      memcpy(to, "ID", 2);
      to += 2;
      text += 24;
    } else {
      *to++ = *text++;
    }
  }
  *to = '\0';
}

static MunitResult verify_each(const svc_driver *driver, const verify_damage *d, size_t n)
{
  static t_world w;
  static verify_lines lines;
  static verify_record record;
  size_t i;
  verify_open(&w, driver);
  if (verify_run(w.t.s, &lines) != SVC_OK) munit_errorf("a good store: %s", lines.text);
  for (i = 0; i < n; i++, d++) {
    int rc;
    verify_write(w.t.s, d, &record, false);
    rc = verify_run(w.t.s, &lines);
    verify_blank(lines.text);
    if (rc != SVC_CORRUPT || !strstr(lines.text, d->found))
      munit_errorf("damage %zu, class %c: %d, \"%s\" is not among\n%s", i, d->letter, rc, d->found, lines.text);
    munit_assert_null(strstr(lines.text, "Secret-of-joe-1"));
    verify_write(w.t.s, d, &record, true);
  }
  munit_assert_int(verify_run(w.t.s, &lines), ==, SVC_OK);
  t_world_close(&w);
  return MUNIT_OK;
}

static MunitResult verify_damages(const MunitParameter params[], void *data)
{
  static const svc_driver driver = { verify_perform, NULL, NULL };
  (void)params, (void)data;
  return verify_each(&driver, damages, sizeof damages / sizeof damages[0]);
}

static MunitResult verify_simulated(const MunitParameter params[], void *data)
{
  (void)params, (void)data;
  return verify_each(NULL, simulated, sizeof simulated / sizeof simulated[0]);
}

/* The body of an entity with nothing in it, or with numbers for all that was in it. */
static svc_str verify_hollow_body(svc_arena *a, svc_str text, bool numbers)
{
  svc_node *body = svc_json_parse(a, svc_arena_copy(a, text)), *member;
  svc_buf b = svc_buf_new(a, 256);
  munit_assert_not_null(body);
  if (!numbers) return SVC_S("{}");
  for (member = body->first; member; member = member->next) {
    member->type = SVC_J_NUMBER;
    member->text = SVC_S("-1");
    member->first = member->last = NULL;
  }
  svc_node_write(&b, body);
  return svc_buf_done(&b);
}

static void verify_hollow_one(svc *s, svc_str at, svc_str record, bool numbers)
{
  const svc_store_port *port = s->commit.port;
  svc_entity e = { .kind = at.p + 1 };
  svc_arena arena;
  svc_txn *txn;
  munit_assert_true(svc_entity_decode(at, record, &e));
  svc_arena_init(&arena, NULL);
  munit_assert_int(port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  e.body = verify_hollow_body(&arena, e.body, numbers);
  e.links_at = 1;
  munit_assert_int(svc_record_put(txn, &arena, &e), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  munit_assert_int(svc_check_store(s, NULL, NULL), <=, SVC_CORRUPT); /* it is looked at, whatever is in it */
  munit_assert_int(port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(port->put(txn, at, record), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  svc_blocks_free(arena.blocks);
}

/* What is JSON, and not at all what its noun takes for granted, ends nothing: one entity of every kind there is. */
static MunitResult verify_hollow(const MunitParameter params[], void *data)
{
  static t_world w;
  char last[SVC_KIND_SIZE] = "";
  svc_arena arena;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value, keys[256], values[256];
  svc_txn *txn;
  size_t i, n = 0;
  (void)params, (void)data;
  t_world_open(&w);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    if (plan->route->method == SVC_POST && plan->route->run == svc_verb_create && t_world_ready(&w, plan)) t_world_send(&w, plan);
  }
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  munit_assert_int(w.t.s->commit.port->read_begin(w.t.s->commit.store, &txn), ==, SVC_OK);
  svc_key_begin(&prefix, 'e');
  svc_scan_below(&scan, txn, &prefix, false);
  while (n < 256 && svc_scan_next(&scan, &key, &value)) {
    if (memcmp(key.p + 1, last, SVC_KIND_SIZE) == 0) continue;
    memcpy(last, key.p + 1, SVC_KIND_SIZE);
    keys[n] = svc_arena_copy(&arena, key);
    values[n++] = svc_arena_copy(&arena, value);
  }
  w.t.s->commit.port->read_end(txn);
  munit_assert_size(n, >, 30);
  for (i = 0; i < 2 * n; i++) verify_hollow_one(w.t.s, keys[i / 2], values[i / 2], i % 2);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  svc_blocks_free(arena.blocks);
  t_world_close(&w);
  return MUNIT_OK;
}

/* However much is wrong, it ends. */
static MunitResult verify_bounded(const MunitParameter params[], void *data)
{
  static t_world w;
  static verify_lines lines;
  svc_txn *txn;
  (void)params, (void)data;
  verify_open(&w, NULL);
  munit_assert_int(w.t.s->commit.port->write_begin(w.t.s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(w.t.s->commit.port->remove_range(txn, SVC_S("c"), SVC_S("e")), ==, SVC_OK);
  munit_assert_int(w.t.s->commit.port->remove_range(txn, SVC_S("eproj"), SVC_S("eprok")), ==, SVC_OK);
  munit_assert_int(w.t.s->commit.port->commit(txn), ==, SVC_OK);
  munit_assert_int(verify_run(w.t.s, &lines), ==, SVC_CORRUPT);
  munit_assert_size(lines.lines, <=, SVC_FINDINGS + 1);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_CORRUPT);
  munit_assert_int(svc_check_store(NULL, NULL, NULL), ==, SVC_INVALID);
  t_world_close(&w);
  return MUNIT_OK;
}

/* Where memory ends it says so, and nothing is left behind. */
static MunitResult verify_memory(const MunitParameter params[], void *data)
{
  static t_world w;
  long at;
  int rc = SVC_NOMEM;
  (void)params, (void)data;
  t_world_open(&w);
  verify_make(&w, SVC_POST, "/groups/{groupId}/clusters");
  for (at = 1; rc == SVC_NOMEM; at += 7) {
    w.memory.calls = 0;
    w.memory.fail_at = at;
    rc = svc_check_store(w.t.s, NULL, NULL);
  }
  w.memory.fail_at = 0;
  munit_assert_int(rc, ==, SVC_OK);
  t_world_close(&w);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/damages", verify_damages, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/simulated", verify_simulated, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/hollow", verify_hollow, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/bounded", verify_bounded, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/memory", verify_memory, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL }
};

const MunitSuite svc_suite_verify = { "/verify", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
