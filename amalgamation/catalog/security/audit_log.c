/*
** Audit log of a project: whether the servers of its clusters record who did what, and which part of it. A filter selects the
** part: a query document, as text, that servers match against each entry.
**
** `extra` (svc_entity.extra) holds the time in milliseconds since which they record. Earlier actions are in no log.
**
** The filter is checked for errors with which a server would refuse to start. A valid filter is a JSON object, with known
** operators, and not nested too deep.
*/
#include "catalog/catalog.h"

#define AUDIT_LOG_DEPTH 16

static const char *const audit_log_types[] = { "NONE", "FILTER_BUILDER", "FILTER_JSON", NULL };

static const svc_field audit_log_fields[] = {
  F_BOOL("auditAuthorizationSuccess", .preset = "false"),
  F_STR("auditFilter", .max = 16384, .preset = "\"{}\""),
  F_ENUM("configurationType", audit_log_types, .flags = SVC_READ_ONLY, .preset = "\"NONE\""),
  F_BOOL("enabled", .preset = "false")
};
static const svc_object audit_log_object = { .name = "AuditLog", .fields = SVC_ROWS(audit_log_fields) };

#define AUDIT_LOG "/groups/{groupId}/auditLog", SVC_SET_AUDIT_LOG, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_route audit_log_routes[] = {
  R_GET(AUDIT_LOG, "", .op = "getGroupAuditLog", .run = svc_verb_read),
  R_PATCH(AUDIT_LOG, "", .status = 202, .op = "updateAuditLog", .run = svc_verb_update)
};

static bool audit_log_operator(svc_str name)
{
  static const char *const known[] = { "$all", "$and", "$elemMatch", "$eq", "$exists", "$gt", "$gte", "$in", "$lt", "$lte", "$ne",
                                       "$nin", "$nor", "$not", "$options", "$or", "$regex", "$size" };
  size_t i;
  for (i = 0; i < sizeof known / sizeof known[0]; i++)
    if (svc_str_is(name, known[i])) return true;
  return false;
}

/* Refuses unknown operators: members that begin with a dollar sign. svc_json_gate() has limited the depth, and refuses empty names. */
static bool audit_log_walk(svc_call *c, const svc_node *node)
{
  const svc_node *child;
  for (child = node->first; child; child = child->next) {
    if (node->type == SVC_J_OBJECT && child->name.p[0] == '$' && !audit_log_operator(child->name)) {
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("auditFilter"), "has the operator " SVC_FMT ", which there is not",
                  SVC_ARG(child->name));
      return false;
    }
    if (!audit_log_walk(c, child)) return false;
  }
  return true;
}

static bool audit_log_prepare(svc_call *c, svc_change *change)
{
  svc_str filter = svc_node_str(change->body, "auditFilter");
  svc_json_fault fault = { 0, "" };
  const svc_node *document = NULL;
  if (!svc_json_gate(c->arena, filter, AUDIT_LOG_DEPTH, &fault))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("auditFilter"), "is not valid JSON: %s at byte %zu", fault.what, fault.at);
  else if (!(document = svc_json_parse(c->arena, filter)) || document->type != SVC_J_OBJECT)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("auditFilter"), "must be a JSON object, as text");
  else audit_log_walk(c, document);
  if (!svc_check_done(c)) return false;
  svc_node_set_str(c->arena, change->body, "configurationType", svc_node_first(document) ? SVC_S("FILTER_JSON") : SVC_S("NONE"));
  if (!svc_node_bool(change->body, "enabled", false)) change->extra = SVC_S("");
  else if (!svc_node_bool(change->before, "enabled", false)) change->extra = svc_arena_print(c->arena, "%lld", (long long)c->now);
  return true;
}

SVC_PRIVATE const svc_noun svc_noun_audit_log = {
  .name = "audit log",
  .rel = "auditLog",
  .kind = "audl",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &audit_log_object,
  .event_updated = "AUDIT_LOG_CONFIGURATION_UPDATED",
  .routes = SVC_ROUTES(audit_log_routes),
  .prepare = audit_log_prepare,
};
