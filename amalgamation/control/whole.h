/*
** A snapshot of the whole store: what whole.c, which takes and restores it, and whole_file.c, which turns it into bytes of a file, both
** know.
*/
#ifndef SVC_WHOLE_H
#define SVC_WHOLE_H

#include "control/control.h"

#ifndef SVC_OMIT_TEST_CONTROL

#define SVC_WHOLE_VENDOR 64 /* characters of the vendor word; longer ones are cut, and compared so */

struct svc_snapshot {
  svc_allocator allocator;
  const svc *s; /* whose it is: with the session, as another handle may come to lie at the same place */
  uint64_t session;
  size_t most;
  char *bytes;
  size_t n, room, records;
  const svc_store_port *port; /* of `held` */
  void *held; /* the store itself keeps it, and there are no bytes; NULL: it is in the bytes */
  svc_ids ids; /* not its functions, nor its time */
  int64_t now;   /* of the manual clock; 0: it is none */
  int64_t taken; /* when, by the clock of the handle */
  char vendor[SVC_WHOLE_VENDOR + 1];
  uint64_t random, chance;
  void *limiter, *digest; /* limiter NULL: there is none */
};

/* whole.c */
SVC_PRIVATE svc_snapshot *svc_whole_new(svc *s); /* an empty one of this handle; NULL: no memory */
SVC_PRIVATE int svc_whole_add(svc_snapshot *k, svc_str key, svc_str value); /* a record more; SVC_FULL: beyond k->most */
SVC_PRIVATE int svc_whole_read(svc_snapshot *k, svc_txn *txn); /* all records that the transaction sees, into the bytes */
SVC_PRIVATE int svc_whole_digest(svc *s, svc_snapshot *k); /* what the handle knows of nonces now */

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_WHOLE_H */
