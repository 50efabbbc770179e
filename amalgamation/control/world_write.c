/*
** svc_world_write(): a world from a store, by the GETs that clients send.
**
** The tables guide the walk: below a resource are the routes below its path. A collection is written if its items can be both
** listed and created, a single resource if it can be changed and differs from its defaults. An item has
** the fields that its creation takes, except for defaults.
**
** The rule: the document can be loaded, and a store loaded from it gives the same document again. So it contains no ids: an id of something
** further up becomes a reference. A required field that is not shown is a password, which the loader generates, or a list that may be
** empty; otherwise the item is left out and logged, like omitted fields. Records of the past are not written: work that cannot be changed
** any more, and resources that expire by themselves. The log names each kind that is left out as a whole, once.
*/
#include "control/world_parts.h"

#define WRITE_PAGE 500
#define WRITE_DEPTH 12
#define WRITE_LEFT 100 /* maximum lines of the log */
#define WRITE_LOOKS 20 /* places where a kind that is left out is looked for */

/* A written resource, which references can name by its id. */
typedef struct world_written {
  struct world_written *next;
  svc_str id, collection;
  svc_node *element;
} world_written;

typedef struct world_writer {
  svc_world w;
  world_written *written;
  int left; /* omitted resources and fields */
  int handles;
  unsigned char *looked; /* by noun: number of looks; WRITE_LOOKS: no more needed */
  svc_str label; /* of the item being written: "groups/shop/clusters/main" */
} world_writer;

static bool world_write_below(world_writer *x, const char *route, svc_str path, svc_node *to, int depth);

static void world_write_left(world_writer *x, const char *field, const char *why)
{
  if (x->left++ < WRITE_LEFT) svc_log(x->w.s, SVC_LOG_WARNING, "world.left_out", SVC_FMT "%s%s: %s", SVC_ARG(x->label), *field ? ", " : "",
                                      field, why);
}

static void world_write_note(world_writer *x, svc_str id, svc_str collection, svc_node *element)
{
  world_written *one = svc_arena_zero(x->w.arena, sizeof *one);
  if (!one || !id.n) return;
  *one = (world_written){ x->written, id, collection, element };
  x->written = one;
}

/* "$teams-1.id" for the id of a written resource, which gets that name. Empty: unknown id. */
static svc_str world_write_reference(world_writer *x, svc_str id)
{
  const world_written *one = x->written;
  const svc_node *as;
  while (one && !svc_str_eq(one->id, id)) one = one->next;
  if (!one) return SVC_S("");
  as = svc_node_get(one->element, "as");
  if (!as) {
    svc_str handle = svc_arena_print(x->w.arena, SVC_FMT "-%d", SVC_ARG(one->collection), ++x->handles);
    svc_node *member = svc_node_new(x->w.arena, SVC_J_STRING, SVC_S("as"), handle);
    if (!member) return SVC_S("");
    member->next = one->element->first; /* in front, where people look for it */
    one->element->first = member;
    as = member;
  }
  return svc_arena_print(x->w.arena, "$" SVC_FMT ".id", SVC_ARG(as->text));
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

/* A string that begins with a dollar sign would be a reference; an id becomes one. NULL: unknown id. */
static svc_node *world_write_copy(world_writer *x, const svc_node *value)
{
  svc_node *copy = svc_node_new(x->w.arena, value->type, SVC_S(""), value->text), *m;
  const svc_node *from;
  svc_id id;
  if (copy && value->type == SVC_J_STRING && svc_id_parse(value->text, &id)) {
    copy->text = world_write_reference(x, value->text);
    return copy->text.n ? copy : NULL;
  }
  if (copy && value->type == SVC_J_STRING && value->text.n && value->text.p[0] == '$')
    copy->text = svc_arena_print(x->w.arena, "$" SVC_FMT, SVC_ARG(value->text));
  for (from = value->first; from && copy; from = from->next) {
    m = world_write_copy(x, from);
    if (!m) return NULL;
    m->name = from->name;
    svc_node_append(copy, m);
  }
  return copy;
}

/* NULL: the value has another type than a request needs, or out of memory. */
static svc_node *world_write_value(world_writer *x, const svc_field *f, int type, const svc_node *value)
{
  svc_node *out, *item;
  const svc_node *from;
  if (type == SVC_ANY || type == SVC_NAME) return world_write_copy(x, value);
  if (value->type != world_write_json(f, type)) return NULL;
  if (type == SVC_OBJECT) return svc_field_object(f) ? world_write_object(x, svc_field_object(f), value, false) : world_write_copy(x, value);
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

/* A secret that the loader can generate: a text without a specific form. False: impossible. */
static bool world_write_random(world_writer *x, const svc_field *f, svc_node *out)
{
  static const char like[] = "AbCdEfGhIjKlMnOpQr-aA1";
  const svc_str text = svc_str_c(like);
  if (f->type != SVC_STRING || f->values || f->min > (int32_t)text.n || (f->max && f->max < (int32_t)text.n)) return false;
  if ((svc_field_pattern(f) && !svc_pattern_match(svc_field_pattern(f), text)) || !svc_format_check(f->format, text)) return false;
  svc_node_put(x->w.arena, out, svc_node_new(x->w.arena, SVC_J_STRING, svc_str_c(f->name), SVC_S("$random")));
  return true;
}

/* Secrets that are required under a condition, by the tables. False: one cannot be generated. */
static bool world_write_needs(world_writer *x, const svc_object *object, const svc_node *shown, svc_node *out)
{
  const svc_need *need = svc_object_ext_of(object)->needs;
  svc_arena arena;
  svc_call c;
  bool good = true;
  svc_service_call(&c, x->w.s, &arena, NULL, svc_now(x->w.s));
  for (; need && need->fields && good; need++) {
    svc_str rest = svc_str_c(need->fields);
    if (strchr(need->fields, '|') || !svc_need_holds(&c, need, shown)) continue;
    while (rest.n && good) {
      const svc_field *f = svc_field_named(object, svc_str_cut(&rest, ' '));
      if (f && f->flags & (SVC_SEALED | SVC_WRITE_ONLY) && !svc_node_get(out, f->name)) good = world_write_random(x, f, out);
    }
  }
  svc_blocks_free(arena.blocks);
  return good;
}

/* The members of a request, from what is shown. NULL: a required one is not shown. */
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
    const bool secret = f->flags & SVC_SEALED || (f->flags & SVC_WRITE_ONLY && !from), required = (f->flags & SVC_REQUIRED) != 0;
    if (f->flags & SVC_READ_ONLY || f->fill) continue;
    if (!top && svc_str_is(svc_str_c(f->name), "id")) continue;
    if (secret && !required) continue;
    if (secret && !world_write_random(x, f, out)) return NULL;
    if (secret) continue;
    if (!from && required) return NULL;
    if (!from || from->type == SVC_J_NULL || (!required && world_write_is_preset(x, f, from))) continue;
    value = world_write_value(x, f, f->type, from);
    if (!value && required) return NULL;
    if (!value) world_write_left(x, f->name, "its shape in answers differs from requests, or it names a resource that is not further up");
    if (!value || (!required && (value->type == SVC_J_OBJECT || value->type == SVC_J_ARRAY) && !value->first)) continue;
    value->name = svc_str_c(f->name);
    svc_node_put(x->w.arena, out, value);
  }
  return world_write_needs(x, object, shown, out) ? out : NULL;
}

/* ------------------------------------------------------------------------------------------------------------------- walk */

/* Whether clients create such resources and they stay: not a record of the past, and not a view. */
static bool world_write_stays(const svc *s, const svc_plan *list)
{
  const svc_noun *noun = list->noun->noun;
  size_t i;
  if (noun->flags & SVC_VIRTUAL || !noun->kind || (noun->lifecycle && noun->flags & SVC_EXPIRES)) return false;
  for (i = 0; i < s->plan_count; i++) {
    const svc_plan *p = &s->plans[i];
    if (p->noun != list->noun || !p->own) continue;
    if (p->route->method == SVC_PATCH || p->route->method == SVC_PUT || (p->route->method == SVC_DELETE && !noun->lifecycle)) return true;
  }
  return false;
}

/* A list of names that the creation takes and no GET shows: "usernames" is gathered from the collection below it whose items have a
** "username". The members are added to what is shown. */
static bool world_write_gather(world_writer *x, const svc_object *object, const svc_plan *item, svc_str path, svc_node *shown)
{
  const size_t n = item ? strlen(item->route->path) : 0;
  svc_world_answer a;
  const svc_field *f;
  svc_fields all;
  size_t i;
  object = object ? svc_object_of(object, shown) : NULL;
  if (!object || !item || !path.n) return true;
  svc_fields_begin(&all, object);
  while ((f = svc_fields_next(&all)) != NULL) {
    const svc_str one = { f->name, strlen(f->name) - 1 };
    svc_node *names;
    if (!(f->flags & SVC_REQUIRED) || f->type != SVC_ARRAY || f->item != SVC_STRING || f->name[one.n] != 's' || svc_node_get(shown,
      f->name)) continue;
    for (i = 0; i < x->w.s->plan_count; i++) {
      const svc_route *r = x->w.s->plans[i].route;
      const svc_node *m;
      if (r->method != SVC_GET || !(r->flags & SVC_PAGED) || strncmp(r->path, item->route->path, n) != 0 || r->path[n] != '/' ||
          strpbrk(r->path + n, "{:")) continue;
      if (!svc_world_ask(&x->w, SVC_GET, svc_arena_print(x->w.arena, SVC_FMT "%s?itemsPerPage=%d", SVC_ARG(path), r->path + n, WRITE_PAGE),
                         NULL, &a)) return false;
      names = svc_node_array(x->w.arena, f->name);
      for (m = svc_node_first(svc_node_get(a.body, "results")); m && names; m = m->next) {
        const svc_node *name = svc_node_find(m, one);
        if (name && name->type == SVC_J_STRING) (void)svc_node_add_str(x->w.arena, names, name->text);
      }
      if (names && names->first) svc_node_put(x->w.arena, shown, names);
    }
  }
  return true;
}

static svc_str world_write_label(world_writer *x, const svc_noun *noun, svc_str above, svc_str collection, const svc_node *shown)
{
  static const char *const usual[] = { "name", "username", "desc", "description" };
  svc_str name = noun->key ? svc_world_key(x->w.arena, noun->key, shown) : SVC_S("");
  size_t i;
  for (i = 0; i < sizeof usual / sizeof usual[0] && !name.n; i++) name = svc_node_str(shown, usual[i]);
  if (!name.n) name = svc_node_str(shown, "id");
  return svc_arena_print(x->w.arena, SVC_FMT "%s" SVC_FMT "/" SVC_FMT, SVC_ARG(above), above.n ? "/" : "", SVC_ARG(collection),
                         SVC_ARG(name));
}

static bool world_write_item(world_writer *x, const svc_plan *list, const svc_plan *maker, svc_str path, svc_node *shown, svc_node *to,
                             int depth)
{
  const svc_noun *noun = list->noun->noun;
  svc_str key = svc_world_key(x->w.arena, noun->key ? noun->key : "id", shown);
  svc_str here = svc_world_item_path(&x->w, maker->param_count ? maker : list, path, key, shown);
  const svc_object *object = svc_world_object(maker);
  svc_node *body = NULL;
  if (!here.n) here = svc_world_item_path(&x->w, maker, path, key, shown);
  if (object && !world_write_gather(x, object, list->item, here, shown)) return false;
  if (object) body = world_write_object(x, object, shown, true);
  if (x->w.arena->failed) return svc_world_failed(&x->w, SVC_NOMEM);
  if (!body || !body->first) {
    world_write_left(x, "", "its answer does not have everything that a request needs");
    return true;
  }
  if (!maker->param_count) svc_node_drop(body, x->w.s->org ? x->w.s->org->noun->param : "");
  svc_node_append(to, body);
  world_write_note(x, svc_node_str(shown, "id"), to->name, body);
  return !here.n || !list->item ? true : world_write_below(x, list->item->route->path, here, body, depth + 1);
}

static bool world_write_is_empty(const svc_node *shown)
{
  const svc_node *m = shown->first;
  while (m && svc_str_is(m->name, "links")) m = m->next;
  return !m;
}

/* A kind that no world contains: logged if the store has one. False: the store has failed. */
static bool world_write_without(world_writer *x, const svc_plan *reader, svc_str path, svc_str name, const char *why)
{
  unsigned char *looked = &x->looked[reader->noun - x->w.s->nouns];
  const svc_str place = x->label.n ? x->label : SVC_S("the service");
  const svc_node *shown;
  svc_world_answer a;
  if (reader->route->flags & SVC_PAGED) path = svc_arena_print(x->w.arena, SVC_FMT "?itemsPerPage=1", SVC_ARG(path));
  if (*looked == WRITE_LOOKS) return true;
  ++*looked;
  if (!svc_world_ask(&x->w, SVC_GET, path, NULL, &a)) return false;
  shown = a.body && a.body->type == SVC_J_OBJECT && reader->route->flags & SVC_PAGED ? svc_node_get(a.body, "results") : a.body;
  if (a.status != 200 || !shown || world_write_is_empty(shown)) return true;
  *looked = WRITE_LOOKS;
  svc_log(x->w.s, SVC_LOG_WARNING, "world.left_out", "all " SVC_FMT ", such as those of " SVC_FMT ": %s", SVC_ARG(name),
          SVC_ARG(place), why);
  return true;
}

/* The reason why items of a list are not in a world; NULL: they are, or it is a view. */
static const char *world_write_why(const svc *s, const svc_plan *list, const svc_plan *maker)
{
  const svc_noun *noun = list->noun->noun;
  if (noun->flags & SVC_VIRTUAL && !svc_noun_ext_of(noun)->alliance) return NULL;
  if (svc_noun_ext_of(noun)->alliance) return "they belong to several organizations";
  if (!maker && (svc_world_item_writer(s, list, SVC_PATCH) || svc_world_item_writer(s, list, SVC_PUT)))
    return "they always exist, and their answers do not show what was changed";
  if (!maker || maker->noun == list->noun) return "they are records of the past";
  return NULL;
}

static bool world_write_list(world_writer *x, const svc_plan *list, svc_str path, svc_str name, svc_node *to, int depth)
{
  const bool bare = list->route->flags & SVC_BARE;
  const svc_plan *maker = svc_world_plan(x->w.s, SVC_POST, path);
  svc_node *items = svc_node_array(x->w.arena, NULL);
  const svc_str above = x->label;
  svc_node *item;
  svc_world_answer a;
  size_t page = 1, n;
  if (!maker) maker = svc_world_root_maker(x->w.s, list);
  if (items) items->name = name;
  if (!maker || maker->noun != list->noun || !world_write_stays(x->w.s, list)) {
    const char *why = world_write_why(x->w.s, list, maker);
    return why ? world_write_without(x, list, path, name, why) : true;
  }
  do {
    svc_str target = bare ? path : svc_arena_print(x->w.arena, SVC_FMT "?itemsPerPage=%d&pageNum=%zu", SVC_ARG(path), WRITE_PAGE, page++);
    if (!svc_world_ask(&x->w, SVC_GET, target, NULL, &a)) return false;
    if (a.status != 200 || !a.body) break;
    item = svc_node_first(a.body->type == SVC_J_ARRAY ? a.body : svc_node_get(a.body, "results"));
    for (n = 0; item; item = item->next, n++) {
      if (item->type != SVC_J_OBJECT) continue;
      x->label = world_write_label(x, list->noun->noun, above, name, item);
      if (!world_write_item(x, list, maker, path, item, items, depth)) return false;
    }
  } while (n == WRITE_PAGE && !bare);
  x->label = above;
  if (!items || !items->first) return true;
  svc_node_append(to, items);
  return true;
}

/* A single resource: its values that differ from the defaults. */
static bool world_write_one(world_writer *x, const svc_plan *reader, svc_str path, svc_str name, svc_node *to)
{
  const svc_noun *noun = reader->noun->noun;
  const svc_plan *plan = svc_world_plan(x->w.s, SVC_PATCH, path);
  const svc_object *object;
  svc_world_answer a;
  svc_node *body, *m, *next;
  if (!plan) plan = svc_world_plan(x->w.s, SVC_PUT, path);
  if (svc_noun_ext_of(noun)->alliance) return world_write_without(x, reader, path, name, "they belong to several organizations");
  if (noun->flags & SVC_SOLE)
    return world_write_without(x, reader, path, name, "resources that exist once or not at all are not written");
  if (!plan || plan->noun != reader->noun || !(noun->flags & SVC_SINGLETON) || noun->flags & SVC_VIRTUAL) return true;
  object = svc_world_object(plan);
  if (!object || !svc_world_ask(&x->w, SVC_GET, path, NULL, &a)) return object == NULL;
  body = a.status == 200 && a.body ? world_write_object(x, object, a.body, true) : NULL;
  if (x->w.arena->failed) return svc_world_failed(&x->w, SVC_NOMEM);
  for (m = body ? body->first : NULL; m; m = next) { /* presets of the noun, which a route's own object may lack */
    const svc_node *preset = svc_node_find(svc_json_parse(x->w.arena, reader->noun->preset), m->name);
    next = m->next;
    if (preset && svc_node_same(preset, m)) svc_node_drop(body, svc_arena_copy(x->w.arena, m->name).p);
  }
  if (!body || !body->first) return true;
  body->name = name;
  svc_node_append(to, body);
  return true;
}

/* All routes right below this one: a literal path, "clusters" or "backup/schedule". */
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
    if (p->route->flags & (SVC_PAGED | SVC_BARE) ? !world_write_list(x, p, here, name, to, depth) : !world_write_one(x, p, here, name,
      to)) return false;
  }
  return true;
}

SVC_PRIVATE int svc_world_text(svc *s, svc_arena *arena, svc_str *out)
{
  world_writer x = { .w = { .s = s, .arena = arena, .only_read = true } };
  svc_node *root = svc_node_object(arena, NULL);
  svc_buf compact = svc_buf_new(arena, 4096), b;
  *out = SVC_S("");
  x.looked = svc_arena_zero(arena, s->noun_count + 1);
  if (!root || !x.looked) return SVC_NOMEM;
  svc_node_append(root, svc_node_new(arena, SVC_J_NUMBER, SVC_S("world"), SVC_S("1")));
  (void)world_write_below(&x, "", SVC_S(""), root, 0);
  if (x.w.error.rc != SVC_OK) return x.w.error.rc;
  svc_node_write(&compact, root);
  b = svc_buf_new(arena, 2 * compact.n + 1024);
  svc_json_pretty(&b, svc_buf_done(&compact));
  *out = svc_buf_done(&b);
  return arena->failed ? SVC_NOMEM : SVC_OK;
}

int svc_world_write(svc *s, svc_response *out)
{
  svc_arena arena;
  svc_str text;
  int rc;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  rc = svc_world_text(s, &arena, &text);
  if (rc == SVC_OK) return svc_respond_json(&arena, text, out);
  svc_blocks_free(arena.blocks);
  return rc;
}
