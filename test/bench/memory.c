/*
** Resources of requests other than time: allocations, heap, instructions. All requests use the token, as in the other parts.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double memory_allocations(svc *s, bench_store *b, bench_counter *count, bench_op op)
{
  unsigned state = 7;
  long before = atomic_load(&count->calls);
  int i;
  for (i = 0; i < 100; i++) bench_do(s, b, op, &state);
  return (double)(atomic_load(&count->calls) - before) / 100;
}

/* Instructions of one request: the difference of callgrind runs over N and 2N requests. 0: valgrind is not installed. */
static double memory_instructions(const char *program, bench_op op, int n)
{
  double total[2] = { 0, 0 };
  int i;
  for (i = 0; i < 2; i++) {
    char command[1024], line[512];
    FILE *f;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' loop %s %d 2>&1 >/dev/null", program,
             bench_op_names[op], n * (i + 1));
    f = popen(command, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
      char *p = strstr(line, "Collected : ");
      if (p) total[i] = strtod(p + 12, NULL);
    }
    pclose(f);
    if (total[i] == 0) return 0;
  }
  return (total[1] - total[0]) / n;
}

/* Uses a separate service, because counting takes time. */
void bench_memory(const char *program)
{
  bench_counter count;
  bench_options options = { NULL, SVC_DURABLE, &count, NULL, false, 0 };
  bench_store b;
  svc *s;
  double x;
  memset(&count, 0, sizeof count);
  s = bench_open(&options);
  bench_fill(s, &b, 10000, BENCH_ORGS, 1);
  bench_token(s, &b);
  bench_figure(0, "allocations of a GET", "calls", memory_allocations(s, &b, &count, BENCH_GET), 0, 0, BENCH_AT_MOST(2, "calls"));
  bench_figure(0, "allocations of a list", "calls", memory_allocations(s, &b, &count, BENCH_ORG_LIST), 0, 0, BENCH_NONE);
  bench_figure(0, "allocations of a create", "calls", memory_allocations(s, &b, &count, BENCH_CREATE), 0, 0, BENCH_NONE);
  bench_figure(0, "peak heap, LMDB's not counted", "KiB", (double)atomic_load(&count.peak) / 1024, 0, 0, BENCH_NONE);
  svc_close(s);
  bench_free(&b);
  x = memory_instructions(program, BENCH_GET, 2000);
  if (x == 0) return;
  bench_figure(0, "instructions of a GET", "", x, 0, 0, BENCH_NONE);
  bench_figure(0, "instructions of a list", "", memory_instructions(program, BENCH_ORG_LIST, 200), 0, 0, BENCH_NONE);
  bench_figure(0, "instructions of a create", "", memory_instructions(program, BENCH_CREATE, 500), 0, 0, BENCH_NONE);
}

/* Sends this many requests and nothing else, on a small store, so that one-time work is small in comparison. */
int bench_loop(const char *what, int n, int journal)
{
  bench_options options = { NULL, SVC_DURABLE, NULL, NULL, false, journal > 0 ? (size_t)journal : 0 };
  bench_store b;
  unsigned state = 1;
  svc *s;
  int op = 0, i;
  while (op < BENCH_OPS && strcmp(what, bench_op_names[op]) != 0) op++;
  if (op == BENCH_OPS) return 2;
  s = bench_open(&options);
  bench_fill(s, &b, 400, 4, op == BENCH_CLUSTERS);
  bench_token(s, &b);
  for (i = 0; i < n; i++) bench_do(s, &b, (bench_op)op, &state);
  svc_close(s);
  bench_free(&b);
  return 0;
}
