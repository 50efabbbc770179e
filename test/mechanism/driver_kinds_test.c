/*
** The same scenarios with every kind of driver: the simulator, a driver in C, and a program that svcd's code runs.
**
** Each scenario is written once and runs on the three kinds side by side, one request at a time. All kinds get the same requests at
** the same times of their clocks. The drivers finish orders and answer questions with what the simulator would return. So all
** answers must be equal, byte for byte, except for random values. Any other difference is a fault, or is listed in the table
** kinds_differ, with the reason.
*/
#include "driver.h"
#include "mechanism/probe.h"
#include "program.h"
#include "world.h"

enum { KINDS = 3, SIMULATOR = 0, C_DRIVER = 1, PROGRAM = 2 };

typedef struct kind {
  const char *name;
  t_world w;
  t_driver d;
  t_program *program;
  svc_config config;
  char group[25];      /* id of the project, in memory that outlives the handle */
  svc_snapshot *empty; /* the world before anything was created */
  char said[1 << 18];  /* the answers */
} kind;

static kind kinds[KINDS] = { { .name = "simulator" }, { .name = "C driver" }, { .name = "program" } };

/* Parts (`what`) that are not compared, for operations whose paths begin with `path`. NULL: such operations are not called at all. */
static const struct {
  const char *path, *what, *why;
} kinds_differ[] = {
  { "/groups/{groupId}/alerts/{alertId}", NULL, "the driver of these tests measures nothing for alerts; the simulator's figures open one" },
  { "/groups/{groupId}/clusters/tenantUpgradeToServerless", "the answer", "the simulator knows that the hosts stay; a driver says so with flex.create" },
  { "/groups/{groupId}/clusters/tenantUpgradeToServerless", "what is shown first", "the same" },
  { "/groups/{groupId}/clusters/tenantUpgradeToServerless", "what is shown at last", "the same, and where that failed the driver has said nothing" },
  { "/groups/{groupId}/flexClusters:tenantUpgrade", "what is shown first", "the same, with cluster.create" },
  { "/groups/{groupId}/flexClusters:tenantUpgrade", "what is shown at last", "the same" },
  { "/groups/{groupId}/dataFederation/{tenantName}/limits/{limitName}", "the answer", "a PATCH asks no driver what was used; with the simulator it is 0" },
  { "/groups/{groupId}/encryptionAtRest", "the answer", "the simulator looks at keys within the request; a driver does it by order, later" },
  { "/groups/{groupId}/encryptionAtRest", "the events", "the same: what it finds comes before the change, or after it" },
  { "/groups/{groupId}/encryptionAtRest", "the first events", "the same" },
  { "/groups/{groupId}/encryptionAtRest", "the last events", "the same" },
  { "/groups/{groupId}/encryptionAtRest", "what is shown first", "the same" },
  { "/groups/{groupId}/encryptionAtRest", "what is shown at last", "no state waits for the order, so the simulator cannot fail it" },
  { "/groups/{groupId}/clusters/{clusterName}/onlineArchives", "the last events",
    "what has no failed state the simulator tries again after a minute; a driver gets a new order after two seconds" },
  { "/groups/{groupId}/clusters/{clusterName}/outageSimulation", "the last events", "the same" },
};

/* Orders that do not occur in these scenarios. */
static const struct {
  const char *action, *resource, *why;
} kinds_unordered[] = {
  { "snapshot.delete", "flex snapshot", "it goes days later" },
  { "metrics.measure", "alert round", "see kinds_differ" },
  { "authority.delete", "certificate authority", "no table says how one comes to be there" },
  { "peering.accept", "stream peering", "only a driver knows of one" },
  { "peering.reject", "stream peering", "the same" },
  { "peering.delete", "stream peering", "the same" },
};

/* Requests that follow the example of an operation, for orders that no example causes. */
static const struct {
  int method;
  const char *path, *body;
} kinds_then[] = {
  { SVC_POST, "/groups/{groupId}/cloudProviderAccess", "{\"providerName\":\"GCP\"}" },
  { SVC_PATCH, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", "{\"paused\":true}" },
  { SVC_PATCH, "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", "{\"status\":\"UNREJECTED\"}" },
};

/* Text before values that are random, or derived from an id. */
static const char *const kinds_chance[] = { "\"linkToken\":\"", "\"publicKey\":\"", "\"secret\":\"", "\"_id\":", "\"lagTimeSeconds\":",
                                            "\"gcpServiceAccountForSvc\":\"", "-----BEGIN CERTIFICATE-----\\n" };

/* ------------------------------------------------------------------------------------------------------------------ kinds */

/* Waits until everything possible has happened: the only open orders are those that the driver was told to leave open. */
static void kind_settle(void *context)
{
  kind *k = context;
  int before;
  if (k->program) {
    t_program_settle(k->program);
    return;
  }
  do {
    before = k->d.orders;
    munit_assert_int(svc_tick(k->w.t.s), ==, SVC_OK);
  } while (k->d.orders != before);
}

/* Prepares the driver for the next handle of this kind. */
static void kind_prepare(kind *k)
{
  if (k == &kinds[SIMULATOR]) return;
  k->config.driver = &k->d.port;
  if (k != &kinds[PROGRAM]) return;
  k->program = t_program_open(&k->d);
  k->config.driver = t_program_driver(k->program);
}

static void kind_begin(kind *k)
{
  if (k->program) t_program_begin(k->program, k->w.t.s);
  k->w.t.settle = kind_settle;
  k->w.t.settle_context = k;
}

static void kind_end_program(kind *k)
{
  if (k->program) munit_assert_size(t_program_close(k->program), >, 0);
  k->program = NULL;
}

/* provision_ms < 0: steps of the simulator end at once, like those of the drivers. */
static void kinds_open(int64_t provision_ms, char folders[KINDS][128])
{
  int i;
  for (i = 0; i < KINDS; i++) {
    kind *k = &kinds[i];
    t_driver_init(&k->d);
    t_driver_does(&k->d, "", NULL);
    t_driver_answers(&k->d, "-", NULL); /* matches no question, but sets ask() */
    k->d.simulates = true;
    k->config = (svc_config){ .limiter_off = 1, .provision_ms = provision_ms, .path = folders ? folders[i] : NULL };
    kind_prepare(k);
    t_world_open_as(&k->w, k->config);
    snprintf(k->group, sizeof k->group, "%s", k->w.group);
    k->w.group = k->group;
    kind_begin(k);
  }
}

static void kinds_close(void)
{
  int i;
  for (i = 0; i < KINDS; i++) {
    kind *k = &kinds[i];
    if (k->program) t_program_stop(k->program);
    svc_snapshot_free(k->empty);
    k->empty = NULL;
    t_world_close(&k->w);
    kind_end_program(k);
  }
  t_complaints_end();
}

/* From here on orders are done, and no longer fail or stay open. */
static void kinds_do(void)
{
  int i;
  svc_fault_remove(kinds[SIMULATOR].w.t.s, 0);
  for (i = 1; i < KINDS; i++) {
    t_driver_does(&kinds[i].d, "", NULL);
    t_driver_release(&kinds[i].d, kinds[i].w.t.s);
  }
  for (i = 0; i < KINDS; i++) kind_settle(&kinds[i]);
}

static void kinds_fault(const char *rule)
{
  if (svc_fault_add_json(kinds[SIMULATOR].w.t.s, rule, NULL) != SVC_OK) munit_errorf("%s: %s", rule, kinds[SIMULATOR].w.t.log);
}

static void kinds_fail(void)
{
  int i;
  kinds_fault("{\"order\":\"*\",\"outcome\":\"fail\",\"reason\":\"no room\"}");
  for (i = 1; i < KINDS; i++) t_driver_fails(&kinds[i].d, "", "{\"reason\":\"no room\"}");
}

static void kinds_stall(void)
{
  int i;
  kinds_fault("{\"order\":\"*\",\"outcome\":\"stall\"}");
  for (i = 1; i < KINDS; i++) t_driver_takes(&kinds[i].d, "");
}

/* ------------------------------------------------------------------------------------------------------------- the answers */

#define HEX "0123456789abcdef"
#define WORD HEX "ghijklmnopqrstuvwxyz"

/* Returns the length of a random word at this position; 0: none. Random are ids, values derived from them, tokens, UUIDs, and host
** names of a cluster. */
static size_t kind_chance(const char *body, size_t at)
{
  const char *p = body + at;
  size_t hex = strspn(p, HEX), word = strspn(p, WORD), i;
  for (i = 0; i < sizeof kinds_chance / sizeof kinds_chance[0]; i++) {
    size_t n = strlen(kinds_chance[i]);
    if (at >= n && memcmp(p - n, kinds_chance[i], n) == 0) return strcspn(p, "\",}");
  }
  if (at && strchr(WORD, p[-1])) return 0;
  if (hex >= 17) return hex;
  if (hex == 8 && p[8] == '-' && strspn(p + 9, HEX "-") == 27) return 36;
  if (word == 6 && (strncmp(p + 6, "-shard-", 7) == 0 || strncmp(p + 6, ".db.local", 9) == 0)) return 6;
  return 0;
}

/* Notes the last answer, without random values. */
static void kind_note(kind *k)
{
  const svc_response *r = &k->w.t.response;
  size_t i, n = (size_t)snprintf(k->said, sizeof k->said, "%d ", r->status);
  for (i = 0; i < r->body_length; n++) {
    size_t chance = kind_chance(r->body, i);
    munit_assert_size(n, <, sizeof k->said - 1);
    k->said[n] = chance ? '#' : r->body[i];
    i += chance ? chance : 1;
  }
  k->said[n] = 0;
}

static bool kinds_differs(const svc_plan *plan, const char *what)
{
  size_t i;
  for (i = 0; i < sizeof kinds_differ / sizeof kinds_differ[0]; i++)
    if (strncmp(plan->route->path, kinds_differ[i].path, strlen(kinds_differ[i].path)) == 0 &&
        (kinds_differ[i].what ? what && strcmp(what, kinds_differ[i].what) == 0 : !what))
      return true;
  return false;
}

/* Checks that kind number `first` and the kinds after it have the same note. */
static void kinds_same(const svc_plan *plan, const char *what, int first)
{
  const kind *a = &kinds[first];
  int i;
  if (kinds_differs(plan, what)) return;
  for (i = first + 1; i < KINDS; i++) {
    size_t at = 0, from;
    if (strcmp(a->said, kinds[i].said) == 0) continue;
    while (a->said[at] == kinds[i].said[at]) at++;
    from = at > 60 ? at - 60 : 0;
    t_complain(plan, "%s, %s and %s: %.160s | %.160s", what, a->name, kinds[i].name, a->said + from, kinds[i].said + from);
  }
}

/* Reads one path of each kind, because ids differ, and compares the answers. */
static void kinds_get(const svc_plan *plan, const char *what, char paths[KINDS][512])
{
  int i;
  for (i = 0; i < KINDS; i++) {
    t_send(&kinds[i].w.t, "GET", paths[i], NULL);
    kind_note(&kinds[i]);
  }
  kinds_same(plan, what, SIMULATOR);
}

/* ---------------------------------------------------------------------------------------------------------- every operation */

static const svc_plan *kinds_plan(size_t at)
{
  return &kinds[SIMULATOR].w.t.s->plans[at];
}

static bool kinds_walks(const svc_plan *plan)
{
  return !kinds_differs(plan, NULL) && !(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&kinds[SIMULATOR].w.t, plan);
}

/* On PostgreSQL, transactions of suites that run beside this suite can conflict with a restore. The restore then retries, and may return
** SVC_BUSY. */
static void kinds_restore(kind *k)
{
  int tries = 0, rc;
  do rc = svc_snapshot_restore(k->w.t.s, k->empty);
  while (rc == SVC_BUSY && ++tries < 10);
  munit_assert_int(rc, ==, SVC_OK);
}

/* Restores every world to its start, from which resources are created again. */
static void kinds_restart(void)
{
  int i;
  for (i = 0; i < KINDS; i++) {
    t_world *w = &kinds[i].w;
    if (!kinds[i].empty) munit_assert_int(svc_snapshot_take(w->t.s, &kinds[i].empty), ==, SVC_OK);
    else kinds_restore(&kinds[i]);
    w->t.now = T_START;
    w->made_count = 0;
    w->group_gone = false;
    t_headers_clear(&w->t);
  }
}

/* Prepares a request of this route in all worlds. */
static bool kinds_ready(size_t at)
{
  int i, ready = 0;
  kinds_restart();
  for (i = 0; i < KINDS; i++) {
    t_world *w = &kinds[i].w;
    bool is = t_world_ready(w, &w->t.s->plans[at]);
    snprintf(kinds[i].said, sizeof kinds[i].said, "%s", is ? "ready" : "not ready");
    if (!is) t_complain(kinds_plan(at), "%s: %s", kinds[i].name, w->why);
    ready += is;
  }
  kinds_same(kinds_plan(at), "ready", SIMULATOR);
  return ready == KINDS;
}

typedef struct kinds_seen {
  char shown[KINDS][512], events[KINDS][512];
} kinds_seen;

static void kinds_look(const svc_plan *plan, kinds_seen *seen, const char *shown, const char *events)
{
  if (plan->route->method != SVC_GET) kinds_get(plan, shown, seen->shown);
  kinds_get(plan, events, seen->events);
}

/* Sends the prepared request, which must have the same answer everywhere. *seen: where to look for its effects. */
static void kinds_send(size_t at, kinds_seen *seen)
{
  int i;
  for (i = 0; i < KINDS; i++) {
    t_world *w = &kinds[i].w;
    svc_str self, base = w->t.s->base_url;
    t_send(&w->t, t_method(&w->t.s->plans[at]), w->path, w->has_body ? w->body : NULL);
    kind_note(&kinds[i]);
    self = t_self(w->t.body);
    snprintf(seen->events[i], sizeof seen->events[i], "/groups/%s/events?itemsPerPage=50", w->group);
    if (self.n > base.n) snprintf(seen->shown[i], sizeof seen->shown[i], "%.*s", (int)(self.n - base.n), self.p + base.n);
    else snprintf(seen->shown[i], sizeof seen->shown[i], "%.*s", (int)strcspn(w->path, "?"), w->path);
  }
  kinds_same(kinds_plan(at), "the answer", SIMULATOR);
}

static void kinds_rest(void)
{
  int i;
  for (i = 0; i < KINDS; i++) t_world_rest(&kinds[i].w);
}

/* Checks that an order of this row has occurred, unless kinds_unordered has it. */
static void kinds_had(const kind *k, const svc_noun *noun, const svc_order_row *row)
{
  size_t i;
  for (i = 0; i < sizeof kinds_unordered / sizeof kinds_unordered[0]; i++)
    if (strcmp(row->action, kinds_unordered[i].action) == 0 && strcmp(noun->name, kinds_unordered[i].resource) == 0) return;
  for (i = 0; k->d.rows[i] && k->d.rows[i] != row;) i++;
  if (!k->d.rows[i]) munit_errorf("%s: no %s of %s has come", k->name, row->action, noun->name);
}

static void kinds_had_all(void)
{
  const svc *s = kinds[SIMULATOR].w.t.s;
  size_t n;
  for (n = 0; n < s->noun_count; n++) {
    const svc_order_row *row = svc_noun_ext_of(s->nouns[n].noun)->notice ? NULL : s->nouns[n].noun->orders;
    for (; row && row->action; row++) {
      kinds_had(&kinds[C_DRIVER], s->nouns[n].noun, row);
      kinds_had(&kinds[PROGRAM], s->nouns[n].noun, row);
    }
  }
}

/* Sends the request that follows this route, if there is one. */
static void kinds_go_on(size_t at, kinds_seen *seen)
{
  const svc_route *route = kinds_plan(at)->route;
  size_t i, k;
  for (i = 0; i < sizeof kinds_then / sizeof kinds_then[0]; i++) {
    if (kinds_then[i].method != route->method || strcmp(kinds_then[i].path, route->path) != 0) continue;
    for (k = 0; k < KINDS; k++) snprintf(kinds[k].w.body, sizeof kinds[k].w.body, "%s", kinds_then[i].body);
    kinds_send(at, seen);
    if (kinds[SIMULATOR].w.t.response.status >= 300) t_complain(kinds_plan(at), "%s: %s", kinds_then[i].body, kinds[SIMULATOR].w.t.response.body);
    kinds_rest();
    kinds_look(kinds_plan(at), seen, "what is shown", "the events");
  }
}

/* Calls every operation once. Its orders are done at once. */
TEST(driver_kinds, operations)
{
  kinds_seen seen;
  size_t i;
  kinds_open(-1, NULL);
  for (i = 0; i < kinds[SIMULATOR].w.t.s->plan_count; i++) {
    if (!kinds_walks(kinds_plan(i)) || !kinds_ready(i)) continue;
    kinds_send(i, &seen);
    if (kinds[SIMULATOR].w.group_gone) continue;
    kinds_rest();
    kinds_look(kinds_plan(i), &seen, "what is shown", "the events");
    kinds_go_on(i, &seen);
  }
  kinds_had_all();
  kinds_close();
}

/* Calls every operation that may cause an order once. `meddle` makes its orders fail or stay open at first; later they are done. */
static void kinds_meddle(void (*meddle)(void))
{
  kinds_seen seen;
  size_t i;
  kinds_open(-1, NULL);
  for (i = 0; i < kinds[SIMULATOR].w.t.s->plan_count; i++) {
    const svc_plan *plan = kinds_plan(i);
    if (plan->route->method == SVC_GET || !plan->noun->noun->orders || !kinds_walks(plan) || !kinds_ready(i)) continue;
    meddle();
    kinds_send(i, &seen);
    kinds_look(plan, &seen, "what is shown first", "the first events");
    kinds_do();
    kinds_rest();
    kinds_look(plan, &seen, "what is shown at last", "the last events");
  }
  kinds_close();
}

TEST(driver_kinds, fail)
{
  kinds_meddle(kinds_fail);
}

TEST(driver_kinds, stall)
{
  kinds_meddle(kinds_stall);
}

/* ----------------------------------------------------------------------------------------------------------------- questions */

/* A driver that answers no question causes no error. But a request that names something only a driver can know, such as a database,
** gets a 404. The simulator always answers, so only the drivers are compared. */
TEST(driver_kinds, unknown)
{
  size_t i, asked = 0;
  int k;
  kinds_open(-1, NULL);
  for (i = 0; i < kinds[SIMULATOR].w.t.s->plan_count; i++) {
    const svc_plan *plan = kinds_plan(i);
    if (!plan->route->on_reply || !kinds_walks(plan) || !kinds_ready(i)) continue;
    for (k = 1; k < KINDS; k++) {
      t_world *w = &kinds[k].w;
      int before = kinds[k].d.asks;
      t_driver_knows_not(&kinds[k].d, "");
      if (kinds[k].program) t_program_meet(kinds[k].program);
      t_send(&w->t, t_method(plan), w->path, w->has_body ? w->body : NULL);
      if (kinds[k].program) t_program_meet(kinds[k].program);
      kind_note(&kinds[k]);
      if (w->t.response.status != t_success(plan) && !(w->t.response.status == 404 && plan->route->flags & SVC_ITEM)) t_complain(plan, "%s: %s", kinds[k].name, w->t.response.body);
      asked += kinds[k].d.asks != before;
      memset(kinds[k].d.questions, 0, sizeof kinds[k].d.questions);
    }
    kinds_same(plan, "an unknown resource", C_DRIVER);
  }
  munit_assert_size(asked, >, 30);
  kinds_close();
}

/* ------------------------------------------------------------------------------------------------------------------ clusters */

#define CLUSTERS "/groups/{groupId}/clusters"

/* Sends the same request to each kind. The path is relative to the project. */
static void kinds_request(const char *what, const char *method, const char *path, const char *body, int status)
{
  const svc_plan *plan = t_world_plan(&kinds[SIMULATOR].w, SVC_POST, CLUSTERS);
  int i;
  for (i = 0; i < KINDS; i++) {
    char full[512];
    snprintf(full, sizeof full, "/groups/%s%s", kinds[i].w.group, path);
    if (t_send(&kinds[i].w.t, method, full, body) != status) t_complain(plan, "%s, %s: %s", what, kinds[i].name, kinds[i].w.t.response.body);
    kind_note(&kinds[i]);
  }
  kinds_same(plan, what, SIMULATOR);
}

static void kinds_see(const char *what, const char *state)
{
  kinds_request(what, "GET", "/clusters/Main", NULL, state ? 200 : 404);
  if (state && !strstr(kinds[SIMULATOR].said, state)) munit_errorf("%s: it is not %s: %s", what, state, kinds[SIMULATOR].said);
  kinds_request(what, "GET", "/events?itemsPerPage=50", NULL, 200);
  kinds_request(what, "GET", "/processes", NULL, 200);
  kinds_request(what, "GET", "/alerts", NULL, 200);
}

/* While an order is open another order replaces it: a change during creation, a change during a change, and a delete during each. */
TEST(driver_kinds, replaced)
{
  kinds_open(-1, NULL);
  kinds_stall();
  kinds_request("made", "POST", "/clusters", T_CLUSTER("Main"), 201);
  kinds_request("changed", "PATCH", "/clusters/Main", PROBE_RESIZE("M20"), 200);
  kinds_see("changed while it is made", "CREATING");
  kinds_do();
  kinds_see("made at last", "IDLE");
  kinds_stall();
  kinds_request("changed", "PATCH", "/clusters/Main", PROBE_RESIZE("M30"), 200);
  kinds_request("changed", "PATCH", "/clusters/Main", PROBE_RESIZE("M40"), 200);
  kinds_see("changed twice", "UPDATING");
  kinds_do();
  kinds_see("changed at last", "\"instanceSize\":\"M40\"");
  kinds_stall();
  kinds_request("changed", "PATCH", "/clusters/Main", PROBE_RESIZE("M50"), 200);
  kinds_request("deleted", "DELETE", "/clusters/Main", NULL, 202);
  kinds_see("deleted while it changes", "DELETING");
  kinds_do();
  kinds_see("gone", NULL);
  kinds_stall();
  kinds_request("made", "POST", "/clusters", T_CLUSTER("Main"), 201);
  kinds_request("deleted", "DELETE", "/clusters/Main", NULL, 202);
  kinds_see("deleted while it is made", "DELETING");
  kinds_do();
  kinds_see("gone again", NULL);
  kinds_close();
}

/* A driver reports facts about the project's cluster. */
static void kind_report(kind *k, const char *facts)
{
  char id[64];
  snprintf(id, sizeof id, "%s/Main", k->w.group);
  if (k->program) t_program_report(k->program, "cluster", id, facts);
  else munit_assert_int(svc_report(k->w.t.s, "cluster", id, facts), ==, SVC_OK);
}

/* Both drivers report the same facts about the first host. `more`: members next to its name. */
static void kinds_report_host(const char *more)
{
  char facts[512];
  int i;
  for (i = 1; i < KINDS; i++) {
    munit_assert_int(t_sendf(&kinds[i].w.t, "GET", NULL, "/groups/%s/processes", kinds[i].w.group), ==, 200);
    snprintf(facts, sizeof facts, "{\"processes\":[{\"host\":\"%s\",%s}]}", t_str(&kinds[i].w.t, "results[0].id"), more);
    kind_report(&kinds[i], facts);
  }
}

static void kinds_pass(int64_t seconds)
{
  int i;
  for (i = 0; i < KINDS; i++) t_advance(&kinds[i].w.t, seconds);
}

/* A host goes down and comes up: the drivers report it, and the simulator gets it from a fault. */
TEST(driver_kinds, reports)
{
  kinds_open(-1, NULL);
  kinds_request("made", "POST", "/clusters", T_CLUSTER("Main"), 201);
  kinds_request("watched", "POST", "/alertConfigs", "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[{\"typeName\":\"GROUP\","
                "\"intervalMin\":5,\"delayMin\":0,\"emailEnabled\":true}]}", 201);
  kinds_fault("{\"host\":{\"cluster\":\"Main\",\"index\":0},\"inSeconds\":60,\"forSeconds\":60}");
  kinds_pass(60);
  kinds_report_host("\"up\":false");
  kinds_see("a host is down", "IDLE");
  munit_assert_size(t_count(&kinds[PROGRAM].w.t, "results"), ==, 1); /* one alert */
  kinds_pass(60);
  kinds_report_host("\"up\":true");
  kinds_see("a host is up", "IDLE");
  kinds_request("both are told of", "GET", "/events?eventType=HOST_DOWN&eventType=HOST_UP", NULL, 200);
  munit_assert_size(t_count(&kinds[PROGRAM].w.t, "results"), ==, 2);
  kinds_close();
}

/* Reports that no fault of the simulator can cause: only the drivers are compared. */
TEST(driver_kinds, reports_of_drivers)
{
  const svc_plan *plan;
  int i;
  kinds_open(-1, NULL);
  plan = t_world_plan(&kinds[SIMULATOR].w, SVC_POST, CLUSTERS);
  kinds_request("made", "POST", "/clusters", T_CLUSTER("Main"), 201);
  kinds_report_host("\"primary\":true,\"version\":\"8.0.77\"");
  for (i = 1; i < KINDS; i++) {
    munit_assert_int(t_sendf(&kinds[i].w.t, "GET", NULL, "/groups/%s/processes", kinds[i].w.group), ==, 200);
    munit_assert_string_equal(t_str(&kinds[i].w.t, "results[0].typeName"), "REPLICA_PRIMARY");
    munit_assert_string_equal(t_str(&kinds[i].w.t, "results[0].version"), "8.0.77");
    kind_note(&kinds[i]);
  }
  kinds_same(plan, "another primary", C_DRIVER);
  for (i = 1; i < KINDS; i++) {
    kind_report(&kinds[i], "{\"version\":\"8.0.78\"}");
    munit_assert_int(t_sendf(&kinds[i].w.t, "GET", NULL, "/groups/%s/clusters/Main", kinds[i].w.group), ==, 200);
    munit_assert_string_equal(t_str(&kinds[i].w.t, "dbVersion"), "8.0.78");
    kind_note(&kinds[i]);
  }
  kinds_same(plan, "another version", C_DRIVER);
  kinds_close();
}

/* ------------------------------------------------------------------------------------------------------- ends in between */

/* Begins to create a cluster. The drivers leave the order open. */
static void kinds_making(void)
{
  int i;
  for (i = 1; i < KINDS; i++) t_driver_takes(&kinds[i].d, "");
  kinds_request("made", "POST", "/clusters", T_CLUSTER("Main"), 201);
  kinds_see("not done", "CREATING");
}

/* Expects the open order to be done once, a minute later. */
static void kinds_made(void)
{
  int i;
  for (i = 1; i < KINDS; i++) munit_assert_string_equal(t_driver_order(&kinds[i].d, "")->action, "cluster.create");
  kinds_see("not done yet", "CREATING");
  kinds_pass(60);
  for (i = 1; i < KINDS; i++) {
    t_driver_does(&kinds[i].d, "", NULL);
    t_driver_release(&kinds[i].d, kinds[i].w.t.s);
    kind_settle(&kinds[i]);
  }
  kinds_see("done", "IDLE");
  kinds_request("it is told once", "GET", "/events?eventType=CLUSTER_READY", NULL, 200);
  munit_assert_size(t_count(&kinds[PROGRAM].w.t, "results"), ==, 1);
}

/* Makes the driver lose its orders: it finishes none of them. */
static void kind_forget(kind *k)
{
  int n;
  for (n = 0; n < T_ORDERS_KEPT; n++) k->d.kept[n].finished = true;
}

/* Closes the handle and opens another one on the same store: open orders continue. */
static void kind_reopen(kind *k)
{
  int before = k->d.orders;
  k->w.t.settle = NULL;
  if (k->program) t_program_stop(k->program);
  svc_close(k->w.t.s);
  k->w.t.s = NULL;
  kind_end_program(k);
  kind_forget(k);
  kind_prepare(k);
  t_reopen(&k->w.t, &k->config);
  kind_begin(k);
  kind_settle(k);
  if (k != &kinds[SIMULATOR]) munit_assert_int(k->d.orders, ==, before + 1); /* the order comes again */
}

TEST(driver_kinds, reopened)
{
  char folders[KINDS][128];
  int i;
  for (i = 0; i < KINDS; i++) store_folder(folders[i]);
  kinds_open(60000, folders);
  kinds_making();
  for (i = 0; i < KINDS; i++) kind_reopen(&kinds[i]);
  kinds_made();
  kinds_close();
  for (i = 0; i < KINDS; i++) store_remove(folders[i]);
}

/* The program is killed while it has an order. svcd's code restarts the program, which gets the order again. */
TEST(driver_kinds, killed)
{
  kind *k = &kinds[PROGRAM];
  kinds_open(60000, NULL);
  kinds_making();
  munit_assert_int(k->d.orders, ==, 1);
  kind_forget(k);
  t_program_kill(k->program);
  kind_settle(k);
  munit_assert_int(k->d.orders, ==, 2);
  kinds_made();
  kinds_close();
}
