/*
** The sources of a federated database instance: stores (clusters, buckets, sites, datasets), databases whose collections
** consist of data sources in the stores, and views of these. The tables are here; federation_rules.c has the rules that no
** table can express.
*/
#include "catalog/data_federation/data_federation_parts.h"

enum { FEDERATION_STORAGE_PIPELINE = 16384 };

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

/* Regions of stores, which differ from those of clusters. */
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

/* Each set of tags is an array itself, which no row can express: federation_rules.c checks the sets. */
static const svc_field federation_storage_preference_fields[] = {
  F_INT("maxStalenessSeconds", .flags = SVC_MIN, .min = -1),
  F_ENUM("mode", federation_storage_modes),
  { .name = "tagSets", .type = SVC_ARRAY, .item = SVC_ANY, .max_items = FEDERATION_TAGS }
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
  .name = "DataLakeStoreSettings", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("provider", NULL, federation_storage_variants))
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
