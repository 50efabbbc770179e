/*
** The record of one resource.
**
** The rule: the stored form is the wire form. The body is the JSON that is served, members sorted, without its links;
** links_at is their position, so a read copies two pieces and writes the links between them. The record also has
** project, organization and due dates: a read needs no parser, and a due step or a cascade finds its entities without one.
**
**   offset  0  u8  format, 2
**           1  u8  flags: enum svc_entity_flags
**           2  u16 length of key
**           4  u16 length of unique
**           6  u8  number of dues
**           7  u8  spare
**           8  u32 length of body
**          12  u32 links_at
**          16  u64 revision
**          24  group(12), zero: in no project
**          36  org(12), zero: in no organization
**          48  names(4), zero: its kind
**          52  dues, each i64 when, u8 tag; then key, unique, body, extra (the rest)
**
** Numbers are in the byte order of the machine, as LMDB's own are.
*/
#include "store/store.h"

#define RECORD_FORMAT 2
#define RECORD_DUE 9 /* bytes of one due date */

typedef struct record_header {
  uint8_t format, flags;
  uint16_t key_length, unique_length;
  uint8_t due_count, spare;
  uint32_t body_length, links_at;
  uint64_t revision;
  svc_scope scope;
  char names[SVC_KIND_SIZE];
} record_header;

#define RECORD_HEADER 52
_Static_assert(offsetof(record_header, names) + SVC_KIND_SIZE == RECORD_HEADER, "the header of a stored entity has changed its size");

static bool record_dues(const char *p, const record_header *h, svc_entity *out)
{
  unsigned i;
  out->due_count = h->due_count;
  if (h->due_count > SVC_DUES) return false;
  for (i = 0; i < h->due_count; i++, p += RECORD_DUE) {
    memcpy(&out->dues[i].when, p, 8);
    out->dues[i].tag = (unsigned char)p[8];
  }
  return true;
}

SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out)
{
  record_header h;
  const char *p;
  size_t rest, front;
  if (record.n < RECORD_HEADER) return false;
  memcpy(&h, record.p, RECORD_HEADER);
  front = (size_t)h.due_count * RECORD_DUE;
  rest = record.n - RECORD_HEADER;
  if (h.format != RECORD_FORMAT || front + h.key_length + h.unique_length > rest) return false;
  rest -= front + h.key_length + h.unique_length;
  if (h.body_length > rest || h.links_at > h.body_length) return false;
  if (!record_dues(record.p + RECORD_HEADER, &h, out)) return false;
  if (key.p) {
    if (key.n != 1 + SVC_KIND_SIZE + 24) return false;
    memcpy(out->parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
    memcpy(out->id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  }
  p = record.p + RECORD_HEADER + front;
  out->scope = h.scope;
  memcpy(out->names, h.names, SVC_KIND_SIZE);
  out->flags = h.flags;
  out->revision = h.revision;
  out->key = (svc_str){ p, h.key_length };
  out->unique = (svc_str){ p + h.key_length, h.unique_length };
  out->body = (svc_str){ out->unique.p + h.unique_length, h.body_length };
  out->links_at = h.links_at;
  out->extra = (svc_str){ out->body.p + h.body_length, rest - h.body_length };
  return true;
}

/* Decodes only what a list shows: pages are built from it. */
SVC_PRIVATE bool svc_entity_glance(svc_str record, svc_str *key, svc_str *body, size_t *links_at)
{
  record_header h;
  size_t front;
  if (record.n < RECORD_HEADER) return false;
  memcpy(&h, record.p, 16); /* the header up to links_at */
  front = RECORD_HEADER + (size_t)h.due_count * RECORD_DUE;
  if (h.format != RECORD_FORMAT || h.due_count > SVC_DUES || front + h.key_length + h.unique_length > record.n) return false;
  *key = (svc_str){ record.p + front, h.key_length };
  front += (size_t)h.key_length + h.unique_length;
  if (h.body_length > record.n - front || h.links_at > h.body_length) return false;
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

SVC_PRIVATE int svc_entity_get_text_id(svc_txn *txn, const char *kind, const svc_id *parent, svc_str id, svc_entity *out)
{
  svc_id at;
  return svc_id_parse(id, &at) ? svc_entity_get(txn, kind, parent, &at, out) : SVC_NOT_FOUND;
}

SVC_PRIVATE int svc_record_put(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  record_header h;
  svc_key key;
  svc_buf record = svc_buf_new(a, RECORD_HEADER + e->due_count * RECORD_DUE + e->key.n + e->unique.n + e->body.n + e->extra.n);
  unsigned i;
  if (e->key.n > UINT16_MAX || e->unique.n > UINT16_MAX || e->body.n > UINT32_MAX) return svc_note(txn, SVC_INVALID);
  memset(&h, 0, sizeof h);
  h.format = RECORD_FORMAT;
  h.flags = e->flags;
  h.key_length = (uint16_t)e->key.n;
  h.unique_length = (uint16_t)e->unique.n;
  h.due_count = (uint8_t)e->due_count;
  h.body_length = (uint32_t)e->body.n;
  h.links_at = (uint32_t)e->links_at;
  h.revision = e->revision;
  h.scope = e->scope;
  memcpy(h.names, e->names, SVC_KIND_SIZE);
  svc_buf_add(&record, (const char *)&h, RECORD_HEADER);
  for (i = 0; i < e->due_count; i++) {
    svc_buf_add(&record, (const char *)&e->dues[i].when, 8);
    svc_buf_char(&record, (char)e->dues[i].tag);
  }
  svc_buf_str(&record, e->key);
  svc_buf_str(&record, e->unique);
  svc_buf_str(&record, e->body);
  svc_buf_str(&record, e->extra);
  if (record.failed) return svc_note(txn, SVC_NOMEM);
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
