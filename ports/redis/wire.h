/*
** Communication with a server: commands, answers, and their timeouts.
**
** Sending and waiting are done here and not by hiredis: its timeout is per call, and writing to a closed connection would end the process
** by SIGPIPE. After a timeout the connection stays open. Redis answers in order, so the late answer is read and
** dropped before the next one (redis_conn.owed).
**
** The rule: a command is sent again only if the answer says that it was not executed (NOSCRIPT, MOVED, ASK). Without an answer the server
** may have executed it. A connection with an unexpected answer, or one of another shape, is closed.
*/
#ifndef SVC_REDIS_WIRE_H
#define SVC_REDIS_WIRE_H

#include "script.h"
#include "tls.h"

static void redis_lose(redis_conn *k)
{
  redis_tls_end(k);
  if (k->context) redisFree(k->context);
  k->context = NULL;
  k->owed = 0;
}

#if HIREDIS_MAJOR >= 1
typedef size_t redis_elements;
#else
typedef int redis_elements;
#endif

/* Bounds arrays: hiredis would allocate an array of any announced length before its elements arrive. hiredis
** treats NULL as out of memory. */
static void *redis_array(const redisReadTask *task, redis_elements n)
{
  const redis_conn *k = task->privdata;
  return n >= 0 && (size_t)n <= k->elements ? k->usual->createArray(task, n) : NULL;
}

static void redis_bound(redis_conn *k)
{
  redisReader *reader = k->context->reader;
  k->elements = REDIS_ELEMENTS;
  k->bytes = REDIS_ANSWER;
  k->usual = reader->fn;
  k->bounded = *reader->fn;
  k->bounded.createArray = redis_array;
  reader->fn = &k->bounded;
  reader->privdata = k;
}

/* Waits for an event until a time. Checks again after the timeout, because the thread may have been suspended while the answer arrived. */
static bool redis_wait(redis_try *t, short what, int64_t until)
{
  struct pollfd p = { .fd = t->conn->context->fd, .events = what };
  int64_t left;
  int n;
  do {
    left = until - redis_clock();
    n = poll(&p, 1, left > 0 ? (int)((left + 999) / 1000) : 0);
    if (n < 0 && errno == EINTR) n = 0;
  } while (n == 0 && left > 0);
  t->late = n == 0;
  if (n < 0) redis_fail(t, SVC_LIMITS_CONNECTION, strerror(errno));
  else if (n == 0) redis_fail(t, SVC_LIMITS_TIMEOUT, "does not answer in time");
  return n > 0;
}

static ssize_t redis_out(redis_conn *k, const char *p, size_t n)
{
  k->wants = POLLOUT;
  return k->tls ? redis_tls_write(k, p, n) : send(k->context->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t redis_in(redis_conn *k, char *p, size_t n)
{
  k->wants = POLLIN;
  return k->tls ? redis_tls_read(k, p, n) : recv(k->context->fd, p, n, MSG_DONTWAIT);
}

static bool redis_send(redis_try *t, const char *p, size_t n, int64_t until)
{
  redis_conn *k = t->conn;
  while (n) {
    ssize_t sent = redis_out(k, p, n);
    if (sent > 0) {
      p += sent;
      n -= (size_t)sent;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!redis_wait(t, k->wants, until)) return false;
    } else if (sent == 0 || errno != EINTR) {
      redis_fail(t, SVC_LIMITS_CONNECTION, sent ? strerror(errno) : "has closed the connection");
      return false;
    }
  }
  k->wants = POLLIN;
  t->sent = true;
  return true;
}

/* Reads the next answer, to any request. NULL: none, with the failure in t. */
static redisReply *redis_receive_one(redis_try *t, int64_t until)
{
  redis_conn *k = t->conn;
  redisReader *reader = k->context->reader;
  char bytes[1024];
  void *reply = NULL;
  size_t all = 0;
  while (all <= k->bytes && redisReaderGetReply(reader, &reply) == REDIS_OK) {
    ssize_t n;
    if (reply) return reply;
    if (!redis_tls_pending(k) && !redis_wait(t, k->wants, until)) return NULL;
    n = redis_in(k, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
    if (n <= 0) {
      redis_fail(t, SVC_LIMITS_CONNECTION, n < 0 ? strerror(errno) : "has closed the connection");
      return NULL;
    }
    all += (size_t)n;
    if (redisReaderFeed(reader, bytes, (size_t)n) != REDIS_OK) break;
  }
  redis_fail(t, SVC_LIMITS_ERROR, "gives no answer of Redis");
  return NULL;
}

/* Reads the answer to the last command, after dropping the late ones. Bytes after that answer are an error. */
static redisReply *redis_receive(redis_try *t, int64_t until)
{
  redis_conn *k = t->conn;
  redisReply *reply = redis_receive_one(t, until);
  for (; reply && k->owed; k->owed--) {
    freeReplyObject(reply);
    reply = redis_receive_one(t, until);
  }
  if (!reply || k->context->reader->pos == k->context->reader->len) return reply;
  freeReplyObject(reply);
  redis_fail(t, SVC_LIMITS_ERROR, "gives more answers than were asked for");
  return NULL;
}

/* Sends a command and returns its answer, which may be an error of the server. NULL: no answer. After a timeout the connection stays open
** for the late answer, if the command was sent completely and fewer than REDIS_OWED answers are late. Otherwise a failure closes it. */
static redisReply *redis_exchange(redis_try *t, redis_args *a, int64_t until)
{
  redisReply *reply = NULL;
  char *command = NULL;
  long long n = redisFormatCommandArgv(&command, a->n, a->values, a->lengths);
  t->sent = t->late = false;
  if (n < 0) redis_fail(t, SVC_LIMITS_ERROR, "no memory");
  else if (redis_send(t, command, (size_t)n, until)) reply = redis_receive(t, until);
  if (n >= 0) {
    explicit_bzero(command, (size_t)n); /* may contain the password */
    redisFreeCommand(command);
  }
  if (!reply && t->late && t->sent && t->conn->owed < REDIS_OWED) t->conn->owed++;
  else if (!reply) redis_lose(t->conn);
  return reply;
}

static bool redis_is_error(const redisReply *reply, const char *word)
{
  return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, word, strlen(word)) == 0;
}

#endif /* SVC_REDIS_WIRE_H */
