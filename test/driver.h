/*
** The driver of the tests. It takes every order, keeps it, and leaves it open: the test finishes it, by t_driver_finish(). What else it does with
** orders, and what it answers to questions, the test states:
**
**   t_driver d;
**   svc_config config = { .driver = t_driver_init(&d) };
**   t_driver_does(&d, "cluster.", "{\"hosts\":[\"a.example.net:27017\"]}");   clusters are there at once
**   t_driver_answers(&d, "logs", "a line\n");
**   ...
**   t_driver_finish(&d, t->s, "index.build", SVC_IO, "{\"reason\":\"no\"}");  an index was to be built, and is not
**
** Texts are not copied: they stay where they are until they are stated anew, or change there. An action or a question is meant by how it
** begins, "" being all; what was stated last and fits holds.
*/
#ifndef SVC_TEST_DRIVER_H
#define SVC_TEST_DRIVER_H

#include "support.h"

typedef struct t_order {
  char id[25], action[48], resource[48], resource_id[25], parent_id[25], group_id[25], org_id[25], name[128];
  char traceparent[SVC_TRACE + 1];
  char desired[16384];
  char secrets[1024]; /* of a driver `with_secrets`; "": there are none */
  bool finished;
} t_order;

enum { T_ORDERS_KEPT = 16, T_STATED = 8, T_ORDER_ROWS = 128 };

typedef struct t_stated {
  const char *of;   /* an action, or a question */
  bool at_once;     /* of an order: it ends at once, with `code` and with `text` for facts */
  int code;         /* else what perform() returns; of a question what ask() does, unless there is a text */
  const char *text;
  int count;        /* how many came that this was the answer to */
} t_stated;

typedef struct t_driver {
  svc_driver port;             /* for svc_config.driver */
  bool simulates;              /* orders that it does without stated facts have those of the simulator, which also answers what it is not told to */
  int (*done)(void *context, svc *s, const char *id, int result, const char *facts); /* how it says what came of an order */
  void *done_context;
  bool with_secrets;           /* it asks for the secrets of each order */
  t_stated actions[T_STATED], questions[T_STATED];
  t_order kept[T_ORDERS_KEPT]; /* the last ones: order n, from 0, is kept[n % T_ORDERS_KEPT] */
  const svc_order_row *rows[T_ORDER_ROWS]; /* those of the catalog of which an order came, each once; NULL: no more */
  int orders;                  /* how many came, those that it refused among them */
  char asked[4096];            /* the last question: what, resource, name, parameters */
  int asks;                    /* how many came */
} t_driver;

const svc_driver *t_driver_init(t_driver *d); /* for svc_config.driver; without answers it has no ask() */
void t_driver_takes(t_driver *d, const char *action); /* as it does with all of which nothing is stated */
void t_driver_does(t_driver *d, const char *action, const char *facts);  /* at once; facts may be NULL */
void t_driver_fails(t_driver *d, const char *action, const char *facts); /* at once, with a reason */
void t_driver_refuses(t_driver *d, const char *action, int code);        /* SVC_BUSY, SVC_IO */
void t_driver_answers(t_driver *d, const char *what, const char *text);  /* NULL: its ask() fails */
void t_driver_knows_not(t_driver *d, const char *what);                  /* its ask() says SVC_NOT_FOUND */

/* The last order of this action among those that are kept; one of empty texts where there is none. */
const t_order *t_driver_order(const t_driver *d, const char *action);
int t_driver_count(const t_driver *d, const char *action); /* how many came since something was stated of this very action */
/* The open order, which is of this action, cannot be done with these facts, and stays open. */
void t_driver_refused(t_driver *d, svc *s, const char *action, const char *facts);
/* Those that it has taken and that are open are done; of a driver that simulates with the facts of the simulator. */
void t_driver_release(t_driver *d, svc *s);
/* Ticks. Of the orders that are not finished the last one is of this action: it is finished so. */
void t_driver_finish(t_driver *d, svc *s, const char *action, int result, const char *facts);

#endif
