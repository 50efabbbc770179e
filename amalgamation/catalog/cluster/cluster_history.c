/*
** The history of a cluster: a record below the cluster with four lists, each ordered by time.
**
**   machines  {"at":0,"disk":10000000000,"size":"M10","up":true}   its machines since then; up false: it was paused;
**                                                                  with "analytics":"M30" if it has analytics nodes
**   loads     {"at":1748736000000,"data":"SAMPLE"}                 its data since then
**   oplogs    {"at":1748736000000,"mb":2000}                       the size of its oplog since then; 0: derived from its disk
**   indexes   {"at":...,"keys":[{"a":1}],"name":"a_1","namespace":"d.c","options":{}}
**
** The rule: an unchanged cluster has no record, and creating a cluster writes none. Times are milliseconds since 1970.
** Each list is bounded: a new entry displaces the oldest.
*/
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/tier.h"

static const char history_sample[] = CLUSTER_HISTORY_SAMPLE, history_none[] = CLUSTER_HISTORY_NONE;
enum { HISTORY_MACHINES = 200, HISTORY_LOADS = 50, HISTORY_OPLOGS = 50, HISTORY_INDEXES = 400 };

SVC_PRIVATE bool svc_history_get(svc_call *c, const svc_id *cluster, const svc_node **out)
{
  svc_entity e;
  *out = NULL;
  if (!svc_noun_by_kind(c->s, CLUSTER_HISTORY_KIND) || !svc_below_first(c->txn, CLUSTER_HISTORY_KIND, cluster, &e)) return svc_txn_good(c);
  *out = svc_entity_body(c, &e);
  return *out != NULL;
}

/* ------------------------------------------------------------------------------------------------------------ writing */

static svc_node *history_list(svc_call *c, svc_node *body, const char *name)
{
  svc_node *list = svc_node_get(body, name);
  if (list && list->type == SVC_J_ARRAY) return list;
  list = svc_node_array(c->arena, name);
  if (list) svc_node_put(c->arena, body, list);
  return list;
}

/* Drops the oldest entries until there is room for one more. */
static void history_bound(svc_node *list, size_t most)
{
  size_t count = svc_node_count(list);
  for (; count >= most && list->first; count--) list->first = list->first->next;
  if (!list->first) list->last = NULL;
}

/* Appends an entry to a list. first: an entry that precedes it if the list is empty; NULL: none. */
static bool history_add(svc_call *c, const svc_entity *cluster, const char *name, size_t most, svc_node *first, svc_node *entry)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_HISTORY_KIND);
  svc_change change;
  svc_entity e;
  svc_node *list;
  bool there;
  if (!noun) return true;
  there = svc_below_first(c->txn, CLUSTER_HISTORY_KIND, &cluster->id, &e);
  if (!svc_txn_good(c) || (there ? !svc_change_of(c, noun, &e, &change) : !svc_change_new(c, noun, NULL, &change))) return false;
  change.parent = cluster->id;
  list = history_list(c, change.body, name);
  if (!list || c->arena->failed) return svc_no_memory(c);
  if (first && !list->first) svc_node_append(list, first);
  history_bound(list, most);
  svc_node_append(list, entry);
  return there ? svc_change_keep(c, &change, &e) : svc_insert(c, &change, &e);
}

/* -------------------------------------------------------------------------------------------------------- machines */

static svc_node *history_machine(svc_call *c, const svc_node *body, int64_t at)
{
  svc_tier tier = svc_tier_of_node(body, 0, 0);
  svc_node *entry = svc_node_object(c->arena, NULL);
  if (!entry) return NULL;
  svc_node_set_i64(c->arena, entry, "at", at);
  svc_node_set_i64(c->arena, entry, "disk", tier.disk);
  svc_node_set_text(c->arena, entry, "size", tier.size);
  if (*svc_tier_analytics(body)) svc_node_set_text(c->arena, entry, "analytics", svc_tier_analytics(body));
  svc_node_set_bool(c->arena, entry, "up", !svc_node_bool(body, "paused", false));
  return entry;
}

SVC_PRIVATE bool svc_history_changed(svc_call *c, const svc_entity *cluster, const svc_node *before, const svc_node *body)
{
  svc_tier was, is;
  svc_node *first, *entry;
  if (!before || !body) return true;
  was = svc_tier_of_node(before, 0, 0);
  is = svc_tier_of_node(body, 0, 0);
  if (strcmp(was.size, is.size) == 0 && was.disk == is.disk && strcmp(svc_tier_analytics(before), svc_tier_analytics(body)) == 0 &&
      svc_node_bool(before, "paused", false) == svc_node_bool(body, "paused", false))
    return true;
  first = history_machine(c, before, 0);
  entry = history_machine(c, body, c->now);
  if (!first || !entry || c->arena->failed) return svc_no_memory(c);
  return history_add(c, cluster, "machines", HISTORY_MACHINES, first, entry);
}

static svc_node *history_oplog(svc_call *c, int64_t at, int64_t megabytes)
{
  svc_node *entry = svc_node_object(c->arena, NULL);
  if (entry) svc_node_set_i64(c->arena, entry, "at", at);
  if (entry) svc_node_set_i64(c->arena, entry, "mb", megabytes);
  return entry;
}

SVC_PRIVATE bool svc_history_oplog(svc_call *c, const svc_entity *cluster, int64_t was, int64_t is)
{
  svc_node *first = history_oplog(c, 0, was), *entry = history_oplog(c, c->now, is);
  if (!first || !entry || c->arena->failed) return svc_no_memory(c);
  return was == is || history_add(c, cluster, "oplogs", HISTORY_OPLOGS, first, entry);
}

/* ------------------------------------------------------------------------------------------------------------ data */

SVC_PRIVATE bool svc_history_loaded(svc_call *c, const svc_entity *cluster, const char *data)
{
  svc_node *entry = svc_node_object(c->arena, NULL);
  if (!entry) return svc_no_memory(c);
  svc_node_set_i64(c->arena, entry, "at", c->now);
  svc_node_set_text(c->arena, entry, "data", data);
  return history_add(c, cluster, "loads", HISTORY_LOADS, NULL, entry);
}

SVC_PRIVATE const char *svc_history_data(const svc_node *history, int64_t at, int64_t *since)
{
  const svc_node *one = svc_node_first(svc_node_get(history, "loads"));
  const char *data = NULL;
  for (; one && svc_node_i64(one, "at", 0) <= at; one = one->next) {
    const char *next = svc_node_is(one, "data", history_sample) ? history_sample : history_none;
    if (next != data) *since = svc_node_i64(one, "at", 0);
    data = next;
  }
  return data;
}

SVC_PRIVATE bool svc_history_had_sample(svc_call *c, const svc_id *cluster, int64_t at)
{
  const svc_node *history;
  int64_t since;
  return svc_history_get(c, cluster, &history) && svc_history_data(history, at, &since) == history_sample;
}

SVC_PRIVATE bool svc_history_size(svc_call *c, const svc_entity *cluster, int64_t size)
{
  svc_change as = { .id = cluster->id, .body = svc_entity_body(c, cluster) };
  svc_cluster_kept kept = svc_cluster_kept_of(cluster);
  svc_entity e = *cluster;
  if (!as.body) return false;
  kept.size = size;
  e.extra = svc_cluster_extra(c, &as, &kept);
  return e.extra.n ? svc_entity_store(c, &e, cluster) : svc_no_memory(c);
}

SVC_PRIVATE bool svc_history_restored(svc_call *c, const svc_id *source, int64_t at, const svc_entity *target)
{
  bool had = svc_history_had_sample(c, source, at), has = svc_history_had_sample(c, &target->id, c->now), good;
  const svc_scope outer = c->scope;
  if (!svc_txn_good(c) || had == has) return svc_txn_good(c);
  c->scope = target->scope;
  good = svc_history_loaded(c, target, had ? history_sample : history_none);
  c->scope = outer;
  return good;
}

/* ---------------------------------------------------------------------------------------------------------- indexes */

/* Requests send a direction as text, "1"; in an index it is a number. */
static svc_node *history_keys(svc_call *c, const svc_node *asked, svc_buf *name)
{
  svc_node *keys = svc_node_array(c->arena, "keys"), *copy;
  const svc_node *one;
  for (one = svc_node_first(asked); one && keys; one = one->next) {
    copy = svc_node_copy(c->arena, one);
    if (!copy || !copy->first) return NULL;
    if (svc_str_is(copy->first->text, "1") || svc_str_is(copy->first->text, "-1")) copy->first->type = SVC_J_NUMBER;
    svc_node_append(keys, copy);
    if (name->n) svc_buf_char(name, '_');
    svc_buf_str(name, copy->first->name);
    svc_buf_char(name, '_');
    svc_buf_str(name, copy->first->text);
  }
  return keys;
}

SVC_PRIVATE bool svc_history_built(svc_call *c, const svc_entity *cluster, svc_str namespace, const svc_node *index)
{
  svc_node *entry = svc_node_object(c->arena, NULL), *keys;
  const svc_node *options = svc_node_get(index, "options");
  svc_buf name = svc_buf_new(c->arena, 64);
  svc_str given = svc_node_str(options, "name");
  keys = history_keys(c, svc_node_get(index, "keys"), &name);
  if (!entry || !keys || name.failed) return svc_no_memory(c);
  svc_node_set_i64(c->arena, entry, "at", c->now);
  svc_node_put(c->arena, entry, keys);
  svc_node_set_str(c->arena, entry, "name", given.n ? given : svc_buf_done(&name));
  svc_node_set_str(c->arena, entry, "namespace", namespace);
  if (options) svc_node_put(c->arena, entry, svc_node_copy(c->arena, options));
  if (c->arena->failed) return svc_no_memory(c);
  return history_add(c, cluster, "indexes", HISTORY_INDEXES, NULL, entry);
}
