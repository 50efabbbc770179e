/*
** Dialects: other words on the wire for fields, paths, values and error codes (svc_config.dialect).
**
** The tables, the store and all hooks use our words. A request is translated right after it is parsed, an answer right before it is
** written. Without a dialect every function here returns what it is given.
*/
#ifndef SVC_DIALECT_H
#define SVC_DIALECT_H

#include "pipeline/form.h"

/* dialect.c: the words. */
enum svc_dialect_kind { SVC_WORD_FIELD, SVC_WORD_PATH, SVC_WORD_VALUE, SVC_WORD_CODE, SVC_WORD_KINDS };
typedef struct svc_word {
  svc_str ours, theirs; /* NUL-terminated; of a value: ours with the vendor's word in it, as it is stored */
  bool known;           /* a table has it */
  bool event;           /* it is a type of event */
} svc_word;
typedef struct svc_words {
  svc_word *rows;             /* in the order of our words */
  const svc_word **by_theirs; /* the same, in the order of theirs */
  size_t count;
} svc_words;
struct svc_dialect {
  svc_words kinds[SVC_WORD_KINDS];
  uint32_t mark; /* of all its words: part of the ETags of answers in these */
};
SVC_PRIVATE int svc_dialect_open(svc *s);  /* reads svc_config.dialect and takes the vendor word and the scheme of it */
SVC_PRIVATE int svc_dialect_check(svc *s); /* its words against the tables; the vendor word is known */
SVC_PRIVATE const char *svc_dialect_member(int kind); /* what a dialect calls its words of this kind */
SVC_PRIVATE int svc_dialect_agree(svc *s); /* dialect_mark.c: is it that of the other handles on a store that is shared? */
SVC_PRIVATE const svc_word *svc_word_ours(const svc *s, int kind, svc_str ours);     /* NULL: it stays as it is */
SVC_PRIVATE const svc_word *svc_word_theirs(const svc *s, int kind, svc_str theirs); /* NULL: it is none of theirs */

/* dialect_shown.c: words and texts as they are shown. Words that come from the tables are NUL-terminated, and stay so. */
SVC_PRIVATE svc_str svc_shown_field(const svc *s, svc_str name);
SVC_PRIVATE svc_str svc_shown_word(const svc *s, svc_arena *a, svc_str value); /* the same, of a text that is not NUL-terminated */
SVC_PRIVATE svc_str svc_shown_value(const svc *s, svc_arena *a, const char *value); /* of a table: svc_value_text(), and the dialect's word */
SVC_PRIVATE const char *svc_shown_code(const svc *s, int code);
SVC_PRIVATE int svc_code_shown(const svc *s, const char *name); /* the error that is shown so; SVC_E_NONE: there is none */
SVC_PRIVATE const char *svc_shown_path(svc *s, const svc_route *route); /* in the handle's memory, which may have none */
SVC_PRIVATE svc_str svc_shown_target(const svc *s, svc_arena *a, svc_str path); /* a NUL-terminated path below the base path; empty: no memory */
SVC_PRIVATE svc_str svc_shown_query(const svc_call *c, const svc_query_value *v); /* the value of a parameter as it was sent */
SVC_PRIVATE svc_str svc_shown_place_in(const svc *s, svc_arena *a, const svc_object *object, svc_str path); /* a place in a body of this object; NULL: of any */
SVC_PRIVATE svc_str svc_shown_place(svc_call *c, svc_str path); /* "specs[0].name", a place in the body of the request */
/* A text of ours, which has nothing in it that somebody sent, with the dialect's words for fields, values and codes that stand in it with
** a capital letter: plain words are English. NUL-terminated if the text is. */
SVC_PRIVATE svc_str svc_shown_text(const svc *s, svc_arena *a, svc_str text);
SVC_PRIVATE svc_str svc_say(svc_call *c, const char *format, ...) SVC_PRINTF(2, 3); /* the same of the format alone, filled in */

/* dialect_turn.c: bodies, from one language to the other: both ways are the same exchange of words. */
SVC_PRIVATE svc_str svc_turned_value(const svc *s, const svc_field *f, svc_str text); /* of a field with known values */
SVC_PRIVATE svc_str svc_turned_event(const svc *s, svc_str type); /* a type of event, as an error names it */
SVC_PRIVATE const svc_field *svc_field_somewhere(const svc_object *object, svc_str name); /* in it, or in any variant of it; NULL: none */
SVC_PRIVATE bool svc_dialect_touches(const svc *s, const svc_plan *plan); /* can its answer hold a word that the dialect has another one for? */
SVC_PRIVATE void svc_turn_body(svc_call *c, const svc_object *object);    /* c->body, as it was sent, into our words */
/* A copy of the body that was sent, from the dialect's words (shown) into ours, or back. */
SVC_PRIVATE void svc_turn_sent(const svc_call *c, svc_arena *a, const svc_object *object, svc_node *body, bool shown);
SVC_PRIVATE void svc_turn_path(svc_call *c);                              /* the values in the path */
SVC_PRIVATE void svc_turn_query(svc_call *c, svc_query_value *v);
SVC_PRIVATE svc_str svc_turn_answer(svc_call *c, svc_str body); /* all of it, as it is about to be sent */
SVC_PRIVATE svc_node *svc_turn_shown(const svc *s, svc_arena *a, const svc_field *f, svc_node *value); /* a value of a field, as it is shown */
SVC_PRIVATE svc_node *svc_turn_example(const svc *s, svc_arena *a, const svc_object *object, const char *example); /* as it is sent; NULL: no memory */

#endif /* SVC_DIALECT_H */
