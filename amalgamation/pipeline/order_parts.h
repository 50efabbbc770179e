/*
** Shared by the files that keep orders, and included by no other part: order.c has the records, order_lease.c the living handles,
** order_outcome.c the results of an order, order_hand.c the handing out.
*/
#ifndef SVC_ORDER_PARTS_H
#define SVC_ORDER_PARTS_H

#include "pipeline/pipeline.h"

#define SVC_ORDER_RENEW 20000 /* milliseconds between two signs of life of a handle */

typedef struct svc_order_record {
  svc_id id;
  uint64_t taken_by; /* session of the handle that handed it out; 0: queued */
  int64_t not_before;
  uint32_t attempt; /* number of times it was handed out */
  svc_str trace;    /* traceparent of the request that caused it; n 0: none */
  svc_str action, desired;
  bool gone;        /* the entity is deleted, and the order keeps what its record had: */
  svc_scope scope;  /* its scope */
  svc_str name;     /* and its name */
} svc_order_record;

typedef struct svc_order_address {
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
} svc_order_address;

/* order.c: the records of one order. */
SVC_PRIVATE void svc_order_wait_key(svc_key *key, const svc_order_record *r);
SVC_PRIVATE bool svc_order_decode(svc_str value, svc_order_record *out);
SVC_PRIVATE bool svc_order_keep(svc_call *c, const svc_order_address *at, const svc_order_record *r);
SVC_PRIVATE int svc_order_find(svc_call *c, const svc_id *id, svc_order_address *at, svc_order_record *out); /* SVC_NOT_FOUND: done or replaced */
SVC_PRIVATE int svc_order_of(svc_call *c, const svc_entity *e, svc_order_address *at, svc_order_record *out); /* SVC_NOT_FOUND: no order */
SVC_PRIVATE bool svc_order_remove(svc_call *c, const svc_order_address *at, const svc_order_record *r);
SVC_PRIVATE bool svc_order_add(svc_call *c, const svc_order_address *at, const svc_order_record *r); /* a new order, with its own id */

/* order_lease.c: handles that share a store. */
SVC_PRIVATE bool svc_order_say_living(svc_call *c, bool lives); /* lives: this handle's lease begins now; otherwise it ends */
SVC_PRIVATE bool svc_order_reopen(svc_call *c); /* queues the orders of dead handles again */

/* order_outcome.c */
/* A message about an order: the driver has accepted it, is busy, is done, or has failed. A message of a handle about itself: it lives
** (and looks for orders that dead handles left behind), or it ends. */
enum svc_order_word { SVC_ORDER_TAKEN, SVC_ORDER_BUSY, SVC_ORDER_DONE, SVC_ORDER_FAILED, SVC_ORDER_HANDLE_LIVES, SVC_ORDER_HANDLE_ENDS,
                      SVC_ORDER_HELD /* a test holds it back (pipeline/meddle.h) */ };

/* Stores a message (enum svc_order_word) in one commit. SVC_INVALID: it was refused. *mine, for SVC_ORDER_TAKEN: no other handle was
** faster, so this one hands the order out; mine may be NULL. svc_order_say() is the same without `mine`. */
SVC_PRIVATE int svc_order_tell(svc *s, int word, const svc_id *id, svc_str facts, int64_t now, bool *mine);
SVC_PRIVATE int svc_order_put_off(svc *s, const svc_id *id, int64_t until, int64_t now); /* not handed out before `until` */
/* hands out now an order that was postponed until then */
SVC_PRIVATE bool svc_order_release(svc_call *c, const svc_entity *e, int64_t until);
SVC_PRIVATE int svc_order_say(svc *s, int word, const svc_id *id, svc_str facts, int64_t now);

#endif /* SVC_ORDER_PARTS_H */
