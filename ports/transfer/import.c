/*
** Import: see transfer.h.
**
** The rules: an incomplete store never opens: SVC_COPY_MARK is in it from the first transaction to the last. A line is valid
** if its row would be exported as the same line. Keys rise from line to line, so no row comes twice. The file is not trusted: lines
** are bounded, numbers are compared with the announced ones, and the store is read again before the mark is removed.
*/
#include "ports/transfer/rows.h"
#include "ports/transfer/shape.h"
#include "ports/transfer/parts.h"

#define IMPORT_CHUNK 65536
#define IMPORT_ROWS 16384 /* per transaction, */
#define IMPORT_BYTES ((size_t)8 << 20) /* and bytes: each transaction waits for the disk once, so a gigabyte waits about 130 times. A
                                          single large row may exceed the limit */

typedef struct import_at {
  size_t key, key_n, value, value_n; /* position in the batch */
} import_at;

typedef struct import_job {
  svc_rows to;
  const unsigned char *secret_key;
  long (*read)(void *context, char *buffer, size_t n);
  void *context;
  svc_transfer_report *report;
  char chunk[IMPORT_CHUNK];
  size_t chunk_n, chunk_at;
  svc_line line, key, value, batch, last; /* last: the previous key */
  import_at at[IMPORT_ROWS];
  size_t n;
  uint64_t number, records, counts, format; /* announced by the first line */
  bool has_format; /* the record with the format was read */
  mbedtls_sha256_context all, content;
  uint64_t seen; /* a hash over all written rows */
} import_job;

static int import_why(import_job *i, int rc, const char *why)
{
  if (!i->report->why[0]) snprintf(i->report->why, sizeof i->report->why, "line %llu: %s", (unsigned long long)i->report->line, why);
  return rc;
}

/* The next line, without its newline. *end: no more lines. */
static int import_line(import_job *i, bool *end)
{
  const char *newline = NULL;
  *end = false;
  i->line.n = 0;
  i->report->line++;
  while (!newline) {
    const char *p = i->chunk + i->chunk_at;
    size_t n = i->chunk_n - i->chunk_at;
    if (!n) {
      long got = i->read(i->context, i->chunk, sizeof i->chunk);
      if (got < 0 || (size_t)got > sizeof i->chunk) return import_why(i, SVC_IO, "the file cannot be read");
      i->chunk_n = (size_t)got;
      i->chunk_at = 0;
      *end = got == 0 && i->line.n == 0;
      if (*end) return SVC_OK;
      if (got == 0) return import_why(i, SVC_INVALID, "the file ends within a line");
      continue;
    }
    newline = memchr(p, '\n', n);
    if (newline) n = (size_t)(newline - p);
    svc_line_add(&i->line, p, n);
    i->chunk_at += n + (newline != NULL);
    if (i->line.rc == SVC_FULL) return import_why(i, SVC_INVALID, "the line is longer than 64 MiB");
    if (i->line.rc != SVC_OK) return i->line.rc;
  }
  return SVC_OK;
}

static int import_hash(import_job *i, bool is_row)
{
  const unsigned char *p = (const unsigned char *)(i->line.n ? i->line.p : "");
  static const unsigned char newline = '\n';
  int bad = mbedtls_sha256_update(&i->all, p, i->line.n) | mbedtls_sha256_update(&i->all, &newline, 1);
  if (is_row) bad |= mbedtls_sha256_update(&i->content, p, i->line.n) | mbedtls_sha256_update(&i->content, &newline, 1);
  return bad ? SVC_IO : SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------- the first line */

static bool import_number(const svc_members *m, const char *name, uint64_t *out)
{
  svc_str value;
  int64_t number;
  if (!svc_member(m, name, &value) || !svc_line_integer(value, &number) || number < 0) return false;
  *out = (uint64_t)number;
  return true;
}

static int import_head(import_job *i)
{
  const uint16_t one = 1;
  uint64_t version;
  svc_members m;
  bool end;
  int rc = import_line(i, &end);
  if (rc == SVC_OK) rc = import_hash(i, false);
  if (rc != SVC_OK) return rc;
  if (end || !svc_members_read((svc_str){ i->line.n ? i->line.p : "", i->line.n }, &m) || !svc_member_is(&m, "product", "\"svcapi\"") ||
      !import_number(&m, "export", &version))
    return import_why(i, SVC_INVALID, "this is not an export of a store");
  if (version > SVC_EXPORT_FORMAT) return import_why(i, SVC_NEWER, "the export was written by a newer version");
  if (!import_number(&m, "storeFormat", &i->format) || !import_number(&m, "number", &i->number) || !import_number(&m, "records", &i->records) ||
      !import_number(&m, "counts", &i->counts))
    return import_why(i, SVC_INVALID, "storeFormat, number, records or counts is missing");
  if (i->format > SVC_STORE_FORMAT) return import_why(i, SVC_NEWER, "the exported store has a newer format than this version reads");
  if (i->number >> 44) return import_why(i, SVC_INVALID, "the number is too great");
  if (!svc_member_is(&m, "byteOrder", *(const char *)&one ? "\"little\"" : "\"big\""))
    return import_why(i, SVC_INVALID, "the export comes from a machine of another byte order");
  if (svc_member_is(&m, "secrets", "\"sealed\"")) i->secret_key = NULL;
  else if (!i->secret_key) return import_why(i, SVC_INVALID, "secrets are in clear, and there is no key to seal them");
  return SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------------ the rows */

static int import_put_batch(void *job, svc_txn *txn)
{
  import_job *i = job;
  size_t n;
  int rc = SVC_OK;
  for (n = 0; n < i->n && rc == SVC_OK; n++) {
    const import_at *at = &i->at[n];
    const svc_row row = { { i->batch.p + at->key, at->key_n }, { i->batch.p + at->value, at->value_n } };
    rc = svc_row_put(txn, &row);
  }
  return rc;
}

static int import_flush(import_job *i)
{
  int rc = i->n ? svc_rows_commit(&i->to, import_put_batch, i) : SVC_OK;
  i->n = i->batch.n = 0;
  return rc;
}

/* Each step is reversible, so a single word that differs always changes the hash. */
static uint64_t import_mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

static uint64_t import_mix_text(uint64_t hash, svc_str text)
{
  uint64_t word;
  hash = import_mix(hash, text.n);
  for (; text.n >= sizeof word; text.p += sizeof word, text.n -= sizeof word) {
    memcpy(&word, text.p, sizeof word);
    hash = import_mix(hash, word);
  }
  word = 0;
  if (text.n) memcpy(&word, text.p, text.n);
  return import_mix(hash, word);
}

/* A row as both sides see it. The hash detects a store that lost something; the file's own hashes are SHA-256. */
static uint64_t import_see(uint64_t hash, const svc_row *row)
{
  return import_mix_text(import_mix_text(hash, row->key), row->value);
}

/* Whether keys rise. Then none comes twice, and the order is that of reading the store again. */
static bool import_rises(import_job *i)
{
  size_t n = i->key.n < i->last.n ? i->key.n : i->last.n;
  int order = n ? memcmp(i->key.p, i->last.p, n) : 0;
  bool good = order > 0 || (order == 0 && i->key.n > i->last.n);
  i->last.n = 0;
  svc_line_add(&i->last, i->key.p, i->key.n);
  return good;
}

/* The store has its format in a record, without which it does not open. False: another format than in the first line. */
static bool import_format(import_job *i, const svc_row *row)
{
  uint32_t format = 0;
  if (row->key.n != 7 || memcmp(row->key.p, "mschema", 7) != 0) return true;
  i->has_format = row->value.n == sizeof format;
  if (i->has_format) memcpy(&format, row->value.p, sizeof format);
  return i->has_format && format == i->format;
}

static int import_row(import_job *i)
{
  static const int64_t zero;
  svc_row row;
  int rc = svc_shape_row((svc_str){ i->line.p, i->line.n }, &i->key, &i->value, i->secret_key);
  if (rc == SVC_INVALID) return import_why(i, rc, "this is not a record of an export");
  if (rc != SVC_OK) return rc;
  row = (svc_row){ { i->key.p, i->key.n }, { i->value.n ? i->value.p : "", i->value.n } };
  if (!import_rises(i)) return import_why(i, SVC_INVALID, "the record does not follow the one before");
  if (!import_format(i, &row)) return import_why(i, SVC_INVALID, "the format of the store is not the one of the first line");
  if (svc_row_is_count(&row) && (row.value.n != sizeof zero || memcmp(row.value.p, &zero, sizeof zero) == 0))
    return import_why(i, SVC_INVALID, "this is not a count");
  if (svc_row_is_count(&row)) i->report->counts++;
  else i->report->records++;
  if (i->n == IMPORT_ROWS || (i->n && i->batch.n + row.key.n + row.value.n > IMPORT_BYTES)) rc = import_flush(i);
  if (rc != SVC_OK) return rc;
  i->seen = import_see(i->seen, &row);
  i->at[i->n++] = (import_at){ i->batch.n, row.key.n, i->batch.n + row.key.n, row.value.n };
  svc_line_add(&i->batch, row.key.p, row.key.n);
  svc_line_add(&i->batch, row.value.p, row.value.n);
  return i->batch.rc != SVC_OK ? i->batch.rc : i->last.rc;
}

/* The last line must match the lines before it, and nothing may follow. */
static int import_tail(import_job *i)
{
  svc_line tail = { 0 };
  char all[65];
  bool same, end;
  int rc;
  if (i->records != i->report->records || i->counts != i->report->counts)
    return import_why(i, SVC_INVALID, "there are not as many records as the first line says");
  if (!i->has_format) return import_why(i, SVC_INVALID, "there is no record of the store's format");
  if (!svc_transfer_hash(&i->content, i->report->content) || !svc_transfer_hash(&i->all, all)) return SVC_IO;
  svc_transfer_tail(&tail, i->report, all);
  rc = tail.rc;
  same = rc == SVC_OK && tail.n == i->line.n + 1 && memcmp(tail.p, i->line.p, i->line.n) == 0;
  svc_line_free(&tail);
  if (rc != SVC_OK) return rc;
  if (!same) return import_why(i, SVC_INVALID, "the hash is not that of the lines before it: the file was changed");
  rc = import_line(i, &end);
  return rc != SVC_OK || end ? rc : import_why(i, SVC_INVALID, "something follows the last line");
}

static int import_lines(import_job *i)
{
  static const char tail[] = "{\"end\":";
  bool end = false;
  int rc = SVC_OK;
  while (rc == SVC_OK) {
    rc = import_line(i, &end);
    if (rc == SVC_OK && end) return import_why(i, SVC_INVALID, "the file ends before its last line: it was cut");
    if (rc != SVC_OK) return rc;
    if (i->line.n > sizeof tail && memcmp(i->line.p, tail, sizeof tail - 1) == 0) break;
    rc = import_hash(i, true);
    if (rc == SVC_OK) rc = import_row(i);
  }
  if (rc == SVC_OK) rc = import_tail(i);
  return rc == SVC_OK ? import_flush(i) : rc;
}

/* Reads everything again from the store. */
static int import_compare(import_job *i)
{
  const svc_row *row;
  uint64_t found = 0;
  int rc = svc_rows_begin(&i->to);
  while (rc == SVC_OK && (row = svc_rows_next(&i->to, &rc)) != NULL) found = import_see(found, row);
  svc_rows_end(&i->to);
  return rc != SVC_OK || found == i->seen ? rc : import_why(i, SVC_CORRUPT, "the store does not hold what was written to it");
}

static int import_all(import_job *i, const svc_config *to)
{
  int rc = import_head(i);
  if (rc == SVC_OK) rc = svc_rows_open(&i->to, to, i->report->why, sizeof i->report->why);
  if (rc == SVC_OK) rc = svc_rows_mark(&i->to, i->number);
  if (rc == SVC_EXISTS) import_why(i, rc, "the target is not empty, and is left unchanged");
  if (rc == SVC_OK) rc = import_lines(i);
  if (rc == SVC_OK) rc = import_compare(i);
  if (rc == SVC_OK) rc = svc_rows_unmark(&i->to);
  if (rc != SVC_OK) import_why(i, rc, svc_strerror(rc));
  svc_rows_close(&i->to);
  return rc;
}

int svc_import_store(const svc_config *to, long (*read)(void *context, char *buffer, size_t n), void *context, svc_transfer_report *out)
{
  import_job *i = calloc(1, sizeof *i);
  svc_line *lines[5];
  size_t n;
  int rc;
  memset(out, 0, sizeof *out);
  if (!i) return SVC_NOMEM;
  i->secret_key = to->secret_key;
  i->read = read;
  i->context = context;
  i->report = out;
  mbedtls_sha256_init(&i->all);
  mbedtls_sha256_init(&i->content);
  rc = mbedtls_sha256_starts(&i->all, 0) | mbedtls_sha256_starts(&i->content, 0) ? SVC_IO : import_all(i, to);
  mbedtls_sha256_free(&i->all);
  mbedtls_sha256_free(&i->content);
  lines[0] = &i->line, lines[1] = &i->key, lines[2] = &i->value, lines[3] = &i->batch, lines[4] = &i->last;
  for (n = 0; n < 5; n++) svc_line_free(lines[n]);
  free(i);
  return rc;
}
