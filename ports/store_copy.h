/*
** A store copied into another, through their ports: from LMDB to PostgreSQL, back, or of one kind (ports/store_copy.c). It is no part
** of svcapi.c, and goes with ports/postgres.c: compile it as that is compiled (ports/postgres.h), and link with mbedTLS's crypto.
*/
#ifndef SVC_STORE_COPY_H
#define SVC_STORE_COPY_H

#include "svcapi.h"

/* What one of both holds, as it was read. */
typedef struct svc_copy_side {
  uint64_t records, counts;
  uint64_t bytes;   /* of keys and values */
  char sha256[65];  /* over all of them, in their order; "": it was not read to its end */
} svc_copy_side;

typedef struct svc_copy_report {
  svc_copy_side from, to;
  char why[512]; /* for people, when it fails */
} svc_copy_report;

/*
** Copy the store that `from` names (path and store of it) into that of `to`, which has to be empty; then read both from the beginning,
** side by side, and compare. From a folder that nobody holds, or from PostgreSQL as it is at one moment, whoever writes meanwhile.
** It takes some megabytes of memory, whatever the size.
** Returns SVC_OK: both were read to their ends and are the same. SVC_EXISTS: there is something in the target already, and it stays
** as it is. SVC_CORRUPT: the source is no store, or what was read of the target is something else; the report says which.
** Other errors are the stores'. A copy that was not finished, or differs, is not opened: SVC_UNFINISHED.
*/
int svc_copy_store(const svc_config *from, const svc_config *to, svc_copy_report *out);

/* Only compare. Nothing is written. SVC_CORRUPT: they differ. */
int svc_compare_stores(const svc_config *from, const svc_config *to, svc_copy_report *out);

/* For ports: the same from a store that is open, whose numbers of transactions are less than this. */
struct svc_store;
int svc_store_copy(const svc_store_port *port, struct svc_store *store, uint64_t number, const svc_config *to, svc_copy_report *out);

#endif /* SVC_STORE_COPY_H */
