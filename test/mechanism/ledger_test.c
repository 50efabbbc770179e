/*
** Listeners of events, and the ledger of costs.
**
** The made-up nouns of this suite: sirens, in the seat of the alerts, one of which is created for every event; and pranks,
** which refuse after their event is written. The first meter is the cluster's.
*/
#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

/* --------------------------------------------------------------------------------------------------------------- sirens */

static char heard[4096]; /* all types, including events that were undone */
static const char *refused_type;

static const svc_field siren_fields[] = {
  F_STR("eventId"), F_ID(), F_STR("typeName")
};
static const svc_object siren_object = { .name = "Siren", .fields = SVC_ROWS(siren_fields) };
static const svc_route siren_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/sirens", .set = SVC_SET_ALERTS, PROBE_VERSIONS, .flags = SVC_PAGED,
    .roles = SVC_R_GROUP_READ_ONLY, .run = svc_verb_list },
  { .method = SVC_GET, .path = "/orgs/{orgId}/sirens", .set = SVC_SET_ORGANIZATIONS, PROBE_VERSIONS, .flags = SVC_PAGED,
    .roles = SVC_R_ORG_MEMBER, .run = svc_verb_list }
};

static bool siren_hears(svc_call *c, const char *type, const svc_entity *event)
{
  const svc_noun_info *noun = c->s->seats[SVC_SEAT_ALERTS];
  svc_event_type row;
  svc_change change;
  svc_entity e, again;
  size_t n = strlen(heard);
  munit_assert_not_null(c->txn);
  munit_assert_true(svc_event_type_named(type, &row));
  munit_assert_int(svc_entity_get(c->txn, event->kind, &event->parent, &event->id, &again), ==, SVC_OK); /* the event is already stored */
  if (strcmp(type, "ALERT_ACKNOWLEDGED_AUDIT") == 0) return true; /* an event of a siren itself */
  snprintf(heard + n, sizeof heard - n, "%s%s", n ? " " : "", type);
  if (refused_type && strcmp(type, refused_type) == 0) return svc_fail(c, SVC_E_PEER_INVALID_STATE, "s", "it");
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = event->parent;
  change.event = noun->noun->event_created;
  change.body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node_set_str(c->arena, change.body, "typeName", svc_str_c(type));
  svc_node_set_str(c->arena, change.body, "eventId", event->key);
  return svc_insert(c, &change, &e);
}
static const svc_noun siren_noun = {
  .name = "siren", .kind = "sirn", .param = "sirenId", .seat = SVC_SEAT_ALERTS, .object = &siren_object,
  .event_created = "ALERT_ACKNOWLEDGED_AUDIT", .routes = SVC_ROUTES(siren_routes),
  .ext = SVC_NOUN_EXT(.alerts = &(const svc_alert_ops){ siren_hears })
};

/* A prank writes its event, and is then refused. As a due step it later does the same. */
static const svc_field prank_fields[] = { F_ID(), F_BOOL("late", .preset = "false"), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object prank_object = { .name = "Prank", .fields = SVC_ROWS(prank_fields) };
static const svc_route prank_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/pranks", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .status = 201,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_create }
};
static bool prank_prepare(svc_call *c, svc_change *change)
{
  if (svc_node_bool(change->body, "late", false)) svc_change_due(change, SVC_DUE_RUN, c->now + 60000);
  return !svc_str_is(svc_node_str(change->body, "name"), "mute"); /* false without svc_fail() */
}
static bool prank_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  (void)e;
  return svc_node_bool(change->body, "late", false) ? true : svc_fail(c, SVC_E_PEER_INVALID_STATE, "s", "it");
}
static bool prank_fell_due(svc_call *c, svc_change *change, int tag)
{
  (void)tag;
  if (!svc_event_write(c, "CPS_SNAPSHOT_FAILED", &change->entity.scope, NULL, SVC_S(""))) return false;
  return svc_fail(c, SVC_E_PEER_INVALID_STATE, "s", "it");
}
static const svc_noun prank_noun = {
  .name = "prank", .kind = "pran", .parent = "project", .param = "prankId", .object = &prank_object,
  .event_created = "CPS_SNAPSHOT_STARTED", .routes = SVC_ROUTES(prank_routes), .prepare = prank_prepare, .stored = prank_stored,
  .fell_due = prank_fell_due
};

/* Nests, and eggs in them, which are deleted in a cascade. */
#define NEST(m, p, ...) { .method = m, .path = "/groups/{groupId}/nests" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                          .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
static const svc_field nest_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object nest_object = { .name = "Nest", .fields = SVC_ROWS(nest_fields) };
static const svc_route nest_routes[] = {
  NEST(SVC_POST, "", .status = 201, .run = svc_verb_create),
  NEST(SVC_DELETE, "/{nestName}", .status = 204, .run = svc_verb_delete)
};
static const svc_noun nest_noun = {
  .name = "nest", .kind = "nest", .parent = "project", .param = "nestName", .object = &nest_object, .key = "name",
  .unique = "name", .event_deleted = "CPS_SNAPSHOT_BEHIND", .routes = SVC_ROUTES(nest_routes)
};
static const svc_object egg_object = { .name = "Egg", .fields = SVC_ROWS(nest_fields) };
static const svc_route egg_routes[] = { NEST(SVC_POST, "/{nestName}/eggs", .status = 201, .run = svc_verb_create) };
static const svc_noun egg_noun = {
  .name = "egg", .kind = "egg.", .parent = "nest", .param = "eggId", .object = &egg_object,
  .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT", .routes = SVC_ROUTES(egg_routes)
};

/* A letter puts a copy of itself into another project, and deletes the copy with itself. */
#define LETTER(m, p, ...) { .method = m, .path = "/groups/{groupId}/letters" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                            .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
static const svc_field letter_fields[] = { F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED), F_ORG_ID(), F_STR("to") };
static const svc_object letter_object = { .name = "Letter", .fields = SVC_ROWS(letter_fields) };
static const svc_route letter_routes[] = {
  LETTER(SVC_POST, "", .status = 201, .run = svc_verb_create), LETTER(SVC_GET, "/{letterName}", .run = svc_verb_read),
  LETTER(SVC_DELETE, "/{letterName}", .status = 204, .run = svc_verb_delete)
};
static bool letter_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  svc_change copy;
  svc_entity out;
  (void)e;
  memset(&copy, 0, sizeof copy);
  if (!svc_id_parse(svc_node_str(change->body, "to"), &copy.parent)) return true;
  copy.noun = change->noun;
  copy.event = change->noun->noun->event_created;
  copy.body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node_set_str(c->arena, copy.body, "name", svc_node_str(change->body, "name"));
  return svc_insert(c, &copy, &out);
}
static bool letter_gone(svc_call *c, const svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "letter");
  const svc_node *body = svc_entity_body(c, e);
  svc_entity copy;
  svc_id to;
  if (!svc_id_parse(svc_node_str(body, "to"), &to)) return true;
  munit_assert_int(svc_entity_named(c->txn, noun->noun->kind, NULL, &to, e->unique, &copy), ==, SVC_OK);
  return svc_erase(c, noun, &copy);
}
static const svc_noun letter_noun = {
  .name = "letter", .kind = "lett", .parent = "project", .param = "letterName", .object = &letter_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .event_created = "CPS_SNAPSHOT_STARTED",
  .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT", .routes = SVC_ROUTES(letter_routes), .stored = letter_stored, .gone = letter_gone
};
static const svc_noun *const probes[] = { &siren_noun, &prank_noun, &nest_noun, &egg_noun, &letter_noun, NULL };

/* Returns the types for which sirens were created, oldest first, in a project or an organization. */
static const char *ledger_sirens(t_service *t, const char *of)
{
  static char text[2048];
  char place[64];
  size_t n, i, at = 0;
  munit_assert_int(t_sendf(t, "GET", NULL, "%s/sirens?itemsPerPage=500", of), ==, 200);
  text[0] = 0;
  for (n = t_count(t, "results"), i = 0; i < n; i++) {
    snprintf(place, sizeof place, "results[%zu].typeName", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", t_str(t, place));
  }
  return text;
}

TEST(ledger, heard)
{
  char group_feed[40], org_feed[40], body[96];
  const char *org, *other, *group;
  t_service t;
  t_probes(probes);
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  snprintf(group_feed, sizeof group_feed, "/groups/%s", group);
  snprintf(org_feed, sizeof org_feed, "/orgs/%s", org);
  munit_assert_string_equal(ledger_sirens(&t, org_feed), "ORG_CREATED");
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED"); /* the request's path names no project */
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  t_advance(&t, 10);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* by a due step */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/Main", group), ==, 202);
  t_advance(&t, 10);
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED CLUSTER_CREATED CLUSTER_READY CLUSTER_DELETE_SUBMITTED "
                                                           "CLUSTER_DELETED");
  munit_assert_string_equal(heard, "ORG_CREATED GROUP_CREATED CLUSTER_CREATED CLUSTER_READY CLUSTER_DELETE_SUBMITTED CLUSTER_DELETED");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?eventType=ALERT_ACKNOWLEDGED_AUDIT", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 5); /* events of sirens are in the same log */
  munit_assert_string_equal(t_str(&t, "results[0].orgId"), org);

  other = t_organization(&t, "Other"); /* an event of an organization that the path does not name */
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s:migrate", group), ==, 200);
  munit_assert_string_equal(ledger_sirens(&t, org_feed), "ORG_CREATED GROUP_MOVED_FROM_ORG");
  munit_assert_not_null(strstr(ledger_sirens(&t, group_feed), "GROUP_MOVED"));
  {
    probe_walk w;
    svc_entity e;
    svc_id group_id, other_id;
    size_t n = 0;
    munit_assert_true(svc_id_parse(svc_str_c(group), &group_id) && svc_id_parse(svc_str_c(other), &other_id));
    for (probe_walk_begin(&w, t.s, "esirn"); probe_walk_next(&w); n++) { /* in the scope of its event, and moved with it */
      bool of_group;
      munit_assert_true(svc_entity_decode(w.key, w.value, &e));
      of_group = svc_id_eq(&e.parent, &group_id);
      munit_assert_true(of_group ? svc_id_eq(&e.scope.group, &group_id) : svc_id_is_zero(&e.scope.group));
      munit_assert_true(svc_id_eq(&e.scope.org, of_group ? &other_id : &e.parent));
    }
    munit_assert_size(n, ==, 9);
  }
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_size(probe_records(t.s, "esirn"), ==, 4); /* two per organization: the project's were deleted with it */
  t_close(&t);
  t_probes(NULL);
}

/* Each delete of a cascade writes an event, and a siren hears each. */
TEST(ledger, cascade)
{
  char group_feed[40];
  const char *group;
  t_service t;
  t_probes(probes);
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  snprintf(group_feed, sizeof group_feed, "/groups/%s", group);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"n\"}", "/groups/%s/nests", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"e\"}", "/groups/%s/nests/n/eggs", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"f\"}", "/groups/%s/nests/n/eggs", group), ==, 201);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/nests/n", group), ==, 204);
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED CPS_SNAPSHOT_DELETED_AUDIT CPS_SNAPSHOT_DELETED_AUDIT "
                                                           "CPS_SNAPSHOT_BEHIND");
  t_close(&t);
  t_probes(NULL);
}

/* If a request changes another project, the event and its siren belong to that project. */
TEST(ledger, elsewhere)
{
  char here[40], there[40], body[96];
  const char *org, *other, *from, *to;
  t_service t;
  t_probes(probes);
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  other = t_organization(&t, "Other");
  from = t_project(&t, org, "alpha");
  to = t_project(&t, other, "beta");
  snprintf(here, sizeof here, "/groups/%s", from);
  snprintf(there, sizeof there, "/groups/%s", to);
  snprintf(body, sizeof body, "{\"name\":\"dear\",\"to\":\"%s\"}", to);
  munit_assert_int(t_sendf(&t, "POST", body, "%s/letters", here), ==, 201);
  munit_assert_string_equal(t_str(&t, "groupId"), from);
  munit_assert_int(t_sendf(&t, "GET", NULL, "%s/letters/dear", there), ==, 200);
  munit_assert_string_equal(t_str(&t, "groupId"), to);
  munit_assert_string_equal(t_str(&t, "orgId"), other);
  munit_assert_string_equal(ledger_sirens(&t, here), "GROUP_CREATED CPS_SNAPSHOT_STARTED");
  munit_assert_string_equal(ledger_sirens(&t, there), "GROUP_CREATED CPS_SNAPSHOT_STARTED");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "%s/letters/dear", here), ==, 204);
  munit_assert_string_equal(ledger_sirens(&t, here), "GROUP_CREATED CPS_SNAPSHOT_STARTED CPS_SNAPSHOT_DELETED_AUDIT");
  munit_assert_string_equal(ledger_sirens(&t, there), "GROUP_CREATED CPS_SNAPSHOT_STARTED CPS_SNAPSHOT_DELETED_AUDIT");
  munit_assert_int(t_sendf(&t, "GET", NULL, "%s/events?eventType=CPS_SNAPSHOT_DELETED_AUDIT", there), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].groupId"), to);
  munit_assert_string_equal(t_str(&t, "results[0].orgId"), other);
  {
    probe_walk w;
    svc_entity e;
    svc_id to_id, other_id;
    munit_assert_true(svc_id_parse(svc_str_c(to), &to_id) && svc_id_parse(svc_str_c(other), &other_id));
    for (probe_walk_begin(&w, t.s, "esirn"); probe_walk_next(&w);) {
      munit_assert_true(svc_entity_decode(w.key, w.value, &e));
      if (!svc_id_eq(&e.parent, &to_id)) continue;
      munit_assert_true(svc_id_eq(&e.scope.group, &to_id) && svc_id_eq(&e.scope.org, &other_id));
    }
  }
  t_close(&t);
  t_probes(NULL);
}

/* Sirens may hear an event that is undone, but nothing of it is stored. */
TEST(ledger, unheard)
{
  const char *org, *group;
  char group_feed[40];
  t_service t;
  size_t events;
  t_probes(probes);
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  snprintf(group_feed, sizeof group_feed, "/groups/%s", group);
  events = probe_records(t.s, "eevnt");
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"p\"}", "/groups/%s/pranks", group), ==, 409);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"mute\"}", "/groups/%s/pranks", group), ==, 503);
  munit_assert_string_equal(t_str(&t, "errorCode"), "SERVICE_UNAVAILABLE");
  munit_assert_not_null(strstr(heard, "CPS_SNAPSHOT_STARTED")); /* the event was heard, ... */
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED"); /* ... but nothing of it is stored */
  munit_assert_size(probe_records(t.s, "eevnt"), ==, events);
  munit_assert_size(probe_records(t.s, "epran"), ==, 0);

  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"p\",\"late\":true}", "/groups/%s/pranks", group), ==, 201);
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED CPS_SNAPSHOT_STARTED");
  t_advance(&t, 60);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK); /* the same for a due step that is given up */
  munit_assert_not_null(strstr(heard, "CPS_SNAPSHOT_FAILED"));
  munit_assert_string_equal(ledger_sirens(&t, group_feed), "GROUP_CREATED CPS_SNAPSHOT_STARTED");
  munit_assert_size(probe_records(t.s, "eevnt"), ==, events + 2);

  refused_type = "CLUSTER_CREATED"; /* a siren may refuse the event, and with it the change */
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 409);
  munit_assert_string_equal(t_error(&t), "PEER_INVALID_STATE");
  munit_assert_size(probe_records(t.s, "eclus") + probe_records(t.s, "l"), ==, 0);
  refused_type = NULL;
  munit_assert_int(t_sendf(&t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  t_close(&t);
  t_probes(NULL);
}

/* --------------------------------------------------------------------------------------------------------------- meters */

/* Returns all lines of an organization, month 0: all months. One per line: "SKU quantity since-until". */
static const char *ledger_lines(svc *s, const char *org, unsigned month)
{
  static char text[4096];
  char since[21], until[21];
  svc_ledger_line line;
  svc_scan scan;
  svc_txn *txn;
  svc_id id;
  size_t n = 0;
  text[0] = 0;
  munit_assert_true(svc_id_parse(svc_str_c(org), &id));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  for (svc_ledger_begin(&scan, txn, &id, month); svc_ledger_next(&scan, &line);) {
    if (month) munit_assert_uint(line.month, ==, month);
    munit_assert_memory_equal(4, line.kind, "clus");
    svc_date_text(line.since, since);
    svc_date_text(line.until, until);
    n += (size_t)snprintf(text + n, sizeof text - n, SVC_FMT " %d %s-%s\n", SVC_ARG(line.meter.sku), (int)line.meter.quantity, since,
                          line.until ? until : "");
    munit_assert_size(n, <, sizeof text);
  }
  munit_assert_int(txn->error, ==, SVC_OK);
  s->commit.port->read_end(txn);
  return text;
}

static int ledger_at(t_place *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s%s", w->group, path);
}

TEST(ledger, cluster)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "");
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-\n");
  t_advance(&w.t, 3600);
  /* tags cost nothing */
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-\n");
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M20")), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n"
                                                           "INSTANCE_AWS_M20 3000 2025-06-01T01:00:00Z-\n");
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M30")), ==, 200); /* the M20 ran for no time: no line */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n"
                                                           "INSTANCE_AWS_M30 3000 2025-06-01T01:00:00Z-\n");
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", "{\"paused\":true}"), ==, 200); /* a paused cluster costs nothing */
#define FIRST_HOURS "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n" \
                    "INSTANCE_AWS_M30 3000 2025-06-01T01:00:00Z-2025-06-01T02:00:00Z\n"
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), FIRST_HOURS);
  munit_assert_size(probe_records(w.t.s, "l"), ==, 0);
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", "{\"paused\":false}"), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), FIRST_HOURS "INSTANCE_AWS_M30 3000 2025-06-01T03:00:00Z-\n");
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202); /* the cluster costs until it is deleted */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), FIRST_HOURS "INSTANCE_AWS_M30 3000 2025-06-01T03:00:00Z-\n");
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
#define ALL_HOURS FIRST_HOURS "INSTANCE_AWS_M30 3000 2025-06-01T03:00:00Z-2025-06-01T04:00:02Z\n"
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), ALL_HOURS);
  munit_assert_int(ledger_at(&w, "GET", "/clusters/Main", NULL), ==, 404);
  munit_assert_int(ledger_at(&w, "DELETE", "", NULL), ==, 202);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), ALL_HOURS); /* past costs remain */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202506), ALL_HOURS);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202507), "");
  munit_assert_size(probe_records(w.t.s, "l"), ==, 0);
  munit_assert_size(probe_records(w.t.s, "d"), ==, 1); /* only its invoice, until the end of the month */
  t_close(&w.t);
}

TEST(ledger, months)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  t_advance(&w.t, 14 * 86400);
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  t_advance(&w.t, 87 * 86400); /* to the 10th of September, in one step */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-15T00:00:00Z-2025-07-01T00:00:00Z\n"
                                                           "INSTANCE_AWS_M10 3000 2025-07-01T00:00:00Z-2025-08-01T00:00:00Z\n"
                                                           "INSTANCE_AWS_M10 3000 2025-08-01T00:00:00Z-2025-09-01T00:00:00Z\n"
                                                           "INSTANCE_AWS_M10 3000 2025-09-01T00:00:00Z-\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202507), "INSTANCE_AWS_M10 3000 2025-07-01T00:00:00Z-2025-08-01T00:00:00Z\n");
  munit_assert_size(probe_records(w.t.s, "l"), ==, 1);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", "{\"paused\":true}"), ==, 200); /* resumes by itself after 30 days */
  t_advance(&w.t, 120 * 86400); /* to the 8th of January: across the end of the year */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202509), "INSTANCE_AWS_M10 3000 2025-09-01T00:00:00Z-2025-09-10T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202510), "INSTANCE_AWS_M10 3000 2025-10-10T00:00:00Z-2025-11-01T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202512), "INSTANCE_AWS_M10 3000 2025-12-01T00:00:00Z-2026-01-01T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202601), "INSTANCE_AWS_M10 3000 2026-01-01T00:00:00Z-\n");
  munit_assert_int(ledger_at(&w, "DELETE", "/clusters/Main", NULL), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202601), "INSTANCE_AWS_M10 3000 2026-01-01T00:00:00Z-2026-01-08T00:00:02Z\n");
  t_advance(&w.t, 365 * 86400);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202602), ""); /* a closed line does not count in later months */
  munit_assert_size(probe_records(w.t.s, "l") + probe_records(w.t.s, "d"), ==, 0);
  t_close(&w.t);
}

/* Changes at the very end of a month, and exactly when the next month begins. */
TEST(ledger, edges)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  t_advance(&w.t, 30 * 86400);
  w.t.now -= 1;
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201); /* a millisecond before July */
  w.t.now += 1;
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M20")), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202506), "INSTANCE_AWS_M10 3000 2025-06-30T23:59:59Z-2025-07-01T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202507), "INSTANCE_AWS_M20 3000 2025-07-01T00:00:00Z-\n");
  t_advance(&w.t, 31 * 86400);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M30")), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202507), "INSTANCE_AWS_M20 3000 2025-07-01T00:00:00Z-2025-08-01T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202508), "INSTANCE_AWS_M30 3000 2025-08-01T00:00:00Z-\n");
  munit_assert_size(probe_records(w.t.s, "l"), ==, 1);
  w.t.now = INT64_C(253402300799000); /* the end of dates: there is no next month, and nothing is due */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M40")), ==, 200);
  w.t.now += 86400000;
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", PROBE_RESIZE("M30")), ==, 200);
  munit_assert_size(probe_records(w.t.s, "l"), ==, 1);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_close(&w.t);
}

static size_t banner_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  (void)c, (void)body;
  munit_assert_size(most, >=, 1);
  out[0] = (svc_meter){ SVC_S("BANNER"), 1000 };
  return 1;
}
#define BANNER(m, p, ...) { .method = m, .path = "/orgs/{orgId}/banners" p, .set = SVC_SET_ORGANIZATIONS, PROBE_VERSIONS, \
                            .roles = SVC_R_ORG_OWNER, __VA_ARGS__ }
static const svc_route banner_routes[] = {
  BANNER(SVC_POST, "", .status = 201, .run = svc_verb_create), BANNER(SVC_DELETE, "/{bannerName}", .status = 204, .run = svc_verb_delete)
};
static const svc_noun banner_noun = {
  .name = "banner", .kind = "bann", .parent = "organization", .param = "bannerName", .object = &nest_object, .key = "name",
  .unique = "name", .routes = SVC_ROUTES(banner_routes), .ext = SVC_NOUN_EXT(.meters = banner_meters)
};

/* Reads the first line of an organization; false: there is none. The line's texts are invalid after the transaction, so a constant
** replaces the SKU. */
static bool banner_line(svc *s, const char *org, svc_ledger_line *out)
{
  svc_scan scan;
  svc_txn *txn;
  svc_id id;
  bool found;
  munit_assert_true(svc_id_parse(svc_str_c(org), &id));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_ledger_begin(&scan, txn, &id, 0);
  found = svc_ledger_next(&scan, out);
  out->meter.sku = found && svc_str_is(out->meter.sku, "BANNER") ? SVC_S("BANNER") : SVC_S("");
  s->commit.port->read_end(txn);
  return found;
}

/* Costs of an organization itself are in no project's lines. */
TEST(ledger, of_organization)
{
  static const svc_noun *const banners[] = { &banner_noun, NULL };
  svc_ledger_line line;
  const char *org;
  t_service t;
  t_probes(banners);
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"b\"}", "/orgs/%s/banners", org), ==, 201);
  munit_assert_true(banner_line(t.s, org, &line));
  munit_assert_true(svc_str_is(line.meter.sku, "BANNER"));
  munit_assert_true(svc_id_is_zero(&line.group));
  munit_assert_int64(line.until, ==, 0);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_advance(&t, 3600);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/banners/b", org), ==, 204);
  munit_assert_true(banner_line(t.s, org, &line));
  munit_assert_int64(line.until, ==, t.now);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  t_probes(NULL);
}

#define SEVERAL(size, readers, analysts) \
  "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":" \
  "{\"instanceSize\":\"" size "\",\"nodeCount\":3},\"readOnlySpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":" readers "}," \
  "\"analyticsSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":" analysts "}}]}]}"

/* Each meter has a separate line. */
TEST(ledger, several)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", SEVERAL("M10", "2", "0")), ==, 200); /* more of the same SKU */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n"
                                                           "INSTANCE_AWS_M10 5000 2025-06-01T01:00:00Z-\n");
  t_advance(&w.t, 3600);
  if (ledger_at(&w, "PATCH", "/clusters/Main", SEVERAL("M10", "2", "1")) != 200) munit_errorf("%s", w.t.response.body);
  munit_assert_size(probe_records(w.t.s, "l"), ==, 2); /* and of another SKU: the first line is unchanged */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n"
                                                           "INSTANCE_AWS_M10 5000 2025-06-01T01:00:00Z-\n"
                                                           "INSTANCE_AWS_M40 1000 2025-06-01T02:00:00Z-\n");
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Main", SEVERAL("M10", "2", "0")), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n"
                                                           "INSTANCE_AWS_M10 5000 2025-06-01T01:00:00Z-\n"
                                                           "INSTANCE_AWS_M40 1000 2025-06-01T02:00:00Z-2025-06-01T03:00:00Z\n");
  t_close(&w.t);
}

TEST(ledger, moves)
{
  const char *other;
  t_place w;
  char body[96];
  t_place_open(&w, &quiet, "alpha", NULL);
  other = t_organization(&w.t, "Other");
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Main", "M10")), ==, 201);
  munit_assert_int(ledger_at(&w, "POST", "/clusters", PROBE_CLUSTER("Idle", "M10")), ==, 201);
  t_advance(&w.t, 3600);
  munit_assert_int(ledger_at(&w, "PATCH", "/clusters/Idle", "{\"paused\":true}"), ==, 200);
  t_advance(&w.t, 3600);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(ledger_at(&w, "POST", ":migrate", body), ==, 200);
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 0), "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T02:00:00Z\n"
                                                           "INSTANCE_AWS_M10 3000 2025-06-01T00:00:00Z-2025-06-01T01:00:00Z\n");
  /* the paused cluster costs nothing in either organization */
  munit_assert_string_equal(ledger_lines(w.t.s, other, 0), "INSTANCE_AWS_M10 3000 2025-06-01T02:00:00Z-\n");
  t_advance(&w.t, 35 * 86400);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(ledger_lines(w.t.s, other, 202506), "INSTANCE_AWS_M10 3000 2025-06-01T02:00:00Z-2025-07-01T00:00:00Z\n");
  munit_assert_string_equal(ledger_lines(w.t.s, other, 202507), "INSTANCE_AWS_M10 3000 2025-07-01T00:00:00Z-\n"
                                                                "INSTANCE_AWS_M10 3000 2025-07-01T01:00:00Z-\n"); /* the second resumed */
  munit_assert_string_equal(ledger_lines(w.t.s, w.org, 202507), "");
  t_close(&w.t);
}
