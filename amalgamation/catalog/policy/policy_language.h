/*
** The language of resource policies (policy_language.c), and what asks for their word.
*/
#ifndef SVC_POLICY_LANGUAGE_H
#define SVC_POLICY_LANGUAGE_H

#include "catalog/catalog.h"

#define SVC_POLICY_KIND "rpol"
#define SVC_POLICY_BODY 4096 /* bytes of one */

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
SVC_PRIVATE bool svc_policy_forbids(svc_arena *a, const svc_policy *policy, int action, svc_str group, svc_str org, const svc_node *context);

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
SVC_PRIVATE int64_t svc_policy_clusters(svc_call *c, bool one_more);             /* in the project */

/* Do the policies of the organization allow it? False: refused, with the name of the one that does not. */
SVC_PRIVATE bool svc_policies_allow(svc_call *c, int action, const svc_node *context);
SVC_PRIVATE bool svc_policies_any(svc_call *c); /* are there any? */

#endif /* SVC_POLICY_LANGUAGE_H */
