/*
** --driver exec:COMMAND: a program as the driver. svcd starts it by /bin/sh -c, and both sides write lines of JSON:
**
**   both, first       {"driver":1}              the protocol version; svcd adds "vendor", the vendor word. The program may add
**                                               "secrets":["user.put"], the actions whose orders include secrets
**   svcd              {"order":{"id","action","resource","resourceId","parentId","groupId","orgId","name","desired":{},"attempt":1}}
**                                               and "traceparent", if the request that caused it had one
**   program           {"done":{"id","result":"ok","facts":{}}}   or "busy": again later; or "failed", with a "reason"
**   svcd              {"question":{"id","what","resource","resourceId","groupId","orgId","name","parameters":{},"now":1,"most":1}}
**   program           {"reply":{"id","value":...}}   or "unknown":true: the program does not know
**   program           {"report":{"resource","id","facts":{}}}    at any time, without being asked; as svc_report() has them
**
** The parts:
**
**      driver_exec.c    orders and questions, and their results
**      driver_lines.c   the lines that go out, and those that come in
**      driver_child.c   the program itself: started, written to, read from, ended, started again
**      driver_json.c    as much JSON as the lines need
**
** The rules. One thread reads and writes, and never waits for the program: pipes do not block, and all lists are bounded. An order is kept
** until the program reports its result, so a restarted program gets it again. svcd ends a program that breaks the protocol, and restarts it
** after 1 second at first and at most 60. Secrets are not kept: svcd reads those of an order while it writes the line, and wipes the line
** after sending it.
*/
#ifndef SVCD_DRIVER_EXEC_H
#define SVCD_DRIVER_EXEC_H

#include "svcapi.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct driver_exec driver_exec;

typedef struct driver_exec_config {
  const char *command;
  int64_t timeout_ms; /* timeout of a reply and of the first line; the program must read within six times that */
  void (*log)(void *context, int level, const char *event, const char *text); /* as svc_config.log_event */
  void *log_context;
} driver_exec_config;

/* 0, or -1: no memory, or no descriptors. The program is not started yet. */
int driver_exec_open(driver_exec **out, const driver_exec_config *config);
/* Returns the pointer for svc_config.driver, valid until the driver is closed. */
const svc_driver *driver_exec_driver(driver_exec *d);
/* Starts the program for this service. Call it after svc_open() and before svcd_confine(), which would confine the program, too. 0, or -1. */
int driver_exec_begin(driver_exec *d, svc *s);
/* Ends the program. Call it before svc_close(), after the last svc_tick(). */
void driver_exec_stop(driver_exec *d);
/* After svc_close(). */
void driver_exec_close(driver_exec *d);

/* ------------------------------------------------------------------------------------------------- what the parts share */

#define EXEC_ORDERS 256              /* most orders that are kept; further ones get SVC_BUSY */
#define EXEC_ORDER_BYTES (16u << 20) /* and their bytes together */
#define EXEC_QUESTIONS 256           /* questions that wait for a reply at a time */
#define EXEC_LINE (16u << 20)        /* bytes of a line of the program */
#define EXEC_SAID 1000               /* bytes of a line of its standard error that are logged */
#define EXEC_FIRST_WAIT 1000         /* milliseconds before it is started again; doubled each time */
#define EXEC_LONGEST_WAIT 60000
#define EXEC_GOOD 60000              /* after this time of service the wait starts at its minimum again */

/* Bytes that grow. */
typedef struct exec_buf {
  char *p;
  size_t n, room;
  int failed; /* no memory, or more than EXEC_LINE and what stands around it */
} exec_buf;

/* Bytes of somebody else; p NULL: none. */
typedef struct exec_text {
  const char *p;
  size_t n;
} exec_text;

typedef struct exec_order {
  struct exec_order *next;
  char id[32], action[64], resource_id[32];
  char *text; /* its members, JSON without the braces around it */
  size_t length;
  int attempt;
  int sent;      /* the program that runs has it */
  int replaced;  /* a newer order for the same resource has come: this one is not sent again */
  int64_t due;   /* when it is to be sent, by exec_now() */
  int64_t wait;  /* what it waited the last time it was busy */
} exec_order;

enum { EXEC_ASKED, EXEC_SENT, EXEC_ANSWERED, EXEC_UNKNOWN, EXEC_FAILED };

typedef struct exec_question { /* on the stack of whoever asks */
  struct exec_question *next;
  char id[24];
  exec_text line;
  int state;
  char *value; /* of a reply: JSON */
  size_t length;
} exec_question;

enum { EXEC_DOWN, EXEC_STARTING, EXEC_UP };

struct driver_exec {
  driver_exec_config config;
  svc_driver driver;
  svc *s;
  pthread_t thread;
  int begun;
  int wake[2]; /* a byte there wakes the thread */

  pthread_mutex_t lock; /* over what follows */
  pthread_cond_t heard; /* a question has its reply, or will have none */
  int up, ending;
  exec_order *orders; /* oldest first; only the thread takes them off */
  size_t order_count, order_bytes;
  exec_question *questions;
  size_t question_count;
  uint64_t asked;
  int64_t said_late; /* when it was last logged that a reply did not come */

  pid_t pid; /* 0: none. This, and what follows, is the thread's alone */
  int in, out, err; /* our ends of its pipes; -1: closed */
  exec_buf line, words, sending; /* of its standard output and standard error; of what goes to it */
  size_t sent;           /* bytes of `sending` that it has */
  int64_t since, moved;  /* when it was started; when it last took something */
  int greeted, broken;
  char *secrets; /* the actions that it wants secrets of: a JSON array; NULL: none */
  int64_t backoff;
};

/* driver_exec.c */
int64_t exec_now(void); /* milliseconds of a clock that never goes back */
void exec_say(driver_exec *d, int level, const char *event, const char *format, ...);
void exec_done(driver_exec *d, const char *id, int result, const char *facts); /* result SVC_BUSY: again later */
void exec_replied(driver_exec *d, const char *id, exec_text value); /* value.p NULL: it does not know */
void exec_report(driver_exec *d, const char *resource, const char *id, const char *facts);
/* Puts the next line into `sending`; 0: nothing to send. */
int exec_next(driver_exec *d);
/* The program has ended: its orders go to the next one, questions fail. */
void exec_lost(driver_exec *d);
void exec_set_up(driver_exec *d, int up);

/* driver_lines.c */
int exec_order_text(exec_order *o, const svc_order *order); /* 0, or -1: no memory */
void exec_order_line(driver_exec *d, const exec_order *o, exec_buf *out);
void exec_question_line(const char *id, const svc_question *q, exec_buf *out);
void exec_first_line(driver_exec *d, exec_buf *out);
void exec_take_line(driver_exec *d, exec_text line); /* sets d->broken if it breaks the protocol */
int exec_reply_give(const svc_question *q, svc_reply *reply, exec_text value); /* a code of svcapi.h */

/* driver_child.c */
void *exec_run(void *driver);
void exec_breach(driver_exec *d, const char *format, ...);

/* driver_json.c */
void exec_buf_add(exec_buf *b, const char *p, size_t n);
void exec_buf_text(exec_buf *b, const char *text);
void exec_buf_member(exec_buf *b, const char *before, const char *value); /* `before`, and the value in quotes; NULL as "" */
void exec_buf_clear(exec_buf *b); /* wiped, and empty */
void exec_buf_free(exec_buf *b);
int exec_json_is_object(exec_text t); /* and nothing behind it */
int exec_json_is_value(exec_text t);  /* the same of any value */
exec_text exec_json_get(exec_text object, const char *name);
exec_text exec_json_member(exec_text object, size_t *at, exec_text *name); /* the next one, as exec_json_item(); its name as it is written */
exec_text exec_json_item(exec_text array, size_t *at); /* the next one; begin with *at 0; p NULL: no more */
char *exec_json_string(exec_text value, size_t *length); /* decoded, to be freed; NULL: it is no string, or no memory */

#endif /* SVCD_DRIVER_EXEC_H */
