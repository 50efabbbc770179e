/*
** What operations do to the store: the generic verbs, creates, changes, deletes, references, states and orders, the ledger, events, retries.
*/
#ifndef SVC_CHANGE_H
#define SVC_CHANGE_H

#include "pipeline/answer.h"

/* verbs.c: what most operations are. Each serves one request inside of its transaction. */
SVC_PRIVATE bool svc_verb_list(svc_call *c);
SVC_PRIVATE bool svc_verb_read(svc_call *c);
SVC_PRIVATE bool svc_verb_create(svc_call *c);
SVC_PRIVATE bool svc_verb_update(svc_call *c);  /* PATCH: merges */
SVC_PRIVATE bool svc_verb_replace(svc_call *c); /* PUT */
SVC_PRIVATE bool svc_verb_delete(svc_call *c);

/* mark.c: a record of the store's own, by name. Where it is `was` (n 0: missing), `ours` (n 0: nothing) becomes it, unless keep_orders
** is set, or only_new is and the store has entities. kept: the record as it is now, in the arena; n 0: there is none. */
SVC_PRIVATE int svc_mark(svc *s, const char *name, svc_str was, svc_str ours, bool only_new, svc_arena *a, svc_str *kept);

/* seal.c: secrets at rest. `name` is that of the field, for which alone it opens again. */
SVC_PRIVATE int svc_seal_start(svc *s); /* is the key that of the store? */
SVC_PRIVATE int svc_seal_learn(svc *s, const void *key); /* its number in s->secret_keys, now or before; -1: no memory, no room */
SVC_PRIVATE svc_str svc_seal_word(svc_call *c, unsigned by); /* for the mark "sealed": what shows whether a key is the store's */
/* By which of our keys a word of the mark is; -1: by none. The first word is by the key that seals; a second one by the key that was before. */
SVC_PRIVATE int svc_seal_word_by(svc *s, svc_arena *a, svc_str word);
SVC_PRIVATE svc_str svc_seal_by(svc_call *c, unsigned by, const svc_entity *e, svc_str name, svc_str secret); /* n 0: failed */
SVC_PRIVATE svc_str svc_seal(svc_call *c, const svc_entity *e, svc_str name, svc_str secret); /* as text; n 0: refused, or failed */
SVC_PRIVATE bool svc_unseal(svc_call *c, const svc_entity *e, svc_str name, svc_str sealed, svc_str *secret); /* false: not by this key */
SVC_PRIVATE bool svc_is_sealed(const svc_node *value); /* of a change's body: a secret that is kept, which no hook sees */
SVC_PRIVATE bool svc_may_seal(svc_str text);           /* it is no mask, and can be kept */
SVC_PRIVATE bool svc_seal_shown_is(const svc_node *kept, const svc_node *input); /* what was sent is what was shown of it */
/* A secret that was sent once more is the stored one. False: refused, since a stored secret would go to another destination. */
SVC_PRIVATE bool svc_seal_settle(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_seal_body(svc_call *c, const svc_change *change, svc_entity *e); /* the change's body: what is shown, and extra */
SVC_PRIVATE bool svc_seal_join(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_node *body); /* the other way */
SVC_PRIVATE svc_node *svc_seal_secrets(svc *s, svc_arena *a, const svc_entity *e); /* in clear, by name; NULL: no key, no memory */

/* change.c: creates and changes. */
SVC_PRIVATE bool svc_quota_exceeded(svc_call *c, const svc_noun *noun, int64_t limit, const svc_id *parent); /* refused; false */
SVC_PRIVATE int64_t svc_quota_used(svc_call *c, const char *quota, const svc_id *group); /* by all nouns that share this limit */
SVC_PRIVATE bool svc_within_quota(svc_call *c, const svc_noun *noun, const svc_id *parent, size_t more); /* for so many more; false: 403 */
SVC_PRIVATE bool svc_target(svc_call *c, svc_entity *out, bool *stored); /* the entity that the request is about */
SVC_PRIVATE bool svc_change_write(svc_call *c, const svc_change *change, svc_entity *e); /* its body and extra, as they are stored */
SVC_PRIVATE bool svc_change_differs(const svc_change *change, const char *field); /* has this member another value than before? */
SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out); /* a create, checked and prepared */
/* An action that changes the entity of its path: begin, change change->body, store; that also answers with the entity. */
/* A create, for svc_insert(): with a copy of this body, as the hooks change it and this may run again; NULL: with an empty one. */
SVC_PRIVATE bool svc_change_new(svc_call *c, const svc_noun_info *noun, const svc_node *body, svc_change *change);
SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change);
SVC_PRIVATE const svc_node *svc_change_input(svc_call *c, const svc_change *change); /* what was sent; NULL: no memory, or refused */
SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change);
/* The same for another entity than that of the path; it is not answered with, and has no event unless one is set between. */
SVC_PRIVATE bool svc_change_of(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_change *change);
SVC_PRIVATE bool svc_change_keep(svc_call *c, svc_change *change, svc_entity *out);
/* A stored entity with another body, and nothing else: no hook, no event. */
SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body);

SVC_PRIVATE void svc_change_keys(svc_call *c, const svc_change *change, svc_entity *e); /* how it is named and found */

/* What is written along with an entity; before NULL: it is new, body NULL: it is gone. */
SVC_PRIVATE bool svc_change_along(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                  const svc_node *body);

/* What an entity shows of how many are below it: as one of them comes or goes, and in a body about to be stored. */
SVC_PRIVATE bool svc_recount(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE void svc_count_below(svc_call *c, const svc_noun_info *noun, const svc_id *id, svc_node *body);

/* element.c: what is no entity, but an element of an array of one. */
SVC_PRIVATE svc_node *svc_element_named(const svc_node *list, svc_str id); /* NULL: it has none */
SVC_PRIVATE bool svc_element_entity(svc_call *c, const svc_entity *whole, const svc_node *item, svc_entity *out);
SVC_PRIVATE bool svc_element_create(svc_call *c);
SVC_PRIVATE bool svc_element_change(svc_call *c, int mode); /* enum svc_check_mode */
SVC_PRIVATE bool svc_element_delete(svc_call *c);

/* scope.c: to which project and organization things belong. */
SVC_PRIVATE void svc_scope_enter(svc_call *c, const svc_entity *e); /* work of the service's own is about this one */
SVC_PRIVATE bool svc_scope_covers(const svc_scope *scope, const svc_scope *of); /* is that the same, or the organization above? */
/* To what one with this parent and id belongs. The call goes on there, unless that is where it is. */
SVC_PRIVATE bool svc_scope_of_new(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_scope *out);
/* Are there records of the one below those of the other? Of events it says no. */
SVC_PRIVATE bool svc_scope_holds(const svc *s, const svc_noun_info *noun, const svc_noun_info *below);
/* A project has gone to another organization: all that is below it belongs there now. */
SVC_PRIVATE bool svc_scope_move(svc_call *c, const svc_id *group, const svc_id *org);

/* erase.c: what goes. */
/* It and all below it; each speaks. It is gone at once, but of what is below it only so much; the rest follows by itself. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE bool svc_erase_due(svc_call *c, const svc_due_entry *due, bool *mine); /* the next of it */
SVC_PRIVATE bool svc_may_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* nothing holds it; false: refused */
SVC_PRIVATE bool svc_guarded(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, int what);

/* refs.c: entities that name others. */
SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change); /* what is named anew must be there, and must stay */
SVC_PRIVATE bool svc_refs_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                const svc_node *body); /* either may be NULL */
SVC_PRIVATE bool svc_refs_free(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* false: it is named */
/* Is it named by one of the noun of this name? */
SVC_PRIVATE bool svc_refs_named_by(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *by);
/* The nouns of all that name it by its id, one after the other. */
SVC_PRIVATE bool svc_refs_users(svc_call *c, const svc_entity *e, void (*user)(void *context, const svc_noun_info *from), void *context);
/* An entity is gone: the references to it go as well. in_cascade: so does its whole project or organization. */
SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool in_cascade);
/* May this project go to another organization? False: a reference would cross from one organization to another, and it is refused. */
SVC_PRIVATE bool svc_refs_may_move(svc_call *c, const svc_entity *group);
/* Of a field that names others of the same noun: do these, or those that they name, name it again? False: failed. */
SVC_PRIVATE bool svc_refs_circle(svc_call *c, const svc_change *change, const char *field, bool *circle);

/* lifecycle.c */
SVC_PRIVATE const svc_transition *svc_transition_from(const svc_noun *noun, svc_str state);
SVC_PRIVATE int64_t svc_provisioned(const svc *s, unsigned percent, int64_t now); /* when so much of that time has passed */
SVC_PRIVATE int64_t svc_transition_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now); /* 0: it stays */
SVC_PRIVATE const char *svc_event_of_gone(const svc_noun *noun); /* written when one is gone; NULL: none */
/* Out of the state that it is in; action NULL: the order that its table has for that state. facts NULL: none came of it, or it was simulated. */
SVC_PRIVATE bool svc_transition_take(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const char *action,
                                     const svc_node *facts, int tag);
/* A change that no request has made, and no date: svc_change_of(), then the body, extra, dues, event; then this. */
SVC_PRIVATE bool svc_change_settle(svc_call *c, svc_change *change);
SVC_PRIVATE int svc_apply_due(svc *s, int64_t now);
SVC_PRIVATE int svc_apply_due_some(svc *s, int64_t now, int64_t *left); /* not more than so many steps, and a few; 0: it stopped there */

/* facts.c: what a driver says, checked against tables. */
/* The text of facts, without the space before it; n 0: there are none. SVC_INVALID: it is no JSON object, or too large; SVC_NOMEM. */
SVC_PRIVATE int svc_facts_gate(const svc *s, const char *facts, svc_str *out);
/* report.c: what a driver reports of this entity, as its noun's `reports` has it. */
SVC_PRIVATE bool svc_report_about(svc_call *c, const svc_noun_info *info, const svc_entity *e, const svc_node *news);
SVC_DECLARE(const svc_object svc_order_failure) /* the facts of any order that has failed */
SVC_PRIVATE const svc_order_row *svc_order_row_of(const svc_noun *noun, const char *action); /* NULL: it has no such order */
/* As the object says; object NULL: there may be no facts. NULL: refused, which the log tells, or no memory, which is an error. */
SVC_PRIVATE svc_node *svc_facts_check(svc_call *c, const svc_noun *noun, const svc_object *object, const svc_node *facts, const char *about);
SVC_PRIVATE void svc_facts_refused(svc_call *c, const svc_noun *noun, const char *about); /* the log tells the first violation; they are forgotten */
/* The facts that the simulator has for an order; *out NULL: it has none, or there is a driver. False: failed. */
SVC_PRIVATE bool svc_facts_simulate(svc_call *c, const svc_change *change, const char *action, const svc_node **out);
#define SVC_FAILURE "reason" /* in facts of the simulator: the order has failed, for this reason */
/* Into the change; facts NULL: those that the simulator has for it. */
SVC_PRIVATE bool svc_facts_into(svc_call *c, svc_change *change, const svc_node *facts); /* as `facts` of a noun: each is a field of its body */
SVC_PRIVATE bool svc_report_simulated(svc_call *c, svc_change *change); /* what the simulator reports of it, into the change */
SVC_PRIVATE bool svc_facts_take(svc_call *c, svc_change *change, const char *action, const svc_node *facts);

/* order.c: what the driver is to do, and has done. */
SVC_PRIVATE bool svc_order_put(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* for the state it is in, if any */
/* From within a hook that changes the entity: an order of what has no states. The simulator does it at once. */
SVC_PRIVATE bool svc_order_within(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_order_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* it is gone */
SVC_PRIVATE bool svc_order_has_taker(const svc *s, const svc_noun *noun); /* there is somebody to whom its orders go: the pipeline's alone to ask */
/* When an order of this noun that falls due at c->now is begun: by the simulator at that time, by a driver not before the present. */
SVC_PRIVATE int64_t svc_order_time(const svc_call *c, const svc_noun_info *noun);
/* An order has failed: into the failed state, with reason and event; where there is none, it stays as it is. facts: "reason", "state". */
SVC_PRIVATE bool svc_order_failed(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *facts);
SVC_PRIVATE bool svc_order_waits(svc_call *c, const svc_entity *e); /* is there one for it? */
SVC_PRIVATE int svc_orders_open(svc *s);
SVC_PRIVATE void svc_orders_close(svc *s);
SVC_PRIVATE bool svc_order_is_session(svc_str key);
SVC_PRIVATE int svc_orders_hand_out(svc *s, int64_t now);
SVC_PRIVATE int64_t svc_orders_next(svc *s, int64_t after); /* when one is to be handed out, later than this; INT64_MAX: none is */
/* The orders that wait, the first of them, with when each is handed out; strings are the arena's. How many; c->txn is a read transaction. */
SVC_PRIVATE size_t svc_orders_waiting(svc_call *c, svc_order *orders, int64_t *when, size_t room);

/* simulator.c: the driver where the host has none; and what drivers answer. */
SVC_PRIVATE const svc_driver *svc_simulator(void);
SVC_PRIVATE int64_t svc_simulated(const char *resource, const char *what, int64_t now); /* a figure from 0 to 1000 */
SVC_PRIVATE uint64_t svc_simulated_hash(const char *resource, const char *what, int64_t at); /* any figure at all */
SVC_PRIVATE void svc_reply_begin(svc_reply *reply, svc_arena *arena, size_t most);

/* meter.c: the ledger of what costs money. */
SVC_PRIVATE bool svc_meter_note(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body); /* NULL: gone */
/* May the organization spend more, if a request asks for it? False: 402, with this code; SVC_E_NONE: the usual one. */
SVC_PRIVATE bool svc_meter_pays(svc_call *c, const svc_id *org, int code);
/* May the organization have this, that costs more than before? NULL: it is new. False: 402. */
SVC_PRIVATE bool svc_meter_affords(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_node *before,
                                   const svc_node *body);
typedef struct svc_ledger_line {
  svc_id org, group, id;
  svc_id top; /* what it is part of, right below the project; itself where that is it */
  svc_str top_name, group_name; /* what they were called when it began */
  char kind[SVC_KIND_SIZE];
  unsigned month;       /* 202503 */
  unsigned slot;        /* which of those that its entity has */
  int64_t since, until; /* milliseconds; until 0: it is still running */
  svc_meter meter;
} svc_ledger_line;
SVC_PRIVATE void svc_ledger_begin(svc_scan *scan, svc_txn *txn, const svc_id *org, unsigned month); /* month 0: all */
SVC_PRIVATE bool svc_ledger_next(svc_scan *scan, svc_ledger_line *out);
SVC_PRIVATE bool svc_meter_due(svc_call *c, const svc_due_entry *due, bool *mine); /* a month ends */

/* event.c */
SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_scope *scope, const char *field, svc_str value);
typedef struct svc_event_part { /* what an event is about; name NULL: nothing */
  const char *name;
  svc_str value; /* empty: it has none */
  bool raw;      /* that is JSON, no text */
} svc_event_part;
/* With several of these, in the order of their names. */
SVC_PRIVATE bool svc_event_with(svc_call *c, const char *type, const svc_scope *scope, const svc_event_part *about, size_t count);
SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone);
/* The same, of an entity whose noun may have `diff`: the event says what has changed. */
enum svc_diff_what { SVC_DIFF_NONE, SVC_DIFF_NEW, SVC_DIFF_CHANGED, SVC_DIFF_LEAVING /* it is being deleted */, SVC_DIFF_GONE };
typedef struct svc_difference {
  const svc_noun_info *noun;
  const svc_entity *e;
  int what; /* enum svc_diff_what */
  const svc_node *before, *body; /* before: of SVC_DIFF_CHANGED alone; body NULL: that of the entity */
} svc_difference;
SVC_PRIVATE bool svc_event_told(svc_call *c, const char *type, const svc_difference *d);

/* retry.c: Idempotency-Key. */
SVC_PRIVATE bool svc_retry_before(svc_call *c, bool *answered);
SVC_PRIVATE bool svc_retry_after(svc_call *c, bool wrote); /* wrote: the request has changed something */
SVC_PRIVATE bool svc_retry_expire(svc_txn *txn, const svc_due_entry *due); /* false: not mine */

#endif /* SVC_CHANGE_H */
