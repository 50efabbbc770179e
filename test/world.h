/*
** A world made from the tables alone, for the tests that hold for every route.
**
** The world has an organization with two people and a project. Any other resource that the path or body of a route names is
** created on demand, by the POST of its noun with that row's example. So these tests cover a new noun from its first day, and the
** noun's own tests cover only its special behavior.
**
** Tables must meet two conditions for that: a POST that creates has an example, and so has a PUT or PATCH whose path has no GET.
** Needs that no table expresses are in the noun's test: see needs.h.
*/
#ifndef SVC_TEST_WORLD_H
#define SVC_TEST_WORLD_H

#include "needs.h"
#include "support.h"

typedef struct t_world {
  t_service t;
  t_memory memory;              /* its allocator: t_world_close() fails on a leak */
  const char *org, *group;      /* ids: the values of {orgId} and {groupId} */
  const char *other_org, *user; /* the values of SVC_EXAMPLE_ORG and SVC_EXAMPLE_USER */
  struct {
    char at[256], key[160]; /* collection and key of each created resource */
  } made[96];
  size_t made_count;
  size_t making[8], making_count; /* routes whose examples are being sent, by number */
  char why[640];                  /* why a resource cannot be created */
  char path[512], body[16384];    /* of the request that t_world_ready() prepared */
  const char *instead_of, *instead; /* a POST, and the body that replaces its example in this request; NULL: none */
  const svc_older *older;       /* the version of the requests, set by t_world_older(); NULL: the newest */
  bool has_body;
  bool group_gone;              /* the project had to be deleted first */
} t_world;

void t_world_open(t_world *w);
void t_world_open_with(t_world *w, const svc_driver *driver); /* driver NULL: simulated */
void t_world_open_as(t_world *w, svc_config config); /* without a limiter; provision_ms 0: a minute */
void t_world_open_in(t_world *w, const char *folder); /* with a store on disk */
void t_world_close(t_world *w);
const svc_plan *t_world_plan(const t_world *w, int method, const char *path); /* returns NULL if no route has the path */
const char *t_method(const svc_plan *plan);
int t_success(const svc_plan *plan); /* the status of a success */

/* Prepares a request of this route that succeeds: creates everything it needs, and sets w->path and w->body. False: see w->why. */
bool t_world_ready(t_world *w, const svc_plan *plan);
/* Turns the prepared request, and all later ones, into requests of this older version. False: see w->why. */
bool t_world_older(t_world *w, const svc_plan *plan, const svc_older *older);
int t_world_success(const t_world *w, const svc_plan *plan); /* the status of a success in the version of the world */
bool t_world_path(t_world *w, const svc_plan *plan, char *out, size_t size);    /* with its required parameters */
void t_world_query(const t_world *w, const svc_plan *plan, char *out, size_t size); /* appends the required query parameters to a path */
bool t_world_example(t_world *w, const svc_plan *plan, char *out, size_t size); /* its example, with ids that exist */
bool t_world_always(const t_world *w, const svc_plan *plan); /* its resource always exists: nothing creates it */
bool t_world_cancels(const svc_plan *plan); /* a DELETE that leaves the resource in place */
bool t_world_sent(const svc_plan *plan); /* a PATCH whose example has created its resource: sending it again changes nothing */
bool t_world_elsewhere(const svc_plan *plan); /* about data that only a driver knows */
const svc_plan *t_world_shows(const t_world *w, const svc_plan *plan); /* the GET that shows what the route changes, or NULL */

const char *t_world_shown_there(t_world *w, const svc_noun_info *noun); /* the id of a resource that only the path of another one shows,
                                                                           or NULL */
void t_world_rest(t_world *w); /* waits until created resources are ready, so that they can be used or deleted */
bool t_world_shown_at(t_world *w, const svc_plan *plan, const svc_plan *get, char *out, size_t size); /* the path of the GET */

/* Writes the same path with an invented value for its resource. False: the path names no resource of its noun. */
bool t_world_missing(t_world *w, const svc_plan *plan, char *out, size_t size);

/* Send the prepared request, or another one on this route, and check the answer with t_world_check(). Return the status. */
int t_world_send(t_world *w, const svc_plan *plan);
int t_world_request(t_world *w, const svc_plan *plan, const char *path, const char *body);
void t_world_check(t_world *w, const svc_plan *plan); /* checks the last answer against the tables */
void t_world_follow(t_world *w, const svc_plan *plan); /* checks that the first eight self links in the answer work */

svc_str t_self(const svc_node *body); /* the resource's link to itself; empty: it has none */

/* Gives the caller this role in the organization or project, and in the other organization, and no other role. */
void t_world_role(t_world *w, int role);
void t_world_stranger(t_world *w); /* makes the caller an owner of the other organization */
void t_world_owner(t_world *w);    /* makes the caller the owner of everything, the default */

uint64_t t_world_print(t_world *w); /* a hash of everything stored */
/* Checks that a request that failed for lack of memory, with this Idempotency-Key or NULL, has changed nothing, or everything: then sending
** it again changes nothing more. `before` is the hash before the request. Returns true if nothing has changed. */
bool t_world_whole(t_world *w, const svc_plan *plan, uint64_t before, const char *retry_key);

/* The prepared request, as svc_handle_request() takes it; valid until the next call. */
const svc_request *t_world_raw(t_world *w, const svc_plan *plan, const char *retry_key);

/* Returns an invented valid value for a path parameter of this name; no such resource exists. NULL: unknown name. */
const char *t_sample(svc_str param);

/* A test over all routes reports all problems before it fails. */
void t_complain(const svc_plan *plan, const char *format, ...) SVC_PRINTF(2, 3);
void t_complaints_end(void); /* fails if there were any */

#endif
