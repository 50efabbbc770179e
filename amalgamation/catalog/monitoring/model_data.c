/*
** The databases of a host: databases of the cluster's collections, and the system's (admin, config, local). Part of the model
** (model.h).
**
** The rule: the figures of a database are the sums of its collections, and those of the host are the sums of its
** databases. The oplog is part of the data of local: the oplog contains all writes since the creation of the cluster, up to its
** size. The default size depends on the disk; oplogSizeMB overrides it. The window of a full oplog is the age of the
** cluster times the part of all writes that fits.
*/
#include "catalog/monitoring/model.h"

#define DATA_MB ((int64_t)1048576)
enum { DATA_NOOP = 11 /* bytes per second that an idle replica set writes */ };

static void data_add(svc_model_figures *sum, const svc_model_figures *one)
{
  sum->documents += one->documents;
  sum->data += one->data;
  sum->storage += one->storage;
  sum->index_size += one->index_size;
  sum->indexes += one->indexes;
  sum->reads += one->reads;
  sum->writes += one->writes;
  sum->commands += one->commands;
  sum->inserts += one->inserts;
  sum->updates += one->updates;
  sum->returned += one->returned;
  sum->scanned += one->scanned;
  sum->keys += one->keys;
}

/* Databases of the system: numbers of collections and documents, and bytes per document. */
static const struct data_system {
  const char *name;
  int64_t collections, documents, average, indexes;
} data_systems[] = { { "admin", 4, 24, 420, 6 }, { "config", 8, 61, 210, 10 }, { "local", 6, 12, 380, 5 } };
enum { DATA_SYSTEMS = sizeof data_systems / sizeof data_systems[0] };

/* ---------------------------------------------------------------------------------------------------------------- oplog */

/* Bytes written to the oplog since the creation of the cluster, without the limit of its size. */
static int64_t data_logged(const svc_model *m, const svc_model_time *t)
{
  int64_t bytes = (t->at - m->since) / 1000 * DATA_NOOP;
  size_t i;
  for (i = 0; i < m->count; i++) {
    const svc_model_collection *k = &m->collections[i];
    if (t->waves > k->waves && svc_model_there(k, t->at))
      bytes += (t->waves - k->waves) / 1000 * (k->writes + k->grows) / 1000 * SVC_MODEL_ENTRY / t->shards;
  }
  return bytes > 0 ? bytes : 0;
}

static int64_t data_oplog_most(const svc_model *m, const svc_model_host *h, int64_t at)
{
  const svc_node *one = svc_node_first(m->oplogs);
  int64_t megabytes = m->oplog, most;
  for (; one && svc_node_i64(one, "at", 0) <= at; one = one->next) megabytes = svc_node_i64(one, "mb", 0);
  if (megabytes > 0) return megabytes * DATA_MB;
  most = svc_model_span_at(m, h, at).disk / 20;
  return most < 50000000000 ? most : 50000000000;
}

SVC_PRIVATE svc_model_oplog svc_model_oplog_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t)
{
  int64_t logged = data_logged(m, t), age = t->at > m->since ? t->at - m->since : 0;
  svc_model_oplog o = { .most = data_oplog_most(m, h, t->at) };
  o.used = logged < o.most ? logged : o.most;
  o.window = logged > o.most ? age / 1000 * (o.most / DATA_MB) / (logged / DATA_MB + 1) * 1000 : age;
  return o;
}

/* ------------------------------------------------------------------------------------------------------------ databases */

static void data_system(const svc_model *m, const svc_model_host *h, const svc_model_time *t, const struct data_system *of, svc_model_figures *out)
{
  svc_model_oplog oplog = { 0, 0, 0 };
  memset(out, 0, sizeof *out);
  if (strcmp(of->name, "local") == 0 && h->role != SVC_MODEL_CONFIG) oplog = svc_model_oplog_at(m, h, t);
  out->documents = of->documents + oplog.used / SVC_MODEL_ENTRY;
  out->data = of->documents * of->average + oplog.used / SVC_MODEL_ENTRY * SVC_MODEL_ENTRY;
  out->storage = of->collections * 20480 + oplog.used / 4096 * 4096;
  out->index_size = of->indexes * 20480;
  out->indexes = of->indexes;
}

SVC_PRIVATE bool svc_model_database_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t, svc_str database,
                                       svc_model_figures *out, int64_t *collections)
{
  svc_model_figures one;
  size_t i;
  memset(out, 0, sizeof *out);
  *collections = 0;
  for (i = 0; i < DATA_SYSTEMS; i++) {
    if (database.n && !svc_str_is(database, data_systems[i].name)) continue;
    data_system(m, h, t, &data_systems[i], &one);
    data_add(out, &one);
    *collections += data_systems[i].collections;
  }
  for (i = 0; i < m->count && h->role < SVC_MODEL_ROUTER; i++) {
    const svc_model_collection *k = &m->collections[i];
    if (!svc_model_there(k, t->at) || (database.n && !svc_str_eq(k->database, database))) continue;
    svc_model_collection_at(k, t, &one);
    data_add(out, &one);
    ++*collections;
  }
  return *collections > 0;
}
