/*
** The table of the nouns' errors, for the pipeline (pipeline/provided.h).
*/
#include "catalog/catalog.h"

#define ERROR_ROWS(name, status, detail, parameters) [SVC_E_##name - SVC_E_CATALOG] = SVC_ERROR_ROW(name, status, detail, parameters),
static const svc_error_row error_rows[] = { SVC_CATALOG_ERROR_LIST(ERROR_ROWS) SVC_NOUN_ERROR_LIST(ERROR_ROWS) };

SVC_PRIVATE const svc_error_row *svc_catalog_errors(int *count)
{
  *count = (int)(sizeof error_rows / sizeof error_rows[0]);
  return error_rows;
}
