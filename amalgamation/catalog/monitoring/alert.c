/*
** Alert: an event or a state that an alert configuration watches. The service opens and closes alerts (alert_acts.c).
** Users can acknowledge an alert until a date.
**
**   TRACKING -> OPEN -> CLOSED, or CANCELLED from TRACKING or OPEN; deleted 90 days after its end
*/
#include "catalog/monitoring/alert_parts.h"

static const char *const alert_states[] = { "CANCELLED", "CLOSED", "OPEN", "TRACKING", NULL };
static const char *const alert_asked[] = { "OPEN", "TRACKING", "CLOSED", NULL };

#define ALERT_TEXT(n) F_STR(n, .flags = SVC_READ_ONLY)

static const svc_field alert_value_fields[] = { F_NUM("number", .flags = SVC_READ_ONLY),
                                                F_ENUM("units", svc_alert_units, .flags = SVC_READ_ONLY) };
static const svc_object alert_value_object = { .name = "HostMetricValue", .fields = SVC_ROWS(alert_value_fields) };

/* All fields of alerts; the type of event decides which of them an alert has. */
static const svc_field alert_fields[] = {
  F_DATE("acknowledgedUntil", .flags = SVC_NULLABLE),
  F_STR("acknowledgementComment", .flags = SVC_NULLABLE, .max = 200),
  ALERT_TEXT("acknowledgingUsername"),
  F_HEX24("alertConfigId", .flags = SVC_READ_ONLY),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  ALERT_TEXT("clusterName"),
  F_CREATED("created"),
  F_OBJ("currentValue", &alert_value_object, .flags = SVC_READ_ONLY),
  F_STR("eventTypeName", .flags = SVC_READ_ONLY | SVC_GROUP_EVENTS | SVC_ALERTABLE),
  F_GROUP_ID(),
  ALERT_TEXT("hostnameAndPort"),
  F_ID(),
  ALERT_TEXT("instanceName"),
  F_DATE("lastNotified", .flags = SVC_READ_ONLY),
  ALERT_TEXT("metricName"),
  F_STRS("nonRunningHostIds", .flags = SVC_READ_ONLY),
  F_ORG_ID(),
  F_HEX24("parentClusterId", .flags = SVC_READ_ONLY),
  ALERT_TEXT("processorErrorMsg"),
  ALERT_TEXT("processorName"),
  ALERT_TEXT("processorState"),
  ALERT_TEXT("replicaSetName"),
  F_DATE("resolved", .flags = SVC_READ_ONLY),
  F_ENUM("status", alert_states, .flags = SVC_READ_ONLY),
  F_DATE("updated", .flags = SVC_READ_ONLY),
  ALERT_TEXT("userAlias")
};
static const svc_object alert_object = { .name = "AlertViewForGroup", .fields = SVC_ROWS(alert_fields) };

static const svc_field alert_acknowledge_fields[] = { F_BOOL("unacknowledgeAlert", .flags = SVC_WRITE_ONLY) };
static const svc_object alert_acknowledge_object = { .name = "AcknowledgeAlert", .base = &alert_object,
                                                     .fields = SVC_ROWS(alert_acknowledge_fields) };

static const svc_param alert_params[] = { { .name = "status", .values = alert_asked }, { .name = NULL } };
static const svc_filter alert_filters[] = { { "status", SVC_EQUALS, "status" }, { NULL, 0, NULL } };

static bool alert_of_config(svc_call *c);
static bool alert_is_open_of(svc_call *c, const svc_entity *e);
static bool alert_acknowledge(svc_call *c);

/* Version 2023-01-01 has no unacknowledgeAlert: a date in the past, or null, ends an acknowledgement. */
static const svc_older alert_older[] = { { .date = 20230101, .sunset = 20270701, .body = &alert_object }, { .date = 0 } };

#define ALERT "/groups/{groupId}/alerts", SVC_SET_ALERTS, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_route alert_routes[] = {
  R_GET(ALERT, "", .flags = SVC_PAGED, .params = alert_params, .op = "listAlerts", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = alert_filters)),
  R_GET(ALERT, "/{alertId}", .op = "getAlert", .run = svc_verb_read),
  { .method = SVC_PATCH, .path = "/groups/{groupId}/alerts/{alertId}", .set = SVC_SET_ALERTS, .versions = { 20230101, 20240530 }, .older = alert_older,
    .roles = SVC_R_GROUP_ALERTS_MANAGER, .body = &alert_acknowledge_object, .op = "acknowledgeAlert", .run = alert_acknowledge,
    .example = "{\"acknowledgedUntil\":\"2037-01-01T00:00:00Z\",\"acknowledgementComment\":\"is known\"}" },
  { .method = SVC_GET, .path = "/groups/{groupId}/alertConfigs/{alertConfigId}/alerts", .set = SVC_SET_ALERTS, .versions = { 20230101 },
    .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED, .op = "getAlertConfigAlerts", .gate = alert_of_config, .run = svc_verb_list,
    .ext = SVC_ROUTE_EXT(.keep = alert_is_open_of) }
};

/* Whether the alert belongs to the configuration of the path, and is not over. */
static bool alert_is_open_of(svc_call *c, const svc_entity *e)
{
  return e->unique.n && svc_str_eq(svc_json_word(e->body, "alertConfigId"), svc_path_param(c, "alertConfigId"));
}

/* Checks that the configuration exists. */
static bool alert_of_config(svc_call *c)
{
  svc_str key = svc_path_param(c, "alertConfigId"), group;
  svc_entity config;
  int rc = svc_alert_config_get(c, &c->scope.group, key, &config);
  group = svc_id_str(c->arena, &c->scope.group);
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_ALERT_CONFIG_NOT_FOUND, "SS", &key, &group);
  return svc_status_good(c, rc);
}

static bool alert_acknowledge(svc_call *c)
{
  svc_change change;
  svc_node *body;
  if (!svc_change_begin(c, &change)) return false;
  body = svc_check(c, &alert_acknowledge_object, c->body, change.before, SVC_CHECK_UPDATE);
  return svc_check_done(c) && svc_alert_acknowledge(c, &change, body);
}

SVC_PRIVATE const svc_noun svc_noun_alert = {
  .name = "alert",
  .rel = "alerts",
  .kind = "alrt",
  .parent = "project",
  .param = "alertId",
  .seat = SVC_SEAT_ALERTS,
  .flags = SVC_EXPIRES | SVC_EVENT_KEY,
  .object = &alert_object,
  .err_not_found = SVC_E_ALERT_NOT_FOUND,
  .event_field = "alertId",
  .routes = SVC_ROUTES(alert_routes),
  .fell_due = svc_alert_fell_due,
  .ext = SVC_NOUN_EXT(.alerts = &(const svc_alert_ops){ svc_alert_on_event })
};
