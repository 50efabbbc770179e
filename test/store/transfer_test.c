/*
** Export and import of a store (ports/transfer): all records as lines of JSON, and the same lines again from the imported
** store, on LMDB and, with a server, on PostgreSQL; and files that were cut, changed, or written by a newer version.
*/
#include "support.h"
#include "faults.h"
#include "ports/transfer/transfer.h"

#include <errno.h>
#include <sys/stat.h>

enum { KINDS = 2 }; /* LMDB and PostgreSQL */

typedef struct text {
  char *p;
  size_t n, at, fails; /* fails: writes fail beyond this length; 0: never */
} text;

static int text_write(void *context, const char *bytes, size_t n)
{
  text *t = context;
  if (t->fails && t->n + n > t->fails) return -1;
  t->p = realloc(t->p, t->n + n + 1);
  munit_assert_not_null(t->p);
  memcpy(t->p + t->n, bytes, n);
  t->n += n;
  t->p[t->n] = '\0';
  return 0;
}

/* Writes into existing memory. */
static int keep_write(void *context, const char *bytes, size_t n)
{
  text *t = context;
  munit_assert_size(t->n + n, <, 1 << 20);
  memcpy(t->p + t->n, bytes, n);
  t->p[t->n += n] = '\0';
  return 0;
}

/* Returns small pieces of varying size, so that lines end anywhere in them. */
static long text_read(void *context, char *buffer, size_t n)
{
  text *t = context;
  size_t left = t->n - t->at, take = 1 + t->at % 977;
  if (take > left) take = left;
  if (take > n) take = n;
  if (take) memcpy(buffer, t->p + t->at, take);
  t->at += take;
  return (long)take;
}

static const svc_store_port *port_of(int kind)
{
  return kind ? t_postgres_port() : svc_lmdb_port();
}

static void place(svc_config *config, char path[128], int kind)
{
  memset(config, 0, sizeof *config);
  store_folder(path);
  config->path = path;
  config->store = port_of(kind);
}

/* Makes a store with an event for each resource, a cluster that costs money, and, with a key, a sealed secret. */
static void furnish(const svc_config *config, const unsigned char *key)
{
  svc_config k = *config;
  const char *group;
  t_service t;
  k.secret_key = key;
  t_open(&t, &k);
  group = t_project(&t, t_organization(&t, "Acme \xC3\xA9"), "alpha");
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                           "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}",
                           "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"databaseName\":\"admin\",\"username\":\"a\\\"p\\\\p\",\"password\":\"correct horse\",\"roles\":[{\"roleName\":"
                           "\"read\",\"databaseName\":\"shop\"}]}", "/groups/%s/databaseUsers", group), ==, 201);
  if (key)
    munit_assert_int(t_sendf(&t, "POST", "{\"type\":\"PAGER_DUTY\",\"serviceKey\":\"0123456789abcdef0123456789abcdef\",\"region\":\"US\"}",
                             "/groups/%s/integrations/PAGER_DUTY", group), ==, 201);
  t_close(&t);
}

static void export_to(const svc_config *from, text *out)
{
  svc_transfer_report report;
  memset(out, 0, sizeof *out);
  if (svc_export_store(from, text_write, out, &report) != SVC_OK) munit_error(report.why);
}

static int import_from(const svc_config *to, const text *in, svc_transfer_report *report)
{
  text again = *in;
  again.at = 0;
  return svc_import_store(to, text_read, &again, report);
}

/* Returns the lines between the first one, which has the date, and the last one, which has the hash. */
static svc_str rows_of(const text *t)
{
  char *first = strchr(t->p, '\n'), *last = t->p + t->n - 1;
  while (last[-1] != '\n') last--;
  return (svc_str){ first + 1, (size_t)(last - first) - 1 };
}

static void assert_same(const text *a, const text *b)
{
  svc_str x = rows_of(a), y = rows_of(b);
  munit_assert_size(x.n, ==, y.n);
  munit_assert_memory_equal(x.n, x.p, y.p);
}

/* From each engine into each: the imported store exports the same lines, is valid, and serves requests. */
TEST(transfer, round)
{
  int from, to;
  for (from = 0; from < KINDS; from++)
    for (to = 0; to < KINDS; to++) {
      svc_transfer_report report;
      char a_path[128], b_path[128];
      svc_config a, b;
      text first, second;
      t_service t;
      if (!port_of(from) || !port_of(to)) continue;
      place(&a, a_path, from);
      place(&b, b_path, to);
      furnish(&a, NULL);
      export_to(&a, &first);
      munit_assert_null(strstr(first.p, "\"class\":\"raw\""));
      if (import_from(&b, &first, &report) != SVC_OK) munit_error(report.why);
      export_to(&b, &second);
      assert_same(&first, &second);
      t_open(&t, &b);
      store_whole(t.s);
      munit_assert_int(t_send(&t, "GET", "/groups/byName/alpha", NULL), ==, 200);
      t_organization(&t, "Later");
      t_close(&t);
      munit_assert_int(import_from(&b, &first, &report), ==, SVC_EXISTS); /* the store stays unchanged */
      free(first.p);
      free(second.p);
      store_remove(a_path);
      store_remove(b_path);
    }
}

/* Secrets stay sealed. An export in clear text is sealed again with another key, and the old key does not open the new store. */
TEST(transfer, secrets)
{
  static const unsigned char old_key[32] = { 1 }, new_key[32] = { 2 };
  svc_transfer_report report;
  char a_path[128], b_path[128];
  svc_config a, b;
  text sealed, clear, again;
  t_service t;
  svc *s;
  place(&a, a_path, 0);
  place(&b, b_path, 0);
  furnish(&a, old_key);
  export_to(&a, &sealed);
  munit_assert_null(strstr(sealed.p, "0123456789abcdef0123456789abcdef"));
  a.secret_key = new_key;
  munit_assert_int(svc_export_store(&a, text_write, &(text){ 0 }, &report), ==, SVC_INVALID); /* not the key of this store */
  a.secret_key = old_key;
  export_to(&a, &clear);
  munit_assert_not_null(strstr(clear.p, "\"secrets\":{\"serviceKey\":\"0123456789abcdef0123456789abcdef\"}"));
  munit_assert_int(import_from(&b, &clear, &report), ==, SVC_INVALID); /* there is no key to seal the secrets */
  b.secret_key = new_key;
  if (import_from(&b, &clear, &report) != SVC_OK) munit_error(report.why);
  export_to(&b, &again);
  assert_same(&clear, &again);
  t_open(&t, &b);
  store_whole(t.s);
  t_close(&t);
  b.secret_key = old_key;
  munit_assert_int(svc_open(&s, &b), ==, SVC_INVALID);
  free(sealed.p);
  free(clear.p);
  free(again.p);
  store_remove(a_path);
  store_remove(b_path);
}

/* Expects an import to be refused with the number of the line, and to leave no store that can be opened. */
static void refused(const text *in, int status, uint64_t line, const char *why)
{
  svc_transfer_report report;
  char path[128];
  svc_config b;
  svc *s;
  place(&b, path, 0);
  munit_assert_int(import_from(&b, in, &report), ==, status);
  if (line) munit_assert_uint64(report.line, ==, line);
  if (!strstr(report.why, why)) munit_error(report.why);
  if (report.line > 1) munit_assert_int(svc_open(&s, &b), ==, SVC_UNFINISHED);
  store_remove(path);
}

static text with(const text *in, const char *old, const char *new)
{
  const char *at = strstr(in->p, old);
  text out = { 0 };
  munit_assert_not_null(at);
  text_write(&out, in->p, (size_t)(at - in->p));
  text_write(&out, new, strlen(new));
  text_write(&out, at + strlen(old), strlen(at + strlen(old)));
  return out;
}

TEST(transfer, refused)
{
  static const struct { const char *old, *new; int status; uint64_t line; const char *why; } changes[] = {
    { "\"product\":\"svcapi\"", "\"product\":\"other\"", SVC_INVALID, 1, "not an export" },
    { "\"export\":1", "\"export\":2", SVC_NEWER, 1, "newer" },
    { "\"storeFormat\":5", "\"storeFormat\":6", SVC_NEWER, 1, "newer format" },
    { "\"records\":", "\"records\":1", SVC_INVALID, 0, "as many records" },
    { "\"date\":\"2", "\"date\":\"3", SVC_INVALID, 0, "hash" },
    { "{\"class\":\"ledger\"", "{\"class\":\"ledgers\"", SVC_INVALID, 2, "not a record" },
    { "{\"class\":\"ledger\"", "{ \"class\":\"ledger\"", SVC_INVALID, 2, "not a record" },
    { "\"quantity\":", "\"quantity\":0", SVC_INVALID, 2, "not a record" },
    { "\"class\":\"entity\"", "\"class\":\"entity\",\"more\":1", SVC_INVALID, 0, "not a record" },
    { "\"name\":\"Acme", "\"name\":Acme", SVC_INVALID, 0, "not a record" },
    { "\"name\":\"Acme", "\"name\":\"Acmo", SVC_INVALID, 0, "hash" }, /* the record itself is valid */
    { "{\"end\":true", "{\"end\":false", SVC_INVALID, 0, "hash" },
  };
  text whole, bad;
  char path[128];
  svc_config a;
  size_t i;
  place(&a, path, 0);
  furnish(&a, NULL);
  export_to(&a, &whole);
  for (i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    bad = with(&whole, changes[i].old, changes[i].new);
    refused(&bad, changes[i].status, changes[i].line, changes[i].why);
    free(bad.p);
  }
  bad = with(&whole, "{\"end\":true", "");
  *strrchr(bad.p, ',') = '\0';
  bad.n = strlen(bad.p);
  refused(&bad, SVC_INVALID, 0, "within a line");
  free(bad.p);
  bad = whole; /* cut after a line, and inside one */
  bad.n = rows_of(&whole).n + (size_t)(rows_of(&whole).p - whole.p);
  refused(&bad, SVC_INVALID, 0, "was cut");
  bad.n -= 5;
  refused(&bad, SVC_INVALID, 0, "within a line");
  bad = with(&whole, "", "");
  text_write(&bad, "x\n", 2);
  refused(&bad, SVC_INVALID, 0, "follows the last line");
  free(bad.p);
  free(whole.p);
  store_remove(path);
}

/* A record of an unknown format is exported as raw bytes, and imported again. */
TEST(transfer, raw)
{
  static const char key[] = "z\xFF\x01", value[] = "\xFF\0\n";
  svc_transfer_report report;
  char a_path[128], b_path[128];
  svc_config a, b;
  text first, second;
  svc_store *store;
  svc_txn *txn;
  char why[256];
  place(&a, a_path, 0);
  place(&b, b_path, 0);
  furnish(&a, NULL);
  munit_assert_int(a.store->open(&store, &a, why, sizeof why), ==, SVC_OK);
  munit_assert_int(a.store->write_begin(store, &txn), ==, SVC_OK);
  munit_assert_int(a.store->put(txn, (svc_str){ key, 3 }, (svc_str){ value, 3 }), ==, SVC_OK);
  munit_assert_int(a.store->commit(txn), ==, SVC_OK);
  a.store->close(store);
  export_to(&a, &first);
  munit_assert_not_null(strstr(first.p, "{\"class\":\"raw\",\"key\":\"ev8B\",\"value\":\"/wAK\"}\n"));
  if (import_from(&b, &first, &report) != SVC_OK) munit_error(report.why);
  export_to(&b, &second);
  assert_same(&first, &second);
  second.fails = second.n + 100;
  munit_assert_int(svc_export_store(&b, text_write, &second, &report), ==, SVC_IO);
  free(first.p);
  free(second.p);
  store_remove(a_path);
  store_remove(b_path);
}

/* ------------------------------------------------------------------------------------------------- lines, and their order */

/* Returns the line with this number, from 1, including its newline. */
static svc_str line_of(const text *t, size_t number)
{
  const char *p = t->p, *end;
  while (--number) p = strchr(p, '\n') + 1;
  end = strchr(p, '\n') + 1;
  return (svc_str){ p, (size_t)(end - p) };
}

/* Returns a copy of the file in which line `at` is replaced by these two; n 0: by none. */
static text with_lines(const text *in, size_t at, svc_str first, svc_str second)
{
  svc_str old = line_of(in, at);
  text out = { 0 };
  text_write(&out, in->p, (size_t)(old.p - in->p));
  text_write(&out, first.p, first.n);
  text_write(&out, second.p, second.n);
  text_write(&out, old.p + old.n, (size_t)(in->p + in->n - old.p) - old.n);
  return out;
}

TEST(transfer, lines)
{
  const svc_str none = { "", 0 };
  text whole, bad, swapped;
  char path[128];
  svc_config a;
  size_t at;
  place(&a, path, 0);
  furnish(&a, NULL);
  export_to(&a, &whole);
  for (at = 2; at < 40; at += 9) {
    bad = with_lines(&whole, at, line_of(&whole, at), line_of(&whole, at)); /* the line twice */
    refused(&bad, SVC_INVALID, at + 1, "does not follow");
    free(bad.p);
    bad = with_lines(&whole, at, line_of(&whole, at + 1), none); /* the next line in its place, which then comes twice */
    refused(&bad, SVC_INVALID, at + 1, "does not follow");
    swapped = with_lines(&bad, at + 1, line_of(&whole, at), none); /* two lines swapped */
    refused(&swapped, SVC_INVALID, at + 1, "does not follow");
    free(swapped.p);
    free(bad.p);
    bad = with_lines(&whole, at, none, none); /* without the line */
    refused(&bad, SVC_INVALID, 0, "as many records");
    free(bad.p);
    bad = with_lines(&whole, at, line_of(&whole, at), (svc_str){ "\n", 1 }); /* followed by an empty line */
    refused(&bad, SVC_INVALID, at + 1, "not a record");
    free(bad.p);
  }
  bad = with(&whole, "{\"class\":\"storeFormat\",\"format\":5}", "{\"class\":\"storeFormat\",\"format\":4}");
  refused(&bad, SVC_INVALID, 0, "not the one of the first line");
  free(bad.p);
  bad = with(&whole, "\"sha256\":\"", "\"sha256\":\"0");
  refused(&bad, SVC_INVALID, 0, "hash");
  free(bad.p);
  free(whole.p);
  store_remove(path);
}

typedef struct endless {
  const text *in; /* comes first; then one byte repeats for ever */
  size_t at;
  uint64_t given;
} endless;

static long endless_read(void *context, char *buffer, size_t n)
{
  endless *e = context;
  svc_str head = line_of(e->in, 1);
  e->given += n;
  memset(buffer, 'x', n);
  if (e->at++) return (long)n;
  memcpy(buffer, head.p, head.n);
  return (long)head.n;
}

/* A line without end is refused at 64 MiB, and reading stops there. */
TEST(transfer, endless)
{
  svc_transfer_report report;
  char a_path[128], b_path[128];
  svc_config a, b;
  endless e = { 0 };
  text whole;
  svc *s;
  place(&a, a_path, 0);
  place(&b, b_path, 0);
  furnish(&a, NULL);
  export_to(&a, &whole);
  e.in = &whole;
  munit_assert_int(svc_import_store(&b, endless_read, &e, &report), ==, SVC_INVALID);
  munit_assert_string_equal(report.why, "line 2: the line is longer than 64 MiB");
  munit_assert_uint64(e.given, <, (64 << 20) + (1 << 20));
  munit_assert_int(svc_open(&s, &b), ==, SVC_UNFINISHED);
  free(whole.p);
  store_remove(a_path);
  store_remove(b_path);
}

/* ------------------------------------------------------------------------------------------------------ everything fails once */

/* Checks the result of an import that failed: no store, an unfinished one that is refused, or a complete one if only the last step's
** result was lost. */
static void left_behind(const svc_config *to, const text *whole, int rc)
{
  text again;
  svc *s;
  int opens = svc_open(&s, to);
  svc_close(s);
  if (opens == SVC_UNFINISHED) return;
  munit_assert_int(opens, ==, SVC_OK);
  export_to(to, &again);
  if (rc == SVC_OK) assert_same(whole, &again);
  else munit_assert_true(rows_of(&again).n < 1000 || rows_of(&again).n == rows_of(whole).n); /* made by svc_open(), almost empty */
  free(again.p);
}

/* Lets every call of this kind fail in turn. Returns how often the import failed. */
static long every_import(svc_config *to, const text *whole, enum t_call call, int error, bool for_good)
{
  const bool all = getenv("SVC_TEST_ALL") != NULL;
  svc_transfer_report report;
  long at, hits = 1, count = 0;
  int rc;
  for (at = 1; hits; at += all ? 1 : 1 + at / 16) {
    store_remove(to->path);
    munit_assert_int(mkdir(to->path, 0700), ==, 0);
    t_fault(call, at, error, for_good);
    rc = import_from(to, whole, &report);
    hits = t_fault_end();
    if (!hits) munit_assert_int(rc, ==, SVC_OK);
    if (rc == SVC_INVALID || rc == SVC_NEWER || rc == SVC_EXISTS || (rc == SVC_CORRUPT && error == ENOMEM)) munit_errorf("call %ld: blames the file: %s", at, report.why);
    if (rc != SVC_OK && !(rc == SVC_NOMEM && !report.line)) munit_assert_true(report.why[0] != 0);
    count += rc != SVC_OK;
    left_behind(to, whole, rc);
  }
  return count;
}

/* Out of memory at any point, and a disk that fails: the error does not blame the file, and no partial import can be opened. */
TEST(transfer, every_fault)
{
  static const unsigned char key[32] = { 1 };
  svc_transfer_report report;
  char a_path[128], b_path[128];
  svc_config a, b;
  text whole, out;
  long at, hits = 1;
  int rc;
  SKIP_IF(!T_ON_LMDB);
  place(&a, a_path, 0);
  place(&b, b_path, 0);
  furnish(&a, key);
  a.secret_key = b.secret_key = key;
  export_to(&a, &whole);
  munit_assert_long(every_import(&b, &whole, T_CALL_MEMORY, ENOMEM, false), >, 20);
  munit_assert_long(every_import(&b, &whole, T_CALL_MEMORY, ENOMEM, true), >, 20);
  munit_assert_long(every_import(&b, &whole, T_CALL_LMDB, EIO, false), >, 5);
  munit_assert_long(every_import(&b, &whole, T_CALL_CRYPTO, 1, false), >, 5);
  for (at = 1; hits; at++) {
    memset(&out, 0, sizeof out);
    out.p = malloc(1 << 20); /* so that no call of the test itself fails */
    munit_assert_not_null(out.p);
    t_fault(T_CALL_MEMORY, at, ENOMEM, false);
    rc = svc_export_store(&a, keep_write, &out, &report);
    hits = t_fault_end();
    if (rc != SVC_OK && rc != SVC_NOMEM) munit_errorf("call %ld: %d, %s", at, rc, report.why);
    if (!hits) munit_assert_int(rc, ==, SVC_OK);
    if (rc == SVC_OK) assert_same(&whole, &out);
    free(out.p);
  }
  munit_assert_long(at, >, 5);
  free(whole.p);
  store_remove(a_path);
  store_remove(b_path);
}
