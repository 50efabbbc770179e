/*
** A validator for JSON Schema, as far as the OpenAPI document uses it: see schema.h. An unknown keyword fails the test, so the
** document cannot contain a keyword that is never checked.
*/
#include "schema.h"

/* The path of a value; written only if the value does not match. */
typedef struct schema_path {
  const struct schema_path *up;
  svc_str name;
  size_t index; /* index in an array; SIZE_MAX: a member */
} schema_path;

static bool schema_fits(t_schema *d, const svc_node *schema, const svc_node *value, const schema_path *at);

static void schema_open(t_schema *d, svc *s, int (*make)(svc *s, svc_response *out))
{
  svc_response r;
  svc_str text;
  memset(d, 0, sizeof *d);
  munit_assert_int(make(s, &r), ==, SVC_OK);
  svc_arena_init(&d->arena, NULL);
  text = svc_arena_copy(&d->arena, (svc_str){ r.body, r.body_length });
  d->root = svc_json_parse(&d->arena, text);
  munit_assert_not_null(d->root);
  svc_response_free(&r);
}

void t_schema_open(t_schema *d, svc *s)
{
  schema_open(d, s, svc_openapi);
}

void t_schema_open_driver(t_schema *d, svc *s)
{
  schema_open(d, s, svc_driver_schema);
}

void t_schema_close(t_schema *d)
{
  svc_blocks_free(d->arena.blocks);
}

/* ------------------------------------------------------------------------------------------------------------- operations */

const svc_node *t_schema_operation(const t_schema *d, const svc_route *route)
{
  const svc_node *path = svc_node_get(d->root, "paths")->first, *method;
  for (; path; path = path->next)
    for (method = path->first; method; method = method->next)
      if (svc_str_is(svc_node_str(method, "operationId"), route->op)) return method;
  return NULL;
}

/* Returns the schema of the last media type, which is the newest version because members are sorted. */
static const svc_node *schema_content(const svc_node *holder)
{
  const svc_node *content = svc_node_get(holder, "content");
  return content && content->last ? svc_node_get(content->last, "schema") : NULL;
}

const svc_node *t_schema_of_body(const t_schema *d, const svc_plan *plan)
{
  return schema_content(svc_node_get(t_schema_operation(d, plan->route), "requestBody"));
}

const svc_node *t_schema_of_answer(const t_schema *d, const svc_plan *plan, int status)
{
  const svc_node *responses = svc_node_get(t_schema_operation(d, plan->route), "responses");
  char code[8];
  snprintf(code, sizeof code, "%d", status);
  return schema_content(svc_node_get(responses, code));
}

const svc_node *t_schema_of_version(const t_schema *d, const svc_plan *plan, int status, const char *media)
{
  const svc_node *responses = svc_node_get(t_schema_operation(d, plan->route), "responses");
  char code[8];
  snprintf(code, sizeof code, "%d", status);
  return svc_node_get(svc_node_get(svc_node_get(svc_node_get(responses, code), "content"), media), "schema");
}

const svc_node *t_schema_at(const t_schema *d, const svc_node *schema)
{
  const svc_node *ref;
  while ((ref = svc_node_get(schema, "$ref")) != NULL) {
    svc_str rest = ref->text;
    svc_str_cut(&rest, '/'); /* skips the "#" */
    for (schema = d->root; rest.n;) schema = svc_node_find(schema, svc_str_cut(&rest, '/'));
    munit_assert_not_null(schema);
  }
  return schema;
}

/* ----------------------------------------------------------------------------------------------------------------- values */

static void schema_write_path(svc_buf *b, const schema_path *at)
{
  if (!at) return;
  schema_write_path(b, at->up);
  if (at->index != SIZE_MAX) {
    svc_buf_char(b, '[');
    svc_buf_i64(b, (int64_t)at->index);
    svc_buf_char(b, ']');
  } else {
    if (b->n) svc_buf_char(b, '.');
    svc_buf_str(b, at->name);
  }
}

static bool schema_no(t_schema *d, const schema_path *at, const char *format, ...) SVC_PRINTF(3, 4);

static bool schema_no(t_schema *d, const schema_path *at, const char *format, ...)
{
  svc_buf b = svc_buf_new(&d->arena, 64);
  svc_str path;
  va_list args;
  int n;
  schema_write_path(&b, at);
  path = svc_buf_done(&b);
  n = snprintf(d->why, sizeof d->why, SVC_FMT ": ", SVC_ARG(path));
  if (n < 0 || (size_t)n >= sizeof d->why) return false;
  va_start(args, format);
  vsnprintf(d->why + n, sizeof d->why - (size_t)n, format, args);
  va_end(args);
  return false;
}

static bool schema_is_type(svc_str type, const svc_node *value)
{
  static const struct {
    const char *name;
    int type;
  } types[] = { { "string", SVC_J_STRING }, { "number", SVC_J_NUMBER }, { "integer", SVC_J_NUMBER }, { "boolean", SVC_J_BOOL },
                { "object", SVC_J_OBJECT }, { "array", SVC_J_ARRAY }, { "null", SVC_J_NULL } };
  int64_t whole;
  size_t i;
  for (i = 0; i < sizeof types / sizeof types[0]; i++)
    if (svc_str_is(type, types[i].name))
      return types[i].type == (int)value->type && (!svc_str_is(type, "integer") || svc_json_number_i64(value->text, &whole));
  munit_errorf("the document has an unknown type " SVC_FMT, SVC_ARG(type));
  return false;
}

static bool schema_type(t_schema *d, const svc_node *said, const svc_node *value, const schema_path *at)
{
  const svc_node *one = said->type == SVC_J_ARRAY ? said->first : said;
  for (; one; one = said->type == SVC_J_ARRAY ? one->next : NULL)
    if (schema_is_type(one->text, value)) return true;
  return schema_no(d, at, "has another type");
}

static bool schema_enum(t_schema *d, const svc_node *said, const svc_node *value, const schema_path *at)
{
  const svc_node *one;
  for (one = said->first; one; one = one->next)
    if (one->type == value->type && svc_node_same(one, value)) return true;
  return schema_no(d, at, SVC_FMT " is not one of the values", SVC_ARG(value->text));
}

/* Checks formats, by enum svc_format, and also the number types and date-time. */
static bool schema_format(t_schema *d, svc_str said, const svc_node *value, const schema_path *at)
{
  static const char *const names[] = { "", "hex24", "ip", "cidr", "ip-or-cidr", "email", "uuid", "uri", "date", "trimmed", "domain" };
  int64_t number;
  size_t i;
  if (svc_str_is(said, "binary")) return true;
  if (svc_str_is(said, "int64") || svc_str_is(said, "int32")) {
    if (value->type != SVC_J_NUMBER || !svc_json_number_i64(value->text, &number)) return true;
    return svc_str_is(said, "int64") || (number >= INT32_MIN && number <= INT32_MAX) ? true : schema_no(d, at, "is too large");
  }
  if (value->type != SVC_J_STRING) return true;
  if (svc_str_is(said, "date-time")) return svc_date_parse(value->text, &number) ? true : schema_no(d, at, "is no date");
  for (i = 1; i < sizeof names / sizeof names[0]; i++)
    if (svc_str_is(said, names[i])) return svc_format_check((int)i, value->text) ? true : schema_no(d, at, "is not %s", names[i]);
  munit_errorf("the document has an unknown format " SVC_FMT, SVC_ARG(said));
  return false;
}

/* ------------------------------------------------------------------------------------------------------ objects and arrays */

static bool schema_required(t_schema *d, const svc_node *said, const svc_node *value, const schema_path *at)
{
  const svc_node *one;
  for (one = value->type == SVC_J_OBJECT ? said->first : NULL; one; one = one->next)
    if (!svc_node_find(value, one->text)) return schema_no(d, at, SVC_FMT " is required", SVC_ARG(one->text));
  return true;
}

static bool schema_members(t_schema *d, const svc_node *schema, const svc_node *value, const schema_path *at)
{
  const svc_node *known = svc_node_get(schema, "properties"), *other = svc_node_get(schema, "additionalProperties"), *member;
  for (member = value->type == SVC_J_OBJECT ? value->first : NULL; member; member = member->next) {
    const svc_node *said = known ? svc_node_find(known, member->name) : NULL;
    schema_path here = { at, member->name, SIZE_MAX };
    if (!said) said = other;
    if (!said) continue;
    if (said->type == SVC_J_BOOL && svc_str_is(said->text, "false")) return schema_no(d, &here, "is unknown");
    if (said->type == SVC_J_OBJECT && !schema_fits(d, said, member, &here)) return false;
  }
  return true;
}

static bool schema_items(t_schema *d, const svc_node *said, const svc_node *value, const schema_path *at)
{
  const svc_node *item;
  size_t i = 0;
  for (item = value->type == SVC_J_ARRAY ? value->first : NULL; item; item = item->next, i++) {
    schema_path here = { at, SVC_S(""), i };
    if (!schema_fits(d, said, item, &here)) return false;
  }
  return true;
}

static bool schema_unique(t_schema *d, const svc_node *value, const schema_path *at)
{
  const svc_node *one, *other;
  for (one = value->type == SVC_J_ARRAY ? value->first : NULL; one; one = one->next)
    for (other = one->next; other; other = other->next)
      if (one->type == other->type && svc_node_same(one, other)) return schema_no(d, at, "has an element twice");
  return true;
}

static bool schema_bound(t_schema *d, svc_str keyword, const svc_node *said, const svc_node *value, const schema_path *at)
{
  bool array = svc_str_is(keyword, "minItems") || svc_str_is(keyword, "maxItems");
  bool text = svc_str_is(keyword, "minLength") || svc_str_is(keyword, "maxLength");
  double bound = 0, is = 0;
  if ((int)value->type != (array ? SVC_J_ARRAY : text ? SVC_J_STRING : SVC_J_NUMBER)) return true;
  svc_json_number_double(said->text, &bound);
  if (array) is = (double)svc_node_count(value);
  else if (text) is = (double)svc_utf8_length(value->text);
  else svc_json_number_double(value->text, &is);
  return (keyword.p[1] == 'i' ? is >= bound : is <= bound) ? true : schema_no(d, at, "is beyond " SVC_FMT, SVC_ARG(keyword));
}

/* --------------------------------------------------------------------------------------------------------------- schemas */

/* Returns how many schemas of a list the value matches. */
static size_t schema_count(t_schema *d, const svc_node *list, const svc_node *value, const schema_path *at)
{
  const svc_node *one;
  size_t n = 0;
  for (one = list->first; one; one = one->next) n += schema_fits(d, one, value, at);
  return n;
}

static bool schema_says_nothing(svc_str keyword)
{
  static const char *const words[] = { "description", "default", "readOnly", "writeOnly", "discriminator", "example", "then", "else",
                                       "properties", "deprecated" };
  size_t i;
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    if (svc_str_is(keyword, words[i])) return true;
  return false;
}

static bool schema_conditional(t_schema *d, const svc_node *schema, const svc_node *said, const svc_node *value, const schema_path *at)
{
  const svc_node *next = svc_node_get(schema, schema_fits(d, said, value, at) ? "then" : "else");
  return !next || schema_fits(d, next, value, at);
}

static bool schema_keyword(t_schema *d, const svc_node *schema, const svc_node *said, const svc_node *value, const schema_path *at)
{
  svc_str keyword = said->name;
  size_t n;
  if (schema_says_nothing(keyword)) return true;
  if (svc_str_is(keyword, "$ref")) return schema_fits(d, t_schema_at(d, schema), value, at);
  if (svc_str_is(keyword, "type")) return schema_type(d, said, value, at);
  if (svc_str_is(keyword, "enum")) return schema_enum(d, said, value, at);
  if (svc_str_is(keyword, "const")) return said->type == value->type && svc_node_same(said, value) ? true : schema_no(d, at, "is another value");
  if (svc_str_is(keyword, "format")) return schema_format(d, said->text, value, at);
  if (svc_str_is(keyword, "pattern"))
    return value->type != SVC_J_STRING || svc_pattern_match(svc_arena_copy(&d->arena, said->text).p, value->text) ? true : schema_no(d, at, "does not match");
  if (svc_str_is(keyword, "required")) return schema_required(d, said, value, at);
  if (svc_str_is(keyword, "items")) return schema_items(d, said, value, at);
  if (svc_str_is(keyword, "uniqueItems")) return schema_unique(d, value, at);
  if (svc_str_is(keyword, "additionalProperties")) return true; /* checked together with the members */
  if (svc_str_is(keyword, "if")) return schema_conditional(d, schema, said, value, at);
  if (svc_str_is(keyword, "not")) return schema_fits(d, said, value, at) ? schema_no(d, at, "is what it must not be") : true;
  if (svc_str_is(keyword, "allOf")) return schema_count(d, said, value, at) == svc_node_count(said);
  if (svc_str_is(keyword, "anyOf")) return schema_count(d, said, value, at) > 0;
  if (svc_str_is(keyword, "oneOf")) {
    n = schema_count(d, said, value, at);
    return n == 1 ? true : n ? schema_no(d, at, "fits %zu of the schemas, not one", n) : false;
  }
  if (keyword.n > 4 && (memcmp(keyword.p, "min", 3) == 0 || memcmp(keyword.p, "max", 3) == 0)) return schema_bound(d, keyword, said, value, at);
  munit_errorf("the document has an unknown keyword " SVC_FMT, SVC_ARG(keyword));
  return false;
}

static bool schema_fits(t_schema *d, const svc_node *schema, const svc_node *value, const schema_path *at)
{
  const svc_node *said;
  for (said = schema->first; said; said = said->next)
    if (!schema_keyword(d, schema, said, value, at)) return false;
  return schema_members(d, schema, value, at);
}

bool t_schema_fits(t_schema *d, const svc_node *schema, const svc_node *value)
{
  d->why[0] = 0;
  return schema_fits(d, schema, value, NULL);
}
