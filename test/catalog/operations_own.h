/*
** Operations that are ours alone: the public catalog (operations_list.h) does not have them, and the catalog tests accept them beside it.
**
** The rule it keeps: an operation stands either in the public catalog or here, never in both, so the comparison with the catalog stays
** exact. `./build.sh new AREA/NOUN` adds the rows of the noun that it generates; the columns are those of operations_list.h, with the
** operation's name in third place.
*/
#ifndef SVC_TEST_OPERATIONS_OWN_H
#define SVC_TEST_OPERATIONS_OWN_H

#include "catalog/operations_list.h"

/* X(method, path, name, endpoint set, scope, capacity, refill, versions, roles, status of success) */
#define OPERATIONS_OWN(X) \
  /* build.sh new adds rows above this line */

#define OPERATIONS_OWN_ROW(method, path, name, set, scope, capacity, refill, versions, roles, status) \
  { #method, path, set, scope, capacity, refill, versions, roles, status },
static const operations_row operations_own[] = { OPERATIONS_OWN(OPERATIONS_OWN_ROW) { NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0 } };

#define OPERATIONS_OWN_COUNT (sizeof operations_own / sizeof operations_own[0] - 1)

/* The row of an operation, of the public catalog or of ours; NULL: in neither. */
static inline const operations_row *operations_find(const char *method, const char *path)
{
  const operations_row *own;
  size_t i;
  for (i = 0; i < sizeof operations_list / sizeof operations_list[0]; i++)
    if (strcmp(operations_list[i].method, method) == 0 && strcmp(operations_list[i].path, path) == 0) return &operations_list[i];
  for (own = operations_own; own->method; own++)
    if (strcmp(own->method, method) == 0 && strcmp(own->path, path) == 0) return own;
  return NULL;
}

static inline bool operations_is_own(const operations_row *row)
{
  const operations_row *own;
  for (own = operations_own; own->method; own++)
    if (own == row) return true;
  return false;
}

#endif /* SVC_TEST_OPERATIONS_OWN_H */
