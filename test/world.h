/*
** A world made of the tables alone, for the tests that hold for every route.
**
** It has an organization with two people and a project. Whatever else the path of a route or a body names is made when
** it is asked for, by the POST of the noun that it is, with that row's example. So a noun that is added is met by these
** tests from its first day, and its own tests hold only what is its own.
**
** What is asked of a table for that: a POST that creates has an example; so has a PUT or PATCH whose path has no GET. What no table says
** stands beside the noun's test: see needs.h.
*/
#ifndef SVC_TEST_WORLD_H
#define SVC_TEST_WORLD_H

#include "needs.h"
#include "support.h"

typedef struct t_world {
  t_service t;
  t_memory memory;              /* its allocator: t_world_close() fails on a leak */
  const char *org, *group;      /* ids: what {orgId} and {groupId} stand for */
  const char *other_org, *user; /* what SVC_EXAMPLE_ORG and SVC_EXAMPLE_USER stand for */
  struct {
    char at[256], key[160]; /* what was made in which collection */
  } made[96];
  size_t made_count;
  size_t making[8], making_count; /* routes whose examples are under way, by number */
  char why[640];                  /* why something cannot be made */
  char path[512], body[16384];    /* of the request that t_world_ready() has made */
  const char *instead_of, *instead; /* a POST whose example is another one for this request; NULL: none */
  const svc_older *older;       /* the version that requests are of, by t_world_older(); NULL: the newest */
  bool has_body;
  bool group_gone;              /* the project had to be deleted first */
} t_world;

void t_world_open(t_world *w);
void t_world_open_with(t_world *w, const svc_driver *driver); /* NULL: simulated */
void t_world_open_as(t_world *w, svc_config config); /* without a limiter; provision_ms 0: a minute */
void t_world_open_in(t_world *w, const char *folder); /* its store is on the disk */
void t_world_close(t_world *w);
const svc_plan *t_world_plan(const t_world *w, int method, const char *path); /* NULL: there is none */
const char *t_method(const svc_plan *plan);
int t_success(const svc_plan *plan); /* the status of its success */

/* A request of this route that succeeds: all that it needs is made, w->path and w->body are set. False: see w->why. */
bool t_world_ready(t_world *w, const svc_plan *plan);
/* What is ready becomes a request of this older version, and so are all that follow. False: see w->why. */
bool t_world_older(t_world *w, const svc_plan *plan, const svc_older *older);
int t_world_success(const t_world *w, const svc_plan *plan); /* the status of its success in the version of the world */
bool t_world_path(t_world *w, const svc_plan *plan, char *out, size_t size);    /* with the parameters that it requires */
void t_world_query(const t_world *w, const svc_plan *plan, char *out, size_t size); /* puts those behind a path */
bool t_world_example(t_world *w, const svc_plan *plan, char *out, size_t size); /* its example, with ids that are there */
bool t_world_always(const t_world *w, const svc_plan *plan); /* what it is about is always there: nothing makes it */
bool t_world_cancels(const svc_plan *plan); /* a DELETE that leaves it there */
bool t_world_sent(const svc_plan *plan); /* a PATCH whose example has made what it is about: it changes nothing more */
bool t_world_elsewhere(const svc_plan *plan); /* it is about what only a driver knows of */
const svc_plan *t_world_shows(const t_world *w, const svc_plan *plan); /* the GET that shows what it changes; NULL */

const char *t_world_shown_there(t_world *w, const svc_noun_info *noun); /* the id of what is shown by the path of another alone; NULL */
void t_world_rest(t_world *w); /* what was made comes to rest: only then can it be used, or deleted */
bool t_world_shown_at(t_world *w, const svc_plan *plan, const svc_plan *get, char *out, size_t size); /* its path */

/* The same path with something made up in place of what it is about. False: it names nothing of its noun. */
bool t_world_missing(t_world *w, const svc_plan *plan, char *out, size_t size);

/* Send what is ready, or something else along this route, and look at the answer with t_world_check(). The status. */
int t_world_send(t_world *w, const svc_plan *plan);
int t_world_request(t_world *w, const svc_plan *plan, const char *path, const char *body);
void t_world_check(t_world *w, const svc_plan *plan); /* the last answer against the tables */
void t_world_follow(t_world *w, const svc_plan *plan); /* every self link in it leads to something */

svc_str t_self(const svc_node *body); /* its link to itself; empty: it has none */

/* The caller holds this role in the organization or project, and in the other organization, and nothing else. */
void t_world_role(t_world *w, int role);
void t_world_stranger(t_world *w); /* an owner of the other organization */
void t_world_owner(t_world *w);    /* of everything, as at first */

uint64_t t_world_print(t_world *w); /* one number for all that is stored */

/* The request that is ready, as svc_handle_request() takes it; valid until the next. */
const svc_request *t_world_raw(t_world *w, const svc_plan *plan, const char *retry_key);

/* Something that would do for a path parameter of this name, though nothing is there; NULL: no such name is known. */
const char *t_sample(svc_str param);

/* A test over all routes says all that is wrong before it fails. */
void t_complain(const svc_plan *plan, const char *format, ...) SVC_PRINTF(2, 3);
void t_complaints_end(void); /* fails when there were any */

#endif
