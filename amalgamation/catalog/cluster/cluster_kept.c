/*
** The data of a cluster that is stored next to its JSON; cluster_base.h shows the layout. With it, host names and the list
** of all clusters need no parsed body.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

/* Position of the summary: its brace is different from all marks before it. 0: nothing is stored. */
static size_t cluster_kept_summary(const svc_entity *e)
{
  size_t at = CLUSTER_ID + CLUSTER_TIME;
  if (e->extra.n <= at) return 0;
  while (at < e->extra.n && e->extra.p[at] != '{') at++;
  return at;
}

SVC_PRIVATE svc_str svc_cluster_summary(const svc_entity *e)
{
  size_t at = cluster_kept_summary(e);
  return at ? (svc_str){ e->extra.p + at, e->extra.n - at } : SVC_S("");
}

SVC_PRIVATE svc_cluster_kept svc_cluster_kept_of(const svc_entity *e)
{
  svc_cluster_kept kept;
  size_t end = cluster_kept_summary(e), at;
  memset(&kept, 0, sizeof kept);
  if (!end) return kept;
  for (at = 0; at < CLUSTER_ID; at++) /* a damaged record may have other characters, which are not valid in host names */
    kept.id[at] = strchr("0123456789abcdefghijklmnopqrstuvwxyz", e->extra.p[at]) && e->extra.p[at] ? e->extra.p[at] : '0';
  svc_str_i64((svc_str){ e->extra.p + CLUSTER_ID, CLUSTER_TIME }, &kept.resumed);
  for (at = CLUSTER_ID + CLUSTER_TIME; at < end; at++) {
    char mark = e->extra.p[at];
    if (mark == CLUSTER_RESTARTING) kept.restarting = true;
    if (mark == CLUSTER_LEGACY) kept.legacy = true;
    if (mark == CLUSTER_FIRST) kept.first = true;
    if (mark >= '0' && mark <= '9') kept.slot = kept.slot * 10 + (unsigned)(mark - '0');
  }
  svc_json_number_i64(svc_json_member(svc_cluster_summary(e), SVC_S("dataSizeBytes")), &kept.size);
  return kept;
}

SVC_PRIVATE svc_str svc_cluster_extra(svc_call *c, const svc_change *change, const svc_cluster_kept *kept)
{
  const svc_node *body = change->body;
  svc_buf b = svc_buf_new(c->arena, 384);
  char id[24], time[CLUSTER_TIME + 8];
  svc_id_hex(&change->id, id);
  snprintf(time, sizeof time, "%014lld", (long long)kept->resumed % 100000000000000);
  svc_buf_add(&b, kept->id, CLUSTER_ID);
  svc_buf_add(&b, time, CLUSTER_TIME);
  if (kept->restarting) svc_buf_char(&b, CLUSTER_RESTARTING);
  if (kept->legacy) svc_buf_char(&b, CLUSTER_LEGACY);
  if (kept->legacy && kept->first) svc_buf_char(&b, CLUSTER_FIRST);
  if (kept->slot) svc_buf_i64(&b, kept->slot);
  svc_buf_text(&b, "{\"alertCount\":0,\"authEnabled\":true,\"availability\":\"available\",\"backupEnabled\":");
  svc_buf_text(&b, svc_node_bool(body, "backupEnabled", false) ? "true" : "false");
  svc_buf_text(&b, ",\"clusterId\":\"");
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"dataSizeBytes\":");
  svc_buf_i64(&b, kept->size);
  svc_buf_text(&b, ",\"name\":");
  svc_json_escape(&b, svc_node_str(body, "name"));
  svc_buf_text(&b, ",\"nodeCount\":");
  svc_buf_i64(&b, svc_cluster_node_count(body));
  svc_buf_text(&b, ",\"sslEnabled\":true,\"type\":\"");
  svc_buf_text(&b, svc_cluster_is(body, "clusterType", "REPLICASET") ? "REPLICA_SET" : "SHARDED_CLUSTER");
  svc_buf_text(&b, "\",\"versions\":[");
  svc_json_escape(&b, svc_node_str(body, "dbVersion"));
  svc_buf_text(&b, "]}");
  return svc_buf_done(&b);
}

SVC_PRIVATE bool svc_cluster_imports(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  return noun && svc_refs_named_by(c, noun, cluster, CLUSTER_LIVE_MIGRATION);
}
