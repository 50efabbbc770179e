/*
** Stream processor: a pipeline that runs in a workspace while it is started.
**
**                        start                              stop
**   POST --> CREATING --> CREATED --> STARTING --> STARTED --> STOPPING --> STOPPED --> RESUMING --> STARTED
**                                                                                start
**   FAILED: reported by the driver; a start works as from STOPPED. DELETE: removed in any state
**
** STARTING, RESUMING and STOPPING are stored but not shown: until the step is done, they are shown as CREATED, STOPPED and
** STARTED. A start during CREATING waits (CREATING_TO_START, shown as CREATING), and then goes on to STARTING. A running
** processor must be stopped before it can be changed. Statistics of a running processor come from the driver.
** stream_pipeline.c defines pipelines, stream_acts.c starts and stops processors.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

enum { STREAM_PROCESSOR_STAGES = 100 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_processor_states[] = {
  "CREATING", "CREATING_TO_START", "CREATED", "STARTING", "RESUMING", "STARTED", "STOPPING", "STOPPED", "FAILED", NULL
};
static const char *const stream_processor_shown_states[] = { "CREATING", "CREATED", "STARTED", "STOPPED", "FAILED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field stream_processor_dlq_fields[] = {
  F_STR("coll", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("connectionName", .flags = SVC_REQUIRED, .min = 1, .max = STREAM_NAME_MOST),
  F_STR("db", .flags = SVC_REQUIRED, .min = 1, .max = STREAM_NAME_MOST)
};
static const svc_object stream_processor_dlq = { .name = "StreamsDLQ", .fields = SVC_ROWS(stream_processor_dlq_fields) };
static const svc_field stream_processor_option_fields[] = { F_OBJ("dlq", &stream_processor_dlq, .flags = SVC_NULLABLE) };
static const svc_object stream_processor_options = { .name = "StreamsOptions", .fields = SVC_ROWS(stream_processor_option_fields) };
static const svc_field stream_processor_new_option_fields[] = {
  F_OBJ("dlq", &stream_processor_dlq, .flags = SVC_NULLABLE),
  F_BOOL("resumeFromCheckpoint", .flags = SVC_WRITE_ONLY)
};
static const svc_object stream_processor_new_options = {
  .name = "StreamsModifyStreamProcessorOptions", .fields = SVC_ROWS(stream_processor_new_option_fields)
};

#define STREAM_PROCESSOR_FIELDS(options, states) \
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID), \
  F_BOOL("eligibleForFailover", .flags = SVC_READ_ONLY), \
  F_BOOL("failoverEnabled", .preset = "false"), \
  F_STR("name", .flags = SVC_REQUIRED, .pattern = STREAM_NAME_PATTERN, .max = STREAM_NAME_MOST), \
  F_OBJ("options", options), \
  { .name = "pipeline", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, \
    .max_items = STREAM_PROCESSOR_STAGES }, \
  F_ENUM("state", states, .flags = SVC_READ_ONLY), \
  { .name = "stats", .type = SVC_MAP, .item = SVC_ANY, .flags = SVC_READ_ONLY }, \
  F_ENUM("tier", svc_stream_tiers)
static const svc_field stream_processor_fields[] = { STREAM_PROCESSOR_FIELDS(&stream_processor_options, stream_processor_states) };
static const svc_object stream_processor_object = { .name = "StreamsProcessorRecord", .fields = SVC_ROWS(stream_processor_fields) };
static const svc_field stream_processor_shown_fields[] = {
  STREAM_PROCESSOR_FIELDS(&stream_processor_options, stream_processor_shown_states)
};
static const svc_object stream_processor_shown = { .name = "StreamsProcessorWithStats", .fields = SVC_ROWS(stream_processor_shown_fields) };
static const svc_field stream_processor_change_fields[] = {
  STREAM_PROCESSOR_FIELDS(&stream_processor_new_options, stream_processor_states)
};
static const svc_object stream_processor_change = {
  .name = "StreamsModifyStreamProcessor", .fields = SVC_ROWS(stream_processor_change_fields)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool stream_processor_read(svc_call *c);
static bool stream_processor_on_reply(svc_call *c, const svc_reply *reply);

#define STREAM_PROCESSOR_BASE \
  "/groups/{groupId}/streams/{tenantName}/processor", SVC_SET_STREAMS, (20240530), STREAM_WRITERS, STREAM_WRITERS
#define STREAM_PROCESSOR_SOURCE "{\"$source\":{\"connectionName\":\"" STREAM_SAMPLE "\"}}"
#define STREAM_PROCESSOR_SINK "{\"$emit\":{\"connectionName\":\"" STREAM_TEST_SINK "\"}}"

static const svc_route stream_processor_routes[] = {
  R_POST(STREAM_PROCESSOR_BASE, "", .status = 202, .answer = &stream_processor_shown, .op = "createStreamProcessor", .run = svc_verb_create,
         .example = "{\"name\":\"watts\",\"pipeline\":[" STREAM_PROCESSOR_SOURCE "," STREAM_PROCESSOR_SINK "]}"),
  R_GET(STREAM_PROCESSOR_BASE, "/{processorName}", .flags = SVC_ITEM, .answer = &stream_processor_shown, .op = "getStreamProcessor", .run = stream_processor_read,
        .on_reply = stream_processor_on_reply),
  R_PATCH(STREAM_PROCESSOR_BASE, "/{processorName}", .body = &stream_processor_change, .answer = &stream_processor_shown,
          .op = "updateStreamProcessor", .run = svc_verb_update,
          .example = "{\"pipeline\":[" STREAM_PROCESSOR_SOURCE ",{\"$match\":{\"device_id\":\"device_1\"}}," STREAM_PROCESSOR_SINK "]}"),
  R_DELETE(STREAM_PROCESSOR_BASE, "/{processorName}", .status = 204, .op = "deleteStreamProcessor", .run = svc_verb_delete),
  R_POST(STREAM_PROCESSOR_BASE, "/{processorName}:start", .status = 200, .flags = SVC_NO_BODY | SVC_EMPTY_OBJECT,
         .op = "startStreamProcessor", .run = svc_stream_run_start),
  { .method = SVC_POST, .path = "/groups/{groupId}/streams/{tenantName}/processor/{processorName}:startWith",
    .set = SVC_SET_STREAMS, .versions = { 20250312 }, .roles = STREAM_WRITERS, .status = 200,
    .flags = SVC_BODY_OPTIONAL | SVC_EMPTY_OBJECT, .body = &svc_stream_start, .op = "startStreamProcessorWith", .run = svc_stream_run_start,
    .example = "{\"resumeFromCheckpoint\":true,\"tier\":\"SP10\"}" },
  R_POST(STREAM_PROCESSOR_BASE, "/{processorName}:stop", .status = 200, .flags = SVC_NO_BODY | SVC_EMPTY_OBJECT,
         .op = "stopStreamProcessor", .run = svc_stream_run_stop),
  { .method = SVC_GET, .path = "/groups/{groupId}/streams/{tenantName}/processors", .set = SVC_SET_STREAMS,
    .versions = { 20240530 }, .roles = STREAM_WRITERS, .flags = SVC_PAGED, .answer = &stream_processor_shown, .op = "getStreamProcessors", .run = svc_verb_list }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition stream_processor_transitions[] = {
  { "CREATING", "CREATED", 5, NULL, "processor.create" },
  { "CREATING_TO_START", "STARTING", 5, NULL, "processor.create" },
  { "STARTING", "STARTED", 10, NULL, "processor.start" },
  { "RESUMING", "STARTED", 10, NULL, "processor.start" },
  { "STOPPING", "STOPPED", 5, NULL, "processor.stop" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle stream_processor_lifecycle = {
  .field = "state", .created = "CREATING", .failed = "FAILED", .event_failed = "STREAM_PROCESSOR_STATE_IS_FAILED",
  .transitions = stream_processor_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- rules of a body */

/* Checks against the workspace: the largest tier, and failover regions. */
static void stream_processor_limits(svc_call *c, svc_change *change, const svc_node *workspace)
{
  const svc_node *config = svc_node_get(workspace, "streamConfig"), *regions = svc_node_get(workspace, "failoverRegions");
  svc_str largest = svc_node_str(config, "maxTierSize");
  if (!svc_node_get(change->body, "tier")) svc_node_set_from(c->arena, change->body, "tier", config, "tier");
  if (svc_stream_tier(svc_node_str(change->body, "tier")) < svc_stream_tier(largest))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("tier"), "must not be larger than the workspace's maxTierSize, " SVC_FMT,
                SVC_ARG(largest));
  if (svc_node_bool(change->body, "failoverEnabled", false) && !svc_node_first(regions))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("failoverEnabled"), "needs a failover region: the workspace has no failoverRegions");
}

static bool stream_processor_at_rest(svc_call *c, const svc_change *change)
{
  static const char *const rest[] = { "CREATED", "STOPPED", "FAILED", NULL };
  svc_str name = change->entity.unique;
  if (svc_value_in(c->s, svc_node_str(change->before, "state"), rest)) return true;
  return svc_fail(c, SVC_E_STREAM_PROCESSOR_GENERIC_ERROR, "Ss", &name, "it can be changed only while it is stopped: stop it first");
}

/* A start or stop has already made all of its changes. */
static bool stream_processor_prepare(svc_call *c, svc_change *change)
{
  svc_stream_kept kept = svc_stream_kept_of(change->extra);
  const svc_node *workspace, *options = svc_node_get(change->input, "options");
  if (change->action == STREAM_PROCESSOR_MOVES) return true;
  workspace = svc_entity_body(c, svc_path_entity(c, STREAM_WORKSPACE));
  if (!workspace) return false;
  stream_processor_limits(c, change, workspace);
  if (!svc_stream_pipeline_check(c, &change->parent, change->body, &kept.names)) return false;
  if (options && svc_node_get(options, "resumeFromCheckpoint"))
    kept.begin = svc_node_bool(options, "resumeFromCheckpoint", true) ? SVC_S("R") : SVC_S("N");
  if (!change->before) kept.begin = SVC_S("R");
  change->extra = svc_stream_extra(c, &kept);
  if (!change->before || (svc_node_same(change->before, change->body) && svc_str_eq(change->extra, change->entity.extra))) return true;
  return stream_processor_at_rest(c, change);
}

/* ---- how it is shown */

static svc_str stream_processor_state(svc_str stored)
{
  static const char *const shown[][2] = { { "CREATING_TO_START", "CREATING" }, { "STARTING", "CREATED" }, { "RESUMING", "STOPPED" }, { "STOPPING", "STARTED" } };
  size_t i;
  for (i = 0; i < sizeof shown / sizeof shown[0]; i++)
    if (svc_str_is(stored, shown[i][0])) return svc_str_c(shown[i][1]);
  return stored;
}

static svc_node *stream_processor_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (!body) return NULL;
  svc_node_set_str(c->arena, body, "state", stream_processor_state(svc_node_str(body, "state")));
  svc_node_set_bool(c->arena, body, "eligibleForFailover", svc_stream_eligible(c, e));
  return c->error.code ? NULL : body;
}

static const char *const stream_processor_measures[] = { "stats", NULL };
static const svc_field stream_processor_asked_fields[] = { F_ENUM("metric", stream_processor_measures, .flags = SVC_REQUIRED) };
static const svc_object stream_processor_asked = { .name = "AskedStats", .fields = SVC_ROWS(stream_processor_asked_fields) };
static const svc_question_row stream_processor_question = {
  "measure", STREAM_PROCESSOR,
  "The statistics of the processor: any object, which is shown unchanged.", &stream_processor_asked, NULL, SVC_REPLY_OBJECT
};

/* Adds the driver's statistics while the processor runs. */
static bool stream_processor_read(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entity e;
  bool stored;
  if (!svc_target(c, &e, &stored) || !svc_answer_entity(c, &e)) return false;
  if (!svc_answer_copied(c)) return false;
  if (!svc_str_is(svc_entity_text(c, noun, &e, "state"), "STARTED")) return true;
  return svc_question_about(c, &stream_processor_question, &e, e.unique, SVC_S("{\"metric\":\"stats\"}"));
}

static bool stream_processor_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *said = svc_driver_reply(c, &stream_processor_question, reply), *body = said ? svc_answer_parsed(c) : NULL;
  if (!body) return svc_failed(c);
  said->name = SVC_S("stats");
  svc_node_put(c->arena, body, said);
  return svc_answer_again(c, body);
}

/* ---- the desired state for the driver, and the cost */

static svc_node *stream_processor_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  svc_stream_kept kept = svc_stream_kept_of(e->extra);
  bool named = svc_str_is(kept.begin, "R") || svc_str_is(kept.begin, "N");
  if (!body) return NULL;
  svc_node_set_str(c->arena, body, "beginsAt", named ? (kept.begin.p[0] == 'R' ? SVC_S("checkpoint") : SVC_S("now")) : kept.begin);
  if (kept.region.n) svc_node_set_str(c->arena, body, "failoverRegion", kept.region);
  if (kept.mode.n) svc_node_set_str(c->arena, body, "failoverMode", kept.mode);
  return body;
}

static size_t stream_processor_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  svc_str state = svc_node_str(body, "state"), tier = svc_node_str(body, "tier");
  if (SVC_NEVER(most == 0) || (!svc_str_is(state, "STARTED") && !svc_str_is(state, "STOPPING"))) return 0;
  out[0] = (svc_meter){ svc_arena_print(c->arena, "STREAM_PROCESSING_" SVC_FMT, SVC_ARG(tier)), 1000 };
  return 1;
}

static const svc_field stream_processor_ordered_fields[] = { F_STR("beginsAt"), F_STR("failoverMode"), F_STR("failoverRegion") };
static const svc_object stream_processor_ordered = {
  .name = "OrderedStreamProcessor", .fields = SVC_ROWS(stream_processor_ordered_fields), .base = &stream_processor_object
};
static const svc_order_row stream_processor_orders[] = {
  { "processor.create", "Create the processor, without starting it.", &stream_processor_ordered, NULL, 0 },
  { "processor.start", "Start the processor at `beginsAt`.", &stream_processor_ordered, NULL, 0 },
  { "processor.stop", "Stop the processor.", &stream_processor_ordered, NULL, 0 },
  { "processor.delete", "Remove the processor.", &stream_processor_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_stream_processor = {
  .name = STREAM_PROCESSOR,
  .rel = "streamProcessor",
  .kind = STREAM_PROCESSOR_KIND,
  .parent = STREAM_WORKSPACE,
  .param = "processorName",
  .flags = SVC_TEXT_BESIDE,
  .object = &stream_processor_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_STREAM_PROCESSOR_NOT_FOUND,
  .err_exists = SVC_E_STREAM_PROCESSOR_ALREADY_EXISTS,
  .most = STREAM_PROCESSOR_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &stream_processor_lifecycle,
  .event_created = "STREAM_PROCESSOR_CREATED",
  .event_updated = "STREAM_PROCESSOR_MODIFIED",
  .event_deleted = "STREAM_PROCESSOR_DROPPED",
  .event_field = "resourceId",
  .order_gone = "processor.delete",
  .orders = stream_processor_orders,
  .questions = SVC_ASKS(&stream_processor_question),
  .routes = SVC_ROUTES(stream_processor_routes),
  .prepare = stream_processor_prepare,
  .view = stream_processor_view,
  .desired = stream_processor_desired,
  .needs = STREAM_CONNECTION, .ext = SVC_NOUN_EXT(.event_value = "_id", .meters = stream_processor_meters)
};
