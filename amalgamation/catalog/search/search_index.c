/*
** Search index: an index of a collection for full-text or vector search, identified by its id, or by database, collection and
** name, which are its second key.
**
**   POST --> PENDING --> BUILDING --> READY     PATCH: BUILDING again; until it is READY, the previous version answers queries
**                           |           |
**                           +-----------+--> DELETING <-- DELETE     then removed: 404
**
** Two families of paths show it. /search/indexes has the definition in an object of its own, with a version, as in the store.
** The older /fts/indexes has all members in one object, and other words for the states: IN_PROGRESS and STEADY. An index that
** is being deleted is also IN_PROGRESS there.
**
** The collection must exist. If a driver runs the cluster, only the driver knows its data: an order for a missing collection
** fails. In the simulation, the collections that the service knows of exist (namespaces.c): the sample data, and those that
** archives and global writes name.
*/
#include "catalog/catalog.h"
#include "catalog/monitoring/process_parts.h"
#include "catalog/search/search_parts.h"

#define SEARCH_INDEX_KIND "srch"

enum { SEARCH_INDEX_MOST = 200 }; /* maximum per cluster */

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const search_index_types[] = { "search", "vectorSearch", NULL };
static const char *const search_index_old_states[] = { "IN_PROGRESS", "STEADY", "FAILED", "MIGRATING", "STALE", "PAUSED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

#define SEARCH_INDEX_NAMED \
  F_STR("collectionName", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 255), \
  F_STR("database", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 64)
#define SEARCH_INDEX_ID F_HEX24("indexID", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID)
#define SEARCH_INDEX_NAME F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 255)
#define SEARCH_INDEX_TYPE F_ENUM("type", search_index_types, .flags = SVC_FIXED, .preset = "\"search\"")

static const svc_field search_index_base_fields[] = {
  SEARCH_INDEX_NAMED,
  SEARCH_INDEX_ID,
  F_OBJ("latestDefinitionVersion", &svc_search_version, .flags = SVC_READ_ONLY),
  SEARCH_INDEX_NAME,
  F_BOOL("queryable", .flags = SVC_READ_ONLY),
  F_ENUM("status", svc_search_states, .flags = SVC_READ_ONLY),
  F_LIST("statusDetail", &svc_search_host, .flags = SVC_READ_ONLY)
};
static const svc_object search_index_base = { .name = "SearchIndexBase", .fields = SVC_ROWS(search_index_base_fields) };

/* The definition is sent as `definition` and shown as `latestDefinition`, so the result of a GET can be sent back without the former. A
** hook requires it, because the older shape creates an index without this member. */
static const svc_need search_index_needs[] = { { .fields = "definition", .by_hook = true }, { .fields = NULL } };
static const svc_field search_index_text_fields[] = {
  F_OBJ("definition", &svc_search_text, .flags = SVC_WRITE_ONLY),
  F_OBJ("latestDefinition", &svc_search_text, .flags = SVC_READ_ONLY),
  SEARCH_INDEX_TYPE
};
static const svc_object search_index_text = {
  .name = "TextSearchIndex", .fields = SVC_ROWS(search_index_text_fields), .base = &search_index_base, .ext = SVC_OBJECT_EXT(.needs = search_index_needs)
};
static const svc_field search_index_vector_fields[] = {
  F_OBJ("definition", &svc_search_vector, .flags = SVC_WRITE_ONLY),
  F_OBJ("latestDefinition", &svc_search_vector, .flags = SVC_READ_ONLY),
  F_ENUM("type", search_index_types, .flags = SVC_FIXED)
};
static const svc_object search_index_vector = {
  .name = "VectorSearchIndex", .fields = SVC_ROWS(search_index_vector_fields), .base = &search_index_base, .ext = SVC_OBJECT_EXT(.needs = search_index_needs)
};
static const svc_variant search_index_variants[] = {
  { "search", &search_index_text }, { "vectorSearch", &search_index_vector }, { NULL, NULL }
};
static const svc_object search_index_object = {
  .name = "SearchIndex", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", "search", search_index_variants))
};

/* The older shape: members of the definition and of the index in one object. */
static const svc_field search_index_old_fields[] = {
  SEARCH_INDEX_NAMED,
  SEARCH_INDEX_ID,
  SEARCH_INDEX_NAME,
  F_ENUM("status", search_index_old_states, .flags = SVC_READ_ONLY),
  SEARCH_INDEX_TYPE
};
static const svc_object search_index_old_text = {
  .name = "TextClusterSearchIndex", .fields = SVC_ROWS(search_index_old_fields), .base = &svc_search_text
};
static const svc_object search_index_old_vector = {
  .name = "VectorClusterSearchIndex", .fields = SVC_ROWS(search_index_old_fields), .base = &svc_search_vector
};
static const svc_variant search_index_old_variants[] = {
  { "search", &search_index_old_text }, { "vectorSearch", &search_index_old_vector }, { NULL, NULL }
};
static const svc_object search_index_old = {
  .name = "ClusterSearchIndex", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", "search", search_index_old_variants))
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool search_index_in_collection(svc_call *c, const svc_entity *e);
static svc_node *search_index_old_view(svc_call *c, const svc_entity *e);
static bool search_index_old_create(svc_call *c);
static bool search_index_old_update(svc_call *c);

#define SEARCH_INDEX_READERS \
  (SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE | SVC_R_GROUP_SEARCH_INDEX_EDITOR | \
   SVC_R_GROUP_STREAM_PROCESSING_OWNER)
#define SEARCH_INDEX \
  "/groups/{groupId}/clusters/{clusterName}/search/indexes", SVC_SET_SEARCH_INDEXES, (20240530), SEARCH_INDEX_READERS, \
    SVC_R_GROUP_SEARCH_INDEX_EDITOR
#define SEARCH_INDEX_OLD \
  "/groups/{groupId}/clusters/{clusterName}/fts/indexes", SVC_SET_SEARCH_INDEXES, (20230101), SEARCH_INDEX_READERS, \
    SVC_R_GROUP_SEARCH_INDEX_EDITOR
#define SEARCH_INDEX_OF "/{databaseName}/{collectionName}"
static const svc_route_ext search_index_by = { .by = "database/collectionName/name" };
static const svc_route_ext search_index_old_shown = { .view = search_index_old_view };
#define SEARCH_INDEX_BY .ext = &search_index_by
#define SEARCH_INDEX_ENDS .deprecated = 20240530, .sunset = 20270701
#define SEARCH_INDEX_SHOWN_OLD .answer = &search_index_old, SEARCH_INDEX_ENDS, .ext = &search_index_old_shown
#define SEARCH_INDEX_LINKED .keep = search_index_in_collection, .linked_from = "search index", .linked_by = SVC_BY_ALL_BUT_LAST
#define SEARCH_INDEX_CHANGE "{\"definition\":{\"mappings\":{\"fields\":{\"title\":{\"type\":\"string\"}}}}}"

static const svc_route search_index_routes[] = {
  R_GET(SEARCH_INDEX, "", .flags = SVC_BARE, .op = "listClusterSearchIndexes", .run = svc_verb_list),
  R_POST(SEARCH_INDEX, "", .status = 201, .op = "createClusterSearchIndex", .run = svc_verb_create,
         .example = "{\"collectionName\":\"movies\",\"database\":\"sample_mflix\",\"name\":\"default\",\"type\":\"search\","
                    "\"definition\":{\"mappings\":{\"dynamic\":true}}}"),
  R_GET(SEARCH_INDEX, SEARCH_INDEX_OF, .flags = SVC_BARE, .op = "listSearchIndex", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(SEARCH_INDEX_LINKED)),
  R_GET(SEARCH_INDEX, SEARCH_INDEX_OF "/{indexName}", SEARCH_INDEX_BY, .op = "getIndexByName", .run = svc_verb_read),
  R_PATCH(SEARCH_INDEX, SEARCH_INDEX_OF "/{indexName}", SEARCH_INDEX_BY, .op = "updateIndexByName", .run = svc_verb_update, .example = SEARCH_INDEX_CHANGE),
  R_DELETE(SEARCH_INDEX, SEARCH_INDEX_OF "/{indexName}", SEARCH_INDEX_BY, .status = 204, .op = "deleteIndexByName", .run = svc_verb_delete),
  R_GET(SEARCH_INDEX, "/{indexId}", .op = "getClusterSearchIndex", .run = svc_verb_read),
  R_PATCH(SEARCH_INDEX, "/{indexId}", .op = "updateClusterSearchIndex", .run = svc_verb_update, .example = SEARCH_INDEX_CHANGE),
  R_DELETE(SEARCH_INDEX, "/{indexId}", .status = 204, .op = "deleteClusterSearchIndex", .run = svc_verb_delete),
  R_POST(SEARCH_INDEX_OLD, "", SEARCH_INDEX_SHOWN_OLD, .status = 201, .body = &search_index_old, .op = "createClusterFtsIndex", .run = search_index_old_create,
         .example = "{\"collectionName\":\"movies\",\"database\":\"sample_mflix\",\"name\":\"older\",\"mappings\":{\"dynamic\":true}}"),
  R_GET(SEARCH_INDEX_OLD, SEARCH_INDEX_OF, .flags = SVC_BARE, .answer = &search_index_old, .op = "listClusterFtsIndex", .run = svc_verb_list,
        SEARCH_INDEX_ENDS, .ext = SVC_ROUTE_EXT(.view = search_index_old_view, SEARCH_INDEX_LINKED)),
  R_GET(SEARCH_INDEX_OLD, "/{indexId}", .answer = &search_index_old, .op = "getClusterFtsIndex", .run = svc_verb_read,
        SEARCH_INDEX_ENDS, .ext = SVC_ROUTE_EXT(.view = search_index_old_view, .linked_from = "search index")),
  R_PATCH(SEARCH_INDEX_OLD, "/{indexId}", SEARCH_INDEX_SHOWN_OLD, .body = &search_index_old, .op = "updateClusterFtsIndex", .run = search_index_old_update,
          .example = "{\"numPartitions\":2}"),
  R_DELETE(SEARCH_INDEX_OLD, "/{indexId}", .status = 204, .op = "deleteClusterFtsIndex", .run = svc_verb_delete, SEARCH_INDEX_ENDS)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition search_index_transitions[] = {
  { "PENDING", "BUILDING", 5, NULL, NULL },
  { "BUILDING", "READY", 30, "FTS_INDEX_BUILD_COMPLETE", "index.build" },
  { "DELETING", NULL, 10, "FTS_INDEX_CLEANED_UP", "index.drop" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle search_index_lifecycle = {
  .field = "status", .created = "PENDING", .updated = "BUILDING", .deleted = "DELETING", .failed = "FAILED",
  .event_failed = "FTS_INDEX_BUILD_FAILED", .transitions = search_index_transitions
};

/* An index that is being deleted can only be read. */
static const svc_guard search_index_guards[] = {
  { "status", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_RESOURCE_NOT_FOUND },
  { "paused", "true", SVC_GUARD_CREATE, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER }, /* of its cluster */
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool search_index_is_vector(const svc_node *body)
{
  return svc_node_is(body, "type", "vectorSearch");
}

/* ---- where it is */

static bool search_index_in_collection(svc_call *c, const svc_entity *e)
{
  const svc_noun *noun = c->plan->noun->noun;
  return svc_str_eq(svc_entity_text(c, noun, e, "database"), svc_path_param(c, "databaseName")) &&
         svc_str_eq(svc_entity_text(c, noun, e, "collectionName"), svc_path_param(c, "collectionName"));
}

/* Refuses a name that is taken in its collection. A separate lookup, because the error reports collection and name separately. */
static bool search_index_free(svc_call *c, const svc_change *change)
{
  svc_str database = svc_node_str(change->body, "database"), collection = svc_node_str(change->body, "collectionName");
  svc_str name = svc_node_str(change->body, "name"), space;
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_named other;
  svc_percent_encode(&b, database);
  svc_buf_char(&b, '/');
  svc_percent_encode(&b, collection);
  svc_buf_char(&b, '/');
  svc_percent_encode(&b, name);
  if (svc_named_get(c->txn, SEARCH_INDEX_KIND, &change->parent, svc_buf_done(&b), &other) != SVC_OK) return svc_txn_good(c);
  space = svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(database), SVC_ARG(collection));
  return svc_fail(c, SVC_E_SEARCH_DUPLICATE_INDEX, "SS", &name, &space);
}

/* Checks that the cluster has the collection. */
static bool search_index_collection(svc_call *c, const svc_change *change)
{
  svc_str database = svc_node_str(change->body, "database"), collection = svc_node_str(change->body, "collectionName"), space;
  svc_entity e = { .scope = c->scope, .parent = change->parent }, cluster;
  bool known;
  int rc;
  if (!svc_noun_named(c->s, "sample dataset load")) return true; /* a build that knows nothing of data */
  rc = svc_entity_above(c, change->noun, &e, &cluster);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (svc_cluster_driven(&cluster)) return true; /* only the driver knows its data */
  space = svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(database), SVC_ARG(collection));
  if (!svc_namespace_known(c, &cluster, space, &known)) return false;
  return known || svc_fail(c, SVC_E_SEARCH_COLLECTION_NOT_FOUND, "SS", &space, &cluster.unique);
}

/* ---- changes */

/* Every change of the definition is a new version. */
static bool search_index_count(svc_call *c, svc_change *change)
{
  const svc_node *before = svc_node_get(change->before, "latestDefinition");
  int64_t version = svc_node_i64(svc_node_get(change->before, "latestDefinitionVersion"), "version", 0);
  svc_node *now;
  if (before && svc_node_same(before, svc_node_get(change->body, "latestDefinition"))) return true;
  now = svc_node_object(c->arena, "latestDefinitionVersion");
  if (!now) return svc_no_memory(c);
  svc_node_set_date(c->arena, now, "createdAt", c->now);
  svc_node_set_i64(c->arena, now, "version", version + 1);
  svc_node_put(c->arena, change->body, now);
  return true;
}

static bool search_index_prepare(svc_call *c, svc_change *change)
{
  const svc_node *sent = svc_node_get(change->input, "definition");
  bool vector = search_index_is_vector(change->body);
  svc_node *definition;
  if (!change->before && !sent && !svc_node_get(change->body, "latestDefinition")) {
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("definition"), "is required");
    return svc_check_done(c);
  }
  if (sent) { /* already checked by its table; checking again adds the defaults */
    definition = svc_check(c, vector ? &svc_search_vector : &svc_search_text, sent, NULL, SVC_CHECK_CREATE);
    if (!definition) return svc_check_done(c) ? svc_no_memory(c) : false;
    definition->name = SVC_S("latestDefinition");
    svc_node_put(c->arena, change->body, definition);
  }
  if (!svc_search_check(c, vector, svc_node_get(change->body, "latestDefinition"), sent ? "definition." : "")) return false;
  if (!change->before) svc_node_set_bool(c->arena, change->body, "queryable", false);
  return (change->before || (search_index_free(c, change) && search_index_collection(c, change))) && search_index_count(c, change);
}

static bool search_index_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_DUE_STATE && svc_node_is(change->body, "status", "READY"))
    svc_node_set_bool(c->arena, change->body, "queryable", true);
  return true;
}

/* ---- the older family */

/* Members of the index itself; all others belong to the definition. */
static const char *const search_index_own[] = { "collectionName", "database", "indexID", "name", "type", NULL };

static bool search_index_put_copy(svc_call *c, svc_node *to, const svc_node *member)
{
  svc_node *copy = svc_node_copy(c->arena, member);
  if (copy) svc_node_put(c->arena, to, copy);
  return copy != NULL;
}

static svc_node *search_index_old_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *definition = svc_node_get(body, "latestDefinition"), *member;
  svc_node *out = body ? svc_node_object(c->arena, NULL) : NULL;
  svc_str status = svc_node_str(body, "status");
  if (!out || !definition) return NULL;
  for (member = body->first; member; member = member->next)
    if (svc_value_in(c->s, member->name, search_index_own) && !search_index_put_copy(c, out, member)) return NULL;
  for (member = definition->first; member; member = member->next)
    if (!search_index_put_copy(c, out, member)) return NULL;
  if (svc_str_is(status, "READY")) status = SVC_S("STEADY");
  else if (!svc_value_in(c->s, status, search_index_old_states)) status = SVC_S("IN_PROGRESS");
  svc_node_set_str(c->arena, out, "status", status);
  return out;
}

/* Converts the older shape to the stored one, into a body that has the other fields. */
static bool search_index_from_old(svc_call *c, const svc_node *old, svc_node *body)
{
  svc_node *definition = svc_node_object(c->arena, "latestDefinition");
  const svc_node *member;
  if (!definition) return svc_no_memory(c);
  for (member = old->first; member; member = member->next) {
    if (svc_str_is(member->name, "status")) continue;
    if (!search_index_put_copy(c, svc_value_in(c->s, member->name, search_index_own) ? body : definition, member))
      return svc_no_memory(c);
  }
  svc_node_put(c->arena, body, definition);
  return true;
}

static bool search_index_old_create(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c)) return false;
  if (!svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  return search_index_from_old(c, c->checked, change.body) && svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool search_index_old_update(svc_call *c)
{
  svc_change change;
  svc_node *shown, *merged;
  if (!svc_change_begin(c, &change)) return false;
  shown = search_index_old_view(c, &change.entity);
  if (!shown) return svc_failed(c);
  merged = svc_check(c, &search_index_old, c->body, shown, SVC_CHECK_UPDATE);
  if (!svc_check_done(c)) return false;
  return search_index_from_old(c, merged, change.body) && svc_change_store(c, &change);
}

static const svc_order_row search_index_orders[] = {
  { "index.build", "Build the search index.", NULL, NULL, 0 },
  { "index.drop", "Remove the search index.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_search_index = {
  .name = "search index",
  .rel = "searchIndex",
  .kind = SEARCH_INDEX_KIND,
  .parent = "cluster",
  .param = "indexId",
  .flags = SVC_EVENT_PARENT,
  .object = &search_index_object,
  .unique = "database/collectionName/name",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_SEARCH_DUPLICATE_INDEX,
  .most = SEARCH_INDEX_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &search_index_lifecycle,
  .guards = search_index_guards,
  .event_created = "FTS_INDEX_CREATED",
  .event_updated = "FTS_INDEX_UPDATED",
  .event_deleted = "FTS_INDEX_DELETED",
  .orders = search_index_orders,
  .routes = SVC_ROUTES(search_index_routes),
  .prepare = search_index_prepare,
  .fell_due = search_index_fell_due,
  .view = svc_search_view,
};
