/*
** Entities: records with their index entries, their due dates and the counts of their lists.
**
** The rule: all of these are written together, here, and nowhere else.
*/
#include "internal.h"

SVC_PRIVATE int svc_entity_find(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *scope, svc_str unique,
                                svc_entity *out)
{
  svc_id id;
  int rc = svc_unique_find(txn, kind, scope, !svc_id_eq(scope, parent), unique, &id);
  if (rc != SVC_OK) return rc;
  rc = svc_entity_get(txn, kind, parent, &id, out);
  return rc == SVC_NOT_FOUND ? svc_note(txn, SVC_CORRUPT) : rc;
}

SVC_PRIVATE uint64_t svc_entity_count(svc_txn *txn, const char *kind, const svc_id *parent)
{
  int64_t count = svc_list_count(txn, 'e', kind, parent);
  return count > 0 ? (uint64_t)count : 0;
}

SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, svc_entity *e)
{
  svc_list_end last;
  int64_t due = e->due;
  e->due = 0;
  if (due) svc_due_set(txn, e, due);
  svc_list_last(txn, 'e', e->kind, &e->parent, &last);
  svc_index_insert(txn, a, e, &last);
  e->ordinal = svc_list_next(txn, 'e', e->kind, &e->parent, &last, &e->id);
  svc_record_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_entity *old)
{
  int64_t due = e->due;
  e->ordinal = old->ordinal;
  e->due = old->due;
  if (due != old->due) svc_due_set(txn, e, due);
  svc_index_update(txn, a, e, old);
  svc_record_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_remove(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  svc_key key;
  int64_t before;
  if (e->due) {
    svc_key_due(&key, e->due, e->kind, &e->parent, &e->id);
    svc_remove(txn, &key);
  }
  svc_index_remove(txn, a, e);
  before = svc_list_count(txn, 'e', e->kind, &e->parent);
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  svc_remove(txn, &key);
  svc_list_removed(txn, 'e', e->kind, &e->parent, before);
  svc_index_removed(txn, a, e);
  return txn->error;
}
