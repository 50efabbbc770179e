/*
** A body checked against the table of its fields.
**
** One walk over the table, in parallel with the input and the stored body, gives the body to be stored: defaults filled
** in, numbers and dates in one form, members sorted. Every violation is noted with the full path of the field, so that
** the caller sees all of them at once.
**
** The rule: the answer of a GET may be sent back. A read-only field, and links, are accepted if they are unchanged; in a create, if
** they are what the service would set. Clients send whole structs: the zero value of a read-only field counts as not sent, and so
** does null on a create or for a field without a value. On an update null clears nullable fields.
*/
#include "pipeline/pipeline.h"

/* The position of the walk; written out only for a violation. */
typedef struct check_path {
  const struct check_path *up;
  svc_str name;
  size_t index; /* in an array; SIZE_MAX: a member */
} check_path;

static svc_node *check_object(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before, int mode,
                              const check_path *path);

static void check_write_path(svc_buf *b, const check_path *path)
{
  if (!path) return;
  check_write_path(b, path->up);
  if (path->index != SIZE_MAX) {
    svc_buf_char(b, '[');
    svc_buf_i64(b, (int64_t)path->index);
    svc_buf_char(b, ']');
  } else {
    if (b->n) svc_buf_char(b, '.');
    svc_buf_str(b, path->name);
  }
}

static svc_str check_path_text(svc_call *c, const check_path *path)
{
  svc_buf b = svc_buf_new(c->arena, 64);
  check_write_path(&b, path);
  return svc_buf_done(&b);
}

#define CHECK_MEANT 8 /* maximum violations with a suggestion */
#define CHECK_VARIANTS 64 /* maximum variants of a union that an error lists */

/* Notes a violation; the result is NULL. */
#define CHECK_NO(c, code, path, ...) (svc_violate(c, code, check_path_text(c, path), __VA_ARGS__), (svc_node *)NULL)

/* The same for a value of the right type, which is kept for a specific error of the field. Errors never contain secrets. */
#define CHECK_BAD(c, code, input, path, ...) \
  (check_note(svc_violate(c, code, check_path_text(c, path), __VA_ARGS__), SVC_FIELD_FAULT_VALUE, check_tell(c, f, (input)->text)), \
   (svc_node *)NULL)

/* The value for an error text; empty for a secret. */
static svc_str check_telling(const svc_field *f, svc_str value)
{
  return f->flags & (SVC_SEALED | SVC_WRITE_ONLY) ? SVC_S("") : value;
}

/* The same in the words of the dialect. */
static svc_str check_tell(const svc_call *c, const svc_field *f, svc_str value)
{
  return svc_turned_value(c->s, f, check_telling(f, value));
}

static void check_note(svc_violation *v, int fault, svc_str value)
{
  if (!v) return;
  v->fault = fault;
  v->value = value;
}

/* --------------------------------------------------------------------------------------------------------------- values */

static svc_node *check_long(svc_call *c, const svc_field *f, const svc_node *input, const check_path *path)
{
  svc_violation *v = svc_violate(c, SVC_E_INVALID_ATTRIBUTE, check_path_text(c, path), "must have at most %lld characters",
                                 (long long)f->max);
  check_note(v, SVC_FIELD_FAULT_LONG, check_tell(c, f, input->text));
  if (v) v->most = f->max;
  return NULL;
}

/* The listed value that equals this text, ignoring case; NULL: none. */
static const char *check_any_case(const svc_field *f, svc_str text)
{
  const char *const *value = f->flags & SVC_ANY_CASE ? f->values : NULL;
  while (value && *value && !svc_str_is_nocase(text, *value)) value++;
  return value ? *value : NULL;
}

static svc_node *check_string(svc_call *c, const svc_field *f, const svc_node *input, const check_path *path)
{
  size_t length = svc_utf8_length(input->text);
  const char *spelt = check_any_case(f, input->text);
  if (spelt) return svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_str_c(spelt));
  if (f->flags & SVC_SEALED && !svc_may_seal(input->text))
    return CHECK_NO(c, SVC_E_INVALID_ATTRIBUTE, path, "must be a secret without NUL, or the masked form of the stored secret");
  if (f->values && !(f->flags & SVC_OPEN) && !svc_value_in(c->s, input->text, f->values))
    return CHECK_BAD(c, SVC_E_INVALID_ENUM_VALUE, input, path, "must be %s", svc_values_meant(c, f->values, check_telling(f, input->text)).p);
  if ((int64_t)length < f->min)
    return CHECK_BAD(c, SVC_E_INVALID_ATTRIBUTE, input, path, "must have at least %lld characters", (long long)f->min);
  if (f->max && (int64_t)length > f->max) return check_long(c, f, input, path);
  if (f->format && !svc_format_check(f->format, input->text))
    return CHECK_BAD(c, SVC_E_INVALID_ATTRIBUTE, input, path, "must be %s", svc_format_name(f->format));
  if (svc_field_pattern(f) && !svc_pattern_match(svc_field_pattern(f), input->text))
    return CHECK_BAD(c, SVC_E_INVALID_ATTRIBUTE, input, path, "must match %s", svc_field_pattern(f));
  return svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), input->text);
}

static svc_node *check_bounds(svc_call *c, const svc_field *f, bool below, bool above, const svc_node *input,
                              const check_path *path)
{
  int64_t min = svc_field_min(f);
  int code = min == 0 ? SVC_E_ATTRIBUTE_NEGATIVE : min == 1 ? SVC_E_ATTRIBUTE_NEGATIVE_OR_ZERO : SVC_E_INVALID_ATTRIBUTE;
  if (f->flags & SVC_MIN && below) return CHECK_BAD(c, code, input, path, "must be at least %lld", (long long)min);
  if (f->flags & SVC_MAX && above)
    return CHECK_BAD(c, SVC_E_INVALID_ATTRIBUTE, input, path, "must be at most %lld", (long long)svc_field_max(f));
  return svc_node_new(c->arena, SVC_J_NUMBER, SVC_S(""), SVC_S("0"));
}

static svc_node *check_integer(svc_call *c, const svc_field *f, int type, const svc_node *input, const check_path *path)
{
  svc_node *out;
  int64_t value;
  if (!svc_json_number_i64(input->text, &value) || (type == SVC_INT32 && (value < INT32_MIN || value > INT32_MAX)))
    return CHECK_NO(c, SVC_E_INVALID_ATTRIBUTE, path, "must be an integer of %d bits", type == SVC_INT32 ? 32 : 64);
  out = check_bounds(c, f, value < svc_field_min(f), value > svc_field_max(f), input, path);
  if (out) out->text = svc_arena_print(c->arena, "%lld", (long long)value);
  if (out && f->values && !svc_value_in(c->s, out->text, f->values))
    return CHECK_BAD(c, SVC_E_INVALID_ENUM_VALUE, input, path, "must be %s", svc_values_known(c, f->values).p);
  return out;
}

static svc_node *check_number(svc_call *c, const svc_field *f, const svc_node *input, const check_path *path)
{
  svc_node *out;
  double value;
  if (!svc_json_number_double(input->text, &value))
    return CHECK_NO(c, SVC_E_INVALID_ATTRIBUTE, path, "is too large a number");
  out = check_bounds(c, f, value < (double)f->min, value > (double)f->max, input, path);
  if (out) out->text = input->text;
  return out;
}

static svc_node *check_date(svc_call *c, const svc_node *input, const check_path *path)
{
  char text[21];
  int64_t ms;
  if (!svc_date_parse(input->text, &ms))
    return CHECK_NO(c, SVC_E_INVALID_DATE_FORMAT, path, "must be a date and time in ISO 8601");
  svc_date_text(ms, text);
  return svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_arena_copy(c->arena, svc_str_c(text)));
}

/* A value of the type; elements of arrays and maps are checked with the type of the item. */
static svc_node *check_value(svc_call *c, const svc_field *f, int type, const svc_node *input, const svc_node *before,
                             int mode, const check_path *path)
{
  static const char *const wanted[] = { "a string", "an integer", "an integer", "a number", "true or false",
                                        "a date and time in ISO 8601", "an object", "an array", "an object", "" };
  static const int json[] = { SVC_J_STRING, SVC_J_NUMBER, SVC_J_NUMBER, SVC_J_NUMBER, SVC_J_BOOL,
                              SVC_J_STRING, SVC_J_OBJECT, SVC_J_ARRAY,  SVC_J_OBJECT, 0 };
  if (type == SVC_ANY || type == SVC_NAME) return svc_node_copy(c->arena, input);
  if (input->type != json[type]) return CHECK_NO(c, SVC_E_INVALID_JSON_ATTRIBUTE, path, "must be %s", wanted[type]);
  switch (type) {
  case SVC_STRING: return check_string(c, f, input, path);
  case SVC_INT32:
  case SVC_INT64: return check_integer(c, f, type, input, path);
  case SVC_NUMBER: return check_number(c, f, input, path);
  case SVC_DATE: return check_date(c, input, path);
  case SVC_OBJECT: return check_object(c, svc_field_object(f), input, before, mode, path);
  default: return svc_node_new(c->arena, SVC_J_BOOL, SVC_S(""), input->text);
  }
}

static bool check_has_own_id(const svc_field *f, const svc_node *item)
{
  const svc_field *id = svc_field_named(svc_object_of(svc_field_object(f), item), SVC_S("id"));
  return id && id->flags & SVC_READ_ONLY;
}

static const svc_node *check_by_id(const svc_node *array, svc_str id)
{
  const svc_node *item = id.n && array ? array->first : NULL;
  while (item && !svc_node_eq(item, "id", id)) item = item->next;
  return item;
}

/* Whether two elements have the same values in the fields that match them. */
static bool check_matches(svc_str fields, const svc_node *item, const svc_node *other)
{
  while (fields.n) {
    const svc_node *value = svc_node_find(item, svc_str_cut(&fields, '/'));
    if (!value || !svc_node_find(other, value->name) || !svc_node_same(value, svc_node_find(other, value->name))) return false;
  }
  return true;
}

static const svc_node *check_by_match(const char *fields, const svc_node *item, const svc_node *before)
{
  const svc_node *other = svc_node_first(before);
  while (other && !check_matches(svc_str_c(fields), item, other)) other = other->next;
  return other;
}

/* The stored element that a sent one stands for: with the same id or the same matching fields; otherwise the one at its position, unless
** another sent element has the id of that one. */
static const svc_node *check_counterpart(const svc_field *f, const svc_node *input, const svc_node *item,
                                         const svc_node *before, const svc_node *at_place)
{
  svc_str wanted = svc_node_str(item, "id");
  bool by_id = check_has_own_id(f, item);
  if (svc_field_object(f) && svc_object_ext_of(svc_field_object(f))->matched_by) return check_by_match(svc_object_ext_of(svc_field_object(f))->matched_by, item, before);
  if (by_id && wanted.n) return check_by_id(before, wanted);
  return at_place && by_id && check_by_id(input, svc_node_str(at_place, "id")) ? NULL : at_place;
}

/* An element as text, for sorting: a body may hold a hundred thousand, too many to compare pairwise. */
typedef struct check_element {
  svc_str text;
  int type;
  size_t index;
} check_element;

static check_element check_as_text(svc_call *c, const svc_node *value, size_t index)
{
  check_element e = { value->text, value->type, index };
  svc_buf b;
  int64_t whole;
  double number;
  if (value->type == SVC_J_NUMBER && svc_json_number_i64(value->text, &whole)) {
    e.text = svc_arena_print(c->arena, "%lld", (long long)whole);
  } else if (value->type == SVC_J_NUMBER && svc_json_number_double(value->text, &number)) {
    e.text = svc_arena_print(c->arena, "%.17g", number);
  } else if (value->type == SVC_J_OBJECT || value->type == SVC_J_ARRAY) {
    b = svc_buf_new(c->arena, 128);
    svc_node_write(&b, value);
    e.text = svc_buf_done(&b);
  }
  return e;
}

static int check_order(const void *left, const void *right)
{
  const check_element *a = left, *b = right;
  int order = svc_str_order(a->text, b->text);
  return order ? order : a->type != b->type ? a->type - b->type : (a->index > b->index) - (a->index < b->index);
}

/* Notes every duplicate element; false: there are some. */
static bool check_unique(svc_call *c, check_element *elements, size_t count, size_t length, const check_path *path,
                         const char *by)
{
  bool *twice = svc_arena_zero(c->arena, length + 1), good = twice != NULL;
  size_t i;
  if (!twice || c->arena->failed) return false;
  qsort(elements, count, sizeof *elements, check_order);
  for (i = 1; i < count; i++)
    if (elements[i].type == elements[i - 1].type && svc_str_eq(elements[i].text, elements[i - 1].text))
      twice[elements[i].index] = true;
  for (i = 0; i < length; i++) {
    check_path here = { path, SVC_S(""), i }, own = { &here, by ? svc_str_c(by) : SVC_S(""), SIZE_MAX };
    if (!twice[i]) continue;
    if (by) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, check_path_text(c, &own), "appears twice in the array: each %s must differ", by);
    else svc_violate(c, SVC_E_INVALID_ATTRIBUTE, check_path_text(c, &here), "appears twice in the array");
    good = false;
  }
  return good;
}

static svc_node *check_array(svc_call *c, const svc_field *f, const svc_node *input, const svc_node *before,
                             const check_path *path)
{
  svc_node *out = svc_node_array(c->arena, NULL), *item;
  const svc_node *at_place = before ? before->first : NULL;
  const char *by = svc_field_object(f) ? svc_object_ext_of(svc_field_object(f))->distinct_by : NULL;
  check_element *elements = NULL;
  size_t count = 0, sound = 0;
  bool good = out != NULL;
  if (input->type != SVC_J_ARRAY) return CHECK_NO(c, SVC_E_INVALID_JSON_ATTRIBUTE, path, "must be an array");
  if ((f->flags & SVC_UNIQUE_ITEMS || by) && input->first)
    elements = svc_arena_alloc(c->arena, svc_node_count(input) * sizeof *elements);
  for (item = input->first; item; item = item->next, count++) {
    check_path here = { path, SVC_S(""), count };
    const svc_node *old = check_counterpart(f, input, item, before, at_place);
    svc_node *value = check_value(c, f, f->item, item, old, SVC_CHECK_REPLACE, &here);
    if (at_place) at_place = at_place->next;
    if (value && elements && (!by || svc_node_get(value, by)))
      elements[sound++] = check_as_text(c, by ? svc_node_get(value, by) : value, count);
    if (value && out) svc_node_append(out, value);
    good = good && value;
  }
  if (elements && !check_unique(c, elements, sound, count, path, by)) good = false;
  if (count == 0 && f->flags & SVC_NOT_EMPTY) {
    check_note(svc_violate(c, SVC_E_INVALID_ATTRIBUTE, check_path_text(c, path), "must have at least 1 elements"),
               SVC_FIELD_FAULT_MISSING, SVC_S(""));
    return NULL;
  }
  if (f->max_items && count > f->max_items)
    return CHECK_NO(c, SVC_E_INVALID_ATTRIBUTE, path, "must have at most %u elements", f->max_items);
  return good ? out : NULL;
}

static svc_node *check_map(svc_call *c, const svc_field *f, const svc_node *input, const svc_node *before, const check_path *path)
{
  svc_node *out = svc_node_object(c->arena, NULL), *item;
  bool good = out != NULL;
  if (input->type != SVC_J_OBJECT) return CHECK_NO(c, SVC_E_INVALID_JSON_ATTRIBUTE, path, "must be an object");
  for (item = input->first; item; item = item->next) {
    check_path here = { path, item->name, SIZE_MAX };
    const svc_node *old = f->flags & SVC_SEALED ? svc_node_find(before, item->name) : NULL;
    svc_node *value = old && svc_seal_shown_is(old, item) ? svc_node_copy(c->arena, old)
                                                          : check_value(c, f, f->item, item, NULL, SVC_CHECK_REPLACE, &here);
    if (value) value->name = item->name;
    if (value && out) svc_node_append(out, value); /* the parser has sorted them */
    good = good && value;
  }
  return good ? out : NULL;
}

/* -------------------------------------------------------------------------------------------------------------- members */

/* A default, which tables give as JSON; most are simple enough not to need the parser. */
static svc_node *check_constant(const svc *s, svc_arena *a, const char *preset)
{
  svc_str text = svc_str_c(preset), none = SVC_S("");
  if (text.p[0] == 't' || text.p[0] == 'f') return svc_node_new(a, SVC_J_BOOL, none, text);
  if (svc_str_is(text, "[]")) return svc_node_new(a, SVC_J_ARRAY, none, none);
  if (text.p[0] == '"' && SVC_ALWAYS(!memchr(text.p, '\\', text.n))) {
    text = (svc_str){ text.p + 1, text.n - 2 };
    if (text.n > 4 && (text.p[3] == '_' || text.p[3] == '.')) text = svc_value_text(s, a, svc_arena_copy(a, text).p);
    return svc_node_new(a, SVC_J_STRING, none, text);
  }
  return svc_json_parse(a, text);
}

SVC_PRIVATE svc_node *svc_preset(const svc *s, svc_arena *a, const svc_field *f)
{
  return f->preset ? check_constant(s, a, f->preset) : NULL;
}

static svc_node *check_preset(svc_call *c, const svc_field *f)
{
  return svc_preset(c->s, c->arena, f);
}

/* Inside an array, where the element at this position may be another one than before. */
static bool check_in_array(const check_path *path)
{
  while (path && path->index == SIZE_MAX) path = path->up;
  return path != NULL;
}

/* A secret that is never shown cannot be sent back, and stays until a new one is sent. */
static bool check_unseen(const svc_field *f, const check_path *path)
{
  return (f->flags & (SVC_SEALED | SVC_WRITE_ONLY)) == (SVC_SEALED | SVC_WRITE_ONLY) && !check_in_array(path);
}

/* The value of a field that was not sent; NULL with *good true: no value. */
static svc_node *check_absent(svc_call *c, const svc_field *f, const svc_node *old, int mode, const check_path *path,
                              bool *good)
{
  bool kept = mode == SVC_CHECK_UPDATE || f->flags & (SVC_READ_ONLY | SVC_FIXED) || check_unseen(f, path);
  if (old && kept) return svc_node_copy(c->arena, old);
  if (f->flags & SVC_REQUIRED && !(f->flags & SVC_READ_ONLY)) {
    *good = false;
    check_note(svc_violate(c, SVC_E_MISSING_ATTRIBUTE, check_path_text(c, path), "is required"), SVC_FIELD_FAULT_MISSING, SVC_S(""));
    return NULL;
  }
  return check_preset(c, f);
}

/* Whether the value is unchanged. One moment has several spellings, and clients use their own. */
static bool check_unchanged(const svc_field *f, const svc_node *old, const svc_node *input)
{
  int64_t was, is;
  if (f->type != SVC_DATE || input->type != SVC_J_STRING) return svc_node_same(old, input);
  return svc_date_parse(old->text, &was) && svc_date_parse(input->text, &is) && was == is;
}

/* The value that the service would set in a read-only field; NULL: not known yet. */
static const svc_node *check_by_itself(svc_call *c, const svc_field *f)
{
  const svc_id *id = f->fill == SVC_AUTO_GROUP_ID ? &c->scope.group : f->fill == SVC_AUTO_ORG_ID ? &c->scope.org : NULL;
  if (!id) return f->flags & SVC_READ_ONLY ? check_preset(c, f) : NULL;
  return svc_id_is_zero(id) ? NULL : svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_id_str(c->arena, id));
}

/* Whether all fields of this object are read-only. */
static bool check_is_shown_only(const svc_field *f)
{
  const svc_field *inner;
  svc_fields fields;
  if (f->flags & SVC_READ_ONLY) return true;
  if (f->type != SVC_OBJECT || svc_object_ext_of(svc_field_object(f))->choice) return false;
  svc_fields_begin(&fields, svc_field_object(f));
  while ((inner = svc_fields_next(&fields)) != NULL)
    if (!(inner->flags & SVC_READ_ONLY)) return false;
  return true;
}

/* Clients that send whole structs send an unknown date as one of the year 1. */
static bool check_is_first_year(svc_str date)
{
  int64_t ms;
  return svc_str_starts(date, "0001-") && svc_date_parse(date, &ms);
}

/* Whether this is the zero value of the field's type, which clients that send whole structs send for unset fields. */
static bool check_is_zero(const svc_field *f, const svc_node *input)
{
  double number;
  switch (input->type) {
  case SVC_J_NULL: return true;
  case SVC_J_STRING: return f->type == SVC_DATE ? !input->text.n || check_is_first_year(input->text) : f->type == SVC_STRING && !input->text.n;
  case SVC_J_NUMBER:
    return (f->type == SVC_INT32 || f->type == SVC_INT64 || f->type == SVC_NUMBER) && svc_json_number_double(input->text, &number) && number == 0;
  case SVC_J_BOOL: return f->type == SVC_BOOLEAN && svc_str_is(input->text, "false");
  case SVC_J_ARRAY: return f->type == SVC_ARRAY && !input->first;
  default: return (f->type == SVC_OBJECT || f->type == SVC_MAP) && !input->first;
  }
}

/* Whether a member counts as not sent: the zero value of a read-only field, or null that clears nothing. */
static bool check_is_ignored(const svc_field *f, const svc_node *input, const svc_node *old, int mode)
{
  if (check_is_shown_only(f)) return check_is_zero(f, input);
  if (input->type != SVC_J_NULL) return false;
  return !old || (mode != SVC_CHECK_UPDATE && !(f->flags & (SVC_FIXED | SVC_NULLABLE)));
}

/* A field that cannot be changed was sent: it must repeat the stored value, or what the service would set. */
static svc_node *check_closed(svc_call *c, const svc_field *f, const svc_node *input, const svc_node *old, const check_path *path, bool *good)
{
  if (!old) old = check_by_itself(c, f);
  if (old && check_unchanged(f, old, input)) return svc_node_copy(c->arena, old);
  *good = false;
  check_note(svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, check_path_text(c, path), "cannot be set or changed"), SVC_FIELD_FAULT_CHANGED,
             old ? old->text : SVC_S(""));
  return NULL;
}

/* The value to store for a field that was sent; NULL with *good true: no value. */
static svc_node *check_sent(svc_call *c, const svc_field *f, const svc_node *input, const svc_node *old, int mode,
                            const check_path *path, bool *good)
{
  svc_node *value;
  if (check_is_ignored(f, input, old, mode)) return check_absent(c, f, old, mode, path, good);
  if (f->flags & SVC_READ_ONLY || (f->flags & SVC_FIXED && (old || mode == SVC_CHECK_UPDATE))) return check_closed(c, f, input, old, path, good);
  if (input->type == SVC_J_NULL) {
    if (f->flags & SVC_NULLABLE && !(f->flags & SVC_REQUIRED)) return check_preset(c, f);
    *good = false;
    return CHECK_NO(c, SVC_E_INVALID_ATTRIBUTE, path, "must not be null");
  }
  if (f->flags & SVC_SEALED && f->type == SVC_STRING && old && svc_seal_shown_is(old, input)) return svc_node_copy(c->arena, old);
  if (f->type == SVC_ARRAY) value = check_array(c, f, input, old, path);
  else if (f->type == SVC_MAP) value = check_map(c, f, input, old, path);
  else value = check_value(c, f, f->type, input, old, mode, path);
  if (!value) *good = false;
  return value;
}

/* ---------------------------------------------------------------------------------------------------------------- unions */

/* Whether the field that selects the variant keeps its value when not sent, like any other field. */
static bool check_variant_kept(const svc_object *object, const svc_node *before, int mode)
{
  const svc_field *f = svc_field_named(svc_object_of(object, before), svc_str_c(svc_object_ext_of(object)->choice->by));
  return before && (mode == SVC_CHECK_UPDATE || (SVC_ALWAYS(f != NULL) && f->flags & (SVC_READ_ONLY | SVC_FIXED)));
}

static const svc_object *check_no_variant(svc_call *c, const svc_object *object, const svc_node *sent, const check_path *path)
{
  const char *values[CHECK_VARIANTS + 1];
  svc_str at = check_path_text(c, path), known;
  size_t n = 0;
  for (; SVC_ALWAYS(n < CHECK_VARIANTS) && svc_object_ext_of(object)->choice->variants[n].value; n++) values[n] = svc_object_ext_of(object)->choice->variants[n].value;
  values[n] = NULL;
  known = svc_values_meant(c, values, sent && sent->type == SVC_J_STRING ? sent->text : SVC_S(""));
  if (!sent)
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, at, "is required and selects the kind of object: it must be %s", known.p);
  else if (sent->type != SVC_J_STRING) svc_violate(c, SVC_E_INVALID_JSON_ATTRIBUTE, at, "must be a string");
  else check_note(svc_violate(c, SVC_E_INVALID_ENUM_VALUE, at, "must be %s", known.p), SVC_FIELD_FAULT_VALUE, sent->text);
  return NULL;
}

static const svc_node *check_not_null(const svc_node *sent)
{
  return sent && sent->type == SVC_J_NULL ? NULL : sent;
}

/* The variant of a union: by the input, the stored body, or the default. NULL: a violation was noted. */
static const svc_object *check_variant(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before,
                                       int mode, const check_path *path)
{
  while (svc_object_ext_of(object)->choice) {
    const svc_node *sent = check_not_null(svc_node_get(input, svc_object_ext_of(object)->choice->by)), *was = svc_node_get(before, svc_object_ext_of(object)->choice->by);
    const svc_object *variant = svc_variant_of(object, sent || !check_variant_kept(object, before, mode) ? sent : was);
    check_path here = { path, svc_str_c(svc_object_ext_of(object)->choice->by), SIZE_MAX };
    if (!variant) return check_no_variant(c, object, sent, &here);
    if (before && variant != svc_variant_of(object, was))
      before = NULL; /* the stored body is of another variant and does not apply */
    object = variant;
  }
  return object;
}

/* A field of another variant with the same name and type counts as the same field. */
static bool check_same_field(const svc_field *a, const svc_field *b)
{
  return a && a->type == b->type && a->item == b->item && a->object == b->object;
}

/* A field that was not sent, in a body that changes its variant: the stored value must fit the new variant. */
static svc_node *check_carried(svc_call *c, const svc_field *f, const svc_node *old, const check_path *path, bool *good)
{
  svc_field open = *f;
  open.flags &= (unsigned short)~(SVC_READ_ONLY | SVC_FIXED);
  if (f->flags & SVC_READ_ONLY) return svc_node_copy(c->arena, old);
  return check_sent(c, &open, old, old, SVC_CHECK_UPDATE, path, good);
}

/* -------------------------------------------------------------------------------------------------------------- objects */

/* The field that a misspelt name was meant to be; "": none is near. Suggestions are limited for bodies with many such names. */
static const char *check_meant(svc_call *c, const svc_object *object, svc_str name)
{
  svc_near guess = svc_near_begin(name);
  const svc_field *f;
  svc_fields fields;
  if (c->error.violation_count >= CHECK_MEANT) return "";
  for (svc_fields_begin(&fields, object); (f = svc_fields_next(&fields)) != NULL;) svc_near_try(&guess, svc_shown_field(c->s, svc_str_c(f->name)).p);
  return svc_did_you_mean(c, &guess).p;
}

static bool check_names(svc_call *c, const svc_object *object, const svc_node *input, const check_path *path)
{
  const svc_node *member;
  bool good = true;
  for (member = input->first; member; member = member->next) {
    check_path here = { path, member->name, SIZE_MAX };
    if (svc_field_named(object, member->name)) continue;
    if (!path && svc_str_is(member->name, "links")) {
      if (svc_links_served(c, member)) continue;
      svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, member->name, "differs from the served value, and cannot be changed");
    } else {
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, check_path_text(c, &here), "does not exist in this object%s",
                  check_meant(c, object, member->name));
    }
    good = false;
  }
  return good;
}

/* A member, from the input or from the stored body. `was`: the previous variant, if it was another one. */
static svc_node *check_member(svc_call *c, const svc_field *f, const svc_object *was, const svc_node *input,
                              const svc_node *before, int mode, const check_path *path, bool *good)
{
  const svc_node *sent = svc_node_get(input, f->name), *old = svc_node_get(before, f->name);
  if (was && !check_same_field(svc_field_named(was, svc_str_c(f->name)), f)) old = NULL;
  if (was && !old && mode == SVC_CHECK_UPDATE) mode = SVC_CHECK_REPLACE; /* a new field in this variant: treated as in a replace */
  if (sent) return check_sent(c, f, sent, old, mode, path, good);
  if (was && old && mode == SVC_CHECK_UPDATE) return check_carried(c, f, old, path, good);
  return check_absent(c, f, old, mode, path, good);
}

/* Whether the field will be in the stored body. Fields that are write-only and not sealed are not stored: they count if they were sent, or
** if the resource exists already. */
static bool check_is_there(const svc_object *object, svc_str name, const svc_node *out, const svc_node *input, const svc_node *before)
{
  const svc_field *f = svc_field_named(object, name);
  bool unstored = SVC_ALWAYS(f != NULL) && (f->flags & (SVC_WRITE_ONLY | SVC_SEALED)) == SVC_WRITE_ONLY;
  return svc_node_find(out, name) || (unstored && (before || svc_node_find(input, name)));
}

/* Notes the missing fields of a row. False: there are some. */
static bool check_need(svc_call *c, const svc_need *need, const svc_object *object, const svc_node *out, const svc_node *input,
                       const svc_node *before, const check_path *path)
{
  svc_str rest = svc_str_c(need->fields);
  bool good = true;
  while (rest.n) {
    svc_str name = svc_str_cut(&rest, ' ');
    check_path here = { path, name, SIZE_MAX };
    if (check_is_there(object, name, out, input, before)) continue;
    check_note(svc_violate(c, SVC_E_MISSING_ATTRIBUTE, check_path_text(c, &here), "%s", svc_need_why(c, need).p), SVC_FIELD_FAULT_MISSING, SVC_S(""));
    good = false;
  }
  return good;
}

static bool check_needs(svc_call *c, const svc_object *object, const svc_node *out, const svc_node *input, const svc_node *before,
                        const check_path *path)
{
  const svc_object *o;
  const svc_need *need;
  bool good = true;
  for (o = object; o; o = o->base)
    for (need = svc_object_ext_of(o)->needs; need && need->fields; need++)
      if (!need->by_hook && svc_need_holds(c, need, out) && !check_need(c, need, object, out, input, before, path)) good = false;
  return good;
}

static svc_node *check_object(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before, int mode,
                              const check_path *path)
{
  svc_node *out = svc_node_object(c->arena, NULL);
  const svc_object *was = before && svc_object_ext_of(object)->choice ? svc_object_of(object, before) : NULL;
  const svc_field *f;
  svc_fields fields;
  bool good;
  if (svc_object_ext_of(object)->choice) object = check_variant(c, object, input, before, mode, path);
  if (!object || !out) return NULL;
  if (was == object) was = NULL;
  good = check_names(c, object, input, path);
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    check_path here = { path, svc_str_c(f->name), SIZE_MAX };
    svc_node *value = check_member(c, f, was, input, before, mode, &here, &good);
    if (!value || (f->flags & (SVC_WRITE_ONLY | SVC_SEALED)) == SVC_WRITE_ONLY) continue;
    value->name = svc_str_c(f->name);
    svc_node_append(out, value);
  }
  good = good && check_needs(c, object, out, input, before, path);
  return good ? out : NULL;
}

SVC_PRIVATE svc_node *svc_check(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before, int mode)
{
  if (input->type != SVC_J_OBJECT) {
    (void)svc_fail_as(c, SVC_S("The body must be a JSON object."), SVC_E_INVALID_JSON, "");
    return NULL;
  }
  return check_object(c, object, input, before, mode, NULL);
}

SVC_PRIVATE svc_node *svc_check_array(svc_call *c, const svc_object *object, const svc_node *input)
{
  const svc_field items = { .name = "", .type = SVC_ARRAY, .item = SVC_OBJECT, .object = object };
  if (input->type != SVC_J_ARRAY) {
    (void)svc_fail_as(c, SVC_S("The body must be a JSON array."), SVC_E_INVALID_JSON, "");
    return NULL;
  }
  return check_array(c, &items, input, NULL, NULL);
}

SVC_PRIVATE svc_node *svc_check_part(svc_call *c, const svc_object *object, const svc_node *input, svc_str at)
{
  const check_path path = { NULL, at, SIZE_MAX };
  if (input->type == SVC_J_OBJECT) return check_object(c, object, input, NULL, SVC_CHECK_CREATE, &path);
  return CHECK_NO(c, SVC_E_INVALID_JSON_ATTRIBUTE, &path, "must be an object");
}

/* "specs[].name" matches any index. */
static bool check_is_field(svc_str path, const char *field)
{
  for (; path.n && *field; path.p++, path.n--, field++) {
    while (field[0] == ']' && SVC_ALWAYS(path.n) && path.p[0] != ']') path.p++, path.n--; /* brackets are balanced */
    if (SVC_NEVER(path.n == 0) || path.p[0] != *field) return false;
  }
  return path.n == 0 && *field == 0;
}

/* The specific error of the field, if its noun has one. */
static bool check_own_error(svc_call *c, const svc_violation *v)
{
  const svc_field_error *row = c->plan ? c->plan->noun->noun->field_errors : NULL;
  svc_str about = svc_id_is_zero(&c->scope.group) ? svc_id_str(c->arena, &c->scope.org) : svc_id_str(c->arena, &c->scope.group);
  svc_str value = v->value;
  while (row && row->field && !(row->faults & v->fault && check_is_field(v->field, row->field))) row++;
  if (!row || !row->field) return false;
  if (v->fault == SVC_FIELD_FAULT_LONG) about = svc_arena_print(c->arena, "%lld", (long long)v->most);
  if (v->fault == SVC_FIELD_FAULT_CHANGED && c->plan->param_count) value = c->route.params[c->plan->param_count - 1]; /* the resource's name */
  (void)svc_fail_about(c, row->error, svc_error_names_attribute(row->error) ? v->field : value, about);
  return true;
}

SVC_PRIVATE bool svc_check_done(svc_call *c)
{
  svc_violation *first = c->error.violations;
  if (c->error.code) return false;
  if (c->arena->failed) return svc_no_memory(c); /* without memory the violations are unreliable */
  if (!first) return true;
  if (check_own_error(c, first)) return false;
  return svc_fail_as(c, svc_violation_text(c, first), first->code, "S", &first->field);
}

SVC_PRIVATE svc_node *svc_presets(const svc *s, svc_arena *a, const svc_object *object)
{
  svc_node *out = svc_node_object(a, NULL);
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(object, NULL));
  while (out && (f = svc_fields_next(&fields)) != NULL) {
    svc_node *value = svc_preset(s, a, f);
    if (!value) continue;
    value->name = svc_str_c(f->name);
    svc_node_append(out, value);
  }
  return a->failed ? NULL : out;
}
