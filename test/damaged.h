/*
** Damages records of a store for tests. Each function overwrites the JSON of one entity, or the record stored next to it. No
** index or count of the store is updated.
*/
#ifndef SVC_TEST_DAMAGED_H
#define SVC_TEST_DAMAGED_H

#include "support.h"

/* Damages one entity of a noun below a parent. Ids are hexadecimal; "" means a zero id. `id` NULL: the first entity that exists. */
static inline void damaged_put(t_service *t, const char *noun, const char *parent, const char *id, const char *from, const char *to,
                               const svc_str *extra, size_t at_extra)
{
  const svc_store_port *port = t->s->commit.port;
  const char *kind = svc_noun_named(t->s, noun)->noun->kind;
  svc_id above = { { 0 } }, own = { { 0 } };
  svc_arena arena;
  svc_entity e;
  svc_scan scan;
  svc_txn *txn;
  size_t at, was, is, found = 0;
  munit_assert_true(!*parent || svc_id_parse(svc_str_c(parent), &above));
  munit_assert_true(!id || !*id || svc_id_parse(svc_str_c(id), &own));
  svc_arena_init(&arena, NULL);
  munit_assert_int(port->write_begin(t->s->commit.store, &txn), ==, SVC_OK);
  svc_below_begin(&scan, txn, kind, &above);
  if (id) munit_assert_int(svc_entity_get(txn, kind, &above, &own, &e), ==, SVC_OK);
  else munit_assert_true(svc_below_next(&scan, kind, &e));
  e.key = svc_arena_copy(&arena, e.key);
  e.unique = svc_arena_copy(&arena, e.unique);
  e.body = svc_arena_copy(&arena, e.body);
  e.extra = svc_arena_copy(&arena, extra && at_extra == SIZE_MAX ? *extra : e.extra);
  if (extra && at_extra != SIZE_MAX) {
    munit_assert_size(at_extra + extra->n, <=, e.extra.n);
    memcpy((char *)(uintptr_t)e.extra.p + at_extra, extra->p, extra->n);
  }
  if (from) {
    was = strlen(from);
    is = strlen(to);
    for (at = 0; at + was <= e.body.n; at++) {
      if (memcmp(e.body.p + at, from, was) != 0) continue;
      e.body = svc_arena_print(&arena, "%.*s%s%s", (int)at, e.body.p, to, e.body.p + at + was);
      if (e.links_at > at) e.links_at = e.links_at + is - was;
      at += is;
      found++;
    }
    if (!found) munit_errorf("no %s in " SVC_FMT, from, SVC_ARG(e.body));
  }
  munit_assert_int(svc_record_put(txn, &arena, &e), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  svc_blocks_free(arena.blocks);
}

/* Replaces a text in the entity's JSON, everywhere it occurs. */
static inline void damaged_body(t_service *t, const char *noun, const char *parent, const char *id, const char *from, const char *to)
{
  damaged_put(t, noun, parent, id, from, to, NULL, SIZE_MAX);
}

/* Replaces the record stored next to the entity's JSON. */
static inline void damaged_extra(t_service *t, const char *noun, const char *parent, const char *id, svc_str extra)
{
  damaged_put(t, noun, parent, id, NULL, NULL, &extra, SIZE_MAX);
}

/* Overwrites bytes of the record stored next to the entity's JSON, from offset `at` on. */
static inline void damaged_bytes(t_service *t, const char *noun, const char *parent, const char *id, size_t at, svc_str bytes)
{
  damaged_put(t, noun, parent, id, NULL, NULL, &bytes, at);
}

#endif
