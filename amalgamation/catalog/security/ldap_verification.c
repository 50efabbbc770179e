/*
** A verification of a directory: whether the service can reach it and log in with these settings. The driver tries it; without
** a driver it always succeeds. A verification is stored for a day, with its password sealed.
*/
#include "catalog/cluster/cluster_base.h"
#include "catalog/security/certificate_parts.h"
#include "catalog/security/ldap_fields.h"

#define LDAP_VERIFICATION_MOST 100
#define LDAP_VERIFICATION_KEPT SVC_DAY_MS

/* FAIL: in jobs that an older release stored */
static const char *const ldap_verification_statuses[] = { "FAIL", "FAILED", "PENDING", "SUCCESS", NULL };
static const char *const ldap_verification_results[] = { "FAIL", "OK", NULL };
static const char *const ldap_verification_types[] = {
  "AUTHENTICATE", "AUTHORIZATION_ENABLED", "CONNECT", "PARSE_AUTHZ_QUERY", "QUERY_SERVER", "SERVER_SPECIFIED", "TEMPLATE", NULL
};

static const svc_field ldap_verification_request_fields[] = {
  LDAP_TEMPLATE(0), LDAP_PASSWORD(SVC_REQUIRED), LDAP_USERNAME(SVC_REQUIRED), LDAP_CERTIFICATE(),
  LDAP_HOST(SVC_REQUIRED), LDAP_PORT(SVC_REQUIRED)
};
static const svc_object ldap_verification_request = {
  .name = "LDAPVerifyConnectivityJobRequestParams", .fields = SVC_ROWS(ldap_verification_request_fields)
};

static const svc_field ldap_verification_step_fields[] = {
  F_ENUM("status", ldap_verification_results, .flags = SVC_READ_ONLY),
  F_ENUM("validationType", ldap_verification_types, .flags = SVC_READ_ONLY)
};
static const svc_object ldap_verification_step = {
  .name = "LDAPVerifyConnectivityJobRequestValidation", .fields = SVC_ROWS(ldap_verification_step_fields)
};

static const svc_field ldap_verification_fields[] = {
  F_GROUP_ID(),
  F_OBJ("request", &ldap_verification_request, .flags = SVC_FIXED),
  F_HEX24("requestId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  F_ENUM("status", ldap_verification_statuses, .flags = SVC_READ_ONLY),
  F_LIST("validations", &ldap_verification_step, .flags = SVC_READ_ONLY, .preset = "[]")
};
static const svc_object ldap_verification_object = { .name = "LDAPVerifyConnectivityJobRequest", .fields = SVC_ROWS(ldap_verification_fields) };

static const svc_transition ldap_verification_transitions[] = {
  { "PENDING", "SUCCESS", 10, NULL, "ldap.verify" }, { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle ldap_verification_lifecycle = {
  .field = "status", .created = "PENDING", .failed = "FAILED", .transitions = ldap_verification_transitions
};

static bool ldap_verification_create(svc_call *c);

SVC_ERROR(LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_CLUSTERS, 400, "No clusters available to perform LDAP connectivity verification for "
          "groupId: {0}. At least one active cluster is required.", "groupId");
SVC_ERROR(LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_INSTANCES, 400, "No cluster nodes are available to perform LDAP connectivity verification "
          "for groupId: {0}.", "groupId");

#define LDAP_VERIFICATION \
  "/groups/{groupId}/userSecurity/ldap/verify", SVC_SET_USER_SECURITY, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_route ldap_verification_routes[] = {
  R_POST(LDAP_VERIFICATION, "", .status = 202, .body = &ldap_verification_request, .op = "verifyUserSecurityLdap", .run = ldap_verification_create,
         .example = "{\"hostname\":\"ldap.example.com\",\"port\":636,\"bindUsername\":\"CN=svc,DC=example,DC=com\",\"bindPassword\":\"bind-secret\"}"),
  R_GET(LDAP_VERIFICATION, "/{requestId}", .op = "getUserSecurityVerify", .run = svc_verb_read)
};

/* The nodes of a cluster try to reach the directory. So the project needs a cluster that is not being deleted, is not on a shared tier
** (which have no directories), and whose nodes run. */
static bool ldap_verification_has_nodes(svc_call *c)
{
  const svc_noun_info *cluster = svc_noun_named(c->s, "cluster");
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  bool any = false;
  svc_scan scan;
  svc_entity e;
  if (!cluster) return true;
  svc_below_begin(&scan, c->txn, cluster->noun->kind, &c->scope.group);
  while (svc_below_next(&scan, cluster->noun->kind, &e)) {
    svc_str state = svc_json_word(e.body, "stateName");
    const svc_node *body;
    if (svc_str_is(state, "DELETING")) continue;
    if (!(body = svc_entity_body(c, &e))) return false;
    if (svc_cluster_is_tenant(body)) continue;
    any = true;
    if (!svc_str_is(state, "CREATING") && !svc_json_is(e.body, "paused", "true")) return true;
  }
  return svc_txn_good(c) && svc_fail(c, any ? SVC_E_LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_INSTANCES
                                            : SVC_E_LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_CLUSTERS, "S", &group);
}

static bool ldap_verification_create(svc_call *c)
{
  svc_node *request = svc_node_copy(c->arena, c->checked);
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c) || !request) return svc_failed(c);
  if (!svc_certificates_check(c, svc_node_str(request, "caCertificate"), "caCertificate")) return svc_check_done(c);
  if (!ldap_verification_has_nodes(c) || !svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  request->name = SVC_S("request");
  svc_node_put(c->arena, change.body, request);
  svc_node_put(c->arena, change.body, svc_node_array(c->arena, "validations"));
  svc_change_due(&change, SVC_DUE_EXPIRY, c->now + LDAP_VERIFICATION_KEPT);
  return svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

/* Simulates success of every step. */
static bool ldap_verification_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  static const char *const steps[] = { "SERVER_SPECIFIED", "CONNECT", "AUTHENTICATE" };
  svc_node *list = svc_node_array(c->arena, "validations"), *one;
  size_t i;
  (void)change;
  (void)action;
  for (i = 0; list && i < sizeof steps / sizeof steps[0]; i++) {
    if (!(one = svc_node_object(c->arena, NULL))) return svc_no_memory(c);
    svc_node_set_text(c->arena, one, "status", "OK");
    svc_node_set_text(c->arena, one, "validationType", steps[i]);
    svc_node_append(list, one);
  }
  if (!list) return svc_no_memory(c);
  svc_node_put(c->arena, facts, list);
  return true;
}

static const svc_field ldap_verification_step_facts[] = {
  F_ENUM("status", ldap_verification_results, .flags = SVC_REQUIRED), F_ENUM("validationType", ldap_verification_types, .flags = SVC_REQUIRED)
};
static const svc_object ldap_verification_step_fact = { .name = "LDAPStepFacts", .fields = SVC_ROWS(ldap_verification_step_facts) };
static const svc_field ldap_verification_fact_fields[] = { F_LIST("validations", &ldap_verification_step_fact, .max_items = 20) };
static const svc_object ldap_verification_facts_object = { .name = "LDAPFacts", .fields = SVC_ROWS(ldap_verification_fact_fields) };
static const svc_order_row ldap_verification_orders[] = {
  { "ldap.verify",
    "Try to reach and use the directory. Facts: the steps that were tried. If a step fails, the order fails.",
    NULL, &ldap_verification_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_ldap_verification = {
  .name = "LDAP verification",
  .rel = "ldapVerification",
  .kind = "ldpv",
  .parent = "project",
  .param = "requestId",
  .flags = SVC_EXPIRES,
  .object = &ldap_verification_object,
  .lifecycle = &ldap_verification_lifecycle,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .most = LDAP_VERIFICATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "GROUP_SETTINGS_UPDATED", /* there is no closer event type */
  .orders = ldap_verification_orders,
  .routes = SVC_ROUTES(ldap_verification_routes),
  .simulate = ldap_verification_simulate,
  .facts = svc_facts_into,
};
