/*
** Runs every file of the fuzzers' corpus once in every run of the tests, so that fixed bugs stay fixed. A target aborts the
** process on an error, which fails its test here. Each file is named before it runs, so the last name is the one that failed.
*/
#include "support.h"

#include "fuzz.h"

#include <dirent.h>

#define CORPUS_FILES 64    /* of one target */
#define CORPUS_BYTES 65536 /* of all files of a target: they are committed */

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
  qsort(names, count, sizeof names[0], corpus_by_name); /* a folder has no fixed order */
  for (i = 0; i < count; i++) {
    uint8_t *own;
    snprintf(path, sizeof path, "test/fuzz/corpus/%s/%.255s", name, names[i]);
    n = corpus_read(path, bytes, sizeof bytes);
    sum += n;
    munit_logf(MUNIT_LOG_INFO, "%s", path);
    own = malloc(n ? n : 1); /* so that a sanitizer detects reads past the end */
    munit_assert_not_null(own);
    memcpy(own, bytes, n);
    target(own, n);
    free(own);
  }
  munit_assert_size(sum, <=, CORPUS_BYTES);
  target(bytes, 0); /* and the empty input */
}

TEST(corpus, config)
{
  corpus_run("config", svc_fuzz_config);
}

TEST(corpus, dialect)
{
  corpus_run("dialect", svc_fuzz_dialect);
}

TEST(corpus, driver)
{
  corpus_run("driver", svc_fuzz_driver);
}

TEST(corpus, headers)
{
  corpus_run("headers", svc_fuzz_headers);
}

TEST(corpus, http)
{
  corpus_run("http", svc_fuzz_http);
}

TEST(corpus, import)
{
  corpus_run("import", svc_fuzz_import);
}

TEST(corpus, json)
{
  corpus_run("json", svc_fuzz_json);
}

TEST(corpus, policy)
{
  corpus_run("policy", svc_fuzz_policy);
}

TEST(corpus, record)
{
  corpus_run("record", svc_fuzz_record);
}

TEST(corpus, request)
{
  corpus_run("request", svc_fuzz_request);
}

TEST(corpus, snapshot)
{
  corpus_run("snapshot", svc_fuzz_snapshot);
}

TEST(corpus, text)
{
  corpus_run("text", svc_fuzz_text);
}

TEST(corpus, world)
{
  corpus_run("world", svc_fuzz_world);
}

/* Fails to compile for a target without a test above. */
#define CORPUS_TESTED(name) _Static_assert(sizeof &TEST_NAME(corpus, name), "each target has a test");
FUZZ_TARGETS(CORPUS_TESTED)
