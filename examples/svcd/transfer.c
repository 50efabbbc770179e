/*
** The verbs export and import: write a store as JSON lines, and create a store from them, in a folder or in PostgreSQL.
**
** The rules. export copies the last commit of a store in use before reading it, because a long reader would make the store grow. The export
** file is readable by its owner only, replaces no file, and gets its name when it is complete. Secrets are unsealed only with
** --with-secrets, and svcd warns about it.
*/
#define _GNU_SOURCE /* fsync */
#include "svcd.h"
#include "transfer/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRANSFER_COPY "export.new" /* the folder of the copy */

static int transfer_write(void *file, const char *bytes, size_t n)
{
  return fwrite(bytes, 1, n, file) == n ? 0 : -1;
}

static long transfer_read(void *fd, char *buffer, size_t n)
{
  ssize_t got;
  do got = read(*(int *)fd, buffer, n);
  while (got < 0 && errno == EINTR);
  return (long)got;
}

/* --------------------------------------------------------------------------------------------------------------- export */

static void transfer_remove_copy(const char *folder)
{
  static const char *const files[] = { "data.mdb", "lock.mdb", "svcapi.lock", "svcapi.reserve" };
  char name[SVCD_PATH + 32];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, files[i]);
    unlink(name);
  }
  rmdir(folder);
}

/* Exports a store that is in use: copies its last commit into a folder inside --data, and exports the copy. */
static int transfer_from_copy(const svcd_options *o, svc_config *config, FILE *to, svc_transfer_report *report)
{
  char folder[SVCD_PATH + 16];
  int rc;
  snprintf(folder, sizeof folder, "%s/" TRANSFER_COPY, o->data);
  transfer_remove_copy(folder); /* left by an interrupted export */
  rc = svc_backup_of(o->data, folder);
  config->path = folder;
  if (rc == SVC_OK) rc = svc_export_store(config, transfer_write, to, report);
  else snprintf(report->why, sizeof report->why, "cannot copy the store, which is in use, into %.300s: %s", folder, svc_strerror(rc));
  transfer_remove_copy(folder);
  return rc;
}

static int transfer_to(const svcd_options *o, FILE *to)
{
  unsigned char key[SVCD_SECRET_KEY];
  svc_transfer_report report;
  svc_config config;
  int there = 0, rc, status;
  memset(&config, 0, sizeof config);
  if (svcd_store_at(o->store ? o->store : o->data, &config) != 0) return 2;
  status = o->with_secrets ? svcd_has_secret_key(o, key, &there) : 0;
  if (status == 0 && o->with_secrets && !there) status = svcd_error(1, "--with-secrets needs the secret key: set --data DIR or --secret-key FILE");
  if (status != 0) return status;
  if (there) config.secret_key = key;
  if (there) svcd_say(SVC_LOG_WARNING, "export.secrets", "the export contains SECRETS IN CLEAR");
  rc = svc_export_store(&config, transfer_write, to, &report);
  if (rc == SVC_BUSY && !o->store) rc = transfer_from_copy(o, &config, to, &report);
  explicit_bzero(key, sizeof key);
  if (rc == SVC_OK && fflush(to) != 0) rc = SVC_IO, snprintf(report.why, sizeof report.why, "the file cannot be written: %s", strerror(errno));
  if (rc != SVC_OK) return svcd_error(1, "nothing was exported: %s", report.why);
  svcd_say(SVC_LOG_INFO, "export.done", "exported %llu records and %llu counts, content %s", (unsigned long long)report.records, (unsigned long long)report.counts, report.content);
  return 0;
}

static int transfer_export(const svcd_options *o)
{
  char fresh[SVCD_PATH];
  int fd, status;
  FILE *to;
  if (!o->out) return transfer_to(o, stdout);
  if (snprintf(fresh, sizeof fresh, "%s.new", o->out) >= (int)sizeof fresh) return svcd_error(1, "%s: the path is too long", o->out);
  unlink(fresh); /* left by an interrupted export */
  fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  to = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!to) return svcd_error(1, "cannot write %s: %s", fresh, strerror(errno));
  status = transfer_to(o, to);
  if (status == 0 && (fsync(fd) != 0 || link(fresh, o->out) != 0 || svcd_flush_name(o->out) != 0))
    status = svcd_error(1, "cannot write %s: %s", o->out, strerror(errno));
  fclose(to);
  unlink(fresh);
  return status;
}

int svcd_export(const svcd_options *o)
{
  if (!o->store && !svcd_has_store(o->data)) return svcd_error(1, "there is no store in %s", o->data);
  return svcd_in_child(o, transfer_export, o->store ? o->store : o->data);
}

/* --------------------------------------------------------------------------------------------------------------- import */

static int transfer_from(const svcd_options *o, int from)
{
  const char *place = o->store ? o->store : o->data;
  unsigned char key[SVCD_SECRET_KEY];
  svc_transfer_report report;
  svc_config config;
  int rc, status, there = 0;
  memset(&config, 0, sizeof config);
  if (svcd_store_at(place, &config) != 0) return 2;
  status = svcd_has_secret_key(o, key, &there);
  if (status != 0) return status;
  if (there) config.secret_key = key; /* seals secrets that the export has in clear */
  rc = svc_import_store(&config, transfer_read, &from, &report);
  if (rc == SVC_OK) status = svcd_check_place(o, place);
  explicit_bzero(key, sizeof key);
  if (rc == SVC_EXISTS) return svcd_error(1, "%s is not empty, and is left unchanged", place);
  if (rc != SVC_OK) return svcd_error(1, "nothing was imported: %s", report.why);
  if (status == 0)
    printf("imported:      %s, %llu records and %llu counts, read again and checked\n", place, (unsigned long long)report.records, (unsigned long long)report.counts);
  return status;
}

static int transfer_import(const svcd_options *o)
{
  int from = o->in ? open(o->in, O_RDONLY | O_CLOEXEC) : STDIN_FILENO, status;
  if (from < 0) return svcd_error(1, "cannot read %s: %s", o->in, strerror(errno));
  status = transfer_from(o, from);
  if (o->in) close(from);
  return status;
}

int svcd_import(const svcd_options *o)
{
  if (!o->store && svcd_has_store(o->data)) return svcd_error(1, "%s already holds a store, which is left unchanged", o->data);
  return svcd_in_child(o, transfer_import, o->store ? o->store : o->data);
}
