/*
** Records of a transaction: single ones, and all below a prefix.
**
** The rule: whatever the store says besides "not found" is remembered in the transaction. Callers may therefore treat
** every failure as an end, and who began the transaction finds out why.
*/
#include "internal.h"

SVC_PRIVATE int svc_note(svc_txn *txn, int rc)
{
  if (rc != SVC_OK && rc != SVC_NOT_FOUND && txn->error == SVC_OK) txn->error = rc;
  return rc;
}

SVC_PRIVATE int svc_get(svc_txn *txn, const svc_key *key, svc_str *value)
{
  return svc_note(txn, txn->port->get(txn, svc_key_str(key), value));
}

SVC_PRIVATE int svc_put(svc_txn *txn, const svc_key *key, svc_str value)
{
  txn->dirty = true;
  return txn->error ? txn->error : svc_note(txn, txn->port->put(txn, svc_key_str(key), value));
}

SVC_PRIVATE int svc_remove(svc_txn *txn, const svc_key *key)
{
  txn->dirty = true;
  return txn->error ? txn->error : svc_note(txn, txn->port->remove(txn, svc_key_str(key)));
}

SVC_PRIVATE bool svc_scan_begin(svc_scan *scan, svc_txn *txn, const svc_key *prefix, bool backwards)
{
  scan->txn = txn;
  scan->cursor = NULL;
  memcpy(scan->prefix.b, prefix->b, prefix->n);
  scan->prefix.n = prefix->n;
  scan->backwards = backwards;
  scan->started = false;
  return svc_note(txn, txn->port->cursor_open(txn, &scan->cursor)) == SVC_OK;
}

static int scan_first(svc_scan *scan, svc_str *key, svc_str *value)
{
  const svc_store_port *port = scan->txn->port;
  svc_key end;
  scan->started = true;
  if (!scan->backwards) return port->cursor_from(scan->cursor, svc_key_str(&scan->prefix), key, value);
  memcpy(end.b, scan->prefix.b, scan->prefix.n);
  end.b[scan->prefix.n] = SVC_KEY_END;
  end.n = scan->prefix.n + 1;
  return port->cursor_before(scan->cursor, svc_key_str(&end), key, value);
}

/* Is this the beginning of a key? Eight bytes at a time: prefixes are short, and this is asked for every record. */
static bool scan_below(svc_str key, const svc_key *prefix)
{
  uint64_t a, b;
  size_t i, n = prefix->n;
  if (key.n < n) return false;
  if (n < 8) return memcmp(key.p, prefix->b, n) == 0;
  for (i = 0; i + 8 < n; i += 8) {
    memcpy(&a, key.p + i, 8);
    memcpy(&b, prefix->b + i, 8);
    if (a != b) return false;
  }
  memcpy(&a, key.p + n - 8, 8);
  memcpy(&b, prefix->b + n - 8, 8);
  return a == b;
}

SVC_PRIVATE bool svc_scan_next(svc_scan *scan, svc_str *key, svc_str *value)
{
  const svc_store_port *port = scan->txn->port;
  int rc;
  if (!scan->cursor) return false;
  if (!scan->started) rc = scan_first(scan, key, value);
  else if (scan->backwards) rc = port->cursor_previous(scan->cursor, key, value);
  else rc = port->cursor_next(scan->cursor, key, value);
  if (rc != SVC_OK) {
    svc_note(scan->txn, rc);
    return false;
  }
  if (!scan_below(*key, &scan->prefix)) return false;
  return key->n != scan->prefix.n + 1 || (unsigned char)key->p[scan->prefix.n] != SVC_KEY_END; /* the count: the end */
}

SVC_PRIVATE void svc_scan_end(svc_scan *scan)
{
  if (scan->cursor) scan->txn->port->cursor_close(scan->cursor);
  scan->cursor = NULL;
}
