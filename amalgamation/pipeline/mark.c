/*
** Marks: records of the store itself that the first handle writes and every later one compares with its configuration: the vendor
** word, the word that identifies the secret key, and the dialect.
**
** Several handles may open a new store at the same moment. So a job of the commit queue writes a mark: of two that find none, the
** store lets one commit, and the other runs again and finds the first one's mark.
*/
#include "pipeline/pipeline.h"

typedef struct mark_job {
  svc_job job; /* must be first: the struct is cast back */
  const char *name;
  svc_str was, ours;
  bool only_new;
  svc_arena *arena;
  svc_str *kept;
} mark_job;

/* Whether the store has no records except its own, which begin with m. */
static int mark_is_empty(svc_txn *txn, bool *empty)
{
  const svc_range rest[] = { { SVC_S("\1"), SVC_S("m"), false, 0 }, { SVC_S("n"), SVC_S("\377"), false, 0 } };
  svc_row row;
  size_t i, n = 0;
  int rc = SVC_OK;
  for (i = 0; i < 2 && rc == SVC_OK && n == 0; i++) rc = txn->port->scan(txn, &rest[i], &row, 1, &n);
  *empty = n == 0;
  return rc;
}

/* Reads the mark. *wanted: the mark equals `was`, so `ours` is to be written. */
static int mark_read(svc_txn *txn, const mark_job *m, bool *wanted)
{
  svc_key key;
  svc_str value;
  int rc;
  svc_key_meta(&key, m->name);
  rc = svc_get(txn, &key, &value);
  *m->kept = rc == SVC_OK ? svc_arena_copy(m->arena, value) : SVC_S("");
  *wanted = m->ours.n && svc_str_eq(*m->kept, m->was);
  return rc == SVC_NOT_FOUND ? SVC_OK : rc;
}

static bool mark_work(svc_job *job, svc_txn *txn)
{
  const mark_job *m = (const mark_job *)job;
  bool empty = true, wanted;
  svc_key key;
  if (mark_read(txn, m, &wanted) != SVC_OK) return false;
  if (!wanted) return true;
  if (m->only_new && svc_note(txn, mark_is_empty(txn, &empty)) != SVC_OK) return false;
  if (!empty) return true;
  svc_key_meta(&key, m->name);
  *m->kept = m->ours;
  return svc_put(txn, &key, m->ours) == SVC_OK;
}

SVC_PRIVATE int svc_mark(svc *s, const char *name, svc_str was, svc_str ours, bool only_new, svc_arena *a, svc_str *kept)
{
  mark_job work;
  svc_txn *txn;
  bool wanted;
  int rc;
  memset(&work, 0, sizeof work); /* at time 0: due steps are not processed yet */
  work.job.work = mark_work;
  work.job.frees = true; /* a few bytes: a full store must still open */
  work.name = name;
  work.was = was;
  work.ours = ours;
  work.only_new = only_new;
  work.arena = a;
  work.kept = kept;
  rc = s->commit.port->read_begin(s->commit.store, &txn);
  if (rc != SVC_OK) return rc;
  rc = mark_read(txn, &work, &wanted);
  s->commit.port->read_end(txn);
  if (rc == SVC_OK && wanted && !s->config.keep_orders) rc = svc_commit_run(&s->commit, &work.job);
  return rc == SVC_OK && a->failed ? SVC_NOMEM : rc;
}
