/*
** Measurements and logins that a driver has reported (svc_report) are stored, and shown when a driver does not answer the
** question.
**
** A measurement is stored per minute, the finest granularity of series; a later one of the same minute replaces it. A
** record holds one hour of one metric of one process, and its id is made from these three. So a measurement costs one
** lookup and one write in a store of any size. A login is one record, and its body is what the access history shows. Both
** are rings below their cluster (SVC_RING): records expire, and a new record displaces the oldest one if there are too
** many.
**
** The rule: a report is accepted as a whole, or refused as a whole before anything is written. A time in the future counts
** as now, because clocks differ. A time before the retention period is refused, and so is a host that the cluster does not
** have.
*/
#include "catalog/cluster/cluster_base.h"
#include "catalog/cluster/metric_list.h"

#define REPORTED_HOUR ((int64_t)3600000)
#define REPORTED_MINUTE 60000
enum { REPORTED_DIGITS = 32 }; /* maximum characters of a value */

SVC_PRIVATE const char *const svc_process_metric_names[] = { SVC_METRICS_PROCESS(SVC_METRIC_NAME) NULL };

static const svc_field reported_figure_fields[] = {
  F_DATE("at"), F_STR("host", .flags = SVC_REQUIRED, .min = 1, .max = 300), F_ENUM("metric", svc_process_metric_names, .flags = SVC_REQUIRED),
  F_NUM("value", .flags = SVC_REQUIRED)
};
SVC_PRIVATE const svc_object svc_measurement_news = { .name = "MeasurementNews", .fields = SVC_ROWS(reported_figure_fields) };

static const svc_field reported_try_fields[] = {
  F_STR("address", .flags = SVC_REQUIRED, .format = SVC_FORMAT_IP), F_DATE("at"), F_STR("host", .flags = SVC_REQUIRED, .min = 1, .max = 300),
  F_STR("reason", .max = 256), F_BOOL("success", .flags = SVC_REQUIRED), F_STR("user", .flags = SVC_REQUIRED, .min = 1, .max = 1024)
};
static const svc_field reported_shown_fields[] = {
  F_BOOL("authResult"), F_STR("authSource"), F_STR("failureReason"), F_STR("groupId"), F_STR("hostname"), F_STR("ipAddress", .format = SVC_FORMAT_IP),
  F_STR("logLine"), F_STR("timestamp"), F_STR("username")
};
SVC_PRIVATE const svc_object svc_login_shown = { .name = "AccessLog", .fields = SVC_ROWS(reported_shown_fields) };
SVC_PRIVATE const svc_object svc_login_news = { .name = "LoginNews", .fields = SVC_ROWS(reported_try_fields) };

/* ---------------------------------------------------------------------------------------------------------- measurements */

/* The id of the record of an hour; false: out of memory. */
static bool reported_id(svc_call *c, svc_str process, svc_str metric, int64_t hour, svc_id *out)
{
  static const svc_id none;
  unsigned char hash[32];
  svc_str text = svc_arena_print(c->arena, SVC_FMT "/" SVC_FMT, SVC_ARG(process), SVC_ARG(metric));
  if (!text.n || !svc_text_hash(c->arena, text, hash)) return svc_no_memory(c);
  *out = svc_id_next(&none, hour * REPORTED_HOUR, hash);
  return true;
}

/* The values of an hour, minute by minute; null: no value. NULL: no record, or failed. */
static svc_node *reported_hour(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, int64_t hour)
{
  svc_node *body;
  svc_entity e;
  svc_id id;
  if (!reported_id(c, process, metric, hour, &id)) return NULL;
  if (svc_entity_get(c->txn, CLUSTER_MEASUREMENTS_KIND, cluster, &id, &e) != SVC_OK) return NULL;
  body = svc_entity_body(c, &e);
  return svc_node_get(body, "values");
}

/* Sets the value of a minute in the hour. False: out of memory. */
static bool reported_set(svc_call *c, svc_node *values, int64_t minute, svc_str text)
{
  svc_node *one = svc_node_first(values);
  for (;; one = one->next) {
    if (!one) {
      if (!(one = svc_node_new(c->arena, SVC_J_NULL, SVC_S(""), SVC_S("null")))) return svc_no_memory(c);
      svc_node_append(values, one);
    }
    if (minute-- == 0) break;
  }
  one->type = SVC_J_NUMBER;
  one->text = text;
  return true;
}

static bool reported_keep_measurement(svc_call *c, const svc_noun_info *noun, const svc_entity *cluster, const svc_process *p, const svc_node *news, int64_t at)
{
  int64_t hour = at / REPORTED_HOUR;
  svc_node *values;
  svc_change change;
  svc_entity e;
  svc_id id;
  int rc;
  if (!reported_id(c, p->id, svc_node_str(news, "metric"), hour, &id) || !svc_change_new(c, noun, NULL, &change)) return false;
  rc = svc_entity_get(c->txn, noun->noun->kind, &cluster->id, &id, &e);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_OK && !(change.body = svc_entity_body(c, &e))) return false;
  values = svc_node_get(change.body, "values");
  if (!values || values->type != SVC_J_ARRAY) {
    if (!(values = svc_node_array(c->arena, "values"))) return svc_no_memory(c);
    svc_node_put(c->arena, change.body, values);
  }
  if (!reported_set(c, values, at / REPORTED_MINUTE % 60, svc_node_get(news, "value")->text)) return false;
  if (rc == SVC_OK) return svc_rewrite(c, &e, change.body);
  change.id = id;
  change.parent = cluster->id;
  /* Spreads the expiry of an hour's records, so that other due steps run in between. */
  svc_change_due(&change, SVC_DUE_EXPIRY, (hour + 1) * REPORTED_HOUR + CLUSTER_MEASUREMENTS_KEPT + id.b[11] * (REPORTED_HOUR / 256));
  return svc_insert(c, &change, &e);
}

SVC_PRIVATE bool svc_reported_latest(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, double *out)
{
  int64_t hour = c->now / REPORTED_HOUR, oldest = hour - 1;
  for (; hour >= oldest; hour--) {
    const svc_node *one = svc_node_first(reported_hour(c, cluster, process, metric, hour));
    int64_t at = hour * REPORTED_HOUR;
    for (; one && one->next; one = one->next) at += REPORTED_MINUTE;
    if (one) return at > c->now - REPORTED_HOUR && one->type == SVC_J_NUMBER && svc_json_number_double(one->text, out);
  }
  return false;
}

SVC_PRIVATE svc_node *svc_reported_series(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, const svc_reported_span *span)
{
  int64_t first = (c->now - CLUSTER_MEASUREMENTS_KEPT) / 1000, n = 0, hour, at;
  svc_node *list = svc_node_array(c->arena, NULL), *last = NULL;
  const svc_node *one;
  if (!svc_count(c->txn, CLUSTER_MEASUREMENTS_KIND, cluster)) return list;
  for (hour = (span->from > first ? span->from : first) / 3600; list && hour * 3600 < span->until + span->step && hour * REPORTED_HOUR <= c->now; hour++)
    for (one = svc_node_first(reported_hour(c, cluster, process, metric, hour)), at = hour * 3600; one; one = one->next, at += 60) {
      if (one->type != SVC_J_NUMBER || at < span->from || at >= span->until + span->step) continue;
      for (; n <= (at - span->from) / span->step; n++) {
        if (!(last = svc_node_new(c->arena, SVC_J_NULL, SVC_S(""), SVC_S("null")))) return NULL;
        svc_node_append(list, last);
      }
      last->type = SVC_J_NUMBER;
      last->text = one->text;
    }
  return list;
}

/* --------------------------------------------------------------------------------------------------------------- logins */

static bool reported_keep_login(svc_call *c, const svc_noun_info *noun, const svc_entity *cluster, const svc_process *p, const svc_node *news, int64_t at)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_new(c, noun, NULL, &change)) return false;
  svc_node_set_bool(c->arena, change.body, "authResult", svc_node_bool(news, "success", false));
  if (svc_node_get(news, "reason")) svc_node_set_from(c->arena, change.body, "failureReason", news, "reason");
  svc_node_set_id(c->arena, change.body, "groupId", &cluster->scope.group);
  svc_node_set_str(c->arena, change.body, "hostname", p->host);
  svc_node_set_str(c->arena, change.body, "ipAddress", svc_address_spell(c->arena, svc_node_str(news, "address")));
  svc_node_set_date(c->arena, change.body, "timestamp", at);
  svc_node_set_from(c->arena, change.body, "username", news, "user");
  change.id = svc_new_id_at(c->txn, at);
  change.parent = cluster->id;
  svc_change_due(&change, SVC_DUE_EXPIRY, at + CLUSTER_LOGINS_KEPT);
  return svc_insert(c, &change, &e);
}

SVC_PRIVATE svc_node *svc_reported_logins(svc_call *c, const svc_id *cluster, const svc_node *asked)
{
  int64_t from = svc_node_i64(asked, "from", 0), until = svc_node_i64(asked, "until", 0);
  svc_node *list = svc_node_array(c->arena, NULL), *one;
  svc_str key, value;
  svc_key prefix;
  svc_scan scan;
  svc_entity e = { .kind = CLUSTER_LOGINS_KIND };
  svc_key_entity(&prefix, CLUSTER_LOGINS_KIND, cluster, NULL);
  svc_scan_below(&scan, c->txn, &prefix, true);
  while (list && svc_scan_next(&scan, &key, &value)) {
    if (!svc_entity_decode(key, value, &e) || svc_id_second(&e.id) > until) continue;
    if (svc_id_second(&e.id) < from) break;
    if (!(one = svc_entity_body(c, &e))) return NULL;
    if (!svc_node_has_str(svc_node_get(asked, "hosts"), svc_node_str(one, "hostname"))) continue;
    svc_node_append(list, one);
  }
  return list;
}

/* ------------------------------------------------------------------------------------------------------------------- all */

static const struct reported_row {
  const char *list, *noun; /* the member of a report, and the noun that stores its elements */
  int64_t kept;            /* milliseconds */
  bool (*keep)(svc_call *c, const svc_noun_info *noun, const svc_entity *cluster, const svc_process *p, const svc_node *news, int64_t at);
} reported_rows[] = {
  { "measurements", CLUSTER_MEASUREMENTS, CLUSTER_MEASUREMENTS_KEPT, reported_keep_measurement },
  { "logins", CLUSTER_LOGINS, CLUSTER_LOGINS_KEPT, reported_keep_login },
};

static const svc_process *reported_process(const svc_processes *of, svc_str host)
{
  size_t i = 0;
  while (i < of->count && !svc_str_eq(of->at[i].id, host) && !svc_str_eq(of->at[i].host, host)) i++;
  return i < of->count ? &of->at[i] : NULL;
}

static int64_t reported_at(const svc_call *c, const svc_node *news)
{
  int64_t at;
  return svc_date_parse(svc_node_str(news, "at"), &at) && at < c->now ? at : c->now;
}

/* Checks what the field table cannot express about an element; adds violations. */
static void reported_check(svc_call *c, const svc_processes *of, const struct reported_row *row, const svc_node *news, size_t i)
{
  const svc_node *value = svc_node_get(news, "value");
  svc_str at = svc_arena_print(c->arena, "%s[%zu].at", row->list, i), host = svc_arena_print(c->arena, "%s[%zu].host", row->list, i);
  if (!reported_process(of, svc_node_str(news, "host"))) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, host, "must be a host of the cluster");
  if (reported_at(c, news) < c->now - row->kept)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must not be more than %d days ago", (int)(row->kept / SVC_DAY_MS));
  if (value && value->text.n > REPORTED_DIGITS)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s[%zu].value", row->list, i), "must have at most %d characters", REPORTED_DIGITS);
}

SVC_PRIVATE bool svc_reported_take(svc_call *c, const svc_entity *cluster, const svc_node *news)
{
  const struct reported_row *row, *end = reported_rows + sizeof reported_rows / sizeof reported_rows[0];
  const svc_node *one;
  svc_processes of;
  size_t i;
  if (!svc_node_get(news, "measurements") && !svc_node_get(news, "logins")) return true;
  if (!svc_processes_of(c, cluster, &of)) return false;
  for (row = reported_rows; row < end; row++)
    for (one = svc_node_first(svc_node_get(news, row->list)), i = 0; one; one = one->next) reported_check(c, &of, row, one, i++);
  if (c->error.violations) return false;
  for (row = reported_rows; row < end; row++) {
    const svc_noun_info *noun = svc_noun_named(c->s, row->noun);
    for (one = svc_node_first(svc_node_get(news, row->list)); noun && one; one = one->next)
      if (!row->keep(c, noun, &of.cluster, reported_process(&of, svc_node_str(one, "host")), one, reported_at(c, one))) return false;
  }
  return svc_txn_good(c);
}
