/*
** The request for a live migration: the source, the cluster of the project, and the host that moves the data. The request
** to validate a migration is the same.
**
** The rule: a username and password for the source are checked but not stored. No record has these secrets in clear, and
** no order contains them. A data plane that needs them manages them in its own agent.
*/
#include "catalog/catalog.h"
#include "catalog/migration/migration_parts.h"

enum { MIGRATION_PARTS_SHARDED = 100, MIGRATION_PARTS_KEYS = 32, MIGRATION_PARTS_BYTES = 16 << 10 };

static const char *const migration_parts_hosts[] = { "PUBLIC", "PRIVATE_LINK", "VPC_PEERING", NULL };

static const svc_field migration_parts_destination_fields[] = {
  F_STR("clusterName", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 64),
  F_HEX24("groupId", .flags = SVC_REQUIRED),
  F_ENUM("hostnameSchemaType", migration_parts_hosts, .flags = SVC_REQUIRED),
  F_STR("privateLinkId", .flags = SVC_NULLABLE, .min = 1, .max = 255)
};
static const svc_need migration_parts_destination_needs[] = {
  { .fields = "privateLinkId", .where = "hostnameSchemaType=PRIVATE_LINK", .by_hook = true }, { .fields = NULL }
};
static const svc_object migration_parts_destination = {
  .name = "Destination", .fields = SVC_ROWS(migration_parts_destination_fields), .ext = SVC_OBJECT_EXT(.needs = migration_parts_destination_needs)
};

static const svc_field migration_parts_keys_fields[] = {
  { .name = "key", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY,
    .max_items = MIGRATION_PARTS_KEYS }
};
static const svc_object migration_parts_keys = { .name = "ShardKeys", .fields = SVC_ROWS(migration_parts_keys_fields) };
static const svc_field migration_parts_entry_fields[] = {
  F_STR("collection", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("database", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_OBJ("shardCollection", &migration_parts_keys, .flags = SVC_REQUIRED)
};
static const svc_object migration_parts_entry = { .name = "ShardEntry", .fields = SVC_ROWS(migration_parts_entry_fields) };
static const svc_field migration_parts_sharding_fields[] = {
  F_BOOL("createSupportingIndexes", .flags = SVC_REQUIRED),
  F_LIST("shardingEntries", &migration_parts_entry, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS,
         .max_items = MIGRATION_PARTS_SHARDED)
};
static const svc_object migration_parts_sharding = { .name = "ShardingRequest", .fields = SVC_ROWS(migration_parts_sharding_fields) };

static const svc_field migration_parts_source_fields[] = {
  F_STR("caCertificatePath", .flags = SVC_NULLABLE, .min = 1, .max = 1024),
  F_STR("clusterName", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_HEX24("groupId", .flags = SVC_REQUIRED),
  F_BOOL("managedAuthentication", .flags = SVC_REQUIRED),
  F_STR("password", .flags = SVC_WRITE_ONLY | SVC_NULLABLE, .max = 1024),
  F_BOOL("ssl", .flags = SVC_REQUIRED),
  F_STR("username", .flags = SVC_WRITE_ONLY | SVC_NULLABLE, .max = 255)
};
static const svc_need migration_parts_source_needs[] = {
  { .fields = "username password", .where = "managedAuthentication=false", .by_hook = true }, { .fields = NULL }
};
static const svc_object migration_parts_source = {
  .name = "Source", .fields = SVC_ROWS(migration_parts_source_fields), .ext = SVC_OBJECT_EXT(.needs = migration_parts_source_needs)
};

static const svc_field migration_parts_common_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  F_OBJ("destination", &migration_parts_destination, .flags = SVC_REQUIRED),
  F_STRS("migrationHosts", .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = 1,
         .pattern = "^([a-zA-Z0-9]([a-zA-Z0-9-]*)\\.){0,10}[a-zA-Z0-9]([a-zA-Z0-9-]*)$"),
  F_OBJ("sharding", &migration_parts_sharding),
  F_OBJ("source", &migration_parts_source, .flags = SVC_REQUIRED)
};
static const svc_object migration_parts_common = { .name = "LiveMigrationCommon", .fields = SVC_ROWS(migration_parts_common_fields) };

static const svc_field migration_parts_fields[] = { F_BOOL("dropDestinationData", .preset = "false") };
SVC_PRIVATE const svc_object svc_migration_request = {
  .name = "LiveMigrationRequest", .fields = SVC_ROWS(migration_parts_fields), .base = &migration_parts_common
};

/* Before 2024-05-30 dropDestinationData had another name, and was required. */
static const svc_field migration_parts_old_fields[] = { F_BOOL("dropEnabled", .flags = SVC_REQUIRED) };
static const svc_object migration_parts_old = {
  .name = "LiveMigrationRequest20230101", .fields = SVC_ROWS(migration_parts_old_fields), .base = &migration_parts_common
};

static bool migration_parts_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  (void)before;
  svc_node_set_copy(c->arena, body, "dropDestinationData", body, "dropEnabled");
  svc_node_drop(body, "dropEnabled");
  return !c->arena->failed;
}

SVC_PRIVATE const svc_older svc_migration_older[] = {
  { .date = 20230101, .sunset = 20270701, .body = &migration_parts_old, .example = MIGRATION_EXAMPLE_OLD, .upgrade = migration_parts_upgrade },
  { .date = 0 }
};

/* The names of fields have no limit of their own, so the total size is limited. */
static bool migration_parts_fits(svc_call *c, const svc_node *body)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, body);
  if (b.n <= MIGRATION_PARTS_BYTES) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("sharding"), "makes the request too large: at most %d bytes are allowed", MIGRATION_PARTS_BYTES);
  return false;
}

/* Each part of a shard key is one field with a direction, { "a": 1 }, or with "hashed". */
static void migration_parts_shard_keys(svc_call *c, const svc_node *sharding)
{
  const svc_node *entries = svc_node_get(sharding, "shardingEntries"), *entry, *part;
  size_t i = 0, j;
  for (entry = svc_node_first(entries); entry; entry = entry->next, i++) {
    const svc_node *keys = svc_node_get(svc_node_get(entry, "shardCollection"), "key");
    for (j = 0, part = svc_node_first(keys); part; part = part->next, j++) {
      const svc_node *way = part->type == SVC_J_OBJECT && svc_node_count(part) == 1 ? part->first : NULL;
      if (way && (svc_str_is(way->text, "1") || svc_str_is(way->text, "hashed"))) continue;
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE,
                  svc_arena_print(c->arena, "sharding.shardingEntries[%zu].shardCollection.key[%zu]", i, j),
                  "must be an object with one field whose value is 1 or \"hashed\"");
    }
  }
}

/* The organization must be linked to the installation of the source (link_token.c). */
static bool migration_parts_linked(svc_call *c)
{
  svc_str org = svc_id_str(c->arena, &c->scope.org);
  if (!svc_noun_by_kind(c->s, MIGRATION_LINK_KIND) || svc_count(c->txn, MIGRATION_LINK_KIND, &c->scope.org) > 0) return svc_txn_good(c);
  return svc_txn_good(c) && svc_fail(c, SVC_E_LIVE_IMPORT_ORG_NOT_LINKED, "S", &org);
}

SVC_PRIVATE bool svc_migration_check(svc_call *c, const svc_change *change)
{
  const svc_node *destination = svc_node_get(change->body, "destination"), *source = svc_node_get(change->input, "source");
  bool managed = svc_node_bool(source, "managedAuthentication", true);
  bool linked = svc_node_get(destination, "privateLinkId") != NULL;
  static const char *const secrets[] = { "username", "password" };
  svc_id group;
  size_t i;
  if (!migration_parts_fits(c, change->body)) return svc_check_done(c);
  if (!svc_id_parse(svc_node_str(destination, "groupId"), &group) || !svc_id_eq(&group, &c->scope.group))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("destination.groupId"), "must be the project of the path");
  if (linked != svc_node_is(destination, "hostnameSchemaType", "PRIVATE_LINK"))
    svc_violate(c, linked ? SVC_E_INVALID_ATTRIBUTE : SVC_E_MISSING_ATTRIBUTE, SVC_S("destination.privateLinkId"),
                linked ? "is allowed only for a PRIVATE_LINK destination" : "is required for a PRIVATE_LINK destination");
  for (i = 0; i < 2; i++)
    if (managed == (svc_node_str(source, secrets[i]).n != 0))
      svc_violate(c, managed ? SVC_E_INVALID_ATTRIBUTE : SVC_E_MISSING_ATTRIBUTE,
                  svc_arena_print(c->arena, "source.%s", secrets[i]),
                  managed ? "is not allowed for a source with managed authentication"
                          : "is required without managed authentication");
  migration_parts_shard_keys(c, svc_node_get(change->body, "sharding"));
  return svc_check_done(c) && migration_parts_linked(c);
}
