/*
** Rules for the sources of a federated database instance (federation_storage.c has the tables).
**
** The rules: names are unique in their list. A data source names an existing store, has the fields that the store's
** provider requires, and has no field that only other providers allow. A view has a valid pipeline, and its source is in
** the same database. The total size is bounded, and checked before names are compared with each other.
*/
#include "catalog/data_federation/data_federation_parts.h"

enum {
  FEDERATION_RULES_BYTES = 32768, /* maximum of the whole instance, as stored */
  FEDERATION_RULES_DEPTH = 32
};

static const svc_field federation_rules_tag_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255), F_STR("value", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
static const svc_object federation_rules_tag = { .name = "DataLakeSvcStoreReadPreferenceTag", .fields = SVC_ROWS(federation_rules_tag_fields) };

/* ---------------------------------------------------------------------------------------------------------------- names */

static const svc_node *federation_rules_first(const svc_node *object, const char *list)
{
  const svc_node *array = svc_node_get(object, list);
  return svc_node_first(array);
}

static const svc_node *federation_rules_named(const svc_node *first, const svc_node *end, svc_str name)
{
  while (first && first != end && !svc_node_eq(first, "name", name)) first = first->next;
  return first == end ? NULL : first;
}

/* Refuses names of a list that occur earlier in it, or in `others`. */
static void federation_rules_unique(svc_call *c, const svc_node *object, const char *list, const svc_node *others, const char *at)
{
  const svc_node *first = federation_rules_first(object, list), *one;
  size_t i = 0;
  for (one = first; one; one = one->next, i++) {
    svc_str name = svc_node_str(one, "name");
    if (federation_rules_named(first, one, name) || federation_rules_named(others, NULL, name))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s%s[%zu].name", at, list, i), "is already used as a name");
  }
}

/* --------------------------------------------------------------------------------------------------------- data sources */

enum { FEDERATION_RULES_CLUSTER = 1, FEDERATION_RULES_BUCKET = 2, FEDERATION_RULES_SITE = 4, FEDERATION_RULES_DATASET = 8 };

static const struct {
  const char *provider;
  int kind;
} federation_rules_kinds[] = {
  { "svc", FEDERATION_RULES_CLUSTER },     { "azure", FEDERATION_RULES_BUCKET },     { "gcs", FEDERATION_RULES_BUCKET },
  { "s3", FEDERATION_RULES_BUCKET },       { "http", FEDERATION_RULES_SITE },        { "dls:aws", FEDERATION_RULES_DATASET },
  { "dls:azure", FEDERATION_RULES_DATASET }, { "dls:gcp", FEDERATION_RULES_DATASET },
};

/* Fields of a source, and the kinds of stores that allow them. */
static const struct {
  const char *field;
  int kinds;
} federation_rules_said[] = {
  { "allowInsecure", FEDERATION_RULES_SITE },     { "collection", FEDERATION_RULES_CLUSTER },
  { "collectionRegex", FEDERATION_RULES_CLUSTER }, { "database", FEDERATION_RULES_CLUSTER },
  { "databaseRegex", FEDERATION_RULES_CLUSTER },  { "datasetName", FEDERATION_RULES_DATASET },
  { "datasetPrefix", FEDERATION_RULES_DATASET },  { "defaultFormat", FEDERATION_RULES_BUCKET | FEDERATION_RULES_SITE },
  { "path", FEDERATION_RULES_BUCKET },            { "trimLevel", FEDERATION_RULES_DATASET },
  { "urls", FEDERATION_RULES_SITE },
};

/* Each row: a source in a store of this kind has exactly one of these fields; or none, if the collection or database is named "*". */
static const struct {
  int kind;
  const char *one, *other;
  bool of_collection, of_database; /* the collection, or the database, whose name may be "*" */
} federation_rules_needed[] = {
  { FEDERATION_RULES_BUCKET, "path", NULL, false, false },
  { FEDERATION_RULES_CLUSTER, "collection", "collectionRegex", true, false },
  { FEDERATION_RULES_CLUSTER, "database", "databaseRegex", false, true },
  { FEDERATION_RULES_DATASET, "datasetName", "datasetPrefix", false, false },
};

static int federation_rules_kind(const svc_node *store)
{
  svc_str provider = svc_node_str(store, "provider");
  size_t i;
  for (i = 0; i < sizeof federation_rules_kinds / sizeof federation_rules_kinds[0]; i++)
    if (svc_str_is(provider, federation_rules_kinds[i].provider)) return federation_rules_kinds[i].kind;
  return 0;
}

/* Whether a field has a value: clients that send all fields leave most of them empty. */
static bool federation_rules_has(const svc_node *source, const char *field)
{
  const svc_node *value = field ? svc_node_get(source, field) : NULL;
  if (!value) return false;
  if (value->type == SVC_J_ARRAY) return value->first != NULL;
  return value->text.n && !svc_str_is(value->text, "false") && !svc_str_is(value->text, "0");
}

typedef struct federation_rules_place { /* the position of a data source */
  const svc_node *storage, *database, *collection, *source;
  size_t at[3]; /* indexes of database, collection and source */
} federation_rules_place;

static svc_str federation_rules_path(svc_call *c, const federation_rules_place *p, const char *field)
{
  return svc_arena_print(c->arena, "storage.databases[%zu].collections[%zu].dataSources[%zu].%s", p->at[0], p->at[1], p->at[2], field);
}

static void federation_rules_needs(svc_call *c, const federation_rules_place *p, const svc_node *store, int kind)
{
  size_t i;
  for (i = 0; i < sizeof federation_rules_needed / sizeof federation_rules_needed[0]; i++) {
    const char *one = federation_rules_needed[i].one, *other = federation_rules_needed[i].other;
    const svc_node *free = federation_rules_needed[i].of_collection ? p->collection
                           : federation_rules_needed[i].of_database ? p->database
                                                                      : NULL;
    bool has = federation_rules_has(p->source, one), both = has && federation_rules_has(p->source, other);
    if (federation_rules_needed[i].kind != kind) continue;
    if (both) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_rules_path(c, p, other), "cannot be combined with %s", one);
    else if (!has && !federation_rules_has(p->source, other) && !(free && svc_node_is(free, "name", "*")))
      svc_violate(c, SVC_E_MISSING_ATTRIBUTE, federation_rules_path(c, p, one), "is required for this store%s%s", other ? ", or " : "",
                  other ? other : "");
  }
  if (kind == FEDERATION_RULES_SITE && !federation_rules_has(p->source, "urls") && !federation_rules_has(store, "urls"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, federation_rules_path(c, p, "urls"), "is required, because the store has none");
}

static void federation_rules_check_source(svc_call *c, const federation_rules_place *p)
{
  svc_str name = svc_node_str(p->source, "storeName");
  const svc_node *store = federation_rules_named(federation_rules_first(p->storage, "stores"), NULL, name);
  svc_str provider = svc_node_str(store, "provider");
  int kind = federation_rules_kind(store);
  size_t i;
  if (!store) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_rules_path(c, p, "storeName"), "is not the name of one of the stores");
    return;
  }
  for (i = 0; i < sizeof federation_rules_said / sizeof federation_rules_said[0]; i++)
    if (!(federation_rules_said[i].kinds & kind) && federation_rules_has(p->source, federation_rules_said[i].field))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_rules_path(c, p, federation_rules_said[i].field),
                  "is not allowed for a store of provider " SVC_FMT, SVC_ARG(provider));
  federation_rules_needs(c, p, store, kind);
}

/* ---------------------------------------------------------------------------------------------------------------- views */

/* A pipeline is an array of stages with one operator each, and must not write. Returns NULL if it is valid, otherwise the reason. */
static const char *federation_rules_stages(const svc_node *pipeline)
{
  const svc_node *stage;
  if (!pipeline || pipeline->type != SVC_J_ARRAY) return "must be a JSON array of stages, as text";
  for (stage = pipeline->first; stage; stage = stage->next) {
    const svc_node *op = stage->type == SVC_J_OBJECT ? stage->first : NULL;
    if (!op || op->next || op->name.n < 2 || op->name.p[0] != '$') return "must have stages of one operator each, such as $match";
    if (svc_str_is(op->name, "$out") || svc_str_is(op->name, "$merge")) return "must not write, as $out and $merge do";
  }
  return NULL;
}

static void federation_rules_views(svc_call *c, const svc_node *database, const char *at)
{
  const svc_node *collections = federation_rules_first(database, "collections"), *first = federation_rules_first(database, "views"), *view;
  size_t i = 0;
  for (view = first; view; view = view->next, i++) {
    svc_str source = svc_node_str(view, "source"), text = svc_node_str(view, "pipeline");
    svc_str where = svc_arena_print(c->arena, "%sviews[%zu].pipeline", at, i);
    svc_json_fault fault = { 0, "" };
    const char *wrong = NULL;
    if (!svc_json_gate(c->arena, text, FEDERATION_RULES_DEPTH, &fault))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, where, "is not valid JSON: %s at byte %zu", fault.what, fault.at);
    else wrong = federation_rules_stages(svc_json_parse_gated(c->arena, text));
    if (wrong) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, where, "%s", wrong);
    if (!federation_rules_named(collections, NULL, source) && !federation_rules_named(collections, NULL, SVC_S("*")) &&
        !federation_rules_named(first, view, source))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%sviews[%zu].source", at, i),
                  "is neither a collection of this database nor an earlier view");
  }
}

/* --------------------------------------------------------------------------------------------------------------- stores */

/* Checks tagSets: an array of arrays of tags. */
static void federation_rules_tag_sets(svc_call *c, const svc_node *store, size_t i)
{
  const svc_node *set = federation_rules_first(svc_node_get(store, "readPreference"), "tagSets"), *tag;
  size_t n = 0, m;
  for (; set; set = set->next, n++) {
    svc_str at = svc_arena_print(c->arena, "storage.stores[%zu].readPreference.tagSets[%zu]", i, n);
    if (set->type != SVC_J_ARRAY || svc_node_count(set) > FEDERATION_TAGS) {
      svc_violate(c, SVC_E_INVALID_JSON_ATTRIBUTE, at, "must be an array of at most %d tags", FEDERATION_TAGS);
      continue;
    }
    for (tag = set->first, m = 0; tag; tag = tag->next, m++)
      (void)svc_check_part(c, &federation_rules_tag, tag,
                           svc_arena_print(c->arena, SVC_FMT "[%zu]", SVC_ARG(at), m));
  }
}

static void federation_rules_check_stores(svc_call *c, const svc_node *storage)
{
  const svc_node *store;
  size_t i = 0;
  federation_rules_unique(c, storage, "stores", NULL, "storage.");
  for (store = federation_rules_first(storage, "stores"); store; store = store->next, i++) {
    federation_rules_tag_sets(c, store, i);
  }
}

/* ----------------------------------------------------------------------------------------------------------------- all */

static void federation_rules_check_database(svc_call *c, const svc_node *storage, const svc_node *database, size_t i)
{
  federation_rules_place p = { storage, database, NULL, NULL, { i, 0, 0 } };
  const char *at = svc_arena_print(c->arena, "storage.databases[%zu].", i).p;
  if (!at) return;
  federation_rules_unique(c, database, "collections", NULL, at);
  federation_rules_unique(c, database, "views", federation_rules_first(database, "collections"), at);
  for (p.collection = federation_rules_first(database, "collections"); p.collection; p.collection = p.collection->next, p.at[1]++) {
    p.at[2] = 0;
    for (p.source = federation_rules_first(p.collection, "dataSources"); p.source; p.source = p.source->next, p.at[2]++)
      federation_rules_check_source(c, &p);
  }
  federation_rules_views(c, database, at);
}

SVC_PRIVATE bool svc_federation_storage_rules(svc_call *c, const svc_node *body)
{
  const svc_node *storage = svc_node_get(body, "storage"), *database;
  size_t i = 0, links_at;
  svc_str text;
  if (!storage) return true;
  if (!svc_body_write(c->arena, body, &text, &links_at)) return svc_no_memory(c);
  if (text.n > FEDERATION_RULES_BYTES) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("storage"), "makes the instance too large: at most %d bytes are allowed", FEDERATION_RULES_BYTES);
    return true;
  }
  federation_rules_check_stores(c, storage);
  federation_rules_unique(c, storage, "databases", NULL, "storage.");
  for (database = federation_rules_first(storage, "databases"); database; database = database->next, i++)
    federation_rules_check_database(c, storage, database, i);
  return svc_txn_good(c) && (!c->arena->failed || svc_no_memory(c));
}

SVC_PRIVATE bool svc_federation_reads_in_role(const svc_node *storage, const char *provider)
{
  const svc_node *store = federation_rules_first(storage, "stores");
  while (store && (!svc_node_is(store, "provider", provider) || svc_node_bool(store, "public", false))) store = store->next;
  return store != NULL;
}
