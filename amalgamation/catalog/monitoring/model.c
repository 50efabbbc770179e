/*
** The facts of a cluster's model: the stored data on its machines, pauses, collections and indexes. model.h has
** an overview.
**
** The rule: only this file reads facts, in one transaction; everything that derives from them is a pure function.
*/
#include "catalog/monitoring/model.h"

enum { MODEL_READS = 2800, MODEL_WRITES = 300, MODEL_GROWS = 200 }; /* range of the random part of a collection's peak rates, in thousandths per second */

static uint64_t model_seed(svc_str text)
{
  static const uint64_t key[2] = { 0x73696d, 0x6d6f64656c };
  return svc_sip(key, text);
}

/* ------------------------------------------------------------------------------------------------------------- indexes */

/* The first key of an index, if its values can be looked up; empty: keys of text or places. */
static svc_str model_first(svc_arena *a, svc_str keys)
{
  const svc_node *first = svc_node_first(svc_node_first(svc_json_parse(a, keys)));
  return first && (first->type == SVC_J_NUMBER || svc_str_is(first->text, "hashed")) ? first->name : SVC_S("");
}

/* Whether the filter contains "field": for the first key of the index, and no $regex from there on. The filters are those of the table,
** flat and without escapes. */
SVC_PRIVATE bool svc_model_serves(const svc_sample_query *q, const svc_model_index *index)
{
  const char *at = index->hidden || !index->first.n ? NULL : q->filter;
  size_t n = index->first.n;
  while ((at = at ? strchr(at, '"') : NULL) != NULL) {
    if (strncmp(at + 1, index->first.p, n) == 0 && at[n + 1] == '"' && at[n + 2] == ':') return !strstr(at, "$regex");
    at++;
  }
  return false;
}

/* Adds an index to a collection, and marks the kinds of query that it serves from then on. */
static void model_index(svc_arena *a, svc_model_collection *k, svc_model_index index)
{
  int i;
  if (k->index_count == SVC_MODEL_INDEXES) return;
  index.first = model_first(a, index.keys);
  k->indexes[k->index_count++] = index;
  for (i = 0; i < SVC_SAMPLE_QUERIES && k->like->queries[i].op; i++)
    if (index.since < k->served[i] && svc_model_serves(&k->like->queries[i], &index)) k->served[i] = index.since;
}

/* Adds the initial indexes of a collection: all of a sample's; otherwise about half of the usual ones. */
static void model_own_indexes(svc_arena *a, svc_model_collection *k)
{
  const svc_sample_index *of = k->like->indexes;
  int i;
  model_index(a, k, (svc_model_index){ SVC_S("_id_"), SVC_S("[{\"_id\":1}]"), SVC_S(""), k->since, false, SVC_S("") });
  for (i = 0; i < SVC_SAMPLE_INDEXES && of[i].name; i++)
    if (k->like->namespace || k->seed >> (20 + i) & 1)
      model_index(a, k, (svc_model_index){ svc_str_c(of[i].name), svc_str_c(of[i].keys), SVC_S(""), k->since, false, SVC_S("") });
}

static svc_str model_text(svc_arena *a, const svc_node *node)
{
  svc_buf b = svc_buf_new(a, 96);
  if (!node) return SVC_S("");
  svc_node_write(&b, node);
  return svc_buf_done(&b);
}

/* A hidden index serves no query. An index without entries for some documents cannot serve a query for all of them. */
static bool model_is_partial(const svc_node *options)
{
  return svc_node_bool(options, "hidden", false) || svc_node_bool(options, "sparse", false) || svc_node_get(options, "partialFilterExpression");
}

static void model_built_indexes(svc_arena *a, const svc_node *history, svc_model_collection *k)
{
  const svc_node *one = svc_node_first(svc_node_get(history, "indexes"));
  for (; one; one = one->next) {
    const svc_node *options = svc_node_get(one, "options");
    int64_t at = svc_node_i64(one, "at", 0);
    if (!svc_node_eq(one, "namespace", k->namespace) || !svc_model_there(k, at)) continue;
    model_index(a, k, (svc_model_index){ svc_node_str(one, "name"), model_text(a, svc_node_get(one, "keys")), model_text(a, options), at,
                                         model_is_partial(options), SVC_S("") });
  }
}

/* --------------------------------------------------------------------------------------------------------- collections */

static bool model_collection(svc_arena *a, const svc_model *m, const svc_namespace *of, const svc_node *history, svc_model_collection *k)
{
  svc_str rest = of->name;
  int i;
  memset(k, 0, sizeof *k);
  k->indexes = svc_arena_alloc(a, SVC_MODEL_INDEXES * sizeof *k->indexes);
  if (!k->indexes) return false;
  k->namespace = of->name;
  k->database = svc_str_cut(&rest, '.');
  k->like = of->sample ? of->sample : svc_sample_other();
  k->since = of->since;
  k->until = of->until;
  k->waves = svc_model_waves(of->since);
  k->seed = svc_model_hash(m->seed, model_seed(of->name));
  k->documents = k->like->documents;
  if (!of->sample) k->documents = k->documents / 2 + (int64_t)(k->seed % 40000);
  if (!of->sample) k->grows = 20 + (int64_t)(k->seed >> 8 & 1023) % MODEL_GROWS;
  k->reads = 200 + (int64_t)(k->seed >> 32 & 4095) % MODEL_READS;
  k->writes = (int64_t)(k->seed >> 44 & 1023) % MODEL_WRITES;
  for (i = 0; i < SVC_SAMPLE_QUERIES; i++) k->served[i] = INT64_MAX;
  model_own_indexes(a, k);
  model_built_indexes(a, history, k);
  return !a->failed;
}

static bool model_collections(svc_call *c, const svc_entity *cluster, const svc_node *history, svc_model *m)
{
  svc_namespaces all;
  size_t i;
  if (!svc_namespaces_find(c, cluster, &all)) return false;
  m->collections = svc_arena_alloc(c->arena, (all.count + 1) * sizeof *m->collections);
  if (!m->collections) return svc_no_memory(c);
  for (i = 0; i < all.count; i++)
    if (!model_collection(c->arena, m, &all.at[i], history, &m->collections[m->count++])) return svc_no_memory(c);
  return true;
}

SVC_PRIVATE const svc_model_collection *svc_model_collection_of(const svc_model *m, svc_str database, svc_str name, int64_t at)
{
  size_t i;
  for (i = 0; i < m->count; i++) {
    const svc_model_collection *k = &m->collections[i];
    svc_str own = { k->namespace.p + k->database.n + 1, k->namespace.n - k->database.n - 1 };
    if (svc_str_eq(k->database, database) && svc_str_eq(own, name) && svc_model_there(k, at)) return k;
  }
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ machines */

static bool model_spans(svc_call *c, const svc_node *history, svc_model *m)
{
  const svc_node *list = svc_node_get(history, "machines"), *one = svc_node_first(list);
  svc_model_span *spans;
  if (!one) return true;
  spans = svc_arena_alloc(c->arena, svc_node_count(list) * sizeof *spans);
  if (!spans) return svc_no_memory(c);
  for (m->spans = spans; one; one = one->next) {
    svc_str analytics = svc_node_str(one, "analytics");
    spans[m->span_count++] = (svc_model_span){ svc_node_i64(one, "at", 0), svc_node_i64(one, "disk", 0), svc_tier_of(svc_node_str(one, "size")),
                                               analytics.n ? svc_tier_of(analytics) : NULL, svc_node_bool(one, "up", true) };
  }
  return true;
}

static bool model_search(svc_call *c, const svc_entity *cluster, svc_model *m)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "search index");
  svc_entity e;
  if (!noun || !svc_below_first(c->txn, noun->noun->kind, &cluster->id, &e)) return svc_txn_good(c);
  m->search = svc_id_second(&e.id) * 1000;
  return true;
}

/* An oplog size from before the history of sizes counts as the size at all times. */
static bool model_oplog(svc_call *c, const svc_entity *cluster, const svc_node *history, svc_model *m)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(c->s, CLUSTER_PROCESS_ARGS);
  svc_entity e;
  m->oplogs = svc_node_get(history, "oplogs");
  if (m->oplogs || !noun || svc_entity_get(c->txn, noun->noun->kind, &cluster->id, &none, &e) != SVC_OK) return svc_txn_good(c);
  svc_json_number_i64(svc_json_member(e.body, SVC_S("oplogSizeMB")), &m->oplog);
  return true;
}

/* The end of the creation, by the lifecycle table; before that there are no hosts. */
static int64_t model_since(const svc_call *c, const svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, e->kind);
  int64_t made = svc_id_second(&e->id) * 1000;
  int64_t ready = noun && noun->noun->lifecycle ? svc_transition_due(c->s, noun->noun, svc_str_c(noun->noun->lifecycle->created), made) : 0;
  return ready > made ? ready : made;
}

static void model_begin(svc_call *c, const svc_entity *e, svc_model *out)
{
  memset(out, 0, sizeof *out);
  out->id = svc_id_str(c->arena, &e->id);
  out->seed = model_seed(out->id);
  out->since = model_since(c, e);
  out->shards = 1;
  out->search = INT64_MAX;
}

SVC_PRIVATE bool svc_model_of(svc_call *c, const svc_entity *cluster, const svc_node *body, svc_model *out)
{
  const svc_node *history;
  svc_node *states;
  model_begin(c, cluster, out);
  out->body = body;
  out->shards = (int64_t)svc_node_count(svc_node_get(body, "replicationSpecs"));
  if (out->shards < 1 || svc_cluster_is(body, "clusterType", "REPLICASET")) out->shards = 1;
  if (!svc_history_get(c, &cluster->id, &history) || !svc_process_states_of(c, &cluster->id, &states)) return false;
  out->states = states;
  return model_spans(c, history, out) && model_oplog(c, cluster, history, out) && model_search(c, cluster, out) &&
         model_collections(c, cluster, history, out) && (!c->arena->failed || svc_no_memory(c));
}

/* --------------------------------------------------------------------------------------------------------------- hosts */

static int model_role(const svc_process *p)
{
  if (strstr(p->type, "PRIMARY")) return SVC_MODEL_PRIMARY;
  if (strstr(p->type, "SECONDARY")) return SVC_MODEL_SECONDARY;
  if (p->port == CLUSTER_ROUTER_PORT || strcmp(p->type, "SHARD_DBS") == 0) return SVC_MODEL_ROUTER;
  if (p->spec == SVC_NO_NODE) return SVC_MODEL_CONFIG;
  return p->node ? SVC_MODEL_SECONDARY : SVC_MODEL_PRIMARY;
}

SVC_PRIVATE svc_model_host svc_model_host_of(const svc_model *m, const svc_processes *of, const svc_process *p)
{
  svc_model_host h = { .members = 0 };
  int kind = SVC_NODES_ELECTABLE;
  size_t i;
  h.role = model_role(p);
  h.tier = svc_tier_of_node(m->body, p->spec == SVC_NO_NODE ? 0 : p->spec, p->spec == SVC_NO_NODE ? 0 : p->node);
  h.seed = svc_model_hash(m->seed, model_seed(p->id));
  h.id = p->id;
  h.set = p->replica_set;
  h.first = p->spec != SVC_NO_NODE && p->node == 0;
  if (p->spec != SVC_NO_NODE) svc_tier_region(m->body, p->spec, p->node, &kind);
  h.analytics = kind == SVC_NODES_ANALYTICS && h.role == SVC_MODEL_SECONDARY;
  for (i = 0; i < of->count; i++) h.members += p->replica_set.n && svc_str_eq(of->at[i].replica_set, p->replica_set);
  return h;
}

SVC_PRIVATE int svc_model_role_at(const svc_model *m, const svc_model_host *h, int64_t at)
{
  svc_str leader;
  if (!m->states || h->role > SVC_MODEL_SECONDARY || !h->set.n) return h->role;
  leader = svc_process_led(m->states, h->set, at);
  return (leader.n ? svc_str_eq(leader, h->id) : h->first) ? SVC_MODEL_PRIMARY : SVC_MODEL_SECONDARY;
}

SVC_PRIVATE bool svc_model_up(const svc_model *m, const svc_model_host *h, int64_t at)
{
  size_t i = m->span_count;
  if (h && m->states && h->id.n && !svc_process_was_up(m->states, h->id, at)) return false;
  while (i > 0 && m->spans[i - 1].at > at) i--;
  return at >= m->since && (i == 0 || m->spans[i - 1].up);
}
