/*
** Answers: one resource, lists, their links, and the OpenAPI document.
*/
#ifndef SVC_ANSWER_H
#define SVC_ANSWER_H

#include "pipeline/form.h"

/* links.c */
SVC_PRIVATE void svc_template_write(svc_buf *b, const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE void svc_piece_write(svc_buf *b, const svc_piece *piece, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE size_t svc_template_size(const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE int svc_links_open(svc *s);
/* Adds a link to the answer, to the GET operation `op`. Parameters of its path come from the request's path if they have the same name;
** the others come from `values`, in order. Adds nothing if the operation is left out of this build. Out of memory: the arena remembers
** it. */
SVC_PRIVATE void svc_answer_link(svc_call *c, const char *op, const svc_str *values);
/* Adds links to entities that no list shows; called inside the transaction. */
SVC_PRIVATE bool svc_links_unlisted(svc_call *c);
SVC_PRIVATE bool svc_links_served(svc_call *c, const svc_node *links); /* whether a GET of the path's resource shows these links */

/* answer.c: the answer to a request. */
/* The links of the answer to a change, with one entity. NULL: none. */
SVC_PRIVATE const svc_template *svc_links_to_item(const svc_plan *plan);
SVC_PRIVATE uint64_t svc_body_revision(svc_str body); /* the ETag of a view, or of a body that is not stored */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision); /* false: 412 */
SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view); /* the same, for a body computed for the request */
SVC_PRIVATE bool svc_if_match_entity(svc_call *c, const svc_entity *e); /* the same, for an entity of the route's noun */
/* fills in the keys for its links */
SVC_PRIVATE void svc_answer_keys(svc_call *c, const svc_plan *item, const svc_entity *e, svc_answer *out);
SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e); /* as its route or noun shows it */
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view); /* shown as `view`; NULL: out of memory */
/* A resource inside of an answer that is not a list: adds a link to itself. */
SVC_PRIVATE void svc_answer_linked(svc_call *c, const svc_entity *e, svc_node *shown);
SVC_PRIVATE svc_node *svc_entity_view(svc_call *c, const svc_entity *e); /* as its route or noun shows it; NULL: failed */
SVC_PRIVATE void svc_answer_keep(svc_call *c);                   /* an Idempotency-Key keeps the answer as it is now */
SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body);   /* replaces the body of the answered entity */
/* Corrections to a finished answer: nouns use these and do not touch c->answer. */
SVC_PRIVATE void svc_answer_status(svc_call *c, int status); /* instead of the route's status */
SVC_PRIVATE void svc_answer_key(svc_call *c, svc_str key);   /* the key that its links use */
/* The entity now belongs to another noun: its links are those of the GET operation `op`, whose path has the same parents. */
SVC_PRIVATE void svc_answer_links_of(svc_call *c, const char *op);
SVC_PRIVATE void svc_answer_unlinked(svc_call *c);           /* without links */
SVC_PRIVATE void svc_answer_untagged(svc_call *c);           /* no ETag: the answer describes this moment only */
SVC_PRIVATE bool svc_answer_copied(svc_call *c);             /* copies the answer, because the transaction ends before it is written;
                                                                false: out of memory */
SVC_PRIVATE svc_node *svc_answer_parsed(svc_call *c);        /* its body; NULL: out of memory */
SVC_PRIVATE svc_str svc_answered_key(const svc_call *c);     /* the key in its links */
SVC_PRIVATE void svc_answer_none(svc_call *c);               /* discards the answer so far */
SVC_PRIVATE bool svc_answer_list(svc_call *c, const svc_node *list); /* replaces the list that was answered; false: out of memory */
SVC_PRIVATE bool svc_answer_again(svc_call *c, svc_node *body); /* another body, with an ETag computed from it */
SVC_PRIVATE bool (svc_answer_nothing)(svc_call *c);              /* 204, or the route's status; always true */
#define svc_answer_nothing(...) (svc_answer_nothing(__VA_ARGS__), true)
SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body);   /* a computed entity, with the links of its route */
SVC_PRIVATE bool svc_answer_json(svc_call *c, svc_str json); /* JSON text without links, in an envelope if requested */
SVC_PRIVATE bool svc_answer_value(svc_call *c, const svc_entity *e); /* for a route with `value` */
SVC_PRIVATE bool svc_answer_bytes(svc_call *c, svc_str bytes);   /* for a route with `media`, sent unchanged */
SVC_PRIVATE void svc_answer_document(svc_call *c, svc_str bytes, uint64_t revision); /* bytes, with an ETag */
SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e); /* parsed; NULL: out of memory, with the error set */

/* list.c: pages. */
typedef struct svc_item {
  svc_str key;  /* percent-encoded; empty: no link */
  svc_str body; /* JSON object without links */
  size_t links_at;
} svc_item;
/* Returns the items one by one, in order; false: no more, or c->error is set. The source itself skips items that a filter excludes. With
** `out` NULL the item is only skipped. */
typedef bool (*svc_item_source)(svc_call *c, void *state, svc_item *out);
SVC_PRIVATE bool svc_list_items(svc_call *c, svc_item_source source, void *state, int64_t total); /* total < 0: unknown */
/* Skips up to `most` items at once and returns their number; 0: the next item must be read singly, or there are no more. */
typedef int64_t (*svc_item_pass)(svc_call *c, void *state, int64_t most);
SVC_PRIVATE bool svc_list_passing(svc_call *c, svc_item_source source, svc_item_pass pass, void *state, int64_t total);
SVC_PRIVATE bool svc_list_stored(svc_call *c, svc_scan *scan, int64_t total); /* records, copied unchanged */
SVC_PRIVATE void svc_item_node(svc_call *c, svc_item *item, svc_str key, const svc_node *body);

/* tally.c: for a log that grows without end, the count of each value, block by block. */
#define SVC_TALLIES 4 /* maximum tallied fields of a noun */
typedef struct svc_place { /* position of a value in a body, kept in `extra`, one for each tallied field */
  uint32_t at, n;
} svc_place;
typedef struct svc_tally {
  svc_id first, last;
  uint32_t count;
  svc_str rest; /* private, as are the following members */
  int field;
  uint32_t left;
} svc_tally;
SVC_PRIVATE size_t svc_tally_fields(const svc_noun *noun); /* number of tallied fields */
SVC_PRIVATE int svc_tallied(const svc_noun *noun, const char *field); /* index of a tallied field; -1: not tallied */
SVC_PRIVATE bool svc_tally_text(svc_call *c, const svc_entity *e, int field, svc_str *out); /* false: unknown */
SVC_PRIVATE void svc_tally_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent, bool backwards);
SVC_PRIVATE bool svc_tally_next(svc_scan *scan, svc_tally *out);
SVC_PRIVATE bool svc_tally_value(svc_tally *t, int *field, svc_str *text, uint32_t *count); /* each value, in the order of fields */
SVC_PRIVATE bool svc_tally_note(svc_call *c, const svc_noun *noun, const svc_entity *e); /* call after an insert */
SVC_PRIVATE void svc_tally_forget(svc_txn *txn, const svc_noun *noun, const svc_id *parent);

/* entities.c: stored entities as a source of items. */
typedef struct svc_entities {
  const svc_noun_info *noun;
  svc_id parent;
  const svc_filter *filters; /* NULL: none */
  /* NULL: all entities, as stored. `context` is passed to these functions. */
  bool (*keep)(svc_call *c, const svc_entity *e, void *context);
  svc_node *(*view)(svc_call *c, const svc_entity *e, void *context);
  bool (*write)(svc_call *c, const svc_entity *e, svc_item *out); /* instead of `view`: the item's JSON text */
  void *context;
} svc_entities;
/* of the field "a.b" in its body */
SVC_PRIVATE svc_str svc_entity_text(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *field);
SVC_PRIVATE bool svc_entity_in_path(svc_call *c, const svc_entity *e); /* whether its field has the value given in the path */
SVC_PRIVATE bool svc_list_entities(svc_call *c, const svc_entities *which);
SVC_PRIVATE bool svc_list_elements(svc_call *c, const svc_entities *which); /* element.c */
/* whether the filters and `keep` accept it */
SVC_PRIVATE bool svc_entities_pass(svc_call *c, const svc_entities *which, const svc_entity *e);
SVC_PRIVATE bool svc_filter_compares(svc_call *c, const svc_filter *f, const svc_query_value *given, svc_str text);
/* The entities below a parent, narrowed by the filters on dates. */
SVC_PRIVATE void svc_entities_scan(svc_call *c, const svc_entities *which, const svc_id *parent, svc_scan *scan);
SVC_PRIVATE bool svc_list_blocks(svc_call *c, const svc_entities *which, int64_t total); /* blocks.c: for a noun that is tallied */
SVC_PRIVATE bool svc_entities_item(svc_call *c, const svc_entities *which, const svc_entity *e, svc_item *out);
/* prefix.c: entities below a parent whose unique value begins with `prefix`, ignoring case. *found false: checking each one is faster. */
SVC_PRIVATE bool svc_prefix_find(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str prefix, svc_seen *out,
                                 bool *found);
/* Projects or organizations that the caller may see; parent zero: anywhere. */
SVC_PRIVATE bool svc_list_seen(svc_call *c, const svc_entities *which);

/* openapi.c, openapi_schema.c */
SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a);
SVC_PRIVATE svc_str svc_driver_document(const svc *s, svc_arena *a); /* driver_schema.c */
/* Written once per handle; the text lives as long as the arena's blocks, which may outlive the handle. p NULL: out of memory. */
SVC_PRIVATE svc_str svc_openapi_kept(svc *s, svc_arena *a, uint64_t *revision);

#endif /* SVC_ANSWER_H */
