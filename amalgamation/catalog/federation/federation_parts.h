/*
** What the nouns of federation share: who is in one, and how organizations come and go.
*/
#ifndef SVC_FEDERATION_PARTS_H
#define SVC_FEDERATION_PARTS_H

#include "catalog/catalog.h"
#include "catalog/objects.h"

#define SVC_FEDERATION_KIND "feds"
#define SVC_CONNECTED_KIND "fcon"
#define SVC_PROVIDER_KIND "fidp"
#define SVC_FEDERATION_MOST 32 /* organizations of one: as many as a caller's roles are looked up on */

/* A group at the identity provider, and the roles that whoever is in it gets here. */
SVC_SHARED svc_field svc_fields_role_assignment[] = { F_HEX24("groupId"), F_HEX24("orgId"), F_STR("role", .max = 64) };
SVC_SHARED svc_need svc_needs_role_assignment[] = { /* what was given before may be sent back as it is: federation_roles.c looks at the others */
  { .fields = "role", .by_hook = true }, { .fields = "groupId|orgId", .by_hook = true }, { .fields = NULL }
};
SVC_SHARED svc_object svc_object_role_assignment = {
  .name = "ConnectedOrgConfigRoleAssignment", .fields = SVC_ROWS(svc_fields_role_assignment), .ext = SVC_OBJECT_EXT(.needs = svc_needs_role_assignment)
};
SVC_SHARED svc_field svc_fields_role_mapping[] = {
  F_STR("externalGroupName", .flags = SVC_REQUIRED, .min = 1, .max = 200),
  F_ID(),
  F_LIST("roleAssignments", &svc_object_role_assignment, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 50)
};
SVC_SHARED svc_object svc_object_role_mapping = { .name = "AuthFederationRoleMapping", .fields = SVC_ROWS(svc_fields_role_mapping) };
#define SVC_ROLE_MAPPINGS 50     /* of one organization */
#define SVC_ROLE_ASSIGNMENTS 200 /* of all of them together */

/* The federation that an organization is in, and its place there. *found false: in none, as where this build has no such nouns. */
SVC_PRIVATE bool svc_federation_of(svc_call *c, const svc_id *org, svc_entity *federation, svc_entity *connected, bool *found);
SVC_PRIVATE size_t svc_federation_organizations(svc_call *c, const svc_entity *federation, svc_id *out, size_t most);
/* An event in the feed of each of its organizations. */
SVC_PRIVATE bool svc_federation_tell(svc_call *c, const svc_id *federation, const char *event);
/* A federation of its own for an organization that is in none; event: what its feed says of that, NULL: nothing. */
SVC_PRIVATE bool svc_federation_begin(svc_call *c, const svc_id *org, const char *event);
/* Into this one; body NULL: as it is at first. */
SVC_PRIVATE bool svc_federation_enter(svc_call *c, const svc_id *federation, const svc_id *org, svc_node *body, svc_entity *out);
SVC_PRIVATE bool svc_federation_leave(svc_call *c, const svc_id *org); /* the organization is gone */
/* The federation of this id, for who owns one of its organizations. False: refused. */
SVC_PRIVATE bool svc_federation_owned(svc_call *c, svc_str id, svc_entity *out);
/* An organization that is there and that the caller owns. False: refused. */
SVC_PRIVATE bool svc_federation_owns(svc_call *c, svc_str org, svc_id *out);

/* federation_roles.c: roles that mappings give. `where`: how a violation begins to name the field, "" or "roleMappings[2].". */
SVC_PRIVATE bool svc_role_mapping_check(svc_call *c, const svc_id *org, svc_node *mapping, const svc_node *before, const char *where);
SVC_PRIVATE void svc_role_mapping_live(svc_call *c, const svc_id *org, svc_node *mapping); /* without what is there no more */

/*
** provider_rules.c. Providers have two ids: one of 24 digits, and the older one of 20, with which it begins. The last four are
** a sum of those, so that either says which provider is meant.
*/
SVC_PRIVATE svc_str svc_provider_old_id(svc_call *c, const svc_id *id);
SVC_PRIVATE bool svc_provider_id(svc_str text, svc_id *out); /* of either; false: it is neither */
SVC_PRIVATE bool svc_provider_of(svc_call *c, const svc_id *federation, svc_str id, const char *protocol, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_provider_prepare(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_connected_names(const svc_node *connected, const svc_id *provider); /* its configuration names this provider */

#endif /* SVC_FEDERATION_PARTS_H */
