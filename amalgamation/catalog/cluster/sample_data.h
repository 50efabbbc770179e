/*
** The sample data: its collections, and the queries of applications. sample_data.c has the table.
*/
#ifndef SVC_SAMPLE_DATA_H
#define SVC_SAMPLE_DATA_H

#include "catalog/catalog.h"

/* An index, as createIndex() takes it. keys NULL: none. */
typedef struct svc_sample_index {
  const char *name, *keys; /* "owner_1", "[{\"owner\":1}]" */
} svc_sample_index;

/* A kind of query that scans its collection, unless an index for it is built. */
typedef struct svc_sample_query {
  const char *op;     /* "find", "aggregate"; NULL: none */
  const char *filter; /* JSON with one %u, for a number */
  const char *sort;   /* "[{\"since\":-1}]", or NULL */
} svc_sample_query;

enum { SVC_SAMPLE_INDEXES = 4, SVC_SAMPLE_QUERIES = 4 };
typedef struct svc_sample {
  const char *namespace; /* "database.collection"; NULL: for collections outside of the sample data */
  int64_t documents, average; /* number of documents, and bytes of each */
  int64_t longest;            /* elements of the longest array in a document */
  svc_sample_index indexes[SVC_SAMPLE_INDEXES]; /* in addition to that of _id */
  svc_sample_query queries[SVC_SAMPLE_QUERIES];
} svc_sample;

SVC_PRIVATE const svc_sample *svc_sample_at(size_t i);            /* in the order of their names; NULL: i is too great */
SVC_PRIVATE const svc_sample *svc_sample_other(void);             /* a model of collections of which only the name is known */
SVC_PRIVATE int64_t svc_sample_size(void);                        /* bytes of all documents of the sample data */

#endif /* SVC_SAMPLE_DATA_H */
