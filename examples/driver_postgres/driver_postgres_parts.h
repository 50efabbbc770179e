/*
** Declarations shared by the parts of the PostgreSQL driver. driver_postgres.h is the public header; open.c lists the parts.
*/
#ifndef DRIVER_POSTGRES_PARTS_H
#define DRIVER_POSTGRES_PARTS_H

#include "driver_postgres.h"

#include <dirent.h>
#include <frozen.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define DRIVER_PATH 512
#define DRIVER_FOLDER 80     /* bytes of FOLDER: the path of a socket in it has at most 107 */
#define DRIVER_QUEUE 256     /* queued orders; further ones get SVC_BUSY, and the service sends them again */
#define DRIVER_QUEUE_SHARE 64 /* queued orders of one organization, which leaves room for others */
#define DRIVER_NAME 63       /* bytes of a name in PostgreSQL (NAMEDATALEN - 1), which cuts off longer names */
#define DRIVER_ROLES 128     /* roles of a database user; the API allows 100 */
#define DRIVER_FILE (1 << 20) /* most bytes of a control file */
#define DRIVER_ADMIN "svc_admin" /* the driver's own role: a superuser that can connect only by the socket */
#define DRIVER_OWN "(usename = '" DRIVER_ADMIN "' and application_name = 'svcd')" /* in pg_stat_activity: the connection of probe.c */
#define DRIVER_STATS "svc_stats" /* the schema of pg_stat_statements, which belongs to no tenant */
#define DRIVER_SLOW 100          /* milliseconds; the server logs queries that take at least this long */
#define DRIVER_SAMPLES 720       /* number of samples kept, of minutes and of half hours */
#define DRIVER_NO_MEMORY "no memory"

/*
** Threads that carry out orders, and start and repair servers (pool.c). The threads mostly wait for
** a child process, such as psql or initdb, so there are more of them than processors. An
** organization uses at most a quarter of them at a time: servers that hang delay the orders of their
** own organization.
*/
#define DRIVER_THREADS 16
#define DRIVER_SHARE (DRIVER_THREADS / 4)
#define DRIVER_GRACE 4000 /* milliseconds that work has left when the driver stops */

/*
** Questions that one server answers at a time. Tenants can use up all connections but
** DRIVER_RESERVED, which are for the driver: of a task of the pool, of the probe, and of these
** questions. So neither a tenant's sessions nor its questions keep an order from the server.
*/
#define DRIVER_QUESTIONS 3
#define DRIVER_RESERVED (DRIVER_QUESTIONS + 2)

typedef struct driver_result {
  int code;
  char facts[3 * DRIVER_PATH];
  char *large;    /* facts that do not fit into `facts`, freed after the report; NULL: none */
  char why[1024]; /* reason of a failure; "": the log of the driver has it */
} driver_result;

typedef struct driver_order {
  struct driver_order *next;
  svc *s;
  char id[32], action[48], resource_id[32], parent_id[32], group_id[32], org_id[32], name[256];
  char *desired;
  int row;              /* in the table of actions; -1: an action without an effect on a server */
  int pieces;           /* tasks of the order that have not ended */
  driver_result result; /* of the tasks that have ended. d->lock guards it and `pieces` */
} driver_order;

/* A lane: work on one server, or on the files of one project, which tasks do one after the other.
** pool.c has the rules. */
typedef struct driver_lane {
  struct driver_lane *next;
  char id[32];
  int tasks;    /* tasks that name the lane */
  int running;  /* running tasks of the organization with this id */
  int64_t seen; /* the last search that met a task of the lane */
} driver_lane;

/* A piece of work for a thread of the pool. */
typedef struct driver_task {
  struct driver_task *next;
  void (*run)(driver_postgres *d, struct driver_task *t);
  driver_order *order;   /* NULL: the driver's own work, */
  int own;               /* and which one, if a server has it at most once: DRIVER_OWN_START, ... */
  driver_lane *lanes[2]; /* the task runs alone on both; the second may be NULL */
  driver_lane *owner;    /* the organization whose share of threads the task uses */
  char user[32], name[DRIVER_NAME + 1]; /* of the database user that the task is about */
  int running;
} driver_task;

/* The driver's own work on a server. While a start is queued, the watch leaves the server alone. */
enum { DRIVER_OWN_START = 1, DRIVER_OWN_SAMPLE = 2, DRIVER_OWN_MEND = 4 };

/* The figures of a sample. Those up to DRIVER_F_READ_ONLY are in the order of the columns of sample_sql (sample.c). */
enum driver_figures {
  DRIVER_F_CONNECTIONS, DRIVER_F_WAITING, DRIVER_F_INSERTED, DRIVER_F_UPDATED, DRIVER_F_DELETED, DRIVER_F_FETCHED, DRIVER_F_RETURNED,
  DRIVER_F_COMMITS, DRIVER_F_ROLLBACKS, DRIVER_F_READ, DRIVER_F_HIT, DRIVER_F_SPILLS, DRIVER_F_CONFLICTS, DRIVER_F_SIZE, DRIVER_F_WAL_SIZE,
  DRIVER_F_WRITTEN, DRIVER_F_WAL, DRIVER_F_INDEX_READ, DRIVER_F_INDEX_HIT, DRIVER_F_BUFFERS, DRIVER_F_READ_ONLY,
  DRIVER_F_USER, DRIVER_F_KERNEL, DRIVER_F_FAULTS, DRIVER_F_RESIDENT, DRIVER_F_SHARED, DRIVER_F_VIRTUAL, DRIVER_F_CPU_USER,
  DRIVER_F_CPU_NICE, DRIVER_F_CPU_KERNEL, DRIVER_F_CPU_IOWAIT, DRIVER_F_CPU_IRQ, DRIVER_F_CPU_SOFTIRQ, DRIVER_F_CPU_STEAL,
  DRIVER_F_CPU_GUEST, DRIVER_F_MEMORY_FREE, DRIVER_F_MEMORY_AVAILABLE, DRIVER_F_MEMORY_USED, DRIVER_F_SWAP_FREE, DRIVER_F_SWAP_USED,
  DRIVER_F_NETWORK_IN, DRIVER_F_NETWORK_OUT, DRIVER_F_DISK_USED, DRIVER_F_DISK_FREE, DRIVER_F_RESTARTS, DRIVER_FIGURES
};

typedef struct driver_sample {
  int64_t at; /* seconds since 1970; 0: no sample */
  int64_t figures[DRIVER_FIGURES];
} driver_sample;

/* A server as the watch sees it. Only the thread that holds the server (driver_hold()) may change
** it; the samples, `told`, `held` and the members from `own` on also need d->servers_lock. */
enum { DRIVER_UNTOLD = -1 };
typedef struct driver_server {
  struct driver_server *next;
  char id[32];
  int held;               /* an order or the watch works on the server */
  int told, told_port;    /* last report: 1 up, 0 down, or DRIVER_UNTOLD; and the port */
  pid_t pid;              /* the postmaster; 0: unknown */
  int64_t started;        /* start time of the postmaster, in system ticks */
  int probe;              /* connection that checks whether the server answers; 0: none */
  int64_t silent;         /* time since which the server does not answer, by driver_now(); 0: it answers */
  int tries, restarts;    /* failed starts since the server ended; successful restarts */
  int64_t try_at;         /* earliest time of the next start, by driver_now() */
  int64_t sampled;        /* time of the last sample, in seconds since 1970 */
  driver_sample *minutes, *halves;
  int own;                /* the driver's own work on it that is queued or runs: DRIVER_OWN_START, ... */
  int questions;          /* questions that the server answers now */
  int mends;              /* failed repetitions */
  int64_t mend_at;        /* time of the next repetition, by driver_now(); 0: nothing has failed */
} driver_server;

/* The limits of a tier. */
typedef struct driver_limits {
  int64_t memory, disk;  /* bytes; disk 0: no limit */
  int64_t buffers, work; /* megabytes */
  int connections;
} driver_limits;

/* The limits of a program that the driver runs. */
typedef struct driver_bounds {
  int seconds;    /* timeout, after which the program is killed; 0: none */
  int64_t memory; /* bytes of private memory for each of its processes; 0: no limit */
  int group;      /* descriptor of the file that moves a process into a cgroup; 0 or less: none */
  const char *what; /* what did not answer in time: "the server"; NULL: the name of the program */
} driver_bounds;

/* How long a script may take on a server; server.c has the times. */
enum driver_patience {
  DRIVER_QUESTION, /* a caller of the API waits, or the watch, which has other servers to check */
  DRIVER_STEP,     /* a step of an order */
  DRIVER_LONG      /* a step whose work grows with what tenants have made; an extension */
};
/* results of driver_sql(): a lock was not free in time; the server did not answer in time */
enum { DRIVER_LOCKED = 200, DRIVER_LATE };

/* A growing text. */
typedef struct driver_text {
  FILE *file;
  char *bytes;
  size_t length;
} driver_text;

/* An entry of a server's log. */
typedef struct driver_entry {
  int64_t at; /* milliseconds since 1970 */
  const char *from, *address, *text;
  size_t length, address_length, text_length;
} driver_entry;

struct driver_postgres {
  driver_postgres_config config;
  char folder[DRIVER_FOLDER + 1], bin[DRIVER_PATH];
  uid_t uid; /* of the servers' user, which may be the user of svcd */
  gid_t gid, groups[32];
  int group_count;
  char user[64]; /* name of the servers' user; "": the user of svcd */
  char version[32]; /* of PostgreSQL, "15.8" */
  int root, control; /* descriptors of FOLDER and FOLDER/control, which only svcd can write to */
  svc_driver driver;
  pthread_t threads[DRIVER_THREADS];
  int thread_count;
  pthread_mutex_t lock;
  pthread_cond_t more;
  driver_order *orders; /* taken and not reported */
  driver_task *first, *last;
  driver_lane *lanes;
  int64_t searches;
  int waiting, ending;
  int64_t stop_at; /* when programs are killed, by driver_now(), once the driver ends */
  svc *s;          /* the watch reports to it; NULL: none yet. `lock` guards `orders` to `s` */
  pthread_mutex_t ports_lock; /* held while a port is chosen and written down */
  pthread_t watcher;
  pthread_cond_t round;
  pthread_mutex_t servers_lock;
  pthread_cond_t released;
  driver_server *servers;
  int explains, statements; /* auto_explain and pg_stat_statements are installed */
};

/* Privileges of a user in a schema, as bits: read tables; read and change tables and create new ones; only create new ones. */
enum driver_level { DRIVER_NOTHING = 0, DRIVER_READS = 1, DRIVER_WRITES = 2, DRIVER_MAKES = 4 };

typedef struct driver_account {
  char *name, *verifier;
  struct {
    char *schema;
    int level;
  } grants[DRIVER_ROLES];
  int grant_count, anywhere, monitors, signals;
  int custom; /* the user has custom roles */
} driver_account;

/* The context in which a role name is resolved: the project, and the vendor word in built-in names. */
typedef struct driver_place {
  const driver_postgres *d;
  const char *group, *vendor;
} driver_place;

/* An iterator over the users of a project; it skips users that are invalid on a server. */
typedef struct driver_users {
  DIR *folder;
  char id[32], *text, *json;
  driver_account account;
} driver_users;

/* files.c */
int64_t driver_now(void);
void driver_say(driver_postgres *d, int level, const char *event, const char *format, ...);
void driver_path(const driver_postgres *d, char out[DRIVER_PATH], const char *first, const char *second);
int driver_is_id(const char *name);
int driver_is(int at, const char *first, const char *second, mode_t kind);
int driver_knows(const driver_postgres *d, const char *first, const char *second);
int driver_control_folder(const driver_postgres *d, const char *name);
int driver_server_folder(const driver_postgres *d, const char *name);
int driver_write_at(int at, const char *path, const char *text, mode_t mode);
int driver_write(const driver_postgres *d, const char *first, const char *second, const char *text);
ssize_t driver_read_at(int at, const char *path, char *out, size_t size);
int driver_read(const driver_postgres *d, const char *first, const char *second, char *out, size_t size);
/* The organization that a server's work counts for: the order that made it has told; before, its project. Returns 0, or -1: no such server. */
int driver_owner(const driver_postgres *d, const char *id, char out[32]);
void driver_unlink(const driver_postgres *d, const char *first, const char *second);
DIR *driver_list(int at, const char *name);
int driver_next(DIR *folder, char id[32]);
void driver_forget(const driver_postgres *d, const char *name);

/* programs.c */
int driver_become(const driver_postgres *d);
int driver_reaches(const driver_postgres *d);
int driver_run_in(driver_postgres *d, const driver_bounds *bounds, const char *input, char *said, size_t size, char *argv[]);
int driver_run(driver_postgres *d, const char *input, char *said, size_t size, char *argv[]);
int64_t driver_process(const driver_postgres *d, pid_t pid);
int driver_stopping(driver_postgres *d);
void driver_words(const driver_postgres *d, char *said);
int driver_remove(driver_postgres *d, const char *first, const char *second);
int driver_remove_server(driver_postgres *d, const char *id);
int64_t driver_size(driver_postgres *d, char *path);
int driver_copy(driver_postgres *d, const char *from, const char *to);

/* account.c */
void driver_account_free(driver_account *a);
char *driver_string(const char *json, int n, const char *format, int *control);
const char *driver_bad_user_name(const char *name, int control);
const char *driver_bad_schema(const char *name, int control);
int driver_account_grant(driver_account *a, const char *schema, int level, char *why, size_t size);
int driver_account_role(driver_account *a, const driver_place *at, const char *name, const char *database, int depth, char *why, size_t size);
int driver_account_read(driver_account *a, const driver_place *at, const char *json, char *why, size_t size);
int driver_in_scope(const char *json, const char *cluster);

/* grants.c */
void driver_quote(FILE *sql, const char *text, char mark);
void driver_print(FILE *sql, const char *text, const char *name);
extern const char driver_sql_schema[];
extern const char driver_sql_bare[];
extern const char driver_sql_defaults[];
extern const char driver_sql_guard[];
extern const char driver_sql_writer[];
extern const char driver_sql_drop[];
extern const char driver_sql_one[];
extern const char driver_sql_out[];
void driver_account_sql(FILE *sql, const driver_account *a);
extern const char driver_sql_prepare[];
extern const char driver_sql_statements[];

/* users.c */
int driver_user_on(driver_postgres *d, const char *group, const char *id, const char *user,
                   const char *name, char *said, size_t size);
int driver_put_user(driver_postgres *d, const char *id, const driver_account *a, const char *json, char *said, size_t size);
void driver_users_begin(const driver_postgres *d, const char *group, driver_users *u);
int driver_users_next(const driver_postgres *d, const char *group, driver_users *u);
void driver_users_end(driver_users *u);
int driver_lock_out_others(driver_postgres *d, const char *group, const char *id, char *said, size_t size);
int driver_user(driver_postgres *d, driver_order *o, driver_result *r);
int driver_forget_user(driver_postgres *d, driver_order *o, driver_result *r);
int driver_put_customs_again(driver_postgres *d, driver_order *o, driver_result *r);

/* mend.c */
void driver_mend_later(driver_postgres *d, const char *id, const char *user, const char *name);
void driver_mended(driver_postgres *d, const char *id, const char *name);
void driver_mend_begin(driver_postgres *d, const char *id);
void driver_mend_now(driver_postgres *d, const char *group);
void driver_mend_due(driver_postgres *d, const char *id);

/* customs.c */
int driver_custom(driver_account *a, const driver_place *at, const char *name, int depth, char *why, size_t size);
int driver_custom_put(driver_postgres *d, driver_order *o, driver_result *r);
int driver_custom_gone(driver_postgres *d, driver_order *o, driver_result *r);

/* server.c */
int driver_sql(driver_postgres *d, int patience, const char *id, const char *sql, char *said,
               size_t size);
int driver_sql_about(driver_postgres *d, int patience, const char *id, const char *text,
                     const char *name, char *said, size_t size);
int driver_is_running(driver_postgres *d, const char *id);
pid_t driver_postmaster(driver_postgres *d, const char *id);
void driver_speaks(const driver_postgres *d, char *out, size_t size);
int driver_start(driver_postgres *d, const char *id);
int driver_stop(driver_postgres *d, const char *id);
int driver_settle(driver_postgres *d, const char *group, const char *id);
int driver_make(driver_postgres *d, const char *id, const char *group, const char *name);
int driver_find(driver_postgres *d, const char *group, const char *name, char id[32]);
int driver_resume(driver_postgres *d);

/* backup.c */
int driver_snapshot(driver_postgres *d, driver_order *o, driver_result *r);
int driver_forget_snapshot(driver_postgres *d, driver_order *o, driver_result *r);
int driver_restore(driver_postgres *d, driver_order *o, driver_result *r);
int driver_restore_target(driver_postgres *d, const driver_order *o, char id[32]);

/* orders.c */
int driver_fail(driver_result *r, const char *format, ...);
int driver_take(void *context, svc *s, const svc_order *order);
int driver_pieces(driver_postgres *d, driver_order *o, const char *user, const char *name,
                  void (*run)(driver_postgres *d, driver_task *t));
void driver_piece_ended(driver_postgres *d, driver_order *o, int status, driver_result *r);

/* pool.c */
int driver_pool_add(driver_postgres *d, const driver_task *like, const char *lane,
                    const char *second, const char *owner);
int driver_pool_add_locked(driver_postgres *d, const driver_task *like, const char *lane,
                           const char *second, const char *owner);
int driver_pool_begin(driver_postgres *d);
void driver_pool_join(driver_postgres *d);
void driver_pool_free(driver_postgres *d);

/* text.c */
int driver_text_begin(driver_text *t);
char *driver_text_end(driver_text *t);
int driver_text_reply(driver_text *t, svc_reply *reply);
void driver_json(FILE *out, const char *text, size_t n);
int64_t driver_long(const char *json, const char *format, int64_t otherwise);

/* limits.c */
void driver_limits_of(const driver_postgres *d, const char *id, driver_limits *out);
int driver_limits_put(const driver_postgres *d, const char *id, const char *desired);
void driver_limits_begin(const char *id, const driver_limits *l, driver_bounds *out);
void driver_limits_end(driver_bounds *b);
void driver_limits_gone(const char *id);
int driver_limit_child(const driver_bounds *b);

/* watch.c */
driver_server *driver_server_of(driver_postgres *d, const char *id);
void driver_hold(driver_postgres *d, const char *id);
void driver_release(driver_postgres *d, const char *id);
void driver_server_gone(driver_postgres *d, const char *id);
driver_server *driver_server_make(driver_postgres *d, const char *id);
int driver_own_later(driver_postgres *d, const char *id, int own,
                     void (*run)(driver_postgres *d, driver_task *t));
void driver_own_end(driver_postgres *d, const char *id, int own);
void driver_servers_free(driver_postgres *d);
void *driver_watch(void *context);

/* probe.c */
int driver_answers(const driver_postgres *d, driver_server *s);
void driver_probe_end(driver_server *s);
void driver_kill(const driver_postgres *d, pid_t postmaster);

/* sample.c */
int driver_sample_take(driver_postgres *d, const driver_server *s, driver_sample *out);
void driver_sample_keep(driver_server *s, const driver_sample *sample);
const driver_sample *driver_sample_in(const driver_server *s, int64_t from, int64_t until, int64_t step);

/* series.c */
int driver_figure_now(driver_postgres *d, const char *id, const char *name, int64_t *out);
void driver_thousandths(FILE *out, int64_t value);
int driver_series(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out);
int driver_measure(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_measure_all(driver_postgres *d, driver_order *o, driver_result *r);

/* tables.c */
int driver_tell(driver_postgres *d, const char *id, const char *sql, svc_reply *reply);
int driver_collections(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_names(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_place_series(driver_postgres *d, const svc_question *q, const int64_t span[3], svc_reply *reply);

/* queries.c */
int driver_slow_queries(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_query_stats(driver_postgres *d, const svc_question *q, svc_reply *reply);

/* logs.c, logins.c */
char *driver_log_read(driver_postgres *d, const char *id, size_t *length);
const char *driver_log_next(const char *at, const char *end, driver_entry *e);
void driver_log_bound(driver_postgres *d, const char *id);
void driver_log_reason(driver_postgres *d, const char *id, int64_t since, char *out, size_t size);
int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply);
int driver_logins(driver_postgres *d, const svc_question *q, svc_reply *reply);

/* ask.c */
int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply);

/* folder.c */
int driver_prepare(driver_postgres *d, char *why, size_t size);

#endif
