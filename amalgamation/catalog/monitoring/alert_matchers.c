/*
** Matchers of an alert configuration: of all targets of its event type, only those that fit every matcher.
**
** A field without a value is empty: only NOT_ operators hold. A REGEX is searched anywhere in the
** value, by base/pattern.c. An unsupported pattern is refused when it is sent, so that no configuration silently matches
** nothing.
**
** Regular expressions are work that users cause, so there are three bounds. A large pattern is refused, and so are
** patterns of a configuration that are large together. All patterns of a round or event share a budget of steps
** (svc_alert_patterns). Within that budget, a pattern is compiled once for all configurations, and a cache keeps its result per text.
*/
#include "catalog/monitoring/alert_parts.h"

#define MATCHERS_STEPS 128 /* per compiled pattern */
#define MATCHERS_ALL 512   /* of all patterns of a configuration */
#define MATCHERS_COMPILE 8 /* steps of the budget to compile one byte or one step */

SVC_PRIVATE const char *const svc_alert_field_names[] = {
  "APPLICATION_ID", "CLUSTER_NAME", "HOSTNAME", "HOSTNAME_AND_PORT", "INSTANCE_NAME", "PORT", "PROCESSOR_NAME",
  "REPLICA_SET_NAME", "RULE_ID", "SHARD_NAME", "SOFTWARE_TYPE", "SVC_NODE_TYPE", "TYPE_NAME", NULL
};

static const char *const alert_matchers_host[] = { "TYPE_NAME", "HOSTNAME", "PORT", "HOSTNAME_AND_PORT", "REPLICA_SET_NAME",
                                                   "SVC_NODE_TYPE", NULL };
static const char *const alert_matchers_set[] = { "REPLICA_SET_NAME", "SHARD_NAME", "CLUSTER_NAME", NULL };
static const char *const alert_matchers_cluster[] = { "CLUSTER_NAME", NULL };
static const char *const alert_matchers_app[] = { "APPLICATION_ID", NULL };
static const char *const alert_matchers_stream[] = { "INSTANCE_NAME", "PROCESSOR_NAME", NULL };
SVC_PRIVATE const char *const svc_alert_host_types[] = { "STANDALONE", "PRIMARY", "SECONDARY", "ARBITER", "DBS", "CONFIG", "DBT", NULL };

static const char *const *const alert_matchers_allowed[] = { /* by enum svc_alert_on */
  [SVC_ALERT_ON_ANY] = svc_alert_field_names,      [SVC_ALERT_ON_HOST] = alert_matchers_host,
  [SVC_ALERT_ON_REPLICA_SET] = alert_matchers_set, [SVC_ALERT_ON_CLUSTER] = alert_matchers_cluster,
  [SVC_ALERT_ON_SCALING] = alert_matchers_cluster, [SVC_ALERT_ON_FLEX] = svc_alert_field_names,
  [SVC_ALERT_ON_SERVERLESS] = svc_alert_field_names, [SVC_ALERT_ON_APP] = alert_matchers_app,
  [SVC_ALERT_ON_STREAM] = alert_matchers_stream
};

/* The pattern as it is run: the pattern matches anywhere in the text, unless it is anchored. */
static svc_str alert_matchers_pattern(svc_call *c, svc_str value)
{
  bool first = value.n && value.p[0] == '^', last = value.n > 1 && value.p[value.n - 1] == '$' && value.p[value.n - 2] != '\\';
  if (first) value.p++, value.n--;
  if (last) value.n--;
  return svc_arena_print(c->arena, "%s(%.*s)%s", first ? "" : ".*", SVC_ARG(value), last ? "" : ".*");
}

static void alert_matchers_check_one(svc_call *c, const svc_node *matcher, int on, unsigned i, size_t *all)
{
  svc_str field = svc_node_str(matcher, "fieldName"), value = svc_node_str(matcher, "value");
  svc_str how = svc_node_str(matcher, "operator");
  size_t steps = svc_str_is(how, "REGEX") ? svc_pattern_steps(alert_matchers_pattern(c, value).p) : 0;
  *all += steps;
  if (!svc_value_in(c->s, field, alert_matchers_allowed[on])) {
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, svc_arena_print(c->arena, "matchers[%u].fieldName", i), "must be %s for this event type",
                svc_values_known(c, alert_matchers_allowed[on]).p);
  } else if (svc_str_is(how, "REGEX") && steps == 0) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "matchers[%u].value", i), "is not a supported regular expression");
  } else if (steps > MATCHERS_STEPS) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "matchers[%u].value", i),
                "is too large a regular expression: it compiles to %zu steps, at most %d are allowed ({n} repeats the steps n times)", steps,
                MATCHERS_STEPS);
  } else if (svc_str_is(field, "TYPE_NAME") && svc_str_is(how, "EQUALS") && on == SVC_ALERT_ON_HOST &&
             !svc_value_in(c->s, value, svc_alert_host_types)) {
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, svc_arena_print(c->arena, "matchers[%u].value", i), "must be %s",
                svc_values_known(c, svc_alert_host_types).p);
  }
}

SVC_PRIVATE void svc_alert_matchers_check(svc_call *c, const svc_node *matchers, int on)
{
  const svc_node *matcher;
  unsigned i = 0;
  size_t steps = 0;
  for (matcher = svc_node_first(matchers); matcher; matcher = matcher->next) alert_matchers_check_one(c, matcher, on, i++, &steps);
  if (steps > MATCHERS_ALL)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("matchers"),
                "have regular expressions that compile to %zu steps together, at most %d are allowed", steps, MATCHERS_ALL);
  if (on == SVC_ALERT_ON_SCALING && i > 1)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("matchers"), "must have at most 1 element for this event type");
}

static bool alert_matchers_contains(svc_str text, svc_str part)
{
  size_t i;
  for (i = 0; i + part.n <= text.n; i++)
    if (memcmp(text.p + i, part.p, part.n) == 0) return true;
  return false;
}

/* --------------------------------------------------------------------------------------------------- regular expressions */

struct svc_alert_pattern {
  struct svc_alert_pattern *next;
  svc_str value;
  const svc_pattern *compiled; /* NULL: not a valid pattern, fits nothing */
};
struct svc_alert_result {
  const struct svc_alert_pattern *of;
  svc_str text;
  bool fits;
};

static uint64_t alert_matchers_hash(uint64_t h, svc_str text)
{
  h = svc_fnv(h, text);
  return h ^ h >> 32;
}

/* The pattern, compiled earlier or now. NULL: out of memory. */
static const struct svc_alert_pattern *alert_matchers_compiled(svc_call *c, svc_alert_patterns *all, svc_str value)
{
  struct svc_alert_pattern **bucket = &all->buckets[alert_matchers_hash(SVC_FNV, value) % SVC_ALERT_BUCKETS], *one = *bucket;
  svc_str text;
  while (one && !svc_str_eq(one->value, value)) one = one->next, all->left--;
  if (one) return one;
  one = svc_arena_zero(c->arena, sizeof *one);
  text = alert_matchers_pattern(c, value);
  if (!one || c->arena->failed) return NULL;
  one->value = svc_arena_copy(c->arena, value);
  one->compiled = svc_pattern_compile(c->arena, text.p);
  all->left -= MATCHERS_COMPILE * (int64_t)(text.n + svc_pattern_steps(text.p));
  one->next = *bucket;
  *bucket = one;
  return c->arena->failed ? NULL : one;
}

static bool alert_matchers_regex(svc_call *c, svc_alert_patterns *all, svc_str value, svc_str text)
{
  const struct svc_alert_pattern *pattern = alert_matchers_compiled(c, all, value);
  struct svc_alert_result *known;
  int64_t before;
  bool fits;
  if (!all->results) all->results = svc_arena_zero(c->arena, SVC_ALERT_RESULTS * sizeof *all->results);
  if (!pattern || !all->results) return false; /* out of memory: the transaction fails */
  all->left--;
  known = &all->results[alert_matchers_hash((uint64_t)(uintptr_t)pattern, text) % SVC_ALERT_RESULTS];
  if (known->of == pattern && svc_str_eq(known->text, text)) return known->fits;
  before = all->left;
  fits = pattern->compiled && svc_pattern_run(pattern->compiled, text, &all->left);
  c->steps += before - all->left;
  if (all->left < 0) return false;
  *known = (struct svc_alert_result){ pattern, text, fits };
  return fits;
}

static bool alert_matchers_fits(svc_call *c, const svc_node *matcher, svc_str text, svc_alert_patterns *patterns)
{
  svc_str how = svc_node_str(matcher, "operator"), value = svc_node_str(matcher, "value");
  bool longer = text.n >= value.n;
  if (text.n == 0) return svc_str_starts(how, "NOT_");
  if (svc_str_is(how, "EQUALS")) return svc_str_eq(text, value);
  if (svc_str_is(how, "NOT_EQUALS")) return !svc_str_eq(text, value);
  if (svc_str_is(how, "CONTAINS")) return alert_matchers_contains(text, value);
  if (svc_str_is(how, "NOT_CONTAINS")) return !alert_matchers_contains(text, value);
  if (svc_str_is(how, "STARTS_WITH")) return longer && memcmp(text.p, value.p, value.n) == 0;
  if (svc_str_is(how, "ENDS_WITH")) return longer && memcmp(text.p + text.n - value.n, value.p, value.n) == 0;
  return alert_matchers_regex(c, patterns, value, text);
}

SVC_PRIVATE bool svc_alert_matchers_fit(svc_call *c, const svc_node *matchers, svc_alert_value value, void *context, svc_alert_patterns *patterns)
{
  const svc_node *matcher;
  for (matcher = svc_node_first(matchers); matcher && patterns->left >= 0; matcher = matcher->next) {
    patterns->left -= 16; /* approximate cost of comparing short texts */
    if (!alert_matchers_fits(c, matcher, value(context, svc_node_str(matcher, "fieldName")), patterns)) return false;
  }
  return patterns->left >= 0;
}
