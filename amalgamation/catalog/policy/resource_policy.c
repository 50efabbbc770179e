/*
** Resource policy of an organization: a name and some policies, each a text in the language of policy_language.c. In all
** projects of the organization, requests that a policy forbids are refused for every caller; the error names the policy.
**
** A policy applies to requests from now on. Existing resources stay; nonCompliantResources lists them.
*/
#include "catalog/policy/policy_language.h"

enum { RESOURCE_POLICY_MOST = 50 };

static const svc_field resource_policy_user_fields[] = {
  F_HEX24("id", .flags = SVC_READ_ONLY), F_STR("name", .flags = SVC_READ_ONLY)
};
static const svc_object resource_policy_user = { .name = "ApiSvcUserMetadataView", .fields = SVC_ROWS(resource_policy_user_fields) };

static const svc_field resource_policy_body_fields[] = {
  F_STR("body", .flags = SVC_REQUIRED, .min = 1, .max = SVC_POLICY_BODY), F_ID()
};
static const svc_object resource_policy_body = { .name = "ApiSvcPolicyView", .fields = SVC_ROWS(resource_policy_body_fields) };

static const svc_field resource_policy_fields[] = {
  F_OBJ("createdByUser", &resource_policy_user, .flags = SVC_READ_ONLY),
  F_CREATED("createdDate"),
  F_STR("description", .flags = SVC_NULLABLE, .max = 1024),
  F_ID(),
  F_OBJ("lastUpdatedByUser", &resource_policy_user, .flags = SVC_READ_ONLY),
  F_DATE("lastUpdatedDate", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED),
  F_STR("name", .flags = SVC_REQUIRED, .format = SVC_FORMAT_TRIMMED, .min = 1, .max = 128),
  F_ORG_ID(),
  F_LIST("policies", &resource_policy_body, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = SVC_POLICY_BODIES),
  F_STR("version", .flags = SVC_READ_ONLY)
};
static const svc_object resource_policy_object = { .name = "ApiSvcResourcePolicyView", .fields = SVC_ROWS(resource_policy_fields) };

/* A policy in a request that only validates it. */
static const svc_field resource_policy_text_fields[] = { F_STR("body", .flags = SVC_READ_ONLY) };
static const svc_object resource_policy_text = { .name = "ApiSvcPolicyTextView", .fields = SVC_ROWS(resource_policy_text_fields) };
static const svc_field resource_policy_checked_fields[] = {
  F_STR("description", .flags = SVC_READ_ONLY), F_STR("name", .flags = SVC_READ_ONLY), F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_LIST("policies", &resource_policy_text, .flags = SVC_READ_ONLY), F_STR("version", .flags = SVC_READ_ONLY)
};
static const svc_object resource_policy_checked = { .name = "ApiSvcResourcePolicyCheckedView", .fields = SVC_ROWS(resource_policy_checked_fields) };

static bool resource_policy_validate(svc_call *c);

#define RESOURCE_POLICY \
  "/orgs/{orgId}/resourcePolicies", SVC_SET_RESOURCE_POLICIES, (20240805), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER
#define RESOURCE_POLICY_EXAMPLE \
  "{\"name\":\"only in Europe\",\"policies\":[{\"body\":\"forbid (principal, action == ResourcePolicy::Action::\\\"cluster.modify\\\", " \
  "resource) unless { [ResourcePolicy::Region::\\\"aws:eu-west-1\\\", ResourcePolicy::Region::\\\"aws:us-east-1\\\"].containsAll(" \
  "context.cluster.regions) };\"}]}"

static const svc_route resource_policy_routes[] = {
  R_GET(RESOURCE_POLICY, "", .flags = SVC_BARE, .op = "listOrgResourcePolicies", .run = svc_verb_list),
  R_POST(RESOURCE_POLICY, "", .status = 201, .op = "createOrgResourcePolicy", .run = svc_verb_create, .example = RESOURCE_POLICY_EXAMPLE),
  R_POST(RESOURCE_POLICY, ":validate", .flags = SVC_NO_LINKS, .answer = &resource_policy_checked, .op = "validateResourcePolicies", .run = resource_policy_validate, .example = RESOURCE_POLICY_EXAMPLE),
  R_GET(RESOURCE_POLICY, "/{resourcePolicyId}", .op = "getOrgResourcePolicy", .run = svc_verb_read),
  R_PATCH(RESOURCE_POLICY, "/{resourcePolicyId}", .op = "updateOrgResourcePolicy", .run = svc_verb_update, .example = "{\"description\":\"for the time being\"}"),
  R_DELETE(RESOURCE_POLICY, "/{resourcePolicyId}", .status = 200, .flags = SVC_EMPTY_OBJECT, .op = "deleteOrgResourcePolicy", .run = svc_verb_delete)
};

/* Each request asks all policies of the organization, so their total number of steps is limited. `id`: the policy that changes; NULL: a
** new one. */
static bool resource_policy_fits(svc_call *c, const svc_id *id, size_t steps)
{
  svc_str own = id ? svc_id_str(c->arena, id) : SVC_S("");
  svc_policy_rules rules;
  size_t i;
  if (steps == 0) return true;
  if (!svc_policies_read(c, &c->scope.org, &rules)) return false;
  for (i = 0; i < rules.count; i++)
    if (!svc_str_eq(rules.rules[i].policy, own)) steps += svc_policy_steps(rules.rules[i].read);
  svc_policies_leave(c, &rules);
  if (steps > SVC_POLICY_ORG_STEPS)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("policies"),
                "compare sets that are too large: all policies of the organization together would take %zu steps; at most %d are allowed", steps,
                SVC_POLICY_ORG_STEPS);
  return svc_check_done(c);
}

/* Checks that each body is a valid policy; the error has the position. */
static bool resource_policy_check(svc_call *c, const svc_change *change, const svc_node *body)
{
  const svc_node *list = svc_node_get(body, "policies"), *one = svc_node_first(list);
  size_t i, steps = 0;
  for (i = 0; one; one = one->next, i++) {
    svc_str why;
    const svc_policy *policy = svc_policy_read(c->arena, svc_node_str(one, "body"), &why);
    if (policy) steps += svc_policy_steps(policy);
    if (policy) continue;
    if (c->arena->failed) return svc_no_memory(c);
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "policies[%zu].body", i), "is not a policy: " SVC_FMT, SVC_ARG(why));
  }
  if (!svc_check_done(c)) return false;
  if (change && change->before && svc_node_same(svc_node_get(change->before, "policies"), list)) return true;
  return resource_policy_fits(c, change && change->before ? &change->entity.id : NULL, steps);
}

static void resource_policy_by(svc_call *c, svc_node *body, const char *field)
{
  svc_node *user = svc_node_object(c->arena, field);
  if (!user || !c->who.known) return;
  if (c->who.user_id.n == 24) svc_node_set_str(c->arena, user, "id", c->who.user_id);
  if (c->who.username.n) svc_node_set_str(c->arena, user, "name", c->who.username);
  svc_node_put(c->arena, body, user);
}

static bool resource_policy_prepare(svc_call *c, svc_change *change)
{
  if (!resource_policy_check(c, change, change->body)) return false;
  if (change->before && svc_node_same(change->before, change->body)) return true;
  if (!change->before) resource_policy_by(c, change->body, "createdByUser");
  resource_policy_by(c, change->body, "lastUpdatedByUser");
  svc_node_set_text(c->arena, change->body, "version", "v1");
  return true;
}

/* Answers as a create would, but stores nothing. */
static bool resource_policy_validate(svc_call *c)
{
  svc_node *body = svc_node_copy(c->arena, c->checked);
  if (!svc_resolve_all(c) || !body) return svc_failed(c);
  if (!resource_policy_check(c, NULL, body)) return false;
  svc_node_set_id(c->arena, body, "orgId", &c->scope.org);
  svc_node_set_text(c->arena, body, "version", "v1");
  if (!svc_answer_node(c, body)) return false;
  svc_answer_unlinked(c); /* there is no resource to link to */
  return true;
}

static bool resource_policy_allows(svc_call *c, const svc_change *change)
{
  svc_node *context;
  int action = 0;
  if (!svc_policies_any(c)) return svc_txn_good(c);
  context = svc_noun_ext_of(change->noun->noun)->governed(c, change, &action);
  if (!context) return svc_failed(c);
  return action == 0 || svc_policies_allow(c, action, context);
}

SVC_PRIVATE const svc_noun svc_noun_resource_policy = {
  .name = "resource policy",
  .rel = "resourcePolicy",
  .kind = SVC_POLICY_KIND,
  .parent = "organization",
  .param = "resourcePolicyId",
  .seat = SVC_SEAT_GOVERNOR,
  .object = &resource_policy_object,
  .unique = "name",
  .err_not_found = SVC_E_RESOURCE_POLICY_NOT_FOUND,
  .err_exists = SVC_E_RESOURCE_POLICY_ALREADY_EXISTS,
  .most = RESOURCE_POLICY_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "RESOURCE_POLICY_CREATED",
  .event_updated = "RESOURCE_POLICY_MODIFIED",
  .event_deleted = "RESOURCE_POLICY_DELETED",
  .event_field = "resourcePolicyId",
  .routes = SVC_ROUTES(resource_policy_routes),
  .prepare = resource_policy_prepare,
  .ext = SVC_NOUN_EXT(.event_value = "id", .governor = &(const svc_governor_ops){ resource_policy_allows })
};
