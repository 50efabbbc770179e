/*
** All suites in one program. --suite NAME runs one suite, --suite NAME/TEST one test; further arguments go to munit: --list
** prints the tests. --operations prints the operations of the tables, --unshown the fields that bodies may set and no answer
** shows.
**
** tests.h is the registry. build.sh writes it with test/registry.sh: a line for every TEST() of the suites, in the forms of
** test.h. So a new test recompiles only this object and its own file.
**
** munit forks for each test. An alarm ends a test that hangs, and the test counts as failed.
*/
#define _GNU_SOURCE /* pthread_atfork, alarm */
#include "coverage.h"
#include "fail.h"
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAIN_SECONDS_SLOW 1500 /* where each step takes many times as long: emulation, a store over a socket, each request with failures */
#if defined(SVC_COUNTED) /* or with counters that threads share, and no optimization */
#define MAIN_SECONDS MAIN_SECONDS_SLOW
#else
#define MAIN_SECONDS 300
#endif

/* ---- the registry: functions that munit calls for each test ------------------------------------------------------------- */

bool t_skipped;

static MunitResult main_result(void)
{
  bool skipped = t_skipped;
  t_skipped = false;
  return skipped ? MUNIT_SKIP : MUNIT_OK;
}

static void main_with_service(void (*body)(t_service *))
{
  t_service t;
  t_open(&t, NULL);
  body(&t);
  t_close(&t);
}

static void main_with_arena(void (*body)(svc_arena *))
{
  svc_arena a;
  svc_arena_init(&a, NULL);
  body(&a);
  munit_assert_false(a.failed);
  svc_blocks_free(a.blocks);
}

/* Each form pastes its names directly: a test whose name is also a macro keeps its name. */
#define FORM(body, run, parameters, call) \
  void body parameters; \
  static MunitResult run(const MunitParameter params[], void *data) \
  { \
    (void)params, (void)data; \
    call; \
    return main_result(); \
  }

#undef TEST
#undef TEST_SERVICE
#undef TEST_ARENA
#undef TEST_EACH
#define TEST(suite, name) FORM(test_##suite##__##name, run_##suite##__##name, (void), test_##suite##__##name())
#define TEST_SERVICE(suite, name) FORM(test_##suite##__##name, run_##suite##__##name, (t_service *), main_with_service(test_##suite##__##name))
#define TEST_ARENA(suite, name) FORM(test_##suite##__##name, run_##suite##__##name, (svc_arena *), main_with_arena(test_##suite##__##name))
#define TEST_EACH(suite, name, value, ...) \
  FORM(test_##suite##__##name, run_##suite##__##name, (const char *), test_##suite##__##name(munit_parameters_get(params, #value)))
#include "tests.h"

#undef TEST
#undef TEST_SERVICE
#undef TEST_ARENA
#undef TEST_EACH
#define ROW(suite, name, run, parameters) { suite, { name, run, NULL, NULL, MUNIT_TEST_OPTION_NONE, parameters } },
#define TEST(suite, name) ROW(#suite, "/" #name, run_##suite##__##name, NULL)
#define TEST_SERVICE(suite, name) ROW(#suite, "/" #name, run_##suite##__##name, NULL)
#define TEST_ARENA(suite, name) ROW(#suite, "/" #name, run_##suite##__##name, NULL)
#define TEST_EACH(suite, name, value, ...) \
  ROW(#suite, "/" #name, run_##suite##__##name, ((MunitParameterEnum[]){ { #value, (char *[]){ __VA_ARGS__, NULL } }, { NULL, NULL } }))
static const struct main_row {
  const char *suite;
  MunitTest test;
} all[] = {
#include "tests.h"
};

#define COUNT (sizeof all / sizeof all[0])

/* ---- selecting tests ------------------------------------------------------------------------------------------------------ */

static void main_forked(void)
{
  const char *store = getenv("SVC_TEST_STORE");
  bool slow = getenv("SVC_TEST_QEMU") || getenv("SVC_TEST_FAIL") || (store && *store);
  alarm(slow ? MAIN_SECONDS_SLOW : MAIN_SECONDS);
}

/* Returns true if the test belongs to "SUITE" or is "SUITE/TEST". NULL: all tests do. */
static bool main_wanted(const struct main_row *row, const char *only)
{
  size_t n = strlen(row->suite);
  if (!only) return true;
  return strncmp(row->suite, only, n) == 0 && (!only[n] || (only[n] == '/' && strcmp(row->test.name, only + n) == 0));
}

/* Selects the suites and their tests. *suites has room for as many suites as there are tests. */
static size_t main_choose(const char *only, MunitSuite *suites, MunitTest *tests)
{
  const char *last = "";
  size_t i, n = 0;
  for (i = 0; i < COUNT; i++) {
    if (!main_wanted(&all[i], only)) continue;
    if (strcmp(all[i].suite, last) != 0) {
      if (n > 0) tests++; /* the end marker of the previous suite */
      last = all[i].suite;
      suites[n++] = (MunitSuite){ (char *)(uintptr_t)last, tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
    }
    *tests = all[i].test;
    if (getenv("SVC_TEST_FAIL") && t_fail_off_for(last, tests->name)) tests->setup = t_fail_off; /* the test cannot be repeated */
    tests++;
  }
  return n;
}

int main(int argc, char *argv[])
{
  static MunitSuite suites[COUNT + 1];
  static MunitTest tests[2 * COUNT + 1]; /* each suite has an end marker */
  static char prefix[] = "/";
  MunitSuite root = { prefix, NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
  const char *only = NULL;
  int rc;

  if (argc == 2 && strcmp(argv[1], "--operations") == 0) return coverage_operations();
  if (argc == 2 && strcmp(argv[1], "--unshown") == 0) return coverage_unshown();
  if (argc > 2 && strcmp(argv[1], "--suite") == 0) {
    only = argv[2];
    argv[2] = argv[0];
    argv += 2;
    argc -= 2;
  }
  if (main_choose(only, suites, tests) == 0) {
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
