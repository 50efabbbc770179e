/*
** Sending: an answer goes to the kernel at once; bytes that do not fit wait in the connection (SEND)
** until the loop's `writable` says that the socket takes more, and the loop serves others meanwhile.
**
** The rule: a connection is in `writable` exactly while it is in SEND. Closing a socket removes it from an
** epoll only if no child process has it as well, so it leaves `writable` before (svc_listener_leave). A connection that
** is closed after its answer is read from for a while (LINGER): closing with unread input would make the kernel
** send a reset, which may overtake the answer.
*/
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SEND_SMALL ((size_t)16 << 10) /* bytes of an answer that are not counted: the number of connections is limited anyway */
#define SEND_STALLED_MS 5000 /* a client that takes nothing for so long is closed when others need the room */
#define SEND_LINGER_MS 2000 /* time for which a finished connection is still read from, so that the client gets the answer */

void svc_listener_state(listener_conn *conn, int state, int64_t timeout_ms)
{
  conn->state = state;
  conn->deadline = timeout_ms < 0 ? LISTENER_NEVER : svc_listener_now() + (uint64_t)timeout_ms;
}

/* Adds the socket to `writable`, or removes it. */
static void send_wait(listener_conn *conn, bool on)
{
  struct epoll_event e = { EPOLLOUT, { conn } };
  listener_loop *loop = conn->loop;
  if (epoll_ctl(loop->writable, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, conn->fd, &e) != 0) svc_listener_drop(conn);
  if (on) loop->sending++;
  else loop->sending--;
}

void svc_listener_leave(listener_conn *conn)
{
  if (conn->tls && conn->state == LISTENER_HEAD) svc_listener_tls_notify(conn);
  if (conn->state != LISTENER_SEND) return;
  send_wait(conn, false);
  svc_listener_state(conn, LISTENER_LINGER, -1);
}

/* Counts n bytes in max_answer_memory. Returns false, and counts nothing, if there is no room. */
static bool send_count(svc_listener *l, size_t n)
{
  if (atomic_fetch_add(&l->answers, n) + n <= l->config.max_answer_memory) return true;
  atomic_fetch_sub(&l->answers, n);
  return false;
}

/* Closes the connection that has taken nothing for longest, of this address or (NULL) of any. False: none has stalled. */
static bool send_give_up(listener_loop *loop, const unsigned char *place)
{
  listener_conn *stalled = svc_listener_oldest(loop, LISTENER_SEND, place, SEND_STALLED_MS);
  if (!stalled) return false;
  svc_listener_leave(stalled);
  svc_listener_send_release(stalled);
  svc_listener_drop(stalled);
  return true;
}

bool svc_listener_send_reserve(listener_conn *conn, size_t n)
{
  svc_listener *l = conn->loop->listener;
  if (n <= SEND_SMALL) return true;
  while (!svc_listener_place_hold(conn, n))
    if (!send_give_up(conn->loop, conn->place)) return false;
  while (!send_count(l, n)) {
    if (send_give_up(conn->loop, NULL)) continue;
    svc_listener_place_let_go(conn, n);
    return false;
  }
  conn->held = n;
  return true;
}

void svc_listener_send_release(listener_conn *conn)
{
  if (conn->held) {
    atomic_fetch_sub(&conn->loop->listener->answers, conn->held);
    svc_listener_place_let_go(conn, conn->held);
  }
  conn->held = 0;
  svc_response_free(&conn->response);
  free(conn->packed);
  free(conn->text);
  conn->packed = conn->text = NULL;
  conn->packed_document = NULL;
  conn->document = NULL;
}

/* The kernel has the answer: continue with the next request, or close so that the answer still arrives. */
static void send_done(listener_conn *conn)
{
  svc_listener_send_release(conn);
  if (conn->close) {
    if (conn->tls) svc_listener_tls_notify(conn);
    shutdown(conn->fd, SHUT_WR);
    svc_listener_discard(conn);
    svc_listener_state(conn, LISTENER_LINGER, SEND_LINGER_MS);
  } else {
    conn->started = false; /* an empty line may follow, which does not begin a request: connection_read_head() checks */
    svc_listener_state(conn, LISTENER_HEAD, conn->loop->listener->config.idle_timeout_ms);
  }
  svc_listener_reading(conn, true);
}

/* Sends the rest. Returns the number of bytes sent. */
static size_t send_some(listener_conn *conn, const char *text, size_t text_length)
{
  struct iovec parts[2];
  struct msghdr message;
  ssize_t n;
  size_t count = 0;
  if (conn->tls) return svc_listener_tls_send(conn, text, text_length);
  memset(&message, 0, sizeof message);
  if (text_length) parts[count++] = (struct iovec){ (void *)(uintptr_t)text, text_length };
  if (conn->body_length > conn->body_at) {
    const char *body = conn->response.body + conn->body_at;
    parts[count++] = (struct iovec){ (void *)(uintptr_t)body, conn->body_length - conn->body_at };
  }
  message.msg_iov = parts;
  message.msg_iovlen = count;
  do n = sendmsg(conn->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n >= 0) atomic_fetch_add_explicit(&conn->loop->listener->sent, (unsigned long)n, memory_order_relaxed);
  if (n >= 0) return (size_t)n;
  if (errno != EAGAIN && errno != EWOULDBLOCK) svc_listener_drop(conn);
  return 0;
}

/* Keeps the rest after `sent` bytes: a copy of the head, and the position in the body. Returns false if out of memory. */
static bool send_keep(listener_conn *conn, const char *text, size_t n, size_t sent)
{
  conn->text_at = 0;
  conn->text_length = sent < n ? n - sent : 0;
  conn->body_at = sent < n ? 0 : sent - n;
  if (!conn->text_length) return true;
  conn->text = malloc(conn->text_length);
  if (!conn->text) return false;
  memcpy(conn->text, text + sent, conn->text_length);
  return true;
}

/* The whole answer waits in the connection, without blocking a thread. */
static void send_delay(listener_conn *conn, const char *text, size_t n)
{
  int64_t delay = conn->response.delay_ms;
  conn->response.delay_ms = 0;
  svc_listener_reading(conn, false);
  if (!send_keep(conn, text, n, 0)) svc_listener_drop(conn);
  svc_listener_state(conn, LISTENER_DELAY, delay);
}

void svc_listener_send_late(listener_conn *conn)
{
  send_wait(conn, true);
  svc_listener_state(conn, LISTENER_SEND, conn->loop->listener->config.idle_timeout_ms);
}

void svc_listener_send(listener_conn *conn, const char *text, size_t n)
{
  size_t sent;
  if (conn->response.delay_ms > 0 && !conn->bounded) {
    send_delay(conn, text, n);
    return;
  }
  sent = send_some(conn, text, n);
  if (svc_listener_dropped(conn)) return;
  if (sent == n + conn->body_length) {
    send_done(conn);
    return;
  }
  if (conn->bounded || !send_keep(conn, text, n, sent)) {
    svc_listener_drop(conn);
    return;
  }
  svc_listener_reading(conn, false);
  if (svc_listener_dropped(conn)) return;
  send_wait(conn, true);
  svc_listener_state(conn, LISTENER_SEND, conn->loop->listener->config.idle_timeout_ms);
}

void svc_listener_send_continue(listener_conn *conn)
{
  static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
  ssize_t n;
  if (conn->tls) {
    if (!svc_listener_tls_say(conn, text, sizeof text - 1)) svc_listener_drop(conn);
    return;
  }
  n = send(conn->fd, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0 && n < (ssize_t)sizeof text - 1) svc_listener_drop(conn);
}

/* In SEND, but with its present deadline: a client that does not read gets no more time than one that does not send. */
void svc_listener_send_later(listener_conn *conn)
{
  svc_listener_reading(conn, false);
  if (svc_listener_dropped(conn)) return;
  send_wait(conn, true);
  conn->state = LISTENER_SEND;
}

static void send_resume_handshake(listener_conn *conn)
{
  send_wait(conn, false);
  conn->state = LISTENER_HEAD;
  svc_listener_reading(conn, true);
  svc_listener_advance(conn);
}

/* The socket of a connection in SEND takes bytes again. */
static void send_resume(listener_conn *conn)
{
  size_t left = conn->text_length - conn->text_at, n;
  if (conn->tls && !conn->shaken) {
    send_resume_handshake(conn);
    return;
  }
  n = send_some(conn, conn->text + conn->text_at, left);
  if (n == 0) return;
  conn->text_at += n < left ? n : left;
  conn->body_at += n < left ? 0 : n - left;
  if (conn->text_at < conn->text_length || conn->body_at < conn->body_length) {
    svc_listener_state(conn, LISTENER_SEND, conn->loop->listener->config.idle_timeout_ms);
    return;
  }
  send_wait(conn, false);
  send_done(conn);
  svc_listener_advance(conn);
}

void svc_listener_resume(listener_loop *loop)
{
  struct epoll_event events[64];
  int i, n = epoll_wait(loop->writable, events, 64, 0);
  for (i = 0; i < n; i++) {
    listener_conn *conn = events[i].data.ptr;
    if (!svc_listener_dropped(conn)) send_resume(conn);
  }
}
