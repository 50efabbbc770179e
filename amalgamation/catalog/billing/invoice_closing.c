/*
** Closes invoices and charges them. The sum of an invoice is the sum of its items (bill.c), computed at the end of the
** month, in steps of a limited number of lines, because a month may have any number of them.
*/
#include "catalog/billing/bill.h"

enum {
  INVOICE_STEP = 1024, /* ledger lines per step */
  INVOICE_PAUSE = 10   /* milliseconds between two steps, for other writers */
};

SVC_PRIVATE svc_str svc_invoice_date(svc_arena *a, int64_t when)
{
  char text[21];
  svc_date_text(when, text);
  return svc_arena_copy(a, svc_str_c(text));
}

/* The items of an invoice, whose unique value is its first date. NULL: out of memory, and the error is set. */
SVC_PRIVATE svc_bill *svc_invoice_bill(svc_call *c, const svc_entity *e)
{
  int64_t start = 0;
  svc_bill *b;
  svc_date_parse(e->unique, &start);
  b = svc_bill_begin(c, &e->parent, svc_bill_month(start), c->now);
  if (!b) (void)svc_no_memory(c);
  return b;
}

/* --------------------------------------------------------------------------------------------------------------- charges */

SVC_PRIVATE bool svc_invoice_pays(svc_call *c, const svc_id *org)
{
  return !c->s->config.no_card && svc_count(c->txn, SVC_BILLS_OWED, org) == 0;
}

SVC_PRIVATE bool svc_invoice_refuse(svc_call *c, const svc_id *org, int code)
{
  svc_str whose = svc_id_str(c->arena, org), group = svc_id_str(c->arena, &c->scope.group);
  if (svc_count(c->txn, SVC_BILLS_OWED, org)) return svc_fail(c, SVC_E_ACCOUNT_SUSPENDED, "S", &whose);
  if (code == SVC_E_CANNOT_START_BACKUP_NO_BILLING_INFO) return svc_fail(c, code, "S", &group);
  return svc_fail(c, code ? code : SVC_E_NO_PAYMENT_INFORMATION_FOUND, "S", &whose);
}

static bool invoice_paid(svc_call *c, svc_change *change)
{
  int64_t cents = svc_node_i64(change->body, "amountBilledCents", 0);
  svc_node *payment = svc_node_object(c->arena, NULL);
  svc_id id = svc_new_id_at(c->txn, c->now);
  svc_str now = svc_invoice_date(c->arena, c->now);
  if (!payment) return svc_no_memory(c);
  svc_node_set_i64(c->arena, payment, "amountBilledCents", cents);
  svc_node_set_i64(c->arena, payment, "amountPaidCents", cents);
  svc_node_set_str(c->arena, payment, "created", now);
  svc_node_set_text(c->arena, payment, "currency", "USD");
  svc_node_set_id(c->arena, payment, "id", &id);
  svc_node_set_i64(c->arena, payment, "salesTaxCents", 0);
  svc_node_set_text(c->arena, payment, "statusName", "PAID");
  svc_node_set_i64(c->arena, payment, "subtotalCents", cents);
  svc_node_set_str(c->arena, payment, "updated", now);
  svc_node_append(svc_node_get(change->body, "payments"), payment);
  svc_node_set_i64(c->arena, change->body, "amountPaidCents", cents);
  svc_node_set_text(c->arena, change->body, "statusName", "PAID");
  svc_node_set_str(c->arena, change->body, "updated", now);
  return svc_event_write(c, "CHARGE_SUCCEEDED", &change->entity.scope, NULL, SVC_S(""));
}

/* Charges the card. Without a card, records the debt, and tries again later. */
static bool invoice_charge(svc_call *c, svc_change *change)
{
  const svc_entity *e = &change->entity;
  bool owed = svc_node_is(change->before, "statusName", "CLOSED"), first;
  if (!c->s->config.no_card) {
    if (owed) svc_listed_put(c->txn, &e->parent, SVC_BILLS_OWED, &e->id, false);
    return invoice_paid(c, change);
  }
  svc_change_due(change, SVC_DUE_RUN, c->now + SVC_DAY_MS);
  if (owed) return true;
  first = svc_count(c->txn, SVC_BILLS_OWED, &e->parent) == 0;
  svc_listed_put(c->txn, &e->parent, SVC_BILLS_OWED, &e->id, true);
  svc_node_set_text(c->arena, change->body, "statusName", "CLOSED");
  return svc_event_write(c, "CHARGE_FAILED", &e->scope, NULL, SVC_S("")) &&
         (!first || svc_event_write(c, "ORG_LOCKED", &e->scope, NULL, SVC_S("")));
}

/* --------------------------------------------------------------------------------------------------------------- closing */

/* While an invoice is being closed, its progress is stored next to its JSON: the cents so far, and the state of the bill
** (svc_bill_keep). */
static bool invoice_resume(svc_call *c, const svc_change *change, svc_bill *b, int64_t *cents)
{
  *cents = 0;
  svc_bill_bound(b, INVOICE_STEP);
  if (change->extra.n < sizeof *cents) return true;
  memcpy(cents, change->extra.p, sizeof *cents);
  return svc_bill_resume(c, b, (svc_str){ change->extra.p + sizeof *cents, change->extra.n - sizeof *cents }) || svc_no_memory(c);
}

static bool invoice_pause(svc_call *c, svc_change *change, const svc_bill *b, int64_t cents)
{
  svc_buf kept = svc_buf_new(c->arena, 512);
  svc_buf_add(&kept, (const char *)&cents, sizeof cents);
  svc_bill_keep(b, &kept);
  if (kept.failed) return svc_no_memory(c);
  change->extra = (svc_str){ kept.p, kept.n };
  svc_change_due(change, SVC_DUE_RUN, c->now + INVOICE_PAUSE);
  return true;
}

static bool invoice_close(svc_call *c, svc_change *change)
{
  svc_bill *b = svc_invoice_bill(c, &change->entity);
  svc_bill_item item;
  int64_t cents;
  if (!b || !invoice_resume(c, change, b, &cents)) return false;
  while (svc_bill_next(c, b, &item)) cents += item.cents;
  c->spent += svc_bill_lines(b);
  if (c->error.code) return false;
  if (svc_bill_is_cut(b)) return invoice_pause(c, change, b, cents);
  change->extra = SVC_S("");
  change->event = "INVOICE_CLOSED";
  svc_node_set_i64(c->arena, change->body, "amountBilledCents", cents);
  svc_node_set_i64(c->arena, change->body, "subtotalCents", cents);
  svc_node_set_str(c->arena, change->body, "updated", svc_invoice_date(c->arena, c->now));
  if (cents) return invoice_charge(c, change);
  svc_node_set_text(c->arena, change->body, "statusName", "FREE");
  return true;
}

SVC_PRIVATE bool svc_invoice_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != SVC_DUE_RUN) return true;
  if (svc_node_is(change->before, "statusName", "PENDING")) return invoice_close(c, change);
  return invoice_charge(c, change);
}

SVC_PRIVATE bool svc_invoice_gone(svc_call *c, const svc_entity *e)
{
  if (svc_json_is(e->body, "statusName", "CLOSED"))
    svc_listed_put(c->txn, &e->parent, SVC_BILLS_OWED, &e->id, false);
  return svc_txn_good(c);
}
