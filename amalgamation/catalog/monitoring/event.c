/*
** Events of a project or organization, newest first. The pipeline writes an event with every change.
**
** The id of an event contains its time, so a filter by date starts at that date; types and clusters have tallies. Events
** are parsed only for includeRaw, which adds a copy of the event to itself.
*/
#include "catalog/monitoring/event_parts.h"

/* All members of events; the type of an event decides which of them it has. Events of organizations have fewer members than
** those of projects. */
static const svc_field event_common_fields[] = {
  F_HEX24("alertConfigId", .flags = SVC_READ_ONLY),
  F_HEX24("alertId", .flags = SVC_READ_ONLY),
  F_HEX24("apiKeyId", .flags = SVC_READ_ONLY),
  F_STR("clientId", .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_CREATED("created"),
  F_STR("dbUserUsername", .flags = SVC_READ_ONLY),
  F_ANY("delegatePrincipal", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_ID(),
  F_HEX24("invoiceId", .flags = SVC_READ_ONLY),
  F_BOOL("isGlobalAdmin", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_HEX24("paymentId", .flags = SVC_READ_ONLY),
  F_STR("publicKey", .flags = SVC_READ_ONLY),
  F_ANY("raw", .flags = SVC_READ_ONLY),
  F_STR("remoteAddress", .flags = SVC_READ_ONLY),
  F_STR("resourceId", .flags = SVC_READ_ONLY),
  F_HEX24("resourcePolicyId", .flags = SVC_READ_ONLY),
  F_STR("resourceType", .flags = SVC_READ_ONLY),
  F_STR("targetPublicKey", .flags = SVC_READ_ONLY),
  F_STR("targetUsername", .flags = SVC_READ_ONLY),
  F_HEX24("teamId", .flags = SVC_READ_ONLY),
  F_STR("userId", .flags = SVC_READ_ONLY),
  F_STR("username", .flags = SVC_READ_ONLY),
  F_STR("whitelistEntry", .flags = SVC_READ_ONLY)
};
static const svc_object event_common = { .name = "EventCommon", .fields = SVC_ROWS(event_common_fields) };

static const svc_field event_org_fields[] = { F_STR("eventTypeName", .flags = SVC_READ_ONLY | SVC_ORG_EVENTS) };
static const svc_object event_org_object = { .name = "OrganizationEvent", .base = &event_common, .fields = SVC_ROWS(event_org_fields) };

static const svc_field event_value_fields[] = {
  F_NUM("number", .flags = SVC_READ_ONLY),
  F_STR("units", .flags = SVC_READ_ONLY)
};
static const svc_object event_value_object = { .name = "EventValue", .fields = SVC_ROWS(event_value_fields) };

#define EVENT_TEXT(n) F_STR(n, .flags = SVC_READ_ONLY)
static const svc_field event_fields[] = {
  EVENT_TEXT("cloudProvider"),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  EVENT_TEXT("collection"),
  F_OBJ("currentValue", &event_value_object, .flags = SVC_READ_ONLY),
  EVENT_TEXT("database"),
  EVENT_TEXT("deskLocation"),
  F_LIST("diffs", &svc_event_diff_object, .flags = SVC_READ_ONLY),
  EVENT_TEXT("employeeIdentifier"),
  F_HEX24("endpointId", .flags = SVC_READ_ONLY),
  F_STR("eventTypeName", .flags = SVC_READ_ONLY | SVC_GROUP_EVENTS),
  EVENT_TEXT("frequencyType"),
  EVENT_TEXT("fromTier"),
  EVENT_TEXT("hostname"),
  EVENT_TEXT("instanceName"),
  EVENT_TEXT("metricName"),
  EVENT_TEXT("modifiedBy"),
  EVENT_TEXT("opType"),
  F_INT("port", .flags = SVC_READ_ONLY),
  EVENT_TEXT("processorErrorMsg"),
  EVENT_TEXT("processorName"),
  EVENT_TEXT("processorState"),
  EVENT_TEXT("providerEndpointId"),
  EVENT_TEXT("reason"),
  EVENT_TEXT("region"),
  EVENT_TEXT("replicaSetName"),
  F_HEX24("sessionId", .flags = SVC_READ_ONLY),
  EVENT_TEXT("shardName"),
  F_DATE("snapshotScheduledCreationDate", .flags = SVC_READ_ONLY),
  EVENT_TEXT("toTier"),
  EVENT_TEXT("userAlias"),
  F_STRS("violatedPolicies", .flags = SVC_READ_ONLY),
  EVENT_TEXT("violationAction")
};
static const svc_object event_object = { .name = "ProjectEvent", .base = &event_common, .fields = SVC_ROWS(event_fields) };

static const svc_field event_feed_fields[] = { F_STR("link", .flags = SVC_READ_ONLY) };
static const char *const event_tallies[] = { "eventTypeName", "clusterName", NULL };
static const svc_object event_feed = { .name = "ActivityFeedLink", .fields = SVC_ROWS(event_feed_fields) };

static const svc_param event_group_params[] = {
  { .name = "clusterNames", .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .flags = SVC_PARAM_REPEATS },
  { .name = "eventType", .flags = SVC_PARAM_REPEATS | SVC_PARAM_EVENTS },
  { .name = "excludedEventType", .flags = SVC_PARAM_REPEATS | SVC_PARAM_EVENTS },
  { .name = "includeRaw", .type = SVC_BOOLEAN },
  { .name = "maxDate", .type = SVC_DATE },
  { .name = "minDate", .type = SVC_DATE },
  { .name = NULL }
};
static const svc_param event_org_params[] = {
  { .name = "eventType", .flags = SVC_PARAM_REPEATS | SVC_PARAM_EVENTS },
  { .name = "includeRaw", .type = SVC_BOOLEAN },
  { .name = "maxDate", .type = SVC_DATE },
  { .name = "minDate", .type = SVC_DATE },
  { .name = NULL }
};
static const svc_param event_read_params[] = { { .name = "includeRaw", .type = SVC_BOOLEAN }, { .name = NULL } };
static const svc_param event_group_feed_params[] = {
  { .name = "clusterName", .flags = SVC_PARAM_REPEATS, .max_repeats = 20 },
  { .name = "eventType", .flags = SVC_PARAM_REPEATS | SVC_PARAM_EVENTS, .max_repeats = 20 },
  { .name = "maxDate", .type = SVC_DATE },
  { .name = "minDate", .type = SVC_DATE },
  { .name = NULL }
};
static const svc_param event_org_feed_params[] = {
  { .name = "eventType", .flags = SVC_PARAM_REPEATS | SVC_PARAM_EVENTS, .max_repeats = 20 },
  { .name = "maxDate", .type = SVC_DATE },
  { .name = "minDate", .type = SVC_DATE },
  { .name = NULL }
};

static const svc_filter event_group_filters[] = {
  { "clusterNames", SVC_EQUALS, "clusterName" },
  { "eventType", SVC_EQUALS, "eventTypeName" },
  { "excludedEventType", SVC_NOT_IN, "eventTypeName" },
  { "maxDate", SVC_MAX_DATE, "created" },
  { "minDate", SVC_MIN_DATE, "created" },
  { NULL, 0, NULL }
};
static const svc_filter event_org_filters[] = {
  { "eventType", SVC_EQUALS, "eventTypeName" },
  { "maxDate", SVC_MAX_DATE, "created" },
  { "minDate", SVC_MIN_DATE, "created" },
  { NULL, 0, NULL }
};

static bool event_list(svc_call *c);
static bool event_read(svc_call *c);
static bool event_activity_feed(svc_call *c);

#define EVENT_GROUP "/groups/{groupId}/events", SVC_SET_PROJECT_EVENTS, (20230101), SVC_R_GROUP_READ_ONLY, 0
#define EVENT_ORG "/orgs/{orgId}/events", SVC_SET_ORGANIZATION_EVENTS, (20230101), SVC_R_ORG_MEMBER, 0

static const svc_route event_routes[] = {
  R_GET(EVENT_GROUP, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = event_group_params, .op = "listGroupEvents", .run = event_list,
        .ext = SVC_ROUTE_EXT(.filters = event_group_filters)),
  R_GET(EVENT_GROUP, "/{eventId}", .flags = SVC_ITEM, .params = event_read_params, .op = "getGroupEvent", .run = event_read),
  R_GET(EVENT_ORG, "", .answer = &event_org_object, .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = event_org_params,
        .op = "listOrgEvents", .run = event_list, .ext = SVC_ROUTE_EXT(.filters = event_org_filters)),
  R_GET(EVENT_ORG, "/{eventId}", .answer = &event_org_object, .flags = SVC_ITEM, .params = event_read_params, .op = "getOrgEvent", .run = event_read,
        .err_not_found = SVC_E_ORG_EVENT_NOT_FOUND),
  { .method = SVC_GET, .path = "/groups/{groupId}/activityFeed", .set = SVC_SET_PROJECT_ACTIVITY, .versions = { 20250312 },
    .roles = SVC_R_GROUP_READ_ONLY, .params = event_group_feed_params, .answer = &event_feed,
    .op = "getGroupActivityFeed", .run = event_activity_feed },
  { .method = SVC_GET, .path = "/orgs/{orgId}/activityFeed", .set = SVC_SET_ORGANIZATION_ACTIVITY,
    .versions = { 20250312 }, .roles = SVC_R_ORG_MEMBER, .params = event_org_feed_params, .answer = &event_feed,
    .op = "getOrgActivityFeed", .run = event_activity_feed }
};

static bool event_is_type(const svc_call *c, svc_str name, int where)
{
  svc_event_type type;
  return svc_event_type_known(c->s, name, &type) && type.where & where;
}

/* Checks that each requested type can occur in this feed. */
static bool event_known_types(svc_call *c)
{
  int where = c->plan->hops[0].noun == c->s->group ? SVC_EVENT_GROUP : SVC_EVENT_ORG;
  size_t i;
  for (i = 0; i < c->query.count; i++) {
    const char *name = c->query.values[i].param->name;
    if (strcmp(name, "eventType") != 0 && strcmp(name, "excludedEventType") != 0) continue;
    if (!event_is_type(c, c->query.values[i].text, where))
      return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", name, "it is not an event type of this feed");
  }
  return true;
}

static bool event_dates(svc_call *c)
{
  const svc_query_value *low = svc_query_get(c, "minDate"), *high = svc_query_get(c, "maxDate");
  if (low && high && low->number > high->number)
    return svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "SS", &low->text, &high->text);
  return true;
}

static bool event_wants_raw(const svc_call *c)
{
  const svc_query_value *raw = svc_query_get(c, "includeRaw");
  return raw && raw->number;
}

/* The event with a copy of itself, as "raw". */
static svc_node *event_with_raw(svc_call *c, const svc_entity *e, void *context)
{
  svc_node *body = svc_entity_body(c, e), *raw = body ? svc_node_copy(c->arena, body) : NULL;
  (void)context;
  if (!raw) return NULL;
  raw->name = SVC_S("raw");
  svc_node_put(c->arena, body, raw);
  return body;
}

static bool event_list(svc_call *c)
{
  svc_entities which = { .noun = c->plan->noun, .filters = svc_route_ext_of(c->plan->route)->filters };
  if (!event_known_types(c) || !event_dates(c)) return false;
  which.parent = svc_parent_of_call(c)->id;
  if (event_wants_raw(c)) which.view = event_with_raw;
  return svc_list_entities(c, &which);
}

static bool event_read(svc_call *c)
{
  svc_node *body;
  if (!event_wants_raw(c)) return svc_verb_read(c);
  if (!svc_resolve_all(c)) return false;
  body = event_with_raw(c, &c->route.chain[c->plan->hop_count - 1], NULL);
  return body && svc_answer_node(c, body);
}

/* Answers with a link to the events that the filters select, for feed readers. */
static bool event_activity_feed(svc_call *c)
{
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_node *body = svc_node_object(c->arena, NULL);
  size_t i;
  if (!event_known_types(c) || !event_dates(c)) return false;
  svc_buf_str(&b, c->s->base_url);
  svc_buf_str(&b, c->s->base_path);
  svc_buf_str(&b, svc_shown_target(c->s, c->arena, c->plan->hops[0].noun == c->s->group ? SVC_S("/groups/") : SVC_S("/orgs/")));
  svc_buf_str(&b, c->route.chain[0].key);
  svc_buf_str(&b, svc_shown_target(c->s, c->arena, SVC_S("/events")));
  for (i = 0; i < c->query.count; i++) {
    const char *name = c->query.values[i].param->name;
    svc_buf_char(&b, i ? '&' : '?');
    svc_buf_str(&b, svc_shown_field(c->s, svc_str_c(strcmp(name, "clusterName") == 0 ? "clusterNames" : name)));
    svc_buf_char(&b, '=');
    svc_percent_encode(&b, svc_shown_query(c, &c->query.values[i]));
  }
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "link", svc_buf_done(&b));
  return svc_answer_node(c, body);
}

SVC_PRIVATE const svc_noun svc_noun_event = {
  .name = "event",
  .kind = "evnt",
  .param = "eventId",
  .seat = SVC_SEAT_FEED,
  .object = &event_object,
  .err_not_found = SVC_E_EVENT_NOT_FOUND,
  .routes = SVC_ROUTES(event_routes),
  .ext = SVC_NOUN_EXT(.feed = &(const svc_feed_ops){ event_tallies, svc_event_diffs })
};
