/*
** One PostgreSQL server: how it is made, started, stopped, spoken to and set up.
**
** The rule: every step looks at what is there and does what is missing, since an order may come again.
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
#include <unistd.h>

/* As the driver's own role. See rule 2 at the top for the search_path. */
int driver_sql(driver_postgres *d, const char *id, const char *sql, char *said, size_t size)
{
  char socket[DRIVER_PATH], port[16], *script = NULL;
  char *argv[] = { "psql", "-X", "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-d", "postgres", "-Atq", "-v", "ON_ERROR_STOP=1", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (driver_read(d, id, "port", port, sizeof port) != 0) return snprintf(said, size, "the server has no port"), -1;
  if (asprintf(&script, "set search_path = pg_catalog;\nset client_min_messages = warning;\n%s", sql) < 0) return -1;
  status = driver_run(d, script, said, size, argv);
  explicit_bzero(script, strlen(script));
  free(script);
  return status;
}

/* A script about one name. */
int driver_sql_about(driver_postgres *d, const char *id, const char *text, const char *name, char *said, size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  driver_print(sql, text, name);
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  free(script);
  return status;
}

int driver_is_running(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[256];
  char *argv[] = { "pg_ctl", "-D", data, "status", NULL };
  driver_path(d, data, id, "data");
  return driver_is(d->root, id, "data", S_IFDIR) && driver_run(d, NULL, said, sizeof said, argv) == 0;
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

int driver_start(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], log[DRIVER_PATH], options[DRIVER_PATH * 4], socket[DRIVER_PATH], hba[DRIVER_PATH], said[1024], port[16];
  char *argv[] = { "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start", NULL };
  int tries, status = -1;
  if (driver_is_running(d, id)) return 0;
  driver_path(d, data, id, "data");
  driver_path(d, log, id, "log");
  driver_path(d, socket, id, NULL);
  driver_path(d, hba, "pg_hba.conf", NULL);
  for (tries = 0; tries < 3 && status != 0; tries++) {
    if (tries || driver_read(d, id, "port", port, sizeof port) != 0) {
      snprintf(port, sizeof port, "%d", driver_free_port());
      if (driver_write(d, id, "port", port) != 0) return -1;
    }
    snprintf(options, sizeof options, "-c listen_addresses=127.0.0.1 -c port=%s -c unix_socket_directories='%s' -c hba_file='%s' "
             "-c wal_level=replica -c max_wal_senders=4 -c max_connections=40 -c shared_buffers=16MB", port, socket, hba);
    status = driver_run(d, NULL, said, sizeof said, argv);
  }
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s does not start: %s", id, said);
  return status;
}

int driver_stop(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[1024];
  char *argv[] = { "pg_ctl", "-D", data, "-w", "-t", "60", "-m", "fast", "stop", NULL };
  driver_path(d, data, id, "data");
  return driver_is_running(d, id) ? driver_run(d, NULL, said, sizeof said, argv) : 0;
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
  driver_print(sql, driver_sql_schema, "public");
  driver_print(sql, driver_sql_bare, "svc");
  fputs("alter role svc login password ", sql);
  driver_quote(sql, password, '\'');
  fputs(";\ngrant svc_write_any, svc_former to svc;\n", sql);
  driver_print(sql, driver_sql_writer, "svc");
  fputs(driver_sql_defaults, sql);
  fputs("commit;\n", sql);
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  free(script);
  return status;
}

/* A server and the users of its project as they should be. A user that cannot be made is logged, and no failure of the server's. */
int driver_settle(driver_postgres *d, const char *group, const char *id)
{
  char said[1024];
  driver_users u;
  int status = driver_prepare_server(d, id, said, sizeof said);
  if (status == 0) status = driver_lock_out_others(d, group, id, said, sizeof said);
  if (status != 0) {
    driver_words(d, said);
    driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s cannot be set up: %s", id, said);
    return status;
  }
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) {
    if (driver_put_user(d, id, &u.account, u.json, said, sizeof said) == 0) continue;
    driver_say(d, SVC_LOG_ERROR, "postgres: database user %s on the server of %s: %s", u.account.name, id, said);
    driver_note_failure(d, group, u.id, 1);
  }
  driver_users_end(&u);
  return driver_write(d, id, "settled", "1");
}

/* The server of a cluster, with whatever of it is missing. */
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
      driver_say(d, SVC_LOG_ERROR, "postgres: the folder of %s cannot be made: %s", id, strerror(errno));
      return -1;
    }
    if (driver_run(d, NULL, said, sizeof said, argv) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres: initdb for %s: %s", id, said);
      return -1;
    }
    if (driver_write(d, id, "made", "1") != 0) return -1;
  }
  return driver_start(d, id) == 0 ? driver_settle(d, group, id) : -1;
}

/* The server of the cluster of this name. */
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

/* What should run and does not, because the machine was started anew; and what an earlier version started, which let the driver's
** own role in over TCP. */
void driver_resume(driver_postgres *d)
{
  char id[32], group[32], hba[DRIVER_PATH], said[DRIVER_PATH];
  DIR *folder = driver_list(d->control, ".");
  driver_path(d, hba, "pg_hba.conf", NULL);
  while (driver_next(folder, id)) {
    if (!driver_knows(d, id, "made") || driver_knows(d, id, "paused")) continue;
    if (driver_is_running(d, id)) {
      int ours = driver_sql(d, id, "show hba_file;\n", said, sizeof said) == 0 && strncmp(said, hba, strlen(hba)) == 0;
      if (ours && driver_knows(d, id, "settled")) continue;
      if (!ours) driver_stop(d, id);
    }
    if (driver_start(d, id) == 0 && driver_read(d, id, "group", group, sizeof group) == 0) driver_settle(d, group, id);
  }
  if (folder) closedir(folder);
}
