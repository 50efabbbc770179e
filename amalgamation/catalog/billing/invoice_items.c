/*
** The items of an invoice in their three forms: in the invoice, as CSV, and as results of a search.
**
** The rule: the size of each answer is limited. The items in an invoice and in CSV are complete up to SVC_BILL_WHOLE
** bytes. A larger invoice shows none, and its CSV is refused; the search returns all items, in pages. A sorted search is
** limited to INVOICE_ITEMS_SORTED items; filters help to stay below this limit.
*/
#include "catalog/billing/bill.h"

enum { INVOICE_ITEMS_SORTED = 50000 }; /* maximum items that can be sorted */

/* --------------------------------------------------------------------------------------------------------------- fields */

static const svc_field invoice_items_fields[] = {
  F_ENUM("cloudProvider", svc_bill_providers, .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$"),
  F_DATE("created", .flags = SVC_READ_ONLY),
  F_LONG("discountCents", .flags = SVC_READ_ONLY),
  F_DATE("endDate", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("groupName", .flags = SVC_READ_ONLY),
  F_STR("note", .flags = SVC_READ_ONLY),
  F_NUM("percentDiscount", .flags = SVC_READ_ONLY),
  F_NUM("quantity", .flags = SVC_READ_ONLY),
  F_STR("sku", .flags = SVC_READ_ONLY),
  F_DATE("startDate", .flags = SVC_READ_ONLY),
  F_STR("stitchAppName", .flags = SVC_READ_ONLY),
  { .name = "tags", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY },
  F_NUM("tierLowerBound", .flags = SVC_READ_ONLY),
  F_NUM("tierUpperBound", .flags = SVC_READ_ONLY),
  F_LONG("totalPriceCents", .flags = SVC_READ_ONLY),
  F_STR("unit", .flags = SVC_READ_ONLY),
  F_NUM("unitPriceDollars", .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_invoice_item = { .name = "InvoiceLineItem", .fields = SVC_ROWS(invoice_items_fields) };

static const char *const invoice_items_sorts[] = { "USAGE_DATES", "BILL_DATES", "TOTAL_PRICE_CENTS", NULL };
static const char *const invoice_items_orders[] = { "ASCENDING", "DESCENDING", NULL };

static const svc_field invoice_items_filter_fields[] = {
  F_STR("billEndDate", .format = SVC_FORMAT_DAY),
  F_STR("billStartDate", .format = SVC_FORMAT_DAY),
  { .name = "clusterIds", .type = SVC_ARRAY, .item = SVC_STRING, .format = SVC_FORMAT_ID, .flags = SVC_UNIQUE_ITEMS, .max_items = 100 },
  { .name = "groupIds", .type = SVC_ARRAY, .item = SVC_STRING, .format = SVC_FORMAT_ID, .flags = SVC_UNIQUE_ITEMS, .max_items = 100 },
  F_BOOL("includeZeroCentLineItems"),
  F_STRS("skuServices", .values = svc_bill_services, .flags = SVC_UNIQUE_ITEMS, .max_items = 50),
  F_STR("usageEndDate", .format = SVC_FORMAT_DAY),
  F_STR("usageStartDate", .format = SVC_FORMAT_DAY)
};
static const svc_object invoice_items_filter = { .name = "UsageDetailsFilter", .fields = SVC_ROWS(invoice_items_filter_fields) };

static const svc_field invoice_items_query_fields[] = {
  F_OBJ("filters", &invoice_items_filter),
  F_ENUM("sortField", invoice_items_sorts),
  F_ENUM("sortOrder", invoice_items_orders)
};
SVC_PRIVATE const svc_object svc_invoice_query = { .name = "UsageDetailsQuery", .fields = SVC_ROWS(invoice_items_query_fields) };

static const svc_field invoice_items_more_fields[] = {
  F_HEX24("processorId", .flags = SVC_READ_ONLY),
  F_STR("processorName", .flags = SVC_READ_ONLY),
  F_STR("workspace", .flags = SVC_READ_ONLY)
};
static const svc_object invoice_items_more = { .name = "UsageDetailsAdditionalData", .fields = SVC_ROWS(invoice_items_more_fields) };

static const svc_field invoice_items_found_fields[] = {
  F_OBJ("additionalData", &invoice_items_more, .flags = SVC_READ_ONLY),
  F_DATE("billDate", .flags = SVC_READ_ONLY),
  F_ENUM("cloudProvider", svc_bill_providers, .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_STR("description", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_NUM("quantity", .flags = SVC_READ_ONLY),
  F_LONG("totalPriceCents", .flags = SVC_READ_ONLY),
  F_NUM("unitPriceDollars", .flags = SVC_READ_ONLY),
  F_DATE("usageDate", .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_invoice_found = { .name = "UsageDetailsLineItem", .fields = SVC_ROWS(invoice_items_found_fields) };

/* ---------------------------------------------------------------------------------------------------------------- shapes */

static void invoice_items_number(svc_call *c, svc_node *body, const char *name, svc_str text)
{
  svc_node *number = svc_node_new(c->arena, SVC_J_NUMBER, svc_str_c(name), text);
  if (number) svc_node_put(c->arena, body, number);
}

/* The members that all forms share. NULL: out of memory. */
static svc_node *invoice_items_node(svc_call *c, const svc_bill_item *item)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body) return NULL;
  svc_node_set_text(c->arena, body, "cloudProvider", svc_sku_provider(item->sku));
  if (svc_bill_of_cluster(item)) svc_node_set_str(c->arena, body, "clusterName", item->top_name);
  if (!svc_id_is_zero(&item->group)) svc_node_set_id(c->arena, body, "groupId", &item->group);
  invoice_items_number(c, body, "quantity", svc_bill_hours(c->arena, item));
  svc_node_set_i64(c->arena, body, "totalPriceCents", item->cents);
  invoice_items_number(c, body, "unitPriceDollars", svc_bill_millionths(c->arena, item->sku->price));
  return body;
}

static svc_node *invoice_items_shown(svc_call *c, const svc_bill_item *item)
{
  svc_node *body = invoice_items_node(c, item);
  if (!body) return NULL;
  svc_node_set_date(c->arena, body, "created", item->day);
  svc_node_set_i64(c->arena, body, "discountCents", 0);
  svc_node_set_date(c->arena, body, "endDate", item->day + SVC_DAY_MS);
  svc_node_set_str(c->arena, body, "groupName", item->group_name);
  svc_node_set_text(c->arena, body, "sku", item->sku->id);
  svc_node_set_date(c->arena, body, "startDate", item->day);
  svc_node_set_text(c->arena, body, "unit", svc_sku_unit(item->sku));
  return body;
}

static svc_node *invoice_items_found(svc_call *c, const svc_bill_item *item)
{
  svc_node *body = invoice_items_node(c, item), *more;
  if (!body) return NULL;
  svc_node_set_date(c->arena, body, "billDate", item->day + SVC_DAY_MS);
  svc_node_set_text(c->arena, body, "description", item->sku->id);
  svc_node_set_date(c->arena, body, "usageDate", item->day);
  if (strcmp(svc_sku_service(item->sku), "Svc Stream Processing") != 0) return body;
  more = svc_node_object(c->arena, "additionalData");
  if (!more) return NULL;
  svc_node_set_str(c->arena, more, "workspace", item->top_name);
  svc_node_put(c->arena, body, more);
  return body;
}

/* ---------------------------------------------------------------------------------------------------------- in the invoice */

enum { INVOICE_ITEMS_SIZE = 360 }; /* approximate bytes of an item */

SVC_PRIVATE bool svc_invoice_items(svc_call *c, svc_bill *b, svc_node *body, int64_t *cents)
{
  svc_node *list = body ? svc_node_array(c->arena, "lineItems") : NULL, *one;
  svc_bill_item item;
  size_t n = 0;
  *cents = 0;
  if (body && !list) return svc_no_memory(c);
  while (svc_bill_next(c, b, &item)) {
    *cents += item.cents;
    if (!list || ++n > SVC_BILL_WHOLE / INVOICE_ITEMS_SIZE) continue;
    one = invoice_items_shown(c, &item);
    if (!one) return svc_no_memory(c);
    svc_node_append(list, one);
  }
  if (list && n > SVC_BILL_WHOLE / INVOICE_ITEMS_SIZE) list->first = list->last = NULL;
  if (list) svc_node_put(c->arena, body, list);
  return c->error.code == SVC_E_NONE;
}

/* ------------------------------------------------------------------------------------------------------------------- CSV */

/* Writes a name as a CSV cell. Spreadsheets take names that begin with certain characters for formulas, so an apostrophe is put
** before these. */
static void invoice_items_cell(svc_buf *b, svc_str text)
{
  size_t i;
  svc_buf_char(b, '"');
  if (text.n && strchr("=+-@", text.p[0])) svc_buf_char(b, '\'');
  for (i = 0; i < text.n; i++) {
    if (text.p[i] == '"') svc_buf_char(b, '"');
    svc_buf_char(b, text.p[i]);
  }
  svc_buf_text(b, "\",");
}

static void invoice_items_row(svc_call *c, svc_buf *b, svc_str org, const svc_bill_item *item)
{
  char day[21];
  svc_date_text(item->day, day);
  svc_buf_add(b, day, 10);
  svc_buf_char(b, ',');
  svc_buf_str(b, org);
  svc_buf_char(b, ',');
  if (!svc_id_is_zero(&item->group)) svc_buf_str(b, svc_id_str(c->arena, &item->group));
  svc_buf_char(b, ',');
  invoice_items_cell(b, item->group_name);
  invoice_items_cell(b, svc_bill_of_cluster(item) ? item->top_name : SVC_S(""));
  svc_buf_str(b, svc_arena_print(c->arena, "%s,%s,%s,", svc_sku_service(item->sku), svc_sku_provider(item->sku), item->sku->id));
  svc_buf_str(b, svc_bill_hours(c->arena, item));
  svc_buf_char(b, ',');
  svc_buf_text(b, svc_sku_unit(item->sku));
  svc_buf_char(b, ',');
  svc_buf_str(b, svc_bill_millionths(c->arena, item->sku->price));
  svc_buf_str(b, svc_arena_print(c->arena, ",%lld.%02lld\r\n", (long long)(item->cents / 100), (long long)(item->cents % 100)));
}

SVC_PRIVATE bool svc_invoice_csv(svc_call *c, svc_bill *b)
{
  svc_buf out = svc_buf_new(c->arena, 4096);
  svc_str org = svc_id_str(c->arena, &c->scope.org);
  svc_bill_item item;
  svc_buf_text(&out, "Usage Date,Organization ID,Project ID,Project Name,Cluster Name,Service,Cloud Provider,SKU,Quantity,Unit,"
                     "Unit Price (USD),Amount (USD)\r\n");
  while (svc_bill_next(c, b, &item)) {
    invoice_items_row(c, &out, org, &item);
    if (out.n > SVC_BILL_WHOLE)
      return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the invoice has too many line items for one file: use lineItems:search, which returns pages");
  }
  if (c->error.code) return false;
  return out.failed || c->arena->failed ? svc_no_memory(c) : svc_answer_bytes(c, svc_buf_done(&out));
}

/* ---------------------------------------------------------------------------------------------------------------- search */

typedef struct invoice_items_search {
  svc_bill *bill;
  const svc_node *filters;
  int64_t used_from, used_to, billed_from, billed_to; /* midnights of days */
  bool zero;
  svc_bill_item *items; /* sorted; NULL: in their original order */
  size_t count, room, at;
} invoice_items_search;

/* Whether the text is in the list of this name; true if there is no list. */
static bool invoice_items_among(const svc_node *filters, const char *name, svc_str text)
{
  const svc_node *list = svc_node_get(filters, name), *one;
  for (one = svc_node_first(list); one; one = one->next)
    if (svc_str_eq(one->text, text)) return true;
  return !svc_node_first(list);
}

static bool invoice_items_wanted(const invoice_items_search *s, const svc_bill_item *item)
{
  char group[24], top[24];
  int64_t billed = item->day + SVC_DAY_MS;
  if ((item->cents == 0 && !s->zero) || item->day < s->used_from || item->day > s->used_to || billed < s->billed_from ||
      billed > s->billed_to)
    return false;
  svc_id_hex(&item->group, group);
  svc_id_hex(&item->top, top);
  return invoice_items_among(s->filters, "groupIds", (svc_str){ group, sizeof group }) &&
         invoice_items_among(s->filters, "clusterIds", (svc_str){ top, sizeof top }) &&
         invoice_items_among(s->filters, "skuServices", svc_str_c(svc_sku_service(item->sku)));
}

static int64_t invoice_items_day(const svc_node *filters, const char *name, int64_t otherwise)
{
  unsigned day;
  return svc_day_parse(svc_node_str(filters, name), &day) ? svc_day_ms(day) : otherwise;
}

static bool invoice_items_find(svc_call *c, invoice_items_search *s, svc_bill_item *out)
{
  while (svc_bill_next(c, s->bill, out))
    if (invoice_items_wanted(s, out)) return true;
  return false;
}

static bool invoice_items_keep(svc_call *c, invoice_items_search *s, const svc_bill_item *item)
{
  svc_bill_item *more;
  if (s->count == INVOICE_ITEMS_SORTED)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "there are too many line items to sort: use filters, or leave out sortField");
  if (s->count == s->room) {
    more = svc_arena_alloc(c->arena, (s->room ? 2 * s->room : 64) * sizeof *more);
    if (!more) return svc_no_memory(c);
    if (s->count) memcpy(more, s->items, s->count * sizeof *more);
    s->items = more;
    s->room = s->room ? 2 * s->room : 64;
  }
  s->items[s->count++] = *item;
  return true;
}

typedef struct invoice_items_order {
  bool by_price, falls;
} invoice_items_order;

/* Whether a sorts after b. Bill dates have the same order as usage dates. */
static bool invoice_items_behind(const invoice_items_order *order, const svc_bill_item *a, const svc_bill_item *b)
{
  int64_t x = order->by_price ? a->cents : a->day, y = order->by_price ? b->cents : b->day;
  int same;
  if (x != y) return order->falls ? x < y : x > y;
  if (a->day != b->day) return a->day > b->day;
  same = memcmp(a->group.b, b->group.b, sizeof a->group.b);
  if (same == 0) same = memcmp(a->top.b, b->top.b, sizeof a->top.b);
  return same ? same > 0 : a->sku > b->sku;
}

/* Heapsort: the root is the item that sorts last. */
static void invoice_items_sift(svc_bill_item *items, size_t root, size_t n, const invoice_items_order *order)
{
  svc_bill_item moved = items[root];
  size_t child;
  while ((child = 2 * root + 1) < n) {
    if (child + 1 < n && invoice_items_behind(order, &items[child + 1], &items[child])) child++;
    if (!invoice_items_behind(order, &items[child], &moved)) break;
    items[root] = items[child];
    root = child;
  }
  items[root] = moved;
}

static void invoice_items_sort(svc_bill_item *items, size_t n, const invoice_items_order *order)
{
  size_t i;
  for (i = n / 2; i-- > 0;) invoice_items_sift(items, i, n, order);
  for (i = n; i-- > 1;) {
    svc_bill_item last = items[i];
    items[i] = items[0];
    items[0] = last;
    invoice_items_sift(items, 0, i, order);
  }
}

static bool invoice_items_next(svc_call *c, void *state, svc_item *out)
{
  invoice_items_search *s = state;
  svc_bill_item item;
  svc_node *body;
  if (s->items) {
    if (s->at == s->count) return false;
    item = s->items[s->at++];
  } else if (!invoice_items_find(c, s, &item)) {
    return false;
  }
  if (!out) return true;
  body = invoice_items_found(c, &item);
  if (!body) return svc_no_memory(c);
  svc_item_node(c, out, SVC_S(""), body);
  return true;
}

SVC_PRIVATE bool svc_invoice_search(svc_call *c, svc_bill *b)
{
  const svc_node *filters = svc_node_get(c->checked, "filters");
  svc_str field = svc_node_str(c->checked, "sortField");
  invoice_items_order order = { svc_str_is(field, "TOTAL_PRICE_CENTS"), svc_node_is(c->checked, "sortOrder", "DESCENDING") };
  invoice_items_search s = { .bill = b, .filters = filters, .zero = svc_node_bool(filters, "includeZeroCentLineItems", false) };
  svc_bill_item item;
  s.used_from = invoice_items_day(filters, "usageStartDate", INT64_MIN);
  s.used_to = invoice_items_day(filters, "usageEndDate", INT64_MAX);
  s.billed_from = invoice_items_day(filters, "billStartDate", INT64_MIN);
  s.billed_to = invoice_items_day(filters, "billEndDate", INT64_MAX);
  if (field.n == 0) return svc_list_items(c, invoice_items_next, &s, -1);
  while (invoice_items_find(c, &s, &item))
    if (!invoice_items_keep(c, &s, &item)) return false;
  if (c->error.code) return false;
  if (s.count == 0) return svc_list_items(c, invoice_items_next, &s, 0);
  invoice_items_sort(s.items, s.count, &order);
  return svc_list_items(c, invoice_items_next, &s, (int64_t)s.count);
}
