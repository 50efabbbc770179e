/*
** Places: how many connections there may be, in all and of one address. Without a share for each, one client could hold all
** of them by connecting and doing nothing.
**
** Where there is no place, the connection that is idle for longest gives way: of the same address, if that has all of its share. Many people
** may be behind one address, and clients that forget idle connections must not keep the others there out. Only if none is idle the new
** connection is refused. A loop closes its own connections alone; they are spread evenly, so that it has some of such an address.
**
** The rule it keeps: a connection that is counted is counted twice, in all and for its address, and leaves both at once,
** when it is closed or when it gives way. Addresses are counted in a table of open addressing: a row that is found before
** a free one is the address's own, so taking one out moves those behind it up.
*/
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* Whoever has an IPv6 address has 2^64 of them. */
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
  uint64_t h = 1469598103934665603u ^ (uintptr_t)l; /* where it lies in memory is nobody's to know */
  size_t i;
  for (i = 0; i < 16; i++) h = (h ^ ip[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 32) & (l->place_rows - 1);
}

/* The row of an address, or the free one where it would be. */
static listener_place *places_find(const svc_listener *l, const unsigned char ip[16])
{
  size_t i = places_home(l, ip);
  while (l->places[i].count && memcmp(l->places[i].ip, ip, 16) != 0) i = (i + 1) & (l->place_rows - 1);
  return &l->places[i];
}

/* The row is free now: what was put behind it because it was taken moves up. */
static void places_close_gap(svc_listener *l, size_t gap)
{
  size_t mask = l->place_rows - 1, i;
  for (i = (gap + 1) & mask; l->places[i].count; i = (i + 1) & mask) {
    size_t home = places_home(l, l->places[i].ip);
    if (((i - home) & mask) < ((i - gap) & mask)) continue; /* it is at its home, or between that and the gap */
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
  if (--row->count == 0) places_close_gap(l, (size_t)(row - l->places));
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
