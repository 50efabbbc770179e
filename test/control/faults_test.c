/*
** Faults of requests: a request fails as in a real failure. The rule determines how often, for which operation and with which
** probability.
*/
#include "control/control.h"
#include "support.h"

static int faults_add(t_service *t, const svc_fault *f)
{
  int id = 0;
  munit_assert_int(svc_fault_add(t->s, f, &id), ==, SVC_OK);
  munit_assert_int(id, >, 0);
  return id;
}

static size_t faults_projects(t_service *t)
{
  svc_fault_remove(t->s, 0);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  return t_count(t, "results");
}

TEST_SERVICE(faults, statuses)
{
  static const struct {
    int status;
    const char *code, *says, *retry;
  } rows[] = {
    { 429, NULL, "RATE_LIMITED_TOKEN_BUCKET", "60" }, { 500, NULL, "UNEXPECTED_ERROR", "" },
    { 503, NULL, "SERVICE_UNAVAILABLE", "1" }, { 0, "GROUP_NOT_FOUND", "GROUP_NOT_FOUND", "" },
    { 409, "DUPLICATE_CLUSTER_NAME", "DUPLICATE_CLUSTER_NAME", "" }, { 429, "RATE_LIMITED", "RATE_LIMITED", "" },
  };
  size_t i;
  t_organization(t, "Acme");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_fault f = { .status = rows[i].status, .error_code = rows[i].code, .count = 2 };
    faults_add(t, &f);
    munit_assert_int(t_send(t, "GET", "/orgs", NULL), >=, 400);
    munit_assert_string_equal(t_error(t), rows[i].says);
    munit_assert_string_equal(t_get_header(t, "Retry-After"), rows[i].retry);
    munit_assert_int(t_send(t, "GET", "/orgs", NULL), >=, 400);
    munit_assert_uint(atomic_load(&t->s->watch), ==, 0); /* used up: requests do not look for faults anymore */
    munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  }
}

TEST_SERVICE(faults, operation)
{
  svc_fault f = { .operation = "createGroup", .status = 503 }, list[2];
  const char *org;
  char body[96];
  org = t_organization(t, "Acme");
  snprintf(body, sizeof body, "{\"name\":\"P1\",\"orgId\":\"%s\"}", org);
  faults_add(t, &f);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 503);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 503); /* without a limit */
  munit_assert_size(svc_fault_list(t->s, list, 2), ==, 1);
  munit_assert_string_equal(list[0].operation, "createGroup");
  munit_assert_int64(list[0].struck, ==, 2);
  munit_assert_int(svc_fault_remove(t->s, list[0].id), ==, SVC_OK);
  munit_assert_int(svc_fault_remove(t->s, list[0].id), ==, SVC_INVALID);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201);
}

/* Dropped before: the request never arrived. Dropped after: the change is made, and a repeated request finds it. */
TEST_SERVICE(faults, lost)
{
  svc_fault before = { .operation = "createGroup", .drop = SVC_DROP_BEFORE, .count = 1 },
            after = { .operation = "createGroup", .drop = SVC_DROP_AFTER, .count = 1 };
  const char *org;
  char body[96], id[32];
  org = t_organization(t, "Acme");
  snprintf(body, sizeof body, "{\"name\":\"P1\",\"orgId\":\"%s\"}", org);
  t_header(t, "Idempotency-Key", "one-and-the-same-key");
  faults_add(t, &before);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 503);
  munit_assert_int(t->response.drop, ==, 1);
  munit_assert_size(faults_projects(t), ==, 0);
  faults_add(t, &after);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201);
  munit_assert_int(t->response.drop, ==, 1);
  snprintf(id, sizeof id, "%s", t_str(t, "id"));
  munit_assert_size(faults_projects(t), ==, 1);
  munit_assert_int(t->response.drop, ==, 0);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201); /* a client that retries correctly, with the same key */
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_size(faults_projects(t), ==, 1);
}

/* A delay is reported in the response, and the service does not wait. Later rules apply as well. */
TEST_SERVICE(faults, late)
{
  svc_fault slow = { .delay_ms = 1500 }, slower = { .delay_ms = 3000, .count = 1 }, bad = { .status = 500, .count = 1 };
  t_organization(t, "Acme");
  faults_add(t, &slow);
  faults_add(t, &slower);
  faults_add(t, &bad);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 500);
  munit_assert_int(t->response.delay_ms, ==, 3000);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(t->response.delay_ms, ==, 1500);
  svc_fault_remove(t->s, 0);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(t->response.delay_ms, ==, 0);
}

/* Faults apply with the expected frequency; with a seed, to the same requests in every run. */
TEST(faults, chances)
{
  svc_config config = { .seed = 11, .manual_clock = T_START, .limiter_off = 1 };
  svc_fault f = { .status = 503, .chance = 0.25 };
  uint64_t seen[2][4] = { { 0 } };
  int round, i, n;
  for (round = 0; round < 2; round++) {
    t_service t;
    t_open(&t, &config);
    faults_add(&t, &f);
    for (i = n = 0; i < 256; i++) {
      bool bad = t_send(&t, "GET", "/orgs", NULL) == 503;
      n += bad;
      seen[round][i / 64] |= (uint64_t)bad << i % 64;
    }
    munit_assert_int(n, >, 32);
    munit_assert_int(n, <, 110);
    t_close(&t);
  }
  munit_assert_memory_equal(sizeof seen[0], seen[0], seen[1]);
}

/* A caller without valid credentials gets 401 as usual, and uses up no fault. */
TEST_SERVICE(faults, strangers)
{
  svc_fault f = { .status = 503, .delay_ms = 1000, .count = 1 }, list[1];
  faults_add(t, &f);
  t->anonymous = true;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 401);
  munit_assert_int(t->response.delay_ms, ==, 0);
  munit_assert_int(t_send(t, "GET", "/nothing/at/all", NULL), ==, 404);
  munit_assert_size(svc_fault_list(t->s, list, 1), ==, 1);
  munit_assert_int64(list[0].struck, ==, 0);
  t->anonymous = false;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 503);
}

TEST_SERVICE(faults, token)
{
  svc_fault expired = { .kind = SVC_FAULT_EXPIRED_TOKEN, .count = 1 }, stale = { .kind = SVC_FAULT_STALE_NONCE };
  svc_fault limited = { .status = 429, .count = 1 };
  svc_credentials keys;
  munit_assert_int(svc_bootstrap(t->s, &keys), ==, SVC_OK);
  faults_add(t, &stale); /* changes no request without a nonce */
  faults_add(t, &expired);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200); /* the request has no token either */
  munit_assert_int(t_as_account(t, keys.client_id, keys.client_secret), ==, 200);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 401);
  munit_assert_not_null(strstr(t_get_header(t, "WWW-Authenticate"), "stale=false"));
  munit_assert_string_equal(t_get_header(t, "X-Error-Code"), ""); /* as for a token that has really expired */
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_size(svc_fault_list(t->s, NULL, 0), ==, 1);
  faults_add(t, &limited); /* the operation that issues tokens has its own bucket */
  munit_assert_int(t_as_account(t, keys.client_id, keys.client_secret), ==, 429);
  munit_assert_string_equal(t_get_header(t, "Retry-After"), "60");
  munit_assert_int(t_as_account(t, keys.client_id, keys.client_secret), ==, 200);
}

static void faults_hex(const char *text, char *out)
{
  unsigned char hash[16];
  int i;
  svc_md5(svc_str_c(text), hash);
  for (i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

TEST_SERVICE(faults, nonce)
{
  svc_fault stale = { .kind = SVC_FAULT_STALE_NONCE, .count = 1 }, expired = { .kind = SVC_FAULT_EXPIRED_TOKEN };
  svc_credentials keys;
  char first[33], second[33], response[33], text[512], nonce[33], header[512];
  int i;
  munit_assert_int(svc_bootstrap(t->s, &keys), ==, SVC_OK);
  t->anonymous = true;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 401);
  snprintf(nonce, sizeof nonce, "%.32s", strstr(t_get_header(t, "WWW-Authenticate"), "nonce=\"") + 7);
  snprintf(text, sizeof text, "%s:svc:%s", keys.public_key, keys.private_key);
  faults_hex(text, first);
  faults_hex("GET:/api/svc/v2/orgs", second);
  faults_add(t, &expired);
  faults_add(t, &stale);
  for (i = 1; i <= 2; i++) {
    snprintf(text, sizeof text, "%s:%s:%08x:abc:auth:%s", first, nonce, (unsigned)i, second);
    faults_hex(text, response);
    snprintf(header, sizeof header, "Digest username=\"%s\", realm=\"svc\", nonce=\"%s\", uri=\"/api/svc/v2/orgs\", qop=auth, "
             "nc=%08x, cnonce=\"abc\", response=\"%s\"", keys.public_key, nonce, (unsigned)i, response);
    t_headers_clear(t);
    t_header(t, "Authorization", header);
    munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, i == 1 ? 401 : 200);
    if (i == 1) munit_assert_not_null(strstr(t_get_header(t, "WWW-Authenticate"), "stale=true"));
  }
}

TEST_SERVICE(faults, refuses)
{
  static const svc_fault bad[] = {
    { .status = 0 }, { .status = 418 }, { .status = 200 }, { .operation = "createNothing", .status = 500 },
    { .error_code = "NO_SUCH_CODE" }, { .status = 500, .error_code = "GROUP_NOT_FOUND" }, { .status = 500, .chance = 1.5 },
    { .status = 500, .chance = -0.5 }, { .status = 500, .count = -1 }, { .delay_ms = -1 }, { .delay_ms = 3600001 }, { .drop = 3 },
    { .kind = 3 }, { .kind = -1 }, { .kind = SVC_FAULT_STALE_NONCE, .status = 500 }, { .drop = -1 },
    { .kind = SVC_FAULT_STALE_NONCE, .error_code = "GROUP_NOT_FOUND" }, { .kind = SVC_FAULT_EXPIRED_TOKEN, .drop = SVC_DROP_AFTER },
  };
  svc_fault f = { .status = 500 }, list[2] = { { 0 } };
  int id;
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    t->log[0] = '\0';
    munit_assert_int(svc_fault_add(t->s, &bad[i], NULL), ==, SVC_INVALID);
    munit_assert_not_null(strstr(t->log, "svc_fault: "));
  }
  munit_assert_uint(atomic_load(&t->s->watch), ==, 0);
  munit_assert_int(svc_fault_add(t->s, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_fault_add(NULL, &f, NULL), ==, SVC_INVALID);
  for (i = 0; i < SVC_FAULTS; i++) munit_assert_int(svc_fault_add(t->s, &f, NULL), ==, SVC_OK);
  munit_assert_int(svc_fault_add(t->s, &f, NULL), ==, SVC_FULL);
  munit_assert_size(svc_fault_list(t->s, list, 0), ==, SVC_FAULTS); /* the number of faults, even without room for them */
  munit_assert_int(list[0].id, ==, 0);
  munit_assert_size(svc_fault_list(t->s, list, 1), ==, SVC_FAULTS);
  munit_assert_int(list[0].id, >, 0);
  munit_assert_int(list[1].id, ==, 0);
  munit_assert_int(svc_fault_remove(t->s, 0), ==, SVC_OK);
  munit_assert_size(svc_fault_list(t->s, NULL, 0), ==, 0);
  t->s->control->last_id = INT_MAX - 1; /* after INT_MAX, ids start at 1 again */
  munit_assert_int(faults_add(t, &f), ==, INT_MAX);
  id = faults_add(t, &f);
  munit_assert_int(id, ==, 1);
  munit_assert_int(svc_fault_remove(t->s, INT_MAX), ==, SVC_OK);
}

/* A fault can produce every error code, with the right number of parameters; t_send() checks that. */
TEST(faults, every_code)
{
  svc_config config = { .limiter_off = 1 };
  t_service t;
  int code = SVC_E_NONE;
  t_open(&t, &config);
  while ((code = svc_error_next(code)) != SVC_E_NONE) {
    svc_fault f = { .error_code = svc_error_name(code), .count = 1 };
    if (svc_error_status(code) < 400) continue;
    faults_add(&t, &f);
    munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, svc_error_status(code));
    munit_assert_string_equal(t_error(&t), svc_error_name(code));
  }
  t_close(&t);
}
