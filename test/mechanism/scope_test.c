/*
** Scope: every entity below a project stores its project and its organization, at any depth, whether a request or a due step
** created it. A move of the project changes the organization of all of them.
**
** The made-up nouns of this suite: a farm in a project, like a cluster; snapshots of a farm, taken by a request or, every hour,
** by a due step of the farm; chunks of a snapshot.
*/
#include "mechanism/probe.h"

#define FARMS "/groups/%s/farms"
#define HOUR 3600

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

/* -------------------------------------------------------------------------------------------------------------- farms */

static const svc_field farm_fields[] = {
  F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED), F_ORG_ID(),
  F_BOOL("scheduled", .preset = "false"), F_INT("shotCount", .flags = SVC_READ_ONLY, .preset = "0")
};
static const svc_object farm_object = { .name = "Farm", .fields = SVC_ROWS(farm_fields) };

static const svc_route farm_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/farms", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .flags = SVC_PAGED,
    .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_list },
  { .method = SVC_POST, .path = "/groups/{groupId}/farms", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .status = 201,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_create },
  { .method = SVC_GET, .path = "/groups/{groupId}/farms/{farmName}", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_read },
  { .method = SVC_PATCH, .path = "/groups/{groupId}/farms/{farmName}", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_update },
  { .method = SVC_DELETE, .path = "/groups/{groupId}/farms/{farmName}", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_OWNER, .status = 204, .run = svc_verb_delete }
};

static bool farm_prepare(svc_call *c, svc_change *change)
{
  if (svc_node_bool(change->body, "scheduled", false)) svc_change_due(change, SVC_DUE_RUN, c->now + HOUR * 1000);
  return true;
}

/* Takes a snapshot as a request does, and sets the due date of the next snapshot, an hour later. */
static bool farm_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_change taken;
  svc_entity e;
  munit_assert_null(c->plan);
  munit_assert_int(tag, ==, SVC_DUE_RUN);
  memset(&taken, 0, sizeof taken);
  taken.noun = svc_noun_named(c->s, "shot");
  taken.parent = change->id;
  taken.event = taken.noun->noun->event_created;
  taken.body = svc_presets(c->s, c->arena, taken.noun->noun->object);
  if (!taken.body) return svc_no_memory(c);
  svc_node_set_str(c->arena, taken.body, "name", svc_arena_print(c->arena, "at%lld", (long long)(c->now / 1000)));
  svc_change_due(change, SVC_DUE_RUN, c->now + HOUR * 1000);
  return svc_insert(c, &taken, &e);
}

static const svc_noun farm_noun = {
  .name = "farm", .kind = "farm", .parent = "project", .param = "farmName", .object = &farm_object, .key = "name",
  .unique = "name", .err_not_found = SVC_E_CLUSTER_NOT_FOUND, .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .event_created = "CLUSTER_CREATED", .event_updated = "CLUSTER_UPDATE_COMPLETED", .event_deleted = "CLUSTER_DELETED",
  .event_field = "clusterName", .routes = SVC_ROUTES(farm_routes), .prepare = farm_prepare, .fell_due = farm_fell_due
};

/* ---------------------------------------------------------------------------------------------------------- snapshots */

static const svc_field shot_fields[] = {
  F_CREATED("created"), F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED), F_ORG_ID(),
  F_STR("status", .flags = SVC_READ_ONLY)
};
static const svc_object shot_object = { .name = "Shot", .fields = SVC_ROWS(shot_fields) };

#define SHOTS "/groups/{groupId}/farms/{farmName}/shots"
static const svc_param shot_params[] = { { .name = "maxDate", .type = SVC_DATE }, { .name = NULL } };
static const svc_filter shot_filters[] = { { "maxDate", SVC_MAX_DATE, "created" }, { NULL, 0, NULL } };
static const svc_route shot_routes[] = {
  { .method = SVC_GET, .path = SHOTS, .set = SVC_SET_BACKUP, PROBE_VERSIONS, .flags = SVC_PAGED, .params = shot_params, .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_list,
    .ext = SVC_ROUTE_EXT(.filters = shot_filters) },
  { .method = SVC_POST, .path = SHOTS, .set = SVC_SET_BACKUP, PROBE_VERSIONS, .status = 201, .roles = SVC_R_GROUP_OWNER,
    .run = svc_verb_create },
  { .method = SVC_GET, .path = SHOTS "/{shotId}", .set = SVC_SET_BACKUP, PROBE_VERSIONS, .roles = SVC_R_GROUP_READ_ONLY,
    .run = svc_verb_read },
  { .method = SVC_DELETE, .path = SHOTS "/{shotId}", .set = SVC_SET_BACKUP, PROBE_VERSIONS, .roles = SVC_R_GROUP_OWNER,
    .status = 204, .run = svc_verb_delete }
};
static const svc_transition shot_transitions[] = {
  { "queued", "completed", 100, "CPS_SNAPSHOT_SUCCESSFUL", NULL }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle shot_lifecycle = { .field = "status", .created = "queued", .transitions = shot_transitions };

static size_t shot_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  (void)c, (void)body;
  munit_assert_size(most, >=, 1);
  out[0] = (svc_meter){ SVC_S("SNAPSHOT"), 1000 };
  return 1;
}

static const svc_noun shot_noun = {
  .name = "shot", .kind = "shot", .parent = "farm", .param = "shotId", .flags = SVC_EVENT_PARENT, .object = &shot_object,
  .unique = "name", .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND,
  .err_exists = SVC_E_PEER_ALREADY_EXISTS, .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .lifecycle = &shot_lifecycle, .event_created = "CPS_SNAPSHOT_STARTED", .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT",
  .event_field = "snapshotName", .routes = SVC_ROUTES(shot_routes),
  .ext = SVC_NOUN_EXT(.counted_in = "shotCount", .quota = "svc.project.deployment.serverlessMTMs", .meters = shot_meters)
};

/* ------------------------------------------------------------------------------------------------------------- chunks */

static const svc_field chunk_fields[] = {
  F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_ORG_ID(), F_STR("state", .flags = SVC_READ_ONLY)
};
static const svc_object chunk_object = { .name = "Chunk", .fields = SVC_ROWS(chunk_fields) };

#define CHUNKS SHOTS "/{shotId}/chunks"
static const svc_route chunk_routes[] = {
  { .method = SVC_POST, .path = CHUNKS, .set = SVC_SET_BACKUP, PROBE_VERSIONS, .status = 201, .roles = SVC_R_GROUP_OWNER,
    .run = svc_verb_create },
  { .method = SVC_GET, .path = CHUNKS "/{chunkId}", .set = SVC_SET_BACKUP, PROBE_VERSIONS, .roles = SVC_R_GROUP_READ_ONLY,
    .run = svc_verb_read },
  { .method = SVC_DELETE, .path = CHUNKS "/{chunkId}", .set = SVC_SET_BACKUP, PROBE_VERSIONS, .roles = SVC_R_GROUP_OWNER,
    .status = 204, .run = svc_verb_delete }
};
static const svc_transition chunk_transitions[] = {
  { "cold", "warm", 200, "CPS_SNAPSHOT_COMPLETED_AUDIT", NULL }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle chunk_lifecycle = { .field = "state", .created = "cold", .transitions = chunk_transitions };
static const svc_noun chunk_noun = {
  .name = "chunk", .kind = "chnk", .parent = "shot", .param = "chunkId", .flags = SVC_EVENT_PARENT, .object = &chunk_object,
  .lifecycle = &chunk_lifecycle, .event_created = "CPS_COPY_SNAPSHOT_STARTED", .event_deleted = "CPS_SNAPSHOT_BEHIND",
  .event_field = "chunkId", .routes = SVC_ROUTES(chunk_routes)
};

/* A singleton of the project. */
static const svc_field diary_fields[] = {
  F_GROUP_ID(), F_STR("mood", .preset = "\"plain\""), F_ORG_ID()
};
static const svc_object diary_object = { .name = "Diary", .fields = SVC_ROWS(diary_fields) };
static const svc_route diary_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/diary", .set = SVC_SET_PROJECTS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_read },
  { .method = SVC_PATCH, .path = "/groups/{groupId}/diary", .set = SVC_SET_PROJECTS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_update }
};
static const svc_noun diary_noun = {
  .name = "diary", .kind = "diar", .parent = "project", .flags = SVC_SINGLETON, .object = &diary_object,
  .routes = SVC_ROUTES(diary_routes)
};

static const svc_noun *const probes[] = { &farm_noun, &shot_noun, &chunk_noun, &diary_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

static void scope_open(t_place *w)
{
  t_probes(probes);
  t_place_open(w, &quiet, "alpha", NULL);
  munit_assert_int(t_sendf(&w->t, "PATCH", "{\"mood\":\"fresh\"}", "/groups/%s/diary", w->group), ==, 200);
}

static void scope_close(t_place *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static void scope_farm(t_place *w, const char *name, bool scheduled)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"scheduled\":%s}", name, scheduled ? "true" : "false");
  munit_assert_int(t_sendf(&w->t, "POST", body, FARMS, w->group), ==, 201);
}

static const char *scope_shot(t_place *w, const char *farm, const char *name)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  munit_assert_int(t_sendf(&w->t, "POST", body, FARMS "/%s/shots", w->group, farm), ==, 201);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

static const char *scope_chunk(t_place *w, const char *farm, const char *shot)
{
  munit_assert_int(t_sendf(&w->t, "POST", "{\"name\":\"c\"}", FARMS "/%s/shots/%s/chunks", w->group, farm, shot), ==, 201);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

/* Reads the newest event of a type in the project's log into the last answer's results[0]. */
static void scope_newest(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s&itemsPerPage=1", w->group, type), ==, 200);
  munit_assert_size(t_count(&w->t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w->t, "results[0].groupId"), w->group);
}

TEST(scope, by_request)
{
  t_place w;
  const char *shot, *chunk;
  scope_open(&w);
  scope_farm(&w, "main", false);
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  shot = scope_shot(&w, "main", "first");
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  munit_assert_string_equal(t_str(&w.t, "status"), "queued");
  chunk = scope_chunk(&w, "main", shot);
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  munit_assert_size(probe_all_in(w.t.s, "farm", w.group, w.org), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, w.org), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "chnk", w.group, w.org), ==, 1);

  scope_newest(&w, "CPS_SNAPSHOT_STARTED"); /* the event of a snapshot also names its farm */
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "main");
  munit_assert_string_equal(t_str(&w.t, "results[0].snapshotName"), "first");
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);
  scope_newest(&w, "CPS_COPY_SNAPSHOT_STARTED"); /* the event of a chunk names its snapshot, two levels below the project */
  munit_assert_string_equal(t_str(&w.t, "results[0].chunkId"), chunk);
  munit_assert_string_equal(t_str(&w.t, "results[0].snapshotName"), "first");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?clusterNames=main", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);

  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "shotCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"first\"}", FARMS "/main/shots", w.group), ==, 409);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"x\"}", FARMS "/other/shots", w.group), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  scope_farm(&w, "other", false); /* the snapshot belongs to another farm */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/other/shots/%s", w.group, shot), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s/chunks/%s", w.group, shot, chunk), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s/chunks/%s", w.group, chunk, chunk), ==, 404);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"x\",\"groupId\":\"%s\"}", FARMS "/main/shots", w.group), ==, 400);
  scope_close(&w);
}

/* A due step takes the snapshots. They have the same scope and events as those of a request. */
TEST(scope, by_itself)
{
  t_place w;
  scope_open(&w);
  scope_farm(&w, "main", true);
  t_advance(&w.t, HOUR);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(w.t.log, "");
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, w.org), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);
  munit_assert_string_equal(t_str(&w.t, "results[0].status"), "queued");
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T01:00:00Z");
  scope_newest(&w, "CPS_SNAPSHOT_STARTED");
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "main");
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T01:00:00Z");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "shotCount"), ==, 1);

  t_advance(&w.t, 5 * HOUR); /* one tick takes all missed snapshots, each at its time, and changes their states */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, w.org), ==, 6);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].status"), "completed");
  munit_assert_string_equal(t_str(&w.t, "results[4].status"), "completed");
  munit_assert_string_equal(t_str(&w.t, "results[4].created"), "2025-06-01T05:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[5].status"), "queued");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots?maxDate=2025-06-01T03:00:00Z", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3); /* a snapshot has its own time, not that of the tick */
  scope_newest(&w, "CPS_SNAPSHOT_SUCCESSFUL");
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T05:00:10Z");
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "main");
  scope_close(&w);
}

/* The project's limit counts all snapshots in it, below any parent. */
TEST(scope, quota)
{
  const char *limit = "/groups/%s/limits/svc.project.deployment.serverlessMTMs", *shot;
  t_place w;
  const char *other;
  scope_open(&w);
  scope_farm(&w, "main", false);
  scope_farm(&w, "other", false);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":2}", limit, w.group), ==, 200);
  shot = scope_shot(&w, "main", "a");
  scope_shot(&w, "other", "b");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, limit, w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"c\"}", FARMS "/main/shots", w.group), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "CLUSTERS_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "2");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, FARMS "/main/shots/%s", w.group, shot), ==, 204);
  scope_shot(&w, "other", "c");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"d\"}", FARMS "/main/shots", w.group), ==, 403);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, FARMS "/other", w.group), ==, 204); /* deleted snapshots no longer count */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, limit, w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 0);

  scope_farm(&w, "clock", true); /* a due step respects the limit, too */
  scope_shot(&w, "main", "e");
  scope_shot(&w, "main", "f");
  t_advance(&w.t, HOUR);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(w.t.log, "CLUSTERS_LIMIT_EXCEEDED"));
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, w.org), ==, 2);
  other = t_project(&w.t, w.org, "beta"); /* another project has its own limit */
  w.group = other;
  scope_farm(&w, "main", false);
  scope_shot(&w, "main", "a");
  scope_close(&w);
}

/* Entities below a farm change state, and write events to the log of the project, not of the organization. */
TEST(scope, states)
{
  t_place w;
  const char *shot, *chunk;
  scope_open(&w);
  scope_farm(&w, "main", false);
  shot = scope_shot(&w, "main", "a");
  chunk = scope_chunk(&w, "main", shot);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s", w.group, shot), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "completed");
  scope_newest(&w, "CPS_SNAPSHOT_SUCCESSFUL");
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "main");
  munit_assert_string_equal(t_str(&w.t, "results[0].snapshotName"), "a");
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s/chunks/%s", w.group, shot, chunk), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "warm");
  scope_newest(&w, "CPS_SNAPSHOT_COMPLETED_AUDIT");
  munit_assert_string_equal(t_str(&w.t, "results[0].snapshotName"), "a");
  munit_assert_string_equal(t_str(&w.t, "results[0].chunkId"), chunk);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events", w.org), ==, 200);
  munit_assert_null(strstr(w.t.response.body, "CPS_")); /* not in the organization's log */
  scope_close(&w);
}

static void scope_ledger(svc *s, const char *org, size_t lines, size_t open)
{
  svc_ledger_line line;
  svc_scan scan;
  svc_txn *txn;
  svc_id id;
  size_t n = 0, running = 0;
  munit_assert_true(svc_id_parse(svc_str_c(org), &id));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  for (svc_ledger_begin(&scan, txn, &id, 0); svc_ledger_next(&scan, &line); n++) running += line.until == 0;
  munit_assert_int(txn->error, ==, SVC_OK);
  s->commit.port->read_end(txn);
  munit_assert_size(n, ==, lines);
  munit_assert_size(running, ==, open);
}

TEST(scope, moves)
{
  t_place w;
  char body[96];
  const char *to, *shot, *chunk, *tag;
  scope_open(&w);
  to = t_organization(&w.t, "Other");
  scope_farm(&w, "main", true);
  shot = scope_shot(&w, "main", "a");
  chunk = scope_chunk(&w, "main", shot);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s", w.group, shot), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  scope_ledger(w.t.s, w.org, 1, 1);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);

  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", "5f5f5f5f5f5f5f5f5f5f5f5f"); /* an unknown organization: nothing moves */
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 404);
  munit_assert_size(probe_all_in(w.t.s, "chnk", w.group, w.org), ==, 1);
  scope_ledger(w.t.s, w.org, 1, 1);

  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", to);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  munit_assert_size(probe_all_in(w.t.s, "proj", w.group, to), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "farm", w.group, to), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, to), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "chnk", w.group, to), ==, 1);
  munit_assert_size(probe_all_in(w.t.s, "diar", w.group, to), ==, 1);
  scope_ledger(w.t.s, w.org, 1, 0); /* the old line is closed in the old organization, and a new one is open in the other */
  scope_ledger(w.t.s, to, 1, 1);

  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s", w.group, shot), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), to); /* the shown body has the new organization, and another ETag */
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), tag);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots/%s/chunks/%s", w.group, shot, chunk), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), to);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/diary", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), to);

  t_advance(&w.t, HOUR); /* the schedule continues in the other organization */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_all_in(w.t.s, "shot", w.group, to), ==, 2);
  scope_newest(&w, "CPS_SNAPSHOT_STARTED");
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), to);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, FARMS "/main/shots", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[1].orgId"), to);
  scope_ledger(w.t.s, to, 2, 2);
  scope_ledger(w.t.s, w.org, 1, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/limits/svc.project.deployment.serverlessMTMs", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, FARMS "/main", w.group), ==, 204);
  scope_ledger(w.t.s, to, 2, 0);
  munit_assert_size(probe_records(w.t.s, "eshot") + probe_records(w.t.s, "echnk"), ==, 0);
  scope_close(&w);
}

/* A stored singleton has its project's scope. */
TEST(scope, singleton)
{
  t_place w;
  scope_open(&w);
  munit_assert_size(probe_all_in(w.t.s, "diar", w.group, w.org), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/diary", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "mood"), "fresh");
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "orgId"), w.org);
  scope_close(&w);
}
