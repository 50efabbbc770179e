/*
** URLs, and the sockets that listen on them. Errors here are for the person who starts the program, and are
** worded accordingly: the URL, and what is wrong with it.
**
** The rule: several loops listen on one port with SO_REUSEPORT, but a port that is already in use is an
** error, even if another listener of ours uses it.
*/
#include "parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCKET_BACKLOG 1024 /* mongoose accepts one connection per turn, so many may have to wait */

typedef union socket_address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
} socket_address;

/* Names are not looked up: a name may have several addresses. */
static bool socket_host_parse(const char *p, size_t n, socket_address *a)
{
  char host[INET6_ADDRSTRLEN];
  memset(a, 0, sizeof *a);
  if (n == 9 && memcmp(p, "localhost", 9) == 0) p = "127.0.0.1";
  if (n >= sizeof host) return false;
  memcpy(host, p, n);
  host[n] = '\0';
  a->any.sa_family = AF_INET;
  if (host[0] != '[') return inet_pton(AF_INET, host, &a->four.sin_addr) == 1;
  a->any.sa_family = AF_INET6;
  if (n < 3 || host[n - 1] != ']') return false;
  host[n - 1] = '\0';
  return inet_pton(AF_INET6, host + 1, &a->six.sin6_addr) == 1;
}

/* ":PORT", or nothing, which means the scheme's default; *p moves behind it. */
static bool socket_port_parse(const char **p, socket_address *a, unsigned long port)
{
  const char *digits = *p + 1;
  if (**p == ':') {
    for (port = 0, ++*p; **p >= '0' && **p <= '9' && port <= 65535; ++*p) port = port * 10 + (unsigned long)(**p - '0');
    if (*p == digits || port > 65535) return false;
  }
  if (a->any.sa_family == AF_INET) a->four.sin_port = htons((uint16_t)port);
  else a->six.sin6_port = htons((uint16_t)port);
  return true;
}

bool svc_listener_is_https(const char *url)
{
  return url && strncmp(url, "https://", 8) == 0;
}

/* "http://HOST[:PORT][/]"; *host_end is the end of the host, for the URL with the actual port. */
static int socket_url_parse(const char *url, socket_address *a, const char **host_end, char *why, size_t size)
{
  bool secure = svc_listener_is_https(url);
  const char *host, *end;
  if (!url) return svc_listener_why(why, size, SVC_INVALID, "a URL is missing");
  if (!secure && strncmp(url, "http://", 7) != 0)
    return svc_listener_why(why, size, SVC_INVALID, "%s: not a URL like http://127.0.0.1:8080 or https://127.0.0.1:8443", url);
  host = url + (secure ? 8 : 7);
  end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":/");
  if (end && *host == '[') end++;
  if (!end || !socket_host_parse(host, (size_t)(end - host), a))
    return svc_listener_why(why, size, SVC_INVALID, "%s: the host must be localhost or an IP address ([...] if IPv6)",
                            url);
  *host_end = end;
  if (!socket_port_parse(&end, a, secure ? 443 : 80))
    return svc_listener_why(why, size, SVC_INVALID, "%s: the port must be a number from 0 to 65535", url);
  if (*end == '/') end++;
  if (*end) return svc_listener_why(why, size, SVC_INVALID, "%s: nothing may stand behind the port", url);
  return SVC_OK;
}

static bool socket_set(int fd, int level, int option)
{
  int on = 1;
  return setsockopt(fd, level, option, &on, sizeof on) == 0;
}

/*
** Opens a listening socket. The first one of a port binds without SO_REUSEPORT, so that it fails if the port is in use, and sets it
** for its siblings (`shared`) afterwards. *a becomes the actual address.
*/
static int socket_open(socket_address *a, bool sibling, bool shared)
{
  bool four = a->any.sa_family == AF_INET;
  socklen_t n = four ? sizeof a->four : sizeof a->six;
  int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), saved;
  if (fd < 0) return -1;
  if (socket_set(fd, SOL_SOCKET, SO_REUSEADDR) && (four || socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY)) &&
      (!sibling || socket_set(fd, SOL_SOCKET, SO_REUSEPORT)) && bind(fd, &a->any, n) == 0 &&
      (!shared || socket_set(fd, SOL_SOCKET, SO_REUSEPORT)) && listen(fd, SOCKET_BACKLOG) == 0 &&
      getsockname(fd, &a->any, &n) == 0)
    return fd;
  saved = errno;
  close(fd);
  errno = saved;
  return -1;
}

static int socket_failed(const char *url, char *why, size_t size)
{
  const char *text = errno == EADDRINUSE       ? "the port is in use: stop the program that listens there, or choose another port (0 takes a free one)"
                     : errno == EACCES         ? "this user may not listen on that port"
                     : errno == EADDRNOTAVAIL  ? "this machine does not have that address"
                     : errno == EAFNOSUPPORT   ? "this machine does not have that kind of address"
                                               : strerror(errno);
  return svc_listener_why(why, size, SVC_IO, "cannot listen on %s: %s", url, text);
}

/* The URL with the actual port; NULL: out of memory. */
static char *socket_url(const char *url, size_t host_length, const socket_address *a)
{
  size_t n = host_length + 8;
  char *text = malloc(n);
  if (text)
    snprintf(text, n, "%.*s:%u", (int)host_length, url,
             (unsigned)ntohs(a->any.sa_family == AF_INET ? a->four.sin_port : a->six.sin6_port));
  return text;
}

int svc_listener_bind(svc_listener *l, size_t which, char *why, size_t size)
{
  const char *url = l->config.urls[which], *host_end = url;
  socket_address a;
  int rc = socket_url_parse(url, &a, &host_end, why, size), first = -1;
  size_t i;
  if (rc != SVC_OK) return rc;
  for (i = 0; i < l->config.threads; i++) {
    int fd = socket_open(&a, i > 0, l->config.threads > 1);
    if (fd < 0 && i > 0) fd = fcntl(first, F_DUPFD_CLOEXEC, 0); /* no SO_REUSEPORT here: share one socket */
    if (fd < 0) return socket_failed(url, why, size);
    if (i == 0) first = fd;
    if (!svc_listener_loop_listen(&l->loops[i], fd, svc_listener_is_https(url))) {
      close(fd);
      return SVC_NOMEM;
    }
  }
  l->urls[which] = socket_url(url, (size_t)(host_end - url), &a);
  return l->urls[which] ? SVC_OK : SVC_NOMEM;
}
