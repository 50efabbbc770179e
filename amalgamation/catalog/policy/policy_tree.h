/*
** A parsed policy: the tree that policy_language.c builds and policy_verdict.c walks.
*/
#ifndef SVC_POLICY_TREE_H
#define SVC_POLICY_TREE_H

#include "catalog/policy/policy_language.h"

enum policy_kind { POLICY_BOOL, POLICY_LONG, POLICY_STRING, POLICY_IP, POLICY_ENTITY, POLICY_SET, POLICY_RESOURCE };

typedef struct policy_type {
  unsigned char kind, item; /* item: type of a set's elements */
  const char *entity;       /* type of the entity, or of a set's elements; NULL: no entities, or the empty set */
} policy_type;

/* An attribute of the context. */
struct policy_attribute {
  const char *of, *name;
  policy_type type;
  int actions; /* the actions that have it */
  size_t most; /* maximum elements of a set */
};

enum policy_op {
  POLICY_CONSTANT, /* a boolean, number, string, address or entity */
  POLICY_LIST,     /* a set literal */
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
  struct policy_node *left, *right, *next; /* left: first element of a list; next: next element in a list */
  svc_str text;    /* of a string, an address, or an entity's id */
  int64_t number;
  const struct policy_attribute *attribute;
} policy_node;

struct svc_policy {
  bool forbids;
  int actions;
  const policy_node *resource; /* the entity that it must be, or be in; NULL: any */
  struct {
    const policy_node *expr;
    bool unless;
  } conditions[8];
  size_t condition_count;
  size_t steps; /* maximum steps */
};

#endif /* SVC_POLICY_TREE_H */
