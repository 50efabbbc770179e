/*
** The tables of stream connections and of failover connections: unions by type, each type with its own fields.
**
** Passwords, keys and client secrets are stored sealed, for the driver, and never shown. Headers may hold a token, so only
** their last characters are shown.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/stream/stream_parts.h"

#define STREAM_SECRET (SVC_SEALED | SVC_WRITE_ONLY)
#define STREAM_PEM .pattern = "^[ -~\\r\\n\\t]*$", .max = 8192 /* a certificate or a key */

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_object_states[] = { "PENDING", "READY", "DELETING", "FAILED", NULL };
static const char *const stream_object_types[] = {
  "Kafka", "Cluster", "Sample", "Https", "AzureBlobStorage", "AWSLambda", "S3", "AWSKinesisDataStreams", "SchemaRegistry",
  "GCPPubSub", NULL
};
static const char *const stream_object_failover_types[] = { "Kafka", "Cluster", NULL };
static const char *const stream_object_role_types[] = { "BUILT_IN", "CUSTOM", NULL };
static const char *const stream_object_access[] = { "PUBLIC", "VPC", "PRIVATE_LINK", "TRANSIT_GATEWAY", NULL };
static const char *const stream_object_link_access[] = { "PUBLIC", "PRIVATE_LINK", NULL };
static const char *const stream_object_mechanisms[] = { "PLAIN", "SCRAM-256", "SCRAM-512", "OAUTHBEARER", "SSL", "AWS_MSK_IAM", NULL };
static const char *const stream_object_methods[] = { "OIDC", NULL };
static const char *const stream_object_protocols[] = { "PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL", "SSL", NULL };
static const char *const stream_object_registries[] = { "CONFLUENT", NULL };
static const char *const stream_object_registry_logins[] = { "USER_INFO", "SASL_INHERIT", NULL };

/* ---------------------------------------------------------------------------------------------------- what they share */

static const svc_field stream_object_region_fields[] = {
  F_ENUM("cloudProvider", svc_stream_providers, .flags = SVC_REQUIRED),
  F_ENUM("region", svc_stream_regions, .flags = SVC_REQUIRED)
};
SVC_PRIVATE const svc_object svc_stream_region = { .name = "StreamsDataProcessRegion", .fields = SVC_ROWS(stream_object_region_fields) };

static const svc_field stream_object_aws_fields[] = {
  F_STR("roleArn", .flags = SVC_REQUIRED, .pattern = "^arn:aws(-[a-z]+)*:iam::\\d{12}:role/[\\w+=,.@/-]+$", .max = 512),
  F_STR("testBucket", .flags = SVC_NULLABLE, .min = 3, .max = 63)
};
static const svc_object stream_object_aws = { .name = "StreamsAWSConnectionConfig", .fields = SVC_ROWS(stream_object_aws_fields) };

static const svc_field stream_object_access_fields[] = {
  F_HEX24("connectionId", .flags = SVC_NULLABLE),
  F_STR("name", .flags = SVC_NULLABLE, .max = 255),
  F_HEX24("tgwRouteId", .flags = SVC_NULLABLE),
  F_ENUM("type", stream_object_access, .preset = "\"PUBLIC\"")
};
static const svc_need stream_object_access_needs[] = {
  { .fields = "connectionId", .where = "type=PRIVATE_LINK", .by_hook = true },
  { .fields = "tgwRouteId", .where = "type=TRANSIT_GATEWAY", .by_hook = true }, { .fields = NULL }
};
static const svc_object stream_object_access_object = {
  .name = "StreamsKafkaNetworkingAccess", .fields = SVC_ROWS(stream_object_access_fields), .ext = SVC_OBJECT_EXT(.needs = stream_object_access_needs)
};
static const svc_field stream_object_networking_fields[] = {
  F_OBJ("access", &stream_object_access_object, .preset = "{\"type\":\"PUBLIC\"}")
};
static const svc_object stream_object_networking = { .name = "StreamsKafkaNetworking", .fields = SVC_ROWS(stream_object_networking_fields) };

static const svc_field stream_object_link_access_fields[] = {
  F_HEX24("connectionId", .flags = SVC_NULLABLE),
  F_ENUM("type", stream_object_link_access, .preset = "\"PUBLIC\"")
};
static const svc_need stream_object_link_access_needs[] = {
  { .fields = "connectionId", .where = "type=PRIVATE_LINK", .by_hook = true }, { .fields = NULL }
};
static const svc_object stream_object_link_access_object = {
  .name = "StreamsPublicPrivateLinkNetworkingAccess", .fields = SVC_ROWS(stream_object_link_access_fields),
  .ext = SVC_OBJECT_EXT(.needs = stream_object_link_access_needs)
};
static const svc_field stream_object_link_fields[] = {
  F_OBJ("access", &stream_object_link_access_object, .preset = "{\"type\":\"PUBLIC\"}")
};
static const svc_object stream_object_link = {
  .name = "StreamsPublicPrivateLinkNetworking", .fields = SVC_ROWS(stream_object_link_fields)
};
#define STREAM_PUBLIC .preset = "{\"access\":{\"type\":\"PUBLIC\"}}"

/* -------------------------------------------------------------------------------------------------------------- Kafka */

static const svc_field stream_object_authentication_fields[] = {
  F_OBJ("aws", &stream_object_aws),
  F_STR("clientId", .max = 512),
  F_STR("clientSecret", .flags = STREAM_SECRET, .max = 1024),
  F_ENUM("mechanism", stream_object_mechanisms, .flags = SVC_REQUIRED),
  F_ENUM("method", stream_object_methods),
  F_STR("password", .flags = STREAM_SECRET, .max = 1024),
  F_STR("saslOauthbearerExtensions", .max = 1024),
  F_STR("scope", .max = 1024),
  F_STR("sslCertificate", STREAM_PEM),
  F_STR("sslKey", .flags = STREAM_SECRET, STREAM_PEM),
  F_STR("sslKeyPassword", .flags = STREAM_SECRET, .max = 1024),
  F_STR("tokenEndpointUrl", .format = SVC_FORMAT_URI, .max = 1024),
  F_STR("username", .max = 512)
};
static const svc_need stream_object_authentication_needs[] = {
  { .fields = "password username", .where = "mechanism=PLAIN|SCRAM-256|SCRAM-512" },
  { .fields = "clientId clientSecret method tokenEndpointUrl", .where = "mechanism=OAUTHBEARER" },
  { .fields = "sslCertificate sslKey", .where = "mechanism=SSL" },
  { .fields = "aws", .where = "mechanism=AWS_MSK_IAM" },
  { .fields = NULL }
};
static const char *const stream_object_authentication_at[] = { "tokenEndpointUrl", NULL };
static const svc_object stream_object_authentication = {
  .name = "StreamsKafkaAuthentication", .fields = SVC_ROWS(stream_object_authentication_fields), .ext = SVC_OBJECT_EXT(.needs = stream_object_authentication_needs, .secrets_go_to = stream_object_authentication_at)
};
static const svc_field stream_object_security_fields[] = {
  F_STR("brokerPublicCertificate", STREAM_PEM),
  F_ENUM("protocol", stream_object_protocols, .flags = SVC_REQUIRED)
};
static const svc_object stream_object_security = { .name = "StreamsKafkaSecurity", .fields = SVC_ROWS(stream_object_security_fields) };

#define STREAM_HOST "[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?:\\d{1,5}"
static const svc_field stream_object_kafka_fields[] = {
  F_OBJ("authentication", &stream_object_authentication, .flags = SVC_REQUIRED),
  F_STR("bootstrapServers", .flags = SVC_REQUIRED, .pattern = "^" STREAM_HOST "(, ?" STREAM_HOST ")*$", .max = 2048),
  { .name = "config", .type = SVC_MAP, .item = SVC_STRING, .max = 1024 },
  F_OBJ("networking", &stream_object_networking, STREAM_PUBLIC),
  F_OBJ("security", &stream_object_security, .flags = SVC_REQUIRED)
};
static const char *const stream_object_kafka_at[] = { "bootstrapServers", "security", "networking", NULL };

/* ------------------------------------------------------------------------------------------------------------ clusters */

static const svc_field stream_object_role_fields[] = {
  F_STR("role", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_ENUM("type", stream_object_role_types, .flags = SVC_REQUIRED)
};
static const svc_object stream_object_role = { .name = "DBRoleToExecute", .fields = SVC_ROWS(stream_object_role_fields) };
static const svc_field stream_object_cluster_fields[] = {
  F_HEX24("clusterGroupId", .flags = SVC_NULLABLE),
  F_STR("clusterName", .flags = SVC_REQUIRED, .min = 1, .max = STREAM_NAME_MOST),
  F_OBJ("dbRoleToExecute", &stream_object_role, .preset = "{\"role\":\"readWriteAnyDatabase\",\"type\":\"BUILT_IN\"}")
};

/* -------------------------------------------------------------------------------------------------------------- others */

static const svc_field stream_object_aws_only_fields[] = {
  F_OBJ("aws", &stream_object_aws, .flags = SVC_REQUIRED),
  F_OBJ("networking", &stream_object_networking, STREAM_PUBLIC)
};
static const svc_field stream_object_lambda_fields[] = {
  F_OBJ("aws", &stream_object_aws, .flags = SVC_REQUIRED),
  F_OBJ("publicPrivateNetworking", &stream_object_link, STREAM_PUBLIC)
};

static const svc_field stream_object_azure_fields[] = {
  F_STR("region", .max = STREAM_NAME_MOST),
  F_STR("servicePrincipalId", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("storageAccountName", .flags = SVC_REQUIRED, .pattern = "^[a-z0-9]{3,24}$")
};
static const svc_object stream_object_azure = { .name = "AzureConnection", .fields = SVC_ROWS(stream_object_azure_fields) };
static const svc_field stream_object_blob_fields[] = {
  F_OBJ("azure", &stream_object_azure, .flags = SVC_REQUIRED),
  F_OBJ("publicPrivateNetworking", &stream_object_link, STREAM_PUBLIC)
};

static const svc_field stream_object_gcp_fields[] = { F_STR("serviceAccountId", .flags = SVC_REQUIRED, .min = 1, .max = 255) };
static const svc_object stream_object_gcp = { .name = "StreamsGCPConnectionConfig", .fields = SVC_ROWS(stream_object_gcp_fields) };
static const svc_field stream_object_pubsub_fields[] = {
  F_OBJ("gcp", &stream_object_gcp, .flags = SVC_REQUIRED),
  F_OBJ("publicPrivateNetworking", &stream_object_link, STREAM_PUBLIC)
};

static const svc_field stream_object_https_fields[] = {
  { .name = "headers", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_SEALED, .min = 1, .max = 2048 },
  F_STR("url", .flags = SVC_REQUIRED, .format = SVC_FORMAT_URI, .max = 2048)
};
static const char *const stream_object_https_at[] = { "url", NULL };

#define STREAM_REGISTRY_LOGIN F_ENUM("type", stream_object_registry_logins, .flags = SVC_REQUIRED)
static const svc_field stream_object_inherit_fields[] = { STREAM_REGISTRY_LOGIN };
static const svc_object stream_object_inherit = {
  .name = "ConfluentSaslInheritAuthentication", .fields = SVC_ROWS(stream_object_inherit_fields)
};
static const svc_field stream_object_user_info_fields[] = {
  F_STR("password", .flags = SVC_REQUIRED | STREAM_SECRET, .min = 1, .max = 1024),
  STREAM_REGISTRY_LOGIN,
  F_STR("username", .flags = SVC_REQUIRED, .min = 1, .max = 512)
};
static const svc_object stream_object_user_info = {
  .name = "ConfluentUserInfoAuthentication", .fields = SVC_ROWS(stream_object_user_info_fields)
};
static const svc_variant stream_object_login_variants[] = {
  { "USER_INFO", &stream_object_user_info }, { "SASL_INHERIT", &stream_object_inherit }, { NULL, NULL }
};
static const svc_object stream_object_login = {
  .name = "SchemaRegistryAuthentication", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, stream_object_login_variants))
};
static const svc_field stream_object_registry_fields[] = {
  F_ENUM("provider", stream_object_registries, .flags = SVC_REQUIRED),
  F_OBJ("schemaRegistryAuthentication", &stream_object_login, .flags = SVC_REQUIRED),
  F_STRS("schemaRegistryUrls", .format = SVC_FORMAT_URI, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY,
         .max_items = 10, .min = 0, .max = 1024)
};
static const char *const stream_object_registry_at[] = { "schemaRegistryUrls", NULL };

/* -------------------------------------------------------------------------------------------------------- connections */

static const svc_field stream_object_connection_fields[] = {
  F_ID(),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = STREAM_NAME_PATTERN, .max = STREAM_NAME_MOST),
  F_STR("region", .max = STREAM_NAME_MOST),
  F_ENUM("state", stream_object_states, .flags = SVC_READ_ONLY),
  F_ENUM("type", stream_object_types, .flags = SVC_REQUIRED | SVC_FIXED)
};
static const svc_object stream_object_connection = { .name = "StreamsConnectionBase", .fields = SVC_ROWS(stream_object_connection_fields) };
#define STREAM_VARIANT(variable, n, f) STREAM_VARIANT_AT(variable, n, f, NULL)
#define STREAM_VARIANT_AT(variable, n, f, at) \
  static const svc_object variable = { .name = n, .fields = SVC_ROWS(f), .base = &stream_object_connection, .ext = SVC_OBJECT_EXT(.secrets_go_to = at) }
STREAM_VARIANT(stream_object_kinesis, "StreamsAWSKinesisDataStreamsConnection", stream_object_aws_only_fields);
STREAM_VARIANT(stream_object_lambda, "StreamsAWSLambdaConnection", stream_object_lambda_fields);
STREAM_VARIANT(stream_object_blob, "StreamsAzureBlobStorageConnection", stream_object_blob_fields);
STREAM_VARIANT(stream_object_cluster, "StreamsClusterConnection", stream_object_cluster_fields);
STREAM_VARIANT(stream_object_pubsub, "StreamsGCPPubSubConnection", stream_object_pubsub_fields);
STREAM_VARIANT_AT(stream_object_https, "StreamsHttpsConnection", stream_object_https_fields, stream_object_https_at);
STREAM_VARIANT_AT(stream_object_kafka, "StreamsKafkaConnection", stream_object_kafka_fields, stream_object_kafka_at);
STREAM_VARIANT(stream_object_s3, "StreamsS3Connection", stream_object_aws_only_fields);
static const svc_object stream_object_sample = { .name = "StreamsSampleConnection", .base = &stream_object_connection };
STREAM_VARIANT_AT(stream_object_registry, "StreamsSchemaRegistryConnection", stream_object_registry_fields, stream_object_registry_at);

static const svc_variant stream_object_variants[] = {
  { "AWSKinesisDataStreams", &stream_object_kinesis }, { "AWSLambda", &stream_object_lambda },
  { "AzureBlobStorage", &stream_object_blob },         { "Cluster", &stream_object_cluster },
  { "GCPPubSub", &stream_object_pubsub },              { "Https", &stream_object_https },
  { "Kafka", &stream_object_kafka },                   { "S3", &stream_object_s3 },
  { "Sample", &stream_object_sample },                 { "SchemaRegistry", &stream_object_registry },
  { NULL, NULL }
};
SVC_PRIVATE const svc_object svc_stream_connection = {
  .name = "StreamsConnection", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, stream_object_variants))
};

/* ----------------------------------------------------------------------------------------------- failover connections */

static const svc_field stream_object_failover_fields[] = {
  F_ID(),
  F_STR("name", .pattern = STREAM_NAME_PATTERN, .max = STREAM_NAME_MOST),
  F_STR("region", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = STREAM_NAME_MOST),
  F_ENUM("state", stream_object_states, .flags = SVC_READ_ONLY),
  F_ENUM("type", stream_object_failover_types, .flags = SVC_REQUIRED | SVC_FIXED)
};
static const svc_object stream_object_failover = {
  .name = "StreamsFailoverConnectionBase", .fields = SVC_ROWS(stream_object_failover_fields)
};
static const svc_object stream_object_failover_cluster = {
  .name = "StreamsFailoverClusterConnection", .fields = SVC_ROWS(stream_object_cluster_fields), .base = &stream_object_failover
};
static const svc_object stream_object_failover_kafka = {
  .name = "StreamsFailoverKafkaConnection", .fields = SVC_ROWS(stream_object_kafka_fields), .base = &stream_object_failover,
  .ext = SVC_OBJECT_EXT(.secrets_go_to = stream_object_kafka_at)
};
static const svc_variant stream_object_failover_variants[] = {
  { "Cluster", &stream_object_failover_cluster }, { "Kafka", &stream_object_failover_kafka }, { NULL, NULL }
};
SVC_PRIVATE const svc_object svc_stream_failover_connection = {
  .name = "StreamsFailoverConnection", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, stream_object_failover_variants))
};
