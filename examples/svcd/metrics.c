/*
** GET /_svc/metrics, in the text format of Prometheus: what the library counts, and behind it what the listener does.
**
** The rule it keeps: it is there only with --metrics, and then for who is on this machine's loopback; for others with
** --metrics-public alone. Whoever else asks finds what any unknown path is. Nothing in it is secret, but how much goes on is
** nobody's business.
*/
#define _GNU_SOURCE /* clock_gettime */
#include "svcd.h"

#include <stdio.h>
#include <string.h>
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

static int metrics_is_meant(const svcd_metrics *m, const svc_request *r)
{
  const size_t n = r->target_length ? r->target_length : strlen(r->target);
  return n == sizeof METRICS_PATH - 1 && memcmp(r->target, METRICS_PATH, n) == 0 && strcmp(r->method, "GET") == 0 &&
         (m->everybody || metrics_is_local(r->peer));
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
