/*
** Live migration validation: tests whether a live migration with the same request would succeed, without moving data.
**
**   POST --> PENDING --> SUCCESS, or FAILED with the reason     deleted after a week
*/
#include "catalog/catalog.h"
#include "catalog/migration/migration_parts.h"

enum { LIVE_MIGRATION_VALIDATION_MOST = 200, LIVE_MIGRATION_VALIDATION_DAYS = 7 };

static const char *const live_migration_validation_states[] = { "PENDING", "SUCCESS", "FAILED", NULL };

/* The shown form; the request is stored as well. */
#define LIVE_MIGRATION_VALIDATION_ROWS \
  F_STR("errorMessage", .flags = SVC_READ_ONLY | SVC_NULLABLE), F_GROUP_ID(), F_HEX24("sourceGroupId", .flags = SVC_READ_ONLY), \
  F_ENUM("status", live_migration_validation_states, .flags = SVC_READ_ONLY | SVC_NULLABLE)

static const svc_field live_migration_validation_shown_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  LIVE_MIGRATION_VALIDATION_ROWS
};
static const svc_object live_migration_validation_shown = {
  .name = "LiveImportValidation", .fields = SVC_ROWS(live_migration_validation_shown_fields)
};
static const svc_field live_migration_validation_fields[] = { LIVE_MIGRATION_VALIDATION_ROWS };
static const svc_object live_migration_validation_object = {
  .name = "LiveImportValidationRecord", .fields = SVC_ROWS(live_migration_validation_fields), .base = &svc_migration_request
};

static const svc_route live_migration_validation_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/liveMigrations/validate", .set = SVC_SET_PROJECT_LIVE_MIGRATIONS,
    .versions = { 20230101, 20240530 }, .older = svc_migration_older, .roles = SVC_R_ORG_OWNER, .body = &svc_migration_request,
    .answer = &live_migration_validation_shown, .op = "validateLiveMigrations", .run = svc_verb_create, .example = MIGRATION_EXAMPLE },
  { .method = SVC_GET, .path = "/groups/{groupId}/liveMigrations/validate/{validationId}", .set = SVC_SET_PROJECT_LIVE_MIGRATIONS,
    .versions = { 20230101 }, .roles = SVC_R_ORG_OWNER, .answer = &live_migration_validation_shown, .op = "getMigrationValidateStatus", .run = svc_verb_read }
};

static const svc_transition live_migration_validation_transitions[] = {
  { "PENDING", "SUCCESS", 20, NULL, "migration.validate" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle live_migration_validation_lifecycle = {
  .field = "status", .created = "PENDING", .failed = "FAILED", .reason = "errorMessage",
  .transitions = live_migration_validation_transitions
};

static const svc_ref live_migration_validation_refs[] = {
  { "destination.clusterName", "cluster", SVC_E_CLUSTER_NOT_FOUND, SVC_E_NONE },
  { NULL, NULL, 0, 0 }
};

static bool live_migration_validation_prepare(svc_call *c, svc_change *change)
{
  svc_node_set_from(c->arena, change->body, "sourceGroupId", svc_node_get(change->body, "source"), "groupId");
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + LIVE_MIGRATION_VALIDATION_DAYS * SVC_DAY_MS);
  return svc_migration_check(c, change);
}

static svc_node *live_migration_validation_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *out = body ? svc_node_object(c->arena, NULL) : NULL, *member;
  for (member = out ? body->first : NULL; member; member = member->next) {
    svc_node *copy = svc_field_named(&live_migration_validation_shown, member->name) ? svc_node_copy(c->arena, member) : NULL;
    if (copy) svc_node_append(out, copy);
  }
  return c->arena->failed ? NULL : out;
}

static bool live_migration_validation_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_entity source;
  bool fails;
  (void)action;
  return svc_migration_fails(c, change->before, facts, &source, &fails);
}

static const svc_order_row live_migration_validation_orders[] = {
  { "migration.validate", "Check whether the source can be migrated.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_live_migration_validation = {
  .name = "live migration validation",
  .rel = "liveMigrationValidation",
  .kind = "lval",
  .parent = "project",
  .param = "validationId",
  .flags = SVC_EXPIRES,
  .object = &live_migration_validation_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .most = LIVE_MIGRATION_VALIDATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &live_migration_validation_lifecycle,
  .refs = live_migration_validation_refs,
  .event_created = "PROJECT_LIVE_IMPORT_OVERRIDES_ADDED", /* the closest event type: nothing was imported */
  .orders = live_migration_validation_orders,
  .routes = SVC_ROUTES(live_migration_validation_routes),
  .prepare = live_migration_validation_prepare,
  .simulate = live_migration_validation_simulate,
  .view = live_migration_validation_view,
};
