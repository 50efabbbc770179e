/*
** All suites in one program, or with --suite NAME that one, with --suite NAME/TEST one test of it; further arguments are munit's:
** --list prints the tests. --operations prints those of the tables,
** --unshown the fields that bodies may set and no answer shows.
** suites.h is written by
** build.sh: a line SUITE(X) for every X_test.c, which has a svc_suite_X.
**
** munit forks for each test. A test that waits for ever is ended by its alarm, and counts as failed.
*/
#define _GNU_SOURCE /* pthread_atfork, alarm */
#include <munit.h>

#include "coverage.h"
#include "fail.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAIN_SECONDS_SLOW 1500 /* where a step takes ten times as long: emulated, or on a store that every question goes to over a socket */
#if defined(SVC_COUNTED) /* or with counters that threads share, and no optimisation */
#define MAIN_SECONDS MAIN_SECONDS_SLOW
#else
#define MAIN_SECONDS 300
#endif

#define SUITE(name) extern const MunitSuite svc_suite_##name;
#include "suites.h"
#undef SUITE

#define SUITE(name) { #name, &svc_suite_##name },
static const struct {
  const char *name;
  const MunitSuite *suite;
} all[] = {
#include "suites.h"
};
#undef SUITE

#define COUNT (sizeof all / sizeof all[0])

static void main_forked(void)
{
  const char *store = getenv("SVC_TEST_STORE");
  alarm(getenv("SVC_TEST_QEMU") || (store && *store) ? MAIN_SECONDS_SLOW : MAIN_SECONDS);
}

/* The tests of a suite, those that cannot be repeated with something that nothing fails in. */
static MunitTest *main_tests(const char *suite, const MunitTest *tests)
{
  size_t n, i;
  MunitTest *out;
  for (n = 0; tests[n].name; n++) continue;
  out = calloc(n + 1, sizeof *out);
  for (i = 0; out && i < n; i++) {
    out[i] = tests[i];
    if (!t_fail_off_for(suite, tests[i].name)) continue;
    if (out[i].setup) munit_errorf("%s%s has a setup already", suite, tests[i].name);
    out[i].setup = t_fail_off;
  }
  return out;
}

/* The one test of this name, alone, as the tests of a suite; NULL: there is none. */
static MunitTest *main_test(const MunitTest *tests, const char *name)
{
  MunitTest *out;
  for (; tests->name && strcmp(tests->name + 1, name) != 0; tests++) continue;
  if (!tests->name || (out = calloc(2, sizeof *out)) == NULL) return NULL;
  out[0] = *tests;
  return out;
}

/* Is it the suite of "SUITE" or "SUITE/TEST"? Then *test is the name of the test; NULL: all of them. */
static bool main_is(const char *suite, const char *only, const char **test)
{
  size_t n = strlen(suite);
  if (strncmp(suite, only, n) != 0 || (only[n] && only[n] != '/')) return false;
  *test = only[n] ? only + n + 1 : NULL;
  return true;
}

int main(int argc, char *argv[])
{
  static MunitSuite chosen[COUNT + 1];
  static char prefix[] = "/";
  MunitSuite root = { prefix, NULL, chosen, 1, MUNIT_SUITE_OPTION_NONE };
  const char *only = NULL, *test = NULL;
  size_t i, n = 0;
  int rc;

  if (argc == 2 && strcmp(argv[1], "--operations") == 0) return coverage_operations();
  if (argc == 2 && strcmp(argv[1], "--unshown") == 0) return coverage_unshown();
  if (argc > 2 && strcmp(argv[1], "--suite") == 0) {
    only = argv[2];
    argv[2] = argv[0];
    argv += 2;
    argc -= 2;
  }
  for (i = 0; i < COUNT; i++) {
    if (only && !main_is(all[i].name, only, &test)) continue;
    chosen[n] = *all[i].suite;
    if (test && !(chosen[n].tests = main_test(chosen[n].tests, test))) continue;
    if (chosen[n].prefix[0] == '/') chosen[n].prefix++; /* both ways of writing it are in use */
    if (getenv("SVC_TEST_FAIL")) chosen[n].tests = main_tests(all[i].name, chosen[n].tests);
    n++;
  }
  if (n == 0) {
    fprintf(stderr, "no %s %s\n", strchr(only, '/') ? "test" : "suite", only);
    return 2;
  }
  pthread_atfork(NULL, NULL, main_forked);
  coverage_begin();
  t_fail_begin();
  rc = munit_suite_main(&root, NULL, argc, argv);
  coverage_end();
  return rc;
}
