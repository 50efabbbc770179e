/*
** Requests over the listener, with 64 connections on loopback (16 where all of them create), compared with the same requests to
** the peer.
**
** Both servers run in their own processes and are measured in turns. Before that, their answers are compared byte by byte. A
** ratio is the median of the ratios of neighboring turns, because clients and servers share the machine with other work. HTTPS is
** compared with HTTP of the same server: for one GET of every operation that links lead to, without and with the few long lists,
** and for answers of two sizes, because the cost of a cipher grows with the bytes. A project has 7.8 KB of links; the answer of
** its settings has the usual length. If the listener is built with OpenSSL, the clients are too, and mbedTLS is measured for
** comparison in the same server.
*/
#define _GNU_SOURCE
#include "bench.h"
#include "ports/listener.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WIRE_CONNECTIONS 64
#define WIRE_CREATORS 4
#define WIRE_ONLY_CREATORS 16 /* connections where all of them create */
#define WIRE_TURNS 32
#define WIRE_LONGER 2.5 /* times longer than a turn in process, because this many connections take time to get started */
#define WIRE_SECONDS 15 /* limit of one measurement, which makes at least WIRE_LEAST turns */
#define WIRE_LEAST 4
#define WIRE_READS 2048

/* ------------------------------------------------------------------------------------------------------------- servers */

/* Opens another listener of the same service and certificate, with HTTPS by mbedTLS. NULL: the first listener uses mbedTLS. */
static svc_listener *wire_listen_mbedtls(svc_listener_config config, svc *s)
{
#ifdef SVC_WITH_OPENSSL
  svc_listener *l;
  config.urls++;
  config.url_count = 1;
  config.tls = &svc_listener_tls_mbedtls;
  if (svc_listener_open(&l, &config, NULL, 0) != SVC_OK || svc_listener_start(l, s) != SVC_OK) bench_die("no listener by mbedTLS");
  return l;
#else
  return (void)config, (void)s, NULL;
#endif
}

int bench_serve(const char *path)
{
  static const char *const urls[2] = { "http://127.0.0.1:0", "https://127.0.0.1:0" }, *const name = "localhost";
  bench_options options = { .path = path, .durability = SVC_DURABLE, .all_limits = true };
  char cert[BENCH_PATH + 16], key[BENCH_PATH + 16], c;
  svc_listener_config config;
  svc_listener *l, *other;
  svc *s;
  memset(&config, 0, sizeof config);
  snprintf(cert, sizeof cert, "%s/tls.crt", path);
  snprintf(key, sizeof key, "%s/tls.key", path);
  if (svc_listener_cert_make(cert, key, &name, 1, 1, NULL, 0) != SVC_OK) bench_die("no certificate");
  config.urls = urls;
  config.url_count = 2;
  config.cert_file = cert;
  config.key_file = key;
  config.no_gzip = 1; /* the peer has no gzip; libraries that request it treat both alike */
  if (svc_listener_open(&l, &config, NULL, 0) != SVC_OK) bench_die("the listener does not open");
  s = bench_open(&options);
  if (svc_listener_start(l, s) != SVC_OK) bench_die("the listener does not start");
  other = wire_listen_mbedtls(config, s);
  printf("%s %s %s\n", strrchr(svc_listener_url(l, 0), ':') + 1, strrchr(svc_listener_url(l, 1), ':') + 1,
         other ? strrchr(svc_listener_url(other, 0), ':') + 1 : "0");
  fflush(stdout);
  while (read(0, &c, 1) > 0) continue;
  svc_listener_close(other);
  svc_listener_close(l);
  svc_close(s);
  return 0;
}

typedef struct wire_server {
  pid_t pid;
  int port[3];        /* plain, with TLS, with mbedTLS if the second uses another library; 0: none. The peer has no TLS */
  int input;          /* closing it ends the server */
  clockid_t clock; /* CPU time of the server */
  bench_load *load;
} wire_server;

static void wire_start(wire_server *w, const char *program, const char *which, const char *path)
{
  int in[2], out[2];
  char line[32] = "";
  size_t n = 0;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) bench_die("no pipe");
  w->pid = fork();
  if (w->pid < 0) bench_die("no process");
  if (w->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(program, program, "serve", which, path, (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  w->input = in[1];
  while (n < sizeof line - 1 && read(out[0], line + n, 1) == 1 && line[n] != '\n') n++;
  close(out[0]);
  memset(w->port, 0, sizeof w->port);
  if (sscanf(line, "%d %d %d", &w->port[0], &w->port[1], &w->port[2]) < 1) bench_die("a server did not start");
  if (clock_getcpuclockid(w->pid, &w->clock) != 0) bench_die("the time of a server cannot be read");
}

static void wire_stop(wire_server *w)
{
  bench_load_close(w->load);
  close(w->input);
  waitpid(w->pid, NULL, 0);
}

static double wire_cpu(const wire_server *w)
{
  struct timespec t;
  clock_gettime(w->clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ------------------------------------------------------------------------------------------------------------ requests */

static bench_text wire_request(const bench_store *b, bench_op op, int which)
{
  char target[BENCH_TARGET], text[2048], body[1024] = "", type[96] = "";
  bench_text out;
  bench_target_of(b, op, which, target, sizeof target);
  if (op == BENCH_CREATE) {
    size_t n = bench_create_body(b, 999999999, body, sizeof body);
    snprintf(type, sizeof type, "Content-Type: application/json\r\nContent-Length: %zu\r\n", n);
  }
  out.n = (size_t)snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n%s\r\n%s",
                           op == BENCH_CREATE ? "POST" : "GET", target, op >= BENCH_CRAWL ? b->crawl_bearer : b->bearer, type, body);
  out.p = strdup(text);
  if (!out.p) bench_die("no memory");
  return out;
}

/* Removes the value of a header that may differ. */
static void wire_mask(char *answer, const char *name)
{
  char *p = strstr(answer, name), *end;
  if (!p) return;
  p += strlen(name);
  end = strchr(p, '\r');
  memmove(p, end, strlen(end) + 1);
}

/* Checks that both answers are equal. For a new project only the head is compared, which has the length of the body. */
static void wire_compare(const wire_server *servers, const bench_store *b, bench_op op)
{
  bench_text request = wire_request(b, op, b->own_count / 2);
  char *answer[2];
  size_t n, i;
  for (i = 0; i < 2; i++) {
    answer[i] = bench_load_ask(servers[i].port[0], request.p, request.n, &n);
    wire_mask(answer[i], "\r\nDate: ");
    wire_mask(answer[i], "\r\nRateLimit-Remaining: ");
    if (op != BENCH_CREATE) continue;
    wire_mask(answer[i], "\r\nETag: ");
    wire_mask(answer[i], "\r\nLocation: ");
    strstr(answer[i], "\r\n\r\n")[0] = 0;
  }
  if (strcmp(answer[0], answer[1]) != 0) {
    for (i = 0; answer[0][i] == answer[1][i];) i++;
    i = i < 60 ? 0 : i - 60;
    fprintf(stderr, "bench: the peer does not answer %s as the library does:\n%.160s\n%.160s\n", bench_op_names[op],
            answer[0] + i, answer[1] + i);
    exit(1);
  }
  for (i = 0; i < 2; i++) free(answer[i]);
  free(request.p);
}

/* ------------------------------------------------------------------------------------------------------------- measures */

#ifdef SVC_WITH_OPENSSL
#define WIRE_TLS_SHORT 80
#define WIRE_TLS_LONG 60
#else
#define WIRE_TLS_SHORT 60
#define WIRE_TLS_LONG 0
#endif

static const struct {
  const char *name, *cpu;
  bench_op op;
  int creators;
  double least; /* percent; 0: no bound */
  int tls; /* port of the server to compare with its plain port; 0: compare with the peer */
} wire_measures[] = {
  { "over HTTP: GET of a project", "  server's time for each", BENCH_GET, 0, 90, 0 },
  { "over HTTP: 100 projects of an organization", NULL, BENCH_ORG_LIST, 0, 75, 0 },
  { "over HTTP: 100 projects of all organizations", NULL, BENCH_LIST, 0, 75, 0 },
  { "over HTTP: 90 clusters", NULL, BENCH_CLUSTERS, 0, 75, 0 },
  { "over HTTP: create, 16 connections", "  server's time for a create", BENCH_CREATE, WIRE_ONLY_CREATORS, 60, 0 },
  { "over HTTP: GET while 4 connections create", "  creates meanwhile", BENCH_GET, WIRE_CREATORS, 70, 0 },
  { "HTTPS beside HTTP: GETs that links lead to", "  server's time for one of them", BENCH_CRAWL, 0, 60, 1 },
  { "HTTPS beside HTTP: these, and the longest lists", "  server's time for one of all", BENCH_CRAWL_ALL, 0, 60, 1 },
  { "HTTPS beside HTTP: GET of settings", "  server's time for each of them", BENCH_SETTINGS, 0, WIRE_TLS_SHORT, 1 },
  { "HTTPS beside HTTP: GET of a project", "  server's time for each, by TLS", BENCH_GET, 0, WIRE_TLS_LONG, 1 },
  { "HTTPS by mbedTLS: GET of settings", "  server's time for each of them, by mbedTLS", BENCH_SETTINGS, 0, 0, 2 },
  { "HTTPS by mbedTLS: GET of a project", "  server's time for each, by mbedTLS", BENCH_GET, 0, 0, 2 },
};

/* Returns the counted rate: creates if all connections create, otherwise reads. */
static double wire_counted(size_t m, bench_rate r, double seconds)
{
  double n = wire_measures[m].op == BENCH_CREATE ? r.creates : r.reads;
  return n > 0 ? n : 1 / seconds;
}

static void wire_measure(int size, wire_server servers[2], bench_store *b, size_t m)
{
  bench_turns rate[2] = { { { 0 }, 0 }, { { 0 }, 0 } }, more[2] = { { { 0 }, 0 }, { { 0 }, 0 } };
  bool one = wire_measures[m].op == BENCH_GET || wire_measures[m].op == BENCH_SETTINGS, crawl = wire_measures[m].op >= BENCH_CRAWL;
  bool beside = wire_measures[m].creators && wire_measures[m].op != BENCH_CREATE;
  int of_crawl = b->crawl_count + (wire_measures[m].op == BENCH_CRAWL_ALL ? b->crawl_long : 0);
  int all = one ? b->own_count : crawl ? of_crawl : 1, count = all < WIRE_READS ? all : WIRE_READS, i, n; /* sent at random */
  bench_text *reads = calloc((size_t)count, sizeof *reads);
  double until = bench_now() + WIRE_SECONDS;
  if (!reads) bench_die("no memory");
  for (i = 0; i < count; i++) reads[i] = wire_request(b, wire_measures[m].op, (int)((long)i * all / count));
  for (i = 0; i < WIRE_TURNS && (i < WIRE_LEAST || bench_now() < until); i++)
    for (n = 0; n < 2; n++) {
      int k = (i + n) % 2; /* each server is first equally often */
      double cpu = wire_cpu(&servers[k]), seconds = bench_seconds * WIRE_LONGER;
      bench_rate r = bench_load_run(servers[k].load, seconds, reads, (size_t)count, wire_measures[m].creators, b);
      bench_turn(&rate[k], 1 / wire_counted(m, r, seconds));
      bench_turn(&more[k], beside ? 1 / (r.creates > 0 ? r.creates : 1 / seconds)
                                  : (wire_cpu(&servers[k]) - cpu) / (wire_counted(m, r, seconds) * seconds));
    }
  bench_figure(size, wire_measures[m].name, "per s", 1 / bench_best(&rate[0]), 1 / bench_best(&rate[1]),
               bench_ratio(&rate[1], &rate[0]) * 100,
               wire_measures[m].least > 0 ? BENCH_AT_LEAST(wire_measures[m].least, "%") : BENCH_NONE);
  if (wire_measures[m].cpu && beside)
    bench_figure(size, wire_measures[m].cpu, "per s", 1 / bench_median(&more[0]), 1 / bench_median(&more[1]),
                 bench_ratio(&more[1], &more[0]) * 100, BENCH_NONE);
  else if (wire_measures[m].cpu)
    bench_figure(size, wire_measures[m].cpu, "us", bench_median(&more[0]) * 1e6, bench_median(&more[1]) * 1e6,
                 bench_ratio(&more[0], &more[1]), BENCH_NONE);
  for (i = 0; i < count; i++) free(reads[i].p);
  free(reads);
}

/* Measures creates on connections of their own. The other connections stay open and idle. */
static void wire_measure_creates(int size, const wire_server servers[2], bench_store *b, size_t m)
{
  wire_server creating[2];
  int i;
  for (i = 0; i < 2; i++) {
    creating[i] = servers[i];
    creating[i].load = bench_load_open(servers[i].port[0], wire_measures[m].creators, false);
  }
  wire_measure(size, creating, b, m);
  for (i = 0; i < 2; i++) bench_load_close(creating[i].load);
}

void bench_wire(int size, bench_store *b, const char *program, bool tls_only)
{
  static const char *const names[2] = { "svcapi", "peer" };
  char path[2][BENCH_PATH];
  bench_options options = { .path = path[0], .durability = SVC_NO_SYNC, .all_limits = true };
  wire_server servers[2], tls[2];
  svc *s;
  size_t i;
  for (i = 0; i < 2; i++) bench_path(b, names[i], path[i]);
  bench_copy_store(b, path[0]);
  s = bench_open(&options);
  bench_peer_fill(s, b, path[1]);
  bench_crawl(s, b);
  svc_close(s);
  for (i = 0; i < 2; i++) wire_start(&servers[i], program, names[i], path[i]);
  for (i = 0; i < BENCH_OPS; i++) wire_compare(servers, b, (bench_op)i);
  for (i = 0; i < 2; i++) servers[i].load = bench_load_open(servers[i].port[0], WIRE_CONNECTIONS, false);
  for (i = 0; i < sizeof wire_measures / sizeof wire_measures[0]; i++) {
    if ((tls_only && !wire_measures[i].tls) || !servers[0].port[wire_measures[i].tls]) continue;
    if (wire_measures[i].op == BENCH_CREATE) {
      wire_measure_creates(size, servers, b, i);
      continue;
    }
    if (!wire_measures[i].tls) {
      wire_measure(size, servers, b, i);
      continue;
    }
    tls[0] = tls[1] = servers[0];
    tls[0].load = bench_load_open(servers[0].port[wire_measures[i].tls], WIRE_CONNECTIONS, true); /* opened now, because idle
                                                                                                     connections would be closed */
    wire_measure(size, tls, b, i);
    bench_load_close(tls[0].load);
  }
  for (i = 0; i < 2; i++) wire_stop(&servers[i]);
  free(b->crawl);
  for (i = 0; i < 2; i++) bench_remove_store(path[i]);
}
