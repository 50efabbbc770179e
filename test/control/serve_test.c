/*
** Test control over HTTP, without sockets: which paths exist, and above all which requests have access.
*/
#include "control/control.h"
#include "faults.h"
#include "support.h"

#include <errno.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

typedef struct serve_world {
  t_service t;
  const char *token, *peer, *host, *origin, *authorization; /* of the requests; token: the host's. NULL: none */
  bool scarce;                                              /* requests may run out of memory */
  const char *type;                                         /* Content-Type of the bodies; NULL: JSON */
} serve_world;

static void serve_open(serve_world *w, const svc_config *changes)
{
  svc_config config = { .manual_clock = T_START, .seed = 3, .journal = 50 };
  memset(w, 0, sizeof *w);
  t_open(&w->t, changes ? changes : &config);
  w->token = TOKEN;
  w->authorization = "Bearer " TOKEN;
  w->host = "127.0.0.1:8080";
}

/* Sends a request. Its answer becomes the service's last answer, which t_str() and similar functions read. */
static int serve_send(serve_world *w, const char *method, const char *target, const char *body)
{
  svc_header headers[4];
  svc_request request = { .method = method, .target = target, .headers = headers, .peer = w->peer };
  size_t n = 0;
  int rc;
  svc_response_free(&w->t.response);
  svc_blocks_free(w->t.arena.blocks);
  svc_arena_init(&w->t.arena, NULL);
  w->t.body = NULL;
  headers[n++] = (svc_header){ "Content-Type", w->type ? w->type : "application/json", 0, 0 };
  if (w->authorization) headers[n++] = (svc_header){ "Authorization", w->authorization, 0, 0 };
  if (w->host) headers[n++] = (svc_header){ "Host", w->host, 0, 0 };
  if (w->origin) headers[n++] = (svc_header){ "Origin", w->origin, 0, 0 };
  request.header_count = n;
  request.body = body;
  request.body_length = body ? strlen(body) : 0;
  rc = svc_control_request(w->t.s, w->token, &request, &w->t.response);
  munit_assert_true(rc == SVC_OK || (w->scarce && rc == SVC_NOMEM && w->t.response.status == 503));
  if (w->t.response.body_length) {
    w->t.body = svc_json_parse(&w->t.arena, (svc_str){ w->t.response.body, w->t.response.body_length });
    munit_assert_not_null(w->t.body);
  }
  return w->t.response.status;
}

static const char *const serve_all[][3] = {
  { "GET", "/_svc/clock", NULL }, { "POST", "/_svc/clock", "{\"advanceSeconds\":60}" }, { "POST", "/_svc/reset", NULL },
  { "GET", "/_svc/snapshots", NULL }, { "POST", "/_svc/snapshots", "{\"name\":\"a\"}" }, { "POST", "/_svc/snapshots/a:restore", "{}" },
  { "DELETE", "/_svc/snapshots/a", NULL }, { "GET", "/_svc/faults", NULL }, { "POST", "/_svc/faults", "{\"status\":503}" },
  { "DELETE", "/_svc/faults", NULL }, { "DELETE", "/_svc/faults/1", NULL }, { "GET", "/_svc/journal?limit=3", NULL },
  { "GET", "/_svc/journal?format=har", NULL }, { "GET", "/_svc/due", NULL }, { "POST", "/_svc/clock", "{\"rate\":5}" },
  { "POST", "/_svc/clock", "{\"toNextDue\":true}" }, { "POST", "/_svc/token", "{\"clientId\":\"x\"}" }, { "DELETE", "/_svc/journal", NULL }, { "GET", "/_svc/nothing", NULL }, { "GET", "/_svc/", NULL }, { "PUT", "/_svc/clock", "{}" },
};
#define SERVE_ALL (sizeof serve_all / sizeof serve_all[0])

/* Checks that all requests are refused with this status, and that nothing has changed. */
static void serve_refused(serve_world *w, int status)
{
  uint64_t print = store_print(w->t.s);
  size_t i;
  for (i = 0; i < SERVE_ALL; i++)
    if (serve_send(w, serve_all[i][0], serve_all[i][1], serve_all[i][2]) != status)
      munit_errorf("%s %s answers %d: %s", serve_all[i][0], serve_all[i][1], w->t.response.status, w->t.response.body);
  munit_assert_int64(svc_clock_now(w->t.s), ==, T_START);
  munit_assert_size(svc_fault_list(w->t.s, NULL, 0), ==, 1);
  munit_assert_true(store_print(w->t.s) == print);
}

TEST(serve, door)
{
  static const char *const tokens[] = { NULL, "", "Bearer", "Bearer ", "Bearer x", TOKEN, "Basic " TOKEN, "Bearer " TOKEN "0",
                                        "Bearer 0123456789abcdef0123456789abcdee" };
  static const char *const hosts[] = { "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
                                       "[::1].evil", "10.0.0.1", "", "localhost:8080.evil.example", "127.0.0.1:80x", "[::1]x",
                                       "[::1]:8080.evil.example" };
  static const char *const good[] = { "localhost", "LOCALHOST:1", "127.0.0.1", "[::1]", "[::1]:8080", NULL };
  static const char *const peers[] = { "10.0.0.1", "192.0.2.7", "::2", "fe80::1", "::ffff:10.0.0.1", "127.0.0.0/8", "nonsense" };
  static const char *const from[] = { "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", NULL };
  svc_fault fault = { .operation = "createGroup", .status = 500 };
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(svc_fault_add(w.t.s, &fault, NULL), ==, SVC_OK);
  for (i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
    w.authorization = tokens[i];
    serve_refused(&w, 401);
  }
  munit_assert_string_equal(t_get_header(&w.t, "WWW-Authenticate"), "Bearer realm=\"test control\"");
  t_fault(T_CALL_CRYPTO, 1, EIO, true); /* hashes that cannot be computed do not count as equal */
  w.scarce = true;
  serve_refused(&w, 503);
  w.scarce = false;
  munit_assert_long(t_fault_end(), >, 0);
  w.authorization = "Bearer " TOKEN;
  w.origin = "null";
  serve_refused(&w, 403);
  w.origin = "http://127.0.0.1:8080"; /* the server's own origin is refused, too */
  serve_refused(&w, 403);
  w.origin = NULL;
  for (i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
    w.host = hosts[i];
    serve_refused(&w, 403);
  }
  w.host = "localhost";
  for (i = 0; i < sizeof peers / sizeof peers[0]; i++) {
    w.peer = peers[i];
    serve_refused(&w, 403);
  }
  for (i = 0; i < sizeof from / sizeof from[0]; i++) {
    w.peer = from[i];
    w.host = good[i];
    munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  }
  w.token = "short"; /* the host's token is too short to be safe from guesses */
  w.authorization = "Bearer short";
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 401);
  munit_assert_int(w.t.response.delay_ms, >=, 100); /* a failed attempt is delayed */
  t_close(&w.t);
}

static void serve_hosts(serve_world *w, const char *const *hosts, int status)
{
  for (; *hosts; hosts++) {
    w->host = *hosts;
    if (serve_send(w, "GET", "/_svc/clock", NULL) != status) munit_errorf("Host %s answers %d", *hosts, w->t.response.status);
  }
  w->host = "localhost";
}

/* Access from beyond loopback: every address is accepted. Host may have only names that no web page can have. */
TEST(serve, anywhere)
{
  static const char *const peers[] = { "10.0.0.1", "192.0.2.7", "fe80::1", "::ffff:10.0.0.1", "127.0.0.1", NULL };
  static const char *const good[] = { "localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8080", "10.1.2.3:80", "[fe80::1]", "svcd", "svcd:8080",
                                      "my_svc-1", "api.example", "API.example:443", NULL };
  static const char *const bad[] = { "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].evil",
                                     "[::1", "[svcd]", "[10.0.0.1]", "10.0.0.0/8", "svcd:x", "svcd:123456", "fe80::1", "svcd.",
                                     "api.example.evil", "", "a b", "[]", "999.1.1.1", NULL };
  static const char *const tokens[] = { NULL, "", "Bearer x", TOKEN, "Basic " TOKEN, "Bearer " TOKEN "0" };
  svc_config config = { .manual_clock = T_START, .seed = 3, .journal = 50, .control_anywhere = 1, .base_url = "https://api.example:8443/x" };
  svc_fault fault = { .operation = "createGroup", .status = 500 };
  serve_world w;
  size_t i;
  serve_open(&w, &config);
  munit_assert_int(svc_fault_add(w.t.s, &fault, NULL), ==, SVC_OK);
  for (i = 0; i < sizeof peers / sizeof peers[0]; i++) {
    w.peer = peers[i];
    serve_hosts(&w, good, 200);
  }
  w.peer = "10.0.0.1";
  for (i = 0; bad[i]; i++) {
    w.host = bad[i];
    serve_refused(&w, 403);
  }
  w.host = "svcd";
  for (i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
    w.authorization = tokens[i];
    serve_refused(&w, 401);
    munit_assert_int64(w.t.response.delay_ms, ==, 500);
  }
  w.authorization = "Bearer " TOKEN;
  w.origin = "http://svcd:8080"; /* the server's own origin is refused, too */
  serve_refused(&w, 403);
  w.origin = NULL;
  w.host = NULL; /* a client that sends no Host is no browser */
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  w.token = "short";
  w.authorization = "Bearer short"; /* a token that is easy to guess gives no access */
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 401);
  t_close(&w.t);
}

/* The list control_hosts replaces the rule for names without a dot. */
TEST(serve, anywhere_hosts)
{
  static const char *const good[] = { "api.test", "API.TEST:80", "other", "127.0.0.1", "localhost", "[::1]", NULL };
  static const char *const bad[] = { "svcd", "api", "test", "api.tes", "api.test.evil", "other.api.test", "evil.example", NULL };
  static const char *const wrong[] = { "", " ", "a  b", "http://a", "a:80", "a/b", "a..b", ".a" };
  char names[] = "api.test other";
  svc_config config = { .manual_clock = T_START, .control_anywhere = 1, .control_hosts = names };
  serve_world w;
  svc *s;
  size_t i;
  serve_open(&w, &config);
  memset(names, 'x', sizeof names - 1); /* the handle has a copy */
  w.peer = "192.0.2.1";
  serve_hosts(&w, good, 200);
  serve_hosts(&w, bad, 403);
  t_close(&w.t);
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    config.control_hosts = wrong[i];
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  }
  config = (svc_config){ .control_hosts = "svcd" }; /* names without access from beyond loopback */
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
}

/* Without a token from the host, test control answers as an unknown path does. The health path is open to everyone. */
TEST(serve, off)
{
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  w.token = NULL;
  for (i = 0; i < SERVE_ALL; i++) {
    munit_assert_int(serve_send(&w, serve_all[i][0], serve_all[i][1], serve_all[i][2]), ==, 404);
    munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");
  }
  for (i = 0; i < 2; i++) {
    w.authorization = w.host = NULL;
    w.origin = "http://evil.example";
    w.peer = "10.0.0.1";
    munit_assert_int(serve_send(&w, "GET", "/_svc/health", NULL), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "status"), "ok");
    munit_assert_string_equal(t_str(&w.t, "ready"), "true");
    munit_assert_string_equal(t_str(&w.t, "version"), SVC_VERSION);
    munit_assert_int(serve_send(&w, "POST", "/_svc/health", NULL), ==, 405);
    munit_assert_string_equal(t_get_header(&w.t, "Allow"), "GET, HEAD");
    w.token = TOKEN;
  }
  munit_assert_int(serve_send(&w, "GET", "/api/svc/v2/orgs", NULL), ==, 401); /* all other paths belong to the service */
  munit_assert_int(serve_send(&w, "GET", "/_svcx", NULL), ==, 404);
  t_close(&w.t);
}

TEST(serve, clock)
{
  static const char *const bad[] = { "", "{", "[]", "{}", "{\"advanceSeconds\":-1}", "{\"advanceSeconds\":1.5}", "{\"advanceSeconds\":\"1\"}",
    "{\"advanceSeconds\":9223372036854775807}", "{\"now\":\"2020-01-01T00:00:00Z\"}", "{\"now\":\"soon\"}", "{\"now\":5}",
    "{\"now\":\"2030-01-01T00:00:00Z\",\"advanceSeconds\":1}", "{\"Now\":\"2030-01-01T00:00:00Z\"}", "{\"advanceSeconds\":1,\"links\":[]}",
    "{\"rate\":-1}", "{\"rate\":1000001}", "{\"rate\":0.5}", "{\"rate\":1,\"advanceSeconds\":1}", "{\"toNextDue\":false}", "{\"toNextDue\":1}",
    "{\"toNextDue\":true,\"rate\":1}" };
  svc_config plain = { .journal = 1 };
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{\"manual\":true,\"nextDueMs\":null,\"now\":\"2025-06-01T00:00:00Z\",\"nowMs\":1748736000000,\"rate\":0}");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "now"), "2025-06-01T00:01:00Z");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (serve_send(&w, "POST", "/_svc/clock", bad[i]) != 400) munit_errorf("%s answers %d", bad[i], w.t.response.status);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START + 60000);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"now\":\"2030-01-01T00:00:00Z\"}"), ==, 200);
  munit_assert_int64(svc_clock_now(w.t.s), ==, INT64_C(1893456000000));
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/clock", NULL), ==, 405);
  munit_assert_string_equal(t_get_header(&w.t, "Allow"), "GET, HEAD, POST");
  t_close(&w.t);
  serve_open(&w, &plain);
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "manual"), "false");
  munit_assert_string_equal(t_str(&w.t, "rate"), "1");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"rate\":60}"), ==, 400);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"toNextDue\":true}"), ==, 400);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 400);
  t_close(&w.t);
}

/* Moves from step to step, the list of upcoming steps, a running clock, and a reset that stops it. */
/* The status of a request of the account with the token in `body`, an answer of the token endpoint. */
static int serve_status_with(serve_world *w, const char *token)
{
  char bearer[200];
  const svc_header header = { "Authorization", bearer, 0, 0 };
  const svc_request request = { .method = "GET", .target = "/api/svc/v2/groups", .headers = &header, .header_count = 1, .peer = "127.0.0.1" };
  svc_response response;
  int status;
  snprintf(bearer, sizeof bearer, "Bearer %s", token);
  munit_assert_int(svc_handle_request(w->t.s, &request, &response), ==, SVC_OK);
  status = response.status;
  svc_response_free(&response);
  return status;
}

/* A token without the secret: it lasts as long as every other, and ends with the secret. */
TEST(serve, token)
{
  static const char *const bad[] = { "", "{}", "[]", "{\"clientId\":\"\"}", "{\"clientId\":1}", "{\"clientId\":null}", "{\"clientid\":\"x\"}" };
  char body[200], token[200];
  svc_credentials keys;
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(svc_bootstrap(w.t.s, &keys), ==, SVC_OK);
  snprintf(body, sizeof body, "{\"clientId\":\"%s\"}", keys.client_id);
  for (i = 0; i < 3; i++) {
    munit_assert_int(serve_send(&w, "POST", "/_svc/token", body), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "token_type"), "Bearer");
    munit_assert_string_equal(t_str(&w.t, "expires_in"), "3600");
    snprintf(token, sizeof token, "%s", t_str(&w.t, "access_token"));
    munit_assert_int(serve_status_with(&w, token), ==, 200);
    munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":3600}"), ==, 200);
    munit_assert_int(serve_status_with(&w, token), ==, 401);
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (serve_send(&w, "POST", "/_svc/token", bad[i]) != 400) munit_errorf("%s answers %d", bad[i], w.t.response.status);
  munit_assert_int(serve_send(&w, "POST", "/_svc/token", "{\"clientId\":\"nobody\"}"), ==, 404);
  munit_assert_int(serve_send(&w, "GET", "/_svc/token", NULL), ==, 405);
  for (i = 0; i < 100; i++) munit_assert_int(serve_send(&w, "POST", "/_svc/token", body), ==, 200);
  munit_assert_int(serve_send(&w, "POST", "/_svc/token", body), ==, 400);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"now\":\"2040-01-01T00:00:00Z\"}"), ==, 200);
  munit_assert_int(serve_send(&w, "POST", "/_svc/token", body), ==, 400);
  munit_assert_not_null(strstr(w.t.response.body, "has expired"));
  t_close(&w.t);
}

TEST(serve, due)
{
  static const char *const bad[] = { "limit=0", "limit=1001", "limit=x", "format=har", "what=x" };
  char target[64];
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  (void)t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_OK);
  munit_assert_int(serve_send(&w, "GET", "/_svc/due", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "[]");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"toNextDue\":true}"), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{\"manual\":true,\"moved\":false,\"nextDueMs\":null,\"now\":\"2025-06-01T00:00:00Z\","
                            "\"nowMs\":1748736000000,\"rate\":0,\"steps\":0}");
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"host\":\"a.db.local:27017\",\"inSeconds\":7,\"forSeconds\":1}"), ==, 201);
  munit_assert_int(serve_send(&w, "GET", "/_svc/due?limit=1&pretty=true", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "[0].what"), "hostDown");
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "nextDueMs"), "1748736007000");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"toNextDue\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "now"), "2025-06-01T00:00:07Z");
  munit_assert_string_equal(t_str(&w.t, "moved"), "true");
  munit_assert_string_equal(t_str(&w.t, "steps"), "1");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"rate\":500}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "rate"), "500");
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "rate"), "0");
  munit_assert_string_equal(t_str(&w.t, "nowMs"), "1748736000000");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(target, sizeof target, "/_svc/due?%s", bad[i]);
    munit_assert_int(serve_send(&w, "GET", target, NULL), ==, 400);
  }
  t_close(&w.t);
}

TEST(serve, snapshots)
{
  static const char *const bad[] = { "{}", "{\"name\":\"\"}", "{\"name\":\"a/b\"}", "{\"name\":\"a:b\"}", "{\"name\":\"a\",\"b\":1}", "{\"name\":5}",
    "{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}" };
  serve_world w;
  char body[64];
  uint64_t print;
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 400); /* no state to reset to */
  t_organization(&w.t, "Acme");
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_OK);
  print = store_print(w.t.s);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "name"), "a");
  t_organization(&w.t, "Other");
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"b.2\"}"), ==, 201);
  munit_assert_int(serve_send(&w, "GET", "/_svc/snapshots", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 2);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/a:restore", NULL), ==, 204);
  munit_assert_true(store_print(w.t.s) == print);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/b.2:restore", "{}"), ==, 204);
  munit_assert_true(store_print(w.t.s) != print);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"status\":503}"), ==, 201);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 200);
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 204);
  munit_assert_true(store_print(w.t.s) == print);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START);
  munit_assert_size(svc_fault_list(w.t.s, NULL, 0), ==, 0);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/c:restore", NULL), ==, 404);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/:restore", NULL), ==, 404);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/snapshots/a", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/snapshots/a", NULL), ==, 404);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", bad[i]), ==, 400);
  for (i = 1; i < SVC_SNAPSHOTS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"s%zu\"}", i);
    munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", body), ==, 201);
  }
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"more\"}"), ==, 507);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"s1\"}"), ==, 201); /* replaces the snapshot of that name */
  t_close(&w.t);
}

/* The 65th rule names the limit, and a misspelt operation the nearest one. */
TEST(serve, fault_errors)
{
  serve_world w;
  int i;
  serve_open(&w, NULL);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"operation\":\"createClusters\",\"status\":503}"), ==, 400);
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "there is no operation createClusters; did you mean createCluster?"));
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"operation\":\"zzzzzzzzzzzz\",\"status\":503}"), ==, 400);
  munit_assert_null(strstr(t_str(&w.t, "detail"), "did you mean"));
  for (i = 0; i < SVC_FAULTS; i++) munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"operation\":\"createCluster\",\"status\":503}"), ==, 201);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"status\":503}"), ==, 400);
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "there are already 64 rules"));
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/faults/1", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"status\":503}"), ==, 201);
  t_close(&w.t);
}

TEST(serve, faults)
{
  static const char *const bad[] = { "{}", "{\"status\":200}", "{\"status\":418}", "{\"operation\":\"no\",\"status\":500}", "{\"chance\":0,\"status\":500}",
    "{\"chance\":2,\"status\":500}", "{\"drop\":\"during\"}", "{\"kind\":\"odd\"}", "{\"count\":-1,\"status\":500}", "{\"delayMs\":-1}", "{\"statu\":500}" };
  serve_world w;
  char path[64];
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"operation\":\"listOrgs\",\"count\":2,\"chance\":1.0,\"status\":503,\"errorCode\":null,"
                              "\"delayMs\":0,\"drop\":\"before\"}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "operation"), "listOrgs");
  munit_assert_string_equal(t_str(&w.t, "drop"), "before");
  snprintf(path, sizeof path, "/_svc/faults/%s", t_str(&w.t, "id"));
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"kind\":\"expiredToken\",\"chance\":0.5}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "chance"), "0.500000");
  munit_assert_int(serve_send(&w, "GET", "/_svc/faults", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 2);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 503);
  munit_assert_int(w.t.response.drop, ==, 1);
  munit_assert_int(serve_send(&w, "DELETE", path, NULL), ==, 204);
  munit_assert_int(serve_send(&w, "DELETE", path, NULL), ==, 404);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/faults/0", NULL), ==, 404); /* id 0 does not mean all */
  munit_assert_size(svc_fault_list(w.t.s, NULL, 0), ==, 1);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (serve_send(&w, "POST", "/_svc/faults", bad[i]) != 400) munit_errorf("%s answers %d", bad[i], w.t.response.status);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/faults", NULL), ==, 204);
  munit_assert_size(svc_fault_list(w.t.s, NULL, 0), ==, 0);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal?limit=1", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 1);
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 2); /* requests to test control are not recorded */
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal?limit=0", NULL), ==, 400);
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal?last=1", NULL), ==, 400);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/journal", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 0);
  t_close(&w.t);
}

#define SERVE_CLUSTER \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

/* Faults other than those of requests: each kind is added, listed and removed, and a reset deletes it. Errors name the wrong field. */
TEST(serve, failures)
{
  static const char *const good[][2] = {
    { "{\"order\":\"cluster.create\",\"outcome\":\"slow\",\"seconds\":5,\"chance\":0.25,\"seed\":7,\"count\":3}",
      "{\"chance\":0.250000,\"count\":3,\"id\":1,\"order\":\"cluster.create\",\"outcome\":\"slow\",\"reason\":\"a fault of test control\","
      "\"seconds\":5,\"seed\":7,\"struck\":0}" },
    { "{\"state\":{\"noun\":\"cluster\",\"value\":\"UPDATING\",\"name\":\"C\"}}",
      "{\"chance\":1.000000,\"count\":0,\"id\":2,\"state\":{\"name\":\"C\",\"noun\":\"cluster\",\"value\":\"UPDATING\"},\"struck\":0}" },
    { "{\"later\":{\"noun\":\"cluster\",\"seconds\":3}}",
      "{\"chance\":1.000000,\"count\":0,\"id\":3,\"later\":{\"noun\":\"cluster\",\"seconds\":3},\"struck\":0}" },
    { "{\"host\":{\"cluster\":\"C\",\"index\":0},\"inSeconds\":600,\"forSeconds\":60}",
      "{\"chance\":1.000000,\"count\":0,\"id\":4,\"down\":\"2025-06-01T00:10:00Z\",\"forSeconds\":60,\"host\":{\"cluster\":\"C\",\"index\":0},"
      "\"isDown\":false,\"struck\":0}" },
    { "{\"lag\":{\"noun\":\"cluster\",\"ms\":500}}",
      "{\"chance\":1.000000,\"count\":0,\"id\":5,\"lag\":{\"ms\":500,\"noun\":\"cluster\"},\"struck\":0}" },
  };
  static const char *const bad[][2] = {
    { "{\"order\":\"no\",\"outcome\":\"fail\"}", "order" }, { "{\"order\":\"cluster.create\",\"outcome\":\"x\"}", "outcome" },
    { "{\"host\":{\"cluster\":\"C\"},\"inSeconds\":1}", "index" }, { "{\"lag\":{\"noun\":\"no\",\"ms\":1}}", "lag.noun" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"chance\":0}", "chance" }, { "[]", "" },
  };
  serve_world w;
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_OK);
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    if (serve_send(&w, "POST", "/_svc/faults", good[i][0]) != 201) munit_error(w.t.response.body);
    munit_assert_string_equal(w.t.response.body, good[i][1]);
  }
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"status\":503}"), ==, 201);
  munit_assert_int(serve_send(&w, "GET", "/_svc/faults", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 6);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/faults/5", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/faults/5", NULL), ==, 404);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (serve_send(&w, "POST", "/_svc/faults", bad[i][0]) != 400) munit_errorf("%s answers %d", bad[i][0], w.t.response.status);
    if (!strstr(w.t.response.body, bad[i][1])) munit_error(w.t.response.body);
  }
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 204);
  munit_assert_int(serve_send(&w, "GET", "/_svc/faults", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 0);
  munit_assert_uint(atomic_load(&w.t.s->watch), ==, SVC_WATCH_JOURNAL);
  t_close(&w.t);
}

/* A reset restores the store exactly, even with a stalled order and a host that is down. */
TEST(serve, failures_reset)
{
  const char *group;
  serve_world w;
  uint64_t print;
  serve_open(&w, NULL);
  group = t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w.t, "POST", SERVE_CLUSTER, "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 200);
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_OK);
  print = store_print(w.t.s);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"order\":\"cluster.*\",\"outcome\":\"stall\"}"), ==, 201);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"host\":{\"cluster\":\"C\",\"index\":0},\"inSeconds\":5}"), ==, 201);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":100000}"), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=HOST_DOWN", group), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 204);
  munit_assert_true(store_print(w.t.s) == print);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":100000}"), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=HOST_DOWN", group), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 0);
  t_close(&w.t);
}

/* Unusual requests, and a service without a journal. */
TEST(serve, odd)
{
  static const char *const rows[][3] = {
    { "404", "DELETE", "/_svc/faults/x" }, { "404", "DELETE", "/_svc/faults/-1" }, { "404", "DELETE", "/_svc/faults/4294967297" },
    { "404", "DELETE", "/_svc/snapshots/a/b" }, { "404", "DELETE", "/_svc/snapshots/a:b" }, { "404", "POST", "/_svc/snapshots/a/b:restore" },
    { "405", "POST", "/_svc/snapshots/abcdefghijkl" }, { "400", "GET", "/_svc/journal?limit=many" }, { "400", "GET", "/_svc/journal?limit=10001" },
    { "200", "GET", "/_svc/journal?pretty=true&limit=10000" }, { "400", "GET", "/_svc/clo ck" },
  };
  svc_config config = { .manual_clock = T_START, .max_body = 100 };
  serve_world w;
  char long_body[160];
  size_t i;
  serve_open(&w, NULL);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int(serve_send(&w, "POST", "/_svc/faults", "{\"errorCode\":\"GROUP_NOT_FOUND\",\"operation\":\"getGroup\"}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "errorCode"), "GROUP_NOT_FOUND");
  munit_assert_string_equal(t_str(&w.t, "status"), "404");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int status = serve_send(&w, rows[i][1], rows[i][2], NULL);
    if (status != (int)strtol(rows[i][0], NULL, 10)) munit_errorf("%s %s answers %d: %s", rows[i][1], rows[i][2], status, w.t.response.body);
  }
  munit_assert_int(serve_send(&w, "GET", "/_svc/faults", NULL), ==, 200); /* none of these requests had an effect */
  munit_assert_size(svc_node_count(w.t.body), ==, 1);
  munit_assert_int(serve_send(&w, "GET", "/_svc/snapshots", NULL), ==, 200);
  munit_assert_size(svc_node_count(w.t.body), ==, 1);
  w.type = "text/plain";
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 415);
  w.type = "Application/JSON; charset=utf-8";
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 200);
  t_close(&w.t);
  serve_open(&w, &config);
  munit_assert_int(serve_send(&w, "GET", "/_svc/journal?limit=5", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "[]");
  munit_assert_int(serve_send(&w, "DELETE", "/_svc/journal", NULL), ==, 204);
  snprintf(long_body, sizeof long_body, "%130s", "{\"advanceSeconds\":60}");
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", long_body), ==, 413);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START);
  t_close(&w.t);
}

/* Without room or memory a request has no effect and returns an error. */
TEST(serve, no_room)
{
  t_memory memory = { 0 };
  svc_config config = { .manual_clock = T_START, .max_snapshot = 500, .allocator = { t_memory_resize, &memory } };
  serve_world w;
  uint64_t print;
  size_t i;
  long n;
  int status;
  serve_open(&w, &config);
  t_organization(&w.t, "Acme");
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_FULL);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"a\"}"), ==, 507);
  munit_assert_int(serve_send(&w, "POST", "/_svc/reset", NULL), ==, 400); /* svc_control_begin() has failed */
  t_close(&w.t);
  config.max_snapshot = 0;
  serve_open(&w, &config);
  t_organization(&w.t, "Acme");
  munit_assert_int(svc_control_begin(w.t.s), ==, SVC_OK);
  print = store_print(w.t.s);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"a\"}"), ==, 201);
  w.scarce = true;
  for (i = 0; i < SERVE_ALL; i++) {
    if (strstr(serve_all[i][1], "clock") || strcmp(serve_all[i][0], "DELETE") == 0) continue; /* not repeatable */
    for (n = 1, status = 503; status == 503; n++) {
      munit_assert_long(n, <, 100);
      memory.calls = 0;
      memory.fail_at = n;
      status = serve_send(&w, serve_all[i][0], serve_all[i][1], serve_all[i][2]);
      memory.fail_at = 0;
      munit_assert_true(store_print(w.t.s) == print);
    }
    munit_assert_int(status, !=, 500);
  }
  t_close(&w.t);
  munit_assert_long(memory.live, ==, 0);
}

/* A store whose commits or reads fail while serve_port_fails is set. */
static svc_store_port serve_port;
static bool serve_port_fails;

static int serve_commit(svc_txn *txn)
{
  if (!serve_port_fails) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return SVC_IO;
}

static int serve_write_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &serve_port;
  return rc;
}

static int serve_read_begin(svc_store *store, svc_txn **out)
{
  return serve_port_fails ? SVC_IO : svc_lmdb_port()->read_begin(store, out);
}

/* A driver that tries to move the clock while a move of the clock calls it. */
static int serve_perform(void *context, svc *s, const svc_order *order)
{
  serve_world *w = context;
  (void)s, (void)order;
  munit_assert_int(serve_send(w, "POST", "/_svc/clock", "{\"advanceSeconds\":1}"), ==, 503);
  munit_assert_string_equal(t_error(&w->t), "SERVICE_UNAVAILABLE");
  w->scarce = true; /* the driver was called */
  return SVC_OK;
}

/* A request that cannot be done now has no effect and returns an error. */
TEST(serve, not_now)
{
  serve_world w;
  svc_driver driver = { serve_perform, NULL, &w };
  svc_config config = { .manual_clock = T_START, .store = &serve_port, .driver = &driver };
  const char *group;
  uint64_t print;
  serve_port = *svc_lmdb_port();
  serve_port.commit = serve_commit;
  serve_port.write_begin = serve_write_begin;
  serve_open(&w, &config);
  group = t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                           "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}", "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(svc_clock_advance(w.t.s, 1000), ==, SVC_OK);
  munit_assert_true(w.scarce);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START + 1000);
  print = store_print(w.t.s);
  serve_port_fails = true;
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/a:restore", NULL), ==, 503);
  serve_port_fails = false;
  munit_assert_true(store_print(w.t.s) == print);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START + 1000);
  munit_assert_int(serve_send(&w, "POST", "/_svc/snapshots/a:restore", NULL), ==, 204);
  munit_assert_true(store_print(w.t.s) != print);
  t_close(&w.t);
}

/* If the store cannot be read, the due steps are unknown: requests for them get 503. A move of the clock still gets 200, because a client
** must not repeat it. */
TEST(serve, unread)
{
  svc_config config = { .manual_clock = T_START, .store = &serve_port };
  serve_world w;
  serve_port = *svc_lmdb_port();
  serve_port.read_begin = serve_read_begin;
  serve_open(&w, &config);
  (void)t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  serve_port_fails = true;
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 503);
  munit_assert_int(serve_send(&w, "GET", "/_svc/due", NULL), ==, 503);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"toNextDue\":true}"), ==, 503);
  munit_assert_int(svc_clock_next(w.t.s), ==, SVC_IO);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START);
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"advanceSeconds\":60}"), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{\"manual\":true,\"now\":\"2025-06-01T00:01:00Z\",\"nowMs\":1748736060000,\"rate\":0}");
  serve_port_fails = false;
  munit_assert_int(serve_send(&w, "GET", "/_svc/clock", NULL), ==, 200);
  munit_assert_not_null(strstr(w.t.response.body, "\"nextDueMs\":null"));
  munit_assert_int(serve_send(&w, "POST", "/_svc/clock", "{\"toNextDue\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "moved"), "false");
  t_close(&w.t);
}

/* The same seed gives the same ids and secrets. Another seed gives other ids, and reopening the store gives other secrets. */
TEST(serve, seed)
{
  svc_config config = { .manual_clock = T_START, .seed = 42 };
  svc_credentials one, two;
  char folder[128];
  t_service t;
  svc *s;
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &one), ==, SVC_OK);
  t_close(&t);
  store_folder(folder);
  config.path = folder;
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &two), ==, SVC_OK);
  munit_assert_memory_equal(sizeof one, &one, &two);
  t_reopen(&t, &config);
  munit_assert_int(svc_new_credentials(t.s, NULL, &two), ==, SVC_OK);
  munit_assert_string_not_equal(one.private_key, two.private_key);
  munit_assert_string_not_equal(one.client_secret, two.client_secret);
  t_close(&t);
  store_remove(folder);
  config.path = NULL;
  config.seed = 43;
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &two), ==, SVC_OK);
  munit_assert_string_not_equal(one.org_id, two.org_id);
  config.random = t.s->config.random; /* two random sources */
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  t_close(&t);
}
