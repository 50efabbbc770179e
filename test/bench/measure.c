/*
** Figures: measured in turns, shown in a table.
**
** Many short turns alternate, because other work on the machine comes and goes. Most figures are the best of their turns, because other
** work only adds time; the others are medians. A ratio of two measurements that only compute uses the best turns. A ratio of two
** measurements that wait for a disk or for each other is the median of the ratios of turns that are neighbors in time, because disks have
** good and bad moments.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASURE_ROWS 64

double bench_seconds = 0.04;

double bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

unsigned bench_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

void bench_die(const char *what)
{
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

/* ---------------------------------------------------------------------------------------------------------------- turns */

void bench_turn(bench_turns *t, double x)
{
  if (t->n == BENCH_TURNS) bench_die("too many turns");
  t->x[t->n++] = x;
}

static int measure_compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double bench_best(const bench_turns *t)
{
  double x = t->x[0];
  int i;
  for (i = 1; i < t->n; i++)
    if (t->x[i] < x) x = t->x[i];
  return x;
}

double bench_median(const bench_turns *t)
{
  bench_turns sorted = *t;
  qsort(sorted.x, (size_t)sorted.n, sizeof sorted.x[0], measure_compare);
  return (sorted.x[(sorted.n - 1) / 2] + sorted.x[sorted.n / 2]) / 2;
}

double bench_ratio(const bench_turns *a, const bench_turns *b)
{
  bench_turns ratios = { { 0 }, 0 };
  int i;
  for (i = 0; i < a->n && i < b->n; i++) bench_turn(&ratios, a->x[i] / b->x[i]);
  return bench_median(&ratios);
}

/* ---------------------------------------------------------------------------------------------------------------- table */

typedef struct measure_row {
  const char *name, *unit;
  bench_target target;
  double value[BENCH_SIZES], peer[BENCH_SIZES], ratio[BENCH_SIZES];
  bool there[BENCH_SIZES];
} measure_row;

static measure_row measure_rows[MEASURE_ROWS];
static int measure_count;

static measure_row *measure_find(const char *name)
{
  int i;
  for (i = 0; i < measure_count; i++)
    if (strcmp(measure_rows[i].name, name) == 0) return &measure_rows[i];
  return NULL;
}

void bench_figure(int size, const char *name, const char *unit, double value, double peer, double ratio, bench_target target)
{
  measure_row *row = measure_find(name);
  if (!row) {
    if (measure_count == MEASURE_ROWS) bench_die("too many rows");
    row = &measure_rows[measure_count++];
    row->name = name;
    row->unit = unit;
    row->target = target;
  }
  row->value[size] = value;
  row->peer[size] = peer;
  row->ratio[size] = ratio;
  row->there[size] = true;
}

void bench_growth(const char *name, double ratio, bench_target target)
{
  bench_figure(BENCH_SIZES - 1, name, "", 0, 0, ratio, target);
}

static bool measure_good(const measure_row *row)
{
  int i;
  for (i = 0; i < BENCH_SIZES; i++) {
    double x = row->ratio[i] > 0 ? row->ratio[i] : row->value[i];
    if (!row->there[i]) continue;
    if (row->target.sense == '<' && !(x <= row->target.bound)) return false;
    if (row->target.sense == '>' && !(x >= row->target.bound)) return false;
  }
  return true;
}

static void measure_number(char *out, size_t size, bool there, double x)
{
  if (!there || x == 0) snprintf(out, size, "-");
  else snprintf(out, size, "%.*f", x < 100 ? 2 : x < 10000 ? 1 : 0, x);
}

static void measure_print(const measure_row *row)
{
  char target[40] = "";
  int i;
  if (row->target.sense) snprintf(target, sizeof target, "%c= %g %s", row->target.sense, row->target.bound, row->target.unit);
  printf("%-44s %-9s", row->name, row->unit);
  for (i = 0; i < BENCH_SIZES; i++) {
    char value[24], peer[24], ratio[24];
    measure_number(value, sizeof value, row->there[i], row->value[i]);
    measure_number(peer, sizeof peer, row->there[i], row->peer[i]);
    measure_number(ratio, sizeof ratio, row->there[i], row->ratio[i]);
    printf(" |%9s %9s %7s", value, peer, ratio);
  }
  printf(" | %-13s %s\n", target, row->target.sense ? measure_good(row) ? "ok" : "MISSED" : "");
}

static void measure_json(FILE *f, const measure_row *row)
{
  static const char *const sizes[BENCH_SIZES] = { "10000", "100000" };
  int i;
  fprintf(f, ",\n  {\"name\": \"%s\", \"unit\": \"%s\"", row->name, row->unit);
  for (i = 0; i < BENCH_SIZES; i++)
    if (row->there[i])
      fprintf(f, ", \"%s\": {\"value\": %.4f, \"peer\": %.4f, \"ratio\": %.4f}", sizes[i], row->value[i], row->peer[i],
              row->ratio[i]);
  if (row->target.sense)
    fprintf(f, ", \"target\": \"%c= %g %s\", \"ok\": %s", row->target.sense, row->target.bound, row->target.unit,
            measure_good(row) ? "true" : "false");
  fprintf(f, "}");
}

void bench_report(const char *json_path)
{
  FILE *f = fopen(json_path, "w");
  int i;
  printf("%-44s %-9s |%27s | %26s |\n", "", "", "of 10,000", "of 100,000");
  printf("%-44s %-9s |%9s %9s %7s |%9s %9s %7s | %s\n", "", "", "svcapi", "peer", "ratio", "svcapi", "peer", "ratio", "target");
  for (i = 0; i < measure_count; i++) measure_print(&measure_rows[i]);
  if (!f) return;
  fprintf(f, "[\n  {\"name\": \"version\", \"value\": \"%s\"}", svc_version());
  for (i = 0; i < measure_count; i++) measure_json(f, &measure_rows[i]);
  fprintf(f, "\n]\n");
  fclose(f);
}
