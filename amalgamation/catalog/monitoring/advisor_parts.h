/*
** What the performance advisor and the insights into query shapes share: the time and the processes that are asked about, records
** of queries and of collections as the driver tells them (advisor_told.c), and what shapes queries have (advisor_shape.c).
*/
#ifndef SVC_ADVISOR_PARTS_H
#define SVC_ADVISOR_PARTS_H

#include "catalog/monitoring/process_parts.h"

/* ---------------------------------------------------------------------------------------------------- advisor_told.c */

enum {
  SVC_ADVISOR_RECORDS = 20000, /* that are asked for, and looked at */
  SVC_ADVISOR_INDEXES = 64,    /* of a collection */
  SVC_ADVISOR_KEYS = 32        /* of an index */
};

#define SVC_ADVISOR_TIME(n) { .name = n, .type = SVC_INT64, .min = 1199145600000, .max = 253402300799999 }
#define SVC_ADVISOR_DURATION { .name = "duration", .type = SVC_INT64, .min = 0, .max = 253402300799999 }
#define SVC_ADVISOR_NAMESPACES { .name = "namespaces", .flags = SVC_PARAM_REPEATS, .pattern = "^[^.]+\\..+$" }
#define SVC_ADVISOR_PROCESSES { .name = "processIds", .flags = SVC_PARAM_REPEATS, .pattern = "^[^:]+(:[0-9]{4,5})?$" }

/* From `since` until `until`, or so long as `duration` says, in milliseconds; where nothing is said, the last day. Refuses. */
SVC_PRIVATE bool svc_advisor_range(svc_call *c, int64_t *since, int64_t *until);
/*
** `run` of a route that asks about the process, or else the cluster, of its path: the question carries hosts and namespaces that
** are asked about (none: all), the time, and the namespaces that the service knows of. Where nothing runs nothing is asked: the
** route's `told` gets an empty list.
*/
SVC_DECLARE(const svc_question_row svc_question_slow_queries)
SVC_DECLARE(const svc_question_row svc_question_query_stats)
SVC_DECLARE(const svc_question_row svc_question_collections)
SVC_PRIVATE bool svc_advisor_ask(svc_call *c, const svc_question_row *row);
SVC_PRIVATE bool svc_advisor_question(svc_call *c, const svc_question_row *row); /* only the question, into c->question: none where nothing runs */
/* In `told`: another question about the same. False: failed. */
SVC_PRIVATE bool svc_advisor_also(svc_call *c, const svc_question_row *row, svc_reply *reply);

/* A query that ran, or several of one shape: then figures are of all of them. */
typedef struct svc_ran {
  const svc_node *said;
  svc_str namespace, host, op;
  int64_t at, micros, examined, keys, returned, count;
  svc_str shape; /* see svc_shapes_of() */
  size_t number; /* in the order in which they were told */
} svc_ran;
typedef struct svc_rans {
  svc_ran *at; /* the oldest first */
  size_t count;
} svc_rans;
/* Those of the time, the namespaces and the processes that were asked for; of too many the newest. False: no such list, 503. */
SVC_PRIVATE bool svc_advisor_told(svc_call *c, const svc_question_row *row, const svc_reply *reply, svc_rans *out);

typedef struct svc_told_index {
  svc_str name;
  const svc_node *said, *keys, *options; /* options NULL: none */
  bool hidden;
} svc_told_index;
typedef struct svc_told_collection {
  svc_str namespace;
  const svc_node *said;
  svc_told_index *indexes;
  size_t count;
} svc_told_collection;
typedef struct svc_told_collections {
  svc_told_collection *at; /* by namespace */
  size_t count;
} svc_told_collections;
SVC_PRIVATE bool svc_collections_told(svc_call *c, const svc_reply *reply, svc_told_collections *out);
SVC_PRIVATE const svc_told_collection *svc_collection_named(const svc_told_collections *all, svc_str namespace); /* NULL: none */

/* A quotient with three digits behind the point, without any floating point: the same on every machine. */
SVC_PRIVATE void svc_advisor_ratio(svc_call *c, svc_node *object, const char *name, int64_t above, int64_t below);

/* --------------------------------------------------------------------------------------------------- advisor_shape.c */

/* What a query wants of a field. */
enum svc_field_use { SVC_USE_EQUAL, SVC_USE_SORT, SVC_USE_RANGE, SVC_USE_OTHER /* no index of fields serves that */ };
typedef struct svc_used_field {
  svc_str path;
  int use;       /* enum svc_field_use */
  int direction; /* of SVC_USE_SORT: 1 or -1 */
} svc_used_field;
typedef struct svc_used_fields { /* by use; those of a sort in its order, others by name */
  svc_used_field at[SVC_ADVISOR_KEYS];
  size_t count;
} svc_used_fields;
SVC_PRIVATE void svc_used_fields_of(const svc_node *filter, const svc_node *sort, svc_used_fields *out);

#define SVC_SHAPES_MOST 1000
typedef struct svc_shape {
  svc_str id; /* 24 hex digits, of what it is: the same whenever it is asked for */
  svc_str namespace, text;
  const svc_ran *const *ran; /* the oldest first */
  size_t ran_count;
  int64_t count, micros, examined, returned;
  int64_t wasted; /* microseconds that went into documents which were not returned */
  svc_used_fields *fields;
} svc_shape;
typedef struct svc_shapes {
  svc_shape *at; /* what wastes most first */
  size_t count;
  int64_t micros; /* of all that ran */
} svc_shapes;
SVC_PRIVATE bool svc_shapes_of(svc_call *c, const svc_rans *ran, svc_shapes *out); /* false: no memory */
SVC_PRIVATE svc_str svc_advisor_id(svc_call *c, svc_str text); /* 24 hex digits that are made of it */
SVC_PRIVATE void svc_shape_write(svc_buf *b, const svc_ran *ran); /* the query as JSON, with types in place of values */

/* Shapes by the hashes that the driver gives them; those that are kept (query_shape.c). */
#define QUERY_SHAPE_KIND "qshp"
#define QUERY_SHAPE_TEXT 16384 /* bytes of a shape that is kept at the most */
SVC_PRIVATE bool svc_query_shape_hash(svc_call *c, svc_str *out); /* of the path, in capitals; false: 400 */
SVC_PRIVATE svc_str svc_query_shape_capitals(svc_call *c, svc_str hash);
/* The newest that ran with this hash; NULL: none did. */
SVC_PRIVATE const svc_ran *svc_query_shape_newest(const svc_rans *ran, svc_str hash);
SVC_PRIVATE svc_str svc_query_shape_of(svc_call *c, const svc_ran *ran); /* as the driver wrote it, or as it is made of the query */

#endif /* SVC_ADVISOR_PARTS_H */
