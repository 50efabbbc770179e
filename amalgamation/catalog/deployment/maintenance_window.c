/*
** The maintenance window of a project: the hour of the week at which the service may maintain its clusters. Every project
** has one window; until it is set, the service chooses day and hour.
**
** A project that has set its window is maintained every four weeks, the first time in the first window at least a week
** ahead. The steps:
**
**   a week before      PROJECT_SCHEDULED_MAINTENANCE
**   three days before  MAINTENANCE_IN_ADVANCED
**   in the window      MAINTENANCE_STARTED; each dedicated cluster that is IDLE and not paused becomes UPDATING: its primaries restart
**   when all are IDLE  MAINTENANCE_COMPLETED; without such a cluster, MAINTENANCE_NO_LONGER_NEEDED instead of both
**
** Scheduled maintenance can be deferred by a week, at most twice. With autoDeferOnceEnabled it is deferred once
** automatically. startASAP starts it now. Maintenance does not start within protected hours, but at their end. Setting
** another day or hour resets the number of deferrals, and schedules again.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/policy/policy_language.h"

#define MAINTENANCE_WINDOW_DEFERRALS 2
#define MAINTENANCE_WINDOW_HOUR (SVC_DAY_MS / 24)
#define MAINTENANCE_WINDOW_WEEK (7 * SVC_DAY_MS)
#define MAINTENANCE_WINDOW_AHEAD (3 * SVC_DAY_MS) /* of the second announcement */
#define MAINTENANCE_WINDOW_LOOK ((int64_t)60000)  /* interval of checks whether the clusters are done */

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

/* ------------------------------------------------------------------------------------------------------------ schedule */

/*
** The `extra` of a window: a letter for the phase of maintenance, then its start in milliseconds. In MAINTENANCE_RUNS the
** time is that of the next check whether the clusters are done.
*/
enum maintenance_window_phase { MAINTENANCE_FAR = 'F', MAINTENANCE_ANNOUNCED = 'A', MAINTENANCE_NEAR = 'N', MAINTENANCE_RUNS = 'R' };
typedef struct maintenance_window_plan {
  char phase;    /* 0: no maintenance is scheduled */
  int64_t start;
} maintenance_window_plan;

static maintenance_window_plan maintenance_window_plan_of(svc_str extra)
{
  maintenance_window_plan plan = { 0, 0 };
  if (extra.n > 1 && svc_str_i64((svc_str){ extra.p + 1, extra.n - 1 }, &plan.start)) plan.phase = extra.p[0];
  return plan;
}

/* The time of the next step. */
static int64_t maintenance_window_next(const maintenance_window_plan *plan)
{
  if (plan->phase == MAINTENANCE_FAR) return plan->start - MAINTENANCE_WINDOW_WEEK;
  return plan->phase == MAINTENANCE_ANNOUNCED ? plan->start - MAINTENANCE_WINDOW_AHEAD : plan->start;
}

static void maintenance_window_keep(svc_call *c, svc_change *change, const maintenance_window_plan *plan)
{
  int64_t when = maintenance_window_next(plan);
  change->extra = svc_arena_print(c->arena, "%c%lld", plan->phase, (long long)plan->start);
  svc_change_due(change, SVC_DUE_RUN, when > c->now ? when : c->now);
}

/* The first window from then on: 1970-01-01 was a Thursday, the fifth day of a week that begins on Sunday. Protected hours
** may end on the day after they began. */
static int64_t maintenance_window_from(const svc_node *body, int64_t from)
{
  int64_t day = from / SVC_DAY_MS, wanted = svc_node_i64(body, "dayOfWeek", 7) - 1, hour = svc_node_i64(body, "hourOfDay", 0), begin, end, when;
  const svc_node *hours = svc_node_get(body, "protectedHours");
  day += (wanted - (day + 4) % 7 + 7) % 7;
  if (day * SVC_DAY_MS + hour * MAINTENANCE_WINDOW_HOUR < from) day += 7;
  when = day * SVC_DAY_MS + hour * MAINTENANCE_WINDOW_HOUR;
  begin = svc_node_i64(hours, "startHourOfDay", 0);
  end = svc_node_i64(hours, "endHourOfDay", begin);
  if ((hour - begin + 24) % 24 < (end - begin + 24) % 24) when += (end - hour + 24) % 24 * MAINTENANCE_WINDOW_HOUR;
  return when;
}

static void maintenance_window_schedule(svc_call *c, svc_change *change, int64_t from)
{
  maintenance_window_plan plan = { MAINTENANCE_FAR, maintenance_window_from(change->body, from) };
  maintenance_window_keep(c, change, &plan);
}

/* Another day or hour schedules again, and so do other protected hours. The same values, in a body that was read and sent back, do not. */
static bool maintenance_window_prepare(svc_call *c, svc_change *change)
{
  static const char *const when[] = { "dayOfWeek", "hourOfDay" };
  maintenance_window_plan plan = maintenance_window_plan_of(change->extra);
  bool asap = svc_node_bool(change->body, "startASAP", false) && !svc_node_bool(change->before, "startASAP", false);
  bool other = !plan.phase || svc_change_differs(change, "protectedHours");
  size_t i;
  for (i = 0; i < 2; i++)
    if (svc_node_i64(change->body, when[i], -1) != svc_node_i64(change->before, when[i], -1)) {
      svc_node_set_i64(c->arena, change->body, "numberOfDeferrals", 0);
      other = true;
    }
  if (plan.phase == MAINTENANCE_RUNS) return true; /* maintenance in progress ends as planned */
  if (other) maintenance_window_schedule(c, change, c->now + MAINTENANCE_WINDOW_WEEK);
  if (asap) maintenance_window_keep(c, change, &(maintenance_window_plan){ MAINTENANCE_NEAR, svc_provisioned(c->s, 10, c->now) });
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- running */

/* Looks at the running dedicated clusters. If `begin`, restarts the idle ones. *any: there is at least one. *busy: at least
** one is not IDLE. */
static bool maintenance_window_clusters(svc_call *c, const svc_id *group, bool begin, bool *any, bool *busy)
{
  svc_scan scan;
  svc_entity e;
  *any = *busy = false;
  if (!svc_noun_by_kind(c->s, CLUSTER_KIND)) return true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    svc_node *body = svc_entity_body(c, &e);
    if (!body) return false;
    if (svc_cluster_is_tenant(body) || svc_node_bool(body, "paused", false)) continue;
    *any = true;
    if (!svc_cluster_is(body, "stateName", "IDLE")) *busy = true;
    else if (begin && !svc_cluster_maintain(c, &e)) return false;
  }
  return svc_txn_good(c);
}

/* Starts maintenance, or defers it automatically. */
static bool maintenance_window_begin(svc_call *c, svc_change *change)
{
  int64_t deferrals = svc_node_i64(change->body, "numberOfDeferrals", 0);
  bool asap = svc_node_bool(change->body, "startASAP", false), any, busy;
  if (!asap && deferrals == 0 && svc_node_bool(change->body, "autoDeferOnceEnabled", false)) {
    maintenance_window_plan later = { MAINTENANCE_ANNOUNCED, c->now + MAINTENANCE_WINDOW_WEEK };
    svc_node_set_i64(c->arena, change->body, "numberOfDeferrals", 1);
    change->event = "MAINTENANCE_AUTO_DEFERRED";
    maintenance_window_keep(c, change, &later);
    return true;
  }
  if (!maintenance_window_clusters(c, &change->entity.scope.group, true, &any, &busy)) return false;
  change->event = any ? "MAINTENANCE_STARTED" : "MAINTENANCE_NO_LONGER_NEEDED";
  svc_node_set_i64(c->arena, change->body, "numberOfDeferrals", 0);
  if (!any) svc_node_set_bool(c->arena, change->body, "startASAP", false);
  if (!any) maintenance_window_schedule(c, change, c->now + 4 * MAINTENANCE_WINDOW_WEEK - SVC_DAY_MS);
  else maintenance_window_keep(c, change, &(maintenance_window_plan){ MAINTENANCE_RUNS, svc_provisioned(c->s, 60, c->now) });
  return true;
}

static bool maintenance_window_look(svc_call *c, svc_change *change)
{
  bool any, busy;
  if (!maintenance_window_clusters(c, &change->entity.scope.group, false, &any, &busy)) return false;
  if (busy) {
    maintenance_window_keep(c, change, &(maintenance_window_plan){ MAINTENANCE_RUNS, c->now + MAINTENANCE_WINDOW_LOOK });
    return true;
  }
  change->event = "MAINTENANCE_COMPLETED";
  svc_node_set_bool(c->arena, change->body, "startASAP", false);
  maintenance_window_schedule(c, change, c->now + 4 * MAINTENANCE_WINDOW_WEEK - SVC_DAY_MS);
  return true;
}

static bool maintenance_window_fell_due(svc_call *c, svc_change *change, int tag)
{
  maintenance_window_plan plan = maintenance_window_plan_of(change->entity.extra);
  if (tag != SVC_DUE_RUN || !plan.phase) return true;
  if (plan.phase == MAINTENANCE_RUNS) return maintenance_window_look(c, change);
  if (plan.phase == MAINTENANCE_NEAR) return maintenance_window_begin(c, change);
  change->event = plan.phase == MAINTENANCE_FAR ? "PROJECT_SCHEDULED_MAINTENANCE" : "MAINTENANCE_IN_ADVANCED";
  plan.phase = plan.phase == MAINTENANCE_FAR ? MAINTENANCE_ANNOUNCED : MAINTENANCE_NEAR;
  maintenance_window_keep(c, change, &plan);
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- requests */

/* Policies can require that the project has a maintenance window. */
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
  maintenance_window_plan plan;
  int64_t deferrals, most = MAINTENANCE_WINDOW_DEFERRALS;
  svc_str group = svc_path_param(c, "groupId");
  if (!svc_change_begin(c, &change)) return false;
  plan = maintenance_window_plan_of(change.entity.extra);
  if (plan.phase != MAINTENANCE_ANNOUNCED && plan.phase != MAINTENANCE_NEAR) return svc_fail(c, SVC_E_MAINTENANCE_NOT_SCHEDULED, "S", &group);
  deferrals = svc_node_i64(change.before, "numberOfDeferrals", 0);
  if (deferrals >= most) return svc_fail(c, SVC_E_NUM_MAINTENANCE_DEFERRALS_EXCEEDED, "iS", &most, &group);
  svc_node_set_i64(c->arena, change.body, "numberOfDeferrals", deferrals + 1);
  svc_node_set_bool(c->arena, change.body, "startASAP", false);
  change.event = "SVC_MAINTENANCE_DEFERRED";
  maintenance_window_keep(c, &change, &(maintenance_window_plan){ MAINTENANCE_ANNOUNCED, plan.start + MAINTENANCE_WINDOW_WEEK });
  return svc_change_store(c, &change);
}

static const svc_field_error maintenance_window_errors[] = {
  { "dayOfWeek", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_MAINTENANCE_WINDOW_DAY_OF_WEEK },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_maintenance_window = {
  .name = "maintenance window",
  .kind = "mwin",
  .parent = "project",
  .flags = SVC_SINGLETON | SVC_TEXT_BESIDE,
  .object = &maintenance_window_object,
  .event_updated = "SVC_MAINTENANCE_WINDOW_MODIFIED",
  .event_deleted = "SVC_MAINTENANCE_WINDOW_REMOVED",
  .field_errors = maintenance_window_errors,
  .routes = SVC_ROUTES(maintenance_window_routes),
  .prepare = maintenance_window_prepare,
  .fell_due = maintenance_window_fell_due,
  .removing = maintenance_window_removing,
  .ext = SVC_NOUN_EXT(.governed = maintenance_window_governed),
};
