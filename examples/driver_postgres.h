/*
** A driver that is real: it runs PostgreSQL, as Debian has it, for the clusters of a service. Its parts are in driver_postgres/.
**
** A cluster is one server on 127.0.0.1, whatever its replication specs say: this is an example of how a data plane is
** attached, not of how one is run at large. What is asked of the control plane really happens: a server is made, stopped
** while the cluster is paused, backed up, restored from that, and gone when the cluster is gone.
**
** FOLDERS of the user that the servers run as:
**   FOLDER/ID/data          the server of the cluster with this id; ID/log, ID/log.1 and its socket beside it; data.new and data.old while
**                           a snapshot is restored
**   FOLDER/snapshots/ID     a base backup, by the id of the snapshot; ID.part while it is taken
** Ours alone, so that no server can change what the driver reads, nor put a link in its way:
**   FOLDER/control/ID/      port, group, name, tier; password, of the role svc, which a server begins with; paused; flex; made: the server
**                           is complete, and one without it was interrupted, and is begun anew; settled: so are its roles
**   FOLDER/control/users/GROUP/ID   a database user of a project, for servers that come later; a verifier, no password
**   FOLDER/control/roles/GROUP/ID   a custom role of a project
**   FOLDER/control/snapshots/ID     how many relations the snapshot was taken of
**   FOLDER/pg_hba.conf      who gets in, and how: the driver's own role only by the socket, all others by password
** A FOLDER that is a link, belongs to somebody else or can be written to by others is refused. A folder of version 0.2, which had
** these files beside the data, is taken over at the first start.
**
** CONNECTION STRINGS. With the scheme "postgresql" (svcd --db-scheme postgresql) they are such as psql takes:
** postgresql://127.0.0.1:PORT/postgres?sslmode=disable. The user and its password are the caller's to add: psql STRING -U NAME. Servers have
** no TLS, and their version is PostgreSQL's own.
**
** DATABASE USERS. The role on the server has the user's name. Names that cannot be one make the order fail: svc, svc_..., pg_...,
** public, none, user, current_user, current_role, session_user, more than 63 bytes, control characters. A database of the API is
** a schema of the database `postgres`, made when a role names it; a user with roles on one database alone finds it in its
** search_path. What the roles of the API are there:
**   read, readWrite                         select; and insert, update, delete, create: on all tables of the schema, also later ones
**   readAnyDatabase, readWriteAnyDatabase   the same in all schemas, also later ones
**   dbAdmin, dbAdminAnyDatabase             make tables in the schema, or in all: the user owns what it makes, with its indexes, and has no
**                                           rights on other tables, since PostgreSQL lets only an owner change those
**   backup                                  as readAnyDatabase, which is what pg_dump needs
**   clusterMonitor                          pg_read_all_stats, pg_stat_scan_tables
**   svcAdmin (with the vendor's word)       readWriteAnyDatabase, clusterMonitor, pg_signal_backend; never a superuser
**   custom roles                            FIND on a database is read; FIND, INSERT, UPDATE and REMOVE together are readWrite;
**                                           CREATE_COLLECTION is dbAdmin; SERVER_STATUS, IN_PROG, TOP, CONN_POOL_STATS and LIST_SESSIONS on the
**                                           cluster are clusterMonitor; KILL_OP, KILL_ANY_SESSION and KILL_ANY_CURSOR are pg_signal_backend;
**                                           roles that it inherits as above. Whatever else it says is left out, and the log says so once,
**                                           when the role is put. A change of the role reaches its users.
** Other roles (enableSharding, a role on a single collection) have no counterpart, and fail the order. A user with scopes has a role only on
** the clusters they name. Nobody is a superuser,
** or may make roles and databases. Whoever owns a table may grant it to others, as everywhere in PostgreSQL. What a user owned
** goes to svc_former with the user, or when it may not write there any more; svc is a member of that. An order that fails says
** why in the log, leaves no login behind, and is tried again when another user is deleted, or the server is started. One bad user fails
** alone: its cluster lives.
** Users of version 0.2 cannot log in until they are changed once: it had not kept their roles.
**
** WATCH. Each second the driver looks whether the postmaster of every server lives. One that has ended is reported as down (svc_report()),
** started again on the same port, and reported as up, within about two seconds. If the port is somebody else's now, the server gets
** another, and that is reported. A server that cannot be started is tried again after 2, 4, ... 300 seconds, and the log has its reason. A
** server that hangs is not ended: its figures have gaps.
**
** TIERS. What is enforced:
**   connections   max_connections by tier: 100 for M10, 500 for M60 and above
**   memory        shared_buffers a quarter of the tier's memory, and at the most a sixteenth of the machine's; work_mem a 256th. Where
**                 /sys/fs/cgroup is a cgroup of version 2 that svcd can write to, all processes of a server share the tier's memory
**                 (memory.max of the group svcd-ID); elsewhere each process by itself has at most that much of its own (RLIMIT_DATA, 512 MB
**                 at the least), which bounds a query, but not their sum
**   disk          looked at once a minute: a server whose databases and write-ahead log hold more than diskSizeGB gets
**                 default_transaction_read_only, until there is room for a twentieth again. A user can set that aside for its own session,
**                 and within a minute a server can grow beyond: it is a brake, not a wall
** Processors are not bounded. Another tier restarts the server.
**
** SNAPSHOTS are base backups with a manifest (SHA-256), verified by pg_verifybackup when they are taken and again before they are restored;
** of a paused cluster a copy, compared with its origin byte by byte. A restored server replaces the old one when it has started and has as
** many relations as the snapshot was taken of; until then the old one is kept, and comes back if that fails. What fails says why.
**
** QUESTIONS. Figures are sampled once a minute, from statistics views and /proc, and kept in memory: 720 minutes, and 720 half hours; a
** new process begins without a past. Slow queries (100 ms and more) come from the log, with plans by auto_explain; queryStats from
** pg_stat_statements, where that is installed: all since it began to count; collections, indexes and their use from the catalogs; logins
** and logs from the server's log, which is put away at 16 MB and read 4 MB deep. Of a schema there are figures of now alone, of a single
** table none. What the driver does not know it says: SVC_NOT_FOUND.
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
  void (*log)(void *context, int level, const char *event, const char *text); /* as svc_config.log_event; may be NULL */
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
