/*
** Role mapping: members of a group at the identity provider get these roles on the organization and its projects. A
** mapping is an element of the organization's configuration (connected_org_config.c). Only owners of that organization may
** change it; roles on other organizations of the federation do not count.
*/
#include "catalog/federation/federation_parts.h"

static bool role_mapping_may(svc_call *c);

#define ROLE_MAPPING \
  "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings", SVC_SET_FEDERATION_ORGANIZATION, (20230101), \
  SVC_R_ORG_OWNER, SVC_R_ORG_OWNER

static const svc_route role_mapping_routes[] = {
  R_GET(ROLE_MAPPING, "", .flags = SVC_PAGED, .op = "listRoleMappings", .run = svc_verb_list),
  R_POST(ROLE_MAPPING, "", .status = 201, .op = "createRoleMapping", .gate = role_mapping_may, .run = svc_verb_create,
         .example = "{\"externalGroupName\":\"ops\",\"roleAssignments\":[{\"groupId\":\"5f0000000000000000000001\",\"role\":\"GROUP_OWNER\"},"
                    "{\"orgId\":\"5f0000000000000000000001\",\"role\":\"ORG_MEMBER\"}]}"),
  R_GET(ROLE_MAPPING, "/{id}", .op = "getRoleMapping", .run = svc_verb_read),
  R_PUT(ROLE_MAPPING, "/{id}", .op = "updateRoleMapping", .gate = role_mapping_may, .run = svc_verb_replace),
  R_DELETE(ROLE_MAPPING, "/{id}", .status = 204, .op = "deleteRoleMapping", .gate = role_mapping_may, .run = svc_verb_delete)
};

/* Resolves the path first: a missing resource is refused before a missing permission. */
static bool role_mapping_may(svc_call *c)
{
  svc_id org;
  return svc_resolve_all(c) && svc_federation_owns(c, svc_path_param(c, "orgId"), &org);
}

static bool role_mapping_prepare(svc_call *c, svc_change *change)
{
  const svc_entity *connected = svc_path_entity(c, "connected organization");
  return svc_role_mapping_check(c, &connected->scope.org, change->body, change->before, "");
}

static svc_node *role_mapping_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (body) svc_role_mapping_live(c, &e->scope.org, body);
  return body;
}

SVC_PRIVATE const svc_noun svc_noun_role_mapping = {
  .name = "role mapping",
  .rel = "roleMapping",
  .kind = "fmap",
  .parent = "connected organization",
  .param = "id",
  .object = &svc_object_role_mapping,
  .unique = "externalGroupName",
  .err_not_found = SVC_E_ROLE_MAPPING_NOT_FOUND,
  .err_exists = SVC_E_ROLE_MAPPING_ALREADY_EXISTS,
  .event_created = "ROLE_MAPPING_CREATED",
  .event_updated = "ROLE_MAPPING_UPDATED",
  .event_deleted = "ROLE_MAPPING_DELETED",
  .routes = SVC_ROUTES(role_mapping_routes),
  .prepare = role_mapping_prepare,
  .view = role_mapping_view,
  .ext = SVC_NOUN_EXT(.element_of = "roleMappings")
};
