/*
** Every resource can be in a world: each POST of the catalog, with its example, is turned into a document, and an empty store
** loads it.
**
** test/world.c creates what a request needs. The test records all these writes and turns them into a world, in the same order. A
** resource is nested in the resource created just before it if its path continues that resource's path. Otherwise it is in an "at" step
** for its parent. Ids are references. Every POST must be loadable, including those of new nouns. Exceptions are absolute paths, data
** that only a driver knows, and operations past their sunset.
*/
#include "control/world_parts.h"
#include "world.h"

#define EVERY_MOST 64
#define EVERY_BASE 5 /* resources of every document: two organizations, a project, two people */

#define EVERY_USER(name) \
  "{\"as\":\"" name "\",\"username\":\"" name "@example.com\",\"password\":\"correct horse\",\"firstName\":\"Ada\",\"lastName\":\"Byron\"," \
  "\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[{\"orgId\":\"$acme.id\",\"roleName\":\"ORG_MEMBER\"}]}"

typedef struct every_write {
  svc_str method, path, body;
  const svc_plan *plan;
  svc_node *answer;
  int64_t now;
  svc_str thing; /* the path of the created resource; n 0: none */
  char handle[16];
  svc_node *element; /* in the document */
} every_write;

typedef struct every_record {
  t_world *w;
  svc_arena arena;
  every_write writes[EVERY_MOST];
  size_t count;
  bool timed;   /* the document moves the clock as the recording did */
  bool as_acts; /* a POST whose path has no list is written as an action on a resource, not as an item */
  svc_node *steps;
  int64_t now;
} every_record;

/* ----------------------------------------------------------------------------------------------------------- recording */

static void every_sent(void *context, const char *method, const char *target, const char *body)
{
  every_record *x = context;
  every_write *one = &x->writes[x->count];
  t_service *t = &x->w->t;
  svc_str path = svc_arena_copy(&x->arena, svc_str_c(target)), key, self;
  if (strcmp(method, "GET") == 0 || t->response.status >= 300) return;
  munit_assert_size(x->count, <, EVERY_MOST);
  x->count++;
  path = (svc_str){ path.p + t->s->base_path.n, path.n - t->s->base_path.n };
  *one = (every_write){ .method = svc_arena_copy(&x->arena, svc_str_c(method)), .path = svc_str_cut(&path, '?'), .now = t->now };
  one->body = body ? svc_arena_copy(&x->arena, svc_str_c(body)) : SVC_S("");
  one->answer = t->body ? svc_node_copy(&x->arena, t->body) : NULL;
  snprintf(one->handle, sizeof one->handle, "w%zu", x->count);
  if (!svc_str_is(one->method, "POST")) return;
  one->plan = svc_world_plan(t->s, SVC_POST, one->path);
  munit_assert_not_null(one->plan);
  self = t_self(one->answer);
  if (self.n > t->s->base_url.n + t->s->base_path.n) {
    one->thing = (svc_str){ self.p + t->s->base_url.n + t->s->base_path.n, self.n - t->s->base_url.n - t->s->base_path.n };
    return;
  }
  key = svc_world_key(&x->arena, one->plan->noun->noun->key ? one->plan->noun->noun->key : "id", one->answer);
  if (key.n) one->thing = svc_arena_print(&x->arena, SVC_FMT "/" SVC_FMT, SVC_ARG(one->path), SVC_ARG(key));
}

/* ----------------------------------------------------------------------------------------------------------- references */

/* Returns the field of an answer that has this value: "id", "roleId". NULL: none. */
static const svc_node *every_field(const svc_node *answer, svc_str value)
{
  const svc_node *m = answer ? answer->first : NULL;
  while (m && !(m->type == SVC_J_STRING && svc_str_eq(m->text, value))) m = m->next;
  return m && answer->type == SVC_J_OBJECT ? m : NULL;
}

static svc_str every_reference(every_record *x, size_t before, svc_str value)
{
  svc_id id;
  size_t i;
  if (svc_str_is(value, x->w->org)) return SVC_S("$acme.id");
  if (svc_str_is(value, x->w->other_org)) return SVC_S("$other.id");
  if (svc_str_is(value, x->w->group)) return SVC_S("$alpha.id");
  if (svc_str_is(value, x->w->user)) return SVC_S("$bob.id");
  for (i = before; i-- > 0 && (svc_id_parse(value, &id) || value.n > 20);) {
    const svc_node *f = x->writes[i].element ? every_field(x->writes[i].answer, value) : NULL;
    if (f) return svc_arena_print(&x->arena, "$%s." SVC_FMT, x->writes[i].handle, SVC_ARG(f->name));
  }
  if (value.n && value.p[0] == '$') return svc_arena_print(&x->arena, "$" SVC_FMT, SVC_ARG(value));
  return value;
}

static void every_refer(every_record *x, size_t before, svc_node *node)
{
  svc_node *m;
  if (node->type == SVC_J_STRING) node->text = every_reference(x, before, node->text);
  for (m = node->first; m; m = m->next) every_refer(x, before, m);
}

/* ------------------------------------------------------------------------------------------------------------ documents */

static svc_node *every_member(every_record *x, svc_node *object, int type, svc_str name)
{
  svc_node *m = svc_node_new(&x->arena, type, name, SVC_S(""));
  svc_node_append(object, m);
  return m;
}

static svc_node *every_step(every_record *x, const char *verb, svc_str value)
{
  svc_node *step = every_member(x, x->steps, SVC_J_OBJECT, SVC_S(""));
  every_member(x, step, SVC_J_STRING, svc_str_c(verb))->text = value;
  return step;
}

/* Finds the parent of a path among the resources created before. Returns how many bytes of the path name the parent, and its handle. */
static size_t every_above(const every_record *x, size_t before, svc_str path, const char **handle, svc_node **element)
{
  char fixed[2][64];
  static const char *const names[] = { "acme", "alpha" };
  size_t n = 0, i;
  snprintf(fixed[0], sizeof fixed[0], "/orgs/%s", x->w->org);
  snprintf(fixed[1], sizeof fixed[1], "/groups/%s", x->w->group);
  *handle = NULL;
  *element = NULL;
  for (i = 0; i < 2 + before; i++) {
    svc_str at = i < 2 ? svc_str_c(fixed[i]) : x->writes[i - 2].thing;
    if (at.n <= n || at.n >= path.n || memcmp(at.p, path.p, at.n) != 0 || !strchr("/:", path.p[at.n])) continue;
    n = at.n;
    *handle = i < 2 ? names[i] : x->writes[i - 2].handle;
    *element = i >= 2 && i == before + 1 ? x->writes[i - 2].element : NULL; /* created last: more can be nested in it */
  }
  return n;
}

static svc_node *every_body(every_record *x, size_t i)
{
  every_write *one = &x->writes[i];
  svc_node *body = one->body.n ? svc_json_parse(&x->arena, one->body) : svc_node_object(&x->arena, NULL);
  body = svc_node_copy(&x->arena, body);
  every_refer(x, i, body);
  return body;
}

static void every_post(every_record *x, size_t i)
{
  every_write *one = &x->writes[i];
  const char *handle;
  svc_node *into, *body = every_body(x, i), *list, *as;
  size_t n = every_above(x, i, one->path, &handle, &into);
  svc_str name = { one->path.p + n + (n < one->path.n && one->path.p[n] == '/'), 0 };
  const svc_plan *lister = t_world_plan(x->w, SVC_GET, one->plan->route->path);
  bool listed = lister && lister->route->flags & (SVC_PAGED | SVC_BARE), array = listed || (one->plan->item && !one->plan->own && !x->as_acts);
  name.n = one->path.n - (size_t)(name.p - one->path.p);
  if (!n) { /* at the top level there is no collection for an "at" step */
    svc_node *step = every_step(x, "post", one->path);
    body->name = SVC_S("body");
    svc_node_append(step, body);
    return;
  }
  if (!into || x->timed || svc_node_find(into, name)) into = every_step(x, "at", svc_arena_print(&x->arena, "$%s", handle));
  list = array ? every_member(x, into, SVC_J_ARRAY, name) : NULL;
  if (body->type == SVC_J_ARRAY) body = body->first;
  body->next = NULL;
  one->element = svc_node_object(&x->arena, NULL);
  as = every_member(x, one->element, SVC_J_STRING, SVC_S("as"));
  as->text = svc_str_c(one->handle);
  body->name = SVC_S("body");
  svc_node_append(one->element, body);
  if (!array) one->element->name = name;
  if (!array) svc_node_drop(one->element, "as");
  svc_node_append(array ? list : into, one->element);
}

static void every_write_down(every_record *x, size_t i)
{
  static const char *const verbs[][2] = { { "PATCH", "patch" }, { "PUT", "put" }, { "DELETE", "delete" } };
  every_write *one = &x->writes[i];
  const char *handle;
  svc_node *into, *step, *body;
  size_t n, v = 0;
  if (x->timed && one->now > x->now)
    every_step(x, "advance", svc_arena_print(&x->arena, "PT%lldS", (long long)((one->now - x->now) / 1000)));
  x->now = one->now;
  if (svc_str_is(one->method, "POST")) {
    every_post(x, i);
    return;
  }
  while (!svc_str_is(one->method, verbs[v][0])) v++;
  n = every_above(x, i, (svc_str){ svc_arena_print(&x->arena, SVC_FMT "/", SVC_ARG(one->path)).p, one->path.n + 1 }, &handle, &into);
  step = every_step(x, verbs[v][1], n ? svc_arena_print(&x->arena, "$%s%.*s", handle, (int)(one->path.n - n), one->path.p + n) : one->path);
  if (!one->body.n) return;
  body = every_body(x, i);
  body->name = SVC_S("body");
  svc_node_append(step, body);
}

static svc_str every_document(every_record *x, int64_t start, bool timed, bool as_acts)
{
  static const char base[] = "{\"world\":1,\"orgs\":[{\"as\":\"other\",\"name\":\"Other\"},{\"as\":\"acme\",\"name\":\"Acme\",\"groups\":["
    "{\"as\":\"alpha\",\"name\":\"alpha\",\"withDefaultAlertsSettings\":false}]}],\"users\":[" EVERY_USER("ada") "," EVERY_USER("bob") "],\"then\":";
  svc_buf b = svc_buf_new(&x->arena, 4096);
  size_t i;
  x->steps = svc_node_array(&x->arena, NULL);
  x->timed = timed;
  x->as_acts = as_acts;
  x->now = start;
  for (i = 0; i < x->count; i++) every_write_down(x, i);
  svc_buf_text(&b, base);
  svc_node_write(&b, x->steps);
  svc_buf_char(&b, '}');
  return svc_buf_done(&b);
}

/* ----------------------------------------------------------------------------------------------------------------- test */

/* Loads the document into an empty store. Returns NULL on success, else the reason. */
static const char *every_load(every_record *x, svc_str document)
{
  svc_config config = { .manual_clock = T_START, .limiter_off = 1 };
  const svc_node *report;
  svc_response r;
  t_service t;
  int64_t done;
  const char *why = NULL;
  int rc;
  t_open(&t, &config);
  rc = svc_world_apply(t.s, document.p, document.n, &r);
  report = svc_node_copy(&x->arena, svc_json_parse(&x->arena, svc_arena_copy(&x->arena, svc_str_c(r.body))));
  done = svc_node_i64(report, "made", 0) + svc_node_i64(report, "changed", 0);
  if (rc != SVC_OK) why = svc_node_str(report, "detail").p;
  else if (done != EVERY_BASE + (int64_t)x->count)
    why = svc_arena_print(&x->arena, "%lld of %d writes were done", (long long)done, EVERY_BASE + (int)x->count).p;
  svc_response_free(&r);
  t_close(&t);
  return why;
}

/* Tries the forms of the document until one loads; the plain form is first. */
static void every_try(every_record *x, const svc_plan *plan, int64_t start, size_t forms[4])
{
  const char *why = "";
  svc_str document = SVC_S("");
  int form;
  for (form = 0; form < 4 && why; form++) {
    document = every_document(x, start, form % 2 == 1, form / 2 == 1);
    why = every_load(x, document);
    forms[form] += !why;
  }
  if (why) t_complain(plan, "%s\n  %.900s", why, strstr(document.p, "\"then\":"));
}

TEST(world_every, post)
{
  static t_world w;
  static every_record x;
  size_t i, count = 1, tried = 0, forms[4] = { 0 };
  for (i = 0; i < count; i++) {
    const svc_plan *plan;
    int64_t start;
    t_world_open(&w);
    count = w.t.s->plan_count;
    plan = &w.t.s->plans[i];
    memset(&x, 0, sizeof x);
    svc_arena_init(&x.arena, NULL);
    x.w = &w;
    w.t.sent = every_sent;
    w.t.sent_context = &x;
    start = w.t.now;
    if (plan->route->method == SVC_POST && !(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&w.t, plan)) {
      tried++;
      if (!t_world_ready(&w, plan)) t_complain(plan, "not ready: %s", w.why);
      else if (t_world_send(&w, plan) != t_success(plan)) t_complain(plan, "%.300s", w.t.response.body);
      else every_try(&x, plan, start, forms);
    }
    w.t.sent = NULL;
    svc_blocks_free(x.arena.blocks);
    t_world_close(&w);
  }
  t_complaints_end();
  munit_logf(MUNIT_LOG_INFO, "%zu routes: %zu plain, %zu with time between, %zu as acts, %zu as both", tried, forms[0], forms[1], forms[2], forms[3]);
  munit_assert_size(tried, >, 80);
  munit_assert_size(forms[0], >, tried * 8 / 10);
}
