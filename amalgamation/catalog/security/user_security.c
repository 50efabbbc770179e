/*
** User security of a project: a directory (LDAP) that authenticates database users and gives them roles, and the customer's
** own authorities that issue their certificates.
**
** The service's password for the directory is sealed; the driver gets it with its order. Only a verification contacts the
** directory (ldap_verification.c).
*/
#include "catalog/security/certificate_parts.h"
#include "catalog/security/ldap_fields.h"

static const svc_field user_security_x509_fields[] = { F_STR("cas", .max = 16384) };
static const svc_object user_security_x509 = { .name = "DBUserTLSX509Settings", .fields = SVC_ROWS(user_security_x509_fields) };

static const svc_field user_security_mapping_fields[] = {
  F_STR("ldapQuery", .min = 1, .max = 1024), F_STR("match", .flags = SVC_REQUIRED, .min = 1, .max = 1024),
  F_STR("substitution", .min = 1, .max = 1024)
};
static const svc_need user_security_mapping_needs[] = { { .fields = "ldapQuery|substitution", .by_hook = true }, { .fields = NULL } };
static const svc_object user_security_mapping = {
  .name = "UserToDNMapping", .fields = SVC_ROWS(user_security_mapping_fields), .ext = SVC_OBJECT_EXT(.needs = user_security_mapping_needs)
};

static const svc_field user_security_ldap_fields[] = {
  F_BOOL("authenticationEnabled", .preset = "false"),
  F_BOOL("authorizationEnabled", .preset = "false"),
  LDAP_TEMPLATE(0),
  LDAP_PASSWORD(0),
  LDAP_USERNAME(0),
  LDAP_CERTIFICATE(),
  LDAP_HOST(0),
  LDAP_PORT(0),
  F_LIST("userToDNMapping", &user_security_mapping, .max_items = 50, .preset = "[]")
};
static const svc_need user_security_ldap_needs[] = { /* before users can authenticate with a directory */
  { .fields = "hostname bindUsername bindPassword", .where = "authenticationEnabled=true" }, { .fields = NULL }
};
static const char *const user_security_ldap_at[] = { "hostname", "port", "caCertificate", NULL };
static const svc_object user_security_ldap = { .name = "LDAPSecuritySettings", .fields = SVC_ROWS(user_security_ldap_fields),
                                               .ext = SVC_OBJECT_EXT(.needs = user_security_ldap_needs, .secrets_go_to = user_security_ldap_at) };

#define USER_SECURITY_NONE \
  "{\"authenticationEnabled\":false,\"authorizationEnabled\":false,\"authzQueryTemplate\":\"{USER}?memberOf?base\",\"port\":636," \
  "\"userToDNMapping\":[]}"

static const svc_field user_security_fields[] = {
  F_OBJ("customerX509", &user_security_x509, .preset = "{}"),
  F_OBJ("ldap", &user_security_ldap, .preset = USER_SECURITY_NONE)
};
static const svc_object user_security_object = { .name = "UserSecurity", .fields = SVC_ROWS(user_security_fields) };

static bool user_security_no_mapping(svc_call *c);
static bool user_security_no_x509(svc_call *c);

#define USER_SECURITY "/groups/{groupId}/userSecurity", SVC_SET_USER_SECURITY, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER
#define USER_SECURITY_X509 "/groups/{groupId}/userSecurity", SVC_SET_CUSTOMER_X509, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_route user_security_routes[] = {
  R_GET(USER_SECURITY, "", .op = "getUserSecurity", .run = svc_verb_read),
  R_PATCH(USER_SECURITY, "", .status = 202, .op = "updateUserSecurity", .run = svc_verb_update,
          .example = "{\"ldap\":{\"hostname\":\"ldap.example.com\",\"bindUsername\":\"CN=svc,DC=example,DC=com\","
                     "\"bindPassword\":\"bind-secret\",\"authenticationEnabled\":true}}"),
  R_DELETE(USER_SECURITY, "/ldap/userToDNMapping", .status = 202, .op = "deleteLdapUserMapping", .run = user_security_no_mapping),
  R_DELETE(USER_SECURITY_X509, "/customerX509", .status = 202, .op = "disableSecurityCustomerX509", .run = user_security_no_x509)
};

static void user_security_enabled(svc_call *c, const svc_node *ldap)
{
  if (svc_node_bool(ldap, "authorizationEnabled", false) && !svc_node_bool(ldap, "authenticationEnabled", false))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("ldap.authorizationEnabled"), "can only be true if authenticationEnabled is");
}

static void user_security_mappings(svc_call *c, const svc_node *ldap)
{
  const svc_node *list = svc_node_get(ldap, "userToDNMapping"), *one = svc_node_first(list);
  size_t i;
  for (i = 0; one; one = one->next, i++)
    if (!svc_node_get(one, "ldapQuery") == !svc_node_get(one, "substitution"))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "ldap.userToDNMapping[%zu]", i), "must have either ldapQuery or substitution");
}

static bool user_security_prepare(svc_call *c, svc_change *change)
{
  const svc_node *ldap = svc_node_get(change->body, "ldap"), *x509 = svc_node_get(change->body, "customerX509");
  user_security_enabled(c, ldap);
  user_security_mappings(c, ldap);
  svc_certificates_check(c, svc_node_str(ldap, "caCertificate"), "ldap.caCertificate");
  svc_certificates_check(c, svc_node_str(x509, "cas"), "customerX509.cas");
  return svc_check_done(c);
}

static bool user_security_without(svc_call *c, const char *object, const char *field, const char *empty)
{
  svc_change change;
  svc_node *inner;
  if (!svc_change_begin(c, &change)) return false;
  inner = svc_node_get(change.body, object);
  if (svc_node_get(inner, field)) {
    svc_node_drop(inner, field);
    if (empty) svc_node_put(c->arena, inner, svc_node_array(c->arena, field));
  }
  return svc_change_store(c, &change);
}

static bool user_security_no_mapping(svc_call *c)
{
  return user_security_without(c, "ldap", "userToDNMapping", "[]");
}

static bool user_security_no_x509(svc_call *c)
{
  return user_security_without(c, "customerX509", "cas", NULL);
}

static const svc_order_row user_security_orders[] = {
  { "security.put", "Apply these settings of LDAP and customer X.509.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_user_security = {
  .name = "user security",
  .rel = "userSecurity",
  .kind = "usec",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &user_security_object,
  .event_updated = "GROUP_SETTINGS_UPDATED",
  .ext = SVC_NOUN_EXT(.diff = &(const svc_diff){ .called = "AUTH", .discreet = true }),
  .order_put = "security.put",
  .orders = user_security_orders,
  .routes = SVC_ROUTES(user_security_routes),
  .prepare = user_security_prepare,
};
