/*
** Stream connection: a source or target of the processors of a workspace. Its required fields depend on its type
** (stream_object.c, stream_rules.c). Its name and type never change.
**
**   POST --> PENDING --> READY          PATCH: PENDING again
**               |          |
**               v          v
**            FAILED     DELETING --> removed: 404
**
** A sample is READY from the start. A connection that a processor uses cannot be deleted. A Kafka connection can be neither
** changed nor deleted while it is being deployed.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

/* ----------------------------------------------------------------------------------------------------------- routes */

#define STREAM_CONNECTION_BASE \
  "/groups/{groupId}/streams/{tenantName}/connections", SVC_SET_STREAMS, (20230201), SVC_R_GROUP_READ_ONLY, STREAM_WRITERS

static const svc_route stream_connection_routes[] = {
  R_FOR(STREAM_READERS, STREAM_CONNECTION_BASE, SVC_GET, "", .flags = SVC_PAGED, .op = "listStreamConnections", .run = svc_verb_list),
  R_POST(STREAM_CONNECTION_BASE, "", .status = 202, .op = "createStreamConnection", .run = svc_verb_create,
         .example = "{\"name\":\"orders\",\"type\":\"Kafka\",\"bootstrapServers\":\"kafka.example.com:9098\",\"authentication\":"
                    "{\"mechanism\":\"SCRAM-256\",\"username\":\"streams\",\"password\":\"a secret of Kafka\"},"
                    "\"security\":{\"protocol\":\"SASL_SSL\"}}"),
  R_GET(STREAM_CONNECTION_BASE, "/{connectionName}", .op = "getStreamConnection", .run = svc_verb_read),
  R_PATCH(STREAM_CONNECTION_BASE, "/{connectionName}", .op = "updateStreamConnection", .run = svc_verb_update,
          .example = "{\"config\":{\"client.id\":\"orders\"}}"),
  R_DELETE(STREAM_CONNECTION_BASE, "/{connectionName}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deleteStreamConnection", .run = svc_verb_delete)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition stream_connection_transitions[] = {
  { "PENDING", "READY", 10, NULL, "connection.put" },
  { "DELETING", NULL, 10, NULL, "connection.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle stream_connection_lifecycle = {
  .field = "state", .created = "PENDING", .updated = "PENDING", .deleted = "DELETING", .failed = "FAILED",
  .transitions = stream_connection_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Refuses a change or delete that the connection's state does not allow. */
static bool stream_connection_open(svc_call *c, svc_str name, const svc_node *body)
{
  svc_str tenant = svc_path_entity(c, STREAM_WORKSPACE)->unique;
  if (svc_stream_is(body, "state", "DELETING")) return svc_fail(c, SVC_E_STREAM_CONNECTION_NOT_FOUND_FOR_NAME, "SS", &name, &tenant);
  if (svc_stream_is(body, "type", "Kafka") && svc_stream_is(body, "state", "PENDING"))
    return svc_fail(c, SVC_E_STREAM_KAFKA_CONNECTION_IS_DEPLOYING, "S", &name);
  return true;
}

static bool stream_connection_prepare(svc_call *c, svc_change *change)
{
  bool changes = change->before && !svc_node_same(change->before, change->body);
  if (changes && !stream_connection_open(c, change->entity.unique, change->before)) return false;
  if (svc_stream_is(change->body, "type", "Sample")) change->state = "READY";
  return svc_stream_connection_check(c, change);
}

static bool stream_connection_removing(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e);
  svc_scan scan;
  svc_entity processor;
  if (!body || !stream_connection_open(c, e->unique, body)) return false;
  svc_below_begin(&scan, c->txn, STREAM_PROCESSOR_KIND, &e->parent);
  while (svc_below_next(&scan, STREAM_PROCESSOR_KIND, &processor))
    if (svc_lines_have(svc_stream_kept_of(processor.extra).names, e->unique))
      return svc_fail(c, SVC_E_STREAM_CONNECTION_IN_USE, "SS", &e->unique, &processor.unique);
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_ref stream_connection_refs[] = {
  STREAM_REFS_OF_CLUSTERS
  { "networking.access.connectionId", STREAM_PRIVATE_LINK, SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND, SVC_E_STREAM_PRIVATE_LINK_IN_USE },
  { "publicPrivateNetworking.access.connectionId", STREAM_PRIVATE_LINK, SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND,
    SVC_E_STREAM_PRIVATE_LINK_IN_USE },
  { NULL, NULL, 0, 0 }
};

static const svc_order_row stream_connection_orders[] = {
  { "connection.put", "Make the connection usable by the processors of its workspace.", NULL, NULL, 0 },
  { "connection.delete", "Remove the connection.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_stream_connection = {
  .name = STREAM_CONNECTION,
  .rel = "streamConnection",
  .kind = STREAM_CONNECTION_KIND,
  .parent = STREAM_WORKSPACE,
  .param = "connectionName",
  .object = &svc_stream_connection,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_STREAM_CONNECTION_NOT_FOUND_FOR_NAME,
  .err_exists = SVC_E_STREAM_CONNECTION_ALREADY_EXISTS,
  .most = STREAM_CONNECTION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &stream_connection_lifecycle,
  .refs = stream_connection_refs,
  .event_created = "STREAM_TENANT_CONNECTION_CREATED",
  .event_updated = "STREAM_TENANT_CONNECTION_UPDATED",
  .event_deleted = "STREAM_TENANT_CONNECTION_DELETED",
  .event_field = "resourceId",
  .orders = stream_connection_orders,
  .routes = SVC_ROUTES(stream_connection_routes),
  .prepare = stream_connection_prepare,
  .removing = stream_connection_removing,
  .ext = SVC_NOUN_EXT(.event_value = "id")
};
