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

/*
** The count is kept under the key that ends the list, so one look-up finds both: what stands there, or else behind it,
** and the last one before that.
*/
SVC_PRIVATE void svc_list_last(svc_txn *txn, char list, const char *kind, const svc_id *parent, svc_list_end *out)
{
  const svc_store_port *port = txn->port;
  size_t at = list == 'e' ? SVC_RECORD_ORDINAL_AT : 0;
  svc_cursor *cursor;
  svc_key end;
  svc_str key, value;
  int rc;
  memset(out, 0, sizeof *out);
  svc_key_count(&end, list, kind, parent);
  rc = port->cursor_open(txn, &cursor);
  if (rc == SVC_OK) {
    rc = port->cursor_from(cursor, svc_key_str(&end), &key, &value);
    if (rc == SVC_OK && svc_str_eq(key, svc_key_str(&end)) && value.n == sizeof out->missing)
      memcpy(&out->missing, value.p, sizeof out->missing);
    if (rc == SVC_OK) rc = port->cursor_previous(cursor, &key, &value);
    else if (rc == SVC_NOT_FOUND) rc = port->cursor_before(cursor, svc_key_str(&end), &key, &value);
    if (rc == SVC_OK && key.n == end.n - 1 + sizeof out->id.b && memcmp(key.p, end.b, end.n - 1) == 0 &&
        value.n >= at + sizeof out->ordinal) {
      memcpy(&out->ordinal, value.p + at, sizeof out->ordinal);
      memcpy(out->id.b, key.p + end.n - 1, sizeof out->id.b);
      if (list == 'e') memcpy(&out->late, value.p + SVC_RECORD_LATE_AT, sizeof out->late);
    }
    port->cursor_close(cursor);
  }
  svc_note(txn, rc);
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
  count_set_missing(txn, list, kind, parent, last->missing - 1);
  return last->ordinal;
}

SVC_PRIVATE void svc_list_removed(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t before)
{
  svc_list_end last;
  int64_t missing;
  svc_list_last(txn, list, kind, parent, &last);
  missing = last.ordinal - (before - 1);
  if (missing != last.missing) count_set_missing(txn, list, kind, parent, missing);
}

SVC_PRIVATE int64_t svc_list_count(svc_txn *txn, char list, const char *kind, const svc_id *parent)
{
  svc_list_end last;
  svc_list_last(txn, list, kind, parent, &last);
  return last.ordinal - last.missing;
}
