/*
** The verb schema: creates the tables of a store on PostgreSQL, once, by a role with that permission. The role that serves then only needs
** permission to read and write them. --print shows the statements, to run them by hand.
*/
#include "svcd.h"
#ifdef SVC_WITH_POSTGRES
#include "postgres.h"
#endif

#include <stdio.h>
#include <string.h>

#ifdef SVC_WITH_POSTGRES

static int schema_print(void)
{
  char sql[1024];
  size_t i;
  for (i = 0; svc_postgres_sql(i, sql, sizeof sql); i++) printf("%s;\n", sql);
  return printf("-- for the role that serves, where another one owns the schema and these:\n"
                "-- GRANT SELECT, INSERT, UPDATE, DELETE ON svc_record, svc_count TO ROLE;\n"
                "-- GRANT USAGE, SELECT, UPDATE ON SEQUENCE svc_number TO ROLE;\n") < 0;
}

int svcd_schema(const svcd_options *o)
{
  svc_config config;
  char why[512] = "";
  int status;
  memset(&config, 0, sizeof config);
  if (o->print) return schema_print();
  status = svcd_store_at(o->store, &config);
  if (status != 0) return status;
  if (svc_postgres_schema(&config, why, sizeof why) != SVC_OK) return svcd_error(1, "%s", why);
  return printf("the tables are there: %s\n", o->store) < 0;
}

#else

int svcd_schema(const svcd_options *o)
{
  svc_config config;
  return svcd_store_at(o->store ? o->store : "postgres://", &config); /* prints that PostgreSQL is missing */
}

#endif
