/*
** Live migration: copies the data of a deployment elsewhere into a cluster of the project while the deployment is in use,
** and keeps the copy up to date until the cluster replaces it.
**
**   POST --> NEW --> WORKING --> READY --> CUTOVER --> COMPLETE          FAILED: reported by the driver, or the simulation finds no source
**                                  |   PUT cutover
**                                  +--> EXPIRED, without a cutover in five days
**
** READY and CUTOVER are stored but not shown: clients see WORKING for both; readyForCutover shows READY. During a
** migration its cluster cannot be changed (except for fields that are only stored, such as tags), deleted, restored or
** used by another migration. The driver is asked for the lag of the copy. A finished migration releases its cluster, and
** is deleted after 30 days.
**
** The organization must be linked to the installation of the source (link_token.c). In the simulation a source is a
** cluster of the same organization (migration_source.c). The source is checked at the end of the copy and at the end of
** the cutover; then the destination has its data.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/migration/migration_parts.h"

enum { LIVE_MIGRATION_MOST = 100, LIVE_MIGRATION_READY_DAYS = 5, LIVE_MIGRATION_KEPT_DAYS = 30 };

SVC_ERROR(LIVE_IMPORT_ORG_NOT_LINKED, 400, "The organization with ID {0} is not linked to an installation from which deployments can be "
          "migrated. Create a link token first.", "orgId");

static const char *const live_migration_states[] = { "NEW", "WORKING", "READY", "CUTOVER", "FAILED", "COMPLETE", "EXPIRED", NULL };
static const char *const live_migration_shown_states[] = { "NEW", "WORKING", "FAILED", "COMPLETE", "EXPIRED", NULL };

static const svc_field live_migration_fields[] = {
  F_ENUM("status", live_migration_states, .flags = SVC_READ_ONLY)
};
static const svc_object live_migration_object = {
  .name = "LiveMigration", .fields = SVC_ROWS(live_migration_fields), .base = &svc_migration_request
};

static const svc_field live_migration_shown_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY),
  F_LONG("lagTimeSeconds", .flags = SVC_READ_ONLY | SVC_NULLABLE),
  F_STRS("migrationHosts", .flags = SVC_READ_ONLY),
  F_BOOL("readyForCutover", .flags = SVC_READ_ONLY),
  F_ENUM("status", live_migration_shown_states, .flags = SVC_READ_ONLY | SVC_NULLABLE)
};
static const svc_object live_migration_shown = { .name = "LiveMigrationResponse", .fields = SVC_ROWS(live_migration_shown_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool live_migration_read(svc_call *c);
static bool live_migration_on_reply(svc_call *c, const svc_reply *reply);
static bool live_migration_cutover(svc_call *c);

#define LIVE_MIGRATION \
  "/groups/{groupId}/liveMigrations", SVC_SET_PROJECT_LIVE_MIGRATIONS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER

static const svc_route live_migration_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/liveMigrations", .set = SVC_SET_PROJECT_LIVE_MIGRATIONS, .status = 202,
    .versions = { 20230101, 20240530 }, .older = svc_migration_older, .roles = SVC_R_ORG_OWNER, .body = &svc_migration_request, .answer = &live_migration_shown,
    .op = "createGroupLiveMigration", .run = svc_verb_create, .example = MIGRATION_EXAMPLE },
  R_GET(LIVE_MIGRATION, "/{liveMigrationId}", .flags = SVC_ITEM, .answer = &live_migration_shown, .op = "getGroupLiveMigration", .run = live_migration_read,
        .on_reply = live_migration_on_reply),
  R_PUT(LIVE_MIGRATION, "/{liveMigrationId}/cutover", .status = 202, .flags = SVC_NO_BODY | SVC_EMPTY_OBJECT,
        .op = "cutoverMigration", .run = live_migration_cutover, .example = "{}")
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition live_migration_transitions[] = {
  { "NEW", "WORKING", 5, NULL, NULL },
  { "WORKING", "READY", 100, NULL, "migration.copy" },
  { "CUTOVER", "COMPLETE", 20, "CLUSTER_IMPORT_COMPLETED", "migration.cutover" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle live_migration_lifecycle = {
  .field = "status", .created = "NEW", .failed = "FAILED", .event_failed = "CLUSTER_IMPORT_FAILED",
  .transitions = live_migration_transitions
};

static const svc_ref live_migration_refs[] = {
  { "destination.clusterName", "cluster", SVC_E_CLUSTER_NOT_FOUND, SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

enum { LIVE_MIGRATION_DUE_END = SVC_DUE_OWN }; /* end of the time for a cutover */

/* The cluster must exist and be open to changes: not paused, not being deleted, restarted or restored, and not the target of another
** migration. */
static bool live_migration_may_begin(svc_call *c, const svc_change *change)
{
  svc_entity cluster;
  svc_change target;
  if (!svc_cluster_named(c, svc_node_str(svc_node_get(change->body, "destination"), "clusterName"), &cluster)) return false;
  if (!svc_cluster_open(c, &cluster, &target)) return false;
  return svc_backup_restoring(c, &cluster.id) ? svc_cluster_fail(c, &target, SVC_E_CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE) : svc_txn_good(c);
}

static bool live_migration_prepare(svc_call *c, svc_change *change)
{
  return change->before || (svc_migration_check(c, change) && live_migration_may_begin(c, change));
}

/* Ends a migration: releases its cluster, and sets the date on which the migration is deleted. */
static void live_migration_end(svc_call *c, svc_change *change)
{
  svc_node_drop(change->body, "destination");
  svc_change_due(change, LIVE_MIGRATION_DUE_END, 0);
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + LIVE_MIGRATION_KEPT_DAYS * SVC_DAY_MS);
}

static bool live_migration_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == LIVE_MIGRATION_DUE_END && svc_node_is(change->body, "status", "READY")) {
    svc_node_set_text(c->arena, change->body, "status", "EXPIRED");
    change->event = "CLUSTER_IMPORT_EXPIRED";
    live_migration_end(c, change);
  } else if (tag == SVC_DUE_STATE && svc_node_is(change->body, "status", "READY")) {
    svc_change_due(change, LIVE_MIGRATION_DUE_END, c->now + LIVE_MIGRATION_READY_DAYS * SVC_DAY_MS);
  } else if (tag == SVC_DUE_STATE && (svc_node_is(change->body, "status", "COMPLETE") || svc_node_is(change->body, "status", "FAILED"))) {
    live_migration_end(c, change);
  }
  return true;
}

static bool live_migration_cutover(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_begin(c, &change)) return false;
  if (svc_node_is(change.before, "status", "CUTOVER")) return svc_answer_nothing(c); /* a repeated request: the cutover is in progress */
  if (!svc_node_is(change.before, "status", "READY"))
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the migration is not ready for the cutover");
  svc_node_set_text(c->arena, change.body, "status", "CUTOVER");
  change.state = "CUTOVER";
  change.event = "CLUSTER_IMPORT_CUTOVER";
  svc_change_due(&change, LIVE_MIGRATION_DUE_END, 0);
  return svc_change_keep(c, &change, &e) && svc_answer_nothing(c);
}

/* ---- the data plane */

static bool live_migration_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_entity source;
  bool fails;
  if (!svc_migration_fails(c, change->before, facts, &source, &fails)) return false;
  return fails || strcmp(action, "migration.cutover") != 0 || svc_migration_sizes(c, change->before, &source, facts);
}

/* After the cutover, the destination has the data; earlier facts are not stored. */
static bool live_migration_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  return !svc_node_is(change->before, "status", "CUTOVER") || svc_migration_brings(c, change->before, facts);
}

/* ---- how it is shown */

static svc_node *live_migration_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *out = body ? svc_node_object(c->arena, NULL) : NULL, *hosts;
  bool ready = svc_node_is(body, "status", "READY"), on = ready || svc_node_is(body, "status", "CUTOVER");
  if (!out) return NULL;
  svc_node_set_from(c->arena, out, "_id", body, "_id");
  hosts = svc_node_copy(c->arena, svc_node_get(body, "migrationHosts"));
  if (!hosts) return NULL;
  svc_node_put(c->arena, out, hosts);
  svc_node_set_bool(c->arena, out, "readyForCutover", ready);
  svc_node_set_str(c->arena, out, "status", on ? SVC_S("WORKING") : svc_node_str(body, "status"));
  return out;
}

static const char *const live_migration_measures[] = { "lagTimeSeconds", NULL };
static const svc_field live_migration_asked_fields[] = { F_ENUM("metric", live_migration_measures, .flags = SVC_REQUIRED) };
static const svc_object live_migration_asked = { .name = "AskedLag", .fields = SVC_ROWS(live_migration_asked_fields) };
static const svc_question_row live_migration_question = {
  "measure", CLUSTER_LIVE_MIGRATION,
  "The seconds by which the copy lags behind its source: `value`.", &live_migration_asked, &svc_driver_reply_figure, SVC_REPLY_OBJECT
};

/* During the copy, asks the driver how far the copy lags behind. */
static bool live_migration_read(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entity e;
  svc_str status;
  bool stored;
  if (!svc_target(c, &e, &stored) || !svc_answer_entity(c, &e)) return false;
  if (!svc_answer_copied(c)) return false;
  status = svc_entity_text(c, noun, &e, "status");
  if (!svc_str_is(status, "WORKING") && !svc_str_is(status, "READY") && !svc_str_is(status, "CUTOVER")) return true;
  return svc_question_about(c, &live_migration_question, &e, e.key, SVC_S("{\"metric\":\"lagTimeSeconds\"}"));
}

static bool live_migration_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_node *said = svc_driver_reply(c, &live_migration_question, reply);
  svc_node *body = said ? svc_answer_parsed(c) : NULL;
  int64_t lag = svc_node_i64(said, "value", -1);
  if (!body) return svc_failed(c);
  if (lag >= 0) svc_node_set_i64(c->arena, body, "lagTimeSeconds", lag);
  return svc_answer_again(c, body);
}

static const svc_field live_migration_fact_fields[] = { F_LONG("dataSizeBytes", .flags = SVC_MIN) };
static const svc_object live_migration_facts_object = { .name = "CutoverFacts", .fields = SVC_ROWS(live_migration_fact_fields) };
static const svc_order_row live_migration_orders[] = {
  { "migration.copy", "Copy the data of the source into the cluster and follow its changes.", NULL, NULL, 0 },
  { "migration.cutover",
    "Copy the last changes of the source, then stop following it. `dataSizeBytes`: the size of the destination's data afterwards.", NULL,
    &live_migration_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_live_migration = {
  .name = CLUSTER_LIVE_MIGRATION,
  .rel = "liveMigration",
  .kind = LIVE_MIGRATION_KIND,
  .parent = "project",
  .param = "liveMigrationId",
  .flags = SVC_EXPIRES,
  .object = &live_migration_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .most = LIVE_MIGRATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &live_migration_lifecycle,
  .refs = live_migration_refs,
  .event_created = "CLUSTER_IMPORT_STARTED",
  .event_field = "resourceId",
  .orders = live_migration_orders,
  .questions = SVC_ASKS(&live_migration_question),
  .routes = SVC_ROUTES(live_migration_routes),
  .prepare = live_migration_prepare,
  .fell_due = live_migration_fell_due,
  .simulate = live_migration_simulate,
  .facts = live_migration_facts,
  .view = live_migration_view,
};
