/*
** The expected state of a world: a table of kinds, the existing resources of each, and the statuses that follow.
*/
#define _GNU_SOURCE /* http_text.h */
#include "soak.h"

#include <stdio.h>
#include <string.h>

#define MODEL_HOUR 3600
#define MODEL_DAY (24 * MODEL_HOUR)
#define MODEL_CLUSTER \
  "{\"name\":\"c$N\",\"backupEnabled\":true,\"clusterType\":\"REPLICASET\",\"tags\":[{\"key\":\"v\",\"value\":\"$V\"}],\"replicationSpecs\":[{" \
  "\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\"," \
  "\"nodeCount\":3}}]}]}"
#define MODEL_TAG "{\"tags\":[{\"key\":\"v\",\"value\":\"$V\"}]}"
#define MODEL_BACKUPS "/groups/$G/clusters/c$N/backup/snapshots"

const soak_row soak_rows[SOAK_KINDS] = {
  [SOAK_PROJECT] = { .name = "project", .list = "/orgs/$O/groups", .make = "/groups", .member = "/groups/$K",
                     .create = "{\"name\":\"p$N\",\"orgId\":\"$O\",\"tags\":[{\"key\":\"v\",\"value\":\"$V\"}]}", .change = MODEL_TAG,
                     .shown = "\"value\":\"$V\"", .listed = "\"name\":\"p$N\"", .key = "id", .made = 201, .gone = 202, .slots = SOAK_PROJECTS,
                     .unique = true, .event = { "GROUP_CREATED", "GROUP_TAGS_MODIFIED" } },
  [SOAK_TEAM] = { .name = "team", .list = "/orgs/$O/teams", .make = "/orgs/$O/teams", .member = "/orgs/$O/teams/$K",
                  .create = "{\"name\":\"t$N\",\"usernames\":[\"$U\"]}", .shown = "\"name\":\"t$N\"", .listed = "\"name\":\"t$N\"", .key = "id",
                  .made = 201, .gone = 204, .slots = 6, .unique = true, .event = { "TEAM_CREATED", NULL, "TEAM_DELETED" } },
  [SOAK_KEY] = { .name = "API key", .list = "/orgs/$O/apiKeys", .make = "/orgs/$O/apiKeys", .member = "/orgs/$O/apiKeys/$K",
                 .create = "{\"desc\":\"$V\",\"roles\":[\"ORG_READ_ONLY\"]}", .change = "{\"desc\":\"$V\"}", .shown = "\"desc\":\"$V\"",
                 .listed = "\"id\":\"$K\"", .key = "id", .made = 201, .gone = 204, .slots = 8,
                 .event = { "API_KEY_CREATED", "API_KEY_DESCRIPTION_CHANGED", "API_KEY_DELETED" } },
  [SOAK_ACCOUNT] = { .name = "service account", .list = "/orgs/$O/serviceAccounts", .make = "/orgs/$O/serviceAccounts",
                     .member = "/orgs/$O/serviceAccounts/$K",
                     .create = "{\"name\":\"a$N\",\"description\":\"$V\",\"roles\":[\"ORG_READ_ONLY\"],\"secretExpiresAfterHours\":8760}",
                     .change = "{\"description\":\"$V\"}", .shown = "\"description\":\"$V\"", .listed = "\"clientId\":\"$K\"", .key = "clientId",
                     .made = 201, .gone = 204, .slots = 6, .event = { NULL, "SERVICE_ACCOUNT_DETAILS_CHANGED" } },
  [SOAK_USER] = { .name = "database user", .list = "/groups/$G/databaseUsers", .make = "/groups/$G/databaseUsers",
                  .member = "/groups/$G/databaseUsers/$K",
                  .create = "{\"databaseName\":\"admin\",\"username\":\"u$N\",\"password\":\"not-a-secret-1\",\"description\":\"$V\",\"roles\":[{"
                            "\"roleName\":\"read\",\"databaseName\":\"a\"}]}",
                  .change = "{\"description\":\"$V\"}", .shown = "\"description\":\"$V\"", .listed = "\"username\":\"u$N\"", .named = "admin/u$N",
                  .made = 201, .gone = 204, .slots = 12, .unique = true, .event = { "DB_USER_ADDED", "DB_USER_UPDATED", "DB_USER_DELETED" } },
  [SOAK_ROLE] = { .name = "custom role", .list = "/groups/$G/customDBRoles/roles", .make = "/groups/$G/customDBRoles/roles",
                  .member = "/groups/$G/customDBRoles/roles/$K",
                  .create = "{\"roleName\":\"r$N\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"$V\"}]}]}",
                  .change = "{\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"$V\"}]}]}",
                  .shown = "\"collection\":\"$V\"", .listed = "\"roleName\":\"r$N\"", .named = "r$N", .made = 202, .gone = 204, .slots = 8,
                  .unique = true, .bare = true, .event = { "DB_ROLE_ADDED", "DB_ROLE_UPDATED", "DB_ROLE_DELETED" } },
  [SOAK_ENTRY] = { .name = "access list entry", .list = "/groups/$G/accessList", .make = "/groups/$G/accessList",
                   .member = "/groups/$G/accessList/$K", .create = "[{\"ipAddress\":\"192.0.2.$N\",\"comment\":\"$V\"}]",
                   .shown = "\"comment\":\"$V\"", .listed = "\"ipAddress\":\"192.0.2.$N\"", .named = "192.0.2.$N", .made = 201, .gone = 204,
                   .slots = 12, .upsert = true,
                   .event = { "NETWORK_PERMISSION_ENTRY_ADDED", "NETWORK_PERMISSION_ENTRY_UPDATED", "NETWORK_PERMISSION_ENTRY_REMOVED" } },
  [SOAK_WATCH] = { .name = "alert configuration", .list = "/groups/$G/alertConfigs", .make = "/groups/$G/alertConfigs",
                   .member = "/groups/$G/alertConfigs/$K",
                   .create = "{\"enabled\":$B,\"eventTypeName\":\"JOINED_GROUP\",\"notifications\":[{\"typeName\":\"GROUP\",\"emailEnabled\":true,"
                             "\"delayMin\":0}]}",
                   .change = "{\"enabled\":$B}", .shown = "\"enabled\":$B", .listed = "\"id\":\"$K\"", .key = "id", .made = 201, .gone = 204,
                   .slots = 6, .others = 8, .event = { "ALERT_CONFIG_ADDED_AUDIT", NULL, "ALERT_CONFIG_DELETED_AUDIT" } },
  [SOAK_CLUSTER] = { .name = "cluster", .list = "/groups/$G/clusters", .make = "/groups/$G/clusters", .member = "/groups/$G/clusters/$K",
                     .create = MODEL_CLUSTER, .change = MODEL_TAG, .shown = "\"value\":\"$V\"", .listed = "\"name\":\"c$N\"", .named = "c$N",
                     .made = 201, .gone = 202, .slots = 3, .unique = true,
                     .event = { "CLUSTER_CREATED", "CLUSTER_TAGS_MODIFIED", "CLUSTER_DELETE_SUBMITTED", "CLUSTER_READY" } },
  [SOAK_SNAPSHOT] = { .name = "snapshot", .list = MODEL_BACKUPS, .make = MODEL_BACKUPS, .member = MODEL_BACKUPS "/$K",
                      .create = "{\"description\":\"$V\",\"retentionInDays\":2}", .shown = "\"description\":\"$V\"", .key = "id", .made = 202,
                      .gone = 204, .slots = 3, .uncounted = true, .event = { "CPS_ON_DEMAND_SNAPSHOT_REQUESTED" } },
};

/* --------------------------------------------------------------------------------------------------------- existing resources */

bool model_is_of_project(int kind)
{
  return kind >= SOAK_USER;
}

soak_thing *model_thing(soak_world *w, int kind, unsigned project, unsigned slot)
{
  if (kind == SOAK_PROJECT) return &w->things[kind][slot][0];
  return &w->things[kind][model_is_of_project(kind) ? project : 0][slot];
}

static const soak_thing *model_look(const soak_world *w, int kind, unsigned project, unsigned slot)
{
  return model_thing((soak_world *)(uintptr_t)w, kind, project, slot);
}

void model_fill(const soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *pattern, char *out, size_t size)
{
  char number[16];
  size_t n = 0;
  for (; *pattern; pattern++) {
    const char *text = number;
    snprintf(number, sizeof number, "%c", *pattern);
    if (*pattern == '$') {
      switch (*++pattern) {
      case 'O': text = w->org; break;
      case 'G': text = w->things[SOAK_PROJECT][project][0].key; break;
      case 'K': text = model_look(w, kind, project, slot)->key; break;
      case 'U': text = w->person; break;
      case 'B': text = value % 2 ? "true" : "false"; break;
      case 'N': snprintf(number, sizeof number, "%u", slot); break;
      default: snprintf(number, sizeof number, "%u", value); break;
      }
    }
    n += (size_t)snprintf(out + n, size - n, "%s", text);
    if (n >= size) soak_die("no room for a text");
  }
}

unsigned model_live(const soak_world *w, int kind, unsigned project)
{
  unsigned i, n = 0;
  for (i = 0; i < soak_rows[kind].slots; i++) n += model_look(w, kind, project, i)->there;
  return n;
}

unsigned model_all(const soak_world *w)
{
  unsigned n = 0, kind, project;
  for (kind = 0; kind < SOAK_KINDS; kind++)
    for (project = 0; project < (model_is_of_project((int)kind) ? SOAK_PROJECTS : 1); project++) n += model_live(w, (int)kind, project);
  return n;
}

/* ------------------------------------------------------------------------------------------------------------- statuses */

int model_refuses(const soak_world *w, int who, int kind, unsigned project, bool writes, bool makes)
{
  bool in_body = kind == SOAK_PROJECT && makes; /* the path does not name the organization */
  bool of_project = model_is_of_project(kind) || (kind == SOAK_PROJECT && !makes);
  if (who == SOAK_NOBODY || !w->who[who].good || w->now >= w->who[who].expires) return 401;
  if (of_project && !w->things[SOAK_PROJECT][project][0].there) return 404;
  if (who == SOAK_STRANGER) return in_body ? 404 : 401;
  if (who == SOAK_GROUP_OWNER) return !of_project ? 403 : project != 0 ? 401 : 0;
  return who == SOAK_READER && writes ? 403 : 0;
}

int model_create(const soak_world *w, int kind, unsigned project, unsigned slot)
{
  const soak_row *row = &soak_rows[kind];
  const soak_thing *t = model_look(w, kind, project, slot);
  if (kind == SOAK_USER && model_live(w, kind, project) >= w->limit[project]) return 403;
  if (row->unique && t->there) return 409;
  if (kind == SOAK_SNAPSHOT && !model_look(w, SOAK_CLUSTER, project, slot)->there) return 404;
  if (kind == SOAK_SNAPSHOT && model_look(w, SOAK_CLUSTER, project, slot)->paused) return 409;
  if (kind == SOAK_SNAPSHOT && t->there && strcmp(t->state, "completed") != 0) return 400;
  return row->made;
}

int model_delete(const soak_world *w, int kind, unsigned project, unsigned slot)
{
  const soak_thing *t = model_look(w, kind, project, slot);
  if (!t->there) return 404;
  if (kind == SOAK_CLUSTER && strcmp(t->state, "DELETING") == 0) return 400;
  if (kind == SOAK_SNAPSHOT && strcmp(t->state, "completed") != 0) return 400;
  if (kind == SOAK_PROJECT && model_live(w, SOAK_CLUSTER, slot)) return 409;
  return soak_rows[kind].gone;
}

int model_pause(const soak_world *w, unsigned project, unsigned slot, bool pause)
{
  const soak_thing *t = model_look(w, SOAK_CLUSTER, project, slot);
  if (!t->there) return 404;
  if (strcmp(t->state, "DELETING") == 0) return 400;
  if (!pause) return 200;
  if (t->paused) return 409;
  if (strcmp(t->state, "IDLE") != 0) return 409;
  return t->resumed && w->now - t->resumed < MODEL_HOUR ? 400 : 200;
}

/* -------------------------------------------------------------------------------------------------------------- changes */

static void model_count(soak_world *w, int kind, unsigned project, unsigned slot, int event)
{
  w->written++;
  if (kind == SOAK_PROJECT) w->events[kind][slot][event]++;
  else w->events[kind][model_is_of_project(kind) ? project : 0][event]++;
}

static void model_begin_project(soak_world *w, unsigned project)
{
  int kind;
  w->limit[project] = 100;
  for (kind = 0; kind < SOAK_KINDS; kind++)
    if (kind == SOAK_PROJECT || model_is_of_project(kind)) memset(w->events[kind][project], 0, sizeof w->events[kind][project]);
}

void model_created(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *key)
{
  soak_thing *t = model_thing(w, kind, project, slot);
  bool was = t->there;
  char named[sizeof t->key] = "";
  if (soak_rows[kind].named) model_fill(w, kind, project, slot, value, soak_rows[kind].named, named, sizeof named);
  memset(t, 0, sizeof *t);
  t->there = true;
  t->value = value;
  snprintf(t->key, sizeof t->key, "%s", *named ? named : key);
  if (kind == SOAK_PROJECT) model_begin_project(w, slot);
  if (kind == SOAK_CLUSTER) {
    t->state = "CREATING";
    t->due = w->now + SOAK_PROVISION;
  }
  if (kind == SOAK_SNAPSHOT) {
    t->state = "queued";
    t->due = w->now + SOAK_PROVISION * 5 / 100;
    t->expires = w->now + 2 * MODEL_DAY;
  }
  model_count(w, kind, project, slot, soak_rows[kind].upsert && was ? SOAK_CHANGED : SOAK_ADDED);
}

void model_changed(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value)
{
  soak_thing *t = model_thing(w, kind, project, slot);
  t->value = value;
  if (kind == SOAK_CLUSTER && strcmp(t->state, "CREATING") != 0) { /* tags are a change of their own, except during the creation */
    t->state = "UPDATING";
    t->due = w->now + SOAK_PROVISION / 2;
  }
  model_count(w, kind, project, slot, SOAK_CHANGED);
}

void model_deleted(soak_world *w, int kind, unsigned project, unsigned slot)
{
  soak_thing *t = model_thing(w, kind, project, slot);
  unsigned below, i;
  model_count(w, kind, project, slot, SOAK_REMOVED);
  if (kind == SOAK_CLUSTER) {
    t->state = "DELETING";
    t->due = w->now + SOAK_PROVISION / 4;
    t->resumes = 0;
    return;
  }
  t->there = false;
  for (below = SOAK_USER; kind == SOAK_PROJECT && below < SOAK_KINDS; below++)
    for (i = 0; i < SOAK_SLOTS; i++) w->things[below][slot][i].there = false;
}

void model_paused(soak_world *w, unsigned project, unsigned slot, bool pause)
{
  soak_thing *t = model_thing(w, SOAK_CLUSTER, project, slot);
  if (t->paused == pause) return; /* no change */
  w->written++;
  t->paused = pause;
  t->state = "REPAIRING";
  t->due = w->now + SOAK_PROVISION / 2;
  t->resumes = pause ? w->now + 30 * MODEL_DAY : 0;
  if (!pause) t->resumed = w->now;
}

/* ----------------------------------------------------------------------------------------------------------------- time */

static void model_cluster(soak_world *w, unsigned project, unsigned slot, int64_t now)
{
  soak_thing *t = model_thing(w, SOAK_CLUSTER, project, slot);
  if (!t->there) return;
  if (t->due && t->due <= now) {
    if (strcmp(t->state, "CREATING") == 0) model_count(w, SOAK_CLUSTER, project, slot, SOAK_READY);
    if (strcmp(t->state, "DELETING") == 0) {
      t->there = false;
      model_thing(w, SOAK_SNAPSHOT, project, slot)->there = false;
    }
    t->state = "IDLE";
    t->due = 0;
  }
  if (t->there && t->resumes && t->resumes <= now) { /* resumes by itself */
    t->paused = false;
    t->state = "REPAIRING";
    t->resumed = t->resumes;
    t->due = t->resumes + SOAK_PROVISION / 2;
    t->resumes = 0;
    model_cluster(w, project, slot, now);
  }
}

static void model_snapshot(soak_world *w, unsigned project, unsigned slot, int64_t now)
{
  soak_thing *t = model_thing(w, SOAK_SNAPSHOT, project, slot);
  if (!t->there) return;
  if (t->due && t->due <= now && strcmp(t->state, "queued") == 0) {
    t->state = "inProgress";
    t->due += SOAK_PROVISION * 25 / 100;
  }
  if (t->due && t->due <= now) {
    t->state = "completed";
    t->due = 0;
  }
  if (t->expires <= now) t->there = false;
}

void model_advance(soak_world *w, int64_t now)
{
  unsigned project, slot;
  for (project = 0; project < SOAK_PROJECTS; project++)
    for (slot = 0; slot < soak_rows[SOAK_CLUSTER].slots; slot++) {
      model_snapshot(w, project, slot, now);
      model_cluster(w, project, slot, now);
    }
  w->now = now;
}
