/*
** A driver that is real: it runs PostgreSQL, as Debian has it, for the clusters of a service.
**
** A cluster is one server on 127.0.0.1, whatever its replication specs say: this is an example of how a data plane is
** attached, not of how one is run at large. What is asked of the control plane really happens: a server is made, stopped
** while the cluster is paused, backed up, restored from that, and gone when the cluster is gone.
**
**   FOLDER/ID/data          the server of the cluster with this id; ID/port, ID/group, ID/paused beside it
**   FOLDER/ID/password      of the role svc, which a server begins with
**   FOLDER/ID/made          it is complete: what has none was interrupted, and is begun anew
**   FOLDER/snapshots/ID     a base backup, by the id of the snapshot; ID.part while it is taken
**   FOLDER/users/GROUP/ID   what makes a database user of a project, for servers that come later; verifiers, no passwords
**
** Search indexes, archives, outages and access lists are written down by the service, and nothing follows here. Exports, live
** migrations, sample data and restores of a point in time fail, and say so.
**
** Orders are done one after the other on a thread of its own; perform() only queues them. Every step can be repeated, since
** an order may come again: the rule is to look what is there, and to do what is missing. Servers outlive the process that
** made them; the next one finds them by their folders, and starts those that should run.
*/
#ifndef DRIVER_POSTGRES_H
#define DRIVER_POSTGRES_H

#include "svcapi.h"

typedef struct driver_postgres driver_postgres;

typedef struct driver_postgres_config {
  const char *folder; /* made if it is missing; its path is short enough for sockets in it (80 bytes) */
  const char *bin;    /* where initdb, pg_ctl, pg_basebackup and psql are; NULL: the newest in /usr/lib/postgresql */
  const char *user;   /* whom the servers run as; NULL: us, or "postgres" where we are root, since PostgreSQL refuses that */
  void (*log)(void *context, int level, const char *text); /* may be NULL */
  void *log_context;
} driver_postgres_config;

/* 0; else `why` says in a line what is wrong. */
int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size);
/* For svc_config.driver; it lives as long as the driver. */
const svc_driver *driver_postgres_driver(driver_postgres *d);
/* Before svc_close(), when nothing calls svc_tick() any more: what is under way is finished; the servers go on. */
void driver_postgres_stop(driver_postgres *d);
/* After svc_close(). */
void driver_postgres_close(driver_postgres *d);

#endif
