/*
** The catalog's part of the simulation (pipeline/simulator.c), which replaces the driver if the host supplies none:
** questions whose answers need knowledge of the catalog.
**
** The rule: an answer about a cluster derives from the model of that cluster (model.h), as stored at the time of the
** question. The transaction of the request has ended by then; the simulation reads in its own transaction.
*/
#include "catalog/monitoring/simulated.h"
#include "catalog/stream/stream_parts.h"

typedef void simulated_answer(svc_simulation *s);

static const struct simulated_row {
  const char *what, *resource;
  simulated_answer *answer;
  const char *none; /* answer for a deleted cluster; NULL: not a question about a cluster */
} simulated_rows[] = {
  { "accessHistory", "cluster", svc_simulated_logins, "[]" },
  { "collections", "cluster", svc_simulated_collections, "[]" },
  { "list", "cluster", svc_simulated_list, "[]" },
  { "list", "organization", svc_simulated_sources, NULL },
  { "logs", "cluster", svc_simulated_log, "" },
  { "logs", "data federation", svc_simulated_nothing, NULL }, /* log of queries: empty, because no queries run there */
  { "logs", STREAM_WORKSPACE, svc_simulated_workspace_log, NULL },
  { "measure", CLUSTER_LIVE_MIGRATION, svc_simulated_lag, NULL },
  { "measure", STREAM_PROCESSOR, svc_simulated_processor, NULL },
  { "queryStats", "cluster", svc_simulated_queries, "[]" },
  { "series", "cluster", svc_simulated_series, "{\"missing\":true}" },
  { "slowQueries", "cluster", svc_simulated_queries, "[]" },
};

/* Reads the cluster of the question, with its processes and its model. */
static int simulated_gather(svc_simulation *s)
{
  svc_call *c = &s->c;
  svc_entity cluster;
  svc_id id;
  int rc;
  if (!svc_id_parse(svc_str_c(s->q->resource_id), &id)) return SVC_INVALID;
  rc = svc_entity_get(c->txn, CLUSTER_KIND, &c->scope.group, &id, &cluster);
  if (rc != SVC_OK) return rc;
  if (svc_processes_of(c, &cluster, &s->of) && svc_model_of(c, &s->of.cluster, s->of.body, &s->model)) return SVC_OK;
  return c->arena->failed ? SVC_NOMEM : c->txn->error ? c->txn->error : SVC_CORRUPT;
}

static int simulated_answers(svc_simulation *s, const struct simulated_row *row, svc_reply *r)
{
  svc_arena *arena = s->c.arena;
  int rc = row->none ? simulated_gather(s) : SVC_OK;
  if (rc == SVC_NOT_FOUND) return svc_reply_add(r, row->none, strlen(row->none));
  if (rc != SVC_OK) return rc;
  s->out = svc_buf_new(arena, 4096);
  row->answer(s);
  if (s->out.failed || arena->failed) return SVC_NOMEM;
  return s->c.txn->error ? s->c.txn->error : svc_reply_add(r, s->out.p, s->out.n);
}

SVC_PRIVATE int svc_catalog_simulates(svc *service, const svc_question *q, svc_reply *r)
{
  static const svc_request nobody = { .method = "", .target = "" };
  const struct simulated_row *row = simulated_rows, *end = row + sizeof simulated_rows / sizeof simulated_rows[0];
  svc_simulation s;
  int rc;
  while (row < end && (strcmp(q->what, row->what) != 0 || strcmp(q->resource, row->resource) != 0)) row++;
  if (row == end) return SVC_INVALID;
  memset(&s, 0, sizeof s);
  s.c.s = service;
  s.c.request.raw = &nobody;
  s.c.arena = r->memory;
  s.c.now = q->now;
  s.q = q;
  (void)svc_id_parse(svc_str_c(q->group_id), &s.c.scope.group);
  s.p = svc_json_parse(s.c.arena, svc_str_c(q->parameters));
  if (!s.p) return s.c.arena->failed ? SVC_NOMEM : SVC_INVALID;
  rc = service->commit.port->read_begin(service->commit.store, &s.c.txn);
  if (rc != SVC_OK) return rc;
  rc = simulated_answers(&s, row, r);
  svc_end_read(&s.c);
  return rc;
}

SVC_PRIVATE void svc_simulated_nothing(svc_simulation *s)
{
  (void)s;
}

/* ----------------------------------------------------------------------------------------------------- what answers share */

SVC_PRIVATE const svc_process *svc_simulated_process(const svc_simulation *s, svc_str id)
{
  size_t i;
  for (i = 0; i < s->of.count; i++)
    if (svc_str_eq(s->of.at[i].id, id) || svc_str_eq(s->of.at[i].host, id)) return &s->of.at[i];
  return NULL;
}

SVC_PRIVATE void svc_simulated_pair(svc_buf *b, const char *name, int64_t value)
{
  svc_buf_text(b, ",\"");
  svc_buf_text(b, name);
  svc_buf_text(b, "\":");
  svc_buf_i64(b, value);
}
