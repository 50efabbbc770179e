/*
** A real driver, which runs Debian's PostgreSQL for the clusters of a service. The parts are in driver_postgres/.
**
** A cluster is one server on 127.0.0.1; the driver ignores replication specs. This example shows how to attach a data plane, not how to
** run one at scale. Operations of the control plane take effect: the driver creates a server, stops it while the cluster is paused, backs
** it up, restores it, and deletes it with its cluster.
**
** FOLDERS that belong to the user of the servers:
**   FOLDER/ID/data          the server of the cluster with this id; next to it ID/log, ID/log.1 and the socket; data.new and data.old
**                           while a snapshot is restored
**   FOLDER/snapshots/ID     a base backup, named by the id of the snapshot; ID.part while it is taken
** Folders that only the driver can write to, so that no server can change what the driver reads, or place a link there:
**   FOLDER/control/ID/      files about the server: port, group (id of the project), name, tier, paused, flex; password: of the role svc,
**                           which every server has; made: the server is complete (a server without this file was interrupted, and is
**                           created again); settled: its roles are complete; mend.HEX: work on a
**                           database user failed, and is repeated (mend.c)
**   FOLDER/control/users/GROUP/ID   a database user of a project, for later servers; a verifier, not the password
**   FOLDER/control/roles/GROUP/ID   a custom role of a project
**   FOLDER/control/snapshots/ID     number of relations in the snapshot
**   FOLDER/pg_hba.conf      authentication: the driver's own role by the socket only, all others by password
** The driver refuses a FOLDER that is a link, belongs to another user or is writable by others. Version 0.2 kept these files next to the
** data; the driver converts such a folder at the first start.
**
** CONNECTION STRINGS. With the scheme "postgresql" (svcd --db-scheme postgresql) psql accepts them:
** postgresql://127.0.0.1:PORT/postgres?sslmode=disable. The caller adds user and password: psql STRING -U NAME. Servers have no TLS, and
** their version is PostgreSQL's own.
**
** DATABASE USERS. The role on the server has the user's name. An order fails if the name is
** invalid: svc, svc_..., pg_..., public, none, user, current_user, current_role, session_user, more
** than 63 bytes, control characters. Databases cannot be named svc_..., pg_... or
** information_schema. A database of the API is a schema of the database `postgres`, created when a
** role names it. A user with roles on a single database has this schema in its search_path. Roles
** of the API become:
**   read, readWrite                         select; and insert, update, delete, create: on all tables of the schema, also later ones
**   readAnyDatabase, readWriteAnyDatabase   the same in all schemas, also later ones
**   dbAdmin, dbAdminAnyDatabase             create tables in the schema, or in all: the user owns its tables and their indexes, but has no
**                                           privileges on other tables, because PostgreSQL lets only their owner change them
**   backup                                  like readAnyDatabase, which pg_dump needs
**   clusterMonitor                          pg_read_all_stats, pg_stat_scan_tables
**   svcAdmin (with the vendor's word)       readWriteAnyDatabase, clusterMonitor, pg_signal_backend; never a superuser
**   custom roles                            FIND on a database is read; FIND, INSERT, UPDATE and REMOVE together are readWrite;
**                                           CREATE_COLLECTION is dbAdmin; SERVER_STATUS, IN_PROG, TOP, CONN_POOL_STATS and LIST_SESSIONS on
**                                           the cluster are clusterMonitor; KILL_OP, KILL_ANY_SESSION and KILL_ANY_CURSOR are
**                                           pg_signal_backend; inherited roles as above. Actions that every user may do, such as
**                                           LIST_INDEXES, need nothing. All others are left out, and the log says so once, when the
**                                           role is stored. A change of the role applies to its users.
** Other roles (enableSharding, a role on a single collection) have no counterpart: the order fails. A user with scopes has a role only on
** the clusters of its scopes. No user is a superuser, or may create roles and databases. The owner of a table may grant it to others, as
** usual in PostgreSQL. When a user is deleted or loses its write access, its tables go to svc_former, of which svc is a member.
** Revoked access ends at once, whatever the user's sessions hold: the driver ends the sessions,
** then forbids the login, and repeats both until they succeed. A failed order logs the reason,
** leaves no login behind, and is repeated after 2, 4, ... 300 seconds, also after a restart of
** svcd. An invalid user does not affect its cluster. Users of version 0.2 cannot sign in until they
** are changed once, because 0.2 did not keep their roles.
**
** WATCH. Each second the driver checks that the postmaster of every server is alive. A server that has ended is reported as down
** (svc_report()), restarted on the same port, and reported as up, within about two seconds. If another program has taken the port, the
** driver chooses and reports a new one. A server that cannot be started is retried after 2, 4, ... 300 seconds, and the log has the
** reason. The driver kills a server that does not answer for 4 seconds, and restarts it in the same way.
**
** TIERS. The driver enforces:
**   connections   max_connections by tier: 100 for M10, 500 for M60 and above; 5 of them are the
**                 driver's
**   memory        shared_buffers is a quarter of the tier's memory, at most a sixteenth of the machine's; work_mem a 256th. If
**                 /sys/fs/cgroup is a cgroup of version 2 that svcd can write to, all processes of a server share the tier's memory
**                 (memory.max of the cgroup svcd-ID); otherwise each process has at most that much (RLIMIT_DATA, at least 512 MB), which
**                 bounds a query, but not the sum of all processes
**   disk          checked once a minute: a server whose databases and write-ahead log exceed diskSizeGB gets
**                 default_transaction_read_only, until a twentieth is free again. A user can override that in its own session, and a
**                 server can grow further within a minute: the limit is not strict
** Processors are not bounded. A change of the tier restarts the server.
**
** SNAPSHOTS are base backups with a manifest (SHA-256), verified by pg_verifybackup when they are taken and again before they are restored;
** a paused cluster is copied and compared byte by byte. A restored server replaces the old one when it has started and has as many
** relations as the snapshot. Until then the old data is kept; if the restore fails, the driver starts the old
** server again. A failed order has a reason.
**
** QUESTIONS. The driver samples figures once a minute, from statistics views and /proc, and keeps them in memory: 720 minutes, and 720 half
** hours. A new process begins without samples. Slow queries (100 ms and more) come from the log, with plans by auto_explain. queryStats
** come from pg_stat_statements, if installed, and cover all queries since it began to count. Collections, indexes and their use come from
** the catalogs. Logins and logs come from the server's log, which is rotated at 16 MB; the driver reads the last 4 MB of the log and of the
** one before it. A schema has current figures only, a single table has none. For unknown figures the driver returns SVC_NOT_FOUND.
**
** Search indexes, archives, outages and access lists exist in the service only and have no effect here. Exports, live migrations, sample
** data, downloads of snapshots and restores of a point in time fail with a reason.
**
** TIMEOUTS. Tenants hold locks as long as they like, so every statement of the driver has a limit:
** a question waits 0.5 seconds for a lock and 3 seconds for its answer; a step of an order 2 and 30
** seconds; grants on all tables, a change of owners and the installation of an extension 2 and 120
** seconds. The log and the reason of the order say which limit was reached.
**
** THREADS. perform() only queues an order. 16 threads carry orders out, those of a cluster one
** after the other. A server that hangs delays the orders of its own cluster; a project uses at most
** 4 threads, and has at most 64 of the 256 queued orders. An order about a database user becomes a
** task for each server, and is reported when the last one has ended. The rule: every step can be
** repeated, because an order may arrive again. A step checks what exists and does what is missing.
** Servers outlive the process that created them. The next process finds them by their folders and
** starts those that should run.
*/
#ifndef DRIVER_POSTGRES_H
#define DRIVER_POSTGRES_H

#include "svcapi.h"

typedef struct driver_postgres driver_postgres;

typedef struct driver_postgres_config {
  const char *folder; /* created if missing; not a link, and at most 80 bytes, because it contains sockets */
  const char *bin;    /* folder of initdb, pg_ctl, pg_basebackup and psql; NULL: the newest in /usr/lib/postgresql */
  const char *user;   /* user of the servers; NULL: the current user, or "postgres" for root, which PostgreSQL refuses */
  const char *scheme; /* scheme of connection strings: "postgresql" makes strings for psql; NULL or another: the service's own */
  void (*log)(void *context, int level, const char *event, const char *text); /* as svc_config.log_event; may be NULL */
  void *log_context;
} driver_postgres_config;

/* Returns 0, or another value and one line in `why`. */
int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size);
/* Returns the pointer for svc_config.driver, valid until the driver is closed. */
const svc_driver *driver_postgres_driver(driver_postgres *d);
/* Call it after svc_open(). From then on the driver reports to `s` which servers have ended or moved. */
void driver_postgres_attach(driver_postgres *d, svc *s);
/* Ends the work in progress: orders have 4 seconds to finish, then their programs are killed, and
** the service sends these orders again when it is next opened. The servers continue to run. Call
** it before svc_close(), after the last svc_tick(). */
void driver_postgres_stop(driver_postgres *d);
/* Frees the driver. Call it after svc_close(). */
void driver_postgres_close(driver_postgres *d);

#endif
