/*
** Functions and tables that the nouns of federation share: the organizations of a federation, and how they join and leave.
*/
#ifndef SVC_FEDERATION_PARTS_H
#define SVC_FEDERATION_PARTS_H

#include "catalog/catalog.h"
#include "catalog/objects.h"

#define SVC_FEDERATION_KIND "feds"
#define SVC_CONNECTED_KIND "fcon"
#define SVC_PROVIDER_KIND "fidp"
#define SVC_FEDERATION_MOST 32 /* maximum organizations of a federation, because the caller's roles are looked up on each */

/* A group at the identity provider, and the roles that its members get here. */
SVC_SHARED svc_field svc_fields_role_assignment[] = { F_HEX24("groupId"), F_HEX24("orgId"), F_STR("role", .max = 64) };
SVC_SHARED svc_need svc_needs_role_assignment[] = { /* unchanged assignments may be sent back as they are: federation_roles.c checks the
                                                       others */
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
#define SVC_ROLE_MAPPINGS 50     /* maximum of an organization */
#define SVC_ROLE_ASSIGNMENTS 200 /* maximum of all its mappings together */

/* The federation of an organization, and its configuration there. *found false: none, because this build leaves out these nouns. */
SVC_PRIVATE bool svc_federation_of(svc_call *c, const svc_id *org, svc_entity *federation, svc_entity *connected, bool *found);
SVC_PRIVATE size_t svc_federation_organizations(svc_call *c, const svc_entity *federation, svc_id *out, size_t most);
/* Writes an event for each organization of the federation. */
SVC_PRIVATE bool svc_federation_tell(svc_call *c, const svc_id *federation, const char *event);
/* Creates a federation for an organization that is in none. event: written for the organization; NULL: none. */
SVC_PRIVATE bool svc_federation_begin(svc_call *c, const svc_id *org, const char *event);
/* Adds an organization to this federation; body NULL: with the default configuration. */
SVC_PRIVATE bool svc_federation_enter(svc_call *c, const svc_id *federation, const svc_id *org, svc_node *body, svc_entity *out);
SVC_PRIVATE bool svc_federation_leave(svc_call *c, const svc_id *org); /* called when an organization is deleted */
/* The federation with this id, of which the caller must own an organization. False: refused. */
SVC_PRIVATE bool svc_federation_owned(svc_call *c, svc_str id, svc_entity *out);
/* An existing organization, which the caller must own. False: refused. */
SVC_PRIVATE bool svc_federation_owns(svc_call *c, svc_str org, svc_id *out);

/* federation_roles.c: the roles of mappings. `where`: prefix of the field name in violations, "" or "roleMappings[2].". */
SVC_PRIVATE bool svc_role_mapping_check(svc_call *c, const svc_id *org, svc_node *mapping, const svc_node *before, const char *where);
SVC_PRIVATE void svc_role_mapping_live(svc_call *c, const svc_id *org, svc_node *mapping); /* removes roles on projects that no longer
                                                                                              exist */

/*
** provider_rules.c. Identity providers have two ids: the newer one has 24 digits, and the older one the first 20 of these.
** The last four digits are a checksum of the others, so each id determines the other.
*/
SVC_PRIVATE svc_str svc_provider_old_id(svc_call *c, const svc_id *id);
SVC_PRIVATE bool svc_provider_id(svc_str text, svc_id *out); /* accepts either; false: neither */
SVC_PRIVATE bool svc_provider_of(svc_call *c, const svc_id *federation, svc_str id, const char *protocol, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_provider_prepare(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_connected_names(const svc_node *connected, const svc_id *provider); /* whether its configuration names this
                                                                                            provider; provider NULL: any */

#endif /* SVC_FEDERATION_PARTS_H */
