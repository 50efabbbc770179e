/*
** Items of bills, computed from the ledger.
**
** The ledger records what ran, and when. An item is the amount of one SKU that a cluster, with everything that belongs to
** it, used on one day. Lines of the ledger are split at midnight and added up, so frequent changes do not affect the
** price.
**
** The rule, which only this file implements: an item is rounded to the cent, half a cent upwards, and each total is a sum
** of items. All amounts are integers: usage in millionths of a unit times a second, prices in millionths of a dollar per
** unit and hour.
*/
#include "catalog/billing/bill.h"

enum { BILL_DAYS = 31 };

/* ----------------------------------------------------------------------------------------------------------------- SKUs */

enum { BILL_AWS, BILL_AZURE, BILL_GCP, BILL_SHARED };
enum { BILL_NODES, BILL_CLUSTERS, BILL_GIGABYTES, BILL_PROCESSORS, BILL_ENDPOINTS, BILL_MOVED };
enum { BILL_OF_CLUSTERS, BILL_OF_BACKUP, BILL_OF_STREAMS, BILL_OF_TRANSFER };

#define BILL_SKU(id, whose, unit, service, price) { #id, price, BILL_##whose, BILL_##unit, BILL_OF_##service },
static const svc_sku bill_skus[] = { SVC_SKU_ROWS(BILL_SKU) };
#undef BILL_SKU

SVC_PRIVATE const char *svc_sku_provider(const svc_sku *sku)
{
  static const char *const names[] = { [BILL_AWS] = "AWS", [BILL_AZURE] = "AZURE", [BILL_GCP] = "GCP", [BILL_SHARED] = "SVC" };
  return names[sku->provider];
}

SVC_PRIVATE const char *svc_sku_unit(const svc_sku *sku)
{
  static const char *const names[] = { [BILL_NODES] = "node hours", [BILL_CLUSTERS] = "cluster hours",
                                       [BILL_GIGABYTES] = "GB hours", [BILL_PROCESSORS] = "processor hours",
                                       [BILL_ENDPOINTS] = "endpoint hours", [BILL_MOVED] = "GB" };
  return names[sku->unit];
}

SVC_PRIVATE const char *svc_sku_unit_one(const svc_sku *sku)
{
  static const char *const names[] = { [BILL_NODES] = "node", [BILL_CLUSTERS] = "cluster", [BILL_GIGABYTES] = "GB",
                                       [BILL_PROCESSORS] = "processor", [BILL_ENDPOINTS] = "endpoint", [BILL_MOVED] = NULL };
  return names[sku->unit];
}

SVC_PRIVATE const char *svc_sku_service(const svc_sku *sku)
{
  static const char *const names[] = { [BILL_OF_CLUSTERS] = "Clusters", [BILL_OF_BACKUP] = "Backup",
                                       [BILL_OF_STREAMS] = "Svc Stream Processing", [BILL_OF_TRANSFER] = "Data Transfer" };
  return names[sku->service];
}

SVC_PRIVATE const svc_sku *svc_sku_at(size_t number)
{
  return number < SVC_SKU_COUNT ? &bill_skus[number] : NULL;
}

SVC_PRIVATE const svc_sku *svc_sku_find(svc_str id)
{
  size_t low = 0, high = SVC_SKU_COUNT;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = svc_str_order(svc_str_c(bill_skus[middle].id), id);
    if (order == 0) return &bill_skus[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

SVC_PRIVATE svc_str svc_bill_millionths(svc_arena *a, int64_t value)
{
  svc_str text = svc_arena_print(a, "%lld.%06lld", (long long)(value / 1000000), (long long)(value % 1000000));
  while (text.n && text.p[text.n - 1] == '0') text.n--;
  if (text.n && text.p[text.n - 1] == '.') text.n--;
  return text;
}

SVC_PRIVATE svc_str svc_sku_text(svc_arena *a, const svc_sku *sku)
{
  svc_buf b = svc_buf_new(a, 96);
  const char *p;
  for (p = sku->id; *p; p++) svc_buf_char(&b, *p != '_' ? *p : ' ');
  svc_buf_text(&b, ", $");
  svc_buf_str(&b, svc_bill_millionths(a, sku->price));
  svc_buf_text(&b, svc_sku_unit_one(sku) ? " an hour for each " : " for each ");
  svc_buf_text(&b, svc_sku_unit_one(sku) ? svc_sku_unit_one(sku) : svc_sku_unit(sku));
  return svc_buf_done(&b);
}

/* Sums are clamped at INT64_MAX. Real usage never comes near it, but a driver may report any number. */
static int64_t bill_add(int64_t a, int64_t b)
{
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int64_t bill_times(int64_t a, int64_t b)
{
  return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

SVC_PRIVATE int64_t svc_bill_price(const svc_meter *meters, size_t count)
{
  int64_t sum = 0;
  size_t i;
  for (i = 0; i < count; i++) {
    const svc_sku *sku = svc_sku_find(meters[i].sku);
    if (sku) sum = bill_add(sum, bill_times(meters[i].quantity, sku->price));
  }
  return sum;
}

/* ---------------------------------------------------------------------------------------------------------------- amounts */

#define BILL_CENT ((int64_t)36000000000000) /* used * price for one cent: a million, 3600 seconds, ten thousand */

/* used * price / BILL_CENT, exact, half upwards; the product itself would overflow. */
static int64_t bill_cents(int64_t used, int64_t price)
{
  int64_t whole = used / BILL_CENT, rest = used % BILL_CENT, thousands = price / 1000, ones = price % 1000;
  int64_t part = rest * thousands, unit = BILL_CENT / 1000;
  return whole * price + part / unit + (part % unit * 1000 + rest * ones + BILL_CENT / 2) / BILL_CENT;
}

SVC_PRIVATE svc_str svc_bill_hours(svc_arena *a, const svc_bill_item *item)
{
  return svc_bill_millionths(a, item->used / 3600 + (item->used % 3600 >= 1800));
}

SVC_PRIVATE bool svc_bill_of_cluster(const svc_bill_item *item)
{
  return item->sku->unit == BILL_MOVED || item->sku->service == BILL_OF_CLUSTERS || item->sku->service == BILL_OF_BACKUP;
}

/* ----------------------------------------------------------------------------------------------------------------- months */

SVC_PRIVATE unsigned svc_bill_month(int64_t when)
{
  char text[21];
  svc_date_text(when, text);
  return (unsigned)(atoi(text) * 100 + atoi(text + 5));
}

SVC_PRIVATE int64_t svc_bill_month_begins(unsigned month)
{
  return svc_day_ms(month * 100 + 1);
}

SVC_PRIVATE unsigned svc_bill_month_after(unsigned month)
{
  return month % 100 == 12 ? month + 89 : month + 1;
}

/* ------------------------------------------------------------------------------------------------------------------ items */

struct svc_bill {
  svc_scan scan;
  int64_t begins, until;
  size_t lines;
  size_t most;    /* maximum lines to read; 0: unlimited */
  bool cut, going; /* cut: `most` lines were read; going: the present top was begun before a cut */
  svc_ledger_line line; /* read but not counted yet */
  bool ahead;
  svc_ledger_line last; /* the last counted line */
  svc_ledger_line first; /* first line of the top whose items are returned now */
  int64_t *used[SVC_SKU_COUNT];      /* usage of each SKU per day; NULL: not seen yet */
  unsigned short met[SVC_SKU_COUNT]; /* the SKUs of the present top, in their order */
  unsigned met_count;
  unsigned day, at; /* the position of the next item */
};

SVC_PRIVATE svc_bill *svc_bill_begin(svc_call *c, const svc_id *org, unsigned month, int64_t until)
{
  svc_bill *b = svc_arena_zero(c->arena, sizeof *b);
  int64_t end = svc_bill_month_begins(svc_bill_month_after(month));
  if (!b) return NULL;
  b->begins = svc_bill_month_begins(month);
  b->until = until < end ? until : end;
  b->day = BILL_DAYS;
  svc_ledger_begin(&b->scan, c->txn, org, month);
  return b;
}

SVC_PRIVATE void svc_bill_of_group(svc_bill *b, const svc_id *group)
{
  svc_key prefix = b->scan.from;
  svc_key_id(&prefix, group);
  svc_scan_below(&b->scan, b->scan.txn, &prefix, false);
}

SVC_PRIVATE size_t svc_bill_lines(const svc_bill *b)
{
  return b->lines;
}

/* The days of a SKU, created for the first line of it. NULL: out of memory. */
static int64_t *bill_row(svc_call *c, svc_bill *b, size_t sku)
{
  unsigned i = b->met_count, k;
  while (i > 0 && b->met[i - 1] > sku) i--;
  if (i > 0 && b->met[i - 1] == sku) return b->used[sku];
  if (!b->used[sku]) b->used[sku] = svc_arena_zero(c->arena, BILL_DAYS * sizeof *b->used[sku]);
  if (!b->used[sku]) return NULL;
  for (k = b->met_count++; k > i; k--) b->met[k] = b->met[k - 1];
  b->met[i] = (unsigned short)sku;
  return b->used[sku];
}

/* Adds a line to the days on which it ran. */
static bool bill_count(svc_call *c, svc_bill *b)
{
  const svc_sku *sku = svc_sku_find(b->line.meter.sku);
  int64_t at = b->line.since, end = b->line.until && b->line.until < b->until ? b->line.until : b->until, *row;
  if (at < b->begins) at = b->begins;
  if (!sku || b->line.meter.quantity <= 0 || at >= end) return true;
  row = bill_row(c, b, (size_t)(sku - bill_skus));
  if (!row) return svc_no_memory(c);
  while (at < end) {
    int64_t day = (at - b->begins) / SVC_DAY_MS, midnight = b->begins + (day + 1) * SVC_DAY_MS;
    int64_t last = midnight < end ? midnight : end;
    row[day] = bill_add(row[day], bill_times(b->line.meter.quantity, last - at));
    at = last;
  }
  return true;
}

static bool bill_same_top(const svc_ledger_line *a, const svc_ledger_line *b)
{
  return svc_id_eq(&a->group, &b->group) && svc_id_eq(&a->top, &b->top);
}

/* Reads and counts all lines of the next top. False: there are no more, the bill was cut, or the error is set. */
static bool bill_gather(svc_call *c, svc_bill *b)
{
  if (!b->going) while (b->met_count) memset(b->used[b->met[--b->met_count]], 0, BILL_DAYS * sizeof *b->used[0]);
  if (!b->ahead) b->ahead = svc_ledger_next(&b->scan, &b->line);
  if (!b->going && !b->ahead) return svc_txn_good(c) && false;
  if (!b->going) b->first = b->line;
  b->going = false;
  while (b->ahead && bill_same_top(&b->line, &b->first)) {
    b->cut = b->most && b->lines >= b->most;
    if (b->cut) return false;
    b->lines++;
    if (!bill_count(c, b)) return false;
    b->last = b->line;
    b->ahead = svc_ledger_next(&b->scan, &b->line);
  }
  b->day = b->at = 0;
  return svc_txn_good(c);
}

/*
** The saved state of a bill that was cut: the line that was counted last, and, if its top may have more lines, the top's
** usage of each SKU per day. A cut bill belongs to a month that is over, so its days do not change in between.
*/
enum { BILL_KEPT_LINE = 12 + 12 + 12 + 8 + 4, BILL_KEPT_ROW = 4 + BILL_DAYS * 8 };

SVC_PRIVATE void svc_bill_bound(svc_bill *b, size_t lines)
{
  b->most = lines;
}

SVC_PRIVATE bool svc_bill_is_cut(const svc_bill *b)
{
  return b->cut;
}

SVC_PRIVATE void svc_bill_keep(const svc_bill *b, svc_buf *out)
{
  uint32_t slot = b->last.slot, sku;
  unsigned i;
  svc_buf_add(out, (const char *)b->last.group.b, 12);
  svc_buf_add(out, (const char *)b->last.top.b, 12);
  svc_buf_add(out, (const char *)b->last.id.b, 12);
  svc_buf_add(out, (const char *)&b->last.since, 8);
  svc_buf_add(out, (const char *)&slot, 4);
  for (i = 0; i < b->met_count; i++) {
    sku = b->met[i];
    svc_buf_add(out, (const char *)&sku, 4);
    svc_buf_add(out, (const char *)b->used[sku], BILL_DAYS * 8);
  }
}

SVC_PRIVATE bool svc_bill_resume(svc_call *c, svc_bill *b, svc_str kept)
{
  svc_key key = b->scan.from;
  uint32_t number;
  int64_t *row;
  if (kept.n < BILL_KEPT_LINE || (kept.n - BILL_KEPT_LINE) % BILL_KEPT_ROW) return false;
  memcpy(b->last.group.b, kept.p, 12);
  memcpy(b->last.top.b, kept.p + 12, 12);
  memcpy(b->last.id.b, kept.p + 24, 12);
  memcpy(&b->last.since, kept.p + 36, 8);
  memcpy(&number, kept.p + 44, 4);
  svc_key_id(&key, &b->last.group);
  svc_key_id(&key, &b->last.top);
  svc_key_id(&key, &b->last.id);
  svc_key_time(&key, b->last.since);
  svc_key_number(&key, number, 1);
  svc_key_behind(&b->scan.from, &key);
  for (kept.p += BILL_KEPT_LINE, kept.n -= BILL_KEPT_LINE; kept.n; kept.p += BILL_KEPT_ROW, kept.n -= BILL_KEPT_ROW) {
    memcpy(&number, kept.p, 4);
    row = number < SVC_SKU_COUNT ? bill_row(c, b, number) : NULL;
    if (!row) return false;
    memcpy(row, kept.p + 4, BILL_DAYS * 8);
  }
  b->going = b->met_count > 0;
  b->first = b->last;
  return true;
}

/* Finds the next item with usage among those that were gathered; false: no more. */
static bool bill_find(svc_bill *b)
{
  for (; b->day < BILL_DAYS; b->day++, b->at = 0)
    for (; b->at < b->met_count; b->at++)
      if (b->used[b->met[b->at]][b->day]) return true;
  return false;
}

SVC_PRIVATE bool svc_bill_next(svc_call *c, svc_bill *b, svc_bill_item *out)
{
  while (!bill_find(b))
    if (!bill_gather(c, b)) return false;
  out->sku = &bill_skus[b->met[b->at]];
  out->group = b->first.group;
  out->top = b->first.top;
  out->group_name = b->first.group_name;
  out->top_name = b->first.top_name;
  out->day = b->begins + b->day * SVC_DAY_MS;
  out->used = b->used[b->met[b->at]][b->day];
  out->cents = bill_cents(out->used, out->sku->price);
  b->at++;
  return true;
}

/* ----------------------------------------------------------------------------------------------- what is still to be paid */

SVC_PRIVATE bool svc_bill_settled(svc_call *c, const svc_id *org)
{
  svc_str id = svc_id_str(c->arena, org);
  unsigned month = svc_bill_month(c->now);
  svc_bill_item item;
  svc_bill *b;
  if (!c->s->seats[SVC_SEAT_BILLS]) return true;
  if (svc_count(c->txn, SVC_BILLS_OWED, org)) return svc_fail(c, SVC_E_CANNOT_DELETE_ORG_FAILED_PAYMENTS, "S", &id);
  if (!c->s->config.no_card) return svc_txn_good(c);
  b = svc_bill_begin(c, org, month, c->now);
  if (!b) return svc_no_memory(c);
  while (svc_bill_next(c, b, &item))
    if (item.cents) return svc_fail(c, SVC_E_FAILED_TO_DELETE_ORG_CHARGE_FAILED, "S", &id);
  return c->error.code == SVC_E_NONE;
}
