/*
** Managed slow-query threshold of a project: whether the service chooses the duration from which an operation counts as
** slow, based on the usual duration of the cluster's operations. Otherwise the threshold is always 100 ms. The data plane gets the
** setting by an order.
**
** Unusual: the answer of a read is only the value, true or false. A POST and a DELETE on paths of their own switch it;
** repeating them is safe.
*/
#include "catalog/catalog.h"

static const svc_field managed_slow_ms_fields[] = {
  F_BOOL("enabled", .flags = SVC_READ_ONLY, .preset = "true")
};
static const svc_object managed_slow_ms_object = { .name = "ManagedSlowMs", .fields = SVC_ROWS(managed_slow_ms_fields) };

static bool managed_slow_ms_enable(svc_call *c);
static bool managed_slow_ms_disable(svc_call *c);

#define MANAGED_SLOW_MS \
  "/groups/{groupId}/managedSlowMs", SVC_SET_PERFORMANCE_ADVISOR, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route managed_slow_ms_routes[] = {
  R_GET(MANAGED_SLOW_MS, "", .op = "getManagedSlowMs", .run = svc_verb_read, .ext = SVC_ROUTE_EXT(.value = "enabled")),
  R_POST(MANAGED_SLOW_MS, "/enable", .status = 204, .flags = SVC_NO_BODY, .op = "enableManagedSlowMs", .run = managed_slow_ms_enable, .example = "{}"),
  R_DELETE(MANAGED_SLOW_MS, "/disable", .status = 204, .op = "disableManagedSlowMs", .run = managed_slow_ms_disable)
};

/* Writes an event only if the setting changes. */
static bool managed_slow_ms_set(svc_call *c, bool enabled)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_begin(c, &change)) return false;
  svc_node_set_bool(c->arena, change.body, "enabled", enabled);
  return svc_change_keep(c, &change, &e) && svc_answer_nothing(c);
}

static bool managed_slow_ms_enable(svc_call *c)
{
  return managed_slow_ms_set(c, true);
}

static bool managed_slow_ms_disable(svc_call *c)
{
  return managed_slow_ms_set(c, false);
}

static const svc_order_row managed_slow_ms_orders[] = {
  { "slow_ms.put", "Turn the automatic threshold for slow queries on or off.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_managed_slow_ms = {
  .name = "managed slow-query threshold",
  .rel = "managedSlowMs",
  .kind = "slow",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &managed_slow_ms_object,
  .event_updated = "GROUP_SETTINGS_UPDATED",
  .order_put = "slow_ms.put",
  .orders = managed_slow_ms_orders,
  .routes = SVC_ROUTES(managed_slow_ms_routes),
};
