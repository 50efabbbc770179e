/*
** Matchers of an alert configuration: of all that its event type is about, only what fits every one of them.
**
** A field that something has no value of is empty: it equals nothing, and NOT_EQUALS holds. A REGEX is looked for anywhere in
** the value. It is run by base/pattern.c, which has a bound on its work whatever the pattern; one that it does not know is
** refused when it is sent, so that no configuration is silently deaf.
*/
#include "catalog/monitoring/alert_parts.h"

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
static const char *const alert_matchers_types[] = { "STANDALONE", "PRIMARY", "SECONDARY", "ARBITER", "DBS", "CONFIG", "DBT", NULL };

static const char *const *const alert_matchers_allowed[] = { /* by enum svc_alert_on */
  [SVC_ALERT_ON_ANY] = svc_alert_field_names,      [SVC_ALERT_ON_HOST] = alert_matchers_host,
  [SVC_ALERT_ON_REPLICA_SET] = alert_matchers_set, [SVC_ALERT_ON_CLUSTER] = alert_matchers_cluster,
  [SVC_ALERT_ON_SCALING] = alert_matchers_cluster, [SVC_ALERT_ON_FLEX] = svc_alert_field_names,
  [SVC_ALERT_ON_SERVERLESS] = svc_alert_field_names, [SVC_ALERT_ON_APP] = alert_matchers_app,
  [SVC_ALERT_ON_STREAM] = alert_matchers_stream
};

/* As it is run: it may stand anywhere in the text, unless it says at which end. */
static svc_str alert_matchers_pattern(svc_call *c, svc_str value)
{
  bool first = value.n && value.p[0] == '^', last = value.n > 1 && value.p[value.n - 1] == '$' && value.p[value.n - 2] != '\\';
  if (first) value.p++, value.n--;
  if (last) value.n--;
  return svc_arena_print(c->arena, "%s(%.*s)%s", first ? "" : ".*", SVC_ARG(value), last ? "" : ".*");
}

static void alert_matchers_check_one(svc_call *c, const svc_node *matcher, int on, unsigned i)
{
  svc_str field = svc_node_str(matcher, "fieldName"), value = svc_node_str(matcher, "value");
  svc_str how = svc_node_str(matcher, "operator");
  if (!svc_value_in(c->s, field, alert_matchers_allowed[on])) {
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, svc_arena_print(c->arena, "matchers[%u].fieldName", i), "must be %s, for this type of event",
                svc_values_known(c, alert_matchers_allowed[on]).p);
  } else if (svc_str_is(how, "REGEX") && !svc_pattern_valid(alert_matchers_pattern(c, value).p)) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "matchers[%u].value", i), "is no regular expression that is known here");
  } else if (svc_str_is(field, "TYPE_NAME") && svc_str_is(how, "EQUALS") && on == SVC_ALERT_ON_HOST &&
             !svc_value_in(c->s, value, alert_matchers_types)) {
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, svc_arena_print(c->arena, "matchers[%u].value", i), "must be %s",
                svc_values_known(c, alert_matchers_types).p);
  }
}

SVC_PRIVATE void svc_alert_matchers_check(svc_call *c, const svc_node *matchers, int on)
{
  const svc_node *matcher;
  unsigned i = 0;
  for (matcher = svc_node_first(matchers); matcher; matcher = matcher->next) alert_matchers_check_one(c, matcher, on, i++);
  if (on == SVC_ALERT_ON_SCALING && i > 1)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("matchers"), "must have at most 1 element, for this type of event");
}

static bool alert_matchers_contains(svc_str text, svc_str part)
{
  size_t i;
  for (i = 0; i + part.n <= text.n; i++)
    if (memcmp(text.p + i, part.p, part.n) == 0) return true;
  return false;
}

static bool alert_matchers_fits(svc_call *c, const svc_node *matcher, svc_str text)
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
  return svc_pattern_match(alert_matchers_pattern(c, value).p, text);
}

SVC_PRIVATE bool svc_alert_matchers_fit(svc_call *c, const svc_node *matchers, svc_alert_value value, void *context)
{
  const svc_node *matcher;
  for (matcher = svc_node_first(matchers); matcher; matcher = matcher->next)
    if (!alert_matchers_fits(c, matcher, value(context, svc_node_str(matcher, "fieldName")))) return false;
  return true;
}
