/*
** Random walks, with the clock moved in between: a walk over all operations, and a walk over those of deployments and
** the protection of their data. The walks create, change and delete in any order. The store stays consistent: no child
** without its parent, no name without its resource, no wrong count. Nothing stays in a state that it should leave. A
** list's total equals the sum of its pages. Every change has its event, and no event is written twice. In the end
** everything can be deleted, and nothing is left.
*/
#include "world.h"

enum {
  WALK_PLANS = 1024,
  WALK_ALL = 500,    /* steps of the walk over all operations */
  WALK_STEPS = 700,  /* steps of the walk over deployments; then more, until each operation was accepted once, */
  WALK_MOST = 6000,  /* but at most this many */
  WALK_LOOK = 50,    /* steps between checks of the whole store */
  WALK_FRESH = 64
};

typedef struct walk {
  t_world w;
  uint64_t chance;
  size_t changes;
  unsigned accepted[WALK_PLANS]; /* how often each operation was accepted */
  /* at the last check */
  uint64_t state, print;
  svc_id *events;
  size_t event_count;
  /* new events since then */
  char fresh[WALK_FRESH][600];
  size_t fresh_count;
} walk;

/* Random numbers that are the same on every machine. */
static unsigned walk_random(walk *k, unsigned below)
{
  k->chance = k->chance * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(k->chance >> 33) % below;
}

/* ------------------------------------------------------------------------------------------------------- changes and events */

static int walk_by_id(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

/* Notes the text of a new event without its own id. */
static void walk_fresh(walk *k, svc_str value)
{
  svc_str short_key, body;
  size_t links_at;
  char *text = k->fresh[k->fresh_count % WALK_FRESH], *id;
  munit_assert_true(svc_entity_glance(value, &short_key, &body, &links_at));
  snprintf(text, sizeof k->fresh[0], SVC_FMT, SVC_ARG(body));
  id = strstr(text, "\"id\":\"");
  if (id) memset(id + 6, '-', 24);
  k->fresh_count++;
}

/* Takes a hash of all entities, and the events of all logs. Costs nothing if nothing was committed. */
static void walk_look(walk *k)
{
  svc *s = k->w.t.s;
  svc_id *before = k->events, *id;
  size_t n = k->event_count, room = n + 4096;
  svc_scan scan;
  svc_str key, value;
  svc_txn *txn;
  svc_key prefix;
  k->fresh_count = 0;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  if (t_state_in(s, txn) != k->state) {
    k->state = t_state_in(s, txn);
    k->print = k->event_count = 0;
    k->events = munit_newa(svc_id, room);
    svc_key_begin(&prefix, 'e');
    svc_scan_below(&scan, txn, &prefix, false);
    while (svc_scan_next(&scan, &key, &value)) {
      k->print = k->print * 31 + svc_body_revision(key) + svc_body_revision(value);
      if (memcmp(key.p + 1, s->seats[SVC_SEAT_FEED]->noun->kind, SVC_KIND_SIZE) != 0) continue;
      munit_assert_size(k->event_count, <, room);
      id = &k->events[k->event_count++];
      memcpy(id->b, key.p + key.n - sizeof id->b, sizeof id->b);
      if (n == 0 || !bsearch(id, before, n, sizeof *id, walk_by_id)) walk_fresh(k, value);
    }
    qsort(k->events, k->event_count, sizeof *k->events, walk_by_id);
    free(before);
  }
  s->commit.port->read_end(txn);
}

/* Checks that a change has an event, and no event twice. */
static void walk_told(const walk *k, const svc_plan *plan)
{
  const t_world *w = &k->w;
  size_t i, j;
  if (!k->fresh_count) munit_errorf("%s %s: no event; %s", t_method(plan), w->path, w->has_body ? w->body : "");
  for (i = 0; i < k->fresh_count && i < WALK_FRESH; i++)
    for (j = 0; j < i; j++)
      if (strcmp(k->fresh[i], k->fresh[j]) == 0) munit_errorf("%s %s: an event twice: %s", t_method(plan), w->path, k->fresh[i]);
}

/* ---------------------------------------------------------------------------------------------------------------- invariants */

/* Returns true if the driver has an order for the entity, or will get one. */
static bool walk_ordered(svc_txn *txn, const svc_entity *e)
{
  svc_str value;
  svc_key key;
  svc_key_begin(&key, 'o');
  svc_key_add(&key, e->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &e->parent);
  svc_key_id(&key, &e->id);
  return svc_get(txn, &key, &value) == SVC_OK;
}

static bool walk_failed(const svc *s, const svc_id *id);

/* Checks that every entity in a state with an exit has a due step for it, or an order. */
static void walk_not_stuck(svc *s)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun *noun = s->nouns[i].noun;
    svc_scan scan;
    svc_str key, value, state;
    svc_entity e;
    svc_txn *txn;
    svc_key prefix;
    if (!noun->lifecycle || !noun->kind) continue;
    munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
    svc_key_entity(&prefix, noun->kind, NULL, NULL);
    svc_scan_below(&scan, txn, &prefix, false);
    while (svc_scan_next(&scan, &key, &value)) {
      munit_assert_true(svc_entity_decode(key, value, &e));
      e.kind = noun->kind;
      state = svc_json_member(e.body, svc_str_c(noun->lifecycle->field));
      if (state.n > 2) state = (svc_str){ state.p + 1, state.n - 2 };
      if (state.n > 2 && svc_transition_from(noun, state) && svc_due_get(&e, SVC_DUE_STATE) == 0 && !walk_ordered(txn, &e) &&
          !(noun->lifecycle->failed && svc_str_is(state, noun->lifecycle->failed) && walk_failed(s, &e.id)))
        munit_errorf("%s is stuck in " SVC_FMT ": " SVC_FMT, noun->name, SVC_ARG(state), SVC_ARG(e.body));
    }
    s->commit.port->read_end(txn);
  }
}

/* Checks a list's total against its pages. */
static void walk_pages(walk *k, const svc_plan *plan)
{
  t_world *w = &k->w;
  char path[600], mark = strchr(w->path, '?') ? '&' : '?';
  int64_t total, seen = 0, page;
  if (t_send(&w->t, "GET", w->path, NULL) != 200) return;
  k->accepted[plan - w->t.s->plans]++;
  total = t_int(&w->t, "totalCount");
  for (page = 1; page == 1 || (page - 1) * 23 < total; page++) {
    snprintf(path, sizeof path, "%s%citemsPerPage=23&pageNum=%d", w->path, mark, (int)page);
    munit_assert_int(t_send(&w->t, "GET", path, NULL), ==, 200);
    if (t_int(&w->t, "totalCount") != total) munit_errorf("%s: another number on page %d", w->path, (int)page);
    seen += (int64_t)t_count(&w->t, "results");
  }
  if (seen != total) munit_errorf("%s says %lld, and shows %lld", plan->route->path, (long long)total, (long long)seen);
}

/* --------------------------------------------------------------------------------------------------------------- requests */

/* Chooses another body (T_BODY) than the table's example or the body of a GET, which would change nothing. */
static void walk_other_body(walk *k, const svc_plan *plan)
{
  const char *found[32];
  t_needs at = { 0, 0 };
  const t_need *need;
  unsigned n = 0;
  while ((need = t_needs_of(&at, T_NEED_BODY, plan)) != NULL) {
    munit_assert_uint(n, <, sizeof found / sizeof found[0]);
    found[n++] = need->body;
  }
  if (n && walk_random(k, 5)) snprintf(k->w.body, sizeof k->w.body, "%s", found[walk_random(k, n)]);
}

/* Operations that would end the walk: a delete or move of its project or organization; and versions past their sunset. */
static bool walk_leaves(const t_world *w, const svc_plan *plan)
{
  bool scope = plan->noun == w->t.s->org || plan->noun == w->t.s->group;
  return plan->route->flags & SVC_ABSOLUTE || (scope && plan->route->method == SVC_DELETE) || strstr(plan->route->path, ":migrate") ||
         t_ended(&w->t, plan);
}

/* Endpoint sets of deployments, of the protection of their data, and of actions on them. Compliance policies are not among them. A
** policy cannot be weakened, nor deleted while it protects a snapshot, so many operations would never be accepted again. The walk
** over all operations includes it. */
static bool walk_is_deployment(const svc_plan *plan)
{
  static const unsigned char sets[] = {
    SVC_SET_SEARCH_DEPLOYMENT, SVC_SET_SEARCH_INDEXES, SVC_SET_BACKUP, SVC_SET_PROJECT_LIVE_MIGRATIONS, SVC_SET_ORGANIZATION_LIVE_MIGRATIONS,
    SVC_SET_CLUSTER_LOGS, SVC_SET_OUTAGE_SIMULATION, SVC_SET_CLUSTERS, SVC_SET_CLUSTER_LIST, SVC_SET_FLEX_CLUSTERS,
    SVC_SET_FLEX_RESTORE_JOBS, SVC_SET_FLEX_SNAPSHOTS, SVC_SET_GLOBAL_WRITES, SVC_SET_LEGACY_SNAPSHOTS, SVC_SET_ONLINE_ARCHIVES
  };
  size_t i;
  if (strstr(plan->route->path, "/backupCompliancePolicy")) return false;
  for (i = 0; i < sizeof sets; i++)
    if (plan->route->set == sets[i]) return true;
  return strstr(plan->route->path, "/clusters/{clusterName}/index") != NULL;
}

/* Makes this element of a collection the one that later requests use. */
static void walk_remember(t_world *w, const char *at, svc_str key)
{
  size_t i = 0;
  while (i < w->made_count && strcmp(w->made[i].at, at) != 0) i++;
  if (i == sizeof w->made / sizeof w->made[0] - 16 || strlen(at) >= sizeof w->made[0].at || key.n >= sizeof w->made[0].key) return;
  if (i == w->made_count) w->made_count++;
  snprintf(w->made[i].at, sizeof w->made[0].at, "%s", at);
  snprintf(w->made[i].key, sizeof w->made[0].key, SVC_FMT, SVC_ARG(key));
}

/* Lets later requests use the resource that a POST created. */
static void walk_made(t_world *w)
{
  svc_str self = w->t.body && w->t.body->type == SVC_J_OBJECT ? t_self(w->t.body) : SVC_S("");
  size_t front = w->t.s->base_url.n + w->t.s->base_path.n, n = strlen(w->path);
  if (self.n > front + n + 1 && memcmp(self.p + front, w->path, n) == 0 && self.p[front + n] == '/')
    walk_remember(w, w->path, (svc_str){ self.p + front + n + 1, self.n - front - n - 1 });
}

/* Sends one request. A ready request may be refused because of states that the walk left, but must not fail. */
static void walk_request(walk *k, const svc_plan *plan)
{
  t_world *w = &k->w;
  uint64_t before;
  int status;
  if (!t_world_ready(w, plan)) return;
  if (plan->route->flags & SVC_PAGED && plan->route->method == SVC_GET) {
    walk_pages(k, plan);
    return;
  }
  if (w->has_body) walk_other_body(k, plan);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  walk_look(k);
  before = k->print;
  status = t_world_send(w, plan);
  if (status >= 500) munit_errorf("%s %s: %d %s", t_method(plan), w->path, status, w->t.response.body);
  if (status < 300) k->accepted[plan - w->t.s->plans]++;
  if (status < 300 && plan->route->method == SVC_POST) walk_made(w);
  walk_look(k);
  if (k->print == before) return;
  if (status >= 300) munit_errorf("%s %s: refused with %d, and has changed something", t_method(plan), w->path, status);
  if (plan->route->method == SVC_GET) munit_errorf("GET %s has changed something", w->path);
  k->changes++;
  walk_told(k, plan);
}

/* Forgets deleted resources, so that new ones are created. */
static void walk_forget(walk *k)
{
  t_world *w = &k->w;
  char path[512];
  size_t i, kept = 0;
  for (i = 0; i < w->made_count; i++) {
    bool sole = strcmp(w->made[i].key, "-") == 0;
    snprintf(path, sizeof path, "%s%s%s", w->made[i].at, sole ? "" : "/", sole ? "" : w->made[i].key);
    if (strchr(w->made[i].at, '#') || t_send(&w->t, "GET", path, NULL) != 200) continue;
    w->made[kept++] = w->made[i];
  }
  w->made_count = kept;
}

static bool walk_meet(walk *k, const char *collection, const char *name)
{
  t_world *w = &k->w;
  char at[64];
  snprintf(at, sizeof at, "/groups/%s/%s", w->group, collection);
  if (t_sendf(&w->t, "GET", NULL, "%s/%s", at, name) != 200) return false;
  walk_remember(w, at, svc_str_c(name));
  return true;
}

static void walk_elsewhere(walk *k)
{
  static const char *const names[] = { "Main", "Second", "Third", "Shared", "Flexible" };
  unsigned first = walk_random(k, 5), i;
  walk_forget(k);
  for (i = 0; i < 5 && !walk_meet(k, "clusters", names[(first + i) % 5]); i++) continue;
  if (!walk_meet(k, "flexClusters", walk_random(k, 2) ? "Flexible" : "Other")) walk_meet(k, "flexClusters", "Flexible");
  /* the policy forbids many operations */
  if (walk_random(k, 3) == 0) t_sendf(&k->w.t, "DELETE", NULL, "/groups/%s/backupCompliancePolicy", k->w.group);
}

static void walk_step(walk *k, const svc_plan *plan)
{
  static const int leaps[] = { 1, 5, 11, 60, 600, 3600, 6 * 3600, 86400, 9 * 86400, 40 * 86400 };
  t_world *w = &k->w;
  if (walk_random(k, 6) == 0) t_advance(&w->t, leaps[walk_random(k, sizeof leaps / sizeof leaps[0])]);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  if (walk_random(k, 8) == 0) walk_elsewhere(k);
  walk_request(k, plan);
}

static void walk_open(walk *k, const char *seed, const svc_driver *driver)
{
  memset(k, 0, sizeof *k);
  k->chance = strtoull(seed, NULL, 10) * 0x9E3779B97F4A7C15u;
  t_world_open_with(&k->w, driver);
  munit_assert_size(k->w.t.s->plan_count, <=, WALK_PLANS);
}

static void walk_finding(void *context, const char *text)
{
  (void)context;
  munit_logf(MUNIT_LOG_WARNING, "%s", text);
}

/* The library's own check of its store finds no errors either. */
static void walk_close(walk *k)
{
  munit_assert_int(svc_check_store(k->w.t.s, walk_finding, NULL), ==, SVC_OK);
  t_world_close(&k->w);
  free(k->events);
}

static void walk_check(walk *k)
{
  store_whole(k->w.t.s);
  walk_not_stuck(k->w.t.s);
}

TEST_EACH(walk, all, seed, "2", "6")
{
  static walk k;
  int step;
  walk_open(&k, seed, NULL);
  for (step = 1; step <= WALK_ALL; step++) {
    const svc_plan *plan = &k.w.t.s->plans[walk_random(&k, (unsigned)k.w.t.s->plan_count)];
    if (!walk_leaves(&k.w, plan)) walk_step(&k, plan);
    if (step % WALK_LOOK == 0) walk_check(&k);
  }
  munit_assert_size(k.changes, >, WALK_ALL / 10); /* enough steps had an effect */
  walk_close(&k);
}

/* ------------------------------------------------------------------------------------------------------------- deployments */

/* Chooses a random operation, preferring those that were accepted less often. */
static const svc_plan *walk_choose(walk *k, const svc_plan *const *plans, unsigned n, int tries)
{
  const svc_plan *plan = plans[walk_random(k, n)], *other;
  while (tries-- > 0) {
    other = plans[walk_random(k, n)];
    if (k->accepted[other - k->w.t.s->plans] < k->accepted[plan - k->w.t.s->plans]) plan = other;
  }
  return plan;
}

static unsigned walk_plans(const walk *k, const svc_plan **out)
{
  const svc *s = k->w.t.s;
  unsigned n = 0, i;
  for (i = 0; i < s->plan_count; i++)
    if (walk_is_deployment(&s->plans[i]) && !walk_leaves(&k->w, &s->plans[i])) out[n++] = &s->plans[i];
  return n;
}

static bool walk_took_all(const walk *k, const svc_plan *const *plans, unsigned n)
{
  unsigned i = 0;
  while (i < n && k->accepted[plans[i] - k->w.t.s->plans]) i++;
  return i == n;
}

/* After any walk the project can be deleted completely, and nothing of it stays. */
static void walk_end(walk *k)
{
  static const char *const lists[] = { "clusters", "flexClusters" };
  t_world *w = &k->w;
  svc_scan scan;
  svc_str key, value;
  svc_txn *txn;
  svc_key prefix;
  svc_entity e;
  svc_id group;
  char name[80];
  size_t i;
  int tries;
  t_sendf(&w->t, "DELETE", NULL, "/groups/%s/backupCompliancePolicy", w->group);
  t_advance(&w->t, 40 * 86400); /* operations in progress end */
  for (i = 0; i < 2; i++)
    for (tries = 0; tries < 8; tries++) {
      munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/%s", w->group, lists[i]), ==, 200);
      if (t_int(&w->t, "totalCount") == 0) break;
      snprintf(name, sizeof name, "%s", t_str(&w->t, "results[0].name"));
      t_sendf(&w->t, "PATCH", "{\"terminationProtectionEnabled\":false}", "/groups/%s/%s/%s", w->group, lists[i], name);
      if (t_sendf(&w->t, "DELETE", NULL, "/groups/%s/%s/%s", w->group, lists[i], name) >= 300)
        munit_errorf("%s cannot be deleted: %s", name, w->t.response.body);
      t_advance(&w->t, 3600);
      munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
    }
  for (tries = 0; tries < 50; tries++) { /* private endpoints for backups change their state by the clock and keep the project */
    munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/backup/AWS/privateEndpoints", w->group), ==, 200);
    if (t_int(&w->t, "totalCount") == 0) break;
    snprintf(name, sizeof name, "%s", t_str(&w->t, "results[0].id"));
    t_sendf(&w->t, "DELETE", NULL, "/groups/%s/backup/AWS/privateEndpoints/%s", w->group, name);
    t_advance(&w->t, 3600);
    munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  }
  if (t_sendf(&w->t, "DELETE", NULL, "/groups/%s", w->group) >= 300) munit_errorf("the project stays: %s", w->t.response.body);
  for (tries = 0; tries < 50; tries++) {
    t_advance(&w->t, 1);
    munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  }
  store_whole(w->t.s);
  munit_assert_true(svc_id_parse(svc_str_c(w->group), &group));
  munit_assert_int(w->t.s->commit.port->read_begin(w->t.s->commit.store, &txn), ==, SVC_OK);
  svc_key_begin(&prefix, 'e');
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &e));
    if (svc_id_eq(&e.scope.group, &group) && memcmp(key.p + 1, w->t.s->seats[SVC_SEAT_FEED]->noun->kind, SVC_KIND_SIZE) != 0)
      munit_errorf("left behind: %.4s " SVC_FMT, key.p + 1, SVC_ARG(e.body));
  }
  w->t.s->commit.port->read_end(txn);
}

TEST_EACH(walk, deployments, seed, "2", "6")
{
  static walk k;
  const svc_plan *plans[WALK_PLANS];
  unsigned n, i;
  int step;
  walk_open(&k, seed, NULL);
  n = walk_plans(&k, plans);
  for (step = 1; step <= WALK_STEPS || (step <= WALK_MOST && !walk_took_all(&k, plans, n)); step++) {
    walk_step(&k, walk_choose(&k, plans, n, step <= WALK_STEPS ? 2 : walk_random(&k, 2) ? 400 : 0));
    if (step % WALK_LOOK == 0) walk_check(&k);
  }
  munit_assert_size(k.changes, >, WALK_STEPS / 8); /* enough steps had an effect */
  for (i = 0; i < n; i++)
    if (!k.accepted[plans[i] - k.w.t.s->plans]) t_complain(plans[i], "was never accepted: %s", t_world_ready(&k.w, plans[i]) ? "" : k.w.why);
  t_complaints_end();
  walk_end(&k);
  walk_close(&k);
}

/* ------------------------------------------------------------------------------------------------------------- with a driver */

/* A driver that completes its orders at once, later, after SVC_BUSY, or never. */
typedef struct walk_crew {
  uint64_t chance;
  bool sound; /* from now on, the driver completes all orders */
  char waiting[32][25];
  unsigned count;
  struct {
    char resource[25], order[25]; /* the last order for the resource */
    bool failed;
  } given[2048];
  unsigned given_count;
} walk_crew;

static unsigned walk_crew_random(walk_crew *crew, unsigned below)
{
  crew->chance = crew->chance * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(crew->chance >> 33) % below;
}

/* A newer order replaces the older one of the same resource, and is not failed. */
static void walk_crew_note(walk_crew *crew, const svc_order *order)
{
  unsigned i;
  for (i = 0; i < crew->given_count && strcmp(crew->given[i].resource, order->resource_id) != 0;) i++;
  munit_assert_uint(i, <, sizeof crew->given / sizeof crew->given[0]);
  if (i == crew->given_count) crew->given_count++;
  snprintf(crew->given[i].resource, sizeof crew->given[i].resource, "%s", order->resource_id);
  snprintf(crew->given[i].order, sizeof crew->given[i].order, "%s", order->id);
  crew->given[i].failed = false;
}

static void walk_crew_failed(walk_crew *crew, const char *order)
{
  unsigned i;
  for (i = 0; i < crew->given_count; i++)
    if (strcmp(crew->given[i].order, order) == 0) crew->given[i].failed = true;
}

/* Returns true if the last order for the resource failed. Then only a change leads out of its state. */
static bool walk_failed(const svc *s, const svc_id *id)
{
  const walk_crew *crew = s->config.driver ? s->config.driver->context : NULL;
  char hex[25] = { 0 };
  unsigned i;
  svc_id_hex(id, hex);
  for (i = 0; crew && i < crew->given_count; i++)
    if (strcmp(crew->given[i].resource, hex) == 0) return crew->given[i].failed;
  return false;
}

static int walk_crew_done(walk_crew *crew, svc *s, const char *id)
{
  bool fails = !crew->sound && walk_crew_random(crew, 4) == 0;
  int rc;
  if (fails) walk_crew_failed(crew, id);
  rc = svc_order_done(s, id, fails ? SVC_IO : SVC_OK, fails ? "{\"reason\":\"by chance\"}" : "{\"hosts\":[\"a.example.net:27017\"]}");
  return rc == SVC_INVALID ? svc_order_done(s, id, SVC_OK, NULL) : rc; /* for most orders, hosts are no valid fact */
}

static int walk_crew_perform(void *context, svc *s, const svc_order *order)
{
  walk_crew *crew = context;
  unsigned what = crew->sound ? 0 : walk_crew_random(crew, 8);
  walk_crew_note(crew, order);
  if (what == 1) return SVC_BUSY;
  if (what == 2) return walk_crew_failed(crew, order->id), SVC_IO;
  if (what < 6 || crew->count == 32) return walk_crew_done(crew, s, order->id);
  snprintf(crew->waiting[crew->count++], 25, "%s", order->id);
  return SVC_OK;
}

static int walk_crew_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  const char *said = strcmp(q->what, "list") == 0 ? "[]" : strcmp(q->what, "measure") == 0 ? "{\"value\":1}" : "a line\n";
  (void)context, (void)s;
  return svc_reply_add(reply, said, strlen(said));
}

/* Completes the postponed orders. */
static void walk_crew_catches_up(walk_crew *crew, svc *s)
{
  while (crew->count) munit_assert_int(walk_crew_done(crew, s, crew->waiting[--crew->count]), ==, SVC_OK);
}

TEST_EACH(walk, driven, seed, "2", "6")
{
  static walk k;
  static walk_crew crew;
  svc_driver driver = { walk_crew_perform, walk_crew_ask, &crew };
  const svc_plan *plans[WALK_PLANS];
  unsigned n;
  int step;
  memset(&crew, 0, sizeof crew);
  walk_open(&k, seed, &driver);
  crew.chance = k.chance + 1;
  n = walk_plans(&k, plans);
  for (step = 1; step <= WALK_STEPS; step++) {
    walk_step(&k, walk_choose(&k, plans, n, 2));
    if (walk_random(&k, 5) == 0) walk_crew_catches_up(&crew, k.w.t.s);
    if (step % WALK_LOOK == 0) walk_check(&k);
  }
  munit_assert_size(k.changes, >, WALK_STEPS / 12);
  crew.sound = true;
  for (step = 0; step < 20; step++) {
    walk_crew_catches_up(&crew, k.w.t.s);
    t_advance(&k.w.t, 600);
    munit_assert_int(svc_tick(k.w.t.s), ==, SVC_OK);
  }
  walk_end(&k);
  walk_close(&k);
}
