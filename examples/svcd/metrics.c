/*
** GET /_svc/metrics, in the text format of Prometheus: counters of the library, then those of the listener and the process.
**
** The rule: the path exists only with --metrics, for callers on loopback; --metrics-public opens it to all. Other callers get 404, like for
** any unknown path. The metrics contain no secret, but the load of a service is private.
**
** --metrics-listen serves the metrics at another address instead of the API's. The address decides who can read them: a loopback address
** follows the rule above; any other address serves everyone who can reach it. Requests there have no credentials, so it is plain HTTP.
**
** Web pages on this machine are not trusted. svcd refuses a request caused by a page of another origin. Without --metrics-public it also
** refuses a request whose Host is not an address, localhost or the host of --base-url, because a page's DNS name
** may lead here (DNS rebinding).
*/
#define _GNU_SOURCE /* clock_gettime */
#include "svcd.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define METRICS_PATH "/_svc/metrics"
#define METRICS_CONNECTIONS 64 /* connections of --metrics-listen: a few scrapers and probes */

/* For svc_config.monotonic. */
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

/* Returns the value of a header, cut to fit; NULL: missing. */
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

/* Returns true if a web page of another origin caused the request. svcd's own pages never read metrics, so any
** Origin means a foreign page. */
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

/* The next two functions return the bytes of memory in use, and the number of open files. 0: the system does not tell. After
** svcd_confine() a process that is not root's cannot count its own files. */
static double metrics_resident(void)
{
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f && fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double metrics_files(void)
{
  DIR *d = opendir("/proc/self/fd");
  int n = 0;
  if (!d) return 0;
  while (readdir(d)) n++;
  closedir(d);
  return n > 3 ? n - 3 : 0; /* ".", ".." and the folder itself */
}

static double metrics_cpu(void)
{
  struct rusage u;
  if (getrusage(RUSAGE_SELF, &u) != 0) return 0;
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int metrics_answer(const svcd_metrics *m, svc *s, svc_response *response)
{
  svc_listener_statistics l;
  struct rlimit files = { 0, 0 };
  char more[8192];
  size_t i, n;
  svc_listener_stats(m->listener, &l);
  getrlimit(RLIMIT_NOFILE, &files);
  const struct {
    const char *name, *type, *help;
    double value;
  } rows[] = {
    { "svc_connections", "gauge", "Open connections of clients.", (double)l.connections },
    { "svc_connections_total", "counter", "Connections accepted since the start.", (double)l.accepted },
    { "svc_connections_refused_total", "counter", "Connections refused because a limit was reached.", (double)l.refused },
    { "svc_sent_bytes_total", "counter", "Bytes of answers that were sent, including headers.", (double)l.sent_bytes },
    { "svc_waiting_writes", "gauge", "Changes queued for a writer thread; reads are not counted.", (double)l.waiting },
    { "svc_waiting_reads", "gauge", "Reads queued for a thread that waits for the database.", (double)l.readers.waiting },
    { "svc_waiting_questions", "gauge", "Requests queued for a thread that asks the driver.", (double)l.askers.waiting },
    { "svc_waiting_long_reads", "gauge", "Reads that take long, queued for a thread.", (double)l.longs.waiting },
    { "svc_busy_writers", "gauge", "Threads that make a change or sign a caller in.", (double)l.writers.busy },
    { "svc_busy_readers", "gauge", "Threads that read from the database.", (double)l.readers.busy },
    { "svc_busy_askers", "gauge", "Threads that ask the driver.", (double)l.askers.busy },
    { "svc_busy_long_reads", "gauge", "Threads that do a read that takes long.", (double)l.longs.busy },
    { "svc_max_writers", "gauge", "Most threads for changes and sign-ins (--writers): if all are busy, changes wait.", (double)l.writers.most },
    { "svc_max_askers", "gauge", "Most threads that ask the driver: a few more than --questions.", (double)l.askers.most },
    { "process_cpu_seconds_total", "counter", "CPU time of the process, in seconds.", metrics_cpu() },
    { "process_resident_memory_bytes", "gauge", "Resident memory of the process, in bytes.", metrics_resident() },
    { "process_open_fds", "gauge", "Open file descriptors.", metrics_files() },
    { "process_max_fds", "gauge", "Limit of open file descriptors.", files.rlim_cur == RLIM_INFINITY ? 0 : (double)files.rlim_cur },
    { "process_start_time_seconds", "gauge", "Start time of the process, in seconds since 1970.", (double)m->began },
  };
  n = (size_t)snprintf(more, sizeof more, "# HELP svcd_build_info Version of svcd, as a label; the value is always 1.\n# TYPE svcd_build_info gauge\nsvcd_build_info{version=\"%.32s\"} 1\n",
                       svc_version());
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    n += (size_t)snprintf(more + n, sizeof more - n, "# HELP %s %s\n# TYPE %s %s\n%s %.15g\n", rows[i].name, rows[i].help, rows[i].name, rows[i].type,
                          rows[i].name, rows[i].value);
  return svc_metrics_text(s, more, response);
}

/* ------------------------------------------------------------------------------------------------------ --metrics-listen */

static int metrics_is_health(const svc_request *r)
{
  static const char health[] = "/_svc/health";
  const size_t all = r->target_length ? r->target_length : strlen(r->target), n = sizeof health - 1;
  return all >= n && memcmp(r->target, health, n) == 0 && (all == n || r->target[n] == '/' || r->target[n] == '?');
}

/* For svc_listener_config.handle of the listener of --metrics-listen: serves metrics and health; other paths
** answer 404, without a check of credentials. */
static int metrics_only(void *metrics, svc *none, const svc_request *request, svc_response *response)
{
  static const svc_header type = { "Content-Type", "text/plain", 12, 10 };
  const svcd_metrics *m = metrics;
  (void)none;
  if (metrics_is_meant(m, request)) return metrics_answer(m, m->s, response);
  if (metrics_is_health(request)) return svcd_handle("", m->s, request, response);
  memset(response, 0, sizeof *response);
  response->status = 404;
  response->headers = &type;
  response->header_count = 1;
  response->body = "not found\n";
  response->body_length = strlen(response->body);
  return SVC_OK;
}

int svcd_metrics_open(const svcd_options *o, svcd_metrics *metrics, svc_listener **out)
{
  svc_listener_config k;
  char url[SVCD_HOST + 32], why[512];
  const char *const urls[] = { url };
  int status;
  *out = NULL;
  if (!o->metrics_listen) return 0;
  snprintf(url, sizeof url, "http://%s", o->metrics_listen);
  if (svcd_reach(url) != SVCD_LOOPBACK) metrics->everybody = 1;
  memset(&k, 0, sizeof k);
  k.urls = urls;
  k.url_count = 1;
  k.writers = 1;
  k.max_connections = METRICS_CONNECTIONS;
  k.log_event = svcd_log;
  k.log_context = (void *)(uintptr_t)o->log_level;
  k.handle = metrics_only;
  k.handle_context = metrics;
  k.no_explorer = 1;
  status = svc_listener_open(out, &k, why, sizeof why);
  return status == SVC_OK ? 0 : svcd_error(status == SVC_INVALID ? 2 : 1, "--metrics-listen: %s", why);
}

/* Answers GET /_svc/metrics, and passes other requests to svcd_handle(), for test control and the service. */
int svcd_metrics_handle(void *metrics, svc *s, const svc_request *request, svc_response *response)
{
  const svcd_metrics *m = metrics;
  return metrics_is_meant(m, request) ? metrics_answer(m, s, response) : svcd_handle(m->token, s, request, response);
}
