/*
** Shared by the targets: a service with an artificial clock and random source, requests to it, and checks of its answers.
**
** A target is one function, svc_fuzz_X in X_fuzz.c. `./build.sh fuzz` builds a libFuzzer program of each. The suite corpus_test.c
** runs each with the files of corpus/X in every run of the tests. So a target that finds an error aborts the process with
** fuzz_die(). The result of an input depends on that input alone, so a finding can be reproduced. The exceptions are `request`
** and `dialect`, whose services continue from input to input.
*/
#ifndef SVC_FUZZ_H
#define SVC_FUZZ_H

#include "catalog/catalog.h"

/* All targets: a new one needs a file and a name here. */
#define FUZZ_TARGETS(T) \
  T(config) T(dialect) T(driver) T(headers) T(http) T(import) T(json) T(policy) T(record) T(request) T(snapshot) T(text) T(world)
#define FUZZ_DECLARE(name) int svc_fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)

void fuzz_die(const char *what); /* does not return */

typedef struct fuzz_service {
  svc *s;
  int64_t now;   /* the clock is stopped at this time, */
  int64_t step;  /* or advances by this much with every call */
  uint64_t random;
  char org[25], group[25];
} fuzz_service;

/* Opens an empty service. Sets clock and random source in the configuration, and turns the limiter off. */
void fuzz_begin(fuzz_service *f, const svc_config *config); /* config NULL: the default */
/* Opens a service with an organization, a project and a cluster "c". */
void fuzz_open(fuzz_service *f, const svc_config *config);
extern const svc_caller fuzz_owner; /* owner of everything */
/* Sends a request of the owner, which must succeed; id (24 digits and a NUL) receives the id of the created resource; may be NULL. */
void fuzz_make(fuzz_service *f, const char *target, const char *body, char *id);
/* Checks that an answer is well-formed: a valid status, valid JSON if its type is JSON, and an error document for an error. */
void fuzz_check(const svc_response *r);

/* Sends a request made from bytes: method and target in the first line, one header per line up to an empty line, the rest is
   the body. Names in braces ({groupId}) are replaced by the fixture's values. `look` receives the answer. */
void fuzz_ask(fuzz_service *f, const uint8_t *data, size_t size, void (*look)(const svc_response *r));
void fuzz_write(const char *folder, const char *name, svc_str text); /* writes a file: a seed */

/* Returns the next line, terminated in place by a NUL; NULL: there are no more. */
char *fuzz_line(char **at, const char *end);

#endif
