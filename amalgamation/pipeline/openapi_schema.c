/*
** The schemas of the OpenAPI document: objects of the tables become components under their own names.
**
** A noun's own object stands for both its request and its answer, with the marks for what is read-only and write-only; what is
** write-only and has to be sent is required by the request alone. A PATCH
** has one of its own, since what is not sent stays as it is: nothing is required there and nothing has a default. That holds
** for the objects in it as well, but not for elements of arrays, which are always whole.
**
** The variants of a union tell themselves apart by the field that chooses them: each says only its own values of it.
*/
#include "pipeline/openapi_parts.h"

SVC_PRIVATE void svc_openapi_put(openapi_writer *w, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  for (; *format; format++) {
    if (*format != '%') svc_buf_char(&w->b, *format == '\'' ? '"' : *format);
    else if (*++format == 's') svc_buf_text(&w->b, va_arg(args, const char *));
    else if (*format == 'q') svc_json_escape(&w->b, svc_str_c(va_arg(args, const char *)));
    else svc_buf_i64(&w->b, va_arg(args, int64_t));
  }
  va_end(args);
}

/* ---------------------------------------------------------------------------------------------------------------- meeting */

static size_t schema_add(openapi_writer *w, const svc_object *object, bool patch)
{
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 256;
    openapi_met *grown = svc_arena_alloc(w->b.arena, room * sizeof *grown);
    if (!grown) return SIZE_MAX; /* the arena remembers it */
    if (w->count) memcpy(grown, w->met, w->count * sizeof *grown);
    w->met = grown;
    w->room = room;
  }
  w->met[w->count] = (openapi_met){ object, patch, NULL, 0 };
  return w->count++;
}

/* Who meets a union meets its variants, so that each is known as one before it is described. SIZE_MAX: no memory. */
static size_t schema_meet(openapi_writer *w, const svc_object *object, bool patch)
{
  const svc_variant *v;
  size_t i, variant;
  for (i = 0; i < w->count; i++)
    if (w->met[i].patch == patch && strcmp(w->met[i].object->name, object->name) == 0) return i;
  i = schema_add(w, object, patch);
  for (v = SVC_VARIANTS_OF(object); i != SIZE_MAX && v && v->value; v++) {
    variant = schema_meet(w, v->object, patch);
    if (variant == SIZE_MAX) return SIZE_MAX;
    w->met[variant].choice = object->choice;
    w->met[variant].within = i;
  }
  return i;
}

static const char *schema_suffix(bool patch)
{
  return patch ? "Patch" : "";
}

SVC_PRIVATE void svc_openapi_ref(openapi_writer *w, const svc_object *object, bool patch)
{
  schema_meet(w, object, patch);
  svc_openapi_put(w, "{'$ref':'#/components/schemas/%s%s'}", object->name, schema_suffix(patch));
}

/* ----------------------------------------------------------------------------------------------------------------- values */

static bool schema_may_be_null(const svc_field *f)
{
  return (f->flags & (SVC_NULLABLE | SVC_REQUIRED)) == SVC_NULLABLE;
}

static void schema_enum(openapi_writer *w, const char *const *values, bool or_null)
{
  const char *const *v;
  svc_openapi_put(w, ",'enum':[");
  for (v = values; *v; v++) {
    svc_openapi_put(w, v == values ? "" : ",");
    svc_json_escape(&w->b, svc_value_text(w->s, w->b.arena, *v));
  }
  svc_openapi_put(w, or_null ? ",null]" : "]");
}

/* The types of events are too many for a list of pointers. */
static void schema_event_types(openapi_writer *w, unsigned flags)
{
  const int where = (flags & SVC_GROUP_EVENTS ? SVC_EVENT_GROUP : 0) | (flags & SVC_ORG_EVENTS ? SVC_EVENT_ORG : 0);
  svc_event_type type;
  const char *comma = "";
  memset(&type, 0, sizeof type);
  svc_openapi_put(w, ",'enum':[");
  while (svc_event_type_next(&type)) {
    if (!(type.where & where) || (flags & SVC_ALERTABLE && !type.alertable)) continue;
    svc_openapi_put(w, comma);
    svc_json_escape(&w->b, svc_value_text(w->s, w->b.arena, type.name));
    comma = ",";
  }
  svc_openapi_put(w, "]");
}

static void schema_text(openapi_writer *w, const svc_field *f, bool or_null)
{
  static const char *const formats[] = { [SVC_FORMAT_ID] = "hex24", [SVC_FORMAT_IP] = "ip", [SVC_FORMAT_CIDR] = "cidr",
                                         [SVC_FORMAT_IP_OR_CIDR] = "ip-or-cidr", [SVC_FORMAT_EMAIL] = "email",
                                         [SVC_FORMAT_UUID] = "uuid", [SVC_FORMAT_URI] = "uri", [SVC_FORMAT_DAY] = "date",
                                         [SVC_FORMAT_TRIMMED] = "trimmed", [SVC_FORMAT_DOMAIN] = "domain" };
  if (f->values) schema_enum(w, f->values, or_null);
  if (f->flags & (SVC_GROUP_EVENTS | SVC_ORG_EVENTS)) schema_event_types(w, f->flags);
  if (f->format) svc_openapi_put(w, ",'format':'%s'", formats[f->format]);
  if (f->pattern) svc_openapi_put(w, ",'pattern':%q", f->pattern);
  if (f->min) svc_openapi_put(w, ",'minLength':%d", (int64_t)f->min);
  if (f->max) svc_openapi_put(w, ",'maxLength':%d", (int64_t)f->max);
}

SVC_PRIVATE void svc_openapi_scalar(openapi_writer *w, const svc_field *f, int type)
{
  static const char *const types[] = { "string", "integer", "integer", "number", "boolean", "string" };
  static const char *const formats[] = { "", ",'format':'int32'", ",'format':'int64'", "", "", ",'format':'date-time'" };
  bool or_null = type == (int)f->type && schema_may_be_null(f);
  if (type == SVC_ANY) {
    svc_openapi_put(w, "{'description':'any JSON'");
    return;
  }
  svc_openapi_put(w, or_null ? "{'type':['%s','null']" : "{'type':'%s'", types[type]);
  svc_openapi_put(w, formats[type]);
  if (type == SVC_STRING) schema_text(w, f, or_null);
  if (type == SVC_STRING || type == SVC_DATE) return;
  if (f->flags & SVC_MIN) svc_openapi_put(w, ",'minimum':%d", f->min);
  if (f->flags & SVC_MAX) svc_openapi_put(w, ",'maximum':%d", f->max);
}

static void schema_item(openapi_writer *w, const svc_field *f)
{
  if (f->item == SVC_OBJECT) {
    svc_openapi_ref(w, f->object, false);
  } else {
    svc_openapi_scalar(w, f, f->item);
    svc_openapi_put(w, "}");
  }
}

/* What holds others; without its closing brace. */
static void schema_holder(openapi_writer *w, const svc_field *f, bool patch)
{
  bool or_null = schema_may_be_null(f);
  if (f->type == SVC_OBJECT) {
    svc_openapi_put(w, or_null ? "{'anyOf':[" : "{'allOf':[");
    svc_openapi_ref(w, f->object, patch);
    svc_openapi_put(w, or_null ? ",{'type':'null'}]" : "]");
    return;
  }
  svc_openapi_put(w, or_null ? "{'type':['%s','null'],'%s':" : "{'type':'%s','%s':", f->type == SVC_ARRAY ? "array" : "object",
                  f->type == SVC_ARRAY ? "items" : "additionalProperties");
  schema_item(w, f);
  if (f->type != SVC_ARRAY) return;
  if (f->min_items) svc_openapi_put(w, ",'minItems':%d", (int64_t)f->min_items);
  if (f->max_items) svc_openapi_put(w, ",'maxItems':%d", (int64_t)f->max_items);
  if (f->flags & SVC_UNIQUE_ITEMS) svc_openapi_put(w, ",'uniqueItems':true");
}

SVC_PRIVATE void svc_openapi_value(openapi_writer *w, const svc_field *f, bool patch)
{
  const svc_node *preset = patch ? NULL : svc_preset(w->s, w->b.arena, f);
  if (f->type == SVC_OBJECT || f->type == SVC_ARRAY || f->type == SVC_MAP) schema_holder(w, f, patch);
  else svc_openapi_scalar(w, f, f->type);
  if (f->flags & SVC_READ_ONLY || (patch && f->flags & SVC_FIXED)) svc_openapi_put(w, ",'readOnly':true");
  if (f->flags & SVC_WRITE_ONLY) svc_openapi_put(w, ",'writeOnly':true");
  if (preset) {
    svc_openapi_put(w, ",'default':");
    svc_node_write(&w->b, preset);
  }
  svc_openapi_put(w, "}");
}

/* ---------------------------------------------------------------------------------------------------------------- objects */

static void schema_union(openapi_writer *w, const svc_object *object, bool patch)
{
  const svc_variant *v, *first = object->choice->variants;
  const char *comma = "";
  svc_openapi_put(w, patch ? "{'anyOf':[" : "{'oneOf':["); /* who does not say which it is may mean several */
  for (v = first; v->value; v++) {
    const svc_variant *same = first;
    while (same->object != v->object) same++;
    if (same != v) continue; /* one variant of several values */
    svc_openapi_put(w, comma);
    svc_openapi_ref(w, v->object, patch);
    comma = ",";
  }
  svc_openapi_put(w, "],'discriminator':{'propertyName':%q,'mapping':{", object->choice->by);
  for (v = first; v->value; v++) {
    svc_openapi_put(w, v == first ? "" : ",");
    svc_json_escape(&w->b, svc_value_text(w->s, w->b.arena, v->value));
    svc_openapi_put(w, ":'#/components/schemas/%s%s'", v->object->name, schema_suffix(patch));
  }
  svc_openapi_put(w, "}}}");
}

/* The values by which this field chooses the object, in a copy of the field: *chosen; and may it be left out for that? */
static bool schema_chosen(openapi_writer *w, const openapi_met *met, const svc_field *f, svc_field *chosen, bool *always)
{
  const svc_variant *v;
  const char **values;
  size_t n = 0;
  for (; met->choice && strcmp(met->choice->by, f->name) != 0; met = &w->met[met->within]) continue;
  if (!met->choice) return false;
  for (v = met->choice->variants; v->value; v++) n += v->object == met->object;
  values = svc_arena_zero(w->b.arena, (n + 1) * sizeof *values);
  if (!values) return false;
  *chosen = *f;
  chosen->values = values;
  chosen->preset = NULL; /* it may be that of another variant */
  *always = true;
  for (v = met->choice->variants; v->value; v++) {
    if (v->object != met->object) continue;
    *values++ = v->value;
    if (met->choice->otherwise && strcmp(met->choice->otherwise, v->value) == 0) *always = false;
  }
  return true;
}

/* Is it this object, or a variant of it? */
static bool schema_is_of(const svc_object *whole, const svc_object *o)
{
  const svc_variant *v;
  if (whole == o || !whole) return whole == o;
  for (v = SVC_VARIANTS_OF(whole); v && v->value; v++)
    if (schema_is_of(v->object, o)) return true;
  return false;
}

/* What answers are made of has links. */
static bool schema_has_links(const svc *s, const svc_object *o)
{
  size_t i;
  for (i = 0; i < s->plan_count; i++)
    if (schema_is_of(s->plans[i].noun->noun->object, o) || schema_is_of(s->plans[i].route->answer, o)) return true;
  return false;
}

static void schema_required(openapi_writer *w, const openapi_met *met)
{
  const char *before = ",'required':[";
  const svc_field *f;
  svc_fields fields;
  svc_field chosen;
  svc_fields_begin(&fields, met->object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool always = false;
    schema_chosen(w, met, f, &chosen, &always);
    if (!always && (f->flags & (SVC_REQUIRED | SVC_READ_ONLY | SVC_WRITE_ONLY)) != SVC_REQUIRED) continue;
    svc_openapi_put(w, before);
    svc_openapi_put(w, "%q", f->name);
    before = ",";
  }
  svc_openapi_put(w, before[1] ? "" : "]");
}

static void schema_object(openapi_writer *w, size_t number)
{
  openapi_met met = w->met[number];
  const char *comma = "";
  const svc_field *f;
  svc_fields fields;
  svc_field chosen;
  bool always;
  if (met.object->choice) {
    schema_union(w, met.object, met.patch);
    return;
  }
  svc_openapi_put(w, "{'type':'object','additionalProperties':false,'properties':{");
  svc_fields_begin(&fields, met.object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    svc_openapi_put(w, "%s%q:", comma, f->name);
    svc_openapi_value(w, schema_chosen(w, &met, f, &chosen, &always) ? &chosen : f, met.patch);
    comma = ",";
  }
  if (schema_has_links(w->s, met.object)) svc_openapi_put(w, "%s'links':{'$ref':'#/components/schemas/Links'}", comma);
  svc_openapi_put(w, "}");
  if (!met.patch) schema_required(w, &met);
  svc_openapi_put(w, "}");
}

SVC_PRIVATE void svc_openapi_schemas(openapi_writer *w)
{
  size_t i;
  for (i = 0; i < w->count; i++) { /* writing one may meet others, which then follow */
    svc_openapi_put(w, ",'%s%s':", w->met[i].object->name, schema_suffix(w->met[i].patch));
    schema_object(w, i);
  }
}
