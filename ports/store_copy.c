/*
** Moving house: a store into another, whatever their engines are.
**
** One read transaction of the source is all there is of it, so what is copied is one state. It is written in batches, each a
** transaction of the target: it has so many rows and no more, and fewer where rows are large, as records of a body are at the most. A
** store of any size takes the memory of a batch.
**
** The rule: half a copy is never taken for a store. The first transaction finds the target empty and puts a mark into it
** (SVC_COPY_MARK), which svc_open() refuses; the last one takes it away. Between them everything is read again from the beginning, both
** sides beside each other: records and counts, key by key and value by value. Whatever ends it before, a crash or a difference, leaves
** the mark.
**
** Counts are copied as what they come to, and what is a port's own, the keys that begin with a zero byte, not at all. Revisions are
** numbers of transactions, so the target's go on behind those of the source.
*/
#include "ports/store_port.h"
#include "ports/store_copy.h"

#include <mbedtls/sha256.h>

#define COPY_ROWS 256 /* of a batch */
#define COPY_BYTES ((size_t)4 << 20) /* of a batch: one with more is followed by one with half as many rows */
#define COPY_TRIES 16 /* that another writer may spoil, or that may find no room */
#define COPY_SLACK 1000000 /* numbers that may be taken in the source while it is copied, and behind that */

/* Counts stand between records, and are looked for only where they are: who has them apart has to bring both into one order. */
static const svc_str copy_edges[] = { { "\1", 1 }, { "c", 1 }, { "d", 1 }, { "\377", 1 } };
#define COPY_RANGES (sizeof copy_edges / sizeof copy_edges[0] - 1)

/* One of both, and how far it was read. */
typedef struct copy_end {
  const svc_store_port *port;
  svc_store *store;
  svc_txn *txn;
  svc_row rows[COPY_ROWS];
  size_t n, at, most; /* rows; those that were used; those that are asked for at once */
  size_t range;       /* which one: COPY_RANGES: all were read */
  char key[SVC_KEY_MOST + 1]; /* from where it goes on in it */
  size_t key_n;
  svc_copy_side *side;
  mbedtls_sha256_context hash;
} copy_end;

typedef struct copy_job {
  copy_end from, to;
  uint64_t number;
  svc_copy_report *report;
} copy_job;

static const svc_range copy_whole = { { "\1", 1 }, { "\377", 1 }, false, 0 };
static const svc_str copy_mark = { SVC_COPY_MARK, sizeof SVC_COPY_MARK - 1 };

static bool copy_is_count(const svc_row *row)
{
  return (unsigned char)row->key.p[0] == SVC_COUNT_LETTER;
}

static int copy_why(copy_job *c, int rc, const char *why)
{
  if (!c->report->why[0]) snprintf(c->report->why, sizeof c->report->why, "%s", why);
  return rc;
}

/* -------------------------------------------------------------------------------------------------------------- reading */

static void copy_go_to(copy_end *e, size_t range)
{
  e->range = range;
  if (range < COPY_RANGES) memcpy(e->key, copy_edges[range].p, e->key_n = copy_edges[range].n);
}

static int copy_begin(copy_end *e)
{
  copy_go_to(e, 0);
  e->n = e->at = 0;
  e->most = COPY_ROWS;
  return e->txn ? SVC_OK : e->port->read_begin(e->store, &e->txn);
}

static void copy_end_read(copy_end *e)
{
  if (e->txn) e->port->read_end(e->txn);
  e->txn = NULL;
}

/* As many rows as were asked for may have been too much for the memory that they shall take. */
static void copy_measure(copy_end *e)
{
  size_t bytes = 0, i;
  for (i = 0; i < e->n; i++) bytes += e->rows[i].key.n + e->rows[i].value.n;
  if (bytes > COPY_BYTES && e->most > 1) e->most /= 2;
  else if (bytes < COPY_BYTES / 4 && e->most < COPY_ROWS) e->most *= 2;
}

/* The next batch; e->n 0: there is none. Nobody has the one before any more. */
static int copy_fill(copy_end *e)
{
  int rc = SVC_OK;
  e->n = e->at = 0;
  while (rc == SVC_OK && e->n == 0 && e->range < COPY_RANGES) {
    const svc_range range = { { e->key, e->key_n }, copy_edges[e->range + 1], false, 0 };
    size_t most = e->most;
    if (e->port->forget) e->port->forget(e->txn);
    rc = e->port->scan(e->txn, &range, e->rows, most, &e->n);
    if (rc != SVC_OK) break;
    if (e->n < most) {
      copy_go_to(e, e->range + 1);
    } else {
      svc_str last = e->rows[e->n - 1].key;
      memcpy(e->key, last.p, last.n);
      e->key[last.n] = 0;
      e->key_n = last.n + 1;
    }
    copy_measure(e);
  }
  return rc;
}

/* The next row; NULL: there is none, or *rc says why. */
static const svc_row *copy_next(copy_end *e, int *rc)
{
  if (e->at == e->n) *rc = copy_fill(e);
  return *rc == SVC_OK && e->at < e->n ? &e->rows[e->at++] : NULL;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

/* One transaction of the target, as often as it takes. */
static int copy_commit(copy_job *c, int (*work)(copy_job *c, svc_txn *txn))
{
  const svc_store_port *port = c->to.port;
  svc_txn *txn;
  int rc, tries = 0;
  do {
    rc = port->write_begin(c->to.store, &txn);
    if (rc != SVC_OK) continue;
    rc = work(c, txn);
    if (rc == SVC_OK) rc = port->commit(txn);
    else port->abort(txn);
    if (rc != SVC_NO_ROOM) continue;
    rc = port->room(c->to.store, SVC_ROOM_MORE);
    if (rc == SVC_OK) rc = SVC_RETRY;
  } while (rc == SVC_RETRY && ++tries < COPY_TRIES);
  return rc == SVC_RETRY ? SVC_BUSY : rc;
}

/* Into an empty store, and no other. */
static int copy_put_mark(copy_job *c, svc_txn *txn)
{
  const svc_store_port *port = c->to.port;
  svc_str value;
  svc_row row;
  size_t n = 0;
  int rc = port->get(txn, copy_mark, &value);
  if (rc == SVC_NOT_FOUND) rc = port->scan(txn, &copy_whole, &row, 1, &n);
  else if (rc == SVC_OK) n = 1;
  if (rc == SVC_OK && n) return copy_why(c, SVC_EXISTS, "the target is not empty, and stays as it is");
  if (rc == SVC_OK) rc = port->numbers_from(txn, c->number + COPY_SLACK);
  return rc == SVC_OK ? port->put(txn, copy_mark, (svc_str){ "unfinished", 10 }) : rc;
}

static int copy_take_mark(copy_job *c, svc_txn *txn)
{
  return c->to.port->remove(txn, copy_mark);
}

static int copy_put_batch(copy_job *c, svc_txn *txn)
{
  const svc_store_port *port = c->to.port;
  int64_t count;
  size_t i;
  int rc = SVC_OK;
  for (i = 0; i < c->from.n && rc == SVC_OK; i++) {
    const svc_row *row = &c->from.rows[i];
    if (!copy_is_count(row)) {
      rc = port->put(txn, row->key, row->value);
    } else if (row->value.n != sizeof count) {
      rc = SVC_CORRUPT;
    } else {
      memcpy(&count, row->value.p, sizeof count);
      rc = port->count_add(txn, row->key, count);
    }
  }
  return rc;
}

static int copy_write(copy_job *c)
{
  int rc = copy_begin(&c->from);
  while (rc == SVC_OK) {
    rc = copy_fill(&c->from);
    if (rc != SVC_OK || c->from.n == 0) break;
    rc = copy_commit(c, copy_put_batch);
  }
  return rc;
}

/* ------------------------------------------------------------------------------------------------------------ comparing */

static void copy_big_endian(unsigned char out[8], uint64_t value)
{
  int i;
  for (i = 0; i < 8; i++) out[i] = (unsigned char)(value >> (56 - 8 * i));
}

/* Sizes, key, value; a count is the same on every machine. */
static int copy_see(copy_end *e, const svc_row *row)
{
  unsigned char sizes[16], count[8];
  const unsigned char *value = (const unsigned char *)row->value.p;
  int64_t n;
  if (copy_is_count(row) && row->value.n == sizeof n) {
    memcpy(&n, row->value.p, sizeof n);
    copy_big_endian(count, (uint64_t)n);
    value = count;
  }
  if (copy_is_count(row)) e->side->counts++;
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

/* What differs is told by its place: what is stored is nobody's to read here. */
static void copy_differs(copy_job *c, uint64_t place)
{
  char why[128];
  snprintf(why, sizeof why, "they differ, for the first time in row %llu", (unsigned long long)place);
  copy_why(c, SVC_CORRUPT, why);
}

/* Both to their ends, whatever is found on the way. */
static int copy_compare(copy_job *c)
{
  const svc_row *a, *b;
  uint64_t place = 0;
  bool same = true;
  int rc = copy_begin(&c->from);
  if (rc == SVC_OK) rc = copy_begin(&c->to);
  if (rc == SVC_OK && (mbedtls_sha256_starts(&c->from.hash, 0) != 0 || mbedtls_sha256_starts(&c->to.hash, 0) != 0)) rc = SVC_IO;
  while (rc == SVC_OK) {
    a = copy_next(&c->from, &rc);
    b = rc == SVC_OK ? copy_next(&c->to, &rc) : NULL;
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

/* Is there a store to read from? The first look at it is also where its transaction begins. */
static int copy_check_source(copy_job *c, copy_end *e)
{
  svc_str value;
  svc_row row;
  size_t n = 0;
  int rc = copy_begin(e);
  if (rc == SVC_OK) rc = e->port->get(e->txn, copy_mark, &value);
  if (rc == SVC_OK) return copy_why(c, SVC_UNFINISHED, svc_strerror(SVC_UNFINISHED));
  if (rc == SVC_NOT_FOUND) rc = e->port->scan(e->txn, &copy_whole, &row, 1, &n);
  return rc == SVC_OK && n == 0 ? copy_why(c, SVC_CORRUPT, "there is no store to read from") : rc;
}

static int copy_open(copy_job *c, copy_end *e, const svc_config *config)
{
  e->port = config->store ? config->store : svc_lmdb_store();
  return e->port->open(&e->store, config, c->report->why, sizeof c->report->why);
}

static void copy_close(copy_end *e)
{
  copy_end_read(e);
  if (e->store) e->port->close(e->store);
  e->store = NULL;
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

/* The source is open. */
static int copy_all(copy_job *c, const svc_config *to)
{
  int rc = copy_open(c, &c->to, to);
  if (rc == SVC_OK) rc = copy_commit(c, copy_put_mark);
  if (rc == SVC_OK) rc = copy_write(c);
  if (rc == SVC_OK) rc = copy_compare(c);
  copy_end_read(&c->to);
  if (rc == SVC_OK) rc = copy_commit(c, copy_take_mark);
  return rc;
}

int svc_store_copy(const svc_store_port *port, svc_store *store, uint64_t number, const svc_config *to, svc_copy_report *out)
{
  copy_job *c = copy_new(out);
  int rc;
  if (!c) return SVC_NOMEM;
  c->from.port = port;
  c->from.store = store;
  c->number = number;
  rc = copy_check_source(c, &c->from);
  if (rc == SVC_OK) rc = copy_all(c, to);
  copy_end_read(&c->from);
  copy_close(&c->to);
  return copy_free(c, rc);
}

/* The number of a transaction that nothing comes of. */
static int copy_number(copy_job *c)
{
  svc_txn *txn;
  int rc = c->from.port->write_begin(c->from.store, &txn);
  if (rc != SVC_OK) return rc;
  c->number = c->from.port->number(txn);
  rc = txn->error;
  c->from.port->abort(txn);
  return rc;
}

int svc_copy_store(const svc_config *from, const svc_config *to, svc_copy_report *out)
{
  copy_job *c = copy_new(out);
  int rc;
  if (!c) return SVC_NOMEM;
  rc = copy_open(c, &c->from, from);
  if (rc == SVC_OK) rc = copy_check_source(c, &c->from);
  if (rc == SVC_OK) rc = copy_number(c);
  if (rc == SVC_OK) rc = copy_all(c, to);
  copy_close(&c->from);
  copy_close(&c->to);
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
  copy_close(&c->from);
  copy_close(&c->to);
  return copy_free(c, rc);
}
