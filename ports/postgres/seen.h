/*
** Keys whose values a transaction knows, or expects to read.
**
** The rule: a transaction does not read a key again while it remembers the value, and expected keys are read together with the first
** statement that waits anyway.
*/
#ifndef SVC_POSTGRES_SEEN_H
#define SVC_POSTGRES_SEEN_H

#include "wire.h"

static uint64_t postgres_hash(svc_str key)
{
  uint64_t h = UINT64_C(14695981039346656037);
  size_t i;
  for (i = 0; i < key.n; i++) h = (h ^ (unsigned char)key.p[i]) * UINT64_C(1099511628211);
  return h;
}

static postgres_seen *postgres_seen_hashed(postgres_txn *t, svc_str key, bool count, uint64_t hash)
{
  unsigned i = t->seen_count ? t->heads[hash % POSTGRES_SEEN_HEADS] : POSTGRES_NONE;
  while (i != POSTGRES_NONE) {
    postgres_seen *e = &t->seen[i];
    if (e->hash == hash && e->n == key.n && e->is_count == count && memcmp(e->key, key.p, key.n) == 0) return e;
    i = e->next;
  }
  return NULL;
}

static postgres_seen *postgres_seen_at(postgres_txn *t, svc_str key, bool count)
{
  return postgres_seen_hashed(t, key, count, postgres_hash(key));
}

/* Makes room for n more keys. False: there are too many, or no memory. */
static bool postgres_seen_grow(postgres_txn *t, size_t n)
{
  size_t room = t->seen_room;
  postgres_seen *bigger;
  while (room < t->seen_count + n) room *= 2;
  if (room == t->seen_room) return true;
  bigger = room > POSTGRES_SEEN_MOST ? NULL : realloc(t->seen, room * sizeof *t->seen);
  if (!bigger) return false;
  t->seen = bigger;
  t->seen_room = (unsigned)room;
  return true;
}

static void postgres_want_again(postgres_txn *t, postgres_seen *e)
{
  e->how = POSTGRES_WANTED;
  t->wanted[e->is_count]++;
}

/* Notes a key as wanted, unless it is known. Returns NULL if the key is too long to be remembered, or if there is no room. The result is
** valid until the next key is noted. */
static postgres_seen *postgres_want(postgres_txn *t, svc_str key, bool count)
{
  const uint64_t hash = postgres_hash(key);
  postgres_seen *e = postgres_seen_hashed(t, key, count, hash);
  uint16_t *head = &t->heads[hash % POSTGRES_SEEN_HEADS];
  if (e && e->how == POSTGRES_WRITTEN) postgres_want_again(t, e);
  if (e || key.n > POSTGRES_SEEN_KEY || !postgres_seen_grow(t, 1)) return e;
  if (t->seen_count == 0) memset(t->heads, 0xFF, sizeof t->heads);
  e = &t->seen[t->seen_count];
  memcpy(e->key, key.p, e->n = key.n);
  e->hash = hash;
  e->is_count = count;
  e->next = *head;
  *head = (uint16_t)t->seen_count++;
  postgres_want_again(t, e);
  return e;
}

/* Forgets the value of a key that was written. */
static void postgres_unsee(postgres_txn *t, svc_str key, bool count)
{
  postgres_seen *e = postgres_seen_at(t, key, count);
  if (!e) return;
  if (e->how == POSTGRES_WANTED) t->wanted[count]--;
  e->how = POSTGRES_WRITTEN;
}

/* Sends a statement that reads all wanted keys, of records or counters. Returns false if there are none. */
static bool postgres_send_wanted(postgres_txn *t, bool counts)
{
  postgres_array wanted = { 0 };
  postgres_args a = { 0 };
  unsigned i;
  if (!t->wanted[counts] || t->failed) return false;
  if (!postgres_array_room(&wanted, (size_t)t->wanted[counts] * (POSTGRES_SEEN_KEY + 4))) return postgres_fail(t, SVC_NOMEM), false;
  for (i = 0; i < t->seen_count; i++) {
    postgres_seen *e = &t->seen[i];
    if (e->how != POSTGRES_WANTED || e->is_count != counts) continue;
    postgres_array_put(&wanted, (svc_str){ e->key, e->n });
    e->how = POSTGRES_SENT;
    e->value = (svc_str){ NULL, 0 };
    e->count = 0;
  }
  t->wanted[counts] = 0;
  postgres_array_arg(&a, &wanted, POSTGRES_BYTEA);
  postgres_send(t, counts ? POSTGRES_COUNT_ANY : POSTGRES_GET_ANY, &a); /* copies the keys */
  free(wanted.p);
  return true;
}

static int postgres_read_wanted(postgres_txn *t, bool counts)
{
  PGresult *r = NULL;
  unsigned k;
  int rc = postgres_next(t, &r), i;
  if (rc == SVC_OK) rc = postgres_keep(t, r);
  for (i = 0; rc == SVC_OK && i < PQntuples(r); i++) {
    postgres_seen *e = postgres_seen_at(t, (svc_str){ PQgetvalue(r, i, 0), (size_t)PQgetlength(r, i, 0) }, counts);
    if (e && counts) e->count += postgres_integer_at(r, i, 1);
    else if (e) e->value = (svc_str){ PQgetvalue(r, i, 1), (size_t)PQgetlength(r, i, 1) };
  }
  for (k = 0; k < t->seen_count && rc == SVC_OK; k++)
    if (t->seen[k].how == POSTGRES_SENT && t->seen[k].is_count == counts) t->seen[k].how = POSTGRES_HERE;
  return rc;
}

/* Turns a draft that has failed with a conflict into a plain reader, which conflicts with no other transaction. Returns true if the caller
** must send its query again. */
static bool postgres_withdraw(postgres_txn *t)
{
  unsigned i;
  if (t->failed != SVC_RETRY || !t->head.draft) return false;
  t->failed = SVC_OK;
  if (postgres_send_one(t, POSTGRES_ROLLBACK, NULL) == SVC_OK) postgres_sync(t);
  postgres_drain_all(t);
  t->begun = t->head.draft = false;
  t->reads = true;
  t->block = t->store->pooler == POSTGRES_TRANSACTION;
  for (i = 0; i < t->seen_count; i++)
    if (t->seen[i].how == POSTGRES_SENT) postgres_want_again(t, &t->seen[i]);
  return true; /* even if the connection was lost: the next query reports it */
}

static int postgres_ask_once(postgres_txn *t, int statement, const postgres_args *a, PGresult **out)
{
  bool records = postgres_send_wanted(t, false), counts = postgres_send_wanted(t, true);
  int rc = statement >= 0 ? postgres_send(t, statement, a) : t->failed;
  if (rc == SVC_OK) rc = postgres_go(t);
  if (rc == SVC_OK) rc = postgres_drain(t, (unsigned)records + counts + (statement >= 0));
  if (rc == SVC_OK && records) rc = postgres_read_wanted(t, false);
  if (rc == SVC_OK && counts) rc = postgres_read_wanted(t, true);
  if (rc != SVC_OK || statement < 0) return rc;
  rc = postgres_next(t, out);
  return rc == SVC_OK ? postgres_keep(t, *out) : rc;
}

/* Reads all wanted keys, and the result of a statement (-1: none) into *out. Results are kept until the transaction ends. */
static int postgres_ask(postgres_txn *t, int statement, const postgres_args *a, PGresult **out)
{
  int rc = postgres_ask_once(t, statement, a, out);
  if (rc != SVC_OK && postgres_withdraw(t)) rc = postgres_ask_once(t, statement, a, out);
  if (rc != SVC_OK) postgres_seen_clear(t);
  return rc;
}

#endif /* SVC_POSTGRES_SEEN_H */
