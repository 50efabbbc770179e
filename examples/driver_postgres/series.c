/*
** Figures of a server.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

/* What is measured, by the name that the API has for it, and how the server is asked. */
static const struct {
  const char *name, *sql;
} driver_measures[] = {
  { "CONNECTIONS", "select count(*) from pg_stat_activity where backend_type = 'client backend'" },
  { "DB_DATA_SIZE_TOTAL", "select coalesce(sum(pg_database_size(oid)), 0) from pg_database" },
  { "OPCOUNTER_INSERT", "select coalesce(sum(tup_inserted), 0) from pg_stat_database" },
  { "OPCOUNTER_UPDATE", "select coalesce(sum(tup_updated), 0) from pg_stat_database" },
  { "OPCOUNTER_DELETE", "select coalesce(sum(tup_deleted), 0) from pg_stat_database" },
  { "OPCOUNTER_CMD", "select coalesce(sum(xact_commit + xact_rollback), 0) from pg_stat_database" },
};

/* SVC_INVALID: nobody knows how to measure that. */
int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out)
{
  char said[256], *end = said;
  size_t i;
  for (i = 0; i < sizeof driver_measures / sizeof driver_measures[0]; i++) {
    if (strcmp(driver_measures[i].name, name) != 0) continue;
    if (driver_sql(d, id, driver_measures[i].sql, said, sizeof said) != 0) return SVC_IO;
    *out = strtoll(said, &end, 10);
    return end > said ? SVC_OK : SVC_IO;
  }
  return SVC_INVALID;
}
