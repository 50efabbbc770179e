/*
** A policy that has been read: the tree that policy_language.c makes, and policy_verdict.c walks.
*/
#ifndef SVC_POLICY_TREE_H
#define SVC_POLICY_TREE_H

#include "catalog/policy/policy_language.h"

enum policy_kind { POLICY_BOOL, POLICY_LONG, POLICY_STRING, POLICY_IP, POLICY_ENTITY, POLICY_SET, POLICY_RESOURCE };

typedef struct policy_type {
  unsigned char kind, item; /* item: of a set */
  const char *entity;       /* its type, or that of a set's elements; NULL: a set that is empty */
} policy_type;

/* An attribute of the context. */
struct policy_attribute {
  const char *of, *name;
  policy_type type;
  int actions; /* that have it */
  size_t most; /* elements, of a set */
};

enum policy_op {
  POLICY_CONSTANT, /* a truth value, a number, a text, an address, an entity */
  POLICY_LIST,     /* a set that is written out */
  POLICY_ATTRIBUTE,
  POLICY_HAS,
  POLICY_THIS, /* resource */
  POLICY_NOT,
  POLICY_AND,
  POLICY_OR,
  POLICY_EQUAL,
  POLICY_LESS,
  POLICY_LESS_EQUAL,
  POLICY_IN,
  POLICY_CONTAINS,
  POLICY_CONTAINS_ALL,
  POLICY_CONTAINS_ANY,
  POLICY_IN_RANGE,
  POLICY_EMPTY
};

typedef struct policy_node {
  unsigned char op;
  policy_type type;
  struct policy_node *left, *right, *next; /* left of a list: its first element; next: in a list */
  svc_str text;    /* of a string, an address, an entity's id */
  int64_t number;
  const struct policy_attribute *attribute;
} policy_node;

struct svc_policy {
  bool forbids;
  int actions;
  const policy_node *resource; /* the entity it must be, or be in; NULL: any */
  struct {
    const policy_node *expr;
    bool unless;
  } conditions[8];
  size_t condition_count;
  size_t steps; /* that it takes to ask it, at the most */
};

#endif /* SVC_POLICY_TREE_H */
