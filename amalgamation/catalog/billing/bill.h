/*
** Bills: SKUs and their prices, and the items of a bill. Invoices, the cost explorer and the list of SKUs share them, so
** that all come to the same sums.
*/
#ifndef SVC_BILL_H
#define SVC_BILL_H

#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/billing/sku_list.h"

/* The services that group SKUs, as requests name them. */
SVC_LIST svc_bill_services[] = {
  "Svc", "Clusters", "Storage", "Serverless Instances", "Backup", "Data Transfer", "BI Connector", "DSC Compute", "DSC Storage",
  "Premium Features", "Svc Data Federation", "Svc Stream Processing", "App Services", "Charts", "Cloud Manager",
  "Cloud Manager Standard/Premium", "Legacy Backup", "AI Model APIs", "Automated Embedding", "Native Reranking",
  "Flex Consulting", "Support", "Credits", NULL
};
SVC_LIST svc_bill_providers[] = { "AWS", "GCP", "AZURE", "SVC", NULL };

typedef struct svc_sku {
  const char *id;
  int32_t price; /* millionths of a dollar per unit and hour */
  unsigned char provider, unit, service; /* enum values of bill.c */
} svc_sku;
SVC_PRIVATE const char *svc_sku_provider(const svc_sku *sku); /* one of svc_bill_providers */
SVC_PRIVATE const char *svc_sku_unit(const svc_sku *sku);     /* "node hours" */
SVC_PRIVATE const char *svc_sku_unit_one(const svc_sku *sku); /* "node"; NULL: the unit is an amount, such as "GB", and not something
                                                                 used for a time */
SVC_PRIVATE const char *svc_sku_service(const svc_sku *sku);  /* one of svc_bill_services */
SVC_PRIVATE const svc_sku *svc_sku_at(size_t number); /* NULL: the number is too great */
SVC_PRIVATE const svc_sku *svc_sku_find(svc_str id);  /* NULL: unknown id */
SVC_PRIVATE svc_str svc_sku_text(svc_arena *a, const svc_sku *sku); /* a description for people */
SVC_PRIVATE svc_str svc_bill_millionths(svc_arena *a, int64_t value); /* as a decimal number */
SVC_PRIVATE int64_t svc_bill_price(const svc_meter *meters, size_t count); /* the `price` of svc_bill_ops */

/* Usage of one SKU on one day, by a cluster or by another resource directly below a project. */
typedef struct svc_bill_item {
  const svc_sku *sku;
  svc_id group, top;
  svc_str group_name, top_name; /* pointers into the store */
  int64_t day;   /* midnight at which the day began */
  int64_t used;  /* millionths of a unit times a second */
  int64_t cents;
} svc_bill_item;
SVC_PRIVATE svc_str svc_bill_hours(svc_arena *a, const svc_bill_item *item); /* the usage, as a decimal number */
SVC_PRIVATE bool svc_bill_of_cluster(const svc_bill_item *item); /* whether its top is a cluster */

/* The items of a month, ordered by project, then by the resource below it, then by day. */
typedef struct svc_bill svc_bill;
SVC_PRIVATE svc_bill *svc_bill_begin(svc_call *c, const svc_id *org, unsigned month, int64_t until); /* up to then; NULL: out of memory */
SVC_PRIVATE void svc_bill_of_group(svc_bill *b, const svc_id *group); /* only of this project; call before the first item */
/* svc_bill_bound() limits the number of ledger lines: after that many the bill is cut and returns no more items. svc_bill_keep()
** saves its state, and svc_bill_resume() continues with it in a bill of the same month. */
SVC_PRIVATE void svc_bill_bound(svc_bill *b, size_t lines);
SVC_PRIVATE bool svc_bill_is_cut(const svc_bill *b);
SVC_PRIVATE void svc_bill_keep(const svc_bill *b, svc_buf *out);
SVC_PRIVATE bool svc_bill_resume(svc_call *c, svc_bill *b, svc_str kept); /* false: out of memory, or the saved state is invalid */
SVC_PRIVATE bool svc_bill_next(svc_call *c, svc_bill *b, svc_bill_item *out); /* false: no more, or the error is set */
SVC_PRIVATE size_t svc_bill_lines(const svc_bill *b); /* number of ledger lines read so far */
SVC_PRIVATE unsigned svc_bill_month(int64_t when);    /* 202506 */
SVC_PRIVATE int64_t svc_bill_month_begins(unsigned month);
SVC_PRIVATE unsigned svc_bill_month_after(unsigned month);

/* Lists of unpaid invoices, below their organization. No noun's kind contains this punctuation character. */
#define SVC_BILLS_OWED "inv!"
SVC_PRIVATE bool svc_bill_settled(svc_call *c, const svc_id *org); /* whether the organization may be deleted; false: 402 */

/* invoice_closing.c: closes and charges invoices. */
SVC_PRIVATE svc_str svc_invoice_date(svc_arena *a, int64_t when);
SVC_PRIVATE svc_bill *svc_invoice_bill(svc_call *c, const svc_entity *e); /* the items of an invoice; NULL: the error is set */
SVC_PRIVATE bool svc_invoice_pays(svc_call *c, const svc_id *org);
SVC_PRIVATE bool svc_invoice_refuse(svc_call *c, const svc_id *org, int code);
SVC_PRIVATE bool svc_invoice_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE bool svc_invoice_gone(svc_call *c, const svc_entity *e);

/* invoice_items.c: the items of invoices in each of their forms, all from the same bill. */
#define SVC_BILL_WHOLE ((size_t)4 << 20) /* maximum bytes of items in an answer without pages */
SVC_DECLARE(const svc_object svc_invoice_item)
SVC_DECLARE(const svc_object svc_invoice_query)
SVC_DECLARE(const svc_object svc_invoice_found)
SVC_PRIVATE bool svc_invoice_items(svc_call *c, svc_bill *b, svc_node *body, int64_t *cents); /* lineItems, and their sum */
SVC_PRIVATE bool svc_invoice_csv(svc_call *c, svc_bill *b);    /* writes the answer */
SVC_PRIVATE bool svc_invoice_search(svc_call *c, svc_bill *b); /* writes the answer to the query in the request's body */

#endif /* SVC_BILL_H */
