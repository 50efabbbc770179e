/*
** Notifications of an alert configuration: the recipients, the delay, and the interval of repetitions.
**
** The rule: secrets of other services are sealed, like in the project's integrations. A notification to another service
** has a secret of its own, names the project's integration of the same kind, or uses that integration by default. A user,
** team or integration must exist when it is named; a recipient that leaves later is no longer notified.
*/
#include "catalog/monitoring/alert_parts.h"
#include "catalog/values.h"

#define NOTIFICATIONS_MOST_BYTES 16384 /* total of all texts in a configuration's notifications */
#define NOTIFICATIONS_WEEK 10080       /* in minutes */

static const char *const alert_notifications_types[] = { "DATADOG", "EMAIL", "GROUP", "HIP_CHAT", "MICROSOFT_TEAMS", "OPS_GENIE", "ORG",
                                                         "PAGER_DUTY", "SLACK", "SMS", "TEAM", "USER", "VICTOR_OPS", "WEBHOOK", NULL };
static const char *const alert_notifications_datadog_regions[] = { "US", "EU", "US3", "US5", "AP1", "US1_FED", NULL };
static const char *const alert_notifications_regions[] = { "US", "EU", NULL };

/* Roles on projects, from the list of all roles. */
#define NOTIFICATIONS_ROLE_GROUP(name) #name,
#define NOTIFICATIONS_ROLE_ORGANIZATION(name)
#define NOTIFICATIONS_ROLE(name, level, includes) NOTIFICATIONS_ROLE_##level(name)
static const char *const alert_notifications_group_roles[] = { SVC_ROLE_LIST(NOTIFICATIONS_ROLE) NULL };

#define NOTIFICATION_SECRET(name, ...) F_STR(name, .flags = SVC_SEALED, .min = 1, __VA_ARGS__)

static const svc_field alert_notifications_common_fields[] = {
  F_INT("delayMin", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = NOTIFICATIONS_WEEK),
  F_INT("intervalMin", .flags = SVC_MIN | SVC_MAX, .min = 5, .max = NOTIFICATIONS_WEEK),
  F_HEX24("notifierId", .fill = SVC_AUTO_ID),
  F_ENUM("typeName", alert_notifications_types, .flags = SVC_REQUIRED)
};
static const svc_object alert_notifications_common = { .name = "AlertNotification", .fields = SVC_ROWS(alert_notifications_common_fields) };

/* Notifications to people, by mail or SMS. */
static const svc_field alert_notifications_people_fields[] = { F_BOOL("emailEnabled"), F_BOOL("smsEnabled") };
static const svc_object alert_notifications_people = { .name = "PeopleNotification", .base = &alert_notifications_common,
                                                       .fields = SVC_ROWS(alert_notifications_people_fields) };

/* Notifications to another service. */
static const svc_field alert_notifications_service_fields[] = { F_HEX24("integrationId") };
static const svc_object alert_notifications_service = { .name = "ServiceNotification", .base = &alert_notifications_common,
                                                        .fields = SVC_ROWS(alert_notifications_service_fields) };

#define NOTIFICATION(stem, label, of, ...) \
  static const svc_field alert_notifications_##stem##_fields[] = { __VA_ARGS__ }; \
  static const svc_object alert_notifications_##stem = { .name = label "Notification", .base = &alert_notifications_##of, \
                                                         .fields = SVC_ROWS(alert_notifications_##stem##_fields) };

NOTIFICATION(datadog, "Datadog", service, NOTIFICATION_SECRET("datadogApiKey", .max = 128),
             F_ENUM("datadogRegion", alert_notifications_datadog_regions, .preset = "\"US\""))
NOTIFICATION(email, "Email", common, F_STR("emailAddress", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL, .max = 256))
NOTIFICATION(group, "Group", people, F_STRS("roles", .max_items = 32, .max = 64, .flags = SVC_OPEN, .values = alert_notifications_group_roles))
NOTIFICATION(hip_chat, "HipChat", service, NOTIFICATION_SECRET("notificationToken", .max = 256), F_STR("roomName", .max = 128))
NOTIFICATION(teams, "MicrosoftTeams", service, NOTIFICATION_SECRET("microsoftTeamsWebhookUrl", .max = 1024, .format = SVC_FORMAT_URI))
NOTIFICATION(ops_genie, "OpsGenie", service, NOTIFICATION_SECRET("opsGenieApiKey", .max = 128),
             F_ENUM("opsGenieRegion", alert_notifications_regions, .preset = "\"US\""))
NOTIFICATION(org, "Org", people, F_STRS("roles", .max_items = 32, .values = svc_values_org_roles))
NOTIFICATION(pager_duty, "PagerDuty", service, F_ENUM("region", alert_notifications_regions, .preset = "\"US\""),
             NOTIFICATION_SECRET("serviceKey", .max = 128))
NOTIFICATION(slack, "Slack", service, NOTIFICATION_SECRET("apiToken", .max = 256), F_STR("channelName", .max = 128))
NOTIFICATION(sms, "SMS", common, F_STR("mobileNumber", .flags = SVC_REQUIRED, .pattern = "^\\+?[0-9 ().-]{7,24}$"))
NOTIFICATION(team, "Team", people, F_HEX24("teamId", .flags = SVC_REQUIRED), F_STR("teamName", .max = 64))
NOTIFICATION(user, "User", people, F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL, .max = 256))
NOTIFICATION(victor_ops, "VictorOps", service, NOTIFICATION_SECRET("victorOpsApiKey", .max = 128), F_STR("victorOpsRoutingKey", .max = 256))
static const svc_field alert_notifications_webhook_fields[] = {
  NOTIFICATION_SECRET("webhookBodyTemplate", .max = 8192), NOTIFICATION_SECRET("webhookHeadersTemplate", .max = 8192),
  NOTIFICATION_SECRET("webhookSecret", .max = 1024), NOTIFICATION_SECRET("webhookUrl", .max = 1024, .format = SVC_FORMAT_URI)
};
static const char *const alert_notifications_webhook_at[] = { "webhookUrl", NULL };
static const svc_object alert_notifications_webhook = {
  .name = "WebhookNotification", .base = &alert_notifications_service, .fields = SVC_ROWS(alert_notifications_webhook_fields),
  .ext = SVC_OBJECT_EXT(.secrets_go_to = alert_notifications_webhook_at)
};

static const svc_variant alert_notifications_variants[] = {
  { "DATADOG", &alert_notifications_datadog },       { "EMAIL", &alert_notifications_email },
  { "GROUP", &alert_notifications_group },           { "HIP_CHAT", &alert_notifications_hip_chat },
  { "MICROSOFT_TEAMS", &alert_notifications_teams }, { "OPS_GENIE", &alert_notifications_ops_genie },
  { "ORG", &alert_notifications_org },               { "PAGER_DUTY", &alert_notifications_pager_duty },
  { "SLACK", &alert_notifications_slack },           { "SMS", &alert_notifications_sms },
  { "TEAM", &alert_notifications_team },             { "USER", &alert_notifications_user },
  { "VICTOR_OPS", &alert_notifications_victor_ops }, { "WEBHOOK", &alert_notifications_webhook },
  { NULL, NULL }
};
SVC_PRIVATE const svc_object svc_alert_notification = { .name = "AlertsNotificationRootForGroup", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("typeName", NULL, alert_notifications_variants)) };

/* ----------------------------------------------------------------------------------------------------------------- rules */

/* The secret that a notification to another service requires, in the notification or in the project's integration. */
static const struct alert_notifications_key {
  const char *type, *field;
} alert_notifications_keys[] = {
  { "DATADOG", "datadogApiKey" },   { "HIP_CHAT", "notificationToken" }, { "MICROSOFT_TEAMS", "microsoftTeamsWebhookUrl" },
  { "OPS_GENIE", "opsGenieApiKey" }, { "PAGER_DUTY", "serviceKey" },     { "SLACK", "apiToken" },
  { "VICTOR_OPS", "victorOpsApiKey" }, { "WEBHOOK", "webhookUrl" },      { NULL, NULL }
};

SVC_PRIVATE bool svc_alert_integration(svc_call *c, const svc_id *group, svc_str type, svc_entity *out)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "integration");
  return noun && svc_entity_named(c->txn, noun->noun->kind, NULL, group, type, out) == SVC_OK;
}

static bool alert_notifications_service_known(svc_call *c, const svc_node *item, unsigned i)
{
  svc_str type = svc_node_str(item, "typeName"), wanted = svc_node_str(item, "integrationId"), group;
  const struct alert_notifications_key *key = alert_notifications_keys;
  svc_entity e;
  bool there;
  while (key->type && !svc_str_is(type, key->type)) key++;
  if (!key->type || (wanted.n == 0 && svc_node_get(item, key->field))) return true;
  there = svc_alert_integration(c, &c->scope.group, type, &e);
  if (there && (wanted.n == 0 || svc_str_eq(wanted, svc_id_str(c->arena, &e.id)))) return true;
  group = svc_id_str(c->arena, &c->scope.group);
  if (wanted.n) return svc_txn_good(c) && svc_fail(c, SVC_E_INTEGRATION_NOT_CONFIGURED, "SS", &wanted, &group);
  svc_violate(c, SVC_E_MISSING_ATTRIBUTE, svc_arena_print(c->arena, "notifications[%u].%s", i, key->field),
              "is required, because the project has no integration of this kind");
  return svc_check_done(c);
}

/* Checks the team, and adds its name. */
static bool alert_notifications_team_known(svc_call *c, svc_node *item)
{
  const svc_noun_info *noun = c->s->seats[SVC_SEAT_TEAM];
  svc_str id = svc_node_str(item, "teamId"), org = svc_id_str(c->arena, &c->scope.org);
  svc_entity team;
  int rc;
  if (!noun) return true;
  rc = svc_entity_get_text_id(c->txn, noun->noun->kind, &c->scope.org, id, &team);
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_TEAM_NOT_FOUND, "SS", &id, &org);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  svc_node_set_str(c->arena, item, "teamName", team.unique);
  return true;
}

static bool alert_notifications_user_known(svc_call *c, const svc_node *item)
{
  svc_str name = svc_node_str(item, "username");
  svc_member m;
  if (!c->s->seats[SVC_SEAT_USER]) return true;
  if (!svc_member_named(c, &c->scope.org, name, &m)) return false;
  return svc_str_is(m.status, "ACTIVE") || svc_fail(c, SVC_E_USERNAME_NOT_FOUND, "S", &name);
}

static bool alert_notifications_one(svc_call *c, svc_node *item, unsigned i)
{
  svc_str type = svc_node_str(item, "typeName"), roles = svc_arena_print(c->arena, "notifications[%u].roles", i);
  if (svc_str_is(type, "TEAM")) return alert_notifications_team_known(c, item);
  if (svc_str_is(type, "USER")) return alert_notifications_user_known(c, item);
  if (svc_str_is(type, "GROUP")) return svc_roles_check(c, svc_node_get(item, "roles"), SVC_SCOPE_GROUP, roles.p);
  return alert_notifications_service_known(c, item, i);
}

static size_t alert_notifications_bytes(const svc_node *item)
{
  const svc_node *member;
  size_t n = item->text.n;
  for (member = item->first; member; member = member->next) n += alert_notifications_bytes(member);
  return n;
}

/* A notification keeps its id if none was sent, and the stored one at the same place has the same kind. */
static void alert_notifications_keep_id(svc_call *c, const svc_node *sent, const svc_node *before, svc_node *item)
{
  if (!before || svc_node_get(sent, "notifierId")) return;
  if (!svc_node_eq(before, "typeName", svc_node_str(item, "typeName"))) return;
  svc_node_set_from(c->arena, item, "notifierId", before, "notifierId");
}

SVC_PRIVATE bool svc_alert_notifications_check(svc_call *c, svc_change *change)
{
  svc_node *list = svc_node_get(change->body, "notifications"), *item;
  const svc_node *before = svc_node_get(change->before, "notifications"), *sent = svc_node_get(change->input, "notifications");
  unsigned i = 0;
  if (before) before = before->first;
  sent = svc_node_first(sent);
  for (item = svc_node_first(list); item; item = item->next, i++) {
    alert_notifications_keep_id(c, sent, before, item);
    if (!alert_notifications_one(c, item, i)) return false;
    if (before) before = before->next;
    if (sent) sent = sent->next;
  }
  if (list && alert_notifications_bytes(list) > NOTIFICATIONS_MOST_BYTES)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("notifications"), "are too long: together they may have %d bytes", NOTIFICATIONS_MOST_BYTES);
  return svc_check_done(c);
}
