/*
** Invoice: the costs of an organization in a month. The first line of the ledger in a month creates the invoice.
**
**   PENDING   during the month; its sums are those of the usage so far
**     at the end of the month
**     --> FREE     there is nothing to pay
**     --> PAID     the card on file was charged, at once
**     --> CLOSED   there is no card (svc_config.no_card): charged again each day, until it is PAID
**
** An organization with a CLOSED invoice is locked (ACCOUNT_SUSPENDED): changes that cost more than before are refused;
** everything else is allowed. With svc_config.no_card such changes are refused without a CLOSED invoice, too
** (NO_PAYMENT_INFORMATION_FOUND, or the code of the operation). Closing and charging is in invoice_closing.c, the items
** are in invoice_items.c.
*/
#include "catalog/billing/bill.h"

#define INVOICE_KIND "invo"

static const char *const invoice_states[] = { "PENDING", "CLOSED", "FORGIVEN", "FAILED", "PAID", "FREE", "PREPAID", "INVOICED", NULL };
static const char *const invoice_payment_states[] = {
  "NEW", "FORGIVEN", "FAILED", "PAID", "PARTIAL_PAID", "CANCELLED", "INVOICED", "FAILED_AUTHENTICATION", "PROCESSING",
  "PENDING_REVERSAL", "REFUNDED", NULL
};
static const char *const invoice_sorts[] = { "START_DATE", "END_DATE", NULL };
static const char *const invoice_orders[] = { "desc", "asc", NULL };

/* --------------------------------------------------------------------------------------------------------------- fields */

#define INVOICE_CENTS(n) F_LONG(n, .flags = SVC_READ_ONLY, .preset = "0")

static const svc_field invoice_metadata_fields[] = {
  INVOICE_CENTS("amountBilledCents"),
  INVOICE_CENTS("amountPaidCents"),
  F_CREATED("created"),
  INVOICE_CENTS("creditsCents"),
  F_DATE("endDate", .flags = SVC_READ_ONLY),
  F_ID(),
  { .name = "linkedInvoices", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_READ_ONLY, .preset = "[]" },
  F_ORG_ID(),
  INVOICE_CENTS("salesTaxCents"),
  F_DATE("startDate", .flags = SVC_READ_ONLY),
  INVOICE_CENTS("startingBalanceCents"),
  F_ENUM("statusName", invoice_states, .flags = SVC_READ_ONLY, .preset = "\"PENDING\""),
  INVOICE_CENTS("subtotalCents"),
  F_DATE("updated", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED)
};
static const svc_object invoice_metadata = { .name = "InvoiceMetadata", .fields = SVC_ROWS(invoice_metadata_fields) };

static const svc_field invoice_payment_fields[] = {
  F_LONG("amountBilledCents", .flags = SVC_READ_ONLY),
  F_LONG("amountPaidCents", .flags = SVC_READ_ONLY),
  F_DATE("created", .flags = SVC_READ_ONLY),
  F_STR("currency", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_LONG("salesTaxCents", .flags = SVC_READ_ONLY),
  F_ENUM("statusName", invoice_payment_states, .flags = SVC_READ_ONLY),
  F_LONG("subtotalCents", .flags = SVC_READ_ONLY),
  F_STR("unitPrice", .flags = SVC_READ_ONLY),
  F_DATE("updated", .flags = SVC_READ_ONLY)
};
static const svc_object invoice_payment = { .name = "Payment", .fields = SVC_ROWS(invoice_payment_fields) };

static const svc_field invoice_refund_fields[] = {
  F_LONG("amountCents", .flags = SVC_READ_ONLY),
  F_DATE("created", .flags = SVC_READ_ONLY),
  F_HEX24("paymentId", .flags = SVC_READ_ONLY),
  F_STR("reason", .flags = SVC_READ_ONLY)
};
static const svc_object invoice_refund = { .name = "Refund", .fields = SVC_ROWS(invoice_refund_fields) };

static const svc_field invoice_fields[] = {
  F_LIST("lineItems", &svc_invoice_item, .flags = SVC_READ_ONLY),
  F_LIST("payments", &invoice_payment, .flags = SVC_READ_ONLY, .preset = "[]"),
  F_LIST("refunds", &invoice_refund, .flags = SVC_READ_ONLY, .preset = "[]")
};
static const svc_object invoice_object = { .name = "Invoice", .base = &invoice_metadata, .fields = SVC_ROWS(invoice_fields) };

/* --------------------------------------------------------------------------------------------------------------- routes */

static const svc_param invoice_params[] = {
  { .name = "fromDate", .format = SVC_FORMAT_DAY },
  { .name = "orderBy", .values = invoice_orders },
  { .name = "sortBy", .values = invoice_sorts, .flags = SVC_PARAM_MOOT }, /* months do not overlap, so both give the same order */
  { .name = "statusNames", .values = invoice_states, .flags = SVC_PARAM_REPEATS },
  { .name = "toDate", .format = SVC_FORMAT_DAY },
  { .name = "viewLinkedInvoices", .type = SVC_BOOLEAN }, /* no organization pays for another: linkedInvoices is [], or left out */
  { .name = NULL }
};

static bool invoice_list(svc_call *c);
static bool invoice_pending(svc_call *c);
static bool invoice_csv(svc_call *c);
static bool invoice_search(svc_call *c);

#define INVOICE_ALL "/orgs/{orgId}/invoices", SVC_SET_BILLING, (20230101), SVC_R_ORG_BILLING_READ_ONLY, 0
#define INVOICE_ITEMS "/orgs/{orgId}/invoices/{invoiceId}/lineItems", SVC_SET_BILLING, (20240805), SVC_R_ORG_BILLING_READ_ONLY, 0

static const svc_route invoice_routes[] = {
  R_GET(INVOICE_ALL, "", .flags = SVC_PAGED, .params = invoice_params, .answer = &invoice_metadata, .op = "listInvoices", .run = invoice_list),
  R_GET(INVOICE_ALL, "/pending", .flags = SVC_PAGED, .op = "listInvoicePending", .run = invoice_pending),
  R_GET(INVOICE_ALL, "/{invoiceId}", .op = "getInvoice", .run = svc_verb_read),
  R_GET(INVOICE_ALL, "/{invoiceId}/csv", .op = "getInvoiceCsv", .run = invoice_csv,
        .ext = SVC_ROUTE_EXT(.media = "csv", .file = "invoiceId")),
  R_GET(INVOICE_ITEMS, ":search", .flags = SVC_PAGED | SVC_BODY_OPTIONAL, .body = &svc_invoice_query, .answer = &svc_invoice_found,
        .op = "searchInvoiceLineItems", .run = invoice_search)
};

/* ---------------------------------------------------------------------------------------------------------------- months */

/* Called when a line of the ledger begins: creates the invoice of its month if it is missing. */
static bool invoice_begins(svc_call *c, const svc_ledger_line *line)
{
  svc_str start = svc_invoice_date(c->arena, svc_bill_month_begins(line->month));
  int64_t end = svc_bill_month_begins(svc_bill_month_after(line->month));
  svc_change change;
  svc_entity e;
  int rc = svc_id_is_zero(&line->org) ? SVC_OK : svc_entity_named(c->txn, INVOICE_KIND, NULL, &line->org, start, &e);
  if (rc != SVC_NOT_FOUND) return svc_status_good(c, rc);
  memset(&change, 0, sizeof change);
  change.noun = svc_noun_by_kind(c->s, INVOICE_KIND);
  change.parent = line->org;
  change.body = svc_presets(c->s, c->arena, &invoice_object);
  if (!change.body) return svc_no_memory(c);
  svc_node_set_str(c->arena, change.body, "startDate", start);
  svc_node_set_str(c->arena, change.body, "endDate", svc_invoice_date(c->arena, end));
  if (end > line->since) svc_change_due(&change, SVC_DUE_RUN, end); /* at the end of dates it stays open */
  return svc_insert(c, &change, &e);
}

/* --------------------------------------------------------------------------------------------------------------- reading */

/* The invoice with its items, or (whole false) without. During the month, its sums are computed from the items so far. */
static svc_node *invoice_shown(svc_call *c, const svc_entity *e, bool whole)
{
  svc_node *body = svc_entity_body(c, e);
  bool pending = body && svc_node_is(body, "statusName", "PENDING");
  svc_bill *b = whole || pending ? svc_invoice_bill(c, e) : NULL;
  int64_t cents;
  if (!body || ((whole || pending) && (!b || !svc_invoice_items(c, b, whole ? body : NULL, &cents)))) return NULL;
  if (pending) {
    svc_node_set_i64(c->arena, body, "amountBilledCents", cents);
    svc_node_set_i64(c->arena, body, "subtotalCents", cents);
  }
  if (!whole) {
    svc_node_drop(body, "payments");
    svc_node_drop(body, "refunds");
  }
  return body;
}

static svc_node *invoice_view(svc_call *c, const svc_entity *e)
{
  return invoice_shown(c, e, true);
}

static svc_node *invoice_view_whole(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return invoice_shown(c, e, true);
}

static svc_node *invoice_view_metadata(svc_call *c, const svc_entity *e, void *context)
{
  const svc_query_value *linked = svc_query_get(c, "viewLinkedInvoices");
  svc_node *shown = invoice_shown(c, e, false);
  (void)context;
  if (shown && linked && !linked->number) svc_node_drop(shown, "linkedInvoices");
  return shown;
}

static bool invoice_wanted(svc_call *c, const svc_entity *e)
{
  const svc_query_value *from = svc_query_get(c, "fromDate"), *to = svc_query_get(c, "toDate");
  svc_str end = svc_json_word(e->body, "endDate");
  if (end.n < 10) return false;
  if (svc_query_get(c, "statusNames") && !svc_query_has(c, "statusNames", svc_json_word(e->body, "statusName"))) return false;
  /* both dates are midnights, so days compare like their texts */
  if (from && svc_str_order((svc_str){ e->unique.p, 10 }, from->text) < 0) return false;
  return !to || svc_str_order((svc_str){ end.p, 10 }, to->text) <= 0;
}

/* Ids of the invoices that match; there is one invoice per month. */
static bool invoice_ids(svc_call *c, bool pending, svc_id **out, size_t *count)
{
  size_t most = svc_count_room(c->txn, INVOICE_KIND, &c->scope.org, sizeof(svc_id));
  svc_id *ids = svc_arena_alloc(c->arena, (most + 1) * sizeof *ids);
  svc_scan scan;
  svc_entity e;
  *count = 0;
  *out = ids;
  if (!ids) return svc_no_memory(c);
  svc_below_begin(&scan, c->txn, INVOICE_KIND, &c->scope.org);
  while (*count < most && svc_below_next(&scan, INVOICE_KIND, &e))
    if (pending ? svc_json_is(e.body, "statusName", "PENDING") : invoice_wanted(c, &e)) ids[(*count)++] = e.id;
  return svc_txn_good(c);
}

static bool invoice_list(svc_call *c)
{
  svc_entities which = { .noun = c->plan->noun, .view = invoice_view_metadata };
  const svc_query_value *order = svc_query_get(c, "orderBy");
  svc_id *ids, one;
  size_t n, i;
  if (!invoice_ids(c, false, &ids, &n)) return false;
  for (i = 0; i < n / 2 && !(order && svc_str_is(order->text, "asc")); i++) {
    one = ids[i];
    ids[i] = ids[n - 1 - i];
    ids[n - 1 - i] = one;
  }
  which.parent = c->scope.org;
  return svc_list_ids(c, &which, ids, n);
}

/* A list of one invoice, or of none if nothing has cost anything this month; two while an invoice is being closed. Links
** lead to this path, so the answer is a list. */
static bool invoice_pending(svc_call *c)
{
  svc_entities which = { .noun = c->plan->noun, .view = invoice_view_whole };
  svc_id *ids;
  size_t n;
  if (!invoice_ids(c, true, &ids, &n)) return false;
  which.parent = c->scope.org;
  return svc_list_ids(c, &which, ids, n);
}

/* The items of the path's invoice. NULL: the error is set. */
static svc_bill *invoice_of_path(svc_call *c)
{
  return svc_resolve_all(c) ? svc_invoice_bill(c, svc_path_entity(c, "invoice")) : NULL;
}

static bool invoice_csv(svc_call *c)
{
  svc_bill *b = invoice_of_path(c);
  return b && svc_invoice_csv(c, b);
}

static bool invoice_search(svc_call *c)
{
  svc_bill *b = invoice_of_path(c);
  return b && svc_invoice_search(c, b);
}

/* ------------------------------------------------------------------------------------------------------------------ noun */

static const svc_bill_ops invoice_ops = {
  .begins = invoice_begins, .pays = svc_invoice_pays, .price = svc_bill_price, .refuse = svc_invoice_refuse
};

SVC_PRIVATE const svc_noun svc_noun_invoice = {
  .name = "invoice",
  .kind = INVOICE_KIND,
  .parent = "organization",
  .param = "invoiceId",
  .seat = SVC_SEAT_BILLS,
  .object = &invoice_object,
  .unique = "startDate",
  .err_not_found = SVC_E_INVOICE_NOT_FOUND,
  .err_exists = SVC_E_INVALID_INVOICE_ID, /* cannot happen: invoice_begins() looks first */
  .routes = SVC_ROUTES(invoice_routes),
  .fell_due = svc_invoice_fell_due,
  .gone = svc_invoice_gone,
  .view = invoice_view,
  .ext = SVC_NOUN_EXT(.err_malformed = SVC_E_INVALID_INVOICE_ID, .bills = &invoice_ops)
};
