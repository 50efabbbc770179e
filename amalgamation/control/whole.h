/*
** A snapshot of the whole store, for whole.c, which takes and restores it, and whole_file.c, which turns it into a file.
*/
#ifndef SVC_WHOLE_H
#define SVC_WHOLE_H

#include "control/control.h"

#ifndef SVC_OMIT_TEST_CONTROL

#define SVC_WHOLE_VENDOR 64 /* characters of the vendor word; longer ones are shortened, and compared so */

struct svc_snapshot {
  svc_allocator allocator;
  const svc *s; /* its owner; the session is compared, too, because another handle may get the same address */
  uint64_t session;
  size_t most;
  char *bytes;
  size_t n, room, records;
  const svc_store_port *port; /* of `held` */
  void *held; /* the state, kept by the store itself; then there are no bytes. NULL: the bytes have the state */
  svc_ids ids; /* without its functions and its time */
  int64_t now;   /* of the manual clock; 0: not manual */
  int64_t taken; /* time, by the handle's clock */
  char vendor[SVC_WHOLE_VENDOR + 1];
  uint64_t random, chance;
  void *limiter, *digest; /* limiter NULL: none */
};

/* whole.c */
SVC_PRIVATE svc_snapshot *svc_whole_new(svc *s); /* an empty one of this handle; NULL: out of memory */
SVC_PRIVATE int svc_whole_add(svc_snapshot *k, svc_str key, svc_str value); /* adds a record; SVC_FULL: beyond k->most */
SVC_PRIVATE int svc_whole_read(svc_snapshot *k, svc_txn *txn); /* all records that the transaction sees, as bytes */
SVC_PRIVATE int svc_whole_digest(svc *s, svc_snapshot *k); /* the handle's present knowledge of nonces */

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_WHOLE_H */
