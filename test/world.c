/*
** The world of the tests that hold for every route: see world.h.
*/
#include "world.h"

/* ------------------------------------------------------------------------------------------------------------- complaints */

#define WORLD_COMPLAINTS 64 /* complaints that are printed: further ones are only counted */
static int world_complaints;

/* Each complaint is printed once: it may apply to every item of a list. */
void t_complain(const svc_plan *plan, const char *format, ...)
{
  static char said[WORLD_COMPLAINTS][1200];
  static int count;
  char text[sizeof said[0]];
  va_list args;
  int n = snprintf(text, sizeof text, "%s %s: ", t_method(plan), plan->route->path), i;
  va_start(args, format);
  vsnprintf(text + n, sizeof text - (size_t)n, format, args);
  va_end(args);
  if (world_complaints++ == 0) count = 0;
  for (i = 0; i < count; i++)
    if (strcmp(said[i], text) == 0) return;
  if (count == WORLD_COMPLAINTS) return;
  memcpy(said[count++], text, sizeof text);
  fprintf(stderr, "\n%s", text);
}

void t_complaints_end(void)
{
  int n = world_complaints;
  world_complaints = 0;
  if (n) munit_errorf("%d complaints, see above", n);
}

static bool world_cannot(t_world *w, const svc_plan *plan, const char *format, ...) SVC_PRINTF(3, 4);

static bool world_cannot(t_world *w, const svc_plan *plan, const char *format, ...)
{
  int n = snprintf(w->why, sizeof w->why, "%s %s ", t_method(plan), plan->route->path);
  va_list args;
  va_start(args, format);
  vsnprintf(w->why + n, sizeof w->why - (size_t)n, format, args);
  va_end(args);
  return false;
}

/* ------------------------------------------------------------------------------------------------------------ the routes */

const char *t_method(const svc_plan *plan)
{
  static const char *const names[SVC_METHOD_COUNT] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  return names[plan->route->method];
}

int t_success(const svc_plan *plan)
{
  return plan->route->status ? plan->route->status : 200;
}

int t_world_success(const t_world *w, const svc_plan *plan)
{
  return w->older && w->older->status ? w->older->status : t_success(plan);
}

static const svc_plan *world_plan_n(const t_world *w, int method, const char *path, size_t n)
{
  size_t i;
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_route *r = w->t.s->plans[i].route;
    if (r->method == method && strlen(r->path) == n && strncmp(r->path, path, n) == 0) return &w->t.s->plans[i];
  }
  return NULL;
}

const svc_plan *t_world_plan(const t_world *w, int method, const char *path)
{
  return world_plan_n(w, method, path, strlen(path));
}

static bool world_is_making(const t_world *w, const svc_plan *plan)
{
  size_t i;
  for (i = 0; i < w->making_count; i++)
    if (w->making[i] == (size_t)(plan - w->t.s->plans)) return true;
  return false;
}

/* Returns true if the route creates a resource and has an example. */
static bool world_makes(const t_world *w, const svc_plan *plan)
{
  return plan->route->method == SVC_POST && plan->route->example && !world_is_making(w, plan);
}

/* Returns true for a POST to the exact path of the resource that it creates; the key is in its example as well. */
static bool world_makes_itself(const svc_plan *plan)
{
  const char *path = plan->route->path;
  return plan->own && plan->route->method == SVC_POST && plan->route->example && plan->noun->noun->key && path[strlen(path) - 1] == '}';
}

/* Returns the POST that creates the resource after the first n characters of a path. */
static const svc_plan *world_maker(const t_world *w, const char *path, size_t n)
{
  const svc_plan *plan = world_plan_n(w, SVC_POST, path, n);
  return plan && world_makes(w, plan) ? plan : NULL;
}

/* Returns any POST that creates a resource of this noun. */
static const svc_plan *world_maker_of(const t_world *w, const svc_noun_info *noun)
{
  size_t i;
  for (i = 0; noun && i < w->t.s->plan_count; i++) {
    const svc_plan *plan = &w->t.s->plans[i];
    bool itself = world_makes_itself(plan);
    if (plan->noun == noun && (!plan->own || itself) && world_makes(w, plan) && !strchr(strrchr(plan->route->path, '/'), ':')) return plan;
  }
  return NULL;
}

/* Returns the noun that a parameter of this name belongs to. Among several, prefers a stored noun, because the others are
   views of it; among these the one that has the same parent as the route's noun. */
static const svc_noun_info *world_noun_of_param(const t_world *w, const svc_plan *plan, svc_str name)
{
  const t_need *same = t_needs_param(T_NEED_SAME, plan, name);
  const svc_noun_info *found = NULL;
  size_t i;
  if (same) name = svc_str_c(same->value);
  for (i = 0; i < w->t.s->noun_count; i++) {
    const svc_noun_info *noun = &w->t.s->nouns[i];
    bool beside = noun->parent == plan->noun->parent && found && found->parent != noun->parent;
    if (!noun->noun->param || !svc_str_is(name, noun->noun->param)) continue;
    if (!found || found->noun->flags & SVC_VIRTUAL || (beside && !(noun->noun->flags & SVC_VIRTUAL))) found = noun;
  }
  return found;
}

static const svc_hop *world_hop(const svc_plan *plan, unsigned param)
{
  unsigned i;
  for (i = 0; i < plan->hop_count; i++)
    if (plan->hops[i].param == param) return &plan->hops[i];
  return NULL;
}

const svc_plan *t_world_shows(const t_world *w, const svc_plan *plan)
{
  const svc_plan *same = t_world_plan(w, SVC_GET, plan->route->path);
  if (same) return same->route->flags & (SVC_PAGED | SVC_BARE) ? NULL : same;
  return plan->own && !strpbrk(strrchr(plan->route->path, '}'), ":/") ? plan->item : NULL;
}

bool t_world_cancels(const svc_plan *plan)
{
  return t_needs_say(T_NEED_CANCELS, plan);
}

bool t_world_sent(const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_of(&at, T_NEED_FIRST, plan)) != NULL)
    if (!need->body && need->method == need->first_method && strcmp(need->path, need->first) == 0) return true;
  return false;
}

bool t_world_elsewhere(const svc_plan *plan)
{
  return t_needs_say(T_NEED_ELSEWHERE, plan);
}

static bool world_comes_along(const svc_noun *noun)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_COMES_ALONG)) != NULL)
    if (strcmp(noun->name, need->noun) == 0) return true;
  return false;
}

bool t_world_always(const t_world *w, const svc_plan *plan)
{
  const svc_noun_info *noun = plan->noun;
  size_t i;
  if (world_comes_along(noun->noun)) return false;
  if (noun->noun->flags & SVC_SINGLETON) return true;
  if (t_needs_say(T_NEED_PATCH_MAKES, plan)) return false;
  if (plan->own && noun->noun->flags & SVC_VIRTUAL) noun = world_noun_of_param(w, plan, plan->params[plan->hops[plan->hop_count - 1].param]);
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_plan *other = &w->t.s->plans[i];
    if (other->noun == noun && other->route->method == SVC_POST && (!other->own || world_makes_itself(other))) return false;
    if (other->noun == noun && other->route->method == SVC_PUT && noun->noun->flags & SVC_SOLE) return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- making */

static const char *world_remember(t_world *w, const char *at, svc_str key)
{
  munit_assert_size(w->made_count, <, sizeof w->made / sizeof w->made[0]);
  munit_assert_size(strlen(at), <, sizeof w->made[0].at);
  munit_assert_size(key.n, <, sizeof w->made[0].key);
  snprintf(w->made[w->made_count].at, sizeof w->made[0].at, "%s", at);
  snprintf(w->made[w->made_count].key, sizeof w->made[0].key, SVC_FMT, SVC_ARG(key));
  return w->made[w->made_count++].key;
}

static const char *world_recall(const t_world *w, const char *at)
{
  size_t i;
  for (i = 0; i < w->made_count; i++)
    if (strcmp(w->made[i].at, at) == 0) return w->made[i].key;
  return NULL;
}

/* The values of fields of a body, "a/b", encoded for a path. */
static svc_str world_fields(t_world *w, const svc_node *body, const char *fields)
{
  svc_buf b = svc_buf_new(&w->t.arena, 64);
  svc_str rest = svc_str_c(fields);
  while (rest.n) {
    const svc_node *value = svc_node_find(body, svc_str_cut(&rest, '/'));
    if (!value || value->type == SVC_J_OBJECT || value->type == SVC_J_ARRAY) return SVC_S("");
    svc_percent_encode(&b, value->text);
    if (rest.n) svc_buf_char(&b, '/');
  }
  return svc_buf_done(&b);
}

/* The key of the resource in the last answer: from its self link, or else from its fields. In a list: of the first resource. */
static svc_str world_key_shown(t_world *w, const svc_noun_info *noun, const char *at)
{
  const svc_node *body = w->t.body, *results = svc_node_get(body, "results");
  svc_str self, key, base = w->t.s->base_url;
  size_t n = strlen(at);
  if (results) body = results->first;
  else if (body && body->type == SVC_J_ARRAY) body = body->first;
  self = t_self(body);
  if (self.n > base.n + w->t.s->base_path.n + n + 1) {
    self = (svc_str){ self.p + base.n + w->t.s->base_path.n, self.n - base.n - w->t.s->base_path.n };
    if (memcmp(self.p, at, n) == 0 && self.p[n] == '/') return (svc_str){ self.p + n + 1, self.n - n - 1 };
  }
  key = world_fields(w, body, noun && noun->noun->key ? noun->noun->key : "id");
  for (n = self.n; n > 0 && self.p[n - 1] != '/';) n--;
  return key.n ? key : (svc_str){ self.p + n, self.n - n }; /* the resource is created at another path than it is read */
}

/* Sends the example of a POST; *at receives its path. */
static bool world_post(t_world *w, const svc_plan *plan, char *at, size_t size)
{
  static char body[16384]; /* used before the next example is written */
  bool good;
  munit_assert_size(w->making_count, <, sizeof w->making / sizeof w->making[0]);
  w->making[w->making_count++] = (size_t)(plan - w->t.s->plans);
  good = t_world_path(w, plan, at, size) && t_world_example(w, plan, body, sizeof body);
  w->making_count--;
  if (!good) return false;
  if (t_send(&w->t, "POST", at, w->instead_of && strcmp(w->instead_of, plan->route->path) == 0 ? w->instead : body) == t_success(plan))
    return true;
  return world_cannot(w, plan, "with its example: %d %s", w->t.response.status, w->t.response.body);
}

void t_world_rest(t_world *w)
{
  t_advance(&w->t, 600);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static void world_follow(t_world *w, const svc_plan *maker, const char *at, const char *key)
{
  t_needs row = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_of(&row, T_NEED_CHANGED, maker)) != NULL)
    munit_assert_int(t_sendf(&w->t, "PATCH", need->change, "%s/%s", at, key), ==, 200);
}

/* Creates a resource of a collection. `at`: the collection's path with its parameters filled in. */
static const char *world_make(t_world *w, const svc_plan *maker, const char *at)
{
  char path[512];
  const char *known = world_recall(w, at);
  svc_str key;
  if (known) return known;
  if (!world_post(w, maker, path, sizeof path)) return NULL;
  if (world_makes_itself(maker)) *strrchr(path, '/') = 0; /* the collection of its kind */
  key = world_key_shown(w, maker->own && !world_makes_itself(maker) ? NULL : maker->noun, path); /* own: the POST creates a part of a
                                                                                                    resource */
  if (maker->route->status == 202 && maker->hop_count > 1) t_world_rest(w);
  if (key.n) {
    known = world_remember(w, at, key);
    world_follow(w, maker, path, known);
    return known;
  }
  world_cannot(w, maker, "does not say how what it has made is called: %s", w->t.response.body);
  return NULL;
}

#define WORLD_TIME (36 * 3600) /* seconds; by then the daily jobs have run and ended */

/* Returns the first resource of a list that no route creates: resources that always exist, or that appear with time. */
static const char *world_listed(t_world *w, const svc_plan *plan, const char *path, size_t n, const char *at)
{
  const svc_plan *list = world_plan_n(w, SVC_GET, path, n);
  const char *known = world_recall(w, at);
  svc_str key = SVC_S("");
  int tries;
  if (known) return known;
  for (tries = 0; list && key.n == 0 && tries < 2; tries++) {
    if (tries) t_advance(&w->t, WORLD_TIME);
    if (t_send(&w->t, "GET", at, NULL) == 200) key = world_key_shown(w, list->noun, at);
  }
  if (key.n) return world_remember(w, at, key);
  world_cannot(w, plan, "needs one of %.*s, and there is none: give its POST an example", (int)n, path);
  return NULL;
}

/* Returns the unique value of the resource that its own path names. */
static const char *world_by_unique(t_world *w, const svc_plan *plan, const char *at)
{
  char path[512];
  const char *known = world_recall(w, at);
  if (known) return known;
  if (!plan->item || !t_world_path(w, plan->item, path, sizeof path)) return NULL;
  if (t_send(&w->t, "GET", path, NULL) != 200) {
    world_cannot(w, plan->item, "shows nothing: %d %s", w->t.response.status, w->t.response.body);
    return NULL;
  }
  return world_remember(w, at, world_fields(w, w->t.body, svc_route_ext_of(plan->route)->by));
}

/* Returns the first of several hosts: "db://host:27017,...", up to one of these characters. `ends` NULL: the text is no such list. */
static svc_str world_host(const char *ends, svc_str text)
{
  const char *from = strstr(text.p, "://");
  if (!ends || !from) return text;
  return (svc_str){ from + 3, strcspn(from + 3, ends) };
}

/* Returns the value of a parameter that names a resource by another value than the noun's key. */
static const char *world_otherwise(t_world *w, const svc_plan *plan, unsigned param, const char *at)
{
  const t_need *need = t_needs_param(T_NEED_NAMED, plan, plan->params[param]);
  const svc_plan *maker, *get;
  const char *known;
  char path[512], so[512]; /* so: the same place, with a suffix for the other name */
  if (!need) return NULL;
  munit_assert_int(snprintf(so, sizeof so, "%s#%u", at, param), <, (int)sizeof so);
  known = world_recall(w, so);
  if (known) return known;
  maker = world_maker_of(w, svc_noun_named(w->t.s, need->noun));
  get = maker ? maker->item : NULL;
  if (!get || !t_world_path(w, get, path, sizeof path) || t_send(&w->t, "GET", path, NULL) != 200) return NULL;
  if (!*t_str(&w->t, need->field)) { /* the field appears when the creation has ended */
    t_advance(&w->t, 60); /* provision_ms of this world */
    if (t_send(&w->t, "GET", path, NULL) != 200) return NULL;
  }
  return world_remember(w, so, world_host(need->value, svc_str_c(t_str(&w->t, need->field))));
}

const char *t_world_shown_there(t_world *w, const svc_noun_info *noun)
{
  char path[512];
  size_t i;
  for (i = 0; noun && i < w->t.s->plan_count; i++) {
    const svc_plan *get = &w->t.s->plans[i];
    if (get->noun != noun || get->own || get->route->method != SVC_GET || !(get->route->flags & SVC_ITEM) ||
        !(noun->noun->flags & SVC_GLOBAL))
      continue;
    if (!t_world_path(w, get, path, sizeof path)) return NULL;
    if (world_recall(w, path)) return world_recall(w, path);
    return t_send(&w->t, "GET", path, NULL) == 200 ? world_remember(w, path, svc_str_c(t_str(&w->t, "id"))) : NULL;
  }
  return NULL;
}

static const char *world_of_example(t_world *w, const svc_plan *plan, const char *at)
{
  const svc_node *example = svc_json_parse(&w->t.arena, svc_str_c(plan->route->example));
  char so[512];
  munit_assert_int(snprintf(so, sizeof so, "%s#made", at), <, (int)sizeof so);
  return world_recall(w, so) ? world_recall(w, so) : world_remember(w, so, world_fields(w, example, plan->noun->noun->key));
}

/* Returns the values of the parameter, or parameters, at this place of a path. `n`: the length of the path before it. */
static const char *world_key(t_world *w, const svc_plan *plan, unsigned param, size_t n, const char *at)
{
  const svc_hop *hop = world_hop(plan, param);
  const svc_noun_info *noun = hop ? hop->noun : world_noun_of_param(w, plan, plan->params[param]);
  const svc_plan *maker = world_maker(w, plan->route->path, n);
  bool table = noun && noun->noun->flags & SVC_BY_TABLE;
  const char *otherwise = hop && !table ? NULL : world_otherwise(w, plan, param, at);
  const t_need *key = t_needs_param(T_NEED_KEY, plan, plan->params[param]);
  char own[512];
  if (otherwise) return otherwise;
  if (hop && noun == plan->noun && world_makes_itself(plan)) return world_of_example(w, plan, at);
  if (plan->in_path == (int)param) return plan->in_path_field->values ? plan->in_path_field->values[0] : "a";
  if (key) return key->value;
  if (hop && hop->by_unique) return world_by_unique(w, plan, at);
  if (noun && noun == w->t.s->org) return w->org;
  if (noun && noun == w->t.s->group) return w->group;
  if (maker) return world_make(w, maker, at);
  if (!noun || (table && !hop)) return t_sample(plan->params[param]); /* the noun has no resource by itself */
  maker = world_maker_of(w, noun);
  if (!maker && noun && noun->noun->flags & SVC_VIRTUAL) maker = world_maker_of(w, world_noun_of_param(w, plan, plan->params[param]));
  if (!maker && (otherwise = t_world_shown_there(w, noun)) != NULL) return otherwise;
  if (!maker) return world_listed(w, plan, plan->route->path, n, at);
  if (!t_world_path(w, maker, own, sizeof own)) return NULL;
  return world_make(w, maker, own);
}

/* Writes a value for a required query parameter. */
static void world_query_value(const t_world *w, const svc_param *p, char *out, size_t size)
{
  const char *text = p->type == SVC_STRING && p->values ? p->values[0] : p->type == SVC_BOOLEAN ? "true" : "a";
  if (p->type == SVC_DATE) text = "2025-05-31T00:00:00Z";
  if (p->format == SVC_FORMAT_ID) text = strcmp(p->name, "orgId") == 0 ? w->org : w->group;
  if (p->type == SVC_INT32 || p->type == SVC_INT64) snprintf(out, size, "%lld", (long long)(p->min ? p->min : 1));
  else snprintf(out, size, "%s", text);
}

void t_world_query(const t_world *w, const svc_plan *plan, char *out, size_t size)
{
  const svc_param *p;
  char value[64], mark = strchr(out, '?') ? '&' : '?';
  size_t n = strlen(out);
  for (p = plan->route->params; p && p->name; p++) {
    snprintf(value, sizeof value, "%s=", p->name);
    if (!(p->flags & SVC_PARAM_REQUIRED) || (strchr(out, '?') && strstr(strchr(out, '?'), value))) continue; /* a link contains it */
    world_query_value(w, p, value, sizeof value);
    n += (size_t)snprintf(out + n, size - n, "%c%s=%s", mark, p->name, value);
    mark = '&';
  }
  for (p = plan->route->params; p && p->name; p++) {
    const t_need *need = t_needs_param(T_NEED_QUERY, plan, svc_str_c(p->name));
    snprintf(value, sizeof value, "%s=", p->name);
    if (need && !strstr(out, value)) n += (size_t)snprintf(out + n, size - n, "%c%s%s", mark, value, need->value);
  }
}

/* Fills in the path, up to this parameter. */
static bool world_fill(t_world *w, const svc_plan *plan, unsigned until, char *out, size_t size)
{
  const char *p = plan->route->path;
  svc_str parts = SVC_S(""), part; /* of a key that consists of several parameters */
  size_t n = 0;
  unsigned param = 0;
  while (*p) {
    munit_assert_size(n + sizeof w->made[0].key, <, size);
    if (*p != '{') {
      out[n++] = *p++;
      continue;
    }
    out[n] = 0;
    if (param == until) return true;
    if (parts.n == 0) {
      char at[512];
      snprintf(at, sizeof at, "%.*s", n ? (int)n - 1 : 0, out); /* without the slash */
      parts = svc_str_c(world_key(w, plan, param, (size_t)(p - plan->route->path) - 1, at));
      if (parts.n == 0) return false;
      if (!world_hop(plan, param) || world_hop(plan, param)->param_count == 1) part = parts, parts.n = 0;
      else part = svc_str_cut(&parts, '/');
    } else {
      part = svc_str_cut(&parts, '/');
    }
    memcpy(out + n, part.p, part.n);
    n += part.n;
    param++;
    p = strchr(p, '}') + 1;
  }
  out[n] = 0;
  return true;
}

/* A resource that is the only one of its parent has no name in its path, so it is created by its POST or PUT. */
static bool world_sole(t_world *w, const svc_plan *plan)
{
  const svc_plan *maker = world_maker_of(w, plan->noun);
  char at[512];
  static char body[16384];
  size_t i;
  if (!(plan->noun->noun->flags & SVC_SOLE)) return true;
  for (i = 0; !maker && i < w->t.s->plan_count; i++)
    if (w->t.s->plans[i].noun == plan->noun && w->t.s->plans[i].route->method == SVC_PUT) maker = &w->t.s->plans[i];
  if (!maker || maker == plan || world_is_making(w, maker)) return true;
  if (!world_fill(w, maker, UINT_MAX, at, sizeof at)) return false;
  if (world_recall(w, at)) return true;
  if (maker->route->method == SVC_POST) {
    if (!world_post(w, maker, at, sizeof at)) return false;
  } else {
    if (!t_world_example(w, maker, body, sizeof body)) return false;
    if (t_send(&w->t, "PUT", at, body) != t_success(maker)) return world_cannot(w, maker, "with its example: %s", w->t.response.body);
  }
  world_remember(w, at, SVC_S("-"));
  return true;
}

bool t_world_path(t_world *w, const svc_plan *plan, char *out, size_t size)
{
  if (!world_sole(w, plan)) return false;
  if (!world_fill(w, plan, UINT_MAX, out, size)) return false;
  t_world_query(w, plan, out, size);
  return true;
}

/* Writes the path of the same resource on another route, which has the same key in another path. */
static bool world_also(t_world *w, const svc_plan *plan, const char *path, const svc_plan *other, char *out, size_t size)
{
  unsigned parts = plan->hops[plan->hop_count - 1].param_count;
  const char *key = path + strcspn(path, "?");
  while (parts--)
    do key--;
    while (*key != '/');
  if (!world_fill(w, other, other->hops[other->hop_count - 1].param, out, size)) return false;
  snprintf(out + strlen(out) - 1, size - strlen(out), "%s", key);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- examples */

/* Returns the list route of a noun, for the resources of one parent. */
static const svc_plan *world_list_of(const t_world *w, const svc_noun_info *noun)
{
  size_t i;
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_plan *plan = &w->t.s->plans[i];
    if (plan->noun == noun && !plan->own && plan->route->method == SVC_GET && plan->route->flags & (SVC_PAGED | SVC_BARE)) return plan;
  }
  return NULL;
}

static const char *world_one_of(t_world *w, const svc_noun_info *noun, const svc_plan *by)
{
  const svc_plan *maker = world_maker_of(w, noun), *list = maker ? NULL : world_list_of(w, noun);
  char own[512];
  if (noun == w->t.s->org) return w->org;
  if (noun == w->t.s->group) return w->group;
  if (!maker && !list) {
    world_cannot(w, by, "names one of %s in its example, which nothing makes", noun->noun->name);
    return NULL;
  }
  if (!t_world_path(w, maker ? maker : list, own, sizeof own)) return NULL;
  return maker ? world_make(w, maker, own) : world_listed(w, by, list->route->path, strlen(list->route->path), own);
}

/* A key decoded for use in a body. */
static svc_str world_plain(t_world *w, const char *key)
{
  svc_str text = SVC_S("");
  munit_assert_true(svc_percent_decode(&w->t.s->memory, svc_str_c(key), false, &text));
  return text;
}

/* Replaces ids that are named like path parameters, and the two placeholder ids, by ids of existing resources. */
static bool world_ids(t_world *w, const svc_plan *plan, svc_node *node)
{
  const svc_noun_info *noun = world_noun_of_param(w, plan, node->name);
  const char *key = NULL;
  svc_node *child;
  svc_id id;
  if (node->type == SVC_J_STRING && node->text.n == 24 && svc_id_parse(node->text, &id)) {
    if (svc_str_is(node->text, SVC_EXAMPLE_USER)) key = w->user;
    else if (svc_str_is(node->text, SVC_EXAMPLE_ORG)) key = w->other_org;
    else if (noun && !(key = world_one_of(w, noun, plan))) return false;
    if (key) node->text = world_plain(w, key);
  }
  for (child = node->first; child; child = child->next)
    if (!world_ids(w, plan, child)) return false;
  return true;
}

typedef struct world_refs {
  t_world *w;
  const svc_plan *plan;
  const svc_noun_info *noun;
} world_refs;

static bool world_ref(void *context, const svc_node *value)
{
  world_refs *refs = context;
  const char *key = world_one_of(refs->w, refs->noun, refs->plan);
  if (key) ((svc_node *)(uintptr_t)value)->text = world_plain(refs->w, key);
  return key != NULL;
}

/* Fills in the fields that must refer to existing resources. */
static bool world_named(t_world *w, const svc_plan *plan, svc_node *body)
{
  const svc_ref *ref;
  for (ref = plan->noun->noun->refs; ref && ref->field; ref++) {
    world_refs refs = { w, plan, svc_noun_named(w->t.s, ref->noun) };
    if (ref->err_missing && refs.noun && !svc_each_value(body, ref->field, world_ref, &refs)) return false;
  }
  return true;
}

/* Does what the text of an example needs, once. */
static void world_for_example(t_world *w, const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_EXAMPLE)) != NULL)
    if (strstr(plan->route->example, need->value) && !world_recall(w, need->value) && need->run(w, plan))
      world_remember(w, need->value, SVC_S("done"));
}

/* Writes the body that the example `text` stands for. */
static bool world_example(t_world *w, const svc_plan *plan, const char *text, char *out, size_t size)
{
  svc_arena arena;
  svc_node *body;
  svc_buf b;
  bool good = true;
  svc_arena_init(&arena, NULL);
  body = svc_json_parse(&arena, svc_str_c(text));
  if (!body) good = world_cannot(w, plan, "has an example that is not JSON");
  if (good) good = world_ids(w, plan, body) && world_named(w, plan, body);
  if (good) {
    b = svc_buf_new(&arena, 1024);
    svc_node_write(&b, body);
    munit_assert_int(snprintf(out, size, "%s", svc_buf_done(&b).p), <, (int)size);
  }
  svc_blocks_free(arena.blocks);
  return good;
}

bool t_world_example(t_world *w, const svc_plan *plan, char *out, size_t size)
{
  if (plan->route->flags & SVC_NO_BODY) return *out = 0, true;
  if (!plan->route->example) return world_cannot(w, plan, "has no example");
  world_for_example(w, plan);
  return world_example(w, plan, plan->route->example, out, size);
}

/* ---------------------------------------------------------------------------------------------------------- whole requests */

static bool world_before(t_world *w, const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_of(&at, T_NEED_BEFORE, plan)) != NULL)
    if (!need->run(w, plan)) return false;
  return true;
}

static bool world_send_first(t_world *w, const svc_plan *plan, const svc_plan *first, const t_need *need)
{
  if (!t_world_path(w, first, w->path, sizeof w->path)) return false;
  if (plan->route->method == SVC_GET && first->route->method == SVC_POST && !need->body) /* uses a resource that exists from before */
    return world_make(w, first, w->path) != NULL;
  w->body[0] = 0;
  if (need->body) snprintf(w->body, sizeof w->body, "%s", need->body);
  else if (first->route->method != SVC_DELETE && !t_world_example(w, first, w->body, sizeof w->body)) return false;
  w->group_gone = first->route->method == SVC_DELETE && first->noun == w->t.s->group;
  if (t_send(&w->t, t_method(first), w->path, w->body[0] ? w->body : NULL) == t_success(first)) return true;
  return world_cannot(w, first, "comes first: %d %s", w->t.response.status, w->t.response.body);
}

static bool world_do_first(t_world *w, const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_of(&at, T_NEED_FIRST, plan)) != NULL) {
    const svc_plan *first = t_world_plan(w, need->first_method, need->first);
    if (!first) return world_cannot(w, plan, "is to come behind %s, which is not there", need->first);
    if (!world_send_first(w, plan, first, need)) return false;
  }
  return true;
}

bool t_world_missing(t_world *w, const svc_plan *plan, char *out, size_t size)
{
  const svc_hop *own = plan->own ? &plan->hops[plan->hop_count - 1] : NULL;
  const char *p = plan->route->path;
  unsigned i;
  size_t n;
  if (t_needs_say(T_NEED_PATCH_ANY, plan)) return false;
  if (!own || world_makes_itself(plan) || !world_fill(w, plan, own->param, out, size)) return false;
  n = strlen(out);
  for (i = 0; i <= own->param; i++) p = strchr(p, '{') + 1;
  for (p--; *p;) {
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    const char *sample = end ? t_sample((svc_str){ p + 1, (size_t)(end - p - 1) }) : NULL;
    munit_assert_size(n + 100, <, size);
    if (sample) n += (size_t)snprintf(out + n, size - n, "%s", sample);
    else out[n++] = *p;
    p = end ? end + 1 : p + 1;
  }
  out[n] = 0;
  t_world_query(w, plan, out, size);
  return true;
}

bool t_world_shown_at(t_world *w, const svc_plan *plan, const svc_plan *get, char *out, size_t size)
{
  if (strcmp(get->route->path, plan->route->path) != 0) return world_also(w, plan, w->path, get, out, size);
  snprintf(out, size, "%.*s", (int)strcspn(w->path, "?"), w->path); /* each route has its own query parameters */
  t_world_query(w, get, out, size);
  return true;
}

/* Writes the body of a PUT or PATCH: the route's example, or else the representation that a GET shows. */
static bool world_shown(t_world *w, const svc_plan *plan)
{
  const svc_plan *get = t_world_shows(w, plan);
  char path[512];
  if (plan->route->example || !get) return t_world_example(w, plan, w->body, sizeof w->body);
  if (!t_world_shown_at(w, plan, get, path, sizeof path)) return false;
  if (t_send(&w->t, "GET", path, NULL) != 200)
    return world_cannot(w, get, "shows nothing: %d %s", w->t.response.status, w->t.response.body);
  munit_assert_size(w->t.response.body_length, <, sizeof w->body);
  memcpy(w->body, w->t.response.body, w->t.response.body_length + 1);
  return true;
}

static void world_wait(t_world *w, const svc_plan *plan)
{
  if (!t_needs_say(T_NEED_LATER, plan)) return;
  t_advance(&w->t, 3600);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

bool t_world_ready(t_world *w, const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  const t_need *instead = t_needs_of(&at, T_NEED_INSTEAD, plan);
  int method = plan->route->method;
  bool good;
  w->has_body = false;
  w->instead_of = instead ? instead->first : NULL;
  w->instead = instead ? instead->body : NULL;
  munit_assert_size(w->making_count, ==, 0);
  if (!world_do_first(w, plan) || !world_before(w, plan)) return false;
  w->making[w->making_count++] = (size_t)(plan - w->t.s->plans);
  good = t_world_path(w, plan, w->path, sizeof w->path);
  if (good && method == SVC_POST) good = t_world_example(w, plan, w->body, sizeof w->body);
  if (good && (method == SVC_PUT || method == SVC_PATCH)) good = world_shown(w, plan);
  if (good) world_wait(w, plan);
  w->making_count--;
  w->has_body = good && (method == SVC_POST || method == SVC_PUT || method == SVC_PATCH) && !(plan->route->flags & SVC_NO_BODY);
  return good;
}

bool t_world_older(t_world *w, const svc_plan *plan, const svc_older *older)
{
  static char accept[64];
  int method = plan->route->method;
  if (older->example && !world_example(w, plan, older->example, w->body, sizeof w->body)) return false;
  snprintf(accept, sizeof accept, "application/vnd.svc.%04u-%02u-%02u+json", older->date / 10000, older->date / 100 % 100, older->date % 100);
  t_header(&w->t, "Accept", accept);
  w->older = older;
  if ((method != SVC_PUT && method != SVC_PATCH) || plan->route->example || older->example) return true;
  return world_shown(w, plan);
}

int t_world_request(t_world *w, const svc_plan *plan, const char *path, const char *body)
{
  int status = t_send(&w->t, t_method(plan), path, body);
  t_world_check(w, plan);
  return status;
}

int t_world_send(t_world *w, const svc_plan *plan)
{
  return t_world_request(w, plan, w->path, w->has_body ? w->body : NULL);
}

const svc_request *t_world_raw(t_world *w, const svc_plan *plan, const char *retry_key)
{
  static char target[600];
  static svc_header headers[3];
  static svc_request request;
  size_t i;
  memset(&request, 0, sizeof request);
  memset(headers, 0, sizeof headers);
  snprintf(target, sizeof target, "/api/svc/v2%s", w->path);
  headers[0].name = "Content-Type";
  headers[0].value = "application/json";
  headers[1].name = "Idempotency-Key";
  headers[1].value = retry_key;
  request.method = t_method(plan);
  request.target = target;
  request.headers = headers;
  request.header_count = retry_key ? 2 : 1;
  for (i = 0; w->older && i < w->t.header_count; i++)
    if (strcmp(w->t.headers[i].name, "Accept") == 0) headers[request.header_count++] = w->t.headers[i];
  request.body = w->has_body ? w->body : NULL;
  request.body_length = w->has_body ? strlen(w->body) : 0;
  request.peer = w->t.peer;
  request.caller = &w->t.caller;
  return &request;
}

/* -------------------------------------------------------------------------------------------------------------- callers */

void t_world_role(t_world *w, int role)
{
  bool group = svc_role_level(role) == SVC_SCOPE_GROUP;
  w->t.grants[0] = (svc_grant){ svc_role_name(role), group ? w->group : w->org };
  w->t.grants[1] = (svc_grant){ svc_role_name(role), w->other_org };
  w->t.caller.grant_count = group ? 1 : 2;
}

void t_world_stranger(t_world *w)
{
  w->t.grants[0] = (svc_grant){ "ORG_OWNER", w->other_org };
  w->t.caller.grant_count = 1;
}

void t_world_owner(t_world *w)
{
  w->t.grants[0] = (svc_grant){ "ORG_OWNER", NULL };
  w->t.caller.grant_count = 1;
}

/* ------------------------------------------------------------------------------------------------------------- the world */

void t_world_open(t_world *w)
{
  t_world_open_with(w, NULL);
}

void t_world_open_as(t_world *w, svc_config config)
{
  char roles[128];
  memset(w, 0, sizeof *w);
  config.limiter_off = 1;
  if (!config.provision_ms) config.provision_ms = 60000;
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &w->memory;
  t_open(&w->t, &config);
  w->other_org = t_organization(&w->t, "Other");
  w->org = t_organization(&w->t, "Acme");
  w->group = w->user = "0123456789abcdef01234567"; /* for builds without projects or users */
  if (w->t.s->group) w->group = t_project(&w->t, w->org, "alpha");
  if (!w->t.s->seats[SVC_SEAT_USER] || !w->t.s->seats[SVC_SEAT_MEMBER]) return;
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", w->org);
  t_user(&w->t, "ada@example.com", roles);
  w->user = t_user(&w->t, "bob@example.com", roles);
}

void t_world_open_with(t_world *w, const svc_driver *driver)
{
  t_world_open_as(w, (svc_config){ .driver = driver });
}

void t_world_open_in(t_world *w, const char *folder)
{
  t_world_open_as(w, (svc_config){ .path = folder });
}

void t_world_close(t_world *w)
{
  t_close(&w->t);
  munit_assert_long(w->memory.live, ==, 0);
}

uint64_t t_world_print(t_world *w)
{
  return store_print(w->t.s);
}

bool t_world_whole(t_world *w, const svc_plan *plan, uint64_t before, const char *key)
{
  uint64_t after = t_world_print(w);
  svc_response response;
  if (after == before) return true;
  munit_assert_int(svc_handle_request(w->t.s, t_world_raw(w, plan, key), &response), ==, SVC_OK);
  if (plan->route->method == SVC_GET) t_complain(plan, "a GET without memory changes something");
  if (plan->route->method != SVC_DELETE && response.status != t_world_success(w, plan))
    t_complain(plan, "half of a change was left behind: %d %.300s", response.status, response.body);
  svc_response_free(&response);
  if (t_world_print(w) != after) t_complain(plan, "half of a change was left behind");
  return false;
}

/* -------------------------------------------------------------------------------------------------------------- samples */

const char *t_sample(svc_str param)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_SAMPLE)) != NULL)
    if (svc_str_is(param, need->param)) return need->value;
  if (param.n >= 2 && (svc_str_is(param, "id") || memcmp(param.p + param.n - 2, "Id", 2) == 0)) return "0123456789abcdef01234567";
  if (param.n > 4 && memcmp(param.p + param.n - 4, "Name", 4) == 0) return "nobody";
  return NULL;
}
