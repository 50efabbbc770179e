/*
** Errors: the table, the documents made from it, which caller is refused what, and what happens when memory runs out.
*/
#include "support.h"

static const svc_config quiet = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };
static const svc_config concealing = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW, .conceal = 1 };

#define CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{" \
  "\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define NOBODY_ID "0123456789abcdef01234567"

static const char *const method_names[SVC_METHOD_COUNT] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

/* ------------------------------------------------------------------------------------------------------------ the table */

#define ROW(code, status, detail, parameters) { #code, SVC_E_##code, status, detail, parameters },
static const struct {
  const char *name;
  int code, status;
  const char *detail, *parameters;
} table[] = { SVC_ERROR_LIST(ROW) SVC_CATALOG_ERROR_LIST(ROW) SVC_NOUN_ERROR_LIST(ROW) };
#define CODES (sizeof table / sizeof table[0])

static unsigned declared(const char *parameters)
{
  unsigned n = *parameters != 0;
  for (; *parameters; parameters++) n += *parameters == ',';
  return n;
}

/* Returns the number of parameters that the document of this code has. */
static unsigned declared_of(const char *name)
{
  size_t i;
  for (i = 0; i < CODES; i++)
    if (strcmp(table[i].name, name) == 0) return declared(table[i].parameters);
  munit_errorf("no code %s", name);
  return 0;
}

TEST(error, table)
{
  static const int others[] = { 100, 200, 201, 202, 204, 304, 408, 411, 417, 422, 501, 505 }; /* statuses without a code in the table */
  size_t i, j;
  int code = SVC_E_NONE;
  for (i = 0; (code = svc_error_next(code)) != SVC_E_NONE; i++) munit_assert_int(svc_error_named(svc_error_name(code)), ==, code);
  munit_assert_size(CODES, ==, i);
  for (i = 0; i < CODES; i++) {
    const char *p;
    unsigned used = 0, wanted = declared(table[i].parameters);
    munit_assert_int(table[i].code, >, SVC_E_NONE);
    munit_assert_string_equal(svc_error_name(table[i].code), table[i].name);
    munit_assert_int(svc_error_status(table[i].code), ==, table[i].status);
    munit_assert_string_equal(svc_error_detail(table[i].code), table[i].detail);
    munit_assert_int(table[i].status, >=, 400);
    munit_assert_int(table[i].status, <=, 599);
    munit_assert_string_not_equal(svc_status_reason(table[i].status), "Unknown");
    munit_assert_size(strlen(table[i].name), ==, strspn(table[i].name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    munit_assert_size(strlen(table[i].detail), >, 10);
    munit_assert_size(strcspn(table[i].detail, "\"\\\n\t"), ==, strlen(table[i].detail)); /* the detail needs no escaping */
    munit_assert_uint(wanted, <=, 5);
    for (p = table[i].detail; *p; p++) {
      unsigned n;
      if (*p == '}') munit_errorf("%s: a stray brace", table[i].name);
      if (*p != '{') continue;
      if (p[1] < '0' || p[1] > '9' || p[2] != '}') munit_errorf("%s: a stray brace", table[i].name);
      n = (unsigned)(p[1] - '0');
      if (n >= wanted) munit_errorf("%s: {%u} of %u", table[i].name, n, wanted);
      used |= 1u << n;
      p += 2;
    }
    munit_assert_int(svc_error_names_attribute(table[i].code), ==,
                     strcmp(table[i].parameters, "attribute") == 0 || strncmp(table[i].parameters, "attribute,", 10) == 0);
    if (used != (1u << wanted) - 1) munit_errorf("%s does not use all of %s", table[i].name, table[i].parameters);
    for (j = 0; j < i; j++) munit_assert_string_not_equal(table[i].name, table[j].name);
  }
  for (i = 0; i < sizeof others / sizeof others[0]; i++)
    munit_assert_string_not_equal(svc_status_reason(others[i]), "Unknown");
  munit_assert_string_equal(svc_status_reason(999), "Unknown");
}

/* Every code as a document, with parameters that must be escaped. */
TEST(error, documents)
{
  static const char nasty[] = "a\"b\\c\n{0}\xC3\xA9";
  size_t i;
  for (i = 0; i < CODES; i++) {
    svc_arena arena;
    svc_json_fault fault;
    svc_str text, value = svc_str_c(nasty);
    svc_node *doc;
    static svc plain; /* a handle without a dialect */
    svc_call c;
    unsigned n = declared(table[i].parameters), k;
    int64_t number = -7;
    svc_arena_init(&arena, NULL);
    memset(&c, 0, sizeof c);
    c.s = &plain;
    c.arena = &arena;
    if (n == 0) munit_assert_false(svc_fail(&c, table[i].code, ""));
    if (n == 1) munit_assert_false(svc_fail(&c, table[i].code, "S", &value));
    if (n == 2) munit_assert_false(svc_fail(&c, table[i].code, "Si", &value, &number));
    if (n == 3) munit_assert_false(svc_fail(&c, table[i].code, "sSi", nasty, &value, &number));
    if (n >= 4) munit_assert_false(svc_fail(&c, table[i].code, "SiSis", &value, &number, &value, &number, nasty));
    text = svc_error_document(&c);
    munit_assert_true(svc_json_gate(&arena, text, 8, &fault));
    doc = svc_json_parse(&arena, text);
    munit_assert_not_null(doc);
    munit_assert_size(svc_node_count(doc), ==, 5);
    munit_assert_int64(svc_node_i64(doc, "error", 0), ==, table[i].status);
    munit_assert_true(svc_str_is(svc_node_str(doc, "errorCode"), table[i].name));
    munit_assert_true(svc_str_is(svc_node_str(doc, "reason"), svc_status_reason(table[i].status)));
    munit_assert_size(svc_node_count(svc_node_get(doc, "parameters")), ==, n >= 4 ? 5 : n);
    if (n) munit_assert_not_null(strstr(text.p, "a\\\"b\\\\c\\n{0}\xC3\xA9"));
    if (n >= 2) munit_assert_not_null(strstr(text.p, "-7"));
    if (n == 1) munit_assert_true(svc_str_is(svc_node_get(doc, "parameters")->first->text, nasty));
    /* the detail is the sentence of the table: each hole is filled once, and a "{0}" inside a parameter stays */
    for (k = 0; k < n && n == 1; k++) {
      const char *hole = strstr(table[i].detail, "{0}");
      svc_str detail = svc_node_str(doc, "detail");
      size_t before = (size_t)(hole - table[i].detail);
      munit_assert_size(detail.n, >=, before + sizeof nasty - 1);
      munit_assert_memory_equal(before, detail.p, table[i].detail);
      munit_assert_memory_equal(sizeof nasty - 1, detail.p + before, nasty);
    }
    munit_assert_memory_equal(10, text.p, "{\"detail\":");
    munit_assert_true(strstr(text.p, ",\"error\":") < strstr(text.p, ",\"errorCode\":"));
    munit_assert_true(strstr(text.p, ",\"errorCode\":") < strstr(text.p, ",\"parameters\":["));
    munit_assert_true(strstr(text.p, ",\"parameters\":[") < strstr(text.p, "],\"reason\":"));
    svc_blocks_free(arena.blocks);
  }
}

/* -------------------------------------------------------------------------------------------------------- a world of its own */

typedef struct world {
  t_service t;
  const char *org, *group, *other_org, *federation;
} world;

static void world_open(world *w, const svc_config *config)
{
  t_open(&w->t, config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  w->other_org = t_organization(&w->t, "Other");
  t_project(&w->t, w->other_org, "theirs");
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/federationSettings", w->org), ==, 200);
  w->federation = t_keep(&w->t, t_str(&w->t, "id"));
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER("Cluster0"), "/groups/%s/clusters", w->group), ==, 201);
}

/* Fills a path with ids of the world (there), or with ids that do not exist. */
static void world_path(const world *w, bool there, const char *path, char *out, size_t size)
{
  size_t n = 0;
  for (; *path && n + 128 < size; path++) {
    const char *value = NOBODY_ID;
    if (*path != '{') {
      out[n++] = *path;
      continue;
    }
    if (strncmp(path, "{orgId}", 7) == 0) value = there ? w->org : NOBODY_ID;
    else if (strncmp(path, "{groupId}", 9) == 0) value = there ? w->group : NOBODY_ID;
    else if (strncmp(path, "{federationSettingsId}", 22) == 0) value = there ? w->federation : NOBODY_ID;
    else if (strncmp(path, "{groupName}", 11) == 0) value = "alpha";
    else if (strncmp(path, "{clusterName}", 13) == 0) value = "Cluster0";
    else if (strncmp(path, "{limitName}", 11) == 0) value = "svc.project.deployment.clusters";
    n += (size_t)snprintf(out + n, size - n, "%s", value);
    path = strchr(path, '}');
  }
  out[n] = 0;
}

/* Checks the rules that hold for every error document. */
static void assert_document(const t_service *t, int status, const char *code)
{
  static const char *const order[] = { "detail", "error", "errorCode", "parameters", "reason" };
  const char *at = t->response.body;
  char member[32];
  size_t i;
  munit_assert_int(t->response.status, ==, status);
  munit_assert_string_equal(t_error(t), code);
  munit_assert_int64(t_int(t, "error"), ==, status);
  munit_assert_string_equal(t_str(t, "reason"), svc_status_reason(status));
  munit_assert_string_not_equal(t_str(t, "detail"), "");
  munit_assert_size(t_count(t, ""), ==, t_node(t, "badRequestDetail") ? 6 : 5);
  if (t_node(t, "badRequestDetail")) munit_assert_memory_equal(20, at, "{\"badRequestDetail\":");
  for (i = 0; i < 5; i++) {
    snprintf(member, sizeof member, "%c\"%s\":", i == 0 && !t_node(t, "badRequestDetail") ? '{' : ',', order[i]);
    at = strstr(at, member);
    if (!at) munit_errorf("%s is out of place in %s", order[i], t->response.body);
  }
  munit_assert_size(t_count(t, "parameters"), ==, declared_of(code));
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
  munit_assert_string_equal(t_get_header(t, "X-Error-Code"), status == 401 ? "" : code);
  munit_assert_string_equal(t_get_header(t, "X-Content-Type-Options"), "nosniff");
  munit_assert_string_equal(t_get_header(t, "ETag"), "");
}

TEST(error, every_status)
{
  svc_limit_override limit = { "eventTypes_user", 1, 1, 60 };
  svc_config config = { .limits = &limit, .limit_count = 1, .max_body = 200, .max_header_bytes = 300, .max_target = 400,
                        .provision_ms = SVC_PROVISION_NOW };
  world w;
  char body[256], target[512], header[400], group[64], org[64];
  t_service *t = &w.t;
  memset(body, ' ', sizeof body);
  memset(header, 'h', sizeof header - 1);
  header[sizeof header - 1] = 0;
  memset(target, 'a', sizeof target - 1);
  target[sizeof target - 1] = 0;
  target[0] = '/';
  world_open(&w, &quiet); /* the request for a cluster would exceed the limit of 200 bytes */
  snprintf(group, sizeof group, "/groups/%s", w.group);
  snprintf(org, sizeof org, "/orgs/%s", w.org);
  t_send(t, "POST", "/orgs", "{\"name\":\"\"}");
  assert_document(t, 400, "INVALID_ORG_NAME");
  t_send(t, "POST", "/orgs", "{\"name\":7}");
  assert_document(t, 400, "INVALID_JSON_ATTRIBUTE");
  t_send(t, "POST", "/orgs", "{\"name\":\"a\",\"nosuch\":7}");
  assert_document(t, 400, "INVALID_ATTRIBUTE");
  t_send(t, "POST", "/orgs", "{}");
  assert_document(t, 400, "MISSING_ATTRIBUTE");
  t_send(t, "PATCH", group, "{\"id\":\"x\"}");
  assert_document(t, 400, "ATTRIBUTE_READ_ONLY");
  t_send(t, "POST", "/orgs", "{");
  assert_document(t, 400, "MALFORMED_JSON");
  t_send(t, "POST", "/orgs", "[]");
  assert_document(t, 400, "INVALID_JSON");
  t_send(t, "GET", "/orgs?x=1", NULL);
  assert_document(t, 400, "INVALID_QUERY_PARAMETER");
  t_send(t, "GET", "/groups/%00", NULL);
  assert_document(t, 400, "INVALID_REQUEST");
  t_sendf(t, "GET", NULL, "%s/limits/nosuch", group);
  assert_document(t, 404, "RESOURCE_NOT_FOUND");
  t_send(t, "GET", "/nothing", NULL);
  assert_document(t, 404, "RESOURCE_NOT_FOUND");
  t_send(t, "GET", "/groups/" NOBODY_ID, NULL);
  assert_document(t, 404, "GROUP_NOT_FOUND");
  t_send(t, "GET", "/orgs/" NOBODY_ID, NULL);
  assert_document(t, 404, "ORG_NOT_FOUND");
  t_sendf(t, "GET", NULL, "%s/clusters/nosuch", group);
  assert_document(t, 404, "CLUSTER_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "nosuch");
  munit_assert_string_equal(t_param(t, 1), w.group);
  t_sendf(t, "GET", NULL, "%s/events/" NOBODY_ID, group);
  assert_document(t, 404, "EVENT_NOT_FOUND");
  t_send(t, "GET", "/groups/byName/nosuch", NULL);
  assert_document(t, 404, "GROUP_NOT_FOUND");
  t_send(t, "DELETE", "", NULL);
  assert_document(t, 405, "METHOD_NOT_ALLOWED");
  t_header(t, "Accept", "text/html");
  t_send(t, "GET", "/orgs", NULL);
  assert_document(t, 406, "INVALID_VERSION_DATE");
  t_headers_clear(t);
  t_sendf(t, "DELETE", NULL, "%s", org);
  assert_document(t, 409, "ORG_NOT_EMPTY");
  snprintf(body, sizeof body, "{\"name\":\"alpha\",\"orgId\":\"%s\"}", w.org);
  t_send(t, "POST", "/groups", body);
  assert_document(t, 409, "GROUP_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(t, 0), "alpha");
  munit_assert_string_equal(t_param(t, 1), w.org);
  t_header(t, "If-Match", "\"x\"");
  t_send(t, "DELETE", group, NULL);
  assert_document(t, 412, "PRECONDITION_FAILED");
  t_headers_clear(t);
  t_header(t, "Content-Type", "text/plain");
  t_send(t, "POST", "/orgs", "{}");
  assert_document(t, 415, "UNSUPPORTED_MEDIA_TYPE");
  t_headers_clear(t);
  t->caller.user_id = "joe";
  t_send(t, "GET", "/orgs", NULL);
  assert_document(t, 400, "INVALID_REQUEST");
  t_close(t);

  t_open(t, &(const svc_config){ .limiter_off = 1, .enforce_sunset = 1 });
  t_advance(t, (int64_t)3 * 365 * 24 * 3600); /* past the sunset of the operation */
  t_send(t, "GET", "/users/byName/ada@example.com", NULL);
  assert_document(t, 410, "VERSION_GONE");
  t_close(t);

  t_open(t, &config);
  memset(body, ' ', sizeof body);
  t_send_raw(t, "POST", "/api/svc/v2/orgs", body, 201);
  assert_document(t, 413, "REQUEST_TOO_LARGE");
  t_send_raw(t, "GET", target, NULL, 0);
  assert_document(t, 414, "URI_TOO_LONG");
  munit_assert_int64(t_int(t, "parameters[0]"), ==, 400);
  header[291] = 0; /* names and values together: first one byte too many, then exactly the limit */
  t_header(t, "X-Anything", header);
  t_send(t, "GET", "/orgs", NULL);
  assert_document(t, 431, "HEADERS_TOO_LARGE");
  munit_assert_int64(t_int(t, "parameters[0]"), ==, 300);
  munit_assert_string_equal(t_str(t, "reason"), "Request Header Fields Too Large");
  t_headers_clear(t);
  header[290] = 0;
  t_header(t, "X-Anything", header);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  t_headers_clear(t);
  munit_assert_int(t_send(t, "GET", "/eventTypes", NULL), ==, 200);
  t_advance(t, 15);
  t_send(t, "GET", "/eventTypes?pretty=false", NULL);
  assert_document(t, 429, "RATE_LIMITED_TOKEN_BUCKET");
  munit_assert_string_equal(t->response.body,
                            "{\"detail\":\"Rate limit exceeded for api/svc/v2/eventTypes. Please retry after 45 seconds. Request "
                            "capacity: 1. Refill rate: 1 per 60 seconds.\",\"error\":429,\"errorCode\":\"RATE_LIMITED_TOKEN_BUCKET\","
                            "\"parameters\":[\"api/svc/v2/eventTypes\",45,1,1,60],\"reason\":\"Too Many Requests\"}");
  munit_assert_string_equal(t_get_header(t, "Retry-After"), "45");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "1");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "0");
  /* an error costs a token like any answer, and its headers show that */
  t_send(t, "GET", "/groups/" NOBODY_ID, NULL);
  assert_document(t, 404, "GROUP_NOT_FOUND");
  munit_assert_string_not_equal(t_get_header(t, "RateLimit-Remaining"), "");
  munit_assert_string_equal(t_get_header(t, "Retry-After"), "");
  t_close(t);
}

/* ------------------------------------------------------------------------------------------------------------ who may not */

TEST(error, anonymous)
{
  world w;
  char path[512];
  size_t i, refused = 0, open = 0, absolute = 0;
  world_open(&w, &(svc_config){ .provision_ms = SVC_PROVISION_NOW });
  w.t.anonymous = true;
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_route *r = w.t.s->plans[i].route;
    int status, round;
    for (round = 0; round < 2; round++) { /* ids that exist, then ids that do not */
      world_path(&w, !round, r->path, path, sizeof path);
      status = t_send(&w.t, method_names[r->method], path, r->method == SVC_GET || r->method == SVC_DELETE ? NULL : "{}");
      if (r->flags & SVC_ABSOLUTE) { /* the token endpoint checks its own credentials */
        absolute++;
        continue;
      }
      if (strcmp(r->path, "/unauth/controlPlaneIPAddresses") == 0) {
        munit_assert_int(status, ==, 200);
        open++;
        continue;
      }
      if (status != 401) munit_errorf("%s %s: %d", method_names[r->method], path, status);
      assert_document(&w.t, 401, "USER_UNAUTHORIZED");
      munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Limit"), ""); /* an anonymous caller has no bucket */
      refused++;
    }
  }
  munit_assert_size(open, ==, 2);
  munit_assert_size(refused + absolute, ==, 2 * (w.t.s->plan_count - 1));
  munit_assert_size(refused, >=, 60);
  t_close(&w.t);
}

/* A member of the organization may know that its resources exist, so 403 names the role that is needed. */
TEST(error, lacks_role)
{
  world w;
  char path[512], wanted[1024];
  size_t i, refused = 0;
  world_open(&w, &quiet);
  w.t.grants[0] = (svc_grant){ "ORG_MEMBER", w.org };
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    const svc_route *r = plan->route;
    size_t n;
    int role, status, named = 0;
    if (!r->roles || r->roles & SVC_R_ORG_MEMBER || t_ended(&w.t, plan)) continue;
    world_path(&w, true, r->path, path, sizeof path);
    status = t_send(&w.t, method_names[r->method], path, r->method == SVC_GET || r->method == SVC_DELETE ? NULL : "{}");
    if (status != 403) munit_errorf("%s %s: %d", method_names[r->method], path, status);
    assert_document(&w.t, 403, "ACCESS_FORBIDDEN");
    n = (size_t)snprintf(wanted, sizeof wanted, "The caller lacks the role that this operation asks for: ");
    for (role = 0; role < SVC_ROLE_COUNT; role++)
      if (r->roles >> role & 1)
        n += (size_t)snprintf(wanted + n, sizeof wanted - n, "%s%s", named++ ? " or " : "", svc_role_name(role));
    snprintf(wanted + n, sizeof wanted - n, ".");
    munit_assert_string_equal(t_str(&w.t, "detail"), wanted);
    refused++;
  }
  munit_assert_size(refused, >=, 20);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"x\"}", "/groups/%s", w.group), ==, 403);
  munit_assert_string_equal(t_str(&w.t, "detail"), "The caller lacks the role that this operation asks for: GROUP_OWNER.");
  /* the role that the error names is sufficient, but only where it is held */
  w.t.grants[0] = (svc_grant){ "GROUP_OWNER", w.group };
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"x\"}", "/groups/%s", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"x\"}", "/orgs/%s", w.org), ==, 403);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"x\"}", "/orgs/%s", w.other_org), ==, 401);
  t_close(&w.t);
}

/* Returns a copy of the text, with each occurrence of `what` replaced by `by`. */
static char *replaced(const char *text, const char *what, const char *by)
{
  char *out = munit_malloc(strlen(text) * 2 + 1), *to = out;
  size_t n = strlen(what), m = strlen(by);
  while (*text) {
    if (strncmp(text, what, n) == 0) {
      memcpy(to, by, m);
      to += m;
      text += n;
    } else {
      *to++ = *text++;
    }
  }
  *to = 0;
  return out;
}

/* A caller without any role on an existing resource gets 401 with WWW-Authenticate. A request for a missing resource gets 404. */
TEST(error, no_part)
{
  world w;
  world_open(&w, &quiet);
  w.t.grants[0] = (svc_grant){ "ORG_OWNER", w.other_org };
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters", w.group), ==, 401);
  munit_assert_string_equal(t_error(&w.t), "USER_UNAUTHORIZED");
  munit_assert_string_equal(t_get_header(&w.t, "X-Error-Code"), "USER_UNAUTHORIZED");
  munit_assert_string_equal(t_get_header(&w.t, "WWW-Authenticate"), "Bearer realm=\"svc\"");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", w.org), ==, 401);
  munit_assert_int(t_send(&w.t, "GET", "/groups/" NOBODY_ID "/clusters", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "GROUP_NOT_FOUND");
  w.t.grants[0] = (svc_grant){ "GROUP_READ_ONLY", w.group }; /* a role on the project, but not the required one */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 403);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", w.org), ==, 403);
  t_close(&w.t);
}

/* With `conceal`, resources of others look exactly like resources that do not exist. */
TEST(error, hidden)
{
  world w;
  t_service *t = &w.t;
  char path[512], missing[512], body[128];
  size_t i, j, hidden = 0;
  char *first;
  world_open(&w, &concealing);
  t->grants[0] = (svc_grant){ "ORG_OWNER", w.other_org };
  for (i = 0; i < t->s->plan_count; i++) {
    const svc_route *r = t->s->plans[i].route;
    const bool federation = strncmp(r->path, "/federationSettings/{federationSettingsId}", 42) == 0;
    const char *id = federation ? w.federation : strstr(r->path, "{groupId}") ? w.group : w.org, *sent;
    svc_response one;
    if (t_ended(t, &t->s->plans[i])) continue;
    if (strncmp(r->path, "/groups/{groupId}", 17) != 0 && strncmp(r->path, "/orgs/{orgId}", 13) != 0 && !federation) continue;
    sent = r->method == SVC_GET || r->method == SVC_DELETE ? NULL : "{\"nosuch\":1}";
    world_path(&w, true, r->path, path, sizeof path);
    world_path(&w, false, r->path, missing, sizeof missing);
    t_header(t, "If-Match", "\"x\"");
    munit_assert_int(t_send(t, method_names[r->method], missing, sent), ==, 404);
    first = replaced(t->response.body, NOBODY_ID, id);
    one = t->response;
    memset(&t->response, 0, sizeof t->response);
    munit_assert_int(t_send(t, method_names[r->method], path, sent), ==, 404);
    munit_assert_string_equal(t->response.body, first);
    munit_assert_size(t->response.header_count, ==, one.header_count);
    for (j = 0; j < one.header_count; j++) {
      munit_assert_string_equal(t->response.headers[j].name, one.headers[j].name);
      munit_assert_string_equal(t->response.headers[j].value, one.headers[j].value);
    }
    svc_response_free(&one);
    free(first);
    hidden++;
  }
  t_headers_clear(t);
  munit_assert_size(hidden, >=, 25);
  /* also by name, in bodies and in parameters */
  munit_assert_int(t_send(t, "GET", "/groups/byName/alphb", NULL), ==, 404);
  first = replaced(t->response.body, "alphb", "alpha");
  munit_assert_int(t_send(t, "GET", "/groups/byName/alpha", NULL), ==, 404);
  munit_assert_string_equal(t->response.body, first);
  free(first);
  munit_assert_int(t_send(t, "POST", "/groups", "{\"name\":\"new\",\"orgId\":\"" NOBODY_ID "\"}"), ==, 404);
  first = replaced(t->response.body, NOBODY_ID, w.org);
  snprintf(body, sizeof body, "{\"name\":\"new\",\"orgId\":\"%s\"}", w.org);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 404);
  munit_assert_string_equal(t->response.body, first);
  free(first);
  munit_assert_int(t_send(t, "GET", "/rateLimits?groupId=" NOBODY_ID, NULL), >=, 400);
  first = replaced(t->response.body, NOBODY_ID, w.group);
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", w.group), >=, 400);
  munit_assert_string_equal(t->response.body, first);
  free(first);
  munit_assert_int(t_send(t, "GET", "/rateLimits?orgId=" NOBODY_ID, NULL), >=, 400);
  first = replaced(t->response.body, NOBODY_ID, w.org);
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", w.org), >=, 400);
  munit_assert_string_equal(t->response.body, first);
  free(first);
  /* none of these requests changed anything */
  t->grants[0] = (svc_grant){ "ORG_OWNER", NULL };
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/Cluster0", w.group), ==, 200);
  t_close(t);
}

static void configuration_log(void *context, int level, const char *text)
{
  munit_assert_int(level, ==, SVC_LOG_ERROR);
  snprintf(context, 256, "%s", text);
}

/* svc_open() refuses an invalid configuration and names the member. */
TEST(error, configuration)
{
  static const svc_control_address no_region = { "aws", NULL, "10.0.0.0/8", 0 }, no_cloud = { "ours", "x", "10.0.0.0/8", 0 },
                                   no_address = { "gcp", "x", "10.0.0.0/33", 0 };
  static char long_url[1100] = "http://a/";
  static const struct {
    svc_config config;
    const char *member;
  } rows[] = {
    { { .vendor = "Svc" }, "svc_config.vendor " },
    { { .vendor = "" }, "svc_config.vendor " },
    { { .base_url = "localhost" }, "svc_config.base_url " },
    { { .base_url = "///" }, "svc_config.base_url " },
    { { .base_url = "http://a\"b" }, "svc_config.base_url " }, /* it would end a JSON string */
    { { .base_url = "http://a\\b" }, "svc_config.base_url " },
    { { .base_url = "http://a?b" }, "svc_config.base_url " }, /* no path can follow it */
    { { .base_url = "http://a/#b" }, "svc_config.base_url " },
    { { .base_url = long_url }, "svc_config.base_url " },
    { { .db_scheme = "a b" }, "svc_config.db_scheme " },
    { { .db_domain = ".local" }, "svc_config.db_domain " },
    { { .max_depth = 513 }, "svc_config.max_depth " },
    { { .max_page = 100001 }, "svc_config.max_page " },
    { { .durability = 3 }, "svc_config.durability " },
    { { .durability = -1 }, "svc_config.durability " },
    { { .provision_ms = -2 }, "svc_config.provision_ms " },
    { { .provision_ms = INT64_MAX }, "svc_config.provision_ms " },
    { { .control_address_count = 1 }, "svc_config.control_addresses " },
    { { .limit_count = 1 }, "svc_config.limits " },
    { { .control_addresses = &no_region, .control_address_count = 1 }, "svc_config.control_addresses " },
    { { .control_addresses = &no_cloud, .control_address_count = 1 }, "svc_config.control_addresses " },
    { { .control_addresses = &no_address, .control_address_count = 1 }, "svc_config.control_addresses " },
  };
  size_t i;
  memset(long_url + strlen(long_url), 'a', sizeof long_url - strlen(long_url) - 1);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_config config = rows[i].config;
    char said[256] = "";
    svc *s = (svc *)(void *)said;
    config.log = configuration_log;
    config.log_context = said;
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    munit_assert_null(s);
    if (strncmp(said, rows[i].member, strlen(rows[i].member)) != 0) munit_errorf("row %zu: \"%s\"", i, said);
  }
}

#define NOTHING_ID "0123456789abcdef01234567"

static void nothing_asked(svc *s)
{
  svc_request request = { .method = "GET", .target = "/_svc/health" }, odd;
  svc_credentials keys;
  svc_response response;
  munit_assert_int(svc_bootstrap(NULL, &keys), ==, SVC_INVALID);
  munit_assert_int(svc_bootstrap(s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_new_credentials(NULL, NULL, &keys), ==, SVC_INVALID);
  munit_assert_int(svc_new_credentials(s, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_new_credentials(s, "no id", &keys), ==, SVC_INVALID);
  munit_assert_int(svc_openapi(NULL, &response), ==, SVC_INVALID);
  munit_assert_int(svc_openapi(s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_backup(s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_backup_of(NULL, "x"), ==, SVC_INVALID);
  munit_assert_int(svc_backup_of("", "x"), ==, SVC_INVALID);
  munit_assert_int(svc_backup_of("x", NULL), ==, SVC_INVALID);
  munit_assert_int(svc_backup_of("x", ""), ==, SVC_INVALID);
  munit_assert_int(svc_may_wait(NULL, &request), ==, 0);
  munit_assert_int(svc_may_wait(s, NULL), ==, 0);
  odd = request, odd.target = NULL;
  munit_assert_int(svc_may_wait(s, &odd), ==, 0);
  odd = request, odd.method = "";
  munit_assert_int(svc_may_wait(s, &odd), ==, 0);
  odd = request, odd.method = "GET", odd.target = "/api/svc/v2/a b";
  if (T_ON_LMDB) munit_assert_int(svc_may_wait(s, &odd), ==, 0); /* the invalid target is refused at once */
}

static void nothing_told(svc *s)
{
  const char *id = NOTHING_ID;
  svc_statistics stats;
  svc_response response;
  char out[64];
  size_t n = sizeof out;
  munit_assert_int(svc_order_done(NULL, id, SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(s, NULL, SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_secrets(NULL, id, out, &n), ==, SVC_INVALID);
  munit_assert_int(svc_order_secrets(s, NULL, out, &n), ==, SVC_INVALID);
  munit_assert_int(svc_order_secrets(s, id, NULL, &n), ==, SVC_INVALID);
  munit_assert_int(svc_order_secrets(s, id, out, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_secrets(s, "no id", out, &n), ==, SVC_INVALID);
  munit_assert_int(svc_check_store(NULL, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_stats(NULL, &stats), ==, SVC_INVALID);
  munit_assert_int(svc_stats(s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_metrics_text(NULL, NULL, &response), ==, SVC_INVALID);
  munit_assert_int(svc_metrics_text(s, NULL, NULL), ==, SVC_INVALID);
}

static void nothing_as_text(svc *s)
{
  svc_result *result = NULL;
  munit_assert_int(svc_call_text(NULL, "GET", "/", NULL, NULL, 0, NULL, &result), ==, SVC_INVALID);
  munit_assert_int(svc_call_text(s, NULL, "/", NULL, NULL, 0, NULL, &result), ==, SVC_INVALID);
  munit_assert_int(svc_call_text(s, "GET", NULL, NULL, NULL, 0, NULL, &result), ==, SVC_INVALID);
  munit_assert_int(svc_call_text(s, "GET", "/", NULL, NULL, 1, NULL, &result), ==, SVC_INVALID);
  munit_assert_int(svc_call_text(s, "GET", "/", NULL, NULL, 0, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_bootstrap_json(NULL, &result), ==, SVC_INVALID);
  munit_assert_int(svc_bootstrap_json(s, NULL), ==, SVC_INVALID);
  munit_assert_null(result);
  munit_assert_null(svc_result_header(NULL, "ETag"));
  munit_assert_string_equal(svc_result_body(NULL, NULL), "");
  munit_assert_int(svc_result_status(NULL), ==, 0);
}

static void nothing_controlled(svc *s)
{
  svc_snapshot *snapshot = NULL;
  svc_fault fault = { 0 };
  svc_response response;
  int number;
  munit_assert_int(svc_clock_set(NULL, 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(NULL, 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(s, -1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(s, INT64_MAX), ==, SVC_INVALID);
  munit_assert_int64(svc_clock_now(NULL), ==, 0);
  munit_assert_int(svc_snapshot_take(NULL, &snapshot), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_take(s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_restore(NULL, snapshot), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_restore(s, NULL), ==, SVC_INVALID);
  svc_snapshot_free(NULL);
  munit_assert_int(svc_fault_add(NULL, &fault, &number), ==, SVC_INVALID);
  munit_assert_int(svc_fault_add(s, NULL, &number), ==, SVC_INVALID);
  munit_assert_int(svc_fault_remove(NULL, 0), ==, SVC_INVALID);
  munit_assert_size(svc_fault_list(NULL, NULL, 0), ==, 0);
  munit_assert_size(svc_fault_list(s, NULL, 7), ==, 0);
  munit_assert_int(svc_journal_read(NULL, 1, &response), ==, SVC_INVALID);
  munit_assert_int(svc_journal_read(s, 1, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_journal_read(s, 1, &response), ==, SVC_INVALID); /* the handle has no journal */
  svc_journal_clear(NULL);
}

static void nothing_served(svc *s)
{
  static const char token[] = "a token of test control, long enough";
  svc_request request = { .method = "GET", .target = "/_svc/health" }, odd;
  svc_response response;
  munit_assert_int(svc_control_begin(NULL), ==, SVC_INVALID);
  munit_assert_int(svc_control_request(NULL, token, &request, &response), ==, SVC_INVALID);
  munit_assert_int(svc_control_request(s, token, NULL, &response), ==, SVC_INVALID);
  munit_assert_int(svc_control_request(s, token, &request, NULL), ==, SVC_INVALID);
  odd = request, odd.method = NULL;
  munit_assert_int(svc_control_request(s, token, &odd, &response), ==, SVC_INVALID);
  odd = request, odd.target = NULL;
  munit_assert_int(svc_control_request(s, token, &odd, &response), ==, SVC_INVALID);
  odd = request, odd.header_count = 1;
  munit_assert_int(svc_control_request(s, token, &odd, &response), ==, SVC_INVALID);
  odd = request, odd.body_length = 1;
  munit_assert_int(svc_control_request(s, token, &odd, &response), ==, SVC_INVALID);
}

/* NULL arguments: every function returns a code and does nothing else. */
TEST(error, nothing)
{
  svc_config config = quiet;
  t_service t;
  int code;
  config.manual_clock = 1;
  t_open(&t, &config);
  nothing_asked(t.s);
  nothing_told(t.s);
  nothing_as_text(t.s);
  nothing_controlled(t.s);
  nothing_served(t.s);
  for (code = -1; code <= 12; code++) munit_assert_size(strlen(svc_strerror(code)), >, 5);
  t_close(&t);
}

TEST(error, arguments)
{
  t_service t;
  svc_request request;
  svc_response response;
  t_open(&t, &quiet);
  memset(&request, 0, sizeof request);
  request.method = "GET";
  request.target = "/api/svc/v2/orgs";
  request.caller = &t.caller;
  memset(&response, 0xAA, sizeof response); /* overwritten, whatever the struct contains */
  munit_assert_int(svc_handle_request(t.s, NULL, &response), ==, SVC_INVALID);
  munit_assert_int(response.status, ==, 0);
  munit_assert_null(response.memory);
  svc_response_free(&response);
  munit_assert_int(svc_handle_request(NULL, &request, &response), ==, SVC_INVALID);
  munit_assert_int(svc_handle_request(t.s, &request, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_handle_request(NULL, NULL, NULL), ==, SVC_INVALID);
  request.header_count = 1;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_INVALID);
  request.header_count = 0;
  request.body_length = 2;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_INVALID);
  request.body_length = 0;
  request.method = NULL;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_INVALID);
  request.method = "GET";
  request.target = NULL;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_INVALID);
  svc_response_free(&response);
  svc_response_free(&response);
  svc_response_free(NULL);
  munit_assert_null(svc_response_header(&response, "ETag"));
  munit_assert_null(svc_response_header(NULL, "ETag"));
  request.target = "/api/svc/v2/orgs";
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 200);
  munit_assert_null(svc_response_header(&response, NULL));
  munit_assert_null(svc_response_header(&response, "X-Error-Code"));
  svc_response_free(&response);
  munit_assert_int(svc_open(NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_tick(NULL), ==, SVC_INVALID);
  munit_assert_int(svc_is_due(NULL), ==, 0);
  munit_assert_int(svc_backup(NULL, "x"), ==, SVC_INVALID);
  munit_assert_int(svc_backup(t.s, ""), ==, SVC_INVALID);
  svc_close(NULL);
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- no memory */

TEST(error, memory_open)
{
  t_memory m;
  int mode;
  long n;
  for (mode = 0; mode < 2; mode++)
    for (n = 1;; n++) {
      svc_config config = { .allocator = { t_memory_resize, &m } };
      svc *s = (svc *)&m;
      int rc;
      memset(&m, 0, sizeof m);
      m.fail_at = n;
      m.for_good = mode;
      rc = svc_open(&s, &config);
      if (rc == SVC_OK) {
        munit_assert_long(m.calls, <, n);
        svc_close(s);
        munit_assert_long(m.live, ==, 0);
        break;
      }
      munit_assert_int(rc, ==, SVC_NOMEM);
      munit_assert_null(s);
      munit_assert_long(m.live, ==, 0);
      munit_assert_long(n, <, 10000);
    }
  munit_assert_long(n, >, 3);
}

typedef struct operation {
  const char *method, *path, *body; /* %G project, %O organization, %D another project, %N %H %L: unique numbers */
  int status;
} operation;

static const operation operations[] = {
  { "GET", "/groups/%G", NULL, 200 },
  { "GET", "/groups/%G/clusters/Cluster0?pretty=true&envelope=true", NULL, 200 },
  { "GET", "/groups/%G/settings", NULL, 200 },
  { "GET", "", NULL, 200 },
  { "GET", "/groups/byName/alpha", NULL, 200 },
  { "GET", "/orgs?name=%41cme", NULL, 200 },
  { "GET", "/groups/%G/events?itemsPerPage=500&eventType=GROUP_CREATED&pretty=true", NULL, 200 },
  { "GET", "/groups/%G/events?includeRaw=true", NULL, 200 },
  { "GET", "/groups/%G/limits", NULL, 200 },
  { "GET", "/eventTypes?itemsPerPage=500", NULL, 200 },
  { "GET", "/rateLimits?pretty=true&itemsPerPage=500", NULL, 200 },
  { "GET", "/clusters", NULL, 200 },
  { "GET", "/nothing/at/all", NULL, 404 },
  { "POST", "/groups", "{\"name\":\"p%N\",\"orgId\":\"%O\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}", 201 },
  { "POST", "/groups/%G/clusters", CLUSTER("c%N"), 201 },
  { "POST", "/orgs", "{\"name\":\"o%N\"}", 201 },
  { "POST", "/orgs", "{\"name\":\"\",\"a\":1,\"b\":2}", 400 },
  { "PATCH", "/groups/%G", "{\"tags\":[{\"key\":\"n\",\"value\":\"%N\"}]}", 200 },
  { "PATCH", "/orgs/%O/settings", "{\"maxServiceAccountSecretValidityInHours\":%H}", 200 },
  { "PATCH", "/groups/%G/limits/svc.project.deployment.clusters", "{\"value\":%L}", 200 },
  { "DELETE", "/groups/%D", NULL, 202 },
};
#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

typedef struct starving {
  t_memory m;
  t_service t;
  const char *org, *group, *doomed;
  int number;
  char path[512], body[1024], key[32];
  svc_request request;
  svc_header headers[3];
} starving;

static void starving_fill(starving *w, const char *from, char *out, size_t size)
{
  size_t n = 0;
  for (; *from && n + 64 < size; from++) {
    if (from[0] == '%' && from[1] && strchr("GODNHL", from[1])) {
      const char *value = from[1] == 'G' ? w->group : from[1] == 'O' ? w->org : w->doomed;
      int number = from[1] == 'H' ? 8 + w->number % 8000 : from[1] == 'L' ? 1 + w->number % 89 : w->number;
      if (strchr("GOD", from[1])) n += (size_t)snprintf(out + n, size - n, "%s", value);
      else n += (size_t)snprintf(out + n, size - n, "%d", number);
      from++;
    } else {
      out[n++] = *from;
    }
  }
  out[n] = 0;
}

static int64_t starving_count(starving *w, const char *path)
{
  munit_assert_int(t_send(&w->t, "GET", path, NULL), ==, 200);
  return t_int(&w->t, "totalCount");
}

/* Writes everything that the operations can change as one text. */
static void starving_state(starving *w, char *out, size_t size)
{
  char path[128];
  long at = w->m.fail_at;
  size_t n;
  w->m.fail_at = 0;
  n = (size_t)snprintf(out, size, "orgs %lld groups %lld", (long long)starving_count(w, "/orgs?itemsPerPage=1"),
                       (long long)starving_count(w, "/groups?itemsPerPage=1"));
  snprintf(path, sizeof path, "/orgs/%s/groups?itemsPerPage=1", w->org);
  n += (size_t)snprintf(out + n, size - n, "=%lld", (long long)starving_count(w, path));
  snprintf(path, sizeof path, "/groups/%s/clusters?itemsPerPage=1", w->group);
  n += (size_t)snprintf(out + n, size - n, " clusters %lld", (long long)starving_count(w, path));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
  n += (size_t)snprintf(out + n, size - n, "=%lld tag %s", (long long)t_int(&w->t, "clusterCount"), t_str(&w->t, "tags[0].value"));
  snprintf(path, sizeof path, "/groups/%s/events?itemsPerPage=1", w->group);
  n += (size_t)snprintf(out + n, size - n, " events %lld", (long long)starving_count(w, path));
  snprintf(path, sizeof path, "/orgs/%s/events?itemsPerPage=1", w->org);
  n += (size_t)snprintf(out + n, size - n, "+%lld", (long long)starving_count(w, path));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/settings", w->org), ==, 200);
  n += (size_t)snprintf(out + n, size - n, " hours %s", t_str(&w->t, "maxServiceAccountSecretValidityInHours"));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/limits/svc.project.deployment.clusters", w->group), ==, 200);
  snprintf(out + n, size - n, " limit %s", t_str(&w->t, "value"));
  svc_response_free(&w->t.response);
  w->m.fail_at = at;
}

static void starving_prepare(starving *w, const operation *o, bool with_key)
{
  w->number++;
  if (strstr(o->path, "%D")) {
    char name[32];
    long at = w->m.fail_at;
    w->m.fail_at = 0;
    snprintf(name, sizeof name, "doomed%d", w->number);
    w->doomed = t_project(&w->t, w->org, name);
    w->m.fail_at = at;
  }
  starving_fill(w, o->path, w->path, sizeof w->path);
  starving_fill(w, o->body ? o->body : "", w->body, sizeof w->body);
  memmove(w->path + 11, w->path, strlen(w->path) + 1);
  memcpy(w->path, "/api/svc/v2", 11);
  memset(&w->request, 0, sizeof w->request);
  memset(w->headers, 0, sizeof w->headers);
  w->headers[0].name = "Content-Type";
  w->headers[0].value = "application/json";
  w->headers[1].name = "Accept";
  w->headers[1].value = "application/json;q=0.1, */*;q=0.2";
  snprintf(w->key, sizeof w->key, "key%d", w->number);
  w->headers[2].name = "Idempotency-Key";
  w->headers[2].value = w->key;
  w->request.method = o->method;
  w->request.target = w->path;
  w->request.headers = w->headers;
  w->request.header_count = with_key ? 3 : 2;
  w->request.body = o->body ? w->body : NULL;
  w->request.body_length = o->body ? strlen(w->body) : 0;
  w->request.peer = "192.0.2.1";
  w->request.caller = &w->t.caller;
}

static void starving_open(starving *w)
{
  svc_config config = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };
  memset(w, 0, sizeof *w);
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &w->m;
  t_open(&w->t, &config);
  w->number = 100;
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  munit_assert_int(t_sendf(&w->t, "PATCH", "{\"value\":90}", "/groups/%s/limits/svc.project.deployment.clusters", w->group), ==, 200);
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER("Cluster0"), "/groups/%s/clusters", w->group), ==, 201);
}

static void starving_close(starving *w)
{
  w->m.fail_at = 0;
  t_close(&w->t);
  munit_assert_long(w->m.live, ==, 0);
}

/* The answer is either a 503 that can be freed, or the expected one. Returns true for the latter. */
static bool starving_judge(const operation *o, int rc, const svc_response *r)
{
  if (!t_memory_sufficed(rc, r)) return false;
  if (r->status != o->status) munit_errorf("%s %s: %d %s", o->method, o->path, r->status, r->body);
  return true;
}

/* After a request the state is either unchanged or changed completely: counts and events fit the operation. */
static void starving_compare(starving *w, const operation *o, const char *before, bool answered)
{
  char after[512];
  starving_state(w, after, sizeof after);
  if (o->status >= 400 || strcmp(o->method, "GET") == 0) {
    munit_assert_string_equal(after, before);
    return;
  }
  if (answered) munit_assert_string_not_equal(after, before);
  if (strcmp(after, before) != 0) { /* the counts agree with each other, and the event exists */
    long long orgs[2], groups[2], owned[2], clusters[2], shown[2], group_events[2], org_events[2];
    const char *texts[2];
    int i;
    texts[0] = before, texts[1] = after;
    for (i = 0; i < 2; i++) {
      munit_assert_int(sscanf(texts[i], "orgs %lld groups %lld=%lld clusters %lld=%lld", &orgs[i], &groups[i], &owned[i], &clusters[i],
                              &shown[i]),
                       ==, 5);
      munit_assert_int(sscanf(strstr(texts[i], " events "), " events %lld+%lld", &group_events[i], &org_events[i]), ==, 2);
      munit_assert_llong(groups[i], ==, owned[i]);
      munit_assert_llong(clusters[i], ==, shown[i]);
    }
    if (strcmp(o->path, "/orgs") == 0) {
      munit_assert_llong(orgs[1], ==, orgs[0] + 1);
    } else if (strcmp(o->path, "/groups") == 0) {
      munit_assert_llong(groups[1], ==, groups[0] + 1);
    } else if (strstr(o->path, "%D")) {
      munit_assert_llong(groups[1], ==, groups[0] - 1);
      munit_assert_llong(org_events[1], ==, org_events[0] + 1);
    } else {
      munit_assert_llong(clusters[1], ==, clusters[0] + (strstr(o->path, "/clusters") && strcmp(o->method, "POST") == 0));
      munit_assert_llong(group_events[1] + org_events[1], >, group_events[0] + org_events[0]);
    }
  }
}

/* The allocator fails at its n-th call, for each n until the request succeeds. */
TEST(error, memory_requests)
{
  static starving w;
  size_t i;
  int mode;
  for (mode = 0; mode < 2; mode++) {
    starving_open(&w);
    w.m.for_good = mode;
    for (i = 0; i < OPERATION_COUNT; i++) {
      const operation *o = &operations[i];
      bool answered = false;
      long n;
      for (n = 1; !answered; n++) {
        char before[512];
        svc_response response;
        long live;
        int rc;
        munit_assert_long(n, <, 1000);
        starving_prepare(&w, o, i % 2);
        starving_state(&w, before, sizeof before);
        live = w.m.live;
        w.m.calls = 0;
        w.m.fail_at = n;
        rc = svc_handle_request(w.t.s, &w.request, &response);
        w.m.fail_at = 0;
        answered = starving_judge(o, rc, &response);
        if (n == 1) munit_assert_false(answered); /* every request needs memory */
        if (answered) munit_assert_long(w.m.calls, <, n + 1);
        svc_response_free(&response);
        munit_assert_long(w.m.live, ==, live);
        starving_compare(&w, o, before, answered);
      }
    }
    starving_close(&w);
  }
}

/* Memory runs out anywhere in a request, not only when a new block is needed: in steps of 24 to 136 bytes, beyond 16 KB of an eighth. */
TEST(error, memory_everywhere)
{
  static starving w;
  size_t i;
  starving_open(&w);
  for (i = 0; i < OPERATION_COUNT; i++) {
    const operation *o = &operations[i];
    size_t room = 0, step = strcmp(o->method, "GET") == 0 ? 24 : strstr(o->path, "/clusters") ? 136 : 40;
    bool answered = false;
    for (; !answered; room += room < 16 * 1024 ? step : room / 64 * 8) {
      char before[512];
      svc_response response;
      svc_arena arena;
      int rc;
      munit_assert_size(room, <, T_MOST_ROOM);
      starving_prepare(&w, o, i % 2);
      starving_state(&w, before, sizeof before);
      rc = t_handle_within(&w.t, &w.m, &w.request, room, &response, &arena);
      if (rc == SVC_OK) {
        if (response.status != o->status) munit_errorf("%s %s: %d %s", o->method, o->path, response.status, response.body);
        answered = true;
      }
      svc_blocks_free(arena.blocks);
      starving_compare(&w, o, before, answered);
    }
    munit_assert_size(room, >, step);
  }
  starving_close(&w);
}

/* Due steps run before a request. Without memory they wait, and none is lost. */
TEST(error, memory_due)
{
  t_memory m;
  svc_config config = { .limiter_off = 1 };
  t_service t;
  char path[128];
  long n;
  bool done = false;
  memset(&m, 0, sizeof m);
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &m;
  t_open(&t, &config);
  snprintf(path, sizeof path, "/groups/%s/clusters", t_project(&t, t_organization(&t, "Acme"), "alpha"));
  munit_assert_int(t_send(&t, "POST", path, CLUSTER("Cluster0")), ==, 201);
  strcat(path, "/Cluster0");
  t_advance(&t, 60);
  for (n = 1; !done; n++) {
    munit_assert_long(n, <, 100);
    m.calls = 0;
    m.fail_at = n;
    done = svc_tick(t.s) == SVC_OK;
    m.fail_at = 0;
  }
  munit_assert_long(n, >, 2);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  t_close(&t);
  munit_assert_long(m.live, ==, 0);
}

/* ------------------------------------------------------------------------------------------------------------- the store */

static svc_store_port reading; /* a port of which the read with number reading_fails fails; 0: none does */
static long reading_fails, reading_calls;

static bool reading_now(void)
{
  return reading_fails && ++reading_calls == reading_fails;
}

static int reading_get(svc_txn *txn, svc_str key, svc_str *value)
{
  return reading_now() ? SVC_IO : t_port()->get(txn, key, value);
}

static int reading_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  return reading_now() ? SVC_IO : t_port()->get_many(txn, keys, n, values);
}

static int reading_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  *n = 0;
  return reading_now() ? SVC_IO : t_port()->scan(txn, range, rows, most, n);
}

static int reading_count(svc_txn *txn, svc_str key, int64_t *out)
{
  return reading_now() ? SVC_IO : t_port()->count(txn, key, out);
}

static int reading_begin(svc_store *store, svc_txn **out)
{
  int rc = t_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &reading;
  return rc;
}

static void reading_open(t_service *t)
{
  svc_config config = quiet;
  reading = *t_port();
  reading.get = reading_get;
  reading.get_many = reading_get_many;
  reading.scan = reading_scan;
  reading.count = reading_count;
  reading.read_begin = reading_begin;
  reading.draft_begin = NULL;
  config.store = &reading;
  t_open(t, &config);
}

/* A failed read is not taken for a missing record. A list is not empty because of it, a limit not unused, a path not a 404, and a
** caller not without roles. */
TEST(error, store_reads)
{
  static const struct {
    const char *path; /* with a placeholder for the organization or the project */
    bool org;
    int status;
  } all[] = { { "/groups/%s", false, 200 }, { "/groups/%s/clusters", false, 200 }, { "/orgs/%s/groups", true, 200 }, { "/orgs/%s/apiKeys", true, 200 },
              { "/groups/%s/limits", false, 200 }, { "/groups/%s/settings", false, 200 }, { "/groups/%s/events", false, 200 },
              { "/groups/%s/clusters/Nobody", false, 404 }, { "/groups/%s/users", false, 200 }, { "/orgs?name=Acme%s", true, 200 } };
  const char *ids[2], *user;
  t_service t;
  char path[128], roles[128];
  size_t i;
  reading_open(&t);
  ids[1] = t_organization(&t, "Acme");
  ids[0] = t_project(&t, ids[1], "alpha");
  munit_assert_int(t_sendf(&t, "POST", CLUSTER("Cluster0"), "/groups/%s/clusters", ids[0]), ==, 201);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", ids[1]);
  user = t_user(&t, "ada@example.com", roles);
  t_as(&t, user); /* a user whose roles are read from the store, too */
  for (i = 0; i < sizeof all / sizeof all[0]; i++) {
    int status;
    long n = 0;
    snprintf(path, sizeof path, all[i].path, ids[all[i].org]);
    do {
      reading_fails = ++n;
      reading_calls = 0;
      status = t_send(&t, "GET", path, NULL);
      if (reading_calls >= n && status != 503) munit_errorf("GET %s, and read %ld fails: %d %s", path, n, status, t.response.body);
    } while (reading_calls >= n);
    reading_fails = 0;
    munit_assert_int(status, ==, all[i].status);
    munit_assert_long(n, >, 3);
  }
  t_close(&t);
}
