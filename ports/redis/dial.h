/*
** Makes a connection: the socket, TLS, and the first commands (AUTH, SELECT of the database, SCRIPT LOAD).
**
** The rule: all these steps share a deadline, and a failure leaves no connection.
*/
#ifndef SVC_REDIS_DIAL_H
#define SVC_REDIS_DIAL_H

#include "wire.h"

/* Sends a command that prepares the next ones (the first commands of a connection, or ASKING), and checks its answer. Stores the script's
** hash if `sha` is not NULL. */
static bool redis_begin(redis_try *t, redis_args *a, int64_t until, char sha[REDIS_SHA + 1])
{
  redisReply *reply = redis_exchange(t, a, until);
  bool good = reply && reply->type != REDIS_REPLY_ERROR;
  if (good && sha && (reply->type != REDIS_REPLY_STRING || reply->len != REDIS_SHA)) good = false;
  if (good && sha) memcpy(sha, reply->str, REDIS_SHA + 1);
  if (reply && !good) {
    redis_fail(t, SVC_LIMITS_ERROR, reply->type == REDIS_REPLY_ERROR ? reply->str : "gives no answer of Redis");
    /* These errors last until a setting is changed. Temporary errors (LOADING, BUSY, MASTERDOWN) begin with other words. */
    t->refused = strncmp(t->why, "ERR", 3) == 0 || strncmp(t->why, "NOAUTH", 6) == 0 || strncmp(t->why, "NOPERM", 6) == 0 ||
                 strncmp(t->why, "WRONGPASS", 9) == 0;
  }
  if (reply) freeReplyObject(reply);
  return good;
}

/* Sends AUTH, if there is a password. Of an error only the first word is kept, because the rest may contain the password. */
static bool redis_auth(redis_try *t, const char *user, const char *password, int64_t until)
{
  redis_args auth = { 0 };
  bool good = true;
  redis_text(&auth, "AUTH");
  if (user[0]) redis_text(&auth, user);
  redis_text(&auth, password);
  if (password[0]) good = redis_begin(t, &auth, until, NULL);
  if (!good && t->conn->context) t->why[strcspn(t->why, " ")] = '\0'; /* a server that does not know AUTH repeats its arguments */
  return good;
}

/* Sends AUTH and SELECT as configured, and loads the scripts. */
static bool redis_greet(const svc_limits *l, redis_try *t, int64_t until)
{
  redis_args select = { 0 };
  bool good;
  int i;
  redis_text(&select, "SELECT");
  redis_integer(&select, l->database);
  good = redis_auth(t, l->user, l->password, until);
  if (good && l->database) good = redis_begin(t, &select, until, NULL);
  for (i = 0; i < REDIS_SCRIPTS && good; i++) {
    redis_args load = { 0 };
    redis_text(&load, "SCRIPT");
    redis_text(&load, "LOAD");
    redis_text(&load, redis_scripts[i]);
    good = redis_begin(t, &load, until, t->conn->sha[i]);
  }
  return good;
}

/* Does the TLS handshake. An invalid certificate sets t->refused, like a wrong password: a retry does not help. */
static bool redis_shake(const svc_limits *l, redis_try *t, const char *host, int64_t until)
{
  redis_conn *k = t->conn;
  char why[128];
  int step = 1;
  if (!redis_tls_begin(l, k, host)) {
    redis_fail(t, SVC_LIMITS_CONNECTION, "no memory");
    return false;
  }
  while ((step = redis_tls_shake(k)) < 0 && errno == EAGAIN)
    if (!redis_wait(t, k->wants, until)) return false;
  if (step > 0) return true;
  t->refused = redis_tls_why(k, why, sizeof why);
  redis_fail(t, SVC_LIMITS_CONNECTION, why);
  return false;
}

/* Connects, with TLS if configured, and sends no command. Returns false with the failure in t. */
static bool redis_dial(const svc_limits *l, redis_try *t, const redis_place *place, int64_t until)
{
  int64_t left = until - redis_clock();
  struct timeval patience = { left > 0 ? (time_t)(left / 1000000) : 0, left > 0 ? (suseconds_t)(left % 1000000) : 1 };
  redisContext *c = place->port ? redisConnectWithTimeout(place->host, place->port, patience) : redisConnectUnixWithTimeout(place->host, patience);
  redis_conn *k = t->conn;
  k->context = c;
  k->owed = 0;
  k->wants = POLLIN;
  k->place = *place;
  if (!c || c->err) {
    t->late = c && c->err == REDIS_ERR_IO && errno == ETIMEDOUT;
    redis_fail(t, t->late ? SVC_LIMITS_TIMEOUT : SVC_LIMITS_CONNECTION, c ? c->errstr : "no memory");
  } else if (fcntl(c->fd, F_SETFD, FD_CLOEXEC) != 0) {
    redis_fail(t, SVC_LIMITS_CONNECTION, strerror(errno));
  } else {
    redis_bound(k);
    if (!l->secure || redis_shake(l, t, place->host, until)) return true;
  }
  redis_lose(k);
  return false;
}

/* Connects, signs in, and loads the scripts, so that the connection is ready for requests. */
static bool redis_reach(const svc_limits *l, redis_try *t, const redis_place *place, int64_t until)
{
  if (redis_dial(l, t, place, until) && redis_greet(l, t, until)) return true;
  redis_lose(t->conn);
  return false;
}

/* Sends a query about masters and nodes, whose answer may be longer than others. NULL: no answer, or an error; t has the reason. */
static redisReply *redis_ask_topology(redis_try *t, redis_args *a, int64_t until)
{
  redis_conn *k = t->conn;
  redisReply *reply;
  k->elements = REDIS_TOPOLOGY_ELEMENTS;
  k->bytes = REDIS_TOPOLOGY_ANSWER;
  reply = redis_exchange(t, a, until);
  k->elements = REDIS_ELEMENTS;
  k->bytes = REDIS_ANSWER;
  if (!reply || reply->type != REDIS_REPLY_ERROR) return reply;
  redis_fail(t, SVC_LIMITS_ERROR, reply->str);
  t->refused = strncmp(t->why, "ERR", 3) == 0 || strncmp(t->why, "NOAUTH", 6) == 0 || strncmp(t->why, "NOPERM", 6) == 0;
  freeReplyObject(reply);
  return NULL;
}

/* Copies a host and a port as a server names them. An empty host means the server that was asked. Returns false if they are invalid. */
static bool redis_place_of(redis_place *out, const char *host, size_t n, long long port, const redis_place *asked)
{
  if (n == 0) {
    host = asked->host;
    n = strlen(host);
  }
  if (n >= sizeof out->host || memchr(host, '\0', n) || port < 1 || port > 65535) return false;
  memcpy(out->host, host, n);
  out->host[n] = '\0';
  out->port = (int)port;
  return true;
}

#endif /* SVC_REDIS_DIAL_H */
