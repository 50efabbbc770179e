/*
** A database user as its order describes it: reads and checks name, verifier, roles and scopes before any SQL uses them.
**
** Roles of the API on a server. A database of the API is a schema of the database `postgres`, so that one connection reaches all databases,
** as clients of this API expect. Each schema has three roles without login: svc_read_OID, svc_write_OID and svc_make_OID. svc_read_any,
** svc_write_any and svc_make_any are members of the respective role of every schema. A user is a member of the roles that its API roles
** require, and of no others. The predefined pg_read_all_data is not used, because it also shows the verifiers of all users in pg_authid.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int level;
  int everywhere, monitors, signals;
} driver_roles[] = {
  { "read", DRIVER_READS, 0, 0, 0 },
  { "readWrite", DRIVER_WRITES, 0, 0, 0 },
  { "readAnyDatabase", DRIVER_READS, 1, 0, 0 },
  { "readWriteAnyDatabase", DRIVER_WRITES, 1, 0, 0 },
  { "dbAdmin", DRIVER_MAKES, 0, 0, 0 },
  { "dbAdminAnyDatabase", DRIVER_MAKES, 1, 0, 0 },
  { "backup", DRIVER_READS, 1, 0, 0 },            /* for pg_dump, which reads everything */
  { "clusterMonitor", DRIVER_NOTHING, 1, 1, 0 },
  { "Admin", DRIVER_WRITES, 1, 1, 1 },            /* after the vendor word: "svcAdmin" */
};

void driver_account_free(driver_account *a)
{
  int i;
  for (i = 0; i < a->grant_count; i++) free(a->grants[i].schema);
  free(a->name);
  free(a->verifier);
  memset(a, 0, sizeof *a);
}

/* Returns a string of a JSON object, decoded, which the caller frees; NULL: missing, or out of memory. Sets *control if the string has a
** control character, which no name may have. Of all other characters the service escapes only the quote and the backslash. */
char *driver_string(const char *json, int n, const char *format, int *control)
{
  struct json_token t = { NULL, 0, JSON_TYPE_INVALID };
  char *out, *to;
  int i;
  json_scanf(json, n, format, &t);
  if (t.type != JSON_TYPE_STRING || (out = malloc((size_t)t.len + 1)) == NULL) return NULL;
  for (to = out, i = 0; i < t.len; i++) {
    char c = t.ptr[i];
    if (c == '\\' && i + 1 < t.len) {
      c = t.ptr[++i];
      if (!strchr("\"\\/", c)) *control = 1;
    }
    if ((unsigned char)c < 32 || c == 127) *control = 1;
    *to++ = c;
  }
  *to = 0;
  return out;
}

/* Returns why a database user cannot have this name; NULL: the name is valid. */
const char *driver_bad_user_name(const char *name, int control)
{
  static const char *const words[] = { "public", "none", "user", "current_user", "current_role", "session_user" };
  size_t i;
  if (control) return "the user name has a control character";
  if (!*name) return "the user name is empty";
  if (strlen(name) > DRIVER_NAME) return "the user name is longer than the 63 bytes that a role of PostgreSQL can have";
  if (strcmp(name, "svc") == 0 || strncmp(name, "svc_", 4) == 0)
    return "the user name is reserved for the driver: svc, and whatever begins with svc_";
  if (strncmp(name, "pg_", 3) == 0) return "the user name is reserved by PostgreSQL: whatever begins with pg_";
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(name, words[i]) == 0) return "the user name is a reserved word of PostgreSQL";
  return NULL;
}

const char *driver_bad_schema(const char *name, int control)
{
  if (control || !*name) return "the database name has a control character, or is empty";
  if (strlen(name) > DRIVER_NAME) return "the database name is longer than the 63 bytes that a schema of PostgreSQL can have";
  if (strncmp(name, "svc_", 4) == 0)
    return "the database name is reserved for the driver: whatever begins with svc_";
  if (strncmp(name, "pg_", 3) == 0 || strcmp(name, "information_schema") == 0) return "the database name is reserved by PostgreSQL";
  return NULL;
}

/* Returns the row of driver_roles with this name; -1: unknown. */
static int driver_role_named(const char *name, const char *vendor)
{
  int i, last = (int)(sizeof driver_roles / sizeof driver_roles[0]) - 1;
  size_t n = strlen(vendor);
  if (strncmp(name, vendor, n) == 0 && strcmp(name + n, driver_roles[last].name) == 0) return last;
  for (i = 0; i < last; i++)
    if (strcmp(name, driver_roles[i].name) == 0) return i;
  return -1;
}

/* Adds privileges in a schema to those that the user has there already. Returns 0, or -1 with `why`. */
int driver_account_grant(driver_account *a, const char *schema, int level, char *why, size_t size)
{
  const char *bad = driver_bad_schema(schema, 0);
  int i = 0;
  if (bad) return snprintf(why, size, "%s", bad), -1;
  while (i < a->grant_count && strcmp(a->grants[i].schema, schema) != 0) i++;
  if (i == DRIVER_ROLES) return snprintf(why, size, "the user has roles on more than %d databases", DRIVER_ROLES), -1;
  if (i == a->grant_count && (a->grants[i].schema = strdup(schema)) == NULL) return snprintf(why, size, DRIVER_NO_MEMORY), -1;
  if (i == a->grant_count) a->grants[a->grant_count++].level = 0;
  a->grants[i].level |= level;
  return 0;
}

/* Adds the privileges of a role, by its name. `depth`: number of custom roles that inherit it. Returns 0, or -1 with `why`. */
int driver_account_role(driver_account *a, const driver_place *at, const char *name, const char *database, int depth, char *why, size_t size)
{
  int role = driver_role_named(name, at->vendor);
  if (role < 0) return driver_custom(a, at, name, depth, why, size);
  if (!driver_roles[role].everywhere) return driver_account_grant(a, database, driver_roles[role].level, why, size);
  a->anywhere |= driver_roles[role].level;
  a->monitors |= driver_roles[role].monitors;
  a->signals |= driver_roles[role].signals;
  return 0;
}

/* Adds a role of a user, from the JSON of its order. Returns 0, or -1 with `why`. */
static int account_role(driver_account *a, const driver_place *at, const struct json_token *t, char *why, size_t size)
{
  int control = 0, status = -1;
  char *name = driver_string(t->ptr, t->len, "{roleName:%T}", &control);
  char *database = driver_string(t->ptr, t->len, "{databaseName:%T}", &control);
  char *table = driver_string(t->ptr, t->len, "{collectionName:%T}", &control);
  char said[256] = "";
  if (!name || !database || control) snprintf(why, size, "a role has no name, no database, or a control character in them");
  else if (table) snprintf(why, size, "the role %.128s on the collection %.128s: roles are granted on whole databases only", name, table);
  else if ((status = driver_account_role(a, at, name, database, 0, said, sizeof said)) != 0) snprintf(why, size, "the role %.128s %s", name, said);
  free(name);
  free(database);
  free(table);
  return status;
}

/* Reads a database user from the desired state of its order. Returns 0, or -1 with `why` if the user is invalid on a server. `a` then has
** at least the name, if there is one. The caller frees `a` in any case. */
int driver_account_read(driver_account *a, const driver_place *at, const char *json, char *why, size_t size)
{
  int n = (int)strlen(json), control = 0, other = 0, i, status = 0;
  struct json_token t;
  const char *bad;
  memset(a, 0, sizeof *a);
  a->name = driver_string(json, n, "{username:%T}", &control);
  a->verifier = driver_string(json, n, "{verifier:%T}", &other);
  bad = a->name ? driver_bad_user_name(a->name, control) : DRIVER_NO_MEMORY;
  if (!bad && (!a->verifier || strncmp(a->verifier, "SCRAM-SHA-256$", 14) != 0 || other || strchr(a->verifier, '\'')))
    bad = "the user has no password: users of $external and of identity providers cannot log in to these servers";
  if (bad) return snprintf(why, size, "%s", bad), -1;
  for (i = 0; status == 0 && json_scanf_array_elem(json, n, ".roles", i, &t) > 0; i++) status = account_role(a, at, &t, why, size);
  return status;
}

/* Returns true if the user's scopes include the cluster with this name. A user without scopes is a user of all clusters. */
int driver_in_scope(const char *json, const char *cluster)
{
  int n = (int)strlen(json), i, control = 0, found = 0;
  struct json_token t;
  for (i = 0; !found && json_scanf_array_elem(json, n, ".scopes", i, &t) > 0; i++) {
    char *name = driver_string(t.ptr, t.len, "{name:%T}", &control), *type = driver_string(t.ptr, t.len, "{type:%T}", &control);
    found = name && type && strcmp(type, "CLUSTER") == 0 && strcmp(name, cluster) == 0;
    free(name);
    free(type);
  }
  return found || i == 0;
}
