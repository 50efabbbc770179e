/*
** svcd as users see it: the test starts build/svcd with flags, and checks its output, its status and its files.
**
** Skipped where build/svcd cannot run: in an emulator, or if no such program was built.
*/
#define _GNU_SOURCE /* pipe2, unshare */
#include "listener/common.h"
#include "ports/listener.h"
#include "test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct daemon_run {
  pid_t pid;
  int out, err;
  char text[16384], errors[4096]; /* output of svcd: the help of all verbs is the longest */
  int port;                      /* of the first URL */
} daemon_run;

/* Moves this process into a separate network with only a loopback interface. */
static bool own_network(void)
{
  struct ifreq lo;
  int fd;
  bool up;
  if (unshare(CLONE_NEWNET | (getuid() ? CLONE_NEWUSER : 0)) != 0) return false;
  memset(&lo, 0, sizeof lo);
  strcpy(lo.ifr_name, "lo");
  lo.ifr_flags = IFF_UP | IFF_RUNNING;
  fd = socket(AF_INET, SOCK_DGRAM, 0);
  up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
  close(fd);
  return up;
}

static void start_in(daemon_run *d, const char *const *args, bool apart)
{
  memset(d, 0, sizeof *d);
  d->pid = svcd_start(args, &d->out, &d->err, apart ? own_network : NULL);
}

static void start(daemon_run *d, const char *const *args)
{
  start_in(d, args, false);
}

static void await_ready(daemon_run *d)
{
  if (!read_until(d->out, d->text, sizeof d->text, "svcd ready on ") ||
      !read_until(d->out, d->text, sizeof d->text, "\n"))
    munit_errorf("svcd is not ready: %s", d->text);
  d->port = atoi(strchr(strstr(strstr(d->text, "ready on http"), "://") + 3, ':') + 1);
  munit_assert_int(d->port, >, 0);
}

/* Returns the exit status; -1: killed by a signal. */
static int finish(daemon_run *d, int with_signal)
{
  int status;
  if (with_signal) kill(d->pid, with_signal);
  if (!read_until(d->out, d->text, sizeof d->text, NULL)) kill(d->pid, SIGKILL); /* svcd should have ended, but serves */
  read_until(d->err, d->errors, sizeof d->errors, NULL);
  status = svcd_status(d->pid);
  close(d->out);
  close(d->err);
  return status;
}

static int lines_of(const char *text)
{
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static int get(int port, const char *path, char *answer, size_t size)
{
  struct sockaddr_in a;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0, n;
  char text[256];
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  munit_assert_int(connect(fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  n = snprintf(text, sizeof text, "GET %s HTTP/1.0\r\n\r\n", path);
  munit_assert_int((int)send(fd, text, (size_t)n, MSG_NOSIGNAL), ==, n);
  answer[0] = '\0';
  read_until(fd, answer, size, NULL);
  close(fd);
  sscanf(answer, "HTTP/1.1 %3d", &status);
  return status;
}

static char *new_folder(void)
{
  static char name[64];
  strcpy(name, "/tmp/svcd_test_XXXXXX");
  munit_assert_not_null(mkdtemp(name));
  return name;
}

static void remove_folder(const char *name)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", name);
  munit_assert_int(system(command), ==, 0);
}

TEST(svcd, life)
{
  static char answer[8192];
  char *folder, store[128], file[160];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--listen", "http://127.0.0.1:0",
                         "--threads", "2", "--no-sync", "--provision-seconds", "0", NULL };
  const char *again[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--base-url", "http://api.example.com", NULL };
  const char *renamed[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--vendor", "acme", NULL };
  daemon_run d, other;
  struct stat st;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  snprintf(file, sizeof file, "%s/bootstrap.json", store);
  start(&d, args);
  await_ready(&d);
  munit_assert_int(get(d.port, "/api/svc/v2/unauth/controlPlaneIPAddresses", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "http://127.0.0.1:"));
  munit_assert_int(get(d.port, "/api/svc/v2/orgs", answer, sizeof answer), ==, 401);
  start(&other, args); /* the store is in use */
  munit_assert_int(finish(&other, 0), ==, 1);
  munit_assert_not_null(strstr(other.errors, "in use"));
  munit_assert_int(lines_of(other.errors), ==, 1);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_string_equal(d.errors, "");
  munit_assert_int(stat(file, &st), ==, 0);
  munit_assert_int(st.st_mode & 0777, ==, 0600);
  munit_assert_not_null(strstr(d.text, file));
  munit_assert_int(chmod(file, 0640), ==, 0); /* a mark: the second start must not change the file */
  start(&d, renamed); /* the vendor word of a store cannot change */
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "the vendor word of this store is svc, not acme"));
  munit_assert_int(lines_of(d.errors), ==, 1);
  start(&d, again);
  await_ready(&d);
  munit_assert_int(lines_of(d.text), ==, 1); /* nothing more to report, because the store is not new */
  munit_assert_int(get(d.port, "/api/svc/v2/unauth/controlPlaneIPAddresses", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "http://api.example.com/api/svc/v2"));
  munit_assert_not_null(strstr(answer, "application/vnd.svc."));
  munit_assert_int(finish(&d, SIGINT), ==, 0);
  munit_assert_int(stat(file, &st), ==, 0);
  munit_assert_int(st.st_mode & 0777, ==, 0640);
  snprintf(store, sizeof store, "%s/second", folder); /* a new store keeps its vendor word: later starts need not name it */
  start(&d, renamed);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  start(&d, again);
  await_ready(&d);
  munit_assert_int(get(d.port, "/api/acme/v2/unauth/controlPlaneIPAddresses", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "http://api.example.com/api/acme/v2"));
  munit_assert_not_null(strstr(answer, "application/vnd.acme."));
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/* Reads a field from the text of a file of credentials. */
static void field_of(const char *text, const char *field, char *value, size_t size)
{
  char name[64];
  const char *at;
  snprintf(name, sizeof name, "\"%s\":\"", field);
  at = strstr(text, name);
  munit_assert_not_null(at);
  at += strlen(name);
  snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* Runs the line after "try:", which works in any folder. */
static void paste(const char *output)
{
  const char *line = strstr(output, "try:\n  curl ");
  char command[4096];
  munit_assert_not_null(line);
  if (system("command -v curl >/dev/null") != 0) return;
  line += 12;
  snprintf(command, sizeof command, "cd / && curl -fsS %.*s | grep -q '\"totalCount\"'", (int)strcspn(line, "\n"), line);
  munit_assert_int(system(command), ==, 0);
}

/* The configured file has all credentials, their secrets are not printed, and the line to paste works. */
TEST(svcd, bootstrap)
{
  static const char *const fields[] = { "baseUrl", "orgId", "groupId", "publicKey", "privateKey", "clientId",
                                        "clientSecret" };
  char *folder, store[128], file[128], text[2048] = "";
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--bootstrap", file, NULL };
  daemon_run d;
  int fd;
  size_t i;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  snprintf(file, sizeof file, "%s/keys", folder);
  start(&d, args);
  await_ready(&d);
  fd = open(file, O_RDONLY | O_CLOEXEC);
  munit_assert_int(fd, >=, 0);
  munit_assert_long((long)read(fd, text, sizeof text - 1), >, 0);
  close(fd);
  for (i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    char value[128];
    field_of(text, fields[i], value, sizeof value);
    munit_assert_size(strlen(value), >, 0);
    if (i == 0) munit_assert_not_null(strstr(d.text, value));
    if (i == 4 || i == 6) munit_assert_null(strstr(d.text, value)); /* secrets are not printed */
  }
  paste(d.text);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/*
** The folder of the credentials file may be deleted once the credentials are stored elsewhere: svcd still starts, because there is
** nothing to write. A folder or a FIFO in place of the file is never replaced by a file, and the new store is not filled before the
** file can be written.
*/
TEST(svcd, bootstrap_folder)
{
  char *folder, store[128], keys[128], file[160];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--bootstrap", file, NULL };
  daemon_run d;
  struct stat st;
  int i;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/1", folder);
  snprintf(keys, sizeof keys, "%s/keys", folder);
  snprintf(file, sizeof file, "%s/file", keys);
  munit_assert_int(mkdir(keys, 0700), ==, 0);
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(keys);
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_string_equal(d.errors, "");
  snprintf(store, sizeof store, "%s/2", folder); /* with a new store the missing folder is an error */
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 1);
  munit_assert_not_null(strstr(d.errors, file));
  munit_assert_int(lines_of(d.errors), ==, 1);
  munit_assert_int(mkdir(keys, 0700), ==, 0);
  for (i = 0; i < 2; i++) {
    munit_assert_int(i ? mkfifo(file, 0600) : mkdir(file, 0700), ==, 0);
    start(&d, args);
    munit_assert_int(finish(&d, 0), ==, 1);
    munit_assert_not_null(strstr(d.errors, file));
    munit_assert_int(lines_of(d.errors), ==, 1);
    munit_assert_int(stat(file, &st), ==, 0);
    munit_assert_true(i ? S_ISFIFO(st.st_mode) : S_ISDIR(st.st_mode));
    munit_assert_int(i ? unlink(file) : rmdir(file), ==, 0);
  }
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(stat(file, &st), ==, 0);
  munit_assert_int(st.st_mode & 0777, ==, 0600);
  remove_folder(folder);
}

/* Returns the first line that the status of a thread lacks, because the thread still has a privilege; NULL: it has none. *text: the
** status; empty: the thread has ended. */
static const char *confined_lacks(pid_t pid, const char *thread, char *text, size_t size)
{
  static const char *const lines[] = { "\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n", "\nCapEff:\t0000000000000000\n", "\nCapBnd:\t0000000000000000\n" };
  char file[320];
  size_t i, n = 0;
  FILE *f;
  snprintf(file, sizeof file, "/proc/%d/task/%s/status", (int)pid, thread);
  f = fopen(file, "r");
  if (f) {
    n = fread(text, 1, size - 1, f);
    fclose(f);
  }
  text[n] = '\0';
  for (i = 0; n && i < sizeof lines / sizeof lines[0]; i++)
    if (!strstr(text, lines[i])) return lines[i];
  return NULL;
}

/* Checks that a thread has no privileges. A new thread gives them up after a moment. Returns 0 if the thread has just ended. */
static int confined_thread(pid_t pid, const char *thread)
{
  const char *lacks;
  char text[8192];
  int tries;
#ifdef __SANITIZE_THREAD__
  if (atoi(thread) != (int)pid) return 1; /* the thread may be the sanitizer's own, which starts with the first other thread */
#endif
  for (tries = 0; (lacks = confined_lacks(pid, thread, text, sizeof text)) != NULL && tries < 500; tries++) usleep(10000);
  if (lacks) munit_errorf("%s is not in %s", lacks, text);
  return text[0] != '\0';
}

/* Checks the privileges of all threads. Returns their number. */
static int confined_threads(pid_t pid)
{
  const struct dirent *entry;
  char name[64];
  DIR *tasks;
  int n = 0;
  snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
  tasks = opendir(name);
  munit_assert_not_null(tasks);
  while ((entry = readdir(tasks)) != NULL)
    if (entry->d_name[0] != '.') n += confined_thread(pid, entry->d_name);
  closedir(tasks);
  return n;
}

/* svcd without a driver has dropped its privileges when it serves: see examples/svcd/confine.c. */
TEST(svcd, confined)
{
  char *folder, store[128], file[160], text[8192];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", NULL };
  daemon_run d;
  size_t n;
  FILE *f;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  start(&d, args);
  await_ready(&d);
  munit_assert_int(confined_threads(d.pid), >, 1);
  snprintf(file, sizeof file, "/proc/%d/limits", (int)d.pid);
  f = fopen(file, "r");
  if (f) { /* only root may read it */
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    munit_assert_not_null(strstr(text, "Max core file size        0                    0"));
  }
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/* The key for the store's secrets is made once, readable by the owner only. An invalid key, a file that others can read or the group
** can write, and a dangling link are refused. */
TEST(svcd, secret_key)
{
  static const mode_t modes[] = { 0644, 0604, 0620 };
  char *folder, store[128], file[160], pending[170], first[64], second[64];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", NULL };
  const char *named[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", "--secret-key", file, NULL };
  daemon_run d;
  struct stat st;
  int i;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  snprintf(file, sizeof file, "%s/secret.key", store);
  for (i = 0; i < 2; i++) {
    char *to = i ? second : first;
    FILE *f;
    start(&d, i ? named : args);
    await_ready(&d);
    munit_assert_int(finish(&d, SIGTERM), ==, 0);
    munit_assert_string_equal(d.errors, "");
    munit_assert_int(stat(file, &st), ==, 0);
    munit_assert_int(st.st_mode & 0777, ==, 0600);
    f = fopen(file, "rb");
    munit_assert_not_null(f);
    munit_assert_size(fread(to, 1, 64, f), ==, 32);
    fclose(f);
  }
  munit_assert_memory_equal(32, first, second);
  snprintf(pending, sizeof pending, "%s.new", file);
  munit_assert_int(access(pending, F_OK), !=, 0);
  munit_assert_int(chmod(file, 0440), ==, 0); /* the mode of a mounted Kubernetes Secret */
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_not_null(strstr(d.errors, "warning"));
  munit_assert_not_null(strstr(d.errors, "can be read by its group"));
  for (i = 0; i < 3; i++) {
    munit_assert_int(chmod(file, modes[i]), ==, 0);
    start(&d, args);
    munit_assert_int(finish(&d, 0), ==, 2);
    munit_assert_not_null(strstr(d.errors, "chmod 600"));
    munit_assert_int(lines_of(d.errors), ==, 1);
  }
  munit_assert_int(chmod(file, 0600), ==, 0);
  munit_assert_int(truncate(file, 31), ==, 0);
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "32 bytes"));
  snprintf(file, sizeof file, "%s/not/there/key", folder);
  start(&d, named);
  munit_assert_int(finish(&d, 0), ==, 1);
  munit_assert_not_null(strstr(d.errors, file));
  munit_assert_int(lines_of(d.errors), ==, 1);
  snprintf(store, sizeof store, "%s/linked", folder);
  munit_assert_int(mkdir(store, 0700), ==, 0);
  snprintf(file, sizeof file, "%s/secret.key", store);
  munit_assert_int(symlink("/nowhere/secret.key", file), ==, 0);
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 1);
  munit_assert_not_null(strstr(d.errors, file));
  munit_assert_int(lines_of(d.errors), ==, 1);
  snprintf(file, sizeof file, "%s/bootstrap.json", store);
  munit_assert_int(access(file, F_OK), !=, 0);
  remove_folder(folder);
}

/* Sends GETs on one connection until the server closes the connection, or it is enough. Returns the number of answers. closing: the last
** answer had "Connection: close". */
static int get_kept(int port, const char *path, const atomic_bool *enough, bool *closing)
{
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), n, status, answered = 0;
  char text[256], answer[4096];
  munit_assert_int(connect(fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
  for (*closing = false; !*closing && !*enough; answered++) {
    const char *body, *length;
    munit_assert_int((int)send(fd, text, (size_t)n, MSG_NOSIGNAL), ==, n);
    answer[0] = '\0';
    munit_assert_true(read_until(fd, answer, sizeof answer, "\r\n\r\n"));
    munit_assert_int(sscanf(answer, "HTTP/1.1 %3d", &status), ==, 1);
    body = strstr(answer, "\r\n\r\n") + 4;
    length = strstr(answer, "Content-Length: ");
    munit_assert_not_null(length);
    while (strlen(body) < (size_t)atoi(length + 16)) munit_assert_int((int)read(fd, answer + strlen(answer), 1), ==, 1);
    *closing = strstr(answer, "Connection: close") != NULL;
  }
  close(fd);
  return answered;
}

typedef struct drain_client {
  pthread_t thread;
  int port, answered, closed;
  atomic_bool enough;
} drain_client;

/* Behaves like a load balancer: kept connections, and new ones. */
static void *drain_load(void *client)
{
  drain_client *k = client;
  while (!k->enough) {
    bool closing;
    k->answered += get_kept(k->port, "/_svc/health/live", &k->enough, &closing);
    k->closed += closing;
  }
  return NULL;
}

/* After SIGTERM svcd reports at once that it is not ready, and answers all requests until the time is over or a second signal comes. */
TEST(svcd, drain)
{
  char *folder, store[128], answer[1024];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", "--drain", "2", NULL };
  const char *longer[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", "--drain", "600", NULL };
  const struct timespec moment = { 0, 300000000 };
  drain_client clients[4];
  daemon_run d;
  int i;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  start(&d, args);
  await_ready(&d);
  memset(clients, 0, sizeof clients);
  for (i = 0; i < 4; i++) {
    clients[i].port = d.port;
    munit_assert_int(pthread_create(&clients[i].thread, NULL, drain_load, &clients[i]), ==, 0);
  }
  nanosleep(&moment, NULL);
  munit_assert_int(get(d.port, "/_svc/health", answer, sizeof answer), ==, 200);
  kill(d.pid, SIGTERM);
  munit_assert_true(read_until(d.out, d.text, sizeof d.text, "svcd draining for 2 seconds"));
  munit_assert_int(get(d.port, "/_svc/health", answer, sizeof answer), ==, 503);
  munit_assert_not_null(strstr(answer, "\"ready\":false,\"status\":\"draining\""));
  nanosleep(&moment, NULL);
  for (i = 0; i < 4; i++) clients[i].enough = true; /* the clients stop using this server */
  for (i = 0; i < 4; i++) {
    munit_assert_int(pthread_join(clients[i].thread, NULL), ==, 0);
    munit_assert_int(clients[i].answered, >, 10);
    munit_assert_int(clients[i].closed, >, 1);
  }
  munit_assert_int(finish(&d, 0), ==, 0);
  start(&d, longer);
  await_ready(&d);
  kill(d.pid, SIGTERM);
  munit_assert_true(read_until(d.out, d.text, sizeof d.text, "svcd draining for 600 seconds"));
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/* Standard input of the next svcd: svcd_start() passes no argument to its callback. */
static int stdin_pipe[2];

static bool take_stdin(void)
{
  return dup2(stdin_pipe[0], 0) == 0;
}

/* Input is ignored, but the end of standard input makes svcd exit. Without the flag svcd goes on. The thread that waits for the end has
** no privileges, like all other threads. */
TEST(svcd, end_with_stdin)
{
  const char *args[] = { "--memory", "--listen", "http://127.0.0.1:0", "--show-credentials", "--log-level", "info", "--end-with-stdin", NULL };
  char answer[1024];
  daemon_run d;
  int with;
  SKIP_IF(!can_run());
  for (with = 1; with >= 0; with--) {
    args[6] = with ? "--end-with-stdin" : NULL;
    memset(&d, 0, sizeof d);
    munit_assert_int(pipe2(stdin_pipe, O_CLOEXEC), ==, 0);
    d.pid = svcd_start(args, &d.out, &d.err, take_stdin);
    close(stdin_pipe[0]);
    await_ready(&d);
    munit_assert_int(confined_threads(d.pid), >, 1);
    munit_assert_int((int)write(stdin_pipe[1], "x\n", 2), ==, 2);
    munit_assert_int(get(d.port, "/_svc/health", answer, sizeof answer), ==, 200);
    close(stdin_pipe[1]);
    if (!with) munit_assert_int(get(d.port, "/_svc/health", answer, sizeof answer), ==, 200);
    munit_assert_int(finish(&d, with ? 0 : SIGTERM), ==, 0);
    munit_assert_true(!!strstr(d.errors, "standard input has ended") == !!with);
    munit_assert_not_null(strstr(d.text, "svcd stopping on SIGTERM"));
  }
}

/* Flags as environment variables, which the command line overrides. Unknown variables are errors, except those that Kubernetes sets. */
TEST(svcd, environment)
{
  char *folder, store[128];
  const char *args[] = { "serve", NULL }, *given[] = { "serve", "--provision-seconds", "3", "--threads", "2", NULL };
  daemon_run d;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  setenv("SVCD_DATA", store, 1);
  setenv("SVCD_LISTEN", "http://127.0.0.1:0\n http://[::1]:0", 1);
  setenv("SVCD_NO_SYNC", "true", 1);
  setenv("SVCD_THREADS", "many", 1);
  setenv("SVCD_SERVICE_HOST", "10.0.0.1", 1);
  setenv("SVCD_PORT", "tcp://10.0.0.1:80", 1);
  setenv("SVCD_CERT", "", 1);
  setenv("SVCD_FLAGS", "--threads 64", 1); /* of the systemd unit, which passes these flags on the command line */
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "--threads must be a number"));
  munit_assert_not_null(strstr(d.errors, "SVCD_THREADS in the environment"));
  setenv("SVCD_THREADS", "64", 1);
  start(&d, given);
  await_ready(&d);
  munit_assert_not_null(strstr(d.text, " http://[::1]:"));
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_string_equal(d.errors, "");
  setenv("SVCD_LISTN", "x", 1);
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "did you mean SVCD_LISTEN?"));
  unsetenv("SVCD_LISTN");
  unsetenv("SVCD_DATA");
  unsetenv("SVCD_LISTEN");
  unsetenv("SVCD_NO_SYNC");
  unsetenv("SVCD_THREADS");
  unsetenv("SVCD_SERVICE_HOST");
  unsetenv("SVCD_PORT");
  unsetenv("SVCD_CERT");
  unsetenv("SVCD_FLAGS");
  remove_folder(folder);
}

/* With the flag all credentials are printed, once. For an existing store only the location of the file is printed. */
TEST(svcd, show_credentials)
{
  static const char *const fields[] = { "baseUrl", "orgId", "groupId", "publicKey", "privateKey", "clientId",
                                        "clientSecret" };
  static const char *const labels[] = { "base URL:      ", "organization:  ", "project:       ", "publicKey:     ",
                                        "privateKey:    ", "clientId:      ", "clientSecret:  " };
  char folder[] = "build/svcd it's XXXXXX", file[128], line[1024], text[2048] = "", values[7][128], command[160];
  const char *args[] = { "--data", folder, "--listen", "http://127.0.0.1:0", "--base-url", "http://api.example.com/",
                         "--show-credentials", NULL };
  daemon_run d;
  int fd, round;
  size_t i;
  SKIP_IF(!can_run());
  munit_assert_not_null(mkdtemp(folder)); /* a name that the shell needs quoted */
  snprintf(file, sizeof file, "%s/bootstrap.json", folder);
  start(&d, args);
  await_ready(&d);
  fd = open(file, O_RDONLY | O_CLOEXEC);
  munit_assert_int(fd, >=, 0);
  munit_assert_long((long)read(fd, text, sizeof text - 1), >, 0);
  close(fd);
  for (i = 0; i < 7; i++) {
    field_of(text, fields[i], values[i], sizeof values[i]);
    if (i == 0) munit_assert_string_equal(values[i], "http://api.example.com"); /* without a trailing slash */
    snprintf(line, sizeof line, "%s%s\n", labels[i], values[i]);
    munit_assert_not_null(strstr(d.text, line));
    munit_assert_true(strstr(d.text, line) < strstr(d.text, "\nsvcd ready on "));
  }
  snprintf(line, sizeof line, "credentials:   %s\n", file);
  munit_assert_not_null(strstr(d.text, line));
  snprintf(line, sizeof line, "\nsvcd ready on http://127.0.0.1:%d\n", d.port);
  munit_assert_not_null(strstr(d.text, line));
  paste(d.text);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  for (round = 0; round < 2; round++) {
    if (round) munit_assert_int(unlink(file), ==, 0);
    start(&d, args);
    await_ready(&d);
    for (i = 3; i < 7; i++) munit_assert_null(strstr(d.text, values[i]));
    munit_assert_not_null(strstr(d.text, file));
    if (round == 0) paste(d.text);
    else munit_assert_null(strstr(d.text, "curl"));
    munit_assert_true((strstr(d.text, "is missing: `svcd credentials") != NULL) == (round == 1));
    munit_assert_int(finish(&d, SIGTERM), ==, 0);
  }
  snprintf(command, sizeof command, "rm -rf \"%s\"", folder);
  munit_assert_int(system(command), ==, 0);
}

TEST(svcd, flags)
{
  static const struct {
    const char *args[SVCD_ARGS];
    int status;
    const char *out, *err; /* required parts of the output */
    int err_lines;         /* 0: any number */
  } rows[] = {
    { { NULL }, 2, "", "usage: svcd --data DIR", 0 },
    { { "--help" }, 0, "usage: svcd --data DIR", "", 0 },
    { { "--version" }, 0, "svcd " SVC_VERSION "\n", "", 0 },
    { { "--data" }, 2, "", "--data needs a value", 0 },
    { { "--data", "" }, 2, "", "--data: the value is empty", 0 },
    { { "--data=" }, 2, "", "--data: the value is empty", 0 },
    { { "--data=build/no-folder", "--threads=0" }, 2, "", "--threads must be a number from 1", 0 },
    { { "--dta=build/no-folder" }, 2, "", "--dta: no such flag; did you mean --data?", 1 },
    { { "--memory=maybe" }, 2, "", "--memory takes no value, or true or false", 1 },
    { { "--memory=false", "--data=build/no-folder", "--lisen=x" }, 2, "", "--lisen: no such flag; did you mean --listen?", 1 },
    { { "--data=build/no-folder", "--config=build/none" }, 2, "", "cannot read --config build/none", 1 },
    { { "--data", "build/no-folder", "--listen=http://127.0.0.1:0", "--driver=exec:/nonexist/x" }, 2, "", "--driver exec: /nonexist/x: No such file", 1 },
    { { "--data", "build/no-folder", "--listen=http://127.0.0.1:0", "--limit=clusters_grup=1/1/1" }, 2, "", "did you mean clusters_group?", 1 },
    { { "--data", "build/no-folder", "--listen=http://127.0.0.1:0", "--limit=x" }, 2, "", "ID=CAPACITY/REFILL/SECONDS", 1 },
    { { "--data", "build/no-folder", "--wrong" }, 2, "", "--wrong: no such flag", 0 },
    { { "--data", "build/no-folder", "extra" }, 2, "", "extra: no such flag", 0 },
    { { "--data", "build/no-folder", "--threads", "0" }, 2, "", "--threads must be a number from 1", 0 },
    { { "--data", "build/no-folder", "--threads", "2x" }, 2, "", "--threads must be a number from 1", 0 },
    { { "--data", "build/no-folder", "--provision-seconds", "-1" }, 2, "", "--provision-seconds must be a number", 0 },
    { { "--data", "build/no-folder", "--cert", "a", "--key", "b" }, 2, "", "--cert needs an https URL", 0 },
    { { "--data", "build/no-folder", "--listen", "https://127.0.0.1:0", "--cert", "a" }, 2, "", "--cert and --key must be given together", 0 },
    { { "--data", "build/no-folder", "--listen", "https://127.0.0.1:0", "--key", "a" }, 2, "", "--cert and --key must be given together", 0 },
    { { "--data", "build/no-folder", "--listen", "https://127.0.0.1:0", "--cert", "/nowhere/a", "--key", "b" }, 1, "", "/nowhere/a", 1 },
    { { "--data", "/dev/null/x", "--listen", "https://127.0.0.1:0" }, 1, "", "/dev/null/x/tls.key", 1 },
    { { "--data", "build/no-folder", "--listen", "http://0.0.0.0:0" }, 2, "", "or set --plain-http", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--listen", "http://[::]:0" }, 2, "", "or set --plain-http", 1 },
    { { "--data", "build/no-folder", "--listen", "http://10.1.2.3:80" }, 2, "", "or set --plain-http", 1 },
    { { "--data", "build/no-folder", "--listen", "http://[::ffff:127.0.0.1]" }, 2, "", "or set --plain-http", 1 },
    { { "--data", "build/no-folder", "--listen", "localhost:80" }, 2, "", "not a URL like http://", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--vendor", "A B" }, 2, "", "svcd: --vendor ", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--base-url", "x y" }, 2, "", "svcd: --base-url ", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--base-url", "http://a\"b" }, 2, "", "svcd: --base-url ", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--trusted-proxy", "nobody" }, 2, "", "nobody", 1 },
    { { "--data", "/dev/null/x", "--listen", "http://127.0.0.1:0" }, 1, "", "/dev/null/x", 1 },
    { { "--data", "build/no-folder", "--writers", "0" }, 2, "", "--writers must be a number from 1 to 256", 0 },
    { { "--data", "build/no-folder", "--writers", "257" }, 2, "", "--writers must be a number from 1 to 256", 0 },
    { { "--data", "build/no-folder", "--max-per-address", "0" }, 2, "", "--max-per-address must be a number from 1", 0 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--db-scheme", "A B" }, 2, "", "svcd: --db-scheme ", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--dialect", "build.sh" }, 2, "", "svcd: --dialect is invalid JSON", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--dialect", "build/none" }, 2, "", "svcd: cannot read --dialect", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:0", "--db-domain", "a/b" }, 2, "", "svcd: --db-domain ", 1 },
    { { "serve" }, 2, "", "--data DIR is missing", 0 },
    { { "serve", "--help" }, 0, "--db-domain DOMAIN", "", 0 },
    { { "version" }, 0, "svcd " SVC_VERSION "\n", "", 0 },
    { { "version", "--data", "build/no-folder" }, 2, "", "--data: not a flag of this verb", 0 },
    { { "sing" }, 2, "", "sing: no such verb; svcd --help lists them", 1 },
    { { "bakup" }, 2, "", "bakup: no such verb; did you mean backup?", 1 },
    { { "--data", "build/no-folder", "--lisen", "x" }, 2, "", "--lisen: no such flag; did you mean --listen?", 1 },
    { { "backup", "--data", "build/no-folder", "--listen", "x" }, 2, "", "--listen: not a flag of this verb; svcd backup --help", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:1", "--limit", "nope=1/1/1" }, 2, "", "svcd: --limit: nope ", 1 },
    { { "--data", "build/no-folder", "--listen", "http://127.0.0.1:1", "--seed", "x" }, 2, "", "svcd: --seed x: a number", 1 },
    { { "credentials" }, 2, "", "--data DIR is missing", 0 },
    { { "credentials", "--data", "build/no-folder", "--listen", "http://127.0.0.1:0" }, 2, "", "--listen: not a flag of this verb", 0 },
    { { "credentials", "--data", "build/no-folder" }, 1, "", "there is no store in build/no-folder", 1 },
  };
  size_t i;
  SKIP_IF(!can_run());
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    daemon_run d;
    int status;
    start(&d, rows[i].args);
    status = finish(&d, 0);
    if (status != rows[i].status) munit_errorf("row %zu: status %d: %s", i, status, d.errors);
    if (!strstr(d.text, rows[i].out)) munit_errorf("row %zu: %s", i, d.text);
    if (!strstr(d.errors, rows[i].err)) munit_errorf("row %zu: %s", i, d.errors);
    if (rows[i].err_lines) munit_assert_int(lines_of(d.errors), ==, rows[i].err_lines);
  }
  munit_assert_int(access("build/no-folder", F_OK), !=, 0); /* no command has touched a folder */
}

TEST(svcd, port_in_use)
{
  char *folder, first[128], second[128], url[64];
  const char *args[] = { "--data", first, "--listen", "http://127.0.0.1:0", "--threads", "2", NULL };
  const char *same[] = { "--data", second, "--listen", url, "--threads", "2", NULL };
  daemon_run d, other;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(first, sizeof first, "%s/1", folder);
  snprintf(second, sizeof second, "%s/2", folder);
  start(&d, args);
  await_ready(&d);
  snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
  start(&other, same);
  munit_assert_int(finish(&other, 0), ==, 1);
  munit_assert_not_null(strstr(other.errors, "the port is in use"));
  munit_assert_int(lines_of(other.errors), ==, 1);
  munit_assert_int(access(second, F_OK), !=, 0);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/* SIGHUP from a closed terminal does not end svcd. */
TEST(svcd, hangup)
{
  static char answer[8192];
  char *folder;
  const char *args[] = { "--data", NULL, "--listen", "http://127.0.0.1:0", NULL };
  daemon_run d;
  int i;
  SKIP_IF(!can_run());
  args[1] = folder = new_folder();
  start(&d, args);
  await_ready(&d);
  for (i = 0; i < 2; i++) {
    d.errors[0] = '\0';
    kill(d.pid, SIGHUP);
    munit_assert_true(read_until(d.err, d.errors, sizeof d.errors, "SIGHUP"));
    munit_assert_int(get(d.port, "/api/svc/v2/unauth/controlPlaneIPAddresses", answer, sizeof answer), ==, 200);
  }
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/*
** Plain HTTP on a public address is allowed if a flag asks for it (svcd/flags tests the refusal). On such an address svcd warns if
** --base-url is missing, because links in answers need a name. The test runs in a network of its own, which nobody can reach.
*/
TEST(svcd, beyond_loopback)
{
  static const struct {
    const char *listen, *base_url, *warning;
  } rows[] = { { "http://0.0.0.0:0", NULL, "--base-url http://NAME:" }, { "http://0.0.0.0:0", "http://api.example.com", NULL },
               { "http://[::]:0", NULL, "--base-url http://NAME:" }, { "http://127.0.0.1:0", NULL, NULL },
               { "https://0.0.0.0:0", NULL, "--base-url https://NAME:" }, { "https://0.0.0.0:0", "https://api.example.com", NULL } };
  char *folder;
  const char *args[] = { "--data", NULL, "--plain-http", "--listen", NULL, NULL, NULL, NULL };
  size_t i;
  SKIP_IF(!can_run());
  setenv("SVCD_DRAIN", "0", 1); /* no load balancer here */
  args[1] = folder = new_folder();
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    daemon_run d;
    int status;
    args[4] = rows[i].listen;
    args[5] = rows[i].base_url ? "--base-url" : NULL;
    args[6] = rows[i].base_url;
    start_in(&d, args, true);
    if (!read_until(d.out, d.text, sizeof d.text, "svcd ready on ")) {
      status = finish(&d, 0);
      remove_folder(folder);
      SKIP_IF(status == SVCD_NOT_BEGUN || strstr(d.errors, "kind of address"));
      munit_errorf("status %d: %s", status, d.errors);
    }
    munit_assert_int(finish(&d, SIGTERM), ==, 0);
    munit_assert_int(lines_of(d.errors), ==, rows[i].warning != NULL);
    if (rows[i].warning) munit_assert_not_null(strstr(d.errors, rows[i].warning));
  }
  remove_folder(folder);
  unsetenv("SVCD_DRAIN");
}

/* Makes the files of a certificate that is valid for so many days. */
static void make_cert(const char *cert, const char *key, int days)
{
  static const char *const names[] = { "localhost", "127.0.0.1" };
  munit_assert_int(svc_listener_cert_make(cert, key, names, 2, days, NULL, 0), ==, SVC_OK);
}

/* Returns the fingerprint that was printed last. */
static void printed_sha256(const char *text, char out[96])
{
  const char *at = NULL, *next = text;
  while ((next = strstr(next, "SHA-256 ")) != NULL) at = next += 8;
  munit_assert_not_null(at);
  snprintf(out, 96, "%.95s", at);
}

/* https without a certificate: svcd makes a certificate, with a key that only the owner can read, and keeps both. svcd renews an expired
** certificate with the same key. The line to paste works with the certificate. */
TEST(svcd, own_certificate)
{
  char *folder, cert[128], key[128], sha[4][96], command[512];
  const char *args[] = { "--data", NULL, "--listen", "https://127.0.0.1:0", "--no-sync", NULL };
  svc_listener_cert about;
  struct stat st, later;
  daemon_run d;
  int i;
  SKIP_IF(!can_run());
  args[1] = folder = new_folder();
  snprintf(cert, sizeof cert, "%s/tls.crt", folder);
  snprintf(key, sizeof key, "%s/tls.key", folder);
  for (i = 0; i < 4; i++) {
    if (i == 2) make_cert(cert, key, -1);
    if (i == 3) make_cert(cert, key, 5);
    start(&d, args);
    await_ready(&d);
    munit_assert_not_null(strstr(d.text, "ready on https://127.0.0.1:"));
    printed_sha256(d.text, sha[i]);
    munit_assert_int(svc_listener_cert_read(cert, key, &about, NULL, 0), ==, SVC_OK);
    munit_assert_string_equal(about.sha256, sha[i]);
    munit_assert_int64(about.until, >, (int64_t)time(NULL) * 1000);
    munit_assert_int64(about.until, <, (int64_t)(time(NULL) + 825 * 86400) * 1000);
    if (i == 0) paste(d.text);
    if (i == 0) munit_assert_int(stat(key, &st), ==, 0);
    munit_assert_int(stat(key, &later), ==, 0);
    munit_assert_true(st.st_ino == later.st_ino && st.st_mtime == later.st_mtime);
    munit_assert_int(later.st_mode & 0777, ==, 0600);
    snprintf(command, sizeof command, "command -v curl >/dev/null || exit 0; for v in 1.2 1.3; do curl -fsS --tlsv$v --tls-max $v --cacert '%s' "
             "https://localhost:%d/api/svc/v2/unauth/controlPlaneIPAddresses | grep -q '\"https://127.0.0.1:' || exit 1; done", cert, d.port);
    munit_assert_int(system(command), ==, 0);
    munit_assert_int(finish(&d, SIGTERM), ==, 0);
    if (i < 3) munit_assert_string_equal(d.errors, "");
    else munit_assert_not_null(strstr(d.errors, "expires on 20"));
  }
  munit_assert_string_equal(sha[0], sha[1]);
  munit_assert_string_not_equal(sha[1], sha[2]);
  munit_assert_int(unlink(key), ==, 0); /* a certificate without its key is not replaced */
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 1);
  munit_assert_not_null(strstr(d.errors, "tls.key"));
  munit_assert_int(lines_of(d.errors), ==, 1);
  remove_folder(folder);
}

/* An invalid configured certificate is an error at the start. SIGHUP reloads the certificate. The old certificate stays in use if the new
** one is invalid. */
TEST(svcd, certificate)
{
  char *folder, store[128], cert[128], key[128], other[128], sha[2][96];
  const char *args[] = { "--data", store, "--listen", "https://127.0.0.1:0", "--cert", cert, "--key", key, NULL };
  daemon_run d;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(store, sizeof store, "%s/store", folder);
  snprintf(cert, sizeof cert, "%s/a.crt", folder);
  snprintf(key, sizeof key, "%s/a.key", folder);
  snprintf(other, sizeof other, "%s/other.key", folder);
  make_cert(cert, key, -1);
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "has expired on 20"));
  munit_assert_int(lines_of(d.errors), ==, 1);
  make_cert(cert, other, 100); /* with another key */
  start(&d, args);
  munit_assert_int(finish(&d, 0), ==, 2);
  munit_assert_not_null(strstr(d.errors, "does not fit"));
  munit_assert_int(lines_of(d.errors), ==, 1);
  make_cert(cert, key, 100);
  start(&d, args);
  await_ready(&d);
  printed_sha256(d.text, sha[0]);
  make_cert(cert, key, 200);
  kill(d.pid, SIGHUP);
  munit_assert_true(read_until(d.err, d.errors, sizeof d.errors, "\n"));
  munit_assert_not_null(strstr(d.errors, "SIGHUP: the certificate is reloaded"));
  printed_sha256(d.errors, sha[1]);
  munit_assert_string_not_equal(sha[0], sha[1]);
  make_cert(cert, other, 300);
  d.errors[0] = '\0';
  kill(d.pid, SIGHUP);
  munit_assert_true(read_until(d.err, d.errors, sizeof d.errors, "the old certificate stays in use"));
  munit_assert_not_null(strstr(d.errors, "does not fit"));
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(access(store, F_OK), ==, 0);
  remove_folder(folder);
}

static void read_file(const char *name, char *text, size_t size)
{
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t n;
  munit_assert_int(fd, >=, 0);
  n = read(fd, text, size - 1);
  munit_assert_long((long)n, >, 0);
  text[n] = '\0';
  close(fd);
}

/* Runs a verb to its end. */
static int run(daemon_run *d, const char *const *args)
{
  start(d, args);
  return finish(d, 0);
}

/* The file of credentials is lost: the owner of the folder can make a new one. */
TEST(svcd, credentials)
{
  char *folder, file[128], lost[128], text[2048], org[64], other[64];
  const char *serve[] = { "serve", "--data", NULL, "--listen", "http://127.0.0.1:0", NULL, NULL };
  const char *make[] = { "credentials", "--data", NULL, NULL, NULL, NULL };
  daemon_run d, verb;
  struct stat st;
  SKIP_IF(!can_run());
  serve[2] = make[2] = folder = new_folder();
  snprintf(file, sizeof file, "%s/bootstrap.json", folder);
  snprintf(lost, sizeof lost, "%s/lost", folder);
  start(&d, serve);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(run(&verb, make), ==, 1); /* the file is not lost */
  munit_assert_not_null(strstr(verb.errors, "already exists: move it"));
  read_file(file, text, sizeof text);
  field_of(text, "orgId", org, sizeof org);
  munit_assert_int(rename(file, lost), ==, 0);
  start(&d, serve);
  await_ready(&d);
  munit_assert_not_null(strstr(d.text, "is missing: `svcd credentials --data "));
  munit_assert_int(run(&verb, make), ==, 1);
  munit_assert_not_null(strstr(verb.errors, "in use"));
  munit_assert_int(lines_of(verb.errors), ==, 1);
  munit_assert_int(access(file, F_OK), !=, 0);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  make[3] = "--org";
  make[4] = "5f0000000000000000000001"; /* does not exist */
  munit_assert_int(run(&verb, make), ==, 1);
  munit_assert_int(access(file, F_OK), !=, 0);
  make[4] = org;
  munit_assert_int(run(&verb, make), ==, 0);
  munit_assert_string_equal(verb.errors, "");
  munit_assert_int(stat(file, &st), ==, 0);
  munit_assert_int(st.st_mode & 0777, ==, 0600);
  read_file(file, text, sizeof text);
  field_of(text, "orgId", other, sizeof other);
  munit_assert_string_equal(other, org);
  field_of(text, "clientSecret", other, sizeof other);
  munit_assert_null(strstr(verb.text, other));
  serve[5] = "--show-credentials";
  start(&d, serve);
  await_ready(&d);
  paste(d.text); /* with the key in the new file */
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  remove_folder(folder);
}

/* Writes a file. */
static void write_file(const char *name, const void *bytes, size_t n)
{
  FILE *f = fopen(name, "w");
  munit_assert_not_null(f);
  munit_assert_size(fwrite(bytes, 1, n, f), ==, n);
  munit_assert_int(fclose(f), ==, 0);
}

static const svc_grant everywhere = { "ORG_OWNER", NULL };
static const svc_caller host = { "000000000000000000000000", "test", &everywhere, 1, 0 };

/* Creates an organization in the store of this folder; NULL: in a store in memory. Writes a snapshot to `file`, unless that is NULL. */
static void make_org(const char *store, const char *name, const char *file)
{
  static const svc_header type = { "Content-Type", "application/json", 0, 0 };
  char body[64];
  svc_request request = { .method = "POST", .target = "/api/svc/v2/orgs", .caller = &host, .headers = &type, .header_count = 1, .body = body };
  svc_config config = { .path = store };
  svc_snapshot *snapshot;
  svc_response response;
  svc *s;
  request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
  if (file) {
    munit_assert_int(svc_snapshot_take(s, &snapshot), ==, SVC_OK);
    munit_assert_int(svc_snapshot_save(snapshot, &response), ==, SVC_OK);
    write_file(file, response.body, response.body_length);
    svc_response_free(&response);
    svc_snapshot_free(snapshot);
  }
  svc_close(s);
}

/* Whether the store of this folder has exactly these organizations. */
static bool has_orgs(const char *store, const char *one, const char *other)
{
  const svc_request request = { .method = "GET", .target = "/api/svc/v2/orgs", .caller = &host };
  const svc_config config = { .path = store };
  svc_response response;
  char count[32];
  bool has;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK);
  snprintf(count, sizeof count, "\"totalCount\":%d}", other ? 2 : 1);
  has = strstr(response.body, one) && (!other || strstr(response.body, other)) && strstr(response.body, count);
  svc_response_free(&response);
  svc_close(s);
  return has;
}

/* A snapshot is loaded into an empty store only, and the first credentials are created once, whatever the dialect calls organizations. */
TEST(svcd, renamed_orgs)
{
  static const char words[] = "{\"paths\":{\"orgs\":\"tenants\"}}";
  char *folder, store[128], dialect[128], snapshot[128], file[160];
  const char *args[] = { "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", "--base-url", "http://a.example.com/api/svc/v2/x",
                         "--dialect", dialect, NULL, NULL, NULL };
  daemon_run d;
  SKIP_IF(!can_run());
  folder = new_folder();
  snprintf(dialect, sizeof dialect, "%s/dialect.json", folder);
  snprintf(snapshot, sizeof snapshot, "%s/a.snapshot", folder);
  write_file(dialect, words, sizeof words - 1);
  make_org(NULL, "Earlier", snapshot);

  snprintf(store, sizeof store, "%s/snapshot", folder);
  snprintf(file, sizeof file, "%s/bootstrap.json", store);
  args[9] = "--snapshot";
  args[10] = snapshot;
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(access(file, F_OK), ==, 0);
  munit_assert_true(has_orgs(store, "\"Earlier\"", NULL));
  make_org(store, "Later", NULL);
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_not_null(strstr(d.errors, "--snapshot applies to an empty store"));
  munit_assert_true(has_orgs(store, "\"Earlier\"", "\"Later\""));

  snprintf(store, sizeof store, "%s/world", folder);
  snprintf(file, sizeof file, "%s/bootstrap.json", store);
  args[9] = "--world";
  args[10] = "empty";
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(access(file, F_OK), ==, 0);
  munit_assert_true(has_orgs(store, "\"Acme\"", NULL));

  snprintf(store, sizeof store, "%s/neither", folder);
  snprintf(file, sizeof file, "%s/bootstrap.json", store);
  args[9] = NULL;
  start(&d, args);
  await_ready(&d);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(unlink(file), ==, 0);
  start(&d, args);
  await_ready(&d);
  munit_assert_not_null(strstr(d.text, "is missing: `svcd credentials --data "));
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_int(access(file, F_OK), !=, 0);
  munit_assert_true(has_orgs(store, "\"First\"", NULL));
  remove_folder(folder);
}

static int threads_of(pid_t pid)
{
  char name[64];
  struct dirent *entry;
  DIR *tasks;
  int n = 0;
  snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
  tasks = opendir(name);
  munit_assert_not_null(tasks);
  while ((entry = readdir(tasks)) != NULL) n += entry->d_name[0] != '.';
  closedir(tasks);
  return n;
}

/* Flags that reach the service, such as the form of clusters' addresses. An idle svcd has only a few threads. */
TEST(svcd, settings)
{
  char *folder, command[2048];
  const char *args[] = { "--data", NULL, "--listen", "http://127.0.0.1:0", "--db-scheme", "acme", "--db-domain", "db.example.test",
                         "--provision-seconds", "0", "--writers", "3", "--conceal", "--max-connections", "100",
                         "--max-per-address", "50", NULL };
  daemon_run d;
  SKIP_IF(!can_run());
  args[1] = folder = new_folder();
  start(&d, args);
  await_ready(&d);
  munit_assert_int(threads_of(d.pid), <=, 3 + T_SLOW); /* a thread for signals, a loop, a writer */
  snprintf(command, sizeof command,
           "get() { sed \"s/.*\\\"$1\\\":\\\"\\([^\\\"]*\\)\\\".*/\\1/\" '%s/bootstrap.json'; }\n"
           "C=http://127.0.0.1:%d/api/svc/v2/groups/$(get groupId)/clusters; K=$(get publicKey):$(get privateKey)\n"
           "curl -sS --digest --user \"$K\" -H 'Content-Type: application/json' -d '{\"name\":\"c\",\"clusterType\":\"REPLICASET\","
           "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
           "\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}' $C >'%s/made'\n"
           "curl -sS --digest --user \"$K\" $C/c >'%s/is'; grep -q 'acme+srv://[^\"]*db.example.test' '%s/is' || { cat '%s/made' '%s/is'; false; }",
           folder, d.port, folder, folder, folder, folder, folder);
  if (system("command -v curl >/dev/null") == 0) munit_assert_int(system(command), ==, 0);
  munit_assert_int(threads_of(d.pid), <=, 5 + T_SLOW);
  munit_assert_int(finish(&d, SIGTERM), ==, 0);
  munit_assert_string_equal(d.errors, "");
  remove_folder(folder);
}
