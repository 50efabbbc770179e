/*
** The endpoint sets as a table, and the ids under which /rateLimits shows them.
**
** The rule: set_list.h is the only source, and nothing is repeated here. An id is made from the set's name and scope, so
** two sets may share a name only if their scopes differ.
*/
#include "catalog/catalog.h"

SVC_PRIVATE const svc_set_row *svc_set_table(int *count)
{
#define SETS_ROW(id, name, scope, capacity, refill_rate, refill_seconds) \
  { name, SVC_SCOPE_##scope, capacity, refill_rate, refill_seconds },
  static const svc_set_row rows[SVC_SET_COUNT] = { SVC_SET_LIST(SETS_ROW) };
#undef SETS_ROW
  *count = SVC_SET_COUNT;
  return rows;
}

static bool sets_is_upper(char c)
{
  return c >= 'A' && c <= 'Z';
}

static bool sets_is_alnum(char c)
{
  return sets_is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/*
** Joins the words of the name in camel case: the first word begins with a small letter, the others with a capital. Words
** like "IP" keep their capitals, unless they come first.
**
** Returns the length of the id, without the NUL, even if `size` is too small. The longest id has 57 characters; callers use buffers
** of 80 bytes.
*/
SVC_PRIVATE size_t svc_set_id(int set, char *out, size_t size)
{
  static const char *const suffix[] = {
    [SVC_SCOPE_IP] = "_ip",
    [SVC_SCOPE_GROUP] = "_group",
    [SVC_SCOPE_ORGANIZATION] = "_organization",
    [SVC_SCOPE_USER] = "_user",
  };
  int count;
  const svc_set_row *row = &svc_set_table(&count)[set];
  const char *p = row->name;
  size_t n = 0; /* length of the whole id; characters that do not fit are counted but not written */
  for (;;) {
    bool all_upper = true;
    size_t i, word = 0;
    while (*p && !sets_is_alnum(*p)) p++;
    if (!*p) break;
    for (; sets_is_alnum(p[word]); word++) all_upper = all_upper && !(p[word] >= 'a' && p[word] <= 'z');
    for (i = 0; i < word; i++, n++) {
      char c = p[i];
      if (n == i) { /* in the first word */
        if (sets_is_upper(c) && (i == 0 || all_upper)) c = (char)(c - 'A' + 'a');
      } else if (i == 0 && c >= 'a') { /* c is a letter or digit, so this is a small letter */
        c = (char)(c - 'a' + 'A');
      }
      if (n + 1 < size) out[n] = c;
    }
    p += word;
  }
  for (p = suffix[row->scope]; *p; p++, n++) {
    if (n + 1 < size) out[n] = *p;
  }
  if (size) out[n < size ? n : size - 1] = 0;
  return n;
}
