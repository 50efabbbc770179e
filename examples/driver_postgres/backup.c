/*
** Snapshots of servers, and restores from them.
**
** The rule: a snapshot gets its name when it is complete and verified. A restore keeps the previous data of the server until the restored
** server has started and has the content of the snapshot.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------------------------------------------------------- verify */

/* Uses the output of a failed program as the reason of an order. */
static int backup_refused(driver_postgres *d, driver_result *r, const char *what, char *said)
{
  driver_words(d, said);
  driver_say(d, SVC_LOG_ERROR, "postgres.backup_failed", "postgres: %s: %s", what, said);
  return driver_fail(r, "%s: %.700s", what, said);
}

/* Verifies a base backup: it has every byte that its manifest lists, and the write-ahead log that makes it consistent. */
static int backup_verify(driver_postgres *d, char *folder, driver_result *r)
{
  char said[1024];
  char *argv[] = { "pg_verifybackup", "-q", folder, NULL };
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? 0 : backup_refused(d, r, "the snapshot fails its verification", said);
}

/* Compares the copy of a stopped server with its original. */
static int backup_compare(driver_postgres *d, char *from, char *to, driver_result *r)
{
  char said[1024];
  char *argv[] = { "/usr/bin/diff", "-rq", "--no-dereference", from, to, NULL };
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? 0 : backup_refused(d, r, "the copy differs from its origin", said);
}

/* Returns the number of tenants' relations on a server; -1: the server does not answer. */
static int64_t backup_count(driver_postgres *d, const char *id)
{
  char said[64], *end = said;
  int64_t count;
  if (driver_sql(d, DRIVER_STEP, id,
                 "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                 " where c.oid >= 16384 and n.nspname !~ '^pg_'"
                 " and n.nspname not in ('information_schema', '" DRIVER_STATS "');\n",
                 said, sizeof said) != 0)
    return -1;
  count = strtoll(said, &end, 10);
  return end > said ? count : -1;
}

/* Stores the number of relations in a snapshot as "LEAST MOST", from the counts before it began and after it was complete. */
static void backup_note(driver_postgres *d, const char *snapshot, int64_t before, int64_t after)
{
  char text[64];
  snprintf(text, sizeof text, "%lld %lld", (long long)(before < after ? before : after), (long long)(before > after ? before : after));
  if (before >= 0 && after >= 0) driver_write(d, "snapshots", snapshot, text);
}

/* Checks that a restored server has as many relations as its snapshot. A snapshot of an earlier version, or of a
** paused cluster, has no such count, and passes. */
static int backup_matches(driver_postgres *d, const char *id, const char *snapshot, driver_result *r)
{
  char text[64], *rest = text;
  int64_t least, most, count = backup_count(d, id);
  if (count < 0) return driver_fail(r, "the restored server does not answer");
  if (driver_read(d, "snapshots", snapshot, text, sizeof text) != 0) return 0;
  least = strtoll(text, &rest, 10);
  most = strtoll(rest, NULL, 10);
  if (count >= least && count <= most) return 0;
  return driver_fail(r, "the restored server has %lld relations, and the snapshot was taken of %lld to %lld", (long long)count, (long long)least,
                     (long long)most);
}

/* -------------------------------------------------------------------------------------------------------------- snapshots */

/* Takes a base backup of the server, or a copy of its data while its cluster is paused, and verifies it. */
static int backup_take(driver_postgres *d, const driver_order *o, char *to, driver_result *r)
{
  char data[DRIVER_PATH], socket[DRIVER_PATH], port[16], said[1024];
  char *argv[] = { "pg_basebackup", "-D", to, "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-X", "stream", "-c", "fast",
                   "--manifest-checksums=SHA256", NULL };
  const char *id = o->parent_id;
  int64_t before;
  driver_path(d, socket, id, NULL);
  driver_path(d, data, id, "data");
  if (driver_knows(d, id, "paused")) {
    if (driver_stop(d, id) != 0 || driver_copy(d, data, to) != 0) return -1;
    return backup_compare(d, data, to, r);
  }
  if (driver_read(d, id, "port", port, sizeof port) != 0) return driver_fail(r, "the cluster has no server");
  before = backup_count(d, id);
  if (driver_run(d, NULL, said, sizeof said, argv) != 0) return backup_refused(d, r, "the snapshot cannot be taken", said);
  backup_note(d, o->resource_id, before, backup_count(d, id));
  return backup_verify(d, to, r);
}

/* Takes a snapshot, unless it exists. The snapshot is named ID.part until it is complete and verified. */
int driver_snapshot(driver_postgres *d, driver_order *o, driver_result *r)
{
  char path[DRIVER_PATH], part[DRIVER_PATH], file[64], partial[72];
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  driver_path(d, path, file, NULL);
  driver_path(d, part, partial, NULL);
  if (!driver_is(d->root, file, NULL, S_IFDIR)) {
    if (driver_remove(d, partial, NULL) != 0) return -1;
    if (backup_take(d, o, part, r) != 0) {
      driver_remove(d, partial, NULL);
      return -1;
    }
    if (renameat(d->root, partial, d->root, file) != 0) return -1;
  }
  snprintf(r->facts, sizeof r->facts, "{\"storageSizeBytes\":%lld}", (long long)driver_size(d, path));
  return 0;
}

int driver_forget_snapshot(driver_postgres *d, driver_order *o, driver_result *r)
{
  char file[64], partial[72];
  (void)r;
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  driver_unlink(d, "snapshots", o->resource_id);
  return driver_remove(d, partial, NULL) == 0 ? driver_remove(d, file, NULL) : -1;
}

/* --------------------------------------------------------------------------------------------------------------- restores */

/* Renames a folder of the server within the server's folder. A rename follows no link. */
static int backup_move(driver_postgres *d, const char *id, const char *from, const char *to)
{
  char old[64], new[64];
  snprintf(old, sizeof old, "%.24s/%s", id, from);
  snprintf(new, sizeof new, "%.24s/%s", id, to);
  return renameat(d->root, old, d->root, new);
}

/* Restores the previous data of the server. */
static void backup_go_back(driver_postgres *d, const char *id)
{
  driver_stop(d, id);
  driver_remove(d, id, "data");
  if (backup_move(d, id, "data.old", "data") == 0) driver_start(d, id);
}

/* Replaces the data of a server by a copy of the snapshot. Verifies the snapshot before changing anything, and completes the copy before
** stopping the server. Keeps the old data until the restored server has started and has the content of the snapshot. */
static int driver_begin_again(driver_postgres *d, const char *group, const char *id, const char *snapshot, driver_result *r)
{
  char to[DRIVER_PATH], from[DRIVER_PATH], file[64];
  snprintf(file, sizeof file, "snapshots/%.24s", snapshot);
  driver_path(d, from, file, NULL);
  driver_path(d, to, id, "data.new");
  if (!driver_is(d->root, id, "data", S_IFDIR)) backup_move(d, id, "data.old", "data"); /* svcd ended in the middle of an earlier restore */
  if (driver_is(d->root, file, "backup_manifest", S_IFREG) && backup_verify(d, from, r) != 0) return -1;
  if (driver_remove(d, id, "data.new") != 0 || driver_remove(d, id, "data.old") != 0 || driver_copy(d, from, to) != 0)
    return driver_fail(r, "the snapshot cannot be copied");
  if (driver_stop(d, id) != 0 || backup_move(d, id, "data", "data.old") != 0) return driver_fail(r, "the server does not stop");
  if (backup_move(d, id, "data.new", "data") != 0 || driver_start(d, id) != 0) {
    backup_go_back(d, id);
    return driver_fail(r, "the restored server does not start: the cluster is as it was");
  }
  if (backup_matches(d, id, snapshot, r) != 0) {
    backup_go_back(d, id);
    return -1;
  }
  driver_remove(d, id, "data.old");
  return driver_settle(d, group, id);
}

/* The fields of a restore job. Their names differ between clusters and flex clusters. */
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

static void backup_job_free(driver_job *job)
{
  free(job->snapshot);
  free(job->group);
  free(job->name);
}

/* Finds the server that an order restores to. Returns true if it exists. */
int driver_restore_target(driver_postgres *d, const driver_order *o, char id[32])
{
  driver_job job;
  int found;
  driver_read_job(o, &job);
  found = job.name && driver_find(d, job.group ? job.group : o->group_id, job.name, id);
  backup_job_free(&job);
  return found;
}

/* Restores a snapshot into a cluster. A download fails: the driver does not serve files, and tenants may not learn paths of the host. */
int driver_restore(driver_postgres *d, driver_order *o, driver_result *r)
{
  char file[64], target[32];
  const char *group;
  driver_job job;
  int status;
  driver_read_job(o, &job);
  group = job.group ? job.group : o->group_id;
  snprintf(file, sizeof file, "snapshots/%.24s", job.snapshot ? job.snapshot : "");
  if (!job.snapshot || !driver_is_id(job.snapshot)) status = driver_fail(r, "only whole snapshots are restored, no points in time");
  else if (!driver_is(d->root, file, NULL, S_IFDIR)) status = driver_fail(r, "the snapshot is not there");
  else if (!job.name) status = driver_fail(r, "this driver offers no downloads: restore the snapshot into a cluster");
  else if (!driver_find(d, group, job.name, target)) status = driver_fail(r, "the cluster is not there");
  else {
    driver_hold(d, target);
    status = driver_begin_again(d, group, target, job.snapshot, r);
    driver_release(d, target);
  }
  backup_job_free(&job);
  return status;
}
