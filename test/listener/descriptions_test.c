/*
** The descriptions for the OpenAPI document, as svc_config.describe returns them: each text is found by the names in its key, and
** other names have no text. test/check/reference.sh checks whether everything is described, and how.
*/
#define _GNU_SOURCE
#include "ports/listener/reference.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(int what, const char *of, const char *name)
{
  return svc_listener_describe(NULL, what, of, name);
}

TEST(descriptions, found)
{
  char key[256];
  size_t i;
  munit_assert_size(svc_listener_text_count, >, 2000);
  for (i = 0; i < svc_listener_text_count; i++) {
    const listener_text *row = &svc_listener_texts[i];
    const char *kinds = "opfr", *dot = strrchr(row->key, '.');
    int what = (int)(strchr(kinds, row->key[0]) - kinds);
    if (i) munit_assert_int(strcmp(svc_listener_texts[i - 1].key, row->key), <, 0); /* sorted and unique */
    munit_assert_char(row->key[1], ==, ' ');
    munit_assert_size(strlen(row->text), >, 8);
    munit_assert_size(strlen(row->key), <, sizeof key);
    if (!dot) {
      munit_assert_ptr_equal(text_of(what, NULL, row->key + 2), row->text);
    } else {
      snprintf(key, sizeof key, "%.*s", (int)(dot - row->key) - 2, row->key + 2);
      munit_assert_ptr_equal(text_of(what, key, dot + 1), row->text);
    }
  }
}

TEST(descriptions, unknown)
{
  char name[300];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  munit_assert_null(text_of(SVC_DESCRIBE_OPERATION, NULL, "createClusters"));
  munit_assert_null(text_of(SVC_DESCRIBE_OPERATION, NULL, ""));
  munit_assert_null(text_of(SVC_DESCRIBE_OPERATION, NULL, NULL));
  munit_assert_null(text_of(SVC_DESCRIBE_OPERATION, NULL, name));
  munit_assert_null(text_of(SVC_DESCRIBE_FIELD, name, "name"));
  munit_assert_null(text_of(SVC_DESCRIBE_FIELD, "Cluster", name));
  munit_assert_null(text_of(SVC_DESCRIBE_PARAMETER, NULL, "createCluster")); /* an operation is no parameter */
  munit_assert_null(text_of(-1, NULL, "createCluster"));
  munit_assert_null(text_of(SVC_DESCRIBE_RESOURCE + 1, NULL, "createCluster"));
}

/* An older version of an object has the object's texts, unless it has its own. */
TEST(descriptions, older)
{
  const char *now = text_of(SVC_DESCRIBE_FIELD, "Cluster", "paused");
  munit_assert_not_null(now);
  munit_assert_ptr_equal(text_of(SVC_DESCRIBE_FIELD, "Cluster20230201", "paused"), now);
  munit_assert_null(text_of(SVC_DESCRIBE_FIELD, "Cluster2023", "paused"));
  munit_assert_null(text_of(SVC_DESCRIBE_FIELD, "20230201", "paused"));
  munit_assert_null(text_of(SVC_DESCRIBE_PARAMETER, "Cluster20230201", "paused"));
  munit_assert_ptr_not_equal(text_of(SVC_DESCRIBE_FIELD, "Cluster20230201", "replicationSpecs"), text_of(SVC_DESCRIBE_FIELD, "Cluster", "replicationSpecs"));
}
