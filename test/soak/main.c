/*
** ./build.sh soak [MINUTES [SEED]]: several worlds in use, a clock that moves, an svcd that is ended and restarted, and limits on
** its size.
**
** The limits. Memory of svcd's own does not depend on the running time: connections and threads are limited, and SOAK_MEMORY limits
** their sum. svcd runs with a single arena of the C library's allocator (daemon.c): with several, freed memory stays in up to eight
** arenas per core, can be more than the memory in use, and would hide a leak. The store's contents at the start are added, because
** --test-control keeps these for POST /_svc/reset. Pages of the store in memory belong to the system, and are never more than the
** store. The store has room for its contents, the same again for pages that wait for reuse, and the needs of the largest commit. Its
** contents are the existing resources, one event for each change (kept), and the tokens and Idempotency-Keys of one day.
*/
#define _GNU_SOURCE /* barriers */
#include "soak.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOAK_BEGIN INT64_C(1893456000) /* 2030-01-01 */
#define SOAK_DAYS 300     /* afterwards the clock moves by seconds only: secrets are valid for a year */
#define SOAK_LIFE 2000    /* rounds before everything is checked and starts over: --test-control accepts no store above 64 MiB */
#define SOAK_QUIET 400    /* rounds per stretch; in every second stretch svcd is not ended, so that it has time to grow */
#define SOAK_MEMORY 12288 /* KiB: 5.7 MiB in use, a largest request's, and what lies between */
#define SOAK_FILES 48     /* in addition to a connection for each world */
#define SOAK_THREADS 24
#define SOAK_THING 8      /* KiB of one existing resource, with its indexes */
#define SOAK_CHANGE 2     /* KiB of one change: its event with indexes, and the answer stored under its key */

static soak_world worlds[SOAK_WORLDS];
static pthread_t threads[SOAK_WORLDS];
static pthread_barrier_t begins, ends;
static atomic_bool over;
static https_client control;
static https_answer told;
static char control_headers[256];
static int64_t now = SOAK_BEGIN;
static uint64_t chance, seed;
static unsigned rounds, kills, stops, hangups, lives;
static uint64_t asked_before; /* requests of earlier lives */

uint32_t soak_chance(uint64_t *state, uint32_t below)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

int64_t soak_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void soak_pause(int milliseconds)
{
  struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
  nanosleep(&t, NULL);
}

/* Prints the last operations of every world, because another world may have caused the failure. */
static void soak_tell(void)
{
  const unsigned most = sizeof worlds[0].said / sizeof worlds[0].said[0];
  unsigned i, k;
  for (i = 0; i < SOAK_WORLDS; i++)
    for (k = worlds[i].says > most ? worlds[i].says - most : 0; k < worlds[i].says; k++)
      fprintf(stderr, "  world %u: %s\n", i, worlds[i].said[k % most]);
}

void soak_die(const char *format, ...)
{
  static atomic_flag told_it = ATOMIC_FLAG_INIT;
  va_list args;
  if (atomic_flag_test_and_set(&told_it)) for (;;) soak_pause(1000); /* another thread is already reporting */
  soak_tell();
  fprintf(stderr, "soak: FAILED with seed %llu in round %u: ", (unsigned long long)seed, rounds);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, "\n");
  daemon_quit();
  _Exit(1);
}

/* ---------------------------------------------------------------------------------------------------------------- rounds */

static void *live(void *context)
{
  soak_world *w = context;
  for (;;) {
    pthread_barrier_wait(&begins);
    if (atomic_load(&over)) return NULL;
    work_round(w);
    pthread_barrier_wait(&ends);
  }
}

static int64_t soak_span(void)
{
  unsigned what = soak_chance(&chance, 1000);
  if (what < 200) return 0;
  if (what < 870 || now - SOAK_BEGIN > SOAK_DAYS * INT64_C(86400)) return 1 + soak_chance(&chance, 30);
  if (what < 970) return 60 * (1 + soak_chance(&chance, 59));
  if (what < 995) return 3600 * (1 + soak_chance(&chance, 10));
  return 86400 * (1 + soak_chance(&chance, 8));
}

/* Moves the clock while no world is working. */
static void soak_move(void)
{
  int64_t span = soak_span();
  char body[64], expected[64];
  int i;
  if (!span) return;
  now += span;
  snprintf(body, sizeof body, "{\"advanceSeconds\":%lld}", (long long)span);
  snprintf(expected, sizeof expected, "\"nowMs\":%lld000", (long long)now);
  https_ask(&control, "POST", "/_svc/clock", control_headers, body, &told);
  if (told.status != 200 || !strstr(told.body, expected)) soak_die("the clock is not moved by %lld s: %.1000s", (long long)span, told.text);
  for (i = 0; i < SOAK_WORLDS; i++) model_advance(&worlds[i], now);
}

/* Disturbs svcd in the middle of a round. */
static void soak_fault(void)
{
  unsigned what = soak_chance(&chance, 100), wait = soak_chance(&chance, 120), look = soak_chance(&chance, 3);
  if (rounds / SOAK_QUIET % 2) what = what < 8 ? 8 : what; /* a quiet stretch: only SIGHUP */
  if (what >= 11) return;
  soak_pause((int)wait);
  if (what >= 8) {
    daemon_hang_up();
    hangups++;
    return;
  }
  daemon_end(what < 6 ? SIGKILL : SIGTERM);
  if (what < 6) kills++;
  else stops++;
  if (look == 0) daemon_check();
  daemon_start(now);
}

static void soak_round(void)
{
  soak_move();
  pthread_barrier_wait(&begins);
  soak_fault();
  pthread_barrier_wait(&ends);
  rounds++;
}

/* --------------------------------------------------------------------------------------------------------------- sizes */

static void soak_bound(const char *what, long value, long most)
{
  if (value < 0 || value > most) soak_die("%s: %ld, and %ld at the most", what, value, most);
}

static void soak_measure(double minutes)
{
  uint64_t asked = asked_before, written = 0, cut = 0, refused = 0;
  unsigned things = 0, i;
  daemon_size size;
  long packed;
  for (i = 0; i < SOAK_WORLDS; i++) {
    asked += worlds[i].asked, written += worlds[i].written, cut += worlds[i].cut, refused += worlds[i].refused;
    things += model_all(&worlds[i]);
  }
  daemon_measure(&size);
  packed = daemon_packed();
  printf("soak: %.1f min, %u rounds, life %u, day %lld: %llu requests in all; of this life %llu changes, %llu refused, %llu cut off; %u kills, %u stops, %u hangups; %u things; "
         "memory %ld KiB, resident %ld, %ld files, %ld threads, store %ld KiB (%ld at its start), packed %ld\n", minutes, rounds, lives + 1,
         (long long)((now - SOAK_BEGIN) / 86400), (unsigned long long)asked, (unsigned long long)written, (unsigned long long)refused,
         (unsigned long long)cut, kills, stops, hangups, things, size.anonymous, size.resident, size.files, size.threads, size.store, size.began, packed);
  fflush(stdout);
  soak_bound("KiB of memory of its own", size.anonymous, SOAK_MEMORY + size.began);
  soak_bound("KiB in memory beside that, its store and itself", size.resident - size.anonymous, size.store + 8192);
  soak_bound("open files", size.files, SOAK_FILES + SOAK_WORLDS);
  soak_bound("threads", size.threads, SOAK_THREADS);
  soak_bound("KiB of the store", size.store, 2 * packed + 4096);
  soak_bound("KiB of what is stored", packed, (long)things * SOAK_THING + (long)written * SOAK_CHANGE + 1024);
}

/* ------------------------------------------------------------------------------------------------------------------ begin */

static void soak_begin(void)
{
  static soak_world first; /* the organization of the bootstrap file */
  char path[512], token[128];
  unsigned i;
  now = SOAK_BEGIN;
  memset(worlds, 0, sizeof worlds);
  memset(&first, 0, sizeof first);
  daemon_start(now);
  daemon_file("data/tls.crt", path, sizeof path);
  https_begin(path);
  daemon_bootstrap("testToken", token, sizeof token);
  snprintf(control_headers, sizeof control_headers, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", token);
  control.fd = first.http.fd = -1;
  first.now = now;
  daemon_bootstrap("clientId", first.who[SOAK_OWNER].id, sizeof first.who[SOAK_OWNER].id);
  daemon_bootstrap("clientSecret", first.who[SOAK_OWNER].secret, sizeof first.who[SOAK_OWNER].secret);
  work_stranger(&first, &first);
  for (i = 0; i < SOAK_WORLDS; i++) {
    worlds[i].number = i;
    worlds[i].chance = seed * 1000 + lives * SOAK_WORLDS + i;
    worlds[i].now = now;
    worlds[i].http.fd = -1;
    work_begin(&worlds[i], first.who[SOAK_STRANGER].token);
  }
  for (i = 0; i < SOAK_WORLDS; i++) work_stranger(&worlds[i], &worlds[(i + 1) % SOAK_WORLDS]);
  https_close(&first.http);
  pthread_barrier_init(&begins, NULL, SOAK_WORLDS + 1);
  pthread_barrier_init(&ends, NULL, SOAK_WORLDS + 1);
  for (i = 0; i < SOAK_WORLDS; i++)
    if (pthread_create(&threads[i], NULL, live, &worlds[i]) != 0) soak_die("no thread");
}

static void soak_end(void)
{
  int i;
  atomic_store(&over, true);
  pthread_barrier_wait(&begins);
  for (i = 0; i < SOAK_WORLDS; i++) {
    pthread_join(threads[i], NULL);
    work_all(&worlds[i]);
    https_close(&worlds[i].http);
    asked_before += worlds[i].asked;
  }
  https_close(&control);
  https_end();
  daemon_end(SIGTERM);
  daemon_check();
  daemon_forget();
  pthread_barrier_destroy(&begins);
  pthread_barrier_destroy(&ends);
  atomic_store(&over, false);
  lives++;
}

int main(int argc, char **argv)
{
  double minutes = argc > 1 ? atof(argv[1]) : 5;
  int64_t start, next;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  if (minutes <= 0) {
    fprintf(stderr, "usage: soak [MINUTES [SEED]]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  printf("soak: %g minutes, seed %llu\n", minutes, (unsigned long long)seed);
  fflush(stdout);
  chance = seed;
  soak_begin();
  start = soak_ms();
  next = start + 60000;
  while (soak_ms() - start < (int64_t)(minutes * 60000)) {
    if (rounds && rounds % SOAK_LIFE == 0) {
      soak_end();
      soak_begin();
    }
    soak_round();
    if (soak_ms() < next) continue;
    soak_measure((double)(soak_ms() - start) / 60000);
    next += 60000;
  }
  soak_measure((double)(soak_ms() - start) / 60000);
  soak_end();
  printf("soak: everything is as the model has it, and the store is whole\n");
  return 0;
}
