/*
** The steps of a world, "then": events after everything in the document was there.
**
** The rule: a step is an action, done each time it occurs, in the order of the document. After the document's "now", only steps move the
** clock. So a year of history is a repeated step.
*/
#include "control/world_parts.h"

#define WORLD_TURNS 10000 /* of one step */
#define WORLD_MOVES 1000  /* calls for one move of the clock, each of which may stop on the way */
#define WORLD_NESTED 8    /* nested steps */

SVC_PRIVATE bool svc_world_clock(svc_world *w, const svc_world_at *at, int64_t to)
{
  const int64_t now = svc_now(w->s);
  char from[21];
  int rc = SVC_BUSY, i;
  if (!w->s->config.manual_clock)
    return svc_world_refused(w, at, "the world moves the clock, which is not a manual one: svcd needs --test-control, "
                             "a program svc_config.manual_clock");
  svc_date_text(now, from);
  if (to < now) return svc_world_refused(w, at, "the clock is already at %s and cannot go back", from);
  for (i = 0; i < WORLD_MOVES && rc == SVC_BUSY; i++) rc = svc_clock_set(w->s, to);
  if (rc == SVC_INVALID) return svc_world_refused(w, at, "the clock does not go beyond the year 9999");
  return rc == SVC_OK ? true : svc_world_failed(w, rc);
}

static bool world_steps_advance(svc_world *w, const svc_world_at *at, const svc_node *by)
{
  int64_t months, ms;
  if (by->type != SVC_J_STRING || !svc_duration_parse(by->text, &months, &ms))
    return svc_world_refused(w, at, "this must be a duration such as \"PT10M\", \"P30D\" or \"P1M\"");
  return svc_world_clock(w, at, svc_months_on(svc_now(w->s), months) + ms);
}

static bool world_steps_until(svc_world *w, const svc_world_at *at, const svc_node *to)
{
  int64_t ms;
  if (to->type != SVC_J_STRING || !svc_date_parse(to->text, &ms))
    return svc_world_refused(w, at, "this must be a time such as \"2030-01-01T00:00:00Z\"");
  return svc_world_clock(w, at, ms);
}

/* Adds resources below an existing one. */
static bool world_steps_at(svc_world *w, const svc_world_at *at, const svc_node *step, const svc_node *target)
{
  static const char *const but[] = { "at", "repeat", NULL };
  svc_world_at here = svc_world_member(at, target);
  svc_world_place place;
  if (target->type != SVC_J_STRING) return svc_world_refused(w, &here, "this must be a reference such as \"$shop\"");
  if (!svc_world_target(w, &here, svc_world_turned(w, target->text), &place.path, &place.thing)) return false;
  return svc_world_children(w, at, &place, step, but);
}

/* Reports the secrets of a step by the resource that it names, or else by the one that it has created. */
static void world_steps_secret(svc_world *w, const svc_plan *plan, const svc_world_thing *thing, svc_str path, const svc_world_answer *a,
                               const svc_node *random)
{
  svc_world_thing t = { .collection = path, .path = path };
  if (thing) t = *thing;
  else if (plan->route->method == SVC_POST) t.path = svc_world_item_path(w, plan, path, a->key, a->body);
  svc_world_secret(w, &t, a, random);
}

/* A request: patch, put, post or delete. */
static bool world_steps_request(svc_world *w, const svc_world_at *at, const svc_node *step, const svc_node *target, int method)
{
  const svc_node *body = svc_node_get(step, "body");
  svc_world_at here = svc_world_member(at, target);
  const svc_world_thing *thing;
  const svc_plan *plan;
  svc_node *sent = NULL, *random = NULL;
  svc_world_answer a;
  svc_str path;
  if (target->type != SVC_J_STRING) return svc_world_refused(w, &here, "this must be a reference such as \"$shop\"");
  if (!svc_world_target(w, &here, svc_world_turned(w, target->text), &path, &thing)) return false;
  plan = svc_world_plan(w->s, method, path);
  if (!plan) return svc_world_refused(w, &here, "the API has no such operation on " SVC_FMT, SVC_ARG(path));
  if (body) {
    svc_world_at inside = svc_world_member(at, body);
    sent = svc_world_body(w, &inside, body, &random);
    if (!sent) return false;
  }
  if (!svc_world_ask(w, method, path, sent, &a) || !svc_world_answered(w, at, &a)) return false;
  world_steps_secret(w, plan, thing, path, &a, random);
  w->changed++;
  return true;
}

static bool world_steps_all(svc_world *w, const svc_world_at *at, const svc_node *steps, int depth);

/* Does a step, by the member that only such a step has. */
static bool world_steps_do(svc_world *w, const svc_world_at *at, const svc_node *step, const svc_node *verb, int depth)
{
  static const char *const methods[SVC_METHOD_COUNT] = { "get", "post", "put", "patch", "delete" };
  svc_world_at here = svc_world_member(at, verb);
  int i;
  if (svc_str_is(verb->name, "steps")) return world_steps_all(w, &here, verb, depth + 1);
  if (svc_str_is(verb->name, "advance")) return world_steps_advance(w, &here, verb);
  if (svc_str_is(verb->name, "until")) return world_steps_until(w, &here, verb);
  if (svc_str_is(verb->name, "at")) return world_steps_at(w, at, step, verb);
  for (i = SVC_POST; i < SVC_METHOD_COUNT; i++)
    if (svc_str_is(verb->name, methods[i])) return world_steps_request(w, at, step, verb, i);
  return false;
}

/* Returns the verb of a step. NULL: refused, because the step has no verb, several, or an unknown member. */
static const svc_node *world_steps_verb(svc_world *w, const svc_world_at *at, const svc_node *step)
{
  static const char *const verbs[] = { "advance", "until", "at", "patch", "put", "post", "delete", "steps" };
  const svc_node *verb = NULL, *m;
  size_t i;
  for (i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
    m = svc_node_get(step, verbs[i]);
    if (m && verb) return svc_world_refused(w, at, "a step does one thing: this one has both \"" SVC_FMT "\" and \"%s\"",
                                            SVC_ARG(verb->name), verbs[i]), NULL;
    if (m) verb = m;
  }
  if (!verb) return svc_world_refused(w, at, "a step has one of advance, until, at, patch, put, post, delete and steps"), NULL;
  for (m = step->first; m && !svc_str_is(verb->name, "at"); m = m->next) {
    svc_world_at here = svc_world_member(at, m);
    if (m == verb || svc_str_is(m->name, "repeat") || svc_str_is(m->name, "body")) continue;
    return svc_world_refused(w, &here, "a step with \"" SVC_FMT "\" has no such member", SVC_ARG(verb->name)), NULL;
  }
  return verb;
}

static bool world_steps_one(svc_world *w, const svc_world_at *at, const svc_node *step, int depth)
{
  const svc_node *repeat = svc_node_get(step, "repeat"), *verb;
  const int64_t before = w->turn;
  int64_t times = 1, i;
  if (step->type != SVC_J_OBJECT) return svc_world_refused(w, at, "a step is an object");
  verb = world_steps_verb(w, at, step);
  if (!verb) return false;
  if (repeat && (repeat->type != SVC_J_NUMBER || !svc_json_number_i64(repeat->text, &times) || times < 1 || times > WORLD_TURNS)) {
    svc_world_at here = svc_world_member(at, repeat);
    return svc_world_refused(w, &here, "this must be a number from 1 to %d", WORLD_TURNS);
  }
  for (i = 1; i <= times; i++) {
    if (w->steps++ == SVC_WORLD_STEPS) return svc_world_refused(w, at, "the world takes more than %d steps", SVC_WORLD_STEPS);
    if (repeat) w->turn = i;
    if (!world_steps_do(w, at, step, verb, depth)) return false;
  }
  w->turn = before;
  return true;
}

static bool world_steps_all(svc_world *w, const svc_world_at *at, const svc_node *steps, int depth)
{
  const svc_node *step;
  size_t i = 0;
  if (steps->type != SVC_J_ARRAY) return svc_world_refused(w, at, "this must be an array of steps");
  if (depth > WORLD_NESTED) return svc_world_refused(w, at, "steps are nested more than %d deep", WORLD_NESTED);
  for (step = steps->first; step; step = step->next, i++) {
    svc_world_at here = svc_world_element(at, i);
    if (!world_steps_one(w, &here, step, depth)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_world_steps(svc_world *w, const svc_world_at *at, const svc_node *steps)
{
  return world_steps_all(w, at, steps, 0);
}
