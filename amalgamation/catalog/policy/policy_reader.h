/*
** A policy as it is read: the words of its text one by one (policy_lexer.c), and what they may name (policy_names.c). Used by
** policy_language.c, which knows the grammar.
*/
#ifndef SVC_POLICY_READER_H
#define SVC_POLICY_READER_H

#include "catalog/policy/policy_tree.h"

#define POLICY_ALL 31 /* actions */
#define POLICY_COUNT(table) (sizeof(table) / sizeof(table)[0])

enum policy_token { POLICY_END, POLICY_WORD, POLICY_TEXT, POLICY_NUMBER, POLICY_SIGN };

typedef struct policy_reader {
  svc_arena *a;
  svc_str text;
  size_t at, from; /* behind the token, and where it begins */
  int token;
  svc_str word; /* a name, a sign; of a string what stands between its quotes */
  int64_t number;
  int depth, actions;
  size_t steps; /* that it takes to ask what is read so far, at the most */
  svc_str why; /* n 0: all is well */
} policy_reader;

/* policy_lexer.c. What goes wrong first is kept in `why`, with its place; NULL. */
SVC_PRIVATE void *svc_policy_wrong(policy_reader *r, const char *what);
SVC_PRIVATE void svc_policy_next(policy_reader *r);
SVC_PRIVATE bool svc_policy_is(const policy_reader *r, const char *word);
SVC_PRIVATE bool svc_policy_take(policy_reader *r, const char *word); /* pass over this one, if it stands here */
SVC_PRIVATE bool svc_policy_want(policy_reader *r, const char *word);
SVC_PRIVATE policy_node *svc_policy_new(policy_reader *r, int op, policy_type type);

/* policy_names.c */
SVC_PRIVATE policy_node *svc_policy_entity(policy_reader *r);
SVC_PRIVATE int svc_policy_action(policy_reader *r); /* its bit; 0: there is none */
SVC_PRIVATE const struct policy_attribute *svc_policy_attribute_named(policy_reader *r, svc_str of);

#endif /* SVC_POLICY_READER_H */
