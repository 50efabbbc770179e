/*
** Access to test control from other machines than loopback: svc_config.control_anywhere.
**
** The rule: the token alone decides, and no web page can ever send it. A browser adds Origin to a page's
** request, so a request with Origin is refused. A page that rebinds its own DNS name to this machine needs no Origin, but its name
** is in Host. Therefore Host must be a name that no stranger can own: a loopback name, an IP address, the host of base_url, or
** a name of svc_config.control_hosts. Without that list a name without a dot is accepted, because public DNS has none.
*/
#include "control/control.h"

#define DOOR_LABEL "^[A-Za-z0-9_-]{1,63}$"
#define DOOR_NAME "^[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*$"

/* Separates host and port: "name:8080", "10.0.0.1", "[::1]:8080". The brackets are removed. Returns false if the port is not a number. */
static bool door_cut(svc_str host, svc_str *name, bool *six)
{
  svc_str port = host;
  *six = host.n && host.p[0] == '[';
  if (*six) {
    port = (svc_str){ host.p + 1, host.n - 1 };
    if (!memchr(port.p, ']', port.n)) return false;
    *name = svc_str_cut(&port, ']');
    if (port.n && port.p[0] != ':') return false;
    if (port.n) port = (svc_str){ port.p + 1, port.n - 1 };
  } else {
    *name = svc_str_cut(&port, ':');
  }
  return port.n == 0 || svc_pattern_match("^[0-9]{1,5}$", port);
}

static bool door_is_address(svc_str name, bool six)
{
  svc_address address;
  return svc_address_parse(name, &address) && address.bits == 128 && six == (memchr(name.p, ':', name.n) != NULL) &&
         !memchr(name.p, '/', name.n);
}

static char door_lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool door_same(svc_str a, svc_str b)
{
  size_t i;
  for (i = 0; a.n == b.n && i < a.n; i++)
    if (door_lower(a.p[i]) != door_lower(b.p[i])) return false;
  return a.n == b.n;
}

/* Whether the name is the host of base_url. */
static bool door_is_own(const svc *s, svc_str name)
{
  svc_str rest = s->base_url, own;
  bool six;
  (void)svc_str_cut(&rest, '/');
  (void)svc_str_cut(&rest, '/');
  return door_cut(svc_str_cut(&rest, '/'), &own, &six) && !six && door_same(own, name);
}

static bool door_is_listed(const char *names, svc_str name)
{
  svc_str rest = svc_str_c(names);
  while (rest.n)
    if (door_same(svc_str_cut(&rest, ' '), name)) return true;
  return false;
}

static bool door_knows(const svc *s, svc_str host)
{
  svc_str name;
  bool six;
  if (!door_cut(host, &name, &six) || name.n == 0) return false;
  if (door_is_address(name, six)) return true;
  if (six) return false;
  if (svc_str_is_nocase(name, "localhost") || door_is_own(s, name)) return true;
  return s->config.control_hosts ? door_is_listed(s->config.control_hosts, name) : svc_pattern_match(DOOR_LABEL, name);
}

/* Copies the host's list of names. */
SVC_PRIVATE const char *svc_door_configure(svc *s)
{
  svc_str rest = svc_str_c(s->config.control_hosts);
  if (!s->config.control_hosts) return NULL;
  if (!s->config.control_anywhere) return "control_hosts needs control_anywhere";
  if (rest.n == 0) return "control_hosts is empty: it must be host names with a space between two";
  s->config.control_hosts = svc_arena_copy(&s->memory, rest).p;
  while (rest.n)
    if (!svc_pattern_match(DOOR_NAME, svc_str_cut(&rest, ' ')))
      return "control_hosts must be host names with a space between two, without scheme and port";
  return NULL;
}

SVC_PRIVATE bool svc_door_lets(svc_call *c)
{
  const svc_request *raw = c->request.raw;
  size_t i;
  for (i = 0; i < raw->header_count; i++) {
    svc_str name = svc_str_n(raw->headers[i].name, raw->headers[i].name_length);
    if (svc_str_is_nocase(name, "origin"))
      return svc_fail_as(c, SVC_S("Test control refuses requests with an Origin header: no page in a browser may use it."),
                         SVC_E_ACCESS_FORBIDDEN, "");
    if (svc_str_is_nocase(name, "host") && !door_knows(c->s, svc_str_n(raw->headers[i].value, raw->headers[i].value_length)))
      return svc_fail_as(c, SVC_S("Test control does not know the name in the Host header. Use an IP address, or allow the name: "
                                  "svcd --test-control-host NAME, or svc_config.control_hosts."), SVC_E_ACCESS_FORBIDDEN, "");
  }
  return true;
}
