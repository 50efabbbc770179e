/*
** Places: limits of the number of connections, in total and per address. Without a share per address, one client could take all
** of them by connecting and doing nothing.
**
** If there is no place, the connection that is idle for longest is closed: one of the same address, if that has used up its share. Many
** people may be behind one address, and clients that forget idle connections must not lock the others out. The new connection is refused
** only if none is idle. A loop closes only its own connections. Connections are spread evenly, so each loop has
** some connections of such an address.
**
** Answers that a client has not taken yet are counted for its address, too, and no address may hold more than its share of
** max_answer_memory: otherwise a client that requests long answers and reads none would leave no memory for the answers of others.
**
** The rule: a connection is counted twice, in total and for its address, and leaves both counts at once,
** when it is closed or gives way. Addresses are counted in a table with open addressing: the search for an address begins at its home, the
** row that its hash names, and ends at the first free row. So removing a row moves up those behind it that the search would miss.
*/
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_SHARE 4 /* an address can hold this part of max_answer_memory: one in four */

/* Writes the key by which a connection is counted: its address; of IPv6 the first 64 bits, because an owner of one address has 2^64. */
static void places_key(listener_conn *conn)
{
  listener_address a;
  memset(conn->place, 0, sizeof conn->place);
  if (!svc_listener_address_parse(&a, conn->peer)) return;
  memcpy(conn->place, a.ip, a.six ? 8 : 4);
  conn->place[15] = a.six;
}

static size_t places_home(const svc_listener *l, const unsigned char ip[16])
{
  uint64_t h = 1469598103934665603u ^ (uintptr_t)l; /* the address in memory is unknown to clients */
  size_t i;
  for (i = 0; i < 16; i++) h = (h ^ ip[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 32) & (l->place_rows - 1);
}

/* The row of an address, or the free row for it. */
static listener_place *places_find(const svc_listener *l, const unsigned char ip[16])
{
  size_t i = places_home(l, ip);
  while (l->places[i].count && memcmp(l->places[i].ip, ip, 16) != 0) i = (i + 1) & (l->place_rows - 1);
  return &l->places[i];
}

/* The row `gap` is free now: following rows move up if that brings them nearer to their homes. */
static void places_close_gap(svc_listener *l, size_t gap)
{
  size_t mask = l->place_rows - 1, i;
  for (i = (gap + 1) & mask; l->places[i].count; i = (i + 1) & mask) {
    size_t home = places_home(l, l->places[i].ip);
    if (((i - home) & mask) < ((i - gap) & mask)) continue; /* its home is behind the gap */
    l->places[gap] = l->places[i];
    l->places[i].count = 0;
    gap = i;
  }
}

static int places_try(svc_listener *l, listener_conn *conn)
{
  listener_place *row;
  int error = 0;
  pthread_mutex_lock(&l->places_lock);
  row = places_find(l, conn->place);
  if (!conn->proxied && row->count >= l->config.max_per_address) error = LISTENER_E_ADDRESS;
  else if (l->connections >= l->config.max_connections) error = LISTENER_E_CONNECTIONS;
  if (!error) {
    memcpy(row->ip, conn->place, 16);
    row->count++;
    l->connections++;
    conn->placed = true;
  }
  pthread_mutex_unlock(&l->places_lock);
  return error;
}

int svc_listener_place_take(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_conn *idle;
  int error;
  places_key(conn);
  error = places_try(l, conn);
  if (!error) return 0;
  idle = svc_listener_oldest(conn->loop, LISTENER_HEAD, error == LISTENER_E_ADDRESS ? conn->place : NULL, 0);
  if (!idle) return error;
  svc_listener_place_leave(idle);
  svc_listener_drop(idle);
  return places_try(l, conn);
}

void svc_listener_place_leave(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_place *row;
  if (!conn->placed) return;
  conn->placed = false;
  pthread_mutex_lock(&l->places_lock);
  l->connections--;
  row = places_find(l, conn->place);
  row->held -= conn->held;
  if (--row->count == 0) places_close_gap(l, (size_t)(row - l->places));
  pthread_mutex_unlock(&l->places_lock);
}

/* An answer that is larger than the share is allowed, if it is the only one. Behind a proxy are many clients, as for connections. */
bool svc_listener_place_hold(listener_conn *conn, size_t n)
{
  svc_listener *l = conn->loop->listener;
  listener_place *row;
  bool room;
  if (!conn->placed) return true;
  pthread_mutex_lock(&l->places_lock);
  row = places_find(l, conn->place);
  room = conn->proxied || row->held == 0 || row->held + n <= l->config.max_answer_memory / PLACES_SHARE;
  if (room) row->held += n;
  pthread_mutex_unlock(&l->places_lock);
  return room;
}

void svc_listener_place_let_go(listener_conn *conn, size_t n)
{
  svc_listener *l = conn->loop->listener;
  if (!conn->placed) return;
  pthread_mutex_lock(&l->places_lock);
  places_find(l, conn->place)->held -= n;
  pthread_mutex_unlock(&l->places_lock);
}

bool svc_listener_places_open(svc_listener *l)
{
  for (l->place_rows = 16; l->place_rows < 2 * l->config.max_connections;) l->place_rows *= 2;
  l->places = calloc(l->place_rows, sizeof *l->places);
  return l->places != NULL;
}

void svc_listener_places_close(svc_listener *l)
{
  free(l->places);
}
