/*
** Columns of tables: how an entity is shown and which entities are visible, filters of lists and their cost, guards, names shared
** by nouns, keys of several parts, and several due dates of one entity.
*/
#include "mechanism/probe.h"

#define PROBE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                           .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
#define PROBE_ROUTES(list, item) \
  PROBE(SVC_GET, list, .flags = SVC_PAGED, .run = svc_verb_list), PROBE(SVC_POST, list, .status = 201, .run = svc_verb_create), \
  PROBE(SVC_GET, list "/" item, .run = svc_verb_read), PROBE(SVC_PATCH, list "/" item, .run = svc_verb_update), \
  PROBE(SVC_PUT, list "/" item, .run = svc_verb_replace), \
  PROBE(SVC_DELETE, list "/" item, .status = 204, .run = svc_verb_delete)

static const svc_config quiet = { .limiter_off = 1 };

typedef struct column_world {
  t_service t;
  const char *group;
  char feed[40];
} column_world;

static void column_open_with(column_world *w, const svc_noun *const *probes, const svc_config *config)
{
  t_probes(probes);
  t_open(&w->t, config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "alpha");
  snprintf(w->feed, sizeof w->feed, "/groups/%s", w->group);
}

static void column_open(column_world *w, const svc_noun *const *probes)
{
  column_open_with(w, probes, &quiet);
}

static void column_close(column_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static int column_at(column_world *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/%s", w->group, path);
}

static const char *column_make(column_world *w, const char *path, const char *body)
{
  if (column_at(w, "POST", path, body) != 201) munit_errorf("%s: %s", body, w->t.response.body);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

/* ---------------------------------------------------------------------------------------------------------- what is shown */

/* The noun "gauge" shows twice the stored value, and the minutes since 1970. Its routes "gaugeNames" show only the name. */
static const svc_field gauge_fields[] = {
  F_ID(), F_INT("half"), F_BOOL("loud", .preset = "false"), F_LONG("minutes", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_REQUIRED), F_INT("twice", .flags = SVC_READ_ONLY)
};
static const svc_object gauge_object = { .name = "Gauge", .fields = SVC_ROWS(gauge_fields) };
static const svc_field gauge_name_fields[] = { F_STR("only") };
static const svc_object gauge_name_object = { .name = "GaugeName", .fields = SVC_ROWS(gauge_name_fields) };

static svc_node *gauge_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  int64_t half = body ? svc_node_i64(body, "half", 0) : 0;
  if (!body) return NULL;
  svc_node_set_i64(c->arena, body, "half", half + 1000); /* even a stored field is shown differently */
  svc_node_set_i64(c->arena, body, "minutes", c->now / 60000);
  svc_node_set_i64(c->arena, body, "twice", 2 * half);
  return body;
}
static svc_node *gauge_name_view(svc_call *c, const svc_entity *e)
{
  svc_node *out = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S("")), *body = svc_entity_body(c, e);
  if (!out || !body) return NULL;
  svc_node_set_str(c->arena, out, "only", svc_node_str(body, "name"));
  return out;
}
static bool gauge_is_loud(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e);
  return body && svc_node_bool(body, "loud", false);
}
static bool gauge_must_be_loud(svc_call *c, const svc_entity *e)
{
  return gauge_is_loud(c, e) || svc_fail(c, SVC_E_PEER_INVALID_STATE, "S", &e->key);
}
static const svc_route gauge_routes[] = {
  PROBE_ROUTES("gauges", "{gaugeId}"),
  PROBE(SVC_GET, "gaugeNames", .flags = SVC_PAGED, .answer = &gauge_name_object, .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.view = gauge_name_view)),
  PROBE(SVC_GET, "gaugeNames/{gaugeId}", .answer = &gauge_name_object, .run = svc_verb_read,
        .ext = SVC_ROUTE_EXT(.view = gauge_name_view)),
  PROBE(SVC_GET, "loud", .flags = SVC_PAGED, .run = svc_verb_list, .ext = SVC_ROUTE_EXT(.keep = gauge_is_loud)),
  PROBE(SVC_GET, "loud/{gaugeId}", .run = svc_verb_read,
        .ext = SVC_ROUTE_EXT(.keep = gauge_must_be_loud)),
  PROBE(SVC_PATCH, "loud/{gaugeId}", .run = svc_verb_update,
        .ext = SVC_ROUTE_EXT(.keep = gauge_must_be_loud)),
  PROBE(SVC_DELETE, "loud/{gaugeId}", .status = 204, .run = svc_verb_delete, .ext = SVC_ROUTE_EXT(.keep = gauge_is_loud))
};
static const svc_noun gauge_noun = {
  .name = "gauge", .kind = "gaug", .parent = "project", .param = "gaugeId", .object = &gauge_object,
  .err_not_found = SVC_E_PEER_NOT_FOUND, .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(gauge_routes), .view = gauge_view
};
static const svc_noun *const gauges[] = { &gauge_noun, NULL };

TEST(column, view)
{
  const char *id, *tag, *text, *before;
  column_world w;
  char path[64];
  column_open(&w, gauges);
  id = column_make(&w, "gauges", "{\"name\":\"g\",\"half\":21}");
  munit_assert_int64(t_int(&w.t, "twice"), ==, 42); /* in the answer to a create, ... */
  munit_assert_int64(t_int(&w.t, "half"), ==, 1021);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  snprintf(path, sizeof path, "gauges/%s", id);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "twice"), ==, 42); /* ... to a read, ... */
  munit_assert_string_not_equal(t_link(&w.t, "self"), "");
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), tag);
  munit_assert_int(column_at(&w, "GET", "gauges", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].twice"), ==, 42); /* ... to a list, ... */
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":30}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "twice"), ==, 60); /* ... and to a change */
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), tag);

  t_header(&w.t, "If-Match", tag);
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":31}"), ==, 412);
  munit_assert_int(column_at(&w, "DELETE", path, NULL), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  t_header(&w.t, "If-None-Match", tag);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 304);
  t_advance(&w.t, 60); /* nothing stored has changed, but the shown body has: a new ETag */
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  t_headers_clear(&w.t);
  t_header(&w.t, "If-Match", tag);
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":31}"), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  t_header(&w.t, "If-Match", t_keep(&w.t, t_get_header(&w.t, "ETag")));
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":31}"), ==, 200);
  t_headers_clear(&w.t);

  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200); /* the shown body can be sent back, and changes nothing */
  text = t_keep(&w.t, w.t.response.body);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  if (column_at(&w, "PATCH", path, text) != 200) munit_errorf("%s: %s", text, w.t.response.body);
  munit_assert_string_equal(w.t.response.body, text);
  if (column_at(&w, "PUT", path, text) != 200) munit_errorf("%s: %s", text, w.t.response.body);
  munit_assert_string_equal(w.t.response.body, text);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");
  munit_assert_int(column_at(&w, "PATCH", path, "{\"twice\":1}"), ==, 400); /* but a field of the view cannot be changed */
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":1032}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "half"), ==, 2032);

  munit_assert_int(column_at(&w, "GET", "gaugeNames", NULL), ==, 200); /* a route with another view */
  munit_assert_string_equal(t_str(&w.t, "results[0].only"), "g");
  munit_assert_null(t_node(&w.t, "results[0].twice"));
  snprintf(path, sizeof path, "gaugeNames/%s", id);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "only"), "g");
  munit_assert_null(t_node(&w.t, "half"));
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  t_advance(&w.t, 600);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), tag); /* the body that this route shows has not changed */
  column_close(&w);
}

TEST(column, keep)
{
  const char *loud, *low;
  column_world w;
  char path[64], body[64];
  int i;
  column_open(&w, gauges);
  low = column_make(&w, "gauges", "{\"name\":\"low\"}");
  loud = column_make(&w, "gauges", "{\"name\":\"high\",\"loud\":true}");
  for (i = 0; i < 6; i++) {
    snprintf(body, sizeof body, "{\"name\":\"g%d\",\"loud\":%s}", i, i % 2 ? "true" : "false");
    column_make(&w, "gauges", body);
  }
  munit_assert_int(column_at(&w, "GET", "loud", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_size(t_count(&w.t, "results"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "high");
  munit_assert_int(column_at(&w, "GET", "loud?itemsPerPage=3&pageNum=2", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "g5");
  snprintf(path, sizeof path, "loud/%s", loud);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":3}"), ==, 200);
  snprintf(path, sizeof path, "loud/%s", low);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 409); /* the gauge exists, but is not visible here */
  munit_assert_string_equal(t_error(&w.t), "PEER_INVALID_STATE");
  munit_assert_int(column_at(&w, "PATCH", path, "{\"half\":3}"), ==, 409);
  munit_assert_int(column_at(&w, "DELETE", path, NULL), ==, 404); /* this route returns a plain 404 */
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), low);
  munit_assert_int(column_at(&w, "GET", "loud/5f5f5f5f5f5f5f5f5f5f5f5f", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  snprintf(path, sizeof path, "gauges/%s", low);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "half"), ==, 1000); /* no PATCH has set half */
  column_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- filters */

static const svc_field mark_deep_fields[] = { F_STR("level") };
static const svc_object mark_deep = { .name = "MarkDeep", .fields = SVC_ROWS(mark_deep_fields) };
static const svc_field mark_fields[] = {
  F_STR("colour"), F_CREATED("created"), F_OBJ("deep", &mark_deep), F_DATE("happened"), F_ID(),
  F_STR("name", .flags = SVC_REQUIRED)
};
static const svc_object mark_object = { .name = "Mark", .fields = SVC_ROWS(mark_fields) };
static const svc_param mark_params[] = {
  { .name = "after", .type = SVC_DATE }, { .name = "before", .type = SVC_DATE },
  { .name = "colour", .flags = SVC_PARAM_REPEATS }, { .name = "level" },
  { .name = "maxDate", .type = SVC_DATE }, { .name = "minDate", .type = SVC_DATE },
  { .name = "name" }, { .name = "notColour", .flags = SVC_PARAM_REPEATS }, { .name = "tint" }, { .name = NULL }
};
static const svc_filter mark_filters[] = {
  { "after", SVC_MIN_DATE, "happened" }, { "before", SVC_MAX_DATE, "happened" }, { "colour", SVC_EQUALS, "colour" },
  { "level", SVC_EQUALS, "deep.level" }, { "maxDate", SVC_MAX_DATE, "created" }, { "minDate", SVC_MIN_DATE, "created" },
  { "tint", SVC_PREFIX, "colour" }, { "name", SVC_PREFIX, "name" }, { "notColour", SVC_NOT_IN, "colour" }, { NULL, 0, NULL }
};
static bool mark_is_red(svc_call *c, const svc_entity *e)
{
  return svc_str_is(svc_entity_text(c, c->plan->noun->noun, e, "colour"), "red");
}
static const svc_route mark_routes[] = {
  PROBE(SVC_GET, "marks", .flags = SVC_PAGED, .params = mark_params, .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = mark_filters)),
  PROBE(SVC_GET, "lastMarks", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = mark_params, .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = mark_filters)),
  PROBE(SVC_GET, "redMarks", .flags = SVC_PAGED, .params = mark_params, .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = mark_filters, .keep = mark_is_red)),
  PROBE(SVC_POST, "marks", .status = 201, .run = svc_verb_create),
  PROBE(SVC_GET, "marks/{markId}", .run = svc_verb_read)
};
static const svc_noun mark_noun = {
  .name = "mark", .kind = "mark", .parent = "project", .param = "markId", .object = &mark_object, .unique = "name",
  .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(mark_routes)
};
static const svc_noun *const marks[] = { &mark_noun, NULL };

/* Checks the names that a query returns, one letter each, and the count. */
static void column_gives(column_world *w, const char *query, const char *names)
{
  char path[64], got[64] = "";
  size_t i, n;
  if (column_at(w, "GET", query, NULL) != 200) munit_errorf("%s: %s", query, w->t.response.body);
  n = t_count(&w->t, "results");
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, (int64_t)n);
  for (i = 0; i < n; i++) {
    snprintf(path, sizeof path, "results[%zu].name", i);
    got[i] = t_str(&w->t, path)[0];
  }
  if (strcmp(got, names) != 0) munit_errorf("%s gives %s, not %s", query, got, names);
}

TEST(column, filters)
{
  column_world w;
  column_open(&w, marks);
  column_make(&w, "marks", "{\"name\":\"a\",\"colour\":\"red\",\"deep\":{\"level\":\"1\"},\"happened\":\"2024-02-29T12:00:00Z\"}");
  w.t.now += 999; /* within the same second */
  column_make(&w, "marks", "{\"name\":\"b\",\"colour\":\"green\",\"deep\":{\"level\":\"2\"},\"happened\":\"2024-03-01T00:00:00Z\"}");
  w.t.now += 1;
  column_make(&w, "marks", "{\"name\":\"C\",\"colour\":\"blue\"}");
  t_advance(&w.t, 10);
  column_make(&w, "marks", "{\"name\":\"ab\\u00e9\",\"colour\":\"red\"}");
  t_advance(&w.t, 10);
  column_make(&w, "marks", "{\"name\":\"d\"}");

  column_gives(&w, "marks", "abCad");
  column_gives(&w, "lastMarks", "daCba");
  column_gives(&w, "marks?colour=red", "aa");
  column_gives(&w, "marks?colour=red&colour=blue", "aCa");
  column_gives(&w, "marks?colour=Red", "");
  column_gives(&w, "marks?colour=re", "");
  column_gives(&w, "marks?notColour=red", "bCd"); /* includes marks without a color */
  column_gives(&w, "marks?notColour=red&notColour=green", "Cd");
  column_gives(&w, "marks?level=2", "b");
  column_gives(&w, "marks?name=A", "aa"); /* upper and lower case are equal */
  column_gives(&w, "marks?name=c", "C");
  column_gives(&w, "marks?name=AB%C3%A9", "a");
  column_gives(&w, "marks?name=abcd", "");
  column_gives(&w, "marks?name=a&colour=red&level=1", "a");
  column_gives(&w, "lastMarks?name=A", "aa");
  column_gives(&w, "lastMarks?name=c", "C");
  column_gives(&w, "marks?tint=GR", "b"); /* the prefix of a field without an index */
  column_gives(&w, "marks?tint=r&name=ab", "a");
  column_gives(&w, "redMarks", "aa");
  column_gives(&w, "redMarks?name=a", "aa");
  column_gives(&w, "redMarks?name=c", "");
  munit_assert_int(column_at(&w, "GET", "marks?name=a&name=b", NULL), ==, 400);
  munit_assert_int(column_at(&w, "GET", "marks?shade=a", NULL), ==, 400);
  munit_assert_int(column_at(&w, "GET", "marks?minDate=yesterday", NULL), ==, 400);

  /* by creation: a and b at 0, C at 1, a at 11, d at 21 seconds */
  column_gives(&w, "marks?minDate=2025-06-01T00:00:00Z", "abCad");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:00.001Z", "Cad"); /* dates are compared by the second */
  column_gives(&w, "marks?minDate=2025-06-01T00:00:01Z", "Cad");
  column_gives(&w, "marks?minDate=2025-06-01T02:00:01%2B02:00", "Cad");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:21Z", "d");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:22Z", "");
  column_gives(&w, "marks?maxDate=2025-06-01T00:00:00Z", "ab");
  column_gives(&w, "marks?maxDate=2025-05-31T23:59:59Z", "");
  column_gives(&w, "marks?maxDate=2025-06-01T00:00:10.999Z", "abC");
  column_gives(&w, "marks?maxDate=2025-06-01T00:00:11Z", "abCa");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:01Z&maxDate=2025-06-01T00:00:11Z", "Ca");
  column_gives(&w, "lastMarks?minDate=2025-06-01T00:00:01Z&maxDate=2025-06-01T00:00:11Z", "aC");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:11Z&maxDate=2025-06-01T00:00:01Z", "");
  column_gives(&w, "marks?minDate=1900-01-01T00:00:00Z&maxDate=9999-12-31T23:59:59Z", "abCad");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:00Z&colour=red&itemsPerPage=500", "aa");
  /* by a date field */
  column_gives(&w, "marks?after=2024-02-29T12:00:00Z", "ab");
  column_gives(&w, "marks?after=2024-02-29T12:00:01Z", "b");
  column_gives(&w, "marks?before=2024-03-01T00:00:00Z", "ab");
  column_gives(&w, "marks?before=2024-02-29T23:59:59Z", "a");

  t_advance(&w.t, -61); /* the clock is set back: ids continue to rise, and dates follow the clock */
  column_make(&w, "marks", "{\"name\":\"e\"}");
  munit_assert_string_equal(t_str(&w.t, "created"), "2025-05-31T23:59:20Z");
  column_gives(&w, "marks?maxDate=2025-05-31T23:59:59Z", "e");
  column_gives(&w, "marks?minDate=2025-06-01T00:00:00Z", "abCad");
  column_close(&w);
}

/* ---- cost of a page: rows read from the store */

static svc_store_port counting;
static atomic_size_t rows_read;

static int counting_read(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &counting;
  return rc;
}
static int counting_write(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &counting;
  return rc;
}
static int counting_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  int rc = svc_lmdb_port()->scan(txn, range, rows, most, n);
  atomic_fetch_add(&rows_read, *n);
  return rc;
}

static size_t column_cost(column_world *w, const char *query, size_t results, const char *first)
{
  size_t before = atomic_load(&rows_read);
  if (column_at(w, "GET", query, NULL) != 200) munit_errorf("%s: %s", query, w->t.response.body);
  munit_assert_size(t_count(&w->t, "results"), ==, results);
  munit_assert_string_equal(t_str(&w->t, "results[0].name"), first);
  return atomic_load(&rows_read) - before;
}

TEST(column, filter_cost)
{
  enum { MARKS = 2000 };
  svc_config config = quiet;
  column_world w;
  char body[64];
  int i;
  counting = *svc_lmdb_port();
  counting.read_begin = counting_read;
  counting.write_begin = counting_write;
  counting.scan = counting_scan;
  config.store = &counting;
  column_open_with(&w, marks, &config);
  for (i = 0; i < MARKS; i++) { /* one mark per minute */
    snprintf(body, sizeof body, "{\"name\":\"m%04d\",\"colour\":\"%s\"}", i, i % 2 ? "red" : "blue");
    column_make(&w, "marks", body);
    t_advance(&w.t, 60);
  }
  /* mark number 1440 is created at 2025-06-02T00:00 */
  munit_assert_size(column_cost(&w, "marks?minDate=2025-06-02T00:00:00Z&itemsPerPage=10&includeCount=false", 10, "m1440"), <, 100);
  munit_assert_size(column_cost(&w, "lastMarks?maxDate=2025-06-02T00:00:00Z&itemsPerPage=10&includeCount=false", 10, "m1440"), <, 100);
  munit_assert_size(column_cost(&w, "marks?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-02T00:09:30Z", 10, "m1440"), <, 100);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 10);
  munit_assert_size(column_cost(&w, "lastMarks?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-02T00:09:30Z", 10, "m1449"), <, 100);
  munit_assert_size(column_cost(&w, "marks?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-02T00:09:30Z&colour=red", 5, "m1441"), <, 100);
  munit_assert_size(column_cost(&w, "marks?itemsPerPage=10", 10, "m0000"), <, 100); /* including the count, which is stored */
  munit_assert_size(column_cost(&w, "marks?itemsPerPage=10&pageNum=150", 10, "m1490"), <, 100);
  munit_assert_size(column_cost(&w, "marks?colour=red&itemsPerPage=10", 10, "m0001"), >=, MARKS); /* counting the matches reads all */
  column_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- guards */

static const svc_field chest_fields[] = {
  F_ID(), F_BOOL("locked", .preset = "false"), F_STR("name", .flags = SVC_REQUIRED), F_STR("note"),
  F_STR("state", .preset = "\"OPEN\"")
};
static const svc_object chest_object = { .name = "Chest", .fields = SVC_ROWS(chest_fields) };
static const svc_guard chest_guards[] = {
  { "state", "SEALED", SVC_GUARD_CHANGE, SVC_E_PEER_INVALID_STATE },
  { "locked", "true", SVC_GUARD_DELETE, SVC_E_CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED },
  { "state", "CURSED", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_CLUSTER_ALREADY_REQUESTED_DELETION },
  { NULL, NULL, 0, 0 }
};
static const svc_route chest_routes[] = { PROBE_ROUTES("chests", "{chestName}") };
static const svc_noun chest_noun = {
  .name = "chest", .kind = "ches", .parent = "project", .param = "chestName", .object = &chest_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .guards = chest_guards, .routes = SVC_ROUTES(chest_routes)
};
static const svc_noun *const chests[] = { &chest_noun, NULL };

TEST(column, guards)
{
  column_world w;
  column_open(&w, chests);
  column_make(&w, "chests", "{\"name\":\"a\",\"state\":\"SEALED\"}"); /* a create in this state is allowed */
  munit_assert_int(column_at(&w, "PATCH", "chests/a", "{\"note\":\"n\"}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "PEER_INVALID_STATE");
  munit_assert_int(column_at(&w, "PATCH", "chests/a", "{\"state\":\"OPEN\"}"), ==, 409);
  munit_assert_int(column_at(&w, "PUT", "chests/a", "{\"name\":\"a\"}"), ==, 409);
  munit_assert_int(column_at(&w, "DELETE", "chests/a", NULL), ==, 204);
  column_make(&w, "chests", "{\"name\":\"b\",\"locked\":true}");
  munit_assert_int(column_at(&w, "DELETE", "chests/b", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED");
  munit_assert_string_equal(t_param(&w.t, 0), "b");
  munit_assert_int(column_at(&w, "PATCH", "chests/b", "{\"locked\":false}"), ==, 200);
  munit_assert_int(column_at(&w, "DELETE", "chests/b", NULL), ==, 204);
  column_make(&w, "chests", "{\"name\":\"c\"}");
  munit_assert_int(column_at(&w, "PATCH", "chests/c", "{\"state\":\"CURSED\"}"), ==, 200);
  munit_assert_int(column_at(&w, "PATCH", "chests/c", "{\"note\":\"n\"}"), ==, 400);
  munit_assert_int(column_at(&w, "DELETE", "chests/c", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_ALREADY_REQUESTED_DELETION");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202); /* deleting the project ignores the guard */
  munit_assert_size(probe_records(w.t.s, "eches"), ==, 0);
  column_close(&w);
}

/* ------------------------------------------------------------------------------------------------------- names and keys */

static const svc_field pet_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object cat_object = { .name = "Cat", .fields = SVC_ROWS(pet_fields) };
static const svc_object dog_object = { .name = "Dog", .fields = SVC_ROWS(pet_fields) };
static const svc_route cat_routes[] = { PROBE_ROUTES("cats", "{catName}") };
static const svc_route dog_routes[] = { PROBE_ROUTES("dogs", "{dogName}") };
static const svc_noun cat_noun = {
  .name = "cat", .kind = "cat.", .parent = "project", .param = "catName", .object = &cat_object, .key = "name", .unique = "name", .err_not_found = SVC_E_CLUSTER_NOT_FOUND, .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME, .routes = SVC_ROUTES(cat_routes),
  .ext = SVC_NOUN_EXT(.names = "pets", .err_other = SVC_E_CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API)
};
static const svc_noun dog_noun = {
  .name = "dog", .kind = "dog.", .parent = "project", .param = "dogName", .object = &dog_object, .key = "name", .unique = "name", .err_not_found = SVC_E_PEER_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(dog_routes),
  .ext = SVC_NOUN_EXT(.names = "pets")
};
static const svc_noun *const pets[] = { &cat_noun, &dog_noun, NULL };

TEST(column, names)
{
  const char *other;
  column_world w;
  column_open(&w, pets);
  column_make(&w, "cats", "{\"name\":\"tom\"}");
  column_make(&w, "dogs", "{\"name\":\"rex\"}");
  munit_assert_int(column_at(&w, "POST", "dogs", "{\"name\":\"tom\"}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "PEER_ALREADY_EXISTS"); /* each noun has its own error code */
  munit_assert_int(column_at(&w, "POST", "cats", "{\"name\":\"rex\"}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "DUPLICATE_CLUSTER_NAME");
  munit_assert_int(column_at(&w, "POST", "cats", "{\"name\":\"tom\"}"), ==, 409);
  munit_assert_int(column_at(&w, "PATCH", "cats/tom", "{\"name\":\"rex\"}"), ==, 409);

  munit_assert_int(column_at(&w, "GET", "cats/rex", NULL), ==, 400); /* the name belongs to a dog */
  munit_assert_string_equal(t_error(&w.t), "CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API");
  munit_assert_int(column_at(&w, "DELETE", "cats/rex", NULL), ==, 400);
  munit_assert_int(column_at(&w, "GET", "dogs/tom", NULL), ==, 404); /* the noun dog has no error code (err_other) for that case */
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_int(column_at(&w, "GET", "cats/ina", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  munit_assert_int(column_at(&w, "GET", "cats", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);

  munit_assert_int(column_at(&w, "PATCH", "cats/tom", "{\"name\":\"ina\"}"), ==, 200); /* the old name is free */
  munit_assert_int(column_at(&w, "GET", "cats/tom", NULL), ==, 404);
  column_make(&w, "dogs", "{\"name\":\"tom\"}");
  munit_assert_int(column_at(&w, "DELETE", "dogs/tom", NULL), ==, 204);
  column_make(&w, "cats", "{\"name\":\"tom\"}");
  other = t_project(&w.t, t_organization(&w.t, "Other"), "beta"); /* in another project the name is free */
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"tom\"}", "/groups/%s/dogs", other), ==, 201);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/cats/tom", other), ==, 400);
  munit_assert_size(probe_records(w.t.s, "upets"), ==, 4);
  munit_assert_size(probe_records(w.t.s, "ucat.") + probe_records(w.t.s, "udog."), ==, 0);
  column_close(&w);
}

static const svc_field account_fields[] = {
  F_STR("database", .flags = SVC_REQUIRED), F_ID(), F_STR("note"), F_STR("user", .flags = SVC_REQUIRED)
};
static const svc_object account_object = { .name = "Account", .fields = SVC_ROWS(account_fields) };
static const svc_route account_routes[] = { PROBE_ROUTES("accounts", "{database}/{user}") };
static const svc_noun account_noun = {
  .name = "account", .kind = "acct", .parent = "project", .param = "database/user", .object = &account_object,
  .key = "database/user", .err_not_found = SVC_E_PEER_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS,
  .event_created = "CLUSTER_CREATED", .event_field = "targetUsername", .routes = SVC_ROUTES(account_routes)
};

static const svc_field index_fields[] = {
  F_STR("collection", .flags = SVC_REQUIRED), F_STR("database", .flags = SVC_REQUIRED), F_ID(),
  F_STR("name", .flags = SVC_REQUIRED), F_STR("note")
};
static const svc_object index_object = { .name = "Index", .fields = SVC_ROWS(index_fields) };
#define INDEX_BY "indexes/{database}/{collection}/{name}"
static const svc_route index_routes[] = {
  PROBE_ROUTES("indexes", "{indexId}"),
  PROBE(SVC_GET, INDEX_BY, .run = svc_verb_read,
        .ext = SVC_ROUTE_EXT(.by = "database/collection/name"), .err_not_found = SVC_E_SEARCH_COLLECTION_NOT_FOUND),
  PROBE(SVC_PATCH, INDEX_BY, .run = svc_verb_update, .ext = SVC_ROUTE_EXT(.by = "database/collection/name")),
  PROBE(SVC_DELETE, INDEX_BY, .status = 204, .run = svc_verb_delete, .ext = SVC_ROUTE_EXT(.by = "database/collection/name"))
};
static const svc_noun index_noun = {
  .name = "index", .kind = "indx", .parent = "project", .param = "indexId", .object = &index_object,
  .unique = "database/collection/name", .err_not_found = SVC_E_PEER_NOT_FOUND, .err_exists = SVC_E_SEARCH_DUPLICATE_INDEX,
  .routes = SVC_ROUTES(index_routes)
};
static const svc_noun *const keyed[] = { &account_noun, &index_noun, NULL };

TEST(column, keys)
{
  static const char here[] = "http://localhost:8080/api/svc/v2";
  column_world w;
  const char *link;
  column_open(&w, keyed);
  column_make(&w, "accounts", "{\"database\":\"admin\",\"user\":\"joe\"}");
  munit_assert_int(column_at(&w, "GET", "accounts/admin/joe", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "user"), "joe");
  column_make(&w, "accounts", "{\"database\":\"$external\",\"user\":\"CN=j/o e,O=%x\\u00e9\"}"); /* any character in a name */
  munit_assert_int(column_at(&w, "GET", "accounts", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  link = t_keep(&w.t, t_str(&w.t, "results[1].links[0].href"));
  munit_assert_int(strncmp(link, here, strlen(here)), ==, 0);
  munit_assert_int(t_send(&w.t, "GET", link + strlen(here), NULL), ==, 200); /* the link works */
  munit_assert_string_equal(t_str(&w.t, "database"), "$external");
  munit_assert_string_equal(t_link(&w.t, "self"), link);
  munit_assert_int(column_at(&w, "GET", "accounts/$external/CN%3Dj%2Fo%20e,O=%25x%C3%A9", NULL), ==, 200);
  munit_assert_int(column_at(&w, "GET", "accounts/$external/CN=j/o%20e,O=%25x%C3%A9", NULL), ==, 404); /* one segment more */
  munit_assert_int(column_at(&w, "POST", "accounts", "{\"database\":\"admin\",\"user\":\"joe\"}"), ==, 409);
  column_make(&w, "accounts", "{\"database\":\"other\",\"user\":\"joe\"}"); /* only both parts together are unique */
  column_make(&w, "accounts", "{\"database\":\"admin\",\"user\":\"other/joe\"}");
  column_make(&w, "accounts", "{\"database\":\"admin/other\",\"user\":\"joe\"}");
  munit_assert_int(column_at(&w, "GET", "accounts/admin/jane", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_int(column_at(&w, "PATCH", "accounts/admin/joe", "{\"note\":\"n\"}"), ==, 200);
  munit_assert_int(column_at(&w, "PATCH", "accounts/admin/joe", "{\"user\":\"jim\"}"), ==, 200); /* the key changes */
  munit_assert_int(column_at(&w, "GET", "accounts/admin/joe", NULL), ==, 404);
  munit_assert_int(column_at(&w, "GET", "accounts/admin/jim", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "note"), "n");
  munit_assert_int(column_at(&w, "PATCH", "accounts/admin/jim", "{\"user\":\"other/joe\"}"), ==, 409);
  munit_assert_int(column_at(&w, "DELETE", "accounts/admin/jim", NULL), ==, 204);
  column_make(&w, "accounts", "{\"database\":\"admin\",\"user\":\"jim\"}");
  munit_assert_size(probe_records(w.t.s, "uacct"), ==, 5);
  column_close(&w);
}

TEST(column, second_key)
{
  static const char here[] = "http://localhost:8080/api/svc/v2";
  const char *id, *link;
  column_world w;
  char path[64];
  column_open(&w, keyed);
  id = column_make(&w, "indexes", "{\"database\":\"d\",\"collection\":\"c/x\",\"name\":\"default\"}");
  snprintf(path, sizeof path, "indexes/%s", id);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200); /* by its id, ... */
  link = t_keep(&w.t, t_link(&w.t, "byName"));
  munit_assert_string_equal(t_link(&w.t, "self") + strlen(t_link(&w.t, "self")) - 24, id);
  munit_assert_int(strncmp(link, here, strlen(here)), ==, 0);
  munit_assert_int(t_send(&w.t, "GET", link + strlen(here), NULL), ==, 200); /* ... and by its names, as in the link */
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_int(column_at(&w, "GET", "indexes/d/c%2Fx/default", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_int(column_at(&w, "GET", "indexes/d/c/default", NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "SEARCH_COLLECTION_NOT_FOUND");
  munit_assert_int(column_at(&w, "PATCH", "indexes/d/c/default", "{\"note\":\"n\"}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_int(column_at(&w, "POST", "indexes", "{\"database\":\"d\",\"collection\":\"c/x\",\"name\":\"default\"}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "SEARCH_DUPLICATE_INDEX");
  column_make(&w, "indexes", "{\"database\":\"d/c\",\"collection\":\"x\",\"name\":\"default\"}"); /* the same letters, but another name */
  column_make(&w, "indexes", "{\"database\":\"d\",\"collection\":\"c/x\",\"name\":\"other\"}");
  munit_assert_int(column_at(&w, "PATCH", "indexes/d/c%2Fx/default", "{\"note\":\"n\",\"name\":\"main\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_int(column_at(&w, "GET", "indexes/d/c%2Fx/default", NULL), ==, 400);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "note"), "n");
  munit_assert_int(column_at(&w, "DELETE", "indexes/d/c%2Fx/main", NULL), ==, 204);
  munit_assert_int(column_at(&w, "GET", path, NULL), ==, 404);
  munit_assert_int(column_at(&w, "GET", "indexes", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  column_close(&w);
}

/* --------------------------------------------------------------------------------------------- due dates, told apart by tags */

enum { ALARM_OWN = SVC_DUE_OWN };
static const svc_field alarm_fields[] = {
  F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_INT("other"), F_INT("run"), F_STR("rang", .flags = SVC_READ_ONLY, .preset = "\"\""),
  F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object alarm_object = { .name = "Alarm", .fields = SVC_ROWS(alarm_fields) };
static const svc_route alarm_routes[] = { PROBE_ROUTES("alarms", "{alarmName}") };
static const svc_transition alarm_transitions[] = {
  { "NEW", "WARM", 50, NULL, NULL }, { "WARM", "READY", 50, "CLUSTER_READY", NULL }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle alarm_lifecycle = { .field = "state", .created = "NEW", .transitions = alarm_transitions };
static bool alarm_prepare(svc_call *c, svc_change *change)
{
  const svc_node *run = svc_node_get(change->body, "run"), *other = svc_node_get(change->body, "other");
  int64_t seconds;
  if (run && (!change->before || !svc_node_same(run, svc_node_get(change->before, "run")))) {
    seconds = svc_node_i64(change->body, "run", 0);
    svc_change_due(change, SVC_DUE_RUN, seconds ? c->now + seconds * 1000 : 0);
  }
  if (other && !change->before) svc_change_due(change, ALARM_OWN, c->now + svc_node_i64(change->body, "other", 0) * 1000);
  return true;
}
static bool alarm_fell_due(svc_call *c, svc_change *change, int tag)
{
  const char *what = tag == SVC_DUE_STATE ? "s" : tag == SVC_DUE_RUN ? "r" : tag == ALARM_OWN ? "o" : "?";
  svc_str rang = svc_node_str(change->body, "rang");
  svc_node_set_str(c->arena, change->body, "rang", svc_arena_print(c->arena, SVC_FMT "%s", SVC_ARG(rang), what));
  return true;
}
static const svc_noun alarm_noun = {
  .name = "alarm", .kind = "alrm", .parent = "project", .param = "alarmName", .object = &alarm_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .lifecycle = &alarm_lifecycle, .routes = SVC_ROUTES(alarm_routes),
  .prepare = alarm_prepare, .fell_due = alarm_fell_due
};
static const svc_noun *const alarms[] = { &alarm_noun, NULL };

static void column_rang(column_world *w, const char *alarm, const char *rang, const char *state)
{
  char path[32];
  snprintf(path, sizeof path, "alarms/%s", alarm);
  munit_assert_int(column_at(w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "rang"), rang);
  munit_assert_string_equal(t_str(&w->t, "state"), state);
}

TEST(column, dues)
{
  column_world w;
  column_open(&w, alarms); /* ten seconds to provision: five in each state */
  column_make(&w, "alarms", "{\"name\":\"a\",\"run\":7,\"other\":12}");
  column_make(&w, "alarms", "{\"name\":\"b\",\"run\":7}");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 5);
  column_rang(&w, "a", "", "NEW");
  t_advance(&w.t, 5);
  column_rang(&w, "a", "s", "WARM");
  t_advance(&w.t, 2);
  column_rang(&w, "a", "sr", "WARM"); /* one step runs, the others are still due */
  t_advance(&w.t, 3);
  column_rang(&w, "a", "srs", "READY");
  t_advance(&w.t, 100);
  column_rang(&w, "a", "srso", "READY");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0);

  column_make(&w, "alarms", "{\"name\":\"c\",\"run\":7,\"other\":12}"); /* a change moves one of the due dates */
  munit_assert_int(column_at(&w, "PATCH", "alarms/c", "{\"run\":30}"), ==, 200);
  munit_assert_size(probe_records(w.t.s, "d"), ==, 3);
  t_advance(&w.t, 29);
  column_rang(&w, "c", "sso", "READY");
  t_advance(&w.t, 1);
  column_rang(&w, "c", "ssor", "READY");
  column_make(&w, "alarms", "{\"name\":\"d\",\"run\":7,\"other\":12}"); /* a change removes one of the due dates */
  munit_assert_int(column_at(&w, "PATCH", "alarms/d", "{\"run\":0}"), ==, 200);
  t_advance(&w.t, 100); /* all due steps run at once, in the order of their times */
  column_rang(&w, "d", "sso", "READY");
  column_make(&w, "alarms", "{\"name\":\"e\",\"run\":7,\"other\":12}");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 3);
  munit_assert_int(column_at(&w, "DELETE", "alarms/e", NULL), ==, 204); /* a deleted entity has no due dates */
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0);
  column_close(&w);
}

/* States without duration follow one another at the same time. */
TEST(column, dues_at_once)
{
  const svc_config config = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };
  column_world w;
  column_open_with(&w, alarms, &config);
  column_make(&w, "alarms", "{\"name\":\"a\"}");
  munit_assert_string_equal(t_str(&w.t, "state"), "NEW");
  column_rang(&w, "a", "ss", "READY");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0);
  column_close(&w);
}
