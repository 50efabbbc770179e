/*
** Dialects: other words on the wire for fields, paths, values and error codes (svc_config.dialect).
**
** The tables, the store and all hooks use our words. A request is translated right after it is parsed: keys in the path in route.c,
** values of parameters in query.c, the body in body.c. An answer is translated right before it is written: respond.c, and errors.c for
** errors. Paths and links are in the words of the dialect from svc_open() on (svc_plan.path). Without a dialect every function here
** returns what it is given.
*/
#ifndef SVC_DIALECT_H
#define SVC_DIALECT_H

#include "pipeline/form.h"

/* dialect.c: the words. */
enum svc_dialect_kind { SVC_WORD_FIELD, SVC_WORD_PATH, SVC_WORD_VALUE, SVC_WORD_CODE, SVC_WORD_KINDS };
typedef struct svc_word {
  svc_str ours, theirs; /* NUL-terminated; for a value: ours as stored, with the vendor word */
  bool known;           /* a table contains it */
  bool event;           /* the word is an event type */
} svc_word;
typedef struct svc_words {
  svc_word *rows;             /* sorted by our words */
  const svc_word **by_theirs; /* sorted by their words */
  size_t count;
} svc_words;
struct svc_dialect {
  svc_words kinds[SVC_WORD_KINDS];
  uint32_t mark; /* hash of all words: part of the ETags of translated answers */
};
SVC_PRIVATE int svc_dialect_open(svc *s);  /* reads svc_config.dialect and takes the vendor word and the scheme from it */
SVC_PRIVATE int svc_dialect_check(svc *s); /* checks the words against the tables; the vendor word is known */
SVC_PRIVATE const char *svc_dialect_member(int kind); /* the member of a dialect that holds words of this kind */
SVC_PRIVATE int svc_dialect_agree(svc *s); /* dialect_mark.c: all handles on a shared store must have the same dialect */
SVC_PRIVATE const svc_word *svc_word_ours(const svc *s, int kind, svc_str ours);     /* NULL: not renamed */
SVC_PRIVATE const svc_word *svc_word_theirs(const svc *s, int kind, svc_str theirs); /* NULL: unknown */

/* dialect_shown.c: words and texts in the form that callers see. Words from tables are NUL-terminated before and after. */
SVC_PRIVATE svc_str svc_shown_field(const svc *s, svc_str name);
SVC_PRIVATE svc_str svc_shown_word(const svc *s, svc_arena *a, svc_str value); /* svc_shown_value() of a text that is not NUL-terminated */
/* for a table's value: svc_value_text(), then the dialect's word */
SVC_PRIVATE svc_str svc_shown_value(const svc *s, svc_arena *a, const char *value);
SVC_PRIVATE const char *svc_shown_code(const svc *s, int code);
SVC_PRIVATE int svc_code_shown(const svc *s, const char *name); /* the error with this name on the wire; SVC_E_NONE: unknown */
SVC_PRIVATE const char *svc_shown_path(svc *s, const svc_route *route); /* in the handle's memory; NULL: out of memory */
/* a NUL-terminated path below the base path; empty: out of memory */
SVC_PRIVATE svc_str svc_shown_target(const svc *s, svc_arena *a, svc_str path);
SVC_PRIVATE svc_str svc_shown_query(const svc_call *c, const svc_query_value *v); /* a parameter's value as sent */
/* a place in a body of this object; NULL: of any object */
SVC_PRIVATE svc_str svc_shown_place_in(const svc *s, svc_arena *a, const svc_object *object, svc_str path);
SVC_PRIVATE svc_str svc_shown_place(svc_call *c, svc_str path); /* a place in the request's body: "specs[0].name" */
/* Translates our own text, which contains no caller's input: fields, values and codes that contain a capital letter. Plain lower-case words
** are taken for English. NUL-terminated if the text is. */
SVC_PRIVATE svc_str svc_shown_text(const svc *s, svc_arena *a, svc_str text);
SVC_PRIVATE svc_str svc_say(svc_call *c, const char *format, ...) SVC_PRINTF(2, 3); /* translates the format, then fills it in */

/* dialect_turn.c: translates bodies; both directions exchange words in the same way. */
SVC_PRIVATE svc_str svc_turned_value(const svc *s, const svc_field *f, svc_str text); /* for a field with known values */
SVC_PRIVATE svc_str svc_turned_event(const svc *s, svc_str type); /* an event type, for an error text */
SVC_PRIVATE const svc_field *svc_field_somewhere(const svc_object *object, svc_str name); /* also in variants; NULL: not found */
SVC_PRIVATE bool svc_dialect_touches(const svc *s, const svc_plan *plan); /* whether its answer can contain a renamed word */
SVC_PRIVATE void svc_turn_body(svc_call *c, const svc_object *object);    /* translates c->body into our words */
/* Translates a copy of the body: from the dialect's words (shown) into ours, or back. */
SVC_PRIVATE void svc_turn_sent(const svc_call *c, svc_arena *a, const svc_object *object, svc_node *body, bool shown);
SVC_PRIVATE void svc_turn_path(svc_call *c);                              /* translates the values in the path */
SVC_PRIVATE void svc_turn_query(svc_call *c, svc_query_value *v);
SVC_PRIVATE svc_str svc_turn_answer(svc_call *c, svc_str body); /* translates a whole body right before it is sent */
/* a field's value as callers see it */
SVC_PRIVATE svc_node *svc_turn_shown(const svc *s, svc_arena *a, const svc_field *f, svc_node *value);
/* as callers send it; NULL: out of memory */
SVC_PRIVATE svc_node *svc_turn_example(const svc *s, svc_arena *a, const svc_object *object, const char *example);

#endif /* SVC_DIALECT_H */
