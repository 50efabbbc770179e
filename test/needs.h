/*
** What a noun's routes need before a request can succeed, where no table of the catalog says so.
**
** The rows stand beside the noun's test: NOUN_test.c has T_NEEDS(NOUN), with a row for each need and the reason as a comment. build.sh
** gathers them in build/test/needs_list.h, so a new noun edits nothing but its own test. world.c and the tests over all routes read them.
**
** A row is about a route (method and path as its table has them), a parameter of a path, or a noun (its name). The rows of one route
** stand in one table, because their order counts.
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
  const char *path; /* of the route that the row is about; NULL: every route with the parameter */
  int first_method; /* of the other route */
  const char *first; /* path of the other route */
  const char *noun, *param, *field;
  const char *body, *change, *value, *parent;
  int which;
  bool (*run)(struct t_world *w, const svc_plan *plan);
} t_need;

#define T_NEEDS(suite) const t_need svc_needs_##suite[]
#define T_NEEDS_END { .kind = T_NEED_END }

/* ---- before a request */

/* The other request comes first. Body NULL: its example. */
#define T_FIRST(m, p, fm, f, b) { .kind = T_NEED_FIRST, .method = m, .path = p, .first_method = fm, .first = f, .body = b }
/* The function comes first; false: the request cannot be made ready. */
#define T_BEFORE(m, p, function) { .kind = T_NEED_BEFORE, .method = m, .path = p, .run = function }
/* An hour passes first: what the request is about takes time to get where it can be asked for. */
#define T_LATER(m, p) { .kind = T_NEED_LATER, .method = m, .path = p }
/* The POST at `maker` makes what the path names by this body in place of its example. */
#define T_INSTEAD(m, p, maker, b) { .kind = T_NEED_INSTEAD, .method = m, .path = p, .first = maker, .body = b }
/* What the POST of this path makes is of no use until it is changed so. */
#define T_CHANGED(p, c) { .kind = T_NEED_CHANGED, .method = SVC_POST, .path = p, .change = c }
/* An example with this text needs what the function does, once. The function returns whether it did that. */
#define T_EXAMPLE(text, function) { .kind = T_NEED_EXAMPLE, .value = text, .run = function }

/* ---- what a route is */

#define T_ELSEWHERE(p) { .kind = T_NEED_ELSEWHERE, .path = p } /* it is about what only a driver knows of: the simulation has none */
#define T_CANCELS(p) { .kind = T_NEED_CANCELS, .method = SVC_DELETE, .path = p } /* the DELETE ends what is under way, which can still be seen */
#define T_PATCH_MAKES(p) { .kind = T_NEED_PATCH_MAKES, .path = p } /* the PATCH makes what the path names: it is not always there */
#define T_PATCH_ANY(p) { .kind = T_NEED_PATCH_ANY, .method = SVC_PATCH, .path = p } /* the PATCH takes any key: none is missing */
#define T_COMES_ALONG(n) { .kind = T_NEED_COMES_ALONG, .noun = n } /* no POST makes one of this noun, and it can be deleted all the same */

/* ---- parameters */

#define T_KEY(p, name, v) { .kind = T_NEED_KEY, .path = p, .param = name, .value = v } /* the parameter's value where a request is to succeed */
/* The parameter names one of a noun otherwise than the noun does: by this field of what a GET shows of one. */
#define T_NAMED(p, name, n, f) { .kind = T_NEED_NAMED, .path = p, .param = name, .noun = n, .field = f }
/* The parameter names a process or host of a cluster: the first of its connection string, up to one of these characters. */
#define T_HOST(name, ends) \
  { .kind = T_NEED_NAMED, .param = name, .noun = "cluster", .field = "connectionStrings.standard", .value = ends }
#define T_SAME(name, other) { .kind = T_NEED_SAME, .param = name, .value = other } /* a parameter, or field of an example, names what the other parameter does */
/* Something made up that has the parameter's form. Names that end in Id or Name need no row. */
#define T_SAMPLE(name, v) { .kind = T_NEED_SAMPLE, .param = name, .value = v }
#define T_QUERY(name, v) { .kind = T_NEED_QUERY, .param = name, .value = v } /* of several parameters of a query one has to be given: this one */
/* The suite `unused` cannot see that code reads the parameter of a query. The path is a part of one. */
#define T_UNSEEN(p, name) { .kind = T_NEED_UNSEEN, .path = p, .param = name }

/* ---- random walks and references */

#define T_BODY(m, p, b) { .kind = T_NEED_BODY, .method = m, .path = p, .body = b } /* a walk sends this body as well as the example */
/* How one of a noun is made that others name: POST and body (NULL: its example), a change that makes it useful (NULL: none), the field
** that is its name, and where it is deleted. %G: the project, %V: the name. */
#define T_TARGET(n, post, b, c, f, at) { .kind = T_NEED_TARGET, .noun = n, .path = post, .body = b, .change = c, .field = f, .value = at }
/* A request by which the field of a noun names a target: %V. %C: a cluster that is there. Body NULL: its example does. `which` of several
** targets, from 1; 0: the first. `above`: the body that makes what its path is below; NULL: the example of that. */
#define T_REFERENCE(n, f, m, p, b, w, above) \
  { .kind = T_NEED_REFERENCE, .noun = n, .field = f, .method = m, .path = p, .body = b, .which = w, .parent = above }

/* `which`, of roles at cloud providers. */
enum { T_ROLE_AWS = 1, T_ROLE_AZURE, T_ROLE_GCP };

/* The smallest cluster that costs. */
#define T_CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

/* ---- reading them */

typedef struct t_needs {
  size_t table, row; /* {0}: before the first */
} t_needs;

const t_need *t_needs_next(t_needs *at, enum t_need_kind kind); /* NULL: there is no more of this kind */
const t_need *t_needs_of(t_needs *at, enum t_need_kind kind, const svc_plan *plan); /* the same, of those about this route */
bool t_needs_say(enum t_need_kind kind, const svc_plan *plan); /* is there a row about this route? */
const t_need *t_needs_param(enum t_need_kind kind, const svc_plan *plan, svc_str param); /* the row about the parameter; NULL: none */

#endif
