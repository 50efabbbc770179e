/*
** Bodies checked against the tables of their fields: values, conditions, checks, and paths into a body.
*/
#ifndef SVC_FORM_H
#define SVC_FORM_H

#include "pipeline/call.h"

/* values.c: values of the tables; a leading "svc" is replaced by the vendor word. */
SVC_PRIVATE svc_str svc_value_text(const svc *s, svc_arena *a, const char *value); /* as sent; NUL-terminated */
SVC_PRIVATE bool svc_value_is(const svc *s, svc_str text, const char *value);
SVC_PRIVATE bool svc_value_in(const svc *s, svc_str text, const char *const *values);
SVC_PRIVATE svc_str svc_did_you_mean(svc_call *c, const svc_near *guess); /* "; did you mean X?", or "" */
SVC_PRIVATE svc_str svc_values_meant(svc_call *c, const char *const *values, svc_str sent); /* the same for a list of known values */
SVC_PRIVATE svc_str svc_values_known(svc_call *c, const char *const *values); /* "A, B or C", for an error */

/* need.c: fields that are required under a condition. */
SVC_PRIVATE bool svc_object_needs(const svc_object *object); /* whether it or its base objects have such rows */
/* The next term of a condition, "provider=AWS|AZURE": its field, and its values (empty: any). False: no more terms. */
SVC_PRIVATE bool svc_need_term(svc_str *where, svc_str *field, svc_str *values);
SVC_PRIVATE bool svc_need_holds(svc_call *c, const svc_need *need, const svc_node *body); /* whether the condition requires its fields */
SVC_PRIVATE svc_str svc_need_why(svc_call *c, const svc_need *need); /* for violations: "is required where enabled is true" */

/* check.c: a body against the table of its fields. */
enum svc_check_mode { SVC_CHECK_CREATE, SVC_CHECK_UPDATE, SVC_CHECK_REPLACE };
/* The body to be stored; NULL: violations were found, or out of memory. `before` NULL: nothing is stored yet. */
SVC_PRIVATE svc_node *svc_check(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before,
                                int mode);
SVC_PRIVATE svc_node *svc_check_array(svc_call *c, const svc_object *object, const svc_node *input); /* an array of such objects */
/* Checks an object at the path `at` of a body, where the body's table has SVC_ANY, against a table of its own. */
SVC_PRIVATE svc_node *svc_check_part(svc_call *c, const svc_object *object, const svc_node *input, svc_str at);
SVC_PRIVATE svc_str svc_violation_text(svc_call *c, const svc_violation *v); /* a sentence, and the number of further violations */
SVC_PRIVATE bool svc_check_done(svc_call *c); /* false, with the error set, if there were violations */
SVC_PRIVATE svc_node *svc_preset(const svc *s, svc_arena *a, const svc_field *f); /* its default; NULL: none, or out of memory */
SVC_PRIVATE svc_node *svc_presets(const svc *s, svc_arena *a, const svc_object *object); /* an object with only its defaults */

/* fields.c: the tables of fields, with base objects and unions. */
#define SVC_FIELD_LEVELS 6 /* an object and its bases; svc_open() refuses tables with more */
typedef struct svc_fields {
  const svc_field *at[SVC_FIELD_LEVELS], *end[SVC_FIELD_LEVELS];
  int count;
} svc_fields;
/* The variant of a union for this value of its field (NULL: the default variant); NULL: unknown value. */
SVC_PRIVATE const svc_object *svc_variant_of(const svc_object *object, const svc_node *by);
/* The object itself, or the variant of a union that this body selects; NULL: no such variant. */
SVC_PRIVATE const svc_object *svc_object_of(const svc_object *object, const svc_node *body);
SVC_PRIVATE void svc_fields_begin(svc_fields *f, const svc_object *object); /* not for a union: call svc_object_of() first */
SVC_PRIVATE const svc_field *svc_fields_next(svc_fields *f); /* sorted by name, base objects merged in */
SVC_PRIVATE const svc_field *svc_field_named(const svc_object *object, svc_str name); /* NULL: not found */
/*
** A path of fields: "a.b" is inside of a, "a[].b" in each element of the array a. "a[type=X].b" is in those elements, or in the object a
** itself, whose member "type" is X. An "@" ends the path together with the text behind it (svc_ref).
*/
typedef struct svc_path_step {
  svc_str name;          /* "a" */
  svc_str member, value; /* "type" and "X"; member.p NULL: no brackets; value.n 0: every element */
  const char *rest;      /* the path behind this step; empty: the last step */
} svc_path_step;
SVC_PRIVATE svc_path_step svc_path_first(const char *path);
SVC_PRIVATE bool svc_path_enters(const svc_path_step *step, const svc_node *node); /* whether this element meets its condition */
/* Visits the values that a path leads to. False: a visitor returned false. */
typedef bool (*svc_value_visitor)(void *context, const svc_node *value);
SVC_PRIVATE bool svc_each_value(const svc_node *body, const char *field, svc_value_visitor visit, void *context);

#endif /* SVC_FORM_H */
