/*
** Rows of a store in batches: see rows.h.
*/
#include "ports/transfer/rows.h"

#define ROWS_TRIES 16 /* lost to another writer, or without room */
#define ROWS_SLACK 1000000 /* transaction numbers that the source may use while it is read, and afterwards */

/* The bounds of the ranges that are read one after the other. Counters lie between records, from "c" to "d". Only that range is read as
** both, because PostgreSQL keeps counters in a separate table. */
static const svc_str rows_edges[] = { { "\1", 1 }, { "c", 1 }, { "d", 1 }, { "\377", 1 } };
#define ROWS_RANGES (sizeof rows_edges / sizeof rows_edges[0] - 1)

static const svc_range rows_whole = { { "\1", 1 }, { "\377", 1 }, false, 0 };
static const svc_str rows_mark = { SVC_COPY_MARK, sizeof SVC_COPY_MARK - 1 };

int svc_rows_open(svc_rows *r, const svc_config *config, char *why, size_t why_size)
{
  r->port = config->store ? config->store : svc_lmdb_store();
  return r->port->open(&r->store, config, why, why_size);
}

void svc_rows_close(svc_rows *r)
{
  svc_rows_end(r);
  if (r->store) r->port->close(r->store);
  r->store = NULL;
}

static void rows_go_to(svc_rows *r, size_t range)
{
  r->range = range;
  if (range < ROWS_RANGES) memcpy(r->key, rows_edges[range].p, r->key_n = rows_edges[range].n);
}

int svc_rows_begin(svc_rows *r)
{
  rows_go_to(r, 0);
  r->n = r->at = 0;
  r->most = SVC_ROWS_BATCH;
  return r->txn ? SVC_OK : r->port->read_begin(r->store, &r->txn);
}

void svc_rows_end(svc_rows *r)
{
  if (r->txn) r->port->read_end(r->txn);
  r->txn = NULL;
}

/* A batch that took too much memory is followed by a smaller one. */
static void rows_measure(svc_rows *r)
{
  size_t bytes = 0, i;
  for (i = 0; i < r->n; i++) bytes += r->rows[i].key.n + r->rows[i].value.n;
  if (bytes > SVC_ROWS_BYTES && r->most > 1) r->most /= 2;
  else if (bytes < SVC_ROWS_BYTES / 4 && r->most < SVC_ROWS_BATCH) r->most *= 2;
}

int svc_rows_fill(svc_rows *r)
{
  int rc = SVC_OK;
  r->n = r->at = 0;
  while (rc == SVC_OK && r->n == 0 && r->range < ROWS_RANGES) {
    const svc_range range = { { r->key, r->key_n }, rows_edges[r->range + 1], false, 0 };
    size_t most = r->most;
    if (r->port->forget) r->port->forget(r->txn);
    rc = r->port->scan(r->txn, &range, r->rows, most, &r->n);
    if (rc != SVC_OK) break;
    if (r->n < most) {
      rows_go_to(r, r->range + 1);
    } else {
      svc_str last = r->rows[r->n - 1].key;
      memcpy(r->key, last.p, last.n);
      r->key[last.n] = 0;
      r->key_n = last.n + 1;
    }
    rows_measure(r);
  }
  return rc;
}

const svc_row *svc_rows_next(svc_rows *r, int *rc)
{
  if (r->at == r->n) *rc = svc_rows_fill(r);
  return *rc == SVC_OK && r->at < r->n ? &r->rows[r->at++] : NULL;
}

int svc_rows_source(svc_rows *r)
{
  svc_str value;
  svc_row row;
  size_t n = 0;
  int rc = svc_rows_begin(r);
  if (rc == SVC_OK) rc = r->port->get(r->txn, rows_mark, &value);
  if (rc == SVC_OK) return SVC_UNFINISHED;
  if (rc == SVC_NOT_FOUND) rc = r->port->scan(r->txn, &rows_whole, &row, 1, &n);
  return rc == SVC_OK && n == 0 ? SVC_NOT_FOUND : rc;
}

int svc_rows_number(const svc_rows *r, uint64_t *number)
{
  svc_txn *txn;
  int rc = r->port->write_begin(r->store, &txn);
  if (rc != SVC_OK) return rc;
  *number = r->port->number(txn);
  rc = txn->error;
  r->port->abort(txn);
  return rc;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

bool svc_row_is_count(const svc_row *row)
{
  return (unsigned char)row->key.p[0] == SVC_COUNT_LETTER;
}

int svc_row_put(svc_txn *txn, const svc_row *row)
{
  int64_t count;
  if (!svc_row_is_count(row)) return txn->port->put(txn, row->key, row->value);
  if (row->value.n != sizeof count) return SVC_CORRUPT;
  memcpy(&count, row->value.p, sizeof count);
  return txn->port->count_add(txn, row->key, count);
}

int svc_rows_commit(const svc_rows *r, int (*work)(void *context, svc_txn *txn), void *context)
{
  svc_txn *txn;
  int rc, tries = 0;
  do {
    rc = r->port->write_begin(r->store, &txn);
    if (rc != SVC_OK) continue;
    rc = work(context, txn);
    if (rc == SVC_OK) rc = r->port->commit(txn);
    else r->port->abort(txn);
    if (rc != SVC_NO_ROOM) continue;
    rc = r->port->room(r->store, SVC_ROOM_MORE);
    if (rc == SVC_OK) rc = SVC_RETRY;
  } while (rc == SVC_RETRY && ++tries < ROWS_TRIES);
  return rc == SVC_RETRY ? SVC_BUSY : rc;
}

static int rows_put_mark(void *number, svc_txn *txn)
{
  svc_str value;
  svc_row row;
  size_t n = 0;
  int rc = txn->port->get(txn, rows_mark, &value);
  if (rc == SVC_NOT_FOUND) rc = txn->port->scan(txn, &rows_whole, &row, 1, &n);
  else if (rc == SVC_OK) n = 1;
  if (rc == SVC_OK && n) return SVC_EXISTS;
  if (rc == SVC_OK) rc = txn->port->numbers_from(txn, *(uint64_t *)number + ROWS_SLACK);
  return rc == SVC_OK ? txn->port->put(txn, rows_mark, (svc_str){ "unfinished", 10 }) : rc;
}

static int rows_take_mark(void *nothing, svc_txn *txn)
{
  (void)nothing;
  return txn->port->remove(txn, rows_mark);
}

int svc_rows_mark(const svc_rows *r, uint64_t number)
{
  return svc_rows_commit(r, rows_put_mark, &number);
}

int svc_rows_unmark(const svc_rows *r)
{
  return svc_rows_commit(r, rows_take_mark, NULL);
}
