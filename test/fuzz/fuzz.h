/*
** What the targets share: a service whose clock and random source are made, requests of it, and what every answer must be.
**
** A target is one function, svc_fuzz_X in X_fuzz.c. `./build.sh fuzz` makes a program of each with libFuzzer; the suite
** corpus_test.c gives each of them, in every run of the tests, the files of corpus/X. So whatever a target finds wrong ends the
** process by fuzz_die(). What an input comes to hangs on that input alone, so that a finding can be had again; but for `request` and `dialect`,
** whose services go on from input to input.
*/
#ifndef SVC_FUZZ_H
#define SVC_FUZZ_H

#include "catalog/catalog.h"

/* All of them: a new one is a file and a name here. */
#define FUZZ_TARGETS(T) \
  T(config) T(dialect) T(driver) T(headers) T(http) T(import) T(json) T(policy) T(record) T(request) T(snapshot) T(text) T(world)
#define FUZZ_DECLARE(name) int svc_fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)

void fuzz_die(const char *what); /* does not return */

typedef struct fuzz_service {
  svc *s;
  int64_t now;   /* the clock stands there, */
  int64_t step;  /* or goes on by so much whenever it is asked */
  uint64_t random;
  char org[25], group[25];
} fuzz_service;

/* Empty; of the configuration clock and random source are set here, and there is no limiter. */
void fuzz_begin(fuzz_service *f, const svc_config *config); /* NULL: the default */
/* The same, with an organization, a project and a cluster "c". */
void fuzz_open(fuzz_service *f, const svc_config *config);
extern const svc_caller fuzz_owner; /* of everything */
/* A request of the owner, which must succeed; id (24 digits and a NUL) is that of what it has made, or NULL. */
void fuzz_make(fuzz_service *f, const char *target, const char *body, char *id);
/* An answer is well-formed: its status is one that a service may have, its body is JSON where it says so, an error an error document. */
void fuzz_check(const svc_response *r);

/* A request made of bytes: method and target in the first line, a header in each line up to an empty one, the rest is the body. Names in
** braces ({groupId}) are replaced by what the fixture has of that name. `look` is given the answer. */
void fuzz_ask(fuzz_service *f, const uint8_t *data, size_t size, void (*look)(const svc_response *r));
void fuzz_write(const char *folder, const char *name, svc_str text); /* a file: a seed */

/* The next line, ended by a NUL in place; NULL: there is none. */
char *fuzz_line(char **at, const char *end);

#endif
