/*
** Process: a server or router of a cluster, named HOST:PORT as in connection strings, and its measurements.
**
** Nothing is stored: processes are derived from the existing clusters (processes.c), and figures come from the driver or
** the simulation. A process of a cluster that is being created, or is paused, has the type NO_DATA.
*/
#include "catalog/monitoring/process_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const process_types[] = { "REPLICA_PRIMARY", "REPLICA_SECONDARY", "RECOVERING", "SHARD_DBS", "SHARD_CONFIG",
                                             "SHARD_STANDALONE", "SHARD_PRIMARY", "SHARD_SECONDARY", "NO_DATA", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field process_fields[] = {
  F_DATE("created", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("hostname", .flags = SVC_READ_ONLY),
  F_STR("id", .flags = SVC_READ_ONLY),
  F_DATE("lastPing", .flags = SVC_READ_ONLY),
  F_INT("port", .flags = SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_READ_ONLY),
  F_STR("shardName", .flags = SVC_READ_ONLY),
  F_ENUM("typeName", process_types, .flags = SVC_READ_ONLY),
  F_STR("userAlias", .flags = SVC_READ_ONLY),
  F_STR("version", .flags = SVC_READ_ONLY)
};
static const svc_object process_object = { .name = "Process", .fields = SVC_ROWS(process_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool process_list(svc_call *c);
static bool process_read(svc_call *c);

#define PROCESS_ALL "/groups/{groupId}/processes", SVC_SET_PROCESSES, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_param process_params[] = { SVC_MEASURE("m", svc_process_metric_names, 0), { .name = NULL } };

static const svc_route process_routes[] = {
  R_GET(PROCESS_ALL, "", .flags = SVC_PAGED, .answer = &process_object, .op = "listGroupProcesses", .run = process_list),
  R_GET(PROCESS_ALL, "/{processId}", .flags = SVC_ITEM, .answer = &process_object, .op = "getGroupProcess", .run = process_read),
  R_GET(PROCESS_ALL, "/{processId}/measurements", .params = process_params, .answer = &svc_process_measurements,
        .op = "getProcessMeasurements", .run = svc_part_measure, .on_reply = svc_part_measured)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static svc_node *process_node(svc_call *c, const svc_processes *of, const svc_process *p)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body) return NULL;
  svc_node_set_from(c->arena, body, "created", of->body, "createDate");
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  svc_node_set_str(c->arena, body, "hostname", p->host);
  svc_node_set_str(c->arena, body, "id", p->id);
  /* every minute */
  if (svc_process_runs(p)) svc_node_set_date(c->arena, body, "lastPing", (p->down_since ? p->down_since : c->now) / 60000 * 60000);
  svc_node_set_i64(c->arena, body, "port", p->port);
  if (p->replica_set.n) svc_node_set_str(c->arena, body, "replicaSetName", p->replica_set);
  if (p->shard.n) svc_node_set_str(c->arena, body, "shardName", p->shard);
  svc_node_set_text(c->arena, body, "typeName", p->type);
  svc_node_set_str(c->arena, body, "userAlias", p->alias);
  if (p->version.n) svc_node_set_str(c->arena, body, "version", p->version);
  else svc_node_set_from(c->arena, body, "version", of->body, "dbVersion");
  return body;
}

typedef struct process_walk {
  svc_scan scan;
  svc_processes of;
  size_t at;
} process_walk;

static bool process_next(svc_call *c, void *state, svc_item *out)
{
  process_walk *w = state;
  const svc_process *p;
  svc_entity e;
  svc_node *body;
  svc_buf key;
  while (w->at == w->of.count) {
    if (!svc_below_next(&w->scan, CLUSTER_KIND, &e)) return svc_txn_good(c) && false;
    if (!svc_processes_of(c, &e, &w->of)) return false;
    w->at = 0;
  }
  p = &w->of.at[w->at++];
  if (!out) return true;
  body = process_node(c, &w->of, p);
  key = svc_buf_new(c->arena, 96);
  svc_percent_encode(&key, p->host);
  svc_buf_char(&key, ':');
  svc_buf_i64(&key, p->port);
  if (!body || key.failed) return svc_no_memory(c);
  svc_item_node(c, out, svc_buf_done(&key), body);
  return true;
}

static bool process_list(svc_call *c)
{
  process_walk walk;
  memset(&walk, 0, sizeof walk);
  svc_below_begin(&walk.scan, c->txn, CLUSTER_KIND, &c->scope.group);
  return svc_list_items(c, process_next, &walk, -1);
}

static bool process_read(svc_call *c)
{
  svc_processes of;
  svc_process p;
  svc_node *body;
  if (!svc_process_of_path(c, &of, &p)) return false;
  body = process_node(c, &of, &p);
  return body ? svc_answer_node(c, body) : svc_no_memory(c);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_process = {
  .name = "process",
  .rel = "processes",
  .param = "processId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .questions = SVC_ASKS(&svc_question_series),
  .routes = SVC_ROUTES(process_routes),
};
