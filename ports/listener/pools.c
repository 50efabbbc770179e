/*
** Jobs, and the pools of threads that do them: everything that may wait leaves the loops.
**
**      loop: submit -> first ... last, the queue of a pool -> a thread of it: the service -> loop->done -> loop: collect
**
** Each kind of wait has a pool of its own (listener_pool_rows), so that none waits for another: a read of a store on a
** server does not queue behind changes, and a tenant whose data plane hangs holds neither the threads that write
** and sign in nor those that read.
**
** A thread is started when a job comes and none of its pool is idle, and the first idle one is always woken. So the last ones have
** nothing to do unless there really are so many jobs at a time, and end after a while. The first writer never ends.
**
** The rule: a job belongs to the thread that took it off a queue, and only its loop uses its connection, which may
** be closed when the answer is ready (job->conn NULL). A queued job whose client has gone is not begun. The queues are
** bounded; the loop refuses further changes.
*/
#include "parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes of a body that are not counted, because the number of connections is limited anyway: a flood of large bodies does not shut small
** ones out. */
#define POOLS_SMALL ((size_t)16 << 10)
#define POOLS_LONG 4  /* threads for long reads: more would only share the same cores */
#define POOLS_TICKS 16 /* calls of svc_tick() at a time; one, unless a driver blocks in perform() */
#define POOLS_TICK_MS 900 /* svc_tick(): about once a second, as a loop turns every 250 ms */
#define POOLS_LOOK_MS 250 /* between two looks for clients that have gone */

/* ------------------------------------------------------------------------------------------------------------- jobs */

listener_job *svc_listener_job_new(listener_conn *conn, const char *text, size_t n, const svc_http_limits *limits)
{
  listener_job *job = calloc(1, sizeof *job);
  if (!job) return NULL;
  job->loop = conn->loop;
  job->conn = conn;
  job->text = malloc(n);
  if (!job->text) {
    free(job);
    return NULL;
  }
  memcpy(job->text, text, n);
  job->text_length = n;
  job->limits = *limits;
  atomic_init(&job->state, JOB_QUEUED);
  svc_http_parse(&job->head, job->text, n, limits); /* as before, on other memory */
  svc_listener_peer(conn, &job->head, job->peer);
  job->tls = conn->tls != NULL;
  return job;
}

size_t svc_listener_counted(const svc_http_body *b)
{
  return b->size > POOLS_SMALL ? b->size - POOLS_SMALL : 0;
}

void svc_listener_job_free(listener_job *job)
{
  if (!job) return;
  atomic_fetch_sub(&job->loop->listener->bodies, svc_listener_counted(&job->body));
  svc_response_free(&job->response);
  svc_http_body_free(&job->body);
  svc_http_wipe(job->text, job->text_length);
  free(job->text);
  free(job);
}

void svc_listener_jobs_free(listener_job *job)
{
  while (job) {
    listener_job *next = job->next;
    svc_listener_job_free(job);
    job = next;
  }
}

int svc_listener_pool_of(const svc_listener *l, const svc_http_head *h)
{
  svc_request request;
  if (!l->s) return h->reads ? LISTENER_NO_POOL : LISTENER_WRITE;
  memset(&request, 0, sizeof request);
  request.method = h->method;
  request.target = h->target;
  request.target_length = h->target_length;
  switch (svc_request_needs(l->s, &request)) {
  case SVC_NEEDS_NOTHING: return LISTENER_NO_POOL;
  case SVC_NEEDS_DRIVER: return LISTENER_ASK;
  case SVC_NEEDS_TIME: return LISTENER_LONG;
  default: return h->reads ? LISTENER_READ : LISTENER_WRITE;
  }
}

void svc_listener_handle(svc_listener *l, const svc_http_head *h, const char *peer, bool tls, const svc_http_body *body,
                         int64_t waited_ns, svc_response *response)
{
  svc_request request;
  if (!l->config.no_explorer && svc_listener_explorer(h, response)) return;
  memset(&request, 0, sizeof request);
  memset(response, 0, sizeof *response);
  request.method = h->method;
  request.target = h->target;
  request.target_length = h->target_length;
  request.headers = h->headers;
  request.header_count = h->header_count;
  request.body = body ? body->bytes : NULL;
  request.body_length = body ? body->length : 0;
  request.peer = peer;
  request.tls = tls;
  request.waited_ns = waited_ns;
  if (l->config.handle) l->config.handle(l->config.handle_context, l->s, &request, response);
  else svc_handle_request(l->s, &request, response);
}

/* ----------------------------------------------------------------------------------------------------- the queues */

static const struct {
  const char *thread; /* name of its threads */
  bool stays;         /* its first thread never ends */
  int nice;           /* priority below that of the loops: for work that only computes */
} listener_pool_rows[LISTENER_POOLS] = {
  [LISTENER_WRITE] = { "svc-writer", true, 0 },
  [LISTENER_READ] = { "svc-reader", false, 0 },
  [LISTENER_ASK] = { "svc-asker", false, 0 },
  [LISTENER_LONG] = { "svc-long", false, 10 },
  [LISTENER_TICK] = { "svc-tick", false, 0 },
};

/* Nanoseconds, to measure how long a job has waited. */
static int64_t pools_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether a job counts in max_waiting. Ticks, which are few, and reads, of which a connection has one, do not count: they are
** always accepted. */
static bool pools_count(const listener_job *job)
{
  return job->text && !job->head.reads;
}

static void *pools_run(void *thread);

/* The lock is held. False: no thread can be started. */
static bool pools_start(listener_thread *t)
{
  if (t->state == THREAD_ENDED) pthread_join(t->thread, NULL);
  t->state = pthread_create(&t->thread, NULL, pools_run, t) == 0 ? THREAD_BUSY : THREAD_NONE;
  return t->state == THREAD_BUSY;
}

/* The lock is held. Wakes an idle thread or starts one. False: all are busy, or no thread can be started, so the job waits. */
static bool pools_wake(listener_pool *pool)
{
  listener_thread *t = NULL;
  size_t i;
  for (i = 0; i < pool->size; i++) {
    listener_thread *one = &pool->threads[i];
    if (one->state == THREAD_IDLE) {
      one->state = THREAD_BUSY; /* not woken twice */
      pthread_cond_signal(&one->wake);
      return true;
    }
    if (!t && one->state != THREAD_BUSY) t = one;
  }
  return t && pools_start(t);
}

/* The lock is held. Tells the service whether all threads that make changes are busy. */
static void pools_tell(listener_pool *pool, bool busy)
{
  if (pool->kind != LISTENER_WRITE || pool->busy == busy) return;
  pool->busy = busy;
  if (pool->listener->s) svc_set_busy(pool->listener->s, busy);
}

bool svc_listener_submit(svc_listener *l, int kind, listener_job *job)
{
  listener_pool *pool = &l->pools[kind];
  bool room;
  job->next = NULL;
  job->since = pools_now();
  pthread_mutex_lock(&pool->lock);
  room = !pools_count(job) || pool->waiting < l->config.max_waiting;
  if (room) {
    if (pool->last) pool->last->next = job;
    else pool->first = job;
    pool->last = job;
    pool->queued++;
    if (pools_count(job)) pool->waiting++;
    if (!pools_wake(pool)) pools_tell(pool, true);
  }
  pthread_mutex_unlock(&pool->lock);
  return room;
}

/* The lock is held. Waits for a job. False: there was none for so long that this thread ends. */
static bool pools_wait(listener_thread *t)
{
  listener_pool *pool = t->pool;
  const int64_t idle_ms = pool->listener->config.writer_idle_ms;
  struct timespec until;
  int rc = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(idle_ms / 1000);
  until.tv_nsec += (long)(idle_ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  t->state = THREAD_IDLE;
  pools_tell(pool, false);
  while (t->state == THREAD_IDLE && rc != ETIMEDOUT) {
    if (listener_pool_rows[pool->kind].stays && t == pool->threads) pthread_cond_wait(&t->wake, &pool->lock);
    else rc = pthread_cond_timedwait(&t->wake, &pool->lock, &until);
  }
  if (t->state != THREAD_IDLE) return true;
  t->state = THREAD_ENDED;
  return false;
}

/* Waits for a job. Returns NULL if this thread must end. */
static listener_job *pools_next(listener_thread *t)
{
  listener_pool *pool = t->pool;
  listener_job *job = NULL;
  bool stay = true;
  pthread_mutex_lock(&pool->lock);
  while (stay && !pool->first && !pool->quit) stay = pools_wait(t);
  if (stay && !pool->quit) job = pool->first;
  if (job) {
    pool->first = job->next;
    if (!pool->first) pool->last = NULL;
    pool->queued--;
    if (pools_count(job)) pool->waiting--;
  }
  pthread_mutex_unlock(&pool->lock);
  return job;
}

/* Gives a job back to its loop. */
static void pools_done(listener_job *job)
{
  listener_loop *loop = job->loop;
  bool first;
  pthread_mutex_lock(&loop->lock);
  first = !loop->done;
  job->next = loop->done;
  loop->done = job;
  pthread_mutex_unlock(&loop->lock);
  if (first) svc_listener_ring(loop);
}

/* Moves a queued job to another state. False: it is not queued any more. */
static bool pools_move(listener_job *job, int state)
{
  int queued = JOB_QUEUED;
  return atomic_compare_exchange_strong(&job->state, &queued, state);
}

static void *pools_run(void *thread)
{
  listener_thread *t = thread;
  svc_listener *l = t->pool->listener;
  listener_job *job;
  pthread_setname_np(pthread_self(), listener_pool_rows[t->pool->kind].thread);
  if (listener_pool_rows[t->pool->kind].nice) (void)setpriority(PRIO_PROCESS, (id_t)gettid(), listener_pool_rows[t->pool->kind].nice);
  while ((job = pools_next(t)) != NULL) {
    if (!job->text) {
      if (l->s) svc_tick(l->s);
    } else if (pools_move(job, JOB_BEGUN)) {
      svc_listener_handle(l, &job->head, job->peer, job->tls, &job->body, pools_now() - job->since, &job->response);
    }
    pools_done(job);
  }
  return NULL;
}

bool svc_listener_pools_open(svc_listener *l)
{
  const size_t sizes[LISTENER_POOLS] = {
    [LISTENER_WRITE] = l->config.writers, [LISTENER_READ] = l->config.writers, [LISTENER_ASK] = l->config.askers,
    [LISTENER_LONG] = POOLS_LONG, [LISTENER_TICK] = POOLS_TICKS
  };
  pthread_condattr_t clock;
  size_t kind, i;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  for (kind = 0; kind < LISTENER_POOLS; kind++) {
    listener_pool *pool = &l->pools[kind];
    pool->threads = calloc(sizes[kind], sizeof *pool->threads);
    if (!pool->threads) break;
    pool->size = sizes[kind];
    for (i = 0; i < pool->size; i++) {
      pool->threads[i].pool = pool;
      pthread_cond_init(&pool->threads[i].wake, &clock); /* cannot fail on Linux */
    }
  }
  pthread_condattr_destroy(&clock);
  return kind == LISTENER_POOLS;
}

void svc_listener_pools_begin(svc_listener *l)
{
  int kind;
  for (kind = 0; kind < LISTENER_POOLS; kind++) {
    l->pools[kind].listener = l;
    l->pools[kind].kind = kind;
    pthread_mutex_init(&l->pools[kind].lock, NULL); /* cannot fail on Linux */
  }
}

bool svc_listener_pools_start(svc_listener *l)
{
  listener_pool *pool = &l->pools[LISTENER_WRITE];
  bool good;
  pthread_mutex_lock(&pool->lock);
  good = pools_start(&pool->threads[0]);
  pthread_mutex_unlock(&pool->lock);
  return good;
}

static void pools_quit(listener_pool *pool)
{
  size_t i;
  pthread_mutex_lock(&pool->lock);
  pool->quit = true;
  for (i = 0; i < pool->size; i++) {
    if (pool->threads[i].state == THREAD_IDLE) pool->threads[i].state = THREAD_BUSY;
    pthread_cond_signal(&pool->threads[i].wake);
  }
  pthread_mutex_unlock(&pool->lock);
}

void svc_listener_pools_stop(svc_listener *l)
{
  size_t kind, i;
  for (kind = 0; kind < LISTENER_POOLS; kind++) pools_quit(&l->pools[kind]);
  for (kind = 0; kind < LISTENER_POOLS; kind++) /* no thread starts any more: the loops have ended */
    for (i = 0; i < l->pools[kind].size; i++)
      if (l->pools[kind].threads[i].state != THREAD_NONE) pthread_join(l->pools[kind].threads[i].thread, NULL);
}

void svc_listener_pools_close(svc_listener *l)
{
  size_t kind, i;
  for (kind = 0; kind < LISTENER_POOLS; kind++) {
    listener_pool *pool = &l->pools[kind];
    svc_listener_jobs_free(pool->first);
    for (i = 0; i < pool->size; i++) pthread_cond_destroy(&pool->threads[i].wake);
    free(pool->threads);
    pthread_mutex_destroy(&pool->lock);
  }
}

void svc_listener_pool_stats(svc_listener *l, int kind, svc_listener_threads *out)
{
  listener_pool *pool = &l->pools[kind];
  size_t i;
  memset(out, 0, sizeof *out);
  pthread_mutex_lock(&pool->lock);
  out->most = pool->size;
  out->waiting = pool->queued;
  out->changes = pool->waiting;
  for (i = 0; i < pool->size; i++) out->busy += pool->threads[i].state == THREAD_BUSY;
  pthread_mutex_unlock(&pool->lock);
}

/* -------------------------------------------------------------------------------------------------- the loop's side */

void svc_listener_collect(listener_loop *loop)
{
  listener_job *job, *next;
  pthread_mutex_lock(&loop->lock);
  job = loop->done;
  loop->done = NULL;
  pthread_mutex_unlock(&loop->lock);
  for (; job; job = next) {
    listener_conn *conn = job->conn;
    next = job->next;
    if (!job->text) loop->ticking--;
    if (conn) conn->job = NULL;
    if (conn && !svc_listener_dropped(conn)) {
      svc_listener_answer(conn, &job->head, &job->response);
      svc_listener_advance(conn);
    }
    svc_listener_job_free(job);
  }
}

/* A tick whose driver hangs must not keep the next one from other orders: up to POOLS_TICKS run at a time. */
void svc_listener_tick(listener_loop *loop)
{
  uint64_t now = svc_listener_now();
  listener_job *job;
  if (loop->ticking == POOLS_TICKS || now - loop->ticked < POOLS_TICK_MS) return;
  loop->ticked = now;
  job = calloc(1, sizeof *job);
  if (!job) return;
  job->loop = loop;
  loop->ticking++;
  svc_listener_submit(loop->listener, LISTENER_TICK, job); /* a tick is always accepted */
}

void svc_listener_leave_job(listener_conn *conn)
{
  conn->job->conn = NULL;
  (void)pools_move(conn->job, JOB_GONE);
}

/*
** A client that has closed its connection, or its side of it, does not wait for the answer to a read: the queued read is dropped.
** The answer to a change is another matter: the client may only have told that it sends no more. (Input is paused meanwhile, so mongoose
** does not see the end of it.)
*/
void svc_listener_look(listener_conn *conn, uint64_t now)
{
  listener_job *job = conn->job;
  struct pollfd p = { conn->fd, POLLRDHUP, 0 };
  if (conn->state != LISTENER_WAIT || !job || !job->head.reads || now - conn->looked < POOLS_LOOK_MS) return;
  conn->looked = now;
  if (poll(&p, 1, 0) > 0 && pools_move(job, JOB_GONE)) svc_listener_drop(conn);
}
