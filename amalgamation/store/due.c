/*
** What is to happen when.
**
** The rule: an entity has at most one entry here, and its record says when; both are written in the transaction that
** brings the entity into the state it will leave. A crash loses nothing, and whoever looks later catches up.
*/
#include "internal.h"

SVC_PRIVATE int svc_due_set(svc_txn *txn, svc_entity *e, int64_t when)
{
  svc_key key;
  if (e->due) {
    svc_key_due(&key, e->due, e->kind, &e->parent, &e->id);
    svc_remove(txn, &key);
  }
  e->due = when;
  if (when) {
    svc_key_due(&key, when, e->kind, &e->parent, &e->id);
    svc_put(txn, &key, SVC_S(""));
  }
  return txn->error;
}

SVC_PRIVATE bool svc_due_begin(svc_scan *scan, svc_txn *txn)
{
  svc_key prefix;
  svc_key_due(&prefix, 0, NULL, NULL, NULL);
  return svc_scan_begin(scan, txn, &prefix, false);
}

SVC_PRIVATE bool svc_due_next(svc_scan *scan, svc_due_entry *out)
{
  svc_str key, value;
  const unsigned char *p;
  uint64_t v = 0;
  int i;
  if (!svc_scan_next(scan, &key, &value) || key.n != 1 + 8 + SVC_KIND_SIZE + 24) return false;
  p = (const unsigned char *)key.p + 1;
  for (i = 0; i < 8; i++) v = v << 8 | *p++;
  out->when = (int64_t)v;
  memcpy(out->kind, p, SVC_KIND_SIZE);
  memcpy(out->parent.b, p + SVC_KIND_SIZE, 12);
  memcpy(out->id.b, p + SVC_KIND_SIZE + 12, 12);
  return true;
}

SVC_PRIVATE bool svc_due_first(svc_txn *txn, svc_due_entry *out)
{
  svc_scan scan;
  bool found = svc_due_begin(&scan, txn) && svc_due_next(&scan, out);
  svc_scan_end(&scan);
  return found;
}
