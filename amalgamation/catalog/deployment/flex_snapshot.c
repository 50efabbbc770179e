/*
** flex snapshot: a copy of the data of a flex cluster, which a due step takes every day (flex_cluster.c). No request
** creates, changes or deletes a snapshot: the newest FLEX_SNAPSHOTS are stored, each until it expires, and all are
** deleted with their cluster. The `extra` of a snapshot with data is FLEX_HAS_DATA; a restore of the snapshot copies it.
**
**   PENDING --> QUEUED --> RUNNING --> COMPLETED, or FAILED     then it expires: 404
*/
#include "catalog/catalog.h"
#include "catalog/deployment/flex_parts.h"

static const char *const flex_snapshot_states[] = { "PENDING", "QUEUED", "RUNNING", "FAILED", "COMPLETED", NULL };

static const svc_field flex_snapshot_fields[] = {
  F_STR("dbVersion", .flags = SVC_READ_ONLY),
  F_DATE("expiration", .flags = SVC_READ_ONLY),
  F_DATE("finishTime", .flags = SVC_READ_ONLY),
  F_ID(),
  F_CREATED("scheduledTime"),
  F_DATE("startTime", .flags = SVC_READ_ONLY),
  F_ENUM("status", flex_snapshot_states, .flags = SVC_READ_ONLY)
};
static const svc_object flex_snapshot_object = { .name = "FlexBackupSnapshot", .fields = SVC_ROWS(flex_snapshot_fields) };

#define FLEX_SNAPSHOT \
  "/groups/{groupId}/flexClusters/{name}/backup/snapshots", SVC_SET_FLEX_SNAPSHOTS, (20241113), SVC_R_GROUP_READ_ONLY, 0

static const svc_route flex_snapshot_routes[] = {
  R_GET(FLEX_SNAPSHOT, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listFlexBackupSnapshots", .run = svc_verb_list),
  R_GET(FLEX_SNAPSHOT, "/{snapshotId}", .op = "getFlexBackupSnapshot", .run = svc_verb_read)
};

static const svc_transition flex_snapshot_transitions[] = {
  { "PENDING", "QUEUED", 5, NULL, NULL },
  { "QUEUED", "RUNNING", 5, "TENANT_SNAPSHOT_STARTED_AUDIT", NULL },
  { "RUNNING", "COMPLETED", 40, "TENANT_SNAPSHOT_COMPLETED_AUDIT", "snapshot.take" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle flex_snapshot_lifecycle = {
  .field = "status", .created = "PENDING", .failed = "FAILED", .event_failed = "TENANT_SNAPSHOT_FAILED",
  .transitions = flex_snapshot_transitions
};

static bool flex_snapshot_prepare(svc_call *c, svc_change *change)
{
  int64_t end = c->now + FLEX_SNAPSHOTS * SVC_DAY_MS;
  svc_node_set_date(c->arena, change->body, "expiration", end);
  svc_change_due(change, SVC_DUE_EXPIRY, end);
  return true;
}

static bool flex_snapshot_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != SVC_DUE_STATE) return true;
  if (svc_cluster_is(change->body, "status", "RUNNING")) svc_node_set_date(c->arena, change->body, "startTime", c->now);
  if (svc_cluster_is(change->body, "status", "COMPLETED")) svc_node_set_date(c->arena, change->body, "finishTime", c->now);
  return true;
}

static const svc_order_row flex_snapshot_orders[] = {
  { "snapshot.take", "Take a snapshot of the flex cluster.", NULL, NULL, 0 },
  { "snapshot.delete", "Remove the snapshot.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_flex_snapshot = {
  .name = "flex snapshot",
  .rel = "flexSnapshot",
  .kind = FLEX_SNAPSHOT_KIND,
  .parent = "flex cluster",
  .param = "snapshotId",
  .flags = SVC_EXPIRES | SVC_EVENT_PARENT,
  .object = &flex_snapshot_object,
  .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND,
  .lifecycle = &flex_snapshot_lifecycle,
  .event_deleted = "TENANT_SNAPSHOT_DELETED_AUDIT",
  .order_gone = "snapshot.delete",
  .orders = flex_snapshot_orders,
  .routes = SVC_ROUTES(flex_snapshot_routes),
  .prepare = flex_snapshot_prepare,
  .fell_due = flex_snapshot_fell_due,
};
