/* Dialects rename fields, paths, values and error codes on the wire. The store keeps the original words. */
#include "mechanism/probe.h"
#include "schema.h"
#include "world.h"

/* ------------------------------------------------------------------------------------------------------------- a dialect */

#define ACME_WORDS \
  "\"fields\":{\"dbMajorVersion\":\"acmeMajor\",\"dbVersion\":\"acmeVersion\",\"instanceSize\":\"tier\",\"replicationSpecs\":\"shards\"," \
  "\"providerName\":\"cloud\",\"tags\":\"marks\",\"key\":\"word\",\"clusterName\":\"nameOfCluster\",\"description\":\"said\"}," \
  "\"paths\":{\"clusters\":\"machines\",\":grantVendorEmployeeAccess\":\":letAcmeIn\",\"providerCustomDNS\":\"dns\"}," \
  "\"values\":{\"REPLICASET\":\"SET\",\"AWS\":\"AMAZON\",\"DB_USER_ADDED\":\"LOGIN_ADDED\",\"DBD\":\"ACMED\",\"db\":\"acme-log\",\"SVC_MANAGED\":\"OURS\"}," \
  "\"codes\":{\"CLUSTER_NOT_FOUND\":\"NO_SUCH_MACHINE\",\"MISSING_ATTRIBUTE\":\"LEFT_OUT\"}"
static const char acme_words[] = "{" ACME_WORDS "}";

#define MACHINE(name, more) \
  "{\"name\":\"" name "\",\"clusterType\":\"SET\"" more ",\"shards\":[{\"regionConfigs\":[{\"cloud\":\"AMAZON\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"tier\":\"M10\",\"nodeCount\":3}}]}]}"

static const svc_config acme = { .limiter_off = 1, .dialect = acme_words };

TEST(dialect, round_trip)
{
  t_place w;
  t_service *t = &w.t;
  t_place_open(&w, &acme, "alpha", NULL);
  if (t_sendf(t, "POST", MACHINE("c", ",\"marks\":[{\"word\":\"dbVersion\",\"value\":\"REPLICASET\"}]"), "/groups/%s/machines", w.group) != 201)
    munit_errorf("%s", t->response.body);
  munit_assert_string_equal(t_str(t, "clusterType"), "SET");
  munit_assert_string_equal(t_str(t, "acmeMajor"), "8.0");
  munit_assert_string_equal(t_str(t, "shards[0].regionConfigs[0].cloud"), "AMAZON");
  munit_assert_string_equal(t_str(t, "shards[0].regionConfigs[0].electableSpecs.tier"), "M10");
  munit_assert_string_equal(t_str(t, "configServerManagementMode"), "OURS");
  munit_assert_string_equal(t_str(t, "marks[0].word"), "dbVersion"); /* text that a user wrote stays */
  munit_assert_string_equal(t_str(t, "marks[0].value"), "REPLICASET");
  munit_assert_null(strstr(t->response.body, "\"replicationSpecs\""));
  munit_assert_not_null(strstr(t->response.body, "/machines/c\""));
  munit_assert_null(strstr(t->response.body, "/clusters/"));
  /* members are sorted by their names on the wire */
  munit_assert_true(strstr(t->response.body, "\"acmeMajor\"") < strstr(t->response.body, "\"acmeVersion\""));
  munit_assert_true(strstr(t->response.body, "\"acmeVersion\"") < strstr(t->response.body, "\"backupEnabled\""));
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines", w.group), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].shards[0].regionConfigs[0].cloud"), "AMAZON");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines?envelope=true&pretty=true", w.group), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].clusterType"), "SET");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/c?envelope=true", w.group), ==, 200);
  munit_assert_string_equal(t_str(t, "content.clusterType"), "SET");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/c", w.group), ==, 404); /* the original path no longer exists */
  munit_assert_int(t_sendf(t, "POST", "{\"grantType\":\"CLUSTER_INFRASTRUCTURE\",\"expirationTime\":\"2025-06-02T00:00:00Z\"}",
                           "/groups/%s/machines/c:letAcmeIn", w.group), ==, 204);
  t_close(t);
}

/* Events name changed fields in the dialect's words, at every depth of the body. */
TEST(dialect, events)
{
  t_place w;
  t_service *t = &w.t;
  t_place_open(&w, &acme, "alpha", NULL);
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "PATCH", "{\"shards\":[{\"regionConfigs\":[{\"cloud\":\"AMAZON\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                           "\"electableSpecs\":{\"tier\":\"M20\",\"nodeCount\":3}}]}]}", "/groups/%s/machines/c", w.group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_UPDATE_STARTED", w.group), ==, 200);
  munit_assert_not_null(strstr(t->response.body, "\"display\":\"tier\",\"new\":\"M20\",\"old\":\"M10\","
                               "\"param\":\"shards[0].regionConfigs[0].electableSpecs.tier\""));
  munit_assert_null(strstr(t->response.body, "instanceSize"));
  t_close(t);
}

TEST(dialect, sent_back)
{
  t_place w;
  t_service *t = &w.t;
  const char *whole;
  t_place_open(&w, &acme, "alpha", NULL);
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/c", w.group), ==, 200);
  whole = t_keep(t, t->response.body);
  if (t_sendf(t, "PATCH", whole, "/groups/%s/machines/c", w.group) != 200) munit_errorf("%s", t->response.body);
  munit_assert_int(t_sendf(t, "PATCH", "{\"marks\":[{\"word\":\"a\",\"value\":\"b\"}]}", "/groups/%s/machines/c", w.group), ==, 200);
  munit_assert_string_equal(t_str(t, "marks[0].word"), "a");
  t_close(t);
}

/* ---------------------------------------------------------------------------------------------------------------- errors */

TEST(dialect, refused_requests)
{
  t_place w;
  t_service *t = &w.t;
  t_place_open(&w, &acme, "alpha", NULL);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/none", w.group), ==, 404);
  munit_assert_string_equal(t_error(t), "NO_SUCH_MACHINE");
  munit_assert_string_equal(t_get_header(t, "X-Error-Code"), "NO_SUCH_MACHINE");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/dbVersion", w.group), ==, 404);
  munit_assert_string_equal(t_param(t, 0), "dbVersion"); /* a name that a user sent */

  /* the original words are unknown, and errors quote them as they were sent */
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"SET\",\"dbMajorVersion\":\"8.0\",\"replicationSpecs\":[]}",
                           "/groups/%s/machines", w.group), ==, 400);
  munit_assert_true(t_violation(t, "dbMajorVersion"));
  munit_assert_true(t_violation(t, "replicationSpecs"));
  munit_assert_not_null(strstr(t->response.body, "does not exist in this object; did you mean acmeMajor?"));
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"shards\":[{\"regionConfigs\":[{\"cloud\":\"AMAZON\","
                           "\"electableSpecs\":{\"tier\":\"M11\"}}]}]}", "/groups/%s/machines", w.group), ==, 400);
  munit_assert_true(t_violation(t, "clusterType"));
  munit_assert_true(t_violation(t, "shards[0].regionConfigs[0].electableSpecs.tier"));
  munit_assert_true(t_violation(t, "shards[0].regionConfigs[0].regionName"));
  munit_assert_not_null(strstr(t->response.body, "must be SET, SHARDED or GEOSHARDED"));
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"SET\"}", "/groups/%s/machines", w.group), ==, 400);
  munit_assert_string_equal(t_error(t), "LEFT_OUT");
  munit_assert_string_equal(t_param(t, 0), "shards");
  munit_assert_not_null(strstr(t_str(t, "detail"), "The field shards is required"));
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ",\"acmeMajor\":\"1.0\""), "/groups/%s/machines", w.group), ==, 400);
  munit_assert_null(strstr(t->response.body, "dbMajorVersion"));
  munit_assert_not_null(strstr(t->response.body, "acmeMajor must be "));
  munit_assert_int(t_sendf(t, "POST", "{\"shards\":7}", "/groups/%s/machines", w.group), ==, 400);
  munit_assert_true(t_violation(t, "shards"));
  munit_assert_int(t_sendf(t, "POST", "[1]", "/groups/%s/machines", w.group), ==, 400);
  t_close(t);
}

/* ------------------------------------------------------------------------------------------------------ query, path, events */

TEST(dialect, query_and_path)
{
  t_place w;
  t_service *t = &w.t;
  char path[160];
  t_place_open(&w, &acme, "alpha", NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"u\",\"password\":\"long-enough-1\",\"databaseName\":\"admin\",\"roles\":[{\"roleName\":"
                           "\"readAnyDatabase\",\"databaseName\":\"admin\"}]}", "/groups/%s/databaseUsers", w.group), ==, 201);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=LOGIN_ADDED", w.group), ==, 200);
  munit_assert_int(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].eventTypeName"), "LOGIN_ADDED");
  munit_assert_not_null(strstr(t_link(t, "self"), "eventType=LOGIN_ADDED"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=DB_USER_ADDED", w.group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?excludedEventType=LOGIN_ADDED", w.group), ==, 200);
  munit_assert_null(strstr(strstr(t->response.body, "\"results\""), "LOGIN_ADDED"));
  munit_assert_int(t_send(t, "GET", "/eventTypes?itemsPerPage=500", NULL), ==, 200);
  munit_assert_null(strstr(t->response.body, "\"DB_USER_ADDED\""));

  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/processes", w.group), ==, 200);
  snprintf(path, sizeof path, "/groups/%s/machines/%s/logs/acme-log.gz", w.group, t_str(t, "results[0].hostname"));
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/processes/%s", w.group, "none:27017"), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/dns", w.group), ==, 200);
  munit_assert_int(t_send(t, "GET", "/rateLimits?endpointPath=/groups/{groupId}/dns", NULL), ==, 200);
  munit_assert_not_null(strstr(t->response.body, "/groups/{groupId}/dns\""));
  munit_assert_null(strstr(t->response.body, "providerCustomDNS"));
  t_close(t);
}

TEST(dialect, idempotency_key)
{
  t_place w;
  t_service *t = &w.t;
  const char *first;
  t_place_open(&w, &acme, "alpha", NULL);
  t_header(t, "Idempotency-Key", "one");
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  first = t_keep(t, t->response.body);
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  munit_assert_string_equal(t->response.body, first);
  t_close(t);
}

TEST(dialect, faults)
{
  t_service t;
  svc_fault fault = { .error_code = "CLUSTER_NOT_FOUND", .operation = "listGroups" };
  int id;
  t_open(&t, &acme);
  munit_assert_int(svc_fault_add(t.s, &fault, &id), ==, SVC_INVALID); /* the dialect has renamed this code */
  fault.error_code = "NO_SUCH_MACHINE";
  munit_assert_int(svc_fault_add(t.s, &fault, &id), ==, SVC_OK);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 404);
  munit_assert_string_equal(t_error(&t), "NO_SUCH_MACHINE");
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- what users wrote */

/* Original and renamed words stay unchanged in users' data: names, tags, descriptions, comments, keys and values of free-form JSON. */
TEST(dialect, user_data)
{
  static const char *const said = "replicationSpecs shards AWS AMAZON clusters machines CLUSTER_NOT_FOUND \\u0041WS";
  t_place w;
  t_service *t = &w.t;
  char body[1024];
  const char *shown;
  t_place_open(&w, &acme, "REPLICASET", NULL);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "REPLICASET");
  munit_assert_int(t_sendf(t, "POST", MACHINE("machines", ",\"marks\":[{\"word\":\"shards\",\"value\":\"AWS\"},{\"word\":\"AWS\",\"value\":\"SET\"},"
                           "{\"word\":\"replicationSpecs\",\"value\":\"AMAZON\"}]"), "/groups/%s/machines", w.group), ==, 201);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/machines", w.group), ==, 200);
  shown = strstr(t->response.body, "\"marks\":");
  munit_assert_not_null(shown);
  munit_assert_not_null(strstr(shown, "\"word\":\"shards\""));
  munit_assert_not_null(strstr(shown, "\"value\":\"AWS\""));
  munit_assert_not_null(strstr(shown, "\"word\":\"replicationSpecs\""));
  munit_assert_not_null(strstr(shown, "\"value\":\"AMAZON\""));
  snprintf(body, sizeof body, "[{\"ipAddress\":\"192.0.2.1\",\"comment\":\"%s\"}]", said);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/accessList", w.group), ==, 201);
  munit_assert_string_equal(t_str(t, "results[0].comment"), "replicationSpecs shards AWS AMAZON clusters machines CLUSTER_NOT_FOUND AWS");
  munit_assert_int(t_sendf(t, "POST", NULL, "/groups/%s/sampleDatasetLoad/machines", w.group), ==, 201);
  t_advance(t, 3600);
  if (t_sendf(t, "POST", "{\"collectionName\":\"movies\",\"database\":\"sample_mflix\",\"name\":\"REPLICASET\",\"type\":\"search\",\"definition\":{\"mappings\":{\"dynamic\":false,"
              "\"fields\":{\"replicationSpecs\":{\"type\":\"string\"},\"shards\":{\"type\":\"string\"},\"key\":{\"type\":\"number\"}}}}}",
              "/groups/%s/machines/machines/search/indexes", w.group) != 201) munit_error(t->response.body);
  munit_assert_string_equal(t_str(t, "name"), "REPLICASET");
  munit_assert_not_null(t_node(t, "latestDefinition.mappings.fields.replicationSpecs"));
  munit_assert_not_null(t_node(t, "latestDefinition.mappings.fields.shards"));
  munit_assert_not_null(t_node(t, "latestDefinition.mappings.fields.key"));
  /* an error quotes the name as it was sent */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/machines/replicationSpecs", w.group), ==, 404);
  munit_assert_not_null(strstr(t_str(t, "detail"), "replicationSpecs"));
  munit_assert_null(strstr(t_str(t, "detail"), "shards"));
  t_close(t);
}

/* The same state in other words has another ETag: otherwise a client would keep a body in old words. */
TEST(dialect, other_tags)
{
  static const char *const dialects[] = { NULL, acme_words, "{\"fields\":{\"dbVersion\":\"otherVersion\"}}" };
  char tags[3][64];
  size_t i, k;
  for (i = 0; i < 3; i++) {
    svc_config config = { .limiter_off = 1, .seed = 7, .manual_clock = INT64_C(1800000000000), .dialect = dialects[i] };
    const char *clusters = i == 1 ? "/groups/%s/machines" : "/groups/%s/clusters", *one = i == 1 ? "/groups/%s/machines/c" : "/groups/%s/clusters/c";
    t_place w;
    t_place_open(&w, &config, "alpha", NULL);
    munit_assert_int(t_sendf(&w.t, "POST", i == 1 ? MACHINE("c", "") : "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                             "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}",
                             clusters, w.group), ==, 201);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, one, w.group), ==, 200);
    snprintf(tags[i], sizeof tags[i], "%s", t_get_header(&w.t, "ETag"));
    for (k = 0; k < i; k++) munit_assert_string_not_equal(tags[i], tags[k]);
    munit_assert_memory_equal(strlen(tags[0]) - 1, tags[i], tags[0]); /* the part of the ETag that names the state is the same */
    t_header(&w.t, "If-None-Match", tags[0]);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, one, w.group), ==, i ? 200 : 304);
    t_close(&w.t);
  }
}

/* The dialect also covers Location, ETags, pages, limits, and errors that name a path. */
TEST(dialect, around_the_body)
{
  static const svc_limit_override few = { "clusters_group", 4, 1, 60 };
  svc_config config = { .limits = &few, .limit_count = 1, .dialect = acme_words };
  t_place w;
  t_service *t = &w.t;
  char path[128], tag[64];
  t_place_open(&w, &config, "alpha", NULL);
  munit_assert_int(t_sendf(t, "POST", MACHINE("c", ""), "/groups/%s/machines", w.group), ==, 201);
  snprintf(path, sizeof path, "/groups/%s/machines/c", w.group);
  munit_assert_not_null(strstr(t_get_header(t, "Location"), path));
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));
  t_header(t, "If-None-Match", tag);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 304);
  t_headers_clear(t);
  munit_assert_int(t_sendf(t, "PUT", "{}", "/groups/%s/machines", w.group), ==, 405);
  munit_assert_not_null(strstr(t_str(t, "detail"), "/machines"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=1&excludedEventType=LOGIN_ADDED", w.group), ==, 200);
  munit_assert_not_null(strstr(t_link(t, "next"), "excludedEventType=LOGIN_ADDED"));
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 429);
  munit_assert_not_null(strstr(t_param(t, 0), "/machines"));
  munit_assert_null(strstr(t->response.body, "clusters"));
  t_close(t);
}

/* The journal shows bodies in the words that they were sent in. A field that is secret stays secret under any name. */
TEST(dialect, journal)
{
  static const char words[] = "{\"fields\":{\"username\":\"login\",\"password\":\"shibboleth\",\"tags\":\"marks\",\"instanceSize\":\"tier\",\"replicationSpecs\":\"shards\"},"
                              "\"values\":{\"AWS\":\"AMAZON\"},\"codes\":{\"CLUSTER_NOT_FOUND\":\"NO_SUCH_MACHINE\"}}";
  const svc_config config = { .limiter_off = 1, .journal = 10, .dialect = words };
  t_place w;
  t_service *t = &w.t;
  svc_response shown;
  t_place_open(&w, &config, "alpha", NULL);
  if (t_sendf(t, "POST", "{\"login\":\"anna\",\"shibboleth\":\"long-enough-1\",\"databaseName\":\"admin\",\"roles\":[{\"roleName\":"
              "\"readAnyDatabase\",\"databaseName\":\"admin\"}]}", "/groups/%s/databaseUsers", w.group) != 201) munit_error(t->response.body);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"instanceSize\":\"M99\",\"shards\":[{\"regionConfigs\":[{\"providerName\":"
                           "\"AMAZON\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"tier\":\"M10\",\"nodeCount\":3}}]}]}",
                           "/groups/%s/clusters", w.group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/none", w.group), ==, 404);
  munit_assert_int(svc_journal_read(t->s, 0, &shown), ==, SVC_OK);
  munit_assert_not_null(strstr(shown.body, "\"login\":\"anna\""));
  munit_assert_not_null(strstr(shown.body, "\"shibboleth\":\"***\""));
  munit_assert_null(strstr(shown.body, "long-enough-1"));
  munit_assert_not_null(strstr(shown.body, "\"tier\":\"M10\""));
  munit_assert_not_null(strstr(shown.body, "\"providerName\":\"AMAZON\""));
  munit_assert_not_null(strstr(shown.body, "\"instanceSize\":\"***\"")); /* the field is unknown in this dialect, so its value is hidden */
  munit_assert_not_null(strstr(shown.body, "\"errorCode\":\"NO_SUCH_MACHINE\""));
  svc_response_free(&shown);
  t_close(t);
}

/* ----------------------------------------------------------------------------------------------------------------- a probe */

/* The made-up noun of this suite, a lamp: a union selected by its kind, with arrays, maps, nested objects and free-form JSON. */
static const char *const lamp_kinds[] = { "OIL", "WIRED", NULL };
static const char *const lamp_colours[] = { "RED", "BLUE", NULL };
static const svc_field part_fields[] = { F_ENUM("colour", lamp_colours), F_STR("maker") };
static const svc_object part_object = { .name = "LampPart", .fields = SVC_ROWS(part_fields) };
static const svc_field lamp_base_fields[] = {
  { .name = "colours", .type = SVC_ARRAY, .item = SVC_STRING, .values = lamp_colours },
  F_ANY("free"), F_GROUP_ID(), F_ID(), F_ENUM("lampKind", lamp_kinds, .flags = SVC_REQUIRED), F_STR("name", .flags = SVC_REQUIRED),
  { .name = "named", .type = SVC_MAP, .item = SVC_OBJECT, .object = &part_object },
  F_LIST("parts", &part_object),
  { .name = "words", .type = SVC_MAP, .item = SVC_STRING, .max = 8 }
};
static const svc_object lamp_base = { .name = "LampBase", .fields = SVC_ROWS(lamp_base_fields) };
static const svc_field oil_fields[] = { F_STR("wick") };
static const svc_object oil_object = { .name = "OilLamp", .fields = SVC_ROWS(oil_fields), .base = &lamp_base };
static const svc_field wired_fields[] = { F_INT("watts"), F_ENUM("wick", lamp_colours) };
static const svc_object wired_object = { .name = "WiredLamp", .fields = SVC_ROWS(wired_fields), .base = &lamp_base };
static const svc_variant lamp_variants[] = { { "OIL", &oil_object }, { "WIRED", &wired_object }, { NULL, NULL } };
static const svc_object lamp_object = { .name = "Lamp", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("lampKind", NULL, lamp_variants)) };
#define LAMPS "/groups/{groupId}/lamps", SVC_SET_PROJECTS, (20250101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER
static const svc_route lamp_routes[] = {
  R_GET(LAMPS, "", .flags = SVC_PAGED, .op = "listLamps", .run = svc_verb_list),
  R_POST(LAMPS, "", .status = 201, .op = "createLamp", .run = svc_verb_create),
  R_GET(LAMPS, "/{lampId}", .op = "getLamp", .run = svc_verb_read),
  R_PATCH(LAMPS, "/{lampId}", .op = "updateLamp", .run = svc_verb_update)
};
static const svc_noun lamp = { .name = "lamp", .kind = "lamp", .parent = "project", .param = "lampId", .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
                               .object = &lamp_object, .routes = SVC_ROUTES(lamp_routes) };
static const svc_noun *const lamp_probes[] = { &lamp, NULL };

static const char lamp_words[] = "{\"fields\":{\"lampKind\":\"aSort\",\"maker\":\"by\",\"parts\":\"bits\",\"watts\":\"power\",\"wick\":\"thread\"},"
                                 "\"values\":{\"OIL\":\"BURNING\",\"RED\":\"ROUGE\"},\"paths\":{\"lamps\":\"lights\"}}";

#define INSIDE "{\"colour\":\"RED\",\"maker\":\"m\",\"parts\":[\"OIL\"]}"

TEST(dialect, probe)
{
  svc_config config = { .limiter_off = 1, .dialect = lamp_words };
  const char *id;
  t_place w;
  t_service *t = &w.t;
  t_probes(lamp_probes);
  t_place_open(&w, &config, "alpha", NULL);
  if (t_sendf(t, "POST", "{\"aSort\":\"BURNING\",\"name\":\"RED\",\"thread\":\"RED\",\"colours\":[\"ROUGE\",\"BLUE\"],\"free\":" INSIDE ","
              "\"named\":{\"maker\":{\"colour\":\"ROUGE\",\"by\":\"RED\"}},\"bits\":[{\"by\":\"wick\"},{\"colour\":\"ROUGE\"}],"
              "\"words\":{\"wick\":\"RED\"}}", "/groups/%s/lights", w.group) != 201) munit_errorf("%s", t->response.body);
  id = t_keep(t, t_str(t, "id"));
  munit_assert_string_equal(t_str(t, "aSort"), "BURNING");
  munit_assert_string_equal(t_str(t, "thread"), "RED"); /* "thread" of an oil lamp has no list of values */
  munit_assert_string_equal(t_str(t, "colours[0]"), "ROUGE");
  munit_assert_string_equal(t_str(t, "named.maker.colour"), "ROUGE");
  munit_assert_string_equal(t_str(t, "named.maker.by"), "RED");
  munit_assert_string_equal(t_str(t, "bits[0].by"), "wick");
  munit_assert_string_equal(t_str(t, "bits[1].colour"), "ROUGE");
  munit_assert_string_equal(t_str(t, "words.wick"), "RED");
  munit_assert_not_null(strstr(t->response.body, "\"free\":" INSIDE));
  munit_assert_memory_equal(9, t->response.body, "{\"aSort\":"); /* sorted by its name on the wire, this member is the first */

  /* a PATCH may omit the field that selects the variant */
  munit_assert_int(t_sendf(t, "PATCH", "{\"bits\":[{\"by\":\"n\"}],\"thread\":\"ROUGE\"}", "/groups/%s/lights/%s", w.group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "bits[0].by"), "n");
  munit_assert_string_equal(t_str(t, "thread"), "ROUGE");
  munit_assert_int(t_sendf(t, "PATCH", "{\"aSort\":\"WIRED\",\"power\":7,\"thread\":\"ROUGE\"}", "/groups/%s/lights/%s", w.group, id), ==, 200);
  munit_assert_int(t_int(t, "power"), ==, 7);
  munit_assert_string_equal(t_str(t, "thread"), "ROUGE");

  /* errors name keys of maps as they were sent, and fields in the dialect's words */
  munit_assert_int(t_sendf(t, "PATCH", "{\"words\":{\"wick\":\"far too long\"},\"named\":{\"maker\":{\"colour\":\"RED\",\"maker\":\"m\"}}}",
                           "/groups/%s/lights/%s", w.group, id), ==, 400);
  munit_assert_true(t_violation(t, "words.wick"));
  munit_assert_true(t_violation(t, "named.maker.colour"));
  munit_assert_true(t_violation(t, "named.maker.maker"));
  munit_assert_not_null(strstr(t->response.body, "must be ROUGE or BLUE"));
  munit_assert_int(t_sendf(t, "POST", "{\"aSort\":\"OIL\",\"name\":\"n\"}", "/groups/%s/lights", w.group), ==, 400);
  munit_assert_string_equal(t_param(t, 0), "aSort");
  munit_assert_not_null(strstr(t_str(t, "detail"), "must be BURNING or WIRED"));

  /* the store has the original words */
  munit_assert_size(probe_records(t->s, "elamp"), ==, 1);
  {
    probe_walk walk;
    svc_entity e;
    probe_walk_begin(&walk, t->s, "elamp");
    munit_assert_true(probe_walk_next(&walk));
    munit_assert_true(svc_entity_decode(walk.key, walk.value, &e));
    munit_assert_true(svc_json_is(e.body, "lampKind", "WIRED"));
    munit_assert_true(svc_json_is(e.body, "wick", "RED"));
    while (probe_walk_next(&walk)) continue;
  }
  t_close(t);
  t_probes(NULL);
}

/* --------------------------------------------------------------------------------------------------------------- one store */

/* The store keeps the original words: a handle with another dialect shows the same data in its own words. */
TEST(dialect, another)
{
  static const char other[] = "{\"fields\":{\"clusterType\":\"shape\"},\"values\":{\"REPLICASET\":\"RS\",\"DB_USER_ADDED\":\"U\"}}";
  svc_config config = acme;
  char folder[] = "/tmp/svc-test-XXXXXX", path[96];
  t_service t;
  const char *group;
  munit_assert_not_null(mkdtemp(folder));
  config.path = folder;
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  snprintf(path, sizeof path, "/groups/%s/machines", group);
  munit_assert_int(t_send(&t, "POST", path, MACHINE("c", "")), ==, 201);
  snprintf(path, sizeof path, "/groups/%s/clusters/c", group);
  munit_assert_null(config.vendor);
  config.dialect = other;
  config.dialect_change = 1; /* otherwise a shared store refuses a handle with another dialect */
  t_reopen(&t, &config);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "shape"), "RS");
  config.dialect = NULL;
  t_reopen(&t, &config);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "clusterType"), "REPLICASET");
  config.dialect = "{\"vendor\":\"other\"}"; /* the vendor word of a store cannot change */
  t_close(&t);
  {
    svc *s = NULL;
    config.store = t_port();
    config.log = t_log;
    config.log_context = &t;
    t.log[0] = 0;
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    munit_assert_not_null(strstr(t.log, "the vendor word of this store is svc, not other"));
  }
}

static int agree_open(const char *folder, const char *dialect, int keep_orders, int change, char said[4096])
{
  svc_config config = { .path = folder, .store = t_port(), .dialect = dialect, .keep_orders = keep_orders, .dialect_change = change };
  t_service t;
  svc *s;
  int rc;
  memset(&t, 0, sizeof t);
  config.log = t_log;
  config.log_context = &t;
  rc = svc_open(&s, &config);
  if (rc == SVC_OK) munit_assert_int(svc_check_store(s, NULL, NULL), ==, SVC_OK);
  snprintf(said, 4096, "%s", t.log);
  svc_close(s);
  return rc;
}

/* Handles that share a store have one dialect. The first handle records it. A handle with another one is refused with the
** difference, or replaces it if configured to. */
TEST(dialect, agree)
{
  static const char words[] = "{\"fields\":{\"clusterType\":\"shape\",\"name\":\"title\"}}", turned[] = "{ \"fields\": {\"name\":\"title\",\"clusterType\":\"shape\"},\"codes\":{}}",
    other[] = "{\"fields\":{\"clusterType\":\"form\",\"name\":\"title\"},\"values\":{\"REPLICASET\":\"RS\"}}";
  char folder[128], said[4096];
  if (!t_postgres_port()) setenv("SVC_TEST_STORE", "shared", 1);
  SKIP_IF(!t_port()->shared);
  store_folder(folder);
  munit_assert_int(agree_open(folder, other, 1, 0, said), ==, SVC_OK); /* a tool that serves no requests records no dialect */
  munit_assert_int(agree_open(folder, words, 0, 0, said), ==, SVC_OK);
  munit_assert_int(agree_open(folder, turned, 0, 0, said), ==, SVC_OK); /* the same words */
  munit_assert_int(agree_open(folder, other, 0, 0, said), ==, SVC_INVALID);
  munit_assert_not_null(strstr(said, "in fields, values; give every instance the same dialect"));
  munit_assert_int(agree_open(folder, NULL, 0, 0, said), ==, SVC_INVALID);
  munit_assert_not_null(strstr(said, "--dialect) in fields;"));
  munit_assert_int(agree_open(folder, NULL, 1, 0, said), ==, SVC_OK);
  munit_assert_int(agree_open(folder, other, 0, 1, said), ==, SVC_OK);
  munit_assert_int(agree_open(folder, other, 0, 0, said), ==, SVC_OK);
  munit_assert_int(agree_open(folder, words, 0, 0, said), ==, SVC_INVALID);
  munit_assert_int(agree_open(folder, NULL, 0, 1, said), ==, SVC_OK); /* no dialect */
  munit_assert_int(agree_open(folder, "{}", 0, 0, said), ==, SVC_OK);
  store_remove(folder);
}

TEST(dialect, vendor_and_scheme)
{
  svc_config config = { .limiter_off = 1, .dialect = "{\"vendor\":\"acme\",\"dbScheme\":\"acmedb\",\"values\":{\"SVC_MANAGED\":\"OURS\"}}" };
  svc_credentials first;
  char target[160];
  t_service t;
  t_open(&t, &config);
  munit_assert_string_equal(svc_vendor(t.s), "acme");
  munit_assert_int(svc_bootstrap(t.s, &first), ==, SVC_OK);
  snprintf(target, sizeof target, "/api/acme/v2/groups/%s/clusters", first.group_id);
  munit_assert_int(t_send_raw(&t, "POST", target, PROBE_CLUSTER("c", "M10"), strlen(PROBE_CLUSTER("c", "M10"))), ==, 201);
  munit_assert_string_equal(t_str(&t, "configServerManagementMode"), "OURS");
  t_advance(&t, 60);
  snprintf(target, sizeof target, "/api/acme/v2/groups/%s/clusters/c", first.group_id);
  munit_assert_int(t_send_raw(&t, "GET", target, NULL, 0), ==, 200);
  munit_assert_memory_equal(9, t_str(&t, "connectionStrings.standard"), "acmedb://");
  t_close(&t);
}

/* Requests of the host itself use the original words, even if paths and fields are renamed. */
TEST(dialect, bootstrap)
{
  svc_config config = { .limiter_off = 1, .dialect = "{\"fields\":{\"name\":\"title\",\"orgId\":\"org\",\"id\":\"number\",\"secrets\":\"keys\",\"desc\":\"about\"},"
                        "\"paths\":{\"orgs\":\"firms\",\"groups\":\"works\",\"apiKeys\":\"keys\",\"accessList\":\"doors\"},\"values\":{\"ORG_OWNER\":\"BOSS\"}}" };
  svc_credentials first, again;
  t_service t;
  t_open(&t, &config);
  if (svc_bootstrap(t.s, &first) != SVC_OK) munit_errorf("%s", t.log);
  munit_assert_size(strlen(first.group_id), ==, 24);
  munit_assert_true(strlen(first.client_secret) > 20 && strlen(first.private_key) > 20);
  munit_assert_int(svc_new_credentials(t.s, NULL, &again), ==, SVC_OK);
  munit_assert_string_equal(again.org_id, first.org_id);
  munit_assert_string_equal(again.group_id, first.group_id);
  munit_assert_int(t_send(&t, "GET", "/firms", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].number"), first.org_id);
  t_close(&t);
}

/* --------------------------------------------------------------------------------------------------------------- at open */

static void refuses(const char *dialect, const char *why)
{
  t_service t;
  svc_config config = { .dialect = dialect, .log = t_log, .log_context = &t };
  svc *s = NULL;
  memset(&t, 0, sizeof t);
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_null(s);
  if (!strstr(t.log, why)) munit_errorf("%s: %s", dialect, t.log);
}

TEST(dialect, refused)
{
  static const struct {
    const char *dialect, *why;
  } bad[] = {
    { "{", "svc_config.dialect is invalid JSON at byte 1" },
    { "[]", "it must be an object" },
    { "{\"fields\":{\"name\":\"a\",\"name\":\"b\"}}", "name" },
    { "{\"words\":{}}", "words is not a member of a dialect" },
    { "{\"fields\":[]}", "fields must be an object" },
    { "{\"vendor\":7}", "vendor must be a string" },
    { "{\"fields\":{\"name\":7}}", "fields: name must be shown as a string" },
    { "{\"fields\":{\"name\":\"\"}}", "fields: name cannot be shown as : which is not such a word" },
    { "{\"fields\":{\"name\":\"a b\"}}", "fields: name cannot be shown as a b" },
    { "{\"fields\":{\"name\":\"links\"}}", "fields: name cannot be shown as links" },
    { "{\"fields\":{\"nosuchField\":\"a\"}}", "fields: nosuchField is not a field of any object" },
    { "{\"fields\":{\"dbVersion\":\"a\",\"dbMajorVersion\":\"a\"}}", "cannot be shown as a: another word of ours is shown so" },
    { "{\"fields\":{\"dbVersion\":\"dbMajorVersion\"}}", "fields: dbVersion cannot be shown as dbMajorVersion: the same object has both" },
    { "{\"fields\":{\"dbVersion\":\"dbVersion\"}}", "fields: dbVersion cannot be shown as dbVersion" },
    { "{\"paths\":{\"nowhere\":\"a\"}}", "paths: nowhere is not a segment or verb of any path" },
    { "{\"paths\":{\"clusters\":\":a\"}}", "paths: clusters cannot be shown as :a" },
    { "{\"paths\":{\"clusters\":\"a/b\"}}", "paths: clusters cannot be shown as a/b" },
    { "{\"paths\":{\"clusters\":\"groups\"}}", "paths: clusters cannot be shown as groups: other paths have that" },
    { "{\"paths\":{\"clusters\":\"..\"}}", "paths: clusters cannot be shown as ..: which is not such a word" },
    { "{\"paths\":{\"clusters\":\".\"}}", "paths: clusters cannot be shown as .: which is not such a word" },
    { "{\"paths\":{\"clusters\":\"a?b\"}}", "paths: clusters cannot be shown as a?b" },
    { "{\"paths\":{\"clusters\":\"{x}\"}}", "paths: clusters cannot be shown as {x}" },
    { "{\"paths\":{\"clusters\":\"groups\",\"groups\":\"clusters\"}}", "paths: clusters cannot be shown as groups: other paths have that" },
    { "{\"paths\":{\"{groupId}\":\"x\"}}", "paths: {groupId} is not a segment or verb of any path" },
    { "{\"fields\":{\"dbVersion\":\"dbMajorVersion\",\"dbMajorVersion\":\"dbVersion\"}}", "cannot be shown as dbVersion: the same object has both" },
    { "{\"fields\":{\"dbVersion\":null}}", "fields: dbVersion must be shown as a string" },
    { "{\"fields\":{\"dbVersion\":{\"a\":1}}}", "fields: dbVersion must be shown as a string" },
    { "{\"fields\":{\"dbVersion\":{\"a\":{\"b\":{}}}}}", "nesting too deep" },
    { "{\"fields\":{\"\":\"a\"}}", "empty key" },
    { "{\"fields\":{},\"fields\":{}}", "duplicate key: \"fields\"" },
    { "{\"fields\":{\"dbVersion\":\"a\\u0000b\"}}", "U+0000 in a string" },
    { "{\"fields\":{\"dbVersion\":\"a\001b\"}}", "control character in a string: ?b" },
    { "{\"fields\":{\"dbVersion\":\"\377\"}}", "invalid UTF-8: ?" },
    { "{\"fields\":{\"a\\u001b[31m\\nb%s%n\":\"x\"}}", "fields: a?[31m?b%s%n is not a field of any object" }, /* one escaped line */
    { "{} {}", "trailing bytes" },
    { "", "empty document" },
    { "null", "it must be an object" },
    { "{\"vendor\":\"a/b\"}", "svc_config.vendor must be a word" },
    { "{\"vendor\":\"\"}", "svc_config.vendor must be a word" },
    { "{\"values\":{\"NO_SUCH_VALUE\":\"A\"}}", "values: NO_SUCH_VALUE is not a value" },
    { "{\"values\":{\"SHARDED\":\"REPLICASET\"}}", "values: SHARDED cannot be shown as REPLICASET: the same list has both" },
    { "{\"values\":{\"DB_USER_ADDED\":\"DB_USER_DELETED\"}}", "values: DB_USER_ADDED cannot be shown as DB_USER_DELETED: both are types of events" },
    { "{\"values\":{\"DBD\":\"\\u0007\"}}", "values: DBD cannot be shown as" },
    { "{\"codes\":{\"NO_SUCH_CODE\":\"A\"}}", "codes: NO_SUCH_CODE is not an error code" },
    { "{\"codes\":{\"CLUSTER_NOT_FOUND\":\"MISSING_ATTRIBUTE\"}}", "codes: CLUSTER_NOT_FOUND cannot be shown as MISSING_ATTRIBUTE" },
    { "{\"dbScheme\":\"A B\"}", "svc_config.db_scheme must be a word" },
  };
  svc_config config = { .vendor = "acme", .dialect = "{\"vendor\":\"other\"}" };
  t_service t;
  svc *s = NULL;
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) refuses(bad[i].dialect, bad[i].why);
  memset(&t, 0, sizeof t);
  config.log = t_log;
  config.log_context = &t;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_not_null(strstr(t.log, "the vendor of the dialect is other, and svc_config has acme"));
  config.vendor = "other"; /* equal vendor words do not conflict */
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  svc_close(s);
}

/* The error about a word that is far too long quotes its beginning. */
TEST(dialect, long_word)
{
  static char text[65536];
  size_t n = (size_t)snprintf(text, sizeof text, "{\"fields\":{\"dbVersion\":\"");
  t_service t;
  svc_config config = { .dialect = text, .log = t_log, .log_context = &t };
  svc *s = NULL;
  memset(text + n, 'a', sizeof text - n);
  snprintf(text + sizeof text - 8, 8, "\"}}");
  memset(&t, 0, sizeof t);
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_size(strlen(t.log), <, 300);
  munit_assert_not_null(strstr(t.log, "aaa: which is not such a word"));
}

/* Out of memory at every allocation while a dialect is read. */
TEST(dialect, memory)
{
  t_memory memory = { 0 };
  svc_config config = acme;
  svc *s = NULL;
  int rc = SVC_NOMEM;
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &memory;
  for (memory.fail_at = 1; rc == SVC_NOMEM; memory.fail_at++) {
    memory.calls = 0;
    rc = svc_open(&s, &config);
    munit_assert_true(rc == SVC_NOMEM || rc == SVC_OK);
    if (rc == SVC_OK) svc_close(s);
    munit_assert_long(memory.live, ==, 0);
  }
}

/* Memory runs out at any point of a create: either the project is there and was shown, or it is not there. */
TEST(dialect, room)
{
  static const svc_header type = { "Content-Type", "application/json", 0, 0 };
  static t_place w;
  t_service *t = &w.t;
  t_memory memory = { 0 };
  char body[200];
  svc_request request = { .method = "POST", .target = "/api/svc/v2/groups?envelope=true", .headers = &type, .header_count = 1, .body = body };
  size_t room;
  bool done = false;
  long refused = 0;
  t_place_open(&w, &acme, "alpha", NULL);
  request.caller = &t->caller;
  request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"beta\",\"orgId\":\"%s\",\"marks\":[{\"word\":\"a\",\"value\":\"b\"}]}", w.org);
  for (room = 0; !done; room += 128) {
    svc_response response;
    svc_arena arena;
    munit_assert_size(room, <, T_MOST_ROOM);
    done = t_handle_within(t, &memory, &request, room, &response, &arena) == SVC_OK;
    if (done) munit_assert_int(response.status, ==, 201);
    if (done) munit_assert_not_null(strstr(response.body, "\"marks\""));
    svc_blocks_free(arena.blocks);
    munit_assert_int(t_send(t, "GET", "/groups/byName/beta", NULL), ==, done ? 200 : 404);
    refused += !done;
  }
  munit_assert_long(refused, >, 20);
  t_close(t);
}

/* ----------------------------------------------------------------------------------------------------------- the document */

/* The host's descriptions use the original words. */
static const char *described(void *context, int what, const char *of, const char *name)
{
  (void)context;
  if (what == SVC_DESCRIBE_FIELD && strcmp(of, "Cluster") == 0 && strcmp(name, "replicationSpecs") == 0)
    return "Of `replicationSpecs`, `REPLICASET`, `SVC_MANAGED`, `none`; and replicationSpecs.";
  return NULL;
}

TEST(dialect, described)
{
  svc_config config = acme;
  svc_response document;
  const char *at;
  t_service t;
  config.describe = described;
  t_open(&t, &config);
  munit_assert_int(svc_openapi(t.s, &document), ==, SVC_OK);
  at = strstr(document.body, "\"description\":\"Of `");
  munit_assert_not_null(at);
  munit_assert_null(strstr(document.body, "`replicationSpecs`"));
  munit_assert_null(strstr(document.body, "`REPLICASET`"));
  munit_assert_null(strstr(document.body, "`SVC_MANAGED`"));
  munit_assert_not_null(strstr(at, "`none`; and replicationSpecs.\""));
  svc_response_free(&document);
  t_close(&t);
}

TEST(dialect, openapi)
{
  svc_response document;
  t_service t;
  t_open(&t, &acme);
  munit_assert_int(svc_openapi(t.s, &document), ==, SVC_OK);
  munit_assert_not_null(strstr(document.body, "\"/groups/{groupId}/machines/{clusterName}:letAcmeIn\""));
  munit_assert_null(strstr(document.body, "/clusters"));
  if (strstr(document.body, "\"replicationSpecs\"")) munit_errorf("%.300s", strstr(document.body, "\"replicationSpecs\"") - 200);
  if (strstr(document.body, "\"REPLICASET\"")) munit_errorf("%.300s", strstr(document.body, "\"REPLICASET\"") - 200);
  munit_assert_null(strstr(document.body, "\"DB_USER_ADDED\""));
  munit_assert_null(strstr(document.body, "\"SVC_MANAGED\""));
  munit_assert_not_null(strstr(document.body, "\"propertyName\":\"cloud\""));
  svc_response_free(&document);
  munit_assert_int(svc_driver_schema(t.s, &document), ==, SVC_OK); /* messages to drivers use the original words */
  munit_assert_not_null(strstr(document.body, "\"replicationSpecs\""));
  munit_assert_not_null(strstr(document.body, "\"REPLICASET\""));
  svc_response_free(&document);
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------ every plan */

/* The dialect of examples/ without its vendor word: this test's world keeps the library's own. */
static const char *public_words(svc_arena *a)
{
  static char text[65536];
  FILE *f = fopen("examples/dialects/atlas.json", "re");
  svc_buf b = svc_buf_new(a, 8192);
  svc_node *whole;
  size_t n;
  munit_assert_not_null(f);
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  munit_assert_true(svc_json_gate(a, (svc_str){ text, n }, 8, &(svc_json_fault){ 0, "" }));
  whole = svc_json_parse_gated(a, (svc_str){ text, n });
  svc_node_drop(whole, "vendor");
  svc_node_write(&b, whole);
  return svc_buf_done(&b).p;
}

/* Error codes that recordings of the public service contain and the binary does not: only the dialect file has them. Each of them is
** returned by some request. */
TEST(dialect, recorded_codes)
{
#define RECORDED_CLUSTER(more) \
  "{\"name\":\"c\",\"clusterType\":\"REPLICASET\"" more ",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"
  static const struct { const char *method, *path, *body, *code; } rows[] = {
    { "GET", "/groups/%s/clusters/none/search/deployment", NULL, "ATLAS_SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE" },
    { "POST", "/groups/%s/clusters/none/search/deployment", "{\"specs\":[{\"instanceSize\":\"S20_HIGHCPU_NVME\",\"nodeCount\":2}]}", "ATLAS_SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE" },
    { "PATCH", "/groups/%s/clusters/none/search/deployment", "{\"specs\":[{\"instanceSize\":\"S20_HIGHCPU_NVME\",\"nodeCount\":2}]}", "ATLAS_SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE" },
    { "DELETE", "/groups/%s/clusters/none/search/deployment", NULL, "ATLAS_SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE" },
    { "POST", "/groups/%s/clusters", RECORDED_CLUSTER(",\"mongoDBMajorVersion\":\"4.4\""), "ATLAS_CLUSTER_VERSION_DEPRECATED" },
    { "PATCH", "/groups/%s/clusters/c", "{\"paused\":true}", "ATLAS_GENERAL_ERROR" },
  };
  svc_arena arena;
  svc_config config = { .limiter_off = 1 };
  t_place w;
  size_t i;
  svc_arena_init(&arena, NULL);
  config.dialect = public_words(&arena);
  t_place_open(&w, &config, "alpha", NULL);
  if (t_sendf(&w.t, "POST", RECORDED_CLUSTER(""), "/groups/%s/clusters", w.group) != 201) munit_errorf("%s", w.t.response.body);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/c", w.group), ==, 202);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_sendf(&w.t, rows[i].method, rows[i].body, rows[i].path, w.group);
    if (strcmp(t_str(&w.t, "errorCode"), rows[i].code) != 0) munit_errorf("%s %s: %s", rows[i].method, rows[i].path, w.t.response.body);
  }
  t_close(&w.t);
  svc_blocks_free(arena.blocks);
}

/* From here on the world speaks the dialect of the other handle, except for its paths: the world was built with the original words. */
static void speak(t_world *w, const svc *other)
{
  size_t i;
  w->t.s->dialect = other->dialect;
  for (i = 0; i < w->t.s->plan_count; i++) w->t.s->plans[i].renamed = other->plans[i].renamed;
}

static void quieten(t_world *w)
{
  size_t i;
  w->t.s->dialect = NULL;
  for (i = 0; i < w->t.s->plan_count; i++) w->t.s->plans[i].renamed = false;
}

/* Complains about every original word for which the dialect has another one. */
static void no_words_of_ours(const svc *s, const svc_plan *plan, const svc_node *node)
{
  const svc_node *member;
  if (node->type == SVC_J_STRING && svc_word_ours(s, SVC_WORD_VALUE, node->text)) t_complain(plan, "answers with the value " SVC_FMT, SVC_ARG(node->text));
  for (member = svc_node_first(node); member; member = member->next) {
    if (node->type == SVC_J_OBJECT && svc_word_ours(s, SVC_WORD_FIELD, member->name))
      t_complain(plan, "answers with the field " SVC_FMT, SVC_ARG(member->name));
    if (svc_str_is(member->name, "links")) continue;
    no_words_of_ours(s, plan, member);
  }
}

static const char *in_words(t_world *w, const svc_plan *plan)
{
  const svc_object *object = plan->route->body ? plan->route->body : plan->noun->noun->object;
  svc_buf b = svc_buf_new(&w->t.arena, 4096);
  if (!w->has_body || plan->route->flags & SVC_NO_BODY) return w->has_body ? w->body : NULL;
  svc_node_write(&b, svc_turn_example(w->t.s, &w->t.arena, object, w->body));
  return t_keep(&w->t, svc_buf_done(&b).p);
}

/* The path, with values of fields in the words of the dialect. */
static const char *path_in_words(t_world *w, const svc_plan *plan)
{
  svc_buf b = svc_buf_new(&w->t.arena, 512);
  svc_str rest = svc_str_c(w->path + 1);
  if (plan->in_path < 0) return w->path;
  while (rest.n) {
    svc_str behind = svc_str_cut(&rest, '/'), value = svc_str_cut(&behind, '.');
    svc_buf_char(&b, '/');
    svc_buf_str(&b, svc_turned_value(w->t.s, plan->in_path_field, value));
    if (behind.n) svc_buf_char(&b, '.');
    svc_buf_str(&b, behind);
  }
  return t_keep(&w->t, svc_buf_done(&b).p);
}

static void every_plan(bool writes)
{
  static t_world w;
  svc_config config = { .limiter_off = 1 };
  t_schema schema;
  svc_arena arena;
  svc *other = NULL;
  size_t i, n, renamed = 0;
  svc_arena_init(&arena, NULL);
  config.dialect = public_words(&arena);
  munit_assert_int(svc_open(&other, &config), ==, SVC_OK);
  t_schema_open(&schema, other);
  for (i = 0, n = other->plan_count; i < n; i++) {
    const svc_plan *plan;
    const svc_node *fits;
    int status;
    if (other->plans[i].route->flags & SVC_ABSOLUTE || (other->plans[i].route->method != SVC_GET) != writes) continue;
    t_world_open(&w);
    plan = &w.t.s->plans[i];
    if (!t_world_elsewhere(plan) && !t_ended(&w.t, plan) && t_world_ready(&w, plan)) {
      speak(&w, other);
      status = t_send(&w.t, t_method(plan), path_in_words(&w, plan), in_words(&w, plan));
      if (status != t_success(plan)) t_complain(plan, "answers %d: %.300s", status, w.t.response.body);
      if (w.t.body && !svc_route_ext_of(plan->route)->media) no_words_of_ours(other, plan, w.t.body);
      fits = w.t.body && status < 300 && !svc_route_ext_of(plan->route)->media ? t_schema_of_answer(&schema, plan, status) : NULL;
      if (fits && !t_schema_fits(&schema, fits, w.t.body)) t_complain(plan, "does not fit the document: %s", schema.why);
      renamed += plan->renamed;
      quieten(&w);
    }
    t_world_close(&w);
  }
  munit_assert_size(renamed, >, 10);
  t_schema_close(&schema);
  svc_close(other);
  svc_blocks_free(arena.blocks);
  t_complaints_end();
}

TEST(dialect, every_read)
{
  every_plan(false);
}

TEST(dialect, every_write)
{
  every_plan(true);
}
