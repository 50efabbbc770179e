/*
** Lookups of entities by a unique value, below one parent or below any, and by the id alone, without the parent.
**
** keys.c draws the entries. The rule: the transaction that writes a record also writes its entries. A unique value leads to kind and id, an
** id to the parent.
*/
#include "store/store.h"

SVC_PRIVATE const char *svc_entity_names(const svc_entity *e)
{
  return e->names[0] ? e->names : e->kind;
}

static bool index_key(const svc_entity *e, svc_key *key)
{
  if (e->flags & SVC_ENTITY_SHARED_NAME || e->unique.n == 0) return false;
  svc_key_unique(key, svc_entity_names(e), e->unique, &e->parent);
  return true;
}

SVC_PRIVATE void svc_index_put(svc_txn *txn, const svc_entity *e)
{
  unsigned char value[SVC_KIND_SIZE + 12];
  svc_key key;
  memcpy(value, e->kind, SVC_KIND_SIZE);
  memcpy(value + SVC_KIND_SIZE, e->id.b, 12);
  if (index_key(e, &key)) svc_put(txn, &key, (svc_str){ (const char *)value, sizeof value });
  if (!(e->flags & SVC_ENTITY_BY_ID)) return;
  svc_key_by_id(&key, e->kind, &e->id);
  svc_put(txn, &key, (svc_str){ (const char *)e->parent.b, sizeof e->parent.b });
}

SVC_PRIVATE void svc_index_drop(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  if (index_key(e, &key)) svc_remove(txn, &key);
  if (!(e->flags & SVC_ENTITY_BY_ID)) return;
  svc_key_by_id(&key, e->kind, &e->id);
  svc_remove(txn, &key);
}

static bool index_entry(svc_str value, svc_named *out)
{
  if (value.n != SVC_KIND_SIZE + 12) return false;
  memcpy(out->kind, value.p, SVC_KIND_SIZE);
  memcpy(out->id.b, value.p + SVC_KIND_SIZE, 12);
  return true;
}

SVC_PRIVATE int svc_named_get(svc_txn *txn, const char *names, const svc_id *scope, svc_str value, svc_named *out)
{
  svc_key key;
  svc_str entry;
  int rc;
  svc_key_unique(&key, names, value, scope);
  rc = svc_get(txn, &key, &entry);
  if (rc != SVC_OK) return rc;
  out->scope = *scope;
  return index_entry(entry, out) ? SVC_OK : svc_note(txn, SVC_CORRUPT);
}

SVC_PRIVATE void svc_named_begin(svc_scan *scan, svc_txn *txn, const char *names, svc_str value)
{
  svc_key prefix;
  bool none;
  svc_key_unique(&prefix, names, value, NULL);
  none = prefix.n == 0;
  if (none) svc_note(txn, SVC_NOMEM), svc_key_begin(&prefix, 'u');
  svc_scan_below(scan, txn, &prefix, false);
  svc_scan_expect(scan, 1);
  scan->prefix_length = prefix.n;
  scan->ended = none;
}

SVC_PRIVATE bool svc_named_next(svc_scan *scan, svc_named *out)
{
  svc_str key, value;
  while (svc_scan_next(scan, &key, &value)) {
    if (key.n != scan->prefix_length + 12) continue; /* a longer value with the same beginning */
    if (!index_entry(value, out)) return svc_note(scan->txn, SVC_CORRUPT), false;
    memcpy(out->scope.b, key.p + scan->prefix_length, 12);
    return true;
  }
  return false;
}

SVC_PRIVATE int svc_entity_by_id(svc_txn *txn, const char *kind, const svc_id *id, svc_entity *out)
{
  svc_key key;
  svc_str value;
  svc_id parent;
  int rc;
  svc_key_by_id(&key, kind, id);
  rc = svc_get(txn, &key, &value);
  if (rc != SVC_OK) return rc;
  if (value.n != sizeof parent.b) return svc_note(txn, SVC_CORRUPT);
  memcpy(parent.b, value.p, sizeof parent.b);
  rc = svc_entity_get(txn, kind, &parent, id, out);
  return rc == SVC_NOT_FOUND ? svc_note(txn, SVC_CORRUPT) : rc;
}

/* The parents of these ids; zero: not found. */
static int index_parents(svc_txn *txn, const char *kind, const svc_id *ids, size_t n, svc_id *parents)
{
  svc_key keys[SVC_MANY];
  svc_str texts[SVC_MANY] = { { NULL, 0 } }, values[SVC_MANY];
  size_t i;
  int rc;
  for (i = 0; i < n; i++) {
    svc_key_by_id(&keys[i], kind, &ids[i]);
    texts[i] = svc_key_str(&keys[i]);
  }
  rc = svc_get_many(txn, texts, n, values);
  memset(parents, 0, n * sizeof *parents);
  for (i = 0; i < n && rc == SVC_OK; i++)
    if (values[i].p && values[i].n == sizeof parents[i].b) memcpy(parents[i].b, values[i].p, sizeof parents[i].b);
  return rc;
}

SVC_PRIVATE int svc_entities_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *ids, size_t n, svc_entity *out)
{
  svc_key keys[SVC_MANY];
  svc_str texts[SVC_MANY] = { { NULL, 0 } }, values[SVC_MANY];
  svc_id parents[SVC_MANY];
  size_t i;
  int rc = parent ? SVC_OK : index_parents(txn, kind, ids, n, parents);
  if (rc != SVC_OK) return rc;
  for (i = 0; i < n; i++) {
    svc_key_entity(&keys[i], kind, parent ? parent : &parents[i], &ids[i]);
    texts[i] = svc_key_str(&keys[i]);
  }
  rc = svc_get_many(txn, texts, n, values);
  for (i = 0; i < n && rc == SVC_OK; i++) {
    out[i].kind = values[i].p ? kind : NULL;
    if (values[i].p && !svc_entity_decode(texts[i], values[i], &out[i])) rc = svc_note(txn, SVC_CORRUPT);
  }
  return rc;
}

SVC_PRIVATE int svc_entity_named(svc_txn *txn, const char *kind, const char *names, const svc_id *parent, svc_str unique,
                                 svc_entity *out)
{
  svc_named found;
  int rc = svc_named_get(txn, names ? names : kind, parent, unique, &found);
  /* the value belongs to another noun that shares the name space */
  if (rc == SVC_OK && memcmp(found.kind, kind, SVC_KIND_SIZE) != 0) rc = SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc;
  rc = svc_entity_get(txn, kind, parent, &found.id, out);
  return rc == SVC_NOT_FOUND ? svc_note(txn, SVC_CORRUPT) : rc;
}
