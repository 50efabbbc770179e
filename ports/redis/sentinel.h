/*
** The master that sentinels name: redis+sentinel://.
**
** The port asks the sentinels for every new connection, beginning with the one that answered last. So new connections go to the new master
** after a failover; connections to the old master are lost, or answer READONLY and are closed.
**
** The rule: a server is used only if it reports itself to be a master (ROLE), because a sentinel may have outdated information.
*/
#ifndef SVC_REDIS_SENTINEL_H
#define SVC_REDIS_SENTINEL_H

#include "dial.h"

static bool redis_named_master(const svc_limits *l, redis_try *t, const redis_place *seed, int64_t until, redis_place *out)
{
  redis_args a = { 0 };
  redisReply *reply;
  bool good = false;
  redis_text(&a, "SENTINEL");
  redis_text(&a, "get-master-addr-by-name");
  redis_text(&a, l->master);
  reply = redis_ask_topology(t, &a, until);
  if (!reply) return false;
  if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 && reply->element[0]->type == REDIS_REPLY_STRING &&
      reply->element[1]->type == REDIS_REPLY_STRING)
    good = redis_place_of(out, reply->element[0]->str, reply->element[0]->len, atoi(reply->element[1]->str), seed);
  t->refused = reply->type == REDIS_REPLY_NIL; /* the sentinel does not know the name */
  if (!good) redis_fail(t, SVC_LIMITS_ERROR, reply->type == REDIS_REPLY_NIL ? "the sentinels know no master of this name" : "is no sentinel");
  freeReplyObject(reply);
  return good;
}

static bool redis_ask_sentinel(const svc_limits *l, redis_try *t, const redis_place *seed, int64_t until, redis_place *out)
{
  bool good = redis_dial(l, t, seed, until) && redis_auth(t, l->sentinel_user, l->sentinel_password, until) &&
              redis_named_master(l, t, seed, until, out);
  redis_lose(t->conn);
  return good;
}

/* Asks the sentinels one after the other. Each gets an equal share of the remaining time. t->refused: all of them have refused, or do not
** know the name. A sentinel that gives no answer may know it later. */
static bool redis_find_master(svc_limits *l, redis_try *t, int64_t until, redis_place *out)
{
  bool refused = true;
  unsigned i, first;
  pthread_mutex_lock(&l->lock);
  first = l->good_seed;
  pthread_mutex_unlock(&l->lock);
  for (i = 0; i < l->seed_count; i++) {
    const unsigned at = (first + i) % l->seed_count;
    const int64_t now = redis_clock();
    redis_forgive(t);
    if (!redis_ask_sentinel(l, t, &l->seeds[at], now + (until - now) / (int64_t)(l->seed_count - i), out)) {
      refused = refused && t->refused;
      continue;
    }
    pthread_mutex_lock(&l->lock);
    l->good_seed = at;
    pthread_mutex_unlock(&l->lock);
    return true;
  }
  t->refused = refused;
  return false;
}

static bool redis_is_master(redis_try *t, int64_t until)
{
  redis_args a = { 0 };
  redisReply *reply;
  bool good;
  redis_text(&a, "ROLE");
  reply = redis_ask_topology(t, &a, until);
  if (!reply) return false;
  good = reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 && reply->element[0]->type == REDIS_REPLY_STRING &&
         strcmp(reply->element[0]->str, "master") == 0;
  if (!good) redis_fail(t, SVC_LIMITS_ERROR, "is named by the sentinels, and is no master (yet)");
  freeReplyObject(reply);
  return good;
}

/* Stores the address of the master. Connections to another address are replaced when a request gets them. */
static void redis_note_master(svc_limits *l, redis_try *t, const redis_place *master)
{
  pthread_mutex_lock(&l->lock);
  if (!redis_same_place(&l->nodes[0].place, master)) l->moved = redis_clock();
  l->nodes[0].place = t->place = *master;
  pthread_mutex_unlock(&l->lock);
}

static bool redis_connect_master(svc_limits *l, redis_try *t)
{
  const int64_t patience = (int64_t)l->connect * 1000;
  redis_place master;
  int64_t until;
  if (!redis_find_master(l, t, redis_clock() + patience, &master)) return false;
  redis_forgive(t);
  redis_note_master(l, t, &master);
  until = redis_clock() + patience;
  if (redis_reach(l, t, &master, until) && redis_is_master(t, until)) return true;
  redis_lose(t->conn);
  return false;
}

#endif /* SVC_REDIS_SENTINEL_H */
