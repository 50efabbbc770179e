/*
** The store as a host sees it: a folder on disk that is opened, closed, killed, copied, or holds something else.
**
** Also here, for other suites: store_whole(), which checks every record of a store against all others, and store_print(), one
** number over the contents of a store.
*/
#include "driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------------------------------- folders */

void store_folder(char out[128])
{
  const char *place = getenv("TMPDIR");
  snprintf(out, 128, "%s/svcapi-test-XXXXXX", place && *place && strlen(place) < 80 ? place : "/tmp");
  munit_assert_not_null(mkdtemp(out));
}

/* Removes a folder with its files and folders. */
void store_remove(const char *path)
{
  DIR *dir = opendir(path);
  struct dirent *entry;
  while (dir && (entry = readdir(dir)) != NULL) {
    char name[600];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (unlink(name) != 0) store_remove(name);
  }
  if (dir) closedir(dir);
  munit_assert_int(rmdir(path), ==, 0);
}

static int folder_count(const char *path)
{
  DIR *dir = opendir(path);
  int n = -2;
  munit_assert_not_null(dir);
  while (readdir(dir)) n++;
  closedir(dir);
  return n;
}

static void file_write(const char *folder, const char *name, const void *bytes, size_t size)
{
  char path[256];
  FILE *f;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  f = fopen(path, "wb");
  munit_assert_not_null(f);
  munit_assert_size(fwrite(bytes, 1, size, f), ==, size);
  munit_assert_int(fclose(f), ==, 0);
}

static char *file_read(const char *folder, const char *name, size_t *size)
{
  char path[256], *bytes;
  struct stat st;
  FILE *f;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  f = fopen(path, "rb");
  munit_assert_not_null(f);
  munit_assert_int(fstat(fileno(f), &st), ==, 0);
  *size = (size_t)st.st_size;
  bytes = malloc(*size + 1);
  munit_assert_size(fread(bytes, 1, *size, f), ==, *size);
  fclose(f);
  return bytes;
}

/* --------------------------------------------------------------------------------------------------- the store as a whole */

/*
** Checks every class of keys of store/keys.c, each record against its related records. An entity is identified by kind and id,
** so that records which name it without its parent can be matched.
*/
typedef struct whole {
  const svc *s;
  svc_txn *txn;
  char (*entities)[16]; /* kind and id of all entities, sorted */
  char (*groups)[16];   /* kind and parent of all counted entities, in the order of keys */
  char (*ids)[12];      /* ids of all entities, sorted */
  size_t entity_count, group_count, room;
  size_t records[128]; /* by the letter of the class */
  size_t uniques, by_id, dues, tries, months, open_lines, waiting, projects;
  char run[16]; /* kind and id of the entities being counted */
  uint64_t run_length;
} whole;

enum { WHOLE_ENTITY = 1 + SVC_KIND_SIZE + 24, WHOLE_LEDGER = 1 + 12 + 4 + 12 + 12 + 12 + 8 + 1 };

static void whole_scan(whole *w, svc_scan *scan, char letter)
{
  svc_key prefix;
  svc_key_begin(&prefix, letter);
  svc_scan_below(scan, w->txn, &prefix, false);
}

static int by_16(const void *a, const void *b)
{
  return memcmp(a, b, 16);
}

static int by_12(const void *a, const void *b)
{
  return memcmp(a, b, 12);
}

static void whole_room(whole *w, size_t room)
{
  w->room = room;
  w->entities = realloc(w->entities, room * sizeof *w->entities);
  w->groups = realloc(w->groups, room * sizeof *w->groups);
  munit_assert_true(w->entities && w->groups);
}

static void whole_add(whole *w, char (**list)[16], size_t *n, const char *front, const char *id)
{
  if (*n == w->room) whole_room(w, 2 * w->room);
  memcpy((*list)[*n], front, SVC_KIND_SIZE);
  memcpy((*list)[*n] + SVC_KIND_SIZE, id, 12);
  ++*n;
}

static bool whole_has(const whole *w, const char *kind, const char *id)
{
  char wanted[16];
  memcpy(wanted, kind, SVC_KIND_SIZE);
  memcpy(wanted + SVC_KIND_SIZE, id, 12);
  return bsearch(wanted, w->entities, w->entity_count, 16, by_16) != NULL;
}

/* Returns the value of a key that must exist. */
static svc_str whole_get(whole *w, const svc_key *key)
{
  svc_str value = { NULL, 0 };
  if (svc_get(w->txn, key, &value) != SVC_OK) munit_errorf("a record of class %c is missing", key->b[0]);
  return value;
}

/* --- e, c: entities and their counts */

static void whole_dues_of(whole *w, const svc_entity *e)
{
  svc_due_entry due;
  svc_key key;
  unsigned i;
  memcpy(due.kind, e->kind, SVC_KIND_SIZE);
  due.parent = e->parent;
  due.id = e->id;
  for (i = 0; i < e->due_count; i++) {
    munit_assert_int64(e->dues[i].when, !=, 0);
    munit_assert_int64(svc_due_get(e, e->dues[i].tag), ==, e->dues[i].when); /* a single date per tag */
    due.when = e->dues[i].when;
    due.tag = e->dues[i].tag;
    svc_key_due(&key, &due);
    munit_assert_size(whole_get(w, &key).n, ==, 0);
    w->dues++;
  }
}

static void whole_indices_of(whole *w, const svc_entity *e)
{
  svc_key key;
  svc_str found;
  if (e->unique.n && !(e->flags & SVC_ENTITY_SHARED_NAME)) {
    svc_key_unique(&key, svc_entity_names(e), e->unique, &e->parent);
    found = whole_get(w, &key);
    munit_assert_size(found.n, ==, SVC_KIND_SIZE + 12);
    munit_assert_memory_equal(SVC_KIND_SIZE, found.p, e->kind);
    munit_assert_memory_equal(12, found.p + SVC_KIND_SIZE, e->id.b);
    w->uniques++;
  }
  if (e->flags & SVC_ENTITY_BY_ID) {
    svc_key_by_id(&key, e->kind, &e->id);
    found = whole_get(w, &key);
    munit_assert_size(found.n, ==, 12);
    munit_assert_memory_equal(12, found.p, e->parent.b);
    w->by_id++;
  }
}

static void whole_entity(whole *w, svc_str key, svc_str value)
{
  svc_str short_key, short_body;
  size_t links_at;
  svc_entity e;
  munit_assert_size(key.n, ==, WHOLE_ENTITY);
  e.kind = key.p + 1; /* four letters, not NUL-terminated */
  munit_assert_true(svc_entity_decode(key, value, &e));
  munit_assert_true(svc_entity_glance(value, &short_key, &short_body, &links_at));
  munit_assert_true(svc_str_eq(short_key, e.key) && svc_str_eq(short_body, e.body) && links_at == e.links_at);
  munit_assert_true(e.body.n >= 2 && e.body.p[0] == '{' && e.body.p[e.body.n - 1] == '}');
  whole_dues_of(w, &e);
  whole_indices_of(w, &e);
  whole_add(w, &w->entities, &w->entity_count, e.kind, (const char *)e.id.b);
  if (memcmp(e.kind, "proj", SVC_KIND_SIZE) == 0) w->projects++;
}

/* Entities of one kind and parent are adjacent: each run must be as long as its count. Singletons are not counted. */
static void whole_run_is(whole *w, const char group[16], uint64_t run)
{
  svc_id parent;
  memcpy(parent.b, group + SVC_KIND_SIZE, 12);
  munit_assert_uint64(svc_count(w->txn, group, &parent), ==, run);
  if (run) whole_add(w, &w->groups, &w->group_count, group, group + SVC_KIND_SIZE);
}

static void whole_counts(whole *w)
{
  static const char none[12];
  char group[16] = "";
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  uint64_t run = 0, all = 0;
  whole_scan(w, &scan, 'e');
  while (svc_scan_next(&scan, &key, &value)) {
    if (memcmp(group, key.p + 1, 16) != 0) {
      if (group[0]) whole_run_is(w, group, run);
      run = 0;
      if (group[0] && memcmp(group, key.p + 1, SVC_KIND_SIZE) != 0) {
        munit_assert_uint64(svc_count(w->txn, group, NULL), ==, all); /* the total of entities that are found by id alone */
        all = 0;
      }
    }
    memcpy(group, key.p + 1, 16);
    munit_assert_true(svc_entity_decode(key, value, &e));
    run += memcmp(e.id.b, none, 12) != 0;
    all += (e.flags & SVC_ENTITY_BY_ID) != 0;
  }
  if (!group[0]) return;
  whole_run_is(w, group, run);
  munit_assert_uint64(svc_count(w->txn, group, NULL), ==, all);
}

/* Returns the number of entities of a kind in a project that are below another resource in it, and are counted in the project as well. */
static uint64_t whole_in_project(whole *w, svc_str kind_and_project)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity e;
  uint64_t n = 0;
  svc_key_entity(&prefix, kind_and_project.p, NULL, NULL);
  svc_scan_below(&scan, w->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    n += e.flags & SVC_ENTITY_BY_GROUP && memcmp(e.scope.group.b, kind_and_project.p + SVC_KIND_SIZE, 12) == 0;
  }
  return n;
}

/* Where the store shows counts as records, there is no count without entities. */
static void whole_count(whole *w, svc_str key, svc_str value)
{
  size_t i;
  svc_id group;
  uint64_t n;
  (void)value;
  munit_assert_true(key.n == 1 + SVC_KIND_SIZE || key.n == 1 + SVC_KIND_SIZE + 12);
  for (i = 0; i < w->group_count && memcmp(w->groups[i], key.p + 1, key.n - 1) != 0; i++) continue;
  if (i < w->group_count) return;
  if (memcmp(key.p + 1, "-try", SVC_KIND_SIZE) == 0) return; /* checked by whole_retries() */
  munit_assert_size(key.n, ==, 1 + SVC_KIND_SIZE + 12);
  memcpy(group.b, key.p + 1 + SVC_KIND_SIZE, 12);
  n = whole_in_project(w, (svc_str){ key.p + 1, key.n - 1 });
  munit_assert_uint64(n, >, 0);
  munit_assert_uint64(svc_count(w->txn, key.p + 1, &group), ==, n);
}

/* A resource of a project belongs to the project's organization, and its parent exists. Events may name deleted resources. */
static void whole_place(whole *w, const svc_scope *scope, const svc_id *parent)
{
  svc_entity group;
  if (!svc_id_is_zero(&scope->group)) {
    munit_assert_int(svc_entity_by_id(w->txn, "proj", &scope->group, &group), ==, SVC_OK);
    munit_assert_true(svc_id_eq(&group.parent, &scope->org));
  }
  if (!svc_id_is_zero(&scope->org)) munit_assert_true(whole_has(w, "org.", (const char *)scope->org.b));
  if (parent && !svc_id_is_zero(parent))
    munit_assert_not_null(bsearch(parent->b, w->ids, w->entity_count, 12, by_12));
}

static void whole_places(whole *w)
{
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  size_t i;
  w->ids = malloc((w->entity_count + 1) * sizeof *w->ids);
  munit_assert_not_null(w->ids);
  for (i = 0; i < w->entity_count; i++) memcpy(w->ids[i], w->entities[i] + SVC_KIND_SIZE, 12);
  qsort(w->ids, w->entity_count, 12, by_12);
  whole_scan(w, &scan, 'e');
  while (svc_scan_next(&scan, &key, &value)) {
    static const svc_scope nowhere;
    munit_assert_true(svc_entity_decode(key, value, &e));
    whole_place(w, memcmp(key.p + 1, "evnt", SVC_KIND_SIZE) == 0 ? &nowhere : &e.scope, &e.parent);
  }
}

/* --- d, i: due dates and kept answers */

static void whole_due(whole *w, const svc_due_entry *due)
{
  svc_entity e;
  svc_key other;
  if (memcmp(due->kind, "-try", SVC_KIND_SIZE) == 0) {
    unsigned char hash[16];
    memcpy(hash, due->parent.b, 12);
    memcpy(hash + 12, due->id.b, 4);
    svc_key_retry(&other, hash);
    whole_get(w, &other);
    w->tries++;
  } else if (memcmp(due->kind, "-mtr", SVC_KIND_SIZE) == 0) {
    svc_key_begin(&other, 'l');
    svc_key_id(&other, &due->id);
    svc_key_number(&other, due->tag, 1);
    whole_get(w, &other);
    w->months++;
  } else if (due->tag == SVC_DUE_ERASE) { /* resources below the entity are still to be erased */
    svc_key_entity(&other, due->kind, &due->parent, &due->id);
    other.b[0] = 'x';
    munit_assert_true(svc_entity_decode(svc_key_str(&other), whole_get(w, &other), &e));
    munit_assert_int(svc_entity_get(w->txn, due->kind, &due->parent, &due->id, &e), ==, SVC_NOT_FOUND);
  } else {
    munit_assert_int(svc_entity_get(w->txn, due->kind, &due->parent, &due->id, &e), ==, SVC_OK);
    munit_assert_int64(svc_due_get(&e, due->tag), ==, due->when);
    w->dues--;
  }
}

/* Checks that the index is in the order of time. */
static void whole_all_dues(whole *w)
{
  svc_scan scan;
  svc_due_entry due;
  int64_t last = INT64_MIN;
  svc_due_begin(&scan, w->txn);
  for (; svc_due_next(&scan, &due); w->records['d']++) {
    munit_assert_int64(due.when, >=, last);
    last = due.when;
    whole_due(w, &due);
  }
  munit_assert_int(w->txn->error, ==, SVC_OK);
}

static void whole_retry(whole *w, svc_str key, svc_str value)
{
  (void)w;
  munit_assert_size(key.n, ==, 17);
  munit_assert_size(value.n, >, 32);
}

/* Checks the counted bytes of kept answers, per organization. */
static void whole_retries(whole *w)
{
  svc_scan scan;
  svc_key own;
  svc_str key, value;
  svc_id org, last = { { 0 } };
  uint64_t bytes = 0;
  whole_scan(w, &scan, 'j');
  for (; svc_scan_next(&scan, &key, &value); w->records['j']++) {
    munit_assert_size(key.n, ==, 1 + 12 + 8 + 16);
    memcpy(org.b, key.p + 1, 12);
    if (!svc_id_eq(&org, &last)) {
      munit_assert_uint64(svc_count(w->txn, "-try", &last), ==, bytes);
      bytes = 0;
    }
    last = org;
    svc_key_retry(&own, (const unsigned char *)key.p + 21);
    bytes += whole_get(w, &own).n;
  }
  munit_assert_uint64(svc_count(w->txn, "-try", &last), ==, bytes);
}

/* --- g, u: how entities are found */

static void whole_by_id(whole *w, svc_str key, svc_str value)
{
  svc_entity e;
  svc_id id;
  munit_assert_true(key.n == 1 + SVC_KIND_SIZE + 12 && value.n == 12);
  memcpy(id.b, key.p + 1 + SVC_KIND_SIZE, 12);
  munit_assert_int(svc_entity_by_id(w->txn, key.p + 1, &id, &e), ==, SVC_OK);
  munit_assert_memory_equal(12, e.parent.b, value.p);
  munit_assert_true(e.flags & SVC_ENTITY_BY_ID);
}

static void whole_unique(whole *w, svc_str key, svc_str value)
{
  svc_entity e;
  svc_id scope, id;
  svc_key own;
  munit_assert_true(key.n > 1 + SVC_KIND_SIZE + 1 + 12 && value.n == SVC_KIND_SIZE + 12);
  memcpy(scope.b, key.p + key.n - 12, 12);
  memcpy(id.b, value.p + SVC_KIND_SIZE, 12);
  munit_assert_int(svc_entity_get(w->txn, value.p, &scope, &id, &e), ==, SVC_OK);
  svc_key_unique(&own, svc_entity_names(&e), e.unique, &scope);
  munit_assert_true(svc_str_eq(svc_key_str(&own), key));
}

/* Writes the hash that identifies an entity where others refer to it by name. */
static void whole_name(const svc_entity *e, unsigned char hash[32])
{
  unsigned char name[512];
  munit_assert_size(e->unique.n, <=, sizeof name - 12);
  memcpy(name, e->parent.b, 12);
  memcpy(name + 12, e->unique.p, e->unique.n);
  svc_sha256((svc_str){ (const char *)name, 12 + e->unique.n }, hash);
}

/* Returns whether an entity of this kind has this name. */
static bool whole_named(whole *w, const char *kind, const char *name)
{
  unsigned char hash[32];
  svc_key prefix;
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  bool found = false;
  svc_key_entity(&prefix, kind, NULL, NULL);
  svc_scan_below(&scan, w->txn, &prefix, false);
  while (!found && svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    whole_name(&e, hash);
    found = memcmp(hash, name, 12) == 0;
  }
  return found;
}

static void whole_ref(whole *w, svc_str key, svc_str value)
{
  svc_entity e;
  svc_id parent, id;
  const char *from = key.p + 1 + SVC_KIND_SIZE + 12, *named = key.p + 1 + SVC_KIND_SIZE;
  unsigned char hash[32];
  munit_assert_true(key.n == 1 + SVC_KIND_SIZE + 12 + SVC_KIND_SIZE + 24 && value.n == 12);
  memcpy(parent.b, from + SVC_KIND_SIZE, 12);
  memcpy(id.b, from + SVC_KIND_SIZE + 12, 12);
  munit_assert_int(svc_entity_get(w->txn, from, &parent, &id, &e), ==, SVC_OK);
  whole_name(&e, hash); /* the referrer is stored with its own name or its id */
  munit_assert_true(memcmp(value.p, hash, 12) == 0 || memcmp(value.p, id.b, 12) == 0);
  if (memcmp(key.p + 1, "dbrl", SVC_KIND_SIZE) == 0) return; /* the role may be a built-in one */
  munit_assert_true(whole_has(w, key.p + 1, named) || whole_named(w, key.p + 1, named) ||
                    (memcmp(key.p + 1, "flex", SVC_KIND_SIZE) == 0 && whole_named(w, "clus", named)) ||
                    (memcmp(key.p + 1, "clus", SVC_KIND_SIZE) == 0 && whole_named(w, "flex", named))); /* either kind */
}

/* --- t: tallies */

/* Compares a tally with the entities of its block; *behind: the end of the previous block. */
static void whole_tally_block(whole *w, const char *kind, const svc_id *parent, const svc_id *behind, svc_tally *t)
{
  static const char *const fields[] = { "eventTypeName", "clusterName" };
  svc_str text, key, value, raw;
  uint32_t count, all[2] = { 0, 0 };
  svc_entity e;
  svc_scan scan;
  int field;
  while (svc_tally_value(t, &field, &text, &count)) {
    uint32_t n = 0, of = 0;
    munit_assert_true(field < 2 && count > 0);
    all[field] += count;
    svc_below_begin(&scan, w->txn, kind, parent);
    svc_key_entity(&scan.from, kind, parent, behind);
    scan.from.b[scan.from.n++] = 0;
    while (svc_scan_next(&scan, &key, &value) && of < t->count) {
      munit_assert_true(svc_entity_decode(key, value, &e));
      munit_assert_int(memcmp(e.id.b, t->first.b, 12), >=, 0);
      munit_assert_int(memcmp(e.id.b, t->last.b, 12), <=, 0);
      raw = svc_json_member(e.body, svc_str_c(fields[field]));
      n += raw.n ? svc_str_eq((svc_str){ raw.p + 1, raw.n - 2 }, text) : text.n == 0;
      of++;
    }
    munit_assert_uint32(of, ==, t->count);
    munit_assert_true(svc_id_eq(&e.id, &t->last)); /* the last entity that was counted */
    munit_assert_uint32(n, ==, count);
  }
  munit_assert_true(all[0] == t->count && all[1] == t->count);
}

/* Checks that blocks follow each other without a gap, beginning with the first entity. */
static void whole_tallies(whole *w)
{
  svc_scan scan;
  svc_str key, value;
  char group[16] = "";
  svc_id parent, behind;
  svc_tally t;
  for (whole_scan(w, &scan, 't'); svc_scan_next(&scan, &key, &value); w->records['t']++) {
    svc_scan one;
    if (memcmp(group, key.p + 1, 16) != 0) memset(&behind, 0, sizeof behind);
    memcpy(group, key.p + 1, 16);
    memcpy(parent.b, group + SVC_KIND_SIZE, 12);
    svc_tally_begin(&one, w->txn, group, &parent, false);
    memcpy(one.from.b, key.p, key.n);
    one.from.n = key.n;
    munit_assert_true(svc_tally_next(&one, &t));
    whole_tally_block(w, group, &parent, &behind, &t);
    behind = t.last;
  }
}

/* --- a, h: roles on projects */

/* Finds a holder of roles below an organization. Returns its kind. */
static const char *whole_holder(whole *w, const svc_id *org, const svc_id *id, svc_entity *out)
{
  static const char *const kinds[] = { "akey", "ousr", "sacc", "team" };
  size_t i;
  for (i = 0; i < 4; i++)
    if (svc_entity_get(w->txn, kinds[i], org, id, out) == SVC_OK) return kinds[i];
  munit_error("something is held by nobody");
  return NULL;
}

static void whole_listed_key(svc_key *key, const char *on, const char *kind, const char *id)
{
  svc_key_begin(key, 'a');
  svc_key_add(key, on, 12);
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_add(key, id, 12);
}

/* A role is held on a project of the organization, and is listed there. */
static void whole_holding(whole *w, svc_str key, svc_str value)
{
  const char *kind;
  svc_scope scope;
  svc_entity e;
  svc_key other;
  svc_id id;
  munit_assert_true(key.n == 1 + 36 && value.n > 0 && value.p[value.n - 1] == '\n');
  memcpy(id.b, key.p + 1, 12);
  memcpy(scope.org.b, key.p + 13, 12);
  memcpy(scope.group.b, key.p + 25, 12);
  whole_place(w, &scope, NULL);
  while (value.n) {
    int role = svc_role_by_name(svc_str_cut(&value, '\n'));
    munit_assert_true(role >= 0 && svc_role_level(role) == SVC_SCOPE_GROUP);
  }
  kind = whole_holder(w, &scope.org, &id, &e);
  whole_listed_key(&other, key.p + 25, kind, key.p + 1);
  munit_assert_size(whole_get(w, &other).n, ==, 0);
  if (memcmp(w->run + SVC_KIND_SIZE, id.b, 12) != 0 && w->run_length) whole_run_is(w, w->run, w->run_length);
  if (memcmp(w->run + SVC_KIND_SIZE, id.b, 12) != 0) w->run_length = 0;
  memcpy(w->run, kind, SVC_KIND_SIZE);
  memcpy(w->run + SVC_KIND_SIZE, id.b, 12);
  w->run_length++;
}

/* On a project the listed holder has a role. In a team the person names the team, too. In an organization the list has its owners,
** the people invited, the organizations that it created, and its unpaid invoices. */
static void whole_listed_is(whole *w, const svc_id *on, const char *kind, const svc_id *id)
{
  svc_entity group, e, person;
  svc_str text;
  char org[24];
  svc_id root;
  memset(&root, 0, sizeof root);
  if (svc_entity_by_id(w->txn, "proj", on, &group) == SVC_OK) {
    munit_assert_size(svc_holding_get(w->txn, id, &group.parent, on).n, >, 0);
  } else if (memcmp(kind, "org.", SVC_KIND_SIZE) == 0) {
    munit_assert_int(svc_entity_get(w->txn, "org.", &root, id, &e), ==, SVC_OK);
    munit_assert_memory_equal(12, e.extra.p, on->b);
  } else if (memcmp(kind, "inv!", SVC_KIND_SIZE) == 0) {
    munit_assert_int(svc_entity_get(w->txn, "invo", on, id, &e), ==, SVC_OK);
    munit_assert_true(svc_str_is(svc_json_member(e.body, SVC_S("statusName")), "\"CLOSED\""));
  } else {
    munit_assert_int(svc_entity_get(w->txn, "user", &root, id, &person), ==, SVC_OK);
    svc_id_hex(on, org);
    text = (svc_str){ org, sizeof org };
    if (memcmp(kind, "ous?", SVC_KIND_SIZE) == 0) munit_assert_true(svc_assignments_have(svc_assignments_of(&person), SVC_S("?"), text));
    else if (memcmp(kind, "ous!", SVC_KIND_SIZE) == 0)
      munit_assert_true(svc_assignments_have(svc_assignments_of(&person), SVC_S("ORG_OWNER"), text));
    else if (memcmp(kind, "ous+", SVC_KIND_SIZE) == 0)
      munit_assert_int(svc_entity_get(w->txn, "ousr", on, id, &e), ==, SVC_OK);
    else munit_assert_true(whole_has(w, "team", (const char *)on->b));
  }
}

static void whole_listed(whole *w, svc_str key, svc_str value)
{
  char run[16];
  svc_id on, id;
  munit_assert_true(key.n == 1 + 12 + SVC_KIND_SIZE + 12 && value.n == 0);
  memcpy(on.b, key.p + 1, 12);
  memcpy(id.b, key.p + 1 + 12 + SVC_KIND_SIZE, 12);
  memcpy(run, key.p + 13, SVC_KIND_SIZE);
  memcpy(run + SVC_KIND_SIZE, on.b, 12);
  whole_listed_is(w, &on, run, &id);
  if (memcmp(w->run, run, 16) != 0 && w->run_length) whole_run_is(w, w->run, w->run_length);
  if (memcmp(w->run, run, 16) != 0) w->run_length = 0;
  memcpy(w->run, run, 16);
  w->run_length++;
}

/* Returns the number of list records that the members require, for each team, owner and invitation. */
static size_t whole_listings_of_members(whole *w)
{
  svc_scan scan;
  svc_str key, value, rest, role, on;
  svc_entity e;
  svc_key prefix;
  size_t n = 0;
  svc_key_entity(&prefix, "ousr", NULL, NULL);
  svc_scan_below(&scan, w->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    bool active, pending;
    munit_assert_true(svc_entity_decode(key, value, &e));
    active = svc_str_is(svc_member_status(&e), "ACTIVE");
    pending = svc_str_is(svc_member_status(&e), "PENDING");
    n += pending + svc_member_reaches(svc_assignments_of(&e));
    for (rest = svc_assignments_of(&e); svc_assignments_next(&rest, &role, &on);)
      n += role.p[0] == '@' || (active && svc_str_is(role, "ORG_OWNER"));
  }
  return n;
}

/* Returns the number of unpaid invoices. */
static size_t whole_owed(whole *w)
{
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  svc_key prefix;
  size_t n = 0;
  svc_key_entity(&prefix, "invo", NULL, NULL);
  svc_scan_below(&scan, w->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    n += svc_str_is(svc_json_member(e.body, SVC_S("statusName")), "\"CLOSED\"");
  }
  return n;
}

static size_t whole_made(whole *w)
{
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  svc_key prefix;
  size_t n = 0;
  svc_key_entity(&prefix, "org.", NULL, NULL);
  svc_scan_below(&scan, w->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    n += e.extra.n == 12; /* counted by the first organization of its family, which may be deleted */
  }
  return n;
}

static void whole_run_end(whole *w)
{
  if (w->run_length) whole_run_is(w, w->run, w->run_length);
  memset(w->run, 0, sizeof w->run);
  w->run_length = 0;
}

/* --- b, l: the ledger */

static int64_t ledger_until(svc_str value)
{
  int64_t until;
  munit_assert_size(value.n, >=, SVC_KIND_SIZE + 16);
  memcpy(&until, value.p + SVC_KIND_SIZE + 8, sizeof until);
  return until;
}

static void whole_line(whole *w, svc_str key, svc_str value)
{
  svc_scope scope;
  munit_assert_size(key.n, ==, WHOLE_LEDGER);
  if (ledger_until(value)) return;
  memcpy(scope.org.b, key.p + 1, 12);
  memcpy(scope.group.b, key.p + 17, 12);
  whole_place(w, &scope, NULL);
  munit_assert_true(whole_has(w, value.p, key.p + 41)); /* the resource of an open line exists */
  w->open_lines++;
}

/* An open line refers to its line, which waits for the end of its month. The calendar ends in the year 9999. */
static void whole_open_line(whole *w, svc_str key, svc_str value)
{
  svc_due_entry due;
  svc_key other;
  unsigned month = 0;
  int i;
  munit_assert_true(key.n == 1 + 12 + 1 && value.n == 48);
  svc_key_begin(&other, 'b');
  svc_key_add(&other, value.p, 40); /* organization, month, project, top */
  svc_key_add(&other, key.p + 1, 12);
  svc_key_add(&other, value.p + 40, 8); /* since */
  svc_key_add(&other, key.p + 13, 1);
  munit_assert_int64(ledger_until(whole_get(w, &other)), ==, 0);
  for (i = 0; i < 4; i++) month = month << 8 | (unsigned char)value.p[12 + i];
  if (month == 999912) return;
  memset(&due, 0, sizeof due);
  due.when = svc_day_ms((month % 100 == 12 ? month + 89 : month + 1) * 100 + 1);
  memcpy(due.kind, "-mtr", SVC_KIND_SIZE);
  memcpy(due.id.b, key.p + 1, 12);
  due.tag = (unsigned char)key.p[13];
  svc_key_due(&other, &due);
  whole_get(w, &other);
}

/* --- o, q, w: orders */

static void whole_order(whole *w, svc_str key, svc_str value)
{
  svc_entity e;
  svc_key other;
  svc_str found;
  svc_id parent, id;
  uint64_t taken_by;
  int64_t not_before;
  munit_assert_size(key.n, ==, WHOLE_ENTITY);
  munit_assert_size(value.n, >=, 34);
  memcpy(parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
  memcpy(id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  if (svc_entity_get(w->txn, key.p + 1, &parent, &id, &e) != SVC_OK) /* only the order to delete outlives its entity */
    munit_assert_not_null(svc_noun_by_kind(w->s, key.p + 1)->noun->order_gone);
  svc_key_begin(&other, 'q');
  svc_key_add(&other, value.p, 12);
  found = whole_get(w, &other);
  munit_assert_true(svc_str_eq(found, (svc_str){ key.p + 1, key.n - 1 }));
  memcpy(&taken_by, value.p + 12, sizeof taken_by);
  memcpy(&not_before, value.p + 20, sizeof not_before);
  svc_key_begin(&other, 'w');
  svc_key_time(&other, not_before);
  svc_key_add(&other, value.p, 12);
  munit_assert_int(svc_get(w->txn, &other, &found), ==, taken_by ? SVC_NOT_FOUND : SVC_OK);
  w->waiting += taken_by == 0;
}

static void whole_meta(whole *w, svc_str key, svc_str value)
{
  (void)w;
  if (svc_str_is(key, "mschema")) munit_assert_size(value.n, ==, 4);
  if (svc_str_is(key, "mids")) munit_assert_size(value.n, ==, 12);
}

/* --- all of them */

static void whole_class(whole *w, char letter, void (*check)(whole *w, svc_str key, svc_str value))
{
  svc_scan scan;
  svc_str key, value;
  whole_scan(w, &scan, letter);
  while (svc_scan_next(&scan, &key, &value)) {
    check(w, key, value);
    w->records[(int)letter]++;
  }
  munit_assert_int(w->txn->error, ==, SVC_OK);
}

/* Scans all records except those that the port keeps for itself. */
static void everything(svc_scan *scan, svc_txn *txn)
{
  svc_key first;
  svc_key_begin(&first, 1);
  svc_scan_below(scan, txn, &first, false);
  svc_key_begin(&scan->to, (char)0xFF);
}

/* Checks that there is no record of an unknown class. */
static void whole_nothing_else(whole *w)
{
  svc_scan scan;
  svc_str key, value;
  size_t n = 0, known = 0, i;
  for (i = 0; i < 128; i++) known += w->records[i];
  everything(&scan, w->txn);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_not_null(strchr("abcdeghijlmoqrtuw", key.p[0]));
    n += key.p[0] != 'q' && key.p[0] != 'w'; /* checked through their orders */
  }
  munit_assert_size(n, ==, known);
}

static size_t whole_number(whole *w, char letter)
{
  svc_scan scan;
  svc_str key, value;
  size_t n = 0;
  whole_scan(w, &scan, letter);
  while (svc_scan_next(&scan, &key, &value)) n++;
  return n;
}

/* Checks that every index record leads to an entity, every entity has its index records, and every count is right. Returns the number
** of projects. */
size_t store_whole(svc *s)
{
  whole w;
  memset(&w, 0, sizeof w);
  w.s = s;
  whole_room(&w, 1024);
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &w.txn), ==, SVC_OK);
  whole_class(&w, 'e', whole_entity);
  qsort(w.entities, w.entity_count, 16, by_16);
  whole_counts(&w);
  whole_places(&w);
  whole_class(&w, 'h', whole_holding);
  whole_run_end(&w);
  whole_class(&w, 'a', whole_listed);
  whole_run_end(&w);
  munit_assert_size(w.records['a'], ==, w.records['h'] + whole_listings_of_members(&w) + whole_made(&w) + whole_owed(&w));
  whole_class(&w, 'c', whole_count);
  whole_all_dues(&w);
  whole_class(&w, 'i', whole_retry);
  whole_retries(&w);
  whole_class(&w, 'g', whole_by_id);
  whole_class(&w, 'u', whole_unique);
  whole_class(&w, 'r', whole_ref);
  whole_tallies(&w);
  whole_class(&w, 'b', whole_line);
  whole_class(&w, 'l', whole_open_line);
  whole_class(&w, 'o', whole_order);
  whole_class(&w, 'm', whole_meta);
  munit_assert_size(w.records['u'], ==, w.uniques);
  munit_assert_size(w.records['g'], ==, w.by_id);
  munit_assert_size(w.dues, ==, 0); /* as many records as dates */
  munit_assert_size(w.records['i'], ==, w.tries);
  munit_assert_size(w.records['l'], ==, w.open_lines);
  munit_assert_size(w.months, <=, w.records['l']);
  munit_assert_size(whole_number(&w, 'q'), ==, w.records['o']);
  munit_assert_size(whole_number(&w, 'w'), ==, w.waiting);
  whole_nothing_else(&w);
  munit_assert_int(w.txn->error, ==, SVC_OK);
  s->commit.port->read_end(w.txn);
  free(w.entities);
  free(w.groups);
  free(w.ids);
  return w.projects;
}

uint64_t store_print(svc *s)
{
  svc_txn *txn;
  svc_scan scan;
  svc_str key, value;
  uint64_t h = 0xcbf29ce484222325u;
  size_t i;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  everything(&scan, txn);
  while (svc_scan_next(&scan, &key, &value)) {
    for (i = 0; i < key.n; i++) h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3u;
    for (i = 0; i < value.n; i++) h = (h ^ (unsigned char)value.p[i]) * 0x100000001b3u;
  }
  munit_assert_int(txn->error, ==, SVC_OK);
  s->commit.port->read_end(txn);
  return h;
}

/* -------------------------------------------------------------------------------------------------------------- reopening */

static svc_config at_path(const char *path)
{
  svc_config config;
  memset(&config, 0, sizeof config);
  config.path = path;
  config.limiter_off = 1;
  return config;
}

TEST(store, reopens)
{
  char path[128], org[25], first[25], second[25], etag[64];
  static const char *const names[] = { "beta", "gamma", "n0", "n1", "n2" };
  svc_config config;
  t_service t;
  uint64_t print;
  int i;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  strcpy(first, t_project(&t, org, "alpha"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", first), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", first), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", first), ==, 200);
  strcpy(etag, t_get_header(&t, "ETag"));
  t_reopen(&t, &config); /* closing stores the last id */
  print = store_print(t.s);
  for (i = 0; i < 3; i++) { /* opening alone changes nothing */
    t_reopen(&t, &config);
    munit_assert_true(store_print(t.s) == print);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", first), ==, 200);
  munit_assert_string_equal(t_str(&t, "name"), "beta");
  munit_assert_string_equal(t_str(&t, "orgId"), org);
  munit_assert_string_equal(t_get_header(&t, "ETag"), etag);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/beta", NULL), ==, 200);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/alpha", NULL), ==, 404);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/privateIpMode", first), ==, 200);
  munit_assert_string_equal(t_str(&t, "enabled"), "true");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events", first), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(&t, "results[2].eventTypeName"), "GROUP_CREATED");

  t_advance(&t, -86400); /* the clock steps back, and the next id is still greater */
  strcpy(second, t_project(&t, org, "gamma"));
  munit_assert_int(strcmp(second, first), >, 0);
  munit_assert_string_equal(t_str(&t, "created"), "2025-05-31T00:00:00Z");
  for (i = 0; i < 3; i++) { /* revisions rise, too: an old ETag never matches again */
    char body[32];
    t_reopen(&t, &config);
    strcpy(first, second);
    strcpy(second, t_project(&t, org, i == 0 ? "x" : i == 1 ? "y" : "z"));
    munit_assert_int(strcmp(second, first), >, 0);
    snprintf(body, sizeof body, "{\"name\":\"n%d\"}", i);
    munit_assert_int(t_sendf(&t, "PATCH", body, "/groups/%s", second), ==, 200);
    munit_assert_string_not_equal(t_get_header(&t, "ETag"), etag);
    munit_assert_llong(strtoll(t_get_header(&t, "ETag") + 1, NULL, 16), >, strtoll(etag + 1, NULL, 16));
    strcpy(etag, t_get_header(&t, "ETag"));
  }
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 5);
  for (i = 0; i < 5; i++) { /* in the order of creation */
    char place[32];
    snprintf(place, sizeof place, "results[%d].name", i);
    munit_assert_string_equal(t_str(&t, place), names[i]);
  }
  munit_assert_size(store_whole(t.s), ==, 5);
  t_close(&t);
  store_remove(path);
}

/* Returns the letters of the classes that have records. */
static const char *classes(svc *s)
{
  static char out[32];
  svc_txn *txn;
  svc_scan scan;
  svc_str key, value;
  size_t n = 0;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  everything(&scan, txn);
  while (svc_scan_next(&scan, &key, &value))
    if (n == 0 || out[n - 1] != key.p[0]) out[n++] = key.p[0];
  out[n] = 0;
  s->commit.port->read_end(txn);
  return out;
}

#define CLUSTER "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":" \
                "{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define ROLE(name, inherited) "{\"roleName\":\"" name "\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"cluster\":false," \
                              "\"collection\":\"c\",\"db\":\"d\"}]}],\"inheritedRoles\":[" inherited "]}"

/* Creates records of most classes and deletes them, with a check of the whole store after each step. */
TEST(store, classes)
{
  char path[128], org[25], group[25];
  t_driver d;
  svc_config config;
  t_service t;
  int i;
  store_folder(path);
  config = at_path(path);
  config.driver = t_driver_init(&d);
  t_driver_refuses(&d, "", SVC_BUSY);
  t_open(&t, &config);
  munit_assert_string_equal(classes(t.s), "m");
  t_header(&t, "Idempotency-Key", "once");
  strcpy(org, t_organization(&t, "Acme"));
  t_headers_clear(&t);
  strcpy(group, t_project(&t, org, "alpha"));
  munit_assert_int(t_sendf(&t, "POST", ROLE("base", ""), "/groups/%s/customDBRoles/roles", group), ==, 202);
  munit_assert_int(t_sendf(&t, "POST", ROLE("more", "{\"db\":\"admin\",\"role\":\"base\"}"),
                           "/groups/%s/customDBRoles/roles", group), ==, 202);
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", group), ==, 201);
  munit_assert_string_equal(classes(t.s), "bcdegijlmoqruw");
  store_whole(t.s);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* the driver is busy: the order stays queued */
  munit_assert_string_equal(classes(t.s), "bcdegijlmoqruw");
  store_whole(t.s);
  t_driver_takes(&d, "");
  t_advance(&t, 10);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* the driver accepts the order */
  munit_assert_string_equal(classes(t.s), "bcdegijlmoqru");
  store_whole(t.s);
  t_reopen(&t, &config); /* opening queues the order again */
  munit_assert_string_equal(classes(t.s), "bcdegijlmoqruw");
  store_whole(t.s);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK);
  for (i = 0; i < d.orders && i < T_ORDERS_KEPT; i++) /* orders for the cluster, and for both roles */
    munit_assert_int(svc_order_done(t.s, d.kept[i].id, SVC_OK, NULL), ==, SVC_OK);
  munit_assert_string_equal(classes(t.s), "bcdegijlmru");
  store_whole(t.s);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/c", group), ==, 202);
  munit_assert_string_equal(classes(t.s), "bcdegijlmoqruw");
  store_whole(t.s);
  config.driver = NULL;
  t_reopen(&t, &config); /* without a driver the simulator does the work */
  munit_assert_string_equal(classes(t.s), "bcdegijlmru");
  store_whole(t.s);
  t_advance(&t, 10);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* the cluster is deleted, and its line in the ledger closed */
  munit_assert_string_equal(classes(t.s), "bcdegijmru");
  store_whole(t.s);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/customDBRoles/roles/more", group), ==, 204);
  munit_assert_string_equal(classes(t.s), "bcdegijmu");
  store_whole(t.s);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_string_equal(classes(t.s), "bcdegijmu"); /* the organization is indexed in its federation */
  munit_assert_size(store_whole(t.s), ==, 0);
  t_advance(&t, 86400);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  munit_assert_string_equal(classes(t.s), "bm"); /* costs are kept */
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
}

TEST(store, private)
{
  char path[128];
  t_service t, other;
  const char *org;
  store_folder(path);
  munit_assert_int(setenv("TMPDIR", path, 1), ==, 0);
  t_open(&t, NULL);
  munit_assert_int(folder_count(path), ==, 0);
  org = t_organization(&t, "Acme");
  t_project(&t, org, "alpha");
  munit_assert_int(folder_count(path), ==, 0);
  t_open(&other, NULL); /* a second store is separate from the first */
  munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&other, "totalCount"), ==, 0);
  munit_assert_int(folder_count(path), ==, 0);
  t_close(&other);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/alpha", NULL), ==, 200);
  t_close(&t);
  munit_assert_int(folder_count(path), ==, 0);
  t_open(&t, NULL);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  t_close(&t);
  store_remove(path);
  munit_assert_int(setenv("TMPDIR", path, 1), ==, 0); /* the folder is deleted: another one is used */
  t_open(&t, NULL);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  t_close(&t);
  unsetenv("TMPDIR");
}

/* ------------------------------------------------------------------------------------------------------------- refusals */

static char refused_log[2048];

static void refused_line(void *context, int level, const char *text)
{
  size_t n = strlen(refused_log);
  (void)context;
  munit_assert_int(level, ==, SVC_LOG_ERROR);
  snprintf(refused_log + n, sizeof refused_log - n, "%s\n", text);
}

static int refused_open(const char *path)
{
  svc_config config = at_path(path);
  svc *s = (svc *)&config;
  int rc;
  refused_log[0] = 0;
  config.log = refused_line;
  rc = svc_open(&s, &config);
  if (rc == SVC_OK) svc_close(s);
  else munit_assert_null(s);
  return rc;
}

/* Writes a record into a store without the library. */
static void put_raw(const char *path, svc_str key, svc_str value)
{
  const svc_store_port *port = svc_lmdb_port();
  svc_config config = at_path(path);
  svc_store *store;
  svc_txn *txn;
  char why[256] = "";
  if (port->open(&store, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
  munit_assert_int(port->write_begin(store, &txn), ==, SVC_OK);
  munit_assert_int(port->put(txn, key, value), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  port->close(store);
}

/* Expects the store to be refused twice with this message in the log, and to stay unchanged. */
static void schema_refused(const char *path, uint32_t schema, int expected, const char *words)
{
  char *before, *after;
  size_t before_size, after_size;
  put_raw(path, SVC_S("mschema"), (svc_str){ (const char *)&schema, sizeof schema });
  before = file_read(path, "data.mdb", &before_size);
  munit_assert_int(refused_open(path), ==, expected);
  munit_assert_string_equal(refused_log, words);
  munit_assert_int(refused_open(path), ==, expected); /* and the folder is released */
  after = file_read(path, "data.mdb", &after_size);
  munit_assert_size(after_size, ==, before_size);
  munit_assert_memory_equal(before_size, after, before);
  free(before);
  free(after);
}

TEST(store, schema)
{
  static const char newer[] = "the store cannot be used: the store was written by a newer version of this library\n";
  static const char older[] = "the store cannot be used: the store was written by an older version of this library, "
                              "in a format that must be upgraded first: svcd --upgrade\n";
  const uint32_t now = 5;
  char path[128];
  svc_config config;
  t_service t;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  t_organization(&t, "Acme");
  t_close(&t);
  schema_refused(path, 6, SVC_NEWER, newer);
  schema_refused(path, UINT32_MAX, SVC_NEWER, newer);
  schema_refused(path, SVC_STORE_UPGRADING | 5, SVC_NEWER, newer); /* a newer version has begun to upgrade it */
  schema_refused(path, SVC_STORE_UPGRADING | 4, SVC_OLDER, older);
  schema_refused(path, 4, SVC_OLDER, older);
  schema_refused(path, 2, SVC_OLDER, older);
  schema_refused(path, 1, SVC_OLDER, older);
  schema_refused(path, 0, SVC_OLDER, older);
  put_raw(path, SVC_S("mschema"), SVC_S("?"));
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  put_raw(path, SVC_S("mschema"), (svc_str){ (const char *)&now, sizeof now });
  t_open(&t, &config); /* only the format number was wrong */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
}

TEST(store, garbage)
{
  static unsigned char bytes[65536];
  char path[128], *after;
  size_t size;
  store_folder(path);
  munit_rand_memory(sizeof bytes, bytes);
  file_write(path, "data.mdb", bytes, sizeof bytes);
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  munit_assert_not_null(strstr(refused_log, path));
  after = file_read(path, "data.mdb", &size);
  munit_assert_size(size, ==, sizeof bytes);
  munit_assert_memory_equal(size, after, bytes);
  free(after);
  file_write(path, "data.mdb", "garbage", 7);
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  munit_assert_not_null(strstr(refused_log, path));
  store_remove(path);

  store_folder(path); /* an LMDB store of another program */
  put_raw(path, SVC_S("their key"), SVC_S("their value"));
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  put_raw(path, SVC_S("\xFF"), SVC_S("")); /* still not a store of svcapi */
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  store_remove(path);

  store_folder(path);
  snprintf((char *)bytes, 256, "%s/data.mdb", path);
  munit_assert_int(mkdir((char *)bytes, 0700), ==, 0);
  munit_assert_int(refused_open(path), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, path));
  store_remove(path);
}

/* The first page of LMDB, as a machine with this word and byte order writes it: the head of a page, the magic, the version. */
static void foreign_page(unsigned char page[4096], size_t word, bool big)
{
  static const unsigned char magic[4] = { 0xBE, 0xEF, 0xC0, 0xDE }, version[4] = { 0, 0, 0, 1 };
  size_t i;
  memset(page, 0, 4096);
  page[word + (big ? 3 : 2)] = 8; /* the flag of a meta page */
  for (i = 0; i < 4; i++) {
    page[word + 8 + i] = magic[big ? i : 3 - i];
    page[word + 12 + i] = version[big ? i : 3 - i];
  }
}

/* The store of another machine is not called damaged: the log names the difference and the way out, and the file stays as it is. */
TEST(store, foreign)
{
  static unsigned char page[4096];
  const uint32_t one = 1;
  const bool ours = *(const unsigned char *)&one == 0;
  char path[128], copy[160], *after;
  size_t word, size;
  int big, found = 0;
  SKIP_IF(!T_ON_LMDB);
  for (word = 4; word <= 8; word += 4)
    for (big = 0; big < 2; big++) {
      bool own = word == sizeof(size_t) && (bool)big == ours, same = (bool)big == ours;
      store_folder(path);
      foreign_page(page, word, big);
      file_write(path, "data.mdb", page, sizeof page);
      munit_assert_int(refused_open(path), ==, own ? SVC_CORRUPT : SVC_INVALID);
      munit_assert_int(strstr(refused_log, "svcd export there and svcd import here") != NULL, ==, !own);
      munit_assert_int(strstr(refused_log, "svc_snapshot_save()") != NULL, ==, !own && same);
      munit_assert_int(strstr(refused_log, big ? "bits, big-endian, wrote" : "bits, little-endian, wrote") != NULL, ==, !own);
      munit_assert_int(strstr(refused_log, word == 8 ? "with 64 bits" : "with 32 bits") != NULL, ==, !own);
      munit_assert_int(strstr(refused_log, "damaged") != NULL, ==, own);
      munit_assert_not_null(strstr(refused_log, path));
      after = file_read(path, "data.mdb", &size);
      munit_assert_size(size, ==, sizeof page);
      munit_assert_memory_equal(size, after, page);
      free(after);
      snprintf(copy, sizeof copy, "%s/copy", path);
      munit_assert_int(svc_backup_of(path, copy), ==, own ? SVC_CORRUPT : SVC_INVALID);
      found += !own;
      store_remove(path);
    }
  munit_assert_int(found, ==, 3);
}

TEST(store, no_folder)
{
  static char longest[6000];
  char path[128], below[256];
  store_folder(path);
  file_write(path, "file", "x", 1);
  snprintf(below, sizeof below, "%s/file", path); /* not a folder */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  snprintf(below, sizeof below, "%s/file/store", path); /* cannot be created */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  snprintf(below, sizeof below, "%s/no/store", path); /* a single level is created, not two */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  munit_assert_int(refused_open(""), ==, SVC_IO);
  memset(longest, 'x', sizeof longest - 1);
  longest[0] = '/';
  munit_assert_int(refused_open(longest), ==, SVC_IO);
  munit_assert_char(refused_log[0], !=, 0);
  snprintf(below, sizeof below, "%s/store", path); /* is created, for its owner only */
  munit_assert_int(refused_open(below), ==, SVC_OK);
  munit_assert_string_equal(refused_log, "");
  {
    struct stat st;
    munit_assert_int(stat(below, &st), ==, 0);
    munit_assert_int((int)(st.st_mode & 0777), ==, 0700);
    snprintf(below, sizeof below, "%s/store/data.mdb", path);
    munit_assert_int(stat(below, &st), ==, 0);
    munit_assert_int((int)(st.st_mode & 0777), ==, 0600);
  }
  store_remove(path);
}

/* ------------------------------------------------------------------------------------------------------ held by one only */

/* Returns the code that another process gets. */
static int opened_by_child(const char *path)
{
  pid_t child = fork();
  int status = 0;
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    svc_config config = at_path(path);
    svc *s;
    int rc = svc_open(&s, &config);
    if (rc == SVC_OK) svc_close(s);
    _exit(100 + rc);
  }
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  munit_assert_true(WIFEXITED(status));
  return WEXITSTATUS(status) - 100;
}

TEST(store, busy)
{
  char path[128];
  svc_config config;
  t_service t;
  pid_t child;
  int status;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  munit_assert_int(refused_open(path), ==, SVC_BUSY);
  munit_assert_not_null(strstr(refused_log, path));
  munit_assert_int(opened_by_child(path), ==, SVC_BUSY);
  munit_assert_int(refused_open(path), ==, SVC_BUSY); /* the refused process did not release the holder's lock */
  munit_assert_int(opened_by_child(path), ==, SVC_BUSY);
  t_organization(&t, "Acme");
  t_close(&t);
  munit_assert_int(opened_by_child(path), ==, SVC_OK);
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  child = fork(); /* a child of the host that lives on, and does not use the handle, does not hold the store */
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    sleep(60);
    _exit(0);
  }
  t_close(&t);
  munit_assert_int(refused_open(path), ==, SVC_OK);
  munit_assert_int(kill(child, SIGKILL), ==, 0);
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  store_remove(path);
}

/* ------------------------------------------------------------------------------------------------------- a killed writer */

/* Lets a thread send its own requests through the shared handle. */
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

enum { KILL_THREADS = 3 };

typedef struct kill_line {
  char what; /* 'c': created; 'd': about to be deleted; 'D': deleted */
  char id[24];
} kill_line;

typedef struct kill_writer {
  t_service t;
  int number, round, out;
  char org[25];
} kill_writer;

static void kill_say(kill_writer *w, char what, const char *id)
{
  kill_line line;
  line.what = what;
  memcpy(line.id, id, 24);
  if (write(w->out, &line, sizeof line) != (ssize_t)sizeof line) _exit(4);
}

static void *kill_write(void *context)
{
  kill_writer *w = context;
  char id[25], body[160];
  int i;
  for (i = 0;; i++) {
    snprintf(body, sizeof body, "{\"name\":\"p-%d-%d-%d\",\"orgId\":\"%s\"}", w->round, w->number, i, w->org);
    if (t_send(&w->t, "POST", "/groups", body) != 201) _exit(5);
    strcpy(id, t_str(&w->t, "id"));
    kill_say(w, 'c', id);
    if (i % 4) continue;
    kill_say(w, 'd', id);
    if (t_sendf(&w->t, "DELETE", NULL, "/groups/%s", id) != 202) _exit(6);
    kill_say(w, 'D', id);
  }
  return NULL;
}

static void kill_child(const svc_config *config, const char *org, int round, int out)
{
  static kill_writer writers[KILL_THREADS];
  static t_service t;
  pthread_t threads[KILL_THREADS];
  int i;
  t_open(&t, config);
  for (i = 0; i < KILL_THREADS; i++) {
    kill_writer *w = &writers[i];
    share(&w->t, &t);
    w->number = i;
    w->round = round;
    w->out = out;
    strcpy(w->org, org);
    if (pthread_create(&threads[i], NULL, kill_write, w) != 0) _exit(7);
  }
  for (;;) pause();
}

/* Lets the child write until `enough` lines have arrived, kills it, and reads the rest. */
static size_t kill_round(const svc_config *config, const char *org, int round, size_t enough, kill_line *lines, size_t most)
{
  int pipes[2], status;
  size_t n = 0, bytes = 0;
  bool killed = false;
  pid_t child;
  munit_assert_int(pipe(pipes), ==, 0);
  child = fork();
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    close(pipes[0]);
    kill_child(config, org, round, pipes[1]);
  }
  close(pipes[1]);
  for (;;) {
    ssize_t got = read(pipes[0], (char *)lines + bytes, most * sizeof *lines - bytes);
    if (got <= 0) break;
    bytes += (size_t)got;
    n = bytes / sizeof *lines;
    munit_assert_size(n, <, most);
    if (n >= enough && !killed) {
      munit_assert_int(kill(child, SIGKILL), ==, 0);
      killed = true;
    }
  }
  munit_assert_true(killed);
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  munit_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  close(pipes[0]);
  return n;
}

static void kill_check(t_service *t, const kill_line *lines, size_t n)
{
  size_t i, j;
  for (i = 0; i < n; i++) {
    char last = lines[i].what;
    int status;
    if (last != 'c') continue;
    for (j = i + 1; j < n; j++)
      if (memcmp(lines[i].id, lines[j].id, 24) == 0) last = lines[j].what;
    status = t_sendf(t, "GET", NULL, "/groups/%.24s", lines[i].id);
    if (last == 'c') munit_assert_int(status, ==, 200);
    else if (last == 'D') munit_assert_int(status, ==, 404);
    else munit_assert_true(status == 200 || status == 404); /* the delete was in progress */
  }
}

TEST(store, killed)
{
  enum { MOST = 100000 };
  static kill_line lines[MOST];
  char path[128], org[25], name[32], id[25], last[25] = "";
  svc_config config;
  t_service t;
  size_t i;
  int round;
  SKIP_IF(getenv("SVC_TEST_QEMU"));
  store_folder(path);
  config = at_path(path);
  config.map_size = 65536; /* so that the store also grows */
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  t_close(&t);
  for (round = 0; round < 12; round++) {
    size_t n;
    config.durability = round % 3; /* all three levels survive the end of a process */
    n = kill_round(&config, org, round, (size_t)munit_rand_int_range(1, 500), lines, MOST);
    t_open(&t, &config);
    kill_check(&t, lines, n);
    snprintf(name, sizeof name, "after-%d", round); /* ids continue to rise above all that were given out */
    strcpy(id, t_project(&t, org, name));
    for (i = 0; i < n; i++) munit_assert_int(memcmp(id, lines[i].id, 24), >, 0);
    munit_assert_int(strcmp(id, last), >, 0);
    strcpy(last, id);
    munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, (int64_t)store_whole(t.s));
    t_close(&t);
  }
  store_remove(path);
}

/* --------------------------------------------------------------------------------------------------------------- backup */

typedef struct backup_writer {
  t_service t;
  const char *org;
  int number;
  atomic_int *stop, *done;
} backup_writer;

static void *backup_write(void *context)
{
  backup_writer *w = context;
  char body[160];
  int i;
  for (i = 0; !atomic_load(w->stop); i++) {
    snprintf(body, sizeof body, "{\"name\":\"p-%d-%d\",\"orgId\":\"%s\"}", w->number, i, w->org);
    munit_assert_int(t_send(&w->t, "POST", "/groups", body), ==, 201);
    atomic_fetch_add(w->done, 1);
  }
  svc_response_free(&w->t.response);
  svc_blocks_free(w->t.arena.blocks);
  return NULL;
}

TEST(store, backup)
{
  static backup_writer writers[2];
  char path[128], copy[192], file[224];
  struct stat st;
  const char *org;
  pthread_t threads[2];
  atomic_int stop, done;
  svc_config config;
  t_service t, other;
  int i, before, after;
  atomic_init(&stop, 0);
  atomic_init(&done, 0);
  store_folder(path);
  t_open(&t, &(svc_config){ .limiter_off = 1, .map_size = 65536 });
  org = t_organization(&t, "Acme");
  for (i = 0; i < 2; i++) {
    share(&writers[i].t, &t);
    writers[i].org = org;
    writers[i].number = i;
    writers[i].stop = &stop;
    writers[i].done = &done;
    munit_assert_int(pthread_create(&threads[i], NULL, backup_write, &writers[i]), ==, 0);
  }
  for (i = 0; i < 5; i++) {
    size_t projects;
    while (atomic_load(&done) < (i + 1) * 50) usleep(1000);
    snprintf(copy, sizeof copy, "%s/copy%d", path, i);
    before = atomic_load(&done);
    munit_assert_int(svc_backup(t.s, copy), ==, SVC_OK);
    after = atomic_load(&done) + 2; /* two may be stored but not yet counted */
    snprintf(file, sizeof file, "%s/data.mdb", copy);
    munit_assert_int(stat(file, &st), ==, 0);
    munit_assert_int((int)(st.st_mode & 0777), ==, 0600);
    config = at_path(copy);
    t_open(&other, &config);
    projects = store_whole(other.s);
    munit_assert_size(projects, >=, (size_t)before);
    munit_assert_size(projects, <=, (size_t)after);
    munit_assert_int(t_send(&other, "GET", "/groups/byName/p-0-0", NULL), ==, 200);
    munit_assert_int(t_send(&other, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
    munit_assert_int64(t_int(&other, "totalCount"), ==, (int64_t)projects);
    munit_assert_int(t_send(&other, "POST", "/orgs", "{\"name\":\"Other\"}"), ==, 201); /* a normal store */
    t_close(&other);
  }
  munit_assert_int(svc_backup(t.s, copy), ==, SVC_EXISTS); /* the folder already has a store, which stays unchanged */
  munit_assert_not_null(strstr(t.log, copy)); /* the log has the reason */
  munit_assert_not_null(strstr(t.log, "already holds a store"));
  t_open(&other, &config);
  munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&other, "totalCount"), ==, 2);
  munit_assert_int(svc_backup(t.s, copy), !=, SVC_OK); /* also if that store is in use */
  munit_assert_int(svc_backup(t.s, path), ==, SVC_OK); /* an existing folder without a store */
  atomic_store(&stop, 1);
  for (i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  munit_assert_size(store_whole(t.s), ==, (size_t)atomic_load(&done));
  munit_assert_int(svc_backup(t.s, ""), ==, SVC_INVALID);
  munit_assert_int(svc_backup(t.s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_backup(NULL, path), ==, SVC_INVALID);
  snprintf(copy, sizeof copy, "%s/no/copy", path);
  munit_assert_int(svc_backup(t.s, copy), ==, SVC_IO);
  snprintf(copy, sizeof copy, "%s/data.mdb/copy", path);
  munit_assert_int(svc_backup(t.s, copy), ==, SVC_IO);
  t_close(&other);
  t_close(&t);
  store_remove(path);
}

/* A process that writes until it is killed, and sends a byte for each project. */
static void backup_child(const char *path, int out)
{
  svc_config config = at_path(path);
  const char *org;
  char body[160];
  t_service t;
  int i;
  config.map_size = 65536; /* so that the store grows repeatedly */
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  for (i = 0;; i++) {
    snprintf(body, sizeof body, "{\"name\":\"p-%d\",\"orgId\":\"%s\"}", i, org);
    if (t_send(&t, "POST", "/groups", body) != 201 || write(out, "p", 1) != 1) _exit(1);
  }
}

static void backup_await(int in, int projects)
{
  char byte;
  while (projects-- > 0) munit_assert_int((int)read(in, &byte, 1), ==, 1);
}

/* A copy of a store that another process holds and writes is complete, has the last commit, and continues the numbers. */
TEST(store, backup_of)
{
  char path[128], copy[192], old[64];
  svc_config config;
  t_service other;
  pid_t child;
  int pipes[2], i;
  store_folder(path);
  munit_assert_int(pipe(pipes), ==, 0);
  child = fork();
  if (child == 0) backup_child(path, pipes[1]);
  for (i = 1; i <= 5; i++) {
    backup_await(pipes[0], 40);
    snprintf(copy, sizeof copy, "%s/copy%d", path, i);
    munit_assert_int(svc_backup_of(path, copy), ==, SVC_OK);
    munit_assert_int(svc_backup_of(path, copy), ==, SVC_EXISTS);
    config = at_path(copy);
    t_open(&other, &config);
    munit_assert_size(store_whole(other.s), >=, (size_t)i * 40);
    munit_assert_int(svc_check_store(other.s, NULL, NULL), ==, SVC_OK);
    munit_assert_int(t_send(&other, "GET", "/groups/byName/p-39", NULL), ==, 200);
    snprintf(old, sizeof old, "%s", t_get_header(&other, "ETag"));
    munit_assert_int(t_sendf(&other, "PATCH", "{\"name\":\"other\"}", "/groups/%s", t_keep(&other, t_str(&other, "id"))), ==, 200);
    munit_assert_ullong(strtoull(t_get_header(&other, "ETag") + 1, NULL, 16) >> 20, >, strtoull(old + 1, NULL, 16) >> 20);
    t_close(&other);
  }
  kill(child, SIGKILL);
  munit_assert_int(waitpid(child, NULL, 0), ==, child);
  close(pipes[0]);
  close(pipes[1]);
  config = at_path(path); /* no temporary file was left behind */
  t_open(&other, &config);
  munit_assert_int(svc_check_store(other.s, NULL, NULL), ==, SVC_OK);
  t_close(&other);
  snprintf(copy, sizeof copy, "%s/none", path);
  munit_assert_int(svc_backup_of(copy, path), ==, SVC_IO);
  munit_assert_int(svc_backup_of(NULL, copy), ==, SVC_INVALID);
  munit_assert_int(svc_backup_of(path, ""), ==, SVC_INVALID);
  store_remove(path);
}

/* A program that the host starts inherits none of the store's files, with their locks and disk space. */
TEST(store, close_on_exec)
{
  char path[128], name[64], target[256];
  const char *last;
  svc_config config;
  t_service t, own;
  int fd, files = 0;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  t_open(&own, NULL);
  for (fd = 0; fd < 1024; fd++) {
    ssize_t n;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    n = readlink(name, target, sizeof target - 1);
    if (n <= 0) continue;
    target[n] = '\0';
    last = strrchr(target, '/'); /* the folder's name may contain svcapi, too, and other files in it belong to the test */
    if (!last || (!strstr(last, ".mdb") && strncmp(last, "/svcapi.", 8) != 0)) continue;
    files++;
    if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC)) munit_errorf("a child process inherits %s", target);
  }
  munit_assert_int(files, >=, 5); /* data.mdb and lock.mdb of both, svcapi.lock of one */
  t_close(&own);
  t_close(&t);
  store_remove(path);
}

typedef struct backup_race {
  svc *s;
  const char *path;
  pthread_t thread;
  int rc;
} backup_race;

static void *backup_to(void *context)
{
  backup_race *b = context;
  b->rc = svc_backup(b->s, b->path);
  return NULL;
}

/* Of two backups into the same folder at once only one succeeds, and the caller that got SVC_OK finds it there. */
TEST(store, backup_twice)
{
  char path[128], copy[192];
  svc_config config;
  backup_race b[2];
  t_service t, other;
  int i, j;
  store_folder(path);
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  t_organization(&t, "Acme");
  for (i = 0; i < 20; i++) {
    snprintf(copy, sizeof copy, "%s/copy%d", path, i);
    for (j = 0; j < 2; j++) {
      b[j] = (backup_race){ .s = t.s, .path = copy };
      munit_assert_int(pthread_create(&b[j].thread, NULL, backup_to, &b[j]), ==, 0);
    }
    for (j = 0; j < 2; j++) munit_assert_int(pthread_join(b[j].thread, NULL), ==, 0);
    munit_assert_int(b[0].rc + b[1].rc, ==, SVC_OK + SVC_EXISTS);
    config = at_path(copy);
    t_open(&other, &config);
    munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
    munit_assert_int64(t_int(&other, "totalCount"), ==, 1);
    t_close(&other);
  }
  t_close(&t);
  store_remove(path);
}

/* An ETag from the original store must not match another state in the copy. */
TEST(store, backup_tags)
{
  char path[128], copy[160], org[25], group[25], seen[80][32];
  svc_config config;
  t_service t;
  int i, j, n = 0;
  store_folder(path);
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  strcpy(org, t_organization(&t, "Acme"));
  strcpy(group, t_project(&t, org, "alpha"));
  for (i = 0; i < 80; i++) {
    char body[32];
    if (i == 40) {
      snprintf(copy, sizeof copy, "%s/copy", path);
      munit_assert_int(svc_backup(t.s, copy), ==, SVC_OK);
      config = at_path(copy);
      t_reopen(&t, &config);
      munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
      munit_assert_string_equal(t_get_header(&t, "ETag"), seen[n - 1]); /* unchanged so far */
    }
    snprintf(body, sizeof body, "{\"name\":\"n%d\"}", i);
    munit_assert_int(t_sendf(&t, "PATCH", body, "/groups/%s", group), ==, 200);
    snprintf(seen[n], sizeof seen[n], "%s", t_get_header(&t, "ETag"));
    for (j = 0; j < n; j++)
      if (strcmp(seen[j], seen[n]) == 0) munit_errorf("change %d has the tag of change %d: %s", n, j, seen[n]);
    n++;
  }
  t_close(&t);
  store_remove(path);
}

/* A file that is cut off anywhere cannot be opened, unless nothing is missing. The process never crashes. */
TEST(store, cut_off)
{
  char path[128], name[256], org[25], *whole;
  svc_config config;
  t_service t;
  size_t size, cut;
  int i, refused = 0;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (i = 0; i < 60; i++) {
    char project[32];
    snprintf(project, sizeof project, "p%d", i);
    t_project(&t, org, project);
  }
  t_close(&t);
  whole = file_read(path, "data.mdb", &size);
  munit_assert_size(size, >, 16 * 4096);
  for (cut = 2 * 4096; cut < size; cut += 4096 + 512) {
    svc *s;
    file_write(path, "data.mdb", whole, size);
    snprintf(name, sizeof name, "%s/data.mdb", path);
    munit_assert_int(truncate(name, (off_t)cut), ==, 0);
    if (svc_open(&s, &config) != SVC_OK) {
      munit_assert_int(svc_open(&s, &config), !=, SVC_OK); /* a second try fails, too */
      refused++;
      continue;
    }
    svc_close(s);
    t_open(&t, &config);
    munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, 60);
    munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"After\"}"), ==, 201);
    t_close(&t);
  }
  munit_assert_int(refused, >, 5);
  free(whole);
  store_remove(path);
}
