/*
** A long log as a list, block by block, the newest first: what is not tallied yet (tally.c), then each block.
**
** The rule: of a block whose tally says how many of it pass the filters, none is read unless it is on the page. So a page of a
** log costs what is on it, and one small record for each block that lies before it or is counted.
*/
#include "pipeline/pipeline.h"

typedef struct blocks_source {
  const svc_entities *which;
  svc_scan scan;    /* the rows of the block */
  svc_scan tallies; /* of the blocks behind it */
  svc_key from, to; /* of the list, by its dates */
  bool begun;       /* rows of the block were read, or passed over */
  int64_t passing;  /* how many of the block pass; -1: not known */
  int64_t count;    /* how many there are in it */
} blocks_source;

/* All of a block are within the bounds of dates? An id may be ahead of its date, see entities.c. */
static bool blocks_dated(svc_call *c, const svc_entities *which, const svc_tally *t)
{
  const svc_filter *f;
  for (f = which->filters; SVC_ALWAYS(f) && f->param; f++) {
    const svc_query_value *given = svc_query_get(c, f->param);
    if (!given) continue;
    if (f->compare == SVC_MIN_DATE && (svc_id_second(&t->first) - SVC_ID_AHEAD - 1) * 1000 < given->number) return false;
    if (f->compare == SVC_MAX_DATE && svc_id_second(&t->last) * 1000 > given->number) return false;
  }
  return true;
}

/* A value passes all filters that there are for its field; *any: there are some. */
static bool blocks_value_passes(svc_call *c, const svc_entities *which, int field, svc_str text, bool *any)
{
  const svc_filter *f;
  bool good = true;
  for (f = which->filters; SVC_ALWAYS(f) && f->param; f++) {
    const svc_query_value *given = svc_query_get(c, f->param);
    if (!given || svc_tallied(which->noun->noun, f->field) != field) continue;
    *any = true;
    good = good && svc_filter_compares(c, f, given, text);
  }
  return good;
}

/* How many of a block pass; -1: only a look at each tells. */
static int64_t blocks_passing(svc_call *c, const svc_entities *which, const svc_tally *block)
{
  int64_t passing[SVC_TALLIES] = { 0 }, least = block->count;
  bool any[SVC_TALLIES] = { false };
  svc_tally t = *block;
  svc_str text;
  uint32_t count;
  int field, some = 0;
  while (svc_tally_value(&t, &field, &text, &count) && field < SVC_TALLIES)
    if (blocks_value_passes(c, which, field, text, &any[field])) passing[field] += count;
  for (field = 0; field < SVC_TALLIES; field++) {
    if (!any[field] || passing[field] == block->count) continue;
    if (passing[field] < least) least = passing[field];
    some++; /* one field leaves some out; of two, nobody knows whether it is the same */
  }
  if (least == 0) return 0;
  return some < 2 && blocks_dated(c, which, block) ? least : -1;
}

static int blocks_order(const svc_key *a, const svc_key *b)
{
  return svc_str_order(svc_key_str(a), svc_key_str(b));
}

/* The rows from `first` on (NULL: from the first) up to `last`, as far as the list goes. False: there are none. */
static bool blocks_range(svc_call *c, blocks_source *b, const svc_id *first, const svc_id *last)
{
  const char *kind = b->which->noun->noun->kind;
  svc_key edge;
  svc_key_entity(&edge, kind, &b->which->parent, NULL);
  svc_scan_below(&b->scan, c->txn, &edge, true);
  b->scan.from = b->from;
  b->scan.to = b->to;
  b->begun = false;
  svc_key_entity(&edge, kind, &b->which->parent, first);
  if (blocks_order(&edge, &b->from) > 0) b->scan.from = edge;
  if (last) {
    svc_key_entity(&edge, kind, &b->which->parent, last);
    edge.b[edge.n++] = 0; /* that one as well */
    if (blocks_order(&edge, &b->to) < 0) b->scan.to = edge;
  }
  b->scan.ended = blocks_order(&b->scan.from, &b->scan.to) >= 0;
  return !b->scan.ended;
}

/* On to the next block of which something may pass. False: there is none. */
static bool blocks_next(svc_call *c, blocks_source *b)
{
  svc_tally t;
  while (svc_tally_next(&b->tallies, &t)) {
    if (!blocks_range(c, b, &t.first, &t.last)) continue;
    b->passing = blocks_passing(c, b->which, &t);
    b->count = t.count;
    if (b->passing) return true;
  }
  b->scan.ended = b->begun = true;
  b->scan.at = b->scan.n = 0;
  return false;
}

static bool blocks_item(svc_call *c, void *state, svc_item *out)
{
  blocks_source *b = state;
  svc_str key, value;
  svc_entity e;
  e.kind = b->which->noun->noun->kind;
  for (;;) {
    while (svc_scan_next(&b->scan, &key, &value)) {
      b->begun = true;
      if (!svc_entity_decode(key, value, &e)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
      if (svc_entities_pass(c, b->which, &e)) return !out || svc_entities_item(c, b->which, &e, out);
      if (c->error.code) return false;
    }
    if (c->txn->error || !blocks_next(c, b)) break;
  }
  svc_txn_good(c);
  return false;
}

static int64_t blocks_pass(svc_call *c, void *state, int64_t most)
{
  blocks_source *b = state;
  int64_t passed = 0;
  if (b->begun && !svc_scan_more(&b->scan) && !blocks_next(c, b)) return 0;
  while (!b->begun && b->passing >= 0 && b->passing <= most - passed) {
    passed += b->passing;
    if (!blocks_next(c, b)) return passed;
  }
  if (passed || b->begun || b->passing != b->count) return passed;
  b->scan.skip = (uint64_t)most; /* all of it pass: so many rows */
  b->begun = true;
  return most;
}

/* The tallies of the blocks that the list may have something of: no block behind the one in which it ends, none before it. */
static void blocks_tallies(svc_call *c, blocks_source *b)
{
  svc_scan end;
  svc_str key, value;
  svc_tally_begin(&b->tallies, c->txn, b->which->noun->noun->kind, &b->which->parent, true);
  end = b->tallies;
  end.backwards = false;
  end.from = b->to;
  end.from.b[0] = b->tallies.from.b[0];
  if (blocks_order(&end.from, &end.to) < 0) {
    svc_scan_expect(&end, 1);
    if (svc_scan_next(&end, &key, &value)) {
      memcpy(b->tallies.to.b, key.p, key.n);
      b->tallies.to.n = key.n;
      b->tallies.to.b[b->tallies.to.n++] = 0;
    }
  }
  memcpy(b->tallies.from.b + 1, b->from.b + 1, b->from.n - 1);
  b->tallies.from.n = b->from.n;
}

/* What is not tallied yet is behind the last block. */
SVC_PRIVATE bool svc_list_blocks(svc_call *c, const svc_entities *which, int64_t total)
{
  blocks_source b = { .which = which, .passing = -1 };
  svc_tally last;
  svc_scan newest;
  svc_entities_scan(c, which, &which->parent, &b.scan);
  b.from = b.scan.from;
  b.to = b.scan.to;
  blocks_tallies(c, &b);
  svc_tally_begin(&newest, c->txn, which->noun->noun->kind, &which->parent, true);
  svc_scan_expect(&newest, 1);
  if (svc_tally_next(&newest, &last)) last.last = svc_id_after(&last.last, 1);
  else memset(&last, 0, sizeof last);
  if (!svc_txn_good(c)) return false;
  blocks_range(c, &b, &last.last, NULL);
  return svc_list_passing(c, blocks_item, blocks_pass, &b, total);
}
