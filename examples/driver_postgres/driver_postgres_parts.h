/*
** What the parts of the PostgreSQL driver share. driver_postgres.h is its public face; open.c says where to find what.
*/
#ifndef DRIVER_POSTGRES_PARTS_H
#define DRIVER_POSTGRES_PARTS_H

#include "driver_postgres.h"

#include <dirent.h>
#include <frozen.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define DRIVER_PATH 512
#define DRIVER_FOLDER 80     /* a socket's path has 107 bytes */
#define DRIVER_QUEUE 256     /* orders that wait; beyond, the service is told to come again */
#define DRIVER_NAME 63       /* bytes of a name in PostgreSQL: NAMEDATALEN - 1; longer ones would be cut off */
#define DRIVER_ROLES 128     /* roles of a database user; the API allows 100 */
#define DRIVER_FILE (1 << 20) /* bytes of a control file, at most */
#define DRIVER_ADMIN "svc_admin" /* the driver's own role: a superuser, by the socket alone */
#define DRIVER_NO_MEMORY "no memory"

typedef struct driver_order {
  struct driver_order *next;
  svc *s;
  char id[32], action[48], resource_id[32], parent_id[32], group_id[32], name[256];
  char *desired;
} driver_order;

struct driver_postgres {
  driver_postgres_config config;
  char folder[DRIVER_FOLDER + 1], bin[DRIVER_PATH];
  uid_t uid; /* of the servers' user, who may be us */
  gid_t gid, groups[32];
  int group_count;
  char user[64]; /* "": the servers run as our own user */
  int root, control; /* descriptors of FOLDER and FOLDER/control: both are ours, and nobody else writes there */
  svc_driver driver;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t more;
  driver_order *first, *last;
  int waiting, ending;
};

enum driver_level { DRIVER_NOTHING, DRIVER_READS, DRIVER_WRITES };

typedef struct driver_account {
  char *name, *verifier;
  struct {
    char *schema;
    int level;
  } grants[DRIVER_ROLES];
  int grant_count, anywhere, monitors, signals;
} driver_account;

/* The users of a project, one after the other: those that a server can have. */
typedef struct driver_users {
  DIR *folder;
  char id[32], *text, *json;
  driver_account account;
} driver_users;

typedef struct driver_result {
  int code;
  char facts[3 * DRIVER_PATH];
  char why[1024]; /* of a failure; "": the log of the driver says more */
} driver_result;

/* files.c */
void driver_say(driver_postgres *d, int level, const char *format, ...);
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
void driver_unlink(const driver_postgres *d, const char *first, const char *second);
DIR *driver_list(int at, const char *name);
int driver_next(DIR *folder, char id[32]);
void driver_forget(const driver_postgres *d, const char *name);

/* programs.c */
int driver_become(const driver_postgres *d);
int driver_reaches(const driver_postgres *d);
int driver_run(driver_postgres *d, const char *input, char *said, size_t size, char *argv[]);
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
int driver_account_read(driver_account *a, const char *json, const char *vendor, char *why, size_t size);
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
extern const char driver_sql_no_login[];
void driver_account_sql(FILE *sql, const driver_account *a);
extern const char driver_sql_prepare[];

/* users.c */
int driver_put_user(driver_postgres *d, const char *id, const driver_account *a, const char *json, char *said, size_t size);
void driver_users_begin(const driver_postgres *d, const char *group, driver_users *u);
int driver_users_next(const driver_postgres *d, const char *group, driver_users *u);
void driver_users_end(driver_users *u);
int driver_lock_out_others(driver_postgres *d, const char *group, const char *id, char *said, size_t size);
void driver_note_failure(const driver_postgres *d, const char *group, const char *user, int failed);
int driver_user(driver_postgres *d, const driver_order *o, driver_result *r);
int driver_forget_user(driver_postgres *d, const driver_order *o, driver_result *r);

/* server.c */
int driver_sql(driver_postgres *d, const char *id, const char *sql, char *said, size_t size);
int driver_sql_about(driver_postgres *d, const char *id, const char *text, const char *name, char *said, size_t size);
int driver_is_running(driver_postgres *d, const char *id);
int driver_start(driver_postgres *d, const char *id);
int driver_stop(driver_postgres *d, const char *id);
int driver_settle(driver_postgres *d, const char *group, const char *id);
int driver_make(driver_postgres *d, const char *id, const char *group, const char *name);
int driver_find(driver_postgres *d, const char *group, const char *name, char id[32]);
void driver_resume(driver_postgres *d);

/* backup.c */
int driver_snapshot(driver_postgres *d, const driver_order *o, driver_result *r);
int driver_forget_snapshot(driver_postgres *d, const driver_order *o, driver_result *r);
int driver_restore(driver_postgres *d, const driver_order *o, driver_result *r);

/* orders.c */
int driver_fail(driver_result *r, const char *format, ...);
int driver_take(void *context, svc *s, const svc_order *order);
void *driver_work(void *context);

/* series.c */
int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out);

/* logs.c */
int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply);

/* ask.c */
int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply);

/* folder.c */
int driver_prepare(driver_postgres *d, char *why, size_t size);

#endif
