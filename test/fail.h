/*
** Failure injection into every test: with SVC_TEST_FAIL set, each operation that a test performs also runs with each failure
** once. See fail.c.
*/
#ifndef SVC_TEST_FAIL_H
#define SVC_TEST_FAIL_H

#include "support.h"

/* The kinds of failures. */
enum t_fail {
  T_FAIL_NONE,
  T_FAIL_MEMORY, /* an allocation of an arena */
  T_FAIL_MALLOC, /* malloc and the related functions, for any caller */
  T_FAIL_RANDOM, /* the random source */
  T_FAIL_CRYPTO, /* hashes and ciphers, as hardware that computes them may fail */
  T_FAIL_IO,     /* the store cannot be read or written */
  T_FAIL_FULL,   /* the disk is full: writes fail */
  T_FAIL_AGAIN,  /* the store grows, or another writer came first: the work is retried and gives the normal result */
  T_FAIL_GONE,   /* a record is missing although another one names it, or a range is empty */
  T_FAIL_CUT,    /* only half of a record is there */
  T_FAILS
};

void t_fail_begin(void); /* called once per program, before any test */
bool t_fail_off_for(const char *suite, const char *test); /* whether the test is in the list of tests that cannot be repeated */
void *t_fail_off(const MunitParameter params[], void *data); /* a test's setup: no failures are injected into that test */

bool t_fails(enum t_fail what); /* whether this very call must fail; called by the wrapped functions, and by the wrappers of allocations
                                   in support.c */
void t_fail_request(svc *s, const svc_request *request); /* runs a request with failures, before the real one is made */

#endif
