/*
** autoscaling: the record below a cluster whose hardware follows its load. The record exists while autoScaling is enabled
** for any region of the cluster (deployment/cluster_scaling.c); no operation shows it. Once an hour it looks at the model
** of the cluster (model.h): at the primary of each shard and at its first analytics node, each with its own settings. The
** record takes at most one step:
**
**   CPU or memory above 75 % over the last hour                        the next larger size, up to maxInstanceSize
**   or, with predictiveEnabled, over the next hour                     (electable nodes: the model knows the future load)
**   a disk that is more than 90 % full                                 a disk that is 70 % full
**   the next smaller size would be below 50 % for the last 24 hours    that size, down to minInstanceSize, with scaleDownEnabled
**
** If a step is not possible, one event reports this, and no further one until another step was taken. Only simulated
** clusters scale: if a driver has named the hosts, the model does not know their load.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/monitoring/model.h"

enum { SCALING_HOT = 75000, SCALING_COOL = 50000, SCALING_FULL = 90000 /* thousandths of a percent */, SCALING_DISK = 70 /* percent */, SCALING_HOURS = 24 };

static const svc_field autoscaling_fields[] = { F_STR("failed"), F_STR("failedAnalytics") };
static const svc_object autoscaling_object = { .name = "Autoscaling", .fields = SVC_ROWS(autoscaling_fields) };

/* Nodes that scale together, and their events. */
typedef struct scaling_part {
  int kind; /* enum svc_nodes */
  const char *failed; /* field of the record with the last failure that was reported */
  const char *begins, *at_most, *stays; /* events: a step of the size; no larger size is allowed; the smaller size is refused */
  const char *predicted; /* event of a step before the load comes; NULL: no predictive scaling */
} scaling_part;
static const scaling_part scaling_parts[] = {
  { SVC_NODES_ELECTABLE, "failed", "COMPUTE_AUTO_SCALE_INITIATED_BASE", "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE",
    "COMPUTE_AUTO_SCALE_SCALE_DOWN_FAIL_BASE", "PREDICTIVE_COMPUTE_AUTO_SCALE_INITIATED_BASE" },
  { SVC_NODES_ANALYTICS, "failedAnalytics", "COMPUTE_AUTO_SCALE_INITIATED_ANALYTICS", "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_ANALYTICS",
    "COMPUTE_AUTO_SCALE_SCALE_DOWN_FAIL_ANALYTICS", NULL },
};

/* The nodes of one part in a shard, and their current machine. */
typedef struct scaling_shard {
  const scaling_part *part;
  const svc_model *m;
  svc_model_host host; /* the primary, or the first analytics node */
  int64_t now;
} scaling_shard;

/* ---------------------------------------------------------------------------------------------------------------- load */

/* The greater one of CPU and memory, relative to the whole machine. */
static int64_t scaling_load(const scaling_shard *s, const svc_model_host *host, int64_t at)
{
  static const unsigned char parts[] = { SVC_Q_CPU_USER, SVC_Q_CPU_KERNEL, SVC_Q_CPU_IOWAIT, SVC_Q_CPU_STEAL, SVC_Q_CPU_SOFTIRQ, SVC_Q_CPU_NICE };
  svc_point point;
  int64_t cpu = 0;
  size_t i;
  svc_model_at(s->m, host, at, &point);
  for (i = 0; i < sizeof parts; i++) cpu += point.q[parts[i]];
  cpu /= point.cores > 0 ? point.cores : 1;
  return cpu > point.q[SVC_Q_SYSTEM_MEMORY_PERCENT] ? cpu : point.q[SVC_Q_SYSTEM_MEMORY_PERCENT];
}

/* Whether the host has had its current machine since `since`, and is up now. */
static bool scaling_steady(const scaling_shard *s, int64_t since)
{
  const svc_model *m = s->m;
  return since >= m->since && (m->span_count == 0 || m->spans[m->span_count - 1].at <= since) && svc_model_up(m, &s->host, s->now);
}

/* Whether the average load of the hour that ends at `until` is too high. */
static bool scaling_hot(const scaling_shard *s, int64_t until)
{
  enum { POINTS = 6 };
  int64_t sum = 0, i, step = CLUSTER_SCALING_EVERY / POINTS;
  if (!scaling_steady(s, s->now - CLUSTER_SCALING_EVERY)) return false;
  for (i = 0; i < POINTS; i++) sum += scaling_load(s, &s->host, until - i * step);
  return sum / POINTS > SCALING_HOT;
}

static bool scaling_cool(const scaling_shard *s, const char *smaller)
{
  svc_model_host host = s->host;
  int i;
  if (!scaling_steady(s, s->now - SCALING_HOURS * CLUSTER_SCALING_EVERY)) return false;
  host.tier = *svc_tier_of(svc_str_c(smaller));
  host.tier.disk = s->host.tier.disk;
  host.tier.iops = s->host.tier.iops;
  for (i = 0; i < SCALING_HOURS; i++)
    if (scaling_load(s, &host, s->now - i * CLUSTER_SCALING_EVERY) >= SCALING_COOL) return false;
  return true;
}

/* Gigabytes of a disk that would be 70 % full; 0: the disk has room. */
static int64_t scaling_disk(const scaling_shard *s)
{
  const int64_t gigabyte = 1000000000;
  svc_point point;
  svc_model_at(s->m, &s->host, s->now, &point);
  if (point.q[SVC_Q_DISK_USED_PERCENT] <= SCALING_FULL) return 0;
  return point.q[SVC_Q_DISK_USED] / 1000 * 100 / SCALING_DISK / gigabyte + 1;
}

/* --------------------------------------------------------------------------------------------------------------- steps */

/* The step for a cluster, whose new body is already set. */
typedef struct scaling_step {
  const char *event;  /* start of the step; NULL: no step */
  const char *failed; /* event if the step is not possible or is refused; NULL: nothing to report */
} scaling_step;

static bool scaling_find(scaling_shard *s, const svc_processes *of, unsigned spec)
{
  size_t i;
  for (i = 0; i < of->count; i++) {
    if (of->at[i].spec != spec || of->at[i].node == SVC_NO_NODE) continue;
    s->host = svc_model_host_of(s->m, of, &of->at[i]);
    if (s->part->kind == SVC_NODES_ANALYTICS ? s->host.analytics : s->host.role == SVC_MODEL_PRIMARY) return true;
  }
  return false;
}

static void scaling_up(svc_call *c, const scaling_shard *s, svc_node *spec, scaling_step *step)
{
  const svc_node *compute = svc_cluster_scaling_of(spec, s->part->kind, "compute");
  const char *size;
  bool hot, ahead;
  if (!svc_node_bool(compute, "enabled", false)) return;
  hot = scaling_hot(s, s->now);
  ahead = !hot && s->part->predicted && svc_node_bool(compute, "predictiveEnabled", false) && scaling_hot(s, s->now + CLUSTER_SCALING_EVERY);
  if (!hot && !ahead) return;
  size = svc_cluster_scaling_next(c, spec, s->part->kind, true);
  if (!size && ahead) return; /* a missing larger size is reported when the load has come */
  if (size) svc_cluster_scaling_set(c, spec, s->part->kind, size, 0);
  if (size) step->event = ahead ? s->part->predicted : s->part->begins;
  step->failed = s->part->at_most;
}

static void scaling_grow(svc_call *c, const scaling_shard *s, svc_node *spec, scaling_step *step)
{
  const svc_node *disk = svc_cluster_scaling_of(spec, s->part->kind, "diskGB");
  int64_t gigabytes = svc_node_bool(disk, "enabled", false) ? scaling_disk(s) : 0;
  if (!gigabytes) return;
  svc_cluster_scaling_set(c, spec, s->part->kind, NULL, gigabytes);
  step->event = "DISK_AUTO_SCALE_INITIATED";
  step->failed = "DISK_AUTO_SCALE_MAX_DISK_SIZE_FAIL";
}

static void scaling_down(svc_call *c, const scaling_shard *s, svc_node *spec, scaling_step *step)
{
  const svc_node *compute = svc_cluster_scaling_of(spec, s->part->kind, "compute");
  const char *size;
  if (!svc_node_bool(compute, "enabled", false) || !svc_node_bool(compute, "scaleDownEnabled", false)) return;
  size = svc_cluster_scaling_next(c, spec, s->part->kind, false);
  if (!size || !scaling_cool(s, size)) return;
  svc_cluster_scaling_set(c, spec, s->part->kind, size, 0);
  step->event = s->part->begins;
  step->failed = s->part->stays;
}

/* Finds the first kind of step that a shard needs. All shards that need this kind take it. */
static bool scaling_decide(svc_call *c, const svc_processes *of, const svc_model *m, const scaling_part *part, svc_node *body, scaling_step *step)
{
  static void (*const kinds[])(svc_call *c, const scaling_shard *s, svc_node *spec, scaling_step *step) = { scaling_up, scaling_grow, scaling_down };
  svc_node *spec;
  unsigned i, n;
  for (i = 0; i < sizeof kinds / sizeof kinds[0] && !step->event; i++)
    for (n = 0, spec = svc_node_first(svc_node_get(body, "replicationSpecs")); spec; spec = spec->next, n++) {
      scaling_shard shard = { .part = part, .m = m, .now = c->now };
      if (scaling_find(&shard, of, n)) kinds[i](c, &shard, spec, step);
    }
  return svc_txn_good(c) && (!c->arena->failed || svc_no_memory(c));
}

/* ----------------------------------------------------------------------------------------------------------------- noun */

/* Reports a failure once, although its cause comes and goes with the hours of the day. */
static bool autoscaling_tell(svc_call *c, svc_change *record, const svc_entity *cluster, const char *field, const char *failed)
{
  if (!failed || svc_node_is(record->body, field, failed)) return true;
  svc_node_set_text(c->arena, record->body, field, failed);
  return svc_event_about(c, svc_noun_by_kind(c->s, CLUSTER_KIND), cluster, failed, false);
}

/* Handles one kind of nodes after the other, until a step is taken. */
static bool autoscaling_look(svc_call *c, svc_change *record, const svc_entity *cluster)
{
  svc_processes of;
  svc_model model;
  svc_change change;
  bool done = false, may;
  size_t i;
  for (i = 0; i < sizeof scaling_parts / sizeof scaling_parts[0] && !done; i++) {
    const scaling_part *part = &scaling_parts[i];
    scaling_step step = { NULL, NULL };
    if (!svc_cluster_scaling_begin(c, cluster, &change, &may)) return false;
    if (!may) return true; /* another operation is in progress */
    if (i == 0 && (!svc_processes_of(c, cluster, &of) || !svc_model_of(c, cluster, of.body, &model))) return false;
    if (!scaling_decide(c, &of, &model, part, change.body, &step)) return false;
    if (step.event && !svc_cluster_scaling_keep(c, &change, step.event, &done)) return false;
    if (done) svc_node_drop(record->body, part->failed);
    else if (!autoscaling_tell(c, record, cluster, part->failed, step.failed)) return false;
  }
  return true;
}

static bool autoscaling_fell_due(svc_call *c, svc_change *record, int tag)
{
  svc_entity cluster;
  int rc;
  if (tag != SVC_DUE_RUN) return true;
  svc_change_due(record, SVC_DUE_RUN, c->now + CLUSTER_SCALING_EVERY);
  rc = svc_entity_get(c->txn, CLUSTER_KIND, &c->scope.group, &record->parent, &cluster);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  return autoscaling_look(c, record, &cluster);
}

SVC_PRIVATE const svc_noun svc_noun_autoscaling = {
  .name = "autoscaling",
  .kind = CLUSTER_SCALING_KIND,
  .parent = "cluster",
  .object = &autoscaling_object,
  .fell_due = autoscaling_fell_due
};
