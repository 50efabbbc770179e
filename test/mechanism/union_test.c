/*
** Unions: a body whose shape depends on one of its fields. The made-up noun of this suite, a pipe of a project, is a union at
** the top. A variant of it, an object in it and the elements of an array are unions, too.
*/
#include "mechanism/probe.h"

#define PIPES "/groups/%s/pipes"

static const svc_config quiet = { .limiter_off = 1 };

/* ------------------------------------------------------------------------------------------------------------ objects */

/* auth: its mode selects the variant, NONE by default */
static const svc_field open_fields[] = { F_STR("mode") };
static const svc_object open_object = { .name = "PipeOpen", .fields = SVC_ROWS(open_fields) };
static const svc_field password_fields[] = {
  F_STR("mode"), F_STR("password", .flags = SVC_WRITE_ONLY), F_STR("user", .flags = SVC_REQUIRED)
};
static const svc_object password_object = { .name = "PipePassword", .fields = SVC_ROWS(password_fields) };
static const svc_variant auth_variants[] = { { "NONE", &open_object }, { "PASSWORD", &password_object }, { NULL, NULL } };
static const svc_object auth_object = {
  .name = "PipeAuth", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("mode", "NONE", auth_variants))
};

/* stages: op selects the variant, without a default. Each stage has an id, and so has each key of a join */
static const svc_field stage_base_fields[] = { F_ID(), F_STR("op", .flags = SVC_REQUIRED) };
static const svc_object stage_base = { .name = "PipeStageBase", .fields = SVC_ROWS(stage_base_fields) };
static const svc_field filter_fields[] = { F_STR("expr", .flags = SVC_REQUIRED) };
static const svc_object filter_object = { .name = "PipeFilter", .fields = SVC_ROWS(filter_fields), .base = &stage_base };
static const svc_field join_key_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object join_key = { .name = "PipeJoinKey", .fields = SVC_ROWS(join_key_fields) };
static const svc_field join_fields[] = { F_LIST("keys", &join_key, .preset = "[]"), F_STR("with", .flags = SVC_REQUIRED) };
static const svc_object join_object = { .name = "PipeJoin", .fields = SVC_ROWS(join_fields), .base = &stage_base };
static const svc_variant stage_variants[] = { { "FILTER", &filter_object }, { "JOIN", &join_object }, { NULL, NULL } };
static const svc_object stage_object = { .name = "PipeStage", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("op", NULL, stage_variants)) };

static const svc_field base_fields[] = {
  F_OBJ("auth", &auth_object),
  F_DATE("changed", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED),
  F_GROUP_ID(), F_ID(),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED),
  F_STR("note", .max = 16),
  F_LIST("stages", &stage_object, .preset = "[]")
};
static const svc_object base_object = { .name = "PipeBase", .fields = SVC_ROWS(base_fields) };

static const char *const http_kinds[] = { "HTTP", NULL };
static const svc_field http_fields[] = {
  F_ENUM("kind", http_kinds, .preset = "\"HTTP\""), { .name = "limits", .type = SVC_ARRAY, .item = SVC_INT32 }, F_OBJ("more", &open_object),
  F_INT("size", .preset = "1"), F_STR("url", .flags = SVC_REQUIRED)
};
static const svc_object http_object = { .name = "PipeHttp", .fields = SVC_ROWS(http_fields), .base = &base_object };
static const char *const kafka_sizes[] = { "SMALL", "LARGE", NULL };
static const svc_field kafka_fields[] = {
  F_STRS("brokers", .flags = SVC_REQUIRED | SVC_NOT_EMPTY), F_STR("kind", .flags = SVC_REQUIRED), F_STRS("limits"), F_OBJ("more", &join_key),
  F_ENUM("size", kafka_sizes, .preset = "\"SMALL\""), F_DATE("touched", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED)
};
static const svc_object kafka_object = { .name = "PipeKafka", .fields = SVC_ROWS(kafka_fields), .base = &base_object };
static const char *const file_kinds[] = { "FILE", NULL };
static const svc_field file_fields[] = {
  F_ENUM("kind", file_kinds, .flags = SVC_REQUIRED), F_ENUM("note", kafka_sizes),
  F_STR("path", .flags = SVC_REQUIRED | SVC_FIXED)
};
static const svc_field file_base_fields[] = { F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED) };
static const svc_object file_base = { .name = "PipeFileBase", .fields = SVC_ROWS(file_base_fields) };
static const svc_object file_object = { .name = "PipeFile", .fields = SVC_ROWS(file_fields), .base = &file_base };

/* a variant that is itself a union */
static const svc_field cloud_fields[] = { F_STR("kind", .flags = SVC_REQUIRED), F_STR("provider", .flags = SVC_REQUIRED) };
static const svc_object cloud_base = { .name = "PipeCloudBase", .fields = SVC_ROWS(cloud_fields), .base = &base_object };
static const svc_field aws_fields[] = { F_STR("bucket", .flags = SVC_REQUIRED) };
static const svc_object aws_object = { .name = "PipeAws", .fields = SVC_ROWS(aws_fields), .base = &cloud_base };
static const svc_field gcp_fields[] = { F_STR("project", .flags = SVC_REQUIRED) };
static const svc_object gcp_object = { .name = "PipeGcp", .fields = SVC_ROWS(gcp_fields), .base = &cloud_base };
static const svc_variant cloud_variants[] = { { "AWS", &aws_object }, { "GCP", &gcp_object }, { NULL, NULL } };
static const svc_object cloud_object = { .name = "PipeCloud", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("provider", NULL, cloud_variants)) };

static const svc_variant pipe_variants[] = { { "HTTP", &http_object }, { "KAFKA", &kafka_object }, { "CLOUD", &cloud_object },
                                             { "FILE", &file_object }, { NULL, NULL } };
static const svc_object pipe_object = {
  .name = "Pipe", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("kind", "HTTP", pipe_variants))
};

#define PIPE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_STREAMS, PROBE_VERSIONS, \
                          .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
#define PIPE_ROUTES(p) \
  PIPE(SVC_GET, p, .flags = SVC_PAGED, .run = svc_verb_list), PIPE(SVC_POST, p, .status = 201, .run = svc_verb_create), \
  PIPE(SVC_GET, p "/{pipeName}", .run = svc_verb_read), PIPE(SVC_PATCH, p "/{pipeName}", .run = svc_verb_update), \
  PIPE(SVC_PUT, p "/{pipeName}", .run = svc_verb_replace)
static const svc_route pipe_routes[] = { PIPE_ROUTES("pipes") };
static const svc_noun pipe_noun = {
  .name = "pipe", .kind = "pipe", .parent = "project", .param = "pipeName", .object = &pipe_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(pipe_routes)
};

/* a drain is a pipe with events for some fields of variants */
static const svc_field_event drain_events[] = {
  { "url", "CLUSTER_TAGS_MODIFIED", NULL }, { "size", "CPS_SNAPSHOT_BEHIND", "LARGE" }, { NULL, NULL, NULL }
};
static const svc_route drain_routes[] = { PIPE_ROUTES("drains") };
static const svc_noun drain_noun = {
  .name = "drain", .kind = "drai", .parent = "project", .param = "pipeName", .object = &pipe_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(drain_routes),
  .ext = SVC_NOUN_EXT(.field_events = drain_events)
};

static const svc_noun *const probes[] = { &pipe_noun, &drain_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

typedef struct union_world {
  t_service t;
  const char *group;
  char feed[40];
} union_world;

static void union_open(union_world *w)
{
  t_probes(probes);
  t_open(&w->t, &quiet);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "alpha");
  snprintf(w->feed, sizeof w->feed, "/groups/%s", w->group);
}

static void union_close(union_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static const svc_node *union_make(union_world *w, const char *body)
{
  int status = t_sendf(&w->t, "POST", body, PIPES, w->group);
  if (status != 201) munit_errorf("%s: %s", body, w->t.response.body);
  return w->t.body;
}

static void union_refused(union_world *w, const char *method, const char *at, const char *body, const char *code, const char *field)
{
  munit_assert_int(t_sendf(&w->t, method, body, PIPES "%s", w->group, at), ==, 400);
  munit_assert_string_equal(t_error(&w->t), code);
  if (!t_violation(&w->t, field)) munit_errorf("%s is not named: %s", field, w->t.response.body);
}

#define HTTP "{\"name\":\"h\",\"kind\":\"HTTP\",\"url\":\"http://a\"}"
#define KAFKA "{\"name\":\"k\",\"kind\":\"KAFKA\",\"brokers\":[\"a:1\"]}"
#define AWS "{\"name\":\"a\",\"kind\":\"CLOUD\",\"provider\":\"AWS\",\"bucket\":\"b\"}"
#define GCP "{\"name\":\"g\",\"kind\":\"CLOUD\",\"provider\":\"GCP\",\"project\":\"p\"}"

TEST(union, create)
{
  union_world w;
  union_open(&w);
  union_make(&w, HTTP);
  munit_assert_string_equal(t_str(&w.t, "kind"), "HTTP");
  munit_assert_int64(t_int(&w.t, "size"), ==, 1); /* the default of this variant */
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_size(strlen(t_str(&w.t, "id")), ==, 24);
  munit_assert_string_equal(t_str(&w.t, "changed"), "2025-06-01T00:00:00Z");
  munit_assert_string_not_equal(t_link(&w.t, "self"), "");
  union_make(&w, KAFKA);
  munit_assert_string_equal(t_str(&w.t, "size"), "SMALL");
  munit_assert_string_equal(t_str(&w.t, "touched"), "2025-06-01T00:00:00Z");
  munit_assert_null(t_node(&w.t, "url"));
  union_make(&w, AWS);
  munit_assert_string_equal(t_str(&w.t, "bucket"), "b");
  union_make(&w, GCP);
  munit_assert_string_equal(t_str(&w.t, "project"), "p");
  union_make(&w, "{\"name\":\"d\",\"url\":\"http://d\"}"); /* the default variant */
  munit_assert_string_equal(t_str(&w.t, "kind"), "HTTP");
  union_make(&w, "{\"name\":\"e\",\"url\":\"u\",\"auth\":{}}"); /* a union inside: the default variant, then another one */
  union_make(&w, "{\"name\":\"f\",\"url\":\"u\",\"auth\":{\"mode\":\"PASSWORD\",\"user\":\"joe\",\"password\":\"x\"}}");
  munit_assert_string_equal(t_str(&w.t, "auth.user"), "joe");
  munit_assert_null(t_node(&w.t, "auth.password"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, PIPES, w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 7);

  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":\"CARROT\"}", "INVALID_ENUM_VALUE", "kind");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":5,\"url\":\"u\"}", "INVALID_JSON_ATTRIBUTE", "kind");
  union_make(&w, "{\"name\":\"by-default\",\"kind\":null,\"url\":\"u\"}"); /* null counts as not sent */
  union_refused(&w, "POST", "", "{\"name\":\"x\"}", "MISSING_ATTRIBUTE", "url"); /* required by the default variant */
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":\"KAFKA\",\"brokers\":[\"a\"],\"url\":\"u\"}", "INVALID_ATTRIBUTE", "url");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":\"CLOUD\",\"bucket\":\"b\"}", "MISSING_ATTRIBUTE", "provider");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":\"CLOUD\",\"provider\":\"HOME\"}", "INVALID_ENUM_VALUE", "provider");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"kind\":\"CLOUD\",\"provider\":\"GCP\",\"bucket\":\"b\"}", "INVALID_ATTRIBUTE", "bucket");
  munit_assert_true(t_violation(&w.t, "project"));
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"url\":\"u\",\"auth\":{\"mode\":\"LUCK\"}}", "INVALID_ENUM_VALUE", "auth.mode");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"url\":\"u\",\"auth\":{\"user\":\"joe\"}}", "INVALID_ATTRIBUTE", "auth.user");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"url\":\"u\",\"stages\":[{\"op\":\"FILTER\",\"expr\":\"e\"},{\"expr\":\"e\"}]}",
                "MISSING_ATTRIBUTE", "stages[1].op");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"url\":\"u\",\"stages\":[{\"op\":\"JOIN\",\"with\":\"w\",\"keys\":[{}]}]}",
                "MISSING_ATTRIBUTE", "stages[0].keys[0].name");
  union_refused(&w, "POST", "", "{\"name\":\"x\",\"url\":\"u\",\"stages\":[7]}", "INVALID_JSON_ATTRIBUTE", "stages[0]");
  munit_assert_size(probe_records(w.t.s, "epipe"), ==, 8);
  union_close(&w);
}

/* A change to a field of one variant writes an event, and sets the fields that show the time of the last change. */
TEST(union, change)
{
  const char *before;
  union_world w;
  union_open(&w);
  union_make(&w, KAFKA);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"brokers\":[\"b:2\"]}", PIPES "/k", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "brokers[0]"), "b:2");
  munit_assert_string_equal(t_str(&w.t, "changed"), "2025-06-01T00:01:00Z");
  munit_assert_string_equal(t_str(&w.t, "touched"), "2025-06-01T00:01:00Z"); /* a field of the variant */
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_UPDATE_STARTED");
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"brokers\":[\"b:2\"]}", PIPES "/k", w.group), ==, 200); /* nothing changes */
  munit_assert_string_equal(t_str(&w.t, "touched"), "2025-06-01T00:01:00Z");
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_UPDATE_STARTED");
  union_refused(&w, "PATCH", "/k", "{\"url\":\"u\"}", "INVALID_ATTRIBUTE", "url"); /* a field of another variant */
  union_refused(&w, "PATCH", "/k", "{\"size\":\"HUGE\"}", "INVALID_ENUM_VALUE", "size");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"KAFKA\",\"size\":\"LARGE\"}", PIPES "/k", w.group), ==, 200);

  munit_assert_int(t_sendf(&w.t, "POST", AWS, PIPES, w.group), ==, 201); /* a variant of a variant */
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"bucket\":\"c\"}", PIPES "/a", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"CLOUD\",\"bucket\":\"d\"}", PIPES "/a", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "bucket"), "d");
  munit_assert_string_equal(t_str(&w.t, "provider"), "AWS");
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_UPDATE_STARTED CLUSTER_UPDATE_STARTED");
  union_close(&w);
}

TEST(union, field_events)
{
  const char *before;
  union_world w;
  union_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", HTTP, "/groups/%s/drains", w.group), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", KAFKA, "/groups/%s/drains", w.group), ==, 201);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"url\":\"http://b\"}", "/groups/%s/drains/h", w.group), ==, 200);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_TAGS_MODIFIED");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"note\":\"n\"}", "/groups/%s/drains/h", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"size\":\"LARGE\"}", "/groups/%s/drains/k", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"size\":\"SMALL\"}", "/groups/%s/drains/k", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"size\":\"LARGE\",\"brokers\":[\"z:1\"]}", "/groups/%s/drains/k", w.group), ==, 200);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before),
                            "CLUSTER_TAGS_MODIFIED CLUSTER_UPDATE_STARTED CPS_SNAPSHOT_BEHIND CPS_SNAPSHOT_BEHIND "
                            "CLUSTER_UPDATE_STARTED");
  union_close(&w);
}

#define STAGES(a, b) \
  "{\"name\":\"s\",\"url\":\"u\",\"stages\":[{\"op\":\"FILTER\",\"expr\":\"" a "\"},{\"op\":\"JOIN\",\"with\":\"" b "\",\"keys\":" \
  "[{\"name\":\"x\"},{\"name\":\"y\"}]}]}"

/* Elements of a union have ids, at any depth, and keep them in any position. */
TEST(union, ids)
{
  const char *filter, *join, *x, *y;
  union_world w;
  char body[512];
  union_open(&w);
  union_make(&w, STAGES("e", "w"));
  filter = t_keep(&w.t, t_str(&w.t, "stages[0].id"));
  join = t_keep(&w.t, t_str(&w.t, "stages[1].id"));
  x = t_keep(&w.t, t_str(&w.t, "stages[1].keys[0].id"));
  y = t_keep(&w.t, t_str(&w.t, "stages[1].keys[1].id"));
  munit_assert_size(strlen(filter), ==, 24);
  munit_assert_size(strlen(x), ==, 24);
  munit_assert_true(strcmp(filter, join) != 0 && strcmp(join, x) != 0 && strcmp(x, y) != 0);

  snprintf(body, sizeof body, "{\"stages\":[{\"id\":\"%s\",\"op\":\"JOIN\",\"with\":\"w\",\"keys\":[{\"id\":\"%s\",\"name\":\"y\"},"
           "{\"name\":\"z\"},{\"id\":\"%s\",\"name\":\"x2\"}]},{\"id\":\"%s\",\"op\":\"FILTER\",\"expr\":\"e\"}]}", join, y, x, filter);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, PIPES "/s", w.group), ==, 200); /* in reverse order */
  munit_assert_string_equal(t_str(&w.t, "stages[0].id"), join);
  munit_assert_string_equal(t_str(&w.t, "stages[1].id"), filter);
  munit_assert_string_equal(t_str(&w.t, "stages[0].keys[0].id"), y);
  munit_assert_string_equal(t_str(&w.t, "stages[0].keys[2].id"), x);
  munit_assert_size(strlen(t_str(&w.t, "stages[0].keys[1].id")), ==, 24);
  munit_assert_string_not_equal(t_str(&w.t, "stages[0].keys[1].id"), x);

  snprintf(body, sizeof body, "{\"stages\":[{\"op\":\"FILTER\",\"expr\":\"new\"},{\"id\":\"%s\",\"op\":\"JOIN\",\"with\":\"w\"}]}", join);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, PIPES "/s", w.group), ==, 200); /* a new element before the first */
  munit_assert_string_equal(t_str(&w.t, "stages[1].id"), join);
  munit_assert_string_not_equal(t_str(&w.t, "stages[0].id"), join);
  munit_assert_size(strlen(t_str(&w.t, "stages[0].id")), ==, 24);

  snprintf(body, sizeof body, "{\"stages\":[{\"id\":\"%s\",\"op\":\"FILTER\",\"expr\":\"was a join\"}]}", join);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, PIPES "/s", w.group), ==, 200); /* another variant with the same id */
  munit_assert_string_equal(t_str(&w.t, "stages[0].id"), join);
  munit_assert_null(t_node(&w.t, "stages[0].with"));
  snprintf(body, sizeof body, "{\"stages\":[{\"id\":\"%s\",\"op\":\"FILTER\",\"expr\":\"e\"}]}", "5f5f5f5f5f5f5f5f5f5f5f5f");
  union_refused(&w, "PATCH", "/s", body, "ATTRIBUTE_READ_ONLY", "stages[0].id"); /* clients cannot choose an id */
  union_close(&w);
}

/* A change to another variant removes the fields of the old variant. Common fields stay if their value is valid, and required fields
** must be sent. */
TEST(union, other_variant)
{
  union_world w;
  const char *id;
  union_open(&w);
  union_make(&w, "{\"name\":\"h\",\"url\":\"http://a\",\"size\":3,\"note\":\"kept\",\"auth\":{\"mode\":\"PASSWORD\",\"user\":\"joe\"}}");
  id = t_keep(&w.t, t_str(&w.t, "id"));
  union_refused(&w, "PATCH", "/h", "{\"kind\":\"KAFKA\"}", "MISSING_ATTRIBUTE", "brokers");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"KAFKA\",\"brokers\":[\"a:1\"]}", PIPES "/h", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "kind"), "KAFKA");
  munit_assert_null(t_node(&w.t, "url"));
  munit_assert_string_equal(t_str(&w.t, "size"), "SMALL"); /* size is a number in HTTP and a string in KAFKA: not the same field */
  munit_assert_string_equal(t_str(&w.t, "note"), "kept");
  munit_assert_string_equal(t_str(&w.t, "auth.user"), "joe");
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "touched"), "2025-06-01T00:00:00Z");

  /* the note "kept" is invalid in the variant FILE */
  union_refused(&w, "PATCH", "/h", "{\"kind\":\"FILE\",\"path\":\"/tmp\"}", "INVALID_ENUM_VALUE", "note");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"FILE\",\"path\":\"/tmp\",\"note\":\"LARGE\"}", PIPES "/h", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "auth")); /* FILE has no such field */
  munit_assert_null(t_node(&w.t, "changed"));
  munit_assert_string_equal(t_str(&w.t, "path"), "/tmp"); /* a path is fixed only once it has a value */
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  union_refused(&w, "PATCH", "/h", "{\"path\":\"/home\"}", "ATTRIBUTE_READ_ONLY", "path");
  union_refused(&w, "PATCH", "/h", "{\"kind\":\"CLOUD\"}", "MISSING_ATTRIBUTE", "provider");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"CLOUD\",\"provider\":\"AWS\",\"bucket\":\"b\",\"note\":\"n\"}", PIPES "/h", w.group),
                   ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"provider\":\"GCP\",\"project\":\"p\"}", PIPES "/h", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "bucket"));
  munit_assert_string_equal(t_str(&w.t, "kind"), "CLOUD");
  munit_assert_string_equal(t_str(&w.t, "note"), "n");

  munit_assert_int(t_sendf(&w.t, "PUT", KAFKA, PIPES "/h", w.group), ==, 400); /* the name is fixed */
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"kind\":\"KAFKA\",\"brokers\":[\"a:1\"]}", PIPES "/h", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "project"));
  munit_assert_null(t_node(&w.t, "note")); /* replaced: fields that were not sent are removed */
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  union_refused(&w, "PUT", "/h", "{\"brokers\":[\"a:1\"]}", "INVALID_ATTRIBUTE", "brokers"); /* without a kind: the default variant */
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"url\":\"u\"}", PIPES "/h", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "kind"), "HTTP");
  munit_assert_int64(t_int(&w.t, "size"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, PIPES "/h", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "brokers"));

  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"auth\":{\"mode\":\"PASSWORD\",\"user\":\"a\"}}", PIPES "/h", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"auth\":{\"user\":\"b\"}}", PIPES "/h", w.group), ==, 200); /* auth keeps its variant */
  munit_assert_string_equal(t_str(&w.t, "auth.user"), "b");
  munit_assert_string_equal(t_str(&w.t, "auth.mode"), "PASSWORD");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"auth\":{\"mode\":\"NONE\"}}", PIPES "/h", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "auth.user"));
  union_close(&w);
}

/* A body that was read may be sent back, and changes nothing. */
TEST(union, sent_back)
{
  static const char *const bodies[] = { HTTP, KAFKA, AWS, GCP, STAGES("e", "w"), "{\"name\":\"d\",\"url\":\"u\",\"auth\":{}}",
                                        "{\"name\":\"f\",\"kind\":\"FILE\",\"path\":\"/tmp\"}" };
  static const char *const methods[] = { "PUT", "PATCH" };
  const char *before, *tag, *text;
  union_world w;
  size_t i, j;
  union_open(&w);
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) union_make(&w, bodies[i]);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  t_advance(&w.t, 60);
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    char name[2] = { bodies[i][9], 0 };
    for (j = 0; j < 2; j++) {
      munit_assert_int(t_sendf(&w.t, "GET", NULL, PIPES "/%s", w.group, name), ==, 200);
      tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
      text = t_keep(&w.t, w.t.response.body);
      if (t_sendf(&w.t, methods[j], text, PIPES "/%s", w.group, name) != 200) munit_errorf("%s: %s", text, w.t.response.body);
      munit_assert_string_equal(w.t.response.body, text);
      munit_assert_string_equal(t_get_header(&w.t, "ETag"), tag);
    }
  }
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");
  union_close(&w);
}

TEST(union, openapi)
{
  static const char *const with_links[] = { "PipeHttp", "PipeKafka", "PipeAws", "PipeGcp", "PipeFile" };
  static const char *const without[] = { "PipeOpen", "PipePassword", "PipeFilter", "PipeJoin", "PipeJoinKey" };
  char path[96];
  union_world w;
  size_t i;
  union_open(&w);
  svc_response_free(&w.t.response);
  munit_assert_int(svc_openapi(w.t.s, &w.t.response), ==, SVC_OK);
  w.t.body = svc_json_parse(&w.t.arena, (svc_str){ w.t.response.body, w.t.response.body_length });
  munit_assert_not_null(w.t.body);
#define SCHEMA "components.schemas."
  munit_assert_size(t_count(&w.t, SCHEMA "Pipe.oneOf"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, SCHEMA "Pipe.oneOf[0].$ref"), "#/components/schemas/PipeHttp");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "Pipe.discriminator.propertyName"), "kind");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "Pipe.discriminator.mapping.KAFKA"), "#/components/schemas/PipeKafka");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "Pipe.discriminator.mapping.CLOUD"), "#/components/schemas/PipeCloud");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeCloud.discriminator.propertyName"), "provider");
  munit_assert_size(t_count(&w.t, SCHEMA "PipeCloud.oneOf"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeStage.discriminator.propertyName"), "op");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeHttp.properties.stages.items.$ref"), "#/components/schemas/PipeStage");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeHttp.properties.auth.allOf[0].$ref"), "#/components/schemas/PipeAuth");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeAws.properties.bucket.type"), "string");
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipeAws.properties.name.type"), "string"); /* from the base of its base */
  munit_assert_string_equal(t_str(&w.t, SCHEMA "PipePasswordRequest.properties.password.writeOnly"), "true");
  munit_assert_null(t_node(&w.t, SCHEMA "PipePassword.properties.password")); /* only in requests */
  for (i = 0; i < sizeof with_links / sizeof with_links[0]; i++) {
    snprintf(path, sizeof path, SCHEMA "%s.properties.links.$ref", with_links[i]);
    if (strcmp(t_str(&w.t, path), "#/components/schemas/Links") != 0) munit_errorf("%s has no links", with_links[i]);
  }
  for (i = 0; i < sizeof without / sizeof without[0]; i++) {
    snprintf(path, sizeof path, SCHEMA "%s.properties", without[i]);
    munit_assert_not_null(t_node(&w.t, path));
    snprintf(path, sizeof path, SCHEMA "%s.properties.links", without[i]);
    munit_assert_null(t_node(&w.t, path));
  }
  union_close(&w);
}

static void union_same(t_service *t, void *context)
{
  const char *const *was = context;
  munit_assert_int(t_send(t, "GET", was[0], NULL), ==, 200);
  munit_assert_string_equal(t->response.body, was[1]);
}

TEST(union, no_memory)
{
  probe_memory m = { -1 };
  const svc_config config = { .limiter_off = 1, .allocator = { probe_resize, &m } };
  static char body[16000], path[96];
  const char *was[2] = { path, NULL };
  union_world w;
  size_t i, n;
  t_probes(probes);
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  n = (size_t)snprintf(body, sizeof body, "{\"name\":\"s\",\"url\":\"u\",\"stages\":[");
  for (i = 0; i < 60; i++) /* long enough to need more than one block */
    n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"op\":\"JOIN\",\"with\":\"w%zu\",\"keys\":[{\"name\":\"k\"}]}", i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "]}");
  union_make(&w, body);
  snprintf(path, sizeof path, PIPES "/s", w.group);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  was[1] = t_keep(&w.t, w.t.response.body);
  probe_with_little(&w.t, &m, "PATCH", path, "{\"kind\":\"KAFKA\",\"brokers\":[\"a:1\"]}", 200, union_same, was);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "kind"), "KAFKA");
  munit_assert_size(t_count(&w.t, "stages"), ==, 60);
  union_close(&w);
}

/* The new variant has a field with the same name and another type: a number, a list of other elements, another object. The old value
** is dropped. */
TEST(union, same_name)
{
  union_world w;
  union_open(&w);
  union_make(&w, "{\"name\":\"p\",\"url\":\"u\",\"limits\":[1],\"more\":{\"mode\":\"x\"},\"note\":\"n\",\"size\":7}");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"KAFKA\",\"brokers\":[\"b\"]}", PIPES "/p", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "limits"));
  munit_assert_null(t_node(&w.t, "more"));
  munit_assert_string_equal(t_str(&w.t, "size"), "SMALL");
  munit_assert_string_equal(t_str(&w.t, "note"), "n");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"limits\":[\"a\"],\"more\":{\"name\":\"k\"}}", PIPES "/p", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"kind\":\"HTTP\",\"url\":\"v\",\"limits\":[2]}", PIPES "/p", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "limits[0]"), ==, 2);
  munit_assert_null(t_node(&w.t, "more"));
  union_close(&w);
}
