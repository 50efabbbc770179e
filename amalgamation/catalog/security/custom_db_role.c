/*
** Custom database role: a set of actions and of other roles that a project's database users can be given. Its name is unique
** in the project and never changes.
**
** Roles inherit from one another, but not in a cycle. A role that another one inherits cannot be deleted.
**
** The public specification does not limit the size of a role. Here the stored role has at most CUSTOM_DB_ROLE_BYTES. So the
** list of all roles of a project, which is a single answer, stays within the limit for such answers (pipeline/list.c), as long
** as the project's limit on roles has its default.
*/
#include "catalog/catalog.h"

#define CUSTOM_DB_ROLE_KIND "dbrl"
#define CUSTOM_DB_ROLE_TOLD 16          /* maximum resources in an event, actions on each, and inherited roles */
#define CUSTOM_DB_ROLE_BYTES (32 << 10) /* about 500 resources with names of usual length */

static const char *const custom_db_role_actions[] = {
  "FIND", "INSERT", "REMOVE", "UPDATE", "BYPASS_DOCUMENT_VALIDATION", "USE_UUID", "KILL_OP",
  "BYPASS_DEFAULT_MAX_TIME_MS", "CREATE_COLLECTION", "CREATE_INDEX", "DROP_COLLECTION", "ENABLE_PROFILER",
  "KILL_ANY_CURSOR", "ANALYZE", "CHANGE_STREAM", "COLL_MOD", "COMPACT", "CONVERT_TO_CAPPED", "DROP_DATABASE",
  "DROP_INDEX", "RE_INDEX", "RENAME_COLLECTION_SAME_DB", "SET_USER_WRITE_BLOCK", "BYPASS_USER_WRITE_BLOCK",
  "LIST_SESSIONS", "KILL_ANY_SESSION", "COLL_STATS", "CONN_POOL_STATS", "DB_HASH", "DB_STATS",
  "GET_CMD_LINE_OPTS", "GET_LOG", "GET_PARAMETER", "GET_SHARD_MAP", "HOST_INFO", "IN_PROG", "LIST_DATABASES",
  "LIST_COLLECTIONS", "LIST_INDEXES", "LIST_SHARDS", "NET_STAT", "REPL_SET_GET_CONFIG", "REPL_SET_GET_STATUS",
  "SERVER_STATUS", "VALIDATE", "SHARDING_STATE", "TOP", "SQL_GET_SCHEMA", "SQL_SET_SCHEMA", "VIEW_ALL_HISTORY",
  "OUT_TO_S3", "OUT_TO_AZURE", "OUT_TO_GCS", "STORAGE_GET_CONFIG", "STORAGE_SET_CONFIG", "FLUSH_ROUTER_CONFIG",
  "ENABLE_SHARDING", "CHECK_METADATA_CONSISTENCY", "MOVE_CHUNK", "SPLIT_CHUNK", "ANALYZE_SHARD_KEY",
  "REFINE_COLLECTION_SHARD_KEY", "CLEAR_JUMBO_FLAG", "RESHARD_COLLECTION", "SHARDED_DATA_DISTRIBUTION",
  "GET_STREAM_PROCESSOR", "CREATE_STREAM_PROCESSOR", "PROCESS_STREAM_PROCESSOR", "MODIFY_STREAM_PROCESSOR",
  "START_STREAM_PROCESSOR", "STOP_STREAM_PROCESSOR", "DROP_STREAM_PROCESSOR", "SAMPLE_STREAM_PROCESSOR",
  "LIST_STREAM_PROCESSORS", "LIST_CONNECTIONS", "STREAM_PROCESSOR_STATS", "CREATE_SEARCH_INDEX",
  "DROP_SEARCH_INDEX", "LIST_SEARCH_INDEXES", "UPDATE_SEARCH_INDEX", NULL
};

static const svc_field custom_db_role_resource_fields[] = { /* the cluster, or a database and a collection: see below */
  F_BOOL("cluster"),
  F_STR("collection", .max = 255),
  F_STR("db", .max = 64)
};
static const svc_need custom_db_role_resource_needs[] = {
  { .fields = "db collection", .where = "cluster=true", .unless = true }, { .fields = NULL }
};
static const svc_object custom_db_role_resource = {
  .name = "PermittedNamespace", .fields = SVC_ROWS(custom_db_role_resource_fields), .ext = SVC_OBJECT_EXT(.needs = custom_db_role_resource_needs)
};

static const svc_field custom_db_role_action_fields[] = {
  F_ENUM("action", custom_db_role_actions, .flags = SVC_REQUIRED),
  F_LIST("resources", &custom_db_role_resource, .flags = SVC_REQUIRED, .max_items = 500)
};
static const svc_object custom_db_role_action = { .name = "PrivilegeAction", .fields = SVC_ROWS(custom_db_role_action_fields) };

static const svc_field custom_db_role_inherited_fields[] = {
  F_STR("db", .flags = SVC_REQUIRED, .max = 64),
  F_STR("role", .flags = SVC_REQUIRED, .max = 128)
};
static const svc_object custom_db_role_inherited = { .name = "InheritedRole", .fields = SVC_ROWS(custom_db_role_inherited_fields) };

static const svc_field custom_db_role_fields[] = {
  F_LIST("actions", &custom_db_role_action, .max_items = 100, .preset = "[]"),
  F_LIST("inheritedRoles", &custom_db_role_inherited, .flags = SVC_UNIQUE_ITEMS, .max_items = 100, .preset = "[]"),
  F_STR("roleName", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = "^([-\\w._()])+$", .max = 128)
};
static const svc_object custom_db_role_object = { .name = "CustomDBRole", .fields = SVC_ROWS(custom_db_role_fields) };

#define CUSTOM_DB_ROLE \
  "/groups/{groupId}/customDBRoles/roles", SVC_SET_CUSTOM_DB_ROLES, (20230101), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_DATABASE_ACCESS_ADMIN | SVC_R_GROUP_STREAM_PROCESSING_OWNER

static const svc_route custom_db_role_routes[] = {
  R_GET(CUSTOM_DB_ROLE, "", .flags = SVC_BARE, .op = "listCustomDbRoles", .run = svc_verb_list),
  R_POST(CUSTOM_DB_ROLE, "", .status = 202, .op = "createCustomDbRole", .run = svc_verb_create,
                 .example = "{\"roleName\":\"orderReader\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"cluster\":false,"
                            "\"collection\":\"orders\",\"db\":\"shop\"}]}]}"),
  R_GET(CUSTOM_DB_ROLE, "/{roleName}", .op = "getCustomDbRole", .run = svc_verb_read),
  R_PATCH(CUSTOM_DB_ROLE, "/{roleName}", .op = "updateCustomDbRole", .run = svc_verb_update,
          .example = "{\"inheritedRoles\":[{\"db\":\"shop\",\"role\":\"read\"}]}"),
  R_DELETE(CUSTOM_DB_ROLE, "/{roleName}", .status = 204, .op = "deleteCustomDbRole", .run = svc_verb_delete)
};

/* An inherited role that is not a custom role of the project is a built-in one. */
static const svc_ref custom_db_role_refs[] = {
  { "inheritedRoles[].role", "custom database role", SVC_E_NONE, SVC_E_CUSTOM_ROLE_IN_USE_BY_ROLES },
  { NULL, NULL, 0, 0 }
};

static void custom_db_role_resource_is(svc_call *c, const svc_node *resource, size_t action, size_t index)
{
  const char *const members[] = { "db", "collection" };
  bool cluster = svc_node_bool(resource, "cluster", false);
  int i;
  for (i = 0; i < 2; i++) {
    const svc_node *value = svc_node_get(resource, members[i]);
    svc_str at = svc_arena_print(c->arena, "actions[%zu].resources[%zu].%s", action, index, members[i]);
    if (cluster && value && value->text.n) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must be empty if cluster is true");
  }
}

/* A resource is either the cluster, or a database and a collection. An empty database or collection means all of them. */
static bool custom_db_role_resources(svc_call *c, const svc_node *body)
{
  const svc_node *actions = svc_node_get(body, "actions"), *action, *resource;
  size_t i = 0, j;
  for (action = svc_node_first(actions); action; action = action->next, i++) {
    const svc_node *resources = svc_node_get(action, "resources");
    for (j = 0, resource = svc_node_first(resources); resource; resource = resource->next, j++)
      custom_db_role_resource_is(c, resource, i, j);
  }
  return svc_check_done(c);
}

static bool custom_db_role_fits(svc_call *c, const svc_node *body)
{
  svc_str text;
  size_t links_at;
  if (!svc_body_write(c->arena, body, &text, &links_at)) return svc_no_memory(c);
  if (text.n <= CUSTOM_DB_ROLE_BYTES) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("actions"), "makes the role too large: at most %d bytes are allowed", CUSTOM_DB_ROLE_BYTES);
  return svc_check_done(c);
}

static bool custom_db_role_prepare(svc_call *c, svc_change *change)
{
  const svc_node *before = svc_node_get(change->before, "inheritedRoles");
  svc_str name = svc_node_str(change->body, "roleName");
  bool circle = false;
  if (!custom_db_role_resources(c, change->body) || !custom_db_role_fits(c, change->body)) return false;
  if (before && svc_node_same(before, svc_node_get(change->body, "inheritedRoles"))) return true;
  if (!svc_refs_circle(c, change, "inheritedRoles[].role", &circle)) return false;
  return circle ? svc_fail(c, SVC_E_INVALID_CUSTOM_ROLE_CIRCULAR_DEPENDENCY, "S", &name) : true;
}

static const svc_field_error custom_db_role_errors[] = {
  { "roleName", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_CUSTOM_ROLE_INVALID_NAME },
  { NULL, 0, 0 }
};

/* ---------------------------------------------------------------------------------------------------------------- events */

/* Events list one privilege for each resource, with its actions. */
static bool custom_db_role_add(svc_call *c, svc_node *privileges, const svc_node *resource, svc_str action)
{
  svc_node *one = svc_node_first(privileges), *what;
  while (one && !svc_node_same(svc_node_get(one, "resource"), resource)) one = one->next;
  if (!one) {
    if (svc_node_count(privileges) == CUSTOM_DB_ROLE_TOLD) return true;
    if (!(one = svc_node_object(c->arena, NULL)) || !(what = svc_node_copy(c->arena, resource))) return svc_no_memory(c);
    what->name = SVC_S("resource");
    svc_node_put(c->arena, one, svc_node_array(c->arena, "actions"));
    svc_node_put(c->arena, one, what);
    svc_node_append(privileges, one);
  }
  what = svc_node_get(one, "actions");
  return svc_node_count(what) == CUSTOM_DB_ROLE_TOLD || svc_node_add_str(c->arena, what, action) || svc_no_memory(c);
}

static bool custom_db_role_shows(svc_call *c, const svc_entity *e, const svc_node *body, svc_node *out)
{
  const svc_node *action = svc_node_first(svc_node_get(body, "actions")), *item;
  svc_node *roles = svc_node_array(c->arena, "roles"), *privileges = svc_node_array(c->arena, "privileges");
  int n = 0;
  (void)e;
  if (!roles || !privileges) return svc_no_memory(c);
  for (item = svc_node_first(svc_node_get(body, "inheritedRoles")); item && n < CUSTOM_DB_ROLE_TOLD; item = item->next, n++)
    svc_node_append(roles, svc_node_copy(c->arena, item));
  for (; action; action = action->next)
    for (item = svc_node_first(svc_node_get(action, "resources")); item; item = item->next)
      if (!custom_db_role_add(c, privileges, item, svc_node_str(action, "action"))) return false;
  svc_node_put(c->arena, out, privileges);
  svc_node_put(c->arena, out, roles);
  return true;
}
static const svc_diff custom_db_role_diff = { .called = "ROLES", .shows = custom_db_role_shows };

static const svc_order_row custom_db_role_orders[] = {
  { "role.put", "Create or change the custom role. Database users refer to it by its name and get its privileges.", NULL, NULL, 0 },
  { "role.delete", "Remove the custom role. No database user has it.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_custom_db_role = {
  .name = "custom database role",
  .rel = "customDBRole",
  .kind = CUSTOM_DB_ROLE_KIND,
  .parent = "project",
  .param = "roleName",
  .object = &custom_db_role_object,
  .key = "roleName",
  .unique = "roleName",
  .err_not_found = SVC_E_CUSTOM_ROLE_NOT_FOUND,
  .err_exists = SVC_E_CUSTOM_ROLE_NAME_ALREADY_EXISTS,
  .refs = custom_db_role_refs,
  .err_quota = SVC_E_CUSTOM_ROLES_LIMIT_EXCEEDED,
  .event_created = "DB_ROLE_ADDED",
  .event_updated = "DB_ROLE_UPDATED",
  .event_deleted = "DB_ROLE_DELETED",
  .order_put = "role.put",
  .order_gone = "role.delete",
  .orders = custom_db_role_orders,
  .field_errors = custom_db_role_errors,
  .ext = SVC_NOUN_EXT(.diff = &custom_db_role_diff, .quota = "svc.project.security.databaseAccess.customRoles"),
  .routes = SVC_ROUTES(custom_db_role_routes),
  .prepare = custom_db_role_prepare
};
