/*
** Indexes of a cluster that can be dropped, computed from its existing indexes ("collections"). Nothing is stored. Each
** index appears in one list:
**
**   hidden      queries may not use the index
**   redundant   another index, which is not hidden, begins with the same keys in the same directions, and has the same options
**   unused      no query has used the index for at least 7 days
**
** The index of _id is never listed. A unique index, or one that lets documents expire, has another purpose than reads:
** the index is listed only if it is hidden.
*/
#include "catalog/monitoring/advisor_parts.h"

#define DROP_INDEX_UNUSED (7 * SVC_DAY_MS)

static const svc_field drop_index_one_fields[] = {
  F_LONG("accessCount"),
  { .name = "index", .type = SVC_ARRAY, .item = SVC_ANY },
  F_STR("name"),
  F_STR("namespace"),
  F_STRS("shards"),
  F_DATE("since"),
  F_LONG("sizeBytes")
};
static const svc_object drop_index_one = { .name = "DropIndexSuggestionsIndex", .fields = SVC_ROWS(drop_index_one_fields) };
static const svc_field drop_index_fields[] = {
  F_LIST("hiddenIndexes", &drop_index_one, .flags = SVC_READ_ONLY),
  F_LIST("redundantIndexes", &drop_index_one, .flags = SVC_READ_ONLY),
  F_LIST("unusedIndexes", &drop_index_one, .flags = SVC_READ_ONLY)
};
static const svc_object drop_index_object = { .name = "DropIndexSuggestionsResponse", .fields = SVC_ROWS(drop_index_fields) };

static bool drop_index_ask(svc_call *c);
static bool drop_index_on_reply(svc_call *c, const svc_reply *reply);

static const svc_route drop_index_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/dropIndexSuggestions",
    .set = SVC_SET_PERFORMANCE_ADVISOR, .versions = { 20240805 }, .roles = SVC_R_GROUP_READ_ONLY, .op = "listDropIndexSuggestions", .run = drop_index_ask,
    .on_reply = drop_index_on_reply }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool drop_index_ask(svc_call *c)
{
  return svc_resolve(c, 1) && svc_project_allows(c, "isPerformanceAdvisorEnabled") && svc_advisor_ask(c, &svc_question_collections);
}

/* ---- the rules */

static bool drop_index_is_id(const svc_reply_index *i)
{
  const svc_node *key = i->keys->first;
  return !key->next && key->type == SVC_J_OBJECT && svc_node_get(key, "_id");
}

static bool drop_index_acts(const svc_reply_index *i)
{
  return svc_node_bool(i->options, "unique", false) || svc_node_get(i->options, "expireAfterSeconds");
}

static bool drop_index_none(const svc_node *options)
{
  return !options || (options->type == SVC_J_OBJECT && !options->first);
}

/* Whether the other index begins with all keys of this one. The keys are never equal: a collection has no two indexes with the
** same keys and options. */
static bool drop_index_begins(const svc_reply_index *i, const svc_reply_index *other)
{
  const svc_node *mine = i->keys->first, *its = other->keys->first;
  bool same = drop_index_none(i->options) ? drop_index_none(other->options)
                                          : other->options && svc_node_same(i->options, other->options);
  if (i == other || other->hidden || !same) return false;
  while (mine && its && svc_node_same(mine, its)) mine = mine->next, its = its->next;
  return !mine && its;
}

static bool drop_index_redundant(const svc_reply_collection *at, const svc_reply_index *i)
{
  size_t j;
  for (j = 0; j < at->count; j++)
    if (drop_index_begins(i, &at->indexes[j])) return true;
  return false;
}

/* Without a start date of the count, the use of an index is unknown. */
static bool drop_index_unused(const svc_call *c, const svc_reply_index *i)
{
  int64_t since = svc_node_i64(i->said, "since", c->now);
  return svc_node_get(i->said, "accesses") && svc_node_i64(i->said, "accesses", 0) == 0 && since <= c->now - DROP_INDEX_UNUSED;
}

enum drop_index_why { DROP_INDEX_HIDDEN, DROP_INDEX_REDUNDANT, DROP_INDEX_IDLE, DROP_INDEX_NOT };

static int drop_index_why(const svc_call *c, const svc_reply_collection *at, const svc_reply_index *i)
{
  if (drop_index_is_id(i)) return DROP_INDEX_NOT;
  if (i->hidden) return DROP_INDEX_HIDDEN;
  if (drop_index_acts(i)) return DROP_INDEX_NOT;
  if (drop_index_redundant(at, i)) return DROP_INDEX_REDUNDANT;
  return drop_index_unused(c, i) ? DROP_INDEX_IDLE : DROP_INDEX_NOT;
}

/* ---- the answer */

static void drop_index_copy(svc_call *c, const svc_reply_index *i, const char *from, svc_node *to, const char *name)
{
  const svc_node *said = svc_node_get(i->said, from);
  svc_node *copy = said ? svc_node_copy(c->arena, said) : NULL;
  if (!said) return;
  if (copy) copy->name = svc_str_c(name);
  svc_node_put(c->arena, to, copy);
}

static svc_node *drop_index_show(svc_call *c, const svc_reply_collection *at, const svc_reply_index *i)
{
  svc_node *out = svc_node_object(c->arena, NULL);
  if (!out) return NULL;
  drop_index_copy(c, i, "accesses", out, "accessCount");
  drop_index_copy(c, i, "keys", out, "index");
  svc_node_set_str(c->arena, out, "name", i->name);
  svc_node_set_str(c->arena, out, "namespace", at->namespace);
  drop_index_copy(c, i, "shards", out, "shards");
  if (svc_node_get(i->said, "since")) {
    svc_node_set_date(c->arena, out, "since", svc_node_i64(i->said, "since", 0));
  }
  drop_index_copy(c, i, "sizeBytes", out, "sizeBytes");
  return out;
}

static bool drop_index_on_reply(svc_call *c, const svc_reply *reply)
{
  static const char *const names[] = { "hiddenIndexes", "redundantIndexes", "unusedIndexes" };
  svc_node *body = svc_node_object(c->arena, NULL), *lists[DROP_INDEX_NOT], *one;
  svc_reply_collections has;
  size_t i, j;
  int why;
  for (why = 0; why < DROP_INDEX_NOT; why++) {
    lists[why] = svc_node_array(c->arena, names[why]);
    svc_node_put(c->arena, body, lists[why]);
  }
  if (c->arena->failed) return svc_no_memory(c);
  if (!svc_collections_read(c, reply, &has)) return false;
  for (i = 0; i < has.count; i++)
    for (j = 0; j < has.at[i].count; j++) {
      why = drop_index_why(c, &has.at[i], &has.at[i].indexes[j]);
      if (why == DROP_INDEX_NOT) continue;
      one = drop_index_show(c, &has.at[i], &has.at[i].indexes[j]);
      if (!one) return svc_no_memory(c);
      svc_node_append(lists[why], one);
    }
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_drop_index = {
  .name = "drop index suggestion",
  .rel = "dropIndexSuggestions",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .object = &drop_index_object,
  .questions = SVC_ASKS(&svc_question_collections),
  .routes = SVC_ROUTES(drop_index_routes),
};
