/*
** The sample data: the collections that a load of it brings, and how applications ask them. sample_data.c has the table.
*/
#ifndef SVC_SAMPLE_DATA_H
#define SVC_SAMPLE_DATA_H

#include "catalog/catalog.h"

/* An index, as createIndex() has it. keys NULL: there is none. */
typedef struct svc_sample_index {
  const char *name, *keys; /* "owner_1", "[{\"owner\":1}]" */
} svc_sample_index;

/* A kind of query that scans its collection, unless somebody builds an index for it. */
typedef struct svc_sample_query {
  const char *op;     /* "find", "aggregate"; NULL: there is none */
  const char *filter; /* JSON with one %u, for a number */
  const char *sort;   /* "[{\"since\":-1}]", or NULL */
} svc_sample_query;

enum { SVC_SAMPLE_INDEXES = 4, SVC_SAMPLE_QUERIES = 4 };
typedef struct svc_sample {
  const char *namespace; /* "database.collection"; NULL: of collections that only something else names */
  int64_t documents, average; /* how many, and bytes of each */
  int64_t longest;            /* elements of the longest array in a document */
  svc_sample_index indexes[SVC_SAMPLE_INDEXES]; /* besides that of _id */
  svc_sample_query queries[SVC_SAMPLE_QUERIES];
} svc_sample;

SVC_PRIVATE const svc_sample *svc_sample_at(size_t i);            /* in the order of their names; NULL: there are not so many */
SVC_PRIVATE const svc_sample *svc_sample_other(void);             /* what a collection looks like of which only the name is known */
SVC_PRIVATE int64_t svc_sample_size(void);                        /* bytes of all documents of the sample data */

#endif /* SVC_SAMPLE_DATA_H */
