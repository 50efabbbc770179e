/*
** TLS of a connection, on the bytes that mongoose has read and a socket that is written to here; the cryptography is the work of a library
** behind the port in tls.h. mongoose's own TLS is not used, because it parses certificate and key for every connection, serves plain text
** if that fails, and keeps reading from a paused connection while a part of a record is left.
**
**      socket -> mongoose's buffer -> the port, by records -> conn->plain -> connection.c, which sees no difference
**      send.c -> the port, a record at a time -> socket
**
** All connections share an identity: certificate, key and settings. Each connection holds the identity that it began with, so
** that a reload (svc_listener_reload) affects new connections only.
**
** The rules. (1) Nothing of such a connection is read or sent in plain text: the parser gets conn->plain alone, and no error
** is sent before the handshake is done (svc_listener_refuse). (2) A handshake takes one step for each flight of the client:
** no loop waits in it. (3) A record that the socket did not take is offered again with the same bytes, as the libraries demand: the
** next record depends only on the rest of the answer. (4) The server keeps nothing of a closed session:
** a session is resumed by the ticket that the client has kept, whose keys belong to the identity. There is no renegotiation.
*/
#include "tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TLS_RECORD ((size_t)16 << 10)
#define TLS_TURN ((size_t)256 << 10) /* bytes that are encrypted for one connection before others have their turn */
#define TLS_REST_MS 1000 /* time after which an idle connection gives its buffers back */
#define TLS_DAY_MS ((int64_t)86400000)

struct listener_identity {
  atomic_size_t users; /* the listener, and connections */
  const svc_listener_tls_port *port;
  listener_pair *pair;
  void *shared; /* the port's */
};

struct listener_tls {
  listener_identity *identity;
  const svc_listener_tls_port *port; /* the identity's */
  void *session;                     /* the port's */
  bool pending; /* the port holds bytes that the last read did not return */
  bool rested; /* its buffers were given back */
  bool more; /* another record follows at once: the kernel may delay this one */
};

/* --------------------------------------------------------------------------------------------------------- identity */

static void tls_identity_free(listener_identity *id)
{
  if (!id || atomic_fetch_sub(&id->users, 1) != 1) return;
  if (id->shared) id->port->close(id->shared);
  svc_listener_pair_free(id->pair);
  free(id);
}

/* Clients refuse an expired certificate: the person who starts the program should learn of it. */
static int tls_check_dates(const svc_listener *l, const listener_identity *id, char *why, size_t size)
{
  const int64_t now = (int64_t)time(NULL) * 1000;
  svc_listener_cert cert;
  svc_listener_pair_describe(id->pair, &cert);
  if (cert.until < now) {
    const time_t until = (time_t)(cert.until / 1000);
    struct tm t;
    memset(&t, 0, sizeof t);
    gmtime_r(&until, &t);
    return svc_listener_why(why, size, SVC_INVALID, "%s: the certificate has expired on %04d-%02d-%02d", l->cert_file, t.tm_year + 1900,
                            t.tm_mon + 1, t.tm_mday);
  }
  if (cert.from > now + TLS_DAY_MS) /* not an error: perhaps the clock of this machine is not set yet */
    svc_listener_log(l, SVC_LOG_WARNING, "certificate.early", "%s: the certificate is not valid yet", l->cert_file);
  return SVC_OK;
}

/* Reads the files, and replaces the identity. */
static int tls_load(svc_listener *l, char *why, size_t size)
{
  listener_identity *id = calloc(1, sizeof *id), *old = id;
  int rc;
  if (!id) return SVC_NOMEM;
  atomic_init(&id->users, 1);
  id->port = l->config.tls;
  rc = svc_listener_pair_read(&id->pair, l->cert_file, l->key_file, why, size);
  if (rc == SVC_OK) rc = tls_check_dates(l, id, why, size);
  if (rc == SVC_OK && !(id->shared = id->port->open(id->pair))) rc = SVC_NOMEM;
  if (rc == SVC_OK) {
    pthread_mutex_lock(&l->identity_lock);
    old = l->identity;
    l->identity = id;
    pthread_mutex_unlock(&l->identity_lock);
  }
  tls_identity_free(old);
  return rc;
}

int svc_listener_tls_open(svc_listener *l, char *why, size_t size)
{
  const svc_listener_config *k = &l->config;
  int rc;
  if (!k->cert_file || !k->key_file)
    return svc_listener_why(why, size, SVC_INVALID, "https needs a certificate and its key (cert_file, key_file)");
  l->cert_file = strdup(k->cert_file);
  l->key_file = strdup(k->key_file);
  if (!l->cert_file || !l->key_file) return SVC_NOMEM;
  rc = svc_listener_crypto(why, size);
  return rc == SVC_OK ? tls_load(l, why, size) : rc;
}

void svc_listener_tls_close(svc_listener *l)
{
  tls_identity_free(l->identity);
  free(l->cert_file);
  free(l->key_file);
}

int svc_listener_reload(svc_listener *l, char *why, size_t why_size)
{
  int rc;
  if (why && why_size) why[0] = '\0';
  if (!l || !l->identity) return svc_listener_why(why, why_size, SVC_INVALID, "no URL is https: there is no certificate to reload");
  rc = tls_load(l, why, why_size);
  if (rc != SVC_OK && why && why_size && !why[0]) svc_listener_why(why, why_size, rc, "%s", svc_strerror(rc));
  return rc;
}

/* ------------------------------------------------------------------------------------------------------- connection */

size_t svc_listener_tls_receive(listener_conn *conn, void *to, size_t n)
{
  size_t left;
  const char *from = svc_listener_raw(conn, &left);
  if (n > left) n = left;
  memcpy(to, from, n);
  conn->raw_at += n;
  return n;
}

ssize_t svc_listener_tls_transmit(listener_conn *conn, const void *from, size_t n)
{
  ssize_t sent;
  do sent = send(conn->fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT | (conn->tls->more ? MSG_MORE : 0));
  while (sent < 0 && errno == EINTR);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EWOULDBLOCK ? LISTENER_TLS_WRITE : LISTENER_TLS_FAILED;
}

bool svc_listener_tls_begin(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_tls *t = calloc(1, sizeof *t);
  if (!t) return false;
  conn->tls = t;
  pthread_mutex_lock(&l->identity_lock);
  t->identity = l->identity;
  atomic_fetch_add(&t->identity->users, 1);
  pthread_mutex_unlock(&l->identity_lock);
  t->port = t->identity->port;
  t->session = t->port->begin(t->identity->shared, conn);
  if (t->session) return true;
  svc_listener_tls_end(conn);
  return false;
}

void svc_listener_tls_end(listener_conn *conn)
{
  listener_tls *t = conn->tls;
  if (!t) return;
  if (t->session) t->port->end(t->session);
  tls_identity_free(t->identity);
  free(t);
  conn->tls = NULL;
}

int svc_listener_tls_shake(listener_conn *conn)
{
  unsigned long error = 0;
  int rc = conn->tls->port->shake(conn->tls->session, &error);
  if (rc == 0) {
    conn->shaken = true;
    conn->tls->pending = conn->tls->port->pending(conn->tls->session); /* a request that came with the end of the handshake */
    return LISTENER_SHAKEN;
  }
  if (rc == LISTENER_TLS_READ) return LISTENER_SHAKE_READ;
  if (rc == LISTENER_TLS_WRITE) return LISTENER_SHAKE_WRITE;
  svc_listener_log(conn->loop->listener, SVC_LOG_INFO, "tls.failed", "%s: the TLS handshake failed: %s 0x%04lx", conn->peer, conn->tls->port->name, error);
  svc_listener_drop(conn);
  return LISTENER_SHAKE_FAILED;
}

bool svc_listener_tls_read(listener_conn *conn)
{
  size_t room, left;
  char *to;
  int n;
  svc_listener_raw(conn, &left);
  if (left == 0 && !conn->tls->pending) return false;
  to = svc_listener_room(conn);
  if (!to) {
    svc_listener_drop(conn);
    return false;
  }
  room = conn->plain_size - conn->plain_length;
  n = conn->tls->port->read(conn->tls->session, to, room);
  conn->tls->pending = n > 0 && conn->tls->port->pending(conn->tls->session);
  conn->tls->rested = false;
  if (n > 0) {
    conn->plain_length += (size_t)n;
    return true;
  }
  if (n == LISTENER_TLS_READ) return false;
  if (n == LISTENER_TLS_END) svc_listener_tls_notify(conn);
  svc_listener_drop(conn); /* the end, an invalid record, or an alert against a renegotiation that does not fit the socket */
  return false;
}

/* The next record of an answer, of which `at` bytes are sent: in place, or assembled in `space`. */
static const char *tls_record(const listener_conn *conn, const char *text, size_t n, size_t at, char *space, size_t *length)
{
  const char *body = conn->response.body + conn->body_at;
  size_t left = conn->body_length - conn->body_at, head;
  if (at >= n) {
    *length = left - (at - n) < TLS_RECORD ? left - (at - n) : TLS_RECORD;
    return body + (at - n);
  }
  head = n - at < TLS_RECORD ? n - at : TLS_RECORD;
  if (left > TLS_RECORD - head) left = TLS_RECORD - head;
  *length = head + left;
  if (left == 0) return text + at;
  memcpy(space, text + at, head);
  memcpy(space + head, body, left);
  return space;
}

size_t svc_listener_tls_send(listener_conn *conn, const char *text, size_t n)
{
  const size_t all = n + conn->body_length - conn->body_at;
  char space[TLS_RECORD];
  size_t done = 0;
  while (done < all && (done < TLS_TURN || conn->bounded)) {
    size_t length;
    const char *record = tls_record(conn, text, n, done, space, &length);
    int sent;
    conn->tls->more = done + length < all && (done + length < TLS_TURN || conn->bounded);
    sent = conn->tls->port->write(conn->tls->session, record, length);
    conn->tls->more = false;
    if (record == space) svc_http_wipe(space, length);
    if (sent == LISTENER_TLS_WRITE) break;
    if (sent <= 0) {
      svc_listener_drop(conn);
      return 0;
    }
    done += (size_t)sent;
  }
  return done;
}

bool svc_listener_tls_say(listener_conn *conn, const char *text, size_t n)
{
  return conn->tls->port->write(conn->tls->session, text, n) == (int)n;
}

void svc_listener_tls_notify(listener_conn *conn)
{
  if (conn->shaken) conn->tls->port->notify(conn->tls->session); /* if it does not fit, the client sees the connection end without it */
}

void svc_listener_tls_rest(listener_conn *conn, uint64_t now)
{
  listener_tls *t = conn->tls;
  if (t->rested || !t->port->rest || !conn->shaken || conn->state != LISTENER_HEAD || conn->started) return;
  if (conn->deadline > now + (uint64_t)conn->loop->listener->config.idle_timeout_ms - TLS_REST_MS) return;
  t->rested = true;
  t->port->rest(t->session);
}
