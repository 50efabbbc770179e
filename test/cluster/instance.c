/*
** Runs svcd as a user does, two instances on one store, and ends them at any time. build.sh sets the environment:
**
**   CLUSTER_SVCD     the program
**   CLUSTER_STORE    --store
**   CLUSTER_LIMITER  --limiter
**   CLUSTER_FOLDER   an empty folder: secret key, credentials and the output of the instances
**   CLUSTER_FAULTS   a script whose verbs disturb PostgreSQL, PgBouncer or Redis (servers.sh)
**
** Cases for another store or limiter change CLUSTER_STORE and CLUSTER_LIMITER, and restart the instances.
*/
#define _GNU_SOURCE /* pipe2 */
#include "cluster.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INSTANCE_SECONDS 30 /* timeout for an instance to be ready */

static const char *const *more_flags;

static struct {
  pid_t pid;
  int port, out;
} instances[CLUSTER_INSTANCES];

int64_t cluster_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void cluster_pause(int milliseconds)
{
  struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
  nanosleep(&t, NULL);
}

uint32_t cluster_chance(uint64_t *state, uint32_t below)
{
  *state += 0x9E3779B97F4A7C15u;
  return (uint32_t)(((*state ^ *state >> 31) * 0xBF58476D1CE4E5B9u) >> 33) % below;
}

void cluster_die(const char *format, ...)
{
  va_list args;
  int i;
  va_start(args, format);
  fprintf(stderr, "cluster: FAILED: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  for (i = 0; i < CLUSTER_INSTANCES; i++) {
    int status;
    if (instances[i].pid <= 0) continue;
    if (waitpid(instances[i].pid, &status, WNOHANG) > 0) /* the cause, perhaps */
      fprintf(stderr, "cluster: instance %d had ended, with %s %d\n", i, WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    else kill(instances[i].pid, SIGKILL);
  }
  exit(1);
}

static const char *instance_setting(const char *name)
{
  const char *value = getenv(name);
  if (!value || !*value) cluster_die("%s is not set: ./build.sh test-cluster sets it", name);
  return value;
}

void instance_flags(const char *const *flags)
{
  more_flags = flags;
}

/* Runs in the child process. */
static void instance_become(int i, int port, int errors)
{
  const char *folder = instance_setting("CLUSTER_FOLDER"), *limiter = instance_setting("CLUSTER_LIMITER");
  char listen[64], data[512];
  const char *args[48] = { instance_setting("CLUSTER_SVCD"), "--data", data, "--store", instance_setting("CLUSTER_STORE"), "--listen", listen,
                         "--provision-seconds", "3", "--max-connections", "4096", "--max-per-address", "4000",
                         "--limit", "databaseUsers_group=1000000/1000000/60",
                         "--limit", "alerts_group=300/50/3", "--limit", "projectEvents_group=100000/100000/60",
                         "--seal-passwords", "--limiter", limiter };
  size_t n = 0, k;
  while (args[n]) n++;
  for (k = 0; more_flags && more_flags[k] && n < sizeof args / sizeof args[0] - 1; k++) args[n++] = more_flags[k];
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* svcd ends with the thread that starts it: the first one */
  snprintf(listen, sizeof listen, "http://127.0.0.1:%d", port);
  snprintf(data, sizeof data, "%s/data", folder);
  dup2(errors, 2);
  execv(args[0], (char *const *)(uintptr_t)args);
  fprintf(stderr, "instance %d: cannot start %s\n", i, args[0]);
  _exit(127);
}

/* Returns the port from the instance's "ready" line. */
static int instance_ready(int i, int fd)
{
  int64_t until = cluster_now() + INSTANCE_SECONDS * INT64_C(1000000000);
  char text[8192] = "";
  size_t n = 0;
  while (cluster_now() < until && n < sizeof text - 1) {
    ssize_t got = read(fd, text + n, sizeof text - 1 - n);
    const char *ready;
    if (got <= 0) break;
    n += (size_t)got;
    text[n] = 0;
    ready = strstr(text, "svcd ready on http://127.0.0.1:");
    if (ready && strchr(ready, '\n')) return atoi(ready + 31);
  }
  cluster_die("instance %d does not start; it says: %s", i, text);
}

void instance_begin(int i)
{
  char log[512];
  int out[2], errors;
  snprintf(log, sizeof log, "%s/instance%d.log", instance_setting("CLUSTER_FOLDER"), i);
  errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (errors < 0 || pipe2(out, O_CLOEXEC) != 0) cluster_die("cannot write %s", log);
  instances[i].pid = fork();
  if (instances[i].pid == 0) {
    dup2(out[1], 1);
    instance_become(i, instances[i].port, errors);
  }
  close(out[1]);
  close(errors);
  instances[i].out = out[0];
}

int instance_wait(int i)
{
  instances[i].port = instance_ready(i, instances[i].out);
  close(instances[i].out); /* svcd writes nothing more there; it ignores SIGPIPE */
  return instances[i].port;
}

void instance_kill(int i)
{
  kill(instances[i].pid, SIGKILL);
  waitpid(instances[i].pid, NULL, 0);
  instances[i].pid = 0;
}

void instance_stop(int i)
{
  int status;
  kill(instances[i].pid, SIGTERM);
  waitpid(instances[i].pid, &status, 0);
  instances[i].pid = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) cluster_die("instance %d does not end well: status %d", i, status);
}

void instance_again(void)
{
  int i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_stop(i);
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_begin(i);
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_wait(i);
}

int instance_refused(const char *folder, const char *const *flags, char *said, size_t size)
{
  const char *args[24] = { instance_setting("CLUSTER_SVCD"), "--data", folder, "--store", instance_setting("CLUSTER_STORE"), "--listen", "http://127.0.0.1:0" };
  size_t n = 7, k, have = 0;
  ssize_t got;
  int out[2], status;
  pid_t pid;
  for (k = 0; flags[k] && n < sizeof args / sizeof args[0] - 1; k++) args[n++] = flags[k];
  if (pipe2(out, O_CLOEXEC) != 0) cluster_die("no pipe");
  pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out[1], 1);
    dup2(out[1], 2);
    execv(args[0], (char *const *)(uintptr_t)args);
    _exit(127);
  }
  close(out[1]);
  while (have < size - 1 && !strstr(said, "svcd ready on") && (got = read(out[0], said + have, size - 1 - have)) > 0) said[have += (size_t)got] = 0;
  if (strstr(said, "svcd ready on")) kill(pid, SIGTERM); /* svcd was not refused */
  close(out[0]);
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool instance_said(int i, const char *words)
{
  static char text[1 << 20];
  char log[512];
  size_t n;
  FILE *f;
  snprintf(log, sizeof log, "%s/instance%d.log", instance_setting("CLUSTER_FOLDER"), i);
  f = fopen(log, "r");
  n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = 0;
  return strstr(text, words) != NULL;
}

void instance_verb(const char *verb)
{
  const char *folder = instance_setting("CLUSTER_FOLDER");
  char command[2048];
  int status;
  snprintf(command, sizeof command, "'%s' %s --store '%s' --data '%s/data' >>'%s/verbs.log' 2>&1", instance_setting("CLUSTER_SVCD"), verb,
           instance_setting("CLUSTER_STORE"), folder, folder);
  status = system(command);
  if (status != 0) cluster_die("%s: status %d", command, status);
}

void instance_fault(const char *what)
{
  char command[1024];
  int status;
  snprintf(command, sizeof command, "sh '%s' %s", instance_setting("CLUSTER_FAULTS"), what);
  status = system(command);
  if (status != 0) cluster_die("%s: status %d", command, status);
}

void instance_place(cluster_place *out)
{
  char path[512], text[4096];
  size_t n;
  FILE *f;
  snprintf(path, sizeof path, "%s/data/bootstrap.json", instance_setting("CLUSTER_FOLDER"));
  f = fopen(path, "r");
  if (!f) cluster_die("no %s", path);
  n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  if (!http_member(text, "clientId", out->client_id, sizeof out->client_id) ||
      !http_member(text, "clientSecret", out->client_secret, sizeof out->client_secret) ||
      !http_member(text, "orgId", out->org, sizeof out->org) || !http_member(text, "groupId", out->group, sizeof out->group))
    cluster_die("%s is not as it should be", path);
}
