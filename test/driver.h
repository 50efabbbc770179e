/*
** The driver of the tests. By default it accepts every order, keeps it, and leaves it open until the test finishes it with
** t_driver_finish(). The test states any other behavior for orders, and the answers to questions:
**
**   t_driver d;
**   svc_config config = { .driver = t_driver_init(&d) };
**   t_driver_does(&d, "cluster.", "{\"hosts\":[\"a.example.net:27017\"]}");   clusters are ready at once
**   t_driver_answers(&d, "logs", "a line\n");
**   ...
**   t_driver_finish(&d, t->s, "index.build", SVC_IO, "{\"reason\":\"no\"}");  building the index failed
**
** Texts are not copied: the caller keeps them unchanged until the same action or question is stated again. A statement applies to
** each action or question that begins with its text; "" applies to all. The latest statement that matches wins.
*/
#ifndef SVC_TEST_DRIVER_H
#define SVC_TEST_DRIVER_H

#include "support.h"

typedef struct t_order {
  char id[25], action[48], resource[48], resource_id[25], parent_id[25], group_id[25], org_id[25], name[128];
  char traceparent[SVC_TRACE + 1];
  char desired[16384];
  char secrets[1024]; /* for a driver `with_secrets`; "": the order has none */
  bool finished;
} t_order;

enum { T_ORDERS_KEPT = 16, T_STATED = 8, T_ORDER_ROWS = 128 };

typedef struct t_stated {
  const char *of;   /* the beginning of an action or question */
  bool at_once;     /* for orders: the order ends at once, with `code` as result and `text` as facts */
  int code;         /* otherwise the return value of perform(), or of ask() when there is no text */
  const char *text;
  int count;        /* how many orders or questions this statement answered */
} t_stated;

typedef struct t_driver {
  svc_driver port;             /* for svc_config.driver */
  bool simulates;              /* orders without a statement get the simulator's facts; the simulator also answers questions without a
                                  statement */
  int (*done)(void *context, svc *s, const char *id, int result, const char *facts); /* reports the result of an order */
  void *done_context;
  bool with_secrets;           /* the driver requests the secrets of each order */
  t_stated actions[T_STATED], questions[T_STATED];
  t_order kept[T_ORDERS_KEPT]; /* the latest orders: order n, from 0, is kept[n % T_ORDERS_KEPT] */
  const svc_order_row *rows[T_ORDER_ROWS]; /* the catalog's rows of the orders received so far, each once; ends with NULL */
  int orders;                  /* orders received, including refused ones */
  char asked[4096];            /* the last question: its name, resource, name of the resource, parameters */
  int asks;                    /* questions received */
} t_driver;

const svc_driver *t_driver_init(t_driver *d); /* for svc_config.driver; without stated answers the driver has no ask() */
void t_driver_takes(t_driver *d, const char *action); /* back to the default for actions without a statement */
void t_driver_does(t_driver *d, const char *action, const char *facts);  /* succeeds at once; facts may be NULL */
void t_driver_fails(t_driver *d, const char *action, const char *facts); /* fails at once, with a reason */
void t_driver_refuses(t_driver *d, const char *action, int code);        /* refuses with SVC_BUSY or SVC_IO */
void t_driver_answers(t_driver *d, const char *what, const char *text);  /* NULL: ask() fails */
void t_driver_knows_not(t_driver *d, const char *what);                  /* ask() returns SVC_NOT_FOUND */

/* Returns the latest kept order with this action. Returns an order with empty texts if no order has it. */
const t_order *t_driver_order(const t_driver *d, const char *action);
int t_driver_count(const t_driver *d, const char *action); /* orders that the statement for exactly this action has answered */
/* Ticks. The latest unfinished order must have this action. Checks that these facts are refused as its result. */
void t_driver_refused(t_driver *d, svc *s, const char *action, const char *facts);
/* Completes all accepted orders that are still open. A driver that simulates uses the simulator's facts. */
void t_driver_release(t_driver *d, svc *s);
/* Ticks. The latest unfinished order must have this action, and ends with this result and these facts. */
void t_driver_finish(t_driver *d, svc *s, const char *action, int result, const char *facts);

#endif
