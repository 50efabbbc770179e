/*
** The language of resource policies (policy_language.c), and what asks for their word.
*/
#ifndef SVC_POLICY_LANGUAGE_H
#define SVC_POLICY_LANGUAGE_H

#include "catalog/catalog.h"

#define SVC_POLICY_KIND "rpol"
#define SVC_POLICY_BODY 4096 /* bytes of one */
#define SVC_POLICY_BODIES 5  /* of a resource policy */

/* What policies speak of. */
enum svc_policy_action {
  SVC_POLICY_CLUSTER = 1,
  SVC_POLICY_ACCESS_LIST = 2,
  SVC_POLICY_MAINTENANCE = 4,
  SVC_POLICY_PEERING = 8,
  SVC_POLICY_ENDPOINT = 16
};

typedef struct svc_policy svc_policy; /* one that is read, in an arena */

/* NULL: it is none; `why` says what is wrong, and where: "line 1, column 9: ...". Nothing there: no memory. */
SVC_PRIVATE svc_policy *svc_policy_read(svc_arena *a, svc_str text, svc_str *why);

/* Does it forbid this action in this project? `context`: {"cluster":{...},"project":{...}}, sets as arrays of strings. */
SVC_PRIVATE bool svc_policy_forbids(const svc_policy *policy, int action, svc_str group, svc_str org, const svc_node *context,
                                    size_t *steps); /* steps: how many it took; NULL: never mind */
SVC_PRIVATE bool svc_policy_is_free(const svc_policy *policy); /* of conditions: it forbids whatever is done */

/* The names by which policies know a region, aws:us-east-1, and a provider. */
SVC_PRIVATE svc_str svc_policy_region(svc_arena *a, svc_str provider, svc_str region);
SVC_PRIVATE svc_str svc_policy_provider(svc_arena *a, svc_str provider);

/* policy_context.c: what policies know of something that is, or shall be; NULL: no memory. */
SVC_PRIVATE svc_node *svc_policy_of_cluster(svc_call *c, const svc_node *before, const svc_node *body, int64_t clusters);
SVC_PRIVATE svc_node *svc_policy_of_flex(svc_call *c, const svc_node *body, int64_t clusters);
SVC_PRIVATE svc_node *svc_policy_of_provider(svc_call *c, svc_str provider);
SVC_PRIVATE svc_node *svc_policy_of_window(svc_call *c, bool defined);
SVC_PRIVATE svc_node *svc_policy_of_addresses(svc_call *c, svc_node *addresses); /* an array of strings */
SVC_PRIVATE svc_node *svc_policy_addresses(svc_call *c);                         /* those that the project has */
SVC_PRIVATE void svc_policy_address_add(svc_call *c, svc_node *addresses, svc_str address);
SVC_PRIVATE int64_t svc_policy_clusters(svc_call *c, bool one_more);             /* in the project */

/* For the column `governed`: a private endpoint of whatever, whose body says of which provider; a switch of theirs, which is of
** none; and the same for a switch of peering. */
SVC_PRIVATE svc_node *svc_policy_endpoint(svc_call *c, const svc_change *change, int *what);
SVC_PRIVATE svc_node *svc_policy_endpoint_switch(svc_call *c, const svc_change *change, int *what);
SVC_PRIVATE svc_node *svc_policy_peering_switch(svc_call *c, const svc_change *change, int *what);

/* Do the policies of the organization allow it? False: refused, with the name of the one that does not. */
SVC_PRIVATE bool svc_policies_allow(svc_call *c, int action, const svc_node *context);
/* The same of what is left when something goes. Who does not comply may come nearer to it: a policy that forbids what was there as
** well does not speak against it, unless it forbids every change. */
SVC_PRIVATE bool svc_policies_allow_left(svc_call *c, int action, const svc_node *before, const svc_node *left);
SVC_PRIVATE bool svc_policies_any(svc_call *c); /* are there any? */

/* policy_asked.c: all policies of an organization, read once for each change of them, and kept in memory (pipeline/kept.c). */
#define SVC_POLICY_ORG_STEPS 400000 /* that all policies of an organization may take together: some 4 ms */
typedef struct svc_policy_rule {
  svc_str policy, name, id; /* of the resource policy; of the one text in it */
  const svc_policy *read;
} svc_policy_rule;
typedef struct svc_policy_rules {
  svc_policy_rule *rules;
  size_t count, room;
  uint64_t version; /* another one with every change of them */
  svc_kept_item *kept; /* NULL: there are none */
} svc_policy_rules;
/* False: failed. Whoever has them gives them back. */
SVC_PRIVATE bool svc_policies_read(svc_call *c, const svc_id *org, svc_policy_rules *out);
SVC_PRIVATE void svc_policies_leave(svc_call *c, svc_policy_rules *rules);
SVC_PRIVATE size_t svc_policy_steps(const svc_policy *policy); /* that it takes at the most */

/* policy_project.c: all that policies can be asked of in a project. */
typedef struct svc_policy_place { /* where in a project; zero: before all */
  size_t noun;  /* 0: its access list and its maintenance window; else one more than the number of a noun */
  svc_id after; /* of that noun, the last that was visited; zero: none */
} svc_policy_place;
/* Each thing in c->scope.group: a cluster, or something (of NULL: its list, its window) that the project has. False: ended. */
typedef bool (*svc_policy_visit)(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of);
/* Visits all behind this place, which moves along; while there is something left of *budget (steps), if that is not NULL. *through: nothing is left. */
SVC_PRIVATE bool svc_policies_visit(svc_call *c, svc_policy_visit visit, void *state, svc_policy_place *place, const int64_t *budget, bool *through);
/* May the project c->scope.group, as it is, belong to this organization? */
SVC_PRIVATE bool svc_policies_admit(svc_call *c, const svc_id *org);

#endif /* SVC_POLICY_LANGUAGE_H */
