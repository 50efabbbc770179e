/*
** How many there are in a list, without a walk and without a page of its own to write for every new one.
**
** The last one of a list knows how many had been made before it, so a list that only grew needs no count. What was
** removed, or came in out of order, is kept beside it: count = ordinal of the last - missing. An insert at the end gives
** the new one the next ordinal; any other change moves `missing` so that the count comes out right.
**
** Two lists are counted so: "e", entities below their parent, and "o", index entries below an owner.
*/
#include "internal.h"

SVC_PRIVATE void svc_list_last(svc_txn *txn, char list, const char *kind, const svc_id *parent, svc_list_end *out)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  size_t at = list == 'e' ? SVC_RECORD_ORDINAL_AT : 0;
  memset(out, 0, sizeof *out);
  if (list == 'e') svc_key_entity(&prefix, kind, parent, NULL);
  else svc_key_owned(&prefix, kind, parent, NULL);
  if (!svc_scan_begin(&scan, txn, &prefix, true)) return;
  if (svc_scan_next(&scan, &key, &value) && value.n >= at + sizeof out->ordinal && key.n >= sizeof out->id.b) {
    memcpy(&out->ordinal, value.p + at, sizeof out->ordinal);
    memcpy(out->id.b, key.p + key.n - sizeof out->id.b, sizeof out->id.b);
    if (list == 'e') memcpy(&out->late, value.p + SVC_RECORD_LATE_AT, sizeof out->late);
  }
  svc_scan_end(&scan);
}

static int64_t count_missing(svc_txn *txn, char list, const char *kind, const svc_id *parent)
{
  svc_key key;
  svc_str value;
  int64_t missing = 0;
  svc_key_count(&key, list, kind, parent);
  if (svc_get(txn, &key, &value) == SVC_OK && value.n == sizeof missing) memcpy(&missing, value.p, sizeof missing);
  return missing;
}

static void count_set_missing(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t missing)
{
  svc_key key;
  svc_key_count(&key, list, kind, parent);
  if (missing) svc_put(txn, &key, (svc_str){ (const char *)&missing, sizeof missing });
  else svc_remove(txn, &key);
}

SVC_PRIVATE bool svc_list_at_end(const svc_list_end *last, const svc_id *id)
{
  return memcmp(id->b, last->id.b, sizeof id->b) > 0 || svc_id_is_zero(id);
}

SVC_PRIVATE uint32_t svc_list_next(svc_txn *txn, char list, const char *kind, const svc_id *parent, const svc_list_end *last,
                                   const svc_id *id)
{
  if (svc_list_at_end(last, id)) return last->ordinal + 1;
  count_set_missing(txn, list, kind, parent, count_missing(txn, list, kind, parent) - 1);
  return last->ordinal;
}

SVC_PRIVATE void svc_list_removed(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t before)
{
  svc_list_end last;
  int64_t missing;
  svc_list_last(txn, list, kind, parent, &last);
  missing = last.ordinal - (before - 1);
  if (missing != count_missing(txn, list, kind, parent)) count_set_missing(txn, list, kind, parent, missing);
}

SVC_PRIVATE int64_t svc_list_count(svc_txn *txn, char list, const char *kind, const svc_id *parent)
{
  svc_list_end last;
  svc_list_last(txn, list, kind, parent, &last);
  return last.ordinal - count_missing(txn, list, kind, parent);
}
