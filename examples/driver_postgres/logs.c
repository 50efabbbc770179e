/*
** The log of a server, as it was written.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child, as the servers' user: the last `most` bytes of a file that is no link, into the pipe. */
static void driver_send_end(const driver_postgres *d, const char *path, off_t most, const int pipe[2])
{
  char bytes[4096];
  struct stat about;
  ssize_t n;
  int fd;
  close(pipe[0]); /* a reader that has enough ends us */
  if (driver_become(d) != 0) _exit(1);
  fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) _exit(1);
  if (about.st_size > most) lseek(fd, about.st_size - most, SEEK_SET);
  while ((n = read(fd, bytes, sizeof bytes)) > 0)
    if (write(pipe[1], bytes, (size_t)n) != n) _exit(1);
  _exit(0);
}

/* The end of what the server has written down. */
int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char path[DRIVER_PATH], bytes[4096];
  int out[2], status = -1, code = SVC_OK;
  ssize_t n;
  pid_t pid;
  driver_path(d, path, q->resource_id, "log");
  if (pipe2(out, O_CLOEXEC) != 0) return SVC_IO;
  pid = fork();
  if (pid == 0) driver_send_end(d, path, (off_t)q->most, out);
  close(out[1]);
  while (pid > 0 && code == SVC_OK && (n = read(out[0], bytes, sizeof bytes)) > 0) code = svc_reply_add(reply, bytes, (size_t)n);
  close(out[0]); /* a child that has more to say ends by it */
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return SVC_IO;
  if (code != SVC_OK) return code == SVC_FULL ? SVC_OK : code;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SVC_OK : SVC_IO;
}
