/*
** The verbs backup, restore and check.
**
** The rules. A store in use is never opened a second time: backup copies its last commit from outside; check and restore refuse. Existing
** files are never overwritten. backup reports success only after checking the copy. A restored store gets its name only after the check
** found no problems, or with --force. copy.c copies stores in databases. The secret key is copied only with --with-key.
**
** A damaged file may end the process that reads it. So a child process does the work, and svcd reports a crash of the child in one line.
*/
#define _GNU_SOURCE /* fsync, flock */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKUP_WORK "restore.new" /* the folder in which restore prepares the store */

/* -------------------------------------------------------------------------------------------------------------- a child */

int svcd_in_child(const svcd_options *o, int (*work)(const svcd_options *o), const char *place)
{
  int status = 0;
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child < 0) return svcd_error(1, "cannot start a process: %s", strerror(errno));
  if (child == 0) exit(work(o)); /* exit() flushes the output of the child */
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return svcd_error(1, "cannot wait for a process: %s", strerror(errno));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return svcd_error(1, "%s: the file of the store is damaged and cannot be read (%s)", place, strsignal(WTERMSIG(status)));
}

/* ---------------------------------------------------------------------------------------------------------------- files */

/* Builds the path of a file in a folder. Returns 0, after an error message, if it is too long. */
static int backup_name(char out[SVCD_PATH], const char *folder, const char *file)
{
  if (snprintf(out, SVCD_PATH, "%s/%s", folder, file) < SVCD_PATH) return 1;
  svcd_say(SVC_LOG_ERROR, "svcd.failed", "%s: the path is too long", folder);
  return 0;
}

int svcd_has_store(const char *folder)
{
  char name[SVCD_PATH];
  return backup_name(name, folder, "data.mdb") && access(name, F_OK) == 0;
}

static int backup_no_store(const char *folder)
{
  return svcd_error(1, "there is no store in %s", folder);
}

/* Copies all bytes of a file to another, and flushes it to the disk. Returns 0, or -1. */
static int backup_pour(int in, int out)
{
  char bytes[65536];
  ssize_t n;
  while ((n = read(in, bytes, sizeof bytes)) > 0)
    if (write(out, bytes, (size_t)n) != n) break;
  return n == 0 && fsync(out) == 0 ? 0 : -1;
}

/* Copies a file to a new name, completely and on the disk, or not at all. Returns 0, or 1 after an error message. */
static int backup_copy_file(const char *from, const char *to)
{
  char new_to[SVCD_PATH + 8];
  int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, good;
  snprintf(new_to, sizeof new_to, "%s.new", to);
  unlink(new_to); /* left by an interrupted copy */
  if (in >= 0) out = open(new_to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  errno = out < 0 ? errno : 0;
  good = out >= 0 && backup_pour(in, out) == 0 && link(new_to, to) == 0 && svcd_flush_name(to) == 0;
  if (!good) svcd_say(SVC_LOG_ERROR, "svcd.failed", "cannot copy %s to %s: %s", from, to, strerror(errno ? errno : ENOSPC));
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  unlink(new_to);
  return good ? 0 : 1;
}

/* Removes the files that opening a store leaves next to it. */
static void backup_tidy(const char *folder)
{
  static const char *const files[] = { "lock.mdb", "svcapi.lock", "svcapi.reserve" };
  char name[SVCD_PATH];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++)
    if (backup_name(name, folder, files[i])) unlink(name);
}

/* ---------------------------------------------------------------------------------------------------------------- check */

static void backup_keep(void *line, int level, const char *text)
{
  if (level == SVC_LOG_ERROR) snprintf(line, SVCD_PATH, "%s", text);
}

/* Opens the store of a folder or URI for a check; queued orders stay. The library checks `key` against the store;
** NULL: no key. `line`: reason of a failure. */
static int backup_open(svc **out, const svcd_options *o, const char *place, const unsigned char *key, char line[SVCD_PATH])
{
  unsigned char next[SVCD_SECRET_KEY];
  svc_config config;
  int there = 0, rc;
  memset(&config, 0, sizeof config);
  if (svcd_store_at(place, &config) != 0) return SVC_INVALID;
  config.vendor = o->vendor;
  if (key && svcd_next_secret_key(o, next, &there) != 0) return SVC_INVALID;
  config.secret_key = key;
  config.secret_key_next = there ? next : NULL;
  config.keep_orders = 1;
  config.log = backup_keep;
  config.log_context = line;
  line[0] = '\0';
  rc = svc_open(out, &config);
  explicit_bzero(next, sizeof next);
  return rc;
}

static void backup_found(void *context, const char *text)
{
  (void)context;
  printf("%s\n", text);
}

/* Checks a store and returns the exit status. *faults is set if the store was read completely and has problems. */
static int backup_look(const svcd_options *o, const char *place, const unsigned char *key, int *faults)
{
  char line[SVCD_PATH];
  svc *s;
  int rc = backup_open(&s, o, place, key, line);
  if (rc == SVC_BUSY) return svcd_error(1, "the store in %s is in use: check a backup of it (svcd backup), or stop svcd first", place);
  if (rc != SVC_OK) return svcd_error(rc == SVC_INVALID ? 2 : 1, "%s", line[0] ? line : svc_strerror(rc));
  rc = svc_check_store(s, backup_found, NULL);
  svc_close(s);
  fflush(stdout);
  *faults = rc == SVC_CORRUPT;
  if (rc == SVC_CORRUPT) return svcd_error(1, "the store in %s is damaged", place);
  return rc == SVC_OK ? 0 : svcd_error(1, "the store in %s could not be read completely: %s", place, svc_strerror(rc));
}

int svcd_check_place(const svcd_options *o, const char *place)
{
  int faults = 0;
  return backup_look(o, place, NULL, &faults);
}

/* Checks with the key, if there is one: a store whose secrets cannot be unsealed is not a good backup. */
static int backup_check_work(const svcd_options *o)
{
  const char *place = o->store ? o->store : o->data;
  unsigned char key[SVCD_SECRET_KEY];
  int there, faults = 0, status = svcd_has_secret_key(o, key, &there);
  if (status == 0 && o->upgrade) status = svcd_upgrade(o);
  if (status == 0) status = backup_look(o, place, there ? key : NULL, &faults);
  explicit_bzero(key, sizeof key);
  if (status == 0) printf("the store in %s is whole\n", place);
  return status;
}

int svcd_check(const svcd_options *o)
{
  svc_config config;
  if (o->store) return svcd_store_at(o->store, &config) != 0 ? 2 : backup_check_work(o);
  return svcd_has_store(o->data) ? svcd_in_child(o, backup_check_work, o->data) : backup_no_store(o->data);
}

/* --------------------------------------------------------------------------------------------------------------- backup */

static int backup_store(const svcd_options *o)
{
  char line[SVCD_PATH];
  svc *s;
  int rc = backup_open(&s, o, o->data, NULL, line);
  if (rc == SVC_OK) {
    rc = svc_backup(s, o->to);
    svc_close(s);
  } else if (rc == SVC_BUSY) { /* svcd is running, and continues to serve */
    rc = svc_backup_of(o->data, o->to);
    line[0] = '\0';
  }
  if (rc == SVC_EXISTS) return svcd_error(1, "%s already holds a store, which is left unchanged", o->to);
  return rc == SVC_OK ? 0 : svcd_error(rc == SVC_INVALID ? 2 : 1, "no backup was made: %s", line[0] ? line : svc_strerror(rc));
}

/* Returns true if the source or the target is a database. A database is read as of one moment, while others continue to write. */
static int backup_elsewhere(const svcd_options *o)
{
  return o->store || svcd_is_uri(o->to);
}

/* Copies the key, and the next key during a rotation. */
static int backup_copy_keys(const char *from, const char *to)
{
  char next[SVCD_PATH + 8], copy[SVCD_PATH + 8];
  snprintf(next, sizeof next, "%s.next", from);
  snprintf(copy, sizeof copy, "%s.next", to);
  return backup_copy_file(from, to) != 0 || (access(next, F_OK) == 0 && backup_copy_file(next, copy) != 0);
}

/* Opens the copy with the copied key, because a rotation of the key may have begun or ended during the copy.
** Returns 0, or 1 after a message. */
static int backup_try_key(const svcd_options *o)
{
  unsigned char key[SVCD_SECRET_KEY];
  char line[SVCD_PATH];
  svcd_options copied = *o;
  svc *s = NULL;
  int there, status;
  copied.data = o->to;
  copied.secret_key = NULL;
  status = svcd_has_secret_key(&copied, key, &there);
  if (status == 0 && backup_open(&s, &copied, o->to, key, line) != SVC_OK) status = svcd_error(1, "the copied key does not open the copy: %s", line);
  svc_close(s);
  explicit_bzero(key, sizeof key);
  backup_tidy(o->to);
  return status;
}

static int backup_work(const svcd_options *o)
{
  char key[SVCD_PATH], copy[SVCD_PATH];
  int status = backup_elsewhere(o) ? svcd_copy_places(o->store ? o->store : o->data, o->to, 0) : backup_store(o);
  if (status != 0) return status;
  status = svcd_check_place(o, o->to);
  if (!svcd_is_uri(o->to)) backup_tidy(o->to);
  if (status != 0) return status;
  if (o->with_key) {
    if (svcd_secret_key_path(o, key) != 0 || !backup_name(copy, o->to, "secret.key")) return 1;
    if (backup_copy_keys(key, copy) != 0 || backup_try_key(o) != 0) return 1;
  }
  printf("backup:        %s, checked, %s\n", o->to, o->with_key ? "WITH THE SECRET KEY: who has it can open the secrets in it" : "without the secret key");
  return 0;
}

int svcd_backup(const svcd_options *o)
{
  const char *place = o->store ? o->store : o->data;
  return o->store || svcd_has_store(place) ? svcd_in_child(o, backup_work, place) : backup_no_store(place);
}

/* -------------------------------------------------------------------------------------------------------------- restore */

/* Refuses a folder whose store is in use: its file changes while it is read. The lock is kept until this process ends. */
static int restore_hold(const char *folder)
{
  char name[SVCD_PATH];
  int fd;
  if (!backup_name(name, folder, "svcapi.lock")) return 1;
  fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0) return 0;
  close(fd);
  return svcd_error(1, "the store in %s is in use: make a backup of it (svcd backup), and restore that", folder);
}

/* Checks the store before it is restored. Problems are printed, and end the restore without --force. *faults is set if there are any. */
static int restore_check(const svcd_options *o, const char *place, int *faults)
{
  int status = backup_look(o, place, NULL, faults);
  if (status != 0 && *faults && !o->force) return svcd_error(status, "nothing was restored; --force restores a store with such problems");
  return *faults ? 0 : status;
}

static int restore_said(const char *place, int faults)
{
  printf(faults ? "restored:      %s, WITH THE FAULTS above, by --force\n" : "restored:      %s, checked\n", place);
  return 0;
}

static int restore_key(const svcd_options *o)
{
  char from[SVCD_PATH], to[SVCD_PATH];
  if (!o->with_key) return 0;
  if (!backup_name(from, o->from, "secret.key") || svcd_secret_key_path(o, to) != 0) return 1;
  if (access(from, F_OK) != 0) return svcd_error(1, "--with-key: there is no secret.key in %s", o->from);
  return backup_copy_keys(from, to);
}

/* Gives the store its name, unless another store has it by now: link() never replaces a file. */
static int restore_name(const svcd_options *o, const char *ready)
{
  char name[SVCD_PATH];
  if (!backup_name(name, o->data, "data.mdb")) return 1;
  if (link(ready, name) != 0) return svcd_error(1, "cannot make %s: %s", name, strerror(errno));
  return svcd_flush_name(name) == 0 ? 0 : svcd_error(1, "cannot write %s: %s", o->data, strerror(errno));
}

static int restore_work(const svcd_options *o)
{
  char folder[SVCD_PATH], from[SVCD_PATH], to[SVCD_PATH];
  int status, faults = 0;
  if (!backup_name(folder, o->data, BACKUP_WORK) || !backup_name(from, o->from, "data.mdb") || !backup_name(to, folder, "data.mdb")) return 1;
  status = restore_hold(o->from);
  if (status == 0) status = backup_copy_file(from, to);
  if (status == 0) status = restore_check(o, folder, &faults);
  if (status == 0) status = restore_key(o);
  if (status == 0) status = restore_name(o, to);
  return status == 0 ? restore_said(o->data, faults) : status;
}

/* Restores from or into a database. The target counts as a store only after it was read again. */
static int restore_elsewhere(const svcd_options *o)
{
  const char *place = o->store ? o->store : o->data;
  int status, faults = 0;
  if (o->data && mkdir(o->data, 0700) != 0 && errno != EEXIST) return svcd_error(1, "cannot create the folder %s: %s", o->data, strerror(errno));
  status = svcd_copy_places(o->from, place, 0);
  if (status == 0 && !svcd_is_uri(o->from)) backup_tidy(o->from);
  if (status == 0) status = restore_check(o, place, &faults);
  if (status == 0) status = restore_key(o);
  return status == 0 ? restore_said(place, faults) : status;
}

int svcd_restore(const svcd_options *o)
{
  char folder[SVCD_PATH], name[SVCD_PATH];
  int status;
  if (o->store || svcd_is_uri(o->from)) return svcd_in_child(o, restore_elsewhere, o->from);
  if (!svcd_has_store(o->from)) return backup_no_store(o->from);
  if (svcd_has_store(o->data)) return svcd_error(1, "%s already holds a store, which is left unchanged", o->data);
  if (!backup_name(folder, o->data, BACKUP_WORK) || !backup_name(name, folder, "data.mdb")) return 1;
  if (mkdir(o->data, 0700) != 0 && errno != EEXIST) return svcd_error(1, "cannot create the folder %s: %s", o->data, strerror(errno));
  unlink(name); /* left by an interrupted restore */
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return svcd_error(1, "cannot create the folder %s: %s", folder, strerror(errno));
  status = svcd_in_child(o, restore_work, o->from);
  unlink(name);
  backup_tidy(folder);
  rmdir(folder);
  return status;
}
