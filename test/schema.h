/*
** A validator for the part of JSON Schema that the OpenAPI document uses: checks whether a value matches its schema in the
** document.
**
** The document is parsed once for all worlds, because it depends only on the tables and the configuration, which are equal in all worlds.
*/
#ifndef SVC_TEST_SCHEMA_H
#define SVC_TEST_SCHEMA_H

#include "support.h"

typedef struct t_schema {
  const svc_node *root; /* the document */
  svc_arena arena;
  char why[400]; /* why the last value did not match: "replicationSpecs[0].zoneName: is required" */
} t_schema;

void t_schema_open(t_schema *d, svc *s);
void t_schema_open_driver(t_schema *d, svc *s); /* the document for drivers: svc_driver_schema() */
void t_schema_close(t_schema *d);

/* Return the schema of a route's body, or of its answer with this status; NULL: the document has none. */
const svc_node *t_schema_of_body(const t_schema *d, const svc_plan *plan);
const svc_node *t_schema_of_answer(const t_schema *d, const svc_plan *plan, int status);
/* The same for one media type: "application/vnd.svc.2023-01-01+json". */
const svc_node *t_schema_of_version(const t_schema *d, const svc_plan *plan, int status, const char *media);
const svc_node *t_schema_operation(const t_schema *d, const svc_route *route);
const svc_node *t_schema_at(const t_schema *d, const svc_node *schema); /* the target of the schema's $ref; without a $ref the schema
                                                                           itself */

bool t_schema_fits(t_schema *d, const svc_node *schema, const svc_node *value);

#endif
