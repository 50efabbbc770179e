/*
** svc_world_write(): a world from a store, by the GETs that clients send.
**
** The walk goes by the tables: below a thing there is what routes have below its path. A collection is written where its items can be both listed and
** made, a thing there is one of where it can be changed and says something else than it does by itself. Of an item there are the fields that
** making it takes, without those that have their defaults.
**
** The rule: what is written can be loaded. Where a field that is required is not shown, it is a password, which the loader makes; or the item
** is left out, and listed. Records of the past are not written: what nobody can change or delete, and what expires by itself.
*/
#include "control/world_parts.h"

#define WRITE_PAGE 500
#define WRITE_DEPTH 12
#define WRITE_LEFT 1000 /* lines of "leftOut" */

typedef struct world_writer {
  svc_world w;
  svc_node *left;
} world_writer;

static bool world_write_below(world_writer *x, const char *route, svc_str path, svc_node *to, int depth);

static void world_write_left(world_writer *x, svc_str path, const char *why)
{
  svc_node *line;
  if (svc_node_count(x->left) == WRITE_LEFT) return;
  line = svc_node_object(x->w.arena, NULL);
  if (!line) return;
  svc_node_set_str(x->w.arena, line, "path", svc_arena_copy(x->w.arena, path));
  svc_node_set_text(x->w.arena, line, "why", why);
  svc_node_append(x->left, line);
}

/* --------------------------------------------------------------------------------------------------------------- bodies */

static svc_node *world_write_object(world_writer *x, const svc_object *object, const svc_node *shown, bool top);

static int world_write_json(const svc_field *f, int type)
{
  (void)f;
  switch (type) {
  case SVC_OBJECT: case SVC_MAP: return SVC_J_OBJECT;
  case SVC_ARRAY: return SVC_J_ARRAY;
  case SVC_INT32: case SVC_INT64: case SVC_NUMBER: return SVC_J_NUMBER;
  case SVC_BOOLEAN: return SVC_J_BOOL;
  default: return SVC_J_STRING;
  }
}

/* A string that begins with a dollar sign would be a reference. */
static svc_node *world_write_copy(world_writer *x, const svc_node *value)
{
  svc_node *copy = svc_node_new(x->w.arena, value->type, SVC_S(""), value->text), *m;
  const svc_node *from;
  if (copy && value->type == SVC_J_STRING && value->text.n && value->text.p[0] == '$')
    copy->text = svc_arena_print(x->w.arena, "$" SVC_FMT, SVC_ARG(value->text));
  for (from = value->first; from && copy; from = from->next) {
    m = world_write_copy(x, from);
    if (m) m->name = from->name;
    svc_node_append(copy, m);
  }
  return copy;
}

/* NULL: the value is of another type than a request has, or there is no memory. */
static svc_node *world_write_value(world_writer *x, const svc_field *f, int type, const svc_node *value)
{
  svc_node *out, *item;
  const svc_node *from;
  if (type == SVC_ANY || type == SVC_NAME) return world_write_copy(x, value);
  if (value->type != world_write_json(f, type)) return NULL;
  if (type == SVC_OBJECT) return f->object ? world_write_object(x, f->object, value, false) : world_write_copy(x, value);
  if (type != SVC_ARRAY) return world_write_copy(x, value);
  out = svc_node_array(x->w.arena, NULL);
  for (from = value->first; from && out; from = from->next) {
    item = world_write_value(x, f, f->item, from);
    if (!item) return NULL;
    svc_node_append(out, item);
  }
  return out;
}

static bool world_write_is_preset(world_writer *x, const svc_field *f, const svc_node *value)
{
  const svc_node *preset = svc_preset(x->w.s, x->w.arena, f);
  return preset && svc_node_same(preset, value);
}

/* What a request may say of what is shown. NULL: something that it must say is not shown. */
static svc_node *world_write_object(world_writer *x, const svc_object *object, const svc_node *shown, bool top)
{
  svc_node *out = svc_node_object(x->w.arena, NULL), *value;
  const svc_field *f;
  svc_fields all;
  object = svc_object_of(object, shown);
  if (!object || !out) return NULL;
  svc_fields_begin(&all, object);
  while ((f = svc_fields_next(&all)) != NULL) {
    const svc_node *from = svc_node_get(shown, f->name);
    const bool secret = (f->flags & (SVC_SEALED | SVC_WRITE_ONLY)) != 0, required = (f->flags & SVC_REQUIRED) != 0;
    if (f->flags & SVC_READ_ONLY || f->fill) continue;
    if (!top && svc_str_is(svc_str_c(f->name), "id")) continue;
    if (secret && !required) continue;
    if (secret && f->type != SVC_STRING) return NULL;
    if (secret || (!from && required)) {
      if (!secret) return NULL;
      svc_node_put(x->w.arena, out, svc_node_new(x->w.arena, SVC_J_STRING, svc_str_c(f->name), SVC_S("$random")));
      continue;
    }
    if (!from || from->type == SVC_J_NULL || (!required && world_write_is_preset(x, f, from))) continue;
    value = world_write_value(x, f, f->type, from);
    if (!value && required) return NULL;
    if (!value) continue;
    value->name = svc_str_c(f->name);
    svc_node_put(x->w.arena, out, value);
  }
  return out;
}

/* ------------------------------------------------------------------------------------------------------------------- walk */

/* Something that stays, and that clients make: no record of the past, and no view of something else. */
static bool world_write_stays(const svc *s, const svc_plan *list)
{
  const svc_noun *noun = list->noun->noun;
  size_t i;
  if (noun->flags & (SVC_VIRTUAL | SVC_EXPIRES) || !noun->kind) return false;
  for (i = 0; i < s->plan_count; i++) {
    const svc_plan *p = &s->plans[i];
    if (p->noun == list->noun && p->own && (p->route->method == SVC_PATCH || p->route->method == SVC_PUT || p->route->method == SVC_DELETE)) return true;
  }
  return false;
}

static bool world_write_item(world_writer *x, const svc_plan *list, const svc_plan *maker, svc_str path, const svc_node *shown, svc_node *to, int depth)
{
  const svc_noun *noun = list->noun->noun;
  svc_str key = svc_world_key(x->w.arena, noun->key ? noun->key : "id", shown);
  svc_str here = svc_world_item_path(&x->w, maker->param_count ? maker : list, path, key);
  const svc_object *object = svc_world_object(maker);
  svc_node *body = object ? world_write_object(x, object, shown, true) : NULL;
  if (x->w.arena->failed) return svc_world_failed(&x->w, SVC_NOMEM);
  if (!here.n) here = svc_world_item_path(&x->w, maker, path, key);
  if (!body || !body->first) {
    world_write_left(x, here.n ? here : path, "what is shown of it does not suffice to make it again");
    return true;
  }
  if (!maker->param_count) svc_node_drop(body, x->w.s->org ? x->w.s->org->noun->param : "");
  svc_node_append(to, body);
  return !here.n || !list->item ? true : world_write_below(x, list->item->route->path, here, body, depth + 1);
}

static bool world_write_list(world_writer *x, const svc_plan *list, svc_str path, svc_str name, svc_node *to, int depth)
{
  const bool bare = list->route->flags & SVC_BARE;
  const svc_plan *maker = svc_world_plan(x->w.s, SVC_POST, path);
  svc_node *items = svc_node_array(x->w.arena, NULL);
  const svc_node *item;
  svc_world_answer a;
  size_t page = 1, n;
  if (!maker) maker = svc_world_root_maker(x->w.s, list);
  if (!maker || maker->noun != list->noun || !world_write_stays(x->w.s, list)) return true;
  do {
    svc_str target = bare ? path : svc_arena_print(x->w.arena, SVC_FMT "?itemsPerPage=%d&pageNum=%zu", SVC_ARG(path), WRITE_PAGE, page++);
    if (!svc_world_ask(&x->w, SVC_GET, target, NULL, &a)) return false;
    if (a.status != 200 || !a.body) break;
    item = svc_node_first(a.body->type == SVC_J_ARRAY ? a.body : svc_node_get(a.body, "results"));
    for (n = 0; item; item = item->next, n++)
      if (item->type == SVC_J_OBJECT && !world_write_item(x, list, maker, path, item, items, depth)) return false;
  } while (n == WRITE_PAGE && !bare);
  if (!items || !items->first) return true;
  items->name = name;
  svc_node_append(to, items);
  return true;
}

/* What there is one of: what of it is not as it is by itself. */
static bool world_write_one(world_writer *x, const svc_plan *reader, svc_str path, svc_str name, svc_node *to)
{
  const svc_noun *noun = reader->noun->noun;
  const svc_plan *plan = svc_world_plan(x->w.s, SVC_PATCH, path);
  const svc_object *object;
  svc_world_answer a;
  svc_node *body, *m, *next;
  if (!plan) plan = svc_world_plan(x->w.s, SVC_PUT, path);
  if (!plan || plan->noun != reader->noun || !(noun->flags & SVC_SINGLETON) || noun->flags & SVC_VIRTUAL) return true;
  object = svc_world_object(plan);
  if (!object || !svc_world_ask(&x->w, SVC_GET, path, NULL, &a)) return object == NULL;
  body = a.status == 200 && a.body ? world_write_object(x, object, a.body, true) : NULL;
  if (x->w.arena->failed) return svc_world_failed(&x->w, SVC_NOMEM);
  for (m = body ? body->first : NULL; m; m = next) { /* presets of the noun, which a route's own object may not have */
    const svc_node *preset = svc_node_find(svc_json_parse(x->w.arena, reader->noun->preset), m->name);
    next = m->next;
    if (preset && svc_node_same(preset, m)) svc_node_drop(body, svc_arena_copy(x->w.arena, m->name).p);
  }
  if (!body || !body->first) return true;
  body->name = name;
  svc_node_append(to, body);
  return true;
}

/* All that routes have right below this one: a path in words, "clusters" or "backup/schedule". */
static bool world_write_below(world_writer *x, const char *route, svc_str path, svc_node *to, int depth)
{
  const size_t n = strlen(route);
  size_t i;
  if (depth == WRITE_DEPTH) return true;
  for (i = 0; i < x->w.s->plan_count; i++) {
    const svc_plan *p = &x->w.s->plans[i];
    const char *rest = p->route->path + n;
    svc_str here, name;
    if (p->route->method != SVC_GET || p->route->flags & SVC_ABSOLUTE || strncmp(p->route->path, route, n) != 0 || rest[0] != '/') continue;
    if (strpbrk(rest, "{:") || (!*route && p->noun->parent)) continue;
    name = svc_str_c(rest + 1);
    here = svc_world_below(&x->w, path, name);
    if (p->route->flags & (SVC_PAGED | SVC_BARE) ? !world_write_list(x, p, here, name, to, depth) : !world_write_one(x, p, here, name, to)) return false;
  }
  return true;
}

SVC_PRIVATE int svc_world_text(svc *s, svc_arena *arena, svc_str *out)
{
  world_writer x = { .w = { .s = s, .arena = arena, .only_read = true } };
  svc_node *root = svc_node_object(arena, NULL);
  svc_buf compact = svc_buf_new(arena, 4096), b;
  x.left = svc_node_array(arena, "leftOut");
  *out = SVC_S("");
  if (!root || !x.left) return SVC_NOMEM;
  svc_node_append(root, svc_node_new(arena, SVC_J_NUMBER, SVC_S("world"), SVC_S("1")));
  (void)world_write_below(&x, "", SVC_S(""), root, 0);
  if (x.w.error.rc != SVC_OK) return x.w.error.rc;
  if (x.left->first) svc_node_append(root, x.left);
  svc_node_write(&compact, root);
  b = svc_buf_new(arena, 2 * compact.n + 1024);
  svc_json_pretty(&b, svc_buf_done(&compact));
  *out = svc_buf_done(&b);
  return arena->failed ? SVC_NOMEM : SVC_OK;
}

int svc_world_write(svc *s, svc_response *out)
{
  static const svc_header type = { "Content-Type", "application/json", 12, 16 };
  svc_arena arena;
  svc_str text;
  int rc;
  if (out) memset(out, 0, sizeof *out);
  if (!s || !out) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  rc = svc_world_text(s, &arena, &text);
  if (rc == SVC_OK) return svc_respond_text(&arena, text, &type, out);
  svc_blocks_free(arena.blocks);
  return rc;
}
