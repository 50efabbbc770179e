/*
** Invoices: the usage of a month in all formats, how invoices close and are paid, and the consequences of failed
** payments.
**
** Tests also: cluster_transfer
*/
#include "damaged.h"
#include "driver.h"
#include "mechanism/probe.h"
#include "catalog/billing/bill.h"
#include "needs.h"

T_NEEDS(invoice) = {
  /* a new organization has no invoice before it has a resource such as a cluster */
  T_FIRST(SVC_GET, "/orgs/{orgId}/invoices/pending", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_FIRST(SVC_GET, "/orgs/{orgId}/invoices/{invoiceId}", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_FIRST(SVC_GET, "/orgs/{orgId}/invoices/{invoiceId}/csv", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_FIRST(SVC_GET, "/orgs/{orgId}/invoices/{invoiceId}/lineItems:search", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_NEEDS_END
};

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

/* Creates another organization with a project. */
static void invoice_open_again(t_place *w, const char *name)
{
  w->org = t_organization(&w->t, name);
  w->group = t_project(&w->t, w->org, "beta");
}

static int invoice_at(t_place *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s%s", w->group, path);
}

static int invoice_get(t_place *w, const char *path, const char *body)
{
  return t_sendf(&w->t, "GET", body, "/orgs/%s/invoices%s", w->org, path);
}

/* Returns the sum of a field over all elements of an array; dollars in cents. */
static int64_t invoice_sum(t_service *t, const char *list, const char *field)
{
  const svc_node *all = t_node(t, list), *one;
  int64_t sum = 0, value;
  double dollars;
  munit_assert_not_null(all);
  for (one = all->first; one; one = one->next) {
    const svc_node *f = svc_node_get(one, field);
    munit_assert_not_null(f);
    if (strcmp(field, "usageAmount") != 0) munit_assert_true(svc_str_i64(f->text, &value));
    else {
      munit_assert_true(svc_json_number_double(f->text, &dollars));
      value = (int64_t)(dollars * 100 + 0.5);
    }
    sum += value;
  }
  return sum;
}

/* -------------------------------------------------------------------------------------------------------------- a month */

#define HOUR 3600
#define DAY 86400

TEST(invoice, month)
{
  char path[64];
  const char *id;
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_get(&w, "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].subtotalCents"), ==, 0);
  munit_assert_size(t_count(&w.t, "results[0].lineItems"), ==, 0); /* no time has passed */
  id = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  snprintf(path, sizeof path, "/%s", id);

  t_advance(&w.t, 12 * HOUR);
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M20")), ==, 200);
  t_advance(&w.t, DAY);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "statusName"), "PENDING");
  munit_assert_string_equal(t_str(&w.t, "startDate"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "endDate"), "2025-07-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  munit_assert_size(t_count(&w.t, "lineItems"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].sku"), "INSTANCE_AWS_M10");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].quantity"), "36"); /* three nodes for twelve hours */
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].unit"), "node hours");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].unitPriceDollars"), "0.027");
  munit_assert_int64(t_int(&w.t, "lineItems[0].totalPriceCents"), ==, 97); /* 97.2 */
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].clusterName"), "Main");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].groupName"), "alpha");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].cloudProvider"), "AWS");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].startDate"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].endDate"), "2025-06-02T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "lineItems[1].sku"), "INSTANCE_AWS_M20");
  munit_assert_int64(t_int(&w.t, "lineItems[1].totalPriceCents"), ==, 241); /* 241.2 */
  munit_assert_string_equal(t_str(&w.t, "lineItems[2].startDate"), "2025-06-02T00:00:00Z");
  munit_assert_int64(t_int(&w.t, "subtotalCents"), ==, 97 + 241 + 241);
  munit_assert_int64(t_int(&w.t, "amountPaidCents"), ==, 0);

  munit_assert_int(invoice_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(invoice_at(&w, "DELETE", "", NULL), ==, 202); /* deleted resources still have to be paid, under their name */
  w.t.now = svc_day_ms(20250701);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "statusName"), "PAID");
  munit_assert_int64(t_int(&w.t, "subtotalCents"), ==, 579);
  munit_assert_int64(t_int(&w.t, "amountBilledCents"), ==, 579);
  munit_assert_int64(t_int(&w.t, "amountPaidCents"), ==, 579);
  munit_assert_int64(invoice_sum(&w.t, "lineItems", "totalPriceCents"), ==, 579);
  munit_assert_string_equal(t_str(&w.t, "lineItems[0].groupName"), "alpha");
  munit_assert_size(t_count(&w.t, "payments"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "payments[0].statusName"), "PAID");
  munit_assert_int64(t_int(&w.t, "payments[0].amountPaidCents"), ==, 579);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=INVOICE_CLOSED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=CHARGE_SUCCEEDED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0); /* no due step is left */
  munit_assert_int(invoice_get(&w, "/none", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_INVOICE_ID");
  munit_assert_int(invoice_get(&w, "/5f0000000000000000000000", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "INVOICE_NOT_FOUND");
  munit_assert_int(invoice_get(&w, "/5f0000000000000000000000/csv", NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", w.org), ==, 204); /* everything is paid */
  munit_assert_size(probe_records(w.t.s, "einvo"), ==, 0);
  t_close(&w.t);
}

/* A cluster that changes every minute costs as much as one that does not: each day is rounded once. */
TEST(invoice, flapping)
{
  t_place w;
  int i;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  for (i = 0; i < 120; i++) {
    t_advance(&w.t, 60);
    munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", i % 2 ? PROBE_RESIZE("M10") : PROBE_RESIZE("M20")), ==, 200);
  }
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results[0].lineItems"), ==, 2);
  munit_assert_int64(t_int(&w.t, "results[0].subtotalCents"), ==, 8 + 20); /* an hour of each size: 8.1 and 20.1 */
  t_close(&w.t);
}

/* A free cluster, and its invoice. */
#define SHARED(name) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\"," \
                     "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}"

TEST(invoice, free)
{
  char path[96];
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", SHARED("Shared")), ==, 201);
  w.t.now = svc_day_ms(20250801);
  munit_assert_int(invoice_get(&w, "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].statusName"), "PENDING"); /* the newest first */
  munit_assert_string_equal(t_str(&w.t, "results[1].statusName"), "FREE");
  munit_assert_string_equal(t_str(&w.t, "results[2].statusName"), "FREE");
  munit_assert_string_equal(t_str(&w.t, "results[2].startDate"), "2025-06-01T00:00:00Z");
  munit_assert_null(t_node(&w.t, "results[2].lineItems"));
  munit_assert_null(t_node(&w.t, "results[2].payments"));
  snprintf(path, sizeof path, "/%s/lineItems:search", t_str(&w.t, "results[2].id"));
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0); /* lines of zero cents are shown only on request */
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"includeZeroCentLineItems\":true}}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 30);
  munit_assert_string_equal(t_str(&w.t, "results[0].cloudProvider"), "SVC");

  munit_assert_int(invoice_get(&w, "?orderBy=asc", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].startDate"), "2025-06-01T00:00:00Z");
  munit_assert_int(invoice_get(&w, "?statusNames=FREE&sortBy=START_DATE&viewLinkedInvoices=false", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(invoice_get(&w, "?statusNames=FREE&statusNames=PENDING", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_int(invoice_get(&w, "?statusNames=LOST", NULL), ==, 400);
  munit_assert_int(invoice_get(&w, "?fromDate=2025-07-01", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(invoice_get(&w, "?toDate=2025-08-01", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(invoice_get(&w, "?fromDate=2025-07-01&toDate=2025-08-01", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(invoice_get(&w, "?fromDate=June", NULL), ==, 400);
  munit_assert_int(invoice_get(&w, "?itemsPerPage=1&pageNum=2", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].startDate"), "2025-07-01T00:00:00Z");
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------------- search */

TEST(invoice, search)
{
  char path[96], body[256], csv[96];
  const char *main_id, *beta, *at;
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  main_id = t_keep(&w.t, t_str(&w.t, "id"));
  beta = t_project(&w.t, w.org, "+beta");
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Big", "M30"), "/groups/%s/clusters", beta), ==, 201);
  t_advance(&w.t, 3 * DAY);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  snprintf(path, sizeof path, "/%s/lineItems:search", t_str(&w.t, "results[0].id"));
  snprintf(csv, sizeof csv, "/%s/csv", t_str(&w.t, "results[0].id"));
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 6);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Main");
  munit_assert_string_equal(t_str(&w.t, "results[0].description"), "INSTANCE_AWS_M10");
  munit_assert_string_equal(t_str(&w.t, "results[0].usageDate"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[0].billDate"), "2025-06-02T00:00:00Z");
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"TOTAL_PRICE_CENTS\",\"sortOrder\":\"DESCENDING\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Big");
  munit_assert_string_equal(t_str(&w.t, "results[0].usageDate"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[5].clusterName"), "Main");
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"USAGE_DATES\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Main");
  munit_assert_string_equal(t_str(&w.t, "results[1].clusterName"), "Big");
  munit_assert_string_equal(t_str(&w.t, "results[5].usageDate"), "2025-06-03T00:00:00Z");
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"BILL_DATES\",\"sortOrder\":\"DESCENDING\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].usageDate"), "2025-06-03T00:00:00Z");
  snprintf(body, sizeof body, "{\"filters\":{\"clusterIds\":[\"%s\"]}}", main_id);
  munit_assert_int(invoice_get(&w, path, body), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  snprintf(body, sizeof body, "{\"filters\":{\"groupIds\":[\"%s\"],\"usageStartDate\":\"2025-06-02\",\"usageEndDate\":\"2025-06-02\"}}", beta);
  munit_assert_int(invoice_get(&w, path, body), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), beta);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"billStartDate\":\"2025-06-03\",\"billEndDate\":\"2025-06-03\"}}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"skuServices\":[\"Backup\"]}}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"skuServices\":[\"Backup\",\"Clusters\"]},\"sortField\":\"USAGE_DATES\"}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 6);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"skuServices\":[\"Nothing\"]}}"), ==, 400);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"usageEndDate\":\"today\"}}"), ==, 400);
  munit_assert_int(invoice_get(&w, path, "{\"sort\":1}"), ==, 400);
  munit_assert_int(invoice_get(&w, path, "{"), ==, 400);
  snprintf(path + strlen(path), sizeof path - strlen(path), "?itemsPerPage=4&pageNum=2");
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"USAGE_DATES\"}"), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 2);

  munit_assert_int(invoice_get(&w, csv, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-01-01+csv");
  at = strchr(w.t.response.body, '\n') + 1;
  munit_assert_memory_equal(11, at, "2025-06-01,");
  munit_assert_not_null(strstr(at, ",\"alpha\",\"Main\",Clusters,AWS,INSTANCE_AWS_M10,72,node hours,0.027,1.94\r\n"));
  munit_assert_not_null(strstr(at, ",\"'+beta\",\"Big\",")); /* a spreadsheet reads no formula */
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------- many lines */

typedef struct invoice_job {
  svc_job job; /* first: jobs are cast to this struct */
  svc *s;
  svc_id org, group;
  unsigned count, from; /* number of clusters, and their first id */
  bool flaps; /* a single cluster changes its size each minute, `count` times, instead of `count` clusters */
} invoice_job;

/* Starts the costs of `count` clusters, without creating the clusters. */
static bool invoice_work(svc_job *job, svc_txn *txn)
{
  invoice_job *work = (invoice_job *)job;
  const svc_noun_info *noun = svc_noun_named(work->s, "cluster");
  svc_arena arena;
  svc_entity e;
  svc_node *body;
  svc_call c;
  bool good = true;
  unsigned i;
  svc_service_call(&c, work->s, &arena, txn, job->now);
  body = svc_json_parse(&arena, SVC_S(PROBE_CLUSTER("Main", "M10")));
  memset(&e, 0, sizeof e);
  e.kind = noun->noun->kind;
  e.unique = SVC_S("Main");
  e.scope.org = work->org;
  e.scope.group = work->group;
  for (i = 1; i <= work->count && good; i++) {
    e.id = t_id(work->from + (work->flaps ? 1 : i));
    if (work->flaps) body = svc_json_parse(&arena, i % 2 ? SVC_S(PROBE_CLUSTER("Main", "M10")) : SVC_S(PROBE_CLUSTER("Main", "M20")));
    if (work->flaps) c.now += 60000;
    good = svc_meter_note(&c, noun, &e, body);
  }
  svc_blocks_free(arena.blocks);
  return good;
}

/* The sum is calculated in steps, and a single answer does not have all lines. */
TEST(invoice, steps)
{
  enum { CLUSTERS = 5000, CENTS = 194 }; /* per cluster and day: 194.4 */
  char path[96];
  t_place w;
  invoice_job work;
  const char *id;
  int steps;
  t_place_open(&w, &quiet, "alpha", NULL);
  memset(&work, 0, sizeof work);
  work.job.work = invoice_work;
  work.job.now = w.t.now;
  work.s = w.t.s;
  work.count = CLUSTERS;
  munit_assert_true(svc_id_parse(svc_str_c(w.org), &work.org) && svc_id_parse(svc_str_c(w.group), &work.group));
  munit_assert_int(svc_commit_run(&w.t.s->commit, &work.job), ==, SVC_OK);
  w.t.now = svc_day_ms(20250701);
  for (steps = 0; steps < 100; steps++, w.t.now += 10) { /* the sum is the same while the steps run */
    munit_assert_int(invoice_get(&w, "?orderBy=asc", NULL), ==, 200);
    munit_assert_int64(t_int(&w.t, "results[0].subtotalCents"), ==, (int64_t)CLUSTERS * CENTS * 30);
    if (strcmp(t_str(&w.t, "results[0].statusName"), "PAID") == 0) break;
    munit_assert_string_equal(t_str(&w.t, "results[0].statusName"), "PENDING");
  }
  munit_assert_int(steps, ==, 4); /* 1024 lines per step, except the last */
  id = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  snprintf(path, sizeof path, "/%s", id);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "lineItems"), ==, 0); /* too many lines for one answer: none are shown */
  snprintf(path, sizeof path, "/%s/csv", id);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_REQUEST");
  snprintf(path, sizeof path, "/%s/lineItems:search?itemsPerPage=500&pageNum=300", id);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, (int64_t)CLUSTERS * 30);
  munit_assert_int64(invoice_sum(&w.t, "results", "totalPriceCents"), ==, (int64_t)500 * CENTS);
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"USAGE_DATES\"}"), ==, 400);
  munit_assert_int(invoice_get(&w, path, "{\"sortField\":\"USAGE_DATES\",\"filters\":{\"usageEndDate\":\"2025-06-01\"}}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, CLUSTERS);
  t_close(&w.t);
}

static void invoice_lines(t_place *w, const char *org, unsigned from, unsigned count, bool flaps)
{
  invoice_job work;
  memset(&work, 0, sizeof work);
  work.job.work = invoice_work;
  work.job.now = w->t.now;
  work.s = w->t.s;
  work.from = from;
  work.count = count;
  work.flaps = flaps;
  munit_assert_true(svc_id_parse(svc_str_c(org), &work.org) && svc_id_parse(svc_str_c(w->group), &work.group));
  munit_assert_int(svc_commit_run(&w->t.s->commit, &work.job), ==, SVC_OK);
}

/* The number of records that one transaction reads is limited, and does not grow with the lines of one cluster or the months that
** end at once. */
TEST(invoice, bounded)
{
  enum { FLAPS = 8000, ORGS = 20, LINES = 500, MOST = 2500 };
  char name[16];
  svc_config config = quiet;
  t_place w;
  int64_t cents;
  int steps, i;
  config.store = t_counting_port();
  t_place_open(&w, &config, "alpha", NULL);
  invoice_lines(&w, w.org, 0, FLAPS, true);
  for (i = 0; i < ORGS; i++) {
    snprintf(name, sizeof name, "O%d", i);
    invoice_lines(&w, t_organization(&w.t, name), 10000 + (unsigned)i * LINES, LINES, false);
  }
  w.t.now = svc_day_ms(20250701) - 1;
  munit_assert_int(invoice_get(&w, "", NULL), ==, 200);
  cents = t_int(&w.t, "results[0].subtotalCents");
  munit_assert_int64(cents, >, 10000);
  w.t.now++;
  t_reads_taken();
  for (steps = 0; steps < 100; steps++, w.t.now += 10) {
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    munit_assert_long(t_reads_taken().most, <, MOST);
    munit_assert_int(invoice_get(&w, "?orderBy=asc", NULL), ==, 200);
    t_reads_taken();
    if (strcmp(t_str(&w.t, "results[0].statusName"), "PAID") == 0) break;
  }
  munit_assert_int(steps, >=, FLAPS / 1024); /* the lines of a single cluster are read in steps, too */
  munit_assert_int(steps, <, 20);
  munit_assert_int64(t_int(&w.t, "results[0].amountBilledCents"), ==, cents);
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------ no payment */

static const char *invoice_refused(t_place *w, const char *method, const char *path, const char *body)
{
  munit_assert_int(invoice_at(w, method, path, body), ==, 402);
  munit_assert_string_equal(t_param(&w->t, 0), w->org);
  return t_error(&w->t);
}

#define FLEX(name) "{\"name\":\"" name "\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}"
#define SNAPSHOT "{\"description\":\"now\",\"retentionInDays\":3}"

TEST(invoice, no_card)
{
  static const char *const no_card = "NO_PAYMENT_INFORMATION_FOUND", *const locked = "ACCOUNT_SUSPENDED";
  char folder[128], body[96], path[64], endpoint[96];
  svc_config config = quiet;
  const char *other;
  t_place w;
  size_t events;
  store_folder(folder);
  config.path = folder;
  t_place_open(&w, &config, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M20")), ==, 201);
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"backupEnabled\":true}"), ==, 200);
  munit_assert_int(invoice_at(&w, "POST", "/privateEndpoint/endpointService", "{\"providerName\":\"AWS\",\"region\":\"US_EAST_1\"}"), ==, 201);
  snprintf(endpoint, sizeof endpoint, "/privateEndpoint/AWS/endpointService/%s/endpoint", t_str(&w.t, "id"));
  t_advance(&w.t, DAY);
  other = t_organization(&w.t, "Other");
  {
    /* ids that outlive the handle */
    static char org[32], group[32], others[32];
    snprintf(org, sizeof org, "%s", w.org);
    snprintf(group, sizeof group, "%s", w.group);
    snprintf(others, sizeof others, "%s", other);
    w.org = org;
    w.group = group;
    other = others;
  }
  config.no_card = 1;
  t_reopen(&w.t, &config);
  events = probe_records(w.t.s, "eevnt");
  munit_assert_string_equal(invoice_refused(&w, "POST", "/clusters", PROBE_CLUSTER("More", "M10")), no_card);
  munit_assert_string_equal(invoice_refused(&w, "POST", "/flexClusters", FLEX("More")), no_card);
  munit_assert_string_equal(invoice_refused(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M30")), no_card);
  munit_assert_string_equal(invoice_refused(&w, "POST", endpoint, "{\"cloudProvider\":\"AWS\",\"id\":\"vpce-0123456789abcdef0\"}"), no_card);
  munit_assert_int(invoice_at(&w, "POST", "/clusters/Main/backup/snapshots", SNAPSHOT), ==, 402);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_START_BACKUP_NO_BILLING_INFO");
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(invoice_at(&w, "POST", ":migrate", body), ==, 402); /* the other organization cannot pay for the project */
  munit_assert_string_equal(t_error(&w.t), no_card);
  munit_assert_string_equal(t_param(&w.t, 0), other);
  munit_assert_size(probe_records(w.t.s, "eevnt"), ==, events); /* none of these changes happened */
  munit_assert_int(invoice_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", SHARED("Shared")), ==, 201); /* a free cluster needs no card */
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M10")), ==, 200); /* nor does a smaller size */
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200);
  munit_assert_int(invoice_at(&w, "GET", "/clusters/Main", NULL), ==, 200);

  w.t.now = svc_day_ms(20250701);
  munit_assert_int(invoice_get(&w, "?statusNames=CLOSED", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int64(t_int(&w.t, "results[0].amountPaidCents"), ==, 0);
  munit_assert_int64(t_int(&w.t, "results[0].amountBilledCents"), >, 0);
  snprintf(path, sizeof path, "/%s", t_str(&w.t, "results[0].id"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=CHARGE_FAILED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=ORG_LOCKED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(invoice_refused(&w, "POST", "/clusters", PROBE_CLUSTER("More", "M10")), locked);
  munit_assert_string_equal(invoice_refused(&w, "POST", "/flexClusters", FLEX("More")), locked);
  munit_assert_string_equal(invoice_refused(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M20")), locked);
  munit_assert_string_equal(invoice_refused(&w, "POST", "/clusters/Main/backup/snapshots", SNAPSHOT), locked);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", w.org), ==, 402);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_DELETE_ORG_FAILED_PAYMENTS");
  munit_assert_int(invoice_at(&w, "GET", "/clusters", NULL), ==, 200); /* still allowed: read, pause, delete, and free changes */
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"paused\":true}"), ==, 200);
  munit_assert_string_equal(invoice_refused(&w, "PATCH", "/clusters/Main", "{\"paused\":false}"), locked);
  munit_assert_int(invoice_at(&w, "DELETE", "/clusters/Shared", NULL), ==, 202);
  store_whole(w.t.s);

  t_advance(&w.t, 3 * DAY); /* a retry each day, and one event */
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "statusName"), "CLOSED");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=CHARGE_FAILED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=ORG_LOCKED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);

  config.no_card = 0; /* the new card is charged within a day */
  t_reopen(&w.t, &config);
  munit_assert_string_equal(invoice_refused(&w, "POST", "/clusters", PROBE_CLUSTER("More", "M10")), locked);
  t_advance(&w.t, DAY);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "statusName"), "PAID");
  munit_assert_int64(t_int(&w.t, "amountPaidCents"), ==, t_int(&w.t, "amountBilledCents"));
  munit_assert_int64(invoice_sum(&w.t, "lineItems", "totalPriceCents"), ==, t_int(&w.t, "amountBilledCents"));
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("More", "M10")), ==, 201);
  t_close(&w.t);
  store_remove(folder);
}

/* An organization is deleted only if its last charge succeeds. */
TEST(invoice, last_charge)
{
  char folder[128], org[32];
  svc_config config = quiet;
  t_place w;
  store_folder(folder);
  config.path = folder;
  t_place_open(&w, &config, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M20")), ==, 201);
  t_advance(&w.t, DAY);
  munit_assert_int(invoice_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(invoice_at(&w, "DELETE", "", NULL), ==, 202);
  snprintf(org, sizeof org, "%s", w.org);
  config.no_card = 1;
  t_reopen(&w.t, &config);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", org), ==, 402);
  munit_assert_string_equal(t_error(&w.t), "FAILED_TO_DELETE_ORG_CHARGE_FAILED");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s", org), ==, 200);
  config.no_card = 0;
  t_reopen(&w.t, &config);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", org), ==, 204);

  invoice_open_again(&w, "Small"); /* less than a cent needs no card */
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  w.t.now += 100;
  munit_assert_int(invoice_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(invoice_at(&w, "DELETE", "", NULL), ==, 202);
  snprintf(org, sizeof org, "%s", w.org);
  config.no_card = 1;
  t_reopen(&w.t, &config);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  t_close(&w.t);
  store_remove(folder);
}

/* --------------------------------------------------------------------------------------------------------------- damage */

/* A damaged invoice without an end date is not listed. A damaged invoice that seems unpaid is deleted with its organization. */
TEST(invoice, damaged)
{
  const char *first;
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  w.t.now = svc_day_ms(20250702);
  munit_assert_int(invoice_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202);
  w.t.now = svc_day_ms(20250802);
  munit_assert_int(invoice_get(&w, "?orderBy=asc", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].startDate"), "2025-06-01T00:00:00Z");
  first = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  munit_assert_int(invoice_get(&w, "?orderBy=desc", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].startDate"), "2025-07-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[1].id"), first);

  damaged_body(&w.t, "invoice", w.org, first, "\"endDate\":\"2025-07-01T00:00:00Z\"", "\"endDate\":\"\"");
  munit_assert_int(invoice_get(&w, "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].startDate"), "2025-07-01T00:00:00Z");
  damaged_body(&w.t, "invoice", w.org, first, "\"statusName\":\"PAID\"", "\"statusName\":\"CLOSED\"");
  munit_assert_int(invoice_at(&w, "DELETE", "", NULL), ==, 202);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s", w.org), ==, 204);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s", w.org), ==, 404);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_close(&w.t);
}

/* A damaged partial sum, with an unknown SKU or of a wrong length: the calculation stops, and the invoice stays open. */
TEST(invoice, damaged_sum)
{
  static const uint32_t none = UINT32_MAX;
  static const char zeros[64] = "";
  t_place w;
  int i, k;
  for (k = 0; k < 3; k++) {
    t_place_open(&w, &quiet, "alpha", NULL);
    invoice_lines(&w, w.org, 0, 3000, true);
    w.t.now = svc_day_ms(20250701);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK); /* the first step */
    if (k == 0) damaged_bytes(&w.t, "invoice", w.org, NULL, 8 + 48, (svc_str){ (const char *)&none, sizeof none });
    else damaged_extra(&w.t, "invoice", w.org, NULL, (svc_str){ zeros, k == 1 ? 8 + 40 : 8 + 48 + 3 });
    for (i = 0; i < 5; i++) {
      w.t.now += 10;
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
      if (i == 0) munit_assert_not_null(strstr(w.t.log, "a due step cannot be applied and is dropped"));
      munit_assert_int(invoice_get(&w, "?orderBy=asc", NULL), ==, 200);
      munit_assert_string_equal(t_str(&w.t, "results[0].statusName"), "PENDING");
    }
    t_close(&w.t);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- transfer */

/* The transfer that a driver reports for a cluster holds until the next report. The driver is asked each hour. */
TEST(invoice, transfer)
{
  t_driver d;
  svc_config config = quiet;
  t_place w;
  char path[96];
  const char *id;
  int orders;
  config.driver = t_driver_init(&d);
  t_place_open(&w, &config, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  t_driver_refused(&d, w.t.s, "cluster.create", "{\"transfer\":{\"sameRegion\":2000,\"differentRegion\":-5}}");
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, "{\"transfer\":{\"sameRegion\":2000,\"differentRegion\":0,\"internet\":500}}");
  t_driver_finish(&d, w.t.s, "cluster.measure", SVC_OK, NULL); /* the driver is asked from its first report on */
  munit_assert_not_null(strstr(t_driver_order(&d, "")->desired, "\"clusterName\":\"Main\""));
  t_advance(&w.t, HOUR - 1);
  orders = d.orders;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(d.orders, ==, orders);
  t_advance(&w.t, 1);
  t_driver_finish(&d, w.t.s, "cluster.measure", SVC_OK, "{\"transfer\":{\"internet\":1500}}");
  t_advance(&w.t, HOUR);
  t_driver_refused(&d, w.t.s, "cluster.measure", "{\"dataSizeBytes\":1}");
  t_driver_finish(&d, w.t.s, "cluster.measure", SVC_OK, "{}"); /* without a report the transfer is unchanged */
  t_advance(&w.t, HOUR);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  id = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  munit_assert_size(t_count(&w.t, "results[0].lineItems"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[0].sku"), "DATA_TRANSFER_AWS_INTERNET");
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[0].quantity"), "3.5"); /* half a gigabyte, then twice one and a half */
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[0].unit"), "GB");
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[0].clusterName"), "Main");
  munit_assert_int64(t_int(&w.t, "results[0].lineItems[0].totalPriceCents"), ==, 32); /* 31.5 */
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[1].sku"), "DATA_TRANSFER_AWS_SAME_REGION");
  munit_assert_string_equal(t_str(&w.t, "results[0].lineItems[1].quantity"), "2");
  munit_assert_int64(t_int(&w.t, "results[0].lineItems[1].totalPriceCents"), ==, 2);
  snprintf(path, sizeof path, "/%s/csv", id);
  munit_assert_int(invoice_get(&w, path, NULL), ==, 200);
  munit_assert_not_null(strstr(w.t.response.body, ",\"alpha\",\"Main\",Data Transfer,AWS,DATA_TRANSFER_AWS_INTERNET,3.5,GB,0.09,0.32\r\n"));
  snprintf(path, sizeof path, "/%s/lineItems:search", id);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"skuServices\":[\"Data Transfer\"]}}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int64(invoice_sum(&w.t, "results", "totalPriceCents"), ==, 34);
  t_driver_refused(&d, w.t.s, "cluster.measure", "{\"transfer\":1500}");
  t_driver_finish(&d, w.t.s, "cluster.measure", SVC_OK, NULL); /* without facts the transfer is unchanged */
  /* a paused cluster transfers nothing, and the driver is not asked */
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"paused\":true}"), ==, 200);
  t_driver_finish(&d, w.t.s, "cluster.update", SVC_OK, NULL);
  t_advance(&w.t, 10 * HOUR);
  orders = d.orders;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(d.orders, ==, orders);
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"skuServices\":[\"Data Transfer\"]}}"), ==, 200);
  munit_assert_int64(invoice_sum(&w.t, "results", "totalPriceCents"), ==, 34);
  t_close(&w.t);
}

/* Simulated transfer: an empty cluster sends nothing. Sample data causes some transfer, but not while the cluster is paused. */
TEST(invoice, transfer_simulated)
{
  t_place w;
  char path[96];
  int64_t cents;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  t_advance(&w.t, HOUR);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  snprintf(path, sizeof path, "/%s/lineItems:search", t_str(&w.t, "results[0].id"));
  munit_assert_size(t_count(&w.t, "results[0].lineItems"), ==, 1);
  munit_assert_int(invoice_at(&w, "POST", "/sampleDatasetLoad/Main", NULL), ==, 201);
  t_advance(&w.t, HOUR);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 20 * HOUR);
  munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].clusters[0].dataSizeBytes"), ==, 400320326);
#define MOVED "{\"filters\":{\"skuServices\":[\"Data Transfer\"]}}"
  munit_assert_int(invoice_get(&w, path, MOVED), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2); /* all hosts are in one region */
  cents = invoice_sum(&w.t, "results", "totalPriceCents");
  munit_assert_int64(cents, >, 0);
  munit_assert_int64(cents, <, 1000);
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"paused\":true}"), ==, 200);
  t_advance(&w.t, 3 * HOUR);
  munit_assert_int(invoice_get(&w, path, MOVED), ==, 200);
  munit_assert_int64(invoice_sum(&w.t, "results", "totalPriceCents"), ==, cents);
  munit_assert_int(invoice_at(&w, "PATCH", "/clusters/Main", "{\"paused\":false}"), ==, 200);
  t_advance(&w.t, HOUR);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 20 * HOUR);
  munit_assert_int(invoice_get(&w, path, MOVED), ==, 200);
  munit_assert_int64(invoice_sum(&w.t, "results", "totalPriceCents"), >, cents);
  t_close(&w.t);
}

/* Returns the amount that the hosts of the project sent on this day according to their measurements, in millionths of a gigabyte. */
static int64_t invoice_sent(t_place *w, const char *day)
{
  const svc_node *one;
  char ids[8][128], path[64];
  double bytes = 0;
  size_t i, n;
  munit_assert_int(invoice_at(w, "GET", "/processes", NULL), ==, 200);
  n = t_count(&w->t, "results");
  munit_assert_size(n, <=, 8);
  for (i = 0; i < n; i++) {
    snprintf(path, sizeof path, "results[%zu].id", i);
    snprintf(ids[i], sizeof ids[i], "%s", t_str(&w->t, path));
  }
  for (i = 0; i < n; i++) {
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes/%s/measurements?granularity=PT1H&m=NETWORK_BYTES_OUT&start=%sT00:00:00Z"
                             "&end=%sT23:59:59Z", w->group, ids[i], day, day), ==, 200);
    for (one = svc_node_first(t_node(&w->t, "measurements[0].dataPoints")); one; one = one->next)
      bytes += atof(svc_node_get(one, "value")->text.p) * 3600;
  }
  return (int64_t)(bytes / 1000);
}

/* The transfer on a day's invoice agrees with the measurements of the hosts to 3 %. Replication to another region is transfer to
** that region. */
TEST(invoice, transfer_measured)
{
  static const char two[] = "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":["
    "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},"
    "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}";
  int64_t gigabytes = 0, sent, far = 0;
  const svc_node *one;
  char path[96];
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(invoice_at(&w, "POST", "/clusters", two), ==, 201);
  t_advance(&w.t, HOUR / 3);
  munit_assert_int(invoice_at(&w, "POST", "/sampleDatasetLoad/Main", NULL), ==, 201);
  t_advance(&w.t, 49 * HOUR);
  munit_assert_int(invoice_get(&w, "/pending", NULL), ==, 200);
  snprintf(path, sizeof path, "/%s/lineItems:search", t_str(&w.t, "results[0].id"));
  munit_assert_int(invoice_get(&w, path, "{\"filters\":{\"includeZeroCentLineItems\":true,\"skuServices\":[\"Data Transfer\"]}}"), ==, 200);
  for (one = svc_node_first(t_node(&w.t, "results")); one; one = one->next) {
    int64_t quantity = (int64_t)(atof(svc_node_get(one, "quantity")->text.p) * 1000000);
    if (!svc_str_starts(svc_node_str(one, "usageDate"), "2025-06-02")) continue;
    gigabytes += quantity;
    if (svc_node_is(one, "description", "DATA_TRANSFER_AWS_DIFFERENT_REGION")) far += quantity;
  }
  sent = invoice_sent(&w, "2025-06-02");
  munit_assert_int64(sent, >, 100000); /* a tenth of a gigabyte */
  munit_assert_int64(gigabytes, >, sent * 97 / 100);
  munit_assert_int64(gigabytes, <, sent * 103 / 100);
  munit_assert_int64(far, >, 0);
  munit_assert_int64(far, <, gigabytes / 4);
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------- a random year */

#define SEVERAL(size, readers, analysts) \
  "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":" \
  "{\"instanceSize\":\"" size "\",\"nodeCount\":3},\"readOnlySpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":" readers "}," \
  "\"analyticsSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":" analysts "}}]}]}"

typedef struct invoice_year {
  t_place w;
  uint64_t random;
  const char *groups[2];
  unsigned made; /* clusters, so far */
  struct {
    const char *group;
    char path[32]; /* "clusters/C1" */
  } live[12];
  unsigned count;
  unsigned done[9]; /* how often each action was done */
  unsigned moved;   /* items of transferred data */
} invoice_year;

static unsigned invoice_random(invoice_year *y, unsigned below)
{
  y->random = y->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(y->random >> 33) % below;
}

enum { INVOICE_MAKE, INVOICE_MAKE_BACKED, INVOICE_MAKE_FLEX, INVOICE_DELETE, INVOICE_PAUSE, INVOICE_RESUME, INVOICE_RESIZE, INVOICE_ANALYSE, INVOICE_LOAD };

#define YEAR_CLUSTER(backup) \
  "{\"name\":\"C%u\",\"clusterType\":\"REPLICASET\",\"backupEnabled\":" backup ",\"replicationSpecs\":[{\"regionConfigs\":[{" \
  "\"providerName\":\"%s\",\"regionName\":\"%s\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"%s\",\"nodeCount\":3}}]}]}"

static void invoice_make(invoice_year *y, unsigned what, const char *size)
{
  static const char *const clouds[3][2] = { { "AWS", "US_EAST_1" }, { "AZURE", "US_EAST_2" }, { "GCP", "WESTERN_EUROPE" } };
  const char *const *cloud = clouds[invoice_random(y, 3)];
  const char *group = y->groups[invoice_random(y, 2)];
  char body[1024];
  bool flex = what == INVOICE_MAKE_FLEX;
  y->made++;
  if (flex) snprintf(body, sizeof body, FLEX("C%u"), y->made);
  else if (what == INVOICE_MAKE) snprintf(body, sizeof body, YEAR_CLUSTER("false"), y->made, cloud[0], cloud[1], size);
  else snprintf(body, sizeof body, YEAR_CLUSTER("true"), y->made, cloud[0], cloud[1], size);
  y->live[y->count].group = group;
  snprintf(y->live[y->count].path, sizeof y->live[0].path, "%s/C%u", flex ? "flexClusters" : "clusters", y->made);
  y->count++;
  munit_assert_int(t_sendf(&y->w.t, "POST", body, "/groups/%s/%s", group, flex ? "flexClusters" : "clusters"), ==, 201);
}

/* Does one random action on a cluster. An action that the rules do not allow at the moment is refused, and costs nothing. */
static void invoice_step(invoice_year *y)
{
  static const char *const sizes[] = { "M10", "M20", "M30", "M40" };
  const char *size = sizes[invoice_random(y, 4)];
  unsigned what = invoice_random(y, 9), which = y->count ? invoice_random(y, y->count) : 0;
  char body[1024];
  t_service *t = &y->w.t;
  int status = 202;
  if (y->count == sizeof y->live / sizeof y->live[0]) what = INVOICE_DELETE;
  if (y->count == 0) what = INVOICE_MAKE;
  if (what <= INVOICE_MAKE_FLEX) {
    invoice_make(y, what, size);
  } else if (what == INVOICE_DELETE) {
    munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/%s", y->live[which].group, y->live[which].path), <, 300);
    y->live[which] = y->live[--y->count];
  } else if (what == INVOICE_LOAD) {
    status = t_sendf(t, "POST", NULL, "/groups/%s/sampleDatasetLoad/%s", y->live[which].group, strchr(y->live[which].path, '/') + 1);
    munit_assert_int(status, <, 500);
  } else {
    snprintf(body, sizeof body, "{\"paused\":%s}", what == INVOICE_PAUSE ? "true" : "false");
    if (what == INVOICE_RESIZE) snprintf(body, sizeof body, PROBE_RESIZE("%s"), size);
    if (what == INVOICE_ANALYSE)
      snprintf(body, sizeof body, SEVERAL("%s", "%u", "%u"), size, size, invoice_random(y, 3), invoice_random(y, 2));
    status = t_sendf(t, "PATCH", body, "/groups/%s/%s", y->live[which].group, y->live[which].path);
    munit_assert_int(status, <, 500);
  }
  if (status < 300) y->done[what]++;
}

/* Returns the exact costs of a month, to a fraction of a cent, from the ledger lines. */
static long double invoice_exact(invoice_year *y, unsigned month)
{
  svc *s = y->w.t.s;
  int64_t end = svc_bill_month_begins(svc_bill_month_after(month));
  long double sum = 0;
  svc_ledger_line line;
  svc_scan scan;
  svc_txn *txn;
  svc_id org;
  munit_assert_true(svc_id_parse(svc_str_c(y->w.org), &org));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  for (svc_ledger_begin(&scan, txn, &org, month); svc_ledger_next(&scan, &line);) {
    int64_t until = line.until && line.until < end ? line.until : end;
    const svc_sku *sku = svc_sku_find(line.meter.sku);
    munit_assert_not_null(sku);
    sum += (long double)line.meter.quantity / 1000 * (long double)(until - line.since) / 3600000 * (long double)sku->price / 10000;
  }
  s->commit.port->read_end(txn);
  return sum;
}

static int64_t invoice_csv_sum(const char *text, size_t *rows)
{
  int64_t sum = 0;
  *rows = 0;
  for (text = strchr(text, '\n') + 1; *text; text = strchr(text, '\n') + 1, ++*rows) {
    const char *end = strchr(text, '\r'), *at = end;
    while (at[-1] != ',') at--;
    munit_assert_char(end[-3], ==, '.');
    sum += strtoll(at, NULL, 10) * 100 + strtoll(end - 2, NULL, 10);
  }
  return sum;
}

static int64_t invoice_search_sum(invoice_year *y, const char *id, const char *body, size_t *rows)
{
  char path[128];
  int64_t sum = 0;
  size_t page = 0, n;
  *rows = 0;
  do {
    snprintf(path, sizeof path, "/%s/lineItems:search?itemsPerPage=150&pageNum=%zu", id, ++page);
    munit_assert_int(invoice_get(&y->w, path, body), ==, 200);
    sum += invoice_sum(&y->w.t, "results", "totalPriceCents");
    n = t_count(&y->w.t, "results");
    *rows += n;
  } while (n == 150);
  return sum;
}

static int64_t invoice_explored(invoice_year *y, unsigned month, const char *group_by)
{
  t_service *t = &y->w.t;
  unsigned next = svc_bill_month_after(month);
  char body[160], token[80];
  snprintf(body, sizeof body, "{\"startDate\":\"%04u-%02u-01\",\"endDate\":\"%04u-%02u-01\",\"groupBy\":\"%s\"}", month / 100, month % 100,
           next / 100, next % 100, group_by);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/billing/costExplorer/usage", y->w.org), ==, 202);
  snprintf(token, sizeof token, "%s", t_str(t, "token"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/billing/costExplorer/usage/%s", y->w.org, token), ==, 202);
  t_advance(t, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/billing/costExplorer/usage/%s", y->w.org, token), ==, 200);
  return invoice_sum(t, "usageDetails", "usageAmount");
}

/* At the end of a month all formats agree to the cent, and agree with the ledger lines up to the rounding of items. */
static int64_t invoice_agree(invoice_year *y, unsigned month)
{
  static const char *const groups[] = { "organizations", "projects", "clusters", "services" };
  static const char *const sorts[] = { "{\"filters\":{\"includeZeroCentLineItems\":true}}",
                                       "{\"sortField\":\"TOTAL_PRICE_CENTS\",\"filters\":{\"includeZeroCentLineItems\":true}}" };
  t_service *t = &y->w.t;
  char id[32], path[64];
  long double off;
  size_t items, rows, i;
  int64_t cents;
  snprintf(path, sizeof path, "?fromDate=%04u-%02u-01&orderBy=asc&itemsPerPage=1", month / 100, month % 100);
  munit_assert_int(invoice_get(&y->w, path, NULL), ==, 200);
  snprintf(id, sizeof id, "%s", t_str(t, "results[0].id"));
  cents = t_int(t, "results[0].amountBilledCents");
  munit_assert_string_equal(t_str(t, "results[0].statusName"), cents ? "PAID" : "FREE");
  snprintf(path, sizeof path, "/%s", id);
  munit_assert_int(invoice_get(&y->w, path, NULL), ==, 200);
  munit_assert_int64(t_int(t, "subtotalCents"), ==, cents);
  munit_assert_int64(t_int(t, "amountPaidCents"), ==, cents);
  items = t_count(t, "lineItems");
  for (i = 0; i < items; i++) {
    snprintf(path, sizeof path, "lineItems[%zu].sku", i);
    y->moved += strncmp(t_str(t, path), "DATA_TRANSFER_", 14) == 0;
  }
  munit_assert_int64(invoice_sum(t, "lineItems", "totalPriceCents"), ==, cents);
  off = invoice_exact(y, month) - (long double)cents;
  munit_assert_true(off <= (long double)items / 2 && -off <= (long double)items / 2);
  snprintf(path, sizeof path, "/%s/csv", id);
  munit_assert_int(invoice_get(&y->w, path, NULL), ==, 200);
  munit_assert_int64(invoice_csv_sum(t->response.body, &rows), ==, cents);
  munit_assert_size(rows, ==, items);
  for (i = 0; i < 2; i++) {
    munit_assert_int64(invoice_search_sum(y, id, sorts[i], &rows), ==, cents);
    munit_assert_size(rows, ==, items);
  }
  for (i = 0; i < 4; i++) munit_assert_int64(invoice_explored(y, month, groups[i]), ==, cents);
  return cents;
}

TEST(invoice, random_year)
{
  static invoice_year y;
  unsigned month, months;
  int64_t year = 0;
  memset(&y, 0, sizeof y);
  y.random = 20250601;
  t_place_open(&y.w, &quiet, "alpha", NULL);
  y.groups[0] = y.w.group;
  y.groups[1] = t_project(&y.w.t, y.w.org, "beta");
  for (month = 202506, months = 0; months < 12; months++, month = svc_bill_month_after(month)) {
    int64_t end = svc_bill_month_begins(svc_bill_month_after(month));
    for (;;) {
      int64_t wait = (int64_t)invoice_random(&y, 2 * 86400) * 1000 + invoice_random(&y, 1000);
      if (y.w.t.now + wait >= end) break;
      y.w.t.now += wait;
      invoice_step(&y);
    }
    y.w.t.now = end + invoice_random(&y, 2) * invoice_random(&y, 86400000); /* at once, or later */
    year += invoice_agree(&y, month);
  }
  munit_assert_int64(year, >, 100000);
  store_whole(y.w.t.s);
  for (month = 0; month < 9; month++) munit_assert_uint(y.done[month], >, 5);
  munit_assert_uint(y.moved, >, 100); /* items of transfer */
  t_close(&y.w.t);
}
