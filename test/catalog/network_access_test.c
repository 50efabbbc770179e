/* The access list of a project: addresses, ranges and security groups, each once, pending and then active, until a date. */
#include "needs.h"
#include "support.h"

T_NEEDS(network_access) = {
  T_SAMPLE("entryValue", "192.0.2.77"),
  T_NEEDS_END
};

#define LIST "/groups/%s/accessList"

static void access_open(t_place *w)
{
  svc_config config = { .limiter_off = 1, .provision_ms = 100000 };
  t_place_open(w, &config, "alpha", NULL);
}

static int at(t_place *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, LIST "%s", w->group, path);
}

static int64_t events(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=NETWORK_PERMISSION_ENTRY_%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount");
}

TEST(network_access, life)
{
  t_place w;
  access_open(&w);
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"192.0.2.1\",\"comment\":\"office\"},{\"cidrBlock\":\"198.51.100.9/24\"},"
                          "{\"awsSecurityGroup\":\"sg-0a1b\"},{\"ipAddress\":\"2001:DB8:0:0::0001\"}]"), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_int64(events(&w, "ADDED"), ==, 4);
  munit_assert_int(at(&w, "GET", "/192.0.2.1", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "cidrBlock"), "192.0.2.1/32");
  munit_assert_string_equal(t_str(&w.t, "comment"), "office");
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_int(at(&w, "GET", "/198.51.100.0%2F24", NULL), ==, 200);
  munit_assert_null(t_node(&w.t, "ipAddress"));
  munit_assert_int(at(&w, "GET", "/sg-0a1b", NULL), ==, 200);
  munit_assert_int(at(&w, "GET", "/2001:db8::1", NULL), ==, 200);
  munit_assert_int(at(&w, "GET", "/192.0.2.2", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "NETWORK_PERMISSION_ENTRY_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "192.0.2.2");
  munit_assert_int(at(&w, "GET", "/192.0.2.1/status", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "STATUS"), "PENDING");
  t_advance(&w.t, 11);
  munit_assert_int(at(&w, "GET", "/192.0.2.1/status", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "STATUS"), "ACTIVE");
  /* an existing entry gets the new comment; without a comment the entry stays unchanged */
  munit_assert_int(at(&w, "POST", "", "[{\"cidrBlock\":\"192.0.2.1/32\",\"comment\":\"home\"},{\"awsSecurityGroup\":\"sg-0a1b\"}]"), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_int64(events(&w, "UPDATED"), ==, 1);
  munit_assert_int(at(&w, "GET", "/192.0.2.1", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "comment"), "home");
  munit_assert_int(at(&w, "DELETE", "/192.0.2.1", NULL), ==, 204);
  munit_assert_int(at(&w, "GET", "/192.0.2.1", NULL), ==, 404);
  munit_assert_int64(events(&w, "REMOVED"), ==, 1);
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(network_access, refused)
{
  static const struct {
    const char *body, *code, *field;
  } rows[] = {
    { "[{}]", "MISSING_ONE_OF_ATTRIBUTES", "[0]" },
    { "[{\"ipAddress\":\"192.0.2.1\"},{\"comment\":\"x\"}]", "MISSING_ONE_OF_ATTRIBUTES", "[1]" },
    { "[{\"ipAddress\":\"192.0.2.1/24\"}]", "INVALID_IP_ADDRESS_OR_CIDR_NOTATION", "[0].ipAddress" },
    { "[{\"cidrBlock\":\"192.0.2.1\"}]", "INVALID_IP_ADDRESS_OR_CIDR_NOTATION", "[0].cidrBlock" },
    { "[{\"cidrBlock\":\"300.0.2.1/8\"}]", "INVALID_IP_ADDRESS_OR_CIDR_NOTATION", "[0].cidrBlock" },
    { "[{\"awsSecurityGroup\":\"group\"}]", "INVALID_ATTRIBUTE", "[0].awsSecurityGroup" },
    { "[{\"awsSecurityGroup\":\"sg-1\",\"ipAddress\":\"192.0.2.1\"}]", "MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY", NULL },
    { "[{\"awsSecurityGroup\":\"sg-1\",\"cidrBlock\":\"192.0.2.0/24\"}]", "MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY", NULL },
    { "[{\"ipAddress\":\"192.0.2\"}]", "INVALID_IP_ADDRESS_OR_CIDR_NOTATION", "[0].ipAddress" },
    { "[{\"ipAddress\":\"192.0.2.1\",\"cidrBlock\":\"192.0.2.1/33\"}]", "INVALID_IP_ADDRESS_OR_CIDR_NOTATION", "[0].cidrBlock" },
    { "[{\"cidrBlock\":\"10.0.0.0/8\",\"ipAddress\":\"192.0.2.1\"}]", "MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY", NULL },
    { "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"192.0.2.1/32\"}]", "DUPLICATE_ADDRESSES_IN_INPUT", NULL },
    { "[{\"ipAddress\":\"192.0.2.1\",\"deleteAfterDate\":\"2025-05-01\"}]", "EXPIRATION_DATE_IN_PAST", NULL },
  };
  t_place w;
  size_t i;
  access_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(at(&w, "POST", "", rows[i].body), ==, 400);
    if (strcmp(t_error(&w.t), rows[i].code) != 0) munit_errorf("%s: %s", rows[i].body, w.t.response.body);
    if (rows[i].field) munit_assert_true(t_violation(&w.t, rows[i].field));
  }
  /* the same address in both forms */
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"2001:db8::1\",\"cidrBlock\":\"2001:db8::1/128\"}]"), ==, 201);
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"2001:db8::1\",\"comment\":\"again\",\"deleteAfterDate\":\"2025-05-01\"}]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "EXPIRATION_DATE_IN_PAST"); /* also for an existing entry */
  munit_assert_int(at(&w, "DELETE", "/2001:db8::1", NULL), ==, 204);
  munit_assert_int(at(&w, "GET", "", NULL), ==, 200); /* the refused requests added no entry */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":2}", "/groups/%s/limits/svc.project.security.networkAccess.entries", w.group), ==, 200);
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"192.0.2.1\"},{\"ipAddress\":\"192.0.2.2\"},{\"ipAddress\":\"192.0.2.3\"}]"), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "NETWORK_PERMISSIONS_LIMIT_EXCEEDED");
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"192.0.2.1\"},{\"ipAddress\":\"192.0.2.2\"}]"), ==, 201);
  /* the number of entries does not grow */
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"192.0.2.1\"},{\"ipAddress\":\"192.0.2.2\"}]"), ==, 201);
  t_close(&w.t);
}

TEST(network_access, ends)
{
  t_place w;
  access_open(&w);
  munit_assert_int(at(&w, "POST", "", "[{\"ipAddress\":\"192.0.2.1\",\"deleteAfterDate\":\"2025-06-01T06:00:00Z\"}]"), ==, 201);
  t_advance(&w.t, 6 * 3600 - 1);
  munit_assert_int(at(&w, "GET", "/192.0.2.1", NULL), ==, 200);
  t_advance(&w.t, 2);
  munit_assert_int(at(&w, "GET", "/192.0.2.1", NULL), ==, 404);
  munit_assert_int64(events(&w, "REMOVED"), ==, 1);
  store_whole(w.t.s);
  t_close(&w.t);
}
