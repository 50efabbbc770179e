/*
** Tallies: for a log that grows without end, the count of each value, block by block.
**
** A list with a filter has to report the total, and to skip the entries before its page; in a log of a hundred thousand
** entries, of which it wants ten, that would mean reading each. An index by value would add one record to every entry. So
** entries are tallied when a block of TALLY_BLOCK is full: one record per block has the counts of each value of the fields
** that its noun names (svc_feed_ops.tallies). A list then reads that record instead of the block, and skips the block, counts it or
** looks into it (blocks.c).
**
**   t kind(4) parent(12) last(12)    u32 count, first(12), and for each field: u32 values, of each u32 count, u32 length, text
**
** A block has all entities from its first to its last, by id; those behind the last block are not tallied yet. One insert out
** of TALLY_SAMPLE, at random, checks whether a block is full. An entity that is written for a time in the past may fall into
** a block: then it is added to its tally.
**
** Entities of such a noun keep the positions of these values in `extra`, so that neither tallies nor filters search
** through bodies.
**
** The rule: tallied entities are never changed, and only removed all together.
*/
#include "pipeline/pipeline.h"

#define TALLY_BLOCK 256
#define TALLY_SAMPLE 64
#define TALLY_AT_ONCE 4 /* maximum blocks that one insert closes */

/* ------------------------------------------------------------------------------------------------------ where values stand */

SVC_PRIVATE size_t svc_tally_fields(const svc_noun *noun)
{
  const char *const *tallies = svc_noun_ext_of(noun)->feed ? svc_noun_ext_of(noun)->feed->tallies : NULL;
  size_t n = 0;
  while (SVC_ALWAYS(tallies != NULL) && tallies[n]) n++; /* only called for nouns with tallies */
  return n;
}

SVC_PRIVATE int svc_tallied(const svc_noun *noun, const char *field)
{
  const char *const *tallies = svc_noun_ext_of(noun)->feed ? svc_noun_ext_of(noun)->feed->tallies : NULL;
  int i;
  for (i = 0; tallies && tallies[i]; i++)
    if (strcmp(tallies[i], field) == 0) return i;
  return -1;
}

SVC_PRIVATE bool svc_tally_text(svc_call *c, const svc_entity *e, int field, svc_str *out)
{
  svc_place place;
  svc_str text;
  if (e->extra.n < ((size_t)field + 1) * sizeof place) return false;
  memcpy(&place, e->extra.p + (size_t)field * sizeof place, sizeof place);
  if ((size_t)place.at + place.n > e->body.n) return false;
  *out = (svc_str){ e->body.p + place.at, place.n };
  if (memchr(out->p, '\\', out->n) && svc_json_unescape(c->arena, *out, &text)) *out = text;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- a tally */

typedef struct tally_value {
  svc_str text;
  uint32_t count;
  struct tally_value *next;
} tally_value;

typedef struct tally {
  svc_tally head;
  tally_value *values[SVC_TALLIES];
} tally;

static bool tally_add(svc_call *c, tally *t, int field, svc_str text, uint32_t count)
{
  tally_value *v, **at;
  for (at = &t->values[field]; (v = *at) != NULL; at = &v->next) {
    if (!svc_str_eq(v->text, text)) continue;
    v->count += count;
    *at = v->next; /* moved to the front: the next entity probably has it, too */
    v->next = t->values[field];
    t->values[field] = v;
    return true;
  }
  v = svc_arena_alloc(c->arena, sizeof *v);
  if (!v) return svc_no_memory(c);
  *v = (tally_value){ text, count, t->values[field] };
  t->values[field] = v;
  return true;
}

static bool tally_entity(svc_call *c, const svc_noun *noun, tally *t, const svc_entity *e)
{
  svc_str text;
  int i;
  if (t->head.count++ == 0 || memcmp(e->id.b, t->head.first.b, sizeof e->id.b) < 0) t->head.first = e->id;
  if (memcmp(e->id.b, t->head.last.b, sizeof e->id.b) > 0) t->head.last = e->id;
  for (i = 0; svc_noun_ext_of(noun)->feed->tallies[i]; i++)
    if (!svc_tally_text(c, e, i, &text) ? !svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT)) : !tally_add(c, t, i, text, 1))
      return false;
  return true;
}

static void tally_key(svc_key *key, const char *kind, const svc_id *parent, const svc_id *last)
{
  svc_key_entity(key, kind, parent, last);
  key->b[0] = 't';
}

static bool tally_put(svc_call *c, const svc_noun *noun, const svc_id *parent, const tally *t)
{
  svc_buf b = svc_buf_new(c->arena, 256);
  const tally_value *v;
  svc_key key;
  int i;
  svc_buf_add(&b, (const char *)&t->head.count, sizeof t->head.count);
  svc_buf_add(&b, (const char *)t->head.first.b, sizeof t->head.first.b);
  for (i = 0; svc_noun_ext_of(noun)->feed->tallies[i]; i++) {
    uint32_t n = 0;
    for (v = t->values[i]; v; v = v->next) n++;
    svc_buf_add(&b, (const char *)&n, sizeof n);
    for (v = t->values[i]; v; v = v->next) {
      uint32_t length = (uint32_t)v->text.n;
      svc_buf_add(&b, (const char *)&v->count, sizeof v->count);
      svc_buf_add(&b, (const char *)&length, sizeof length);
      svc_buf_str(&b, v->text);
    }
  }
  if (b.failed) return svc_no_memory(c);
  tally_key(&key, noun->kind, parent, &t->head.last);
  svc_put(c->txn, &key, (svc_str){ b.p, b.n });
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------- reading */

#define TALLY_HEADER (4 + 12)

static bool tally_decode(svc_str key, svc_str value, svc_tally *out)
{
  if (key.n != 1 + SVC_KIND_SIZE + 24 || value.n < TALLY_HEADER) return false;
  memcpy(out->last.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  memcpy(&out->count, value.p, 4);
  memcpy(out->first.b, value.p + 4, 12);
  out->rest = (svc_str){ value.p + TALLY_HEADER, value.n - TALLY_HEADER };
  out->field = -1;
  out->left = 0;
  return true;
}

SVC_PRIVATE void svc_tally_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent, bool backwards)
{
  svc_key prefix;
  tally_key(&prefix, kind, parent, NULL);
  svc_scan_below(scan, txn, &prefix, backwards);
}

SVC_PRIVATE bool svc_tally_next(svc_scan *scan, svc_tally *out)
{
  svc_str key, value;
  if (!svc_scan_next(scan, &key, &value)) return false;
  return tally_decode(key, value, out) ? true : (svc_note(scan->txn, SVC_CORRUPT), false);
}

static bool tally_take(svc_str *rest, void *to, size_t n)
{
  if (rest->n < n) return false;
  memcpy(to, rest->p, n);
  *rest = (svc_str){ rest->p + n, rest->n - n };
  return true;
}

SVC_PRIVATE bool svc_tally_value(svc_tally *t, int *field, svc_str *text, uint32_t *count)
{
  uint32_t length;
  while (t->left == 0) {
    if (!tally_take(&t->rest, &t->left, sizeof t->left)) return false;
    t->field++;
  }
  if (!tally_take(&t->rest, count, sizeof *count) || !tally_take(&t->rest, &length, sizeof length) || t->rest.n < length)
    return false;
  *text = (svc_str){ t->rest.p, length };
  t->rest = (svc_str){ t->rest.p + length, t->rest.n - length };
  t->left--;
  *field = t->field;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- writing */

/* An entity before the end of the last block belongs to a block. *done: yes, and its tally is updated. */
static bool tally_late(svc_call *c, const svc_noun *noun, const svc_entity *e, bool *done)
{
  svc_scan scan;
  svc_tally block;
  svc_str text;
  uint32_t count;
  tally t;
  int field;
  svc_tally_begin(&scan, c->txn, noun->kind, &e->parent, false);
  tally_key(&scan.from, noun->kind, &e->parent, &e->id);
  svc_scan_expect(&scan, 1);
  *done = svc_tally_next(&scan, &block);
  if (!*done) return svc_txn_good(c);
  memset(&t, 0, sizeof t);
  t.head = block;
  while (svc_tally_value(&block, &field, &text, &count))
    if (field >= SVC_TALLIES || !tally_add(c, &t, field, text, count)) return c->error.code ? false : svc_store_failed(c, SVC_CORRUPT);
  return tally_entity(c, noun, &t, e) && tally_put(c, noun, &e->parent, &t);
}

/* Closes the next block behind this id, if there are enough entities. *more: there were. */
static bool tally_close(svc_call *c, const svc_noun *noun, const svc_id *parent, svc_id *behind, bool *more)
{
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  tally t;
  int i;
  svc_below_begin(&scan, c->txn, noun->kind, parent);
  svc_key_entity(&scan.from, noun->kind, parent, behind);
  scan.from.b[scan.from.n++] = 0;
  scan.skip = TALLY_BLOCK - 1;
  svc_scan_expect(&scan, 1);
  *more = svc_scan_next(&scan, &key, &value);
  if (!*more) return svc_txn_good(c);
  memset(&t, 0, sizeof t);
  svc_below_begin(&scan, c->txn, noun->kind, parent);
  svc_key_entity(&scan.from, noun->kind, parent, behind);
  scan.from.b[scan.from.n++] = 0;
  for (i = 0; i < TALLY_BLOCK && svc_below_next(&scan, noun->kind, &e); i++)
    if (!tally_entity(c, noun, &t, &e)) return false;
  *behind = t.head.last;
  return svc_txn_good(c) && tally_put(c, noun, parent, &t);
}

SVC_PRIVATE bool svc_tally_note(svc_call *c, const svc_noun *noun, const svc_entity *e)
{
  bool late = SVC_IS_SHARED(c->txn->port) || svc_id_second(&e->id) < c->txn->ids->now / 1000, done = false, more = true;
  svc_scan scan;
  svc_tally last;
  int i;
  if (late && !svc_is_new(c->txn, &e->parent) && !tally_late(c, noun, e, &done)) return false;
  if (done || e->id.b[sizeof e->id.b - 1] % TALLY_SAMPLE) return true;
  memset(&last, 0, sizeof last);
  svc_tally_begin(&scan, c->txn, noun->kind, &e->parent, true);
  svc_scan_expect(&scan, 1);
  svc_tally_next(&scan, &last);
  for (i = 0; i < TALLY_AT_ONCE && more; i++)
    if (!tally_close(c, noun, &e->parent, &last.last, &more)) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE void svc_tally_forget(svc_txn *txn, const svc_noun *noun, const svc_id *parent)
{
  svc_key prefix;
  tally_key(&prefix, noun->kind, parent, NULL);
  svc_remove_below(txn, &prefix);
}

/* ------------------------------------------------------------------------------------------------------------ are they whole? */

/* Whether both have the same values with the same counts. */
static bool tally_same(const tally *counted, svc_tally *stored)
{
  uint32_t count, values[2] = { 0, 0 };
  const tally_value *v;
  svc_str text;
  int field, i;
  for (i = 0; i < SVC_TALLIES; i++)
    for (v = counted->values[i]; v; v = v->next) values[0]++;
  for (; svc_tally_value(stored, &field, &text, &count); values[1]++) {
    if (field >= SVC_TALLIES) return false;
    for (v = counted->values[field]; v && !svc_str_eq(v->text, text); v = v->next) continue;
    if (!v || v->count != count) return false;
  }
  return values[0] == values[1] && stored->rest.n == 0;
}

SVC_PRIVATE void svc_tally_verify(svc_verify *v, svc_str key, svc_str value)
{
  const svc_noun_info *noun;
  svc_id parent = { { 0 } };
  svc_tally stored;
  svc_scan scan;
  svc_entity e;
  tally counted;
  if (!tally_decode(key, value, &stored)) {
    svc_found(v, "    ", &parent, "a tally cannot be read");
    return;
  }
  noun = svc_noun_by_kind(v->c->s, key.p + 1);
  if (!noun) return; /* not in this build */
  memcpy(parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
  if (!svc_noun_ext_of(noun->noun)->feed) {
    svc_found(v, key.p + 1, &parent, "it has a tally, but its kind has none");
    return;
  }
  memset(&counted, 0, sizeof counted);
  svc_below_begin(&scan, v->c->txn, noun->noun->kind, &parent);
  svc_key_entity(&scan.from, noun->noun->kind, &parent, &stored.first);
  svc_key_entity(&scan.to, noun->noun->kind, &parent, &stored.last);
  scan.to.b[scan.to.n++] = 0;
  while (svc_below_next(&scan, noun->noun->kind, &e))
    if (!tally_entity(v->c, noun->noun, &counted, &e)) break;
  if (counted.head.count != stored.count || !svc_id_eq(&counted.head.last, &stored.last) || !tally_same(&counted, &stored))
    svc_found(v, key.p + 1, &parent, "a tally of the resources below this id is wrong");
}
