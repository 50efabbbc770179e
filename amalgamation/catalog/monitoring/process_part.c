/*
** Measurements of a process, and of the disks and databases in it. A row of a table holds all differences between the
** three.
**
** The question "list" asks the driver which disks and databases exist, and contains those that the service knows. The
** simulation has exactly these. Measurements of a missing disk or database answer 404.
*/
#include "catalog/monitoring/process_parts.h"

static const unsigned char process_part_units[] = { SVC_METRICS_PROCESS(SVC_METRIC_UNIT) };
static const svc_metrics svc_process_metric_metrics = { svc_process_metric_names, process_part_units, "m", sizeof process_part_units, NULL, true };
SVC_METRICS(SVC_METRICS_DISK, svc_disk_metric, "m");
SVC_METRICS(SVC_METRICS_DATABASE, svc_database_metric, "m");

#define PROCESS_PART_MOST 1000 /* limit of disks or databases in a list */

static const svc_field process_part_fields[] = {
  F_STR("databaseName", .flags = SVC_READ_ONLY),
  F_DATE("end", .flags = SVC_READ_ONLY),
  F_ENUM("granularity", svc_granularities, .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("hostId", .flags = SVC_READ_ONLY),
  F_LIST("measurements", &svc_measurement, .flags = SVC_READ_ONLY),
  F_STR("partitionName", .flags = SVC_READ_ONLY),
  F_STR("processId", .flags = SVC_READ_ONLY),
  F_DATE("start", .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_process_measurements = { .name = "Measurements", .fields = SVC_ROWS(process_part_fields) };

/* Adds a name, unless the list has it. */
static bool process_part_add(svc_call *c, svc_node *list, svc_str name)
{
  return svc_node_has_str(list, name) || svc_node_add_str(c->arena, list, name) || svc_no_memory(c);
}

static bool process_part_disks(svc_call *c, const svc_processes *of, svc_node *list)
{
  (void)of;
  return process_part_add(c, list, SVC_S("data"));
}

/* Adds the databases that always exist, then those of known namespaces. */
static bool process_part_databases(svc_call *c, const svc_processes *of, svc_node *list)
{
  static const char *const own[] = { "admin", "config", "local" };
  svc_node *known;
  const svc_node *one;
  size_t i;
  for (i = 0; i < sizeof own / sizeof own[0]; i++)
    if (!process_part_add(c, list, svc_str_c(own[i]))) return false;
  if (!svc_namespaces_known(c, &of->cluster, &known)) return false;
  for (one = known->first; one; one = one->next) {
    svc_str rest = one->text;
    if (!process_part_add(c, list, svc_str_cut(&rest, '.'))) return false;
  }
  return true;
}

static const char *const process_part_of_disks[] = { "disks", NULL };
static const char *const process_part_of_databases[] = { "databases", NULL };
#define PROCESS_PART_ASKED(values) { F_STR("host", .flags = SVC_REQUIRED), F_STRS("known", .flags = SVC_REQUIRED), F_ENUM("list", values, .flags = SVC_REQUIRED) }
static const svc_field process_part_disk_fields[] = PROCESS_PART_ASKED(process_part_of_disks);
static const svc_object process_part_disk_asked = { .name = "AskedDisks", .fields = SVC_ROWS(process_part_disk_fields) };
static const svc_field process_part_database_fields[] = PROCESS_PART_ASKED(process_part_of_databases);
static const svc_object process_part_database_asked = { .name = "AskedDatabases", .fields = SVC_ROWS(process_part_database_fields) };

SVC_PRIVATE const svc_question_row svc_question_disks = {
  "list", "cluster", "The names of the disk partitions of `host`. `known`: those that the service knows.", &process_part_disk_asked, NULL,
  SVC_REPLY_NAMES
};
SVC_PRIVATE const svc_question_row svc_question_databases = {
  "list", "cluster", "The names of the databases on `host`. `known`: those that the service knows.", &process_part_database_asked, NULL,
  SVC_REPLY_NAMES
};

typedef struct process_part {
  const char *param; /* path parameter with its name; NULL: the process itself */
  const char *asked; /* its member in a question */
  const char *const *list; /* value of "list" in a question */
  const svc_question_row *question; /* the question which of them exist */
  const svc_metrics *metrics;
  bool (*known)(svc_call *c, const svc_processes *of, svc_node *list);
  const char *setting; /* project setting that must be true; NULL: none */
} process_part;

static const process_part process_part_rows[] = {
  { "partitionName", "partition", process_part_of_disks, &svc_question_disks, &svc_disk_metric_metrics, process_part_disks, NULL },
  { "databaseName", "database", process_part_of_databases, &svc_question_databases, &svc_database_metric_metrics, process_part_databases,
    "isCollectDatabaseSpecificsStatisticsEnabled" },
  { NULL, NULL, NULL, NULL, &svc_process_metric_metrics, NULL, NULL }
};

static const process_part *process_part_of(const svc_call *c)
{
  const process_part *row = process_part_rows;
  while (row->param && strcmp(row->param, c->plan->noun->noun->param) != 0) row++;
  return row;
}

static svc_node *process_part_known(svc_call *c, const process_part *part, const svc_processes *of)
{
  svc_node *list = svc_node_array(c->arena, "known");
  if (!list) (void)svc_no_memory(c);
  return list && part->known(c, of, list) ? list : NULL;
}

static bool process_part_missing(svc_call *c)
{
  return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

/* ------------------------------------------------------------------------------------------------------------ which */

SVC_PRIVATE bool svc_part_ask(svc_call *c)
{
  const process_part *part = process_part_of(c);
  svc_node *ask = svc_node_object(c->arena, NULL), *known;
  svc_processes of;
  svc_process p;
  svc_buf b;
  if (!ask) return svc_no_memory(c);
  if (!svc_process_of_path(c, &of, &p)) return false;
  known = process_part_known(c, part, &of);
  if (!known) return false;
  svc_node_set_str(c->arena, ask, "host", p.id);
  svc_node_put(c->arena, ask, known);
  svc_node_set_text(c->arena, ask, "list", part->list[0]);
  b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, ask);
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, part->question, &of.cluster, of.cluster.unique, svc_buf_done(&b));
}

static const svc_node *process_part_names(svc_call *c, const svc_reply *reply)
{
  const svc_question_row *row = process_part_of(c)->question;
  const svc_node *said = svc_driver_reply(c, row, reply);
  return said && svc_node_count(said) > PROCESS_PART_MOST ? svc_driver_reply_refused(c, row, "there are too many") : said;
}

static svc_node *process_part_node(svc_call *c, const process_part *part, svc_str name)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (body) svc_node_set_str(c->arena, body, part->param, name);
  return body;
}

static bool process_part_next(svc_call *c, void *state, svc_item *out)
{
  const svc_node **at = state, *one = *at;
  svc_buf key = svc_buf_new(c->arena, 32);
  svc_node *body;
  if (!one) return false;
  *at = one->next;
  if (!out) return true;
  body = process_part_node(c, process_part_of(c), one->text);
  svc_percent_encode(&key, one->text);
  if (!body || key.failed) return svc_no_memory(c);
  svc_item_node(c, out, svc_buf_done(&key), body);
  return true;
}

SVC_PRIVATE bool svc_part_list(svc_call *c, const svc_reply *reply)
{
  const svc_node *names = process_part_names(c, reply), *first = svc_node_first(names);
  return names && svc_list_items(c, process_part_next, &first, (int64_t)svc_node_count(names));
}

SVC_PRIVATE bool svc_part_read(svc_call *c, const svc_reply *reply)
{
  const process_part *part = process_part_of(c);
  const svc_node *names = process_part_names(c, reply);
  svc_str wanted = svc_path_param(c, part->param);
  svc_node *body;
  if (!names) return false;
  if (!svc_node_has_str(names, wanted)) return process_part_missing(c);
  body = process_part_node(c, part, wanted);
  return body ? svc_answer_node(c, body) : svc_no_memory(c);
}

/* --------------------------------------------------------------------------------------------------------- measured */

/* With a driver the existence is not checked here: the driver's reply says if the disk or database is missing. */
SVC_PRIVATE bool svc_part_measure(svc_call *c)
{
  const process_part *part = process_part_of(c);
  svc_node *of = svc_node_object(c->arena, NULL), *known;
  svc_processes at;
  svc_process p;
  if (!of) return svc_no_memory(c);
  if (!svc_process_of_path(c, &at, &p) || (part->setting && !svc_project_allows(c, part->setting))) return false;
  if (part->param) {
    svc_str wanted = svc_path_param(c, part->param);
    svc_node_set_str(c->arena, of, part->asked, wanted);
    known = process_part_known(c, part, &at);
    if (!known) return false;
    if (!svc_node_has_str(known, wanted) && !svc_cluster_driven(&at.cluster)) return process_part_missing(c);
  }
  return svc_measure_ask(c, &at, &p, part->metrics, of);
}

SVC_PRIVATE bool svc_part_measured(svc_call *c, const svc_reply *reply)
{
  const process_part *part = process_part_of(c);
  svc_node *body = svc_measure_answer(c, part->metrics);
  svc_node *list = body ? svc_measure_read(c, reply, part->metrics, "measurements") : NULL;
  svc_str id = svc_path_param(c, "processId");
  if (!list) return svc_failed(c);
  svc_node_set_str(c->arena, body, "hostId", id);
  svc_node_put(c->arena, body, list);
  if (part->param) svc_node_set_str(c->arena, body, part->param, svc_path_param(c, part->param));
  svc_node_set_str(c->arena, body, "processId", id);
  return svc_answer_node(c, body);
}

SVC_PRIVATE const char *svc_process_metric_unit(svc_str name)
{
  size_t i;
  for (i = 0; i < svc_process_metric_metrics.count; i++)
    if (svc_str_is(name, svc_process_metric_metrics.names[i])) return svc_units[svc_process_metric_metrics.units[i]];
  return NULL;
}
