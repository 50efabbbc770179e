/*
** The reader of resource policies, fed with bytes: it ends, says where something is wrong, and what it has read can be asked.
*/
#include "svcapi.c"

static const char *const seeds[] = {
  "forbid (principal, action == ResourcePolicy::Action::\"cluster.modify\", resource) when { context.cluster.regions.contains("
  "ResourcePolicy::Region::\"aws:us-west-1\") };",
  "forbid (principal, action in [ResourcePolicy::Action::\"project.ipAccessList.modify\"], resource in ResourcePolicy::Project::"
  "\"5f0000000000000000000001\") when { context.project.ipAccessList.contains(ip(\"0.0.0.0/0\")) || !(1 < 2) };",
  "permit (principal, action, resource) unless { context.cluster has diskSizeGB && context.cluster.diskSizeGB > 4096 }; // so",
};

static svc_node *fuzz_context(svc_arena *a)
{
  svc_str text = SVC_S("{\"cluster\":{\"cloudProviders\":[\"aws\"],\"clusterType\":\"sharded\",\"minShardCount\":2,\"regions\":[\"aws:us-west-1\"]},"
                       "\"project\":{\"clustersInProject\":3,\"ipAccessList\":[\"0.0.0.0/0\"]}}");
  return svc_json_parse(a, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  svc_arena arena;
  svc_policy *policy;
  svc_str why;
  int action;
  svc_arena_init(&arena, NULL);
  policy = svc_policy_read(&arena, (svc_str){ (const char *)data, size }, &why);
  if (!policy && !why.n && !arena.failed) abort(); /* refused without a word */
  if (!policy && memcmp(why.p, "line ", 5) != 0) abort();
  for (action = 1; policy && action <= SVC_POLICY_ENDPOINT; action *= 2) {
    size_t steps;
    svc_policy_forbids(policy, action, SVC_S("5f0000000000000000000001"), SVC_S("5f0000000000000000000002"), fuzz_context(&arena), &steps);
    if (steps > policy->steps) abort(); /* more than was counted when it was read */
  }
  svc_blocks_free(arena.blocks);
  return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  const char *folder = getenv("SVC_FUZZ_SEEDS");
  size_t i;
  (void)argc, (void)argv;
  for (i = 0; folder && i < sizeof seeds / sizeof seeds[0]; i++) {
    char path[512];
    FILE *f;
    snprintf(path, sizeof path, "%s/%zu", folder, i);
    f = fopen(path, "w");
    if (!f) abort();
    fputs(seeds[i], f);
    fclose(f);
  }
  return 0;
}
