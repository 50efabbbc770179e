/*
** A driver that is a program, as `svcd --driver exec:COMMAND` runs one. The same code (examples/svcd/driver_*.c) starts a
** process, writes lines to it, reads lines from it, and ends it.
**
** The program consists of two `cat` processes. Each line that svcd writes comes back to a thread of the test. The thread passes
** it to a t_driver, as if that were the C driver, and the t_driver's replies go through the program to svcd. So the same
** statements work for a C driver and for a program. The test sees every line: each one, with its contents, must match its schema
** in the document of svc_driver_schema().
*/
#ifndef SVC_TEST_PROGRAM_H
#define SVC_TEST_PROGRAM_H

#include "driver.h"

typedef struct t_program t_program;

t_program *t_program_open(t_driver *d);                    /* the t_driver decides how the program behaves */
const svc_driver *t_program_driver(const t_program *p);    /* for svc_config.driver */
void t_program_begin(t_program *p, svc *s);                /* call after svc_open() */
/* Ticks until each order is finished, or left open by the t_driver. Fails after a minute. */
void t_program_settle(t_program *p);
void t_program_report(t_program *p, const char *resource, const char *id, const char *facts); /* returns when svcd has handled the report */
/* Orders the threads of test and program, for ThreadSanitizer: lines order them too, but pass through other processes, where it cannot
** see them. Call after a change of the t_driver, and before reading what the program has counted. */
void t_program_meet(t_program *p);
void t_program_kill(t_program *p);                         /* kills the program; svcd restarts it */
void t_program_stop(t_program *p);                         /* call before svc_close() */
size_t t_program_close(t_program *p);                      /* call after svc_close(); returns the number of lines. Fails if a line
                                                              matches no schema */

#endif
