/*
** The forms of a test. Each stands at the beginning of a line in SUITE_test.c, and the body of the test follows:
**
**   TEST(team, life)                       the test life of the suite team: test/team_test.c, in any folder of test/
**   TEST_SERVICE(team, life)               the body has a t_service *t: opened before it, and closed after it
**   TEST_ARENA(json, pretty)               the body has a svc_arena *a: freed after it, and its memory has sufficed
**   TEST_EACH(walk, all, seed, "2", "6")   the body has a const char *seed, and runs once for each of the values
**
** test/registry.sh finds them and writes the registry, which main.c includes: a test is written down nowhere else. A test runs in a process of
** its own; it passes if its body ends, and fails by a munit_assert.
*/
#ifndef SVC_TEST_TEST_H
#define SVC_TEST_TEST_H

#include <munit.h>
#include <stdbool.h>

struct t_service;
struct svc_arena;

/* Two underscores: a test a of the suite b_c is another than c_a of the suite b. */
#define TEST_NAME(suite, name) test_##suite##__##name

/* Each form declares its function first: main.c alone calls it. */
#define TEST_OF(function, parameters) \
  void function parameters; \
  void function parameters
#define TEST(suite, name) TEST_OF(test_##suite##__##name, (void))
#define TEST_SERVICE(suite, name) TEST_OF(test_##suite##__##name, (struct t_service *t))
#define TEST_ARENA(suite, name) TEST_OF(test_##suite##__##name, (struct svc_arena *a))
#define TEST_EACH(suite, name, value, ...) TEST_OF(test_##suite##__##name, (const char *value))

/* The test ends here and counts as skipped. Only in the body of a test: a helper would return to it. */
extern bool t_skipped;
#define SKIP_IF(condition) \
  do { \
    if (condition) { \
      t_skipped = true; \
      return; \
    } \
  } while (0)

#endif
