/*
** Taking and returning connections, and the breaker of each node.
**
** A request has `timeout` milliseconds, and later requests must not spend that time on a node that does not answer. The breaker of a node
** opens when a connection fails, when the first connection of the handle times out, when an answer is an error, and when the node is
** silent: no request was answered in time for REDIS_SILENCE times the timeout, and there were at least REDIS_MISSES late answers. (A
** connection that times out later counts as a late answer.) A single late answer, or many in one busy moment, only affect the requests
** that waited for them. While the breaker is open, the node is not contacted for a pause that doubles with each further failure, up to
** REDIS_LONGEST_PAUSE or REDIS_LONGEST_TURN. Then a single request tries, and the others do not wait for it. If the node fails soon after
** it has recovered, the pause continues to grow. The log has a line when the breaker opens and one when it closes.
**
** The rule: connections are made when they are needed, and kept. A connection that the server has closed while it was idle is detected
** before anything is sent.
*/
#ifndef SVC_REDIS_BREAKER_H
#define SVC_REDIS_BREAKER_H

#include "cluster.h"
#include "sentinel.h"

static bool redis_connect(svc_limits *l, redis_try *t)
{
  bool good;
  if (l->kind == REDIS_SENTINEL) good = redis_connect_master(l, t);
  else if (l->kind == REDIS_CLUSTER) good = redis_connect_node(l, t);
  else good = redis_reach(l, t, &t->place, redis_clock() + (int64_t)l->connect * 1000);
  pthread_mutex_lock(&l->lock);
  l->connects += good;
  pthread_mutex_unlock(&l->lock);
  return good;
}

/* Whether an idle connection is usable. Without a pending answer there must be nothing to read: neither the end of the connection, nor an
** unexpected answer. Messages of TLS itself do not count. */
static bool redis_alive(redis_conn *k)
{
  char byte;
  ssize_t n = k->tls && !k->owed ? redis_in(k, &byte, 1) : recv(k->context->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  k->wants = POLLIN;
  return n > 0 ? k->owed > 0 : n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Makes the connection of a request lead to t->place: reconnects if it leads elsewhere, or is not alive. */
static bool redis_ready(svc_limits *l, redis_try *t)
{
  redis_conn *k = t->conn;
  if (k->context && (!redis_same_place(&k->place, &t->place) || !redis_alive(k))) redis_lose(k);
  return k->context || redis_connect(l, t);
}

/* Returns the best free connection: one to this place, with the fewest pending answers; else an unused one, else
** one to another place. NULL: all are in use. The lock is held. */
static redis_conn *redis_best(svc_limits *l, const redis_place *place)
{
  redis_conn *found = NULL;
  unsigned best = 0;
  int i;
  for (i = 0; i < l->conn_most; i++) {
    redis_conn *k = &l->conns[i];
    unsigned rank;
    if (k->busy) continue; /* its thread may be changing all other members, without the lock */
    rank = !k->context ? 2 : redis_same_place(&k->place, place) ? 3 + REDIS_OWED - k->owed : 1;
    if (rank <= best) continue;
    best = rank;
    found = k;
  }
  return found;
}

/* Waits for a free connection, for `timeout` at most. The lock is held. */
static redis_conn *redis_idle(svc_limits *l, const redis_place *place)
{
  redis_conn *found = NULL;
  int64_t end = redis_clock() + (int64_t)l->timeout * 1000;
  struct timespec until = { (time_t)(end / 1000000), (long)(end % 1000000 * 1000) };
  int rc = 0;
  while (rc == 0 && (found = redis_best(l, place)) == NULL) rc = pthread_cond_timedwait(&l->free, &l->lock, &until);
  return found;
}

/* Takes a connection for a request. Returns false if the breaker is open, or if no connection became free in time. */
static bool redis_enter(svc_limits *l, redis_try *t)
{
  redis_node *node;
  pthread_mutex_lock(&l->lock);
  t->node = l->kind == REDIS_CLUSTER ? l->map[t->slot] : 0;
  node = &l->nodes[t->node];
  t->place = t->node_place = node->place;
  t->mine = node->broken && !node->trying && redis_clock() >= node->until;
  if (t->mine) node->trying = true;
  if (!node->broken || t->mine) t->conn = redis_idle(l, &t->place);
  if (t->conn) t->conn->busy = true;
  else if (t->mine) node->trying = false;
  if (!t->conn) l->unanswered[node->broken && !t->mine ? SVC_LIMITS_PAUSED : SVC_LIMITS_BUSY]++;
  t->asked = redis_clock();
  pthread_mutex_unlock(&l->lock);
  return t->conn != NULL;
}

/* Exchanges the connection for one to t->place. Returns false if there is no connection to it. */
static bool redis_turn(svc_limits *l, redis_try *t)
{
  redis_conn *next;
  pthread_mutex_lock(&l->lock);
  t->conn->busy = false;
  next = redis_idle(l, &t->place); /* at least the same one */
  if (next) t->conn = next;
  t->conn->busy = true;
  pthread_mutex_unlock(&l->lock);
  return redis_ready(l, t);
}

/* Counts a late answer. Returns true if the node is silent, so that the breaker must open. */
static bool redis_is_silent(const svc_limits *l, redis_node *node, const redis_try *t, int64_t now)
{
  if (!node->missed++) node->missing = t->asked;
  return node->missed >= REDIS_MISSES && now - node->missing >= (int64_t)REDIS_SILENCE * l->timeout * 1000;
}

/* Handles a failure: opens the breaker and sets the pause before the next request, unless a concurrent failure has done so already.
** Returns true if this failure opens the breaker. */
static bool redis_break(svc_limits *l, redis_node *node, const redis_try *t, int64_t now)
{
  const int64_t longest = (l->kind == REDIS_ONE ? REDIS_LONGEST_PAUSE : REDIS_LONGEST_TURN) * 1000;
  bool breaks = !node->broken;
  if (node->broken && !t->mine) return false;
  if (breaks && t->late && l->connects && !redis_is_silent(l, node, t, now)) return false;
  if (!node->pause || (breaks && now - node->mended > REDIS_STEADY * node->pause)) node->pause = REDIS_FIRST_PAUSE * 1000;
  else node->pause = node->pause > longest / 2 ? longest : node->pause * 2;
  node->until = now + node->pause;
  node->broken = true;
  return breaks;
}

static void redis_say(const svc_limits *l, const redis_place *place, const char *why)
{
  char text[640], port[16] = "";
  if (!l->log && !l->log_event) return;
  if (place->port) snprintf(port, sizeof port, ":%d", place->port);
  snprintf(text, sizeof text, "limiter: Redis at %s%s %s%s%s", place->host, port, why[0] ? "cannot be asked: " : "answers again", why,
           !why[0] ? "" : l->closed ? "; requests are refused until it answers" : "; until it answers each instance limits by itself");
  if (l->log_event) l->log_event(l->log_context, SVC_LOG_WARNING, why[0] ? "limiter.down" : "limiter.up", text);
  else l->log(l->log_context, SVC_LOG_WARNING, text);
}

/* Reports the result of a request to the breaker of its node. Returns true if the breaker opens or closes. The node of a cluster may have
** lost its last slot, and its index, to another server meanwhile: the result says nothing about that one. The lock is held. */
static bool redis_report(svc_limits *l, redis_node *node, const redis_try *t, int64_t now)
{
  if (t->node && !redis_same_place(&node->place, &t->node_place)) return false;
  if (t->mine) node->trying = false;
  if (t->why[0]) return redis_break(l, node, t, now);
  node->missed = 0;
  if (!t->mine) return false;
  node->broken = false;
  node->mended = now;
  return true;
}

/* Returns the connection of a request, and reports its result to the breaker. */
static void redis_leave(svc_limits *l, redis_try *t)
{
  redis_node *node = &l->nodes[t->node];
  bool says;
  int64_t now = redis_clock();
  redis_place place;
  pthread_mutex_lock(&l->lock);
  place = node->place;
  t->conn->busy = false;
  if (t->why[0]) l->unanswered[t->reason]++;
  says = redis_report(l, node, t, now);
  pthread_mutex_unlock(&l->lock);
  pthread_cond_signal(&l->free);
  if (says) redis_say(l, &place, t->why);
}

#endif /* SVC_REDIS_BREAKER_H */
