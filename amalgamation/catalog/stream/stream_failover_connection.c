/*
** Stream failover connection: replaces a connection when its processors fail over to another region. Both have the same type,
** Kafka or Cluster. A failover connection belongs to one of the workspace's failover regions.
**
**   POST --> PENDING --> READY          PATCH: PENDING again; DELETE: removed
**               |
**               +------> FAILED
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

/* ----------------------------------------------------------------------------------------------------------- routes */

#define STREAM_FAILOVER_BASE \
  "/groups/{groupId}/streams/{tenantName}/connections/{connectionName}/failoverConnections", SVC_SET_STREAMS, (20250312), \
    STREAM_WRITERS, STREAM_WRITERS

static const svc_route stream_failover_connection_routes[] = {
  R_GET(STREAM_FAILOVER_BASE, "", .flags = SVC_PAGED, .op = "listFailoverConnections", .run = svc_verb_list),
  R_POST(STREAM_FAILOVER_BASE, "", .status = 202, .op = "createFailoverConnection", .run = svc_verb_create,
         .example = "{\"type\":\"Kafka\",\"region\":\"OREGON_USA\",\"bootstrapServers\":\"west.example.com:9098\",\"authentication\":"
                    "{\"mechanism\":\"SCRAM-256\",\"username\":\"streams\",\"password\":\"a secret of Kafka\"},"
                    "\"security\":{\"protocol\":\"SASL_SSL\"}}"),
  R_GET(STREAM_FAILOVER_BASE, "/{failoverConnectionId}", .op = "getStreamFailoverConnection", .run = svc_verb_read),
  R_PATCH(STREAM_FAILOVER_BASE, "/{failoverConnectionId}", .op = "updateStreamFailoverConnection", .run = svc_verb_update,
          .example = "{\"config\":{\"client.id\":\"orders\"}}"),
  R_DELETE(STREAM_FAILOVER_BASE, "/{failoverConnectionId}", .status = 204, .op = "deleteStreamFailoverConnection", .run = svc_verb_delete)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition stream_failover_connection_transitions[] = {
  { "PENDING", "READY", 10, NULL, "failover.put" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle stream_failover_connection_lifecycle = {
  .field = "state", .created = "PENDING", .updated = "PENDING", .failed = "FAILED",
  .transitions = stream_failover_connection_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool stream_failover_connection_prepare(svc_call *c, svc_change *change)
{
  const svc_entity *parent = svc_path_entity(c, STREAM_CONNECTION);
  const svc_node *connection = svc_entity_body(c, parent), *workspace = svc_entity_body(c, svc_path_entity(c, STREAM_WORKSPACE));
  svc_str type = svc_node_str(connection, "type");
  if (!connection || !workspace) return false;
  if (svc_stream_is(connection, "state", "DELETING"))
    return svc_fail(c, SVC_E_STREAM_CONNECTION_NOT_FOUND_FOR_NAME, "SS", &parent->unique, &svc_path_entity(c, STREAM_WORKSPACE)->unique);
  if (!svc_node_eq(change->body, "type", type))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("type"), "must match the connection: " SVC_FMT, SVC_ARG(type));
  if (!svc_stream_has_region(svc_node_get(workspace, "failoverRegions"), svc_node_str(change->body, "region")))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("region"), "must be one of the workspace's failoverRegions");
  return svc_check_done(c) && svc_stream_connection_check(c, change);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_ref stream_failover_connection_refs[] = {
  STREAM_REFS_OF_CLUSTERS
  { "networking.access.connectionId", STREAM_PRIVATE_LINK, SVC_E_STREAM_PRIVATE_LINK_NOT_FOUND, SVC_E_STREAM_PRIVATE_LINK_IN_USE },
  { NULL, NULL, 0, 0 }
};

static const svc_order_row stream_failover_connection_orders[] = {
  { "failover.put", "Make the connection usable in the failover region.", NULL, NULL, 0 },
  { "failover.delete", "Remove the connection from the failover region.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_stream_failover_connection = {
  .name = "stream failover connection",
  .rel = "streamFailoverConnection",
  .kind = STREAM_FAILOVER_KIND,
  .parent = STREAM_CONNECTION,
  .param = "failoverConnectionId",
  .object = &svc_stream_failover_connection,
  .unique = "region",
  .err_not_found = SVC_E_STREAM_FAILOVER_CONNECTION_NOT_FOUND,
  .err_exists = SVC_E_STREAM_FAILOVER_CONNECTION_ALREADY_EXISTS,
  .most = STREAM_FAILOVER_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &stream_failover_connection_lifecycle,
  .refs = stream_failover_connection_refs,
  .event_created = "STREAM_TENANT_CONNECTION_CREATED", /* here and below, there is no closer event type */
  .event_updated = "STREAM_TENANT_CONNECTION_UPDATED",
  .event_deleted = "STREAM_TENANT_CONNECTION_DELETED",
  .event_field = "resourceId",
  .order_gone = "failover.delete",
  .orders = stream_failover_connection_orders,
  .routes = SVC_ROUTES(stream_failover_connection_routes),
  .prepare = stream_failover_connection_prepare,
  .ext = SVC_NOUN_EXT(.event_value = "id")
};
