/*
** Operations that the public catalog (operations_list.h) does not have. The catalog tests accept both lists.
**
** The rule: an operation is either in the public catalog or here, never in both, so that the comparison with the
** catalog is exact.
*/
#ifndef SVC_TEST_OPERATIONS_OWN_H
#define SVC_TEST_OPERATIONS_OWN_H

#include "catalog/operations_list.h"

#include <stdbool.h>
#include <string.h>

/* Operations below the base path. `./build.sh new AREA/NOUN` adds the rows of the noun that it generates. */
static const operations_row operations_own[] = {
  /* build.sh new adds rows above this line */
  { NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0 },
};

#define OPERATIONS_OWN_COUNT (sizeof operations_own / sizeof operations_own[0] - 1)

/* Operations outside of the API (SVC_ABSOLUTE), which belong to no endpoint set and have no dated version. */
static const struct {
  const char *method, *path, *name;
} operations_beside[] = {
  { "POST", "/api/oauth/revoke", "revokeAccessToken" },
  { "POST", "/api/oauth/token", "issueAccessToken" },
  { "GET", "/api/private/ipinfo", "getIpInfo" },
  { "GET", "/openapi.json", "getOpenApi" },
};

#define OPERATIONS_BESIDE_COUNT (sizeof operations_beside / sizeof operations_beside[0])

/* Returns the row of an operation from either list, or NULL if it is in neither. */
static inline const operations_row *operations_find(const char *method, const char *path)
{
  const operations_row *own;
  size_t i;
  for (i = 0; i < OPERATIONS_COUNT; i++)
    if (strcmp(operations_list[i].method, method) == 0 && strcmp(operations_list[i].path, path) == 0) return &operations_list[i];
  for (own = operations_own; own->method; own++)
    if (strcmp(own->method, method) == 0 && strcmp(own->path, path) == 0) return own;
  return NULL;
}

/* Returns the operationId from any of the lists, or NULL if it is in none. */
static inline const char *operations_name(const char *method, const char *path)
{
  const operations_row *row = operations_find(method, path);
  size_t i;
  for (i = 0; !row && i < OPERATIONS_BESIDE_COUNT; i++)
    if (strcmp(operations_beside[i].method, method) == 0 && strcmp(operations_beside[i].path, path) == 0) return operations_beside[i].name;
  return row ? row->name : NULL;
}

static inline bool operations_is_own(const operations_row *row)
{
  const operations_row *own;
  for (own = operations_own; own->method; own++)
    if (own == row) return true;
  return false;
}

#endif /* SVC_TEST_OPERATIONS_OWN_H */
