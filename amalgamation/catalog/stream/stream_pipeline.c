/*
** The shape of a stream processor's pipeline: an array of stages. The first is $source, the last $emit or $merge. The others
** are stages that streams support; windows contain the stages that need a window.
**
** Pipelines are not run here. The checks find errors with which a processor would fail to start: names and order of stages,
** and their connections, which must exist in the workspace and have a suitable type. The rule: the first pass checks the size
** and depth; only a pipeline within these limits gets the second pass. So a body of any size costs only the time to read it,
** and the stored pipeline fits into an entity.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

enum { STREAM_PIPELINE_BYTES = 24576, STREAM_PIPELINE_DEPTH = 20 };

/* ----------------------------------------------------------------------------------------------------------- stages */

enum { PIPELINE_FIRST = 1, PIPELINE_LAST = 2, PIPELINE_TOP = 4, PIPELINE_WINDOW = 8 }; /* where a stage is allowed */
/* value of a stage; NESTS: has a pipeline of its own */
enum { PIPELINE_OBJECT, PIPELINE_NESTS, PIPELINE_ANY };

static const struct {
  const char *name;
  unsigned char where, takes;
} stream_pipeline_stages[] = {
  { "$source", PIPELINE_FIRST, PIPELINE_OBJECT },
  { "$emit", PIPELINE_LAST, PIPELINE_OBJECT },
  { "$merge", PIPELINE_LAST, PIPELINE_OBJECT },
  { "$hoppingWindow", PIPELINE_TOP, PIPELINE_NESTS },
  { "$sessionWindow", PIPELINE_TOP, PIPELINE_NESTS },
  { "$tumblingWindow", PIPELINE_TOP, PIPELINE_NESTS },
  { "$validate", PIPELINE_TOP, PIPELINE_OBJECT },
  { "$addFields", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$cachedLookup", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$externalFunction", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$function", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$https", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$lookup", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$match", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$project", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$redact", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_ANY },
  { "$replaceRoot", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$replaceWith", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_ANY },
  { "$set", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$setStreamMeta", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$unset", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_ANY },
  { "$unwind", PIPELINE_TOP | PIPELINE_WINDOW, PIPELINE_ANY },
  { "$count", PIPELINE_WINDOW, PIPELINE_ANY },
  { "$group", PIPELINE_WINDOW, PIPELINE_OBJECT },
  { "$limit", PIPELINE_WINDOW, PIPELINE_ANY },
  { "$sort", PIPELINE_WINDOW, PIPELINE_OBJECT },
};

/* The connections in stages: the member, "a.b", that names one, the allowed types, and whether it is required. */
#define PIPELINE_TYPES 7
static const struct {
  const char *stage, *member;
  bool required;
  const char *types[PIPELINE_TYPES];
} stream_pipeline_connections[] = {
  { "$source", "connectionName", true, { "Kafka", "Cluster", "Sample", "AWSKinesisDataStreams", "GCPPubSub", NULL } },
  { "$source", "schemaRegistry.connectionName", false, { "SchemaRegistry", NULL } },
  { "$emit", "connectionName", true, { "Kafka", "Cluster", "AWSKinesisDataStreams", "S3", "AzureBlobStorage", "GCPPubSub", NULL } },
  { "$emit", "schemaRegistry.connectionName", false, { "SchemaRegistry", NULL } },
  { "$merge", "into.connectionName", true, { "Cluster", NULL } },
  { "$lookup", "from.connectionName", true, { "Cluster", NULL } },
  { "$cachedLookup", "from.connectionName", true, { "Cluster", NULL } },
  { "$https", "connectionName", true, { "Https", NULL } },
  { "$externalFunction", "connectionName", true, { "AWSLambda", NULL } },
};
#define PIPELINE_COUNT(table) (sizeof(table) / sizeof(table)[0])

typedef struct stream_pipeline_walk {
  svc_call *c;
  const svc_id *workspace;
  svc_buf names; /* connections found so far, one per line */
} stream_pipeline_walk;

/* ------------------------------------------------------------------------------------------------------- connections */

static bool stream_pipeline_is_of(svc_str type, const char *const *types)
{
  size_t i;
  for (i = 0; types[i]; i++)
    if (type.n == strlen(types[i]) + 2 && memcmp(type.p + 1, types[i], type.n - 2) == 0) return true; /* with its quotes in JSON */
  return false;
}

/* Checks the name of a connection. Returns false if the store failed. */
static bool stream_pipeline_named(stream_pipeline_walk *w, const svc_node *name, const char *const *types, svc_str at)
{
  svc_call *c = w->c;
  svc_entity e;
  if (!name || name->type != SVC_J_STRING) {
    svc_violate(c, name ? SVC_E_INVALID_JSON_ATTRIBUTE : SVC_E_MISSING_ATTRIBUTE, at, name ? "must be a string" : "is required");
  } else if (!svc_stream_connection_named(c, w->workspace, name->text, &e)) {
    if (c->error.code) return false;
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is not a connection of the workspace");
  } else if (!stream_pipeline_is_of(svc_json_member(e.body, SVC_S("type")), types)) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "cannot be used here: the type of the connection must be %s",
                svc_values_known(c, types).p);
  } else if (!svc_lines_have((svc_str){ w->names.p, w->names.n }, name->text)) {
    svc_buf_str(&w->names, name->text);
    svc_buf_char(&w->names, '\n');
  }
  return true;
}

static const svc_node *stream_pipeline_member(const svc_node *body, const char *path, const svc_node **last)
{
  svc_str rest = svc_str_c(path);
  const svc_node *node = body;
  while (rest.n && node) {
    *last = node;
    node = node->type == SVC_J_OBJECT ? svc_node_find(node, svc_str_cut(&rest, '.')) : NULL;
  }
  return node;
}

/* Checks all connections of one stage. */
static bool stream_pipeline_uses(stream_pipeline_walk *w, svc_str stage, const svc_node *body, svc_str at)
{
  const svc_node *above = NULL;
  size_t i;
  for (i = 0; i < PIPELINE_COUNT(stream_pipeline_connections); i++) {
    const svc_node *name;
    bool required = stream_pipeline_connections[i].required;
    if (!svc_str_is(stage, stream_pipeline_connections[i].stage)) continue;
    name = stream_pipeline_member(body, stream_pipeline_connections[i].member, &above);
    /* a source with documents needs no connection */
    if (!name && svc_str_is(stage, "$source") && svc_node_get(body, "documents")) continue;
    if (name && svc_str_is(stage, "$emit") && svc_str_is(name->text, STREAM_TEST_SINK)) continue;
    if ((name || required) &&
        !stream_pipeline_named(w, name, stream_pipeline_connections[i].types,
                               svc_arena_print(w->c->arena, SVC_FMT ".%s", SVC_ARG(at), stream_pipeline_connections[i].member)))
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- the walk */

static bool stream_pipeline_walk_list(stream_pipeline_walk *w, const svc_node *list, bool window, svc_str at);

/* Returns the index of the stage, which is the object's only member. Returns -1 and adds a violation if the stage is unknown. */
static int stream_pipeline_stage(svc_call *c, const svc_node *item, svc_str at)
{
  size_t i = 0;
  if (item->type != SVC_J_OBJECT || !item->first || item->first->next) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must be an object with one member, the stage");
    return -1;
  }
  while (i < PIPELINE_COUNT(stream_pipeline_stages) && !svc_str_is(item->first->name, stream_pipeline_stages[i].name)) i++;
  if (i < PIPELINE_COUNT(stream_pipeline_stages)) return (int)i;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is not a supported stage");
  return -1;
}

/* Checks the position of a stage. */
static void stream_pipeline_place(svc_call *c, int stage, bool window, bool first, bool last, svc_str at)
{
  unsigned where = stream_pipeline_stages[stage].where;
  if (window ? !(where & PIPELINE_WINDOW) : where == PIPELINE_WINDOW)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, window ? "is not allowed in a window" : "is allowed in a window only");
  else if (!window && first != (where == PIPELINE_FIRST))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, first ? "must be $source, as the first stage" : "can only be the first stage");
  else if (!window && last != (where == PIPELINE_LAST))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, last ? "must be $emit or $merge, as the last stage" : "can only be the last stage");
}

static bool stream_pipeline_one(stream_pipeline_walk *w, const svc_node *item, bool window, bool first, svc_str at)
{
  int stage = stream_pipeline_stage(w->c, item, at);
  const svc_node *body = item->first, *inner;
  svc_str here;
  if (stage < 0) return true;
  here = svc_arena_print(w->c->arena, SVC_FMT ".%s", SVC_ARG(at), stream_pipeline_stages[stage].name);
  stream_pipeline_place(w->c, stage, window, first, !item->next, at);
  if (stream_pipeline_stages[stage].takes == PIPELINE_ANY) return true;
  if (body->type != SVC_J_OBJECT) {
    svc_violate(w->c, SVC_E_INVALID_JSON_ATTRIBUTE, here, "must be an object");
    return true;
  }
  if (stream_pipeline_stages[stage].takes != PIPELINE_NESTS) return stream_pipeline_uses(w, body->name, body, here);
  inner = svc_node_get(body, "pipeline");
  here = svc_arena_print(w->c->arena, SVC_FMT ".pipeline", SVC_ARG(here));
  if (inner && inner->type == SVC_J_ARRAY && inner->first) return stream_pipeline_walk_list(w, inner, true, here);
  svc_violate(w->c, SVC_E_MISSING_OR_INVALID_ATTRIBUTE, here, "must be an array of stages");
  return true;
}

/* A window in a window is refused, but its stages are checked as well: STREAM_PIPELINE_DEPTH limits this recursion. */
static bool stream_pipeline_walk_list(stream_pipeline_walk *w, const svc_node *list, bool window, svc_str at)
{
  const svc_node *item;
  size_t i = 0;
  for (item = list->first; item && !w->c->arena->failed; item = item->next, i++)
    if (!stream_pipeline_one(w, item, window, item == list->first, svc_arena_print(w->c->arena, SVC_FMT "[%zu]", SVC_ARG(at), i)))
      return false;
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- bounds */

static bool stream_pipeline_deeper(const svc_node *node, int levels)
{
  const svc_node *child;
  if (levels == 0) return node->first != NULL;
  for (child = node->first; child; child = child->next)
    if (stream_pipeline_deeper(child, levels - 1)) return true;
  return false;
}

static bool stream_pipeline_bounded(svc_call *c, const svc_node *list)
{
  svc_buf b = svc_buf_new(c->arena, 1024);
  svc_node_write(&b, list);
  if (b.failed) return svc_no_memory(c);
  if (b.n > STREAM_PIPELINE_BYTES)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("pipeline"), "must have at most %d bytes", STREAM_PIPELINE_BYTES);
  else if (stream_pipeline_deeper(list, STREAM_PIPELINE_DEPTH))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("pipeline"), "must not be nested deeper than %d levels", STREAM_PIPELINE_DEPTH);
  return svc_check_done(c);
}

/* Checks the dead letter queue: a collection of a cluster for messages that cannot be processed. */
static bool stream_pipeline_dlq(stream_pipeline_walk *w, const svc_node *dlq)
{
  static const char *const cluster[] = { "Cluster", NULL };
  return !dlq || stream_pipeline_named(w, svc_node_get(dlq, "connectionName"), cluster, SVC_S("options.dlq.connectionName"));
}

SVC_PRIVATE bool svc_stream_pipeline_check(svc_call *c, const svc_id *workspace, const svc_node *body, svc_str *names)
{
  const svc_node *list = svc_node_get(body, "pipeline");
  stream_pipeline_walk w = { c, workspace, svc_buf_new(c->arena, 256) };
  if (!stream_pipeline_bounded(c, list) || !stream_pipeline_walk_list(&w, list, false, SVC_S("pipeline"))) return false;
  if (!stream_pipeline_dlq(&w, svc_node_get(svc_node_get(body, "options"), "dlq")) || !svc_check_done(c)) return false;
  *names = svc_buf_done(&w.names);
  return !w.names.failed || svc_no_memory(c);
}
