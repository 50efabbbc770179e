/*
** Access to records in a transaction: single records, several at once, and all of a range in batches.
**
** The rule: the transaction remembers every error except "not found". Callers may treat each failure as an end; the code
** that began the transaction checks the error. A scan needs no closing: it owns nothing, and its rows stay valid as long
** as its transaction. Writes into its range during the scan may or may not be seen.
*/
#include "store/store.h"

#define SCAN_MOST_EXPECTED 500 /* rows that are announced to a port at once */
#define SCAN_ROOM_MOST ((size_t)1 << 30) /* bytes; a limit for damaged counts */

SVC_PRIVATE int svc_note(svc_txn *txn, int rc)
{
  if (rc != SVC_OK && rc != SVC_NOT_FOUND && txn->error == SVC_OK) txn->error = rc;
  return rc;
}

SVC_PRIVATE int svc_get(svc_txn *txn, const svc_key *key, svc_str *value)
{
  return svc_note(txn, !key->n ? SVC_NOMEM : txn->port->get(txn, svc_key_str(key), value));
}

SVC_PRIVATE int svc_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  return svc_note(txn, txn->port->get_many(txn, keys, n, values));
}

SVC_PRIVATE int svc_put(svc_txn *txn, const svc_key *key, svc_str value)
{
  txn->dirty = true;
  if (SVC_IS_SHARED(txn->port) && key->b[0] == SVC_DUE_LETTER) svc_due_noted(txn, key);
  return txn->error ? txn->error : svc_note(txn, !key->n ? SVC_NOMEM : txn->port->put(txn, svc_key_str(key), value));
}

SVC_PRIVATE int svc_remove(svc_txn *txn, const svc_key *key)
{
  txn->dirty = true;
  return txn->error ? txn->error : svc_note(txn, !key->n ? SVC_NOMEM : txn->port->remove(txn, svc_key_str(key)));
}

SVC_PRIVATE int svc_remove_below(svc_txn *txn, const svc_key *prefix)
{
  svc_key end;
  svc_key_behind(&end, prefix);
  txn->dirty = true;
  return txn->error ? txn->error : svc_note(txn, txn->port->remove_range(txn, svc_key_str(prefix), svc_key_str(&end)));
}

SVC_PRIVATE uint64_t svc_count(svc_txn *txn, const char *kind, const svc_id *parent)
{
  int64_t count = 0;
  svc_key key;
  svc_key_count(&key, kind, parent);
  svc_note(txn, txn->port->count(txn, svc_key_str(&key), &count));
  return count > 0 ? (uint64_t)count : 0;
}

/* A damaged count may be any number: the product must not overflow, and no absurd amount of memory is requested. */
SVC_PRIVATE size_t svc_count_room(svc_txn *txn, const char *kind, const svc_id *parent, size_t each)
{
  uint64_t count = svc_count(txn, kind, parent);
  if (count <= SCAN_ROOM_MOST / each) return (size_t)count;
  svc_note(txn, SVC_CORRUPT);
  return 0;
}

SVC_PRIVATE void svc_count_add(svc_txn *txn, const char *kind, const svc_id *parent, int64_t delta)
{
  svc_key key;
  svc_key_count(&key, kind, parent);
  txn->dirty = true;
  if (txn->error == SVC_OK) svc_note(txn, txn->port->count_add(txn, svc_key_str(&key), delta));
}

/* ---------------------------------------------------------------------------------------------------------------- scans */

SVC_PRIVATE void svc_scan_below(svc_scan *scan, svc_txn *txn, const svc_key *prefix, bool backwards)
{
  scan->txn = txn;
  memcpy(scan->from.b, prefix->b, prefix->n);
  scan->from.n = prefix->n;
  svc_key_behind(&scan->to, prefix);
  scan->backwards = backwards;
  scan->skip = scan->left = 0;
  scan->batch = SVC_SCAN_BATCH;
  scan->at = scan->n = 0;
  scan->ended = false;
}

SVC_PRIVATE void svc_scan_expect(svc_scan *scan, uint64_t rows)
{
  scan->left = rows;
  scan->batch = rows < SVC_SCAN_BATCH ? rows ? (unsigned)rows : 1 : SVC_SCAN_BATCH;
  if (SVC_IS_SHARED(scan->txn->port) && rows > SVC_SCAN_BATCH && scan->txn->port->expect)
    scan->txn->port->expect(scan->txn, NULL, 0, rows < SCAN_MOST_EXPECTED ? rows : SCAN_MOST_EXPECTED);
}

/* Moves the range behind the last row, in the direction of the scan. */
static void scan_go_on(svc_scan *scan)
{
  svc_key *edge = scan->backwards ? &scan->to : &scan->from;
  svc_str last = scan->rows[scan->n - 1].key;
  memcpy(edge->b, last.p, last.n);
  edge->n = last.n;
  if (!scan->backwards) edge->b[edge->n++] = 0;
  scan->skip = 0;
}

static bool scan_fill(svc_scan *scan)
{
  svc_range range;
  size_t n;
  if (scan->n) scan_go_on(scan);
  if (scan->ended) return false;
  range = (svc_range){ svc_key_str(&scan->from), svc_key_str(&scan->to), scan->backwards, scan->skip };
  scan->at = scan->n = 0;
  if (svc_note(scan->txn, scan->txn->port->scan(scan->txn, &range, scan->rows, scan->batch, &n)) != SVC_OK) {
    scan->ended = true;
    return false;
  }
  scan->n = (unsigned)n;
  scan->ended = n < scan->batch;
  scan->left = scan->left > n ? scan->left - n : SVC_SCAN_BATCH; /* a caller that goes beyond its estimate probably wants many rows */
  scan->batch = scan->left < SVC_SCAN_BATCH ? (unsigned)scan->left : SVC_SCAN_BATCH;
  return n > 0;
}

/* A port may keep all rows until the transaction ends: a walk over everything would hold the whole store in memory. */
SVC_PRIVATE void svc_scan_forget(svc_scan *scan)
{
  if (!SVC_IS_SHARED(scan->txn->port) || !scan->txn->port->forget || !scan->n || scan->at < scan->n) return;
  scan_go_on(scan);
  scan->at = scan->n = 0;
  scan->txn->port->forget(scan->txn);
}

SVC_PRIVATE bool svc_scan_more(svc_scan *scan)
{
  return scan->at < scan->n || scan_fill(scan);
}

SVC_PRIVATE bool svc_scan_next(svc_scan *scan, svc_str *key, svc_str *value)
{
  if (scan->at == scan->n && !scan_fill(scan)) return false;
  *key = scan->rows[scan->at].key;
  *value = scan->rows[scan->at++].value;
  return true;
}
