/*
** The store as a host sees it: a folder on the disk that is opened, closed, killed, copied, full of something else.
**
** Also here, for the suites beside it: store_whole(), which checks every record of a store against every other, and
** store_print(), one number for all that is in it.
*/
#include "support.h"

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

/* A folder and the files and folders in it. */
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

typedef struct whole {
  svc_txn *txn;
  size_t counts, entities, owned, uniques, due, projects;
} whole;

static size_t whole_records(whole *w, char letter, bool (*check)(whole *w, svc_str key, svc_str value))
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  size_t n = 0;
  prefix.n = 1;
  prefix.b[0] = (unsigned char)letter;
  munit_assert_true(svc_scan_begin(&scan, w->txn, &prefix, false));
  while (svc_scan_next(&scan, &key, &value)) n += check ? check(w, key, value) : 1;
  svc_scan_end(&scan);
  munit_assert_int(w->txn->error, ==, SVC_OK);
  return n;
}

static bool whole_is_count(whole *w, svc_str key, svc_str value)
{
  (void)w;
  return key.n == 18 && value.n == 8;
}

static void whole_count_is(whole *w, char letter, svc_str group, uint64_t count) /* group: kind and parent, as in keys */
{
  char kind[SVC_KIND_SIZE];
  svc_id parent;
  memcpy(kind, group.p, sizeof kind);
  memcpy(parent.b, group.p + SVC_KIND_SIZE, 12);
  munit_assert_int64(svc_list_count(w->txn, letter, kind, &parent), ==, (int64_t)count);
  w->counts++;
}

/* Records of one kind and parent stand together: each run must be as long as the count says. */
static void whole_runs(whole *w, char letter)
{
  char group[16] = "";
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  uint64_t run = 0;
  prefix.n = 1;
  prefix.b[0] = (unsigned char)letter;
  munit_assert_true(svc_scan_begin(&scan, w->txn, &prefix, false));
  while (svc_scan_next(&scan, &key, &value)) {
    if (key.n == 18) continue; /* a count */
    munit_assert_size(key.n, ==, 29);
    if (run && memcmp(group, key.p + 1, 16) != 0) {
      whole_count_is(w, letter, (svc_str){ group, 16 }, run);
      run = 0;
    }
    memcpy(group, key.p + 1, 16);
    run++;
  }
  svc_scan_end(&scan);
  if (run) whole_count_is(w, letter, (svc_str){ group, 16 }, run);
}

/* Is it among the last of its list, of which none has index entries? Those are numbered, from 1 on. */
static bool whole_is_late(whole *w, const char *kind, const svc_entity *e)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity other;
  bool late = false, first = true;
  unsigned expected = 0;
  if (svc_id_is_zero(&e->owner)) return false;
  svc_key_entity(&prefix, kind, &e->parent, NULL);
  munit_assert_true(svc_scan_begin(&scan, w->txn, &prefix, true));
  while (svc_scan_next(&scan, &key, &value) && svc_entity_decode(key, value, &other) && other.late) {
    if (first) munit_assert_uint(expected = other.late, <, SVC_LATE);
    first = false;
    munit_assert_uint(other.late, ==, expected--);
    if (svc_id_eq(&other.id, &e->id)) late = true;
  }
  munit_assert_uint(expected, ==, 0);
  svc_scan_end(&scan);
  return late;
}

static bool whole_entity(whole *w, svc_str key, svc_str value)
{
  char kind[SVC_KIND_SIZE];
  svc_entity e;
  svc_key index;
  svc_str found;
  int expected = SVC_OK;
  if (key.n == 18) return false; /* a count */
  memcpy(kind, key.p + 1, sizeof kind);
  munit_assert_true(svc_entity_decode(key, value, &e));
  munit_assert_true(e.body.n >= 2 && e.body.p[0] == '{' && e.body.p[e.body.n - 1] == '}');
  if (whole_is_late(w, kind, &e)) expected = SVC_NOT_FOUND;
  if (e.unique.n && !e.shared) {
    svc_key_unique(&index, kind, e.unique, svc_id_is_zero(&e.owner) ? &e.parent : &e.owner);
    munit_assert_int(svc_get(w->txn, &index, &found), ==, expected);
    if (expected == SVC_OK) munit_assert_true(found.n == 12 && memcmp(found.p, e.id.b, 12) == 0);
    w->uniques += expected == SVC_OK;
  }
  if (!svc_id_is_zero(&e.owner)) {
    svc_key_owned(&index, kind, &e.owner, &e.id);
    munit_assert_int(svc_get(w->txn, &index, &found), ==, expected);
    w->owned += expected == SVC_OK;
  }
  if (e.due) {
    svc_key_due(&index, e.due, kind, &e.parent, &e.id);
    munit_assert_int(svc_get(w->txn, &index, &found), ==, SVC_OK);
    w->due++;
  }
  if (memcmp(kind, "proj", 4) == 0) w->projects++;
  return true;
}

static bool whole_due(whole *w, svc_str key, svc_str value)
{
  (void)w, (void)value;
  return memcmp(key.p + 9, "-try", 4) != 0; /* those of answers that are kept have no entity */
}

/* Every index entry has its entity, every entity its entries, unless they come late, and every count is right. */
size_t store_whole(svc *s)
{
  whole w;
  memset(&w, 0, sizeof w);
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &w.txn), ==, SVC_OK);
  whole_records(&w, 'e', whole_entity);
  munit_assert_size(whole_records(&w, 'u', NULL), ==, w.uniques);
  munit_assert_size(whole_records(&w, 'o', NULL) - whole_records(&w, 'o', whole_is_count), ==, w.owned);
  munit_assert_size(whole_records(&w, 'd', whole_due), ==, w.due);
  whole_runs(&w, 'e');
  whole_runs(&w, 'o');
  munit_assert_size(whole_records(&w, 'e', whole_is_count) + whole_records(&w, 'o', whole_is_count), <=, w.counts);
  s->commit.port->read_end(w.txn);
  return w.projects;
}

uint64_t store_print(svc *s)
{
  svc_txn *txn;
  svc_cursor *cursor;
  svc_str key, value;
  uint64_t h = 0xcbf29ce484222325u;
  size_t i;
  int rc;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(s->commit.port->cursor_open(txn, &cursor), ==, SVC_OK);
  for (rc = s->commit.port->cursor_from(cursor, SVC_S("\0"), &key, &value); rc == SVC_OK;
       rc = s->commit.port->cursor_next(cursor, &key, &value)) {
    for (i = 0; i < key.n; i++) h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3u;
    for (i = 0; i < value.n; i++) h = (h ^ (unsigned char)value.p[i]) * 0x100000001b3u;
  }
  munit_assert_int(rc, ==, SVC_NOT_FOUND);
  s->commit.port->cursor_close(cursor);
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

static MunitResult store_reopens(const MunitParameter params[], void *data)
{
  char path[128], org[25], first[25], second[25], etag[64];
  static const char *const names[] = { "beta", "gamma", "n0", "n1", "n2" };
  svc_config config;
  t_service t;
  uint64_t print;
  int i;
  (void)params, (void)data;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  strcpy(first, t_project(&t, org, "alpha"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", first), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", first), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", first), ==, 200);
  strcpy(etag, t_get_header(&t, "ETag"));
  t_reopen(&t, &config); /* closing writes down the last id */
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

  t_advance(&t, -86400); /* the clock steps back, and the next id is greater all the same */
  strcpy(second, t_project(&t, org, "gamma"));
  munit_assert_int(strcmp(second, first), >, 0);
  munit_assert_string_equal(t_str(&t, "created"), "2025-05-31T00:00:00Z");
  for (i = 0; i < 3; i++) { /* so are revisions: an old tag never fits again */
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
  return MUNIT_OK;
}

static MunitResult store_private(const MunitParameter params[], void *data)
{
  char path[128];
  t_service t, other;
  const char *org;
  (void)params, (void)data;
  store_folder(path);
  munit_assert_int(setenv("TMPDIR", path, 1), ==, 0);
  t_open(&t, NULL);
  munit_assert_int(folder_count(path), ==, 0);
  org = t_organization(&t, "Acme");
  t_project(&t, org, "alpha");
  munit_assert_int(folder_count(path), ==, 0);
  t_open(&other, NULL); /* a second one knows nothing of the first */
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
  munit_assert_int(setenv("TMPDIR", path, 1), ==, 0); /* it is gone: another place is found */
  t_open(&t, NULL);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  t_close(&t);
  unsetenv("TMPDIR");
  return MUNIT_OK;
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

/* Write a record into a store behind the library's back. */
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

static uint32_t stored_schema(svc *s)
{
  uint32_t schema = 0;
  svc_txn *txn;
  svc_key key;
  svc_str value;
  svc_key_meta(&key, "schema");
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  if (svc_get(txn, &key, &value) == SVC_OK && value.n == sizeof schema) memcpy(&schema, value.p, sizeof schema);
  s->commit.port->read_end(txn);
  return schema;
}

static MunitResult store_schema(const MunitParameter params[], void *data)
{
  char path[128], *before, *after;
  size_t before_size, after_size;
  uint32_t schema;
  svc_config config;
  t_service t;
  (void)params, (void)data;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  t_organization(&t, "Acme");
  t_close(&t);
  schema = 3;
  put_raw(path, SVC_S("mschema"), (svc_str){ (const char *)&schema, sizeof schema });
  before = file_read(path, "data.mdb", &before_size);
  munit_assert_int(refused_open(path), ==, SVC_NEWER);
  munit_assert_string_equal(refused_log, "the store cannot be used: the store was written by a newer version of this library\n");
  munit_assert_int(refused_open(path), ==, SVC_NEWER); /* and lets go of the folder */
  after = file_read(path, "data.mdb", &after_size);
  munit_assert_size(after_size, ==, before_size);
  munit_assert_memory_equal(before_size, after, before);
  free(before);
  free(after);
  schema = UINT32_MAX;
  put_raw(path, SVC_S("mschema"), (svc_str){ (const char *)&schema, sizeof schema });
  munit_assert_int(refused_open(path), ==, SVC_NEWER);
  put_raw(path, SVC_S("mschema"), SVC_S("?"));
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  schema = 1;
  put_raw(path, SVC_S("mschema"), (svc_str){ (const char *)&schema, sizeof schema });
  t_open(&t, &config); /* an older one is brought up to date */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_uint32(stored_schema(t.s), ==, 2);
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

static MunitResult store_garbage(const MunitParameter params[], void *data)
{
  static unsigned char bytes[65536];
  char path[128], *after;
  size_t size;
  (void)params, (void)data;
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

  store_folder(path); /* a store of LMDB's, but of somebody else's */
  put_raw(path, SVC_S("their key"), SVC_S("their value"));
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  put_raw(path, SVC_S("\xFF"), SVC_S("")); /* still theirs */
  munit_assert_int(refused_open(path), ==, SVC_CORRUPT);
  store_remove(path);

  store_folder(path);
  snprintf((char *)bytes, 256, "%s/data.mdb", path);
  munit_assert_int(mkdir((char *)bytes, 0700), ==, 0);
  munit_assert_int(refused_open(path), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, path));
  store_remove(path);
  return MUNIT_OK;
}

static MunitResult store_no_folder(const MunitParameter params[], void *data)
{
  static char longest[6000];
  char path[128], below[256];
  (void)params, (void)data;
  store_folder(path);
  file_write(path, "file", "x", 1);
  snprintf(below, sizeof below, "%s/file", path); /* not a folder */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  snprintf(below, sizeof below, "%s/file/store", path); /* cannot be made */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  snprintf(below, sizeof below, "%s/no/store", path); /* one level is made, not two */
  munit_assert_int(refused_open(below), ==, SVC_IO);
  munit_assert_not_null(strstr(refused_log, below));
  munit_assert_int(refused_open(""), ==, SVC_IO);
  memset(longest, 'x', sizeof longest - 1);
  longest[0] = '/';
  munit_assert_int(refused_open(longest), ==, SVC_IO);
  munit_assert_char(refused_log[0], !=, 0);
  snprintf(below, sizeof below, "%s/store", path); /* is made, for its owner only */
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
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------ held by one only */

/* What another process gets. */
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

static MunitResult store_busy(const MunitParameter params[], void *data)
{
  char path[128];
  svc_config config;
  t_service t;
  pid_t child;
  int status;
  (void)params, (void)data;
  store_folder(path);
  config = at_path(path);
  t_open(&t, &config);
  munit_assert_int(refused_open(path), ==, SVC_BUSY);
  munit_assert_not_null(strstr(refused_log, path));
  munit_assert_int(opened_by_child(path), ==, SVC_BUSY);
  munit_assert_int(refused_open(path), ==, SVC_BUSY); /* who was refused did not let go of it for the holder */
  munit_assert_int(opened_by_child(path), ==, SVC_BUSY);
  t_organization(&t, "Acme");
  t_close(&t);
  munit_assert_int(opened_by_child(path), ==, SVC_OK);
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  child = fork(); /* a child of the host's that lives on without using the handle does not hold the store */
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
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------- a killed writer */

/* A thread's own end of the service: the same handle, its own requests. */
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

/* Let it write until `enough` lines have come, kill it, and read the rest. */
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
    else munit_assert_true(status == 200 || status == 404); /* the deletion was under way */
  }
}

static MunitResult store_killed(const MunitParameter params[], void *data)
{
  enum { MOST = 100000 };
  static kill_line lines[MOST];
  char path[128], org[25], name[32], id[25], last[25] = "";
  svc_config config;
  t_service t;
  size_t i;
  int round;
  (void)params, (void)data;
  if (getenv("SVC_TEST_QEMU")) return MUNIT_SKIP;
  store_folder(path);
  config = at_path(path);
  config.map_size = 65536; /* so that it also grows meanwhile */
  t_open(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  t_close(&t);
  for (round = 0; round < 12; round++) {
    size_t n;
    config.durability = round % 3; /* all three survive the end of a process */
    n = kill_round(&config, org, round, (size_t)munit_rand_int_range(1, 500), lines, MOST);
    t_open(&t, &config);
    kill_check(&t, lines, n);
    snprintf(name, sizeof name, "after-%d", round); /* ids go on rising: above all that were ever given out */
    strcpy(id, t_project(&t, org, name));
    for (i = 0; i < n; i++) munit_assert_int(memcmp(id, lines[i].id, 24), >, 0);
    munit_assert_int(strcmp(id, last), >, 0);
    strcpy(last, id);
    munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, (int64_t)store_whole(t.s));
    t_close(&t);
  }
  store_remove(path);
  return MUNIT_OK;
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

static MunitResult store_backup(const MunitParameter params[], void *data)
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
  (void)params, (void)data;
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
    after = atomic_load(&done) + 2; /* two may be stored and not counted yet */
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
    munit_assert_int(t_send(&other, "POST", "/orgs", "{\"name\":\"Other\"}"), ==, 201); /* a store as any other */
    t_close(&other);
  }
  munit_assert_int(svc_backup(t.s, copy), ==, SVC_BUSY); /* there is one already, and it stays as it is */
  t_open(&other, &config);
  munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&other, "totalCount"), ==, 2);
  munit_assert_int(svc_backup(t.s, copy), !=, SVC_OK); /* also one that is in use */
  munit_assert_int(svc_backup(t.s, path), ==, SVC_OK); /* a folder that is there and holds none */
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
  return MUNIT_OK;
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

/* Two into the same folder at once: one of them is made, and whoever is told so finds it there. */
static MunitResult store_backup_twice(const MunitParameter params[], void *data)
{
  char path[128], copy[192];
  svc_config config;
  backup_race b[2];
  t_service t, other;
  int i, j;
  (void)params, (void)data;
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
    munit_assert_int(b[0].rc + b[1].rc, ==, SVC_OK + SVC_BUSY);
    config = at_path(copy);
    t_open(&other, &config);
    munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
    munit_assert_int64(t_int(&other, "totalCount"), ==, 1);
    t_close(&other);
  }
  t_close(&t);
  store_remove(path);
  return MUNIT_OK;
}

/* Whoever holds a tag of the store that was copied must not find it on another state of the copy. */
static MunitResult store_backup_tags(const MunitParameter params[], void *data)
{
  char path[128], copy[160], org[25], group[25], seen[80][32];
  svc_config config;
  t_service t;
  int i, j, n = 0;
  (void)params, (void)data;
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
  return MUNIT_OK;
}

/* A file that was cut off, anywhere: it is not opened, unless nothing is missing; never the end of the process. */
static MunitResult store_cut_off(const MunitParameter params[], void *data)
{
  char path[128], name[256], org[25], *whole;
  svc_config config;
  t_service t;
  size_t size, cut;
  int i, refused = 0;
  (void)params, (void)data;
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
      munit_assert_int(svc_open(&s, &config), !=, SVC_OK); /* trying again makes it no better */
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
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/reopens", store_reopens, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/private", store_private, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/schema", store_schema, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/garbage", store_garbage, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/cut_off", store_cut_off, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/no_folder", store_no_folder, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/busy", store_busy, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/killed", store_killed, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/backup", store_backup, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/backup_twice", store_backup_twice, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/backup_tags", store_backup_tags, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_store = { "store", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
