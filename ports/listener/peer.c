/*
** The peer of a request: the address of the socket, or, behind trusted proxies, an address from X-Forwarded-For.
**
** The rule: only a trusted proxy's statement counts. Text that is not an address ends the walk, and the last address read before is the
** peer.
*/
#include "parts.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static bool peer_parse(listener_address *a, const char *p, size_t n)
{
  static const unsigned char mapped[12] = { [10] = 0xFF, [11] = 0xFF };
  char text[INET6_ADDRSTRLEN];
  memset(a, 0, sizeof *a);
  if (n == 0 || n >= sizeof text) return false;
  memcpy(text, p, n);
  text[n] = '\0';
  a->bits = 32;
  if (inet_pton(AF_INET, text, a->ip) == 1) return true;
  a->bits = 128;
  a->six = true;
  if (inet_pton(AF_INET6, text, a->ip) != 1) return false;
  if (memcmp(a->ip, mapped, sizeof mapped) != 0) return true;
  memmove(a->ip, a->ip + 12, 4);
  a->six = false;
  a->bits = 32;
  return true;
}

/* An element of X-Forwarded-For: an address, with an optional port; IPv6 is then in brackets. */
static bool peer_forwarded_parse(listener_address *a, const char *p, size_t n)
{
  const char *end = memchr(p, p[0] == '[' ? ']' : ':', n);
  if (n && p[0] == '[') return end && peer_parse(a, p + 1, (size_t)(end - p) - 1);
  if (end && !memchr(end + 1, ':', n - (size_t)(end - p) - 1)) n = (size_t)(end - p);
  return peer_parse(a, p, n);
}

bool svc_listener_network_parse(listener_address *a, const char *text)
{
  const char *slash = strchr(text, '/');
  char *end;
  unsigned long bits;
  if (!peer_parse(a, text, slash ? (size_t)(slash - text) : strlen(text))) return false;
  if (!slash) return true;
  if (slash[1] < '0' || slash[1] > '9') return false;
  bits = strtoul(slash + 1, &end, 10);
  if (*end || bits > a->bits) return false;
  a->bits = (unsigned)bits;
  return true;
}

static bool peer_trusted(const svc_listener *l, const listener_address *a)
{
  size_t i;
  for (i = 0; i < l->config.trusted_proxy_count; i++) {
    const listener_address *net = &l->proxies[i];
    unsigned whole = net->bits / 8, rest = net->bits % 8;
    if (net->six != a->six || memcmp(net->ip, a->ip, whole) != 0) continue;
    if (rest == 0 || ((net->ip[whole] ^ a->ip[whole]) >> (8 - rest)) == 0) return true;
  }
  return false;
}

bool svc_listener_address_parse(listener_address *a, const char *text)
{
  return peer_parse(a, text, strlen(text));
}

bool svc_listener_is_proxy(const svc_listener *l, const char *address)
{
  listener_address a;
  return svc_listener_address_parse(&a, address) && peer_trusted(l, &a);
}

/* Walks one header from the right. Returns true if all addresses in it are trusted, so that those further left count. */
static bool peer_walk(const svc_listener *l, const svc_header *header, char peer[INET6_ADDRSTRLEN])
{
  const char *p = header->value, *end = p + header->value_length;
  while (end > p) {
    const char *from = end, *element, *rest;
    listener_address a;
    size_t n;
    while (from > p && from[-1] != ',') from--;
    rest = from;
    if (!svc_http_element(&rest, end, &element, &n)) n = 0, element = from; /* an empty element */
    if (!n || !peer_forwarded_parse(&a, element, n)) return false;
    if (!inet_ntop(a.six ? AF_INET6 : AF_INET, a.ip, peer, INET6_ADDRSTRLEN)) return false;
    if (!peer_trusted(l, &a)) return false;
    end = from > p ? from - 1 : p;
  }
  return true;
}

/*
** Walks X-Forwarded-For from the right while the current address is a trusted proxy's. Addresses further left were written by unknown
** senders and are ignored.
*/
void svc_listener_peer(const listener_conn *conn, const svc_http_head *h, char peer[INET6_ADDRSTRLEN])
{
  size_t i = h->header_count;
  memcpy(peer, conn->peer, INET6_ADDRSTRLEN);
  if (!conn->proxied) return;
  while (i-- > 0) {
    const svc_header *header = &h->headers[i];
    if (!svc_http_is(header->name, header->name_length, "x-forwarded-for")) continue;
    if (!peer_walk(conn->loop->listener, header, peer)) return;
  }
}
