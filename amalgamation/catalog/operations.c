/*
** Operations by name, and names by operation. The tables of routes do without: a name serves those who read the OpenAPI
** document and those who test, and is looked up when one of them asks.
**
** The rule it keeps: a name belongs to one operation, and every route has one. A test compares the list with the routes.
*/
#include "catalog/catalog.h"
#include "catalog/operation_list.h"

typedef struct operations_row {
  const char *path, *name;
  int method;
} operations_row;

#define OPERATIONS_ROW(m, p, n) { p, n, SVC_##m },
static const operations_row operations_rows[] = { SVC_OPERATION_LIST(OPERATIONS_ROW) };
#undef OPERATIONS_ROW
#define OPERATIONS_COUNT (sizeof operations_rows / sizeof operations_rows[0])

static int operations_order(const operations_row *row, const char *path, int method)
{
  int order = strcmp(row->path, path);
  return order ? order : row->method - method;
}

SVC_PRIVATE const char *svc_operation_name(const svc_route *route)
{
  size_t from = 0, to = OPERATIONS_COUNT;
  while (from < to) {
    size_t middle = (from + to) / 2;
    int order = operations_order(&operations_rows[middle], route->path, route->method);
    if (order == 0) return operations_rows[middle].name;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return NULL;
}
