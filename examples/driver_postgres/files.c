/*
** Files of the PostgreSQL driver, and its log.
**
** The rule: svcd may be root, and the servers run as another user of the system. That user must not be able to make svcd read or write
** other files. So svcd reads and writes only in its own folders (FOLDER, FOLDER/control), and follows no link there. A child process that
** runs as the servers' user creates, copies, measures, reads and removes files in that user's folders (programs.c).
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void driver_say(driver_postgres *d, int level, const char *event, const char *format, ...)
{
  char text[1024];
  va_list args;
  if (!d->config.log) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  d->config.log(d->config.log_context, level, event, text);
}

/* Returns the milliseconds of the monotonic clock. */
int64_t driver_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Writes the path FOLDER/FIRST/SECOND. `second` may be NULL. */
void driver_path(const driver_postgres *d, char out[DRIVER_PATH], const char *first, const char *second)
{
  snprintf(out, DRIVER_PATH, "%s/%s%s%s", d->folder, first, second ? "/" : "", second ? second : "");
}

int driver_is_id(const char *name)
{
  return strlen(name) == 24 && strspn(name, "0123456789abcdef") == 24;
}

/* Returns true if FIRST/SECOND is a folder (S_IFDIR) or a file (S_IFREG), and not a link to one. `second` may be NULL. */
int driver_is(int at, const char *first, const char *second, mode_t kind)
{
  char path[DRIVER_PATH];
  struct stat about;
  snprintf(path, sizeof path, "%s%s%s", first, second ? "/" : "", second ? second : "");
  return fstatat(at, path, &about, AT_SYMLINK_NOFOLLOW) == 0 && (about.st_mode & S_IFMT) == kind;
}

/* Returns true if the file FIRST/SECOND exists below FOLDER/control. */
int driver_knows(const driver_postgres *d, const char *first, const char *second)
{
  return driver_is(d->control, first, second, S_IFREG);
}

/* Creates a folder below FOLDER/control, unless it exists. Returns 0, or -1. */
int driver_control_folder(const driver_postgres *d, const char *name)
{
  return mkdirat(d->control, name, 0700) == 0 || (errno == EEXIST && driver_is(d->control, name, NULL, S_IFDIR)) ? 0 : -1;
}

/* Creates a folder in FOLDER that belongs to the servers' user, unless it exists. Returns 0, or -1 with errno. */
int driver_server_folder(const driver_postgres *d, const char *name)
{
  struct stat about;
  if (mkdirat(d->root, name, 0700) == 0 && d->user[0] && fchownat(d->root, name, d->uid, d->gid, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (fstatat(d->root, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (S_ISDIR(about.st_mode) && about.st_uid == d->uid) return 0;
  errno = ENOTDIR;
  return -1;
}

/* Writes a small file in a folder of svcd, completely or not at all. Returns 0, or -1. */
int driver_write_at(int at, const char *path, const char *text, mode_t mode)
{
  char fresh[DRIVER_PATH + 8];
  size_t n = strlen(text);
  int fd, good;
  snprintf(fresh, sizeof fresh, "%s.new", path);
  unlinkat(at, fresh, 0);
  fd = openat(at, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  good = write(fd, text, n) == (ssize_t)n && fchmod(fd, mode) == 0 && fsync(fd) == 0;
  close(fd);
  return good ? renameat(at, fresh, at, path) : -1;
}

/* Writes the file FIRST/SECOND below FOLDER/control, and creates the folder FIRST if missing. Returns 0, or -1. */
int driver_write(const driver_postgres *d, const char *first, const char *second, const char *text)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  return driver_control_folder(d, first) == 0 ? driver_write_at(d->control, path, text, 0600) : -1;
}

/* Reads a regular file that is not a link and has no second name. Returns the number of bytes, or -1 if the file is missing, of another
** kind, or has more than size - 1 bytes. */
ssize_t driver_read_at(int at, const char *path, char *out, size_t size)
{
  struct stat about;
  size_t n = 0;
  ssize_t got = -1;
  int fd = openat(at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  out[0] = 0;
  if (fd < 0) return -1;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1)
    while (n < size && (got = read(fd, out + n, size - n)) > 0) n += (size_t)got;
  close(fd);
  if (got != 0 || n == size) n = 0, got = -1;
  out[n] = 0;
  return got == 0 ? (ssize_t)n : -1;
}

/* Reads the file FIRST/SECOND below FOLDER/control. Returns 0, or -1 if it is missing, empty or too long. */
int driver_read(const driver_postgres *d, const char *first, const char *second, char *out, size_t size)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  return driver_read_at(d->control, path, out, size) > 0 ? 0 : -1;
}

void driver_unlink(const driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  unlinkat(d->control, path, 0);
}

/* Opens a folder, to list its entries. Returns NULL if it cannot be opened, or is a link. */
DIR *driver_list(int at, const char *name)
{
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !folder) close(fd);
  return folder;
}

/* Reads the next entry whose name is an id. Returns 0 at the end. */
int driver_next(DIR *folder, char id[32])
{
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL)
    if (driver_is_id(entry->d_name)) return snprintf(id, 32, "%.24s", entry->d_name);
  return 0;
}

int driver_owner(const driver_postgres *d, const char *id, char out[32])
{
  return driver_read(d, id, "org", out, 32) == 0 || driver_read(d, id, "group", out, 32) == 0 ? 0 : -1;
}

/* Removes a folder of FOLDER/control, which contains only files. */
void driver_forget(const driver_postgres *d, const char *name)
{
  DIR *folder = driver_list(d->control, name);
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL) unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
  unlinkat(d->control, name, AT_REMOVEDIR);
}
