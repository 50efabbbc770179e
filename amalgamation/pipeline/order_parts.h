/*
** The private face of orders among the files that keep them: order.c has the records, order_lease.c which handles live, order_outcome.c
** what comes of an order, order_hand.c the handing out. Each of them includes this header; no other part does.
*/
#ifndef SVC_ORDER_PARTS_H
#define SVC_ORDER_PARTS_H

#include "pipeline/pipeline.h"

#define SVC_ORDER_RENEW 20000 /* milliseconds after which a handle says again that it lives */

typedef struct svc_order_record {
  svc_id id;
  uint64_t taken_by; /* session of the handle; 0: it waits */
  int64_t not_before;
  uint32_t attempt; /* how often it was handed out */
  svc_str trace;    /* traceparent of the request that asked for it; n 0: none did, or it had none */
  svc_str action, desired;
  bool gone;        /* it is for what is gone, whose record cannot tell any more: */
  svc_scope scope;  /* where that was */
  svc_str name;     /* and how it was called */
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
SVC_PRIVATE int svc_order_of(svc_call *c, const svc_entity *e, svc_order_address *at, svc_order_record *out); /* SVC_NOT_FOUND: none */
SVC_PRIVATE bool svc_order_remove(svc_call *c, const svc_order_address *at, const svc_order_record *r);
SVC_PRIVATE bool svc_order_add(svc_call *c, const svc_order_address *at, const svc_order_record *r); /* a new order, with its own id */
SVC_PRIVATE bool svc_order_has_any_taker(const svc *s);

/* order_lease.c: handles that share a store. */
SVC_PRIVATE bool svc_order_say_living(svc_call *c, bool lives); /* this handle lives from now on; false: it ends */
SVC_PRIVATE bool svc_order_reopen(svc_call *c); /* orders of handles that are gone wait again */

/* order_outcome.c */
/* What the driver says of an order: that it has taken it, is busy, is done with it, or has failed. And what a handle says of itself:
** that it lives, which is also when it looks what others have left behind; and that it ends. */
enum svc_order_word { SVC_ORDER_TAKEN, SVC_ORDER_BUSY, SVC_ORDER_DONE, SVC_ORDER_FAILED, SVC_ORDER_OPEN, SVC_ORDER_CLOSE,
                      SVC_ORDER_HELD /* a test has it wait (pipeline/meddle.h) */ };

SVC_PRIVATE int svc_order_tell(svc *s, int word, const svc_id *id, svc_str facts, int64_t now, bool *mine); /* mine may be NULL */
SVC_PRIVATE int svc_order_put_off(svc *s, const svc_id *id, int64_t until, int64_t now); /* it is handed out then, and not before */
SVC_PRIVATE bool svc_order_release(svc_call *c, const svc_entity *e, int64_t until); /* the order that was put off until then goes out now */
SVC_PRIVATE int svc_order_say(svc *s, int word, const svc_id *id, svc_str facts, int64_t now);

#endif /* SVC_ORDER_PARTS_H */
