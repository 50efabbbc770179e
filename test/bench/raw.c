/*
** A copy of the service's store, opened with LMDB alone: the least work that is possible with the same records.
**
** The code does not depend on the layout of keys and records, because it identifies records by texts in their values. So the
** measurements stay valid when the layout changes.
*/
#define _GNU_SOURCE /* memmem */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void bench_raw_open(bench_raw *r, const char *path, unsigned flags)
{
  MDB_txn *txn;
  mkdir(path, 0700);
  if (mdb_env_create(&r->env) || mdb_env_set_mapsize(r->env, BENCH_MAP) ||
      mdb_env_open(r->env, path, flags | MDB_NOTLS | MDB_NORDAHEAD, 0600) || mdb_txn_begin(r->env, NULL, 0, &txn) ||
      mdb_dbi_open(txn, NULL, 0, &r->dbi) || mdb_txn_commit(txn))
    bench_die("raw LMDB cannot be opened");
}

void bench_raw_close(bench_raw *r)
{
  mdb_env_close(r->env);
  r->env = NULL;
}

void bench_raw_put(const bench_raw *r, MDB_txn *txn, char letter, const void *a, size_t an, const void *b, size_t bn,
                   const void *value, size_t n)
{
  unsigned char bytes[512]; /* LMDB's limit is 511 */
  MDB_val key = { 1 + an + bn, bytes }, v = { n, (void *)(uintptr_t)value };
  if (key.mv_size > sizeof bytes) bench_die("a key is too long");
  bytes[0] = (unsigned char)letter;
  memcpy(bytes + 1, a, an);
  if (bn) memcpy(bytes + 1 + an, b, bn);
  if (mdb_put(txn, r->dbi, &key, &v, 0)) bench_die("the store of the comparison cannot be written");
}

static void raw_add(bench_keys *out, const MDB_val *key)
{
  MDB_val *bigger;
  void *copy = malloc(key->mv_size);
  if (out->n == out->room) {
    out->room = out->room ? 2 * out->room : 128;
    bigger = realloc(out->keys, out->room * sizeof *out->keys);
    if (!bigger) bench_die("no memory");
    out->keys = bigger;
  }
  if (!copy) bench_die("no memory");
  memcpy(copy, key->mv_data, key->mv_size);
  out->keys[out->n++] = (MDB_val){ key->mv_size, copy };
}

void bench_raw_find(bench_raw *r, const char *one, const char *two, bench_keys *out)
{
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key, value;
  memset(out, 0, sizeof *out);
  if (mdb_txn_begin(r->env, NULL, MDB_RDONLY, &txn) || mdb_cursor_open(txn, r->dbi, &cursor)) bench_die("raw LMDB: no reader");
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0)
    if (memmem(value.mv_data, value.mv_size, one, strlen(one)) && memmem(value.mv_data, value.mv_size, two, strlen(two)))
      raw_add(out, &key);
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
}

void bench_keys_free(bench_keys *k)
{
  size_t i;
  for (i = 0; i < k->n; i++) free(k->keys[i].mv_data);
  free(k->keys);
  memset(k, 0, sizeof *k);
}
