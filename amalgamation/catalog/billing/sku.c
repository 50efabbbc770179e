/*
** SKU: a unit of usage with a price. The list has all of them, ordered by id; meters count nothing else.
*/
#include "catalog/billing/bill.h"

static const svc_field sku_fields[] = {
  F_STR("description", .flags = SVC_READ_ONLY),
  F_STR("id", .flags = SVC_READ_ONLY)
};
static const svc_object sku_object = { .name = "Sku", .fields = SVC_ROWS(sku_fields) };

static bool sku_list(svc_call *c);
static bool sku_read(svc_call *c);

#define SKU_ALL "/skus", SVC_SET_SKUS, (20250312), SVC_R_ORG_MEMBER | SVC_R_GROUP_READ_ONLY, 0

static const svc_route sku_routes[] = {
  R_GET(SKU_ALL, "", .flags = SVC_PAGED | SVC_ANYWHERE, .answer = &sku_object, .op = "listSkus", .run = sku_list),
  R_GET(SKU_ALL, "/{skuId}", .flags = SVC_ITEM | SVC_ANYWHERE, .answer = &sku_object, .op = "getSku", .run = sku_read)
};

static svc_node *sku_node(svc_call *c, const svc_sku *sku)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body) return NULL;
  svc_node_set_str(c->arena, body, "description", svc_sku_text(c->arena, sku));
  svc_node_set_text(c->arena, body, "id", sku->id);
  return body;
}

static bool sku_next(svc_call *c, void *state, svc_item *out)
{
  size_t *at = state;
  const svc_sku *sku = svc_sku_at((*at)++);
  svc_node *body;
  if (!sku || !out) return sku != NULL;
  body = sku_node(c, sku);
  if (!body) return svc_no_memory(c);
  svc_item_node(c, out, svc_str_c(sku->id), body);
  return true;
}

static bool sku_list(svc_call *c)
{
  size_t at = 0;
  return svc_list_items(c, sku_next, &at, SVC_SKU_COUNT);
}

static bool sku_read(svc_call *c)
{
  const svc_sku *sku = svc_sku_find(c->route.params[0]);
  svc_node *body;
  if (!svc_resolve_all(c)) return false;
  if (!sku) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  body = sku_node(c, sku);
  return body ? svc_answer_node(c, body) : svc_no_memory(c);
}

SVC_PRIVATE const svc_noun svc_noun_sku = {
  .name = "sku",
  .param = "skuId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .routes = SVC_ROUTES(sku_routes),
};
