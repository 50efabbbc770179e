/*
** The record of one resource.
**
** The rule: the stored form is the wire form. The body is the JSON that is served, members sorted, without its links;
** links_at is the place where they belong, so a read copies two pieces and writes the links between them. Beside the
** body stands all that a read or a cascade needs, so that neither has to parse.
**
**   offset  0  u8  format, 1
**           1  u8  1: unique is only a name and not indexed
**           2  u16 length of key
**           4  u16 length of unique
**           6  u16 late: how many up to this one have no index entries yet (index.c)
**           8  u32 length of body
**          12  u32 links_at
**          16  u64 revision
**          24  i64 due
**          32  owner(12)
**          44  u32 ordinal: how many had been made below the parent when this one was (count.c)
**          48  key, unique, body, extra (the rest)
**
** Numbers are in the byte order of the machine, as LMDB's own are.
*/
#include "internal.h"

#define RECORD_FORMAT 1

typedef struct record_header {
  uint8_t format, shared;
  uint16_t key_length, unique_length, late;
  uint32_t body_length, links_at;
  uint64_t revision;
  int64_t due;
  svc_id owner;
  uint32_t ordinal;
} record_header;

_Static_assert(sizeof(record_header) == 48, "the header of a stored entity has changed its size");
_Static_assert(offsetof(record_header, late) == SVC_RECORD_LATE_AT, "count.c looks for it elsewhere");
_Static_assert(offsetof(record_header, ordinal) == SVC_RECORD_ORDINAL_AT, "count.c looks for it elsewhere");

SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out)
{
  record_header h;
  const char *p = record.p + sizeof h;
  size_t rest;
  if (record.n < sizeof h) return false;
  memcpy(&h, record.p, sizeof h);
  rest = record.n - sizeof h;
  if (h.format != RECORD_FORMAT || (size_t)h.key_length + h.unique_length > rest) return false;
  rest -= (size_t)h.key_length + h.unique_length;
  if (h.body_length > rest || h.links_at > h.body_length) return false;
  if (key.p) {
    if (key.n != 1 + SVC_KIND_SIZE + 24) return false;
    memcpy(out->parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
    memcpy(out->id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  }
  out->owner = h.owner;
  out->ordinal = h.ordinal;
  out->late = h.late;
  out->revision = h.revision;
  out->due = h.due;
  out->key = (svc_str){ p, h.key_length };
  out->unique = (svc_str){ p + h.key_length, h.unique_length };
  out->shared = h.shared != 0;
  out->body = (svc_str){ out->unique.p + h.unique_length, h.body_length };
  out->links_at = h.links_at;
  out->extra = (svc_str){ out->body.p + h.body_length, rest - h.body_length };
  return true;
}

/* Only what a list shows, without looking at the rest: pages are made of this. */
SVC_PRIVATE bool svc_entity_glance(svc_str record, svc_str *key, svc_str *body, size_t *links_at)
{
  record_header h;
  size_t front;
  if (record.n < sizeof h) return false;
  memcpy(&h, record.p, 16); /* up to links_at */
  front = sizeof h + h.key_length + h.unique_length;
  if (h.format != RECORD_FORMAT || front > record.n || h.body_length > record.n - front || h.links_at > h.body_length)
    return false;
  *key = (svc_str){ record.p + sizeof h, h.key_length };
  *body = (svc_str){ record.p + front, h.body_length };
  *links_at = h.links_at;
  return true;
}

SVC_PRIVATE int svc_entity_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out)
{
  svc_key key;
  svc_str record;
  int rc;
  svc_key_entity(&key, kind, parent, id);
  rc = svc_get(txn, &key, &record);
  if (rc != SVC_OK) return rc;
  out->kind = kind;
  return svc_entity_decode(svc_key_str(&key), record, out) ? SVC_OK : svc_note(txn, SVC_CORRUPT);
}

SVC_PRIVATE int svc_record_put(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  record_header h;
  svc_key key;
  svc_buf record = svc_buf_new(a, sizeof h + e->key.n + e->unique.n + e->body.n + e->extra.n);
  if (e->key.n > UINT16_MAX || e->unique.n > UINT16_MAX || e->body.n > UINT32_MAX) return txn->error = SVC_INVALID;
  memset(&h, 0, sizeof h);
  h.format = RECORD_FORMAT;
  h.shared = e->shared;
  h.key_length = (uint16_t)e->key.n;
  h.unique_length = (uint16_t)e->unique.n;
  h.body_length = (uint32_t)e->body.n;
  h.links_at = (uint32_t)e->links_at;
  h.revision = e->revision;
  h.due = e->due;
  h.owner = e->owner;
  h.ordinal = e->ordinal;
  h.late = e->late;
  svc_buf_add(&record, (const char *)&h, sizeof h);
  svc_buf_str(&record, e->key);
  svc_buf_str(&record, e->unique);
  svc_buf_str(&record, e->body);
  svc_buf_str(&record, e->extra);
  if (record.failed) return txn->error = SVC_NOMEM;
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  return svc_put(txn, &key, (svc_str){ record.p, record.n });
}

SVC_PRIVATE bool svc_body_write(svc_arena *a, const svc_node *body, svc_str *text, size_t *links_at)
{
  svc_buf b = svc_buf_new(a, 512);
  *links_at = svc_node_write_for(&b, body, SVC_S("links"));
  *text = svc_buf_done(&b);
  return !b.failed && !a->failed;
}
