/*
** The backup schedule before 2024-08-05: its copies name a replication spec of the cluster instead of a zone.
**
** The rule: the first spec of a zone represents the zone, because clusters of those versions show one spec per zone.
** Requests may name any spec of the zone.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

/* The spec of the path's cluster whose member has this value; NULL: none. */
static const svc_node *backup_zones_spec(const svc_node *cluster, const char *member, svc_str value)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs"));
  while (spec && !svc_node_eq(spec, member, value)) spec = spec->next;
  return spec;
}

/* Replaces the member `from` of each element of these settings by the member `to`. */
static void backup_zones_rename(svc_call *c, const svc_node *cluster, svc_node *settings, const char *from, const char *to)
{
  const bool to_zone = strcmp(to, "zoneId") == 0;
  svc_node *one;
  size_t i = 0;
  for (one = svc_node_first(settings); one; one = one->next, i++) {
    const svc_node *named = svc_node_get(one, from), *spec;
    if (!named) continue;
    spec = backup_zones_spec(cluster, to_zone ? "id" : "zoneId", named->text);
    if (spec) svc_node_set_from(c->arena, one, to, spec, to_zone ? "zoneId" : "id");
    else if (to_zone)
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, SVC_FMT "[%zu].%s", SVC_ARG(settings->name), i, from),
                  "is not the id of a replication spec of the cluster");
    svc_node_drop(one, from);
  }
}

/* Converts both lists of a schedule. */
static bool backup_zones_both(svc_call *c, svc_node *body, const char *from, const char *to)
{
  svc_node *cluster = svc_entity_body(c, svc_path_entity(c, "cluster"));
  if (!cluster) return false;
  backup_zones_rename(c, cluster, svc_node_get(body, "copySettings"), from, to);
  backup_zones_rename(c, cluster, svc_node_get(body, "deleteCopiedBackups"), from, to);
  return !c->arena->failed;
}

SVC_PRIVATE bool svc_backup_zones_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  (void)before;
  return backup_zones_both(c, body, BACKUP_SPEC_ID, "zoneId");
}

SVC_PRIVATE bool svc_backup_zones_downgrade(svc_call *c, svc_node *shown)
{
  svc_node_drop(shown, "autoCopySettingsEnabled");
  return backup_zones_both(c, shown, "zoneId", BACKUP_SPEC_ID);
}
