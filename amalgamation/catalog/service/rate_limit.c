/*
** The rate limits: the table of endpoint sets, with the changes from the configuration.
**
** A scope filter narrows the list to the endpoint sets of that scope; several filters, to the sets of all these scopes. A
** filter by project or organization requires a role that may read it. A filter by user or address is allowed only for the
** caller's own: limits of others are private.
*/
#include "catalog/catalog.h"

#define RATE_LIMIT_ID_SIZE 80

static const char *const rate_limit_scopes[] = { "GROUP", "IP", "ORGANIZATION", "USER", NULL };

static const svc_field rate_limit_value_fields[] = {
  F_LONG("defaultValue", .flags = SVC_READ_ONLY), /* shown if it differs */
  F_LONG("value", .flags = SVC_READ_ONLY)
};
static const svc_object rate_limit_value_object = { .name = "RateLimitValue", .fields = SVC_ROWS(rate_limit_value_fields) };

static const char *const rate_limit_methods[SVC_METHOD_COUNT + 1] = { "GET", "POST", "PUT", "PATCH", "DELETE", NULL };

static const svc_field rate_limit_endpoint_fields[] = {
  F_ENUM("method", rate_limit_methods, .flags = SVC_READ_ONLY),
  F_STR("path", .flags = SVC_READ_ONLY)
};
static const svc_object rate_limit_endpoint = { .name = "RateLimitEndpoint", .fields = SVC_ROWS(rate_limit_endpoint_fields) };

static const svc_field rate_limit_fields[] = {
  F_OBJ("capacity", &rate_limit_value_object, .flags = SVC_READ_ONLY),
  F_STR("endpointSetId", .flags = SVC_READ_ONLY),
  F_STR("endpointSetName", .flags = SVC_READ_ONLY),
  F_LIST("endpoints", &rate_limit_endpoint, .flags = SVC_READ_ONLY),
  F_OBJ("refillDurationSeconds", &rate_limit_value_object, .flags = SVC_READ_ONLY),
  F_OBJ("refillRate", &rate_limit_value_object, .flags = SVC_READ_ONLY),
  F_ENUM("scope", rate_limit_scopes, .flags = SVC_READ_ONLY)
};
static const svc_object rate_limit_object = { .name = "RateLimit", .fields = SVC_ROWS(rate_limit_fields) };

static const svc_param rate_limit_list_params[] = {
  { .name = "endpointPath", .flags = SVC_PARAM_REPEATS },
  { .name = "groupId", .format = SVC_FORMAT_ID },
  { .name = "ipAddress", .format = SVC_FORMAT_IP },
  { .name = "name", .flags = SVC_PARAM_REPEATS },
  { .name = "orgId", .format = SVC_FORMAT_ID },
  { .name = "userId" },
  { .name = NULL }
};
static const svc_param rate_limit_read_params[] = {
  { .name = "groupId", .format = SVC_FORMAT_ID },
  { .name = "ipAddress", .format = SVC_FORMAT_IP },
  { .name = "orgId", .format = SVC_FORMAT_ID },
  { .name = "userId" },
  { .name = NULL }
};

static bool rate_limit_list(svc_call *c);
static bool rate_limit_read(svc_call *c);

static const svc_route rate_limit_routes[] = {
  { .method = SVC_GET, .path = "/rateLimits", .set = SVC_SET_RATE_LIMITS, .versions = { 20250312 }, .flags = SVC_PAGED,
    .params = rate_limit_list_params, .answer = &rate_limit_object, .op = "listRateLimits", .run = rate_limit_list },
  { .method = SVC_GET, .path = "/rateLimits/{endpointSetId}", .set = SVC_SET_RATE_LIMITS, .versions = { 20250312 },
    .flags = SVC_ITEM, .params = rate_limit_read_params, .answer = &rate_limit_object, .op = "getRateLimit", .run = rate_limit_read }
};

static const char *rate_limit_scope_name(int scope)
{
  static const char *const names[] = { [SVC_SCOPE_IP] = "IP", [SVC_SCOPE_GROUP] = "GROUP",
                                       [SVC_SCOPE_ORGANIZATION] = "ORGANIZATION", [SVC_SCOPE_USER] = "USER" };
  return names[scope];
}

/* Adds {"value": current, "defaultValue": from the table, if it differs}. */
static void rate_limit_value(svc_call *c, svc_node *body, const char *name, int64_t value, int64_t preset)
{
  svc_node *o = svc_node_object(c->arena, name);
  if (!o) return;
  if (value != preset) svc_node_set_i64(c->arena, o, "defaultValue", preset);
  svc_node_set_i64(c->arena, o, "value", value);
  svc_node_put(c->arena, body, o);
}

static svc_node *rate_limit_endpoints(svc_call *c, int set)
{
  svc_node *list = svc_node_array(c->arena, "endpoints"), *item;
  size_t i;
  for (i = 0; list && i < c->s->plan_count; i++) {
    const svc_route *route = c->s->plans[i].route;
    if (route->set != set || route->flags & SVC_ABSOLUTE) continue;
    item = svc_node_object(c->arena, NULL);
    if (!item) return NULL;
    svc_node_set_text(c->arena, item, "method", rate_limit_methods[route->method]);
    svc_node_set_str(c->arena, item, "path", svc_arena_print(c->arena, SVC_FMT "%s", SVC_ARG(c->s->base_path), c->s->plans[i].path));
    svc_node_append(list, item);
  }
  return list;
}

static svc_node *rate_limit_node(svc_call *c, int set, const char *id)
{
  int count;
  const svc_set_row *now = &c->s->sets[set], *preset = &svc_set_table(&count)[set];
  svc_node *body = svc_node_object(c->arena, NULL), *endpoints = rate_limit_endpoints(c, set);
  if (!body || !endpoints) return NULL;
  rate_limit_value(c, body, "capacity", now->capacity, preset->capacity);
  svc_node_set_text(c->arena, body, "endpointSetId", id);
  svc_node_set_text(c->arena, body, "endpointSetName", now->name);
  svc_node_put(c->arena, body, endpoints);
  rate_limit_value(c, body, "refillDurationSeconds", now->refill_seconds, preset->refill_seconds);
  rate_limit_value(c, body, "refillRate", now->refill_rate, preset->refill_rate);
  svc_node_set_text(c->arena, body, "scope", rate_limit_scope_name(now->scope));
  return body;
}

/* ------------------------------------------------------------------------------------------------------------- filters */

static bool rate_limit_scope_given(svc_call *c, const char *name, const svc_noun_info *noun, uint64_t roles)
{
  const svc_query_value *q = svc_query_get(c, name);
  svc_entity e;
  uint64_t held = 0;
  bool seen = false;
  if (!q) return true;
  if (noun && svc_get_noun_text_id(c->txn, noun, q->text, &e) == SVC_OK) {
    held = noun == c->s->group ? svc_roles_on(c, &e.id, &e.parent) : svc_roles_on(c, NULL, &e.id);
    seen = held || svc_entity_visible(c, noun, &e);
  }
  if (!seen) return svc_fail(c, noun ? noun->noun->err_not_found : SVC_E_RESOURCE_NOT_FOUND, "S", &q->text);
  return held & roles ? true : svc_lacks_role(c, roles);
}

#define RATE_LIMIT_ALL (1u << SVC_SCOPE_IP | 1u << SVC_SCOPE_GROUP | 1u << SVC_SCOPE_ORGANIZATION | 1u << SVC_SCOPE_USER)

/* Computes the scopes of the filters as bits. Returns false if the caller may not use one of them. */
static bool rate_limit_scope(svc_call *c, unsigned *scopes)
{
  static const struct {
    const char *name;
    int scope;
  } filters[] = { { "groupId", SVC_SCOPE_GROUP }, { "orgId", SVC_SCOPE_ORGANIZATION }, { "userId", SVC_SCOPE_USER },
                  { "ipAddress", SVC_SCOPE_IP } };
  const svc_query_value *user = svc_query_get(c, "userId"), *ip = svc_query_get(c, "ipAddress");
  size_t i;
  *scopes = 0;
  for (i = 0; i < 4; i++)
    if (svc_query_get(c, filters[i].name)) *scopes |= 1u << filters[i].scope;
  if (*scopes == 0) *scopes = RATE_LIMIT_ALL;
  if (user && !svc_str_eq(user->text, c->who.user_id)) return svc_fail(c, SVC_E_ACCESS_FORBIDDEN, "");
  if (ip && !svc_str_eq(svc_address_spell(c->arena, ip->text), c->request.peer))
    return svc_fail(c, SVC_E_ACCESS_FORBIDDEN, "");
  return rate_limit_scope_given(c, "groupId", c->s->group, SVC_R_GROUP_READ_ONLY) &&
         rate_limit_scope_given(c, "orgId", c->s->org, SVC_R_ORG_READ_ONLY | SVC_R_ORG_OWNER);
}

/* Returns true if the set has one of the paths in the query, written as in the catalog, with or without the base path. */
static bool rate_limit_has_path(const svc_call *c, int set)
{
  size_t i, j;
  if (!svc_query_get(c, "endpointPath")) return true;
  for (i = 0; i < c->s->plan_count; i++) {
    const char *path = c->s->plans[i].path;
    if (c->s->plans[i].route->set != set || c->s->plans[i].route->flags & SVC_ABSOLUTE) continue;
    for (j = 0; j < c->query.count; j++) {
      svc_str text = c->query.values[j].text;
      if (strcmp(c->query.values[j].param->name, "endpointPath") != 0) continue;
      if (text.n >= c->s->base_path.n && memcmp(text.p, c->s->base_path.p, c->s->base_path.n) == 0)
        text = (svc_str){ text.p + c->s->base_path.n, text.n - c->s->base_path.n };
      if (svc_str_is(text, path)) return true;
    }
  }
  return false;
}

typedef struct rate_limit_at {
  int set;
  unsigned scopes;
} rate_limit_at;

static bool rate_limit_next(svc_call *c, void *state, svc_item *out)
{
  rate_limit_at *at = state;
  char id[RATE_LIMIT_ID_SIZE];
  svc_node *body;
  for (; at->set < SVC_SET_COUNT; at->set++) {
    const svc_set_row *row = &c->s->sets[at->set];
    if (!(at->scopes >> row->scope & 1)) continue;
    if (svc_query_get(c, "name") && !svc_query_has(c, "name", svc_str_c(row->name))) continue;
    if (!rate_limit_has_path(c, at->set)) continue;
    at->set++;
    if (!out) return true;
    svc_set_id(at->set - 1, id, sizeof id);
    body = rate_limit_node(c, at->set - 1, svc_arena_copy(c->arena, svc_str_c(id)).p);
    if (!body) return false;
    svc_item_node(c, out, svc_arena_copy(c->arena, svc_str_c(id)), body);
    return true;
  }
  return false;
}

static bool rate_limit_list(svc_call *c)
{
  rate_limit_at at = { 0, 0 };
  return rate_limit_scope(c, &at.scopes) && svc_list_items(c, rate_limit_next, &at, -1);
}

static bool rate_limit_read(svc_call *c)
{
  char id[RATE_LIMIT_ID_SIZE];
  svc_node *body;
  unsigned scopes;
  int set;
  if (!rate_limit_scope(c, &scopes) || !svc_resolve_all(c)) return false;
  for (set = 0; set < SVC_SET_COUNT; set++) {
    svc_set_id(set, id, sizeof id);
    if (svc_str_is(c->route.params[0], id) && scopes >> c->s->sets[set].scope & 1) break;
  }
  if (set == SVC_SET_COUNT) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  body = rate_limit_node(c, set, id);
  return body ? svc_answer_node(c, body) : svc_no_memory(c);
}

SVC_PRIVATE const svc_noun svc_noun_rate_limit = {
  .name = "rate limit",
  .param = "endpointSetId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .routes = SVC_ROUTES(rate_limit_routes),
};
