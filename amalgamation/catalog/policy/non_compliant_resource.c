/*
** Resources that do not comply with the resource policies of their organization: they existed before the policy, or a driver
** changed them. The list is computed at each request from what exists, by the same rules that would refuse a request.
**
** An organization may have thousands of projects, so one request inspects only as much as NON_COMPLIANT_STEPS allow. The
** inspection stops as soon as the requested page is full. If the steps do not suffice for the page, or for the whole list, the
** request is answered with 503 and Retry-After, and the results so far are kept: the next request continues there. Results are also kept
** while nothing in the store changes, so the next page does not start from the first project again.
*/
#include "catalog/policy/policy_language.h"

static const char *const non_compliant_resource_types[] = { "DEPRECATED_PROJECT", "DEPRECATED_CLUSTER", "PROJECT", "CLUSTER", NULL };

static const svc_field non_compliant_resource_one_fields[] = { F_HEX24("policyId", .flags = SVC_READ_ONLY) };
static const svc_object non_compliant_resource_one = { .name = "ApiSvcPolicyMetadataView", .fields = SVC_ROWS(non_compliant_resource_one_fields) };
static const svc_field non_compliant_resource_policy_fields[] = {
  F_LIST("policiesCausingNonCompliance", &non_compliant_resource_one, .flags = SVC_READ_ONLY),
  F_HEX24("resourcePolicyId", .flags = SVC_READ_ONLY), F_STR("resourcePolicyName", .flags = SVC_READ_ONLY)
};
static const svc_object non_compliant_resource_policy = {
  .name = "ApiSvcResourcePolicyMetadataView", .fields = SVC_ROWS(non_compliant_resource_policy_fields)
};
static const svc_field non_compliant_resource_fields[] = {
  F_HEX24("orgId", .flags = SVC_READ_ONLY), F_HEX24("resourceId", .flags = SVC_READ_ONLY), F_STR("resourceName", .flags = SVC_READ_ONLY),
  F_LIST("resourcePoliciesCausingNonCompliance", &non_compliant_resource_policy, .flags = SVC_READ_ONLY),
  F_ENUM("resourceType", non_compliant_resource_types, .flags = SVC_READ_ONLY)
};
static const svc_object non_compliant_resource_object = {
  .name = "ApiSvcNonCompliantResourceView", .fields = SVC_ROWS(non_compliant_resource_fields)
};

static bool non_compliant_resource_list(svc_call *c);

SVC_ERROR(INSPECTION_UNFINISHED, 503, "One request cannot inspect everything. The results so far are kept for a minute: repeat the "
          "request to continue.", "");

static const svc_route non_compliant_resource_routes[] = {
  { .method = SVC_GET, .path = "/orgs/{orgId}/nonCompliantResources", .set = SVC_SET_RESOURCE_POLICIES, .versions = { 20240805 },
    .roles = SVC_R_ORG_MEMBER, .flags = SVC_BARE | SVC_INSPECTS, .op = "getNonCompliantResources",
    .run = non_compliant_resource_list }
};

/* ------------------------------------------------------------------------------------------------------------- resources */

#define NON_COMPLIANT_KEPT "ncmp"
#define NON_COMPLIANT_STEPS 1500000 /* per request, about 10 ns each; the costs are: */
#define NON_COMPLIANT_PROJECT 2000  /* for a project, */
#define NON_COMPLIANT_THING 1000    /* for a resource in it that is read, plus one per byte of its body, */
#define NON_COMPLIANT_RULE 2        /* and for each policy that is asked about it */
#define NON_COMPLIANT_AGE 60000     /* milliseconds after which an unfinished inspection starts again */

/* The state of an inspection of an organization, kept between requests. All of it is in the item's memory. */
typedef struct non_compliant_search {
  svc_arena *arena;
  const svc_policy_rules *rules; /* of the current request */
  svc_node *found;               /* results of finished projects */
  int64_t count;                 /* number of results */
  svc_node *project, *clusters;  /* results of the current project so far */
  svc_id at;                     /* the current project; zero: none yet */
  bool within;                   /* the current project is unfinished: `place` is the position in it */
  svc_policy_place place;
  bool through;                  /* the whole organization was inspected */
  bool waits;                    /* a request ended before its answer was complete: the next one may continue, even if the store has
                                    changed */
  uint64_t state;                /* of the store, at the beginning */
  int64_t began, left;           /* left: remaining steps of this request */
} non_compliant_search;

static svc_node *non_compliant_list_in(non_compliant_search *s, svc_node *object, const char *name)
{
  svc_node *list = svc_node_array(s->arena, name);
  if (list) svc_node_put(s->arena, object, list);
  return list;
}

/* Returns the list of policies of a resource policy in a result's list; adds its entry if missing. */
static svc_node *non_compliant_policy(non_compliant_search *s, svc_node *policies, const svc_policy_rule *rule)
{
  svc_node *one = policies->first;
  while (one && !svc_node_eq(one, "resourcePolicyId", rule->policy)) one = one->next;
  if (one) return svc_node_get(one, "policiesCausingNonCompliance");
  one = svc_node_object(s->arena, NULL);
  if (!one) return NULL;
  svc_node_set_str(s->arena, one, "resourcePolicyId", svc_arena_copy(s->arena, rule->policy));
  svc_node_set_str(s->arena, one, "resourcePolicyName", svc_arena_copy(s->arena, rule->name));
  svc_node_append(policies, one);
  return non_compliant_list_in(s, one, "policiesCausingNonCompliance");
}

static bool non_compliant_has(const svc_node *list, svc_str id)
{
  const svc_node *one = list->first;
  while (one && !svc_node_eq(one, "policyId", id)) one = one->next;
  return one != NULL;
}

/* Asks all policies. The first one that forbids it creates *found. */
static bool non_compliant_ask(svc_call *c, non_compliant_search *s, int action, const svc_node *context, svc_node **found)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org);
  size_t i;
  for (i = 0; i < s->rules->count; i++) {
    const svc_policy_rule *rule = &s->rules->rules[i];
    svc_node *one, *list;
    size_t steps;
    bool forbids = svc_policy_forbids(rule->read, action, group, org, context, &steps);
    s->left -= (int64_t)steps + NON_COMPLIANT_RULE;
    if (!forbids) continue;
    if (!*found) *found = svc_node_object(s->arena, NULL);
    list = *found ? svc_node_get(*found, "resourcePoliciesCausingNonCompliance") : NULL;
    if (*found && !list) list = non_compliant_list_in(s, *found, "resourcePoliciesCausingNonCompliance");
    list = list ? non_compliant_policy(s, list, rule) : NULL;
    if (list && non_compliant_has(list, rule->id)) continue; /* another resource of the project has already named it */
    one = list ? svc_node_object(s->arena, NULL) : NULL;
    if (!one) return svc_no_memory(c);
    svc_node_set_str(s->arena, one, "policyId", svc_arena_copy(s->arena, rule->id));
    svc_node_append(list, one);
  }
  return true;
}

static void non_compliant_name(svc_call *c, non_compliant_search *s, svc_node *found, const svc_id *id, svc_str name, const char *type)
{
  svc_node_set_id(s->arena, found, "orgId", &c->scope.org);
  svc_node_set_id(s->arena, found, "resourceId", id);
  svc_node_set_str(s->arena, found, "resourceName", svc_arena_copy(s->arena, name));
  svc_node_set_text(s->arena, found, "resourceType", type);
}

static bool non_compliant_visit(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of)
{
  non_compliant_search *s = state;
  svc_node *cluster = NULL;
  s->left -= NON_COMPLIANT_THING + (of ? (int64_t)of->body.n : 0);
  if (action != SVC_POLICY_CLUSTER) return non_compliant_ask(c, s, action, context, &s->project);
  if (!non_compliant_ask(c, s, action, context, &cluster)) return false;
  if (cluster) non_compliant_name(c, s, cluster, &of->id, of->unique, "CLUSTER");
  if (cluster) svc_node_append(s->clusters, cluster);
  return true;
}

/* Inspects a project, then its clusters, as far as the steps suffice. */
static bool non_compliant_project(svc_call *c, non_compliant_search *s, const svc_entity *project)
{
  svc_node *one, *next;
  bool through;
  if (!s->within) {
    s->project = NULL;
    s->clusters = svc_node_array(s->arena, NULL);
    s->at = project->id;
    memset(&s->place, 0, sizeof s->place);
  }
  if (!s->clusters) return svc_no_memory(c);
  s->left -= NON_COMPLIANT_PROJECT;
  c->scope.group = project->id;
  if (!svc_policies_visit(c, non_compliant_visit, s, &s->place, &s->left, &through)) return false;
  s->within = !through;
  if (!through) return true;
  if (s->project) non_compliant_name(c, s, s->project, &project->id, project->unique, "PROJECT");
  if (s->project) svc_node_append(s->found, s->project), s->count++;
  for (one = s->clusters->first; one; one = next, s->count++) {
    next = one->next;
    one->next = NULL;
    svc_node_append(s->found, one);
  }
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- inspections */

static bool non_compliant_enough(const svc_call *c, const non_compliant_search *s)
{
  return s->through || (c->query.paged && s->count >= c->query.page * c->query.per_page);
}

/* Inspects project by project, from where the previous request stopped. */
static bool non_compliant_go_on(svc_call *c, non_compliant_search *s)
{
  const char *kind = c->s->group->noun->kind;
  svc_scan scan;
  svc_entity e;
  svc_key at;
  bool good = true;
  svc_below_begin(&scan, c->txn, kind, &c->scope.org);
  if (!svc_id_is_zero(&s->at)) {
    svc_key_entity(&at, kind, &c->scope.org, &s->at);
    if (s->within) scan.from = at;
    else svc_key_behind(&scan.from, &at);
  }
  while (good && s->left > 0 && !non_compliant_enough(c, s)) {
    s->through = !svc_below_next(&scan, kind, &e);
    if (s->through) break;
    if (!svc_id_eq(&e.id, &s->at)) s->within = false; /* it was deleted in the meantime */
    good = non_compliant_project(c, s, &e);
  }
  memset(&c->scope.group, 0, sizeof c->scope.group);
  return good && svc_txn_good(c) && (!s->arena->failed || svc_no_memory(c));
}

static uint64_t non_compliant_state(const svc_call *c)
{
  return c->txn->port->state && !SVC_IS_SHARED(c->txn->port) ? c->txn->port->state(c->txn) : 0;
}

/* Returns the previous inspection if it can still be used, otherwise a new one. Returns NULL if out of memory. */
static svc_kept_item *non_compliant_begin(svc_call *c, const svc_policy_rules *rules)
{
  svc_kept_item *item = svc_kept_take(c->s, NON_COMPLIANT_KEPT, &c->scope.org, rules->version);
  non_compliant_search *s = item ? item->value : NULL;
  uint64_t state = non_compliant_state(c);
  if (s && !(state && s->state == state) && !(s->waits && c->now >= s->began && c->now - s->began < NON_COMPLIANT_AGE)) {
    svc_kept_leave(c->s, item);
    s = NULL;
  }
  if (!s) {
    item = svc_kept_new(c->s, NON_COMPLIANT_KEPT, &c->scope.org, rules->version);
    s = item ? svc_arena_zero(&item->memory, sizeof *s) : NULL;
    if (s) s->found = svc_node_array(&item->memory, NULL);
    if (!s || !s->found) {
      svc_kept_leave(c->s, item);
      return NULL;
    }
    item->value = s;
    s->state = state;
    s->began = c->now;
    s->through = !c->s->group;
  }
  s->arena = &item->memory;
  s->rules = rules;
  s->left = NON_COMPLIANT_STEPS;
  return item;
}

static bool non_compliant_resource_list(svc_call *c)
{
  svc_policy_rules rules;
  svc_kept_item *item = NULL;
  non_compliant_search *s;
  const svc_node *first = NULL;
  bool good = false;
  if (!svc_policies_read(c, &c->scope.org, &rules)) return false;
  if (rules.count == 0) {
    good = svc_list_items(c, svc_driver_reply_next, &first, 0);
    goto out;
  }
  item = non_compliant_begin(c, &rules);
  if (!item) {
    (void)svc_no_memory(c);
    goto out;
  }
  s = item->value;
  if (!non_compliant_go_on(c, s)) goto out;
  first = s->found->first;
  s->waits = !non_compliant_enough(c, s);
  good = s->waits ? svc_fail(c, SVC_E_INSPECTION_UNFINISHED, "") : svc_list_items(c, svc_driver_reply_next, &first, s->through ? s->count : -1);
  svc_kept_put(c->s, item);
out:
  svc_kept_leave(c->s, item);
  svc_policies_leave(c, &rules);
  return good;
}

SVC_PRIVATE const svc_noun svc_noun_non_compliant_resource = {
  .name = "non-compliant resource",
  .rel = "nonCompliantResources",
  .flags = SVC_VIRTUAL,
  .object = &non_compliant_resource_object,
  .routes = SVC_ROUTES(non_compliant_resource_routes),
};
