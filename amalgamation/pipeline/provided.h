/*
** What the catalog provides: the pipeline declares these functions and the catalog defines them. They are the only functions above the
** pipeline that it calls (test/check/layers.sh).
*/
#ifndef SVC_PROVIDED_H
#define SVC_PROVIDED_H

#include "pipeline/handle.h"

SVC_PRIVATE const svc_noun *const *svc_catalog(size_t *count); /* written by the fold: every noun file */
/* catalog/monitoring/simulated.c: questions whose answers have shapes of the catalog's. SVC_INVALID: there is no such question. */
SVC_PRIVATE int svc_catalog_simulates(svc *s, const svc_question *q, svc_reply *r);

/* catalog/error_rows.c: the nouns' errors, by code less SVC_E_CATALOG. */
SVC_PRIVATE const svc_error_row *svc_catalog_errors(int *count);

/* catalog/words.c: what a word of an operation's name, or all of it, is read as; NULL: as it is written. */
SVC_PRIVATE const char *svc_word_read(svc_str word);

/* catalog/sets.c, catalog/roles.c, catalog/event_types.c */
SVC_PRIVATE const svc_set_row *svc_set_table(int *count);
SVC_PRIVATE size_t svc_set_id(int set, char *out, size_t size);
SVC_PRIVATE int svc_role_by_name(svc_str name); /* -1: there is none */
SVC_PRIVATE uint64_t svc_role_includes(int role);
SVC_PRIVATE uint64_t svc_role_least(void); /* what every role of projects includes */
SVC_PRIVATE uint64_t svc_role_all(void);   /* all roles of projects */
SVC_PRIVATE const char *svc_role_name(int role); /* NULL: there are not so many */
SVC_PRIVATE int svc_role_level(int role); /* SVC_SCOPE_ORGANIZATION or SVC_SCOPE_GROUP */

/* A row of catalog/event_type_list.h. Zeroed, it stands before the first. */
#define SVC_EVENT_NAME_SIZE 80 /* its name, with a NUL */
typedef struct svc_event_type {
  size_t number; /* from 1 */
  char name[SVC_EVENT_NAME_SIZE];
  const char *rest, *description; /* rest: of its name, behind what others begin with as well */
  size_t prefix_n, rest_n;        /* bytes of both */
  int where; /* enum svc_event_where */
  bool alertable;
} svc_event_type;
enum svc_event_where { SVC_EVENT_GROUP = 1, SVC_EVENT_ORG = 2 }; /* whose log a type can stand in */
SVC_PRIVATE bool svc_event_type_next(svc_event_type *t);

#endif /* SVC_PROVIDED_H */
