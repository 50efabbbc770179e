/*
** The limits of a project: a fixed list of names, each with a default. A limit can be changed, and reset to its default. Ten
** are always listed.
**
** Only changed limits are stored; the others come from the table below. The pipeline asks this noun, through
** svc_noun_ext.quotas, before it creates anything that is counted.
*/
#include "catalog/catalog.h"

/*
** A limit: its default, its highest value, and what the list shows. The noun that it limits refers to it by name, in the
** column `quota`.
**
** Two kinds are unusual. Limits of data federation are listed only after they were set. Limits of private connections have no
** usage, because they describe a group of regions, not a number of resources. The public service shows a value of 6
** connections with a default of 50, and so does this API. The number of private endpoints is limited, by the default until the
** limit is set.
*/
typedef struct project_limit_row {
  const char *name;
  int64_t preset, highest;
  int64_t shown; /* value shown until it is set; 0: the default */
  bool uncounted; /* has no currentUsage */
  bool when_set;  /* listed only after it was set */
} project_limit_row;

#define PROJECT_LIMIT_TB ((int64_t)1 << 40) /* 8191 TB is still below 2^53, so every client can read the number */

static const project_limit_row project_limit_table[] = { /* in the order of the list */
  { "svc.project.security.databaseAccess.users", 100, 900, 0, false, false },
  { "svc.project.deployment.clusters", 25, 90, 0, false, false },
  { "svc.project.deployment.serverlessMTMs", 100, 100, 0, false, false },
  { "svc.project.security.databaseAccess.customRoles", 100, 1400, 0, false, false },
  { "svc.project.security.networkAccess.entries", 200, 220, 0, false, false },
  { "svc.project.security.networkAccess.crossRegionEntries", 40, 220, 0, false, false },
  { "svc.project.deployment.nodesPerPrivateLinkRegion", 50, 90, 0, false, false },
  { "svc.project.deployment.privateServiceConnectionsPerRegionGroup", 50, 100, 6, true, false },
  { "svc.project.deployment.privateServiceConnectionsSubnetMask", 27, 27, 0, true, false },
  { "svc.project.deployment.salesSoldM0s", 100, 100, 0, false, false },
  { "dataFederation.bytesProcessed.daily", 100 * PROJECT_LIMIT_TB, 1000 * PROJECT_LIMIT_TB, 0, false, true },
  { "dataFederation.bytesProcessed.monthly", 1000 * PROJECT_LIMIT_TB, 8000 * PROJECT_LIMIT_TB, 0, false, true },
  { "dataFederation.bytesProcessed.query", 10 * PROJECT_LIMIT_TB, 100 * PROJECT_LIMIT_TB, 0, false, true },
  { "dataFederation.bytesProcessed.weekly", 500 * PROJECT_LIMIT_TB, 5000 * PROJECT_LIMIT_TB, 0, false, true },
};
#define PROJECT_LIMIT_COUNT (sizeof project_limit_table / sizeof project_limit_table[0])

static const svc_field project_limit_fields[] = {
  F_LONG("currentUsage", .flags = SVC_READ_ONLY),
  F_LONG("defaultLimit", .flags = SVC_READ_ONLY),
  F_LONG("maximumLimit", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_LONG("value", .flags = SVC_REQUIRED | SVC_MIN, .min = 0)
};
static const svc_object project_limit_object = { .name = "Limit", .fields = SVC_ROWS(project_limit_fields) };

static bool project_limit_list(svc_call *c);
static bool project_limit_read(svc_call *c);
static bool project_limit_set(svc_call *c);
static bool project_limit_reset(svc_call *c);

#define PROJECT_LIMIT "/groups/{groupId}/limits", SVC_SET_PROJECTS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route project_limit_routes[] = {
  R_GET(PROJECT_LIMIT, "", .flags = SVC_BARE, .op = "listGroupLimits", .run = project_limit_list),
  R_GET(PROJECT_LIMIT, "/{limitName}", .flags = SVC_ITEM, .op = "getGroupLimit", .run = project_limit_read),
  R_PATCH(PROJECT_LIMIT, "/{limitName}", .op = "setGroupLimit", .run = project_limit_set),
  R_DELETE(PROJECT_LIMIT, "/{limitName}", .status = 204, .op = "deleteGroupLimit", .run = project_limit_reset)
};

/* Finds a row by the table's name, or (s not NULL) by the name that a request sends. */
static const project_limit_row *project_limit_named(const svc *s, svc_str name)
{
  size_t i;
  for (i = 0; i < PROJECT_LIMIT_COUNT; i++)
    if (s ? svc_value_is(s, name, project_limit_table[i].name) : svc_str_is(name, project_limit_table[i].name))
      return &project_limit_table[i];
  return NULL;
}

/* Reads the stored record of a limit. The value is in `extra`, not in the body. */
static int project_limit_stored(svc_call *c, const svc_id *group, const char *name, svc_entity *e, int64_t *value)
{
  const char *kind = c->s->seats[SVC_SEAT_QUOTA]->noun->kind;
  int rc = svc_entity_named(c->txn, kind, NULL, group, svc_str_c(name), e);
  if (rc == SVC_OK && e->extra.n == sizeof *value) memcpy(value, e->extra.p, sizeof *value);
  return rc;
}

/* Returns the value that was set, otherwise the given default. */
static int64_t project_limit_or(svc_call *c, const svc_id *group, const char *name, int64_t value)
{
  svc_entity e;
  int rc = project_limit_stored(c, group, name, &e, &value);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) (void)svc_store_failed(c, rc);
  return value;
}

static int64_t project_limit_value(svc_call *c, const svc_id *group, const char *name)
{
  const project_limit_row *row = project_limit_named(NULL, svc_str_c(name));
  if (!row || !c) return row ? row->preset : -1; /* without a call: only whether the limit exists */
  return project_limit_or(c, group, name, row->preset);
}

static svc_node *project_limit_node(svc_call *c, const project_limit_row *row, const svc_id *group)
{
  svc_node *out = svc_node_object(c->arena, NULL);
  int64_t value = project_limit_or(c, group, row->name, row->shown ? row->shown : row->preset);
  if (!out || c->error.code) return NULL;
  if (!row->uncounted) svc_node_set_i64(c->arena, out, "currentUsage", svc_quota_used(c, row->name, group));
  svc_node_set_i64(c->arena, out, "defaultLimit", row->preset);
  svc_node_set_i64(c->arena, out, "maximumLimit", row->highest);
  svc_node_set_str(c->arena, out, "name", svc_value_text(c->s, c->arena, row->name));
  svc_node_set_i64(c->arena, out, "value", value);
  return out;
}

/* Returns true if the list shows this limit. */
static bool project_limit_listed(svc_call *c, const project_limit_row *row, const svc_id *group)
{
  return !row->when_set || project_limit_or(c, group, row->name, -1) >= 0;
}

static bool project_limit_next(svc_call *c, void *state, svc_item *out)
{
  size_t *at = state;
  svc_id group = c->scope.group;
  const project_limit_row *row;
  svc_node *body;
  while (*at < PROJECT_LIMIT_COUNT && !project_limit_listed(c, &project_limit_table[*at], &group)) ++*at;
  if (*at == PROJECT_LIMIT_COUNT || c->error.code) return false;
  row = &project_limit_table[(*at)++];
  if (!out) return true;
  body = project_limit_node(c, row, &group);
  if (!body) return false;
  svc_item_node(c, out, svc_value_text(c->s, c->arena, row->name), body);
  return true;
}

static bool project_limit_list(svc_call *c)
{
  size_t at = 0;
  return svc_list_items(c, project_limit_next, &at, -1);
}

/* Finds the limit in the path. */
static const project_limit_row *project_limit_target(svc_call *c)
{
  svc_str name = svc_path_param(c, "limitName");
  const project_limit_row *row = project_limit_named(c->s, name);
  if (!svc_resolve_all(c)) return NULL;
  if (!row) (void)svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  return row;
}

static bool project_limit_answer(svc_call *c, const project_limit_row *row)
{
  svc_id group = c->scope.group;
  svc_node *body = project_limit_node(c, row, &group);
  return body ? svc_answer_node(c, body) : false;
}

static bool project_limit_read(svc_call *c)
{
  const project_limit_row *row = project_limit_target(c);
  return row && project_limit_answer(c, row);
}

/* Returns the limit as it is shown now. Refuses if If-Match names another state. */
static svc_node *project_limit_before(svc_call *c, const project_limit_row *row)
{
  svc_id group = c->scope.group;
  svc_node *before = project_limit_node(c, row, &group);
  return svc_if_match_view(c, before) ? before : NULL;
}

static bool project_limit_event(svc_call *c)
{
  return svc_event_write(c, "PROJECT_LIMIT_UPDATED", &c->scope, NULL, SVC_S(""));
}

static bool project_limit_store(svc_call *c, const project_limit_row *row, int64_t value)
{
  svc_id group = c->scope.group;
  svc_entity old, e;
  int64_t unused;
  int rc = project_limit_stored(c, &group, row->name, &old, &unused);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(&e, 0, sizeof e);
  e.kind = c->plan->noun->noun->kind;
  e.parent = group;
  e.scope = c->scope;
  e.id = rc == SVC_OK ? old.id : svc_new_id(c->txn);
  e.unique = e.key = old.unique = svc_str_c(row->name);
  e.body = SVC_S("{}");
  e.links_at = 1;
  e.revision = svc_new_revision(c->txn);
  e.extra = (svc_str){ (const char *)&value, sizeof value };
  return svc_entity_store(c, &e, rc == SVC_OK ? &old : NULL) && project_limit_event(c);
}

static bool project_limit_set(svc_call *c)
{
  const project_limit_row *row = project_limit_target(c);
  const svc_node *before = row ? project_limit_before(c, row) : NULL;
  svc_node *body;
  int64_t value;
  if (!before) return false;
  body = svc_check(c, &project_limit_object, c->body, before, SVC_CHECK_UPDATE);
  if (!svc_check_done(c)) return false;
  value = svc_node_i64(body, "value", 0);
  if (value > row->highest) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("value"), "must be at most %lld", (long long)row->highest);
    return svc_check_done(c);
  }
  if (value != svc_node_i64(before, "value", 0) && !project_limit_store(c, row, value)) return false;
  return project_limit_answer(c, row);
}

static bool project_limit_reset(svc_call *c)
{
  const project_limit_row *row = project_limit_target(c);
  svc_id group = c->scope.group;
  svc_entity e;
  int64_t value;
  int rc;
  if (!row || !project_limit_before(c, row)) return false;
  rc = project_limit_stored(c, &group, row->name, &e, &value);
  if (rc == SVC_NOT_FOUND) return svc_answer_nothing(c);
  if (rc == SVC_OK) rc = svc_entity_remove(c->txn, &e);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  return project_limit_event(c) && svc_answer_nothing(c);
}

SVC_PRIVATE const svc_noun svc_noun_project_limit = {
  .name = "project limit",
  .rel = "limit",
  .kind = "plim",
  .parent = "project",
  .param = "limitName",
  .seat = SVC_SEAT_QUOTA,
  .flags = SVC_BY_TABLE,
  .object = &project_limit_object,
  .unique = "name",
  .routes = SVC_ROUTES(project_limit_routes),
  .ext = SVC_NOUN_EXT(.quotas = &(const svc_quota_ops){ project_limit_value })
};
