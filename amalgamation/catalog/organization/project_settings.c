/*
** The settings of a project: each project always has exactly one such resource, and a PATCH changes single fields. While the
** organization has turned generative features off, those of the project show as off and cannot be turned on. The stored values
** are kept, and shown again when the organization turns the features on.
**
** The effect of each field:
**
**   isCollectDatabaseSpecificsStatisticsEnabled  off: measurements of single databases and collections answer 403
**   isExtendedStorageSizesEnabled                disks of clusters from M30 on may be twice as large (cluster_specs.c)
**   isPerformanceAdvisorEnabled                  off: slow queries, their namespaces and suggested indexes answer 403
**   isSchemaAdvisorEnabled                       off: schema advice answers 403
**   isDataValidationEnabled                      whether a driver validates data: stored; a change writes an event
**   all others                                   features of a web interface, which this API does not have: stored; a
**                                                change writes an event
*/
#include "catalog/catalog.h"

static const svc_field project_settings_fields[] = {
  F_BOOL("isClusterAiAssistantEnabled", .preset = "true"),
  F_BOOL("isCollectDatabaseSpecificsStatisticsEnabled", .preset = "true"),
  F_BOOL("isDataExplorerEnabled", .preset = "true"),
  F_BOOL("isDataExplorerGenAIFeaturesEnabled", .preset = "true"),
  F_BOOL("isDataExplorerGenAISampleDocumentPassingEnabled", .preset = "false"),
  F_BOOL("isDataValidationEnabled", .preset = "true"),
  F_BOOL("isExtendedStorageSizesEnabled", .preset = "false"),
  F_BOOL("isNativeRerankingEnabled", .preset = "false"),
  F_BOOL("isPerformanceAdvisorEnabled", .preset = "true"),
  F_BOOL("isRealtimePerformancePanelEnabled", .preset = "true"),
  F_BOOL("isSchemaAdvisorEnabled", .preset = "true"),
  F_BOOL("isSvcHomePageAiAssistantEnabled", .preset = "true")
};
static const svc_object project_settings_object = { .name = "GroupSettings", .fields = SVC_ROWS(project_settings_fields) };

static bool project_settings_may(svc_call *c);

#define PROJECT_SETTINGS "/groups/{groupId}/settings", SVC_SET_PROJECTS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route project_settings_routes[] = {
  R_GET(PROJECT_SETTINGS, "", .op = "getGroupSettings", .run = svc_verb_read, .ext = SVC_ROUTE_EXT(.leads = true)),
  R_PATCH(PROJECT_SETTINGS, "", .op = "updateGroupSettings", .gate = project_settings_may, .run = svc_verb_update)
};

static const svc_field_event project_settings_events[] = {
  { "isCollectDatabaseSpecificsStatisticsEnabled", "PROJECT_COLLECT_DATABASE_STATISTICS_UPDATED", NULL },
  { "isDataExplorerEnabled", "DATA_EXPLORER_ENABLED", "true" },
  { "isDataExplorerEnabled", "DATA_EXPLORER_DISABLED", "false" },
  { "isDataValidationEnabled", "PROJECT_ENABLE_DATA_VALIDATION_UPDATED", NULL },
  { "isExtendedStorageSizesEnabled", "PROJECT_ENABLE_EXTENDED_STORAGE_SIZES_UPDATED", NULL },
  { NULL, NULL, NULL }
};

/* Features that the organization can turn off for all of its projects. */
static const char *const project_settings_generative[] = {
  "isClusterAiAssistantEnabled", "isDataExplorerGenAIFeaturesEnabled", "isDataExplorerGenAISampleDocumentPassingEnabled",
  "isSvcHomePageAiAssistantEnabled", NULL
};

/* Runs before the body is compared with the stored settings: a feature that is stored as on shows as off, so a body that turns it on
** asks for a change. */
static bool project_settings_may(svc_call *c)
{
  const char *const *name = project_settings_generative;
  svc_str org;
  if (!svc_resolve_all(c)) return false;
  org = svc_id_str(c->arena, &c->scope.org);
  if (svc_org_setting(c, "genAIFeaturesEnabled", true)) return true;
  for (; *name; name++)
    if (svc_node_bool(c->body, *name, false)) return svc_fail(c, SVC_E_GEN_AI_FEATURES_DISABLED, "sS", *name, &org);
  return true;
}

static svc_node *project_settings_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  const char *const *name = project_settings_generative;
  if (!body || svc_org_setting(c, "genAIFeaturesEnabled", true)) return body;
  for (; *name; name++) svc_node_set_bool(c->arena, body, *name, false);
  return body;
}

SVC_PRIVATE const svc_noun svc_noun_project_settings = {
  .name = "project settings",
  .kind = "gset",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &project_settings_object,
  .event_updated = "GROUP_SETTINGS_UPDATED",
  .routes = SVC_ROUTES(project_settings_routes),
  .view = project_settings_view,
  .ext = SVC_NOUN_EXT(.field_events = project_settings_events)
};
