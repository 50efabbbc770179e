/*
** The endpoint sets as a table, and the ids under which /rateLimits shows them.
**
** The rule it keeps: nothing of a set stands here that could be read off set_list.h. An id is made from the name of the
** set and its scope, so two sets may share a name only when their scopes differ.
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
** The words of the name run together: the first begins small, the others large, "IP" and its like stay as they are.
** Returns the length of the id, without the NUL, also when `size` is too small for it; 64 bytes hold each of them.
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
  size_t n = 0; /* length of the whole id; what does not fit is counted, not written */
  for (;;) {
    bool all_upper = true;
    size_t i, word = 0;
    while (*p && !sets_is_alnum(*p)) p++;
    if (!*p) break;
    for (; sets_is_alnum(p[word]); word++) all_upper = all_upper && !(p[word] >= 'a' && p[word] <= 'z');
    for (i = 0; i < word; i++, n++) {
      char c = p[i];
      if (n == i) { /* the first word */
        if (sets_is_upper(c) && (i == 0 || all_upper)) c = (char)(c - 'A' + 'a');
      } else if (i == 0 && c >= 'a') { /* of letters and digits a small letter */
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
