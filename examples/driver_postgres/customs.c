/*
** Custom roles of a project. The driver stores them in FOLDER/control/roles, and grants the actions for which
** PostgreSQL has an equal privilege.
**
** The rule: a user never gets more than its roles allow. Actions without a PostgreSQL privilege on a whole schema are left out. The log
** lists them once, when the role is stored.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUSTOMS_DEPTH 10 /* most levels of roles that inherit from one another */
#define CUSTOMS_PLACES 64 /* most databases of a role */

/* The meaning of an action. The first four together are DRIVER_WRITES; FIND alone is DRIVER_READS. */
enum customs_right {
  CUSTOMS_FIND = 1, CUSTOMS_INSERT = 2, CUSTOMS_UPDATE = 4, CUSTOMS_REMOVE = 8, CUSTOMS_DATA = 15,
  CUSTOMS_MAKE = 16, CUSTOMS_FREE = 32, /* allowed for every user */
  CUSTOMS_MONITOR = 64, CUSTOMS_SIGNAL = 128
};

static const struct {
  const char *action;
  int right;
} customs_actions[] = {
  { "FIND", CUSTOMS_FIND },                 { "INSERT", CUSTOMS_INSERT },           { "UPDATE", CUSTOMS_UPDATE },
  { "REMOVE", CUSTOMS_REMOVE },             { "CREATE_COLLECTION", CUSTOMS_MAKE },  { "LIST_COLLECTIONS", CUSTOMS_FREE },
  { "LIST_INDEXES", CUSTOMS_FREE },         { "LIST_DATABASES", CUSTOMS_FREE },     { "COLL_STATS", CUSTOMS_FREE },
  { "DB_STATS", CUSTOMS_FREE },             { "USE_UUID", CUSTOMS_FREE },           { "SERVER_STATUS", CUSTOMS_MONITOR },
  { "IN_PROG", CUSTOMS_MONITOR },           { "TOP", CUSTOMS_MONITOR },             { "CONN_POOL_STATS", CUSTOMS_MONITOR },
  { "LIST_SESSIONS", CUSTOMS_MONITOR },     { "KILL_OP", CUSTOMS_SIGNAL },          { "KILL_ANY_SESSION", CUSTOMS_SIGNAL },
  { "KILL_ANY_CURSOR", CUSTOMS_SIGNAL },
};

/* The actions of a role, by schema; "" means all schemas. */
typedef struct customs_rights {
  struct {
    char schema[DRIVER_NAME + 1];
    int rights;
  } at[CUSTOMS_PLACES];
  int count, server;
  char left_out[512]; /* actions without a counterpart: "INSERT on shop, ..." */
} customs_rights;

static void customs_leave_out(customs_rights *c, const char *action, const char *on)
{
  size_t n = strlen(c->left_out);
  snprintf(c->left_out + n, sizeof c->left_out - n, "%s%s on %s", n ? ", " : "", action, *on ? on : "all databases");
}

static int customs_right(const char *action)
{
  size_t i;
  for (i = 0; i < sizeof customs_actions / sizeof customs_actions[0]; i++)
    if (strcmp(customs_actions[i].action, action) == 0) return customs_actions[i].right;
  return 0;
}

static void customs_add(customs_rights *c, const char *action, const char *schema)
{
  int i = 0, right = customs_right(action);
  while (i < c->count && strcmp(c->at[i].schema, schema) != 0) i++;
  if (!right || i == CUSTOMS_PLACES || strlen(schema) > DRIVER_NAME) {
    customs_leave_out(c, action, schema);
    return;
  }
  if (i == c->count) snprintf(c->at[c->count++].schema, sizeof c->at[0].schema, "%s", schema);
  c->at[i].rights |= right;
}

/* Adds an action on a resource, which is the server or a database. A single collection has no counterpart. */
static void customs_resource(customs_rights *c, const char *action, const struct json_token *t)
{
  int control = 0, right = customs_right(action);
  bool server = false;
  char *schema = driver_string(t->ptr, t->len, "{db:%T}", &control), *table = driver_string(t->ptr, t->len, "{collection:%T}", &control);
  json_scanf(t->ptr, t->len, "{cluster:%B}", &server);
  if (control) customs_leave_out(c, action, "a name with control characters");
  else if (server && right & (CUSTOMS_MONITOR | CUSTOMS_SIGNAL | CUSTOMS_FREE)) c->server |= right;
  else if (server || right & (CUSTOMS_MONITOR | CUSTOMS_SIGNAL)) customs_leave_out(c, action, server ? "the cluster" : schema ? schema : "");
  else if (table && *table) customs_leave_out(c, action, "a single collection");
  else customs_add(c, action, schema ? schema : "");
  free(schema);
  free(table);
}

static void customs_read(customs_rights *c, const char *json)
{
  int n = (int)strlen(json), i, k, control = 0;
  struct json_token action, resource;
  memset(c, 0, sizeof *c);
  for (i = 0; json_scanf_array_elem(json, n, ".actions", i, &action) > 0; i++) {
    char *name = driver_string(action.ptr, action.len, "{action:%T}", &control);
    for (k = 0; name && json_scanf_array_elem(action.ptr, action.len, ".resources", k, &resource) > 0; k++) customs_resource(c, name, &resource);
    free(name);
  }
}

/* Returns the privileges (enum driver_level) for the actions on a schema, never more than they allow. Lists actions that are left out. */
static int customs_level(customs_rights *c, int i)
{
  int rights = c->at[i].rights, level = rights & CUSTOMS_MAKE ? DRIVER_MAKES : 0;
  if ((rights & CUSTOMS_DATA) == CUSTOMS_DATA) return level | DRIVER_WRITES;
  if (rights & (CUSTOMS_INSERT | CUSTOMS_UPDATE | CUSTOMS_REMOVE)) customs_leave_out(c, "INSERT, UPDATE and REMOVE without all of them and FIND", c->at[i].schema);
  return rights & CUSTOMS_FIND ? level | DRIVER_READS : level;
}

/* ------------------------------------------------------------------------------------------------------------------- kept */

static void customs_folder(const char *group, char out[64])
{
  snprintf(out, 64, "roles/%.24s", group);
}

/* Returns the JSON of a project's custom role by its name, which the caller frees. NULL: missing, or out of memory. */
static char *customs_named(const driver_place *at, const char *name)
{
  char folder[64], id[32], *json = malloc(DRIVER_FILE);
  DIR *list;
  int found = 0, control = 0;
  customs_folder(at->group, folder);
  list = driver_list(at->d->control, folder);
  while (json && !found && driver_next(list, id)) {
    char *its = driver_read(at->d, folder, id, json, DRIVER_FILE) == 0 ? driver_string(json, (int)strlen(json), "{roleName:%T}", &control) : NULL;
    found = its && strcmp(its, name) == 0;
    free(its);
  }
  if (list) closedir(list);
  if (found) return json;
  free(json);
  return NULL;
}

static int customs_inherited(driver_account *a, const driver_place *at, const char *json, int depth, char *why, size_t size)
{
  int n = (int)strlen(json), i, control = 0, status = 0;
  struct json_token t;
  for (i = 0; status == 0 && json_scanf_array_elem(json, n, ".inheritedRoles", i, &t) > 0; i++) {
    char *role = driver_string(t.ptr, t.len, "{role:%T}", &control), *database = driver_string(t.ptr, t.len, "{db:%T}", &control);
    if (role && database && !control) status = driver_account_role(a, at, role, database, depth + 1, why, size);
    free(role);
    free(database);
  }
  return status;
}

/* Adds the privileges of a custom role, and of those that it inherits, to a user. Returns 0, or -1 with `why`. */
int driver_custom(driver_account *a, const driver_place *at, const char *name, int depth, char *why, size_t size)
{
  char *json = depth < CUSTOMS_DEPTH ? customs_named(at, name) : NULL;
  customs_rights *c = json ? malloc(sizeof *c) : NULL;
  int i, level, status = 0;
  if (!c) {
    free(json);
    return snprintf(why, size, "has no counterpart in PostgreSQL"), -1;
  }
  customs_read(c, json);
  a->custom = 1;
  a->monitors |= (c->server & CUSTOMS_MONITOR) != 0;
  a->signals |= (c->server & CUSTOMS_SIGNAL) != 0;
  for (i = 0; status == 0 && i < c->count; i++) {
    level = customs_level(c, i);
    if (!c->at[i].schema[0]) a->anywhere |= level;
    else if (level) status = driver_account_grant(a, c->at[i].schema, level, why, size);
  }
  if (status == 0) status = customs_inherited(a, at, json, depth, why, size);
  free(c);
  free(json);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------------- orders */

static void customs_say(driver_postgres *d, const driver_order *o)
{
  customs_rights *c = malloc(sizeof *c);
  int i;
  if (!c) return;
  customs_read(c, o->desired);
  for (i = 0; i < c->count; i++) (void)customs_level(c, i);
  if (c->left_out[0])
    driver_say(d, SVC_LOG_WARNING, "postgres.grant_left_out", "postgres: the custom role %s of project %s is granted without privileges that PostgreSQL does not have: %s", o->name,
               o->group_id, c->left_out);
  free(c);
}

int driver_custom_put(driver_postgres *d, driver_order *o, driver_result *r)
{
  char folder[64];
  customs_folder(o->group_id, folder);
  if (driver_control_folder(d, "roles") != 0 || driver_write(d, folder, o->resource_id, o->desired) != 0)
    return driver_fail(r, "the role cannot be written down: %s", strerror(errno));
  customs_say(d, o);
  return driver_put_customs_again(d, o, r);
}

/* Deletes a custom role. No user has it at this time. */
int driver_custom_gone(driver_postgres *d, driver_order *o, driver_result *r)
{
  char folder[64];
  (void)r;
  customs_folder(o->group_id, folder);
  driver_unlink(d, folder, o->resource_id);
  unlinkat(d->control, folder, AT_REMOVEDIR); /* succeeds if this was the last role */
  return 0;
}
