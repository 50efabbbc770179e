/*
** Stream private link: a connection from the networks of stream processors to someone else's service, outside of the public
** network. Its required fields depend on the provider and vendor. A private link can be created and deleted, but not changed.
**
**   POST --> IDLE --> WORKING --> DONE
**                        |          |
**                        v          v
**                     FAILED     DELETE_REQUESTED --> DELETING --> removed: 404
**
** A private link cannot be deleted while a connection uses it; the error names the connection.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/stream/stream_parts.h"
#include "catalog/policy/policy_language.h"

enum { STREAM_PRIVATE_LINK_MOST = 50, STREAM_PRIVATE_LINK_LIST = 50 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_private_link_schemes[] = { "TLS", "SASL_SCRAM", "IAM", NULL };
static const char *const stream_private_link_states[] = { "IDLE", "WORKING", "DONE", "FAILED", "DELETE_REQUESTED", "DELETING", NULL };
static const char *const stream_private_link_vendors[] = { "CONFLUENT", "MSK", "S3", "KINESIS", "EVENTHUB", "GENERIC", NULL };

/* Allowed fields, by provider and vendor. */
#define STREAM_PRIVATE_LINK_NAMES 6
static const struct {
  const char *provider, *vendor;
  const char *takes[STREAM_PRIVATE_LINK_NAMES];
} stream_private_link_kinds[] = {
  { "AWS", "CONFLUENT", { "dnsDomain", "dnsSubDomain", "region", "serviceEndpointId", NULL } },
  { "AWS", "MSK", { "arn", "authenticationScheme", "region", NULL } },
  { "AWS", "S3", { "region", "serviceEndpointId", NULL } },
  { "AWS", "KINESIS", { "region", "serviceEndpointId", NULL } },
  { "AWS", "GENERIC", { "dnsDomain", "dnsSubDomain", "region", "serviceEndpointId", NULL } },
  { "AZURE", "GENERIC", { "dnsDomain", "dnsSubDomain", "region", "serviceEndpointId", NULL } },
  { "AZURE", "EVENTHUB", { "dnsDomain", "region", "serviceEndpointId", NULL } },
  { "AZURE", "CONFLUENT", { "azureResourceIds", "dnsDomain", "dnsSubDomain", "region", NULL } },
  { "GCP", "CONFLUENT", { "dnsDomain", "dnsSubDomain", "gcpConnectionIds", "gcpServiceAttachmentUris", "region", NULL } },
};
/* Required fields, by provider and vendor. */
static const svc_need stream_private_link_needs[] = {
  { .fields = "dnsDomain region serviceEndpointId", .where = "provider=AWS vendor=CONFLUENT" },
  { .fields = "arn", .where = "provider=AWS vendor=MSK" },
  { .fields = "region serviceEndpointId", .where = "provider=AWS vendor=S3|KINESIS|GENERIC" },
  { .fields = "dnsDomain region serviceEndpointId", .where = "provider=AZURE vendor=EVENTHUB|GENERIC" },
  { .fields = "azureResourceIds dnsDomain region", .where = "provider=AZURE vendor=CONFLUENT" },
  { .fields = "dnsDomain gcpServiceAttachmentUris region", .where = "provider=GCP vendor=CONFLUENT" },
  { .fields = NULL }
};
#define STREAM_PRIVATE_LINK_KINDS (sizeof stream_private_link_kinds / sizeof stream_private_link_kinds[0])

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field stream_private_link_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  F_STR("arn", .pattern = "^arn:aws:kafka.*$", .max = 512),
  F_ENUM("authenticationScheme", stream_private_link_schemes),
  F_STRS("azureResourceIds", .flags = SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = STREAM_PRIVATE_LINK_LIST, .min = 1, .max = 512),
  F_STR("dnsDomain", .min = 1, .max = 255),
  F_STRS("dnsSubDomain", .flags = SVC_UNIQUE_ITEMS, .max_items = STREAM_PRIVATE_LINK_LIST, .min = 1, .max = 255),
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_STRS("gcpConnectionIds", .flags = SVC_UNIQUE_ITEMS, .max_items = 3, .min = 1, .max = 255),
  F_STRS("gcpServiceAttachmentUris", .flags = SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 3, .min = 1, .max = 512),
  F_STR("interfaceEndpointId", .flags = SVC_READ_ONLY),
  F_STR("interfaceEndpointName", .flags = SVC_READ_ONLY),
  F_ENUM("provider", svc_values_clouds, .flags = SVC_REQUIRED | SVC_ANY_CASE),
  F_STR("providerAccountId", .flags = SVC_READ_ONLY),
  F_STR("region", .min = 1, .max = STREAM_NAME_MOST),
  F_STR("serviceEndpointId", .min = 1, .max = 512),
  F_ENUM("state", stream_private_link_states, .flags = SVC_READ_ONLY),
  F_ENUM("vendor", stream_private_link_vendors, .preset = "\"GENERIC\"")
};
static const svc_object stream_private_link_object = {
  .name = "StreamsPrivateLinkConnection", .fields = SVC_ROWS(stream_private_link_fields), .ext = SVC_OBJECT_EXT(.needs = stream_private_link_needs)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

#define STREAM_PRIVATE_LINK_BASE \
  "/groups/{groupId}/streams/privateLinkConnections", SVC_SET_STREAMS, (20230201), SVC_R_GROUP_READ_ONLY, STREAM_WRITERS

static const svc_route stream_private_link_routes[] = {
  R_GET(STREAM_PRIVATE_LINK_BASE, "", .flags = SVC_PAGED, .op = "listPrivateLinkConnections", .run = svc_verb_list),
  R_POST(STREAM_PRIVATE_LINK_BASE, "", .status = 202, .op = "createPrivateLinkConnection", .run = svc_verb_create,
         .example = "{\"provider\":\"AWS\",\"vendor\":\"CONFLUENT\",\"region\":\"us-east-1\","
                    "\"dnsDomain\":\"abc.us-east-1.aws.example.com\","
                    "\"serviceEndpointId\":\"com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0\"}"),
  R_GET(STREAM_PRIVATE_LINK_BASE, "/{connectionId}", .op = "getPrivateLinkConnection", .run = svc_verb_read),
  R_DELETE(STREAM_PRIVATE_LINK_BASE, "/{connectionId}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deletePrivateLinkConnection", .run = svc_verb_delete)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition stream_private_link_transitions[] = {
  { "IDLE", "WORKING", 5, NULL, NULL },
  { "WORKING", "DONE", 30, NULL, "privatelink.create" },
  { "DELETE_REQUESTED", "DELETING", 5, NULL, NULL },
  { "DELETING", NULL, 20, NULL, "privatelink.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle stream_private_link_lifecycle = {
  .field = "state", .created = "IDLE", .deleted = "DELETE_REQUESTED", .failed = "FAILED", .reason = "errorMessage",
  .transitions = stream_private_link_transitions
};

/* A private link that is being deleted can only be read. */
static const svc_guard stream_private_link_guards[] = {
  { "state", "DELETE_REQUESTED", SVC_GUARD_DELETE, SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND },
  { "state", "DELETING", SVC_GUARD_DELETE, SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- rules of a body */

static bool stream_private_link_in(const char *const *names, svc_str name)
{
  while (*names && !svc_str_is(name, *names)) names++;
  return *names != NULL;
}

static void stream_private_link_kind(svc_call *c, const svc_node *body)
{
  const svc_node *member;
  const svc_field *f;
  size_t i = 0;
  while (i < STREAM_PRIVATE_LINK_KINDS && (!svc_stream_is(body, "provider", stream_private_link_kinds[i].provider) ||
                                           !svc_stream_is(body, "vendor", stream_private_link_kinds[i].vendor)))
    i++;
  if (i == STREAM_PRIVATE_LINK_KINDS) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("vendor"), "has no endpoints at this provider");
    return;
  }
  for (member = body->first; member; member = member->next) {
    f = svc_field_named(&stream_private_link_object, member->name);
    if (!f || f->preset || f->flags & (SVC_READ_ONLY | SVC_REQUIRED) || stream_private_link_in(stream_private_link_kinds[i].takes, member->name)) continue;
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, member->name, "is not allowed for %s at %s", stream_private_link_kinds[i].vendor,
                stream_private_link_kinds[i].provider);
  }
}

/* Refuses a second private link to the same service from the same region. */
static bool stream_private_link_alone(svc_call *c, const svc_change *change)
{
  static const char *const same[] = { "provider", "vendor", "region", "arn", "serviceEndpointId", "dnsDomain" };
  svc_str region = svc_node_str(change->body, "region"), group = svc_id_str(c->arena, &change->parent);
  const svc_noun *noun = change->noun->noun;
  svc_scan scan;
  svc_entity e;
  size_t i;
  svc_below_begin(&scan, c->txn, noun->kind, &change->parent);
  while (svc_below_next(&scan, noun->kind, &e)) {
    for (i = 0; i < 6 && svc_node_eq(change->body, same[i], svc_entity_text(c, noun, &e, same[i]));) i++;
    if (i == 6 && !svc_str_starts(svc_entity_text(c, noun, &e, "state"), "DELET"))
      return svc_fail(c, SVC_E_PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION, "SS", &region, &group);
  }
  return svc_txn_good(c);
}

static bool stream_private_link_prepare(svc_call *c, svc_change *change)
{
  svc_str arn = svc_node_str(change->body, "arn");
  if (SVC_NEVER(change->before)) return true; /* there is no update operation */
  stream_private_link_kind(c, change->body);
  if (!svc_check_done(c)) return false;
  if (arn.n && !svc_node_get(change->body, "region")) { /* arn:aws:kafka:REGION:... */
    int i;
    for (i = 0; i < 3; i++) svc_str_cut(&arn, ':');
    svc_node_set_str(c->arena, change->body, "region", svc_str_cut(&arn, ':'));
  }
  return stream_private_link_alone(c, change);
}

/* ---- what the data plane has made of it */

/* Simulates the provider's ids, made from the private link's own id. */
static bool stream_private_link_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_str id = svc_id_str(c->arena, &change->id);
  (void)action;
  svc_node_set_str(c->arena, facts, "interfaceEndpointId", svc_arena_print(c->arena, "vpce-%.17s", id.n >= 17 ? id.p + id.n - 17 : ""));
  svc_node_set_str(c->arena, facts, "providerAccountId", svc_stream_account(c, svc_node_str(change->body, "provider")));
  return true;
}

static const svc_field stream_private_link_fact_fields[] = {
  F_STR("interfaceEndpointId", .min = 1, .max = 512), F_STR("interfaceEndpointName", .min = 1, .max = 512), F_STR("providerAccountId", .min = 1, .max = 512)
};
static const svc_object stream_private_link_facts_object = { .name = "StreamPrivateLinkFacts", .fields = SVC_ROWS(stream_private_link_fact_fields) };
static const svc_order_row stream_private_link_orders[] = {
  { "privatelink.create", "Create the private link to the service of the customer.", NULL, &stream_private_link_facts_object, 0 },
  { "privatelink.delete", "Remove the private link.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_stream_private_link = {
  .name = STREAM_PRIVATE_LINK,
  .rel = "streamPrivateLink",
  .kind = "stpl",
  .parent = "project",
  .param = "connectionId",
  .object = &stream_private_link_object,
  .err_not_found = SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_STREAMS_RESOURCE,
  .most = STREAM_PRIVATE_LINK_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &stream_private_link_lifecycle,
  .guards = stream_private_link_guards,
  .event_created = "ENDPOINT_SERVICE_CREATED", /* there is no closer event type */
  .event_deleted = "ENDPOINT_SERVICE_DELETED",
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint),
  .orders = stream_private_link_orders,
  .routes = SVC_ROUTES(stream_private_link_routes),
  .prepare = stream_private_link_prepare,
  .simulate = stream_private_link_simulate,
  .facts = svc_facts_into,
};
