/*
** The types of events there are: the table of event types, as a list.
*/
#include "internal.h"
#include "catalog/event_type_list.h"

typedef struct event_type_row {
  const char *name;
  bool alertable;
  const char *description;
} event_type_row;

#define EVENT_TYPE_ROW(name, where, alertable, description) { #name, alertable, description },
static const event_type_row event_type_table[] = { SVC_EVENT_TYPE_LIST(EVENT_TYPE_ROW) };
#undef EVENT_TYPE_ROW
#define EVENT_TYPE_COUNT (sizeof event_type_table / sizeof event_type_table[0])

static bool event_type_list(svc_call *c);

static const svc_route event_type_routes[] = {
  { .method = SVC_GET, .path = "/eventTypes", .set = SVC_SET_EVENT_TYPES, .versions = { 20230101 },
    .roles = SVC_R_ORG_MEMBER | SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED, .run = event_type_list },
  SVC_ROUTES_END
};

static bool event_type_next(svc_call *c, void *state, svc_item *out)
{
  size_t *at = state;
  const event_type_row *row;
  svc_node *body;
  if (*at == EVENT_TYPE_COUNT) return false;
  row = &event_type_table[(*at)++];
  if (!out) return true;
  body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  if (!body) return false;
  svc_node_set_bool(c->arena, body, "alertable", row->alertable);
  svc_node_set_str(c->arena, body, "description", svc_str_c(row->description));
  svc_node_set_str(c->arena, body, "eventType", svc_str_c(row->name));
  svc_item_node(c, out, SVC_S(""), body);
  return true;
}

static bool event_type_list(svc_call *c)
{
  size_t at = 0;
  return svc_list_items(c, event_type_next, &at, (int64_t)EVENT_TYPE_COUNT);
}

SVC_PRIVATE const svc_noun svc_noun_event_type = {
  .name = "event type",
  .flags = SVC_VIRTUAL,
  .routes = event_type_routes,
};
