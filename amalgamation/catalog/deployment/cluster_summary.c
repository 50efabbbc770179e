/*
** The clusters of all projects that the caller may see, project by project: a list above all projects. No records of its
** own: cluster_kept.c keeps the summary of a cluster in its `extra`.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_summary_availabilities[] = { "available", "dead", "unavailable", "warning", NULL };
static const char *const cluster_summary_types[] = { "REPLICA_SET", "SHARDED_CLUSTER", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_summary_fields[] = {
  F_INT("alertCount", .flags = SVC_READ_ONLY),
  F_BOOL("authEnabled", .flags = SVC_READ_ONLY),
  F_ENUM("availability", cluster_summary_availabilities, .flags = SVC_READ_ONLY),
  F_BOOL("backupEnabled", .flags = SVC_READ_ONLY),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_LONG("dataSizeBytes", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_INT("nodeCount", .flags = SVC_READ_ONLY),
  F_BOOL("sslEnabled", .flags = SVC_READ_ONLY),
  F_ENUM("type", cluster_summary_types, .flags = SVC_READ_ONLY),
  F_STRS("versions", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_summary_object = { .name = "CloudCluster", .fields = SVC_ROWS(cluster_summary_fields) };
static const svc_field cluster_summary_project_fields[] = {
  F_LIST("clusters", &cluster_summary_object, .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("groupName", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_STR("orgName", .flags = SVC_READ_ONLY),
  F_STR("planType", .flags = SVC_READ_ONLY),
  F_STRS("tags", .flags = SVC_READ_ONLY)
};
static const svc_object cluster_summary_project = { .name = "OrgGroup", .fields = SVC_ROWS(cluster_summary_project_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool cluster_summary_list(svc_call *c);

static const svc_route cluster_summary_routes[] = {
  { .method = SVC_GET, .path = "/clusters", .set = SVC_SET_CLUSTER_LIST, .flags = SVC_PAGED,
    .versions = { 20230101 }, .answer = &cluster_summary_project, .op = "listClusterDetails", .run = cluster_summary_list }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static void cluster_summary_write(svc_call *c, const svc_id *project, svc_buf *b)
{
  svc_entity e;
  svc_scan scan;
  bool first = true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, project);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    svc_str summary = svc_cluster_summary(&e);
    if (!summary.n) continue;
    if (!first) svc_buf_char(b, ',');
    svc_buf_str(b, summary);
    first = false;
  }
}

/* Writes a project with its clusters. */
static bool cluster_summary_write_project(svc_call *c, const svc_entity *project, svc_item *out)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_entity org;
  char id[24];
  size_t links_at;
  bool known = c->s->org && svc_get_noun(c->txn, c->s->org, &project->parent, &org) == SVC_OK;
  svc_buf_text(&b, "{\"clusters\":[");
  cluster_summary_write(c, &project->id, &b);
  svc_buf_text(&b, "],\"groupId\":\"");
  svc_id_hex(&project->id, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"groupName\":");
  svc_json_escape(&b, project->unique);
  links_at = b.n + 1;
  svc_buf_text(&b, ",\"orgId\":\"");
  svc_id_hex(&project->parent, id);
  svc_buf_add(&b, id, sizeof id);
  svc_buf_text(&b, "\",\"orgName\":");
  svc_json_escape(&b, known ? org.unique : SVC_S(""));
  svc_buf_text(&b, ",\"planType\":\"STANDARD\",\"tags\":[]}");
  memset(out, 0, sizeof *out);
  out->body = svc_buf_done(&b);
  out->links_at = links_at;
  return !b.failed || svc_no_memory(c);
}

static bool cluster_summary_list(svc_call *c)
{
  const svc_entities projects = { .noun = c->s->group, .write = cluster_summary_write_project };
  return svc_list_seen(c, &projects);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_summary = {
  .name = "cluster summary",
  .parent = "cluster", /* a build without clusters has no summary */
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(cluster_summary_routes)
};
