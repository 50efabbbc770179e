/*
** The driver: driver_postgres.h says what it does. From top to bottom: running programs, servers, orders, questions, the
** thread that does the orders.
*/
#define _GNU_SOURCE /* nftw, initgroups, pipe2 */
#include "driver_postgres.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <frozen.h>
#include <ftw.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER_PATH 512
#define DRIVER_FOLDER 80     /* a socket's path has 107 bytes */
#define DRIVER_QUEUE 256     /* orders that wait; beyond, the service is told to come again */
#define DRIVER_ADMIN "svc_admin"

typedef struct driver_order {
  struct driver_order *next;
  svc *s;
  char id[32], action[48], resource_id[32], parent_id[32], group_id[32], name[256];
  char *desired;
} driver_order;

struct driver_postgres {
  driver_postgres_config config;
  char folder[DRIVER_FOLDER + 1], bin[DRIVER_PATH];
  uid_t uid;
  gid_t gid;
  char user[64]; /* "": nobody else than us */
  svc_driver driver;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t more;
  driver_order *first, *last;
  int waiting, ending;
};

static void driver_say(driver_postgres *d, int level, const char *format, ...)
{
  char text[1024];
  va_list args;
  if (!d->config.log) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  d->config.log(d->config.log_context, level, text);
}

/* ---------------------------------------------------------------------------------------------------- files and programs */

static void driver_path(const driver_postgres *d, char out[DRIVER_PATH], const char *first, const char *second)
{
  snprintf(out, DRIVER_PATH, "%s/%s%s%s", d->folder, first, second ? "/" : "", second ? second : "");
}

static int driver_exists(const driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH];
  driver_path(d, path, first, second);
  return access(path, F_OK) == 0;
}

/* A folder that only the servers' user gets into. */
static int driver_folder(const driver_postgres *d, const char *path)
{
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
  return d->user[0] ? chown(path, d->uid, d->gid) : 0;
}

/* A small file: whole, or as it was. */
static int driver_write(const driver_postgres *d, const char *first, const char *second, const char *text)
{
  char path[DRIVER_PATH], fresh[DRIVER_PATH + 8];
  size_t n = strlen(text);
  int fd, good;
  driver_path(d, path, first, second);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  good = write(fd, text, n) == (ssize_t)n && (!d->user[0] || fchown(fd, d->uid, d->gid) == 0) && fsync(fd) == 0;
  close(fd);
  return good ? rename(fresh, path) : -1;
}

static int driver_read(const driver_postgres *d, const char *first, const char *second, char *out, size_t size)
{
  char path[DRIVER_PATH];
  ssize_t n;
  int fd;
  driver_path(d, path, first, second);
  out[0] = 0;
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  n = read(fd, out, size - 1);
  close(fd);
  out[n > 0 ? n : 0] = 0;
  return n > 0 ? 0 : -1;
}

static int driver_unlink(const char *path, const struct stat *info, int kind, struct FTW *at)
{
  (void)info, (void)kind, (void)at;
  return remove(path);
}

static int driver_remove(const driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH];
  driver_path(d, path, first, second);
  return access(path, F_OK) != 0 || nftw(path, driver_unlink, 16, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : -1;
}

/* In a child: become the servers' user. */
static int driver_become(const driver_postgres *d)
{
  return d->user[0] && (initgroups(d->user, d->gid) != 0 || setgid(d->gid) != 0 || setuid(d->uid) != 0) ? -1 : 0;
}

/* Can that user get to our folder at all? */
static int driver_reaches(const driver_postgres *d)
{
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) _exit(driver_become(d) != 0 || chdir(d->folder) != 0);
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* It ends with us, since what was under way then comes again; a server does not, being its child and not ours. */
static void driver_child(const driver_postgres *d, char *const argv[], int in, int out)
{
  char program[DRIVER_PATH * 2];
  snprintf(program, sizeof program, "%s/%s", d->bin, argv[0]);
  if (argv[0][0] == '/') snprintf(program, sizeof program, "%s", argv[0]);
  if (driver_become(d) != 0 || chdir("/") != 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(126);
  setenv("LC_ALL", "C", 1);
  execv(program, argv);
  _exit(127);
}

/*
** Run one of PostgreSQL's programs, or another by its whole path, with `input`, and keep what it says (of that the first
** size - 1 bytes). Returns its status. A server that it leaves behind holds none of our descriptors but the pipe of its
** output, which is why pg_ctl has -l.
*/
static int driver_run(driver_postgres *d, const char *input, char *said, size_t size, char *const argv[])
{
  int in[2], out[2], status = -1;
  char rest[512];
  size_t n = 0;
  ssize_t got;
  pid_t pid;
  said[0] = 0;
  if (pipe2(in, O_CLOEXEC) != 0) return -1;
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    return -1;
  }
  pid = fork();
  if (pid == 0) driver_child(d, argv, in[0], out[1]);
  close(in[0]), close(out[1]);
  if (pid > 0 && input && write(in[1], input, strlen(input)) < 0) n = 0; /* then it says so itself */
  close(in[1]);
  while (pid > 0 && n + 1 < size && (got = read(out[0], said + n, size - 1 - n)) > 0) n += (size_t)got;
  said[n] = 0;
  while (pid > 0 && read(out[0], rest, sizeof rest) > 0) continue; /* who is not listened to might end for it */
  close(out[0]);
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---------------------------------------------------------------------------------------------------------------- servers */

static int driver_sql(driver_postgres *d, const char *id, const char *sql, char *said, size_t size)
{
  char socket[DRIVER_PATH], port[16];
  char *argv[] = { "psql", "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-d", "postgres", "-Atq", "-v", "ON_ERROR_STOP=1", NULL };
  driver_path(d, socket, id, NULL);
  if (driver_read(d, id, "port", port, sizeof port) != 0) return -1;
  return driver_run(d, sql, said, size, argv);
}

static int driver_is_running(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[256];
  char *argv[] = { "pg_ctl", "-D", data, "status", NULL };
  driver_path(d, data, id, "data");
  return access(data, F_OK) == 0 && driver_run(d, NULL, said, sizeof said, argv) == 0;
}

/* A port that was free a moment ago: should another take it first, the next try takes another. */
static int driver_free_port(void)
{
  struct sockaddr_in at;
  socklen_t n = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = -1;
  memset(&at, 0, sizeof at);
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0)
    port = ntohs(at.sin_port);
  if (fd >= 0) close(fd);
  return port;
}

static int driver_start(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], log[DRIVER_PATH], options[DRIVER_PATH * 2], socket[DRIVER_PATH], said[1024], port[16];
  char *argv[] = { "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start", NULL };
  int tries, status = -1;
  if (driver_is_running(d, id)) return 0;
  driver_path(d, data, id, "data");
  driver_path(d, log, id, "log");
  driver_path(d, socket, id, NULL);
  for (tries = 0; tries < 3 && status != 0; tries++) {
    if (tries || driver_read(d, id, "port", port, sizeof port) != 0) {
      snprintf(port, sizeof port, "%d", driver_free_port());
      if (driver_write(d, id, "port", port) != 0) return -1;
    }
    snprintf(options, sizeof options, "-c listen_addresses=127.0.0.1 -c port=%s -c unix_socket_directories='%s' -c wal_level=replica "
             "-c max_wal_senders=4 -c max_connections=40 -c shared_buffers=16MB", port, socket);
    status = driver_run(d, NULL, said, sizeof said, argv);
  }
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s does not start: %s", id, said);
  return status;
}

static int driver_stop(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[1024];
  char *argv[] = { "pg_ctl", "-D", data, "-w", "-t", "60", "-m", "fast", "stop", NULL };
  driver_path(d, data, id, "data");
  return driver_is_running(d, id) ? driver_run(d, NULL, said, sizeof said, argv) : 0;
}

/* Users of the project, as far as there are any: each file is what makes one. */
static int driver_users(driver_postgres *d, const char *group, const char *id)
{
  char path[DRIVER_PATH], file[64], sql[4096], said[512];
  struct dirent *entry;
  DIR *folder;
  int status = 0;
  snprintf(file, sizeof file, "users/%.24s", group);
  driver_path(d, path, file, NULL);
  folder = opendir(path);
  while (folder && status == 0 && (entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] == '.' || strchr(entry->d_name, '.')) continue;
    if (driver_read(d, file, entry->d_name, sql, sizeof sql) == 0) status = driver_sql(d, id, sql, said, sizeof said);
  }
  if (folder) closedir(folder);
  return status;
}

static int driver_new_password(char out[33])
{
  static const char hex[] = "0123456789abcdef";
  unsigned char random[16];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC), i;
  ssize_t got = fd < 0 ? -1 : read(fd, random, sizeof random);
  if (fd >= 0) close(fd);
  if (got != sizeof random) return -1;
  for (i = 0; i < 32; i++) out[i] = hex[random[i / 2] >> (i % 2 ? 0 : 4) & 15];
  out[32] = 0;
  return 0;
}

/* A user to begin with, until the project has some of its own: "svc", by the password in a file beside the server. */
static int driver_first_user(driver_postgres *d, const char *id)
{
  char password[33], sql[512], said[512];
  if (driver_read(d, id, "password", password, sizeof password) != 0 &&
      (driver_new_password(password) != 0 || driver_write(d, id, "password", password) != 0))
    return -1;
  snprintf(sql, sizeof sql, "select 'create role svc login' where not exists (select from pg_roles where rolname = 'svc') \\gexec\n"
           "alter role svc password '%s';\ngrant create on schema public to svc;\n", password);
  return driver_sql(d, id, sql, said, sizeof said);
}

/* A snapshot brings the roles along that were there when it was taken: nobody gets in by them but who is a user now. */
static int driver_only_users(driver_postgres *d, const char *group, const char *id)
{
  static const char sql[] = "select format('alter role %I nologin', rolname) from pg_roles where rolcanlogin and rolname not in "
                            "('" DRIVER_ADMIN "', 'svc') \\gexec\n";
  char said[512];
  if (driver_first_user(d, id) != 0 || driver_sql(d, id, sql, said, sizeof said) != 0) return -1;
  return driver_users(d, group, id);
}

/* The server of a cluster, with whatever of it is missing. */
static int driver_make(driver_postgres *d, const char *id, const char *group, const char *name)
{
  char path[DRIVER_PATH], data[DRIVER_PATH], said[1024];
  char *argv[] = { "initdb", "-D", data, "-U", DRIVER_ADMIN, "-E", "UTF8", "--auth-local=trust", "--auth-host=scram-sha-256",
                   "--no-instructions", NULL };
  driver_path(d, path, id, NULL);
  driver_path(d, data, id, "data");
  if (!driver_exists(d, id, "made")) { /* trust holds for the socket, which lies in a folder that is nobody else's */
    driver_stop(d, id);
    if (driver_remove(d, id, "data") != 0 || driver_folder(d, path) != 0 || driver_write(d, id, "group", group) != 0 ||
        driver_write(d, id, "name", name) != 0)
      return -1;
    if (driver_run(d, NULL, said, sizeof said, argv) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres: initdb for %s: %s", id, said);
      return -1;
    }
    if (driver_write(d, id, "made", "1") != 0) return -1;
  }
  if (driver_start(d, id) != 0 || driver_first_user(d, id) != 0) return -1;
  return driver_users(d, group, id);
}

/* ---- figures */

/* What is measured, by the name that the API has for it, and how the server is asked. */
static const struct {
  const char *name, *sql;
} driver_measures[] = {
  { "CONNECTIONS", "select count(*) from pg_stat_activity where backend_type = 'client backend'" },
  { "DB_DATA_SIZE_TOTAL", "select coalesce(sum(pg_database_size(oid)), 0) from pg_database" },
  { "OPCOUNTER_INSERT", "select coalesce(sum(tup_inserted), 0) from pg_stat_database" },
  { "OPCOUNTER_UPDATE", "select coalesce(sum(tup_updated), 0) from pg_stat_database" },
  { "OPCOUNTER_DELETE", "select coalesce(sum(tup_deleted), 0) from pg_stat_database" },
  { "OPCOUNTER_CMD", "select coalesce(sum(xact_commit + xact_rollback), 0) from pg_stat_database" },
};

/* SVC_INVALID: nobody knows how to measure that. */
static int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out)
{
  char said[256], *end = said;
  size_t i;
  for (i = 0; i < sizeof driver_measures / sizeof driver_measures[0]; i++) {
    if (strcmp(driver_measures[i].name, name) != 0) continue;
    if (driver_sql(d, id, driver_measures[i].sql, said, sizeof said) != 0) return SVC_IO;
    *out = strtoll(said, &end, 10);
    return end > said ? SVC_OK : SVC_IO;
  }
  return SVC_INVALID;
}

/* ----------------------------------------------------------------------------------------------------------------- orders */

typedef struct driver_result {
  int code;
  char facts[3 * DRIVER_PATH];
} driver_result;

/* Where the server is, and how much it holds. */
static void driver_hosts(driver_postgres *d, const char *id, driver_result *r)
{
  int64_t size = 0;
  char port[16];
  if (driver_read(d, id, "port", port, sizeof port) != 0) return;
  snprintf(r->facts, sizeof r->facts, "{\"hosts\":[\"127.0.0.1:%s\"]}", port);
  if (driver_figure(d, id, "DB_DATA_SIZE_TOTAL", &size) == SVC_OK)
    snprintf(r->facts, sizeof r->facts, "{\"dataSizeBytes\":%lld,\"hosts\":[\"127.0.0.1:%s\"]}", (long long)size, port);
}

static bool driver_is_true(const driver_order *o, const char *format)
{
  bool value = false;
  json_scanf(o->desired, (int)strlen(o->desired), format, &value);
  return value;
}

static int driver_cluster(driver_postgres *d, const driver_order *o, driver_result *r)
{
  int status;
  if (driver_is_true(o, "{paused:%B}")) {
    driver_write(d, o->resource_id, "paused", "1");
    return driver_stop(d, o->resource_id);
  }
  driver_remove(d, o->resource_id, "paused");
  status = driver_make(d, o->resource_id, o->group_id, o->name);
  driver_hosts(d, o->resource_id, r);
  return status;
}

static int driver_delete(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)r;
  if (driver_stop(d, o->resource_id) != 0) return -1;
  return driver_remove(d, o->resource_id, NULL);
}

/* Bytes of all files in a folder. nftw() has no context: one order is done at a time, on one thread. */
static int64_t driver_bytes;
static int driver_count(const char *path, const struct stat *info, int kind, struct FTW *at)
{
  (void)path, (void)at;
  if (kind == FTW_F) driver_bytes += info->st_size;
  return 0;
}

/* A folder, copied as it is. */
static int driver_copy(driver_postgres *d, const char *from, const char *to)
{
  char said[512];
  char *argv[] = { "/bin/cp", "-a", (char *)from, (char *)to, NULL };
  int status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: %s cannot be copied: %s", from, said);
  return status;
}

/* A base backup of the server, or, while its cluster is paused, a copy of what it left. */
static int driver_back_up(driver_postgres *d, const char *id, char *to)
{
  char data[DRIVER_PATH], socket[DRIVER_PATH], port[16], said[1024];
  char *argv[] = { "pg_basebackup", "-D", to, "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-X", "stream", "-c", "fast", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  driver_path(d, data, id, "data");
  if (driver_exists(d, id, "paused")) return driver_stop(d, id) == 0 ? driver_copy(d, data, to) : -1;
  if (driver_read(d, id, "port", port, sizeof port) != 0) return -1;
  status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: no snapshot of %s: %s", id, said);
  return status;
}

/* It has its name when it is complete. */
static int driver_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char path[DRIVER_PATH], part[DRIVER_PATH], file[64], partial[72];
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  driver_path(d, path, file, NULL);
  driver_path(d, part, partial, NULL);
  if (access(path, F_OK) != 0 &&
      (driver_remove(d, partial, NULL) != 0 || driver_back_up(d, o->parent_id, part) != 0 || rename(part, path) != 0))
    return -1;
  driver_bytes = 0;
  nftw(path, driver_count, 16, FTW_PHYS);
  snprintf(r->facts, sizeof r->facts, "{\"storageSizeBytes\":%lld}", (long long)driver_bytes);
  return 0;
}

static int driver_forget_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char file[64], partial[72];
  (void)r;
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  return driver_remove(d, partial, NULL) == 0 ? driver_remove(d, file, NULL) : -1;
}

/* The server of the cluster of this name. */
static int driver_find(driver_postgres *d, const char *group, const char *name, char id[32])
{
  char its_group[32], its_name[256];
  struct dirent *entry;
  DIR *folder = opendir(d->folder);
  int found = 0;
  while (folder && !found && (entry = readdir(folder)) != NULL)
    if (strlen(entry->d_name) == 24 && driver_read(d, entry->d_name, "group", its_group, sizeof its_group) == 0 &&
        driver_read(d, entry->d_name, "name", its_name, sizeof its_name) == 0 && strcmp(its_group, group) == 0 &&
        strcmp(its_name, name) == 0) {
      snprintf(id, 32, "%.24s", entry->d_name);
      found = 1;
    }
  if (folder) closedir(folder);
  return found;
}

/* The server begins again as a copy of the snapshot: the copy is complete before what it had is gone. */
static int driver_begin_again(driver_postgres *d, const char *group, const char *id, const char *from)
{
  char data[DRIVER_PATH], fresh[DRIVER_PATH];
  driver_path(d, data, id, "data");
  driver_path(d, fresh, id, "data.new");
  if (driver_remove(d, id, "data.new") != 0 || driver_copy(d, from, fresh) != 0 || driver_stop(d, id) != 0) return -1;
  if (driver_remove(d, id, "data") != 0 || rename(fresh, data) != 0 || driver_start(d, id) != 0) return -1;
  return driver_only_users(d, group, id);
}

/* What a job asks for, by the names that it has in jobs of clusters and of flex clusters. */
typedef struct driver_job {
  char *snapshot, *group, *name;
} driver_job;

static void driver_read_job(const driver_order *o, driver_job *job)
{
  int n = (int)strlen(o->desired);
  memset(job, 0, sizeof *job);
  json_scanf(o->desired, n, "{snapshotId:%Q,targetClusterName:%Q,targetGroupId:%Q}", &job->snapshot, &job->name, &job->group);
  if (!job->name) json_scanf(o->desired, n, "{targetDeploymentItemName:%Q}", &job->name);
  if (!job->group) json_scanf(o->desired, n, "{targetProjectId:%Q}", &job->group);
}

/* Into a cluster; or to be fetched, and then it is enough to say where it lies. */
static int driver_restore(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char from[DRIVER_PATH], file[64], target[32];
  const char *group, *why = NULL;
  driver_job job;
  int status = -1;
  driver_read_job(o, &job);
  group = job.group ? job.group : o->group_id;
  snprintf(file, sizeof file, "snapshots/%.24s", job.snapshot ? job.snapshot : "");
  driver_path(d, from, file, NULL);
  if (!job.snapshot || strspn(job.snapshot, "0123456789abcdef") != 24) why = "only whole snapshots are restored, no points in time";
  else if (access(from, F_OK) != 0) why = "the snapshot is not there";
  else if (job.name && !driver_find(d, group, job.name, target)) why = "the cluster is not there";
  if (!why && job.name) status = driver_begin_again(d, group, target, from);
  if (!why && !job.name) {
    snprintf(r->facts, sizeof r->facts, "{\"deliveryUrl\":[\"file://%s\"],\"url\":\"file://%s\"}", from, from);
    status = 0;
  }
  if (why) driver_say(d, SVC_LOG_ERROR, "postgres: restore %s: %s", o->resource_id, why);
  free(job.snapshot);
  free(job.group);
  free(job.name);
  return status;
}

/* As a literal of SQL, or an identifier: between marks, and marks in it doubled. What has control characters is refused. */
static int driver_quote(char *out, size_t size, const char *text, char mark)
{
  size_t n = 0;
  out[n++] = mark;
  for (; *text; text++) {
    if ((unsigned char)*text < 32 || n + 4 > size) return 0;
    if (*text == mark) out[n++] = mark;
    out[n++] = *text;
  }
  out[n++] = mark;
  out[n] = 0;
  return 1;
}

/*
** A database user: its role is made of the verifier that the control plane keeps, which is what PostgreSQL itself would make
** of the password. The order holds it as text of the form SCRAM-SHA-256$...; whatever else is in the body is not looked at.
*/
static int driver_user(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char file[128], path[DRIVER_PATH], sql[4096], literal[600], role[600], *name = NULL, *verifier = NULL, said[512], group[32];
  struct dirent *entry;
  DIR *folder;
  int status = -1;
  (void)r;
  json_scanf(o->desired, (int)strlen(o->desired), "{username:%Q,verifier:%Q}", &name, &verifier);
  if (!name || !verifier || strncmp(verifier, "SCRAM-SHA-256$", 14) != 0 || strlen(verifier) > 500) goto end;
  if (!driver_quote(literal, sizeof literal, name, '\'') || !driver_quote(role, sizeof role, name, '"')) goto end;
  if (strcspn(verifier, "'\n") != strlen(verifier)) goto end;
  snprintf(sql, sizeof sql, "select format('create role %%I login', %s) where not exists (select from pg_roles where rolname = %s) "
           "\\gexec\nalter role %s login password '%s';\ngrant pg_read_all_data, pg_write_all_data to %s;\n"
           "grant create on schema public to %s;\n", literal, literal, role, verifier, role, role);
  driver_path(d, path, "users", NULL);
  if (driver_folder(d, path) != 0) goto end;
  snprintf(file, sizeof file, "users/%s", o->group_id);
  driver_path(d, path, file, NULL);
  if (driver_folder(d, path) != 0 || driver_write(d, file, o->resource_id, sql) != 0) goto end;
  status = 0;
  folder = opendir(d->folder);
  while (folder && status == 0 && (entry = readdir(folder)) != NULL)
    if (strlen(entry->d_name) == 24 && driver_read(d, entry->d_name, "group", group, sizeof group) == 0 &&
        strcmp(group, o->group_id) == 0 && driver_is_running(d, entry->d_name))
      status = driver_sql(d, entry->d_name, sql, said, sizeof said);
  if (folder) closedir(folder);
end:
  free(name);
  free(verifier);
  return status;
}

/* Its role goes from every server of the project; what it owns there stays, with whom the servers begin. */
static int driver_forget_user(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char file[128], sql[2048], literal[600], role[600], *name = NULL, said[512], group[32];
  struct dirent *entry;
  DIR *folder;
  int status = -1;
  (void)r;
  json_scanf(o->desired, (int)strlen(o->desired), "{username:%Q}", &name);
  snprintf(file, sizeof file, "users/%.24s", o->group_id);
  if (name && driver_quote(literal, sizeof literal, name, '\'') && driver_quote(role, sizeof role, name, '"') &&
      driver_remove(d, file, o->resource_id) == 0) {
    snprintf(sql, sizeof sql, "select format('reassign owned by %%I to svc', rolname), format('drop owned by %%I', rolname), "
             "format('drop role %%I', rolname) from pg_roles where rolname = %s \\gexec\n", literal);
    status = 0;
    folder = opendir(d->folder);
    while (folder && status == 0 && (entry = readdir(folder)) != NULL)
      if (strlen(entry->d_name) == 24 && driver_read(d, entry->d_name, "group", group, sizeof group) == 0 &&
          strcmp(group, o->group_id) == 0 && driver_is_running(d, entry->d_name))
        status = driver_sql(d, entry->d_name, sql, said, sizeof said);
    if (folder) closedir(folder);
  }
  free(name);
  return status;
}

/* What would have to bring data from elsewhere, or take it there: a server like this has nobody to ask. */
static int driver_cannot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)r;
  driver_say(d, SVC_LOG_WARNING, "postgres: this driver has no way to do %s", o->action);
  return -1;
}

static const struct {
  const char *action;
  int (*run)(driver_postgres *d, const driver_order *o, driver_result *r);
} driver_actions[] = {
  { "cluster.create", driver_cluster },   { "cluster.update", driver_cluster }, { "cluster.delete", driver_delete },
  { "flex.create", driver_cluster },      { "flex.delete", driver_delete },
  { "snapshot.take", driver_snapshot },   { "snapshot.delete", driver_forget_snapshot }, { "restore.run", driver_restore },
  { "user.put", driver_user },            { "user.delete", driver_forget_user },
  { "export.run", driver_cannot },        { "migration.validate", driver_cannot },
  { "migration.copy", driver_cannot },    { "migration.cutover", driver_cannot }, { "sampleDataset.load", driver_cannot },
};

/* What a server like this knows nothing of (driver_postgres.h names it) is done as it is: nothing is to do for it here. */
static void driver_perform(driver_postgres *d, const driver_order *o)
{
  driver_result r = { SVC_OK, "" };
  size_t i;
  for (i = 0; i < sizeof driver_actions / sizeof driver_actions[0]; i++)
    if (strcmp(driver_actions[i].action, o->action) == 0 && driver_actions[i].run(d, o, &r) != 0) {
      r.code = SVC_IO;
      snprintf(r.facts, sizeof r.facts, "{\"reason\":\"%s failed: the log of the service says why\"}", o->action);
    }
  if (svc_order_done(o->s, o->id, r.code, r.facts[0] ? r.facts : NULL) != SVC_OK)
    driver_say(d, SVC_LOG_ERROR, "postgres: %s could not be reported, and will come again", o->action);
}

static int driver_take(void *context, svc *s, const svc_order *order)
{
  driver_postgres *d = context;
  driver_order *o, *other;
  int code = SVC_OK;
  pthread_mutex_lock(&d->lock);
  for (other = d->first; other && strcmp(other->id, order->id) != 0; other = other->next) continue;
  o = other || d->ending || d->waiting == DRIVER_QUEUE ? NULL : calloc(1, sizeof *o);
  if (o) o->desired = strndup(order->desired ? order->desired : "{}", order->desired ? order->desired_length : 2);
  if (o && o->desired) {
    o->s = s;
    snprintf(o->id, sizeof o->id, "%s", order->id);
    snprintf(o->action, sizeof o->action, "%s", order->action);
    snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
    snprintf(o->parent_id, sizeof o->parent_id, "%s", order->parent_id);
    snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
    snprintf(o->name, sizeof o->name, "%s", order->name);
    if (d->last) d->last->next = o;
    else d->first = o;
    d->last = o;
    d->waiting++;
    pthread_cond_signal(&d->more);
  } else if (!other) {
    free(o);
    code = SVC_BUSY;
  }
  pthread_mutex_unlock(&d->lock);
  return code;
}

/* -------------------------------------------------------------------------------------------------------------- questions */

/* One figure of a cluster: {"metric":"CONNECTIONS"}. */
static int driver_measure(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char text[64], *name = NULL;
  int status = SVC_INVALID;
  int64_t value = 0;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{metric:%Q}", &name);
  if (name) status = driver_figure(d, q->resource_id, name, &value);
  free(name);
  if (status != SVC_OK) return status;
  snprintf(text, sizeof text, "{\"value\":%lld}", (long long)value);
  return svc_reply_add(reply, text, strlen(text));
}

/* The end of what the server has written down. */
static int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char path[DRIVER_PATH], bytes[4096];
  off_t size, from;
  ssize_t n;
  int fd, code = SVC_OK;
  driver_path(d, path, q->resource_id, "log");
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SVC_IO;
  size = lseek(fd, 0, SEEK_END);
  from = size > (off_t)q->most ? size - (off_t)q->most : 0;
  while (code == SVC_OK && (n = pread(fd, bytes, sizeof bytes, from)) > 0) {
    code = svc_reply_add(reply, bytes, (size_t)n);
    from += n;
  }
  close(fd);
  return code == SVC_FULL ? SVC_OK : code;
}

static int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_postgres *d = context;
  (void)s;
  if (strlen(q->resource_id) != 24) return SVC_INVALID;
  if (strcmp(q->what, "measure") == 0) return driver_measure(d, q, reply);
  return strcmp(q->what, "logs") == 0 ? driver_logs(d, q, reply) : SVC_INVALID;
}

/* --------------------------------------------------------------------------------------------------------------- the thread */

/* What should run and does not, because the machine was started anew. */
static void driver_resume(driver_postgres *d)
{
  struct dirent *entry;
  DIR *folder = opendir(d->folder);
  while (folder && (entry = readdir(folder)) != NULL)
    if (strlen(entry->d_name) == 24 && driver_exists(d, entry->d_name, "made") && !driver_exists(d, entry->d_name, "paused"))
      driver_start(d, entry->d_name);
  if (folder) closedir(folder);
}

static void *driver_work(void *context)
{
  driver_postgres *d = context;
  driver_order *o;
  driver_resume(d);
  pthread_mutex_lock(&d->lock);
  while (!d->ending) {
    o = d->first;
    if (!o) {
      pthread_cond_wait(&d->more, &d->lock);
      continue;
    }
    pthread_mutex_unlock(&d->lock); /* it stays in the queue while it is done: the same one is not taken twice */
    driver_perform(d, o);
    pthread_mutex_lock(&d->lock);
    d->first = o->next;
    if (!d->first) d->last = NULL;
    d->waiting--;
    free(o->desired);
    free(o);
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

/* The newest version that is installed. */
static int driver_find_bin(driver_postgres *d)
{
  const char *root = "/usr/lib/postgresql";
  struct dirent *entry;
  DIR *folder = opendir(root);
  long newest = 0;
  while (folder && (entry = readdir(folder)) != NULL)
    if (strtol(entry->d_name, NULL, 10) > newest) newest = strtol(entry->d_name, NULL, 10);
  if (folder) closedir(folder);
  snprintf(d->bin, sizeof d->bin, "%s/%ld/bin", root, newest);
  return newest > 0;
}

static int driver_prepare(driver_postgres *d, char *why, size_t size)
{
  const char *user = d->config.user ? d->config.user : geteuid() == 0 ? "postgres" : NULL;
  const struct passwd *entry = user ? getpwnam(user) : NULL;
  char program[DRIVER_PATH * 2], *whole = NULL;
  int fits;
  if (!d->config.folder || (mkdir(d->config.folder, 0700) != 0 && errno != EEXIST) || !(whole = realpath(d->config.folder, NULL)))
    return snprintf(why, size, "the folder of the driver cannot be made: %s", strerror(errno)), -1;
  fits = strlen(whole) <= DRIVER_FOLDER;
  snprintf(d->folder, sizeof d->folder, "%.*s", DRIVER_FOLDER, whole);
  free(whole);
  if (!fits) return snprintf(why, size, "%s...: too long a path for sockets in it, give --driver-folder", d->folder), -1;
  if (d->config.bin) snprintf(d->bin, sizeof d->bin, "%s", d->config.bin);
  else if (!driver_find_bin(d)) return snprintf(why, size, "PostgreSQL is not in /usr/lib/postgresql: install it"), -1;
  snprintf(program, sizeof program, "%s/initdb", d->bin);
  if (access(program, X_OK) != 0) return snprintf(why, size, "%s is not there", program), -1;
  if (user && !entry) return snprintf(why, size, "there is no user %s to run servers as", user), -1;
  if (entry && entry->pw_uid != geteuid()) {
    snprintf(d->user, sizeof d->user, "%s", user);
    d->uid = entry->pw_uid;
    d->gid = entry->pw_gid;
  }
  if (driver_folder(d, d->folder) != 0) return snprintf(why, size, "%s: %s", d->folder, strerror(errno)), -1;
  if (!driver_reaches(d))
    return snprintf(why, size, "user %s does not get into %s: give --driver-folder another", d->user, d->folder), -1;
  driver_path(d, program, "snapshots", NULL);
  if (driver_folder(d, program) != 0) return snprintf(why, size, "%s: %s", program, strerror(errno)), -1;
  return 0;
}

int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size)
{
  driver_postgres *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d) return snprintf(why, why_size, "no memory"), -1;
  d->config = *config;
  d->driver = (svc_driver){ driver_take, driver_ask, d };
  if (driver_prepare(d, why, why_size) != 0) {
    free(d);
    return -1;
  }
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->more, NULL);
  if (pthread_create(&d->thread, NULL, driver_work, d) != 0) {
    free(d);
    return snprintf(why, why_size, "no thread for the driver"), -1;
  }
  *out = d;
  return 0;
}

const svc_driver *driver_postgres_driver(driver_postgres *d)
{
  return &d->driver;
}

void driver_postgres_stop(driver_postgres *d)
{
  if (!d || d->ending) return;
  pthread_mutex_lock(&d->lock);
  d->ending = 1;
  pthread_cond_signal(&d->more);
  pthread_mutex_unlock(&d->lock);
  pthread_join(d->thread, NULL);
}

void driver_postgres_close(driver_postgres *d)
{
  driver_order *o;
  if (!d) return;
  driver_postgres_stop(d);
  while ((o = d->first) != NULL) { /* they come again when the service is opened again */
    d->first = o->next;
    free(o->desired);
    free(o);
  }
  pthread_cond_destroy(&d->more);
  pthread_mutex_destroy(&d->lock);
  free(d);
}
