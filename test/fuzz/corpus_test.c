/*
** Every file of the fuzzers' corpus once, in every run of the tests: what was found once is not found again. A target ends the
** process where something is wrong, which fails its test here; files are named before they are given, so the last one named is it.
*/
#include "support.h"

#include "fuzz.h"

#include <dirent.h>

#define CORPUS_FILES 64    /* of one target, */
#define CORPUS_BYTES 65536 /* and of all of them together: they are committed */

static size_t corpus_read(const char *path, uint8_t *out, size_t room)
{
  FILE *f = fopen(path, "rb");
  size_t n;
  munit_assert_not_null(f);
  n = fread(out, 1, room, f);
  fclose(f);
  return n;
}

static int corpus_by_name(const void *a, const void *b)
{
  return strcmp(a, b);
}

static void corpus_run(const char *name, int (*target)(const uint8_t *data, size_t size))
{
  static char names[CORPUS_FILES][256];
  static uint8_t bytes[CORPUS_BYTES];
  char path[512];
  size_t count = 0, sum = 0, n, i;
  struct dirent *d;
  DIR *dir;
  snprintf(path, sizeof path, "test/fuzz/corpus/%s", name);
  dir = opendir(path);
  munit_assert_not_null(dir);
  while ((d = readdir(dir)) != NULL) {
    if (d->d_name[0] == '.') continue;
    munit_assert_size(count, <, CORPUS_FILES);
    snprintf(names[count++], sizeof names[0], "%s", d->d_name);
  }
  closedir(dir);
  munit_assert_size(count, >, 0);
  qsort(names, count, sizeof names[0], corpus_by_name); /* folders have no order of their own */
  for (i = 0; i < count; i++) {
    uint8_t *own;
    snprintf(path, sizeof path, "test/fuzz/corpus/%s/%.255s", name, names[i]);
    n = corpus_read(path, bytes, sizeof bytes);
    sum += n;
    munit_logf(MUNIT_LOG_INFO, "%s", path);
    own = malloc(n ? n : 1); /* so that a byte too many is seen */
    munit_assert_not_null(own);
    memcpy(own, bytes, n);
    target(own, n);
    free(own);
  }
  munit_assert_size(sum, <=, CORPUS_BYTES);
  target(bytes, 0); /* and nothing at all */
}

#define CORPUS_TEST(name) \
  static MunitResult corpus_##name(const MunitParameter params[], void *fixture) \
  { \
    (void)params, (void)fixture; \
    corpus_run(#name, svc_fuzz_##name); \
    return MUNIT_OK; \
  }
FUZZ_TARGETS(CORPUS_TEST)

#define CORPUS_ROW(name) { "/" #name, corpus_##name, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
static MunitTest tests[] = { FUZZ_TARGETS(CORPUS_ROW) { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL } };

const MunitSuite svc_suite_corpus = { "/corpus", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
