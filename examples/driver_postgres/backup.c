/*
** Snapshots of servers, and restores from them.
**
** The rule: a snapshot has its name when it is complete, and a server keeps what it has until the copy that replaces it is complete.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A base backup of the server, or, while its cluster is paused, a copy of what it left. */
static int driver_back_up(driver_postgres *d, const char *id, char *to)
{
  char data[DRIVER_PATH], socket[DRIVER_PATH], port[16], said[1024];
  char *argv[] = { "pg_basebackup", "-D", to, "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-X", "stream", "-c", "fast", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  driver_path(d, data, id, "data");
  if (driver_knows(d, id, "paused")) return driver_stop(d, id) == 0 ? driver_copy(d, data, to) : -1;
  if (driver_read(d, id, "port", port, sizeof port) != 0) return -1;
  status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: no snapshot of %s: %s", id, said);
  return status;
}

/* It has its name when it is complete. */
int driver_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char path[DRIVER_PATH], part[DRIVER_PATH], file[64], partial[72];
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  driver_path(d, path, file, NULL);
  driver_path(d, part, partial, NULL);
  if (!driver_is(d->root, file, NULL, S_IFDIR) && (driver_remove(d, partial, NULL) != 0 || driver_back_up(d, o->parent_id, part) != 0 ||
                                                   renameat(d->root, partial, d->root, file) != 0))
    return -1;
  snprintf(r->facts, sizeof r->facts, "{\"storageSizeBytes\":%lld}", (long long)driver_size(d, path));
  return 0;
}

int driver_forget_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char file[64], partial[72];
  (void)r;
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  return driver_remove(d, partial, NULL) == 0 ? driver_remove(d, file, NULL) : -1;
}

/* The server begins again as a copy of the snapshot: the copy is complete before what it had is gone. Both names are entries of
** one folder, and a rename follows no link. */
static int driver_begin_again(driver_postgres *d, const char *group, const char *id, const char *from)
{
  char data[64], fresh[64], to[DRIVER_PATH];
  snprintf(data, sizeof data, "%.24s/data", id);
  snprintf(fresh, sizeof fresh, "%.24s/data.new", id);
  driver_path(d, to, fresh, NULL);
  if (driver_remove(d, fresh, NULL) != 0 || driver_copy(d, from, to) != 0 || driver_stop(d, id) != 0) return -1;
  if (driver_remove(d, data, NULL) != 0 || renameat(d->root, fresh, d->root, data) != 0 || driver_start(d, id) != 0) return -1;
  return driver_settle(d, group, id);
}

/* What a job asks for, by the names that it has in jobs of clusters and of flex clusters. */
typedef struct driver_job {
  char *snapshot, *group, *name;
} driver_job;

static void driver_read_job(const driver_order *o, driver_job *job)
{
  int n = (int)strlen(o->desired);
  memset(job, 0, sizeof *job);
  json_scanf(o->desired, n, "{snapshotId:%Q,targetClusterName:%Q,targetGroupId:%Q}", &job->snapshot, &job->name, &job->group);
  if (!job->name) json_scanf(o->desired, n, "{targetDeploymentItemName:%Q}", &job->name);
  if (!job->group) json_scanf(o->desired, n, "{targetProjectId:%Q}", &job->group);
}

/* Into a cluster. A download fails: nothing here serves the files of a snapshot, and where they lie on the host is no tenant's
** business. */
int driver_restore(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char from[DRIVER_PATH], file[64], target[32];
  driver_job job;
  int status;
  driver_read_job(o, &job);
  snprintf(file, sizeof file, "snapshots/%.24s", job.snapshot ? job.snapshot : "");
  driver_path(d, from, file, NULL);
  if (!job.snapshot || !driver_is_id(job.snapshot)) status = driver_fail(r, "only whole snapshots are restored, no points in time");
  else if (!driver_is(d->root, file, NULL, S_IFDIR)) status = driver_fail(r, "the snapshot is not there");
  else if (!job.name) status = driver_fail(r, "this driver offers no downloads: restore the snapshot into a cluster");
  else if (!driver_find(d, job.group ? job.group : o->group_id, job.name, target)) status = driver_fail(r, "the cluster is not there");
  else status = driver_begin_again(d, job.group ? job.group : o->group_id, target, from);
  free(job.snapshot);
  free(job.group);
  free(job.name);
  return status;
}
