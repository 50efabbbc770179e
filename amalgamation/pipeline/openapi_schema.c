/*
** The schemas of the OpenAPI document: objects of the tables become components under their own names.
**
** A noun's own object serves as request and answer, with read-only fields marked. An object gets a separate component
** for requests if they differ: if it has write-only fields, or fields that are required under a condition.
** The body of a PUT has its own component if a field that never changes is required: without it the stored value stays. A PATCH
** has its own, because fields that are not sent stay unchanged: nothing is required and nothing has a default. The same holds
** for objects inside, but not for elements of arrays, which are always sent as a whole.
**
** The variants of a union differ in the field that selects them: each allows only its own values of it.
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

/* ----------------------------------------------------------------------------------------------------------- descriptions */

/* A description shows the dialect's words for fields and known values between backticks. The text is valid until the next call: only the
** document itself should stay in memory. */
static svc_str schema_turned(openapi_writer *w, const char *text)
{
  svc_str rest = svc_str_c(text);
  svc_buf *b = &w->about;
  bool quoted = false;
  if (!b->arena) *b = svc_buf_new(w->b.arena, 1024);
  b->n = 0;
  while (rest.n) {
    svc_str word = svc_str_cut(&rest, '`'), shown = quoted ? svc_shown_field(w->s, word) : word;
    if (quoted && shown.p == word.p) shown = svc_shown_word(w->s, w->b.arena, word);
    svc_buf_str(b, shown);
    if (word.p[word.n] == '`') svc_buf_char(b, '`');
    quoted = !quoted;
  }
  return (svc_str){ b->p, b->failed ? 0 : b->n };
}

SVC_PRIVATE bool svc_openapi_about(openapi_writer *w, const char *before, int what, const char *of, const char *name)
{
  const svc_config *k = &w->s->config;
  const char *text = k->describe ? k->describe(k->describe_context, what, of, name) : NULL;
  if (!text) return false;
  svc_openapi_put(w, before);
  svc_json_escape(&w->b, schema_turned(w, text));
  return true;
}

/* The description of a field: from the object itself, from a base object, or from the field in any object. */
static bool schema_about(openapi_writer *w, const char *before, const svc_object *of, const char *name)
{
  const svc_object *o;
  for (o = of; o; o = o->base)
    if (o->name && svc_openapi_about(w, before, SVC_DESCRIBE_FIELD, o->name, name)) return true;
  return of && svc_openapi_about(w, before, SVC_DESCRIBE_FIELD, "*", name);
}

/* ---------------------------------------------------------------------------------------------------------------- meeting */

#define SCHEMA_DEPTH 12 /* depth of nested objects: an object may contain its own kind */

/* Whether requests of this object differ from answers. */
static bool schema_asks_more(const svc_object *object, int depth)
{
  const svc_variant *v;
  const svc_field *f;
  svc_fields fields;
  if (depth == SCHEMA_DEPTH) return false;
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++)
    if (schema_asks_more(v->object, depth + 1)) return true;
  if (svc_object_needs(object)) return true;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (f->flags & SVC_WRITE_ONLY) return true;
    if (f->type != SVC_ANY && svc_field_object(f) && schema_asks_more(svc_field_object(f), depth + 1)) return true;
  }
  return false;
}

/* Whether the field is required in a create but not in a PUT, because the stored value stays. */
static bool schema_stays(const svc_field *f)
{
  const unsigned unseen = SVC_SEALED | SVC_WRITE_ONLY;
  return f->flags & SVC_REQUIRED && (f->flags & SVC_FIXED || (f->flags & unseen) == unseen);
}

/* Whether the object, or one inside of it, has a field for which schema_stays() holds. */
static bool schema_keeps_some(const svc_object *object, int depth)
{
  const svc_variant *v;
  const svc_field *f;
  svc_fields fields;
  if (depth == SCHEMA_DEPTH) return false;
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++)
    if (schema_keeps_some(v->object, depth + 1)) return true;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL)
    if (schema_stays(f) || (f->type == SVC_OBJECT && schema_keeps_some(svc_field_object(f), depth + 1))) return true;
  return false;
}

/* The component that describes an object: several views may be the same. */
static int schema_as(const svc_object *object, int as)
{
  if (as == OPENAPI_REPLACE && !schema_keeps_some(object, 0)) as = OPENAPI_REQUEST;
  return as == OPENAPI_REQUEST && !schema_asks_more(object, 0) ? OPENAPI_ANSWER : as;
}

static size_t schema_add(openapi_writer *w, const svc_object *object, int as)
{
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 256;
    openapi_met *grown = svc_arena_alloc(w->b.arena, room * sizeof *grown);
    if (!grown) return SIZE_MAX; /* the arena remembers the failure */
    if (w->count) memcpy(grown, w->met, w->count * sizeof *grown);
    w->met = grown;
    w->room = room;
  }
  w->met[w->count] = (openapi_met){ object, as, NULL, 0 };
  return w->count++;
}

/* The index of the component for this object and view, which is added if it is new. Adding a union adds its variants, so that each is
** known as a variant before it is described. SIZE_MAX: out of memory. */
static size_t schema_meet(openapi_writer *w, const svc_object *object, int as)
{
  const svc_variant *v;
  size_t i, variant;
  for (i = 0; i < w->count; i++)
    if (w->met[i].as == as && strcmp(w->met[i].object->name, object->name) == 0) return i;
  i = schema_add(w, object, as);
  for (v = SVC_VARIANTS_OF(object); i != SIZE_MAX && v && v->value; v++) {
    variant = schema_meet(w, v->object, schema_as(v->object, as));
    if (variant == SIZE_MAX) return SIZE_MAX;
    w->met[variant].choice = svc_object_ext_of(object)->choice;
    w->met[variant].within = i;
  }
  return i;
}

static const char *schema_suffix(int as)
{
  static const char *const suffixes[] = { [OPENAPI_ANSWER] = "", [OPENAPI_REQUEST] = "Request", [OPENAPI_REPLACE] = "Replace",
                                          [OPENAPI_PATCH] = "Patch" };
  return suffixes[as];
}

SVC_PRIVATE void svc_openapi_ref(openapi_writer *w, const svc_object *object, int as)
{
  as = schema_as(object, as);
  schema_meet(w, object, as);
  svc_openapi_put(w, "{'$ref':'#/components/schemas/%s%s'}", object->name, schema_suffix(as));
}

/* ----------------------------------------------------------------------------------------------------------------- values */

static bool schema_may_be_null(const svc_field *f)
{
  return (f->flags & (SVC_NULLABLE | SVC_REQUIRED)) == SVC_NULLABLE;
}

static void schema_enum(openapi_writer *w, const char *const *values, int type, bool or_null)
{
  const char *const *v;
  svc_openapi_put(w, "'enum':[");
  for (v = values; *v; v++) {
    svc_openapi_put(w, v == values ? "" : ",");
    if (type == SVC_INT32) svc_openapi_put(w, "%s", *v);
    else svc_json_escape(&w->b, svc_shown_value(w->s, w->b.arena, *v));
  }
  svc_openapi_put(w, or_null ? ",null]" : "]");
}

/* The known values of a field that may have others. */
static void schema_open(openapi_writer *w, const char *const *values)
{
  svc_openapi_put(w, ",'anyOf':[{");
  schema_enum(w, values, SVC_STRING, false);
  svc_openapi_put(w, "},{}]");
}

/* One of the values, or an object with that name. Without its closing brace. */
static void schema_name(openapi_writer *w, const svc_field *f)
{
  svc_openapi_put(w, "{'anyOf':[{'type':'string',");
  schema_enum(w, f->values, SVC_STRING, false);
  svc_openapi_put(w, "},{'type':'object'}]");
}

/* Event types are too many for a list of pointers. */
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
    svc_json_escape(&w->b, svc_shown_value(w->s, w->b.arena, type.name));
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
  if (f->values && f->flags & SVC_OPEN) schema_open(w, f->values);
  else if (f->values) svc_openapi_put(w, ","), schema_enum(w, f->values, SVC_STRING, or_null);
  if (f->flags & (SVC_GROUP_EVENTS | SVC_ORG_EVENTS)) schema_event_types(w, f->flags);
  if (f->format) svc_openapi_put(w, ",'format':'%s'", formats[f->format]);
  if (svc_field_pattern(f)) svc_openapi_put(w, ",'pattern':%q", svc_field_pattern(f));
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
  if (type == SVC_NAME) {
    schema_name(w, f);
    return;
  }
  svc_openapi_put(w, or_null ? "{'type':['%s','null']" : "{'type':'%s'", types[type]);
  svc_openapi_put(w, formats[type]);
  if (type == SVC_STRING) schema_text(w, f, or_null);
  if (type == SVC_STRING || type == SVC_DATE) return;
  if (type == SVC_INT32 && f->values) svc_openapi_put(w, ","), schema_enum(w, f->values, type, or_null);
  if (f->flags & SVC_MIN) svc_openapi_put(w, ",'minimum':%d", svc_field_min(f));
  if (f->flags & SVC_MAX) svc_openapi_put(w, ",'maximum':%d", svc_field_max(f));
}

static void schema_item(openapi_writer *w, const svc_field *f, int as)
{
  if (f->item == SVC_OBJECT) {
    svc_openapi_ref(w, svc_field_object(f), as == OPENAPI_ANSWER ? OPENAPI_ANSWER : OPENAPI_REQUEST);
  } else {
    svc_openapi_scalar(w, f, f->item);
    svc_openapi_put(w, "}");
  }
}

/* An object, array or map; without its closing brace. */
static void schema_holder(openapi_writer *w, const svc_field *f, int as)
{
  bool or_null = schema_may_be_null(f);
  if (f->type == SVC_OBJECT) {
    svc_openapi_put(w, or_null ? "{'anyOf':[" : "{'allOf':[");
    svc_openapi_ref(w, svc_field_object(f), as);
    svc_openapi_put(w, or_null ? ",{'type':'null'}]" : "]");
    return;
  }
  svc_openapi_put(w, or_null ? "{'type':['%s','null'],'%s':" : "{'type':'%s','%s':", f->type == SVC_ARRAY ? "array" : "object",
                  f->type == SVC_ARRAY ? "items" : "additionalProperties");
  schema_item(w, f, as);
  if (f->type != SVC_ARRAY) return;
  if (f->flags & SVC_NOT_EMPTY) svc_openapi_put(w, ",'minItems':1");
  if (f->max_items) svc_openapi_put(w, ",'maxItems':%d", (int64_t)f->max_items);
  if (f->flags & SVC_UNIQUE_ITEMS) svc_openapi_put(w, ",'uniqueItems':true");
}

SVC_PRIVATE void svc_openapi_value(openapi_writer *w, const svc_field *f, int as, const svc_object *of)
{
  bool any = f->type == SVC_ANY && schema_about(w, "{'description':", of, f->name); /* the host's description replaces "any JSON" */
  const svc_node *preset = as == OPENAPI_PATCH ? NULL : svc_turn_shown(w->s, w->b.arena, f, svc_preset(w->s, w->b.arena, f));
  if (f->type == SVC_OBJECT || f->type == SVC_ARRAY || f->type == SVC_MAP) schema_holder(w, f, as);
  else if (!any) svc_openapi_scalar(w, f, f->type);
  if (f->type != SVC_ANY) schema_about(w, ",'description':", of, f->name);
  if (f->flags & SVC_READ_ONLY || (as == OPENAPI_PATCH && f->flags & SVC_FIXED)) svc_openapi_put(w, ",'readOnly':true");
  if (f->flags & SVC_WRITE_ONLY) svc_openapi_put(w, ",'writeOnly':true");
  if (preset) {
    svc_openapi_put(w, ",'default':");
    svc_node_write(&w->b, preset);
  }
  svc_openapi_put(w, "}");
}

/* ---------------------------------------------------------------------------------------------------------------- objects */

static const char *schema_field(const openapi_writer *w, const char *name)
{
  return svc_shown_field(w->s, svc_str_c(name)).p;
}

static void schema_union(openapi_writer *w, const svc_object *object, int as)
{
  const svc_variant *v, *first = svc_object_ext_of(object)->choice->variants;
  const char *comma = "";
  svc_openapi_put(w, as >= OPENAPI_REPLACE ? "{'anyOf':[" : "{'oneOf':["); /* a body that does not name its variant may match several */
  for (v = first; v->value; v++) {
    const svc_variant *same = first;
    while (same->object != v->object) same++;
    if (same != v) continue; /* several values select the same variant */
    svc_openapi_put(w, comma);
    svc_openapi_ref(w, v->object, as);
    comma = ",";
  }
  svc_openapi_put(w, "],'discriminator':{'propertyName':%q,'mapping':{", schema_field(w, svc_object_ext_of(object)->choice->by));
  for (v = first; v->value; v++) {
    svc_openapi_put(w, v == first ? "" : ",");
    svc_json_escape(&w->b, svc_shown_value(w->s, w->b.arena, v->value));
    svc_openapi_put(w, ":'#/components/schemas/%s%s'", v->object->name, schema_suffix(schema_as(v->object, as)));
  }
  svc_openapi_put(w, "}}}");
}

/* The values of this field that select the object, in a copy of the field (*chosen). *always: whether the field is required for that. */
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
  chosen->preset = NULL; /* the default may belong to another variant */
  *always = true;
  for (v = met->choice->variants; v->value; v++) {
    if (v->object != met->object) continue;
    *values++ = v->value;
    if (met->choice->otherwise && strcmp(met->choice->otherwise, v->value) == 0) *always = false;
  }
  return true;
}

/* Whether o is this object or a variant of it. */
static bool schema_is_of(const svc_object *whole, const svc_object *o)
{
  const svc_variant *v;
  if (whole == o || !whole) return whole == o;
  for (v = SVC_VARIANTS_OF(whole); v && v->value; v++)
    if (schema_is_of(v->object, o)) return true;
  return false;
}

/* Objects of answers have links, and answers may be sent back. */
static bool schema_has_links(const svc *s, const svc_object *o)
{
  size_t i;
  for (i = 0; i < s->plan_count; i++) {
    const svc_route *r = s->plans[i].route;
    bool changes = r->method == SVC_PUT || r->method == SVC_PATCH;
    const svc_older *v;
    if (schema_is_of(s->plans[i].noun->noun->object, o) || schema_is_of(r->answer, o) || (changes && schema_is_of(r->body, o))) return true;
    for (v = r->older; v && v->date; v++)
      if (schema_is_of(v->answer, o) || (changes && schema_is_of(v->body, o))) return true;
  }
  return false;
}

/* Whether a need has no condition: a plain list of required fields. */
static bool schema_is_always(const svc_need *need)
{
  return !need->where && !strchr(need->fields, '|');
}

/* Writes such fields after the required ones. Returns the separator for the next one. */
static const char *schema_always_needed(openapi_writer *w, const svc_object *object, const char *before)
{
  const svc_need *need;
  for (; object; object = object->base) {
    for (need = svc_object_ext_of(object)->needs; need && need->fields; need++) {
      svc_str rest = schema_is_always(need) ? svc_str_c(need->fields) : SVC_S("");
      while (rest.n) {
        svc_openapi_put(w, before);
        svc_json_escape(&w->b, svc_shown_field(w->s, svc_str_cut(&rest, ' ')));
        before = ",";
      }
    }
  }
  return before;
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
    if (!always && (f->flags & (SVC_REQUIRED | SVC_READ_ONLY)) != SVC_REQUIRED) continue;
    if (met->as == OPENAPI_ANSWER && f->flags & SVC_WRITE_ONLY) continue;
    if (met->as == OPENAPI_REPLACE && schema_stays(f)) continue;
    svc_openapi_put(w, before);
    svc_openapi_put(w, "%q", schema_field(w, f->name));
    before = ",";
  }
  if (met->as == OPENAPI_REQUEST || met->as == OPENAPI_REPLACE) before = schema_always_needed(w, met->object, before);
  svc_openapi_put(w, before[1] ? "" : "]");
}

/* The values of a condition's term, each as JSON; true: one of them is the field's default. */
static bool schema_need_values(openapi_writer *w, const svc_field *f, svc_str values)
{
  const svc_node *preset = svc_preset(w->s, w->b.arena, f);
  const char *comma = "";
  bool is_preset = false;
  while (values.n) {
    svc_str value = svc_value_text(w->s, w->b.arena, svc_arena_copy(w->b.arena, svc_str_cut(&values, '|')).p);
    svc_openapi_put(w, comma);
    if (f->type == SVC_STRING) svc_json_escape(&w->b, svc_turned_value(w->s, f, value));
    else svc_buf_str(&w->b, value);
    is_preset = is_preset || (preset && svc_str_eq(preset->text, value));
    comma = ",";
  }
  return is_preset;
}

/* A condition as a schema: each field has one of its values, or any value. */
static void schema_need_where(openapi_writer *w, const svc_object *object, const char *where)
{
  svc_str rest = svc_str_c(where), name, values;
  svc_buf required = svc_buf_new(w->b.arena, 64);
  const char *comma = "";
  bool is_preset;
  svc_openapi_put(w, "{'properties':{");
  while (svc_need_term(&rest, &name, &values)) {
    const svc_field *f = svc_field_named(object, name);
    is_preset = false;
    if (values.n && SVC_ALWAYS(f != NULL)) {
      svc_openapi_put(w, "%s%q:{'enum':[", comma, schema_field(w, f->name));
      is_preset = schema_need_values(w, f, values);
      svc_openapi_put(w, "]}");
      comma = ",";
    }
    if (is_preset) continue;
    svc_buf_text(&required, required.n ? "," : ",\"required\":[");
    svc_json_escape(&required, svc_shown_field(w->s, name));
  }
  svc_openapi_put(w, "}");
  if (required.n) svc_buf_char(&required, ']');
  svc_buf_str(&w->b, svc_buf_done(&required));
  svc_openapi_put(w, "}");
}

/* The fields of a need: all of them, or one of several. */
static void schema_need_fields(openapi_writer *w, const char *fields)
{
  bool either = strchr(fields, '|') != NULL;
  svc_str rest = svc_str_c(fields);
  const char *comma = "";
  svc_openapi_put(w, either ? "{'anyOf':[" : "{'required':[");
  while (rest.n) {
    svc_openapi_put(w, "%s%s", comma, either ? "{\"required\":[" : "");
    svc_json_escape(&w->b, svc_shown_field(w->s, svc_str_cut(&rest, either ? '|' : ' ')));
    svc_openapi_put(w, either ? "]}" : "");
    comma = ",";
  }
  svc_openapi_put(w, "]}");
}

static void schema_needs(openapi_writer *w, const svc_object *object)
{
  const char *before = ",'allOf':[";
  const svc_object *o;
  const svc_need *need;
  for (o = object; o; o = o->base) {
    for (need = svc_object_ext_of(o)->needs; need && need->fields; need++) {
      if (schema_is_always(need)) continue; /* listed with the required fields */
      svc_openapi_put(w, before);
      before = ",";
      if (need->where) {
        svc_openapi_put(w, "{'if':");
        schema_need_where(w, object, need->where);
        svc_openapi_put(w, need->unless ? ",'else':" : ",'then':");
      }
      schema_need_fields(w, need->fields);
      if (need->where) svc_openapi_put(w, "}");
    }
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
  if (svc_object_ext_of(met.object)->choice) {
    schema_union(w, met.object, met.as);
    return;
  }
  svc_openapi_put(w, "{'type':'object','additionalProperties':false,'properties':{");
  svc_fields_begin(&fields, met.object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (met.as == OPENAPI_ANSWER && f->flags & SVC_WRITE_ONLY) continue;
    svc_openapi_put(w, "%s%q:", comma, schema_field(w, f->name));
    svc_openapi_value(w, schema_chosen(w, &met, f, &chosen, &always) ? &chosen : f, met.as, met.object);
    comma = ",";
  }
  if (schema_has_links(w->s, met.object)) svc_openapi_put(w, "%s'links':{'$ref':'#/components/schemas/Links'}", comma);
  svc_openapi_put(w, "}");
  if (met.as != OPENAPI_PATCH) schema_required(w, &met);
  if (met.as == OPENAPI_REQUEST || met.as == OPENAPI_REPLACE) schema_needs(w, met.object);
  svc_openapi_put(w, "}");
}

SVC_PRIVATE void svc_openapi_schemas(openapi_writer *w)
{
  size_t i;
  for (i = 0; i < w->count; i++) { /* writing one may add others, which then follow */
    svc_openapi_put(w, ",'%s%s':", w->met[i].object->name, schema_suffix(w->met[i].as));
    schema_object(w, i);
  }
}
