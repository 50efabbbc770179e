/*
** The OpenAPI document is valid JSON, contains every operation, and has no dangling reference. `./build.sh test-api` checks the
** document and the answers with validators.
**
** Tests also: root
*/
#include "support.h"

static const svc_node *root;

/* Returns the node to which a reference leads; NULL: it leads nowhere. */
static const svc_node *openapi_behind(svc_str ref)
{
  const svc_node *at = root;
  svc_str_cut(&ref, '/');
  while (at && ref.n) at = svc_node_find(at, svc_str_cut(&ref, '/'));
  return at;
}

static void openapi_check_refs(const svc_node *node)
{
  const svc_node *child;
  for (child = node->first; child; child = child->next) {
    if (svc_str_is(child->name, "$ref")) {
      const svc_node *at = openapi_behind(child->text);
      if (!at) munit_errorf("nothing is at " SVC_FMT, SVC_ARG(child->text));
    }
    openapi_check_refs(child);
  }
}

/* Checks that lists, including plain arrays, have the parameters of pages, and that other operations do not. */
static void openapi_check_pages(const svc_route *route, const svc_node *operation)
{
  const svc_node *parameter;
  int pages = 0;
  for (parameter = svc_node_get(operation, "parameters")->first; parameter; parameter = parameter->next) {
    svc_str ref = svc_node_str(parameter, "$ref");
    pages += svc_str_is(ref, "#/components/parameters/pageNum") || svc_str_is(ref, "#/components/parameters/itemsPerPage") ||
             svc_str_is(ref, "#/components/parameters/includeCount");
  }
  munit_assert_int(pages, ==, route->flags & (route->method == SVC_GET ? SVC_PAGED | SVC_BARE : SVC_PAGED) ? 3 : 0);
}

static const char *const methods[] = { "get", "post", "put", "patch", "delete" };

/* Returns whether the paths are the same in the document: names of parameters make no difference. */
static bool openapi_same_path(svc_str a, const char *b)
{
  size_t i = 0;
  while (i < a.n && *b && a.p[i] == *b) {
    if (*b == '{') {
      while (i < a.n && a.p[i] != '}') i++;
      b = strchr(b, '}');
    }
    i++, b++;
  }
  return i == a.n && !*b;
}

static const svc_node *openapi_operation_of(const svc_route *route)
{
  const char *path = *route->path ? route->path : "/api/svc/v2";
  const svc_node *item = svc_node_get(root, "paths")->first, *found = NULL;
  for (; item; item = item->next) {
    if (!openapi_same_path(item->name, path)) continue;
    if (found) munit_errorf("%s is there twice", path); /* OpenAPI forbids a path that appears twice */
    found = item;
  }
  return found ? svc_node_get(found, methods[route->method]) : NULL;
}

/* Checks the operationId, the summary and the description of an operation, and that each of its answers has the headers of the limiter. */
static void openapi_check_said(const svc_route *route, const svc_node *operation)
{
  svc_str summary = svc_node_str(operation, "summary");
  const svc_node *answer = svc_node_get(operation, "responses")->first;
  munit_assert_true(svc_str_is(svc_node_str(operation, "operationId"), route->op));
  if (summary.n < 8 || summary.p[0] < 'A' || summary.p[0] > 'Z' || !memchr(summary.p, ' ', summary.n)) munit_errorf("%s: " SVC_FMT, route->op, SVC_ARG(summary));
  if (!svc_node_str(operation, "description").n) munit_errorf("%s has no description", route->op);
  for (; answer; answer = answer->next) {
    const svc_node *ref = svc_node_get(answer, "$ref"), *headers = svc_node_get(ref ? openapi_behind(ref->text) : answer, "headers");
    if (!svc_node_get(headers, "RateLimit-Limit") || !svc_node_get(headers, "RateLimit-Remaining"))
      munit_errorf("%s: the answer " SVC_FMT " has no header of the limiter", route->op, SVC_ARG(answer->name));
  }
}

/* Checks who may call an operation. Without a `security` of its own it needs a service account or an API key, as the document says. */
static void openapi_check_security(const svc_route *route, const svc_node *operation)
{
  const svc_node *security = svc_node_get(operation, "security");
  munit_assert_int(security != NULL, ==, (route->flags & SVC_NO_AUTH) != 0);
  if (!security) return;
  munit_assert_size(svc_node_count(security), ==, SVC_TAKES_FORM(route) ? 1 : 0);
  if (security->first) munit_assert_not_null(svc_node_get(security->first, "client")); /* RFC 6749: HTTP basic */
}

/* Checks the error statuses that depend on the route's row, and the second success status that a row may name. */
static void openapi_check_refused(const svc_plan *plan, const svc_node *operation)
{
  const svc_route *route = plan->route;
  const svc_node *responses = svc_node_get(operation, "responses"), *body = svc_node_get(operation, "requestBody");
  bool known = !(route->flags & SVC_NO_AUTH) || SVC_TAKES_FORM(route), absolute = route->flags & SVC_ABSOLUTE;
  munit_assert_not_null(svc_node_get(responses, "400"));
  munit_assert_not_null(svc_node_get(responses, "429"));
  munit_assert_not_null(svc_node_get(responses, "default"));
  munit_assert_int(svc_node_get(responses, "401") != NULL, ==, known);
  munit_assert_int(svc_node_get(responses, "406") != NULL, ==, !absolute);
  munit_assert_int(svc_node_get(responses, "404") != NULL, ==, !absolute && (plan->param_count || body));
  munit_assert_int(svc_node_get(responses, "409") != NULL, ==, !absolute && route->method != SVC_GET);
  munit_assert_int(svc_node_get(responses, "412") != NULL, ==, route->method != SVC_GET && route->method != SVC_POST);
  munit_assert_int(svc_node_get(responses, "415") != NULL, ==, !absolute && body);
  if (route->also) munit_assert_not_null(svc_node_get(responses, route->also == 204 ? "204" : "202"));
}

TEST_SERVICE(openapi, document)
{
  svc_response r;
  svc_json_fault fault;
  svc_arena arena;
  svc_str text;
  size_t i;
  munit_assert_int(svc_openapi(t->s, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  svc_arena_init(&arena, NULL);
  text = (svc_str){ r.body, r.body_length };
  if (!svc_json_gate(&arena, text, 64, &fault)) munit_errorf("%s at %zu: %.80s", fault.what, fault.at, r.body + fault.at);
  root = svc_json_parse(&arena, text);
  munit_assert_not_null(root);
  for (i = 0; i < t->s->plan_count; i++) {
    const svc_route *route = t->s->plans[i].route;
    const svc_node *operation = openapi_operation_of(route);
    if (!operation) munit_errorf("%s %s is missing", methods[route->method], route->path);
    openapi_check_pages(route, operation);
    openapi_check_said(route, operation);
    openapi_check_security(route, operation);
    openapi_check_refused(&t->s->plans[i], operation);
  }
  munit_assert_size(svc_node_count(svc_node_get(root, "security")), ==, 2);
  munit_assert_not_null(svc_node_get(svc_node_get(root, "security")->first, "serviceAccount"));
  munit_assert_not_null(svc_node_get(svc_node_get(root, "security")->first->next, "apiKey"));
  openapi_check_refs(root);
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
  munit_assert_int(svc_openapi(NULL, &r), ==, SVC_INVALID);
}

/* ---- names of objects: each becomes a separate component */

typedef struct openapi_seen {
  const svc_object *objects[2048];
  size_t n;
} openapi_seen;

/* Returns whether two objects are equal: objects that parts share may appear twice. */
static bool openapi_same(const svc_object *a, const svc_object *b)
{
  unsigned i;
  if (a == b) return true;
  if (a->count != b->count) return false;
  for (i = 0; i < a->count; i++) {
    const svc_field *f = &a->fields[i], *g = &b->fields[i];
    if (strcmp(f->name, g->name) != 0 || f->type != g->type || f->flags != g->flags) return false;
  }
  return true;
}

static void openapi_name(openapi_seen *seen, const svc_object *object)
{
  const svc_variant *v;
  size_t i;
  if (!object) return;
  for (i = 0; i < seen->n; i++) {
    if (seen->objects[i] == object) return;
    if (strcmp(seen->objects[i]->name, object->name) == 0 && !openapi_same(seen->objects[i], object))
      munit_errorf("two objects are called %s: one of them would not be in the document", object->name);
  }
  munit_assert_size(seen->n, <, sizeof seen->objects / sizeof seen->objects[0]);
  seen->objects[seen->n++] = object;
  openapi_name(seen, object->base);
  for (i = 0; i < object->count; i++) openapi_name(seen, svc_field_object(&object->fields[i]));
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++) openapi_name(seen, v->object);
}

TEST_SERVICE(openapi, names)
{
  static openapi_seen seen;
  size_t i;
  seen.n = 0;
  for (i = 0; i < t->s->plan_count; i++) {
    openapi_name(&seen, t->s->plans[i].noun->noun->object);
    openapi_name(&seen, t->s->plans[i].route->body);
    openapi_name(&seen, t->s->plans[i].route->answer);
  }
  munit_assert_size(seen.n, >, 200);
}

/* Checks that the schema knows every member of the value, if it allows no others. */
static void openapi_check_members(const svc_node *schema, const svc_node *value, const char *what)
{
  const svc_node *ref, *member, *known;
  /* two shapes of an answer: the first is the answer itself, the second is the answer in an envelope */
  if (svc_node_get(schema, "oneOf") && !svc_node_get(schema, "discriminator")) schema = svc_node_get(schema, "oneOf")->first;
  while (schema && (ref = svc_node_get(schema, "$ref")) != NULL) {
    svc_str rest = ref->text;
    svc_str_cut(&rest, '/');
    for (schema = root; rest.n;) schema = svc_node_find(schema, svc_str_cut(&rest, '/'));
  }
  if (svc_node_get(schema, "allOf")) schema = svc_node_get(schema, "allOf")->first;
  if (svc_node_get(schema, "$ref")) {
    openapi_check_members(schema, value, what);
    return;
  }
  for (member = value->first; member; member = member->next) {
    known = value->type == SVC_J_ARRAY ? svc_node_get(schema, "items") : svc_node_find(svc_node_get(schema, "properties"), member->name);
    if (known) openapi_check_members(known, member, what);
    else if (svc_node_get(schema, "additionalProperties") && !svc_node_bool(schema, "additionalProperties", true))
      munit_errorf("%s: " SVC_FMT " is not in the schema", what, SVC_ARG(member->name));
  }
}

/* The document knows every member of the answers, including links. */
TEST_SERVICE(openapi, answers)
{
  static const char *const paths[] = {
    "/orgs", "/orgs/{orgId}", "/orgs/{orgId}/settings", "/orgs/{orgId}/events", "/orgs/{orgId}/activityFeed",
    "/orgs/{orgId}/groups", "/groups", "/groups/{groupId}", "/groups/{groupId}/settings", "/groups/{groupId}/limits",
    "/groups/{groupId}/privateIpMode", "/groups/{groupId}/maintenanceWindow", "/groups/{groupId}/events",
    "/groups/{groupId}/activityFeed", "/groups/{groupId}/clusters", "/groups/{groupId}/clusters/C",
    "/groups/{groupId}/clusters/C/status", "/clusters", "/eventTypes", "/rateLimits",
    "/orgs/{orgId}/invites", "/orgs/{orgId}/users", "/groups/{groupId}/invites", "/groups/{groupId}/users"
  };
  svc_response r;
  svc_arena arena;
  const char *ids[2], *id;
  const svc_node *schema;
  char path[160], key[160];
  size_t i;
  ids[0] = t_organization(t, "Acme");
  ids[1] = t_project(t, ids[0], "alpha");
  munit_assert_int(svc_openapi(t->s, &r), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  root = svc_json_parse(&arena, (svc_str){ r.body, r.body_length });
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                           "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}",
                           "/groups/%s/clusters", ids[1]), ==, 201);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"a@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/invites", ids[1]),
                   ==, 201);
  for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    const char *open = strchr(paths[i], '{'), *close = strchr(paths[i], '}'), *c = strstr(paths[i], "/C");
    id = ids[strncmp(paths[i], "/groups", 7) == 0];
    if (open) snprintf(path, sizeof path, "%.*s%s%s", (int)(open - paths[i]), paths[i], id, close + 1);
    else snprintf(path, sizeof path, "%s", paths[i]);
    if (c) snprintf(key, sizeof key, "%.*s/{clusterName}%s", (int)(c - paths[i]), paths[i], c + 2);
    else snprintf(key, sizeof key, "%s", paths[i]);
    munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
    schema = svc_node_get(svc_node_get(svc_node_get(root, "paths"), key), "get");
    schema = svc_node_get(svc_node_get(svc_node_get(svc_node_get(schema, "responses"), "200"), "content")->last, "schema");
    munit_assert_not_null(schema);
    openapi_check_members(schema, t->body, paths[i]);
  }
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"New\",\"apiKey\":{\"desc\":\"k\",\"roles\":[\"ORG_OWNER\"]}}"), ==, 201);
  schema = svc_node_get(svc_node_get(svc_node_get(svc_node_get(root, "paths"), "/orgs"), "post"), "responses");
  openapi_check_members(svc_node_get(svc_node_get(svc_node_get(schema, "201"), "content")->last, "schema"), t->body, "POST /orgs");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", ids[0]), ==, 201);
  schema = svc_node_get(svc_node_get(svc_node_get(svc_node_get(root, "paths"), "/orgs/{orgId}/serviceAccounts"), "post"), "responses");
  openapi_check_members(svc_node_get(svc_node_get(svc_node_get(schema, "201"), "content")->last, "schema"), t->body, "POST serviceAccounts");
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
}

/* ---- faults that validators found, or would find */

static const svc_node *openapi_schema(const char *name)
{
  const svc_node *schema = svc_node_get(svc_node_get(svc_node_get(root, "components"), "schemas"), name);
  if (!schema) munit_errorf("no schema %s", name);
  return schema;
}

static bool openapi_requires(const svc_node *schema, const char *field)
{
  const svc_node *required = svc_node_get(schema, "required"), *item;
  for (item = required ? required->first : NULL; item; item = item->next)
    if (svc_str_is(item->text, field)) return true;
  return false;
}

static const svc_node *openapi_property(const char *schema, const char *field)
{
  const svc_node *property = svc_node_get(svc_node_get(openapi_schema(schema), "properties"), field);
  if (!property) munit_errorf("%s has no %s", schema, field);
  return property;
}

static const svc_node *openapi_body_of(const char *path, const char *method)
{
  const svc_node *operation = svc_node_get(svc_node_get(svc_node_get(root, "paths"), path), method);
  return svc_node_get(svc_node_get(svc_node_get(svc_node_get(operation, "requestBody"), "content"), "application/json"), "schema");
}

TEST_SERVICE(openapi, schemas)
{
  const svc_node *schema, *flow;
  svc_response r;
  svc_arena arena;
  munit_assert_int(svc_openapi(t->s, &r), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  root = svc_json_parse(&arena, (svc_str){ r.body, r.body_length });
  /* suffixes such as Request make no two names equal */
  for (schema = svc_node_get(svc_node_get(root, "components"), "schemas")->first; schema; schema = schema->next)
    for (flow = schema->next; flow; flow = flow->next)
      if (svc_str_eq(schema->name, flow->name)) munit_errorf("two schemas are called " SVC_FMT, SVC_ARG(schema->name));
  /* a write-only field is required in the request, and missing in the answer */
  munit_assert_false(openapi_requires(openapi_schema("Team"), "usernames"));
  munit_assert_true(openapi_requires(openapi_schema("Team"), "name"));
  munit_assert_true(svc_str_is(svc_node_str(openapi_body_of("/orgs/{orgId}/teams", "post"), "$ref"), "#/components/schemas/TeamRequest"));
  munit_assert_true(openapi_requires(openapi_schema("TeamRequest"), "usernames"));
  munit_assert_null(svc_node_get(svc_node_get(openapi_schema("Team"), "properties"), "usernames"));
  /* a PUT may omit a field that never changes */
  munit_assert_true(svc_str_is(svc_node_str(openapi_body_of("/groups/{groupId}/integrations/{integrationType}", "put"), "$ref"),
                               "#/components/schemas/ThirdPartyIntegrationReplace"));
  munit_assert_true(openapi_requires(openapi_schema("Slack"), "type"));
  munit_assert_false(openapi_requires(openapi_schema("SlackReplace"), "type"));
  /* lists of integers, and of values that may be extended */
  schema = svc_node_get(openapi_property("SnapshotSchedule", "snapshotIntervalHours"), "enum");
  munit_assert_true(schema->first->type == SVC_J_NUMBER && svc_str_is(schema->first->text, "6"));
  munit_assert_null(svc_node_get(openapi_property("AlertMatcher", "value"), "enum"));
  munit_assert_not_null(svc_node_get(svc_node_get(openapi_property("AlertMatcher", "value"), "anyOf")->first, "enum"));
  /* a PATCH requires no field, and omitted fields keep their values; elements of arrays are complete */
  munit_assert_true(svc_str_is(svc_node_str(openapi_body_of("/groups/{groupId}/clusters/{clusterName}", "patch"), "$ref"), "#/components/schemas/ClusterPatch"));
  munit_assert_null(svc_node_get(openapi_schema("ClusterPatch"), "required"));
  munit_assert_not_null(svc_node_get(openapi_property("Cluster", "backupEnabled"), "default"));
  munit_assert_null(svc_node_get(openapi_property("ClusterPatch", "backupEnabled"), "default"));
  munit_assert_true(svc_node_bool(openapi_property("ClusterPatch", "name"), "readOnly", false)); /* the name never changes */
  schema = svc_node_get(openapi_property("ClusterPatch", "replicationSpecs"), "items");
  munit_assert_null(strstr(svc_arena_copy(&arena, svc_node_str(schema, "$ref")).p, "Patch"));
  /* each variant of a union lists its own value of the selecting field, and requires it unless it is the default */
  schema = svc_node_get(openapi_property("AWSRegionConfig", "providerName"), "enum");
  munit_assert_true(svc_str_is(schema->first->text, "AWS") && !schema->first->next);
  munit_assert_true(openapi_requires(openapi_schema("AWSRegionConfig"), "providerName"));
  munit_assert_false(openapi_requires(openapi_schema("TextSearchIndex"), "type"));
  munit_assert_true(openapi_requires(openapi_schema("VectorSearchIndex"), "type"));
  /* an answer may have null instead of a number */
  schema = svc_node_get(openapi_property("MetricDataPoint", "value"), "type");
  munit_assert_true(schema->type == SVC_J_ARRAY && svc_str_is(schema->first->next->text, "null"));
  /* authentication */
  schema = svc_node_get(svc_node_get(root, "components"), "securitySchemes");
  flow = svc_node_get(svc_node_get(svc_node_get(schema, "serviceAccount"), "flows"), "clientCredentials");
  munit_assert_true(svc_str_is(svc_node_str(flow, "tokenUrl"), "http://localhost:8080/api/oauth/token"));
  munit_assert_true(svc_str_is(svc_node_str(svc_node_get(schema, "apiKey"), "scheme"), "digest"));
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
}

/* The document is served without credentials, with an ETag, and limited per address. */
TEST(openapi, served)
{
  static const svc_limit_override limit = { .endpoint_set_id = "controlPlaneIPAddresses_ip", .capacity = 3, .refill_rate = 1, .refill_seconds = 60 };
  svc_config config = { .limits = &limit, .limit_count = 1 };
  svc_header headers[1] = { { "If-None-Match", "", 0, 0 } };
  svc_request request = { .method = "GET", .target = "/openapi.json", .peer = "192.0.2.7" };
  svc_response r, document;
  char tag[40];
  t_service t;
  t_open(&t, &config);
  munit_assert_int(svc_openapi(t.s, &document), ==, SVC_OK);
  munit_assert_int(svc_handle_request(t.s, &request, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  munit_assert_size(r.body_length, ==, document.body_length);
  munit_assert_memory_equal(r.body_length, r.body, document.body);
  munit_assert_string_equal(svc_response_header(&r, "Content-Type"), "application/json");
  munit_assert_string_equal(svc_response_header(&r, "RateLimit-Remaining"), "2");
  munit_assert_null(svc_response_header(&r, "Cache-Control")); /* only tokens must not be cached */
  munit_assert_int(svc_may_wait(t.s, &request), !=, 0); /* slow to build, so not in an event loop */
  snprintf(tag, sizeof tag, "%s", svc_response_header(&r, "ETag"));
  svc_response_free(&r);
  svc_response_free(&document);
  headers[0].value = tag;
  request.headers = headers;
  request.header_count = 1;
  munit_assert_int(svc_handle_request(t.s, &request, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 304);
  svc_response_free(&r);
  request.method = "HEAD";
  request.header_count = 0;
  munit_assert_int(svc_handle_request(t.s, &request, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  munit_assert_size(r.body_length, ==, 0);
  svc_response_free(&r);
  munit_assert_int(svc_handle_request(t.s, &request, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 429);
  svc_response_free(&r);
  t_close(&t);
}

static const svc_node *openapi_gone(const svc_node *document, const svc_route *route)
{
  root = document;
  return svc_node_get(svc_node_get(openapi_operation_of(route), "responses"), "410");
}

/* 410 is documented where it can occur: for a version that was removed, and for a sunset only where the service enforces it. */
TEST(openapi, sunset)
{
  svc_config config = { .enforce_sunset = 1 };
  t_service t, strict;
  svc_response r, r_strict;
  svc_arena arena;
  const svc_node *document, *document_strict;
  size_t i, enforced = 0;
  t_open(&t, NULL);
  t_open(&strict, &config);
  munit_assert_int(svc_openapi(t.s, &r), ==, SVC_OK);
  munit_assert_int(svc_openapi(strict.s, &r_strict), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  document = svc_json_parse(&arena, (svc_str){ r.body, r.body_length });
  document_strict = svc_json_parse(&arena, (svc_str){ r_strict.body, r_strict.body_length });
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *plan = &t.s->plans[i];
    bool gone = false, ends = plan->route->sunset != 0 || plan->route->older;
    unsigned v;
    for (v = 0; svc_route_version(plan->route, v + 1); v++) gone |= !svc_route_older(plan->route, svc_route_version(plan->route, v));
    munit_assert_int(openapi_gone(document, plan->route) != NULL, ==, gone);
    munit_assert_int(openapi_gone(document_strict, plan->route) != NULL, ==, gone || ends);
    enforced += ends && !gone;
  }
  munit_assert_size(enforced, >, 0);
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
  svc_response_free(&r_strict);
  t_close(&t);
  t_close(&strict);
}

/* A client appends paths to the server URL, so the root of the API is a path with a server of its own. The limits of a page are those
** of the configuration. */
TEST(openapi, configured)
{
  svc_config config = { .max_page = 50, .base_url = "https://x.test" };
  t_service t;
  svc_response r;
  t_open(&t, &config);
  munit_assert_int(svc_openapi(t.s, &r), ==, SVC_OK);
  munit_assert_not_null(strstr(r.body, "\"/api/svc/v2\":{\"servers\":[{\"url\":\"https://x.test\"}],\"get\":"));
  munit_assert_null(strstr(r.body, "\"/\":{"));
  munit_assert_not_null(strstr(r.body, "\"minimum\":1,\"maximum\":50,\"default\":50"));
  svc_response_free(&r);
  t_close(&t);
}

/* The document is built once per handle. Later requests share it, and it stays valid for them after the handle is closed. */
TEST(openapi, kept)
{
  svc_response first, second;
  uint64_t revision;
  t_service t;
  svc_arena arena;
  svc_str text;
  t_open(&t, NULL);
  munit_assert_int(svc_openapi(t.s, &first), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  text = svc_openapi_kept(t.s, &arena, &revision);
  munit_assert_size(text.n, ==, first.body_length);
  munit_assert_ptr_equal(svc_openapi_kept(t.s, &arena, &revision).p, text.p); /* an arena may hold it twice */
  munit_assert_ptr_equal(first.body, text.p);
  svc_blocks_free(arena.blocks);
  munit_assert_int(svc_openapi(t.s, &second), ==, SVC_OK);
  t_close(&t);
  munit_assert_size(first.body_length, ==, second.body_length);
  munit_assert_memory_equal(first.body_length, first.body, second.body);
  svc_response_free(&first);
  svc_response_free(&second);
}

/* ----------------------------------------------------------------------------------------------------------- descriptions */

static int openapi_asked[4]; /* number of calls per kind */

/* Returns texts for some fields and operations. */
static const char *openapi_text(void *context, int what, const char *of, const char *name)
{
  munit_assert_ptr_equal(context, openapi_asked);
  munit_assert_not_null(name);
  munit_assert_int(what, >=, 0);
  munit_assert_int(what, <, 4);
  openapi_asked[what]++;
  if (what == SVC_DESCRIBE_OPERATION) {
    munit_assert_null(of);
    return strcmp(name, "getMaintenanceWindow") == 0 ? "It says \"so\",\n \\ and `dayOfWeek`." : NULL;
  }
  if (what == SVC_DESCRIBE_RESOURCE) return strcmp(name, "maintenance window") == 0 ? "" : NULL;
  if (what == SVC_DESCRIBE_PARAMETER) {
    if (strcmp(name, "groupId") == 0) return !of ? "Any project." : strcmp(of, "getMaintenanceWindow") == 0 ? "This project." : NULL;
    return strcmp(name, "pretty") == 0 || strcmp(name, "ETag") == 0 ? "Shared." : NULL;
  }
  munit_assert_not_null(of);
  if (strcmp(name, "hourOfDay") == 0) return strcmp(of, "MaintenanceWindow") == 0 ? "Own." : strcmp(of, "*") == 0 ? "Any." : NULL;
  if (strcmp(name, "dayOfWeek") == 0) return strcmp(of, "*") == 0 ? "Day `of" : NULL;
  if (strcmp(name, "clusterDescription") == 0) return strcmp(of, "*") == 0 ? "Whatever." : NULL;
  if (strcmp(of, "Error") == 0 && strcmp(name, "detail") == 0) return "Why.";
  return NULL;
}

static const svc_node *openapi_at(const svc_node *at, const char *path)
{
  svc_str rest = svc_str_c(path);
  while (at && rest.n) at = svc_node_find(at, svc_str_cut(&rest, ' '));
  return at;
}

static void openapi_expect(const svc_node *document, const char *path, const char *text)
{
  const svc_node *at = openapi_at(document, path);
  svc_str said = at ? svc_node_str(at, "description") : SVC_S("");
  munit_assert_not_null(at);
  if (!svc_str_is(said, text)) munit_errorf("%s: " SVC_FMT ", and not %s", path, SVC_ARG(said), text);
}

/* The host's texts come before those of the tables. Where the host returns none, the description is unchanged. */
TEST(openapi, described)
{
  svc_config config = { .describe = openapi_text, .describe_context = openapi_asked };
  const svc_node *document, *parameter;
  t_service t, plain;
  svc_response r, bare;
  svc_arena arena;
  memset(openapi_asked, 0, sizeof openapi_asked);
  t_open(&t, &config);
  t_open(&plain, NULL);
  munit_assert_int(svc_openapi(t.s, &r), ==, SVC_OK);
  munit_assert_int(svc_openapi(plain.s, &bare), ==, SVC_OK);
  svc_arena_init(&arena, NULL);
  document = svc_json_parse(&arena, (svc_str){ r.body, r.body_length });
  munit_assert_not_null(document);
  openapi_expect(document, "paths /groups/{groupId}/maintenanceWindow get",
                 "It says \"so\",\n \\ and `dayOfWeek`. Needs the role GROUP_READ_ONLY. Draws from the bucket Maintenance window.");
  openapi_expect(document, "paths /groups/{groupId}/maintenanceWindow delete", "Needs the role GROUP_OWNER. Draws from the bucket Maintenance window.");
  parameter = openapi_at(document, "paths /groups/{groupId}/maintenanceWindow get parameters")->first;
  munit_assert_true(svc_str_is(svc_node_str(parameter, "description"), "This project."));
  parameter = openapi_at(document, "paths /groups/{groupId}/maintenanceWindow delete parameters")->first;
  munit_assert_true(svc_str_is(svc_node_str(parameter, "description"), "Any project."));
  openapi_expect(document, "components parameters pretty", "Shared.");
  openapi_expect(document, "components parameters pageNum", "Which page, from 1");
  openapi_expect(document, "components headers ETag", "Shared.");
  openapi_expect(document, "components schemas MaintenanceWindow properties hourOfDay", "Own.");
  openapi_expect(document, "components schemas MaintenanceWindowPatch properties hourOfDay", "Own.");
  openapi_expect(document, "components schemas MaintenanceWindow properties dayOfWeek", "Day `of");
  openapi_expect(document, "components schemas MaintenanceWindow properties startASAP", "");
  openapi_expect(document, "components schemas ClusterConfigurationValidation properties clusterDescription", "Whatever.");
  openapi_expect(document, "components schemas Error properties detail", "Why.");
  openapi_expect(document, "components schemas Status", "The status of HTTP, in an envelope");
  munit_assert_not_null(strstr(r.body, "{\"name\":\"maintenance window\",\"description\":\"\"}"));
  munit_assert_null(strstr(bare.body, "Own."));
  munit_assert_size(r.body_length, >, bare.body_length);
  munit_assert_int(openapi_asked[SVC_DESCRIBE_OPERATION], ==, (int)t.s->plan_count);
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
  svc_response_free(&bare);
  t_close(&t);
  t_close(&plain);
}

/* A failed allocation never leaves half a document: a call returns all of it, or an error. */
TEST(openapi, described_without_memory)
{
  svc_config config = { .describe = openapi_text, .describe_context = openapi_asked };
  svc_response r;
  t_service t;
  size_t whole = 0;
  long n;
  for (n = 0; n < 8; n++) { /* 0: no allocation fails */
    int rc;
    t_open(&t, &config);
    t_arena_fail(n);
    rc = svc_openapi(t.s, &r);
    munit_assert_long(t_arena_fail(0), >=, n);
    if (rc == SVC_OK && !n) whole = r.body_length;
    if (rc == SVC_OK) munit_assert_size(r.body_length, ==, whole);
    else munit_assert_int(rc, ==, SVC_NOMEM);
    svc_response_free(&r);
    munit_assert_int(svc_openapi(t.s, &r), ==, SVC_OK);
    munit_assert_size(r.body_length, ==, whole);
    svc_response_free(&r);
    t_close(&t);
  }
}

static size_t openapi_live; /* bytes of the handle's allocator */

static void *openapi_resize(void *context, void *p, size_t size)
{
  size_t *block = p ? (size_t *)p - 2 : NULL;
  (void)context;
  openapi_live -= block ? *block : 0;
  if (!size) {
    free(block);
    return NULL;
  }
  block = realloc(block, size + 2 * sizeof *block);
  if (!block) return NULL;
  *block = size;
  openapi_live += size;
  return block + 2;
}

#define OPENAPI_READERS 50

/* The handle keeps the document once, in as many bytes as it has, and every answer shares it. An answer outlives the handle's text. */
TEST(openapi, shared)
{
  svc_config config = { .limiter_off = 1, .store = t_port(), .allocator = { openapi_resize, NULL } };
  svc_request request = { .method = "GET", .target = "/openapi.json" };
  svc_response first, answers[OPENAPI_READERS];
  size_t before, kept;
  int i;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  before = openapi_live;
  munit_assert_int(svc_openapi(s, &first), ==, SVC_OK);
  svc_response_free(&first);
  kept = openapi_live - before;
  munit_assert_int(svc_openapi(s, &first), ==, SVC_OK);
  munit_assert_size(kept, <, first.body_length + 256);
  before = openapi_live;
  for (i = 0; i < OPENAPI_READERS; i++) {
    munit_assert_int(svc_handle_request(s, &request, &answers[i]), ==, SVC_OK);
    munit_assert_int(answers[i].status, ==, 200);
    munit_assert_ptr_equal(answers[i].body, first.body);
    munit_assert_size(answers[i].body_length, ==, first.body_length);
  }
  munit_assert_size(openapi_live - before, <, OPENAPI_READERS * (size_t)16384);
  for (i = 1; i < OPENAPI_READERS; i++) svc_response_free(&answers[i]);
  munit_assert_int(svc_control_begin(s), ==, SVC_OK); /* a new state of everything that the handle keeps */
  munit_assert_memory_equal(first.body_length, answers[0].body, first.body);
  svc_response_free(&first);
  munit_assert_size(strlen(answers[0].body), ==, answers[0].body_length);
  svc_response_free(&answers[0]);
  svc_close(s);
  munit_assert_size(openapi_live, ==, 0);
}
