/*
** What a noun's routes need before a request can succeed, as far as no table of the catalog has it.
**
** The rows are in the noun's test: NOUN_test.c has T_NEEDS(NOUN), with a row for each need and the reason as a comment. build.sh
** collects them in build/test/needs_list.h, so a new noun changes no file but its own test. world.c and the tests over all routes
** read them.
**
** A row is about a route (method and path as in its table), a path parameter, or a noun (its name). All rows of one route are in
** one table, because their order counts.
*/
#ifndef SVC_TEST_NEEDS_H
#define SVC_TEST_NEEDS_H

#include "support.h"

struct t_world;

enum t_need_kind {
  T_NEED_END,
  T_NEED_FIRST,
  T_NEED_BEFORE,
  T_NEED_LATER,
  T_NEED_INSTEAD,
  T_NEED_CHANGED,
  T_NEED_ELSEWHERE,
  T_NEED_CANCELS,
  T_NEED_PATCH_MAKES,
  T_NEED_PATCH_ANY,
  T_NEED_COMES_ALONG,
  T_NEED_EXAMPLE,
  T_NEED_KEY,
  T_NEED_NAMED,
  T_NEED_SAME,
  T_NEED_SAMPLE,
  T_NEED_QUERY,
  T_NEED_UNSEEN,
  T_NEED_BODY,
  T_NEED_TARGET,
  T_NEED_REFERENCE
};

typedef struct t_need {
  enum t_need_kind kind;
  int method;
  const char *path; /* of the row's route; NULL: every route with the parameter */
  int first_method; /* method of the other route */
  const char *first; /* path of the other route */
  const char *noun, *param, *field;
  const char *body, *change, *value, *parent;
  int which;
  bool (*run)(struct t_world *w, const svc_plan *plan);
} t_need;

#define T_NEEDS(suite) const t_need svc_needs_##suite[]
#define T_NEEDS_END { .kind = T_NEED_END }

/* ---- before a request */

/* Send the other request first. Body NULL: its example. */
#define T_FIRST(m, p, fm, f, b) { .kind = T_NEED_FIRST, .method = m, .path = p, .first_method = fm, .first = f, .body = b }
/* Call the function first. False: the request cannot be prepared. */
#define T_BEFORE(m, p, function) { .kind = T_NEED_BEFORE, .method = m, .path = p, .run = function }
/* Advance the clock by an hour first, because the resource takes time to reach the state that the request needs. */
#define T_LATER(m, p) { .kind = T_NEED_LATER, .method = m, .path = p }
/* The POST at `maker` creates the path's resource with this body instead of its example. */
#define T_INSTEAD(m, p, maker, b) { .kind = T_NEED_INSTEAD, .method = m, .path = p, .first = maker, .body = b }
/* A resource that the POST of this path creates must be changed in this way before it is usable. */
#define T_CHANGED(p, c) { .kind = T_NEED_CHANGED, .method = SVC_POST, .path = p, .change = c }
/* An example that contains this text needs the function's work, once. The function returns whether it did the work. */
#define T_EXAMPLE(text, function) { .kind = T_NEED_EXAMPLE, .value = text, .run = function }

/* ---- what a route is */

#define T_ELSEWHERE(p) { .kind = T_NEED_ELSEWHERE, .path = p } /* about data that only a driver knows; the simulator has none */
#define T_CANCELS(p) { .kind = T_NEED_CANCELS, .method = SVC_DELETE, .path = p } /* the DELETE cancels a running process, which stays
                                                                                    visible */
#define T_PATCH_MAKES(p) { .kind = T_NEED_PATCH_MAKES, .path = p } /* the PATCH creates the resource of the path, which does not always
                                                                      exist */
#define T_PATCH_ANY(p) { .kind = T_NEED_PATCH_ANY, .method = SVC_PATCH, .path = p } /* the PATCH accepts any key: there is no missing one */
#define T_COMES_ALONG(n) { .kind = T_NEED_COMES_ALONG, .noun = n } /* no POST creates this noun, and yet it can be deleted */

/* ---- parameters */

#define T_KEY(p, name, v) { .kind = T_NEED_KEY, .path = p, .param = name, .value = v } /* the parameter's value for a request that
                                                                                          succeeds */
/* The parameter names a resource by another value than the noun's key: by this field of the resource's GET. */
#define T_NAMED(p, name, n, f) { .kind = T_NEED_NAMED, .path = p, .param = name, .noun = n, .field = f }
/* The parameter names a process or host of a cluster: the first one in its connection string, up to one of these characters. */
#define T_HOST(name, ends) \
  { .kind = T_NEED_NAMED, .param = name, .noun = "cluster", .field = "connectionStrings.standard", .value = ends }
#define T_SAME(name, other) { .kind = T_NEED_SAME, .param = name, .value = other } /* a parameter, or a field of an example, that names
                                                                                      the same as the other parameter */
/* An invented value in the parameter's format. Names that end in Id or Name need no row. */
#define T_SAMPLE(name, v) { .kind = T_NEED_SAMPLE, .param = name, .value = v }
#define T_QUERY(name, v) { .kind = T_NEED_QUERY, .param = name, .value = v } /* the query parameter to use if one of several is required */
/* The suite `unused` cannot see that code reads this query parameter. `p` is a part of the route's path. */
#define T_UNSEEN(p, name) { .kind = T_NEED_UNSEEN, .path = p, .param = name }

/* ---- random walks and references */

#define T_BODY(m, p, b) { .kind = T_NEED_BODY, .method = m, .path = p, .body = b } /* a walk sends this body in addition to the example */
/* How to create a resource of a noun that others refer to: POST and body (NULL: its example), a change that makes it usable
   (NULL: none), the field with its name, and the path to delete it at. %G: the project, %V: the name. */
#define T_TARGET(n, post, b, c, f, at) { .kind = T_NEED_TARGET, .noun = n, .path = post, .body = b, .change = c, .field = f, .value = at }
/* A request in which a field of the noun refers to a target: %V. %C: an existing cluster. Body NULL: the example. `which` of
   several targets, from 1; 0: the first. `above`: the body that creates the parent in its path; NULL: the parent's example. */
#define T_REFERENCE(n, f, m, p, b, w, above) \
  { .kind = T_NEED_REFERENCE, .noun = n, .field = f, .method = m, .path = p, .body = b, .which = w, .parent = above }

/* Values of `which` for roles at cloud providers. */
enum { T_ROLE_AWS = 1, T_ROLE_AZURE, T_ROLE_GCP };

/* The smallest cluster that is billed. */
#define T_CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

/* ---- reading rows */

typedef struct t_needs {
  size_t table, row; /* {0}: before the first row */
} t_needs;

const t_need *t_needs_next(t_needs *at, enum t_need_kind kind); /* returns NULL after the last row of this kind */
const t_need *t_needs_of(t_needs *at, enum t_need_kind kind, const svc_plan *plan); /* the next row about this route; NULL: none */
bool t_needs_say(enum t_need_kind kind, const svc_plan *plan); /* whether there is a row about this route */
const t_need *t_needs_param(enum t_need_kind kind, const svc_plan *plan, svc_str param); /* the row about the parameter; NULL: none */

#endif
