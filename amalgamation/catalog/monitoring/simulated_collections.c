/*
** Collections with their indexes for the performance advisor, without a driver: part of the simulation (simulated.c).
** The collections are those of the model at the current time.
*/
#include "catalog/monitoring/simulated.h"

/* How often an index was used: the index of _id by half of all reads, others by the queries that they serve. */
static int64_t collections_accesses(const svc_model_collection *k, size_t index, int64_t now)
{
  int64_t reads = (svc_model_waves(now) - svc_model_waves(k->indexes[index].since)) / 1000 * k->reads / 1000;
  int i;
  if (index == 0) return reads / 2;
  for (i = 0; i < SVC_SAMPLE_QUERIES; i++)
    if (k->served[i] == k->indexes[index].since && k->like->queries[i].op && svc_model_serves(&k->like->queries[i], &k->indexes[index])) return reads / 8;
  return 0;
}

static void collections_index(svc_simulation *s, const svc_model_collection *k, size_t i, int64_t size)
{
  const svc_model_index *index = &k->indexes[i];
  svc_buf *b = &s->out;
  svc_buf_text(b, i ? ",{\"accesses\":" : "{\"accesses\":");
  svc_buf_i64(b, collections_accesses(k, i, s->q->now));
  if (index->hidden) svc_buf_text(b, ",\"hidden\":true");
  svc_buf_text(b, ",\"keys\":");
  svc_buf_str(b, index->keys);
  svc_buf_text(b, ",\"name\":");
  svc_json_escape(b, index->name);
  if (index->options.n) svc_buf_text(b, ",\"options\":"), svc_buf_str(b, index->options);
  svc_simulated_pair(b, "since", index->since);
  svc_simulated_pair(b, "sizeBytes", size);
  svc_buf_char(b, '}');
}

static void collections_one(svc_simulation *s, const svc_model_collection *k)
{
  svc_model_time t = svc_model_time_of(&s->model, s->q->now, 1);
  svc_model_figures f;
  svc_buf *b = &s->out;
  size_t i;
  svc_model_collection_at(k, &t, &f);
  svc_buf_text(b, b->n > 1 ? ",{\"averageBytes\":" : "{\"averageBytes\":");
  svc_buf_i64(b, k->like->average);
  svc_buf_text(b, ",\"indexes\":[");
  for (i = 0; i < k->index_count; i++) collections_index(s, k, i, f.indexes ? f.index_size / f.indexes : 0);
  svc_buf_char(b, ']');
  svc_simulated_pair(b, "largestBytes", k->like->average * 4);
  svc_simulated_pair(b, "longestArray", k->like->longest);
  svc_buf_text(b, ",\"namespace\":");
  svc_json_escape(b, k->namespace);
  svc_buf_text(b, ",\"simulated\":true}");
}

SVC_PRIVATE void svc_simulated_collections(svc_simulation *s)
{
  const svc_node *wanted = svc_node_get(s->p, "namespaces");
  int64_t left = svc_node_i64(s->p, "most", 0);
  size_t i;
  svc_buf_char(&s->out, '[');
  for (i = 0; i < s->model.count && left > 0; i++) {
    const svc_model_collection *k = &s->model.collections[i];
    if (!svc_model_there(k, s->q->now) || (wanted && !svc_node_has_str(wanted, k->namespace))) continue;
    collections_one(s, k);
    left--;
  }
  svc_buf_char(&s->out, ']');
}
