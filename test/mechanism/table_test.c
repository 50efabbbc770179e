/*
** Invalid tables: svc_open() refuses them, and the log names the noun and the row. The suite also has paths with a literal and a
** parameter in the same place: the path and the method decide between them.
*/
#include "mechanism/probe.h"

static const svc_field plain_fields[] = { F_ID(), F_STR("name") };
static const svc_object plain_object = { .name = "Plain", .fields = SVC_ROWS(plain_fields) };

/* Expects svc_open() to refuse the nouns, and the log to name the noun and the row. */
static void table_refused(const svc_noun *first, const svc_noun *second, const char *noun, const char *row)
{
  const svc_noun *nouns[] = { first, second, NULL };
  const char *log = probe_refused(nouns, SVC_INVALID);
  if (!strstr(log, noun) || !strstr(log, row)) munit_errorf("%s and %s are not named: %s", noun, row, log);
}

TEST(table, quota)
{
  const svc_noun good = {
    .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object,
    .ext = SVC_NOUN_EXT(.quota = "svc.project.deployment.clusters")
  };
  const svc_noun bad = {
    .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object,
    .ext = SVC_NOUN_EXT(.quota = "svc.project.deployment.clutters")
  };
  const svc_noun *const fine[] = { &good, NULL };
  t_service t;
  table_refused(&bad, NULL, "probe", "svc.project.deployment.clutters");
  t_probes(fine);
  t_open(&t, NULL);
  t_close(&t);
  t_probes(NULL);
}

TEST(table, seats)
{
  static const svc_noun second = { .name = "second team", .kind = "prob", .object = &plain_object, .seat = SVC_SEAT_TEAM };
  static const svc_noun ears[] = {
    { .name = "left ear", .flags = SVC_VIRTUAL, .object = &plain_object, .seat = SVC_SEAT_ALERTS },
    { .name = "right ear", .flags = SVC_VIRTUAL, .object = &plain_object, .seat = SVC_SEAT_ALERTS }
  };
  table_refused(&second, NULL, "second team", "same seat");
  table_refused(&ears[0], &ears[1], "right ear", "left ear");
}

/* Objects with too many levels of base objects: at the top, inside, in an array, in a variant, and in the body of a route. */
static const svc_object level[] = {
  { .name = "Level0", .fields = SVC_ROWS(plain_fields), .base = &level[1] }, { .name = "Level1", .base = &level[2] },
  { .name = "Level2", .base = &level[3] }, { .name = "Level3", .base = &level[4] }, { .name = "Level4", .base = &level[5] },
  { .name = "Level5", .base = &level[6] }, { .name = "Level6" }
};
static const svc_field inside_fields[] = { F_OBJ("deep", &level[0]) };
static const svc_object inside_object = { .name = "Inside", .fields = SVC_ROWS(inside_fields) };
static const svc_field in_array_fields[] = { F_LIST("deep", &inside_object) };
static const svc_object in_array_object = { .name = "InArray", .fields = SVC_ROWS(in_array_fields) };
static const svc_variant in_variants[] = { { "A", &plain_object }, { "B", &level[0] }, { NULL, NULL } };
static const svc_object in_variant_object = { .name = "InVariant", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("name", NULL, in_variants)) };
static const svc_object in_base_object = { .name = "InBase", .fields = SVC_ROWS(plain_fields), .base = &in_array_object };
static const svc_route body_routes[] = {
  { .method = SVC_POST, .path = "/probes", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .body = &in_array_object, .run = svc_verb_create }
};

TEST(table, levels)
{
  static const svc_object *const objects[] = { &level[0], &inside_object, &in_array_object, &in_variant_object, &in_base_object };
  static const svc_noun in_body = { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(body_routes) };
  static const svc_noun enough = { .name = "probe", .kind = "prob", .object = &level[1] }; /* six levels are the maximum */
  static const svc_noun *const fine[] = { &enough, NULL };
  t_service t;
  size_t i;
  munit_assert_int(SVC_FIELD_LEVELS, ==, 6);
  for (i = 0; i < sizeof objects / sizeof objects[0]; i++) {
    const svc_noun noun = { .name = "probe", .kind = "prob", .object = objects[i] };
    table_refused(&noun, NULL, "probe", "Level0");
  }
  table_refused(&in_body, NULL, "probe", "Level0");
  t_probes(fine);
  t_open(&t, NULL);
  t_close(&t);
  t_probes(NULL);
}

#define TABLE_ROUTE(p) { .method = SVC_GET, .path = p, .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .run = svc_verb_read }

TEST(table, paths)
{
  static const svc_route many[] = { TABLE_ROUTE("/p/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}") };
  static const svc_route open[] = { TABLE_ROUTE("/p/{a}/{b") };
  static const svc_route deep[] = { TABLE_ROUTE("/{n1}/{n2}/{n3}/{n4}/{n5}") };
  static const svc_route longest[] = { TABLE_ROUTE("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17") };
  static const svc_noun too_many = { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(many) };
  static const svc_noun brace = { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(open) };
  static const svc_noun too_long = { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(longest) };
  static const svc_noun chain[] = {
    { .name = "n1", .kind = "n1..", .param = "n1", .object = &plain_object },
    { .name = "n2", .kind = "n2..", .param = "n2", .object = &plain_object, .parent = "n1" },
    { .name = "n3", .kind = "n3..", .param = "n3", .object = &plain_object, .parent = "n2" },
    { .name = "n4", .kind = "n4..", .param = "n4", .object = &plain_object, .parent = "n3" },
    { .name = "n5", .kind = "n5..", .param = "n5", .object = &plain_object, .parent = "n4", .routes = SVC_ROUTES(deep) }
  };
  const svc_noun *nouns[SVC_MAX_CHAIN + 2] = { NULL };
  const char *log;
  size_t i;
  table_refused(&too_many, NULL, "probe", "/p/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}");
  table_refused(&brace, NULL, "probe", "/p/{a}/{b");
  table_refused(&too_long, NULL, "probe", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17");
  for (i = 0; i < SVC_MAX_CHAIN + 1; i++) nouns[i] = &chain[i];
  log = probe_refused(nouns, SVC_INVALID);
  munit_assert_not_null(strstr(log, "n5: /{n1}/{n2}/{n3}/{n4}/{n5} names too many entities"));
}

static size_t table_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  (void)c, (void)body, (void)out, (void)most;
  return 0;
}

TEST(table, names)
{
  static const svc_ref refs[] = { { "name", "target", SVC_E_PEER_NOT_FOUND, SVC_E_PEER_INVALID_STATE }, { NULL, NULL, 0, 0 } };
  const svc_noun target = {
    .name = "target", .kind = "targ", .parent = "project", .object = &plain_object, .key = "name", .unique = "name"
  };
  const svc_noun names = { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .refs = refs };
  const svc_noun element = { .name = "part", .parent = "target", .object = &plain_object, .ext = SVC_NOUN_EXT(.element_of = "name") };
  const svc_noun lost = { .name = "part", .parent = "target", .object = &plain_object, .ext = SVC_NOUN_EXT(.element_of = "parts") };
  static const svc_field list_fields[] = { F_LIST("deep", &plain_object) };
  static const svc_object list_object = { .name = "Listed", .fields = SVC_ROWS(list_fields) };
  const svc_noun alone = {
    .name = "target", .kind = "targ", .parent = "project", .object = &list_object, .flags = SVC_SINGLETON
  };
  static const char *const tallied[] = { "name", NULL };
  static const svc_feed_ops feed_ops = { .tallies = tallied };
  const svc_noun tallies = { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .ext = SVC_NOUN_EXT(
                                                                                                                                  .feed = &feed_ops) };
  const svc_noun of_singleton = { .name = "part", .parent = "target", .object = &plain_object, .ext = SVC_NOUN_EXT(
                                                                                                                     .element_of = "deep") };
  table_refused(&target, &names, "probe", "name"); /* the name could be changed */
  table_refused(&target, &element, "part", "not an array");
  table_refused(&target, &lost, "part", "parts");
  table_refused(&alone, &of_singleton, "part", "singleton");
  table_refused(&tallies, NULL, "probe", "tallies"); /* tallies require the seat of the feed */
}

static const svc_field relied_secret_fields[] = { F_LIST("deep", &plain_object), F_STR("secret", .flags = SVC_SEALED) };
static const svc_object relied_secret = { .name = "Secret", .fields = SVC_ROWS(relied_secret_fields) };
static const svc_field relied_word_fields[] = { F_STR("deep"), F_STRS("words") };
static const svc_object relied_words = { .name = "Words", .fields = SVC_ROWS(relied_word_fields) };
static const svc_noun secretive = { .name = "target", .kind = "targ", .parent = "project", .param = "t", .object = &relied_secret };
static const svc_noun wordy = { .name = "target", .kind = "targ", .parent = "project", .param = "t", .object = &relied_words };
static const svc_noun deep = { .name = "part", .parent = "target", .object = &plain_object, .ext = SVC_NOUN_EXT(.element_of = "deep") };
static const svc_noun words = { .name = "part", .parent = "target", .object = &plain_object, .ext = SVC_NOUN_EXT(.element_of = "words") };
static const svc_noun metered = {
  .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .flags = SVC_SINGLETON, .ext = SVC_NOUN_EXT(
                                                                                                                               .meters = table_meters)
};
static const svc_noun sole[] = {
  { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .flags = SVC_SOLE },
  { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .flags = SVC_SOLE, .err_exists = SVC_E_PEER_ALREADY_EXISTS }
};
static const svc_route no_path[] = { { .method = SVC_GET, .path = "/probes/{x}", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .run = svc_verb_list,
                                       .ext = SVC_ROUTE_EXT(.in_path = "name") } };
static const svc_route no_field[] = { { .method = SVC_GET, .path = "/probes/{x}", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .run = svc_verb_list,
                                        .ext = SVC_ROUTE_EXT(.in_path = "x") } };
static const svc_route no_value[] = { { .method = SVC_GET, .path = "/probes", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .run = svc_verb_list,
                                        .ext = SVC_ROUTE_EXT(.value = "nothing") } };
static const svc_route in_clear[] = { { .method = SVC_POST, .path = "/probes", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS,
                                        .body = &relied_secret, .run = svc_verb_create } };
static const svc_noun routed[] = {
  { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(no_path) },
  { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(no_field) },
  { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(no_value) },
  { .name = "probe", .kind = "prob", .object = &plain_object, .routes = SVC_ROUTES(in_clear) }
};
static const char *const no_bills[] = { "invoice", NULL }, *const no_feed[] = { "event", NULL };
static const svc_noun bills = { .name = "probe", .kind = "prob", .parent = "organization", .object = &plain_object, .seat = SVC_SEAT_BILLS };
static const char *const many_tallied[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", NULL };
static const svc_noun feed = { .name = "probe", .kind = "prob", .object = &plain_object, .seat = SVC_SEAT_FEED, .ext = SVC_NOUN_EXT(
                                                                                                                                      .feed = &(const svc_feed_ops){ .tallies = many_tallied }) };

static const svc_event_member no_field_of_events[] = { { "clusterId", NULL, NULL }, { "clusterName", "nothing", NULL }, { NULL, NULL, NULL } };
static const svc_event_member many_members[] = { { "a", NULL, "x" }, { "b", NULL, "x" }, { "c", NULL, "x" }, { "d", NULL, "x" },
                                                 { "e", NULL, "x" }, { NULL, NULL, NULL } };
static const svc_noun eventful[] = {
  { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .ext = SVC_NOUN_EXT(
                                                                                                         .event_members = no_field_of_events) },
  { .name = "probe", .kind = "prob", .parent = "project", .object = &plain_object, .ext = SVC_NOUN_EXT(.event_members = many_members) }
};

/* Errors in tables that a part of the pipeline could not handle. */
TEST(table, relied_on)
{
  munit_assert_size(sizeof many_members / sizeof many_members[0], >, SVC_EVENT_MEMBERS + 1);
  table_refused(&eventful[0], NULL, "probe", "event_members");
  table_refused(&eventful[1], NULL, "probe", "event_members");
  munit_assert_size(sizeof many_tallied / sizeof many_tallied[0], >, SVC_TALLIES + 1);
  table_refused(&secretive, &deep, "part", "secrets");
  table_refused(&wordy, &deep, "part", "not an array");
  table_refused(&wordy, &words, "part", "not an array");
  table_refused(&metered, NULL, "probe", "meters");
  table_refused(&sole[0], NULL, "probe", "SVC_SOLE");
  table_refused(&sole[1], NULL, "probe", "SVC_SOLE");
  table_refused(&routed[0], NULL, "probe", "name");
  table_refused(&routed[1], NULL, "probe", "not both a field and a parameter");
  table_refused(&routed[2], NULL, "probe", "nothing");
  table_refused(&routed[3], NULL, "probe", "in clear");
  t_without(no_bills);
  table_refused(&bills, NULL, "probe", "bills");
  t_without(no_feed);
  table_refused(&feed, NULL, "probe", "tallies");
  t_without(NULL);
}

static const svc_object again_object;
static const svc_field again_fields[] = { F_OBJ("again", &again_object), F_ID() };
static const svc_object again_object = { .name = "Again", .fields = SVC_ROWS(again_fields) };

static const svc_variant forms[] = { { "A", &plain_object }, { "B", &plain_object }, { NULL, NULL } };
static const svc_object formed_object = { .name = "Formed", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("name", NULL, forms)) };
static const svc_noun again = { .name = "again", .kind = "agai", .parent = "project", .param = "a", .object = &again_object };
static const svc_noun formed = { .name = "formed", .kind = "form", .parent = "project", .param = "f", .object = &formed_object };
static const svc_noun part = { .name = "part", .parent = "formed", .object = &plain_object, .ext = SVC_NOUN_EXT(.element_of = "parts") };
static const svc_noun *const odd_ones[] = { &again, &formed, &part, NULL };

/* An object may contain itself, and an element may belong to a union. */
TEST(table, fine)
{
  t_service t;
  t_probes(odd_ones);
  t_open(&t, NULL);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  t_probes(NULL);
}

/* svc_bootstrap() fails if organizations, projects, API keys or service accounts are left out. Paths that name an organization or a
** project that is left out are not served. */
TEST(table, left_out)
{
  static const char *const without[][2] = { { "organization" }, { "project" }, { "API key" }, { "service account" } };
  static svc_credentials credentials;
  t_service t;
  size_t i;
  for (i = 0; i < sizeof without / sizeof without[0]; i++) {
    t_without(without[i]);
    t_open(&t, NULL);
    munit_assert_int(svc_bootstrap(t.s, &credentials), ==, SVC_INVALID);
    if (i == 0) munit_assert_int(t_send(&t, "GET", "/orgs/0123456789abcdef01234567/apiKeys", NULL), ==, 404);
    if (i == 1) munit_assert_int(t_send(&t, "GET", "/groups/0123456789abcdef01234567/clusters", NULL), ==, 404);
    if (i < 2) munit_assert_string_equal(t_error(&t), "RESOURCE_NOT_FOUND");
    munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
    munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
    t_close(&t);
  }
  t_without(NULL);
}

/* ---------------------------------------------------------------------------------------------- literals and parameters */

static const char *table_ran;

#define TABLE_RUNS(name) \
  static bool table_run_##name(svc_call *c) \
  { \
    table_ran = #name; \
    return svc_answer_nothing(c); \
  }
TABLE_RUNS(all)
TABLE_RUNS(one)
TABLE_RUNS(change)
TABLE_RUNS(action)
TABLE_RUNS(named_action)
TABLE_RUNS(below_all)
TABLE_RUNS(below_one)

#define TABLE_PATH(m, p, r) { .method = m, .path = p, .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .flags = SVC_NO_BODY, .run = r }
static const svc_route fork_routes[] = {
  TABLE_PATH(SVC_GET, "/forks/all", table_run_all),
  TABLE_PATH(SVC_GET, "/forks/{forkName}", table_run_one),
  TABLE_PATH(SVC_PATCH, "/forks/{forkName}", table_run_change),
  TABLE_PATH(SVC_POST, "/forks/all", table_run_action),
  TABLE_PATH(SVC_POST, "/forks/{forkName}:bend", table_run_named_action),
  TABLE_PATH(SVC_GET, "/forks/all/tines", table_run_below_all),
  TABLE_PATH(SVC_GET, "/forks/{forkName}/tines/{tine}", table_run_below_one)
};
static const svc_noun fork_noun = { .name = "fork", .flags = SVC_VIRTUAL, .object = &plain_object, .routes = SVC_ROUTES(fork_routes) };

static void table_leads(t_service *t, const char *method, const char *path, const char *to)
{
  table_ran = NULL;
  if (t_send(t, method, path, NULL) != 204) munit_errorf("%s %s: %d", method, path, t->response.status);
  munit_assert_string_equal(table_ran, to);
}

TEST(table, forks)
{
  static const svc_noun *const nouns[] = { &fork_noun, NULL };
  const svc_config quiet = { .limiter_off = 1 };
  t_service t;
  t_probes(nouns);
  t_open(&t, &quiet);
  table_leads(&t, "GET", "/forks/all", "all");
  table_leads(&t, "GET", "/forks/al", "one");
  table_leads(&t, "GET", "/forks/all%20", "one");
  table_leads(&t, "GET", "/forks/%61ll", "all"); /* %61 is an "a": the literal */
  table_leads(&t, "PATCH", "/forks/all", "change"); /* the literal has no such method: "all" is a name here */
  table_leads(&t, "POST", "/forks/all", "action");
  table_leads(&t, "POST", "/forks/all:bend", "named_action");
  table_leads(&t, "GET", "/forks/all/tines", "below_all");
  table_leads(&t, "GET", "/forks/all/tines/2", "below_one"); /* the literal has no such path */
  table_leads(&t, "GET", "/forks/big/tines/2", "below_one");
  munit_assert_int(t_send(&t, "GET", "/forks/big/tines", NULL), ==, 404);
  munit_assert_int(t_send(&t, "POST", "/forks/big", NULL), ==, 405);
  munit_assert_string_equal(t_get_header(&t, "Allow"), "GET, HEAD, PATCH");
  munit_assert_int(t_send(&t, "DELETE", "/forks/all", NULL), ==, 405); /* the methods of the literal and of the parameter */
  munit_assert_string_equal(t_get_header(&t, "Allow"), "GET, HEAD, POST, PATCH");
  munit_assert_int(t_send(&t, "GET", "/forks/big:bend", NULL), ==, 405);
  t_close(&t);
  t_probes(NULL);
}

/* A bound of a number without its flag would look like a check, and be none. */
TEST(table, bounds)
{
  static const svc_field least[] = { F_ID(), F_INT("ttlSeconds", .min = 1) };
  static const svc_field most[] = { F_ID(), { .name = "ports", .type = SVC_ARRAY, .item = SVC_INT32, .max = 65535 } };
  static const svc_field none[] = { F_ID(), F_STR("note", .flags = SVC_NULLABLE, .preset = "null") };
  static const svc_field good[] = { F_ID(), F_INT("ttlSeconds", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 86400), F_STR("name", .max = 9) };
  static const svc_object objects[] = {
    { .name = "Least", .fields = SVC_ROWS(least) }, { .name = "Most", .fields = SVC_ROWS(most) }, { .name = "Good", .fields = SVC_ROWS(good) },
    { .name = "None", .fields = SVC_ROWS(none) }
  };
  const svc_noun bad = { .name = "probe", .kind = "prob", .parent = "project", .object = &objects[0] };
  const svc_noun array = { .name = "probe", .kind = "prob", .parent = "project", .object = &objects[1] };
  const svc_noun unset = { .name = "probe", .kind = "prob", .parent = "project", .object = &objects[3] };
  const svc_noun fine = { .name = "probe", .kind = "prob", .parent = "project", .object = &objects[2] };
  const svc_noun *const nouns[] = { &fine, NULL };
  t_service t;
  table_refused(&bad, NULL, "probe", "ttlSeconds");
  table_refused(&array, NULL, "probe", "ports");
  table_refused(&unset, NULL, "probe", "note");
  t_probes(nouns);
  t_open(&t, NULL);
  t_close(&t);
  t_probes(NULL);
}
