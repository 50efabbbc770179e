/*
** Database user: may log in to the clusters of a project with certain roles. A user is identified by its authentication
** database and its name.
**
** The method of authentication never changes: a password, a certificate, a directory, a cloud provider's identities or an
** identity provider. Users with a password, and groups of an identity provider, belong to "admin"; all others to "$external".
**
** The store never has a password in clear. `extra` holds its SCRAM-SHA-256 verifier, which is also all that servers keep and
** all that an order tells the driver. Computing a verifier takes milliseconds, so it happens before the transaction. If a host
** sets svc_config.seal_passwords, the sealed password follows the verifier and a line feed; svc_order_secrets() hands it out, and a
** rotation of keys (pipeline/rotate.c) reseals it.
**
** A user with deleteAfterDate is deleted automatically at that time.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static const char *const database_user_databases[] = { "admin", "$external", NULL };
static const char *const database_user_aws_types[] = { "NONE", "USER", "ROLE", NULL };
static const char *const database_user_ldap_types[] = { "NONE", "GROUP", "USER", NULL };
static const char *const database_user_oidc_types[] = { "NONE", "IDP_GROUP", "USER", NULL };
static const char *const database_user_x509_types[] = { "NONE", "CUSTOMER", "MANAGED", NULL };
static const char *const database_user_scope_types[] = { "CLUSTER", "DATA_LAKE", "STREAM", NULL };

static const svc_field database_user_role_fields[] = {
  F_STR("collectionName", .min = 1, .max = 255),
  F_STR("databaseName", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_STR("roleName", .flags = SVC_REQUIRED, .min = 1, .max = 128)
};
static const svc_object database_user_role = { .name = "DatabaseUserRole", .fields = SVC_ROWS(database_user_role_fields) };

static const svc_field database_user_scope_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_ENUM("type", database_user_scope_types, .flags = SVC_REQUIRED)
};
static const svc_object database_user_scope = { .name = "UserScope", .fields = SVC_ROWS(database_user_scope_fields) };

static const svc_field database_user_fields[] = {
  F_ENUM("awsIAMType", database_user_aws_types, .flags = SVC_FIXED, .preset = "\"NONE\""),
  F_ENUM("databaseName", database_user_databases, .flags = SVC_REQUIRED | SVC_FIXED),
  F_DATE("deleteAfterDate", .flags = SVC_NULLABLE),
  F_STR("description", .max = 100),
  F_GROUP_ID(),
  F_LIST("labels", &svc_object_label, .max_items = 50, .preset = "[]"),
  F_ENUM("ldapAuthType", database_user_ldap_types, .flags = SVC_FIXED, .preset = "\"NONE\""),
  F_ENUM("oidcAuthType", database_user_oidc_types, .flags = SVC_FIXED, .preset = "\"NONE\""),
  /* other characters are missing on some keyboards */
  F_STR("password", .flags = SVC_WRITE_ONLY, .min = 8, .max = 256, .pattern = "^[ -~]*$"),
  F_LIST("roles", &database_user_role, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = 100),
  F_LIST("scopes", &database_user_scope, .max_items = 100, .preset = "[]"),
  F_STR("username", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 1024),
  F_ENUM("x509Type", database_user_x509_types, .flags = SVC_FIXED, .preset = "\"NONE\"")
};
/* A user who authenticates with a password needs one: database_user_login() refuses a new user without it. */
static const svc_need database_user_needs[] = {
  { .fields = "password", .where = "awsIAMType=NONE ldapAuthType=NONE oidcAuthType=NONE x509Type=NONE", .by_hook = true }, { .fields = NULL }
};
static const svc_object database_user_object = {
  .name = "DatabaseUser", .fields = SVC_ROWS(database_user_fields), .ext = SVC_OBJECT_EXT(.needs = database_user_needs)
};

static bool database_user_prework(svc_call *c);

#define DATABASE_USER \
  "/groups/{groupId}/databaseUsers", SVC_SET_DATABASE_USERS, (20230101), SVC_R_GROUP_READ_ONLY, \
  SVC_R_GROUP_DATABASE_ACCESS_ADMIN | SVC_R_GROUP_STREAM_PROCESSING_OWNER

static const svc_route database_user_routes[] = {
  R_GET(DATABASE_USER, "", .flags = SVC_PAGED, .op = "listDatabaseUsers", .run = svc_verb_list),
  R_POST(DATABASE_USER, "", .status = 201, .op = "createDatabaseUser", .run = svc_verb_create,
         .example = "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse battery\",\"roles\":[{"
                    "\"roleName\":\"readWrite\",\"databaseName\":\"shop\"}]}", .ext = SVC_ROUTE_EXT(.prework = database_user_prework)),
  R_GET(DATABASE_USER, "/{databaseName}/{username}", .op = "getDatabaseUser", .run = svc_verb_read),
  R_PATCH(DATABASE_USER, "/{databaseName}/{username}", .op = "updateDatabaseUser", .run = svc_verb_update,
          .example = "{\"description\":\"for the shop\"}", .ext = SVC_ROUTE_EXT(.prework = database_user_prework)),
  R_DELETE(DATABASE_USER, "/{databaseName}/{username}", .status = 204, .op = "deleteDatabaseUser", .run = svc_verb_delete)
};

/* ------------------------------------------------------------------------------------------------------------- passwords */

/* Passwords that attackers try first. */
static bool database_user_is_common(svc_str password)
{
  static const char *const common[] = { "password", "password1", "password123", "passw0rd", "12345678", "123456789", "1234567890",
                                        "11111111", "00000000", "qwertyui", "qwerty123", "qwertyuiop", "iloveyou", "sunshine",
                                        "princess", "football", "baseball", "trustno1", "superman", "abc12345", "abcd1234",
                                        "admin123", "administrator", "changeme", "letmein1", "welcome1", "1q2w3e4r", "asdfghjkl" };
  size_t i;
  for (i = 0; i < sizeof common / sizeof common[0]; i++)
    if (svc_str_is_nocase(password, common[i])) return true;
  return false;
}

/* Computes the verifier before the transaction. An invalid body is left to the body check, which refuses it. */
static bool database_user_prework(svc_call *c)
{
  const svc_node *password = c->body->type == SVC_J_OBJECT ? svc_node_get(c->body, "password") : NULL;
  const svc_field *f = svc_field_named(&database_user_object, SVC_S("password"));
  unsigned char salt[16];
  if (!password || password->type != SVC_J_STRING || password->text.n < 8 || password->text.n > (size_t)f->max) return true;
  if (database_user_is_common(password->text)) return svc_fail(c, SVC_E_COMMON_PASSWORD, "");
  if (!svc_secret_bytes(c, salt, sizeof salt)) return false;
  c->prework = svc_scram_verifier(c->arena, password->text, salt);
  return c->prework.n ? true : svc_no_memory(c);
}

/* ------------------------------------------------------------------------------------------------------ how it logs in */

static const struct {
  const char *field;
  const char *username, *is; /* pattern of the user name, and its description; NULL: any name */
} database_user_ways[] = {
  { "awsIAMType", "^arn:aws(-[a-z]+)*:(iam|sts)::\\d{12}:(user|role|assumed-role)/[\\w+=,.@/-]+$", "the ARN of a user or role" },
  { "ldapAuthType", "^.*[a-zA-Z]+=.+$", "a distinguished name" },
  { "oidcAuthType", "^[^/]+/.+$", "the id of an identity provider, a slash, and a name" },
  { "x509Type", "^.*[a-zA-Z]+=.+$", "a distinguished name" },
};

/* Returns the index of the authentication method; -1: password. */
static int database_user_way(svc_call *c, const svc_node *body)
{
  int way = -1;
  size_t i;
  for (i = 0; i < sizeof database_user_ways / sizeof database_user_ways[0]; i++) {
    if (svc_node_is(body, database_user_ways[i].field, "NONE")) continue;
    if (way >= 0)
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(database_user_ways[i].field), "must be NONE, because %s is not",
                  database_user_ways[way].field);
    way = (int)i;
  }
  return way;
}

static bool database_user_login(svc_call *c, const svc_change *change)
{
  const svc_node *body = change->body;
  svc_str name = svc_node_str(body, "username");
  bool sent = svc_node_get(change->input, "password");
  int way = database_user_way(c, body);
  bool outside = way >= 0 && !svc_node_is(body, "oidcAuthType", "IDP_GROUP");
  if (!svc_node_is(body, "databaseName", outside ? "$external" : "admin"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("databaseName"), "must be %s for this authentication method",
                outside ? "$external" : "admin");
  if (way >= 0 && sent) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("password"), "is allowed only for users who authenticate with a password");
  if (!svc_check_done(c)) return false;
  if (way >= 0 && !svc_pattern_match(database_user_ways[way].username, name))
    return svc_fail_as(c, svc_arena_print(c->arena, SVC_FMT " cannot be a user name: it must be %s.", SVC_ARG(name),
                                          database_user_ways[way].is), SVC_E_INVALID_USERNAME, "S", &name);
  return way >= 0 || sent || change->before ? true : svc_fail(c, SVC_E_MISSING_PASSWORD, "S", &name);
}

/* ----------------------------------------------------------------------------------------------------------------- roles */

/* Roles built into the servers. `everywhere`: granted on admin only; `collections`: may be granted on a collection. The first name
** begins with the vendor word. */
static const struct {
  const char *name;
  bool everywhere, collections;
} database_user_roles[] = {
  { "svcAdmin", true, false },       { "backup", true, false },          { "clusterMonitor", true, false },
  { "dbAdmin", false, false },       { "dbAdminAnyDatabase", true, false }, { "enableSharding", true, false },
  { "read", false, true },           { "readAnyDatabase", true, false }, { "readWrite", false, true },
  { "readWriteAnyDatabase", true, false },
};

static int database_user_built_in(const svc *s, svc_str name)
{
  size_t i, n = s->vendor.n;
  if (name.n > n && memcmp(name.p, s->vendor.p, n) == 0 && svc_str_is((svc_str){ name.p + n, name.n - n }, "Admin")) return 0;
  for (i = 1; i < sizeof database_user_roles / sizeof database_user_roles[0]; i++)
    if (svc_str_is(name, database_user_roles[i].name)) return (int)i;
  return -1;
}

static bool database_user_role_known(svc_call *c, svc_str name, int built_in)
{
  const svc_noun_info *custom = svc_noun_named(c->s, "custom database role");
  svc_named found;
  svc_id group = c->scope.group;
  if (built_in >= 0) return true;
  return custom && svc_named_get(c->txn, custom->noun->kind, &group, name, &found) == SVC_OK;
}

static bool database_user_no_role(svc_call *c, svc_str name)
{
  const char *names[sizeof database_user_roles / sizeof database_user_roles[0] + 1] = { NULL };
  size_t i;
  for (i = 0; i < sizeof database_user_roles / sizeof database_user_roles[0]; i++) names[i] = database_user_roles[i].name;
  return svc_fail_as(c, svc_say(c, "The role " SVC_FMT " does not exist. roleName must be that of a custom role of the project, or %s.",
                                        SVC_ARG(name), svc_values_meant(c, names, name).p), SVC_E_INVALID_ROLE, "S", &name);
}

static bool database_user_grants(svc_call *c, const svc_node *body)
{
  const svc_node *list = svc_node_get(body, "roles"), *role, *other;
  int i = 0;
  for (role = svc_node_first(list); role; role = role->next, i++) {
    svc_str name = svc_node_str(role, "roleName"), database = svc_node_str(role, "databaseName");
    int built_in = database_user_built_in(c->s, name);
    bool on_admin = built_in < 0 || database_user_roles[built_in].everywhere;
    if (!database_user_role_known(c, name, built_in)) return c->txn->error ? svc_txn_good(c) : database_user_no_role(c, name);
    if (on_admin && !svc_str_is(database, "admin")) return svc_fail(c, SVC_E_INVALID_ROLE_DATABASE, "SS", &name, &database);
    if (svc_node_get(role, "collectionName") && (built_in < 0 || !database_user_roles[built_in].collections))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "roles[%d].collectionName", i), "is allowed for read and readWrite only");
    for (other = list->first; other != role; other = other->next)
      if (svc_node_same(other, role)) return svc_fail(c, SVC_E_DUPLICATE_DATABASE_ROLES, "SS", &name, &database);
  }
  return svc_check_done(c);
}

/* ----------------------------------------------------------------------------------------------------------------- hooks */

#define DATABASE_USER_ROLES_TOLD 16 /* maximum roles in an event */
#define DATABASE_USER_LONGEST (7 * SVC_DAY_MS) /* longest lifetime of a user with deleteAfterDate, from now */

static bool database_user_ends(svc_call *c, svc_change *change)
{
  svc_str date = svc_node_str(change->body, "deleteAfterDate"), was = svc_node_str(change->before, "deleteAfterDate");
  int64_t when = 0;
  if (date.n && (!svc_date_parse(date, &when) || (when <= c->now && !svc_str_eq(date, was))))
    return svc_fail(c, SVC_E_EXPIRATION_DATE_IN_PAST, "s", "deleteAfterDate");
  if (when > c->now + DATABASE_USER_LONGEST && !svc_str_eq(date, was))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("deleteAfterDate"), "must be within a week from now");
  if (!svc_check_done(c)) return false;
  svc_change_due(change, SVC_DUE_EXPIRY, when);
  return true;
}

/* `extra` is VERIFIER, or VERIFIER LF SEALED. */
static svc_str database_user_verifier(svc_str extra)
{
  const char *feed = extra.n ? memchr(extra.p, '\n', extra.n) : NULL;
  return feed ? (svc_str){ extra.p, (size_t)(feed - extra.p) } : extra;
}

static svc_str database_user_sealed(svc_str extra)
{
  size_t n = database_user_verifier(extra).n;
  return n < extra.n ? (svc_str){ extra.p + n + 1, extra.n - n - 1 } : SVC_S("");
}

/* Updates `extra`: the verifier of a new password, otherwise the stored one; and the sealed password if the host keeps passwords. */
static bool database_user_keep(svc_call *c, svc_change *change)
{
  const svc_node *password = c->prework.n ? svc_node_get(change->input, "password") : NULL;
  const svc_entity e = { .kind = change->noun->noun->kind, .id = change->id };
  svc_str verifier = c->prework.n ? c->prework : database_user_verifier(change->extra), sealed = database_user_sealed(change->extra);
  if (!c->s->config.seal_passwords || c->prework.n) sealed = SVC_S("");
  if (c->s->config.seal_passwords && password) {
    sealed = svc_seal(c, &e, SVC_S("password"), password->text);
    if (!sealed.n) return false;
  }
  change->extra = sealed.n ? svc_arena_print(c->arena, SVC_FMT "\n" SVC_FMT, SVC_ARG(verifier), SVC_ARG(sealed)) : verifier;
  return !c->arena->failed || svc_no_memory(c);
}

static bool database_user_prepare(svc_call *c, svc_change *change)
{
  if (!database_user_login(c, change) || !database_user_grants(c, change->body)) return false;
  return database_user_ends(c, change) && database_user_keep(c, change);
}

/* The desired state for servers: with the verifier, never the password. */
static svc_node *database_user_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (body && e->extra.n) svc_node_set_str(c->arena, body, "verifier", svc_arena_copy(c->arena, database_user_verifier(e->extra)));
  return body;
}

/* The password itself, if the host keeps passwords sealed. */
static svc_node *database_user_secrets(svc_call *c, const svc_entity *e)
{
  svc_node *out = svc_node_object(c->arena, NULL);
  svc_str sealed = database_user_sealed(e->extra), password;
  if (!out || !sealed.n || !c->s->config.seal_passwords) return out;
  if (!svc_unseal(c, e, SVC_S("password"), sealed, &password)) return NULL;
  svc_node_set_str(c->arena, out, "password", password);
  return c->arena->failed ? NULL : out;
}

static const svc_field_error database_user_errors[] = {
  { "awsIAMType", SVC_FIELD_FAULT_CHANGED, SVC_E_AUTH_TYPE_CANNOT_BE_CHANGED },
  { "databaseName", SVC_FIELD_FAULT_CHANGED, SVC_E_DATABASE_NAME_CANNOT_BE_CHANGED },
  { "ldapAuthType", SVC_FIELD_FAULT_CHANGED, SVC_E_AUTH_TYPE_CANNOT_BE_CHANGED },
  { "oidcAuthType", SVC_FIELD_FAULT_CHANGED, SVC_E_AUTH_TYPE_CANNOT_BE_CHANGED },
  { "password", SVC_FIELD_FAULT_VALUE, SVC_E_WEAK_PASSWORD },
  { "username", SVC_FIELD_FAULT_CHANGED, SVC_E_DATABASE_USERNAME_CANNOT_BE_CHANGED },
  { "username", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_INVALID_USERNAME },
  { "x509Type", SVC_FIELD_FAULT_CHANGED, SVC_E_AUTH_TYPE_CANNOT_BE_CHANGED },
  { NULL, 0, 0 }
};

/* Events list the user's roles. */
static bool database_user_shows(svc_call *c, const svc_entity *e, const svc_node *body, svc_node *out)
{
  svc_node *roles = svc_node_array(c->arena, "roles");
  const svc_node *role = svc_node_first(svc_node_get(body, "roles"));
  int n = 0;
  (void)e;
  if (!roles) return svc_no_memory(c);
  for (; role && n < DATABASE_USER_ROLES_TOLD; role = role->next, n++) {
    svc_node *one = svc_node_object(c->arena, NULL);
    if (!one) return svc_no_memory(c);
    svc_node_set_from(c->arena, one, "db", role, "databaseName");
    svc_node_set_from(c->arena, one, "role", role, "roleName");
    svc_node_append(roles, one);
  }
  svc_node_put(c->arena, out, roles);
  return true;
}
static const svc_diff database_user_diff = { .called = "USERS", .shows = database_user_shows };

/*
** A role that is not a custom role is built in. Scopes limit a user to existing resources. A scope stays after its resource
** was deleted, because a user without scopes could reach everything.
*/
static const svc_ref database_user_refs[] = {
  { "scopes[type=CLUSTER].name", "cluster", SVC_E_SCOPE_CLUSTER_NOT_FOUND, 0 },
  { "scopes[type=CLUSTER].name", "flex cluster", 0, 0 },
  { "scopes[type=DATA_LAKE].name", "data federation", SVC_E_SCOPE_CLUSTER_NOT_FOUND, 0 },
  { "scopes[type=STREAM].name", "stream workspace", SVC_E_SCOPE_CLUSTER_NOT_FOUND, 0 },
  { "roles[].roleName", "custom database role", 0, SVC_E_CUSTOM_ROLE_IN_USE_BY_USERS },
  { NULL, NULL, 0, 0 }
};

static const svc_field database_user_ordered_fields[] = { F_STR("verifier") };
static const svc_object database_user_ordered = {
  .name = "OrderedDatabaseUser", .fields = SVC_ROWS(database_user_ordered_fields), .base = &database_user_object
};
static const svc_order_row database_user_orders[] = {
  { "user.put",
    "Create or change the database user on the clusters of its scopes (none: all clusters of the project). `verifier` is the "
    "SCRAM verifier of its password. If the host keeps passwords sealed, the secrets of the order have the `password` itself.",
    &database_user_ordered, NULL, 0 },
  { "user.delete", "Remove the database user.", &database_user_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_database_user = {
  .name = "database user",
  .rel = "databaseUser",
  .kind = "dbus",
  .parent = "project",
  .param = "databaseName/username",
  .flags = SVC_EXPIRES,
  .object = &database_user_object,
  .key = "databaseName/username",
  .err_not_found = SVC_E_USERNAME_NOT_FOUND,
  .err_exists = SVC_E_USER_ALREADY_EXISTS,
  .event_created = "DB_USER_ADDED",
  .event_updated = "DB_USER_UPDATED",
  .event_deleted = "DB_USER_DELETED",
  .event_field = "dbUserUsername",
  .err_quota = SVC_E_GROUP_USERS_LIMIT_EXCEEDED,
  .field_errors = database_user_errors,
  .refs = database_user_refs,
  .order_put = "user.put",
  .order_gone = "user.delete",
  .orders = database_user_orders,
  .routes = SVC_ROUTES(database_user_routes),
  .prepare = database_user_prepare,
  .desired = database_user_desired,
  .secrets = database_user_secrets,
  .ext = SVC_NOUN_EXT(.diff = &database_user_diff, .event_value = "username", .sealed_line = "password", .quota = "svc.project.security.databaseAccess.users")
};
