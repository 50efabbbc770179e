/*
** Figures and targets of alerts that are computed from the store, without a driver.
**
** Each has a limit on what it reads, so that no alert scans a whole project: a number of accounts, users and snapshots,
** and per month a number of lines of the ledger. Anything above the limit is not counted.
*/
#include "catalog/monitoring/alert_parts.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/billing/bill.h"

#define STORED_TARGETS 500   /* accounts, or users with certificates */
#define STORED_USERS 2000    /* database users and certificates that the search for users with certificates reads */
#define STORED_SNAPSHOTS 64  /* read per cluster, to find a completed one */
#define STORED_LINES 5000    /* of the ledger, per month */
#define STORED_LONG 1e15     /* milliseconds: more than any real remaining time */

SVC_PRIVATE svc_alert_target *svc_alert_target_add(svc_alert_round *r, svc_alert_targets *all)
{
  svc_alert_target *t, *more;
  if (all->count == all->room) {
    more = svc_arena_alloc(r->c->arena, (2 * all->room + 8) * sizeof *more);
    if (!more) return (void)svc_no_memory(r->c), NULL;
    if (all->count) memcpy(more, all->at, all->count * sizeof *more);
    all->at = more;
    all->room = 2 * all->room + 8;
  }
  t = &all->at[all->count++];
  memset(t, 0, sizeof *t);
  t->met.measured = true;
  return t;
}

/* ----------------------------------------------------------------------------------------------------------------- dates */

/* Adds a date to a target. */
static void alert_stored_date(svc_alert_round *r, svc_alert_target *t, int64_t when)
{
  if (!t->first || when < t->first) t->first = when;
  if (when > r->c->now && (!t->next || when < t->next)) t->next = when;
}

SVC_PRIVATE bool svc_alert_left(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  *out = t->first ? (double)(t->first - r->c->now) : STORED_LONG;
  return true;
}

SVC_PRIVATE bool svc_alert_left_next(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  *out = t->next ? (double)(t->next - r->c->now) : STORED_LONG;
  return true;
}

/* Service accounts with roles in the project, and the expiry dates of their secrets. */
SVC_PRIVATE bool svc_alert_accounts(svc_alert_round *r, svc_alert_targets *out)
{
  const svc_noun_info *noun = r->c->s->seats[SVC_SEAT_ACCOUNT];
  const svc_node *secrets, *one;
  svc_alert_target *t;
  svc_scan scan;
  svc_entity e;
  svc_id id;
  int64_t when;
  if (!noun) return true;
  svc_listed_begin(&scan, r->c->txn, &r->scope.group, noun->noun->kind);
  while (out->count < STORED_TARGETS && svc_listed_next(&scan, NULL, &id)) {
    if (svc_entity_get(r->c->txn, noun->noun->kind, &r->scope.org, &id, &e) != SVC_OK) continue;
    secrets = svc_node_get(svc_entity_body(r->c, &e), "secrets");
    t = svc_alert_target_add(r, out);
    if (!t) return false;
    t->met.target = svc_arena_copy(r->c->arena, e.unique);
    for (one = svc_node_first(secrets); one; one = one->next)
      if (svc_date_parse(svc_node_str(one, "expiresAt"), &when)) alert_stored_date(r, t, when);
  }
  r->c->spent += out->count;
  return svc_txn_good(r->c);
}

/* The length of the text up to the end of the next certificate; 0 if there is no other. */
static size_t alert_stored_certificate(svc_str pem)
{
  static const char last[] = "-----END CERTIFICATE-----";
  size_t i, n = sizeof last - 1;
  for (i = 0; i + n <= pem.n; i++)
    if (memcmp(pem.p + i, last, n) == 0) return i + n;
  return 0;
}

/* All certificate authorities of the customer together: the earliest expiry counts. */
SVC_PRIVATE bool svc_alert_authorities(svc_alert_round *r, svc_alert_targets *out)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(r->c->s, "user security");
  svc_alert_target *t;
  svc_entity e;
  svc_str cas;
  size_t n;
  int64_t from, until;
  if (!noun || svc_entity_get(r->c->txn, noun->noun->kind, &r->scope.group, &none, &e) != SVC_OK) return svc_txn_good(r->c);
  cas = svc_node_str(svc_node_get(svc_entity_body(r->c, &e), "customerX509"), "cas");
  if (cas.n == 0) return true;
  t = svc_alert_target_add(r, out);
  if (!t) return false;
  t->met.target = SVC_S("customerX509");
  for (; (n = alert_stored_certificate(cas)) > 0; cas.p += n, cas.n -= n)
    if (svc_x509_dates(r->c->arena, svc_arena_copy(r->c->arena, (svc_str){ cas.p, n }), &from, &until) == SVC_OK) alert_stored_date(r, t, until);
  return true;
}

/* Database users with certificates that the service manages. */
SVC_PRIVATE bool svc_alert_certificates(svc_alert_round *r, svc_alert_targets *out)
{
  const svc_noun_info *users = svc_noun_named(r->c->s, "database user"), *certs = svc_noun_named(r->c->s, "database user certificate");
  svc_alert_target *t = NULL;
  svc_scan scan, below;
  svc_entity user, cert;
  int64_t when;
  int looked = 0;
  if (!users || !certs) return true;
  svc_below_begin(&scan, r->c->txn, users->noun->kind, &r->scope.group);
  while (looked < STORED_USERS && out->count < STORED_TARGETS && svc_below_next(&scan, users->noun->kind, &user)) {
    looked++;
    if (!svc_json_is(user.body, "x509Type", "MANAGED")) continue;
    t = svc_alert_target_add(r, out);
    if (!t) return false;
    t->met.target = svc_arena_copy(r->c->arena, svc_json_word(user.body, "username"));
    svc_below_begin(&below, r->c->txn, certs->noun->kind, &user.id);
    for (; svc_below_next(&below, certs->noun->kind, &cert); looked++)
      if (svc_date_parse(svc_json_word(cert.body, "notAfter"), &when)) alert_stored_date(r, t, when);
  }
  r->c->spent += (size_t)looked;
  return svc_txn_good(r->c);
}

/* --------------------------------------------------------------------------------------------------------------- backups */

/* When the last completed snapshot of a cluster was taken; without one, when the cluster was created. */
static bool alert_stored_snapshot(svc_alert_round *r, const svc_alert_target *t, int64_t *taken)
{
  const svc_entity *cluster = &t->cluster->cluster;
  svc_key key;
  svc_scan scan;
  svc_entity e;
  int looked = 0;
  svc_key_entity(&key, SNAPSHOT_KIND, &cluster->id, NULL);
  svc_scan_below(&scan, r->c->txn, &key, true);
  svc_scan_expect(&scan, 1);
  while (looked++ < STORED_SNAPSHOTS && svc_below_next(&scan, SNAPSHOT_KIND, &e))
    if (svc_json_is(e.body, "status", "completed") && svc_date_parse(svc_json_word(e.body, "createdAt"), taken)) return true;
  return svc_txn_good(r->c) && svc_date_parse(svc_node_str(t->cluster->body, "createDate"), taken);
}

SVC_PRIVATE bool svc_alert_snapshot_age(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  int64_t taken;
  if (!alert_stored_snapshot(r, t, &taken)) return false;
  *out = (double)(r->c->now - taken);
  return true;
}

/* For how long the next scheduled snapshot after the last one is overdue. */
SVC_PRIVATE bool svc_alert_snapshot_late(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  svc_backup_plan plan;
  svc_entity schedule;
  svc_node *body;
  int64_t taken, when, next = 0;
  size_t i;
  if (svc_backup_record(r->c, &t->cluster->cluster.id, &schedule) != SVC_OK || !alert_stored_snapshot(r, t, &taken)) return false;
  body = svc_entity_body(r->c, &schedule);
  if (!body) return false;
  svc_backup_plan_of(body, &plan);
  for (i = 0; i < plan.count; i++) {
    when = svc_backup_next(&plan.items[i], plan.reference, taken);
    if (!next || when < next) next = when;
  }
  *out = next && next < r->c->now ? (double)(r->c->now - next) : 0;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------------- bills */

/* The cost of the project, in cents, from a midnight until a later time: another midnight, or now. */
static bool alert_stored_cents(svc_alert_round *r, int64_t from, int64_t until, int64_t *cents)
{
  unsigned month = svc_bill_month(from), last = svc_bill_month(until);
  svc_bill_item item;
  svc_bill *b;
  *cents = 0;
  for (; month <= last; month = svc_bill_month_after(month)) {
    b = svc_bill_begin(r->c, &r->scope.org, month, until < r->c->now ? until : r->c->now);
    if (!b) return svc_no_memory(r->c);
    svc_bill_bound(b, STORED_LINES);
    svc_bill_of_group(b, &r->scope.group);
    while (svc_bill_next(r->c, b, &item))
      if (item.day >= from) *cents += item.cents;
    r->c->spent += svc_bill_lines(b);
    if (r->c->error.code != SVC_E_NONE) return false;
  }
  return svc_txn_good(r->c);
}

static bool alert_stored_dollars(svc_alert_round *r, int64_t from, int64_t until, double *out)
{
  int64_t cents;
  if (!alert_stored_cents(r, from, until, &cents)) return false;
  *out = (double)cents / 100;
  return true;
}

/* The increase of the second period over the first, in dollars. */
static bool alert_stored_more(svc_alert_round *r, int64_t first, int64_t second, int64_t third, double *out)
{
  int64_t before, after;
  if (!alert_stored_cents(r, first, second, &before) || !alert_stored_cents(r, second, third, &after)) return false;
  *out = (double)(after - before) / 100;
  return true;
}

static int64_t alert_stored_midnight(const svc_alert_round *r)
{
  return r->c->now - r->c->now % SVC_DAY_MS;
}

SVC_PRIVATE bool svc_alert_bill_month(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  unsigned month = svc_bill_month(r->c->now);
  (void)t;
  return alert_stored_dollars(r, svc_bill_month_begins(month), r->c->now + 1, out);
}

SVC_PRIVATE bool svc_alert_bill_day(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  int64_t midnight = alert_stored_midnight(r);
  (void)t;
  return alert_stored_dollars(r, midnight - SVC_DAY_MS, midnight, out);
}

static unsigned alert_stored_month_before(unsigned month)
{
  return month % 100 == 1 ? month - 89 : month - 1;
}

SVC_PRIVATE bool svc_alert_bill_more(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  int64_t midnight = alert_stored_midnight(r), span = t->figured->which * SVC_DAY_MS;
  unsigned month = svc_bill_month(r->c->now), last = alert_stored_month_before(month), before = alert_stored_month_before(last);
  if (span) return alert_stored_more(r, midnight - 2 * span, midnight - span, midnight, out);
  return alert_stored_more(r, svc_bill_month_begins(before), svc_bill_month_begins(last), svc_bill_month_begins(month), out);
}

/* ------------------------------------------------------------------------------------------------------------------ keys */

static const struct {
  const char *member, *key;
} alert_stored_keys[SVC_ALERT_KEY_COUNT] = { [SVC_ALERT_KEY_AWS] = { "awsKms", "customerMasterKeyID" },
                                             [SVC_ALERT_KEY_AZURE] = { "azureKeyVault", "keyIdentifier" },
                                             [SVC_ALERT_KEY_GCP] = { "googleCloudKms", "keyVersionResourceID" } };

/* The encryption settings of the project; NULL: none. */
static const svc_node *alert_stored_encryption(svc_call *c, const svc_id *group)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(c->s, "encryption at rest");
  svc_entity e;
  return noun && svc_entity_get(c->txn, noun->noun->kind, group, &none, &e) == SVC_OK ? svc_entity_body(c, &e) : NULL;
}

/* If the key has changed, stores it with the current date. */
static void alert_stored_key(svc_call *c, svc_node *body, int which, svc_str key)
{
  const char *member = alert_stored_keys[which].member;
  svc_node *one;
  if (svc_node_eq(svc_node_get(body, member), "key", key)) return;
  svc_node_drop(body, member);
  one = key.n ? svc_node_object(c->arena, member) : NULL;
  if (!one) return;
  svc_node_set_str(c->arena, one, "key", key);
  svc_node_set_date(c->arena, one, "since", c->now);
  svc_node_put(c->arena, body, one);
}

SVC_PRIVATE bool svc_alert_keys_note(svc_call *c, const svc_scope *scope)
{
  const svc_node *said = alert_stored_encryption(c, &scope->group), *one;
  svc_entity e, old;
  svc_node *body;
  int which, rc;
  if (!said || !svc_noun_named(c->s, SVC_ALERT_ROUND)) return svc_txn_good(c);
  rc = svc_alert_round_get(c, &scope->group, &old);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(&e, 0, sizeof e);
  if (rc == SVC_OK) e = old;
  body = rc == SVC_OK ? svc_entity_body(c, &old) : svc_node_object(c->arena, NULL);
  if (!body) return svc_no_memory(c);
  for (which = 0; which < SVC_ALERT_KEY_COUNT; which++) {
    one = svc_node_get(said, alert_stored_keys[which].member);
    alert_stored_key(c, body, which, svc_node_bool(one, "enabled", false) ? svc_node_str(one, alert_stored_keys[which].key) : SVC_S(""));
  }
  if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_no_memory(c);
  return svc_alert_round_put(c, scope, &e, rc == SVC_OK ? &old : NULL);
}

SVC_PRIVATE bool svc_alert_key_age(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  svc_entity e;
  int64_t since;
  *out = 0;
  if (svc_alert_round_get(r->c, &r->scope.group, &e) != SVC_OK) return false;
  if (svc_date_parse(svc_node_str(svc_node_get(svc_entity_body(r->c, &e), alert_stored_keys[t->figured->which].member), "since"), &since))
    *out = (double)(r->c->now - since);
  return true;
}

SVC_PRIVATE bool svc_alert_key_valid(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  const svc_node *one = svc_node_get(alert_stored_encryption(r->c, &r->scope.group), alert_stored_keys[t->figured->which].member);
  *out = !svc_node_bool(one, "enabled", false) || svc_node_bool(one, "valid", false);
  return svc_txn_good(r->c);
}
