/*
** The only resource of its kind below a parent (SVC_SOLE): created by a POST or a PUT, on a path without its key; and a field
** in the path (.in_path).
*/
#include "mechanism/probe.h"

#define PROBE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                           .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

static const svc_field crown_fields[] = {
  F_ID(), F_STR("metal", .flags = SVC_REQUIRED), F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object crown_object = { .name = "Crown", .fields = SVC_ROWS(crown_fields) };

/* A POST creates a crown, and a DELETE removes the crown, in steps. */
static const svc_transition crown_transitions[] = {
  { "MAKING", "WORN", 100, "CLUSTER_READY", NULL }, { "MELTING", NULL, 50, "CLUSTER_DELETED", NULL }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle crown_lifecycle = { .field = "state", .created = "MAKING", .deleted = "MELTING",
                                               .transitions = crown_transitions };
static const svc_route crown_routes[] = {
  PROBE(SVC_POST, "crown", .status = 202, .run = svc_verb_create, .example = "{\"metal\":\"gold\"}"),
  PROBE(SVC_GET, "crown", .run = svc_verb_read), PROBE(SVC_PATCH, "crown", .run = svc_verb_update),
  PROBE(SVC_DELETE, "crown", .status = 202, .run = svc_verb_delete)
};
static const svc_noun crown_noun = {
  .name = "crown", .kind = "crwn", .parent = "project", .flags = SVC_SOLE, .object = &crown_object, .lifecycle = &crown_lifecycle,
  .err_not_found = SVC_E_BACKUP_CONFIG_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(crown_routes)
};

/* A PUT creates an oath. */
static const svc_route oath_routes[] = {
  PROBE(SVC_GET, "oath", .run = svc_verb_read),
  PROBE(SVC_PUT, "oath", .run = svc_verb_replace, .example = "{\"metal\":\"iron\"}"),
  PROBE(SVC_DELETE, "oath", .status = 204, .run = svc_verb_delete)
};
static const svc_noun oath_noun = {
  .name = "oath", .kind = "oath", .parent = "project", .flags = SVC_SOLE, .object = &crown_object,
  .err_not_found = SVC_E_BACKUP_CONFIG_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(oath_routes)
};

/* A gate belongs to one of two walls. The path names the wall. */
static const char *const gate_walls[] = { "NORTH", "SOUTH", NULL };
static const svc_field gate_fields[] = {
  F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_ENUM("wall", gate_walls, .flags = SVC_READ_ONLY)
};
static const svc_object gate_object = { .name = "Gate", .fields = SVC_ROWS(gate_fields) };
static const svc_route gate_routes[] = {
  PROBE(SVC_GET, "{wall}/gates", .flags = SVC_PAGED, .run = svc_verb_list, .ext = SVC_ROUTE_EXT(.in_path = "wall")),
  PROBE(SVC_POST, "{wall}/gates", .status = 201, .run = svc_verb_create, .example = "{\"name\":\"g\"}",
        .ext = SVC_ROUTE_EXT(.in_path = "wall")),
  PROBE(SVC_GET, "{wall}/gates/{gateId}", .run = svc_verb_read, .ext = SVC_ROUTE_EXT(.in_path = "wall")),
  PROBE(SVC_PATCH, "{wall}/gates/{gateId}", .run = svc_verb_update, .ext = SVC_ROUTE_EXT(.in_path = "wall")),
  PROBE(SVC_DELETE, "{wall}/gates/{gateId}", .status = 204, .run = svc_verb_delete,
        .ext = SVC_ROUTE_EXT(.in_path = "wall"))
};
static const svc_noun gate_noun = {
  .name = "gate", .kind = "gate", .parent = "project", .param = "gateId", .object = &gate_object,
  .err_not_found = SVC_E_PEER_NOT_FOUND, .event_created = "CLUSTER_CREATED", .routes = SVC_ROUTES(gate_routes)
};
static const svc_noun *const probes[] = { &crown_noun, &oath_noun, &gate_noun, NULL };

typedef struct sole_world {
  t_service t;
  const char *group, *other;
} sole_world;

static void sole_open(sole_world *w)
{
  const char *org;
  t_probes(probes);
  t_open(&w->t, &quiet);
  org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, org, "alpha");
  w->other = t_project(&w->t, org, "beta");
}

static void sole_close(sole_world *w)
{
  store_whole(w->t.s);
  t_close(&w->t);
  t_probes(NULL);
}

static int at(sole_world *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/%s", w->group, path);
}

static int64_t events(sole_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount");
}

TEST(sole, posted)
{
  sole_world w;
  const char *id;
  sole_open(&w);
  munit_assert_int(at(&w, "GET", "crown", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "BACKUP_CONFIG_NOT_FOUND");
  munit_assert_int(at(&w, "PATCH", "crown", "{\"metal\":\"tin\"}"), ==, 404);
  munit_assert_int(at(&w, "DELETE", "crown", NULL), ==, 404);
  munit_assert_int(at(&w, "POST", "crown", "{\"metal\":\"gold\"}"), ==, 202);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_size(strlen(id), ==, 24);
  munit_assert_string_equal(t_str(&w.t, "state"), "MAKING");
  munit_assert_int(at(&w, "POST", "crown", "{\"metal\":\"gold\"}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "PEER_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  t_advance(&w.t, 11);
  munit_assert_int(at(&w, "GET", "crown", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "WORN");
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/crown"));
  munit_assert_int(at(&w, "PATCH", "crown", "{\"metal\":\"tin\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "metal"), "tin");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/crown", w.other), ==, 404); /* the other project has no crown */
  munit_assert_int(at(&w, "DELETE", "crown", NULL), ==, 202);
  t_advance(&w.t, 6);
  munit_assert_int(at(&w, "GET", "crown", NULL), ==, 404);
  munit_assert_int64(events(&w, "CLUSTER_DELETED"), ==, 1);
  munit_assert_int(at(&w, "POST", "crown", "{\"metal\":\"gold\"}"), ==, 202); /* a crown can be created again */
  munit_assert_string_not_equal(t_str(&w.t, "id"), id);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202); /* deletes the crown, too */
  sole_close(&w);
}

TEST(sole, put)
{
  sole_world w;
  const char *id;
  sole_open(&w);
  munit_assert_int(at(&w, "GET", "oath", NULL), ==, 404);
  munit_assert_int(at(&w, "PUT", "oath", "{}"), ==, 400);
  t_header(&w.t, "If-Match", "*");
  munit_assert_int(at(&w, "PUT", "oath", "{\"metal\":\"iron\"}"), ==, 412); /* If-Match: * requires an existing oath */
  t_headers_clear(&w.t);
  munit_assert_int(at(&w, "PUT", "oath", "{\"metal\":\"iron\"}"), ==, 200);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int64(events(&w, "CLUSTER_CREATED"), ==, 1);
  munit_assert_int64(events(&w, "CLUSTER_UPDATE_STARTED"), ==, 0);
  munit_assert_int(at(&w, "PUT", "oath", "{\"metal\":\"lead\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_int64(events(&w, "CLUSTER_CREATED"), ==, 1);
  munit_assert_int64(events(&w, "CLUSTER_UPDATE_STARTED"), ==, 1);
  munit_assert_int(at(&w, "DELETE", "oath", NULL), ==, 204);
  munit_assert_int(at(&w, "GET", "oath", NULL), ==, 404);
  sole_close(&w);
}

TEST(sole, in_path)
{
  sole_world w;
  const char *id;
  char path[64];
  sole_open(&w);
  munit_assert_int(at(&w, "POST", "NORTH/gates", "{\"name\":\"n\"}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "wall"), "NORTH");
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(at(&w, "POST", "SOUTH/gates", "{\"name\":\"s\"}"), ==, 201);
  munit_assert_int(at(&w, "GET", "NORTH/gates", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), id);
  snprintf(path, sizeof path, "NORTH/gates/%s", id);
  munit_assert_int(at(&w, "GET", path, NULL), ==, 200);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/NORTH/gates/"));
  snprintf(path, sizeof path, "SOUTH/gates/%s", id);
  munit_assert_int(at(&w, "GET", path, NULL), ==, 404);
  munit_assert_int(at(&w, "PATCH", path, "{\"name\":\"x\"}"), ==, 404);
  munit_assert_int(at(&w, "DELETE", path, NULL), ==, 404);
  munit_assert_int(at(&w, "GET", "WEST/gates", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_PATH_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "wall");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "NORTH or SOUTH"));
  sole_close(&w);
}
