/*
** The URLs of --listen, and the machines that can reach them. Rules about test control, seeds, plain HTTP and certificates depend on that,
** so only this file decides what counts as this machine.
*/
#include "svcd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

int svcd_is_https(const char *url)
{
  return strncmp(url, "https:", 6) == 0;
}

/* Returns true if `at` is the end of a host: a port of digits or none, then a path or none. In "localhost:8080.evil.com" it is not. */
static int url_ends(const char *at)
{
  if (*at == ':') at += 1 + strspn(at + 1, "0123456789");
  return *at == '\0' || *at == '/';
}

size_t svcd_url_host(const char *url, char host[SVCD_HOST])
{
  const char *at = strstr(url, "://");
  size_t six, n;
  host[0] = '\0';
  if (!at) return 0;
  at += 3;
  six = *at == '[';
  n = strcspn(at + six, six ? "]" : ":/");
  if (n >= SVCD_HOST || (six && at[six + n] != ']') || !url_ends(at + six + n + six)) return 0;
  memcpy(host, at + six, n);
  host[n] = '\0';
  return n;
}

int svcd_reach(const char *url)
{
  struct in6_addr six;
  struct in_addr four;
  char host[SVCD_HOST];
  svcd_url_host(url, host);
  if (strcmp(host, "localhost") == 0) return SVCD_LOOPBACK;
  if (inet_pton(AF_INET, host, &four) == 1) {
    uint32_t ip = ntohl(four.s_addr);
    return ip >> 24 == 127 ? SVCD_LOOPBACK : ip == INADDR_ANY ? SVCD_EVERYWHERE : SVCD_ELSEWHERE;
  }
  if (inet_pton(AF_INET6, host, &six) != 1) return SVCD_NOWHERE; /* the listener refuses such a URL */
  if (memcmp(&six, &in6addr_loopback, sizeof six) == 0) return SVCD_LOOPBACK;
  return memcmp(&six, &in6addr_any, sizeof six) == 0 ? SVCD_EVERYWHERE : SVCD_ELSEWHERE;
}
