/*
** Everything fails once, everywhere: with SVC_TEST_FAIL every test is also a test of failures. See fail.c.
*/
#ifndef SVC_TEST_FAIL_H
#define SVC_TEST_FAIL_H

#include "support.h"

/* What fails. */
enum t_fail {
  T_FAIL_NONE,
  T_FAIL_MEMORY, /* single allocations of an arena */
  T_FAIL_MALLOC, /* malloc and its like, whoever calls it */
  T_FAIL_RANDOM, /* the random source */
  T_FAIL_CRYPTO, /* hashes and ciphers, as a chip may fail that does them */
  T_FAIL_IO,     /* the store: it cannot be read or written */
  T_FAIL_FULL,   /* the disk: what writes has no room */
  T_FAIL_AGAIN,  /* the store grows, or another writer came first: the work is done again, and comes out as ever */
  T_FAIL_GONE,   /* a record is not there, though another one names it; a range is empty */
  T_FAIL_CUT,    /* of a record only the half is there */
  T_FAILS
};

void t_fail_begin(void); /* of the program: before any test */
bool t_fail_off_for(const char *suite, const char *test); /* it is in the list of those that cannot be repeated */
void *t_fail_off(const MunitParameter params[], void *data); /* a test's setup: nothing fails in it */

bool t_fails(enum t_fail what); /* is this very call to fail? Of what is let fail, and of the allocations' wrappers in support.c */
void t_fail_request(svc *s, const svc_request *request); /* before it is made */

#endif
