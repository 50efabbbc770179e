/*
** The driver that --driver names: PostgreSQL on this machine, or a program that exchanges JSON lines (driver_exec.h). Without --driver the
** library simulates the data plane.
**
** The rule: svcd opens the driver before the service, begins it when the service is open, stops it before closing
** the service, and closes it last.
*/
#include "svcd.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DRIVER_SECONDS 10 /* default of --driver-timeout */

static const char *driver_command(const svcd_options *o)
{
  return o->driver && strncmp(o->driver, SVCD_EXEC, sizeof SVCD_EXEC - 1) == 0 ? o->driver + sizeof SVCD_EXEC - 1 : NULL;
}

static int driver_open_exec(const svcd_options *o, driver_exec **out)
{
  driver_exec_config k;
  char why[EXEC_COMMAND];
  memset(&k, 0, sizeof k);
  k.command = driver_command(o);
  if (driver_exec_check(k.command, why, sizeof why) != 0) return svcd_error(2, "--driver exec: %s", why);
  k.timeout_ms = (o->driver_timeout ? o->driver_timeout : DRIVER_SECONDS) * (int64_t)1000;
  k.log = svcd_log;
  k.log_context = (void *)(uintptr_t)o->log_level;
  return driver_exec_open(out, &k) == 0 ? 0 : svcd_error(1, "--driver: no memory, or too many open files");
}

static int driver_open_postgres(const svcd_options *o, driver_postgres **out)
{
  driver_postgres_config k;
  char folder[SVCD_PATH], why[256];
  memset(&k, 0, sizeof k);
  snprintf(folder, sizeof folder, "%s/postgres", o->data ? o->data : "");
  if (o->data) mkdir(o->data, 0700); /* as svc_open() would */
  k.folder = o->driver_folder ? o->driver_folder : folder;
  k.scheme = o->db_scheme;
  k.log = svcd_log;
  return driver_postgres_open(out, &k, why, sizeof why) == 0 ? 0 : svcd_error(1, "--driver postgres: %s", why);
}

int svcd_driver_open(const svcd_options *o, svcd_driver *d)
{
  memset(d, 0, sizeof *d);
  if (!o->driver) return 0;
  return driver_command(o) ? driver_open_exec(o, &d->exec) : driver_open_postgres(o, &d->postgres);
}

const svc_driver *svcd_driver_of(const svcd_driver *d)
{
  if (d->exec) return driver_exec_driver(d->exec);
  return d->postgres ? driver_postgres_driver(d->postgres) : NULL;
}

int svcd_driver_begin(const svcd_driver *d, svc *s)
{
  if (d->postgres) driver_postgres_attach(d->postgres, s);
  if (!d->exec || driver_exec_begin(d->exec, s) == 0) return 0;
  return svcd_error(1, "--driver: cannot start a thread");
}

void svcd_driver_hush(const svcd_driver *d)
{
  driver_exec_hush(d->exec); /* the PostgreSQL driver's questions end by themselves within seconds */
}

void svcd_driver_stop(const svcd_driver *d)
{
  driver_exec_stop(d->exec);
  driver_postgres_stop(d->postgres);
}

void svcd_driver_close(const svcd_driver *d)
{
  driver_exec_close(d->exec);
  driver_postgres_close(d->postgres);
}
