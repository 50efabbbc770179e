/*
** One resource as it is stored.
**
** The rule: the stored form is the wire form. The body is the JSON that is served, members sorted, without its links;
** links_at is the place where they belong, so a read copies two pieces and writes the links between them. Beside the
** body stands all that a read or a cascade needs, so that neither has to parse.
**
**   offset  0  u8  format, 1
**           1  u8  1: unique is only a name and not indexed
**           2  u16 length of key
**           4  u16 length of unique
**           6  u16 0
**           8  u32 length of body
**          12  u32 links_at
**          16  u64 revision
**          24  i64 due
**          32  owner(12)
**          44  u32 ordinal: how many had been made below the parent when this one was (see below)
**          48  key, unique, body, extra (the rest)
**
** Numbers are in the byte order of the machine, as LMDB's own are.
*/
#include "internal.h"

#define ENTITY_FORMAT 1

typedef struct entity_header {
  uint8_t format, shared;
  uint16_t key_length, unique_length, zero2;
  uint32_t body_length, links_at;
  uint64_t revision;
  int64_t due;
  svc_id owner;
  uint32_t ordinal;
} entity_header;

_Static_assert(sizeof(entity_header) == 48, "the header of a stored entity has changed its size");

SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out)
{
  entity_header h;
  const char *p = record.p + sizeof h;
  size_t rest;
  if (record.n < sizeof h) return false;
  memcpy(&h, record.p, sizeof h);
  rest = record.n - sizeof h;
  if (h.format != ENTITY_FORMAT || (size_t)h.key_length + h.unique_length > rest) return false;
  rest -= (size_t)h.key_length + h.unique_length;
  if (h.body_length > rest || h.links_at > h.body_length) return false;
  if (key.p) {
    if (key.n != 1 + SVC_KIND_SIZE + 24) return false;
    memcpy(out->parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
    memcpy(out->id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  }
  out->owner = h.owner;
  out->ordinal = h.ordinal;
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
  entity_header h;
  size_t front;
  if (record.n < sizeof h) return false;
  memcpy(&h, record.p, 16); /* up to links_at */
  front = sizeof h + h.key_length + h.unique_length;
  if (h.format != ENTITY_FORMAT || front > record.n || h.body_length > record.n - front || h.links_at > h.body_length)
    return false;
  *key = (svc_str){ record.p + sizeof h, h.key_length };
  *body = (svc_str){ record.p + front, h.body_length };
  *links_at = h.links_at;
  return true;
}

static int entity_corrupt(svc_txn *txn)
{
  if (txn->error == SVC_OK) txn->error = SVC_CORRUPT;
  return SVC_CORRUPT;
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
  return svc_entity_decode(svc_key_str(&key), record, out) ? SVC_OK : entity_corrupt(txn);
}

SVC_PRIVATE int svc_entity_find(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *scope, svc_str unique,
                                svc_entity *out)
{
  svc_key key;
  svc_str value;
  svc_id id;
  int rc;
  svc_key_unique(&key, kind, unique, scope);
  rc = svc_get(txn, &key, &value);
  if (rc != SVC_OK) return rc;
  if (value.n != sizeof id.b) return entity_corrupt(txn);
  memcpy(id.b, value.p, sizeof id.b);
  rc = svc_entity_get(txn, kind, parent, &id, out);
  return rc == SVC_NOT_FOUND ? entity_corrupt(txn) : rc;
}

/* Owned entities are unique among those of their owner, others among those of their parent. */
static const svc_id *entity_scope(const svc_entity *e)
{
  return svc_id_is_zero(&e->owner) ? &e->parent : &e->owner;
}

static int entity_put(svc_txn *txn, svc_arena *a, const svc_entity *e)
{
  entity_header h;
  svc_key key;
  svc_buf record = svc_buf_new(a, sizeof h + e->key.n + e->unique.n + e->body.n + e->extra.n);
  if (e->key.n > UINT16_MAX || e->unique.n > UINT16_MAX || e->body.n > UINT32_MAX) return txn->error = SVC_INVALID;
  memset(&h, 0, sizeof h);
  h.format = ENTITY_FORMAT;
  h.shared = e->shared;
  h.key_length = (uint16_t)e->key.n;
  h.unique_length = (uint16_t)e->unique.n;
  h.body_length = (uint32_t)e->body.n;
  h.links_at = (uint32_t)e->links_at;
  h.revision = e->revision;
  h.due = e->due;
  h.owner = e->owner;
  h.ordinal = e->ordinal;
  svc_buf_add(&record, (const char *)&h, sizeof h);
  svc_buf_str(&record, e->key);
  svc_buf_str(&record, e->unique);
  svc_buf_str(&record, e->body);
  svc_buf_str(&record, e->extra);
  if (record.failed) return txn->error = SVC_NOMEM;
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  return svc_put(txn, &key, (svc_str){ record.p, record.n });
}

/*
** How many there are in a list, without a walk and without a page of its own to write for every new one.
**
** The last entity of a list knows how many had been made before it, so a list that only grew needs no count. What was
** removed, or came in out of order, is kept beside it: count = ordinal of the last - missing. An insert at the end gives
** the new one the next ordinal; any other change moves `missing` so that the count comes out right.
*/
static uint32_t entity_last_ordinal(svc_txn *txn, char list, const char *kind, const svc_id *parent, svc_id *last)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  uint32_t ordinal = 0;
  size_t at = list == 'e' ? offsetof(entity_header, ordinal) : 0;
  memset(last, 0, sizeof *last);
  if (list == 'e') svc_key_entity(&prefix, kind, parent, NULL);
  else svc_key_owned(&prefix, kind, parent, NULL);
  if (!svc_scan_begin(&scan, txn, &prefix, true)) return 0;
  if (svc_scan_next(&scan, &key, &value) && value.n >= at + sizeof ordinal && key.n >= sizeof last->b) {
    memcpy(&ordinal, value.p + at, sizeof ordinal);
    memcpy(last->b, key.p + key.n - sizeof last->b, sizeof last->b);
  }
  svc_scan_end(&scan);
  return ordinal;
}

static int64_t entity_missing(svc_txn *txn, char list, const char *kind, const svc_id *parent)
{
  svc_key key;
  svc_str value;
  int64_t missing = 0;
  svc_key_count(&key, list, kind, parent);
  if (svc_get(txn, &key, &value) == SVC_OK && value.n == sizeof missing) memcpy(&missing, value.p, sizeof missing);
  return missing;
}

static void entity_set_missing(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t missing)
{
  svc_key key;
  svc_key_count(&key, list, kind, parent);
  if (missing) svc_put(txn, &key, (svc_str){ (const char *)&missing, sizeof missing });
  else svc_remove(txn, &key);
}

/* Called before one is put into a list: its ordinal there. */
static uint32_t entity_next_ordinal(svc_txn *txn, char list, const char *kind, const svc_id *parent, const svc_id *id)
{
  svc_id last;
  uint32_t ordinal = entity_last_ordinal(txn, list, kind, parent, &last);
  if (memcmp(id->b, last.b, sizeof id->b) > 0 || svc_id_is_zero(id)) return ordinal + 1;
  entity_set_missing(txn, list, kind, parent, entity_missing(txn, list, kind, parent) - 1);
  return ordinal;
}

/* Called after one was taken out of a list that had `before`. */
static void entity_was_removed(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t before)
{
  svc_id last;
  int64_t missing = entity_last_ordinal(txn, list, kind, parent, &last) - (before - 1);
  if (missing != entity_missing(txn, list, kind, parent)) entity_set_missing(txn, list, kind, parent, missing);
}

static int64_t entity_list_count(svc_txn *txn, char list, const char *kind, const svc_id *parent)
{
  svc_id last;
  int64_t ordinal = entity_last_ordinal(txn, list, kind, parent, &last);
  return ordinal - entity_missing(txn, list, kind, parent);
}

SVC_PRIVATE uint64_t svc_entity_count(svc_txn *txn, const char *kind, const svc_id *parent)
{
  int64_t count = entity_list_count(txn, 'e', kind, parent);
  if (count == 0) count = entity_list_count(txn, 'o', kind, parent); /* no id is parent and owner of one kind at once */
  return count > 0 ? (uint64_t)count : 0;
}

static int entity_put_unique(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  if (e->shared || e->unique.n == 0) return SVC_OK;
  svc_key_unique(&key, e->kind, e->unique, entity_scope(e));
  return svc_put(txn, &key, (svc_str){ (const char *)e->id.b, sizeof e->id.b });
}

static int entity_remove_unique(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  if (e->shared || e->unique.n == 0) return SVC_OK;
  svc_key_unique(&key, e->kind, e->unique, entity_scope(e));
  return svc_remove(txn, &key);
}

/* Who has no owner is in no owner's list. */
static void entity_put_owned(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  uint32_t ordinal;
  if (svc_id_is_zero(&e->owner)) return;
  ordinal = entity_next_ordinal(txn, 'o', e->kind, &e->owner, &e->id);
  svc_key_owned(&key, e->kind, &e->owner, &e->id);
  svc_put(txn, &key, (svc_str){ (const char *)&ordinal, sizeof ordinal });
}

static void entity_remove_owned(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  int64_t before;
  if (svc_id_is_zero(&e->owner)) return;
  before = entity_list_count(txn, 'o', e->kind, &e->owner);
  svc_key_owned(&key, e->kind, &e->owner, &e->id);
  svc_remove(txn, &key);
  entity_was_removed(txn, 'o', e->kind, &e->owner, before);
}

SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, svc_entity *e)
{
  int64_t due = e->due;
  e->due = 0;
  if (due) svc_due_set(txn, e, due);
  entity_put_unique(txn, e);
  entity_put_owned(txn, e);
  e->ordinal = entity_next_ordinal(txn, 'e', e->kind, &e->parent, &e->id);
  entity_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_entity *old)
{
  int64_t due = e->due;
  bool moved = !svc_id_eq(&e->owner, &old->owner);
  e->ordinal = old->ordinal;
  e->due = old->due;
  if (due != old->due) svc_due_set(txn, e, due);
  if (moved || !svc_str_eq(e->unique, old->unique)) {
    entity_remove_unique(txn, old);
    entity_put_unique(txn, e);
  }
  if (moved) {
    entity_remove_owned(txn, old);
    entity_put_owned(txn, e);
  }
  entity_put(txn, a, e);
  return txn->error;
}

SVC_PRIVATE int svc_entity_remove(svc_txn *txn, const svc_entity *e)
{
  svc_key key;
  int64_t before;
  if (e->due) {
    svc_key_due(&key, e->due, e->kind, &e->parent, &e->id);
    svc_remove(txn, &key);
  }
  entity_remove_unique(txn, e);
  entity_remove_owned(txn, e);
  before = entity_list_count(txn, 'e', e->kind, &e->parent);
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  svc_remove(txn, &key);
  entity_was_removed(txn, 'e', e->kind, &e->parent, before);
  return txn->error;
}

/*
** Where "links" belongs. `text` is what svc_node_write made of `body`; lengths of the members before are found by
** writing nothing again: the text is walked member by member, over strings and nesting, without a parser.
*/
SVC_PRIVATE size_t svc_body_links_at(const svc_node *body, svc_str text)
{
  const svc_node *member;
  size_t skip = 0, at = 1, depth = 0;
  bool quoted = false;
  for (member = body->first; member && svc_str_order(member->name, SVC_S("links")) < 0; member = member->next) skip++;
  for (; skip > 0 && at + 1 < text.n; at++) {
    char ch = text.p[at];
    if (quoted) {
      if (ch == '\\') at++;
      else if (ch == '"') quoted = false;
    } else if (ch == '"') {
      quoted = true;
    } else if (ch == '{' || ch == '[') {
      depth++;
    } else if (ch == '}' || ch == ']') {
      depth--;
    } else if (ch == ',' && depth == 0 && --skip == 0) {
      return at + 1;
    }
  }
  return skip ? text.n - 1 : at;
}
