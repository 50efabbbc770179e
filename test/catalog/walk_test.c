/*
** Random walks over all operations, with the clock moved in between: whatever is made, changed and deleted in whatever order,
** the store stays whole (no child of what is gone, no name of what is not there, no count that is wrong), nothing is stuck
** in a state that it should leave, no list says another number than its pages hold, and every change has its event.
*/
#include "world.h"

#define WALK_STEPS 1500

/* Chance that is the same on every machine. */
static unsigned walk_random(uint64_t *state, unsigned below)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*state >> 33) % below;
}

/* One number for all entities; *events: how many there are in all feeds. */
static uint64_t walk_print(svc *s, size_t *events)
{
  uint64_t print = 0;
  svc_scan scan;
  svc_str key, value;
  svc_txn *txn;
  svc_key prefix;
  *events = 0;
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_key_begin(&prefix, 'e');
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    print = print * 31 + svc_body_revision(key) + svc_body_revision(value);
    *events += memcmp(key.p + 1, s->seats[SVC_SEAT_FEED]->noun->kind, SVC_KIND_SIZE) == 0;
  }
  s->commit.port->read_end(txn);
  return print;
}

/* Whatever is in a state that its table leads out of has a date at which it does. */
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
      state = svc_json_member(e.body, svc_str_c(noun->lifecycle->field));
      if (state.n > 2 && svc_transition_from(noun, (svc_str){ state.p + 1, state.n - 2 }) && svc_due_get(&e, SVC_DUE_STATE) == 0)
        munit_errorf("%s is stuck in " SVC_FMT ": " SVC_FMT, noun->name, SVC_ARG(state), SVC_ARG(e.body));
    }
    s->commit.port->read_end(txn);
  }
}

/* What a list says that it holds, page by page. */
static void walk_pages(t_world *w, const svc_plan *plan)
{
  char path[600], mark = strchr(w->path, '?') ? '&' : '?';
  int64_t total, seen = 0, page;
  if (t_send(&w->t, "GET", w->path, NULL) != 200) return;
  total = t_int(&w->t, "totalCount");
  for (page = 1; page == 1 || (page - 1) * 7 < total; page++) {
    snprintf(path, sizeof path, "%s%citemsPerPage=7&pageNum=%d", w->path, mark, (int)page);
    munit_assert_int(t_send(&w->t, "GET", path, NULL), ==, 200);
    if (t_int(&w->t, "totalCount") != total) return; /* something fell due in between */
    seen += (int64_t)t_count(&w->t, "results");
  }
  if (seen != total) munit_errorf("%s says %lld, and shows %lld", plan->route->path, (long long)total, (long long)seen);
}

/* What would end the walk: the world is in it. */
static bool walk_ends_world(const t_world *w, const svc_plan *plan)
{
  bool scope = plan->noun == w->t.s->org || plan->noun == w->t.s->group;
  return plan->route->flags & SVC_ABSOLUTE || (scope && plan->route->method == SVC_DELETE) || strstr(plan->route->path, ":migrate");
}

/* One request. What is ready may still be refused, since the walk has left things in some state: only not by a failure. */
static void walk_request(t_world *w, const svc_plan *plan, size_t *changes)
{
  uint64_t before;
  size_t events, now;
  int status;
  if (!t_world_ready(w, plan)) return;
  if (plan->route->flags & SVC_PAGED && plan->route->method == SVC_GET) {
    walk_pages(w, plan);
    return;
  }
  before = walk_print(w->t.s, &events);
  status = t_world_send(w, plan);
  if (status >= 500) munit_errorf("%s %s: %d %s", t_method(plan), w->path, status, w->t.response.body);
  if (walk_print(w->t.s, &now) == before) return;
  if (status >= 300) munit_errorf("%s %s: refused with %d, and has changed something", t_method(plan), w->path, status);
  if (plan->route->method == SVC_GET) munit_errorf("GET %s has changed something", w->path);
  ++*changes;
  if (now == events) munit_errorf("%s %s: no event; %s", t_method(plan), w->path, w->has_body ? w->body : "");
}

static MunitResult walk_all(const MunitParameter params[], void *data)
{
  static const int leaps[] = { 1, 5, 11, 60, 600, 3600, 6 * 3600, 86400, 9 * 86400, 40 * 86400 };
  static t_world w;
  uint64_t chance = strtoull(munit_parameters_get(params, "seed"), NULL, 10) * 0x9E3779B97F4A7C15u;
  size_t changes = 0;
  int step;
  (void)data;
  t_world_open(&w);
  for (step = 0; step < WALK_STEPS; step++) {
    const svc_plan *plan = &w.t.s->plans[walk_random(&chance, (unsigned)w.t.s->plan_count)];
    if (walk_random(&chance, 6) == 0) {
      t_advance(&w.t, leaps[walk_random(&chance, sizeof leaps / sizeof leaps[0])]);
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    }
    if (walk_random(&chance, 40) == 0) w.made_count = 0; /* from here on others are made and met */
    if (!walk_ends_world(&w, plan)) walk_request(&w, plan, &changes);
    if (step % 50 == 49) {
      store_whole(w.t.s);
      walk_not_stuck(w.t.s);
    }
  }
  t_world_close(&w);
  munit_assert_size(changes, >, WALK_STEPS / 10); /* it has not walked on the spot */
  return MUNIT_OK;
}

static char *seeds[] = { "1", "2", "3", NULL };
static MunitParameterEnum walk_params[] = { { "seed", seeds }, { NULL, NULL } };

static MunitTest tests[] = {
  { "/all", walk_all, NULL, NULL, MUNIT_TEST_OPTION_NONE, walk_params },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL }
};

const MunitSuite svc_suite_walk = { "/walk", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
