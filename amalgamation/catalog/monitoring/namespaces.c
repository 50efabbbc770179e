/*
** The collections of a cluster that the service knows. Collections belong to the data plane, but search indexes, online
** archives, global writes and the sample data name some. Questions about collections contain these names, so that the
** simulation has collections to answer with. A driver can know others.
**
** A load of the sample data outlives its cluster: a load from before the creation of the cluster went into an earlier
** cluster of the same name. The data also outlives the record of its load: if a simulated cluster has data and no such
** record, it is the sample data.
*/
#include "catalog/monitoring/process_parts.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/deployment/flex_parts.h"

enum {
  NAMESPACES_MOST = 100, /* in a question */
  NAMESPACES_ROOM = 512, /* found in all: 200 search indexes, 50 archives, 40 managed ones, and the sample data */
  NAMESPACES_LOADS = 4   /* number of the latest loads that count */
};

/* Nouns below a cluster, and their fields with the names of a collection; list: each element of that array names one. */
static const struct namespaces_source {
  const char *noun, *list, *database, *collection;
} namespaces_sources[] = {
  { "search index", NULL, "database", "collectionName" },
  { "online archive", NULL, "dbName", "collName" },
  { CLUSTER_GLOBAL_WRITES, "managedNamespaces", "db", "collection" },
};

static void namespaces_add(svc_call *c, svc_namespaces *f, svc_str database, svc_str collection, int64_t since)
{
  if (f->count == NAMESPACES_ROOM || !database.n || !collection.n) return;
  f->at[f->count++] = (svc_namespace){ svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(database), SVC_ARG(collection)), NULL, since, INT64_MAX };
}

static bool namespaces_of(svc_call *c, svc_namespaces *f, const svc_entity *cluster, const struct namespaces_source *from)
{
  const svc_noun_info *noun = svc_noun_named(c->s, from->noun);
  const svc_node *body, *one;
  svc_scan scan;
  svc_entity e;
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &cluster->id);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    int64_t since = svc_id_second(&e.id) * 1000;
    if (!from->list) {
      namespaces_add(c, f, svc_entity_text(c, noun->noun, &e, from->database), svc_entity_text(c, noun->noun, &e, from->collection), since);
      continue;
    }
    body = svc_entity_body(c, &e);
    if (!body) return false;
    one = svc_node_get(body, from->list);
    for (one = svc_node_first(one); one; one = one->next)
      namespaces_add(c, f, svc_node_str(one, from->database), svc_node_str(one, from->collection), since);
  }
  return svc_txn_good(c);
}

/* ---------------------------------------------------------------------------------------------------------- sample data */

static void namespaces_add_sample(svc_namespaces *f, int64_t since, int64_t until)
{
  const svc_sample *sample;
  size_t i;
  for (i = 0; (sample = svc_sample_at(i)) != NULL && f->count < NAMESPACES_ROOM; i++)
    f->at[f->count++] = (svc_namespace){ svc_str_c(sample->namespace), sample, since, until };
}

/* Adds the sample data from the history of the cluster: each period in which the cluster had it, of the latest loads. False:
** the history has no loads. */
static bool namespaces_of_history(svc_namespaces *f, const svc_node *history)
{
  const svc_node *first = svc_node_first(svc_node_get(history, "loads")), *one;
  size_t loads = 0;
  for (one = first; one; one = one->next) loads++;
  for (one = first; one; one = one->next, loads--) {
    if (!svc_node_is(one, "data", CLUSTER_HISTORY_SAMPLE) || loads > NAMESPACES_LOADS) continue;
    namespaces_add_sample(f, svc_node_i64(one, "at", 0), one->next ? svc_node_i64(one->next, "at", 0) : INT64_MAX);
  }
  return first != NULL;
}

static bool namespaces_of_sample(svc_call *c, svc_namespaces *f, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "sample dataset load");
  const svc_node *history;
  int64_t since = svc_id_second(&cluster->id) * 1000;
  svc_entity load;
  int rc;
  bool forgotten;
  if (memcmp(cluster->kind, FLEX_KIND, SVC_KIND_SIZE) == 0) {
    if (svc_flex_data(cluster)) namespaces_add_sample(f, svc_flex_data(cluster), INT64_MAX);
    return true;
  }
  if (!svc_history_get(c, &cluster->id, &history)) return false;
  if (namespaces_of_history(f, history)) return true;
  rc = noun ? svc_entity_named(c->txn, noun->noun->kind, NULL, &cluster->parent, cluster->unique, &load) : SVC_NOT_FOUND;
  forgotten = rc == SVC_NOT_FOUND && noun && !svc_cluster_driven(cluster) && svc_cluster_kept_of(cluster).size > 0;
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_NOT_FOUND && !forgotten) return true;
  if (!forgotten && (!svc_json_is(load.body, "state", "COMPLETED") || memcmp(load.id.b, cluster->id.b, sizeof load.id.b) < 0))
    return true;
  if (!forgotten) (void)svc_date_parse(svc_json_word(load.body, "completeDate"), &since);
  namespaces_add_sample(f, since, INT64_MAX);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------ all */

/* By name; for the same name the sample data first, then the oldest. */
static int namespaces_order(const void *a, const void *b)
{
  const svc_namespace *x = a, *y = b;
  int order = svc_str_order(x->name, y->name);
  if (order) return order;
  if (!x->sample != !y->sample) return x->sample ? -1 : 1;
  return (x->since > y->since) - (x->since < y->since);
}

SVC_PRIVATE bool svc_namespaces_find(svc_call *c, const svc_entity *cluster, svc_namespaces *out)
{
  size_t i, n = 0;
  out->at = svc_arena_alloc(c->arena, NAMESPACES_ROOM * sizeof *out->at);
  out->count = 0;
  if (!out->at) return svc_no_memory(c);
  for (i = 0; i < sizeof namespaces_sources / sizeof *namespaces_sources; i++)
    if (!namespaces_of(c, out, cluster, &namespaces_sources[i])) return false;
  if (!namespaces_of_sample(c, out, cluster)) return false;
  if (c->arena->failed) return svc_no_memory(c);
  qsort(out->at, out->count, sizeof *out->at, namespaces_order);
  for (i = 0; i < out->count; i++) /* the sample data, past or present, supersedes other sources of the same name */
    if (out->at[i].sample || n == 0 || !svc_str_eq(out->at[i].name, out->at[n - 1].name)) out->at[n++] = out->at[i];
  out->count = n;
  return true;
}

SVC_PRIVATE bool svc_namespace_known(svc_call *c, const svc_entity *cluster, svc_str name, bool *known)
{
  svc_namespaces f;
  size_t i;
  *known = false;
  if (!svc_namespaces_find(c, cluster, &f)) return false;
  for (i = 0; i < f.count && !*known; i++) *known = f.at[i].until == INT64_MAX && svc_str_eq(f.at[i].name, name);
  return true;
}

SVC_PRIVATE bool svc_namespaces_known(svc_call *c, const svc_entity *cluster, svc_node **array)
{
  svc_namespaces f;
  size_t i, n = 0;
  *array = svc_node_array(c->arena, "namespaces");
  if (!*array) return svc_no_memory(c);
  if (!svc_namespaces_find(c, cluster, &f)) return false;
  for (i = 0; i < f.count && n < NAMESPACES_MOST; i++) {
    if (f.at[i].until != INT64_MAX) continue;
    if (!svc_node_add_str(c->arena, *array, f.at[i].name)) return svc_no_memory(c);
    n++;
  }
  return true;
}
