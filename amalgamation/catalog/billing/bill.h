/*
** Bills: what is counted and what it costs, and the items that a bill is made of. Shared by invoices, the cost explorer and the
** list of SKUs, so that none can come to another sum.
*/
#ifndef SVC_BILL_H
#define SVC_BILL_H

#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/billing/sku_list.h"

/* The services that SKUs are grouped by, as requests name them. */
SVC_LIST svc_bill_services[] = {
  "Svc", "Clusters", "Storage", "Serverless Instances", "Backup", "Data Transfer", "BI Connector", "DSC Compute", "DSC Storage",
  "Premium Features", "Svc Data Federation", "Svc Stream Processing", "App Services", "Charts", "Cloud Manager",
  "Cloud Manager Standard/Premium", "Legacy Backup", "AI Model APIs", "Automated Embedding", "Native Reranking",
  "Flex Consulting", "Support", "Credits", NULL
};
SVC_LIST svc_bill_providers[] = { "AWS", "GCP", "AZURE", "SVC", NULL };

typedef struct svc_sku {
  const char *id;
  int32_t price; /* millionths of a dollar, for one for an hour */
  unsigned char provider, unit, service; /* numbers of bill.c's own: there are many rows, and few of these */
} svc_sku;
SVC_PRIVATE const char *svc_sku_provider(const svc_sku *sku); /* one of svc_bill_providers */
SVC_PRIVATE const char *svc_sku_unit(const svc_sku *sku);     /* "node hours" */
SVC_PRIVATE const char *svc_sku_unit_one(const svc_sku *sku); /* "node"; NULL: it is moved, not had for a time: "GB" */
SVC_PRIVATE const char *svc_sku_service(const svc_sku *sku);  /* one of svc_bill_services */
SVC_PRIVATE const svc_sku *svc_sku_at(size_t number); /* NULL: there are not so many */
SVC_PRIVATE const svc_sku *svc_sku_find(svc_str id);  /* NULL: there is none */
SVC_PRIVATE svc_str svc_sku_text(svc_arena *a, const svc_sku *sku); /* for people */
SVC_PRIVATE svc_str svc_bill_millionths(svc_arena *a, int64_t value); /* as a decimal number */
SVC_PRIVATE int64_t svc_bill_price(const svc_meter *meters, size_t count); /* of svc_bill_ops */

/* How much of one thing a cluster, or what else lies right below a project, used on one day. */
typedef struct svc_bill_item {
  const svc_sku *sku;
  svc_id group, top;
  svc_str group_name, top_name; /* the store's own */
  int64_t day;   /* its midnight, by which it began */
  int64_t used;  /* millionths of one of it for a second */
  int64_t cents;
} svc_bill_item;
SVC_PRIVATE svc_str svc_bill_hours(svc_arena *a, const svc_bill_item *item); /* what was used, as a decimal number */
SVC_PRIVATE bool svc_bill_of_cluster(const svc_bill_item *item); /* its top is a cluster */

/* The items of a month, in the order of projects, then of what lies below them, then of days. */
typedef struct svc_bill svc_bill;
SVC_PRIVATE svc_bill *svc_bill_begin(svc_call *c, const svc_id *org, unsigned month, int64_t until); /* up to then; NULL: no memory */
SVC_PRIVATE void svc_bill_of_group(svc_bill *b, const svc_id *group); /* of this project alone; before the first of them */
/* So many lines at the most: then there are no more items, it is cut, and goes on with what was kept, in a bill of the same month. */
SVC_PRIVATE void svc_bill_bound(svc_bill *b, size_t lines);
SVC_PRIVATE bool svc_bill_is_cut(const svc_bill *b);
SVC_PRIVATE void svc_bill_keep(const svc_bill *b, svc_buf *out);
SVC_PRIVATE bool svc_bill_resume(svc_call *c, svc_bill *b, svc_str kept); /* false: no memory, or that is none */
SVC_PRIVATE bool svc_bill_next(svc_call *c, svc_bill *b, svc_bill_item *out); /* false: no more, or the error is set */
SVC_PRIVATE size_t svc_bill_lines(const svc_bill *b); /* of the ledger, that were read so far */
SVC_PRIVATE unsigned svc_bill_month(int64_t when);    /* 202506 */
SVC_PRIVATE int64_t svc_bill_month_begins(unsigned month);
SVC_PRIVATE unsigned svc_bill_month_after(unsigned month);

/* Organizations that owe something: lists of their invoices, below the organization. Of nouns no kind has such a letter. */
#define SVC_BILLS_OWED "inv!"
SVC_PRIVATE bool svc_bill_settled(svc_call *c, const svc_id *org); /* it may go; false: 402 */

/* invoice_closing.c: how invoices are closed and paid. */
SVC_PRIVATE svc_str svc_invoice_date(svc_arena *a, int64_t when);
SVC_PRIVATE svc_bill *svc_invoice_bill(svc_call *c, const svc_entity *e); /* its items; NULL: the error is set */
SVC_PRIVATE bool svc_invoice_pays(svc_call *c, const svc_id *org);
SVC_PRIVATE bool svc_invoice_refuse(svc_call *c, const svc_id *org, int code);
SVC_PRIVATE bool svc_invoice_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE bool svc_invoice_gone(svc_call *c, const svc_entity *e);

/* invoice_items.c: what invoices say of their items, in each of their forms. All are sources of the same items. */
#define SVC_BILL_WHOLE ((size_t)4 << 20) /* bytes of items that are given at once, not in pages */
SVC_DECLARE(const svc_object svc_invoice_item)
SVC_DECLARE(const svc_object svc_invoice_query)
SVC_DECLARE(const svc_object svc_invoice_found)
SVC_PRIVATE bool svc_invoice_items(svc_call *c, svc_bill *b, svc_node *body, int64_t *cents); /* lineItems, and their sum */
SVC_PRIVATE bool svc_invoice_csv(svc_call *c, svc_bill *b);    /* answered */
SVC_PRIVATE bool svc_invoice_search(svc_call *c, svc_bill *b); /* answered, as the body of the request asks */

#endif /* SVC_BILL_H */
