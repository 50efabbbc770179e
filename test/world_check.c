/*
** Checks answers against the tables: every member is in the table, with its type, format and values, and each resource has a link
** to itself.
*/
#include "world.h"

svc_str t_self(const svc_node *body)
{
  const svc_node *list = svc_node_get(body, "links"), *item;
  for (item = list ? list->first : NULL; item; item = item->next)
    if (svc_str_is(svc_node_str(item, "rel"), "self")) return svc_node_str(item, "href");
  return SVC_S("");
}

static void check_object(const svc_plan *plan, const svc_object *object, const svc_node *body, const char *at);

static bool check_in(const char *const *values, svc_str text)
{
  for (; *values; values++)
    if (svc_str_is(text, *values)) return true;
  return false;
}

static void check_string(const svc_plan *plan, const svc_field *f, svc_str text, const char *at)
{
  int64_t length = (int64_t)svc_utf8_length(text);
  if (f->values && !(f->flags & SVC_OPEN) && !check_in(f->values, text))
    t_complain(plan, "%s is " SVC_FMT ", which its values do not have", at, SVC_ARG(text));
  if (f->format && !svc_format_check(f->format, text))
    t_complain(plan, "%s is " SVC_FMT ", not %s", at, SVC_ARG(text), svc_format_name(f->format));
  if (f->pattern && !svc_pattern_match(f->pattern, text))
    t_complain(plan, "%s is " SVC_FMT ": not as its pattern says", at, SVC_ARG(text));
  if (length < f->min || (f->max && length > f->max)) t_complain(plan, "%s has %lld characters", at, (long long)length);
}

static void check_value(const svc_plan *plan, const svc_field *f, int type, const svc_node *value, const char *at)
{
  static const int json[] = { SVC_J_STRING, SVC_J_NUMBER, SVC_J_NUMBER, SVC_J_NUMBER, SVC_J_BOOL,
                              SVC_J_STRING, SVC_J_OBJECT, SVC_J_ARRAY,  SVC_J_OBJECT, 0 };
  int64_t whole = 0;
  double number = 0;
  char date[21];
  if (type == SVC_ANY || type == SVC_NAME) return;
  if (value->type == SVC_J_NULL && f->flags & SVC_NULLABLE && f->flags & SVC_READ_ONLY) return; /* a gap in a series */
  if (value->type == SVC_J_NULL && f->flags & SVC_NULLABLE && f->preset && strcmp(f->preset, "null") == 0) return; /* the default */
  if (value->type != json[type]) {
    t_complain(plan, "%s has another type than its row says", at);
    return;
  }
  switch (type) {
  case SVC_STRING: check_string(plan, f, value->text, at); break;
  case SVC_DATE:
    if (svc_date_parse(value->text, &whole)) svc_date_text(whole, date);
    else date[0] = 0;
    if (!svc_str_is(value->text, date)) t_complain(plan, "%s is " SVC_FMT ", no date as it is served", at, SVC_ARG(value->text));
    break;
  case SVC_INT32:
  case SVC_INT64:
    if (!svc_json_number_i64(value->text, &whole)) t_complain(plan, "%s is no integer", at);
    /* fall through */
  case SVC_NUMBER:
    svc_json_number_double(value->text, &number);
    if ((f->flags & SVC_MIN && number < (double)svc_field_min(f)) || (f->flags & SVC_MAX && number > (double)svc_field_max(f)))
      t_complain(plan, "%s is " SVC_FMT ", out of its bounds", at, SVC_ARG(value->text));
    break;
  case SVC_OBJECT: check_object(plan, svc_field_object(f), value, at); break;
  default: break;
  }
}

static void check_field(const svc_plan *plan, const svc_field *f, const svc_node *value, const char *at)
{
  const svc_node *item;
  char inside[300];
  if (f->flags & SVC_WRITE_ONLY) t_complain(plan, "%s is shown, though it is write-only", at);
  if (f->type != SVC_ARRAY && f->type != SVC_MAP) {
    check_value(plan, f, f->type, value, at);
    return;
  }
  if (value->type != (f->type == SVC_ARRAY ? SVC_J_ARRAY : SVC_J_OBJECT)) t_complain(plan, "%s is no array or map", at);
  snprintf(inside, sizeof inside, "%s[]", at);
  for (item = value->first; item; item = item->next) check_value(plan, f, f->item, item, inside);
}

static void check_object(const svc_plan *plan, const svc_object *object, const svc_node *body, const char *at)
{
  const svc_object *own = svc_object_of(object, body);
  const svc_node *member;
  char inside[260];
  if (!own) {
    t_complain(plan, "%s is not one of the variants of %s", at, object->name);
    return;
  }
  for (member = body->first; member; member = member->next) {
    const svc_field *f = svc_field_named(own, member->name);
    snprintf(inside, sizeof inside, "%s%s" SVC_FMT, at, *at ? "." : "", SVC_ARG(member->name));
    if (svc_str_is(member->name, "links")) continue;
    if (!f) t_complain(plan, "%s is not in the table of %s", inside, own->name);
    else check_field(plan, f, member, inside);
  }
}

/* Checks the fields that the service fills in, which must be present and correct. */
static void check_filled(t_world *w, const svc_plan *plan, const svc_object *object, const svc_node *body)
{
  const svc_field *f;
  svc_fields fields;
  for (svc_fields_begin(&fields, svc_object_of(object, body)); (f = svc_fields_next(&fields)) != NULL;) {
    const svc_node *value = svc_node_get(body, f->name);
    const char *id = f->fill == SVC_AUTO_GROUP_ID ? w->group : f->fill == SVC_AUTO_ORG_ID ? w->org : NULL;
    if (f->fill && !value) t_complain(plan, "%s is missing", f->name);
    if (plan->noun->noun->key && strcmp(plan->noun->noun->key, f->name) == 0) id = NULL; /* a list shows several */
    if (id && value && !svc_str_is(value->text, id) && strstr(w->path, id))
      t_complain(plan, "%s is " SVC_FMT, f->name, SVC_ARG(value->text));
    if (f->flags & SVC_REQUIRED && !(f->flags & SVC_WRITE_ONLY) && !value)
      t_complain(plan, "%s is required, and missing", f->name);
  }
}

static void check_links(const svc_plan *plan, const svc_node *body, const char *what)
{
  const svc_node *list = svc_node_get(body, "links"), *item, *other;
  if (t_self(body).n == 0) t_complain(plan, "%s has no link to itself", what);
  for (item = list ? list->first : NULL; item; item = item->next) {
    svc_str href = svc_node_str(item, "href");
    if (svc_node_count(item) != 2 || href.n == 0 || svc_node_str(item, "rel").n == 0)
      t_complain(plan, "a link of %s has other members than href and rel", what);
    for (other = item->next; other; other = other->next)
      if (svc_node_same(other, item))
        t_complain(plan, "%s has a link twice: " SVC_FMT, what, SVC_ARG(href));
  }
}

/* Returns the object of the route's answer, in the version of the world. */
static const svc_object *check_answer_of(const t_world *w, const svc_plan *plan)
{
  if (w->older && w->older->answer) return w->older->answer;
  return plan->route->answer ? plan->route->answer : plan->noun->noun->object;
}

static void check_one(t_world *w, const svc_plan *plan, const svc_node *body, const char *what)
{
  const svc_object *object = check_answer_of(w, plan);
  if (body->type != SVC_J_OBJECT) {
    t_complain(plan, "%s is no object", what);
    return;
  }
  if (!(plan->route->flags & SVC_NO_LINKS)) check_links(plan, body, what);
  else if (svc_node_get(body, "links")) t_complain(plan, "%s has links, though the row says that it has none", what);
  if (!object) {
    t_complain(plan, "no table says what it answers with: give it an .answer");
    return;
  }
  check_object(plan, object, body, "");
  if (object == plan->noun->noun->object) check_filled(w, plan, object, body);
}

static void check_list(t_world *w, const svc_plan *plan, const svc_node *list)
{
  const svc_node *item;
  if (!list || list->type != SVC_J_ARRAY) {
    t_complain(plan, "no list: %.200s", w->t.response.body);
    return;
  }
  for (item = list->first; item; item = item->next) {
    bool word = item->type == SVC_J_STRING && plan->route->flags & SVC_NO_LINKS && !plan->route->answer && !plan->noun->noun->object;
    if (!word) check_one(w, plan, item, "an item");
  }
}

void t_world_check(t_world *w, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_node *body = w->t.body;
  int status = w->t.response.status;
  if (status >= 400 || status == 204 || r->flags & SVC_ABSOLUTE) return; /* t_send() has checked errors */
  if (svc_route_ext_of(r)->media) {
    if (body) t_complain(plan, "is not to be JSON, and is");
    return;
  }
  if (!body) t_complain(plan, "has no body");
  if (!body) return;
  if (svc_route_ext_of(r)->value) {
    const svc_node *one = r->flags & SVC_BARE && body->type == SVC_J_ARRAY ? body->first : body; /* in a list: each value */
    for (; one; one = one == body ? NULL : one->next)
      if (one->type == SVC_J_OBJECT || one->type == SVC_J_ARRAY) t_complain(plan, "is to be one value: %.200s", w->t.response.body);
  } else if (r->flags & SVC_TEXT) {
    if (body->type != SVC_J_STRING && body->type != SVC_J_OBJECT) t_complain(plan, "is to be a string, once");
  } else if (r->flags & SVC_EMPTY_OBJECT) {
    if (body->type != SVC_J_OBJECT || body->first) t_complain(plan, "is to be {}: %.200s", w->t.response.body);
  } else if (r->flags & SVC_PAGED) {
    if (svc_node_count(body) != 3 || !svc_node_get(body, "totalCount")) t_complain(plan, "no page: %.200s", w->t.response.body);
    check_links(plan, body, "the page");
    check_list(w, plan, svc_node_get(body, "results"));
  } else if (r->flags & SVC_BARE) {
    check_list(w, plan, body);
  } else {
    check_one(w, plan, body, "the answer");
  }
}

static void check_collect(svc_arena *a, const svc_node *node, svc_str *out, size_t *count, size_t most)
{
  svc_str self = node->type == SVC_J_OBJECT ? t_self(node) : SVC_S("");
  const svc_node *child;
  if (self.n && *count < most) out[(*count)++] = svc_arena_copy(a, self);
  for (child = node->first; child; child = child->next) check_collect(a, child, out, count, most);
}

void t_world_follow(t_world *w, const svc_plan *plan)
{
  svc_str found[8], base = w->t.s->base_url;
  svc_arena arena;
  size_t n = 0, i;
  svc_arena_init(&arena, NULL);
  if (w->t.body) check_collect(&arena, w->t.body, found, &n, 8);
  for (i = 0; i < n; i++) {
    bool ours = found[i].n > base.n && memcmp(found[i].p, base.p, base.n) == 0;
    if (!ours) t_complain(plan, "a link leads elsewhere: %s", found[i].p);
    else if (t_send(&w->t, "GET", found[i].p + base.n, NULL) != 200 && w->t.response.status != 202) /* 202: the resource is being created */
      t_complain(plan, "the link %s gives %d", found[i].p, w->t.response.status);
  }
  svc_blocks_free(arena.blocks);
}
