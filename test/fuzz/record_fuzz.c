/*
** Damaged records: a store in which some values are changed, truncated or extended. A request is always answered, and never with 500.
** If svc_check_store() finds no error, every answer is valid JSON.
**
** An input is a list of changes: the record (two bytes), the kind (one), the offset (two), the number of bytes (one), and these
** bytes. The records are those of the fixture, in order. Values are returned in blocks of their exact size, so that a sanitizer
** detects reads past the end. Nothing is stored: commits have no effect, and report success.
*/
#include "fuzz.h"

#define RECORD_MOST 4096 /* more records than the fixture has */
#define RECORD_CHANGES 4
#define RECORD_KEPT 65536 /* values returned during one input */

typedef struct record_row {
  svc_str key, value, changed; /* changed: the present value; n SIZE_MAX: unchanged */
} record_row;

static struct {
  fuzz_service f;
  svc_store_port port;
  record_row rows[RECORD_MOST];
  size_t count;
  bool dry; /* reads show the changes, and nothing is stored */
  void *kept[RECORD_KEPT];
  size_t kept_count;
} record;

/* ------------------------------------------------------------------------------------------------------------- the store */

/* Copies a text to a block of its own. */
static svc_str record_own(svc_str text)
{
  char *p = malloc(text.n ? text.n : 1);
  if (!p || record.kept_count == RECORD_KEPT) fuzz_die("no memory, or a request that reads without end");
  if (text.n) memcpy(p, text.p, text.n);
  record.kept[record.kept_count++] = p;
  return (svc_str){ p, text.n };
}

static svc_str record_show(svc_str key, svc_str value)
{
  size_t i;
  if (!record.dry) return value;
  for (i = 0; i < record.count; i++)
    if (record.rows[i].changed.n != SIZE_MAX && svc_str_eq(record.rows[i].key, key)) return record_own(record.rows[i].changed);
  return record_own(value);
}

static int record_get(svc_txn *txn, svc_str key, svc_str *value)
{
  int rc = svc_lmdb_port()->get(txn, key, value);
  if (rc == SVC_OK) *value = record_show(key, *value);
  return rc;
}

static int record_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  int rc = svc_lmdb_port()->get_many(txn, keys, n, values);
  size_t i;
  for (i = 0; rc == SVC_OK && i < n; i++)
    if (values[i].p) values[i] = record_show(keys[i], values[i]);
  return rc;
}

static int record_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  int rc = svc_lmdb_port()->scan(txn, range, rows, most, n);
  size_t i;
  for (i = 0; rc == SVC_OK && i < *n; i++) rows[i].value = record_show(rows[i].key, rows[i].value);
  return rc;
}

static int record_count(svc_txn *txn, svc_str key, int64_t *out)
{
  svc_str shown;
  int rc = svc_lmdb_port()->count(txn, key, out);
  if (rc != SVC_OK || !record.dry || !*out) return rc;
  shown = record_show(key, (svc_str){ (const char *)out, sizeof *out });
  if (shown.n != sizeof *out) return SVC_CORRUPT;
  memcpy(out, shown.p, sizeof *out);
  return SVC_OK;
}

static int record_commit(svc_txn *txn)
{
  if (!record.dry) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return SVC_OK;
}

static int record_read_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &record.port;
  return rc;
}

static int record_write_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &record.port;
  return rc;
}

static void record_port(void)
{
  record.port = *svc_lmdb_port();
  record.port.get = record_get;
  record.port.get_many = record_get_many;
  record.port.scan = record_scan;
  record.port.count = record_count;
  record.port.commit = record_commit;
  record.port.read_begin = record_read_begin;
  record.port.write_begin = record_write_begin;
}

/* ----------------------------------------------------------------------------------------------------------- the fixture */

static svc_str record_copy(svc_str text)
{
  char *p = malloc(text.n ? text.n : 1);
  if (!p) fuzz_die("no memory");
  if (text.n) memcpy(p, text.p, text.n);
  return (svc_str){ p, text.n };
}

static void record_all(void)
{
  svc_range range = { { "\0", 1 }, { "\xFF\xFF", 2 }, false, 0 };
  svc_txn *txn;
  svc_row row;
  size_t n;
  char from[SVC_KEY_MOST + 1];
  if (record.port.read_begin(record.f.s->commit.store, &txn) != SVC_OK) fuzz_die("the store cannot be read");
  while (record.port.scan(txn, &range, &row, 1, &n) == SVC_OK && n == 1 && record.count < RECORD_MOST) {
    record.rows[record.count++] = (record_row){ record_copy(row.key), record_copy(row.value), { NULL, SIZE_MAX } };
    memcpy(from, row.key.p, row.key.n);
    from[row.key.n] = 0;
    range.from = (svc_str){ from, row.key.n + 1 };
  }
  record.port.read_end(txn);
}

static void record_open(void)
{
  svc_config config;
  svc_credentials keys;
  char text[256];
  memset(&config, 0, sizeof config);
  record_port();
  config.store = &record.port;
  fuzz_open(&record.f, &config);
  if (svc_new_credentials(record.f.s, record.f.org, &keys) != SVC_OK) fuzz_die("no credentials");
  snprintf(text, sizeof text, "/api/svc/v2/groups/%s/accessList", record.f.group);
  fuzz_make(&record.f, text, "[{\"ipAddress\":\"192.0.2.1\",\"comment\":\"a\"}]", NULL);
  snprintf(text, sizeof text, "/api/svc/v2/groups/%s/databaseUsers", record.f.group);
  fuzz_make(&record.f, text,
            "{\"databaseName\":\"admin\",\"username\":\"u\",\"password\":\"abcdefgh1234\",\"roles\":[{\"databaseName\":\"admin\",\"roleName\":\"readAnyDatabase\"}]}",
            NULL);
  record_all();
}

/* ------------------------------------------------------------------------------------------------------------- one input */

static void record_change(record_row *r, unsigned what, size_t at, const uint8_t *bytes, size_t n)
{
  svc_str was = r->changed.n == SIZE_MAX ? r->value : r->changed;
  size_t behind;
  char *p;
  if (at > was.n) at %= was.n + 1;
  if (what % 4 == 3) at = was.n < n ? 0 : was.n - n; /* at the end */
  behind = what % 4 == 0 || what % 4 == 3 ? (was.n - at < n ? 0 : was.n - at - n) /* overwritten */
           : what % 4 == 1 ? was.n - at                                           /* inserted */
                           : 0;                                                   /* the rest is cut off */
  p = malloc(at + n + behind + 1);
  if (!p) fuzz_die("no memory");
  if (at) memcpy(p, was.p, at);
  if (n) memcpy(p + at, bytes, n);
  if (behind) memcpy(p + at + n, was.p + was.n - behind, behind);
  if (r->changed.n != SIZE_MAX) free((void *)(uintptr_t)r->changed.p);
  r->changed = (svc_str){ p, at + n + behind };
}

static void record_forget(void)
{
  size_t i;
  for (i = 0; i < record.count; i++) {
    if (record.rows[i].changed.n == SIZE_MAX) continue;
    free((void *)(uintptr_t)record.rows[i].changed.p);
    record.rows[i].changed = (svc_str){ NULL, SIZE_MAX };
  }
}

/* Sends a request; sound: the answer must be well-formed, too. */
static void record_ask(const char *method, const char *path, const char *body, bool sound)
{
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request;
  svc_response response;
  char target[256];
  svc_buf b;
  svc_arena a;
  size_t i;
  svc_arena_init(&a, NULL);
  b = svc_buf_new(&a, 128);
  for (i = 0; path[i]; i++) { /* G and O stand for the project and the organization */
    if (path[i] == 'G') svc_buf_text(&b, record.f.group);
    else if (path[i] == 'O') svc_buf_text(&b, record.f.org);
    else svc_buf_char(&b, path[i]);
  }
  snprintf(target, sizeof target, "/api/svc/v2%s", svc_buf_done(&b).p);
  svc_blocks_free(a.blocks);
  memset(&request, 0, sizeof request);
  request.method = method;
  request.target = target;
  request.headers = &json;
  request.header_count = body ? 1 : 0;
  request.body = body;
  request.body_length = body ? strlen(body) : 0;
  request.caller = &fuzz_owner;
  if (svc_handle_request(record.f.s, &request, &response) != SVC_OK) fuzz_die("no answer");
  if (sound) fuzz_check(&response);
  else if (response.status < 200 || response.status > 599 || response.status == 500) fuzz_die("a status that should not be");
  svc_response_free(&response);
  for (i = 0; i < record.kept_count; i++) free(record.kept[i]);
  record.kept_count = 0;
}

static void record_ask_all(bool sound)
{
  static const char *const reads[] = { "/orgs", "/orgs/O", "/groups", "/groups/G", "/groups/G/clusters", "/groups/G/clusters/c", "/groups/G/accessList",
    "/groups/G/accessList/192.0.2.1", "/groups/G/databaseUsers", "/groups/G/databaseUsers/admin/u", "/orgs/O/events", "/groups/G/events?includeRaw=true",
    "/groups/G/alertConfigs", "/orgs/O/apiKeys", "/orgs/O/serviceAccounts", "/orgs/O/invoices/pending", "/groups/G/processes",
    "/groups/G/clusters/c/processArgs", "/orgs/O/settings", "/groups/G/clusters/c/backup/schedule" };
  size_t i;
  for (i = 0; i < sizeof reads / sizeof reads[0]; i++) record_ask("GET", reads[i], NULL, sound);
  record_ask("PATCH", "/groups/G", "{\"name\":\"q\"}", sound);
  record_ask("PATCH", "/groups/G/clusters/c", "{\"paused\":false}", sound);
  record_ask("POST", "/groups/G/accessList", "[{\"ipAddress\":\"192.0.2.2\"}]", sound);
  record_ask("DELETE", "/groups/G/databaseUsers/admin/u", NULL, sound);
  record_ask("DELETE", "/groups/G/clusters/c", NULL, sound);
}

int svc_fuzz_record(const uint8_t *data, size_t size)
{
  size_t changes, i;
  int whole;
  if (!record.f.s) record_open();
  for (changes = 0; changes < RECORD_CHANGES && size >= 6; changes++) {
    size_t n = data[5] < size - 6 ? data[5] : size - 6;
    record_change(&record.rows[(size_t)(data[0] << 8 | data[1]) % record.count], data[2], (size_t)(data[3] << 8 | data[4]), data + 6, n);
    data += 6 + n;
    size -= 6 + n;
  }
  record.dry = true;
  whole = svc_check_store(record.f.s, NULL, NULL);
  if (whole != SVC_OK && whole != SVC_CORRUPT && whole != SVC_IO) fuzz_die("a check that came to nothing");
  for (i = 0; i < record.kept_count; i++) free(record.kept[i]);
  record.kept_count = 0;
  record_ask_all(whole == SVC_OK);
  record.dry = false;
  record_forget();
  return 0;
}
