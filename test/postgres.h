/*
** Counters for tests of a store on PostgreSQL; see test/postgres.c.
*/
#ifndef SVC_TEST_POSTGRES_H
#define SVC_TEST_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct t_postgres_trips {
  unsigned long flushes; /* times that a reader waited for results */
  unsigned long syncs;   /* times that a writer waited, plus one per reader, for which no one waits */
} t_postgres_trips;
t_postgres_trips t_postgres_counted(void); /* counts since the program's start */
/* From now on, new connections of this process are to a server that takes no writes, like a hot standby; or no longer. */
void t_postgres_standby(bool on);
/* Runs a query as t_postgres_do(), and copies the first value of its result. */
void t_postgres_ask(const char *folder, const char *sql, char *out, size_t size);

#endif /* SVC_TEST_POSTGRES_H */
