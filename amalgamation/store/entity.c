/*
** Entities (stored resources): records with their index entries, due dates and counts.
**
** The rule: all of these are written together, and only here. Code that changes a record alone, and neither its names nor its dates, calls
** svc_record_put() instead.
*/
#include "store/store.h"

SVC_PRIVATE void svc_below_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent)
{
  svc_key prefix;
  svc_key_entity(&prefix, kind, parent, NULL);
  svc_scan_below(scan, txn, &prefix, false);
}

SVC_PRIVATE bool svc_below_next(svc_scan *scan, const char *kind, svc_entity *out)
{
  svc_str key, value;
  out->kind = kind;
  if (!svc_scan_next(scan, &key, &value)) return false;
  return svc_entity_decode(key, value, out) ? true : (svc_note(scan->txn, SVC_CORRUPT), false);
}

SVC_PRIVATE bool svc_below_first(svc_txn *txn, const char *kind, const svc_id *parent, svc_entity *out)
{
  svc_scan scan;
  svc_below_begin(&scan, txn, kind, parent);
  svc_scan_expect(&scan, 1);
  return svc_below_next(&scan, kind, out);
}

SVC_PRIVATE bool svc_below_where(svc_txn *txn, const char *kind, const svc_id *parent, const char *field, svc_str text, svc_entity *out)
{
  svc_scan scan;
  svc_below_begin(&scan, txn, kind, parent);
  while (svc_below_next(&scan, kind, out))
    if (svc_str_eq(svc_json_word(out->body, field), text)) return true;
  return false;
}

/* Whether the entity is counted. A singleton, which has id zero, is not: there is only one below a parent. */
static bool entity_counts(const svc_entity *e)
{
  return !svc_id_is_zero(&e->id);
}

static void entity_count(svc_txn *txn, const svc_entity *e, int64_t delta)
{
  if (!entity_counts(e)) return;
  svc_count_add(txn, e->kind, &e->parent, delta);
  if (e->flags & SVC_ENTITY_BY_ID) svc_count_add(txn, e->kind, NULL, delta);
  if (e->flags & SVC_ENTITY_BY_GROUP) svc_count_add(txn, e->kind, &e->scope.group, delta);
}

static int entity_write(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  svc_dues_write(txn, e, NULL);
  svc_index_put(txn, e);
  entity_count(txn, e, 1);
  svc_record_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  int rc;
  txn->fresh = true;
  rc = entity_write(txn, a, e);
  txn->fresh = false;
  return rc;
}

/* The parent or an index changed: the record is removed and inserted again. */
static bool entity_moves(const svc_entity *e, const svc_entity *old)
{
  return !svc_id_eq(&e->parent, &old->parent) || e->flags != old->flags || memcmp(e->names, old->names, SVC_KIND_SIZE) != 0;
}

SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, const svc_entity *e, const svc_entity *old)
{
  if (entity_moves(e, old)) {
    svc_entity_remove(txn, old);
    return entity_write(txn, a, e);
  }
  svc_dues_write(txn, e, old);
  if (!svc_str_eq(e->unique, old->unique)) {
    svc_index_drop(txn, old);
    svc_index_put(txn, e);
  }
  svc_record_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_remove(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  svc_dues_write(txn, NULL, e);
  svc_index_drop(txn, e);
  entity_count(txn, e, -1);
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  svc_remove(txn, &key);
  return txn->error;
}

SVC_PRIVATE int svc_entity_remove_all(svc_txn *txn, const char *kind, const svc_id *parent)
{
  svc_key key;
  svc_key_entity(&key, kind, parent, NULL);
  svc_remove_below(txn, &key);
  svc_count_add(txn, kind, parent, -(int64_t)svc_count(txn, kind, parent));
  return txn->error;
}

/* Finds the first entity to keep: removing a range is faster than removing single records. */
SVC_PRIVATE int svc_entity_remove_some(svc_txn *txn, const char *kind, const svc_id *parent, uint64_t most)
{
  svc_scan scan;
  svc_str key, value;
  svc_key from;
  svc_below_begin(&scan, txn, kind, parent);
  from = scan.from;
  scan.skip = most;
  svc_scan_expect(&scan, 1);
  if (!svc_scan_next(&scan, &key, &value)) return txn->error ? txn->error : svc_entity_remove_all(txn, kind, parent);
  txn->dirty = true;
  if (txn->error == SVC_OK) svc_note(txn, txn->port->remove_range(txn, svc_key_str(&from), key));
  svc_count_add(txn, kind, parent, -(int64_t)most);
  return txn->error;
}
