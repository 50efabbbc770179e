/*
** A world with one cluster, and rules that hold for all measurements of it.
*/
#ifndef SVC_TEST_MODEL_WORLD_H
#define SVC_TEST_MODEL_WORLD_H

#include "mechanism/probe.h"
#include "support.h"

#include "catalog/monitoring/model.h"

typedef struct model_world {
  t_service t;
  const char *group;
  char id[5][160]; /* of its processes */
  int processes;
} model_world;

static inline void model_open(model_world *w, const char *cluster)
{
  const svc_config config = { .limiter_off = 1 };
  char path[32];
  int i;
  t_open(&w->t, &config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  if (t_sendf(&w->t, "POST", cluster, "/groups/%s/clusters", w->group) != 201) munit_error(w->t.response.body);
  t_advance(&w->t, 60);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  w->processes = (int)t_int(&w->t, "totalCount") < 5 ? (int)t_int(&w->t, "totalCount") : 5;
  for (i = 0; i < w->processes; i++) {
    snprintf(path, sizeof path, "results[%d].id", i);
    snprintf(w->id[i], sizeof w->id[i], "%s", t_str(&w->t, path));
  }
}

static inline void model_sample(model_world *w)
{
  if (t_sendf(&w->t, "POST", NULL, "/groups/%s/sampleDatasetLoad/C", w->group) != 201) munit_error(w->t.response.body);
  t_advance(&w->t, 60);
}

static inline void model_get(model_world *w, int process, const char *rest)
{
  if (t_sendf(&w->t, "GET", NULL, "/groups/%s/processes/%s%s", w->group, w->id[process], rest) != 200) munit_error(w->t.response.body);
}

static inline int64_t model_thousandths(const svc_node *value)
{
  svc_str rest, whole;
  int64_t n = 0, part = 0, unit = 100;
  size_t i;
  if (!value || value->type != SVC_J_NUMBER) return SVC_MODEL_GAP;
  rest = value->text;
  whole = svc_str_cut(&rest, '.');
  munit_assert_true(svc_str_i64(whole, &n));
  for (i = 0; i < rest.n; i++, unit /= 10) part += (rest.p[i] - '0') * unit;
  return n * 1000 + part;
}

/* Returns the value of a metric in the last answer. Point 0 is the oldest. */
static inline int64_t model_figure(model_world *w, const char *name, size_t point)
{
  const svc_node *one = t_node(&w->t, "measurements")->first, *at;
  while (one && !svc_str_is(svc_node_str(one, "name"), name)) one = one->next;
  if (!one) munit_errorf("%s is not measured", name);
  for (at = svc_node_first(svc_node_get(one, "dataPoints")); at && point > 0; point--) at = at->next;
  munit_assert_not_null(at);
  return model_thousandths(svc_node_get(at, "value"));
}

static inline size_t model_points(model_world *w)
{
  return t_count(&w->t, "measurements[0].dataPoints");
}

/* ------------------------------------------------------------------------------------------------------------ invariants */

#define F(name) model_figure(w, name, i)

static inline void model_check_operations(model_world *w, size_t i, bool primary)
{
  munit_assert_int64(F("NETWORK_NUM_REQUESTS"), ==, F("OPCOUNTER_CMD") + F("OPCOUNTER_QUERY") + F("OPCOUNTER_INSERT") + F("OPCOUNTER_UPDATE") +
                                                      F("OPCOUNTER_DELETE") + F("OPCOUNTER_GETMORE"));
  munit_assert_int64(F("GLOBAL_LOCK_CURRENT_QUEUE_TOTAL"), ==, F("GLOBAL_LOCK_CURRENT_QUEUE_READERS") + F("GLOBAL_LOCK_CURRENT_QUEUE_WRITERS"));
  munit_assert_int64(F("INDEX_COUNTERS_BTREE_ACCESSES"), ==, F("INDEX_COUNTERS_BTREE_HITS") + F("INDEX_COUNTERS_BTREE_MISSES"));
  munit_assert_int64(F("QUERY_EXECUTOR_SCANNED_OBJECTS"), >=, F("DOCUMENT_METRICS_RETURNED"));
  munit_assert_int64(F("DOCUMENT_METRICS_UPDATED"), ==, F("OPCOUNTER_UPDATE") + F("OPCOUNTER_REPL_UPDATE"));
  munit_assert_int64(F("SYSTEM_NETWORK_IN"), >=, F("NETWORK_BYTES_IN"));
  munit_assert_int64(F("SYSTEM_NETWORK_OUT"), >=, F("NETWORK_BYTES_OUT"));
  if (primary) {
    munit_assert_int64(F("OPCOUNTER_QUERY"), >, 0);
    munit_assert_int64(F("OPCOUNTER_REPL_UPDATE"), ==, 0);
    munit_assert_int64(F("OPLOG_SLAVE_LAG_MASTER_TIME"), ==, 0);
    munit_assert_int64(F("QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED"), ==, F("QUERY_EXECUTOR_SCANNED_OBJECTS") * 1000 / F("DOCUMENT_METRICS_RETURNED"));
  } else {
    munit_assert_int64(F("OPCOUNTER_QUERY"), ==, 0);
    munit_assert_int64(F("OPCOUNTER_INSERT"), ==, 0);
    munit_assert_int64(F("OPCOUNTER_REPL_UPDATE"), >, 0);
    munit_assert_int64(F("OPLOG_SLAVE_LAG_MASTER_TIME"), <=, 10000000);
  }
}

static inline void model_check_machine(model_world *w, size_t i, const svc_tier *tier)
{
  static const char *const parts[] = { "USER", "KERNEL", "IOWAIT", "STEAL", "SOFTIRQ", "IRQ", "GUEST", "NICE" };
  int64_t ram = tier->ram * 1000, cpu = 0;
  char name[64], other[64];
  size_t k;
  munit_assert_int64(F("CACHE_DIRTY_BYTES"), <=, F("CACHE_USED_BYTES"));
  munit_assert_int64(F("CACHE_USED_BYTES"), <=, ram / 2);
  munit_assert_int64(F("CACHE_FILL_RATIO"), <=, 100000);
  munit_assert_int64(F("DIRTY_FILL_RATIO"), <=, F("CACHE_FILL_RATIO"));
  munit_assert_int64(F("CACHE_USED_BYTES"), <=, F("MEMORY_RESIDENT"));
  munit_assert_int64(F("MEMORY_RESIDENT"), <=, F("MEMORY_VIRTUAL"));
  munit_assert_int64(F("MEMORY_RESIDENT"), <=, F("SYSTEM_MEMORY_USED"));
  munit_assert_int64(F("SYSTEM_MEMORY_USED") + F("SYSTEM_MEMORY_AVAILABLE"), ==, ram);
  munit_assert_int64(F("SYSTEM_MEMORY_FREE"), <=, F("SYSTEM_MEMORY_AVAILABLE"));
  munit_assert_int64(F("CONNECTIONS"), <=, tier->connections * 1000);
  munit_assert_int64(F("CONNECTIONS"), >, 0);
  for (k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    snprintf(name, sizeof name, "SYSTEM_CPU_%s", parts[k]);
    snprintf(other, sizeof other, "SYSTEM_NORMALIZED_CPU_%s", parts[k]);
    munit_assert_int64(F(other), ==, F(name) / tier->cores);
    cpu += F(name);
  }
  munit_assert_int64(cpu, <=, tier->cores * 100000);
  munit_assert_int64(F("PROCESS_CPU_USER"), <=, F("SYSTEM_CPU_USER"));
  munit_assert_int64(F("PROCESS_CPU_KERNEL"), <=, F("SYSTEM_CPU_KERNEL"));
  munit_assert_int64(F("PROCESS_NORMALIZED_CPU_USER"), ==, F("PROCESS_CPU_USER") / tier->cores);
}

/* Checks that every value exists and is not negative, and that a metric with MAX_ is not less than the one without. */
static inline void model_check_all(model_world *w, size_t i)
{
  const svc_node *one = t_node(&w->t, "measurements")->first;
  char name[96];
  for (; one; one = one->next) {
    svc_str of = svc_node_str(one, "name");
    snprintf(name, sizeof name, SVC_FMT, SVC_ARG(of));
    munit_assert_int64(F(name), >=, 0);
    if (svc_str_starts(of, "MAX_") && strcmp(name, "MAX_SYSTEM_NORMALIZED_CPU_NICE") != 0) munit_assert_int64(F(name), >=, F(name + 4));
    if (svc_node_is(one, "units", "PERCENT") && strstr(name, "NORMALIZED")) munit_assert_int64(F(name), <=, 100000);
  }
}

static inline void model_check_disk(model_world *w, size_t i, const svc_tier *tier)
{
  munit_assert_int64(F("DISK_PARTITION_IOPS_TOTAL"), ==, F("DISK_PARTITION_IOPS_READ") + F("DISK_PARTITION_IOPS_WRITE"));
  munit_assert_int64(F("DISK_PARTITION_IOPS_TOTAL"), <=, tier->iops * 1000);
  munit_assert_int64(F("DISK_PARTITION_SPACE_USED") + F("DISK_PARTITION_SPACE_FREE"), ==, tier->disk * 1000);
  munit_assert_int64(F("DISK_PARTITION_SPACE_PERCENT_USED") + F("DISK_PARTITION_SPACE_PERCENT_FREE"), ==, 100000);
  munit_assert_int64(F("DISK_PARTITION_SPACE_PERCENT_USED") - F("DISK_PARTITION_SPACE_USED") / (tier->disk / 100), <=, 1);
  munit_assert_int64(F("DISK_PARTITION_SPACE_PERCENT_USED") - F("DISK_PARTITION_SPACE_USED") / (tier->disk / 100), >=, -1);
}

#endif /* SVC_TEST_MODEL_WORLD_H */
