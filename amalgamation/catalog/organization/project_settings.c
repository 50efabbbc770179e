/*
** The settings of a project: one for each, always there, changed field by field.
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
  F_END
};
static const svc_object project_settings_object = { .name = "GroupSettings", .fields = project_settings_fields };

#define PROJECT_SETTINGS "/groups/{groupId}/settings", SVC_SET_PROJECTS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route project_settings_routes[] = {
  R_GET(PROJECT_SETTINGS, "", .run = svc_verb_read),
  R_PATCH(PROJECT_SETTINGS, "", .run = svc_verb_update),
  SVC_ROUTES_END
};

static const svc_field_event project_settings_events[] = {
  { "isCollectDatabaseSpecificsStatisticsEnabled", "PROJECT_COLLECT_DATABASE_STATISTICS_UPDATED", NULL },
  { "isDataExplorerEnabled", "DATA_EXPLORER_ENABLED", "true" },
  { "isDataExplorerEnabled", "DATA_EXPLORER_DISABLED", "false" },
  { "isDataValidationEnabled", "PROJECT_ENABLE_DATA_VALIDATION_UPDATED", NULL },
  { "isExtendedStorageSizesEnabled", "PROJECT_ENABLE_EXTENDED_STORAGE_SIZES_UPDATED", NULL },
  { NULL, NULL, NULL }
};

SVC_PRIVATE const svc_noun svc_noun_project_settings = {
  .name = "project settings",
  .kind = "gset",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &project_settings_object,
  .event_updated = "GROUP_SETTINGS_UPDATED",
  .field_events = project_settings_events,
  .routes = project_settings_routes,
};
