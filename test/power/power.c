/*
** ./build.sh test-power: simulates a power cut before and after every flush of a recorded run, and after every acknowledged change.
** The program builds possible states of the disk for these cuts, and checks them. POWER_STATES sets about how many states for each scene
** (default: 10000 for the first scene, 2000 for the shorter one).
*/
#define _GNU_SOURCE
#include "power.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char state[256] = "at the beginning";
const char *power_state = state;
static char work[PATH_MAX];

void power_die(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "power: FAILED: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  exit(1);
}

uint32_t power_chance(uint64_t *chance, uint32_t below)
{
  uint64_t z = *chance += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

/* Most likely a read past the end of a map. A crash is a finding; the message names the state. */
static void crashed(int number)
{
  char text[512];
  int n = snprintf(text, sizeof text, "power: FAILED: signal %d: %s; what was left is in %s\n", number, state, work);
  if (write(2, text, n > 0 ? (size_t)n : 0) < 0) _exit(2);
  _exit(1);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *walk)
{
  (void)st, (void)flag, (void)walk;
  return remove(path);
}

static void remove_all(const char *folder)
{
  if (access(folder, F_OK) == 0 && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0) power_die("cannot remove %s", folder);
}

static char *read_log(const char *path, size_t *n)
{
  struct stat st;
  char *text;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t have = 0;
  if (fd < 0 || fstat(fd, &st) != 0) power_die("no log %s", path);
  text = malloc((size_t)st.st_size + 1);
  if (!text) power_die("no memory");
  while (have < (size_t)st.st_size) {
    ssize_t got = read(fd, text + have, (size_t)st.st_size - have);
    if (got <= 0) power_die("cannot read %s", path);
    have += (size_t)got;
  }
  close(fd);
  *n = have;
  return text;
}

typedef struct power_run {
  const power_scene *scene;
  const char *log;
  size_t n;
  char root[PATH_MAX];
  uint64_t chance;
  size_t states, flushes;
} power_run;

static void look(power_run *r, const disk *d, int fate, size_t record, const power_promise *promise)
{
  static const char *const fates[] = { "only what was flushed", "all that was written", "by chance" };
  snprintf(state, sizeof state, "%s, cut behind record %zu, %s (state %zu)", r->scene->name, record, fates[fate], r->states);
  remove_all(work);
  if (mkdir(work, 0700) != 0) power_die("cannot make %s", work);
  disk_leave(d, fate, &r->chance, work);
  r->scene->check(work, promise);
  r->states++;
}

static bool is_flush(const power_record *r)
{
  return r->kind == POWER_FLUSH || r->kind == POWER_RENAME || r->kind == POWER_LINK;
}

/* Replays the log, and checks before and after every flush and at every acknowledgment. each: states chosen at random per check. */
static void replay(power_run *r, size_t each, bool count_only)
{
  power_promise promise = { 0 };
  disk *d = disk_new(r->root);
  size_t at = 0, record = 0, k;
  while (at + sizeof(power_record) <= r->n) {
    power_record one;
    char *text;
    bool flush;
    memcpy(&one, r->log + at, sizeof one);
    text = malloc(one.length + 1u);
    if (!text || at + sizeof one + one.length > r->n) power_die("the log is cut off");
    memcpy(text, r->log + at + sizeof one, one.length);
    text[one.length] = 0;
    at += sizeof one + one.length;
    flush = is_flush(&one);
    if (flush && count_only) r->flushes++;
    if (flush && !count_only && disk_pending(d)) {
      look(r, d, DISK_ALL, record, &promise);
      for (k = 0; k < each; k++) look(r, d, DISK_CHANCE, record, &promise);
    }
    if (one.kind == POWER_MARK) power_hear(&promise, text);
    else disk_do(d, &one, text);
    record++;
    if (flush && !count_only) look(r, d, DISK_FLUSHED, record, &promise);
    if (one.kind == POWER_MARK && !count_only && strncmp(text, "done", 4) == 0) look(r, d, DISK_FLUSHED, record, &promise);
    free(text);
  }
  if (!count_only) look(r, d, DISK_FLUSHED, record, &promise);
  disk_free(d);
}

static void run(const power_scene *scene, const char *folder, const char *record, size_t states)
{
  power_run r = { .scene = scene, .chance = 1 };
  char log[PATH_MAX];
  size_t each;
  snprintf(r.root, sizeof r.root, "%s/%s", folder, scene->name);
  snprintf(log, sizeof log, "%s/%s.log", folder, scene->name);
  remove_all(r.root);
  unlink(log);
  if (mkdir(r.root, 0700) != 0) power_die("cannot make %s", r.root);
  scene->play(r.root, log, record);
  r.log = read_log(log, &r.n);
  replay(&r, 0, true);
  each = states / (r.flushes + 1) + 1;
  replay(&r, each, false);
  printf("power: ok: %s: %zu bytes of log, %zu flushes, %zu states: each opens, is whole, and has what was acknowledged\n", scene->name, r.n,
         r.flushes, r.states);
  fflush(stdout);
  remove_all(r.root);
  unlink(log);
  free((char *)(uintptr_t)r.log);
}

int main(int argc, char **argv)
{
  const char *states = getenv("POWER_STATES"), *record = getenv("POWER_RECORD"), *folder = getenv("POWER_FOLDER");
  size_t i, found = 0;
  if (argc == 3 && strcmp(argv[1], "load") == 0) return power_load(argv[2]);
  if (!record || !folder) power_die("POWER_RECORD and POWER_FOLDER are not set: ./build.sh test-power sets them");
  snprintf(work, sizeof work, "%s/left", folder);
  signal(SIGSEGV, crashed);
  signal(SIGBUS, crashed);
  signal(SIGABRT, crashed);
  for (i = 0; i < power_scene_count; i++)
    if (argc < 2 || strcmp(argv[1], power_scenes[i].name) == 0) {
      found++;
      run(&power_scenes[i], folder, record, states ? (size_t)atoi(states) : i ? 2000 : 10000);
    }
  if (!found) power_die("there is no such scene: test/power/scenes.c has them");
  remove_all(work);
  return 0;
}
