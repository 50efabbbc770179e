/*
** The store port on PostgreSQL, for deployments of several machines: svc_config.store = svc_postgres_port(). svc_config.path is the
** connection URI (postgresql://host/database) with libpq's options and these:
**
**   timeout=MS            time limit of each call, 100 to 600000, default 5000; then the connection is closed and the request gets 503
**   readers=N             connections for reads, default 16
**   schema=NAME           schema of the tables; default: the first of the search_path
**   pooler=transaction    a pooler such as PgBouncer gives each transaction another connection; session: it does not; auto (default)
**
** svcapi.c does not contain it. Compile three files, ports/postgres.c (it includes the headers of ports/postgres/), ports/store_copy.c and
** ports/transfer/rows.c, with -I. -Iamalgamation -DSVC_SPLIT=1 -DSVC_SHARED_STORE, and svcapi.c with -DSVC_SHARED_STORE. Link with -lpq
** -pthread. svc_backup() of such a store writes an LMDB store into a folder, or copies to the URI of an empty database.
*/
#ifndef SVC_POSTGRES_H
#define SVC_POSTGRES_H

#include "svcapi.h"

const svc_store_port *svc_postgres_port(void);

/* Creates missing tables, or checks that this version supports the existing schema. Returns SVC_OK, or a code and the reason in `why`. */
int svc_postgres_schema(const svc_config *config, char *why, size_t why_size);
/* Writes number `i` (from 0) of the statements that create the tables in the schema of the search_path. Returns 0 after the last one. */
int svc_postgres_sql(size_t i, char *out, size_t size);

#endif /* SVC_POSTGRES_H */
