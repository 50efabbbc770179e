/*
** What a federated database instance reads from: stores (clusters, buckets, sites, datasets), and databases whose collections
** are made of data sources in them, and views of those.
**
** The rules: every name is the only one of its kind where it stands; a data source names a store that is there, and says of it
** what the provider of that store asks for and nothing else; a cluster that a store names is one of the project's; a view has a
** pipeline that servers would take, and what it is a view of stands in the same database. All of it together is of a bounded
** size, which is looked at before names are compared with each other.
*/
#include "catalog/data_federation/data_federation_parts.h"

enum {
  FEDERATION_STORAGE_BYTES = 32768, /* of the whole instance, as it is stored */
  FEDERATION_STORAGE_PIPELINE = 16384,
  FEDERATION_STORAGE_DEPTH = 32,
  FEDERATION_STORAGE_TAGS = 20
};

/* ---------------------------------------------------------------------------------------------------------- value lists */

static const char *const federation_storage_providers[] = {
  "svc", "azure", "dls:aws", "dls:azure", "dls:gcp", "gcs", "http", "s3", NULL
};
static const char *const federation_storage_formats[] = {
  ".avro", ".avro.bz2", ".avro.gz", ".bson", ".bson.bz2", ".bson.gz", ".bsonx", ".csv", ".csv.bz2", ".csv.gz",
  ".json", ".json.bz2", ".json.gz", ".orc", ".parquet", ".tsv", ".tsv.bz2", ".tsv.gz", NULL
};
static const char *const federation_storage_levels[] = { "LOCAL", "MAJORITY", "LINEARIZABLE", "SNAPSHOT", "AVAILABLE", NULL };
static const char *const federation_storage_modes[] = {
  "primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest", NULL
};
static const char *const federation_storage_classes[] = { "STANDARD", "INTELLIGENT_TIERING", "STANDARD_IA", NULL };

/* Where stores can be: in other regions than clusters. */
static const char *const federation_storage_aws_regions[] = {
  "US_GOV_WEST_1", "US_GOV_EAST_1", "US_EAST_1", "US_EAST_2", "US_WEST_1", "US_WEST_2", "CA_CENTRAL_1",
  "EU_NORTH_1", "EU_WEST_1", "EU_WEST_2", "EU_WEST_3", "EU_CENTRAL_1", "EU_CENTRAL_2", "AP_EAST_1",
  "AP_NORTHEAST_1", "AP_NORTHEAST_2", "AP_NORTHEAST_3", "AP_SOUTHEAST_1", "AP_SOUTHEAST_2", "AP_SOUTHEAST_3",
  "AP_SOUTHEAST_4", "AP_SOUTH_1", "AP_SOUTH_2", "SA_EAST_1", "CN_NORTH_1", "CN_NORTHWEST_1", "ME_SOUTH_1",
  "ME_CENTRAL_1", "AF_SOUTH_1", "EU_SOUTH_1", "EU_SOUTH_2", "IL_CENTRAL_1", "CA_WEST_1", "GLOBAL", NULL
};
static const char *const federation_storage_azure_regions[] = {
  "US_CENTRAL", "US_EAST", "US_EAST_2", "US_NORTH_CENTRAL", "US_WEST", "US_SOUTH_CENTRAL", "EUROPE_NORTH",
  "EUROPE_WEST", "US_WEST_CENTRAL", "US_WEST_2", "US_WEST_3", "CANADA_EAST", "CANADA_CENTRAL", "BRAZIL_SOUTH",
  "BRAZIL_SOUTHEAST", "AUSTRALIA_CENTRAL", "AUSTRALIA_CENTRAL_2", "AUSTRALIA_EAST", "AUSTRALIA_SOUTH_EAST",
  "GERMANY_CENTRAL", "GERMANY_NORTH_EAST", "GERMANY_WEST_CENTRAL", "GERMANY_NORTH", "SWEDEN_CENTRAL",
  "SWEDEN_SOUTH", "SWITZERLAND_NORTH", "SWITZERLAND_WEST", "UK_SOUTH", "UK_WEST", "NORWAY_EAST", "NORWAY_WEST",
  "INDIA_CENTRAL", "INDIA_SOUTH", "INDIA_WEST", "CHINA_EAST", "CHINA_NORTH", "ASIA_EAST", "JAPAN_EAST",
  "JAPAN_WEST", "ASIA_SOUTH_EAST", "KOREA_CENTRAL", "KOREA_SOUTH", "FRANCE_CENTRAL", "FRANCE_SOUTH",
  "SOUTH_AFRICA_NORTH", "SOUTH_AFRICA_WEST", "UAE_CENTRAL", "UAE_NORTH", "QATAR_CENTRAL", NULL
};
static const char *const federation_storage_gcp_regions[] = {
  "ASIA_EAST_2", "ASIA_NORTHEAST_2", "ASIA_NORTHEAST_3", "ASIA_SOUTH_1", "ASIA_SOUTH_2", "ASIA_SOUTHEAST_2",
  "AUSTRALIA_SOUTHEAST_1", "AUSTRALIA_SOUTHEAST_2", "CENTRAL_US", "EASTERN_ASIA_PACIFIC", "EASTERN_US",
  "EUROPE_CENTRAL_2", "EUROPE_NORTH_1", "EUROPE_WEST_2", "EUROPE_WEST_3", "EUROPE_WEST_4", "EUROPE_WEST_6",
  "EUROPE_WEST_10", "EUROPE_WEST_12", "MIDDLE_EAST_CENTRAL_1", "MIDDLE_EAST_CENTRAL_2", "MIDDLE_EAST_WEST_1",
  "NORTH_AMERICA_NORTHEAST_1", "NORTH_AMERICA_NORTHEAST_2", "NORTHEASTERN_ASIA_PACIFIC", "SOUTH_AMERICA_EAST_1",
  "SOUTH_AMERICA_WEST_1", "SOUTHEASTERN_ASIA_PACIFIC", "US_EAST_4", "US_EAST_5", "US_WEST_2", "US_WEST_3",
  "US_WEST_4", "US_SOUTH_1", "WESTERN_EUROPE", "WESTERN_US", NULL
};

/* --------------------------------------------------------------------------------------------------------------- stores */

#define FEDERATION_STORAGE_NAME() F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255)
#define FEDERATION_STORAGE_TEXT(n) F_STR(n, .max = 1024)
#define FEDERATION_STORAGE_URLS() F_STRS("urls", .format = SVC_FORMAT_URI, .max_items = 50, .min = 0, .max = 2048)
#define FEDERATION_STORAGE_PUBLIC() F_BOOL("public", .preset = "false")

static const svc_field federation_storage_store_fields[] = {
  FEDERATION_STORAGE_NAME(), F_ENUM("provider", federation_storage_providers, .flags = SVC_REQUIRED)
};
static const svc_object federation_storage_store = { .name = "DataLakeStoreBase", .fields = SVC_ROWS(federation_storage_store_fields) };
#define FEDERATION_STORAGE_STORE(n, rows) { .name = n, .base = &federation_storage_store, .fields = SVC_ROWS(rows) }

static const svc_field federation_storage_concern_fields[] = { F_ENUM("level", federation_storage_levels) };
static const svc_object federation_storage_concern = { .name = "DataLakeSvcStoreReadConcern", .fields = SVC_ROWS(federation_storage_concern_fields) };

static const svc_field federation_storage_tag_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 255), F_STR("value", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
static const svc_object federation_storage_tag = { .name = "DataLakeSvcStoreReadPreferenceTag", .fields = SVC_ROWS(federation_storage_tag_fields) };

/* Each set of tags is an array itself, which no row can say: federation_storage_tag_sets() holds it against the tag above. */
static const svc_field federation_storage_preference_fields[] = {
  F_INT("maxStalenessSeconds", .flags = SVC_MIN, .min = -1),
  F_ENUM("mode", federation_storage_modes),
  { .name = "tagSets", .type = SVC_ARRAY, .item = SVC_ANY, .max_items = FEDERATION_STORAGE_TAGS }
};
static const svc_object federation_storage_preference = {
  .name = "DataLakeSvcStoreReadPreference", .fields = SVC_ROWS(federation_storage_preference_fields)
};

static const svc_field federation_storage_cluster_fields[] = {
  F_STR("clusterName", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_HEX24("projectId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID),
  F_OBJ("readConcern", &federation_storage_concern),
  F_OBJ("readPreference", &federation_storage_preference)
};
static const svc_object federation_storage_cluster = FEDERATION_STORAGE_STORE("DataLakeSvcStoreInstance", federation_storage_cluster_fields);

static const svc_field federation_storage_azure_fields[] = {
  F_STR("containerName", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  FEDERATION_STORAGE_TEXT("delimiter"),
  FEDERATION_STORAGE_TEXT("prefix"),
  FEDERATION_STORAGE_PUBLIC(),
  F_ENUM("region", federation_storage_azure_regions),
  FEDERATION_STORAGE_TEXT("replacementDelimiter"),
  F_STR("serviceURL", .flags = SVC_REQUIRED, .format = SVC_FORMAT_URI, .max = 1024)
};
static const svc_object federation_storage_azure = FEDERATION_STORAGE_STORE("DataLakeAzureBlobStore", federation_storage_azure_fields);

static const svc_field federation_storage_dls_aws_fields[] = {
  F_ENUM("region", federation_storage_aws_regions, .flags = SVC_REQUIRED)
};
static const svc_object federation_storage_dls_aws = FEDERATION_STORAGE_STORE("DataLakeDLSAWSStore", federation_storage_dls_aws_fields);
static const svc_field federation_storage_dls_azure_fields[] = {
  F_ENUM("region", federation_storage_azure_regions, .flags = SVC_REQUIRED)
};
static const svc_object federation_storage_dls_azure = FEDERATION_STORAGE_STORE("DataLakeDLSAzureStore", federation_storage_dls_azure_fields);
static const svc_field federation_storage_dls_gcp_fields[] = {
  F_ENUM("region", federation_storage_gcp_regions, .flags = SVC_REQUIRED)
};
static const svc_object federation_storage_dls_gcp = FEDERATION_STORAGE_STORE("DataLakeDLSGCPStore", federation_storage_dls_gcp_fields);

static const svc_field federation_storage_gcs_fields[] = {
  F_STR("bucket", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  FEDERATION_STORAGE_TEXT("delimiter"),
  FEDERATION_STORAGE_TEXT("prefix"),
  FEDERATION_STORAGE_PUBLIC(),
  F_ENUM("region", federation_storage_gcp_regions),
  FEDERATION_STORAGE_TEXT("replacementDelimiter")
};
static const svc_object federation_storage_gcs = FEDERATION_STORAGE_STORE("DataLakeGoogleCloudStorageStore", federation_storage_gcs_fields);

static const svc_field federation_storage_http_fields[] = {
  F_BOOL("allowInsecure", .preset = "false"), FEDERATION_STORAGE_TEXT("defaultFormat"), FEDERATION_STORAGE_URLS()
};
static const svc_object federation_storage_http = FEDERATION_STORAGE_STORE("DataLakeHTTPStore", federation_storage_http_fields);

static const svc_field federation_storage_s3_fields[] = {
  F_STRS("additionalStorageClasses", .values = federation_storage_classes, .flags = SVC_UNIQUE_ITEMS, .max_items = 3),
  F_STR("bucket", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  FEDERATION_STORAGE_TEXT("delimiter"),
  F_BOOL("includeTags", .preset = "false"),
  FEDERATION_STORAGE_TEXT("prefix"),
  FEDERATION_STORAGE_PUBLIC(),
  F_ENUM("region", federation_storage_aws_regions)
};
static const svc_object federation_storage_s3 = FEDERATION_STORAGE_STORE("DataLakeS3StoreSettings", federation_storage_s3_fields);

static const svc_variant federation_storage_variants[] = {
  { "svc", &federation_storage_cluster },         { "azure", &federation_storage_azure },
  { "dls:aws", &federation_storage_dls_aws },     { "dls:azure", &federation_storage_dls_azure },
  { "dls:gcp", &federation_storage_dls_gcp },     { "gcs", &federation_storage_gcs },
  { "http", &federation_storage_http },           { "s3", &federation_storage_s3 },
  { NULL, NULL }
};
static const svc_object federation_storage_stores = {
  .name = "DataLakeStoreSettings", .choice = SVC_CHOICE("provider", NULL, federation_storage_variants)
};

/* ------------------------------------------------------------------------------------------------------------ databases */

static const svc_field federation_storage_source_fields[] = {
  F_BOOL("allowInsecure", .preset = "false"),
  F_STR("collection", .max = 255),
  FEDERATION_STORAGE_TEXT("collectionRegex"),
  F_STR("database", .max = 64),
  FEDERATION_STORAGE_TEXT("databaseRegex"),
  F_STR("datasetName", .max = 255),
  F_STR("datasetPrefix", .max = 255),
  F_ENUM("defaultFormat", federation_storage_formats),
  FEDERATION_STORAGE_TEXT("path"),
  F_STR("provenanceFieldName", .max = 255),
  F_STR("storeName", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_INT("trimLevel", .flags = SVC_MIN, .min = 0),
  FEDERATION_STORAGE_URLS()
};
static const svc_object federation_storage_source = {
  .name = "DataLakeDatabaseDataSourceSettings", .fields = SVC_ROWS(federation_storage_source_fields)
};

static const svc_field federation_storage_collection_fields[] = {
  F_LIST("dataSources", &federation_storage_source, .max_items = 100), FEDERATION_STORAGE_NAME()
};
static const svc_object federation_storage_collection = {
  .name = "DataLakeDatabaseCollection", .fields = SVC_ROWS(federation_storage_collection_fields)
};

static const svc_field federation_storage_view_fields[] = {
  FEDERATION_STORAGE_NAME(), F_STR("pipeline", .flags = SVC_REQUIRED, .min = 2, .max = FEDERATION_STORAGE_PIPELINE),
  F_STR("source", .flags = SVC_REQUIRED, .min = 1, .max = 255)
};
static const svc_object federation_storage_view = { .name = "DataLakeApiBase", .fields = SVC_ROWS(federation_storage_view_fields) };

static const svc_field federation_storage_database_fields[] = {
  F_LIST("collections", &federation_storage_collection, .max_items = 200),
  F_INT("maxWildcardCollections", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 1000, .preset = "100"),
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_LIST("views", &federation_storage_view, .max_items = 100)
};
static const svc_object federation_storage_database = { .name = "DataLakeDatabaseInstance", .fields = SVC_ROWS(federation_storage_database_fields) };

static const svc_field federation_storage_fields[] = {
  F_LIST("databases", &federation_storage_database, .max_items = 50), F_LIST("stores", &federation_storage_stores, .max_items = 50)
};
SVC_PRIVATE const svc_object svc_federation_storage = { .name = "DataLakeStorage", .fields = SVC_ROWS(federation_storage_fields) };

/* ---------------------------------------------------------------------------------------------------------------- names */

static const svc_node *federation_storage_first(const svc_node *object, const char *list)
{
  const svc_node *array = svc_node_get(object, list);
  return svc_node_first(array);
}

static const svc_node *federation_storage_named(const svc_node *first, const svc_node *end, svc_str name)
{
  while (first && first != end && !svc_node_eq(first, "name", name)) first = first->next;
  return first == end ? NULL : first;
}

/* Of a list, names that another one before it has, or one of `others`. */
static void federation_storage_unique(svc_call *c, const svc_node *object, const char *list, const svc_node *others, const char *at)
{
  const svc_node *first = federation_storage_first(object, list), *one;
  size_t i = 0;
  for (one = first; one; one = one->next, i++) {
    svc_str name = svc_node_str(one, "name");
    if (federation_storage_named(first, one, name) || federation_storage_named(others, NULL, name))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s%s[%zu].name", at, list, i), "is the name of another one");
  }
}

/* --------------------------------------------------------------------------------------------------------- data sources */

enum { FEDERATION_STORAGE_CLUSTER = 1, FEDERATION_STORAGE_BUCKET = 2, FEDERATION_STORAGE_SITE = 4, FEDERATION_STORAGE_DATASET = 8 };

static const struct {
  const char *provider;
  int kind;
} federation_storage_kinds[] = {
  { "svc", FEDERATION_STORAGE_CLUSTER },     { "azure", FEDERATION_STORAGE_BUCKET },     { "gcs", FEDERATION_STORAGE_BUCKET },
  { "s3", FEDERATION_STORAGE_BUCKET },       { "http", FEDERATION_STORAGE_SITE },        { "dls:aws", FEDERATION_STORAGE_DATASET },
  { "dls:azure", FEDERATION_STORAGE_DATASET }, { "dls:gcp", FEDERATION_STORAGE_DATASET },
};

/* What is said of a source, and of which kinds of stores it can be. */
static const struct {
  const char *field;
  int kinds;
} federation_storage_said[] = {
  { "allowInsecure", FEDERATION_STORAGE_SITE },     { "collection", FEDERATION_STORAGE_CLUSTER },
  { "collectionRegex", FEDERATION_STORAGE_CLUSTER }, { "database", FEDERATION_STORAGE_CLUSTER },
  { "databaseRegex", FEDERATION_STORAGE_CLUSTER },  { "datasetName", FEDERATION_STORAGE_DATASET },
  { "datasetPrefix", FEDERATION_STORAGE_DATASET },  { "defaultFormat", FEDERATION_STORAGE_BUCKET | FEDERATION_STORAGE_SITE },
  { "path", FEDERATION_STORAGE_BUCKET },            { "trimLevel", FEDERATION_STORAGE_DATASET },
  { "urls", FEDERATION_STORAGE_SITE },
};

/* Of which fields one must be there, and no two may be; where the name of the second row is "*", none is needed. */
static const struct {
  int kind;
  const char *one, *other;
  bool of_collection, of_database; /* whose name it is */
} federation_storage_needed[] = {
  { FEDERATION_STORAGE_BUCKET, "path", NULL, false, false },
  { FEDERATION_STORAGE_CLUSTER, "collection", "collectionRegex", true, false },
  { FEDERATION_STORAGE_CLUSTER, "database", "databaseRegex", false, true },
  { FEDERATION_STORAGE_DATASET, "datasetName", "datasetPrefix", false, false },
};

static int federation_storage_kind(const svc_node *store)
{
  svc_str provider = svc_node_str(store, "provider");
  size_t i;
  for (i = 0; i < sizeof federation_storage_kinds / sizeof federation_storage_kinds[0]; i++)
    if (svc_str_is(provider, federation_storage_kinds[i].provider)) return federation_storage_kinds[i].kind;
  return 0;
}

/* Clients that send every field send most of them empty. */
static bool federation_storage_has(const svc_node *source, const char *field)
{
  const svc_node *value = field ? svc_node_get(source, field) : NULL;
  if (!value) return false;
  if (value->type == SVC_J_ARRAY) return value->first != NULL;
  return value->text.n && !svc_str_is(value->text, "false") && !svc_str_is(value->text, "0");
}

typedef struct federation_storage_place { /* of a data source */
  const svc_node *storage, *database, *collection, *source;
  size_t at[3]; /* database, collection, source */
} federation_storage_place;

static svc_str federation_storage_path(svc_call *c, const federation_storage_place *p, const char *field)
{
  return svc_arena_print(c->arena, "storage.databases[%zu].collections[%zu].dataSources[%zu].%s", p->at[0], p->at[1], p->at[2], field);
}

static void federation_storage_needs(svc_call *c, const federation_storage_place *p, const svc_node *store, int kind)
{
  size_t i;
  for (i = 0; i < sizeof federation_storage_needed / sizeof federation_storage_needed[0]; i++) {
    const char *one = federation_storage_needed[i].one, *other = federation_storage_needed[i].other;
    const svc_node *free = federation_storage_needed[i].of_collection ? p->collection
                           : federation_storage_needed[i].of_database ? p->database
                                                                      : NULL;
    bool has = federation_storage_has(p->source, one), both = has && federation_storage_has(p->source, other);
    if (federation_storage_needed[i].kind != kind) continue;
    if (both) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_storage_path(c, p, other), "cannot stand beside %s", one);
    else if (!has && !federation_storage_has(p->source, other) && !(free && svc_node_is(free, "name", "*")))
      svc_violate(c, SVC_E_MISSING_ATTRIBUTE, federation_storage_path(c, p, one), "is required of this store%s%s", other ? ", or " : "",
                  other ? other : "");
  }
  if (kind == FEDERATION_STORAGE_SITE && !federation_storage_has(p->source, "urls") && !federation_storage_has(store, "urls"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, federation_storage_path(c, p, "urls"), "is required where the store has none");
}

static void federation_storage_check_source(svc_call *c, const federation_storage_place *p)
{
  svc_str name = svc_node_str(p->source, "storeName");
  const svc_node *store = federation_storage_named(federation_storage_first(p->storage, "stores"), NULL, name);
  svc_str provider = svc_node_str(store, "provider");
  int kind = federation_storage_kind(store);
  size_t i;
  if (!store) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_storage_path(c, p, "storeName"), "is not the name of one of the stores");
    return;
  }
  for (i = 0; i < sizeof federation_storage_said / sizeof federation_storage_said[0]; i++)
    if (!(federation_storage_said[i].kinds & kind) && federation_storage_has(p->source, federation_storage_said[i].field))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, federation_storage_path(c, p, federation_storage_said[i].field),
                  "is not for a store of provider " SVC_FMT, SVC_ARG(provider));
  federation_storage_needs(c, p, store, kind);
}

/* ---------------------------------------------------------------------------------------------------------------- views */

/* An array of stages, each with one operator; what writes is no view. NULL: it is. */
static const char *federation_storage_stages(const svc_node *pipeline)
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

static void federation_storage_views(svc_call *c, const svc_node *database, const char *at)
{
  const svc_node *collections = federation_storage_first(database, "collections"), *first = federation_storage_first(database, "views"), *view;
  size_t i = 0;
  for (view = first; view; view = view->next, i++) {
    svc_str source = svc_node_str(view, "source"), text = svc_node_str(view, "pipeline");
    svc_str where = svc_arena_print(c->arena, "%sviews[%zu].pipeline", at, i);
    svc_json_fault fault = { 0, "" };
    const char *wrong = NULL;
    if (!svc_json_gate(c->arena, text, FEDERATION_STORAGE_DEPTH, &fault))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, where, "is not valid JSON: %s at byte %zu", fault.what, fault.at);
    else wrong = federation_storage_stages(svc_json_parse_gated(c->arena, text));
    if (wrong) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, where, "%s", wrong);
    if (!federation_storage_named(collections, NULL, source) && !federation_storage_named(collections, NULL, SVC_S("*")) &&
        !federation_storage_named(first, view, source))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%sviews[%zu].source", at, i),
                  "is no collection of this database, and no view before this one");
  }
}

/* --------------------------------------------------------------------------------------------------------------- stores */

/* Arrays of arrays of tags. */
static void federation_storage_tag_sets(svc_call *c, const svc_node *store, size_t i)
{
  const svc_node *set = federation_storage_first(svc_node_get(store, "readPreference"), "tagSets"), *tag;
  size_t n = 0, m;
  for (; set; set = set->next, n++) {
    svc_str at = svc_arena_print(c->arena, "storage.stores[%zu].readPreference.tagSets[%zu]", i, n);
    const svc_field *f;
    if (set->type != SVC_J_ARRAY || svc_node_count(set) > FEDERATION_STORAGE_TAGS) {
      svc_violate(c, SVC_E_INVALID_JSON_ATTRIBUTE, at, "must be an array of at most %d tags", FEDERATION_STORAGE_TAGS);
      continue;
    }
    for (tag = set->first, m = 0; tag; tag = tag->next, m++) {
      bool good = tag->type == SVC_J_OBJECT && svc_node_count(tag) == 2;
      svc_fields fields;
      svc_fields_begin(&fields, &federation_storage_tag);
      while (good && (f = svc_fields_next(&fields)) != NULL) {
        svc_str text = svc_node_str(tag, f->name);
        good = text.n && (int64_t)svc_utf8_length(text) <= f->max;
      }
      if (!good) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, SVC_FMT "[%zu]", SVC_ARG(at), m), "must have a name and a value");
    }
  }
}

static void federation_storage_check_stores(svc_call *c, const svc_node *storage)
{
  const svc_node *store;
  size_t i = 0;
  federation_storage_unique(c, storage, "stores", NULL, "storage.");
  for (store = federation_storage_first(storage, "stores"); store; store = store->next, i++) {
    federation_storage_tag_sets(c, store, i);
  }
}

/* ----------------------------------------------------------------------------------------------------------------- all */

static void federation_storage_check_database(svc_call *c, const svc_node *storage, const svc_node *database, size_t i)
{
  federation_storage_place p = { storage, database, NULL, NULL, { i, 0, 0 } };
  const char *at = svc_arena_print(c->arena, "storage.databases[%zu].", i).p;
  if (!at) return;
  federation_storage_unique(c, database, "collections", NULL, at);
  federation_storage_unique(c, database, "views", federation_storage_first(database, "collections"), at);
  for (p.collection = federation_storage_first(database, "collections"); p.collection; p.collection = p.collection->next, p.at[1]++) {
    p.at[2] = 0;
    for (p.source = federation_storage_first(p.collection, "dataSources"); p.source; p.source = p.source->next, p.at[2]++)
      federation_storage_check_source(c, &p);
  }
  federation_storage_views(c, database, at);
}

SVC_PRIVATE bool svc_federation_storage_rules(svc_call *c, const svc_node *body)
{
  const svc_node *storage = svc_node_get(body, "storage"), *database;
  size_t i = 0, links_at;
  svc_str text;
  if (!storage) return true;
  if (!svc_body_write(c->arena, body, &text, &links_at)) return svc_no_memory(c);
  if (text.n > FEDERATION_STORAGE_BYTES) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("storage"), "makes the instance larger than %d bytes", FEDERATION_STORAGE_BYTES);
    return true;
  }
  federation_storage_check_stores(c, storage);
  federation_storage_unique(c, storage, "databases", NULL, "storage.");
  for (database = federation_storage_first(storage, "databases"); database; database = database->next, i++)
    federation_storage_check_database(c, storage, database, i);
  return svc_txn_good(c) && (!c->arena->failed || svc_no_memory(c));
}

SVC_PRIVATE bool svc_federation_reads_in_role(const svc_node *storage, const char *provider)
{
  const svc_node *store = federation_storage_first(storage, "stores");
  while (store && (!svc_node_is(store, "provider", provider) || svc_node_bool(store, "public", false))) store = store->next;
  return store != NULL;
}
