/*
** The parser of resource policies, with arbitrary bytes. The parser terminates and reports the place of an error. A parsed policy can be
** evaluated.
*/
#include "fuzz.h"

#include "catalog/policy/policy_tree.h"

static svc_node *fuzz_context(svc_arena *a)
{
  svc_str text = SVC_S("{\"cluster\":{\"cloudProviders\":[\"aws\"],\"clusterType\":\"sharded\",\"minShardCount\":2,\"regions\":[\"aws:us-west-1\"]},"
                       "\"project\":{\"clustersInProject\":3,\"ipAccessList\":[\"0.0.0.0/0\"]}}");
  return svc_json_parse(a, text);
}

int svc_fuzz_policy(const uint8_t *data, size_t size)
{
  svc_arena arena;
  svc_policy *policy;
  svc_str why;
  int action;
  svc_arena_init(&arena, NULL);
  policy = svc_policy_read(&arena, (svc_str){ (const char *)data, size }, &why);
  if (!policy && !why.n && !arena.failed) fuzz_die("refused without a word");
  if (!policy && memcmp(why.p, "line ", 5) != 0) fuzz_die("refused, and it is not said where");
  for (action = 1; policy && action <= SVC_POLICY_ENDPOINT; action *= 2) {
    size_t steps;
    svc_policy_forbids(policy, action, SVC_S("5f0000000000000000000001"), SVC_S("5f0000000000000000000002"), fuzz_context(&arena), &steps);
    if (steps > policy->steps) fuzz_die("more steps than were counted when it was read");
  }
  svc_blocks_free(arena.blocks);
  return 0;
}
