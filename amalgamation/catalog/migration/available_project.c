/*
** Available project: a project of another installation with deployments that can be migrated into this organization.
** Nothing is stored: once the organization is linked (link_token.c), the driver is asked. In the simulation, the other
** installation is this service itself: the projects of the organization are available (monitoring/simulated_migration.c).
*/
#include "catalog/catalog.h"
#include "catalog/migration/migration_parts.h"

static const svc_field available_project_deployment_fields[] = {
  F_STR("agentVersion"),
  F_HEX24("clusterId"),
  F_LONG("dbSizeBytes"),
  F_STR("dbVersion", .flags = SVC_REQUIRED),
  F_STR("featureCompatibilityVersion", .flags = SVC_REQUIRED),
  F_BOOL("managed", .flags = SVC_REQUIRED),
  F_STR("name", .flags = SVC_REQUIRED),
  F_INT("oplogSizeMB"),
  F_BOOL("sharded", .flags = SVC_REQUIRED),
  F_INT("shardsSize"),
  F_BOOL("tlsEnabled", .flags = SVC_REQUIRED)
};
static const svc_object available_project_deployment = {
  .name = "AvailableClustersDeployment", .fields = SVC_ROWS(available_project_deployment_fields)
};
static const svc_field available_project_fields[] = {
  F_LIST("deployments", &available_project_deployment, .flags = SVC_REQUIRED),
  F_STRS("migrationHosts", .flags = SVC_REQUIRED),
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_HEX24("projectId", .flags = SVC_REQUIRED)
};
static const svc_object available_project_object = { .name = "LiveImportAvailableProject", .fields = SVC_ROWS(available_project_fields) };

static bool available_project_list(svc_call *c);
static bool available_project_on_reply(svc_call *c, const svc_reply *reply);

static const svc_route available_project_routes[] = {
  { .method = SVC_GET, .path = "/orgs/{orgId}/liveMigrations/availableProjects", .set = SVC_SET_ORGANIZATION_LIVE_MIGRATIONS,
    .versions = { 20230101 }, .roles = SVC_R_ORG_OWNER, .flags = SVC_BARE, .op = "listAvailableProjects", .run = available_project_list,
    .on_reply = available_project_on_reply }
};

static const char *const available_project_lists[] = { "availableProjects", NULL };
static const svc_field available_project_asked_fields[] = { F_ENUM("of", available_project_lists, .flags = SVC_REQUIRED) };
static const svc_object available_project_asked = { .name = "AskedProjects", .fields = SVC_ROWS(available_project_asked_fields) };
static const svc_question_row available_project_question = {
  "list", "organization",
  "The projects of other services whose deployments can be migrated into the organization, once it is linked.", &available_project_asked,
  &available_project_object, SVC_REPLY_LIST
};

static bool available_project_list(svc_call *c)
{
  const svc_entity *org = svc_path_entity(c, "organization");
  const svc_node *none = NULL;
  if (svc_count(c->txn, MIGRATION_LINK_KIND, &org->id) == 0)
    return svc_txn_good(c) && svc_list_items(c, svc_driver_reply_next, &none, 0); /* the organization is not linked */
  return svc_txn_good(c) &&
         svc_question_about(c, &available_project_question, org, org->unique, SVC_S("{\"of\":\"availableProjects\"}"));
}

/* The driver's reply is checked against the table, like the body of a request. */
static bool available_project_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_node *list = svc_driver_reply(c, &available_project_question, reply), *first = svc_node_first(list);
  return list && svc_list_items(c, svc_driver_reply_next, &first, (int64_t)svc_node_count(list));
}

SVC_PRIVATE const svc_noun svc_noun_available_project = {
  .name = "available project",
  .rel = "availableProject",
  .flags = SVC_VIRTUAL,
  .object = &available_project_object,
  .questions = SVC_ASKS(&available_project_question),
  .routes = SVC_ROUTES(available_project_routes),
};
