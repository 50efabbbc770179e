/*
** The rows of a store, read in batches from one snapshot and written in batches: what copy, export, import and upgrade share.
**
** The rule: memory is bounded by a batch, whatever the size of the store. A batch has at most SVC_ROWS_BATCH rows, and fewer where rows are
** large. Keys that begin with a zero byte belong to the port and are not read.
*/
#ifndef SVC_TRANSFER_ROWS_H
#define SVC_TRANSFER_ROWS_H

#include "ports/store_port.h"

#define SVC_ROWS_BATCH 256
#define SVC_ROWS_BYTES ((size_t)4 << 20) /* of a batch: one with more is followed by one with half as many rows */

typedef struct svc_rows {
  const svc_store_port *port;
  svc_store *store;
  svc_txn *txn; /* the snapshot; NULL: none yet */
  svc_row rows[SVC_ROWS_BATCH];
  size_t n, at, most; /* rows; those that were used; those that are asked for at once */
  size_t range;       /* which range of keys is being read */
  char key[SVC_KEY_MOST + 1]; /* from where reading continues */
  size_t key_n;
} svc_rows;

int svc_rows_open(svc_rows *r, const svc_config *config, char *why, size_t why_size); /* the store that path and store name */
void svc_rows_close(svc_rows *r);
int svc_rows_begin(svc_rows *r); /* at the first row; of the snapshot that there is, or of a new one */
void svc_rows_end(svc_rows *r);  /* the snapshot ends */
int svc_rows_fill(svc_rows *r);  /* the next batch; n 0: there is none. The one before is invalid then */
const svc_row *svc_rows_next(svc_rows *r, int *rc); /* NULL: there is none, or *rc says why */
/* Is there a finished store to read? SVC_UNFINISHED, SVC_NOT_FOUND: it is empty. The first look, so the snapshot begins here. */
int svc_rows_source(svc_rows *r);
int svc_rows_number(const svc_rows *r, uint64_t *number); /* of a transaction of this store; nothing comes of it */

bool svc_row_is_count(const svc_row *row);
int svc_row_put(svc_txn *txn, const svc_row *row); /* a record, or what a count comes to */
/* One transaction, retried where another writer came first or room was short. `work` may run several times. */
int svc_rows_commit(const svc_rows *r, int (*work)(void *context, svc_txn *txn), void *context);
/* Half a store is never opened: the first transaction marks an empty store, and the last one takes the mark away. SVC_EXISTS: it is not empty. */
int svc_rows_mark(const svc_rows *r, uint64_t number); /* revisions continue behind this transaction number */
int svc_rows_unmark(const svc_rows *r);

#endif /* SVC_TRANSFER_ROWS_H */
