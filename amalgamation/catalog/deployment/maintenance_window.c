/*
** The maintenance window of a project: the hour of the week at which its clusters may be worked on. One for each
** project, always there; until it is set, its day and hour are the service's choice.
**
** Maintenance that is scheduled can be put off, at most twice, and automatically by a week if autoDeferOnceEnabled is
** on. Nothing schedules maintenance by itself here: startASAP does, for the next request of the data plane; deferring
** it takes that back. Setting the window anew forgets earlier deferrals.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"

#define MAINTENANCE_WINDOW_DEFERRALS 2

static const svc_field maintenance_window_hours_fields[] = {
  F_INT("endHourOfDay", .flags = SVC_MIN | SVC_MAX, .max = 23),
  F_INT("startHourOfDay", .flags = SVC_MIN | SVC_MAX, .max = 23)
};
static const svc_object maintenance_window_hours = { .name = "ProtectedHours", .fields = SVC_ROWS(maintenance_window_hours_fields) };

static const svc_field maintenance_window_fields[] = {
  F_BOOL("autoDeferOnceEnabled", .preset = "false"),
  F_INT("dayOfWeek", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 7, .preset = "7"),
  F_INT("hourOfDay", .flags = SVC_MIN | SVC_MAX, .max = 23, .preset = "0"),
  F_INT("numberOfDeferrals", .flags = SVC_READ_ONLY, .preset = "0"),
  F_OBJ("protectedHours", &maintenance_window_hours, .flags = SVC_NULLABLE),
  F_BOOL("startASAP", .preset = "false"),
  F_STR("timeZoneId", .flags = SVC_READ_ONLY, .preset = "\"Etc/UTC\"")
};
static const svc_object maintenance_window_object = { .name = "MaintenanceWindow", .fields = SVC_ROWS(maintenance_window_fields) };

static bool maintenance_window_auto_defer(svc_call *c);
static bool maintenance_window_defer(svc_call *c);

#define MAINTENANCE_WINDOW \
  "/groups/{groupId}/maintenanceWindow", SVC_SET_MAINTENANCE_WINDOW, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route maintenance_window_routes[] = {
  R_GET(MAINTENANCE_WINDOW, "", .op = "getMaintenanceWindow", .run = svc_verb_read),
  R_PATCH(MAINTENANCE_WINDOW, "", .op = "updateMaintenanceWindow", .run = svc_verb_update),
  R_DELETE(MAINTENANCE_WINDOW, "", .status = 204, .op = "resetMaintenanceWindow", .run = svc_verb_delete),
  R_POST(MAINTENANCE_WINDOW, "/autoDefer", .flags = SVC_NO_BODY, .op = "toggleMaintenanceAutoDefer", .run = maintenance_window_auto_defer),
  R_POST(MAINTENANCE_WINDOW, "/defer", .flags = SVC_NO_BODY, .op = "deferMaintenanceWindow", .run = maintenance_window_defer)
};

/* Another day or hour is another window; the same ones, in a body that was read and sent back, are not. */
static bool maintenance_window_prepare(svc_call *c, svc_change *change)
{
  static const char *const when[] = { "dayOfWeek", "hourOfDay" };
  size_t i;
  for (i = 0; i < 2; i++)
    if (svc_node_i64(change->body, when[i], -1) != svc_node_i64(change->before, when[i], -1))
      svc_node_set_i64(c->arena, change->body, "numberOfDeferrals", 0);
  return true;
}

/* Policies may want that there is one. */
static svc_node *maintenance_window_governed(svc_call *c, const svc_change *change, int *what)
{
  (void)change;
  *what = SVC_POLICY_MAINTENANCE;
  return svc_policy_of_window(c, true);
}

static bool maintenance_window_removing(svc_call *c, const svc_entity *e)
{
  (void)e;
  return !svc_policies_any(c) ? svc_txn_good(c) : svc_policies_allow(c, SVC_POLICY_MAINTENANCE, svc_policy_of_window(c, false));
}

static bool maintenance_window_auto_defer(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  svc_node_set_bool(c->arena, change.body, "autoDeferOnceEnabled",
                    !svc_node_bool(change.before, "autoDeferOnceEnabled", false));
  return svc_change_store(c, &change);
}

static bool maintenance_window_defer(svc_call *c)
{
  svc_change change;
  int64_t deferrals, most = MAINTENANCE_WINDOW_DEFERRALS;
  svc_str group = svc_path_param(c, "groupId");
  if (!svc_change_begin(c, &change)) return false;
  if (!svc_node_bool(change.before, "startASAP", false)) return svc_fail(c, SVC_E_MAINTENANCE_NOT_SCHEDULED, "S", &group);
  deferrals = svc_node_i64(change.before, "numberOfDeferrals", 0);
  if (deferrals >= most) return svc_fail(c, SVC_E_NUM_MAINTENANCE_DEFERRALS_EXCEEDED, "iS", &most, &group);
  svc_node_set_i64(c->arena, change.body, "numberOfDeferrals", deferrals + 1);
  svc_node_set_bool(c->arena, change.body, "startASAP", false);
  return svc_change_store(c, &change);
}

static const svc_field_error maintenance_window_errors[] = {
  { "dayOfWeek", SVC_FAULT_VALUE, SVC_E_INVALID_MAINTENANCE_WINDOW_DAY_OF_WEEK },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_maintenance_window = {
  .name = "maintenance window",
  .kind = "mwin",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &maintenance_window_object,
  .event_updated = "SVC_MAINTENANCE_WINDOW_MODIFIED",
  .event_deleted = "SVC_MAINTENANCE_WINDOW_REMOVED",
  .field_errors = maintenance_window_errors,
  .routes = SVC_ROUTES(maintenance_window_routes),
  .prepare = maintenance_window_prepare,
  .removing = maintenance_window_removing,
  .governed = maintenance_window_governed,
};
