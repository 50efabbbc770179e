/*
** Jobs, and the threads that do them: whatever may wait for a disk is answered by a writer, never by a loop.
**
**      loop: submit -> first ... last, the queue of all writers -> writer: the service -> loop->done -> loop: collect
**
** The rule it keeps: a job belongs to whoever took it off a queue, and only its loop looks at its connection, which may
** be gone when the answer is there (job->conn NULL). The queue has a bound; further changes are refused by the loop.
*/
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* Of a body so much is not counted, connections are: no flood of large ones shuts the small ones out. */
#define WRITERS_SMALL ((size_t)16 << 10)
#define WRITERS_TICK_MS 900 /* svc_tick(): about once a second, as a loop turns every 250 ms */

/* ------------------------------------------------------------------------------------------------------------- jobs */

listener_job *svc_listener_job_new(listener_conn *conn, const char *text, size_t n)
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
  svc_http_parse(&job->head, job->text, n, &conn->loop->listener->limits); /* as before, on other memory */
  svc_listener_peer(conn, &job->head, job->peer);
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

void svc_listener_handle(svc_listener *l, const svc_http_head *h, const char *peer, const svc_http_body *body,
                         svc_response *response)
{
  svc_request request;
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
  if (l->config.handle) l->config.handle(l->config.handle_context, l->s, &request, response);
  else svc_handle_request(l->s, &request, response);
}

/* ----------------------------------------------------------------------------------------------- the writers' queue */

/* Always let in, and not counted among those that wait: a tick, there is only one; and reads, of which a connection has one. */
static bool writers_count(const listener_job *job)
{
  return job->text && !job->head.reads;
}

bool svc_listener_submit(svc_listener *l, listener_job *job)
{
  bool room;
  job->next = NULL;
  pthread_mutex_lock(&l->lock);
  room = !writers_count(job) || l->waiting < l->config.max_waiting;
  if (room) {
    if (l->last) l->last->next = job;
    else l->first = job;
    l->last = job;
    if (writers_count(job)) l->waiting++;
    pthread_cond_signal(&l->work);
  }
  pthread_mutex_unlock(&l->lock);
  return room;
}

/* Wait for a job. Returns NULL when there will be none. */
static listener_job *writers_next(svc_listener *l)
{
  listener_job *job;
  pthread_mutex_lock(&l->lock);
  while (!l->first && !l->quit) pthread_cond_wait(&l->work, &l->lock);
  job = l->quit ? NULL : l->first;
  if (job) {
    l->first = job->next;
    if (!l->first) l->last = NULL;
    if (writers_count(job)) l->waiting--;
  }
  pthread_mutex_unlock(&l->lock);
  return job;
}

/* Give it back to its loop. */
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

void *svc_listener_writer(void *listener)
{
  svc_listener *l = listener;
  listener_job *job;
  pthread_setname_np(pthread_self(), "svc-writer");
  while ((job = writers_next(l)) != NULL) {
    if (job->text) svc_listener_handle(l, &job->head, job->peer, &job->body, &job->response);
    else if (l->s) svc_tick(l->s);
    writers_done(job);
  }
  return NULL;
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
  loop->ticking = svc_listener_submit(loop->listener, job); /* a step that falls due is a write */
  if (!loop->ticking) free(job);
}
