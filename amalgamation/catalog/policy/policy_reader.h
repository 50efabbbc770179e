/*
** The state of a parser: the tokens of the text one by one (policy_lexer.c), and the names in it (policy_names.c).
** policy_language.c has the grammar.
*/
#ifndef SVC_POLICY_READER_H
#define SVC_POLICY_READER_H

#include "catalog/policy/policy_tree.h"

#define POLICY_ALL 31 /* all actions */
#define POLICY_COUNT(table) (sizeof(table) / sizeof(table)[0])

enum policy_token { POLICY_END, POLICY_WORD, POLICY_TEXT, POLICY_NUMBER, POLICY_SIGN };

typedef struct policy_reader {
  svc_arena *a;
  svc_str text;
  size_t at, from; /* end and start of the token */
  int token;
  svc_str word; /* a name or a sign; of a string, the text between its quotes */
  int64_t number;
  int depth, actions;
  size_t steps; /* maximum steps of the part parsed so far */
  svc_str why; /* the first error; n 0: none */
} policy_reader;

/* policy_lexer.c. svc_policy_wrong() keeps the first error with its position in `why`, and returns NULL. */
SVC_PRIVATE void *svc_policy_wrong(policy_reader *r, const char *what);
SVC_PRIVATE void svc_policy_next(policy_reader *r);
SVC_PRIVATE bool svc_policy_is(const policy_reader *r, const char *word);
SVC_PRIVATE bool svc_policy_take(policy_reader *r, const char *word); /* skips the token if it is this word */
SVC_PRIVATE bool svc_policy_want(policy_reader *r, const char *word);
SVC_PRIVATE policy_node *svc_policy_new(policy_reader *r, int op, policy_type type);

/* policy_names.c */
SVC_PRIVATE policy_node *svc_policy_entity(policy_reader *r);
SVC_PRIVATE int svc_policy_action(policy_reader *r); /* its bit; 0: unknown action */
SVC_PRIVATE const struct policy_attribute *svc_policy_attribute_named(policy_reader *r, svc_str of);

#endif /* SVC_POLICY_READER_H */
