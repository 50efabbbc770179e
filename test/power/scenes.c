/*
** The recorded scenes, and the checks after a power cut: see power.h.
**
**   load   the library: a store that is created, grows, is written by several threads, and backed up
**   svcd   the program: a first start, a backup with its key, and a restore
**
** The rule: acknowledged changes are there. Unacknowledged changes are there completely or not at all; svc_check_store() checks
** that for the whole store. A backup or a restored store that has a data.mdb is whole.
*/
#define _GNU_SOURCE
#include "power.h"
#include "svcapi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCENES_PATH (PATH_MAX - 64) /* leaves room for a suffix */
#define SCENES_THREADS 3
#define SCENES_KEYS 24 /* each key belongs to one thread */
#define SCENES_STEPS 110 /* per thread */

/* --------------------------------------------------------------------------------------------------------------- promises */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
  void (*mark)(const char *) = (void (*)(const char *))(uintptr_t)dlsym(RTLD_DEFAULT, "power_mark");
  char text[256];
  va_list args;
  if (!mark) power_die("it is not recorded");
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  mark(text);
}

void power_hear(power_promise *p, const char *mark)
{
  unsigned key, value;
  if (sscanf(mark, "ask %u %u", &key, &value) == 2 && key < 64) p->asked[key] = value;
  else if (sscanf(mark, "done %u %u", &key, &value) == 2 && key < 64) p->acked[key] = p->asked[key] = value;
  else if (sscanf(mark, "group %31s", p->group) == 1) return;
  else if (strcmp(mark, "backed up") == 0) p->backed_up = true;
  else if (strcmp(mark, "served") == 0) p->served = true;
  else if (strcmp(mark, "restored") == 0) p->restored = true;
  else power_die("an unknown mark: %s", mark);
}

/* ---------------------------------------------------------------------------------------------------------------- the load */

static int ask(svc *s, const char *method, const char *group, int key, const char *body, char *answer, size_t size)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "power", &owner, 1, 0 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  char target[256];
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body ? 1 : 0, .body = body,
                          .body_length = body ? strlen(body) : 0, .caller = &host };
  svc_response response;
  int status;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/customDBRoles/roles", group);
  if (strcmp(method, "POST") != 0) snprintf(target + strlen(target), sizeof target - strlen(target), "/k%d", key);
  svc_handle_request(s, &request, &response);
  status = response.status;
  if (answer) snprintf(answer, size, "%s", response.body);
  svc_response_free(&response);
  return status;
}

typedef struct load_thread {
  pthread_t thread;
  svc *s;
  const char *group;
  int number;
} load_thread;

static void *load_work(void *context)
{
  const load_thread *t = context;
  const int own = SCENES_KEYS / SCENES_THREADS;
  uint32_t values[SCENES_KEYS] = { 0 };
  uint64_t chance = (uint64_t)t->number + 1;
  uint32_t step;
  for (step = 1; step <= SCENES_STEPS; step++) {
    const int key = t->number * own + (int)power_chance(&chance, (uint32_t)own);
    const bool away = values[key] && power_chance(&chance, 4) == 0;
    const uint32_t value = away ? 0 : step * SCENES_THREADS + (uint32_t)t->number;
    char body[256], answer[512];
    int status;
    say("ask %d %u", key, value);
    snprintf(body, sizeof body, "{%s%.*d%s\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"d\",\"collection\":\"v%u\"}]}]}",
             values[key] ? "" : "\"roleName\":\"k", values[key] ? 0 : 1, values[key] ? 0 : key, values[key] ? "" : "\",", value);
    status = ask(t->s, away ? "DELETE" : values[key] ? "PATCH" : "POST", t->group, key, away ? NULL : body, answer, sizeof answer);
    if (status < 200 || status > 299) power_die("the load is refused: %d %s", status, answer);
    say("done %d %u", key, value);
    values[key] = value;
  }
  return NULL;
}

int power_load(const char *root)
{
  char store[PATH_MAX], copy[PATH_MAX];
  svc_config config = { .path = store, .map_size = 65536, .limiter_off = 1 };
  load_thread threads[SCENES_THREADS];
  svc_credentials c;
  svc *s;
  int i;
  snprintf(store, sizeof store, "%s/store", root);
  snprintf(copy, sizeof copy, "%s/backup", root);
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &c) != SVC_OK) power_die("the store does not begin");
  say("group %s", c.group_id);
  for (i = 0; i < SCENES_THREADS; i++) {
    threads[i] = (load_thread){ .s = s, .group = c.group_id, .number = i };
    if (pthread_create(&threads[i].thread, NULL, load_work, &threads[i]) != 0) power_die("no thread");
  }
  for (i = 0; i < SCENES_THREADS; i++) pthread_join(threads[i].thread, NULL);
  if (svc_backup(s, copy) != SVC_OK) power_die("no backup");
  say("backed up");
  svc_close(s);
  return 0;
}

/* ----------------------------------------------------------------------------------------------------------------- checks */

static char last_line[512];

static void keep_line(void *context, int level, const char *text)
{
  (void)context, (void)level;
  snprintf(last_line, sizeof last_line, "%s", text);
}

static void found(void *context, const char *text)
{
  (void)context;
  fprintf(stderr, "power: %s: %s\n", power_state, text);
}

static bool is_there(const char *folder, const char *name, char path[SCENES_PATH])
{
  snprintf(path, SCENES_PATH, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* Opens the store and checks that it is undamaged. */
static svc *open_whole(const char *path, const unsigned char *key)
{
  svc_config config = { .path = path, .limiter_off = 1, .log = keep_line, .secret_key = key };
  svc *s;
  int rc;
  last_line[0] = 0;
  rc = svc_open(&s, &config);
  if (rc != SVC_OK) power_die("%s: %s does not open: %s (%s)", power_state, path, svc_strerror(rc), last_line);
  if (svc_check_store(s, found, NULL) != SVC_OK) power_die("%s: %s is not whole", power_state, path);
  return s;
}

static void check_values(svc *s, const power_promise *p)
{
  int key;
  for (key = 0; key < SCENES_KEYS && p->group[0]; key++) {
    char answer[2048];
    const int status = ask(s, "GET", p->group, key, NULL, answer, sizeof answer);
    const char *at = strstr(answer, "\"collection\":\"v");
    const uint32_t value = status == 200 && at ? (uint32_t)atoi(at + 15) : 0;
    if (status != 200 && status != 404) power_die("%s: key %d answers %d: %s", power_state, key, status, answer);
    if (value != p->acked[key] && value != p->asked[key])
      power_die("%s: key %d has %u, though %u was acknowledged and %u asked for", power_state, key, value, p->acked[key], p->asked[key]);
  }
}

static void check_load(const char *folder, const power_promise *p)
{
  char path[SCENES_PATH];
  svc *s;
  if (!is_there(folder, "store", path) && p->group[0]) power_die("%s: the store is gone", power_state);
  s = open_whole(path, NULL);
  check_values(s, p);
  svc_close(s);
  if (is_there(folder, "backup/data.mdb", path)) {
    is_there(folder, "backup", path);
    s = open_whole(path, NULL);
    check_values(s, p);
    svc_close(s);
  } else if (p->backed_up) {
    power_die("%s: the backup is gone", power_state);
  }
}

static bool read_file(const char *path, char *out, size_t size, size_t *n)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, out, size - 1);
  if (fd >= 0) close(fd);
  if (got < 0) return false;
  *n = (size_t)got;
  out[got] = 0;
  return true;
}

/* Checks that the credentials in the file are those of the store. */
static void check_credentials(svc *s, const char *text)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "power", &owner, 1, 0 };
  const char *org = strstr(text, "\"orgId\":\""), *client = strstr(text, "\"clientId\":\"");
  char target[256];
  svc_request request = { .method = "GET", .target = target, .caller = &host };
  svc_response response;
  if (!org || !client || !strstr(text, "\"clientSecret\":\"") || !strchr(text, '}')) power_die("%s: credentials are not whole: %s", power_state, text);
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%.24s/serviceAccounts/%.*s", org + 9, (int)strcspn(client + 12, "\""), client + 12);
  svc_handle_request(s, &request, &response);
  if (response.status != 200) power_die("%s: GET %s: %s", power_state, target, response.body);
  svc_response_free(&response);
}

static void check_svcd_folder(const char *folder, const char *name, bool promised, bool credentials)
{
  char path[SCENES_PATH], file[PATH_MAX], text[4096];
  unsigned char key[64];
  size_t n = 0;
  bool sealed;
  svc *s;
  is_there(folder, name, path);
  snprintf(file, sizeof file, "%s/data.mdb", path);
  if (access(file, F_OK) != 0) {
    if (promised) power_die("%s: %s is gone", power_state, file);
    return;
  }
  snprintf(file, sizeof file, "%s/secret.key", path);
  sealed = read_file(file, (char *)key, sizeof key, &n);
  if (sealed && n != 32) power_die("%s: %s has %zu bytes", power_state, file, n);
  if (promised && !sealed) power_die("%s: %s is gone", power_state, file);
  s = open_whole(path, sealed ? key : NULL);
  snprintf(file, sizeof file, "%s/bootstrap.json", path);
  if (credentials && read_file(file, text, sizeof text, &n)) check_credentials(s, text);
  else if (credentials && promised) power_die("%s: %s is gone", power_state, file);
  svc_close(s);
}

static void check_svcd(const char *folder, const power_promise *p)
{
  check_svcd_folder(folder, "data", p->served, true);
  check_svcd_folder(folder, "backup", p->backed_up, false);
  check_svcd_folder(folder, "again", p->restored, false);
}

/* ------------------------------------------------------------------------------------------------------------------ plays */

/* Starts a program with the recorder. out: receives its output; NULL: waits for its end, which must be successful. */
static pid_t start(const char *const *args, const char *root, const char *log, const char *record, int *out)
{
  int to[2] = { -1, -1 }, status;
  pid_t pid;
  if (out && pipe2(to, O_CLOEXEC) != 0) power_die("no pipe");
  pid = fork();
  if (pid == 0) {
    setenv("LD_PRELOAD", record, 1);
    setenv("POWER_LOG", log, 1);
    setenv("POWER_ROOT", root, 1);
    if (out) dup2(to[1], 1);
    else if (!freopen("/dev/null", "w", stdout)) _exit(126);
    execv(args[0], (char *const *)(uintptr_t)args);
    _exit(127);
  }
  if (out) {
    close(to[1]);
    *out = to[0];
    return pid;
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) power_die("%s %s: status %d", args[0], args[1], status);
  return 0;
}

/* Logs what this program saw of another one. */
static void say_in(const char *log, const char *text)
{
  const power_record r = { POWER_MARK, (uint32_t)strlen(text), 0, -1, 0, 0 };
  char bytes[sizeof r + 64];
  int fd = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
  memcpy(bytes, &r, sizeof r);
  memcpy(bytes + sizeof r, text, r.length);
  if (fd < 0 || write(fd, bytes, sizeof r + r.length) != (ssize_t)(sizeof r + r.length)) power_die("cannot write %s", log);
  close(fd);
}

static void play_load(const char *root, const char *log, const char *record)
{
  const char *args[] = { "/proc/self/exe", "load", root, NULL };
  start(args, root, log, record, NULL);
}

static void play_svcd(const char *root, const char *log, const char *record)
{
  char data[PATH_MAX], copy[PATH_MAX], again[PATH_MAX], text[4096] = "";
  const char *svcd = getenv("POWER_SVCD");
  const char *serve[] = { svcd, "--data", data, "--listen", "http://127.0.0.1:0", NULL };
  const char *backup[] = { svcd, "backup", "--data", data, "--to", copy, "--with-key", NULL };
  const char *restore[] = { svcd, "restore", "--from", copy, "--data", again, "--with-key", NULL };
  size_t n = 0;
  int out, status;
  pid_t pid;
  if (!svcd) power_die("POWER_SVCD is not set: ./build.sh test-power sets it");
  snprintf(data, sizeof data, "%s/data", root);
  snprintf(copy, sizeof copy, "%s/backup", root);
  snprintf(again, sizeof again, "%s/again", root);
  pid = start(serve, root, log, record, &out);
  while (!strstr(text, "svcd ready on")) {
    ssize_t got = read(out, text + n, sizeof text - 1 - n);
    if (got <= 0) power_die("svcd does not start: %s", text);
    text[n += (size_t)got] = 0;
  }
  say_in(log, "served");
  kill(pid, SIGTERM);
  if (waitpid(pid, &status, 0) != pid || status != 0) power_die("svcd does not end well: %d", status);
  close(out);
  start(backup, root, log, record, NULL);
  say_in(log, "backed up");
  start(restore, root, log, record, NULL);
  say_in(log, "restored");
}

const power_scene power_scenes[] = { { "load", play_load, check_load }, { "svcd", play_svcd, check_svcd } };
const size_t power_scene_count = sizeof power_scenes / sizeof power_scenes[0];
