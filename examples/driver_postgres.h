/*
** A driver that is real: it runs PostgreSQL, as Debian has it, for the clusters of a service.
**
** A cluster is one server on 127.0.0.1, whatever its replication specs say: this is an example of how a data plane is
** attached, not of how one is run at large. What is asked of the control plane really happens: a server is made, stopped
** while the cluster is paused, backed up, restored from that, and gone when the cluster is gone.
**
** Folders of the user that the servers run as:
**   FOLDER/ID/data          the server of the cluster with this id; ID/log and its socket beside it
**   FOLDER/snapshots/ID     a base backup, by the id of the snapshot; ID.part while it is taken
** Ours alone, so that no server can change what the driver reads, nor put a link in its way:
**   FOLDER/control/ID/      port, group, name; password, of the role svc, which a server begins with; paused; made: the server is
**                           complete, and one without it was interrupted, and is begun anew; settled: so are its roles
**   FOLDER/control/users/GROUP/ID   a database user of a project, for servers that come later; a verifier, no password
**   FOLDER/pg_hba.conf      who gets in, and how: the driver's own role only by the socket, all others by password
** A FOLDER that is a link, belongs to somebody else or can be written to by others is refused. A folder of version 0.2, which had
** these files beside the data, is taken over at the first start.
**
** Database users. The role on the server has the user's name. Names that cannot be one make the order fail: svc, svc_..., pg_...,
** public, none, user, current_user, current_role, session_user, more than 63 bytes, control characters. A database of the API is
** a schema of the database `postgres`, made when a role names it; a user with roles on one database alone finds it in its
** search_path. What the roles of the API are there:
**   read, readWrite                         select; and insert, update, delete, create: on all tables of the schema, also later ones
**   readAnyDatabase, readWriteAnyDatabase   the same in all schemas, also later ones
**   backup                                  as readAnyDatabase, which is what pg_dump needs
**   clusterMonitor                          pg_read_all_stats, pg_stat_scan_tables
**   svcAdmin (with the vendor's word)       readWriteAnyDatabase, clusterMonitor, pg_signal_backend; never a superuser
** Other roles (dbAdmin, dbAdminAnyDatabase, enableSharding, custom roles, a role on a single collection) have no counterpart that
** grants exactly as much, and fail the order. A user with scopes has a role only on the clusters they name. Nobody is a superuser,
** or may make roles and databases. Whoever owns a table may grant it to others, as everywhere in PostgreSQL. What a user owned
** goes to svc_former with the user, or when it may not write there any more; svc is a member of that. An order that fails says
** why in the log, leaves no login behind, and is tried again when another user is deleted, or the server is started.
** Users of version 0.2 cannot log in until they are changed once: it had not kept their roles.
**
** Search indexes, archives, outages and access lists are written down by the service, and nothing follows here. Exports, live
** migrations, sample data, downloads of snapshots and restores of a point in time fail, and say so.
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
  const char *folder; /* made if it is missing; no link, and a path that is short enough for sockets in it (80 bytes) */
  const char *bin;    /* where initdb, pg_ctl, pg_basebackup and psql are; NULL: the newest in /usr/lib/postgresql */
  const char *user;   /* whom the servers run as; NULL: us, or "postgres" where we are root, since PostgreSQL refuses that */
  const char *scheme; /* of connection strings: "postgresql" makes them such as psql takes; NULL or another: as the service has them */
  void (*log)(void *context, int level, const char *text); /* may be NULL */
  void *log_context;
} driver_postgres_config;

/* 0; else `why` says in a line what is wrong. */
int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size);
/* For svc_config.driver; it lives as long as the driver. */
const svc_driver *driver_postgres_driver(driver_postgres *d);
/* After svc_open(): what the driver sees by itself, a server that has ended or moved, it reports to `s` from here on. */
void driver_postgres_attach(driver_postgres *d, svc *s);
/* Before svc_close(), when nothing calls svc_tick() any more: what is under way is finished; the servers go on. */
void driver_postgres_stop(driver_postgres *d);
/* After svc_close(). */
void driver_postgres_close(driver_postgres *d);

#endif
