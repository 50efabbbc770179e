/*
** Copying a store into another one, of the same or another engine.
**
** The source is read in one read transaction, so the copy is one state. Rows are written in batches, each a
** transaction of the target: a batch has a limited number of rows, and fewer if rows are large; a record is at most as large as a body. A
** store of any size takes the memory of one batch.
**
** The rule: an incomplete copy never opens. The first transaction checks that the target is empty and puts a mark into it
** (SVC_COPY_MARK), which svc_open() refuses; the last one removes it. Between them everything is read again from the beginning on both
** sides in parallel: records and counters, key by key and value by value. A crash or a difference leaves
** the mark.
**
** Counters are copied by value, and the ports' own keys, which begin with a zero byte, not at all. Revisions are
** numbers of transactions, so those of the target continue behind those of the source.
*/
#include "ports/transfer/rows.h"
#include "ports/store_copy.h"

#include <mbedtls/sha256.h>

/* One of the two stores, with its position. */
typedef struct copy_end {
  svc_rows rows;
  svc_copy_side *side;
  mbedtls_sha256_context hash;
} copy_end;

typedef struct copy_job {
  copy_end from, to;
  uint64_t number;
  svc_copy_report *report;
} copy_job;

static int copy_why(copy_job *c, int rc, const char *why)
{
  if (!c->report->why[0]) snprintf(c->report->why, sizeof c->report->why, "%s", why);
  return rc;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

static int copy_put_batch(void *job, svc_txn *txn)
{
  const svc_rows *from = &((copy_job *)job)->from.rows;
  size_t i;
  int rc = SVC_OK;
  for (i = 0; i < from->n && rc == SVC_OK; i++) rc = svc_row_put(txn, &from->rows[i]);
  return rc;
}

static int copy_write(copy_job *c)
{
  int rc = svc_rows_begin(&c->from.rows);
  while (rc == SVC_OK) {
    rc = svc_rows_fill(&c->from.rows);
    if (rc != SVC_OK || c->from.rows.n == 0) break;
    rc = svc_rows_commit(&c->to.rows, copy_put_batch, c);
  }
  return rc;
}

/* ------------------------------------------------------------------------------------------------------------ comparing */

static void copy_big_endian(unsigned char out[8], uint64_t value)
{
  int i;
  for (i = 0; i < 8; i++) out[i] = (unsigned char)(value >> (56 - 8 * i));
}

/* Counts a row, and adds it to the hash: sizes, key, value. A counter is hashed in big-endian order, so hashes are the same on every
** machine. */
static int copy_see(copy_end *e, const svc_row *row)
{
  unsigned char sizes[16], count[8];
  const unsigned char *value = (const unsigned char *)row->value.p;
  int64_t n;
  if (svc_row_is_count(row) && row->value.n == sizeof n) {
    memcpy(&n, row->value.p, sizeof n);
    copy_big_endian(count, (uint64_t)n);
    value = count;
  }
  if (svc_row_is_count(row)) e->side->counts++;
  else e->side->records++;
  e->side->bytes += row->key.n + row->value.n;
  copy_big_endian(sizes, row->key.n);
  copy_big_endian(sizes + 8, row->value.n);
  if (mbedtls_sha256_update(&e->hash, sizes, sizeof sizes) != 0 ||
      mbedtls_sha256_update(&e->hash, (const unsigned char *)row->key.p, row->key.n) != 0)
    return SVC_IO;
  return row->value.n && mbedtls_sha256_update(&e->hash, value, row->value.n) != 0 ? SVC_IO : SVC_OK;
}

static int copy_hash_end(copy_end *e)
{
  unsigned char hash[32];
  int i;
  if (mbedtls_sha256_finish(&e->hash, hash) != 0) return SVC_IO;
  for (i = 0; i < 32; i++) snprintf(e->side->sha256 + 2 * i, 3, "%02x", hash[i]);
  return SVC_OK;
}

static bool copy_same(const svc_row *a, const svc_row *b)
{
  return a && b && a->key.n == b->key.n && a->value.n == b->value.n && memcmp(a->key.p, b->key.p, a->key.n) == 0 &&
         (a->value.n == 0 || memcmp(a->value.p, b->value.p, a->value.n) == 0);
}

/* A difference is reported by its position: stored data is secret. */
static void copy_differs(copy_job *c, uint64_t place)
{
  char why[128];
  snprintf(why, sizeof why, "they differ, for the first time in row %llu", (unsigned long long)place);
  copy_why(c, SVC_CORRUPT, why);
}

/* Reads both to their ends, whatever is found on the way. */
static int copy_compare(copy_job *c)
{
  const svc_row *a, *b;
  uint64_t place = 0;
  bool same = true;
  int rc = svc_rows_begin(&c->from.rows);
  if (rc == SVC_OK) rc = svc_rows_begin(&c->to.rows);
  if (rc == SVC_OK && (mbedtls_sha256_starts(&c->from.hash, 0) != 0 || mbedtls_sha256_starts(&c->to.hash, 0) != 0)) rc = SVC_IO;
  while (rc == SVC_OK) {
    a = svc_rows_next(&c->from.rows, &rc);
    b = rc == SVC_OK ? svc_rows_next(&c->to.rows, &rc) : NULL;
    if (rc != SVC_OK || (!a && !b)) break;
    place++;
    if (same && !copy_same(a, b)) {
      same = false;
      copy_differs(c, place);
    }
    if (a) rc = copy_see(&c->from, a);
    if (rc == SVC_OK && b) rc = copy_see(&c->to, b);
  }
  if (rc == SVC_OK) rc = copy_hash_end(&c->from);
  if (rc == SVC_OK) rc = copy_hash_end(&c->to);
  if (rc == SVC_OK && (!same || strcmp(c->from.side->sha256, c->to.side->sha256) != 0)) rc = SVC_CORRUPT;
  return rc;
}

/* ------------------------------------------------------------------------------------------------------- the whole of it */

/* Whether the source is a store. The first read also begins its transaction. */
static int copy_check_source(copy_job *c, copy_end *e)
{
  int rc = svc_rows_source(&e->rows);
  if (rc == SVC_UNFINISHED) return copy_why(c, rc, svc_strerror(rc));
  return rc == SVC_NOT_FOUND ? copy_why(c, SVC_CORRUPT, "there is no store to read from") : rc;
}

static int copy_open(copy_job *c, copy_end *e, const svc_config *config)
{
  return svc_rows_open(&e->rows, config, c->report->why, sizeof c->report->why);
}

static copy_job *copy_new(svc_copy_report *out)
{
  copy_job *c = calloc(1, sizeof *c);
  memset(out, 0, sizeof *out);
  if (!c) return NULL;
  c->report = out;
  c->from.side = &out->from;
  c->to.side = &out->to;
  mbedtls_sha256_init(&c->from.hash);
  mbedtls_sha256_init(&c->to.hash);
  return c;
}

static int copy_free(copy_job *c, int rc)
{
  mbedtls_sha256_free(&c->from.hash);
  mbedtls_sha256_free(&c->to.hash);
  if (rc != SVC_OK) copy_why(c, rc, svc_strerror(rc));
  free(c);
  return rc;
}

/* The source must be open. */
static int copy_all(copy_job *c, const svc_config *to)
{
  int rc = copy_open(c, &c->to, to);
  if (rc == SVC_OK) rc = svc_rows_mark(&c->to.rows, c->number);
  if (rc == SVC_EXISTS) copy_why(c, rc, "the target is not empty, and is left unchanged");
  if (rc == SVC_OK) rc = copy_write(c);
  if (rc == SVC_OK) rc = copy_compare(c);
  svc_rows_end(&c->to.rows);
  if (rc == SVC_OK) rc = svc_rows_unmark(&c->to.rows);
  return rc;
}

int svc_store_copy(const svc_store_port *port, svc_store *store, uint64_t number, const svc_config *to, svc_copy_report *out)
{
  copy_job *c = copy_new(out);
  int rc;
  if (!c) return SVC_NOMEM;
  c->from.rows.port = port;
  c->from.rows.store = store;
  c->number = number;
  rc = copy_check_source(c, &c->from);
  if (rc == SVC_OK) rc = copy_all(c, to);
  svc_rows_end(&c->from.rows);
  svc_rows_close(&c->to.rows);
  return copy_free(c, rc);
}

int svc_copy_store(const svc_config *from, const svc_config *to, svc_copy_report *out)
{
  copy_job *c = copy_new(out);
  int rc;
  if (!c) return SVC_NOMEM;
  rc = copy_open(c, &c->from, from);
  if (rc == SVC_OK) rc = copy_check_source(c, &c->from);
  if (rc == SVC_OK) rc = svc_rows_number(&c->from.rows, &c->number);
  if (rc == SVC_OK) rc = copy_all(c, to);
  svc_rows_close(&c->from.rows);
  svc_rows_close(&c->to.rows);
  return copy_free(c, rc);
}

int svc_compare_stores(const svc_config *from, const svc_config *to, svc_copy_report *out)
{
  copy_job *c = copy_new(out);
  int rc;
  if (!c) return SVC_NOMEM;
  rc = copy_open(c, &c->from, from);
  if (rc == SVC_OK) rc = copy_check_source(c, &c->from);
  if (rc == SVC_OK) rc = copy_open(c, &c->to, to);
  if (rc == SVC_OK) rc = copy_check_source(c, &c->to);
  if (rc == SVC_OK) rc = copy_compare(c);
  svc_rows_close(&c->from.rows);
  svc_rows_close(&c->to.rows);
  return copy_free(c, rc);
}
