/*
** Measures the cost of requests as users send them, in process and over the listener, at 10,000 and at 100,000 projects.
**
** Absolute figures of one machine mean little, so every figure of the library has a peer, measured in the same run: the least
** that could do the same work, either LMDB alone on a copy of the same store, or a hand-written server made of mongoose and LMDB.
**
**   bench [--seconds N] [--dir DIR] [--only PART]
**     everything, or only reads, writes, wire, tls (a part of wire) or memory, as a table and in build/bench.json. N: seconds of one
**     turn. Part postgres: in build/bench-postgres.json; a separate program, linked with libpq, so that the others measure the usual
**     build
**   bench loop get|orglist|list|clusters|create N [KEPT]
**     N requests and nothing else, for callgrind; the journal of test control keeps the last KEPT of them (0: no journal)
**   bench serve svcapi|peer DIR
**     one of the two servers on a store that this program has made; prints its port, and ends when its standard input ends
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool main_wanted(const char *only, const char *part)
{
  return !only || strcmp(only, part) == 0;
}

static void main_prepare(bench_store *b, const char *dir, int size, int clusters)
{
  bench_options options = { b->path, SVC_NO_SYNC, NULL, NULL, false, 0 };
  svc *s;
  snprintf(b->path, sizeof b->path, "%s/%d", dir, size);
  bench_remove_store(b->path);
  s = bench_open(&options);
  bench_fill(s, b, size, BENCH_ORGS, clusters);
  bench_token(s, b);
  svc_close(s);
}

static void main_run(const char *dir, const char *only, const char *program)
{
  static const int sizes[BENCH_SIZES] = { 10000, 100000 };
  const bool postgres = only && strcmp(only, "postgres") == 0; /* no clusters, because their alerts would be evaluated during the
                                                                  measurement */
  bench_store b[BENCH_SIZES];
  int i;
  for (i = 0; i < BENCH_SIZES; i++) main_prepare(&b[i], dir, sizes[i], postgres ? 0 : sizes[i] / 1000);
  if (main_wanted(only, "reads")) bench_reads(b);
  if (main_wanted(only, "writes")) bench_writes(b);
  for (i = 0; i < BENCH_SIZES && (main_wanted(only, "wire") || main_wanted(only, "tls")); i++) bench_wire(i, &b[i], program, only && strcmp(only, "tls") == 0);
  if (postgres) bench_postgres(b);
  for (i = 0; i < BENCH_SIZES; i++) {
    bench_remove_store(b[i].path);
    bench_free(&b[i]);
  }
}

int main(int argc, char **argv)
{
  const char *dir = "build/bench", *only = NULL, *code = getenv("SVC_SIZE_OS");
  int i;
  if ((argc == 4 || argc == 5) && strcmp(argv[1], "loop") == 0) return bench_loop(argv[2], atoi(argv[3]), argc == 5 ? atoi(argv[4]) : 0);
  if (argc == 4 && strcmp(argv[1], "serve") == 0)
    return strcmp(argv[2], "peer") == 0 ? bench_peer_serve(argv[3]) : bench_serve(argv[3]);
  for (i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0) bench_seconds = strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--dir") == 0) dir = argv[i + 1];
    else if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
    else break;
  }
  if (i != argc || strlen(dir) > 400) {
    fprintf(stderr, "usage: bench [--seconds N] [--dir DIR] [--only reads|writes|wire|tls|memory|postgres]\n");
    return 2;
  }
  mkdir(dir, 0700);
  if (!only || strcmp(only, "memory") != 0) main_run(dir, only, argv[0]);
  if (main_wanted(only, "memory")) bench_memory(argv[0]);
  if (code) bench_figure(0, "svcapi.c at -Os, stripped", "KiB", strtod(code, NULL) / 1024, 0, 0, BENCH_NONE);
  bench_report(only && strcmp(only, "postgres") == 0 ? "build/bench-postgres.json" : "build/bench.json");
  return 0;
}
