/*
** What tests of a store on PostgreSQL count: test/postgres.c says how.
*/
#ifndef SVC_TEST_POSTGRES_H
#define SVC_TEST_POSTGRES_H

#include <stddef.h>

typedef struct t_postgres_trips {
  unsigned long flushes; /* a reader has waited for results so often */
  unsigned long syncs;   /* so has a writer; and of each reader one, for which nobody waits */
} t_postgres_trips;
t_postgres_trips t_postgres_counted(void); /* so far */
/* As t_postgres_do(); the first value of its result. */
void t_postgres_ask(const char *folder, const char *sql, char *out, size_t size);

#endif /* SVC_TEST_POSTGRES_H */
