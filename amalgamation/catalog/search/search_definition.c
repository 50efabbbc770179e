/*
** Definitions of search indexes: how fields are analyzed and mapped, or which vectors are compared. This file is separate from
** search_index.c, because two families of paths show the same definition in two shapes.
**
** The rule: a definition refers only to what exists: analyzers and type sets by their names. Its size is at most
** SEARCH_DEFINITION_BYTES and its depth SEARCH_DEFINITION_DEPTH, whatever the limits for bodies are. The checks walk over it
** once; a name is looked up among at most SEARCH_DEFINITION_NAMED others, a path among at most SEARCH_DEFINITION_FIELDS.
*/
#include "catalog/catalog.h"
#include "catalog/search/search_parts.h"

enum {
  SEARCH_DEFINITION_BYTES = 16 << 10,
  SEARCH_DEFINITION_DEPTH = 8, /* nested documents */
  SEARCH_DEFINITION_NAMED = 100,
  SEARCH_DEFINITION_FIELDS = 200
};

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const search_definition_analyzers[] = {
  "lucene.standard", "lucene.simple", "lucene.whitespace", "lucene.keyword", "lucene.arabic", "lucene.armenian", "lucene.basque",
  "lucene.bengali", "lucene.brazilian", "lucene.bulgarian", "lucene.catalan", "lucene.chinese", "lucene.cjk", "lucene.czech",
  "lucene.danish", "lucene.dutch", "lucene.english", "lucene.finnish", "lucene.french", "lucene.galician", "lucene.german",
  "lucene.greek", "lucene.hindi", "lucene.hungarian", "lucene.indonesian", "lucene.irish", "lucene.italian", "lucene.japanese",
  "lucene.korean", "lucene.kuromoji", "lucene.latvian", "lucene.lithuanian", "lucene.morfologik", "lucene.nori",
  "lucene.norwegian", "lucene.persian", "lucene.portuguese", "lucene.romanian", "lucene.russian", "lucene.smartcn",
  "lucene.sorani", "lucene.spanish", "lucene.swedish", "lucene.thai", "lucene.turkish", "lucene.ukrainian", NULL
};
static const char *const search_definition_types[] = {
  "autocomplete", "boolean", "date", "dateFacet", "document", "embeddedDocuments", "geo", "knnVector", "number", "numberFacet",
  "objectId", "string", "stringFacet", "token", "uuid", "vector", NULL
};
static const char *const search_definition_tokenizers[] = {
  "edgeGram", "keyword", "nGram", "regexCaptureGroup", "regexSplit", "standard", "uaxUrlEmail", "whitespace", NULL
};
static const char *const search_definition_token_filters[] = {
  "asciiFolding", "daitchMokotoffSoundex", "edgeGram", "englishPossessive", "flattenGraph", "icuFolding", "icuNormalizer",
  "keywordRepeat", "kStemming", "length", "lowercase", "nGram", "porterStemming", "regex", "removeDuplicates", "reverse",
  "shingle", "snowballStemming", "spanishPluralStemming", "stempel", "stopword", "trim", "wordDelimiterGraph", NULL
};
static const char *const search_definition_char_filters[] = { "htmlStrip", "icuNormalize", "mapping", "persian", NULL };
static const char *const search_definition_similarities[] = { "cosine", "dotProduct", "euclidean", NULL };
static const char *const search_definition_partitions[] = { "1", "2", "4", NULL };
static const char *const search_definition_quantizations[] = { "none", "scalar", "binary", NULL };
static const char *const search_definition_vector_types[] = { "vector", NULL };
static const char *const search_definition_filter_types[] = { "filter", NULL };

/* ------------------------------------------------------------------------------------------------------------- text */

static const svc_field search_definition_analyzer_fields[] = {
  { .name = "charFilters", .type = SVC_ARRAY, .item = SVC_ANY, .max_items = SEARCH_DEFINITION_NAMED },
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  { .name = "tokenFilters", .type = SVC_ARRAY, .item = SVC_ANY, .max_items = SEARCH_DEFINITION_NAMED },
  { .name = "tokenizer", .type = SVC_MAP, .item = SVC_ANY, .flags = SVC_REQUIRED }
};
static const svc_object search_definition_analyzer = { .name = "SearchAnalyzer", .fields = SVC_ROWS(search_definition_analyzer_fields) };

static const svc_field search_definition_mappings_fields[] = {
  F_ANY("dynamic"), /* true, false, or an object that names a type set */
  { .name = "fields", .type = SVC_MAP, .item = SVC_ANY }
};
static const svc_object search_definition_mappings = { .name = "SearchMappings", .fields = SVC_ROWS(search_definition_mappings_fields) };

static const svc_field search_definition_source_fields[] = {
  F_STR("collection", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
static const svc_object search_definition_source = { .name = "SynonymSource", .fields = SVC_ROWS(search_definition_source_fields) };

static const svc_field search_definition_synonym_fields[] = {
  F_STR("analyzer", .flags = SVC_REQUIRED | SVC_OPEN, .min = 1, .max = 255, .values = search_definition_analyzers),
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_OBJ("source", &search_definition_source, .flags = SVC_REQUIRED)
};
static const svc_object search_definition_synonym = {
  .name = "SearchSynonymMappingDefinition", .fields = SVC_ROWS(search_definition_synonym_fields)
};

static const svc_field search_definition_type_set_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  { .name = "types", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_REQUIRED, .max_items = SEARCH_DEFINITION_NAMED }
};
static const svc_object search_definition_type_set = { .name = "SearchTypeSets", .fields = SVC_ROWS(search_definition_type_set_fields) };

static const svc_field search_definition_text_fields[] = {
  /* a known one, or one of `analyzers` */
  F_STR("analyzer", .flags = SVC_OPEN, .min = 1, .max = 255, .values = search_definition_analyzers, .preset = "\"lucene.standard\""),
  F_LIST("analyzers", &search_definition_analyzer, .max_items = SEARCH_DEFINITION_NAMED),
  F_OBJ("mappings", &search_definition_mappings, .flags = SVC_REQUIRED),
  F_INT("numPartitions", .values = search_definition_partitions, .preset = "1"),
  F_STR("searchAnalyzer", .flags = SVC_OPEN, .min = 1, .max = 255, .values = search_definition_analyzers, .preset = "\"lucene.standard\""),
  { .name = "sort", .type = SVC_MAP, .item = SVC_ANY },
  F_ANY("storedSource"),
  F_LIST("synonyms", &search_definition_synonym, .max_items = SEARCH_DEFINITION_NAMED),
  F_LIST("typeSets", &search_definition_type_set, .max_items = SEARCH_DEFINITION_NAMED)
};
SVC_PRIVATE const svc_object svc_search_text = { .name = "TextSearchIndexDefinition", .fields = SVC_ROWS(search_definition_text_fields) };

/* ---- objects in fields that take another type as well */

static const svc_field search_definition_dynamic_fields[] = { F_STR("typeSet", .flags = SVC_REQUIRED) };
static const svc_object search_definition_dynamic_object = {
  .name = "SearchDynamic", .fields = SVC_ROWS(search_definition_dynamic_fields)
};

static const svc_field search_definition_stored_fields[] = { F_STRS("exclude"), F_STRS("include") };
static const svc_object search_definition_stored_object = {
  .name = "SearchStoredSource", .fields = SVC_ROWS(search_definition_stored_fields)
};

static const char *const search_definition_orders[] = { "-1", "1", NULL };
static const char *const search_definition_no_data[] = { "highest", "lowest", NULL };
static const svc_field search_definition_sorted_fields[] = {
  F_ENUM("noData", search_definition_no_data),
  F_INT("order", .flags = SVC_REQUIRED, .values = search_definition_orders)
};
static const svc_object search_definition_sorted_object = {
  .name = "SearchSort", .fields = SVC_ROWS(search_definition_sorted_fields)
};

/* ---------------------------------------------------------------------------------------------------------- vectors */

static const svc_field search_definition_hnsw_fields[] = {
  F_INT("maxEdges", .flags = SVC_MIN | SVC_MAX, .min = 16, .max = 64),
  F_INT("numEdgeCandidates", .flags = SVC_MIN | SVC_MAX, .min = 100, .max = 3200)
};
static const svc_object search_definition_hnsw = { .name = "HnswOptions", .fields = SVC_ROWS(search_definition_hnsw_fields) };

static const svc_field search_definition_compared_fields[] = {
  F_OBJ("hnswOptions", &search_definition_hnsw),
  F_INT("numDimensions", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 8192),
  F_STR("path", .flags = SVC_REQUIRED, .min = 1, .max = 1024),
  F_ENUM("quantization", search_definition_quantizations),
  F_ENUM("similarity", search_definition_similarities, .flags = SVC_REQUIRED),
  F_ENUM("type", search_definition_vector_types, .flags = SVC_REQUIRED)
};
static const svc_object search_definition_compared = { .name = "VectorField", .fields = SVC_ROWS(search_definition_compared_fields) };
static const svc_field search_definition_filter_fields[] = {
  F_STR("path", .flags = SVC_REQUIRED, .min = 1, .max = 1024),
  F_ENUM("type", search_definition_filter_types, .flags = SVC_REQUIRED)
};
static const svc_object search_definition_filter = { .name = "FilterField", .fields = SVC_ROWS(search_definition_filter_fields) };
static const svc_variant search_definition_field_variants[] = {
  { "vector", &search_definition_compared }, { "filter", &search_definition_filter }, { NULL, NULL }
};
static const svc_object search_definition_field = {
  .name = "VectorSearchField", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, search_definition_field_variants))
};

static const svc_field search_definition_vector_fields[] = {
  F_LIST("fields", &search_definition_field, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = SEARCH_DEFINITION_FIELDS),
  F_STR("nestedRoot", .min = 1, .max = 1024),
  F_INT("numPartitions", .values = search_definition_partitions, .preset = "1"),
  F_ANY("storedSource")
};
SVC_PRIVATE const svc_object svc_search_vector = {
  .name = "VectorSearchIndexDefinition", .fields = SVC_ROWS(search_definition_vector_fields)
};

/* ----------------------------------------------------------------------------------------------------------- checks */

/* A position in the definition; written as text only for an error. */
typedef struct search_definition_at {
  const struct search_definition_at *up;
  svc_str name;
  size_t index; /* in an array; SIZE_MAX: a member */
} search_definition_at;

typedef struct search_definition_walk {
  svc_call *c;
  const svc_node *definition;
  const char *front;
} search_definition_walk;

#define SEARCH_AT(up, name) ((search_definition_at){ up, svc_str_c(name), SIZE_MAX })
#define SEARCH_ITEM(up, i) ((search_definition_at){ up, { "", 0 }, i })

static void search_definition_write(svc_buf *b, const search_definition_at *at)
{
  if (!at) return;
  search_definition_write(b, at->up);
  if (at->index != SIZE_MAX) {
    svc_buf_char(b, '[');
    svc_buf_i64(b, (int64_t)at->index);
    svc_buf_char(b, ']');
    return;
  }
  if (at->up) svc_buf_char(b, '.');
  svc_buf_str(b, at->name);
}

static svc_str search_definition_path(search_definition_walk *w, const search_definition_at *at)
{
  svc_buf b = svc_buf_new(w->c->arena, 128);
  svc_buf_text(&b, w->front);
  search_definition_write(&b, at);
  return svc_buf_done(&b);
}

static void search_definition_wrong(search_definition_walk *w, int code, const search_definition_at *at,
                                    const char *why)
{
  svc_violate(w->c, code, search_definition_path(w, at), "%s", why);
}

/* Checks an object against its table. */
static bool search_definition_is(search_definition_walk *w, const svc_node *object, const svc_object *table,
                                 const search_definition_at *at)
{
  return svc_check_part(w->c, table, object, search_definition_path(w, at)) != NULL;
}

static bool search_definition_named(const svc_node *list, svc_str name)
{
  const svc_node *item = svc_node_first(list);
  while (item && !svc_node_eq(item, "name", name)) item = item->next;
  return item != NULL;
}

/* Checks a reference to an analyzer: a known one, or one that the definition has. */
static void search_definition_uses(search_definition_walk *w, const svc_node *object, const char *field,
                                   const search_definition_at *up)
{
  const search_definition_at at = SEARCH_AT(up, field);
  const svc_node *value = svc_node_get(object, field);
  if (!value) return;
  if (value->type == SVC_J_STRING && (svc_value_in(w->c->s, value->text, search_definition_analyzers) ||
                                      search_definition_named(svc_node_get(w->definition, "analyzers"), value->text)))
    return;
  search_definition_wrong(w, SVC_E_INVALID_ENUM_VALUE, &at, "must be the name of a known analyzer, or of one of the index's own");
}

/* Checks that this is an object with one of these types. */
static bool search_definition_typed(search_definition_walk *w, const svc_node *object, const char *const *types,
                                    const search_definition_at *up)
{
  const search_definition_at at = SEARCH_AT(up, "type");
  if (object->type != SVC_J_OBJECT) search_definition_wrong(w, SVC_E_INVALID_JSON_ATTRIBUTE, up, "must be an object");
  else if (!svc_node_get(object, "type")) search_definition_wrong(w, SVC_E_MISSING_ATTRIBUTE, &at, "is required");
  else if (!svc_value_in(w->c->s, svc_node_str(object, "type"), types))
    search_definition_wrong(w, SVC_E_INVALID_ENUM_VALUE, &at, svc_arena_print(w->c->arena, "must be %s",
                                                                              svc_values_known(w->c, types).p).p);
  else return true;
  return false;
}

static void search_definition_all_typed(search_definition_walk *w, const svc_node *list, const char *const *types,
                                        const search_definition_at *up)
{
  const svc_node *item = svc_node_first(list);
  size_t i;
  for (i = 0; item; item = item->next, i++) {
    const search_definition_at at = SEARCH_ITEM(up, i);
    search_definition_typed(w, item, types, &at);
  }
}

/* Refuses two elements of a list with the same name. */
static void search_definition_distinct(search_definition_walk *w, const char *list, const char *key)
{
  const svc_node *all = svc_node_get(w->definition, list), *item = svc_node_first(all), *other;
  const search_definition_at up = SEARCH_AT(NULL, list);
  size_t i;
  for (i = 0; item; item = item->next, i++) {
    const search_definition_at place = SEARCH_ITEM(&up, i), at = SEARCH_AT(&place, key);
    for (other = all->first; other != item && !svc_node_eq(other, key, svc_node_str(item, key));) other = other->next;
    if (other != item) search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at, "appears twice in the list");
  }
}

static void search_definition_custom(search_definition_walk *w)
{
  const svc_node *all = svc_node_get(w->definition, "analyzers"), *one = svc_node_first(all);
  const search_definition_at up = SEARCH_AT(NULL, "analyzers");
  size_t i;
  for (i = 0; one; one = one->next, i++) {
    const search_definition_at at = SEARCH_ITEM(&up, i), name = SEARCH_AT(&at, "name"), tokenizer = SEARCH_AT(&at, "tokenizer"),
                               chars = SEARCH_AT(&at, "charFilters"), tokens = SEARCH_AT(&at, "tokenFilters");
    if (svc_str_starts(svc_node_str(one, "name"), "lucene."))
      search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &name, "must not begin as the known analyzers do");
    search_definition_typed(w, svc_node_get(one, "tokenizer"), search_definition_tokenizers, &tokenizer);
    search_definition_all_typed(w, svc_node_get(one, "charFilters"), search_definition_char_filters, &chars);
    search_definition_all_typed(w, svc_node_get(one, "tokenFilters"), search_definition_token_filters, &tokens);
  }
  search_definition_distinct(w, "analyzers", "name");
}

/* ---- mappings */

static void search_definition_mapping(search_definition_walk *w, const svc_node *mapping, const search_definition_at *up,
                                      int depth);

/* Checks dynamic: a boolean, or an object that names a type set. Below `fields`, it may have more members. */
static void search_definition_dynamic(search_definition_walk *w, const svc_node *mapping,
                                      const search_definition_at *up, int depth)
{
  const search_definition_at at = SEARCH_AT(up, "dynamic");
  const svc_node *value = svc_node_get(mapping, "dynamic");
  if (!value || value->type == SVC_J_BOOL) return;
  if (value->type != SVC_J_OBJECT)
    search_definition_wrong(w, SVC_E_INVALID_JSON_ATTRIBUTE, &at, "must be true, false or an object");
  else if (depth == 0 && !search_definition_is(w, value, &search_definition_dynamic_object, &at)) return;
  else if (!search_definition_named(svc_node_get(w->definition, "typeSets"), svc_node_str(value, "typeSet")))
    search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at, "must name one of the typeSets as its typeSet");
}

static void search_definition_mapped(search_definition_walk *w, const svc_node *field, const search_definition_at *at, int depth)
{
  if (!search_definition_typed(w, field, search_definition_types, at)) return;
  search_definition_uses(w, field, "analyzer", at);
  search_definition_uses(w, field, "searchAnalyzer", at);
  search_definition_mapping(w, field, at, depth + 1);
}

/* Checks the fields of the index, or of a document in it. A field is mapped once, or several times in an array. */
static void search_definition_mapping(search_definition_walk *w, const svc_node *mapping, const search_definition_at *up,
                                      int depth)
{
  const search_definition_at at = SEARCH_AT(up, "fields");
  const svc_node *fields = svc_node_get(mapping, "fields"), *field = NULL, *item;
  search_definition_dynamic(w, mapping, up, depth);
  if (fields && fields->type != SVC_J_OBJECT) search_definition_wrong(w, SVC_E_INVALID_JSON_ATTRIBUTE, &at, "must be an object");
  else if (svc_node_first(fields) && depth == SEARCH_DEFINITION_DEPTH)
    search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at, "is nested too deep");
  else field = svc_node_first(fields);
  for (; field; field = field->next) {
    const search_definition_at here = { &at, field->name, SIZE_MAX };
    size_t i = 0;
    if (field->type != SVC_J_ARRAY) search_definition_mapped(w, field, &here, depth);
    else for (item = field->first; item; item = item->next, i++) {
      const search_definition_at place = SEARCH_ITEM(&here, i);
      search_definition_mapped(w, item, &place, depth);
    }
  }
}

/* Checks the mappings, which must index something. */
static void search_definition_maps(search_definition_walk *w)
{
  const search_definition_at at = SEARCH_AT(NULL, "mappings");
  const svc_node *mappings = svc_node_get(w->definition, "mappings"), *dynamic = svc_node_get(mappings, "dynamic");
  const svc_node *fields = svc_node_get(mappings, "fields");
  if ((!dynamic || svc_str_is(dynamic->text, "false")) && !svc_node_first(fields))
    search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at, "must be dynamic, or have fields");
  search_definition_mapping(w, mappings, &at, 0);
}

/* ---- the rest */

/* Checks the fields to sort by: each has an order, or an object with it. */
static void search_definition_sorted(search_definition_walk *w)
{
  const search_definition_at up = SEARCH_AT(NULL, "sort");
  const svc_node *item = svc_node_first(svc_node_get(w->definition, "sort"));
  for (; item; item = item->next) {
    const search_definition_at at = { &up, item->name, SIZE_MAX };
    if (item->type == SVC_J_OBJECT)
      search_definition_is(w, item, &search_definition_sorted_object, &at);
  }
}

static void search_definition_text(search_definition_walk *w)
{
  const svc_node *list = svc_node_get(w->definition, "synonyms"), *item;
  const search_definition_at synonyms = SEARCH_AT(NULL, "synonyms"), sets = SEARCH_AT(NULL, "typeSets");
  size_t i;
  search_definition_uses(w, w->definition, "analyzer", NULL);
  search_definition_uses(w, w->definition, "searchAnalyzer", NULL);
  search_definition_custom(w);
  for (item = svc_node_first(list), i = 0; item; item = item->next, i++) {
    const search_definition_at at = SEARCH_ITEM(&synonyms, i);
    search_definition_uses(w, item, "analyzer", &at);
  }
  search_definition_distinct(w, "synonyms", "name");
  list = svc_node_get(w->definition, "typeSets");
  for (item = svc_node_first(list), i = 0; item; item = item->next, i++) {
    const search_definition_at at = SEARCH_ITEM(&sets, i), types = SEARCH_AT(&at, "types");
    search_definition_all_typed(w, svc_node_get(item, "types"), search_definition_types, &types);
  }
  search_definition_distinct(w, "typeSets", "name");
  search_definition_maps(w);
  search_definition_sorted(w);
}

static void search_definition_vectors(search_definition_walk *w)
{
  const search_definition_at at = SEARCH_AT(NULL, "fields");
  const svc_node *item = svc_node_first(svc_node_get(w->definition, "fields"));
  while (item && !svc_node_is(item, "type", "vector")) item = item->next;
  if (!item) search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at, "must have at least one vector");
  search_definition_distinct(w, "fields", "path");
}

/* Checks storedSource: all, none, or the paths that are included or excluded. */
static void search_definition_stored(search_definition_walk *w)
{
  const search_definition_at at = SEARCH_AT(NULL, "storedSource");
  const svc_node *value = svc_node_get(w->definition, "storedSource");
  if (!value || value->type == SVC_J_BOOL) return;
  if (value->type == SVC_J_OBJECT && !search_definition_is(w, value, &search_definition_stored_object, &at))
    return;
  if (value->type != SVC_J_OBJECT || svc_node_count(value) != 1)
    search_definition_wrong(w, SVC_E_INVALID_ATTRIBUTE, &at,
                            "must be true, false, or an object with a list of paths to include or exclude");
}

static bool search_definition_fits(search_definition_walk *w)
{
  svc_str front = { w->front, strlen(w->front) };
  svc_buf b = svc_buf_new(w->c->arena, 1024);
  svc_node_write(&b, w->definition);
  if (b.n <= SEARCH_DEFINITION_BYTES) return true;
  if (front.n) front.n--; /* without the dot */
  svc_violate(w->c, SVC_E_INVALID_ATTRIBUTE, front.n ? front : SVC_S("mappings"), "makes the definition too large: at most %d bytes are allowed",
              SEARCH_DEFINITION_BYTES);
  return false;
}

SVC_PRIVATE bool svc_search_check(svc_call *c, bool vector, const svc_node *definition, const char *front)
{
  search_definition_walk w = { c, definition, front };
  if (!search_definition_fits(&w)) return svc_check_done(c);
  search_definition_stored(&w);
  if (vector) search_definition_vectors(&w);
  else search_definition_text(&w);
  return svc_check_done(c);
}
