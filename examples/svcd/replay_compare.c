/*
** Compares two answers, value by value: the recorded one, and that of the new server.
**
** The rule: values that must differ are not reported. Ids are matched (replay_ids.c); a date matches any date; a blanked secret matches any
** value; links, which a journal leaves out, may be new. Fields of --ignore are skipped. All other values must be equal.
*/
#define _GNU_SOURCE
#include "replay.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COMPARE_BLANK "***"

int replay_is_secret(const char *name, size_t n)
{
  static const char *const words[] = { "password", "passphrase", "secret", "token", "privatekey", "private_key", "apikey", "api_key",
                                       "credential", "assertion" };
  size_t i, at;
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    for (at = 0; at + strlen(words[i]) <= n; at++)
      if (strncasecmp(name + at, words[i], strlen(words[i])) == 0) return 1;
  return 0;
}

/* Compares a path with a wanted one, without indexes: results[3].name matches results.name. */
static int compare_same_path(const char *path, const char *wanted)
{
  while (*path) {
    if (*path == '[') {
      path += strcspn(path, "]") + 1;
      continue;
    }
    if (*path++ != *wanted++) return 0;
  }
  return *wanted == '\0';
}

static int compare_is_ignored(const replay *r, const char *field)
{
  const char *name = strrchr(field, '.') ? strrchr(field, '.') + 1 : field;
  size_t i;
  for (i = 0; i < r->o->ignore_count; i++)
    if (compare_same_path(name, r->o->ignore[i]) || compare_same_path(field, r->o->ignore[i])) return 1;
  return 0;
}

/* Returns true for a date such as 2030-01-01T00:00:00Z or 2030-01-01. */
static int compare_is_date(const char *p, size_t n)
{
  static const char form[] = "dddd-dd-ddTdd:dd:dd";
  size_t i;
  if (n < 10 || (n > 10 && n < sizeof form - 1)) return 0;
  for (i = 0; i < n && i < sizeof form - 1; i++)
    if (form[i] == 'd' ? !isdigit((unsigned char)p[i]) : p[i] != form[i]) return 0;
  return 1;
}

/* Compares two strings after decoding them, because servers may escape different characters. */
static int compare_same_text(replay *r, exec_text was, exec_text is)
{
  size_t one = 0, two = 0, n;
  char *recorded = exec_json_string(was, &one), *answered = exec_json_string(is, &two), *ours = NULL;
  int same = 0;
  if (recorded && answered) {
    same = strstr(recorded, COMPARE_BLANK) || (compare_is_date(recorded, one) && compare_is_date(answered, two));
    if (!same) replay_ids_learn(&r->ids, recorded, one, answered, two);
    if (!same) ours = replay_ids_rewrite(&r->ids, recorded, one, &n);
    if (ours) same = n == two && memcmp(ours, answered, n) == 0;
  }
  free(recorded);
  free(answered);
  free(ours);
  return same;
}

static void compare_value(replay *r, exec_text was, exec_text is, const char *field);

static exec_text compare_find(exec_text object, exec_text wanted)
{
  exec_text name, value, none = { NULL, 0 };
  size_t at = 0;
  while ((value = exec_json_member(object, &at, &name)).p)
    if (name.n == wanted.n && memcmp(name.p, wanted.p, name.n) == 0) return value;
  return none;
}

static void compare_objects(replay *r, exec_text was, exec_text is, const char *field)
{
  const exec_text none = { NULL, 0 };
  char inner[REPLAY_FIELD];
  exec_text name, value, other;
  size_t at = 0;
  while ((value = exec_json_member(was, &at, &name)).p) {
    snprintf(inner, sizeof inner, "%s%s%.*s", field, *field ? "." : "", (int)name.n, name.p);
    other = compare_find(is, name);
    if (compare_is_ignored(r, inner)) continue;
    if (other.p) compare_value(r, value, other, inner);
    else replay_differs(r, "missing", inner, value, none);
  }
  at = 0;
  while ((value = exec_json_member(is, &at, &name)).p) {
    snprintf(inner, sizeof inner, "%s%s%.*s", field, *field ? "." : "", (int)name.n, name.p);
    if (compare_find(was, name).p || compare_is_ignored(r, inner) || (name.n == 5 && memcmp(name.p, "links", 5) == 0)) continue;
    replay_differs(r, "new", inner, none, none);
  }
}

static void compare_arrays(replay *r, exec_text was, exec_text is, const char *field)
{
  char inner[REPLAY_FIELD];
  size_t i = 0, at = 0, other = 0;
  exec_text one, two;
  do {
    one = exec_json_item(was, &at);
    two = exec_json_item(is, &other);
    snprintf(inner, sizeof inner, "%s[%zu]", field, i++);
    if (one.p && two.p) compare_value(r, one, two, inner);
    else if (one.p || two.p) replay_differs(r, one.p ? "missing" : "new", inner, one.p ? one : two, (exec_text){ NULL, 0 });
  } while (one.p && two.p);
}

static void compare_value(replay *r, exec_text was, exec_text is, const char *field)
{
  int same = was.n == is.n && memcmp(was.p, is.p, was.n) == 0;
  if (was.p[0] == '{' && is.p[0] == '{') {
    compare_objects(r, was, is, field);
    return;
  }
  if (was.p[0] == '[' && is.p[0] == '[') {
    compare_arrays(r, was, is, field);
    return;
  }
  if (!same && was.p[0] == '"' && is.p[0] == '"') same = compare_same_text(r, was, is);
  else if (!same && was.p[0] == '"') same = memmem(was.p, was.n, COMPARE_BLANK, 3) != NULL; /* a blanked value other than a string */
  else if (!same && strchr("-0123456789", was.p[0]) && strchr("-0123456789", is.p[0])) same = strtod(was.p, NULL) == strtod(is.p, NULL);
  if (!same) replay_differs(r, "value", field, was, is);
}

void replay_compare(replay *r, exec_text was, exec_text is)
{
  compare_value(r, was, is, "");
}
