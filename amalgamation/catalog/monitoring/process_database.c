/*
** Database of a process, and its measurements. The driver reports which databases exist. Without a driver these are the
** databases that every process has, and those that other resources name (namespaces.c).
*/
#include "catalog/monitoring/process_parts.h"

static const svc_field process_database_fields[] = { F_STR("databaseName", .flags = SVC_READ_ONLY) };
static const svc_object process_database_object = { .name = "Database", .fields = SVC_ROWS(process_database_fields) };

#define PROCESS_DATABASE "/groups/{groupId}/processes/{processId}/databases", SVC_SET_PROCESSES, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_param process_database_params[] = { SVC_MEASURE("m", svc_database_metric_names, 0), { .name = NULL } };

static const svc_route process_database_routes[] = {
  R_GET(PROCESS_DATABASE, "", .flags = SVC_PAGED, .answer = &process_database_object, .op = "listDatabases", .run = svc_part_ask, .on_reply = svc_part_list),
  R_GET(PROCESS_DATABASE, "/{databaseName}", .flags = SVC_ITEM, .answer = &process_database_object, .op = "getDatabase", .run = svc_part_ask, .on_reply = svc_part_read),
  R_GET(PROCESS_DATABASE, "/{databaseName}/measurements", .params = process_database_params, .answer = &svc_process_measurements,
        .op = "getDatabaseMeasurements", .run = svc_part_measure, .on_reply = svc_part_measured)
};

SVC_PRIVATE const svc_noun svc_noun_process_database = {
  .name = "database",
  .rel = "databases",
  .parent = "process",
  .param = "databaseName",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .questions = SVC_ASKS(&svc_question_series, &svc_question_databases),
  .routes = SVC_ROUTES(process_database_routes),
};
