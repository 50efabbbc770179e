/*
** Starts, stops and fails over stream processors: the one in the path, or all of a workspace.
**
** The rule: an action that the state of a processor does not allow is refused for a single processor, and skipped for all
** processors of a workspace.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field stream_acts_failover_fields[] = {
  F_BOOL("clearCheckpoint", .preset = "false"),
  F_BOOL("dryRun", .preset = "false"),
  F_ENUM("mode", svc_stream_modes, .preset = "\"GRACEFUL\""),
  F_STR("region", .flags = SVC_REQUIRED, .min = 1, .max = STREAM_NAME_MOST)
};
static const svc_object stream_acts_failover = { .name = "StreamsStartProcessorFailover", .fields = SVC_ROWS(stream_acts_failover_fields) };
static const svc_field stream_acts_start_fields[] = {
  F_OBJ("failover", &stream_acts_failover),
  F_BOOL("resumeFromCheckpoint"),
  F_DATE("startAtOperationTime"),
  F_ENUM("tier", svc_stream_tiers)
};
SVC_PRIVATE const svc_object svc_stream_start = { .name = "StreamsStartStreamProcessorWith", .fields = SVC_ROWS(stream_acts_start_fields) };

/* ------------------------------------------------------------------------------------------- what is kept beside one */

SVC_PRIVATE svc_stream_kept svc_stream_kept_of(svc_str extra)
{
  svc_stream_kept kept;
  kept.started = svc_str_cut(&extra, '\n');
  kept.begin = svc_str_cut(&kept.started, '@');
  kept.region = svc_str_cut(&extra, '\n');
  kept.mode = svc_str_cut(&extra, '\n');
  kept.names = extra;
  return kept;
}

SVC_PRIVATE svc_str svc_stream_extra(svc_call *c, const svc_stream_kept *kept)
{
  return svc_arena_print(c->arena, SVC_FMT "%s" SVC_FMT "\n" SVC_FMT "\n" SVC_FMT "\n" SVC_FMT, SVC_ARG(kept->begin), kept->started.n ? "@" : "",
                         SVC_ARG(kept->started), SVC_ARG(kept->region), SVC_ARG(kept->mode), SVC_ARG(kept->names));
}

/* ------------------------------------------------------------------------------------------------------------- looking */

SVC_PRIVATE bool svc_stream_any_runs(svc_call *c, const svc_id *workspace)
{
  static const char *const running[] = { "\"STARTED\"", "\"STARTING\"", "\"RESUMING\"", "\"STOPPING\"", NULL };
  svc_scan scan;
  svc_entity e;
  bool any = false;
  svc_below_begin(&scan, c->txn, STREAM_PROCESSOR_KIND, workspace);
  while (!any && svc_below_next(&scan, STREAM_PROCESSOR_KIND, &e))
    any = svc_value_in(c->s, svc_json_member(e.body, SVC_S("state")), running);
  return svc_txn_good(c) && any;
}

/* Returns true if the processor can run in another region: the workspace has failover regions, and each Kafka or Cluster connection that
** it uses has a failover connection. */
SVC_PRIVATE bool svc_stream_eligible(svc_call *c, const svc_entity *processor)
{
  const svc_noun_info *noun = svc_noun_named(c->s, STREAM_PROCESSOR);
  svc_str names = svc_stream_kept_of(processor->extra).names, type, regions;
  svc_entity workspace, e;
  if (svc_entity_above(c, noun, processor, &workspace) != SVC_OK) return svc_txn_good(c) && false;
  regions = svc_json_member(workspace.body, SVC_S("failoverRegions"));
  if (regions.n <= 2) return false; /* missing, or [] */
  while (names.n) {
    if (!svc_stream_connection_named(c, &processor->parent, svc_str_cut(&names, '\n'), &e)) return false;
    type = svc_json_member(e.body, SVC_S("type"));
    if (!svc_str_is(type, "\"Kafka\"") && !svc_str_is(type, "\"Cluster\"")) continue;
    if (svc_count(c->txn, STREAM_FAILOVER_KIND, &e.id) == 0) return svc_txn_good(c) && false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- moving */

/* Returns the state that a start or stop leads to. Returns NULL if it is not possible in this state. */
static const char *stream_acts_next(svc_str state, bool start)
{
  static const char *const moves[][3] = {
    { "CREATING", "CREATING_TO_START", NULL }, { "CREATED", "STARTING", NULL }, { "STOPPED", "RESUMING", NULL }, { "FAILED", "RESUMING", NULL },
    { "STARTED", NULL, "STOPPING" }, { "STARTING", NULL, "STOPPING" }, { "RESUMING", NULL, "STOPPING" },
  };
  size_t i;
  for (i = 0; i < sizeof moves / sizeof moves[0]; i++)
    if (svc_str_is(state, moves[i][0])) return moves[i][start ? 1 : 2];
  return NULL;
}

/* Changes to this state, with the event of a start or stop. */
static bool stream_acts_move(svc_call *c, svc_change *change, const char *state, svc_stream_kept *kept)
{
  svc_entity e;
  if (strcmp(state, "STOPPING") != 0) kept->started = svc_arena_print(c->arena, "%lld", (long long)c->now);
  svc_node_set_text(c->arena, change->body, "state", state);
  change->state = state;
  change->event = strcmp(state, "STOPPING") == 0 ? "STREAM_PROCESSOR_STOPPED" : "STREAM_PROCESSOR_STARTED";
  change->extra = svc_stream_extra(c, kept);
  change->action = STREAM_PROCESSOR_MOVES;
  return svc_change_keep(c, change, &e);
}

static bool stream_acts_refuse(svc_call *c, const svc_change *change, const char *why)
{
  svc_str name = change->entity.unique;
  return svc_fail(c, SVC_E_STREAM_PROCESSOR_GENERIC_ERROR, "Ss", &name, why);
}

/* ------------------------------------------------------------------------------------------------------------ one of them */

static bool stream_acts_is_region(const svc_node *workspace, svc_str region, bool *home)
{
  *home = svc_node_eq(svc_node_get(workspace, "dataProcessRegion"), "region", region);
  return *home || svc_stream_has_region(svc_node_get(workspace, "failoverRegions"), region);
}

/* Takes from the request where the processor begins. */
static void stream_acts_begin(svc_call *c, const svc_node *with, svc_stream_kept *kept)
{
  const svc_node *resume = svc_node_get(with, "resumeFromCheckpoint");
  svc_str from = svc_node_str(with, "startAtOperationTime");
  int64_t when = 0;
  if (from.n && resume && svc_node_bool(with, "resumeFromCheckpoint", false))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("startAtOperationTime"), "cannot be set when the processor resumes from its checkpoint");
  if (from.n && svc_date_parse(from, &when) && when > c->now)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("startAtOperationTime"), "must not be in the future");
  if (resume) kept->begin = svc_node_bool(with, "resumeFromCheckpoint", true) ? SVC_S("R") : SVC_S("N");
  if (from.n) kept->begin = from;
}

static void stream_acts_tier(svc_call *c, const svc_node *with, const svc_node *workspace, svc_node *body)
{
  svc_str tier = svc_node_str(with, "tier"), most = svc_node_str(svc_node_get(workspace, "streamConfig"), "maxTierSize");
  if (tier.n == 0) return;
  svc_node_set_str(c->arena, body, "tier", tier);
  if (svc_stream_tier(tier) < svc_stream_tier(most))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("tier"), "must not be larger than the workspace's maxTierSize, " SVC_FMT, SVC_ARG(most));
}

/* Sets another region, or the workspace's own again. Returns false if refused. */
static bool stream_acts_elsewhere(svc_call *c, const svc_change *change, const svc_node *failover, const svc_node *workspace,
                                  svc_stream_kept *kept)
{
  svc_str region = svc_node_str(failover, "region");
  bool home;
  if (!stream_acts_is_region(workspace, region, &home)) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("failover.region"), "must be one of the workspace's regions");
    return svc_check_done(c);
  }
  if (!svc_node_bool(change->before, "failoverEnabled", false)) return stream_acts_refuse(c, change, "failoverEnabled is false");
  if (!home && !svc_stream_eligible(c, &change->entity))
    return c->error.code ? false : stream_acts_refuse(c, change, "a connection that it uses has no failover connection");
  kept->region = home ? SVC_S("") : region;
  kept->mode = svc_node_str(failover, "mode");
  if (svc_node_bool(failover, "clearCheckpoint", false)) kept->begin = SVC_S("N");
  return true;
}

/* Starts a processor that is not running. With `failover`, also restarts a running one. */
SVC_PRIVATE bool svc_stream_run_start(svc_call *c)
{
  const svc_node *with = c->checked, *failover = svc_node_get(with, "failover"), *workspace;
  svc_stream_kept kept;
  svc_change change;
  const char *state;
  if (!svc_change_begin(c, &change)) return false;
  kept = svc_stream_kept_of(change.entity.extra);
  workspace = svc_entity_body(c, svc_path_entity(c, STREAM_WORKSPACE));
  if (!workspace) return false;
  state = stream_acts_next(svc_node_str(change.before, "state"), true);
  if (!state && failover && svc_stream_is(change.before, "state", "STARTED")) state = "RESUMING";
  if (!state)
    return stream_acts_refuse(c, &change, "it is not stopped");
  stream_acts_begin(c, with, &kept);
  stream_acts_tier(c, with, workspace, change.body);
  if (!svc_check_done(c) || (failover && !stream_acts_elsewhere(c, &change, failover, workspace, &kept))) return false;
  if (svc_node_bool(failover, "dryRun", false)) return svc_answer_nothing(c);
  return stream_acts_move(c, &change, state, &kept) && svc_answer_nothing(c);
}

SVC_PRIVATE bool svc_stream_run_stop(svc_call *c)
{
  svc_stream_kept kept;
  svc_change change;
  const char *state;
  if (!svc_change_begin(c, &change)) return false;
  kept = svc_stream_kept_of(change.entity.extra);
  state = stream_acts_next(svc_node_str(change.before, "state"), false);
  if (!state) return stream_acts_refuse(c, &change, "it does not run");
  kept.begin = SVC_S("R");
  return stream_acts_move(c, &change, state, &kept) && svc_answer_nothing(c);
}

/* ---------------------------------------------------------------------------------------------------------- all of them */

typedef struct stream_acts_all {
  const char *status;
  svc_str region, mode;
} stream_acts_all;

/* Returns the next state of one processor; NULL: unchanged. */
static const char *stream_acts_for(svc_call *c, const stream_acts_all *all, const svc_change *change)
{
  svc_str state = svc_node_str(change->before, "state");
  bool moves = strcmp(all->status, "FAILED_OVER") == 0;
  if (!moves) return stream_acts_next(state, strcmp(all->status, "STARTED") == 0);
  if (!svc_node_bool(change->before, "failoverEnabled", false) || svc_str_starts(state, "CREATING")) return NULL; /* also CREATING_TO_START */
  return svc_stream_eligible(c, &change->entity) ? "RESUMING" : NULL;
}

static bool stream_acts_each(svc_call *c, const stream_acts_all *all, const svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_named(c->s, STREAM_PROCESSOR);
  svc_stream_kept kept = svc_stream_kept_of(e->extra);
  svc_change change;
  const char *state;
  if (!svc_change_of(c, noun, e, &change)) return false;
  state = stream_acts_for(c, all, &change);
  if (!state) return !c->error.code;
  if (strcmp(state, "STOPPING") == 0) kept.begin = SVC_S("R");
  if (all->region.n) kept.region = all->region, kept.mode = all->mode;
  return stream_acts_move(c, &change, state, &kept);
}

/* Checks the region: required for a failover, otherwise only validated. */
static bool stream_acts_where(svc_call *c, const svc_node *workspace, const svc_node *status, stream_acts_all *all)
{
  bool moves = strcmp(all->status, "FAILED_OVER") == 0, home = false;
  all->region = svc_node_str(status, "region");
  all->mode = svc_node_str(status, "mode").n ? svc_node_str(status, "mode") : svc_str_c(svc_stream_modes[0]);
  if (moves && !svc_stream_has_region(svc_node_get(workspace, "failoverRegions"), all->region))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("processorStatus.region"), "must be one of the workspace's failoverRegions");
  if (!moves && all->region.n && !stream_acts_is_region(workspace, all->region, &home))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("processorStatus.region"), "must be one of the workspace's regions");
  if (!moves) all->region = SVC_S("");
  return svc_check_done(c);
}

/* Visits at most STREAM_PROCESSOR_MOST processors. */
SVC_PRIVATE bool svc_stream_all(svc_call *c, const svc_entity *workspace, const svc_node *status)
{
  stream_acts_all all = { svc_arena_copy(c->arena, svc_node_str(status, "status")).p, SVC_S(""), SVC_S("") };
  const svc_node *body = svc_entity_body(c, workspace);
  svc_scan scan;
  svc_entity e;
  if (!body || !svc_noun_named(c->s, STREAM_PROCESSOR)) return body != NULL;
  if (!stream_acts_where(c, body, status, &all)) return false;
  svc_below_begin(&scan, c->txn, STREAM_PROCESSOR_KIND, &workspace->id);
  while (svc_below_next(&scan, STREAM_PROCESSOR_KIND, &e))
    if (!stream_acts_each(c, &all, &e)) return false;
  return svc_txn_good(c);
}
