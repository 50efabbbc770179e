/*
** online archive: moves documents of a collection to cheaper storage when they are old enough. Archived documents can
** still be queried.
**
**   POST --> PENDING --> ACTIVE     PATCH: PENDING again, until the change is in effect
**              ^           |
**   paused:    |           | paused: true
**      false   |           v
**            PAUSED <-- PAUSING          DELETE: DELETED, then removed: 404
**
** Only an active archive can be paused. A change of a paused archive is stored and takes effect when it resumes. In the
** public API, ORPHANED is the state of an archive whose cluster was deleted; here an archive is deleted with its cluster.
** The collection, the date field of the criteria and the partitions never change.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  ONLINE_ARCHIVE_MOST = 50, /* per cluster */
  ONLINE_ARCHIVE_PARTITIONS = 3,
  ONLINE_ARCHIVE_DAYS = 9215,
  ONLINE_ARCHIVE_QUERY_DEPTH = 16,
  ONLINE_ARCHIVE_LOG_SECONDS = 3600 /* default length of the range of query logs, in seconds */
};

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const online_archive_collections[] = { "TIMESERIES", "STANDARD", NULL };
static const char *const online_archive_criteria_types[] = { "DATE", "CUSTOM", NULL };
static const char *const online_archive_formats[] = { "ISODATE", "EPOCH_SECONDS", "EPOCH_MILLIS", "EPOCH_NANOSECONDS", NULL };
static const char *const online_archive_field_types[] = { "date", "int", "long", "objectId", "string", "uuid", NULL };
static const char *const online_archive_schedules[] = { "DEFAULT", "DAILY", "WEEKLY", "MONTHLY", NULL };
static const char *const online_archive_states[] = { "PENDING", "ACTIVE", "PAUSING", "PAUSED", "DELETED", "ORPHANED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

/* Criteria for old documents: a date field, or a query. */
#define ONLINE_ARCHIVE_CRITERION F_ENUM("type", online_archive_criteria_types, .flags = SVC_REQUIRED | SVC_FIXED)
static const svc_field online_archive_date_fields[] = {
  F_STR("dateField", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 700),
  F_ENUM("dateFormat", online_archive_formats, .flags = SVC_FIXED, .preset = "\"ISODATE\""),
  F_INT("expireAfterDays", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 0, .max = ONLINE_ARCHIVE_DAYS),
  ONLINE_ARCHIVE_CRITERION
};
static const svc_object online_archive_date = { .name = "DateCriteria", .fields = SVC_ROWS(online_archive_date_fields) };
static const svc_field online_archive_custom_fields[] = {
  F_STR("query", .flags = SVC_REQUIRED, .min = 2, .max = 4096), /* a JSON object, as text */
  ONLINE_ARCHIVE_CRITERION
};
static const svc_object online_archive_custom = { .name = "CustomCriteria", .fields = SVC_ROWS(online_archive_custom_fields) };
static const svc_variant online_archive_criteria_variants[] = {
  { "DATE", &online_archive_date }, { "CUSTOM", &online_archive_custom }, { NULL, NULL }
};
static const svc_object online_archive_criteria = {
  .name = "Criteria", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, online_archive_criteria_variants))
};

static const svc_field online_archive_expiration_fields[] = {
  F_INT("expireAfterDays", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 7, .max = ONLINE_ARCHIVE_DAYS)
};
static const svc_object online_archive_expiration = { .name = "DataExpirationRule", .fields = SVC_ROWS(online_archive_expiration_fields) };

static const svc_field online_archive_region_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_FIXED),
  F_ENUM("region", svc_values_regions, .flags = SVC_FIXED)
};
static const svc_object online_archive_region = { .name = "DataProcessRegion", .fields = SVC_ROWS(online_archive_region_fields) };

static const svc_field online_archive_partition_fields[] = {
  F_STR("fieldName", .flags = SVC_REQUIRED, .min = 1, .max = 700),
  F_ENUM("fieldType", online_archive_field_types, .flags = SVC_READ_ONLY),
  F_INT("order", .flags = SVC_REQUIRED | SVC_MIN, .min = 0)
};
static const svc_object online_archive_partition = { .name = "PartitionField", .fields = SVC_ROWS(online_archive_partition_fields) };

/* The schedule: at any time, or within a window. */
#define ONLINE_ARCHIVE_SCHEDULE F_ENUM("type", online_archive_schedules, .flags = SVC_REQUIRED)
static const svc_field online_archive_default_fields[] = { ONLINE_ARCHIVE_SCHEDULE };
static const svc_object online_archive_default = { .name = "DefaultSchedule", .fields = SVC_ROWS(online_archive_default_fields) };
static const svc_field online_archive_daily_fields[] = {
  F_INT("endHour", .flags = SVC_MIN | SVC_MAX, .max = 23),
  F_INT("endMinute", .flags = SVC_MIN | SVC_MAX, .max = 59),
  F_INT("startHour", .flags = SVC_MIN | SVC_MAX, .max = 23),
  F_INT("startMinute", .flags = SVC_MIN | SVC_MAX, .max = 59),
  ONLINE_ARCHIVE_SCHEDULE
};
static const svc_need online_archive_daily_needs[] = {
  { .fields = "endHour", .where = "startHour" }, { .fields = "startHour", .where = "endHour" }, { .fields = NULL }
};
static const svc_object online_archive_daily = {
  .name = "DailySchedule", .fields = SVC_ROWS(online_archive_daily_fields), .ext = SVC_OBJECT_EXT(.needs = online_archive_daily_needs)
};
static const svc_field online_archive_weekly_fields[] = {
  F_INT("dayOfWeek", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 7)
};
static const svc_object online_archive_weekly = {
  .name = "WeeklySchedule", .fields = SVC_ROWS(online_archive_weekly_fields), .base = &online_archive_daily
};
static const svc_field online_archive_monthly_fields[] = {
  F_INT("dayOfMonth", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 31)
};
static const svc_object online_archive_monthly = {
  .name = "MonthlySchedule", .fields = SVC_ROWS(online_archive_monthly_fields), .base = &online_archive_daily
};
static const svc_variant online_archive_schedule_variants[] = {
  { "DEFAULT", &online_archive_default }, { "DAILY", &online_archive_daily }, { "WEEKLY", &online_archive_weekly },
  { "MONTHLY", &online_archive_monthly }, { NULL, NULL }
};
static const svc_object online_archive_schedule = {
  .name = "OnlineArchiveSchedule", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, online_archive_schedule_variants))
};

static const svc_field online_archive_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_STR("collName", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 255),
  F_ENUM("collectionType", online_archive_collections, .flags = SVC_FIXED, .preset = "\"STANDARD\""),
  F_OBJ("criteria", &online_archive_criteria, .flags = SVC_REQUIRED),
  F_OBJ("dataExpirationRule", &online_archive_expiration, .flags = SVC_NULLABLE),
  F_OBJ("dataProcessRegion", &online_archive_region),
  F_STR("dataSetName", .flags = SVC_READ_ONLY),
  F_STR("dbName", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 64),
  F_GROUP_ID(),
  F_LIST("partitionFields", &online_archive_partition, .flags = SVC_FIXED | SVC_NOT_EMPTY, .max_items = ONLINE_ARCHIVE_PARTITIONS),
  F_BOOL("paused", .preset = "false"),
  F_OBJ("schedule", &online_archive_schedule, .preset = "{\"type\":\"DEFAULT\"}"),
  F_ENUM("state", online_archive_states, .flags = SVC_READ_ONLY)
};
static const svc_object online_archive_object = { .name = "OnlineArchive", .fields = SVC_ROWS(online_archive_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool online_archive_ask(svc_call *c);

static const svc_param online_archive_log_params[] = {
  { .name = "archiveOnly", .type = SVC_BOOLEAN },
  SVC_LOG_PARAM("endDate"),
  SVC_LOG_PARAM("startDate"),
  { .name = NULL }
};

#define ONLINE_ARCHIVE \
  "/groups/{groupId}/clusters/{clusterName}/onlineArchives", SVC_SET_ONLINE_ARCHIVES, (20230101), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_DATA_ACCESS_ADMIN
#define ONLINE_ARCHIVE_READERS \
  (SVC_R_GROUP_DATA_ACCESS_ADMIN | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE | \
   SVC_R_GROUP_STREAM_PROCESSING_OWNER)

static const svc_route online_archive_routes[] = {
  R_GET(ONLINE_ARCHIVE, "", .flags = SVC_PAGED, .op = "listOnlineArchives", .run = svc_verb_list),
  R_POST(ONLINE_ARCHIVE, "", .status = 202, .op = "createOnlineArchive", .run = svc_verb_create,
         .example = "{\"collName\":\"orders\",\"dbName\":\"shop\",\"criteria\":{\"type\":\"DATE\",\"dateField\":\"shipped\","
                    "\"expireAfterDays\":30},\"partitionFields\":[{\"fieldName\":\"shipped\",\"order\":0}]}"),
  R_GET(ONLINE_ARCHIVE, "/{archiveId}", .op = "getOnlineArchive", .run = svc_verb_read),
  R_PATCH(ONLINE_ARCHIVE, "/{archiveId}", .op = "updateOnlineArchive", .run = svc_verb_update, .example = "{\"dataExpirationRule\":{\"expireAfterDays\":365}}"),
  R_DELETE(ONLINE_ARCHIVE, "/{archiveId}", .status = 200, .flags = SVC_EMPTY_OBJECT, .op = "deleteOnlineArchive", .run = svc_verb_delete),
  R_FOR(ONLINE_ARCHIVE_READERS, ONLINE_ARCHIVE, SVC_GET, "/queryLogs.gz", .params = online_archive_log_params,
        .op = "downloadQueryLogs", .run = online_archive_ask, .on_reply = svc_log_on_reply,
        .ext = SVC_ROUTE_EXT(.media = "gzip", .file = "clusterName"))
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition online_archive_transitions[] = {
  { "PENDING", "ACTIVE", 30, "ONLINE_ARCHIVE_ACTIVE", "archive.put" },
  { "PAUSING", "PAUSED", 10, "ONLINE_ARCHIVE_PAUSED", "archive.pause" },
  { "DELETED", NULL, 10, NULL, "archive.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle online_archive_lifecycle = {
  .field = "state", .created = "PENDING", .deleted = "DELETED", .transitions = online_archive_transitions
};

static const svc_guard online_archive_guards[] = {
  { "state", "DELETED", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_RESOURCE_NOT_FOUND },
  { "paused", "true", SVC_GUARD_CREATE, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER }, /* the cluster is paused */
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- rules of a body */

static void online_archive_query(svc_call *c, const svc_node *criteria)
{
  svc_str query = svc_str_trim(svc_node_str(criteria, "query"));
  svc_json_fault fault;
  if (!svc_node_get(criteria, "query")) return;
  if (query.n == 0 || query.p[0] != '{' || !svc_json_gate(c->arena, query, ONLINE_ARCHIVE_QUERY_DEPTH, &fault))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("criteria.query"), "must be a JSON object, as text");
}

/* The start and the end of a window must differ. */
static void online_archive_window(svc_call *c, const svc_node *schedule)
{
  bool starts = svc_node_get(schedule, "startHour") != NULL;
  int64_t start = svc_node_i64(schedule, "startHour", 0) * 60 + svc_node_i64(schedule, "startMinute", 0);
  int64_t end = svc_node_i64(schedule, "endHour", 0) * 60 + svc_node_i64(schedule, "endMinute", 0);
  if (starts && start == end)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("schedule.endHour"), "must differ from the start");
}

static void online_archive_partition_wrong(svc_call *c, size_t i, const char *field, const char *why)
{
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "partitionFields[%zu].%s", i, field), "%s", why);
}

/* Partitions are numbered from 0, each for a different field. */
static void online_archive_numbered(svc_call *c, const svc_node *list)
{
  const svc_node *item, *other;
  size_t count = svc_node_count(list), i = 0;
  for (item = svc_node_first(list); item; item = item->next, i++) {
    for (other = list->first; other != item; other = other->next) {
      if (svc_node_eq(other, "fieldName", svc_node_str(item, "fieldName")))
        online_archive_partition_wrong(c, i, "fieldName", "appears twice in the list");
      if (svc_node_i64(other, "order", -1) == svc_node_i64(item, "order", -1))
        online_archive_partition_wrong(c, i, "order", "appears twice in the list");
    }
    if (svc_node_i64(item, "order", -1) >= (int64_t)count)
      online_archive_partition_wrong(c, i, "order", "must be less than the number of fields");
  }
}

/* The default partition is the date field of the criteria. */
static bool online_archive_partitions(svc_call *c, svc_node *body)
{
  svc_str date = svc_node_str(svc_node_get(body, "criteria"), "dateField");
  svc_node *list = svc_node_get(body, "partitionFields"), *item;
  if (!list && date.n) {
    list = svc_node_array(c->arena, "partitionFields");
    item = svc_node_object(c->arena, NULL);
    if (!list || !item) return svc_no_memory(c);
    svc_node_set_str(c->arena, item, "fieldName", date);
    svc_node_set_i64(c->arena, item, "order", 0);
    svc_node_append(list, item);
    svc_node_put(c->arena, body, list);
  }
  if (!list) return true;
  online_archive_numbered(c, list);
  for (item = svc_node_first(list); item; item = item->next) /* only the data plane knows the types of other fields */
    if (date.n && svc_node_eq(item, "fieldName", date)) svc_node_set_text(c->arena, item, "fieldType", "date");
  return true;
}

/* ---- a new one */

/* The default region for processing is the first region of the cluster. */
static bool online_archive_place(svc_call *c, svc_node *body, const svc_node *cluster)
{
  const svc_node *spec = svc_node_get(cluster, "replicationSpecs"), *region;
  svc_node *place;
  if (svc_node_get(body, "dataProcessRegion") || !svc_node_first(spec)) return true;
  region = svc_node_get(spec->first, "regionConfigs");
  region = svc_node_first(region);
  if (!region || svc_cluster_is(region, "providerName", "TENANT")) return true;
  place = svc_node_object(c->arena, "dataProcessRegion");
  if (!place) return svc_no_memory(c);
  svc_node_set_from(c->arena, place, "cloudProvider", region, "providerName");
  svc_node_set_from(c->arena, place, "region", region, "regionName");
  svc_node_put(c->arena, body, place);
  return true;
}

static bool online_archive_new(svc_call *c, svc_change *change)
{
  const svc_entity *parent = svc_path_entity(c, "cluster");
  const svc_node *cluster = svc_entity_body(c, parent);
  svc_str id = svc_id_str(c->arena, &change->id);
  svc_str database = svc_node_str(change->body, "dbName"), collection = svc_node_str(change->body, "collName");
  if (!cluster) return false;
  if (svc_node_bool(change->body, "paused", false)) return svc_fail(c, SVC_E_ONLINE_ARCHIVE_MUST_BE_ACTIVE_TO_PAUSE, "S", &id);
  svc_node_set_str(c->arena, change->body, "clusterName", parent->unique);
  svc_node_set_str(c->arena, change->body, "dataSetName",
                   svc_arena_print(c->arena, "v1$archive$" SVC_FMT "$" SVC_FMT "$" SVC_FMT "$" SVC_FMT, SVC_ARG(parent->unique),
                                   SVC_ARG(database), SVC_ARG(collection), SVC_ARG(id)));
  return online_archive_partitions(c, change->body) && online_archive_place(c, change->body, cluster);
}

/* ---- changes */

/* Sets the state that a change leads to, and its event. */
static bool online_archive_moves(svc_call *c, svc_change *change)
{
  svc_str id = svc_id_str(c->arena, &change->id);
  bool active = svc_cluster_is(change->before, "state", "ACTIVE");
  bool expires = svc_node_get(change->body, "dataExpirationRule") != NULL;
  bool ruled = svc_change_differs(change, "dataExpirationRule");
  if (svc_change_differs(change, "paused")) {
    bool pause = svc_node_bool(change->body, "paused", false);
    if (pause && !active) return svc_fail(c, SVC_E_ONLINE_ARCHIVE_MUST_BE_ACTIVE_TO_PAUSE, "S", &id);
    change->state = pause ? "PAUSING" : "PENDING";
    change->event = pause ? "ONLINE_ARCHIVE_PAUSE_REQUESTED" : change->event;
    return true;
  }
  if (active && (ruled || svc_change_differs(change, "criteria") || svc_change_differs(change, "schedule")))
    change->state = "PENDING";
  if (!ruled || svc_change_differs(change, "criteria") || svc_change_differs(change, "schedule")) return true;
  change->event = !expires                                           ? "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_DISABLED"
                  : svc_node_get(change->before, "dataExpirationRule") ? "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_UPDATED"
                                                                     : "ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_ENABLED";
  return true;
}

static bool online_archive_prepare(svc_call *c, svc_change *change)
{
  online_archive_query(c, svc_node_get(change->body, "criteria"));
  online_archive_window(c, svc_node_get(change->body, "schedule"));
  if (!change->before && !online_archive_new(c, change)) return false;
  if (!svc_check_done(c)) return false;
  return !change->before || online_archive_moves(c, change);
}

/* ---- query logs, from the driver */

static const char *const online_archive_logs[] = { "queryLogs", NULL };
static const svc_field online_archive_log_fields[] = { F_BOOL("archiveOnly", .flags = SVC_REQUIRED), SVC_LOG_ASKED(online_archive_logs) };
static const svc_object online_archive_log_asked = { .name = "AskedArchiveLog", .fields = SVC_ROWS(online_archive_log_fields) };
static const svc_question_row online_archive_log_question = {
  "logs", "cluster",
  "The log lines of queries on the archives of the cluster; `archiveOnly` false: also of queries on the cluster with its "
  "archives.",
  &online_archive_log_asked, NULL, SVC_REPLY_LINES
};

static bool online_archive_ask(svc_call *c)
{
  const svc_query_value *only = svc_query_get(c, "archiveOnly");
  const svc_entity *cluster;
  int64_t from, until;
  if (!svc_resolve_all(c) || !svc_log_range(c, ONLINE_ARCHIVE_LOG_SECONDS, &from, &until)) return false;
  cluster = svc_path_entity(c, "cluster");
  return svc_question_about(c, &online_archive_log_question, cluster, cluster->unique,
                            svc_arena_print(c->arena, "{\"archiveOnly\":%s,\"from\":%lld,\"log\":\"queryLogs\",\"until\":%lld}",
                                            only && only->number ? "true" : "false", (long long)from, (long long)until));
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_field_error online_archive_errors[] = {
  { "collName", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "collectionType", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "criteria.dateField", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "criteria.dateFormat", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "criteria.type", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "dataProcessRegion.cloudProvider", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "dataProcessRegion.region", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "dbName", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { "partitionFields", SVC_FIELD_FAULT_CHANGED, SVC_E_ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD },
  { NULL, 0, 0 }
};

static const svc_order_row online_archive_orders[] = {
  { "archive.put", "Move documents that match the criteria into the archive, from now on.", NULL, NULL, 0 },
  { "archive.pause", "Stop moving documents; those in the archive stay.", NULL, NULL, 0 },
  { "archive.delete", "Remove the archive.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_online_archive = {
  .name = "online archive",
  .rel = "onlineArchive",
  .kind = "arch",
  .parent = "cluster",
  .param = "archiveId",
  .flags = SVC_EVENT_PARENT,
  .object = &online_archive_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .most = ONLINE_ARCHIVE_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &online_archive_lifecycle,
  .guards = online_archive_guards,
  .event_created = "ONLINE_ARCHIVE_CREATED",
  .event_updated = "ONLINE_ARCHIVE_UPDATED",
  .event_deleted = "ONLINE_ARCHIVE_DELETED",
  .field_errors = online_archive_errors,
  .orders = online_archive_orders,
  .questions = SVC_ASKS(&online_archive_log_question),
  .routes = SVC_ROUTES(online_archive_routes),
  .prepare = online_archive_prepare,
};
