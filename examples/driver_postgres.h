/*
** A real driver: it runs Debian's PostgreSQL for the clusters of a service. Its parts are in driver_postgres/.
**
** A cluster is one server on 127.0.0.1, whatever its replication specs are: the driver shows how to attach a data plane, not how to run one
** at scale. Operations of the control plane really happen: a server is created, stopped while the cluster is paused, backed up, restored,
** and deleted with its cluster.
**
** FOLDERS that belong to the user of the servers:
**   FOLDER/ID/data          the server of the cluster with this id; ID/log, ID/log.1 and its socket beside it; data.new and data.old while
**                           a snapshot is restored
**   FOLDER/snapshots/ID     a base backup, named by the id of the snapshot; ID.part while it is taken
** Folders of the driver alone, so that no server can change what the driver reads, or place a link there:
**   FOLDER/control/ID/      port, group, name, tier; password, of the role svc, which a server starts with; paused; flex; made: the server
**                           is complete, and a server without it was interrupted and is created again; settled: its roles are complete
**   FOLDER/control/users/GROUP/ID   a database user of a project, for later servers; a verifier, not the password
**   FOLDER/control/roles/GROUP/ID   a custom role of a project
**   FOLDER/control/snapshots/ID     number of relations in the snapshot
**   FOLDER/pg_hba.conf      authentication: the driver's own role by the socket only, all others by password
** The driver refuses a FOLDER that is a link, belongs to another user or is writable by others. A folder of version 0.2, which had these
** files beside the data, is converted at the first start.
**
** CONNECTION STRINGS. With the scheme "postgresql" (svcd --db-scheme postgresql) psql accepts them:
** postgresql://127.0.0.1:PORT/postgres?sslmode=disable. The caller adds user and password: psql STRING -U NAME. Servers have no TLS, and
** their version is PostgreSQL's own.
**
** DATABASE USERS. The role on the server has the user's name. Invalid names make the order fail: svc, svc_..., pg_..., public, none, user,
** current_user, current_role, session_user, more than 63 bytes, control characters. A database of the API is a schema of the database
** `postgres`, created when a role names it; a user with roles on a single database has it in its search_path. Roles of the API become:
**   read, readWrite                         select; and insert, update, delete, create: on all tables of the schema, also later ones
**   readAnyDatabase, readWriteAnyDatabase   the same in all schemas, also later ones
**   dbAdmin, dbAdminAnyDatabase             create tables in the schema, or in all: the user owns its tables and their indexes, and has no
**                                           privileges on other tables, which PostgreSQL lets only their owner change
**   backup                                  like readAnyDatabase, which pg_dump needs
**   clusterMonitor                          pg_read_all_stats, pg_stat_scan_tables
**   svcAdmin (with the vendor's word)       readWriteAnyDatabase, clusterMonitor, pg_signal_backend; never a superuser
**   custom roles                            FIND on a database is read; FIND, INSERT, UPDATE and REMOVE together are readWrite;
**                                           CREATE_COLLECTION is dbAdmin; SERVER_STATUS, IN_PROG, TOP, CONN_POOL_STATS and LIST_SESSIONS on the
**                                           cluster are clusterMonitor; KILL_OP, KILL_ANY_SESSION and KILL_ANY_CURSOR are pg_signal_backend;
**                                           inherited roles as above. All other actions are left out, and the log says so once, when the
**                                           role is stored. A change of the role applies to its users.
** Other roles (enableSharding, a role on a single collection) have no counterpart and fail the order. A user with scopes has a role only on
** the clusters of its scopes. No user is a superuser, or may create roles and databases. The owner of a table may grant it to others, as
** usual in PostgreSQL. When a user is deleted or loses its write access, its tables go to svc_former, of which svc is a member. A failed
** order logs the reason, leaves no login behind, and is retried when another user is deleted or the server is started. One invalid user
** does not affect its cluster. Users of version 0.2 cannot sign in until they are changed once, because 0.2 did not keep their roles.
**
** WATCH. Each second the driver checks that the postmaster of every server is alive. A server that has ended is reported as down
** (svc_report()), restarted on the same port, and reported as up, within about two seconds. If another program has taken the port, the
** server gets another one, which is reported. A server that cannot be started is retried after 2, 4, ... 300 seconds, and the log has the
** reason. A server that does not answer for 4 seconds is killed and restarted in the same way.
**
** TIERS. What is enforced:
**   connections   max_connections by tier: 100 for M10, 500 for M60 and above
**   memory        shared_buffers is a quarter of the tier's memory, at most a sixteenth of the machine's; work_mem a 256th. If
**                 /sys/fs/cgroup is a cgroup of version 2 that svcd can write to, all processes of a server share the tier's memory
**                 (memory.max of the group svcd-ID); otherwise each process has at most that much (RLIMIT_DATA, at least 512 MB), which
**                 bounds a query, but not the sum of all
**   disk          checked once a minute: a server whose databases and write-ahead log exceed diskSizeGB gets
**                 default_transaction_read_only, until a twentieth is free again. A user can override that in its own session, and a
**                 server can grow further within a minute: the limit is not strict
** Processors are not bounded. A change of the tier restarts the server.
**
** SNAPSHOTS are base backups with a manifest (SHA-256), verified by pg_verifybackup when they are taken and again before they are restored;
** a paused cluster is copied and compared byte by byte. A restored server replaces the old one when it has started and has as many relations
** as the snapshot; until then the old server is kept, and returns if the restore fails. A failure gives its reason.
**
** QUESTIONS. Figures are sampled once a minute, from statistics views and /proc, and kept in memory: 720 minutes, and 720 half hours; a
** new process begins without a past. Slow queries (100 ms and more) come from the log, with plans by auto_explain; queryStats from
** pg_stat_statements, if installed: all since it began to count; collections, indexes and their use from the catalogs; logins and logs from
** the server's log, which is rotated at 16 MB and read 4 MB deep. A schema has current figures only, a single table has none. For unknown
** figures the driver returns SVC_NOT_FOUND.
**
** Search indexes, archives, outages and access lists exist in the service only and have no effect here. Exports, live migrations, sample
** data, downloads of snapshots and restores of a point in time fail with a reason.
**
** A thread of the driver carries out orders one after the other; perform() only queues them. The rule: every step can be repeated, because
** an order may arrive again; a step checks what exists and does what is missing. Servers outlive the process that created them; the next
** process finds them by their folders and starts those that should run.
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
/* Call it after svc_open(): from now on the driver reports servers that have ended or moved to `s`. */
void driver_postgres_attach(driver_postgres *d, svc *s);
/* Call it before svc_close(), after the last svc_tick(): finishes the orders in progress; the servers continue to run. */
void driver_postgres_stop(driver_postgres *d);
/* After svc_close(). */
void driver_postgres_close(driver_postgres *d);

#endif
