/*
** The rows of a store, read in batches from one snapshot and written in batches: shared by copy, export, import and upgrade.
**
** The rule: memory is bounded by a batch, for any size of the store. A batch has at most SVC_ROWS_BATCH rows, and fewer if rows are large.
** Keys that begin with a zero byte belong to the port or are marks; they are not read.
*/
#ifndef SVC_TRANSFER_ROWS_H
#define SVC_TRANSFER_ROWS_H

#include "ports/store_port.h"

#define SVC_ROWS_BATCH 256
#define SVC_ROWS_BYTES ((size_t)4 << 20) /* of a batch; after a batch with more bytes, the next one has half as many rows */

typedef struct svc_rows {
  const svc_store_port *port;
  svc_store *store;
  svc_txn *txn; /* the snapshot; NULL: none yet */
  svc_row rows[SVC_ROWS_BATCH];
  size_t n, at, most; /* rows; used rows; rows that are requested at once */
  size_t range;       /* index of the range of keys being read */
  char key[SVC_KEY_MOST + 1]; /* the key at which reading continues */
  size_t key_n;
} svc_rows;

int svc_rows_open(svc_rows *r, const svc_config *config, char *why, size_t why_size); /* the store of config->path and config->store */
void svc_rows_close(svc_rows *r);
int svc_rows_begin(svc_rows *r); /* moves to the first row, of the present snapshot or of a new one */
void svc_rows_end(svc_rows *r);  /* ends the snapshot */
int svc_rows_fill(svc_rows *r);  /* the next batch; n 0: no more. Invalidates the previous batch */
const svc_row *svc_rows_next(svc_rows *r, int *rc); /* NULL: no more, or *rc has the error */
/* Checks that there is a complete store to read. Returns SVC_OK, SVC_UNFINISHED, or SVC_NOT_FOUND for an empty store. The first read, so
** it begins the snapshot. */
int svc_rows_source(svc_rows *r);
int svc_rows_number(const svc_rows *r, uint64_t *number); /* the number of a transaction of this store, which is then aborted */

bool svc_row_is_count(const svc_row *row);
int svc_row_put(svc_txn *txn, const svc_row *row); /* a record, or the value of a counter */
/* Runs `work` in a transaction, which is retried after a conflict or a lack of room: `work` may run several times. */
int svc_rows_commit(const svc_rows *r, int (*work)(void *context, svc_txn *txn), void *context);
/* An incomplete store never opens: the first transaction marks an empty store, and the last one removes the mark.
** SVC_EXISTS: the store is not empty. */
int svc_rows_mark(const svc_rows *r, uint64_t number); /* revisions continue after this transaction number */
int svc_rows_unmark(const svc_rows *r);

#endif /* SVC_TRANSFER_ROWS_H */
