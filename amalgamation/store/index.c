/*
** How entities are found other than by their id: by a unique value, and in the list of their owner.
**
** What has an owner would have to be written in four places: its record and its event, each at the end of its list, its
** name, and its entry in the list of its owner; and every place is pages that a durable commit writes and flushes. So it
** is indexed late. The newest ones, up to SVC_LATE of them, have no entries; who looks something up reads their
** records as well. The next one that is inserted writes the entries of all, and its own.
**
** The rule: `late` in a record is how many up to this one have no entries yet. Where it is 0, this one has its entries and
** so have all before it. The late ones are therefore at the end of their list, back to the first 0, and nothing else has
** to say which they are. Whatever is not such an insert at the end indexes them first and leaves a 0 at the end.
**
** Entries are drawn in keys.c. What has no owner is indexed at once, in the scope of its parent.
*/
#include "internal.h"

/* Only what has no parent is indexed late: it is all in one list. */
static const svc_id index_root;

/* ------------------------------------------------------------------------------------------------------------ entries */

static bool index_is_owned(const svc_entity *e)
{
  return !svc_id_is_zero(&e->owner);
}

SVC_PRIVATE const svc_id *svc_entity_scope(const svc_entity *e)
{
  return index_is_owned(e) ? &e->owner : &e->parent;
}

static bool index_key(const svc_entity *e, svc_key *key)
{
  if (e->shared || e->unique.n == 0) return false;
  svc_key_unique(key, e->kind, e->unique, svc_entity_scope(e));
  return true;
}

/* The list that was written to last: several new ones often have the same owner. Zero at first. */
typedef struct index_tail {
  svc_id owner;
  svc_list_end last;
} index_tail;

static void index_put_next(svc_txn *txn, const svc_entity *e, index_tail *tail)
{
  svc_key key;
  uint32_t ordinal;
  if (index_key(e, &key)) svc_put(txn, &key, (svc_str){ (const char *)e->id.b, sizeof e->id.b });
  if (!index_is_owned(e)) return;
  if (!svc_id_eq(&tail->owner, &e->owner)) svc_list_last(txn, 'o', e->kind, &e->owner, &tail->last);
  tail->owner = e->owner;
  ordinal = svc_list_next(txn, 'o', e->kind, &e->owner, &tail->last, &e->id);
  if (ordinal > tail->last.ordinal) tail->last.id = e->id;
  else tail->last.missing--;
  tail->last.ordinal = ordinal;
  svc_key_owned(&key, e->kind, &e->owner, &e->id);
  svc_put(txn, &key, (svc_str){ (const char *)&ordinal, sizeof ordinal });
}

static void index_put(svc_txn *txn, const svc_entity *e)
{
  index_tail tail;
  memset(&tail, 0, sizeof tail);
  index_put_next(txn, e, &tail);
}

static void index_drop(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  int64_t before;
  if (index_key(e, &key)) svc_remove(txn, &key);
  if (!index_is_owned(e)) return;
  before = svc_list_count(txn, 'o', e->kind, &e->owner);
  svc_key_owned(&key, e->kind, &e->owner, &e->id);
  svc_remove(txn, &key);
  svc_list_removed(txn, 'o', e->kind, &e->owner, before);
}

/* ---------------------------------------------------------------------------------------------------------- late ones */

static bool index_late_begin(svc_scan *scan, svc_txn *txn, const char *kind)
{
  svc_key prefix;
  svc_key_entity(&prefix, kind, &index_root, NULL);
  return svc_scan_begin(scan, txn, &prefix, true);
}

/* From the newest one back. */
static bool index_late_next(svc_scan *scan, svc_entity *out)
{
  svc_str key, record;
  if (!svc_scan_next(scan, &key, &record)) return false;
  if (!svc_entity_decode(key, record, out)) return svc_note(scan->txn, SVC_CORRUPT), false;
  return out->late != 0;
}

/* Is a late one looked for? Owner NULL: of whomever; value NULL: whatever it is called. */
static bool index_is_meant(const svc_entity *e, const svc_id *owner, const svc_str *value)
{
  if (owner && !svc_id_eq(&e->owner, owner)) return false;
  return !value || (!e->shared && svc_str_eq(e->unique, *value));
}

/* The entries of all that have none. */
static void index_catch_up(svc_txn *txn, svc_arena *a, const char *kind)
{
  svc_entity late[SVC_LATE];
  index_tail tail;
  svc_scan scan;
  size_t n = 0;
  if (!index_late_begin(&scan, txn, kind)) return;
  for (; n < SVC_LATE && index_late_next(&scan, &late[n]); n++) {
    late[n].kind = kind;
    late[n].unique = svc_arena_copy(a, late[n].unique); /* what is in the store moves when it is written to */
  }
  svc_scan_end(&scan);
  if (a->failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  memset(&tail, 0, sizeof tail);
  while (n > 0 && txn->error == SVC_OK) index_put_next(txn, &late[--n], &tail);
}

/* The last one says that there are no late ones. */
static void index_close(svc_txn *txn, svc_arena *a, const char *kind)
{
  svc_list_end last;
  svc_entity e;
  svc_list_last(txn, 'e', kind, &index_root, &last);
  if (!last.late || svc_entity_get(txn, kind, &index_root, &last.id, &e) != SVC_OK) return;
  e.late = 0;
  svc_record_put(txn, a, &e); /* makes a copy first */
}

/* ------------------------------------------------------------------------------------------------------------- changes */

SVC_PRIVATE void svc_index_insert(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_list_end *last)
{
  bool at_end = svc_list_at_end(last, &e->id);
  e->late = 0;
  if (index_is_owned(e) && svc_id_is_zero(&e->parent) && at_end && last->late + 1 < SVC_LATE) {
    e->late = (uint16_t)(last->late + 1);
    return;
  }
  if (last->late) index_catch_up(txn, a, e->kind);
  if (last->late && !at_end) index_close(txn, a, e->kind);
  index_put(txn, e);
}

SVC_PRIVATE void svc_index_update(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_entity *old)
{
  bool at_root = svc_id_is_zero(&e->parent);
  svc_entity now;
  if (svc_id_eq(&e->owner, &old->owner) && svc_str_eq(e->unique, old->unique)) {
    e->late = 0; /* or what it has become since `old` was read */
    if (at_root && svc_entity_get(txn, e->kind, &e->parent, &e->id, &now) == SVC_OK) e->late = now.late;
    return;
  }
  if (at_root) index_catch_up(txn, a, e->kind);
  if (at_root) index_close(txn, a, e->kind);
  e->late = 0;
  index_drop(txn, old);
  index_put(txn, e);
}

SVC_PRIVATE void svc_index_remove(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  if (svc_id_is_zero(&e->parent)) index_catch_up(txn, a, e->kind);
  index_drop(txn, e);
}

SVC_PRIVATE void svc_index_removed(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  if (svc_id_is_zero(&e->parent)) index_close(txn, a, e->kind);
}

/* ------------------------------------------------------------------------------------------------------------ look-ups */

SVC_PRIVATE int svc_unique_find(svc_txn *txn, const char *kind, const svc_id *scope, bool owned, svc_str value, svc_id *out)
{
  svc_key key;
  svc_str found;
  svc_scan scan;
  svc_entity e;
  int rc;
  svc_key_unique(&key, kind, value, scope);
  rc = svc_get(txn, &key, &found);
  if (rc == SVC_OK && found.n == sizeof out->b) memcpy(out->b, found.p, sizeof out->b);
  else if (rc == SVC_OK) rc = svc_note(txn, SVC_CORRUPT);
  if (rc != SVC_NOT_FOUND || !owned) return rc;
  if (!index_late_begin(&scan, txn, kind)) return txn->error;
  while (rc == SVC_NOT_FOUND && index_late_next(&scan, &e)) {
    if (!index_is_meant(&e, scope, &value)) continue;
    *out = e.id;
    rc = SVC_OK;
  }
  svc_scan_end(&scan);
  return txn->error ? txn->error : rc;
}

SVC_PRIVATE uint64_t svc_owned_count(svc_txn *txn, const char *kind, const svc_id *owner)
{
  int64_t count = svc_list_count(txn, 'o', kind, owner);
  svc_scan scan;
  svc_entity e;
  if (index_late_begin(&scan, txn, kind)) {
    while (index_late_next(&scan, &e)) count += index_is_meant(&e, owner, NULL);
    svc_scan_end(&scan);
  }
  return count > 0 ? (uint64_t)count : 0;
}

SVC_PRIVATE bool svc_owned_begin(svc_finder *f, svc_txn *txn, const char *kind, const svc_id *owner)
{
  svc_key prefix;
  f->kind = kind;
  f->owner = *owner;
  f->by_owner = f->owned = true;
  f->late_count = 0;
  svc_key_owned(&prefix, kind, owner, NULL);
  return svc_scan_begin(&f->entries, txn, &prefix, false);
}

SVC_PRIVATE bool svc_named_begin(svc_finder *f, svc_txn *txn, const char *kind, svc_str value, bool owned)
{
  svc_key prefix;
  f->kind = kind;
  f->value = value;
  f->by_owner = false;
  f->owned = owned;
  f->late_count = 0;
  svc_key_unique(&prefix, kind, value, NULL);
  return svc_scan_begin(&f->entries, txn, &prefix, false);
}

/* After the entries: which of the late ones are looked for. They are kept, newest first, and given out oldest first. */
static void index_collect_late(svc_finder *f)
{
  svc_scan scan;
  svc_entity e;
  if (!f->owned || !index_late_begin(&scan, f->entries.txn, f->kind)) return;
  while (f->late_count < SVC_LATE && index_late_next(&scan, &e)) {
    if (f->by_owner ? !index_is_meant(&e, &f->owner, NULL) : !index_is_meant(&e, NULL, &f->value)) continue;
    f->late[f->late_count].id = e.id;
    f->late[f->late_count++].scope = e.owner;
  }
  svc_scan_end(&scan);
  f->owned = false; /* once */
}

SVC_PRIVATE bool svc_finder_next(svc_finder *f, svc_id *scope, svc_id *id)
{
  svc_str key, value;
  while (f->entries.cursor && svc_scan_next(&f->entries, &key, &value)) {
    if (key.n != f->entries.prefix.n + sizeof id->b) continue; /* of a longer value that begins alike */
    if (f->by_owner) {
      *scope = f->owner;
      memcpy(id->b, key.p + f->entries.prefix.n, sizeof id->b);
      return true;
    }
    memcpy(scope->b, key.p + f->entries.prefix.n, sizeof scope->b);
    if (value.n != sizeof id->b) return svc_note(f->entries.txn, SVC_CORRUPT), false;
    memcpy(id->b, value.p, sizeof id->b);
    return true;
  }
  svc_scan_end(&f->entries);
  index_collect_late(f);
  if (f->late_count == 0) return false;
  *scope = f->late[--f->late_count].scope;
  *id = f->late[f->late_count].id;
  return true;
}

SVC_PRIVATE void svc_finder_end(svc_finder *f)
{
  svc_scan_end(&f->entries);
}
