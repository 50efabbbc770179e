/*
** The language of resource policies (policy_language.c), and the functions that ask the policies.
*/
#ifndef SVC_POLICY_LANGUAGE_H
#define SVC_POLICY_LANGUAGE_H

#include "catalog/catalog.h"

#define SVC_POLICY_KIND "rpol"
#define SVC_POLICY_BODY 4096 /* maximum bytes of one policy */
#define SVC_POLICY_BODIES 5  /* maximum policies of a resource policy */

/* The actions that policies know. */
enum svc_policy_action {
  SVC_POLICY_CLUSTER = 1,
  SVC_POLICY_ACCESS_LIST = 2,
  SVC_POLICY_MAINTENANCE = 4,
  SVC_POLICY_PEERING = 8,
  SVC_POLICY_ENDPOINT = 16
};

typedef struct svc_policy svc_policy; /* a parsed policy, in an arena */

/* Parses a policy. Returns NULL if it is invalid: `why` has the position and the error, "line 1, column 9: ..."; empty if out of memory. */
SVC_PRIVATE svc_policy *svc_policy_read(svc_arena *a, svc_str text, svc_str *why);

/* Returns true if the policy forbids this action in this project. `context`: {"cluster":{...},"project":{...}}, sets as arrays of
** strings. */
SVC_PRIVATE bool svc_policy_forbids(const svc_policy *policy, int action, svc_str group, svc_str org, const svc_node *context,
                                    size_t *steps); /* steps: number of steps taken; may be NULL */
SVC_PRIVATE bool svc_policy_is_free(const svc_policy *policy); /* true: it has no conditions, and forbids every change */

/* The names of a region, aws:us-east-1, and of a provider in policies. */
SVC_PRIVATE svc_str svc_policy_region(svc_arena *a, svc_str provider, svc_str region);
SVC_PRIVATE svc_str svc_policy_provider(svc_arena *a, svc_str provider);

/* policy_context.c: the context of a resource that exists, or is about to. They return NULL if out of memory. */
SVC_PRIVATE svc_node *svc_policy_of_cluster(svc_call *c, const svc_node *before, const svc_node *body, int64_t clusters);
SVC_PRIVATE svc_node *svc_policy_of_flex(svc_call *c, const svc_node *body, int64_t clusters);
SVC_PRIVATE svc_node *svc_policy_of_provider(svc_call *c, svc_str provider);
SVC_PRIVATE svc_node *svc_policy_of_window(svc_call *c, bool defined);
SVC_PRIVATE svc_node *svc_policy_of_addresses(svc_call *c, svc_node *addresses); /* an array of strings */
SVC_PRIVATE svc_node *svc_policy_addresses(svc_call *c);                         /* the addresses of the project */
SVC_PRIVATE void svc_policy_address_add(svc_call *c, svc_node *addresses, svc_str address);
SVC_PRIVATE int64_t svc_policy_clusters(svc_call *c, bool one_more);             /* number of clusters in the project */

/* For the column `governed`: a private endpoint of any kind, whose body names the provider; a switch for private endpoints, which has no
** provider; a switch for peering, also without one. */
SVC_PRIVATE svc_node *svc_policy_endpoint(svc_call *c, const svc_change *change, int *what);
SVC_PRIVATE svc_node *svc_policy_endpoint_switch(svc_call *c, const svc_change *change, int *what);
SVC_PRIVATE svc_node *svc_policy_peering_switch(svc_call *c, const svc_change *change, int *what);

/* Returns true if the policies of the organization allow the change. Otherwise refuses with the name of the policy that forbids it. */
SVC_PRIVATE bool svc_policies_allow(svc_call *c, int action, const svc_node *context);
/* The same for what remains after a delete. A project that does not comply may come closer to compliance: a policy that already forbade
** the previous state does not count, unless it forbids every change. */
SVC_PRIVATE bool svc_policies_allow_left(svc_call *c, int action, const svc_node *before, const svc_node *left);
SVC_PRIVATE bool svc_policies_any(svc_call *c); /* whether the organization has policies */

/* policy_enforce.c: all policies of an organization, parsed once after each change and cached (pipeline/kept.c). */
#define SVC_POLICY_ORG_STEPS 400000 /* maximum steps of all policies of an organization together: about 4 ms */
typedef struct svc_policy_rule {
  svc_str policy, name, id; /* ids of the resource policy and of the policy in it; name of the resource policy */
  const svc_policy *read;
} svc_policy_rule;
typedef struct svc_policy_rules {
  svc_policy_rule *rules;
  size_t count, room;
  uint64_t version; /* differs after every change of the policies */
  svc_kept_item *kept; /* NULL: not cached */
} svc_policy_rules;
/* Returns false on failure. Every successful read must be followed by svc_policies_leave(). */
SVC_PRIVATE bool svc_policies_read(svc_call *c, const svc_id *org, svc_policy_rules *out);
SVC_PRIVATE void svc_policies_leave(svc_call *c, svc_policy_rules *rules);
SVC_PRIVATE size_t svc_policy_steps(const svc_policy *policy); /* the maximum it takes */

/* policy_project.c: everything in a project that policies can be asked about. */
typedef struct svc_policy_place { /* a position in a project; zero: the beginning */
  size_t noun;  /* 0: the access list and maintenance window; otherwise a noun's number plus one */
  svc_id after; /* the last visited entity of that noun; zero: none */
} svc_policy_place;
/* Called for each resource in c->scope.group: a cluster or another entity; `of` is NULL for the access list and the maintenance window.
** Returns false to stop. */
typedef bool (*svc_policy_visit)(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of);
/* Visits everything after this position, and advances it, while *budget (steps) is above 0; NULL: no limit. *through: everything was
** visited. */
SVC_PRIVATE bool svc_policies_visit(svc_call *c, svc_policy_visit visit, void *state, svc_policy_place *place, const int64_t *budget, bool *through);
/* Returns true if the project c->scope.group, as it is, complies with the policies of this organization. */
SVC_PRIVATE bool svc_policies_admit(svc_call *c, const svc_id *org);

#endif /* SVC_POLICY_LANGUAGE_H */
