/*
** Descriptions of operations, parameters, fields and resources, for people who read the OpenAPI document. The library calls
** svc_listener_describe() while it writes that document (svc_config.describe). The library itself has no texts, so
** that programs on small devices stay small.
**
** The rule: the texts are sorted constants (reference_texts.c), so a call allocates nothing, keeps nothing and can come from any
** thread. -DSVC_LISTENER_NO_REFERENCE leaves all texts out of the program.
*/
#include "reference.h"

#ifdef SVC_LISTENER_NO_REFERENCE

const char *svc_listener_describe(void *context, int what, const char *of, const char *name)
{
  (void)context, (void)what, (void)of, (void)name;
  return NULL;
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_KEY 192 /* longer names have no text */

static int reference_compare(const void *key, const void *row)
{
  return strcmp(key, ((const listener_text *)row)->key);
}

static const char *reference_find(const char *key)
{
  const listener_text *row = bsearch(key, svc_listener_texts, svc_listener_text_count, sizeof *row, reference_compare);
  return row ? row->text : NULL;
}

const char *svc_listener_describe(void *context, int what, const char *of, const char *name)
{
  static const char kinds[] = { [SVC_DESCRIBE_OPERATION] = 'o', [SVC_DESCRIBE_PARAMETER] = 'p', [SVC_DESCRIBE_FIELD] = 'f', [SVC_DESCRIBE_RESOURCE] = 'r' };
  char key[REFERENCE_KEY];
  const char *text;
  int n;
  (void)context;
  if (what < 0 || (size_t)what >= sizeof kinds || !name) return NULL;
  n = snprintf(key, sizeof key, "%c %s%s%s", kinds[what], of ? of : "", of ? "." : "", name);
  if (n < 0 || (size_t)n >= sizeof key) return NULL;
  text = reference_find(key);
  if (!text && of && what == SVC_DESCRIBE_FIELD) { /* an older version of an object, "Thing20230101", shares the descriptions of the
                                                      object */
    size_t stem = strlen(of);
    while (stem && of[stem - 1] >= '0' && of[stem - 1] <= '9') stem--;
    if (strlen(of) - stem != 8) return NULL;
    snprintf(key, sizeof key, "f %.*s.%s", (int)stem, of, name);
    text = reference_find(key);
  }
  return text;
}

#endif /* SVC_LISTENER_NO_REFERENCE */
