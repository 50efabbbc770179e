/*
** Private endpoint of backups: a way for a project's exports and restores into the provider's object store that avoids the
** public network. A project has at most one per region; only one provider offers them.
**
**   POST --> INITIATING --> ACTIVE --> DELETING <-- DELETE     then it is deleted: 404
**                +--------> FAILED
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/endpoint_parts.h"
#include "catalog/policy/policy_language.h"

static const char *const backup_endpoint_clouds[] = { "AWS", NULL };

/* The regions with such endpoints: fewer than those with clusters. */
static const char *const backup_endpoint_regions[] = {
  "AF_SOUTH_1", "AP_EAST_1", "AP_NORTHEAST_1", "AP_NORTHEAST_2", "AP_NORTHEAST_3", "AP_SOUTHEAST_1", "AP_SOUTHEAST_2",
  "AP_SOUTHEAST_3", "AP_SOUTH_1", "CA_CENTRAL_1", "CN_NORTHWEST_1", "CN_NORTH_1", "EU_CENTRAL_1", "EU_NORTH_1", "EU_SOUTH_1",
  "EU_WEST_1", "EU_WEST_2", "EU_WEST_3", "GLOBAL", "ME_SOUTH_1", "SA_EAST_1", "US_EAST_1", "US_EAST_2", "US_GOV_EAST_1",
  "US_GOV_WEST_1", "US_WEST_1", "US_WEST_2", NULL
};

static const svc_field backup_endpoint_fields[] = {
  F_ENUM("cloudProvider", backup_endpoint_clouds, .flags = SVC_READ_ONLY),
  F_ENUM("regionName", backup_endpoint_regions, .flags = SVC_REQUIRED | SVC_FIXED),
  F_ENUM("vpcRegionName", backup_endpoint_regions, .flags = SVC_FIXED)
};
static const svc_object backup_endpoint_object = {
  .name = "ObjectStoragePrivateEndpoint", .base = &svc_endpoint_own, .fields = SVC_ROWS(backup_endpoint_fields)
};

#define BACKUP_ENDPOINT \
  "/groups/{groupId}/backup/{cloudProvider}/privateEndpoints", SVC_SET_BACKUP, (20241113), SVC_R_GROUP_OWNER, \
      SVC_R_GROUP_OWNER

static const svc_route_ext backup_endpoint_ext = { .in_path = "cloudProvider" };
static const svc_route backup_endpoint_routes[] = {
  R_GET(BACKUP_ENDPOINT, "", .flags = SVC_PAGED, .op = "listBackupPrivateEndpoints", .run = svc_verb_list, .ext = &backup_endpoint_ext),
  R_POST(BACKUP_ENDPOINT, "", .status = 202, .op = "createBackupPrivateEndpoint", .run = svc_verb_create,
         .example = "{\"regionName\":\"US_EAST_1\"}", .ext = &backup_endpoint_ext),
  R_GET(BACKUP_ENDPOINT, "/{endpointId}", .op = "getBackupPrivateEndpoint", .run = svc_verb_read, .ext = &backup_endpoint_ext),
  R_DELETE(BACKUP_ENDPOINT, "/{endpointId}", .status = 204, .op = "deleteBackupPrivateEndpoint", .run = svc_verb_delete,
           .ext = &backup_endpoint_ext)
};

static const svc_transition backup_endpoint_transitions[] = {
  { "INITIATING", "ACTIVE", 50, NULL, "backup_endpoint.create" },
  { "DELETING", NULL, 10, "INTERFACE_ENDPOINT_DELETED", "backup_endpoint.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle backup_endpoint_lifecycle = {
  .field = "status", .created = "INITIATING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorMessage",
  .transitions = backup_endpoint_transitions
};

/* A second delete answers 404, as if the endpoint were deleted already. */
static const svc_guard backup_endpoint_guards[] = {
  { "status", "DELETING", SVC_GUARD_DELETE, SVC_E_PRIVATE_ENDPOINT_SERVICE_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

/* The region from which the endpoint is reached; default: its own region. */
static bool backup_endpoint_prepare(svc_call *c, svc_change *change)
{
  if (SVC_NEVER(change->before)) return true; /* no route changes one */
  if (!svc_node_get(change->body, "vpcRegionName"))
    svc_node_set_from(c->arena, change->body, "vpcRegionName", change->body, "regionName");
  return true;
}

static bool backup_endpoint_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  svc_node_set_str(c->arena, facts, "privateEndpointConnectionName", svc_endpoint_name(c, "vpce-", &change->id));
  return true;
}

static const svc_order_row backup_endpoint_orders[] = {
  { "backup_endpoint.create",
    "Create a private endpoint to the object storage of backups in the region.", NULL, &svc_endpoint_own_facts, 0 },
  { "backup_endpoint.delete", "Remove the private endpoint.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_backup_endpoint = {
  .name = "backup endpoint",
  .rel = "backupPrivateEndpoint",
  .kind = "bpep",
  .parent = "project",
  .param = "endpointId",
  .object = &backup_endpoint_object,
  .unique = "regionName",
  .err_not_found = SVC_E_PRIVATE_ENDPOINT_SERVICE_NOT_FOUND,
  .err_exists = SVC_E_PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_BACKUP,
  .lifecycle = &backup_endpoint_lifecycle,
  .guards = backup_endpoint_guards,
  .event_created = "INTERFACE_ENDPOINT_CREATED",
  .event_deleted = "INTERFACE_ENDPOINT_PATCHED", /* the request; DELETED follows when the endpoint is deleted */
  .event_field = "resourceId",
  .flags = SVC_EVENT_KEY,
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint),
  .orders = backup_endpoint_orders,
  .routes = SVC_ROUTES(backup_endpoint_routes),
  .prepare = backup_endpoint_prepare,
  .simulate = backup_endpoint_simulate,
  .facts = svc_facts_into
};
