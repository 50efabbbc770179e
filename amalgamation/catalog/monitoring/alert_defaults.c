/*
** Default alert configurations: the configurations of a new project, unless the project or its organization opts out.
**
** Creating a project stores none of them. The project carries a mark in its own record, and while it does, its
** configurations are served from the table below. The first request that adds, changes or deletes a configuration of the
** project stores all of them as entities and removes the mark, in its own transaction. So the configurations of a project
** are either all in the table or all stored. A project without a mark has the configurations that are stored below it:
** the project opted out, or an older version stored them.
**
** Storing the configurations changes no answer:
** - The id of a configuration is the project's id plus 1 for the first row, plus 2 for the second; the ids of its notifications
**   follow. svc_alert_defaults() keeps these ids free, so every configuration that is added later has a greater id.
** - The date of creation is the project's.
** - The revision, and with it the ETag, is computed from the body, and is stored as it was served.
**
** The rows are part of the format of stores, because a mark stands for them: another set of defaults needs another mark.
*/
#include "catalog/monitoring/alert_parts.h"

#define DEFAULTS_MARK "1" /* svc_entity.extra of a project while its configurations are these rows */

/* The type, the name of its metric if it has one, and the threshold. Each configuration notifies the owners of the project by
** mail, after a delay in minutes. */
static const struct alert_defaults_row {
  const char *type, *metric;
  int above, delay;
} alert_defaults_rows[SVC_ALERT_DEFAULTS] = {
  { "NO_PRIMARY", NULL, 0, 5 },
  { "HOST_DOWN", NULL, 0, 15 },
  { "CPS_SNAPSHOT_FAILED", NULL, 0, 0 },
  { "CPS_RESTORE_FAILED", NULL, 0, 0 },
  { "OUTSIDE_METRIC_THRESHOLD", "DISK_PARTITION_SPACE_USED_DATA", 90, 5 },
  { "OUTSIDE_METRIC_THRESHOLD", "CONNECTIONS_PERCENT", 80, 5 },
  { "OUTSIDE_METRIC_THRESHOLD", "NORMALIZED_SYSTEM_CPU_USER", 95, 15 },
  { "OUTSIDE_METRIC_THRESHOLD", "QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED", 1000, 10 },
};

/* ------------------------------------------------------------------------------------------------------------------ mark */

SVC_PRIVATE bool svc_alert_defaults(svc_call *c, svc_change *change, const svc_entity *org)
{
  if (!svc_noun_named(c->s, SVC_ALERT_CONFIG) || !svc_node_bool(change->body, "withDefaultAlertsSettings", true)) return true;
  if (svc_json_is(org->body, "skipDefaultAlertsSettings", "true")) return true;
  change->extra = SVC_S(DEFAULTS_MARK);
  svc_hold_ids(c->txn, 2 * SVC_ALERT_DEFAULTS);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_alert_defaults_in_table(const svc_entity *project)
{
  return svc_str_is(project->extra, DEFAULTS_MARK);
}

/* Reads the project, if its configurations are in the table. False: the configurations are stored, or the store failed. */
static bool alert_defaults_project(svc_call *c, const svc_id *group, svc_entity *out)
{
  return c->s->group && svc_get_noun(c->txn, c->s->group, group, out) == SVC_OK && svc_alert_defaults_in_table(out);
}

/* --------------------------------------------------------------------------------------------------------------- reading */

static void alert_defaults_threshold(svc_buf *b, const struct alert_defaults_row *row)
{
  svc_buf_text(b, "\"metricThreshold\":{\"metricName\":\"");
  svc_buf_text(b, row->metric);
  svc_buf_text(b, "\",\"mode\":\"AVERAGE\",\"operator\":\"GREATER_THAN\",\"threshold\":");
  svc_buf_i64(b, row->above);
  svc_buf_text(b, ",\"units\":\"RAW\"},");
}

static void alert_defaults_notification(svc_buf *b, const struct alert_defaults_row *row, const svc_id *notifier)
{
  char id[25] = "";
  svc_id_hex(notifier, id);
  svc_buf_text(b, "\"notifications\":[{\"delayMin\":");
  svc_buf_i64(b, row->delay);
  svc_buf_text(b, ",\"emailEnabled\":true,\"intervalMin\":60,\"notifierId\":\"");
  svc_buf_text(b, id);
  svc_buf_text(b, "\",\"roles\":[\"GROUP_OWNER\"],\"smsEnabled\":false,\"typeName\":\"GROUP\"}],");
}

/* The members are in the order of their names, like in every stored body. */
static void alert_defaults_body(svc_call *c, const svc_entity *project, size_t number, svc_entity *e)
{
  const struct alert_defaults_row *row = &alert_defaults_rows[number];
  const svc_id notifier = svc_id_after(&e->id, SVC_ALERT_DEFAULTS);
  svc_str created = svc_json_word(project->body, "created");
  svc_buf b = svc_buf_new(c->arena, 640);
  svc_buf_text(&b, "{\"created\":\"");
  svc_buf_str(&b, created);
  svc_buf_text(&b, "\",\"enabled\":true,\"eventTypeName\":\"");
  svc_buf_text(&b, row->type);
  svc_buf_text(&b, "\",\"groupId\":\"");
  svc_buf_str(&b, project->key);
  svc_buf_text(&b, "\",\"id\":\"");
  svc_buf_str(&b, e->key);
  svc_buf_text(&b, "\",");
  e->links_at = b.n;
  svc_buf_text(&b, "\"matchers\":[],");
  if (row->metric) alert_defaults_threshold(&b, row);
  alert_defaults_notification(&b, row, &notifier);
  svc_buf_text(&b, "\"updated\":\"");
  svc_buf_str(&b, created);
  svc_buf_text(&b, "\"}");
  e->body = svc_buf_done(&b);
}

/* Makes a configuration with everything that a list shows. False: out of memory. */
static bool alert_defaults_make(svc_call *c, const svc_entity *project, size_t row, svc_entity *out)
{
  memset(out, 0, sizeof *out);
  out->kind = SVC_ALERT_CONFIG_KIND;
  out->parent = project->id;
  out->scope = (svc_scope){ project->id, project->parent };
  out->id = svc_id_after(&project->id, 1 + row);
  out->key = svc_id_str(c->arena, &out->id);
  alert_defaults_body(c, project, row, out);
  return !c->arena->failed || svc_no_memory(c);
}

/* The same, with its unique value (for the index of event types) and its revision. */
static bool alert_defaults_get(svc_call *c, const svc_entity *project, size_t row, svc_entity *out)
{
  if (!alert_defaults_make(c, project, row, out)) return false;
  out->unique = svc_arena_print(c->arena, SVC_FMT "/true/%s/" SVC_FMT, SVC_ARG(project->key), alert_defaults_rows[row].type, SVC_ARG(out->key));
  out->revision = svc_body_revision(out->body);
  return !c->arena->failed || svc_no_memory(c);
}

/* The row of an id; SVC_ALERT_DEFAULTS: none. */
static size_t alert_defaults_row_of(const svc_id *group, const svc_id *id)
{
  size_t row = 0;
  svc_id at = svc_id_after(group, 1);
  for (; row < SVC_ALERT_DEFAULTS && !svc_id_eq(&at, id); row++) at = svc_id_after(&at, 1);
  return row;
}

SVC_PRIVATE int svc_alert_default_get(svc_call *c, const svc_entity *project, svc_str key, svc_entity *out)
{
  svc_id id;
  size_t row = svc_id_parse(key, &id) ? alert_defaults_row_of(&project->id, &id) : SVC_ALERT_DEFAULTS;
  if (row == SVC_ALERT_DEFAULTS || !svc_alert_defaults_in_table(project)) return SVC_NOT_FOUND;
  return alert_defaults_get(c, project, row, out) ? SVC_OK : SVC_NOMEM;
}

SVC_PRIVATE int svc_alert_config_get(svc_call *c, const svc_id *group, svc_str key, svc_entity *out)
{
  svc_entity project;
  svc_id id;
  if (!svc_id_parse(key, &id)) return SVC_NOT_FOUND;
  if (alert_defaults_row_of(group, &id) < SVC_ALERT_DEFAULTS && alert_defaults_project(c, group, &project))
    return svc_alert_default_get(c, &project, key, out);
  return svc_entity_get(c->txn, SVC_ALERT_CONFIG_KIND, group, &id, out);
}

typedef struct alert_defaults_source {
  const svc_entity *project;
  size_t row, end;
} alert_defaults_source;

static bool alert_defaults_item(svc_call *c, void *state, svc_item *out)
{
  alert_defaults_source *from = state;
  svc_entity e;
  if (from->row == from->end) return false;
  if (out && !alert_defaults_make(c, from->project, from->row, &e)) return false;
  from->row++;
  if (out) *out = (svc_item){ e.key, e.body, e.links_at };
  return true;
}

SVC_PRIVATE bool svc_alert_defaults_list(svc_call *c, const svc_entity *project, const svc_id *only)
{
  alert_defaults_source from = { project, 0, SVC_ALERT_DEFAULTS };
  if (only) from.row = alert_defaults_row_of(&project->id, only);
  if (only && from.row < SVC_ALERT_DEFAULTS) from.end = from.row + 1;
  return svc_list_items(c, alert_defaults_item, &from, (int64_t)(from.end - from.row));
}

/* -------------------------------------------------------------------------------------------------------------- watching */

/* The first row from `row` on that watches the type; SVC_ALERT_DEFAULTS: none. */
static size_t alert_defaults_of_type(svc_str type, size_t row)
{
  while (row < SVC_ALERT_DEFAULTS && !svc_str_is(type, alert_defaults_rows[row].type)) row++;
  return row;
}

/* Reads the project only if the type is in the table, because most events have other types. */
SVC_PRIVATE bool svc_alert_defaults_watch(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w)
{
  size_t behind;
  w->row = alert_defaults_of_type(type, 0);
  if (w->row == SVC_ALERT_DEFAULTS || !alert_defaults_project(c, group, &w->project)) return false;
  behind = alert_defaults_row_of(group, after);
  if (behind < SVC_ALERT_DEFAULTS) w->row = alert_defaults_of_type(type, behind + 1);
  w->type = type;
  return true;
}

SVC_PRIVATE bool svc_alert_defaults_next(svc_call *c, svc_alert_watch *w, svc_entity *out)
{
  if (w->row == SVC_ALERT_DEFAULTS) return false;
  if (!alert_defaults_get(c, &w->project, w->row, out)) return svc_note(c->txn, SVC_NOMEM), false;
  w->row = alert_defaults_of_type(w->type, w->row + 1);
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- writing */

static bool alert_defaults_insert(svc_call *c, const svc_entity *project, size_t row)
{
  svc_entity e;
  if (!alert_defaults_get(c, project, row, &e)) return false;
  return svc_entity_store(c, &e, NULL);
}

SVC_PRIVATE bool svc_alert_defaults_write(svc_call *c, const svc_id *group)
{
  svc_entity project;
  size_t row;
  if (!alert_defaults_project(c, group, &project)) return svc_txn_good(c);
  for (row = 0; row < SVC_ALERT_DEFAULTS; row++)
    if (!alert_defaults_insert(c, &project, row)) return false;
  project.extra = SVC_S("");
  return svc_status_good(c, svc_record_put(c->txn, c->arena, &project));
}
