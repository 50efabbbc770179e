/*
** GET /_svc/metrics, in the text format of Prometheus: what the library counts, and behind it what the listener does.
**
** The rule it keeps: it is there only with --metrics, and then for who is on this machine's loopback; for others with
** --metrics-public alone. Whoever else asks finds what any unknown path is. Nothing in it is secret, but how much goes on is
** nobody's business.
**
** A page in a browser on this machine is somebody else. So a request that a page of another origin has caused is refused, and without
** --metrics-public also one whose Host is a name that is not known to be ours: a page may have its own name lead to this machine (DNS
** rebinding). An address, localhost and the host of --base-url are ours.
*/
#define _GNU_SOURCE /* clock_gettime */
#include "svcd.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define METRICS_PATH "/_svc/metrics"

/* svc_config.monotonic */
int64_t svcd_monotonic(void *context)
{
  struct timespec t;
  (void)context;
  return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

static int metrics_is_local(const char *peer)
{
  return !peer || strncmp(peer, "127.", 4) == 0 || strcmp(peer, "::1") == 0;
}

/* The value of a header, shortened to fit; NULL: there is none. */
static const char *metrics_header(const svc_request *r, const char *name, char *out, size_t size)
{
  size_t i;
  for (i = 0; i < r->header_count; i++) {
    const svc_header *h = &r->headers[i];
    const size_t n = h->name_length ? h->name_length : strlen(h->name), value = h->value_length ? h->value_length : strlen(h->value);
    if (n != strlen(name) || strncasecmp(h->name, name, n) != 0) continue;
    snprintf(out, size, "%.*s", (int)(value < size ? value : size - 1), h->value);
    return out;
  }
  return NULL;
}

/* Did a page of another origin cause it? No page of ours asks for metrics, so one that says its origin is another's. */
static int metrics_is_foreign(const svc_request *r)
{
  char site[32], origin[8];
  const char *from = metrics_header(r, "Sec-Fetch-Site", site, sizeof site);
  if (from && strcmp(from, "none") != 0 && strcmp(from, "same-origin") != 0) return 1;
  return metrics_header(r, "Origin", origin, sizeof origin) != NULL;
}

static int metrics_is_our_host(const svcd_metrics *m, const svc_request *r)
{
  char value[SVCD_HOST], url[SVCD_HOST + 8], host[SVCD_HOST], base[SVCD_HOST];
  unsigned char address[16];
  if (!metrics_header(r, "Host", value, sizeof value)) return 1; /* HTTP/1.0: no browser */
  snprintf(url, sizeof url, "http://%s", value);
  svcd_url_host(url, host);
  if (strcasecmp(host, "localhost") == 0 || inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) return 1;
  return m->base_url && svcd_url_host(m->base_url, base) && strcasecmp(host, base) == 0;
}

static int metrics_is_meant(const svcd_metrics *m, const svc_request *r)
{
  const size_t n = r->target_length ? r->target_length : strlen(r->target);
  if (n != sizeof METRICS_PATH - 1 || memcmp(r->target, METRICS_PATH, n) != 0 || strcmp(r->method, "GET") != 0) return 0;
  if (metrics_is_foreign(r)) return 0;
  return m->everybody || (metrics_is_local(r->peer) && metrics_is_our_host(m, r));
}

static int metrics_answer(const svcd_metrics *m, svc *s, svc_response *response)
{
  svc_listener_statistics l;
  char more[1024];
  svc_listener_stats(m->listener, &l);
  snprintf(more, sizeof more,
           "# HELP svc_connections Connections that are open.\n# TYPE svc_connections gauge\nsvc_connections %llu\n"
           "# HELP svc_connections_total Connections that came.\n# TYPE svc_connections_total counter\nsvc_connections_total %llu\n"
           "# HELP svc_connections_refused_total Of these, those for which there was no place.\n"
           "# TYPE svc_connections_refused_total counter\nsvc_connections_refused_total %llu\n"
           "# HELP svc_sent_bytes_total Bytes of answers, heads included.\n# TYPE svc_sent_bytes_total counter\nsvc_sent_bytes_total %llu\n"
           "# HELP svc_waiting_writes Requests that wait for a writer.\n# TYPE svc_waiting_writes gauge\nsvc_waiting_writes %llu\n",
           (unsigned long long)l.connections, (unsigned long long)l.accepted, (unsigned long long)l.refused,
           (unsigned long long)l.sent_bytes, (unsigned long long)l.waiting);
  return svc_metrics_text(s, more, response);
}

/* svc_listener_config.handle: all other paths are test control's, and the service's. */
int svcd_metrics_handle(void *metrics, svc *s, const svc_request *request, svc_response *response)
{
  const svcd_metrics *m = metrics;
  return metrics_is_meant(m, request) ? metrics_answer(m, s, response) : svcd_handle(m->token, s, request, response);
}
