/*
** Elements: resources that are not entities but elements of an array in their parent. A train has cars, and a car has seats:
** changing one of them changes the train.
*/
#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1 };
static size_t train_prepares, car_prepares, car_gone_calls;

#define PROBE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                           .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
#define PROBE_ROUTES(list, item) \
  PROBE(SVC_GET, list, .flags = SVC_PAGED, .run = svc_verb_list), PROBE(SVC_POST, list, .status = 201, .run = svc_verb_create), \
  PROBE(SVC_GET, list "/" item, .run = svc_verb_read), PROBE(SVC_PATCH, list "/" item, .run = svc_verb_update), \
  PROBE(SVC_PUT, list "/" item, .run = svc_verb_replace), \
  PROBE(SVC_DELETE, list "/" item, .status = 204, .run = svc_verb_delete)

static const svc_field seat_fields[] = { F_ID(), F_STR("row", .flags = SVC_REQUIRED) };
static const svc_object seat_object = { .name = "Seat", .fields = SVC_ROWS(seat_fields) };
static const svc_field car_fields[] = {
  F_CREATED("built"), F_STR("colour", .preset = "\"grey\""), F_ID(), F_BOOL("locked", .preset = "false"),
  F_STR("name", .flags = SVC_REQUIRED), F_LIST("seats", &seat_object)
};
static const svc_object car_object = { .name = "Car", .fields = SVC_ROWS(car_fields) };
static const svc_field train_fields[] = {
  F_LIST("cars", &car_object, .flags = SVC_NOT_EMPTY, .max_items = 4), F_DATE("changed", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED),
  F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED), F_BOOL("parked", .preset = "false"),
  F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object train_object = { .name = "Train", .fields = SVC_ROWS(train_fields) };

/* A train must not have more than one red car. */
static bool train_prepare(svc_call *c, svc_change *change)
{
  const svc_node *car = svc_node_get(change->body, "cars");
  int red = 0;
  train_prepares++;
  for (car = car ? car->first : NULL; car; car = car->next) red += svc_str_is(svc_node_str(car, "colour"), "red");
  return red < 2 ? true : svc_fail(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, "s", "cars");
}
static bool car_prepare(svc_call *c, svc_change *change)
{
  car_prepares++;
  if (svc_str_is(svc_node_str(change->body, "colour"), "pink")) return svc_fail(c, SVC_E_INVALID_PROVIDER, "s", "pink");
  return true;
}
static bool car_gone(svc_call *c, const svc_entity *e)
{
  (void)c;
  car_gone_calls++;
  munit_assert_size(e->key.n, ==, 24);
  return true;
}

/* Some seats must not be removed, and some fail after the removal. */
static bool seat_is(svc_call *c, const svc_entity *e, const char *row)
{
  const svc_node *body = svc_entity_body(c, e);
  return body && svc_str_is(svc_node_str(body, "row"), row);
}
static bool seat_removing(svc_call *c, const svc_entity *e)
{
  return !seat_is(c, e, "kept") || svc_fail(c, SVC_E_CONTAINERS_IN_USE, "s", "kept");
}
static bool seat_gone(svc_call *c, const svc_entity *e)
{
  return !seat_is(c, e, "stuck") || svc_fail(c, SVC_E_CONTAINERS_IN_USE, "s", "stuck");
}

static const svc_transition train_transitions[] = {
  { "SHUNTING", "READY", 100, "CLUSTER_READY", NULL }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle train_lifecycle = {
  .field = "state", .created = "READY", .updated = "SHUNTING", .transitions = train_transitions
};
static const svc_guard train_guards[] = { { "parked", "true", SVC_GUARD_CHANGE, SVC_E_PEER_INVALID_STATE }, { NULL, NULL, 0, 0 } };
static const svc_route train_routes[] = { PROBE_ROUTES("trains", "{trainName}") };
static const svc_noun train_noun = {
  .name = "train", .kind = "trai", .parent = "project", .param = "trainName", .object = &train_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .guards = train_guards, .lifecycle = &train_lifecycle,
  .event_created = "CLUSTER_CREATED", .event_updated = "CLUSTER_UPDATE_STARTED", .event_field = "clusterName",
  .routes = SVC_ROUTES(train_routes), .prepare = train_prepare
};

static const svc_guard car_guards[] = { { "locked", "true", SVC_GUARD_DELETE, SVC_E_CONTAINERS_IN_USE }, { NULL, NULL, 0, 0 } };
static bool car_is_red(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e);
  return body && svc_str_is(svc_node_str(body, "colour"), "red");
}
static const svc_param car_params[] = { { .name = "colour" }, { .name = NULL } };
static const svc_filter car_filters[] = { { "colour", SVC_EQUALS, "colour" }, { NULL, 0, NULL } };
static const svc_route car_routes[] = {
  PROBE_ROUTES("trains/{trainName}/cars", "{carId}"),
  PROBE(SVC_GET, "trains/{trainName}/some", .flags = SVC_PAGED, .params = car_params, .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = car_filters)),
  PROBE(SVC_GET, "trains/{trainName}/red", .flags = SVC_PAGED, .run = svc_verb_list, .ext = SVC_ROUTE_EXT(.keep = car_is_red)),
  PROBE(SVC_GET, "trains/{trainName}/red/{carId}", .run = svc_verb_read, .ext = SVC_ROUTE_EXT(.keep = car_is_red))
};
static const svc_noun car_noun = {
  .name = "car", .parent = "train", .param = "carId", .flags = SVC_EVENT_PARENT, .object = &car_object,
  .unique = "name", .err_not_found = SVC_E_PEER_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS, .guards = car_guards,
  .event_created = "CPS_SNAPSHOT_STARTED", .event_updated = "CPS_SNAPSHOT_BEHIND", .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT",
  .event_field = "resourceId", .routes = SVC_ROUTES(car_routes), .prepare = car_prepare, .gone = car_gone,
  .ext = SVC_NOUN_EXT(.element_of = "cars")
};

static const svc_route seat_routes[] = { PROBE_ROUTES("trains/{trainName}/cars/{carId}/seats", "{seatId}") };
static const svc_noun seat_noun = {
  .name = "seat", .parent = "car", .param = "seatId", .object = &seat_object,
  .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND, .most = 2, .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .event_created = "CPS_COPY_SNAPSHOT_STARTED", .routes = SVC_ROUTES(seat_routes), .removing = seat_removing, .gone = seat_gone,
  .ext = SVC_NOUN_EXT(.element_of = "seats")
};

static const svc_noun *const probes[] = { &train_noun, &car_noun, &seat_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

typedef struct element_world {
  t_service t;
  const char *group, *car;
  char feed[40];
} element_world;

static void element_open(element_world *w)
{
  train_prepares = car_prepares = car_gone_calls = 0;
  t_probes(probes);
  t_open(&w->t, &quiet);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "alpha");
  snprintf(w->feed, sizeof w->feed, "/groups/%s", w->group);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"name\":\"express\",\"cars\":[{\"name\":\"first\"}]}", "/groups/%s/trains", w->group), ==, 201);
  w->car = t_keep(&w->t, t_str(&w->t, "cars[0].id"));
}

static void element_close(element_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

/* Sends a request to the train, or below it. */
static int element_at(element_world *w, const char *method, const char *below, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/trains/express%s", w->group, below);
}

static const char *element_path(const char *id, const char *below)
{
  static char path[256];
  snprintf(path, sizeof path, "/cars/%s%s", id, below);
  return path;
}

TEST(element, read)
{
  element_world w;
  char path[64];
  element_open(&w);
  munit_assert_int(element_at(&w, "GET", element_path(w.car, ""), NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "first");
  munit_assert_string_equal(t_str(&w.t, "id"), w.car);
  munit_assert_string_equal(t_str(&w.t, "built"), "2025-06-01T00:00:00Z");
  munit_assert_null(t_node(&w.t, "cars"));
  snprintf(path, sizeof path, "/trains/express/cars/%s", w.car);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), path));
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), "");
  munit_assert_int(element_at(&w, "GET", "/cars/5f5f5f5f5f5f5f5f5f5f5f5f", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/trains/local/cars/%s", w.group, w.car), ==, 404);

  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"second\",\"colour\":\"red\"}"), ==, 201);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"third\"}"), ==, 201);
  munit_assert_int(element_at(&w, "GET", "/cars", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "first");
  munit_assert_string_equal(t_str(&w.t, "results[2].name"), "third");
  munit_assert_not_null(strstr(t_str(&w.t, "results[0].links[0].href"), path));
  munit_assert_int(element_at(&w, "GET", "/cars?itemsPerPage=2&pageNum=2", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "third");
  munit_assert_int(element_at(&w, "GET", "/some?colour=grey", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(element_at(&w, "GET", "/red", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "second");
  snprintf(path, sizeof path, "/red/%s", w.car);
  munit_assert_int(element_at(&w, "GET", path, NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"empty\"}", "/groups/%s/trains", w.group), ==, 201); /* a train without cars */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/trains/empty/cars", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/trains/empty/cars/%s", w.group, w.car), ==, 404);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"x\"}", "/groups/%s/trains/empty/cars", w.group), ==, 201);
  element_close(&w);
}

TEST(element, create)
{
  const char *before, *second, *tag;
  element_world w;
  element_open(&w);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(element_at(&w, "GET", "", NULL), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  t_advance(&w.t, 60);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"second\",\"colour\":\"red\"}"), ==, 201);
  second = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_size(strlen(second), ==, 24);
  munit_assert_string_equal(t_str(&w.t, "colour"), "red");
  munit_assert_string_equal(t_str(&w.t, "built"), "2025-06-01T00:01:00Z"); /* filled in by the service */
  munit_assert_not_null(strstr(t_link(&w.t, "self"), second));
  munit_assert_size(train_prepares, ==, 2); /* once for the train, once for the new car */
  munit_assert_size(car_prepares, ==, 1);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CPS_SNAPSHOT_STARTED"); /* the car's event, not the train's */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].resourceId"), second);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "express");
  munit_assert_int(element_at(&w, "GET", "", NULL), ==, 200); /* and the train has changed */
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), tag);
  munit_assert_string_equal(t_str(&w.t, "cars[0].id"), w.car);
  munit_assert_string_equal(t_str(&w.t, "cars[1].id"), second);
  munit_assert_string_equal(t_str(&w.t, "changed"), "2025-06-01T00:01:00Z");
  munit_assert_string_equal(t_str(&w.t, "state"), "SHUNTING");

  munit_assert_int(element_at(&w, "POST", "/cars", "{\"colour\":\"blue\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "name"));
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"x\",\"id\":\"5f5f5f5f5f5f5f5f5f5f5f5f\"}"), ==, 400);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"x\",\"colour\":\"red\"}"), ==, 400); /* the hook of the train refuses it */
  munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
  /* and the hook of the car refuses this */
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"x\",\"colour\":\"pink\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_PROVIDER");
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"first\"}"), ==, 409); /* names are unique within the array */
  munit_assert_string_equal(t_param(&w.t, 0), "first");
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"c\"}"), ==, 201);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"d\"}"), ==, 201);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"e\"}"), ==, 400); /* the field allows at most four */
  munit_assert_true(t_violation(&w.t, "cars"));
  munit_assert_int(element_at(&w, "PATCH", "", "{\"parked\":true}"), ==, 200);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"e\"}"), ==, 409); /* nor can a parked train get a new car */
  munit_assert_string_equal(t_error(&w.t), "PEER_INVALID_STATE");
  munit_assert_int(element_at(&w, "GET", "/cars", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  element_close(&w);
}

TEST(element, change)
{
  const char *before, *tag, *text, *second;
  element_world w;
  element_open(&w);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"second\",\"colour\":\"red\"}"), ==, 201);
  second = t_keep(&w.t, t_str(&w.t, "id"));
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(element_at(&w, "GET", element_path(w.car, ""), NULL), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  t_header(&w.t, "If-Match", tag);
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"colour\":\"blue\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "colour"), "blue");
  munit_assert_string_equal(t_str(&w.t, "name"), "first");
  munit_assert_string_equal(t_str(&w.t, "id"), w.car);
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), tag);
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"colour\":\"green\"}"), ==, 412);
  munit_assert_int(element_at(&w, "DELETE", element_path(w.car, ""), NULL), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CPS_SNAPSHOT_BEHIND");
  munit_assert_int(element_at(&w, "GET", "", NULL), ==, 200); /* in the same place, and the other car is unchanged */
  munit_assert_string_equal(t_str(&w.t, "cars[0].colour"), "blue");
  munit_assert_string_equal(t_str(&w.t, "cars[1].id"), second);
  munit_assert_string_equal(t_str(&w.t, "cars[1].colour"), "red");

  munit_assert_int(element_at(&w, "PUT", element_path(w.car, ""), "{\"name\":\"one\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "colour"), "grey");
  munit_assert_string_equal(t_str(&w.t, "built"), "2025-06-01T00:00:00Z");
  munit_assert_int(element_at(&w, "GET", element_path(w.car, ""), NULL), ==, 200); /* the shown body is sent back: nothing changes */
  text = t_keep(&w.t, w.t.response.body);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(element_at(&w, "PUT", element_path(w.car, ""), text), ==, 200);
  munit_assert_string_equal(w.t.response.body, text);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");

  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"name\":7}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "name"));
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"name\":\"second\"}"), ==, 409);
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"colour\":\"red\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, ""), "{\"colour\":\"pink\"}"), ==, 400);
  munit_assert_int(element_at(&w, "PATCH", "/cars/5f5f5f5f5f5f5f5f5f5f5f5f", "{}"), ==, 404);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");
  element_close(&w);
}

TEST(element, delete)
{
  const char *before, *second;
  element_world w;
  element_open(&w);
  munit_assert_int(element_at(&w, "DELETE", element_path(w.car, ""), NULL), ==, 400); /* a train has at least one car */
  munit_assert_true(t_violation(&w.t, "cars"));
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"second\",\"locked\":true}"), ==, 201);
  second = t_keep(&w.t, t_str(&w.t, "id"));
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(element_at(&w, "DELETE", element_path(second, ""), NULL), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CONTAINERS_IN_USE");
  munit_assert_size(car_gone_calls, ==, 0);
  munit_assert_int(element_at(&w, "DELETE", element_path(w.car, ""), NULL), ==, 204);
  munit_assert_size(car_gone_calls, ==, 1);
  munit_assert_int(element_at(&w, "GET", element_path(w.car, ""), NULL), ==, 404);
  munit_assert_int(element_at(&w, "DELETE", element_path(w.car, ""), NULL), ==, 404);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CPS_SNAPSHOT_DELETED_AUDIT");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].resourceId"), w.car);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "express");
  munit_assert_int(element_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "cars"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "cars[0].id"), second);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"third\"}"), ==, 201); /* added last, and deleted again */
  munit_assert_int(element_at(&w, "DELETE", element_path(t_keep(&w.t, t_str(&w.t, "id")), ""), NULL), ==, 204);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"fourth\"}"), ==, 201);
  munit_assert_int(element_at(&w, "GET", "/cars", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[1].name"), "fourth");
  munit_assert_int(element_at(&w, "DELETE", "", NULL), ==, 204); /* cars are deleted with their train, and leave nothing behind */
  munit_assert_size(probe_records(w.t.s, "etrai"), ==, 0);
  element_close(&w);
}

/* An element of an element. */
TEST(element, in_element)
{
  const char *seat, *second;
  element_world w;
  char path[128];
  int i;
  element_open(&w);
  munit_assert_int(element_at(&w, "POST", "/cars", "{\"name\":\"second\",\"seats\":[{\"row\":\"z\"}]}"), ==, 201);
  munit_assert_size(strlen(t_str(&w.t, "seats[0].id")), ==, 24);
  second = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(element_at(&w, "POST", element_path(w.car, "/seats"), "{\"row\":\"a\"}"), ==, 201); /* creates the missing array */
  seat = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(element_at(&w, "POST", element_path(w.car, "/seats"), "{\"row\":\"b\"}"), ==, 201);
  munit_assert_int(element_at(&w, "POST", element_path(w.car, "/seats"), "{\"row\":\"c\"}"), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "CLUSTERS_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "2");
  munit_assert_int(element_at(&w, "GET", element_path(w.car, "/seats"), NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].row"), "a");
  snprintf(path, sizeof path, "/seats/%s", seat);
  munit_assert_int(element_at(&w, "GET", element_path(w.car, path), NULL), ==, 200);
  munit_assert_int(element_at(&w, "GET", element_path(second, path), NULL), ==, 404); /* a seat of another car */
  munit_assert_string_equal(t_error(&w.t), "SNAPSHOT_NOT_FOUND");
  munit_assert_int(element_at(&w, "PATCH", element_path(w.car, path), "{\"row\":\"A\"}"), ==, 200);
  munit_assert_int(element_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "cars[0].seats[0].row"), "A");
  munit_assert_string_equal(t_str(&w.t, "cars[1].seats[0].row"), "z");
  munit_assert_int(element_at(&w, "DELETE", element_path(w.car, path), NULL), ==, 204);
  munit_assert_int(element_at(&w, "GET", element_path(w.car, "/seats"), NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].row"), "b");
  for (i = 0; i < 2; i++) { /* a hook refuses, before or after the removal: the seat is unchanged */
    munit_assert_int(element_at(&w, "POST", element_path(w.car, "/seats"), i ? "{\"row\":\"stuck\"}" : "{\"row\":\"kept\"}"), ==, 201);
    snprintf(path, sizeof path, "/seats/%s", t_str(&w.t, "id"));
    munit_assert_int(element_at(&w, "DELETE", element_path(w.car, path), NULL), ==, 409);
    munit_assert_string_equal(t_param(&w.t, 0), i ? "stuck" : "kept");
    munit_assert_int(element_at(&w, "GET", element_path(w.car, path), NULL), ==, 200);
    munit_assert_int(element_at(&w, "PATCH", element_path(w.car, path), "{\"row\":\"d\"}"), ==, 200);
    munit_assert_int(element_at(&w, "DELETE", element_path(w.car, path), NULL), ==, 204);
  }
  munit_assert_int(element_at(&w, "GET", element_path("5f5f5f5f5f5f5f5f5f5f5f5f", "/seats"), NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  element_close(&w);
}

static void element_same(t_service *t, void *context)
{
  const char *const *was = context;
  munit_assert_int(t_send(t, "GET", was[0], NULL), ==, 200);
  munit_assert_string_equal(t->response.body, was[1]);
}

TEST(element, no_memory)
{
  probe_memory m = { -1 };
  const svc_config config = { .limiter_off = 1, .allocator = { probe_resize, &m } };
  static char filler[6000], body[6500], path[256], train[160];
  const char *was[2] = { train, NULL };
  element_world w;
  t_probes(probes);
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  memset(filler, 'x', sizeof filler - 1); /* long enough to need more than one block */
  snprintf(body, sizeof body, "{\"name\":\"express\",\"cars\":[{\"name\":\"%s\"}]}", filler);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/trains", w.group), ==, 201);
  w.car = t_keep(&w.t, t_str(&w.t, "cars[0].id"));
  snprintf(train, sizeof train, "/groups/%s/trains/express", w.group);
  munit_assert_int(t_send(&w.t, "GET", train, NULL), ==, 200);
  was[1] = t_keep(&w.t, w.t.response.body);
  snprintf(path, sizeof path, "%s/cars", train);
  probe_with_little(&w.t, &m, "POST", path, "{\"name\":\"second\"}", 201, element_same, was);
  munit_assert_int(t_send(&w.t, "GET", train, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "cars"), ==, 2);
  was[1] = t_keep(&w.t, w.t.response.body);
  snprintf(path, sizeof path, "%s/cars/%s", train, w.car);
  probe_with_little(&w.t, &m, "PATCH", path, "{\"colour\":\"blue\"}", 200, element_same, was);
  munit_assert_int(t_send(&w.t, "GET", train, NULL), ==, 200);
  was[1] = t_keep(&w.t, w.t.response.body);
  probe_with_little(&w.t, &m, "DELETE", path, NULL, 204, element_same, was);
  munit_assert_int(t_send(&w.t, "GET", train, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "cars"), ==, 1);
  snprintf(path, sizeof path, "%s/cars", train);
  was[1] = t_keep(&w.t, w.t.response.body);
  probe_with_little(&w.t, &m, "GET", path, NULL, 200, element_same, was);
  element_close(&w);
}
