/*
** Snapshots: the whole store in memory, and back.
**
** Both are jobs of the commit queue: a snapshot is a state between two changes, with the ids that belong to it, and
** a restore is one commit, or nothing. Records are read and written through the store port, whatever the engine;
** the port's own keys (they begin with a zero byte) are left alone, and so is its way of storing counters.
**
** The handle's own state is included: the ids, both random states, the limiter's buckets, used nonces and the time of a manual clock. Rules
** of faults, the journal, the clock's rate and counters are not. A restore sets the manual clock back within the commit: from then on no
** due step of the restored state happens before its time, even if another thread had read the clock before (lifecycle.c reads it again).
** Cached tokens become void by themselves, as after every commit (known.c).
**
**      bytes: for each record n of the key (4), n of the value (4), key, value; of a counter the value is the number (8); low bytes first
**
** whole_file.c turns a snapshot into a file.
*/
#include "control/whole.h"

#define WHOLE_ROWS 64
#define WHOLE_SIZES 8 /* bytes of both lengths */
#define WHOLE_FIRST ((size_t)64 << 10)

static const svc_str whole_begin = { "\1", 1 }, whole_end = { "\377", 1 };

typedef struct whole_job {
  svc_job job; /* must be first: the struct is cast back */
  svc *s;
  svc_snapshot *to;         /* taking */
  const svc_snapshot *from; /* restoring */
  int64_t clock;            /* before the restore */
  bool put_back;
  int status; /* the reason of a refusal */
} whole_job;

/* ------------------------------------------------------------------------------------------------------------- taking */

static int whole_grow(svc_snapshot *k, size_t n)
{
  size_t room = k->room ? k->room : WHOLE_FIRST;
  char *bytes;
  if (n > k->most || k->n > k->most - n) return SVC_FULL;
  if (n <= k->room - k->n) return SVC_OK;
  while (room - k->n < n) room = room > k->most / 2 ? k->most : room * 2;
  bytes = k->allocator.resize(k->allocator.context, k->bytes, room);
  if (!bytes) return SVC_NOMEM;
  k->bytes = bytes;
  k->room = room;
  return SVC_OK;
}

static void whole_put(svc_snapshot *k, const void *p, size_t n)
{
  if (n) memcpy(k->bytes + k->n, p, n);
  k->n += n;
}

SVC_PRIVATE int svc_whole_add(svc_snapshot *k, svc_str key, svc_str value)
{
  unsigned char sizes[WHOLE_SIZES];
  int rc = value.n > UINT32_MAX / 2 ? SVC_FULL : whole_grow(k, sizeof sizes + key.n + value.n);
  if (rc != SVC_OK) return rc;
  svc_store64(sizes, (uint64_t)value.n << 32 | key.n);
  whole_put(k, sizes, sizeof sizes);
  whole_put(k, key.p, key.n);
  whole_put(k, value.p, value.n);
  k->records++;
  return SVC_OK;
}

static int whole_row(svc_snapshot *k, svc_txn *txn, const svc_row *row)
{
  int64_t count = 0;
  char bytes[8];
  int rc;
  if (row->key.p[0] != SVC_COUNT_LETTER) return svc_whole_add(k, row->key, row->value);
  rc = svc_note(txn, txn->port->count(txn, row->key, &count));
  svc_store64(bytes, (uint64_t)count);
  return rc == SVC_OK ? svc_whole_add(k, row->key, (svc_str){ bytes, sizeof bytes }) : rc;
}

/* Reads all records; each batch continues behind the last key. */
SVC_PRIVATE int svc_whole_read(svc_snapshot *k, svc_txn *txn)
{
  svc_row rows[WHOLE_ROWS];
  svc_range range = { whole_begin, whole_end, false, 0 };
  svc_key from;
  size_t n, i;
  int rc = SVC_OK;
  do {
    rc = svc_note(txn, txn->port->scan(txn, &range, rows, WHOLE_ROWS, &n));
    for (i = 0; rc == SVC_OK && i < n; i++) rc = whole_row(k, txn, &rows[i]);
    if (rc != SVC_OK || n < WHOLE_ROWS) return rc;
    from.n = 0;
    svc_key_add(&from, rows[n - 1].key.p, rows[n - 1].key.n);
    svc_key_number(&from, 0, 1);
    range.from = svc_key_str(&from);
  } while (true);
}

/* A store that can keep its state does so: that costs nothing. The work may run again. */
static int whole_hold(svc_snapshot *k, svc_txn *txn)
{
  uint64_t bytes = 0, records = 0;
  int rc;
  if (k->held) k->port->let_go(k->held);
  k->port = txn->port;
  rc = svc_note(txn, txn->port->hold(txn, &k->held, &bytes, &records));
  bytes += records * WHOLE_SIZES; /* the size that copied records would have */
  if (rc == SVC_OK && bytes > k->most) rc = SVC_FULL;
  k->n = (size_t)bytes;
  k->records = (size_t)records;
  return rc;
}

static bool whole_take_work(svc_job *job, svc_txn *txn)
{
  whole_job *work = (whole_job *)job;
  svc_snapshot *k = work->to;
  k->n = k->records = 0;
  k->ids = *txn->ids;
  work->status = txn->port->hold ? whole_hold(k, txn) : svc_whole_read(k, txn);
  return work->status == SVC_OK;
}

SVC_PRIVATE int svc_whole_digest(svc *s, svc_snapshot *k)
{
  k->digest = k->allocator.resize(k->allocator.context, NULL, svc_digest_size());
  if (!k->digest) return SVC_NOMEM;
  svc_digest_save(s->digest, k->digest);
  return SVC_OK;
}

static int whole_beside(svc *s, svc_snapshot *k)
{
  if (svc_whole_digest(s, k) != SVC_OK) return SVC_NOMEM;
  if (s->config.manual_clock) k->now = svc_now(s); /* the present time of a running clock; otherwise not needed */
  svc_mutex_lock(&s->control->lock);
  k->random = s->control->random;
  k->chance = s->control->chance;
  svc_mutex_unlock(&s->control->lock);
  if (!s->limiter) return SVC_OK;
  k->limiter = k->allocator.resize(k->allocator.context, NULL, svc_limiter_size(s->limiter));
  if (!k->limiter) return SVC_NOMEM;
  svc_limiter_save(s->limiter, k->limiter);
  return SVC_OK;
}

SVC_PRIVATE svc_snapshot *svc_whole_new(svc *s)
{
  svc_snapshot *k = s->allocator.resize(s->allocator.context, NULL, sizeof *k);
  if (!k) return NULL;
  memset(k, 0, sizeof *k);
  k->allocator = s->allocator;
  k->s = s;
  k->session = s->session;
  k->most = s->config.max_snapshot;
  return k;
}

int svc_snapshot_take(svc *s, svc_snapshot **out)
{
  whole_job work;
  svc_snapshot *k;
  int rc;
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  *out = NULL;
  k = svc_whole_new(s);
  if (!k) return SVC_NOMEM;
  snprintf(k->vendor, sizeof k->vendor, SVC_FMT, SVC_ARG(s->vendor));
  svc_access_uses_flush(s, svc_now(s)); /* figures that are only in memory so far belong to the snapshot */
  memset(&work, 0, sizeof work);
  work.job.work = whole_take_work;
  work.job.now = svc_now(s);
  work.s = s;
  work.to = k;
  rc = svc_commit_run(&s->commit, &work.job);
  if (rc == SVC_OK && work.job.refused) rc = work.status;
  if (rc == SVC_OK) rc = whole_beside(s, k);
  k->taken = work.job.now;
  if (rc == SVC_OK) *out = k;
  else svc_snapshot_free(k);
  return rc;
}

/* ---------------------------------------------------------------------------------------------------------- restoring */

/* The record at *at, which moves behind it. */
static svc_row whole_next(const svc_snapshot *k, size_t *at)
{
  const uint64_t sizes = svc_load64(k->bytes + *at);
  svc_row row;
  row.key = (svc_str){ k->bytes + *at + 8, (size_t)(sizes & UINT32_MAX) };
  row.value = (svc_str){ row.key.p + row.key.n, (size_t)(sizes >> 32) };
  *at += 8 + row.key.n + row.value.n;
  return row;
}

static int whole_write(const svc_snapshot *k, svc_txn *txn)
{
  size_t at = 0;
  int64_t count;
  int rc;
  rc = svc_note(txn, txn->port->remove_range(txn, whole_begin, whole_end));
  while (rc == SVC_OK && at < k->n) {
    svc_row row = whole_next(k, &at);
    if (row.key.p[0] == SVC_COUNT_LETTER) {
      count = (int64_t)svc_load64(row.value.p);
      rc = svc_note(txn, txn->port->count_add(txn, row.key, count));
    } else {
      rc = svc_note(txn, txn->port->put(txn, row.key, row.value));
    }
  }
  return rc;
}

static bool whole_restore_work(svc_job *job, svc_txn *txn)
{
  whole_job *work = (whole_job *)job;
  const svc_snapshot *k = work->from;
  svc_ids *ids = txn->ids;
  txn->dirty = true;
  if ((k->held ? svc_note(txn, txn->port->bring_back(txn, k->held)) : whole_write(k, txn)) != SVC_OK) return false;
  ids->last = k->ids.last;
  ids->reserved = k->ids.reserved;
  ids->late = k->ids.late;
  memcpy(ids->pool, k->ids.pool, sizeof ids->pool);
  ids->pool_left = k->ids.pool_left;
  if (work->s->config.manual_clock && !work->put_back) {
    work->clock = svc_now(work->s);
    work->put_back = true;
    svc_clock_put(work->s, k->now);
  }
  return true;
}

static void whole_beside_back(svc *s, const svc_snapshot *k)
{
  svc_access_uses_forget(s);
  svc_digest_restore(s->digest, k->digest);
  if (k->limiter) svc_limiter_restore(s->limiter, k->limiter);
  svc_mutex_lock(&s->control->lock);
  s->control->random = k->random;
  s->control->chance = k->chance;
  svc_mutex_unlock(&s->control->lock);
  svc_failures_back(s);
}

int svc_snapshot_restore(svc *s, const svc_snapshot *snapshot)
{
  whole_job work;
  int rc;
  if (!SVC_USABLE(s) || !snapshot || snapshot->s != s || snapshot->session != s->session) return SVC_INVALID;
  memset(&work, 0, sizeof work);
  work.job.work = whole_restore_work;
  work.job.now = svc_now(s);
  work.s = s;
  work.from = snapshot;
  rc = svc_commit_run(&s->commit, &work.job);
  if (rc == SVC_OK) whole_beside_back(s, snapshot);
  else if (work.put_back) svc_clock_put(s, work.clock);
  return rc;
}

/* ------------------------------------------------------------------------------------------------------------- others */

SVC_PRIVATE svc_snapshot_size svc_snapshot_measure(const svc_snapshot *k)
{
  return (svc_snapshot_size){ k->n, k->records };
}

void svc_snapshot_free(svc_snapshot *k)
{
  svc_allocator a;
  if (!k) return;
  a = k->allocator;
  if (k->held) k->port->let_go(k->held);
  if (k->bytes) svc_wipe(k->bytes, k->n); /* stored data is secret */
  if (k->bytes) a.resize(a.context, k->bytes, 0);
  if (k->digest) a.resize(a.context, k->digest, 0);
  if (k->limiter) a.resize(a.context, k->limiter, 0);
  a.resize(a.context, k, 0);
}
