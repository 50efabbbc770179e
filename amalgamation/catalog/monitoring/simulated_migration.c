/*
** Live migrations without a driver: the clusters that can be migrated, and the lag of a migration behind its source. Part of
** the simulation (simulated.c).
**
** The rule: the service itself plays the other installation, so the sources of an organization are its own clusters. The
** list is limited. While data is copied the lag decreases from minutes to seconds; afterwards it stays within LAG_LEAST
** seconds.
*/
#include "catalog/catalog.h"
#include "catalog/migration/migration_parts.h"
#include "catalog/monitoring/simulated.h"

enum { SOURCES_PROJECTS = 100, SOURCES_CLUSTERS = 1000, LAG_FIRST = 420, LAG_LEAST = 3 /* seconds */ };

/* ------------------------------------------------------------------------------------------------------------- sources */

static void sources_deployment(svc_simulation *s, const svc_entity *cluster)
{
  const svc_node *body = svc_entity_body(&s->c, cluster);
  int64_t shards = (int64_t)svc_node_count(svc_node_get(body, "replicationSpecs"));
  bool sharded = !svc_node_is(body, "clusterType", "REPLICASET");
  svc_buf *b = &s->out;
  if (!body) return; /* the arena records the failure */
  svc_buf_text(b, "{\"clusterId\":\"");
  svc_buf_str(b, svc_id_str(s->c.arena, &cluster->id));
  svc_buf_char(b, '"');
  svc_simulated_pair(b, "dbSizeBytes", svc_cluster_kept_of(cluster).size);
  svc_buf_text(b, ",\"dbVersion\":");
  svc_json_escape(b, svc_node_str(body, "dbVersion"));
  svc_buf_text(b, ",\"featureCompatibilityVersion\":");
  svc_json_escape(b, svc_node_str(body, "dbMajorVersion"));
  svc_buf_text(b, ",\"managed\":true,\"name\":");
  svc_json_escape(b, cluster->unique);
  svc_buf_text(b, sharded ? ",\"sharded\":true" : ",\"sharded\":false");
  if (sharded) svc_simulated_pair(b, "shardsSize", shards);
  svc_buf_text(b, ",\"tlsEnabled\":true}");
}

/* A cluster that is being deleted is not a source. */
static void sources_deployments(svc_simulation *s, const svc_id *group, int *left)
{
  svc_scan scan;
  svc_entity cluster;
  bool any = false;
  svc_below_begin(&scan, s->c.txn, CLUSTER_KIND, group);
  while (*left > 0 && svc_below_next(&scan, CLUSTER_KIND, &cluster)) {
    if (svc_json_is(cluster.body, "stateName", "DELETING") || svc_json_is(cluster.body, "stateName", "DELETED")) continue;
    if (any) svc_buf_char(&s->out, ',');
    sources_deployment(s, &cluster);
    any = true;
    --*left;
  }
}

static void sources_project(svc_simulation *s, const svc_entity *project, int *left)
{
  svc_buf *b = &s->out;
  svc_buf_text(b, "{\"deployments\":[");
  sources_deployments(s, &project->id, left);
  svc_buf_text(b, "],\"migrationHosts\":[\"migration.");
  svc_buf_text(b, s->c.s->config.db_domain);
  svc_buf_text(b, "\"],\"name\":");
  svc_json_escape(b, project->unique);
  svc_buf_text(b, ",\"projectId\":\"");
  svc_buf_str(b, svc_id_str(s->c.arena, &project->id));
  svc_buf_text(b, "\"}");
}

SVC_PRIVATE void svc_simulated_sources(svc_simulation *s)
{
  const char *kind = s->c.s->group->noun->kind;
  int projects = 0, left = SOURCES_CLUSTERS;
  svc_scan scan;
  svc_entity project;
  svc_id org;
  svc_buf_char(&s->out, '[');
  if (svc_id_parse(svc_str_c(s->q->resource_id), &org)) {
    svc_below_begin(&scan, s->c.txn, kind, &org);
    while (projects < SOURCES_PROJECTS && svc_below_next(&scan, kind, &project)) {
      if (projects++) svc_buf_char(&s->out, ',');
      sources_project(s, &project, &left);
    }
  }
  svc_buf_char(&s->out, ']');
}

/* ----------------------------------------------------------------------------------------------------------------- lag */

/* While data is copied, the lag is proportional to the remaining time. */
static int64_t lag_of(const svc_simulation *s, const svc_entity *e)
{
  int64_t begun = svc_id_second(&e->id) * 1000, ends = svc_due_get(e, SVC_DUE_STATE), now = s->q->now;
  if (svc_json_is(e->body, "status", "WORKING") && ends > now && now >= begun)
    return LAG_LEAST + LAG_FIRST * (ends - now) / (ends - begun);
  return (int64_t)(svc_simulated_hash(s->q->resource_id, "lag", now / 1000) % (LAG_LEAST + 1));
}

SVC_PRIVATE void svc_simulated_lag(svc_simulation *s)
{
  svc_entity e;
  svc_id id;
  svc_buf_text(&s->out, "{\"simulated\":true");
  if (svc_id_parse(svc_str_c(s->q->resource_id), &id) && svc_entity_get(s->c.txn, LIVE_MIGRATION_KIND, &s->c.scope.group, &id, &e) == SVC_OK)
    svc_simulated_pair(&s->out, "value", lag_of(s, &e));
  svc_buf_char(&s->out, '}');
}
