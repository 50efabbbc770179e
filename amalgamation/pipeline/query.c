/*
** The query: parameters of lists, of every request, and of the operation itself.
**
** The rule: nothing is ignored. An unknown parameter, a parameter that is repeated but may not be, and an invalid value are
** refused by name.
*/
#include "pipeline/pipeline.h"

#define QUERY_SHORT 100  /* items of a page that an event loop may write, and the default */
#define QUERY_NEAR 1000  /* items that may be skipped before such a page: skipping reads them */
#define QUERY_MOST 128 /* maximum values of the operation's own parameters; the catalog does not limit most lists */

static bool query_bad(svc_call *c, svc_str name, const char *why)
{
  return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "Ss", &name, why);
}
#define query_bad(...) (query_bad(__VA_ARGS__), false)

static bool query_boolean(svc_call *c, svc_str name, svc_str text, bool *out)
{
  *out = svc_str_is(text, "true");
  return *out || svc_str_is(text, "false") ? true : query_bad(c, name, "it must be true or false");
}

/* A bare array has pages, too, if they are requested; so has the list that some writes answer with. */
static bool query_is_list(const svc_call *c)
{
  return c->plan->route->flags & (c->request.method == SVC_GET ? SVC_PAGED | SVC_BARE : SVC_PAGED);
}

enum query_common { QUERY_PAGE, QUERY_PER_PAGE, QUERY_COUNT, QUERY_ENVELOPE, QUERY_PRETTY, QUERY_COMMON };
static const char *const query_common_names[QUERY_COMMON] = { "pageNum", "itemsPerPage", "includeCount", "envelope", "pretty" };

static int query_common_index(const svc_call *c, svc_str name)
{
  int i;
  for (i = query_is_list(c) ? 0 : QUERY_ENVELOPE; i < QUERY_COMMON; i++)
    if (svc_str_is(name, query_common_names[i])) return i;
  return -1;
}

/* A number of the raw query; `otherwise` if the text is not a number, which is refused soon. */
static int64_t query_number(svc_str text, int64_t otherwise)
{
  int64_t n;
  return svc_str_i64(text, &n) && n > 0 && n <= INT32_MAX ? n : otherwise;
}

SVC_PRIVATE bool svc_query_is_long(const svc_call *c)
{
  int64_t page = 1, items = 0;
  svc_str rest = c->request.query;
  if (!query_is_list(c)) return false;
  while (rest.n) {
    svc_str value = svc_str_cut(&rest, '&'), name = svc_str_cut(&value, '=');
    int which = query_common_index(c, name);
    if (which < 0) return true; /* a filter: the list may read many more items than it shows */
    if (which == QUERY_PAGE) page = query_number(value, page);
    if (which == QUERY_PER_PAGE) items = query_number(value, items);
  }
  if (!items && !(c->plan->route->flags & SVC_PAGED)) return true; /* a bare array is complete unless it has a page */
  if (!items) items = QUERY_SHORT;
  return items > QUERY_SHORT || (page - 1) * items > QUERY_NEAR;
}

/* Refuses an unknown parameter, and suggests the nearest name. */
static bool query_unknown(svc_call *c, svc_str name)
{
  svc_near guess = svc_near_begin(name);
  const svc_param *p;
  int i;
  for (p = c->plan->route->params; p && p->name; p++) svc_near_try(&guess, svc_shown_field(c->s, svc_str_c(p->name)).p);
  for (i = query_is_list(c) ? 0 : QUERY_ENVELOPE; i < QUERY_COMMON; i++) svc_near_try(&guess, query_common_names[i]);
  return query_bad(c, name, svc_arena_print(c->arena, "this operation has no such parameter%s", svc_did_you_mean(c, &guess).p).p);
}

static bool query_common_value(svc_call *c, int which, svc_str name, svc_str text)
{
  int64_t number = 0;
  char why[64];
  switch (which) {
  case QUERY_COUNT: return query_boolean(c, name, text, &c->query.include_count);
  case QUERY_ENVELOPE: return query_boolean(c, name, text, &c->query.envelope);
  case QUERY_PRETTY: return query_boolean(c, name, text, &c->query.pretty);
  case QUERY_PAGE:
    if (!svc_str_i64(text, &number) || number < 1 || number > INT32_MAX)
      return query_bad(c, name, "it must be an integer from 1 to 2147483647");
    c->query.page = number;
    return true;
  default:
    if (!svc_str_i64(text, &number) || number < 1 || number > (int64_t)c->s->config.max_page) {
      snprintf(why, sizeof why, "it must be an integer from 1 to %zu", c->s->config.max_page);
      return query_bad(c, name, why);
    }
    c->query.per_page = number;
    return true;
  }
}

/* A plus that is not encoded reads as a space; in a date it can only be the sign of a time zone. */
static svc_str query_with_zone(svc_call *c, svc_str text)
{
  size_t i = text.n;
  svc_str copy;
  while (i > 0 && text.p[i - 1] != ' ') i--;
  if (i == 0) return text;
  copy = svc_arena_copy(c->arena, text);
  if (copy.n) ((char *)(uintptr_t)copy.p)[i - 1] = '+';
  return copy;
}

static svc_str query_range(svc_call *c, const svc_param *p)
{
  if (p->max <= p->min) return svc_arena_print(c->arena, "it must be an integer of %d bits", p->type == SVC_INT32 ? 32 : 64);
  return svc_arena_print(c->arena, "it must be an integer from %lld to %lld", (long long)p->min, (long long)p->max);
}

static bool query_own_value(svc_call *c, const svc_param *p, svc_query_value *v)
{
  svc_str name = svc_shown_field(c->s, svc_str_c(p->name));
  bool truth;
  char why[96];
  switch (p->type) {
  case SVC_BOOLEAN:
    if (!query_boolean(c, name, v->text, &truth)) return false;
    v->number = truth;
    return true;
  case SVC_DATE:
    v->text = query_with_zone(c, v->text);
    if (!svc_date_parse(v->text, &v->number)) return query_bad(c, name, "it must be a date and time in ISO 8601");
    return true;
  case SVC_INT32:
  case SVC_INT64:
    if (!svc_str_i64(v->text, &v->number) || (p->type == SVC_INT32 && (v->number < INT32_MIN || v->number > INT32_MAX)) ||
        (p->max > p->min && (v->number < p->min || v->number > p->max)))
      return query_bad(c, name, query_range(c, p).p);
    return true;
  default:
    if (p->values && !svc_value_in(c->s, v->text, p->values))
      return query_bad(c, name, svc_arena_print(c->arena, "it must be %s", svc_values_meant(c, p->values, v->text).p).p);
    if (p->pattern && !svc_pattern_match(p->pattern, v->text)) {
      snprintf(why, sizeof why, "it must match %s", p->pattern);
      return query_bad(c, name, why);
    }
    if (p->format && !svc_format_check(p->format, v->text)) {
      snprintf(why, sizeof why, "it must be %s", svc_format_name(p->format));
      return query_bad(c, name, why);
    }
    return true;
  }
}

static bool query_own(svc_call *c, svc_str name, svc_str text)
{
  const svc_param *p = c->plan->route->params;
  svc_query_value *v;
  size_t i, seen = 0;
  while (p && p->name && !svc_str_eq(name, svc_shown_field(c->s, svc_str_c(p->name)))) p++;
  if (!p || !p->name) return query_unknown(c, name);
  for (i = 0; i < c->query.count; i++) seen += c->query.values[i].param == p;
  if (seen && !(p->flags & SVC_PARAM_REPEATS)) return query_bad(c, name, "it may be given only once");
  if (seen >= (p->max_repeats ? p->max_repeats : QUERY_MOST)) return query_bad(c, name, "it is given too often");
  if (!c->query.values) c->query.values = svc_arena_zero(c->arena, QUERY_MOST * sizeof *c->query.values);
  if (!c->query.values || c->query.count == QUERY_MOST) return query_bad(c, name, "there are too many parameters");
  v = &c->query.values[c->query.count++];
  v->param = p;
  v->text = text;
  if (c->s->dialect) svc_turn_query(c, v);
  return query_own_value(c, p, v);
}

static bool query_required(svc_call *c)
{
  const svc_param *p;
  for (p = c->plan->route->params; p && p->name; p++)
    if (p->flags & SVC_PARAM_REQUIRED && !svc_query_get(c, p->name))
      return svc_fail(c, SVC_E_MISSING_QUERY_PARAMETER, "s", svc_shown_field(c->s, svc_str_c(p->name)).p);
  return true;
}

static bool query_decode(svc_call *c, svc_str in, svc_str *out)
{
  return svc_percent_decode(c->arena, in, true, out) && svc_utf8_valid(*out);
}

/* Checks a path parameter that is a field against the values of that field. */
static bool query_in_path(svc_call *c)
{
  const svc_field *f = c->plan->in_path_field;
  svc_str given;
  if (!f || !f->values) return true;
  given = c->route.params[c->plan->in_path];
  if (svc_value_in(c->s, given, f->values)) return true;
  return svc_fail_as(c, svc_arena_print(c->arena, "The path parameter %s must be %s.", f->name,
                                        svc_values_meant(c, f->values, given).p), SVC_E_INVALID_PATH_PARAMETER, "s", f->name);
}

/* The query for the self link of the answer. */
static bool query_again(svc_call *c)
{
  svc_buf b;
  size_t i;
  if (c->query.count == 0 || query_is_list(c)) return true;
  b = svc_buf_new(c->arena, 128);
  for (i = 0; i < c->query.count; i++) {
    svc_buf_char(&b, i ? '&' : '?');
    svc_buf_str(&b, svc_shown_field(c->s, svc_str_c(c->query.values[i].param->name)));
    svc_buf_char(&b, '=');
    svc_percent_encode(&b, svc_shown_query(c, &c->query.values[i]));
  }
  c->query.again = svc_buf_done(&b);
  return b.failed ? svc_no_memory(c) : true;
}

SVC_PRIVATE bool svc_stage_query(svc_call *c)
{
  svc_str rest = c->request.query;
  unsigned seen = 0;
  c->query.page = 1;
  c->query.per_page = c->s->config.max_page < 100 ? (int64_t)c->s->config.max_page : 100;
  c->query.include_count = true;
  c->query.paged = c->plan->route->flags & SVC_PAGED;
  while (rest.n) {
    svc_str text = svc_str_cut(&rest, '&'), raw, name;
    int which;
    if (text.n == 0) continue;
    raw = svc_str_cut(&text, '=');
    if (!query_decode(c, raw, &name)) return query_bad(c, raw, "its name is not properly percent-encoded UTF-8");
    if (!query_decode(c, text, &text)) return query_bad(c, name, "it is not properly percent-encoded UTF-8");
    which = query_common_index(c, name);
    if (which < 0) {
      if (!query_own(c, name, text)) return false;
      continue;
    }
    if (seen & 1u << which) return query_bad(c, name, "it may be given only once");
    seen |= 1u << which;
    c->query.paged |= which == QUERY_PAGE || which == QUERY_PER_PAGE;
    if (!query_common_value(c, which, name, text)) return false;
  }
  return query_required(c) && query_in_path(c) && query_again(c);
}

SVC_PRIVATE const svc_query_value *svc_query_get(const svc_call *c, const char *name)
{
  size_t i;
  for (i = 0; i < c->query.count; i++)
    if (strcmp(c->query.values[i].param->name, name) == 0) return &c->query.values[i];
  return NULL;
}

SVC_PRIVATE bool svc_query_has(const svc_call *c, const char *name, svc_str value)
{
  size_t i;
  for (i = 0; i < c->query.count; i++)
    if (strcmp(c->query.values[i].param->name, name) == 0 && svc_str_eq(c->query.values[i].text, value)) return true;
  return false;
}
