/*
** The OpenAPI 3.1 document, from the tables that serve the requests: what it says cannot differ from what is done.
**
** Objects become component schemas under their own names; a noun's own object stands for both its request and its
** answer, with the marks for what is read-only and write-only. Lists, envelopes and errors are the same everywhere and
** are described once.
*/
#include "pipeline/pipeline.h"

typedef struct openapi_writer {
  const svc *s;
  svc_buf b;
  const svc_object **objects; /* met so far, each name once */
  size_t count, room;
} openapi_writer;

/* One more object that is to be described. */
static void openapi_meet(openapi_writer *w, const svc_object *object)
{
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 256;
    const svc_object **grown = svc_arena_alloc(w->b.arena, room * sizeof *grown);
    if (!grown) return; /* the arena remembers it */
    if (w->count) memcpy(grown, w->objects, w->count * sizeof *grown);
    w->objects = grown;
    w->room = room;
  }
  w->objects[w->count++] = object;
}

static void openapi_text(openapi_writer *w, const char *text)
{
  svc_buf_text(&w->b, text);
}

static void openapi_string(openapi_writer *w, const char *text)
{
  svc_json_escape(&w->b, svc_str_c(text));
}

static void openapi_ref(openapi_writer *w, const svc_object *object)
{
  size_t i;
  for (i = 0; i < w->count && strcmp(w->objects[i]->name, object->name) != 0; i++) continue;
  if (i == w->count) openapi_meet(w, object);
  openapi_text(w, "{\"$ref\":\"#/components/schemas/");
  openapi_text(w, object->name);
  openapi_text(w, "\"}");
}

static void openapi_values(openapi_writer *w, const char *const *values)
{
  const char *const *v;
  openapi_text(w, ",\"enum\":[");
  for (v = values; *v; v++) {
    if (v != values) openapi_text(w, ",");
    svc_json_escape(&w->b, svc_value_text(w->s, w->b.arena, *v));
  }
  openapi_text(w, "]");
}

static void openapi_number(openapi_writer *w, const char *name, int64_t value)
{
  openapi_text(w, ",\"");
  openapi_text(w, name);
  openapi_text(w, "\":");
  svc_buf_i64(&w->b, value);
}

/* The types of events are too many for a list of pointers. */
static void openapi_event_types(openapi_writer *w, unsigned flags)
{
  const int where = (flags & SVC_GROUP_EVENTS ? SVC_EVENT_GROUP : 0) | (flags & SVC_ORG_EVENTS ? SVC_EVENT_ORG : 0);
  svc_event_type type;
  bool first = true;
  memset(&type, 0, sizeof type);
  openapi_text(w, ",\"enum\":[");
  while (svc_event_type_next(&type)) {
    if (!(type.where & where) || (flags & SVC_ALERTABLE && !type.alertable)) continue;
    if (!first) openapi_text(w, ",");
    first = false;
    svc_json_escape(&w->b, svc_value_text(w->s, w->b.arena, type.name));
  }
  openapi_text(w, "]");
}

/* The schema of one value, without its closing brace where more members may follow. */
static void openapi_scalar(openapi_writer *w, const svc_field *f, int type)
{
  static const char *const types[] = { "{\"type\":\"string\"", "{\"type\":\"integer\",\"format\":\"int32\"",
                                       "{\"type\":\"integer\",\"format\":\"int64\"", "{\"type\":\"number\"",
                                       "{\"type\":\"boolean\"", "{\"type\":\"string\",\"format\":\"date-time\"" };
  static const char *const formats[] = { [SVC_FORMAT_ID] = "hex24", [SVC_FORMAT_IP] = "ip", [SVC_FORMAT_CIDR] = "cidr",
                                         [SVC_FORMAT_IP_OR_CIDR] = "ip-or-cidr", [SVC_FORMAT_EMAIL] = "email",
                                         [SVC_FORMAT_UUID] = "uuid", [SVC_FORMAT_URI] = "uri", [SVC_FORMAT_DAY] = "date",
                                         [SVC_FORMAT_TRIMMED] = "trimmed", [SVC_FORMAT_DOMAIN] = "domain" };
  if (type == SVC_ANY) {
    openapi_text(w, "{\"description\":\"any JSON\"");
    return;
  }
  openapi_text(w, types[type]);
  if (type == SVC_STRING) {
    if (f->values) openapi_values(w, f->values);
    if (f->flags & (SVC_GROUP_EVENTS | SVC_ORG_EVENTS)) openapi_event_types(w, f->flags);
    if (f->format) {
      openapi_text(w, ",\"format\":");
      openapi_string(w, formats[f->format]);
    }
    if (SVC_PATTERN_OF(f)) {
      openapi_text(w, ",\"pattern\":");
      openapi_string(w, f->pattern);
    }
    if (f->min) openapi_number(w, "minLength", f->min);
    if (f->max) openapi_number(w, "maxLength", f->max);
  } else {
    if (f->flags & SVC_MIN) openapi_number(w, "minimum", SVC_MIN_OF(f));
    if (f->flags & SVC_MAX) openapi_number(w, "maximum", SVC_MAX_OF(f));
  }
}

static void openapi_item(openapi_writer *w, const svc_field *f)
{
  if (f->item == SVC_OBJECT) {
    openapi_ref(w, f->object);
  } else {
    svc_field each = svc_field_each(f);
    openapi_scalar(w, &each, f->item);
    openapi_text(w, "}");
  }
}

static void openapi_value(openapi_writer *w, const svc_field *f)
{
  const svc_node *preset = svc_preset(w->s, w->b.arena, f);
  if (f->type == SVC_OBJECT) {
    openapi_text(w, "{\"allOf\":[");
    openapi_ref(w, f->object);
    openapi_text(w, "]");
  } else if (f->type == SVC_ARRAY) {
    openapi_text(w, "{\"type\":\"array\",\"items\":");
    openapi_item(w, f);
    if (f->min_items) openapi_number(w, "minItems", f->min_items);
    if (f->max_items) openapi_number(w, "maxItems", f->max_items);
    if (f->flags & SVC_UNIQUE_ITEMS) openapi_text(w, ",\"uniqueItems\":true");
  } else if (f->type == SVC_MAP) {
    openapi_text(w, "{\"type\":\"object\",\"additionalProperties\":");
    openapi_item(w, f);
  } else {
    openapi_scalar(w, f, f->type);
  }
  if (f->flags & SVC_READ_ONLY) openapi_text(w, ",\"readOnly\":true");
  if (f->flags & SVC_WRITE_ONLY) openapi_text(w, ",\"writeOnly\":true");
  if (preset) {
    openapi_text(w, ",\"default\":");
    svc_node_write(&w->b, preset);
  }
  openapi_text(w, "}");
}

static void openapi_field(openapi_writer *w, const svc_field *f)
{
  openapi_string(w, f->name);
  openapi_text(w, ":");
  openapi_value(w, f);
}

static void openapi_union(openapi_writer *w, const svc_object *o)
{
  const svc_variant *v;
  openapi_text(w, "{\"oneOf\":[");
  for (v = o->choice->variants; v->value; v++) {
    if (v != o->choice->variants) openapi_text(w, ",");
    openapi_ref(w, v->object);
  }
  openapi_text(w, "],\"discriminator\":{\"propertyName\":");
  openapi_string(w, o->choice->by);
  openapi_text(w, ",\"mapping\":{");
  for (v = o->choice->variants; v->value; v++) {
    if (v != o->choice->variants) openapi_text(w, ",");
    openapi_string(w, v->value);
    openapi_text(w, ":\"#/components/schemas/");
    openapi_text(w, v->object->name);
    openapi_text(w, "\"");
  }
  openapi_text(w, "}}}");
}

/* Is it this object, or a variant of it? */
static bool openapi_is_of(const svc_object *whole, const svc_object *o)
{
  const svc_variant *v;
  if (whole == o || !whole) return whole == o;
  for (v = SVC_VARIANTS_OF(whole); v && v->value; v++)
    if (openapi_is_of(v->object, o)) return true;
  return false;
}

/* What answers are made of has links. */
static bool openapi_has_links(const svc *s, const svc_object *o)
{
  size_t i;
  for (i = 0; i < s->plan_count; i++)
    if (openapi_is_of(s->plans[i].noun->noun->object, o) || openapi_is_of(s->plans[i].route->answer, o)) return true;
  return false;
}

static void openapi_object(openapi_writer *w, const svc_object *o)
{
  const svc_field *f;
  svc_fields fields;
  bool first = true;
  if (o->is_union) {
    openapi_union(w, o);
    return;
  }
  openapi_text(w, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
  svc_fields_begin(&fields, o);
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (!first) openapi_text(w, ",");
    openapi_field(w, f);
    first = false;
  }
  if (openapi_has_links(w->s, o)) {
    if (!first) openapi_text(w, ",");
    openapi_text(w, "\"links\":{\"$ref\":\"#/components/schemas/Links\"}");
  }
  openapi_text(w, "}");
  svc_fields_begin(&fields, o);
  for (first = true; (f = svc_fields_next(&fields)) != NULL;) {
    if (!(f->flags & SVC_REQUIRED) || f->flags & SVC_READ_ONLY) continue;
    openapi_text(w, first ? ",\"required\":[" : ",");
    openapi_string(w, f->name);
    first = false;
  }
  openapi_text(w, first ? "}" : "]}");
}

/* --------------------------------------------------------------------------------------------------------------- routes */

static void openapi_parameter(openapi_writer *w, const char *in, svc_str name, bool required, const svc_param *p, bool *first)
{
  svc_field f;
  memset(&f, 0, sizeof f);
  if (!*first) openapi_text(w, ",");
  *first = false;
  openapi_text(w, "{\"in\":\"");
  openapi_text(w, in);
  openapi_text(w, "\",\"name\":");
  svc_json_escape(&w->b, name);
  if (required) openapi_text(w, ",\"required\":true");
  openapi_text(w, ",\"schema\":");
  if (p) {
    f.format = p->format;
    f.values = p->values;
    f.pattern = p->pattern;
    if (p->flags & SVC_PARAM_REPEATS) openapi_text(w, "{\"type\":\"array\",\"items\":");
    openapi_scalar(w, &f, p->type);
    openapi_text(w, p->flags & SVC_PARAM_REPEATS ? "}}" : "}");
  } else {
    openapi_text(w, "{\"type\":\"string\"}");
  }
  openapi_text(w, "}");
}

static void openapi_parameters(openapi_writer *w, const svc_plan *plan)
{
  static const char *const lists[] = { "pageNum", "itemsPerPage", "includeCount" };
  const svc_param *p;
  bool first = true;
  unsigned i;
  openapi_text(w, "\"parameters\":[");
  for (i = 0; i < plan->param_count; i++) openapi_parameter(w, "path", plan->params[i], true, NULL, &first);
  for (p = plan->route->params; p && p->name; p++)
    openapi_parameter(w, "query", svc_str_c(p->name), p->flags & SVC_PARAM_REQUIRED, p, &first);
  for (i = 0; i < (plan->route->method == SVC_GET && plan->route->flags & (SVC_PAGED | SVC_BARE) ? 3u : 0u); i++) {
    openapi_text(w, first ? "{\"$ref\":\"#/components/parameters/" : ",{\"$ref\":\"#/components/parameters/");
    openapi_text(w, lists[i]);
    openapi_text(w, "\"}");
    first = false;
  }
  openapi_text(w, first ? "{\"$ref\":\"#/components/parameters/envelope\"}"
                        : ",{\"$ref\":\"#/components/parameters/envelope\"}");
  openapi_text(w, ",{\"$ref\":\"#/components/parameters/pretty\"}]");
}

static void openapi_media(openapi_writer *w, const svc_route *r)
{
  unsigned i = 0, v;
  char day[16];
  if (SVC_MORE_OF(r)->media && strchr(SVC_MORE_OF(r)->media, '/')) {
    openapi_text(w, SVC_MORE_OF(r)->media);
    return;
  }
  while (svc_route_version(r, i + 1)) i++;
  v = svc_route_version(r, i);
  svc_buf_str(&w->b, w->s->media_prefix);
  snprintf(day, sizeof day, "%04u-%02u-%02u", v / 10000 % 10000, v / 100 % 100, v % 100);
  openapi_text(w, day);
  openapi_text(w, "+");
  openapi_text(w, SVC_MORE_OF(r)->media ? SVC_MORE_OF(r)->media : "json");
}

static void openapi_body(openapi_writer *w, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_object *o = r->body ? r->body : plan->noun->noun->object;
  bool taken = r->method == SVC_POST || r->method == SVC_PUT || r->method == SVC_PATCH || r->body;
  if (!taken || r->flags & SVC_NO_BODY || !o) return;
  openapi_text(w, ",\"requestBody\":{\"required\":");
  openapi_text(w, r->flags & SVC_BODY_OPTIONAL ? "false" : "true");
  openapi_text(w, ",\"content\":{\"application/json\":{\"schema\":");
  if (r->flags & SVC_BODY_ARRAY) openapi_text(w, "{\"type\":\"array\",\"items\":");
  openapi_ref(w, o);
  if (r->flags & SVC_BODY_ARRAY) openapi_text(w, "}");
  if (r->example) {
    openapi_text(w, ",\"example\":");
    openapi_text(w, r->example);
  }
  openapi_text(w, "}}}");
}

static void openapi_responses(openapi_writer *w, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_object *o = r->answer ? r->answer : plan->noun->noun->object;
  int status = r->status ? r->status : 200;
  bool list = r->flags & (SVC_PAGED | SVC_BARE);
  openapi_text(w, ",\"responses\":{\"");
  svc_buf_i64(&w->b, status);
  openapi_text(w, "\":{\"description\":");
  openapi_string(w, svc_status_reason(status));
  if (status != 204) {
    openapi_text(w, ",\"content\":{\"");
    openapi_media(w, r);
    openapi_text(w, "\":{\"schema\":");
    if (r->flags & SVC_PAGED)
      openapi_text(w, "{\"type\":\"object\",\"properties\":{\"links\":{\"$ref\":\"#/components/schemas/Links\"},\"results\":");
    if (list) openapi_text(w, "{\"type\":\"array\",\"items\":");
    if (SVC_MORE_OF(r)->media) openapi_text(w, "{\"type\":\"string\",\"format\":\"binary\"}");
    else if (SVC_MORE_OF(r)->value) openapi_value(w, svc_field_named(o, svc_str_c(SVC_MORE_OF(r)->value)));
    else if (r->flags & SVC_TEXT) openapi_text(w, "{\"type\":\"string\"}");
    else if (o && !(r->flags & SVC_EMPTY_OBJECT)) openapi_ref(w, o);
    else openapi_text(w, "{\"type\":\"object\"}");
    if (list) openapi_text(w, "}");
    if (r->flags & SVC_PAGED) openapi_text(w, ",\"totalCount\":{\"type\":\"integer\"}}}");
    openapi_text(w, "}}");
  }
  openapi_text(w, "},\"default\":{\"$ref\":\"#/components/responses/error\"}}");
}

static void openapi_operation(openapi_writer *w, const svc_plan *plan)
{
  static const char *const methods[SVC_METHOD_COUNT] = { "get", "post", "put", "patch", "delete" };
  const svc_route *r = plan->route;
  openapi_text(w, "\"");
  openapi_text(w, methods[r->method]);
  openapi_text(w, "\":{\"tags\":[");
  openapi_string(w, plan->noun->noun->name);
  openapi_text(w, "],");
  if (r->op) {
    openapi_text(w, "\"operationId\":\"");
    openapi_text(w, r->op);
    openapi_text(w, "\",");
  }
  if (r->flags & SVC_NO_AUTH) openapi_text(w, "\"security\":[],");
  if (SVC_MORE_OF(r)->deprecated) openapi_text(w, "\"deprecated\":true,");
  openapi_parameters(w, plan);
  openapi_body(w, plan);
  openapi_responses(w, plan);
  openapi_text(w, "}");
}

static void openapi_paths(openapi_writer *w)
{
  const svc *s = w->s;
  size_t i, j;
  bool first = true;
  for (i = 0; i < s->plan_count; i++) {
    const char *path = s->plans[i].route->path;
    bool again = false, next = false;
    for (j = 0; j < i; j++) again |= strcmp(s->plans[j].route->path, path) == 0;
    if (again || s->plans[i].route->flags & SVC_ABSOLUTE) continue;
    openapi_text(w, first ? "" : ",");
    first = false;
    if (*path) {
      openapi_string(w, path);
      openapi_text(w, ":{");
    } else { /* the root has no slash at its end: a path of "/" behind the server's URL would lead nowhere */
      svc_json_escape(&w->b, s->base_path);
      openapi_text(w, ":{\"servers\":[{\"url\":");
      svc_json_escape(&w->b, s->base_url);
      openapi_text(w, "}],");
    }
    for (j = i; j < s->plan_count; j++) {
      if (strcmp(s->plans[j].route->path, path) != 0) continue;
      if (next) openapi_text(w, ",");
      openapi_operation(w, &s->plans[j]);
      next = true;
    }
    openapi_text(w, "}");
  }
}

/* Its bounds are the configuration's. */
static void openapi_items_per_page(openapi_writer *w)
{
  int64_t most = (int64_t)w->s->config.max_page;
  openapi_text(
      w, "\"itemsPerPage\":{\"in\":\"query\",\"name\":\"itemsPerPage\",\"schema\":{\"type\":\"integer\",\"minimum\":1");
  openapi_number(w, "maximum", most);
  openapi_number(w, "default", most < 100 ? most : 100);
  openapi_text(w, "}},");
}

static const char openapi_parts[] =
  "\"pageNum\":{\"in\":\"query\",\"name\":\"pageNum\",\"schema\":{\"type\":\"integer\",\"minimum\":1,\"default\":1}},"
  "\"includeCount\":{\"in\":\"query\",\"name\":\"includeCount\",\"schema\":{\"type\":\"boolean\",\"default\":true}},"
  "\"envelope\":{\"in\":\"query\",\"name\":\"envelope\",\"schema\":{\"type\":\"boolean\",\"default\":false}},"
  "\"pretty\":{\"in\":\"query\",\"name\":\"pretty\",\"schema\":{\"type\":\"boolean\",\"default\":false}}},"
  "\"responses\":{\"error\":{\"description\":\"An error\",\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
  "\"#/components/schemas/Error\"}}}}},"
  "\"securitySchemes\":{\"serviceAccount\":{\"type\":\"http\",\"scheme\":\"bearer\"},\"apiKey\":{\"type\":\"http\",\"scheme\":\"digest\"}},"
  "\"schemas\":{\"Error\":{\"type\":\"object\",\"required\":[\"error\",\"errorCode\"],\"properties\":{\"badRequestDetail\":{\"type\":\"object\"},"
  "\"detail\":{\"type\":\"string\"},\"error\":{\"type\":\"integer\"},\"errorCode\":{\"type\":\"string\"},\"parameters\":{\"type\":\"array\",\"items\":{}},"
  "\"reason\":{\"type\":\"string\"}}},\"Links\":{\"type\":\"array\",\"readOnly\":true,\"items\":{\"type\":\"object\",\"properties\":{"
  "\"href\":{\"type\":\"string\"},\"rel\":{\"type\":\"string\"}}}}";

SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a)
{
  openapi_writer *w = svc_arena_zero(a, sizeof *w);
  size_t i;
  if (!w) return SVC_S("");
  w->s = s;
  w->b = svc_buf_new(a, 64 << 10);
  openapi_text(w, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Administration API\",\"version\":\"" SVC_VERSION
                  "\"},\"servers\":[{\"url\":");
  svc_json_escape(&w->b, svc_arena_print(a, SVC_FMT SVC_FMT, SVC_ARG(s->base_url), SVC_ARG(s->base_path)));
  openapi_text(w, "}],\"security\":[{\"serviceAccount\":[]},{\"apiKey\":[]}],\"paths\":{");
  openapi_paths(w);
  openapi_text(w, "},\"components\":{\"parameters\":{");
  openapi_items_per_page(w);
  openapi_text(w, openapi_parts);
  for (i = 0; i < w->count; i++) { /* writing one may meet others, which then follow */
    openapi_text(w, ",");
    openapi_string(w, w->objects[i]->name);
    openapi_text(w, ":");
    openapi_object(w, w->objects[i]);
  }
  openapi_text(w, "}}}");
  return svc_buf_done(&w->b);
}
