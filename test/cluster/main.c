/*
** ./build.sh test-cluster: two svcd behind one address, on their own PostgreSQL and Redis.
**
** The cases: both instances start at once on an empty store, and there is one organization. Limits are exact in sum. Of 1,000
** concurrent creates of one name one succeeds. If-Match loses no update. Due steps run once. Then, under load, an instance is
** killed, PostgreSQL is restarted, and Redis is killed and comes back: acknowledged writes are kept, the answers for each key are
** linearizable, and the service continues. The same holds through PgBouncer, and with Redis with TLS, with sentinels and as a
** cluster. Instances that disagree are refused. Instances are drained and restarted one by one without a failed request. The
** secret key is changed under load. Each subject has a file, and each case prints a line.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <mbedtls/base64.h>

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

cluster_site site;
static int passed;

void pass(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  printf("cluster: ok: ");
  vprintf(format, args);
  printf("\n");
  fflush(stdout);
  va_end(args);
  passed++;
}

/* Starts both instances at once, on an empty store. */
static void begin(void)
{
  int i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_begin(i);
  for (i = 0; i < CLUSTER_INSTANCES; i++) site.ports[i] = instance_wait(i);
  site.port = relay_start(site.ports);
}

void again(int i)
{
  instance_begin(i);
  instance_wait(i);
}

static void log_in(void)
{
  static http_answer answer;
  http_client c = { site.port, -1, 0 };
  char pair[256], headers[512];
  unsigned char basic[256];
  size_t n;
  snprintf(pair, sizeof pair, "%s:%s", site.place.client_id, site.place.client_secret);
  if (mbedtls_base64_encode(basic, sizeof basic, &n, (const unsigned char *)pair, strlen(pair)) != 0) cluster_die("no room");
  snprintf(headers, sizeof headers, "Authorization: Basic %s\r\nContent-Type: application/x-www-form-urlencoded\r\n", (char *)basic);
  http_ask(&c, "POST", "/api/oauth/token", headers, "grant_type=client_credentials", &answer);
  if (answer.status != 200 || !http_member(answer.body, "access_token", site.token, sizeof site.token)) cluster_die("no token: %.1000s", answer.text);
  snprintf(site.bearer, sizeof site.bearer, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", site.token);
  http_close(&c);
}

static void under_faults(void)
{
  faults_all("PostgreSQL and Redis", false);
}

static const struct main_subject {
  const char *name;
  void (*run)(void);
} subjects[] = {
  { "together", together_all }, { "faults", under_faults }, { "agree", agree_all }, { "rolling", rolling_all },
  { "pooler", fleet_pooler }, { "tls", fleet_tls }, { "sentinel", fleet_sentinel }, { "nodes", fleet_nodes },
};

/* Runs all subjects, or the named one. */
static void run(const char *only)
{
  int known = 0;
  size_t i;
  for (i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
    if (only && strcmp(only, subjects[i].name) != 0) continue;
    known++;
    subjects[i].run();
  }
  if (!known) cluster_die("no subject %s: together, faults, agree, rolling, pooler, tls, sentinel or nodes", only);
}

int main(int argc, char **argv)
{
  struct rlimit files;
  int i;
  signal(SIGPIPE, SIG_IGN);
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  history_try();
  begin();
  instance_place(&site.place);
  log_in();
  run(argc > 1 ? argv[1] : NULL);
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_stop(i);
  pass("both instances end as they should");
  printf("%d passed, 0 failed\n", passed);
  return 0;
}
