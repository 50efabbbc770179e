/*
** Writes files completely or not at all, such as a key or a token. A file gets its name when its content is on the disk; then the folder is
** flushed, too. So a power cut leaves the old file or the new one.
*/
#define _GNU_SOURCE /* fsync */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Flushes the folder. Some file systems do not support that, which is ignored. */
int svcd_flush_name(const char *path)
{
  char folder[SVCD_PATH];
  const char *slash = strrchr(path, '/');
  int fd, rc;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  rc = fsync(fd) != 0 && errno != EINVAL ? -1 : 0;
  close(fd);
  return rc;
}

int svcd_put_file(const char *path, const void *bytes, size_t n, int existing)
{
  char new_path[SVCD_PATH + 32];
  int fd, good;
  snprintf(new_path, sizeof new_path, "%s.new%ld", path, (long)getpid()); /* another svcd on the same store may do the same */
  unlink(new_path);
  fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  good = fd >= 0 && write(fd, bytes, n) == (ssize_t)n && fsync(fd) == 0;
  if (good && existing == SVCD_PUT_REPLACE) good = rename(new_path, path) == 0;
  else if (good) good = link(new_path, path) == 0 || (existing == SVCD_PUT_FIRST && errno == EEXIST);
  if (good) good = svcd_flush_name(path) == 0;
  if (!good) svcd_error(1, "cannot write %s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  unlink(new_path);
  return good ? 0 : 1;
}
