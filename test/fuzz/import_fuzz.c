/*
** Malformed exports: import accepts a file, or refuses it with the number of a line. An accepted file exports the same lines
** again. A refused file leaves no store that can be opened.
**
** The first byte of an input selects: 'f' and a whole file; 'l' and rows, to which this target adds a first and a last line with
** correct numbers and hashes, so that the rows are tested; 's' and the same with secrets in plain text. The store is in memory.
*/
#define _GNU_SOURCE /* memmem */
#include "fuzz.h"
#include "ports/transfer/parts.h"
#include "ports/transfer/rows.h"

#define IMPORT_ROWS_MOST 4096

struct svc_store {
  svc_row rows[IMPORT_ROWS_MOST]; /* sorted, each in its own memory */
  size_t n;
};

static struct svc_store import_store;

/* ------------------------------------------------------------------------------------------------------------- the store */

static int import_order(svc_str a, svc_str b)
{
  int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
  return order ? order : (a.n > b.n) - (a.n < b.n);
}

static size_t import_find(svc_str key, bool *there)
{
  size_t i = 0;
  while (i < import_store.n && import_order(import_store.rows[i].key, key) < 0) i++;
  *there = i < import_store.n && import_order(import_store.rows[i].key, key) == 0;
  return i;
}

static svc_str import_own(svc_str text)
{
  char *p = malloc(text.n ? text.n : 1);
  if (!p) fuzz_die("no memory");
  if (text.n) memcpy(p, text.p, text.n);
  return (svc_str){ p, text.n };
}

static void import_drop(size_t i)
{
  free((void *)(uintptr_t)import_store.rows[i].key.p);
  free((void *)(uintptr_t)import_store.rows[i].value.p);
  memmove(import_store.rows + i, import_store.rows + i + 1, (--import_store.n - i) * sizeof import_store.rows[0]);
}

static int import_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  (void)config;
  (void)why;
  (void)why_size;
  *out = &import_store;
  return SVC_OK;
}

static void import_close(svc_store *store)
{
  (void)store;
}

static const svc_store_port import_port;

static int import_begin(svc_store *store, svc_txn **out)
{
  static svc_txn txn;
  (void)store;
  memset(&txn, 0, sizeof txn);
  txn.port = &import_port;
  *out = &txn;
  return SVC_OK;
}

static void import_end(svc_txn *txn)
{
  (void)txn;
}

static int import_commit(svc_txn *txn)
{
  (void)txn;
  return SVC_OK;
}

static uint64_t import_txn_number(svc_txn *txn)
{
  (void)txn;
  return 1;
}

static int import_numbers_from(svc_txn *txn, uint64_t least)
{
  (void)txn;
  if (least >> 44) fuzz_die("a transaction number that no store can have");
  return SVC_OK;
}

static int import_get(svc_txn *txn, svc_str key, svc_str *value)
{
  bool there;
  size_t i = import_find(key, &there);
  (void)txn;
  if (there) *value = import_store.rows[i].value;
  return there ? SVC_OK : SVC_NOT_FOUND;
}

static int import_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  bool there;
  size_t i = import_find(range->from, &there);
  (void)txn;
  for (*n = 0; *n < most && i < import_store.n && import_order(import_store.rows[i].key, range->to) < 0; i++) rows[(*n)++] = import_store.rows[i];
  return SVC_OK;
}

static int import_put(svc_txn *txn, svc_str key, svc_str value)
{
  bool there;
  size_t i = import_find(key, &there);
  (void)txn;
  if (!key.n || key.n > SVC_KEY_MOST) fuzz_die("a key that no store takes");
  if (there) import_drop(i);
  if (import_store.n == IMPORT_ROWS_MOST) fuzz_die("more rows than lines");
  memmove(import_store.rows + i + 1, import_store.rows + i, (import_store.n++ - i) * sizeof import_store.rows[0]);
  import_store.rows[i] = (svc_row){ import_own(key), import_own(value) };
  return SVC_OK;
}

static int import_remove(svc_txn *txn, svc_str key)
{
  bool there;
  size_t i = import_find(key, &there);
  (void)txn;
  if (there) import_drop(i);
  return SVC_OK;
}

static int import_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  if (key.p[0] != SVC_COUNT_LETTER || !delta) fuzz_die("an invalid count");
  return import_put(txn, key, (svc_str){ (const char *)&delta, sizeof delta }); /* an import adds to each count once */
}

static const svc_store_port import_port = { .open = import_open, .close = import_close, .read_begin = import_begin, .read_end = import_end,
  .write_begin = import_begin, .commit = import_commit, .abort = import_end, .number = import_txn_number, .numbers_from = import_numbers_from,
  .get = import_get, .scan = import_scan, .put = import_put, .remove = import_remove, .count_add = import_count_add };

/* -------------------------------------------------------------------------------------------------------------- the file */

typedef struct import_file {
  svc_line text;
  size_t at;
} import_file;

/* Reads in small pieces, so that lines are split anywhere. */
static long import_read(void *context, char *buffer, size_t n)
{
  import_file *f = context;
  size_t take = f->text.n - f->at;
  if (take > 61) take = 61;
  if (take > n) fuzz_die("a buffer that is too small");
  if (take) memcpy(buffer, f->text.p + f->at, take);
  f->at += take;
  return (long)take;
}

static int import_write(void *context, const char *bytes, size_t n)
{
  svc_line_add(context, bytes, n);
  return 0;
}

static void import_hash_of(svc_str text, char out[65])
{
  mbedtls_sha256_context hash;
  mbedtls_sha256_init(&hash);
  if (mbedtls_sha256_starts(&hash, 0) != 0 || mbedtls_sha256_update(&hash, (const unsigned char *)text.p, text.n) != 0 || !svc_transfer_hash(&hash, out))
    fuzz_die("no hash");
  mbedtls_sha256_free(&hash);
}

/* Adds a first and a last line that match the rows. */
static void import_frame(svc_line *out, svc_str rows, bool clear)
{
  static const char count[] = "{\"class\":\"count\"";
  svc_transfer_report numbers;
  svc_str rest = rows;
  char all[65];
  size_t head;
  memset(&numbers, 0, sizeof numbers);
  while (rest.n) *(svc_str_starts(svc_str_cut(&rest, '\n'), count) ? &numbers.counts : &numbers.records) += 1;
  svc_line_print(out, "{\"product\":\"svcapi\",\"export\":1,\"storeFormat\":%d,\"byteOrder\":\"little\",\"secrets\":\"%s\",", SVC_STORE_FORMAT, clear ? "clear" : "sealed");
  svc_line_print(out, "\"number\":7,\"records\":%llu,\"counts\":%llu}\n", (unsigned long long)numbers.records, (unsigned long long)numbers.counts);
  head = out->n;
  svc_line_add(out, rows.p, rows.n);
  if (rows.n && rows.p[rows.n - 1] != '\n') svc_line_c(out, "\n");
  import_hash_of((svc_str){ out->p + head, out->n - head }, numbers.content);
  import_hash_of((svc_str){ out->p, out->n }, all);
  svc_transfer_tail(out, &numbers, all);
}

/* -------------------------------------------------------------------------------------------------------------- results */

static svc_str import_rows_of(const svc_line *file)
{
  const char *first = memchr(file->p, '\n', file->n), *last = file->p + file->n - 1;
  while (last > first && last[-1] != '\n') last--;
  return (svc_str){ first + 1, (size_t)(last - first) - 1 };
}

/* Skips the name of a noun, which is the exporting version's word, and import accepts any. */
static void import_pass_noun(svc_str *s)
{
  static const char noun[] = "\"noun\":\"", behind[] = "\",\"parent\":\"";
  const char *end;
  if (!svc_str_starts(*s, noun)) return;
  end = memmem(s->p, s->n, behind, sizeof behind - 1);
  if (end) *s = (svc_str){ end + 2, (size_t)(s->p + s->n - end) - 2 };
}

static bool import_same(svc_str a, svc_str b)
{
  while (a.n && b.n) {
    import_pass_noun(&a);
    import_pass_noun(&b);
    if (*a.p != *b.p) return false;
    a.p++, a.n--, b.p++, b.n--;
  }
  return a.n == b.n;
}

/* Checks an accepted file: the store exists, and its export has the same lines. */
static void import_taken(const svc_config *config, const import_file *file)
{
  svc_transfer_report report;
  svc_line again = { 0 };
  svc_str was, is;
  if (svc_export_store(config, import_write, &again, &report) != SVC_OK) fuzz_die(report.why);
  was = import_rows_of(&file->text);
  is = import_rows_of(&again);
  if (!import_same(was, is)) fuzz_die("another export than was imported");
  svc_line_free(&again);
}

static void import_refused(int rc, const svc_transfer_report *report)
{
  static const svc_str mark = { SVC_COPY_MARK, sizeof SVC_COPY_MARK - 1 };
  svc_str value;
  if (rc != SVC_INVALID && rc != SVC_NEWER) fuzz_die("a status that a file cannot cause");
  if (strncmp(report->why, "line ", 5) != 0 || !report->line) fuzz_die("refused without the number of a line");
  if (import_store.n && import_get(NULL, mark, &value) != SVC_OK) fuzz_die("half a store would open");
}

int svc_fuzz_import(const uint8_t *data, size_t size)
{
  static const unsigned char key[32] = { 1 };
  svc_config config;
  svc_transfer_report report;
  import_file file;
  int rc;
  memset(&config, 0, sizeof config);
  memset(&file, 0, sizeof file);
  config.store = &import_port;
  if (size == 0) return 0;
  if (data[0] == 's') config.secret_key = key;
  if (data[0] == 'f') svc_line_add(&file.text, data + 1, size - 1);
  else import_frame(&file.text, (svc_str){ (const char *)data + 1, size - 1 }, data[0] == 's');
  rc = svc_import_store(&config, import_read, &file, &report);
  if (rc == SVC_OK) import_taken(&config, &file);
  else import_refused(rc, &report);
  while (import_store.n) import_drop(0);
  svc_line_free(&file.text);
  return 0;
}
