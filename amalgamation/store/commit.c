/*
** The commit queue: one writer at a time; queued writers share one commit.
**
** A durable commit costs two flushes of the disk, whatever it holds. A writer that finds no commit in progress becomes the
** leader. The leader does up to COMMIT_BATCH queued jobs in one transaction, in the order of their arrival, including jobs that arrive
** meanwhile (commit_join). Then it commits and wakes their owners. The first job that arrived during the commit leads next. A job is
** answered only when its transaction is durable.
**
** A job keeps everything it wrote, or nothing. Jobs check before they write, so a refused job has usually written
** nothing, and the batch goes on. A job that is refused after a write spoils the transaction, which is aborted and
** repeated without the job, which runs alone when the others are done. A transaction is also repeated when the store was
** out of room. If another process committed first, the batch is split and its parts are repeated (see "conflicts"). Jobs must
** therefore be repeatable.
**
** The rule: a refusal counts only if no write of another job led to it. So when a try that wrote something is aborted, the results of all
** its jobs are discarded: a job may have been refused because of a write that never happened.
**
** A store that has reached its limit still accepts jobs that make it smaller: they are tried again beyond the limit, and the other jobs
** of the batch get SVC_FULL. An error that concerns a single job (commit_is_own) becomes the status of this job. Any other error of the
** store, such as SVC_IO, becomes the status of every job of the batch.
*/
#include "store/store.h"

#define COMMIT_BATCH 128
#define COMMIT_PATIENCE 64 /* times that a leader yields to other threads before it commits */
#define COMMIT_RETRIES 16  /* tries that may be lost to another process */
#define COMMIT_SCHEMA SVC_STORE_FORMAT /* the format of this build: svc_open() refuses every other one */

/* ---------------------------------------------------------------------------------------------- ids and revisions */

/*
** Ids must rise over the whole life of a store, but storing the last id with every commit would flush one more page.
** So the store holds a bound a little ahead in time, which is written when ids reach it, and the last id itself when the
** store is closed. After a crash ids continue from the bound, up to SVC_ID_AHEAD seconds ahead of the clock. The next bound
** is then only COMMIT_ID_STEP ids further, so that ids do not run away from the clock however often that happens.
**
** A store that several processes write to has no bound, because each process would need its own. Ids follow the clocks,
** which orders them to the second, and the eight random bytes keep ids of two handles apart.
*/
#define COMMIT_ID_STEP (UINT64_C(1) << 44) /* a second has room for a million of these; two consecutive ids are at most 2^32 apart */

static svc_id commit_bound(const svc_ids *ids)
{
  static const unsigned char most[8] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
  int64_t ahead = ids->now < INT64_MAX / 2 ? ids->now + SVC_ID_AHEAD * 1000 : ids->now;
  if (ahead / 1000 > svc_id_second(&ids->last)) return svc_id_next(&ids->last, ahead, most);
  return svc_id_after(&ids->last, COMMIT_ID_STEP);
}

static void commit_save_last(svc_txn *txn, const svc_id *last)
{
  svc_key key;
  svc_key_meta(&key, "ids");
  svc_put(txn, &key, (svc_str){ (const char *)last->b, sizeof last->b });
}

/* Eight random bytes from a pool: one call for many bytes costs about as much as one for few. */
static const unsigned char *commit_random(svc_txn *txn)
{
  svc_ids *ids = txn->ids;
  if (ids->pool_left == 0) {
    if (ids->random(ids->random_context, ids->pool, sizeof ids->pool) == 0) {
      ids->pool_left = sizeof ids->pool;
    } else {
      ids->pool_left = 8;
      memset(ids->pool, 0, 8);
      txn->error = SVC_RANDOM;
    }
  }
  ids->pool_left -= 8;
  return ids->pool + ids->pool_left;
}

/* Writes a new bound to the store when the last id has passed the old one. */
static void commit_reserve(svc_txn *txn)
{
  svc_ids *ids = txn->ids;
  if (SVC_IS_SHARED(txn->port) || memcmp(ids->last.b, ids->reserved.b, sizeof ids->last.b) <= 0) return;
  ids->reserved = commit_bound(ids);
  commit_save_last(txn, &ids->reserved);
}

SVC_PRIVATE svc_id svc_new_id(svc_txn *txn)
{
  svc_ids *ids = txn->ids;
  ids->last = svc_id_next(&ids->last, ids->now, commit_random(txn));
  if (svc_id_is_zero(&ids->first)) ids->first = ids->last;
  commit_reserve(txn);
  return ids->last;
}

SVC_PRIVATE void svc_hold_ids(svc_txn *txn, uint64_t count)
{
  txn->ids->last = svc_id_after(&txn->ids->last, count);
  commit_reserve(txn);
}

SVC_PRIVATE bool svc_is_new(const svc_txn *txn, const svc_id *id)
{
  return svc_id_eq(&txn->ids->first, id);
}

SVC_PRIVATE svc_id svc_new_id_at(svc_txn *txn, int64_t when)
{
  static const svc_id none;
  svc_ids *ids = txn->ids;
  if (when / 1000 >= ids->now / 1000) return svc_new_id(txn);
  return ids->late = svc_id_next(svc_id_second(&ids->late) == when / 1000 ? &ids->late : &none, when, commit_random(txn));
}

/* The store numbers transactions; the changes within one have consecutive numbers. */
SVC_PRIVATE uint64_t svc_new_revision(svc_txn *txn)
{
  return ++txn->ids->revision;
}

/* ------------------------------------------------------------------------------------------------------------- opening */

SVC_PRIVATE void svc_commit_look_at(svc_commit *k, int64_t when)
{
  unsigned second = when <= 0 ? 0 : when / 1000 < UINT_MAX ? (unsigned)(when / 1000) : UINT_MAX;
  svc_mutex_lock(&k->lock);
  k->due = k->next = when;
  atomic_store(&k->due_second, second);
  svc_mutex_unlock(&k->lock);
}

/* Most requests see from the second alone that nothing is due, and take no lock. */
SVC_PRIVATE bool svc_commit_due(svc_commit *k, int64_t now)
{
  bool due;
  if (now <= 0 || now / 1000 < (int64_t)atomic_load(&k->due_second)) return false;
  svc_mutex_lock(&k->lock);
  due = now >= k->due;
  svc_mutex_unlock(&k->lock);
  return due;
}

SVC_PRIVATE int64_t svc_commit_next(svc_commit *k)
{
  int64_t due;
  svc_mutex_lock(&k->lock);
  due = k->next;
  svc_mutex_unlock(&k->lock);
  return due;
}

#define COMMIT_SHARED_LOOK 1000 /* milliseconds between two looks at due steps that other processes have written */

/* Takes the earliest due step of this transaction. Asking the store would cost every write one more query; due steps that other processes
** add or remove are seen at the next look. */
static void commit_sooner(svc_commit *k)
{
  int64_t when = k->ids.due;
  bool before;
  svc_mutex_lock(&k->lock);
  before = when < k->due;
  if (when < k->next) k->next = when;
  svc_mutex_unlock(&k->lock);
  if (before) svc_commit_look_at(k, when);
}

static void commit_note_due(svc_commit *k, svc_txn *txn)
{
  svc_due_entry first;
  int64_t when;
  if (SVC_IS_SHARED(k->port) && txn->ids && !svc_commit_due(k, k->ids.now)) {
    commit_sooner(k);
    return;
  }
  when = svc_due_first(txn, &first) ? first.when : INT64_MAX;
  svc_commit_look_at(k, when);
  if (!SVC_IS_SHARED(k->port) || when <= k->ids.now + COMMIT_SHARED_LOOK) return;
  svc_commit_look_at(k, k->ids.now + COMMIT_SHARED_LOOK);
  svc_mutex_lock(&k->lock);
  k->next = when;
  svc_mutex_unlock(&k->lock);
}

/* An unmarked store may be initialized only if it is empty. */
static int commit_check_empty(svc_txn *txn)
{
  const svc_range all = { SVC_S("\1"), SVC_S("\377"), false, 0 };
  svc_row row;
  size_t n;
  int rc = txn->port->scan(txn, &all, &row, 1, &n);
  return rc != SVC_OK ? rc : n ? SVC_CORRUPT : SVC_OK;
}

/* Marks a new store with the format of this build, and refuses every other format. It converts nothing: ports/transfer/upgrade.c does. A
** store with SVC_STORE_UPGRADING was left in the middle of an upgrade from its format; if that is this build's, a newer version
** began it. */
static int commit_check_schema(svc_txn *txn)
{
  svc_key key;
  svc_str value;
  uint32_t schema = COMMIT_SCHEMA;
  int rc = txn->port->get(txn, SVC_S(SVC_COPY_MARK), &value);
  if (rc != SVC_NOT_FOUND) return rc == SVC_OK ? SVC_UNFINISHED : rc;
  svc_key_meta(&key, "schema");
  rc = svc_get(txn, &key, &value);
  if (rc == SVC_OK) {
    if (value.n != sizeof schema) return SVC_CORRUPT;
    memcpy(&schema, value.p, sizeof schema);
    return schema == COMMIT_SCHEMA ? SVC_OK : (schema & ~SVC_STORE_UPGRADING) >= COMMIT_SCHEMA ? SVC_NEWER : SVC_OLDER;
  }
  if (rc == SVC_NOT_FOUND) rc = commit_check_empty(txn);
  return rc == SVC_OK ? svc_put(txn, &key, (svc_str){ (const char *)&schema, sizeof schema }) : rc;
}

static int commit_open_try(svc_commit *k)
{
  svc_txn *txn;
  svc_key key;
  svc_str value;
  int rc = k->port->write_begin(k->store, &txn);
  if (rc != SVC_OK) return rc;
  rc = commit_check_schema(txn);
  svc_key_meta(&key, "ids");
  if (rc == SVC_OK && !SVC_IS_SHARED(k->port) && svc_get(txn, &key, &value) == SVC_OK && value.n == sizeof k->ids.last.b) {
    memcpy(k->ids.last.b, value.p, value.n);
    k->ids.reserved = k->ids.last;
  }
  if (rc == SVC_OK) commit_note_due(k, txn);
  if (rc == SVC_OK) rc = txn->error;
  if (rc == SVC_OK && txn->dirty) return k->port->commit(txn);
  k->port->abort(txn);
  return rc;
}

SVC_PRIVATE int svc_commit_open(svc_commit *k, const svc_store_port *port, svc_store *store, const svc_allocator *allocator)
{
  int rc, tries = 0;
  k->port = port;
  k->allocator = *allocator;
  atomic_init(&k->due_second, UINT_MAX);
  k->due = k->next = INT64_MAX;
  if (!svc_mutex_init(&k->lock)) return SVC_NOMEM;
  k->store = store; /* set last: svc_commit_close() closes only if it is set */
  do {
    unsigned rests = tries && port->rests ? port->rests(store, (unsigned)tries) : 0;
    while (rests-- > 0) port->rest(store);
    rc = commit_open_try(k);
  } while (rc == SVC_RETRY && ++tries < COMMIT_RETRIES);
  if (rc == SVC_OK) return SVC_OK;
  svc_mutex_destroy(&k->lock);
  k->store = NULL;
  return rc == SVC_RETRY ? SVC_BUSY : rc == SVC_NO_ROOM ? SVC_FULL : rc;
}

/* A failure here loses nothing: ids then continue from the bound. */
static void commit_close_ids(svc_commit *k)
{
  svc_txn *txn;
  if (SVC_IS_SHARED(k->port) || svc_id_eq(&k->ids.last, &k->ids.reserved) || k->port->write_begin(k->store, &txn) != SVC_OK) return;
  commit_save_last(txn, &k->ids.last);
  if (txn->error == SVC_OK) k->port->commit(txn);
  else k->port->abort(txn);
}

static bool commit_copy_work(svc_job *job, svc_txn *txn)
{
  (void)job;
  txn->dirty = true;
  return svc_note(txn, txn->port->copy_begin(txn)) == SVC_OK;
}

SVC_PRIVATE int svc_commit_copy(svc_commit *k, const char *path, int64_t now)
{
  svc_job job;
  int rc;
  memset(&job, 0, sizeof job);
  job.work = commit_copy_work;
  job.now = now;
  job.frees = true; /* adds next to nothing, and a full store must allow a backup */
  rc = svc_commit_run(k, &job);
  return rc == SVC_OK ? k->port->copy(k->store, path) : rc;
}

/* ------------------------------------------------------------------------------------------------------------- a batch */

typedef struct commit_batch {
  svc_job *first, *last;
  unsigned count;
} commit_batch;

/* Moves queued jobs into the batch, as many as it has room for; the lock is held. Returns the first, NULL if the queue is empty. */
static svc_job *commit_take(svc_commit *k, commit_batch *batch)
{
  svc_job *first = k->first;
  if (!first || batch->count >= COMMIT_BATCH) return NULL;
  if (batch->last) batch->last->next = first;
  else batch->first = first;
  for (batch->last = first, batch->count++; batch->count < COMMIT_BATCH && batch->last->next; batch->count++)
    batch->last = batch->last->next;
  k->first = batch->last->next;
  if (!k->first) k->last = NULL;
  batch->last->next = NULL;
  return first;
}

/*
** Adds jobs that have arrived meanwhile to the batch: they share its flush. The callers of the previous batch have their answers and
** often send their next request while the leader works. So while the batch is smaller than the previous one, the leader waits a
** short time for them. Returns the first added job; NULL: none.
**
** On a store of one process the leader calls this during the transaction. If other processes write to the store, it calls this only
** before the transaction begins. A transaction sees the state at its beginning. A caller that arrives later may have seen a newer
** state, of another process, and must not be refused because of the older one.
*/
static svc_job *commit_join(svc_commit *k, commit_batch *batch)
{
  svc_job *more;
  int i;
  svc_mutex_lock(&k->lock);
  for (i = 0; i < COMMIT_PATIENCE && !k->first && batch->count < k->last_batch; i++) {
    svc_mutex_unlock(&k->lock);
    svc_thread_yield();
    svc_mutex_lock(&k->lock);
  }
  more = commit_take(k, batch);
  svc_mutex_unlock(&k->lock);
  return more;
}

/* Errors that concern one job only: the others are done without it. */
static bool commit_is_own(int error)
{
  return error == SVC_NOMEM || error == SVC_CORRUPT || error == SVC_INVALID || error == SVC_RANDOM;
}

/* Does a job in this transaction. False: the transaction is spoiled and must be aborted; its jobs may be repeated. */
static bool commit_do(svc_commit *k, svc_job *job, svc_txn *txn, bool *wrote)
{
  k->ids.now = job->now;
  memset(&k->ids.first, 0, sizeof k->ids.first);
  txn->dirty = false;
  job->refused = !job->work(job, txn) && txn->error == SVC_OK;
  if (job->refused && txn->dirty) {
    job->alone = true;
    return false;
  }
  if (commit_is_own(txn->error)) {
    job->status = txn->error;
    txn->error = SVC_OK;
    return false;
  }
  *wrote |= txn->dirty;
  return txn->error == SVC_OK;
}

/* The jobs of a try: those that may share it, or a single job that must run alone. */
static bool commit_has_part(const svc_job *job, const svc_job *only)
{
  return job->status == SVC_OK && (only ? job == only : !job->alone);
}

static bool commit_work(svc_commit *k, commit_batch *batch, const svc_job *only, svc_txn *txn, bool *wrote)
{
  svc_job *job = batch->first;
  while (job) {
    for (; job; job = job->next)
      if (commit_has_part(job, only) && !commit_do(k, job, txn, wrote)) return false;
    job = only || SVC_IS_SHARED(k->port) ? NULL : commit_join(k, batch);
  }
  return true;
}

#define COMMIT_AGAIN (-1)

static void commit_count(svc_commit *k, const commit_batch *batch, const svc_job *only)
{
  unsigned long writes = 0;
  const svc_job *job;
  for (job = batch->first; job; job = job->next) writes += commit_has_part(job, only) && !job->refused;
  atomic_fetch_add_explicit(&k->commits, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&k->writes, writes, memory_order_relaxed);
}

/* Announces the keys that the jobs will read, as far as they are known, so that the port fetches them with one query. */
static void commit_expect(const commit_batch *batch, const svc_job *only, svc_txn *txn)
{
  const svc_job *job;
  size_t i;
  for (job = batch->first; job && txn->port->expect; job = job->next)
    for (i = 0; commit_has_part(job, only) && i < job->expected_count; i++) {
      svc_str key = svc_key_str(&job->expected[i]);
      txn->port->expect(txn, &key, 1, 0);
    }
}

/* Uses the leader's draft if its job is alone. If others have queued, all jobs run in a transaction that began after every one of them. */
static int commit_begin(svc_commit *k, const commit_batch *batch, svc_txn **out)
{
  svc_job *first = batch->first;
  svc_txn *draft = SVC_ALWAYS(first != NULL) ? first->draft : NULL;
  if (draft) first->draft = NULL;
  *out = draft;
  if (draft && batch->count == 1 && k->port->draft_write(draft)) return SVC_OK;
  if (draft) k->port->read_end(draft);
  return k->port->write_begin(k->store, out);
}

/* A try at a batch. SVC_OK: the results are final, and writes are durable. COMMIT_AGAIN: a job that spoiled the try has been set aside. */
static int commit_try(svc_commit *k, commit_batch *batch, const svc_job *only)
{
  svc_txn *txn;
  bool wrote = false, good;
  int rc = SVC_IS_SHARED(k->port) ? commit_begin(k, batch, &txn) : k->port->write_begin(k->store, &txn);
  if (rc != SVC_OK) return rc;
  txn->ids = &k->ids;
  txn->again = batch->first->tries > 0;
  k->ids.due = INT64_MAX;
  if (SVC_IS_SHARED(k->port)) commit_expect(batch, only, txn);
  k->ids.revision = k->port->number(txn) << 20;
  good = commit_work(k, batch, only, txn, &wrote);
  if (good) commit_note_due(k, txn);
  good = good && txn->error == SVC_OK;
  if (good && wrote) {
    rc = k->port->commit(txn);
    if (rc == SVC_OK) commit_count(k, batch, only);
    return rc;
  }
  rc = txn->error;
  k->port->abort(txn); /* spoiled, or nothing to flush */
  return good || (only && only->refused) ? SVC_OK : rc != SVC_OK ? rc : COMMIT_AGAIN;
}

/* A batch does not fit: refuses all jobs but those that free room. False: no job frees room, and none is refused. */
static bool commit_only_freeing(const commit_batch *batch, const svc_job *only)
{
  svc_job *job;
  bool any = false;
  for (job = batch->first; job; job = job->next) any |= job->frees && commit_has_part(job, only);
  for (job = batch->first; any && job; job = job->next)
    if (!job->frees && commit_has_part(job, only)) job->status = SVC_FULL;
  return any;
}

static int commit_make_room(svc_commit *k, const commit_batch *batch, const svc_job *only, bool *beyond)
{
  int rc = k->port->room(k->store, *beyond ? SVC_ROOM_TO_FREE : SVC_ROOM_MORE);
  if (rc == SVC_FULL && !*beyond && commit_only_freeing(batch, only)) {
    *beyond = true;
    rc = k->port->room(k->store, SVC_ROOM_TO_FREE);
  }
  return rc == SVC_OK ? COMMIT_AGAIN : rc;
}

/* Tries a batch, or its job `only`, until the result is final. SVC_RETRY: another process committed first, and the jobs must be tried
** again. Otherwise each job is done, has its status, or was set aside to run alone. */
static int commit_all(svc_commit *k, commit_batch *batch, const svc_job *only)
{
  const svc_id last = k->ids.last, reserved = k->ids.reserved;
  svc_job *job;
  bool beyond = false;
  int rc;
  do {
    k->ids.last = last;
    k->ids.reserved = reserved;
    for (job = batch->first; job; job = job->next)
      if (commit_has_part(job, only)) job->refused = false;
    rc = commit_try(k, batch, only);
    if (rc == SVC_NO_ROOM) rc = commit_make_room(k, batch, only, &beyond);
  } while (rc == COMMIT_AGAIN);
  if (beyond) k->port->room(k->store, SVC_ROOM_DONE); /* a failure shows at the next request */
  if (rc == SVC_OK && !(only && only->refused)) return rc;
  k->ids.last = last;
  k->ids.reserved = reserved;
  if (rc == SVC_OK) return rc;
  if (rc == SVC_RETRY) atomic_fetch_add_explicit(&k->conflicts, 1, memory_order_relaxed);
  else svc_commit_look_at(k, 0); /* the due time may be of an aborted transaction: the next request reads it again */
  for (job = batch->first; job; job = job->next) {
    if (!commit_has_part(job, only)) continue;
    job->refused = false;
    if (rc != SVC_RETRY) job->status = rc;
  }
  return rc;
}

/* ----------------------------------------------------------------------------------------------------------- conflicts */

/*
** A transaction that lost to another process is split, and its parts are retried separately: a job that meets the conflict repeatedly does
** not hold up others. The first cut is between lanes, because a conflict mostly concerns one tenant: the jobs of most other tenants are
** committed by the second try. A lane that loses alone is halved and waits for its next try in svc_commit.again. The leader serves that
** list when the queue is empty, or once for each batch of new jobs, and pauses only when there is nothing else to do.
*/
#define COMMIT_WAYS 8 /* maximum parts of a transaction of several lanes */

static void commit_append(commit_batch *batch, svc_job *job)
{
  job->next = NULL;
  if (batch->last) batch->last->next = job;
  else batch->first = job;
  batch->last = job;
  batch->count++;
}

static void commit_put_back(svc_commit *k, svc_job *job)
{
  svc_job **end = &k->again;
  while (*end) end = &(*end)->next;
  job->next = NULL;
  job->again = true;
  *end = job;
}

/* Cuts a batch by lane, or into halves if it has one lane. Returns the number of parts. */
static int commit_cut(commit_batch *batch, commit_batch parts[COMMIT_WAYS])
{
  uint64_t lanes[COMMIT_BATCH];
  svc_job *job, *next;
  unsigned count = 0, i = 0, at;
  memset(parts, 0, COMMIT_WAYS * sizeof *parts);
  for (job = batch->first; job; job = job->next) {
    for (at = 0; at < count && lanes[at] != job->lane; at++) continue;
    if (at == count && count < COMMIT_BATCH) lanes[count++] = job->lane;
  }
  for (job = batch->first; job; job = next, i++) {
    next = job->next;
    for (at = 0; at + 1 < count && lanes[at] != job->lane; at++) continue;
    commit_append(&parts[count > 1 ? at % COMMIT_WAYS : i * 2 / batch->count], job);
  }
  *batch = (commit_batch){ NULL, NULL, 0 };
  for (i = 0; i < COMMIT_WAYS && parts[i].first; i++) continue;
  return (int)i;
}

/* Moves all jobs of a batch, which have their results, to the end of `done`. */
static void commit_finish(commit_batch *batch, commit_batch *done)
{
  svc_job *job, *next;
  for (job = batch->first; job; job = next) {
    next = job->next;
    job->again = false;
    commit_append(done, job);
  }
  *batch = (commit_batch){ NULL, NULL, 0 };
}

/* A part that lost is retried later, cut once more (commit_cut). A job that has used up its tries gets SVC_BUSY. */
static void commit_later(svc_commit *k, commit_batch *part, commit_batch *done)
{
  commit_batch halves[COMMIT_WAYS];
  int n = commit_cut(part, halves), i;
  for (i = 0; i < n; i++) {
    unsigned group = ++k->groups, rests = 0;
    svc_job *job, *next;
    if (halves[i].first->tries < COMMIT_RETRIES && k->port->rests) rests = k->port->rests(k->store, halves[i].first->tries);
    for (job = halves[i].first; job; job = next) {
      next = job->next;
      job->group = group;
      job->rests = rests;
      if (job->tries < COMMIT_RETRIES) {
        commit_put_back(k, job);
      } else {
        job->status = SVC_BUSY;
        job->again = false;
        commit_append(done, job);
        svc_commit_look_at(k, 0); /* as after a failed batch */
      }
    }
  }
}

/* Runs jobs that spoiled a transaction, each alone: now their results count. The other jobs of the batch have a result already. */
static void commit_alone(svc_commit *k, commit_batch *batch, commit_batch *done)
{
  svc_job *job, *next;
  commit_batch one;
  for (job = batch->first; job; job = next) {
    next = job->next;
    one = (commit_batch){ NULL, NULL, 0 };
    commit_append(&one, job);
    if (job->alone && job->status == SVC_OK && commit_all(k, &one, job) == SVC_RETRY) {
      job->tries++;
      commit_later(k, &one, done);
    } else {
      commit_finish(&one, done);
    }
  }
  *batch = (commit_batch){ NULL, NULL, 0 };
}

/* A try at a part of the jobs. False: the part lost, and still holds its jobs. */
static bool commit_part(svc_commit *k, commit_batch *part, commit_batch *done)
{
  svc_job *job, *only = part->first && !part->first->next && part->first->alone ? part->first : NULL;
  if (commit_all(k, part, only) != SVC_RETRY) {
    if (only) commit_finish(part, done);
    else commit_alone(k, part, done);
    return true;
  }
  for (job = part->first; job; job = job->next) job->tries++;
  return false;
}

/* Jobs that have not been tried yet. */
static void commit_new(svc_commit *k, commit_batch *batch, commit_batch *done)
{
  commit_batch parts[COMMIT_WAYS];
  uint64_t lane;
  svc_job *job;
  bool several = false;
  int n, i;
  if (!batch->first || commit_part(k, batch, done)) return;
  for (lane = batch->first->lane, job = batch->first; job; job = job->next) several |= job->lane != lane;
  if (!several) {
    commit_later(k, batch, done);
    return;
  }
  n = commit_cut(batch, parts);
  for (i = 0; i < n; i++)
    if (!commit_part(k, &parts[i], done)) commit_later(k, &parts[i], done);
}

/* Takes the group whose turn it is out of the list. False: every group still has pauses left. */
static bool commit_turn(svc_commit *k, commit_batch *out)
{
  svc_job **at = &k->again;
  unsigned group;
  *out = (commit_batch){ NULL, NULL, 0 };
  while (*at && (*at)->rests) at = &(*at)->next;
  if (!*at) return false;
  group = (*at)->group;
  while (*at) {
    svc_job *job = *at;
    if (job->group != group) {
      at = &job->next;
      continue;
    }
    *at = job->next;
    commit_append(out, job);
  }
  return true;
}

/* Retries one group of jobs that lost, or pauses. busy: other jobs ran meanwhile, which counts as a pause. */
static void commit_again(svc_commit *k, bool busy, commit_batch *done)
{
  commit_batch group;
  svc_job *job;
  if (!k->again) return;
  if (commit_turn(k, &group)) {
    if (!commit_part(k, &group, done)) commit_later(k, &group, done);
    return;
  }
  if (!busy && k->port->rest) k->port->rest(k->store);
  for (job = k->again; job; job = job->next) job->rests -= job->rests > 0;
}

/* ------------------------------------------------------------------------------------------------------------ the queue */

/*
** A thread waits here for its job. Each waiter has its own lock: with the queue's lock, threads that wake together would wait for each
** other. commit_tell() signals after it has released the waiter's lock, and by then the job may be gone: so waiters live as long as the
** queue and are used again. A late signal reaches the thread of another job, which checks its flags and waits on.
*/
struct svc_waiter {
  svc_mutex lock; /* protects the two flags */
  bool done, lead;
  svc_condition wake;
  atomic_bool used; /* written with the queue's lock held */
  svc_waiter *next;
};

/* The lock of the queue is held. NULL: out of memory. */
static svc_waiter *commit_waiter(svc_commit *k)
{
  svc_waiter *w;
  for (w = k->waiters; w && atomic_load(&w->used); w = w->next) continue;
  if (!w) {
    w = k->allocator.resize(k->allocator.context, NULL, sizeof *w);
    if (!w) return NULL;
    if (!svc_mutex_init(&w->lock)) goto fail;
    if (!svc_condition_init(&w->wake)) goto fail_lock;
    atomic_init(&w->used, true);
    w->next = k->waiters;
    k->waiters = w;
  }
  w->done = w->lead = false;
  atomic_store(&w->used, true);
  return w;
fail_lock:
  svc_mutex_destroy(&w->lock);
fail:
  k->allocator.resize(k->allocator.context, w, 0);
  return NULL;
}

static void commit_free_waiters(svc_commit *k)
{
  while (k->waiters) {
    svc_waiter *w = k->waiters;
    k->waiters = w->next;
    svc_condition_destroy(&w->wake);
    svc_mutex_destroy(&w->lock);
    k->allocator.resize(k->allocator.context, w, 0);
  }
}

/* Once `done` is set the job may be gone. */
static void commit_tell(svc_waiter *w, bool *what)
{
  svc_mutex_lock(&w->lock);
  *what = true;
  svc_mutex_unlock(&w->lock);
  svc_condition_signal(&w->wake);
}

/* True: the job is done. False: its thread becomes the leader. */
static bool commit_wait(svc_waiter *w)
{
  bool done;
  svc_mutex_lock(&w->lock);
  while (!w->done && !w->lead) svc_condition_wait(&w->wake, &w->lock);
  done = w->done;
  svc_mutex_unlock(&w->lock);
  atomic_store(&w->used, false);
  return done;
}

/* Does the queued jobs and the retried ones, and wakes their threads, except for the leader's own. */
static void commit_round(svc_commit *k, const svc_job *own)
{
  commit_batch batch = { NULL, NULL, 0 }, done = { NULL, NULL, 0 };
  svc_job *job, *next;
  bool busy;
  svc_mutex_lock(&k->lock);
  commit_take(k, &batch);
  svc_mutex_unlock(&k->lock);
  busy = batch.first != NULL;
  if (busy) {
    if (SVC_IS_SHARED(k->port)) commit_join(k, &batch);
    commit_new(k, &batch, &done);
    svc_mutex_lock(&k->lock);
    k->last_batch = done.count;
    svc_mutex_unlock(&k->lock);
  }
  commit_again(k, busy, &done);
  for (job = done.first; job; job = next) {
    next = job->next;
    if (job != own) commit_tell(job->waiter, &job->waiter->done);
  }
}

/* A leader leads until its own job is done. Then the first queued job leads, or else the first one to be retried. */
static void commit_lead(svc_commit *k, svc_job *own)
{
  svc_job *job;
  do commit_round(k, own);
  while (own->again);
  svc_mutex_lock(&k->lock);
  job = k->first ? k->first : k->again; /* stays first in the queue until it leads */
  k->leading = job != NULL;
  svc_mutex_unlock(&k->lock);
  if (job) commit_tell(job->waiter, &job->waiter->lead);
}

SVC_PRIVATE bool svc_commit_idle(svc_commit *k)
{
  bool idle;
  svc_mutex_lock(&k->lock);
  idle = !k->leading;
  svc_mutex_unlock(&k->lock);
  return idle;
}

SVC_PRIVATE int svc_commit_run(svc_commit *k, svc_job *own)
{
  svc_txn *late = NULL;
  bool wait;
  own->status = SVC_OK;
  own->refused = own->alone = own->again = false;
  own->tries = own->rests = own->group = 0;
  own->next = NULL;
  svc_mutex_lock(&k->lock);
  wait = k->leading;
  own->waiter = wait ? commit_waiter(k) : NULL;
  if (SVC_IS_SHARED(k->port) && wait) { /* other jobs run first and may change what this draft has read */
    late = own->draft;
    own->draft = NULL;
  }
  if (!wait || own->waiter) {
    k->leading = true;
    if (k->last) k->last->next = own;
    else k->first = own;
    k->last = own;
  }
  svc_mutex_unlock(&k->lock);
  if (late) k->port->read_end(late);
  if (wait && !own->waiter) return own->status = SVC_NOMEM;
  if (!wait || !commit_wait(own->waiter)) commit_lead(k, own);
  return own->status;
}

/* The waiting threads are the parent's, and destroying a condition waits for its waiters: their memory is lost. */
SVC_PRIVATE void svc_commit_abandon(svc_commit *k)
{
  if (k->store && k->port->abandon) k->port->abandon(k->store);
  k->store = NULL;
}

SVC_PRIVATE void svc_commit_close(svc_commit *k)
{
  if (!k->store) return;
  commit_close_ids(k);
  commit_free_waiters(k);
  svc_mutex_destroy(&k->lock);
  k->port->close(k->store);
  k->store = NULL;
}
