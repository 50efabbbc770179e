/*
** The folder of the driver: opens it, checks it, and migrates it from an earlier version.
**
** The rule: only svcd can write to the folder. Any other user with write access could replace files by links.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the newest version of PostgreSQL that is installed. Returns true if there is one. */
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

/* Returns true if the driver of version 0.2 can have written this text. The servers' user could change these files. */
static int driver_is_sound(const char *file, const char *text)
{
  size_t n = strlen(text);
  if (strcmp(file, "group") == 0) return driver_is_id(text);
  if (strcmp(file, "port") == 0) return n <= 5 && strspn(text, "0123456789") == n;
  if (strcmp(file, "password") == 0) return n == 32 && strspn(text, "0123456789abcdef") == n;
  if (strcmp(file, "name") == 0) return driver_bad_schema(text, 0) == NULL && !strpbrk(text, "\n\r\t/");
  return strcmp(text, "1") == 0;
}

/* Migrates a server that version 0.2 created: moves its control files from the folder of its data to FOLDER/control. */
static void driver_migrate_server(driver_postgres *d, const char *id)
{
  static const char *const files[] = { "group", "name", "port", "password", "paused", "made" }; /* "made" last: it marks completeness */
  int fd = openat(d->root, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), good = 1;
  char text[256];
  size_t i;
  if (fd < 0) return;
  if (driver_read_at(fd, "made", text, sizeof text) > 0 && !driver_knows(d, id, "made")) {
    for (i = 0; good && i < sizeof files / sizeof files[0]; i++) {
      if (driver_read_at(fd, files[i], text, sizeof text) > 0) good = driver_is_sound(files[i], text) && driver_write(d, id, files[i], text) == 0;
      else good = i >= 2;
    }
    if (good) driver_say(d, SVC_LOG_INFO, "postgres.taken_over", "postgres: the server of %s, created by an earlier version, was taken over", id);
    else driver_say(d, SVC_LOG_ERROR, "postgres.damaged", "postgres: the server of %s, created by an earlier version, cannot be taken over: its files are damaged", id);
  }
  for (i = 0; good && driver_knows(d, id, "made") && i < sizeof files / sizeof files[0]; i++) unlinkat(fd, files[i], 0);
  close(fd);
}

/* Migrates a folder of version 0.2. That version stored users as SQL, without roles and scopes, so its users are removed; each is unknown
** until the service orders it again. */
static void driver_migrate(driver_postgres *d)
{
  char id[32];
  DIR *folder = driver_list(d->root, ".");
  while (driver_next(folder, id)) driver_migrate_server(d, id);
  if (folder) closedir(folder);
  if (!driver_is(d->root, "users", NULL, S_IFDIR)) return;
  driver_say(d, SVC_LOG_WARNING, "postgres.users_old", "postgres: database users were created by an earlier version, which kept no roles and scopes: none of them can "
             "sign in before it is changed once (PATCH)");
  driver_remove_server(d, "users");
}

/* Looks up the servers' user and its groups. Returns 0, or -1 with `why`. */
static int driver_find_user(driver_postgres *d, char *why, size_t size)
{
  const char *user = d->config.user ? d->config.user : geteuid() == 0 ? "postgres" : NULL;
  const struct passwd *entry = user ? getpwnam(user) : NULL;
  d->uid = geteuid();
  d->gid = getegid();
  if (user && !entry) return snprintf(why, size, "there is no user %s to run servers as", user), -1;
  if (!entry || entry->pw_uid == d->uid) return 0;
  snprintf(d->user, sizeof d->user, "%s", user);
  d->uid = entry->pw_uid;
  d->gid = entry->pw_gid;
  d->group_count = sizeof d->groups / sizeof d->groups[0];
  if (getgrouplist(user, d->gid, d->groups, &d->group_count) < 0) return snprintf(why, size, "user %s is in too many groups", user), -1;
  return 0;
}

/* Opens FOLDER, and creates it if missing. Refuses a folder that another user owns or can write to. Returns 0, or -1 with `why`. */
static int driver_open_root(driver_postgres *d, const char *path, char *why, size_t size)
{
  struct stat about;
  int made = mkdir(path, 0700) == 0;
  if (!made && errno != EEXIST) return snprintf(why, size, "%s cannot be made: %s", path, strerror(errno)), -1;
  d->root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (d->root < 0 || fstat(d->root, &about) != 0) return snprintf(why, size, "%s is a link, or no folder: name the folder itself", path), -1;
  if (d->user[0] && about.st_uid == d->uid && driver_is(d->root, "snapshots", NULL, S_IFDIR)) /* a folder of version 0.2 */
    made = fchown(d->root, geteuid(), getegid()) == 0;
  else if (about.st_uid != geteuid()) return snprintf(why, size, "%s belongs to another user: name a folder of its own", path), -1;
  else if (about.st_mode & 022) return snprintf(why, size, "%s can be written to by others: chmod go-w it", path), -1;
  if (made && fchmod(d->root, d->user[0] ? 0711 : 0700) != 0) return snprintf(why, size, "%s: %s", path, strerror(errno)), -1;
  return 0;
}

static int driver_open_folder(driver_postgres *d, char *why, size_t size)
{
  static const char hba[] = "# Written by the driver at each start. Its own role gets in by the socket alone; everybody else by password.\n"
                            "local all " DRIVER_ADMIN " trust\nlocal replication " DRIVER_ADMIN " trust\n"
                            "host all " DRIVER_ADMIN " all reject\nhost all all 127.0.0.1/32 scram-sha-256\n";
  char path[DRIVER_PATH], *whole;
  struct stat about;
  size_t n = d->config.folder ? strlen(d->config.folder) : 0;
  if (n == 0 || n >= sizeof path) return snprintf(why, size, "the driver has no folder, or one with too long a name"), -1;
  memcpy(path, d->config.folder, n + 1);
  while (n > 1 && path[n - 1] == '/') path[--n] = 0; /* open() would follow a link that ends with a slash */
  if (driver_open_root(d, path, why, size) != 0) return -1;
  whole = realpath(path, NULL);
  if (!whole || strlen(whole) > DRIVER_FOLDER || strpbrk(whole, "'\"\\$`\n")) {
    snprintf(why, size, "%s: %s, give --driver-folder", path, whole ? "too long a path for sockets in it, or one with quotes" : strerror(errno));
    free(whole);
    return -1;
  }
  snprintf(d->folder, sizeof d->folder, "%s", whole);
  free(whole);
  if (!driver_reaches(d))
    return snprintf(why, size, "user %s does not get into %s: chmod 711 it, or give --driver-folder another", d->user, d->folder), -1;
  if (mkdirat(d->root, "control", 0700) != 0 && errno != EEXIST) return snprintf(why, size, "%s/control: %s", d->folder, strerror(errno)), -1;
  d->control = openat(d->root, "control", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (d->control < 0 || fstat(d->control, &about) != 0 || about.st_uid != geteuid() || about.st_mode & 077)
    return snprintf(why, size, "%s/control is not a folder that is ours alone", d->folder), -1;
  if (driver_write_at(d->root, "pg_hba.conf", hba, 0644) != 0 || driver_server_folder(d, "snapshots") != 0)
    return snprintf(why, size, "%s cannot be written to: %s", d->folder, strerror(errno)), -1;
  return 0;
}

/* Returns true if a library of PostgreSQL is installed where Debian has it. Without the library, servers run without it. */
static int folder_library(const driver_postgres *d, const char *name)
{
  char path[DRIVER_PATH * 2];
  snprintf(path, sizeof path, "%s/../lib/%s.so", d->bin, name);
  return access(path, R_OK) == 0;
}

/* Reads the version from "postgres (PostgreSQL) 15.8 (Debian 15.8-0)". */
static void folder_version(driver_postgres *d)
{
  char said[256], *at;
  char *argv[] = { "postgres", "--version", NULL };
  snprintf(d->version, sizeof d->version, "0");
  if (driver_run(d, NULL, said, sizeof said, argv) != 0) return;
  at = said + strcspn(said, "0123456789");
  snprintf(d->version, sizeof d->version, "%.*s", (int)strspn(at, "0123456789."), at);
}

/* Finds the programs of PostgreSQL and the servers' user, and opens FOLDER. Returns 0, or -1 with `why`. */
int driver_prepare(driver_postgres *d, char *why, size_t size)
{
  char program[DRIVER_PATH * 2];
  if (d->config.bin) snprintf(d->bin, sizeof d->bin, "%s", d->config.bin);
  else if (!driver_find_bin(d)) return snprintf(why, size, "PostgreSQL is not in /usr/lib/postgresql: install it"), -1;
  snprintf(program, sizeof program, "%s/initdb", d->bin);
  if (access(program, X_OK) != 0) return snprintf(why, size, "%s is not there", program), -1;
  d->explains = folder_library(d, "auto_explain");
  d->statements = folder_library(d, "pg_stat_statements");
  if (driver_find_user(d, why, size) != 0 || driver_open_folder(d, why, size) != 0) return -1;
  folder_version(d);
  driver_migrate(d);
  return 0;
}
