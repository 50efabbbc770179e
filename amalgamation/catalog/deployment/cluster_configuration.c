/*
** Validation of a cluster's configuration before a create or change: applies the rules of clusters and the resource policies
** of the organization, and writes nothing. Whether the organization can pay is not checked. Problems of the configuration
** are part of the answer. Only a problem of the request itself is an error.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/deployment/cluster_parts.h"

enum { CLUSTER_CONFIGURATION_ERRORS = 100, CLUSTER_CONFIGURATION_TAGS = 50 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_configuration_sizes[] = {
  "S10_HIGHCPU", "S20_HIGHCPU_NVME", "S30_HIGHCPU_NVME", "S40_HIGHCPU_NVME", "S50_HIGHCPU_NVME", "S60_HIGHCPU_NVME",
  "S70_HIGHCPU_NVME", "S80_HIGHCPU_NVME", "S30_LOWCPU_NVME", "S40_LOWCPU_NVME", "S50_LOWCPU_NVME", "S60_LOWCPU_NVME",
  "S70_LOWCPU_NVME", "S80_LOWCPU_NVME", "S90_LOWCPU_NVME", "S100_LOWCPU_NVME", "S110_LOWCPU_NVME", "S120_LOWCPU_NVME",
  "S130_LOWCPU_NVME", "S135_LOWCPU_NVME", "S140_LOWCPU_NVME", "S40_STORAGE_NVME", "S50_STORAGE_NVME", "S60_STORAGE_NVME",
  "S80_STORAGE_NVME", "S90_STORAGE_NVME", NULL
};

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_configuration_search_fields[] = {
  F_ENUM("instanceSize", cluster_configuration_sizes, .flags = SVC_REQUIRED),
  F_INT("nodeCount", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 2, .max = 32)
};
static const svc_object cluster_configuration_search = { .name = "ClusterConfigurationSearchSpec", .fields = SVC_ROWS(cluster_configuration_search_fields) };

static const svc_field cluster_configuration_fields[] = {
  F_OBJ("advancedConfiguration", &svc_cluster_process_args),
  F_ANY("clusterDescription", .flags = SVC_REQUIRED, .object = &svc_cluster_object), /* a cluster; cluster_configuration_check() reports
                                                                                        its problems */
  F_STR("clusterName", .max = 64),
  F_BOOL("editing", .flags = SVC_REQUIRED),
  F_OBJ("searchDeploymentSpec", &cluster_configuration_search),
  F_LIST("tags", &svc_object_tag, .max_items = CLUSTER_CONFIGURATION_TAGS)
};
static const svc_object cluster_configuration_object = { .name = "ClusterConfigurationValidation", .fields = SVC_ROWS(cluster_configuration_fields) };

static const svc_field cluster_configuration_error_fields[] = { F_STR("errorCode"), F_STR("validationIssue") };
static const svc_object cluster_configuration_error = {
  .name = "ClusterConfigurationValidationError", .fields = SVC_ROWS(cluster_configuration_error_fields)
};
static const svc_field cluster_configuration_result_fields[] = {
  F_LIST("errors", &cluster_configuration_error, .max_items = CLUSTER_CONFIGURATION_ERRORS),
  F_BOOL("valid")
};
static const svc_object cluster_configuration_result = {
  .name = "ClusterConfigurationValidationResult", .fields = SVC_ROWS(cluster_configuration_result_fields)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool cluster_configuration_try(svc_call *c);

static const svc_route cluster_configuration_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/clusterConfigurations:validate", .set = SVC_SET_CLUSTERS, .flags = SVC_NO_LINKS,
    .versions = { 20250312 }, .roles = SVC_R_GROUP_CLUSTER_MANAGER, .body = &cluster_configuration_object,
    .answer = &cluster_configuration_result, .op = "validateGroupClusterConfigurations", .run = cluster_configuration_try,
    .example = "{\"clusterDescription\":{\"name\":\"New\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":"
               "[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]},\"editing\":false}" }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Checks as a create does: the name is free, and the limit of clusters is not reached. */
static bool cluster_configuration_is_free(svc_call *c, const svc_noun *noun, svc_str name)
{
  const svc_noun_info *quota = c->s->seats[SVC_SEAT_QUOTA];
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  int64_t limit = quota ? svc_noun_ext_of(quota->noun)->quotas->limit(c, &c->scope.group, svc_noun_ext_of(noun)->quota) : -1;
  svc_named other;
  if (c->error.code) return false;
  if (svc_named_get(c->txn, svc_names_of(noun), &c->scope.group, name, &other) == SVC_OK)
    return svc_fail(c, noun->err_exists, "SS", &name, &group);
  if (limit >= 0 && svc_count(c->txn, noun->kind, &c->scope.group) >= (uint64_t)limit)
    return svc_quota_exceeded(c, noun, limit, &c->scope.group);
  return svc_txn_good(c);
}

/* Applies the checks of fields, guards, hooks and resource policies of a create, or of a change of `stored`. Writes nothing. */
static bool cluster_configuration_check(svc_call *c, const svc_noun_info *noun, const svc_node *sent, const svc_entity *stored)
{
  svc_node *input = svc_node_copy(c->arena, sent);
  svc_change change;
  if (!input) return svc_no_memory(c);
  svc_node_drop(input, "links"); /* a body that was read has links */
  memset(&change, 0, sizeof change);
  change.noun = noun;
  if (stored && (!svc_change_of(c, noun, stored, &change) || !svc_guarded(c, noun, stored, change.before, SVC_GUARD_CHANGE))) return false;
  change.input = input;
  change.id = stored ? stored->id : svc_new_id(c->txn);
  change.parent = c->scope.group;
  change.body = svc_check(c, noun->noun->object, input, change.before, stored ? SVC_CHECK_UPDATE : SVC_CHECK_CREATE);
  if (!svc_check_done(c)) return false;
  return svc_change_prepare(c, &change) &&
         (stored || cluster_configuration_is_free(c, noun->noun, svc_node_str(change.body, "name")));
}

static void cluster_configuration_add(svc_call *c, svc_node *list, svc_str code, svc_str issue)
{
  svc_node *item = svc_node_object(c->arena, NULL);
  if (!item || svc_node_count(list) == CLUSTER_CONFIGURATION_ERRORS) return;
  svc_node_set_str(c->arena, item, "errorCode", code);
  svc_node_set_str(c->arena, item, "validationIssue", issue);
  svc_node_append(list, item);
}

/* Moves the error of the call into the answer; the call has no error afterwards. */
static void cluster_configuration_take(svc_call *c, svc_node *list)
{
  const svc_violation *v = c->error.violations;
  const svc_node *document = v ? NULL : svc_json_parse(c->arena, svc_error_document(c));
  if (document) cluster_configuration_add(c, list, svc_node_str(document, "errorCode"), svc_node_str(document, "detail"));
  for (; v; v = v->next) {
    svc_str field = svc_shown_place(c, v->field);
    cluster_configuration_add(c, list, svc_str_c(svc_shown_code(c->s, v->code)),
                              svc_arena_print(c->arena, "The field " SVC_FMT " " SVC_FMT ".", SVC_ARG(field), SVC_ARG(v->description)));
  }
  memset(&c->error, 0, sizeof c->error);
}

static bool cluster_configuration_try(svc_call *c)
{
  const svc_node *sent = svc_node_get(c->checked, "clusterDescription");
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  bool editing = svc_node_bool(c->checked, "editing", false);
  svc_str name = svc_node_str(c->checked, "clusterName");
  svc_node *result = svc_node_object(c->arena, NULL);
  svc_node *errors = svc_node_array(c->arena, "errors");
  svc_entity stored;
  if (!svc_resolve_all(c)) return false;
  if (!result || !errors) return svc_no_memory(c);
  if (sent->type != SVC_J_OBJECT) svc_violate(c, SVC_E_INVALID_JSON_ATTRIBUTE, SVC_S("clusterDescription"), "must be an object");
  if (!svc_check_done(c)) return false;
  if (!name.n) name = svc_node_str(sent, "name");
  if (editing && !svc_cluster_named(c, name, &stored)) return false;
  if (!cluster_configuration_check(c, noun, sent, editing ? &stored : NULL)) {
    if (c->arena->failed || c->txn->error) return false; /* the store or memory failed: the configuration was not checked */
    cluster_configuration_take(c, errors);
  }
  svc_node_set_bool(c->arena, result, "valid", !errors->first);
  svc_node_put(c->arena, result, errors);
  return svc_answer_node(c, result);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_configuration = {
  .name = "cluster configuration",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(cluster_configuration_routes)
};
