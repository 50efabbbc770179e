/*
** The functions for other languages, which take text instead of structs: valid input, errors and how they name the fault, and
** headers that are passed one by one.
*/
#include "support.h"

#define FLAT_HOST "{\"caller\":{\"user_id\":\"000000000000000000000000\",\"username\":\"host\",\"grants\":[{\"role\":\"ORG_OWNER\"}]}}"

TEST(flat, configuration)
{
  static const char json[] =
    "{\"vendor\":\"acme\",\"map_size\":33554432,\"limiter_off\":false,\"conceal\":true,\"provision_ms\":-1,\"seed\":7,\"path\":null,"
    "\"manual_clock\":1893456000000,\"durability\":2,\"limits\":[{\"endpoint_set_id\":\"clusters_group\",\"capacity\":3}],"
    "\"control_addresses\":[{\"provider\":\"aws\",\"region\":\"us-east-1\",\"cidr\":\"10.0.0.0/8\",\"outbound\":true}],"
    "\"secret_key\":\"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\"}";
  char why[256], id[80];
  svc *s;
  int i, found = 0;
  munit_assert_int(svc_open_json(&s, json, why, sizeof why), ==, SVC_OK);
  munit_assert_string_equal(s->config.vendor, "acme");
  munit_assert_size(s->config.map_size, ==, 33554432);
  munit_assert_int(s->config.conceal, ==, 1);
  munit_assert_int(s->config.limiter_off, ==, 0);
  munit_assert_int64(s->config.provision_ms, ==, SVC_PROVISION_NOW);
  munit_assert_int(s->config.durability, ==, SVC_NO_SYNC);
  munit_assert_int64(svc_clock_now(s), ==, INT64_C(1893456000000));
  munit_assert_size(s->config.control_address_count, ==, 1);
  munit_assert_string_equal(s->config.control_addresses[0].cidr, "10.0.0.0/8");
  munit_assert_int(s->config.control_addresses[0].outbound, ==, 1);
  for (i = 0; i < 32; i++) munit_assert_uint8(s->secret_keys.keys[0][i], ==, (uint8_t)i);
  for (i = 0; i < s->set_count; i++) {
    svc_set_id(i, id, sizeof id);
    if (strcmp(id, "clusters_group") == 0) found = s->sets[i].capacity == 3;
  }
  munit_assert_int(found, ==, 1);
  svc_close(s);
  munit_assert_int(svc_open_json(&s, NULL, NULL, 0), ==, SVC_OK);
  svc_close(s);
  munit_assert_int(svc_open_json(NULL, "{}", why, sizeof why), ==, SVC_INVALID);
}

TEST(flat, configuration_refused)
{
  static const struct {
    const char *json, *why;
  } rows[] = {
    { "{\"vendr\":\"acme\"}", "vendr is not a member" },
    { "{\"clock\":1}", "clock is not a member, or cannot be set in JSON" },
    { "{\"limits\":[{\"capcity\":1}]}", "capcity is not a member" },
    { "{\"limits\":[{\"capcity\":1},{}]}", "capcity is not a member" },
    { "{\"durability\":-4294967296}", "durability is out of range" },
    { "{\"limits\":[1]}", "limits must be an array of objects" },
    { "{\"limits\":{}}", "limits must be an array" },
    { "{\"limits\":[{\"endpoint_set_id\":\"none\"}]}", "none is not the id of an endpoint set" },
    { "{\"vendor\":1}", "vendor must be a string" },
    { "{\"vendor\":\"ac\\u0000me\"}", "malformed at byte 13: U+0000" },
    { "{\"vendor\":\"No Word\"}", "svc_config.vendor must be a word" },
    { "{\"conceal\":1}", "conceal must be true or false" },
    { "{\"max_body\":-1}", "max_body is out of range" },
    { "{\"max_body\":1.5}", "max_body must be a whole number" },
    { "{\"durability\":4294967296}", "durability is out of range" },
    { "{\"secret_key\":\"00\"}", "secret_key must be 64 hex digits" },
    { "{\"vendor\":\"a\",\"vendor\":\"b\"}", "malformed at byte" },
    { "{\"vendor\":\"a\"} x", "malformed at byte" },
    { "", "malformed at byte 0" },
    { "[]", "must be an object" },
  };
  char why[256], little[8];
  svc *s;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(svc_open_json(&s, rows[i].json, why, sizeof why), ==, SVC_INVALID);
    munit_assert_null(s);
    if (!strstr(why, rows[i].why)) munit_errorf("%s: %s", rows[i].json, why);
    munit_assert_int(svc_open_json(&s, rows[i].json, little, sizeof little), ==, SVC_INVALID);
    munit_assert_int(svc_open_json(&s, rows[i].json, NULL, 100), ==, SVC_INVALID);
  }
}

static svc *flat_open(svc_result **first)
{
  svc *s;
  munit_assert_int(svc_open_json(&s, "{\"manual_clock\":1893456000000,\"seed\":1,\"journal\":4}", NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_bootstrap_json(s, first), ==, SVC_OK);
  return s;
}

TEST(flat, requests)
{
  svc_result *r, *first;
  svc *s = flat_open(&first);
  const char *body;
  char path[64];
  size_t n;
  body = svc_result_body(first, &n);
  munit_assert_int(svc_result_status(first), ==, 200);
  munit_assert_size(n, ==, strlen(body));
  munit_assert_not_null(strstr(body, "\"clientSecret\":\"svc_sa_sk_"));
  munit_assert_char(body[n - 1], ==, '}');
  svc_result_free(first);
  munit_assert_int(svc_bootstrap_json(s, &r), ==, SVC_BUSY); /* the store already has an organization */
  munit_assert_null(r);
  munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2/orgs", NULL, NULL, 0, NULL, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 401);
  munit_assert_not_null(svc_result_header(r, "www-authenticate"));
  svc_result_free(r);
  munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2/orgs", "Accept: application/json\r\nX-Empty:\nX-Tab: a\tb\n", NULL, 0, FLAT_HOST, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 200);
  munit_assert_not_null(strstr(svc_result_body(r, NULL), "\"isDeleted\":false"));
  munit_assert_null(svc_result_header(r, "no-such"));
  svc_result_free(r);
  munit_assert_int(svc_call_text(s, "POST", "/api/svc/v2/orgs", "Content-Type: application/json", "{\"name\":\"Two\"}", 14, FLAT_HOST, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 201);
  munit_assert_not_null(strstr(svc_result_body(r, NULL), "\"Two\""));
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%.24s", strstr(svc_result_body(r, NULL), "\"id\":\"") + 6);
  svc_result_free(r);
  munit_assert_int(svc_call_text(s, "DELETE", path, NULL, NULL, 0, FLAT_HOST, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 204);
  munit_assert_string_equal(svc_result_body(r, &n), "");
  munit_assert_size(n, ==, 0);
  svc_result_free(r);
  svc_result_free(NULL);
  munit_assert_int(svc_result_status(NULL), ==, 0);
  munit_assert_string_equal(svc_result_body(NULL, &n), "");
  munit_assert_null(svc_result_header(NULL, "ETag"));
  munit_assert_int(svc_call_text(s, NULL, "/", NULL, NULL, 0, NULL, &r), ==, SVC_INVALID);
  munit_assert_int(svc_call_text(s, "GET", "/", NULL, NULL, 1, NULL, &r), ==, SVC_INVALID);
  svc_close(s);
}

/* Ambiguous text is refused, and no request runs. */
TEST(flat, refused)
{
  static const char *const headers[] = { "Accept", "Accept \n", "Accept : a", ": a", " Accept: a", "A: b\n\nC: d", "\n", "A: b\n C: d",
                                         "A: b\rC: d", "A: b\r\r\n", "A: \x01", "A: b\x7F", "A\x80: b", "(A): b" };
  static const char *const origins[] = { "{\"callr\":null}", "{\"caller\":[]}", "{\"tls\":1}", "{\"peer\":7}", "{", "[]",
                                         "{\"caller\":{\"grants\":[{\"rol\":\"ORG_OWNER\"}]}}" };
  char long_name[260];
  svc_result *r;
  svc *s = flat_open(&r);
  svc_response journal;
  size_t i;
  svc_result_free(r);
  svc_journal_clear(s);
  for (i = 0; i < sizeof headers / sizeof headers[0]; i++) {
    munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2", headers[i], NULL, 0, FLAT_HOST, &r), ==, SVC_INVALID);
    munit_assert_null(r);
  }
  memset(long_name, 'A', 256); /* an unknown name */
  memcpy(long_name + 256, ": b", 4);
  munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2", long_name, NULL, 0, FLAT_HOST, &r), ==, SVC_INVALID);
  for (i = 0; i < sizeof origins / sizeof origins[0]; i++)
    munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2", NULL, NULL, 0, origins[i], &r), ==, SVC_INVALID);
  munit_assert_int(svc_journal_read(s, 0, &journal), ==, SVC_OK);
  munit_assert_string_equal(journal.body, "[]");
  svc_response_free(&journal);
  svc_close(s);
}

/* An incomplete caller in the JSON gets no role, and does not crash the process. */
TEST(flat, half_callers)
{
  static const char *const origins[] = { "{\"caller\":{}}", "{\"caller\":{\"user_id\":\"000000000000000000000000\"}}",
                                         "{\"caller\":{\"grants\":[{}]}}", "{\"caller\":{\"user_id\":\"x\",\"grants\":[{\"role\":\"ORG_OWNER\"}]}}",
                                         "{\"caller\":{\"user_id\":\"000000000000000000000001\",\"grants\":[{\"on\":\"x\"}]},\"peer\":\"no address\"}" };
  svc_result *r;
  svc *s = flat_open(&r);
  size_t i;
  svc_result_free(r);
  for (i = 0; i < sizeof origins / sizeof origins[0]; i++) {
    munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2/orgs", NULL, NULL, 0, origins[i], &r), ==, SVC_OK);
    munit_assert_null(strstr(svc_result_body(r, NULL), "\"isDeleted\":false"));
    svc_result_free(r);
  }
  svc_close(s);
}

/* Out of memory at every allocation of a call: the call returns an error, and nothing leaks. */
TEST(flat, memory)
{
  t_memory m = { 0 };
  svc_config config;
  svc_result *r;
  svc *s;
  long i, live;
  int rc = SVC_NOMEM, status = 0;
  memset(&config, 0, sizeof config);
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &m;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  live = m.live;
  for (i = 1; status != 200; i++) {
    munit_assert_long(i, <, 100);
    m.calls = 0;
    m.fail_at = i;
    rc = svc_call_text(s, "GET", "/api/svc/v2/orgs", "A: b\nC: d", NULL, 0, FLAT_HOST, &r);
    m.fail_at = 0;
    status = svc_result_status(r);
    munit_assert_true(rc == SVC_OK ? status == 200 || status == 503 : rc == SVC_NOMEM && !r);
    svc_result_free(r);
    munit_assert_long(m.live, ==, live);
  }
  for (i = 1, rc = SVC_NOMEM; rc != SVC_OK; i++) {
    munit_assert_long(i, <, 10000);
    m.calls = 0;
    m.fail_at = i;
    rc = svc_bootstrap_json(s, &r);
    m.fail_at = 0;
    munit_assert_true(rc == SVC_NOMEM ? !r : rc == SVC_OK && svc_result_status(r) == 200);
    if (rc == SVC_OK) munit_assert_not_null(strstr(svc_result_body(r, NULL), "\"clientSecret\":\"svc_sa_sk_"));
    svc_result_free(r);
  }
  svc_close(s);
  munit_assert_long(m.live, ==, 0);
}

/* The same for a configuration: svc_open_json() applies all of it, including the key, or opens no handle. */
TEST(flat, configuration_memory)
{
  static const char json[] = "{\"vendor\":\"acme\",\"limits\":[{\"endpoint_set_id\":\"clusters_group\",\"capacity\":3}],"
    "\"secret_key\":\"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\"}";
  char why[256];
  svc *s;
  long n;
  int i;
  for (n = 1; n < 100; n++) { /* every allocation of svc_open_json() itself, and the first ones of svc_open() */
    int rc;
    t_arena_fail(n);
    rc = svc_open_json(&s, json, why, sizeof why);
    t_arena_fail(0);
    if (rc != SVC_NOMEM || s) munit_errorf("allocation %ld: %d: %s", n, rc, why);
    munit_assert_string_equal(why, svc_strerror(SVC_NOMEM));
  }
  munit_assert_int(svc_open_json(&s, json, why, sizeof why), ==, SVC_OK);
  munit_assert_string_equal(s->config.vendor, "acme");
  for (i = 0; i < 32; i++) munit_assert_uint8(s->secret_keys.keys[0][i], ==, (uint8_t)i);
  svc_close(s);
}

/* The parts of an answer that a binding needs to simulate a connection: dropped and delayed answers, the operation, and all headers. */
TEST(flat, result_parts)
{
  char why[256];
  svc *s;
  svc_result *r, *set;
  munit_assert_int(svc_open_json(&s, "{\"journal\":8}", why, sizeof why), ==, SVC_OK);
  munit_assert_int(svc_control_text(s, "POST", "/_svc/faults", "{\"drop\":\"after\",\"delayMs\":25}", 29, &set), ==, SVC_OK);
  munit_assert_int(svc_result_status(set), ==, 201);
  svc_result_free(set);
  munit_assert_int(svc_call_text(s, "GET", "/api/svc/v2/orgs", NULL, NULL, 0, FLAT_HOST, &r), ==, SVC_OK);
  munit_assert_true(svc_result_drop(r));
  munit_assert_int(svc_result_delay_ms(r), ==, 25);
  munit_assert_string_equal(svc_result_operation(r), "listOrgs");
  munit_assert_not_null(strstr(svc_result_headers(r), "Content-Type: application/"));
  munit_assert_ptr_equal(svc_result_headers(r), svc_result_headers(r));
  munit_assert_char(svc_result_headers(r)[strlen(svc_result_headers(r)) - 1], ==, '\n');
  svc_result_free(r);
  munit_assert_int(svc_call_text(s, "GET", "/nowhere", NULL, NULL, 0, FLAT_HOST, &r), ==, SVC_OK);
  munit_assert_string_equal(svc_result_operation(r), "");
  munit_assert_int(svc_result_drop(r), ==, 0);
  svc_result_free(r);
  munit_assert_string_equal(svc_result_headers(NULL), "");
  munit_assert_string_equal(svc_result_operation(NULL), "");
  munit_assert_int(svc_result_drop(NULL) + svc_result_delay_ms(NULL), ==, 0);
  svc_close(s);
}

/* Test control needs no token here: the handle itself is the permission. */
TEST(flat, control)
{
  char why[256];
  svc *s;
  svc_result *r;
  munit_assert_int(svc_open_json(&s, "{\"manual_clock\":1893456000000}", why, sizeof why), ==, SVC_OK);
  munit_assert_int(svc_control_text(s, "POST", "/_svc/clock", "{\"advanceSeconds\":60}", 21, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 200);
  munit_assert_not_null(strstr(svc_result_body(r, NULL), "\"nowMs\":1893456060000"));
  svc_result_free(r);
  munit_assert_int(svc_control_text(s, "POST", "/_svc/reset", NULL, 0, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 400); /* svc_control_begin() was not called */
  svc_result_free(r);
  munit_assert_int(svc_control_begin(s), ==, SVC_OK);
  munit_assert_int(svc_control_text(s, "POST", "/_svc/reset", NULL, 0, &r), ==, SVC_OK);
  munit_assert_int(svc_result_status(r), ==, 204);
  svc_result_free(r);
  munit_assert_int(svc_control_text(s, "GET", "/api/svc/v2/orgs", NULL, 0, &r), ==, SVC_INVALID);
  munit_assert_null(r);
  munit_assert_int(svc_control_text(s, NULL, "/_svc/clock", NULL, 0, &r), ==, SVC_INVALID);
  munit_assert_int(svc_control_text(s, "GET", NULL, NULL, 0, &r), ==, SVC_INVALID);
  munit_assert_int(svc_control_text(s, "GET", "/_svc/clock", NULL, 5, &r), ==, SVC_INVALID);
  munit_assert_int(svc_control_text(s, "GET", "/_svc/clock", NULL, 0, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_control_text(NULL, "GET", "/_svc/clock", NULL, 0, &r), ==, SVC_INVALID);
  svc_close(s);
}
