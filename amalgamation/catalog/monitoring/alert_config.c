/*
** Alert configuration: notifies recipients when an event of a type happens in the project, or when a measurement is
** beyond a threshold for some time. alert_rules.c has the rules per type, alert_notifications.c the recipients, and
** alert_acts.c the alerts.
**
** An index finds the configurations that watch a type of event: their unique value consists of project, enabled, type and
** id.
*/
#include "catalog/monitoring/alert_parts.h"

static const char *const alert_config_severities[] = { "INFO", "WARNING", "ERROR", "CRITICAL", NULL };
static const char *const alert_config_operators[] = { "<", ">", "LESS_THAN", "GREATER_THAN", NULL };
static const char *const alert_config_compares[] = { "EQUALS", "CONTAINS", "STARTS_WITH", "ENDS_WITH", "NOT_EQUALS", "NOT_CONTAINS",
                                                     "REGEX", NULL };
static const char *const alert_config_modes[] = { "AVERAGE", NULL };
static const svc_field alert_config_matcher_fields[] = {
  F_ENUM("fieldName", svc_alert_field_names, .flags = SVC_REQUIRED),
  F_ENUM("operator", alert_config_compares, .flags = SVC_REQUIRED),
  F_STR("value", .flags = SVC_REQUIRED | SVC_OPEN, .min = 1, .max = 256, .values = svc_alert_host_types)
};
static const svc_object alert_config_matcher = { .name = "AlertMatcher", .fields = SVC_ROWS(alert_config_matcher_fields) };

static const svc_field alert_config_threshold_fields[] = {
  F_STR("metricName", .max = 64), /* of stream processors, like in a metricThreshold */
  F_ENUM("mode", alert_config_modes),
  F_ENUM("operator", alert_config_operators, .flags = SVC_REQUIRED),
  F_INT("threshold", .flags = SVC_REQUIRED),
  F_ENUM("units", svc_alert_units + SVC_ALERT_UNITS_PLAIN)
};
static const svc_object alert_config_threshold = { .name = "AlertsThreshold", .fields = SVC_ROWS(alert_config_threshold_fields) };

static const svc_field alert_config_metric_fields[] = {
  F_STR("metricName", .flags = SVC_REQUIRED, .max = 64),
  F_ENUM("mode", alert_config_modes),
  F_ENUM("operator", alert_config_operators + 2, .flags = SVC_REQUIRED),
  F_NUM("threshold", .flags = SVC_REQUIRED),
  F_ENUM("units", svc_alert_units)
};
static const svc_object alert_config_metric = { .name = "MetricThreshold", .fields = SVC_ROWS(alert_config_metric_fields) };

static const svc_field alert_config_fields[] = {
  F_CREATED("created"),
  F_BOOL("enabled", .preset = "false"),
  F_STR("eventTypeName", .flags = SVC_REQUIRED | SVC_GROUP_EVENTS | SVC_ALERTABLE, .max = 128),
  F_GROUP_ID(),
  F_ID(),
  F_LIST("matchers", &alert_config_matcher, .max_items = 25, .preset = "[]"),
  F_OBJ("metricThreshold", &alert_config_metric),
  F_LIST("notifications", &svc_alert_notification, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = SVC_ALERT_NOTIFICATIONS),
  F_ENUM("severityOverride", alert_config_severities),
  F_OBJ("threshold", &alert_config_threshold),
  F_DATE("updated", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED)
};
/* Thresholds by type of event, matching alert_rules.c. */
static const svc_need alert_config_needs[] = {
  { .fields = "metricThreshold",
    .where = "eventTypeName=OUTSIDE_METRIC_THRESHOLD|OUTSIDE_FLEX_METRIC_THRESHOLD|OUTSIDE_SERVERLESS_METRIC_THRESHOLD|OUTSIDE_REALM_METRIC_THRESHOLD",
    .by_hook = true },
  { .fields = "metricThreshold|threshold", .where = "eventTypeName=OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", .by_hook = true },
  { .fields = "threshold",
    .where = "eventTypeName=PENDING_INVOICE_OVER_THRESHOLD|DAILY_BILLING_CHANGE_OVER_THRESHOLD|DAILY_BILL_OVER_THRESHOLD|"
             "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD|MONTHLY_BILLING_CHANGE_OVER_THRESHOLD|CPS_SNAPSHOT_BEHIND|CPS_PREV_SNAPSHOT_OLD|"
             "CPS_OPLOG_BEHIND|AWS_ENCRYPTION_KEY_NEEDS_ROTATION|AZURE_ENCRYPTION_KEY_NEEDS_ROTATION|GCP_ENCRYPTION_KEY_NEEDS_ROTATION|"
             "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK|SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_CHECK|"
             "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_CHECK|TOO_FEW_HEALTHY_MEMBERS|TOO_MANY_ELECTIONS|"
             "TOO_MANY_UNHEALTHY_MEMBERS|REPLICATION_OPLOG_WINDOW_RUNNING_OUT",
    .by_hook = true },
  { .fields = NULL }
};
static const svc_object alert_config_object = {
  .name = "GroupAlertsConfig", .fields = SVC_ROWS(alert_config_fields), .ext = SVC_OBJECT_EXT(.needs = alert_config_needs)
};

static const svc_field alert_config_toggle_fields[] = { F_BOOL("enabled") };
static const svc_object alert_config_toggle_object = { .name = "AlertsToggle", .fields = SVC_ROWS(alert_config_toggle_fields) };

static bool alert_config_list(svc_call *c);
static bool alert_config_resolve(svc_call *c);
static bool alert_config_toggle(svc_call *c);
static bool alert_config_of_alert(svc_call *c);

#define ALERT_CONFIG \
  "/groups/{groupId}/alertConfigs", SVC_SET_ALERT_CONFIGS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_ALERTS_MANAGER

static const svc_route alert_config_routes[] = {
  R_GET(ALERT_CONFIG, "", .flags = SVC_PAGED, .op = "listAlertConfigs", .run = alert_config_list),
  R_POST(ALERT_CONFIG, "", .status = 201, .op = "createAlertConfig", .run = svc_verb_create,
         .example = "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"matchers\":[{\"fieldName\":\"TYPE_NAME\",\"operator\":"
                    "\"EQUALS\",\"value\":\"PRIMARY\"}],\"metricThreshold\":{\"metricName\":\"CONNECTIONS\",\"operator\":\"GREATER_THAN\","
                    "\"threshold\":500,\"units\":\"RAW\"},\"notifications\":[{\"typeName\":\"SLACK\",\"apiToken\":\"xoxb-0123456789abcdef\","
                    "\"channelName\":\"ops\",\"delayMin\":5,\"intervalMin\":60}]}"),
  R_GET(ALERT_CONFIG, "/{alertConfigId}", .op = "getAlertConfig", .gate = alert_config_resolve, .run = svc_verb_read),
  R_PUT(ALERT_CONFIG, "/{alertConfigId}", .op = "updateAlertConfig", .gate = alert_config_resolve, .run = svc_verb_replace),
  R_PATCH(ALERT_CONFIG, "/{alertConfigId}", .body = &alert_config_toggle_object, .op = "toggleAlertConfig", .gate = alert_config_resolve,
          .run = alert_config_toggle,
          .example = "{\"enabled\":false}"),
  R_DELETE(ALERT_CONFIG, "/{alertConfigId}", .status = 204, .op = "deleteAlertConfig", .gate = alert_config_resolve, .run = svc_verb_delete),
  { .method = SVC_GET, .path = "/groups/{groupId}/alerts/{alertId}/alertConfigs", .set = SVC_SET_ALERTS, .versions = { 20230101 },
    .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED, .op = "getAlertConfigs", .run = alert_config_of_alert }
};

/* Default configurations in the table are not in the store, so this gate passes them to the verbs. */
static bool alert_config_resolve(svc_call *c)
{
  svc_entity e;
  int rc;
  if (!svc_resolve(c, 1)) return false;
  rc = svc_alert_default_get(c, &c->route.chain[0], svc_path_param(c, "alertConfigId"), &e);
  if (rc == SVC_OK) svc_resolve_with(c, &e);
  return rc == SVC_OK || rc == SVC_NOT_FOUND;
}

static bool alert_config_list(svc_call *c)
{
  if (!svc_resolve(c, 1)) return false;
  return svc_alert_defaults_in_table(&c->route.chain[0]) ? svc_alert_defaults_list(c, &c->route.chain[0], NULL) : svc_verb_list(c);
}

/* Checks the body of a toggle: fields other than `enabled` may only be sent back unchanged. */
static void alert_config_unchanged(svc_call *c, const svc_node *shown)
{
  svc_node *member, *next = c->body->first, *enabled = svc_node_get(c->body, "enabled");
  while ((member = next) != NULL) {
    const svc_node *was = svc_node_find(shown, member->name);
    bool links = svc_str_is(member->name, "links");
    next = member->next;
    if (member == enabled || (links ? svc_links_served(c, member) : was && svc_node_same(was, member))) continue;
    if (links || was) svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, member->name, "cannot be changed here: use PUT with the whole configuration");
    else svc_violate(c, SVC_E_INVALID_ATTRIBUTE, member->name, "does not exist in this object");
  }
  if (enabled && enabled->type != SVC_J_BOOL) svc_violate(c, SVC_E_INVALID_JSON_ATTRIBUTE, SVC_S("enabled"), "must be true or false");
}

/* Turns the configuration on or off; its other fields stay. */
static bool alert_config_toggle(svc_call *c)
{
  const svc_node *shown, *enabled;
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  shown = svc_entity_body(c, &change.entity);
  if (!shown) return false;
  if (c->body->type != SVC_J_OBJECT) return svc_fail_as(c, SVC_S("The body must be a JSON object."), SVC_E_INVALID_JSON, "");
  alert_config_unchanged(c, shown);
  if (!svc_check_done(c)) return false;
  enabled = svc_node_get(c->body, "enabled");
  if (enabled) svc_node_set_bool(c->arena, change.body, "enabled", svc_str_is(enabled->text, "true"));
  change.input = NULL;
  return svc_change_store(c, &change);
}

/* Answers with the configuration that opened the alert, if it still exists. */
static bool alert_config_of_alert(svc_call *c)
{
  const svc_noun_info *alerts = c->s->seats[SVC_SEAT_ALERTS];
  svc_entities which = { .noun = c->plan->noun };
  svc_str key = svc_path_param(c, "alertId"), group;
  svc_entity alert, config;
  svc_id by = { { 0 } };
  int rc = SVC_NOT_FOUND;
  if (!svc_resolve(c, 1)) return false;
  which.parent = c->scope.group;
  group = svc_id_str(c->arena, &c->scope.group);
  if (alerts) rc = svc_entity_get_text_id(c->txn, alerts->noun->kind, &which.parent, key, &alert);
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_ALERT_NOT_FOUND, "SS", &key, &group);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  svc_id_parse(svc_json_word(alert.body, "alertConfigId"), &by);
  if (svc_alert_defaults_in_table(&c->route.chain[0])) return svc_alert_defaults_list(c, &c->route.chain[0], &by);
  rc = svc_entity_get(c->txn, c->plan->noun->noun->kind, &which.parent, &by, &config);
  return svc_list_ids(c, &which, &by, rc == SVC_OK);
}

/* A toggle has no input, so nothing is checked: the configuration was checked when it was sent. */
static bool alert_config_prepare(svc_call *c, svc_change *change)
{
  if (change->input && (!svc_alert_config_rules(c, change->body) || !svc_alert_notifications_check(c, change))) return false;
  return (change->before && svc_node_same(change->body, change->before)) || svc_alert_defaults_write(c, &change->parent);
}

static bool alert_config_removing(svc_call *c, const svc_entity *e)
{
  return svc_alert_defaults_write(c, &e->parent);
}

/* Schedules measuring if the configuration is enabled and its type has a figure. Cancels open alerts if the configuration is turned off,
** or its type changes. */
static bool alert_config_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  const svc_alert_condition *condition = svc_alert_condition_of(c->s, svc_node_str(change->body, "eventTypeName"));
  bool off = !svc_node_bool(change->body, "enabled", false);
  if (!off && condition && !svc_alert_round_wake(c, &e->scope, condition->hourly)) return false;
  if (!change->before) return true;
  if (!off && svc_node_eq(change->before, "eventTypeName", svc_node_str(change->body, "eventTypeName"))) return true;
  return svc_alert_cancel(c, e);
}

static bool alert_config_gone(svc_call *c, const svc_entity *e)
{
  return svc_alert_cancel(c, e);
}

static const svc_field_error alert_config_errors[] = {
  { "eventTypeName", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_INVALID_EVENT_TYPE_FOR_ALERT },
  { "notifications", SVC_FIELD_FAULT_MISSING, SVC_E_MISSING_NOTIFICATIONS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_alert_config = {
  .name = SVC_ALERT_CONFIG,
  .rel = "alertConfigs",
  .kind = SVC_ALERT_CONFIG_KIND,
  .parent = "project",
  .param = "alertConfigId",
  .flags = SVC_EVENT_KEY,
  .object = &alert_config_object,
  .unique = "groupId/enabled/eventTypeName/id",
  .err_not_found = SVC_E_ALERT_CONFIG_NOT_FOUND,
  .err_exists = SVC_E_UNEXPECTED_ERROR, /* cannot happen: the id is part of the value */
  .most = 500,
  .err_quota = SVC_E_MAX_ALERT_CONFIGS_PER_GROUP_EXCEEDED,
  .event_created = "ALERT_CONFIG_ADDED_AUDIT",
  .event_updated = "ALERT_CONFIG_CHANGED_AUDIT",
  .event_deleted = "ALERT_CONFIG_DELETED_AUDIT",
  .event_field = "alertConfigId",
  .field_errors = alert_config_errors,
  .routes = SVC_ROUTES(alert_config_routes),
  .prepare = alert_config_prepare,
  .stored = alert_config_stored,
  .removing = alert_config_removing,
  .gone = alert_config_gone,
};
