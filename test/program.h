/*
** A driver that is a program, as `svcd --driver exec:COMMAND` runs one: the same code (examples/svcd/driver_*.c) starts a process, writes
** lines to it, reads lines from it, and ends it.
**
** The program is two `cat`s. Each line that svcd writes comes back to a thread of the test, which gives it to a t_driver, as if that were the
** C driver; what the t_driver says goes through the program to svcd. So the same statements hold for a C driver and for a program, and the test
** sees every line: each has to fit its schema in the document of svc_driver_schema(), with all that is in it.
*/
#ifndef SVC_TEST_PROGRAM_H
#define SVC_TEST_PROGRAM_H

#include "driver.h"

typedef struct t_program t_program;

t_program *t_program_open(t_driver *d);                    /* the t_driver says what the program does */
const svc_driver *t_program_driver(const t_program *p);    /* for svc_config.driver */
void t_program_begin(t_program *p, svc *s);                /* behind svc_open() */
/* Ticks until each order is done, or open because the t_driver left it so. Fails after a minute. */
void t_program_settle(t_program *p);
void t_program_report(t_program *p, const char *resource, const char *id, const char *facts); /* and svcd has taken it */
void t_program_kill(t_program *p);                         /* it is started again */
void t_program_stop(t_program *p);                         /* before svc_close() */
size_t t_program_close(t_program *p);                      /* after it; how many lines there were. Fails where one fits no schema */

#endif
