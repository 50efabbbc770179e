/*
** Third-party integrations: the services to which a project sends its alerts and metrics, one of each kind.
**
** The rule: keys, tokens and URLs that contain one are sealed. The path and the body both name the kind, and must agree. A
** change answers with all integrations, as the public service does.
*/
#include "catalog/catalog.h"

static const char *const integration_types[] = { "DATADOG", "MICROSOFT_TEAMS", "NEW_RELIC", "OPS_GENIE", "PAGER_DUTY", "PROMETHEUS",
                                                 "SLACK", "VICTOR_OPS", "WEBHOOK", NULL };
static const char *const integration_datadog_regions[] = { "US", "EU", "US3", "US5", "AP1", "US1_FED", NULL };
static const char *const integration_regions[] = { "US", "EU", NULL };
static const char *const integration_discoveries[] = { "http", "file", NULL };

#define INTEGRATION_SECRET(name, ...) F_STR(name, .min = 1, .max = 1024, .flags = SVC_SEALED | __VA_ARGS__)
#define INTEGRATION_URL(name) INTEGRATION_SECRET(name, SVC_REQUIRED, .format = SVC_FORMAT_URI)
#define INTEGRATION_TYPE() F_ENUM("type", integration_types, .flags = SVC_REQUIRED | SVC_FIXED)

static const svc_field integration_datadog_fields[] = {
  INTEGRATION_SECRET("apiKey", SVC_REQUIRED),
  F_STR("customEndpoint", .flags = SVC_NULLABLE, .format = SVC_FORMAT_URI, .max = 1024), /* left out: the endpoint of the region */
  F_ID(),
  F_ENUM("region", integration_datadog_regions),
  F_BOOL("sendCollectionLatencyMetrics", .preset = "false"),
  F_BOOL("sendDatabaseMetrics", .preset = "false"),
  F_BOOL("sendQueryStatsMetrics", .preset = "false"),
  F_BOOL("sendUserProvidedResourceTags", .preset = "false"),
  INTEGRATION_TYPE()
};
static const char *const integration_datadog_at[] = { "customEndpoint", NULL };
static const svc_object integration_datadog = { .name = "Datadog", .fields = SVC_ROWS(integration_datadog_fields),
                                                .ext = SVC_OBJECT_EXT(.secrets_go_to = integration_datadog_at) };

static const svc_field integration_teams_fields[] = {
  F_ID(), INTEGRATION_URL("microsoftTeamsWebhookUrl"), INTEGRATION_TYPE()
};
static const svc_object integration_teams = { .name = "MicrosoftTeams", .fields = SVC_ROWS(integration_teams_fields) };

static const svc_field integration_new_relic_fields[] = {
  F_STR("accountId", .flags = SVC_REQUIRED, .pattern = "^([0-9a-f]){40}$"),
  F_ID(),
  INTEGRATION_SECRET("licenseKey", SVC_REQUIRED, .pattern = "^([0-9a-f]){40}$"),
  INTEGRATION_SECRET("readToken", SVC_REQUIRED),
  INTEGRATION_TYPE(),
  INTEGRATION_SECRET("writeToken", SVC_REQUIRED)
};
static const svc_object integration_new_relic = { .name = "NewRelic", .fields = SVC_ROWS(integration_new_relic_fields) };

static const svc_field integration_ops_genie_fields[] = {
  INTEGRATION_SECRET("apiKey", SVC_REQUIRED), F_ID(), F_ENUM("region", integration_regions, .preset = "\"US\""), INTEGRATION_TYPE()
};
static const svc_object integration_ops_genie = { .name = "OpsGenie", .fields = SVC_ROWS(integration_ops_genie_fields) };

static const svc_field integration_pager_duty_fields[] = {
  F_ID(), F_ENUM("region", integration_regions), INTEGRATION_SECRET("serviceKey", SVC_REQUIRED), INTEGRATION_TYPE()
};
static const svc_object integration_pager_duty = { .name = "PagerDuty", .fields = SVC_ROWS(integration_pager_duty_fields) };

static const svc_field integration_prometheus_fields[] = {
  F_BOOL("enabled", .flags = SVC_REQUIRED),
  F_ID(),
  INTEGRATION_SECRET("password", SVC_WRITE_ONLY),
  F_BOOL("sendUserProvidedResourceTagsEnabled", .preset = "false"),
  F_ENUM("serviceDiscovery", integration_discoveries, .flags = SVC_REQUIRED),
  INTEGRATION_TYPE(),
  F_STR("username", .flags = SVC_REQUIRED, .min = 1, .max = 256)
};
static const svc_object integration_prometheus = { .name = "Prometheus", .fields = SVC_ROWS(integration_prometheus_fields) };

static const svc_field integration_slack_fields[] = {
  INTEGRATION_SECRET("apiToken", SVC_REQUIRED),
  F_STR("channelName", .flags = SVC_REQUIRED, .min = 1, .max = 80),
  F_ID(),
  F_STR("teamName", .max = 256),
  INTEGRATION_TYPE()
};
static const svc_object integration_slack = { .name = "Slack", .fields = SVC_ROWS(integration_slack_fields) };

static const svc_field integration_victor_ops_fields[] = {
  INTEGRATION_SECRET("apiKey", SVC_REQUIRED), F_ID(), F_STR("routingKey", .max = 256), INTEGRATION_TYPE()
};
static const svc_object integration_victor_ops = { .name = "VictorOps", .fields = SVC_ROWS(integration_victor_ops_fields) };

/* Headers often contain the receiver's token. */
static const svc_field integration_webhook_fields[] = {
  F_STR("bodyTemplate", .max = 8192),
  F_STR("headersTemplate", .flags = SVC_SEALED, .min = 1, .max = 8192),
  F_ID(),
  INTEGRATION_SECRET("secret", 0),
  INTEGRATION_TYPE(),
  INTEGRATION_URL("url")
};
static const char *const integration_webhook_at[] = { "url", NULL };
static const svc_object integration_webhook = { .name = "Webhook", .fields = SVC_ROWS(integration_webhook_fields),
                                                .ext = SVC_OBJECT_EXT(.secrets_go_to = integration_webhook_at) };

static const svc_variant integration_variants[] = {
  { "DATADOG", &integration_datadog },     { "MICROSOFT_TEAMS", &integration_teams },
  { "NEW_RELIC", &integration_new_relic }, { "OPS_GENIE", &integration_ops_genie },
  { "PAGER_DUTY", &integration_pager_duty }, { "PROMETHEUS", &integration_prometheus },
  { "SLACK", &integration_slack },         { "VICTOR_OPS", &integration_victor_ops },
  { "WEBHOOK", &integration_webhook },     { NULL, NULL }
};
static const svc_object integration_object = { .name = "ThirdPartyIntegration", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, integration_variants)) };

static bool integration_create(svc_call *c);
static bool integration_replace(svc_call *c);

#define INTEGRATION "/groups/{groupId}/integrations", SVC_SET_INTEGRATIONS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route integration_routes[] = {
  R_GET(INTEGRATION, "", .flags = SVC_PAGED, .op = "listGroupIntegrations", .run = svc_verb_list),
  R_GET(INTEGRATION, "/{integrationType}", .op = "getGroupIntegration", .run = svc_verb_read),
  R_POST(INTEGRATION, "/{integrationType}", .status = 201, .flags = SVC_PAGED, .op = "createGroupIntegration", .run = integration_create,
         .example = "{\"type\":\"DATADOG\",\"apiKey\":\"0123456789abcdef0123456789abcdef\",\"region\":\"EU\"}"),
  R_PUT(INTEGRATION, "/{integrationType}", .flags = SVC_PAGED, .op = "updateGroupIntegration", .run = integration_replace),
  R_DELETE(INTEGRATION, "/{integrationType}", .status = 204, .op = "deleteGroupIntegration", .run = svc_verb_delete)
};

/* ----------------------------------------------------------------------------------------------------------------- verbs */

static bool integration_all(svc_call *c)
{
  svc_entities all = { .noun = c->plan->noun, .parent = c->scope.group };
  return svc_list_entities(c, &all);
}

static bool integration_create(svc_call *c)
{
  svc_str type = svc_node_str(c->checked, "type");
  svc_change change;
  svc_entity e;
  if (!svc_resolve(c, 1)) return false;
  if (!svc_str_eq(type, c->route.params[1])) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("type"), "must match the path: " SVC_FMT, SVC_ARG(c->route.params[1]));
    return svc_check_done(c);
  }
  if (!svc_change_new(c, c->plan->noun, c->checked, &change)) return false;
  change.parent = c->scope.group;
  return svc_insert(c, &change, &e) && integration_all(c);
}

static bool integration_replace(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_begin(c, &change)) return false;
  change.body = svc_check(c, &integration_object, c->body, change.before, SVC_CHECK_REPLACE);
  return svc_check_done(c) && svc_change_keep(c, &change, &e) && integration_all(c);
}

SVC_PRIVATE const svc_noun svc_noun_integration = {
  .name = "integration",
  .kind = "intg",
  .parent = "project",
  .param = "integrationType",
  .object = &integration_object,
  .key = "type",
  .unique = "type",
  .err_not_found = SVC_E_INTEGRATION_NOT_CONFIGURED,
  .err_exists = SVC_E_INTEGRATION_ALREADY_CONFIGURED,
  .event_created = "INTEGRATION_CONFIGURED",
  .event_updated = "INTEGRATION_CONFIGURED",
  .event_deleted = "INTEGRATION_REMOVED",
  .routes = SVC_ROUTES(integration_routes),
};
