/*
** The alert configurations that a new project has from the start, unless it or its organization wants none.
**
** They are written as they are stored, without what checks and prepares a body that somebody sends: nobody sent them, a test
** sends each of them back, and making a project must not cost as much as making ten things. The event of the project speaks for
** them. From then on they are configurations as any other.
*/
#include "catalog/monitoring/alert_parts.h"

/* The type; of a metric its name, and above what. Each tells the owners of the project by mail, after so many minutes. */
static const struct alert_defaults_row {
  const char *type, *metric;
  int above, delay;
} alert_defaults_rows[] = {
  { "NO_PRIMARY", NULL, 0, 5 },
  { "HOST_DOWN", NULL, 0, 15 },
  { "CPS_SNAPSHOT_FAILED", NULL, 0, 0 },
  { "CPS_RESTORE_FAILED", NULL, 0, 0 },
  { "OUTSIDE_METRIC_THRESHOLD", "DISK_PARTITION_SPACE_USED_DATA", 90, 5 },
  { "OUTSIDE_METRIC_THRESHOLD", "CONNECTIONS_PERCENT", 80, 5 },
  { "OUTSIDE_METRIC_THRESHOLD", "NORMALIZED_SYSTEM_CPU_USER", 95, 15 },
  { "OUTSIDE_METRIC_THRESHOLD", "QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED", 1000, 10 },
};

/* Members in the order of their names, as all that is stored. */
static void alert_defaults_body(svc_call *c, const struct alert_defaults_row *row, svc_entity *e)
{
  svc_id notifier = svc_new_id(c->txn);
  svc_str group = svc_id_str(c->arena, &e->parent);
  svc_buf b = svc_buf_new(c->arena, 640);
  char now[21];
  svc_date_text(c->now, now);
  svc_buf_str(&b, svc_arena_print(c->arena, "{\"created\":\"%s\",\"enabled\":true,\"eventTypeName\":\"%s\",\"groupId\":\"%s\",\"id\":\"%s\",", now,
                                  row->type, group.p, e->key.p));
  e->links_at = b.n;
  svc_buf_text(&b, "\"matchers\":[],");
  if (row->metric)
    svc_buf_str(&b, svc_arena_print(c->arena, "\"metricThreshold\":{\"metricName\":\"%s\",\"mode\":\"AVERAGE\",\"operator\":\"GREATER_THAN\","
                                              "\"threshold\":%d,\"units\":\"RAW\"},", row->metric, row->above));
  svc_buf_str(&b, svc_arena_print(c->arena, "\"notifications\":[{\"delayMin\":%d,\"emailEnabled\":true,\"intervalMin\":60,\"notifierId\":\"%s\","
                                            "\"roles\":[\"GROUP_OWNER\"],\"smsEnabled\":false,\"typeName\":\"GROUP\"}],\"updated\":\"%s\"}",
                                  row->delay, svc_id_str(c->arena, &notifier).p, now));
  e->body = svc_buf_done(&b);
  e->unique = svc_arena_print(c->arena, "%s/true/%s/%s", group.p, row->type, e->key.p);
}

static bool alert_defaults_insert(svc_call *c, const svc_noun *noun, const svc_entity *project, const struct alert_defaults_row *row)
{
  svc_entity e;
  memset(&e, 0, sizeof e);
  e.kind = noun->kind;
  e.parent = project->id;
  e.scope = (svc_scope){ project->id, project->parent };
  e.id = svc_new_id_at(c->txn, c->now);
  e.key = svc_id_str(c->arena, &e.id);
  alert_defaults_body(c, row, &e);
  if (c->arena->failed) return svc_no_memory(c);
  e.revision = svc_new_revision(c->txn);
  return svc_entity_insert(c->txn, c->arena, &e) == SVC_OK || svc_store_failed(c, c->txn->error);
}

SVC_PRIVATE bool svc_alert_defaults(svc_call *c, const svc_entity *project)
{
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_CONFIG);
  svc_entity org;
  size_t i;
  if (!noun || svc_json_is(project->body, "withDefaultAlertsSettings", "false")) return true;
  if (!c->s->org || svc_get_noun(c->txn, c->s->org, &project->parent, &org) != SVC_OK) return svc_txn_good(c);
  if (svc_json_is(org.body, "skipDefaultAlertsSettings", "true")) return true;
  for (i = 0; i < sizeof alert_defaults_rows / sizeof alert_defaults_rows[0]; i++)
    if (!alert_defaults_insert(c, noun->noun, project, &alert_defaults_rows[i])) return false;
  return true;
}
