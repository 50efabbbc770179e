/*
** Pinned namespaces of a cluster: collections whose statistics are shown regardless of their rank. Every cluster has one list;
** PUT replaces it, PATCH adds to it, and PATCH /unpin removes from it.
**
** A pinned collection does not have to exist.
*/
#include "catalog/monitoring/process_parts.h"

enum { PINNED_NAMESPACE_MOST = 20 };

#define PINNED_NAMESPACE_PATTERN "^[^/\\\\. \"$]{1,63}\\..{1,190}$" /* a database, a period, a collection */

static const svc_field pinned_namespace_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_GROUP_ID(),
  F_STRS("namespaces", .flags = SVC_WRITE_ONLY | SVC_UNIQUE_ITEMS, .pattern = PINNED_NAMESPACE_PATTERN, .max_items = PINNED_NAMESPACE_MOST),
  F_STRS("pinnedNamespaces", .flags = SVC_READ_ONLY, .preset = "[]")
};
static const svc_object pinned_namespace_object = { .name = "PinnedNamespaces", .fields = SVC_ROWS(pinned_namespace_fields) };

#define PINNED_NAMESPACE \
  "/groups/{groupId}/clusters/{clusterName}/collStats", SVC_SET_COLLECTION_STATS, (20231115), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_READ_ONLY
#define PINNED_NAMESPACE_EXAMPLE "{\"namespaces\":[\"shop.orders\"]}"

static const svc_route pinned_namespace_routes[] = {
  R_GET(PINNED_NAMESPACE, "/pinned", .op = "listPinnedNamespaces", .run = svc_verb_read),
  R_PUT(PINNED_NAMESPACE, "/pinned", .op = "pinNamespaces", .run = svc_verb_update, .example = PINNED_NAMESPACE_EXAMPLE),
  R_PATCH(PINNED_NAMESPACE, "/pinned", .op = "updatePinnedNamespaces", .run = svc_verb_update, .example = PINNED_NAMESPACE_EXAMPLE),
  R_PATCH(PINNED_NAMESPACE, "/unpin", .op = "unpinNamespaces", .run = svc_verb_update, .example = PINNED_NAMESPACE_EXAMPLE)
};

/* Adds the names of `from` that are not in the other list. */
static void pinned_namespace_take(svc_call *c, svc_node *into, const svc_node *from, const svc_node *other)
{
  const svc_node *one;
  for (one = from->first; one; one = one->next)
    if (!svc_node_has_str(other, one->text)) svc_node_add_str(c->arena, into, one->text);
}

/* Without namespaces in the request, the list stays. */
static bool pinned_namespace_prepare(svc_call *c, svc_change *change)
{
  const svc_node *sent = svc_node_get(change->input, "namespaces"), *now = svc_node_get(change->body, "pinnedNamespaces");
  svc_node *list = svc_node_array(c->arena, "pinnedNamespaces");
  bool unpin = strstr(c->plan->route->path, "/unpin") != NULL;
  if (!list) return svc_no_memory(c);
  if (!sent) return true;
  if (c->plan->route->method != SVC_PUT) pinned_namespace_take(c, list, now, sent);
  if (!unpin) pinned_namespace_take(c, list, sent, list);
  if (c->arena->failed) return svc_no_memory(c);
  if (svc_node_count(list) > PINNED_NAMESPACE_MOST)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("namespaces"), "exceeds the limit of %d pinned namespaces", PINNED_NAMESPACE_MOST);
  svc_node_put(c->arena, change->body, list);
  return svc_check_done(c);
}

static svc_node *pinned_namespace_view(svc_call *c, const svc_entity *e)
{
  svc_node *view = svc_entity_body(c, e);
  if (!view) return NULL;
  svc_node_set_id(c->arena, view, "clusterId", &e->parent);
  svc_node_set_id(c->arena, view, "groupId", &c->scope.group);
  return view;
}

SVC_PRIVATE const svc_noun svc_noun_pinned_namespace = {
  .name = PINNED_NAMESPACES,
  .rel = "pinnedNamespaces",
  .kind = "pins",
  .parent = "cluster",
  .flags = SVC_SINGLETON | SVC_EVENT_PARENT,
  .object = &pinned_namespace_object,
  .event_updated = "CLUSTER_UPDATE_SUBMITTED",
  .routes = SVC_ROUTES(pinned_namespace_routes),
  .prepare = pinned_namespace_prepare,
  .view = pinned_namespace_view,
};
