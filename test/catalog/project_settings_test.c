/*
** The settings of a project: their defaults, changes field by field, and the events of those.
*/
#include "support.h"

#define SETTINGS "/groups/%s/settings"

static const struct { const char *name, *preset, *other, *event, *event_back; } settings[] = {
  { "isClusterAiAssistantEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isCollectDatabaseSpecificsStatisticsEnabled", "true", "false", "PROJECT_COLLECT_DATABASE_STATISTICS_UPDATED",
    "PROJECT_COLLECT_DATABASE_STATISTICS_UPDATED" },
  { "isDataExplorerEnabled", "true", "false", "DATA_EXPLORER_DISABLED", "DATA_EXPLORER_ENABLED" },
  { "isDataExplorerGenAIFeaturesEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isDataExplorerGenAISampleDocumentPassingEnabled", "false", "true", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isDataValidationEnabled", "true", "false", "PROJECT_ENABLE_DATA_VALIDATION_UPDATED", "PROJECT_ENABLE_DATA_VALIDATION_UPDATED" },
  { "isExtendedStorageSizesEnabled", "false", "true", "PROJECT_ENABLE_EXTENDED_STORAGE_SIZES_UPDATED",
    "PROJECT_ENABLE_EXTENDED_STORAGE_SIZES_UPDATED" },
  { "isNativeRerankingEnabled", "false", "true", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isPerformanceAdvisorEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isRealtimePerformancePanelEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isSchemaAdvisorEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
  { "isSvcHomePageAiAssistantEnabled", "true", "false", "GROUP_SETTINGS_UPDATED", "GROUP_SETTINGS_UPDATED" },
};
#define SETTING_COUNT (sizeof settings / sizeof settings[0])

TEST_SERVICE(project_settings, merge)
{
  const char *group, *other;
  char tag[64];
  size_t i;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, group), ==, 200);
  munit_assert_size(svc_node_count(t->body), ==, SETTING_COUNT + 1); /* and the links */
  for (i = 0; i < SETTING_COUNT; i++) munit_assert_string_equal(t_str(t, settings[i].name), settings[i].preset);
  munit_assert_string_not_equal(t_link(t, "group"), "");
  snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));

  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":false}", SETTINGS, group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"isNativeRerankingEnabled\":true}", SETTINGS, group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, group), ==, 200);
  munit_assert_size(svc_node_count(t->body), ==, SETTING_COUNT + 1);
  munit_assert_string_equal(t_str(t, "isSchemaAdvisorEnabled"), "false");
  munit_assert_string_equal(t_str(t, "isNativeRerankingEnabled"), "true");
  munit_assert_string_equal(t_str(t, "isDataExplorerEnabled"), "true");
  munit_assert_string_not_equal(t_get_header(t, "ETag"), tag);
  t_header(t, "If-Match", tag);
  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":true}", SETTINGS, group), ==, 412);
  t_headers_clear(t);

  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":null,\"isDataExplorerEnabled\":1,\"x\":true}", SETTINGS, group),
                   ==, 400);
  munit_assert_true(t_violation(t, "isSchemaAdvisorEnabled"));
  munit_assert_true(t_violation(t, "isDataExplorerEnabled"));
  munit_assert_true(t_violation(t, "x"));
  other = t_project(t, t_organization(t, "Beta"), "alpha"); /* each project has its own settings */
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, other), ==, 200);
  munit_assert_string_equal(t_str(t, "isSchemaAdvisorEnabled"), "true");
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  t->grants[0].role = "GROUP_READ_ONLY";
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":true}", SETTINGS, group), ==, 403);
}

TEST_SERVICE(project_settings, events)
{
  const char *group;
  char body[128];
  size_t i, back;
  int64_t count = 1; /* GROUP_CREATED */
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  for (i = 0; i < SETTING_COUNT; i++)
    for (back = 0; back < 2; back++) {
      snprintf(body, sizeof body, "{\"%s\":%s}", settings[i].name, back ? settings[i].preset : settings[i].other);
      munit_assert_int(t_sendf(t, "PATCH", body, SETTINGS, group), ==, 200);
      munit_assert_string_equal(t_str(t, settings[i].name), back ? settings[i].preset : settings[i].other);
      munit_assert_int(t_sendf(t, "PATCH", body, SETTINGS, group), ==, 200); /* again: nothing changes */
      munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", group), ==, 200);
      munit_assert_int64(t_int(t, "totalCount"), ==, ++count);
      munit_assert_string_equal(t_str(t, "results[0].eventTypeName"), back ? settings[i].event_back : settings[i].event);
      munit_assert_string_equal(t_str(t, "results[0].groupId"), group);
    }
  munit_assert_int(t_sendf(t, "PATCH", "{\"isDataExplorerEnabled\":false,\"isSchemaAdvisorEnabled\":false,"
                           "\"isPerformanceAdvisorEnabled\":false}", SETTINGS, group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, count + 2); /* an event for the field with its own type, and an event for the others
                                                                together */
}
