/*
** Counters of a handle, the metrics text for Prometheus, and failed sign-ins. Failed sign-ins are counted, and logged without secrets
** in a limited number of lines.
*/
#include "support.h"

#include "faults.h"

#define STATS_ORGS "/api/svc/v2/orgs"

typedef struct stats_log {
  char text[8192];
  size_t lines;
} stats_log;

static void stats_say(void *context, int level, const char *text)
{
  stats_log *log = context;
  size_t n = strlen(log->text);
  if (level != SVC_LOG_WARNING && level != SVC_LOG_ERROR) return;
  log->lines++;
  snprintf(log->text + n, sizeof log->text - n, "%s\n", text);
}

static int64_t stats_clock(void *context)
{
  return *(int64_t *)context += 20000; /* each call advances the clock by twenty microseconds */
}

static int stats_send(svc *s, const char *method, const char *target, const char *authorization, const char *body)
{
  const svc_header headers[] = { { "Authorization", authorization, 0, 0 }, { "Content-Type", "application/x-www-form-urlencoded", 0, 0 } };
  svc_request request = { .method = method, .target = target, .headers = headers, .header_count = authorization ? 2 : 0, .body = body,
                          .body_length = body ? strlen(body) : 0, .peer = "192.0.2.7" };
  svc_response response;
  int status;
  munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK);
  status = response.status;
  svc_response_free(&response);
  return status;
}

static bool stats_has(svc *s, const char *line)
{
  svc_response out;
  char with[256];
  bool has;
  munit_assert_int(svc_metrics_text(s, NULL, &out), ==, SVC_OK);
  snprintf(with, sizeof with, "\n%s\n", line);
  has = strstr(out.body, with) != NULL;
  if (!has) munit_logf(MUNIT_LOG_WARNING, "no %s in %s", line, out.body);
  svc_response_free(&out);
  return has;
}

TEST(stats, counted)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "host", &owner, 1, 0 };
  svc_request request = { .method = "GET", .target = STATS_ORGS, .caller = &host };
  svc_statistics now;
  svc_response response;
  svc_credentials c;
  svc_config config;
  int64_t ns = 0;
  svc *s;
  int i, limited = 0;
  memset(&config, 0, sizeof config);
  config.metrics = 1;
  config.monotonic = stats_clock;
  config.monotonic_context = &ns;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_bootstrap(s, &c), ==, SVC_OK);
  munit_assert_int(svc_stats(s, &now), ==, SVC_OK);
  munit_assert_uint64(now.requests, ==, 0);
  munit_assert_uint64(now.commits, ==, 2); /* the vendor word of a new store, and the first organization */
  munit_assert_uint64(now.writes, ==, 2);
  munit_assert_uint64(now.store_bytes, >, 4096);
  munit_assert_uint64(now.map_bytes, >=, now.store_bytes);
  for (i = 0; i < 40; i++) {
    munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK);
    munit_assert_string_equal(response.operation, "listOrgs");
    munit_assert_null(response.caller); /* the host names its own caller */
    limited += response.status == 429;
    svc_response_free(&response);
  }
  stats_send(s, "GET", "/nowhere/at/all?secret=1", NULL, NULL);
  munit_assert_int(svc_stats(s, &now), ==, SVC_OK);
  munit_assert_uint64(now.requests, ==, 41);
  munit_assert_uint64(now.answers[2], ==, (uint64_t)(40 - limited));
  munit_assert_uint64(now.answers[4], ==, (uint64_t)limited + 1);
  munit_assert_uint64(now.limited, ==, (uint64_t)limited);
  munit_assert_true(stats_has(s, "svc_requests_total{operation=\"none\",code=\"404\"} 1"));
  munit_assert_true(stats_has(s, "# TYPE svc_request_seconds histogram"));
  munit_assert_true(stats_has(s, "svc_request_seconds_bucket{operation=\"listOrgs\",le=\"0.000010\"} 0"));
  munit_assert_true(stats_has(s, "svc_request_seconds_bucket{operation=\"listOrgs\",le=\"0.000050\"} 40"));
  munit_assert_true(stats_has(s, "svc_request_seconds_bucket{operation=\"listOrgs\",le=\"+Inf\"} 40"));
  munit_assert_true(stats_has(s, "svc_request_seconds_sum{operation=\"listOrgs\"} 0.000800"));
  munit_assert_true(stats_has(s, "svc_request_seconds_count{operation=\"listOrgs\"} 40"));
  munit_assert_true(stats_has(s, "svc_commits_total 2"));
  munit_assert_int(svc_metrics_text(s, "mine 1\n", &response), ==, SVC_OK);
  munit_assert_null(strstr(response.body, "nowhere"));
  munit_assert_not_null(strstr(response.body, "\nmine 1\n"));
  munit_assert_not_null(strstr(response.body, ",outcome=\"taken\"} "));
  munit_assert_string_equal(svc_response_header(&response, "content-type"), "text/plain; version=0.0.4; charset=utf-8");
  svc_response_free(&response);
  svc_close(s);
}

/* A caller of another version passes a shorter or longer struct. Without `metrics` there is no text, but the basic counters are
** available. */
TEST(stats, sizes)
{
  struct { svc_statistics known; uint64_t more; } longer;
  uint64_t first[1] = { 7 };
  svc_statistics now;
  svc_response out;
  svc_config config;
  svc *s;
  memset(&config, 0, sizeof config);
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(stats_send(s, "GET", STATS_ORGS, NULL, NULL), ==, 401);
  munit_assert_int(svc_stats_as(s, (svc_statistics *)(void *)first, sizeof first), ==, SVC_OK);
  munit_assert_uint64(first[0], ==, 0);
  memset(&longer, 1, sizeof longer);
  munit_assert_int(svc_stats_as(s, &longer.known, sizeof longer), ==, SVC_OK);
  munit_assert_uint64(longer.more, ==, 0);
  munit_assert_uint64(longer.known.store_bytes, >, 0);
  munit_assert_int(svc_stats_as(s, &now, 4), ==, SVC_INVALID);
  munit_assert_int((svc_stats)(s, &now), ==, SVC_OK);
  munit_assert_int(svc_stats(NULL, &now), ==, SVC_INVALID);
  munit_assert_int(svc_metrics_text(s, NULL, &out), ==, SVC_INVALID);
  munit_assert_null(out.body);
  svc_close(s);
}

TEST(stats, sign_ins)
{
  static const char *const secrets[] = { "bWlzdHlwZWQtdG9rZW4", "svc_sa_sk_verysecretverysecret", "0123456789abcdef", "passw0rd" };
  stats_log log = { "", 0 };
  t_service t;
  svc_config config;
  svc_statistics now;
  char header[512], key[16], id[48], secret[96];
  svc_credentials c;
  size_t i;
  memset(&config, 0, sizeof config);
  t_open(&t, &config);
  t.s->config.log = stats_say;
  t.s->config.log_context = &log;
  munit_assert_int(svc_bootstrap(t.s, &c), ==, SVC_OK);
  snprintf(key, sizeof key, "%s", c.public_key);
  snprintf(id, sizeof id, "%s", c.client_id);
  snprintf(secret, sizeof secret, "%s", c.client_secret);
  stats_send(t.s, "GET", STATS_ORGS, NULL, NULL); /* a request without credentials is no failed sign-in */
  munit_assert_size(log.lines, ==, 0);
  snprintf(header, sizeof header, "Bearer %s", secrets[0]);
  munit_assert_int(stats_send(t.s, "GET", STATS_ORGS, header, NULL), ==, 401);
  munit_assert_not_null(strstr(log.text, "sign-in failed: bearer token from 192.0.2.7: USER_UNAUTHORIZED\n"));
  snprintf(header, sizeof header, "Digest username=\"%s\", realm=\"svc\", nonce=\"x\", uri=\"" STATS_ORGS "\", qop=auth, nc=00000001, "
           "cnonce=\"a\", response=\"%s\"", key, secrets[2]);
  munit_assert_int(stats_send(t.s, "GET", STATS_ORGS, header, NULL), ==, 401);
  snprintf(header, sizeof header, "sign-in failed: public key %.4s... from 192.0.2.7", key);
  munit_assert_not_null(strstr(log.text, header));
  munit_assert_null(strstr(log.text, key));
  /* "svc_sa_id_...:passw0rd", and a secret in place of the id: the log shows at most half of an id, and at most twelve characters */
  munit_assert_int(stats_send(t.s, "POST", "/api/oauth/token", "Basic c3ZjX3NhX2lkXzAwMDAwMDAwMDAwMDpwYXNzdzByZA==", "grant_type=client_credentials"), ==, 401);
  munit_assert_not_null(strstr(log.text, "sign-in failed: client svc_sa_id_0... from 192.0.2.7"));
  stats_send(t.s, "POST", "/api/oauth/token", "Basic c3ZjX3NhX3NrX3ZlcnlzZWNyZXR2ZXJ5c2VjcmV0Og==", "grant_type=client_credentials");
  munit_assert_not_null(strstr(log.text, "client svc_sa_sk_ve... from"));
  for (i = 0; i < sizeof secrets / sizeof secrets[0]; i++) munit_assert_null(strstr(log.text, secrets[i]));
  munit_assert_size(log.lines, ==, 4);
  /* five lines per second; the number of omitted lines is logged later */
  for (i = 0; i < 50; i++) stats_send(t.s, "GET", STATS_ORGS, "Bearer nobody", NULL);
  munit_assert_size(log.lines, ==, 5);
  t_advance(&t, 1);
  stats_send(t.s, "GET", STATS_ORGS, "Digest username=\"a\nb\xFF\"", NULL);
  munit_assert_size(log.lines, ==, 7);
  munit_assert_not_null(strstr(log.text, "sign-in failed: 49 or more further lines in one second"));
  munit_assert_int(svc_stats(t.s, &now), ==, SVC_OK);
  munit_assert_uint64(now.sign_ins_failed, ==, 55);
  t_advance(&t, 1);
  for (i = 0; i < 300; i++) stats_send(t.s, "GET", STATS_ORGS, "Digest username=\"AZ@[`{/:_-azAZ@[`{/:_-az\"", NULL);
  munit_assert_size(log.lines, ==, 12);
  munit_assert_not_null(strstr(log.text, "public key AZ??????_-az... from"));
  t_advance(&t, 1);
  stats_send(t.s, "GET", STATS_ORGS, "Bearer nobody", NULL);
  munit_assert_not_null(strstr(log.text, "sign-in failed: 250 or more further lines in one second")); /* the count stops there */
  munit_assert_size(log.lines, ==, 14);
  /* after a successful sign-in the answer names the caller, and nothing is logged */
  munit_assert_int(t_as_account(&t, id, secret), ==, 200);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_string_equal(t.response.caller, id);
  munit_assert_string_equal(t.response.operation, "listOrgs");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200); /* the handle knows the token by now */
  munit_assert_string_equal(t.response.caller, id);
  munit_assert_size(log.lines, ==, 14);
  t.s->config.log = NULL;
  t_close(&t);
}

/* A store that fails for a while causes five log lines per second, not one per request. */
TEST(stats, store_gone)
{
  stats_log log = { "", 0 };
  t_service t;
  size_t i;
  SKIP_IF(!T_ON_LMDB);
  t_open(&t, NULL);
  t.s->config.log = stats_say;
  t.s->config.log_context = &log;
  t_fault(T_CALL_LMDB, 1, EIO, true);
  for (i = 0; i < 50; i++) munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 503);
  munit_assert_size(log.lines, ==, 5);
  t_advance(&t, 1);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 503);
  munit_assert_long(t_fault_end(), >, 0);
  munit_assert_size(log.lines, ==, 7);
  munit_assert_not_null(strstr(log.text, "store: 45 or more further lines in one second were left out\nstore: "));
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_size(log.lines, ==, 7);
  t.s->config.log = NULL;
  t_close(&t);
}

static int64_t stats_backwards(void *context)
{
  return *(int64_t *)context -= 20000;
}

static int64_t stats_slow(void *context)
{
  return *(int64_t *)context += INT64_C(3600000000000);
}

/* Without a clock there are no durations. A broken clock causes no impossible durations. Requests for access tokens are counted under
** a limiter set of their own. */
TEST(stats, clocks)
{
  static int64_t (*const clocks[])(void *context) = { NULL, stats_backwards, stats_slow };
  size_t i;
  for (i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
    svc_config config;
    svc_response out;
    int64_t ns = INT64_C(1000000000000);
    svc *s;
    memset(&config, 0, sizeof config);
    config.metrics = 1;
    config.monotonic = clocks[i];
    config.monotonic_context = &ns;
    munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
    munit_assert_int(stats_send(s, "GET", STATS_ORGS, NULL, NULL), ==, 401);
    munit_assert_int(stats_send(s, "POST", "/api/oauth/token", "Basic c3ZjX3NhX2lkXzAwMDAwMDAwMDAwMDpwYXNzdzByZA==", "grant_type=client_credentials"), ==, 401);
    munit_assert_true(stats_has(s, "svc_requests_total{operation=\"listOrgs\",code=\"401\"} 1"));
    munit_assert_true(stats_has(s, "svc_limiter_total{set=\"access_tokens\",outcome=\"taken\"} 1"));
    munit_assert_int(svc_metrics_text(s, NULL, &out), ==, SVC_OK);
    if (!clocks[i]) munit_assert_null(strstr(out.body, "svc_request_seconds"));
    else munit_assert_not_null(strstr(out.body, i == 1 ? "svc_request_seconds_sum{operation=\"listOrgs\"} 0.000000\n"
                                                       : "svc_request_seconds_sum{operation=\"listOrgs\"} 3600.000000\n"));
    if (i == 2) munit_assert_not_null(strstr(out.body, "le=\"+Inf\"} 1\n"));
    svc_response_free(&out);
    svc_close(s);
  }
}

static int64_t stats_tenths(void *context)
{
  return *(int64_t *)context += 100000000; /* each call advances the clock by a tenth of a second */
}

typedef struct stats_events {
  char events[512], text[4096];
} stats_events;

static void stats_event(void *context, int level, const char *event, const char *text)
{
  stats_events *log = context;
  size_t n = strlen(log->events), at = strlen(log->text);
  snprintf(log->events + n, sizeof log->events - n, "%d %s\n", level, event);
  snprintf(log->text + at, sizeof log->text - at, "%s\n", text);
}

static void stats_never(void *context, int level, const char *text)
{
  (void)context;
  munit_errorf("svc_config.log is called beside log_event: %d %s", level, text);
}

/* A slow request is logged as a warning, with the parts of its duration and its trace, but without path and parameters. */
TEST(stats, slow)
{
  static const char trace[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "host", &owner, 1, 0 };
  const svc_header headers[] = { { "Content-Type", "application/json", 0, 0 }, { "traceparent", trace, 0, 0 } };
  svc_request get = { .method = "GET", .target = STATS_ORGS "?name=hidden", .caller = &host, .peer = "192.0.2.7" };
  svc_request post = { .method = "POST", .target = STATS_ORGS "?pretty=false", .caller = &host, .headers = headers, .header_count = 2,
                       .body = "{\"name\":\"Hidden\"}", .body_length = 17 };
  stats_events log = { "", "" };
  svc_response response;
  svc_config config;
  int64_t ns = 0;
  svc *s;
  memset(&config, 0, sizeof config);
  config.log = stats_never;
  config.log_event = stats_event;
  config.log_context = &log;
  config.slow_ms = 300;
  config.monotonic = stats_tenths;
  config.monotonic_context = &ns;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_handle_request(s, &get, &response), ==, SVC_OK); /* takes a tenth of a second */
  svc_response_free(&response);
  munit_assert_string_equal(log.events, "");
  munit_assert_int(svc_handle_request(s, &post, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
  munit_assert_string_equal(log.events, "2 request.slow\n");
  munit_assert_string_equal(log.text, "slow request: createOrg took 500 ms, waiting for a thread 0 ms, due steps 0 ms, limiter 0 ms, "
                            "waiting for the writer 100 ms, transaction and commit 100 ms, driver 0 ms, rest 300 ms, retries 0, traceparent "
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n");
  log.text[0] = '\0';
  get.waited_ns = INT64_C(7000000000);
  munit_assert_int(svc_handle_request(s, &get, &response), ==, SVC_OK);
  svc_response_free(&response);
  munit_assert_not_null(strstr(log.text, "slow request: listOrgs took 7100 ms, waiting for a thread 7000 ms, "));
  munit_assert_null(strstr(log.text, "traceparent"));
  munit_assert_null(strstr(log.text, "idden"));
  svc_close(s);
  config.monotonic = NULL; /* without a clock no duration is known */
  log.events[0] = '\0';
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_handle_request(s, &get, &response), ==, SVC_OK);
  svc_response_free(&response);
  munit_assert_string_equal(log.events, "");
  svc_close(s);
}

static int stats_no_size(svc_txn *txn, uint64_t *used, uint64_t *room)
{
  (void)txn, (void)used, (void)room;
  return SVC_IO;
}

/* The size is 0 for a store that cannot report it. If reporting fails, the last known size counts. late_ms shows a late due step. */
TEST(stats, stores)
{
  svc_store_port port = *t_port();
  svc_config config;
  svc_statistics now;
  svc_response out;
  t_service t;
  memset(&config, 0, sizeof config);
  config.metrics = 1;
  config.provision_ms = 60000;
  config.store = &port;
  t_open(&t, &config);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                           "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}",
                           "/groups/%s/clusters", t_project(&t, t_organization(&t, "Acme"), "alpha")), ==, 201);
  munit_assert_int(svc_stats(t.s, &now), ==, SVC_OK);
  munit_assert_int64(now.late_ms, ==, 0);
  munit_assert_uint64(now.store_bytes, >, 0);
  t_advance(&t, 3600);
  port.size = NULL;
  munit_assert_int(svc_stats(t.s, &now), ==, SVC_OK);
  munit_assert_int64(now.late_ms, >, 0);
  munit_assert_uint64(now.store_bytes, ==, 0);
  port.size = stats_no_size;
  munit_assert_int(svc_stats(t.s, &now), ==, SVC_OK); /* the last known size */
  munit_assert_uint64(now.store_bytes, >, 0);
  munit_assert_int(svc_metrics_text(t.s, NULL, &out), ==, SVC_OK);
  munit_assert_not_null(strstr(out.body, "svc_commits_total "));
  svc_response_free(&out);
  t_close(&t);
}

/* An answer without memory is counted by its status, and is missing in the journal. */
TEST(stats, memory)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "host", &owner, 1, 0 };
  const svc_request request = { .method = "GET", .target = STATS_ORGS, .caller = &host };
  t_memory memory = { 0, 0, 0, false };
  svc_statistics now;
  svc_response response;
  svc_config config;
  svc *s;
  long at;
  int rc = SVC_NOMEM;
  memset(&config, 0, sizeof config);
  config.metrics = 1;
  config.journal = 100;
  config.limiter_off = 1;
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &memory;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  for (at = 1; rc == SVC_NOMEM; at++) {
    memory.calls = 0;
    memory.fail_at = at;
    rc = svc_handle_request(s, &request, &response);
    memory.fail_at = 0;
    munit_assert_int(response.status, ==, rc == SVC_OK ? 200 : 503);
    svc_response_free(&response);
  }
  munit_assert_long(at, >, 2);
  munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK); /* the journal had no memory for the request before */
  svc_response_free(&response);
  munit_assert_int(svc_stats(s, &now), ==, SVC_OK);
  munit_assert_uint64(now.answers[5], ==, (uint64_t)at - 2);
  munit_assert_uint64(now.answers[2], ==, 2);
  munit_assert_int(svc_journal_read(s, 10, &response), ==, SVC_OK);
  munit_assert_null(strstr(response.body, "503"));
  munit_assert_not_null(strstr(response.body, STATS_ORGS));
  svc_response_free(&response);
  svc_close(s);
  munit_assert_long(memory.live, ==, 0);
}

static bool stats_run(svc_call *c)
{
  bool good = svc_answer_nothing(c);
  if (strstr(c->plan->route->path, "odd")) c->answer.status = 205;
  return good;
}

/* A route without an operationId is counted as "other". An unusual status is counted, too. */
TEST(stats, nameless)
{
  static const svc_route routes[] = { { .method = SVC_GET, .path = "/nameless", .set = SVC_SET_EVENT_TYPES, .versions = { 20250101 },
                                        .flags = SVC_NO_BODY, .run = stats_run },
                                      { .method = SVC_GET, .path = "/nameless/odd", .set = SVC_SET_EVENT_TYPES, .versions = { 20250101 },
                                        .flags = SVC_NO_BODY, .run = stats_run } };
  static const svc_noun noun = { .name = "nameless", .flags = SVC_VIRTUAL, .routes = SVC_ROUTES(routes) };
  static const svc_noun *const nouns[] = { &noun, NULL };
  svc_config config;
  t_service t;
  memset(&config, 0, sizeof config);
  config.metrics = 1;
  t_probes(nouns);
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/nameless", NULL), ==, 204);
  munit_assert_true(stats_has(t.s, "svc_requests_total{operation=\"other\",code=\"204\"} 1"));
  munit_assert_int(t_send(&t, "GET", "/nameless/odd", NULL), ==, 205);
  munit_assert_true(stats_has(t.s, "svc_requests_total{operation=\"other\",code=\"0\"} 1"));
  t_close(&t);
  t_probes(NULL);
}
