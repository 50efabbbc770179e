/*
** What a live migration and its validation have in common: live_migration.c, live_migration_validation.c; and the link to
** where deployments come from: link_token.c, available_project.c.
*/
#ifndef SVC_MIGRATION_PARTS_H
#define SVC_MIGRATION_PARTS_H

#define MIGRATION_LINK_KIND "ltok"

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

#endif /* SVC_MIGRATION_PARTS_H */
