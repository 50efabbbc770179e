/*
** What the nouns of monitoring share: figures of processes over time (measure.c), and the collections that are known of
** (namespaces.c). The processes themselves: catalog/cluster.
*/
#ifndef SVC_PROCESS_PARTS_H
#define SVC_PROCESS_PARTS_H

#include "catalog/catalog.h"
#include "catalog/cluster/sample_data.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/cluster/metric_list.h"

#define PINNED_NAMESPACES "pinned namespaces" /* the name of the noun, for who asks which are pinned */

/* --------------------------------------------------------------------------------------------------------- measure.c */

enum svc_unit { SVC_UNIT_BYTES, SVC_UNIT_BYTES_PER_SECOND, SVC_UNIT_GIGABYTES, SVC_UNIT_GIGABYTES_PER_HOUR,
                SVC_UNIT_MEGABYTES_PER_SECOND, SVC_UNIT_MICROSECONDS, SVC_UNIT_MILLISECONDS, SVC_UNIT_PERCENT, SVC_UNIT_SCALAR,
                SVC_UNIT_SCALAR_PER_SECOND };
SVC_DECLARE(const char *const svc_units[]) /* their names, in the order of these */

/* A list of metric_list.h, as tables: names, and their units. */
typedef struct svc_metrics {
  const char *const *names;
  const unsigned char *units;
  const char *param; /* the query parameter that chooses among them */
  size_t count;
  const char *period; /* where no time is given, "P1D"; NULL: that is refused */
  bool reported;      /* where a driver does not say them, they are those that it has reported (cluster/reported.c) */
} svc_metrics;
#define SVC_METRIC_UNIT(name, unit) SVC_UNIT_##unit,
#define SVC_METRICS(list, stem, query) \
  SVC_PRIVATE const char *const stem##_names[] = { list(SVC_METRIC_NAME) NULL }; \
  static const unsigned char stem##_units[] = { list(SVC_METRIC_UNIT) }; \
  static const svc_metrics stem##_metrics = { stem##_names, stem##_units, query, sizeof stem##_units, NULL, false }

/* The time that is asked for, in seconds: its query parameters, and what they say. At most SVC_SPAN_MOST figures of each metric. */
#define SVC_SPAN_MOST 2880 /* two days, minute by minute */
SVC_DECLARE(const char *const svc_granularities[])
#define SVC_SPAN_END { .name = "end", .type = SVC_DATE }
#define SVC_SPAN_START { .name = "period", .type = SVC_STRING }, { .name = "start", .type = SVC_DATE }
#define SVC_MEASURE(m, names, further) \
  SVC_SPAN_END, { .name = "granularity", .type = SVC_STRING, .flags = SVC_PARAM_REQUIRED, .link = "PT1M", .values = svc_granularities }, \
  { .name = m, .type = SVC_STRING, .flags = SVC_PARAM_REPEATS | further, .max_repeats = 10, .values = names }, \
  { .name = "period", .type = SVC_STRING, .link = "PT1H" }, { .name = "start", .type = SVC_DATE }
typedef struct svc_span {
  int64_t from, until, step;
  const char *granularity;
} svc_span;
SVC_PRIVATE bool svc_span_of(svc_call *c, const svc_metrics *metrics, svc_span *out); /* refuses */

SVC_DECLARE(const svc_question_row svc_question_series)
SVC_DECLARE(const svc_object svc_measurement)   /* one metric, with its figures */
/* Ask for the series of the metrics that are asked for, of a process; of: where in it, members of a JSON object, or NULL. */
SVC_PRIVATE bool svc_measure_ask(svc_call *c, const svc_processes *at, const svc_process *p, const svc_metrics *metrics, const svc_node *of);
/* What was told of those, as a member of an answer; NULL: refused. */
SVC_PRIVATE svc_node *svc_measure_told(svc_call *c, const svc_reply *reply, const svc_metrics *metrics, const char *name);
/* The beginning of such an answer: groupId, granularity, start and end; NULL: refused. */
SVC_PRIVATE svc_node *svc_measure_answer(svc_call *c, const svc_metrics *metrics);
SVC_PRIVATE svc_node *svc_metrics_shown(svc_call *c, const svc_metrics *metrics, const char *name); /* all that there are */

/* ----------------------------------------------------------------------------------------------------- process_part.c */

/* Of a process and of the disks and databases in it, each the function of a route: which there are, one of them, and figures. */
SVC_DECLARE(const char *const svc_disk_metric_names[])
SVC_DECLARE(const char *const svc_database_metric_names[])
SVC_DECLARE(const svc_object svc_process_measurements)
SVC_PRIVATE const char *svc_process_metric_unit(svc_str name); /* of a process, by the name of the metric; NULL: there is none */
SVC_DECLARE(const svc_question_row svc_question_disks)
SVC_DECLARE(const svc_question_row svc_question_databases)
SVC_PRIVATE bool svc_part_ask(svc_call *c);
SVC_PRIVATE bool svc_part_list(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_part_read(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_part_measure(svc_call *c);
SVC_PRIVATE bool svc_part_measured(svc_call *c, const svc_reply *reply);

/* ------------------------------------------------------------------------------------------------------ namespaces.c */

/* A collection that the service knows of: when it came and went, in milliseconds; until INT64_MAX: it is there. */
typedef struct svc_namespace {
  svc_str name; /* "database.collection" */
  const svc_sample *sample; /* NULL: it is none of the sample data's */
  int64_t since, until;
} svc_namespace;
typedef struct svc_namespaces {
  svc_namespace *at; /* by name */
  size_t count;
} svc_namespaces;
SVC_PRIVATE bool svc_namespaces_find(svc_call *c, const svc_entity *cluster, svc_namespaces *out); /* all, also of the past */
/* The collections of a cluster that the service knows of, "database.collection": an array of at most 100, sorted, each once. In
** the transaction of the request. False: failed. */
SVC_PRIVATE bool svc_namespace_known(svc_call *c, const svc_entity *cluster, svc_str name, bool *known); /* is this one of them? */
SVC_PRIVATE bool svc_namespaces_known(svc_call *c, const svc_entity *cluster, svc_node **array);

#endif /* SVC_PROCESS_PARTS_H */
