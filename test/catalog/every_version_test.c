/*
** Rules for every older version of every route: the answer has the version's shape, as the OpenAPI document describes
** it; the shown body can be sent back; a second request with an Idempotency-Key gets the first answer; and a request
** that runs out of memory answers 503. world.h describes how the resources that a request needs are created.
*/
#include "schema.h"
#include "world.h"

static size_t version_routes(void)
{
  static t_world w;
  size_t n;
  t_world_open(&w);
  n = w.t.s->plan_count;
  t_world_close(&w);
  return n;
}

/* Opens a world with a ready request of this version of this route. *older NULL: the route has fewer versions. */
static bool version_begin(t_world *w, size_t i, size_t row, const svc_plan **plan, const svc_older **older)
{
  t_world_open(w);
  *plan = &w->t.s->plans[i];
  *older = (*plan)->route->older ? &(*plan)->route->older[row] : NULL;
  if (*older && !(*older)->date) *older = NULL;
  if (*older && t_world_ready(w, *plan) && t_world_older(w, *plan, *older)) return true;
  if (*older) t_complain(*plan, "version %u is not ready: %s", (*older)->date, w->why);
  t_world_close(w);
  return false;
}

/* Calls `look` for every older version of every route. `look` returns false if the rule does not apply to the route. Returns the number of
** versions to which the rule applies, at least 1. */
static size_t version_each(bool (*look)(t_world *w, const svc_plan *plan, const svc_older *older))
{
  static t_world w;
  const svc_plan *plan;
  const svc_older *older;
  size_t i, row, n = 0, total = version_routes();
  for (i = 0; i < total; i++)
    for (row = 0, older = NULL; row == 0 || older; row++) {
      if (!version_begin(&w, i, row, &plan, &older)) continue;
      n += look(&w, plan, older);
      t_world_close(&w);
    }
  t_complaints_end();
  munit_assert_size(n, >, 0);
  return n;
}

static void version_expect(t_world *w, const svc_plan *plan, int status, int wanted, const char *what)
{
  if (status != wanted) t_complain(plan, "%s of version %u: %d, not %d: %.400s", what, w->older->date, status, wanted, w->t.response.body);
}

/* ------------------------------------------------------------------------------------------------------------- success */

static t_schema version_document; /* the same for all worlds */

static void version_fits(t_world *w, const svc_plan *plan, const char *media)
{
  const svc_node *schema = t_schema_of_version(&version_document, plan, w->t.response.status, media);
  if (!schema) t_complain(plan, "the document has no answer %s", media);
  else if (!t_schema_fits(&version_document, schema, w->t.body))
    t_complain(plan, "an answer %s does not fit the document: %s", media, version_document.why);
}

static bool version_succeeds(t_world *w, const svc_plan *plan, const svc_older *older)
{
  const char *kind = svc_route_ext_of(plan->route)->media ? svc_route_ext_of(plan->route)->media : "json";
  char media[64], type[96];
  version_expect(w, plan, t_world_send(w, plan), t_world_success(w, plan), "a good request");
  snprintf(media, sizeof media, "application/vnd.svc.%04u-%02u-%02u+%s", older->date / 10000, older->date / 100 % 100, older->date % 100, kind);
  snprintf(type, sizeof type, "%s%s", media, svc_route_ext_of(plan->route)->media ? "" : ";charset=utf-8");
  if (w->t.response.body_length && strcmp(t_get_header(&w->t, "Content-Type"), type) != 0)
    t_complain(plan, "version %u is answered as %s", older->date, t_get_header(&w->t, "Content-Type"));
  if (!*t_get_header(&w->t, "Deprecation") || !*t_get_header(&w->t, "Sunset")) t_complain(plan, "version %u does not say that it ends", older->date);
  if (w->t.body) version_fits(w, plan, media);
  return true;
}

TEST(every_version, success)
{
  static t_world w;
  t_world_open(&w);
  t_schema_open(&version_document, w.t.s);
  t_world_close(&w);
  munit_assert_size(version_each(version_succeeds), >=, 36);
  t_schema_close(&version_document);
}

/* --------------------------------------------------------------------------------------------------------------- bodies */

/* A change to the shown values changes nothing. */
static bool version_sent_back(t_world *w, const svc_plan *plan, const svc_older *older)
{
  const svc_plan *get = t_world_shows(w, plan);
  char at[512];
  static char shown[sizeof w->body];
  uint64_t print;
  if ((plan->route->method != SVC_PATCH && plan->route->method != SVC_PUT) || !get || !svc_route_older(get->route, older->date)) return false;
  if (plan->noun->noun->flags & SVC_SOLE && plan->route->method == SVC_PUT) t_world_send(w, plan); /* only a PUT creates the resource */
  if (!t_world_shown_at(w, plan, get, at, sizeof at)) return false;
  version_expect(w, get, t_world_request(w, get, at, NULL), 200, "what a GET shows");
  snprintf(shown, sizeof shown, "%s", w->t.response.body);
  print = t_world_print(w);
  version_expect(w, plan, t_world_request(w, plan, w->path, shown), t_world_success(w, plan), "what a GET shows, sent back");
  if (t_world_print(w) != print) t_complain(plan, "what a GET of version %u shows, sent back, changes something", older->date);
  return true;
}

TEST(every_version, sent_back)
{
  version_each(version_sent_back);
}

/* An unknown field is refused in every version. */
static bool version_unknown(t_world *w, const svc_plan *plan, const svc_older *older)
{
  static char body[sizeof w->body + 32];
  uint64_t print = t_world_print(w);
  if (!w->has_body || w->body[0] != '{') return false;
  (void)older;
  snprintf(body, sizeof body, "{\"nosuchField\":1%s%s", w->body[1] == '}' ? "" : ",", w->body + 1);
  version_expect(w, plan, t_world_request(w, plan, w->path, body), 400, "an unknown field");
  if (!t_violation(&w->t, "nosuchField")) t_complain(plan, "an unknown field: %.300s", w->t.response.body);
  if (t_world_print(w) != print) t_complain(plan, "what was refused has changed something");
  return true;
}

TEST(every_version, unknown)
{
  version_each(version_unknown);
}

/* --------------------------------------------------------------------------------------------------------------- replay */

static bool version_replay(t_world *w, const svc_plan *plan, const svc_older *older)
{
  static char first[sizeof w->body];
  uint64_t print;
  if (plan->route->method != SVC_POST) return false;
  t_header(&w->t, "Idempotency-Key", "one");
  version_expect(w, plan, t_world_send(w, plan), t_world_success(w, plan), "with a key");
  snprintf(first, sizeof first, "%s", w->t.response.body);
  print = t_world_print(w);
  version_expect(w, plan, t_world_send(w, plan), t_world_success(w, plan), "with the same key again");
  if (strcmp(w->t.response.body, first) != 0) t_complain(plan, "version %u: first %.400s, then %.400s", older->date, first, w->t.response.body);
  if (t_world_print(w) != print) t_complain(plan, "with the same key again something changes");
  return true;
}

TEST(every_version, replay)
{
  version_each(version_replay);
}

/* --------------------------------------------------------------------------------------------------------------- memory */

/* Each of the first fifty allocations of the request's arena fails in turn, then some of the others, until the request succeeds. */
static void version_starve(size_t i, size_t row)
{
  static t_world w;
  const svc_plan *plan;
  const svc_older *older;
  bool done = false;
  long n;
  for (n = 1; !done; n += 1 + n / 50) {
    svc_response response;
    const char *key;
    uint64_t print;
    int rc;
    if (!version_begin(&w, i, row, &plan, &older)) return;
    key = plan->route->method == SVC_POST ? "one" : NULL;
    do {
      print = t_world_print(&w);
      t_arena_fail(n);
      rc = svc_handle_request(w.t.s, t_world_raw(&w, plan, key), &response);
      t_arena_fail(0);
      done = t_memory_sufficed(rc, &response);
      if (done && response.status != t_world_success(&w, plan))
        t_complain(plan, "version %u without allocation %ld: %d %.300s", older->date, n, response.status, response.body);
      svc_response_free(&response);
      munit_assert_long(n, <, 100000);
    } while (!done && t_world_whole(&w, plan, print, key) && (n += 1 + n / 50));
    t_world_close(&w);
  }
}

TEST(every_version, allocation)
{
  static t_world w;
  size_t i, row, starved = 0, total = version_routes();
  for (i = 0; i < total; i++) {
    const svc_older *older;
    t_world_open(&w);
    older = w.t.s->plans[i].route->older;
    t_world_close(&w);
    for (row = 0; older && older[row].date; row++)
      if (older[row].body || older[row].answer) version_starve(i, row), starved++;
  }
  t_complaints_end();
  munit_assert_size(starved, >, 0);
}
