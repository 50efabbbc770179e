/*
** Rules for every route, tested on every route of the tables. world.h describes how the resources that they need are
** created.
**
** Each route runs in a world of its own, so that routes do not affect each other. Every answer is checked against its
** table.
*/
#include "faults.h"
#include "world.h"

/* The status for a caller without a role on an existing organization or project. */
#define STRANGER_STATUS 401

#define NOBODY "nosuchField"

/* Opens a world for the route of this number. Returns false if there are fewer routes. */
static bool begin(t_world *w, size_t i, const svc_plan **plan)
{
  t_world_open(w);
  *plan = &w->t.s->plans[i];
  if (i < w->t.s->plan_count) return true;
  t_world_close(w);
  return false;
}

/* Checks that a route after its sunset answers 410 to every caller. */
static void ended(t_world *w, const svc_plan *plan)
{
  char path[512];
  if (!t_world_path(w, plan, path, sizeof path)) t_complain(plan, "not ready: %s", w->why);
  else if (t_send(&w->t, t_method(plan), path, plan->route->method == SVC_GET ? NULL : "{}") != 410)
    t_complain(plan, "has ended, and answers %d", w->t.response.status);
}

/* Makes the request of a route ready. Returns false for a route after its sunset or outside of the API: the token endpoint has its
** own rules (login_test.c). */
static bool ready(t_world *w, const svc_plan *plan)
{
  if (plan->route->flags & SVC_ABSOLUTE || t_world_elsewhere(plan)) return false;
  if (t_ended(&w->t, plan)) return ended(w, plan), false;
  if (t_world_ready(w, plan)) return true;
  t_complain(plan, "not ready: %s", w->why);
  return false;
}

static void expect(t_world *w, const svc_plan *plan, int status, int wanted, const char *what)
{
  if (status != wanted) t_complain(plan, "%s: %d, not %d: %.300s", what, status, wanted, w->t.response.body);
}

static bool takes_body(const svc_plan *plan)
{
  return plan->route->method != SVC_GET && plan->route->method != SVC_DELETE;
}

/* ------------------------------------------------------------------------------------------------------------- success */

/* Checks that every event is of a known type, and that its log may contain that type. */
static void success_events(t_world *w, const svc_plan *plan)
{
  const svc_noun_info *feed = w->t.s->seats[SVC_SEAT_FEED];
  const svc_node *event;
  svc_event_type type;
  char path[512];
  size_t i;
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_plan *list = &w->t.s->plans[i];
    if (list->noun != feed || !(list->route->flags & SVC_PAGED) || !t_world_path(w, list, path, sizeof path)) continue;
    if (t_world_request(w, list, path, NULL) != 200) continue; /* the log was deleted with its parent */
    for (event = t_node(&w->t, "results")->first; event; event = event->next) {
      int where = list->hops[0].noun == w->t.s->group ? SVC_EVENT_GROUP : SVC_EVENT_ORG;
      svc_str name = svc_node_str(event, "eventTypeName");
      if (!svc_event_type_named(svc_arena_copy(&w->t.arena, name).p, &type))
        t_complain(plan, "writes an unknown event " SVC_FMT, SVC_ARG(name));
      else if (!(type.where & where)) t_complain(plan, "writes " SVC_FMT " into a feed that cannot hold it", SVC_ARG(name));
    }
  }
}

TEST(every_plan, success)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    if (!ready(&w, plan)) continue;
    expect(&w, plan, t_world_send(&w, plan), t_success(plan), "a good request");
    t_world_follow(&w, plan);
    if (plan->route->method != SVC_GET) success_events(&w, plan);
  }
  t_complaints_end();
}

/* --------------------------------------------------------------------------------------------------------------- roles */

/* Each role in the table is sufficient by itself. */
static void roles_that_may(size_t i, uint64_t roles)
{
  static t_world w;
  const svc_plan *plan;
  int role;
  for (role = 0; role < SVC_ROLE_COUNT; role++) {
    if (!(roles >> role & 1) || !begin(&w, i, &plan)) continue;
    if (ready(&w, plan)) {
      t_world_role(&w, role);
      expect(&w, plan, t_world_send(&w, plan), t_success(plan), svc_role_name(role));
    }
    t_world_close(&w);
  }
}

/* No other role is sufficient, unless it includes a role in the table. */
static void roles_that_may_not(t_world *w, const svc_plan *plan)
{
  /* a role on a project gives no access to resources of organizations (elsewhere_test.c) */
  bool elsewhere = plan->hop_count && svc_noun_ext_of(plan->hops[0].noun->noun)->alliance;
  int role;
  for (role = 0; plan->route->roles && role < SVC_ROLE_COUNT; role++) {
    if (svc_role_includes(role) & plan->route->roles) continue;
    if (w->group_gone && svc_role_level(role) == SVC_SCOPE_GROUP) continue;
    t_world_role(w, role);
    expect(w, plan, t_world_send(w, plan), elsewhere && svc_role_level(role) == SVC_SCOPE_GROUP ? STRANGER_STATUS : 403,
           svc_role_name(role));
  }
}

static void roles_of_strangers(t_world *w, const svc_plan *plan)
{
  const svc_noun_info *first = plan->hop_count ? plan->hops[0].noun : NULL;
  bool scoped = first && (first == w->t.s->org || first == w->t.s->group) && !plan->hops[0].by_unique;
  if (scoped || (first && svc_noun_ext_of(first->noun)->alliance)) {
    t_world_stranger(w);
    expect(w, plan, t_world_send(w, plan), STRANGER_STATUS, "a stranger");
  } else if (plan->route->roles) {
    w->t.caller.grant_count = 0;
    expect(w, plan, t_world_send(w, plan), 403, "somebody without any role");
  }
}

TEST(every_plan, role)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  for (i = 0; begin(&w, i, &plan); i++) {
    uint64_t print, roles = plan->route->roles;
    if (ready(&w, plan)) {
      print = t_world_print(&w);
      roles_that_may_not(&w, plan);
      roles_of_strangers(&w, plan);
      if (t_world_print(&w) != print) t_complain(plan, "who may not has changed something");
    }
    t_world_close(&w);
    roles_that_may(i, roles);
  }
  t_complaints_end();
}

/* ------------------------------------------------------------------------------------------------------------- unknown */

typedef struct unknown {
  int left;         /* objects to skip */
  svc_node *object; /* the wanted object */
  char at[256];     /* its path */
} unknown;

static void unknown_find(unknown *u, const svc_object *object, svc_node *body, const char *at)
{
  const svc_object *own = svc_object_of(object, body);
  svc_node *member, *value;
  char inside[256];
  if (body->type != SVC_J_OBJECT || u->object) return;
  if (u->left-- == 0) {
    u->object = body;
    snprintf(u->at, sizeof u->at, "%s", at);
    return;
  }
  for (member = body->first; member && !u->object; member = member->next) {
    const svc_field *f = svc_field_named(own, member->name);
    if (!f || !svc_field_object(f) || f->flags & SVC_READ_ONLY) continue;
    value = f->type == SVC_OBJECT ? member : member->first;
    snprintf(inside, sizeof inside, "%s%s" SVC_FMT "%s", at, *at ? "." : "", SVC_ARG(member->name),
             f->type == SVC_ARRAY ? "[0]" : "");
    if (value) unknown_find(u, svc_field_object(f), value, inside);
  }
}

/* Writes the body with an unknown member in its n-th object. Returns false if there are fewer. */
static bool unknown_body(const t_world *w, const svc_plan *plan, int n, char *out, size_t size, char *field)
{
  const svc_object *object = plan->route->body ? plan->route->body : plan->noun->noun->object;
  unknown u = { n, NULL, "" };
  svc_arena arena;
  svc_node *body;
  svc_buf b;
  svc_arena_init(&arena, NULL);
  body = svc_json_parse(&arena, svc_str_c(w->body));
  if (plan->route->flags & SVC_BODY_ARRAY) unknown_find(&u, object, body->first, "[0]");
  else unknown_find(&u, object, body, "");
  if (u.object) {
    svc_node_set_i64(&arena, u.object, NOBODY, 1);
    b = svc_buf_new(&arena, 1024);
    svc_node_write(&b, body);
    snprintf(out, size, "%s", svc_buf_done(&b).p);
    snprintf(field, 300, "%s%s" NOBODY, u.at, u.at[0] ? "." : "");
  }
  svc_blocks_free(arena.blocks);
  return u.object != NULL;
}

static void unknown_fields(t_world *w, const svc_plan *plan)
{
  static char body[sizeof w->body];
  char field[300];
  int n;
  for (n = 0; w->has_body && unknown_body(w, plan, n, body, sizeof body, field); n++) {
    int status = t_world_request(w, plan, w->path, body);
    if (status != 400 || !t_violation(&w->t, field)) t_complain(plan, "%s: %d %.300s", field, status, w->t.response.body);
  }
}

static void unknown_parameter(t_world *w, const svc_plan *plan)
{
  char path[600];
  snprintf(path, sizeof path, "%s%cnosuch=1", w->path, strchr(w->path, '?') ? '&' : '?');
  expect(w, plan, t_world_request(w, plan, path, w->has_body ? w->body : NULL), 400, "an unknown parameter");
  if (strcmp(t_error(&w->t), "INVALID_QUERY_PARAMETER") != 0 || strcmp(t_param(&w->t, 0), "nosuch") != 0)
    t_complain(plan, "an unknown parameter: %s", w->t.response.body);
}

TEST(every_plan, unknown)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    uint64_t print;
    if (!ready(&w, plan)) continue;
    print = t_world_print(&w);
    unknown_parameter(&w, plan);
    unknown_fields(&w, plan);
    if (t_world_print(&w) != print) t_complain(plan, "what was refused has changed something");
  }
  t_complaints_end();
}

/* ------------------------------------------------------------------------------------------------------------ segments */

static void copy_text(char *out, size_t size, const char *text)
{
  munit_assert_int(snprintf(out, size, "%s", text), <, (int)size);
}

/* Sends w->body with this text in a field. Returns the status; 0: the body has no such text. */
static int segment_status(t_world *w, const svc_plan *plan, svc_str field, const char *text)
{
  static char body[sizeof w->body];
  svc_arena arena;
  svc_node *whole, *object, *value;
  svc_buf b;
  int status = 0;
  svc_arena_init(&arena, NULL);
  whole = svc_json_parse(&arena, svc_str_c(w->body));
  object = plan->route->flags & SVC_BODY_ARRAY ? whole->first : whole;
  value = object ? svc_node_find(object, field) : NULL;
  if (value && value->type == SVC_J_STRING) {
    value->text = svc_str_c(text);
    b = svc_buf_new(&arena, 1024);
    svc_node_write(&b, whole);
    copy_text(body, sizeof body, svc_buf_done(&b).p);
    status = t_world_request(w, plan, w->path, body);
  }
  svc_blocks_free(arena.blocks);
  return status;
}

/* Returns how many of these fields, "a/b", the body has; each refuses "." and "..", by its name. */
static int segments_of(t_world *w, const svc_plan *plan, const char *fields)
{
  static const char *const dots[] = { ".", ".." };
  svc_str rest = svc_str_c(fields ? fields : "");
  char name[100];
  int found = 0, status, i;
  while (rest.n) {
    const svc_str field = svc_str_cut(&rest, '/');
    snprintf(name, sizeof name, SVC_FMT, SVC_ARG(field));
    for (i = 0; i < 2; i++) {
      status = segment_status(w, plan, field, dots[i]);
      if (status == 0) continue;
      found++;
      if (status != 400 || !strstr(w->t.response.body, name))
        t_complain(plan, "%s \"%s\", a segment of a path: %d %.300s", name, dots[i], status, w->t.response.body);
    }
  }
  return found;
}

/* No resource gets a name that clients resolve before they send a path: "." and "..". */
TEST(every_plan, segments)
{
  static t_world w;
  const svc_plan *plan;
  int found = 0;
  size_t i, j;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    const svc_noun *noun = plan->noun->noun;
    uint64_t print;
    if (!takes_body(plan) || !ready(&w, plan) || !w.has_body) continue;
    print = t_world_print(&w);
    found += segments_of(&w, plan, noun->key);
    for (j = 0; j < noun->route_count; j++) found += segments_of(&w, plan, svc_route_ext_of(&noun->routes[j])->by);
    if (t_world_print(&w) != print) t_complain(plan, "a refused name has changed something");
  }
  munit_assert_int(found, >, 20);
  t_complaints_end();
}

/* --------------------------------------------------------------------------------------------------------------- changes */

static bool same_but_links(const char *one, const char *other)
{
  svc_arena arena;
  svc_node *a, *b;
  bool same;
  svc_arena_init(&arena, NULL);
  a = svc_json_parse(&arena, svc_str_c(one));
  b = svc_json_parse(&arena, svc_str_c(other));
  if (a->type == SVC_J_OBJECT) svc_node_drop(a, "links");
  if (b->type == SVC_J_OBJECT) svc_node_drop(b, "links");
  same = svc_node_same(a, b);
  svc_blocks_free(arena.blocks);
  return same;
}

/* The body of a GET can be sent back, and changes nothing: neither the ETag nor the events nor anything else. */
static void sent_back(t_world *w, const svc_plan *plan, const svc_plan *get)
{
  static char shown[sizeof w->body];
  char at[512], etag[64];
  bool here = strcmp(get->route->path, plan->route->path) == 0;
  uint64_t print;
  if (!t_world_shown_at(w, plan, get, at, sizeof at)) return;
  if (plan->noun->noun->flags & SVC_SOLE && plan->route->method == SVC_PUT) t_world_send(w, plan); /* only a PUT creates the resource */
  expect(w, get, t_world_request(w, get, at, NULL), 200, "what a GET shows");
  copy_text(shown, sizeof shown, w->t.response.body);
  copy_text(etag, sizeof etag, t_get_header(&w->t, "ETag"));
  print = t_world_print(w);
  expect(w, plan, t_world_request(w, plan, w->path, shown), t_success(plan), "what a GET shows, sent back");
  if (!(plan->route->flags & (SVC_PAGED | SVC_BARE)) && here) {
    if (strcmp(t_get_header(&w->t, "ETag"), etag) != 0) t_complain(plan, "another ETag for what a GET showed");
    if (!same_but_links(w->t.response.body, shown))
      t_complain(plan, "%.400s was sent back, %.400s is answered", shown, w->t.response.body);
  }
  if (t_world_print(w) != print) t_complain(plan, "what a GET shows, sent back, changes something");
  expect(w, get, t_world_request(w, get, at, NULL), 200, "the same GET again");
  if (strcmp(w->t.response.body, shown) != 0 || strcmp(t_get_header(&w->t, "ETag"), etag) != 0)
    t_complain(plan, "a GET showed %.400s, and after it was sent back %.400s", shown, w->t.response.body);
}

TEST(every_plan, sent_back)
{
  static t_world w;
  const svc_plan *plan, *get;
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    get = takes_body(plan) && plan->route->method != SVC_POST ? t_world_shows(&w, plan) : NULL;
    if (get && ready(&w, plan)) sent_back(&w, plan, get);
  }
  t_complaints_end();
}

/* Sets another value in a field. Returns false if the field cannot be changed this way. */
static bool change_value(svc_arena *a, const svc_field *f, svc_node *value)
{
  const char *const *v = f->values;
  int64_t number;
  if (f->flags & (SVC_READ_ONLY | SVC_FIXED | SVC_WRITE_ONLY)) return false;
  switch (f->type) {
  case SVC_BOOLEAN: value->text = svc_str_is(value->text, "true") ? SVC_S("false") : SVC_S("true"); return true;
  case SVC_INT32:
  case SVC_INT64:
    if (!svc_json_number_i64(value->text, &number)) return false;
    number += f->flags & SVC_MAX && number >= f->max ? -1 : 1;
    value->text = svc_arena_print(a, "%lld", (long long)number);
    return true;
  case SVC_STRING:
    while (v && *v && svc_str_is(value->text, *v)) v++;
    if (v) return *v ? (value->text = svc_str_c(*v), true) : false;
    value->text = svc_arena_print(a, SVC_FMT "x", SVC_ARG(value->text));
    if (f->format || (f->max && (int64_t)value->text.n > f->max)) return false;
    return !svc_field_pattern(f) || svc_pattern_match(svc_field_pattern(f), value->text);
  default: return false;
  }
}

/* Writes the shown body with its n-th field changed to w->body. Returns false if there are fewer. */
static bool change_nth(t_world *w, const svc_plan *plan, const char *shown, int n)
{
  const svc_object *object = plan->route->body ? plan->route->body : plan->noun->noun->object;
  svc_arena arena;
  svc_node *body, *member;
  svc_buf b;
  bool found = false;
  svc_arena_init(&arena, NULL);
  body = svc_json_parse(&arena, svc_str_c(shown));
  object = svc_object_of(object, body);
  for (member = body->first; member && !found; member = member->next) {
    const svc_field *f = svc_field_named(object, member->name);
    svc_str was = member->text;
    found = f && change_value(&arena, f, member) && n-- == 0;
    if (!found) member->text = was;
  }
  if (found) {
    b = svc_buf_new(&arena, 1024);
    svc_node_write(&b, body);
    copy_text(w->body, sizeof w->body, svc_buf_done(&b).p);
  }
  svc_blocks_free(arena.blocks);
  return found;
}

/* Turns the ready request into an accepted change: the row's example, or the first field that may be changed. `n`: the number of
** that field; negative: not known yet. Returns false if no field can be changed. */
static bool change_ready(t_world *w, const svc_plan *plan, int *n)
{
  static char shown[sizeof w->body];
  uint64_t print = t_world_print(w);
  int i;
  if (plan->route->example) return true;
  copy_text(shown, sizeof shown, w->body);
  if (*n >= 0) return change_nth(w, plan, shown, *n);
  for (i = 0; change_nth(w, plan, shown, i); i++)
    if (t_send(&w->t, t_method(plan), w->path, w->body) == t_success(plan) && t_world_print(w) != print) return *n = i, true;
  return false;
}

/* A change is accepted, and a later GET shows the same body as its answer. */
TEST(every_plan, change)
{
  static t_world w;
  static char answered[sizeof w.body];
  const svc_plan *plan, *get;
  char at[512];
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    uint64_t print = 0;
    int n = -1;
    if ((plan->route->method != SVC_PATCH && plan->route->method != SVC_PUT) || !ready(&w, plan)) continue;
    get = t_world_shows(&w, plan);
    if (!change_ready(&w, plan, &n)) {
      t_complain(plan, "nothing that it shows can be changed by itself: give the row an example");
      continue;
    }
    if (plan->route->example) print = t_world_print(&w), t_world_send(&w, plan);
    expect(&w, plan, w.t.response.status, t_success(plan), "a change");
    t_world_check(&w, plan);
    if (plan->route->example && !t_world_sent(plan) && t_world_print(&w) == print) t_complain(plan, "its example changes nothing");
    if (!get || plan->route->flags & SVC_PAGED || strcmp(get->route->path, plan->route->path) != 0) continue;
    copy_text(answered, sizeof answered, w.t.response.body);
    if (!t_world_shown_at(&w, plan, get, at, sizeof at)) continue;
    expect(&w, get, t_world_request(&w, get, at, NULL), 200, "what was changed");
    if (!same_but_links(w.t.response.body, answered))
      t_complain(plan, "%.400s is answered, %.400s is shown", answered, w.t.response.body);
  }
  t_complaints_end();
}

/* -------------------------------------------------------------------------------------------------------------- deleting */

/* A missing resource answers 404 to every method. */
TEST(every_plan, missing)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  char path[512];
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    uint64_t print;
    if (!ready(&w, plan) || !t_world_missing(&w, plan, path, sizeof path)) continue;
    print = t_world_print(&w);
    expect(&w, plan, t_world_request(&w, plan, path, w.has_body ? w.body : NULL), 404, path);
    if (t_world_print(&w) != print) t_complain(plan, "of what is not there something changes");
  }
  t_complaints_end();
}

/* Returns the number of resources in the list of the path; -1: there is no such list. */
static int64_t delete_count(t_world *w, const svc_plan *plan)
{
  char route[256], path[512];
  const svc_plan *list;
  copy_text(route, sizeof route, plan->route->path);
  copy_text(path, sizeof path, w->path);
  if (!plan->own || !strrchr(route, '/')) return -1;
  *strrchr(route, '/') = *strrchr(path, '/') = 0;
  list = t_world_plan(w, SVC_GET, route);
  if (!list || !(list->route->flags & (SVC_PAGED | SVC_BARE))) return -1;
  expect(w, list, t_world_request(w, list, path, NULL), 200, "the list");
  return list->route->flags & SVC_PAGED ? t_int(&w->t, "totalCount") : (int64_t)t_count(&w->t, "");
}

/* Returns true if the GET can show the state of a resource in deletion. A noun may show the state in a field of another name. */
static bool delete_shown(const svc_plan *get, const svc_lifecycle *life)
{
  const svc_object *object = svc_object_of(get->route->answer ? get->route->answer : get->noun->noun->object, NULL);
  const svc_field *f = svc_field_named(object, svc_str_c(life->field));
  const char *const *value = f ? f->values : NULL;
  if (object && !f) return false;
  while (value && *value && strcmp(*value, life->deleted) != 0) value++;
  return !value || *value;
}

/* Returns true if the query names what is deleted. */
static bool delete_names(const svc_plan *plan)
{
  const svc_param *p = plan->route->params;
  while (p && p->name && !(p->flags & SVC_PARAM_REQUIRED)) p++;
  return p && p->name;
}

static void delete_it(t_world *w, const svc_plan *plan)
{
  const svc_plan *get = t_world_plan(w, SVC_GET, plan->route->path);
  const svc_lifecycle *life = t_world_cancels(plan) ? NULL : plan->noun->noun->lifecycle;
  /* the delete only resets or ends the resource */
  bool stays = (t_world_always(w, plan) && !delete_names(plan)) || t_world_cancels(plan);
  int64_t count = delete_count(w, plan);
  expect(w, plan, t_world_send(w, plan), t_success(plan), "a delete");
  if (get && life && life->deleted) { /* the delete takes time */
    expect(w, get, t_world_request(w, get, w->path, NULL), 200, "while it goes");
    if (delete_shown(get, life) && strcmp(t_str(&w->t, life->field), life->deleted) != 0)
      t_complain(plan, "does not go: %.300s", w->t.response.body);
    t_advance(&w->t, 3600);
  }
  if (get) expect(w, get, t_world_request(w, get, w->path, NULL), stays ? 200 : 404, "what was deleted");
  if (count >= 0 && delete_count(w, plan) != count - (stays ? 0 : 1)) t_complain(plan, "the list is as long as before");
  expect(w, plan, t_world_send(w, plan), stays ? t_success(plan) : 404, "a second delete");
}

TEST(every_plan, delete)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++)
    if (plan->route->method == SVC_DELETE && ready(&w, plan)) delete_it(&w, plan);
  t_complaints_end();
}

/* --------------------------------------------------------------------------------------------------------------- replay */

static bool replay_masked(const svc_node *value)
{
  return value->type == SVC_J_STRING && memchr(value->text.p, '*', value->text.n);
}

/* Checks that the second answer equals the first, without its secrets. Secrets are missing or masked with asterisks, possibly
** under another name. */
static bool replay_same(const svc_node *first, const svc_node *second)
{
  const svc_node *one, *other;
  if (first->type != second->type) return false;
  if (first->type != SVC_J_OBJECT && first->type != SVC_J_ARRAY) return svc_node_same(first, second) || replay_masked(second);
  for (one = first->first, other = second->first; one || other;) {
    int order = !one ? 1 : !other ? -1 : first->type == SVC_J_ARRAY ? 0 : svc_str_order(one->name, other->name);
    if (order == 0 ? !replay_same(one, other) : order < 0 ? one->type != SVC_J_STRING : !replay_masked(other)) return false;
    if (order <= 0) one = one->next;
    if (order >= 0) other = other->next;
  }
  return true;
}

static void replay(t_world *w, const svc_plan *plan)
{
  static char first[sizeof w->body];
  svc_arena arena;
  uint64_t print;
  bool secret, same;
  t_header(&w->t, "Idempotency-Key", "one");
  expect(w, plan, t_world_send(w, plan), t_success(plan), "with a key");
  copy_text(first, sizeof first, w->t.response.body);
  secret = strcmp(t_get_header(&w->t, "Cache-Control"), "no-store") == 0;
  print = t_world_print(w);
  expect(w, plan, t_world_send(w, plan), t_success(plan), "with the same key again");
  svc_arena_init(&arena, NULL);
  same = strcmp(w->t.response.body, first) == 0 || (secret && plan->route->flags & SVC_TEXT) ||
         (secret && replay_same(svc_json_parse(&arena, svc_str_c(first)), svc_json_parse(&arena, svc_str_c(w->t.response.body))));
  if (!same) t_complain(plan, "with the same key first %.400s, then %.400s", first, w->t.response.body);
  if (t_world_print(w) != print) t_complain(plan, "with the same key again something changes");
  svc_blocks_free(arena.blocks);
}

TEST(every_plan, replay)
{
  static t_world w;
  const svc_plan *plan;
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++)
    if (plan->route->method == SVC_POST && ready(&w, plan)) replay(&w, plan);
  t_complaints_end();
}

/* --------------------------------------------------------------------------------------------------------------- memory */

/* Opens a world with a ready request. A PUT or PATCH must change something; `n` is the number of the changed field. */
static bool starve_begin(t_world *w, size_t i, const svc_plan **plan, int *n)
{
  const svc_route *r;
  bool sought = *n < 0;
  if (!begin(w, i, plan)) return false;
  r = (*plan)->route;
  if (!ready(w, *plan)) return t_world_close(w), false;
  if ((r->method != SVC_PATCH && r->method != SVC_PUT) || r->example) return true;
  if (!change_ready(w, *plan, n)) return t_world_close(w), false; /* every_plan/change complains */
  if (!sought) return true;
  t_world_close(w); /* the search made the change already */
  return starve_begin(w, i, plan, n);
}

static size_t plan_total(void)
{
  static t_world w;
  size_t n;
  t_world_open(&w);
  n = w.t.s->plan_count;
  t_world_close(&w);
  return n;
}

/* Returns the number of allocated blocks. First frees the handle's cached results, which are no leak. */
static long live_blocks(t_world *w)
{
  svc_kept_close(w->t.s);
  munit_assert_int(svc_kept_open(w->t.s), ==, SVC_OK);
  return w->memory.live;
}

/* An allocation of the request's arena fails, and the allocations after it succeed: each of the first hundred in turn, then some of the
** others. */
TEST(every_plan, allocation)
{
  static t_world w;
  const svc_plan *plan;
  size_t i, total = plan_total();
  for (i = 0; i < total; i++) {
    int which = -1;
    bool done = false;
    long n;
    if (!starve_begin(&w, i, &plan, &which)) continue;
    for (n = 1; !done; n += 1 + n / 100) {
      const char *key = plan->route->method == SVC_POST ? "one" : NULL;
      const svc_request *request = t_world_raw(&w, plan, key);
      uint64_t print = t_world_print(&w);
      svc_response response;
      long live = live_blocks(&w);
      int rc;
      munit_assert_long(n, <, 100000);
      t_arena_fail(n);
      rc = svc_handle_request(w.t.s, request, &response);
      t_arena_fail(0);
      done = t_memory_sufficed(rc, &response);
      if (done && response.status != t_success(plan))
        t_complain(plan, "without failure %ld: %d %.300s", n, response.status, response.body);
      svc_response_free(&response);
      munit_assert_long(live_blocks(&w), ==, live);
      if (done || t_world_whole(&w, plan, print, key)) continue;
      t_world_close(&w);
      munit_assert_true(starve_begin(&w, i, &plan, &which));
    }
    munit_assert_long(n, >, 2); /* every request needs memory */
    t_world_close(&w);
  }
  t_complaints_end();
}

/* Memory runs out at many points of the request, not only when the allocator is called. */
TEST(every_plan, room)
{
  static t_world w;
  const svc_plan *plan;
  size_t i, total = plan_total();
  for (i = 0; i < total; i++) {
    int which = -1;
    size_t room = 0;
    bool done = false;
    if (!starve_begin(&w, i, &plan, &which)) continue;
    for (; !done; room += 72 + room / 16 / 8 * 8) {
      const char *key = plan->route->method == SVC_POST ? "one" : NULL;
      uint64_t print = t_world_print(&w);
      svc_response response;
      svc_arena arena;
      munit_assert_size(room, <, T_MOST_ROOM);
      done = t_handle_within(&w.t, &w.memory, t_world_raw(&w, plan, key), room, &response, &arena) == SVC_OK;
      if (done && response.status != t_success(plan))
        t_complain(plan, "with %zu bytes: %d %.300s", room, response.status, response.body);
      svc_blocks_free(arena.blocks);
      if (done || t_world_whole(&w, plan, print, key)) continue;
      t_world_close(&w);
      munit_assert_true(starve_begin(&w, i, &plan, &which));
    }
    t_world_close(&w);
  }
  t_complaints_end();
}

/* Sends one request with the n-th call of this kind (malloc and similar, or another) failing. *hits: number of failed calls.
** Returns false if the world has changed, so that the next request needs another world. */
static bool fault_one(t_world *w, const svc_plan *plan, enum t_call call, long n, bool for_good, long *hits)
{
  const char *key = plan->route->method == SVC_POST ? "one" : NULL;
  const svc_request *request = t_world_raw(w, plan, key);
  uint64_t print = t_world_print(w);
  svc_response response;
  long live = w->memory.live;
  bool sufficed;
  int rc;
  t_fault(call, n, ENOMEM, for_good);
  rc = svc_handle_request(w->t.s, request, &response);
  *hits = t_fault_end();
  sufficed = t_memory_sufficed(rc, &response);
  if (sufficed && response.status != t_success(plan)) t_complain(plan, "without call %ld: %d %.300s", n, response.status, response.body);
  svc_response_free(&response);
  /* the caller may be cached now */
  if (w->memory.live > live + 2) t_complain(plan, "without call %ld: %ld blocks more than before", n, w->memory.live - live);
  return sufficed ? t_world_print(w) == print : t_world_whole(w, plan, print, key);
}

/* Every call of this kind fails in turn, alone and with all later calls, on every step-th route. Returns the number of requests with a
** failed call. */
static long every_fault(enum t_call call, size_t first, size_t step)
{
  static t_world w;
  const svc_plan *plan;
  size_t i, total = plan_total();
  long n, hits, tried = 0;
  int mode;
  for (i = first; i < total; i += step)
    for (mode = 0; mode < 2; mode++) {
      int which = -1;
      if (!starve_begin(&w, i, &plan, &which)) break;
      for (n = 1, hits = 1; hits; n++) {
        munit_assert_long(n, <, 10000);
        if (!fault_one(&w, plan, call, n, mode == 1, &hits) && hits) {
          t_world_close(&w);
          munit_assert_true(starve_begin(&w, i, &plan, &which));
        }
        tried += hits > 0;
      }
      t_world_close(&w);
    }
  t_complaints_end();
  return tried;
}

/* Calls of malloc by the library's allocator, LMDB and mbedTLS fail: with SVC_TEST_ALL on all routes, otherwise on every eighth route. */
TEST(every_plan, malloc)
{
  const bool all = getenv("SVC_TEST_ALL") != NULL;
  long tried = every_fault(T_CALL_MEMORY, all ? 0 : 3, all ? 1 : 8);
  fprintf(stderr, "memory: %ld requests with a call of malloc that fails\n", tried);
  munit_assert_long(tried, >, 100);
}

/* A failing hash or cipher, as with a broken crypto chip: nothing is done with an invalid result. */
TEST(every_plan, hash)
{
  munit_assert_long(every_fault(T_CALL_CRYPTO, 0, 1), >, 100);
}

/* ----------------------------------------------------------------------------------------------------------- malformed */

/* Writes the path with this text as its n-th parameter. Returns false if there are fewer parameters. */
static bool malformed_path(const t_world *w, const svc_plan *plan, unsigned n, const char *text, char *out, size_t size)
{
  const char *p = plan->route->path, *at = w->path;
  size_t length = 0;
  bool done = false;
  while (*p && length + strlen(text) + 2 < size) {
    size_t part = strcspn(p + 1, "/") + 1, own = strcspn(at + 1, "/?") + 1;
    const char *open = memchr(p, '{', part), *verb = open ? memchr(open, ':', part - (size_t)(open - p)) : NULL;
    if (open && n-- == 0) {
      length += (size_t)snprintf(out + length, size - length, "/%s%.*s", text, verb ? (int)(p + part - verb) : 0, verb ? verb : "");
      done = true;
    } else {
      length += (size_t)snprintf(out + length, size - length, "%.*s", (int)own, at);
    }
    p += part;
    at += own;
  }
  snprintf(out + length, size - length, "%s", at);
  return done;
}

/* No text as a path parameter causes a failure, and none of these texts names the first resource of a path. */
TEST(every_plan, malformed)
{
  static const char *const texts[] = { "xyz", "0123456789abcdef01234567", "a%00b", "%7B%7D" };
  static t_world w;
  const svc_plan *plan;
  char path[1024];
  size_t i, k;
  unsigned n;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    if (!plan->param_count || !ready(&w, plan)) continue;
    for (n = 0; n < plan->param_count; n++)
      for (k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        int status;
        if (!malformed_path(&w, plan, n, texts[k], path, sizeof path)) continue;
        status = t_send(&w.t, t_method(plan), path, w.has_body ? w.body : NULL);
        if (status >= 500 || (status < 300 && plan->hop_count && plan->hops[0].param == n)) t_complain(plan, "%s: %d %.200s", path, status, w.t.response.body);
      }
  }
  t_complaints_end();
}

/* ------------------------------------------------------------------------------------------------------------ envelope */

/* Every JSON answer can be requested in an envelope, which has the status of the answer. */
TEST(every_plan, envelope)
{
  static t_world w;
  const svc_plan *plan;
  char path[1024];
  size_t i;
  for (i = 0; begin(&w, i, &plan); t_world_close(&w), i++) {
    if (svc_route_ext_of(plan->route)->media || !ready(&w, plan)) continue;
    snprintf(path, sizeof path, "%s%cenvelope=true", w.path, strchr(w.path, '?') ? '&' : '?');
    expect(&w, plan, t_send(&w.t, t_method(plan), path, w.has_body ? w.body : NULL), t_success(plan), "in an envelope");
    if (w.t.response.body_length == 0) continue;
    if (w.t.body->type != SVC_J_OBJECT || svc_node_i64(w.t.body, "status", 0) != w.t.response.status ||
        (!svc_node_get(w.t.body, "content") && !svc_node_get(w.t.body, "results")))
      t_complain(plan, "stays bare: %.200s", w.t.response.body);
  }
  t_complaints_end();
}

/* ---------------------------------------------------------------------------------------------------------- references */

#define REF_GROUP "/groups/{groupId}"

/* Returns how a resource of the noun is created (T_TARGET). Of several, the one of this number, from 1. */
static const t_need *ref_target_of(const char *noun, int which)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_TARGET)) != NULL)
    if (strcmp(need->noun, noun) == 0 && --which <= 0) return need;
  munit_errorf("no target is known for a reference to a %s: give its test a T_TARGET", noun);
  return NULL;
}

/* Returns the request that names a target in this field (T_REFERENCE). */
static const t_need *ref_request_of(const svc_noun *noun, const svc_ref *ref)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_REFERENCE)) != NULL)
    if (strcmp(need->noun, noun->name) == 0 && strcmp(need->field, ref->field) == 0) return need;
  munit_errorf("no request is known that names a %s by %s of a %s: give its test a T_REFERENCE", ref->noun, ref->field, noun->name);
  return NULL;
}

/* A reference to be created. */
typedef struct ref_case {
  t_world w;
  const svc_noun_info *noun, *to;
  const svc_ref *ref;
  const t_need *request, *target; /* T_REFERENCE, T_TARGET */
  const svc_plan *plan; /* of the request */
  char value[160], removal[512], above[256];
} ref_case;

/* Replaces %G by the project, %V by the target's id, %C by an existing cluster. */
static void ref_text(const char *format, const char *group, const char *value, char *out, size_t size)
{
  size_t n = 0;
  for (; *format; format++) {
    const char *text = format[0] != '%' ? NULL : format[1] == 'G' ? group : format[1] == 'V' ? value : format[1] == 'C' ? "Spare" : NULL;
    munit_assert_size(n + 200, <, size);
    if (text) n += (size_t)snprintf(out + n, size - n, "%s", text), format++;
    else out[n++] = *format;
  }
  out[n] = 0;
}

static void ref_wait(ref_case *r)
{
  t_advance(&r->w.t, 3600);
  munit_assert_int(svc_tick(r->w.t.s), ==, SVC_OK);
}

static void ref_fault(void *context, const char *text)
{
  ref_case *r = context;
  t_complain(r->plan, "%s names a %s: %s", r->ref->field, r->ref->noun, text);
}

static void ref_whole(ref_case *r)
{
  if (svc_check_store(r->w.t.s, ref_fault, r) != SVC_OK) t_complain(r->plan, "%s: the store is damaged", r->ref->field);
}

static bool ref_take(void *context, const svc_node *value)
{
  ref_case *r = context;
  snprintf(r->value, sizeof r->value, SVC_FMT, SVC_ARG(value->text));
  return true;
}

/* Creates the target in this project. */
static void ref_make_in(ref_case *r, const t_need *target, const char *group)
{
  const svc_plan *maker = t_world_plan(&r->w, SVC_POST, target->path);
  const char *below = target->path + strlen(REF_GROUP);
  if (t_sendf(&r->w.t, "POST", target->body ? target->body : maker->route->example, "/groups/%s%s", group, below) >= 300)
    munit_errorf("%s is not made: %s", target->noun, r->w.t.response.body);
  snprintf(r->value, sizeof r->value, "%s", t_str(&r->w.t, target->field));
  if (target->change && t_sendf(&r->w.t, "PATCH", target->change, "/groups/%s%s/%s", group, below, r->value) != 200)
    munit_errorf("%s is of no use: %s", target->noun, r->w.t.response.body);
  ref_wait(r);
}

/* Creates a cluster next to the target, if the request needs one. */
static void ref_spare(ref_case *r, const char *group)
{
  if (strstr(r->request->body, "%C") || r->request->parent)
    munit_assert_int(t_sendf(&r->w.t, "POST", T_CLUSTER("Spare"), "/groups/%s/clusters", group), ==, 201);
  ref_wait(r);
}

static void ref_make(ref_case *r)
{
  const svc_plan *maker = t_world_plan(&r->w, SVC_POST, r->target->path);
  if (r->target->body) {
    ref_make_in(r, r->target, r->w.group);
    return;
  }
  if (!t_world_ready(&r->w, maker) || t_world_send(&r->w, maker) >= 300) munit_errorf("%s is not made: %s", r->target->noun, r->w.why);
  snprintf(r->value, sizeof r->value, "%s", t_str(&r->w.t, r->target->field));
  ref_wait(r);
}

/* Sets the body that creates the parent of the request's path, if the row has one. The parent's path ends before the last parameter. */
static void ref_parent(ref_case *r)
{
  const char *path = r->request->path, *last = strrchr(path, '{');
  snprintf(r->above, sizeof r->above, "%.*s", last ? (int)(last - path) - 1 : 0, path);
  r->w.instead_of = r->request->parent ? r->above : NULL;
  r->w.instead = r->request->parent;
}

/* Opens a world with the target, and with the request that names it in w->path and w->body. */
static void ref_begin(ref_case *r, size_t noun, size_t row)
{
  char body[4096];
  svc_arena arena;
  t_world_open(&r->w);
  r->noun = &r->w.t.s->nouns[noun];
  r->ref = &r->noun->noun->refs[row];
  r->to = svc_noun_named(r->w.t.s, r->ref->noun);
  r->request = ref_request_of(r->noun->noun, r->ref);
  r->target = ref_target_of(r->ref->noun, r->request->which);
  r->plan = t_world_plan(&r->w, r->request->method, r->request->path);
  munit_assert_not_null(r->plan);
  if (r->request->body) {
    ref_make(r);
    ref_spare(r, r->w.group);
    ref_parent(r);
    ref_text(r->request->body, r->w.group, r->value, body, sizeof body);
    if (!t_world_path(&r->w, r->plan, r->w.path, sizeof r->w.path)) munit_errorf("not ready: %s", r->w.why);
    snprintf(r->w.body, sizeof r->w.body, "%s", body);
    r->w.has_body = true;
    ref_wait(r);
  } else { /* the world created the resource that the example names */
    if (!t_world_ready(&r->w, r->plan)) munit_errorf("not ready: %s", r->w.why);
    svc_arena_init(&arena, NULL);
    svc_each_value(svc_json_parse(&arena, svc_str_c(r->w.body)), r->ref->field, ref_take, r);
    svc_blocks_free(arena.blocks);
  }
  munit_assert_size(strlen(r->value), >, 0);
  ref_text(r->target->value, r->w.group, r->value, r->removal, sizeof r->removal);
}

static void ref_named(ref_case *r)
{
  int status = t_send(&r->w.t, t_method(r->plan), r->w.path, r->w.body);
  if (status >= 300) t_complain(r->plan, "%s cannot name a %s: %d %.300s", r->ref->field, r->ref->noun, status, r->w.t.response.body);
}

static void ref_not_named(ref_case *r, const char *when)
{
  int status = t_send(&r->w.t, t_method(r->plan), r->w.path, r->w.body);
  if (status < 400 || status >= 500) t_complain(r->plan, "%s names a %s that is %s: %d", r->ref->field, r->ref->noun, when, status);
  ref_whole(r);
}

/* Returns true if a row of this field requires an existing target. */
static bool ref_must_be(const ref_case *r)
{
  const svc_ref *ref;
  for (ref = r->noun->noun->refs; ref->field; ref++)
    if (strcmp(ref->field, r->ref->field) == 0 && ref->err_missing) return true;
  return false;
}

/* A target that is in deletion or deleted cannot be named by a new request. */
static void ref_try_going(ref_case *r)
{
  const svc_lifecycle *life = r->to->noun->lifecycle;
  int status = t_send(&r->w.t, "DELETE", r->removal, NULL);
  if (status >= 300) t_complain(r->plan, "a %s that nobody names stays: %d %.300s", r->ref->noun, status, r->w.t.response.body);
  if (life && life->deleted) ref_not_named(r, "being deleted");
  ref_wait(r);
  ref_whole(r);
  if (ref_must_be(r)) ref_not_named(r, "gone");
}

/* Returns this noun's error for the deletion of a named target. */
static int ref_locked(const ref_case *r)
{
  const svc_ref *ref;
  for (ref = r->noun->noun->refs; ref->field; ref++)
    if (strcmp(ref->noun, r->ref->noun) == 0 && ref->err_locked) return ref->err_locked;
  return SVC_E_NONE;
}

/* If the noun has an error for that, a named target cannot be deleted. Otherwise the target is deleted, and the store is consistent. */
static void ref_try_named(ref_case *r)
{
  int status, locked = ref_locked(r);
  ref_named(r);
  ref_wait(r);
  status = t_send(&r->w.t, "DELETE", r->removal, NULL);
  if (locked ? status < 400 || strcmp(t_error(&r->w.t), svc_error_name(locked)) != 0 : status >= 300)
    t_complain(r->plan, "a %s is deleted while %s names it: %d %.300s", r->ref->noun, r->ref->field, status, r->w.t.response.body);
  ref_wait(r);
  ref_whole(r);
}

typedef struct ref_erase {
  svc_job job; /* first: jobs are cast to this struct */
  ref_case *r;
} ref_erase;

static bool ref_erase_work(svc_job *job, svc_txn *txn)
{
  ref_case *r = ((ref_erase *)job)->r;
  const svc_noun *n = r->to->noun;
  svc_id group, id;
  svc_arena arena;
  svc_entity e;
  svc_call c;
  bool good;
  svc_service_call(&c, r->w.t.s, &arena, txn, r->w.t.now);
  munit_assert_true(svc_id_parse(svc_str_c(r->w.group), &group));
  if (svc_id_parse(svc_str_c(r->value), &id)) munit_assert_int(svc_entity_get(txn, n->kind, &group, &id, &e), ==, SVC_OK);
  else munit_assert_int(svc_entity_named(txn, n->kind, svc_noun_ext_of(n)->names, &group, svc_str_c(r->value), &e), ==, SVC_OK);
  svc_scope_enter(&c, &e);
  good = svc_erase(&c, r->to, &e);
  svc_blocks_free(arena.blocks);
  return good;
}

/* A named target is deleted anyway, as older versions allowed: afterwards the store has no reference to it. */
static void ref_try_lost(ref_case *r)
{
  ref_erase work = { { 0 }, r };
  ref_named(r);
  ref_wait(r);
  work.job.work = ref_erase_work;
  work.job.now = r->w.t.now;
  munit_assert_int(svc_commit_run(&r->w.t.s->commit, &work.job), ==, SVC_OK);
  ref_whole(r);
}

static int ref_migrate(ref_case *r, const char *group)
{
  char body[64];
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", r->w.other_org);
  return t_sendf(&r->w.t, "POST", body, "/groups/%s:migrate", group);
}

/* A reference within a project moves with the project. */
static void ref_try_move(ref_case *r)
{
  ref_named(r);
  ref_wait(r);
  if (ref_migrate(r, r->w.group) != 200)
    t_complain(r->plan, "%s: its project does not move: %.300s", r->ref->field, r->w.t.response.body);
  ref_whole(r);
}

/* A reference into another project prevents the move of both. */
static void ref_try_cross(ref_case *r)
{
  const char *other;
  char *end;
  if (!strchr(r->ref->field, '@') || !r->ref->err_locked) return;
  munit_assert_int(t_sendf(&r->w.t, "PATCH", "{\"streamsCrossGroupEnabled\":true}", "/orgs/%s/settings", r->w.org), ==, 200);
  other = t_project(&r->w.t, r->w.org, "beta");
  ref_make_in(r, r->target, other);
  ref_spare(r, other);
  ref_wait(r);
  ref_text(r->request->body, r->w.group, r->value, r->w.body, sizeof r->w.body);
  end = r->w.body + strlen(r->w.body) - 1;
  sprintf(end, ",\"clusterGroupId\":\"%s\"}", other);
  ref_named(r);
  ref_wait(r);
  if (ref_migrate(r, r->w.group) != 409 || strcmp(t_error(&r->w.t), "CANNOT_MOVE_GROUP_WITH_REFERENCES") != 0 ||
      !strstr(t_str(&r->w.t, "detail"), r->noun->noun->name))
    t_complain(r->plan, "%s leads out of a project that moves: %.300s", r->ref->field, r->w.t.response.body);
  if (ref_migrate(r, other) != 409 || strcmp(t_error(&r->w.t), "CANNOT_MOVE_GROUP_WITH_REFERENCES") != 0)
    t_complain(r->plan, "%s leads into a project that moves: %.300s", r->ref->field, r->w.t.response.body);
  ref_whole(r);
}

TEST(every_plan, reference)
{
  static void (*const tries[])(ref_case *r) = { ref_try_going, ref_try_named, ref_try_lost, ref_try_move, ref_try_cross };
  static ref_case r;
  size_t i, k, row, nouns, tried = 0;
  const svc_noun *const *all = svc_catalog_all(&nouns);
  for (i = 0; i < nouns; i++)
    for (row = 0; all[i]->refs && all[i]->refs[row].field; row++)
      for (k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        ref_begin(&r, i, row);
        tries[k](&r);
        t_world_close(&r.w);
        tried++;
      }
  t_complaints_end();
  munit_assert_size(tried, >, 100);
}
