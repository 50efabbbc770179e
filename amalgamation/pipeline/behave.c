/*
** The behaviour of an operation, in its transaction.
**
** A read runs in a read transaction that stays open until the answer is written, because the answer is copied straight
** from the store. Anything else becomes a job of the commit queue and may run more than once, so every run begins with
** a clean slate, and what the answer needs is copied out before the transaction ends.
*/
#include "internal.h"

#define BEHAVE_ENVELOPE 128
#define BEHAVE_HEADERS 2048

typedef struct behave_job {
  svc_job job; /* first: it is cast back */
  svc_call *c;
} behave_job;

/* Memory for writing out the answer, while the work can still be undone: what is done is not answered with 503. */
static void behave_reserve(svc_call *c)
{
  size_t links = c->answer.links ? svc_template_size(c->answer.links, c, &c->answer) : 0;
  size_t body = c->answer.body.n + links + BEHAVE_ENVELOPE;
  svc_arena_reserve(c->arena, BEHAVE_HEADERS + (c->pretty ? 16 : 2) * body);
}

static void behave_keep(svc_call *c)
{
  svc_answer *a = &c->answer;
  unsigned i;
  for (i = 0; i < c->resolved; i++) c->chain[i].key = svc_arena_copy(c->arena, c->chain[i].key);
  if (a->body.p) a->body = svc_arena_copy(c->arena, a->body);
  a->own = svc_arena_copy(c->arena, a->own);
  a->owner = svc_arena_copy(c->arena, a->owner);
  a->unique = svc_arena_copy(c->arena, a->unique);
  behave_reserve(c);
}

SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn)
{
  bool answered = false, good;
  c->txn = txn;
  c->resolved = 0;
  c->error = SVC_E_NONE;
  c->violations = c->violations_last = NULL;
  c->violation_count = 0;
  memset(&c->answer, 0, sizeof c->answer);
  good = svc_retry_before(c, &answered) && (answered || (c->plan->route->run(c) && svc_retry_after(c)));
  if (good) behave_keep(c);
  if (c->arena->failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  c->txn = NULL;
  c->resolved = good ? c->resolved : 0;
  return good;
}

static bool behave_work(svc_job *job, svc_txn *txn)
{
  return svc_behave_in(((behave_job *)job)->c, txn);
}

SVC_PRIVATE void svc_own_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now)
{
  static const svc_request nobody = { .method = "", .target = "" };
  memset(c, 0, sizeof *c);
  svc_arena_init(arena, &s->allocator);
  c->s = s;
  c->request = &nobody;
  c->arena = arena;
  c->txn = txn;
  c->now = now;
}

SVC_PRIVATE bool svc_step_behave(svc_call *c)
{
  behave_job work;
  int status;
  if (c->method == SVC_GET) return svc_begin_read(c) && c->plan->route->run(c);
  svc_end_read(c);
  memset(&work, 0, sizeof work);
  work.job.work = behave_work;
  work.job.now = c->now;
  work.job.frees = c->method == SVC_DELETE;
  work.c = c;
  status = svc_commit_run(&c->s->commit, &work.job);
  if (status != SVC_OK) return svc_store_failed(c, status);
  return !work.job.failed;
}
