/*
** The check of a whole store. Each part of the pipeline checks the records that it writes; verify.c checks those of store/.
*/
#ifndef SVC_VERIFY_H
#define SVC_VERIFY_H

#include "pipeline/call.h"

/* verify.c: checks the store record by record. */
#define SVC_FINDINGS 100 /* maximum that are reported; there may be more */
typedef struct svc_verify_count svc_verify_count;
typedef struct svc_verify {
  svc_call *c, *outer; /* for the record, and for the whole walk */
  void (*found)(void *context, const char *text);
  void *context;
  size_t findings, here; /* in total; of this record */
  const svc_allocator *memory;
  svc_verify_count *counts; /* expected counts, by the keys of counters */
  size_t count_used, count_room;
  svc_id *erasing; /* deleted entities with descendants left */
  size_t erasing_count, erasing_due;
  size_t meters_wanted, meters_open; /* ledger lines that entities require, and that exist */
} svc_verify;
/* Reports a finding about an entity. The text has no contents of a record. */
SVC_PRIVATE void svc_found(svc_verify *v, const char *kind, const svc_id *id, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE void svc_verify_counts(svc_verify *v, const char *kind, const svc_id *parent, int64_t n); /* adds n to an expected count */
SVC_PRIVATE bool svc_verify_there(svc_verify *v, const svc_key *key); /* whether the store has a record with this key */
SVC_PRIVATE bool svc_verify_get(svc_verify *v, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out);
SVC_PRIVATE void svc_refs_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body);
SVC_PRIVATE void svc_refs_verify_entry(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_tally_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_meter_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body);
SVC_PRIVATE void svc_meter_verify_line(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_meter_verify_open(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE bool svc_meter_verify_due(svc_verify *v, const svc_due_entry *due); /* false: not the end of a month */
SVC_PRIVATE void svc_order_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_order_verify_id(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_order_verify_waiting(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_retry_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_retry_verify_index(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE bool svc_retry_verify_due(svc_verify *v, const svc_due_entry *due); /* false: not of this kind */

#endif /* SVC_VERIFY_H */
