/*
** The journal: the last requests, up to the configured number, without any secret, in whichever form the secret arrived.
*/
#include "control/control.h"
#include "support.h"

typedef struct journal_world {
  t_service t;
  svc_response shown;
  svc_arena arena;
  svc_node *entries;
} journal_world;

static void journal_open(journal_world *w, size_t kept)
{
  svc_config config = { .journal = kept, .limiter_off = 1 };
  memset(w, 0, sizeof *w);
  t_open(&w->t, &config);
}

static void journal_forget(journal_world *w)
{
  svc_response_free(&w->shown);
  svc_blocks_free(w->arena.blocks);
  memset(&w->arena, 0, sizeof w->arena);
}

static void journal_close(journal_world *w)
{
  journal_forget(w);
  t_close(&w->t);
}

/* Reads the journal and returns the number of entries; the newest is entries->last. */
static size_t journal_read(journal_world *w, size_t limit)
{
  svc_json_fault fault;
  svc_str text;
  journal_forget(w);
  munit_assert_int(svc_journal_read(w->t.s, limit, &w->shown), ==, SVC_OK);
  svc_arena_init(&w->arena, NULL);
  text = (svc_str){ w->shown.body, w->shown.body_length };
  if (!svc_json_gate(&w->arena, text, 64, &fault)) munit_errorf("%s at %zu of %s", fault.what, fault.at, text.p);
  w->entries = svc_json_parse(&w->arena, text);
  munit_assert_int(w->entries->type, ==, SVC_J_ARRAY);
  return svc_node_count(w->entries);
}

static void journal_lacks(journal_world *w, const char *secret)
{
  munit_assert_size(strlen(secret), >, 5);
  journal_read(w, 0);
  if (strstr(w->shown.body, secret)) munit_errorf("%s is in the journal: %s", secret, w->shown.body);
}

TEST(journal, ring)
{
  journal_world w;
  svc_node *newest;
  int i;
  journal_open(&w, 5);
  munit_assert_size(journal_read(&w, 0), ==, 0);
  for (i = 0; i < 12; i++) {
    char path[32];
    snprintf(path, sizeof path, "/orgs?pageNum=%d", i + 1);
    munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  }
  munit_assert_size(journal_read(&w, 0), ==, 5);
  munit_assert_true(svc_str_is(svc_node_str(w.entries->first, "target"), "/api/svc/v2/orgs?pageNum=8"));
  munit_assert_size(journal_read(&w, 2), ==, 2);
  newest = w.entries->last;
  munit_assert_true(svc_str_is(svc_node_str(newest, "target"), "/api/svc/v2/orgs?pageNum=12"));
  munit_assert_true(svc_str_is(svc_node_str(newest, "operation"), "listOrgs"));
  munit_assert_true(svc_str_is(svc_node_str(newest, "method"), "GET"));
  munit_assert_true(svc_str_is(svc_node_str(newest, "time"), "2025-06-01T00:00:00Z"));
  munit_assert_int64(svc_node_i64(newest, "status", 0), ==, 200);
  munit_assert_not_null(svc_node_get(svc_node_get(newest, "caller"), "id"));
  munit_assert_not_null(svc_node_get(svc_node_get(svc_node_get(newest, "response"), "body"), "results"));
  munit_assert_size(journal_read(&w, 100), ==, 5);
  svc_journal_clear(w.t.s);
  munit_assert_size(journal_read(&w, 0), ==, 0);
  journal_close(&w);
}

TEST(journal, off)
{
  svc_config config = { .journal = 10001 };
  svc_response r;
  t_service t;
  svc *s;
  t_open(&t, NULL);
  munit_assert_uint(atomic_load(&t.s->watch), ==, 0);
  munit_assert_int(svc_journal_read(t.s, 0, &r), ==, SVC_INVALID);
  svc_journal_clear(t.s);
  svc_journal_clear(NULL);
  t_close(&t);
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
}

#define PASSWORD "correct horse battery staple"

TEST(journal, secrets)
{
  journal_world w;
  svc_credentials keys;
  const char *org, *group;
  char secret[256];
  svc_node *body;
  journal_open(&w, 100);
  munit_assert_int(svc_bootstrap(w.t.s, &keys), ==, SVC_OK);
  org = t_organization(&w.t, "Acme");
  group = t_project(&w.t, org, "P1");

  /* a write-only field and a sealed one, next to harmless fields */
  munit_assert_int(t_sendf(&w.t, "POST", "{\"databaseName\":\"admin\",\"username\":\"joe\",\"password\":\"" PASSWORD "\",\"roles\":[{"
                           "\"databaseName\":\"admin\",\"roleName\":\"readWriteAnyDatabase\"}]}", "/groups/%s/databaseUsers", group), ==, 201);
  journal_lacks(&w, PASSWORD);
  body = svc_node_get(svc_node_get(w.entries->last, "request"), "body");
  munit_assert_true(svc_str_is(svc_node_str(body, "password"), "***"));
  munit_assert_true(svc_str_is(svc_node_str(body, "username"), "joe"));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"type\":\"DATADOG\",\"apiKey\":\"" PASSWORD "\",\"region\":\"US3\"}",
                           "/groups/%s/integrations/DATADOG", group), ==, 201);
  journal_lacks(&w, PASSWORD);
  munit_assert_true(svc_str_is(svc_node_str(svc_node_get(svc_node_get(w.entries->last, "request"), "body"), "region"), "US3"));

  munit_assert_int(t_sendf(&w.t, "POST", "{\"type\":\"MICROSOFT_TEAMS\",\"microsoftTeamsWebhookUrl\":\"https://teams.example.com/in-the-path\"}",
                           "/groups/%s/integrations/MICROSOFT_TEAMS", group), ==, 201); /* the field's name does not mark it as a secret */
  journal_lacks(&w, "in-the-path");

  /* refused requests: an unknown field, an invalid union, invalid JSON, a text, an unknown path */
  t_sendf(&w.t, "POST", "{\"pass-word\":\"" PASSWORD "\",\"more\":{\"deep\":[\"" PASSWORD "\",1234567]}}", "/groups/%s/databaseUsers", group);
  munit_assert_int(w.t.response.status, ==, 400);
  journal_lacks(&w, PASSWORD);
  journal_lacks(&w, "1234567");
  t_sendf(&w.t, "POST", "{\"type\":\"NONE\",\"apiKey\":\"" PASSWORD "\"}", "/groups/%s/integrations/DATADOG", group);
  journal_lacks(&w, PASSWORD);
  t_sendf(&w.t, "POST", "{\"password\":\"" PASSWORD "\"", "/groups/%s/databaseUsers", group);
  journal_lacks(&w, PASSWORD);
  t_sendf(&w.t, "POST", "\"" PASSWORD "\"", "/groups/%s/databaseUsers", group);
  journal_lacks(&w, PASSWORD);
  t_send(&w.t, "POST", "/no/such/path?token=" "not-for-everybody" "&a=b", "[\"" PASSWORD "\"]");
  journal_lacks(&w, PASSWORD);
  journal_lacks(&w, "not-for-everybody");
  munit_assert_not_null(strstr(w.shown.body, "token=***&a=b"));

  /* answers that show a secret once */
  munit_assert_int(t_sendf(&w.t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/apiKeys", org), ==, 201);
  snprintf(secret, sizeof secret, "%s", t_str(&w.t, "privateKey"));
  journal_lacks(&w, secret);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  snprintf(secret, sizeof secret, "%s", t_str(&w.t, "secrets[0].secret"));
  journal_lacks(&w, secret);

  /* credentials: the secret of a service account, its access token, and an unknown header */
  munit_assert_int(t_as_account(&w.t, keys.client_id, keys.client_secret), ==, 200);
  t_header(&w.t, "X-Vault", PASSWORD);
  t_header(&w.t, "Cookie", PASSWORD);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  journal_lacks(&w, keys.client_secret);
  journal_lacks(&w, PASSWORD);
  munit_assert_not_null(strstr(w.shown.body, "\"Bearer ***\""));
  munit_assert_not_null(strstr(w.shown.body, "\"Basic ***\""));
  journal_lacks(&w, w.t.headers[0].value + 7); /* the access token itself */
  journal_close(&w);
}

/* Secrets of any form are blanked. Long texts are cut between two characters, so that the journal stays valid JSON. */
TEST(journal, odd)
{
  static const char *const ways[] = { "Digest username=\"ada\", response=\"5ecret-response\"", "Basic NWVjcmV0LWJhc2lj", "Negotiate 5ecret-ticket", "5ecret" };
  static const char *const bodies[] = {
    "{\"name\":[{\"password\":\"5ecret-deep\"}]}", "{\"name\":{\"a\":\"5ecret-deep\"}}", "[[\"5ecret-alone\"]]", "\"5ecret-text\"", "{\"password\":51234567}", "{\"password\":{\"a\":[\"5ecret-inner\"]}}", "5ecret, and no JSON"
  };
  journal_world w;
  char text[6000];
  size_t i;
  journal_open(&w, 100);
  for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    w.t.anonymous = true;
    t_header(&w.t, "Authorization", ways[i]);
    munit_assert_int(t_send(&w.t, "GET", "/orgs?token=5ecret-token&a=&b&=c", NULL), ==, 401);
  }
  t_as_host(&w.t);
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) munit_assert_int(t_send(&w.t, "POST", "/orgs", bodies[i]), ==, 400);
  for (i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xC3\xA9", 2);
  munit_assert_int(t_send_raw(&w.t, "POST", "/api/svc/v2/orgs", text, i), ==, 400);
  munit_assert_int(t_send_raw(&w.t, "POST", "/api/svc/v2/orgs", text + 1, i - 1), ==, 400); /* begins in the middle of a character */
  t_header(&w.t, "X-Long", text + 1);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  t_headers_clear(&w.t);
  munit_assert_int(t_send(&w.t, "HEAD", "/orgs", NULL), ==, 200); /* an answer without a body */
  munit_assert_int(t_send(&w.t, "GET", "/nowhere", NULL), ==, 404);
  munit_assert_size(journal_read(&w, 0), ==, 16);
  if (strstr(w.shown.body, "5ecret") || strstr(w.shown.body, "51234567") || strstr(w.shown.body, "NWVjcmV0")) munit_errorf("a secret: %s", w.shown.body);
  journal_close(&w);
}

/* The journal stays valid JSON and within its size limit for any bytes. */
TEST(journal, bounds)
{
  static char large[200 << 10];
  journal_world w;
  size_t n;
  int i;
  journal_open(&w, 8);
  n = (size_t)snprintf(large, sizeof large, "{\"name\":\"");
  memset(large + n, 'a', sizeof large - n);
  strcpy(large + sizeof large - 4, "\"}");
  for (i = 0; i < 20; i++) {
    t_headers_clear(&w.t);
    t_header(&w.t, "User-Agent", i % 2 ? "caf\xc3\xa9" : "\xff\xfe\x01 quote \" back \\");
    munit_assert_int(t_send_raw(&w.t, "POST", "/api/svc/v2/orgs", large, strlen(large)), ==, 400);
    t_send_raw(&w.t, "GET", "/api/svc/v2/\xc3\x28", NULL, 0);
    w.t.caller.username = "\xff\"\\"; /* any username and method from the host */
    t_send_raw(&w.t, "G\xc3T", "/api/svc/v2", NULL, 0);
  }
  munit_assert_size(journal_read(&w, 0), ==, 8);
  munit_assert_size(w.shown.body_length, <, 8 * (40 << 10));
  journal_close(&w);
}

/* The tables determine which fields of bodies are harmless, in lists and maps as well. Some answers are not JSON objects. */
TEST(journal, tables)
{
  static const struct {
    const char *method, *path, *body, *shown;
  } rows[] = {
    { "POST", "/groups/%s/clusters/C/index", "{\"collection\":\"orders\",\"db\":\"shop\",\"keys\":[{\"customer\":\"5ecret\"}],\"options\":{"
      "\"columnstoreProjection\":{\"a\":7654321,\"b\":{\"c\":\"5ecret\"},\"token\":51234567},\"partialFilterExpression\":{\"d\":\"5ecret\"}}}",
      "\"columnstoreProjection\":{\"a\":7654321,\"b\":{\"c\":\"***\"},\"token\":\"***\"},\"partialFilterExpression\":{\"d\":\"***\"}}" },
    { "POST", "/groups/%s/clusters/C/search/indexes", "{\"type\":\"search\",\"name\":\"n\",\"definition\":{\"mappings\":{\"dynamic\":\"5ecret\"}}}",
      "{\"definition\":{\"mappings\":{\"dynamic\":\"***\"}},\"name\":\"n\"" },
    { "POST", "/groups/%s/clusters/tenantUpgrade", "{\"name\":\"n\",\"replicationSpec\":{\"US_EAST_1\":{\"odd\":\"5ecret\",\"priority\":7}}}",
      "\"replicationSpec\":{\"US_EAST_1\":{\"odd\":\"***\",\"priority\":7}}" },
    { "POST", "/orgs/%s/teams", "{\"name\":\"n\",\"usernames\":[\"ada@example.com\"]}", "\"usernames\":[\"***\"]" },
    { "POST", "/orgs/%s/teams", "{\"name\":\"n\",\"usernames\":\"5ecret@example.com\"}", "\"usernames\":\"***\"" },
    { "POST", "/groups/%s/streams/W/connections", "{\"name\":\"n\",\"type\":\"Kafka\",\"config\":{\"a\":\"b\",\"ssl.key.password\":\"5ecret\"}}",
      "\"config\":{\"a\":\"b\",\"ssl.key.password\":\"***\"}" },
    { "PATCH", "/groups/%s/streams/W", "{\"cloudProvider\":\"AWS\",\"processorStatus\":\"5ecret\"}", "{\"cloudProvider\":\"AWS\",\"processorStatus\":\"***\"}" },
    { "POST", "/groups/%s/dataFederation", "{\"name\":\"n\",\"cloudProviderConfig\":{\"aws\":{\"testS3Bucket\":\"5ecret\"}}}", "{\"aws\":{\"testS3Bucket\":\"***\"}}" },
    { "POST", "/orgs/%s/serviceAccounts", "{\"name\":\"n\",\"roles\":[\"ORG_OWNER\",[\"5ecret\"]]}", "\"roles\":[\"ORG_OWNER\",[\"***\"]]" },
    { "POST", "/orgs", "[{\"name\":\"n\",\"odd\":\"5ecret\"}]", "[{\"name\":\"n\",\"odd\":\"***\"}]" },
  };
  svc_fault slow = { .delay_ms = 40, .count = 1 };
  journal_world w;
  const char *org, *group, *host;
  char path[256];
  size_t i;
  journal_open(&w, 3);
  org = t_organization(&w.t, "Acme");
  group = t_project(&w.t, org, "P1");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(t_sendf(&w.t, rows[i].method, rows[i].body, rows[i].path, strncmp(rows[i].path, "/orgs", 5) == 0 ? org : group), >=, 400);
    journal_lacks(&w, "5ecret");
    if (!strstr(w.shown.body, rows[i].shown)) munit_errorf("%s is not shown: %s", rows[i].shown, w.shown.body);
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/managedSlowMs", group), ==, 200); /* a single value */
  journal_read(&w, 1);
  munit_assert_not_null(strstr(w.shown.body, "\"body\":\"(4 bytes, not shown)\""));
  munit_assert_int(t_send(&w.t, "GET", "/alertConfigs/matchers/fieldNames", NULL), ==, 200); /* a list without an object around it */
  journal_read(&w, 1);
  munit_assert_not_null(strstr(w.shown.body, "\"body\":[\""));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                           "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}", "/groups/%s/clusters", group), ==, 201);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  host = t_str(&w.t, "connectionStrings.standard") + 5;
  snprintf(path, sizeof path, "/groups/%s/clusters/%.*s/logs/db.gz", group, (int)strcspn(host, ":"), host);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200); /* not JSON */
  journal_read(&w, 1);
  munit_assert_not_null(strstr(w.shown.body, " bytes, not shown)\"}}"));
  munit_assert_int(svc_fault_add(w.t.s, &slow, NULL), ==, SVC_OK);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  journal_read(&w, 1);
  munit_assert_int64(svc_node_i64(w.entries->first, "delayMs", 0), ==, 40);
  munit_assert_int(t_send_raw(&w.t, "", "/api/svc/v2", NULL, 0), ==, 405);
  journal_read(&w, 1);
  munit_assert_int(svc_node_get(w.entries->first, "method")->type, ==, SVC_J_NULL);
  journal_close(&w);
}

/* A text that is too long is left out or cut to its beginning, in whole characters. */
TEST(journal, long)
{
  static char large[300 << 10], text[602];
  const svc_node *header;
  journal_world w;
  const char *org;
  size_t i;
  journal_open(&w, 3);
  memset(large, ' ', sizeof large);
  memcpy(large, "{}", 2);
  munit_assert_int(t_send_raw(&w.t, "POST", "/api/svc/v2/orgs", large, sizeof large), ==, 400);
  journal_read(&w, 1);
  munit_assert_not_null(strstr(w.shown.body, "\"body\":\"(307200 bytes, not shown)\""));
  text[0] = 'x'; /* so that the cut falls inside a character */
  for (i = 1; i < 601; i += 2) memcpy(text + i, "\xC3\xA9", 2);
  t_header(&w.t, "User-Agent", text);
  memset(large, 0x80, 600); /* continuation bytes only */
  large[600] = 0;
  t_header(&w.t, "X-Request-Id", large);
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_size(journal_read(&w, 1), ==, 1);
  for (header = svc_node_get(svc_node_get(w.entries->first, "request"), "headers")->first; header; header = header->next) {
    if (svc_node_eq(header, "name", SVC_S("User-Agent"))) munit_assert_size(svc_node_str(header, "value").n, ==, 511);
    if (svc_node_eq(header, "name", SVC_S("X-Request-Id"))) munit_assert_size(svc_node_str(header, "value").n, ==, 0);
  }
  t_headers_clear(&w.t);
  org = t_organization(&w.t, "Acme");
  for (i = 0; i < 30; i++) {
    snprintf(text, sizeof text, "P%zu", i);
    munit_assert_int(t_large_project(&w.t, org, text), ==, 201);
  }
  munit_assert_int(t_send(&w.t, "GET", "/groups", NULL), ==, 200);
  munit_assert_size(w.t.response.body_length, >, 256 << 10);
  journal_read(&w, 1);
  munit_assert_not_null(strstr(w.shown.body, " bytes, not shown)\"}}"));
  journal_close(&w);
}

/* A request succeeds even if the journal is out of memory. */
TEST(journal, no_memory)
{
  t_memory memory = { 0 };
  svc_config config = { .journal = 4, .limiter_off = 1, .allocator = { t_memory_resize, &memory } };
  t_service t;
  long n, calls;
  t_open(&t, &config);
  t_organization(&t, "Acme");
  memory.calls = 0;
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  calls = memory.calls;
  munit_assert_long(calls, >, 1);
  for (n = calls; n > 1; n--) { /* the first allocation is the request's own */
    memory.calls = 0;
    memory.fail_at = n;
    t_send(&t, "GET", "/orgs", NULL);
    memory.fail_at = 0;
    munit_assert_true(t.response.status == 200 || t.response.status == 503);
  }
  memory.calls = 0;
  memory.fail_at = calls; /* the last allocation is the journal's */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  memory.fail_at = 0;
  t_close(&t);
  munit_assert_long(memory.live, ==, 0);
}

/* -------------------------------------------------------------------------------------------------------------- HAR */

static svc_node *journal_har(journal_world *w, size_t limit)
{
  svc_json_fault fault;
  svc_str text;
  journal_forget(w);
  munit_assert_int(svc_journal_har(w->t.s, limit, &w->shown), ==, SVC_OK);
  svc_arena_init(&w->arena, NULL);
  text = (svc_str){ w->shown.body, w->shown.body_length };
  if (!svc_json_gate(&w->arena, text, 64, &fault)) munit_errorf("%s at %zu of %s", fault.what, fault.at, text.p);
  return svc_node_get(svc_json_parse(&w->arena, text), "log");
}

TEST(journal, har)
{
  static const char *const wanted[] = { "startedDateTime", "time", "request", "response", "cache", "timings" };
  static char long_body[12000];
  svc_node *log, *entry, *request, *response;
  const char *org, *group;
  journal_world w;
  size_t i;
  journal_open(&w, 100);
  log = journal_har(&w, 0);
  munit_assert_string_equal(w.shown.body, "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"svcapi\",\"version\":\"" SVC_VERSION "\"},\"entries\":[]}}");
  org = t_organization(&w.t, "Acme");
  group = t_project(&w.t, org, "P1");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"databaseName\":\"admin\",\"username\":\"joe\",\"password\":\"" PASSWORD "\",\"roles\":[{"
                           "\"databaseName\":\"admin\",\"roleName\":\"readWriteAnyDatabase\"}]}", "/groups/%s/databaseUsers", group), ==, 201);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/databaseUsers?itemsPerPage=2&includeCount=tr%%75e", group), ==, 200);
  log = journal_har(&w, 0);
  if (strstr(w.shown.body, PASSWORD)) munit_errorf("the password is in the archive: %s", w.shown.body);
  entry = svc_node_get(log, "entries")->last;
  for (i = 0; i < sizeof wanted / sizeof wanted[0]; i++) munit_assert_not_null(svc_node_get(entry, wanted[i]));
  request = svc_node_get(entry, "request");
  munit_assert_true(svc_str_is(svc_node_str(request, "method"), "GET"));
  munit_assert_true(svc_str_starts(svc_node_str(request, "url"), "http://localhost:8080/api/svc/v2/groups/"));
  munit_assert_null(svc_node_get(request, "postData"));
  munit_assert_size(svc_node_count(svc_node_get(request, "queryString")), ==, 2);
  munit_assert_true(svc_str_is(svc_node_str(svc_node_get(request, "queryString")->last, "value"), "true"));
  munit_assert_true(svc_str_is(svc_node_str(entry, "_operation"), "listDatabaseUsers"));
  log = journal_har(&w, 2);
  munit_assert_size(svc_node_count(svc_node_get(log, "entries")), ==, 2);
  entry = svc_node_first(svc_node_get(log, "entries"));
  request = svc_node_get(entry, "request");
  response = svc_node_get(entry, "response");
  munit_assert_not_null(strstr(svc_node_str(svc_node_get(request, "postData"), "text").p, "\"password\":\"***\""));
  munit_assert_int64(svc_node_i64(response, "status", 0), ==, 201);
  munit_assert_true(svc_str_is(svc_node_str(response, "statusText"), "Created"));
  munit_assert_true(svc_str_starts(svc_node_str(svc_node_get(response, "content"), "text"), "{"));

  /* a body that is not stored completely is marked, and a fault's entry is not a request */
  memset(long_body, 'a', sizeof long_body - 1);
  memcpy(long_body, "{\"name\":\"", 9);
  memcpy(long_body + sizeof long_body - 3, "\"}", 2);
  munit_assert_int(t_sendf(&w.t, "POST", long_body, "/groups/%s/clusters", group), ==, 400);
  svc_journal_add(w.t.s, SVC_S("{\"time\":\"2030-01-01T00:00:00Z\",\"fault\":1}"));
  log = journal_har(&w, 2);
  munit_assert_size(svc_node_count(svc_node_get(log, "entries")), ==, 1);
  request = svc_node_get(svc_node_first(svc_node_get(log, "entries")), "request");
  munit_assert_true(svc_node_bool(svc_node_get(request, "postData"), "_incomplete", false));
  journal_forget(&w); /* a refused call clears its response, too */
  munit_assert_int(svc_journal_har(NULL, 0, &w.shown), ==, SVC_INVALID);
  munit_assert_int(svc_journal_har(w.t.s, 0, NULL), ==, SVC_INVALID);
  journal_close(&w);
  t_open(&w.t, NULL);
  munit_assert_int(svc_journal_har(w.t.s, 0, &w.shown), ==, SVC_INVALID);
  t_close(&w.t);
}
