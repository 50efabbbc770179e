/*
** Records: reading, scanning and writing.
**
** The rule: no write waits for its result. Records that are written are gathered and sent together, before the next statement; a removal
** is sent at once; additions to counters are sent as late as possible.
*/
#ifndef SVC_POSTGRES_RECORD_H
#define SVC_POSTGRES_RECORD_H

#include "transaction.h"

static int postgres_get_each_once(postgres_txn *t, const svc_str *keys, size_t n, svc_str *values)
{
  size_t i;
  int rc = t->failed;
  for (i = 0; i < n && rc == SVC_OK; i++) {
    postgres_args a = { 0 };
    postgres_bytes(&a, keys[i]);
    rc = postgres_send(t, POSTGRES_GET, &a);
  }
  if (n == 0 || rc != SVC_OK) return rc;
  rc = postgres_go(t);
  if (rc == SVC_OK) rc = postgres_drain(t, (unsigned)n);
  for (i = 0; i < n && rc == SVC_OK; i++) {
    PGresult *r;
    rc = postgres_next(t, &r);
    if (rc == SVC_OK) rc = postgres_keep(t, r);
    if (rc != SVC_OK) break;
    values[i] = (svc_str){ NULL, 0 };
    if (PQntuples(r)) values[i] = (svc_str){ PQgetvalue(r, 0, 0), (size_t)PQgetlength(r, 0, 0) };
  }
  return rc;
}

/* Reads each key by its own statement, for keys that are too long or too many to be remembered. */
static int postgres_get_each(postgres_txn *t, const svc_str *keys, size_t n, svc_str *values)
{
  int rc = postgres_get_each_once(t, keys, n, values);
  return rc != SVC_OK && postgres_withdraw(t) ? postgres_get_each_once(t, keys, n, values) : rc;
}

static int postgres_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  postgres_txn *t = (postgres_txn *)txn;
  bool brief = n <= POSTGRES_SEEN_MOST, here = true;
  size_t i;
  int rc = t->failed;
  for (i = 0; i < n && brief; i++) brief = keys[i].n <= POSTGRES_SEEN_KEY;
  if (!brief) return postgres_get_each(t, keys, n, values);
  if (!postgres_seen_grow(t, n)) {
    postgres_seen_clear(t);
    if (!postgres_seen_grow(t, n)) return postgres_get_each(t, keys, n, values); /* no memory for so many */
  }
  for (i = 0; i < n; i++) here &= postgres_want(t, keys[i], false)->how == POSTGRES_HERE;
  if (rc == SVC_OK && !here) rc = postgres_ask(t, -1, NULL, NULL);
  for (i = 0; i < n && rc == SVC_OK; i++) values[i] = postgres_seen_at(t, keys[i], false)->value;
  return rc;
}

static void postgres_expect(svc_txn *txn, const svc_str *keys, size_t n, uint64_t rows)
{
  postgres_txn *t = (postgres_txn *)txn;
  size_t i;
  for (i = 0; i < n; i++) postgres_want(t, keys[i], keys[i].n && (unsigned char)keys[i].p[0] == SVC_COUNT_LETTER);
  t->rows = rows;
}

static int postgres_get(svc_txn *txn, svc_str key, svc_str *value)
{
  svc_str found = { NULL, 0 };
  int rc = postgres_get_many(txn, &key, 1, &found);
  if (rc == SVC_OK && found.p) *value = found;
  return rc == SVC_OK && !found.p ? SVC_NOT_FOUND : rc;
}

/* Whether a range may contain counters. Only then are counters read, because reading them conflicts with transactions that add to them. */
static bool postgres_has_counts(svc_str from, svc_str to)
{
  const unsigned char *a = (const unsigned char *)from.p, *b = (const unsigned char *)to.p;
  return to.n && (from.n == 0 || a[0] <= SVC_COUNT_LETTER) && (b[0] > SVC_COUNT_LETTER || (b[0] == SVC_COUNT_LETTER && to.n > 1));
}

/* Returns a row of a result. The value of a counter is its number in this machine's byte order. */
static svc_row postgres_row(PGresult *r, int i)
{
  svc_row row;
  row.key = (svc_str){ PQgetvalue(r, i, 0), (size_t)PQgetlength(r, i, 0) };
  if (PQgetisnull(r, i, 2)) {
    row.value = (svc_str){ PQgetvalue(r, i, 1), (size_t)PQgetlength(r, i, 1) };
  } else {
    int64_t count = postgres_integer_at(r, i, 2);
    row.value = (svc_str){ PQgetvalue(r, i, 2), sizeof count };
    memcpy(PQgetvalue(r, i, 2), &count, sizeof count); /* the result's own memory, of this size */
  }
  return row;
}

/* Returns rows from memory, if the range continues the previous scan. False: the server must be asked. */
static bool postgres_scan_ahead(postgres_txn *t, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  const svc_str edge = range->backwards ? range->from : range->to, start = range->backwards ? range->to : range->from;
  PGresult *r = t->ahead.r;
  svc_row last;
  if (!r || range->skip || range->backwards != t->ahead.backwards || edge.n != t->ahead.edge_length ||
      memcmp(edge.p, t->ahead.edge, edge.n) != 0 || (!t->ahead.all && (size_t)(t->ahead.n - t->ahead.at) < most))
    return false;
  last.key = (svc_str){ PQgetvalue(r, t->ahead.at - 1, 0), (size_t)PQgetlength(r, t->ahead.at - 1, 0) };
  if (start.n != last.key.n + !range->backwards || memcmp(start.p, last.key.p, last.key.n) != 0 || (!range->backwards && start.p[last.key.n]))
    return false;
  while (t->ahead.at < t->ahead.n && *n < most) rows[(*n)++] = postgres_row(r, t->ahead.at++);
  return true;
}

static int postgres_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  bool counts = postgres_has_counts(range->from, range->to);
  int statement = range->backwards ? counts ? POSTGRES_DOWN_ALL : POSTGRES_DOWN : counts ? POSTGRES_UP_ALL : POSTGRES_UP, rc, i;
  const svc_str edge = range->backwards ? range->from : range->to;
  postgres_txn *t = (postgres_txn *)txn;
  size_t wanted = !txn->writing && t->rows > most && SVC_ALWAYS(edge.n <= POSTGRES_EDGE) ? (size_t)t->rows : most;
  postgres_args a = { 0 };
  PGresult *r;
  *n = 0;
  if (t->failed == SVC_OK && postgres_scan_ahead(t, range, rows, most, n)) return SVC_OK;
  t->rows = 0;
  t->ahead.r = NULL;
  if (wanted > INT32_MAX) wanted = INT32_MAX;
  postgres_bytes(&a, range->from);
  postgres_bytes(&a, range->to);
  postgres_integer(&a, (int64_t)wanted);
  postgres_integer(&a, range->skip > INT64_MAX ? INT64_MAX : (int64_t)range->skip);
  rc = postgres_ask(t, statement, &a, &r);
  if (rc != SVC_OK) return rc;
  for (i = 0; i < PQntuples(r) && *n < most; i++) rows[(*n)++] = postgres_row(r, i);
  if (wanted == most || i == 0) return SVC_OK;
  t->ahead.r = r;
  t->ahead.at = i;
  t->ahead.n = PQntuples(r);
  t->ahead.all = (size_t)t->ahead.n < wanted;
  t->ahead.backwards = range->backwards;
  memcpy(t->ahead.edge, edge.p, t->ahead.edge_length = edge.n);
  return SVC_OK;
}

/* Sends a write without waiting: the next read or the commit checks its result. */
static int postgres_change(svc_txn *txn, int statement, const postgres_args *a)
{
  postgres_txn *t = (postgres_txn *)txn;
  t->wrote = true;
  return postgres_send(t, statement, a);
}

/* Gathers the write of a record. A statement cannot write a record twice, so the second write goes into the next statement. When work is
** retried, no record counts as new, because a wrong assumption about that may have caused the conflict. */
static int postgres_put(svc_txn *txn, svc_str key, svc_str value)
{
  postgres_txn *t = (postgres_txn *)txn;
  postgres_writes *w = &t->store->writes;
  uint64_t hash = postgres_hash(key);
  bool fresh = txn->fresh && !txn->again, full;
  unsigned i = 0;
  t->wrote = true;
  postgres_unsee(t, key, false);
  while (i < w->keys.count && w->hashes[i] != hash) i++;
  full = i == POSTGRES_PUTS || (i && w->values.n > POSTGRES_PUTS_BYTES);
  if ((full || i < w->keys.count || (i && w->fresh != fresh)) && postgres_send_puts(t) != SVC_OK) return t->failed;
  if (full && postgres_start(t) != SVC_OK) return t->failed;
  if (!postgres_array_room(&w->keys, key.n) || !postgres_array_room(&w->values, value.n))
    return postgres_fail(t, SVC_NOMEM);
  w->fresh = fresh;
  w->hashes[w->keys.count] = hash;
  postgres_array_put(&w->keys, key);
  postgres_array_put(&w->values, value);
  return t->failed;
}

static int postgres_remove(svc_txn *txn, svc_str key)
{
  postgres_args a = { 0 };
  postgres_unsee((postgres_txn *)txn, key, false);
  postgres_bytes(&a, key);
  return postgres_change(txn, POSTGRES_REMOVE, &a);
}

static int postgres_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  postgres_args a = { 0 };
  int rc;
  postgres_seen_clear((postgres_txn *)txn);
  postgres_bytes(&a, from);
  postgres_bytes(&a, to);
  rc = postgres_change(txn, POSTGRES_REMOVE_RANGE, &a);
  return rc == SVC_OK && postgres_has_counts(from, to) ? postgres_change(txn, POSTGRES_REMOVE_COUNTS, &a) : rc;
}

/* Adds to a counter whose key is too long to be gathered; sent after the gathered ones. */
static int postgres_add_alone(postgres_txn *t, svc_str key, int64_t delta)
{
  postgres_writes *w = &t->store->writes;
  postgres_args a = { 0 }, number = { 0 };
  if (postgres_send_puts(t) != SVC_OK || postgres_send_adds(t) != SVC_OK) return t->failed;
  if (!postgres_array_room(&w->keys, key.n) || !postgres_array_room(&w->values, 8)) return postgres_fail(t, SVC_NOMEM);
  postgres_integer(&number, delta);
  postgres_array_put(&w->keys, key);
  postgres_array_put(&w->values, (svc_str){ number.values[0], 8 });
  postgres_array_arg(&a, &w->keys, POSTGRES_BYTEA);
  postgres_array_arg(&a, &w->values, POSTGRES_BIGINT);
  postgres_integer(&a, t->store->part);
  w->keys.count = w->values.count = 0;
  return postgres_send_next(t, POSTGRES_ADD, &a);
}

/* Adds to a known counter, so that the next job of the batch need not read it again. */
static void postgres_seen_add(postgres_txn *t, svc_str key, int64_t delta)
{
  postgres_seen *e = postgres_seen_at(t, key, true);
  if (e && e->how == POSTGRES_HERE) e->count += delta;
}

/* Adds to a counter. Additions are gathered until a counter is read or until the commit, so that rows are locked as late as possible. */
static int postgres_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  postgres_txn *t = (postgres_txn *)txn;
  postgres_writes *w = &t->store->writes;
  unsigned i = 0;
  if (delta == 0 || t->failed) return t->failed;
  t->wrote = true;
  if (key.n > POSTGRES_SEEN_KEY) return postgres_add_alone(t, key, delta);
  postgres_seen_add(t, key, delta);
  while (i < w->add_count && !(w->adds[i].n == key.n && memcmp(w->adds[i].key, key.p, key.n) == 0)) i++;
  if (i == POSTGRES_ADDS) {
    if (postgres_send_puts(t) != SVC_OK || postgres_send_adds(t) != SVC_OK) return t->failed;
    i = 0;
  }
  if (i == w->add_count) {
    memcpy(w->adds[i].key, key.p, w->adds[i].n = key.n);
    w->adds[w->add_count++].delta = 0;
  }
  w->adds[i].delta += delta;
  return SVC_OK;
}

#endif /* SVC_POSTGRES_RECORD_H */
