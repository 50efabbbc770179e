/*
** The collections of a cluster that the service knows of. What is in a cluster is the data plane's; but search indexes, online
** archives, global writes and the sample data name collections, and those are what a question about collections is asked
** about, so that a simulation has something to speak of. A driver may know of others.
**
** A load of the sample data outlives its cluster: of one that was made before the cluster, a namesake had the data. And the data
** outlives the record of its load: a simulated cluster that has data has it from there.
*/
#include "catalog/monitoring/process_parts.h"

enum {
  NAMESPACES_MOST = 100, /* that are given */
  NAMESPACES_ROOM = 512  /* that are looked at: 200 search indexes, 50 archives, 40 managed ones, and the sample data */
};

/* Nouns below a cluster, and where they name a collection; list: each element of that array names one. */
static const struct namespaces_source {
  const char *noun, *list, *database, *collection;
} namespaces_sources[] = {
  { "search index", NULL, "database", "collectionName" },
  { "online archive", NULL, "dbName", "collName" },
  { CLUSTER_GLOBAL_WRITES, "managedNamespaces", "db", "collection" },
};

static const char *const namespaces_sample[] = {
  "sample_airbnb.listingsAndReviews", "sample_analytics.accounts", "sample_analytics.customers", "sample_analytics.transactions",
  "sample_geospatial.shipwrecks", "sample_guides.planets", "sample_mflix.comments", "sample_mflix.embedded_movies",
  "sample_mflix.movies", "sample_mflix.sessions", "sample_mflix.theaters", "sample_mflix.users", "sample_restaurants.neighborhoods",
  "sample_restaurants.restaurants", "sample_supplies.sales", "sample_training.companies", "sample_training.grades",
  "sample_training.inspections", "sample_training.posts", "sample_training.routes", "sample_training.trips", "sample_training.zips",
  "sample_weatherdata.data", NULL
};

typedef struct namespaces_found {
  svc_call *c;
  svc_str *at;
  size_t count;
} namespaces_found;

static void namespaces_add(namespaces_found *f, svc_str database, svc_str collection)
{
  if (f->count == NAMESPACES_ROOM || !database.n || !collection.n) return;
  f->at[f->count++] = svc_arena_print(f->c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(database), SVC_ARG(collection));
}

static bool namespaces_of(namespaces_found *f, const svc_entity *cluster, const struct namespaces_source *from)
{
  const svc_noun_info *noun = svc_noun_named(f->c->s, from->noun);
  const svc_node *body, *one;
  svc_scan scan;
  svc_entity e;
  if (!noun) return true;
  svc_below_begin(&scan, f->c->txn, noun->noun->kind, &cluster->id);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    if (!from->list) {
      namespaces_add(f, svc_entity_text(f->c, noun->noun, &e, from->database), svc_entity_text(f->c, noun->noun, &e, from->collection));
      continue;
    }
    body = svc_entity_body(f->c, &e);
    if (!body) return false;
    one = svc_node_get(body, from->list);
    for (one = svc_node_first(one); one; one = one->next)
      namespaces_add(f, svc_node_str(one, from->database), svc_node_str(one, from->collection));
  }
  return svc_txn_good(f->c);
}

static bool namespaces_of_sample(namespaces_found *f, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(f->c->s, "sample dataset load");
  const char *const *name;
  svc_entity load;
  int rc = noun ? svc_entity_named(f->c->txn, noun->noun->kind, NULL, &cluster->parent, cluster->unique, &load) : SVC_NOT_FOUND;
  bool forgotten = rc == SVC_NOT_FOUND && noun && !f->c->s->config.driver && svc_cluster_kept_of(cluster).size > 0;
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(f->c, rc);
  if (rc == SVC_NOT_FOUND && !forgotten) return true;
  if (!forgotten && (!svc_json_is(load.body, "state", "COMPLETED") || memcmp(load.id.b, cluster->id.b, sizeof load.id.b) < 0))
    return true;
  for (name = namespaces_sample; *name && f->count < NAMESPACES_ROOM; name++) f->at[f->count++] = svc_str_c(*name);
  return true;
}

static bool namespaces_find(svc_call *c, const svc_entity *cluster, namespaces_found *f)
{
  size_t i;
  f->c = c;
  f->at = svc_arena_alloc(c->arena, NAMESPACES_ROOM * sizeof *f->at);
  f->count = 0;
  if (!f->at) return svc_no_memory(c);
  for (i = 0; i < sizeof namespaces_sources / sizeof *namespaces_sources; i++)
    if (!namespaces_of(f, cluster, &namespaces_sources[i])) return false;
  if (!namespaces_of_sample(f, cluster)) return false;
  return c->arena->failed ? svc_no_memory(c) : true;
}

SVC_PRIVATE bool svc_namespace_known(svc_call *c, const svc_entity *cluster, svc_str name, bool *known)
{
  namespaces_found f;
  size_t i;
  *known = false;
  if (!namespaces_find(c, cluster, &f)) return false;
  for (i = 0; i < f.count && !*known; i++) *known = svc_str_eq(f.at[i], name);
  return true;
}

static int namespaces_order(const void *a, const void *b)
{
  return svc_str_order(*(const svc_str *)a, *(const svc_str *)b);
}

SVC_PRIVATE bool svc_namespaces_known(svc_call *c, const svc_entity *cluster, svc_node **array)
{
  namespaces_found f;
  size_t i, n = 0;
  *array = svc_node_array(c->arena, "namespaces");
  if (!*array) return svc_no_memory(c);
  if (!namespaces_find(c, cluster, &f)) return false;
  qsort(f.at, f.count, sizeof *f.at, namespaces_order);
  for (i = 0; i < f.count && n < NAMESPACES_MOST; i++) {
    if (i && svc_str_eq(f.at[i], f.at[i - 1])) continue;
    if (!svc_node_add_str(c->arena, *array, f.at[i])) return svc_no_memory(c);
    n++;
  }
  return true;
}
