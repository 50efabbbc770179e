/*
** Cascades: every delete, alone or below a deleted parent, passes one function. And due steps: a step that refuses after it has
** written is given up, and none of its writes is stored.
**
** The made-up nouns of this suite: trees of a project, their branches, and the leaves of branches; pots, to which branches
** refer; thorns, which block the delete of their tree; bombs, which create a pot when they fall due, and some of which then
** refuse.
*/
#include "driver.h"
#include "mechanism/probe.h"

#define TREES "/groups/%s/trees"

static size_t tree_gone_calls, branch_gone_calls, leaf_gone_calls, removing_calls;

#define PROBE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                           .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
#define PROBE_ROUTES(list, item) \
  PROBE(SVC_GET, list, .flags = SVC_PAGED, .run = svc_verb_list), PROBE(SVC_POST, list, .status = 201, .run = svc_verb_create), \
  PROBE(SVC_GET, list "/" item, .run = svc_verb_read), PROBE(SVC_DELETE, list "/" item, .status = 204, .run = svc_verb_delete)

/* --------------------------------------------------------------------------------------------------------------- trees */

static const svc_field tree_fields[] = {
  F_INT("branchCount", .flags = SVC_READ_ONLY, .preset = "0"), F_ID(), F_STR("name", .flags = SVC_REQUIRED),
  F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object tree_object = { .name = "Tree", .fields = SVC_ROWS(tree_fields) };
static const svc_route tree_routes[] = { PROBE_ROUTES("trees", "{treeName}") };
static bool tree_gone(svc_call *c, const svc_entity *e)
{
  svc_entity again;
  tree_gone_calls++;
  munit_assert_int(svc_entity_get(c->txn, e->kind, &e->parent, &e->id, &again), ==, SVC_NOT_FOUND);
  return true;
}
static bool tree_removing(svc_call *c, const svc_entity *e)
{
  (void)c, (void)e;
  removing_calls++;
  return true;
}
static const svc_noun tree_noun = {
  .name = "tree", .kind = "tree", .parent = "project", .param = "treeName", .object = &tree_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_deleted = "CLUSTER_DELETED", .event_field = "clusterName",
  .routes = SVC_ROUTES(tree_routes), .gone = tree_gone, .removing = tree_removing
};

/* An oak is deleted in two steps: first a state, then a due step. */
static const svc_transition oak_transitions[] = { { "FALLING", NULL, 100, "CLUSTER_DELETED", NULL }, { NULL, NULL, 0, NULL, NULL } };
static const svc_lifecycle oak_lifecycle = {
  .field = "state", .created = "STANDING", .deleted = "FALLING", .transitions = oak_transitions
};
static const svc_route oak_routes[] = { PROBE_ROUTES("oaks", "{oakName}") };
static const svc_noun oak_noun = {
  .name = "oak", .kind = "oak.", .parent = "project", .param = "oakName", .object = &tree_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .lifecycle = &oak_lifecycle,
  .event_deleted = "CLUSTER_DELETE_SUBMITTED", .event_field = "clusterName", .routes = SVC_ROUTES(oak_routes), .gone = tree_gone
};
static const svc_field acorn_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object acorn_object = { .name = "Acorn", .fields = SVC_ROWS(acorn_fields) };
static const svc_route acorn_routes[] = { PROBE_ROUTES("oaks/{oakName}/acorns", "{acornId}") };
static const svc_noun acorn_noun = {
  .name = "acorn", .kind = "acrn", .parent = "oak", .param = "acornId", .flags = SVC_EVENT_PARENT, .object = &acorn_object,
  .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT", .event_field = "snapshotName", .routes = SVC_ROUTES(acorn_routes)
};

/* ------------------------------------------------------------------------------------------------- branches, and leaves */

static const svc_field branch_fields[] = {
  F_ID(), F_INT("leafCount", .flags = SVC_READ_ONLY, .preset = "0"), F_STR("name", .flags = SVC_REQUIRED), F_STR("pot"),
  F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object branch_object = { .name = "Branch", .fields = SVC_ROWS(branch_fields) };
static const svc_route branch_routes[] = { PROBE_ROUTES("trees/{treeName}/branches", "{branchId}") };
static const svc_transition branch_transitions[] = {
  { "BUDDING", "GROWN", 100, "CLUSTER_READY", "branch.grow" }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle branch_lifecycle = { .field = "state", .created = "BUDDING", .transitions = branch_transitions };
static const svc_order_row branch_orders[] = { { "branch.grow", "Let it grow.", NULL, NULL, 0 }, { NULL, NULL, NULL, NULL, 0 } };
static const svc_ref branch_refs[] = {
  { "pot", "pot", SVC_E_CLOUD_PROVIDER_CONTAINER_NOT_FOUND, SVC_E_CONTAINERS_IN_USE }, { NULL, NULL, 0, 0 }
};
static size_t branch_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  (void)c, (void)body, (void)most;
  out[0] = (svc_meter){ SVC_S("BRANCH"), 1000 };
  return 1;
}
static bool branch_gone(svc_call *c, const svc_entity *e)
{
  (void)c, (void)e;
  branch_gone_calls++;
  return true;
}
static const svc_noun branch_noun = {
  .name = "branch", .kind = "brch", .parent = "tree", .param = "branchId", .flags = SVC_EVENT_PARENT, .object = &branch_object,
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .refs = branch_refs,
  .lifecycle = &branch_lifecycle, .orders = branch_orders, .event_deleted = "CPS_SNAPSHOT_FAILED", .event_field = "branchName", .routes = SVC_ROUTES(branch_routes), .gone = branch_gone,
  .ext = SVC_NOUN_EXT(.counted_in = "branchCount", .meters = branch_meters)
};

static const svc_field leaf_fields[] = {
  F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_INT("seconds"), F_STR("twin")
};
static const svc_object leaf_object = { .name = "Leaf", .fields = SVC_ROWS(leaf_fields) };
static const svc_route leaf_routes[] = { PROBE_ROUTES("trees/{treeName}/branches/{branchId}/leaves", "{leafName}") };
static bool leaf_prepare(svc_call *c, svc_change *change)
{
  int64_t seconds = svc_node_i64(change->body, "seconds", 0);
  if (seconds) svc_change_due(change, SVC_DUE_EXPIRY, c->now + seconds * 1000);
  return true;
}
/* Deletes the leaf's twin, which the cascade would also reach. */
static bool leaf_gone(svc_call *c, const svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "leaf");
  const svc_node *body = svc_entity_body(c, e);
  svc_str name = svc_node_str(body, "twin");
  svc_entity twin;
  leaf_gone_calls++;
  if (name.n == 0 || svc_entity_named(c->txn, noun->noun->kind, NULL, &e->parent, name, &twin) != SVC_OK) return body != NULL;
  return svc_erase(c, noun, &twin);
}
static const svc_noun leaf_noun = {
  .name = "leaf", .kind = "leaf", .parent = "branch", .param = "leafName", .flags = SVC_EVENT_PARENT | SVC_EXPIRES,
  .object = &leaf_object, .key = "name", .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS,
  .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT", .event_field = "snapshotName", .routes = SVC_ROUTES(leaf_routes), .prepare = leaf_prepare,
  .gone = leaf_gone,
  .ext = SVC_NOUN_EXT(.counted_in = "leafCount")
};

static const svc_field thorn_fields[] = { F_ID() };
static const svc_object thorn_object = { .name = "Thorn", .fields = SVC_ROWS(thorn_fields) };
static const svc_route thorn_routes[] = { PROBE_ROUTES("trees/{treeName}/thorns", "{thornId}") };
static const svc_noun thorn_noun = {
  .name = "thorn", .kind = "thrn", .parent = "tree", .param = "thornId", .object = &thorn_object,
  .err_in_use = SVC_E_CONTAINERS_IN_USE, .routes = SVC_ROUTES(thorn_routes)
};

/* ---------------------------------------------------------------------------------------------------- pots, and bombs */

static const svc_field pot_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED) };
static const svc_object pot_object = { .name = "Pot", .fields = SVC_ROWS(pot_fields) };
static const svc_route pot_routes[] = { PROBE_ROUTES("pots", "{potName}") };
static const svc_noun pot_noun = {
  .name = "pot", .kind = "pot.", .parent = "project", .param = "potName", .object = &pot_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_CONTAINER_ALREADY_EXISTS, .event_created = "CPS_SNAPSHOT_STARTED",
  .event_field = "snapshotName", .routes = SVC_ROUTES(pot_routes)
};

static const svc_field bomb_fields[] = {
  F_BOOL("dud", .preset = "false"), F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_INT("seconds", .flags = SVC_REQUIRED),
  F_STR("state", .flags = SVC_READ_ONLY, .preset = "\"set\"")
};
static const svc_object bomb_object = { .name = "Bomb", .fields = SVC_ROWS(bomb_fields) };
static const svc_route bomb_routes[] = { PROBE_ROUTES("bombs", "{bombName}") };
static bool bomb_prepare(svc_call *c, svc_change *change)
{
  svc_change_due(change, SVC_DUE_RUN, c->now + svc_node_i64(change->body, "seconds", 0) * 1000);
  return true;
}
static unsigned bomb_calls;

/* Creates another bomb, a dud, which falls due five seconds later. */
static bool bomb_lay(svc_call *c, const svc_change *change)
{
  svc_change made;
  svc_entity e;
  memset(&made, 0, sizeof made);
  made.noun = svc_noun_named(c->s, "bomb");
  made.parent = change->parent;
  made.body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node_set_str(c->arena, made.body, "name", SVC_S("laid"));
  svc_node_set_str(c->arena, made.body, "state", SVC_S("set"));
  svc_node_set_bool(c->arena, made.body, "dud", true);
  svc_node_set_i64(c->arena, made.body, "seconds", 5);
  svc_change_due(&made, SVC_DUE_RUN, c->now + 5000);
  return svc_insert(c, &made, &e);
}

static bool bomb_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_str name = svc_node_str(change->body, "name");
  svc_change made;
  svc_entity e;
  munit_assert_int(tag, ==, SVC_DUE_RUN);
  munit_assert_uint(++bomb_calls, <, 100); /* no step repeats for ever */
  if (svc_str_is(name, "layer") && !bomb_lay(c, change)) return false;
  memset(&made, 0, sizeof made);
  made.noun = svc_noun_named(c->s, "pot");
  made.parent = change->parent;
  made.event = made.noun->noun->event_created;
  made.body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node_set_str(c->arena, made.body, "name", name);
  svc_node_set_str(c->arena, change->body, "state", SVC_S("gone off"));
  if (!svc_insert(c, &made, &e)) return false;
  return svc_node_bool(change->body, "dud", false) ? svc_fail(c, SVC_E_PEER_NOT_FOUND, "S", &name) : true;
}
static const svc_noun bomb_noun = {
  .name = "bomb", .kind = "bomb", .parent = "project", .param = "bombName", .object = &bomb_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_CONTAINER_ALREADY_EXISTS, .routes = SVC_ROUTES(bomb_routes), .prepare = bomb_prepare,
  .fell_due = bomb_fell_due
};

static const svc_noun *const probes[] = { &tree_noun, &branch_noun, &leaf_noun, &thorn_noun, &pot_noun, &bomb_noun, &oak_noun,
                                          &acorn_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

typedef struct cascade_world {
  t_service t;
  const char *org, *group;
  char feed[40];
} cascade_world;

static void cascade_open(cascade_world *w, const svc_driver *driver)
{
  svc_config config = { .limiter_off = 1, .driver = driver };
  tree_gone_calls = branch_gone_calls = leaf_gone_calls = removing_calls = 0;
  t_probes(probes);
  t_open(&w->t, &config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  snprintf(w->feed, sizeof w->feed, "/groups/%s", w->group);
}

static void cascade_close(cascade_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static const char *cascade_make(cascade_world *w, const char *at, const char *body)
{
  if (t_sendf(&w->t, "POST", body, "/groups/%s/%s", w->group, at) != 201) munit_errorf("%s: %s", body, w->t.response.body);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

/* Creates a tree with two branches, and three leaves on the first one. */
static void cascade_plant(cascade_world *w, const char *name)
{
  char at[160], body[64];
  const char *branch;
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  cascade_make(w, "trees", body);
  snprintf(at, sizeof at, "trees/%s/branches", name);
  branch = cascade_make(w, at, "{\"name\":\"low\",\"pot\":\"clay\"}");
  cascade_make(w, at, "{\"name\":\"high\",\"pot\":\"clay\"}");
  snprintf(at, sizeof at, "trees/%s/branches/%s/leaves", name, branch);
  cascade_make(w, at, "{\"name\":\"a\",\"twin\":\"c\",\"seconds\":86400}");
  cascade_make(w, at, "{\"name\":\"b\"}");
  cascade_make(w, at, "{\"name\":\"c\",\"twin\":\"a\"}");
}

/* Checks that no record of these nouns is left in any class, except in the ledger. */
static void cascade_nothing_left(cascade_world *w)
{
  static const char *const kinds[] = { "tree", "brch", "leaf", "thrn", "pot.", "bomb", "oak.", "acrn" };
  static const char *const all[] = { "l", "o", "q", "r", "w" };
  char prefix[8];
  size_t i, j;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    for (j = 0; j < 4; j++) {
      snprintf(prefix, sizeof prefix, "%c%s", "cegu"[j], kinds[i]);
      if (probe_records(w->t.s, prefix)) munit_errorf("there is still a record of %s", prefix);
    }
  for (i = 0; i < sizeof all / sizeof all[0]; i++)
    if (probe_records(w->t.s, all[i])) munit_errorf("there is still a record of %s", all[i]);
}

TEST(cascade, all)
{
  const char *before;
  cascade_world w;
  t_driver d;
  cascade_open(&w, t_driver_init(&d));
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "elm");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "branchCount"), ==, 2);
  munit_assert_size(probe_records(w.t.s, "o"), ==, 2); /* each branch has its order, ... */
  munit_assert_size(probe_records(w.t.s, "q"), ==, 2);
  munit_assert_size(probe_records(w.t.s, "w"), ==, 2);
  munit_assert_size(probe_records(w.t.s, "l"), ==, 2); /* ... its line in the ledger, ... */
  munit_assert_size(probe_records(w.t.s, "r"), ==, 2); /* ... and a reference to its pot */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/pots/clay", w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CONTAINERS_IN_USE");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  t_advance(&w.t, 60);

  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/elm", w.group), ==, 204);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), /* children go first: leaves, branch, branch, tree */
                            "CPS_SNAPSHOT_DELETED_AUDIT CPS_SNAPSHOT_DELETED_AUDIT CPS_SNAPSHOT_DELETED_AUDIT CPS_SNAPSHOT_FAILED "
                            "CPS_SNAPSHOT_FAILED CLUSTER_DELETED");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "elm");
  munit_assert_string_equal(t_str(&w.t, "results[1].branchName"), "high");
  munit_assert_string_equal(t_str(&w.t, "results[1].clusterName"), "elm"); /* its parent still existed and could be named */
  munit_assert_string_equal(t_str(&w.t, "results[2].branchName"), "low");
  munit_assert_string_equal(t_str(&w.t, "results[3].branchName"), "low");
  munit_assert_string_not_equal(t_str(&w.t, "results[3].snapshotName"), "");
  munit_assert_size(tree_gone_calls, ==, 1);
  munit_assert_size(branch_gone_calls, ==, 2);
  munit_assert_size(leaf_gone_calls, ==, 3);
  munit_assert_size(removing_calls, ==, 1); /* called for the requested delete, not for the cascade */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/pots/clay", w.group), ==, 204); /* no branch refers to it any more */
  cascade_nothing_left(&w);
  munit_assert_size(probe_records(w.t.s, "d"), ==, 1); /* of the invoice */
  munit_assert_size(probe_records(w.t.s, "b"), ==, 2); /* a minute of two branches is billed */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm", w.group), ==, 404);
  cascade_close(&w);
}

/* Deletes one of several branches: its siblings stay as they are, and the parent shows how many are left. */
TEST(cascade, one)
{
  cascade_world w;
  const char *high;
  cascade_open(&w, NULL);
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "elm");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm/branches", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].leafCount"), ==, 3);
  high = t_keep(&w.t, t_str(&w.t, "results[1].id"));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/elm/branches/%s", w.group, high), ==, 204);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "branchCount"), ==, 1);
  munit_assert_size(probe_records(w.t.s, "eleaf"), ==, 3);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/pots/clay", w.group), ==, 409); /* the other branch still refers to it */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/elm/branches/%s", w.group, high), ==, 404);
  cascade_close(&w);
}

TEST(cascade, in_use)
{
  const char *before, *thorn;
  cascade_world w;
  cascade_open(&w, NULL);
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "rose");
  thorn = cascade_make(&w, "trees/rose/thorns", "{}");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/rose", w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CONTAINERS_IN_USE");
  munit_assert_size(probe_records(w.t.s, "eleaf"), ==, 3); /* everything is unchanged */
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");
  munit_assert_size(tree_gone_calls + branch_gone_calls + leaf_gone_calls, ==, 0);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/rose/thorns/%s", w.group, thorn), ==, 204);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/rose", w.group), ==, 204);
  cascade_close(&w);
}

/* Deleting a project deletes everything in it: its events, and resources that block other deletes. */
TEST(cascade, project)
{
  cascade_world w;
  t_driver d;
  size_t events;
  cascade_open(&w, t_driver_init(&d));
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "elm");
  cascade_plant(&w, "yew");
  cascade_make(&w, "trees/yew/thorns", "{}");
  cascade_make(&w, "bombs", "{\"name\":\"tick\",\"seconds\":600}");
  cascade_make(&w, "oaks", "{\"name\":\"old\"}");
  cascade_make(&w, "oaks/old/acorns", "{\"name\":\"n\"}");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":7}", "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events", w.org), ==, 200);
  events = (size_t)t_int(&w.t, "totalCount");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  cascade_nothing_left(&w);
  munit_assert_size(probe_records(w.t.s, "eproj"), ==, 0);
  munit_assert_size(probe_records(w.t.s, "epipm") + probe_records(w.t.s, "eplim"), ==, 0);
  munit_assert_size(probe_records(w.t.s, "d"), ==, 1); /* of the invoice */
  munit_assert_size(probe_records(w.t.s, "b"), ==, 4);
  munit_assert_size(tree_gone_calls, ==, 3); /* two trees and the oak */
  munit_assert_size(branch_gone_calls, ==, 4);
  munit_assert_size(leaf_gone_calls, ==, 6);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events", w.org), ==, 200); /* only the project's event is left */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, (int64_t)events + 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "GROUP_DELETED");
  munit_assert_size(probe_records(w.t.s, "eevnt"), ==, events + 1); /* and there is no other log */
  munit_assert_size(probe_all_in(w.t.s, "evnt", NULL, w.org), ==, events + 1);
  cascade_close(&w);
}

/* A resource that expires is deleted as by a request. */
TEST(cascade, expires)
{
  const char *before;
  cascade_world w;
  cascade_open(&w, NULL);
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "elm");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 86399);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_records(w.t.s, "eleaf"), ==, 3);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_records(w.t.s, "eleaf"), ==, 1); /* its twin was deleted, too */
  munit_assert_size(leaf_gone_calls, ==, 2);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CPS_SNAPSHOT_DELETED_AUDIT CPS_SNAPSHOT_DELETED_AUDIT");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].branchName"), "low");
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-02T00:00:00Z"); /* the time at which it fell due */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm/branches", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].leafCount"), ==, 1);
  cascade_close(&w);
}

/* A tree that is deleted by a due step is deleted with everything below it, as by a request. */
TEST(cascade, by_step)
{
  const char *before;
  cascade_world w;
  cascade_open(&w, NULL);
  cascade_make(&w, "oaks", "{\"name\":\"old\"}");
  cascade_make(&w, "oaks/old/acorns", "{\"name\":\"n\"}");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/oaks/old", w.group), ==, 204);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/oaks/old", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "FALLING");
  munit_assert_size(probe_records(w.t.s, "eacrn"), ==, 1);
  t_advance(&w.t, 60);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_DELETE_SUBMITTED CPS_SNAPSHOT_DELETED_AUDIT CLUSTER_DELETED");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:00:10Z");
  munit_assert_string_equal(t_str(&w.t, "results[1].clusterName"), "old");
  munit_assert_size(tree_gone_calls, ==, 1);
  cascade_nothing_left(&w);
  cascade_close(&w);
}

/* If one of several due steps refuses after it has written, this step is given up, and the others happen. */
TEST(cascade, given_up)
{
  const char *before;
  cascade_world w;
  cascade_open(&w, NULL);
  cascade_make(&w, "bombs", "{\"name\":\"one\",\"seconds\":10}");
  cascade_make(&w, "bombs", "{\"name\":\"two\",\"seconds\":20,\"dud\":true}");
  cascade_make(&w, "bombs", "{\"name\":\"three\",\"seconds\":20}");
  cascade_make(&w, "bombs", "{\"name\":\"four\",\"seconds\":30,\"dud\":true}");
  cascade_make(&w, "bombs", "{\"name\":\"five\",\"seconds\":40}");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(w.t.log, "is dropped: PEER_NOT_FOUND"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/pots", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "one");
  munit_assert_string_equal(t_str(&w.t, "results[1].name"), "three");
  munit_assert_string_equal(t_str(&w.t, "results[2].name"), "five");
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CPS_SNAPSHOT_STARTED CPS_SNAPSHOT_STARTED CPS_SNAPSHOT_STARTED");
  munit_assert_size(probe_records(w.t.s, "upot."), ==, 3);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/bombs", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].state"), "gone off");
  munit_assert_string_equal(t_str(&w.t, "results[1].state"), "set"); /* as if the step had not been tried */
  munit_assert_string_equal(t_str(&w.t, "results[3].state"), "set");
  munit_assert_string_equal(t_str(&w.t, "results[4].state"), "gone off");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0);
  munit_assert_false(svc_is_due(w.t.s));
  {
    probe_walk walk;
    svc_entity e;
    for (probe_walk_begin(&walk, w.t.s, "ebomb"); probe_walk_next(&walk);) { /* no entity waits for a step that will never come */
      munit_assert_true(svc_entity_decode(walk.key, walk.value, &e));
      munit_assert_uint(e.due_count, ==, 0);
    }
  }
  w.t.log[0] = 0;
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK); /* the step is not tried again */
  munit_assert_string_equal(w.t.log, "");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/bombs/two", w.group), ==, 204);
  cascade_close(&w);
}

static void cascade_same(t_service *t, void *context)
{
  (void)context;
  munit_assert_size(probe_records(t->s, "eleaf"), ==, 3);
  munit_assert_size(probe_records(t->s, "ebrch"), ==, 2);
  munit_assert_size(probe_records(t->s, "r"), ==, 2);
  munit_assert_size(probe_records(t->s, "l"), ==, 2);
}

TEST(cascade, no_memory)
{
  probe_memory m = { -1 };
  t_driver d;
  const svc_config config = { .limiter_off = 1, .allocator = { probe_resize, &m }, .driver = t_driver_init(&d) };
  cascade_world w;
  char path[96];
  t_probes(probes);
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_plant(&w, "elm");
  snprintf(path, sizeof path, "/groups/%s", w.group);
  probe_with_little(&w.t, &m, "DELETE", path, NULL, 202, cascade_same, NULL);
  cascade_nothing_left(&w);
  cascade_close(&w);
}

/* A cascade that is too large for one transaction continues by due steps, also after the process has ended. */
TEST(cascade, in_steps)
{
  enum { BRANCHES = 700, STEP = 256 };
  char path[128], body[64], org[25], group[25]; /* copies of the ids: their memory is freed with the handle */
  svc_config config = { .limiter_off = 1, .durability = SVC_NO_SYNC, .store = t_counting_port() };
  cascade_world w;
  t_reads first, step;
  size_t left = BRANCHES, calls = 0, i;
  store_folder(path);
  config.path = path;
  tree_gone_calls = branch_gone_calls = 0;
  t_probes(probes);
  t_open(&w.t, &config);
  w.org = strcpy(org, t_organization(&w.t, "Acme"));
  w.group = strcpy(group, t_project(&w.t, w.org, "alpha"));
  cascade_make(&w, "pots", "{\"name\":\"clay\"}");
  cascade_make(&w, "trees", "{\"name\":\"elm\"}");
  for (i = 0; i < BRANCHES; i++) {
    snprintf(body, sizeof body, "{\"name\":\"b%zu\",\"pot\":\"clay\"}", i);
    cascade_make(&w, "trees/elm/branches", body);
  }
  t_reads_taken();
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, TREES "/elm", w.group), ==, 204);
  first = t_reads_taken();
  munit_assert_size(tree_gone_calls, ==, 1);
  left -= STEP;
  while (left) {
    munit_assert_size(probe_records(w.t.s, "ebrch"), ==, left);
    munit_assert_size(probe_records(w.t.s, "x"), ==, 1);
    munit_assert_size(branch_gone_calls, ==, BRANCHES - left);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm", w.group), ==, 404); /* already deleted for requests */
    munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES "/elm/branches", w.group), ==, 404);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, TREES, w.group), ==, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK); /* the next step is not due yet */
    munit_assert_size(probe_records(w.t.s, "ebrch"), ==, left);
    t_reopen(&w.t, &config);
    munit_assert_size(probe_records(w.t.s, "ebrch"), ==, left);
    if (!t_port()->shared) munit_assert_int(svc_is_due(w.t.s), ==, 0); /* a shared store is checked for others' work */
    w.t.now += calls++ ? 3600000 : 10; /* one step at a time, however late */
    munit_assert_int(svc_is_due(w.t.s), ==, 1);
    t_reads_taken();
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    step = t_reads_taken();
    /* in a store that others write to, the tally of each event is updated as for a late event */
    munit_assert_long(step.writes, <=, t_port()->shared ? first.writes * 3 / 2 : first.writes + 20);
    left -= left < STEP ? left : STEP;
  }
  munit_assert_size(branch_gone_calls, ==, BRANCHES);
  munit_assert_size(probe_records(w.t.s, "x"), ==, 0);
  munit_assert_int(svc_is_due(w.t.s), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?itemsPerPage=500", w.group), ==, 200);
  if (!t_port()->shared) /* with a shared store the ids of two handles are in order only to the second */
    munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "CPS_SNAPSHOT_FAILED"); /* each branch wrote its event */
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "elm");                  /* with the name of its parent */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_DELETED", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/pots/clay", w.group), ==, 204); /* no branch refers to it */
  t_advance(&w.t, 60);
  cascade_nothing_left(&w);
  cascade_close(&w);
  store_remove(path);
}

/* A project with a long log: its name is free at once. */
TEST(cascade, long_log)
{
  enum { EVENTS = 6000 };
  cascade_world w;
  const char *again;
  int i, steps = 0;
  cascade_open(&w, NULL);
  for (i = 0; i < EVENTS; i++)
    munit_assert_int(t_sendf(&w.t, "PATCH", i % 2 ? "{\"enabled\":true}" : "{\"enabled\":false}", "/groups/%s/privateIpMode", w.group), ==, 200);
  munit_assert_size(probe_records(w.t.s, "eevnt"), >=, EVENTS);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", w.group), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 404);
  munit_assert_size(probe_records(w.t.s, "x"), ==, 1);
  again = t_project(&w.t, w.org, "alpha");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events", again), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  for (; probe_records(w.t.s, "x") && steps < 10; steps++) {
    w.t.now += 10;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  munit_assert_int(steps, ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events", w.org), ==, 200);
  munit_assert_size(probe_records(w.t.s, "eevnt"), ==, (size_t)t_int(&w.t, "totalCount") + 1);
  munit_assert_size(store_whole(w.t.s), ==, 1);
  cascade_close(&w);
}

/* A step refuses that another step of the same run has created. Only the refusing step is given up, and the run ends. */
TEST(cascade, laid)
{
  cascade_world w;
  cascade_open(&w, NULL);
  cascade_make(&w, "bombs", "{\"name\":\"one\",\"seconds\":10}");
  cascade_make(&w, "bombs", "{\"name\":\"layer\",\"seconds\":20}");
  cascade_make(&w, "bombs", "{\"name\":\"five\",\"seconds\":40}");
  bomb_calls = 0;
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_uint(bomb_calls, <, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/pots", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3); /* of all bombs except the dud */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/bombs/laid", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "set");
  munit_assert_size(probe_records(w.t.s, "d"), ==, 0);
  munit_assert_false(svc_is_due(w.t.s));
  cascade_close(&w);
}
