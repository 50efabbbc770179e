/*
** svcd: the service as a daemon. It is also the longest of the examples: flags, listener, service, first credentials,
** wait for a signal, stop, close, from top to bottom in main().
**
** The rule it keeps: whatever goes wrong at the start is one line on standard error, and status 2 when the command line
** is at fault, 1 otherwise. Nothing secret is printed unless --show-credentials asks for it: the credentials are in a
** file that only its owner can read, and no log shall hold them by accident.
*/
#define _GNU_SOURCE /* fsync, realpath, sigwait */
#include "listener.h"
#include "svcapi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SVCD_URLS 16
#define SVCD_PROXIES 16

typedef struct svcd_options {
  const char *data, *bootstrap, *base_url, *vendor, *cert, *key;
  const char *urls[SVCD_URLS], *proxies[SVCD_PROXIES];
  size_t url_count, proxy_count;
  long threads, provision_seconds;
  int no_sync, show_credentials;
} svcd_options;

static const char svcd_usage[] =
  "usage: svcd --data DIR [--listen http://127.0.0.1:8080]... [--threads N] [--bootstrap FILE] [--base-url URL]\n"
  "            [--vendor WORD] [--provision-seconds N] [--no-sync] [--show-credentials]\n"
  "            [--trusted-proxy ADDRESS]... [--cert FILE --key FILE] [--help] [--version]\n";

static const char svcd_help[] =
  "\n"
  "  --data DIR             folder of the store, made if it is missing\n"
  "  --listen URL           http://HOST:PORT, HOST an IP address; port 0 takes a free one; may be given several times\n"
  "  --threads N            event-loop threads (1)\n"
  "  --bootstrap FILE       where the first credentials are written when the store is empty (DIR/bootstrap.json)\n"
  "  --base-url URL         what links in answers start with (the first --listen URL)\n"
  "  --vendor WORD          the word in /api/WORD/v2 and application/vnd.WORD.DATE+json (svc)\n"
  "  --provision-seconds N  how long a cluster takes to be made; 0: no time at all (10)\n"
  "  --no-sync              do not wait for the disk: a power cut may damage the store\n"
  "  --show-credentials     print the first credentials, too, secrets and all, when they are made\n"
  "  --trusted-proxy ADDR   a proxy's address or network (10.0.0.0/8): the client is whom its X-Forwarded-For names\n"
  "  --cert, --key FILE     for https, which is not supported yet\n";

/* ------------------------------------------------------------------------------------------------------------ flags */

static int svcd_wrong(const char *what, const char *flag)
{
  fprintf(stderr, "svcd: %s%s\n%s", flag, what, svcd_usage);
  return 2;
}

static int svcd_number(const char *text, long max, long *out)
{
  char *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out <= max;
}

static int svcd_one_more(const char **list, size_t *count, size_t most, const char *flag, const char *value)
{
  if (*count == most) return svcd_wrong(": too many of them", flag);
  list[(*count)++] = value;
  return 0;
}

/* A flag that has a value. Returns 0, or the status to exit with. */
static int svcd_flag(svcd_options *o, const char *flag, const char *value)
{
  const struct {
    const char *flag;
    const char **to;
  } texts[] = {
    { "--data", &o->data }, { "--bootstrap", &o->bootstrap }, { "--base-url", &o->base_url },
    { "--vendor", &o->vendor }, { "--cert", &o->cert }, { "--key", &o->key },
  };
  size_t i;
  if (strcmp(flag, "--listen") == 0) return svcd_one_more(o->urls, &o->url_count, SVCD_URLS, flag, value);
  if (strcmp(flag, "--trusted-proxy") == 0) return svcd_one_more(o->proxies, &o->proxy_count, SVCD_PROXIES, flag, value);
  if (strcmp(flag, "--threads") == 0)
    return svcd_number(value, 64, &o->threads) && o->threads > 0 ? 0 : svcd_wrong(": a number from 1 to 64", flag);
  if (strcmp(flag, "--provision-seconds") == 0)
    return svcd_number(value, 86400, &o->provision_seconds) ? 0 : svcd_wrong(": a number from 0 to 86400", flag);
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(flag, texts[i].flag) == 0) *texts[i].to = value;
  return value[0] ? 0 : svcd_wrong(": the value is empty", flag);
}

static int svcd_is_flag(const char *text)
{
  static const char *const flags[] = { "--data", "--listen", "--threads", "--bootstrap", "--base-url", "--vendor",
                                       "--provision-seconds", "--trusted-proxy", "--cert", "--key" };
  size_t i;
  for (i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (strcmp(text, flags[i]) == 0) return 1;
  return 0;
}

/* Paths are put behind the base URL, by the service and by who reads it from the file of credentials. */
static void svcd_trim(char *url)
{
  size_t n = strlen(url);
  while (n && url[n - 1] == '/') url[--n] = '\0';
}

/* Returns -1 to go on, or the status to exit with. */
static int svcd_parse(svcd_options *o, int argc, char **argv)
{
  int i, status;
  memset(o, 0, sizeof *o);
  o->provision_seconds = -1;
  for (i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) return printf("%s%s", svcd_usage, svcd_help) < 0;
    if (strcmp(argv[i], "--version") == 0) return printf("svcd %s\n", svc_version()) < 0;
    if (strcmp(argv[i], "--no-sync") == 0) {
      o->no_sync = 1;
      continue;
    }
    if (strcmp(argv[i], "--show-credentials") == 0) {
      o->show_credentials = 1;
      continue;
    }
    if (!svcd_is_flag(argv[i])) return svcd_wrong(": no such flag", argv[i]);
    if (i + 1 == argc) return svcd_wrong(" needs a value", argv[i]);
    if (strcmp(argv[i], "--base-url") == 0) svcd_trim(argv[i + 1]);
    status = svcd_flag(o, argv[i], argv[i + 1]);
    if (status) return status;
    i++;
  }
  if (!o->data) return svcd_wrong(" is missing", "--data DIR");
  if (o->url_count == 0) o->urls[o->url_count++] = "http://127.0.0.1:8080";
  for (i = 0; i < (int)o->url_count; i++)
    if (o->cert || o->key || strncmp(o->urls[i], "https:", 6) == 0) {
      fprintf(stderr, "svcd: https is not supported yet: listen on http, without --cert and --key\n");
      return 2;
    }
  return -1;
}

/* ---------------------------------------------------------------------------------------------------- first contact */

static void svcd_log(void *context, int level, const char *text)
{
  (void)context;
  if (level <= SVC_LOG_WARNING) fprintf(stderr, "svcd: %s\n", text);
}

static int svcd_write_credentials(int fd, const char *base_url, const svc_credentials *c)
{
  char text[4096];
  int n = snprintf(text, sizeof text,
                   "{\"baseUrl\":\"%s\",\"orgId\":\"%s\",\"groupId\":\"%s\",\"publicKey\":\"%s\",\"privateKey\":\"%s\","
                   "\"clientId\":\"%s\",\"clientSecret\":\"%s\"}\n",
                   base_url, c->org_id, c->group_id, c->public_key, c->private_key, c->client_id, c->client_secret);
  if (n < 0 || (size_t)n >= sizeof text) return -1;
  if (write(fd, text, (size_t)n) != n) return -1;
  return fsync(fd);
}

/* In single quotes, for a shell. */
static void svcd_print_quoted(const char *text)
{
  putchar('\'');
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", stdout);
    else putchar(*text);
  }
  putchar('\'');
}

/*
** The line reads the key from the file, so that it can be pasted and still no log holds a secret. It names the file
** from the root and the port itself, not the base URL, so that it works in any folder, whatever stands in front of us.
*/
static void svcd_print_try(const char *url, const char *vendor, const char *path)
{
  char *whole = realpath(path, NULL);
  printf("try:\n  curl --digest --user "
         "\"$(sed 's/.*\"publicKey\":\"\\([^\"]*\\)\",\"privateKey\":\"\\([^\"]*\\)\".*/\\1:\\2/' ");
  svcd_print_quoted(whole ? whole : path);
  printf(")\" '%s/api/%s/v2/orgs?pretty=true'\n", url, vendor);
  free(whole);
}

static void svcd_greet(const svcd_options *o, const char *base_url, const svc_credentials *c, const char *path)
{
  printf("base URL:      %s\norganization:  %s\n", base_url, c->org_id);
  if (o->show_credentials)
    printf("project:       %s\npublicKey:     %s\nprivateKey:    %s\nclientId:      %s\nclientSecret:  %s\n", c->group_id,
           c->public_key, c->private_key, c->client_id, c->client_secret);
  printf("credentials:   %s\n", path);
}

/* The store is not new, so nothing secret is known any more: at the most where it was written to. */
static void svcd_greet_again(const char *base_url, const char *path)
{
  int there = access(path, F_OK) == 0;
  printf("base URL:      %s\ncredentials:   %s, %s\n", base_url, path,
         there ? "written when the store was made" : "written when the store was made, is not there any more");
}

/* Is there an organization? Then whoever made it has the credentials, and no file is to be touched. */
static int svcd_is_set_up(svc *s, const char *vendor)
{
  static const svc_grant grant = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "svcd", &grant, 1 };
  char target[512];
  svc_request request = { .method = "GET", .target = target, .caller = &host };
  svc_response response;
  int there;
  snprintf(target, sizeof target, "/api/%s/v2/orgs?itemsPerPage=1", vendor);
  svc_handle_request(s, &request, &response);
  there = response.status == 200 && !strstr(response.body, "\"results\":[]");
  svc_response_free(&response);
  return there;
}

/*
** On an empty store: the first organization, project and credentials. The secrets exist only in this moment, so the
** file is made before them, and gets its name when it is complete; if it cannot get that, it stays as it is.
*/
static int svcd_bootstrap(svc *s, const svcd_options *o, const char *base_url, const char *url, const char *path)
{
  const char *vendor = o->vendor ? o->vendor : "svc";
  char new_path[4096];
  svc_credentials credentials;
  struct stat there;
  int fd, rc, written, named;
  if (svcd_is_set_up(s, vendor)) {
    if (o->show_credentials) svcd_greet_again(base_url, path);
    if (o->show_credentials && access(path, R_OK) == 0) svcd_print_try(url, vendor, path);
    return 0;
  }
  if ((size_t)snprintf(new_path, sizeof new_path, "%s.new", path) >= sizeof new_path) {
    fprintf(stderr, "svcd: %s: the name is too long\n", path);
    return -1;
  }
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) { /* /dev/null, say: a rename would replace even that */
    fprintf(stderr, "svcd: cannot write %s: it is there, and not a file\n", path);
    return -1;
  }
  unlink(new_path);
  fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    fprintf(stderr, "svcd: cannot write %s: %s\n", path, strerror(errno));
    return -1;
  }
  memset(&credentials, 0, sizeof credentials);
  rc = svc_bootstrap(s, &credentials);
  written = rc == SVC_OK && svcd_write_credentials(fd, base_url, &credentials) == 0;
  named = written && rename(new_path, path) == 0;
  close(fd);
  if (!written) unlink(new_path);
  if (rc != SVC_OK) fprintf(stderr, "svcd: cannot set up the store: %s\n", svc_strerror(rc));
  else if (!written) fprintf(stderr, "svcd: cannot write %s: remove %s and start again\n", path, o->data);
  else if (!named) fprintf(stderr, "svcd: cannot write %s: the credentials are in %s\n", path, new_path);
  else svcd_greet(o, base_url, &credentials, path), svcd_print_try(url, vendor, path);
  memset(&credentials, 0, sizeof credentials);
  return named ? 0 : -1;
}

/* Prepare an opened service, then serve until a signal comes. Returns the status to exit with. */
static int svcd_serve(svc *s, svc_listener *listener, const svcd_options *o, const char *base_url,
                      const sigset_t *signals)
{
  size_t i;
  int signal_number;
  char path[4096];
  if (!o->bootstrap && (size_t)snprintf(path, sizeof path, "%s/bootstrap.json", o->data) >= sizeof path) {
    fprintf(stderr, "svcd: %s: the name is too long\n", o->data);
    return 1;
  }
  if (svcd_bootstrap(s, o, base_url, svc_listener_url(listener, 0), o->bootstrap ? o->bootstrap : path) != 0) return 1;
  if (svc_listener_start(listener, s) != SVC_OK) {
    fprintf(stderr, "svcd: cannot start threads\n");
    return 1;
  }
  printf("svcd ready on");
  for (i = 0; i < o->url_count; i++) printf(" %s", svc_listener_url(listener, i));
  printf("\n");
  fflush(stdout);
  sigwait(signals, &signal_number);
  svc_listener_stop(listener); /* answers what is under way */
  return 0;
}

/* ------------------------------------------------------------------------------------------------------------- main */

/* A connection is a file: allow as many as this user may have, within reason. */
static void svcd_raise_file_limit(void)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 4096) return;
  files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
  setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv)
{
  svcd_options o;
  svc_listener_config listen;
  svc_config config;
  svc_listener *listener = NULL;
  svc *s = NULL;
  sigset_t signals;
  char why[256];
  int status = svcd_parse(&o, argc, argv);
  if (status >= 0) return status;

  /* the signals that end it wait until sigwait() asks for them; the listener's threads take none */
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  svcd_raise_file_limit();

  /* the listener comes first: the links of the service start with the port it really has */
  memset(&listen, 0, sizeof listen);
  listen.urls = o.urls;
  listen.url_count = o.url_count;
  listen.trusted_proxies = o.proxies;
  listen.trusted_proxy_count = o.proxy_count;
  listen.threads = (size_t)o.threads;
  listen.log = svcd_log;
  status = svc_listener_open(&listener, &listen, why, sizeof why);
  if (status != SVC_OK) {
    fprintf(stderr, "svcd: %s\n", why);
    return status == SVC_INVALID ? 2 : 1;
  }

  memset(&config, 0, sizeof config);
  config.path = o.data;
  config.base_url = o.base_url ? o.base_url : svc_listener_url(listener, 0);
  config.vendor = o.vendor;
  config.durability = o.no_sync ? SVC_NO_SYNC : SVC_DURABLE;
  config.log = svcd_log;
  if (o.provision_seconds >= 0)
    config.provision_ms = o.provision_seconds ? o.provision_seconds * (int64_t)1000 : SVC_PROVISION_NOW;
  status = svc_open(&s, &config); /* says itself what is wrong */
  if (status == SVC_OK) status = svcd_serve(s, listener, &o, config.base_url, &signals);
  else status = status == SVC_INVALID ? 2 : 1;

  svc_listener_close(listener);
  svc_close(s);
  return status;
}
