/*
** Cost explorer: the costs of an organization, summed up by month and by the requested grouping.
**
**   POST --> WORKING   GET: 202
**        --> DONE      GET: 200 with the sums, for a week; then it is deleted
**
** A query is identified by its token. Each GET computes the sums from the same items as invoices (bill.c), of the usage
** until the POST: so the same token always gives the same answer. startDate is the first day that counts, endDate the
** first day that does not.
*/
#include "catalog/billing/bill.h"

#define COST_EXPLORER_KIND "cexp"

enum {
  COST_EXPLORER_BYTES = 32,     /* bytes of a token, with two digits each */
  COST_EXPLORER_MOST = 10000,   /* maximum queries of an organization */
  COST_EXPLORER_MONTHS = 18,    /* maximum months of a query */
  COST_EXPLORER_ROWS = 10000,   /* maximum rows of an answer */
  COST_EXPLORER_KEPT = 604800000, /* milliseconds */
  COST_EXPLORER_NAMES = 100     /* maximum elements of a filter */
};

static const char *const cost_explorer_groups[] = { "organizations", "projects", "clusters", "services", NULL };
static const char *const cost_explorer_states[] = { "WORKING", "DONE", NULL };

/* --------------------------------------------------------------------------------------------------------------- fields */

#define COST_EXPLORER_IDS(n) { .name = n, .type = SVC_ARRAY, .item = SVC_STRING, .format = SVC_FORMAT_ID, .max_items = COST_EXPLORER_NAMES }

static const svc_field cost_explorer_query_fields[] = {
  COST_EXPLORER_IDS("clusters"),
  F_STR("endDate", .format = SVC_FORMAT_DAY, .flags = SVC_REQUIRED),
  F_ENUM("groupBy", cost_explorer_groups),
  F_BOOL("includePartialMatches"),
  COST_EXPLORER_IDS("organizations"),
  COST_EXPLORER_IDS("projects"),
  F_STRS("services", .values = svc_bill_services, .max_items = COST_EXPLORER_NAMES),
  F_STR("startDate", .format = SVC_FORMAT_DAY, .flags = SVC_REQUIRED)
};
static const svc_object cost_explorer_query = { .name = "CostExplorerQuery", .fields = SVC_ROWS(cost_explorer_query_fields) };

static const svc_field cost_explorer_fields[] = {
  F_CREATED("created"),
  F_ENUM("state", cost_explorer_states, .flags = SVC_READ_ONLY),
  F_STR("token", .flags = SVC_READ_ONLY, .min = 64, .max = 64)
};
static const svc_object cost_explorer_object = { .name = "CostExplorer", .base = &cost_explorer_query, .fields = SVC_ROWS(cost_explorer_fields) };

static const svc_field cost_explorer_token_fields[] = { F_STR("token", .flags = SVC_READ_ONLY, .min = 64, .max = 64) };
static const svc_object cost_explorer_token = { .name = "CostExplorerToken", .fields = SVC_ROWS(cost_explorer_token_fields) };

static const svc_field cost_explorer_row_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_HEX24("organizationId", .flags = SVC_READ_ONLY),
  F_STR("organizationName", .flags = SVC_READ_ONLY),
  F_HEX24("projectId", .flags = SVC_READ_ONLY),
  F_STR("projectName", .flags = SVC_READ_ONLY),
  F_ENUM("service", svc_bill_services, .flags = SVC_READ_ONLY),
  F_NUM("usageAmount", .flags = SVC_READ_ONLY), /* dollars */
  F_STR("usageDate", .flags = SVC_READ_ONLY)   /* the first day of the month */
};
static const svc_object cost_explorer_row = { .name = "CostExplorerUsage", .fields = SVC_ROWS(cost_explorer_row_fields) };
static const svc_field cost_explorer_result_fields[] = {
  F_STR("token", .flags = SVC_READ_ONLY), /* while the state is WORKING */
  F_LIST("usageDetails", &cost_explorer_row, .flags = SVC_READ_ONLY)
};
static const svc_object cost_explorer_result = { .name = "CostExplorerResult", .fields = SVC_ROWS(cost_explorer_result_fields) };

/* --------------------------------------------------------------------------------------------------------------- routes */

static bool cost_explorer_read(svc_call *c);
static svc_node *cost_explorer_made(svc_call *c, const svc_entity *e);

#define COST_EXPLORER "/orgs/{orgId}/billing/costExplorer/usage", SVC_SET_BILLING, (20230101), SVC_R_ORG_BILLING_READ_ONLY, \
                      SVC_R_ORG_BILLING_READ_ONLY

static const svc_route cost_explorer_routes[] = {
  R_POST(COST_EXPLORER, "", .status = 202, .body = &cost_explorer_query, .answer = &cost_explorer_token, .op = "createCostExplorerProcess", .run = svc_verb_create,
         .example = "{\"startDate\":\"2025-05-01\",\"endDate\":\"2025-07-01\",\"groupBy\":\"services\"}",
        .ext = SVC_ROUTE_EXT(.view = cost_explorer_made)),
  R_GET(COST_EXPLORER, "/{token}", .flags = SVC_ITEM, .answer = &cost_explorer_result, .op = "getCostExplorerUsage", .run = cost_explorer_read, .also = 202)
};

static const svc_transition cost_explorer_steps[] = { { "WORKING", "DONE", 5, NULL, NULL }, { NULL, NULL, 0, NULL, NULL } };
static const svc_lifecycle cost_explorer_lifecycle = { .field = "state", .created = "WORKING", .transitions = cost_explorer_steps };

/* ---------------------------------------------------------------------------------------------------------------- asking */

static int64_t cost_explorer_day(const svc_node *body, const char *name)
{
  unsigned day = 19700101;
  svc_day_parse(svc_node_str(body, name), &day);
  return svc_day_ms(day);
}

static bool cost_explorer_prepare(svc_call *c, svc_change *change)
{
  int64_t from = cost_explorer_day(change->body, "startDate"), to = cost_explorer_day(change->body, "endDate");
  svc_str first = svc_node_str(change->body, "startDate"), last = svc_node_str(change->body, "endDate");
  unsigned char bytes[COST_EXPLORER_BYTES];
  char token[2 * COST_EXPLORER_BYTES];
  size_t i;
  if (from >= to) return svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "SS", &first, &last);
  if (svc_months_on(from, COST_EXPLORER_MONTHS) < to) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("endDate"), "must be at most %d months after startDate", COST_EXPLORER_MONTHS);
    return svc_check_done(c);
  }
  if (!svc_secret_bytes(c, bytes, sizeof bytes)) return false;
  for (i = 0; i < sizeof token; i++) token[i] = "0123456789abcdef"[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
  svc_node_set_str(c->arena, change->body, "token", svc_arena_copy(c->arena, (svc_str){ token, sizeof token }));
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + COST_EXPLORER_KEPT);
  return true;
}

static svc_node *cost_explorer_made(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (body) svc_node_set_str(c->arena, body, "token", e->unique);
  return body;
}

/* ------------------------------------------------------------------------------------------------------------------ sums */

typedef struct cost_explorer_sum {
  unsigned month;
  svc_bill_item of; /* an item that identifies the group */
  int64_t cents;
} cost_explorer_sum;

typedef struct cost_explorer_sums {
  const svc_node *query;
  int64_t from, to;
  char group_by;  /* o, p, c or s */
  bool any_match; /* a single matching filter is sufficient */
  svc_id org;
  cost_explorer_sum *rows;
  size_t count, room, month_at; /* index of the first row of the month */
} cost_explorer_sums;

/* Applies a filter if the query has it (*given). A match sets *some, a mismatch clears *all. */
static void cost_explorer_filter(const cost_explorer_sums *s, const char *name, svc_str text, bool *all, bool *some, bool *given)
{
  const svc_node *list = svc_node_get(s->query, name), *one;
  bool found = false;
  if (!svc_node_first(list)) return;
  for (one = list->first; one && !found; one = one->next) found = svc_str_eq(one->text, text);
  *given = true;
  *some |= found;
  *all &= found;
}

static bool cost_explorer_wanted(const cost_explorer_sums *s, const svc_bill_item *item)
{
  bool all = true, some = false, given = false;
  char hex[24];
  const svc_str id = { hex, sizeof hex };
  if (item->day < s->from || item->day >= s->to) return false;
  svc_id_hex(&item->top, hex);
  cost_explorer_filter(s, "clusters", id, &all, &some, &given);
  svc_id_hex(&s->org, hex);
  cost_explorer_filter(s, "organizations", id, &all, &some, &given);
  svc_id_hex(&item->group, hex);
  cost_explorer_filter(s, "projects", id, &all, &some, &given);
  cost_explorer_filter(s, "services", svc_str_c(svc_sku_service(item->sku)), &all, &some, &given);
  return !given || (s->any_match ? some : all);
}

/* Whether two items belong to the same sum. */
static bool cost_explorer_same(const cost_explorer_sums *s, const svc_bill_item *a, const svc_bill_item *b)
{
  switch (s->group_by) {
  case 's': return a->sku->service == b->sku->service;
  case 'p': return svc_id_eq(&a->group, &b->group);
  case 'c': return svc_id_eq(&a->group, &b->group) && svc_id_eq(&a->top, &b->top);
  default: return true;
  }
}

/* The sum that an item belongs to; NULL: the item begins a new one. Items are ordered by project and cluster, so only the last sum can
** match; but with services, any sum can. */
static cost_explorer_sum *cost_explorer_find(const cost_explorer_sums *s, const svc_bill_item *item)
{
  size_t at = s->count;
  while (at > s->month_at) {
    if (cost_explorer_same(s, &s->rows[--at].of, item)) return &s->rows[at];
    if (s->group_by != 's') return NULL;
  }
  return NULL;
}

static bool cost_explorer_add(svc_call *c, cost_explorer_sums *s, unsigned month, const svc_bill_item *item)
{
  cost_explorer_sum *row = cost_explorer_find(s, item), *more;
  if (!row) {
    if (s->count == COST_EXPLORER_ROWS)
      return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the answer would be too large: ask for fewer months, or use filters");
    if (s->count == s->room) {
      more = svc_arena_alloc(c->arena, (s->room ? 2 * s->room : 32) * sizeof *more);
      if (!more) return svc_no_memory(c);
      if (s->count) memcpy(more, s->rows, s->count * sizeof *more);
      s->rows = more;
      s->room = s->room ? 2 * s->room : 32;
    }
    row = &s->rows[s->count++];
    *row = (cost_explorer_sum){ month, *item, 0 };
  }
  row->cents += item->cents;
  return true;
}

static bool cost_explorer_month(svc_call *c, cost_explorer_sums *s, unsigned month, int64_t until)
{
  svc_bill *b = svc_bill_begin(c, &s->org, month, until);
  svc_bill_item item;
  if (!b) return svc_no_memory(c);
  s->month_at = s->count;
  while (svc_bill_next(c, b, &item))
    if (cost_explorer_wanted(s, &item) && !cost_explorer_add(c, s, month, &item)) return false;
  return c->error.code == SVC_E_NONE;
}

static svc_node *cost_explorer_shown(svc_call *c, const cost_explorer_sums *s, const cost_explorer_sum *row, svc_str org_name)
{
  svc_node *o = svc_node_object(c->arena, NULL), *amount;
  svc_str dollars = svc_bill_millionths(c->arena, row->cents * 10000);
  if (!o) return NULL;
  svc_node_set_id(c->arena, o, "organizationId", &s->org);
  svc_node_set_str(c->arena, o, "organizationName", org_name);
  if (s->group_by == 'p' || s->group_by == 'c') {
    svc_node_set_id(c->arena, o, "projectId", &row->of.group);
    svc_node_set_str(c->arena, o, "projectName", row->of.group_name);
  }
  if (s->group_by == 'c' && svc_bill_of_cluster(&row->of)) {
    svc_node_set_id(c->arena, o, "clusterId", &row->of.top);
    svc_node_set_str(c->arena, o, "clusterName", row->of.top_name);
  }
  if (s->group_by == 's') svc_node_set_text(c->arena, o, "service", svc_sku_service(row->of.sku));
  amount = svc_node_new(c->arena, SVC_J_NUMBER, SVC_S("usageAmount"), dollars);
  if (!amount) return NULL;
  svc_node_put(c->arena, o, amount);
  svc_node_set_str(c->arena, o, "usageDate", svc_arena_print(c->arena, "%04u-%02u-01", row->month / 100 % 10000, row->month % 100));
  return o;
}

static bool cost_explorer_answer(svc_call *c, const cost_explorer_sums *s)
{
  svc_node *body = svc_node_object(c->arena, NULL), *list, *one;
  const svc_entity *org = svc_path_entity(c, "organization");
  size_t i;
  list = svc_node_array(c->arena, "usageDetails");
  if (!body || !list) return svc_no_memory(c);
  for (i = 0; i < s->count; i++) {
    one = cost_explorer_shown(c, s, &s->rows[i], org ? org->unique : SVC_S(""));
    if (!one) return svc_no_memory(c);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, body, list);
  return svc_answer_node(c, body);
}

static bool cost_explorer_read(svc_call *c)
{
  const svc_entity *e;
  svc_str by;
  cost_explorer_sums s;
  int64_t asked;
  unsigned month, last;
  memset(&s, 0, sizeof s);
  if (!svc_resolve_all(c)) return false;
  e = &c->route.chain[c->plan->hop_count - 1];
  s.query = svc_entity_body(c, e);
  if (!s.query) return false;
  if (svc_node_is(s.query, "state", "WORKING")) {
    if (!svc_answer_node(c, cost_explorer_made(c, e))) return false;
    svc_answer_status(c, 202);
    return true;
  }
  by = svc_node_str(s.query, "groupBy");
  s.group_by = by.n ? by.p[0] : 'o';
  s.any_match = svc_node_bool(s.query, "includePartialMatches", false);
  s.org = e->parent;
  s.from = cost_explorer_day(s.query, "startDate");
  s.to = cost_explorer_day(s.query, "endDate");
  svc_date_parse(svc_node_str(s.query, "created"), &asked);
  last = svc_bill_month(s.to - 1);
  for (month = svc_bill_month(s.from); month <= last; month = svc_bill_month_after(month))
    if (!cost_explorer_month(c, &s, month, asked)) return false;
  return cost_explorer_answer(c, &s);
}

/* ------------------------------------------------------------------------------------------------------------------ noun */

SVC_PRIVATE const svc_noun svc_noun_cost_explorer = {
  .name = "cost explorer query",
  .rel = "costExplorerUsage",
  .kind = COST_EXPLORER_KIND,
  .parent = "organization",
  .param = "token",
  .flags = SVC_EXPIRES,
  .object = &cost_explorer_object,
  .key = "token",
  .unique = "token",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_INVALID_REQUEST, /* cannot happen: 256 random bits */
  .most = COST_EXPLORER_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &cost_explorer_lifecycle,
  .event_created = "AWS_USAGE_REPORTED", /* the closest event type, used for all providers */
  .routes = SVC_ROUTES(cost_explorer_routes),
  .prepare = cost_explorer_prepare,
};
