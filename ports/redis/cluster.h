/*
** The nodes of a Redis Cluster: redis+cluster://. A key belongs to one of 16384 slots, and each slot to one node at a time.
**
** The port reads the map of slots to nodes from any node that answers (CLUSTER SLOTS): at first, and when a node cannot be reached, because
** another node may have taken over. A node that no longer has a slot names the node that has it (MOVED), or the node that is importing this
** key (ASK). In both cases the first node has done nothing, so the request is sent to the named one.
**
** The rule: each node has its own breaker. A node that is down affects the keys of its slots, and no others.
*/
#ifndef SVC_REDIS_CLUSTER_H
#define SVC_REDIS_CLUSTER_H

#include "dial.h"

/* Returns the checksum that Redis uses: CRC-16 (XMODEM). */
static unsigned redis_crc(const char *p, size_t n)
{
  unsigned crc = 0, bit;
  size_t i;
  for (i = 0; i < n; i++) {
    crc ^= (unsigned)(unsigned char)p[i] << 8;
    for (bit = 0; bit < 8; bit++) crc = crc & 0x8000u ? (crc << 1 ^ 0x1021u) & 0xFFFFu : crc << 1;
  }
  return crc;
}

/* Returns the slot of a key. If the key has text between { and }, only that text counts. */
static unsigned redis_slot(const char *key, size_t n)
{
  const char *open = memchr(key, '{', n), *close = open ? memchr(open, '}', n - (size_t)(open - key)) : NULL;
  if (close && close > open + 1) return redis_crc(open + 1, (size_t)(close - open - 1)) % REDIS_SLOTS;
  return redis_crc(key, n) % REDIS_SLOTS;
}

/* ------------------------------------------------------------------------------------------------------------- the map */

/* Returns the index of a node. An unknown node is added, and replaces a node without slots if there is one. 0: no room. */
static unsigned redis_node_at(svc_limits *l, const redis_place *place, const unsigned *kept)
{
  unsigned i, unused = 0;
  for (i = 1; i < l->node_count; i++) {
    if (redis_same_place(&l->nodes[i].place, place)) return i;
    if (!l->nodes[i].slots && !(kept && kept[i]) && !l->nodes[i].trying) unused = i;
  }
  if (!unused && l->node_count < REDIS_NODES) unused = l->node_count++;
  if (!unused) return 0;
  memset(&l->nodes[unused], 0, sizeof l->nodes[unused]);
  l->nodes[unused].place = *place;
  return unused;
}

static void redis_give_slot(svc_limits *l, unsigned slot, unsigned node)
{
  l->nodes[l->map[slot]].slots--;
  l->nodes[node].slots++;
  l->map[slot] = (uint8_t)node;
}

/* Reads a range of slots and its master, [first, last, [host, port, ...], ...]; the replicas follow the master.
** Returns false if it is invalid. */
static bool redis_range(const redisReply *r, const redis_place *asked, long long *first, long long *last, redis_place *master)
{
  const redisReply *node = r->type == REDIS_REPLY_ARRAY && r->elements >= 3 ? r->element[2] : NULL;
  if (!node || r->element[0]->type != REDIS_REPLY_INTEGER || r->element[1]->type != REDIS_REPLY_INTEGER) return false;
  *first = r->element[0]->integer;
  *last = r->element[1]->integer;
  if (*first < 0 || *last < *first || *last >= REDIS_SLOTS) return false;
  if (node->type != REDIS_REPLY_ARRAY || node->elements < 2 || node->element[1]->type != REDIS_REPLY_INTEGER) return false;
  if (node->element[0]->type == REDIS_REPLY_NIL) return redis_place_of(master, "", 0, node->element[1]->integer, asked);
  return node->element[0]->type == REDIS_REPLY_STRING &&
         redis_place_of(master, node->element[0]->str, (size_t)node->element[0]->len, node->element[1]->integer, asked);
}

/* Stores a node's answer in the map. Slots that it does not name have no node. */
static bool redis_take_map(svc_limits *l, const redisReply *reply, const redis_place *asked)
{
  unsigned kept[REDIS_NODES] = { 0 }, slot;
  uint8_t map[REDIS_SLOTS] = { 0 };
  bool good = reply->type == REDIS_REPLY_ARRAY;
  size_t i;
  pthread_mutex_lock(&l->lock);
  for (i = 0; i < (good ? reply->elements : 0); i++) {
    redis_place master;
    long long at, last;
    unsigned node;
    good = redis_range(reply->element[i], asked, &at, &last, &master);
    if (!good) break;
    node = redis_node_at(l, &master, kept);
    for (; at <= last; at++) map[at] = (uint8_t)node;
    kept[node] = 1;
  }
  if (good && memcmp(map, l->map, sizeof map) != 0) l->moved = redis_clock();
  for (slot = 0; slot < REDIS_SLOTS && good; slot++) redis_give_slot(l, slot, map[slot]);
  pthread_mutex_unlock(&l->lock);
  return good;
}

static bool redis_ask_map(svc_limits *l, redis_try *t, const redis_place *place, int64_t until)
{
  redis_args a = { 0 };
  redisReply *reply = NULL;
  bool good;
  redis_text(&a, "CLUSTER");
  redis_text(&a, "SLOTS");
  if (redis_dial(l, t, place, until) && redis_auth(t, l->user, l->password, until)) reply = redis_ask_topology(t, &a, until);
  good = reply && redis_take_map(l, reply, place);
  if (reply && !good) redis_fail(t, SVC_LIMITS_ERROR, "gives no answer of a cluster");
  if (reply) freeReplyObject(reply);
  redis_lose(t->conn);
  return good;
}

/* Writes the i-th address to ask for the map: first those of the URI, then nodes with slots. False: no more. */
static bool redis_may_know(svc_limits *l, unsigned i, redis_place *out)
{
  unsigned k;
  bool found = i < l->seed_count;
  if (found) *out = l->seeds[i];
  i -= found ? 0 : l->seed_count;
  pthread_mutex_lock(&l->lock);
  for (k = 1; k < l->node_count && !found; k++)
    if (l->nodes[k].slots && i-- == 0) {
      *out = l->nodes[k].place;
      found = true;
    }
  pthread_mutex_unlock(&l->lock);
  return found;
}

/* Loads the map from the first node that answers. Skips the node that has just failed. */
static bool redis_load_map(svc_limits *l, redis_try *t, const redis_place *down, int64_t until)
{
  redis_place place;
  unsigned i;
  for (i = 0; redis_may_know(l, i, &place); i++) {
    const int64_t now = redis_clock();
    if (down && redis_same_place(down, &place)) continue;
    if (now >= until) break;
    redis_forgive(t);
    if (redis_ask_map(l, t, &place, now + (until - now) / 2)) return true;
  }
  if (!t->why[0]) redis_fail(t, SVC_LIMITS_CONNECTION, "no node of the cluster answers");
  return false;
}

/* ----------------------------------------------------------------------------------------------------------- connecting */

/* Finds the node with the slot of this request. False: no node has it. */
static bool redis_who_has(svc_limits *l, redis_try *t)
{
  unsigned node;
  pthread_mutex_lock(&l->lock);
  node = l->map[t->slot];
  t->place = l->nodes[node].place;
  pthread_mutex_unlock(&l->lock);
  return node != 0;
}

/* Connects to the node of the slot. If that fails or the node is unknown (t->node 0), loads the map and tries the node that it names. */
static bool redis_connect_node(svc_limits *l, redis_try *t)
{
  const int64_t patience = (int64_t)l->connect * 1000;
  redis_place first = t->place;
  char why[sizeof t->why];
  if (t->node && redis_reach(l, t, &t->place, redis_clock() + patience)) return true;
  if (t->refused) return false;
  memcpy(why, t->why, sizeof why);
  if (!redis_load_map(l, t, t->node ? &first : NULL, redis_clock() + patience)) return false;
  redis_forgive(t);
  if (!redis_who_has(l, t)) redis_fail(t, SVC_LIMITS_ERROR, "no node of the cluster has this slot");
  else if (t->node && redis_same_place(&first, &t->place)) redis_fail(t, SVC_LIMITS_CONNECTION, why);
  else return redis_reach(l, t, &t->place, redis_clock() + patience);
  return false;
}

/* ------------------------------------------------------------------------------------------------------------- MOVED, ASK */

/* Whether an answer such as "MOVED 3999 127.0.0.1:6381" redirects the request, to t->place. ASK redirects only this request. */
static bool redis_sends_away(svc_limits *l, redis_try *t, const redisReply *reply, bool *asking)
{
  const char *p, *colon;
  redis_place place;
  unsigned node;
  *asking = redis_is_error(reply, "ASK ");
  if (l->kind != REDIS_CLUSTER || (!*asking && !redis_is_error(reply, "MOVED "))) return false;
  p = strchr(strchr(reply->str, ' ') + 1, ' ');
  colon = p ? strrchr(p, ':') : NULL; /* the last colon: an IPv6 address has others before it */
  if (!colon || !redis_place_of(&place, p + 1, (size_t)(colon - p - 1), atoi(colon + 1), &t->conn->place)) return false;
  t->place = place;
  if (*asking) return true;
  pthread_mutex_lock(&l->lock);
  node = redis_node_at(l, &place, NULL);
  if (node) redis_give_slot(l, t->slot, node);
  pthread_mutex_unlock(&l->lock);
  return true;
}

#endif /* SVC_REDIS_CLUSTER_H */
