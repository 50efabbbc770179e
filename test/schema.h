/*
** JSON Schema, as much of it as the OpenAPI document uses: does a value fit what the document says of it?
**
** The document is parsed once for all worlds: it depends on the tables and on the configuration, and the worlds have the same.
*/
#ifndef SVC_TEST_SCHEMA_H
#define SVC_TEST_SCHEMA_H

#include "support.h"

typedef struct t_schema {
  const svc_node *root; /* the document */
  svc_arena arena;
  char why[400]; /* why the last value did not fit: "replicationSpecs[0].zoneName: is required" */
} t_schema;

void t_schema_open(t_schema *d, svc *s);
void t_schema_open_driver(t_schema *d, svc *s); /* the document of drivers: svc_driver_schema() */
void t_schema_close(t_schema *d);

/* The schemas of a route's body and of its answer with this status; NULL: the document has none. */
const svc_node *t_schema_of_body(const t_schema *d, const svc_plan *plan);
const svc_node *t_schema_of_answer(const t_schema *d, const svc_plan *plan, int status);
/* The same of one media type: "application/vnd.svc.2023-01-01+json". */
const svc_node *t_schema_of_version(const t_schema *d, const svc_plan *plan, int status, const char *media);
const svc_node *t_schema_operation(const t_schema *d, const svc_route *route);
const svc_node *t_schema_at(const t_schema *d, const svc_node *schema); /* what its $ref leads to; without one: itself */

bool t_schema_fits(t_schema *d, const svc_node *schema, const svc_node *value);

#endif
