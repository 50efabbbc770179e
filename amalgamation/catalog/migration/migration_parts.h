/*
** Functions and tables that live migrations and their validations share (live_migration.c, live_migration_validation.c),
** and the link to the source's installation (link_token.c, available_project.c).
*/
#ifndef SVC_MIGRATION_PARTS_H
#define SVC_MIGRATION_PARTS_H

#define MIGRATION_LINK_KIND "ltok"
#define LIVE_MIGRATION_KIND "lmig"

/* An example body for both. The cluster that it names must exist in the project. */
#define MIGRATION_EXAMPLE \
  "{\"destination\":{\"clusterName\":\"Main\",\"groupId\":\"5f0000000000000000000001\",\"hostnameSchemaType\":\"PUBLIC\"}," \
  "\"migrationHosts\":[\"vm001.example.com\"],\"source\":{\"clusterName\":\"Old\",\"groupId\":\"5f0000000000000000000001\"," \
  "\"managedAuthentication\":true,\"ssl\":true}}"
/* The same before 2024-05-30. */
#define MIGRATION_EXAMPLE_OLD \
  "{\"destination\":{\"clusterName\":\"Main\",\"groupId\":\"5f0000000000000000000001\",\"hostnameSchemaType\":\"PUBLIC\"}," \
  "\"dropEnabled\":false,\"migrationHosts\":[\"vm001.example.com\"],\"source\":{\"clusterName\":\"Old\"," \
  "\"groupId\":\"5f0000000000000000000001\",\"managedAuthentication\":true,\"ssl\":true}}"

/* migration_parts.c */
SVC_DECLARE(const svc_object svc_migration_request)
SVC_DECLARE(const svc_older svc_migration_older[])
SVC_PRIVATE bool svc_migration_check(svc_call *c, const svc_change *change); /* checks what the tables cannot express */

/*
** migration_source.c: sources in the simulation. The body is that of a migration or a validation. *why: the problem of its
** source; NULL: none. False: the store failed.
*/
SVC_PRIVATE bool svc_migration_source(svc_call *c, const svc_node *body, svc_entity *out, const char **why);
/* The same; adds the failure to the facts. */
SVC_PRIVATE bool svc_migration_fails(svc_call *c, const svc_node *body, svc_node *facts, svc_entity *source, bool *fails);
SVC_PRIVATE bool svc_migration_sizes(svc_call *c, const svc_node *body, const svc_entity *source, svc_node *facts); /* "dataSizeBytes" */
SVC_PRIVATE bool svc_migration_brings(svc_call *c, const svc_node *body, const svc_node *facts); /* the destination has the data now */

#endif /* SVC_MIGRATION_PARTS_H */
