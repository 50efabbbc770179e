/*
** Functions that the performance advisor and the query shape insights share: time range and processes of a question,
** records of queries and collections from the driver (advisor_reply.c), and shapes of queries (advisor_shape.c).
*/
#ifndef SVC_ADVISOR_PARTS_H
#define SVC_ADVISOR_PARTS_H

#include "catalog/monitoring/process_parts.h"

/* ---------------------------------------------------------------------------------------------------- advisor_reply.c */

enum {
  SVC_ADVISOR_RECORDS = 20000, /* maximum in a question and in its reply */
  SVC_ADVISOR_INDEXES = 64,    /* per collection */
  SVC_ADVISOR_KEYS = 32        /* fields per index */
};

#define SVC_ADVISOR_TIME(n) { .name = n, .type = SVC_INT64, .min = 1199145600000, .max = 253402300799999 }
#define SVC_ADVISOR_DURATION { .name = "duration", .type = SVC_INT64, .min = 0, .max = 253402300799999 }
#define SVC_ADVISOR_NAMESPACES { .name = "namespaces", .flags = SVC_PARAM_REPEATS, .pattern = "^[^.]+\\..+$" }
#define SVC_ADVISOR_PROCESSES { .name = "processIds", .flags = SVC_PARAM_REPEATS, .pattern = "^[^:]+(:[0-9]{4,5})?$" }

/* The range of a question in milliseconds: from `since` until `until`, or for `duration`; by default the last day. False:
** refused. */
SVC_PRIVATE bool svc_advisor_range(svc_call *c, int64_t *since, int64_t *until);
/*
** svc_advisor_ask() asks about the process or the cluster of the path; `run` functions call it. The question contains
** the hosts and namespaces (none: all), the range, and the namespaces that the service knows. If no process runs, no
** question is asked, and the route's `on_reply` gets an empty list.
*/
SVC_DECLARE(const svc_question_row svc_question_slow_queries)
SVC_DECLARE(const svc_question_row svc_question_query_stats)
SVC_DECLARE(const svc_question_row svc_question_collections)
SVC_PRIVATE bool svc_advisor_ask(svc_call *c, const svc_question_row *row);
SVC_PRIVATE bool svc_advisor_question(svc_call *c, const svc_question_row *row); /* stores the question in c->question; none if no process
                                                                                    runs */
/* For `on_reply`: asks another question with the same parameters. False: failed. */
SVC_PRIVATE bool svc_advisor_also(svc_call *c, const svc_question_row *row, svc_reply *reply);

/* A query that ran, or several queries of one shape; then the figures are totals. */
typedef struct svc_ran {
  const svc_node *said;
  svc_str namespace, host, op;
  int64_t at, micros, examined, keys, returned, count;
  svc_str shape; /* see svc_shapes_of() */
  size_t number; /* position in the reply */
} svc_ran;
typedef struct svc_rans {
  svc_ran *at; /* oldest first */
  size_t count;
} svc_rans;
/* The records of the requested range, namespaces and processes; if there are too many, the newest ones. False: the reply is
** not a valid list, 503. */
SVC_PRIVATE bool svc_advisor_reply(svc_call *c, const svc_question_row *row, const svc_reply *reply, svc_rans *out);

typedef struct svc_reply_index {
  svc_str name;
  const svc_node *said, *keys, *options; /* options NULL: none */
  bool hidden;
} svc_reply_index;
typedef struct svc_reply_collection {
  svc_str namespace;
  const svc_node *said;
  svc_reply_index *indexes;
  size_t count;
} svc_reply_collection;
typedef struct svc_reply_collections {
  svc_reply_collection *at; /* sorted by namespace */
  size_t count;
} svc_reply_collections;
SVC_PRIVATE bool svc_collections_read(svc_call *c, const svc_reply *reply, svc_reply_collections *out);
SVC_PRIVATE const svc_reply_collection *svc_collection_named(const svc_reply_collections *all, svc_str namespace); /* NULL: none */

/* Writes a quotient with three decimals, or with none if they are zero; a divisor below 1 counts as 1. Uses no floating point, so the
** result is the same on every machine. */
SVC_PRIVATE void svc_advisor_ratio(svc_call *c, svc_node *object, const char *name, int64_t above, int64_t below);

/* --------------------------------------------------------------------------------------------------- advisor_shape.c */

/* How a query uses a field. */
enum svc_field_use { SVC_USE_EQUAL, SVC_USE_SORT, SVC_USE_RANGE, SVC_USE_OTHER /* an index on fields does not help */ };
typedef struct svc_used_field {
  svc_str path;
  int use;       /* enum svc_field_use */
  int direction; /* of SVC_USE_SORT: 1 or -1 */
} svc_used_field;
typedef struct svc_used_fields { /* sorted by use; fields of a sort in its order, others by name */
  svc_used_field at[SVC_ADVISOR_KEYS];
  size_t count;
} svc_used_fields;
SVC_PRIVATE void svc_used_fields_of(const svc_node *filter, const svc_node *sort, svc_used_fields *out);

#define SVC_SHAPES_MOST 1000
typedef struct svc_shape {
  svc_str id; /* 24 hex digits, derived from the text: stable across requests */
  svc_str namespace, text;
  const svc_ran *const *ran; /* oldest first */
  size_t ran_count;
  int64_t count, micros, examined, returned;
  int64_t wasted; /* microseconds spent on documents that were examined but not returned */
  svc_used_fields *fields;
} svc_shape;
typedef struct svc_shapes {
  svc_shape *at; /* most wasted time first */
  size_t count;
  int64_t micros; /* total of all queries */
} svc_shapes;
SVC_PRIVATE bool svc_shapes_of(svc_call *c, const svc_rans *ran, svc_shapes *out); /* false: out of memory */
SVC_PRIVATE svc_str svc_advisor_id(svc_call *c, svc_str text); /* 24 hex digits derived from the text */
SVC_PRIVATE void svc_shape_write(svc_buf *b, const svc_ran *ran); /* the query as JSON, with types instead of values */

/* Shapes by the driver's hashes; query_shape.c stores some of them. */
#define QUERY_SHAPE_KIND "qshp"
#define QUERY_SHAPE_TEXT 16384 /* maximum bytes of a stored shape */
SVC_PRIVATE bool svc_query_shape_hash(svc_call *c, svc_str *out); /* of the path, in upper case; false: 400 */
SVC_PRIVATE svc_str svc_query_shape_capitals(svc_call *c, svc_str hash);
/* The newest query with this hash; NULL: none. */
SVC_PRIVATE const svc_ran *svc_query_shape_newest(const svc_rans *ran, svc_str hash);
SVC_PRIVATE svc_str svc_query_shape_of(svc_call *c, const svc_ran *ran); /* as the driver reported it, or derived from the query */

#endif /* SVC_ADVISOR_PARTS_H */
