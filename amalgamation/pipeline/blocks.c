/*
** A long log as a list, newest first: the rows that are not tallied yet (tally.c), then block by block.
**
** The rule: if the tally of a block says how many of its rows pass the filters, only rows on the page are read. A page of a
** log thus costs its own rows, and one small record for each block before it or counted.
*/
#include "pipeline/pipeline.h"

typedef struct blocks_source {
  const svc_entities *which;
  svc_scan scan;    /* the rows of the block */
  svc_scan tallies; /* of the following blocks */
  svc_key from, to; /* range of the list, from its dates */
  bool begun;       /* rows of the block were read or skipped */
  int64_t passing;  /* number of rows that pass; -1: unknown */
  int64_t count;    /* number of rows in the block */
} blocks_source;

/* Whether all rows of a block are within the bounds of dates. An id may be ahead of its date, see entities.c. */
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

/* Whether a value passes all filters on its field; *any: there are some. */
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

/* Number of rows of a block that pass; -1: each row must be checked. */
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
    some++; /* one field excludes some rows; with two fields, the overlap is unknown */
  }
  if (least == 0) return 0;
  return some < 2 && blocks_dated(c, which, block) ? least : -1;
}

static int blocks_order(const svc_key *a, const svc_key *b)
{
  return svc_str_order(svc_key_str(a), svc_key_str(b));
}

/* The rows from `first` (NULL: the beginning) to `last`, limited to the range of the list. False: empty. */
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
    edge.b[edge.n++] = 0; /* includes that row */
    if (blocks_order(&edge, &b->to) < 0) b->scan.to = edge;
  }
  b->scan.ended = blocks_order(&b->scan.from, &b->scan.to) >= 0;
  return !b->scan.ended;
}

/* Moves to the next block with rows that may pass. False: no more blocks. */
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
  b->scan.skip = (uint64_t)most; /* all rows of the block pass, so `most` rows are skipped */
  b->begun = true;
  return most;
}

/* The tallies of the blocks that overlap the list's range. */
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

/* Rows that are not tallied yet lie behind the last block. */
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
