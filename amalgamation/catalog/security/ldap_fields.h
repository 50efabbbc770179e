/*
** Fields for reaching a directory, shared by the settings of a project and by verifications.
*/
#ifndef SVC_LDAP_FIELDS_H
#define SVC_LDAP_FIELDS_H

#include "catalog/catalog.h"

#define LDAP_TEMPLATE(more) F_STR("authzQueryTemplate", .max = 1024, .flags = more, .preset = "\"{USER}?memberOf?base\"")
#define LDAP_PASSWORD(more) F_STR("bindPassword", .min = 1, .max = 256, .flags = SVC_SEALED | SVC_WRITE_ONLY | (more))
#define LDAP_USERNAME(more) \
  F_STR("bindUsername", .max = 1024, .flags = more, .pattern = "^(CN=[^,]*,)?((CN|OU)=[^,]+,)*(DC=[^,]+,?)+$")
#define LDAP_CERTIFICATE() F_STR("caCertificate", .max = 16384)
#define LDAP_HOST(more) F_STR("hostname", .max = 253, .flags = more, .pattern = "^(([a-zA-Z0-9-]+\\.){1,10}[a-zA-Z0-9-]+|[0-9a-fA-F:]+)$")
#define LDAP_PORT(more) F_INT("port", .flags = SVC_MIN | SVC_MAX | (more), .min = 1, .max = 65535, .preset = "636")

#endif /* SVC_LDAP_FIELDS_H */
