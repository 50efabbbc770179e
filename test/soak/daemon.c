/*
** Runs svcd as a user does: on a store on disk, with HTTPS and a clock that test control moves. Ends it at any time. build.sh
** sets the environment: SOAK_SVCD, the program, and SOAK_FOLDER, an empty folder.
*/
#define _GNU_SOURCE /* pipe2 */
#include "soak.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DAEMON_READY "svcd ready on https://127.0.0.1:"

static pid_t daemon_pid;
static long daemon_began; /* KiB of the store at the start */
static atomic_int daemon_listens;
static atomic_uint daemon_ended;

static const char *daemon_setting(const char *name)
{
  const char *value = getenv(name);
  if (!value || !*value) soak_die("%s is not set: ./build.sh soak sets it", name);
  return value;
}

void daemon_file(const char *name, char *out, size_t size)
{
  snprintf(out, size, "%s/%s", daemon_setting("SOAK_FOLDER"), name);
}

int daemon_port(void)
{
  return atomic_load(&daemon_listens);
}

unsigned daemon_ends(void)
{
  return atomic_load(&daemon_ended);
}

void daemon_quit(void)
{
  if (daemon_pid > 0) kill(daemon_pid, SIGKILL);
}

/* Runs in the child process. */
static void daemon_become(int64_t now, int out, int errors)
{
  char listen[64], data[512], clock[32], provision[16];
  time_t seconds = (time_t)now;
  struct tm parts;
  const char *args[] = { daemon_setting("SOAK_SVCD"), "--data", data, "--listen", listen, "--test-control", "--clock", clock,
                         "--limiter-off", "--provision-seconds", provision, NULL };
  setenv("MALLOC_ARENA_MAX", "1", 1); /* so that the limit on its memory says what svcd uses; glibc alone reads it */
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* svcd ends with the thread that starts it: the first one */
  snprintf(listen, sizeof listen, "https://127.0.0.1:%d", daemon_port());
  snprintf(provision, sizeof provision, "%d", SOAK_PROVISION);
  daemon_file("data", data, sizeof data);
  gmtime_r(&seconds, &parts);
  strftime(clock, sizeof clock, "%Y-%m-%dT%H:%M:%SZ", &parts);
  dup2(out, 1);
  dup2(errors, 2);
  execv(args[0], (char *const *)(uintptr_t)args);
  fprintf(stderr, "cannot start %s\n", args[0]);
  _exit(127);
}

/* Returns the port from svcd's "ready" line. */
static int daemon_ready(int fd)
{
  char text[8192] = "";
  size_t n = 0;
  while (n < sizeof text - 1) {
    ssize_t got = read(fd, text + n, sizeof text - 1 - n);
    const char *ready;
    if (got <= 0) break;
    n += (size_t)got;
    text[n] = 0;
    ready = strstr(text, DAEMON_READY);
    if (ready && strchr(ready, '\n')) return atoi(ready + strlen(DAEMON_READY));
  }
  soak_die("svcd does not start; it says: %s, and in svcd.log", text);
}

/* Returns the size of a file in KiB; 0: no such file. */
static long daemon_kilobytes(const char *name)
{
  char path[512];
  struct stat s;
  daemon_file(name, path, sizeof path);
  return stat(path, &s) == 0 ? (long)s.st_blocks / 2 : 0;
}

void daemon_start(int64_t now)
{
  char log[512];
  int out[2], errors;
  daemon_began = daemon_kilobytes("data/data.mdb");
  daemon_file("svcd.log", log, sizeof log);
  errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (errors < 0 || pipe2(out, O_CLOEXEC) != 0) soak_die("cannot write %s", log);
  daemon_pid = fork();
  if (daemon_pid == 0) daemon_become(now, out[1], errors);
  close(out[1]);
  close(errors);
  atomic_store(&daemon_listens, daemon_ready(out[0]));
  close(out[0]); /* svcd writes nothing more to this pipe */
}

void daemon_end(int number)
{
  int status;
  atomic_fetch_add(&daemon_ended, 1);
  kill(daemon_pid, number);
  waitpid(daemon_pid, &status, 0);
  daemon_pid = 0;
  atomic_fetch_add(&daemon_ended, 1);
  if (number != SIGKILL && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) soak_die("svcd does not end well: status %d", status);
}

void daemon_hang_up(void)
{
  kill(daemon_pid, SIGHUP);
}

static void daemon_run(const char *verb, const char *more)
{
  char command[2048], folder[512];
  daemon_file("", folder, sizeof folder);
  snprintf(command, sizeof command, "'%s' %s --data '%sdata' %s >>'%ssvcd.log' 2>&1", daemon_setting("SOAK_SVCD"), verb, folder, more, folder);
  if (system(command) != 0) soak_die("svcd %s fails: %ssvcd.log", verb, folder);
}

void daemon_check(void)
{
  daemon_run("check", "");
}

void daemon_forget(void)
{
  char folder[512], command[1200];
  daemon_file("", folder, sizeof folder);
  snprintf(command, sizeof command, "rm -rf '%sdata' '%scopy'", folder, folder);
  if (system(command) != 0) soak_die("the folder cannot be emptied");
}

/* ---------------------------------------------------------------------------------------------------------- sizes */

static long daemon_status(const char *name)
{
  char path[64], line[256];
  long value = -1;
  FILE *f;
  snprintf(path, sizeof path, "/proc/%d/status", (int)daemon_pid);
  f = fopen(path, "r");
  while (f && value < 0 && fgets(line, sizeof line, f))
    if (strncmp(line, name, strlen(name)) == 0) value = strtol(line + strlen(name), NULL, 10);
  if (f) fclose(f);
  return value;
}

static long daemon_files(void)
{
  char path[64];
  long n = 0;
  DIR *d;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)daemon_pid);
  d = opendir(path);
  while (d && readdir(d)) n++;
  if (d) closedir(d);
  return n - 2;
}

void daemon_measure(daemon_size *out)
{
  out->anonymous = daemon_status("RssAnon:");
  out->resident = daemon_status("VmRSS:");
  out->threads = daemon_status("Threads:");
  out->files = daemon_files();
  out->store = daemon_kilobytes("data/data.mdb");
  out->began = daemon_began;
}

long daemon_packed(void)
{
  char to[600], path[512];
  long size;
  daemon_file("copy", path, sizeof path);
  snprintf(to, sizeof to, "--to '%s'", path);
  daemon_run("backup", to);
  size = daemon_kilobytes("copy/data.mdb");
  daemon_file("copy/data.mdb", path, sizeof path);
  unlink(path);
  return size;
}

void daemon_bootstrap(const char *member, char *out, size_t size)
{
  char path[512], text[4096];
  size_t n;
  FILE *f;
  daemon_file("data/bootstrap.json", path, sizeof path);
  f = fopen(path, "r");
  if (!f) soak_die("no %s", path);
  n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  if (!http_member(text, member, out, size)) soak_die("%s has no %s", path, member);
}
