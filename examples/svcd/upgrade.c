/*
** --upgrade: upgrades a store of an older format before svcd serves or checks it.
**
** The rule: before the first change, svcd copies the old store into a folder inside --data, and prints the folder. To go back, replace the
** upgraded data.mdb by the copy, and use the version that wrote it.
*/
#define _GNU_SOURCE /* gmtime_r */
#include "svcd.h"
#include "transfer/upgrade.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define UPGRADE_FOLDERS 9 /* most folders with the same second: an svcd that was killed may have left some */

static int upgrade_backup(void *options, unsigned format)
{
  const svcd_options *o = options;
  char folder[SVCD_PATH], date[32] = "";
  time_t now = time(NULL);
  struct tm at;
  int n, rc = SVC_EXISTS, number;
  if (o->store) {
    svcd_say(SVC_LOG_WARNING, "upgrade.no_backup", "svcd makes no backup of a database: make one before you upgrade");
    return 0;
  }
  if (gmtime_r(&now, &at)) strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &at);
  for (number = 1; rc == SVC_EXISTS && number <= UPGRADE_FOLDERS; number++) {
    n = snprintf(folder, sizeof folder, number == 1 ? "%s/format-%u-%s" : "%s/format-%u-%s-%d", o->data, format, date, number);
    if (n < 0 || n >= (int)sizeof folder) return svcd_error(1, "%s: the path is too long", o->data);
    rc = svc_backup_of(o->data, folder);
  }
  if (rc != SVC_OK) return svcd_error(1, "cannot make a backup in %s: %s", folder, svc_strerror(rc));
  svcd_print("backup.made", "backup:", "%s, the store as it was in format %u", folder, format);
  return 0;
}

int svcd_upgrade(const svcd_options *o)
{
  svc_upgrade_report report;
  svc_config config;
  int rc;
  memset(&config, 0, sizeof config);
  if (svcd_store_at(o->store ? o->store : o->data, &config) != 0) return 2;
  if (!o->store && !svcd_has_store(o->data)) return 0; /* a new store gets the current format */
  rc = svc_upgrade_store(&config, upgrade_backup, (void *)(uintptr_t)o, &report);
  if (rc != SVC_OK) return svcd_error(1, "the store was not upgraded: %s", report.why);
  if (report.from != report.to)
    svcd_print("upgrade.done", "upgraded:", "format %u to %u, %llu rows", report.from, report.to, (unsigned long long)report.rows);
  return 0;
}
