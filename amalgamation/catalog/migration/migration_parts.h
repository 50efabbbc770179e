/*
** What a live migration and its validation have in common: live_migration.c, live_migration_validation.c; and the link to
** where deployments come from: link_token.c, available_project.c.
*/
#ifndef SVC_MIGRATION_PARTS_H
#define SVC_MIGRATION_PARTS_H

#define MIGRATION_LINK_KIND "ltok"
#define LIVE_MIGRATION_KIND "lmig"

/* Both name a cluster of the project, which must be there, and have this much of a body in common. */
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
SVC_PRIVATE bool svc_migration_check(svc_call *c, const svc_change *change); /* what its table cannot say of a request */

/*
** migration_source.c: sources in the simulation. The body is that of a migration or of a validation, and *why says what is wrong with its
** source; NULL: nothing. False: the store failed.
*/
SVC_PRIVATE bool svc_migration_source(svc_call *c, const svc_node *body, svc_entity *out, const char **why);
SVC_PRIVATE bool svc_migration_fails(svc_call *c, const svc_node *body, svc_node *facts, svc_entity *source, bool *fails); /* the same, into facts */
SVC_PRIVATE bool svc_migration_sizes(svc_call *c, const svc_node *body, const svc_entity *source, svc_node *facts); /* "dataSizeBytes" */
SVC_PRIVATE bool svc_migration_brings(svc_call *c, const svc_node *body, const svc_node *facts); /* the destination has the data now */

#endif /* SVC_MIGRATION_PARTS_H */
