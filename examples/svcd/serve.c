/*
** The verb serve: svcd_serve() opens listener and service, creates the first credentials, waits for a signal, stops and closes.
**
** The rule: a bad setting is reported before a port is opened or a file is written.
*/
#define _GNU_SOURCE /* realpath, sigtimedwait */
#include "svcd.h"
#include "listener.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------- first contact */

/* Prints a text in single quotes, for a shell. */
static void serve_print_quoted(const char *text)
{
  putchar('\'');
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", stdout);
    else putchar(*text);
  }
  putchar('\'');
}

/*
** Prints a command to try the service. The command reads the key from the file, so that no log contains the secret. The command has the
** absolute path of the file and the actual port, not the base URL, so it works in any folder and behind any proxy.
*/
static void serve_print_try(const char *url, const char *vendor, const char *path, const svcd_cert *cert)
{
  char *whole = realpath(path, NULL);
  if (svcd_log_is_json()) { /* nobody copies commands from a JSON log */
    free(whole);
    return;
  }
  printf("try:\n  curl ");
  if (svcd_is_https(url) && cert->own) { /* self-signed */
    char *own = realpath(cert->cert, NULL);
    printf("--cacert ");
    serve_print_quoted(own ? own : cert->cert);
    putchar(' ');
    free(own);
  }
  printf("--digest --user "
         "\"$(sed 's/.*\"publicKey\":\"\\([^\"]*\\)\",\"privateKey\":\"\\([^\"]*\\)\".*/\\1:\\2/' ");
  serve_print_quoted(whole ? whole : path);
  printf(")\" '%s/api/%s/v2/orgs?pretty=true'\n", url, vendor);
  free(whole);
}

/* The store is not new, and its secrets cannot be read: prints where they were written, or how to create new credentials. */
static void serve_greet_again(const svcd_options *o, const char *base_url, const char *path)
{
  int there = access(path, F_OK) == 0;
  if (o->show_credentials) printf("base URL:      %s\n", base_url);
  if (there && !o->show_credentials) return;
  if (there) svcd_print("credentials.written", "credentials:", "%s, written when the store was created", path);
  else if (o->store)
    svcd_print("credentials.missing", "credentials:", "%s is missing: the instance that created the store has it; `svcd credentials --data %s --store URI` "
               "creates new ones", path, o->data);
  else
    svcd_print("credentials.missing", "credentials:", "%s, written when the store was created, is missing: `svcd credentials --data %s` "
               "creates new ones while svcd is stopped", path, o->data);
}

/* Sends a GET of svcd itself. The caller frees the response. */
static void serve_get(svc *s, const char *target, svc_response *response)
{
  static const svc_grant grant = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "svcd", &grant, 1, 0 };
  const svc_request request = { .method = "GET", .target = target, .caller = &host };
  svc_handle_request(s, &request, response);
}

#define SERVE_ELSEWHERE (-2)

/* Asks for organizations at this path. Returns 1 if the store has some, 0 if it has none, -1 if it does not tell, and SERVE_ELSEWHERE if
** the path leads to other resources or to none. */
static int serve_has_orgs(svc *s, const char *path)
{
  char target[512];
  svc_response response;
  int has;
  snprintf(target, sizeof target, "%.480s?itemsPerPage=1", path);
  serve_get(s, target, &response);
  if (!response.operation) has = response.status == 404 ? SERVE_ELSEWHERE : -1;
  else if (strcmp(response.operation, "listOrgs") != 0) has = SERVE_ELSEWHERE;
  else has = response.status == 200 ? !strstr(response.body, "\"results\":[]") : -1;
  svc_response_free(&response);
  return has;
}

/* Returns 1 if the store has an organization: its creator has the credentials, so svcd changes no file. Returns 0 if the store has none,
** and -1 if the store does not tell. A dialect can rename the path, but the root of the API has a link to each list. */
static int serve_is_set_up(svc *s)
{
  char root[64], path[2048]; /* a base URL has at most 1024 bytes */
  const char *href, *below, *next;
  svc_response links;
  int has;
  snprintf(path, sizeof path, "/api/%s/v2/orgs", svc_vendor(s));
  has = serve_has_orgs(s, path);
  if (has != SERVE_ELSEWHERE) return has;
  snprintf(root, sizeof root, "/api/%s/v2", svc_vendor(s));
  serve_get(s, root, &links);
  for (href = links.body; has == SERVE_ELSEWHERE && (href = strstr(href, "\"href\":\"")) != NULL;) {
    href += sizeof "\"href\":\"" - 1;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(href, "\""), href);
    for (below = NULL, next = path; (next = strstr(next, root)) != NULL;) below = next++; /* the base URL may have a path, too */
    if (below && below[strlen(root)] == '/' && !strpbrk(below + strlen(root) + 1, "/?")) has = serve_has_orgs(s, below);
  }
  svc_response_free(&links);
  return has < 0 ? -1 : has;
}

/* Creates the first credentials. Returns SVC_EXISTS if another svcd on the same store has created them in the meantime. With a world or a
** snapshot, the store may have an organization already. */
static int serve_make(svc *s, const svcd_options *o, svc_credentials *out)
{
  const int rc = svc_bootstrap(s, out);
  if (rc != SVC_BUSY) return rc;
  if (o->world || o->snapshot) return svc_new_credentials(s, NULL, out);
  return serve_is_set_up(s) != 0 ? SVC_EXISTS : rc;
}

/* Creates the first organization, project and credentials of an empty store; with a world, credentials of its first organization. Prints
** where the credentials are. Returns 0, or the exit status. */
static int serve_first(svc *s, const svcd_options *o, const char *base_url, const char *token, const char *url, const svcd_cert *cert,
                       svcd_sign_in *link)
{
  const char *vendor = svc_vendor(s);
  char path[SVCD_PATH];
  svc_credentials c;
  const int before = serve_is_set_up(s);
  int status;
  if (before < 0 && (o->world || o->snapshot))
    return svcd_error(1, "the store does not tell whether it has an organization, so --%s was not loaded: start svcd again", o->snapshot ? "snapshot" : "world");
  status = svcd_world_load(s, o, before > 0);
  if (status != 0) return status;
  status = SVCD_SET_UP;
  if (!svcd_credentials_path(o, path)) return 1;
  if (before <= 0) status = svcd_write_credentials(s, o, base_url, token, serve_make, &c);
  if (status == SVCD_SET_UP) {
    serve_greet_again(o, base_url, path);
    if (svcd_sign_in_wanted(o)) svcd_sign_in_read(link, path);
    if (o->show_credentials && access(path, R_OK) == 0) serve_print_try(url, vendor, path, cert);
    return 0;
  }
  if (status == 0) {
    svcd_greet(o, base_url, token, &c, path);
    if (svcd_sign_in_wanted(o)) svcd_sign_in_keep(link, c.client_id, c.client_secret);
    if (*path) serve_print_try(url, vendor, path, cert);
  }
  explicit_bzero(&c, sizeof c);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- serving */

/* Refuses plain HTTP beyond this machine without --plain-http. Returns 0, or the exit status. */
static int serve_check_plain(const svcd_options *o)
{
  size_t i;
  for (i = 0; i < o->url_count && !o->plain_http; i++)
    if (!svcd_is_https(o->urls[i]) && svcd_reach(o->urls[i]) >= SVCD_ELSEWHERE)
      return svcd_error(2, "%s is plain HTTP beyond this machine, and others can read tokens: listen on https, or on 127.0.0.1, "
                        "or set --plain-http", o->urls[i]);
  return 0;
}

/* Warns about settings that are allowed, but rarely intended. */
static void serve_warn(const svcd_options *o, const svc_listener *listener)
{
  const char *first = svc_listener_url(listener, 0);
  if (!o->base_url && svcd_reach(first) == SVCD_EVERYWHERE)
    svcd_say(SVC_LOG_WARNING, "base_url.unreachable", "links in answers begin with %s, which no client can reach: set --base-url %s://NAME%s", first,
               svcd_is_https(first) ? "https" : "http", strrchr(first, ':'));
}

/* SIGHUP: reloads the certificate. serve_anew() then reopens the access log. */
static void serve_reload(svc_listener *listener, const svcd_options *o)
{
  svcd_cert cert;
  char why[512];
  if (svcd_certificate(o, &cert) != 0) { /* svcd_certificate() has printed the error */
    svcd_say(SVC_LOG_ERROR, "certificate.kept", "SIGHUP: the old certificate stays in use");
  } else if (cert.used && svc_listener_reload(listener, why, sizeof why) != SVC_OK) {
    svcd_say(SVC_LOG_ERROR, "certificate.kept", "SIGHUP: the old certificate stays in use: %s", why);
  } else if (cert.used) {
    svcd_say(SVC_LOG_INFO, "certificate.reloaded", "SIGHUP: the certificate is reloaded, SHA-256 %s", cert.sha256);
  } else if (!o->access_log) {
    svcd_say(SVC_LOG_INFO, "reload.nothing", "SIGHUP: there is nothing to reload");
  }
}

/* Starts test control: marks the current state of the store for a reset, and writes the token to the file of credentials. */
static int serve_test_control(svc *s, const svcd_options *o, const char *base_url, const char *token)
{
  char path[SVCD_PATH];
  int rc;
  if (!o->test_control) return 0;
  rc = svc_control_begin(s);
  if (rc == SVC_FULL) return svcd_error(1, "--test-control: the store is too large to keep in memory for a reset: at most 64 MiB of records");
  if (rc != SVC_OK) return svcd_error(1, "--test-control: the store cannot be kept for a reset: %s", svc_strerror(rc));
  if (svcd_keep_test_token(o, base_url, token) != 0 || !svcd_credentials_path(o, path)) return 1;
  svcd_say(SVC_LOG_INFO, "test_control.on", "test control is on%s: anyone with the testToken%s%s can do everything to this service",
           o->test_anywhere ? ", for every address that can reach svcd" : "", *path ? " of " : "", path);
  return 0;
}

/* Handles SIGHUP. A closed terminal sends SIGHUP, too, which does not end svcd. */
static void serve_anew(svc_listener *listener, const svcd_options *o, svcd_access *access)
{
  serve_reload(listener, o);
  if (o->access_log && svcd_access_open(access, o->access_log) != 0)
    svcd_say(SVC_LOG_ERROR, "access_log.failed", "SIGHUP: cannot open %s, the old file stays in use: %s", o->access_log, strerror(errno));
}

#define SERVE_STOP_SECONDS 10
#define SERVE_DRAIN_SECONDS 5
#define SERVE_SLOW_MS 1000
#define SERVE_SPARE 4 /* threads beside those of --questions: requests that are refused do not queue behind questions */

/* Ends the process after SERVE_STOP_SECONDS, even if a database, a limiter or a driver hangs. Acknowledged writes are in the store. */
static void *serve_give_up(void *nothing)
{
  struct timespec left = { SERVE_STOP_SECONDS, 0 };
  (void)nothing;
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) continue;
  svcd_say(SVC_LOG_ERROR, "svcd.stop_timeout", "svcd did not stop within %d seconds of the signal, and exits", SERVE_STOP_SECONDS);
  _exit(1);
}

static void serve_stop_in_time(void)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve_give_up, NULL) == 0) pthread_detach(thread);
}

/* --end-with-stdin: reads and ignores standard input until it ends. The kernel reports the end even if the program
** at the other end is killed. */
static void *serve_read_stdin(void *options)
{
  char buffer[256];
  ssize_t n;
  svcd_confine_thread(options);
  do n = read(STDIN_FILENO, buffer, sizeof buffer);
  while (n > 0 || (n < 0 && errno == EINTR));
  svcd_say(SVC_LOG_INFO, "svcd.stdin_ended", "standard input has ended, and svcd stops (--end-with-stdin)");
  kill(getpid(), SIGTERM); /* blocked in all threads: serve_wait() receives it */
  return NULL;
}

static int serve_watch_stdin(const svcd_options *o)
{
  pthread_t thread;
  if (!o->end_with_stdin) return 0;
  if (pthread_create(&thread, NULL, serve_read_stdin, (void *)(uintptr_t)o) != 0) return svcd_error(1, "--end-with-stdin: cannot start a thread");
  pthread_detach(thread);
  return 0;
}

/* Waits for a signal that ends svcd, and returns it. */
static int serve_wait(svc *s, svc_listener *listener, const svcd_options *o, svcd_access *access, svcd_sign_in *link, const sigset_t *signals)
{
  int stopped = 0, signal_number, pause;
  do {
    struct timespec t;
    pause = svcd_sign_in_pause(link, svcd_rotate_some(s, o, &stopped));
    t = (struct timespec){ pause / 1000, pause % 1000 * 1000000L };
    signal_number = sigtimedwait(signals, NULL, &t);
    if (signal_number != SIGHUP) continue;
    stopped = 0;
    serve_anew(listener, o, access);
  } while (signal_number <= 0 || signal_number == SIGHUP);
  return signal_number;
}

/* Returns the seconds to serve after SIGTERM. On loopback there is no load balancer to wait for. */
static long serve_drain_seconds(const svcd_options *o)
{
  size_t i;
  for (i = 0; o->drain < 0 && i < o->url_count; i++)
    if (svcd_reach(o->urls[i]) != SVCD_LOOPBACK) return SERVE_DRAIN_SECONDS;
  return o->drain < 0 ? 0 : o->drain;
}

/* Serves for some more seconds, while /_svc/health tells load balancers that this instance is draining. */
static void serve_drain(svc *s, svc_listener *listener, long seconds, const sigset_t *signals)
{
  int64_t until = svcd_monotonic(NULL) + seconds * INT64_C(1000000000), left;
  int signal_number = 0;
  svc_set_ready(s, 0);
  svc_listener_drain(listener);
  svcd_print("svcd.draining", "", "svcd draining for %ld seconds", seconds);
  while (signal_number != SIGTERM && signal_number != SIGINT && (left = until - svcd_monotonic(NULL)) > 0) {
    const struct timespec t = { left / 1000000000, left % 1000000000 };
    signal_number = sigtimedwait(signals, NULL, &t);
  }
}

/* Prints the last line of a start. From now on svcd answers requests. */
static void serve_print_ready(const svc_listener *listener, const svc_listener *metrics)
{
  char urls[SVCD_TEXT / 2] = "";
  const char *url;
  size_t i, n = 0;
  for (i = 0; (url = svc_listener_url(listener, i)) != NULL && n < sizeof urls; i++)
    n += (size_t)snprintf(urls + n, sizeof urls - n, " %s", url);
  if (metrics) svcd_print("metrics.ready", "metrics:", "%s/_svc/metrics", svc_listener_url(metrics, 0));
  svcd_print("svcd.ready", "", "svcd ready on%s", urls);
}

/* Stops serving: requests in progress are answered first. */
static void serve_stop(svc *s, svc_listener *listener, const svcd_options *o, const svcd_driver *driver, int signal_number, const sigset_t *signals)
{
  svcd_print("svcd.stopping", "", "svcd stopping on %s", signal_number == SIGINT ? "SIGINT" : "SIGTERM");
  if (signal_number == SIGTERM && serve_drain_seconds(o) > 0) serve_drain(s, listener, serve_drain_seconds(o), signals);
  serve_stop_in_time();
  svcd_driver_hush(driver);
  svc_listener_stop(listener);
}

/* Prepares an opened service, then serves until a signal. Returns the exit status. *signal_number: the signal; 0: none. */
static int serve_until_signal(svc *s, svcd_metrics *host, svc_listener *metrics, const svcd_options *o, const char *base_url,
                              const svcd_cert *cert, svcd_access *access, const sigset_t *signals, int *signal_number)
{
  svc_listener *listener = host->listener;
  const char *token = host->token;
  int status;
  *signal_number = 0;
  status = serve_first(s, o, base_url, token, svc_listener_url(listener, 0), cert, &host->sign_in);
  if (status != 0) return status;
  if (serve_test_control(s, o, base_url, token) != 0) return 1;
  svcd_confine(o);
  svcd_sign_in_open(&host->sign_in, o, listener);
  if (svc_listener_start(listener, s) != SVC_OK || (metrics && svc_listener_start(metrics, NULL) != SVC_OK))
    return svcd_error(1, "cannot start threads");
  svcd_show_certificate(cert);
  if (o->show_credentials && !o->no_explorer) printf("console:       %s/ in a browser\n", svc_listener_url(listener, 0));
  serve_print_ready(listener, metrics);
  *signal_number = serve_wait(s, listener, o, access, &host->sign_in, signals);
  return 0;
}

/* Raises the limit of open files, because each connection is a file: to 4096, or to what --max-connections needs, if the user may. */
static void serve_raise_file_limit(long connections)
{
  const rlim_t want = connections > 3000 ? (rlim_t)connections + 1000 : 4096;
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= want) return;
  files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* Blocks the signals that end svcd, and SIGHUP, in all threads: only sigtimedwait() receives them. Ignores SIGPIPE. */
static void serve_signals(sigset_t *signals)
{
  sigemptyset(signals);
  sigaddset(signals, SIGHUP);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  sigprocmask(SIG_BLOCK, signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

/* svc_listener_config.handle: passes a request to the first handler that accepts it. */
static int serve_handle(void *metrics, svc *s, const svc_request *request, svc_response *response)
{
  svcd_metrics *m = metrics;
  svc_header headers[SVCD_HEADERS];
  svc_request own;
  if (svcd_sign_in_takes(&m->sign_in, s, request, response)) return SVC_OK;
  if (m->token[0] && svcd_worlds_takes(request, response)) return SVC_OK;
  if (m->vouches && svcd_vouch(request, &own, headers)) request = &own;
  return m->here ? svcd_metrics_handle(m, s, request, response) : svcd_handle(m->token, s, request, response);
}

static svc_listener_config serve_listener_config(const svcd_options *o, svcd_metrics *metrics, svcd_access *access,
                                                 const svcd_cert *cert)
{
  svc_listener_config k;
  memset(&k, 0, sizeof k);
  k.urls = o->urls;
  k.url_count = o->url_count;
  k.trusted_proxies = o->proxies;
  k.trusted_proxy_count = o->proxy_count;
  k.threads = (size_t)o->threads;
  k.writers = (size_t)o->writers;
  k.askers = o->questions ? (size_t)o->questions + SERVE_SPARE : 0;
  k.max_connections = (size_t)o->max_connections;
  k.max_per_address = (size_t)o->max_per_address;
  k.log_event = svcd_log;
  k.log_context = (void *)(uintptr_t)o->log_level;
  k.handle = serve_handle;
  k.handle_context = metrics;
  metrics->here = o->metrics && !o->metrics_listen;
  metrics->vouches = o->test_control && !o->test_anywhere && !o->no_explorer;
  metrics->large.token = metrics->token;
  k.body_limit = o->test_control ? svcd_body_limit : NULL;
  k.body_limit_context = &metrics->large;
  k.access = o->access_log ? svcd_access_note : NULL;
  k.access_context = access;
  k.cert_file = cert->cert;
  k.key_file = cert->key;
  k.no_explorer = o->no_explorer;
  k.no_gzip = o->no_gzip;
  return k;
}

/* Sets the configuration from the flags. Without --base-url links start with the listener's URL. */
static svc_config serve_config(const svcd_options *o)
{
  svc_config k;
  memset(&k, 0, sizeof k);
  k.limiter_off = o->limiter_off;
  k.base_url = o->base_url;
  k.vendor = o->vendor;
  k.dialect = o->dialect_text;
  k.dialect_change = o->change_dialect;
  k.describe = svc_listener_describe;
  k.db_scheme = o->db_scheme;
  k.db_domain = o->db_domain;
  k.conceal = o->conceal;
  k.enforce_sunset = o->enforce_sunset;
  k.max_projects = (size_t)o->max_projects;
  k.max_questions = (size_t)o->questions;
  k.no_card = o->no_card;
  if (o->disk_reserve >= 0) k.disk_reserve = o->disk_reserve ? (int64_t)o->disk_reserve * 1024 : SVC_NO_RESERVE;
  k.durability = o->no_sync ? SVC_NO_SYNC : SVC_DURABLE;
  k.log_event = svcd_log;
  k.log_context = (void *)(uintptr_t)o->log_level;
  k.slow_ms = o->slow_ms < 0 ? SERVE_SLOW_MS : o->slow_ms;
  k.metrics = o->metrics;
  k.monotonic = svcd_monotonic;
  if (o->provision_seconds >= 0)
    k.provision_ms = o->provision_seconds ? o->provision_seconds * (int64_t)1000 : SVC_PROVISION_NOW;
  return k;
}

/* For svc_config.notify. svcd sends no notifications; it logs them at --log-level info. At other levels `notify` is not set: the library
** would store each notification for no purpose, and a manual clock would stop at each one, with a flush of the disk. */
static int serve_notify(void *context, svc *s, const svc_notification *n)
{
  char text[512];
  (void)s;
  snprintf(text, sizeof text, "alert %s of project %s is %s: a notification by %s is due; svcd sends none", n->alert_id, n->group_id, n->status, n->kind);
  svcd_log(context, SVC_LOG_INFO, "alert.told", text);
  return SVC_OK;
}

void svcd_say_flag(void *said, int level, const char *text)
{
  static const char member[] = "svc_config.";
  char flag[64];
  size_t n, i;
  if (level != SVC_LOG_ERROR || strncmp(text, member, sizeof member - 1) != 0) return;
  text += sizeof member - 1;
  n = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
  snprintf(flag, sizeof flag, "%.*s", (int)n, text);
  if (strcmp(flag, "limits") == 0) flag[5] = '\0';
  if (strcmp(flag, "control_hosts") == 0) snprintf(flag, sizeof flag, "test_control_host");
  for (i = 0; flag[i]; i++)
    if (flag[i] == '_') flag[i] = '-';
  *(int *)said = svcd_error(2, "--%s%s", flag, text + n);
}

/* Tries the settings on a private store, so that a bad one is reported before a port is opened or a file is written. Returns 0, or 2 if a
** setting is bad; the real store reports other errors. */
static int serve_try(const svc_config *config)
{
  svc_config k = *config;
  svc *s = NULL;
  int said = 0;
  k.log = svcd_say_flag;
  k.log_event = NULL;
  k.log_context = &said;
  if (svc_open(&s, &k) == SVC_OK) svc_close(s);
  return said;
}

/* Waits a second. Returns false if the time of --wait is over, or a signal ends svcd. */
static int serve_wait_more(int64_t until, const sigset_t *signals)
{
  const struct timespec second = { 1, 0 };
  int signal_number;
  if (svcd_monotonic(NULL) >= until) return 0;
  signal_number = sigtimedwait(signals, NULL, &second);
  return signal_number < 0 || signal_number == SIGHUP;
}

/*
** Opens the service. For at most --wait seconds in all, svcd waits for the limiter, then for the database; it can start without the
** limiter, but not without the database. The library logs the reason of a failure. A signal ends the wait.
*/
static int serve_open(svc **s, const svc_config *config, const svcd_options *o, const sigset_t *signals)
{
  const int64_t until = svcd_monotonic(NULL) + o->wait * INT64_C(1000000000);
  int rc, more = o->wait != 0, said = 0;
  while (more && !svcd_limiter_answers(config)) {
    if (!said++) svcd_say(SVC_LOG_WARNING, "limiter.waiting", "Redis does not answer: svcd waits for at most %ld seconds (--wait)", o->wait);
    more = serve_wait_more(until, signals);
  }
  if (!more && o->wait && svcd_monotonic(NULL) < until) { /* a signal */
    svcd_say(SVC_LOG_INFO, "svcd.interrupted", "svcd was stopped while it waited for Redis");
    return SVC_IO;
  }
  rc = svc_open(s, config);
  while (rc == SVC_IO && more && (more = serve_wait_more(until, signals)) != 0) rc = svc_open(s, config);
  return rc;
}

/* Opens the listeners: metrics->listener for the API, and *own for --metrics-listen, if set. Returns 0, or the exit status. */
static int serve_listen(const svcd_options *o, svcd_metrics *metrics, svcd_access *access, svcd_cert *cert, svc_listener **own)
{
  svc_listener_config k;
  char why[512];
  int status = serve_check_plain(o);
  if (status == 0) status = svcd_certificate(o, cert);
  if (status != 0) return status;
  k = serve_listener_config(o, metrics, access, cert);
  status = svc_listener_open(&metrics->listener, &k, why, sizeof why);
  if (status != SVC_OK) return svcd_error(status == SVC_INVALID ? 2 : 1, "%s", why);
  status = svcd_metrics_open(o, metrics, own);
  if (status != 0) svc_listener_close(metrics->listener);
  return status;
}

int svcd_serve(const svcd_options *o)
{
  char token[SVCD_TOKEN];
  svcd_metrics metrics = { .token = token, .sign_in = { .lock = PTHREAD_MUTEX_INITIALIZER, .token = token }, .everybody = o->metrics_public, .base_url = o->base_url, .began = time(NULL) };
  svcd_access access = { PTHREAD_MUTEX_INITIALIZER, -1, 0 };
  svc_limit_override limits[SVCD_LIMITS];
  svc_listener *listener = NULL, *metrics_listener = NULL;
  svcd_driver driver;
  svc_config config;
  svc *s = NULL;
  sigset_t signals;
  unsigned char key[SVCD_SECRET_KEY], next_key[SVCD_SECRET_KEY];
  svcd_cert cert;
  int status, new_folder = 0, next = 0, signal_number = 0;
  serve_signals(&signals);
  serve_raise_file_limit(o->max_connections);
  config = serve_config(o);
  status = svcd_test_config(o, &config, limits) == SVC_OK ? serve_try(&config) : 2;
  if (status == 0) status = svcd_test_token(o, token);
  if (status == 0) status = serve_watch_stdin(o);
  if (status != 0) return status;
  if (o->access_log && svcd_access_open(&access, o->access_log) != 0)
    return svcd_error(1, "--access-log %s: %s", o->access_log, strerror(errno));

  /* open the listener first: links of the service contain its actual port */
  status = serve_listen(o, &metrics, &access, &cert, &metrics_listener);
  if (status != 0) return status;
  listener = metrics.listener;
  if (!o->base_url) config.base_url = svc_listener_url(listener, 0);
  status = svcd_store(o, &config);
  if (status == 0) status = svcd_limiter(o, &config);
  if (status == 0) status = svcd_secret_key(o, key, &new_folder);
  if (status == 0) status = svcd_next_secret_key(o, next_key, &next);
  if (status == 0) status = svcd_driver_open(o, &driver);
  if (status != 0) {
    explicit_bzero(key, sizeof key);
    explicit_bzero(next_key, sizeof next_key);
    svcd_forget_secret_key(o, new_folder);
    svc_listener_close(metrics_listener);
    svc_listener_close(listener);
    return status;
  }
  config.secret_key = key;
  config.secret_key_next = next ? next_key : NULL;
  if (o->log_level && strcmp(o->log_level, "info") == 0) config.notify = serve_notify;
  config.notify_context = config.log_context;
  config.driver = svcd_driver_of(&driver);
  config.seal_passwords = o->seal_passwords; /* set after serve_try(), which has no key */
  status = o->upgrade && !o->memory && svcd_upgrade(o) != 0 ? SVC_IO : serve_open(&s, &config, o, &signals); /* both report errors */
  if (status != SVC_OK) svcd_forget_secret_key(o, new_folder);
  status = status == SVC_OK ? svcd_keep_secret_key(o, key) : status == SVC_INVALID ? 2 : 1;
  explicit_bzero(key, sizeof key); /* the handle has copies */
  explicit_bzero(next_key, sizeof next_key);
  if (status == 0) status = svcd_driver_begin(&driver, s);
  if (status == 0) serve_warn(o, listener);
  metrics.s = s;
  if (status == 0) status = serve_until_signal(s, &metrics, metrics_listener, o, config.base_url, &cert, &access, &signals, &signal_number);
  if (signal_number > 0) serve_stop(s, listener, o, &driver, signal_number, &signals);

  svc_listener_close(listener);
  svc_listener_close(metrics_listener);
  svcd_driver_stop(&driver);
  svc_close(s);
  svcd_driver_close(&driver);
  return status;
}
