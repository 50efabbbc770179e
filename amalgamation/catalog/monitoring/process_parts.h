/*
** Functions that the nouns of monitoring share: figures of processes over time (measure.c), and known collections
** (namespaces.c). Processes themselves are in catalog/cluster.
*/
#ifndef SVC_PROCESS_PARTS_H
#define SVC_PROCESS_PARTS_H

#include "catalog/catalog.h"
#include "catalog/cluster/sample_data.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/cluster/metric_list.h"

#define PINNED_NAMESPACES "pinned namespaces" /* name of the noun, for code that reads the pinned ones */

/* --------------------------------------------------------------------------------------------------------- measure.c */

enum svc_unit { SVC_UNIT_BYTES, SVC_UNIT_BYTES_PER_SECOND, SVC_UNIT_GIGABYTES, SVC_UNIT_GIGABYTES_PER_HOUR,
                SVC_UNIT_MEGABYTES_PER_SECOND, SVC_UNIT_MICROSECONDS, SVC_UNIT_MILLISECONDS, SVC_UNIT_PERCENT, SVC_UNIT_SCALAR,
                SVC_UNIT_SCALAR_PER_SECOND };
SVC_DECLARE(const char *const svc_units[]) /* names, in the order of the enum */

/* A list of metric_list.h, as tables of names and units. */
typedef struct svc_metrics {
  const char *const *names;
  const unsigned char *units;
  const char *param; /* query parameter that selects metrics */
  size_t count;
  const char *period; /* default period, "P1D"; NULL: the period is required */
  bool reported;      /* metrics that the driver leaves out come from its reports (cluster/reported.c) */
} svc_metrics;
#define SVC_METRIC_UNIT(name, unit) SVC_UNIT_##unit,
#define SVC_METRICS(list, stem, query) \
  SVC_PRIVATE const char *const stem##_names[] = { list(SVC_METRIC_NAME) NULL }; \
  static const unsigned char stem##_units[] = { list(SVC_METRIC_UNIT) }; \
  static const svc_metrics stem##_metrics = { stem##_names, stem##_units, query, sizeof stem##_units, NULL, false }

/* The requested range, in seconds: its query parameters, and their values. A range has at most SVC_SPAN_MOST figures per metric. */
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
SVC_PRIVATE bool svc_span_of(svc_call *c, const svc_metrics *metrics, svc_span *out); /* false: refused */

SVC_DECLARE(const svc_question_row svc_question_series)
SVC_DECLARE(const svc_object svc_measurement)   /* a metric with its figures */
/* Asks for the series of the requested metrics of a process. of: the part of the process, as members of a JSON object, or NULL. */
SVC_PRIVATE bool svc_measure_ask(svc_call *c, const svc_processes *at, const svc_process *p, const svc_metrics *metrics, const svc_node *of);
/* The series in the reply, as a member of an answer; NULL: refused, or failed. */
SVC_PRIVATE svc_node *svc_measure_read(svc_call *c, const svc_reply *reply, const svc_metrics *metrics, const char *name);
/* The common members of such an answer: groupId, granularity, start and end; NULL: out of memory. */
SVC_PRIVATE svc_node *svc_measure_answer(svc_call *c, const svc_metrics *metrics);
SVC_PRIVATE svc_node *svc_metrics_shown(svc_call *c, const svc_metrics *metrics, const char *name); /* all metrics of the list */

/* ----------------------------------------------------------------------------------------------------- process_part.c */

/* Run and reply functions of routes on a process and on the disks and databases in it: lists, single ones, and
** figures. */
SVC_DECLARE(const char *const svc_disk_metric_names[])
SVC_DECLARE(const char *const svc_database_metric_names[])
SVC_DECLARE(const svc_object svc_process_measurements)
SVC_PRIVATE const char *svc_process_metric_unit(svc_str name); /* of a process's metric; NULL: unknown metric */
SVC_DECLARE(const svc_question_row svc_question_disks)
SVC_DECLARE(const svc_question_row svc_question_databases)
SVC_PRIVATE bool svc_part_ask(svc_call *c);
SVC_PRIVATE bool svc_part_list(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_part_read(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_part_measure(svc_call *c);
SVC_PRIVATE bool svc_part_measured(svc_call *c, const svc_reply *reply);

/* ------------------------------------------------------------------------------------------------------ namespaces.c */

/* A collection that the service knows, with its creation and deletion in milliseconds; until INT64_MAX: it exists. */
typedef struct svc_namespace {
  svc_str name; /* "database.collection" */
  const svc_sample *sample; /* NULL: not part of the sample data */
  int64_t since, until;
} svc_namespace;
typedef struct svc_namespaces {
  svc_namespace *at; /* by name */
  size_t count;
} svc_namespaces;
SVC_PRIVATE bool svc_namespaces_find(svc_call *c, const svc_entity *cluster, svc_namespaces *out); /* all, including past ones */
/* The collections of a cluster that the service knows, "database.collection": an array of at most 100, sorted, without
** duplicates. Called inside the request's transaction. False: failed. */
SVC_PRIVATE bool svc_namespace_known(svc_call *c, const svc_entity *cluster, svc_str name, bool *known); /* whether `name` is one of them */
SVC_PRIVATE bool svc_namespaces_known(svc_call *c, const svc_entity *cluster, svc_node **array);

#endif /* SVC_PROCESS_PARTS_H */
