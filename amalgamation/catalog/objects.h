/*
** Objects that several nouns share.
**
** The rule: nouns whose bodies contain the same shape use the same table, so that all of them check it alike.
*/
#ifndef SVC_OBJECTS_H
#define SVC_OBJECTS_H

#include "catalog/values.h"

/* Names of organizations and projects: spaces are allowed inside, but not at the ends. */
#define SVC_NAMED .pattern = "^[\\p{L}\\p{N}\\-_.(),:&@+' ]{1,64}$", .format = SVC_FORMAT_TRIMMED

/* A tag: a name and a value that the customer attaches to a resource to find it again. A resource has each name at most once. */
SVC_SHARED svc_field svc_fields_tag[] = {
  F_STR("key", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("value", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
SVC_SHARED svc_object svc_object_tag = { .name = "ResourceTag", .fields = SVC_ROWS(svc_fields_tag), .ext = SVC_OBJECT_EXT(.distinct_by = "key") };

/* A label: the predecessor of tags. Either half may be left out. */
SVC_SHARED svc_field svc_fields_label[] = {
  F_STR("key", .min = 1, .max = 255),
  F_STR("value", .min = 1, .max = 255)
};
SVC_SHARED svc_object svc_object_label = { .name = "ComponentLabel", .fields = SVC_ROWS(svc_fields_label) };

/* Role names; below, a username with role names. */
SVC_SHARED svc_field svc_fields_roles[] = {
  F_STRS("roles", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 100)
};
SVC_SHARED svc_object svc_object_roles = { .name = "RoleNames", .fields = SVC_ROWS(svc_fields_roles) };

SVC_SHARED svc_field svc_fields_user_roles[] = {
  F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL)
};
SVC_SHARED svc_object svc_object_user_roles = { .name = "UserRoleNames", .base = &svc_object_roles,
                                                .fields = SVC_ROWS(svc_fields_user_roles) };

/* A role of a person on an organization or a project; below, a person, in any number of organizations. */
SVC_SHARED svc_field svc_fields_user_role[] = {
  F_HEX24("groupId"),
  F_HEX24("orgId"),
  F_STR("roleName", .flags = SVC_REQUIRED)
};
SVC_SHARED svc_object svc_object_user_role = { .name = "CloudAccessRoleAssignment", .fields = SVC_ROWS(svc_fields_user_role) };

SVC_SHARED svc_field svc_fields_user[] = {
  F_STR("country", .flags = SVC_REQUIRED, .pattern = "^[A-Z]{2}$"),
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_STR("emailAddress", .flags = SVC_READ_ONLY),
  F_STR("firstName", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_ID(),
  F_DATE("lastAuth", .flags = SVC_READ_ONLY),
  F_STR("lastName", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("mobileNumber", .flags = SVC_REQUIRED, .pattern = "^\\+?[0-9 ().-]{7,24}$"),
  F_STR("password", .flags = SVC_REQUIRED | SVC_WRITE_ONLY, .min = 8, .max = 1024),
  F_LIST("roles", &svc_object_user_role, .flags = SVC_REQUIRED, .max_items = 100),
  F_STRS("teamIds", .flags = SVC_READ_ONLY),
  F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL)
};
SVC_SHARED svc_object svc_object_user = { .name = "CloudAppUser", .fields = SVC_ROWS(svc_fields_user) };

/* The teams of a person, as a row of a field table. */
#define F_TEAM_IDS() \
  F_STRS("teamIds", .format = SVC_FORMAT_ID, .flags = SVC_UNIQUE_ITEMS, .max_items = 100)

/* An entry of a credential's access list has either an address or a block; access_entries.c checks which. */
SVC_SHARED svc_need svc_needs_access_entry[] = { { .fields = "ipAddress|cidrBlock", .by_hook = true }, { .fields = NULL } };

#endif /* SVC_OBJECTS_H */
