/*
** The names of the fields that matchers of alert configurations can use: a constant list.
*/
#include "catalog/monitoring/alert_parts.h"

static const svc_field alert_matcher_field_fields[] = { F_ENUM("fieldName", svc_alert_field_names, .flags = SVC_READ_ONLY) };
static const svc_object alert_matcher_field_object = { .name = "MatcherField", .fields = SVC_ROWS(alert_matcher_field_fields) };

static bool alert_matcher_field_list(svc_call *c);

static const svc_route alert_matcher_field_routes[] = {
  { .method = SVC_GET, .path = "/alertConfigs/matchers/fieldNames", .set = SVC_SET_ALERT_MATCHERS, .versions = { 20230101 },
    .flags = SVC_BARE | SVC_NO_LINKS, .op = "listMatcherFieldNames", .run = alert_matcher_field_list,
    .ext = SVC_ROUTE_EXT(.value = "fieldName") }
};

static bool alert_matcher_field_list(svc_call *c)
{
  svc_node *list = svc_node_array(c->arena, NULL);
  int64_t first = c->query.paged ? (c->query.page - 1) * c->query.per_page : 0, i;
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_node *item;
  for (i = 0; list && svc_alert_field_names[i]; i++) {
    if (i < first || (c->query.paged && i >= first + c->query.per_page)) continue;
    item = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_value_text(c->s, c->arena, svc_alert_field_names[i]));
    if (item) svc_node_append(list, item);
  }
  if (!list || c->arena->failed) return svc_no_memory(c);
  svc_node_write(&b, list);
  return svc_answer_json(c, svc_buf_done(&b));
}

SVC_PRIVATE const svc_noun svc_noun_alert_matcher_field = {
  .name = "alert matcher field",
  .flags = SVC_VIRTUAL,
  .object = &alert_matcher_field_object,
  .routes = SVC_ROUTES(alert_matcher_field_routes),
};
