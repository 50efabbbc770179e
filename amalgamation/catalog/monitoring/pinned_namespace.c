/*
** Pinned namespaces of a cluster: collections whose statistics are shown whatever their rank. One list for each cluster, always
** there; PUT replaces it, PATCH adds to it, and what is to go is said to /unpin.
**
** A collection that is pinned need not be there yet.
*/
#include "catalog/monitoring/process_parts.h"

enum { PINNED_NAMESPACE_MOST = 20 };

#define PINNED_NAMESPACE_PATTERN "^[^/\\\\. \"$]{1,63}\\..{1,190}$" /* a database, a period, a collection */

static const svc_field pinned_namespace_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_GROUP_ID(),
  F_STRS("pinnedNamespaces", .flags = SVC_READ_ONLY, .preset = "[]"),
  F_END
};
static const svc_object pinned_namespace_object = { .name = "PinnedNamespaces", .fields = pinned_namespace_fields };
static const svc_field pinned_namespace_request_fields[] = {
  F_STRS("namespaces", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .pattern = PINNED_NAMESPACE_PATTERN, .max_items = PINNED_NAMESPACE_MOST),
  F_END
};
static const svc_object pinned_namespace_request = { .name = "NamespacesRequest", .fields = pinned_namespace_request_fields };

static bool pinned_namespace_put(svc_call *c);
static bool pinned_namespace_add(svc_call *c);
static bool pinned_namespace_remove(svc_call *c);

#define PINNED_NAMESPACE \
  "/groups/{groupId}/clusters/{clusterName}/collStats", SVC_SET_COLLECTION_STATS, (20231115), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_READ_ONLY
#define PINNED_NAMESPACE_EXAMPLE .body = &pinned_namespace_request, .example = "{\"namespaces\":[\"shop.orders\"]}"

static const svc_route pinned_namespace_routes[] = {
  R_GET(PINNED_NAMESPACE, "/pinned", .run = svc_verb_read),
  R_PUT(PINNED_NAMESPACE, "/pinned", PINNED_NAMESPACE_EXAMPLE, .run = pinned_namespace_put),
  R_PATCH(PINNED_NAMESPACE, "/pinned", PINNED_NAMESPACE_EXAMPLE, .run = pinned_namespace_add),
  R_PATCH(PINNED_NAMESPACE, "/unpin", PINNED_NAMESPACE_EXAMPLE, .run = pinned_namespace_remove),
  SVC_ROUTES_END
};

/* What was sent; NULL: refused. */
static const svc_node *pinned_namespace_sent(svc_call *c)
{
  const svc_node *body = svc_check(c, &pinned_namespace_request, c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) ? svc_node_get(body, "namespaces") : NULL;
}

static bool pinned_namespace_has(const svc_node *list, svc_str name)
{
  const svc_node *one;
  for (one = list->first; one; one = one->next)
    if (svc_str_eq(one->text, name)) return true;
  return false;
}

/* Those of `from` that are, or are not, in the other list. */
static void pinned_namespace_take(svc_call *c, svc_node *into, const svc_node *from, const svc_node *other, bool in_it)
{
  const svc_node *one;
  for (one = from->first; one; one = one->next)
    if (pinned_namespace_has(other, one->text) == in_it) svc_node_append(into, svc_node_copy(c->arena, one));
}

enum pinned_namespace_how { PINNED_NAMESPACE_PUT, PINNED_NAMESPACE_ADD, PINNED_NAMESPACE_REMOVE };

static bool pinned_namespace_change(svc_call *c, int how)
{
  const svc_node *sent, *now;
  svc_node *list = svc_node_new(c->arena, SVC_J_ARRAY, SVC_S("pinnedNamespaces"), SVC_S(""));
  svc_change change;
  if (!list) return svc_no_memory(c);
  if (!svc_change_begin(c, &change)) return false;
  sent = pinned_namespace_sent(c);
  if (!sent) return false;
  now = svc_node_get(change.body, "pinnedNamespaces");
  if (how == PINNED_NAMESPACE_PUT) pinned_namespace_take(c, list, sent, list, false);
  else pinned_namespace_take(c, list, now, sent, false);
  if (how == PINNED_NAMESPACE_ADD) pinned_namespace_take(c, list, sent, list, false);
  if (c->arena->failed) return svc_no_memory(c);
  if (svc_node_count(list) > PINNED_NAMESPACE_MOST)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("namespaces"), "makes more than the %d that can be pinned", PINNED_NAMESPACE_MOST);
  svc_node_put(c->arena, change.body, list);
  return svc_check_done(c) && svc_change_store(c, &change);
}

static bool pinned_namespace_put(svc_call *c) { return pinned_namespace_change(c, PINNED_NAMESPACE_PUT); }
static bool pinned_namespace_add(svc_call *c) { return pinned_namespace_change(c, PINNED_NAMESPACE_ADD); }
static bool pinned_namespace_remove(svc_call *c) { return pinned_namespace_change(c, PINNED_NAMESPACE_REMOVE); }

static svc_node *pinned_namespace_view(svc_call *c, const svc_entity *e)
{
  svc_node *view = svc_entity_body(c, e);
  const svc_entity *cluster = svc_path_entity(c, "cluster");
  if (view && cluster) svc_node_set_str(c->arena, view, "clusterId", svc_id_str(c->arena, &cluster->id));
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
  .routes = pinned_namespace_routes,
  .view = pinned_namespace_view,
};
