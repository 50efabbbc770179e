/*
** The parts of the world loader. A world is a JSON document that describes what exists, loaded by ordinary requests.
**
**      world.c         svc_world_apply(): read, undo on an error, remember, report
**      world_text.c    places in the document: lines and columns for errors
**      world_names.c   resources that were created or found, and references to them
**      world_route.c   the route that a member of the document stands for
**      world_ask.c     one request of the loader
**      world_make.c    resources: found by their identity, or created
**      world_steps.c   "then": steps in their order
**      world_write.c   svc_world_write(): such a document from a store
**
** No file names a resource: members of the document are matched with the paths of the routes.
*/
#ifndef SVC_WORLD_PARTS_H
#define SVC_WORLD_PARTS_H

#include "control/control.h"

#ifndef SVC_OMIT_TEST_CONTROL

#define SVC_WORLD_BYTES ((size_t)4 << 20) /* of a document; documented in svcapi.h */
#define SVC_WORLD_REQUESTS 50000          /* the same */
#define SVC_WORLD_STEPS 50000             /* the same */
#define SVC_WORLD_DEPTH 64

/* A place in the document: a member, or an element. */
typedef struct svc_world_at {
  const struct svc_world_at *up; /* NULL: the document itself */
  svc_str name;                  /* of a member */
  size_t index;                  /* of an element: name.p is NULL */
} svc_world_at;

/* An existing resource that references can name. */
typedef struct svc_world_thing {
  struct svc_world_thing *next;
  const struct svc_world_thing *above; /* the resource that contains it; NULL: none */
  svc_str as;         /* its name by "as"; n 0: none */
  svc_str collection; /* the member that it stood in: "clusters" */
  svc_str name;       /* its own name: "main"; n 0: none */
  svc_str path;       /* below the base path, in our own words; n 0: no path */
  svc_node *shown;    /* the answer that showed it */
} svc_world_thing;

typedef struct svc_world {
  svc *s;
  svc_arena *arena;
  svc_str text;
  svc_world_thing *things, *last_thing;
  int64_t made, kept, changed, requests, steps;
  int64_t turn;      /* of a repeated step, from 1; 0: not repeated */
  bool only_find;    /* the document was applied before: resources are only looked up */
  bool only_read;    /* a world is being written: the store does not change, and due steps are not applied */
  bool in_steps;     /* resources without a name are created, whatever exists */
  svc_node *secrets; /* answers with a secret, and generated passwords, by the name of the resource */
  struct {           /* the reason of a refusal */
    int rc;          /* SVC_OK: not refused */
    int status;
    size_t line, column;
    svc_str path, code, detail;
  } error;
} svc_world;

/* The answer to one request. */
typedef struct svc_world_answer {
  int status;
  svc_node *body; /* NULL: none */
  svc_str key;    /* the key of what was created, percent-encoded; n 0: unknown */
  svc_str code, detail; /* of an error */
  bool secret;    /* shows a secret */
} svc_world_answer;

/* world_text.c. Refuse: set the error, with the place, and return false. */
SVC_PRIVATE bool svc_world_refuse(svc_world *w, const svc_world_at *at, const char *code, svc_str detail);
SVC_PRIVATE bool svc_world_refused(svc_world *w, const svc_world_at *at, const char *format, ...) SVC_PRINTF(3, 4);
SVC_PRIVATE bool svc_world_answered(svc_world *w, const svc_world_at *at, const svc_world_answer *a); /* false: an error */
SVC_PRIVATE bool svc_world_failed(svc_world *w, int rc); /* of the store, or out of memory */
SVC_PRIVATE bool svc_world_malformed(svc_world *w, const svc_json_fault *fault);
SVC_PRIVATE svc_world_at svc_world_member(const svc_world_at *up, const svc_node *member);
/* The members of an object in the order of the document: the parser sorts them by name. NULL: out of memory. */
SVC_PRIVATE const svc_node **svc_world_order(svc_world *w, const svc_node *object, size_t *count);
SVC_PRIVATE svc_world_at svc_world_element(const svc_world_at *up, size_t index);

/* world_names.c */
SVC_PRIVATE svc_world_thing *svc_world_add(svc_world *w, const svc_world_thing *thing);
SVC_PRIVATE svc_str svc_world_called(const svc_world_thing *t); /* its name in references; n 0: none */
/* "$shop.clusters.main:pin" as a path below the base path; a text that begins with a slash is a path already. *thing: the resource, NULL:
** none. */
SVC_PRIVATE bool svc_world_target(svc_world *w, const svc_world_at *at, svc_str text, svc_str *path, const svc_world_thing **thing);
/* A copy of a body with all references resolved; NULL: refused. *random: generated passwords, by their members. */
SVC_PRIVATE svc_node *svc_world_body(svc_world *w, const svc_world_at *at, const svc_node *body, svc_node **random);
SVC_PRIVATE svc_str svc_world_turned(svc_world *w, svc_str text); /* replaces {n} by the number of the turn */

/* world_route.c */
SVC_PRIVATE const svc_plan *svc_world_plan(const svc *s, int method, svc_str path); /* the route of this path; NULL: none */
/* whether a route has this path, or begins with it; named: only if the route has the last segment literally */
SVC_PRIVATE bool svc_world_leads(const svc *s, svc_str path, bool named);
/* the POST without parameters that creates the items of a list */
SVC_PRIVATE const svc_plan *svc_world_root_maker(const svc *s, const svc_plan *list);
/* the route that writes one item of a list at a path of its own (POST, PUT or PATCH); NULL: none */
SVC_PRIVATE const svc_plan *svc_world_item_writer(const svc *s, const svc_plan *list, int method);
SVC_PRIVATE const svc_object *svc_world_object(const svc_plan *plan); /* the object of its body; NULL: no body */
SVC_PRIVATE svc_str svc_world_below(svc_world *w, svc_str path, svc_str name); /* "path/name", and "path:act" */
/* the key that these fields of a body make, percent-encoded: "admin/joe"; n 0: a field is missing */
SVC_PRIVATE svc_str svc_world_key(svc_arena *a, const char *fields, const svc_node *body);
/* the path of the resource that a request to `path` created; n 0: none */
SVC_PRIVATE svc_str svc_world_item_path(svc_world *w, const svc_plan *plan, svc_str path, svc_str key, const svc_node *shown);

/* world_ask.c */
/* false: no answer at all, or the store could not answer a GET */
SVC_PRIVATE bool svc_world_ask(svc_world *w, int method, svc_str path, const svc_node *body, svc_world_answer *out);

/* world_make.c */
/* whether all values of `given` that are shown are equal; false if `given` has values and none of them is shown */
SVC_PRIVATE bool svc_world_contains(const svc_node *shown, const svc_node *given);
typedef struct svc_world_place {
  svc_str path; /* "": the top */
  const svc_world_thing *thing; /* NULL: none */
} svc_world_place;
/* The report contains secrets that are shown once, and generated passwords. */
SVC_PRIVATE void svc_world_secret(svc_world *w, const svc_world_thing *t, const svc_world_answer *a, const svc_node *random);
SVC_PRIVATE bool svc_world_child(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *member);
/* All members of an object except these; each must be a path below the place. */
SVC_PRIVATE bool svc_world_children(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *object,
                                    const char *const *but);

/* world_steps.c */
SVC_PRIVATE bool svc_world_clock(svc_world *w, const svc_world_at *at, int64_t to);
SVC_PRIVATE bool svc_world_steps(svc_world *w, const svc_world_at *at, const svc_node *steps);

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_WORLD_PARTS_H */
