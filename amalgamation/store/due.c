/*
** Due steps: changes that happen when the clock reaches a time.
**
** A resource may wait for several things: a state that moves on, an expiry, the next run of a schedule. Each has a tag, and
** each tag has one date.
**
** The rule: the record of a resource holds its dates, and each date has an entry of its own ("d" in keys.c); one transaction writes both. A
** crash loses nothing, and later requests catch up.
*/
#include "store/store.h"

SVC_PRIVATE int64_t svc_due_get(const svc_entity *e, int tag)
{
  unsigned i;
  for (i = 0; i < e->due_count; i++)
    if (e->dues[i].tag == tag) return e->dues[i].when;
  return 0;
}

SVC_PRIVATE void svc_due_set(svc_entity *e, int tag, int64_t when)
{
  unsigned i = 0;
  while (i < e->due_count && e->dues[i].tag != tag) i++;
  if (when == 0) {
    if (i < e->due_count) e->dues[i] = e->dues[--e->due_count];
    return;
  }
  if (i == SVC_DUES) return; /* cannot happen: no noun uses more tags (enum svc_due_tag) */
  if (i == e->due_count) e->due_count++;
  e->dues[i].tag = (unsigned char)tag;
  e->dues[i].when = when;
}

static void due_entry(svc_txn *txn, const svc_entity *e, const svc_due *due, bool put)
{
  svc_due_entry entry;
  svc_key key;
  entry.when = due->when;
  memcpy(entry.kind, e->kind, SVC_KIND_SIZE);
  entry.parent = e->parent;
  entry.id = e->id;
  entry.tag = due->tag;
  svc_key_due(&key, &entry);
  if (put) svc_put(txn, &key, SVC_S(""));
  else svc_remove(txn, &key);
}

SVC_PRIVATE void svc_dues_write(svc_txn *txn, const svc_entity *e, const svc_entity *old)
{
  unsigned i;
  for (i = 0; old && i < old->due_count; i++)
    if (!e || svc_due_get(e, old->dues[i].tag) != old->dues[i].when) due_entry(txn, old, &old->dues[i], false);
  for (i = 0; e && i < e->due_count; i++)
    if (!old || svc_due_get(old, e->dues[i].tag) != e->dues[i].when) due_entry(txn, e, &e->dues[i], true);
}

SVC_PRIVATE void svc_due_noted(svc_txn *txn, const svc_key *key)
{
  int64_t when = svc_key_time_at((const char *)key->b + 1);
  if (txn->ids && when < txn->ids->due) txn->ids->due = when;
}

SVC_PRIVATE void svc_due_begin(svc_scan *scan, svc_txn *txn)
{
  svc_key prefix;
  svc_key_begin(&prefix, SVC_DUE_LETTER);
  svc_scan_below(scan, txn, &prefix, false);
  svc_scan_expect(scan, 1);
}

SVC_PRIVATE bool svc_due_decode(svc_str key, svc_due_entry *out)
{
  const char *p = key.p + 9;
  if (key.n != 1 + 8 + SVC_KIND_SIZE + 24 + 1) return false;
  out->when = svc_key_time_at(key.p + 1);
  memcpy(out->kind, p, SVC_KIND_SIZE);
  memcpy(out->parent.b, p + SVC_KIND_SIZE, 12);
  memcpy(out->id.b, p + SVC_KIND_SIZE + 12, 12);
  out->tag = (unsigned char)p[SVC_KIND_SIZE + 24];
  return true;
}

SVC_PRIVATE bool svc_due_next(svc_scan *scan, svc_due_entry *out)
{
  svc_str key, value;
  while (svc_scan_next(scan, &key, &value))
    if (svc_due_decode(key, out)) return true; /* an invalid entry is skipped; svc_check_store() reports it */
  return false;
}

SVC_PRIVATE bool svc_due_first(svc_txn *txn, svc_due_entry *out)
{
  svc_scan scan;
  svc_due_begin(&scan, txn);
  return svc_due_next(&scan, out);
}
