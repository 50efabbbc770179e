/*
** Shared by the files of the OpenAPI document: openapi.c writes the document and its operations, openapi_schema.c the schemas.
*/
#ifndef SVC_OPENAPI_PARTS_H
#define SVC_OPENAPI_PARTS_H

#include "pipeline/pipeline.h"

/* Views of an object. A component that would equal another one is left out: see openapi_schema.c. */
enum openapi_as {
  OPENAPI_ANSWER,
  OPENAPI_REQUEST, /* with write-only fields and all required ones */
  OPENAPI_REPLACE, /* the body of a PUT: fields that never change are optional */
  OPENAPI_PATCH    /* the body of a PATCH: no field is required or has a default */
};

/* An object to be described as a component of its own. */
typedef struct openapi_met {
  const svc_object *object;
  int as;                   /* enum openapi_as */
  const svc_choice *choice; /* for a variant of a union: the choice that selects it; NULL: not a variant */
  size_t within;            /* index of that union, which may be a variant itself */
} openapi_met;

typedef struct openapi_writer {
  const svc *s;
  svc_buf b;
  openapi_met *met; /* one entry per name and view (enum openapi_as) */
  size_t count, room;
  svc_buf about; /* the description being written */
} openapi_writer;

/*
** Writes to the document. In `format`, ' stands for ", and % for an argument: %s a text as it is, %q a text as a JSON string, %d an
** int64_t.
*/
SVC_PRIVATE void svc_openapi_put(openapi_writer *w, const char *format, ...);

/*
** Writes `before` and the host's description as a JSON string: see svc_config.describe. Returns false and writes nothing if there is no
** description.
*/
SVC_PRIVATE bool svc_openapi_about(openapi_writer *w, const char *before, int what, const char *of, const char *name);

/* A reference to the schema of an object, which is added to the components. as: enum openapi_as. */
SVC_PRIVATE void svc_openapi_ref(openapi_writer *w, const svc_object *object, int as);
/* The schema of one value, without its closing brace, because members may follow. */
SVC_PRIVATE void svc_openapi_scalar(openapi_writer *w, const svc_field *f, int type);
/* The schema of a field's value. of: the object with the field, for its description; NULL: no description. */
SVC_PRIVATE void svc_openapi_value(openapi_writer *w, const svc_field *f, int as, const svc_object *of);
SVC_PRIVATE void svc_openapi_schemas(openapi_writer *w); /* of all referenced objects, each after a comma */

#endif
