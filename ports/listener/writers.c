/*
** Jobs, and the writer threads that do them: a writer answers every request that may wait for a disk, never a loop.
**
**      loop: submit -> first ... last, the queue of all writers -> writer: the service -> loop->done -> loop: collect
**
** A writer is started when a job comes and none is idle, and the first idle one is always woken. So the last ones have
** nothing to do unless there really are so many jobs at a time, and end after a while. The first one never ends.
**
** The rule: a job belongs to the thread that took it off a queue, and only its loop uses its connection, which may
** be closed when the answer is ready (job->conn NULL). The queue is bounded; the loop refuses further changes.
*/
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a body that are not counted, because the number of connections is limited anyway: a flood of large bodies does not shut small
** ones out. */
#define WRITERS_SMALL ((size_t)16 << 10)
#define WRITERS_TICK_MS 900 /* svc_tick(): about once a second, as a loop turns every 250 ms */

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
  svc_http_parse(&job->head, job->text, n, limits); /* as before, on other memory */
  svc_listener_peer(conn, &job->head, job->peer);
  job->tls = conn->tls != NULL;
  return job;
}

size_t svc_listener_counted(const svc_http_body *b)
{
  return b->size > WRITERS_SMALL ? b->size - WRITERS_SMALL : 0;
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

bool svc_listener_at_once(const svc_listener *l, const svc_http_head *h)
{
  svc_request request;
  if (!h->reads || !l->s) return h->reads;
  memset(&request, 0, sizeof request);
  request.method = h->method;
  request.target = h->target;
  request.target_length = h->target_length;
  return !svc_may_wait(l->s, &request);
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

/* ----------------------------------------------------------------------------------------------- the writers' queue */

/* Nanoseconds, to measure how long a job has waited. */
static int64_t writers_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether a job counts in max_waiting. The tick, of which there is one, and reads, of which a connection has one, do not count: they are
** always accepted. */
static bool writers_count(const listener_job *job)
{
  return job->text && !job->head.reads;
}

static void *writers_run(void *writer);

/* The lock is held. False: no thread can be started. */
static bool writers_start(listener_writer *w)
{
  if (w->state == WRITER_ENDED) pthread_join(w->thread, NULL);
  w->state = pthread_create(&w->thread, NULL, writers_run, w) == 0 ? WRITER_BUSY : WRITER_NONE;
  return w->state == WRITER_BUSY;
}

/* The lock is held. If no thread can be started, the existing ones do the job later. */
static void writers_wake(svc_listener *l)
{
  listener_writer *w = NULL;
  size_t i;
  for (i = 0; i < l->config.writers; i++) {
    listener_writer *one = &l->writers[i];
    if (one->state == WRITER_IDLE) {
      one->state = WRITER_BUSY; /* not woken twice */
      pthread_cond_signal(&one->wake);
      return;
    }
    if (!w && one->state != WRITER_BUSY) w = one;
  }
  if (w) writers_start(w);
}

bool svc_listener_submit(svc_listener *l, listener_job *job)
{
  bool room;
  job->next = NULL;
  job->since = writers_now();
  pthread_mutex_lock(&l->lock);
  room = !writers_count(job) || l->waiting < l->config.max_waiting;
  if (room) {
    if (l->last) l->last->next = job;
    else l->first = job;
    l->last = job;
    if (writers_count(job)) l->waiting++;
    writers_wake(l);
  }
  pthread_mutex_unlock(&l->lock);
  return room;
}

/* The lock is held. Waits for a job. False: there was none for so long that this writer ends. */
static bool writers_wait(listener_writer *w)
{
  svc_listener *l = w->listener;
  struct timespec until;
  int rc = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(l->config.writer_idle_ms / 1000);
  until.tv_nsec += (long)(l->config.writer_idle_ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  w->state = WRITER_IDLE;
  while (w->state == WRITER_IDLE && rc != ETIMEDOUT) {
    if (w == l->writers) pthread_cond_wait(&w->wake, &l->lock);
    else rc = pthread_cond_timedwait(&w->wake, &l->lock, &until);
  }
  if (w->state != WRITER_IDLE) return true;
  w->state = WRITER_ENDED;
  return false;
}

/* Waits for a job. Returns NULL if this writer must end. */
static listener_job *writers_next(listener_writer *w)
{
  svc_listener *l = w->listener;
  listener_job *job = NULL;
  bool stay = true;
  pthread_mutex_lock(&l->lock);
  while (stay && !l->first && !l->quit) stay = writers_wait(w);
  if (stay && !l->quit) job = l->first;
  if (job) {
    l->first = job->next;
    if (!l->first) l->last = NULL;
    if (writers_count(job)) l->waiting--;
  }
  pthread_mutex_unlock(&l->lock);
  return job;
}

/* Gives a job back to its loop. */
static void writers_done(listener_job *job)
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

static void *writers_run(void *writer)
{
  listener_writer *w = writer;
  svc_listener *l = w->listener;
  listener_job *job;
  pthread_setname_np(pthread_self(), "svc-writer");
  while ((job = writers_next(w)) != NULL) {
    if (job->text) svc_listener_handle(l, &job->head, job->peer, job->tls, &job->body, writers_now() - job->since, &job->response);
    else if (l->s) svc_tick(l->s);
    writers_done(job);
  }
  return NULL;
}

bool svc_listener_writers_open(svc_listener *l)
{
  pthread_condattr_t clock;
  size_t i;
  l->writers = calloc(l->config.writers, sizeof *l->writers);
  if (!l->writers) return false;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  for (i = 0; i < l->config.writers; i++) {
    l->writers[i].listener = l;
    pthread_cond_init(&l->writers[i].wake, &clock); /* cannot fail on Linux */
  }
  pthread_condattr_destroy(&clock);
  return true;
}

bool svc_listener_writers_start(svc_listener *l)
{
  bool good;
  pthread_mutex_lock(&l->lock);
  good = writers_start(&l->writers[0]);
  pthread_mutex_unlock(&l->lock);
  return good;
}

void svc_listener_writers_stop(svc_listener *l)
{
  size_t i;
  pthread_mutex_lock(&l->lock);
  l->quit = true;
  for (i = 0; i < l->config.writers; i++) {
    if (l->writers[i].state == WRITER_IDLE) l->writers[i].state = WRITER_BUSY;
    pthread_cond_signal(&l->writers[i].wake);
  }
  pthread_mutex_unlock(&l->lock);
  for (i = 0; i < l->config.writers; i++) /* no writer starts any more: the loops have ended */
    if (l->writers[i].state != WRITER_NONE) pthread_join(l->writers[i].thread, NULL);
}

void svc_listener_writers_close(svc_listener *l)
{
  size_t i;
  for (i = 0; l->writers && i < l->config.writers; i++) pthread_cond_destroy(&l->writers[i].wake);
  free(l->writers);
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
    if (!job->text) loop->ticking = false;
    if (conn) conn->job = NULL;
    if (conn && !svc_listener_dropped(conn)) {
      svc_listener_answer(conn, &job->head, &job->response);
      svc_listener_advance(conn);
    }
    svc_listener_job_free(job);
  }
}

void svc_listener_tick(listener_loop *loop)
{
  uint64_t now = svc_listener_now();
  listener_job *job;
  if (loop->ticking || now - loop->ticked < WRITERS_TICK_MS) return;
  loop->ticked = now;
  job = calloc(1, sizeof *job);
  if (!job) return;
  job->loop = loop;
  loop->ticking = svc_listener_submit(loop->listener, job); /* a due step is a write */
  if (!loop->ticking) free(job);
}
