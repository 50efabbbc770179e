/*
** What the files of the OpenAPI document share: openapi.c is the document and its operations, openapi_schema.c the schemas.
*/
#ifndef SVC_OPENAPI_PARTS_H
#define SVC_OPENAPI_PARTS_H

#include "pipeline/pipeline.h"

/* What an object is described as. A component that would be the same as another one is left out: see openapi_schema.c. */
enum openapi_as {
  OPENAPI_ANSWER,
  OPENAPI_REQUEST, /* with its write-only fields, and with all that has to be sent */
  OPENAPI_REPLACE, /* as the body of a PUT: fields that never change need not be sent */
  OPENAPI_PATCH    /* as the body of a PATCH: nothing has to be there, nothing has a default */
};

/* An object that is to be described, as a component of its own. */
typedef struct openapi_met {
  const svc_object *object;
  int as;                   /* enum openapi_as */
  const svc_choice *choice; /* it is a variant of a union: what chooses it; NULL: it is none */
  size_t within;            /* and the number of that union, which may be a variant itself */
} openapi_met;

typedef struct openapi_writer {
  const svc *s;
  svc_buf b;
  openapi_met *met; /* each name once */
  size_t count, room;
  svc_buf about; /* the description that is being written */
} openapi_writer;

/*
** All that is written. In `format` ' stands for ", and what follows % for an argument: %s a text as it is, %q one as a JSON
** string, %d an int64_t.
*/
SVC_PRIVATE void svc_openapi_put(openapi_writer *w, const char *format, ...);

/*
** Write `before` and the host's description of something as a JSON string: see svc_config.describe. Returns false if there is no
** description; then nothing is written.
*/
SVC_PRIVATE bool svc_openapi_about(openapi_writer *w, const char *before, int what, const char *of, const char *name);

/* A reference to the schema of an object, which is met by it. as: enum openapi_as. */
SVC_PRIVATE void svc_openapi_ref(openapi_writer *w, const svc_object *object, int as);
/* The schema of one value, without its closing brace, as more members may follow. */
SVC_PRIVATE void svc_openapi_scalar(openapi_writer *w, const svc_field *f, int type);
/* The schema of a field's value. of: the object that has the field, for its description; NULL: the value is not described. */
SVC_PRIVATE void svc_openapi_value(openapi_writer *w, const svc_field *f, int as, const svc_object *of);
SVC_PRIVATE void svc_openapi_schemas(openapi_writer *w); /* of all that was met; each behind a comma */

#endif
