/* Database users: their ways to authenticate, their roles, the stored form of passwords, and the orders to the driver. */
#include "driver.h"
#include "faults.h"
#include "needs.h"

#define NEED_USERS "/groups/{groupId}/databaseUsers"
#define NEED_USER(more) \
  "{\"databaseName\":\"admin\",\"username\":\"ref\",\"password\":\"correct horse battery\",\"roles\":[{\"roleName\":" \
  "\"readWriteAnyDatabase\",\"databaseName\":\"admin\"}]" more "}"
#define NEED_SCOPE(type) ",\"scopes\":[{\"type\":\"" type "\",\"name\":\"%V\"}]"

T_NEEDS(database_user) = {
  T_SAMPLE("username", "nobody@example.com"),
  T_REFERENCE("database user", "scopes[type=CLUSTER].name", SVC_POST, NEED_USERS, NEED_USER(NEED_SCOPE("CLUSTER")), 0, NULL),
  T_REFERENCE("database user", "scopes[type=DATA_LAKE].name", SVC_POST, NEED_USERS, NEED_USER(NEED_SCOPE("DATA_LAKE")), 0, NULL),
  T_REFERENCE("database user", "scopes[type=STREAM].name", SVC_POST, NEED_USERS, NEED_USER(NEED_SCOPE("STREAM")), 0, NULL),
  T_REFERENCE("database user", "roles[].roleName", SVC_POST, NEED_USERS,
              "{\"databaseName\":\"admin\",\"username\":\"ref\",\"password\":\"correct horse battery\",\"roles\":[{\"roleName\":\"%V\","
              "\"databaseName\":\"admin\"}]}", 0, NULL),
  T_NEEDS_END
};

#define USERS "/groups/%s/databaseUsers"
#define ROLE "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"shop\"}]"
#define APP "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse\"," ROLE "}"

typedef struct user_world {
  t_service t;
  const char *group;
  t_driver driver;
} user_world;

static void user_open(user_world *w, bool driven)
{
  svc_config config = { .limiter_off = 1 };
  memset(w, 0, sizeof *w);
  if (driven) config.driver = t_driver_init(&w->driver);
  t_open(&w->t, &config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "alpha");
}

static int at(user_world *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, USERS "%s", w->group, path);
}

/* RFC 7677, section 3. */
TEST(database_user, scram)
{
  svc_arena a;
  svc_str salt, out;
  svc_arena_init(&a, NULL);
  munit_assert_true(svc_base64_decode(&a, SVC_S("W22ZaJ0SNY7soEsUEjb6gQ=="), &salt));
  out = svc_scram_verifier(&a, SVC_S("pencil"), (const unsigned char *)salt.p);
  munit_assert_string_equal(out.p, "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                                   "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
  svc_blocks_free(a.blocks);
}

TEST(database_user, life)
{
  static const struct {
    const char *body, *code, *field;
  } fixed[] = {
    { "{\"username\":\"b\"}", "DATABASE_USERNAME_CANNOT_BE_CHANGED", "username" },
    { "{\"databaseName\":\"$external\"}", "DATABASE_NAME_CANNOT_BE_CHANGED", "databaseName" },
    { "{\"x509Type\":\"MANAGED\"}", "AUTH_TYPE_CANNOT_BE_CHANGED", "x509Type" },
    { "{\"awsIAMType\":\"USER\"}", "AUTH_TYPE_CANNOT_BE_CHANGED", "awsIAMType" },
    { "{\"ldapAuthType\":\"USER\"}", "AUTH_TYPE_CANNOT_BE_CHANGED", "ldapAuthType" },
    { "{\"oidcAuthType\":\"USER\"}", "AUTH_TYPE_CANNOT_BE_CHANGED", "oidcAuthType" },
  };
  static char tall[4100];
  size_t i;
  user_world w;
  user_open(&w, false);
  munit_assert_int(at(&w, "POST", "", APP), ==, 201);
  munit_assert_null(t_node(&w.t, "password"));
  munit_assert_null(strstr(w.t.response.body, "SCRAM"));
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "x509Type"), "NONE");
  munit_assert_int(at(&w, "POST", "", APP), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "USER_ALREADY_EXISTS");
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 200);
  munit_assert_int(at(&w, "GET", "/admin/other", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "USERNAME_NOT_FOUND");
  /* invalid passwords are refused */
  munit_assert_int(at(&w, "PATCH", "/admin/app", "[]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_JSON");
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"password\":5}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_JSON_ATTRIBUTE");
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"password\":\"short\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "WEAK_PASSWORD");
  snprintf(tall, sizeof tall, "{\"password\":\"%04000d\"}", 0);
  munit_assert_int(at(&w, "PATCH", "/admin/app", tall), ==, 400);
  munit_assert_true(t_violation(&w.t, "password"));
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"password\":\"another horse\"}"), ==, 200);
  for (i = 0; i < sizeof fixed / sizeof fixed[0]; i++) { /* fields that cannot be changed: 400, with the field and the user */
    munit_assert_int(at(&w, "PATCH", "/admin/app", fixed[i].body), ==, 400);
    munit_assert_string_equal(t_error(&w.t), fixed[i].code);
    munit_assert_string_equal(t_param(&w.t, 0), "app");
    munit_assert_not_null(strstr(t_str(&w.t, "detail"), fixed[i].field));
    munit_assert_not_null(strstr(t_str(&w.t, "detail"), "user app "));
    munit_assert_true(t_violation(&w.t, fixed[i].field));
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=DB_USER_UPDATED", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].dbUserUsername"), "app");
  munit_assert_int(at(&w, "DELETE", "/admin/app", NULL), ==, 204);
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 404);
  /* a name with characters that URLs reserve */
  munit_assert_int(at(&w, "POST", "", "{\"databaseName\":\"$external\",\"username\":\"CN=a/b?c#d,OU=%41\",\"x509Type\":\"CUSTOMER\"," ROLE "}"), ==, 201);
  munit_assert_int(t_send_raw(&w.t, "GET", t_keep(&w.t, strstr(t_link(&w.t, "self"), "/api/")), NULL, 0), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "username"), "CN=a/b?c#d,OU=%41");
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(database_user, refused)
{
#define BY(rest) "{\"databaseName\":\"admin\",\"username\":\"app\"," rest "}"
#define HELD(role) "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse\",\"roles\":[" role "]}"
  static const struct {
    const char *body, *code, *field;
  } rows[] = {
    { BY(ROLE), "MISSING_PASSWORD", NULL },
    { BY("\"password\":\"short\"," ROLE), "WEAK_PASSWORD", "password" },
    { BY("\"password\":\"gr\xC3\xBC\xC3\x9F gott\"," ROLE), "WEAK_PASSWORD", "password" },
    { BY("\"password\":\"Password1\"," ROLE), "COMMON_PASSWORD", NULL },
    { BY("\"password\":\"correct horse\",\"x509Type\":\"MANAGED\"," ROLE), "INVALID_ATTRIBUTE", "databaseName" },
    { "{\"databaseName\":\"$external\",\"username\":\"CN=a\",\"password\":\"correct horse\",\"x509Type\":\"MANAGED\"," ROLE "}", "INVALID_ATTRIBUTE", "password" },
    { "{\"databaseName\":\"$external\",\"username\":\"app\",\"password\":\"correct horse\"," ROLE "}", "INVALID_ATTRIBUTE", "databaseName" },
    { "{\"databaseName\":\"$external\",\"username\":\"CN=a\",\"x509Type\":\"MANAGED\",\"ldapAuthType\":\"USER\"," ROLE "}", "INVALID_ATTRIBUTE", "x509Type" },
    { "{\"databaseName\":\"$external\",\"username\":\"app\",\"x509Type\":\"MANAGED\"," ROLE "}", "INVALID_USERNAME", NULL },
    { "{\"databaseName\":\"$external\",\"username\":\"app\",\"awsIAMType\":\"USER\"," ROLE "}", "INVALID_USERNAME", NULL },
    { "{\"databaseName\":\"shop\",\"username\":\"app\",\"password\":\"correct horse\"," ROLE "}", "INVALID_ENUM_VALUE", "databaseName" },
    { BY("\"password\":\"correct horse\",\"roles\":[]"), "INVALID_ATTRIBUTE", "roles" },
    { HELD("{\"roleName\":\"nosuch\",\"databaseName\":\"admin\"}"), "INVALID_ROLE", NULL },
    { HELD("{\"roleName\":\"readAnyDatabase\",\"databaseName\":\"shop\"}"), "INVALID_ROLE_DATABASE", NULL },
    { HELD("{\"roleName\":\"dbAdmin\",\"databaseName\":\"shop\",\"collectionName\":\"c\"}"), "INVALID_ATTRIBUTE", "roles[0].collectionName" },
    { HELD("{\"roleName\":\"read\",\"databaseName\":\"a\"},{\"roleName\":\"read\",\"databaseName\":\"a\"}"), "DUPLICATE_DATABASE_ROLES", NULL },
    { BY("\"password\":\"correct horse\",\"scopes\":[{\"type\":\"CLUSTER\",\"name\":\"none\"}]," ROLE), "SCOPE_CLUSTER_NOT_FOUND", NULL },
    { BY("\"password\":5," ROLE), "INVALID_JSON_ATTRIBUTE", "password" },
    { BY("\"password\":null," ROLE), "MISSING_PASSWORD", NULL },
    { "[]", "INVALID_JSON", NULL },
    { "{\"databaseName\":\"admin\",\"username\":\"idp/group\",\"password\":\"correct horse\",\"oidcAuthType\":\"IDP_GROUP\"," ROLE "}", "INVALID_ATTRIBUTE", "password" },
    { "{\"databaseName\":\"admin\",\"username\":\"group\",\"oidcAuthType\":\"IDP_GROUP\"," ROLE "}", "INVALID_USERNAME", NULL },
    { "{\"databaseName\":\"admin\",\"username\":\"idp/me\",\"oidcAuthType\":\"USER\"," ROLE "}", "INVALID_ATTRIBUTE", "databaseName" },
    { HELD("{\"roleName\":\"svcAdmin\",\"databaseName\":\"shop\"}"), "INVALID_ROLE_DATABASE", NULL },
    { HELD("{\"roleName\":\"svcadmin\",\"databaseName\":\"admin\"}"), "INVALID_ROLE", NULL },
    { HELD("{\"roleName\":\"svc\",\"databaseName\":\"admin\"}"), "INVALID_ROLE", NULL },
    { HELD("{\"roleName\":\"svcAdmin\",\"databaseName\":\"admin\",\"collectionName\":\"c\"}"), "INVALID_ATTRIBUTE", "roles[0].collectionName" },
    { BY("\"password\":\"correct horse\",\"scopes\":[{\"type\":\"STREAM\",\"name\":\"none\"}]," ROLE), "SCOPE_CLUSTER_NOT_FOUND", NULL },
    { BY("\"password\":\"correct horse\",\"deleteAfterDate\":\"2025-05-31T23:59:59Z\"," ROLE), "EXPIRATION_DATE_IN_PAST", NULL },
  };
  user_world w;
  size_t i;
  user_open(&w, false);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(at(&w, "POST", "", rows[i].body), ==, 400);
    if (strcmp(t_error(&w.t), rows[i].code) != 0) munit_errorf("%s: %s", rows[i].body, w.t.response.body);
    if (rows[i].field) munit_assert_true(t_violation(&w.t, rows[i].field));
  }
  munit_assert_int(at(&w, "GET", "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

/* A custom role that a user has cannot be deleted. The project's limit of users holds. */
TEST(database_user, holds)
{
  user_world w;
  user_open(&w, false);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"roleName\":\"mine\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"b\"}]}]}",
                           "/groups/%s/customDBRoles/roles", w.group), ==, 202);
  munit_assert_int(at(&w, "POST", "", HELD("{\"roleName\":\"mine\",\"databaseName\":\"shop\"}")), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_DATABASE");
  munit_assert_int(at(&w, "POST", "", HELD("{\"roleName\":\"mine\",\"databaseName\":\"admin\",\"collectionName\":\"c\"}")), ==, 400);
  munit_assert_true(t_violation(&w.t, "roles[0].collectionName")); /* a custom role defines its own resources */
  munit_assert_int(at(&w, "POST", "", HELD("{\"roleName\":\"mine\",\"databaseName\":\"admin\"}")), ==, 201);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/customDBRoles/roles/mine", w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CUSTOM_ROLE_IN_USE_BY_USERS");
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{" ROLE "}"), ==, 200);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/customDBRoles/roles/mine", w.group), ==, 204);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":1}", "/groups/%s/limits/svc.project.security.databaseAccess.users", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 1);
  munit_assert_int(at(&w, "POST", "", "{\"databaseName\":\"admin\",\"username\":\"b\",\"password\":\"correct horse\"," ROLE "}"), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "GROUP_USERS_LIMIT_EXCEEDED");
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(database_user, ends)
{
  user_world w;
  user_open(&w, false);
  munit_assert_int(at(&w, "POST", "", BY("\"password\":\"correct horse\",\"deleteAfterDate\":\"2025-06-01T01:00:00Z\"," ROLE)), ==, 201);
  t_advance(&w.t, 3599);
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 200);
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"deleteAfterDate\":\"2025-06-01T02:00:00Z\"}"), ==, 200);
  t_advance(&w.t, 2);
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 200);
  t_advance(&w.t, 3600);
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=DB_USER_DELETED", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(at(&w, "POST", "", BY("\"password\":\"correct horse\",\"deleteAfterDate\":\"2025-06-01T03:00:00Z\"," ROLE)), ==, 201);
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"deleteAfterDate\":null}"), ==, 200); /* the user is no longer temporary */
  t_advance(&w.t, 86400);
  munit_assert_int(at(&w, "GET", "/admin/app", NULL), ==, 200);
  t_close(&w.t);
}

/* The driver gets an order for every change, with a verifier and never a password; and for a delete, with the project of the user. */
TEST(database_user, driven)
{
  user_world w;
  const char *first;
  user_open(&w, true);
  munit_assert_int(at(&w, "POST", "", APP), ==, 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(w.driver.orders, ==, 1);
  munit_assert_string_equal(w.driver.kept[0].action, "user.put");
  munit_assert_string_equal(w.driver.kept[0].group_id, w.group);
  first = strstr(w.driver.kept[0].desired, "\"verifier\":\"SCRAM-SHA-256$4096:");
  munit_assert_not_null(first);
  munit_assert_null(strstr(w.driver.kept[0].desired, "correct"));
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"description\":\"d\"}"), ==, 200); /* the order has the stored verifier */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(strstr(w.driver.kept[1].desired, "\"verifier\""), first);
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"password\":\"another horse\"}"), ==, 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(w.driver.orders, ==, 3);
  munit_assert_string_not_equal(strstr(w.driver.kept[2].desired, "\"verifier\""), first);
  t_header(&w.t, "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  munit_assert_int(at(&w, "DELETE", "/admin/app", NULL), ==, 204);
  t_headers_clear(&w.t);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(w.driver.orders, ==, 4);
  munit_assert_string_equal(w.driver.kept[2].traceparent, "");
  munit_assert_string_equal(w.driver.kept[3].traceparent, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  munit_assert_string_equal(w.driver.kept[3].action, "user.delete");
  munit_assert_string_equal(w.driver.kept[3].group_id, w.group); /* the user is deleted; the order still has its project */
  munit_assert_string_equal(w.driver.kept[3].org_id, w.driver.kept[0].org_id);
  munit_assert_size(strlen(w.driver.kept[3].org_id), ==, 24);
  munit_assert_string_equal(w.driver.kept[3].name, "admin/app");
  munit_assert_not_null(strstr(w.driver.kept[3].desired, "\"username\":\"app\""));
  store_whole(w.t.s);
  t_close(&w.t);
}

/* Returns the last order about a user. Open orders of other users are handed out again after a reopen, in no particular sequence. */
static const t_order *user_order(const user_world *w, const char *name)
{
  int n;
  for (n = w->driver.orders - 1; n >= 0 && n >= w->driver.orders - T_ORDERS_KEPT; n--)
    if (strcmp(w->driver.kept[n % T_ORDERS_KEPT].name, name) == 0) return &w->driver.kept[n % T_ORDERS_KEPT];
  munit_errorf("there is no order about %s", name);
  return NULL;
}

static const char *user_secrets(user_world *w, const char *name)
{
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  return user_order(w, name)->secrets;
}

/* With seal_passwords, the driver gets passwords as the secrets of user.put, and nobody else gets them. A handle without that
** option gives out none, and drops them with the next change. */
TEST(database_user, sealed)
{
  static const char *const first = "{\"password\":\"correct horse\"}", *const next = "another key of thirty-two bytes or so";
  char folder[128], group[25];
  svc_config config = { .limiter_off = 1, .seal_passwords = 1, .path = folder };
  const t_order *order;
  user_world w;
  memset(&w, 0, sizeof w);
  store_folder(folder);
  config.driver = t_driver_init(&w.driver);
  w.driver.with_secrets = true;
  t_open(&w.t, &config);
  snprintf(group, sizeof group, "%s", t_project(&w.t, t_organization(&w.t, "Acme"), "alpha"));
  w.group = group; /* a copy that outlives the handle */
  munit_assert_int(at(&w, "POST", "", APP), ==, 201);
  munit_assert_null(strstr(w.t.response.body, "assword"));
  munit_assert_string_equal(user_secrets(&w, "admin/app"), first);
  order = t_driver_order(&w.driver, "user.put");
  munit_assert_null(strstr(order->desired, "horse"));
  munit_assert_not_null(strstr(order->desired, "\"verifier\":\"SCRAM-SHA-256$4096:"));
  munit_assert_null(strstr(order->desired, "\\n"));
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"description\":\"d\"}"), ==, 200);
  munit_assert_null(strstr(w.t.response.body, "assword"));
  munit_assert_string_equal(user_secrets(&w, "admin/app"), first);
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"password\":\"another horse\"}"), ==, 200);
  munit_assert_string_equal(user_secrets(&w, "admin/app"), "{\"password\":\"another horse\"}");
  t_reopen(&w.t, &config); /* an accepted but unfinished order is handed out again */
  munit_assert_string_equal(user_secrets(&w, "admin/app"), "{\"password\":\"another horse\"}");
  munit_assert_int(svc_rotate_key(w.t.s, next, 9), ==, SVC_BUSY);
  munit_assert_int(svc_rotate_key(w.t.s, next, 9), ==, SVC_OK);
  config.secret_key = next;
  t_reopen(&w.t, &config); /* the key that sealed the password is no longer there */
  munit_assert_string_equal(user_secrets(&w, "admin/app"), "{\"password\":\"another horse\"}");
  munit_assert_int(at(&w, "POST", "", "{\"databaseName\":\"$external\",\"username\":\"CN=a\",\"x509Type\":\"CUSTOMER\"," ROLE "}"), ==, 201);
  munit_assert_string_equal(user_secrets(&w, "%24external/CN%3Da"), "{}");
  config.seal_passwords = 0;
  t_reopen(&w.t, &config);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(user_order(&w, "admin/app")->secrets, "{}");
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"description\":\"e\"}"), ==, 200);
  munit_assert_string_equal(user_secrets(&w, "admin/app"), "{}");
  config.seal_passwords = 1;
  t_reopen(&w.t, &config);
  munit_assert_int(at(&w, "PATCH", "/admin/app", "{\"description\":\"f\"}"), ==, 200);
  munit_assert_string_equal(user_secrets(&w, "admin/app"), "{}");
  munit_assert_not_null(strstr(user_order(&w, "admin/app")->desired, "\"verifier\":\"SCRAM-SHA-256$4096:"));
  store_whole(w.t.s);
  t_close(&w.t);
  store_remove(folder);
}

/* seal_passwords without a secret key is refused. */
TEST(database_user, sealed_by_nothing)
{
  t_service t;
  svc_config config = { .seal_passwords = 1, .log = t_log, .log_context = &t };
  svc *s = NULL;
  memset(&t, 0, sizeof t);
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_null(s);
  munit_assert_not_null(strstr(t.log, "svc_config.seal_passwords needs svc_config.secret_key"));
}

/* Every allocation fails in turn while a password is sealed, and while it is opened: the answer is 503 or SVC_NOMEM, until memory
** suffices. */
TEST(database_user, sealed_memory)
{
  static const char body[] = "{\"password\":\"another horse\"}";
  svc_config config = { .limiter_off = 1, .seal_passwords = 1 };
  long n, hits = 1, refused = 0;
  char secrets[256];
  user_world w;
  memset(&w, 0, sizeof w);
  config.driver = t_driver_init(&w.driver);
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  munit_assert_int(at(&w, "POST", "", APP), ==, 201);
  for (n = 1; hits; n++) {
    svc_header json = { "Content-Type", "application/json", 0, 0 };
    char target[200];
    svc_request request = { .method = "PATCH", .target = target, .headers = &json, .header_count = 1, .body = body,
                            .body_length = sizeof body - 1, .peer = w.t.peer, .caller = &w.t.caller };
    svc_response response;
    int rc;
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/databaseUsers/admin/app", w.group);
    t_fault(T_CALL_MEMORY, n, ENOMEM, false);
    rc = svc_handle_request(w.t.s, &request, &response);
    hits = t_fault_end();
    if (t_memory_sufficed(rc, &response)) munit_assert_int(response.status, ==, 200);
    else refused++;
    svc_response_free(&response);
  }
  munit_assert_long(refused, >, 3);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (n = 1, hits = 1; hits; n++) {
    size_t length = sizeof secrets;
    int rc;
    t_fault(T_CALL_MEMORY, n, ENOMEM, false);
    rc = svc_order_secrets(w.t.s, t_driver_order(&w.driver, "user.put")->id, secrets, &length);
    hits = t_fault_end();
    munit_assert_int(rc, ==, hits ? SVC_NOMEM : SVC_OK);
  }
  munit_assert_string_equal(secrets, body);
  t_close(&w.t);
}
