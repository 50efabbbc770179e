/*
** Everything at once, for ThreadSanitizer (./build.sh test-threads): many threads use one handle in all the ways that svcapi.h
** allows, behind a TLS listener that is opened and closed under load.
**
**   requests in process, reads and writes; over http and https, with new and kept connections; svc_tick(), svc_backup(),
**   svc_check_store(), snapshots and restores, a manual clock that steps, a driver whose orders are
**   completed by its own threads, notifications of alerts, statistics, journal and faults, reloaded certificates
**
** The program's own checks: no request gets status 500, each request in process is answered, every kind of work was done at least once,
** a run of a minute had questions and notifications, and the store is undamaged at the end. The sanitizer reports data races, and then
** the exit status is not 0.
**
**   threads [SECONDS]
*/
#define _GNU_SOURCE /* mkdtemp */
#include "svcapi.h"
#include "ports/listener.h"

#include <mbedtls/base64.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THREADS_ORDERS 256
#define THREADS_START ((int64_t)1748736000000) /* 2025-06-01 */

/* The kinds of work; each has a thread, some have several. */
enum { DO_READ, DO_WRITE, DO_TICK, DO_BACKUP, DO_CHECK, DO_SNAPSHOT, DO_STEP, DO_LOOK, DO_FAULT, DO_PERFORM, DO_HTTP, DO_HTTPS, DO_RELOAD, DO_REOPEN,
       DO_KINDS };

static struct {
  svc *s;
  svc_credentials keys;
  char folder[64], cert[96], key[96], bearer[256];
  atomic_bool stop;
  atomic_ulong done[DO_KINDS], asked, told;
  pthread_rwlock_t listening; /* the listener exists while a thread holds this for reading. Clients do not hold it: their connections
                                 are closed under load */
  svc_listener *listener;
  atomic_int port, plain_port;
  pthread_mutex_t lock; /* protects the orders, as the driver's own threads see them */
  char orders[THREADS_ORDERS][32];
  size_t order_count;
} all;

static void die(const char *what)
{
  fflush(stdout);
  fprintf(stderr, "threads: %s\n", what);
  _exit(1);
}

static unsigned random_of(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void rest(unsigned ms)
{
  struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };
  nanosleep(&t, NULL);
}

/* ------------------------------------------------------------------------------------------------- driver and notices */

static int threads_perform(void *context, svc *s, const svc_order *order)
{
  (void)context, (void)s;
  pthread_mutex_lock(&all.lock);
  if (all.order_count < THREADS_ORDERS) snprintf(all.orders[all.order_count++], sizeof all.orders[0], "%s", order->id);
  pthread_mutex_unlock(&all.lock);
  return SVC_OK;
}

static int threads_ask(void *context, svc *s, const svc_question *question, svc_reply *reply)
{
  (void)context, (void)s;
  atomic_fetch_add(&all.asked, 1);
  return strcmp(question->what, "logs") == 0 ? svc_reply_add(reply, "a line\n", 7) : SVC_BUSY;
}

/* Succeeds, asks for a retry, or fails. */
static int threads_notify(void *context, svc *s, const svc_notification *notification)
{
  static const int says[] = { SVC_BUSY, SVC_OK, SVC_OK, SVC_OK, SVC_IO };
  char secrets[512];
  size_t length = sizeof secrets;
  (void)context;
  svc_order_secrets(s, notification->id, secrets, &length);
  return says[atomic_fetch_add(&all.told, 1) % 5];
}

static const svc_driver threads_driver = { threads_perform, threads_ask, NULL };

/* Completes an order on another thread than the one that received it. */
static void do_perform(unsigned *random)
{
  char id[32] = "", secrets[4096];
  size_t length = sizeof secrets;
  pthread_mutex_lock(&all.lock);
  if (all.order_count) memcpy(id, all.orders[--all.order_count], sizeof id);
  pthread_mutex_unlock(&all.lock);
  if (!id[0]) {
    rest(2);
    return;
  }
  svc_order_secrets(all.s, id, secrets, &length);
  svc_order_done(all.s, id, random_of(random) % 8 ? SVC_OK : SVC_IO, "{\"reason\":\"r\"}"); /* the order may be unknown after a restore
                                                                                               of a snapshot */
  atomic_fetch_add(&all.done[DO_PERFORM], 1);
}

/* --------------------------------------------------------------------------------------------------------- in process */

static int ask(const char *method, const char *target, const char *body)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body ? 1 : 0,
                          .body = body, .body_length = body ? strlen(body) : 0, .caller = &me };
  svc_response response;
  int status;
  svc_may_wait(all.s, &request);
  if (svc_handle_request(all.s, &request, &response) != SVC_OK) die("a request without an answer");
  status = response.status;
  svc_response_free(&response);
  if (status == 500) die("500");
  return status;
}

static void do_read(unsigned *random)
{
  static const char *const below[] = { "", "/clusters", "/events", "/databaseUsers", "/accessList", "/alertConfigs", "/dbAccessHistory/clusters/c1", "/alerts" };
  char target[256];
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s%s", all.keys.group_id, below[random_of(random) % 8]);
  ask("GET", target, NULL);
  atomic_fetch_add(&all.done[DO_READ], 1);
}

static void do_write(unsigned *random)
{
  unsigned what = random_of(random) % 8, n = random_of(random) % 16;
  char target[256], body[512];
  if (what < 2) {
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters", all.keys.group_id);
    if (what) snprintf(target + strlen(target), 16, "/c%u", n);
    snprintf(body, sizeof body, "{\"name\":\"c%u\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
             "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", n);
    ask(what ? "DELETE" : "POST", target, what ? NULL : body);
  } else if (what < 4) {
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/databaseUsers", all.keys.group_id);
    if (what == 3) snprintf(target + strlen(target), 16, "/admin/u%u", n);
    snprintf(body, sizeof body, "{\"databaseName\":\"admin\",\"username\":\"u%u\",\"password\":\"abcdefgh1234\",\"roles\":[{\"databaseName\":\"admin\","
             "\"roleName\":\"readAnyDatabase\"}]}", n);
    ask(what == 2 ? "POST" : "DELETE", target, what == 2 ? body : NULL);
  } else if (what < 6) { /* alerts watch these changes */
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/accessList", all.keys.group_id);
    if (what == 5) snprintf(target + strlen(target), 16, "/10.0.0.%u", n);
    snprintf(body, sizeof body, "[{\"ipAddress\":\"10.0.0.%u\"}]", n);
    ask(what == 4 ? "POST" : "DELETE", target, what == 4 ? body : NULL);
  } else {
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s", all.keys.group_id);
    snprintf(body, sizeof body, "{\"name\":\"project-%u\"}", n);
    ask("PATCH", target, body);
  }
  atomic_fetch_add(&all.done[DO_WRITE], 1);
}

static void do_tick(unsigned *random)
{
  svc_is_due(all.s);
  if (svc_tick(all.s) != SVC_OK) die("svc_tick");
  rest(random_of(random) % 10);
  atomic_fetch_add(&all.done[DO_TICK], 1);
}

static void do_backup(unsigned *random)
{
  char to[96], command[128];
  snprintf(to, sizeof to, "%s/copy", all.folder);
  if (svc_backup(all.s, to) != SVC_OK) die("svc_backup");
  snprintf(command, sizeof command, "rm -rf '%s'", to);
  if (system(command) != 0) die("rm");
  rest(random_of(random) % 50);
  atomic_fetch_add(&all.done[DO_BACKUP], 1);
}

static void found(void *context, const char *text)
{
  (void)context;
  fprintf(stderr, "threads: %s\n", text);
}

static void do_check(unsigned *random)
{
  if (svc_check_store(all.s, found, NULL) != SVC_OK) die("the store is not whole");
  rest(random_of(random) % 50);
  atomic_fetch_add(&all.done[DO_CHECK], 1);
}

static void do_snapshot(unsigned *random)
{
  svc_snapshot *kept;
  if (svc_snapshot_take(all.s, &kept) != SVC_OK) die("svc_snapshot_take");
  rest(20 + random_of(random) % 200);
  if (svc_snapshot_restore(all.s, kept) != SVC_OK) die("svc_snapshot_restore");
  svc_snapshot_free(kept);
  rest(random_of(random) % 500);
  atomic_fetch_add(&all.done[DO_SNAPSHOT], 1);
}

static void do_step(unsigned *random)
{
  int rc = svc_clock_advance(all.s, random_of(random) % 8 ? 1 + random_of(random) % 500 : 60000); /* a minute: alerts on measurements */
  if (rc != SVC_OK && rc != SVC_BUSY) die("svc_clock_advance");
  svc_clock_now(all.s);
  rest(random_of(random) % 20);
  atomic_fetch_add(&all.done[DO_STEP], 1);
}

static void do_look(unsigned *random)
{
  svc_statistics stats;
  svc_response response;
  if (svc_stats(all.s, &stats) != SVC_OK) die("svc_stats");
  if (svc_metrics_text(all.s, NULL, &response) != SVC_OK) die("svc_metrics_text");
  svc_response_free(&response);
  if (svc_journal_read(all.s, 10, &response) != SVC_OK) die("svc_journal_read");
  svc_response_free(&response);
  if (random_of(random) % 50 == 0) svc_journal_clear(all.s);
  rest(random_of(random) % 20);
  atomic_fetch_add(&all.done[DO_LOOK], 1);
}

static void do_fault(unsigned *random)
{
  svc_fault rule = { .operation = "getGroup", .status = 503, .count = 2 }, list[4];
  int id;
  if (svc_fault_add(all.s, &rule, &id) != SVC_OK) die("svc_fault_add");
  rest(random_of(random) % 20);
  svc_fault_list(all.s, list, 4);
  svc_fault_remove(all.s, 0);
  rest(random_of(random) % 20);
  atomic_fetch_add(&all.done[DO_FAULT], 1);
}

/* ------------------------------------------------------------------------------------------------------ over sockets */

static int dial(int port)
{
  struct sockaddr_in a;
  struct timeval wait = { 5, 0 };
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1; /* the listener is closed at the moment */
}

static size_t request_text(unsigned *random, char *out, size_t size)
{
  bool writes = random_of(random) % 4 == 0;
  const char *body = writes ? "{\"name\":\"over-http\"}" : "";
  return (size_t)snprintf(out, size, "%s /api/svc/v2/groups/%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s", writes ? "PATCH" : "GET", all.keys.group_id, all.bearer, strlen(body), body);
}

static void answer_look(const char *text, int n, int kind)
{
  if (n > 12 && memcmp(text, "HTTP/1.1 500", 12) == 0) die("500 over a socket");
  if (n > 12 && memcmp(text, "HTTP/1.1 200", 12) == 0) atomic_fetch_add(&all.done[kind], 1);
}

static void do_http(unsigned *random)
{
  char text[1024], in[16384];
  int fd = dial(atomic_load(&all.plain_port)), i;
  for (i = 0; fd >= 0 && i < 8; i++) {
    size_t n = request_text(random, text, sizeof text);
    ssize_t got;
    if (send(fd, text, n, MSG_NOSIGNAL) != (ssize_t)n || (got = recv(fd, in, sizeof in, 0)) <= 0) break;
    answer_look(in, (int)got, DO_HTTP);
  }
  if (fd >= 0) close(fd);
  else rest(20);
}

static int tls_send(void *fd, const unsigned char *p, size_t n)
{
  ssize_t sent = send(*(int *)fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static int tls_receive(void *fd, unsigned char *p, size_t n)
{
  ssize_t got = recv(*(int *)fd, p, n, 0);
  return got < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)got;
}

static void do_https(unsigned *random)
{
  char text[1024];
  unsigned char in[16384];
  mbedtls_ssl_context ssl;
  mbedtls_ssl_config conf;
  int fd = dial(atomic_load(&all.port)), i, rc = 1;
  if (fd < 0) rest(20);
  mbedtls_ssl_init(&ssl);
  mbedtls_ssl_config_init(&conf);
  if (fd >= 0) {
    mbedtls_ssl_config_defaults(&conf, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    mbedtls_ssl_conf_rng(&conf, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
    mbedtls_ssl_conf_authmode(&conf, MBEDTLS_SSL_VERIFY_NONE);
    rc = mbedtls_ssl_setup(&ssl, &conf);
    mbedtls_ssl_set_bio(&ssl, &fd, tls_send, tls_receive, NULL);
  }
  if (rc == 0) rc = mbedtls_ssl_handshake(&ssl);
  for (i = 0; rc == 0 && i < 4; i++) {
    size_t n = request_text(random, text, sizeof text);
    int got = mbedtls_ssl_write(&ssl, (const unsigned char *)text, n);
    do {
      if (got > 0 || got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) got = mbedtls_ssl_read(&ssl, in, sizeof in);
    } while (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
    if (got <= 0) break;
    answer_look((const char *)in, got, DO_HTTPS);
  }
  mbedtls_ssl_free(&ssl);
  mbedtls_ssl_config_free(&conf);
  if (fd >= 0) close(fd);
}

/* ------------------------------------------------------------------------------------------------------- the listener */

static void listener_open(void)
{
  static const char *const urls[] = { "https://127.0.0.1:0", "http://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 2, .threads = 2, .writers = 4, .writer_idle_ms = 50, .cert_file = all.cert, .key_file = all.key };
  char why[256];
  if (svc_listener_open(&all.listener, &k, why, sizeof why) != SVC_OK) die(why);
  if (svc_listener_start(all.listener, all.s) != SVC_OK) die("svc_listener_start");
  atomic_store(&all.port, atoi(strrchr(svc_listener_url(all.listener, 0), ':') + 1));
  atomic_store(&all.plain_port, atoi(strrchr(svc_listener_url(all.listener, 1), ':') + 1));
}

static void make_cert(void)
{
  static const char *const names[] = { "localhost" };
  char why[256];
  if (svc_listener_cert_make(all.cert, all.key, names, 1, 10, why, sizeof why) != SVC_OK) die(why);
}

/* Reloads the certificate as svcd does on SIGHUP. */
static void do_reload(unsigned *random)
{
  svc_listener_statistics stats;
  char why[256];
  pthread_rwlock_rdlock(&all.listening);
  make_cert();
  if (svc_listener_reload(all.listener, why, sizeof why) != SVC_OK) die(why);
  svc_listener_stats(all.listener, &stats);
  pthread_rwlock_unlock(&all.listening);
  rest(random_of(random) % 100);
  atomic_fetch_add(&all.done[DO_RELOAD], 1);
}

static void do_reopen(unsigned *random)
{
  rest(1000 + random_of(random) % 1000);
  pthread_rwlock_wrlock(&all.listening);
  if (random_of(random) % 2) svc_listener_stop(all.listener);
  svc_listener_close(all.listener);
  listener_open();
  pthread_rwlock_unlock(&all.listening);
  atomic_fetch_add(&all.done[DO_REOPEN], 1);
}

/* -------------------------------------------------------------------------------------------------------------- main */

static const struct {
  const char *name;
  void (*work)(unsigned *random);
  int threads;
} kinds[DO_KINDS] = {
  [DO_READ] = { "reads", do_read, 2 }, [DO_WRITE] = { "writes", do_write, 2 }, [DO_TICK] = { "ticks", do_tick, 2 },
  [DO_BACKUP] = { "backups", do_backup, 1 }, [DO_CHECK] = { "checks", do_check, 1 }, [DO_SNAPSHOT] = { "snapshots", do_snapshot, 1 },
  [DO_STEP] = { "steps of the clock", do_step, 1 }, [DO_LOOK] = { "figures", do_look, 1 }, [DO_FAULT] = { "faults", do_fault, 1 },
  [DO_PERFORM] = { "orders", do_perform, 2 }, [DO_HTTP] = { "http", do_http, 2 }, [DO_HTTPS] = { "https", do_https, 2 },
  [DO_RELOAD] = { "certificates", do_reload, 1 }, [DO_REOPEN] = { "listeners", do_reopen, 1 },
};

static void *run(void *kind)
{
  int k = (int)(intptr_t)kind;
  unsigned random = (unsigned)k * 7919u + 1u;
  while (!atomic_load(&all.stop)) kinds[k].work(&random);
  return NULL;
}

static void token(void)
{
  char pair[256], basic[512] = "Basic ";
  static const char form[] = "grant_type=client_credentials";
  svc_header headers[] = { { "Content-Type", "application/x-www-form-urlencoded", 0, 0 }, { "Authorization", basic, 0, 0 } };
  svc_request request = { .method = "POST", .target = "/api/oauth/token", .headers = headers, .header_count = 2, .body = form,
                          .body_length = sizeof form - 1 };
  svc_response response;
  const char *at;
  size_t n;
  snprintf(pair, sizeof pair, "%s:%s", all.keys.client_id, all.keys.client_secret);
  if (mbedtls_base64_encode((unsigned char *)basic + 6, sizeof basic - 6, &n, (const unsigned char *)pair, strlen(pair)) != 0) die("base64");
  if (svc_handle_request(all.s, &request, &response) != SVC_OK) die("no token");
  at = strstr(response.body, "\"access_token\":\"");
  if (!at || sscanf(at + 16, "%255[^\"]", all.bearer) != 1) die("no token");
  svc_response_free(&response);
}

/* Configures notifications for events and for measurements. */
static void watch(void)
{
  static const char *const of[] = { "\"NETWORK_PERMISSION_ENTRY_ADDED\"", "\"NETWORK_PERMISSION_ENTRY_REMOVED\"",
    "\"OUTSIDE_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":\"CONNECTIONS\",\"operator\":\"GREATER_THAN\",\"threshold\":-1}" };
  char target[256], body[512];
  size_t i;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/alertConfigs", all.keys.group_id);
  for (i = 0; i < sizeof of / sizeof of[0]; i++) {
    snprintf(body, sizeof body, "{\"enabled\":true,\"eventTypeName\":%s,\"notifications\":[{\"typeName\":\"SLACK\",\"apiToken\":\"t\","
             "\"channelName\":\"c\",\"delayMin\":0,\"intervalMin\":5}]}", of[i]);
    if (ask("POST", target, body) != 201) die("no alert configuration");
  }
}

static void open_all(void)
{
  static const unsigned char key[32] = { 7 };
  svc_config config = { .durability = SVC_NO_SYNC, .limiter_off = 1, .driver = &threads_driver, .secret_key = key, .notify = threads_notify,
                        .manual_clock = THREADS_START, .journal = 100, .metrics = 1 };
  char path[96];
  strcpy(all.folder, "/tmp/threads_XXXXXX");
  if (!mkdtemp(all.folder)) die("no folder");
  snprintf(path, sizeof path, "%s/store", all.folder);
  snprintf(all.cert, sizeof all.cert, "%s/tls.crt", all.folder);
  snprintf(all.key, sizeof all.key, "%s/tls.key", all.folder);
  config.path = path;
  pthread_mutex_init(&all.lock, NULL);
  pthread_rwlock_init(&all.listening, NULL);
  if (psa_crypto_init() != PSA_SUCCESS) die("psa_crypto_init");
  if (svc_open(&all.s, &config) != SVC_OK || svc_bootstrap(all.s, &all.keys) != SVC_OK) die("svc_open");
  token();
  watch();
  make_cert();
  listener_open();
}

int main(int argc, char **argv)
{
  pthread_t threads[64];
  int seconds = argc > 1 ? atoi(argv[1]) : 60, n = 0, i, k, idle = 0;
  char command[96];
  signal(SIGPIPE, SIG_IGN);
  open_all();
  for (k = 0; k < DO_KINDS; k++)
    for (i = 0; i < kinds[k].threads; i++)
      if (pthread_create(&threads[n++], NULL, run, (void *)(intptr_t)k) != 0) die("pthread_create");
  sleep((unsigned)seconds);
  atomic_store(&all.stop, true);
  for (i = 0; i < n; i++) pthread_join(threads[i], NULL);
  svc_listener_close(all.listener);
  if (svc_check_store(all.s, found, NULL) != SVC_OK) die("the store is not whole");
  svc_close(all.s);
  snprintf(command, sizeof command, "rm -rf '%s'", all.folder);
  if (system(command) != 0) die("rm");
  for (k = 0; k < DO_KINDS; k++) {
    printf("%s%lu %s", k ? ", " : "threads: ", atomic_load(&all.done[k]), kinds[k].name);
    idle += atomic_load(&all.done[k]) == 0;
  }
  printf(", %lu questions, %lu notices\n", atomic_load(&all.asked), atomic_load(&all.told));
  if (idle || (seconds >= 60 && (!atomic_load(&all.asked) || !atomic_load(&all.told)))) die("something was never done"); /* needs a cluster */
  return 0;
}
