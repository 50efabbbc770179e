/*
** Answers: one entity, a list of them, their links, and the OpenAPI document.
*/
#ifndef SVC_ANSWER_H
#define SVC_ANSWER_H

#include "pipeline/form.h"

/* links.c */
SVC_PRIVATE void svc_template_write(svc_buf *b, const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE void svc_piece_write(svc_buf *b, const svc_piece *piece, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE size_t svc_template_size(const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE int svc_links_open(svc *s);
/* One more link in the answer, to the GET that is called `op`: the parameters of its path are those of the same name in the path of
** the request, and for the others `values`, in their order. Nothing where the operation was left out; out of memory: the arena says so. */
SVC_PRIVATE void svc_answer_link(svc_call *c, const char *op, const svc_str *values);
SVC_PRIVATE bool svc_links_served(svc_call *c, const svc_node *links); /* are these what a GET shows of the path's entity? */

/* answer.c: what a request is answered with. */
SVC_PRIVATE uint64_t svc_body_revision(svc_str body); /* the ETag of what is not stored */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision); /* false: 412 */
SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view); /* the same, of a body made for the request */
SVC_PRIVATE bool svc_if_match_entity(svc_call *c, const svc_entity *e); /* the same, of an entity of the route's noun */
SVC_PRIVATE void svc_answer_keys(svc_call *c, const svc_plan *item, const svc_entity *e, svc_answer *out); /* for its links */
SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e); /* as its route or noun shows it */
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view); /* shown as this; NULL: no memory */
/* One that is shown inside of the answer, which is no list: with a link to itself. */
SVC_PRIVATE void svc_answer_linked(svc_call *c, const svc_entity *e, svc_node *shown);
SVC_PRIVATE svc_node *svc_entity_view(svc_call *c, const svc_entity *e); /* as its route or noun shows it; NULL: failed */
SVC_PRIVATE void svc_answer_keep(svc_call *c);                   /* Idempotency-Key keeps what is answered so far, no more */
SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body);   /* another body for the entity that was answered */
/* What a noun changes of an answer that was noted: nouns do not touch c->answer. */
SVC_PRIVATE void svc_answer_status(svc_call *c, int status); /* another status than the route's */
SVC_PRIVATE void svc_answer_key(svc_call *c, svc_str key);   /* by which its links name it */
/* The entity has become one of another noun: its links are those of the GET that is called `op`, whose path has the same parents. */
SVC_PRIVATE void svc_answer_links_of(svc_call *c, const char *op);
SVC_PRIVATE void svc_answer_unlinked(svc_call *c);           /* without links */
SVC_PRIVATE void svc_answer_untagged(svc_call *c);           /* without an ETag: it is of this moment */
SVC_PRIVATE bool svc_answer_copied(svc_call *c);             /* the transaction ends before the answer is written; false: no memory */
SVC_PRIVATE svc_node *svc_answer_parsed(svc_call *c);        /* its body; NULL: no memory */
SVC_PRIVATE svc_str svc_answered_key(const svc_call *c);     /* the key in its links */
SVC_PRIVATE void svc_answer_none(svc_call *c);               /* nothing is answered yet */
SVC_PRIVATE bool svc_answer_list(svc_call *c, const svc_node *list); /* of a list that was answered, as it shall be; false: no memory */
SVC_PRIVATE bool svc_answer_again(svc_call *c, svc_node *body); /* another body, and an ETag that is the body's */
SVC_PRIVATE bool (svc_answer_nothing)(svc_call *c);              /* 204, or what the route says; true, and the compiler is told */
#define svc_answer_nothing(...) (svc_answer_nothing(__VA_ARGS__), true)
SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body);   /* a computed entity, with the links of its route */
SVC_PRIVATE bool svc_answer_json(svc_call *c, svc_str json); /* a JSON text that is no entity: without links, in an envelope if asked */
SVC_PRIVATE bool svc_answer_value(svc_call *c, const svc_entity *e); /* of a route with `value` */
SVC_PRIVATE bool svc_answer_bytes(svc_call *c, svc_str bytes);   /* of a route with `media`, as they are */
SVC_PRIVATE void svc_answer_document(svc_call *c, svc_str bytes, uint64_t revision); /* bytes, with an ETag */
SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e); /* parsed; NULL: no memory, and the error is set */

/* list.c: pages. */
typedef struct svc_item {
  svc_str key;  /* percent-encoded; empty: it has no link */
  svc_str body; /* JSON object without links */
  size_t links_at;
} svc_item;
/* Gives the items one by one, in order; false: no more, or c->error is set. Filters by going on to the next. With `out`
** NULL the item is only passed over. */
typedef bool (*svc_item_source)(svc_call *c, void *state, svc_item *out);
SVC_PRIVATE bool svc_list_items(svc_call *c, svc_item_source source, void *state, int64_t total); /* total < 0: unknown */
/* Passes over several items at once, at most so many: how many; 0: it has to be one by one from here, or there are no more. */
typedef int64_t (*svc_item_pass)(svc_call *c, void *state, int64_t most);
SVC_PRIVATE bool svc_list_passing(svc_call *c, svc_item_source source, svc_item_pass pass, void *state, int64_t total);
SVC_PRIVATE bool svc_list_stored(svc_call *c, svc_scan *scan, int64_t total); /* records, straight as they are */
SVC_PRIVATE void svc_item_node(svc_call *c, svc_item *item, svc_str key, const svc_node *body);

/* tally.c: of a log that grows without end, how many there are of each value, block by block. */
#define SVC_TALLIES 4 /* fields of a noun that are tallied */
typedef struct svc_place { /* of a value in a body: what stands beside it in `extra`, one for each field that is tallied */
  uint32_t at, n;
} svc_place;
typedef struct svc_tally {
  svc_id first, last;
  uint32_t count;
  svc_str rest; /* private, as what follows */
  int field;
  uint32_t left;
} svc_tally;
SVC_PRIVATE size_t svc_tally_fields(const svc_noun *noun); /* how many are tallied */
SVC_PRIVATE int svc_tallied(const svc_noun *noun, const char *field); /* which of its fields that is; -1: none of those */
SVC_PRIVATE bool svc_tally_text(svc_call *c, const svc_entity *e, int field, svc_str *out); /* false: it is not known */
SVC_PRIVATE void svc_tally_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent, bool backwards);
SVC_PRIVATE bool svc_tally_next(svc_scan *scan, svc_tally *out);
SVC_PRIVATE bool svc_tally_value(svc_tally *t, int *field, svc_str *text, uint32_t *count); /* one by one, in the order of fields */
SVC_PRIVATE bool svc_tally_note(svc_call *c, const svc_noun *noun, const svc_entity *e); /* it was inserted */
SVC_PRIVATE void svc_tally_forget(svc_txn *txn, const svc_noun *noun, const svc_id *parent);

/* entities.c: stored entities as a source of items. */
typedef struct svc_entities {
  const svc_noun_info *noun;
  svc_id parent;
  const svc_filter *filters; /* NULL: none */
  /* NULL: all, as they are stored. Context: whatever these need. */
  bool (*keep)(svc_call *c, const svc_entity *e, void *context);
  svc_node *(*view)(svc_call *c, const svc_entity *e, void *context);
  bool (*write)(svc_call *c, const svc_entity *e, svc_item *out); /* rather than `view`: the item's own text */
  void *context;
} svc_entities;
SVC_PRIVATE svc_str svc_entity_text(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *field); /* of "a.b" in its body */
SVC_PRIVATE bool svc_entity_in_path(svc_call *c, const svc_entity *e); /* has it the value that stands in the path? */
SVC_PRIVATE bool svc_list_entities(svc_call *c, const svc_entities *which);
SVC_PRIVATE bool svc_list_elements(svc_call *c, const svc_entities *which); /* element.c */
SVC_PRIVATE bool svc_entities_pass(svc_call *c, const svc_entities *which, const svc_entity *e); /* by its filters and keep */
SVC_PRIVATE bool svc_filter_compares(svc_call *c, const svc_filter *f, const svc_query_value *given, svc_str text);
/* Those below a parent, as far as the filters by date go. */
SVC_PRIVATE void svc_entities_scan(svc_call *c, const svc_entities *which, const svc_id *parent, svc_scan *scan);
SVC_PRIVATE bool svc_list_blocks(svc_call *c, const svc_entities *which, int64_t total); /* blocks.c: of a noun that is tallied */
SVC_PRIVATE bool svc_entities_item(svc_call *c, const svc_entities *which, const svc_entity *e, svc_item *out);
/* prefix.c: those below a parent whose unique value begins so, in whatever case. *found false: it is better to look at each. */
SVC_PRIVATE bool svc_prefix_find(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str prefix, svc_seen *out,
                                 bool *found);
/* Those of a noun that is the project or the organization which the caller may see; parent zero: wherever. */
SVC_PRIVATE bool svc_list_seen(svc_call *c, const svc_entities *which);

/* openapi.c, openapi_schema.c */
SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a);
SVC_PRIVATE svc_str svc_driver_document(const svc *s, svc_arena *a); /* driver_schema.c */
SVC_PRIVATE svc_str svc_openapi_kept(svc *s, uint64_t *revision); /* built once per handle; p NULL: no memory */

#endif /* SVC_ANSWER_H */
