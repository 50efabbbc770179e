/*
** The store port on PostgreSQL, for who has outgrown one machine: svc_config.store = svc_postgres_port(), and
** svc_config.path is the connection URI (postgresql://host/database), with libpq's options and ours: timeout=MS, how long each
** call may take (5000, from 100 to 600000); then the connection is closed and the request answered with 503; readers=N, connections that
** read (16); schema=NAME, where the tables are (the first of the search_path); pooler=transaction, there is PgBouncer or the like in between, which
** gives each transaction another connection, pooler=session, there is none (auto: it is found out). It is no part of svcapi.c: compile ports/postgres.c,
** which includes the headers in ports/postgres/, and ports/store_copy.c and ports/transfer/rows.c beside it, with -I. -Iamalgamation -DSVC_SPLIT=1 -DSVC_SHARED_STORE, and svcapi.c with -DSVC_SHARED_STORE;
** link with -lpq -pthread. svc_backup() of such a store writes into a folder, as a store of LMDB, or to the URI of an empty database.
*/
#ifndef SVC_POSTGRES_H
#define SVC_POSTGRES_H

#include "svcapi.h"

const svc_store_port *svc_postgres_port(void);

/* Make the tables where they are missing, or see whether their schema is one that this version can work on. SVC_OK, or why says why not. */
int svc_postgres_schema(const svc_config *config, char *why, size_t why_size);
/* The statements that make them, one by one from 0, for the schema of the search_path. 0: there are no more. */
int svc_postgres_sql(size_t i, char *out, size_t size);

#endif /* SVC_POSTGRES_H */
