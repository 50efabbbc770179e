/*
** The behaviour of an operation, in its transaction.
**
** A read runs in a read transaction that stays open until the answer is written, because the answer is copied straight from the store. An
** operation that asks the driver ends its transaction before it asks. Every other operation becomes a job of the commit queue and may run
** more than once. So each run begins with a clean state, and the data of the answer is copied before the transaction ends.
*/
#include "pipeline/meddle.h"

#define BEHAVE_ENVELOPE 128
#define BEHAVE_HEADERS 2048

typedef struct behave_job {
  svc_job job; /* must be first: the struct is cast back */
  svc_call *c;
  svc_key expected[SVC_EXPECT_WRITE];
} behave_job;

/* Reserves the memory for writing the answer while the work can still be undone: completed work must not be answered with 503. */
static void behave_reserve(svc_call *c)
{
  size_t links = c->answer.links ? svc_template_size(c->answer.links, c, &c->answer) : 0;
  size_t body = (c->answer.turned.n ? c->answer.turned.n : c->answer.body.n + links) + BEHAVE_ENVELOPE;
  svc_arena_reserve(c->arena, BEHAVE_HEADERS + (c->query.pretty ? 16 : 2) * body);
}

static void behave_keep(svc_call *c)
{
  svc_answer *a = &c->answer;
  unsigned i;
  for (i = 0; i < c->route.resolved; i++) c->route.chain[i].key = svc_arena_copy(c->arena, c->route.chain[i].key);
  if (a->body.p) a->body = svc_arena_copy(c->arena, a->body);
  a->own = svc_arena_copy(c->arena, a->own);
  a->parent = svc_arena_copy(c->arena, a->parent);
  a->unique = svc_arena_copy(c->arena, a->unique);
  svc_respond_ahead(c);
  behave_reserve(c);
}

static bool behave_run(svc_call *c)
{
  const svc_route *route = c->plan->route;
  if (route->gate && !route->gate(c)) return false;
  if (!c->route.older) return route->run(c) && svc_links_unlisted(c);
  return svc_older_change(c) && (route->run(c) || svc_older_explain(c)) && svc_links_unlisted(c);
}

SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn)
{
  bool answered = false, good, dirty = txn->dirty;
  c->txn = txn;
  txn->dirty = false;
  c->route.resolved = 0;
  c->route.parts = 0;
  c->error.code = SVC_E_NONE;
  c->error.violations = c->error.violations_last = NULL;
  c->error.violation_count = 0;
  memset(&c->scope, 0, sizeof c->scope);
  memset(&c->answer, 0, sizeof c->answer);
  good = svc_retry_before(c, &answered) && (answered || (behave_run(c) && svc_retry_after(c, txn->dirty))) && (!c->route.older || svc_older_answer(c));
  txn->dirty |= dirty;
  if (good) behave_keep(c);
  if (c->arena->failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  good = good && !c->arena->failed;
  c->txn = NULL;
  c->route.resolved = good ? c->route.resolved : 0;
  return good;
}

static bool behave_work(svc_job *job, svc_txn *txn)
{
  svc_call *c = ((behave_job *)job)->c;
  if (c->waits.runs++ == 0) { /* its turn in the commit queue has come */
    svc_wait_end(c, SVC_WAIT_TURN, c->waits.since);
    c->waits.since = svc_wait_begin(c);
  }
  return svc_behave_in(c, txn);
}

SVC_PRIVATE void svc_service_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now)
{
  static const svc_request nobody = { .method = "", .target = "" };
  memset(c, 0, sizeof *c);
  svc_arena_init(arena, &s->allocator);
  c->s = s;
  c->request.raw = &nobody;
  c->arena = arena;
  c->txn = txn;
  c->now = now;
}

static bool behave_service(svc_job *job, svc_txn *txn)
{
  svc_service_job *work = (svc_service_job *)job;
  svc_arena arena;
  svc_call c;
  bool good;
  svc_service_call(&c, work->s, &arena, txn, job->now);
  good = work->run(&c, work);
  if (arena.failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  return good;
}

SVC_PRIVATE int svc_service_run(svc *s, svc_service_job *job, int64_t now)
{
  job->job.work = behave_service;
  job->job.now = now;
  job->s = s;
  return svc_commit_run(&s->commit, &job->job);
}

/* The transaction ends before the driver is asked, because the driver may be slow. */
static bool behave_question(svc_call *c, svc_question *question)
{
  svc_reply reply;
  unsigned i;
  if (!svc_begin_read(c) || !behave_run(c) || !svc_read_good(c)) return false;
  for (i = 0; i < c->route.resolved; i++) { /* of the path's entities, the bodies end with the transaction */
    svc_entity *e = &c->route.chain[i];
    e->key = svc_arena_copy(c->arena, e->key);
    e->unique = svc_arena_copy(c->arena, e->unique);
    e->body = e->extra = SVC_S("");
  }
  c->s->commit.port->read_end(c->txn);
  c->txn = NULL;
  if (!question->what) return true; /* answered without the driver */
  return svc_ask(c, question, &reply) && c->plan->route->on_reply(c, &reply);
}

/* Asks the driver; the question lives as long as this function. */
static bool behave_ask(svc_call *c)
{
  svc_question question;
  bool good;
  memset(&question, 0, sizeof question);
  c->question = &question;
  good = behave_question(c, &question);
  c->question = NULL;
  return good;
}

/* The lane of the work: the caller's organization, or the person. */
static uint64_t behave_lane(const svc_call *c)
{
  const svc_id *whose = svc_id_is_zero(&c->who.org) ? &c->who.id : &c->who.org;
  uint64_t lane;
  memcpy(&lane, whose->b + sizeof whose->b - sizeof lane, sizeof lane);
  return lane;
}

SVC_PRIVATE bool svc_stage_behave(svc_call *c)
{
  behave_job work;
  int status;
  if (c->plan->route->on_reply) return behave_ask(c);
  if (c->request.method == SVC_GET) return svc_begin_read(c) && svc_lag_begin(c) && behave_run(c) && (!c->route.older || svc_older_answer(c));
  if (!svc_read_good(c)) return false;
  memset(&work.job, 0, sizeof work.job);
  if (SVC_IS_SHARED(c->s->commit.port) && c->txn && c->txn->draft) { /* the job may continue in the draft */
    work.job.draft = c->txn;
    c->txn = NULL;
  }
  svc_end_read(c);
  if (svc_route_ext_of(c->plan->route)->prework && !svc_route_ext_of(c->plan->route)->prework(c)) return false;
  work.job.work = behave_work;
  work.job.now = c->now;
  work.job.lane = behave_lane(c);
  work.job.frees = c->request.method == SVC_DELETE;
  work.c = c;
  work.job.expected = work.expected;
  if (SVC_IS_SHARED(c->s->commit.port)) work.job.expected_count = svc_expect_write(c, work.expected);
  c->waits.since = svc_wait_begin(c);
  status = svc_commit_run(&c->s->commit, &work.job);
  svc_wait_end(c, c->waits.runs ? SVC_WAIT_STORE : SVC_WAIT_TURN, c->waits.since);
  if (status != SVC_OK) return svc_store_failed(c, status);
  return !work.job.refused;
}
