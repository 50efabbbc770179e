/*
** The changes that events list: the fields with their old and new values, limited in size, and never a secret.
*/
#include "catalog/backup_world.h"
#include "catalog/catalog.h"

#define USERS "/groups/%G/databaseUsers"
#define USER(more) "{\"databaseName\":\"admin\",\"username\":\"joe\"" more "}"
#define ROLE "\"roles\":[{\"roleName\":\"readWrite\",\"databaseName\":\"shop\"}]"
#define DIFF "results[0].diffs[0]."

/* Checks that the newest event of this type has one diff, with this status. */
static void told(b_world *w, const char *type, const char *status)
{
  char path[128];
  snprintf(path, sizeof path, "/groups/%%G/events?itemsPerPage=1&eventType=%s", type);
  b_good(w, "GET", path, NULL, 200);
  munit_assert_size(t_count(&w->t, "results[0].diffs"), ==, 1);
  b_is(w, DIFF "status", status);
}

static void told_param(b_world *w, size_t i, const char *param, const char *old, const char *new)
{
  const char *name = strrchr(param, '.');
  char at[64];
  snprintf(at, sizeof at, DIFF "params[%zu].param", i);
  b_is(w, at, param);
  snprintf(at, sizeof at, DIFF "params[%zu].display", i);
  b_is(w, at, name ? name + 1 : param);
  snprintf(at, sizeof at, DIFF "params[%zu].old", i);
  b_is(w, at, old);
  snprintf(at, sizeof at, DIFF "params[%zu].new", i);
  b_is(w, at, new);
}

TEST(event_diff, cluster)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("C", ""), 201);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  told(&w, "CLUSTER_CREATED", "NEW");
  b_is(&w, DIFF "type", "REPLICA_SET");
  b_is(&w, DIFF "name", "C");
  b_is(&w, DIFF "id", w.other);
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 0);
  munit_assert_null(t_node(&w.t, DIFF "shards"));
  t_advance(&w.t, 10);
  b_good(&w, "GET", "/groups/%G/events?eventType=CLUSTER_READY", NULL, 200);
  munit_assert_null(t_node(&w.t, "results[0].diffs")); /* only the state changed, not the configuration */
  b_good(&w, "PATCH", "%C", "{\"backupEnabled\":true,\"biConnector\":{\"enabled\":true},\"replicationSpecs\":[{\"regionConfigs\":["
         "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M40\",\"diskSizeGB\":80}}]}]}", 200);
  told(&w, "CLUSTER_UPDATE_STARTED", "MODIFIED");
  told_param(&w, 0, "backupEnabled", "false", "true");
  told_param(&w, 1, "biConnector.enabled", "false", "true");
  munit_assert_not_null(strstr(w.t.response.body, "\"new\":\"M40\",\"old\":\"M30\",\"param\":\"replicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize\""));
  munit_assert_null(strstr(w.t.response.body, "effectiveReplicationSpecs"));
  munit_assert_null(strstr(w.t.response.body, "stateName"));
  t_advance(&w.t, 10);
  b_good(&w, "DELETE", "%C", NULL, 202);
  told(&w, "CLUSTER_DELETE_SUBMITTED", "SHUTDOWN");
  t_advance(&w.t, 10);
  told(&w, "CLUSTER_DELETED", "REMOVED");
  b_is(&w, DIFF "id", w.other);
  b_close(&w);
}

TEST(event_diff, shards)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  told(&w, "CLUSTER_CREATED", "NEW");
  b_is(&w, DIFF "type", "SHARDED_CLUSTER");
  munit_assert_size(t_count(&w.t, DIFF "shards"), ==, 2);
  b_is(&w, DIFF "shards[1].type", "REPLICA_SET");
  b_is(&w, DIFF "shards[1].status", "NEW");
  munit_assert_size(strlen(t_str(&w.t, DIFF "shards[1].id")), ==, 24);
  b_is(&w, DIFF "hasConfigShard", "true");
  b_close(&w);
}

TEST(event_diff, database_user)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", USERS, USER(",\"password\":\"secret-of-joe\"," ROLE), 201);
  told(&w, "DB_USER_ADDED", "NEW");
  b_is(&w, DIFF "type", "USERS");
  b_is(&w, DIFF "name", "joe");
  b_is(&w, DIFF "roles[0].db", "shop");
  b_is(&w, DIFF "roles[0].role", "readWrite");
  b_good(&w, "PATCH", USERS "/admin/joe", "{\"password\":\"another-secret\"}", 200);
  told(&w, "DB_USER_UPDATED", "MODIFIED");
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 0);
  munit_assert_null(strstr(w.t.response.body, "password"));
  munit_assert_null(strstr(w.t.response.body, "secret"));
  b_good(&w, "PATCH", USERS "/admin/joe", "{\"description\":\"first\",\"password\":\"a-third-secret\"}", 200);
  told(&w, "DB_USER_UPDATED", "MODIFIED");
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 1);
  told_param(&w, 0, "description", "", "first");
  munit_assert_null(t_node(&w.t, DIFF "params[0].old"));
  munit_assert_null(strstr(w.t.response.body, "secret"));
  b_good(&w, "DELETE", USERS "/admin/joe", NULL, 204);
  told(&w, "DB_USER_DELETED", "REMOVED");
  b_is(&w, DIFF "roles[0].role", "readWrite");
  b_close(&w);
}

#define ACTION(name, resources) "{\"action\":\"" name "\",\"resources\":[" resources "]}"
#define RESOURCE(db, collection) "{\"db\":\"" db "\",\"collection\":\"" collection "\"}"

TEST(event_diff, custom_role)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", "/groups/%G/customDBRoles/roles",
         "{\"roleName\":\"r\",\"actions\":[" ACTION("FIND", RESOURCE("a", "b") "," RESOURCE("c", "d")) "," ACTION("INSERT", RESOURCE("a", "b")) ","
         ACTION("SERVER_STATUS", "{\"cluster\":true}") "],\"inheritedRoles\":[{\"db\":\"a\",\"role\":\"read\"}]}", 202);
  told(&w, "DB_ROLE_ADDED", "NEW");
  b_is(&w, DIFF "type", "ROLES");
  b_is(&w, DIFF "name", "r");
  b_is(&w, DIFF "roles[0].role", "read");
  munit_assert_size(t_count(&w.t, DIFF "privileges"), ==, 3);
  munit_assert_size(t_count(&w.t, DIFF "privileges[0].actions"), ==, 2);
  b_is(&w, DIFF "privileges[0].actions[1]", "INSERT");
  b_is(&w, DIFF "privileges[0].resource.collection", "b");
  b_is(&w, DIFF "privileges[2].resource.cluster", "true");
  b_good(&w, "PATCH", "/groups/%G/customDBRoles/roles/r", "{\"inheritedRoles\":[]}", 200);
  told(&w, "DB_ROLE_UPDATED", "MODIFIED");
  told_param(&w, 0, "inheritedRoles[0].db", "a", "");
  told_param(&w, 1, "inheritedRoles[0].role", "read", "");
  b_good(&w, "DELETE", "/groups/%G/customDBRoles/roles/r", NULL, 204);
  told(&w, "DB_ROLE_DELETED", "REMOVED");
  b_close(&w);
}

/* Privileges, actions on one resource, and inherited roles are listed up to a maximum. */
TEST(event_diff, custom_role_bounds)
{
  static const char *const actions[] = { "FIND", "INSERT", "REMOVE", "UPDATE", "COLL_MOD", "COMPACT", "CREATE_COLLECTION", "CREATE_INDEX",
                                         "DROP_COLLECTION", "DROP_INDEX", "RE_INDEX", "COLL_STATS", "DB_HASH", "DB_STATS", "LIST_INDEXES",
                                         "LIST_COLLECTIONS", "VALIDATE", "CHANGE_STREAM" };
  char body[8192];
  size_t n, i;
  b_world w;
  b_open(&w, NULL);
  n = (size_t)snprintf(body, sizeof body, "{\"roleName\":\"r\",\"actions\":[");
  for (i = 0; i < 18; i++)
    n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"action\":\"%s\",\"resources\":[{\"db\":\"a\",\"collection\":\"b\"},{\"db\":\"d%zu\",\"collection\":\"\"}]}",
                          i ? "," : "", actions[i], i);
  n += (size_t)snprintf(body + n, sizeof body - n, "],\"inheritedRoles\":[");
  for (i = 0; i < 18; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"db\":\"d%zu\",\"role\":\"read\"}", i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "]}");
  b_good(&w, "POST", "/groups/%G/customDBRoles/roles", body, 202);
  told(&w, "DB_ROLE_ADDED", "NEW");
  munit_assert_size(t_count(&w.t, DIFF "privileges"), ==, 16);
  munit_assert_size(t_count(&w.t, DIFF "privileges[0].actions"), ==, 16);
  munit_assert_size(t_count(&w.t, DIFF "roles"), ==, 16);
  b_close(&w);
}

/* For settings that only owners may read, the event shows that they have changed, but no field, sealed or not. */
TEST(event_diff, owners_only)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "PATCH", "/groups/%G/userSecurity", "{\"ldap\":{\"authenticationEnabled\":true,\"hostname\":\"ldap.example.com\","
         "\"bindUsername\":\"CN=svc,DC=example,DC=com\",\"bindPassword\":\"a-bind-secret-of-length\"}}", 202);
  told(&w, "GROUP_SETTINGS_UPDATED", "MODIFIED");
  b_is(&w, DIFF "type", "AUTH");
  b_is(&w, DIFF "id", w.group);
  munit_assert_null(t_node(&w.t, DIFF "name"));
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 0);
  munit_assert_null(strstr(w.t.response.body, "ldap.example.com"));
  munit_assert_null(strstr(w.t.response.body, "secret"));
  b_good(&w, "PATCH", "/groups/%G/userSecurity", "{\"ldap\":{\"bindPassword\":\"another-secret-of-length\"}}", 202);
  told(&w, "GROUP_SETTINGS_UPDATED", "MODIFIED");
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 0);
  munit_assert_null(strstr(w.t.response.body, "secret"));
  b_close(&w);
}

/* Long values are cut between characters. Of many fields only the first are listed. */
TEST(event_diff, bounds)
{
  char body[4096];
  size_t n = 0, i;
  const char *value;
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", USERS, USER(",\"password\":\"secret-of-joe\"," ROLE), 201);
  n = (size_t)snprintf(body, sizeof body, "{\"description\":\"");
  for (i = 0; i < 100; i++) n += (size_t)snprintf(body + n, sizeof body - n, "\xc3\xa4");
  n += (size_t)snprintf(body + n, sizeof body - n, "\",\"labels\":[");
  for (i = 0; i < 20; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"key\":\"k%zu\",\"value\":\"v\"}", i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "]}");
  b_good(&w, "PATCH", USERS "/admin/joe", body, 200);
  told(&w, "DB_USER_UPDATED", "MODIFIED");
  munit_assert_size(t_count(&w.t, DIFF "params"), ==, 16);
  value = t_str(&w.t, DIFF "params[0].new");
  munit_assert_size(strlen(value), ==, 127); /* 62 characters of two bytes, and three dots */
  munit_assert_string_equal(value + 124, "...");
  told_param(&w, 1, "labels[0].key", "", "k0");
  b_close(&w);
}

/* Lists of plain values are shown as JSON. */
TEST(event_diff, lists)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C/processArgs", "{\"noTableScan\":true,\"defaultMaxTimeMS\":500}", 200);
  told(&w, "CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED", "MODIFIED");
  told_param(&w, 0, "defaultMaxTimeMS", "", "500");
  told_param(&w, 1, "noTableScan", "false", "true");
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", "%C", "{\"advancedConfiguration\":{\"tlsCipherConfigMode\":\"CUSTOM\",\"customOpensslCipherConfigTls12\":["
         "\"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\"]}}", 200);
  told(&w, "CLUSTER_UPDATE_STARTED", "MODIFIED");
  told_param(&w, 0, "advancedConfiguration.customOpensslCipherConfigTls12", "[]", "[\"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\"]");
  b_close(&w);
}

/* Events have further members: the cluster and time of a snapshot, the provider of a flex cluster, the id of a service account. */
TEST(event_diff, members)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "GET", "%C", NULL, 200);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  t_advance(&w.t, 100);
  b_good(&w, "GET", "/groups/%G/events?eventType=CPS_SNAPSHOT_SUCCESSFUL", NULL, 200);
  b_is(&w, "results[0].clusterId", w.other);
  b_is(&w, "results[0].clusterName", "C");
  munit_assert_size(strlen(t_str(&w.t, "results[0].snapshotScheduledCreationDate")), ==, 20);
  munit_assert_null(t_node(&w.t, "results[0].diffs"));
  b_good(&w, "POST", "/groups/%G/flexClusters", "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201);
  b_good(&w, "GET", "/groups/%G/events?eventType=CLUSTER_CREATED&clusterNames=F", NULL, 200);
  b_is(&w, "results[0].cloudProvider", "SERVERLESS");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"a\",\"description\":\"b\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":24}",
                           "/orgs/%s/serviceAccounts", w.org), ==, 201);
  w.other = t_keep(&w.t, t_str(&w.t, "clientId"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=SERVICE_ACCOUNT_CREATED", w.org), ==, 200);
  b_is(&w, "results[0].clientId", w.other);
  b_close(&w);
}

/* A noun's diff shows fields exactly if the role GROUP_READ_ONLY, which may read the log, may read the noun. */
TEST(event_diff, discreet)
{
  size_t count, i, r, diffs = 0;
  const svc_noun *const *nouns = svc_catalog(&count);
  for (i = 0; i < count; i++) {
    bool read = false;
    if (!svc_noun_ext_of(nouns[i])->diff) continue;
    diffs++;
    for (r = 0; r < nouns[i]->route_count; r++)
      read = read || (nouns[i]->routes[r].method == SVC_GET && nouns[i]->routes[r].roles & SVC_R_GROUP_READ_ONLY);
    if (read == svc_noun_ext_of(nouns[i])->diff->discreet) munit_errorf("%s: its GET and its diffs are for other people", nouns[i]->name);
  }
  munit_assert_size(diffs, >, 3);
}
