/*
** The forms of a test. Each begins at the start of a line in SUITE_test.c, and the body of the test follows:
**
**   TEST(team, life)                       the test life of the suite team: test/team_test.c, in any folder of test/
**   TEST_SERVICE(team, life)               the body has a t_service *t, opened before it and closed after it
**   TEST_ARENA(json, pretty)               the body has a svc_arena *a, freed after it; running out of memory fails the test
**   TEST_EACH(walk, all, seed, "2", "6")   the body has a const char *seed, and runs once for each of the values
**
** test/registry.sh finds the tests and writes the registry, which main.c includes, so a test needs no other declaration. Each
** test runs in its own process. A test passes if its body ends, and fails by a munit_assert.
*/
#ifndef SVC_TEST_TEST_H
#define SVC_TEST_TEST_H

#include <munit.h>
#include <stdbool.h>

struct t_service;
struct svc_arena;

/* Two underscores keep test a of suite b_c distinct from test c_a of suite b. */
#define TEST_NAME(suite, name) test_##suite##__##name

/* Each form declares its function first, because only main.c calls it. */
#define TEST_OF(function, parameters) \
  void function parameters; \
  void function parameters
#define TEST(suite, name) TEST_OF(test_##suite##__##name, (void))
#define TEST_SERVICE(suite, name) TEST_OF(test_##suite##__##name, (struct t_service *t))
#define TEST_ARENA(suite, name) TEST_OF(test_##suite##__##name, (struct svc_arena *a))
#define TEST_EACH(suite, name, value, ...) TEST_OF(test_##suite##__##name, (const char *value))

/* Ends the test and counts it as skipped. Use it only in the body of a test: in a helper it would only leave the helper. */
extern bool t_skipped;
#define SKIP_IF(condition) \
  do { \
    if (condition) { \
      t_skipped = true; \
      return; \
    } \
  } while (0)

#endif
