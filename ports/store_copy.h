/*
** Copies a store into another through their ports: LMDB to PostgreSQL, back, or between two of a kind (ports/store_copy.c). svcapi.c does
** not contain it. Compile it like ports/postgres.c (see ports/postgres.h), and link with mbedTLS's crypto.
*/
#ifndef SVC_STORE_COPY_H
#define SVC_STORE_COPY_H

#include "svcapi.h"

/* The content of one of the two stores, as read. */
typedef struct svc_copy_side {
  uint64_t records, counts;
  uint64_t bytes;   /* total size of keys and values */
  char sha256[65];  /* hash of all of them, in key order; "": the store was not read to its end */
} svc_copy_side;

typedef struct svc_copy_report {
  svc_copy_side from, to;
  char why[512]; /* reason of a failure, for people */
} svc_copy_report;

/*
** Copies the store of `from` (its members path and store) into the empty store of `to`, then reads both and compares them. A source folder
** must not be in use; PostgreSQL is copied as of one moment, while others continue to write. The copy takes some megabytes of memory,
** whatever the size of the store.
** Returns SVC_OK: both stores are complete and equal. SVC_EXISTS: the target is not empty, and stays unchanged. SVC_CORRUPT: the source is
** not a store, or the target differs; the report says which. Other codes come from the stores. svc_open() refuses an incomplete or
** different copy with SVC_UNFINISHED.
*/
int svc_copy_store(const svc_config *from, const svc_config *to, svc_copy_report *out);

/* Compares two stores and writes nothing. Returns SVC_OK, SVC_CORRUPT if they differ, or the error of a store. */
int svc_compare_stores(const svc_config *from, const svc_config *to, svc_copy_report *out);

/* For ports: copies from an open store, whose transaction numbers are at most `number`. */
struct svc_store;
int svc_store_copy(const svc_store_port *port, struct svc_store *store, uint64_t number, const svc_config *to, svc_copy_report *out);

#endif /* SVC_STORE_COPY_H */
