/*
** A connection, from bytes to requests: HEAD and BODY of the drawing in parts.h, and its beginning and end.
**
** The rule: received bytes are read in order, request by request, by http_reader.c alone. After an error of the
** reader the connection is closed, because the following bytes are meaningless.
*/
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* The body is complete: the loop answers what need not wait, and a pool of threads the rest. */
static void connection_dispatch(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_job *job = conn->job;
  int pool = svc_listener_pool_of(l, &job->head);
  if (pool == LISTENER_NO_POOL) {
    conn->job = NULL;
    svc_listener_handle(l, &job->head, job->peer, job->tls, &job->body, 0, &job->response);
    svc_listener_answer(conn, &job->head, &job->response);
    svc_listener_job_free(job);
    return;
  }
  svc_listener_reading(conn, false); /* a client that has shut down its side must not be closed before its answer */
  svc_listener_state(conn, LISTENER_WAIT, -1);
  if (svc_listener_submit(l, pool, job)) return;
  conn->job = NULL;
  svc_listener_warn(l, "listener.queue_full", "too many changes are queued for a writer (--writers): some clients get 503");
  svc_listener_refuse(conn, LISTENER_E_WAITING, false, !job->head.keep || job->head.old || atomic_load(&l->draining));
  svc_listener_job_free(job);
}

/* Without a body, and answered by the loop: no copy is needed. */
static void connection_answer(listener_conn *conn, const svc_http_head *head)
{
  svc_listener *l = conn->loop->listener;
  char peer[INET6_ADDRSTRLEN];
  svc_response response;
  svc_listener_peer(conn, head, peer);
  svc_listener_handle(l, head, peer, conn->tls != NULL, NULL, 0, &response);
  svc_listener_answer(conn, head, &response);
  svc_response_free(&response); /* frees an answer that was dropped */
}

#define CONNECTION_BODY ((size_t)1 << 30) /* the maximum of http_reader.c */

/* Whether the host allows this request a longer body. */
static bool connection_allowed(const listener_conn *conn, const svc_http_head *head, svc_http_limits *limits)
{
  const svc_listener_config *k = &conn->loop->listener->config;
  char peer[INET6_ADDRSTRLEN];
  svc_request request;
  size_t most;
  if (!k->body_limit) return false;
  svc_listener_peer(conn, head, peer);
  memset(&request, 0, sizeof request);
  request.method = head->method;
  request.target = head->target;
  request.target_length = head->target_length;
  request.headers = head->headers;
  request.header_count = head->header_count;
  request.peer = peer;
  request.tls = conn->tls != NULL;
  most = k->body_limit(k->body_limit_context, &request);
  if (most <= limits->body) return false;
  limits->body = most < CONNECTION_BODY ? most : CONNECTION_BODY;
  return true;
}

/* A complete head of n bytes is in the buffer; `more`: further input follows it. */
static void connection_begin(listener_conn *conn, const char *text, size_t n, bool more)
{
  const svc_listener *l = conn->loop->listener;
  svc_http_limits limits = l->limits;
  svc_http_head head;
  int error = svc_http_parse(&head, text, n, &limits);
  if ((error == SVC_HTTP_E_BODY || (!error && head.chunked)) && connection_allowed(conn, &head, &limits))
    error = svc_http_parse(&head, text, n, &limits);
  conn->at += n;
  memset(&conn->scan, 0, sizeof conn->scan);
  if (l->config.access) clock_gettime(CLOCK_MONOTONIC, &conn->began);
  if (error) {
    svc_listener_refuse(conn, error, head.is_head, true);
  } else if (!head.chunked && head.length == 0 && svc_listener_pool_of(l, &head) == LISTENER_NO_POOL) {
    connection_answer(conn, &head);
  } else if (!(conn->job = svc_listener_job_new(conn, text, n, &limits))) {
    svc_listener_refuse(conn, SVC_HTTP_E_MEMORY, head.is_head, true);
  } else {
    svc_listener_state(conn, LISTENER_BODY, l->config.body_timeout_ms);
    if (head.expect && !more && (head.chunked || head.length)) svc_listener_send_continue(conn);
  }
}

/* HEAD: looks for the end of the head. Returns false if more bytes are needed. */
static bool connection_read_head(listener_conn *conn)
{
  const svc_listener *l = conn->loop->listener;
  size_t n, blank, length;
  const char *p = svc_listener_received(conn, &n);
  int rc;
  if (n == 0) return false;
  rc = svc_http_scan_head(&conn->scan, p, n, &l->limits, &blank);
  conn->at += blank;
  p += blank;
  n -= blank;
  if (n == 0 || (n == 1 && p[0] == '\r')) return false; /* half an empty line does not begin a request */
  if (!conn->started) svc_listener_state(conn, LISTENER_HEAD, l->config.header_timeout_ms);
  conn->started = true;
  length = conn->scan.at;
  if (rc == SVC_HTTP_OK) connection_begin(conn, p, length, n > length);
  else if (rc != SVC_HTTP_MORE) svc_listener_refuse(conn, rc, n >= 5 && memcmp(p, "HEAD ", 5) == 0, true);
  return rc == SVC_HTTP_OK;
}

/* Counts the growth of a request's body. Returns false if there is no room. */
static bool connection_count(svc_listener *l, const listener_job *job, size_t before)
{
  size_t grown = svc_listener_counted(&job->body) - before;
  size_t more = job->limits.body > l->limits.body ? job->limits.body : 0;
  return !grown || atomic_fetch_add(&l->bodies, grown) + grown <= l->config.max_body_memory + more;
}

/* BODY: takes the received bytes. Returns false if more are needed. */
static bool connection_read_body(listener_conn *conn)
{
  listener_job *job = conn->job;
  svc_listener *l = conn->loop->listener;
  size_t n, taken, before = svc_listener_counted(&job->body);
  const char *p = svc_listener_received(conn, &n);
  int rc = svc_http_take(&job->body, &job->head, p, n, &job->limits, &taken);
  conn->at += taken;
  if (!connection_count(l, job, before) && rc <= SVC_HTTP_MORE) {
    svc_listener_warn(l, "listener.memory_full", "too many large requests are in progress: some clients get 503");
    rc = LISTENER_E_BODIES;
  }
  if (rc == SVC_HTTP_OK) {
    connection_dispatch(conn);
  } else if (rc != SVC_HTTP_MORE) {
    bool is_head = job->head.is_head;
    svc_listener_job_free(job);
    conn->job = NULL;
    svc_listener_refuse(conn, rc, is_head, true);
  }
  return rc == SVC_HTTP_OK;
}

/* Reads requests one after the other from the received bytes. */
static void connection_read(listener_conn *conn)
{
  bool more = true;
  while (more && !svc_listener_dropped(conn)) {
    if (conn->state == LISTENER_HEAD) more = connection_read_head(conn);
    else if (conn->state == LISTENER_BODY) more = connection_read_body(conn);
    else more = false;
  }
  if (conn->state == LISTENER_LINGER) svc_listener_discard(conn);
  else svc_listener_shift(conn);
}

/* Returns false while the handshake waits for the client. */
static bool connection_shake(listener_conn *conn)
{
  const svc_listener *l = conn->loop->listener;
  int rc;
  if (!conn->started) svc_listener_state(conn, LISTENER_HEAD, l->config.header_timeout_ms);
  conn->started = true;
  rc = svc_listener_tls_shake(conn);
  if (rc == LISTENER_SHAKE_WRITE) svc_listener_send_later(conn);
  if (rc != LISTENER_SHAKEN) return false;
  conn->started = false;
  svc_listener_state(conn, LISTENER_HEAD, l->config.idle_timeout_ms);
  return true;
}

/* With TLS: decrypts more. Returns false if there is nothing, or nothing is wanted yet. */
static bool connection_decrypt(listener_conn *conn)
{
  if (svc_listener_dropped(conn) || (conn->state != LISTENER_HEAD && conn->state != LISTENER_BODY)) return false;
  return (conn->shaken || connection_shake(conn)) && svc_listener_tls_read(conn);
}

void svc_listener_advance(listener_conn *conn)
{
  do connection_read(conn);
  while (conn->tls && connection_decrypt(conn));
  if (conn->tls) svc_listener_rest(conn);
}

void svc_listener_expire(listener_conn *conn)
{
  bool is_head = conn->job && conn->state == LISTENER_BODY && conn->job->head.is_head;
  if (conn->state == LISTENER_BODY || (conn->state == LISTENER_HEAD && conn->started)) {
    svc_listener_job_free(conn->job);
    conn->job = NULL;
    svc_listener_refuse(conn, LISTENER_E_TIMEOUT, is_head, true);
  } else if (conn->state == LISTENER_DELAY) {
    svc_listener_send_late(conn);
  } else {
    svc_listener_drop(conn);
  }
}

/* There is no place for the connection, which gets an error, unless too many are being refused already,
** because those are connections, too. */
static void connection_turn_away(listener_conn *conn, int error)
{
  svc_listener *l = conn->loop->listener;
  svc_listener_warn(l, "listener.connections_full", error == LISTENER_E_ADDRESS ? "an address has reached its limit of connections (--max-per-address): it gets 503"
                                                   : "all connections are in use (--max-connections): further clients get 503");
  conn->refused = true;
  atomic_fetch_add_explicit(&l->turned_away, 1, memory_order_relaxed);
  if (atomic_fetch_add(&l->refused, 1) < l->config.max_connections / 8 + 16) svc_listener_refuse(conn, error, false, true);
  else svc_listener_drop(conn);
}

void svc_listener_welcome(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  int error;
  conn->loop->conns++;
  atomic_fetch_add_explicit(&l->accepted, 1, memory_order_relaxed);
  conn->proxied = svc_listener_is_proxy(l, conn->peer);
  svc_listener_state(conn, LISTENER_HEAD, l->config.idle_timeout_ms);
  error = svc_listener_place_take(conn);
  if (error) connection_turn_away(conn, error);
}

void svc_listener_farewell(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  if (conn->state == LISTENER_SEND) conn->loop->sending--;
  if (conn->job && conn->state == LISTENER_WAIT) svc_listener_leave_job(conn);
  else svc_listener_job_free(conn->job);
  svc_listener_send_release(conn);
  svc_listener_tls_end(conn);
  conn->loop->conns--;
  svc_listener_place_leave(conn);
  if (conn->refused) atomic_fetch_sub(&l->refused, 1);
  free(conn);
}
