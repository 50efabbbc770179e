/*
** --driver exec:COMMAND: a program as the driver. svcd starts it by /bin/sh -c, or in an image without a shell as a program with its
** arguments, and both sides write lines of JSON:
**
**   both, first       {"driver":1}              the protocol version; svcd adds "vendor", the vendor word. The program may add
**                                               "secrets":["user.put"], the actions whose orders include secrets
**   svcd              {"order":{"id","action","resource","resourceId","parentId","groupId","orgId","name","desired":{},"attempt":1}}
**                                               and "traceparent", if the request that caused it had one
**   program           {"done":{"id","result":"ok","facts":{}}}   or "busy": svcd sends the order again later; or "failed", with a "reason"
**   svcd              {"question":{"id","what","resource","resourceId","groupId","orgId","name","parameters":{},"now":1,"most":1}}
**   program           {"reply":{"id","value":...}}   or "unknown":true: the program does not know
**   program           {"report":{"resource","id","facts":{}}}    unsolicited, at any time; the members are those of svc_report()
**
** The parts:
**
**      driver_exec.c    orders and questions, and their results
**      driver_lines.c   writes lines for the program, and handles the lines that it writes
**      driver_child.c   the process: starts, ends and restarts the program, writes to it and reads from it
**      driver_json.c    the JSON functions for these lines
**
** The rules. A single thread reads and writes, and never waits for the program: pipes do not block, and all lists are bounded. svcd keeps
** an order until the program reports its result, so a restarted program gets it again. svcd ends a program that breaks the protocol, and
** restarts it after 1 second at first and at most 60. svcd does not keep secrets: it reads those of an order while it writes the line, and
** wipes the line after sending it.
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

/* Opens the driver without starting the program. Returns 0, or -1 if out of memory or descriptors. */
int driver_exec_open(driver_exec **out, const driver_exec_config *config);
/* Whether the command can be started here: a program that is named by a path exists, and a shell line has a shell. Returns 0, or -1 with the
** reason. */
int driver_exec_check(const char *command, char *why, size_t size);
/* Returns the pointer for svc_config.driver, valid until the driver is closed. */
const svc_driver *driver_exec_driver(driver_exec *d);
/* Starts the program for this service. Call it after svc_open() and before svcd_confine(), which would confine the
** program, too. Returns 0, or -1. */
int driver_exec_begin(driver_exec *d, svc *s);
/* svcd is about to stop: refuses further questions, and waits for the replies to open ones for EXEC_LAST_REPLY at most. */
void driver_exec_hush(driver_exec *d);
/* Ends the program. Call it before svc_close(), after the last svc_tick(). */
void driver_exec_stop(driver_exec *d);
/* Frees the driver. Call it after svc_close(). */
void driver_exec_close(driver_exec *d);

/* ------------------------------------------------------------------------------------------------- what the parts share */

#define EXEC_ORDERS 256              /* most queued orders; further ones get SVC_BUSY */
#define EXEC_ORDER_BYTES (16u << 20) /* most bytes of all queued orders */
#define EXEC_SHARE 4                 /* one organization has this part of either at most */
#define EXEC_QUESTIONS 1024          /* most questions that wait for a reply; svc_config.max_questions has the shares */
#define EXEC_LAST_REPLY 2000         /* milliseconds that a question waits for its reply while svcd stops */
#define EXEC_COMMAND 4096            /* bytes of a command */
#define EXEC_LINE (16u << 20)        /* most bytes of a line of the program */
#define EXEC_SAID 1000               /* bytes of a line of its standard error that are logged */
#define EXEC_FIRST_WAIT 1000         /* milliseconds before a restart, or before a busy order is sent again; doubled each time */
#define EXEC_LONGEST_WAIT 60000      /* most milliseconds of such a wait */
#define EXEC_GOOD 60000              /* milliseconds of service after which the wait starts at its minimum again */

/* Growing bytes. */
typedef struct exec_buf {
  char *p;
  size_t n, room;
  int failed; /* out of memory, or more bytes than a line may have */
} exec_buf;

/* Borrowed bytes; p NULL: none. */
typedef struct exec_text {
  const char *p;
  size_t n;
} exec_text;

typedef struct exec_order {
  struct exec_order *next;
  char id[32], action[64], resource_id[32], org_id[32];
  char *text; /* members of the order, as JSON without the braces around them */
  size_t length;
  int attempt;
  int sent;      /* the running program has the order */
  int replaced;  /* a newer order for the same resource has arrived, so this order is not sent again */
  int64_t due;   /* time to send the order, by exec_now() */
  int64_t wait;  /* milliseconds of the last wait, after the program was busy */
} exec_order;

enum { EXEC_ASKED, EXEC_SENT, EXEC_ANSWERED, EXEC_UNKNOWN, EXEC_FAILED };

typedef struct exec_question { /* on the stack of the thread that asks */
  struct exec_question *next;
  char id[24];
  exec_text line;
  int state;
  char *value; /* value of the reply, as JSON */
  size_t length;
} exec_question;

enum { EXEC_DOWN, EXEC_STARTING, EXEC_UP };

struct driver_exec {
  driver_exec_config config;
  svc_driver driver;
  svc *s;
  pthread_t thread;
  int begun;
  int wake[2]; /* a pipe: a byte in it wakes the thread */

  pthread_mutex_t lock; /* guards the members up to said_late */
  pthread_cond_t heard; /* a question has its reply, or will get none */
  int up, ending;
  int64_t hushed; /* time of driver_exec_hush(); 0: not called */
  exec_order *orders; /* oldest first; only the thread removes them */
  size_t order_count, order_bytes;
  exec_question *questions;
  size_t question_count;
  uint64_t asked;
  int64_t said_late; /* time of the last log line about a missing reply */

  /* The following members belong to the thread. */
  pid_t pid; /* the program; 0: none */
  int in, out, err; /* svcd's ends of the program's pipes; -1: closed */
  int64_t words_since; /* beginning of the second in which lines of standard error are counted, */
  int words_said;      /* and their number */
  exec_buf line, words, sending; /* incomplete lines of standard output and standard error; lines for the program */
  size_t sent;           /* bytes of `sending` that are written */
  int64_t since, moved;  /* time of the start; time of the last successful write */
  int greeted, broken;   /* the first line was valid; the program has broken the protocol */
  char *secrets; /* JSON array of the actions whose orders include secrets; NULL: none */
  int64_t backoff;       /* milliseconds before the next start */
};

/* driver_exec.c */
int64_t exec_now(void); /* milliseconds of a clock that never goes back */
void exec_say(driver_exec *d, int level, const char *event, const char *format, ...);
void exec_done(driver_exec *d, const char *id, int result, const char *facts); /* result SVC_BUSY: the order is sent again later */
void exec_replied(driver_exec *d, const char *id, exec_text value); /* value.p NULL: the program does not know */
void exec_report(driver_exec *d, const char *resource, const char *id, const char *facts);
/* Puts the next line into `sending`; 0: nothing to send. */
int exec_next(driver_exec *d);
/* Called when the program has ended: its orders are sent to the next process, and questions fail. */
void exec_lost(driver_exec *d);
void exec_set_up(driver_exec *d, int up);

/* driver_lines.c */
int exec_order_text(exec_order *o, const svc_order *order); /* returns 0, or -1 if out of memory */
void exec_order_line(driver_exec *d, const exec_order *o, exec_buf *out);
void exec_question_line(const char *id, const svc_question *q, exec_buf *out);
void exec_first_line(driver_exec *d, exec_buf *out);
void exec_take_line(driver_exec *d, exec_text line); /* sets d->broken if it breaks the protocol */
int exec_reply_give(const svc_question *q, svc_reply *reply, exec_text value); /* returns a code of svcapi.h */

/* driver_child.c */
void *exec_run(void *driver);
void exec_breach(driver_exec *d, const char *format, ...);

/* driver_json.c */
void exec_buf_add(exec_buf *b, const char *p, size_t n);
void exec_buf_text(exec_buf *b, const char *text);
void exec_buf_member(exec_buf *b, const char *before, const char *value); /* appends `before` and the value as a JSON string; NULL: "" */
void exec_buf_clear(exec_buf *b); /* wipes and empties the buffer */
void exec_buf_free(exec_buf *b);
int exec_json_is_object(exec_text t); /* true for a JSON object with nothing after it */
int exec_json_is_value(exec_text t);  /* the same for any JSON value */
exec_text exec_json_get(exec_text object, const char *name);
exec_text exec_json_member(exec_text object, size_t *at, exec_text *name); /* the next member, as exec_json_item(); raw name */
exec_text exec_json_item(exec_text array, size_t *at); /* the next item; begin with *at 0; p NULL: no more items */
char *exec_json_string(exec_text value, size_t *length); /* decoded; the caller frees it; NULL: not a string, or out of memory */

#endif /* SVCD_DRIVER_EXEC_H */
