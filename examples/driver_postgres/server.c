/*
** One PostgreSQL server: creates, starts, stops, queries and configures it.
**
** The rule: every step checks what exists and does what is missing, because an order may arrive again.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* content of the file "settled"; "1": of version 1.0.0, without the rules for DRIVER_STATS */
#define SERVER_SETTLED "2"

/* Settings of each session of the driver's own role. grants.c has the reason for the search_path. The scripts contain verifiers, so the
** server does not log their statements. The driver can write even while the server is read-only because its disk is full. */
static const char server_session[] =
  "set search_path = pg_catalog;\nset client_min_messages = warning;\nset default_transaction_read_only = off;\n"
  "set log_min_error_statement = panic;\nset auto_explain.log_min_duration = -1;\n";

/*
** The time of a script, by enum driver_patience: of each wait for a lock and of each statement in
** milliseconds, and of the whole script in seconds. Tenants can hold locks on their tables, and on
** their own roles, for as long as they like. So no script waits for long: a question is refused,
** and failed work on users is repeated (mend.c). DRIVER_LONG is for work that grows with what
** tenants have made: grants on all tables of a schema, a change of the owner of all tables of a
** user; and for extensions, which read files from a disk that may be busy.
*/
static const struct {
  int lock, statement, whole;
} server_patience[] = {
  [DRIVER_QUESTION] = { 500, 3000, 10 },
  [DRIVER_STEP] = { 2000, 30000, 60 },
  [DRIVER_LONG] = { 2000, 120000, 180 },
};

#define SERVER_SILENT "the server did not answer within " /* as driver_run_in() writes it */

/* Replaces PostgreSQL's words for a timeout by ones that say what to look for. Returns
** DRIVER_LOCKED, DRIVER_LATE, or -1: no timeout. */
static int server_timeout(int patience, char *said, size_t size)
{
  if (strstr(said, "ERROR:  canceling statement due to lock timeout")) {
    snprintf(said, size, "a lock was not free within %g seconds: "
             "a session of the database holds it", server_patience[patience].lock / 1000.0);
    return DRIVER_LOCKED;
  }
  if (strstr(said, "ERROR:  canceling statement due to statement timeout"))
    snprintf(said, size, SERVER_SILENT "%d seconds", server_patience[patience].statement / 1000);
  return strncmp(said, SERVER_SILENT, sizeof SERVER_SILENT - 1) == 0 ? DRIVER_LATE : -1;
}

/* Ends a script that failed. The reason of an order has a timeout; a question has no reason, so the
** log has it. */
static int server_failed(driver_postgres *d, int patience, const char *id, char *said, size_t size)
{
  int status = server_timeout(patience, said, size);
  if (patience == DRIVER_QUESTION && status != -1)
    driver_say(d, SVC_LOG_WARNING, "postgres.no_answer",
               "postgres: the server of %s has not answered a question: %s", id, said);
  return status;
}

/* Runs a script as the driver's own role. Returns 0, DRIVER_LOCKED, DRIVER_LATE, or -1. `said`: the
** output, or the error. */
int driver_sql(driver_postgres *d, int patience, const char *id, const char *sql, char *said,
               size_t size)
{
  const driver_bounds bounds = { .seconds = server_patience[patience].whole, .what = "the server" };
  char socket[DRIVER_PATH], port[16], *script = NULL;
  char *argv[] = { "psql", "-X", "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-d", "postgres", "-Atq", "-v", "ON_ERROR_STOP=1", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (driver_read(d, id, "port", port, sizeof port) != 0) return snprintf(said, size, "the server has no port"), -1;
  if (asprintf(&script, "%sset lock_timeout = %d;\nset statement_timeout = %d;\n%s",
               server_session, server_patience[patience].lock,
               server_patience[patience].statement, sql) < 0)
    return -1;
  status = driver_run_in(d, &bounds, script, said, size, argv);
  explicit_bzero(script, strlen(script));
  free(script);
  return status == 0 ? 0 : server_failed(d, patience, id, said, size);
}

/* Runs a script as driver_sql(), with the name filled in by driver_print(). */
int driver_sql_about(driver_postgres *d, int patience, const char *id, const char *text,
                     const char *name, char *said, size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  driver_print(sql, text, name);
  if (fclose(sql) == 0) status = driver_sql(d, patience, id, script, said, size);
  free(script);
  return status;
}

int driver_is_running(driver_postgres *d, const char *id)
{
  return driver_postmaster(d, id) != 0;
}

/* Returns the process id of a server's postmaster; 0: the server does not run. */
pid_t driver_postmaster(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[256], *at;
  char *argv[] = { "pg_ctl", "-D", data, "status", NULL };
  pid_t pid;
  driver_path(d, data, id, "data");
  if (!driver_is(d->root, id, "data", S_IFDIR) || driver_run(d, NULL, said, sizeof said, argv) != 0) return 0;
  at = strstr(said, "PID: ");
  pid = at ? (pid_t)strtol(at + 5, NULL, 10) : 0;
  return pid && driver_process(d, pid) ? pid : 0;
}

/* Returns true if a process has the server's data folder as its working directory: children can outlive their postmaster for a moment. */
static int server_is_busy(const driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], path[64], target[DRIVER_PATH];
  DIR *proc = opendir("/proc");
  const struct dirent *entry;
  ssize_t n;
  int busy = 0;
  driver_path(d, data, id, "data");
  while (proc && !busy && (entry = readdir(proc)) != NULL) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    snprintf(path, sizeof path, "/proc/%.16s/cwd", entry->d_name);
    n = readlink(path, target, sizeof target - 1);
    busy = n > 0 && (size_t)n == strlen(data) && memcmp(target, data, (size_t)n) == 0;
  }
  if (proc) closedir(proc);
  return busy;
}

/*
** Removes the pid file and the socket's lock file that a killed postmaster has left, once no process works in the folder. PostgreSQL
** ignores such a pid file, unless a process has that id: another process, or the old postmaster as a zombie.
** Returns -1 while the folder is in use.
*/
static int server_clean(driver_postgres *d, const char *id)
{
  char port[16], lock[48];
  if (!driver_is(d->root, id, "data/postmaster.pid", S_IFREG)) return 0;
  if (server_is_busy(d, id)) return -1;
  if (driver_read(d, id, "port", port, sizeof port) == 0) {
    snprintf(lock, sizeof lock, ".s.PGSQL.%s.lock", port);
    driver_remove(d, id, lock);
  }
  return driver_remove(d, id, "data/postmaster.pid");
}

/* Checks that a port of 127.0.0.1 is free; 0: finds a free port. Returns the port, or -1. */
static int server_port(int wanted)
{
  struct sockaddr_in at;
  socklen_t n = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = -1, on = 1;
  memset(&at, 0, sizeof at);
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons((uint16_t)wanted);
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0)
    port = ntohs(at.sin_port);
  if (fd >= 0) close(fd);
  return port;
}

/* Returns true if another server has this port, also one that does not run now. */
static int server_port_is_others(driver_postgres *d, const char *id, const char *port)
{
  char other[32], its[16];
  DIR *folder = driver_list(d->control, ".");
  int found = 0;
  while (!found && driver_next(folder, other))
    found = strcmp(other, id) != 0 && driver_read(d, other, "port", its, sizeof its) == 0 &&
        strcmp(its, port) == 0;
  if (folder) closedir(folder);
  return found;
}

/* Gives a server the port that it had, because clients have it in their connection strings; or a
** free port if another program has it. Threads start servers at the same time: the lock keeps them
** from choosing the same free port. */
static int server_take_port(driver_postgres *d, const char *id, char port[16])
{
  int status = 0, tries = 0;
  pthread_mutex_lock(&d->ports_lock);
  if (driver_read(d, id, "port", port, 16) != 0 || server_port(atoi(port)) <= 0) {
    do snprintf(port, 16, "%d", server_port(0));
    while (server_port_is_others(d, id, port) && tries++ < 50);
    status = driver_write(d, id, "port", port);
  }
  pthread_mutex_unlock(&d->ports_lock);
  return status;
}

/* Writes the settings of a server: limits of its tier, and the logging and libraries that answers to questions need. */
static void server_options(const driver_postgres *d, const char *id, const char *port, const driver_limits *l, char *out, size_t size)
{
  char socket[DRIVER_PATH], hba[DRIVER_PATH];
  const char *both = d->explains && d->statements ? "," : "";
  driver_path(d, socket, id, NULL);
  driver_path(d, hba, "pg_hba.conf", NULL);
  snprintf(out, size, "-c listen_addresses=127.0.0.1 -c port=%s -c unix_socket_directories='%s' -c hba_file='%s' -c wal_level=replica "
           "-c max_wal_senders=4 -c max_connections=%d -c superuser_reserved_connections=%d "
           "-c shared_buffers=%lldMB -c work_mem=%lldMB -c log_line_prefix='%%m [%%p] %%h ' "
           "-c log_timezone=UTC -c log_connections=on -c shared_preload_libraries=%s%s%s -c auto_explain.log_min_duration=%d "
           "-c auto_explain.log_analyze=on -c auto_explain.log_timing=off -c auto_explain.log_verbose=on -c auto_explain.log_format=json "
           "-c pg_stat_statements.track_utility=off", port, socket, hba, l->connections,
           DRIVER_RESERVED, (long long)l->buffers, (long long)l->work,
           d->explains ? "auto_explain" : "", both, d->statements ? "pg_stat_statements" : "", DRIVER_SLOW);
}

/* Starts a server and waits until it accepts connections. Returns 0 on success. If another program has taken the port in the meantime, the
** driver tries again with another port. */
int driver_start(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], log[DRIVER_PATH], options[DRIVER_PATH * 4], said[1024], why[512], port[16];
  char *argv[] = { "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start", NULL };
  driver_limits limits;
  driver_bounds bounds;
  int64_t since = (int64_t)time(NULL) * 1000;
  int tries, status = -1;
  if (driver_is_running(d, id)) return 0;
  for (tries = 0; tries < 50 && server_clean(d, id) != 0 && !driver_stopping(d); tries++)
    usleep(100000);
  driver_path(d, data, id, "data");
  driver_path(d, log, id, "log");
  driver_limits_of(d, id, &limits);
  driver_limits_begin(id, &limits, &bounds);
  for (tries = 0; tries < 2 && status != 0; tries++) {
    char *again[sizeof argv / sizeof argv[0]];
    if (server_take_port(d, id, port) != 0) break;
    memcpy(again, argv, sizeof argv);
    server_options(d, id, port, &limits, options, sizeof options);
    status = driver_run_in(d, &bounds, NULL, said, sizeof said, again);
    if (status != 0 && server_port(atoi(port)) > 0) break; /* the port is free, so it was not the reason */
  }
  driver_limits_end(&bounds);
  if (status != 0 && !driver_stopping(d)) {
    driver_log_reason(d, id, since, why, sizeof why);
    driver_say(d, SVC_LOG_ERROR, "postgres.not_started", "postgres: the server of %s does not start: %s", id, why[0] ? why : said);
  }
  return status;
}

/* Stops a server. After a minute it uses the mode "immediate", from which PostgreSQL recovers at the next start. Returns 0 on success. */
int driver_stop(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[1024];
  char *fast[] = { "pg_ctl", "-D", data, "-w", "-t", "60", "-m", "fast", "stop", NULL };
  char *now[] = { "pg_ctl", "-D", data, "-w", "-t", "60", "-m", "immediate", "stop", NULL };
  driver_path(d, data, id, "data");
  if (!driver_is_running(d, id) || driver_run(d, NULL, said, sizeof said, fast) == 0) return 0;
  return driver_is_running(d, id) ? driver_run(d, NULL, said, sizeof said, now) : 0;
}

/* Writes the members of facts that describe how clients connect. With PostgreSQL's scheme, psql accepts the connection strings. */
void driver_speaks(const driver_postgres *d, char *out, size_t size)
{
  const char *scheme = d->config.scheme;
  int own = scheme && (strcmp(scheme, "postgresql") == 0 || strcmp(scheme, "postgres") == 0), n = 0;
  if (own) n = snprintf(out, size, ",\"scheme\":\"%s\",\"path\":\"postgres?sslmode=disable\"", scheme);
  snprintf(out + n, size - (size_t)n, ",\"ssl\":false,\"version\":\"%s\"", d->version);
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

static int driver_prepare_server(driver_postgres *d, const char *id, char *said, size_t size)
{
  char password[40], *script = NULL;
  size_t n = 0;
  FILE *sql;
  int status = -1;
  snprintf(said, size, "the password of the role svc cannot be written");
  if (driver_read(d, id, "password", password, sizeof password) != 0 &&
      (driver_new_password(password) != 0 || driver_write(d, id, "password", password) != 0))
    return -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  sql = open_memstream(&script, &n);
  if (!sql) return -1;
  fputs("begin;\n", sql);
  fputs(driver_sql_prepare, sql);
  if (d->statements) fputs(driver_sql_statements, sql);
  driver_print(sql, driver_sql_schema, "public");
  driver_print(sql, driver_sql_bare, "svc");
  fputs("alter role svc login password ", sql);
  driver_quote(sql, password, '\'');
  fputs(";\ngrant svc_write_any, svc_former to svc;\n", sql);
  driver_print(sql, driver_sql_writer, "svc");
  fputs(driver_sql_defaults, sql);
  fputs("commit;\n", sql);
  if (fclose(sql) == 0) status = driver_sql(d, DRIVER_LONG, id, script, said, size);
  free(script);
  return status;
}

/* Creates or updates the roles of a server and the users of its project. A user that fails is logged, and does not fail the server. */
int driver_settle(driver_postgres *d, const char *group, const char *id)
{
  static const char svc_out[] =
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc';\n";
  char said[1024];
  driver_users u;
  int status = driver_prepare_server(d, id, said, sizeof said);
  /* only a session of svc can hold the row of svc */
  if (status == DRIVER_LOCKED && driver_sql(d, DRIVER_STEP, id, svc_out, said, sizeof said) == 0)
    status = driver_prepare_server(d, id, said, sizeof said);
  if (status == 0) status = driver_lock_out_others(d, group, id, said, sizeof said);
  if (status != 0) {
    driver_words(d, said);
    driver_say(d, SVC_LOG_ERROR, "postgres.setup_failed", "postgres: the server of %s cannot be set up: %s", id, said);
    driver_unlink(d, id, "settled");
    driver_mend_begin(d, id);
    return status;
  }
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u))
    driver_user_on(d, group, id, u.id, u.account.name, said, sizeof said);
  driver_users_end(&u);
  status = driver_write(d, id, "settled", SERVER_SETTLED);
  driver_mend_begin(d, id);
  return status;
}

/* Creates what is missing of a cluster's server, starts it, and updates its roles. Returns 0 on success. */
int driver_make(driver_postgres *d, const char *id, const char *group, const char *name)
{
  char data[DRIVER_PATH], said[1024];
  char *argv[] = { "initdb", "-D", data, "-U", DRIVER_ADMIN, "-E", "UTF8", "--auth-local=trust", "--auth-host=scram-sha-256",
                   "--no-instructions", NULL };
  driver_path(d, data, id, "data");
  if (!driver_knows(d, id, "made")) {
    driver_stop(d, id);
    if (driver_server_folder(d, id) != 0 || driver_remove(d, id, "data") != 0 || driver_write(d, id, "group", group) != 0 ||
        driver_write(d, id, "name", name) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres.setup_failed", "postgres: the folder of %s cannot be made: %s", id, strerror(errno));
      return -1;
    }
    if (driver_run(d, NULL, said, sizeof said, argv) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres.setup_failed", "postgres: initdb for %s: %s", id, said);
      return -1;
    }
    if (driver_write(d, id, "made", "1") != 0) return -1;
  }
  return driver_start(d, id) == 0 ? driver_settle(d, group, id) : -1;
}

/* Finds the server of a project's cluster by the cluster's name. Returns true if it exists. */
int driver_find(driver_postgres *d, const char *group, const char *name, char id[32])
{
  char its_group[32], its_name[256];
  DIR *folder = driver_list(d->control, ".");
  int found = 0;
  while (!found && driver_next(folder, id))
    found = driver_read(d, id, "group", its_group, sizeof its_group) == 0 && driver_read(d, id, "name", its_name, sizeof its_name) == 0 &&
            strcmp(its_group, group) == 0 && strcmp(its_name, name) == 0;
  if (folder) closedir(folder);
  return found;
}

/* Returns true if the roles of the server are complete, as this version makes them. */
static int server_is_settled(driver_postgres *d, const char *id)
{
  char text[16];
  return driver_read(d, id, "settled", text, sizeof text) == 0 && strcmp(text, SERVER_SETTLED) == 0;
}

/* Starts a server that should run and does not, such as after a reboot. Also restarts one of an
** earlier version, which allowed the driver's own role over TCP. */
static void server_resume(driver_postgres *d, const char *id)
{
  char group[32], hba[DRIVER_PATH], said[DRIVER_PATH];
  if (!driver_knows(d, id, "made") || driver_knows(d, id, "paused")) return;
  driver_path(d, hba, "pg_hba.conf", NULL);
  if (driver_is_running(d, id)) {
    /* a server that does not answer now is not restarted for that */
    int ours = driver_sql(d, DRIVER_QUESTION, id, "show hba_file;\n", said, sizeof said) != 0 ||
        strncmp(said, hba, strlen(hba)) == 0;
    if (ours && server_is_settled(d, id)) return;
    if (!ours) driver_stop(d, id);
  }
  if (driver_start(d, id) == 0 && driver_read(d, id, "group", group, sizeof group) == 0)
    driver_settle(d, group, id);
}

static void server_resume_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id;
  if (driver_knows(d, id, "made")) {
    driver_hold(d, id);
    server_resume(d, id);
    driver_mend_begin(d, id);
    driver_release(d, id);
  }
}

/* Queues a task for each server, before the threads start: an order for the server comes after it.
** Returns 0, or -1 if out of memory. */
int driver_resume(driver_postgres *d)
{
  char id[32];
  DIR *folder = driver_list(d->control, ".");
  int status = 0;
  while (status == 0 && driver_next(folder, id))
    status = driver_own_later(d, id, DRIVER_OWN_START, server_resume_task);
  if (folder) closedir(folder);
  return status;
}
